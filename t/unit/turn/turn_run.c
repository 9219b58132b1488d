
#include <ngx_ors_test_request.h>
/*
#include <ngx_ors_test_request.h>
 * Copyright (C) Open Responses contributors
#include <ngx_ors_test_request.h>
 */
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
#include "turn_run.h"
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static ngx_int_t run_answer(run_t *run, ngx_ors_turn_t *turn);
#include <ngx_ors_test_request.h>
static ngx_int_t run_feed(run_t *run, ngx_ors_turn_t *turn);
#include <ngx_ors_test_request.h>
static ngx_int_t run_take(run_t *run, ngx_ors_turn_t *turn);
#include <ngx_ors_test_request.h>
static void run_over(ngx_ors_turn_t *turn);
#include <ngx_ors_test_request.h>
static void run_hide_ids(run_t *run, ngx_ors_turn_t *turn);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static ngx_ors_limits_t  run_limits = {
#include <ngx_ors_test_request.h>
    64, 100000, 1000, 100, 16, 65536, 1048576, 65536
#include <ngx_ors_test_request.h>
};
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
u_char *
#include <ngx_ors_test_request.h>
run_text(const char *body, size_t *len)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    u_char  *p, *text;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    *len = strlen(body);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    text = malloc(*len + 1);
#include <ngx_ors_test_request.h>
    if (text == NULL) {
#include <ngx_ors_test_request.h>
        abort();
#include <ngx_ors_test_request.h>
    }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    memcpy(text, body, *len + 1);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    for (p = text; *p; p++) {
#include <ngx_ors_test_request.h>
        if (*p == '\'') {
#include <ngx_ors_test_request.h>
            *p = '"';
#include <ngx_ors_test_request.h>
        }
#include <ngx_ors_test_request.h>
    }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    return text;
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
void
#include <ngx_ors_test_request.h>
run_init(run_t *run, u_char *body, size_t len)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    memset(run, 0, sizeof(run_t));
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    run->stream = 1;
#include <ngx_ors_test_request.h>
    run->status = 200;
#include <ngx_ors_test_request.h>
    run->type = "text/event-stream";
#include <ngx_ors_test_request.h>
    run->body = body;
#include <ngx_ors_test_request.h>
    run->len = len;
#include <ngx_ors_test_request.h>
    run->complete = 1;
#include <ngx_ors_test_request.h>
    run->limits = run_limits;
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
void
#include <ngx_ors_test_request.h>
run_turn(run_t *run)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    char            *request;
#include <ngx_ors_test_request.h>
    size_t           size;
#include <ngx_ors_test_request.h>
    ngx_str_t        body, model = ngx_null_string;
#include <ngx_ors_test_request.h>
    ngx_pool_t      *pool;
#include <ngx_ors_test_request.h>
    ngx_chain_t     *cl;
#include <ngx_ors_test_request.h>
    ngx_ors_out_t    out;
#include <ngx_ors_test_request.h>
    ngx_ors_turn_t  *turn;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    run->rc = NGX_ERROR;
#include <ngx_ors_test_request.h>
    run->answered = 0;
#include <ngx_ors_test_request.h>
    run->text = NULL;
#include <ngx_ors_test_request.h>
    run->size = 0;
#include <ngx_ors_test_request.h>
    run->room = 0;
#include <ngx_ors_test_request.h>
    run->live = 0;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    size = 128 + (run->request ? strlen(run->request) : 0);
#include <ngx_ors_test_request.h>
    request = malloc(size);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    snprintf(request, size, "{'model':'m','stream':%s,%s}",
#include <ngx_ors_test_request.h>
             run->stream ? "true" : "false",
#include <ngx_ors_test_request.h>
             run->request ? run->request : "'input':'hi'");
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    body.data = run_text(request, &body.len);
#include <ngx_ors_test_request.h>
    free(request);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    pool = ngx_create_pool(4096, ngx_ors_test_log());
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    if (pool == NULL) {
#include <ngx_ors_test_request.h>
        free(body.data);
#include <ngx_ors_test_request.h>
        return;
#include <ngx_ors_test_request.h>
    }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    turn = ngx_ors_turn_create(
#include <ngx_ors_test_request.h>
        ngx_ors_endpoint(ngx_ors_endpoint_responses), &ngx_ors_test_policy,
#include <ngx_ors_test_request.h>
        &run->limits, pool, pool->log);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    if (turn) {
#include <ngx_ors_test_request.h>
        ngx_ors_out_init(&out, pool, 4096);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        run->rc = ngx_ors_turn_request(turn, &body);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        if (run->rc == NGX_OK) {
#include <ngx_ors_test_request.h>
            run->rc = ngx_ors_turn_call(turn, ngx_ors_dialect_chat, &model,
#include <ngx_ors_test_request.h>
                                        &out);
#include <ngx_ors_test_request.h>
        }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        if (run->rc == NGX_OK && ngx_ors_out_take(&out, &cl) != NGX_OK) {
#include <ngx_ors_test_request.h>
            run->rc = NGX_ERROR;
#include <ngx_ors_test_request.h>
        }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        if (run->rc == NGX_OK) {
#include <ngx_ors_test_request.h>
            run->allocs = ngx_ors_test_allocs();
#include <ngx_ors_test_request.h>
            run->rc = run_answer(run, turn);
#include <ngx_ors_test_request.h>
            run->allocs = ngx_ors_test_allocs() - run->allocs;
#include <ngx_ors_test_request.h>
        }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        if (run->rc != NGX_ERROR && run_take(run, turn) != NGX_OK) {
#include <ngx_ors_test_request.h>
            run->rc = NGX_ERROR;
#include <ngx_ors_test_request.h>
        }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        if (run->rc == NGX_DONE) {
#include <ngx_ors_test_request.h>
            run_over(turn);
#include <ngx_ors_test_request.h>
        }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        run->answered = turn->status;
#include <ngx_ors_test_request.h>
        snprintf(run->answered_type, sizeof(run->answered_type), "%.*s",
#include <ngx_ors_test_request.h>
                 (int) turn->type.len, (char *) turn->type.data);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        run_hide_ids(run, turn);
#include <ngx_ors_test_request.h>
    }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    ngx_destroy_pool(pool);
#include <ngx_ors_test_request.h>
    free(body.data);
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static ngx_int_t
#include <ngx_ors_test_request.h>
run_answer(run_t *run, ngx_ors_turn_t *turn)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    ngx_int_t  rc;
#include <ngx_ors_test_request.h>
    ngx_str_t  type;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    if (run->status == 0) {
#include <ngx_ors_test_request.h>
        return ngx_ors_turn_end(turn, 502, 0);
#include <ngx_ors_test_request.h>
    }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    type.len = strlen(run->type);
#include <ngx_ors_test_request.h>
    type.data = (u_char *) run->type;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    rc = ngx_ors_turn_header(turn, run->status, &type,
#include <ngx_ors_test_request.h>
                             run->complete ? (off_t) run->len : -1);
#include <ngx_ors_test_request.h>
    if (rc != NGX_OK) {
#include <ngx_ors_test_request.h>
        return rc;
#include <ngx_ors_test_request.h>
    }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    rc = run_feed(run, turn);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    run->live = run->size;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    return (rc == NGX_OK) ? ngx_ors_turn_end(turn, 0, run->complete) : rc;
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static ngx_int_t
#include <ngx_ors_test_request.h>
run_feed(run_t *run, ngx_ors_turn_t *turn)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    u_char     *p, *last, *piece;
#include <ngx_ors_test_request.h>
    size_t      n, max;
#include <ngx_ors_test_request.h>
    ngx_buf_t   b;
#include <ngx_ors_test_request.h>
    ngx_int_t   rc;
#include <ngx_ors_test_request.h>
    ngx_uint_t  i;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    p = run->body;
#include <ngx_ors_test_request.h>
    last = p + run->len;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    /* nginx has buffers without bytes */
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    memset(&b, 0, sizeof(ngx_buf_t));
#include <ngx_ors_test_request.h>
    rc = ngx_ors_turn_data(turn, &b);
#include <ngx_ors_test_request.h>
    i = 0;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    while (p < last && rc == NGX_OK) {
#include <ngx_ors_test_request.h>
        n = last - p;
#include <ngx_ors_test_request.h>
        max = n;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        if (run->npieces) {
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
            /* after 1000 pieces the rest: lengths of zero do not end */
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
            max = (i < 1000) ? run->pieces[i % run->npieces] : n;
#include <ngx_ors_test_request.h>
            i++;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        } else if (run->random) {
#include <ngx_ors_test_request.h>
            max = 1 + ngx_ors_test_random(run->random);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        } else if (p == run->body && run->at) {
#include <ngx_ors_test_request.h>
            max = run->at;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        } else if (run->step) {
#include <ngx_ors_test_request.h>
            max = run->step;
#include <ngx_ors_test_request.h>
        }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        n = ngx_min(n, max);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        piece = malloc(n);
#include <ngx_ors_test_request.h>
        memcpy(piece, p, n);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        memset(&b, 0, sizeof(ngx_buf_t));
#include <ngx_ors_test_request.h>
        b.start = piece;
#include <ngx_ors_test_request.h>
        b.pos = piece;
#include <ngx_ors_test_request.h>
        b.last = piece + n;
#include <ngx_ors_test_request.h>
        b.end = b.last;
#include <ngx_ors_test_request.h>
        b.memory = 1;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        rc = ngx_ors_turn_data(turn, &b);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        if (rc == NGX_OK && b.pos != b.last) {
#include <ngx_ors_test_request.h>
            fail("a piece was not used up");
#include <ngx_ors_test_request.h>
        }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        if (rc == NGX_OK && turn->state == ngx_ors_turn_st_over) {
#include <ngx_ors_test_request.h>
            fail("the turn is over and goes on");
#include <ngx_ors_test_request.h>
        }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        free(piece);
#include <ngx_ors_test_request.h>
        p += n;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        if (rc == NGX_OK && !run->keep && run_take(run, turn) != NGX_OK) {
#include <ngx_ors_test_request.h>
            return NGX_ERROR;
#include <ngx_ors_test_request.h>
        }
#include <ngx_ors_test_request.h>
    }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    return rc;
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static ngx_int_t
#include <ngx_ors_test_request.h>
run_take(run_t *run, ngx_ors_turn_t *turn)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    size_t        size;
#include <ngx_ors_test_request.h>
    u_char       *p;
#include <ngx_ors_test_request.h>
    ngx_chain_t  *out, *cl;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    size = turn->out.size;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    if (size && turn->status == 0) {
#include <ngx_ors_test_request.h>
        fail("output without a status");
#include <ngx_ors_test_request.h>
    }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    if (ngx_ors_out_take(&turn->out, &out) != NGX_OK) {
#include <ngx_ors_test_request.h>
        return NGX_ERROR;
#include <ngx_ors_test_request.h>
    }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    if (out == NULL) {
#include <ngx_ors_test_request.h>
        return NGX_OK;
#include <ngx_ors_test_request.h>
    }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    if (run->size + size >= run->room) {
#include <ngx_ors_test_request.h>
        run->room = 2 * (run->size + size) + 1;
#include <ngx_ors_test_request.h>
        run->text = realloc(run->text, run->room);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
        if (run->text == NULL) {
#include <ngx_ors_test_request.h>
            abort();
#include <ngx_ors_test_request.h>
        }
#include <ngx_ors_test_request.h>
    }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    p = run->text + run->size;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    for (cl = out; cl; cl = cl->next) {
#include <ngx_ors_test_request.h>
        p = ngx_cpymem(p, cl->buf->pos, cl->buf->last - cl->buf->pos);
#include <ngx_ors_test_request.h>
        cl->buf->pos = cl->buf->last;
#include <ngx_ors_test_request.h>
    }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    *p = '\0';
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    run->size += size;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    if (p != run->text + run->size) {
#include <ngx_ors_test_request.h>
        fail("the size of the output is wrong");
#include <ngx_ors_test_request.h>
    }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    ngx_ors_out_recycle(&turn->out, &out);
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    return NGX_OK;
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
/* telling it once more is harmless */
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static void
#include <ngx_ors_test_request.h>
run_over(ngx_ors_turn_t *turn)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    ngx_buf_t   b;
#include <ngx_ors_test_request.h>
    ngx_uint_t  status;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    static u_char  text[] = "data: [DONE]\n\n";
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    status = turn->status;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    memset(&b, 0, sizeof(ngx_buf_t));
#include <ngx_ors_test_request.h>
    b.pos = text;
#include <ngx_ors_test_request.h>
    b.last = text + sizeof(text) - 1;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    if (ngx_ors_turn_data(turn, &b) != NGX_DONE
#include <ngx_ors_test_request.h>
        || ngx_ors_turn_end(turn, 0, 1) != NGX_DONE
#include <ngx_ors_test_request.h>
        || ngx_ors_turn_end(turn, 502, 0) != NGX_DONE
#include <ngx_ors_test_request.h>
        || turn->out.size || turn->status != status)
#include <ngx_ors_test_request.h>
    {
#include <ngx_ors_test_request.h>
        fail("the turn is over and goes on");
#include <ngx_ors_test_request.h>
    }
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
static void
#include <ngx_ors_test_request.h>
run_hide_ids(run_t *run, ngx_ors_turn_t *turn)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    u_char  *p, *last, *id;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    id = turn->answer.ids.text;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    if (run->size < NGX_ORS_ID_LEN || turn->response.id.len == 0) {
#include <ngx_ors_test_request.h>
        return;
#include <ngx_ors_test_request.h>
    }
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    last = run->text + run->size - NGX_ORS_ID_LEN;
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
    for (p = run->text; p <= last; p++) {
#include <ngx_ors_test_request.h>
        if (*p == *id && memcmp(p, id, NGX_ORS_ID_LEN) == 0) {
#include <ngx_ors_test_request.h>
            memset(p, 'R', NGX_ORS_ID_LEN);
#include <ngx_ors_test_request.h>
        }
#include <ngx_ors_test_request.h>
    }
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>

#include <ngx_ors_test_request.h>
void
#include <ngx_ors_test_request.h>
run_free(run_t *run)
#include <ngx_ors_test_request.h>
{
#include <ngx_ors_test_request.h>
    free(run->text);
#include <ngx_ors_test_request.h>
    run->text = NULL;
#include <ngx_ors_test_request.h>
}
#include <ngx_ors_test_request.h>
