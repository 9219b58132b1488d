
/*
 * Requests as tests read them: in the tolerant profile, unless a test says
 * another.
 */


#ifndef _NGX_ORS_TEST_REQUEST_H_INCLUDED_
#define _NGX_ORS_TEST_REQUEST_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_request.h>
#include <ngx_ors_test_limits.h>


static ngx_ors_policy_t  ngx_ors_test_policy = {
    NGX_ORS_TOLERANT_SPEC, ngx_ors_unknown_auto, 0, ngx_ors_reasoning_summary,
    ngx_ors_refusal_part, NULL
};


/* reads the body of POST responses, which must be one that can be routed */

static ngx_inline ngx_int_t
ngx_ors_test_request(ngx_ors_request_t *req, ngx_str_t *body,
    ngx_ors_limits_t *limits, ngx_pool_t *pool, ngx_ors_error_t *err)
{
    ngx_int_t  rc;

    ngx_ors_request_init(req, ngx_ors_endpoint(ngx_ors_endpoint_responses),
                         &ngx_ors_test_policy, limits, pool);

    rc = ngx_ors_request_read(req, body, err);

    return (rc == NGX_OK) ? ngx_ors_request_routable(req, err) : rc;
}


#endif /* _NGX_ORS_TEST_REQUEST_H_INCLUDED_ */
