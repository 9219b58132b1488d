
/*
 * The guard's part for streams of chat completion chunks: each is checked,
 * and the stream ends as it should.
 */


#ifndef _NGX_ORS_GUARD_CHAT_H_INCLUDED_
#define _NGX_ORS_GUARD_CHAT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_guard_event.h>


/*
 * The next chunk, guard->sse.data.
 *
 * NGX_OK         it was appended to guard->out
 * NGX_DECLINED   the stream cannot go on, guard->error says why: a finding,
 *                or what upstream has reported
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_guard_chat(ngx_ors_guard_t *guard);

/*
 * 1 if the stream may end here: by [DONE], with "done", once there was a
 * choice, else once all choices have a reason to end.
 */
ngx_uint_t ngx_ors_guard_chat_ends(ngx_ors_guard_t *guard, ngx_uint_t done);

/* Appends guard->error and [DONE]. */
void ngx_ors_guard_chat_fail(ngx_ors_guard_t *guard);


#endif /* _NGX_ORS_GUARD_CHAT_H_INCLUDED_ */
