
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Answers of MCP servers: whatever the pieces are, the messages are the same.
 * Input: the kind of answer, the length of a piece, the body.
 */


#include "fuzz.h"
#include <ngx_ors_mcp_message.h>


typedef struct {
    ngx_uint_t   messages;
    ngx_uint_t   kinds;           /* a digit for each message */
    ngx_uint_t   values;          /* nodes of all messages */
    ngx_int_t    rc;
    char        *invalid;
} mcp_reader_fuzz_t;


static void mcp_reader_fuzz_run(const uint8_t *body, size_t size,
    ngx_uint_t kind, size_t piece, mcp_reader_fuzz_t *f);
static void mcp_reader_fuzz_message(ngx_ors_mcp_reader_t *reader,
    mcp_reader_fuzz_t *f);


int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    mcp_reader_fuzz_t  whole, pieces;

    if (size < 2) {
        return 0;
    }

    mcp_reader_fuzz_run(input + 2, size - 2, input[0] % 3, size, &whole);
    mcp_reader_fuzz_run(input + 2, size - 2, input[0] % 3,
                        input[1] ? input[1] : 1, &pieces);

    fuzz_check(whole.rc == pieces.rc);
    fuzz_check(whole.messages == pieces.messages);
    fuzz_check(whole.kinds == pieces.kinds);
    fuzz_check(whole.values == pieces.values);
    fuzz_check((whole.invalid == NULL) == (pieces.invalid == NULL));

    return 0;
}


static void
mcp_reader_fuzz_run(const uint8_t *body, size_t size, ngx_uint_t kind,
    size_t piece, mcp_reader_fuzz_t *f)
{
    size_t                 n;
    u_char                *copy;
    ngx_buf_t              b;
    ngx_pool_t            *pool;
    ngx_ors_mcp_limits_t   limits;
    ngx_ors_mcp_reader_t   reader;

    static ngx_str_t  types[] = {
        ngx_string("application/json"),
        ngx_string("text/event-stream"),
        ngx_string("text/html")
    };

    ngx_memzero(f, sizeof(mcp_reader_fuzz_t));

    pool = ngx_ors_test_pool();
    ngx_ors_mcp_limits_set(&limits, 1024 * 1024);

    limits.nodes = 1000;

    ngx_memzero(&reader, sizeof(ngx_ors_mcp_reader_t));
    ngx_ors_mcp_reader_init(&reader, &limits, pool);
    ngx_ors_mcp_reader_header(&reader, &types[kind]);

    f->rc = NGX_AGAIN;

    for ( /* void */ ; size && f->rc == NGX_AGAIN; size -= n, body += n) {
        n = ngx_min(size, piece);
        copy = fuzz_copy(body, n);

        ngx_memzero(&b, sizeof(ngx_buf_t));
        b.pos = copy;
        b.last = copy + n;

        while ((f->rc = ngx_ors_mcp_reader_read(&reader, &b)) == NGX_OK) {
            mcp_reader_fuzz_message(&reader, f);
        }

        fuzz_check(f->rc != NGX_AGAIN || b.pos == b.last);

        free(copy);
    }

    if (f->rc == NGX_AGAIN) {

        while ((f->rc = ngx_ors_mcp_reader_end(&reader)) == NGX_OK) {
            mcp_reader_fuzz_message(&reader, f);
        }
    }

    f->invalid = reader.invalid;

    fuzz_check(f->rc == NGX_DONE || f->rc == NGX_DECLINED);
    fuzz_check((f->rc == NGX_DECLINED) == (f->invalid != NULL));
    fuzz_check(kind != 2 || f->messages == 0);

    ngx_destroy_pool(pool);
}


static void
mcp_reader_fuzz_message(ngx_ors_mcp_reader_t *reader, mcp_reader_fuzz_t *f)
{
    ngx_ors_mcp_message_t  *m;

    m = &reader->message;

    f->messages++;
    f->kinds = f->kinds * 5 + m->type + 1;
    f->values += m->json->n;

    switch (m->type) {

    case ngx_ors_mcp_message_result:
        fuzz_check(m->result && m->result->type == ngx_ors_json_object);
        break;

    case ngx_ors_mcp_message_error:
        fuzz_check(m->result == NULL && m->method == NULL);
        break;

    case ngx_ors_mcp_message_request:
        fuzz_check(m->id && m->method);
        fuzz_check(!ngx_ors_mcp_message_answers(m, 1));
        break;

    case ngx_ors_mcp_message_notification:
        fuzz_check(m->id == NULL && m->method);
        break;
    }
}
