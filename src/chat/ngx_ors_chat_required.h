
/*
 * "required" of a JSON Schema: which properties it names.
 */


#ifndef _NGX_ORS_CHAT_REQUIRED_H_INCLUDED_
#define _NGX_ORS_CHAT_REQUIRED_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_json.h>
#include <ngx_ors_names.h>


/* zeroed but for "json", "list" and "pool" */

typedef struct {
    ngx_ors_json_t         *json;     /* borrowed */
    ngx_ors_json_node_t    *list;     /* an array, or NULL */
    ngx_ors_json_node_t    *pos;      /* the name that is likely next, */
                                      /* NULL: the first one */
    ngx_ors_names_t         names;    /* all of a long list */
    ngx_pool_t             *pool;
} ngx_ors_chat_required_t;


/*
 * NGX_OK         the list names property "key"
 * NGX_DECLINED   it does not
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_chat_required(ngx_ors_chat_required_t *required,
    ngx_ors_json_node_t *key);


#endif /* _NGX_ORS_CHAT_REQUIRED_H_INCLUDED_ */
