
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Tokens: the same for one id, another for each other.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_digest.h>


int
main(void)
{
    u_char         token[NGX_ORS_ID_LEN], other[NGX_ORS_ID_LEN];
    u_char         count[256];
    ngx_str_t      id;
    ngx_uint_t     i, n, bad;
    ngx_pool_t    *pool;
    ngx_ors_id_t   ids;

    pool = ngx_ors_test_pool();

    ngx_str_set(&id, "resp_000000000000000000000000");

    is_int(ngx_ors_token(&id, token), NGX_OK, "token");
    (void) ngx_ors_token(&id, other);
    ok(memcmp(token, other, NGX_ORS_ID_LEN) == 0, "one id, one token");

    id.len--;
    (void) ngx_ors_token(&id, other);
    ok(memcmp(token, other, NGX_ORS_ID_LEN) != 0, "another id, another one");

    ngx_memzero(count, sizeof(count));
    bad = 0;

    for (n = 0; n < 200; n++) {
        (void) ngx_ors_id_init(&ids, pool->log);
        (void) ngx_ors_id_make(&ids, pool, "resp", &id);
        (void) ngx_ors_token(&id, ids.token);

        bad += (memcmp(ids.text, ids.token, NGX_ORS_ID_LEN) == 0);

        for (i = 0; i < NGX_ORS_ID_LEN; i++) {
            count[ids.token[i]] = 1;
        }
    }

    is_int(bad, 0, "a token is not what it is made of");

    for (i = 0, n = 0; i < 256; i++) {
        bad += (count[i] && !isalnum((int) i));
        n += count[i];
    }

    ok(bad == 0 && n == 62, "letters and digits, all of them");

    ngx_destroy_pool(pool);

    return done_testing();
}
