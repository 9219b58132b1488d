
/*
 * The gate for text of clients, models and stores that leaves outside JSON:
 * in variables, headers and log lines, where a control character would end
 * the line or begin another one.
 */


#ifndef _NGX_ORS_LINE_H_INCLUDED_
#define _NGX_ORS_LINE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/* bytes that one value may have in a line */
#define NGX_ORS_LINE_MAX  256

/* the longest name of a function or a server */
#define NGX_ORS_NAME_MAX  64


/*
 * 1 if "text" may be in a line as it is: UTF-8 without control characters
 * (U+0000 to U+001F, U+007F to U+009F) and without the line and paragraph
 * separators U+2028 and U+2029, which some readers of logs take for a line's
 * end.
 */
ngx_uint_t ngx_ors_line_clean(ngx_str_t *text);

/* 1 if "text" is clean and no longer than NGX_ORS_LINE_MAX. */
ngx_uint_t ngx_ors_line_fits(ngx_str_t *text);

/*
 * Copies "len" bytes to "dst", with "?" in place of each character that may
 * not be in a line; "dst" may be "src".  Returns the end of the copy, which
 * is never longer.
 */
u_char *ngx_ors_line_copy(u_char *dst, u_char *src, size_t len);

/* 1 if "name" can be that of a function or a server: 1 to 64 of A-Za-z0-9_- */
ngx_uint_t ngx_ors_line_name(ngx_str_t *name);


#endif /* _NGX_ORS_LINE_H_INCLUDED_ */
