
/*
 * The life of an answer's items: begun, announced, closed, one after the
 * other.
 */


#ifndef _NGX_ORS_BUILDER_ITEMS_H_INCLUDED_
#define _NGX_ORS_BUILDER_ITEMS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_builder_state.h>


/*
 * Counts "len" more bytes of the answer for its limit.
 *
 * NGX_OK         they may be kept
 * NGX_DECLINED   "err" says that the answer is over its limit
 */
ngx_int_t ngx_ors_builder_grow(ngx_ors_builder_t *builder, size_t len,
    ngx_ors_error_t *err);

/*
 * The first item of the round, or NULL: the items in front of it are of
 * rounds that have ended.
 */
ngx_ors_item_t *ngx_ors_builder_first(ngx_ors_builder_t *builder);

/*
 * A new item, after all others, or after item "after", from the answer's pool.
 * NULL: no memory.
 */
ngx_ors_item_t *ngx_ors_builder_insert(ngx_ors_builder_t *builder,
    ngx_ors_item_type_e type, ngx_ors_item_t *after);
ngx_ors_item_t *ngx_ors_builder_item(ngx_ors_builder_t *builder,
    ngx_ors_item_type_e type);

/*
 * A new part after the others of "item", the last of which is closed.
 * NULL: no memory.
 */
ngx_ors_part_t *ngx_ors_builder_part(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item, ngx_ors_part_type_e type);

/*
 * Closes an item that no client gets, and the model does.  NGX_OK or
 * NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_builder_conceal(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item);

/*
 * Announces the current item as soon as all is known that its first event
 * must tell (R41), and goes on to the next one when it is certain that
 * nothing more belongs to it.  When "ending" is set nothing more comes at
 * all, and every item is closed, up to one that is held.  An item with a
 * hosted part is closed when that says how its tool has ended; what follows
 * it waits.
 *
 * NGX_OK      done
 * NGX_ERROR   no memory
 */
ngx_int_t ngx_ors_builder_advance(ngx_ors_builder_t *builder,
    ngx_uint_t ending);

/*
 * Gives a call an id of ours if upstream's cannot be used, or is that of
 * another call of the response.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_builder_call_id(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item);


#endif /* _NGX_ORS_BUILDER_ITEMS_H_INCLUDED_ */
