
/*
 * One turn from the request's body to the client's last byte: what the
 * model server sends is given, how it is split and cut, too.
 *
 * Bytes of the model server come in buffers that are freed right after they
 * were read, and output is taken and recycled while the turn goes on.
 */


#ifndef _TURN_RUN_H_INCLUDED_
#define _TURN_RUN_H_INCLUDED_


#include <ngx_ors_test.h>
#include <ngx_ors_turn.h>


typedef struct {
    /* the input; set by run_init(), to be changed after it */
    const char           *request;   /* ' stands for ", NULL: asks for all */
    ngx_uint_t            stream;    /* the client wants a stream */
    ngx_uint_t            status;
    const char           *type;
    u_char               *body;      /* borrowed */
    size_t                len;
    ngx_uint_t            complete;
    ngx_ors_limits_t      limits;
    ngx_ors_policy_t      policy;
    ngx_ors_chat_think_e  think;     /* options of the server */
    ngx_uint_t            state;     /* ... it is called "p" */
    ngx_ors_sealer_t     *sealer;    /* borrowed, NULL: there is none */
    size_t                at;        /* 0, or where the first piece ends */
    size_t                step;      /* 0, or the length of the others */
    ngx_uint_t            random;    /* 0, or the greatest length of all */
    const u_char         *pieces;    /* NULL, or their lengths, used in turn */
    ngx_uint_t            npieces;
    ngx_uint_t            keep;      /* output is taken at the end only */
    ngx_uint_t            once;      /* a stream is not made again */

    /* the result: freed by run_free() */
    ngx_int_t          rc;           /* NGX_DONE or NGX_ERROR */
    ngx_uint_t         answered;     /* status for the client */
    char               answered_type[64];
    u_char            *text;         /* with a zero after it */
    size_t             size;
    size_t             room;
    ngx_uint_t         allocs;       /* while the answer came */
    ngx_uint_t         live;         /* bytes there were before the end */
} run_t;


/* "body" as a string of C in which ' stands for ", copied, malloc() */
u_char *run_text(const char *body, size_t *len);

/* A run with status 200, an event stream and a client that wants one. */
void run_init(run_t *run, u_char *body, size_t len);

/*
 * Runs it.  The random part of ids is replaced by the letter R, so that two
 * runs can be compared.
 */
void run_turn(run_t *run);

void run_free(run_t *run);


#endif /* _TURN_RUN_H_INCLUDED_ */
