
/*
 * Copyright (C) Open Responses contributors
 */


/* Stored responses, sent to a client in another state. */


#include <ngx_ors_test.h>
#include <ngx_ors_stored.h>


static void test_read(ngx_pool_t *pool);
static void test_end(ngx_pool_t *pool);


static ngx_str_t  response = ngx_string(
    "{\"id\":\"resp_1\",\"status\":\"in_progress\",\"error\":null,"
    "\"output\":[{\"status\":\"completed\"}],\"background\":true}");


int
main(void)
{
    ngx_pool_t  *pool;

    pool = ngx_ors_test_pool();

    test_read(pool);
    test_end(pool);

    ngx_destroy_pool(pool);

    return done_testing();
}


static void
test_read(ngx_pool_t *pool)
{
    ngx_str_t           text, other;
    ngx_uint_t          i;
    ngx_ors_snapshot_t  snap;

    static char  *others[] = {
        "", "[]", "{}", "{\"id\":1}", "{\"id\":\"x\"", NULL
    };

    is_int(ngx_ors_snapshot_read(&snap, &response, pool), NGX_OK,
           "a response is read");
    is_str(&snap.id, "resp_1", "its id");
    ok(snap.background, "it is one of the background");

    ngx_str_set(&text, "{\"id\":\"resp_2\",\"background\":false}");
    is_int(ngx_ors_snapshot_read(&snap, &text, pool), NGX_OK, "another one");
    ok(!snap.background, "it is not");

    for (i = 0; others[i]; i++) {
        text.data = (u_char *) others[i];
        text.len = ngx_strlen(others[i]);

        is_int(ngx_ors_snapshot_read(&snap, &text, pool), NGX_DECLINED,
               "\"%s\" is none", others[i]);
    }

    is_int(ngx_ors_snapshot_id(&response, pool, &text), NGX_OK,
           "its id alone");
    is_str(&text, "resp_1", "is found");

    ngx_str_set(&other, "{\"object\":\"response\",\"id\":\"resp_3\"}");
    is_int(ngx_ors_snapshot_id(&other, pool, &text), NGX_OK, "elsewhere");
    is_str(&text, "resp_3", "too");

    ngx_str_set(&other, "{\"id\":\"a\\\"b\"}");
    is_int(ngx_ors_snapshot_id(&other, pool, &text), NGX_OK, "with escapes");
    is_str(&text, "a\\\"b", "it is whole");

    ngx_str_set(&other, "{\"id\":\"resp");
    is_int(ngx_ors_snapshot_id(&other, pool, &text), NGX_DECLINED,
           "or it is none");

    ngx_ors_test_fail_after(1);
    is_int(ngx_ors_snapshot_read(&snap, &response, pool), NGX_ERROR,
           "no memory");
}


static void
test_end(ngx_pool_t *pool)
{
    ngx_uint_t           n;
    ngx_chain_t         *cl;
    ngx_ors_out_t        out;
    ngx_ors_error_t      err;
    ngx_ors_snapshot_t   snap;

    (void) ngx_ors_snapshot_read(&snap, &response, pool);

    ngx_ors_out_init(&out, pool, 512);
    is_int(ngx_ors_snapshot_end(&snap, NULL, &out), NGX_OK, "cancelled");
    (void) ngx_ors_out_take(&out, &cl);
    is_chain(cl, "{\"id\":\"resp_1\",\"status\":\"cancelled\",\"error\":null,"
             "\"output\":[{\"status\":\"completed\"}],\"background\":true}",
             "only the status says so");

    ngx_memzero(&err, sizeof(ngx_ors_error_t));
    (void) ngx_ors_error_set(&err, pool, ngx_ors_code_server_error, "\"lost\"");

    ngx_ors_out_init(&out, pool, 512);
    is_int(ngx_ors_snapshot_end(&snap, &err, &out), NGX_OK, "failed");
    (void) ngx_ors_out_take(&out, &cl);
    is_chain(cl, "{\"id\":\"resp_1\",\"status\":\"failed\",\"error\":"
             "{\"code\":\"server_error\",\"message\":\"\\\"lost\\\"\"},"
             "\"output\":[{\"status\":\"completed\"}],\"background\":true}",
             "with the reason");

    for (n = 1; n < 10; n++) {
        ngx_ors_out_init(&out, pool, 512);
        ngx_ors_test_fail_after(n);

        if (ngx_ors_snapshot_end(&snap, &err, &out) == NGX_OK
            && ngx_ors_out_take(&out, &cl) == NGX_OK)
        {
            break;
        }
    }

    ngx_ors_test_fail_after(0);
    ok(n > 2 && n < 10, "no memory is noticed");
}
