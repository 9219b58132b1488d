
/*
 * A mistake in a document while it is described: a code, a text, and the
 * path to the value, which is put together on the way back up to the root.
 */


#ifndef _NGX_ORS_VIOLATION_H_INCLUDED_
#define _NGX_ORS_VIOLATION_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>
#include <ngx_ors_json.h>


/* enough for the longest path, the longest text and a quote, in bytes */
#define NGX_ORS_VIOLATION_PATH   512
#define NGX_ORS_VIOLATION_TEXT   1024
#define NGX_ORS_VIOLATION_QUOTE  768


typedef struct {
    ngx_ors_json_t  *json;
    ngx_ors_code_e   code;
    u_char          *last;        /* end of the text */
    u_char          *path;        /* start of the path, it ends the buffer */
    unsigned         listed:1;    /* a list of names has begun */
    unsigned         discreet:1;  /* the found text is not quoted */

    u_char           text_buf[NGX_ORS_VIOLATION_TEXT];
    u_char           path_buf[NGX_ORS_VIOLATION_PATH];
} ngx_ors_violation_t;


/*
 * Prepares for a walk through "json"; costs nothing until there is a mistake.
 * With "discreet" the text says of a value that was found only what it is.
 */
void ngx_ors_violation_init(ngx_ors_violation_t *m, ngx_ors_json_t *json,
    ngx_uint_t discreet);

/*
 * Sets the code, and the text, which is read after the path:
 * "must be ...".  Always returns NGX_DECLINED.
 */
ngx_int_t ngx_ors_violation_set(ngx_ors_violation_t *m, ngx_ors_code_e code,
    const char *fmt, ...);

/* Appends to the text, as ngx_sprintf() does. */
void ngx_ors_violation_add(ngx_ors_violation_t *m, const char *fmt, ...);

/* Appends what was found: ", found string ..." */
void ngx_ors_violation_found(ngx_ors_violation_t *m, ngx_ors_json_node_t *node);

/*
 * Puts the name of a member, or the index of an element, in front of the path.
 */
void ngx_ors_violation_at_name(ngx_ors_violation_t *m, const ngx_str_t *name);
void ngx_ors_violation_at_index(ngx_ors_violation_t *m, ngx_uint_t i);

/*
 * The first 64 characters of a string, decoded, or of a number, without
 * control characters; "buf" has NGX_ORS_VIOLATION_QUOTE bytes.
 */
void ngx_ors_violation_quote(ngx_ors_violation_t *m, ngx_ors_json_node_t *node,
    u_char *buf, ngx_str_t *text);

/*
 * Fills "err": status 400, "param" is the path.  "root" is what the message
 * calls the document when the mistake is not inside of it.
 *
 * NGX_DECLINED   "err" is filled
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_violation_error(ngx_ors_violation_t *m, char *root,
    ngx_pool_t *pool, ngx_ors_error_t *err);


#endif /* _NGX_ORS_VIOLATION_H_INCLUDED_ */
