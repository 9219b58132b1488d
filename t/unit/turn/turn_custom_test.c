
/*
 * Copyright (C) Open Responses contributors
 */


/* Calls of custom tools and of tools in namespaces, on their way down. */


#include "turn_check.h"
#include "turn_scripts.h"


static void test_way(ngx_uint_t i);
static void test_long(void);
static void test_events(void);
static const char *event_types(run_t *run);


#define TOOLS                                                                 \
    "'input':'hi','tools':["                                                  \
    "{'type':'function','name':'f'},"                                         \
    "{'type':'custom','name':'c','description':'d'},"                         \
    "{'type':'namespace','name':'ns','description':'d','tools':["             \
    "{'type':'function','name':'g'},{'type':'custom','name':'k'}]}]"

/* one level of escapes more than the text has */

#define IN   "{\\'input\\':\\'"
#define OUT  "\\'}"

#define CUSTOM(args)                                                          \
    CALL("'index':0,'id':'a','function':{'name':'c','arguments':'" args "'}")


static struct {
    const char   *name;
    const char   *body;
    const char   *expected;
} ways[] = {

    { "E64 a whole one", CUSTOM(IN "a\\\\nb" OUT) FINISH("tool_calls") DONE,
      "completed | custom c(a) a\nb | usage 0+0=0" },

    { "E64 in pieces",
      CUSTOM("") ARGS(0, "{\\'inp") ARGS(0, "ut\\': \\'") ARGS(0, "a")
      ARGS(0, "\\\\") ARGS(0, "n\\\\u00") ARGS(0, "e9\\\\ud83d")
      ARGS(0, "\\\\ude0") ARGS(0, "0" OUT) FINISH("tool_calls") DONE,
      "completed | custom c(a) a\n\xc3\xa9\xf0\x9f\x98\x80 | usage 0+0=0" },

    { "E64 other keys",
      CUSTOM("{\\'x\\':[1],") ARGS(0, "\\'input\\':\\'a\\',\\'y\\':2}")
      FINISH("tool_calls") DONE,
      "completed | custom c(a) a | usage 0+0=0" },

    { "E64 no wrapper", CUSTOM("  a") ARGS(0, " \\'b\\'\\n")
      FINISH("tool_calls") DONE,
      "completed | custom c(a)   a 'b'\n | usage 0+0=0" },

    { "E64 no wrapper, seen late", CUSTOM("{\\'") ARGS(0, "a\\' ")
      ARGS(0, "b") FINISH("tool_calls") DONE,
      "completed | custom c(a) {'a' b | usage 0+0=0" },

    { "E64 no input", CUSTOM("{\\'a\\':1}") FINISH("tool_calls") DONE,
      "completed | custom c(a) {'a':1} | usage 0+0=0" },

    { "E64 a broken wrapper", CUSTOM("{\\'inp") FINISH("tool_calls") DONE,
      "completed | custom c(a) {'inp | usage 0+0=0" },

    { "E64 its end is missing", CUSTOM(IN "ab") FINISH("tool_calls") DONE,
      "completed | custom c(a) ab | usage 0+0=0" },

    { "E64 nothing", CUSTOM("") FINISH("tool_calls") DONE,
      "completed | custom c(a)  | usage 0+0=0" },

    { "E64 an empty object", CUSTOM("{}") FINISH("tool_calls") DONE,
      "completed | custom c(a)  | usage 0+0=0" },

    { "E43 the name comes late",
      CALL("'index':0,'id':'a','function':{'arguments':'{\\'input'}")
      ARGS(0, "\\':\\'a\\\\")
      CALL("'index':0,'function':{'name':'c','arguments':'tb'}")
      ARGS(0, "c" OUT) FINISH("tool_calls") DONE,
      "completed | custom c(a) a\tbc | usage 0+0=0" },

    { "E43 name and id come last",
      CALL("'index':0,'function':{'arguments':'" IN "a" OUT "'}")
      CALL("'index':0,'id':'a','function':{'name':'c'}")
      FINISH("tool_calls") DONE,
      "completed | custom c(a) a | usage 0+0=0" },

    { "E43 the id comes late, no wrapper",
      CALL("'index':0,'function':{'name':'c','arguments':'a'}")
      ARGS(0, "b") CALL("'index':0,'id':'a'") ARGS(0, "c")
      FINISH("tool_calls") DONE,
      "completed | custom c(a) abc | usage 0+0=0" },

    { "E45 an object",
      CALL("'index':0,'id':'a','function':{'name':'c',"
           "'arguments':{'input':'a\\nb'}}") FINISH("tool_calls") DONE,
      "completed | custom c(a) a\nb | usage 0+0=0" },

    { "E46 in turns",
      CUSTOM(IN "a")
      CALL("'index':1,'id':'b','function':{'name':'c','arguments':'" IN "'}")
      CALL("'index':2,'id':'d','function':{'name':'f','arguments':'{'}")
      ARGS(1, "x\\\\") ARGS(0, "b" OUT) ARGS(1, "ny" OUT) ARGS(2, "}")
      FINISH("tool_calls") DONE,
      "completed | custom c(a) ab | custom c(b) x\ny | call f(d) {}"
      " | usage 0+0=0" },

    { "E49 cut in the input", CUSTOM(IN "a\\\\") FINISH("length") DONE,
      "incomplete max_output_tokens | custom! c(a) a | usage 0+0=0" },

    { "E49 cut before the input", CUSTOM("{\\'inp") FINISH("length") DONE,
      "incomplete max_output_tokens | custom! c(a)  | usage 0+0=0" },

    { "E49 nothing follows one that was cut",
      CUSTOM(IN) TEXT("a") FINISH("length") DONE,
      "incomplete max_output_tokens | custom! c(a)  | usage 0+0=0" },

    { "E49 a whole one before the cut",
      CUSTOM(IN "a" OUT) TEXT("b") FINISH("length") DONE,
      "incomplete max_output_tokens | custom c(a) a | message! text(b)"
      " | usage 0+0=0" },

    { "E61 repeated",
      CUSTOM(IN "a" OUT)
      DATA("{'choices':[{'message':{'tool_calls':[{'id':'a','function':{"
           "'name':'c','arguments':'" IN "a" OUT "'}}]}}]}")
      FINISH("tool_calls") DONE,
      "completed | custom c(a) a | usage 0+0=0" },

    { "E24 tools of a namespace",
      CALL("'index':0,'id':'a','function':{'name':'ns__g',"
           "'arguments':'{}'}")
      CALL("'index':1,'id':'b','function':{'name':'ns__k',"
           "'arguments':'" IN "x" OUT "'}") FINISH("tool_calls") DONE,
      "completed | call ns/g(a) {} | custom ns/k(b) x | usage 0+0=0" },

    { "E42 the name in each piece",
      CALL("'index':0,'id':'a','function':{'name':'ns__g',"
           "'arguments':'{'}")
      CALL("'index':0,'function':{'name':'ns__g','arguments':'}'}")
      FINISH("tool_calls") DONE,
      "completed | call ns/g(a) {} | usage 0+0=0" }
};


int
main(void)
{
    ngx_uint_t  i;

    for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        test_way(i);
    }

    test_long();
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
    run.request = TOOLS;

    check_ways(&run, NGX_ORS_TOLERANT_OPENAI, ways[i].expected,
               ways[i].name);

    free(body);
}


/* in one piece, and longer than what is decoded without memory of its own */

static void
test_long(void)
{
    char         text[6000], input[4096];
    run_t        run;
    size_t       len;
    u_char      *body;

    memset(input, 'a', sizeof(input) - 1);
    input[sizeof(input) - 1] = '\0';

    snprintf(text, sizeof(text), CUSTOM(IN "%s" OUT) FINISH("tool_calls"),
             input);

    body = run_text(text, &len);

    run_init(&run, body, len);
    run.request = TOOLS;
    run.policy.profile = NGX_ORS_STRICT_OPENAI;

    snprintf(text, sizeof(text), "completed | custom c(a) %s | usage 0+0=0",
             input);

    run_turn(&run);
    check_digest(&run, text, "a long one");

    run_free(&run);
    free(body);
}


/* a client hears of the input as soon as there is some */

static void
test_events(void)
{
    run_t        run;
    size_t       len;
    u_char      *body;
    ngx_str_t    s;

    body = run_text(CUSTOM("{\\'x\\':1,") ARGS(0, "\\'input\\':")
                    ARGS(0, "\\'") ARGS(0, "a\\\\") ARGS(0, "nb")
                    ARGS(0, OUT) FINISH("tool_calls") DONE, &len);

    run_init(&run, body, len);
    run.request = TOOLS;
    run.policy.profile = NGX_ORS_STRICT_OPENAI;

    run_turn(&run);

    s.data = (u_char *) event_types(&run);
    s.len = strlen((char *) s.data);

    is_str(&s, "output_item.added '' custom_tool_call_input.delta 'a' "
               "custom_tool_call_input.delta '\\nb' "
               "custom_tool_call_input.done 'a\\nb' "
               "output_item.done 'a\\nb' ", "events");
    ok(strstr((char *) run.text, "\"item_id\":\"ctc_"), "its id");

    run_free(&run);
    free(body);
}


/* those of the item: without "response.", and its text */

static const char *
event_types(run_t *run)
{
    char    *p, *text, *last;
    size_t   n;

    static char  list[4096];

    n = 0;

    for (p = strstr((char *) run->text, "event: response.output_item.added");
         p;
         p = strstr(p, "event: response."))
    {
        p += 16;

        if (memcmp(p, "output_item", 11) != 0 && memcmp(p, "custom", 6) != 0) {
            continue;
        }

        text = strstr(p, "\"delta\":\"");
        last = strstr(p, "\"input\":\"");

        if (last && (text == NULL || last < text)) {
            text = last;
        }

        text += 9;

        n += snprintf(list + n, sizeof(list) - n, "%.*s '%.*s' ",
                      (int) strcspn(p, "\n"), p,
                      (int) strcspn(text, "\""), text);
    }

    return list;
}
