
/*
 * What differs between the versions of nginx that are supported.
 */


#ifndef _NGX_ORS_COMPAT_H_INCLUDED_
#define _NGX_ORS_COMPAT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <nginx.h>


/* since 1.23.0 headers of one name are linked */

#if (nginx_version >= 1023000)
#define ngx_ors_set_next_header(h)  (h)->next = NULL
#else
#define ngx_ors_set_next_header(h)
#endif


#endif /* _NGX_ORS_COMPAT_H_INCLUDED_ */
