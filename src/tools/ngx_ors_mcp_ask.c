
/*
 * Copyright (C) Open Responses contributors
 */


/* Requests of a dialog, and its memory of them. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_mcp_ask.h>
#include <ngx_ors_mcp_param.h>
#include <ngx_ors_text.h>


static ngx_int_t ngx_ors_mcp_ask_address(ngx_ors_mcp_dialog_t *dialog);
static ngx_int_t ngx_ors_mcp_ask(ngx_ors_mcp_dialog_t *dialog,
    ngx_ors_mcp_dialog_state_e state, ngx_ors_mcp_request_t *req);


ngx_int_t
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


ngx_int_t
ngx_ors_mcp_ask_initialized(ngx_ors_mcp_dialog_t *dialog,
    ngx_ors_mcp_version_e version)
{
    dialog->sender.version = version;

    return ngx_ors_mcp_ask(dialog, ngx_ors_mcp_dialog_st_initialized,
                           ngx_ors_mcp_request_initialized(&dialog->sender));
}


ngx_int_t
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


ngx_int_t
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


ngx_int_t
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


ngx_int_t
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


/* a server that wants to be asked late has closed the stream itself */

ngx_int_t
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


ngx_int_t
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
