
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Each event of a stream as a frame of text.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_event.h>
#include <ngx_ors_frame.h>
#include <ngx_ors_hosted.h>
#include <ngx_ors_pad.h>


/* the events of a part, by its type */

typedef struct {
    ngx_str_t   added;
    ngx_str_t   delta;
    ngx_str_t   text_done;
    ngx_str_t   part_done;
    ngx_str_t   index;        /* name of the index field */
    ngx_str_t   text;         /* name of the field in "text_done" */
} ngx_ors_event_part_t;


/* the events of what a call is made with: arguments, input or code */

typedef struct {
    ngx_str_t   delta;
    ngx_str_t   done;
    ngx_str_t   text;         /* name of the field in "done" */
} ngx_ors_event_call_t;


static void ngx_ors_event_progress(ngx_ors_out_t *out,
    ngx_ors_response_t *resp, ngx_ors_item_t *item);
static ngx_ors_event_call_t *ngx_ors_event_call(ngx_ors_item_t *item);
static void ngx_ors_event_open(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_str_t *type);
static void ngx_ors_event_state(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_str_t *type);
static void ngx_ors_event_item(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item, ngx_str_t *type, ngx_uint_t empty);
static void ngx_ors_event_part(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item, ngx_ors_part_t *part, ngx_str_t *type);
static void ngx_ors_event_text_end(ngx_ors_out_t *out, ngx_ors_part_t *part,
    ngx_ors_element_t *logprobs);
static void ngx_ors_event_pad(ngx_ors_out_t *out, size_t len);
static ngx_uint_t ngx_ors_event_padded(ngx_ors_response_t *resp,
    ngx_ors_part_t *part);
static void ngx_ors_event_place(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item, ngx_str_t *type);
static ngx_ors_event_part_t *ngx_ors_event_names(ngx_ors_response_t *resp,
    ngx_ors_part_t *part);


static ngx_ors_event_part_t  ngx_ors_event_parts[] = {

    { ngx_string("response.content_part.added"),
      ngx_string("response.output_text.delta"),
      ngx_string("response.output_text.done"),
      ngx_string("response.content_part.done"),
      ngx_string(",\"content_index\":"),
      ngx_string(",\"text\":\"") },

    { ngx_string("response.content_part.added"),
      ngx_string("response.refusal.delta"),
      ngx_string("response.refusal.done"),
      ngx_string("response.content_part.done"),
      ngx_string(",\"content_index\":"),
      ngx_string(",\"refusal\":\"") },

    { ngx_string("response.reasoning_summary_part.added"),
      ngx_string("response.reasoning_summary_text.delta"),
      ngx_string("response.reasoning_summary_text.done"),
      ngx_string("response.reasoning_summary_part.done"),
      ngx_string(",\"summary_index\":"),
      ngx_string(",\"text\":\"") },

    { ngx_string("response.content_part.added"),
      ngx_string("response.reasoning.delta"),
      ngx_string("response.reasoning.done"),
      ngx_string("response.content_part.done"),
      ngx_string(",\"content_index\":"),
      ngx_string(",\"text\":\"") }
};


/* of reasoning_text with flavor "openai" (C3) */

static ngx_ors_event_part_t  ngx_ors_event_openai_reasoning = {
    ngx_string("response.content_part.added"),
    ngx_string("response.reasoning_text.delta"),
    ngx_string("response.reasoning_text.done"),
    ngx_string("response.content_part.done"),
    ngx_string(",\"content_index\":"),
    ngx_string(",\"text\":\"")
};


static ngx_ors_event_call_t  ngx_ors_event_calls[] = {

    { ngx_string("response.function_call_arguments.delta"),
      ngx_string("response.function_call_arguments.done"),
      ngx_string(",\"arguments\":\"") },

    { ngx_string("response.custom_tool_call_input.delta"),
      ngx_string("response.custom_tool_call_input.done"),
      ngx_string(",\"input\":\"") },

    { ngx_string("response.mcp_call_arguments.delta"),
      ngx_string("response.mcp_call_arguments.done"),
      ngx_string(",\"arguments\":\"") },

    { ngx_string("response.code_interpreter_call_code.delta"),
      ngx_string("response.code_interpreter_call_code.done"),
      ngx_string(",\"code\":\"") }
};


/* by type from the first one with a hosted part, and status */

static ngx_str_t  ngx_ors_event_hosted[][5] = {

    { ngx_string("response.mcp_list_tools.in_progress"),
      ngx_null_string,
      ngx_string("response.mcp_list_tools.completed"),
      ngx_null_string,
      ngx_string("response.mcp_list_tools.failed") },

    { ngx_string("response.mcp_call.in_progress"),
      ngx_null_string,
      ngx_string("response.mcp_call.completed"),
      ngx_null_string,
      ngx_string("response.mcp_call.failed") },

    { ngx_null_string, ngx_null_string, ngx_null_string, ngx_null_string,
      ngx_null_string },

    { ngx_string("response.web_search_call.in_progress"),
      ngx_string("response.web_search_call.searching"),
      ngx_string("response.web_search_call.completed"),
      ngx_null_string,
      ngx_null_string },

    { ngx_string("response.file_search_call.in_progress"),
      ngx_string("response.file_search_call.searching"),
      ngx_string("response.file_search_call.completed"),
      ngx_null_string,
      ngx_null_string },

    { ngx_string("response.code_interpreter_call.in_progress"),
      ngx_string("response.code_interpreter_call.interpreting"),
      ngx_string("response.code_interpreter_call.completed"),
      ngx_null_string,
      ngx_null_string }
};


void
ngx_ors_event_start(ngx_ors_out_t *out, ngx_ors_response_t *resp)
{
    static ngx_str_t  created = ngx_string("response.created");
    static ngx_str_t  in_progress = ngx_string("response.in_progress");

    ngx_ors_event_state(out, resp, &created);
    ngx_ors_event_state(out, resp, &in_progress);
}


void
ngx_ors_event_end(ngx_ors_out_t *out, ngx_ors_response_t *resp)
{
    static ngx_str_t  in_progress = ngx_string("response.in_progress");
    static ngx_str_t  completed = ngx_string("response.completed");
    static ngx_str_t  incomplete = ngx_string("response.incomplete");
    static ngx_str_t  failed = ngx_string("response.failed");

    switch (resp->status) {

    case ngx_ors_response_in_progress:
        ngx_ors_event_state(out, resp, &in_progress);
        break;

    case ngx_ors_response_completed:
        ngx_ors_event_state(out, resp, &completed);
        break;

    case ngx_ors_response_incomplete:
        ngx_ors_event_state(out, resp, &incomplete);
        break;

    case ngx_ors_response_failed:
        ngx_ors_event_state(out, resp, &failed);
        break;

    case ngx_ors_response_cancelled: /* the protocol has no event for it */
        break;
    }

    ngx_ors_frame_done(out);
}


void
ngx_ors_event_error(ngx_ors_out_t *out, ngx_ors_response_t *resp)
{
    static ngx_str_t  error = ngx_string("error");

    ngx_ors_event_open(out, resp, &error);
    ngx_ors_out_lit(out, ",\"error\":");
    ngx_ors_error_render(out, resp->error);
    ngx_ors_out_lit(out, "}");
    ngx_ors_frame_close(out);
}


void
ngx_ors_event_item_added(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item)
{
    static ngx_str_t  added = ngx_string("response.output_item.added");

    ngx_ors_event_item(out, resp, item, &added, 1);
}


void
ngx_ors_event_item_done(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item)
{
    static ngx_str_t  done = ngx_string("response.output_item.done");

    ngx_ors_event_item(out, resp, item, &done, 0);
}


void
ngx_ors_event_part_added(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item, ngx_ors_part_t *part)
{
    ngx_ors_event_part(out, resp, item, part,
                       &ngx_ors_event_names(resp, part)->added);
    ngx_ors_out_lit(out, ",\"part\":");
    ngx_ors_part_render(out, part, 1);
    ngx_ors_out_lit(out, "}");
    ngx_ors_frame_close(out);
}


void
ngx_ors_event_part_delta(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item, ngx_ors_part_t *part, ngx_str_t *delta)
{
    size_t                 size;
    ngx_ors_event_part_t  *e;

    e = ngx_ors_event_names(resp, part);

    ngx_ors_event_part(out, resp, item, part, &e->delta);
    ngx_ors_out_lit(out, ",\"delta\":\"");

    size = out->size;

    if (delta) {
        ngx_ors_out_str(out, delta);

    } else {
        ngx_ors_text_put(out, &part->text);
    }

    ngx_ors_event_text_end(out, part, part->unsent);

    part->unsent = NULL;

    if (resp->request->obfuscate && ngx_ors_event_padded(resp, part)) {
        ngx_ors_event_pad(out, out->size - size);
    }

    ngx_ors_out_lit(out, "}");
    ngx_ors_frame_close(out);
}


void
ngx_ors_event_annotation(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item, ngx_ors_part_t *part, ngx_ors_element_t *element,
    ngx_uint_t index)
{
    static ngx_str_t  added =
        ngx_string("response.output_text.annotation.added");

    ngx_ors_event_part(out, resp, item, part, &added);
    ngx_ors_out_lit(out, ",\"annotation_index\":");
    ngx_ors_out_int(out, index);
    ngx_ors_out_lit(out, ",\"annotation\":");
    ngx_ors_out_ref(out, element->text.data, element->text.len);
    ngx_ors_out_lit(out, "}");
    ngx_ors_frame_close(out);
}


void
ngx_ors_event_part_done(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item, ngx_ors_part_t *part)
{
    ngx_ors_event_part_t  *e;

    static ngx_str_t  empty = ngx_string("");

    /* the tokens that came last had no text, the deltas have all the same */

    if (part->unsent) {
        ngx_ors_event_part_delta(out, resp, item, part, &empty);
    }

    e = ngx_ors_event_names(resp, part);

    ngx_ors_event_part(out, resp, item, part, &e->text_done);
    ngx_ors_out_str(out, &e->text);
    ngx_ors_text_put(out, &part->text);
    ngx_ors_event_text_end(out, part, part->logprobs.first);
    ngx_ors_out_lit(out, "}");
    ngx_ors_frame_close(out);

    ngx_ors_event_part(out, resp, item, part, &e->part_done);
    ngx_ors_out_lit(out, ",\"part\":");
    ngx_ors_part_render(out, part, 0);
    ngx_ors_out_lit(out, "}");
    ngx_ors_frame_close(out);
}


void
ngx_ors_event_arguments_delta(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item, ngx_str_t *delta)
{
    size_t  size;

    ngx_ors_event_place(out, resp, item, &ngx_ors_event_call(item)->delta);
    ngx_ors_out_lit(out, ",\"delta\":\"");

    size = out->size;

    if (delta) {
        ngx_ors_out_str(out, delta);

    } else {
        ngx_ors_text_put(out, &item->arguments);
    }

    ngx_ors_out_lit(out, "\"");

    if (resp->request->obfuscate) {
        ngx_ors_event_pad(out, out->size - size);
    }

    ngx_ors_out_lit(out, "}");
    ngx_ors_frame_close(out);
}


void
ngx_ors_event_arguments_done(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item)
{
    ngx_ors_event_call_t  *e;

    e = ngx_ors_event_call(item);

    ngx_ors_event_place(out, resp, item, &e->done);
    ngx_ors_out_str(out, &e->text);
    ngx_ors_text_put(out, &item->arguments);
    ngx_ors_out_lit(out, "\"}");
    ngx_ors_frame_close(out);
}


void
ngx_ors_event_hosted_begin(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item)
{
    ngx_ors_event_item_added(out, resp, item);
    ngx_ors_event_progress(out, resp, item);

    if (!item->hosted->prefixed
        && (item->type == ngx_ors_item_mcp_call
            || item->type == ngx_ors_item_interpreter))
    {
        if (item->arguments.len) {
            ngx_ors_event_arguments_delta(out, resp, item, NULL);
        }

        ngx_ors_event_arguments_done(out, resp, item);
    }

    item->status = ngx_ors_item_busy;

    ngx_ors_event_progress(out, resp, item);
}


void
ngx_ors_event_hosted_end(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item)
{
    ngx_ors_event_progress(out, resp, item);
    ngx_ors_event_item_done(out, resp, item);
}


/* the event of the item's status, if it has one; an extension has none */

static void
ngx_ors_event_progress(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item)
{
    ngx_str_t  *type;

    type = &ngx_ors_event_hosted[item->type - ngx_ors_item_list_tools]
                                [item->status];

    if (item->hosted->prefixed || type->len == 0) {
        return;
    }

    ngx_ors_event_place(out, resp, item, type);
    ngx_ors_out_lit(out, "}");
    ngx_ors_frame_close(out);
}


static ngx_ors_event_call_t *
ngx_ors_event_call(ngx_ors_item_t *item)
{
    if (item->type == ngx_ors_item_custom_call) {
        return &ngx_ors_event_calls[1];
    }

    if (item->type == ngx_ors_item_mcp_call) {
        return &ngx_ors_event_calls[2];
    }

    return &ngx_ors_event_calls[(item->type == ngx_ors_item_interpreter)
                                ? 3 : 0];
}


static void
ngx_ors_event_open(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_str_t *type)
{
    ngx_ors_frame_open(out, type);
    ngx_ors_out_lit(out, "{\"type\":\"");
    ngx_ors_out_str(out, type);
    ngx_ors_out_lit(out, "\",\"sequence_number\":");
    ngx_ors_out_int(out, resp->sequence++);
}


static void
ngx_ors_event_state(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_str_t *type)
{
    ngx_ors_event_open(out, resp, type);
    ngx_ors_out_lit(out, ",\"response\":");
    ngx_ors_response_render(out, resp);
    ngx_ors_out_lit(out, "}");
    ngx_ors_frame_close(out);
}


static void
ngx_ors_event_item(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item, ngx_str_t *type, ngx_uint_t empty)
{
    ngx_ors_event_open(out, resp, type);
    ngx_ors_out_lit(out, ",\"output_index\":");
    ngx_ors_out_int(out, item->index);
    ngx_ors_out_lit(out, ",\"item\":");
    ngx_ors_item_render(out, item, empty);
    ngx_ors_out_lit(out, "}");
    ngx_ors_frame_close(out);
}


static void
ngx_ors_event_part(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item, ngx_ors_part_t *part, ngx_str_t *type)
{
    ngx_ors_event_place(out, resp, item, type);
    ngx_ors_out_str(out, &ngx_ors_event_names(resp, part)->index);
    ngx_ors_out_int(out, part->index);
}


/* what comes after the text of a delta or of all of it */

static void
ngx_ors_event_text_end(ngx_ors_out_t *out, ngx_ors_part_t *part,
    ngx_ors_element_t *logprobs)
{
    ngx_ors_out_lit(out, "\"");

    if (part->type == ngx_ors_part_output_text) {
        ngx_ors_out_lit(out, ",\"logprobs\":");
        ngx_ors_element_render(out, logprobs);
    }
}


/* after "len" bytes that differ between deltas of the same kind */

static void
ngx_ors_event_pad(ngx_ors_out_t *out, size_t len)
{
    ngx_ors_out_lit(out, ",\"obfuscation\":\"");
    ngx_ors_pad(out, len);
    ngx_ors_out_lit(out, "\"");
}


/* the specification's deltas of refusals have no place for it */

static ngx_uint_t
ngx_ors_event_padded(ngx_ors_response_t *resp, ngx_ors_part_t *part)
{
    return part->type != ngx_ors_part_refusal
           || (resp->request->policy->profile & NGX_ORS_IN_OPENAI);
}


static void
ngx_ors_event_place(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item, ngx_str_t *type)
{
    ngx_ors_event_open(out, resp, type);
    ngx_ors_out_lit(out, ",\"item_id\":\"");
    ngx_ors_out_str(out, &item->id);
    ngx_ors_out_lit(out, "\",\"output_index\":");
    ngx_ors_out_int(out, item->index);
}


static ngx_ors_event_part_t *
ngx_ors_event_names(ngx_ors_response_t *resp, ngx_ors_part_t *part)
{
    if (part->type == ngx_ors_part_reasoning_text
        && (resp->request->policy->profile & NGX_ORS_IN_OPENAI))
    {
        return &ngx_ors_event_openai_reasoning;
    }

    return &ngx_ors_event_parts[part->type];
}
