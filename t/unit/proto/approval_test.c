
/*
 * Copyright (C) Open Responses contributors
 */


/* Approvals in an input: requests, the answers to them, what is to run. */


#include <ngx_ors_test.h>
#include <ngx_ors_request_mcp.h>


/* ' stands for "; "states": a letter for each request, "code param" if not */

typedef struct {
    const char   *name;
    ngx_uint_t    prior;
    const char   *input;
    const char   *states;
} approval_t;


static void test_approval(const approval_t *test);
static void test_details(void);
static void test_many(void);
static void test_no_memory(void);
static ngx_int_t setup(const char *input, ngx_uint_t prior);


#define ASK(id)                                                               \
    "{'type':'mcp_approval_request','id':'" id "','server_label':'d',"        \
    "'name':'n','arguments':'{}'}"
#define SAY(id, approve)                                                      \
    "{'type':'mcp_approval_response','approval_request_id':'" id "',"         \
    "'approve':" approve "}"
#define RUN(id)                                                               \
    "{'type':'mcp_call','id':'m','server_label':'d','name':'n',"              \
    "'arguments':'{}','approval_request_id':'" id "'}"
#define USER  "{'role':'user','content':'x'}"


static const approval_t  tests[] = {

    { "none", 0, USER, "" },
    { "a call without an approval", 0, "{'type':'mcp_call'}", "" },
    { "no answer", 0, ASK("a") "," USER, "?" },
    { "approved", 1, ASK("a") "," SAY("a", "true"), "+" },
    { "approved without a store", 0, ASK("a") "," SAY("a", "true"), "+" },
    { "declined", 1, ASK("a") "," SAY("a", "false"), "-" },
    { "an answer that says nothing", 1, ASK("a") "," SAY("a", "null"), "-" },
    { "two of three", 3, ASK("a") "," ASK("b") "," ASK("c") ","
      SAY("c", "true") "," SAY("a", "false"), "-?+" },
    { "ids in other letters", 1, ASK("a") "," SAY("\\u0061", "true"), "+" },
    { "with the slug", 1, "{'type':'nginx:mcp_approval_request','id':'a'},"
      "{'type':'nginx:mcp_approval_response','approval_request_id':'a',"
      "'approve':true}", "+" },

    /* nothing runs twice */

    { "approved and run", 0, ASK("a") "," SAY("a", "true") "," RUN("a"),
      "." },
    { "run, then approved again", 3, ASK("a") "," SAY("a", "true") ","
      RUN("a") "," SAY("a", "true"), "." },
    { "approved in an earlier request", 2, ASK("a") "," SAY("a", "true") ","
      USER, "." },
    { "approved earlier and now", 2, ASK("a") "," SAY("a", "true") ","
      SAY("a", "true"), "." },
    { "approved twice in one request", 1, ASK("a") "," SAY("a", "true") ","
      SAY("a", "true"), "+" },
    { "declined, then approved", 2, ASK("a") "," SAY("a", "false") ","
      SAY("a", "true"), "-" },
    { "approved, then declined", 1, ASK("a") "," SAY("a", "true") ","
      SAY("a", "false"), "+" },
    { "a call of another approval", 1, ASK("a") "," SAY("a", "true") ","
      RUN("b"), "+" },

    /* mistakes */

    { "an unknown id", 0, USER "," SAY("a", "true"),
      "item_not_found input[1].approval_request_id" },
    { "an unknown id after stored items", 1, USER "," SAY("a", "true"),
      "item_not_found input[0].approval_request_id" },
    { "an answer before its request", 0, SAY("a", "true") "," ASK("a"),
      "item_not_found input[0].approval_request_id" },
    { "the id of another item", 0, "{'type':'mcp_call','id':'a'},"
      SAY("a", "true"), "item_not_found input[1].approval_request_id" },
    { "an empty id", 0, ASK("") "," SAY("", "true"),
      "item_not_found input[1].approval_request_id" },
    { "an answer whose request was truncated", 1, SAY("a", "true") "," USER,
      "" },
    { "a request that is stored and sent", 1, ASK("a") "," ASK("a") ","
      SAY("a", "true"), "invalid_value input" },
    { "a request that is sent twice", 0, ASK("a") "," ASK("\\u0061"),
      "invalid_value input" },
    { "requests without an id", 0, ASK("") "," ASK(""), "??" }
};


static ngx_ors_approvals_t   approvals;
static ngx_ors_input_t       input;
static ngx_ors_error_t       err;
static ngx_ors_json_t        json;
static ngx_pool_t           *pool;
static u_char                text[1 << 20];


int
main(void)
{
    ngx_uint_t  i;

    for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        test_approval(&tests[i]);
    }

    test_details();
    test_many();
    test_no_memory();

    return done_testing();
}


static void
test_approval(const approval_t *test)
{
    char        got[64];
    ngx_int_t   rc;
    ngx_uint_t  i, n;

    rc = setup(test->input, test->prior);

    if (rc == NGX_DECLINED) {
        is_int(err.status, 400, "%s: status", test->name);
        snprintf(got, sizeof(got), "%.*s %.*s", (int) err.code.len,
                 err.code.data, (int) err.param.len, err.param.data);

    } else {
        is_int(rc, NGX_OK, "%s", test->name);

        n = 0;

        for (i = 0; i < approvals.n; i++) {
            got[i] = "?+-."[approvals.elts[i].state];
            n += (got[i] == '+');
        }

        got[i] = '\0';

        is_int(approvals.napproved, n, "%s: to run", test->name);
    }

    is_mem(got, strlen(got), (u_char *) test->states, strlen(test->states),
           "%s: states", test->name);

    ngx_destroy_pool(pool);
}


static void
test_details(void)
{
    ngx_str_t             raw;
    ngx_ors_json_node_t  *node;
    ngx_ors_approval_t   *approval;

    setup(USER "," ASK("a") "," ASK("b") ","
          "{'type':'mcp_approval_response','approval_request_id':'b',"
          "'approve':false,'reason':'no\\n'}," SAY("a", "true"), 3);

    ok(ngx_ors_approval_find(&approvals, 0) == NULL, "no request");
    ok(ngx_ors_approval_find(&approvals, 3) == NULL, "an answer");

    approval = ngx_ors_approval_find(&approvals, 1);
    is_str(&approval->id, "a", "by item");
    is_int(approval->answer, 4, "its answer");
    ok(ngx_ors_approval_reason(&input, approval) == NULL,
       "without a reason");

    approval = ngx_ors_approval_find(&approvals, 2);
    is_int(approval->answer, 3, "the other answer");

    node = ngx_ors_approval_reason(&input, approval);
    ngx_ors_json_raw(&json, node, &raw);
    is_str(&raw, "no\\n", "with a reason");

    ngx_destroy_pool(pool);
}


static void
test_many(void)
{
    char        *p, *all;
    ngx_uint_t   i, bad;

    all = malloc(1 << 20);
    p = all;

    for (i = 0; i < 2000; i++) {
        p += sprintf(p, "%s{'type':'mcp_approval_request','id':'%d'}",
                     i ? "," : "", (int) i);
    }

    for (i = 2000; i > 0; i--) {
        p += sprintf(p, ",{'type':'mcp_approval_response','approve':%s,"
                     "'approval_request_id':'%d'}", i % 2 ? "true" : "false",
                     (int) i - 1);
    }

    is_int(setup(all, 2000), NGX_OK, "2,000 requests");
    is_int(approvals.napproved, 1000, "half of them approved");

    bad = 0;

    for (i = 0; i < 2000; i++) {
        bad += (ngx_ors_approval_find(&approvals, i)
                != &approvals.elts[i]);
    }

    is_int(bad, 0, "each is found");

    ngx_destroy_pool(pool);
    free(all);
}


static void
test_no_memory(void)
{
    ngx_uint_t  n, bad;

    setup(ASK("\\u0061") "," SAY("\\u0061", "true"), 1);

    bad = 0;

    for (n = 1; n < 100; n++) {
        ngx_ors_test_fail_after(n);

        if (ngx_ors_approvals_read(&approvals, &input, 1, pool, &err)
            != NGX_ERROR)
        {
            bad += ngx_ors_test_failed();
        }

        if (!ngx_ors_test_failed()) {
            break;
        }
    }

    ngx_ors_test_fail_after(0);

    is_int(bad, 0, "no memory");
    ok(n > 3, "no memory: %d allocations", (int) n - 1);

    ngx_destroy_pool(pool);
}


static ngx_int_t
setup(const char *items, ngx_uint_t prior)
{
    size_t  len;

    len = strlen(items) + 2;

    text[0] = '[';
    memcpy(text + 1, items, len - 2);
    text[len - 1] = ']';
    ngx_ors_test_quotes((char *) text, (char *) text, len);

    pool = ngx_ors_test_pool();

    ngx_memzero(&input, sizeof(ngx_ors_input_t));
    ngx_memzero(&err, sizeof(ngx_ors_error_t));
    ngx_ors_json_init(&json, pool, 64, 100000);

    if (ngx_ors_json_read(&json, text, len) != NGX_OK
        || ngx_ors_input_read(&input, &json, json.nodes, pool) != NGX_OK)
    {
        fail("not JSON: %s", text);
        exit(1);
    }

    return ngx_ors_approvals_read(&approvals, &input, prior, pool,
                                  &err);
}
