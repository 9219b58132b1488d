
/*
 * The order of a response's events (notes, section 10.3): one after the other
 * they are checked, counted and sent on.
 */


#ifndef _NGX_ORS_VERIFY_SEQUENCE_H_INCLUDED_
#define _NGX_ORS_VERIFY_SEQUENCE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_verify_event.h>


/*
 * The next event, verify->sse.data.
 *
 * NGX_OK         it was appended to verify->out, or dropped
 * NGX_DECLINED   the stream cannot go on, verify->error says why: a finding,
 *                or what upstream has reported
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_verify_sequence(ngx_ors_verify_t *verify);


#endif /* _NGX_ORS_VERIFY_SEQUENCE_H_INCLUDED_ */
