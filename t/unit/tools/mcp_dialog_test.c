
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Dialogs with MCP servers as scripts: what is sent, what is answered and what
 * comes of it, with bodies whole and byte by byte; and each event in each
 * state.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_mcp_dialog.h>
#include "mcp_dialogs.h"


static void test_dialogs(void);
static void test_states(void);
static void test_two(void);
static void test_arguments(void);
static void test_repeats(void);
static void test_resumes(void);
static void test_flood(void);
static void test_asides(void);
static void test_no_memory(void);
static ngx_int_t run(dialog_test_t *t, size_t step);
static ngx_int_t answer(dialog_exchange_t *e, size_t step);
static ngx_int_t leave(void);
static ngx_int_t feed(u_char *data, size_t len);
static void start(dialog_test_t *t);
static void stop(void);
static void print_sent(dialog_exchange_t *e, char *name);
static void print_outcome(ngx_int_t rc);
static void print_peer(void);
static ngx_uint_t reach(ngx_uint_t state);


/* the step of each event in each state, without anything to read */

static char  *states[NGX_ORS_MCP_DIALOG_STATES][NGX_ORS_MCP_DIALOG_EVENTS] = {
    /*  start          header         body           end
        cut            timeout        close */
    { "again list", "alert new", "alert new", "alert new",
      "alert new", "alert new", "done failed" },
    { "alert initialize", "again initialize", "again initialize",
      "done failed", "done failed", "done failed", "done failed" },
    { "alert initialized", "again initialized", "again initialized",
      "done failed", "done failed", "done failed", "done failed" },
    { "alert list", "again list", "again list", "done failed",
      "done failed", "done failed", "done failed" },
    { "alert call", "again call", "again call", "done failed",
      "done failed", "done failed", "done failed" },
    { "alert done", "ok done", "ok done", "ok done",
      "ok done", "ok done", "ok done" },
    { "alert failed", "done failed", "done failed", "done failed",
      "done failed", "done failed", "done failed" }
};


static ngx_ors_mcp_limits_t    limits;
static ngx_ors_mcp_peer_t      peer;
static ngx_ors_mcp_dialog_t   *dialog;
static u_char                  text[8192], expected[8192], *last;


int
main(void)
{
    ngx_ors_mcp_limits_set(&limits, 1024 * 1024);

    test_dialogs();
    test_states();
    test_two();
    test_arguments();
    test_repeats();
    test_resumes();
    test_flood();
    test_asides();
    test_no_memory();

    return done_testing();
}


static void
test_dialogs(void)
{
    u_char      *end;
    ngx_int_t    rc;
    ngx_uint_t   i, step;

    for (i = 0; i < NTESTS; i++) {

        for (step = 0; step < 3; step++) {
            start(&tests[i]);
            rc = run(&tests[i], step);

            last = text;
            print_outcome(rc);
            end = ngx_ors_test_quotes(expected, tests[i].outcome,
                                      ngx_strlen(tests[i].outcome));
            is_mem(text, last - text, expected, (size_t) (end - expected),
                   "%s: outcome, %d bytes at a time", tests[i].name,
                   (int) step);

            last = text;
            print_peer();
            is_mem(text, last - text, tests[i].learnt,
                   ngx_strlen(tests[i].learnt), "%s: what is known",
                   tests[i].name);

            stop();
        }
    }
}


static void
test_states(void)
{
    ngx_int_t                   rc;
    ngx_buf_t                   b;
    ngx_uint_t                  state, event;
    ngx_ors_mcp_dialog_state_e  now;

    for (state = 0; state < NGX_ORS_MCP_DIALOG_STATES; state++) {

        for (event = 0; event < NGX_ORS_MCP_DIALOG_EVENTS; event++) {
            is_int(reach(state), state, "state %d is reached", (int) state);

            ngx_memzero(&b, sizeof(ngx_buf_t));
            b.pos = (u_char *) "{";
            b.last = b.pos + 1;
            dialog->in = &b;

            if (event == ngx_ors_mcp_dialog_ev_header) {
                dialog->status = 200;
            }

            rc = ngx_ors_mcp_dialog_step(dialog, event);
            now = dialog->state;

            last = ngx_sprintf(text, "%s %s",
                               (rc == NGX_OK) ? "ok"
                               : (rc == NGX_AGAIN) ? "again"
                               : (rc == NGX_DONE) ? "done" : "alert",
                               ngx_ors_mcp_dialog_state(now));

            is_mem(text, last - text, states[state][event],
                   ngx_strlen(states[state][event]), "\"%s\" in state \"%s\"",
                   ngx_ors_mcp_dialog_event(event),
                   ngx_ors_mcp_dialog_state(state));

            is_int(ngx_ors_test_logged(NGX_LOG_ALERT), rc == NGX_ERROR,
                   "... an alert");
            ngx_ors_test_log_reset();

            stop();
        }
    }
}


/* a dialog in some state, with no header of the answer yet */

static ngx_uint_t
reach(ngx_uint_t state)
{
    ngx_int_t  rc;

    static dialog_exchange_t  init = {
        "", 200, JSON, "s", RESULT(INIT), 0
    };

    static dialog_test_t  t[NGX_ORS_MCP_DIALOG_STATES] = {
        { .peer = "", .tool = "" },
        { .peer = "2025-06-18", .tool = "" },
        { .peer = "2025-06-18", .tool = "" },
        { .peer = "2026-07-28", .tool = "" },
        { .peer = "2026-07-28", .tool = "a" },
        { .peer = "2026-07-28", .tool = "a" },
        { .peer = "2026-07-28", .tool = "a" }
    };

    start(&t[state]);

    if (state == ngx_ors_mcp_dialog_st_new) {
        return dialog->state;
    }

    (void) ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_start);

    if (state == ngx_ors_mcp_dialog_st_initialized) {
        dialog->request = NULL;
        rc = answer(&init, 0);
        is_int(rc, NGX_AGAIN, "a session");
    }

    if (state == ngx_ors_mcp_dialog_st_done) {
        dialog->state = ngx_ors_mcp_dialog_st_done;
    }

    if (state == ngx_ors_mcp_dialog_st_failed) {
        (void) ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_timeout);
    }

    dialog->request = NULL;
    dialog->status = 0;

    return dialog->state;
}


/* a session that another dialog has begun is used */

static void
test_two(void)
{
    static dialog_test_t  t = {
        "a session begun by another dialog", "2025-06-18 old", "a", "text hi",
        "2025-06-18 new", {
        { "2025-06-18 tools/call old", 404, "", "", "", 0 },
        { "2025-06-18 tools/call new", 200, JSON, "", RESULT(TEXT), 0 } }
    };

    start(&t);
    (void) ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_start);
    print_sent(&t.steps[0], t.name);

    peer.generation++;
    peer.len = 3;
    ngx_memcpy(peer.session, "new", 3);

    is_int(answer(&t.steps[0], 0), NGX_AGAIN, "%s: lost", t.name);
    print_sent(&t.steps[1], t.name);
    is_int(answer(&t.steps[1], 0), NGX_OK, "%s: result", t.name);

    stop();
}


static void
test_arguments(void)
{
    ngx_int_t   rc;
    ngx_uint_t  i;

    static dialog_test_t  t = { .peer = "", .tool = "a" };
    static char          *bad[] = { "[]", "{", "1", " ", "\"a\"" };

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        start(&t);
        dialog->arguments.data = (u_char *) bad[i];
        dialog->arguments.len = ngx_strlen(bad[i]);

        rc = ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_start);

        is_int(rc, NGX_OK, "arguments %s: the dialog is over", bad[i]);
        is_int(dialog->error.type, ngx_ors_mcp_error_execution,
               "arguments %s: the model is told", bad[i]);
        ok(dialog->request == NULL, "arguments %s: nothing is sent", bad[i]);

        stop();
    }

    start(&t);
    ngx_str_null(&dialog->arguments);

    is_int(ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_start),
           NGX_AGAIN, "no arguments");
    stop();
}


/* a server that wants a call again and again */

static void
test_repeats(void)
{
    ngx_int_t   rc;
    ngx_uint_t  n;

    static dialog_test_t  t = { .peer = "2026-07-28", .tool = "a" };

    static dialog_exchange_t  e = {
        "", 200, JSON, "",
        RESULT("{'resultType':'input_required','requestState':'t'}"), 0
    };

    start(&t);
    rc = ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_start);

    for (n = 0; rc == NGX_AGAIN; n++) {
        dialog->request = NULL;
        rc = answer(&e, 0);
    }

    is_int(rc, NGX_DONE, "a call that is never complete");
    is_int(n, NGX_ORS_MCP_REPEATS + 1, "... is sent a few times");
    is_str(&dialog->error.message,
           "the server sent a result that is never complete", "... and fails");

    stop();
}


/* a server whose answer never comes to its end */

static void
test_resumes(void)
{
    ngx_int_t   rc;
    ngx_uint_t  n;

    static dialog_test_t  t = { .peer = "2025-06-18 s", .tool = "a" };

    static dialog_exchange_t  e = {
        "", 200, SSE, "", "id: 7\ndata:\n\n", CUT
    };

    start(&t);
    rc = ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_start);

    for (n = 0; rc == NGX_AGAIN; n++) {
        dialog->request = NULL;
        rc = answer(&e, 0);
    }

    is_int(rc, NGX_DONE, "a stream that never ends well");
    is_int(n, NGX_ORS_MCP_RESUMES + 1, "... is resumed so often");
    is_str(&dialog->error.message, "the answer was cut", "... and fails");
    ok(dialog->asides, "... and the server is told");

    stop();
}


/* a server that sends what is passed over, in one stream or in many */

static void
test_flood(void)
{
    ngx_int_t   rc;
    ngx_uint_t  n;

    static dialog_test_t  t = { .peer = "2025-06-18 s", .tool = "a" };

    static dialog_exchange_t  e = {
        "", 200, SSE, "", "id: 7\ndata:\n\n: x\nevent: y\ndata: {}\n\n", CUT
    };

    ngx_ors_mcp_limits_set(&limits, 1024);
    limits.dialog = 4 * ngx_strlen(e.body);

    start(&t);
    rc = ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_start);

    for (n = 0; rc == NGX_AGAIN; n++) {
        dialog->request = NULL;
        rc = answer(&e, 0);
    }

    is_int(rc, NGX_DONE, "a flood");
    is_int(n, 5, "... ends at its limit");
    is_str(&dialog->error.message,
           "the server sent an answer that is too long", "... and fails");
    ok(dialog->asides, "... and the server is told");

    stop();

    ngx_ors_mcp_limits_set(&limits, 1024 * 1024);
}


/* a server that asks and asks */

static void
test_asides(void)
{
    ngx_uint_t              i, n;
    ngx_ors_mcp_request_t  *req;

    static dialog_test_t  t = { .peer = "2025-06-18 s", .tool = "a" };
    static u_char         ping[] = "data: {\"jsonrpc\":\"2.0\",\"id\":1,"
                                   "\"method\":\"ping\"}\n\n";

    start(&t);
    (void) ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_start);
    dialog->request = NULL;

    dialog->status = 200;
    ngx_str_set(&dialog->type, SSE);
    (void) ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_header);

    for (i = 0; i < 100; i++) {
        (void) feed(ping, sizeof(ping) - 1);
    }

    for (n = 0, req = dialog->asides; req; req = req->next) {
        n++;
    }

    is_int(n, NGX_ORS_MCP_ASIDES, "so many requests are answered");

    stop();
}


static void
test_no_memory(void)
{
    ngx_int_t   rc;
    ngx_uint_t  i, n, wrong;

    wrong = 0;

    for (i = 0; i < NTESTS; i++) {

        for (n = 1; n < 300; n++) {
            start(&tests[i]);
            ngx_ors_test_fail_after(n);

            rc = run(&tests[i], 0);

            wrong += (ngx_ors_test_failed() && rc != NGX_ERROR);

            if (!ngx_ors_test_failed()) {
                stop();
                break;
            }

            stop();
        }

        ngx_ors_test_fail_after(0);
    }

    is_int(wrong, 0, "no memory");
}


static ngx_int_t
run(dialog_test_t *t, size_t step)
{
    ngx_int_t           rc;
    dialog_exchange_t  *e;

    rc = ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_start);

    for (e = t->steps; rc == NGX_AGAIN && dialog->request; e++) {

        if (e->sent == NULL) {
            fail("%s: more is sent: %s", t->name,
                 dialog->request->method.data);
            break;
        }

        print_sent(e, t->name);
        rc = answer(e, step);
    }

    if (rc != NGX_ERROR) {
        ok(e->sent == NULL, "%s: all was sent", t->name);
    }

    return rc;
}


/* whole, byte by byte, or two bytes at a time */

static ngx_int_t
answer(dialog_exchange_t *e, size_t step)
{
    size_t       n, len;
    u_char       body[4096], *p, *end, *src;
    ngx_int_t    rc;

    rc = NGX_AGAIN;

    if (e->status > 0) {
        dialog->status = e->status;
        dialog->type.data = (u_char *) e->type;
        dialog->type.len = ngx_strlen(e->type);
        dialog->session.data = (u_char *) e->session;
        dialog->session.len = ngx_strlen(e->session);

        rc = ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_header);
    }

    for (src = (u_char *) e->body, p = body; *src; src++) {
        p = (*src == '$') ? ngx_sprintf(p, "%uL", peer.id)
                          : ngx_cpymem(p, src, 1);
    }

    end = ngx_ors_test_quotes(body, body, p - body);
    len = end - body;

    for (p = body; p < end && rc == NGX_AGAIN && !dialog->request; p += n) {
        n = step ? ngx_min(step, (size_t) (end - p)) : len;
        rc = feed(p, n);
    }

    if (rc != NGX_AGAIN || dialog->request) {
        return rc;
    }

    switch (e->status < 0 ? e->status : e->after) {

    case CUT:
        return ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_cut);

    case TIMEOUT:
        return ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_timeout);

    case CLOSE:
        return leave();

    default:
        return ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_end);
    }
}


/* the caller tells the server of a dialog that is closed */

static ngx_int_t
leave(void)
{
    ngx_int_t   rc;
    ngx_uint_t  lingers;

    lingers = ngx_ors_mcp_dialog_lingers(dialog);

    rc = ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_close);

    if (lingers) {
        dialog->asides = ngx_ors_mcp_request_cancelled(&dialog->sender,
                                                       dialog->id);
        if (dialog->asides == NULL) {
            return NGX_ERROR;
        }
    }

    return rc;
}


/* in memory that is gone afterwards */

static ngx_int_t
feed(u_char *data, size_t len)
{
    u_char     *copy;
    ngx_int_t   rc;
    ngx_buf_t   b;

    copy = malloc(len);
    ngx_memcpy(copy, data, len);

    ngx_memzero(&b, sizeof(ngx_buf_t));
    b.pos = copy;
    b.last = copy + len;

    dialog->in = &b;
    rc = ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_body);

    ngx_memset(copy, 'x', len);
    free(copy);

    return rc;
}


/* "2025-06-18 s": a session is ready, "2025-06-18": it is to begin */

static void
start(dialog_test_t *t)
{
    char        *session;
    ngx_str_t    name;
    ngx_pool_t  *pool;

    pool = ngx_ors_test_pool();

    ngx_memzero(&peer, sizeof(ngx_ors_mcp_peer_t));

    name.data = (u_char *) t->peer;
    name.len = ngx_min(ngx_strlen(t->peer), 10);
    peer.version = ngx_ors_mcp_version(&name);

    session = strchr(t->peer, ' ');

    if (session) {
        peer.ready = 1;
        peer.generation = 1;
        peer.len = ngx_strlen(session + 1);
        ngx_memcpy(peer.session, session + 1, peer.len);
    }

    dialog = ngx_pcalloc(pool, sizeof(ngx_ors_mcp_dialog_t));

    dialog->peer = &peer;
    dialog->limits = &limits;
    dialog->pool = pool;
    dialog->log = ngx_ors_test_log();
    dialog->list_log = ngx_ors_test_log();
    dialog->name.data = (u_char *) t->tool;
    dialog->name.len = ngx_strlen(t->tool);

    ngx_str_set(&dialog->arguments, "{\"x\":1}");
}


static void
stop(void)
{
    ngx_ors_test_fail_after(0);

    (void) ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_close);

    ngx_destroy_pool(dialog->pool);
}


/* checks a request, which the dialog then has no more */

static void
print_sent(dialog_exchange_t *e, char *name)
{
    u_char                 *p, *end, body[2048];
    ngx_str_t               version, session, tool, event;
    ngx_uint_t              i;
    ngx_chain_t            *cl;
    ngx_keyval_t           *kv;
    ngx_ors_mcp_request_t  *req;

    static ngx_str_t  get = ngx_string("GET");

    req = dialog->request;
    dialog->request = NULL;

    ngx_str_set(&version, "-");
    ngx_str_null(&session);
    ngx_str_null(&tool);
    ngx_str_null(&event);

    last = text;
    kv = req->headers.elts;

    for (i = 0; i < req->headers.nelts; i++) {

        if (kv[i].key.data[4] == 'P' && kv[i].key.data[0] == 'M'
            && kv[i].key.data[1] == 'C')
        {
            version = kv[i].value;
        }

        if (kv[i].key.data[4] == 'S') {
            session = kv[i].value;
        }

        if (kv[i].key.data[4] == 'N') {
            tool = kv[i].value;
        }

        if (kv[i].key.data[0] == 'L') {
            event = kv[i].value;
        }
    }

    last = ngx_sprintf(last, "%V %V%s%V%s%V", &version,
                       req->body ? &req->method : &get,
                       session.len ? " " : "", &session, tool.len ? " " : "",
                       &tool);

    for (i = 0; i < req->headers.nelts; i++) {

        if (kv[i].key.len > 10 && kv[i].key.data[9] == '-'
            && kv[i].key.data[1] == 'c' && kv[i].key.data[4] == 'P')
        {
            last = ngx_sprintf(last, " %V=%V", &kv[i].key, &kv[i].value);
        }
    }

    if (req->body == NULL) {
        last = ngx_sprintf(last, " %V after %M ms", &event, req->delay);
    }

    p = body;

    for (cl = req->body; cl; cl = cl->next) {
        p = ngx_cpymem(p, cl->buf->pos, cl->buf->last - cl->buf->pos);
    }

    *p = '\0';

    p = (u_char *) strstr((char *) body, ",\"requestState\":");

    if (p) {
        p += sizeof(",\"requestState\":") - 1;
        last = ngx_sprintf(last, " state=%*s", ngx_strlen(p) - 2, p);
    }

    p = (u_char *) strstr((char *) body, "\"2025-03-26\"");

    if (p) {
        last = ngx_sprintf(last, " 2025-03-26");
    }

    end = ngx_ors_test_quotes(expected, e->sent, ngx_strlen(e->sent));

    is_mem(text, last - text, expected, (size_t) (end - expected),
           "%s: sent", name);
}


static void
print_outcome(ngx_int_t rc)
{
    ngx_chain_t            *cl;
    ngx_keyval_t           *kv;
    ngx_ors_mcp_request_t  *req;

    for (req = dialog->asides; req; req = req->next) {
        kv = req->headers.elts;

        last = ngx_sprintf(last, "aside %V ", &kv[2].value);

        if (req->method.len) {
            last = ngx_sprintf(last, "%V", &req->method);

        } else {

            for (cl = req->body; cl; cl = cl->next) {
                last = ngx_cpymem(last, cl->buf->pos,
                                  cl->buf->last - cl->buf->pos);
            }
        }

        last = ngx_sprintf(last, " %V: ", &kv[3].value);
    }

    if (rc == NGX_DONE && dialog->error.type == ngx_ors_mcp_error_none) {
        last = ngx_sprintf(last, "closed");
        return;
    }

    if (rc == NGX_DONE) {
        last = ngx_sprintf(last, "%s %L %V",
                           (dialog->error.type == ngx_ors_mcp_error_http)
                           ? "http" : "protocol",
                           dialog->error.code, &dialog->error.message);

        if (dialog->stale) {
            last = ngx_sprintf(last, " stale");
        }

        return;
    }

    if (rc != NGX_OK) {
        last = ngx_sprintf(last, "%i", rc);
        return;
    }

    if (dialog->list) {
        last = ngx_sprintf(last, "list %ui%s", dialog->list->tools.nelts,
                           dialog->name.len ? " " : "");
    }

    if (dialog->name.len) {
        last = ngx_sprintf(last, "%s %V",
                           dialog->result.failed ? "failed" : "text",
                           &dialog->result.text);
    }

    if (dialog->stale) {
        last = ngx_sprintf(last, " stale");
    }
}


static void
print_peer(void)
{
    if (peer.version == ngx_ors_mcp_version_none) {
        *last++ = '-';
        return;
    }

    last = ngx_sprintf(last, "%V", ngx_ors_mcp_version_name(peer.version));

    if (peer.ready) {
        last = ngx_sprintf(last, " %*s", peer.len ? peer.len : 1,
                           peer.len ? peer.session : (u_char *) "-");
    }
}
