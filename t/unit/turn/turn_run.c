
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Runs a turn over the answer of a model server, whole or in pieces.
 */


#include <ngx_ors_replay.h>
#include <ngx_ors_test_request.h>

#include "turn_run.h"


static ngx_int_t run_answer(run_t *run, ngx_ors_turn_t *turn);
static ngx_int_t run_feed(run_t *run, ngx_ors_turn_t *turn);
static ngx_int_t run_take(run_t *run, ngx_ors_turn_t *turn);
static void run_over(ngx_ors_turn_t *turn);
static void run_replay(run_t *run, ngx_ors_turn_t *turn);
static void run_hide_ids(run_t *run, ngx_ors_turn_t *turn);


static ngx_ors_limits_t  run_limits = {
    .depth = 64, .nodes = 100000, .items = 1000, .tools = 100, .calls = 16,
    .event = 65536, .answer = 1048576, .queue = 65536
};


u_char *
run_text(const char *body, size_t *len)
{
    u_char  *text;

    *len = strlen(body);

    text = malloc(*len + 1);
    if (text == NULL) {
        abort();
    }

    ngx_ors_test_quotes(text, body, *len + 1);

    return text;
}


void
run_init(run_t *run, u_char *body, size_t len)
{
    memset(run, 0, sizeof(run_t));

    run->stream = 1;
    run->status = 200;
    run->type = "text/event-stream";
    run->body = body;
    run->len = len;
    run->complete = 1;
    run->limits = run_limits;
    run->policy = ngx_ors_test_policy;
}


void
run_turn(run_t *run)
{
    char                   *request;
    size_t                  size;
    ngx_str_t               body, model = ngx_null_string;
    ngx_pool_t             *pool;
    ngx_chain_t            *cl;
    ngx_ors_out_t           out;
    ngx_ors_turn_t         *turn;
    ngx_ors_chat_options_t  options;

    run->rc = NGX_ERROR;
    run->answered = 0;
    run->text = NULL;
    run->size = 0;
    run->room = 0;
    run->live = 0;

    size = 256 + (run->request ? strlen(run->request) : 0);
    request = malloc(size);

    snprintf(request, size, "{'model':'m','stream':%s,%s}",
             run->stream ? "true" : "false",
             run->request ? run->request
             : "'input':'hi','include':['message.output_text.logprobs']");

    body.data = run_text(request, &body.len);
    free(request);

    pool = ngx_create_pool(4096, ngx_ors_test_log());

    if (pool == NULL) {
        free(body.data);
        return;
    }

    turn = ngx_ors_turn_create(
        ngx_ors_endpoint(ngx_ors_endpoint_responses), &run->policy,
        &run->limits, pool, pool->log);

    if (turn) {
        turn->sealer = run->sealer;

        ngx_ors_out_init(&out, pool, 4096);

        run->rc = ngx_ors_turn_request(turn, &body);

        /* the stream is made once more, as that of a turn that is stored */

        turn->journal.pool = pool;
        turn->journal.max = run->limits.answer;
        turn->response.journal = (run->stream && !run->once)
                                 ? &turn->journal : NULL;

        if (run->rc == NGX_OK) {
            options = ngx_ors_chat_options;
            options.think = run->think;
            options.state = run->state;
            ngx_str_set(&turn->maker, "p");

            run->rc = ngx_ors_turn_call(turn, ngx_ors_dialect_chat,
                                        &options, &model, &out);
        }

        if (run->rc == NGX_OK && ngx_ors_out_take(&out, &cl) != NGX_OK) {
            run->rc = NGX_ERROR;
        }

        if (run->rc == NGX_OK) {
            run->allocs = ngx_ors_test_allocs();
            run->rc = run_answer(run, turn);
            run->allocs = ngx_ors_test_allocs() - run->allocs;
        }

        if (run->rc != NGX_ERROR && run_take(run, turn) != NGX_OK) {
            run->rc = NGX_ERROR;
        }

        if (run->rc == NGX_DONE) {
            run_over(turn);
            run_replay(run, turn);
        }

        run->answered = turn->status;
        snprintf(run->answered_type, sizeof(run->answered_type), "%.*s",
                 (int) turn->type.len, (char *) turn->type.data);

        run_hide_ids(run, turn);
    }

    ngx_destroy_pool(pool);
    free(body.data);
}


/* an error says more than the response that has failed keeps of it */

static void
run_replay(run_t *run, ngx_ors_turn_t *turn)
{
    u_char            *p;
    size_t             from;
    ngx_int_t          rc;
    ngx_str_t          text, journal, again;
    ngx_ors_out_t      out;
    ngx_ors_replay_t   replay;

    if (turn->journal.len == 0 || turn->journal.full
        || turn->response.status == ngx_ors_response_failed
        || turn->request.obfuscate)
    {
        return;
    }

    journal.data = turn->journal.data;
    journal.len = turn->journal.len;

    memset(&replay, 0, sizeof(ngx_ors_replay_t));
    replay.profile = run->policy.profile;

    ngx_ors_out_init(&out, turn->pool, 4096);

    rc = ngx_ors_turn_snapshot(turn, 1, turn->pool, &text);

    if (rc == NGX_OK) {
        rc = ngx_ors_replay_init(&replay, &text, &journal, turn->pool);
    }

    if (rc == NGX_DECLINED) {
        fail("no replay");
    }

    if (rc != NGX_OK) {
        return;
    }

    /* from the first event, or from a later one */

    replay.after = (run->len % 3) ? run->len % replay.total : 0;
    from = 0;

    for (p = run->text; from < replay.after; p++) {
        from += (p[0] == '\n' && p[1] == '\n');
    }

    p += (from != 0);

    do {
        rc = ngx_ors_replay(&replay, 1 + run->len % 500, &out);
    } while (rc == NGX_OK);

    if (rc == NGX_ERROR || ngx_ors_out_text(&out, &again) != NGX_OK) {
        return;
    }

    is_int(rc, NGX_DONE, "a replay has an end");

    if (again.len != (size_t) (run->text + run->size - p)
        || memcmp(again.data, p, again.len) != 0)
    {
        is_mem(again.data, again.len, p, run->text + run->size - p,
               "the replay of a turn");
    }
}


static ngx_int_t
run_answer(run_t *run, ngx_ors_turn_t *turn)
{
    ngx_int_t  rc;
    ngx_str_t  type;

    if (run->status == 0) {
        return ngx_ors_turn_end(turn, 502, 0);
    }

    type.len = strlen(run->type);
    type.data = (u_char *) run->type;

    rc = ngx_ors_turn_header(turn, run->status, &type,
                             run->complete ? (off_t) run->len : -1);
    if (rc != NGX_OK) {
        return rc;
    }

    rc = run_feed(run, turn);

    run->live = run->size;

    return (rc == NGX_OK) ? ngx_ors_turn_end(turn, 0, run->complete) : rc;
}


static ngx_int_t
run_feed(run_t *run, ngx_ors_turn_t *turn)
{
    u_char     *p, *last, *piece;
    size_t      n, max;
    ngx_buf_t   b;
    ngx_int_t   rc;
    ngx_uint_t  i;

    p = run->body;
    last = p + run->len;

    /* nginx has buffers without bytes */

    memset(&b, 0, sizeof(ngx_buf_t));
    rc = ngx_ors_turn_data(turn, &b);
    i = 0;

    while (p < last && rc == NGX_OK) {
        n = last - p;
        max = n;

        if (run->npieces) {

            /* after 1000 pieces the rest: lengths of zero do not end */

            max = (i < 1000) ? run->pieces[i % run->npieces] : n;
            i++;

        } else if (run->random) {
            max = 1 + ngx_ors_test_random(run->random);

        } else if (p == run->body && run->at) {
            max = run->at;

        } else if (run->step) {
            max = run->step;
        }

        n = ngx_min(n, max);

        piece = malloc(n);
        memcpy(piece, p, n);

        memset(&b, 0, sizeof(ngx_buf_t));
        b.start = piece;
        b.pos = piece;
        b.last = piece + n;
        b.end = b.last;
        b.memory = 1;

        rc = ngx_ors_turn_data(turn, &b);

        if (rc == NGX_OK && b.pos != b.last) {
            fail("a piece was not used up");
        }

        if (rc == NGX_OK && turn->state == ngx_ors_turn_st_over) {
            fail("the turn is over and goes on");
        }

        free(piece);
        p += n;

        if (rc == NGX_OK && !run->keep && run_take(run, turn) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return rc;
}


static ngx_int_t
run_take(run_t *run, ngx_ors_turn_t *turn)
{
    size_t        size;
    u_char       *p;
    ngx_chain_t  *out, *cl;

    size = turn->out.size;

    if (size && turn->status == 0) {
        fail("output without a status");
    }

    if (ngx_ors_out_take(&turn->out, &out) != NGX_OK) {
        return NGX_ERROR;
    }

    if (out == NULL) {
        return NGX_OK;
    }

    if (run->size + size >= run->room) {
        run->room = 2 * (run->size + size) + 1;
        run->text = realloc(run->text, run->room);

        if (run->text == NULL) {
            abort();
        }
    }

    p = run->text + run->size;

    for (cl = out; cl; cl = cl->next) {
        p = ngx_cpymem(p, cl->buf->pos, cl->buf->last - cl->buf->pos);
        cl->buf->pos = cl->buf->last;
    }

    *p = '\0';

    run->size += size;

    if (p != run->text + run->size) {
        fail("the size of the output is wrong");
    }

    ngx_ors_out_recycle(&turn->out, &out);

    return NGX_OK;
}


/* telling it once more is harmless */

static void
run_over(ngx_ors_turn_t *turn)
{
    ngx_buf_t   b;
    ngx_uint_t  status;

    static u_char  text[] = "data: [DONE]\n\n";

    status = turn->status;

    memset(&b, 0, sizeof(ngx_buf_t));
    b.pos = text;
    b.last = text + sizeof(text) - 1;

    if (ngx_ors_turn_data(turn, &b) != NGX_DONE
        || ngx_ors_turn_end(turn, 0, 1) != NGX_DONE
        || ngx_ors_turn_end(turn, 502, 0) != NGX_DONE
        || turn->out.size || turn->status != status)
    {
        fail("the turn is over and goes on");
    }
}


static void
run_hide_ids(run_t *run, ngx_ors_turn_t *turn)
{
    u_char  *p, *last, *id, *token;

    id = turn->builder.ids.text;
    token = turn->builder.ids.token;

    if (run->size < NGX_ORS_ID_LEN || turn->response.id.len == 0) {
        return;
    }

    last = run->text + run->size - NGX_ORS_ID_LEN;

    for (p = run->text; p <= last; p++) {
        if (memcmp(p, id, NGX_ORS_ID_LEN) == 0
            || memcmp(p, token, NGX_ORS_ID_LEN) == 0)
        {
            memset(p, 'R', NGX_ORS_ID_LEN);
        }
    }
}


void
run_free(run_t *run)
{
    free(run->text);
    run->text = NULL;
}
