
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The order of a response's stream (protocol, section 10.3): which event may
 * follow which, how each is numbered and sent on, and the events that end a
 * stream which is broken.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_verify.h>
#include <ngx_ors_answer_error.h>
#include <ngx_ors_names.h>
#include <ngx_ors_verify_check.h>
#include <ngx_ors_sse.h>
#include <ngx_ors_mask.h>
#include <ngx_ors_event.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_id.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_response.h>


/* bytes that may be filled into any event without being counted */
#define NGX_ORS_VERIFY_FILLED        512

/* a number to begin with that leaves room to count */
#define NGX_ORS_VERIFY_SEQUENCE_MAX  9007199254740992LL

/* our own texts, filled in, are not limited as an answer is */
#define ngx_ors_verify_terminate_unlimited(verify)                             \
    (verify)->json.max_depth = NGX_ORS_JSON_MAX_DEPTH;                         \
    (verify)->json.max_nodes = (ngx_uint_t) -1

/* vectors are lists of numbers: so many times as many values are allowed */
#define NGX_ORS_VERIFY_VECTORS  16

#define ngx_ors_verify_is_chat(verify)                                        \
    ((verify)->endpoint->id == ngx_ors_endpoint_chat)

/* 1 if the last event of the stream has been sent */
#define ngx_ors_verify_stream_is_over(verify)                                 \
    ((verify)->stream->order == ngx_ors_verify_sequence_st_over)


/*
 * The next event, verify->answer->sse.data.
 *
 * NGX_OK         it was appended to verify->out, or dropped
 * NGX_DECLINED   the stream cannot go on, verify->error says why: a violation,
 *                or what upstream has reported
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_verify_sequence(ngx_ors_verify_t *verify);


static ngx_int_t ngx_ors_verify_sequence_event(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev);
static ngx_int_t ngx_ors_verify_sequence_filled(ngx_ors_verify_t *verify);
static ngx_int_t ngx_ors_verify_sequence_begins(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev);
static ngx_int_t ngx_ors_verify_sequence_created(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev);
static ngx_int_t ngx_ors_verify_sequence_state(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev);
static ngx_int_t ngx_ors_verify_sequence_item(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev);
static ngx_int_t ngx_ors_verify_sequence_end(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev);
static ngx_int_t ngx_ors_verify_sequence_failed(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev);
static ngx_int_t ngx_ors_verify_sequence_mask(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *response);
static ngx_int_t ngx_ors_verify_sequence_error(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev);
static ngx_int_t ngx_ors_verify_sequence_report(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *node);
static ngx_int_t ngx_ors_verify_sequence_same(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *response);
static ngx_uint_t ngx_ors_verify_sequence_null(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *response, const char *name);
static ngx_int_t ngx_ors_verify_sequence_send(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev);
static ngx_int_t ngx_ors_verify_sequence_number(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev);
static ngx_int_t ngx_ors_verify_sequence_fill(void *data,
    const ngx_ors_shape_t *shape, ngx_uint_t i, ngx_ors_json_node_t *object,
    ngx_str_t *text);
static ngx_int_t ngx_ors_verify_terminate_copy(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *node, ngx_str_t *text, size_t *room);
static ngx_int_t ngx_ors_verify_terminate(ngx_ors_verify_t *verify);
static ngx_int_t ngx_ors_verify_terminate_start(ngx_ors_verify_t *verify);
static ngx_int_t ngx_ors_verify_terminate_invent(ngx_ors_verify_t *verify,
    ngx_str_t *text);
static ngx_int_t ngx_ors_verify_terminate_failed(ngx_ors_verify_t *verify,
    ngx_ors_error_t *err);
static void ngx_ors_verify_terminate_cause(ngx_ors_out_t *out,
    ngx_ors_error_t *err);
static void ngx_ors_verify_terminate_members(ngx_ors_verify_t *verify);
static void ngx_ors_verify_terminate_items(ngx_ors_verify_t *verify);
static ngx_ors_answer_form_e ngx_ors_verify_form(ngx_ors_verify_t *verify);
static ngx_int_t ngx_ors_verify_document(void *data, ngx_str_t *text);
static ngx_int_t ngx_ors_verify_unreadable(void *data);
static ngx_int_t ngx_ors_verify_fail(ngx_ors_verify_t *verify);
static ngx_int_t ngx_ors_verify_stream_init(ngx_ors_verify_t *verify);
static void ngx_ors_verify_stream_comment(void *data);
static ngx_int_t ngx_ors_verify_stream_event(void *data);
static ngx_int_t ngx_ors_verify_stream_end(void *data, ngx_uint_t done);
static ngx_int_t ngx_ors_verify_stream_fail(ngx_ors_verify_t *verify);
static void ngx_ors_verify_stream_begin(ngx_ors_verify_t *verify);


/* members of a snapshot that "response.failed" replaces */

static const ngx_str_t  ngx_ors_verify_terminate_names[] = {
    ngx_string("status"),
    ngx_string("completed_at"),
    ngx_string("incomplete_details"),
    ngx_string("error"),
    ngx_string("output"),
    ngx_null_string
};


static const ngx_ors_answer_handler_t  ngx_ors_verify_handler = {
    ngx_ors_verify_stream_comment,
    ngx_ors_verify_stream_event,
    ngx_ors_verify_stream_end,
    ngx_ors_verify_document,
    ngx_ors_verify_failure,
    ngx_ors_verify_unreadable
};


ngx_int_t
ngx_ors_verify_sequence(ngx_ors_verify_t *verify)
{
    ngx_int_t                   rc;
    ngx_ors_verify_event_t      ev;
    ngx_ors_verify_sequence_e   order;

    order = verify->stream->order;
    verify->stream->filled = 0;

    rc = ngx_ors_verify_check(verify, &verify->answer->sse.data,
                              verify->endpoint->event);

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_ors_verify_event_lines(&verify->answer->sse.data);

    rc = ngx_ors_verify_event_read(verify, &ev);

    if (rc == NGX_OK) {
        rc = ngx_ors_verify_sequence_event(verify, &ev);
    }

    /* an event that changes the state comes once, others any number of times */

    if (rc == NGX_OK && order == verify->stream->order) {
        rc = ngx_ors_verify_sequence_filled(verify);
    }

    if (rc == NGX_OK) {
        return ngx_ors_verify_sequence_send(verify, &ev);
    }

    return (rc == NGX_DONE) ? NGX_OK : rc;
}


/*
 * Fields that are filled in are as large as the request, though the event may
 * be small: they count for the limit of an answer.  NGX_OK or NGX_DECLINED
 */

static ngx_int_t
ngx_ors_verify_sequence_filled(ngx_ors_verify_t *verify)
{
    size_t      size;
    ngx_uint_t  i;

    size = 0;

    for (i = 0; i < verify->edits.n; i++) {
        size += verify->edits.elts[i].size;
    }

    return (size > NGX_ORS_VERIFY_FILLED)
           ? ngx_ors_verify_terminate_charge(verify, size) : NGX_OK;
}


/* NGX_OK: it is to be sent; NGX_DONE: it was; NGX_DECLINED, NGX_ERROR */

static ngx_int_t
ngx_ors_verify_sequence_event(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev)
{
    ngx_int_t  rc;

    rc = ngx_ors_verify_sequence_begins(verify, ev);

    if (rc != NGX_OK) {
        return rc;
    }

    switch (ev->act) {

    case ngx_ors_verify_act_created:
        return ngx_ors_verify_sequence_created(verify, ev);

    case ngx_ors_verify_act_queued:
    case ngx_ors_verify_act_in_progress:
        return ngx_ors_verify_sequence_state(verify, ev);

    case ngx_ors_verify_act_completed:
    case ngx_ors_verify_act_incomplete:
        return ngx_ors_verify_sequence_end(verify, ev);

    case ngx_ors_verify_act_failed:
        return ngx_ors_verify_sequence_failed(verify, ev);

    case ngx_ors_verify_act_error:
        return ngx_ors_verify_sequence_error(verify, ev);

    case ngx_ors_verify_act_item_added:
    case ngx_ors_verify_act_item_done:
    case ngx_ors_verify_act_part_added:
    case ngx_ors_verify_act_part_done:
    case ngx_ors_verify_act_delta:
    case ngx_ors_verify_act_text:
    case ngx_ors_verify_act_note:
    case ngx_ors_verify_act_step:
    case ngx_ors_verify_act_item:
        return ngx_ors_verify_sequence_item(verify, ev);

    case ngx_ors_verify_act_none:
        break;
    }

    return NGX_OK;
}


/* the response comes first, and after an error only its failure */

static ngx_int_t
ngx_ors_verify_sequence_begins(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev)
{
    ngx_ors_verify_sequence_e  order;

    order = verify->stream->order;

    if (ev->act == ngx_ors_verify_act_none
        || ev->act == ngx_ors_verify_act_failed)
    {
        return NGX_OK;
    }

    if (order == ngx_ors_verify_sequence_st_error) {
        (void) ngx_ors_verify_tolerate(verify, ngx_ors_tolerated_late);
        return NGX_DECLINED;
    }

    if (order == ngx_ors_verify_sequence_st_start
        && ev->act != ngx_ors_verify_act_created
        && ev->act != ngx_ors_verify_act_error)
    {
        return ngx_ors_verify_violation(verify, "response.created must be the "
                                        "first event");
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_verify_sequence_created(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev)
{
    ngx_ors_json_node_t      *response, *node;
    ngx_ors_verify_stream_t  *vs;

    vs = verify->stream;

    if (vs->order != ngx_ors_verify_sequence_st_start) {
        return ngx_ors_verify_violation(verify, "it comes again");
    }

    response = ev->member[ngx_ors_verify_m_response];

    node = ngx_ors_json_find(&verify->json, response, "id");

    if (node->len == 0) {
        return ngx_ors_verify_violation(verify, "the response's id is empty");
    }

    if (ngx_ors_json_copy(&verify->json, node, verify->pool, &vs->id)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (!ngx_ors_verify_has_status(verify, response, "in_progress")
        && !ngx_ors_verify_has_status(verify, response, "queued")
        && ngx_ors_verify_tolerate(verify, ngx_ors_tolerated_status) != NGX_OK)
    {
        return NGX_DECLINED;
    }

    node = ngx_ors_json_find(&verify->json, response, "output");

    if (node && node->count
        && ngx_ors_verify_tolerate(verify, ngx_ors_tolerated_output) != NGX_OK)
    {
        return NGX_DECLINED;
    }

    vs->order = ngx_ors_verify_sequence_st_created;

    return ngx_ors_verify_terminate_copy(verify, response, &vs->snapshot,
                                         &vs->room);
}


static ngx_int_t
ngx_ors_verify_sequence_state(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev)
{
    ngx_uint_t                 queued;
    ngx_ors_json_node_t       *response;
    ngx_ors_verify_stream_t   *vs;
    ngx_ors_verify_sequence_e  order;

    vs = verify->stream;
    response = ev->member[ngx_ors_verify_m_response];
    queued = (ev->act == ngx_ors_verify_act_queued);

    if (ngx_ors_verify_sequence_same(verify, response) != NGX_OK) {
        return NGX_DECLINED;
    }

    if (!ngx_ors_verify_has_status(verify, response,
                                   queued ? "queued" : "in_progress")
        && ngx_ors_verify_tolerate(verify, ngx_ors_tolerated_status) != NGX_OK)
    {
        return NGX_DECLINED;
    }

    order = queued ? ngx_ors_verify_sequence_st_queued
                   : ngx_ors_verify_sequence_st_running;

    if (vs->order >= order) {
        return ngx_ors_verify_tolerate(verify, ngx_ors_tolerated_again);
    }

    vs->order = order;

    return ngx_ors_verify_terminate_copy(verify, response, &vs->snapshot,
                                         &vs->room);
}


static ngx_int_t
ngx_ors_verify_sequence_item(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev)
{
    if (verify->stream->order != ngx_ors_verify_sequence_st_running) {
        (void) ngx_ors_verify_tolerate(verify, ngx_ors_tolerated_skipped);
        verify->stream->order = ngx_ors_verify_sequence_st_running;
    }

    return ngx_ors_verify_item(verify, ev);
}


static ngx_int_t
ngx_ors_verify_sequence_end(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev)
{
    ngx_int_t                 rc;
    ngx_uint_t                completed;
    ngx_ors_json_node_t      *response, *output;
    ngx_ors_verify_stream_t  *vs;

    vs = verify->stream;
    response = ev->member[ngx_ors_verify_m_response];
    completed = (ev->act == ngx_ors_verify_act_completed);

    if (ngx_ors_verify_sequence_same(verify, response) != NGX_OK) {
        return NGX_DECLINED;
    }

    if (!ngx_ors_verify_has_status(verify, response,
                                   completed ? "completed" : "incomplete"))
    {
        return ngx_ors_verify_violation(verify,
                                        "the response has another status");
    }

    if (completed && vs->incomplete) {
        return ngx_ors_verify_violation(verify, "an item is incomplete");
    }

    output = ngx_ors_json_find(&verify->json, response, "output");

    rc = ngx_ors_verify_item_output(verify, output);

    if (rc != NGX_OK) {
        return rc;
    }

    if ((!ngx_ors_verify_sequence_null(verify, response, "error")
         || ngx_ors_verify_sequence_null(verify, response, "incomplete_details")
            != completed)
        && ngx_ors_verify_tolerate(verify, ngx_ors_tolerated_details) != NGX_OK)
    {
        return NGX_DECLINED;
    }

    if (vs->order != ngx_ors_verify_sequence_st_running) {
        (void) ngx_ors_verify_tolerate(verify, ngx_ors_tolerated_skipped);
    }

    vs->order = ngx_ors_verify_sequence_st_over;

    verify->outcome = completed ? ngx_ors_response_completed
                               : ngx_ors_response_incomplete;

    return NGX_OK;
}


/* after an "error" or without one (C22) */

static ngx_int_t
ngx_ors_verify_sequence_failed(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev)
{
    ngx_ors_json_node_t      *response;
    ngx_ors_verify_stream_t  *vs;

    vs = verify->stream;
    response = ev->member[ngx_ors_verify_m_response];

    if (!ngx_ors_verify_has_status(verify, response, "failed")) {
        return ngx_ors_verify_violation(verify,
                                        "the response has another status");
    }

    if (ngx_ors_verify_sequence_null(verify, response, "error")) {
        return ngx_ors_verify_violation(verify, "the response's error is null");
    }

    if (vs->order != ngx_ors_verify_sequence_st_start
        && ngx_ors_verify_sequence_same(verify, response) != NGX_OK)
    {
        return NGX_DECLINED;
    }

    if (ngx_ors_verify_sequence_report(verify, response) != NGX_OK) {
        return NGX_ERROR;
    }

    /* no response has begun that could fail: the answer is an error document */

    if (vs->order == ngx_ors_verify_sequence_st_start) {
        return NGX_DECLINED;
    }

    vs->order = ngx_ors_verify_sequence_st_over;

    return verify->policy->mask ? ngx_ors_verify_sequence_mask(verify, response)
                               : NGX_OK;
}


/* the response's own error is replaced */

static ngx_int_t
ngx_ors_verify_sequence_mask(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *response)
{
    ngx_str_t             text;
    ngx_ors_out_t         out;
    ngx_ors_json_node_t  *node;

    ngx_ors_out_init(&out, verify->pool, NGX_ORS_VERIFY_BLOCK);
    ngx_ors_verify_terminate_cause(&out, &verify->error);

    if (ngx_ors_out_text(&out, &text) != NGX_OK) {
        return NGX_ERROR;
    }

    node = ngx_ors_json_find(&verify->json, response, "error");

    return ngx_ors_edits_value(&verify->edits, node, &text);
}


static ngx_int_t
ngx_ors_verify_sequence_error(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev)
{
    ngx_uint_t                nested;
    ngx_ors_json_node_t      *error, *code;
    ngx_ors_verify_stream_t  *vs;

    vs = verify->stream;
    error = ev->member[ngx_ors_verify_m_error];

    /* a code is a text; of a number the status is known */

    code = ngx_ors_json_find(&verify->json, error, "code");
    nested = (error && (code == NULL || code->type != ngx_ors_json_number));

    if (ngx_ors_verify_sequence_report(verify, verify->json.nodes) != NGX_OK) {
        return NGX_ERROR;
    }

    if (vs->order == ngx_ors_verify_sequence_st_start) {
        return NGX_DECLINED;
    }

    vs->failure = verify->error;
    vs->order = ngx_ors_verify_sequence_st_error;

    if (nested && !verify->policy->mask) {
        return NGX_OK;
    }

    verify->repaired += !nested;
    ngx_ors_event_error(verify->out, vs->sequence++, &vs->failure);

    return NGX_DONE;
}


/* reads the upstream's error: "node", or the object in its "error" */

static ngx_int_t
ngx_ors_verify_sequence_report(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *node)
{
    ngx_ors_json_t       *json;
    ngx_ors_error_t      *err;
    ngx_ors_json_node_t  *error, *param;

    json = &verify->json;
    err = &verify->error;

    if (ngx_ors_answer_error(err, verify->pool, 0, json, node) != NGX_OK) {
        return NGX_ERROR;
    }

    /* the type of the event, not of the error */

    if (ngx_ors_verify_named(&err->code, "error")) {
        ngx_str_set(&err->code, "server_error");
    }

    error = ngx_ors_json_find(json, node, "error");

    param = ngx_ors_json_find(json, (error && error->type
                                     == ngx_ors_json_object) ? error : node,
                              "param");

    if (param && param->type == ngx_ors_json_string
        && ngx_ors_json_copy(&verify->json, param, verify->pool, &err->param)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (verify->policy->mask) {
        ngx_ors_mask(err);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_verify_sequence_same(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *response)
{
    ngx_ors_json_node_t  *id;

    id = ngx_ors_json_find(&verify->json, response, "id");

    return ngx_ors_json_equal(&verify->json, id, verify->stream->id.data,
                              verify->stream->id.len)
           ? NGX_OK : ngx_ors_verify_violation(verify, "the response's id has "
                                               "changed");
}


static ngx_uint_t
ngx_ors_verify_sequence_null(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *response, const char *name)
{
    ngx_ors_json_node_t  *node;

    node = ngx_ors_json_get(&verify->json, response, (u_char *) name,
                            ngx_strlen(name));

    return node == NULL || node->type == ngx_ors_json_null;
}


/* one frame, in the form that all clients read */

static ngx_int_t
ngx_ors_verify_sequence_send(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev)
{
    ngx_int_t             rc;
    ngx_ors_json_node_t  *root;

    if (ngx_ors_verify_sequence_number(verify, ev) != NGX_OK) {
        return NGX_ERROR;
    }

    if (!ngx_ors_same(&verify->answer->sse.event, &ev->type)) {
        verify->repaired++;
    }

    verify->stream->sequence++;

    if (verify->stream->order == ngx_ors_verify_sequence_st_over
        && ngx_ors_verify_is_stored(verify))
    {
        rc = ngx_ors_verify_store_hold(verify, &ev->type);

        /* the end is not sent, the stream goes on to its failure */

        if (rc == NGX_DECLINED) {
            verify->stream->order = ngx_ors_verify_sequence_st_running;
            verify->stream->sequence--;
        }

        return rc;
    }

    root = verify->json.nodes;

    ngx_ors_frame_open(verify->out, &ev->type);
    ngx_ors_edits_write(&verify->edits, &verify->json,
                        ngx_ors_edit_start(root), ngx_ors_edit_end(root), 0,
                        verify->out);
    ngx_ors_frame_close(verify->out);

    return NGX_OK;
}


/* from the first number on by steps of one, whatever the number (C23) */

static ngx_int_t
ngx_ors_verify_sequence_number(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev)
{
    int64_t                   n;
    ngx_str_t                 text;
    ngx_uint_t                known;
    ngx_ors_json_node_t      *node, *root;
    ngx_ors_verify_stream_t  *vs;

    vs = verify->stream;
    node = ev->member[ngx_ors_verify_m_sequence_number];

    known = (node && ngx_ors_json_integer(&verify->json, node, &n) == NGX_OK);

    if (!vs->numbered) {
        vs->numbered = 1;

        if (known && n >= 0 && n < NGX_ORS_VERIFY_SEQUENCE_MAX) {
            vs->sequence = n;
        }
    }

    if (vs->filled || (known && n == vs->sequence)) {
        return NGX_OK;
    }

    verify->repaired++;

    text.data = vs->number;

    if (node) {
        text.len = ngx_sprintf(vs->number, "%L", vs->sequence) - vs->number;
        return ngx_ors_edits_value(&verify->edits, node, &text);
    }

    root = verify->json.nodes;

    text.len = ngx_sprintf(vs->number, ",\"sequence_number\":%L",
                           vs->sequence)
               - vs->number;

    return ngx_ors_edits_add(&verify->edits, ngx_ors_edit_end(root) - 1, 0,
                             &text);
}


/*
 * Fills a field that is missing in the event: its number, or the status of an
 * item.  As ngx_ors_fill_pt, "data" is the verification.
 */

static ngx_int_t
ngx_ors_verify_sequence_fill(void *data, const ngx_ors_shape_t *shape,
    ngx_uint_t i, ngx_ors_json_node_t *object, ngx_str_t *text)
{
    ngx_ors_verify_t *verify = data;

    const ngx_str_t          *name;
    ngx_ors_json_t           *json;
    ngx_ors_json_node_t      *root, *type;
    ngx_ors_verify_stream_t  *vs;

    vs = verify->stream;
    json = &verify->json;
    root = json->nodes;
    name = &shape->fields[i].name;

    if (object == root && ngx_ors_verify_named(name, "sequence_number")) {
        vs->filled = 1;

        text->data = vs->number;
        text->len = ngx_sprintf(vs->number, "%L", vs->sequence) - vs->number;

        return NGX_OK;
    }

    if (!ngx_ors_verify_named(name, "status")
        || object != ngx_ors_json_find(json, root, "item"))
    {
        return NGX_DECLINED;
    }

    type = ngx_ors_json_find(json, root, "type");

    if (type && ngx_ors_json_is(json, type, "response.output_item.added")) {
        ngx_str_set(text, "\"in_progress\"");
        return NGX_OK;
    }

    return NGX_DECLINED;
}


/*
 * The events that end a broken stream, and the copies of items and snapshot
 * which they need.
 */


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
    size_t     room;
    ngx_int_t  rc;

    room = 0;

    rc = ngx_ors_verify_terminate_charge(verify,
                           ngx_ors_edits_size(&verify->edits,
                                              ngx_ors_edit_start(node),
                                              ngx_ors_edit_end(node)));

    return (rc == NGX_OK)
           ? ngx_ors_verify_terminate_copy(verify, node, json, &room) : rc;
}


/*
 * Copies "node" with verify->edits to "text", which has "*room" bytes, or to
 * new memory.  An edit at the very end belongs to the parent: it adds a member.
 * NGX_OK or NGX_ERROR.
 */

static ngx_int_t
ngx_ors_verify_terminate_copy(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *node, ngx_str_t *text, size_t *room)
{
    size_t           pos, last, size;
    u_char          *p, *json;
    ngx_ors_edit_t  *edit, *end;

    pos = ngx_ors_edit_start(node);
    last = ngx_ors_edit_end(node);
    size = ngx_ors_edits_size(&verify->edits, pos, last);

    if (size > *room) {
        p = ngx_pnalloc(verify->pool, size);
        if (p == NULL) {
            return NGX_ERROR;
        }

        if (*room) {
            (void) ngx_pfree(verify->pool, text->data);
        }

        text->data = p;
        *room = size;
    }

    p = text->data;
    json = verify->json.text;
    end = verify->edits.elts + verify->edits.n;

    for (edit = ngx_ors_edits_from(&verify->edits, pos);
         edit < end && edit->pos < last;
         edit++)
    {
        if (edit->pos < pos) {
            continue;
        }

        p = ngx_cpymem(p, json + pos, edit->pos - pos);

        if (edit->size) {
            p = ngx_cpymem(p, edit->text, edit->size);
        }

        pos = (size_t) edit->pos + edit->len;
    }

    p = ngx_cpymem(p, json + pos, last - pos);
    text->len = p - text->data;

    return NGX_OK;
}


/*
 * Appends the events that end the stream, with verify->error or, if upstream
 * has reported an error before, with that one, and [DONE].  If there was no
 * response yet one is made, and announced.  Returns NGX_DONE or NGX_ERROR.
 */

static ngx_int_t
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
        && ngx_ors_verify_terminate_start(verify) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (vs->order == ngx_ors_verify_sequence_st_error) {
        err = &vs->failure;

    } else {
        ngx_ors_event_error(verify->out, vs->sequence++, err);
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
        || ngx_ors_verify_terminate_copy(verify, verify->json.nodes,
                                         &vs->snapshot, &vs->room)
           != NGX_OK)
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


/* Writes the "error" of a response. */

static void
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

    ngx_ors_json_each(key, json, json->nodes) {
        name = ngx_ors_json_name(json, key, ngx_ors_verify_terminate_names);

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


/*
 * Verification of documents, error documents, events and failures: it passes
 * them on, repairs them, or ends the answer.
 */


void
ngx_ors_verify_init(ngx_ors_verify_t *verify)
{
    verify->answer->handler = &ngx_ors_verify_handler;
    verify->answer->data = verify;
}


ngx_int_t
ngx_ors_verify_header(ngx_ors_verify_t *verify, ngx_uint_t status,
    ngx_str_t *type, off_t length)
{
    ngx_int_t   rc;
    ngx_uint_t  nodes;

    nodes = verify->limits->nodes;

    if (verify->endpoint->id == ngx_ors_endpoint_embeddings) {
        nodes *= NGX_ORS_VERIFY_VECTORS;
    }

    ngx_ors_json_init(&verify->json, verify->pool, verify->limits->depth,
                      nodes);
    ngx_ors_edits_init(&verify->edits, verify->pool);

    verify->answer->form = ngx_ors_verify_form(verify);

    rc = ngx_ors_answer_header(verify->answer, status, type, length);

    if (rc == NGX_OK && verify->answer->state == ngx_ors_answer_st_stream) {
        return ngx_ors_verify_stream_init(verify);
    }

    return rc;
}


static ngx_ors_answer_form_e
ngx_ors_verify_form(ngx_ors_verify_t *verify)
{
    if (verify->endpoint->event == NULL) {
        return ngx_ors_answer_json;
    }

    if (verify->request == NULL) {
        return ngx_ors_answer_any;
    }

    return verify->request->stream ? ngx_ors_answer_stream
                                   : ngx_ors_answer_document;
}


static ngx_int_t
ngx_ors_verify_document(void *data, ngx_str_t *text)
{
    ngx_ors_verify_t *verify = data;

    ngx_int_t  rc;

    rc = ngx_ors_verify_check(verify, text, verify->endpoint->answer);

    if (rc == NGX_OK && ngx_ors_verify_is_stored(verify)) {
        rc = ngx_ors_verify_store_hold(verify, NULL);

        if (rc == NGX_OK) {
            return NGX_DONE;
        }
    }

    if (rc == NGX_DECLINED) {
        return ngx_ors_verify_fail(verify);
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    verify->status = verify->answer->status;
    ngx_str_set(&verify->type, "application/json");

    ngx_ors_edits_write(&verify->edits, &verify->json, 0, text->len, 1,
                        verify->out);

    return NGX_DONE;
}


static ngx_int_t
ngx_ors_verify_unreadable(void *data)
{
    ngx_ors_verify_t *verify = data;

    if (verify->stream && ngx_ors_verify_stream_is_over(verify)) {
        return NGX_DONE;
    }

    verify->error = verify->answer->failure;
    (void) ngx_ors_verify_refused(verify);

    return ngx_ors_verify_fail(verify);
}


static ngx_int_t
ngx_ors_verify_fail(ngx_ors_verify_t *verify)
{
    return verify->stream ? ngx_ors_verify_stream_fail(verify)
                          : ngx_ors_verify_failed(verify);
}


static ngx_int_t
ngx_ors_verify_stream_init(ngx_ors_verify_t *verify)
{
    verify->stream = ngx_pcalloc(verify->pool, sizeof(ngx_ors_verify_stream_t));
    if (verify->stream == NULL) {
        return NGX_ERROR;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     verify->stream->order = ngx_ors_verify_sequence_st_start;
     *     verify->stream->sequence = 0;
     *     verify->stream->items = NULL;
     */

    if (!ngx_ors_verify_is_chat(verify)) {
        verify->fill = ngx_ors_verify_sequence_fill;
    }

    return NGX_OK;
}


/* a comment keeps the connection to the client alive */

static void
ngx_ors_verify_stream_comment(void *data)
{
    ngx_ors_verify_t *verify = data;

    if (!ngx_ors_verify_stream_is_over(verify)) {
        ngx_ors_verify_stream_begin(verify);
        ngx_ors_frame_comment(verify->out);
    }
}


static ngx_int_t
ngx_ors_verify_stream_event(void *data)
{
    ngx_ors_verify_t *verify = data;

    ngx_int_t  rc;

    if (ngx_ors_verify_stream_is_over(verify)) {
        return ngx_ors_verify_tolerate(verify, ngx_ors_tolerated_late);
    }

    rc = ngx_ors_verify_is_chat(verify) ? ngx_ors_verify_chat(verify)
                                        : ngx_ors_verify_sequence(verify);

    if (rc == NGX_DECLINED) {
        return ngx_ors_verify_stream_fail(verify);
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_ors_verify_stream_begin(verify);

    /* an end that is held does not wait for the rest of the stream */

    if (verify->held.len) {
        return NGX_DONE;
    }

    if (ngx_ors_verify_stream_is_over(verify)) {
        ngx_ors_frame_done(verify->out);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_verify_stream_end(void *data, ngx_uint_t done)
{
    ngx_ors_verify_t *verify = data;

    if (ngx_ors_verify_stream_is_over(verify)) {
        verify->repaired += !done;
        return NGX_DONE;
    }

    if (ngx_ors_verify_is_chat(verify)
        && ngx_ors_verify_chat_ends(verify, done))
    {
        verify->repaired += !done;
        ngx_ors_frame_done(verify->out);
        return NGX_DONE;
    }

    if (verify->stream->order != ngx_ors_verify_sequence_st_error) {
        return NGX_DECLINED;
    }

    /* the upstream has sent "error" and left out "response.failed" */

    verify->repaired++;

    return ngx_ors_verify_stream_fail(verify);
}


static ngx_int_t
ngx_ors_verify_stream_fail(ngx_ors_verify_t *verify)
{
    if (verify->status == 0) {
        return ngx_ors_verify_failed(verify);
    }

    if (ngx_ors_verify_is_chat(verify)) {
        ngx_ors_verify_chat_fail(verify);
        return NGX_DONE;
    }

    return ngx_ors_verify_terminate(verify);
}


ngx_int_t
ngx_ors_verify_unhold(ngx_ors_verify_t *verify, ngx_ors_error_t *err)
{
    ngx_str_null(&verify->held);

    verify->error = *err;
    verify->stream->order = ngx_ors_verify_sequence_st_running;
    verify->stream->sequence--;

    return ngx_ors_verify_stream_fail(verify);
}


static void
ngx_ors_verify_stream_begin(ngx_ors_verify_t *verify)
{
    if (verify->status == 0) {
        verify->status = 200;
        ngx_str_set(&verify->type, "text/event-stream");
    }
}
