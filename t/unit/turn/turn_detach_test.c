
/*
 * Copyright (C) Open Responses contributors
 */


/* A turn that goes on without its client, when the client's memory is gone. */


#include <ngx_ors_test.h>
#include <ngx_ors_test_request.h>
#include <ngx_ors_turn.h>


typedef struct {
    const char  *body;
    const char  *sent;      /* to a server of the client's own dialect */
} detach_row_t;


static void test_rows(void);
static void test_memory(void);
static ngx_ors_turn_t *read_turn(ngx_pool_t *pool, const char *body);
static ngx_ors_turn_t *detach(ngx_ors_turn_t *turn, ngx_pool_t *pool);
static void is_sent(ngx_ors_turn_t *turn, ngx_ors_dialect_e dialect,
    const char *text, const char *name);


static ngx_ors_limits_t  limits = limits_default();

static detach_row_t  rows[] = {

    { "{'model':'m','input':'hi','background':true}",
      "{'model':'m','input':'hi','background':true}" },

    { "{'model':'\\u006d','provider':'\\u0070','input':[{'role':'user',"
      "'content':'hi'},{'type':'item_reference','id':'msg_1'}],"
      "'tools':[{'type':'function','name':'f'}]}",
      "{'model':'\\u006d','provider':'\\u0070','input':[{'role':'user',"
      "'content':'hi'},{'type':'item_reference','id':'msg_1'}],"
      "'tools':[{'type':'function','name':'f'}]}" },

    { "{'model':'m','input':'hi','odd':1,'instructions':null}",
      "{'model':'m','input':'hi','instructions':null}" }
};


int
main(void)
{
    test_rows();
    test_memory();

    return done_testing();
}


static void
test_rows(void)
{
    ngx_str_t             id;
    ngx_uint_t            i, n;
    ngx_pool_t           *client, *pool;
    ngx_ors_turn_t       *from, *turn;
    ngx_ors_json_node_t  *node;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        client = ngx_ors_test_pool();
        pool = ngx_ors_test_pool();

        from = read_turn(client, rows[i].body);
        from->retries_left = 2;
        n = from->request.input.n;

        id = from->response.id;
        id.data = ngx_pstrdup(pool, &id);

        turn = detach(from, pool);

        ngx_destroy_pool(client);

        is_mem(turn->response.id.data, turn->response.id.len, id.data, id.len,
               "row %d: the same response", (int) i);
        is_str(&turn->request.model, "m", "its model");
        is_int(turn->request.input.n, n, "its items");
        is_int(turn->retries_left, 2, "its other targets");
        is_int(turn->state, ngx_ors_turn_st_call, "it is to be called");
        is_int(turn->request.detached, 1, "it has no client");

        node = turn->request.field[ngx_ors_rq_model];
        ok(node == turn->request.name
           && node > turn->request.json.nodes
           && node < turn->request.json.nodes + turn->request.json.n,
           "fields are nodes of its own");

        is_sent(turn, ngx_ors_dialect_responses, rows[i].sent,
                "the body as it was checked");

        ngx_destroy_pool(pool);
    }
}


static void
test_memory(void)
{
    ngx_uint_t       n;
    ngx_pool_t      *client, *pool;
    ngx_ors_turn_t  *from, *turn;

    client = ngx_ors_test_pool();
    from = read_turn(client, rows[1].body);

    for (n = 1, turn = NULL; turn == NULL; n++) {
        pool = ngx_ors_test_pool();

        ngx_ors_test_fail_after(n);
        turn = detach(from, pool);
        ngx_ors_test_fail_after(0);

        ngx_destroy_pool(pool);
    }

    ok(n > 5, "each allocation may fail");

    ngx_destroy_pool(client);
}


static ngx_ors_turn_t *
read_turn(ngx_pool_t *pool, const char *body)
{
    ngx_str_t                text;
    ngx_ors_turn_t          *turn;
    static ngx_ors_policy_t  policy;

    policy = ngx_ors_test_policy;
    policy.unknown = ngx_ors_unknown_strip;

    text.len = strlen(body);
    text.data = ngx_palloc(pool, text.len);

    ngx_ors_test_quotes(text.data, body, text.len);

    turn = ngx_ors_turn_create(ngx_ors_endpoint(ngx_ors_endpoint_responses),
                               &policy, &limits, pool, ngx_ors_test_log());

    is_int(ngx_ors_turn_request(turn, &text), NGX_OK, "read: %.40s", body);

    return turn;
}


static ngx_ors_turn_t *
detach(ngx_ors_turn_t *turn, ngx_pool_t *pool)
{
    ngx_str_t  body;

    body.len = turn->request.body.len;
    body.data = ngx_pstrdup(pool, &turn->request.body);

    return body.data ? ngx_ors_turn_detach(turn, &body, pool,
                                           ngx_ors_test_log())
                     : NULL;
}


static void
is_sent(ngx_ors_turn_t *turn, ngx_ors_dialect_e dialect, const char *text,
    const char *name)
{
    char                    *expected;
    ngx_str_t                model;
    ngx_chain_t             *cl;
    ngx_ors_out_t            out;
    ngx_ors_chat_options_t   options;

    ngx_str_null(&model);
    ngx_memzero(&options, sizeof(ngx_ors_chat_options_t));

    ngx_ors_out_init(&out, turn->pool, 1024);

    is_int(ngx_ors_turn_call(turn, dialect, &options, &model, &out), NGX_OK,
           "%s: called", name);
    is_int(ngx_ors_out_take(&out, &cl), NGX_OK, "taken");

    expected = ngx_pcalloc(turn->pool, strlen(text) + 1);
    ngx_ors_test_quotes(expected, text, strlen(text));

    is_chain(cl, expected, "%s", name);
}
