
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The events that end a broken stream, and the copies of items and snapshot
 * which they need.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_event.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_verify_check.h>
#include <ngx_ors_verify_part.h>
#include <ngx_ors_verify_terminate.h>
#include <ngx_ors_ws.h>
#include <ngx_ors_id.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_response.h>


/* our own texts, filled in, are not limited as an answer is */
#define ngx_ors_verify_terminate_unlimited(verify)                             \
    (verify)->json.max_depth = NGX_ORS_JSON_MAX_DEPTH;                         \
    (verify)->json.max_nodes = (ngx_uint_t) -1


static u_char *ngx_ors_verify_terminate_text(ngx_ors_verify_t *verify,
    u_char *p, size_t pos, size_t last);
static ngx_int_t ngx_ors_verify_terminate_start(ngx_ors_verify_t *verify);
static ngx_int_t ngx_ors_verify_terminate_invent(ngx_ors_verify_t *verify,
    ngx_str_t *text);
static ngx_int_t ngx_ors_verify_terminate_failed(ngx_ors_verify_t *verify,
    ngx_ors_error_t *err);
static void ngx_ors_verify_terminate_members(ngx_ors_verify_t *verify);
static void ngx_ors_verify_terminate_items(ngx_ors_verify_t *verify);


/* members of a snapshot that are written anew when it has failed */

static const ngx_str_t  ngx_ors_verify_terminate_names[] = {
    ngx_string("status"),
    ngx_string("completed_at"),
    ngx_string("incomplete_details"),
    ngx_string("error"),
    ngx_string("output"),
    ngx_null_string
};


ngx_int_t
ngx_ors_verify_terminate_charge(ngx_ors_verify_t *verify, size_t size)
{
    ngx_ors_verify_stream_t  *vs;

    vs = verify->stream;

    if (size > verify->limits->answer - vs->size) {
        return ngx_ors_verify_found(verify, ngx_ors_code_answer_too_large,
                                    "the model server's answer is over the "
                                    "limit of %uz bytes",
                                    verify->limits->answer);
    }

    vs->size += size;

    return NGX_OK;
}


ngx_int_t
ngx_ors_verify_terminate_item(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *node, ngx_str_t *json)
{
    size_t      pos, last, size;
    u_char     *p;
    ngx_int_t   rc;

    pos = ngx_ors_edit_start(node);
    last = ngx_ors_edit_end(node);
    size = ngx_ors_edits_size(&verify->edits, pos, last);

    rc = ngx_ors_verify_terminate_charge(verify, size);

    if (rc != NGX_OK) {
        return rc;
    }

    p = ngx_pnalloc(verify->pool, size);
    if (p == NULL) {
        return NGX_ERROR;
    }

    (void) ngx_ors_verify_terminate_text(verify, p, pos, last);

    json->data = p;
    json->len = size;

    return NGX_OK;
}


ngx_int_t
ngx_ors_verify_terminate_snapshot(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *node)
{
    size_t                    pos, last, size;
    u_char                   *p;
    ngx_ors_verify_stream_t  *vs;

    vs = verify->stream;

    pos = ngx_ors_edit_start(node);
    last = ngx_ors_edit_end(node);
    size = ngx_ors_edits_size(&verify->edits, pos, last);

    if (size > vs->room) {
        p = ngx_pnalloc(verify->pool, size);
        if (p == NULL) {
            return NGX_ERROR;
        }

        if (vs->snapshot.data) {
            (void) ngx_pfree(verify->pool, vs->snapshot.data);
        }

        vs->snapshot.data = p;
        vs->room = size;
    }

    p = ngx_ors_verify_terminate_text(verify, vs->snapshot.data, pos, last);
    vs->snapshot.len = p - vs->snapshot.data;

    return NGX_OK;
}


/* an edit at the very end belongs to the parent: it adds a member */

static u_char *
ngx_ors_verify_terminate_text(ngx_ors_verify_t *verify, u_char *p, size_t pos,
    size_t last)
{
    u_char          *text;
    ngx_ors_edit_t  *edit, *end;

    text = verify->json.text;
    end = verify->edits.elts + verify->edits.n;

    for (edit = ngx_ors_edits_from(&verify->edits, pos);
         edit < end && edit->pos < last;
         edit++)
    {
        if (edit->pos < pos) {
            continue;
        }

        p = ngx_cpymem(p, text + pos, edit->pos - pos);

        if (edit->size) {
            p = ngx_cpymem(p, edit->text, edit->size);
        }

        pos = (size_t) edit->pos + edit->len;
    }

    return ngx_cpymem(p, text + pos, last - pos);
}


void
ngx_ors_verify_terminate_error(ngx_ors_verify_t *verify, ngx_ors_error_t *err)
{
    ngx_ors_event_error(verify->out, verify->stream->sequence++, err);
}


ngx_int_t
ngx_ors_verify_terminate(ngx_ors_verify_t *verify)
{
    ngx_ors_error_t          *err;
    ngx_ors_verify_stream_t  *vs;

    vs = verify->stream;
    err = &verify->error;

    if (vs->order == ngx_ors_verify_sequence_st_over) {
        return NGX_DONE;
    }

    if (vs->snapshot.len == 0
        && ngx_ors_verify_terminate_start(verify) != NGX_OK) {
        return NGX_ERROR;
    }

    if (vs->order == ngx_ors_verify_sequence_st_error) {
        err = &vs->failure;

    } else {
        ngx_ors_verify_terminate_error(verify, err);
    }

    vs->order = ngx_ors_verify_sequence_st_over;

    return ngx_ors_verify_terminate_failed(verify, err);
}


/* only comments were sent: clients need a response that can fail */

static ngx_int_t
ngx_ors_verify_terminate_start(ngx_ors_verify_t *verify)
{
    ngx_int_t                 rc;
    ngx_str_t                 text;
    ngx_uint_t                repaired;
    ngx_ors_error_t           err;
    ngx_ors_verify_stream_t  *vs;

    vs = verify->stream;
    repaired = verify->repaired;

    if (ngx_ors_verify_terminate_invent(verify, &text) != NGX_OK) {
        return NGX_ERROR;
    }

    /* the other fields are filled in as in an upstream's response */

    ngx_ors_verify_terminate_unlimited(verify);

    rc = ngx_ors_verify_validate(verify, &text, &ngx_ors_fields_response, &err);

    if (rc == NGX_DECLINED) {
        ngx_log_error(NGX_LOG_ALERT, verify->log, 0,
                      "a response of our own is not valid: %V", &err.message);
        return NGX_ERROR;
    }

    if (rc != NGX_OK
        || ngx_ors_verify_terminate_snapshot(verify,
                                             verify->json.nodes) != NGX_OK)
    {
        return NGX_ERROR;
    }

    verify->repaired = repaired;

    ngx_ors_event_open(verify->out, verify->stream->sequence++,
                       &ngx_ors_events[ngx_ors_event_type_created]);
    ngx_ors_out_lit(verify->out, ",\"response\":");
    ngx_ors_out_str(verify->out, &vs->snapshot);
    ngx_ors_out_lit(verify->out, "}");
    ngx_ors_frame_close(verify->out);

    return NGX_OK;
}


/* all but the ids and the model's name, the rest is filled in */

static ngx_int_t
ngx_ors_verify_terminate_invent(ngx_ors_verify_t *verify, ngx_str_t *text)
{
    ngx_str_t      id, *model;
    ngx_ors_id_t   ids;
    ngx_ors_out_t  out;

    if (ngx_ors_id_init(&ids, verify->log) != NGX_OK
        || ngx_ors_id_make(&ids, verify->pool, "resp", &id) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_ors_out_init(&out, verify->pool, NGX_ORS_VERIFY_BLOCK);

    ngx_ors_out_lit(&out, "{\"id\":\"");
    ngx_ors_out_str(&out, &id);
    ngx_ors_out_lit(&out, "\",\"object\":\"response\",\"created_at\":");
    ngx_ors_out_int(&out, ngx_time());
    ngx_ors_out_lit(&out, ",\"completed_at\":null,\"status\":\"in_progress\","
                          "\"incomplete_details\":null,\"output\":[],"
                          "\"error\":null,\"usage\":null,\"model\":");

    if (verify->request) {
        model = &verify->request->model;
        ngx_ors_json_quote(&out, model->data, model->len);

    } else {
        ngx_ors_out_lit(&out, "\"\"");
    }

    ngx_ors_out_lit(&out, "}");

    return ngx_ors_out_text(&out, text);
}


static ngx_int_t
ngx_ors_verify_terminate_failed(ngx_ors_verify_t *verify, ngx_ors_error_t *err)
{
    ngx_int_t       rc;
    ngx_str_t      *snapshot;
    ngx_ors_out_t  *out;

    out = verify->out;
    snapshot = &verify->stream->snapshot;

    ngx_ors_verify_terminate_unlimited(verify);

    rc = ngx_ors_json_read(&verify->json, snapshot->data, snapshot->len);

    if (rc != NGX_OK) {

        if (rc == NGX_DECLINED) {
            ngx_log_error(NGX_LOG_ALERT, verify->log, 0,
                          "the snapshot of a response is not JSON");
        }

        return NGX_ERROR;
    }

    ngx_ors_event_open(verify->out, verify->stream->sequence++,
                       &ngx_ors_events[ngx_ors_event_type_failed]);

    ngx_ors_out_lit(out, ",\"response\":{");
    ngx_ors_verify_terminate_members(verify);
    ngx_ors_out_lit(out, "\"status\":\"failed\",\"completed_at\":null,"
                         "\"incomplete_details\":null,\"error\":");
    ngx_ors_verify_terminate_cause(out, err);
    ngx_ors_out_lit(out, ",\"output\":[");
    ngx_ors_verify_terminate_items(verify);
    ngx_ors_out_lit(out, "]}}");

    ngx_ors_frame_close(out);
    ngx_ors_frame_done(out);

    return NGX_DONE;
}


void
ngx_ors_verify_terminate_cause(ngx_ors_out_t *out, ngx_ors_error_t *err)
{
    ngx_ors_out_lit(out, "{\"code\":");
    ngx_ors_json_quote(out, err->code.data, err->code.len);
    ngx_ors_out_lit(out, ",\"message\":");
    ngx_ors_json_quote(out, err->message.data, err->message.len);
    ngx_ors_out_lit(out, "}");
}


/* the members that stay, each with a comma after it */

static void
ngx_ors_verify_terminate_members(ngx_ors_verify_t *verify)
{
    size_t                pos;
    ngx_ors_json_t       *json;
    const ngx_str_t      *name;
    ngx_ors_json_node_t  *key;

    json = &verify->json;

    for (key = ngx_ors_json_first(json, json->nodes);
         key;
         key = ngx_ors_json_next(json, key))
    {
        for (name = ngx_ors_verify_terminate_names; name->len; name++) {

            if (ngx_ors_json_equal(json, key, name->data, name->len)) {
                break;
            }
        }

        if (name->len == 0) {
            pos = ngx_ors_edit_start(key);

            ngx_ors_out_copy(verify->out, json->text + pos,
                             ngx_ors_edit_end(key + 1) - pos);
            ngx_ors_out_lit(verify->out, ",");
        }
    }
}


/* one that is not finished would make the response incomplete (C28) */

static void
ngx_ors_verify_terminate_items(ngx_ors_verify_t *verify)
{
    ngx_str_t                *json;
    ngx_uint_t                i, n;
    ngx_ors_verify_stream_t  *vs;

    vs = verify->stream;
    n = 0;

    for (i = 0; i < vs->nitems; i++) {
        json = &vs->items[i].json;

        if (json->len == 0) {
            continue;
        }

        if (n++) {
            ngx_ors_out_lit(verify->out, ",");
        }

        ngx_ors_out_ref(verify->out, json->data, json->len);
    }
}
