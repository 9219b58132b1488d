
/*
 * JSON text from plain text: the escaping of new strings.  What was raw JSON
 * on arrival is appended as it is, by ngx_ors_out_copy() and _ref().
 */


#ifndef _NGX_ORS_JSON_WRITER_H_INCLUDED_
#define _NGX_ORS_JSON_WRITER_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_text.h>


/*
 * Appends "len" bytes of text as the inside of a JSON string, escaped: the
 * quote, the backslash and control characters.  Bytes that are not UTF-8
 * become U+FFFD, so that the result is always legal.
 */
void ngx_ors_json_escape(ngx_ors_out_t *out, u_char *data, size_t len);

/* As ngx_ors_json_escape(), with quotes around the text. */
void ngx_ors_json_quote(ngx_ors_out_t *out, u_char *data, size_t len);

/*
 * Escapes into memory: the first returns the number of bytes that the text
 * takes, the second writes them to "dst" and returns their end.
 */
size_t ngx_ors_json_escape_len(u_char *data, size_t len);
u_char *ngx_ors_json_escape_mem(u_char *dst, u_char *data, size_t len);

/*
 * Sets "escaped", which may be "text", to the text escaped, in memory of
 * "pool".  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_json_escaped(ngx_str_t *text, ngx_pool_t *pool,
    ngx_str_t *escaped);


#endif /* _NGX_ORS_JSON_WRITER_H_INCLUDED_ */
