
/*
 * A response object that was stored, as a client gets it later.
 */


#ifndef _NGX_ORS_SNAPSHOT_H_INCLUDED_
#define _NGX_ORS_SNAPSHOT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>
#include <ngx_ors_json.h>
#include <ngx_ors_text.h>


typedef struct {
    ngx_ors_json_t             json;
    ngx_str_t                  id;          /* inside of a JSON string */
    unsigned                   background:1;
} ngx_ors_snapshot_t;


/*
 * Reads "text", a response object, which is borrowed; nodes come from
 * "pool".
 *
 * NGX_OK         done
 * NGX_DECLINED   the text is no response
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_snapshot_read(ngx_ors_snapshot_t *snap, ngx_str_t *text,
    ngx_pool_t *pool);

/*
 * The id of a response object, the inside of a JSON string in "text", which
 * is read only as far as is needed.  Return codes are the same.
 */
ngx_int_t ngx_ors_snapshot_id(ngx_str_t *text, ngx_pool_t *pool,
    ngx_str_t *id);

/*
 * Appends the object as one that has ended: with "error" it has failed, else
 * it was cancelled.  The bytes that stay are referred to.  NGX_OK or
 * NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_snapshot_end(ngx_ors_snapshot_t *snap,
    ngx_ors_error_t *error, ngx_ors_out_t *out);


#endif /* _NGX_ORS_SNAPSHOT_H_INCLUDED_ */
