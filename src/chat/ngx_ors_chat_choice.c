
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * "tools", "tool_choice" and "parallel_tool_calls" of a chat request.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_request.h>
#include <ngx_ors_chat_content.h>
#include <ngx_ors_item.h>
#include <ngx_ors_chat_options.h>


typedef struct {
    ngx_ors_request_t      *req;
    ngx_ors_chat_target_t  *target;
    ngx_ors_chat_tools_t   *tools;
    ngx_ors_error_t        *err;
    ngx_uint_t              automatic;    /* the model decides */
} ngx_ors_chat_choice_t;


static ngx_int_t ngx_ors_chat_choice_read(ngx_ors_chat_choice_t *cc);
static ngx_int_t ngx_ors_chat_choice_tool(ngx_ors_chat_choice_t *cc,
    ngx_ors_json_node_t *choice, ngx_ors_chat_tool_e kind);
static ngx_ors_chat_tool_t *ngx_ors_chat_choice_type(
    ngx_ors_chat_choice_t *cc, ngx_ors_json_node_t *type);
static ngx_int_t ngx_ors_chat_choice_list(ngx_ors_chat_choice_t *cc,
    ngx_ors_json_node_t *choice);
static ngx_int_t ngx_ors_chat_choice_sent(ngx_ors_chat_choice_t *cc,
    ngx_ors_json_node_t *tool);
static ngx_int_t ngx_ors_chat_choice_other(ngx_ors_chat_choice_t *cc,
    char *param, char *text);
static void ngx_ors_chat_choice_render(ngx_ors_chat_choice_t *cc,
    ngx_ors_out_t *out);
static ngx_int_t ngx_ors_chat_render(ngx_ors_chat_tools_t *tools,
    ngx_ors_chat_tool_t *only, ngx_ors_request_t *req,
    const ngx_ors_chat_options_t *options, ngx_ors_out_t *out);
static ngx_int_t ngx_ors_chat_render_tool(ngx_ors_chat_tool_t *tool,
    ngx_ors_chat_schema_t *cs, const ngx_ors_chat_options_t *options,
    ngx_ors_out_t *out);
static ngx_int_t ngx_ors_chat_render_function(ngx_ors_chat_schema_t *cs,
    const ngx_ors_chat_options_t *options, ngx_ors_out_t *out,
    ngx_ors_json_node_t *node);
static ngx_int_t ngx_ors_chat_render_schema(ngx_ors_chat_schema_t *cs,
    const ngx_ors_chat_options_t *options, ngx_ors_out_t *out,
    ngx_ors_json_node_t *node, ngx_ors_json_node_t *strict);
static void ngx_ors_chat_render_strict(const ngx_ors_chat_options_t *options,
    ngx_ors_out_t *out, ngx_ors_json_node_t *strict, ngx_uint_t made);
static void ngx_ors_chat_render_custom(ngx_ors_json_t *json,
    ngx_ors_out_t *out, ngx_ors_json_node_t *node);


ngx_int_t
ngx_ors_chat_choice(ngx_ors_request_t *req,
    ngx_ors_chat_target_t *target, ngx_ors_chat_tools_t *tools,
    ngx_ors_out_t *out, ngx_ors_error_t *err)
{
    ngx_int_t              rc;
    ngx_ors_chat_tool_t   *only;
    ngx_ors_json_node_t   *parallel;
    ngx_ors_chat_choice_t  cc;

    ngx_memzero(&cc, sizeof(ngx_ors_chat_choice_t));

    cc.req = req;
    cc.target = target;
    cc.tools = tools;
    cc.err = err;

    rc = ngx_ors_chat_choice_read(&cc);

    if (rc != NGX_OK || tools->n == 0) {
        return rc;
    }

    ngx_ors_out_lit(out, ",\"tools\":");

    /* a server that reads no names gets the tool that is chosen, no other */

    only = (target->options->required
            && target->calls == ngx_ors_chat_calls_asked)
           ? tools->chosen : NULL;

    if (ngx_ors_chat_render(tools, only, req, target->options, out)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_ors_chat_choice_render(&cc, out);

    parallel = req->field[ngx_ors_rq_parallel_tool_calls];

    if (parallel) {
        ngx_ors_out_lit(out, ",\"parallel_tool_calls\":");
        ngx_ors_chat_value(out, &req->json, parallel);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_chat_choice_read(ngx_ors_chat_choice_t *cc)
{
    ngx_ors_json_t       *json;
    ngx_ors_hosting_t    *hosting;
    ngx_ors_json_node_t  *choice, *type;

    json = &cc->req->json;
    choice = cc->req->field[ngx_ors_rq_tool_choice];

    if (choice == NULL) {
        return NGX_OK;
    }

    if (choice->type != ngx_ors_json_object) {
        cc->tools->mode = choice;
        return NGX_OK;
    }

    type = ngx_ors_json_find(json, choice, "type");
    hosting = cc->target->hosting;

    if (ngx_ors_json_is(json, type, "function")) {
        return ngx_ors_chat_choice_tool(cc, choice,
                                        ngx_ors_chat_tool_function);
    }

    if (ngx_ors_json_is(json, type, "custom")) {
        return ngx_ors_chat_choice_tool(cc, choice, ngx_ors_chat_tool_custom);
    }

    if (ngx_ors_json_is(json, type, "allowed_tools")) {
        return ngx_ors_chat_choice_list(cc, choice);
    }

    if (ngx_ors_json_is(json, type, "mcp") && hosting
        && (hosting->forced || hosting->required))
    {
        cc->tools->required = hosting->required;

        if (hosting->forced) {
            cc->tools->chosen = ngx_ors_chat_tools_sent(cc->tools,
                                                     &hosting->forced->name);
        }

        return NGX_OK;
    }

    cc->tools->chosen = ngx_ors_chat_choice_type(cc, type);

    if (cc->tools->chosen) {
        return NGX_OK;
    }

    return ngx_ors_chat_choice_other(cc, "tool_choice.type",
                                     "must not be a tool that this model "
                                     "does not have, or cannot be made to "
                                     "call");
}


static ngx_int_t
ngx_ors_chat_choice_tool(ngx_ors_chat_choice_t *cc,
    ngx_ors_json_node_t *choice, ngx_ors_chat_tool_e kind)
{
    char                 *param;
    ngx_str_t             sent, name;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *space, *node;
    ngx_ors_chat_tool_t  *tool;

    json = &cc->req->json;
    param = "tool_choice.name";
    node = ngx_ors_chat_get(json, choice, "name");

    space = (cc->req->policy->profile & NGX_ORS_IN_OPENAI)
            ? ngx_ors_chat_get(json, choice, "namespace") : NULL;

    if (node == NULL) {
        param = "tool_choice.function.name";
        node = ngx_ors_request_function(cc->req, json, choice);
        node = ngx_ors_json_find(json, node, "name");
        space = NULL;
    }

    if (ngx_ors_chat_tools_name(json, space, node, cc->req->pool, &sent)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    tool = ngx_ors_chat_tools_sent(cc->tools, &sent);

    if (tool && tool->kind == kind) {
        cc->tools->chosen = tool;
        return NGX_OK;
    }

    ngx_ors_json_raw(json, node, &name);

    ngx_ors_error_set(cc->err, cc->req->pool, ngx_ors_code_invalid_value,
                      "\"%s\" is \"%V\", which is not the name of a %s in "
                      "\"tools\"", param, &name,
                      (kind == ngx_ors_chat_tool_custom) ? "custom tool"
                                                         : "function");
    cc->err->param.data = (u_char *) param;
    cc->err->param.len = ngx_strlen(param);

    return NGX_DECLINED;
}


/* NULL: the request has no tool of that type, or none that can be chosen */

static ngx_ors_chat_tool_t *
ngx_ors_chat_choice_type(ngx_ors_chat_choice_t *cc, ngx_ors_json_node_t *type)
{
    ngx_ors_tool_t       *hosted;
    ngx_ors_chat_tool_t  *tool;

    static ngx_str_t  search = ngx_string(NGX_ORS_CHAT_SEARCH);

    if (ngx_ors_json_is(&cc->req->json, type, "tool_search")) {
        tool = ngx_ors_chat_tools_sent(cc->tools, &search);

        if (tool && tool->kind == ngx_ors_chat_tool_search) {
            return tool;
        }
    }

    hosted = ngx_ors_hosted_type_find(cc->target->hosting, &cc->req->json,
                                      type);

    tool = hosted ? ngx_ors_chat_tools_sent(cc->tools, &hosted->name) : NULL;

    return (tool && tool->hosted == hosted) ? tool : NULL;
}


/* all tools stay visible, nothing holds the model to the list */

static ngx_int_t
ngx_ors_chat_choice_list(ngx_ors_chat_choice_t *cc,
    ngx_ors_json_node_t *choice)
{
    ngx_int_t             rc;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *tool;

    json = &cc->req->json;

    for (tool = ngx_ors_json_first(json,
                                   ngx_ors_json_find(json, choice, "tools"));
         tool;
         tool = ngx_ors_json_next(json, tool))
    {
        rc = ngx_ors_chat_choice_sent(cc, tool);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (rc == NGX_OK) {
            cc->tools->mode = ngx_ors_chat_get(json, choice, "mode");
            cc->automatic = 1;
            return NGX_OK;
        }
    }

    return ngx_ors_chat_choice_other(cc, "tool_choice.tools",
                                     "must have a tool that this model has");
}


/* NGX_OK: tools of that type are sent; NGX_DECLINED; NGX_ERROR */

static ngx_int_t
ngx_ors_chat_choice_sent(ngx_ors_chat_choice_t *cc, ngx_ors_json_node_t *tool)
{
    ngx_ors_json_t             *json;
    ngx_ors_json_node_t        *type;
    const ngx_ors_chat_type_t  *rule;

    json = &cc->req->json;
    type = ngx_ors_json_find(json, tool, "type");

    if (ngx_ors_json_is(json, type, "function")
        || ((cc->req->policy->profile & NGX_ORS_IN_OPENAI)
            && (ngx_ors_json_is(json, type, "custom")
                || ngx_ors_json_is(json, type, "namespace")))
        || (cc->target->hosting && cc->target->hosting->servers
            && ngx_ors_json_is(json, type, "mcp"))
        || ngx_ors_chat_choice_type(cc, type))
    {
        return NGX_OK;
    }

    if (ngx_ors_chat_type(cc->target->options, json, type, cc->req->pool, &rule)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return (rule->action == ngx_ors_chat_type_send) ? NGX_OK : NGX_DECLINED;
}


/* the chosen tools were not sent: a tolerant profile lets the model decide */

static ngx_int_t
ngx_ors_chat_choice_other(ngx_ors_chat_choice_t *cc, char *param, char *text)
{
    if (cc->req->policy->profile & NGX_ORS_IN_TOLERANT) {
        cc->automatic = 1;
        return NGX_OK;
    }

    ngx_ors_error_set(cc->err, cc->req->pool, ngx_ors_code_unsupported_value,
                      "\"%s\" %s", param, text);
    cc->err->param.data = (u_char *) param;
    cc->err->param.len = ngx_strlen(param);

    return NGX_DECLINED;
}


static void
ngx_ors_chat_choice_render(ngx_ors_chat_choice_t *cc, ngx_ors_out_t *out)
{
    if (cc->target->calls == ngx_ors_chat_calls_none) {
        ngx_ors_out_lit(out, ",\"tool_choice\":\"none\"");
        return;
    }

    /* tool_choice applies to the first round only */

    if (cc->target->calls == ngx_ors_chat_calls_auto
        && (cc->tools->chosen || cc->tools->required
            || ngx_ors_json_is(&cc->req->json, cc->tools->mode, "required")))
    {
        ngx_ors_out_lit(out, ",\"tool_choice\":\"auto\"");
        return;
    }

    if (cc->tools->chosen && !cc->target->options->required) {
        ngx_ors_out_lit(out, ",\"tool_choice\":{\"type\":\"function\","
                             "\"function\":{\"name\":\"");
        ngx_ors_out_str(out, &cc->tools->chosen->sent);
        ngx_ors_out_lit(out, "\"}}");

    } else if (cc->tools->chosen || cc->tools->required) {
        ngx_ors_out_lit(out, ",\"tool_choice\":\"required\"");

    } else if (cc->tools->mode) {
        ngx_ors_out_lit(out, ",\"tool_choice\":");
        ngx_ors_chat_value(out, &cc->req->json, cc->tools->mode);

    } else if (cc->automatic) {
        ngx_ors_out_lit(out, ",\"tool_choice\":\"auto\"");
    }
}


/*
 * Appends the array of tools that is sent to a server with "options": all of
 * "tools", or "only" one of them.  What is long is referred to in the request.
 * NGX_OK, or NGX_ERROR: no memory.
 */

static ngx_int_t
ngx_ors_chat_render(ngx_ors_chat_tools_t *tools, ngx_ors_chat_tool_t *only,
    ngx_ors_request_t *req, const ngx_ors_chat_options_t *options,
    ngx_ors_out_t *out)
{
    ngx_uint_t              i, n;
    ngx_ors_chat_schema_t   cs;

    ngx_ors_chat_schema_init(&cs, &req->json, req->pool);

    ngx_ors_out_lit(out, "[");

    for (i = 0, n = 0; i < tools->n; i++) {

        if (only && only != &tools->elts[i]) {
            continue;
        }

        if (n++) {
            ngx_ors_out_lit(out, ",");
        }

        if (ngx_ors_chat_render_tool(&tools->elts[i], &cs, options, out)
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    ngx_ors_out_lit(out, "]");

    return NGX_OK;
}


static ngx_int_t
ngx_ors_chat_render_tool(ngx_ors_chat_tool_t *tool, ngx_ors_chat_schema_t *cs,
    const ngx_ors_chat_options_t *options, ngx_ors_out_t *out)
{
    ngx_int_t  rc;

    if (tool->kind == ngx_ors_chat_tool_other) {
        ngx_ors_out_ref(out, tool->sent.data, tool->sent.len);
        return NGX_OK;
    }

    if (tool->node == NULL) {
        ngx_ors_out_ref(out, tool->hosted->function.data,
                        tool->hosted->function.len);
        return NGX_OK;
    }

    cs->json = tool->json;

    ngx_ors_out_lit(out, "{\"type\":\"function\",\"function\":{\"name\":\"");
    ngx_ors_out_str(out, &tool->sent);
    ngx_ors_out_lit(out, "\"");

    rc = NGX_OK;

    if (tool->kind == ngx_ors_chat_tool_custom) {
        ngx_ors_chat_render_custom(cs->json, out, tool->node);

    } else {
        rc = ngx_ors_chat_render_function(cs, options, out, tool->node);
    }

    ngx_ors_out_lit(out, "}}");

    return rc;
}


static ngx_int_t
ngx_ors_chat_render_function(ngx_ors_chat_schema_t *cs,
    const ngx_ors_chat_options_t *options, ngx_ors_out_t *out,
    ngx_ors_json_node_t *node)
{
    ngx_int_t             rc;
    ngx_ors_json_node_t  *description, *strict;

    description = ngx_ors_chat_get(cs->json, node, "description");
    strict = ngx_ors_chat_get(cs->json, node, "strict");

    if (description) {
        ngx_ors_out_lit(out, ",\"description\":");
        ngx_ors_chat_value(out, cs->json, description);
    }

    ngx_ors_out_lit(out, ",\"parameters\":");

    rc = ngx_ors_chat_render_schema(cs, options, out,
                                    ngx_ors_chat_get(cs->json, node,
                                                     "parameters"),
                                    strict);
    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    ngx_ors_chat_render_strict(options, out, strict, rc == NGX_OK);

    return NGX_OK;
}


/*
 * NGX_OK: the model can be held to it; NGX_DECLINED: it went out as it came;
 * NGX_ERROR
 */

static ngx_int_t
ngx_ors_chat_render_schema(ngx_ors_chat_schema_t *cs,
    const ngx_ors_chat_options_t *options, ngx_ors_out_t *out,
    ngx_ors_json_node_t *node, ngx_ors_json_node_t *strict)
{
    ngx_int_t   rc;
    ngx_uint_t  made;

    made = options->strict == ngx_ors_chat_strict_schema
           && (strict == NULL || strict->type == ngx_ors_json_true);

    if (node == NULL) {
        ngx_ors_out_lit(out, "{\"type\":\"object\",\"properties\":{}");

        if (made) {
            ngx_ors_out_lit(out, ",\"additionalProperties\":false,"
                                 "\"required\":[]");
        }

        ngx_ors_out_lit(out, "}");

        return NGX_OK;
    }

    if (made) {
        rc = ngx_ors_chat_schema(cs, node, out);

        if (rc != NGX_DECLINED) {
            return rc;
        }
    }

    ngx_ors_chat_value(out, cs->json, node);

    return made ? NGX_DECLINED : NGX_OK;
}


/* protocol, section 5: what the client leaves out is true */

static void
ngx_ors_chat_render_strict(const ngx_ors_chat_options_t *options,
    ngx_ors_out_t *out, ngx_ors_json_node_t *strict, ngx_uint_t made)
{
    if (options->strict == ngx_ors_chat_strict_off
        || (options->strict == ngx_ors_chat_strict_pass && strict == NULL))
    {
        return;
    }

    if (strict) {
        made = (strict->type == ngx_ors_json_true);
    }

    if (made && options->strict != ngx_ors_chat_strict_false) {
        ngx_ors_out_lit(out, ",\"strict\":true");

    } else {
        ngx_ors_out_lit(out, ",\"strict\":false");
    }
}


/* a chat server enforces no grammar, so the description names it */

static void
ngx_ors_chat_render_custom(ngx_ors_json_t *json, ngx_ors_out_t *out,
    ngx_ors_json_node_t *node)
{
    ngx_str_t             raw;
    ngx_ors_json_node_t  *format;

    format = ngx_ors_chat_get(json, node, "format");

    ngx_ors_out_lit(out, ",\"description\":\"");

    ngx_ors_json_inner(json, ngx_ors_json_find(json, node, "description"),
                       &raw);

    if (raw.len) {
        ngx_ors_out_ref(out, raw.data, raw.len);
        ngx_ors_out_lit(out, "\\n\\n");
    }

    ngx_ors_out_lit(out, "\\\"input\\\" is free text, not JSON.");

    if (ngx_ors_json_is(json, ngx_ors_json_find(json, format, "type"),
                        "grammar"))
    {
        ngx_ors_out_lit(out, " It must match this grammar (");
        ngx_ors_json_inner(json, ngx_ors_json_find(json, format, "syntax"),
                           &raw);
        ngx_ors_out_ref(out, raw.data, raw.len);
        ngx_ors_out_lit(out, "):\\n");
        ngx_ors_json_inner(json, ngx_ors_json_find(json, format, "definition"),
                           &raw);
        ngx_ors_out_ref(out, raw.data, raw.len);
    }

    ngx_ors_out_lit(out, "\",\"parameters\":{\"type\":\"object\","
                         "\"properties\":{\"input\":{\"type\":\"string\"}},"
                         "\"required\":[\"input\"],"
                         "\"additionalProperties\":false}");
}
