
/*
 * Copyright (C) Open Responses contributors
 */


/* Thoughts of a model, in each way in which they may be shown. */


#include "turn_check.h"
#include "turn_scripts.h"


static void test_way(ngx_uint_t i);
static void test_events(void);
static const char *event_types(run_t *run);


#define THINK(text)   DELTA("'reasoning_content':'" text "'")

#define NONE          ngx_ors_chat_think_off
#define TAGS          ngx_ors_chat_think_on
#define OPEN          ngx_ors_chat_think_open

#define SUMMARY       ngx_ors_reasoning_summary
#define CONTENT       ngx_ors_reasoning_content
#define OFF           ngx_ors_reasoning_off


static struct {
    ngx_ors_chat_think_e  think;
    ngx_ors_reasoning_e   reasoning;
    const char           *name;
    const char           *body;
    const char           *expected;
} ways[] = {

    { NONE, SUMMARY, "a summary",
      THINK("h") THINK("m") TEXT("Hi") FINISH("stop") DONE,
      "completed | reasoning text(hm) | message text(Hi) | usage 0+0=0" },

    { NONE, CONTENT, "content",
      THINK("h") THINK("m") TEXT("Hi") FINISH("stop") DONE,
      "completed | reasoning thought(hm) | message text(Hi) | usage 0+0=0" },

    { NONE, CONTENT, "content, cut",
      THINK("h") THINK("m") FINISH("length") DONE,
      "incomplete max_output_tokens | reasoning! thought(hm) | usage 0+0=0" },

    { NONE, CONTENT, "E47 content after text, text again",
      TEXT("a") THINK("b") TEXT("c") FINISH("stop") DONE,
      "completed | message text(a) | reasoning thought(b) | message text(c)"
      " | usage 0+0=0" },

    /* its events are gathered, as are those of all items in this place */

    { NONE, CONTENT, "content after an open call",
      CALL("'index':0,'id':'a','function':{'name':'f','arguments':'{'}")
      THINK("h") THINK("m") TEXT("Hi") ARGS(0, "}") FINISH("stop") DONE,
      "completed | call f(a) {} | reasoning thought(hm) | message text(Hi)"
      " | usage 0+0=0" },

    { NONE, CONTENT, "E56 content in parts",
      DELTA("'content':[{'type':'thinking','thinking':["
            "{'type':'text','text':'h'},{'type':'text','text':'m'}]},"
            "{'type':'text','text':'Hi'}]") FINISH("stop") DONE,
      "completed | reasoning thought(hm) | message text(Hi) | usage 0+0=0" },

    { NONE, SUMMARY, "E7 one text in three fields",
      DELTA("'reasoning':'h','reasoning_content':'h','reasoning_details':["
            "{'type':'reasoning.text','text':'h'}]")
      DELTA("'reasoning':'m','reasoning_content':null,'reasoning_details':["
            "{'type':'reasoning.summary','summary':'m'}]")
      TEXT("Hi") FINISH("stop") DONE,
      "completed | reasoning text(hm) | message text(Hi) | usage 0+0=0" },

    { NONE, SUMMARY, "E7 details alone",
      DELTA("'content':'','reasoning':'','reasoning_details':["
            "{'type':'reasoning.summary','summary':'h','index':0},"
            "{'type':'reasoning.encrypted','data':'x'}]")
      DELTA("'content':'Hi','reasoning':null,'reasoning_details':["
            "{'type':'reasoning.text','text':'m','signature':null},null,[],"
            "'x',{'text':null,'summary':7}]") FINISH("stop") DONE,
      "completed | reasoning text(hm) | message text(Hi) | usage 0+0=0" },

    { NONE, SUMMARY, "E7 details of another type",
      DELTA("'content':'Hi','reasoning_details':{'text':'h'}")
      FINISH("stop") DONE,
      "completed | message text(Hi) | usage 0+0=0" },

    { NONE, SUMMARY, "E61 details again",
      DELTA("'reasoning_details':[{'text':'h'}]") TEXT("Hi")
      DATA("{'choices':[{'message':{'content':'Hi','reasoning_details':["
           "{'text':'h'}]},'finish_reason':'stop'}]}") DONE,
      "completed | reasoning text(h) | message text(Hi) | usage 0+0=0" },

    { NONE, CONTENT, "E7 details as content",
      DELTA("'reasoning_details':[{'text':'h'},{'summary':'m'}]")
      TEXT("Hi") FINISH("stop") DONE,
      "completed | reasoning thought(hm) | message text(Hi) | usage 0+0=0" },

    { NONE, OFF, "off", THINK("h") THINK("m") TEXT("Hi") FINISH("stop") DONE,
      "completed | message text(Hi) | usage 0+0=0" },

    { NONE, OFF, "off, text before and after",
      TEXT("a") THINK("b") TEXT("c") FINISH("stop") DONE,
      "completed | message text(ac) | usage 0+0=0" },

    { NONE, OFF, "off, and nothing else",
      THINK("h") FINISH("length") DONE,
      "incomplete max_output_tokens | message! text() | usage 0+0=0" },

    { NONE, OFF, "off, and nothing else, without a reason", THINK("h") DONE,
      "completed | message text() | usage 0+0=0" },

    { NONE, OFF, "off, parts",
      DELTA("'content':[{'type':'thinking','thinking':'hm'},"
            "{'type':'text','text':'Hi'}]") FINISH("stop") DONE,
      "completed | message text(Hi) | usage 0+0=0" },

    /* E57 */

    { TAGS, SUMMARY, "E57 tags", TEXT("<think>\\nhm\\n</think>\\n\\nHi")
      FINISH("stop") DONE,
      "completed | reasoning text(hm\n) | message text(Hi) | usage 0+0=0" },

    { TAGS, CONTENT, "E57 tags in pieces",
      TEXT("<th") TEXT("ink>h") TEXT("m<") TEXT("\\/think") TEXT("\\u003e")
      TEXT("\\n") TEXT("\\nH") TEXT("i") FINISH("stop") DONE,
      "completed | reasoning thought(hm) | message text(Hi) | usage 0+0=0" },

    { TAGS, SUMMARY, "E57 never closed", TEXT("<think>h") TEXT("m</th")
      FINISH("stop") DONE,
      "completed | reasoning text(hm</th) | usage 0+0=0" },

    { TAGS, SUMMARY, "E57 never closed, cut", TEXT("<think>h") TEXT("m")
      FINISH("length") DONE,
      "incomplete max_output_tokens | reasoning! text(hm) | usage 0+0=0" },

    { TAGS, SUMMARY, "E57 no tags", TEXT(" ") TEXT("Hi <think>")
      FINISH("stop") DONE,
      "completed | message text( Hi <think>) | usage 0+0=0" },

    { TAGS, SUMMARY, "E57 an empty thought",
      TEXT("<think>\\n\\n</think>\\n\\n") TEXT("Hi") FINISH("stop") DONE,
      "completed | message text(Hi) | usage 0+0=0" },

    { TAGS, SUMMARY, "E57 in parts",
      DELTA("'content':[{'type':'text','text':'<think>h'},"
            "{'type':'text','text':'m</think>'},"
            "{'type':'text','text':'Hi'}]") FINISH("stop") DONE,
      "completed | reasoning text(hm) | message text(Hi) | usage 0+0=0" },

    { OPEN, SUMMARY, "E57 only the second tag", TEXT("h") TEXT("m</thi")
      TEXT("nk>Hi") FINISH("stop") DONE,
      "completed | reasoning text(hm) | message text(Hi) | usage 0+0=0" },

    { OPEN, SUMMARY, "E57 not even the second tag", TEXT("h") TEXT("m")
      FINISH("stop") DONE,
      "completed | reasoning text(hm) | usage 0+0=0" },

    { TAGS, OFF, "E57 tags, off", TEXT("<think>hm</think>Hi")
      FINISH("stop") DONE,
      "completed | message text(Hi) | usage 0+0=0" },

    { NONE, SUMMARY, "E57 not asked for", TEXT("<think>hm</think>Hi")
      FINISH("stop") DONE,
      "completed | message text(<think>hm</think>Hi) | usage 0+0=0" },

    /* text that was held back stands where it came, white space does not */

    { TAGS, SUMMARY, "E57 the beginning of a tag, then a call", TEXT("<th")
      DELTA("'content':null,'tool_calls':[]")
      CALL("'index':0,'id':'a','function':{'name':'f','arguments':'{}'}")
      FINISH("tool_calls") DONE,
      "completed | message text(<th) | call f(a) {} | usage 0+0=0" },

    { TAGS, SUMMARY, "E57 a tag, and a list of no calls in each chunk",
      DELTA("'content':'<th','tool_calls':[]")
      DELTA("'content':'ink>h','tool_calls':[]")
      DELTA("'content':'m</think>Hi','tool_calls':[]") FINISH("stop") DONE,
      "completed | reasoning text(hm) | message text(Hi) | usage 0+0=0" },

    { TAGS, SUMMARY, "E57 white space, then a call", TEXT("\\n")
      CALL("'index':0,'id':'a','function':{'name':'f','arguments':'{}'}")
      FINISH("tool_calls") DONE,
      "completed | call f(a) {} | usage 0+0=0" },

    { TAGS, SUMMARY, "E57 held back, and no reason", TEXT("<th") DONE,
      "completed | message text(<th) | usage 0+0=0" },

    { TAGS, SUMMARY, "E61 a thought again",
      TEXT("<think>h") TEXT("m</think>")
      DATA("{'choices':[{'message':{'content':'<think>hm</think>'},"
           "'finish_reason':'stop'}]}") DONE,
      "completed | reasoning text(hm) | usage 0+0=0" }
};


int
main(void)
{
    ngx_uint_t  i;

    for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        test_way(i);
    }

    test_events();

    return done_testing();
}


static void
test_way(ngx_uint_t i)
{
    run_t    run;
    size_t   len;
    u_char  *body;

    body = run_text(ways[i].body, &len);

    run_init(&run, body, len);
    run.request = "'input':'hi','tools':[{'type':'function','name':'f'}]";
    run.think = ways[i].think;
    run.policy.reasoning = ways[i].reasoning;

    check_ways(&run, NGX_ORS_TOLERANT_SPEC, ways[i].expected, ways[i].name);

    free(body);
}


/* C3: a delta is named after its part, or as the specification has it */

static void
test_events(void)
{
    run_t        run;
    size_t       len;
    u_char      *body;
    ngx_str_t    s;
    ngx_uint_t   i;

    static struct {
        ngx_uint_t            profile;
        ngx_ors_reasoning_e   reasoning;
        const char           *types;
    } tests[] = {

        { NGX_ORS_STRICT_SPEC, SUMMARY,
          "reasoning_summary_part.added reasoning_summary_text.delta "
          "reasoning_summary_text.delta reasoning_summary_text.done "
          "reasoning_summary_part.done " },

        { NGX_ORS_STRICT_SPEC, CONTENT,
          "content_part.added reasoning.delta reasoning.delta "
          "reasoning.done content_part.done " },

        { NGX_ORS_TOLERANT_SPEC, CONTENT,
          "content_part.added reasoning.delta reasoning.delta "
          "reasoning.done content_part.done " },

        { NGX_ORS_STRICT_OPENAI, CONTENT,
          "content_part.added reasoning_text.delta reasoning_text.delta "
          "reasoning_text.done content_part.done " },

        { NGX_ORS_TOLERANT_OPENAI, CONTENT,
          "content_part.added reasoning_text.delta reasoning_text.delta "
          "reasoning_text.done content_part.done " }
    };

    body = run_text(THINK("h") THINK("m") FINISH("stop") DONE, &len);

    for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        run_init(&run, body, len);
        run.policy.profile = tests[i].profile;
        run.policy.reasoning = tests[i].reasoning;

        run_turn(&run);

        s.data = (u_char *) event_types(&run);
        s.len = strlen((char *) s.data);

        is_str(&s, tests[i].types, "events, %d", (int) i);

        run_free(&run);
    }

    free(body);
}


/* those of parts and their texts, without "response." */

static const char *
event_types(run_t *run)
{
    char  *p;

    static char  list[4096];

    list[0] = '\0';

    for (p = strtok((char *) run->text, "\n"); p; p = strtok(NULL, "\n")) {

        if (strncmp(p, "event: response.", 16) == 0
            && (strstr(p, "_part.") || strstr(p, "reasoning")))
        {
            strncat(list, p + 16, sizeof(list) - strlen(list) - 1);
            strncat(list, " ", sizeof(list) - strlen(list) - 1);
        }
    }

    return list;
}
