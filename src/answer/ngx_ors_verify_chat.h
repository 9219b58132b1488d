
/*
 * The validator's part for streams of chat completion chunks: each is checked,
 * and the stream ends as it should.
 */


#ifndef _NGX_ORS_VERIFY_CHAT_H_INCLUDED_
#define _NGX_ORS_VERIFY_CHAT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_verify_event.h>


/*
 * The next chunk, verify->answer->sse.data.
 *
 * NGX_OK         it was appended to verify->out
 * NGX_DECLINED   the stream cannot go on, verify->error says why: a violation,
 *                or what upstream has reported
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_verify_chat(ngx_ors_verify_t *verify);

/*
 * 1 if the stream may end here: by [DONE], with "done", once there was a
 * choice, else once all choices have a reason to end.
 */
ngx_uint_t ngx_ors_verify_chat_ends(ngx_ors_verify_t *verify, ngx_uint_t done);

/* Appends verify->error and [DONE]. */
void ngx_ors_verify_chat_fail(ngx_ors_verify_t *verify);


#endif /* _NGX_ORS_VERIFY_CHAT_H_INCLUDED_ */
