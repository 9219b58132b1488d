
/*
 * Items that go to a store and come back from it, with their index.
 */


#ifndef _NGX_ORS_STORED_H_INCLUDED_
#define _NGX_ORS_STORED_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_edit.h>
#include <ngx_ors_error.h>
#include <ngx_ors_names.h>
#include <ngx_ors_input.h>
#include <ngx_ors_json.h>


/*
 * The id of "item", which has one: decoded, borrowed from the text of "index"
 * or, where it was escaped, from json->pool.  "json", which reads the id, may
 * hold any other document.
 *
 * NGX_OK         done; the raw bytes are the inside of a JSON string
 * NGX_DECLINED   they are not, the record is corrupt
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_stored_id(ngx_ors_index_t *index,
    ngx_ors_index_item_t *item, ngx_ors_json_t *json, ngx_str_t *id);

/*
 * Checks an item that was stored against the tables of requests, in their
 * widest profile: another one may have been in force when it was stored, by
 * another version, or in another location.  Values have no limits, so that
 * whatever could be put out can come in.
 *
 * NGX_OK         it is an item
 * NGX_DECLINED   "err" is for the client, 400 with "code" and "param", static
 *                texts, which has been logged
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_stored_check(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node,
    ngx_ors_code_e code, char *param, ngx_pool_t *pool,
    ngx_ors_error_t *err);

#endif /* _NGX_ORS_STORED_H_INCLUDED_ */
