
/*
 * Keys of a document that no table has: the first of them, and their number.
 */


#ifndef _NGX_ORS_UNKNOWN_H_INCLUDED_
#define _NGX_ORS_UNKNOWN_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_json.h>


#define NGX_ORS_UNKNOWN_MAX  8


/* zeroed memory: none */

typedef struct {
    ngx_uint_t  n;
    uint32_t    keys[NGX_ORS_UNKNOWN_MAX];  /* places among the nodes */
} ngx_ors_unknown_t;


/* Adds "key" of "json". */

static ngx_inline void
ngx_ors_unknown_add(ngx_ors_unknown_t *unknown, ngx_ors_json_t *json,
    ngx_ors_json_node_t *key)
{
    if (unknown->n < NGX_ORS_UNKNOWN_MAX) {
        unknown->keys[unknown->n] = (uint32_t) (key - json->nodes);
    }

    unknown->n++;
}


#endif /* _NGX_ORS_UNKNOWN_H_INCLUDED_ */
