
/*
 * Copyright (C) Open Responses contributors
 */


/* The MCP servers of a request, from its tools to functions. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_builder_items.h>
#include <ngx_ors_item.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_mcp_list.h>
#include <ngx_ors_mcp_use.h>
#include <ngx_ors_hosting.h>


#define NGX_ORS_MCP_USE_BLOCK  4096


static ngx_int_t ngx_ors_mcp_uses_prefixes(ngx_ors_mcp_uses_t *uses,
    ngx_pool_t *pool);
static ngx_int_t ngx_ors_mcp_use_select(ngx_ors_mcp_use_t *use,
    ngx_ors_request_t *req, ngx_ors_hosting_t *hosting, ngx_ors_error_t *err);
static ngx_uint_t ngx_ors_mcp_use_listed_before(ngx_ors_mcp_use_t *use,
    ngx_ors_request_t *req);
static ngx_int_t ngx_ors_mcp_use_value(ngx_ors_mcp_use_t *use,
    ngx_ors_request_t *req, ngx_str_t *value);
static ngx_uint_t ngx_ors_mcp_use_allows(ngx_ors_mcp_use_t *use,
    ngx_ors_mcp_tool_t *tool);
static ngx_int_t ngx_ors_mcp_uses_index(ngx_ors_hosting_t *hosting,
    ngx_pool_t *pool);
static ngx_int_t ngx_ors_mcp_uses_choice(ngx_ors_mcp_uses_t *uses,
    ngx_ors_request_t *req, ngx_ors_error_t *err);
static ngx_int_t ngx_ors_mcp_use_function(ngx_ors_mcp_use_t *use,
    ngx_ors_mcp_tool_t *tool, ngx_ors_tool_t *hosted, ngx_pool_t *pool);


ngx_int_t
ngx_ors_mcp_uses_read(ngx_ors_mcp_uses_t *uses, ngx_ors_request_t *req,
    ngx_ors_hosting_t *hosting, ngx_ors_error_t *err)
{
    ngx_int_t                rc;
    ngx_uint_t               i;
    ngx_ors_request_mcps_t   asked;

    uses->hosting = *hosting;

    rc = ngx_ors_request_mcps(&asked, req, err);

    if (rc != NGX_OK || asked.n == 0) {
        return rc;
    }

    uses->elts = ngx_pcalloc(req->pool, asked.n * sizeof(ngx_ors_mcp_use_t));
    if (uses->elts == NULL) {
        return NGX_ERROR;
    }

    for (i = 0; i < asked.n; i++) {
        uses->elts[i].asked = &asked.elts[i];

        rc = ngx_ors_mcp_use_select(&uses->elts[i], req, hosting, err);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    uses->n = asked.n;
    uses->left = asked.n;
    uses->asked = asked;

    return ngx_ors_mcp_uses_prefixes(uses, req->pool);
}


/* calls of earlier turns have the same names as those of this one */

static ngx_int_t
ngx_ors_mcp_uses_prefixes(ngx_ors_mcp_uses_t *uses, ngx_pool_t *pool)
{
    ngx_uint_t           i;
    ngx_array_t         *prefixes, *servers;
    ngx_keyval_t        *kv;
    ngx_ors_mcp_conf_t  *conf;

    servers = uses->hosting.servers;

    prefixes = ngx_array_create(pool, servers->nelts, sizeof(ngx_keyval_t));
    if (prefixes == NULL) {
        return NGX_ERROR;
    }

    conf = servers->elts;
    kv = prefixes->elts;

    for (i = 0; i < servers->nelts; i++) {
        kv[i].key = conf[i].label;
        kv[i].value = conf[i].prefix;
    }

    prefixes->nelts = servers->nelts;
    uses->hosting.prefixes = prefixes;

    return NGX_OK;
}


/* an address in a request is compared at most, it is never called */

static ngx_int_t
ngx_ors_mcp_use_select(ngx_ors_mcp_use_t *use, ngx_ors_request_t *req,
    ngx_ors_hosting_t *hosting, ngx_ors_error_t *err)
{
    ngx_ors_request_mcp_t  *asked;

    asked = use->asked;
    use->conf = ngx_ors_mcp_conf_find(hosting->servers, &asked->label);

    if (use->conf == NULL) {
        return ngx_ors_request_mcp_refuse(req, asked, "server_label",
                                          ngx_ors_code_unknown_server,
                                          "is not the label of an MCP server "
                                          "that is configured here", err);
    }

    if (asked->connector) {
        return ngx_ors_request_mcp_refuse(req, asked, NULL,
                                          ngx_ors_code_unsupported_value,
                                          "must not name a connector or a "
                                          "tunnel, there are none here", err);
    }

    if (asked->url
        && !ngx_ors_json_equal(&req->json, asked->url, use->conf->url.data,
                               use->conf->url.len))
    {
        return ngx_ors_request_mcp_refuse(req, asked, "server_url",
                                          ngx_ors_code_unknown_server,
                                          "is not the address that is "
                                          "configured for this label", err);
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_mcp_uses_show(ngx_ors_mcp_uses_t *uses, ngx_ors_builder_t *builder)
{
    ngx_uint_t          i;
    ngx_ors_item_t     *item;
    ngx_ors_request_t  *req;
    ngx_ors_mcp_use_t  *use;

    req = builder->resp->request;

    for (i = 0; i < uses->n; i++) {
        use = &uses->elts[i];

        if (ngx_ors_mcp_use_listed_before(use, req)) {
            continue;
        }

        item = ngx_ors_builder_item(builder, ngx_ors_item_list_tools);

        if (item == NULL || ngx_ors_hosted_create(item, req, NULL) != NGX_OK) {
            return NGX_ERROR;
        }

        item->hosted->label = use->conf->label;
        use->item = item;
    }

    return ngx_ors_builder_advance(builder, 0);
}


/* a follow-up has the item of an earlier turn, as OpenAI does it */

static ngx_uint_t
ngx_ors_mcp_use_listed_before(ngx_ors_mcp_use_t *use, ngx_ors_request_t *req)
{
    ngx_str_t             *label;
    ngx_uint_t             i;
    ngx_ors_json_node_t   *node;
    ngx_ors_input_item_t  *in;

    label = &use->conf->label;

    for (i = 0; i < req->input.n; i++) {
        in = &req->input.items[i];

        if (in->kind != ngx_ors_input_mcp_list) {
            continue;
        }

        node = ngx_ors_input_get(in, "server_label");

        if (ngx_ors_json_equal(in->json, node, label->data, label->len)) {
            return 1;
        }
    }

    return 0;
}


ngx_int_t
ngx_ors_mcp_uses_listed(ngx_ors_mcp_uses_t *uses, ngx_ors_mcp_use_t *use,
    ngx_ors_builder_t *builder, ngx_ors_mcp_list_t *list)
{
    ngx_int_t          rc;
    ngx_ors_hosted_t  *hosted;

    static ngx_str_t  failed = ngx_string("The list of tools could not be "
                                          "read.");

    use->list = list;
    use->ended = 1;

    uses->left--;

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, builder->log, 0,
                   "ors mcp: list read:%d, %ui more are to be read",
                   list != NULL, uses->left);

    if (use->item == NULL) {
        return NGX_OK;
    }

    hosted = use->item->hosted;

    hosted->ended = list ? ngx_ors_item_completed : ngx_ors_item_failed;

    rc = list ? ngx_ors_mcp_use_value(use, builder->resp->request,
                                      &hosted->value)
              : ngx_ors_hosted_error(hosted, builder->pool,
                                     ngx_ors_hosted_list_error, 0, &failed);

    return (rc == NGX_OK) ? ngx_ors_builder_advance(builder, 0) : NGX_ERROR;
}


/* the tools of the item, which are those that may be called */

static ngx_int_t
ngx_ors_mcp_use_value(ngx_ors_mcp_use_t *use, ngx_ors_request_t *req,
    ngx_str_t *value)
{
    ngx_uint_t           i, n;
    ngx_ors_out_t        out;
    ngx_ors_mcp_tool_t  *tool;

    ngx_ors_out_init(&out, req->pool, NGX_ORS_MCP_USE_BLOCK);
    ngx_ors_out_lit(&out, "[");

    n = 0;
    tool = use->list->tools.elts;

    for (i = 0; i < use->list->tools.nelts; i++) {

        if (!ngx_ors_mcp_use_allows(use, &tool[i])) {
            continue;
        }

        if (n++) {
            ngx_ors_out_lit(&out, ",");
        }

        ngx_ors_mcp_tool_put(&out, &tool[i]);
    }

    ngx_ors_out_lit(&out, "]");

    return ngx_ors_out_text(&out, value);
}


/* both the operator and the client have a say */

static ngx_uint_t
ngx_ors_mcp_use_allows(ngx_ors_mcp_use_t *use, ngx_ors_mcp_tool_t *tool)
{
    return ngx_ors_mcp_selected(&use->conf->allowed, tool)
           && ngx_ors_request_mcp_allows(use->asked, &tool->name,
                                         tool->read_only);
}


ngx_int_t
ngx_ors_mcp_uses_functions(ngx_ors_mcp_uses_t *uses, ngx_ors_request_t *req,
    ngx_ors_error_t *err)
{
    ngx_uint_t           i, n;
    ngx_array_t         *tools;
    ngx_ors_tool_t      *hosted;
    ngx_ors_mcp_use_t   *use;
    ngx_ors_mcp_tool_t  *tool;

    n = uses->hosting.tools ? uses->hosting.tools->nelts : 0;

    tools = ngx_array_create(req->pool, n + 16, sizeof(ngx_ors_tool_t));
    if (tools == NULL) {
        return NGX_ERROR;
    }

    if (n) {
        tools->nelts = n;
        ngx_memcpy(tools->elts, uses->hosting.tools->elts,
                   n * sizeof(ngx_ors_tool_t));
    }

    uses->hosting.tools = tools;

    for (use = uses->elts; use < uses->elts + uses->n; use++) {

        tool = use->list ? use->list->tools.elts : NULL;

        for (i = 0; tool && i < use->list->tools.nelts; i++) {

            if (!ngx_ors_mcp_use_allows(use, &tool[i])
                || ngx_ors_request_mcp_excluded(use->asked, &tool[i].name))
            {
                continue;
            }

            hosted = ngx_array_push(tools);

            if (hosted == NULL
                || ngx_ors_mcp_use_function(use, &tool[i], hosted, req->pool)
                   != NGX_OK)
            {
                return NGX_ERROR;
            }
        }
    }

    if (ngx_ors_mcp_uses_index(&uses->hosting, req->pool) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_ors_mcp_uses_choice(uses, req, err);
}


static ngx_int_t
ngx_ors_mcp_uses_index(ngx_ors_hosting_t *hosting, ngx_pool_t *pool)
{
    ngx_uint_t       i;
    ngx_ors_name_t  *name;
    ngx_ors_tool_t  *tool;

    hosting->names = ngx_pcalloc(pool, sizeof(ngx_ors_names_t));
    if (hosting->names == NULL) {
        return NGX_ERROR;
    }

    tool = hosting->tools->elts;

    /* of two tools with one name the first one counts */

    for (i = hosting->tools->nelts; i-- > 0; /* void */ ) {

        name = ngx_ors_names_entry(hosting->names, pool, &tool[i].name);
        if (name == NULL) {
            return NGX_ERROR;
        }

        name->value = i;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_mcp_uses_choice(ngx_ors_mcp_uses_t *uses, ngx_ors_request_t *req,
    ngx_ors_error_t *err)
{
    ngx_int_t             rc;
    ngx_ors_mcp_choice_t  choice;

    rc = ngx_ors_request_mcp_choice(&choice, &uses->asked, req, err);

    if (rc != NGX_OK || choice.server == NULL) {
        return rc;
    }

    if (choice.name.len == 0) {
        uses->hosting.required = 1;
        return NGX_OK;
    }

    rc = ngx_ors_mcp_function_find(&uses->hosting, &choice.server->label,
                                   &choice.name, req->pool,
                                   &uses->hosting.forced);

    if (rc != NGX_OK || uses->hosting.forced) {
        return rc;
    }

    (void) ngx_ors_error_set(err, req->pool, ngx_ors_code_invalid_value,
                             "\"tool_choice.name\" is not the name of a tool "
                             "that the MCP server has here");
    ngx_str_set(&err->param, "tool_choice.name");

    return NGX_DECLINED;
}


/* the call of the function is hidden, the item of the server's tool is not */

static ngx_int_t
ngx_ors_mcp_use_function(ngx_ors_mcp_use_t *use, ngx_ors_mcp_tool_t *tool,
    ngx_ors_tool_t *hosted, ngx_pool_t *pool)
{
    ngx_ors_out_t            out;
    ngx_ors_mcp_function_t  *function;

    ngx_memzero(hosted, sizeof(ngx_ors_tool_t));

    function = ngx_palloc(pool, sizeof(ngx_ors_mcp_function_t));

    if (function == NULL
        || ngx_ors_json_escaped(&tool->name, pool, &function->name) != NGX_OK
        || ngx_ors_tool_name(&use->conf->prefix, &tool->name, pool,
                             &hosted->name)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    function->use = use;
    function->tool = tool;

    hosted->mcp = function;
    hosted->hidden = 1;
    hosted->parameters = tool->schema;

    ngx_ors_out_init(&out, pool, NGX_ORS_MCP_USE_BLOCK);
    ngx_ors_out_lit(&out, "{\"type\":\"function\",\"function\":");
    ngx_ors_mcp_tool_function(&out, tool, &hosted->name);
    ngx_ors_out_lit(&out, "}");

    return ngx_ors_out_text(&out, &hosted->function);
}


ngx_int_t
ngx_ors_mcp_function_find(ngx_ors_hosting_t *hosting, ngx_str_t *label,
    ngx_str_t *name, ngx_pool_t *pool, ngx_ors_tool_t **tool)
{
    ngx_str_t            sent;
    ngx_ors_mcp_conf_t  *conf;

    *tool = NULL;
    conf = ngx_ors_mcp_conf_find(hosting->servers, label);

    if (conf == NULL) {
        return NGX_OK;
    }

    if (ngx_ors_tool_name(&conf->prefix, name, pool, &sent) != NGX_OK) {
        return NGX_ERROR;
    }

    *tool = ngx_ors_hosting_find(hosting, &sent);

    if (*tool && (*tool)->mcp == NULL) {
        *tool = NULL;
    }

    return NGX_OK;
}


ngx_uint_t
ngx_ors_mcp_function_asks(ngx_ors_mcp_function_t *function)
{
    ngx_ors_mcp_use_t      *use;
    ngx_ors_mcp_tool_t     *tool;
    ngx_ors_mcp_consent_e   consent;

    use = function->use;
    tool = function->tool;
    consent = ngx_ors_mcp_consent(use->conf, tool);

    if (consent == ngx_ors_mcp_consent_always) {
        return 1;
    }

    /* without a word of either side a call needs one, as at OpenAI */

    return ngx_ors_request_mcp_asks(use->asked, &tool->name, tool->read_only,
                                    consent == ngx_ors_mcp_consent_client);
}
