
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Lists of MCP tools, a page a line: each tool is found by its name alone, its
 * schema is JSON, and its headers can be sent.
 */


#include "fuzz.h"
#include "fuzz_json.h"
#include <ngx_ors_error.h>
#include <ngx_ors_mcp_list.h>


static ngx_int_t mcp_list_fuzz_page(ngx_ors_mcp_list_t *list,
    ngx_str_t *page);
static void mcp_list_fuzz_tool(ngx_ors_mcp_list_t *list,
    ngx_ors_mcp_tool_t *tool, ngx_pool_t *pool);


int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    ngx_int_t              rc;
    ngx_str_t              page;
    ngx_uint_t             i;
    ngx_pool_t            *pool;
    const uint8_t         *p, *last;
    ngx_ors_mcp_list_t    *list;
    ngx_ors_mcp_tool_t    *tools;
    ngx_ors_mcp_limits_t   limits;

    ngx_ors_mcp_limits_set(&limits, 1024 * 1024);

    limits.pages = 8;
    limits.tools = 16;
    limits.tool = 1000;
    limits.list = 8192;

    list = ngx_ors_mcp_list_create(&limits, ngx_ors_test_log());

    p = input;
    last = input + size;
    rc = NGX_AGAIN;

    while (p < last && rc == NGX_AGAIN) {
        page = fuzz_line(&p, last, LF);
        rc = mcp_list_fuzz_page(list, &page);
    }

    fuzz_check(rc != NGX_ERROR);
    fuzz_check((rc == NGX_DECLINED) == (list->invalid != NULL));
    fuzz_check(list->tools.nelts <= limits.tools);
    fuzz_check(ngx_ors_mcp_list_size(list) <= limits.list);
    fuzz_check(list->cursor.len <= NGX_ORS_MCP_CURSOR_MAX);

    pool = ngx_ors_test_pool();
    tools = list->tools.elts;

    for (i = 0; i < list->tools.nelts; i++) {
        mcp_list_fuzz_tool(list, &tools[i], pool);
    }

    ngx_destroy_pool(pool);
    ngx_ors_mcp_list_release(list);

    return 0;
}


/* a page that is no JSON is the end, as if there were no more pages */

static ngx_int_t
mcp_list_fuzz_page(ngx_ors_mcp_list_t *list, ngx_str_t *page)
{
    u_char          *copy;
    ngx_int_t        rc;
    ngx_pool_t      *pool;
    ngx_ors_json_t   json;

    copy = fuzz_copy(page->data, page->len);
    pool = ngx_ors_test_pool();

    ngx_ors_json_init(&json, pool, 64, 1000);

    rc = ngx_ors_json_read(&json, copy, page->len);

    rc = (rc == NGX_OK)
         ? ngx_ors_mcp_list_page(list, &json, json.nodes, ngx_ors_test_log())
         : NGX_OK;

    ngx_destroy_pool(pool);
    free(copy);

    return rc;
}


static void
mcp_list_fuzz_tool(ngx_ors_mcp_list_t *list, ngx_ors_mcp_tool_t *tool,
    ngx_pool_t *pool)
{
    ngx_uint_t       i;
    ngx_array_t     *headers;
    ngx_keyval_t    *kv;
    ngx_ors_json_t   json;

    fuzz_check(ngx_ors_mcp_list_find(list, &tool->name) == tool);
    fuzz_check(tool->name.len && ngx_ors_line_clean(&tool->name));
    fuzz_check(tool->described || tool->description.len == 0);

    ngx_ors_json_init(&json, pool, 64, 1000);

    fuzz_check(tool->annotations.len == 0
               || ngx_ors_json_read(&json, tool->annotations.data,
                                    tool->annotations.len) == NGX_OK);

    fuzz_check(ngx_ors_json_read(&json, tool->schema.data, tool->schema.len)
               == NGX_OK);
    fuzz_check(json.nodes->type == ngx_ors_json_object);

    /* any object will do as the arguments */

    headers = ngx_array_create(pool, 1, sizeof(ngx_keyval_t));

    fuzz_check(ngx_ors_mcp_params_headers(&tool->params, &json, json.nodes,
                                          headers)
               == NGX_OK);

    kv = headers->elts;

    for (i = 0; i < headers->nelts; i++) {
        fuzz_check(ngx_ors_line_clean(&kv[i].key));
        fuzz_check(ngx_ors_line_clean(&kv[i].value) && kv[i].value.len);
    }
}
