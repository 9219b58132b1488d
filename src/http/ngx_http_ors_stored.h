
/*
 * Requests for responses that are stored: each is a few jobs of the store,
 * one after the other.
 */


#ifndef _NGX_HTTP_ORS_STORED_H_INCLUDED_
#define _NGX_HTTP_ORS_STORED_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_ors_listing.h>
#include <ngx_ors_record.h>


/* jobs that one request may need */
#define NGX_HTTP_ORS_STORED_JOBS  4


/* a turn that runs without its client */
#define ngx_http_ors_stored_runs(rec)                                         \
    ((rec)->status == ngx_ors_record_queued                                   \
     || (rec)->status == ngx_ors_record_in_progress)


typedef struct ngx_http_ors_stored_s  ngx_http_ors_stored_t;


/*
 * A step: "job" is the one that has been done, with the status "ok" or
 * "absent", and NULL at first.  NGX_AGAIN: another one has been posted; else
 * what a content handler returns.
 */
typedef ngx_int_t (*ngx_http_ors_stored_pt)(ngx_http_ors_stored_t *st,
    ngx_ors_store_job_t *job);


/* lives as long as its request */

struct ngx_http_ors_stored_s {
    ngx_http_request_t       *request;
    ngx_http_ors_loc_conf_t  *conf;
    ngx_str_t                 id;

    ngx_ors_store_job_t      *jobs[NGX_HTTP_ORS_STORED_JOBS];
    ngx_uint_t                njobs;
    ngx_http_ors_stored_pt    step;       /* when the last one is done */

    ngx_ors_record_t          record;
    ngx_ors_listing_t         list;
    ngx_ors_error_t           error;
};


/* ngx_http_ors_stored.c */

/*
 * A job for what has the id, with an entry of each of the kinds; "step" will
 * be called.  One that writes is to be completed, st->jobs has it, and posted
 * by the caller.  Returns what a step does.
 */
ngx_int_t ngx_http_ors_stored_post(ngx_http_ors_stored_t *st,
    ngx_ors_store_op_e op, char *kinds, ngx_http_ors_stored_pt step);

/*
 * Reads the record in the first entry into st->record and takes "step" with
 * it, or refuses the request.  Returns what a step does.
 */
ngx_int_t ngx_http_ors_stored_record(ngx_http_ors_stored_t *st,
    ngx_ors_store_job_t *job, ngx_http_ors_stored_pt step);

/* All three send an error and return what a step does: st->error, */
ngx_int_t ngx_http_ors_stored_refuse(ngx_http_ors_stored_t *st);

/* that there is no such response, */
ngx_int_t ngx_http_ors_stored_absent(ngx_http_ors_stored_t *st);

/* or that the store has failed. */
ngx_int_t ngx_http_ors_stored_failed(ngx_http_ors_stored_t *st,
    ngx_ors_store_status_e status);


/* ngx_http_ors_stored_response.c: first steps */

/* GET responses/{id} */
ngx_int_t ngx_http_ors_stored_retrieve(ngx_http_ors_stored_t *st,
    ngx_ors_store_job_t *job);

/* DELETE responses/{id} */
ngx_int_t ngx_http_ors_stored_delete(ngx_http_ors_stored_t *st,
    ngx_ors_store_job_t *job);

/* POST responses/{id}/cancel */
ngx_int_t ngx_http_ors_stored_cancel(ngx_http_ors_stored_t *st,
    ngx_ors_store_job_t *job);


/* ngx_http_ors_stored_items.c: a first step */

/* GET responses/{id}/input_items */
ngx_int_t ngx_http_ors_stored_items(ngx_http_ors_stored_t *st,
    ngx_ors_store_job_t *job);


#endif /* _NGX_HTTP_ORS_STORED_H_INCLUDED_ */
