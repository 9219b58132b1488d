
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Slots, errors and redirections of Redis.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_redis_text.h>


static void test_key(void);
static void test_slot(void);
static void test_error(void);
static void test_redirect(ngx_pool_t *pool);
static void test_redirect_broken(ngx_pool_t *pool);
static void test_range(void);
static void test_reason(void);
static void test_delay(void);
static void name(ngx_ors_store_key_t *key, char *scope, char *text);
static ngx_str_t copy(ngx_pool_t *pool, char *text);
static redisReply *number(redisReply *reply, long long n);


int
main(void)
{
    ngx_pool_t  *pool;

    pool = ngx_ors_test_pool();

    test_key();
    test_slot();
    test_error();
    test_redirect(pool);
    test_redirect_broken(pool);
    test_range();
    test_reason();
    test_delay();

    ngx_destroy_pool(pool);

    return done_testing();
}


static void
test_key(void)
{
    u_char               buf[NGX_ORS_REDIS_PREFIX + NGX_ORS_REDIS_KEY], *p;
    ngx_str_t            prefix = ngx_string("ors:");
    ngx_ors_store_key_t  key;

    name(&key, "0123456789abcdef", "ABCDEFGHIJKLMNO\377");

    p = ngx_ors_redis_key(&prefix, &key, buf);

    is_mem(buf, p - buf,
           "ors:{30313233343536373839616263646566}:"
           "4142434445464748494a4b4c4d4e4fff",
           4 + NGX_ORS_REDIS_KEY, "a key has its scope as hash tag");

    prefix.len = 0;

    p = ngx_ors_redis_key(&prefix, &key, buf);
    is_int(p - buf, NGX_ORS_REDIS_KEY, "a prefix may be empty");
    is_int(buf[0], '{', "then the scope is the first");
}


/* slots as "redis-cli cluster keyslot" says */

static void
test_slot(void)
{
    ngx_ors_store_key_t  key;

    name(&key, "0123456789abcdef", "x");
    is_int(ngx_ors_redis_slot(&key), 12429, "the slot of a scope");

    name(&key, "0123456789abcdef", "y");
    is_int(ngx_ors_redis_slot(&key), 12429, "it has all keys of the scope");

    name(&key, "\001\002\003\004\005\006\007\010\377\376\375\374\0\0\0\0",
         "x");
    is_int(ngx_ors_redis_slot(&key), 6357, "the slot of another scope");
}


static void
test_error(void)
{
    ngx_str_t   text;
    ngx_uint_t  i;

    static const struct {
        char                    *text;
        ngx_ors_redis_error_e    error;
        ngx_ors_store_status_e   status;
    } t[] = {
        { "MOVED 1 127.0.0.1:1", ngx_ors_redis_moved,
          ngx_ors_store_unavailable },
        { "ASK 1 127.0.0.1:1", ngx_ors_redis_ask, ngx_ors_store_unavailable },
        { "TRYAGAIN Multiple keys request during rehashing of slot",
          ngx_ors_redis_again, ngx_ors_store_unavailable },
        { "OOM command not allowed when used memory > 'maxmemory'.",
          ngx_ors_redis_full, ngx_ors_store_full },
        { "MISCONF Redis is configured to save RDB snapshots",
          ngx_ors_redis_full, ngx_ors_store_full },
        { "WRONGTYPE Operation against a key holding the wrong kind of value",
          ngx_ors_redis_type, ngx_ors_store_corrupt },
        { "READONLY You can't write against a read only replica.",
          ngx_ors_redis_readonly, ngx_ors_store_unavailable },
        { "LOADING Redis is loading the dataset in memory",
          ngx_ors_redis_loading, ngx_ors_store_unavailable },
        { "MASTERDOWN Link with MASTER is down", ngx_ors_redis_loading,
          ngx_ors_store_unavailable },
        { "CLUSTERDOWN The cluster is down", ngx_ors_redis_loading,
          ngx_ors_store_unavailable },
        { "NOAUTH Authentication required.", ngx_ors_redis_denied,
          ngx_ors_store_unavailable },
        { "WRONGPASS invalid username-password pair", ngx_ors_redis_denied,
          ngx_ors_store_unavailable },
        { "NOPERM this user has no permissions", ngx_ors_redis_denied,
          ngx_ors_store_unavailable },
        { "ERR unknown command", ngx_ors_redis_other,
          ngx_ors_store_unavailable },
        { "OOM", ngx_ors_redis_full, ngx_ors_store_full },
        { "OOMS", ngx_ors_redis_other, ngx_ors_store_unavailable },
        { "OO", ngx_ors_redis_other, ngx_ors_store_unavailable },
        { "", ngx_ors_redis_other, ngx_ors_store_unavailable }
    };

    for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        text.data = (u_char *) t[i].text;
        text.len = ngx_strlen(t[i].text);

        is_int(ngx_ors_redis_error(&text), t[i].error, "error \"%s\"",
               t[i].text);
        is_int(ngx_ors_redis_status(t[i].error), t[i].status,
               "what it means for a job");
    }
}


static void
test_redirect(ngx_pool_t *pool)
{
    ngx_str_t                  text;
    ngx_uint_t                 i;
    ngx_ors_redis_redirect_t   to;

    static const struct {
        char        *text;
        ngx_uint_t   slot;
        char        *host;
        in_port_t    port;
    } t[] = {
        { "MOVED 3999 127.0.0.1:6381", 3999, "127.0.0.1", 6381 },
        { "ASK 0 10.0.0.255:1", 0, "10.0.0.255", 1 },
        { "MOVED 16383 ::1:65535", 16383, "::1", 65535 },
        { "MOVED 1 2001:db8::8:7000", 1, "2001:db8::8", 7000 },
        { "MOVED 7 :6379", 7, "", 6379 }
    };

    for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        text = copy(pool, t[i].text);

        is_int(ngx_ors_redis_redirect(&text, &to), NGX_OK, "\"%s\" is read",
               t[i].text);
        is_int(to.slot, t[i].slot, "its slot");
        is_str(&to.host, t[i].host, "its host");
        is_int(to.port, t[i].port, "its port");
    }
}


static void
test_redirect_broken(ngx_pool_t *pool)
{
    size_t                     len;
    ngx_str_t                  text;
    ngx_uint_t                 i;
    ngx_ors_redis_redirect_t   to;

    static char  *t[] = {
        "MOVED", "MOVED ", "MOVED 1", "MOVED 1 ", "MOVED 1 127.0.0.1",
        "MOVED 1 127.0.0.1:", "MOVED 1 127.0.0.1:0", "MOVED 1 127.0.0.1:65536",
        "MOVED 1 127.0.0.1:80x", "MOVED 1 127.0.0.1:99999999999999999999",
        "MOVED 16384 127.0.0.1:80", "MOVED -1 127.0.0.1:80",
        "MOVED x 127.0.0.1:80", "MOVED  1 127.0.0.1:80",
        "MOVED 1 redis.example:80", "MOVED 1 127.0.0.1 :80",
        "MOVED 1 [::1]:80", "MOVED 1 300.0.0.1:80",
        "MOVED 99999999999999999999 127.0.0.1:80",
        "MOVED 1 aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa:80"
    };

    for (i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
        text = copy(pool, t[i]);
        is_int(ngx_ors_redis_redirect(&text, &to), NGX_DECLINED,
               "\"%s\" is refused", t[i]);
    }

    /* cut anywhere; with one digit of the port it is whole */

    for (len = 0; len < sizeof("MOVED 3999 127.0.0.1:") - 1; len++) {
        text = copy(pool, "MOVED 3999 127.0.0.1:6381");
        text.data = ngx_pnalloc(pool, len ? len : 1);
        ngx_memcpy(text.data, "MOVED 3999 127.0.0.1:6381", len);
        text.len = len;

        if (ngx_ors_redis_redirect(&text, &to) != NGX_DECLINED) {
            fail("a redirection of %d bytes is refused", (int) len);
        }
    }

    text.len = 0;
    is_int(ngx_ors_redis_numeric(&text), 0, "nothing is no address");

    ngx_str_set(&text, "127.0.0.1\0evil");
    is_int(ngx_ors_redis_numeric(&text), 0, "an address has no zero byte");
}


static void
test_range(void)
{
    redisReply              n[3], host, node, range;
    redisReply             *in_node[2], *in_range[3];
    ngx_ors_redis_range_t   r;

    ngx_memzero(&host, sizeof(redisReply));
    host.type = REDIS_REPLY_STRING;
    host.str = "127.0.0.1";
    host.len = 9;

    ngx_memzero(&node, sizeof(redisReply));
    node.type = REDIS_REPLY_ARRAY;
    node.elements = 2;
    node.element = in_node;
    in_node[0] = &host;
    in_node[1] = number(&n[2], 7001);

    ngx_memzero(&range, sizeof(redisReply));
    range.type = REDIS_REPLY_ARRAY;
    range.elements = 3;
    range.element = in_range;
    in_range[0] = number(&n[0], 100);
    in_range[1] = number(&n[1], 16383);
    in_range[2] = &node;

    is_int(ngx_ors_redis_range_read(&range, &r), NGX_OK, "slots are read");
    is_int(r.first, 100, "the first one");
    is_int(r.last, 16383, "the last one");
    is_str(&r.host, "127.0.0.1", "their host");
    is_int(r.port, 7001, "their port");

    host.type = REDIS_REPLY_NIL;
    is_int(ngx_ors_redis_range_read(&range, &r), NGX_OK,
           "a host that is not known is read");
    is_int(r.host.len, 0, "it is empty");

    n[1].integer = 99;
    is_int(ngx_ors_redis_range_read(&range, &r), NGX_DECLINED,
           "a last one before the first is refused");

    n[1].integer = 16384;
    is_int(ngx_ors_redis_range_read(&range, &r), NGX_DECLINED,
           "a slot that does not exist is refused");

    n[1].integer = 16383;
    n[0].integer = -1;
    is_int(ngx_ors_redis_range_read(&range, &r), NGX_DECLINED,
           "a negative slot is refused");

    n[0].integer = 0;
    n[2].integer = 65536;
    is_int(ngx_ors_redis_range_read(&range, &r), NGX_DECLINED,
           "a port that does not exist is refused");

    n[2].integer = 7001;
    node.elements = 1;
    is_int(ngx_ors_redis_range_read(&range, &r), NGX_DECLINED,
           "a node without a port is refused");

    node.elements = 2;
    in_range[2] = &host;
    is_int(ngx_ors_redis_range_read(&range, &r), NGX_DECLINED,
           "a node that is no array is refused");

    in_range[2] = &node;
    range.elements = 2;
    is_int(ngx_ors_redis_range_read(&range, &r), NGX_DECLINED,
           "slots without a node are refused");

    range.type = REDIS_REPLY_STATUS;
    is_int(ngx_ors_redis_range_read(&range, &r), NGX_DECLINED,
           "what is no array is refused");
}


static void
test_reason(void)
{
    size_t   len;
    u_char   text[NGX_ORS_REDIS_REASON + 1];
    u_char   reason[NGX_ORS_REDIS_REASON];

    len = ngx_ors_redis_reason(reason, (u_char *) "a\r\n\0\033[1mz\377", 10);
    is_mem(reason, len, "a????[1mz?", 10, "a text is made fit for a log");

    ngx_memset(text, 'x', sizeof(text));
    is_int(ngx_ors_redis_reason(reason, text, sizeof(text)),
           NGX_ORS_REDIS_REASON, "a long text is cut");
}


static void
test_delay(void)
{
    ngx_uint_t  i;
    ngx_msec_t  delay, least, most;

    for (i = 1; i < 100; i++) {
        least = ngx_ors_redis_delay(i, 0);
        most = 2 * least;

        delay = ngx_ors_redis_delay(i, ngx_ors_test_random(1000000));

        if (delay < least || delay > most || least < 100 || most > 10000) {
            fail("the pause after %d failures, %d ms", (int) i, (int) delay);
        }
    }

    is_int(ngx_ors_redis_delay(1, 0), 100, "the first pause");
    is_int(ngx_ors_redis_delay(1, 100), 200, "... or twice of it");
    is_int(ngx_ors_redis_delay(99, 5000), 10000, "the longest pause");
}


static void
name(ngx_ors_store_key_t *key, char *scope, char *text)
{
    ngx_memzero(key, sizeof(ngx_ors_store_key_t));

    ngx_memcpy(key->scope, scope, NGX_ORS_STORE_KEY);
    ngx_memcpy(key->name, text, ngx_min(ngx_strlen(text), NGX_ORS_STORE_KEY));
}


/* not null-terminated: a byte too far is seen by the sanitizer */

static ngx_str_t
copy(ngx_pool_t *pool, char *text)
{
    ngx_str_t  s;

    s.len = ngx_strlen(text);
    s.data = ngx_pnalloc(pool, s.len);
    ngx_memcpy(s.data, text, s.len);

    return s;
}


static redisReply *
number(redisReply *reply, long long n)
{
    ngx_memzero(reply, sizeof(redisReply));

    reply->type = REDIS_REPLY_INTEGER;
    reply->integer = n;

    return reply;
}
