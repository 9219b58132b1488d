
/*
 * Copyright (C) Open Responses contributors
 */


/* The states of a dialog, and what each event means in each of them. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_mcp_dialog.h>
#include <ngx_ors_mcp_request.h>
#include <ngx_ors_mcp_message.h>
#include <ngx_ors_text.h>


#define ngx_ors_mcp_is_success(status)  ((status) >= 200 && (status) < 300)

#define ngx_ors_mcp_dialog_is_over(dialog)                                    \
    ((dialog)->state == ngx_ors_mcp_dialog_st_done                            \
     || (dialog)->state == ngx_ors_mcp_dialog_st_failed)

/* codes of the modern era: only its servers have them */
#define ngx_ors_mcp_is_modern_code(code)                                      \
    ((code) <= NGX_ORS_MCP_HEADERS && (code) >= NGX_ORS_MCP_VERSION)

/* codes that mean nothing in particular, as old servers use them */
#define ngx_ors_mcp_is_legacy_code(code)                                      \
    ((code) == NGX_ORS_MCP_INVALID_REQUEST                                    \
     || ((code) <= -32000 && (code) >= -32019))

/* the server has not even looked for the tool */
#define ngx_ors_mcp_is_refused(status)                                        \
    ((status) == 400 || (status) == 404 || (status) == 405)


typedef enum {
    ngx_ors_mcp_refusal_final = 0,
    ngx_ors_mcp_refusal_begin,      /* a legacy session is to begin, anew */
    ngx_ors_mcp_refusal_modern,     /* the server is of the modern era */
    ngx_ors_mcp_refusal_list        /* the headers are those of an old list */
} ngx_ors_mcp_refusal_e;


static ngx_int_t ngx_ors_mcp_dialog_take(ngx_ors_mcp_dialog_t *dialog,
    ngx_ors_mcp_dialog_event_e event);
static ngx_int_t ngx_ors_mcp_dialog_outcome(ngx_ors_mcp_dialog_t *dialog);
static ngx_int_t ngx_ors_mcp_dialog_start(ngx_ors_mcp_dialog_t *dialog);
static ngx_int_t ngx_ors_mcp_dialog_header(ngx_ors_mcp_dialog_t *dialog);
static ngx_int_t ngx_ors_mcp_dialog_body(ngx_ors_mcp_dialog_t *dialog);
static ngx_int_t ngx_ors_mcp_dialog_end(ngx_ors_mcp_dialog_t *dialog);
static ngx_int_t ngx_ors_mcp_dialog_read(ngx_ors_mcp_dialog_t *dialog,
    ngx_buf_t *in);
static ngx_uint_t ngx_ors_mcp_dialog_resumable(ngx_ors_mcp_dialog_t *dialog);
static ngx_int_t ngx_ors_mcp_dialog_lost(ngx_ors_mcp_dialog_t *dialog,
    ngx_uint_t status, char *why);
static ngx_int_t ngx_ors_mcp_dialog_close(ngx_ors_mcp_dialog_t *dialog);
static ngx_int_t ngx_ors_mcp_dialog_cancel(ngx_ors_mcp_dialog_t *dialog);
static ngx_int_t ngx_ors_mcp_dialog_broken(ngx_ors_mcp_dialog_t *dialog,
    char *why);
static ngx_int_t ngx_ors_mcp_dialog_message(ngx_ors_mcp_dialog_t *dialog);
static ngx_int_t ngx_ors_mcp_dialog_asked(ngx_ors_mcp_dialog_t *dialog);
static ngx_int_t ngx_ors_mcp_dialog_result(ngx_ors_mcp_dialog_t *dialog);
static ngx_int_t ngx_ors_mcp_dialog_initialize(ngx_ors_mcp_dialog_t *dialog);
static ngx_int_t ngx_ors_mcp_dialog_begun(ngx_ors_mcp_dialog_t *dialog);
static ngx_int_t ngx_ors_mcp_dialog_list(ngx_ors_mcp_dialog_t *dialog);
static ngx_int_t ngx_ors_mcp_dialog_call(ngx_ors_mcp_dialog_t *dialog);
static ngx_int_t ngx_ors_mcp_dialog_refused(ngx_ors_mcp_dialog_t *dialog,
    ngx_ors_mcp_message_t *message);
static ngx_int_t ngx_ors_mcp_dialog_fail(ngx_ors_mcp_dialog_t *dialog,
    ngx_ors_mcp_message_t *message);
static ngx_int_t ngx_ors_mcp_dialog_error(ngx_ors_mcp_dialog_t *dialog,
    ngx_ors_mcp_error_e type, int64_t code, const char *fmt, ...);
static ngx_int_t ngx_ors_mcp_ask_initialize(ngx_ors_mcp_dialog_t *dialog,
    ngx_ors_mcp_version_e version);
static ngx_int_t ngx_ors_mcp_ask_initialized(ngx_ors_mcp_dialog_t *dialog,
    ngx_ors_mcp_version_e version);
static ngx_int_t ngx_ors_mcp_ask_wanted(ngx_ors_mcp_dialog_t *dialog);
static ngx_int_t ngx_ors_mcp_ask_list(ngx_ors_mcp_dialog_t *dialog);
static ngx_int_t ngx_ors_mcp_ask_page(ngx_ors_mcp_dialog_t *dialog,
    ngx_str_t *cursor);
static ngx_int_t ngx_ors_mcp_ask_call(ngx_ors_mcp_dialog_t *dialog);
static ngx_int_t ngx_ors_mcp_ask_address(ngx_ors_mcp_dialog_t *dialog);
static ngx_int_t ngx_ors_mcp_ask(ngx_ors_mcp_dialog_t *dialog,
    ngx_ors_mcp_dialog_state_e state, ngx_ors_mcp_request_t *req);
static ngx_int_t ngx_ors_mcp_ask_resume(ngx_ors_mcp_dialog_t *dialog);
static ngx_int_t ngx_ors_mcp_ask_aside(ngx_ors_mcp_dialog_t *dialog,
    ngx_ors_mcp_request_t *req);
static ngx_ors_mcp_refusal_e ngx_ors_mcp_refusal(ngx_ors_mcp_version_e sent,
    ngx_ors_mcp_version_e known, ngx_uint_t status,
    ngx_ors_mcp_message_t *message, ngx_ors_mcp_version_e *version);
static ngx_ors_mcp_refusal_e ngx_ors_mcp_refusal_of_modern(
    ngx_ors_mcp_version_e known, ngx_uint_t status,
    ngx_ors_mcp_message_t *message, ngx_ors_mcp_version_e *version);
static ngx_ors_mcp_refusal_e ngx_ors_mcp_refusal_version(
    ngx_ors_mcp_message_t *message, ngx_ors_mcp_version_e *version);
static ngx_uint_t ngx_ors_mcp_refusal_meta(ngx_uint_t status,
    ngx_ors_mcp_message_t *message);
static ngx_ors_mcp_refusal_e ngx_ors_mcp_refusal_initialize(ngx_uint_t status,
    ngx_ors_mcp_message_t *message);


static char  *ngx_ors_mcp_dialog_states[NGX_ORS_MCP_DIALOG_STATES] = {
    "new", "initialize", "initialized", "list", "call", "done", "failed"
};


static char  *ngx_ors_mcp_dialog_events[NGX_ORS_MCP_DIALOG_EVENTS] = {
    "start", "header", "body", "end", "cut", "timeout", "close"
};


ngx_int_t
ngx_ors_mcp_dialog_step(ngx_ors_mcp_dialog_t *dialog,
    ngx_ors_mcp_dialog_event_e event)
{
    ngx_int_t                   rc;
    ngx_ors_mcp_dialog_state_e  state;

    state = dialog->state;

    rc = ngx_ors_mcp_dialog_take(dialog, event);

    if (state != dialog->state || dialog->request) {
        ngx_log_debug5(NGX_LOG_DEBUG_HTTP, dialog->log, 0,
                       "ors mcp dialog: %s in %s, status %ui: %s, %i",
                       ngx_ors_mcp_dialog_event(event),
                       ngx_ors_mcp_dialog_state(state), dialog->status,
                       ngx_ors_mcp_dialog_state(dialog->state), rc);
    }

    return rc;
}


static ngx_int_t
ngx_ors_mcp_dialog_take(ngx_ors_mcp_dialog_t *dialog,
    ngx_ors_mcp_dialog_event_e event)
{
    if (event == ngx_ors_mcp_dialog_ev_close) {
        return ngx_ors_mcp_dialog_close(dialog);
    }

    if ((dialog->state == ngx_ors_mcp_dialog_st_new)
        != (event == ngx_ors_mcp_dialog_ev_start))
    {
        ngx_log_error(NGX_LOG_ALERT, dialog->log, 0,
                      "event \"%s\" of a dialog with an MCP server in state "
                      "\"%s\"", ngx_ors_mcp_dialog_event(event),
                      ngx_ors_mcp_dialog_state(dialog->state));
        return NGX_ERROR;
    }

    /* the rest of an answer that is not needed any more */

    if (ngx_ors_mcp_dialog_is_over(dialog)) {
        return ngx_ors_mcp_dialog_outcome(dialog);
    }

    switch (event) {

    case ngx_ors_mcp_dialog_ev_start:
        return ngx_ors_mcp_dialog_start(dialog);

    case ngx_ors_mcp_dialog_ev_header:
        return ngx_ors_mcp_dialog_header(dialog);

    case ngx_ors_mcp_dialog_ev_body:
        return ngx_ors_mcp_dialog_body(dialog);

    case ngx_ors_mcp_dialog_ev_end:
        return ngx_ors_mcp_dialog_end(dialog);

    case ngx_ors_mcp_dialog_ev_cut:
        return ngx_ors_mcp_dialog_resumable(dialog)
               ? ngx_ors_mcp_ask_resume(dialog)
               : ngx_ors_mcp_dialog_lost(dialog, NGX_ORS_MCP_BAD_GATEWAY,
                                         "the answer was cut");

    case ngx_ors_mcp_dialog_ev_timeout:
        return ngx_ors_mcp_dialog_lost(dialog, NGX_ORS_MCP_TIMEOUT,
                                       "the server did not answer in time");

    case ngx_ors_mcp_dialog_ev_close:
        break;
    }

    return NGX_ERROR;
}


static ngx_int_t
ngx_ors_mcp_dialog_outcome(ngx_ors_mcp_dialog_t *dialog)
{
    if (dialog->state == ngx_ors_mcp_dialog_st_done) {
        return NGX_OK;
    }

    return (dialog->state == ngx_ors_mcp_dialog_st_failed) ? NGX_DONE
                                                           : NGX_AGAIN;
}


/* arguments that the model has not written well are its own mistake */

static ngx_int_t
ngx_ors_mcp_dialog_start(ngx_ors_mcp_dialog_t *dialog)
{
    ngx_int_t  rc;

    if (dialog->name.len == 0 || dialog->arguments.len == 0) {
        return ngx_ors_mcp_ask_wanted(dialog);
    }

    ngx_ors_json_init(&dialog->json, dialog->pool, dialog->limits->depth,
                      dialog->limits->nodes);

    rc = ngx_ors_json_read(&dialog->json, dialog->arguments.data,
                           dialog->arguments.len);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (rc == NGX_OK && dialog->json.nodes->type == ngx_ors_json_object) {
        return ngx_ors_mcp_ask_wanted(dialog);
    }

    ngx_str_set(&dialog->result.text,
                "The arguments of the call are not a JSON object.");

    dialog->result.failed = 1;
    dialog->error.type = ngx_ors_mcp_error_execution;
    dialog->state = ngx_ors_mcp_dialog_st_done;

    return NGX_OK;
}


static ngx_int_t
ngx_ors_mcp_dialog_header(ngx_ors_mcp_dialog_t *dialog)
{
    ngx_str_t  *session;

    if (!ngx_ors_mcp_is_success(dialog->status) && dialog->resumes) {
        return ngx_ors_mcp_dialog_lost(dialog, dialog->status,
                                       "the answer broke off, and its rest "
                                       "was refused");
    }

    /* the server may still be at work */

    if (dialog->status == NGX_ORS_MCP_TIMEOUT
        && ngx_ors_mcp_dialog_cancel(dialog) != NGX_OK)
    {
        return NGX_ERROR;
    }

    /* only these have a body that says more */

    if (!ngx_ors_mcp_is_success(dialog->status) && dialog->status != 400
        && dialog->status != 404 && dialog->status != 405)
    {
        return ngx_ors_mcp_dialog_fail(dialog, NULL);
    }

    ngx_ors_mcp_reader_header(&dialog->reader, &dialog->type);

    if (dialog->state != ngx_ors_mcp_dialog_st_initialize
        || dialog->session.len == 0)
    {
        return NGX_AGAIN;
    }

    session = &dialog->session;

    if (session->len > NGX_ORS_MCP_SESSION_MAX) {
        return ngx_ors_mcp_dialog_broken(dialog,
                                         "has an Mcp-Session-Id that is too "
                                         "long");
    }

    if (!ngx_ors_mcp_header_session(session)) {
        return ngx_ors_mcp_dialog_broken(dialog,
                                         "has no valid Mcp-Session-Id");
    }

    return (ngx_ors_str_copy(&dialog->sender.session, dialog->pool, session)
            == NGX_OK)
           ? NGX_AGAIN : NGX_ERROR;
}


static ngx_int_t
ngx_ors_mcp_dialog_body(ngx_ors_mcp_dialog_t *dialog)
{
    dialog->size += dialog->in->last - dialog->in->pos;

    if (dialog->size > dialog->limits->dialog) {
        return ngx_ors_mcp_dialog_broken(dialog, "is too long");
    }

    /* the answer to a notification has none */

    if (dialog->state == ngx_ors_mcp_dialog_st_initialized) {
        return NGX_AGAIN;
    }

    return ngx_ors_mcp_dialog_read(dialog, dialog->in);
}


static ngx_int_t
ngx_ors_mcp_dialog_end(ngx_ors_mcp_dialog_t *dialog)
{
    if (dialog->status == 0) {
        return ngx_ors_mcp_dialog_lost(dialog, NGX_ORS_MCP_BAD_GATEWAY,
                                       "there was no answer");
    }

    if (dialog->state == ngx_ors_mcp_dialog_st_initialized) {
        return ngx_ors_mcp_is_success(dialog->status)
               ? ngx_ors_mcp_dialog_begun(dialog)
               : ngx_ors_mcp_dialog_fail(dialog, NULL);
    }

    return ngx_ors_mcp_dialog_read(dialog, NULL);
}


/* all messages of the bytes, or, NULL, those that the end completes */

static ngx_int_t
ngx_ors_mcp_dialog_read(ngx_ors_mcp_dialog_t *dialog, ngx_buf_t *in)
{
    ngx_int_t  rc;

    for ( ;; ) {
        rc = in ? ngx_ors_mcp_reader_read(&dialog->reader, in)
                : ngx_ors_mcp_reader_end(&dialog->reader);

        if (rc == NGX_DONE) {
            return ngx_ors_mcp_dialog_resumable(dialog)
                   ? ngx_ors_mcp_ask_resume(dialog)
                   : ngx_ors_mcp_dialog_broken(dialog, "has no response");
        }

        if (rc == NGX_DECLINED) {
            return ngx_ors_mcp_dialog_broken(dialog, dialog->reader.invalid);
        }

        if (rc != NGX_OK) {
            return rc;
        }

        rc = ngx_ors_mcp_dialog_message(dialog);

        if (rc != NGX_AGAIN || dialog->request) {
            return rc;
        }
    }
}


/* a server that can resume a stream gives its events ids */

static ngx_uint_t
ngx_ors_mcp_dialog_resumable(ngx_ors_mcp_dialog_t *dialog)
{
    return ngx_ors_mcp_dialog_lingers(dialog)
           && ngx_ors_mcp_is_success(dialog->status)
           && dialog->reader.place.last.len
           && dialog->resumes < NGX_ORS_MCP_RESUMES;
}


static ngx_int_t
ngx_ors_mcp_dialog_lost(ngx_ors_mcp_dialog_t *dialog, ngx_uint_t status,
    char *why)
{
    if (ngx_ors_mcp_dialog_cancel(dialog) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_ors_mcp_dialog_error(dialog, ngx_ors_mcp_error_http, status,
                                    "%s", why);
}


static ngx_int_t
ngx_ors_mcp_dialog_close(ngx_ors_mcp_dialog_t *dialog)
{
    dialog->request = NULL;

    if (!ngx_ors_mcp_dialog_is_over(dialog)) {
        dialog->state = ngx_ors_mcp_dialog_st_failed;
    }

    if (dialog->list) {
        ngx_ors_mcp_list_release(dialog->list);
        dialog->list = NULL;
    }

    return ngx_ors_mcp_dialog_outcome(dialog);
}


static ngx_int_t
ngx_ors_mcp_dialog_cancel(ngx_ors_mcp_dialog_t *dialog)
{
    if (!ngx_ors_mcp_dialog_lingers(dialog)) {
        return NGX_OK;
    }

    return ngx_ors_mcp_ask_aside(dialog,
                                 ngx_ors_mcp_request_cancelled(
                                                 &dialog->sender, dialog->id));
}


/* in the legacy era a request goes on without its connection */

ngx_uint_t
ngx_ors_mcp_dialog_lingers(ngx_ors_mcp_dialog_t *dialog)
{
    return (dialog->state == ngx_ors_mcp_dialog_st_list
            || dialog->state == ngx_ors_mcp_dialog_st_call)
           && !ngx_ors_mcp_is_modern(dialog->sender.version);
}


/* an answer that cannot be read; of one that refuses the status counts */

static ngx_int_t
ngx_ors_mcp_dialog_broken(ngx_ors_mcp_dialog_t *dialog, char *why)
{
    if (!ngx_ors_mcp_is_success(dialog->status)) {
        return ngx_ors_mcp_dialog_refused(dialog, NULL);
    }

    if (ngx_ors_mcp_dialog_cancel(dialog) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_ors_mcp_dialog_error(dialog, ngx_ors_mcp_error_protocol,
                                    NGX_ORS_MCP_INTERNAL,
                                    "the server sent an answer that %s", why);
}


/* NGX_AGAIN: there is another request, or nothing has changed */

static ngx_int_t
ngx_ors_mcp_dialog_message(ngx_ors_mcp_dialog_t *dialog)
{
    ngx_uint_t              success;
    ngx_ors_mcp_message_t  *message;

    message = &dialog->reader.message;
    success = ngx_ors_mcp_is_success(dialog->status);

    switch (message->type) {

    case ngx_ors_mcp_message_result:

        if (success && ngx_ors_mcp_message_answers(message, dialog->id)) {
            return ngx_ors_mcp_dialog_result(dialog);
        }

        break;

    case ngx_ors_mcp_message_error:

        /* a server that refuses a request may not have read its id */

        if (!success || message->id == NULL
            || ngx_ors_mcp_message_answers(message, dialog->id))
        {
            return ngx_ors_mcp_dialog_refused(dialog, message);
        }

        break;

    case ngx_ors_mcp_message_request:
        return ngx_ors_mcp_dialog_asked(dialog);

    case ngx_ors_mcp_message_notification:

        if (ngx_ors_mcp_message_is(message,
                                   "notifications/tools/list_changed"))
        {
            dialog->stale = 1;
        }

        break;
    }

    return NGX_AGAIN;
}


/* a call would wait for the answer until it times out */

static ngx_int_t
ngx_ors_mcp_dialog_asked(ngx_ors_mcp_dialog_t *dialog)
{
    ngx_str_t               id;
    ngx_uint_t              ping;
    ngx_ors_mcp_message_t  *message;

    message = &dialog->reader.message;

    if (ngx_ors_mcp_is_modern(dialog->sender.version)
        || dialog->nasides == NGX_ORS_MCP_ASIDES)
    {
        return NGX_AGAIN;
    }

    if (ngx_ors_mcp_compact(message->json, message->id, dialog->pool, &id)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ping = ngx_ors_mcp_message_is(message, "ping");

    if (ngx_ors_mcp_ask_aside(dialog,
                              ngx_ors_mcp_request_answer(&dialog->sender, &id,
                                                         ping))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return NGX_AGAIN;
}


static ngx_int_t
ngx_ors_mcp_dialog_result(ngx_ors_mcp_dialog_t *dialog)
{
    if (ngx_ors_mcp_is_modern(dialog->sender.version)) {
        dialog->peer->version = dialog->sender.version;
    }

    if (dialog->state == ngx_ors_mcp_dialog_st_initialize) {
        return ngx_ors_mcp_dialog_initialize(dialog);
    }

    return (dialog->state == ngx_ors_mcp_dialog_st_list)
           ? ngx_ors_mcp_dialog_list(dialog) : ngx_ors_mcp_dialog_call(dialog);
}


static ngx_int_t
ngx_ors_mcp_dialog_initialize(ngx_ors_mcp_dialog_t *dialog)
{
    ngx_int_t               rc;
    ngx_str_t               text;
    ngx_ors_json_t         *json;
    ngx_ors_json_node_t    *node;
    ngx_ors_mcp_version_e   version;

    json = dialog->reader.message.json;
    node = dialog->reader.message.result;

    rc = ngx_ors_mcp_string(json,
                            ngx_ors_json_find(json, node, "protocolVersion"),
                            dialog->pool, &text);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    version = ngx_ors_mcp_version(&text);

    if (version == ngx_ors_mcp_version_none
        || ngx_ors_mcp_is_modern(version))
    {
        return ngx_ors_mcp_dialog_broken(dialog,
                                         "has a version that is not known");
    }

    node = ngx_ors_json_find(json, node, "capabilities");
    node = ngx_ors_json_find(json, node, "tools");

    if (node == NULL || node->type != ngx_ors_json_object) {
        return ngx_ors_mcp_dialog_broken(dialog, "says it has no tools");
    }

    return ngx_ors_mcp_ask_initialized(dialog, version);
}


/* other dialogs use the session from now on */

static ngx_int_t
ngx_ors_mcp_dialog_begun(ngx_ors_mcp_dialog_t *dialog)
{
    ngx_str_t           *session;
    ngx_ors_mcp_peer_t  *peer;

    peer = dialog->peer;
    session = &dialog->sender.session;

    peer->version = dialog->sender.version;
    peer->generation++;
    peer->ready = 1;
    peer->len = session->len;

    if (session->len) {
        ngx_memcpy(peer->session, session->data, session->len);
    }

    return ngx_ors_mcp_ask_wanted(dialog);
}


static ngx_int_t
ngx_ors_mcp_dialog_list(ngx_ors_mcp_dialog_t *dialog)
{
    ngx_int_t               rc;
    ngx_ors_mcp_message_t  *message;

    message = &dialog->reader.message;

    rc = ngx_ors_mcp_list_page(dialog->list, message->json, message->result,
                               dialog->log);

    if (rc == NGX_AGAIN) {
        return ngx_ors_mcp_ask_page(dialog, &dialog->list->cursor);
    }

    if (rc == NGX_DECLINED) {
        return ngx_ors_mcp_dialog_error(dialog, ngx_ors_mcp_error_protocol,
                                        NGX_ORS_MCP_INTERNAL,
                                        "the server sent a list that %s",
                                        dialog->list->invalid);
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    dialog->listed = 1;

    if (dialog->name.len == 0) {
        dialog->state = ngx_ors_mcp_dialog_st_done;
        return NGX_OK;
    }

    dialog->tool = ngx_ors_mcp_list_find(dialog->list, &dialog->name);

    if (dialog->tool == NULL) {
        return ngx_ors_mcp_dialog_error(dialog, ngx_ors_mcp_error_protocol,
                                        NGX_ORS_MCP_INVALID_PARAMS,
                                        "the server has no such tool");
    }

    return ngx_ors_mcp_ask_call(dialog);
}


static ngx_int_t
ngx_ors_mcp_dialog_call(ngx_ors_mcp_dialog_t *dialog)
{
    ngx_int_t  rc;

    rc = ngx_ors_mcp_result_read(&dialog->result, &dialog->reader.message,
                                 ngx_ors_mcp_is_modern(dialog->sender.version),
                                 dialog->limits->output, dialog->pool);

    if (rc == NGX_AGAIN) {

        if (dialog->repeats++ < NGX_ORS_MCP_REPEATS) {
            return ngx_ors_mcp_ask_call(dialog);
        }

        rc = NGX_DECLINED;
        dialog->result.invalid = "is never complete";
    }

    if (rc == NGX_DECLINED) {
        return ngx_ors_mcp_dialog_error(dialog, ngx_ors_mcp_error_protocol,
                                        NGX_ORS_MCP_INTERNAL,
                                        "the server sent a result that %s",
                                        dialog->result.invalid);
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    if (dialog->result.failed) {
        dialog->error.type = ngx_ors_mcp_error_execution;
    }

    dialog->state = ngx_ors_mcp_dialog_st_done;

    return NGX_OK;
}


/* "message" is an error, or NULL */

static ngx_int_t
ngx_ors_mcp_dialog_refused(ngx_ors_mcp_dialog_t *dialog,
    ngx_ors_mcp_message_t *message)
{
    ngx_ors_mcp_peer_t     *peer;
    ngx_ors_mcp_refusal_e   refusal;
    ngx_ors_mcp_version_e   version;

    peer = dialog->peer;
    version = NGX_ORS_MCP_LEGACY;

    refusal = (dialog->state == ngx_ors_mcp_dialog_st_initialize)
              ? ngx_ors_mcp_refusal_initialize(dialog->status, message)
              : ngx_ors_mcp_refusal(dialog->sender.version, peer->version,
                                    dialog->status, message, &version);

    switch (refusal) {

    case ngx_ors_mcp_refusal_begin:

        /* a call whose answer has come may have run, however it ended */

        if (dialog->begun
            || (dialog->state == ngx_ors_mcp_dialog_st_call
                && ngx_ors_mcp_is_success(dialog->status)))
        {
            break;
        }

        /* another dialog has begun a session in the meantime */

        if (peer->ready && peer->generation != dialog->generation) {
            dialog->begun = 1;
            return ngx_ors_mcp_ask_wanted(dialog);
        }

        peer->ready = 0;

        return ngx_ors_mcp_ask_initialize(dialog, version);

    case ngx_ors_mcp_refusal_modern:

        if (dialog->modern) {
            break;
        }

        peer->version = NGX_ORS_MCP_MODERN;
        peer->ready = 0;

        return ngx_ors_mcp_ask_wanted(dialog);

    case ngx_ors_mcp_refusal_list:

        if (dialog->state == ngx_ors_mcp_dialog_st_call && !dialog->listed) {

            /* the schema has changed: the call has other headers now */

            return ngx_ors_mcp_ask_list(dialog);
        }

        break;

    case ngx_ors_mcp_refusal_final:

        if (message && message->code == NGX_ORS_MCP_INVALID_PARAMS) {
            dialog->stale = 1;
        }

        break;
    }

    return ngx_ors_mcp_dialog_fail(dialog, message);
}


static ngx_int_t
ngx_ors_mcp_dialog_fail(ngx_ors_mcp_dialog_t *dialog,
    ngx_ors_mcp_message_t *message)
{
    if (message) {
        dialog->state = ngx_ors_mcp_dialog_st_failed;

        return (ngx_ors_mcp_error_read(&dialog->error, message, dialog->pool)
                == NGX_OK)
               ? NGX_DONE : NGX_ERROR;
    }

    return ngx_ors_mcp_dialog_error(dialog, ngx_ors_mcp_error_http,
                                    dialog->status, "HTTP status %ui",
                                    dialog->status);
}


static ngx_int_t
ngx_ors_mcp_dialog_error(ngx_ors_mcp_dialog_t *dialog,
    ngx_ors_mcp_error_e type, int64_t code, const char *fmt, ...)
{
    va_list               args;
    u_char               *last;
    ngx_ors_mcp_error_t  *error;

    dialog->state = ngx_ors_mcp_dialog_st_failed;

    error = &dialog->error;
    error->type = type;
    error->code = code;

    error->message.data = ngx_pnalloc(dialog->pool, NGX_ORS_MCP_ERROR_MAX);
    if (error->message.data == NULL) {
        return NGX_ERROR;
    }

    va_start(args, fmt);
    last = ngx_vslprintf(error->message.data,
                         error->message.data + NGX_ORS_MCP_ERROR_MAX, fmt,
                         args);
    va_end(args);

    error->message.len = last - error->message.data;

    return NGX_DONE;
}


char *
ngx_ors_mcp_dialog_state(ngx_ors_mcp_dialog_state_e state)
{
    return ngx_ors_mcp_dialog_states[state];
}


char *
ngx_ors_mcp_dialog_event(ngx_ors_mcp_dialog_event_e event)
{
    return ngx_ors_mcp_dialog_events[event];
}


/*
 * The requests of a dialog with an MCP server: each one takes the place of
 * the one before.
 */

/* Requests of a dialog, and its memory of them. */


/*
 * These set dialog->request, its state and its reader.  NGX_AGAIN: the answer
 * is awaited; NGX_ERROR: no memory.
 */

/* The beginning of a session of "version", which is the end of any other. */

static ngx_int_t
ngx_ors_mcp_ask_initialize(ngx_ors_mcp_dialog_t *dialog,
    ngx_ors_mcp_version_e version)
{
    dialog->begun = 1;

    dialog->sender.pool = dialog->pool;
    dialog->sender.version = version;
    ngx_str_null(&dialog->sender.session);

    return ngx_ors_mcp_ask(dialog, ngx_ors_mcp_dialog_st_initialize,
                           ngx_ors_mcp_request_initialize(&dialog->sender,
                                                          ++dialog->peer->id));
}


/* ... and its second half, with the version that the server has chosen */

static ngx_int_t
ngx_ors_mcp_ask_initialized(ngx_ors_mcp_dialog_t *dialog,
    ngx_ors_mcp_version_e version)
{
    dialog->sender.version = version;

    return ngx_ors_mcp_ask(dialog, ngx_ors_mcp_dialog_st_initialized,
                           ngx_ors_mcp_request_initialized(&dialog->sender));
}


/* The dialog's request, in the form of the version that the peer has. */

static ngx_int_t
ngx_ors_mcp_ask_wanted(ngx_ors_mcp_dialog_t *dialog)
{
    ngx_ors_mcp_peer_t  *peer;

    peer = dialog->peer;

    if (peer->version != ngx_ors_mcp_version_none
        && !ngx_ors_mcp_is_modern(peer->version) && !peer->ready)
    {
        return ngx_ors_mcp_ask_initialize(dialog, NGX_ORS_MCP_LEGACY);
    }

    return (dialog->name.len && (dialog->listed || !dialog->lists))
           ? ngx_ors_mcp_ask_call(dialog) : ngx_ors_mcp_ask_list(dialog);
}


/* The first page of a new list, and the next page. */

static ngx_int_t
ngx_ors_mcp_ask_list(ngx_ors_mcp_dialog_t *dialog)
{
    if (dialog->list) {
        ngx_ors_mcp_list_release(dialog->list);
    }

    dialog->list = ngx_ors_mcp_list_create(dialog->limits, dialog->list_log);
    if (dialog->list == NULL) {
        return NGX_ERROR;
    }

    return ngx_ors_mcp_ask_page(dialog, NULL);
}


static ngx_int_t
ngx_ors_mcp_ask_page(ngx_ors_mcp_dialog_t *dialog, ngx_str_t *cursor)
{
    if (ngx_ors_mcp_ask_address(dialog) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_ors_mcp_ask(dialog, ngx_ors_mcp_dialog_st_list,
                           ngx_ors_mcp_request_list(&dialog->sender,
                                                    ++dialog->peer->id,
                                                    cursor));
}


/* The call. */

static ngx_int_t
ngx_ors_mcp_ask_call(ngx_ors_mcp_dialog_t *dialog)
{
    ngx_ors_mcp_arguments_t  args;

    if (ngx_ors_mcp_ask_address(dialog) != NGX_OK) {
        return NGX_ERROR;
    }

    args.name = dialog->name;
    args.arguments = dialog->arguments;
    args.state = dialog->result.state;
    args.params = NULL;

    if (ngx_ors_mcp_is_modern(dialog->sender.version)
        && dialog->tool && dialog->tool->params.nelts && args.arguments.len)
    {
        args.params = ngx_array_create(dialog->pool, 2, sizeof(ngx_keyval_t));

        if (args.params == NULL
            || ngx_ors_mcp_params_headers(&dialog->tool->params, &dialog->json,
                                          dialog->json.nodes, args.params)
               != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return ngx_ors_mcp_ask(dialog, ngx_ors_mcp_dialog_st_call,
                           ngx_ors_mcp_request_call(&dialog->sender,
                                                    ++dialog->peer->id,
                                                    &args));
}


/* a server of which nothing is known is asked as a modern one */

static ngx_int_t
ngx_ors_mcp_ask_address(ngx_ors_mcp_dialog_t *dialog)
{
    ngx_str_t              session;
    ngx_ors_mcp_peer_t    *peer;
    ngx_ors_mcp_sender_t  *sender;

    peer = dialog->peer;
    sender = &dialog->sender;

    sender->pool = dialog->pool;
    sender->version = peer->version ? peer->version : NGX_ORS_MCP_MODERN;

    dialog->generation = peer->generation;

    ngx_str_null(&sender->session);

    if (ngx_ors_mcp_is_modern(sender->version)) {
        dialog->modern = 1;
        return NGX_OK;
    }

    /* another dialog may change the peer while the request is sent */

    session.data = peer->session;
    session.len = peer->len;

    return ngx_ors_str_copy(&sender->session, dialog->pool, &session);
}


static ngx_int_t
ngx_ors_mcp_ask(ngx_ors_mcp_dialog_t *dialog,
    ngx_ors_mcp_dialog_state_e state, ngx_ors_mcp_request_t *req)
{
    if (req == NULL) {
        return NGX_ERROR;
    }

    dialog->state = state;
    dialog->request = req;
    dialog->id = req->id;
    dialog->status = 0;
    dialog->resumes = 0;

    ngx_ors_mcp_reader_init(&dialog->reader, dialog->limits, dialog->pool);

    return NGX_AGAIN;
}


/* The rest of a stream that has broken off, from the place that is known. */

/* a server that wants to be asked late has closed the stream itself */

static ngx_int_t
ngx_ors_mcp_ask_resume(ngx_ors_mcp_dialog_t *dialog)
{
    ngx_str_t               id;
    ngx_ors_sse_place_t    *place;
    ngx_ors_mcp_request_t  *req;

    place = &dialog->reader.place;

    id.len = place->last.len;
    id.data = place->last.data;

    if (ngx_ors_str_copy(&id, dialog->pool, &id) != NGX_OK) {
        return NGX_ERROR;
    }

    req = ngx_ors_mcp_request_resume(&dialog->sender, &id);
    if (req == NULL) {
        return NGX_ERROR;
    }

    req->delay = NGX_ORS_MCP_RETRY;

    if (place->retry) {
        req->delay = ngx_max(place->retry, NGX_ORS_MCP_RETRY_MIN);
        req->delay = ngx_min(req->delay, NGX_ORS_MCP_RETRY_MAX);
    }

    dialog->resumes++;
    dialog->request = req;
    dialog->status = 0;

    ngx_ors_mcp_reader_resume(&dialog->reader);

    return NGX_AGAIN;
}


/* Adds "req" to dialog->asides; NULL: no memory.  NGX_OK or NGX_ERROR. */

static ngx_int_t
ngx_ors_mcp_ask_aside(ngx_ors_mcp_dialog_t *dialog,
    ngx_ors_mcp_request_t *req)
{
    ngx_ors_mcp_request_t  **next;

    if (req == NULL) {
        return NGX_ERROR;
    }

    for (next = &dialog->asides; *next; next = &(*next)->next) { /* void */ }

    *next = req;
    dialog->nasides++;

    return NGX_OK;
}


/*
 * Reasons why an MCP server refuses a request: the wrong era, a lost
 * session, headers of an old schema, or the end.
 */

/* Finds out the era of a server by the way in which it refuses a request. */


/*
 * The next step after "tools/list" or "tools/call" was refused.  "sent" is the
 * version of the request, "known" what was known of the server before it.
 * "message" is the error in the body, NULL without one.  Of
 * ngx_ors_mcp_refusal_begin "*version" is the one to ask for.
 *
 * Nothing is sent again that may have had an effect.
 */

static ngx_ors_mcp_refusal_e
ngx_ors_mcp_refusal(ngx_ors_mcp_version_e sent, ngx_ors_mcp_version_e known,
    ngx_uint_t status, ngx_ors_mcp_message_t *message,
    ngx_ors_mcp_version_e *version)
{
    *version = NGX_ORS_MCP_LEGACY;

    if (ngx_ors_mcp_is_modern(sent)) {
        return ngx_ors_mcp_refusal_of_modern(known, status, message, version);
    }

    if (message
        && (ngx_ors_mcp_is_modern_code(message->code)
            || ngx_ors_mcp_refusal_meta(status, message)))
    {
        return ngx_ors_mcp_refusal_modern;
    }

    /* a lost session is 404, with some servers 400 and no code that says so */

    return (status == 404
            || (status == 400
                && (message == NULL
                    || ngx_ors_mcp_is_legacy_code(message->code))))
           ? ngx_ors_mcp_refusal_begin : ngx_ors_mcp_refusal_final;
}


static ngx_ors_mcp_refusal_e
ngx_ors_mcp_refusal_of_modern(ngx_ors_mcp_version_e known, ngx_uint_t status,
    ngx_ors_mcp_message_t *message, ngx_ors_mcp_version_e *version)
{
    int64_t  code;

    code = message ? message->code : 0;

    if (code == NGX_ORS_MCP_VERSION) {
        return ngx_ors_mcp_refusal_version(message, version);
    }

    if (code == NGX_ORS_MCP_HEADERS) {
        return ngx_ors_mcp_refusal_list;
    }

    if (code == NGX_ORS_MCP_CAPABILITY
        || (status == 404 && code == NGX_ORS_MCP_NO_METHOD)
        || ngx_ors_mcp_refusal_meta(status, message))
    {
        return ngx_ors_mcp_refusal_final;
    }

    if (code == NGX_ORS_MCP_INVALID_PARAMS && ngx_ors_mcp_is_modern(known)) {
        return ngx_ors_mcp_refusal_final;
    }

    if (ngx_ors_mcp_is_refused(status)) {
        return ngx_ors_mcp_refusal_begin;
    }

    return (status / 100 == 2 && !ngx_ors_mcp_is_modern(known)
            && ngx_ors_mcp_is_legacy_code(code))
           ? ngx_ors_mcp_refusal_begin : ngx_ors_mcp_refusal_final;
}


/* the newest legacy version that the server has; ours was refused */

static ngx_ors_mcp_refusal_e
ngx_ors_mcp_refusal_version(ngx_ors_mcp_message_t *message,
    ngx_ors_mcp_version_e *version)
{
    ngx_uint_t            i;
    ngx_str_t            *name;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *node, *supported;

    json = message->json;
    supported = ngx_ors_json_find(json, message->data, "supported");

    if (supported == NULL || supported->type != ngx_ors_json_array) {
        return ngx_ors_mcp_refusal_final;
    }

    for (i = NGX_ORS_MCP_LEGACY; i > ngx_ors_mcp_version_none; i--) {
        name = ngx_ors_mcp_version_name(i);

        for (node = ngx_ors_json_first(json, supported);
             node;
             node = ngx_ors_json_next(json, node))
        {
            if (ngx_ors_json_equal(json, node, name->data, name->len)) {
                *version = i;
                return ngx_ors_mcp_refusal_begin;
            }
        }
    }

    return ngx_ors_mcp_refusal_final;
}


/* 1 if the server misses what only requests of the modern era have */

static ngx_uint_t
ngx_ors_mcp_refusal_meta(ngx_uint_t status, ngx_ors_mcp_message_t *message)
{
    ngx_str_t  text;

    if (status != 400 || message == NULL
        || message->code != NGX_ORS_MCP_INVALID_PARAMS)
    {
        return 0;
    }

    ngx_ors_json_inner(message->json, message->text, &text);

    return text.len >= 5
           && ngx_strlcasestrn(text.data, text.data + text.len,
                               (u_char *) "_meta", 5 - 1)
              != NULL;
}


/* The same of "initialize", which only a server of the modern era refuses. */

static ngx_ors_mcp_refusal_e
ngx_ors_mcp_refusal_initialize(ngx_uint_t status,
    ngx_ors_mcp_message_t *message)
{
    if (message
        && (ngx_ors_mcp_is_modern_code(message->code)
            || ngx_ors_mcp_refusal_meta(status, message)
            || (status == 404 && message->code == NGX_ORS_MCP_NO_METHOD)))
    {
        return ngx_ors_mcp_refusal_modern;
    }

    return ngx_ors_mcp_refusal_final;
}
