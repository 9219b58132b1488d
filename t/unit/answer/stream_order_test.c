
/*
 * Copyright (C) Open Responses contributors
 */


/* Streams that pass: each row of the state tables (protocol, section 10.3). */


#include "stream_check.h"
#include "stream_script.h"


typedef struct {
    const char   *name;
    const char   *script;
    const char   *digest;
} order_test_t;


static void test_orders(void);
static void test_flavor(void);
static void test_tolerant(void);
static void test_bytes(void);
static void test_warnings(void);
static ngx_uint_t warnings(const char *script);


#define R0  PLACE("x", "0", "0")
#define R1  PLACE("x", "0", "1")
#define S0  SPLACE("x", "0", "0")
#define S1  SPLACE("x", "0", "1")

#define NOTE(of)                                                              \
    EVENT("response.output_text.annotation.added",                            \
          of ",'annotation_index':0,'annotation':null")
#define OUTPUT(status, text)                                                  \
    "{'type':'function_call_output','id':'o','call_id':'c_a','status':'"      \
    status "','output':'" text "'}"
#define EXTENSION  EVENT("acme:ping", "")


static const order_test_t  orders[] = {

    { "created, in_progress, completed", START COMPLETED("") DONE,
      "completed 0" },
    { "queued", CREATED QUEUED RUNNING COMPLETED("") DONE, "completed 0" },
    { "queued from the beginning",
      STATE("created", "queued", "") QUEUED RUNNING COMPLETED("") DONE,
      "completed 0" },
    { "no in_progress (C26)", CREATED HELLO HELLO_DONE COMPLETED(HELLO_ITEM)
      DONE, "completed 1" },
    { "queued, no in_progress (C26)", CREATED QUEUED COMPLETED("") DONE,
      "completed 0" },
    { "a message", WHOLE_STREAM, "completed 1" },
    { "a call", START CALLED("a", "0")
      COMPLETED(CALL("a", "completed", "{}")) DONE, "completed 1" },
    { "a message, two calls", START HELLO HELLO_DONE CALLED("a", "1")
      CALLED("b", "2")
      COMPLETED(HELLO_ITEM "," CALL("a", "completed", "{}") ","
                CALL("b", "completed", "{}")) DONE, "completed 3" },
    { "items that are interleaved (C26)",
      START ADDED("0", CALL("a", "in_progress", ""))
      ADDED("1", CALL("b", "in_progress", ""))
      ADELTA(OWN("b", "1"), "[") ADELTA(OWN("a", "0"), "{")
      ADELTA(OWN("b", "1"), "]") ADELTA(OWN("a", "0"), "}")
      ADONE(OWN("b", "1"), "[]") ADONE(OWN("a", "0"), "{}")
      ENDED("1", CALL("b", "completed", "[]"))
      ENDED("0", CALL("a", "completed", "{}"))
      COMPLETED(CALL("a", "completed", "{}") ","
                CALL("b", "completed", "[]")) DONE, "completed 2" },

    { "a part without text, closed at once (C18)",
      START ADDED("0", MESSAGE("m", "in_progress", ""))
      PART_ADDED(M0, TEXT("")) PART_DONE(M0, TEXT(""))
      ENDED("0", MESSAGE("m", "completed", TEXT("")))
      COMPLETED(MESSAGE("m", "completed", TEXT(""))) DONE, "completed 1" },
    { "a part without text, with its end (C18)",
      START ADDED("0", MESSAGE("m", "in_progress", ""))
      PART_ADDED(M0, TEXT("")) TDONE(M0, "") PART_DONE(M0, TEXT(""))
      ENDED("0", MESSAGE("m", "completed", TEXT("")))
      COMPLETED(MESSAGE("m", "completed", TEXT(""))) DONE, "completed 1" },
    { "a call without arguments (C18)",
      START ADDED("0", CALL("a", "in_progress", ""))
      ADONE(OWN("a", "0"), "") ENDED("0", CALL("a", "completed", ""))
      COMPLETED(CALL("a", "completed", "")) DONE, "completed 1" },
    { "a call without arguments, nor their end (C18)",
      START ADDED("0", CALL("a", "in_progress", ""))
      ENDED("0", CALL("a", "completed", ""))
      COMPLETED(CALL("a", "completed", "")) DONE, "completed 1" },
    { "a message without parts",
      START ADDED("0", MESSAGE("m", "in_progress", ""))
      ENDED("0", MESSAGE("m", "completed", ""))
      COMPLETED(MESSAGE("m", "completed", "")) DONE, "completed 1" },
    { "text, then a refusal",
      START HELLO
      PART_ADDED(PLACE("m", "0", "1"), REFUSAL(""))
      DELTA("refusal", PLACE("m", "0", "1"), "no")
      FULL("refusal", PLACE("m", "0", "1"), "refusal", "no")
      PART_DONE(PLACE("m", "0", "1"), REFUSAL("no"))
      ENDED("0", MESSAGE("m", "completed", TEXT("Hello") "," REFUSAL("no")))
      COMPLETED(MESSAGE("m", "completed", TEXT("Hello") "," REFUSAL("no")))
      DONE, "completed 1" },
    { "text, then a part without",
      START HELLO PART_ADDED(PLACE("m", "0", "1"), TEXT(""))
      PART_DONE(PLACE("m", "0", "1"), TEXT(""))
      ENDED("0", MESSAGE("m", "completed", TEXT("Hello") "," TEXT("")))
      COMPLETED(MESSAGE("m", "completed", TEXT("Hello") "," TEXT(""))) DONE,
      "completed 1" },
    { "annotations, between and after the text",
      START ADDED("0", MESSAGE("m", "in_progress", ""))
      PART_ADDED(M0, TEXT("")) TDELTA(M0, "Hel") NOTE(M0) TDELTA(M0, "lo")
      TDONE(M0, "Hello") NOTE(M0) PART_DONE(M0, TEXT("Hello"))
      HELLO_DONE COMPLETED(HELLO_ITEM) DONE, "completed 1" },

    { "reasoning", START ADDED("0", REASONING("x", "", ""))
      PART_ADDED(R0, THOUGHT("")) DELTA("reasoning", R0, "hm")
      FULL("reasoning", R0, "text", "hm") PART_DONE(R0, THOUGHT("hm"))
      ENDED("0", REASONING("x", "", THOUGHT("hm")))
      COMPLETED(REASONING("x", "", THOUGHT("hm"))) DONE, "completed 1" },
    { "a summary, two parts", START ADDED("0", REASONING("x", "", ""))
      SPART_ADDED(S0, SUMMARY("")) DELTA("reasoning_summary_text", S0, "a")
      FULL("reasoning_summary_text", S0, "text", "a")
      SPART_DONE(S0, SUMMARY("a"))
      SPART_ADDED(S1, SUMMARY("")) DELTA("reasoning_summary_text", S1, "b")
      FULL("reasoning_summary_text", S1, "text", "b")
      SPART_DONE(S1, SUMMARY("b"))
      ENDED("0", REASONING("x", SUMMARY("a") "," SUMMARY("b"), ""))
      COMPLETED(REASONING("x", SUMMARY("a") "," SUMMARY("b"), "")) DONE,
      "completed 1" },
    { "a summary and reasoning", START ADDED("0", REASONING("x", "", ""))
      SPART_ADDED(S0, SUMMARY("")) DELTA("reasoning_summary_text", S0, "a")
      FULL("reasoning_summary_text", S0, "text", "a")
      SPART_DONE(S0, SUMMARY("a"))
      PART_ADDED(R0, THOUGHT("")) DELTA("reasoning", R0, "b")
      FULL("reasoning", R0, "text", "b") PART_DONE(R0, THOUGHT("b"))
      ENDED("0", REASONING("x", SUMMARY("a"), THOUGHT("b")))
      COMPLETED(REASONING("x", SUMMARY("a"), THOUGHT("b"))) DONE,
      "completed 1" },
    { "reasoning without anything",
      START ADDED("0", "{'type':'reasoning','id':'x','summary':[]}")
      ENDED("0", "{'type':'reasoning','id':'x','summary':[],"
            "'encrypted_content':'e'}")
      COMPLETED("{'type':'reasoning','id':'x','summary':[],"
                "'encrypted_content':'e'}") DONE, "completed 1" },
    { "other items",
      START ADDED("0", "{'type':'compaction','id':'k',"
                  "'encrypted_content':'e'}")
      ENDED("0", "{'type':'compaction','id':'k','encrypted_content':'e'}")
      ADDED("1", "{'type':'acme:search','id':'s','status':'searching'}")
      ENDED("1", "{'type':'acme:search','id':'s','status':'failed'}")
      COMPLETED("{'type':'compaction','id':'k','encrypted_content':'e'},"
                "{'type':'acme:search','id':'s','status':'failed'}") DONE,
      "completed 2" },
    { "an output of a tool",
      START ADDED("0", OUTPUT("in_progress", ""))
      ENDED("0", OUTPUT("completed", "x"))
      COMPLETED(OUTPUT("completed", "x")) DONE, "completed 1" },

    { "incomplete, its item too", START ADDED("0", MESSAGE("m",
      "in_progress", "")) PART_ADDED(M0, TEXT("")) TDELTA(M0, "Hel")
      TDONE(M0, "Hel") PART_DONE(M0, TEXT("Hel"))
      ENDED("0", MESSAGE("m", "incomplete", TEXT("Hel")))
      INCOMPLETE(MESSAGE("m", "incomplete", TEXT("Hel"))) DONE,
      "incomplete 1" },
    { "incomplete, its items are not", START HELLO HELLO_DONE
      INCOMPLETE(HELLO_ITEM) DONE, "incomplete 1" },

    { "extensions anywhere (R95)",
      START EXTENSION HELLO EXTENSION HELLO_DONE EXTENSION
      COMPLETED(HELLO_ITEM) DONE, "completed 1" },
    { "an extension with a name that is escaped",
      START EVENT("acme:\\u0070ing", "") COMPLETED("") DONE,
      "completed 0" },

    { "error, failed", START ERROR("oops") FAILED("oops") DONE,
      "failed oops 0" },
    { "error right after created", CREATED ERROR("oops") FAILED("oops") DONE,
      "failed oops 0" },
    { "error within an item", START HELLO ERROR("oops") FAILED("oops") DONE,
      "failed oops 0" },
    { "an extension between error and failed",
      START ERROR("oops") EXTENSION FAILED("oops") DONE, "failed oops 0" },
    { "failed alone (C22)", START HELLO FAILED("oops") DONE,
      "failed oops 0" },
    { "failed right after created", CREATED FAILED("oops") DONE,
      "failed oops 0" },

    { "a pair that is split between two deltas",
      START ADDED("0", MESSAGE("m", "in_progress", ""))
      PART_ADDED(M0, TEXT("")) TDELTA(M0, "a\\ud83d") TDELTA(M0, "\\ude00b")
      TDONE(M0, "a\xf0\x9f\x98\x80" "b")
      PART_DONE(M0, TEXT("a\\uD83D\\uDE00b"))
      ENDED("0", MESSAGE("m", "completed", TEXT("\\u0061\xf0\x9f\x98\x80"
                                                "b")))
      COMPLETED(MESSAGE("m", "completed", TEXT("a\\ud83d\\ude00b"))) DONE,
      "completed 1" },
    { "escapes of all kinds",
      START ADDED("0", MESSAGE("m", "in_progress", ""))
      PART_ADDED(M0, TEXT(""))
      TDELTA(M0, "\\b\\f\\n\\r\\t\\\"\\\\\\/\\u00e9\\u20ac\\ud800")
      TDONE(M0, "\\u0008\\u000c\\u000A\\u000d\\u0009\\u0022\\u005c/"
                "\xc3\xa9\xe2\x82\xac\\ud800")
      PART_DONE(M0, TEXT("\\b\\f\\n\\r\\t\\\"\\\\\\/\\u00e9\\u20ac\\ud800"))
      ENDED("0", MESSAGE("m", "completed",
            TEXT("\\b\\f\\n\\r\\t\\\"\\\\/\\u00e9\\u20ac\\ud800")))
      COMPLETED(MESSAGE("m", "completed",
                TEXT("\\b\\f\\n\\r\\t\\\"\\\\/\\u00e9\\u20ac\\ud800"))) DONE,
      "completed 1" },
};


/* flavor "openai" */

#define CUSTOM(status, input)                                                 \
    "{'type':'custom_tool_call','id':'t','call_id':'c','name':'p',"           \
    "'status':'" status "','input':'" input "'}"
#define MCP(arguments)                                                        \
    "{'type':'mcp_call','id':'t','server_label':'s','name':'p',"              \
    "'status':'completed','arguments':'" arguments "'}"
#define CODE(text)                                                            \
    "{'type':'code_interpreter_call','id':'t','container_id':'c',"            \
    "'status':'completed','code':'" text "'}"
#define SEARCH  "{'type':'web_search_call','id':'t','status':'completed'}"
#define TOOLS   "{'type':'mcp_list_tools','id':'t','server_label':'s',"       \
                "'tools':[]}"
#define T0      OWN("t", "0")

static const order_test_t  flavors[] = {

    { "a custom call", START ADDED("0", CUSTOM("in_progress", ""))
      DELTA("custom_tool_call_input", T0, "a")
      DELTA("custom_tool_call_input", T0, "b")
      FULL("custom_tool_call_input", T0, "input", "ab")
      ENDED("0", CUSTOM("completed", "ab"))
      COMPLETED(CUSTOM("completed", "ab")) DONE, "completed 1" },
    { "a call of an MCP server", START ADDED("0", MCP(""))
      EVENT("response.mcp_call.in_progress", T0)
      DELTA("mcp_call_arguments", T0, "{}")
      FULL("mcp_call_arguments", T0, "arguments", "{}")
      EVENT("response.mcp_call.completed", T0)
      ENDED("0", MCP("{}")) COMPLETED(MCP("{}")) DONE, "completed 1" },
    { "an interpreter", START ADDED("0", CODE(""))
      EVENT("response.code_interpreter_call.in_progress", T0)
      DELTA("code_interpreter_call_code", T0, "1")
      FULL("code_interpreter_call_code", T0, "code", "1")
      EVENT("response.code_interpreter_call.completed", T0)
      ENDED("0", CODE("1")) COMPLETED(CODE("1")) DONE, "completed 1" },
    { "a search", START ADDED("0", SEARCH)
      EVENT("response.web_search_call.in_progress", T0)
      EVENT("response.web_search_call.searching", T0)
      EVENT("response.web_search_call.completed", T0)
      ENDED("0", SEARCH) COMPLETED(SEARCH) DONE, "completed 1" },
    { "a list of tools", START ADDED("0", TOOLS)
      EVENT("response.mcp_list_tools.in_progress", T0)
      EVENT("response.mcp_list_tools.failed", T0)
      ENDED("0", TOOLS) COMPLETED(TOOLS) DONE, "completed 1" },
    { "a call that was approved", START ADDED("0", MCP(""))
      EVENT("response.mcp_call.in_progress", T0)
      DELTA("mcp_call_arguments", T0, "{}")
      EVENT("response.mcp_call.in_progress", T0)
      FULL("mcp_call_arguments", T0, "arguments", "{}")
      EVENT("response.mcp_call.failed", T0)
      ENDED("0", MCP("{}")) COMPLETED(MCP("{}")) DONE, "completed 1" },
    { "a search without events", START ADDED("0", SEARCH)
      ENDED("0", SEARCH) COMPLETED(SEARCH) DONE, "completed 1" },
    { "reasoning by its other name (C3)",
      START ADDED("0", REASONING("x", "", ""))
      PART_ADDED(R0, THOUGHT("")) DELTA("reasoning_text", R0, "hm")
      FULL("reasoning_text", R0, "text", "hm") PART_DONE(R0, THOUGHT("hm"))
      ENDED("0", REASONING("x", "", THOUGHT("hm")))
      COMPLETED(REASONING("x", "", THOUGHT("hm"))) DONE, "completed 1" },
    { "a sign of life", START EVENT("keepalive", "") COMPLETED("") DONE,
      "completed 0" },
    { "sound", START
      EVENT("response.audio.delta", ",'delta':'AA'") COMPLETED("") DONE,
      "completed 0" },
    { "a flat error", START
      EVENT("error", ",'code':'rate_limit_exceeded','message':'slow',"
            "'param':null") FAILED("rate_limit_exceeded") DONE,
      "failed rate_limit_exceeded 0" },
};


/* those that only the tolerant profile lets pass */

static const order_test_t  late[] = {

    { "a search begins late", START ADDED("0", SEARCH)
      EVENT("response.web_search_call.searching", T0)
      EVENT("response.web_search_call.in_progress", T0)
      EVENT("response.web_search_call.completed", T0)
      ENDED("0", SEARCH) COMPLETED(SEARCH) DONE, "completed 1" },
    { "a search ends twice", START ADDED("0", SEARCH)
      EVENT("response.web_search_call.completed", T0)
      EVENT("response.web_search_call.completed", T0)
      ENDED("0", SEARCH) COMPLETED(SEARCH) DONE, "completed 1" },
    { "a list fails after its end", START ADDED("0", TOOLS)
      EVENT("response.mcp_list_tools.completed", T0)
      EVENT("response.mcp_list_tools.failed", T0)
      ENDED("0", TOOLS) COMPLETED(TOOLS) DONE, "completed 1" },
};


/* streams that no profile lets pass */

static const order_test_t  foreign[] = {

    { "progress of another type", START ADDED("0", SEARCH)
      EVENT("response.file_search_call.searching", T0),
      "failed invalid_upstream_answer 0" },
    { "progress of another item", START ADDED("0", SEARCH)
      EVENT("response.web_search_call.searching", OWN("u", "0")),
      "failed invalid_upstream_answer 0" },
    { "progress after the item", START ADDED("0", SEARCH) ENDED("0", SEARCH)
      EVENT("response.web_search_call.completed", T0),
      "failed invalid_upstream_answer 1" },
};


/* streams that only the tolerant profiles let pass */

static const order_test_t  tolerants[] = {

    { "in_progress twice", START RUNNING COMPLETED("") DONE, "completed 0" },
    { "queued late", START QUEUED COMPLETED("") DONE, "completed 0" },
    { "created as completed", STATE("created", "completed", "") RUNNING
      COMPLETED("") DONE, "completed 0" },
    { "created with output", STATE("created", "in_progress", HELLO_ITEM)
      RUNNING COMPLETED("") DONE, "completed 0" },
    { "an item added as completed", START
      ADDED("0", MESSAGE("m", "completed", ""))
      ENDED("0", MESSAGE("m", "completed", ""))
      COMPLETED(MESSAGE("m", "completed", "")) DONE, "completed 1" },
    { "an item done in progress", START
      ADDED("0", MESSAGE("m", "in_progress", ""))
      ENDED("0", MESSAGE("m", "in_progress", ""))
      COMPLETED(MESSAGE("m", "in_progress", "")) DONE, "completed 1" },
    { "an item added with its contents", START ADDED("0", HELLO_ITEM)
      HELLO_DONE COMPLETED(HELLO_ITEM) DONE, "completed 1" },
    { "an item that is given at once", START
      ADDED("0", MESSAGE("m", "in_progress", "")) HELLO_DONE
      COMPLETED(HELLO_ITEM) DONE, "completed 1" },
    { "a part added with text", START
      ADDED("0", MESSAGE("m", "in_progress", ""))
      PART_ADDED(M0, TEXT("Hel")) TDELTA(M0, "lo") TDONE(M0, "Hello")
      PART_DONE(M0, TEXT("Hello")) HELLO_DONE COMPLETED(HELLO_ITEM) DONE,
      "completed 1" },
    { "a part of another kind", START
      ADDED("0", MESSAGE("m", "in_progress", ""))
      PART_ADDED(M0, THOUGHT("")) DELTA("reasoning", M0, "hm")
      FULL("reasoning", M0, "text", "hm") PART_DONE(M0, THOUGHT("hm"))
      ENDED("0", MESSAGE("m", "completed", THOUGHT("hm")))
      COMPLETED(MESSAGE("m", "completed", THOUGHT("hm"))) DONE,
      "completed 1" },
    { "reasoning without a part", START ADDED("0", REASONING("x", "", ""))
      DELTA("reasoning_text", R0, "h") DELTA("reasoning_text", R0, "m")
      FULL("reasoning_text", R0, "text", "hm")
      ENDED("0", REASONING("x", "", THOUGHT("hm")))
      COMPLETED(REASONING("x", "", THOUGHT("hm"))) DONE, "completed 1" },
    { "no end of a text", START ADDED("0", MESSAGE("m", "in_progress", ""))
      PART_ADDED(M0, TEXT("")) TDELTA(M0, "Hello")
      PART_DONE(M0, TEXT("Hello")) HELLO_DONE COMPLETED(HELLO_ITEM) DONE,
      "completed 1" },
    { "no end of a part", START ADDED("0", MESSAGE("m", "in_progress", ""))
      PART_ADDED(M0, TEXT("")) TDELTA(M0, "Hello") TDONE(M0, "Hello")
      HELLO_DONE COMPLETED(HELLO_ITEM) DONE, "completed 1" },
    { "no end of arguments", START ADDED("0", CALL("a", "in_progress", ""))
      ADELTA(OWN("a", "0"), "{}") ENDED("0", CALL("a", "completed", "{}"))
      COMPLETED(CALL("a", "completed", "{}")) DONE, "completed 1" },
    { "arguments at once", START ADDED("0", CALL("a", "in_progress", ""))
      ADONE(OWN("a", "0"), "{}") ENDED("0", CALL("a", "completed", "{}"))
      COMPLETED(CALL("a", "completed", "{}")) DONE, "completed 1" },
    { "a call that is given at once", START
      ADDED("0", CALL("a", "in_progress", ""))
      ENDED("0", CALL("a", "completed", "{}"))
      COMPLETED(CALL("a", "completed", "{}")) DONE, "completed 1" },
    { "a text at once", START ADDED("0", MESSAGE("m", "in_progress", ""))
      PART_ADDED(M0, TEXT("")) TDONE(M0, "Hello")
      PART_DONE(M0, TEXT("Hello")) HELLO_DONE COMPLETED(HELLO_ITEM) DONE,
      "completed 1" },
    { "a part at once", START ADDED("0", MESSAGE("m", "in_progress", ""))
      PART_ADDED(M0, TEXT("")) PART_DONE(M0, TEXT("Hello")) HELLO_DONE
      COMPLETED(HELLO_ITEM) DONE, "completed 1" },
    { "another name when it is done", START
      ADDED("0", CALL("a", "in_progress", ""))
      ADONE(OWN("a", "0"), "")
      ENDED("0", "{'type':'function_call','id':'a','status':'completed',"
            "'call_id':'other','name':'g','arguments':''}")
      COMPLETED("{'type':'function_call','id':'a','status':'completed',"
                "'call_id':'other','name':'g','arguments':''}") DONE,
      "completed 1" },
    { "completed with details", START
      EVENT("response.completed", ",'response':{'id':'r','status':"
            "'completed','output':[],'incomplete_details':{'reason':'x'}}")
      DONE, "completed 0" },
    { "incomplete without", START
      EVENT("response.incomplete", ",'response':{'id':'r','status':"
            "'incomplete','output':[]}") DONE, "incomplete 0" },
};


#define N(tests)  (sizeof(tests) / sizeof(tests[0]))


int
main(void)
{
    test_orders();
    test_flavor();
    test_tolerant();
    test_bytes();
    test_warnings();

    return done_testing();
}


static void
test_orders(void)
{
    ngx_uint_t  i;

    for (i = 0; i < N(orders); i++) {
        stream_is(orders[i].name, NGX_ORS_STRICT_SPEC, orders[i].script,
                  orders[i].digest);
    }
}


static void
test_flavor(void)
{
    ngx_uint_t  i;

    for (i = 0; i < N(flavors); i++) {
        stream_is(flavors[i].name, NGX_ORS_STRICT_OPENAI, flavors[i].script,
                  flavors[i].digest);
    }

    for (i = 0; i < N(late); i++) {
        stream_is(late[i].name, NGX_ORS_TOLERANT_OPENAI, late[i].script,
                  late[i].digest);
        stream_is(late[i].name, NGX_ORS_STRICT_OPENAI, late[i].script,
                  "failed invalid_upstream_answer 0");
        ngx_ors_test_log_reset();
    }

    for (i = 0; i < N(foreign); i++) {
        stream_is(foreign[i].name, NGX_ORS_TOLERANT_OPENAI, foreign[i].script,
                  foreign[i].digest);
        ngx_ors_test_log_reset();
    }
}


/* and in the strict ones does not */

static void
test_tolerant(void)
{
    ngx_uint_t  i;

    for (i = 0; i < N(tolerants); i++) {
        stream_is(tolerants[i].name, NGX_ORS_TOLERANT_SPEC, tolerants[i].script,
                  tolerants[i].digest);
        ngx_ors_test_log_reset();
    }

    for (i = 0; i < N(tolerants); i++) {
        char            *text;
        answer_t         a;
        check_t   c;

        text = stream_text(tolerants[i].script);
        stream_init(&a, text);
        answer_run(&a);
        stream_check(&c, &a);

        ok(strstr(c.digest, "invalid_upstream_answer") != NULL
           && c.error[0] == '\0' && a.verify.refused, "strict: %s",
           tolerants[i].name);

        answer_free(&a);
        free(text);
    }

    ngx_ors_test_log_reset();
}


/* a stream that is as it should be keeps its bytes */

static void
test_bytes(void)
{
    answer_t      a;
    char         *text;
    u_char       *quoted;

    static const char  script[] =
        "event: response.created\n"
        "data: {'type':'response.created', 'sequence_number':7,'response':"
            RESPONSE("in_progress", "null", "m", ",'x' : [ 1e0 ]") "}\n\n"
        "event: acme:x\n"
        "data: {'sequence_number':8, 'type':'acme:x','\\u00e9' : null}\n\n"
        "event: response.completed\n"
        "data: {'type':'response.completed','sequence_number':9.0,"
            "'response':" WHOLE "}\n\n"
        "data: [DONE]\n\n";

    text = stream_text(script);
    quoted = answer_quotes(text, strlen(text));

    stream_init(&a, text);
    answer_run(&a);

    is_mem(a.text, a.size, quoted, strlen(text), "the same bytes");
    is_int(a.verify.repaired, 0, "nothing was repaired");
    is_int(a.verify.status, 200, "status");
    is_str(&a.verify.type, "text/event-stream", "type");
    is_int(a.answer.state, ngx_ors_answer_st_over, "over");
    is_int(a.verify.refused, 0, "not refused");

    answer_free(&a);
    free(text);
    free(quoted);
}


/* some things pass and are said once */

static void
test_warnings(void)
{
    is_int(warnings(WHOLE_STREAM), 0, "nothing to say");
    is_int(warnings(CREATED HELLO HELLO_DONE COMPLETED(HELLO_ITEM) DONE), 1,
           "in_progress is missing");
    is_int(warnings(START ADDED("0", CALL("a", "in_progress", ""))
                    ADDED("1", CALL("b", "in_progress", ""))
                    ADDED("2", CALL("c", "in_progress", ""))), 1,
           "interleaved, once");
    is_int(warnings(START COMPLETED("") COMPLETED("") COMPLETED("") DONE), 1,
           "events after the end, once");
}


static ngx_uint_t
warnings(const char *script)
{
    char        *text;
    answer_t     a;
    ngx_uint_t   n;

    ngx_ors_test_log_reset();

    text = stream_text(script);
    stream_init(&a, text);
    answer_run(&a);
    answer_free(&a);
    free(text);

    n = ngx_ors_test_logged(NGX_LOG_WARN);
    ngx_ors_test_log_reset();

    return n;
}
