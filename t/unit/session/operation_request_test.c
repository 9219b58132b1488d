
/*
 * Copyright (C) Open Responses contributors
 */


/* Paths, methods and query strings of operations on stored responses. */


#include <ngx_ors_operation.h>

#include "session_env.h"


#define RETRIEVE  ngx_ors_operation_retrieve
#define DELETE    ngx_ors_operation_delete
#define CANCEL    ngx_ors_operation_cancel
#define ITEMS     ngx_ors_operation_items


static void test_paths(void);
static void test_ids(void);
static void test_queries(void);
static void test_memory(void);


/* "text" is the id, or the methods that the path has */

static const struct {
    const char           *path;
    const char           *method;
    ngx_int_t             rc;
    ngx_ors_operation_e   kind;
    const char           *text;
    ngx_uint_t            conversation;
} paths[] = {
    { "a", "GET", NGX_OK, RETRIEVE, "a", 0 },
    { "a", "HEAD", NGX_OK, RETRIEVE, "a", 0 },
    { "a", "DELETE", NGX_OK, DELETE, "a", 0 },
    { "a", "POST", NGX_DECLINED, 0, NULL, 0 },
    { "input_tokens", "POST", NGX_DECLINED, 0, NULL, 0 },
    { "resp_a", "POST", NGX_DONE, 0, "GET, HEAD, DELETE", 0 },
    { "a", "get", NGX_DONE, 0, "GET, HEAD, DELETE", 0 },
    { "ab/input_items", "GET", NGX_OK, ITEMS, "ab", 0 },
    { "ab/input_items", "HEAD", NGX_OK, ITEMS, "ab", 0 },
    { "ab/input_items", "DELETE", NGX_DONE, 0, "GET, HEAD", 0 },
    { "ab/cancel", "POST", NGX_OK, CANCEL, "ab", 0 },
    { "ab/cancel", "GET", NGX_DONE, 0, "POST", 0 },
    { "", "GET", NGX_DECLINED, 0, NULL, 0 },
    { "/", "GET", NGX_DECLINED, 0, NULL, 0 },
    { "/cancel", "POST", NGX_DECLINED, 0, NULL, 0 },
    { "a/", "GET", NGX_DECLINED, 0, NULL, 0 },
    { "a/cancel/", "POST", NGX_DECLINED, 0, NULL, 0 },
    { "a/Cancel", "POST", NGX_DECLINED, 0, NULL, 0 },
    { "a/b/cancel", "POST", NGX_DECLINED, 0, NULL, 0 },
    { "a", "GET", NGX_OK, ngx_ors_operation_conversation, "a", 1 },
    { "a", "DELETE", NGX_OK, ngx_ors_operation_conversation_delete, "a", 1 },
    { "a", "PUT", NGX_DONE, 0, "GET, HEAD, POST, DELETE", 1 },
    { "a/items", "GET", NGX_OK, ngx_ors_operation_conversation_items, "a", 1 },
    { "a/items", "DELETE", NGX_DONE, 0, "GET, HEAD, POST", 1 },
    { "a/input_items", "GET", NGX_DECLINED, 0, NULL, 1 },
    { "a/items/b", "GET", NGX_DECLINED, 0, NULL, 1 },
    { "a/items", "GET", NGX_DECLINED, 0, NULL, 0 }
};


/* "param" is that of the error */

static const struct {
    ngx_ors_operation_e   kind;
    const char           *query;
    ngx_int_t             rc;
    const char           *param;
} queries[] = {
    { RETRIEVE, "", NGX_OK, NULL },
    { RETRIEVE, "stream", NGX_OK, NULL },
    { RETRIEVE, "stream=", NGX_OK, NULL },
    { RETRIEVE, "stream=false", NGX_OK, NULL },
    { RETRIEVE, "include=x&stream=false", NGX_OK, NULL },
    { RETRIEVE, "stream=true", NGX_OK, NULL },
    { RETRIEVE, "Stream=1", NGX_DONE, "stream" },
    { RETRIEVE, "stream=true&starting_after=0", NGX_OK, NULL },
    { RETRIEVE, "stream=true&starting_after=-1", NGX_DONE, "starting_after" },
    { RETRIEVE, "starting_after=-1", NGX_OK, NULL },
    { RETRIEVE, "include_obfuscation=1", NGX_DONE, "include_obfuscation" },
    { RETRIEVE, "limit=no", NGX_OK, NULL },
    { DELETE, "stream=true&limit=no", NGX_OK, NULL },
    { CANCEL, "stream=true&limit=no", NGX_OK, NULL },
    { ITEMS, "", NGX_OK, NULL },
    { ITEMS, "stream=true", NGX_OK, NULL },
    { ITEMS, "limit=1&order=asc&after=a", NGX_OK, NULL },
    { ITEMS, "order=%61sc", NGX_OK, NULL },
    { ITEMS, "limit=no", NGX_DONE, "limit" },
    { ITEMS, "order=no", NGX_DONE, "order" }
};


int
main(void)
{
    test_paths();
    test_ids();
    test_queries();
    test_memory();

    return done_testing();
}


static void
test_paths(void)
{
    char                 *allow;
    ngx_int_t             rc;
    ngx_str_t             path, method, id;
    ngx_uint_t            i;
    ngx_ors_operation_e   kind;

    for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        path.data = (u_char *) paths[i].path;
        path.len = strlen(paths[i].path);
        method.data = (u_char *) paths[i].method;
        method.len = strlen(paths[i].method);

        rc = ngx_ors_operation_find(&path, &method, paths[i].conversation,
                                    &id, &kind, &allow);

        is_int(rc, paths[i].rc, "%s %s", paths[i].method, paths[i].path);

        if (rc == NGX_OK) {
            is_int(kind, paths[i].kind, "its operation");
            is_str(&id, paths[i].text, "its id");

        } else if (rc == NGX_DONE) {
            ok(strcmp(allow, paths[i].text) == 0, "its methods");
        }
    }
}


static void
test_ids(void)
{
    char                 *allow;
    u_char                text[NGX_ORS_ID_MAX + 1];
    ngx_str_t             path, id;
    ngx_ors_operation_e   kind;

    static ngx_str_t  get = ngx_string("GET");

    memset(text, 'a', sizeof(text));

    path.data = text;
    path.len = NGX_ORS_ID_MAX;

    is_int(ngx_ors_operation_find(&path, &get, 0, &id, &kind, &allow), NGX_OK,
           "the longest id");

    path.len++;

    is_int(ngx_ors_operation_find(&path, &get, 0, &id, &kind, &allow),
           NGX_DECLINED, "a longer one");
}


static void
test_queries(void)
{
    ngx_int_t             rc;
    ngx_str_t             query;
    ngx_uint_t            i;
    ngx_ors_operation_t   op;

    for (i = 0; i < sizeof(queries) / sizeof(queries[0]); i++) {
        memset(&op, 0, sizeof(ngx_ors_operation_t));
        op.pool = ngx_ors_test_pool();

        query.data = (u_char *) queries[i].query;
        query.len = strlen(queries[i].query);

        rc = ngx_ors_operation_query(&op, queries[i].kind, &query);

        is_int(rc, queries[i].rc, "query \"%s\"", queries[i].query);

        if (queries[i].param) {
            is_int(op.error.status, 400, "its status");
            is_str(&op.error.param, queries[i].param, "its parameter");
        }

        ngx_destroy_pool(op.pool);
    }
}


static void
test_memory(void)
{
    ngx_int_t            rc;
    ngx_str_t            query;
    ngx_uint_t           n;
    ngx_ors_operation_t  op;

    ngx_str_set(&query, "order=asc&limit=2&after=a&before=b&stream=false");

    for (n = 1; /* void */ ; n++) {
        memset(&op, 0, sizeof(ngx_ors_operation_t));
        op.pool = ngx_ors_test_pool();

        ngx_ors_test_fail_after(n);

        rc = ngx_ors_operation_query(&op, ITEMS, &query);

        if (rc == NGX_OK) {
            rc = ngx_ors_operation_query(&op, RETRIEVE, &query);
        }

        ngx_destroy_pool(op.pool);

        if (!ngx_ors_test_failed()) {
            break;
        }

        is_int(rc, NGX_ERROR, "allocation %d fails", (int) n);
    }

    ngx_ors_test_fail_after(0);

    is_int(rc, NGX_OK, "%d allocations were tried", (int) n);
}
