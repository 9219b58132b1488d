
/*
 * Copyright (C) Open Responses contributors
 */


/* The context that a turn that is over gives to the next one. */


#include <ngx_ors_test.h>
#include <ngx_ors_test_request.h>
#include <ngx_ors_turn.h>


typedef struct {
    const char  *request;   /* members beside "model" */
    const char  *answer;    /* "message" and "finish_reason" of the choice, */
                            /* NULL: the model is not asked */
    const char  *input;     /* items that came in, as they are expected */
    ngx_uint_t   n;         /* all items */
    const char  *name;
} items_row_t;


static void test_rows(void);
static void test_merged(void);
static void test_memory(void);
static ngx_ors_turn_t *run_items(ngx_pool_t *pool, items_row_t *row);
static ngx_ors_turn_t *read_turn(ngx_pool_t *pool, items_row_t *row);
static void run_answer(ngx_pool_t *pool, ngx_ors_turn_t *turn,
    items_row_t *row);
static u_char *quoted(ngx_pool_t *pool, const char *format, const char *text,
    size_t *len);
static ngx_str_t output_of(ngx_ors_turn_t *turn);
static void is_next(ngx_pool_t *pool, ngx_str_t *items, ngx_uint_t n,
    const char *name);


#define HI  "{'type':'message','role':'user','content':'hi'}"
#define HALF                                                                  \
    "{'type':'message','role':'assistant','content':'','status':'incomplete'}"

#define YES  "{'role':'assistant','content':'Yes.'},'finish_reason':'stop'"
#define EMPTY  "{'role':'assistant','content':''},'finish_reason':'length'"
#define CALL                                                                  \
    "{'role':'assistant','content':'I look.','tool_calls':[{'id':'c1',"       \
    "'type':'function','function':{'name':'f','arguments':'{}'}}]},"          \
    "'finish_reason':'tool_calls'"

static ngx_ors_limits_t  limits = limits_default();

static items_row_t  rows[] = {

    { "'input':'hi'", YES,
      HI, 2, "a text" },

    { "'input':[{'role':'user','content':'a'},"
      "{'type':'message','role':'user','content':'\\u0062'}]", YES,
      "{'role':'user','content':'a'},"
      "{'type':'message','role':'user','content':'\\u0062'}", 3, "items" },

    { "'input':'hi'", EMPTY,
      HI, 2, "a text that is empty" },

    { "'input':[]", NULL, "", 0, "nothing" },

    { "'input':'hi','tools':[{'type':'function','name':'f'}]", CALL,
      HI, 3, "a call" },

    { "'input':'hi','instructions':'Be brief.'", YES,
      HI, 2,
      "instructions are no item" }
};


int
main(void)
{
    test_rows();
    test_merged();
    test_memory();

    return done_testing();
}


static void
test_rows(void)
{
    u_char          *input;
    size_t           len;
    ngx_str_t        items, output;
    ngx_uint_t       i, n;
    ngx_pool_t      *pool;
    items_row_t     *row;
    ngx_ors_turn_t  *turn;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        row = &rows[i];
        pool = ngx_ors_test_pool();

        turn = run_items(pool, row);
        output = output_of(turn);
        input = quoted(pool, "%s", row->input, &len);

        is_int(ngx_ors_turn_items(turn, &items, &n), NGX_OK, "%s", row->name);
        is_int(n, row->n, "%s: their number", row->name);

        is_mem(items.data, ngx_min(items.len, len), input, len,
               "%s: what came in", row->name);

        if (len && output.len) {
            is_mem(items.data + len, ngx_min(items.len - len, 2), ", ", 2,
                   "%s: a comma", row->name);
            len += 2;
        }

        is_mem(items.data + len, items.len - len, output.data, output.len,
               "%s: what came out", row->name);

        is_next(pool, &items, row->n, row->name);

        ngx_destroy_pool(pool);
    }
}


/* with what preceded it, and without an input of its own */

static void
test_merged(void)
{
    u_char                  *expected;
    size_t                   len;
    ngx_str_t                items;
    ngx_uint_t               n;
    ngx_pool_t              *pool;
    ngx_ors_turn_t          *turn;
    ngx_ors_context_t        ctx;
    ngx_ors_context_turn_t   stored;

    static items_row_t  row = { "'previous_response_id':'resp_1'", NULL, "", 0,
                                "merged" };

    pool = ngx_ors_test_pool();
    turn = read_turn(pool, &row);

    ngx_memzero(&ctx, sizeof(ngx_ors_context_t));
    ngx_memzero(&stored, sizeof(ngx_ors_context_turn_t));

    stored.input.text.data = quoted(pool, "[%s]", HI, &stored.input.text.len);
    stored.output.data = quoted(pool, "[%s]", HALF, &stored.output.len);

    ctx.turns = &stored;
    ctx.nturns = 1;

    is_int(ngx_ors_turn_context(turn, &ctx), NGX_OK, "a stored turn");
    is_int(ngx_ors_turn_warm(turn, ngx_ors_dialect_chat), NGX_DONE,
           "one that goes on from it is over");

    is_int(ngx_ors_turn_items(turn, &items, &n), NGX_OK, "its items");
    is_int(n, 2, "are those of the stored one");

    expected = quoted(pool, "%s", HI "," HALF, &len);
    is_mem(items.data, items.len, expected, len, "as they were");

    ngx_destroy_pool(pool);
}


static void
test_memory(void)
{
    ngx_int_t        rc;
    ngx_str_t        items;
    ngx_uint_t       i, n;
    ngx_pool_t      *pool;
    ngx_ors_turn_t  *turn;

    for (i = 1, rc = NGX_ERROR; rc != NGX_OK; i++) {
        pool = ngx_ors_test_pool();
        turn = run_items(pool, &rows[1]);

        /* the next allocation is one of malloc() */

        while ((size_t) (pool->current->d.end - pool->current->d.last) > 64) {
            ngx_palloc(pool, 64);
        }

        ngx_ors_test_fail_after(i);
        rc = ngx_ors_turn_items(turn, &items, &n);
        ngx_ors_test_fail_after(0);

        ok(rc == NGX_OK || rc == NGX_ERROR, "without memory %d", (int) i);

        ngx_destroy_pool(pool);
    }

    ok(i > 2, "an allocation may fail");
}


/* a turn that is over */

static ngx_ors_turn_t *
run_items(ngx_pool_t *pool, items_row_t *row)
{
    ngx_ors_turn_t  *turn;

    turn = read_turn(pool, row);

    if (row->answer) {
        run_answer(pool, turn, row);

    } else {
        is_int(ngx_ors_turn_warm(turn, ngx_ors_dialect_chat), NGX_DONE,
               "%s: it is over", row->name);
    }

    return turn;
}


static ngx_ors_turn_t *
read_turn(ngx_pool_t *pool, items_row_t *row)
{
    ngx_str_t                body;
    ngx_ors_turn_t          *turn;
    static ngx_ors_policy_t  policy;

    policy = ngx_ors_test_policy;

    body.data = quoted(pool, "{'model':'m',%s}", row->request, &body.len);

    turn = ngx_ors_turn_create(ngx_ors_endpoint(ngx_ors_endpoint_responses),
                               &policy, &limits, pool, ngx_ors_test_log());

    is_int(ngx_ors_turn_request(turn, &body), NGX_OK, "%s: it is read",
           row->name);

    return turn;
}


static void
run_answer(ngx_pool_t *pool, ngx_ors_turn_t *turn, items_row_t *row)
{
    size_t                   len;
    ngx_buf_t                b;
    ngx_str_t                model, type = ngx_string("application/json");
    ngx_chain_t             *cl;
    ngx_ors_out_t            out;
    ngx_ors_chat_options_t   options;

    options = ngx_ors_chat_options;
    ngx_str_null(&model);

    ngx_ors_out_init(&out, pool, 4096);

    is_int(ngx_ors_turn_call(turn, ngx_ors_dialect_chat, &options, &model,
                             &out),
           NGX_OK, "%s: it is called", row->name);
    is_int(ngx_ors_out_take(&out, &cl), NGX_OK, "%s: its body", row->name);

    ngx_memzero(&b, sizeof(ngx_buf_t));
    b.pos = quoted(pool, "{'choices':[{'index':0,'message':%s}]}",
                   row->answer, &len);
    b.last = b.pos + len;
    b.memory = 1;

    is_int(ngx_ors_turn_header(turn, 200, &type, (off_t) len), NGX_OK,
           "%s: its answer", row->name);
    is_int(ngx_ors_turn_data(turn, &b), NGX_OK, "%s: is read", row->name);
    is_int(ngx_ors_turn_end(turn, 0, 1), NGX_DONE, "%s: it is over",
           row->name);
}


/* "text" is put into "format"; in both, ' stands for " */

static u_char *
quoted(ngx_pool_t *pool, const char *format, const char *text, size_t *len)
{
    char    *line;
    u_char  *p;

    *len = strlen(format) + strlen(text) + 1;

    line = ngx_pnalloc(pool, *len);
    *len = snprintf(line, *len, format, text);

    p = ngx_pnalloc(pool, *len + 1);
    ngx_ors_test_quotes(p, line, *len);

    return p;
}


/* the inside of "output" in what the client gets */

static ngx_str_t
output_of(ngx_ors_turn_t *turn)
{
    ngx_str_t             text;
    ngx_ors_json_t        json;
    ngx_ors_json_node_t  *output;

    is_int(ngx_ors_out_text(&turn->out, &text), NGX_OK, "the response");

    ngx_ors_json_init(&json, turn->pool, 64, 1000);
    is_int(ngx_ors_json_read(&json, text.data, text.len), NGX_OK, "is JSON");

    output = ngx_ors_json_find(&json, json.nodes, "output");

    text.data = ngx_ors_json_text(&json, output) + 1;
    text.len = output->len - 2;

    return text;
}


/* the next turn can read them */

static void
is_next(ngx_pool_t *pool, ngx_str_t *items, ngx_uint_t n, const char *name)
{
    ngx_str_t                body;
    ngx_ors_turn_t          *turn;
    static ngx_ors_policy_t  policy;

    policy = ngx_ors_test_policy;

    body.data = ngx_pnalloc(pool, items->len + 64);
    body.len = ngx_sprintf(body.data, "{\"model\":\"m\",\"input\":[%V]}", items)
               - body.data;

    turn = ngx_ors_turn_create(ngx_ors_endpoint(ngx_ors_endpoint_responses),
                               &policy, &limits, pool, ngx_ors_test_log());

    is_int(ngx_ors_turn_request(turn, &body), NGX_OK, "%s: the next turn",
           name);
    is_int(turn->request.input.n, n, "%s: has them", name);
}
