
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Dialogs with MCP servers that answer anything: each ends after a bounded
 * number of requests, and does not depend on the pieces of the answers.
 * Input: a byte for what is known and wanted, then answers: a byte for status
 * and type, a byte for the length of a piece, a line as the body, in which $
 * is the id.
 */


#include "fuzz.h"
#include <ngx_ors_mcp_dialog.h>


#define REQUESTS  (NGX_ORS_MCP_RESUMES + 32)


typedef struct {
    ngx_int_t                    rc;
    ngx_uint_t                   requests;
    ngx_uint_t                   asides;
    ngx_ors_mcp_dialog_state_e   state;
    ngx_ors_mcp_error_e          error;
    int64_t                      code;
    ngx_ors_mcp_version_e        version;
    ngx_uint_t                   ready;
} mcp_dialog_fuzz_t;


static void mcp_dialog_fuzz_run(const uint8_t *input, size_t size,
    ngx_uint_t pieces, mcp_dialog_fuzz_t *f);
static ngx_int_t mcp_dialog_fuzz_answer(ngx_ors_mcp_dialog_t *dialog,
    const uint8_t **p, const uint8_t *last, ngx_uint_t pieces);
static ngx_int_t mcp_dialog_fuzz_body(ngx_ors_mcp_dialog_t *dialog,
    ngx_str_t *line, size_t piece);


int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    mcp_dialog_fuzz_t  whole, pieces;

    if (size == 0) {
        return 0;
    }

    mcp_dialog_fuzz_run(input, size, 0, &whole);
    mcp_dialog_fuzz_run(input, size, 1, &pieces);

    fuzz_check(memcmp(&whole, &pieces, sizeof(mcp_dialog_fuzz_t)) == 0);

    return 0;
}


static void
mcp_dialog_fuzz_run(const uint8_t *input, size_t size, ngx_uint_t pieces,
    mcp_dialog_fuzz_t *f)
{
    ngx_pool_t             *pool;
    const uint8_t          *p, *last;
    ngx_ors_mcp_peer_t      peer;
    ngx_ors_mcp_limits_t    limits;
    ngx_ors_mcp_dialog_t   *dialog;
    ngx_ors_mcp_request_t  *req;

    ngx_memzero(f, sizeof(mcp_dialog_fuzz_t));
    ngx_memzero(&peer, sizeof(ngx_ors_mcp_peer_t));

    ngx_ors_mcp_limits_set(&limits, 1024 * 1024);

    limits.pages = 8;
    limits.nodes = 1000;

    p = input;
    last = input + size;

    peer.version = (*p & 7) % NGX_ORS_MCP_VERSIONS;
    peer.ready = (*p >> 3) & 1;

    pool = ngx_ors_test_pool();
    dialog = ngx_pcalloc(pool, sizeof(ngx_ors_mcp_dialog_t));

    dialog->peer = &peer;
    dialog->limits = &limits;
    dialog->pool = pool;
    dialog->log = ngx_ors_test_log();
    dialog->list_log = ngx_ors_test_log();

    if (*p & 16) {
        ngx_str_set(&dialog->name, "a");
        ngx_str_set(&dialog->arguments, "{\"x\":1}");
    }

    p++;

    f->rc = ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_start);

    while (f->rc == NGX_AGAIN) {
        fuzz_check(dialog->request);
        fuzz_check(++f->requests < REQUESTS);

        dialog->request = NULL;
        f->rc = mcp_dialog_fuzz_answer(dialog, &p, last, pieces);
    }

    fuzz_check(f->rc == NGX_OK || f->rc == NGX_DONE);
    fuzz_check(f->rc == NGX_OK || dialog->error.type);
    fuzz_check(f->rc == NGX_DONE || dialog->list || dialog->name.len);

    for (req = dialog->asides; req; req = req->next) {
        f->asides++;
    }

    fuzz_check(f->asides <= NGX_ORS_MCP_ASIDES + 1);

    f->state = dialog->state;
    f->error = dialog->error.type;
    f->code = dialog->error.code;
    f->version = peer.version;
    f->ready = peer.ready;

    (void) ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_close);

    ngx_destroy_pool(pool);
}


/* the end of the input is the end of the connection */

static ngx_int_t
mcp_dialog_fuzz_answer(ngx_ors_mcp_dialog_t *dialog, const uint8_t **p,
    const uint8_t *last, ngx_uint_t pieces)
{
    uint8_t     head, piece;
    ngx_int_t   rc;
    ngx_str_t   line;

    static ngx_uint_t  statuses[] = { 200, 202, 400, 404, 405, 401, 503, 200 };

    static ngx_str_t  types[] = {
        ngx_string("application/json"),
        ngx_string("text/event-stream"),
        ngx_string("text/html"),
        ngx_null_string
    };

    if (last - *p < 2) {
        return ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_cut);
    }

    head = *(*p)++;
    piece = *(*p)++;
    line = fuzz_line(p, last, LF);

    dialog->status = statuses[head & 7];
    dialog->type = types[(head >> 3) & 3];
    ngx_str_null(&dialog->session);

    if (head & 32) {
        ngx_str_set(&dialog->session, "s");
    }

    rc = ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_header);

    if (rc == NGX_AGAIN && !dialog->request) {
        rc = mcp_dialog_fuzz_body(dialog, &line,
                                  pieces ? (piece ? piece : 1) : 100000);
    }

    if (rc != NGX_AGAIN || dialog->request) {
        return rc;
    }

    return ngx_ors_mcp_dialog_step(dialog,
                                   (head & 64)
                                   ? ((head & 128)
                                      ? ngx_ors_mcp_dialog_ev_cut
                                      : ngx_ors_mcp_dialog_ev_timeout)
                                   : ngx_ors_mcp_dialog_ev_end);
}


/* a backslash in the input is a line's end in the body */

static ngx_int_t
mcp_dialog_fuzz_body(ngx_ors_mcp_dialog_t *dialog, ngx_str_t *line,
    size_t piece)
{
    size_t      i, n, len;
    u_char     *body, *p, *copy;
    ngx_int_t   rc;
    ngx_buf_t   b;

    body = malloc(line->len * 20 + 1);

    for (i = 0, p = body; i < line->len; i++) {

        if (line->data[i] == '$') {
            p = ngx_sprintf(p, "%uL", dialog->id);

        } else {
            *p++ = (line->data[i] == '\\') ? LF : line->data[i];
        }
    }

    len = p - body;
    rc = NGX_AGAIN;

    for (i = 0; i < len && rc == NGX_AGAIN && !dialog->request; i += n) {
        n = ngx_min(piece, len - i);
        copy = fuzz_copy(body + i, n);

        ngx_memzero(&b, sizeof(ngx_buf_t));
        b.pos = copy;
        b.last = copy + n;
        dialog->in = &b;

        rc = ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_body);

        free(copy);
    }

    free(body);

    return rc;
}
