
/*
 * Lists of items with their index, as a record has them.
 */


#ifndef _NGX_ORS_TEST_ITEMS_H_INCLUDED_
#define _NGX_ORS_TEST_ITEMS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_stored.h>


/* the index of "text", which is borrowed; what is no list has no items */

static ngx_inline void
ngx_ors_test_items(ngx_ors_index_t *index, ngx_str_t *text, ngx_pool_t *pool)
{
    ngx_ors_json_t   json;
    ngx_ors_edits_t  none;

    ngx_ors_index_init(index, pool);
    ngx_ors_edits_init(&none, pool);
    ngx_ors_json_init(&json, pool, NGX_ORS_JSON_MAX_DEPTH, text->len);

    index->text = *text;

    if (text->len == 0
        || ngx_ors_json_read(&json, text->data, text->len) != NGX_OK
        || json.nodes->type != ngx_ors_json_array)
    {
        return;
    }

    ngx_ors_input_index_list(index, &json, json.nodes, &none);
}


#endif /* _NGX_ORS_TEST_ITEMS_H_INCLUDED_ */
