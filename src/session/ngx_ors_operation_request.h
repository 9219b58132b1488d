
/*
 * Which operation on a stored response a request means: its path, its method
 * and its query string (protocol, section 1).
 */


#ifndef _NGX_ORS_OPERATION_REQUEST_H_INCLUDED_
#define _NGX_ORS_OPERATION_REQUEST_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_operation.h>


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


#endif /* _NGX_ORS_OPERATION_REQUEST_H_INCLUDED_ */
