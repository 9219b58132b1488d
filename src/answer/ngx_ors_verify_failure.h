
/*
 * The validator's part for failures: what upstream answers with an error
 * status, and error documents of ours (spec, section 11).
 */


#ifndef _NGX_ORS_VERIFY_FAILURE_H_INCLUDED_
#define _NGX_ORS_VERIFY_FAILURE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_verify.h>


/*
 * The failure that was gathered is over: an error document as it should be
 * goes on, others, and all under the policy's mask, are replaced by one of
 * ours.  verify->error says what it was.  Returns NGX_DONE or NGX_ERROR.
 */
ngx_int_t ngx_ors_verify_failure(ngx_ors_verify_t *verify);

/*
 * Ends an answer of which nothing was sent: status, type and an error
 * document made of verify->error.  Always returns NGX_DONE.
 */
ngx_int_t ngx_ors_verify_failed(ngx_ors_verify_t *verify);


#endif /* _NGX_ORS_VERIFY_FAILURE_H_INCLUDED_ */
