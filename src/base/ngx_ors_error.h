
/*
 * The error value: what a client learns of its own mistake or of a failure
 * upstream (protocol, section 11).  Filled where the mistake is found, rendered
 * once, at the edge.
 */


#ifndef _NGX_ORS_ERROR_H_INCLUDED_
#define _NGX_ORS_ERROR_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


typedef struct {
    ngx_uint_t    status;     /* HTTP status, 0: no error */
    ngx_str_t     type;       /* static text */
    ngx_str_t     code;       /* static or pool text, never empty */
    ngx_str_t     message;    /* plain UTF-8, not escaped */
    ngx_str_t     param;      /* path in the request, may be empty */
    ngx_uint_t    retry;      /* ms a client should wait, 0: not known */
} ngx_ors_error_t;


/*
 * Fills "err" for an HTTP "status": the type follows from it.  "code" is
 * static text.  The message is formatted into "pool" as by ngx_sprintf()
 * and cut at 512 bytes between characters.  "param" becomes empty and "retry"
 * 0: they are set after the call.
 *
 * Always returns NGX_DECLINED, the value by which a function says that the
 * error value holds the reason.
 */
ngx_int_t ngx_ors_error_set(ngx_ors_error_t *err, ngx_pool_t *pool,
    ngx_uint_t status, char *code, const char *fmt, ...);

/* bytes that ngx_ors_error_line() writes at most */
#define NGX_ORS_ERROR_LINE  1024

/*
 * Writes "err" for a line of the log: its code, its place and its sentence, in
 * which "a value" replaces what the client has sent.  Returns the end in
 * "buf", NGX_ORS_ERROR_LINE bytes.
 */
u_char *ngx_ors_error_line(u_char *buf, ngx_ors_error_t *err);

/* The error type of the specification for an HTTP status, static text. */
void ngx_ors_error_type(ngx_ors_error_t *err, ngx_uint_t status);


#endif /* _NGX_ORS_ERROR_H_INCLUDED_ */
