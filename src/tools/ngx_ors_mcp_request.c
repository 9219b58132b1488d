
/*
 * Copyright (C) Open Responses contributors
 */


/* Bodies and headers of the requests to an MCP server, in both eras. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_mcp_header.h>
#include <ngx_ors_mcp_request.h>
#include <ngx_ors_text.h>
#include <ngx_ors_version.h>


#define NGX_ORS_MCP_BLOCK    1024
#define NGX_ORS_MCP_HEADERS_N  8

#define NGX_ORS_MCP_CLIENT                                                    \
    "{\"name\":\"nginx-open-responses\",\"version\":\"" NGX_ORS_VERSION "\"}"

#define NGX_ORS_MCP_META                                                      \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\""

#define NGX_ORS_MCP_META_END                                                  \
    "\",\"io.modelcontextprotocol/clientCapabilities\":{},"                   \
    "\"io.modelcontextprotocol/clientInfo\":" NGX_ORS_MCP_CLIENT "}"


static ngx_ors_mcp_request_t *ngx_ors_mcp_request_create(
    ngx_ors_mcp_sender_t *sender, char *method, uint64_t id,
    ngx_ors_out_t *out);
static ngx_ors_mcp_request_t *ngx_ors_mcp_request_alloc(
    ngx_ors_mcp_sender_t *sender);
static ngx_int_t ngx_ors_mcp_request_era(ngx_ors_mcp_sender_t *sender,
    ngx_ors_mcp_request_t *req);
static ngx_int_t ngx_ors_mcp_request_header(ngx_ors_mcp_request_t *req,
    const char *name, ngx_str_t *value);
static ngx_int_t ngx_ors_mcp_request_name(ngx_ors_mcp_sender_t *sender,
    ngx_ors_mcp_request_t *req, ngx_ors_mcp_arguments_t *args);
static void ngx_ors_mcp_request_params(ngx_ors_mcp_sender_t *sender,
    ngx_ors_out_t *out);
static ngx_ors_mcp_request_t *ngx_ors_mcp_request_close(
    ngx_ors_mcp_request_t *req, ngx_ors_out_t *out, const char *end);


ngx_ors_mcp_request_t *
ngx_ors_mcp_request_list(ngx_ors_mcp_sender_t *sender, uint64_t id,
    ngx_str_t *cursor)
{
    ngx_ors_out_t           out;
    ngx_ors_mcp_request_t  *req;

    req = ngx_ors_mcp_request_create(sender, "tools/list", id, &out);
    if (req == NULL) {
        return NULL;
    }

    ngx_ors_mcp_request_params(sender, &out);

    if (cursor) {

        if (ngx_ors_mcp_is_modern(sender->version)) {
            ngx_ors_out_lit(&out, ",");
        }

        ngx_ors_out_lit(&out, "\"cursor\":\"");
        ngx_ors_out_str(&out, cursor);
        ngx_ors_out_lit(&out, "\"");
    }

    return ngx_ors_mcp_request_close(req, &out, "}}");
}


ngx_ors_mcp_request_t *
ngx_ors_mcp_request_call(ngx_ors_mcp_sender_t *sender, uint64_t id,
    ngx_ors_mcp_arguments_t *args)
{
    ngx_ors_out_t           out;
    ngx_ors_mcp_request_t  *req;

    req = ngx_ors_mcp_request_create(sender, "tools/call", id, &out);

    if (req == NULL
        || ngx_ors_mcp_request_name(sender, req, args) != NGX_OK)
    {
        return NULL;
    }

    ngx_ors_mcp_request_params(sender, &out);

    if (ngx_ors_mcp_is_modern(sender->version)) {
        ngx_ors_out_lit(&out, ",");
    }

    ngx_ors_out_lit(&out, "\"name\":");
    ngx_ors_json_quote(&out, args->name.data, args->name.len);

    ngx_ors_out_lit(&out, ",\"arguments\":");

    if (args->arguments.len) {
        ngx_ors_out_ref(&out, args->arguments.data, args->arguments.len);

    } else {
        ngx_ors_out_lit(&out, "{}");
    }

    if (args->state.len) {
        ngx_ors_out_lit(&out, ",\"requestState\":");
        ngx_ors_out_str(&out, &args->state);
    }

    return ngx_ors_mcp_request_close(req, &out, "}}");
}


ngx_ors_mcp_request_t *
ngx_ors_mcp_request_initialize(ngx_ors_mcp_sender_t *sender, uint64_t id)
{
    ngx_ors_out_t           out;
    ngx_ors_mcp_sender_t    first;
    ngx_ors_mcp_request_t  *req;

    /* neither a session nor a version has been agreed upon */

    first.pool = sender->pool;
    first.version = ngx_ors_mcp_version_none;
    ngx_str_null(&first.session);

    req = ngx_ors_mcp_request_create(&first, "initialize", id, &out);
    if (req == NULL) {
        return NULL;
    }

    ngx_ors_out_lit(&out, "\"protocolVersion\":\"");
    ngx_ors_out_str(&out, ngx_ors_mcp_version_name(sender->version));

    return ngx_ors_mcp_request_close(req, &out,
                                     "\",\"capabilities\":{},"
                                     "\"clientInfo\":" NGX_ORS_MCP_CLIENT
                                     "}}");
}


ngx_ors_mcp_request_t *
ngx_ors_mcp_request_initialized(ngx_ors_mcp_sender_t *sender)
{
    ngx_ors_out_t           out;
    ngx_ors_mcp_request_t  *req;

    req = ngx_ors_mcp_request_create(sender, "notifications/initialized", 0,
                                     &out);

    return req ? ngx_ors_mcp_request_close(req, &out, "}}") : NULL;
}


ngx_ors_mcp_request_t *
ngx_ors_mcp_request_cancelled(ngx_ors_mcp_sender_t *sender, uint64_t id)
{
    ngx_ors_out_t           out;
    ngx_ors_mcp_request_t  *req;

    req = ngx_ors_mcp_request_create(sender, "notifications/cancelled", 0,
                                     &out);
    if (req == NULL) {
        return NULL;
    }

    ngx_ors_out_lit(&out, "\"requestId\":");
    ngx_ors_out_int(&out, (int64_t) id);

    return ngx_ors_mcp_request_close(req, &out, "}}");
}


ngx_ors_mcp_request_t *
ngx_ors_mcp_request_answer(ngx_ors_mcp_sender_t *sender, ngx_str_t *id,
    ngx_uint_t ping)
{
    ngx_ors_out_t           out;
    ngx_ors_mcp_request_t  *req;

    req = ngx_ors_mcp_request_create(sender, "", 0, &out);
    if (req == NULL) {
        return NULL;
    }

    ngx_ors_out_lit(&out, "\"id\":");
    ngx_ors_out_str(&out, id);

    return ngx_ors_mcp_request_close(req, &out,
                                     ping ? ",\"result\":{}}"
                                          : ",\"error\":{\"code\":-32601,"
                                            "\"message\":"
                                            "\"Method not found\"}}");
}


ngx_ors_mcp_request_t *
ngx_ors_mcp_request_resume(ngx_ors_mcp_sender_t *sender, ngx_str_t *id)
{
    ngx_ors_mcp_request_t  *req;

    static ngx_str_t  accept = ngx_string("text/event-stream");

    req = ngx_ors_mcp_request_alloc(sender);

    if (req == NULL
        || ngx_ors_mcp_request_header(req, "Accept", &accept) != NGX_OK
        || ngx_ors_mcp_request_era(sender, req) != NGX_OK
        || ngx_ors_mcp_request_header(req, "Last-Event-ID", id) != NGX_OK)
    {
        return NULL;
    }

    return req;
}


ngx_ors_mcp_request_t *
ngx_ors_mcp_request_end(ngx_ors_mcp_sender_t *sender)
{
    ngx_ors_mcp_request_t  *req;

    req = ngx_ors_mcp_request_alloc(sender);

    if (req == NULL || ngx_ors_mcp_request_era(sender, req) != NGX_OK) {
        return NULL;
    }

    ngx_str_set(&req->method, "DELETE");
    req->ends = 1;

    return req;
}


/* "out" is in the parameters of the method, or, without one, after the head */

static ngx_ors_mcp_request_t *
ngx_ors_mcp_request_create(ngx_ors_mcp_sender_t *sender, char *method,
    uint64_t id, ngx_ors_out_t *out)
{
    ngx_ors_mcp_request_t  *req;

    static ngx_str_t  type = ngx_string("application/json");
    static ngx_str_t  accept = ngx_string("application/json, "
                                          "text/event-stream");

    req = ngx_ors_mcp_request_alloc(sender);
    if (req == NULL) {
        return NULL;
    }

    req->method.data = (u_char *) method;
    req->method.len = ngx_strlen(method);
    req->id = id;

    if (ngx_ors_mcp_request_header(req, "Content-Type", &type) != NGX_OK
        || ngx_ors_mcp_request_header(req, "Accept", &accept) != NGX_OK
        || ngx_ors_mcp_request_era(sender, req) != NGX_OK)
    {
        return NULL;
    }

    ngx_ors_out_init(out, sender->pool, NGX_ORS_MCP_BLOCK);

    ngx_ors_out_lit(out, "{\"jsonrpc\":\"2.0\",");

    if (id) {
        ngx_ors_out_lit(out, "\"id\":");
        ngx_ors_out_int(out, (int64_t) id);
        ngx_ors_out_lit(out, ",");
    }

    if (req->method.len) {
        ngx_ors_out_lit(out, "\"method\":\"");
        ngx_ors_out_str(out, &req->method);
        ngx_ors_out_lit(out, "\",\"params\":{");
    }

    return req;
}


static ngx_ors_mcp_request_t *
ngx_ors_mcp_request_alloc(ngx_ors_mcp_sender_t *sender)
{
    ngx_ors_mcp_request_t  *req;

    req = ngx_pcalloc(sender->pool, sizeof(ngx_ors_mcp_request_t));

    if (req == NULL
        || ngx_array_init(&req->headers, sender->pool, NGX_ORS_MCP_HEADERS_N,
                          sizeof(ngx_keyval_t))
           != NGX_OK)
    {
        return NULL;
    }

    return req;
}


static ngx_int_t
ngx_ors_mcp_request_era(ngx_ors_mcp_sender_t *sender,
    ngx_ors_mcp_request_t *req)
{
    /* earlier versions have no such header */

    if (sender->version >= ngx_ors_mcp_version_2025_06_18
        && ngx_ors_mcp_request_header(req, "MCP-Protocol-Version",
                                      ngx_ors_mcp_version_name(
                                                          sender->version))
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ngx_ors_mcp_is_modern(sender->version)) {
        return ngx_ors_mcp_request_header(req, "Mcp-Method", &req->method);
    }

    if (sender->session.len) {
        return ngx_ors_mcp_request_header(req, "Mcp-Session-Id",
                                          &sender->session);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_mcp_request_header(ngx_ors_mcp_request_t *req, const char *name,
    ngx_str_t *value)
{
    ngx_keyval_t  *kv;

    kv = ngx_array_push(&req->headers);
    if (kv == NULL) {
        return NGX_ERROR;
    }

    kv->key.data = (u_char *) name;
    kv->key.len = ngx_strlen(name);
    kv->value = *value;

    return NGX_OK;
}


/* the headers of the modern era that repeat what the body has */

static ngx_int_t
ngx_ors_mcp_request_name(ngx_ors_mcp_sender_t *sender,
    ngx_ors_mcp_request_t *req, ngx_ors_mcp_arguments_t *args)
{
    ngx_str_t      value;
    ngx_keyval_t  *kv;

    if (!ngx_ors_mcp_is_modern(sender->version)) {
        return NGX_OK;
    }

    if (ngx_ors_mcp_header_value(&args->name, sender->pool, &value) != NGX_OK
        || ngx_ors_mcp_request_header(req, "Mcp-Name", &value) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (args->params == NULL) {
        return NGX_OK;
    }

    kv = ngx_array_push_n(&req->headers, args->params->nelts);
    if (kv == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(kv, args->params->elts,
               args->params->nelts * sizeof(ngx_keyval_t));

    return NGX_OK;
}


static void
ngx_ors_mcp_request_params(ngx_ors_mcp_sender_t *sender, ngx_ors_out_t *out)
{
    if (ngx_ors_mcp_is_modern(sender->version)) {
        ngx_ors_out_lit(out, NGX_ORS_MCP_META);
        ngx_ors_out_str(out, ngx_ors_mcp_version_name(sender->version));
        ngx_ors_out_lit(out, NGX_ORS_MCP_META_END);
    }
}


static ngx_ors_mcp_request_t *
ngx_ors_mcp_request_close(ngx_ors_mcp_request_t *req, ngx_ors_out_t *out,
    const char *end)
{
    ngx_ors_out_copy(out, (u_char *) end, ngx_strlen(end));

    req->size = out->size;

    return (ngx_ors_out_take(out, &req->body) == NGX_OK) ? req : NULL;
}
