
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Stored items, put before the input of a request: the text that comes of it,
 * and the request's knowledge of itself afterwards.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_test_items.h>
#include <ngx_ors_test_request.h>
#include <ngx_ors_context.h>


#define TURNS  4


typedef struct {
    const char   *name;
    const char   *body;
    const char   *turns[2 * TURNS];    /* input, output, ... */
    const char   *refs[TURNS];
    size_t        budget;
    const char   *merged;              /* NULL: refused */
    ngx_uint_t    prior;
    const char   *own;
} merge_t;


static void test_merge(void);
static void test_in_place(void);
static void test_limits(void);
static void test_tools(void);
static void test_broken(void);
static void test_memory(void);
static ngx_int_t merge(const merge_t *m);
static void list(const char *s, ngx_str_t *str);
static void text(const char *s, ngx_str_t *str);


#define U(n)    "{'role':'user','content':'" n "'}"
#define A(n)    "{'type':'message','role':'assistant','id':'" n "',"          \
                "'content':''}"
#define HALF    "{'type':'message','role':'assistant','content':'',"          \
                "'status':'incomplete'}"
#define CALL    "{'type':'function_call','call_id':'c','name':'f',"           \
                "'arguments':''}"
#define OUT     "{'type':'function_call_output','call_id':'c','output':''}"
#define SEARCH  "{'type':'tool_search_output','tools':[{'type':'function',"    \
                "'name':'f'}]}"
#define SYS     "{'role':'system','content':'s'}"
#define DEV     "{'role':'developer','content':'d'}"
#define REF(n)  "{'type':'item_reference','id':'" n "'}"
#define MSG(n)  "{'type':'message','role':'user','content':'" n "'}"


static const merge_t  merges[] = {

    { "a string", "{'model':'m','input':'hi'}", { U("1"), A("1") },
      { NULL }, 0,
      "{'model':'m','input':[" U("1") "," A("1") "," MSG("hi") "]}", 2,
      MSG("hi") },

    { "a list, with spaces", "{ 'input': [ " U("2") " , " U("3") " ] , "
      "'model': 'm' }", { U("1"), A("1") }, { NULL }, 0,
      "{ 'input': [" U("1") "," A("1") "," U("2") " , " U("3") "] , "
      "'model': 'm' }", 2, U("2") " , " U("3") },

    { "R66: the order of several turns", "{'model':'m','input':'hi'}",
      { U("1"), A("1"), U("2"), A("2"), U("3"), A("3") }, { NULL }, 0,
      "{'model':'m','input':[" U("1") "," A("1") "," U("2") "," A("2") ","
      U("3") "," A("3") "," MSG("hi") "]}", 6, MSG("hi") },

    { "a turn without output", "{'model':'m','input':'hi'}",
      { U("1"), "", U("2"), A("2") }, { NULL }, 0,
      "{'model':'m','input':[" U("1") "," U("2") "," A("2") "," MSG("hi")
      "]}", 3, MSG("hi") },

    { "no turns", "{'model':'m','input':'hi'}", { NULL }, { NULL }, 0,
      "{'model':'m','input':[" MSG("hi") "]}", 0, MSG("hi") },

    { "an escaped string", "{'model':'m','input':'a\\n\\u00e9\\''}",
      { U("1"), A("1") }, { NULL }, 0,
      "{'model':'m','input':[" U("1") "," A("1") "," MSG("a\\n\\u00e9\\'")
      "]}", 2, MSG("a\\n\\u00e9\\'") },

    { "E18: no input, the last answer is not finished", "{'model':'m'}",
      { U("1"), HALF }, { NULL }, 0,
      "{'input':[" U("1") "," HALF "],'model':'m'}", 2, "" },

    { "E18: an empty list, the last question was not answered",
      "{'model':'m','input':[]}", { U("1"), "" }, { NULL }, 0,
      "{'model':'m','input':[" U("1") "]}", 1, "" },

    { "E18: null", "{'model':'m','input':null}", { U("1"), HALF },
      { NULL }, 0, "{'model':'m','input':[" U("1") "," HALF "]}", 2, "" },

    { "E18: an empty string after an answer", "{'model':'m','input':''}",
      { U("1"), A("1") }, { NULL }, 0, NULL, 0, NULL },

    { "E18: an empty list after a call", "{'model':'m','input':[]}",
      { U("1"), CALL }, { NULL }, 0, NULL, 0, NULL },

    { "references", "{'model':'m','input':[" REF("a") "," U("2") ","
      "{'id':'b'}]}", { NULL }, { A("a"), A("b") }, 0,
      "{'model':'m','input':[" A("a") "," U("2") "," A("b") "]}", 0,
      A("a") "," U("2") "," A("b") },

    { "a reference to what is there already", "{'model':'m','input':["
      REF("a") "," U("2") "]}", { U("1"), A("a") }, { "" }, 0,
      "{'model':'m','input':[" U("1") "," A("a") "," U("2") "]}", 2,
      U("2") },

    { "what is stripped stays away", "{'model':'m','input':'hi','x':1}",
      { U("1"), A("1") }, { NULL }, 0,
      "{'model':'m','input':[" U("1") "," A("1") "," MSG("hi") "]}", 2,
      MSG("hi") },

    { "a budget that is enough", "{'model':'m','input':'hi'}",
      { U("1"), A("1"), U("2"), A("2") }, { NULL }, 10000,
      "{'model':'m','input':[" U("1") "," A("1") "," U("2") "," A("2") ","
      MSG("hi") "]}", 4, MSG("hi") },

    { "a budget for one turn", "{'model':'m','input':'hi'}",
      { U("1"), A("1"), U("2"), A("2"), U("3"), A("3") }, { NULL }, 100,
      "{'model':'m','input':[" U("3") "," A("3") "," MSG("hi") "]}", 2,
      MSG("hi") },

    { "the newest exchange is kept in any case",
      "{'model':'m','input':'hi'}",
      { U("1"), A("1"), U("2"), A("2") }, { NULL }, 1,
      "{'model':'m','input':[" U("2") "," A("2") "," MSG("hi") "]}", 2,
      MSG("hi") },

    { "a call stays with its output", "{'model':'m','input':'hi'}",
      { U("1"), A("1"), U("2"), CALL, OUT, A("3") }, { NULL }, 100,
      "{'model':'m','input':[" U("2") "," CALL "," OUT "," A("3") ","
      MSG("hi") "]}", 4, MSG("hi") },

    { "an exchange from the beginning is all there is",
      "{'model':'m','input':'hi'}",
      { U("1"), CALL, OUT, CALL, OUT, A("3") }, { NULL }, 1,
      "{'model':'m','input':[" U("1") "," CALL "," OUT "," CALL "," OUT ","
      A("3") "," MSG("hi") "]}", 6, MSG("hi") },

    { "rules outlive their turn", "{'model':'m','input':'hi'}",
      { SYS "," U("1"), A("1"), DEV, A("2"), U("3"), A("3") }, { NULL }, 1,
      "{'model':'m','input':[" SYS "," DEV "," U("3") "," A("3") ","
      MSG("hi") "]}", 4, MSG("hi") }
};


static ngx_ors_limits_t   limits = limits_default();

static ngx_uint_t         fail_after;
static ngx_pool_t        *pool;
static ngx_ors_request_t  req;
static ngx_ors_error_t    err;


int
main(void)
{
    ngx_ors_test_policy.unknown = ngx_ors_unknown_strip;

    test_merge();
    test_in_place();
    test_limits();
    test_tools();
    test_broken();
    test_memory();

    return done_testing();
}


static void
test_merge(void)
{
    ngx_int_t         rc;
    ngx_str_t         merged, own;
    ngx_uint_t        i;
    ngx_chain_t      *cl;
    ngx_ors_out_t     out;
    const merge_t    *m;
    ngx_ors_index_t   index, parsed;

    static ngx_str_t  model = ngx_null_string;

    for (i = 0; i < sizeof(merges) / sizeof(merges[0]); i++) {
        m = &merges[i];
        pool = ngx_ors_test_pool();

        rc = merge(m);

        if (m->merged == NULL) {
            is_int(rc, NGX_DECLINED, "%s: refused", m->name);
            is_int(err.status, 400, "%s: status", m->name);
            is_str(&err.param, "input", "%s: param", m->name);
            ngx_destroy_pool(pool);
            continue;
        }

        text(m->merged, &merged);
        is_int(rc, NGX_OK, "%s", m->name);
        ngx_ors_out_init(&out, pool, 64);
        ngx_ors_request_write(&req, &model, &out);
        is_int(ngx_ors_out_take(&out, &cl), NGX_OK, "%s: all of it", m->name);

        merged.data[merged.len] = '\0';
        is_chain(cl, (char *) merged.data, "%s: the body", m->name);
        is_int(req.prior, m->prior, "%s: items before its own", m->name);
        ok(ngx_ors_json_is(&req.json, req.field[ngx_ors_rq_model], "m"),
           "%s: fields are found", m->name);

        ngx_ors_out_init(&out, pool, 64);
        ngx_ors_index_init(&index, pool);
        ngx_ors_context_own(&req, &index, &out);
        is_int(ngx_ors_out_take(&out, &cl), NGX_OK, "%s: own items", m->name);

        list(m->own, &own);
        own.data[own.len] = '\0';

        if (own.len) {
            is_chain(cl, (char *) own.data, "%s: they are its own", m->name);
        }

        ngx_ors_test_items(&parsed, &own, pool);

        is_mem(index.items, index.n * sizeof(ngx_ors_index_item_t),
               parsed.items, parsed.n * sizeof(ngx_ors_index_item_t),
               "%s: the index has them", m->name);

        ngx_destroy_pool(pool);
    }
}


static ngx_int_t
merge(const merge_t *m)
{
    ngx_int_t                rc;
    ngx_str_t                body, input;
    ngx_ors_ref_t            refs[TURNS];
    ngx_uint_t               i;
    ngx_ors_context_t        ctx;
    ngx_ors_context_turn_t   turns[TURNS];

    ngx_memzero(&ctx, sizeof(ngx_ors_context_t));
    ngx_memzero(&err, sizeof(ngx_ors_error_t));

    for (i = 0; i < TURNS && m->turns[2 * i]; i++) {
        list(m->turns[2 * i], &input);
        ngx_ors_test_items(&turns[i].input, &input, pool);
        list(m->turns[2 * i + 1], &turns[i].output);
    }

    ctx.turns = turns;
    ctx.nturns = i;
    ctx.budget = m->budget;

    for (i = 0; i < TURNS && m->refs[i]; i++) {
        text(m->refs[i], &refs[i].item);
    }

    ctx.refs = refs;

    text(m->body, &body);

    /* stored items are there when memory ends */

    ngx_ors_test_fail_after(fail_after);

    rc = ngx_ors_test_request(&req, &body, &limits, pool, &err);

    return (rc == NGX_OK) ? ngx_ors_context_merge(&req, &ctx, &err) : rc;
}


/* neither the client's body nor a stored list is read again, or copied */

static void
test_in_place(void)
{
    ngx_str_t               body;
    ngx_uint_t              i, n;
    ngx_ors_context_t       ctx;
    ngx_ors_json_node_t    *nodes;
    ngx_ors_context_turn_t  turns[TURNS];

    pool = ngx_ors_test_pool();

    text("{'model':'m','input':[" U("2") "]}", &body);
    (void) ngx_ors_test_request(&req, &body, &limits, pool, &err);

    nodes = req.json.nodes;

    for (i = 0; i < TURNS; i++) {
        list(U("1") "," U("2"), &turns[i].input.text);
        turns[i].input.n = 0;
        list(A("1"), &turns[i].output);
    }

    ngx_memzero(&ctx, sizeof(ngx_ors_context_t));
    ctx.turns = turns;
    ctx.nturns = TURNS;

    is_int(ngx_ors_context_merge(&req, &ctx, &err), NGX_OK, "four turns");

    ok(req.json.text == body.data && req.json.nodes == nodes,
       "the client's document is the one that was read");

    for (i = 0, n = 0; i < req.prior; i++) {
        n += (req.input.items[i].json->text
              == ((i % 3 < 2) ? turns[i / 3].input.text.data
                              : turns[i / 3].output.data));
    }

    is_int(n, 3 * TURNS, "stored items lie where they were");

    ngx_destroy_pool(pool);
}


/* values are counted in all that was put together, and the rest is as it was */

static void
test_limits(void)
{
    ngx_int_t  rc;

    static const merge_t  m = {
        "too many values", "{'model':'m','input':'hi'}",
        { U("1"), A("1"), U("2"), A("2") }, { NULL }, 0, NULL, 0, NULL
    };

    pool = ngx_ors_test_pool();
    limits.nodes = 36;

    rc = merge(&m);

    is_int(rc, NGX_DECLINED, "too many values: refused");
    is_int(err.status, 400, "the client is told");
    is_str(&err.code, "context_length_exceeded", "by its name");
    ok(!req.merged && ngx_ors_json_is(&req.json,
                                      req.field[ngx_ors_rq_input], "hi"),
       "the request is as it was");

    limits.nodes = 37;

    is_int(merge(&m), NGX_OK, "as many as there may be");

    limits.nodes = 10000;
    ngx_destroy_pool(pool);
}


/* tools that are stored count, too */

static void
test_tools(void)
{
    static const merge_t  m = {
        "stored tools", "{'model':'m','input':'hi'}",
        { U("1"), SEARCH, U("2"), SEARCH }, { NULL }, 0, NULL, 0, NULL
    };

    pool = ngx_ors_test_pool();
    ngx_ors_test_policy.profile = NGX_ORS_TOLERANT_OPENAI;

    limits.tools = 2;
    is_int(merge(&m), NGX_OK, "as many tools as there may be");

    limits.tools = 1;
    is_int(merge(&m), NGX_DECLINED, "too many stored tools: refused");
    is_str(&err.param, "previous_response_id", "its param");

    limits.tools = 1024;
    ngx_ors_test_policy.profile = NGX_ORS_TOLERANT_SPEC;
    ngx_destroy_pool(pool);
}


/* stored items are checked once, in the widest profile, without limits */

static void
test_broken(void)
{
    ngx_uint_t  i, logged;

    static merge_t  cases[] = {
        { "a tool without a type", "{'model':'m','input':'hi'}",
          { U("1"), "{'type':'tool_search_output','tools':[{}]}" },
          { NULL }, 0, NULL, 0, NULL },
        { "no object", "{'model':'m','input':'hi'}", { U("1") ",7", "" },
          { NULL }, 0, NULL, 0, NULL },
        { "a type that nothing has", "{'model':'m','input':'hi'}",
          { "{'type':'nothing'}", "" }, { NULL }, 0, NULL, 0, NULL },
        { "a call without a name", "{'model':'m','input':'hi'}",
          { U("1"), "{'type':'function_call','call_id':'c','arguments':''}" },
          { NULL }, 0, NULL, 0, NULL },
        { "a long name, another status", "{'model':'m','input':'hi'}",
          { U("1"), "{'type':'function_call','call_id':'"
            "0123456789012345678901234567890123456789012345678901234567890123"
            "4','name':'a.b','arguments':'','status':'odd'}" },
          { NULL }, 0, "", 0, NULL }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        pool = ngx_ors_test_pool();
        logged = ngx_ors_test_logged(NGX_LOG_ERR);

        if (cases[i].merged) {
            is_int(merge(&cases[i]), NGX_OK, "%s", cases[i].name);

        } else {
            is_int(merge(&cases[i]), NGX_DECLINED, "%s: refused",
                   cases[i].name);
            is_int(err.status, 400, "%s: status", cases[i].name);
            is_str(&err.code, "invalid_previous_response", "%s: code",
                   cases[i].name);
            is_int(ngx_ors_test_logged(NGX_LOG_ERR), logged + 1,
                   "%s: the log knows", cases[i].name);
        }

        ngx_destroy_pool(pool);
    }
}


static void
test_memory(void)
{
    ngx_int_t   rc;
    ngx_uint_t  n, failed;

    rc = NGX_ERROR;

    for (n = 1; n < 1000; n++) {
        pool = ngx_ors_test_pool();

        fail_after = n;
        rc = merge(&merges[sizeof(merges) / sizeof(merges[0]) - 1]);
        failed = ngx_ors_test_failed();

        fail_after = 0;
        ngx_ors_test_fail_after(0);

        ngx_destroy_pool(pool);

        if (!failed) {
            break;
        }

        if (rc != NGX_ERROR) {
            fail("allocation %d fails", (int) n);
        }
    }

    is_int(rc, NGX_OK, "without memory: an error, %d times", (int) n - 1);
}


/* ' stands for ", there is room for a zero; the texts of a case are few */

/* a list as it is stored, or nothing */

static void
list(const char *s, ngx_str_t *str)
{
    char  room[1024];

    snprintf(room, sizeof(room), *s ? "[%s]" : "%s", s);

    text(room, str);
}


static void
text(const char *s, ngx_str_t *str)
{
    static u_char  room[8192];
    static size_t  used;

    str->len = ngx_strlen(s);

    if (used + str->len + 1 > sizeof(room)) {
        used = 0;
    }

    str->data = room + used;
    used += str->len + 1;

    ngx_ors_test_quotes(str->data, s, str->len);
}
