
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Output items and parts as JSON text.  Then the types of hosted tools: their
 * names, the form of their items, and the calls of their locations.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_item.h>
#include <ngx_ors_json_writer.h>


#define ngx_ors_item_part_head(type, event, text, ...)                        \
    ngx_string("{\"type\":\"" #type "\",\"" #text "\":\""),

#define ngx_ors_hosted_alias(alias, type, as)                                 \
    { ngx_string(#alias), ngx_ors_hosted_type_##as },

#define ngx_ors_hosted_book(name, as, busy, include, list, argument, shown,   \
    does, says)                                                               \
    { ngx_string(#name), ngx_ors_item_##as, ngx_string(#busy), include,       \
      ngx_ors_hosted_##as, ngx_string(#list), ngx_ors_hosted_##list,          \
      ngx_string(#argument), shown,                                           \
      ngx_string("{\"description\":\"" does "\",\"parameters\":{\"type\":"    \
                 "\"object\",\"properties\":{\"" #argument "\":{\"type\":"    \
                 "\"string\",\"description\":\"" says "\"}},\"required\":[\""  \
                 #argument "\"],\"additionalProperties\":false}}") },

#define NGX_ORS_HOSTED_CALL_BLOCK  4096

#define NGX_ORS_HOSTED_CALL_MEMBERS  5


/* a member of an element that a client may read */

typedef struct {
    ngx_str_t              name;
    ngx_ors_json_type_e    type;
    ngx_uint_t             needed;
} ngx_ors_hosted_member_t;


/* an element; of several kinds its "type" is the name of one */

typedef struct {
    ngx_str_t                kind;
    ngx_ors_hosted_member_t  members[NGX_ORS_HOSTED_CALL_MEMBERS + 1];
} ngx_ors_hosted_element_t;


/* a hosted type, with the columns of the book */

typedef struct {
    ngx_str_t                  name;
    ngx_ors_item_type_e        type;
    ngx_str_t                  busy;
    char                      *include;   /* NULL: has none */
    void                     (*render)(ngx_ors_out_t *out,
                                   ngx_ors_item_t *item, ngx_uint_t empty);
    ngx_str_t                  list;      /* the answer's member */
    ngx_ors_hosted_element_t  *elements;
    ngx_str_t                  argument;
    const char                *shown;     /* a format */
    ngx_str_t                  definition;
} ngx_ors_hosted_row_t;


static void ngx_ors_item_call(ngx_ors_out_t *out, ngx_ors_item_t *item,
    ngx_uint_t empty);
static void ngx_ors_item_parts(ngx_ors_out_t *out, ngx_ors_item_t *item);
static ngx_ors_hosted_row_t *ngx_ors_hosted_row(ngx_ors_item_type_e type);
static void ngx_ors_hosted_mcp(ngx_ors_out_t *out, ngx_ors_item_t *item,
    ngx_uint_t empty);
static void ngx_ors_hosted_answer(ngx_ors_out_t *out, ngx_ors_item_t *item,
    ngx_uint_t empty);
static void ngx_ors_hosted_web_search(ngx_ors_out_t *out,
    ngx_ors_item_t *item, ngx_uint_t empty);
static void ngx_ors_hosted_file_search(ngx_ors_out_t *out,
    ngx_ors_item_t *item, ngx_uint_t empty);
static void ngx_ors_hosted_interpreter(ngx_ors_out_t *out,
    ngx_ors_item_t *item, ngx_uint_t empty);
static void ngx_ors_hosted_own(ngx_ors_out_t *out, ngx_ors_item_t *item,
    ngx_uint_t empty);
static void ngx_ors_hosted_value(ngx_ors_out_t *out, ngx_str_t *value,
    ngx_uint_t empty, ngx_str_t *none);
static ngx_int_t ngx_ors_hosted_call_read(ngx_ors_hosted_call_t *call,
    ngx_ors_json_t *json, ngx_str_t *text);
static ngx_int_t ngx_ors_hosted_call_plain(ngx_ors_hosted_call_t *call,
    ngx_str_t *text, ngx_ors_hosted_result_t *result);
static ngx_int_t ngx_ors_hosted_call_list(ngx_ors_hosted_row_t *row,
    ngx_ors_json_t *json, ngx_ors_json_node_t *list, ngx_str_t *results);
static ngx_int_t ngx_ors_hosted_call_element(ngx_ors_hosted_element_t *element,
    ngx_ors_json_t *json, ngx_ors_json_node_t *node, ngx_ors_out_t *out);


static ngx_str_t  ngx_ors_item_statuses[] = {
    ngx_string("in_progress"),
    ngx_null_string,
    ngx_string("completed"),
    ngx_string("incomplete"),
    ngx_string("failed")
};


/* clients write these as well */

static const struct {
    ngx_str_t              name;
    ngx_ors_hosted_type_e  type;
} ngx_ors_hosted_aliases[] = {
    NGX_ORS_HOSTED_ALIASES(ngx_ors_hosted_alias)
    { ngx_null_string, ngx_ors_hosted_type_none }
};


static ngx_str_t  ngx_ors_hosted_null = ngx_string("null");
static ngx_str_t  ngx_ors_hosted_no_list = ngx_string("[]");


static ngx_ors_hosted_element_t  ngx_ors_hosted_sources[] = {
    { ngx_string("url"),
      { { ngx_string("url"), ngx_ors_json_string, 1 },
        { ngx_null_string, ngx_ors_json_null, 0 } } },
    { ngx_null_string, { { ngx_null_string, ngx_ors_json_null, 0 } } }
};


static ngx_ors_hosted_element_t  ngx_ors_hosted_results[] = {
    { ngx_null_string,
      { { ngx_string("file_id"), ngx_ors_json_string, 1 },
        { ngx_string("filename"), ngx_ors_json_string, 1 },
        { ngx_string("score"), ngx_ors_json_number, 0 },
        { ngx_string("text"), ngx_ors_json_string, 0 },
        { ngx_string("attributes"), ngx_ors_json_object, 0 },
        { ngx_null_string, ngx_ors_json_null, 0 } } }
};


static ngx_ors_hosted_element_t  ngx_ors_hosted_outputs[] = {
    { ngx_string("logs"),
      { { ngx_string("logs"), ngx_ors_json_string, 1 },
        { ngx_null_string, ngx_ors_json_null, 0 } } },
    { ngx_string("image"),
      { { ngx_string("url"), ngx_ors_json_string, 1 },
        { ngx_null_string, ngx_ors_json_null, 0 } } },
    { ngx_null_string, { { ngx_null_string, ngx_ors_json_null, 0 } } }
};

/* by ngx_ors_hosted_type_e, and then the items of MCP */

static ngx_ors_hosted_row_t  ngx_ors_hosted_rows[] = {

    { ngx_null_string, ngx_ors_item_function_call, ngx_null_string, NULL,
      NULL, ngx_null_string, NULL, ngx_null_string, NULL, ngx_null_string },

    NGX_ORS_HOSTED_TYPES(ngx_ors_hosted_book)

    { ngx_null_string, ngx_ors_item_own, ngx_string("in_progress"), NULL,
      ngx_ors_hosted_own, ngx_null_string, NULL, ngx_null_string, NULL,
      ngx_null_string },

    { ngx_null_string, ngx_ors_item_mcp_call, ngx_string("calling"), NULL,
      ngx_ors_hosted_mcp, ngx_null_string, NULL, ngx_null_string, NULL,
      ngx_null_string }
};


ngx_str_t *
ngx_ors_item_name(ngx_ors_item_t *item)
{
    return (item->type == ngx_ors_item_own) ? &item->name
                                            : ngx_ors_item_type(item->type);
}


ngx_str_t *
ngx_ors_item_status(ngx_ors_item_t *item)
{
    return (item->status == ngx_ors_item_busy)
           ? &ngx_ors_hosted_row(item->type)->busy
           : &ngx_ors_item_statuses[item->status];
}


size_t
ngx_ors_item_id(ngx_ors_item_t *item)
{
    return sizeof("{\"type\":\"\",\"id\":\"") - 1
           + ngx_ors_item_name(item)->len
           + (item->hosted ? item->hosted->slug.len : 0);
}


void
ngx_ors_item_render(ngx_ors_out_t *out, ngx_ors_item_t *item,
    ngx_uint_t empty)
{
    ngx_uint_t  prefixed;

    prefixed = (item->hosted && item->hosted->slug.len);

    ngx_ors_out_lit(out, "{\"type\":\"");

    if (prefixed) {
        ngx_ors_out_str(out, &item->hosted->slug);
    }

    ngx_ors_out_str(out, ngx_ors_item_name(item));
    ngx_ors_out_lit(out, "\",\"id\":\"");
    ngx_ors_out_str(out, &item->id);

    /* all extensions have a status, two of these types have none */

    if (prefixed
        || (item->type != ngx_ors_item_list_tools
            && item->type != ngx_ors_item_approval))
    {
        ngx_ors_out_lit(out, "\",\"status\":\"");
        ngx_ors_out_str(out, ngx_ors_item_status(item));
    }

    switch (item->type) {

    case ngx_ors_item_message:
        ngx_ors_out_lit(out, "\",\"role\":\"assistant\",\"content\":[");

        if (!empty) {
            ngx_ors_item_parts(out, item);
        }

        ngx_ors_out_lit(out, "]}");
        break;

    case ngx_ors_item_function_call:
    case ngx_ors_item_custom_call:
    case ngx_ors_item_search_call:
        ngx_ors_item_call(out, item, empty);
        break;

    case ngx_ors_item_reasoning:
        ngx_ors_out_lit(out, "\",\"summary\":[");

        if (!empty) {

            /* its parts are all of one kind, as the operator chose */

            if (item->parts
                && item->parts->type == ngx_ors_part_reasoning_text)
            {
                ngx_ors_out_lit(out, "],\"content\":[");
            }

            ngx_ors_item_parts(out, item);
        }

        ngx_ors_out_lit(out, "]");

        if (!empty && item->sealed.len) {
            ngx_ors_out_lit(out, ",\"encrypted_content\":\"");
            ngx_ors_out_ref(out, item->sealed.data, item->sealed.len);
            ngx_ors_out_lit(out, "\"");
        }

        ngx_ors_out_lit(out, "}");
        break;

    case ngx_ors_item_compaction:
        ngx_ors_out_lit(out, "\",\"encrypted_content\":\"");

        if (!empty) {
            ngx_ors_out_ref(out, item->sealed.data, item->sealed.len);
        }

        ngx_ors_out_lit(out, "\"}");
        break;

    case ngx_ors_item_call_output:
        ngx_ors_out_lit(out, "\",\"call_id\":\"");
        ngx_ors_out_str(out, &item->call_id);
        ngx_ors_out_lit(out, "\",\"output\":\"");

        if (!empty) {
            ngx_ors_text_put(out, &item->output);
        }

        ngx_ors_out_lit(out, "\"}");
        break;

    default: /* has a hosted part */
        ngx_ors_out_lit(out, "\"");
        ngx_ors_hosted_row(item->type)->render(out, item, empty);
        ngx_ors_out_lit(out, "}");
    }
}


static void
ngx_ors_item_call(ngx_ors_out_t *out, ngx_ors_item_t *item, ngx_uint_t empty)
{
    ngx_ors_out_lit(out, "\",\"call_id\":\"");
    ngx_ors_out_str(out, &item->call_id);

    if (item->type == ngx_ors_item_search_call) {
        ngx_ors_out_lit(out, "\",\"execution\":\"client\",\"arguments\":");

        if (empty) {
            ngx_ors_out_lit(out, "{}");

        } else {
            ngx_ors_text_put(out, &item->arguments);
        }

        ngx_ors_out_lit(out, "}");
        return;
    }

    ngx_ors_out_lit(out, "\",\"name\":\"");
    ngx_ors_out_str(out, &item->name);

    if (item->space.len) {
        ngx_ors_out_lit(out, "\",\"namespace\":\"");
        ngx_ors_out_str(out, &item->space);
    }

    if (item->type == ngx_ors_item_custom_call) {
        ngx_ors_out_lit(out, "\",\"input\":\"");

    } else {
        ngx_ors_out_lit(out, "\",\"arguments\":\"");
    }

    if (!empty) {
        ngx_ors_text_put(out, &item->arguments);
    }

    ngx_ors_out_lit(out, "\"}");
}


static void
ngx_ors_item_parts(ngx_ors_out_t *out, ngx_ors_item_t *item)
{
    ngx_ors_part_t  *part;

    for (part = item->parts; part; part = part->next) {

        if (part != item->parts) {
            ngx_ors_out_lit(out, ",");
        }

        ngx_ors_part_render(out, part, 0);
    }
}


void
ngx_ors_part_render(ngx_ors_out_t *out, ngx_ors_part_t *part,
    ngx_uint_t empty)
{
    static ngx_str_t  heads[] = {
        NGX_ORS_PARTS(ngx_ors_item_part_head)
    };

    ngx_ors_out_str(out, &heads[part->type]);

    if (!empty) {
        ngx_ors_text_put(out, &part->text);
    }

    if (part->type != ngx_ors_part_output_text) {
        ngx_ors_out_lit(out, "\"}");
        return;
    }

    ngx_ors_out_lit(out, "\",\"annotations\":");
    ngx_ors_element_render(out, empty ? NULL : part->annotations.first);
    ngx_ors_out_lit(out, ",\"logprobs\":");
    ngx_ors_element_render(out, empty ? NULL : part->logprobs.first);
    ngx_ors_out_lit(out, "}");
}


ngx_int_t
ngx_ors_element_add(ngx_ors_elements_t *list, ngx_pool_t *pool, ngx_str_t *text)
{
    ngx_ors_element_t  *element;

    element = ngx_palloc(pool, sizeof(ngx_ors_element_t));
    if (element == NULL) {
        return NGX_ERROR;
    }

    element->text = *text;
    element->next = NULL;

    if (list->last) {
        list->last->next = element;

    } else {
        list->first = element;
    }

    list->last = element;
    list->n++;

    return NGX_OK;
}


void
ngx_ors_element_render(ngx_ors_out_t *out, ngx_ors_element_t *element)
{
    ngx_ors_out_lit(out, "[");

    while (element) {
        ngx_ors_out_ref(out, element->text.data, element->text.len);

        element = element->next;

        if (element) {
            ngx_ors_out_lit(out, ",");
        }
    }

    ngx_ors_out_lit(out, "]");
}


/* The names of hosted types, and what a model reads of their tools. */


ngx_ors_hosted_type_e
ngx_ors_hosted_type(ngx_str_t *name)
{
    ngx_uint_t  i;

    for (i = 1; i < ngx_ors_hosted_type_own; i++) {

        if (ngx_ors_same(&ngx_ors_hosted_rows[i].name, name)) {
            return i;
        }
    }

    return ngx_ors_hosted_type_none;
}


ngx_uint_t
ngx_ors_hosted_type_is(ngx_ors_tool_t *tool, ngx_ors_json_t *json,
    ngx_ors_json_node_t *type)
{
    ngx_str_t   name;
    ngx_uint_t  i;

    for (i = 0; i < 2 && tool->types[i].len; i++) {

        if (ngx_ors_json_equal(json, type, tool->types[i].data,
                               tool->types[i].len))
        {
            return 1;
        }
    }

    for (i = 0; ngx_ors_hosted_aliases[i].name.len; i++) {
        name = ngx_ors_hosted_aliases[i].name;

        if (ngx_ors_hosted_aliases[i].type == tool->type
            && ngx_ors_json_equal(json, type, name.data, name.len))
        {
            return 1;
        }
    }

    return 0;
}


ngx_str_t *
ngx_ors_hosted_type_definition(ngx_ors_hosted_type_e type)
{
    return &ngx_ors_hosted_rows[type].definition;
}


ngx_ors_item_type_e
ngx_ors_hosted_type_item(ngx_ors_hosted_type_e type)
{
    return ngx_ors_hosted_rows[type].type;
}


ngx_ors_tool_t *
ngx_ors_hosted_type_find(ngx_ors_hosting_t *hosting, ngx_ors_json_t *json,
    ngx_ors_json_node_t *type)
{
    ngx_uint_t       i;
    ngx_ors_tool_t  *tool;

    if (hosting == NULL || hosting->tools == NULL) {
        return NULL;
    }

    for (i = 0; i < hosting->tools->nelts; i++) {
        tool = (ngx_ors_tool_t *) hosting->tools->elts + i;
        tool = tool->typed ? tool->typed : tool;

        if (ngx_ors_hosted_type_is(tool, json, type)) {
            return tool;
        }
    }

    return NULL;
}


ngx_ors_json_node_t *
ngx_ors_hosted_type_asked(ngx_ors_request_t *req, ngx_ors_tool_t *tool)
{
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *node;

    json = &req->json;

    ngx_ors_json_each(node, json, req->field[ngx_ors_rq_tools]) {
        if (ngx_ors_hosted_type_is(tool, json,
                                   ngx_ors_json_find(json, node, "type")))
        {
            return node;
        }
    }

    return NULL;
}


/*
 * Items of hosted tools as JSON text, and the form they have for a client.
 */


ngx_int_t
ngx_ors_hosted_create(ngx_ors_item_t *item, ngx_ors_request_t *req,
    ngx_ors_tool_t *tool)
{
    char              *include;
    ngx_ors_hosted_t  *hosted;

    hosted = ngx_pcalloc(req->pool, sizeof(ngx_ors_hosted_t));
    if (hosted == NULL) {
        return NGX_ERROR;
    }

    include = ngx_ors_hosted_row(item->type)->include;
    hosted->included = include && ngx_ors_request_includes(req, include);

    /* a type is the slug and the name */

    if (item->type == ngx_ors_item_own) {
        hosted->slug.data = tool->types[0].data;
        hosted->slug.len = tool->types[0].len - tool->name.len;

    } else {
        ngx_str_set(&hosted->slug, NGX_ORS_HOSTED_SLUG);
    }

    if ((req->policy->profile & NGX_ORS_IN_OPENAI)
        && (item->type != ngx_ors_item_own
            || tool->show == ngx_ors_tool_plain))
    {
        hosted->slug.len = 0;
    }

    item->hosted = hosted;
    item->dropped = (tool && tool->show == ngx_ors_tool_none);

    return NGX_OK;
}


static ngx_ors_hosted_row_t *
ngx_ors_hosted_row(ngx_ors_item_type_e type)
{
    ngx_uint_t  i;

    for (i = 1; i < ngx_ors_hosted_types; i++) {

        if (ngx_ors_hosted_rows[i].type == type) {
            break;
        }
    }

    return &ngx_ors_hosted_rows[i];
}


ngx_int_t
ngx_ors_hosted_error(ngx_ors_hosted_t *hosted, ngx_pool_t *pool,
    ngx_ors_hosted_error_e type, ngx_int_t code, ngx_str_t *text)
{
    switch (type) {

    case ngx_ors_hosted_list_error:
        return ngx_ors_str_printf(&hosted->error, pool, "\"%V\"", text);

    case ngx_ors_hosted_tool_error:
        return ngx_ors_str_printf(&hosted->error, pool,
                                  "{\"type\":\"mcp_tool_execution_error\","
                                  "\"content\":[{\"type\":\"text\","
                                  "\"text\":\"%V\"}]}", text);

    case ngx_ors_hosted_protocol_error:
    case ngx_ors_hosted_http_error:
        break;
    }

    return ngx_ors_str_printf(&hosted->error, pool,
                              "{\"type\":\"%s\",\"code\":%i,"
                              "\"message\":\"%V\"}",
                              (type == ngx_ors_hosted_http_error)
                              ? "http_error" : "mcp_protocol_error",
                              code, text);
}


static void
ngx_ors_hosted_mcp(ngx_ors_out_t *out, ngx_ors_item_t *item, ngx_uint_t empty)
{
    ngx_ors_out_lit(out, ",\"server_label\":\"");
    ngx_ors_out_str(out, &item->hosted->label);
    ngx_ors_out_lit(out, "\"");

    if (item->type == ngx_ors_item_list_tools) {
        ngx_ors_out_lit(out, ",\"tools\":");
        ngx_ors_hosted_value(out, &item->hosted->value, empty,
                             &ngx_ors_hosted_no_list);

        if (item->hosted->error.len && !empty) {
            ngx_ors_out_lit(out, ",\"error\":");
            ngx_ors_out_ref(out, item->hosted->error.data,
                            item->hosted->error.len);
        }

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

    if (hosted->approval.len) {
        ngx_ors_out_lit(out, ",\"approval_request_id\":\"");
        ngx_ors_out_str(out, &hosted->approval);
        ngx_ors_out_lit(out, "\"");

    } else {
        ngx_ors_out_lit(out, ",\"approval_request_id\":null");
    }

    if (hosted->answered && !empty) {
        ngx_ors_out_lit(out, ",\"output\":\"");
        ngx_ors_text_put(out, &item->output);
        ngx_ors_out_lit(out, "\"");

    } else {
        ngx_ors_out_lit(out, ",\"output\":null");
    }

    ngx_ors_out_lit(out, ",\"error\":");
    ngx_ors_hosted_value(out, &hosted->error, empty, &ngx_ors_hosted_null);
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
    ngx_ors_hosted_value(out, &item->hosted->results,
                         empty || !item->hosted->included,
                         &ngx_ors_hosted_null);
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
    ngx_ors_hosted_value(out, &item->hosted->results,
                         empty || !item->hosted->included,
                         &ngx_ors_hosted_null);
}


static void
ngx_ors_hosted_own(ngx_ors_out_t *out, ngx_ors_item_t *item, ngx_uint_t empty)
{
    ngx_ors_out_lit(out, ",\"arguments\":\"");

    if (!empty) {
        ngx_ors_text_put(out, &item->arguments);
    }

    if (empty || item->hosted->ended == ngx_ors_item_in_progress) {
        ngx_ors_out_lit(out, "\",\"output\":null");
        return;
    }

    ngx_ors_out_lit(out, "\",\"output\":\"");
    ngx_ors_text_put(out, &item->output);
    ngx_ors_out_lit(out, "\"");
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


/* Bodies for the locations of hosted types, and their answers. */


ngx_int_t
ngx_ors_hosted_call_body(ngx_ors_hosted_call_t *call, ngx_str_t *arguments,
    ngx_str_t *tool, ngx_str_t *body)
{
    return ngx_ors_str_printf(body, call->pool,
                              "{\"arguments\":%V,\"tool\":%V}", arguments,
                              tool);
}


ngx_int_t
ngx_ors_hosted_call_value(ngx_ors_hosted_call_t *call, ngx_str_t *arguments,
    ngx_str_t *value)
{
    ngx_int_t              rc;
    ngx_str_t              text;
    ngx_ors_json_t         json;
    ngx_ors_json_node_t   *node;
    ngx_ors_hosted_row_t  *row;

    ngx_str_null(value);

    if (call->type == ngx_ors_hosted_type_own) {
        return NGX_OK;
    }

    rc = ngx_ors_hosted_call_read(call, &json, arguments);

    if (rc != NGX_OK) {
        return (rc == NGX_DECLINED) ? NGX_OK : NGX_ERROR;
    }

    row = &ngx_ors_hosted_rows[call->type];

    node = ngx_ors_json_get(&json, json.nodes, row->argument.data,
                            row->argument.len);

    ngx_ors_json_inner(&json, node, &text);

    return text.len ? ngx_ors_str_printf(value, call->pool, row->shown, &text)
                    : NGX_OK;
}


/* NGX_DECLINED: it is no object */

static ngx_int_t
ngx_ors_hosted_call_read(ngx_ors_hosted_call_t *call, ngx_ors_json_t *json,
    ngx_str_t *text)
{
    ngx_int_t  rc;

    ngx_ors_json_init(json, call->pool, call->limits->depth,
                      call->limits->nodes);

    rc = ngx_ors_json_read(json, text->data, text->len);

    if (rc == NGX_OK && json->nodes->type != ngx_ors_json_object) {
        return NGX_DECLINED;
    }

    return rc;
}


ngx_int_t
ngx_ors_hosted_call_result(ngx_ors_hosted_call_t *call, ngx_str_t *text,
    ngx_ors_hosted_result_t *result)
{
    ngx_int_t              rc;
    ngx_ors_json_t         json;
    ngx_ors_json_node_t   *output, *list;
    ngx_ors_hosted_row_t  *row;

    ngx_memzero(result, sizeof(ngx_ors_hosted_result_t));

    result->text = *text;
    row = &ngx_ors_hosted_rows[call->type];

    rc = ngx_ors_hosted_call_read(call, &json, text);

    if (rc != NGX_OK) {
        return (rc == NGX_DECLINED)
               ? ngx_ors_hosted_call_plain(call, text, result) : NGX_ERROR;
    }

    output = ngx_ors_json_find(&json, json.nodes, "output");
    list = row->list.len ? ngx_ors_json_get(&json, json.nodes, row->list.data,
                                            row->list.len)
                         : NULL;

    if (output && output->type == ngx_ors_json_string
        && ngx_ors_json_copy(&json, output, json.pool, &result->text)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (list && list->type != ngx_ors_json_null) {
        ngx_ors_json_raw(&json, list, &result->list);

        return ngx_ors_hosted_call_list(row, &json, list, &result->results);
    }

    return ngx_ors_hosted_call_plain(call, &result->text, result);
}


/* output of a program is a list of one log, all else is no list */

static ngx_int_t
ngx_ors_hosted_call_plain(ngx_ors_hosted_call_t *call, ngx_str_t *text,
    ngx_ors_hosted_result_t *result)
{
    ngx_ors_out_t  out;

    if (call->type != ngx_ors_hosted_type_interpreter) {
        return NGX_OK;
    }

    ngx_ors_out_init(&out, call->pool, NGX_ORS_HOSTED_CALL_BLOCK);

    ngx_ors_out_lit(&out, "[{\"type\":\"logs\",\"logs\":");
    ngx_ors_json_quote(&out, text->data, text->len);
    ngx_ors_out_lit(&out, "}]");

    return ngx_ors_out_text(&out, &result->results);
}


static ngx_int_t
ngx_ors_hosted_call_list(ngx_ors_hosted_row_t *row, ngx_ors_json_t *json,
    ngx_ors_json_node_t *list, ngx_str_t *results)
{
    ngx_ors_out_t              out;
    ngx_ors_json_node_t       *node, *kind;
    ngx_ors_hosted_element_t  *element;

    if (list->type != ngx_ors_json_array) {
        return NGX_DECLINED;
    }

    if (list->count == 0) {
        ngx_str_set(results, "[]");
        return NGX_OK;
    }

    ngx_ors_out_init(&out, json->pool, NGX_ORS_HOSTED_CALL_BLOCK);

    ngx_ors_json_each(node, json, list) {
        kind = ngx_ors_json_find(json, node, "type");

        for (element = row->elements; element->kind.len; element++) {

            if (ngx_ors_json_equal(json, kind, element->kind.data,
                                   element->kind.len))
            {
                break;
            }
        }

        ngx_ors_out_lit(&out, ",");

        if (ngx_ors_hosted_call_element(element, json, node, &out) != NGX_OK) {
            return NGX_DECLINED;
        }
    }

    ngx_ors_out_lit(&out, "]");

    if (ngx_ors_out_text(&out, results) != NGX_OK) {
        return NGX_ERROR;
    }

    /* the first comma made room for it */

    results->data[0] = '[';

    return NGX_OK;
}


/* only members that are known go on; NGX_DECLINED: one is wrong or absent */

static ngx_int_t
ngx_ors_hosted_call_element(ngx_ors_hosted_element_t *element,
    ngx_ors_json_t *json, ngx_ors_json_node_t *node, ngx_ors_out_t *out)
{
    ngx_str_t                 raw;
    ngx_uint_t                n;
    ngx_ors_json_node_t      *value;
    ngx_ors_hosted_member_t  *member;

    if (element->members->name.len == 0) {
        return NGX_DECLINED;
    }

    n = 0;
    ngx_ors_out_lit(out, "{");

    if (element->kind.len) {
        n++;
        ngx_ors_out_lit(out, "\"type\":\"");
        ngx_ors_out_str(out, &element->kind);
        ngx_ors_out_lit(out, "\"");
    }

    for (member = element->members; member->name.len; member++) {
        value = ngx_ors_json_get(json, node, member->name.data,
                                 member->name.len);

        if (value == NULL || value->type == ngx_ors_json_null) {

            if (member->needed) {
                return NGX_DECLINED;
            }

            continue;
        }

        if (value->type != member->type) {
            return NGX_DECLINED;
        }

        if (n++) {
            ngx_ors_out_lit(out, ",");
        }

        ngx_ors_out_lit(out, "\"");
        ngx_ors_out_str(out, &member->name);
        ngx_ors_out_lit(out, "\":");

        ngx_ors_json_raw(json, value, &raw);

        if (value->type == ngx_ors_json_string) {
            raw.data--;
            raw.len += 2;
        }

        ngx_ors_out_str(out, &raw);
    }

    ngx_ors_out_lit(out, "}");

    return NGX_OK;
}
