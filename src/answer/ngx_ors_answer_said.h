
/*
 * A model server's words in an error, for the operator's log.
 */


#ifndef _NGX_ORS_ANSWER_SAID_H_INCLUDED_
#define _NGX_ORS_ANSWER_SAID_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>
#include <ngx_ors_request.h>


/*
 * Copies "text" to "buf", NGX_ORS_LINE_MAX bytes: no quoted text, which may be
 * of a prompt, no long word and none with a prefix of keys, each with "..." in
 * its place.  Returns the end of the copy.
 */
u_char *ngx_ors_answer_said(u_char *buf, ngx_str_t *text);

/*
 * Logs the message of "err", an error that the server has answered with HTTP
 * "status" to "req".  It is called in front of ngx_ors_mask().
 */
void ngx_ors_answer_said_log(ngx_log_t *log, ngx_ors_error_t *err,
    ngx_uint_t status, ngx_ors_request_t *req);

/*
 * The level to log such an answer at: "info" if it is about the request, else
 * "error".  "req" NULL: it has no body.
 */
ngx_uint_t ngx_ors_answer_said_level(ngx_ors_error_t *err, ngx_uint_t status,
    ngx_ors_request_t *req);


#endif /* _NGX_ORS_ANSWER_SAID_H_INCLUDED_ */
