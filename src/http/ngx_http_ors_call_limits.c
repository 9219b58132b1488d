
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * "limit_req" and "limit_conn" in the location of a target: nginx keeps their
 * verdict in the main request and applies no second one in its subrequests.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_call.h>


/* values that both modules have for their variables */
#define NGX_HTTP_ORS_LIMIT_REQ_REJECTED   3
#define NGX_HTTP_ORS_LIMIT_CONN_REJECTED  2


static ngx_uint_t ngx_http_ors_call_worst(ngx_uint_t one, ngx_uint_t other,
    ngx_uint_t rejected);


void
ngx_http_ors_call_limits(ngx_http_ors_call_t *call)
{
    ngx_http_request_t       *r, *main;
    ngx_http_ors_loc_conf_t  *olcf, *mlcf;

    r = call->request;
    main = r->main;

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);
    mlcf = ngx_http_get_module_loc_conf(main, ngx_http_open_responses_module);

    ngx_http_ors_call_limited(call);

    call->limit_req = main->limit_req_status;
    call->limit_conn = main->limit_conn_status;
    call->limited = 0;

    /* a limit that both locations have inherited is one, not charged twice */

    if (olcf->limit_req != mlcf->limit_req) {
        main->limit_req_status = 0;
    }

    if (olcf->limit_conn != mlcf->limit_conn) {
        main->limit_conn_status = 0;
    }
}


void
ngx_http_ors_call_limited(ngx_http_ors_call_t *call)
{
    ngx_http_request_t  *main;

    main = call->request->main;

    call->limited = (main->limit_req_status
                     == NGX_HTTP_ORS_LIMIT_REQ_REJECTED
                     || main->limit_conn_status
                        == NGX_HTTP_ORS_LIMIT_CONN_REJECTED);

    main->limit_req_status =
        ngx_http_ors_call_worst(call->limit_req, main->limit_req_status,
                                NGX_HTTP_ORS_LIMIT_REQ_REJECTED);

    main->limit_conn_status =
        ngx_http_ors_call_worst(call->limit_conn, main->limit_conn_status,
                                NGX_HTTP_ORS_LIMIT_CONN_REJECTED);
}


/*
 * 0: no limit, 1: passed, then delayed, rejected, and the verdicts of a dry
 * run, which do not hold
 */

static ngx_uint_t
ngx_http_ors_call_worst(ngx_uint_t one, ngx_uint_t other, ngx_uint_t rejected)
{
    if (one == rejected || other == rejected) {
        return rejected;
    }

    return ngx_max(one, other);
}


ngx_int_t
ngx_http_ors_phases(ngx_conf_t *cf, ngx_http_handler_pt early,
    ngx_http_handler_pt handler)
{
    ngx_http_handler_pt        *h;
    ngx_http_core_main_conf_t  *cmcf;

    cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);

    h = ngx_array_push(&cmcf->phases[NGX_HTTP_PREACCESS_PHASE].handlers);
    if (h == NULL) {
        return NGX_ERROR;
    }

    *h = early;

    h = ngx_array_push(&cmcf->phases[NGX_HTTP_PRECONTENT_PHASE].handlers);
    if (h == NULL) {
        return NGX_ERROR;
    }

    *h = handler;

    return NGX_OK;
}
