
/*
 * The verification of one JSON text: a document, or an event of a stream.
 */


#ifndef _NGX_ORS_VERIFY_CHECK_H_INCLUDED_
#define _NGX_ORS_VERIFY_CHECK_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_verify.h>


/* for texts that are made for one answer */
#define NGX_ORS_VERIFY_BLOCK  1024


/* 1 if text "name" is the literal "text" */
#define ngx_ors_verify_named(name, text)                                      \
    ((name)->len == sizeof(text) - 1                                          \
     && ngx_memcmp((name)->data, text, sizeof(text) - 1) == 0)


/*
 * Reads "text" into verify->json and checks it against "shape" as the policy
 * says, a response object beyond it (protocol, section 7).  What is to be
 * stripped, filled in (from the request where it says something, else from
 * the tables) and set back ("model", of the document or of its "response")
 * is in verify->edits, which are emptied before; their texts live until the
 * next call.  Memory is taken once for each field that is filled in, however
 * often it is.
 *
 * NGX_OK         verify->json has the document, to be written with the edits
 * NGX_DECLINED   verify->error says what is wrong with it: 502, "param" is
 *                empty, the message names the place and quotes no values
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_verify_check(ngx_ors_verify_t *verify, ngx_str_t *text,
    const ngx_ors_shape_t *shape);

/*
 * As ngx_ors_verify_check(), but a violation is only put into "err", neither
 * refused nor logged.
 */
ngx_int_t ngx_ors_verify_validate(ngx_ors_verify_t *verify, ngx_str_t *text,
    const ngx_ors_shape_t *shape, ngx_ors_error_t *err);

/*
 * Sets "text" to the names of members that were or would be repaired, in
 * "line", which has NGX_ORS_LINE_MAX bytes; they are names of the tables.
 */
void ngx_ors_verify_places(ngx_ors_verify_t *verify, u_char *line,
    ngx_str_t *text);

/*
 * Sets verify->error to a violation: 502, "code" is static text, the message
 * says why.  The message is logged, so it must hold nothing of the answer but
 * names.  Always returns NGX_DECLINED.
 */
ngx_int_t ngx_ors_verify_found(ngx_ors_verify_t *verify, ngx_ors_code_e code,
    const char *fmt, ...);

/*
 * Sets member "name" of "object" to JSON text "value", which is borrowed, if
 * the object has it.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_ors_verify_set(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *object, char *name, ngx_str_t *value);

/* 1 if "object" has this "status". */
ngx_uint_t ngx_ors_verify_has_status(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *object, char *status);

/* The answer is refused with verify->error, which is logged.  NGX_DECLINED. */
ngx_int_t ngx_ors_verify_refused(ngx_ors_verify_t *verify);


#endif /* _NGX_ORS_VERIFY_CHECK_H_INCLUDED_ */
