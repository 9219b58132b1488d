
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


#endif /* _NGX_ORS_SAME_H_INCLUDED_ */
