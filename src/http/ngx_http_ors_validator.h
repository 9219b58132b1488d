
/*
 * A validated request: its record, which the request's side, the filter and the
 * statistics share.
 */


#ifndef _NGX_HTTP_ORS_VALIDATOR_H_INCLUDED_
#define _NGX_HTTP_ORS_VALIDATOR_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>


/* how the body of an upstream ends, as the filter watches it */

typedef struct {
    ngx_int_t                     (*init)(void *data);
    ngx_int_t                     (*filter)(void *data, ssize_t bytes);
    ngx_event_pipe_input_filter_pt  pipe_filter;
    void                          (*finalize)(ngx_http_request_t *r,
                                      ngx_int_t rc);
    void                           *ctx;        /* of "init" and "filter" */

    unsigned                        broken:1;   /* the framing of its body */
} ngx_http_ors_upstream_t;


typedef enum {
    ngx_http_ors_validator_st_new = 0,
    ngx_http_ors_validator_st_body,             /* it is read, to be checked */
    ngx_http_ors_validator_st_passed            /* its answer may come */
} ngx_http_ors_validator_state_e;


/* a main request in a location with a validator; lives as long as it does */

typedef struct {
    ngx_http_ors_validator_state_e  state;
    ngx_http_request_t             *request;
    ngx_http_ors_loc_conf_t        *conf;  /* of the location that validators */
    const ngx_ors_endpoint_t       *endpoint;  /* NULL: the path is refused, */
                                               /* or only 101 is */

    ngx_ors_request_t           body;
    ngx_ors_error_t             error;      /* of the request */

    ngx_ors_answer_t            answer;
    ngx_ors_verify_t            verify;
    ngx_ors_out_t               out;        /* the bytes that pass */
    ngx_ors_source_t            source;
    ngx_http_ors_upstream_t     upstream;
    ngx_http_ors_pump_t         pump;

    ngx_uint_t                  version;    /* of the client's HTTP */
    ngx_msec_int_t              first_token;  /* as that of a gateway */
    uint64_t                    own;        /* the same */

    unsigned                    refused:1;  /* the request was */
    unsigned                    held:1;     /* the answer is checked */
    unsigned                    ended:1;    /* ... and has come to its end */
    unsigned                    header_sent:1;
    unsigned                    counted:1;  /* the statistics know its end */
} ngx_http_ors_validator_t;


/*
 * 1 if nginx itself has refused a request before it was known to be one that
 * is validated, as with 413: it is reported as all else is.
 */
ngx_uint_t ngx_http_ors_validator_refused(ngx_http_request_t *r);

/* The record of a main request that is validated, or NULL. */
ngx_http_ors_validator_t *ngx_http_ors_validator_find(ngx_http_request_t *r);

/* Counts a request that a validator has looked at, and what came of it. */
void ngx_http_ors_stats_request(ngx_http_ors_validator_t *vr);

/* Counts a 5xx of nginx itself as the answer to a validated request. */
void ngx_http_ors_stats_failed(ngx_http_ors_validator_t *vr);

/*
 * Counts the upstreams of a validated request that failed before its answer
 * came, when the header of the answer is there.
 */
void ngx_http_ors_stats_upstreams(ngx_http_ors_validator_t *vr);

/* Counts an answer that a validator has looked at, once, when it is over. */
void ngx_http_ors_stats_validator(ngx_http_ors_validator_t *vr);

/*
 * Counts a validated answer that has ended, and the class of the failure that
 * the client has seen; ngx_ors_classes: the client has left.
 */
void ngx_http_ors_metrics_validated(ngx_http_ors_validator_t *vr,
    ngx_ors_class_e class);


#endif /* _NGX_HTTP_ORS_VALIDATOR_H_INCLUDED_ */
