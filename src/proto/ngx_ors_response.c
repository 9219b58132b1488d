
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The response object as JSON text: what echoes the request, and what the
 * turn adds.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_response.h>


typedef void (*ngx_ors_response_echo_pt)(ngx_ors_out_t *out,
    ngx_ors_request_t *req);


typedef struct {
    ngx_ors_rs_field_e         field;
    ngx_ors_rq_field_e         source;
    ngx_str_t                  key;       /* with the comma in front */
    ngx_ors_response_echo_pt   render;    /* NULL: it goes back as it came */
} ngx_ors_response_echo_t;


static void ngx_ors_response_outcome(ngx_ors_out_t *out,
    ngx_ors_response_t *resp);
static void ngx_ors_response_index(ngx_ors_index_t *index,
    ngx_ors_item_t *item, size_t pos, size_t len);
static void ngx_ors_response_usage(ngx_ors_out_t *out,
    ngx_ors_response_t *resp);
static void ngx_ors_response_echo_value(ngx_ors_out_t *out,
    ngx_ors_request_t *req, const ngx_ors_response_echo_t *echo);
static void ngx_ors_response_tools(ngx_ors_out_t *out,
    ngx_ors_request_t *req);
static void ngx_ors_response_tool(ngx_ors_out_t *out, ngx_ors_request_t *req,
    ngx_ors_json_node_t *tool);
static void ngx_ors_response_tool_choice(ngx_ors_out_t *out,
    ngx_ors_request_t *req);
static void ngx_ors_response_choice(ngx_ors_out_t *out,
    ngx_ors_request_t *req, ngx_ors_json_node_t *choice);
static void ngx_ors_response_allowed(ngx_ors_out_t *out,
    ngx_ors_request_t *req, ngx_ors_json_node_t *choice);
static void ngx_ors_response_text(ngx_ors_out_t *out, ngx_ors_request_t *req);
static void ngx_ors_response_format(ngx_ors_out_t *out, ngx_ors_json_t *json,
    ngx_ors_json_node_t *format);
static void ngx_ors_response_reasoning(ngx_ors_out_t *out,
    ngx_ors_request_t *req);
static void ngx_ors_response_value(ngx_ors_out_t *out, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node);
static void ngx_ors_response_line(ngx_ors_out_t *out, u_char *p,
    u_char *last);
static void ngx_ors_response_named(ngx_ors_out_t *out, ngx_ors_json_t *json,
    ngx_ors_json_node_t *object, ngx_str_t *key, ngx_str_t *value);


static ngx_str_t  ngx_ors_response_statuses[] = {
    ngx_string("in_progress"),
    ngx_string("completed"),
    ngx_string("incomplete"),
    ngx_string("failed"),
    ngx_string("cancelled")
};

static ngx_str_t  ngx_ors_response_queued = ngx_string("queued");


/* members that echo the request; without a key: not in answers of ours */

#define ngx_ors_response_echoed(name, render)                                 \
    { ngx_ors_rs_##name, ngx_ors_rq_##name, ngx_string(",\"" #name "\":"),    \
      render },

#define ngx_ors_response_echo_filled(name, render)                            \
    { ngx_ors_rs_##name, ngx_ors_rq_##name, ngx_null_string, render },

static const ngx_ors_response_echo_t  ngx_ors_response_echoes[] = {
    NGX_ORS_ECHOES(ngx_ors_response_echoed)
    NGX_ORS_ECHOES_FILLED(ngx_ors_response_echo_filled)
};

/* a member "name", or JSON "value" in its place, which may be empty */

#define ngx_ors_response_member(out, json, object, name, value)               \
    ngx_ors_response_named(out, json, object,                                 \
                           &(ngx_str_t) ngx_string(",\"" name "\":"),         \
                           &(ngx_str_t) ngx_string(value))

#define NGX_ORS_RESPONSE_ECHOES                                               \
    (sizeof(ngx_ors_response_echoes) / sizeof(ngx_ors_response_echoes[0]))


static ngx_str_t  ngx_ors_response_flags[] = {
    ngx_string("false"),
    ngx_string("true")
};


void
ngx_ors_response_render(ngx_ors_out_t *out, ngx_ors_response_t *resp)
{
    ngx_uint_t                      i;
    ngx_ors_request_t              *req;
    ngx_ors_json_node_t            *node;
    const ngx_ors_response_echo_t  *echo;

    req = resp->request;

    ngx_ors_out_lit(out, "{\"id\":\"");
    ngx_ors_out_str(out, &resp->id);
    ngx_ors_out_lit(out, "\",\"object\":\"response\",\"created_at\":");
    ngx_ors_out_int(out, resp->created_at);

    ngx_ors_response_outcome(out, resp);

    ngx_ors_out_lit(out, ",\"model\":");
    ngx_ors_response_value(out, &req->json, req->field[ngx_ors_rq_model]);
    ngx_ors_out_lit(out, ",\"previous_response_id\":");

    if (resp->previous.len) {
        ngx_ors_json_quote(out, resp->previous.data, resp->previous.len);

    } else {
        ngx_ors_response_value(out, &req->json,
                               req->field[ngx_ors_rq_previous_response_id]);
    }

    node = ngx_ors_request_conversation(req);

    if (node && (req->policy->profile & NGX_ORS_IN_OPENAI)) {
        ngx_ors_out_lit(out, ",\"conversation\":{\"id\":");
        ngx_ors_response_value(out, &req->json, node);
        ngx_ors_out_lit(out, "}");
    }

    ngx_ors_out_lit(out, ",\"output\":");
    (void) ngx_ors_response_output(out, resp);
    ngx_ors_response_usage(out, resp);

    for (i = 0; i < NGX_ORS_RESPONSE_ECHOES; i++) {
        echo = &ngx_ors_response_echoes[i];

        if (echo->key.len) {
            ngx_ors_out_str(out, &echo->key);
            ngx_ors_response_echo_value(out, req, echo);
        }
    }

    ngx_ors_out_lit(out, ",\"store\":");
    ngx_ors_out_str(out, &ngx_ors_response_flags[resp->stored]);
    ngx_ors_out_lit(out, ",\"background\":");
    ngx_ors_out_str(out, &ngx_ors_response_flags[req->detached]);
    ngx_ors_out_lit(out, "}");
}


void
ngx_ors_response_compaction(ngx_ors_out_t *out, ngx_ors_response_t *resp)
{
    ngx_ors_out_lit(out, "{\"id\":\"");
    ngx_ors_out_str(out, &resp->id);
    ngx_ors_out_lit(out, "\",\"object\":\"response.compaction\","
                         "\"created_at\":");
    ngx_ors_out_int(out, resp->created_at);

    ngx_ors_out_lit(out, ",\"output\":");
    (void) ngx_ors_response_output(out, resp);
    ngx_ors_response_usage(out, resp);
    ngx_ors_out_lit(out, "}");
}


static void
ngx_ors_response_outcome(ngx_ors_out_t *out, ngx_ors_response_t *resp)
{
    if (resp->status == ngx_ors_response_completed) {
        ngx_ors_out_lit(out, ",\"completed_at\":");
        ngx_ors_out_int(out, resp->completed_at);

    } else {
        ngx_ors_out_lit(out, ",\"completed_at\":null");
    }

    ngx_ors_out_lit(out, ",\"status\":\"");
    ngx_ors_out_str(out, resp->queued
                         ? &ngx_ors_response_queued
                         : &ngx_ors_response_statuses[resp->status]);

    if (resp->status == ngx_ors_response_failed) {
        ngx_ors_out_lit(out, "\",\"error\":");
        ngx_ors_error_brief(out, resp->error);

    } else {
        ngx_ors_out_lit(out, "\",\"error\":null");
    }

    if (resp->status == ngx_ors_response_incomplete) {
        ngx_ors_out_lit(out, ",\"incomplete_details\":{\"reason\":\"");
        ngx_ors_out_str(out, &resp->reason);
        ngx_ors_out_lit(out, "\"}");

    } else {
        ngx_ors_out_lit(out, ",\"incomplete_details\":null");
    }
}


ngx_uint_t
ngx_ors_response_output(ngx_ors_out_t *out, ngx_ors_response_t *resp)
{
    size_t           size, pos;
    ngx_uint_t       n, open;
    ngx_ors_item_t  *item;

    n = 0;
    size = out->size;

    ngx_ors_out_lit(out, "[");

    for (item = resp->items; item; item = item->next) {

        open = ngx_ors_item_is_open(item);

        if ((open && !(resp->open && item->announced))
            || (item->hidden_call && !(resp->kept && item->sealed.len)))
        {
            continue;
        }

        if (n++) {
            ngx_ors_out_lit(out, ",");
        }

        pos = out->size - size;

        /* arguments that are an object may be half of one */

        ngx_ors_item_render(out, item,
                            open && item->type == ngx_ors_item_search_call);

        if (resp->index) {
            ngx_ors_response_index(resp->index, item, pos,
                                   out->size - size - pos);
        }
    }

    ngx_ors_out_lit(out, "]");

    resp->output = size;
    resp->output_len = out->size - size;

    return n;
}


static void
ngx_ors_response_index(ngx_ors_index_t *index, ngx_ors_item_t *item,
    size_t pos, size_t len)
{
    ngx_ors_index_item_t  *entry;

    entry = ngx_ors_index_add(index);
    if (entry == NULL) {
        return;
    }

    entry->pos = (uint32_t) pos;
    entry->len = (uint32_t) len;
    entry->id = (uint32_t) ngx_ors_item_id(item);
    entry->id_len = (uint32_t) item->id.len;

    if (item->type == ngx_ors_item_call_output) {
        entry->flags = NGX_ORS_INDEX_ANSWER;

    } else if (item->type == ngx_ors_item_approval) {
        entry->flags = NGX_ORS_INDEX_ASK;
    }
}


void
ngx_ors_usage_sum(ngx_ors_usage_t *sum, const ngx_ors_usage_t *a,
    const ngx_ors_usage_t *b)
{
    sum->input = a->input + b->input;
    sum->cached = a->cached + b->cached;
    sum->output = a->output + b->output;
    sum->reasoning = a->reasoning + b->reasoning;
    sum->total = a->total + b->total;
    sum->known = a->known || b->known;
}


static void
ngx_ors_response_usage(ngx_ors_out_t *out, ngx_ors_response_t *resp)
{
    ngx_ors_usage_t  *u;

    u = &resp->usage;

    /* an end without numbers still needs some: clients read them */

    if (!u->known && resp->status != ngx_ors_response_completed
        && resp->status != ngx_ors_response_incomplete)
    {
        ngx_ors_out_lit(out, ",\"usage\":null");
        return;
    }

    ngx_ors_out_lit(out, ",\"usage\":{\"input_tokens\":");
    ngx_ors_out_int(out, u->input);
    ngx_ors_out_lit(out, ",\"input_tokens_details\":{\"cached_tokens\":");
    ngx_ors_out_int(out, u->cached);
    ngx_ors_out_lit(out, "},\"output_tokens\":");
    ngx_ors_out_int(out, u->output);
    ngx_ors_out_lit(out, ",\"output_tokens_details\":{\"reasoning_tokens\":");
    ngx_ors_out_int(out, u->reasoning);
    ngx_ors_out_lit(out, "},\"total_tokens\":");
    ngx_ors_out_int(out, u->total);
    ngx_ors_out_lit(out, "}");
}


ngx_int_t
ngx_ors_response_field(ngx_ors_out_t *out, ngx_ors_request_t *req,
    ngx_uint_t field)
{
    ngx_uint_t                      i;
    const ngx_ors_response_echo_t  *echo;

    for (i = 0; i < NGX_ORS_RESPONSE_ECHOES; i++) {
        echo = &ngx_ors_response_echoes[i];

        if (echo->field == field) {

            if (field == ngx_ors_rs_store && req->stored) {
                ngx_ors_out_lit(out, "true");
                return NGX_OK;
            }

            ngx_ors_response_echo_value(out, req, echo);
            return NGX_OK;
        }
    }

    return NGX_DECLINED;
}


static void
ngx_ors_response_echo_value(ngx_ors_out_t *out, ngx_ors_request_t *req,
    const ngx_ors_response_echo_t *echo)
{
    ngx_ors_json_node_t    *node;
    const ngx_ors_field_t  *field;

    if (echo->render) {
        echo->render(out, req);
        return;
    }

    node = req->field[echo->source];

    if (node) {
        ngx_ors_response_value(out, &req->json, node);

    } else {
        field = &ngx_ors_fields_response.fields[echo->field];

        ngx_ors_out_copy(out, field->fill.data + ngx_ors_fill_key_len(field),
                         field->fill.len - ngx_ors_fill_key_len(field));
    }
}


static void
ngx_ors_response_tools(ngx_ors_out_t *out, ngx_ors_request_t *req)
{
    ngx_uint_t            n, is_function;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *tool, *function;

    ngx_ors_out_lit(out, "[");

    n = 0;
    json = &req->json;

    ngx_ors_json_each(tool, json, req->field[ngx_ors_rq_tools]) {
        is_function = ngx_ors_json_is(json,
                                      ngx_ors_json_find(json, tool, "type"),
                                      "function");

        if (!is_function && !(req->policy->profile & NGX_ORS_IN_OPENAI)) {
            continue;
        }

        if (n++) {
            ngx_ors_out_lit(out, ",");
        }

        if (!is_function) {
            ngx_ors_response_tool(out, req, tool);
            continue;
        }

        ngx_ors_out_lit(out, "{\"type\":\"function\"");

        function = ngx_ors_request_function(req, json, tool);

        ngx_ors_response_member(out, json, function, "name", "null");
        ngx_ors_response_member(out, json, function, "description", "null");
        ngx_ors_response_member(out, json, function, "parameters", "null");
        ngx_ors_response_member(out, json, function, "strict", "null");

        ngx_ors_out_lit(out, "}");
    }

    ngx_ors_out_lit(out, "]");
}


/* one that only its own server knows more of, without its secrets */

static void
ngx_ors_response_tool(ngx_ors_out_t *out, ngx_ors_request_t *req,
    ngx_ors_json_node_t *tool)
{
    u_char           *p, *text;
    ngx_ors_edit_t   *edit, *end;
    ngx_ors_edits_t   edits;

    ngx_ors_edits_init(&edits, req->pool);

    if (ngx_ors_secrets_tool(&edits, &req->json, tool) != NGX_OK) {
        out->failed = 1;
        return;
    }

    if (edits.n == 0) {
        ngx_ors_response_value(out, &req->json, tool);
        return;
    }

    text = req->json.text;
    p = ngx_ors_json_text(&req->json, tool);

    edit = ngx_ors_edits_from(&edits, 0);
    end = edits.elts + edits.n;

    for ( /* void */ ; edit < end; edit++) {
        ngx_ors_response_line(out, p, text + edit->pos);
        ngx_ors_out_copy(out, edit->text, edit->size);

        p = text + edit->pos + edit->len;
    }

    ngx_ors_response_line(out, p, text + ngx_ors_edit_end(tool));
}


static void
ngx_ors_response_tool_choice(ngx_ors_out_t *out, ngx_ors_request_t *req)
{
    ngx_ors_json_node_t  *choice;

    choice = req->field[ngx_ors_rq_tool_choice];

    if (choice == NULL) {
        ngx_ors_out_lit(out, "\"auto\"");

    } else if (choice->type != ngx_ors_json_object) {
        ngx_ors_response_value(out, &req->json, choice);

    } else if (ngx_ors_json_is(&req->json,
                               ngx_ors_json_find(&req->json, choice, "type"),
                               "allowed_tools"))
    {
        ngx_ors_response_allowed(out, req, choice);

    } else {
        ngx_ors_response_choice(out, req, choice);
    }
}


/* tools of other forms than Chat Completions' go back whole */

static void
ngx_ors_response_choice(ngx_ors_out_t *out, ngx_ors_request_t *req,
    ngx_ors_json_node_t *choice)
{
    u_char               *p;
    ngx_str_t             name;
    ngx_ors_json_node_t  *function, *type;

    function = ngx_ors_request_function(req, &req->json, choice);

    if (function == choice && (req->policy->profile & NGX_ORS_IN_OPENAI)) {
        ngx_ors_response_value(out, &req->json, choice);
        return;
    }

    ngx_ors_out_lit(out, "{\"type\":\"function\"");

    type = ngx_ors_json_find(&req->json, choice, "type");

    if (ngx_ors_json_is(&req->json, type, "function")) {
        ngx_ors_response_member(out, &req->json, function, "name", "");

    } else {

        /* an operator's type, by the function that models have for it */

        ngx_ors_json_raw(&req->json, type, &name);
        p = ngx_strlchr(name.data, name.data + name.len, ':');

        ngx_ors_out_lit(out, ",\"name\":\"");
        ngx_ors_response_line(out, p ? p + 1 : name.data,
                              name.data + name.len);
        ngx_ors_out_lit(out, "\"");
    }

    ngx_ors_out_lit(out, "}");
}


static void
ngx_ors_response_allowed(ngx_ors_out_t *out, ngx_ors_request_t *req,
    ngx_ors_json_node_t *choice)
{
    ngx_uint_t            n;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *tools, *tool;

    n = 0;
    json = &req->json;
    tools = ngx_ors_json_find(json, choice, "tools");

    ngx_ors_out_lit(out, "{\"type\":\"allowed_tools\",\"tools\":[");

    ngx_ors_json_each(tool, json, tools) {
        if (n++) {
            ngx_ors_out_lit(out, ",");
        }

        ngx_ors_response_choice(out, req, tool);
    }

    ngx_ors_out_lit(out, "]");

    ngx_ors_response_member(out, json, choice, "mode", "\"auto\"");
    ngx_ors_out_lit(out, "}");
}


static void
ngx_ors_response_text(ngx_ors_out_t *out, ngx_ors_request_t *req)
{
    ngx_ors_json_node_t  *text, *format;

    ngx_ors_out_lit(out, "{\"format\":");

    text = req->field[ngx_ors_rq_text];
    format = ngx_ors_json_find(&req->json, text, "format");

    if (format == NULL || format->type == ngx_ors_json_null) {
        ngx_ors_out_lit(out, "{\"type\":\"text\"}");

    } else {
        ngx_ors_response_format(out, &req->json, format);
    }

    ngx_ors_response_member(out, &req->json, text, "verbosity", "");
    ngx_ors_out_lit(out, "}");
}


static void
ngx_ors_response_format(ngx_ors_out_t *out, ngx_ors_json_t *json,
    ngx_ors_json_node_t *format)
{
    ngx_ors_json_node_t  *type;

    type = ngx_ors_json_find(json, format, "type");

    if (ngx_ors_json_is(json, type, "text")) {
        ngx_ors_out_lit(out, "{\"type\":\"text\"}");
        return;
    }

    if (ngx_ors_json_is(json, type, "json_object")) {
        ngx_ors_out_lit(out, "{\"type\":\"json_object\"}");
        return;
    }

    /* C7: the schema of an answer may only be null */

    ngx_ors_out_lit(out, "{\"type\":\"json_schema\"");
    ngx_ors_response_member(out, json, format, "name", "\"response\"");
    ngx_ors_response_member(out, json, format, "description", "null");
    ngx_ors_response_member(out, json, format, "strict", "false");
    ngx_ors_out_lit(out, ",\"schema\":null}");
}


static void
ngx_ors_response_reasoning(ngx_ors_out_t *out, ngx_ors_request_t *req)
{
    ngx_ors_json_node_t  *reasoning, *effort;

    reasoning = req->field[ngx_ors_rq_reasoning];

    if (reasoning == NULL) {
        ngx_ors_response_value(out, &req->json, NULL);
        return;
    }

    ngx_ors_out_lit(out, "{\"effort\":");

    effort = ngx_ors_json_find(&req->json, reasoning, "effort");

    /* C12: "minimal" has no place in the specification's answer, nor "max" */

    if (!(req->policy->profile & NGX_ORS_IN_OPENAI)
        && (ngx_ors_json_is(&req->json, effort, "minimal")
            || ngx_ors_json_is(&req->json, effort, "max")))
    {
        effort = NULL;
    }

    ngx_ors_response_value(out, &req->json, effort);

    ngx_ors_response_member(out, &req->json, reasoning, "summary", "null");
    ngx_ors_out_lit(out, "}");
}


static void
ngx_ors_response_value(ngx_ors_out_t *out, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node)
{
    u_char  *text;

    if (node == NULL) {
        ngx_ors_out_lit(out, "null");
        return;
    }

    text = ngx_ors_json_text(json, node);

    if (node->type == ngx_ors_json_string) {
        ngx_ors_out_ref(out, text - 1, (size_t) node->len + 2);

    } else if (memchr(text, LF, node->len) || memchr(text, CR, node->len)) {
        ngx_ors_response_line(out, text, text + node->len);

    } else {
        ngx_ors_out_ref(out, text, node->len);
    }
}


/*
 * A client may write an object on many lines; an event has its data on one.
 * Line ends are white space here: within strings they are escapes.
 */

static void
ngx_ors_response_line(ngx_ors_out_t *out, u_char *p, u_char *last)
{
    u_char  *begin;

    while (p < last) {
        begin = p;

        while (p < last && *p != LF && *p != CR) {
            p++;
        }

        ngx_ors_out_ref(out, begin, p - begin);
        p++;
    }
}


/*
 * "key" is written as ,"name": and looked up by the text in its quotes;
 * without a value nothing is written when "value" is empty
 */

static void
ngx_ors_response_named(ngx_ors_out_t *out, ngx_ors_json_t *json,
    ngx_ors_json_node_t *object, ngx_str_t *key, ngx_str_t *value)
{
    ngx_ors_json_node_t  *node;

    node = ngx_ors_json_get(json, object, key->data + 2, key->len - 4);

    if (node && node->type != ngx_ors_json_null) {
        ngx_ors_out_str(out, key);
        ngx_ors_response_value(out, json, node);
        return;
    }

    if (value->len) {
        ngx_ors_out_str(out, key);
        ngx_ors_out_str(out, value);
    }
}


void
ngx_ors_error_brief(ngx_ors_out_t *out, ngx_ors_error_t *err)
{
    ngx_ors_out_lit(out, "{\"code\":");
    ngx_ors_json_quote(out, err->code.data, err->code.len);
    ngx_ors_out_lit(out, ",\"message\":");
    ngx_ors_json_quote(out, err->message.data, err->message.len);
    ngx_ors_out_lit(out, "}");
}


void
ngx_ors_error_render(ngx_ors_out_t *out, ngx_ors_error_t *err)
{
    ngx_ors_out_lit(out, "{\"type\":");
    ngx_ors_json_quote(out, err->type.data, err->type.len);
    ngx_ors_out_lit(out, ",\"code\":");
    ngx_ors_json_quote(out, err->code.data, err->code.len);
    ngx_ors_out_lit(out, ",\"message\":");
    ngx_ors_json_quote(out, err->message.data, err->message.len);
    ngx_ors_out_lit(out, ",\"param\":");

    /* an empty string, not null: some clients drop the message over it */

    ngx_ors_json_quote(out, err->param.data, err->param.len);
    ngx_ors_out_lit(out, "}");
}
