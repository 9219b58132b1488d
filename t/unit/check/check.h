
/*
 * A client's view of an answer: whether it is well-formed, and a short
 * text of its contents.  The answer is one that a turn has written:
 *
 *     completed | message text(Hello) | call f(call_1) {"a":1} | usage 1+2=3
 *     completed | message text(Hello)+[annotations]-[logprobs] | usage 0+0=0
 *     incomplete max_output_tokens | message! text(Hel) | usage 0+0=0
 *     completed | reasoning text(a summary) | reasoning thought(content)
 *     failed upstream_error | message text(Hello)
 *     502 upstream_error
 *
 * "!" is an item that is incomplete; strings are decoded.  Or it is one of a
 * server that has passed the validator, where the last number is that of the
 * items of the output:
 *
 *     completed 2
 *     failed upstream_disconnected 1
 *     502 invalid_upstream_answer
 *     done                    of chat completions
 *     error upstream_disconnected
 *
 * The order of frames, events and items, the numbers, the schema and the sums
 * of deltas are the same for both.  A turn writes one item and one part at a
 * time, all fields of each object, and nothing more; a server may do more.
 */


#ifndef _CHECK_H_INCLUDED_
#define _CHECK_H_INCLUDED_


#include <ngx_ors_test.h>
#include <ngx_ors_book.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_json.h>
#include <ngx_ors_validate.h>


#define CHECK_ITEMS   64
#define CHECK_DIGEST  8192


typedef struct {
    ngx_uint_t              status;    /* for the client */
    const char             *type;      /* of the content */
    u_char                 *text;
    size_t                  size;
    ngx_uint_t              stream;
    ngx_uint_t              chat;      /* chunks of Chat Completions */
    ngx_uint_t              passed;    /* of a server, through the validator */
    ngx_uint_t              beside;    /* response.failed has an error beside */
                                       /* the response as well */
    ngx_ors_policy_t        policy;    /* it has to be valid with */
} check_answer_t;


typedef enum {
    check_st_start = 0,
    check_st_created,                  /* of a turn */
    check_st_idle,
    check_st_item,                     /* the last item of a turn is open */
    check_st_error,
    check_st_terminal,
    check_st_done
} check_state_e;


/* how far the events of a hosted tool's item are */

typedef enum {
    check_step_added = 0,
    check_step_text,                   /* its text may come */
    check_step_begun,
    check_step_busy,
    check_step_ended
} check_step_e;


typedef struct check_hosted_s  check_hosted_t;

typedef struct {
    ngx_str_t               type;
    ngx_str_t               id;
    ngx_str_t               call_id;   /* of a call */
    ngx_str_t               name;      /* the same */
    ngx_str_t               object;    /* as it was done; empty: it is open */

    ngx_str_t               part_type; /* empty: no part is open */
    ngx_uint_t              ncontent;  /* parts of both lists */
    ngx_uint_t              nsummary;
    ngx_uint_t              done;      /* the part's text or the arguments */
    ngx_str_t               text;      /* the sum of the deltas */
    size_t                  size;      /* of its memory */
    ngx_uint_t              unknown;   /* the sum, as a delta has escapes */

    ngx_uint_t              nannotations;    /* of the part */
    ngx_str_t               annotations;     /* the sum of the events, and */
    ngx_str_t               logprobs;        /* of the deltas: insides of */
                                             /* arrays */

    const check_hosted_t   *hosted;    /* NULL: another type */
    check_step_e            step;
    ngx_uint_t              extension; /* the type has a prefix */
    ngx_uint_t              failed;
} check_item_t;


typedef struct {
    char                    error[512];      /* empty: nothing is wrong */
    char                    digest[CHECK_DIGEST];
    ngx_uint_t              events;
    ngx_uint_t              deltas;

    /* private */
    const check_answer_t   *answer;
    ngx_uint_t              beside;       /* an event that is tolerated */
    size_t                  len;
    check_state_e           state;
    ngx_pool_t             *pool;
    ngx_ors_json_t          json;
    int64_t                 sequence;  /* of the last event, or -1 */
    ngx_str_t               id;        /* of the response */
    ngx_str_t               code;      /* of the error event */
    ngx_uint_t              incomplete;      /* the last item of a turn */
    check_item_t           *item;      /* of the event */
    ngx_uint_t              nitems;
    check_item_t            items[CHECK_ITEMS];
} check_t;


/* Checks all of an answer, which is borrowed. */
void check_answer(check_t *c, const check_answer_t *answer);


/*
 * Objects in c->json, between the files of the checker and for fuzz targets:
 * c->error has the first thing that is wrong.
 */

/* the last snapshot or a document, and a snapshot in the beginning */
void check_response(check_t *c, ngx_ors_json_node_t *resp);
void check_snapshot(check_t *c, ngx_ors_json_node_t *resp,
    const char *what);

void check_item(check_t *c, ngx_ors_json_node_t *item);
void check_error_value(check_t *c, ngx_ors_json_node_t *error);

/* a delta of c->item, and all of its text */
void check_delta(check_t *c, ngx_ors_json_node_t *node);
void check_sum(check_t *c, ngx_ors_json_node_t *node);

/* an event of an item */
void check_item_event(check_t *c, ngx_str_t *type);


/*
 * Items of hosted tools.  check_hosted() gives the rules of a type, or NULL;
 * "extension" says whether it has a prefix, and no events for that reason.
 * The others check an item, the event that announces it, one in between, the
 * event that ends it, and its place in an output.
 */

const check_hosted_t *check_hosted(check_t *c, ngx_ors_json_node_t *item,
    ngx_uint_t *extension);
void check_hosted_item(check_t *c, ngx_ors_json_node_t *item);
void check_hosted_added(check_t *c, ngx_ors_json_node_t *item);
void check_hosted_event(check_t *c, ngx_str_t *type);
void check_hosted_done(check_t *c, ngx_ors_json_node_t *item);
void check_hosted_output(check_t *c, ngx_ors_json_node_t *item);


/* values */

/* of a member that has to be there, and of one that may be null or absent */
ngx_ors_json_node_t *check_get(check_t *c, ngx_ors_json_node_t *object,
    const char *name);
ngx_ors_json_node_t *check_find(check_t *c, ngx_ors_json_node_t *object,
    const char *name);

void check_is(check_t *c, ngx_ors_json_node_t *object, const char *name,
    const char *value);
void check_number(check_t *c, const char *name, ngx_uint_t value);
ngx_uint_t check_same(check_t *c, ngx_ors_json_node_t *node, ngx_str_t *s);
void check_copy(check_t *c, ngx_str_t *s, ngx_ors_json_node_t *node);
ngx_str_t check_raw(check_t *c, ngx_ors_json_node_t *node);
ngx_uint_t check_type(ngx_str_t *type, const char *name);

void check_put(check_t *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void check_put_node(check_t *c, ngx_ors_json_node_t *node);
void wrong(check_t *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));


#endif /* _CHECK_H_INCLUDED_ */
