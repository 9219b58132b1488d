
/*
 * Copyright (C) Open Responses contributors
 */


/* The states of an answer of an MCP server: a document, or a stream. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_text.h>
#include <ngx_ors_mcp_reader.h>


static ngx_uint_t ngx_ors_mcp_reader_empty(ngx_ors_sse_t *sse);
static ngx_int_t ngx_ors_mcp_reader_message(ngx_ors_mcp_reader_t *reader,
    ngx_str_t *text);
static ngx_int_t ngx_ors_mcp_reader_fail(ngx_ors_mcp_reader_t *reader,
    char *why);


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
