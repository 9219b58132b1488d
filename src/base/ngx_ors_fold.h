
/*
 * Names in other letters: readers that match the names of members without
 * regard to case (Go's encoding/json and others) take more characters than
 * A to Z for an ASCII letter.
 */


#ifndef _NGX_ORS_FOLD_H_INCLUDED_
#define _NGX_ORS_FOLD_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * 1 if UTF-8 texts "a" and "b" are the same name to some such reader: ASCII
 * letters without regard to case, and those beyond ASCII that Unicode's
 * simple folding or some language's upper and lower case lead to one of
 * them: U+017F is an "s", U+212A a "k", U+0130 and U+0131 an "i".
 */
ngx_uint_t ngx_ors_fold_equal(const ngx_str_t *a, const ngx_str_t *b);

/*
 * Writes the folding of "text" to "dst", which has room for text->len bytes:
 * equal names have equal foldings.  Returns the end of what was written.
 */
u_char *ngx_ors_fold(u_char *dst, const ngx_str_t *text);

/* 1 if "text" consists of a-z, 0-9 and "_" only: it is its own folding. */
ngx_uint_t ngx_ors_fold_plain(const ngx_str_t *text);


#endif /* _NGX_ORS_FOLD_H_INCLUDED_ */
