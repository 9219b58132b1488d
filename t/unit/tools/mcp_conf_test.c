
/*
 * Copyright (C) Open Responses contributors
 */


/* "open_responses_mcp": its words, and what they permit of tools. */


#include <ngx_ors_test.h>
#include <ngx_ors_test_conf.h>
#include <ngx_ors_mcp_server.h>


typedef struct {
    char    *line;
    char    *allowed;             /* of the tools "r" (read only) and "w" */
    char    *consent;             /* a letter each: client, always, never */
} conf_row_t;


typedef struct {
    char    *line;
    char    *error;
} conf_error_t;


static void test_rows(void);
static void test_values(void);
static void test_errors(void);
static void test_no_memory(void);


static ngx_command_t  command = {
    ngx_string("mcp"), 0, ngx_ors_mcp_slot, 0, 0, NULL
};


static conf_row_t  rows[] = {
    { "mcp docs /mcp", "rw", "cc" },
    { "mcp docs /mcp allowed=w", "w", "cc" },
    { "mcp docs /mcp allowed=w,r", "rw", "cc" },
    { "mcp docs /mcp allowed=W,x", "", "cc" },
    { "mcp docs /mcp allowed=read_only", "r", "cc" },
    { "mcp docs /mcp allowed=read_only,w", "rw", "cc" },
    { "mcp docs /mcp require_approval=always", "rw", "aa" },
    { "mcp docs /mcp require_approval=never", "rw", "nn" },
    { "mcp docs /mcp require_approval=always:w", "rw", "na" },
    { "mcp docs /mcp require_approval=never:w,x", "rw", "an" },
    { "mcp docs /mcp require_approval=never:read_only", "rw", "na" },
    { "mcp docs /mcp require_approval=always:read_only", "rw", "an" }
};


static conf_error_t  errors[] = {
    { "mcp - /mcp", "invalid label \"\", it must be 1 to 64 of letters" },
    { "mcp a.b /mcp", "invalid label \"a.b\", it must be 1 to 64 of letters" },
    { "mcp docs mcp", "invalid URI \"mcp\", it must be that of a location" },
    { "mcp docs /", "invalid URI \"/\", it must be that of a location" },
    { "mcp docs http://127.0.0.1/", "invalid URI \"http://127.0.0.1/\"" },
    { "mcp docs /mcp x=1", "invalid parameter \"x=1\", it must be \"allowed" },
    { "mcp docs /mcp allowed", "invalid parameter \"allowed\", it must be" },
    { "mcp docs /mcp allowed=", "invalid parameter \"allowed=\", it must be "
      "names of tools" },
    { "mcp docs /mcp allowed=a,,b", "invalid parameter \"allowed=a,,b\"" },
    { "mcp docs /mcp allowed=a,", "invalid parameter \"allowed=a,\"" },
    { "mcp docs /mcp require_approval=no", "invalid parameter "
      "\"require_approval=no\", it must be \"always\", \"never\", or" },
    { "mcp docs /mcp require_approval=alwaysa", "invalid parameter "
      "\"require_approval=alwaysa\"" },
    { "mcp docs /mcp require_approval=never:", "invalid parameter "
      "\"require_approval=never:\"" },
    { "mcp docs /mcp prefix=", "invalid parameter \"prefix=\", it must be 1" },
    { "mcp docs /mcp prefix=a/b", "invalid parameter \"prefix=a/b\"" },
    { "mcp docs /mcp timeout=0", "invalid parameter \"timeout=0\", it must be "
      "a time above 0" },
    { "mcp docs /mcp timeout=x", "invalid parameter \"timeout=x\"" },
    { "mcp docs /mcp list_ttl=", "invalid parameter \"list_ttl=\"" },
    { "mcp docs /mcp timeout=1 timeout=2", "parameter \"timeout\" "
      "is duplicate" }
};


static ngx_ors_mcp_tool_t  tools[2];


int
main(void)
{
    ngx_str_set(&tools[0].name, "r");
    tools[0].read_only = 1;
    ngx_str_set(&tools[1].name, "w");

    test_rows();
    test_values();
    test_errors();
    test_no_memory();

    return done_testing();
}


static void
test_rows(void)
{
    u_char               text[4], *p;
    ngx_uint_t           i, n;
    ngx_pool_t          *pool;
    ngx_array_t         *servers;
    ngx_ors_mcp_conf_t  *mcp;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        pool = ngx_ors_test_pool();
        servers = NGX_CONF_UNSET_PTR;

        ok(ngx_ors_test_conf(pool, &command, &servers, rows[i].line)
           == NGX_CONF_OK, "%s", rows[i].line);

        mcp = servers->elts;

        for (n = 0, p = text; n < 2; n++) {

            if (ngx_ors_mcp_selected(&mcp->allowed, &tools[n])) {
                *p++ = tools[n].name.data[0];
            }
        }

        is_mem(text, p - text, rows[i].allowed, ngx_strlen(rows[i].allowed),
               "%s: tools", rows[i].line);

        for (n = 0, p = text; n < 2; n++) {
            *p++ = "can"[ngx_ors_mcp_consent(mcp, &tools[n])];
        }

        is_mem(text, p - text, rows[i].consent, ngx_strlen(rows[i].consent),
               "%s: consent", rows[i].line);

        ngx_destroy_pool(pool);
    }
}


static void
test_values(void)
{
    ngx_str_t            label;
    ngx_pool_t          *pool;
    ngx_array_t         *servers;
    ngx_ors_mcp_conf_t  *mcp;

    pool = ngx_ors_test_pool();
    servers = NGX_CONF_UNSET_PTR;

    (void) ngx_ors_test_conf(pool, &command, &servers, "mcp docs /mcp/docs");
    (void) ngx_ors_test_conf(pool, &command, &servers,
                             "mcp db /mcp/db prefix=data timeout=5s "
                             "list_ttl=1h");

    label = (ngx_str_t) ngx_string("docs");
    mcp = ngx_ors_mcp_conf_find(servers, &label);

    is_str(&mcp->label, "docs", "a label");
    is_str(&mcp->uri, "/mcp/docs", "a URI");
    is_str(&mcp->prefix, "docs", "the label is the prefix");
    is_int(mcp->timeout, 60000, "the time of a call");
    is_int(mcp->list_ttl, 300000, "the time of a list");

    label = (ngx_str_t) ngx_string("db");
    mcp = ngx_ors_mcp_conf_find(servers, &label);

    is_str(&mcp->prefix, "data", "another prefix");
    is_int(mcp->timeout, 5000, "another time of a call");
    is_int(mcp->list_ttl, 3600000, "another time of a list");

    label = (ngx_str_t) ngx_string("d");
    ok(ngx_ors_mcp_conf_find(servers, &label) == NULL, "no such label");
    ok(ngx_ors_mcp_conf_find(NULL, &label) == NULL, "no labels");

    ok(ngx_ors_test_conf(pool, &command, &servers, "mcp db /mcp/x")
       == NGX_CONF_ERROR, "a label twice");
    ok(strstr((char *) ngx_ors_test_log_last(), "duplicate label \"db\""),
       "a label twice: why");

    ok(ngx_ors_test_conf(pool, &command, &servers, "mcp x /mcp/x prefix=data")
       == NGX_CONF_ERROR, "a prefix twice");
    ok(strstr((char *) ngx_ors_test_log_last(),
              "invalid prefix \"data\" of \"x\", \"db\" has the same"),
       "a prefix twice: why");

    ok(ngx_ors_test_conf(pool, &command, &servers, "mcp data /mcp/y")
       == NGX_CONF_ERROR, "a label that is a prefix");

    ngx_destroy_pool(pool);
}


static void
test_errors(void)
{
    ngx_uint_t    i;
    ngx_pool_t   *pool;
    ngx_array_t  *servers;

    for (i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
        pool = ngx_ors_test_pool();
        servers = NGX_CONF_UNSET_PTR;

        ok(ngx_ors_test_conf(pool, &command, &servers, errors[i].line)
           == NGX_CONF_ERROR, "%s", errors[i].line);
        ok(strstr((char *) ngx_ors_test_log_last(), errors[i].error),
           "%s: why", errors[i].line);

        ngx_destroy_pool(pool);
    }
}


static void
test_no_memory(void)
{
    char         *rv;
    ngx_uint_t    n, wrong;
    ngx_pool_t   *pool;
    ngx_array_t  *servers;

    wrong = 0;

    for (n = 1; n < 40; n++) {
        pool = ngx_ors_test_pool();
        servers = NGX_CONF_UNSET_PTR;

        ngx_ors_test_fail_after(n + 5);     /* after the words themselves */

        rv = ngx_ors_test_conf(pool, &command, &servers,
                               "mcp docs /mcp allowed=a "
                               "require_approval=never:b");

        wrong += (ngx_ors_test_failed() && rv == NGX_CONF_OK);

        ngx_destroy_pool(pool);

        if (!ngx_ors_test_failed()) {
            break;
        }
    }

    ngx_ors_test_fail_after(0);

    is_int(wrong, 0, "no memory, no server");
}
