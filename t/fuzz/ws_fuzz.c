
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * WebSocket frames, in one piece and in pieces: messages, answers and the end
 * are the same, and a text is UTF-8 within its limit.  Input: the limit (0:
 * none), the number of piece lengths, the lengths, used in turn, and the
 * frames.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_utf8.h>
#include <ngx_ors_ws.h>


#define MAX  (1024 * 1024)


/* events of a reader, as a digest: order and bytes matter */

typedef struct {
    uint64_t     hash;
    ngx_int_t    end;
    ngx_uint_t   code;
} ws_fuzz_result_t;


int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

static void ws_fuzz_read(const uint8_t *in, size_t len, size_t max,
    const uint8_t *pieces, size_t n, ws_fuzz_result_t *result);
static ngx_int_t ws_fuzz_piece(ngx_ors_ws_t *ws, const uint8_t *in,
    size_t len, ws_fuzz_result_t *result);
static void ws_fuzz_add(ws_fuzz_result_t *result, const u_char *data,
    size_t len);


int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    size_t            max, n;
    const uint8_t    *pieces;
    ws_fuzz_result_t  whole, split;

    if (size < 2 || size < (size_t) 2 + input[1]) {
        return 0;
    }

    max = input[0] ? input[0] : MAX;
    n = input[1];
    pieces = input + 2;

    input += 2 + n;
    size -= 2 + n;

    ws_fuzz_read(input, size, max, NULL, 0, &whole);
    ws_fuzz_read(input, size, max, pieces, n, &split);

    if (whole.hash != split.hash || whole.end != split.end
        || whole.code != split.code)
    {
        fprintf(stderr, "whole: %d %d, in pieces: %d %d\n",
                (int) whole.end, (int) whole.code, (int) split.end,
                (int) split.code);
        abort();
    }

    return 0;
}


static void
ws_fuzz_read(const uint8_t *in, size_t len, size_t max,
    const uint8_t *pieces, size_t n, ws_fuzz_result_t *result)
{
    size_t          i, piece;
    ngx_chain_t    *cl;
    ngx_pool_t     *pool;
    ngx_ors_ws_t   *ws;
    ngx_ors_out_t   out;

    ngx_memzero(result, sizeof(ws_fuzz_result_t));

    pool = ngx_ors_test_pool();
    ngx_ors_out_init(&out, pool, 512);
    ws = ngx_ors_ws_create(pool, &out, max);

    result->end = NGX_AGAIN;

    for (i = 0; len && result->end == NGX_AGAIN; i++) {

        /* after 1000 pieces the rest: lengths of zero do not end */

        piece = (n && i < 1000) ? ngx_min(len, pieces[i % n]) : len;

        result->end = ws_fuzz_piece(ws, in, piece, result);

        in += piece;
        len -= piece;
    }

    if (result->end == NGX_ERROR) {
        abort();
    }

    result->code = ws->code;

    (void) ngx_ors_out_take(&out, &cl);

    for ( /* void */ ; cl; cl = cl->next) {
        ws_fuzz_add(result, cl->buf->pos, cl->buf->last - cl->buf->pos);
    }

    ngx_destroy_pool(pool);
}


/* in memory of its own that is gone when it is used up */

static ngx_int_t
ws_fuzz_piece(ngx_ors_ws_t *ws, const uint8_t *in, size_t len,
    ws_fuzz_result_t *result)
{
    u_char     *copy;
    ngx_int_t   rc;
    ngx_buf_t   b;

    copy = malloc(len + 1);
    ngx_memcpy(copy, in, len);

    ngx_memzero(&b, sizeof(ngx_buf_t));
    b.pos = copy;
    b.last = copy + len;

    for ( ;; ) {
        rc = ngx_ors_ws_read(ws, &b);

        if (rc != NGX_OK) {
            break;
        }

        if (ws->text.len > ws->max
            || ngx_ors_utf8_valid(ws->text.data, ws->text.len)
               != ws->text.len)
        {
            abort();
        }

        ws_fuzz_add(result, ws->text.data, ws->text.len);
        ngx_destroy_pool(ws->pool);
    }

    /* the frame that is waited for fits, as its headers say */

    if (rc == NGX_AGAIN
        && (b.pos != b.last || ws->announced > ws->max
            || (ws->fragmented == 0 && ws->rest > ws->max + 4
                && ws->rest > NGX_ORS_WS_CONTROL + 4)))
    {
        abort();
    }

    free(copy);

    return rc;
}


static void
ws_fuzz_add(ws_fuzz_result_t *result, const u_char *data, size_t len)
{
    size_t  i;

    for (i = 0; i < len; i++) {
        result->hash = (result->hash ^ data[i]) * 0x100000001b3ULL + 1;
    }
}
