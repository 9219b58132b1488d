
/*
 * Copyright (C) Open Responses contributors
 */


/* Secrets of tools: null stands in their place, and nothing else changes. */


#include <ngx_ors_test.h>
#include <ngx_ors_input.h>


typedef struct {
    const char   *tools;          /* ' stands for " */
    const char   *shown;          /* NULL: as it is */
} secrets_t;


static void test_secret(const secrets_t *test);


static const secrets_t  tests[] = {

    { "[{'type':'mcp','server_label':'d','server_url':'u'}]", NULL },
    { "[{'type':'mcp','authorization':'t','headers':{'X':'t'},'a':1}]",
      "[{'type':'mcp','authorization':null,'headers':null,'a':1}]" },
    { "[{'headers':{'X':'t'},'type':'mcp'}]",
      "[{'headers':null,'type':'mcp'}]" },

    /* names in other letters, members that come twice */

    { "[{'type':'m\\u0063p','authoriz\\u0061tion':'t'}]",
      "[{'type':'m\\u0063p','authoriz\\u0061tion':null}]" },
    { "[{'type':'mcp','authorization':'t','authorization':'u'}]",
      "[{'type':'mcp','authorization':null,'authorization':null}]" },
    { "[{'type':'mcp','authorization':'t','type':'function'}]",
      "[{'type':'mcp','authorization':null,'type':'function'}]" },

    /* of other tools they are no secrets */

    { "[{'type':'function','name':'f','headers':{'a':1}}]", NULL },
    { "[{'type':'function','parameters':{'type':'mcp','headers':1}}]", NULL },

    /* tools in tools, and what containers are sent */

    { "[{'type':'namespace','tools':[{'type':'mcp','headers':{}},"
      "{'type':'function','headers':{}}]}]",
      "[{'type':'namespace','tools':[{'type':'mcp','headers':null},"
      "{'type':'function','headers':{}}]}]" },
    { "[{'type':'code_interpreter','container':{'type':'auto',"
      "'network_policy':{'type':'allowlist','domain_secrets':"
      "[{'domain':'a','name':'n','value':'t'}]}}}]",
      "[{'type':'code_interpreter','container':{'type':'auto',"
      "'network_policy':{'type':'allowlist','domain_secrets':null}}}]" },
    { "[{'type':'shell','environment':{'network_policy':"
      "{'domain_secrets':[{}]}}},{'type':'code_interpreter',"
      "'container':'c'}]",
      "[{'type':'shell','environment':{'network_policy':"
      "{'domain_secrets':null}}},{'type':'code_interpreter',"
      "'container':'c'}]" },

    /* a value that is no tool has none */

    { "[1,'mcp',null,['mcp'],{}]", NULL },
    { "{'type':'mcp','headers':{}}", NULL }
};


int
main(void)
{
    ngx_uint_t  i;

    for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        test_secret(&tests[i]);
    }

    return done_testing();
}


static void
test_secret(const secrets_t *test)
{
    u_char           text[1024], shown[1024];
    size_t           len;
    ngx_uint_t       n;
    ngx_pool_t      *pool;
    ngx_chain_t     *cl;
    ngx_ors_out_t    out;
    ngx_ors_json_t   json;
    ngx_ors_edits_t  edits;

    len = strlen(test->tools);
    ngx_ors_test_quotes((char *) text, test->tools, len);

    strcpy((char *) shown, test->shown ? test->shown : test->tools);
    ngx_ors_test_quotes((char *) shown, (char *) shown,
                        strlen((char *) shown));

    for (n = 0; n < 20; n++) {
        pool = ngx_ors_test_pool();

        ngx_ors_json_init(&json, pool, 64, 1000);
        ngx_ors_out_init(&out, pool, 4096);
        ngx_ors_edits_init(&edits, pool);

        is_int(ngx_ors_json_read(&json, text, len), NGX_OK, "%s",
               test->tools);

        ngx_ors_test_fail_after(n);

        if (ngx_ors_secrets_tools(&edits, &json, json.nodes) != NGX_OK) {
            ok(n, "no memory");
            ngx_ors_test_fail_after(0);
            ngx_destroy_pool(pool);
            continue;
        }

        ngx_ors_test_fail_after(0);

        ngx_ors_edits_write(&edits, &json, 0, len, 0, &out);
        (void) ngx_ors_out_take(&out, &cl);

        is_chain(cl, (char *) shown, "%s", test->tools);
        ngx_destroy_pool(pool);

        if (n) {
            break;
        }
    }
}
