
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Each event of a stream as a frame of text.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_event.h>
#include <ngx_ors_item.h>
#include <ngx_ors_names.h>
#include <ngx_ors_sse.h>
#include <ngx_ors_text.h>


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
    ngx_ors_item_type_e  type;
    ngx_str_t            delta;
    ngx_str_t            done;
    ngx_str_t            text;      /* name of the field in "done" */
} ngx_ors_event_call_t;


typedef struct {
    ngx_str_t            item;
    ngx_str_t            status;
    ngx_str_t            name;
} ngx_ors_event_step_t;


static void ngx_ors_event_progress(ngx_ors_out_t *out,
    ngx_ors_response_t *resp, ngx_ors_item_t *item);
static ngx_ors_event_call_t *ngx_ors_event_call(ngx_ors_item_t *item);
static void ngx_ors_event_state(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_event_type_e event);
static void ngx_ors_event_part(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item, ngx_ors_part_t *part, ngx_str_t *type);
static void ngx_ors_event_text_end(ngx_ors_out_t *out, ngx_ors_part_t *part,
    ngx_ors_element_t *logprobs);
static void ngx_ors_event_pad(ngx_ors_out_t *out, size_t len);
static void ngx_ors_event_place(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item, ngx_str_t *type);
static ngx_ors_event_part_t *ngx_ors_event_names(ngx_ors_response_t *resp,
    ngx_ors_part_t *part);


#define ngx_ors_event_name(as, name, ...)  ngx_string(#name),

/* in the order of ngx_ors_event_type_e */

ngx_str_t  ngx_ors_events[] = {
    NGX_ORS_EVENTS(ngx_ors_event_name)
};


#define ngx_ors_event_part_row(type, event, text, holder, index, in)          \
    { ngx_string("response." #holder ".added"),                               \
      ngx_string("response." #event ".delta"),                                \
      ngx_string("response." #event ".done"),                                 \
      ngx_string("response." #holder ".done"),                                \
      ngx_string(",\"" #index "_index\":"),                                   \
      ngx_string(",\"" #text "\":\"") },

static ngx_ors_event_part_t  ngx_ors_event_parts[] = {
    NGX_ORS_PARTS(ngx_ors_event_part_row)
};


/* of reasoning_text with flavor "openai" (C3) */

static ngx_ors_event_part_t  ngx_ors_event_openai_reasoning[] = {
    NGX_ORS_PARTS_OPENAI(ngx_ors_event_part_row)
};


#define ngx_ors_event_text_row(item, as, text, in)                            \
    { ngx_ors_item_##as, ngx_string("response." #item "_" #text ".delta"),    \
      ngx_string("response." #item "_" #text ".done"),                        \
      ngx_string(",\"" #text "\":\"") },

static ngx_ors_event_call_t  ngx_ors_event_calls[] = {
    NGX_ORS_TEXTS(ngx_ors_event_text_row)
    { 0, ngx_null_string, ngx_null_string, ngx_null_string }
};


#define ngx_ors_event_step_row(item, status, step)                            \
    { ngx_string(#item), ngx_string(#status),                                 \
      ngx_string("response." #item "." #status) },

static ngx_ors_event_step_t  ngx_ors_event_steps[] = {
    NGX_ORS_STEPS(ngx_ors_event_step_row)
    { ngx_null_string, ngx_null_string, ngx_null_string }
};


void
ngx_ors_event_start(ngx_ors_out_t *out, ngx_ors_response_t *resp)
{
    ngx_ors_event_state(out, resp, ngx_ors_event_type_created);
    ngx_ors_event_state(out, resp, ngx_ors_event_type_in_progress);
}


void
ngx_ors_event_end(ngx_ors_out_t *out, ngx_ors_response_t *resp)
{
    /* by ngx_ors_response_status_e */

    static const ngx_ors_event_type_e  types[] = {
        ngx_ors_event_type_in_progress,
        ngx_ors_event_type_completed,
        ngx_ors_event_type_incomplete,
        ngx_ors_event_type_failed
    };

    /* the protocol has no event for a response that was cancelled */

    if (resp->status != ngx_ors_response_cancelled) {
        ngx_ors_event_state(out, resp, types[resp->status]);
    }

    ngx_ors_frame_done(out);
}


void
ngx_ors_event_error(ngx_ors_out_t *out, ngx_uint_t sequence,
    ngx_ors_error_t *err)
{
    ngx_ors_event_open(out, sequence,
                       &ngx_ors_events[ngx_ors_event_type_error]);
    ngx_ors_out_lit(out, ",\"error\":");
    ngx_ors_error_render(out, err);
    ngx_ors_out_lit(out, "}");
    ngx_ors_frame_close(out);
}


void
ngx_ors_event_item(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item, ngx_ors_event_type_e event, ngx_uint_t empty)
{
    ngx_ors_event_open(out, resp->sequence++, &ngx_ors_events[event]);
    ngx_ors_out_lit(out, ",\"output_index\":");
    ngx_ors_out_int(out, item->index);
    ngx_ors_out_lit(out, ",\"item\":");
    ngx_ors_item_render(out, item, empty);
    ngx_ors_out_lit(out, "}");
    ngx_ors_frame_close(out);
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

    /* the specification's deltas of refusals have no place for it */

    if (resp->request->obfuscate
        && (part->type != ngx_ors_part_refusal
            || (resp->request->policy->profile & NGX_ORS_IN_OPENAI)))
    {
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
    ngx_ors_event_part(out, resp, item, part,
                       &ngx_ors_events[ngx_ors_event_type_annotation]);
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

    /* the last tokens had no text, but belong to the deltas */

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

    if (item->hosted->slug.len == 0 && ngx_ors_event_call(item)->delta.len) {

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
    ngx_str_t              name, *type, *status;
    ngx_ors_event_step_t  *step;

    if (item->hosted->slug.len) {
        return;
    }

    type = ngx_ors_item_name(item);
    status = ngx_ors_item_status(item);

    /* of an operator's type: the steps that all of the others have */

    if (item->type == ngx_ors_item_own
        && (item->status == ngx_ors_item_in_progress
            || item->status == ngx_ors_item_completed))
    {
        if (ngx_ors_str_printf(&name, resp->request->pool, "response.%V.%V",
                               type, status)
            != NGX_OK)
        {
            out->failed = 1;
            return;
        }

        ngx_ors_event_place(out, resp, item, &name);
        ngx_ors_out_lit(out, "}");
        ngx_ors_frame_close(out);
        return;
    }

    for (step = ngx_ors_event_steps; step->name.len; step++) {

        if (ngx_ors_same(&step->item, type)
            && ngx_ors_same(&step->status, status))
        {
            ngx_ors_event_place(out, resp, item, &step->name);
            ngx_ors_out_lit(out, "}");
            ngx_ors_frame_close(out);
            return;
        }
    }
}


/* the last row, without names: the item's text has no events */

static ngx_ors_event_call_t *
ngx_ors_event_call(ngx_ors_item_t *item)
{
    ngx_ors_event_call_t  *call;

    for (call = ngx_ors_event_calls; call->delta.len; call++) {

        if (call->type == item->type) {
            break;
        }
    }

    return call;
}


void
ngx_ors_event_open(ngx_ors_out_t *out, ngx_uint_t sequence, ngx_str_t *type)
{
    ngx_ors_frame_open(out, type);
    ngx_ors_out_lit(out, "{\"type\":\"");
    ngx_ors_out_str(out, type);
    ngx_ors_out_lit(out, "\",\"sequence_number\":");
    ngx_ors_out_int(out, sequence);
}


static void
ngx_ors_event_state(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_event_type_e event)
{
    ngx_ors_event_open(out, resp->sequence++, &ngx_ors_events[event]);
    ngx_ors_out_lit(out, ",\"response\":");
    ngx_ors_response_render(out, resp);

    /* some clients look for it beside the response */

    if (event == ngx_ors_event_type_failed
        && (resp->request->policy->profile & NGX_ORS_IN_TOLERANT))
    {
        ngx_ors_out_lit(out, ",\"error\":");
        ngx_ors_error_brief(out, resp->error);
    }

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


/* end of the event of a delta, or of the whole text */

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


/* pads a delta of "len" bytes */

static void
ngx_ors_event_pad(ngx_ors_out_t *out, size_t len)
{
    ngx_ors_out_lit(out, ",\"obfuscation\":\"");
    ngx_ors_pad(out, len);
    ngx_ors_out_lit(out, "\"");
}


static void
ngx_ors_event_place(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item, ngx_str_t *type)
{
    ngx_ors_event_open(out, resp->sequence++, type);
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
        return ngx_ors_event_openai_reasoning;
    }

    return &ngx_ors_event_parts[part->type];
}
