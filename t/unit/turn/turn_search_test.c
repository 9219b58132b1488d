
/*
 * Copyright (C) Open Responses contributors
 */


/* The client's searches for tools, on their way down. */


#include "turn_check.h"
#include "turn_scripts.h"


static void test_way(ngx_uint_t i);
static void test_events(void);
static void test_choice(void);
static void test_limits(void);


#define TOOLS                                                                 \
    "'input':'hi','tools':[{'type':'function','name':'f'},"                   \
    "{'type':'tool_search','execution':'client','description':'d',"           \
    "'parameters':{}}]"

#define SEARCH(i, args)                                                       \
    CALL("'index':" #i ",'id':'s" #i "','function':{'name':'tool_search',"    \
         "'arguments':'" args "'}")

#define END   FINISH("tool_calls") DONE
#define USED  " | usage 0+0=0"


static struct {
    const char   *name;
    const char   *body;
    const char   *expected;
} ways[] = {

    { "a search", SEARCH(0, "{\\'query\\':\\'a\\',\\'limit\\': 8}") END,
      "completed | search (s0) {'query':'a','limit': 8}" USED },

    { "in pieces", SEARCH(0, "") ARGS(0, "{\\'que") ARGS(0, "ry\\':\\'\\\\")
      ARGS(0, "u00e9\xc3\xa9\\\\ud83d\\\\ude00") ARGS(0, "\\'}") END,
      "completed | search (s0) {'query':'\\u00e9\xc3\xa9\\ud83d\\ude00'}"
      USED },

    { "E43 a late name", CALL("'index':0,'function':{'arguments':'{\\'a\\'"
                              "'}") ARGS(0, ":1}")
      CALL("'index':0,'id':'s','function':{'name':'tool_search'}") END,
      "completed | search (s) {'a':1}" USED },

    { "on many lines", SEARCH(0, "{\\n\\'a\\'\\r\\n:\\t1\\n}") END,
      "completed | search (s0) { 'a'  :\t1 }" USED },

    { "E8 nothing", SEARCH(0, "") END, "completed | search (s0) {}" USED },

    { "E45 an object", CALL("'index':0,'id':'s','function':{'name':"
                            "'tool_search','arguments':{'a':[1e400]}}") END,
      "completed | search (s) {'a':[1e400]}" USED },

    { "no JSON", SEARCH(0, "find \\'x\\'\\n") END,
      "completed | search (s0) find 'x'\n" USED },

    { "E49 cut", SEARCH(0, "{\\'a\\':") FINISH("length") DONE,
      "incomplete max_output_tokens | search! (s0) {'a':" USED },

    { "among others", SEARCH(0, "{\\'a\\':1}")
      CALL("'index':1,'id':'b','function':{'name':'f','arguments':'{}'}")
      SEARCH(2, "{\\'a\\':2}") END,
      "completed | search (s0) {'a':1} | call f(b) {} | search (s2) {'a':2}"
      USED },

    { "E46 in turns", SEARCH(0, "{\\'a\\'") SEARCH(1, "{\\'b\\'")
      ARGS(0, ":1}") ARGS(1, ":2}") END,
      "completed | search (s0) {'a':1} | search (s1) {'b':2}" USED },

    { "E61 repeated", SEARCH(0, "{\\'a\\':1}")
      DATA("{'choices':[{'message':{'tool_calls':[{'id':'s0','function':{"
           "'name':'tool_search','arguments':'{\\'a\\':1}'}}]}}]}") END,
      "completed | search (s0) {'a':1}" USED }
};


int
main(void)
{
    ngx_uint_t  i;

    for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        test_way(i);
    }

    test_events();
    test_choice();
    test_limits();

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
    run.request = TOOLS;

    check_ways(&run, NGX_ORS_TOLERANT_OPENAI, ways[i].expected,
               ways[i].name);

    free(body);
}


/* it is announced as soon as it is known, and told when it is whole */

static void
test_events(void)
{
    char    *added, *done, *text;
    run_t    run;
    size_t   len;
    u_char  *body;

    body = run_text(SEARCH(0, "") ARGS(0, "{\\'a\\':") ARGS(0, "1}") END,
                    &len);

    run_init(&run, body, len);
    run.request = TOOLS;
    run.policy.profile = NGX_ORS_STRICT_OPENAI;

    run_turn(&run);

    text = (char *) run.text;
    added = strstr(text, "event: response.output_item.added");
    done = strstr(text, "event: response.output_item.done");

    ok(added && done && added < done, "its events");
    ok(added && strstr(added, "\"arguments\":{}}}\n\n"),
       "it is announced with nothing");
    ok(done && strstr(done, "\"arguments\":{\"a\":1}}}\n\n"),
       "it is told as a whole");
    ok(strstr(text, "arguments.d") == NULL, "there are no deltas");
    ok(strstr(text, "\"id\":\"tsc_"), "its id");

    run_free(&run);
    free(body);
}


static void
test_choice(void)
{
    run_t        run;
    size_t       len;
    u_char      *body;
    ngx_uint_t   i;

    static struct {
        const char  *choice;
        const char  *expected;
    } tests[] = {
        { "{'type':'tool_search'}",
          "completed | call f(b) {} | search (s1) {'a':2}" USED },
        { "{'type':'allowed_tools','tools':[{'type':'tool_search'}]}",
          "completed | search (s1) {'a':2}" USED },
        { "{'type':'allowed_tools','tools':[{'type':'function','name':'f'}]}",
          "completed | call f(b) {}" USED },
        { "'none'", "500 model_error" }
    };

    body = run_text(CALL("'index':0,'id':'b','function':{'name':'f',"
                         "'arguments':'{}'}")
                    SEARCH(1, "{\\'a\\':2}") END, &len);

    for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        char  request[512];

        snprintf(request, sizeof(request), TOOLS ",'tool_choice':%s",
                 tests[i].choice);

        run_init(&run, body, len);
        run.request = request;
        run.stream = 0;
        run.policy.profile = NGX_ORS_STRICT_OPENAI;

        run_turn(&run);
        check_digest(&run, tests[i].expected, tests[i].choice);
        run_free(&run);
    }

    free(body);

    /* one that must be made, and is not */

    body = run_text(TEXT("a") END, &len);

    run_init(&run, body, len);
    run.request = TOOLS ",'tool_choice':{'type':'tool_search'}";
    run.stream = 0;
    run.policy.profile = NGX_ORS_STRICT_OPENAI;

    run_turn(&run);
    check_digest(&run, "500 model_error", "a search that is not made");
    run_free(&run);

    free(body);
}


/* arguments that are too deep for this server are handed on as a text */

static void
test_limits(void)
{
    run_t    run;
    size_t   len;
    u_char  *body;

    body = run_text(SEARCH(0, "[[[[[[[[[[[]]]]]]]]]]]") END, &len);

    run_init(&run, body, len);
    run.request = TOOLS;
    run.stream = 0;
    run.policy.profile = NGX_ORS_STRICT_OPENAI;
    run.limits.depth = 10;

    run_turn(&run);
    check_digest(&run, "completed | search (s0) [[[[[[[[[[[]]]]]]]]]]]" USED,
                 "too deep");
    ok(strstr((char *) run.text, "\"arguments\":\"[["), "... as a string");
    run_free(&run);

    free(body);
}
