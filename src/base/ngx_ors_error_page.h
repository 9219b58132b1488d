
/*
 * Errors of the protocol for HTTP statuses of nginx's own.
 */


#ifndef _NGX_ORS_ERROR_PAGE_H_INCLUDED_
#define _NGX_ORS_ERROR_PAGE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>


/*
 * Fills "err" for an HTTP status from 400; "message" is static text that says
 * more than the usual one, or NULL.
 */
void ngx_ors_error_page(ngx_ors_error_t *err, ngx_pool_t *pool,
    ngx_uint_t status, char *message);


#endif /* _NGX_ORS_ERROR_PAGE_H_INCLUDED_ */
