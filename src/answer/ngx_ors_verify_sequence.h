
/*
 * The verification of a stream's order (protocol, section 10.3): each event is
 * checked, numbered and sent on.
 */


#ifndef _NGX_ORS_VERIFY_SEQUENCE_H_INCLUDED_
#define _NGX_ORS_VERIFY_SEQUENCE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_verify_event.h>


/*
 * The next event, verify->answer->sse.data.
 *
 * NGX_OK         it was appended to verify->out, or dropped
 * NGX_DECLINED   the stream cannot go on, verify->error says why: a violation,
 *                or what upstream has reported
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_verify_sequence(ngx_ors_verify_t *verify);

/*
 * Fills a field that is missing in the event: its number, or the status of an
 * item.  As ngx_ors_fill_pt, "data" is the verification.
 */
ngx_int_t ngx_ors_verify_sequence_fill(void *data, const ngx_ors_shape_t *shape,
    ngx_uint_t i, ngx_ors_json_node_t *object, ngx_str_t *text);


#endif /* _NGX_ORS_VERIFY_SEQUENCE_H_INCLUDED_ */
