
/*
 * Who may ask for a location: the rules of nginx's other modules, whose
 * configurations are private and known here by how they begin.
 */


#ifndef _NGX_HTTP_ORS_ACCESS_H_INCLUDED_
#define _NGX_HTTP_ORS_ACCESS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>


/*
 * 1 if something in location "clcf" can reject a client: an access rule, an
 * "if" with a "return", or a module of scripts, which may do anything.
 */
ngx_uint_t ngx_http_ors_access_checked(ngx_conf_t *cf,
    ngx_http_core_loc_conf_t *clcf);

/*
 * Access rules that location "target" has and "gateway" has not, a module
 * after another: nginx skips them in subrequests.  "n" is 0 at first.
 * Returns the names of the directives, quoted, static text; NULL at the end.
 */
char *ngx_http_ors_access_skipped(ngx_conf_t *cf, ngx_uint_t *n,
    ngx_http_core_loc_conf_t *target, ngx_http_core_loc_conf_t *gateway);


#endif /* _NGX_HTTP_ORS_ACCESS_H_INCLUDED_ */
