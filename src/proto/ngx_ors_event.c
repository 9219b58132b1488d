
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Each event of a stream as a frame of text, and in the journal.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_event.h>
#include <ngx_ors_item.h>
#include <ngx_ors_names.h>
#include <ngx_ors_sse.h>
#include <ngx_ors_text.h>


#define NGX_ORS_JOURNAL_BLOCK  64

/* bytes of an event: its code, and two numbers */
#define NGX_ORS_JOURNAL_EVENT  (1 + 2 * 10)


static void ngx_ors_event_progress(ngx_ors_out_t *out,
    ngx_ors_response_t *resp, ngx_ors_item_t *item);
static ngx_ors_event_call_t *ngx_ors_event_call(ngx_ors_item_t *item);
static void ngx_ors_event_state(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_event_type_e event);
static void ngx_ors_event_part(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item, ngx_ors_part_t *part, ngx_str_t *index,
    ngx_str_t *type);
static void ngx_ors_event_text_end(ngx_ors_out_t *out, ngx_ors_part_t *part,
    ngx_ors_element_t *logprobs);
static size_t ngx_ors_event_tokens(ngx_ors_element_t *logprobs);
static void ngx_ors_event_place(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item, ngx_str_t *type);
static ngx_inline ngx_ors_event_part_t *ngx_ors_event_part_of(
    ngx_uint_t profile, ngx_ors_part_type_e type);
static u_char *ngx_ors_journal_put(u_char *p, size_t n);


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

#define ngx_ors_event_names(resp, part)                                       \
    ngx_ors_event_part_of((resp)->request->policy->profile, (part)->type)

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

ngx_ors_event_call_t  ngx_ors_event_calls[] = {
    NGX_ORS_TEXTS(ngx_ors_event_text_row)
    { 0, ngx_null_string, ngx_null_string, ngx_null_string }
};


#define ngx_ors_event_step_begun  0
#define ngx_ors_event_step_busy   0
#define ngx_ors_event_step_over   1

#define ngx_ors_event_step_row(item, status, step)                            \
    { ngx_string(#item), ngx_string(#status),                                 \
      ngx_string("response." #item "." #status), ngx_ors_event_step_##step },

ngx_ors_event_step_t  ngx_ors_event_steps[] = {
    NGX_ORS_STEPS(ngx_ors_event_step_row)
    { ngx_null_string, ngx_null_string, ngx_null_string, 0 }
};


/* in a journal by their numbers: new ones come at the end */

ngx_str_t  ngx_ors_journal_statuses[] = {
    ngx_string("in_progress"),
    ngx_string("completed"),
    ngx_string("failed"),
    ngx_string("searching"),
    ngx_string("interpreting"),
    ngx_string("generating"),
    ngx_string("calling"),
    ngx_null_string
};


void
ngx_ors_event_start(ngx_ors_out_t *out, ngx_ors_response_t *resp)
{
    resp->queued = resp->request->detached;

    ngx_ors_journal_note(resp->journal, ngx_ors_journal_created, 0);
    ngx_ors_event_state(out, resp, ngx_ors_event_type_created);

    if (resp->queued) {
        ngx_ors_journal_note(resp->journal, ngx_ors_journal_queued, 0);
        ngx_ors_event_state(out, resp, ngx_ors_event_type_queued);
    }

    resp->queued = 0;

    ngx_ors_journal_note(resp->journal, ngx_ors_journal_in_progress, 0);
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
    ngx_ors_journal_note(resp->journal,
                         (event == ngx_ors_event_type_item_added)
                         ? ngx_ors_journal_item_added
                         : ngx_ors_journal_item_done, 0);

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
    ngx_ors_event_part_t  *e;

    ngx_ors_journal_note(resp->journal, ngx_ors_journal_part_added, 0);

    e = ngx_ors_event_names(resp, part);

    ngx_ors_event_part(out, resp, item, part, &e->index, &e->added);
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

    ngx_ors_event_part(out, resp, item, part, &e->index, &e->delta);
    ngx_ors_out_lit(out, ",\"delta\":\"");

    size = out->size;

    if (delta) {
        ngx_ors_out_str(out, delta);

    } else {
        ngx_ors_text_put(out, &part->text);
    }

    if (resp->journal) {
        ngx_ors_journal_add(resp->journal, ngx_ors_journal_delta,
                            out->size - size,
                            (part->type == ngx_ors_part_output_text)
                            ? ngx_ors_event_tokens(part->unsent) : 0);
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
    ngx_ors_journal_note(resp->journal, ngx_ors_journal_annotation, 0);

    ngx_ors_event_part(out, resp, item, part,
                       &ngx_ors_event_names(resp, part)->index,
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

    ngx_ors_journal_note(resp->journal, ngx_ors_journal_text_done, 0);
    ngx_ors_journal_note(resp->journal, ngx_ors_journal_part_done, 0);

    ngx_ors_event_part(out, resp, item, part, &e->index, &e->text_done);
    ngx_ors_out_str(out, &e->text);
    ngx_ors_text_put(out, &part->text);
    ngx_ors_event_text_end(out, part, part->logprobs.first);
    ngx_ors_out_lit(out, "}");
    ngx_ors_frame_close(out);

    ngx_ors_event_part(out, resp, item, part, &e->index, &e->part_done);
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

    ngx_ors_journal_note(resp->journal, ngx_ors_journal_delta,
                         out->size - size);

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

    ngx_ors_journal_note(resp->journal, ngx_ors_journal_call_done, 0);

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

        ngx_ors_journal_status(resp->journal, status);

        ngx_ors_event_place(out, resp, item, &name);
        ngx_ors_out_lit(out, "}");
        ngx_ors_frame_close(out);
        return;
    }

    for (step = ngx_ors_event_steps; step->name.len; step++) {

        if (ngx_ors_same(&step->item, type)
            && ngx_ors_same(&step->status, status))
        {
            ngx_ors_journal_status(resp->journal, status);

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
    ngx_ors_item_t *item, ngx_ors_part_t *part, ngx_str_t *index,
    ngx_str_t *type)
{
    ngx_ors_event_place(out, resp, item, type);
    ngx_ors_out_str(out, index);
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


/* bytes of a list of logprobs, without its brackets */

static size_t
ngx_ors_event_tokens(ngx_ors_element_t *logprobs)
{
    size_t  n;

    n = 0;

    for ( /* void */ ; logprobs; logprobs = logprobs->next) {
        n += logprobs->text.len + (logprobs->next != NULL);
    }

    return n;
}


void
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


ngx_ors_event_part_t *
ngx_ors_event_part_names(ngx_uint_t profile, ngx_ors_part_type_e type)
{
    return ngx_ors_event_part_of(profile, type);
}


static ngx_inline ngx_ors_event_part_t *
ngx_ors_event_part_of(ngx_uint_t profile, ngx_ors_part_type_e type)
{
    if (type == ngx_ors_part_reasoning_text && (profile & NGX_ORS_IN_OPENAI)) {
        return ngx_ors_event_openai_reasoning;
    }

    return &ngx_ors_event_parts[type];
}


/*
 * The bytes of a journal, and its numbers.
 */


void
ngx_ors_journal_add(ngx_ors_journal_t *journal, ngx_ors_journal_e event,
    size_t n, size_t tokens)
{
    u_char  *p;
    size_t   size;

    if (journal->full) {
        return;
    }

    if (journal->nalloc - journal->len < NGX_ORS_JOURNAL_EVENT) {
        size = ngx_max(2 * journal->nalloc, NGX_ORS_JOURNAL_BLOCK);
        p = (journal->len < journal->max) ? ngx_pnalloc(journal->pool, size)
                                          : NULL;

        /* a stream goes on without it: what was noted is of no use */

        if (p == NULL) {
            journal->full = 1;
            journal->len = 0;

            if (journal->nalloc) {
                journal->data[0] = ngx_ors_journal_lost;
                journal->len = 1;
            }

            return;
        }

        if (journal->len) {
            ngx_memcpy(p, journal->data, journal->len);
            (void) ngx_pfree(journal->pool, journal->data);
        }

        journal->data = p;
        journal->nalloc = size;
    }

    p = journal->data + journal->len;

    if (event == ngx_ors_journal_delta && tokens) {
        event = ngx_ors_journal_tokens;
    }

    if (event == ngx_ors_journal_delta && n <= 255 - ngx_ors_journal_short) {
        *p++ = (u_char) (ngx_ors_journal_short + n);

    } else {
        *p++ = (u_char) event;

        if (event == ngx_ors_journal_delta || event == ngx_ors_journal_step
            || event == ngx_ors_journal_tokens)
        {
            p = ngx_ors_journal_put(p, n);
        }

        if (event == ngx_ors_journal_tokens) {
            p = ngx_ors_journal_put(p, tokens);
        }
    }

    journal->len = p - journal->data;
}


/* seven bits a byte, the lowest ones first */

static u_char *
ngx_ors_journal_put(u_char *p, size_t n)
{
    while (n > 0x7f) {
        *p++ = (u_char) (n | 0x80);
        n >>= 7;
    }

    *p++ = (u_char) n;

    return p;
}


void
ngx_ors_journal_status(ngx_ors_journal_t *journal, ngx_str_t *status)
{
    ngx_uint_t  i;

    if (journal == NULL) {
        return;
    }

    for (i = 0; ngx_ors_journal_statuses[i].len; i++) {

        if (ngx_ors_same(&ngx_ors_journal_statuses[i], status)) {
            ngx_ors_journal_add(journal, ngx_ors_journal_step, i, 0);
            return;
        }
    }
}


ngx_int_t
ngx_ors_journal_number(u_char **pos, u_char *last, size_t *n)
{
    ngx_uint_t  shift;

    *n = 0;

    for (shift = 0; *pos < last && shift < 56; shift += 7) {
        *n |= (size_t) (**pos & 0x7f) << shift;

        if (*(*pos)++ < 0x80) {
            return NGX_OK;
        }
    }

    return NGX_DECLINED;
}
