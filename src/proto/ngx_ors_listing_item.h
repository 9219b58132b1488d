
/*
 * Items of a list: what clients have sent in short is written in full.
 */


#ifndef _NGX_ORS_LISTING_ITEM_H_INCLUDED_
#define _NGX_ORS_LISTING_ITEM_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_json.h>
#include <ngx_ors_text.h>


/* largest length of a derived id */
#define NGX_ORS_LISTING_ID  128


/*
 * The id of "item": its own, decoded bytes of it are not needed, borrowed
 * from the document; or one derived from its type, its turn and its place
 * there, in "buf", which has room for NGX_ORS_LISTING_ID bytes.  Returns the
 * node of its own or NULL; "*id" is the inside of a JSON string.
 */
ngx_ors_json_node_t *ngx_ors_listing_item_id(ngx_ors_json_t *json,
    ngx_ors_json_node_t *item, ngx_str_t *owner, ngx_uint_t index,
    u_char *buf, ngx_str_t *id);

/*
 * Appends the root of "json", an item, with its type, with "id" and with a
 * status where it has none, its content as parts, and parts with all that
 * they have to have (protocol, section 8).  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_listing_item_render(ngx_ors_json_t *json, ngx_str_t *id,
    ngx_ors_out_t *out);


#endif /* _NGX_ORS_LISTING_ITEM_H_INCLUDED_ */
