
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The tools of a request by the names that their functions have upstream, and
 * definitions of hosted tools.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_content.h>
#include <ngx_ors_chat_tools.h>
#include <ngx_ors_item.h>


/* values in a definition: a schema of its greatest length has fewer */
#define NGX_ORS_CHAT_HOSTED_NODES  NGX_ORS_CHAT_HOSTED_MAX


typedef struct {
    ngx_ors_request_t             *req;
    const ngx_ors_chat_options_t  *options;
    ngx_ors_hosting_t             *hosting;
    ngx_ors_error_t               *err;

    ngx_array_t                    found;     /* of ngx_ors_chat_tool_t */

    /* the place of the tools in hand */
    ngx_ors_json_t                *json;
    ngx_int_t                      item;      /* of the input, -1: none */
    ngx_uint_t                     n;         /* in its list */
    ngx_ors_json_node_t           *space;     /* namespace, NULL: none */
    ngx_uint_t                     inner;     /* 1: in a namespace */
} ngx_ors_chat_reader_t;


static ngx_int_t ngx_ors_chat_tools_items(ngx_ors_chat_reader_t *cr);
static ngx_int_t ngx_ors_chat_tools_list(ngx_ors_chat_reader_t *cr,
    ngx_ors_json_node_t *list);
static ngx_int_t ngx_ors_chat_tools_add(ngx_ors_chat_reader_t *cr,
    ngx_ors_json_node_t *node);
static ngx_int_t ngx_ors_chat_tools_host(ngx_ors_chat_reader_t *cr,
    ngx_ors_chat_tool_t *tool);
static ngx_int_t ngx_ors_chat_tools_defined(ngx_ors_chat_reader_t *cr,
    ngx_ors_tool_t *hosted);
static ngx_int_t ngx_ors_chat_tools_other(ngx_ors_chat_reader_t *cr,
    ngx_ors_json_node_t *node, ngx_ors_json_node_t *type);
static ngx_int_t ngx_ors_chat_tools_unserved(ngx_ors_chat_reader_t *cr,
    ngx_str_t *name);
static ngx_int_t ngx_ors_chat_tools_refuse(ngx_ors_chat_reader_t *cr,
    ngx_ors_code_e code, char *member, ngx_str_t *value, char *text);
static ngx_ors_chat_tool_t *ngx_ors_chat_tools_push(ngx_ors_chat_reader_t *cr,
    ngx_ors_json_node_t *node, ngx_ors_chat_tool_e kind);
static ngx_int_t ngx_ors_chat_tools_index(ngx_ors_chat_tools_t *tools,
    ngx_pool_t *pool);
static ngx_int_t ngx_ors_chat_hosted_check(ngx_ors_tool_t *hosted,
    ngx_ors_json_t *json, ngx_pool_t *pool, ngx_ors_error_t *err);
static ngx_int_t ngx_ors_chat_hosted_write(ngx_ors_tool_t *hosted,
    ngx_ors_json_t *json, ngx_pool_t *pool);


static const ngx_str_t  ngx_ors_chat_hosted_names[] = {
    ngx_string("type"),
    ngx_string("name"),
    ngx_string("description"),
    ngx_string("parameters"),
    ngx_null_string
};


ngx_int_t
ngx_ors_chat_tools_read(ngx_ors_chat_tools_t *tools, ngx_ors_request_t *req,
    ngx_ors_chat_target_t *target, ngx_ors_error_t *err)
{
    ngx_int_t               rc;
    ngx_uint_t              i;
    ngx_array_t            *hosted;
    ngx_ors_tool_t         *tool;
    ngx_ors_json_node_t    *list;
    ngx_ors_chat_reader_t   cr;

    ngx_memzero(tools, sizeof(ngx_ors_chat_tools_t));
    ngx_memzero(&cr, sizeof(ngx_ors_chat_reader_t));

    cr.req = req;
    cr.options = target->options;
    cr.hosting = target->hosting;
    cr.err = err;
    cr.json = &req->json;
    cr.item = -1;

    req->unserved.n = 0;

    list = req->field[ngx_ors_rq_tools];

    if (ngx_array_init(&cr.found, req->pool, list ? list->count + 1 : 1,
                       sizeof(ngx_ors_chat_tool_t))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    rc = ngx_ors_chat_tools_list(&cr, list);

    if (rc == NGX_OK && (req->policy->profile & NGX_ORS_IN_OPENAI)) {
        rc = ngx_ors_chat_tools_items(&cr);
    }

    /* tools that each request shows to the model */

    hosted = cr.hosting ? cr.hosting->tools : NULL;
    tool = hosted ? hosted->elts : NULL;

    for (i = 0; rc == NGX_OK && hosted && i < hosted->nelts; i++) {

        if (tool[i].function.len && tool[i].type == ngx_ors_hosted_type_none) {
            rc = ngx_ors_chat_tools_defined(&cr, &tool[i]);
        }
    }

    if (rc != NGX_OK) {
        return rc;
    }

    tools->elts = cr.found.elts;
    tools->n = cr.found.nelts;

    return tools->n ? ngx_ors_chat_tools_index(tools, req->pool) : NGX_OK;
}


/* the tools that come as input, and those that were searched for */

static ngx_int_t
ngx_ors_chat_tools_items(ngx_ors_chat_reader_t *cr)
{
    ngx_int_t              rc;
    ngx_uint_t             i;
    ngx_ors_input_item_t  *item;

    for (i = 0; i < cr->req->input.n; i++) {
        item = &cr->req->input.items[i];

        if (item->kind != ngx_ors_input_tools
            && item->kind != ngx_ors_input_search_output)
        {
            continue;
        }

        cr->n = 0;
        cr->item = i;
        cr->json = item->json;

        rc = ngx_ors_chat_tools_list(cr, ngx_ors_input_node(item,
                                                            item->tools));

        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_chat_tools_list(ngx_ors_chat_reader_t *cr, ngx_ors_json_node_t *list)
{
    ngx_int_t             rc;
    ngx_ors_json_node_t  *node;

    for (node = ngx_ors_json_first(cr->json, list);
         node;
         node = ngx_ors_json_next(cr->json, node))
    {
        rc = ngx_ors_chat_tools_add(cr, node);

        if (rc != NGX_OK) {
            return rc;
        }

        cr->n += !cr->inner;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_chat_tools_add(ngx_ors_chat_reader_t *cr, ngx_ors_json_node_t *node)
{
    ngx_int_t             rc;
    ngx_ors_json_t       *json;
    ngx_ors_chat_tool_t  *tool;
    ngx_ors_chat_tool_e   kind;
    ngx_ors_json_node_t  *type, *name;

    json = cr->json;

    type = ngx_ors_json_find(json, node, "type");

    if (ngx_ors_json_is(json, type, "function")) {
        kind = ngx_ors_chat_tool_function;
        node = ngx_ors_request_function(cr->req, json, node);

    } else if (!(cr->req->policy->profile & NGX_ORS_IN_OPENAI)) {
        return ngx_ors_chat_tools_other(cr, node, type);

    } else if (ngx_ors_json_is(json, type, "custom")) {
        kind = ngx_ors_chat_tool_custom;

    } else if (ngx_ors_json_is(json, type, "namespace")) {

        /* functions and custom tools, and no others */

        name = ngx_ors_json_find(json, node, "name");

        cr->space = (name && name->type == ngx_ors_json_string) ? name : NULL;
        cr->inner = 1;

        rc = ngx_ors_chat_tools_list(cr, ngx_ors_chat_get(json, node,
                                                          "tools"));
        cr->space = NULL;
        cr->inner = 0;

        return rc;

    } else if (ngx_ors_json_is(json, type, "tool_search")
               && ngx_ors_json_is(json, ngx_ors_json_find(json, node,
                                                          "execution"),
                                  "client"))
    {
        tool = ngx_ors_chat_tools_push(cr, node, ngx_ors_chat_tool_search);
        if (tool == NULL) {
            return NGX_ERROR;
        }

        ngx_str_set(&tool->name, NGX_ORS_CHAT_SEARCH);
        tool->sent = tool->name;

        return NGX_OK;

    } else {
        return ngx_ors_chat_tools_other(cr, node, type);
    }

    name = ngx_ors_json_find(json, node, "name");

    /* a tool without a name cannot be called, whoever has stored it */

    if (name == NULL || name->type != ngx_ors_json_string) {
        return ngx_ors_chat_tools_other(cr, node, type);
    }

    tool = ngx_ors_chat_tools_push(cr, node, kind);
    if (tool == NULL) {
        return NGX_ERROR;
    }

    ngx_ors_json_raw(json, name, &tool->name);

    if (ngx_ors_chat_tools_name(json, cr->space, name, cr->req->pool,
                                &tool->sent)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_ors_chat_tools_host(cr, tool);
}


/* the client's function may be one that runs here: it is never shadowed */

static ngx_int_t
ngx_ors_chat_tools_host(ngx_ors_chat_reader_t *cr, ngx_ors_chat_tool_t *tool)
{
    ngx_ors_tool_t  *hosted;

    hosted = ngx_ors_hosting_find(cr->hosting, &tool->sent);

    if (hosted == NULL
        || (hosted->type != ngx_ors_hosted_type_none
            && ngx_ors_hosted_type_asked(cr->req, hosted) == NULL))
    {
        return NGX_OK;
    }

    if (hosted->function.len == 0) {

        if (tool->kind == ngx_ors_chat_tool_function && tool->space.len == 0) {
            tool->hosted = hosted;
        }

        return NGX_OK;
    }

    return ngx_ors_chat_tools_refuse(cr, ngx_ors_code_invalid_value, ".name",
                                     &hosted->name,
                                     "the name of a tool that this server "
                                     "itself has");
}


/* one that has a definition here */

static ngx_int_t
ngx_ors_chat_tools_defined(ngx_ors_chat_reader_t *cr, ngx_ors_tool_t *hosted)
{
    ngx_ors_chat_tool_t  *tool;

    tool = ngx_ors_chat_tools_push(cr, NULL, ngx_ors_chat_tool_function);
    if (tool == NULL) {
        return NGX_ERROR;
    }

    tool->name = hosted->name;
    tool->sent = hosted->name;
    tool->hosted = hosted;

    return NGX_OK;
}


/* most chat servers have no such tool; what this one has, its operator says */

static ngx_int_t
ngx_ors_chat_tools_other(ngx_ors_chat_reader_t *cr, ngx_ors_json_node_t *node,
    ngx_ors_json_node_t *type)
{
    ngx_str_t                   name;
    ngx_ors_tool_t             *hosted;
    ngx_ors_chat_tool_t        *tool;
    const ngx_ors_chat_type_t  *rule;

    /* a server that is called from here: its functions are hosted ones */

    if (cr->hosting && cr->hosting->servers && cr->item < 0
        && ngx_ors_json_is(cr->json, type, "mcp"))
    {
        return NGX_OK;
    }

    hosted = ngx_ors_hosted_type_find(cr->hosting, cr->json, type);

    if (hosted && cr->item < 0) {
        return ngx_ors_chat_tools_defined(cr, hosted);
    }

    if (ngx_ors_chat_type(cr->options, cr->json, type, cr->req->pool,
                          &rule)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_ors_json_raw(cr->json, type, &name);

    switch (rule->action) {

    case ngx_ors_chat_type_unset:

        if ((cr->req->policy->profile & NGX_ORS_IN_STRICT)
            && ngx_strlchr(name.data, name.data + name.len, ':'))
        {
            return ngx_ors_chat_tools_unserved(cr, &name);
        }

        /* fall through */

    case ngx_ors_chat_type_skip:

        /* tools of stored items have been named when they came */

        if (type && cr->json == &cr->req->json) {
            ngx_ors_unknown_add(&cr->req->unserved, cr->json, type - 1);
        }

        return NGX_OK;

    case ngx_ors_chat_type_reject:
        return ngx_ors_chat_tools_refuse(cr, ngx_ors_code_unsupported_value,
                                         ".type", &name,
                                         "a type of tools that this model "
                                         "server does not have");

    case ngx_ors_chat_type_send:
        break;
    }

    tool = ngx_ors_chat_tools_push(cr, node, ngx_ors_chat_tool_other);
    if (tool == NULL) {
        return NGX_ERROR;
    }

    /* JSON cannot be the name of a function: equal tools are one */

    tool->sent = rule->json;

    return NGX_OK;
}


/* an extension that nobody here has: other types are refused by the tables */

static ngx_int_t
ngx_ors_chat_tools_unserved(ngx_ors_chat_reader_t *cr, ngx_str_t *name)
{
    u_char        *p, *last, text[NGX_ORS_LINE_MAX];
    ngx_uint_t     i;
    ngx_array_t   *types;
    ngx_keyval_t  *type;

    types = cr->req->policy->types;
    type = types ? types->elts : NULL;

    last = text + sizeof(text) - 1;
    p = ngx_slprintf(text, last, "a type of tools that nothing here serves");

    for (i = 0; types && i < types->nelts; i++) {
        p = ngx_slprintf(p, last, "%s\"%V\"",
                         i ? ", " : "; there are functions and ", &type[i].key);
    }

    *p = '\0';

    return ngx_ors_chat_tools_refuse(cr, ngx_ors_code_unsupported_value,
                                     ".type", name, (char *) text);
}


/* "value" is that of "member" of the tool in hand, "text" says of whom */

static ngx_int_t
ngx_ors_chat_tools_refuse(ngx_ors_chat_reader_t *cr, ngx_ors_code_e code,
    char *member, ngx_str_t *value, char *text)
{
    u_char     *p;
    ngx_str_t   param;

    p = ngx_pnalloc(cr->req->pool, sizeof("input[].tools[]")
                                   + ngx_strlen(member) + 2 * NGX_INT_T_LEN);
    if (p == NULL) {
        return NGX_ERROR;
    }

    param.data = p;

    if (cr->item >= 0) {
        p = ngx_sprintf(p, "input[%i].", cr->item);
    }

    param.len = ngx_sprintf(p, "tools[%ui]%s", cr->n, member) - param.data;

    ngx_ors_error_set(cr->err, cr->req->pool, code, "\"%V\" is \"%V\", %s",
                      &param, value, text);
    cr->err->param = param;

    return NGX_DECLINED;
}


/* NULL: no memory */

static ngx_ors_chat_tool_t *
ngx_ors_chat_tools_push(ngx_ors_chat_reader_t *cr, ngx_ors_json_node_t *node,
    ngx_ors_chat_tool_e kind)
{
    ngx_ors_chat_tool_t  *tool;

    tool = ngx_array_push(&cr->found);
    if (tool == NULL) {
        return NULL;
    }

    ngx_memzero(tool, sizeof(ngx_ors_chat_tool_t));

    tool->kind = kind;
    tool->json = cr->json;
    tool->node = node;

    if (cr->space) {
        ngx_ors_json_raw(cr->json, cr->space, &tool->space);
    }

    return tool;
}


/* leaves the first one of each name */

static ngx_int_t
ngx_ors_chat_tools_index(ngx_ors_chat_tools_t *tools, ngx_pool_t *pool)
{
    ngx_uint_t            i, n;
    ngx_ors_name_t       *entry;
    ngx_ors_chat_tool_t  *tool;

    if (ngx_ors_names_reserve(&tools->index, pool, tools->n) != NGX_OK) {
        return NGX_ERROR;
    }

    n = 0;

    for (i = 0; i < tools->n; i++) {
        tool = &tools->elts[i];

        entry = ngx_ors_names_entry(&tools->index, pool, &tool->sent);
        if (entry == NULL) {
            return NGX_ERROR;
        }

        if (tool->kind == ngx_ors_chat_tool_other) {
            tools->others = 1;
        }

        if (entry->value == 0) {
            tools->elts[n] = *tool;
            entry->value = ++n;
        }
    }

    tools->n = n;

    return NGX_OK;
}


ngx_ors_chat_tool_t *
ngx_ors_chat_tools_sent(ngx_ors_chat_tools_t *tools, ngx_str_t *name)
{
    ngx_ors_name_t       *entry;
    ngx_ors_chat_tool_t  *tool;

    entry = ngx_ors_names_find(&tools->index, name);

    if (entry == NULL) {
        return NULL;
    }

    tool = &tools->elts[entry->value - 1];

    return (tool->kind == ngx_ors_chat_tool_other) ? NULL : tool;
}


ngx_int_t
ngx_ors_chat_tools_name(ngx_ors_json_t *json, ngx_ors_json_node_t *space,
    ngx_ors_json_node_t *name, ngx_pool_t *pool, ngx_str_t *sent)
{
    size_t       len;
    u_char      *p, *last, *child;
    ngx_uint_t   n;

    len = (name ? name->len : 0) + (space ? space->len : 0) + sizeof("__") - 1;

    p = ngx_pnalloc(pool, len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    child = p;

    if (space) {
        child = ngx_ors_json_decode(json, space, p);

        for (n = 0; n < 2 && child - n > p && *(child - n - 1) == '_'; n++) {
            /* void */
        }

        child = ngx_cpymem(child, "__", 2 - n);
    }

    last = ngx_ors_json_decode(json, name, child);

    /* the name may begin with its namespace */

    if (last - child > child - p && ngx_memcmp(child, p, child - p) == 0) {
        p = child;
    }

    sent->data = p;
    sent->len = ngx_ors_tool_name_legal(p, last) - p;

    return NGX_OK;
}


/* The definition of a hosted tool, checked and written as a chat function. */


ngx_int_t
ngx_ors_chat_hosted_define(ngx_ors_tool_t *hosted, ngx_str_t *text,
    ngx_pool_t *pool, ngx_ors_error_t *err)
{
    u_char          *last, buf[NGX_ORS_JSON_REASON];
    ngx_int_t        rc;
    ngx_ors_json_t   json;

    ngx_ors_json_init(&json, pool, NGX_ORS_JSON_MAX_DEPTH,
                      NGX_ORS_CHAT_HOSTED_NODES);

    rc = ngx_ors_json_read(&json, text->data, text->len);

    if (rc == NGX_DECLINED) {
        last = ngx_ors_json_reason(&json, buf);

        return ngx_ors_error_set(err, pool, ngx_ors_code_invalid_json,
                                 "it %*s", (size_t) (last - buf), buf);
    }

    if (rc == NGX_OK) {
        rc = ngx_ors_chat_hosted_check(hosted, &json, pool, err);
    }

    return (rc == NGX_OK) ? ngx_ors_chat_hosted_write(hosted, &json, pool)
                          : rc;
}


static ngx_int_t
ngx_ors_chat_hosted_check(ngx_ors_tool_t *hosted, ngx_ors_json_t *json,
    ngx_pool_t *pool, ngx_ors_error_t *err)
{
    ngx_str_t             name;
    ngx_ors_json_node_t  *node, *key;

    if (json->nodes->type != ngx_ors_json_object) {
        return ngx_ors_error_set(err, pool, ngx_ors_code_invalid_type,
                                 "it is not a JSON object");
    }

    /* only the model would miss a member that is misspelled */

    for (key = ngx_ors_json_first(json, json->nodes);
         key;
         key = ngx_ors_json_next(json, key))
    {
        if (ngx_ors_json_name(json, key, ngx_ors_chat_hosted_names)->len == 0)
        {
            ngx_ors_json_raw(json, key, &name);

            return ngx_ors_error_set(err, pool, ngx_ors_code_unknown_parameter,
                                     "its member \"%V\" must be \"name\", "
                                     "\"description\" or \"parameters\"",
                                     &name);
        }
    }

    node = ngx_ors_chat_get(json, json->nodes, "type");

    if (node && !ngx_ors_json_is(json, node, "function")) {
        return ngx_ors_error_set(err, pool, ngx_ors_code_invalid_value,
                                 "its \"type\" must be \"function\"");
    }

    node = ngx_ors_chat_get(json, json->nodes, "name");

    if (node && !ngx_ors_json_equal(json, node, hosted->name.data,
                                    hosted->name.len))
    {
        ngx_ors_json_raw(json, node, &name);

        return ngx_ors_error_set(err, pool, ngx_ors_code_invalid_value,
                                 "its \"name\" is \"%V\" and not \"%V\"",
                                 &name, &hosted->name);
    }

    node = ngx_ors_json_find(json, json->nodes, "description");

    if (node == NULL || node->type != ngx_ors_json_string) {
        return ngx_ors_error_set(err, pool, ngx_ors_code_invalid_value,
                                 "it must have a \"description\", a string");
    }

    node = ngx_ors_json_find(json, json->nodes, "parameters");

    if (!ngx_ors_json_is(json, ngx_ors_json_find(json, node, "type"),
                         "object"))
    {
        return ngx_ors_error_set(err, pool, ngx_ors_code_invalid_value,
                                 "it must have \"parameters\", a JSON Schema "
                                 "whose \"type\" is \"object\"");
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_chat_hosted_write(ngx_ors_tool_t *hosted, ngx_ors_json_t *json,
    ngx_pool_t *pool)
{
    u_char     *p;
    ngx_str_t   description, parameters;

    ngx_ors_json_raw(json, ngx_ors_json_find(json, json->nodes, "description"),
                     &description);
    ngx_ors_json_raw(json, ngx_ors_json_find(json, json->nodes, "parameters"),
                     &parameters);

    p = ngx_pnalloc(pool, sizeof("{\"type\":\"function\",\"function\":"
                                 "{\"name\":\"\",\"description\":\"\","
                                 "\"parameters\":}}")
                          + hosted->name.len + description.len
                          + parameters.len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    hosted->function.data = p;
    hosted->function.len = ngx_sprintf(p, "{\"type\":\"function\","
                                          "\"function\":{\"name\":\"%V\","
                                          "\"description\":\"%V\","
                                          "\"parameters\":%V}}",
                                       &hosted->name, &description,
                                       &parameters)
                           - p;

    hosted->parameters.len = parameters.len;
    hosted->parameters.data = p + hosted->function.len - 2 - parameters.len;

    return NGX_OK;
}
