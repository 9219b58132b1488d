
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Frames to turns, in both directions: whatever a client and a server send,
 * the other end gets frames that are right, with messages that are JSON.
 *
 * Input: flags, and pieces: a head (direction, bare or a frame, the length of
 * what follows), and bytes or the text of a frame.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_test_request.h>
#include <ngx_ors_relay.h>


#define RELAY_FUZZ_REPORT    0x01
#define RELAY_FUZZ_REQUESTS  0x02
#define RELAY_FUZZ_ANSWERS   0x04
#define RELAY_FUZZ_MODEL     0x08
#define RELAY_FUZZ_NAMED     0x10

/* of a piece */
#define RELAY_FUZZ_SERVER    0x01
#define RELAY_FUZZ_BARE      0x02

#define RELAY_FUZZ_TEXT      0x81


int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

static ngx_int_t relay_fuzz_piece(ngx_ors_relay_t *relay, ngx_uint_t flags,
    const uint8_t *in, size_t len);
static void relay_fuzz_check(ngx_ors_relay_t *relay, ngx_ors_out_t *out,
    ngx_ors_ws_t *ws, ngx_uint_t json);
static void relay_fuzz_request(void *data, ngx_ors_request_t *req,
    ngx_ors_error_t *err);
static void relay_fuzz_answer(void *data, ngx_ors_verify_t *verify);


static const ngx_ors_relay_handler_t  relay_fuzz_handler = {
    relay_fuzz_request,
    relay_fuzz_answer
};


int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    size_t            len;
    ngx_int_t         rc;
    ngx_str_t         model;
    ngx_uint_t        flags, head;
    ngx_ors_ws_t     *client, *server;
    ngx_ors_out_t     out;
    ngx_ors_relay_t   relay;

    static ngx_ors_limits_t  limits = limits_default();

    if (size == 0) {
        return 0;
    }

    flags = *input++;
    size--;

    ngx_memzero(&relay, sizeof(ngx_ors_relay_t));
    ngx_str_null(&model);

    if (flags & RELAY_FUZZ_MODEL) {
        ngx_str_set(&model, "other");
    }

    relay.pool = ngx_ors_test_pool();
    relay.endpoint = ngx_ors_endpoint(ngx_ors_endpoint_responses);
    relay.policy = &ngx_ors_test_policy;
    relay.limits = &limits;
    relay.model = &model;
    relay.handler = &relay_fuzz_handler;
    relay.message = 4096;
    relay.queue = 4;
    relay.report = (flags & RELAY_FUZZ_REPORT) != 0;
    relay.requests = (flags & RELAY_FUZZ_REQUESTS) != 0;
    relay.answers = (flags & RELAY_FUZZ_ANSWERS) != 0;
    relay.named = (flags & RELAY_FUZZ_NAMED) != 0;

    ngx_ors_out_init(&out, relay.pool, 512);
    client = ngx_ors_ws_create(relay.pool, &out, 1024 * 1024,
                               ngx_ors_ws_to_client);
    server = ngx_ors_ws_create(relay.pool, &out, 1024 * 1024,
                               ngx_ors_ws_serves);

    if (ngx_ors_relay_init(&relay) != NGX_OK) {
        abort();
    }

    rc = NGX_OK;

    while (size > 1 && rc == NGX_OK) {
        head = input[0];
        len = ngx_min(input[1] * 4, size - 2);

        rc = relay_fuzz_piece(&relay, head, input + 2, len);

        if (rc == NGX_ERROR) {
            abort();
        }

        input += 2 + len;
        size -= 2 + len;
    }

    if (ngx_ors_relay_cut(&relay) != NGX_OK) {
        abort();
    }

    relay_fuzz_check(&relay, &relay.down, client,
                     relay.answers && !relay.report);
    relay_fuzz_check(&relay, &relay.up, server,
                     relay.requests && !relay.report);

    ngx_destroy_pool(relay.pool);

    return 0;
}


/* in memory of its own that is gone when it is used up */

static ngx_int_t
relay_fuzz_piece(ngx_ors_relay_t *relay, ngx_uint_t flags, const uint8_t *in,
    size_t len)
{
    u_char     *copy, *p;
    ngx_int_t   rc;
    ngx_buf_t   b;

    copy = malloc(len + 16);
    p = copy;

    if (!(flags & RELAY_FUZZ_BARE)) {
        *p++ = RELAY_FUZZ_TEXT;
        *p++ = 126 | ((flags & RELAY_FUZZ_SERVER) ? 0 : 0x80);

        /* a length below 126 needs none of its own */

        if (len < 126) {
            p[-1] = (u_char) ((p[-1] & 0x80) | len);

        } else {
            *p++ = (u_char) (len >> 8);
            *p++ = (u_char) len;
        }

        if (!(flags & RELAY_FUZZ_SERVER)) {
            ngx_memzero(p, 4);
            p += 4;
        }
    }

    ngx_memcpy(p, in, len);
    p += len;

    ngx_memzero(&b, sizeof(ngx_buf_t));
    b.pos = copy;
    b.last = p;

    rc = (flags & RELAY_FUZZ_SERVER) ? ngx_ors_relay_server(relay, &b)
                                     : ngx_ors_relay_client(relay, &b);

    if (rc == NGX_OK && b.pos != b.last) {
        abort();
    }

    free(copy);

    return rc;
}


static void
relay_fuzz_check(ngx_ors_relay_t *relay, ngx_ors_out_t *out, ngx_ors_ws_t *ws,
    ngx_uint_t json)
{
    ngx_buf_t       b;
    ngx_int_t       rc;
    ngx_str_t       text;
    ngx_ors_json_t  doc;

    if (ngx_ors_out_text(out, &text) != NGX_OK) {
        abort();
    }

    ngx_memzero(&b, sizeof(ngx_buf_t));
    b.pos = text.data;
    b.last = text.data + text.len;

    for ( ;; ) {
        rc = ngx_ors_ws_read(ws, &b);

        if (rc != NGX_OK) {
            break;
        }

        ngx_ors_json_init(&doc, ws->pool, 1024, 1024 * 1024);

        if (json
            && (ngx_ors_json_read(&doc, ws->text.data, ws->text.len) != NGX_OK
                || doc.nodes->type != ngx_ors_json_object))
        {
            abort();
        }

        ngx_destroy_pool(ws->pool);
    }

    if (rc == NGX_DECLINED || rc == NGX_ERROR) {
        abort();
    }
}


static void
relay_fuzz_request(void *data, ngx_ors_request_t *req, ngx_ors_error_t *err)
{
    if (err->status && err->code.len == 0) {
        abort();
    }
}


static void
relay_fuzz_answer(void *data, ngx_ors_verify_t *verify)
{
    if (verify->refused && verify->error.status == 0) {
        abort();
    }
}
