
/*
 * UTF-8 of text that is not ours: where it is good, how to cut it.
 */


#ifndef _NGX_ORS_UTF8_H_INCLUDED_
#define _NGX_ORS_UTF8_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * Looks at the character that begins at "p"; there must be a byte.
 *
 * NGX_OK         "*len" is its length, 1 to 4
 * NGX_AGAIN      good so far, but cut by "last" after "*len" bytes
 * NGX_DECLINED   not UTF-8; "*len" bytes become one replacement character
 *                (a maximal subpart, Unicode 3.9)
 */
ngx_int_t ngx_ors_utf8_char(u_char *p, u_char *last, size_t *len);

/*
 * The length of the longest good beginning, whole characters only.  Long texts
 * are checked by vectors, nothing outside of the text is looked at.
 */
size_t ngx_ors_utf8_valid(u_char *data, size_t len);

/* Code points in good UTF-8. */
size_t ngx_ors_utf8_length(u_char *data, size_t len);

/*
 * The greatest length up to "max" that does not end inside a character.
 * Bytes that are not UTF-8 are cut at "max".
 */
size_t ngx_ors_utf8_cut(u_char *data, size_t len, size_t max);


#endif /* _NGX_ORS_UTF8_H_INCLUDED_ */
