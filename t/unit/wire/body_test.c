
/*
 * Copyright (C) Open Responses contributors
 */


/* Bodies in several buffers: joined where they lie, moved, or copied. */


#include <ngx_ors_test.h>
#include <ngx_ors_body.h>


static void test_joined(ngx_pool_t *pool);
static void test_moved(ngx_pool_t *pool);
static void test_copied(ngx_pool_t *pool);
static void test_file(ngx_pool_t *pool);
static ngx_chain_t *test_chain(ngx_pool_t *pool, u_char *last, ...);


int
main(void)
{
    ngx_pool_t  *pool;

    pool = ngx_ors_test_pool();

    test_joined(pool);
    test_moved(pool);
    test_copied(pool);
    test_file(pool);

    ngx_destroy_pool(pool);

    return done_testing();
}


static void
test_joined(ngx_pool_t *pool)
{
    u_char       *p;
    ngx_str_t     body;
    ngx_uint_t    n;
    ngx_chain_t  *bufs;

    p = ngx_palloc(pool, 8);
    ngx_memcpy(p, "abcdefgh", 8);

    bufs = test_chain(pool, p + 8, p, p + 8, NULL);
    n = ngx_ors_test_allocs();

    is_int(ngx_ors_body(bufs, 1, pool, &body), NGX_OK, "one buffer");
    ok(body.data == p && body.len == 8, "... is the body");

    bufs = test_chain(pool, p + 8, p, p + 3, p + 3, p + 3, p + 3, p + 5,
                      p + 5, p + 8, NULL);
    n = ngx_ors_test_allocs();

    is_int(ngx_ors_body(bufs, 0, pool, &body), NGX_OK, "buffers side by side");
    ok(body.data == p && body.len == 8, "... are one body");
    is_int(ngx_ors_test_allocs(), n, "... without memory of its own");
    ok(bufs->next == NULL && bufs->buf->last_buf, "... and one buffer");
}


static void
test_moved(ngx_pool_t *pool)
{
    u_char       *p, *q;
    ngx_str_t     body;
    ngx_uint_t    n;
    ngx_chain_t  *bufs;

    p = ngx_palloc(pool, 3);
    q = ngx_palloc(pool, 8);
    ngx_memcpy(p, "abc", 3);
    ngx_memcpy(q, "defgh", 5);

    bufs = test_chain(pool, q + 8, p, p + 3, q, q + 2, q + 2, q + 5, NULL);
    n = ngx_ors_test_allocs();

    is_int(ngx_ors_body(bufs, 1, pool, &body), NGX_OK, "room at the end");
    is_mem(body.data, body.len, "abcdefgh", 8, "... takes the first buffer");
    ok(body.data == q, "... which moves");
    is_int(ngx_ors_test_allocs(), n, "... without memory of its own");
}


static void
test_copied(ngx_pool_t *pool)
{
    u_char       *p, *q;
    ngx_str_t     body;
    ngx_chain_t  *bufs;

    p = ngx_palloc(pool, 3);
    q = ngx_palloc(pool, 8);
    ngx_memcpy(p, "abc", 3);
    ngx_memcpy(q, "defgh", 5);

    bufs = test_chain(pool, q + 8, p, p + 3, q, q + 5, NULL);

    is_int(ngx_ors_body(bufs, 0, pool, &body), NGX_OK, "room not to be used");
    is_mem(body.data, body.len, "abcdefgh", 8, "... the body is a copy");
    ok(body.data != q && body.data != p, "... of its own");

    bufs = test_chain(pool, q + 7, p, p + 3, q, q + 5, NULL);

    is_int(ngx_ors_body(bufs, 1, pool, &body), NGX_OK, "too little room");
    is_mem(body.data, body.len, "abcdefgh", 8, "... the body is a copy");

    ngx_ors_test_fail_after(1);
    is_int(ngx_ors_body(bufs, 0, pool, &body), NGX_ERROR, "no memory for it");
    ngx_ors_test_fail_after(0);
}


static void
test_file(ngx_pool_t *pool)
{
    u_char       *p;
    ngx_buf_t     b;
    ngx_str_t     body;
    ngx_file_t    file;
    ngx_chain_t  *bufs;

    p = (u_char *) "ab";
    bufs = test_chain(pool, p + 2, p, p + 2, p, p + 2, NULL);

    ngx_memzero(&b, sizeof(ngx_buf_t));
    ngx_memzero(&file, sizeof(ngx_file_t));
    ngx_str_set(&file.name, "body");

    b.in_file = 1;
    b.file = &file;
    b.file_pos = 2;
    b.file_last = 5;

    bufs->next->buf = &b;

    is_int(ngx_ors_body(bufs, 1, pool, &body), NGX_OK, "a body in a file");
    is_mem(body.data, body.len, "ab234", 5, "... is read");

    b.file_last = 11;
    is_int(ngx_ors_body(bufs, 1, pool, &body), NGX_ERROR, "a file too short");
    ok(strstr((char *) ngx_ors_test_log_last(), "gave 8 bytes of 9") != NULL,
       "... is logged");
}


/* a stand-in for nginx's, of a file with ten bytes */

ssize_t
ngx_read_file(ngx_file_t *file, u_char *buf, size_t size, off_t offset)
{
    size = ngx_min(size, (size_t) (10 - offset));
    ngx_memcpy(buf, &"0123456789"[offset], size);

    return size;
}


/* buffers of pairs of their begin and end; all have room up to "last" */

static ngx_chain_t *
test_chain(ngx_pool_t *pool, u_char *last, ...)
{
    u_char        *p;
    va_list        args;
    ngx_buf_t     *b;
    ngx_chain_t   *chain, **ll;

    ll = &chain;

    va_start(args, last);

    while ((p = va_arg(args, u_char *)) != NULL) {
        b = ngx_pcalloc(pool, sizeof(ngx_buf_t));
        b->memory = 1;
        b->pos = p;
        b->last = va_arg(args, u_char *);
        b->end = last;

        *ll = ngx_alloc_chain_link(pool);
        (*ll)->buf = b;
        (*ll)->next = NULL;
        ll = &(*ll)->next;
    }

    va_end(args);

    return chain;
}
