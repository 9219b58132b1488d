
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The subrequest of a hosted tool's call: the arguments go to a location, its
 * answer is the output.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_tool.h>
#include <ngx_ors_text.h>


static void ngx_http_ors_tool_timeout(ngx_event_t *ev);
static ngx_int_t ngx_http_ors_tool_make(ngx_http_ors_call_t *call);
static ngx_int_t ngx_http_ors_tool_header(ngx_http_ors_call_t *call);
static ngx_int_t ngx_http_ors_tool_fail(void *data, const char *fault);
static ngx_uint_t ngx_http_ors_tool_over(void *data);
static ngx_int_t ngx_http_ors_tool_read(void *data, ngx_buf_t *b);


static const ngx_ors_source_handler_t  ngx_http_ors_tool_source = {
    ngx_http_ors_tool_over,
    ngx_http_ors_tool_read,
    ngx_http_ors_tool_fail,
    ngx_http_ors_subrequest_ended
};


static const ngx_http_ors_call_kind_t  ngx_http_ors_tool_kind = {
    "tool",
    &ngx_http_ors_tool_source,
    NULL,
    ngx_http_ors_tool_make,
    ngx_http_ors_tool_header,
    NULL
};


ngx_int_t
ngx_http_ors_tool_start(ngx_http_ors_ctx_t *ctx, ngx_http_ors_tool_t *tool)
{
    ngx_ors_tool_t  *hosted;

    hosted = tool->called->item->tool;

    tool->call.bare = 1;
    tool->call.called = tool->called;

    if (ngx_http_ors_subrequest(&tool->call, ctx, &ngx_http_ors_tool_kind,
                                &hosted->uri, &hosted->args)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    tool->started = ngx_current_msec;

    ngx_http_ors_event_init(&tool->timer, ngx_http_ors_tool_timeout, tool,
                            ctx->request);
    ngx_add_timer(&tool->timer, hosted->timeout);

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, ctx->request->connection->log, 0,
                   "ors tool: started \"%V\", timeout %M", &hosted->uri,
                   hosted->timeout);

    return NGX_OK;
}


static void
ngx_http_ors_tool_timeout(ngx_event_t *ev)
{
    ngx_http_ors_tool_t  *tool;

    tool = ev->data;
    tool->fault = "it did not answer in time";

    /* it is cancelled there */

    ngx_http_ors_event_resume(tool->call.ctx);
}


static ngx_int_t
ngx_http_ors_tool_make(ngx_http_ors_call_t *call)
{
    ngx_str_t      *arguments;
    ngx_chain_t    *bufs;
    ngx_ors_out_t   out;

    arguments = &call->called->arguments;

    ngx_ors_out_init(&out, call->request->pool, NGX_HTTP_ORS_BLOCK);
    ngx_ors_out_ref(&out, arguments->data, arguments->len);

    if (ngx_ors_out_take(&out, &bufs) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return ngx_http_ors_subrequest_make(call, bufs, arguments->len);
}


static ngx_int_t
ngx_http_ors_tool_header(ngx_http_ors_call_t *call)
{
    off_t                 length;
    ngx_int_t             rc;
    ngx_http_request_t   *sr;
    ngx_http_ors_tool_t  *tool;

    sr = call->request;
    tool = (ngx_http_ors_tool_t *) call;

    if (sr->headers_out.status < NGX_HTTP_OK
        || sr->headers_out.status >= NGX_HTTP_SPECIAL_RESPONSE)
    {
        return ngx_http_ors_tool_fail(tool,
                                      "it answered with a status of failure");
    }

    /* a page for people: that of a login, or of a failure */

    if (ngx_ors_mime_is(&sr->headers_out.content_type, "text/html")) {
        return ngx_http_ors_tool_fail(tool, "its answer is HTML");
    }

    length = sr->headers_out.content_length_n;

    if (length > (off_t) tool->call.ctx->turn->limits->tool_answer) {
        return ngx_http_ors_tool_fail(tool, "its answer is too large");
    }

    rc = ngx_http_ors_pump_decode(sr, &tool->call.source, 1);

    if (rc == NGX_DECLINED) {
        return ngx_http_ors_tool_fail(tool,
                                      "its Content-Encoding is not known");
    }

    return rc;
}


/* the parent ends the subrequest, which cannot be done from inside of it */

static ngx_int_t
ngx_http_ors_tool_fail(void *data, const char *fault)
{
    ngx_http_ors_tool_t *tool = data;

    ngx_http_request_t  *sr;

    sr = tool->call.request;

    tool->fault = fault;
    tool->call.status = sr->headers_out.status;

    ngx_http_ors_post(sr->parent, &tool->call.ctx->posted);

    return NGX_OK;
}


static ngx_uint_t
ngx_http_ors_tool_over(void *data)
{
    ngx_http_ors_tool_t *tool = data;

    return tool->fault || tool->call.done;
}


static ngx_int_t
ngx_http_ors_tool_read(void *data, ngx_buf_t *b)
{
    ngx_http_ors_tool_t *tool = data;

    size_t  len;

    len = b->last - b->pos;

    if (tool->output.len + len > tool->call.ctx->turn->limits->tool_answer) {
        return ngx_http_ors_tool_fail(tool, "its answer is too large");
    }

    return ngx_ors_text_append(&tool->output, tool->call.request->pool, b->pos,
                               len);
}
