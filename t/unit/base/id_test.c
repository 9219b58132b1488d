
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The form of identifiers, and how evenly their letters come.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_id.h>


static void test_form(void);
static void test_spread(void);
static void test_no_memory(void);


int
main(void)
{
    test_form();
    test_spread();
    test_no_memory();

    return done_testing();
}


static void
test_form(void)
{
    u_char         buf[64];
    ngx_str_t      resp, msg, fc;
    ngx_pool_t    *pool;
    ngx_ors_id_t   id, other;

    pool = ngx_ors_test_pool();

    is_int(ngx_ors_id_init(&id, pool->log), NGX_OK, "init");
    ngx_ors_id_init(&other, pool->log);
    ok(memcmp(id.text, other.text, NGX_ORS_ID_LEN) != 0, "two responses");

    ngx_memset(id.token, 'T', NGX_ORS_ID_LEN);

    is_int(ngx_ors_id_make(&id, pool, "resp", &resp), NGX_OK, "make");
    ngx_ors_id_make(&id, pool, "msg", &msg);
    ngx_ors_id_make(&id, pool, "fc", &fc);

    *ngx_sprintf(buf, "resp_%*s", (size_t) NGX_ORS_ID_LEN, id.text) = '\0';
    is_str(&resp, (char *) buf, "id of a response");

    *ngx_sprintf(buf, "msg_%*s1", (size_t) NGX_ORS_ID_LEN, id.token) = '\0';
    is_str(&msg, (char *) buf, "id of its first item");

    *ngx_sprintf(buf, "fc_%*s2", (size_t) NGX_ORS_ID_LEN, id.token) = '\0';
    is_str(&fc, (char *) buf, "id of its second item");

    id.n = (ngx_uint_t) -1;
    ngx_ors_id_make(&id, pool, "a_prefix_that_is_too_long", &msg);
    ok(msg.len < 64, "the longest id has %d characters", (int) msg.len);

    ngx_destroy_pool(pool);
}


/* each place takes each of the 62 characters, none of them too often */

static void
test_spread(void)
{
    u_char         ch;
    ngx_log_t     *log;
    ngx_uint_t     i, j, bad, count[NGX_ORS_ID_LEN][256];
    ngx_ors_id_t   id;

    log = ngx_ors_test_log();
    bad = 0;

    ngx_memzero(count, sizeof(count));

    for (i = 0; i < 6200; i++) {
        bad += (ngx_ors_id_init(&id, log) != NGX_OK);

        for (j = 0; j < NGX_ORS_ID_LEN; j++) {
            count[j][id.text[j]]++;
        }
    }

    is_int(bad, 0, "init");

    for (j = 0; j < NGX_ORS_ID_LEN; j++) {

        for (i = 0; i < 256; i++) {
            ch = i;

            if ((ch >= '0' && ch <= '9') || (ch >= 'a' && ch <= 'z')
                || (ch >= 'A' && ch <= 'Z'))
            {
                bad += (count[j][i] < 20 || count[j][i] > 300);

            } else {
                bad += (count[j][i] != 0);
            }
        }
    }

    is_int(bad, 0, "characters");
}


static void
test_no_memory(void)
{
    ngx_str_t      str;
    ngx_pool_t    *pool;
    ngx_ors_id_t   id;

    pool = ngx_ors_test_pool();
    ngx_ors_id_init(&id, pool->log);

    ngx_ors_test_fail_after(1);
    is_int(ngx_ors_id_make(&id, pool, "resp", &str), NGX_ERROR, "no memory");

    ngx_destroy_pool(pool);
}
