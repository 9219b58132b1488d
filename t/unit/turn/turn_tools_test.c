
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Rounds of a turn whose calls run here: who runs them, in which order their
 * outputs go back, what limits leave of them, and targets that fail between.
 *
 * A row has the answers of the model, one for each request, and what comes of
 * it in short: "ask" for each request with its tool_choice and the outputs in
 * it, then the response.
 */


#include <ngx_ors_test_request.h>

#include "turn_run.h"


typedef struct {
    const char  *name;
    const char  *request;         /* NULL: says hi */
    const char  *answers[6];      /* messages; "!": status 503 */
    ngx_uint_t   calls;           /* limits; 0: none of them */
    ngx_uint_t   rounds;
    ngx_uint_t   backwards;       /* the last call ends first */
    ngx_uint_t   retries;
    const char  *expected;
} test_row_t;


static void test_row(const test_row_t *row);
static void test_memory(const test_row_t *row);
static ngx_ors_turn_t *setup(const test_row_t *row, ngx_pool_t *pool,
    u_char **body);
static ngx_int_t run(ngx_ors_turn_t *turn, const test_row_t *row);
static ngx_int_t ask(ngx_ors_turn_t *turn, const char *answer);
static ngx_int_t run_calls(ngx_ors_turn_t *turn, ngx_uint_t backwards);
static char *text_of(ngx_ors_out_t *out, size_t *len);
static void put_request(ngx_ors_out_t *out);
static void put_response(ngx_ors_turn_t *turn);
static void put_output(const char *mark, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node);
static void put(const char *fmt, ...) __attribute__((format(printf, 1, 2)));


#define CALL(name, id, args)                                                  \
    "{'id':'" id "','type':'function','function':{'name':'" name              \
    "','arguments':'" args "'}}"

#define CALLS(calls)  "'content':null,'tool_calls':[" calls "]"

#define F1    CALL("f", "a", "{}")
#define F2    CALL("f", "b", "{}")
#define H     CALL("h", "c", "{}")
#define BAD   CALL("bad", "d", "{}")
#define MINE  CALL("mine", "e", "{}")

#define WITH  "{'model':'m','input':'hi','tools':[{'type':'function',"        \
              "'name':'mine'}]}"


static char        trace[4096];
static ngx_uint_t  length;
static ngx_uint_t  quiet;         /* nothing is put into the trace */
static ngx_uint_t  schemas;       /* they are enforced, with one repeat */

static ngx_ors_jsonschema_cache_t  cache;


#define TYPED  "{'model':'m','input':'hi','tools':[{'type':'function',"       \
               "'name':'mine','parameters':{'required':['n']}}]}"

#define TEXT   "{'model':'m','input':'hi','text':{'format':{'type':"          \
               "'json_schema','name':'x','schema':{'type':'integer'}}}}"

#define GOOD   CALL("mine", "g", "{\\'n\\':1}")


/* with schemas enforced */

static const test_row_t  checked[] = {

    { "a call that matches", TYPED, { CALLS(GOOD) }, 9, 9, 0, 0,
      "ask- completed call 2" },

    { "a call that does not", TYPED, { CALLS(MINE), CALLS(GOOD) }, 9, 9, 0, 0,
      "ask- ask-(schema) completed call 4" },

    { "a call that never does", TYPED, { CALLS(MINE), CALLS(MINE) }, 9, 9, 0,
      0, "ask- ask-(schema)  0" },

    { "a call that runs here, too", TYPED,
      { CALLS(F1 "," MINE), CALLS(GOOD) }, 9, 9, 0, 0,
      "ask- ask-(ok)(schema) completed call out(ok) call 4" },

    { "a repeat is no round of tools", TYPED,
      { CALLS(MINE), CALLS(F1), "'content':'x'" }, 9, 1, 0, 0,
      "ask- ask-(schema) ask-(schema)(ok) completed call out(ok) text 6" },

    { "an output that matches", TEXT, { "'content':'1'" }, 9, 9, 0, 0,
      "ask- completed text 2" },

    { "an output that does not", TEXT,
      { "'content':'x'", "'content':'1'" }, 9, 9, 0, 0,
      "ask- ask- completed text 4" },

    { "an output that never does", TEXT,
      { "'content':'x'", "'content':'1.5'" }, 9, 9, 0, 0,
      "ask- ask-  0" },

    { "a target that fails in the repeat", TYPED,
      { CALLS(MINE), "!", CALLS(GOOD) }, 9, 9, 0, 1,
      "ask- ask-(schema) ask-(schema) completed call 4" },

    { NULL, NULL, { NULL }, 0, 0, 0, 0, NULL }
};


static const test_row_t  rows[] = {

    { "no call", NULL, { "'content':'x'" }, 9, 9, 0, 0,
      "ask- completed text 2" },

    { "one call", NULL, { CALLS(F1), "'content':'x'" }, 9, 9, 0, 0,
      "ask- ask-(ok) completed call out(ok) text 4" },

    { "two calls", NULL, { CALLS(F1 "," BAD), "'content':'x'" }, 9, 9, 0, 0,
      "ask- ask-(ok)(The tool failed.) completed call call out(ok) "
      "out(The tool failed.) text 4" },

    { "two calls that end in another order", NULL,
      { CALLS(F1 "," BAD), "'content':'x'" }, 9, 9, 1, 0,
      "ask- ask-(ok)(The tool failed.) completed call call out(ok) "
      "out(The tool failed.) text 4" },

    { "three rounds", NULL,
      { CALLS(F1), "'content':'y','tool_calls':[" F2 "]", "'content':'x'" },
      9, 9, 0, 0,
      "ask- ask-(ok) ask-(ok)(ok) completed call out(ok) text call out(ok) "
      "text 6" },

    { "a hidden call", NULL, { CALLS(H), "'content':'x'" }, 9, 9, 0, 0,
      "ask- ask-(ok) completed text 4" },

    { "a hidden call and one that is shown", NULL,
      { CALLS(H "," F1), "'content':'x'" }, 9, 9, 1, 0,
      "ask- ask-(ok)(ok) completed call out(ok) text 4" },

    { "a text of each round stays an item of its own", NULL,
      { "'content':'y','tool_calls':[" H "]", "'content':'x'" }, 9, 9, 0, 0,
      "ask- ask-(ok) completed text text 4" },

    { "a call of the client's, too", WITH, { CALLS(F1 "," MINE) }, 9, 9, 0, 0,
      "ask- completed call call out(ok) 2" },

    { "only a call of the client's", WITH, { CALLS(MINE) }, 9, 9, 0, 0,
      "ask- completed call 2" },

    { "no call is permitted", NULL, { CALLS(F1), "'content':'x'" }, 0, 9, 0, 0,
      "ask- ask:none(limit) completed call out(limit) text 4" },

    { "one of two calls is permitted", NULL,
      { CALLS(F1 "," F2), "'content':'x'" }, 1, 9, 0, 0,
      "ask- ask:none(ok)(limit) completed call call out(ok) out(limit) "
      "text 4" },

    { "the second round is over the limit of calls", NULL,
      { CALLS(F1), CALLS(F2), "'content':'x'" }, 1, 9, 0, 0,
      "ask- ask-(ok) ask:none(ok)(limit) completed call out(ok) call "
      "out(limit) text 6" },

    { "the second round is over the limit of rounds", NULL,
      { CALLS(F1), CALLS(F2), "'content':'x'" }, 9, 1, 0, 0,
      "ask- ask-(ok) ask:none(ok)(limit) completed call out(ok) call "
      "out(limit) text 6" },

    { "a request lowers the limit",
      "{'model':'m','input':'hi','max_tool_calls':1}",
      { CALLS(F1 "," F2), "'content':'x'" }, 9, 9, 0, 0,
      "ask- ask:none(ok)(limit) completed call call out(ok) out(limit) "
      "text 4" },

    { "a request does not raise it",
      "{'model':'m','input':'hi','max_tool_calls':9}",
      { CALLS(F1 "," F2), "'content':'x'" }, 1, 9, 0, 0,
      "ask- ask:none(ok)(limit) completed call call out(ok) out(limit) "
      "text 4" },

    { "a model that calls past the limit", NULL,
      { CALLS(F1), CALLS(F2) }, 0, 9, 0, 0,
      "ask- ask:none(limit) incomplete call out(limit) 4" },

    { "a call that is required, once",
      "{'model':'m','input':'hi','tool_choice':'required'}",
      { CALLS(F1), "'content':'x'" }, 9, 9, 0, 0,
      "ask:required ask:auto(ok) completed call out(ok) text 4" },

    { "arguments that are no object", NULL,
      { CALLS(CALL("f", "a", "[]")), "'content':'x'" }, 9, 9, 0, 0,
      "ask- ask-(arguments) completed call out(arguments) text 4" },

    { "arguments that are no JSON", NULL,
      { CALLS(CALL("f", "a", "{x")), "'content':'x'" }, 9, 9, 0, 0,
      "ask- ask-(arguments) completed call out(arguments) text 4" },

    { "a target that fails at first", NULL,
      { "!", CALLS(F1), "'content':'x'" }, 9, 9, 0, 1,
      "ask- ask- ask-(ok) completed call out(ok) text 4" },

    { "a target that fails in the second round", NULL,
      { CALLS(F1), "!", "'content':'x'" }, 9, 9, 0, 1,
      "ask- ask-(ok) ask-(ok) completed call out(ok) text 4" },

    { "a model that fails in the third round", NULL,
      { CALLS(F1), CALLS(F2), "!" }, 9, 9, 0, 0,
      "ask- ask-(ok) ask-(ok)(ok) failed call out(ok) call out(ok) 4" },

    { NULL, NULL, { NULL }, 0, 0, 0, 0, NULL }
};


/* one of a type of the operator's, for a client that has declared it */

#define DOCS  "{'model':'m','input':'hi','tools':[{'type':'acme:docs'}]}"

static const test_row_t  typed[] = {

    { "a type of the operator's", DOCS,
      { CALLS(CALL("docs", "a", "{}")), "'content':'x'" }, 9, 9, 0, 0,
      "ask- ask-(ok) completed own(ok) text 4" },

    { "a type and a function", DOCS,
      { CALLS(F1 "," CALL("docs", "b", "{}")), "'content':'x'" }, 9, 9, 1, 0,
      "ask- ask-(ok)(ok) completed call own(ok) out(ok) text 4" },

    { "a type over the limit", DOCS,
      { CALLS(CALL("docs", "a", "{}")), "'content':'x'" }, 0, 9, 0, 0,
      "ask- ask:none(limit) completed own(limit) text 4" },

    { "a type, with arguments that are no object", DOCS,
      { CALLS(CALL("docs", "a", "[]")), "'content':'x'" }, 9, 9, 0, 0,
      "ask- ask-(arguments) completed own(arguments) text 4" },

    { NULL, NULL, { NULL }, 0, 0, 0, 0, NULL }
};


int
main(void)
{
    ngx_uint_t                    i;
    ngx_pool_t                   *pool;
    ngx_ors_jsonschema_limits_t   limits;

    pool = ngx_ors_test_pool();

    ngx_ors_jsonschema_limits_default(&limits);
    ngx_ors_jsonschema_cache_init(&cache, 8, 1048576, &limits,
                                  pool->log);

    for (i = 0; rows[i].name; i++) {
        test_row(&rows[i]);
    }

    for (i = 0; typed[i].name; i++) {
        test_row(&typed[i]);
    }

    test_memory(&rows[6]);
    test_memory(&typed[1]);

    schemas = 1;
    quiet = 0;

    for (i = 0; checked[i].name; i++) {
        test_row(&checked[i]);
    }

    test_memory(&checked[1]);
    test_memory(&checked[6]);

    ngx_ors_jsonschema_cache_clear(&cache);
    ngx_destroy_pool(pool);

    return done_testing();
}


/* tools with which a turn starts: "h" is hidden, "bad" fails */

static ngx_ors_turn_t *
setup(const test_row_t *row, ngx_pool_t *pool, u_char **body)
{
    ngx_str_t        s;
    ngx_ors_turn_t  *turn;

    static ngx_ors_limits_t   limits = limits_default();
    static ngx_array_t        tools;
    static ngx_ors_hosting_t  hosting;

#define NAMED(called, hide)                                                   \
    { .name = ngx_string(called),                                             \
      .function = ngx_string("{\"type\":\"function\",\"function\":{"          \
                             "\"name\":\"" called "\"}}"),                    \
      .timeout = 1, .hidden = hide }

    static ngx_ors_tool_t  list[] = {
        NAMED("f", 0), NAMED("h", 1), NAMED("bad", 0), NAMED("docs", 1)
    };

    list[3].type = ngx_ors_hosted_type_own;
    list[3].defined = 1;
    ngx_str_set(&list[3].types[0], "acme:docs");

    tools.elts = list;
    tools.nelts = 4;
    tools.size = sizeof(ngx_ors_tool_t);

    hosting.tools = &tools;
    hosting.max_calls = row->calls;
    hosting.max_rounds = row->rounds;

    *body = run_text(row->request ? row->request
                                  : "{'model':'m','input':'hi'}", &s.len);
    s.data = *body;

    turn = ngx_ors_turn_create(ngx_ors_endpoint(ngx_ors_endpoint_responses),
                               &ngx_ors_test_policy, &limits, pool, pool->log);

    if (turn == NULL || ngx_ors_turn_request(turn, &s) != NGX_OK) {
        return NULL;
    }

    turn->round.hosting = &hosting;
    turn->retries_left = row->retries;

    if (schemas) {
        turn->round.conform.mode = ngx_ors_conform_enforce;
        turn->round.conform.retry = 1;
        turn->round.conform.cache = &cache;
    }

    return turn;
}


static ngx_int_t
run(ngx_ors_turn_t *turn, const test_row_t *row)
{
    ngx_uint_t  n;

    for (n = 0; turn->state != ngx_ors_turn_st_over; /* void */ ) {

        switch (turn->state) {

        case ngx_ors_turn_st_call:

            if (row->answers[n] == NULL) {
                return NGX_DECLINED;
            }

            if (ask(turn, row->answers[n++]) == NGX_ERROR) {
                return NGX_ERROR;
            }

            break;

        case ngx_ors_turn_st_again:
            ngx_ors_turn_reset(turn);
            break;

        case ngx_ors_turn_st_tools:
            if (run_calls(turn, row->backwards) != NGX_OK
                || ngx_ors_turn_tools(turn) == NGX_ERROR)
            {
                return NGX_ERROR;
            }

            break;

        default:
            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}


static void
test_row(const test_row_t *row)
{
    u_char          *body;
    ngx_str_t        s;
    ngx_pool_t      *pool;
    ngx_ors_turn_t  *turn;

    length = 0;
    trace[0] = '\0';

    pool = ngx_ors_test_pool();

    turn = setup(row, pool, &body);

    is_int(run(turn, row), NGX_OK, "%s: it ends", row->name);

    put_response(turn);
    s.data = (u_char *) trace;
    s.len = length;

    is_str(&s, row->expected, "%s", row->name);

    ngx_destroy_pool(pool);
    free(body);
}


/* one that fails at each allocation ends all the same */

static void
test_memory(const test_row_t *row)
{
    u_char             *body;
    ngx_int_t           rc;
    ngx_uint_t          n;
    ngx_pool_t         *pool;
    ngx_ors_turn_t     *turn;

    quiet = 1;

    for (n = 1; n < 1000; n++) {
        ngx_ors_jsonschema_cache_clear(&cache);
        length = 0;
        pool = ngx_ors_test_pool();
        turn = setup(row, pool, &body);

        ngx_ors_test_fail_after(n);
        rc = run(turn, row);

        if (!ngx_ors_test_failed()) {
            ngx_ors_test_fail_after(0);
            ngx_destroy_pool(pool);
            free(body);
            break;
        }

        ngx_ors_test_fail_after(0);

        if (rc != NGX_ERROR && turn->state != ngx_ors_turn_st_over) {
            ok(0, "no memory at allocation %d", (int) n);
        }

        ngx_destroy_pool(pool);
        free(body);
    }

    ok(n > 20 && n < 1000, "allocations were tried");
}


static ngx_int_t
ask(ngx_ors_turn_t *turn, const char *answer)
{
    char           text[1024];
    size_t         len;
    u_char        *p;
    ngx_int_t      rc;
    ngx_str_t      type = ngx_string("application/json");
    ngx_str_t      model = ngx_null_string;
    ngx_buf_t      b;
    ngx_ors_out_t  out;

    ngx_ors_out_init(&out, turn->pool, 1024);

    rc = ngx_ors_turn_call(turn, ngx_ors_dialect_chat, &ngx_ors_chat_options,
                           &model, &out);

    if (rc != NGX_OK) {
        return rc;
    }

    put_request(&out);

    if (answer[0] == '!') {
        return ngx_ors_turn_end(turn, 503, 0);
    }

    snprintf(text, sizeof(text), "{'choices':[{'message':{'role':'assistant',"
             "%s},'finish_reason':'stop'}],'usage':{'prompt_tokens':1,"
             "'completion_tokens':1}}", answer);

    rc = ngx_ors_turn_header(turn, 200, &type, -1);

    if (rc != NGX_OK) {
        return rc;
    }

    p = run_text(text, &len);

    ngx_memzero(&b, sizeof(ngx_buf_t));
    b.pos = p;
    b.last = p + len;

    rc = ngx_ors_turn_data(turn, &b);

    if (rc == NGX_OK) {
        rc = ngx_ors_turn_end(turn, 200, 1);
    }

    free(p);

    return rc;
}


static ngx_int_t
run_calls(ngx_ors_turn_t *turn, ngx_uint_t backwards)
{
    ngx_str_t              text = ngx_string("ok");
    ngx_uint_t             i, n;
    ngx_ors_round_call_t  *call;

    for (i = 0; i < turn->round.nelts; i++) {
        n = backwards ? turn->round.nelts - i - 1 : i;
        call = &turn->round.calls[n];

        if (call->outcome != ngx_ors_tool_wait) {
            continue;
        }

        if (ngx_ors_round_ended(&turn->round, &turn->builder, call,
                                (call->item->tool->name.len == 3)
                                ? ngx_ors_tool_failed : ngx_ors_tool_ok,
                                &text)
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return turn->round.left ? NGX_ERROR : NGX_OK;
}


static char *
text_of(ngx_ors_out_t *out, size_t *len)
{
    char         *text, *p;
    ngx_chain_t  *cl;

    *len = out->size;
    text = malloc(*len + 1);

    if (text == NULL || ngx_ors_out_take(out, &cl) != NGX_OK) {
        abort();
    }

    for (p = text; cl; cl = cl->next) {
        p = (char *) ngx_cpymem(p, cl->buf->pos, cl->buf->last - cl->buf->pos);
    }

    *p = '\0';

    return text;
}


static void
put_output(const char *mark, ngx_ors_json_t *json, ngx_ors_json_node_t *node)
{
    char       text[128];
    ngx_str_t  s;

    ngx_ors_json_raw(json, node, &s);
    snprintf(text, sizeof(text), "%.*s", (int) s.len, (char *) s.data);

    put("%s(%s)", mark, strstr(text, "limit") ? "limit"
                        : strstr(text, "schema") ? "schema"
                        : strstr(text, "arguments") ? "arguments" : text);
}


static void
put_request(ngx_ors_out_t *out)
{
    char                 *text;
    size_t                len;
    ngx_str_t             s;
    ngx_pool_t           *pool;
    ngx_ors_json_t        json;
    ngx_ors_json_node_t  *node;

    if (quiet) {
        return;
    }

    text = text_of(out, &len);
    pool = ngx_ors_test_pool();
    ngx_ors_json_init(&json, pool, 64, 10000);

    if (ngx_ors_json_read(&json, (u_char *) text, len) == NGX_OK) {
        ngx_ors_json_raw(&json, ngx_ors_json_find(&json, json.nodes,
                                                  "tool_choice"), &s);
        put(s.len ? "ask:%.*s" : "ask-%.*s", (int) s.len, (char *) s.data);

        node = ngx_ors_json_find(&json, json.nodes, "messages");

        for (node = ngx_ors_json_first(&json, node);
             node;
             node = ngx_ors_json_next(&json, node))
        {
            if (ngx_ors_json_is(&json, ngx_ors_json_find(&json, node, "role"),
                                "tool"))
            {
                put_output("", &json,
                           ngx_ors_json_find(&json, node, "content"));
            }
        }

        put(" ");
    }

    ngx_destroy_pool(pool);
    free(text);
}


static void
put_response(ngx_ors_turn_t *turn)
{
    char                 *text;
    size_t                len;
    int64_t               n;
    ngx_str_t             s;
    ngx_ors_json_t        json;
    ngx_ors_json_node_t  *node, *type, *usage;

    text = text_of(&turn->out, &len);

    ngx_ors_json_init(&json, turn->pool, 64, 10000);

    if (ngx_ors_json_read(&json, (u_char *) text, len) != NGX_OK) {
        put("%s", text);
        free(text);
        return;
    }

    ngx_ors_json_raw(&json, ngx_ors_json_find(&json, json.nodes, "status"),
                     &s);
    put("%.*s", (int) s.len, (char *) s.data);

    node = ngx_ors_json_find(&json, json.nodes, "output");

    for (node = ngx_ors_json_first(&json, node);
         node;
         node = ngx_ors_json_next(&json, node))
    {
        type = ngx_ors_json_find(&json, node, "type");

        if (ngx_ors_json_is(&json, type, "function_call_output")) {
            put_output(" out", &json,
                       ngx_ors_json_find(&json, node, "output"));

        } else if (ngx_ors_json_is(&json, type, "acme:docs_call")) {
            put_output(" own", &json,
                       ngx_ors_json_find(&json, node, "output"));

        } else {
            put("%s", ngx_ors_json_is(&json, type, "message") ? " text"
                                                              : " call");
        }
    }

    usage = ngx_ors_json_find(&json, json.nodes, "usage");
    (void) ngx_ors_json_integer(&json,
                                ngx_ors_json_find(&json, usage,
                                                  "total_tokens"), &n);
    put(" %d", (int) n);

    free(text);
}


static void
put(const char *fmt, ...)
{
    va_list  args;

    va_start(args, fmt);
    length += vsnprintf(trace + length, sizeof(trace) - length, fmt, args);
    va_end(args);

    if (length >= sizeof(trace)) {
        length = sizeof(trace) - 1;
    }
}
