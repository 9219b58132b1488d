
/*
 * Query strings: "a=1&b=2".
 */


#ifndef _NGX_ORS_QUERY_H_INCLUDED_
#define _NGX_ORS_QUERY_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * The value of the first argument "name" of the query string "args",
 * decoded, in memory of "pool".
 *
 * NGX_OK         "*value" is set
 * NGX_DECLINED   there is no such argument, "*value" is empty
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_query_get(ngx_str_t *args, ngx_pool_t *pool, u_char *name,
    size_t len, ngx_str_t *value);

#define ngx_ors_query_find(args, pool, name, value)                           \
    ngx_ors_query_get(args, pool, (u_char *) name, sizeof(name) - 1, value)


#endif /* _NGX_ORS_QUERY_H_INCLUDED_ */
