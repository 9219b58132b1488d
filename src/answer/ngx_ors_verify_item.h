
/*
 * The verification of a stream's output items: each is added, filled by deltas
 * and done (protocol, sections 10.3 and 15, R36 to R48).
 */


#ifndef _NGX_ORS_VERIFY_ITEM_H_INCLUDED_
#define _NGX_ORS_VERIFY_ITEM_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_verify_part.h>


/* items of one response, which are remembered until its end */
#define NGX_ORS_VERIFY_ITEMS  4096


/*
 * An event of an item.
 *
 * NGX_OK         the item is as the event says
 * NGX_DECLINED   it cannot be, verify->error says why
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_verify_item(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev);

/*
 * Compares "output" of a response that is over with the items that were
 * done.  NGX_OK or NGX_DECLINED.
 */
ngx_int_t ngx_ors_verify_item_output(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *output);


#endif /* _NGX_ORS_VERIFY_ITEM_H_INCLUDED_ */
