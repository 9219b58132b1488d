
/*
 * The verification of an upstream's error document, and error documents of
 * our own (protocol, section 11).
 */


#ifndef _NGX_ORS_VERIFY_FAILURE_H_INCLUDED_
#define _NGX_ORS_VERIFY_FAILURE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_verify.h>


/*
 * Answers with the upstream's error document "text" if it is valid, and with
 * one of our own if it is not, or under the policy's mask.  "data" is an
 * ngx_ors_verify_t; its "error" is set.  Returns NGX_DONE or NGX_ERROR.
 */
ngx_int_t ngx_ors_verify_failure(void *data, ngx_str_t *text);

/*
 * Sets status and type, and writes an error document with verify->error:
 * nothing of the answer has been sent.  Always returns NGX_DONE.
 */
ngx_int_t ngx_ors_verify_failed(ngx_ors_verify_t *verify);


#endif /* _NGX_ORS_VERIFY_FAILURE_H_INCLUDED_ */
