
/*
 * Names of functions as chat servers take them: [A-Za-z0-9_-], 64 at most.
 */


#ifndef _NGX_ORS_TOOL_NAME_H_INCLUDED_
#define _NGX_ORS_TOOL_NAME_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


#define NGX_ORS_TOOL_NAME_MAX  64


/*
 * Sets "sent" to the name upstream of tool "name" of the server "label": both
 * with "__" between them, if that is legal.  Else other bytes become "_", and
 * a hash of the whole is at the end.  Each pair has the same name in every
 * request, and no other pair has it.
 *
 * NGX_OK or NGX_ERROR: no memory in "pool".
 */
ngx_int_t ngx_ors_tool_name(ngx_str_t *label, ngx_str_t *name,
    ngx_pool_t *pool, ngx_str_t *sent);

/*
 * Makes the text from "p" up to "last", which may change, a legal name: other
 * bytes become "_", and one that is too long ends with a hash of what it was.
 * Returns the new end.
 */
u_char *ngx_ors_tool_name_legal(u_char *p, u_char *last);


#endif /* _NGX_ORS_TOOL_NAME_H_INCLUDED_ */
