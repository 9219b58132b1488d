
/*
 * Copyright (C) Open Responses contributors
 */


/* When which event is sent: chunks, and the events that each one causes. */


#include <ngx_ors_test.h>
#include <ngx_ors_builder.h>
#include <ngx_ors_builder_items.h>
#include <ngx_ors_event.h>
#include <ngx_ors_item.h>
#include <ngx_ors_test_request.h>


typedef struct {
    const char   *chunk;      /* ' stands for ", NULL: the end */
    const char   *events;     /* see names[] */
} step_t;


static void test_steps(step_t *steps, const char *name);
static void test_end_first(void);
static void test_end_failed(void);
static void test_hosted(ngx_uint_t stream);
static ngx_ors_item_t *hosted(ngx_pool_t *pool);
static void sent(const char *expected, const char *name);
static ngx_int_t add(ngx_ors_builder_t *builder, ngx_ors_json_t *json,
    const char *chunk);
static void setup(ngx_pool_t *pool);
static void events(char *list, size_t size);
static void put_event(char *list, size_t size, const char *type, size_t len);


#define TEXT(text)   "{'choices':[{'delta':{'content':'" text "'}}]}"
#define THINK(text)  "{'choices':[{'delta':{'reasoning':'" text "'}}]}"
#define DENY(text)   "{'choices':[{'delta':{'refusal':'" text "'}}]}"
#define CALL(call)   "{'choices':[{'delta':{'tool_calls':[{" call "}]}}]}"
#define OLD(call)    "{'choices':[{'delta':{'function_call':{" call "}}}]}"
#define FINISH(why)  "{'choices':[{'delta':{},'finish_reason':'" why "'}]}"

#define START        "created in_progress "


static struct {
    const char   *type;
    const char   *name;
} names[] = {
    { "response.created", "created" },
    { "response.in_progress", "in_progress" },
    { "response.completed", "completed" },
    { "response.incomplete", "incomplete" },
    { "response.output_item.added", "+item" },
    { "response.output_item.done", "-item" },
    { "response.content_part.added", "+part" },
    { "response.content_part.done", "-part" },
    { "response.reasoning_summary_part.added", "+part" },
    { "response.reasoning_summary_part.done", "-part" },
    { "response.output_text.delta", "text" },
    { "response.output_text.done", "/text" },
    { "response.refusal.delta", "refusal" },
    { "response.refusal.done", "/refusal" },
    { "response.reasoning_summary_text.delta", "summary" },
    { "response.reasoning_summary_text.done", "/summary" },
    { "response.function_call_arguments.delta", "args" },
    { "response.function_call_arguments.done", "/args" },
    { "response.mcp_call.in_progress", "mcp" },
    { "response.mcp_call_arguments.delta", "args" },
    { "response.mcp_call_arguments.done", "/args" },
    { "response.mcp_call.completed", "/mcp" },
    { "response.mcp_call.failed", "!mcp" },
    { NULL, NULL }
};


static step_t  text[] = {
    { "{'choices':[{'delta':{'role':'assistant','content':''}}]}", START },
    { TEXT("a"), "+item +part text " },
    { TEXT("b"), "text " },
    { TEXT(""), "" },
    { DENY("c"), "/text -part +part refusal " },
    { FINISH("stop"), "" },
    { "{'choices':[],'usage':{}}", "" },
    { NULL, "/refusal -part -item completed " },
    { NULL, NULL }
};

static step_t  reasoning[] = {
    { THINK("a"), START "+item +part summary " },
    { THINK("b"), "summary " },
    { TEXT("c"), "/summary -part -item +item +part text " },
    { THINK("d"), "/text -part -item +item +part summary " },
    { NULL, "/summary -part -item completed " },
    { NULL, NULL }
};

static step_t  call[] = {
    { CALL("'index':0,'id':'a','function':{'name':'f','arguments':''}"),
      START "+item " },
    { CALL("'index':0,'function':{'arguments':'{'}"), "args " },
    { CALL("'index':0,'function':{'arguments':''}"), "" },
    { CALL("'index':0,'function':{'arguments':'}'}"), "args " },
    { FINISH("tool_calls"), "" },
    { NULL, "/args -item completed " },
    { NULL, NULL }
};

static step_t  late[] = {
    { CALL("'index':0,'function':{'arguments':'{'}"), START },
    { CALL("'index':0,'function':{'name':'f'}"), "" },
    { CALL("'index':0,'function':{'arguments':'}'}"), "" },
    { CALL("'index':0,'id':'a'"), "+item args " },
    { TEXT("b"), "/args -item +item +part text " },
    { NULL, "/text -part -item completed " },
    { NULL, NULL }
};

/* no id to wait for */

static step_t  function[] = {
    { OLD("'name':'f','arguments':''"), START "+item " },
    { OLD("'arguments':'{'"), "args " },
    { OLD("'name':null,'arguments':''"), "" },
    { OLD("'arguments':'}'"), "args " },
    { FINISH("function_call"), "" },
    { NULL, "/args -item completed " },
    { NULL, NULL }
};

/* no id: it comes no more when another item has begun */

static step_t  no_id[] = {
    { CALL("'function':{'name':'f','arguments':'{'}"), START },
    { CALL("'function':{'arguments':'}'}"), "" },
    { CALL("'function':{'name':'g','arguments':'{}'}"),
      "+item args /args -item " },
    { TEXT("b"), "+item args /args -item +item +part text " },
    { TEXT("b"), "text " },
    { NULL, "/text -part -item completed " },
    { NULL, NULL }
};

static step_t  sequential[] = {
    { CALL("'index':0,'id':'a','function':{'name':'f','arguments':'{}'}"),
      START "+item args " },
    { CALL("'index':1,'id':'b','function':{'name':'g','arguments':''}"),
      "/args -item +item " },
    { CALL("'index':1,'function':{'arguments':'{'}"), "args " },
    { CALL("'index':0,'function':{'arguments':' '}"), "" },
    { CALL("'index':1,'function':{'arguments':'}'}"), "args " },
    { NULL, "/args -item completed " },
    { NULL, NULL }
};

/* gathered pieces are sent as soon as the call before them is complete */

static step_t  interleaved[] = {
    { CALL("'index':0,'id':'a','function':{'name':'f','arguments':'{'}"),
      START "+item args " },
    { CALL("'index':1,'id':'b','function':{'name':'g','arguments':'['}"),
      "" },
    { TEXT("b"), "" },
    { DENY("b"), "" },
    { CALL("'index':1,'function':{'arguments':'1'}"), "" },
    { CALL("'index':0,'function':{'arguments':'}'}"),
      "args /args -item +item args " },
    { DENY("b"), "" },
    { CALL("'index':1,'function':{'arguments':']'}"),
      "args /args -item +item +part text /text -part +part refusal " },
    { DENY("b"), "refusal " },
    { NULL, "/refusal -part -item completed " },
    { NULL, NULL }
};

static step_t  nameless[] = {
    { CALL("'index':0,'id':'a'"), START },
    { TEXT("b"), "" },
    { FINISH("stop"), "" },
    { NULL, "+item +part text /text -part -item completed " },
    { NULL, NULL }
};

static step_t  cut[] = {
    { CALL("'index':0,'id':'a','function':{'name':'f','arguments':'{'}"),
      START "+item args " },
    { TEXT("b"), "" },
    { FINISH("length"), "" },
    { NULL, "/args -item incomplete " },
    { NULL, NULL }
};

static step_t  empty[] = {
    { FINISH("stop"), START },
    { NULL, "+item +part /text -part -item completed " },
    { NULL, NULL }
};


static ngx_ors_limits_t     limits = limits_default();

static ngx_ors_out_t        out;
static ngx_ors_builder_t     builder;
static ngx_ors_error_t      err;
static ngx_ors_request_t    request;
static ngx_ors_response_t   resp;


int
main(void)
{
    test_steps(text, "text");
    test_steps(reasoning, "reasoning");
    test_steps(call, "call");
    test_steps(late, "late id");
    test_steps(function, "function_call");
    test_steps(no_id, "no id");
    test_steps(sequential, "sequential calls");
    test_steps(interleaved, "interleaved calls");
    test_steps(nameless, "nameless call");
    test_steps(cut, "cut call");
    test_steps(empty, "empty");

    test_end_first();
    test_end_failed();
    test_hosted(1);
    test_hosted(0);

    return done_testing();
}


static void
test_steps(step_t *steps, const char *name)
{
    char             list[1024];
    ngx_str_t        s;
    ngx_pool_t      *pool;
    ngx_uint_t       i;
    ngx_ors_json_t   json;

    pool = ngx_ors_test_pool();
    setup(pool);
    ngx_ors_json_init(&json, pool, 64, 1000);

    for (i = 0; steps[i].events; i++) {

        if (steps[i].chunk) {
            is_int(add(&builder, &json, steps[i].chunk), NGX_OK, "%s, %d: add",
                   name, (int) i);

        } else {
            is_int(ngx_ors_builder_end(&builder, &err), NGX_OK, "%s: end",
                   name);
            is_int(ngx_ors_builder_last(&builder), NGX_OK, "%s: last",
                   name);
            ngx_ors_builder_tell(&builder);
        }

        events(list, sizeof(list));

        s.data = (u_char *) list;
        s.len = strlen(list);
        is_str(&s, steps[i].events, "%s, %d: events", name, (int) i);
    }

    ngx_destroy_pool(pool);
}


static void
test_end_first(void)
{
    char         list[1024];
    ngx_str_t    s;
    ngx_pool_t  *pool;

    pool = ngx_ors_test_pool();
    setup(pool);

    ngx_ors_test_time(1700000007, 0);
    is_int(ngx_ors_builder_end(&builder, &err), NGX_OK, "end before a chunk");
    is_int(ngx_ors_builder_last(&builder), NGX_OK, "an item that is empty");
    ngx_ors_builder_tell(&builder);
    ngx_ors_test_time(1700000000, 0);

    events(list, sizeof(list));
    s.data = (u_char *) list;
    s.len = strlen(list);
    is_str(&s, START "+item +part /text -part -item completed ",
           "a whole stream");
    is_int(resp.completed_at, 1700000007, "completed_at");
    is_int(resp.status, ngx_ors_response_completed, "status");

    ngx_destroy_pool(pool);
}


/* C28: what is open stays open, and is no item of the response */

static void
test_end_failed(void)
{
    char             list[1024];
    ngx_pool_t      *pool;
    ngx_ors_json_t   json;

    pool = ngx_ors_test_pool();
    setup(pool);
    ngx_ors_json_init(&json, pool, 64, 1000);

    add(&builder, &json, THINK("a"));
    add(&builder, &json, TEXT("b"));
    add(&builder, &json, FINISH("error"));
    events(list, sizeof(list));

    is_int(ngx_ors_builder_end(&builder, &err), NGX_DECLINED, "failed");
    is_str(&err.code, "upstream_error", "its code");
    is_int(err.status, 502, "its status");

    events(list, sizeof(list));
    is_int(strlen(list), 0, "no events");
    is_int(resp.items->status, ngx_ors_item_completed, "the first item");
    is_int(resp.last->status, ngx_ors_item_in_progress, "the open item");
    is_int(resp.status, ngx_ors_response_in_progress, "the response");

    ngx_destroy_pool(pool);
}


/* two calls run side by side: the second one ends first, and is shown second */

static void
test_hosted(ngx_uint_t stream)
{
    ngx_pool_t      *pool;
    ngx_ors_json_t   json;
    ngx_ors_item_t  *first, *second;

    ngx_ors_test_policy.profile = NGX_ORS_TOLERANT_OPENAI;

    pool = ngx_ors_test_pool();
    setup(pool);
    ngx_ors_json_init(&json, pool, 64, 1000);

    builder.stream = stream;
    request.stream = stream;

    add(&builder, &json, TEXT("a"));
    sent(stream ? START "+item +part text " : "", "a text");

    first = hosted(pool);
    second = hosted(pool);

    is_int(ngx_ors_builder_advance(&builder, 1), NGX_OK, "two calls");
    sent(stream ? "/text -part -item +item mcp args /args " : "", "two calls");

    add(&builder, &json, TEXT("b"));
    sent("", "a text while they run");

    second->hosted->ended = ngx_ors_item_failed;
    is_int(ngx_ors_builder_advance(&builder, 0), NGX_OK, "the second ends");
    sent("", "the second ends");

    first->hosted->ended = ngx_ors_item_completed;
    is_int(ngx_ors_builder_advance(&builder, 0), NGX_OK, "the first ends");
    sent(stream ? "/mcp -item +item mcp args /args !mcp -item +item +part "
                  "text " : "", "the first ends");

    is_int(first->status, ngx_ors_item_completed, "the first, its status");
    is_int(second->status, ngx_ors_item_failed, "the second, its status");
    is_int(second->index, 2, "its place");
    ok(first->id.len && second->id.len, "ids");

    is_int(ngx_ors_builder_end(&builder, &err), NGX_OK, "the end");
    is_int(ngx_ors_builder_last(&builder), NGX_OK, "the last");
    ngx_ors_builder_tell(&builder);

    if (stream) {
        sent("/text -part -item completed ", "the end");
    }

    ngx_destroy_pool(pool);

    ngx_ors_test_policy.profile = NGX_ORS_TOLERANT_SPEC;
}


static ngx_ors_item_t *
hosted(ngx_pool_t *pool)
{
    ngx_ors_item_t  *item;

    item = ngx_ors_builder_item(&builder, ngx_ors_item_mcp_call);

    is_int(ngx_ors_hosted_create(item, &request, NULL), NGX_OK, "a call");

    ngx_str_set(&item->name, "f");
    ngx_str_set(&item->hosted->label, "d");
    ngx_ors_text_append(&item->arguments, pool, (u_char *) "{}", 2);

    return item;
}


static void
sent(const char *expected, const char *name)
{
    char       list[1024];
    ngx_str_t  s;

    events(list, sizeof(list));

    s.data = (u_char *) list;
    s.len = strlen(list);
    is_str(&s, expected, "%s: events", name);
}


/* the chunk's bytes are gone after it */

static ngx_int_t
add(ngx_ors_builder_t *a, ngx_ors_json_t *json, const char *chunk)
{
    size_t                 len;
    u_char                *p;
    ngx_int_t              rc;
    ngx_ors_chat_answer_t  reply;

    len = strlen(chunk);
    p = malloc(len);

    ngx_ors_test_quotes(p, chunk, len);

    rc = ngx_ors_json_read(json, p, len);

    if (rc == NGX_OK) {
        rc = ngx_ors_chat_answer(&reply, json);
    }

    if (rc == NGX_OK) {
        rc = ngx_ors_builder_add(a, json, &reply, &err);
    }

    free(p);

    return rc;
}


static void
setup(ngx_pool_t *pool)
{
    ngx_int_t  rc;

    static ngx_str_t  body = ngx_string("{\"model\":\"m\",\"input\":\"x\"}");

    ngx_memzero(&builder, sizeof(ngx_ors_builder_t));
    ngx_memzero(&resp, sizeof(ngx_ors_response_t));

    rc = ngx_ors_test_request(&request, &body, &limits, pool, &err);

    if (rc != NGX_OK || ngx_ors_id_init(&builder.ids, pool->log) != NGX_OK) {
        fail("setup");
    }

    ngx_ors_out_init(&out, pool, 4096);

    resp.request = &request;
    resp.error = &err;

    ngx_memset(builder.ids.token, 't', NGX_ORS_ID_LEN);

    builder.resp = &resp;
    builder.out = &out;
    builder.limits = &limits;
    builder.pool = pool;
    builder.log = pool->log;
    builder.stream = 1;
    request.stream = 1;
}


/* the names of the events that were written since the last call */

static void
events(char *list, size_t size)
{
    char         *buf, *p, *last;
    size_t        len;
    ngx_chain_t  *cl, *ln;

    list[0] = '\0';
    len = out.size;

    if (ngx_ors_out_take(&out, &cl) != NGX_OK) {
        fail("out");
        return;
    }

    buf = malloc(len + 1);
    p = buf;

    for (ln = cl; ln; ln = ln->next) {
        p = (char *) ngx_cpymem(p, ln->buf->pos,
                                ln->buf->last - ln->buf->pos);
        ln->buf->pos = ln->buf->last;
    }

    *p = '\0';

    ngx_ors_out_recycle(&out, &cl);

    for (p = buf; (p = strstr(p, "event: ")) != NULL; p = last) {
        p += 7;
        last = strchr(p, '\n');

        put_event(list, size, p, last - p);
    }

    free(buf);
}


static void
put_event(char *list, size_t size, const char *type, size_t len)
{
    ngx_uint_t  i;

    for (i = 0; names[i].type; i++) {
        if (strlen(names[i].type) == len
            && memcmp(names[i].type, type, len) == 0)
        {
            strncat(list, names[i].name, size - strlen(list) - 1);
            strncat(list, " ", size - strlen(list) - 1);
            return;
        }
    }

    fail("event %.*s", (int) len, type);
}
