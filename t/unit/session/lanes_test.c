
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Events of a WebSocket's client, and the lanes of their turns: each event in
 * each state of a lane.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_lanes.h>


typedef struct {
    char                    *text;
    ngx_uint_t               lanes;
    ngx_ors_client_event_e   type;
    char                    *code;        /* of a refusal, or "" */
    char                    *body;        /* of a turn, or NULL */
} event_test_t;


static void test_events(void);
static void test_context(void);
static void test_param(void);
static void test_messages(void);
static void test_order(void);
static void test_limits(void);
static void test_states(void);
static void test_cache(void);
static void test_no_memory(void);
static void start(ngx_uint_t queue);
static ngx_ors_client_event_t *event(const char *text, ngx_uint_t on);
static ngx_ors_client_event_t *add(const char *lane, const char *previous);
static void done(ngx_ors_client_event_t *ev, const char *id,
    const char *items);
static ngx_uint_t cached(const char *id);
static char *quoted(const char *text);


static ngx_pool_t       *pool;
static ngx_ors_lanes_t   lanes;


/* ' stands for " */

static event_test_t  events[] = {

    { "{'type':'response.create','model':'m','input':'x'}", 0,
      ngx_ors_client_create, "",
      "{'stream':true,'model':'m','input':'x'}" },

    { " { 'input' : [ 1 ] , 'type' : 'response.create' } ", 0,
      ngx_ors_client_create, "", "{'stream':true,'input' : [ 1 ]}" },

    { "{'type':'response.create'}", 0, ngx_ors_client_create, "",
      "{'stream':true}" },

    { "{'type':'response.create','stream':false,'background':false,"
      "'generate':true,'a':{}}", 0,
      ngx_ors_client_create, "", "{'stream':true,'a':{}}" },

    { "{'type':'response.create','background':null,'stream':null}", 0,
      ngx_ors_client_create, "", "{'stream':true}" },

    { "{'type':'response.create','background':true}", 0,
      ngx_ors_client_refused, "unsupported_parameter", NULL },

    { "{'type':'response.create','stream_id':'a.B_9-'}", 1,
      ngx_ors_client_create, "", "{'stream':true}" },

    { "{'type':'response.create','stream_id':'a'}", 0,
      ngx_ors_client_refused, "invalid_stream_id", NULL },
    { "{'type':'response.create','stream_id':''}", 1,
      ngx_ors_client_refused, "invalid_stream_id", NULL },
    { "{'type':'response.create','stream_id':'a b'}", 1,
      ngx_ors_client_refused, "invalid_stream_id", NULL },
    { "{'type':'response.create','stream_id':7}", 1,
      ngx_ors_client_refused, "invalid_stream_id", NULL },
    { "{'type':'response.create','stream_id':null}", 1,
      ngx_ors_client_refused, "invalid_stream_id", NULL },

    { "{'type':'response.steer'}", 0, ngx_ors_client_steer, "", NULL },
    { "{'type':'response.processed'}", 0, ngx_ors_client_ignored, "", NULL },

    { "{'type':'response.append'}", 0, ngx_ors_client_refused,
      "invalid_value", NULL },
    { "{'type':'response.created'}", 0, ngx_ors_client_refused,
      "invalid_value", NULL },
    { "{'type':null}", 0, ngx_ors_client_refused, "invalid_value", NULL },
    { "{}", 0, ngx_ors_client_refused, "missing_required_parameter", NULL },
    { "[]", 0, ngx_ors_client_refused, "invalid_type", NULL },
    { "'x'", 0, ngx_ors_client_refused, "invalid_type", NULL },
    { "{", 0, ngx_ors_client_refused, "invalid_json", NULL },
    { "", 0, ngx_ors_client_refused, "invalid_json", NULL },
    { "[[[[[[]]]]]]", 0, ngx_ors_client_refused, "invalid_json", NULL },

    { NULL, 0, 0, NULL, NULL }
};


int
main(void)
{
    pool = ngx_ors_test_pool();

    test_events();
    test_context();
    test_param();
    test_messages();
    test_order();
    test_limits();
    test_states();
    test_cache();

    ngx_destroy_pool(pool);

    test_no_memory();

    return done_testing();
}


static void
test_events(void)
{
    ngx_str_t                body;
    event_test_t            *t;
    ngx_ors_client_event_t  *ev;

    for (t = events; t->text; t++) {
        ev = event(t->text, t->lanes);

        is_int(ev->type, t->type, "%s", t->text);
        is_str(&ev->error.code, t->code, "... its error");

        if (t->body) {
            (void) ngx_ors_client_event_body(ev, NULL, 0, pool, &body);
            is_str(&body, quoted(t->body), "... its body");
        }
    }

    ev = event("{'type':'response.create','generate':false}", 0);
    is_int(ev->warm, 1, "generate: false");

    ev = event("{'type':'response.create','generate':true,"
               "'prompt_cache_options':{'prewarm':true}}", 0);
    is_int(ev->warm, 1, "prewarm wins");

    ev = event("{'type':'response.create','generate':null}", 0);
    is_int(ev->warm, 0, "generate: null");

    ev = event("{'type':'response.create','previous_response_id':"
               "'re\\u0073p'}", 0);
    is_str(&ev->previous, "resp", "the id is decoded");
}


static void
test_context(void)
{
    size_t                   i;
    ngx_str_t                body, context;
    ngx_ors_client_event_t  *ev;

    static char  *inputs[][2] = {
        { "", "[{1},{2}]" },
        { ",'input':null", "[{1},{2}]" },
        { ",'input':[ ]", "[{1},{2}]" },
        { ",'input':[3, 4]", "[{1},{2},3, 4]" },
        { ",'input':'a\\nb'", "[{1},{2},{'type':'message','role':'user',"
                              "'content':'a\\nb'}]" },
        { ",'input':7", "[{1},{2},7]" },
        { ",'input':{}", "[{1},{2},{}]" },
        { NULL, NULL }
    };

    ngx_str_set(&context, "{1},{2}");

    for (i = 0; inputs[i][0]; i++) {
        char  text[256], expected[256];

        sprintf(text, "{'type':'response.create','previous_response_id':'r'"
                      "%s,'a':1}", inputs[i][0]);
        sprintf(expected, "{'stream':true,'a':1,'input':%s}", inputs[i][1]);

        ev = event(text, 0);
        (void) ngx_ors_client_event_body(ev, &context, 2, pool, &body);

        is_str(&body, quoted(expected), "a context%s", inputs[i][0]);
    }

    ngx_str_set(&context, "");

    ev = event("{'type':'response.create','input':[3]}", 0);
    (void) ngx_ors_client_event_body(ev, &context, 0, pool, &body);
    is_str(&body, quoted("{'stream':true,'input':[3]}"), "an empty context");
}


static void
test_param(void)
{
    size_t                   i;
    ngx_str_t                body, context;
    ngx_ors_error_t          err;
    ngx_ors_client_event_t  *ev;

    static char  *params[][2] = {
        { "input[2].content", "input[0].content" },
        { "input[12]", "input[10]" },
        { "input[1].content", "previous_response_id" },
        { "input", "input" },
        { "input[x]", "input[x]" },
        { "input[", "input[" },
        { "model", "model" },
        { "", "" },
        { NULL, NULL }
    };

    ngx_str_set(&context, "1,2");

    ev = event("{'type':'response.create'}", 0);
    (void) ngx_ors_client_event_body(ev, &context, 2, pool, &body);

    for (i = 0; params[i][0]; i++) {
        err.param.data = (u_char *) params[i][0];
        err.param.len = ngx_strlen(params[i][0]);

        ngx_ors_client_event_param(ev, &err);

        is_str(&err.param, params[i][1], "\"%s\"", params[i][0]);
    }
}


static void
test_messages(void)
{
    ngx_str_t                lane, retry;
    ngx_chain_t             *cl;
    ngx_ors_out_t            out;
    ngx_ors_error_t          err;
    ngx_ors_client_event_t  *ev;

    ngx_ors_out_init(&out, pool, 1024);
    ngx_ors_error_set(&err, pool, ngx_ors_code_rate_limit_exceeded, "m");

    ngx_str_set(&lane, "");
    ngx_str_set(&retry, "");

    ngx_ors_client_event_error(&out, &err, &lane, &retry);
    (void) ngx_ors_out_take(&out, &cl);
    is_chain(cl, quoted("{'type':'error','status':429,'error':{"
                        "'type':'too_many_requests',"
                        "'code':'rate_limit_exceeded',"
                        "'message':'m','param':''}}"), "an error");

    err.retry = 1200;

    ngx_ors_client_event_error(&out, &err, &lane, &retry);
    (void) ngx_ors_out_take(&out, &cl);
    is_chain(cl, quoted("{'type':'error','status':429,'error':{"
                        "'type':'too_many_requests',"
                        "'code':'rate_limit_exceeded',"
                        "'message':'m','param':''},"
                        "'headers':{'retry-after':'2'}}"),
             "an error that says when to try again");

    ngx_str_set(&lane, "a");
    ngx_str_set(&retry, "7");

    ngx_ors_client_event_error(&out, &err, &lane, &retry);
    (void) ngx_ors_out_take(&out, &cl);
    is_chain(cl, quoted("{'type':'error','status':429,'error':{"
                        "'type':'too_many_requests',"
                        "'code':'rate_limit_exceeded',"
                        "'message':'m','param':''},"
                        "'headers':{'retry-after':'7'},'stream_id':'a'}"),
             "an error of a lane, with headers");

    ev = event("{'type':'response.steer','input':[1],'x':2,"
               "'previous_response_id':'r'}", 0);
    ngx_ors_client_event_steer(&out, ev);
    (void) ngx_ors_out_take(&out, &cl);
    is_chain(cl, quoted("{'type':'response.steer.failed','error':{"
                        "'code':'steering_not_supported',"
                        "'type':'invalid_request_error',"
                        "'message':'a response cannot be steered here'},"
                        "'steer':{'object':'response.steer','input':[1],"
                        "'previous_response_id':'r'}}"), "steering");
}


static void
test_order(void)
{
    ngx_str_t                body;
    ngx_ors_client_event_t  *a, *b, *c, *d;

    start(4);

    ok(ngx_ors_lanes_next(&lanes) == NULL, "nothing waits");
    ok(ngx_ors_lanes_idle(&lanes), "it is idle");

    a = add("", "");
    b = add("", "");
    c = add("x", "");
    d = add("x", "");

    ok(!ngx_ors_lanes_idle(&lanes), "four wait");
    ok(ngx_ors_lanes_next(&lanes) == a, "the first runs");
    ok(ngx_ors_lanes_next(&lanes) == c, "and that of another lane");
    ok(ngx_ors_lanes_next(&lanes) == NULL, "the others wait");

    ngx_ors_lanes_failed(&lanes, c);
    ok(ngx_ors_lanes_next(&lanes) == d, "... until the one of their lane");
    done(a, "r", NULL);
    ok(ngx_ors_lanes_next(&lanes) == b, "... has ended");

    ok(a->json.nodes && !b->json.nodes && !c->json.nodes,
       "the first one kept its nodes, those that waited their text");
    is_int(ngx_ors_client_event_body(b, NULL, 0, pool, &body), NGX_OK,
           "one that waited is read again");
    is_str(&body, quoted("{'stream':true}"), "... for the same body");

    done(b, "r", NULL);
    done(d, "r", NULL);
    ok(ngx_ors_lanes_idle(&lanes), "it is idle again");
}


static void
test_limits(void)
{
    char                     name[8];
    ngx_uint_t               i;
    ngx_ors_client_event_t  *ev;

    start(2);

    (void) add("", "");
    (void) add("", "");

    ev = event("{'type':'response.create'}", 0);
    is_int(ngx_ors_lanes_add(&lanes, ev), NGX_DECLINED, "two may wait");
    is_int(ev->error.status, 429, "the third is too many");

    (void) ngx_ors_lanes_next(&lanes);
    is_int(ngx_ors_lanes_add(&lanes, ev), NGX_OK, "one that runs is none");

    start(100);

    for (i = 0; i < NGX_ORS_LANES_MAX; i++) {
        sprintf(name, "l%d", (int) i);
        (void) add(name, "");
    }

    ev = event("{'type':'response.create','stream_id':'more'}", 1);
    is_int(ngx_ors_lanes_add(&lanes, ev), NGX_DECLINED, "32 lanes");
    is_str(&ev->error.code, "websocket_stream_limit_reached", "its code");
    is_str(&ev->error.param, "stream_id", "its param");

    (void) add("", "");
    (void) add("l31", "");

    for (i = 0; ngx_ors_lanes_next(&lanes); i++) { /* void */ }

    is_int(i, NGX_ORS_LANES_RUNNING, "not all run at once");

    lanes.over = 1;

    ev = event("{'type':'response.create'}", 0);
    is_int(ngx_ors_lanes_add(&lanes, ev), NGX_DECLINED, "after the life time");
    is_str(&ev->error.code, "websocket_connection_limit_reached", "its code");
}


/* each way a turn can end, in each state of the cache */

static void
test_states(void)
{
    size_t                   i;
    ngx_ors_client_event_t  *ev;

    static ngx_str_t  id = ngx_string("b");
    static ngx_str_t  any = ngx_string("none");

    static struct {
        char        *name;
        char        *has;           /* the lane's newest response, or NULL */
        char        *previous;      /* the response that the turn continues */
        char        *end;           /* its response, NULL: it has failed */
        char        *items;         /* NULL: it is stored */
        ngx_uint_t   old;           /* "has" can be continued afterwards */
        ngx_uint_t   new;           /* ... and "end" */
    } rows[] = {
        { "first, not stored", NULL, "", "b", "1", 0, 1 },
        { "first, stored", NULL, "", "b", NULL, 0, 0 },
        { "first, failed", NULL, "", NULL, NULL, 0, 0 },
        { "first of an id, failed", NULL, "z", NULL, NULL, 0, 0 },
        { "continued, not stored", "a", "a", "b", "1", 0, 1 },
        { "continued, stored", "a", "a", "b", NULL, 0, 0 },
        { "continued, failed", "a", "a", NULL, NULL, 0, 0 },
        { "a new chain, not stored", "a", "", "b", "1", 0, 1 },
        { "a new chain, stored", "a", "", "b", NULL, 0, 0 },
        { "a new chain, failed", "a", "", NULL, NULL, 1, 0 },
        { "of another id, not stored", "a", "z", "b", "1", 0, 1 },
        { "of another id, failed", "a", "z", NULL, NULL, 1, 0 },
        { "an empty context", "a", "a", "b", "", 0, 1 }
    };

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        start(4);

        if (rows[i].has) {
            (void) add("", "");
            done(ngx_ors_lanes_next(&lanes), rows[i].has, "0");
        }

        (void) add("", rows[i].previous);
        ev = ngx_ors_lanes_next(&lanes);

        if (rows[i].end) {
            done(ev, rows[i].end, rows[i].items);

        } else {
            ngx_ors_lanes_failed(&lanes, ev);
        }

        is_int(cached("a"), rows[i].old, "%s: the old one", rows[i].name);
        is_int(cached("b"), rows[i].new, "%s: the new one", rows[i].name);
        ok(ngx_ors_lanes_idle(&lanes), "%s: idle", rows[i].name);
        is_int(lanes.size, 2 * rows[i].old
                           + (rows[i].new ? 1 + strlen(rows[i].items) : 0),
               "%s: bytes", rows[i].name);

        ngx_ors_lanes_drop(&lanes, &any);
        ngx_ors_lanes_drop(&lanes, &id);
        is_int(cached("b"), 0, "%s: dropped", rows[i].name);
        is_int(lanes.size, 2 * rows[i].old, "%s: bytes left", rows[i].name);
    }
}


static void
test_cache(void)
{
    ngx_str_t                id;
    ngx_ors_lane_cache_t    *cache;
    ngx_ors_client_event_t  *ev;

    start(4);

    (void) add("x", "");
    done(ngx_ors_lanes_next(&lanes), "a", "1,2");

    (void) add("", "a");
    ev = ngx_ors_lanes_next(&lanes);

    ngx_str_set(&id, "a");
    cache = ngx_ors_lanes_find(&lanes, &id);
    is_str(&cache->items, "1,2", "another lane's can be continued");

    ngx_ors_lanes_failed(&lanes, ev);
    is_int(cached("a"), 1, "... and a failure does not evict it");

    (void) add("", "a");
    done(ngx_ors_lanes_next(&lanes), "b", "1,2,3");
    ok(cached("a") && cached("b"), "each lane has its own");

    ngx_str_set(&id, "");
    ok(ngx_ors_lanes_find(&lanes, &id) == NULL, "no id is none");
}


static void
test_no_memory(void)
{
    ngx_int_t                rc;
    ngx_str_t                text, body, id;
    ngx_uint_t               n;
    ngx_ors_client_event_t   ev;

    static u_char  json[] = "{'type':'response.create','stream_id':'a',"
                            "'previous_response_id':'r','input':'x'}";

    text.data = json;
    text.len = ngx_ors_test_quotes(json, json, sizeof(json) - 1) - json;
    ngx_str_set(&id, "r");

    for (n = 1; /* void */ ; n++) {
        pool = ngx_ors_test_pool();
        ngx_memzero(&lanes, sizeof(lanes));

        ngx_ors_test_fail_after(n);

        rc = ngx_ors_lanes_init(&lanes, 4, pool);

        if (rc == NGX_OK) {
            rc = ngx_ors_client_event_read(&ev, &text, 8, 64, 1, pool);
        }

        if (rc == NGX_OK) {
            rc = ngx_ors_lanes_add(&lanes, &ev);
        }

        if (rc == NGX_OK) {
            (void) ngx_ors_lanes_next(&lanes);
            rc = ngx_ors_client_event_body(&ev, NULL, 0, pool, &body);
        }

        if (rc == NGX_OK) {
            rc = ngx_ors_lanes_done(&lanes, &ev, &id, &text, 1);
        }

        if (!ngx_ors_test_failed()) {
            break;
        }

        ngx_ors_test_fail_after(0);

        is_int(rc, NGX_ERROR, "no memory at allocation %d", (int) n);
        ngx_destroy_pool(pool);
    }

    ngx_ors_test_fail_after(0);
    ngx_destroy_pool(pool);
}


static void
start(ngx_uint_t queue)
{
    ngx_destroy_pool(pool);

    pool = ngx_ors_test_pool();

    (void) ngx_ors_lanes_init(&lanes, queue, pool);
}


static ngx_ors_client_event_t *
event(const char *text, ngx_uint_t on)
{
    ngx_str_t                copy;
    ngx_ors_client_event_t  *ev;

    ev = ngx_pcalloc(pool, sizeof(ngx_ors_client_event_t));

    copy.data = ngx_palloc(pool, ngx_strlen(text) + 1);
    copy.len = ngx_ors_test_quotes(copy.data, text, ngx_strlen(text))
               - copy.data;

    (void) ngx_ors_client_event_read(ev, &copy, 4, 64, on, pool);

    return ev;
}


/* a turn that waits */

static ngx_ors_client_event_t *
add(const char *lane, const char *previous)
{
    ngx_ors_client_event_t  *ev;

    ev = event("{'type':'response.create'}", 1);

    ev->lane.data = (u_char *) lane;
    ev->lane.len = ngx_strlen(lane);
    ev->previous.data = (u_char *) previous;
    ev->previous.len = ngx_strlen(previous);

    ev->lane.data = ngx_pstrdup(pool, &ev->lane);

    if (ngx_ors_lanes_add(&lanes, ev) != NGX_OK) {
        fail("an event was refused");
    }

    return ev;
}


static void
done(ngx_ors_client_event_t *ev, const char *id, const char *items)
{
    ngx_str_t  name, text;

    name.data = (u_char *) id;
    name.len = ngx_strlen(id);
    text.data = (u_char *) items;
    text.len = items ? ngx_strlen(items) : 0;

    (void) ngx_ors_lanes_done(&lanes, ev, &name, items ? &text : NULL, 1);
}


static ngx_uint_t
cached(const char *id)
{
    ngx_str_t  name;

    name.data = (u_char *) id;
    name.len = ngx_strlen(id);

    return ngx_ors_lanes_find(&lanes, &name) != NULL;
}


static char *
quoted(const char *text)
{
    static char  copy[1024];

    *ngx_ors_test_quotes(copy, text, ngx_strlen(text)) = '\0';

    return copy;
}
