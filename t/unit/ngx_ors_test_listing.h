
/*
 * What a client asks of a list, from a query string without escapes.
 */


#ifndef _NGX_ORS_TEST_LISTING_H_INCLUDED_
#define _NGX_ORS_TEST_LISTING_H_INCLUDED_


#include <ngx_ors_listing.h>


/* "args" borrows from "query"; of several arguments the last one counts */

static ngx_inline void
ngx_ors_test_listing_args(ngx_str_t *query, ngx_ors_listing_args_t *args)
{
    u_char      *p, *last, *end;
    ngx_str_t   *value;
    ngx_uint_t   i;

    static const ngx_str_t  names[] = {
        ngx_string("order="),
        ngx_string("limit="),
        ngx_string("after="),
        ngx_string("before=")
    };

    ngx_memzero(args, sizeof(ngx_ors_listing_args_t));

    last = query->data + query->len;

    for (p = query->data; p < last; p = end + 1) {

        for (end = p; end < last && *end != '&'; end++) { /* void */ }

        for (i = 0; i < 4; i++) {

            if ((size_t) (end - p) >= names[i].len
                && ngx_memcmp(p, names[i].data, names[i].len) == 0)
            {
                value = &(&args->order)[i];
                value->data = p + names[i].len;
                value->len = end - value->data;
            }
        }
    }
}


#endif /* _NGX_ORS_TEST_LISTING_H_INCLUDED_ */
