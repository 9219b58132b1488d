
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * WebSocket frames: wslay cuts and unmasks them, the rules of headers, of
 * messages, of UTF-8 and of control frames are here.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_utf8.h>
#include <ngx_ors_ws.h>
#include <wslay/wslay.h>


#define NGX_ORS_WS_POOL   512
#define NGX_ORS_WS_MASK   4

/* the first piece of memory of a message, which then doubles */
#define NGX_ORS_WS_PIECE  4096


static ssize_t ngx_ors_ws_recv_handler(uint8_t *buf, size_t len, int flags,
    void *data);
static u_char *ngx_ors_ws_headers(ngx_ors_ws_t *ws, u_char *p, u_char *last);
static ngx_uint_t ngx_ors_ws_header(ngx_ors_ws_t *ws);
static ngx_uint_t ngx_ors_ws_rules(ngx_ors_ws_t *ws, uint64_t len);
static ssize_t ngx_ors_ws_send_handler(const uint8_t *buf, size_t len,
    int flags, void *data);
static void ngx_ors_ws_cleanup(void *data);
static ngx_int_t ngx_ors_ws_frame(ngx_ors_ws_t *ws,
    struct wslay_frame_iocb *frame);
static ngx_int_t ngx_ors_ws_data(ngx_ors_ws_t *ws,
    struct wslay_frame_iocb *frame, ngx_uint_t last);
static ngx_int_t ngx_ors_ws_append(ngx_ors_ws_t *ws,
    struct wslay_frame_iocb *frame);
static ngx_int_t ngx_ors_ws_utf8(ngx_ors_ws_t *ws, ngx_uint_t last);
static ngx_int_t ngx_ors_ws_message(ngx_ors_ws_t *ws);
static ngx_int_t ngx_ors_ws_control(ngx_ors_ws_t *ws,
    struct wslay_frame_iocb *frame, ngx_uint_t last);
static ngx_int_t ngx_ors_ws_closed(ngx_ors_ws_t *ws);
static ngx_int_t ngx_ors_ws_refuse(ngx_ors_ws_t *ws, ngx_uint_t code);
static void ngx_ors_ws_send(ngx_ors_ws_t *ws, ngx_uint_t opcode, size_t len,
    u_char *data, size_t n);


ngx_ors_ws_t *
ngx_ors_ws_create(ngx_pool_t *pool, ngx_ors_out_t *out, size_t max)
{
    ngx_ors_ws_t             *ws;
    ngx_pool_cleanup_t       *cln;
    wslay_frame_context_ptr   frame;

    static const struct wslay_frame_callbacks  callbacks = {
        ngx_ors_ws_send_handler,
        ngx_ors_ws_recv_handler,
        NULL
    };

    ws = ngx_pcalloc(pool, sizeof(ngx_ors_ws_t));
    if (ws == NULL) {
        return NULL;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     ws->part = NULL;
     *     ws->rest = 0;
     *     ws->refused = 0;
     *     ws->fragmented = 0;
     */

    ws->out = out;
    ws->max = max;
    ws->log = pool->log;

    cln = ngx_pool_cleanup_add(pool, 0);
    if (cln == NULL) {
        return NULL;
    }

    if (wslay_frame_context_init(&frame, &callbacks, ws) != 0) {
        return NULL;
    }

    ws->frame = frame;

    cln->handler = ngx_ors_ws_cleanup;
    cln->data = ws;

    return ws;
}


/* wslay takes 0 for WSLAY_ERR_WANT_READ */

static ssize_t
ngx_ors_ws_recv_handler(uint8_t *buf, size_t len, int flags, void *data)
{
    ngx_ors_ws_t *ws = data;

    ngx_buf_t  *b;

    if (ws->refused) {
        return 0;
    }

    b = ws->in;
    len = ngx_min(len, (size_t) (b->last - b->pos));
    len = ngx_ors_ws_headers(ws, b->pos, b->pos + len) - b->pos;

    ngx_memcpy(buf, b->pos, len);
    b->pos += len;

    return len;
}


/*
 * wslay tells of a frame with the first byte of its payload: a client that
 * announces too much would be waited for.  Returns where to stop: in front of
 * the byte that completes a header which is refused.
 */

static u_char *
ngx_ors_ws_headers(ngx_ors_ws_t *ws, u_char *p, u_char *last)
{
    size_t  n;

    while (p < last) {

        if (ws->rest) {
            n = (size_t) ngx_min(ws->rest, (uint64_t) (last - p));
            ws->rest -= n;
            p += n;
            continue;
        }

        ws->header[ws->nheader++] = *p;
        ws->refused = ngx_ors_ws_header(ws);

        if (ws->refused) {
            break;
        }

        p++;
    }

    return p;
}


/* 0, or the code that refuses the header; so in ngx_ors_ws_rules() */

static ngx_uint_t
ngx_ors_ws_header(ngx_ors_ws_t *ws)
{
    size_t    i, size;
    uint64_t  len;

    if (ws->nheader < 2) {
        return 0;
    }

    len = ws->header[1] & 0x7f;
    size = (len < 126) ? 2 : (len == 126) ? 4 : NGX_ORS_WS_HEADER;

    if (ws->nheader < size) {
        return 0;
    }

    if (size > 2) {
        for (len = 0, i = 2; i < size; i++) {
            len = (len << 8) + ws->header[i];
        }
    }

    ws->nheader = 0;
    ws->rest = len + NGX_ORS_WS_MASK;

    return ngx_ors_ws_rules(ws, len);
}


/* wslay has the rules of a length's form, and of a control frame's length */

static ngx_uint_t
ngx_ors_ws_rules(ngx_ors_ws_t *ws, uint64_t len)
{
    ngx_uint_t  opcode;

    opcode = ws->header[0] & 0x0f;

    if ((ws->header[0] & 0x70) || !(ws->header[1] & 0x80) || (len >> 63)) {
        return NGX_ORS_WS_PROTOCOL;
    }

    if (wslay_is_ctrl_frame(opcode)) {
        return (opcode > WSLAY_PONG) ? NGX_ORS_WS_PROTOCOL : 0;
    }

    if (opcode > WSLAY_BINARY_FRAME
        || ws->fragmented == (opcode != WSLAY_CONTINUATION_FRAME))
    {
        return NGX_ORS_WS_PROTOCOL;
    }

    if (opcode == WSLAY_BINARY_FRAME) {
        return NGX_ORS_WS_UNSUPPORTED;
    }

    if (len > ws->max - ws->announced) {
        return NGX_ORS_WS_TOO_LARGE;
    }

    ws->fragmented = !(ws->header[0] & 0x80);
    ws->announced = ws->fragmented ? ws->announced + (size_t) len : 0;

    return 0;
}


/* an allocation that fails is noticed when the output is taken */

static ssize_t
ngx_ors_ws_send_handler(const uint8_t *buf, size_t len, int flags, void *data)
{
    ngx_ors_ws_t *ws = data;

    ngx_ors_out_copy(ws->out, (u_char *) buf, len);

    return len;
}


static void
ngx_ors_ws_cleanup(void *data)
{
    ngx_ors_ws_t *ws = data;

    wslay_frame_context_free(ws->frame);

    if (ws->part) {
        ngx_destroy_pool(ws->part);
    }
}


ngx_int_t
ngx_ors_ws_read(ngx_ors_ws_t *ws, ngx_buf_t *b)
{
    ssize_t                  n;
    ngx_int_t                rc;
    struct wslay_frame_iocb  frame;

    ws->in = b;

    do {
        n = wslay_frame_recv(ws->frame, &frame);

        if (n == WSLAY_ERR_WANT_READ) {
            return ws->refused ? ngx_ors_ws_refuse(ws, ws->refused)
                               : NGX_AGAIN;
        }

        if (n < 0) {
            return ngx_ors_ws_refuse(ws, NGX_ORS_WS_PROTOCOL);
        }

        rc = ngx_ors_ws_frame(ws, &frame);

    } while (rc == NGX_AGAIN);

    return rc;
}


/* NGX_AGAIN: go on; else what ngx_ors_ws_read() returns, as all below */

static ngx_int_t
ngx_ors_ws_frame(ngx_ors_ws_t *ws, struct wslay_frame_iocb *frame)
{
    ngx_int_t   rc;
    ngx_uint_t  last;

    last = (ws->got + frame->data_length == frame->payload_length);

    rc = wslay_is_ctrl_frame(frame->opcode)
         ? ngx_ors_ws_control(ws, frame, last)
         : ngx_ors_ws_data(ws, frame, last);

    ws->got = last ? 0 : ws->got + frame->data_length;

    return rc;
}


static ngx_int_t
ngx_ors_ws_data(ngx_ors_ws_t *ws, struct wslay_frame_iocb *frame,
    ngx_uint_t last)
{
    if (ngx_ors_ws_append(ws, frame) != NGX_OK) {
        return NGX_ERROR;
    }

    last = (last && frame->fin);

    if (ngx_ors_ws_utf8(ws, last) != NGX_OK) {
        return ngx_ors_ws_refuse(ws, NGX_ORS_WS_NOT_UTF8);
    }

    return last ? ngx_ors_ws_message(ws) : NGX_AGAIN;
}


/*
 * Memory grows with what has come, not with what a header announces, but not
 * beyond that: a message that waits for its turn has no more than its bytes
 */

static ngx_int_t
ngx_ors_ws_append(ngx_ors_ws_t *ws, struct wslay_frame_iocb *frame)
{
    size_t   len, size;
    u_char  *p;

    len = frame->data_length;

    if (ws->part == NULL) {
        ws->part = ngx_create_pool(NGX_ORS_WS_POOL, ws->log);
        if (ws->part == NULL) {
            return NGX_ERROR;
        }
    }

    if (len > ws->size - ws->len) {

        for (size = ngx_max(2 * ws->size, NGX_ORS_WS_PIECE);
             size < ws->len + len;
             size *= 2)
        {
            /* void */
        }

        if (frame->fin) {
            size = ngx_min(size, ws->len + (size_t) (frame->payload_length
                                                     - ws->got));
        }

        p = ngx_palloc(ws->part, size);
        if (p == NULL) {
            return NGX_ERROR;
        }

        if (ws->size) {
            ngx_memcpy(p, ws->data, ws->len);
            (void) ngx_pfree(ws->part, ws->data);
        }

        ws->data = p;
        ws->size = size;
    }

    if (len) {
        ngx_memcpy(ws->data + ws->len, frame->data, len);
        ws->len += len;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_ws_utf8(ngx_ors_ws_t *ws, ngx_uint_t last)
{
    size_t  len;

    ws->valid += ngx_ors_utf8_valid(ws->data + ws->valid,
                                    ws->len - ws->valid);

    if (ws->valid == ws->len) {
        return NGX_OK;
    }

    /* a character may be cut between two frames, and between two reads */

    if (!last && ngx_ors_utf8_char(ws->data + ws->valid, ws->data + ws->len,
                                   &len)
                 == NGX_AGAIN)
    {
        return NGX_OK;
    }

    return NGX_DECLINED;
}


static ngx_int_t
ngx_ors_ws_message(ngx_ors_ws_t *ws)
{
    ws->text.data = ws->data;
    ws->text.len = ws->len;
    ws->pool = ws->part;

    ws->part = NULL;
    ws->data = NULL;
    ws->len = 0;
    ws->size = 0;
    ws->valid = 0;

    return NGX_OK;
}


static ngx_int_t
ngx_ors_ws_control(ngx_ors_ws_t *ws, struct wslay_frame_iocb *frame,
    ngx_uint_t last)
{
    /* there is but one frame, and its length is right */

    if (frame->data_length) {
        ngx_memcpy(ws->control + ws->ncontrol, frame->data,
                   frame->data_length);
        ws->ncontrol += frame->data_length;
    }

    if (!last) {
        return NGX_AGAIN;
    }

    if (frame->opcode == WSLAY_CONNECTION_CLOSE) {
        return ngx_ors_ws_closed(ws);
    }

    if (frame->opcode == WSLAY_PING) {
        ngx_ors_ws_send(ws, WSLAY_PONG, ws->ncontrol, ws->control,
                        ws->ncontrol);
    }

    ws->ncontrol = 0;

    return NGX_AGAIN;
}


static ngx_int_t
ngx_ors_ws_closed(ngx_ors_ws_t *ws)
{
    size_t      n;
    ngx_uint_t  code;

    n = ws->ncontrol;

    if (n == 0) {
        ws->code = NGX_ORS_WS_NO_CODE;
        return NGX_DONE;
    }

    if (n == 1) {
        return ngx_ors_ws_refuse(ws, NGX_ORS_WS_PROTOCOL);
    }

    code = (ws->control[0] << 8) + ws->control[1];

    /* codes that must not be in a frame, and those that mean nothing yet */

    if (code < 1000 || code > 4999 || (code > 1014 && code < 3000)
        || (code >= 1004 && code <= 1006))
    {
        return ngx_ors_ws_refuse(ws, NGX_ORS_WS_PROTOCOL);
    }

    if (ngx_ors_utf8_valid(ws->control + 2, n - 2) != n - 2) {
        return ngx_ors_ws_refuse(ws, NGX_ORS_WS_NOT_UTF8);
    }

    ws->code = code;

    return NGX_DONE;
}


static ngx_int_t
ngx_ors_ws_refuse(ngx_ors_ws_t *ws, ngx_uint_t code)
{
    ws->code = code;

    return NGX_DECLINED;
}


void
ngx_ors_ws_chain(ngx_ors_ws_t *ws, ngx_chain_t *in, ngx_chain_t *last,
    ngx_str_t *members)
{
    size_t        n, len;
    ngx_chain_t  *cl;

    len = members->len;

    for (cl = in; cl != last->next; cl = cl->next) {
        len += cl->buf->last - cl->buf->pos;
    }

    for (cl = in; cl != last->next; cl = cl->next) {
        n = cl->buf->last - cl->buf->pos;

        if (cl == last && members->len) {
            n--;
        }

        ngx_ors_ws_send(ws, WSLAY_TEXT_FRAME, len, cl->buf->pos, n);
        cl->buf->pos = cl->buf->last;
    }

    if (members->len) {
        ngx_ors_ws_send(ws, WSLAY_TEXT_FRAME, len, members->data, members->len);
        ngx_ors_ws_send(ws, WSLAY_TEXT_FRAME, len, (u_char *) "}", 1);
    }
}


ngx_int_t
ngx_ors_ws_out(ngx_ors_ws_t *ws, ngx_ors_out_t *out)
{
    size_t        len;
    ngx_chain_t  *cl;

    len = out->size;

    if (ngx_ors_out_take(out, &cl) != NGX_OK) {
        return NGX_ERROR;
    }

    for ( /* void */ ; cl; cl = cl->next) {
        ngx_ors_ws_send(ws, WSLAY_TEXT_FRAME, len, cl->buf->pos,
                        cl->buf->last - cl->buf->pos);
    }

    return NGX_OK;
}


void
ngx_ors_ws_ping(ngx_ors_ws_t *ws)
{
    ngx_ors_ws_send(ws, WSLAY_PING, 0, NULL, 0);
}


void
ngx_ors_ws_close(ngx_ors_ws_t *ws, ngx_uint_t code)
{
    size_t  len;
    u_char  payload[2];

    payload[0] = (u_char) (code >> 8);
    payload[1] = (u_char) code;

    len = (code == NGX_ORS_WS_NO_CODE) ? 0 : sizeof(payload);

    ngx_ors_ws_send(ws, WSLAY_CONNECTION_CLOSE, len, payload, len);
}


/*
 * Appends "n" bytes of a frame that has "len" in all; the send handler takes
 * all of them
 */

static void
ngx_ors_ws_send(ngx_ors_ws_t *ws, ngx_uint_t opcode, size_t len,
    u_char *data, size_t n)
{
    struct wslay_frame_iocb  frame;

    /* an empty part would be taken for an empty message */

    if (n == 0 && len) {
        return;
    }

    ngx_memzero(&frame, sizeof(struct wslay_frame_iocb));

    frame.fin = 1;
    frame.opcode = opcode;
    frame.payload_length = len;
    frame.data = data;
    frame.data_length = n;

    if (wslay_frame_send(ws->frame, &frame) != (ssize_t) n) {
        ngx_log_error(NGX_LOG_ALERT, ws->log, 0,
                      "wslay did not send %uz bytes of a frame", n);
    }
}
