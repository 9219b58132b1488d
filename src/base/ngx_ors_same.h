
/*
 * Comparison of texts.
 */


#ifndef _NGX_ORS_SAME_H_INCLUDED_
#define _NGX_ORS_SAME_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/* 1 if "a" and "b" have the same bytes; an empty text may have no data. */

static ngx_inline ngx_uint_t
ngx_ors_same(const ngx_str_t *a, const ngx_str_t *b)
{
    return a->len == b->len
           && (a->len == 0 || ngx_memcmp(a->data, b->data, a->len) == 0);
}


/* 1 if "text" is "name", in any case. */

static ngx_inline ngx_uint_t
ngx_ors_same_case(const ngx_str_t *text, const char *name)
{
    return text->len == ngx_strlen(name)
           && ngx_strncasecmp(text->data, (u_char *) name, text->len) == 0;
}


/*
 * 1 if the "len" bytes at "a" and "b" are the same: for texts of a few bytes,
 * 1 at least, where a call of memcmp() takes longer than what it does.
 */

static ngx_inline ngx_uint_t
ngx_ors_same_bytes(const u_char *a, const u_char *b, size_t len)
{
    size_t    i;
    uint32_t  a4[2], b4[2];
    uint64_t  a8, b8;

    if (len >= 8) {

        /* words, the last of which may overlap the one in front of it */

        for (i = 0; i + 8 < len; i += 8) {
            ngx_memcpy(&a8, a + i, 8);
            ngx_memcpy(&b8, b + i, 8);

            if (a8 != b8) {
                return 0;
            }
        }

        ngx_memcpy(&a8, a + len - 8, 8);
        ngx_memcpy(&b8, b + len - 8, 8);

        return a8 == b8;
    }

    if (len >= 4) {
        ngx_memcpy(&a4[0], a, 4);
        ngx_memcpy(&a4[1], a + len - 4, 4);
        ngx_memcpy(&b4[0], b, 4);
        ngx_memcpy(&b4[1], b + len - 4, 4);

        return a4[0] == b4[0] && a4[1] == b4[1];
    }

    return a[0] == b[0] && a[len / 2] == b[len / 2]
           && a[len - 1] == b[len - 1];
}


#endif /* _NGX_ORS_SAME_H_INCLUDED_ */
