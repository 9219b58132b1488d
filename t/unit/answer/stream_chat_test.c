
/*
 * Copyright (C) Open Responses contributors
 */


/* Streams of chat completion chunks. */


#include "stream_check.h"
#include "stream_script.h"


#define CHUNK(i, delta, reason)                                               \
    "data: {'id':'c','object':'chat.completion.chunk','created':1,"           \
    "'model':'m','choices':[{'index':" i ",'delta':{" delta "},"              \
    "'finish_reason':" reason "}]}\n\n"
#define USAGE                                                                 \
    "data: {'id':'c','object':'chat.completion.chunk','created':1,"           \
    "'model':'m','choices':[],'usage':{'prompt_tokens':1,"                    \
    "'completion_tokens':1,'total_tokens':2}}\n\n"
#define SAY(text)  CHUNK("0", "'content':'" text "'", "null")
#define STOP       CHUNK("0", "", "'stop'")


typedef struct {
    const char   *name;
    const char   *script;
    const char   *digest;
} chat_test_t;


static const chat_test_t  tests[] = {

    { "a text", SAY("Hel") SAY("lo") STOP USAGE DONE, "done" },
    { "no [DONE]", SAY("Hello") STOP USAGE, "done" },
    { "[DONE] without a reason", SAY("Hello") DONE, "done" },
    { "two choices", SAY("a") CHUNK("1", "'content':'b'", "null")
      CHUNK("1", "", "'stop'") STOP, "done" },
    { "one of two choices does not end", SAY("a")
      CHUNK("1", "'content':'b'", "null") STOP, "error upstream_disconnected" },
    { "the last choice there may be", CHUNK("127", "", "'stop'"), "done" },
    { "a choice with an index that is too high", SAY("a")
      CHUNK("128", "", "'stop'"), "error invalid_upstream_answer" },
    { "a choice with a negative index", CHUNK("-1", "", "'stop'"),
      "502 invalid_upstream_answer" },
    { "nothing", "", "502 upstream_disconnected" },
    { "[DONE] alone", DONE, "502 upstream_disconnected" },
    { "cut", SAY("Hel"), "error upstream_disconnected" },
    { "a comment, then nothing", ":\n\n", "error upstream_disconnected" },
    { "not JSON first", "data: {\n\n", "502 invalid_upstream_answer" },
    { "not JSON later", SAY("a") "data: {\n\n",
      "error invalid_upstream_answer" },
    { "no chunk", SAY("a") "data: {'type':'response.created'}\n\n",
      "error invalid_upstream_answer" },
    { "a delta that is no object", "data: {'id':'c','object':"
      "'chat.completion.chunk','created':1,'model':'m','choices':"
      "[{'index':0,'delta':'a','finish_reason':null}]}\n\n",
      "502 invalid_upstream_answer" },
    { "an error first", "data: {'error':{'message':'slow','type':'t',"
      "'code':429}}\n\n" DONE, "429 rate_limit_exceeded" },
    { "an error later", SAY("a") "data: {'error':{'message':'slow','type':"
      "'t','code':429}}\n\n" DONE, "error rate_limit_exceeded" },
    { "an error that is a text", SAY("a") "data: {'error':'oops'}\n\n",
      "error server_error" },
    { "an error by its event", SAY("a")
      "event: error\ndata: {'message':'oops'}\n\n", "error server_error" },
    { "an error that is null", "data: {'id':'c','object':"
      "'chat.completion.chunk','created':1,'model':'m','choices':[],"
      "'error':null}\n\n" SAY("a") STOP DONE, "done" },
    { "the word in a text", SAY("\\\"error\\\"") STOP DONE, "done" },
};

#define NTESTS  (sizeof(tests) / sizeof(tests[0]))


static void test_chat(void);
static void test_output(void);
static void test_model(void);
static void test_mask(void);
static void chat(answer_t *a, const char *text);


int
main(void)
{
    test_chat();
    test_output();
    test_model();
    test_mask();

    return done_testing();
}


static void
test_chat(void)
{
    answer_t     a;
    ngx_uint_t   i;

    for (i = 0; i < NTESTS; i++) {
        chat(&a, tests[i].script);
        stream_answer_is(&a, tests[i].name, tests[i].digest);
        ngx_ors_test_log_reset();
    }
}


static void
test_output(void)
{
    u_char    *quoted;
    answer_t   a;

    static const char  script[] =
        ": hi\n\n"
        "id: 1\r\nevent: message\r\n"
        "data:{'id':'c','object':'chat.completion.chunk','created':1,\r\n"
        "data:'model':'m','choices':[{'index':0,'delta':{'content':'a'},"
        "'finish_reason':'stop'}], 'x':{}} \r\n\r\n";

    static const char  output[] =
        ":\n\n"
        "data: {'id':'c','object':'chat.completion.chunk','created':1, "
        "'model':'m','choices':[{'index':0,'delta':{'content':'a'},"
        "'finish_reason':'stop'}], 'x':{}}\n\n"
        "data: [DONE]\n\n";

    quoted = answer_quotes(output, strlen(output));

    chat(&a, script);
    answer_run(&a);

    is_mem(a.text, a.size, quoted, strlen(output), "frames without a type");
    is_str(&a.verify.type, "text/event-stream", "type");
    is_int(a.verify.repaired, 1, "[DONE] is repaired");

    answer_free(&a);
    free(quoted);

    /* missing members are filled in */

    chat(&a, "data: {'choices':[{'index':0,'delta':{'content':'a'},"
             "'finish_reason':'stop'}]}\n\n" DONE);
    stream_answer_is(&a, "a chunk that lacks all but its choices", "done");
}


static void
test_model(void)
{
    answer_t   a;

    chat(&a, SAY("a") STOP DONE);
    a.request = "{'model':'alias','messages':[{'role':'user','content':"
                "'hi'}],'stream':true}";
    answer_run(&a);

    ok(strstr((char *) a.text, "\"model\":\"m\"") == NULL
       && strstr((char *) a.text, "\"model\":\"alias\"") != NULL,
       "the model is set back");
    is_int(a.verify.repaired, 2, "in each chunk");

    answer_free(&a);
}


static void
test_mask(void)
{
    answer_t   a;

    chat(&a, SAY("a") "data: {'error':{'message':'key sk-SECRET','type':"
         "'invalid_request_error','code':'invalid_api_key'}}\n\n");
    a.policy.mask = 1;
    answer_run(&a);

    ok(strstr((char *) a.text, "SECRET") == NULL
       && strstr((char *) a.text, "invalid_api_key") == NULL
       && strstr((char *) a.text, "data: {\"error\":{") != NULL,
       "an error is masked");
    is_int(a.verify.refused, 0, "it is not ours");

    answer_free(&a);
}


static void
chat(answer_t *a, const char *text)
{
    stream_init(a, text);

    a->endpoint = ngx_ors_endpoint_chat;
}
