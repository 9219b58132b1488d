
/*
 * Copyright (C) Open Responses contributors
 */


/* Back-pressure: an answer is read while a client's queue has room. */


#include <ngx_ors_test.h>
#include <ngx_ors_sse.h>


#define TEST_LIMIT  10000


typedef struct {
    ngx_pool_t        *pool;
    ngx_ors_out_t      out;
    ngx_ors_queue_t    queue;
    ngx_ors_source_t   source;
    size_t             read;
    ngx_uint_t         steps;
    ngx_uint_t         refused;
    ngx_uint_t         ended;
    ngx_uint_t         over;
    ngx_uint_t         fails;
} test_t;


static void test_steps(void);
static void test_waits(void);
static void test_unlimited(void);
static void test_over(void);
static void test_ends(void);
static void test_refuses(void);
static void test_fails(void);
static void test_init(test_t *t);
static ngx_chain_t *test_link(test_t *t, size_t len);
static ngx_uint_t test_is_over(void *data);
static ngx_int_t test_read(void *data, ngx_buf_t *b);
static ngx_int_t test_refuse(void *data, const char *what);
static ngx_int_t test_end(void *data);


static const ngx_ors_source_handler_t  test_handler = {
    test_is_over, test_read, test_refuse, test_end
};


int
main(void)
{
    test_steps();
    test_waits();
    test_unlimited();
    test_over();
    test_ends();
    test_refuses();
    test_fails();

    return done_testing();
}


static void
test_steps(void)
{
    test_t  t;

    test_init(&t);

    is_int(ngx_ors_source_take(&t.source, test_link(&t, 9000)), NGX_OK,
           "room for all");
    is_int(t.read, 9000, "... all is read");
    is_int(t.steps, 2, "... in steps");
    ok(t.source.in == NULL && !t.source.stopped, "... and nothing waits");
    is_int(ngx_ors_queue_pending(&t.queue), 9000, "... but the client's bytes");

    ngx_destroy_pool(t.pool);
}


static void
test_waits(void)
{
    test_t        t;
    ngx_chain_t  *cl;

    test_init(&t);

    is_int(ngx_ors_source_take(&t.source, test_link(&t, 20000)), NGX_AGAIN,
           "a full queue");
    is_int(t.read, 2 * NGX_ORS_DECODE_STEP, "... is full after a step");
    ok(t.source.stopped && t.source.in, "... and the rest waits");

    is_int(ngx_ors_source_take(&t.source, test_link(&t, 5)), NGX_AGAIN,
           "more bytes");
    is_int(t.read, 2 * NGX_ORS_DECODE_STEP, "... wait, too");

    (void) ngx_ors_out_take(&t.out, &t.queue.busy);

    is_int(ngx_ors_source_feed(&t.source), NGX_AGAIN,
           "bytes that are being sent count");

    for (cl = t.queue.busy; cl; cl = cl->next) {
        cl->buf->pos = cl->buf->last;
    }

    ngx_ors_out_recycle(&t.out, &t.queue.busy);

    is_int(ngx_ors_source_feed(&t.source), NGX_OK, "the client has taken them");
    is_int(t.read, 20005, "... and all is read");
    ok(!t.source.stopped, "... the upstream goes on");

    ngx_destroy_pool(t.pool);
}


static void
test_unlimited(void)
{
    test_t  t;

    test_init(&t);

    t.source.queue = NULL;

    is_int(ngx_ors_source_take(&t.source, test_link(&t, 20000)), NGX_OK,
           "no queue");
    is_int(t.read, 20000, "... all is read");

    ngx_destroy_pool(t.pool);
}


static void
test_over(void)
{
    test_t        t;
    ngx_chain_t  *cl;

    test_init(&t);
    t.over = 1;

    cl = test_link(&t, 20000);

    is_int(ngx_ors_source_take(&t.source, cl), NGX_OK, "an answer not needed");
    is_int(t.read, 0, "... is not read");
    ok(cl->buf->pos == cl->buf->last, "... but used up");

    ngx_destroy_pool(t.pool);
}


static void
test_ends(void)
{
    test_t        t;
    ngx_chain_t  *cl;

    test_init(&t);

    cl = test_link(&t, 3);
    cl->buf->last_in_chain = 1;

    (void) ngx_ors_source_take(&t.source, cl);

    is_int(t.ended, 1, "a last buffer ends it");
    ok(ngx_ors_source_complete(&t.source), "... whole");

    t.ended = 0;
    cl = test_link(&t, 0);
    cl->buf->temporary = 0;
    cl->buf->flush = 1;

    (void) ngx_ors_source_take(&t.source, cl);
    is_int(t.ended, 0, "a flush does not");

    t.source.cut = 1;
    cl = test_link(&t, 0);
    cl->buf->temporary = 0;
    cl->buf->flush = 1;

    (void) ngx_ors_source_take(&t.source, cl);
    is_int(t.ended, 1, "... but that of a body that is cut");
    ok(!ngx_ors_source_complete(&t.source), "... not whole");

    ngx_destroy_pool(t.pool);
}


static void
test_refuses(void)
{
    test_t     t;
    ngx_str_t  encoding;

    test_init(&t);

    ngx_str_set(&encoding, "br");
    is_int(ngx_ors_decode_init(&t.source.decode, &encoding, t.pool),
           NGX_DECLINED, "an encoding that is not known");

    ngx_str_set(&encoding, "X-GZIP");
    is_int(ngx_ors_decode_init(&t.source.decode, &encoding, t.pool), NGX_OK,
           "one that is");

    (void) ngx_ors_source_take(&t.source, test_link(&t, 20));
    is_int(t.refused, 1, "... and other bytes");
    is_int(t.read, 0, "... are not read");

    ngx_destroy_pool(t.pool);
}


static void
test_fails(void)
{
    test_t  t;

    test_init(&t);
    t.fails = 1;

    is_int(ngx_ors_source_take(&t.source, test_link(&t, 20)), NGX_ERROR,
           "a reader without memory");
    ok(!t.source.stopped, "... does not wait");

    ngx_destroy_pool(t.pool);

    test_init(&t);
    ngx_ors_test_fail_after(1);
    is_int(ngx_ors_source_take(&t.source, NULL), NGX_OK, "nothing to copy");
    ngx_ors_test_fail_after(0);

    ngx_destroy_pool(t.pool);
}


static void
test_init(test_t *t)
{
    ngx_memzero(t, sizeof(test_t));

    t->pool = ngx_ors_test_pool();

    ngx_ors_out_init(&t->out, t->pool, 1024);

    t->queue.out = &t->out;
    t->queue.limit = TEST_LIMIT;

    t->source.queue = &t->queue;
    t->source.handler = &test_handler;
    t->source.data = t;
    t->source.pool = t->pool;
    t->source.log = t->pool->log;
}


static ngx_chain_t *
test_link(test_t *t, size_t len)
{
    ngx_chain_t  *cl;

    cl = ngx_alloc_chain_link(t->pool);
    cl->buf = ngx_create_temp_buf(t->pool, len + 1);
    cl->buf->last += len;
    cl->next = NULL;

    ngx_memset(cl->buf->pos, 'a', len);

    return cl;
}


static ngx_uint_t
test_is_over(void *data)
{
    return ((test_t *) data)->over || ((test_t *) data)->refused;
}


static ngx_int_t
test_read(void *data, ngx_buf_t *b)
{
    test_t  *t = data;

    t->steps++;
    t->read += b->last - b->pos;

    ngx_ors_out_copy(&t->out, b->pos, b->last - b->pos);
    b->pos = b->last;

    return t->fails ? NGX_ERROR : NGX_OK;
}


static ngx_int_t
test_refuse(void *data, const char *what)
{
    ((test_t *) data)->refused++;

    return NGX_OK;
}


static ngx_int_t
test_end(void *data)
{
    ((test_t *) data)->ended++;

    return NGX_OK;
}
