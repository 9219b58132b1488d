
/*
 * Headers and arguments of a client that a target gets.
 */


#ifndef _NGX_ORS_FORWARD_H_INCLUDED_
#define _NGX_ORS_FORWARD_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/* headers that a call does without: all but those of a short list, ... */
#define NGX_ORS_FORWARD_BARE      0x1

/* ... and the trace that its request is a part of */
#define NGX_ORS_FORWARD_UNTRACED  0x2


/*
 * Makes the list "to", from "pool", of the headers in "from" that a call may
 * have, without those of "drop".  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_forward_headers(ngx_list_t *from, ngx_list_t *to,
    ngx_uint_t drop, ngx_pool_t *pool);

/*
 * 1 if a header "name" is on that list: it can neither be a key nor say who
 * the client is.  A name may have "_" in the place of "-", as in a variable.
 */
ngx_uint_t ngx_ors_forward_public(ngx_str_t *name);

/*
 * Copies the arguments "from" to "args" without those that are keys.  NGX_OK or
 * NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_forward_args(ngx_str_t *from, ngx_str_t *args,
    ngx_pool_t *pool);

/*
 * Makes "uri" of the path and the arguments for an upstream, as most servers
 * have it.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_forward_uri(const ngx_str_t *path, ngx_str_t *args,
    ngx_pool_t *pool, ngx_str_t *uri);


#endif /* _NGX_ORS_FORWARD_H_INCLUDED_ */
