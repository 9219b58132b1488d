
/*
 * JSON Schemas for servers that hold a model to them only if they are strict
 * (E29): no property that is not named, and all of them required.
 */


#ifndef _NGX_ORS_CHAT_SCHEMA_H_INCLUDED_
#define _NGX_ORS_CHAT_SCHEMA_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_edit.h>
#include <ngx_ors_json.h>
#include <ngx_ors_text.h>


typedef struct {
    ngx_ors_json_t     *json;       /* borrowed */
    ngx_ors_edits_t     edits;      /* of the schema in hand */
} ngx_ors_chat_schema_t;


/*
 * Prepares to write schemas that are in "json".  Memory will come from
 * "pool".
 */
void ngx_ors_chat_schema_init(ngx_ors_chat_schema_t *cs,
    ngx_ors_json_t *json, ngx_pool_t *pool);

/*
 * Appends schema "node", made strict: each object in it is closed, requires
 * all of its properties, and those that it did not require may be null
 * instead.  What has no place in strict schemas and says no more than what
 * has ("oneOf", "allOf" of one) is put in other words; "default" is left out.
 * All else keeps its bytes, which must live as long as "out".
 *
 * NGX_OK         done
 * NGX_DECLINED   it cannot be said strictly: nothing was appended
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_chat_schema(ngx_ors_chat_schema_t *cs,
    ngx_ors_json_node_t *node, ngx_ors_out_t *out);


#endif /* _NGX_ORS_CHAT_SCHEMA_H_INCLUDED_ */
