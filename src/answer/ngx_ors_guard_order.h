
/*
 * The order of a response's events (spec, section 10.3): one after the other
 * they are checked, counted and sent on.
 */


#ifndef _NGX_ORS_GUARD_ORDER_H_INCLUDED_
#define _NGX_ORS_GUARD_ORDER_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_guard_event.h>


/*
 * The next event, guard->sse.data.
 *
 * NGX_OK         it was appended to guard->out, or dropped
 * NGX_DECLINED   the stream cannot go on, guard->error says why: a finding,
 *                or what upstream has reported
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_guard_order(ngx_ors_guard_t *guard);


#endif /* _NGX_ORS_GUARD_ORDER_H_INCLUDED_ */
