
/*
 * An operation on a stored response: what a client does with it by its id.  A
 * pure machine: finished jobs of a store go in; jobs to be posted, a document
 * or an error come out.
 */


#ifndef _NGX_ORS_OPERATION_H_INCLUDED_
#define _NGX_ORS_OPERATION_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>
#include <ngx_ors_replay.h>
#include <ngx_ors_session.h>
#include <ngx_ors_stored.h>
#include <ngx_ors_text.h>
#include <ngx_ors_record.h>
#include <ngx_ors_store.h>


/* jobs that one operation may need */
#define NGX_ORS_OPERATION_JOBS  4

#define NGX_ORS_OPERATION_EVENTS  65536


typedef enum {
    ngx_ors_operation_retrieve = 0,
    ngx_ors_operation_delete,
    ngx_ors_operation_cancel,
    ngx_ors_operation_items,        /* the input, one page of it */

    /* of a conversation */
    ngx_ors_operation_conversation,
    ngx_ors_operation_conversation_delete,
    ngx_ors_operation_conversation_items
} ngx_ors_operation_e;


typedef enum {
    ngx_ors_operation_st_new = 0,
    ngx_ors_operation_st_read,      /* a job reads the response to be sent, */
    ngx_ors_operation_st_find,      /* ... the one to be deleted, */
    ngx_ors_operation_st_stop,      /* ... tells its worker of that */
    ngx_ors_operation_st_remove,    /* ... deletes it */
    ngx_ors_operation_st_check,     /* ... reads the one to be cancelled, */
    ngx_ors_operation_st_mark,      /* ... tells its worker of that */
    ngx_ors_operation_st_chain,     /* ... reads it with its ancestors, */
    ngx_ors_operation_st_alone,     /* ... without them: they are gone */
    ngx_ors_operation_st_named,     /* ... reads a conversation, */
    ngx_ors_operation_st_forget,    /* ... deletes it: its responses stay */
    ngx_ors_operation_st_over
} ngx_ors_operation_state_e;

#define NGX_ORS_OPERATION_STATES  (ngx_ors_operation_st_over + 1)


/*
 * Zeroed memory is a new one; what stands in front of "state" is the caller's
 * to set.
 */

typedef struct {
    ngx_ors_store_t           *store;     /* borrowed */
    u_char                     scope[NGX_ORS_STORE_KEY];
    ngx_str_t                  id;        /* as the client has it */
    ngx_pool_t                *pool;
    ngx_log_t                 *log;
    ngx_uint_t                 max_turns; /* of a list */
    size_t                     max_size;
    ngx_uint_t                 profile;   /* of events of a stream */
    ngx_ors_listing_t          list;      /* initialized by the query */

    ngx_ors_operation_state_e  state;
    ngx_ors_store_job_t       *job;       /* to be posted, or posted */
    ngx_ors_store_job_t       *jobs[NGX_ORS_OPERATION_JOBS];
    ngx_uint_t                 njobs;

    ngx_ors_record_t           record;
    ngx_ors_replay_t           replay;    /* of a stream */
    ngx_uint_t                 after;     /* events below it were sent */
    ngx_ors_out_t              out;       /* the document, in parts memory */
                                          /* of jobs */
    ngx_ors_error_t            error;

    unsigned                   listed:1;  /* all items of a conversation are */
    unsigned                   stream:1;  /* its events are asked for */
    unsigned                   resumed:1; /* ... after one of them */
    unsigned                   obfuscate:1;
    unsigned                   begun:1;   /* the first ones were sent */
} ngx_ors_operation_t;


/*
 * Begins the operation, and goes on when op->job is done.
 *
 * NGX_OK         op->out is what the client gets
 * NGX_AGAIN      op->job is to be posted
 * NGX_DONE       op->error is what the client gets
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_operation_begin(ngx_ors_operation_t *op,
    ngx_ors_operation_e kind);
ngx_int_t ngx_ors_operation_done(ngx_ors_operation_t *op);

/*
 * The next events of a response whose stream is asked for, about
 * NGX_ORS_OPERATION_EVENTS bytes of them, in op->out.
 *
 * NGX_OK         there are more
 * NGX_DONE       these were the last ones
 * NGX_AGAIN      the response runs: ngx_ors_operation_poll(), later, has others
 * NGX_ERROR      no memory; or the record is broken, which is logged
 */
ngx_int_t ngx_ors_operation_events(ngx_ors_operation_t *op);

/*
 * In place of a record: "turn" runs here, and has a journal.  What is taken of
 * it comes from "pool", which must live until op->out has been sent.
 * NGX_OK: ngx_ors_operation_events() has them, NGX_DONE, NGX_ERROR.
 */
ngx_int_t ngx_ors_operation_live(ngx_ors_operation_t *op, ngx_ors_turn_t *turn,
    ngx_uint_t instructions, ngx_pool_t *pool);

/*
 * Reads a response that runs once more: it was closed, or never begun.
 * NGX_AGAIN: op->job is to be posted, or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_operation_poll(ngx_ors_operation_t *op);

/* Gives all jobs back: op->out has been sent, or its client has left. */
void ngx_ors_operation_close(ngx_ors_operation_t *op);

/* The names of states, by their values. */
extern char  *ngx_ors_operation_states[NGX_ORS_OPERATION_STATES];

/*
 * Which operation on a stored response a request means: its path, its method
 * and its query string (protocol, section 1).
 */


/*
 * The operation of "method" on "path", which follows "responses/", or with
 * "conversation" set "conversations/": "id", "id/input_items" and so on.
 *
 * NGX_OK         "*id", a part of "path", and "*kind" are set
 * NGX_DECLINED   there is no such path
 * NGX_DONE       the path has other methods: "*allow", static text
 */
ngx_int_t ngx_ors_operation_find(ngx_str_t *path, ngx_str_t *method,
    ngx_uint_t conversation, ngx_str_t *id, ngx_ors_operation_e *kind,
    char **allow);

/*
 * Reads the query string of the operation.
 *
 * NGX_OK         it may begin; that of a list has op->list
 * NGX_DONE       op->error is what the client gets
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_operation_query(ngx_ors_operation_t *op,
    ngx_ors_operation_e kind, ngx_str_t *query);


#endif /* _NGX_ORS_OPERATION_H_INCLUDED_ */
