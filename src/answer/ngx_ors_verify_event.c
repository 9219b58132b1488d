
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The members of an event that the order of a stream depends on, and how an
 * event with repaired members is written.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_same.h>
#include <ngx_ors_verify_event.h>
#include <ngx_ors_verify_tolerate.h>


#define ngx_ors_verify_row(name, act)                                          \
    { ngx_string(name), ngx_ors_verify_act_##act, ngx_ors_verify_part_none,    \
      ngx_ors_verify_m_n, NULL, ngx_ors_verify_step_none }

/* a text in a part, and one that is the item's own */

#define ngx_ors_verify_row_part(name, act, part, text)                         \
    { ngx_string(name), ngx_ors_verify_act_##act, ngx_ors_verify_part_##part,  \
      ngx_ors_verify_m_##text, NULL, ngx_ors_verify_step_none }

#define ngx_ors_verify_row_own(name, act, text, item)                          \
    { ngx_string(name), ngx_ors_verify_act_##act, ngx_ors_verify_part_none,    \
      ngx_ors_verify_m_##text, item, ngx_ors_verify_step_none }

/* the progress of a hosted tool */

#define ngx_ors_verify_row_step(item, name, step)                              \
    { ngx_string("response." item "." name), ngx_ors_verify_act_step,          \
      ngx_ors_verify_part_none, ngx_ors_verify_m_n, item,                      \
      ngx_ors_verify_step_##step }


static const ngx_ors_verify_row_t *ngx_ors_verify_event_find(ngx_str_t *type);
static void ngx_ors_verify_event_member(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev, ngx_ors_json_node_t *key);
static ngx_int_t ngx_ors_verify_event_type(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev);


/* what comes most often comes first */

static const ngx_ors_verify_row_t  ngx_ors_verify_rows[] = {

    ngx_ors_verify_row_part("response.output_text.delta", delta,
                            output_text, delta),
    ngx_ors_verify_row_own("response.function_call_arguments.delta", delta,
                           delta, "function_call"),
    ngx_ors_verify_row_part("response.reasoning_summary_text.delta", delta,
                            summary_text, delta),
    ngx_ors_verify_row_part("response.reasoning_text.delta", delta,
                            reasoning_text, delta),
    ngx_ors_verify_row_part("response.reasoning.delta", delta,
                            reasoning_text, delta),
    ngx_ors_verify_row_part("response.refusal.delta", delta, refusal, delta),
    ngx_ors_verify_row_own("response.custom_tool_call_input.delta", delta,
                           delta, "custom_tool_call"),
    ngx_ors_verify_row_own("response.mcp_call_arguments.delta", delta,
                           delta, "mcp_call"),
    ngx_ors_verify_row_own("response.code_interpreter_call_code.delta", delta,
                           delta, "code_interpreter_call"),

    ngx_ors_verify_row("response.output_item.added", item_added),
    ngx_ors_verify_row("response.output_item.done", item_done),
    ngx_ors_verify_row_part("response.content_part.added", part_added,
                            other, n),
    ngx_ors_verify_row_part("response.content_part.done", part_done,
                            other, n),
    ngx_ors_verify_row_part("response.reasoning_summary_part.added",
                            part_added, summary_text, n),
    ngx_ors_verify_row_part("response.reasoning_summary_part.done",
                            part_done, summary_text, n),

    ngx_ors_verify_row_part("response.output_text.done", text,
                            output_text, text),
    ngx_ors_verify_row_part("response.output_text.annotation.added", note,
                            output_text, n),
    ngx_ors_verify_row_own("response.function_call_arguments.done", text,
                           arguments, "function_call"),
    ngx_ors_verify_row_part("response.reasoning_summary_text.done", text,
                            summary_text, text),
    ngx_ors_verify_row_part("response.reasoning_text.done", text,
                            reasoning_text, text),
    ngx_ors_verify_row_part("response.reasoning.done", text,
                            reasoning_text, text),
    ngx_ors_verify_row_part("response.refusal.done", text, refusal, refusal),
    ngx_ors_verify_row_own("response.custom_tool_call_input.done", text,
                           input, "custom_tool_call"),
    ngx_ors_verify_row_own("response.mcp_call_arguments.done", text,
                           arguments, "mcp_call"),
    ngx_ors_verify_row_own("response.code_interpreter_call_code.done", text,
                           code, "code_interpreter_call"),

    ngx_ors_verify_row_step("mcp_list_tools", "in_progress", begun),
    ngx_ors_verify_row_step("mcp_list_tools", "completed", over),
    ngx_ors_verify_row_step("mcp_list_tools", "failed", over),
    ngx_ors_verify_row_step("mcp_call", "in_progress", begun),
    ngx_ors_verify_row_step("mcp_call", "completed", over),
    ngx_ors_verify_row_step("mcp_call", "failed", over),
    ngx_ors_verify_row_step("web_search_call", "in_progress", begun),
    ngx_ors_verify_row_step("web_search_call", "searching", busy),
    ngx_ors_verify_row_step("web_search_call", "completed", over),
    ngx_ors_verify_row_step("file_search_call", "in_progress", begun),
    ngx_ors_verify_row_step("file_search_call", "searching", busy),
    ngx_ors_verify_row_step("file_search_call", "completed", over),
    ngx_ors_verify_row_step("code_interpreter_call", "in_progress", begun),
    ngx_ors_verify_row_step("code_interpreter_call", "interpreting", busy),
    ngx_ors_verify_row_step("code_interpreter_call", "completed", over),
    ngx_ors_verify_row_step("image_generation_call", "in_progress", begun),
    ngx_ors_verify_row_step("image_generation_call", "generating", busy),
    ngx_ors_verify_row_step("image_generation_call", "completed", over),

    ngx_ors_verify_row("response.created", created),
    ngx_ors_verify_row("response.queued", queued),
    ngx_ors_verify_row("response.in_progress", in_progress),
    ngx_ors_verify_row("response.completed", completed),
    ngx_ors_verify_row("response.incomplete", incomplete),
    ngx_ors_verify_row("response.failed", failed),
    ngx_ors_verify_row("error", error),
    ngx_ors_verify_row("keepalive", none),

    { ngx_null_string, ngx_ors_verify_act_none, ngx_ors_verify_part_none,
      ngx_ors_verify_m_n, NULL, ngx_ors_verify_step_none }
};


/* in the order of ngx_ors_verify_member_e */

static const ngx_str_t  ngx_ors_verify_members[] = {
    ngx_string("type"),
    ngx_string("item"),
    ngx_string("part"),
    ngx_string("text"),
    ngx_string("code"),
    ngx_string("delta"),
    ngx_string("input"),
    ngx_string("error"),
    ngx_string("item_id"),
    ngx_string("refusal"),
    ngx_string("response"),
    ngx_string("arguments"),
    ngx_string("output_index"),
    ngx_string("content_index"),
    ngx_string("summary_index"),
    ngx_string("sequence_number")
};


/* in the order of ngx_ors_verify_part_e */

static const ngx_str_t  ngx_ors_verify_parts[] = {
    ngx_null_string,
    ngx_string("output_text"),
    ngx_string("refusal"),
    ngx_string("reasoning_text"),
    ngx_string("summary_text")
};


ngx_int_t
ngx_ors_verify_event_read(ngx_ors_verify_t *verify, ngx_ors_verify_event_t *ev)
{
    ngx_int_t                    rc;
    ngx_ors_json_t              *json;
    ngx_ors_json_node_t         *key;
    const ngx_ors_verify_row_t  *row;

    ngx_memzero(ev, sizeof(ngx_ors_verify_event_t));

    json = &verify->json;

    for (key = ngx_ors_json_first(json, json->nodes);
         key;
         key = ngx_ors_json_next(json, key))
    {
        ngx_ors_verify_event_member(verify, ev, key);
    }

    row = verify->stream->row;
    verify->stream->row = NULL;

    rc = ngx_ors_verify_event_type(verify, ev);

    if (rc != NGX_OK) {
        return rc;
    }

    /* most events are of the type of the last one */

    if (row == NULL || row->name.len != ev->type.len
        || ngx_memcmp(row->name.data, ev->type.data, ev->type.len) != 0)
    {
        row = ngx_ors_verify_event_find(&ev->type);
    }

    if (row) {
        ev->type = row->name;
        ev->act = row->act;

    } else {
        ev->act = (ev->member[ngx_ors_verify_m_output_index]
                   && ngx_strlchr(ev->type.data,
                                  ev->type.data + ev->type.len, ':') == NULL)
                  ? ngx_ors_verify_act_item : ngx_ors_verify_act_none;
    }

    ev->row = row;
    verify->stream->row = row;

    return NGX_OK;
}


void
ngx_ors_verify_event_lines(ngx_str_t *data)
{
    u_char  *p, *last;

    last = data->data + data->len;

    for (p = data->data; p < last; p++) {
        p = memchr(p, LF, last - p);

        if (p == NULL) {
            return;
        }

        *p = ' ';
    }
}


ngx_ors_verify_part_e
ngx_ors_verify_event_part(ngx_ors_json_t *json, ngx_ors_json_node_t *part,
    ngx_ors_json_node_t **text)
{
    ngx_uint_t            i;
    ngx_ors_json_node_t  *type;

    type = ngx_ors_json_find(json, part, "type");

    for (i = ngx_ors_verify_part_output_text;
         type && i < ngx_ors_verify_part_other;
         i++)
    {
        if (ngx_ors_json_equal(json, type, ngx_ors_verify_parts[i].data,
                               ngx_ors_verify_parts[i].len))
        {
            *text = (i == ngx_ors_verify_part_refusal)
                    ? ngx_ors_json_find(json, part, "refusal")
                    : ngx_ors_json_find(json, part, "text");
            return i;
        }
    }

    *text = NULL;

    return ngx_ors_verify_part_other;
}


static const ngx_ors_verify_row_t *
ngx_ors_verify_event_find(ngx_str_t *type)
{
    const ngx_ors_verify_row_t  *row;

    for (row = ngx_ors_verify_rows; row->name.len; row++) {

        if (ngx_ors_same(&row->name, type)) {
            return row;
        }
    }

    return NULL;
}


static void
ngx_ors_verify_event_member(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev,
    ngx_ors_json_node_t *key)
{
    ngx_uint_t        i;
    const ngx_str_t  *name;

    for (i = 0; i < ngx_ors_verify_m_n; i++) {
        name = &ngx_ors_verify_members[i];

        if (key->len != name->len && !key->escaped) {
            continue;
        }

        if (!ngx_ors_json_equal(&verify->json, key, name->data, name->len)) {
            continue;
        }

        /* null counts as absent where the tables admit it */

        if (key[1].type != ngx_ors_json_null
            || i == ngx_ors_verify_m_sequence)
        {
            ev->member[i] = key + 1;
        }

        return;
    }
}


/* as it is to be in the event's line, where it must end with the line */

static ngx_int_t
ngx_ors_verify_event_type(ngx_ors_verify_t *verify, ngx_ors_verify_event_t *ev)
{
    size_t                i;
    ngx_ors_json_node_t  *type;

    type = ev->member[ngx_ors_verify_m_type];

    if (!type->escaped) {
        ngx_ors_json_raw(&verify->json, type, &ev->type);
        return NGX_OK;
    }

    if (type->len > NGX_ORS_VERIFY_TYPE_MAX) {
        return ngx_ors_verify_violation(verify, "a type is too long");
    }

    /* not from the pool: any number of events may have such a type */

    ev->type.data = verify->stream->type;
    ev->type.len = ngx_ors_json_decode(&verify->json, type, ev->type.data)
                   - ev->type.data;

    for (i = 0; i < ev->type.len; i++) {

        if (ev->type.data[i] < 0x20) {
            return ngx_ors_verify_violation(verify, "a type has a control "
                                            "character");
        }
    }

    return NGX_OK;
}
