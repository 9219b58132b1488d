
/*
 * Arguments of a tool call as they come: whether they are whole by now, so
 * that nothing more belongs to the call.
 */


#ifndef _NGX_ORS_ARGUMENTS_H_INCLUDED_
#define _NGX_ORS_ARGUMENTS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_request.h>
#include <ngx_ors_text.h>


/* zeroed memory is the state before the first byte */

typedef struct {
    ngx_uint_t    depth;          /* brackets that are open */
    unsigned      string:1;
    unsigned      escaped:1;      /* after a backslash, in a string */
    unsigned      whole:1;        /* the first bracket has been closed */
    unsigned      other:1;        /* neither object nor array */
} ngx_ors_arguments_t;


/*
 * Looks at the next piece, "raw": the inside of a JSON string, legal by
 * itself.  Brackets are counted and nothing is checked: "whole" is set by
 * the one that closes the first.  Of arguments that do not begin with a
 * bracket the end is never seen.
 */
void ngx_ors_arguments_scan(ngx_ors_arguments_t *args, u_char *raw,
    size_t len);

/* A character of a string of JSON: 0 if it is the quote that ends it. */

static ngx_inline ngx_uint_t
ngx_ors_arguments_quoted(ngx_ors_arguments_t *args, ngx_uint_t ch)
{
    if (args->escaped) {
        args->escaped = 0;
        return 1;
    }

    args->escaped = (ch == '\\');

    return ch != '"';
}


/*
 * Reads the character that a backslash in front of "p" and the bytes from "p"
 * on encode in a legal string.  "*ch" is a byte, or a UTF-16 unit of \uXXXX
 * with NGX_ORS_ARGUMENTS_UNIT added if it is not ASCII; nothing is read if the
 * string ends here.  Returns the position after it.
 */
u_char *ngx_ors_arguments_unescape(u_char *p, u_char *last, ngx_uint_t *ch);

#define NGX_ORS_ARGUMENTS_UNIT  0x10000

/*
 * Sets "plain" to what "text" says, the inside of a JSON string: decoded, "{}"
 * if there is nothing.  Memory comes from "pool".  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_ors_arguments_text(ngx_ors_text_t *text,
    ngx_ors_limits_t *limits, ngx_pool_t *pool, ngx_str_t *plain);

/*
 * Sets "value" to what "text" says, the inside of a JSON string: the JSON in
 * it, on one line; "{}" if there is nothing; the string if it is not JSON,
 * or over a limit.  Memory comes from "pool".  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_ors_arguments_value(ngx_ors_text_t *text,
    ngx_ors_limits_t *limits, ngx_pool_t *pool, ngx_str_t *value);


#endif /* _NGX_ORS_ARGUMENTS_H_INCLUDED_ */
