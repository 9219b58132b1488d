
/*
 * A request whose input grows by the items of a finished round, for the next
 * call of the model.
 */


#ifndef _NGX_ORS_REQUEST_EXTEND_H_INCLUDED_
#define _NGX_ORS_REQUEST_EXTEND_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_request.h>


/*
 * Appends "n" items, a JSON array, to the input: the request is as if the
 * client had sent them, and req->added says how many are not its own.  "items"
 * is taken from and left empty; its pool is that of the request.
 *
 * NGX_OK         done
 * NGX_DECLINED   "err" says which limit was passed
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_request_extend(ngx_ors_request_t *req,
    ngx_ors_out_t *items, ngx_uint_t n, ngx_ors_error_t *err);


#endif /* _NGX_ORS_REQUEST_EXTEND_H_INCLUDED_ */
