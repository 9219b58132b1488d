
/*
 * Differences between the versions of nginx that are supported.
 */


#ifndef _NGX_ORS_COMPAT_H_INCLUDED_
#define _NGX_ORS_COMPAT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <nginx.h>


/*
 * Since 1.23.0 headers of one name are linked; older versions have an array for
 * some.
 *
 * ngx_ors_set_next_header() ends the list at "h".  ngx_ors_header_link() sets
 * a field such as r->headers_out.cache_control, given by its address, to "h"
 * alone: NGX_OK or NGX_ERROR, no memory.
 */

#if (nginx_version >= 1023000)

#define ngx_ors_set_next_header(h)  (h)->next = NULL

#define ngx_ors_header_link(field, h, pool)  (*(field) = (h), NGX_OK)

#else

#define ngx_ors_set_next_header(h)

static ngx_inline ngx_int_t
ngx_ors_header_link(ngx_array_t *field, ngx_table_elt_t *h, ngx_pool_t *pool)
{
    ngx_table_elt_t  **link;

    if (ngx_array_init(field, pool, 1, sizeof(ngx_table_elt_t *)) != NGX_OK) {
        return NGX_ERROR;
    }

    link = ngx_array_push(field);
    *link = h;

    return NGX_OK;
}

#endif


#endif /* _NGX_ORS_COMPAT_H_INCLUDED_ */
