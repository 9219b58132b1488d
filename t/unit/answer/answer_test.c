
/*
 * Copyright (C) Open Responses contributors
 */


/* The reader of answers: what it says of each, in any pieces. */


#include <ngx_ors_answer.h>
#include <ngx_ors_test.h>


#define JSON    "application/json"
#define STREAM  "text/event-stream; charset=utf-8"

#define EVENT_MAX   64
#define ANSWER_MAX  96

#define ANY       ngx_ors_answer_any
#define ONLY      ngx_ors_answer_json
#define DOCUMENT  ngx_ors_answer_document
#define EVENTS    ngx_ors_answer_stream

#define REFUSED   "failure invalid_upstream_answer;"
#define CUT       "failure upstream_disconnected;"

#define TEN       "0123456789"
#define FIFTY     TEN TEN TEN TEN TEN
#define HUNDRED   FIFTY FIFTY


typedef struct {
    ngx_uint_t              status;
    const char             *type;
    ngx_ors_answer_form_e   form;
    const char             *body;
    const char             *trace;
} row_t;


typedef struct {
    ngx_ors_answer_t        answer;
    ngx_ors_limits_t        limits;
    ngx_pool_t             *pool;
    char                    trace[1024];
    size_t                  len;
    ngx_int_t               rc;
} run_t;


static void run_begin(run_t *run, const row_t *row, off_t length);
static void run_data(run_t *run, const char *body, size_t len);
static void run_row(run_t *run, const row_t *row, size_t at, size_t step);
static void run_free(run_t *run);
static void note(run_t *run, const char *what, ngx_str_t *text);
static void on_comment(void *data);
static ngx_int_t on_event(void *data);
static ngx_int_t on_end(void *data, ngx_uint_t done);
static ngx_int_t on_document(void *data, ngx_str_t *text);
static ngx_int_t on_error(void *data, ngx_str_t *text);
static ngx_int_t on_failure(void *data);
static void test_row(const row_t *row);
static void test_truncated(const row_t *row);
static ngx_uint_t ends(const char *trace);
static void test_length(void);
static void test_error_limit(void);
static void test_refuse(void);
static void test_misused(void);
static void test_reset(void);


static const ngx_ors_answer_handler_t  handler = {
    on_comment, on_event, on_end, on_document, on_error, on_failure
};


/* "over" ends a stream as the last event of a user may */

static const row_t  rows[] = {

    { 200, JSON, ANY, "{\"a\":1}", "document {\"a\":1};" },
    { 201, "Application/JSON", DOCUMENT, "[]", "document [];" },
    { 200, JSON, ONLY, "", "document ;" },

    { 200, STREAM, ANY, "data: a\n\nevent: x\ndata: b\n\ndata: [DONE]\n\n",
      "event  a;event x b;end 1;" },
    { 200, STREAM, EVENTS, "data: a\r\n\r\n", "event  a;end 0;" },
    { 200, STREAM, ANY, ": ping\n\ndata:\n\ndata: a\n\n",
      "comment;comment;event  a;end 0;" },
    { 200, STREAM, ANY, "data: over\n\ndata: late\n\n", "event  over;" },
    { 200, STREAM, ANY, "data: a\n\ndata: [DONE]\n\ndata: late\n\n",
      "event  a;end 1;" },
    { 200, STREAM, ANY, "", "end 0;" CUT },
    { 200, STREAM, ANY, "data: [DONE]\n\n", "end 1;" CUT },
    { 200, STREAM, ANY, "data: a\n\ndata: b\n", "event  a;event  b;end 0;" },

    { 400, JSON, ANY, "{\"error\":{}}", "error {\"error\":{}};" },
    { 302, "text/html", EVENTS, "<html>", "error <html>;" },
    { 500, STREAM, DOCUMENT, "data: a\n\n", "error data: a\n\n;" },
    { 503, "", ONLY, "", "error ;" },

    { 200, "text/html", ANY, "<html>", REFUSED },
    { 206, JSON, ANY, "{}", REFUSED },
    { 200, "application/jsonl", ANY, "{}", REFUSED },
    { 200, STREAM, ONLY, "data: a\n\n", REFUSED },
    { 200, STREAM, DOCUMENT, "data: a\n\n", REFUSED },
    { 200, JSON, EVENTS, "{}", REFUSED },

    { 200, JSON, ANY, FIFTY TEN TEN TEN TEN "123456",
      "document " FIFTY TEN TEN TEN TEN "123456;" },
    { 200, JSON, ANY, FIFTY TEN TEN TEN TEN "1234567",
      "failure answer_too_large;" },
    { 200, STREAM, ANY, "data: " FIFTY "12345678\n\n",
      "event  " FIFTY "12345678;end 0;" },
    { 200, STREAM, ANY, "data: a\n\ndata: " FIFTY "123456789\n\n",
      "event  a;failure event_too_large;" }
};


int
main(void)
{
    ngx_uint_t  i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        test_row(&rows[i]);
        test_truncated(&rows[i]);
    }

    test_length();
    test_error_limit();
    test_refuse();
    test_misused();
    test_reset();

    return done_testing();
}


static void
run_begin(run_t *run, const row_t *row, off_t length)
{
    ngx_str_t  type;

    ngx_memzero(run, sizeof(run_t));

    run->pool = ngx_ors_test_pool();
    run->limits.event = EVENT_MAX;
    run->limits.answer = ANSWER_MAX;

    ngx_ors_answer_init(&run->answer, &run->limits, run->pool,
                        ngx_ors_test_log());

    run->answer.handler = &handler;
    run->answer.data = run;
    run->answer.form = row->form;

    type.len = ngx_strlen(row->type);
    type.data = (u_char *) row->type;

    run->rc = ngx_ors_answer_header(&run->answer, row->status, &type, length);
}


/* a piece is freed right after it was read */

static void
run_data(run_t *run, const char *body, size_t len)
{
    u_char     *piece;
    ngx_buf_t   b;

    if (run->rc != NGX_OK) {
        return;
    }

    piece = malloc(len + 1);

    if (piece == NULL) {
        abort();
    }

    ngx_memcpy(piece, body, len);

    ngx_memzero(&b, sizeof(ngx_buf_t));
    b.pos = piece;
    b.last = piece + len;

    run->rc = ngx_ors_answer_data(&run->answer, &b);

    if (run->rc == NGX_OK && b.pos != b.last) {
        fail("bytes were left");
    }

    free(piece);
}


/* "at" bytes first, then "step" at a time; 0: all */

static void
run_row(run_t *run, const row_t *row, size_t at, size_t step)
{
    size_t  pos, n, len;

    run_begin(run, row, -1);

    len = ngx_strlen(row->body);

    for (pos = 0; pos < len; pos += n) {
        n = (pos == 0 && at) ? at : step ? step : len;
        n = ngx_min(n, len - pos);

        run_data(run, row->body + pos, n);
    }

    if (run->rc == NGX_OK) {
        run->rc = ngx_ors_answer_end(&run->answer, 1);
    }
}


static void
run_free(run_t *run)
{
    ngx_destroy_pool(run->pool);
}


static void
note(run_t *run, const char *what, ngx_str_t *text)
{
    run->len += snprintf(run->trace + run->len,
                         sizeof(run->trace) - run->len, "%s%.*s;", what,
                         text ? (int) text->len : 0,
                         text ? (char *) text->data : "");
}


static void
on_comment(void *data)
{
    note(data, "comment", NULL);
}


static ngx_int_t
on_event(void *data)
{
    run_t *run = data;

    char        what[EVENT_MAX];
    ngx_str_t  *event, *text;

    event = &run->answer.sse.event;
    text = &run->answer.sse.data;

    snprintf(what, sizeof(what), "event %.*s ", (int) event->len,
             (char *) event->data);

    note(run, what, text);

    return (text->len == 4 && memcmp(text->data, "over", 4) == 0) ? NGX_DONE
                                                                  : NGX_OK;
}


/* a stream without an event was cut */

static ngx_int_t
on_end(void *data, ngx_uint_t done)
{
    run_t *run = data;

    ngx_uint_t  empty;

    empty = (strstr(run->trace, "event") == NULL);

    note(run, done ? "end 1" : "end 0", NULL);

    return empty ? NGX_DECLINED : NGX_DONE;
}


static ngx_int_t
on_document(void *data, ngx_str_t *text)
{
    note(data, "document ", text);

    return NGX_DONE;
}


static ngx_int_t
on_error(void *data, ngx_str_t *text)
{
    note(data, "error ", text);

    return NGX_DONE;
}


static ngx_int_t
on_failure(void *data)
{
    run_t *run = data;

    note(run, "failure ", &run->answer.failure.code);

    is_int(run->answer.failure.status, 502, "failure: status");
    ok(run->answer.failure.message.len, "failure: message");

    return NGX_DONE;
}


static void
test_row(const row_t *row)
{
    run_t   run;
    size_t  at, len;

    len = ngx_strlen(row->body);

    for (at = 0; at <= len; at++) {
        run_row(&run, row, at, (at == len) ? 1 : 0);

        is_int(run.rc, NGX_DONE, "%s: over", row->trace);
        is_int(run.answer.state, ngx_ors_answer_st_over, "%s: state",
               row->trace);
        is_int(run.answer.status, row->status, "%s: status", row->trace);
        is_mem(run.trace, run.len, row->trace, ngx_strlen(row->trace),
               "%s: split at %d", row->trace, (int) at);

        run_free(&run);
    }
}


/* wherever an upstream stops, the user learns of one end, and of no other */

static void
test_truncated(const row_t *row)
{
    run_t   run;
    size_t  len;

    for (len = 0; len < ngx_strlen(row->body); len++) {
        run_begin(&run, row, -1);
        run_data(&run, row->body, len);

        if (run.rc == NGX_OK) {
            run.rc = ngx_ors_answer_end(&run.answer, 0);
        }

        is_int(run.rc, NGX_DONE, "%s: cut after %d", row->trace, (int) len);
        is_int(ends(run.trace), 1, "%s: one end after %d", row->trace,
               (int) len);
        ok(strstr(run.trace, "document") == NULL, "%s: no document after %d",
           row->trace, (int) len);

        is_int(ngx_ors_answer_end(&run.answer, 1), NGX_DONE, "the end again");
        is_int(ends(run.trace), 1, "%s: still one", row->trace);

        run_free(&run);
    }
}


static ngx_uint_t
ends(const char *trace)
{
    ngx_uint_t   i, n;
    const char  *p;

    static const char  *words[] = {
        "document ", "error ", "failure ", "event  over;"
    };

    n = 0;

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {

        for (p = trace; (p = strstr(p, words[i])) != NULL; p++) {
            n++;
        }
    }

    if (n == 0 && strstr(trace, "end ")) {
        n++;
    }

    return n;
}


/* a length is believed when it says that a document is too large */

static void
test_length(void)
{
    run_t  run;

    static const row_t  row = { 200, JSON, ANY, "[]", "" };

    run_begin(&run, &row, ANSWER_MAX);
    is_int(run.rc, NGX_OK, "length: at the limit");
    run_data(&run, "[", 1);
    run_data(&run, "]", 1);
    is_int(ngx_ors_answer_end(&run.answer, 1), NGX_DONE, "length: over");
    is_mem(run.trace, run.len, "document [];", 12, "length: document");
    run_free(&run);

    run_begin(&run, &row, ANSWER_MAX + 1);
    is_int(run.rc, NGX_DONE, "length: over the limit");
    is_mem(run.trace, run.len, "failure answer_too_large;", 25,
           "length: failure");
    run_free(&run);
}


/* of an error document the beginning is read, the rest passes by */

static void
test_error_limit(void)
{
    run_t   run;
    size_t  i, n;

    static const row_t  row = { 500, "text/html", ANY, "", "" };

    run_begin(&run, &row, -1);

    n = NGX_ORS_ANSWER_ERROR_MAX / 100 + 2;

    for (i = 0; i < n; i++) {
        run_data(&run, HUNDRED, 100);
    }

    is_int(run.rc, NGX_OK, "error document: read");
    is_int(run.answer.gathered.last - run.answer.gathered.pos,
           NGX_ORS_ANSWER_ERROR_MAX, "error document: its beginning");
    is_int(ngx_ors_answer_end(&run.answer, 0), NGX_DONE,
           "error document: over");

    run_free(&run);
}


static void
test_refuse(void)
{
    run_t  run;

    static const row_t  row = { 200, STREAM, ANY, "data: a\n\n", "" };

    run_begin(&run, &row, -1);
    run_data(&run, row.body, 9);

    is_int(ngx_ors_answer_refuse(&run.answer, "it is too old"),
           NGX_DONE, "refuse");
    is_str(&run.answer.failure.message, "the model server's answer was "
           "refused: it is too old", "refuse: message");
    is_int(ngx_ors_answer_refuse(&run.answer, "it"), NGX_DONE,
           "refuse: again");
    is_mem(run.trace, run.len, "event  a;failure invalid_upstream_answer;", 41,
           "refuse: once");

    run_free(&run);
}


/* no header: its data are an error of ours, its end is a cut */

static void
test_misused(void)
{
    run_t  run;

    static const row_t  row = { 200, STREAM, ANY, "", "" };

    run_begin(&run, &row, -1);
    ngx_ors_answer_reset(&run.answer);

    run_data(&run, "a", 1);
    is_int(run.rc, NGX_ERROR, "data without a header");
    is_int(ngx_ors_test_logged(NGX_LOG_ALERT), 1, "an alert");
    ngx_ors_test_log_reset();

    is_int(ngx_ors_answer_end(&run.answer, 1), NGX_DONE, "no header: over");
    is_mem(run.trace, run.len, CUT, sizeof(CUT) - 1, "no header: cut");
    is_int(run.answer.cut, 1, "no header: known as cut");

    run_free(&run);
}


/* another upstream answers: nothing of the first one is left */

static void
test_reset(void)
{
    run_t      run;
    ngx_str_t  type;

    static const row_t  row = { 500, JSON, ANY, "{\"a\":1}", "" };

    run_begin(&run, &row, -1);
    run_data(&run, row.body, 7);
    (void) ngx_ors_answer_end(&run.answer, 1);

    ngx_ors_answer_reset(&run.answer);
    run.len = 0;

    is_int(run.answer.status, 0, "reset: status");

    ngx_str_set(&type, JSON);
    run.rc = ngx_ors_answer_header(&run.answer, 200, &type, 2);
    run_data(&run, "[]", 2);
    is_int(ngx_ors_answer_end(&run.answer, 1), NGX_DONE, "reset: over");
    is_mem(run.trace, run.len, "document [];", 12, "reset: document");

    run_free(&run);
}
