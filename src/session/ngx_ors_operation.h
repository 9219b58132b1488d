
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
#include <ngx_ors_session.h>
#include <ngx_ors_stored.h>
#include <ngx_ors_text.h>
#include <ngx_ors_record.h>
#include <ngx_ors_store.h>


/* jobs that one operation may need */
#define NGX_ORS_OPERATION_JOBS  4


typedef enum {
    ngx_ors_operation_retrieve = 0,
    ngx_ors_operation_delete,
    ngx_ors_operation_cancel,
    ngx_ors_operation_items         /* the input, one page of it */
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
    ngx_ors_operation_st_over
} ngx_ors_operation_state_e;

#define NGX_ORS_OPERATION_STATES  (ngx_ors_operation_st_over + 1)


/* zeroed memory is a new one; the first five are the caller's to set */

typedef struct {
    ngx_ors_store_t           *store;     /* borrowed */
    u_char                     scope[NGX_ORS_STORE_KEY];
    ngx_str_t                  id;        /* as the client has it */
    ngx_pool_t                *pool;
    ngx_log_t                 *log;
    ngx_uint_t                 max_turns; /* of a list */
    size_t                     max_size;
    ngx_ors_listing_t          list;      /* the same, initialized */

    ngx_ors_operation_state_e  state;
    ngx_ors_store_job_t       *job;       /* to be posted, or posted */
    ngx_ors_store_job_t       *jobs[NGX_ORS_OPERATION_JOBS];
    ngx_uint_t                 njobs;

    ngx_ors_record_t           record;
    ngx_ors_out_t              out;       /* the document, in parts memory */
                                          /* of jobs */
    ngx_ors_error_t            error;
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

/* Gives all jobs back: the document has been sent, or its client has left. */
void ngx_ors_operation_close(ngx_ors_operation_t *op);

/* The names of states, by their values. */
extern char  *ngx_ors_operation_states[NGX_ORS_OPERATION_STATES];

/*
 * Which operation on a stored response a request means: its path, its method
 * and its query string (protocol, section 1).
 */


/*
 * The operation of "method" on "path", which follows "responses/": "id" or
 * "id/input_items".
 *
 * NGX_OK         "*id", a part of "path", and "*kind" are set
 * NGX_DECLINED   there is no such path
 * NGX_DONE       the path has other methods: "*allow", static text
 */
ngx_int_t ngx_ors_operation_find(ngx_str_t *path, ngx_str_t *method,
    ngx_str_t *id, ngx_ors_operation_e *kind, char **allow);

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
