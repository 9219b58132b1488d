
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A body read, validated and taken apart into a checked request, which is
 * written again, copied, and asked for the fields that are not sent on.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_request.h>
#include <ngx_ors_violation.h>


#define NGX_ORS_REQUEST_BLOCK  512


/* nodes and items know the text and each other by their places only */

#define ngx_ors_request_copy_node(to, from, node)                             \
    ((node) ? (to)->json.nodes + ((node) - (from)->json.nodes) : NULL)


static ngx_int_t ngx_ors_request_read_body(ngx_ors_request_t *req,
    ngx_ors_edits_t *lists, ngx_ors_error_t *err);
static ngx_int_t ngx_ors_request_fields(ngx_ors_request_t *req,
    ngx_ors_error_t *err);
static ngx_int_t ngx_ors_request_model(ngx_ors_request_t *req,
    ngx_ors_error_t *err);
static size_t ngx_ors_request_write_model(ngx_ors_request_t *req,
    ngx_str_t *model, size_t pos, size_t last, ngx_ors_out_t *out);
static ngx_uint_t ngx_ors_request_tools_of(ngx_ors_json_t *json,
    ngx_ors_json_node_t *list);
static ngx_int_t ngx_ors_request_too_many(ngx_ors_request_t *req,
    ngx_int_t item, ngx_ors_error_t *err);
static void ngx_ors_request_index(ngx_ors_request_t *req,
    ngx_ors_input_item_t *item, ngx_ors_input_item_t *last, size_t at,
    ngx_ors_index_t *index);
static ngx_int_t ngx_ors_request_count(ngx_ors_request_t *req,
    ngx_ors_json_node_t *node, ngx_uint_t max, char *name,
    ngx_ors_error_t *err);
static ngx_int_t ngx_ors_request_countable(ngx_ors_request_t *req,
    ngx_ors_error_t *err);
static ngx_int_t ngx_ors_request_copy_edits(ngx_ors_request_t *to,
    ngx_ors_request_t *from);
static ngx_int_t ngx_ors_request_copy_items(ngx_ors_request_t *to,
    ngx_ors_request_t *from);
static void ngx_ors_request_compact(ngx_ors_request_t *req);
static u_char *ngx_ors_request_ignored_list(ngx_ors_request_t *req,
    ngx_ors_unknown_t *unknown, u_char *p, u_char *start, u_char *last);
static u_char *ngx_ors_request_ignored_path(ngx_ors_json_t *json,
    ngx_ors_json_node_t *key, u_char *p, u_char *last);


/* fields that a summary may depend on, named as in POST responses */

static const ngx_ors_rq_field_e  ngx_ors_request_compacts[] = {
    ngx_ors_rq_model,
    ngx_ors_rq_input,
    ngx_ors_rq_instructions,
    ngx_ors_rq_previous_response_id,
    ngx_ors_rq_prompt_cache_key,
    ngx_ors_rq_reasoning,
    ngx_ors_rq_service_tier,
    ngx_ors_rq_n
};


void
ngx_ors_request_init(ngx_ors_request_t *req,
    const ngx_ors_endpoint_t *endpoint, ngx_ors_policy_t *policy,
    ngx_ors_limits_t *limits, ngx_pool_t *pool)
{
    ngx_memzero(req, sizeof(ngx_ors_request_t));

    req->endpoint = endpoint;
    req->policy = policy;
    req->limits = limits;
    req->pool = pool;

    ngx_ors_json_init(&req->json, pool, limits->depth, limits->nodes);
    ngx_ors_edits_init(&req->edits, pool);
}


ngx_int_t
ngx_ors_request_read(ngx_ors_request_t *req, ngx_str_t *body,
    ngx_ors_error_t *err)
{
    ngx_int_t        rc;
    ngx_ors_out_t    out;
    ngx_ors_edits_t  lists;

    ngx_ors_edits_init(&lists, req->pool);

    req->body = *body;

    rc = ngx_ors_request_read_body(req, &lists, err);

    if (rc == NGX_OK && lists.n) {

        /* read once more, with lists where others expect them */

        ngx_ors_out_init(&out, req->pool, NGX_ORS_REQUEST_BLOCK);
        ngx_ors_edits_write(&lists, &req->json, 0, body->len, 1, &out);

        if (ngx_ors_out_text(&out, &req->body) != NGX_OK) {
            return NGX_ERROR;
        }

        req->listed = 1;

        ngx_ors_edits_clear(&req->edits);
        ngx_memzero(req->unknown, sizeof(req->unknown));

        rc = ngx_ors_request_read_body(req, NULL, err);
    }

    return (rc == NGX_OK) ? ngx_ors_request_fields(req, err) : rc;
}


/* reads req->body; "lists" gets the brackets that it lacks */

static ngx_int_t
ngx_ors_request_read_body(ngx_ors_request_t *req, ngx_ors_edits_t *lists,
    ngx_ors_error_t *err)
{
    u_char             *last, buf[NGX_ORS_JSON_REASON];
    ngx_int_t           rc;
    ngx_ors_validate_t  v;

    rc = ngx_ors_json_read(&req->json, req->body.data, req->body.len);

    req->values = req->json.n;

    if (rc == NGX_DECLINED) {
        last = ngx_ors_json_reason(&req->json, buf);

        return ngx_ors_error_set(err, req->pool, ngx_ors_code_invalid_json,
                                 "the body %*s", (size_t) (last - buf), buf);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    /* they live as long as the answer takes */

    ngx_ors_json_trim(&req->json);

    ngx_memzero(&v, sizeof(ngx_ors_validate_t));

    v.json = &req->json;
    v.policy = req->policy;
    v.root = "the body";
    v.pool = req->pool;
    v.err = err;
    v.edits = &req->edits;
    v.lists = lists;
    v.nfound = ngx_ors_rq_n;
    v.unknown = req->unknown;

    return ngx_ors_validate(&v, &req->json.nodes[0], req->endpoint->request,
                            ngx_ors_endpoint_creates(req->endpoint)
                            ? req->field : NULL);
}


/* the rows of other endpoints are looked for by name */

static ngx_int_t
ngx_ors_request_fields(ngx_ors_request_t *req, ngx_ors_error_t *err)
{
    ngx_int_t              rc;
    ngx_ors_json_t        *json;
    ngx_ors_json_node_t   *root, *name, *list, *tools, *stream, *pad;
    ngx_ors_input_item_t  *last;

    json = &req->json;
    root = &json->nodes[0];

    ngx_ors_request_compact(req);

    if (ngx_ors_endpoint_creates(req->endpoint)) {
        name = req->field[ngx_ors_rq_model];
        list = req->field[ngx_ors_rq_input];
        tools = req->field[ngx_ors_rq_tools];
        stream = req->field[ngx_ors_rq_stream];

    } else {
        name = ngx_ors_json_find(json, root, "model");
        list = (req->endpoint->id == ngx_ors_endpoint_chat)
               ? ngx_ors_json_find(json, root, "messages")
               : ngx_ors_json_find(json, root, "input");
        tools = ngx_ors_json_find(json, root, "tools");
        stream = ngx_ors_json_find(json, root, "stream");
    }

    rc = ngx_ors_request_count(req, list, req->limits->items,
                               (req->endpoint->id == ngx_ors_endpoint_chat)
                               ? "messages" : "input", err);
    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_ors_request_counts(req)
        && ngx_ors_request_countable(req, err) != NGX_OK)
    {
        return NGX_DECLINED;
    }

    rc = ngx_ors_request_count(req, tools, req->limits->tools, "tools", err);
    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_ors_input_read(&req->input, json, req->field[ngx_ors_rq_input],
                           req->pool)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    rc = ngx_ors_request_tools(req, err);
    if (rc != NGX_OK) {
        return rc;
    }

    last = ngx_ors_input_last(&req->input);

    if (last && last->kind == ngx_ors_input_trigger
        && (req->policy->profile & NGX_ORS_IN_OPENAI))
    {
        req->compact = 1;
    }

    req->stream = (stream && stream->type == ngx_ors_json_true
                   && req->endpoint->event);

    /*
     * The specification obfuscates by default, but the field of its events is
     * optional: padding is sent only to clients that ask for it
     */

    pad = ngx_ors_json_find(json, req->field[ngx_ors_rq_stream_options],
                            "include_obfuscation");
    req->obfuscate = (pad && pad->type == ngx_ors_json_true);

    if (name && name->type == ngx_ors_json_string) {
        req->name = name;

        if (ngx_ors_json_decoded(&req->json, name, req->pool, &req->model)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        rc = ngx_ors_request_model(req, err);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    name = req->field[ngx_ors_rq_provider];

    if (name && name->type == ngx_ors_json_string) {
        return ngx_ors_json_decoded(&req->json, name, req->pool,
                                    &req->provider);
    }

    return NGX_OK;
}


/* a count is one number, and made while its client waits */

static ngx_int_t
ngx_ors_request_countable(ngx_ors_request_t *req, ngx_ors_error_t *err)
{
    ngx_uint_t            i;
    const ngx_str_t      *name;
    ngx_ors_json_node_t  *node;

    static const ngx_uint_t  fields[] = {
        ngx_ors_rq_stream,
        ngx_ors_rq_background
    };

    for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        node = req->field[fields[i]];

        if (node && node->type == ngx_ors_json_true) {
            name = &ngx_ors_fields_create.fields[fields[i]].name;

            (void) ngx_ors_error_set(err, req->pool,
                                     ngx_ors_code_unsupported_parameter,
                                     "\"%V\" is not supported here, it must "
                                     "be false or absent", name);
            err->param = *name;

            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}


/* the model is part of headers, log lines and arguments of directives */

static ngx_int_t
ngx_ors_request_model(ngx_ors_request_t *req, ngx_ors_error_t *err)
{
    if (req->model.len > NGX_ORS_LINE_MAX) {
        (void) ngx_ors_error_set(err, req->pool,
                                 ngx_ors_code_string_above_max_length,
                                 "\"model\" must have at most %d bytes, "
                                 "found %uz", NGX_ORS_LINE_MAX,
                                 req->model.len);

    } else if (!ngx_ors_line_clean(&req->model)) {
        (void) ngx_ors_error_set(err, req->pool, ngx_ors_code_invalid_value,
                                 "\"model\" must not have control "
                                 "characters");

    } else {
        return NGX_OK;
    }

    return ngx_ors_error_param(err, "model");
}


ngx_int_t
ngx_ors_request_unreadable(ngx_ors_request_t *req, ngx_ors_json_t *json,
    ngx_ors_error_t *err)
{
    if (json->error != ngx_ors_json_err_nodes) {
        return ngx_ors_error_set(err, req->pool,
                                 ngx_ors_code_store_unavailable,
                                 "what is stored of the conversation cannot "
                                 "be read");
    }

    ngx_ors_error_set(err, req->pool, ngx_ors_code_context_length_exceeded,
                      "the request and the conversation before it have more "
                      "than %ui values", req->limits->nodes);

    return ngx_ors_error_param(err, "input");
}


ngx_uint_t
ngx_ors_request_text(ngx_ors_request_t *req, ngx_ors_input_item_t *item)
{
    ngx_ors_json_node_t  *input;

    input = req->field[ngx_ors_rq_input];

    if (input == NULL || input->type != ngx_ors_json_string
        || input->len == 0)
    {
        return 0;
    }

    ngx_memzero(item, sizeof(ngx_ors_input_item_t));

    item->json = &req->json;
    item->kind = ngx_ors_input_text;
    item->node = (uint32_t) (input - req->json.nodes);
    item->content = item->node;

    return 1;
}


ngx_int_t
ngx_ors_request_routable(ngx_ors_request_t *req, ngx_ors_error_t *err)
{
    if (req->model.len) {
        return NGX_OK;
    }

    (void) ngx_ors_error_set(err, req->pool,
                             ngx_ors_code_missing_required_parameter,
                             "\"model\" %s",
                             req->name ? "must not be empty" : "is required");

    return ngx_ors_error_param(err, "model");
}


void
ngx_ors_request_named(ngx_ors_request_t *req, ngx_str_t *model)
{
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *node;

    *model = req->model;
    json = &req->json;

    if (model->len == 0 && json->n && json->error == ngx_ors_json_err_none
        && json->nodes->type == ngx_ors_json_object)
    {
        node = ngx_ors_json_find(json, json->nodes, "model");

        if (node && node->type == ngx_ors_json_string && !node->escaped) {
            ngx_ors_json_raw(json, node, model);
        }
    }

    if (!ngx_ors_line_fits(model)) {
        ngx_str_null(model);
    }
}


ngx_uint_t
ngx_ors_request_includes(ngx_ors_request_t *req, char *what)
{
    ngx_ors_json_node_t  *node;

    ngx_ors_json_each(node, &req->json, req->field[ngx_ors_rq_include]) {
        if (ngx_ors_json_equal(&req->json, node, (u_char *) what,
                               ngx_strlen(what)))
        {
            return 1;
        }
    }

    return 0;
}


ngx_uint_t
ngx_ors_request_knows(ngx_ors_request_t *req, const ngx_str_t *name)
{
    return ngx_ors_validate_knows(req->endpoint->request, name,
                                  req->policy->profile);
}


ngx_ors_json_node_t *
ngx_ors_request_function(ngx_ors_request_t *req, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node)
{
    ngx_ors_json_node_t  *name, *function;

    if (!(req->policy->profile & NGX_ORS_IN_TOLERANT)) {
        return node;
    }

    name = ngx_ors_json_find(json, node, "name");

    if (name && name->type != ngx_ors_json_null) {
        return node;
    }

    function = ngx_ors_json_find(json, node, "function");

    return (function && function->type == ngx_ors_json_object) ? function
                                                               : node;
}


void
ngx_ors_request_write(ngx_ors_request_t *req, ngx_str_t *model,
    ngx_ors_out_t *out)
{
    size_t                pos, input;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *node;

    json = &req->json;
    pos = 0;

    if (!req->merged) {
        pos = ngx_ors_request_write_model(req, model, pos, req->body.len, out);
        ngx_ors_edits_write(&req->edits, json, pos, req->body.len, 1, out);
        return;
    }

    /* a member that is null has no value, but a place in the text */

    node = ngx_ors_json_find(json, json->nodes, "input");

    if (node) {
        input = ngx_ors_edit_start(node);

        pos = ngx_ors_request_write_model(req, model, pos, input, out);
        ngx_ors_edits_write(&req->edits, json, pos, input, 1, out);
        pos = ngx_ors_edit_end(node);

    } else {
        pos = (size_t) json->nodes->pos + 1;
        ngx_ors_out_lit(out, "{\"input\":");
    }

    ngx_ors_request_write_items(req, 0, req->input.n, NULL, out);

    if (node == NULL && json->nodes->count) {
        ngx_ors_out_lit(out, ",");
    }

    pos = ngx_ors_request_write_model(req, model, pos, req->body.len, out);
    ngx_ors_edits_write(&req->edits, json, pos, req->body.len, 1, out);
}


/* the body from "pos" up to "model", if that is in front of "last" */

static size_t
ngx_ors_request_write_model(ngx_ors_request_t *req, ngx_str_t *model,
    size_t pos, size_t last, ngx_ors_out_t *out)
{
    ngx_ors_json_node_t  *name;

    name = req->name;

    if (model->len == 0 || name == NULL || name->pos < pos
        || name->pos >= last)
    {
        return pos;
    }

    ngx_ors_edits_write(&req->edits, &req->json, pos, name->pos, 1, out);
    ngx_ors_json_escape(out, model->data, model->len);

    return (size_t) name->pos + name->len;
}


void
ngx_ors_request_write_items(ngx_ors_request_t *req, ngx_uint_t first,
    ngx_uint_t last, ngx_ors_index_t *index, ngx_ors_out_t *out)
{
    size_t                 pos, end, list, at;
    ngx_uint_t             i;
    ngx_ors_json_node_t   *node;
    ngx_ors_input_item_t  *item, *run;

    list = out->size;

    ngx_ors_out_lit(out, "[");

    for (i = first; i < last; i++) {
        item = &req->input.items[i];
        node = ngx_ors_input_object(item);

        if (i > first) {
            ngx_ors_out_lit(out, ",");
        }

        at = out->size - list;

        if (item->kind == ngx_ors_input_text) {
            ngx_ors_request_write_text(req, out);
            ngx_ors_input_index_text(index, at, out->size - list - at);
            continue;
        }

        pos = ngx_ors_edit_start(node);
        run = item;

        /* items that follow each other are one piece */

        while (i + 1 < last && item[1].json == item->json
               && node->next && node->next == item[1].node)
        {
            i++;
            item++;
            node = ngx_ors_input_object(item);
        }

        end = ngx_ors_edit_end(node);

        if (item->json == &req->json) {
            ngx_ors_edits_write(&req->edits, item->json, pos, end, 1, out);

        } else {
            ngx_ors_out_ref(out, item->json->text + pos, end - pos);
        }

        if (index) {
            ngx_ors_request_index(req, run, item, at, index);
        }
    }

    ngx_ors_out_lit(out, "]");
}


/* items of one document that were written as one piece, at offset "at" */

static void
ngx_ors_request_index(ngx_ors_request_t *req, ngx_ors_input_item_t *item,
    ngx_ors_input_item_t *last, size_t at, ngx_ors_index_t *index)
{
    size_t                pos, start;
    ngx_ors_edits_t       none, *edits;
    ngx_ors_json_node_t  *node;

    ngx_ors_edits_init(&none, req->pool);

    edits = (item->json == &req->json) ? &req->edits : &none;
    pos = ngx_ors_edit_start(ngx_ors_input_object(item));

    for ( /* void */ ; item <= last; item++) {
        node = ngx_ors_input_object(item);
        start = ngx_ors_edit_start(node);

        at += ngx_ors_edits_size(edits, pos, start);

        ngx_ors_input_index(index, item, edits, at);

        pos = ngx_ors_edit_end(node);
        at += ngx_ors_edits_size(edits, start, pos);
    }
}


void
ngx_ors_request_write_text(ngx_ors_request_t *req, ngx_ors_out_t *out)
{
    ngx_str_t  text;

    ngx_ors_json_raw(&req->json, req->field[ngx_ors_rq_input], &text);

    ngx_ors_out_lit(out, "{\"type\":\"message\",\"role\":\"user\","
                         "\"content\":\"");
    ngx_ors_out_ref(out, text.data, text.len);
    ngx_ors_out_lit(out, "\"}");
}


static ngx_int_t
ngx_ors_request_count(ngx_ors_request_t *req, ngx_ors_json_node_t *node,
    ngx_uint_t max, char *name, ngx_ors_error_t *err)
{
    if (node == NULL || node->type != ngx_ors_json_array
        || node->count <= max)
    {
        return NGX_OK;
    }

    ngx_ors_error_set(err, req->pool, ngx_ors_code_array_above_max_length,
                      "\"%s\" must have at most %ui elements here, found %ui",
                      name, max, (ngx_uint_t) node->count);

    return ngx_ors_error_param(err, name);
}


/* tools may be in namespaces, and come as input, if there is such a thing */

ngx_int_t
ngx_ors_request_tools(ngx_ors_request_t *req, ngx_ors_error_t *err)
{
    ngx_uint_t             i, n;
    ngx_ors_json_t        *json;
    ngx_ors_json_node_t   *list;
    ngx_ors_input_item_t  *item;

    if (!ngx_ors_endpoint_creates(req->endpoint)
        || !(req->policy->profile & NGX_ORS_IN_OPENAI))
    {
        return NGX_OK;
    }

    json = &req->json;
    list = req->field[ngx_ors_rq_tools];

    n = ngx_ors_request_tools_of(json, list);

    if (n > req->limits->tools) {
        return ngx_ors_request_too_many(req, -1, err);
    }

    for (i = 0; i < req->input.n; i++) {
        item = &req->input.items[i];

        if (item->kind != ngx_ors_input_tools
            && item->kind != ngx_ors_input_search_output)
        {
            continue;
        }

        list = ngx_ors_input_node(item, item->tools);
        n += ngx_ors_request_tools_of(item->json, list);

        if (n > req->limits->tools) {
            return ngx_ors_request_too_many(req, i, err);
        }
    }

    return NGX_OK;
}


static ngx_uint_t
ngx_ors_request_tools_of(ngx_ors_json_t *json, ngx_ors_json_node_t *list)
{
    ngx_uint_t            n;
    ngx_ors_json_node_t  *tool, *type;

    n = ngx_ors_json_count(list);

    ngx_ors_json_each(tool, json, list) {
        type = ngx_ors_json_find(json, tool, "type");

        if (ngx_ors_json_is(json, type, "namespace")) {
            n += ngx_ors_json_count(ngx_ors_json_find(json, tool, "tools"));
        }
    }

    return n;
}


/* "item" of the input, -1: none of it */

static ngx_int_t
ngx_ors_request_too_many(ngx_ors_request_t *req, ngx_int_t item,
    ngx_ors_error_t *err)
{
    ngx_str_t  param;

    ngx_str_set(&param, "tools");

    if (item >= 0 && (ngx_uint_t) item < req->prior) {
        ngx_str_set(&param, "previous_response_id");

    } else if (item >= 0
               && ngx_ors_str_printf(&param, req->pool, "input[%i].tools",
                                     item - (ngx_int_t) req->prior)
                  != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_ors_error_set(err, req->pool, ngx_ors_code_array_above_max_length,
                      "there must be at most %ui tools here, those in "
                      "namespaces and in \"input\" among them, with \"%V\" "
                      "there are more", req->limits->tools, &param);
    err->param = param;

    return NGX_DECLINED;
}


/* A checked request in the memory of another pool, without reading it again. */


ngx_int_t
ngx_ors_request_copy(ngx_ors_request_t *to, ngx_ors_request_t *from,
    ngx_str_t *body)
{
    ngx_uint_t       i;
    ngx_ors_json_t  *json;

    json = &to->json;

    json->nodes = ngx_palloc(to->pool,
                             from->json.n * sizeof(ngx_ors_json_node_t));
    if (json->nodes == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(json->nodes, from->json.nodes,
               from->json.n * sizeof(ngx_ors_json_node_t));

    json->n = from->json.n;
    json->nalloc = from->json.n;
    json->text = body->data;

    to->body = *body;
    to->values = from->values;

    if (ngx_ors_request_copy_edits(to, from) != NGX_OK
        || ngx_ors_request_copy_items(to, from) != NGX_OK
        || ngx_ors_str_copy(&to->model, to->pool, &from->model) != NGX_OK
        || ngx_ors_str_copy(&to->provider, to->pool, &from->provider)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    for (i = 0; i < ngx_ors_rq_n; i++) {
        to->field[i] = ngx_ors_request_copy_node(to, from, from->field[i]);
    }

    to->name = ngx_ors_request_copy_node(to, from, from->name);

    ngx_memcpy(to->unknown, from->unknown, sizeof(to->unknown));

    to->stream = from->stream;
    to->compact = from->compact;
    to->obfuscate = from->obfuscate;

    return NGX_OK;
}


static ngx_int_t
ngx_ors_request_copy_edits(ngx_ors_request_t *to, ngx_ors_request_t *from)
{
    ngx_str_t        text;
    ngx_uint_t       i;
    ngx_ors_edit_t  *edit;

    for (i = 0; i < from->edits.n; i++) {
        edit = &from->edits.elts[i];

        text.data = edit->text;
        text.len = edit->size;

        if (ngx_ors_str_copy(&text, to->pool, &text) != NGX_OK
            || ngx_ors_edits_add(&to->edits, edit->pos, edit->len,
                                 text.len ? &text : NULL)
               != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_request_copy_items(ngx_ors_request_t *to, ngx_ors_request_t *from)
{
    size_t      size;
    ngx_uint_t  i;

    if (from->input.n == 0) {
        return NGX_OK;
    }

    size = from->input.n * sizeof(ngx_ors_input_item_t);

    to->input.items = ngx_palloc(to->pool, size);
    if (to->input.items == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(to->input.items, from->input.items, size);
    to->input.n = from->input.n;

    for (i = 0; i < to->input.n; i++) {
        to->input.items[i].json = &to->json;
    }

    return NGX_OK;
}


/*
 * Requests for a compaction: those to POST responses/compact (protocol, section
 * 12), and with flavor "openai" also those to POST responses whose input ends
 * with an item of type compaction_trigger, or is too long for them.
 */


/*
 * Sets req->compact for a validated request to POST responses/compact, and
 * finds those of req->field that it may have.
 */

static void
ngx_ors_request_compact(ngx_ors_request_t *req)
{
    ngx_ors_json_node_t       *node;
    const ngx_ors_field_t     *field;
    const ngx_ors_rq_field_e  *row;

    if (req->endpoint->id != ngx_ors_endpoint_compact) {
        return;
    }

    req->compact = 1;

    for (row = ngx_ors_request_compacts; *row != ngx_ors_rq_n; row++) {
        field = &ngx_ors_fields_create.fields[*row];

        node = ngx_ors_json_get(&req->json, req->json.nodes,
                                field->name.data, field->name.len);

        req->field[*row] = (node && node->type != ngx_ors_json_null) ? node
                                                                     : NULL;
    }
}


ngx_ors_json_node_t *
ngx_ors_request_conversation(ngx_ors_request_t *req)
{
    ngx_ors_json_node_t  *node;

    node = req->field[ngx_ors_rq_conversation];

    if (node && node->type == ngx_ors_json_object) {
        node = ngx_ors_json_find(&req->json, node, "id");
    }

    return (node && node->type == ngx_ors_json_string) ? node : NULL;
}


int64_t
ngx_ors_request_threshold(ngx_ors_request_t *req)
{
    int64_t               n, least;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *node;

    least = 0;
    json = &req->json;

    ngx_ors_json_each(node, json, req->field[ngx_ors_rq_context_management]) {

        if (ngx_ors_json_is(json, ngx_ors_json_find(json, node, "type"),
                            "compaction")
            && ngx_ors_json_integer(json,
                                    ngx_ors_json_find(json, node,
                                                      "compact_threshold"), &n)
               == NGX_OK
            && (least == 0 || n < least))
        {
            least = n;
        }
    }

    return least;
}


/*
 * The names of fields that are not sent on, as a list for a line.
 */


ngx_int_t
ngx_ors_request_ignore(ngx_ors_request_t *req, ngx_uint_t translated)
{
    u_char             *p, *last, buf[NGX_ORS_LINE_MAX];
    ngx_str_t           text;
    ngx_ors_unknown_t  *outer, *inner;

    outer = translated ? &req->dropped : &req->unknown[0];
    inner = &req->unknown[1];

    req->nignored = 0;
    ngx_str_null(&req->ignored);

    if (translated || req->policy->unknown == ngx_ors_unknown_strip) {
        req->nignored = outer->n + inner->n;
    }

    if (translated) {
        req->nignored += req->unserved.n;
    }

    if (req->nignored == 0) {
        return NGX_OK;
    }

    last = buf + sizeof(buf);

    p = ngx_ors_request_ignored_list(req, outer, buf, buf, last);
    p = ngx_ors_request_ignored_list(req, inner, p, buf, last);

    if (translated) {
        p = ngx_ors_request_ignored_list(req, &req->unserved, p, buf, last);
    }

    /* a name that does not fit is cut, perhaps inside of a character */

    text.data = buf;
    text.len = ngx_ors_line_copy(buf, buf, p - buf) - buf;

    return ngx_ors_str_copy(&req->ignored, req->pool, &text);
}


static u_char *
ngx_ors_request_ignored_list(ngx_ors_request_t *req,
    ngx_ors_unknown_t *unknown, u_char *p, u_char *start, u_char *last)
{
    ngx_uint_t       i, n;
    ngx_ors_json_t  *json;

    json = &req->json;
    n = ngx_min(unknown->n, NGX_ORS_UNKNOWN_MAX);

    for (i = 0; i < n; i++) {

        if (p > start) {
            p = ngx_slprintf(p, last, ", ");
        }

        p = ngx_ors_request_ignored_path(json, json->nodes + unknown->keys[i],
                                         p, last);
    }

    return p;
}


/* from the root down to the key, as errors have it: input[0].mark */

static u_char *
ngx_ors_request_ignored_path(ngx_ors_json_t *json, ngx_ors_json_node_t *key,
    u_char *p, u_char *last)
{
    u_char                buf[NGX_ORS_VIOLATION_QUOTE];
    ngx_str_t             name;
    ngx_uint_t            i;
    ngx_ors_json_node_t  *node, *member, *next;
    ngx_ors_violation_t   violation;

    node = json->nodes;

    ngx_ors_violation_init(&violation, json, 0);

    for ( ;; ) {
        i = 0;

        /* the child that is "key", or has it */

        ngx_ors_json_each(member, json, node) {
            next = ngx_ors_json_next(json, member);

            if (next == NULL || next > key) {
                break;
            }

            i++;
        }

        if (member == NULL) {
            return p;
        }

        if (node->type == ngx_ors_json_array) {
            p = ngx_slprintf(p, last, "[%ui]", i);
            node = member;
            continue;
        }

        if (node != json->nodes) {
            p = ngx_slprintf(p, last, ".");
        }

        ngx_ors_violation_quote(&violation, member, buf, &name);
        p = ngx_slprintf(p, last, "%V", &name);

        if (member == key) {
            return p;
        }

        node = member + 1;
    }
}
