
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Items of hosted tools as JSON text, and the form they have for a client.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_hosted.h>


/* an item of a hosted type */

typedef struct {
    ngx_ors_item_type_e   type;
    ngx_str_t             busy;
    char                 *include;        /* NULL: has none */
    void                (*render)(ngx_ors_out_t *out, ngx_ors_item_t *item,
                              ngx_uint_t empty);
} ngx_ors_hosted_row_t;


static const ngx_ors_hosted_row_t *ngx_ors_hosted_row(
    ngx_ors_item_type_e type);
static void ngx_ors_hosted_mcp(ngx_ors_out_t *out, ngx_ors_item_t *item,
    ngx_uint_t empty);
static void ngx_ors_hosted_answer(ngx_ors_out_t *out, ngx_ors_item_t *item,
    ngx_uint_t empty);
static void ngx_ors_hosted_list(ngx_ors_out_t *out, ngx_ors_hosted_t *hosted,
    ngx_uint_t empty);
static void ngx_ors_hosted_web_search(ngx_ors_out_t *out,
    ngx_ors_item_t *item, ngx_uint_t empty);
static void ngx_ors_hosted_file_search(ngx_ors_out_t *out,
    ngx_ors_item_t *item, ngx_uint_t empty);
static void ngx_ors_hosted_interpreter(ngx_ors_out_t *out,
    ngx_ors_item_t *item, ngx_uint_t empty);
static void ngx_ors_hosted_write_results(ngx_ors_out_t *out,
    ngx_ors_hosted_t *hosted, ngx_uint_t empty);
static void ngx_ors_hosted_value(ngx_ors_out_t *out, ngx_str_t *value,
    ngx_uint_t empty, ngx_str_t *none);


/* the last one is that of MCP */

#define ngx_ors_hosted_book(name, as, busy, include, ...)                     \
    { ngx_ors_item_##as, ngx_string(#busy), include, ngx_ors_hosted_##as },

static const ngx_ors_hosted_row_t  ngx_ors_hosted_rows[] = {
    NGX_ORS_HOSTED_TYPES(ngx_ors_hosted_book)
    { ngx_ors_item_mcp_call, ngx_string("calling"), NULL, ngx_ors_hosted_mcp }
};


static ngx_str_t  ngx_ors_hosted_null = ngx_string("null");
static ngx_str_t  ngx_ors_hosted_no_list = ngx_string("[]");


ngx_ors_hosted_form_e
ngx_ors_hosted_form(ngx_ors_request_t *req, ngx_uint_t show)
{
    if (!show) {
        return ngx_ors_hosted_hidden;
    }

    return (req->policy->profile & NGX_ORS_IN_OPENAI)
           ? ngx_ors_hosted_plain : ngx_ors_hosted_prefixed;
}


ngx_int_t
ngx_ors_hosted_create(ngx_ors_item_t *item, ngx_ors_request_t *req,
    ngx_uint_t show)
{
    char                   *include;
    ngx_ors_hosted_t       *hosted;
    ngx_ors_hosted_form_e   form;

    hosted = ngx_pcalloc(req->pool, sizeof(ngx_ors_hosted_t));
    if (hosted == NULL) {
        return NGX_ERROR;
    }

    form = ngx_ors_hosted_form(req, show);
    include = ngx_ors_hosted_row(item->type)->include;

    hosted->prefixed = (form == ngx_ors_hosted_prefixed);
    hosted->included = include && ngx_ors_request_includes(req, include);

    item->hosted = hosted;
    item->dropped = (form == ngx_ors_hosted_hidden);

    return NGX_OK;
}


static const ngx_ors_hosted_row_t *
ngx_ors_hosted_row(ngx_ors_item_type_e type)
{
    const ngx_ors_hosted_row_t  *row;

    for (row = ngx_ors_hosted_rows; row->include; row++) {

        if (row->type == type) {
            break;
        }
    }

    return row;
}


ngx_str_t *
ngx_ors_hosted_busy(ngx_ors_item_type_e type)
{
    return (ngx_str_t *) &ngx_ors_hosted_row(type)->busy;
}


ngx_int_t
ngx_ors_hosted_error(ngx_ors_hosted_t *hosted, ngx_pool_t *pool,
    ngx_ors_hosted_error_e type, ngx_int_t code, ngx_str_t *text)
{
    u_char  *p;

    p = ngx_pnalloc(pool, sizeof("{\"type\":\"mcp_tool_execution_error\","
                                 "\"content\":[{\"type\":\"text\",\"text\":"
                                 "\"\"}]}")
                          + NGX_INT_T_LEN + text->len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    hosted->error.data = p;

    switch (type) {

    case ngx_ors_hosted_list_error:
        p = ngx_sprintf(p, "\"%V\"", text);
        break;

    case ngx_ors_hosted_protocol_error:
        p = ngx_sprintf(p, "{\"type\":\"mcp_protocol_error\",\"code\":%i,"
                        "\"message\":\"%V\"}", code, text);
        break;

    case ngx_ors_hosted_tool_error:
        p = ngx_sprintf(p, "{\"type\":\"mcp_tool_execution_error\","
                        "\"content\":[{\"type\":\"text\",\"text\":\"%V\"}]}",
                        text);
        break;

    case ngx_ors_hosted_http_error:
        p = ngx_sprintf(p, "{\"type\":\"http_error\",\"code\":%i,"
                        "\"message\":\"%V\"}", code, text);
        break;
    }

    hosted->error.len = p - hosted->error.data;

    return NGX_OK;
}


void
ngx_ors_hosted_render(ngx_ors_out_t *out, ngx_ors_item_t *item,
    ngx_uint_t empty)
{
    ngx_ors_hosted_t  *hosted;

    hosted = item->hosted;

    ngx_ors_out_lit(out, "{\"type\":\"");

    if (hosted->prefixed) {
        ngx_ors_out_lit(out, NGX_ORS_HOSTED_SLUG);
    }

    ngx_ors_out_str(out, ngx_ors_item_type(item->type));
    ngx_ors_out_lit(out, "\",\"id\":\"");
    ngx_ors_out_str(out, &item->id);

    /* all extensions have a status, two of these types have none */

    if (hosted->prefixed
        || (item->type != ngx_ors_item_list_tools
            && item->type != ngx_ors_item_approval))
    {
        ngx_ors_out_lit(out, "\",\"status\":\"");
        ngx_ors_out_str(out, ngx_ors_item_status(item));
    }

    ngx_ors_out_lit(out, "\"");

    ngx_ors_hosted_row(item->type)->render(out, item, empty);

    ngx_ors_out_lit(out, "}");
}


static void
ngx_ors_hosted_mcp(ngx_ors_out_t *out, ngx_ors_item_t *item, ngx_uint_t empty)
{
    ngx_ors_out_lit(out, ",\"server_label\":\"");
    ngx_ors_out_str(out, &item->hosted->label);
    ngx_ors_out_lit(out, "\"");

    if (item->type == ngx_ors_item_list_tools) {
        ngx_ors_hosted_list(out, item->hosted, empty);
        return;
    }

    ngx_ors_out_lit(out, ",\"name\":\"");
    ngx_ors_out_str(out, &item->name);
    ngx_ors_out_lit(out, "\",\"arguments\":\"");

    /* a request for approval has no events that would fill it */

    if (!empty || item->type == ngx_ors_item_approval) {
        ngx_ors_text_put(out, &item->arguments);
    }

    ngx_ors_out_lit(out, "\"");

    if (item->type == ngx_ors_item_mcp_call) {
        ngx_ors_hosted_answer(out, item, empty);
    }
}


static void
ngx_ors_hosted_answer(ngx_ors_out_t *out, ngx_ors_item_t *item,
    ngx_uint_t empty)
{
    ngx_ors_hosted_t  *hosted;

    hosted = item->hosted;

    ngx_ors_out_lit(out, ",\"approval_request_id\":");

    if (hosted->approval.len) {
        ngx_ors_out_lit(out, "\"");
        ngx_ors_out_str(out, &hosted->approval);
        ngx_ors_out_lit(out, "\"");

    } else {
        ngx_ors_out_lit(out, "null");
    }

    ngx_ors_out_lit(out, ",\"output\":");

    if (hosted->answered && !empty) {
        ngx_ors_out_lit(out, "\"");
        ngx_ors_text_put(out, &item->output);
        ngx_ors_out_lit(out, "\"");

    } else {
        ngx_ors_out_lit(out, "null");
    }

    ngx_ors_out_lit(out, ",\"error\":");
    ngx_ors_hosted_value(out, &hosted->error, empty, &ngx_ors_hosted_null);
}


static void
ngx_ors_hosted_list(ngx_ors_out_t *out, ngx_ors_hosted_t *hosted,
    ngx_uint_t empty)
{
    ngx_ors_out_lit(out, ",\"tools\":");
    ngx_ors_hosted_value(out, &hosted->value, empty, &ngx_ors_hosted_no_list);

    if (hosted->error.len && !empty) {
        ngx_ors_out_lit(out, ",\"error\":");
        ngx_ors_out_ref(out, hosted->error.data, hosted->error.len);
    }
}


static void
ngx_ors_hosted_web_search(ngx_ors_out_t *out, ngx_ors_item_t *item,
    ngx_uint_t empty)
{
    static ngx_str_t  none = ngx_string("{\"type\":\"search\",\"query\":\"\"}");

    ngx_str_t         *action;
    ngx_ors_hosted_t  *hosted;

    hosted = item->hosted;
    action = hosted->value.len ? &hosted->value : &none;

    ngx_ors_out_lit(out, ",\"action\":");

    if (empty || !hosted->included || hosted->results.len == 0) {
        ngx_ors_out_ref(out, action->data, action->len);
        return;
    }

    /* the sources are one more member of the action */

    ngx_ors_out_ref(out, action->data, action->len - 1);
    ngx_ors_out_lit(out, ",\"sources\":");
    ngx_ors_out_ref(out, hosted->results.data, hosted->results.len);
    ngx_ors_out_lit(out, "}");
}


static void
ngx_ors_hosted_file_search(ngx_ors_out_t *out, ngx_ors_item_t *item,
    ngx_uint_t empty)
{
    ngx_ors_out_lit(out, ",\"queries\":");
    ngx_ors_hosted_value(out, &item->hosted->value, empty,
                         &ngx_ors_hosted_no_list);

    ngx_ors_out_lit(out, ",\"results\":");
    ngx_ors_hosted_write_results(out, item->hosted, empty);
}


static void
ngx_ors_hosted_interpreter(ngx_ors_out_t *out, ngx_ors_item_t *item,
    ngx_uint_t empty)
{
    ngx_ors_out_lit(out, ",\"code\":\"");

    if (!empty) {
        ngx_ors_text_put(out, &item->arguments);
    }

    ngx_ors_out_lit(out, "\",\"container_id\":\"");
    ngx_ors_out_str(out, &item->hosted->container);
    ngx_ors_out_lit(out, "\",\"outputs\":");
    ngx_ors_hosted_write_results(out, item->hosted, empty);
}


static void
ngx_ors_hosted_write_results(ngx_ors_out_t *out, ngx_ors_hosted_t *hosted,
    ngx_uint_t empty)
{
    ngx_ors_hosted_value(out, &hosted->results, empty || !hosted->included,
                         &ngx_ors_hosted_null);
}


static void
ngx_ors_hosted_value(ngx_ors_out_t *out, ngx_str_t *value, ngx_uint_t empty,
    ngx_str_t *none)
{
    if (empty || value->len == 0) {
        value = none;
    }

    ngx_ors_out_ref(out, value->data, value->len);
}
