
/*
 * The walk of an instance through the nodes of a schema.
 */


#ifndef _NGX_ORS_JSONSCHEMA_WALK_H_INCLUDED_
#define _NGX_ORS_JSONSCHEMA_WALK_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_jsonschema_node.h>


/*
 * Checks the instance at "at" against "node".  What is evaluated of it is
 * added to "seen", unless that is NULL.
 *
 * NGX_OK         valid
 * NGX_DECLINED   not valid
 * NGX_BUSY       over a limit
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_jsonschema_walk(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen);

/*
 * As ngx_ors_jsonschema_walk() for a node that may fail without a report;
 * "seen" is unchanged then.
 */
ngx_int_t ngx_ors_jsonschema_try(ngx_ors_jsonschema_walk_t *w,
    ngx_ors_jsonschema_node_t *node, ngx_ors_jsonschema_at_t *at,
    ngx_ors_jsonschema_seen_t *seen);

/* Memory that lasts until the check ends; NULL: there is none. */
void *ngx_ors_jsonschema_alloc(ngx_ors_jsonschema_walk_t *w, size_t size);

/* Sets "child" to an element, or to a member whose name is borrowed. */
void ngx_ors_jsonschema_element(ngx_ors_jsonschema_at_t *child,
    ngx_ors_jsonschema_at_t *at, json_t *json, ngx_uint_t i);
void ngx_ors_jsonschema_member(ngx_ors_jsonschema_at_t *child,
    ngx_ors_jsonschema_at_t *at, void *iter);

/* Member or element "i" is evaluated; "seen" may be NULL. */
#define ngx_ors_jsonschema_see(seen, i)                                       \
    if (seen) {                                                               \
        (seen)->bits[(i) >> 3] |= 1 << ((i) & 7);                             \
    }

#define ngx_ors_jsonschema_is_seen(seen, i)                                   \
    ((seen)->bits[(i) >> 3] & (1 << ((i) & 7)))


#endif /* _NGX_ORS_JSONSCHEMA_WALK_H_INCLUDED_ */
