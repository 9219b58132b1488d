
/*
 * Copyright (C) Open Responses contributors
 */


/* Output of a WebSocket, and its limits. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_ws.h>


void
ngx_http_ors_ws_error(ngx_http_ors_ws_t *ws, ngx_ors_error_t *err,
    ngx_str_t *lane, ngx_str_t *retry, ngx_pool_t *pool)
{
    ngx_ors_out_t  out;

    static ngx_str_t  nothing = ngx_null_string;

    ngx_ors_out_init(&out, pool, NGX_HTTP_ORS_BLOCK);
    ngx_ors_client_event_error(&out, err, lane ? lane : &nothing,
                               retry ? retry : &nothing);

    /* without memory the connection ends when its output is taken */

    if (ngx_ors_ws_out(ws->codec, &out) != NGX_OK) {
        ws->out.failed = 1;
    }
}


void
ngx_http_ors_ws_post(ngx_http_ors_ws_t *ws)
{
    if (!ws->done) {
        ngx_post_event(&ws->work, &ngx_posted_events);
    }
}


ngx_uint_t
ngx_http_ors_ws_full(ngx_http_ors_ws_t *ws)
{
    return ngx_ors_queue_full(&ws->pump.queue);
}
