
/*
 * Copyright (C) Open Responses contributors
 */


/* Compactions: what the client gets, and memory that is not there. */


#include <ngx_ors_test_request.h>

#include "turn_run.h"
#include "turn_scripts.h"


typedef struct {
    ngx_pool_t               *pool;
    ngx_array_t               keys;
    ngx_ors_seal_key_t        key;
    ngx_ors_sealer_t          sealer;
} compact_t;


static void compact_init(compact_t *c);
static char *compact_request(compact_t *c, const char *last);
static void compact_run(compact_t *c, run_t *run, const char *request,
    u_char *body, size_t len, ngx_uint_t stream);
static void compact_text(compact_t *c, run_t *run, const char *text,
    const char *name);
static ngx_uint_t compact_has(run_t *run, const char *text);
static void test_summary(compact_t *c, ngx_uint_t stream);
static void test_failure(compact_t *c);
static void test_no_memory(compact_t *c, const char *last,
    ngx_uint_t stream, const char *name);
static void test_due(compact_t *c, ngx_uint_t stream);
static ngx_int_t due_run(compact_t *c, ngx_pool_t *pool, ngx_uint_t stream,
    char *sent, char *text);
static ngx_int_t due_call(ngx_ors_turn_t *turn, const char *answer,
    char *sent);


#define TRIGGER  ",{\"type\":\"compaction_trigger\"}"

/* texts with a comma or a blank: no sealed text holds these by chance */

static const char  summary[] =
    DELTA("'role':'assistant','reasoning_content':'hm, hm'")
    TEXT("They ") TEXT("said \\\"hi\\\".") FINISH("stop") USAGE DONE;


int
main(void)
{
    compact_t  c;

    compact_init(&c);

    test_summary(&c, 1);
    test_summary(&c, 0);
    test_failure(&c);
    test_due(&c, 1);
    test_due(&c, 0);

    test_no_memory(&c, TRIGGER, 1, "a summary, streamed");
    test_no_memory(&c, TRIGGER, 0, "a summary, at once");
    test_no_memory(&c, "", 0, "an answer to what was sealed");

    ngx_destroy_pool(c.pool);

    return done_testing();
}


static void
compact_init(compact_t *c)
{
    memset(c, 0, sizeof(compact_t));

    c->pool = ngx_create_pool(4096, ngx_ors_test_log());

    c->keys.elts = &c->key;
    c->keys.nelts = 1;
    c->sealer.keys = &c->keys;
}


/* input with a thought and a summary that were sealed before */

static char *
compact_request(compact_t *c, const char *last)
{
    char       *p;
    ngx_str_t   thought, before, text = ngx_string("a text");

    ngx_ors_seal(&c->sealer, ngx_ors_seal_reasoning, &text, c->pool,
                 &thought);
    ngx_ors_seal(&c->sealer, ngx_ors_seal_compaction, &text, c->pool,
                 &before);

    p = ngx_pnalloc(c->pool, 1024);

    snprintf(p, 1024, "'input':[{'type':'compaction','encrypted_content':"
             "'%.*s'},{'type':'reasoning','summary':[],'encrypted_content':"
             "'%.*s'},{'type':'message','role':'assistant','content':'hi'}%s]",
             (int) before.len, (char *) before.data,
             (int) thought.len, (char *) thought.data, last);

    return p;
}


static void
compact_run(compact_t *c, run_t *run, const char *request, u_char *body,
    size_t len, ngx_uint_t stream)
{
    run_init(run, body, len);

    run->policy.profile = NGX_ORS_STRICT_OPENAI;
    run->stream = stream;
    run->step = 20;
    run->sealer = &c->sealer;
    run->once = 1;
    run->request = request;

    run_turn(run);
}


static void
test_summary(compact_t *c, ngx_uint_t stream)
{
    run_t    run;
    size_t   len;
    u_char  *body;

    body = run_text(summary, &len);

    compact_run(c, &run, compact_request(c, TRIGGER), body, len, stream);

    is_int(run.rc, NGX_DONE, "stream %d: it ends", (int) stream);
    is_int(run.answered, 200, "stream %d: well", (int) stream);
    ok(!compact_has(&run, "They ") && !compact_has(&run, "hm, "),
       "stream %d: nothing of it is sent", (int) stream);
    compact_text(c, &run, "They said \\\"hi\\\".", "it is sealed");

    run_free(&run);
    free(body);
}


static void
compact_text(compact_t *c, run_t *run, const char *text, const char *name)
{
    char       *p;
    ngx_str_t   blob, opened;

    p = strstr((char *) run->text, "\"encrypted_content\":\"ors1");

    if (p == NULL) {
        fail("%s: there is no blob", name);
        return;
    }

    blob.data = (u_char *) p + sizeof("\"encrypted_content\":\"") - 1;
    blob.len = strchr((char *) blob.data, '"') - (char *) blob.data;

    is_int(ngx_ors_unseal(&c->sealer, ngx_ors_seal_compaction, &blob, c->pool,
                          &opened), NGX_OK, "%s: as a compaction", name);
    is_str(&opened, text, "%s: all of it", name);
}


static ngx_uint_t
compact_has(run_t *run, const char *text)
{
    return run->text && strstr((char *) run->text, text);
}


/* the stream breaks when one item is whole */

static void
test_failure(compact_t *c)
{
    run_t        run;
    size_t       len;
    u_char      *body;
    ngx_uint_t   stream;

    body = run_text(TEXT("They,") DELTA("'reasoning':'hm'"), &len);

    for (stream = 0; stream < 2; stream++) {
        compact_run(c, &run, compact_request(c, TRIGGER), body, len, stream);

        is_int(run.answered, stream ? 200 : 502, "cut: status");
        ok(compact_has(&run, "upstream_disconnected"), "cut: is told");
        ok(!compact_has(&run, "They,"), "cut: what there was is not");

        run_free(&run);
    }

    free(body);
}


static void
test_no_memory(compact_t *c, const char *last, ngx_uint_t stream,
    const char *name)
{
    run_t        run;
    size_t       len;
    u_char      *body;
    ngx_uint_t   n, bad;
    const char  *request;

    bad = 0;
    body = run_text(summary, &len);
    request = compact_request(c, last);

    for (n = 1; n < 10000; n++) {
        ngx_ors_test_fail_after(n);

        compact_run(c, &run, request, body, len, stream);

        if (!ngx_ors_test_failed()) {
            break;
        }

        ngx_ors_test_fail_after(0);

        if (run.rc != NGX_ERROR && !compact_has(&run, "not enough memory")) {
            diag("allocation %d: %d", (int) n, (int) run.rc);
            bad++;
        }

        run_free(&run);
    }

    ngx_ors_test_fail_after(0);

    is_int(bad, 0, "%s: each allocation that fails is noticed", name);
    is_int(run.rc, NGX_DONE, "%s: and with none it is done", name);
    is_int(run.answered, 200, "%s: well", name);
    ok(n > 10, "%s: there are some", name);

    run_free(&run);
    free(body);
}


/* in front of a call: two calls, with memory and without */

static void
test_due(compact_t *c, ngx_uint_t stream)
{
    char         sent[16384], text[16384];
    ngx_int_t    rc;
    ngx_uint_t   n, bad;
    ngx_pool_t  *pool;

    pool = ngx_create_pool(4096, ngx_ors_test_log());

    is_int(due_run(c, pool, stream, sent, text), NGX_DONE,
           "due %d: it ends", (int) stream);

    ok(strstr(sent, "Write a summary")
       && strstr(sent, "which replaces it:\\n\\nThey said"),
       "due %d: the summary is asked for, and sent", (int) stream);
    ok(!strstr(strstr(sent, "which replaces"), "xxxx"),
       "due %d: in place of the conversation", (int) stream);
    ok(strstr(text, "\"type\":\"compaction\"") && strstr(text, "Hello")
       && !strstr(text, "They said"), "due %d: what comes of it", (int) stream);

    ngx_destroy_pool(pool);

    for (n = 1, bad = 0; n < 10000; n++) {
        ngx_ors_test_fail_after(n);

        pool = ngx_create_pool(4096, ngx_ors_test_log());
        rc = pool ? due_run(c, pool, stream, sent, text) : NGX_ERROR;

        if (pool) {
            ngx_destroy_pool(pool);
        }

        if (!ngx_ors_test_failed()) {
            break;
        }

        bad += (rc != NGX_ERROR && rc != NGX_DONE);
    }

    ngx_ors_test_fail_after(0);

    ok(n > 10 && n < 10000 && bad == 0, "due %d: no memory", (int) stream);
}


static ngx_int_t
due_run(compact_t *c, ngx_pool_t *pool, ngx_uint_t stream, char *sent,
    char *text)
{
    char             request[8192], filler[5001];
    ngx_int_t        rc;
    ngx_str_t        body;
    ngx_chain_t     *cl;
    ngx_ors_turn_t  *turn;

    static ngx_ors_limits_t  limits = limits_default();
    static ngx_ors_policy_t  policy;

    policy = ngx_ors_test_policy;
    policy.profile = NGX_ORS_STRICT_OPENAI;

    memset(filler, 'x', sizeof(filler) - 1);
    filler[sizeof(filler) - 1] = '\0';

    *sent = '\0';
    *text = '\0';

    snprintf(request, sizeof(request), "{\"model\":\"m\",\"stream\":%s,"
             "\"context_management\":[{\"type\":\"compaction\","
             "\"compact_threshold\":1000}],\"input\":[{\"role\":\"user\","
             "\"content\":\"%s\"},{\"role\":\"assistant\",\"content\":\"hi\"},"
             "{\"role\":\"user\",\"content\":\"go\"}]}",
             stream ? "true" : "false", filler);

    body.data = (u_char *) request;
    body.len = strlen(request);

    turn = ngx_ors_turn_create(ngx_ors_endpoint(ngx_ors_endpoint_responses),
                               &policy, &limits, pool, pool->log);
    if (turn == NULL) {
        return NGX_ERROR;
    }

    ngx_ors_turn_sealer(turn, &c->sealer);

    rc = ngx_ors_turn_request(turn, &body);

    if (rc == NGX_OK) {
        rc = due_call(turn, summary, sent);
    }

    if (rc == NGX_DONE && turn->state == ngx_ors_turn_st_tools) {
        rc = ngx_ors_turn_tools(turn);
    }

    if (rc == NGX_OK) {
        rc = due_call(turn, TEXT("Hello") FINISH("stop") DONE, sent);
    }

    if (rc != NGX_DONE || ngx_ors_out_take(&turn->out, &cl) != NGX_OK) {
        return NGX_ERROR;
    }

    for ( /* void */ ; cl; cl = cl->next) {
        strncat(text, (char *) cl->buf->pos, cl->buf->last - cl->buf->pos);
    }

    return NGX_DONE;
}


static ngx_int_t
due_call(ngx_ors_turn_t *turn, const char *answer, char *sent)
{
    u_char         *p;
    size_t          len;
    ngx_buf_t       b;
    ngx_int_t       rc;
    ngx_str_t       body, model = ngx_null_string;
    ngx_str_t       type = ngx_string("text/event-stream");
    ngx_ors_out_t   out;

    ngx_ors_out_init(&out, turn->pool, 512);

    rc = ngx_ors_turn_call(turn, ngx_ors_dialect_chat, &ngx_ors_chat_options,
                           &model, &out);

    if (rc != NGX_OK || ngx_ors_out_text(&out, &body) != NGX_OK) {
        return NGX_ERROR;
    }

    strncat(sent, (char *) body.data, body.len);

    rc = ngx_ors_turn_header(turn, 200, &type, -1);

    if (rc != NGX_OK) {
        return rc;
    }

    p = run_text(answer, &len);

    memset(&b, 0, sizeof(ngx_buf_t));
    b.pos = p;
    b.last = p + len;
    b.memory = 1;

    rc = ngx_ors_turn_data(turn, &b);

    free(p);

    return (rc == NGX_OK) ? ngx_ors_turn_end(turn, 0, 1) : rc;
}
