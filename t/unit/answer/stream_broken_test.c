
/*
 * Copyright (C) Open Responses contributors
 */


/* Streams that do not pass, each with what the client gets instead. */


#include "stream_check.h"
#include "stream_script.h"


typedef struct {
    const char   *name;
    const char   *script;
    const char   *digest;
    const char   *says;        /* in the log, NULL: nothing of ours */
} broken_test_t;


#define BROKEN    "invalid_upstream_answer"
#define REFUSED   "502 " BROKEN
#define FAILS(n)  "failed " BROKEN " " #n
#define CUT(n)    "failed upstream_disconnected " #n

#define M1        PLACE("m", "0", "1")
#define X0        PLACE("x", "0", "0")
#define OPEN      START ADDED("0", MESSAGE("m", "in_progress", ""))
#define PART      OPEN PART_ADDED(M0, TEXT(""))
#define CALLING   START ADDED("0", CALL("a", "in_progress", ""))
#define A0        OWN("a", "0")
#define DATA(text)  "data: " text "\n\n"


static const broken_test_t  tests[] = {

    /* the beginning */

    { "nothing", "", "502 upstream_disconnected", "ended before" },
    { "[DONE] alone", DONE, "502 upstream_disconnected", "ended before" },
    { "not JSON", DATA("hello"), REFUSED, "not JSON" },
    { "HTML", "<html>\n<body>\n\n</html>\n", "502 upstream_disconnected",
      "ended before" },
    { "JSON, not an object", DATA("[1]"), REFUSED, "must be an object" },
    { "no type", DATA("{'sequence_number':0}"), REFUSED, "type" },
    { "a type that is no string", DATA("{'type':1}"), REFUSED, "type" },
    { "an unknown type", EVENT("ping", ""), REFUSED, "type" },
    { "no created", RUNNING COMPLETED("") DONE, REFUSED,
      "must be the first" },
    { "an item first", ADDED("0", MESSAGE("m", "in_progress", "")), REFUSED,
      "must be the first" },
    { "a chunk of chat completions",
      DATA("{'id':'c','object':'chat.completion.chunk','created':1,"
           "'model':'m','choices':[]}"), REFUSED, "type" },
    { "created without a response", EVENT("response.created", ""), REFUSED,
      "response" },
    { "created without an id",
      EVENT("response.created", ",'response':{'status':'in_progress',"
            "'output':[]}"), REFUSED, "id" },
    { "created with an empty id",
      EVENT("response.created", ",'response':{'id':'','status':"
            "'in_progress','output':[]}"), REFUSED, "id is empty" },
    { "created with an id that is a number",
      EVENT("response.created", ",'response':{'id':1,'status':"
            "'in_progress','output':[]}"), REFUSED, "id" },
    { "an error first", ERROR("rate_limit_exceeded") DONE,
      "429 rate_limit_exceeded", NULL },
    { "a failure first", FAILED("context_length_exceeded") DONE,
      "400 context_length_exceeded", NULL },
    { "a comment, then nothing", ":\n\n", CUT(0), "ended before" },
    { "a comment, then not JSON", ": hi\n" DATA("{"), FAILS(0), "not JSON" },
    { "a comment, then an error", ":\n" ERROR("slow_down") DONE,
      "failed slow_down 0", NULL },
    { "an extension, then nothing", EVENT("acme:x", ""), CUT(0),
      "ended before" },
    { "empty data, then nothing", "data:\n\n", CUT(0), "ended before" },

    /* the order */

    { "created twice", CREATED CREATED, FAILS(0), "comes again" },
    { "in_progress twice", START RUNNING, FAILS(0), "again or late" },
    { "queued after in_progress", START QUEUED, FAILS(0), "again or late" },
    { "another response", CREATED
      EVENT("response.in_progress", ",'response':{'id':'q','status':"
            "'in_progress','output':[]}"), FAILS(0), "id has changed" },
    { "queued that is in progress", CREATED
      STATE("queued", "in_progress", ""), FAILS(0), "status does not fit" },
    { "in progress that is completed", CREATED
      STATE("in_progress", "completed", ""), FAILS(0),
      "status does not fit" },
    { "created that is completed", STATE("created", "completed", ""),
      REFUSED, "status does not fit" },
    { "created with output", STATE("created", "in_progress", HELLO_ITEM),
      REFUSED, "output of a response is not empty" },
    { "an unknown event later", START EVENT("response.new", ""), FAILS(0),
      "type" },
    { "an extension's name with a line break", START
      EVENT("acme:\\u000adata", ""), FAILS(0), "control character" },
    { "text between two events", START DATA("oops"), FAILS(0), "not JSON" },
    { "JSON that is cut", START DATA("{'type':'response.comp"), FAILS(0),
      "not JSON" },
    { "a line break in a string", START
      "data: {'type':'acme:a\ndata: b','sequence_number':#}\n\n", FAILS(0),
      "control character" },
    { "two documents in one event", START
      "data: {'type':'acme:x','sequence_number':#}\n"
      "data: {'type':'acme:x','sequence_number':#}\n\n", FAILS(0),
      "text after" },

    /* items */

    { "index 1 first", START ADDED("1", MESSAGE("m", "in_progress", "")),
      FAILS(0), "not the number of items" },
    { "index 0 again", START HELLO HELLO_DONE
      ADDED("0", CALL("a", "in_progress", "")), FAILS(1),
      "not the number of items" },
    { "a gap in the index", START HELLO HELLO_DONE
      ADDED("2", CALL("a", "in_progress", "")), FAILS(1),
      "not the number of items" },
    { "a negative index", START ADDED("-1", MESSAGE("m", "in_progress", "")),
      FAILS(0), "not the number of items" },
    { "no index", START EVENT("response.output_item.added", ",'item':"
      MESSAGE("m", "in_progress", "")), FAILS(0), "output_index" },
    { "the item is null (C24)", START ADDED("0", "null"), FAILS(0),
      "item is null" },
    { "the item is done as null (C24)", OPEN ENDED("0", "null"), FAILS(0),
      "not the one that was added" },
    { "no item", START EVENT("response.output_item.added",
      ",'output_index':0"), FAILS(0), "item" },
    { "an unknown item", START
      ADDED("0", "{'type':'magic','id':'m','status':'completed'}"), FAILS(0),
      "type" },
    { "an item without an id", START
      ADDED("0", "{'type':'message','status':'in_progress','role':"
            "'assistant','content':[]}"), FAILS(0), "id" },
    { "an empty id", START ADDED("0", MESSAGE("", "in_progress", "")),
      FAILS(0), "id is empty" },
    { "the id of another item", START HELLO HELLO_DONE
      ADDED("1", CALL("m", "in_progress", "")), FAILS(1),
      "that of another one" },
    { "a call without a name", START
      ADDED("0", "{'type':'function_call','id':'a','status':'in_progress',"
            "'call_id':'c','arguments':''}"), FAILS(0), "name" },
    { "an item that is added as completed", START
      ADDED("0", MESSAGE("m", "completed", "")), FAILS(0),
      "status does not fit" },
    { "an item that is added with text", START
      ADDED("0", MESSAGE("m", "in_progress", TEXT("a"))), FAILS(0),
      "not empty when it is added" },
    { "a call that is added with arguments", START
      ADDED("0", CALL("a", "in_progress", "{}")), FAILS(0),
      "not empty when it is added" },
    { "done before added", START HELLO_DONE, FAILS(0), "was not added" },
    { "done twice", START HELLO HELLO_DONE HELLO_DONE, FAILS(1),
      "after its item is done" },
    { "done with another id", START HELLO
      ENDED("0", MESSAGE("n", "completed", TEXT("Hello"))), FAILS(0),
      "not the one that was added" },
    { "done as another type", START HELLO
      ENDED("0", CALL("m", "completed", "")), FAILS(0),
      "not the one that was added" },
    { "done, and in progress", START HELLO
      ENDED("0", MESSAGE("m", "in_progress", TEXT("Hello"))), FAILS(0),
      "status does not fit" },
    { "done with another text", START HELLO
      ENDED("0", MESSAGE("m", "completed", TEXT("Hallo"))), FAILS(0),
      "parts are not those" },
    { "done without its part", START HELLO
      ENDED("0", MESSAGE("m", "completed", "")), FAILS(0),
      "parts are not those" },
    { "done with one part more", START HELLO
      ENDED("0", MESSAGE("m", "completed", TEXT("Hello") "," TEXT(""))),
      FAILS(0), "parts are not those" },
    { "done with a part of another type", START HELLO
      ENDED("0", MESSAGE("m", "completed", REFUSAL("Hello"))), FAILS(0),
      "parts are not those" },
    { "done with a part that was not streamed", OPEN HELLO_DONE, FAILS(0),
      "without deltas" },
    { "done with an open part", PART TDELTA(M0, "Hello") TDONE(M0, "Hello")
      HELLO_DONE, FAILS(0), "not done when its item is" },
    { "an item after an incomplete one (R37)", START
      ADDED("0", MESSAGE("m", "in_progress", ""))
      ENDED("0", MESSAGE("m", "incomplete", ""))
      ADDED("1", CALL("a", "in_progress", "")), FAILS(0),
      "after one that is incomplete" },
    { "a text after its item is done", START HELLO HELLO_DONE
      TDELTA(M0, "!"), FAILS(1), "after its item is done" },

    /* parts */

    { "a part of no item", START PART_ADDED(M0, TEXT("")), FAILS(0),
      "was not added" },
    { "a part of another item", OPEN PART_ADDED(X0, TEXT("")), FAILS(0),
      "item_id is not that" },
    { "a part without item_id", OPEN EVENT("response.content_part.added",
      ",'output_index':0,'content_index':0,'part':" TEXT("")), FAILS(0),
      "item_id" },
    { "a part at index 1", OPEN PART_ADDED(M1, TEXT("")), FAILS(0),
      "number of parts" },
    { "two open parts", PART PART_ADDED(M1, TEXT("")), FAILS(0),
      "a text of its item is open" },
    { "a part that is null", OPEN PART_ADDED(M0, "null"), FAILS(0), "part" },
    { "a part of an unknown type", OPEN PART_ADDED(M0, "{'type':'x'}"),
      FAILS(0), "type" },
    { "a part of reasoning in a message", OPEN PART_ADDED(M0, THOUGHT("")),
      FAILS(0), "its item does not have" },
    { "a part of text in reasoning", START
      ADDED("0", REASONING("x", "", "")) PART_ADDED(X0, TEXT("")), FAILS(0),
      "its item does not have" },
    { "text as a part of a summary", START
      ADDED("0", REASONING("x", "", ""))
      SPART_ADDED(SPLACE("x", "0", "0"), THOUGHT("")), FAILS(0),
      "its item does not have" },
    { "a part in a call", CALLING
      PART_ADDED(PLACE("a", "0", "0"), TEXT("")), FAILS(0),
      "its item does not have" },
    { "a part that is added with text", OPEN PART_ADDED(M0, TEXT("a")),
      FAILS(0), "not empty when it is added" },
    { "a part that is done and not open", OPEN PART_DONE(M0, TEXT("")),
      FAILS(0), "part is not open" },
    { "a part that is done twice", PART PART_DONE(M0, TEXT(""))
      PART_DONE(M0, TEXT("")), FAILS(0), "part is not open" },
    { "another part is done", PART PART_DONE(M1, TEXT("")), FAILS(0),
      "part is not open" },
    { "a part is done as another type", PART PART_DONE(M0, REFUSAL("")),
      FAILS(0), "another type than" },
    { "a part of reasoning is done as one of the summary", START
      ADDED("0", REASONING("x", "", ""))
      SPART_ADDED(SPLACE("x", "0", "0"), SUMMARY(""))
      SPART_DONE(SPLACE("x", "0", "0"), SUMMARY(""))
      PART_ADDED(X0, THOUGHT(""))
      SPART_DONE(SPLACE("x", "0", "0"), THOUGHT("")), FAILS(0),
      "part is not open" },
    { "a part is done with another text", PART TDELTA(M0, "a")
      TDONE(M0, "a") PART_DONE(M0, TEXT("b")), FAILS(0), "not the sum" },
    { "a part is done with a text that was not streamed", PART
      PART_DONE(M0, TEXT("b")), FAILS(0), "without deltas" },
    { "a part is done before its text", PART TDELTA(M0, "a")
      PART_DONE(M0, TEXT("a")), FAILS(0), "ends a text is left out" },

    /* texts */

    { "a delta without a part", OPEN TDELTA(M0, "a"), FAILS(0),
      "no part is open" },
    { "a delta after the part", START HELLO TDELTA(M0, "a"), FAILS(0),
      "no part is open" },
    { "reasoning without a part", START ADDED("0", REASONING("x", "", ""))
      DELTA("reasoning", X0, "a"), FAILS(0), "without a part" },
    { "a delta of another part", PART TDELTA(M1, "a"), FAILS(0),
      "not the open one" },
    { "a delta of another kind", PART DELTA("refusal", M0, "a"), FAILS(0),
      "part is of another type" },
    { "a delta of a summary", PART
      DELTA("reasoning_summary_text", SPLACE("m", "0", "0"), "a"), FAILS(0),
      "part is of another type" },
    { "a delta that is no string", PART
      EVENT("response.output_text.delta", M0 ",'delta':1"), FAILS(0),
      "delta" },
    { "a delta that is null", PART
      EVENT("response.output_text.delta", M0 ",'delta':null"), FAILS(0),
      "delta" },
    { "no delta", PART EVENT("response.output_text.delta", M0), FAILS(0),
      "delta" },
    { "a delta twice", PART
      EVENT("response.output_text.delta", M0 ",'delta':'a','delta':'b'"),
      FAILS(0), "more than once" },
    { "a delta without content_index", PART
      EVENT("response.output_text.delta", OWN("m", "0") ",'delta':'a'"),
      FAILS(0), "content_index" },
    { "a delta after the text is done", PART TDONE(M0, "") TDELTA(M0, "a"),
      FAILS(0), "after the text is done" },
    { "a text that is done twice", PART TDONE(M0, "") TDONE(M0, ""),
      FAILS(0), "after the text is done" },
    { "another text than its deltas", PART TDELTA(M0, "a") TDONE(M0, "b"),
      FAILS(0), "not the sum" },
    { "a shorter text than its deltas", PART TDELTA(M0, "ab")
      TDONE(M0, "a"), FAILS(0), "not the sum" },
    { "a text without deltas", PART TDONE(M0, "a"), FAILS(0),
      "without deltas" },
    { "half of a pair", PART TDELTA(M0, "\\ud83d") TDONE(M0, "\\ud83d\\ude00"),
      FAILS(0), "not the sum" },
    { "an annotation without a part", OPEN
      EVENT("response.output_text.annotation.added", M0
            ",'annotation_index':0,'annotation':null"), FAILS(0),
      "no part is open" },

    /* calls */

    { "arguments of no item", START ADELTA(A0, "{"), FAILS(0),
      "was not added" },
    { "arguments of a message", OPEN ADELTA(OWN("m", "0"), "{"), FAILS(0),
      "item is of another type" },
    { "arguments of another call", CALLING ADELTA(OWN("b", "0"), "{"),
      FAILS(0), "item_id is not that" },
    { "other arguments than their deltas", CALLING ADELTA(A0, "{}")
      ADONE(A0, "[]"), FAILS(0), "not the sum" },
    { "arguments without deltas", CALLING ADONE(A0, "{}"), FAILS(0),
      "without deltas" },
    { "arguments after they are done", CALLING ADONE(A0, "")
      ADELTA(A0, "{}"), FAILS(0), "after the text is done" },
    { "a call is done before its arguments", CALLING ADELTA(A0, "{}")
      ENDED("0", CALL("a", "completed", "{}")), FAILS(0),
      "ends a text is left out" },
    { "a call is done with other arguments", CALLING ADELTA(A0, "{}")
      ADONE(A0, "{}") ENDED("0", CALL("a", "completed", "[]")), FAILS(0),
      "not what was streamed" },
    { "a call is done with arguments that were not streamed", CALLING
      ENDED("0", CALL("a", "completed", "{}")), FAILS(0),
      "without deltas" },
    { "a call is done with another name", CALLING
      ENDED("0", "{'type':'function_call','id':'a','status':'completed',"
            "'call_id':'c_a','name':'g','arguments':''}"), FAILS(0),
      "another name" },
    { "a call is done with another call_id", CALLING
      ENDED("0", "{'type':'function_call','id':'a','status':'completed',"
            "'call_id':'c_b','name':'f','arguments':''}"), FAILS(0),
      "another name" },

    /* the end */

    { "completed with an open item", OPEN COMPLETED(HELLO_ITEM), FAILS(0),
      "an item is not done" },
    { "completed with another id", START
      EVENT("response.completed", ",'response':{'id':'q','status':"
            "'completed','output':[]}"), FAILS(0), "id has changed" },
    { "completed that is incomplete", START
      STATE("completed", "incomplete", ""), FAILS(0), "another status" },
    { "incomplete that is completed", START
      STATE("incomplete", "completed", ""), FAILS(0), "another status" },
    { "failed that is completed", START
      EVENT("response.failed", ",'response':{'id':'r','status':'completed',"
            "'output':[],'error':{'code':'x','message':'y'}}"), FAILS(0),
      "another status" },
    { "failed without an error", START STATE("failed", "failed", ""),
      FAILS(0), "error is null" },
    { "failed with another id", START
      EVENT("response.failed", ",'response':{'id':'q','status':'failed',"
            "'output':[],'error':{'code':'x','message':'y'}}"), FAILS(0),
      "id has changed" },
    { "completed with an error", START
      EVENT("response.completed", ",'response':{'id':'r','status':"
            "'completed','output':[],'error':{'code':'x','message':'y'}}"),
      FAILS(0), "do not fit its status" },
    { "completed with details", START
      EVENT("response.completed", ",'response':{'id':'r','status':"
            "'completed','output':[],'incomplete_details':{'reason':'x'}}"),
      FAILS(0), "do not fit its status" },
    { "incomplete without details", START
      STATE("incomplete", "incomplete", ""), FAILS(0),
      "do not fit its status" },
    { "output that is empty", START HELLO HELLO_DONE COMPLETED(""),
      FAILS(1), "another number of items" },
    { "output with one item more", START HELLO HELLO_DONE
      COMPLETED(HELLO_ITEM "," CALL("a", "completed", "{}")), FAILS(1),
      "another number of items" },
    { "output in another order", START CALLED("a", "0") CALLED("b", "1")
      COMPLETED(CALL("b", "completed", "{}") ","
                CALL("a", "completed", "{}")), FAILS(2),
      "another item than" },
    { "output with another text", START HELLO HELLO_DONE
      COMPLETED(MESSAGE("m", "completed", TEXT("Hallo"))), FAILS(1),
      "another text than" },
    { "output with other arguments", START CALLED("a", "0")
      COMPLETED(CALL("a", "completed", "[]")), FAILS(1),
      "another text than" },
    { "completed with an incomplete item (R38)", START
      ADDED("0", MESSAGE("m", "in_progress", ""))
      ENDED("0", MESSAGE("m", "incomplete", ""))
      COMPLETED(MESSAGE("m", "incomplete", "")), FAILS(0),
      "an item is incomplete" },

    /* an end that does not come */

    { "cut after created", CREATED, CUT(0), "ended before" },
    { "cut within an item", START HELLO, CUT(0), "ended before" },
    { "cut after an item", START HELLO HELLO_DONE, CUT(1),
      "ended before" },
    { "cut within an event", START "event: response.output_text.delta\n"
      "data: {'type':", CUT(0), "ended before" },
    { "[DONE] too early", START HELLO HELLO_DONE DONE, CUT(1),
      "ended before" },
    { "an error, then the end", START ERROR("oops"), "failed oops 0", NULL },
    { "an error, then [DONE]", START HELLO HELLO_DONE ERROR("oops") DONE,
      "failed oops 1", NULL },
    { "an error, then it goes on", START HELLO ERROR("oops") HELLO_DONE
      COMPLETED(HELLO_ITEM) DONE, "failed oops 0", NULL },
    { "an error, then another", START ERROR("one") ERROR("two") DONE,
      "failed one 0", NULL },
    { "an error, then not JSON", START ERROR("oops") DATA("{"),
      "failed oops 0", "not JSON" },
    { "a flat error", START
      EVENT("error", ",'code':'x','message':'y','param':null"), FAILS(0),
      "error" },
};

#define NTESTS  (sizeof(tests) / sizeof(tests[0]))


static void test_broken(void);
static void test_end(void);
static void test_limits(void);
static void test_filled(void);
static void limited(const char *name, const char *script, size_t event,
    size_t answer, const char *digest);
static void test_items(void);


int
main(void)
{
    test_broken();
    test_end();
    test_limits();
    test_filled();
    test_items();

    return done_testing();
}


static void
test_broken(void)
{
    char        *text;
    answer_t     a;
    ngx_uint_t   i;

    for (i = 0; i < NTESTS; i++) {
        stream_is(tests[i].name, NGX_ORS_STRICT_SPEC, tests[i].script,
                  tests[i].digest);

        ngx_ors_test_log_reset();

        text = stream_text(tests[i].script);
        stream_init(&a, text);
        answer_run(&a);

        is_int(a.verify.refused, tests[i].says != NULL, "%s: whose it is",
               tests[i].name);
        ok(a.verify.error.status, "%s: an error", tests[i].name);
        is_int(ngx_ors_test_logged(NGX_LOG_ERR), tests[i].says ? 1 : 0,
               "%s: logged", tests[i].name);

        if (tests[i].says
            && !ok(strstr((char *) ngx_ors_test_log_last(), tests[i].says)
                   != NULL, "%s: what is said", tests[i].name))
        {
            diag("%s", ngx_ors_test_log_last());
        }

        answer_free(&a);
        free(text);
    }

    ngx_ors_test_log_reset();
}


/* the events that end it, byte by byte */

static void
test_end(void)
{
    static const char  made[] =
        "'object':'response','created_at':1700000000,'model':'',"
        "'previous_response_id':null,'instructions':null,'tools':[],"
        "'tool_choice':'auto','truncation':'disabled',"
        "'parallel_tool_calls':true,'text':{'format':{'type':'text'}},"
        "'top_p':1,'presence_penalty':0,'frequency_penalty':0,"
        "'top_logprobs':0,'temperature':1,'reasoning':null,'usage':null,"
        "'max_output_tokens':null,'max_tool_calls':null,'store':false,"
        "'background':false,'service_tier':'default','metadata':{},"
        "'safety_identifier':null,'prompt_cache_key':null,"
        "'status':'failed','completed_at':null,'incomplete_details':null,"
        "'error':{'code':'upstream_disconnected','message':'the model "
        "server's answer ended before it was complete'},'output':[";

    char      *p, *text, *expected;
    answer_t   a;

    text = stream_text(START HELLO HELLO_DONE
                       ADDED("1", CALL("a", "in_progress", "")));
    expected = malloc(8192);

    /* an apostrophe is no quote here */

    snprintf(expected, 8192,
             "event: error\n"
             "data: {'type':'error','sequence_number':10,'error':{'type':"
             "'server_error','code':'upstream_disconnected','message':'the "
             "model server's answer ended before it was complete','param':"
             "''}}\n\n"
             "event: response.failed\n"
             "data: {'type':'response.failed','sequence_number':11,"
             "'response':{'id':'r',%s%s]}}\n\n" DONE, made, HELLO_ITEM);

    for (p = expected; *p; p++) {

        if (*p == '\'' && strncmp(p, "'s answer", 9) != 0) {
            *p = '"';
        }
    }

    stream_init(&a, text);
    answer_run(&a);

    p = strstr((char *) a.text, "event: error");

    if (ok(p != NULL, "an error at the end")) {
        is_mem(p, strlen(p), expected, strlen(expected), "as it should be");
    }

    answer_free(&a);
    free(text);
    free(expected);

    ngx_ors_test_log_reset();
}


static void
test_limits(void)
{
    limited("an event at the limit", WHOLE_STREAM, 400, 200000,
            "completed 1");
    limited("the first event over the limit", WHOLE_STREAM, 100, 200000,
            "502 event_too_large");
    limited("a later event over the limit", CREATED
            EVENT("response.in_progress", ",'response':{'id':'r','status':"
                  "'in_progress','output':[],'x':"
                  "'0123456789012345678901234567890'}"), 150, 200000,
            "failed event_too_large 0");
    limited("an event over the limit after the end", START COMPLETED("")
            "data: 0123456789012345678901234567890012345678901234567890"
            "0123456789012345678901234567890012345678901234567890"
            "0123456789012345678901234567890012345678901234567890\n\n", 150,
            200000, "completed 0");
    limited("items over the limit of an answer", START HELLO HELLO_DONE
            CALLED("a", "1"), 400, 200, "failed answer_too_large 1");
    limited("an id over the limit of an answer", START
            ADDED("0", MESSAGE("0123456789", "in_progress", "")), 400, 12,
            "failed answer_too_large 0");
}


/* text that was filled in may be over the limit: the stream still ends */

static void
test_filled(void)
{
    answer_t   a;

    stream_init(&a, "data: {'type':'response.created','response':"
                    RESP("in_progress", "") "}\n\n");
    a.limits.nodes = 20;

    stream_answer_is(&a, "a response of more values than are allowed",
                     "failed upstream_disconnected 0");

    stream_init(&a, ":\n\n");
    a.limits.nodes = 5;

    stream_answer_is(&a, "a response of our own, too",
                     "failed upstream_disconnected 0");

    ngx_ors_test_log_reset();
}


static void
limited(const char *name, const char *script, size_t event, size_t answer,
    const char *digest)
{
    char      *text;
    answer_t   a;

    text = stream_text(script);

    stream_init(&a, text);
    a.limits.event = event;
    a.limits.answer = answer;

    stream_answer_is(&a, name, digest);

    free(text);
    ngx_ors_test_log_reset();
}


/* 4096 pass, one more does not */

static void
test_items(void)
{
    char        *text, *p;
    answer_t     a;
    ngx_uint_t   i, n;

    for (n = 4096; n < 4098; n++) {
        text = malloc(n * 400 + 2048);
        p = text + sprintf(text, "data: {'type':'response.created',"
                           "'response':" RESP("in_progress", "") "}\n\n");

        for (i = 0; i < n; i++) {
            p += sprintf(p, "data: {'type':'response.output_item.added',"
                         "'output_index':%d,'item':{'type':'acme:x',"
                         "'id':'x%d','status':'x'}}\n\n"
                         "data: {'type':'response.output_item.done',"
                         "'output_index':%d,'item':{'type':'acme:x',"
                         "'id':'x%d','status':'x'}}\n\n",
                         (int) i, (int) i, (int) i, (int) i);
        }

        stream_init(&a, text);
        a.limits.answer = 10 * 1024 * 1024;
        answer_run(&a);

        ok(strstr((char *) a.text,
                  (n == 4096) ? "upstream_disconnected" : "answer_too_large")
           != NULL, "%d items", (int) n);

        answer_free(&a);
        free(text);
    }

    ngx_ors_test_log_reset();
}
