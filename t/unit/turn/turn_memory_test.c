
/*
 * Copyright (C) Open Responses contributors
 */


/* Memory that is not there, memory that is taken, and the limits. */


#include "turn_check.h"
#include "turn_scripts.h"


#define CHUNK  DATA("{'id':'c','choices':[{'index':0,'delta':"                \
                    "{'content':'word '},'finish_reason':null}]}")

#define BIG    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define BIG_9  BIG BIG BIG BIG BIG BIG BIG BIG BIG


static void test_no_memory(const char *text, const char *type,
    ngx_uint_t stream, const char *name);
static void test_long_stream(ngx_uint_t stream);
static void test_long_arguments(void);
static void test_endless(const char *chunk, const char *name);
static void test_limits(void);
static void test_limit(const char *text, const char *type, run_t *limits,
    const char *expected, const char *name);
static u_char *repeat(const char *begin, const char *text, ngx_uint_t n,
    const char *end, size_t *len);


static const char  rich_stream[] =
    DELTA("'role':'assistant','reasoning_content':'hm'")
    TEXT("Hello") DELTA("'refusal':'no'") TEXT(BIG BIG BIG BIG BIG)
    CALL("'index':0,'id':'a','function':{'name':'f','arguments':'{'}")
    CALL("'index':1,'function':{'name':'g','arguments':{'x':['" BIG "']}}")
    ARGS(0, "\\\"y\\\":\\\"" BIG "\\\"") ARGS(0, "}")
    CALL("'index':2,'id':'a','function':{'name':'h'}") ARGS(2, "{}")
    PROBS("more", TOKEN("mo")) PROBS("", TOKEN("re")) CITE("u", 0, 1)
    FINISH("length") USAGE DONE;

static const char  rich_document[] =
    "{'choices':[{'message':{'reasoning':'r','content':'a','refusal':'b',"
    "'annotations':[{'type':'url_citation','url':'u','start_index':0,"
    "'end_index':1}],'tool_calls':["
    "{'id':'x','function':{'name':'f','arguments':'{}'}},"
    "{'function':{'name':'g','arguments':{'x':1}}}]},"
    "'logprobs':{'content':[" TOKEN("a") "]},'finish_reason':'stop'}],"
    "'usage':{'prompt_tokens':1}}";


int
main(void)
{
    test_no_memory(rich_stream, "text/event-stream", 1, "stream, streamed");
    test_no_memory(rich_stream, "text/event-stream", 0, "stream, at once");
    test_no_memory(rich_document, "application/json", 1,
                   "document, streamed");
    test_no_memory(rich_document, "application/json", 0,
                   "document, at once");
    test_no_memory(TEXT("a") DATA("{'error':{'message':'slow','code':429}}"),
                   "text/event-stream", 1, "error, streamed");
    test_no_memory("{'error':{'message':'slow','code':429}}",
                   "application/json", 0, "error, at once");

    test_no_memory(DELTA("'reasoning_details':[{'type':'t','text':'a','x':1,"
                         "'index':0}]")
                   DELTA("'reasoning_details':[{'type':'t','text':'b',"
                         "'signature':'S','index':0}]")
                   CALL("'index':0,'id':'a','function':{'name':'f',"
                        "'arguments':'{}'},'extra_content':{'a':1}")
                   FINISH("stop") DONE, "text/event-stream", 1,
                   "provider state, streamed");

    test_long_stream(1);
    test_long_stream(0);
    test_long_arguments();

    test_endless(PROBS("", "1,2,3"), "logprobs that are none");
    test_endless(DELTA("'annotations':[{'type':'x'}]"),
                 "annotations of another type");
    test_endless(ARGS(0, "a"), "a call that goes on when it is closed");
    test_endless(DATA("{'choices':[{'message':{'content':'b'}}]}"),
                 "messages that repeat the text");
    test_endless(DATA("{'x':1}"), "objects of others");

    test_limits();

    return done_testing();
}


static void
test_no_memory(const char *text, const char *type, ngx_uint_t stream,
    const char *name)
{
    size_t       len;
    run_t        run;
    u_char      *body;
    check_t      c;
    ngx_uint_t   n, bad, told;

    static ngx_array_t         keys;
    static ngx_ors_sealer_t    sealer = { &keys, "" };
    static ngx_ors_seal_key_t  key;

    keys.elts = &key;
    keys.nelts = 1;

    bad = 0;
    told = 0;
    body = run_text(text, &len);

    for (n = 1; n < 10000; n++) {
        run_init(&run, body, len);
        run.once = 1;
        run.type = type;
        run.stream = stream;
        run.step = 50;
        run.sealer = &sealer;
        run.state = (1 << NGX_ORS_CHAT_STATES) - 1;
        run.request = "'input':[{'role':'user','content':'hi'}],'tools':"
                      "[{'type':'function','name':'f'}],'include':"
                      "['message.output_text.logprobs',"
                      "'reasoning.encrypted_content']";

        ngx_ors_test_fail_after(n);
        run_turn(&run);

        if (!ngx_ors_test_failed()) {
            ngx_ors_test_fail_after(0);
            run_free(&run);
            break;
        }

        ngx_ors_test_fail_after(0);

        if (run.rc != NGX_ERROR) {

            /* the description of an error can be done without */

            check_run(&c, &run);

            if (c.error[0] || run.text == NULL
                || strstr((char *) run.text, "not enough memory") == NULL)
            {
                bad++;
                diag("allocation %d: %d, %s", (int) n, (int) run.rc, c.error);
            }

            told++;
        }

        run_free(&run);
    }

    is_int(bad, 0, "no memory, %s: %d allocations", name, (int) n - 1);
    ok(n > 10 && n < 10000 && told <= 1, "no memory, %s: all tried", name);

    free(body);
}


static void
test_long_stream(ngx_uint_t stream)
{
    size_t       len;
    run_t        run;
    u_char      *body;
    check_t      c;
    const char  *name;

    name = stream ? "streamed" : "at once";

    body = repeat("", CHUNK, 100000, FINISH("stop") DONE, &len);

    run_init(&run, body, len);
    run.stream = stream;
    run.step = 8192;

    run_turn(&run);
    check_run(&c, &run);

    ok(c.error[0] == '\0', "100,000 deltas, %s: %s", name, c.error);
    is_int(c.deltas, stream ? 100000 : 0, "all of them, %s", name);

    /* blocks of text, and output of one piece that is used again */

    ok(run.allocs < 250, "100,000 deltas, %s: %d allocations", name,
       (int) run.allocs);

    ok(!stream || run.live > 100 * 100000,
       "deltas are sent as they come, %s", name);

    run_free(&run);
    free(body);
}


static void
test_long_arguments(void)
{
    size_t       len;
    run_t        run;
    u_char      *body;
    check_t      c;

    /* a call that stays open while another is gathered, piece by piece */

    body = repeat(CALL("'index':0,'id':'a','function':{'name':'f',"
                       "'arguments':'['}")
                  CALL("'index':1,'id':'b','function':{'name':'g'}"),
                  ARGS(0, "[\\\"") ARGS(1, "\\\"}]{") ARGS(0, "]\\\"],"), 5000,
                  FINISH("stop") DONE, &len);

    run_init(&run, body, len);
    run.step = 4096;
    run_turn(&run);
    check_run(&c, &run);

    ok(c.error[0] == '\0', "long arguments: %s", c.error);
    is_int(c.deltas, 10000 + 2, "long arguments: live, and at once");
    ok(run.allocs < 250, "long arguments: %d allocations", (int) run.allocs);

    run_free(&run);
    free(body);
}


/* a reasoning that is not told takes no memory, and is logged once */

static void
test_endless(const char *chunk, const char *name)
{
    size_t      len;
    run_t       run;
    u_char     *body;
    ngx_uint_t  warned;

    body = repeat(TEXT("a")
                  CALL("'index':0,'id':'a','function':{'name':'f',"
                       "'arguments':'{}'}")
                  CALL("'index':1,'id':'b','function':{'name':'g'}")
                  TEXT("a"),
                  chunk, 20000, FINISH("stop") DONE, &len);

    warned = ngx_ors_test_logged(NGX_LOG_WARN);

    run_init(&run, body, len);
    run.step = 8192;
    run_turn(&run);

    ok(run.rc == NGX_DONE && strstr((char *) run.text, "response.completed"),
       "%s: passed", name);
    ok(run.allocs < 250, "%s: %d allocations", name, (int) run.allocs);
    ok(ngx_ors_test_logged(NGX_LOG_WARN) < warned + 3, "%s: %d lines logged",
       name, (int) (ngx_ors_test_logged(NGX_LOG_WARN) - warned));

    run_free(&run);
    free(body);
}


static void
test_limits(void)
{
    run_t  run;

    run_init(&run, NULL, 0);
    run.limits.answer = 3000;

    test_limit(TEXT(BIG_9) TEXT(BIG_9) FINISH("stop") DONE,
               "text/event-stream", &run, "completed", "answer below");
    test_limit(TEXT(BIG_9) TEXT(BIG_9) TEXT(BIG_9) TEXT(BIG_9) TEXT(BIG_9)
               FINISH("stop") DONE,
               "text/event-stream", &run, "failed answer_too_large",
               "answer over it, text");
    test_limit(CALL("'index':0,'id':'a','function':{'name':'f'}")
               ARGS(0, BIG_9) ARGS(0, BIG_9) ARGS(0, BIG_9) ARGS(0, BIG_9)
               ARGS(0, BIG_9) FINISH("stop") DONE,
               "text/event-stream", &run, "failed answer_too_large",
               "answer over it, arguments");
    test_limit(TEXT("a") DELTA("'reasoning':'b'") TEXT("a")
               DELTA("'reasoning':'b'") TEXT("a") FINISH("stop") DONE,
               "text/event-stream", &run, "failed answer_too_large",
               "answer over it, small items");
    test_limit(TEXT("a") CITE("u", 0, 1) FINISH("stop") DONE,
               "text/event-stream", &run, "completed",
               "answer below, an annotation");
    test_limit(TEXT("a") CITE(BIG_9, 0, 1) CITE(BIG_9, 0, 1)
               CITE(BIG_9, 0, 1) CITE(BIG_9, 0, 1) FINISH("stop") DONE,
               "text/event-stream", &run, "failed answer_too_large",
               "answer over it, annotations");
    test_limit(PROBS("a", TOKEN(BIG_9)) FINISH("stop") DONE,
               "text/event-stream", &run, "completed",
               "answer below, logprobs");
    test_limit(PROBS("a", TOKEN(BIG_9)) PROBS("a", TOKEN(BIG_9))
               PROBS("", TOKEN(BIG_9)) PROBS("", TOKEN(BIG_9))
               PROBS("a", TOKEN(BIG_9)) FINISH("stop") DONE,
               "text/event-stream", &run, "failed answer_too_large",
               "answer over it, logprobs");
    test_limit("{'choices':[],'x':'" BIG_9 BIG_9 BIG_9 BIG_9 BIG_9 BIG_9 "'}",
               "application/json", &run, "502 answer_too_large",
               "answer over it, document");

    run_init(&run, NULL, 0);
    run.limits.event = 200;

    test_limit(TEXT("a") TEXT(BIG BIG) ": " BIG BIG BIG "\n\n" FINISH("stop"),
               "text/event-stream", &run, "completed", "event below");
    test_limit(TEXT("a") TEXT(BIG BIG BIG BIG) FINISH("stop"),
               "text/event-stream", &run, "failed event_too_large",
               "event over it");
    test_limit(TEXT(BIG BIG BIG BIG) FINISH("stop"),
               "text/event-stream", &run, "502 event_too_large",
               "first event over it");

    run_init(&run, NULL, 0);
    run.limits.calls = 2;

    test_limit(CALL("'index':0,'id':'a','function':{'name':'f'}")
               CALL("'index':1,'id':'b','function':{'name':'f'}")
               FINISH("stop") DONE,
               "text/event-stream", &run, "completed", "calls below");
    test_limit(CALL("'index':0,'id':'a','function':{'name':'f'}")
               CALL("'index':1,'id':'b','function':{'name':'f'}")
               CALL("'index':2,'id':'c','function':{'name':'f'}")
               FINISH("stop") DONE,
               "text/event-stream", &run, "failed too_many_tool_calls",
               "calls over it");
    test_limit("{'choices':[{'message':{'tool_calls':[{},{},{}]}}]}",
               "application/json", &run, "failed too_many_tool_calls",
               "calls over it, document");

    run_init(&run, NULL, 0);
    run.limits.depth = 6;

    test_limit(TEXT("a") DATA("{'choices':[],'x':[[[[[1]]]]]}")
               FINISH("stop"),
               "text/event-stream", &run, "completed", "depth below");
    test_limit(TEXT("a") DATA("{'choices':[],'x':[[[[[[1]]]]]]}")
               FINISH("stop"),
               "text/event-stream", &run, "failed invalid_upstream_answer",
               "depth over it");

    run_init(&run, NULL, 0);
    run.limits.nodes = 20;

    test_limit(TEXT("a") FINISH("stop"),
               "text/event-stream", &run, "completed", "nodes below");
    test_limit(TEXT("a") DATA("{'choices':[],'x':[1,2,3,4,5,6,7,8,9,10,11,12,"
                              "13,14,15,16,17,18,19,20]}") FINISH("stop"),
               "text/event-stream", &run, "failed invalid_upstream_answer",
               "nodes over it");
}


/* the digest's beginning, for one that streams; the same error if not */

static void
test_limit(const char *text, const char *type, run_t *limits,
    const char *expected, const char *name)
{
    size_t       len;
    run_t        run;
    u_char      *body;
    check_t      c;
    const char  *code;

    body = run_text(text, &len);

    run_init(&run, body, len);
    run.type = type;
    run.limits = limits->limits;
    run.step = 100;
    run_turn(&run);
    check_run(&c, &run);

    ok(c.error[0] == '\0' && strncmp(c.digest, expected, strlen(expected))
       == 0, "limit: %s (%s, %s)", name, c.digest, c.error);

    run_free(&run);

    run.stream = 0;
    run_turn(&run);
    check_run(&c, &run);

    code = strchr(expected, ' ');
    code = code ? code + 1 : expected;

    ok(c.error[0] == '\0' && strstr(c.digest, code),
       "limit: %s, at once (%s, %s)", name, c.digest, c.error);

    run_free(&run);
    free(body);
}


static u_char *
repeat(const char *begin, const char *text, ngx_uint_t n, const char *end,
    size_t *len)
{
    char    *body, *p;
    u_char  *result;

    body = malloc(strlen(begin) + n * strlen(text) + strlen(end) + 1);
    if (body == NULL) {
        abort();
    }

    p = stpcpy(body, begin);

    while (n--) {
        p = stpcpy(p, text);
    }

    (void) stpcpy(p, end);

    result = run_text(body, len);
    free(body);

    return result;
}
