
/*
 * Copyright (C) Open Responses contributors
 */


/* Repairs in a stream. */


#include "stream_check.h"
#include "stream_script.h"


static void test_frames(void);
static void test_numbers(void);
static void test_status(void);
static void test_model(void);
static void test_comments(void);
static void test_end(void);
static void repaired(const char *name, const char *script, const char *output,
    ngx_uint_t n);
static void begins(answer_t *a, const char *name, const char *output);


/* a response that lacks nothing */
#define FIRST(n)                                                              \
    "event: response.created\n"                                               \
    "data: {'type':'response.created','sequence_number':" n ",'response':"    \
    RESPONSE("in_progress", "null", "m", "") "}\n\n"
#define LAST(n)                                                               \
    "event: response.completed\n"                                             \
    "data: {'type':'response.completed','sequence_number':" n ",'response':"  \
    WHOLE "}\n\n"
#define EXT(n)                                                                \
    "event: acme:x\n"                                                         \
    "data: {'type':'acme:x','sequence_number':" n "}\n\n"


int
main(void)
{
    test_frames();
    test_numbers();
    test_status();
    test_model();
    test_comments();
    test_end();

    return done_testing();
}


static void
test_frames(void)
{
    repaired("as it is", FIRST("0") EXT("1") LAST("2") DONE,
             FIRST("0") EXT("1") LAST("2") DONE, 0);
    repaired("CRLF and a byte order mark",
             "\xef\xbb\xbf" FIRST("0")
             "event: acme:x\r\n"
             "data: {'type':'acme:x','sequence_number':1}\r\n\r\n"
             LAST("2") DONE,
             FIRST("0") EXT("1") LAST("2") DONE, 0);
    repaired("CR", FIRST("0")
             "event: acme:x\rdata: {'type':'acme:x','sequence_number':1}\r\r"
             LAST("2") DONE,
             FIRST("0") EXT("1") LAST("2") DONE, 0);
    repaired("no space, an id (R11), other fields", FIRST("0")
             "id: 7\nevent:acme:x\nretry: 1\n"
             "data:{'type':'acme:x','sequence_number':1}\nfoo\n\n"
             LAST("2") DONE,
             FIRST("0") EXT("1") LAST("2") DONE, 0);
    repaired("no event line", FIRST("0")
             "data: {'type':'acme:x','sequence_number':1}\n\n" LAST("2") DONE,
             FIRST("0") EXT("1") LAST("2") DONE, 1);
    repaired("another event line (R10)", FIRST("0")
             "event: message\n"
             "data: {'type':'acme:x','sequence_number':1}\n\n" LAST("2") DONE,
             FIRST("0") EXT("1") LAST("2") DONE, 1);
    repaired("white space around", FIRST("0") "event: acme:x\n"
             "data:   {'type':'acme:x','sequence_number':1}  \n\n" LAST("2")
             DONE,
             FIRST("0") EXT("1") LAST("2") DONE, 0);
    repaired("several lines of data", FIRST("0") "event: acme:x\n"
             "data: {'type':'acme:x',\ndata:\ndata:  'sequence_number':1\n"
             "data: }\n\n" LAST("2") DONE,
             FIRST("0") "event: acme:x\n"
             "data: {'type':'acme:x',   'sequence_number':1 }\n\n" LAST("2")
             DONE, 0);
    repaired("an escaped type", FIRST("0") "event: acme:x\n"
             "data: {'type':'acm\\u0065:x','sequence_number':1}\n\n" LAST("2")
             DONE,
             FIRST("0") "event: acme:x\n"
             "data: {'type':'acm\\u0065:x','sequence_number':1}\n\n" LAST("2")
             DONE, 0);
    repaired("the last empty line is missing", FIRST("0") LAST("1")
             "data: [DONE]\n",
             FIRST("0") LAST("1") DONE, 0);
}


static void
test_numbers(void)
{
    repaired("from 5 on (C23)", FIRST("5") EXT("6") LAST("7") DONE,
             FIRST("5") EXT("6") LAST("7") DONE, 0);
    repaired("a gap", FIRST("0") EXT("2") EXT("3") LAST("4") DONE,
             FIRST("0") EXT("1") EXT("2") LAST("3") DONE, 3);
    repaired("a gap that is caught up with", FIRST("0") EXT("7") LAST("2")
             DONE, FIRST("0") EXT("1") LAST("2") DONE, 1);
    repaired("a number twice", FIRST("0") EXT("0") LAST("1") DONE,
             FIRST("0") EXT("1") LAST("2") DONE, 2);
    repaired("backwards", FIRST("9") EXT("8") LAST("7") DONE,
             FIRST("9") EXT("10") LAST("11") DONE, 2);
    repaired("other ways to write it", FIRST("0.0") EXT("1e0") LAST("20e-1")
             DONE, FIRST("0.0") EXT("1e0") LAST("20e-1") DONE, 0);
    repaired("null", FIRST("0") EXT("null") LAST("2") DONE,
             FIRST("0") EXT("1") LAST("2") DONE, 1);
    repaired("none", FIRST("0")
             "event: acme:x\ndata: {'type':'acme:x'}\n\n" LAST("2") DONE,
             FIRST("0") EXT("1") LAST("2") DONE, 1);
    repaired("none in the first event",
             "event: response.created\n"
             "data: {'type':'response.created','response':"
             RESPONSE("in_progress", "null", "m", "") "}\n\n"
             EXT("1") LAST("2") DONE,
             "event: response.created\n"
             "data: {'type':'response.created','response':"
             RESPONSE("in_progress", "null", "m", "")
             ",'sequence_number':0}\n\n"
             EXT("1") LAST("2") DONE, 1);
    repaired("a negative one to begin with", FIRST("-3") LAST("1") DONE,
             FIRST("0") LAST("1") DONE, 1);
    repaired("a very large one", FIRST("12345678901234567890") LAST("1") DONE,
             FIRST("0") LAST("1") DONE, 1);
    repaired("dropped events are not counted", FIRST("0") LAST("1") EXT("2")
             LAST("3") DONE, FIRST("0") LAST("1") DONE, 0);
}


/* of items, by the event that has them; the stream is cut after them */

#define BARE(event, n, status)                                                \
    "event: response.output_item." event "\n"                                 \
    "data: {'type':'response.output_item." event "','sequence_number':" n     \
    ",'output_index':0,'item':{'type':'message','id':'m','role':"             \
    "'assistant','content':[]" status "}}\n\n"

static void
test_status(void)
{
    answer_t   a;

    stream_init(&a, FIRST("0") BARE("added", "1", "") BARE("done", "2", ""));

    begins(&a, "the status of items",
           FIRST("0") BARE("added", "1", ",'status':'in_progress'")
           BARE("done", "2", ",'status':'completed'") "event: error\n");

    ok(strstr((char *) a.text, "\"content\":[],\"status\":\"completed\"}]}}")
       != NULL, "also in the item that was kept");
    is_int(a.verify.repaired, 2, "two are repaired");

    answer_free(&a);

    /* one member is filled, one with another that lacks as much is removed */

    stream_init(&a, FIRST("0") BARE("added", "1", "")
                BARE("done", "2", ",'status':null,'x':{'type':'message',"
                     "'status':null}"));
    a.policy.unknown = ngx_ors_unknown_strip;

    begins(&a, "members of items that are filled and removed",
           FIRST("0") BARE("added", "1", ",'status':'in_progress'")
           BARE("done", "2", ",'status':'completed'") "event: error\n");

    ok(strstr((char *) a.text, "\"content\":[],\"status\":\"completed\"}]}}")
       != NULL, "also in the item that was kept, to its last byte");

    answer_free(&a);
    ngx_ors_test_log_reset();
}


static void
test_model(void)
{
    answer_t   a;

    stream_init(&a, FIRST("0") LAST("1") DONE);

    a.request = "{'model':'alias','input':'hi','stream':true}";

    begins(&a, "the model is set back",
           "event: response.created\n"
           "data: {'type':'response.created','sequence_number':0,'response':"
           RESPONSE("in_progress", "null", "alias", "") "}\n\n"
           "event: response.completed\n"
           "data: {'type':'response.completed','sequence_number':1,"
           "'response':" RESPONSE("completed", "null", "alias", "") "}\n\n"
           DONE);

    answer_free(&a);

    /* a snapshot that was kept has it, too, and one that was made */

    stream_init(&a, FIRST("0"));
    a.request = "{'model':'alias','input':'hi','stream':true}";
    answer_run(&a);

    ok(strstr((char *) a.text, "\"model\":\"m\"") == NULL,
       "the model in response.failed");

    answer_free(&a);

    stream_init(&a, ":\n\n");
    a.request = "{'model':'al\\u0022ias','input':'hi','stream':true}";
    answer_run(&a);

    ok(strstr((char *) a.text, "\"model\":\"al\\\"ias\"") != NULL,
       "the model in a response that was made");

    answer_free(&a);
    ngx_ors_test_log_reset();
}


static void
test_comments(void)
{
    answer_t   a;
    ngx_buf_t  b;
    ngx_str_t  type = ngx_string("text/event-stream");

    repaired("comments", ": a\n\n" FIRST("0") ": b\n: c\n\n" EXT("1") ":\n"
             LAST("2") ": d\n\n" DONE,
             ":\n\n" FIRST("0") ":\n\n:\n\n" EXT("1") ":\n\n" LAST("2") DONE,
             0);
    repaired("a comment within an event", FIRST("0") "event: acme:x\n: a\n"
             "data: {'type':'acme:x','sequence_number':1}\n\n" LAST("2") DONE,
             FIRST("0") ":\n\n" EXT("1") LAST("2") DONE, 0);
    repaired("empty data", FIRST("0") "data:\n\n" "event: ping\ndata\n\n"
             LAST("1") DONE,
             FIRST("0") ":\n\n:\n\n" LAST("1") DONE, 0);

    /* it is on its way before there is an event */

    stream_init(&a, "");
    answer_begin(&a);

    ngx_memzero(&b, sizeof(ngx_buf_t));
    b.pos = (u_char *) ": a\n";
    b.last = b.pos + 4;

    is_int(ngx_ors_verify_header(&a.verify, 200, &type, -1), NGX_OK, "header");
    is_int(a.verify.status, 0, "nothing is known");
    is_int(ngx_ors_answer_data(&a.answer, &b), NGX_OK, "a comment");
    is_int(a.verify.status, 200, "status with a comment");
    answer_take(&a);
    is_mem(a.text, a.size, ":\n\n", 3, "the comment");

    answer_free(&a);
}


static void
test_end(void)
{
    answer_t   a;
    ngx_buf_t  b;
    ngx_str_t  type = ngx_string("text/event-stream");

    static u_char  last[] =
        "data: {\"type\":\"response.created\",\"response\":{\"id\":\"r\","
        "\"status\":\"in_progress\",\"output\":[]}}\n\n"
        "data: {\"type\":\"response.completed\",\"response\":{\"id\":\"r\","
        "\"status\":\"completed\",\"output\":[]}}\n\n";

    repaired("no [DONE] (R9)", FIRST("0") LAST("1"), FIRST("0") LAST("1") DONE,
             1);
    repaired("events after the end", FIRST("0") LAST("1") LAST("2") EXT("3")
             "data: {oops\n\n" DONE, FIRST("0") LAST("1") DONE, 0);
    repaired("text after [DONE]", FIRST("0") LAST("1") DONE FIRST("2"),
             FIRST("0") LAST("1") DONE, 0);

    /* it is sent before upstream has sent it, or closed the connection */

    stream_init(&a, "");
    answer_begin(&a);

    ngx_memzero(&b, sizeof(ngx_buf_t));
    b.pos = last;
    b.last = last + sizeof(last) - 1;

    is_int(ngx_ors_verify_header(&a.verify, 200, &type, -1), NGX_OK, "header");
    is_int(ngx_ors_answer_data(&a.answer, &b), NGX_OK, "the last event");
    answer_take(&a);

    ok(a.size > 14 && memcmp(a.text + a.size - 14, DONE, 14) == 0,
       "[DONE] at once");

    is_int(ngx_ors_answer_refuse(&a.answer, "too slow"),
           NGX_DONE, "refused after its end");
    is_int(a.out.size, 0, "nothing more is sent");

    answer_free(&a);
    ngx_ors_test_log_reset();
}


/* all pieces give the same, "n" places were put right */

static void
repaired(const char *name, const char *script, const char *output, ngx_uint_t n)
{
    u_char    *quoted;
    answer_t   a;

    stream_init(&a, script);
    stream_answer_is(&a, name, "completed 0");

    stream_init(&a, script);
    answer_run(&a);

    quoted = answer_quotes(output, strlen(output));

    is_mem(a.text, a.size, quoted, strlen(output), "%s: output", name);
    is_int(a.verify.repaired, n, "%s: repaired", name);

    answer_free(&a);
    free(quoted);
    ngx_ors_test_log_reset();
}


static void
begins(answer_t *a, const char *name, const char *output)
{
    size_t   len;
    u_char  *quoted;

    answer_run(a);

    len = strlen(output);
    quoted = answer_quotes(output, len);

    is_mem(a->text, ngx_min(a->size, len), quoted, len, "%s", name);

    free(quoted);
}
