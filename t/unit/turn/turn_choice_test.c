
/*
 * Copyright (C) Open Responses contributors
 */


/* Models that call tools which the request does not permit. */


#include "turn_check.h"
#include "turn_scripts.h"


static void test_way(ngx_uint_t i);
static void test_run(run_t *run, const char *expected, const char *name);
static void test_error(void);
static void test_spaces(void);


#define TOOLS                                                                 \
    "'input':'hi','tools':[{'type':'function','name':'f'},"                   \
    "{'type':'function','name':'g'}]"

#define CHOOSE(choice)  TOOLS ",'tool_choice':" choice
#define ALLOW(mode)                                                           \
    CHOOSE("{'type':'allowed_tools','mode':'" mode "','tools':["              \
           "{'type':'function','name':'g'}]}")

#define NAMED(i, name)                                                        \
    CALL("'index':" #i ",'id':'" name #i "','function':{'name':'" name "',"   \
         "'arguments':'{}'}")

#define END     FINISH("stop") DONE
#define FAILED  "500 model_error"
#define USED    " | usage 0+0=0"


static struct {
    const char   *name;
    const char   *request;
    const char   *body;
    const char   *strict;
    const char   *tolerant;       /* NULL: the same */
} ways[] = {

    { "R67 auto, no call", TOOLS, TEXT("a") END,
      "completed | message text(a)" USED, NULL },

    { "R67 auto, calls", TOOLS, NAMED(0, "f") NAMED(1, "g") END,
      "completed | call f(f0) {} | call g(g1) {}" USED, NULL },

    { "R69 none, a call", CHOOSE("'none'"), NAMED(0, "f") END, FAILED, NULL },

    { "R69 none, a call and thoughts", CHOOSE("'none'"),
      NAMED(0, "f") DELTA("'reasoning':'hm'") END, FAILED, NULL },

    { "R69 none, a call of no tool", CHOOSE("'none'"), NAMED(0, "x") END,
      FAILED, NULL },

    { "R69 none, a call after text", CHOOSE("'none'"),
      TEXT("a") NAMED(0, "f") END, "completed | message text(a)" USED, NULL },

    { "R69 none, a call in pieces before text", CHOOSE("'none'"),
      CALL("'index':0,'id':'a','function':{'name':'f','arguments':'{'}")
      ARGS(0, "}") TEXT("a") ARGS(0, " ") TEXT("b") END,
      "completed | message text(ab)" USED, NULL },

    { "R69 none, a call with a late name", CHOOSE("'none'"),
      CALL("'index':0,'function':{'arguments':'{'}") ARGS(0, "}")
      CALL("'index':0,'id':'a','function':{'name':'f'}") TEXT("a") END,
      "completed | message text(a)" USED, NULL },

    { "R69 none, a call that is cut", CHOOSE("'none'"),
      CALL("'index':0,'id':'a','function':{'name':'f','arguments':'{'}")
      FINISH("length") DONE,
      "incomplete max_output_tokens | message! text()" USED, NULL },

    { "R69 none, no call", CHOOSE("'none'"), TEXT("a") END,
      "completed | message text(a)" USED, NULL },

    { "R71 an allowed tool", ALLOW("auto"), NAMED(0, "g") END,
      "completed | call g(g0) {}" USED, NULL },

    { "R71 another tool", ALLOW("auto"), NAMED(0, "f") END, FAILED, NULL },

    { "R71 no tool at all", ALLOW("auto"), NAMED(0, "x") END, FAILED, NULL },

    { "R71 both", ALLOW("auto"),
      NAMED(0, "f") NAMED(1, "g") NAMED(2, "f") END,
      "completed | call g(g1) {}" USED, NULL },

    { "R71 in turns", ALLOW("auto"),
      CALL("'index':0,'id':'a','function':{'name':'g','arguments':'{'}")
      CALL("'index':1,'id':'b','function':{'name':'f','arguments':'{'}")
      ARGS(0, "}") ARGS(1, "}") TEXT("a") END,
      "completed | call g(a) {} | message text(a)" USED, NULL },

    { "R71 another tool, and text", ALLOW("auto"),
      TEXT("a") NAMED(0, "f") END,
      "completed | message text(a)" USED, NULL },

    { "R71 a list of one that is escaped",
      CHOOSE("{'type':'allowed_tools','tools':["
             "{'type':'function','name':'\\u0067'}]}"),
      NAMED(0, "g") END, "completed | call g(g0) {}" USED, NULL },

    { "R71 allowed and none", ALLOW("none"), NAMED(0, "g") END, FAILED, NULL },

    { "R71 allowed and required", ALLOW("required"), NAMED(0, "g") END,
      "completed | call g(g0) {}" USED, NULL },

    { "R71 allowed and required, no call", ALLOW("required"), TEXT("a") END,
      FAILED, "completed | message text(a)" USED },

    { "R71 allowed and required, another tool", ALLOW("required"),
      NAMED(0, "f") TEXT("a") END,
      FAILED, "completed | message text(a)" USED },

    { "R68 required", CHOOSE("'required'"), NAMED(0, "f") END,
      "completed | call f(f0) {}" USED, NULL },

    { "R68 required, no call", CHOOSE("'required'"), TEXT("a") END,
      FAILED, "completed | message text(a)" USED },

    { "R68 required, nothing at all", CHOOSE("'required'"), END,
      FAILED, "completed | message text()" USED },

    { "R68 required, cut before the call", CHOOSE("'required'"),
      TEXT("a") FINISH("length") DONE,
      "incomplete max_output_tokens | message! text(a)" USED, NULL },

    { "R68 required, and no tools", "'input':'hi','tool_choice':'required'",
      TEXT("a") END, "completed | message text(a)" USED, NULL },

    { "R70 named", CHOOSE("{'type':'function','name':'g'}"),
      NAMED(0, "g") END, "completed | call g(g0) {}" USED, NULL },

    { "R70 named, and another one", CHOOSE("{'type':'function','name':'g'}"),
      NAMED(0, "f") NAMED(1, "g") END,
      "completed | call f(f0) {} | call g(g1) {}" USED, NULL },

    { "R70 named, no call", CHOOSE("{'type':'function','name':'g'}"),
      TEXT("a") END, FAILED, "completed | message text(a)" USED },

    { "R70 named, only another one",
      CHOOSE("{'type':'function','name':'g'}"), NAMED(0, "f") END,
      FAILED, "completed | call f(f0) {}" USED },

    { "E65 not offered", TOOLS, NAMED(0, "x") END,
      FAILED, "completed | call x(x0) {}" USED },

    { "E65 not offered, and text", TOOLS, TEXT("a") NAMED(0, "x") END,
      "completed | message text(a)" USED,
      "completed | message text(a) | call x(x0) {}" USED },

    { "E65 not offered, and one that was", TOOLS,
      NAMED(0, "x") NAMED(1, "f") END,
      "completed | call f(f1) {}" USED,
      "completed | call x(x0) {} | call f(f1) {}" USED },

    { "E65 nothing was offered", "'input':'hi'", NAMED(0, "x") END,
      FAILED, "completed | call x(x0) {}" USED },

    { "one call at a time", TOOLS ",'parallel_tool_calls':false",
      NAMED(0, "f") NAMED(1, "g") TEXT("a") NAMED(2, "f") END,
      "completed | call f(f0) {} | message text(a)" USED, NULL },

    { "one call at a time, in turns", TOOLS ",'parallel_tool_calls':false",
      CALL("'index':0,'id':'a','function':{'name':'f','arguments':'{'}")
      CALL("'index':1,'id':'b','function':{'name':'g','arguments':'{'}")
      ARGS(1, "}") ARGS(0, "}") END,
      "completed | call f(a) {}" USED, NULL },

    { "one call at a time, after one that is refused",
      ALLOW("auto") ",'parallel_tool_calls':false",
      NAMED(0, "f") NAMED(1, "g") NAMED(2, "g") END,
      "completed | call g(g1) {}" USED, NULL },

    { "several calls at a time", TOOLS ",'parallel_tool_calls':true",
      NAMED(0, "f") NAMED(1, "g") END,
      "completed | call f(f0) {} | call g(g1) {}" USED, NULL }
};


int
main(void)
{
    ngx_uint_t  i;

    for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        test_way(i);
    }

    test_error();
    test_spaces();

    return done_testing();
}


static void
test_way(ngx_uint_t i)
{
    char         name[128];
    run_t        run;
    size_t       len;
    u_char      *body;
    ngx_uint_t   n;
    const char  *expected;

    body = run_text(ways[i].body, &len);

    run_init(&run, body, len);
    run.request = ways[i].request;

    for (n = 0; n < 4; n++) {
        run.stream = n & 1;
        run.policy.profile
            = (n & 2) ? NGX_ORS_STRICT_SPEC : NGX_ORS_TOLERANT_SPEC;

        expected = ((n & 2) || ways[i].tolerant == NULL) ? ways[i].strict
                                                         : ways[i].tolerant;

        if (run.stream && strcmp(expected, FAILED) == 0) {
            expected = "failed model_error";
        }

        snprintf(name, sizeof(name), "%s, %s, %s", ways[i].name,
                 (n & 2) ? "strict" : "tolerant", (n & 1) ? "stream" : "plain");

        test_run(&run, expected, name);
    }

    free(body);
}


/* whole, and in the least pieces */

static void
test_run(run_t *run, const char *expected, const char *name)
{
    for (run->step = 0; run->step < 2; run->step++) {
        run_turn(run);
        check_digest(run, expected, name);
        run_free(run);
    }
}


static void
test_error(void)
{
    run_t    run;
    size_t   len;
    u_char  *body;

    body = run_text(NAMED(0, "f") END, &len);

    run_init(&run, body, len);
    run.request = CHOOSE("'none'");
    run.stream = 0;

    run_turn(&run);

    is_int(run.answered, 500, "error: status");
    ok(strstr((char *) run.text, "\"type\":\"model_error\"") != NULL,
       "error: type");
    ok(strstr((char *) run.text,
              "the model called a tool that it may not call") != NULL,
       "error: message");

    run_free(&run);
    free(body);

    /* the name is no less refused than the call */

    body = run_text(TEXT("a") NAMED(0, "secret") END, &len);

    run_init(&run, body, len);
    run.request = CHOOSE("'none'");

    run_turn(&run);

    ok(strstr((char *) run.text, "secret") == NULL, "nothing of it is sent");

    run_free(&run);
    free(body);
}


/* namespaces may be allowed as a whole, or a tool by its name upstream */

static void
test_spaces(void)
{
    run_t        run;
    size_t       len;
    u_char      *body;
    ngx_uint_t   i;

    static struct {
        const char   *allowed;
        const char   *expected;
    } tests[] = {
        { "{'type':'function','name':'a'},{'type':'namespace','name':'n'}",
          "completed | call n/f(n__f1) {} | call n/g(n__g2) {}" USED },
        { "{'type':'function','name':'a'},{'type':'namespace','name':'m'},"
          "{'type':'web_search'}", FAILED },
        { "{'type':'function','name':'n__f'}",
          "completed | call n/f(n__f1) {}" USED },
        { "{'type':'function','name':'f','namespace':'n'}",
          "completed | call n/f(n__f1) {}" USED },
        { "{'type':'custom','name':'g','namespace':'n'},{'type':'function',"
          "'name':'f','namespace':'m'}",
          "completed | call n/g(n__g2) {}" USED },
        { "{'type':'function','name':'f'}", FAILED }
    };

    body = run_text(NAMED(0, "b") NAMED(1, "n__f") NAMED(2, "n__g") END, &len);

    for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        char  request[512];

        snprintf(request, sizeof(request),
                 "'input':'hi','tools':[{'type':'namespace','name':'n',"
                 "'description':'d','tools':[{'type':'function','name':'f'},"
                 "{'type':'function','name':'g'}]},"
                 "{'type':'function','name':'a'},"
                 "{'type':'function','name':'b'}],"
                 "'tool_choice':{'type':'allowed_tools','tools':[%s]}",
                 tests[i].allowed);

        run_init(&run, body, len);
        run.request = request;
        run.stream = 0;
        run.policy.profile = NGX_ORS_STRICT_OPENAI;

        run_turn(&run);
        check_digest(&run, tests[i].expected, "namespaces");
        run_free(&run);
    }

    free(body);
}
