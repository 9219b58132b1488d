
/*
 * Fields of a request that no table knows and that are not sent on: how many
 * there are, and which.
 */


#ifndef _NGX_ORS_REQUEST_IGNORED_H_INCLUDED_
#define _NGX_ORS_REQUEST_IGNORED_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_request.h>


/*
 * Sets req->nignored, and req->ignored to the paths of the first of them, fit
 * for a header or a log line.  "translated": the request has been written for
 * Chat Completions, where no unknown field has a place unless the policy
 * passes it.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_request_ignore(ngx_ors_request_t *req,
    ngx_uint_t translated);


#endif /* _NGX_ORS_REQUEST_IGNORED_H_INCLUDED_ */
