
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The stream made of a response and its journal: each event again, with its
 * number.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_event.h>
#include <ngx_ors_names.h>
#include <ngx_ors_replay.h>
#include <ngx_ors_sse.h>
#include <ngx_ors_validate.h>


#define ngx_ors_replay_part_name(type, ...)  ngx_string(#type),

#define ngx_ors_replay_part_text(type, event, text, ...)  ngx_string(#text),


/* a member of an item, as it is while the item is in progress */

typedef struct {
    ngx_str_t   type;         /* of the item, empty: any */
    ngx_str_t   name;
    char       *value;        /* NULL: it is not there */
} ngx_ors_replay_member_t;


static ngx_int_t ngx_ors_replay_count(ngx_ors_replay_t *replay);
static ngx_int_t ngx_ors_replay_event(ngx_ors_replay_t *replay,
    ngx_ors_out_t *out);
static void ngx_ors_replay_cut(ngx_ors_replay_t *replay);
static ngx_int_t ngx_ors_replay_end(ngx_ors_replay_t *replay,
    ngx_ors_out_t *out);
static ngx_int_t ngx_ors_replay_state(ngx_ors_replay_t *replay,
    ngx_ors_event_type_e event, ngx_ors_out_t *out);
static void ngx_ors_replay_error(ngx_ors_replay_t *replay,
    ngx_ors_out_t *out);
static ngx_int_t ngx_ors_replay_next_item(ngx_ors_replay_t *replay);
static ngx_int_t ngx_ors_replay_next_part(ngx_ors_replay_t *replay);
static ngx_int_t ngx_ors_replay_hide(ngx_ors_replay_t *replay);
static ngx_int_t ngx_ors_replay_added(ngx_ors_replay_t *replay,
    ngx_ors_out_t *out);
static ngx_int_t ngx_ors_replay_empty(ngx_ors_replay_t *replay);
static ngx_int_t ngx_ors_replay_empty_member(ngx_ors_replay_t *replay,
    ngx_ors_json_node_t *key, ngx_str_t *type);
static ngx_int_t ngx_ors_replay_remove(ngx_ors_replay_t *replay,
    ngx_ors_json_node_t *key);
static ngx_int_t ngx_ors_replay_part_added(ngx_ors_replay_t *replay,
    ngx_ors_out_t *out);
static ngx_int_t ngx_ors_replay_delta(ngx_ors_replay_t *replay, size_t len,
    size_t tokens, ngx_ors_out_t *out);
static ngx_int_t ngx_ors_replay_text_done(ngx_ors_replay_t *replay,
    ngx_ors_out_t *out);
static ngx_int_t ngx_ors_replay_part_done(ngx_ors_replay_t *replay,
    ngx_ors_out_t *out);
static ngx_int_t ngx_ors_replay_note(ngx_ors_replay_t *replay,
    ngx_ors_out_t *out);
static ngx_int_t ngx_ors_replay_call_done(ngx_ors_replay_t *replay,
    ngx_ors_out_t *out);
static ngx_int_t ngx_ors_replay_step(ngx_ors_replay_t *replay,
    ngx_ors_out_t *out);
static void ngx_ors_replay_open(ngx_ors_replay_t *replay, ngx_str_t *type,
    ngx_ors_out_t *out);
static void ngx_ors_replay_tokens(ngx_ors_replay_t *replay, ngx_str_t *text,
    ngx_ors_out_t *out);
static void ngx_ors_replay_close(ngx_ors_out_t *out);
static void ngx_ors_replay_value(ngx_ors_replay_t *replay,
    ngx_ors_json_node_t *node, ngx_ors_out_t *out);
static ngx_ors_json_node_t *ngx_ors_replay_text(ngx_ors_replay_t *replay);
static void ngx_ors_replay_type(ngx_ors_replay_t *replay,
    ngx_ors_json_node_t *node, ngx_str_t *type);
static ngx_ors_event_call_t *ngx_ors_replay_call(ngx_ors_replay_t *replay);
static ngx_int_t ngx_ors_replay_make(ngx_ors_replay_t *replay,
    ngx_pool_t *pool);
static void ngx_ors_replay_make_parts(ngx_ors_replay_t *replay,
    ngx_ors_journal_t *journal);
static void ngx_ors_replay_make_call(ngx_ors_replay_t *replay,
    ngx_ors_journal_t *journal);


/* of members that an item has anyway, as ngx_ors_item_render() has them */

static ngx_ors_replay_member_t  ngx_ors_replay_members[] = {

    { ngx_string("mcp_approval_request"), ngx_string("arguments"), "" },
    { ngx_string("tool_search_call"), ngx_string("arguments"), "{}" },
    { ngx_string("reasoning"), ngx_string("content"), NULL },
    { ngx_string("reasoning"), ngx_string("encrypted_content"), NULL },
    { ngx_string("function_call_output"), ngx_string("output"), "\"\"" },
    { ngx_string("mcp_list_tools"), ngx_string("error"), NULL },

    { ngx_null_string, ngx_string("status"), "\"in_progress\"" },
    { ngx_null_string, ngx_string("content"), "[]" },
    { ngx_null_string, ngx_string("summary"), "[]" },
    { ngx_null_string, ngx_string("encrypted_content"), "\"\"" },
    { ngx_null_string, ngx_string("arguments"), "\"\"" },
    { ngx_null_string, ngx_string("input"), "\"\"" },
    { ngx_null_string, ngx_string("code"), "\"\"" },
    { ngx_null_string, ngx_string("tools"), "[]" },
    { ngx_null_string, ngx_string("queries"), "[]" },
    { ngx_null_string, ngx_string("results"), "null" },
    { ngx_null_string, ngx_string("outputs"), "null" },
    { ngx_null_string, ngx_string("output"), "null" },
    { ngx_null_string, ngx_string("error"), "null" },

    { ngx_null_string, ngx_null_string, NULL }
};


ngx_int_t
ngx_ors_replay_init(ngx_ors_replay_t *replay, ngx_str_t *response,
    ngx_str_t *journal, ngx_pool_t *pool)
{
    ngx_int_t             rc;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *status;

    json = &replay->json;

    /* limits have been applied when the response was stored */

    ngx_ors_json_init(json, pool, NGX_ORS_JSON_MAX_DEPTH, response->len);

    rc = ngx_ors_json_read(json, response->data, response->len);

    if (rc != NGX_OK) {
        return rc;
    }

    status = ngx_ors_json_find(json, json->nodes, "status");

    if (status == NULL || status->type != ngx_ors_json_string) {
        return NGX_DECLINED;
    }

    replay->ended = !ngx_ors_json_is(json, status, "in_progress")
                    && !ngx_ors_json_is(json, status, "queued");
    replay->terminal = replay->ended
                       && !ngx_ors_json_is(json, status, "cancelled");

    replay->text = *response;
    replay->journal = *journal;

    ngx_ors_edits_init(&replay->edits, pool);
    ngx_ors_edits_init(&replay->hidden, pool);

    replay->lost = (journal->len && journal->data[0] == ngx_ors_journal_lost);

    if (journal->len && !replay->lost) {
        return ngx_ors_replay_count(replay);
    }

    /* events are only made up of items that do not change any more */

    replay->journal.len = 0;

    if (replay->ended && ngx_ors_replay_make(replay, pool) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_ors_replay_count(replay);
}


/* the number of events, the terminal one included */

static ngx_int_t
ngx_ors_replay_count(ngx_ors_replay_t *replay)
{
    u_char   code, *last;
    size_t   n;

    last = replay->journal.data + replay->journal.len;
    replay->pos = replay->journal.data;
    replay->total = replay->terminal;

    while (replay->pos < last) {
        code = *replay->pos++;

        if ((code == ngx_ors_journal_delta || code == ngx_ors_journal_step
             || code == ngx_ors_journal_tokens)
            && ngx_ors_journal_number(&replay->pos, last, &n) != NGX_OK)
        {
            return NGX_DECLINED;
        }

        if (code == ngx_ors_journal_tokens
            && ngx_ors_journal_number(&replay->pos, last, &n) != NGX_OK)
        {
            return NGX_DECLINED;
        }

        replay->total += (code != ngx_ors_journal_hidden);
        replay->failed = (code == ngx_ors_journal_error);
    }

    replay->pos = replay->journal.data;

    return NGX_OK;
}


ngx_int_t
ngx_ors_replay(ngx_ors_replay_t *replay, size_t size, ngx_ors_out_t *out)
{
    u_char     *last;
    size_t      start;
    ngx_int_t   rc;

    start = out->size;
    last = replay->journal.data + replay->journal.len;

    while (replay->pos < last) {
        rc = ngx_ors_replay_event(replay, out);

        if (rc != NGX_OK) {
            return rc;
        }

        if (out->size - start >= size) {
            return NGX_OK;
        }
    }

    return replay->ended ? ngx_ors_replay_end(replay, out) : NGX_DONE;
}


static ngx_int_t
ngx_ors_replay_event(ngx_ors_replay_t *replay, ngx_ors_out_t *out)
{
    u_char      code, *last;
    size_t      len, tokens;
    ngx_int_t   rc;

    last = replay->journal.data + replay->journal.len;

    code = *replay->pos++;
    tokens = 0;
    rc = NGX_OK;

    if (code >= ngx_ors_journal_short) {
        rc = ngx_ors_replay_delta(replay, code - ngx_ors_journal_short, 0, out);
        replay->sequence++;
        return rc;
    }

    switch ((ngx_ors_journal_e) code) {

    case ngx_ors_journal_created:
        rc = ngx_ors_replay_state(replay, ngx_ors_event_type_created, out);
        break;

    case ngx_ors_journal_queued:
        rc = ngx_ors_replay_state(replay, ngx_ors_event_type_queued, out);
        break;

    case ngx_ors_journal_in_progress:
        rc = ngx_ors_replay_state(replay, ngx_ors_event_type_in_progress, out);
        break;

    case ngx_ors_journal_error:
        ngx_ors_replay_error(replay, out);
        break;

    case ngx_ors_journal_item_added:

        if (ngx_ors_replay_next_item(replay) != NGX_OK) {
            ngx_ors_replay_cut(replay);
            return NGX_OK;
        }

        replay->index = replay->nitems++;
        replay->shown = replay->item;
        rc = ngx_ors_replay_added(replay, out);
        break;

    case ngx_ors_journal_item_done:

        if (replay->item == NULL) {
            return NGX_DECLINED;
        }

        if (replay->sequence >= replay->after) {
            ngx_ors_event_open(out, replay->sequence,
                               &ngx_ors_events[ngx_ors_event_type_item_done]);
            ngx_ors_out_lit(out, ",\"output_index\":");
            ngx_ors_out_int(out, replay->index);
            ngx_ors_out_lit(out, ",\"item\":");
            ngx_ors_replay_value(replay, replay->item, out);
            ngx_ors_replay_close(out);
        }

        break;

    case ngx_ors_journal_part_added:
        rc = ngx_ors_replay_part_added(replay, out);
        break;

    case ngx_ors_journal_part_done:
        rc = ngx_ors_replay_part_done(replay, out);
        break;

    case ngx_ors_journal_text_done:
        rc = ngx_ors_replay_text_done(replay, out);
        break;

    case ngx_ors_journal_annotation:
        rc = ngx_ors_replay_note(replay, out);
        break;

    case ngx_ors_journal_call_done:
        rc = ngx_ors_replay_call_done(replay, out);
        break;

    case ngx_ors_journal_step:
        rc = ngx_ors_replay_step(replay, out);
        break;

    case ngx_ors_journal_delta:
    case ngx_ors_journal_tokens:

        if (ngx_ors_journal_number(&replay->pos, last, &len) != NGX_OK
            || (code == ngx_ors_journal_tokens
                && ngx_ors_journal_number(&replay->pos, last, &tokens)
                   != NGX_OK))
        {
            return NGX_DECLINED;
        }

        rc = ngx_ors_replay_delta(replay, len, tokens, out);
        break;

    case ngx_ors_journal_hidden:
        return ngx_ors_replay_hide(replay);

    default:
        return NGX_DECLINED;
    }

    replay->sequence++;

    return rc;
}


/*
 * An item that a failure has cut is in no response: the end follows.  It has
 * the next number, or for a client that knows more events its own.
 */

static void
ngx_ors_replay_cut(ngx_ors_replay_t *replay)
{
    ngx_uint_t  n;

    n = replay->total - replay->terminal - replay->failed;

    replay->sequence = ngx_max(replay->sequence, ngx_min(replay->after, n));
    replay->pos = replay->journal.data + replay->journal.len - replay->failed;
}


static ngx_int_t
ngx_ors_replay_end(ngx_ors_replay_t *replay, ngx_ors_out_t *out)
{
    ngx_uint_t            i;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *status, *error;

    static const struct {
        ngx_str_t             status;
        ngx_ors_event_type_e  event;
    } ends[] = {
        { ngx_string("completed"), ngx_ors_event_type_completed },
        { ngx_string("incomplete"), ngx_ors_event_type_incomplete },
        { ngx_string("failed"), ngx_ors_event_type_failed }
    };

    json = &replay->json;
    status = ngx_ors_json_find(json, json->nodes, "status");
    replay->sequence = ngx_max(replay->sequence, replay->end);

    for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {

        if (replay->sequence < replay->after
            || !ngx_ors_json_equal(json, status, ends[i].status.data,
                                   ends[i].status.len))
        {
            continue;
        }

        ngx_ors_event_open(out, replay->sequence,
                           &ngx_ors_events[ends[i].event]);
        ngx_ors_out_lit(out, ",\"response\":");
        ngx_ors_edits_write(&replay->hidden, json, 0, replay->text.len, 1, out);

        error = ngx_ors_json_find(json, json->nodes, "error");

        if (ends[i].event == ngx_ors_event_type_failed && error
            && (replay->profile & NGX_ORS_IN_TOLERANT))
        {
            ngx_ors_out_lit(out, ",\"error\":");
            ngx_ors_replay_value(replay, error, out);
        }

        ngx_ors_replay_close(out);
    }

    ngx_ors_frame_done(out);

    return NGX_DONE;
}


/* the response as it was then: nothing of its end was known */

static ngx_int_t
ngx_ors_replay_state(ngx_ors_replay_t *replay, ngx_ors_event_type_e event,
    ngx_ors_out_t *out)
{
    ngx_str_t             value;
    ngx_ors_json_t       *json;
    const ngx_str_t      *name;
    ngx_ors_json_node_t  *key;

    /* "status" is the first one */

    static const ngx_str_t  names[] = {
        ngx_string("status"),
        ngx_string("completed_at"),
        ngx_string("error"),
        ngx_string("incomplete_details"),
        ngx_string("usage"),
        ngx_string("output"),
        ngx_null_string
    };

    if (replay->sequence < replay->after) {
        return NGX_OK;
    }

    json = &replay->json;

    ngx_ors_edits_clear(&replay->edits);

    ngx_ors_json_each(key, json, json->nodes) {
        name = ngx_ors_json_name(json, key, names);

        if (name->len == 0) {
            continue;
        }

        ngx_str_set(&value, "null");

        if (name == names) {
            ngx_str_set(&value, "\"in_progress\"");

            /* one that is to be queued is created so */

            if (event == ngx_ors_event_type_queued
                || (event == ngx_ors_event_type_created
                    && replay->pos < replay->journal.data + replay->journal.len
                    && *replay->pos == ngx_ors_journal_queued))
            {
                ngx_str_set(&value, "\"queued\"");
            }

        } else if (name == &names[5]) {
            ngx_str_set(&value, "[]");
        }

        if (ngx_ors_edits_value(&replay->edits, key + 1, &value) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    ngx_ors_event_open(out, replay->sequence, &ngx_ors_events[event]);
    ngx_ors_out_lit(out, ",\"response\":");
    ngx_ors_edits_write(&replay->edits, json, 0, replay->text.len, 1, out);
    ngx_ors_replay_close(out);

    return NGX_OK;
}


/* of the error a response keeps its code and its message */

static void
ngx_ors_replay_error(ngx_ors_replay_t *replay, ngx_ors_out_t *out)
{
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *error;

    if (replay->sequence < replay->after) {
        return;
    }

    json = &replay->json;
    error = ngx_ors_json_find(json, json->nodes, "error");

    ngx_ors_event_open(out, replay->sequence,
                       &ngx_ors_events[ngx_ors_event_type_error]);
    ngx_ors_out_lit(out, ",\"error\":{\"type\":\"server_error\",\"code\":");
    ngx_ors_replay_value(replay, ngx_ors_json_find(json, error, "code"), out);
    ngx_ors_out_lit(out, ",\"message\":");
    ngx_ors_replay_value(replay, ngx_ors_json_find(json, error, "message"),
                         out);
    ngx_ors_out_lit(out, ",\"param\":\"\"}");
    ngx_ors_replay_close(out);
}


static ngx_int_t
ngx_ors_replay_next_item(ngx_ors_replay_t *replay)
{
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *item;

    json = &replay->json;

    if (replay->begun) {
        item = replay->item ? ngx_ors_json_next(json, replay->item) : NULL;

    } else {
        item = ngx_ors_json_first(json, ngx_ors_json_find(json, json->nodes,
                                                          "output"));
    }

    replay->begun = 1;
    replay->item = item;
    replay->part = NULL;

    if (item == NULL || item->type != ngx_ors_json_object) {
        return NGX_DECLINED;
    }

    ngx_ors_json_inner(json, ngx_ors_replay_text(replay), &replay->rest);
    ngx_str_null(&replay->tokens);

    return NGX_OK;
}


/* "summary" comes first, where there is one */

static ngx_int_t
ngx_ors_replay_next_part(ngx_ors_replay_t *replay)
{
    ngx_uint_t            i;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *node, *next;

    static ngx_str_t  types[] = {
        NGX_ORS_PARTS(ngx_ors_replay_part_name)
        ngx_null_string
    };

    static ngx_str_t  texts[] = {
        NGX_ORS_PARTS(ngx_ors_replay_part_text)
        ngx_null_string
    };

    if (replay->item == NULL) {
        return NGX_DECLINED;
    }

    json = &replay->json;
    next = replay->part ? ngx_ors_json_next(json, replay->part) : NULL;
    replay->part_index++;

    if (next == NULL
        && (replay->part == NULL || replay->kind == ngx_ors_part_summary_text))
    {
        replay->part_index = 0;

        if (replay->part == NULL) {
            next = ngx_ors_json_first(json, ngx_ors_json_find(json,
                                                replay->item, "summary"));
        }

        if (next == NULL) {
            next = ngx_ors_json_first(json, ngx_ors_json_find(json,
                                                replay->item, "content"));
        }
    }

    replay->part = next;
    node = ngx_ors_json_find(json, next, "type");

    for (i = 0; types[i].len; i++) {

        if (ngx_ors_json_equal(json, node, types[i].data, types[i].len)) {
            break;
        }
    }

    if (types[i].len == 0) {
        return NGX_DECLINED;
    }

    replay->kind = i;

    ngx_ors_json_inner(json, ngx_ors_json_get(json, next, texts[i].data,
                                              texts[i].len), &replay->rest);

    ngx_ors_json_raw(json, ngx_ors_json_find(json, next, "logprobs"),
                     &replay->tokens);

    if (replay->tokens.len >= 2) {
        replay->tokens.data++;
        replay->tokens.len -= 2;
    }

    replay->note = ngx_ors_json_first(json, ngx_ors_json_find(json, next,
                                                              "annotations"));
    replay->notes = 0;

    return NGX_OK;
}


/* the next item is of the store: it goes away with a comma */

static ngx_int_t
ngx_ors_replay_hide(ngx_ors_replay_t *replay)
{
    size_t                start, end;
    ngx_ors_json_node_t  *item, *next;

    item = replay->item;

    if (ngx_ors_replay_next_item(replay) != NGX_OK) {
        return NGX_DECLINED;
    }

    next = ngx_ors_json_next(&replay->json, replay->item);

    start = ngx_ors_edit_start(replay->item);
    end = ngx_ors_edit_end(replay->item);

    if (replay->shown) {
        start = ngx_ors_edit_end(item);

    } else if (next) {
        end = ngx_ors_edit_start(next);
    }

    return ngx_ors_edits_add(&replay->hidden, start, end - start, NULL);
}


static ngx_int_t
ngx_ors_replay_added(ngx_ors_replay_t *replay, ngx_ors_out_t *out)
{
    if (replay->sequence < replay->after) {
        return NGX_OK;
    }

    if (ngx_ors_replay_empty(replay) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_ors_event_open(out, replay->sequence,
                       &ngx_ors_events[ngx_ors_event_type_item_added]);
    ngx_ors_out_lit(out, ",\"output_index\":");
    ngx_ors_out_int(out, replay->index);
    ngx_ors_out_lit(out, ",\"item\":");
    ngx_ors_edits_write(&replay->edits, &replay->json,
                        ngx_ors_edit_start(replay->item),
                        ngx_ors_edit_end(replay->item), 1, out);
    ngx_ors_replay_close(out);

    return NGX_OK;
}


/* sets replay->edits to those that make the item one that has just begun */

static ngx_int_t
ngx_ors_replay_empty(ngx_ors_replay_t *replay)
{
    ngx_str_t             type;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *key, *inner;

    json = &replay->json;

    ngx_ors_edits_clear(&replay->edits);

    ngx_ors_replay_type(replay, replay->item, &type);

    ngx_ors_json_each(key, json, replay->item) {

        if (ngx_ors_replay_empty_member(replay, key, &type) != NGX_OK) {
            return NGX_ERROR;
        }

        if (!ngx_ors_json_is(json, key, "action")) {
            continue;
        }

        /* nothing has been found by then */

        ngx_ors_json_each(inner, json, key + 1) {

            if (ngx_ors_json_is(json, inner, "sources")
                && ngx_ors_replay_remove(replay, inner) != NGX_OK)
            {
                return NGX_ERROR;
            }
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_replay_empty_member(ngx_ors_replay_t *replay,
    ngx_ors_json_node_t *key, ngx_str_t *type)
{
    ngx_str_t                 value;
    ngx_ors_replay_member_t  *member;

    for (member = ngx_ors_replay_members; member->name.len; member++) {

        if ((member->type.len && !ngx_ors_same(&member->type, type))
            || !ngx_ors_json_equal(&replay->json, key, member->name.data,
                                   member->name.len))
        {
            continue;
        }

        if (member->value == NULL) {
            return ngx_ors_replay_remove(replay, key);
        }

        value.data = (u_char *) member->value;
        value.len = ngx_strlen(member->value);

        return value.len ? ngx_ors_edits_value(&replay->edits, key + 1, &value)
                         : NGX_OK;
    }

    return NGX_OK;
}


/* with the comma in front of it: it is not the first one of its object */

static ngx_int_t
ngx_ors_replay_remove(ngx_ors_replay_t *replay, ngx_ors_json_node_t *key)
{
    size_t   start;
    u_char  *text;

    text = replay->json.text;
    start = ngx_ors_edit_start(key);

    while (start && text[start] != ',' && text[start] != '{') {
        start--;
    }

    return ngx_ors_edits_add(&replay->edits, start,
                             ngx_ors_edit_end(key + 1) - start, NULL);
}


static ngx_int_t
ngx_ors_replay_part_added(ngx_ors_replay_t *replay, ngx_ors_out_t *out)
{
    ngx_ors_event_part_t  *e;

    if (ngx_ors_replay_next_part(replay) != NGX_OK) {
        return NGX_DECLINED;
    }

    if (replay->sequence < replay->after) {
        return NGX_OK;
    }

    e = ngx_ors_event_part_names(replay->profile, replay->kind);

    ngx_ors_replay_open(replay, &e->added, out);

    ngx_ors_out_lit(out, ",\"part\":{\"type\":");
    ngx_ors_replay_value(replay, ngx_ors_json_find(&replay->json, replay->part,
                                                   "type"), out);
    ngx_ors_out_str(out, &e->text);

    if (replay->kind == ngx_ors_part_output_text) {
        ngx_ors_out_lit(out, "\",\"annotations\":[],\"logprobs\":[]}");

    } else {
        ngx_ors_out_lit(out, "\"}");
    }

    ngx_ors_replay_close(out);

    return NGX_OK;
}


static ngx_int_t
ngx_ors_replay_delta(ngx_ors_replay_t *replay, size_t len, size_t tokens,
    ngx_ors_out_t *out)
{
    ngx_str_t              delta, text;
    ngx_uint_t             pads;
    ngx_ors_event_call_t  *call;

    if (replay->item == NULL || len > replay->rest.len
        || tokens > replay->tokens.len)
    {
        return NGX_DECLINED;
    }

    delta.data = replay->rest.data;
    delta.len = len;

    replay->rest.data += len;
    replay->rest.len -= len;

    text.data = replay->tokens.data;
    text.len = tokens;

    /* a comma lies between the logprobs of two deltas */

    if (tokens) {
        len = ngx_min(tokens + 1, replay->tokens.len);

        replay->tokens.data += len;
        replay->tokens.len -= len;
    }

    if (replay->sequence < replay->after) {
        return NGX_OK;
    }

    pads = replay->obfuscate;

    if (replay->part) {
        ngx_ors_replay_open(replay,
                            &ngx_ors_event_part_names(replay->profile,
                                                      replay->kind)->delta,
                            out);

        pads = pads && (replay->kind != ngx_ors_part_refusal
                        || (replay->profile & NGX_ORS_IN_OPENAI));

    } else {
        call = ngx_ors_replay_call(replay);

        if (call->delta.len == 0) {
            return NGX_DECLINED;
        }

        ngx_ors_replay_open(replay, &call->delta, out);
    }

    ngx_ors_out_lit(out, ",\"delta\":\"");
    ngx_ors_out_str(out, &delta);
    ngx_ors_out_lit(out, "\"");

    ngx_ors_replay_tokens(replay, &text, out);

    if (pads) {
        ngx_ors_event_pad(out, delta.len);
    }

    ngx_ors_replay_close(out);

    return NGX_OK;
}


static ngx_int_t
ngx_ors_replay_text_done(ngx_ors_replay_t *replay, ngx_ors_out_t *out)
{
    ngx_str_t              text, tokens;
    ngx_ors_json_t        *json;
    ngx_ors_event_part_t  *e;

    if (replay->part == NULL) {
        return NGX_DECLINED;
    }

    if (replay->sequence < replay->after) {
        return NGX_OK;
    }

    json = &replay->json;
    e = ngx_ors_event_part_names(replay->profile, replay->kind);

    ngx_ors_json_inner(json, ngx_ors_replay_text(replay), &text);
    ngx_ors_json_raw(json, ngx_ors_json_find(json, replay->part, "logprobs"),
                     &tokens);

    if (tokens.len >= 2) {
        tokens.data++;
        tokens.len -= 2;
    }

    ngx_ors_replay_open(replay, &e->text_done, out);
    ngx_ors_out_str(out, &e->text);
    ngx_ors_out_ref(out, text.data, text.len);
    ngx_ors_out_lit(out, "\"");
    ngx_ors_replay_tokens(replay, &tokens, out);
    ngx_ors_replay_close(out);

    return NGX_OK;
}


static ngx_int_t
ngx_ors_replay_part_done(ngx_ors_replay_t *replay, ngx_ors_out_t *out)
{
    if (replay->part == NULL) {
        return NGX_DECLINED;
    }

    if (replay->sequence < replay->after) {
        return NGX_OK;
    }

    ngx_ors_replay_open(replay,
                        &ngx_ors_event_part_names(replay->profile,
                                                  replay->kind)->part_done,
                        out);
    ngx_ors_out_lit(out, ",\"part\":");
    ngx_ors_replay_value(replay, replay->part, out);
    ngx_ors_replay_close(out);

    return NGX_OK;
}


static ngx_int_t
ngx_ors_replay_note(ngx_ors_replay_t *replay, ngx_ors_out_t *out)
{
    if (replay->part == NULL || replay->note == NULL) {
        return NGX_DECLINED;
    }

    if (replay->sequence >= replay->after) {
        ngx_ors_replay_open(replay,
                            &ngx_ors_events[ngx_ors_event_type_annotation],
                            out);
        ngx_ors_out_lit(out, ",\"annotation_index\":");
        ngx_ors_out_int(out, replay->notes);
        ngx_ors_out_lit(out, ",\"annotation\":");
        ngx_ors_replay_value(replay, replay->note, out);
        ngx_ors_replay_close(out);
    }

    replay->notes++;
    replay->note = ngx_ors_json_next(&replay->json, replay->note);

    return NGX_OK;
}


static ngx_int_t
ngx_ors_replay_call_done(ngx_ors_replay_t *replay, ngx_ors_out_t *out)
{
    ngx_str_t              text;
    ngx_ors_event_call_t  *call;

    if (replay->item == NULL) {
        return NGX_DECLINED;
    }

    call = ngx_ors_replay_call(replay);

    if (call->done.len == 0) {
        return NGX_DECLINED;
    }

    if (replay->sequence < replay->after) {
        return NGX_OK;
    }

    ngx_ors_json_inner(&replay->json, ngx_ors_replay_text(replay), &text);

    ngx_ors_replay_open(replay, &call->done, out);
    ngx_ors_out_str(out, &call->text);
    ngx_ors_out_ref(out, text.data, text.len);
    ngx_ors_out_lit(out, "\"");
    ngx_ors_replay_close(out);

    return NGX_OK;
}


static ngx_int_t
ngx_ors_replay_step(ngx_ors_replay_t *replay, ngx_ors_out_t *out)
{
    u_char     *last;
    size_t      n;
    ngx_str_t   type, name;

    last = replay->journal.data + replay->journal.len;

    if (ngx_ors_journal_number(&replay->pos, last, &n) != NGX_OK
        || n >= NGX_ORS_JOURNAL_STATUSES
        || replay->item == NULL)
    {
        return NGX_DECLINED;
    }

    if (replay->sequence < replay->after) {
        return NGX_OK;
    }

    ngx_ors_replay_type(replay, replay->item, &type);

    if (ngx_ors_str_printf(&name, replay->json.pool, "response.%V.%V", &type,
                           &ngx_ors_journal_statuses[n])
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_ors_replay_open(replay, &name, out);
    ngx_ors_replay_close(out);

    return NGX_OK;
}


/* an event up to the place that it is about, a part if there is one */

static void
ngx_ors_replay_open(ngx_ors_replay_t *replay, ngx_str_t *type,
    ngx_ors_out_t *out)
{
    ngx_str_t  id;

    ngx_ors_json_inner(&replay->json, ngx_ors_json_find(&replay->json,
                                                        replay->item, "id"),
                       &id);

    ngx_ors_event_open(out, replay->sequence, type);
    ngx_ors_out_lit(out, ",\"item_id\":\"");
    ngx_ors_out_str(out, &id);
    ngx_ors_out_lit(out, "\",\"output_index\":");
    ngx_ors_out_int(out, replay->index);

    if (replay->part) {
        ngx_ors_out_str(out, &ngx_ors_event_part_names(replay->profile,
                                                       replay->kind)->index);
        ngx_ors_out_int(out, replay->part_index);
    }
}


/* the logprobs of a text, where it has them */

static void
ngx_ors_replay_tokens(ngx_ors_replay_t *replay, ngx_str_t *text,
    ngx_ors_out_t *out)
{
    if (replay->part && replay->kind == ngx_ors_part_output_text) {
        ngx_ors_out_lit(out, ",\"logprobs\":[");
        ngx_ors_out_str(out, text);
        ngx_ors_out_lit(out, "]");
    }
}


static void
ngx_ors_replay_close(ngx_ors_out_t *out)
{
    ngx_ors_out_lit(out, "}");
    ngx_ors_frame_close(out);
}


static void
ngx_ors_replay_value(ngx_ors_replay_t *replay, ngx_ors_json_node_t *node,
    ngx_ors_out_t *out)
{
    size_t  start;

    if (node == NULL) {
        ngx_ors_out_lit(out, "null");
        return;
    }

    start = ngx_ors_edit_start(node);

    ngx_ors_out_ref(out, replay->json.text + start,
                    ngx_ors_edit_end(node) - start);
}


/* the text that grows by deltas, of the part or of the item, or NULL */

static ngx_ors_json_node_t *
ngx_ors_replay_text(ngx_ors_replay_t *replay)
{
    ngx_ors_json_t        *json;
    ngx_ors_event_call_t  *call;

    json = &replay->json;

    if (replay->part) {
        return ngx_ors_json_get(json, replay->part,
                                (replay->kind == ngx_ors_part_refusal)
                                ? (u_char *) "refusal" : (u_char *) "text",
                                (replay->kind == ngx_ors_part_refusal) ? 7 : 4);
    }

    call = ngx_ors_replay_call(replay);

    /* the name is in ,"name":" */

    return call->text.len
           ? ngx_ors_json_get(json, replay->item, call->text.data + 2,
                              call->text.len - 5)
           : NULL;
}


/* without the slug of an extension */

static void
ngx_ors_replay_type(ngx_ors_replay_t *replay, ngx_ors_json_node_t *node,
    ngx_str_t *type)
{
    u_char  *p;

    ngx_ors_json_inner(&replay->json, ngx_ors_json_find(&replay->json, node,
                                                        "type"), type);

    for (p = type->data + type->len; p > type->data; p--) {

        if (p[-1] == ':') {
            type->len -= p - type->data;
            type->data = p;
            return;
        }
    }
}


static ngx_ors_event_call_t *
ngx_ors_replay_call(ngx_ors_replay_t *replay)
{
    ngx_str_t              type;
    ngx_ors_event_call_t  *call;

    ngx_ors_json_inner(&replay->json, ngx_ors_json_find(&replay->json,
                                                        replay->item, "type"),
                       &type);

    for (call = ngx_ors_event_calls; call->delta.len; call++) {

        if (ngx_ors_same(ngx_ors_item_type(call->type), &type)) {
            break;
        }
    }

    return call;
}


/*
 * The journal of a response that was no stream: each text is one delta.  It is
 * read in the same order by the functions above.
 */

static ngx_int_t
ngx_ors_replay_make(ngx_ors_replay_t *replay, ngx_pool_t *pool)
{
    ngx_ors_journal_t  journal;

    ngx_memzero(&journal, sizeof(ngx_ors_journal_t));

    journal.pool = pool;
    journal.max = NGX_MAX_SIZE_T_VALUE;

    ngx_ors_journal_add(&journal, ngx_ors_journal_created, 0, 0);
    ngx_ors_journal_add(&journal, ngx_ors_journal_in_progress, 0, 0);

    while (ngx_ors_replay_next_item(replay) == NGX_OK) {
        ngx_ors_journal_add(&journal, ngx_ors_journal_item_added, 0, 0);

        ngx_ors_replay_make_parts(replay, &journal);
        ngx_ors_replay_make_call(replay, &journal);

        ngx_ors_journal_add(&journal, ngx_ors_journal_item_done, 0, 0);

        replay->part = NULL;
    }

    replay->item = NULL;
    replay->shown = NULL;
    replay->begun = 0;

    replay->journal.data = journal.data;
    replay->journal.len = journal.len;

    return journal.full ? NGX_ERROR : NGX_OK;
}


static void
ngx_ors_replay_make_parts(ngx_ors_replay_t *replay, ngx_ors_journal_t *journal)
{
    while (ngx_ors_replay_next_part(replay) == NGX_OK) {
        ngx_ors_journal_add(journal, ngx_ors_journal_part_added, 0, 0);

        if (replay->rest.len) {
            ngx_ors_journal_add(journal, ngx_ors_journal_delta,
                                replay->rest.len, replay->tokens.len);
        }

        while (replay->note) {
            ngx_ors_journal_add(journal, ngx_ors_journal_annotation, 0, 0);
            replay->note = ngx_ors_json_next(&replay->json, replay->note);
        }

        ngx_ors_journal_add(journal, ngx_ors_journal_text_done, 0, 0);
        ngx_ors_journal_add(journal, ngx_ors_journal_part_done, 0, 0);
    }

    replay->part = NULL;
}


/* the steps of the book, in its order: begun, busy, over */

static void
ngx_ors_replay_make_call(ngx_ors_replay_t *replay, ngx_ors_journal_t *journal)
{
    ngx_str_t              type, status, text;
    ngx_ors_json_t        *json;
    ngx_ors_event_call_t  *call;
    ngx_ors_event_step_t  *step;

    json = &replay->json;
    call = ngx_ors_replay_call(replay);

    ngx_ors_json_inner(json, ngx_ors_json_find(json, replay->item, "type"),
                       &type);
    ngx_ors_json_inner(json, ngx_ors_json_find(json, replay->item, "status"),
                       &status);

    /* a list of tools has none */

    if (status.len == 0) {
        ngx_str_set(&status, "completed");

        if (ngx_ors_json_find(json, replay->item, "error")) {
            ngx_str_set(&status, "failed");
        }
    }

    step = ngx_ors_event_steps;

    while (step->name.len && !ngx_ors_same(&step->item, &type)) {
        step++;
    }

    if (step->name.len) {
        ngx_ors_journal_status(journal, &step->status);
        step++;
    }

    if (call->delta.len) {
        ngx_ors_json_inner(json, ngx_ors_replay_text(replay), &text);

        if (text.len) {
            ngx_ors_journal_add(journal, ngx_ors_journal_delta, text.len, 0);
        }

        ngx_ors_journal_add(journal, ngx_ors_journal_call_done, 0, 0);
    }

    for ( /* void */ ;
         step->name.len && ngx_ors_same(&step->item, &type);
         step++)
    {
        if (ngx_ors_same(&step->status, &status)
            || !step->over)
        {
            ngx_ors_journal_status(journal, &step->status);
        }
    }
}
