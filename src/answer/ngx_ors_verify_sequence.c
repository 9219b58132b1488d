
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The state table of a response's stream: which event may follow which, and
 * what each one changes.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_answer_error.h>
#include <ngx_ors_names.h>
#include <ngx_ors_verify_check.h>
#include <ngx_ors_verify_terminate.h>
#include <ngx_ors_verify_item.h>
#include <ngx_ors_verify_store.h>
#include <ngx_ors_verify_sequence.h>
#include <ngx_ors_verify_tolerate.h>
#include <ngx_ors_ws.h>
#include <ngx_ors_mask.h>


/* bytes that may be filled into any event without being counted */
#define NGX_ORS_VERIFY_FILLED        512

/* a number to begin with that leaves room to count */
#define NGX_ORS_VERIFY_SEQUENCE_MAX  9007199254740992LL


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

    return ngx_ors_verify_terminate_snapshot(verify, response);
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

    return ngx_ors_verify_terminate_snapshot(verify, response);
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
    ngx_ors_verify_terminate_error(verify, &vs->failure);

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


ngx_int_t
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
