
/*
 * Items that are remembered for the end of a stream that cannot go on: "error",
 * then "response.failed" with the last snapshot and the finished items
 * (protocol, sections 10.4 and 10.5).
 */


#ifndef _NGX_ORS_VERIFY_SEQUENCE_H_INCLUDED_
#define _NGX_ORS_VERIFY_SEQUENCE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_verify.h>


/*
 * Counts bytes that are remembered of items, or that are filled into events.
 * NGX_OK, or NGX_DECLINED: they are over the limit for an answer,
 * verify->error has the reason.
 */
ngx_int_t ngx_ors_verify_terminate_charge(ngx_ors_verify_t *verify,
    size_t size);

/*
 * Remembers an item that is done, "node" with verify->edits, in "*json".
 * NGX_OK, NGX_DECLINED as above, or NGX_ERROR.
 */
ngx_int_t ngx_ors_verify_terminate_item(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *node, ngx_str_t *json);

/*
 * The verification as a user of the reader in ngx_ors_answer.h: each document
 * and event is checked, repaired where that is possible, and refused else.
 */


/*
 * Makes "verify" the user of verify->answer.  The reader's functions return
 *
 * NGX_OK         go on
 * NGX_DONE       the answer is over: "status", "type" and "out" hold what
 *                is left to be sent
 * NGX_ERROR      no memory
 *
 * "status" stays 0 until the client's answer can begin: that of a document
 * when it is whole, that of a stream with its first event or comment.
 */
void ngx_ors_verify_init(ngx_ors_verify_t *verify);

/* As ngx_ors_answer_header(), to be called in its place. */
ngx_int_t ngx_ors_verify_header(ngx_ors_verify_t *verify, ngx_uint_t status,
    ngx_str_t *type, off_t length);

/*
 * The end of the stream, which is held, cannot be stored: the stream fails
 * with "err" in its place.  Returns NGX_DONE or NGX_ERROR.
 */
ngx_int_t ngx_ors_verify_unhold(ngx_ors_verify_t *verify,
    ngx_ors_error_t *err);


#endif /* _NGX_ORS_VERIFY_SEQUENCE_H_INCLUDED_ */
