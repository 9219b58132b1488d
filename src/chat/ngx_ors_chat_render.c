
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * One tool written as a chat function: name, description, parameters, strict.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_content.h>
#include <ngx_ors_chat_render.h>
#include <ngx_ors_chat_schema.h>


/* members of a function, as in ngx_ors_chat_render_names */

enum {
    ngx_ors_chat_o_description = 0,
    ngx_ors_chat_o_parameters,
    ngx_ors_chat_o_strict,
    ngx_ors_chat_o_n
};


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


static const ngx_str_t  ngx_ors_chat_render_names[] = {
    ngx_string("description"),
    ngx_string("parameters"),
    ngx_string("strict"),
    ngx_null_string
};


ngx_int_t
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
    ngx_ors_json_node_t  *strict, *member[ngx_ors_chat_o_n];

    ngx_ors_json_members(cs->json, node, ngx_ors_chat_render_names, member);

    strict = member[ngx_ors_chat_o_strict];

    if (member[ngx_ors_chat_o_description]) {
        ngx_ors_out_lit(out, ",\"description\":");
        ngx_ors_chat_value(out, cs->json, member[ngx_ors_chat_o_description]);
    }

    ngx_ors_out_lit(out, ",\"parameters\":");

    rc = ngx_ors_chat_render_schema(cs, options, out,
                                    member[ngx_ors_chat_o_parameters], strict);
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
    ngx_uint_t  on;

    on = made;

    switch ((ngx_ors_chat_strict_e) options->strict) {

    case ngx_ors_chat_strict_off:
        return;

    case ngx_ors_chat_strict_pass:

        if (strict == NULL) {
            return;
        }

        break;

    case ngx_ors_chat_strict_false:
        on = 0;
        strict = NULL;
        break;

    case ngx_ors_chat_strict_on:
    case ngx_ors_chat_strict_schema:
        break;
    }

    if (strict) {
        on = (strict->type == ngx_ors_json_true);
    }

    if (on) {
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
