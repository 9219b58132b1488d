
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The checker itself: a stream with an item of each type is right, and with
 * any one of its events left out, sent twice or exchanged it is not.
 */


#include <check/check.h>


#define EVENTS_MAX  64

#define RESPONSE(status, completed, usage, output)                            \
    "'response':{'id':'resp_1','object':'response','created_at':1,"           \
    "'completed_at':" completed ",'status':'" status "',"                     \
    "'incomplete_details':null,'model':'m','previous_response_id':null,"      \
    "'instructions':null,'output':[" output "],'error':null,'tools':[],"      \
    "'tool_choice':'auto','truncation':'disabled',"                           \
    "'parallel_tool_calls':true,'text':{'format':{'type':'text'}},"           \
    "'top_p':1,'presence_penalty':0,'frequency_penalty':0,"                   \
    "'top_logprobs':0,'temperature':1,'reasoning':null,'usage':" usage ","    \
    "'max_output_tokens':null,'max_tool_calls':null,'store':false,"           \
    "'background':false,'service_tier':'default','metadata':{},"              \
    "'safety_identifier':null,'prompt_cache_key':null}"

#define USAGE                                                                 \
    "{'input_tokens':1,'input_tokens_details':{'cached_tokens':0},"           \
    "'output_tokens':2,'output_tokens_details':{'reasoning_tokens':0},"       \
    "'total_tokens':3}"

#define LIST(tools)                                                           \
    "{'type':'mcp_list_tools','id':'l','server_label':'d','tools':[" tools "]}"

#define CALL(id, status, arguments, output, error)                            \
    "{'type':'mcp_call','id':'" id "','status':'" status "',"                 \
    "'server_label':'d','name':'f','arguments':'" arguments "',"              \
    "'approval_request_id':null,'output':" output ",'error':" error "}"

#define ASK                                                                   \
    "{'type':'mcp_approval_request','id':'a','server_label':'d',"             \
    "'name':'f','arguments':'{}'}"

#define WEB(status)                                                           \
    "{'type':'web_search_call','id':'w','status':'" status "',"               \
    "'action':{'type':'search','query':'q'}}"

#define FILES(status)                                                         \
    "{'type':'file_search_call','id':'s','status':'" status "',"              \
    "'queries':['q'],'results':null}"

#define CODE(status, code)                                                    \
    "{'type':'code_interpreter_call','id':'c','status':'" status "',"         \
    "'code':'" code "','container_id':'n','outputs':null}"

#define PART(text, annotations, logprobs)                                     \
    "{'type':'output_text','text':'" text "','annotations':[" annotations     \
    "],'logprobs':[" logprobs "]}"

#define MESSAGE(status, parts)                                                \
    "{'type':'message','id':'m','status':'" status "','role':'assistant',"    \
    "'content':[" parts "]}"

#define THOUGHT(status, parts)                                                \
    "{'type':'reasoning','id':'t','status':'" status "','summary':[" parts    \
    "]}"

#define FUNCTION(status, arguments)                                           \
    "{'type':'function_call','id':'f','status':'" status "',"                 \
    "'call_id':'call_1','name':'f','arguments':'" arguments "'}"

#define SUMMARY(text)  "{'type':'summary_text','text':'" text "'}"
#define DENIED(text)   "{'type':'refusal','refusal':'" text "'}"
#define CITE                                                                  \
    "{'type':'url_citation','url':'https://u','title':'t',"                   \
    "'start_index':0,'end_index':2}"
#define PROB                                                                  \
    "{'token':'Hi','logprob':-1,'bytes':[72,105],'top_logprobs':[]}"

#define MESSAGE_1                                                             \
    MESSAGE("completed", PART("Hi!", CITE, PROB) "," DENIED("no"))
#define THOUGHT_1  THOUGHT("completed", SUMMARY("so"))
#define FUNCTION_1  FUNCTION("completed", "[12]")

#define TOOL      "{'name':'f','input_schema':{}}"
#define REFUSED   "{'type':'http_error','code':502,'message':'no'}"

#define LIST_1    LIST(TOOL)
#define CALL_1    CALL("b", "completed", "[12]", "'x'", "null")
#define CALL_2    CALL("e", "failed", "", "null", REFUSED)
#define WEB_1     WEB("completed")
#define FILES_1   FILES("completed")
#define CODE_1    CODE("completed", "1+1")

#define IN(n, id)       "'output_index':" #n ",'item_id':'" id "'"
#define ADDED(n, item)  { "output_item.added", "'output_index':" #n           \
                                               ",'item':" item }
#define AT(n, id, index)  IN(n, id) ",'content_index':" #index
#define SUM(n, id)        IN(n, id) ",'summary_index':0"
#define DONE(n, item)   { "output_item.done", "'output_index':" #n            \
                                              ",'item':" item }


typedef struct {
    const char   *type;
    const char   *rest;           /* after its type and number, ' is " */
} event_t;


static void test_right(void);
static void test_broken(const event_t *events, ngx_uint_t n);
static void test_failed(void);
static void test_passed(void);
static ngx_uint_t may_pass(const event_t *event);
static void run(check_t *c, const event_t *list, ngx_uint_t n,
    ngx_uint_t passed);


static const event_t  events[] = {

    { "created", RESPONSE("in_progress", "null", "null", "") },
    { "in_progress", RESPONSE("in_progress", "null", "null", "") },

    ADDED(0, LIST("")),
    { "mcp_list_tools.in_progress", IN(0, "l") },
    { "mcp_list_tools.completed", IN(0, "l") },
    DONE(0, LIST_1),

    ADDED(1, CALL("b", "in_progress", "", "null", "null")),
    { "mcp_call.in_progress", IN(1, "b") },
    { "mcp_call_arguments.delta", IN(1, "b") ",'delta':'[1'" },
    { "mcp_call_arguments.delta", IN(1, "b") ",'delta':'2]'" },
    { "mcp_call_arguments.done", IN(1, "b") ",'arguments':'[12]'" },
    { "mcp_call.completed", IN(1, "b") },
    DONE(1, CALL_1),

    ADDED(2, CALL("e", "in_progress", "", "null", "null")),
    { "mcp_call.in_progress", IN(2, "e") },
    { "mcp_call_arguments.done", IN(2, "e") ",'arguments':''" },
    { "mcp_call.failed", IN(2, "e") },
    DONE(2, CALL_2),

    ADDED(3, ASK),
    DONE(3, ASK),

    ADDED(4, WEB("in_progress")),
    { "web_search_call.in_progress", IN(4, "w") },
    { "web_search_call.searching", IN(4, "w") },
    { "web_search_call.completed", IN(4, "w") },
    DONE(4, WEB_1),

    ADDED(5, FILES("in_progress")),
    { "file_search_call.in_progress", IN(5, "s") },
    { "file_search_call.searching", IN(5, "s") },
    { "file_search_call.completed", IN(5, "s") },
    DONE(5, FILES_1),

    ADDED(6, CODE("in_progress", "")),
    { "code_interpreter_call.in_progress", IN(6, "c") },
    { "code_interpreter_call_code.delta", IN(6, "c") ",'delta':'1+1'" },
    { "code_interpreter_call_code.done", IN(6, "c") ",'code':'1+1'" },
    { "code_interpreter_call.interpreting", IN(6, "c") },
    { "code_interpreter_call.completed", IN(6, "c") },
    DONE(6, CODE_1),

    { "completed",
      RESPONSE("completed", "2", USAGE, LIST_1 "," CALL_1 "," CALL_2 "," ASK
               "," WEB_1 "," FILES_1 "," CODE_1) }
};

#define EVENTS  (sizeof(events) / sizeof(events[0]))


static const event_t  texts[] = {

    { "created", RESPONSE("in_progress", "null", "null", "") },
    { "in_progress", RESPONSE("in_progress", "null", "null", "") },

    ADDED(0, THOUGHT("in_progress", "")),
    { "reasoning_summary_part.added", SUM(0, "t") ",'part':" SUMMARY("") },
    { "reasoning_summary_text.delta", SUM(0, "t") ",'delta':'so'" },
    { "reasoning_summary_text.done", SUM(0, "t") ",'text':'so'" },
    { "reasoning_summary_part.done", SUM(0, "t") ",'part':" SUMMARY("so") },
    DONE(0, THOUGHT_1),

    ADDED(1, MESSAGE("in_progress", "")),
    { "content_part.added", AT(1, "m", 0) ",'part':" PART("", "", "") },
    { "output_text.delta", AT(1, "m", 0) ",'delta':'Hi','logprobs':[" PROB
                           "]" },
    { "output_text.annotation.added",
      AT(1, "m", 0) ",'annotation_index':0,'annotation':" CITE },
    { "output_text.delta", AT(1, "m", 0) ",'delta':'!','logprobs':[]" },
    { "output_text.done", AT(1, "m", 0) ",'text':'Hi!','logprobs':[" PROB
                          "]" },
    { "content_part.done", AT(1, "m", 0) ",'part':" PART("Hi!", CITE, PROB) },
    { "content_part.added", AT(1, "m", 1) ",'part':" DENIED("") },
    { "refusal.delta", AT(1, "m", 1) ",'delta':'no'" },
    { "refusal.done", AT(1, "m", 1) ",'refusal':'no'" },
    { "content_part.done", AT(1, "m", 1) ",'part':" DENIED("no") },
    DONE(1, MESSAGE_1),

    ADDED(2, FUNCTION("in_progress", "")),
    { "function_call_arguments.delta", IN(2, "f") ",'delta':'[1'" },
    { "function_call_arguments.delta", IN(2, "f") ",'delta':'2]'" },
    { "function_call_arguments.done", IN(2, "f") ",'arguments':'[12]'" },
    DONE(2, FUNCTION_1),

    { "completed",
      RESPONSE("completed", "2", USAGE, THOUGHT_1 "," MESSAGE_1 ","
               FUNCTION_1) }
};

#define TEXTS  (sizeof(texts) / sizeof(texts[0]))


/* events that a server may leave out, and send twice */

static const char  *optional[] = {
    "in_progress", "output_text.annotation.added", NULL
};


int
main(void)
{
    test_right();

    test_broken(events, EVENTS);
    test_broken(texts, TEXTS);

    test_failed();
    test_passed();

    return done_testing();
}


static void
test_right(void)
{
    check_t     c;
    const char  hosted[] =
        "completed | mcp_list_tools | mcp_call f [12] | mcp_call! f  "
        "| mcp_approval_request f {} | web_search_call | file_search_call "
        "| code_interpreter_call 1+1 | usage 1+2=3";
    const char  expected[] =
        "completed | reasoning text(so) "
        "| message text(Hi!)+[" CITE "]-[" PROB "] refusal(no) "
        "| call f(call_1) [12] | usage 1+2=3";
    u_char      quoted[sizeof(expected)];

    run(&c, events, EVENTS, 0);

    ok(c.error[0] == '\0', "each hosted type is known: %s", c.error);
    is_mem(c.digest, strlen(c.digest), hosted, strlen(hosted),
           "their contents");

    ngx_ors_test_quotes(quoted, expected, sizeof(expected) - 1);

    run(&c, texts, TEXTS, 0);

    ok(c.error[0] == '\0', "each type with texts is known: %s", c.error);
    is_mem(c.digest, strlen(c.digest), quoted, sizeof(expected) - 1,
           "their contents, too");
}


/* the numbers of events are right, and there is nothing but the order */

static void
test_broken(const event_t *events, ngx_uint_t n)
{
    check_t     c;
    event_t     list[EVENTS_MAX];
    ngx_uint_t  i;

    for (i = 0; i < n; i++) {
        memcpy(list, events, i * sizeof(event_t));
        memcpy(&list[i], &events[i + 1], (n - i - 1) * sizeof(event_t));

        run(&c, list, n - 1, 0);
        ok(c.error[0], "without %s, event %d", events[i].type, (int) i);

        memcpy(&list[i], &events[i], (n - i) * sizeof(event_t));
        memmove(&list[i + 1], &list[i], (n - i) * sizeof(event_t));

        run(&c, list, n + 1, 0);
        ok(c.error[0], "with two of %s, event %d", events[i].type, (int) i);

        if (i == 0 || strcmp(events[i].type, events[i - 1].type) == 0) {
            continue;
        }

        memcpy(list, events, n * sizeof(event_t));
        list[i] = events[i - 1];
        list[i - 1] = events[i];

        run(&c, list, n, 0);

        /* an annotation may come at any place of its text */

        if (strstr(events[i - 1].type, "annotation") == NULL
            && strstr(events[i].type, "annotation") == NULL)
        {
            ok(c.error[0], "with %s too early, event %d", events[i].type,
               (int) i);
        }
    }
}


/* an end that is not the one of the item, and one that its type has not */

static void
test_failed(void)
{
    check_t     c;
    event_t     list[EVENTS_MAX];
    ngx_uint_t  i, n;

    static const char  *ends[][2] = {
        { "mcp_call.failed", "mcp_call.completed" },
        { "mcp_call.completed", "mcp_call.failed" },
        { "web_search_call.completed", "web_search_call.failed" },
        { "file_search_call.completed", "file_search_call.failed" },
        { "code_interpreter_call.completed", "code_interpreter_call.failed" }
    };

    for (n = 0; n < sizeof(ends) / sizeof(ends[0]); n++) {
        memcpy(list, events, sizeof(events));

        for (i = 0; strcmp(list[i].type, ends[n][0]) != 0; i++) { /* void */ }

        list[i].type = ends[n][1];

        run(&c, list, EVENTS, 0);
        ok(c.error[0], "%s in place of %s", ends[n][1], ends[n][0]);
    }
}


/* a stream of a server: few events are optional */

static void
test_passed(void)
{
    check_t     c;
    event_t     list[EVENTS_MAX];
    ngx_uint_t  i;

    run(&c, texts, TEXTS, 1);

    ok(c.error[0] == '\0', "a server's stream: %s", c.error);
    is_mem(c.digest, strlen(c.digest), "completed 3", 11, "its contents");

    for (i = 0; i < TEXTS; i++) {
        memcpy(list, texts, i * sizeof(event_t));
        memcpy(&list[i], &texts[i + 1], (TEXTS - i - 1) * sizeof(event_t));

        run(&c, list, TEXTS - 1, 1);

        is_int(c.error[0] == '\0', may_pass(&texts[i]),
               "a server's without %s, event %d", texts[i].type, (int) i);

        memcpy(&list[i], &texts[i], (TEXTS - i) * sizeof(event_t));
        memmove(&list[i + 1], &list[i], (TEXTS - i) * sizeof(event_t));

        run(&c, list, TEXTS + 1, 1);

        is_int(c.error[0] == '\0', may_pass(&texts[i]),
               "a server's with two of %s, event %d", texts[i].type, (int) i);
    }
}


static ngx_uint_t
may_pass(const event_t *event)
{
    ngx_uint_t  i;

    for (i = 0; optional[i]; i++) {
        if (strcmp(event->type, optional[i]) == 0) {
            return 1;
        }
    }

    return 0;
}


static void
run(check_t *c, const event_t *list, ngx_uint_t n, ngx_uint_t passed)
{
    char             data[8192];
    u_char          *p, *end;
    ngx_uint_t       i;
    check_answer_t   answer;

    memset(&answer, 0, sizeof(check_answer_t));

    answer.status = 200;
    answer.type = "text/event-stream";
    answer.stream = 1;
    answer.passed = passed;
    answer.policy.profile = NGX_ORS_STRICT_OPENAI;
    answer.policy.unknown = ngx_ors_unknown_reject;

    answer.text = malloc((n + 1) * sizeof(data));
    p = answer.text;

    for (i = 0; i < n; i++) {
        snprintf(data, sizeof(data), "event: response.%s\ndata: "
                 "{'type':'response.%s','sequence_number':%d,%s}\n\n",
                 list[i].type, list[i].type, (int) i, list[i].rest);

        p = ngx_ors_test_quotes(p, data, strlen(data));
    }

    end = ngx_cpymem(p, "data: [DONE]\n\n", 14);

    answer.size = end - answer.text;

    check_answer(c, &answer);

    free(answer.text);
}
