
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Messages of an MCP server: the envelope of JSON-RPC, whatever the order of
 * its members, in a document or a stream.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_mcp_request.h>
#include <ngx_ors_mcp_message.h>
#include <ngx_ors_text.h>
#include <ngx_ors_edit.h>


#define NGX_ORS_MCP_MEMBERS  (ngx_ors_mcp_member_error + 1)


typedef enum {
    ngx_ors_mcp_member_jsonrpc = 0,
    ngx_ors_mcp_member_id,
    ngx_ors_mcp_member_method,
    ngx_ors_mcp_member_result,
    ngx_ors_mcp_member_error
} ngx_ors_mcp_member_e;


static ngx_int_t ngx_ors_mcp_message_error_read(
    ngx_ors_mcp_message_t *message, ngx_ors_json_node_t *error);
static ngx_uint_t ngx_ors_mcp_reader_empty(ngx_ors_sse_t *sse);
static ngx_int_t ngx_ors_mcp_reader_message(ngx_ors_mcp_reader_t *reader,
    ngx_str_t *text);
static ngx_int_t ngx_ors_mcp_reader_fail(ngx_ors_mcp_reader_t *reader,
    char *why);


static const ngx_str_t  ngx_ors_mcp_members[] = {
    ngx_string("jsonrpc"),
    ngx_string("id"),
    ngx_string("method"),
    ngx_string("result"),
    ngx_string("error"),
    ngx_null_string
};


static const ngx_str_t  ngx_ors_mcp_error_members[] = {
    ngx_string("code"),
    ngx_string("message"),
    ngx_string("data"),
    ngx_null_string
};


ngx_int_t
ngx_ors_mcp_message_read(ngx_ors_mcp_message_t *message, ngx_ors_json_t *json,
    ngx_str_t *text)
{
    ngx_int_t             rc;
    ngx_ors_json_node_t  *member[NGX_ORS_MCP_MEMBERS];

    ngx_memzero(message, sizeof(ngx_ors_mcp_message_t));

    message->json = json;

    rc = ngx_ors_json_read(json, text->data, text->len);

    if (rc != NGX_OK) {
        return (rc == NGX_ERROR)
               ? NGX_ERROR
               : ngx_ors_mcp_invalid(&message->invalid, "is not JSON");
    }

    if (json->nodes->type == ngx_ors_json_array) {
        return ngx_ors_mcp_invalid(&message->invalid, "is a batch of messages");
    }

    if (json->nodes->type != ngx_ors_json_object) {
        return ngx_ors_mcp_invalid(&message->invalid, "is no object");
    }

    ngx_ors_json_members(json, json->nodes, ngx_ors_mcp_members, member);

    if (!ngx_ors_json_is(json, member[ngx_ors_mcp_member_jsonrpc], "2.0")) {
        return ngx_ors_mcp_invalid(&message->invalid, "is not JSON-RPC 2.0");
    }

    message->id = member[ngx_ors_mcp_member_id];

    if (message->id
        && message->id->type != ngx_ors_json_string
        && message->id->type != ngx_ors_json_number)
    {
        return ngx_ors_mcp_invalid(&message->invalid, "has no valid id");
    }

    message->method = member[ngx_ors_mcp_member_method];

    if (message->method && message->method->type != ngx_ors_json_string) {
        return ngx_ors_mcp_invalid(&message->invalid, "has no valid method");
    }

    if (message->method) {
        message->type = message->id ? ngx_ors_mcp_message_request
                                    : ngx_ors_mcp_message_notification;
        return NGX_OK;
    }

    message->result = member[ngx_ors_mcp_member_result];

    if (message->result && member[ngx_ors_mcp_member_error]) {
        return ngx_ors_mcp_invalid(&message->invalid,
                                   "has a result and an error");
    }

    if (message->result == NULL) {
        return ngx_ors_mcp_message_error_read(message,
                                             member[ngx_ors_mcp_member_error]);
    }

    if (message->result->type != ngx_ors_json_object) {
        return ngx_ors_mcp_invalid(&message->invalid,
                                   "has a result that is no object");
    }

    message->type = ngx_ors_mcp_message_result;

    return NGX_OK;
}


static ngx_int_t
ngx_ors_mcp_message_error_read(ngx_ors_mcp_message_t *message,
    ngx_ors_json_node_t *error)
{
    ngx_ors_json_node_t  *member[3];

    if (error == NULL || error->type != ngx_ors_json_object) {
        return ngx_ors_mcp_invalid(&message->invalid,
                                   "has neither a result nor an error");
    }

    ngx_ors_json_members(message->json, error, ngx_ors_mcp_error_members,
                         member);

    /* a code that is no integer is none */

    if (ngx_ors_json_integer(message->json, member[0], &message->code)
        != NGX_OK)
    {
        message->code = 0;
    }

    message->type = ngx_ors_mcp_message_error;
    message->text = member[1];
    message->data = member[2];

    return NGX_OK;
}


ngx_uint_t
ngx_ors_mcp_message_answers(ngx_ors_mcp_message_t *message, uint64_t id)
{
    u_char      number[NGX_INT64_LEN];
    size_t      len;
    int64_t     value;
    ngx_int_t   rc;

    if (message->id == NULL
        || (message->type != ngx_ors_mcp_message_result
            && message->type != ngx_ors_mcp_message_error))
    {
        return 0;
    }

    if (message->id->type == ngx_ors_json_string) {
        len = ngx_sprintf(number, "%uL", id) - number;

        return ngx_ors_json_equal(message->json, message->id, number, len);
    }

    rc = ngx_ors_json_integer(message->json, message->id, &value);

    return rc == NGX_OK && value == (int64_t) id;
}


/* The states of an answer of an MCP server: a document, or a stream. */


void
ngx_ors_mcp_reader_init(ngx_ors_mcp_reader_t *reader,
    ngx_ors_mcp_limits_t *limits, ngx_pool_t *pool)
{
    if (reader->pool == NULL) {
        ngx_ors_json_init(&reader->json, pool, limits->depth, limits->nodes);
    }

    reader->limits = limits;
    reader->pool = pool;

    ngx_memzero(&reader->place, sizeof(ngx_ors_sse_place_t));

    ngx_ors_mcp_reader_resume(reader);
}


void
ngx_ors_mcp_reader_resume(ngx_ors_mcp_reader_t *reader)
{
    reader->state = ngx_ors_mcp_reader_st_header;
    reader->invalid = NULL;
    reader->gathered.last = reader->gathered.pos;

    ngx_ors_sse_init(&reader->sse, reader->pool, reader->limits->document);

    reader->sse.place = &reader->place;
}


void
ngx_ors_mcp_reader_header(ngx_ors_mcp_reader_t *reader, ngx_str_t *type)
{
    if (ngx_ors_mime_is(type, "application/json")) {
        reader->state = ngx_ors_mcp_reader_st_document;

    } else if (ngx_ors_mime_is(type, "text/event-stream")) {
        reader->state = ngx_ors_mcp_reader_st_stream;

    } else {
        reader->state = ngx_ors_mcp_reader_st_other;
    }
}


ngx_int_t
ngx_ors_mcp_reader_read(ngx_ors_mcp_reader_t *reader, ngx_buf_t *b)
{
    ngx_int_t  rc;

    switch (reader->state) {

    case ngx_ors_mcp_reader_st_document:
        rc = ngx_ors_gather(&reader->gathered, b, reader->limits->document,
                            reader->pool);

        if (rc == NGX_DECLINED) {
            return ngx_ors_mcp_reader_fail(reader, "is too large");
        }

        return (rc == NGX_OK) ? NGX_AGAIN : NGX_ERROR;

    case ngx_ors_mcp_reader_st_stream:

        do {
            rc = ngx_ors_sse_read(&reader->sse, b);

        } while (rc == NGX_OK && ngx_ors_mcp_reader_empty(&reader->sse));

        if (rc == NGX_DECLINED) {
            return ngx_ors_mcp_reader_fail(reader,
                                           "has an event that is too large");
        }

        return (rc == NGX_OK)
               ? ngx_ors_mcp_reader_message(reader, &reader->sse.data) : rc;

    case ngx_ors_mcp_reader_st_header:
    case ngx_ors_mcp_reader_st_other:
    case ngx_ors_mcp_reader_st_over:
        break;
    }

    b->pos = b->last;

    return NGX_AGAIN;
}


/* 1 for the first event of servers that can resume, and events of others */

static ngx_uint_t
ngx_ors_mcp_reader_empty(ngx_ors_sse_t *sse)
{
    return sse->data.len == 0
           || (sse->event.len
               && (sse->event.len != sizeof("message") - 1
                   || ngx_memcmp(sse->event.data, "message",
                                 sizeof("message") - 1)
                      != 0));
}


static ngx_int_t
ngx_ors_mcp_reader_message(ngx_ors_mcp_reader_t *reader, ngx_str_t *text)
{
    ngx_int_t  rc;

    rc = ngx_ors_mcp_message_read(&reader->message, &reader->json, text);

    return (rc == NGX_DECLINED)
           ? ngx_ors_mcp_reader_fail(reader, reader->message.invalid) : rc;
}


static ngx_int_t
ngx_ors_mcp_reader_fail(ngx_ors_mcp_reader_t *reader, char *why)
{
    reader->state = ngx_ors_mcp_reader_st_over;
    reader->invalid = why;

    return NGX_DECLINED;
}


ngx_int_t
ngx_ors_mcp_reader_end(ngx_ors_mcp_reader_t *reader)
{
    ngx_str_t                   text;
    ngx_ors_mcp_reader_state_e  state;

    state = reader->state;
    reader->state = ngx_ors_mcp_reader_st_over;

    switch (state) {

    case ngx_ors_mcp_reader_st_document:
        text.data = reader->gathered.pos;
        text.len = reader->gathered.last - reader->gathered.pos;

        return text.len ? ngx_ors_mcp_reader_message(reader, &text)
                        : NGX_DONE;

    case ngx_ors_mcp_reader_st_stream:

        if (ngx_ors_sse_end(&reader->sse) != NGX_OK
            || ngx_ors_mcp_reader_empty(&reader->sse))
        {
            return NGX_DONE;
        }

        return ngx_ors_mcp_reader_message(reader, &reader->sse.data);

    case ngx_ors_mcp_reader_st_header:
    case ngx_ors_mcp_reader_st_other:
    case ngx_ors_mcp_reader_st_over:
        break;
    }

    return NGX_DONE;
}


/* Strings and values of a message, copied to memory that lives longer. */


ngx_int_t
ngx_ors_mcp_string(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_pool_t *pool, ngx_str_t *text)
{
    if (node == NULL || node->type != ngx_ors_json_string) {
        ngx_str_null(text);
        return NGX_DECLINED;
    }

    return ngx_ors_json_copy(json, node, pool, text);
}


ngx_int_t
ngx_ors_mcp_compact(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_pool_t *pool, ngx_str_t *text)
{
    u_char      *p, *last, *dst;
    ngx_uint_t   string;

    p = json->text + ngx_ors_edit_start(node);
    last = json->text + ngx_ors_edit_end(node);

    text->data = ngx_pnalloc(pool, last - p);
    if (text->data == NULL) {
        return NGX_ERROR;
    }

    string = 0;

    for (dst = text->data; p < last; p++) {

        if (string && *p == '\\') {
            *dst++ = *p++;

        } else if (*p == '"') {
            string = !string;

        } else if (!string
                   && (*p == ' ' || *p == '\t' || *p == CR || *p == LF))
        {
            continue;
        }

        *dst++ = *p;
    }

    text->len = dst - text->data;

    return NGX_OK;
}
