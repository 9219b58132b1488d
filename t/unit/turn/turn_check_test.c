
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The checker itself: a stream with an item of each hosted type is right, and
 * with any one of its events left out, sent twice or exchanged it is not.
 */


#include <ngx_ors_test.h>
#include "turn_check.h"


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
#define DONE(n, item)   { "output_item.done", "'output_index':" #n            \
                                              ",'item':" item }


typedef struct {
    const char   *type;
    const char   *rest;           /* after its type and number, ' is " */
} event_t;


static void test_right(void);
static void test_wrong(void);
static void test_failed(void);
static void run(check_t *c, const event_t *list, ngx_uint_t n);


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


int
main(void)
{
    test_right();
    test_wrong();
    test_failed();

    return done_testing();
}


static void
test_right(void)
{
    check_t     c;
    const char  expected[] =
        "completed | mcp_list_tools | mcp_call f [12] | mcp_call! f  "
        "| mcp_approval_request f {} | web_search_call | file_search_call "
        "| code_interpreter_call 1+1 | usage 1+2=3";

    run(&c, events, EVENTS);

    ok(c.error[0] == '\0', "each hosted type is known: %s", c.error);
    is_mem(c.digest, strlen(c.digest), expected, strlen(expected),
           "what they say");
}


/* the numbers of events are right, and there is nothing but the order */

static void
test_wrong(void)
{
    check_t     c;
    event_t     list[EVENTS_MAX];
    ngx_uint_t  i;

    for (i = 0; i < EVENTS; i++) {
        memcpy(list, events, i * sizeof(event_t));
        memcpy(&list[i], &events[i + 1], (EVENTS - i - 1) * sizeof(event_t));

        run(&c, list, EVENTS - 1);
        ok(c.error[0], "without %s, event %d", events[i].type, (int) i);

        memcpy(&list[i], &events[i], (EVENTS - i) * sizeof(event_t));
        memmove(&list[i + 1], &list[i], (EVENTS - i) * sizeof(event_t));

        run(&c, list, EVENTS + 1);
        ok(c.error[0], "with two of %s, event %d", events[i].type, (int) i);

        if (i == 0 || strcmp(events[i].type, events[i - 1].type) == 0) {
            continue;
        }

        memcpy(list, events, sizeof(events));
        list[i] = events[i - 1];
        list[i - 1] = events[i];

        run(&c, list, EVENTS);
        ok(c.error[0], "with %s too early, event %d", events[i].type, (int) i);
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

        run(&c, list, EVENTS);
        ok(c.error[0], "%s in place of %s", ends[n][1], ends[n][0]);
    }
}


static void
run(check_t *c, const event_t *list, ngx_uint_t n)
{
    char        data[8192];
    run_t       r;
    u_char     *p, *end;
    ngx_uint_t  i;

    memset(&r, 0, sizeof(run_t));

    r.rc = NGX_DONE;
    r.answered = 200;
    r.stream = 1;
    r.policy.profile = NGX_ORS_STRICT_OPENAI;
    strcpy(r.answered_type, "text/event-stream");

    r.text = malloc((n + 1) * sizeof(data));
    p = r.text;

    for (i = 0; i < n; i++) {
        snprintf(data, sizeof(data), "event: response.%s\ndata: "
                 "{'type':'response.%s','sequence_number':%d,%s}\n\n",
                 list[i].type, list[i].type, (int) i, list[i].rest);

        p = ngx_ors_test_quotes(p, data, strlen(data));
    }

    end = ngx_cpymem(p, "data: [DONE]\n\n", 14);
    *end = '\0';

    r.size = end - r.text;

    check_run(c, &r);

    free(r.text);
}
