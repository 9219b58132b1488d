
/*
 * The response object (protocol, section 7): 31 fields in every snapshot.
 */


#ifndef _NGX_ORS_RESPONSE_H_INCLUDED_
#define _NGX_ORS_RESPONSE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_item.h>
#include <ngx_ors_journal.h>


typedef enum {
    ngx_ors_response_in_progress = 0,
    ngx_ors_response_completed,
    ngx_ors_response_incomplete,
    ngx_ors_response_failed,
    ngx_ors_response_cancelled
} ngx_ors_response_status_e;


typedef struct {
    int64_t                      input;
    int64_t                      cached;
    int64_t                      output;
    int64_t                      reasoning;
    int64_t                      total;
    unsigned                     known:1;
} ngx_ors_usage_t;


typedef struct {
    ngx_str_t                    id;
    time_t                       created_at;
    time_t                       completed_at;
    ngx_ors_response_status_e    status;

    ngx_ors_request_t           *request;     /* source of the echoes */
    ngx_ors_error_t             *error;       /* when failed */
    ngx_str_t                    reason;      /* when incomplete */
    ngx_str_t                    previous;    /* of a context that came with */
                                              /* the request, or empty */
    ngx_ors_usage_t              usage;

    ngx_ors_item_t              *items;       /* finished ones, and at the */
    ngx_ors_item_t              *last;        /* end the one in progress */
    ngx_uint_t                   nitems;

    ngx_uint_t                   sequence;    /* of the next event */
    ngx_ors_journal_t           *journal;     /* of the events, or NULL */
    ngx_uint_t                   kept;        /* rendered bytes are kept */
                                              /* here: sealed state is in it */
    ngx_uint_t                   open;        /* items in progress are, too */
    ngx_uint_t                   stored;      /* the client's view of */
                                              /* "store" */
    ngx_uint_t                   queued;      /* and of a turn in progress */
                                              /* that is about to begin */

    /* as it was rendered last: where "output" is in "out" */
    size_t                       output;
    size_t                       output_len;

    ngx_ors_index_t             *index;       /* gets the items that are */
                                              /* rendered, or NULL */
} ngx_ors_response_t;


/*
 * Appends the response as a JSON object.  Items that are in progress are
 * left out (C28).  Text of the request is referred to.
 */
void ngx_ors_response_render(ngx_ors_out_t *out, ngx_ors_response_t *resp);

/* Appends the array "output" of it alone.  Returns the number of items. */
ngx_uint_t ngx_ors_response_output(ngx_ors_out_t *out,
    ngx_ors_response_t *resp);

/*
 * Appends the answer to POST responses/compact (protocol, section 12): those of
 * the response's facts that it has.
 */
void ngx_ors_response_compaction(ngx_ors_out_t *out,
    ngx_ors_response_t *resp);

/*
 * Appends the value, and that only, of the field in row "field" of
 * ngx_ors_fields_response as it follows from the request, which was one to
 * POST responses: what it says, else what is meant by saying nothing.
 *
 * NGX_OK         appended
 * NGX_DECLINED   the field does not follow from requests
 */
ngx_int_t ngx_ors_response_field(ngx_ors_out_t *out, ngx_ors_request_t *req,
    ngx_uint_t field);

/* Sets "sum" to what "a" and "b" say, each of which may not be known. */
void ngx_ors_usage_sum(ngx_ors_usage_t *sum, const ngx_ors_usage_t *a,
    const ngx_ors_usage_t *b);

/* Appends the error of a response that failed: its code and its message. */
void ngx_ors_error_brief(ngx_ors_out_t *out, ngx_ors_error_t *err);

/* Appends an error document (protocol, section 11). */
void ngx_ors_error_render(ngx_ors_out_t *out, ngx_ors_error_t *err);


#endif /* _NGX_ORS_RESPONSE_H_INCLUDED_ */
