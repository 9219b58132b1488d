
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Output blocks: appended, referred to, taken, and used again.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_text.h>


static void test_append(void);
static void test_int(void);
static void test_lazy(void);
static void test_reuse(void);
static void test_brief(void);
static void test_two_chains(void);
static void test_random(size_t block_size, ngx_uint_t seed);
static void test_no_memory(ngx_uint_t brief);
static void append_random(ngx_ors_out_t *out);
static void send_random(ngx_chain_t *busy, ngx_uint_t all);
static void drain(ngx_chain_t *cl);


#define MODEL_SIZE  (1024 * 1024)


static u_char   source[4096];           /* text that is referred to */
static u_char  *model, *model_last;     /* everything appended */
static u_char  *sent, *sent_last;       /* everything sent */


int
main(void)
{
    ngx_uint_t  i;

    static size_t  sizes[] = { 1, 7, 64, 600, 4096 };

    for (i = 0; i < sizeof(source); i++) {
        source[i] = 'a' + i % 26;
    }

    test_append();
    test_int();
    test_lazy();
    test_reuse();
    test_brief();
    test_two_chains();

    model = malloc(MODEL_SIZE);
    sent = malloc(MODEL_SIZE);

    for (i = 0; i < 50; i++) {
        test_random(sizes[i % 5], i);
    }

    free(model);
    free(sent);

    test_no_memory(0);
    test_no_memory(1);

    return done_testing();
}


static void
test_append(void)
{
    ngx_str_t       s = ngx_string("str"), none = ngx_null_string;
    ngx_pool_t     *pool;
    ngx_chain_t    *cl;
    ngx_ors_out_t   out;

    pool = ngx_ors_test_pool();
    ngx_ors_out_init(&out, pool, 8);

    is_int(ngx_ors_out_take(&out, &cl), NGX_OK, "take nothing");
    ok(cl == NULL, "nothing is NULL");

    ngx_ors_out_str(&out, &none);
    ngx_ors_out_lit(&out, "literal ");
    ngx_ors_out_str(&out, &s);
    ngx_ors_out_str(&out, &none);
    ngx_ors_out_copy(&out, (u_char *) " longer than a block ", 21);
    ngx_ors_out_ref(&out, (u_char *) "short", 5);
    is_int(out.size, 37, "size");

    is_int(ngx_ors_out_take(&out, &cl), NGX_OK, "take");
    is_chain(cl, "literal str longer than a block short", "text");
    is_int(out.size, 0, "size after take");
    ok(cl->buf->memory && !cl->buf->temporary, "buffers are read only");
    ok(cl->buf->start == cl->buf->pos, "start is pos");

    ngx_ors_out_lit(&out, "x");
    ngx_ors_out_ref(&out, source, NGX_ORS_OUT_REF_MIN);
    ngx_ors_out_lit(&out, "y");
    ngx_ors_out_take(&out, &cl);

    ok(cl->next->buf->pos == source, "long text is not copied");
    is_int(cl->next->buf->last - source, NGX_ORS_OUT_REF_MIN, "its length");
    ok(cl->next->next->buf->pos[0] == 'y', "text after it");
    ok(cl->next->next->next == NULL, "end of the chain");

    ngx_ors_out_ref(&out, source, NGX_ORS_OUT_REF_MIN - 1);
    ngx_ors_out_take(&out, &cl);
    ok(cl->buf->pos != source, "shorter text is copied");

    ngx_destroy_pool(pool);
}


static void
test_int(void)
{
    ngx_pool_t     *pool;
    ngx_chain_t    *cl;
    ngx_ors_out_t   out;

    pool = ngx_ors_test_pool();
    ngx_ors_out_init(&out, pool, 100);

    ngx_ors_out_int(&out, 0);
    ngx_ors_out_lit(&out, " ");
    ngx_ors_out_int(&out, -1);
    ngx_ors_out_lit(&out, " ");
    ngx_ors_out_int(&out, 1000);
    ngx_ors_out_lit(&out, " ");
    ngx_ors_out_int(&out, NGX_MAX_INT_T_VALUE);
    ngx_ors_out_lit(&out, " ");
    ngx_ors_out_int(&out, -NGX_MAX_INT_T_VALUE - 1);

    ngx_ors_out_take(&out, &cl);
    is_chain(cl, "0 -1 1000 9223372036854775807 -9223372036854775808",
             "numbers");

    ngx_destroy_pool(pool);
}


static void
test_lazy(void)
{
    ngx_uint_t      n;
    ngx_pool_t     *pool;
    ngx_chain_t    *cl;
    ngx_ors_out_t   out;

    pool = ngx_ors_test_pool();
    n = ngx_ors_test_allocs();

    ngx_ors_out_init(&out, pool, 64);
    ngx_ors_out_take(&out, &cl);
    is_int(ngx_ors_test_allocs() - n, 0, "nothing is allocated at first");

    ngx_ors_out_lit(&out, "x");
    is_int(ngx_ors_test_allocs() - n, 1, "a block with the first byte");

    ngx_destroy_pool(pool);
}


static void
test_reuse(void)
{
    u_char         *pos;
    ngx_uint_t      i, n;
    ngx_pool_t     *pool;
    ngx_chain_t    *busy, *cl;
    ngx_ors_out_t   out;

    pool = ngx_ors_test_pool();
    ngx_ors_out_init(&out, pool, 64);

    ngx_ors_out_lit(&out, "first");
    ngx_ors_out_take(&out, &busy);
    pos = busy->buf->pos;

    ngx_ors_out_recycle(&out, &busy);
    ok(busy != NULL, "what is not sent stays busy");

    busy->buf->pos += 2;
    ngx_ors_out_recycle(&out, &busy);
    ok(busy != NULL, "what is sent in part stays busy");

    busy->buf->pos = busy->buf->last;
    busy->buf->flush = 1;
    ngx_ors_out_recycle(&out, &busy);
    ok(busy == NULL, "what is sent is taken back");

    ngx_ors_out_lit(&out, "second");
    ngx_ors_out_take(&out, &busy);
    ok(busy->buf->pos == pos, "the block is written from its start");
    ok(!busy->buf->flush, "flags of the last use are cleared");

    ngx_ors_out_lit(&out, "not taken");
    drain(busy);
    ngx_ors_out_recycle(&out, &busy);
    ngx_ors_out_take(&out, &busy);
    ok(busy->buf->pos == pos + 6, "not while there is text in it");
    is_chain(busy, "not taken", "that text is kept");

    drain(busy);
    ngx_ors_out_recycle(&out, &busy);
    ngx_ors_out_take(&out, &busy);

    /* a thousand rounds of three blocks and a reference */

    for (n = 0, i = 0; i < 1000; i++) {
        ngx_ors_out_copy(&out, source, 150);
        ngx_ors_out_ref(&out, source, 2000);
        ngx_ors_out_take(&out, &busy);

        for (cl = busy; cl->next; cl = cl->next) { /* void */ }

        cl->buf->pos = cl->buf->last;
        ngx_ors_out_recycle(&out, &busy);

        drain(busy);
        ngx_ors_out_recycle(&out, &busy);

        if (i == 10) {
            n = ngx_ors_test_allocs();
        }
    }

    is_int(ngx_ors_test_allocs() - n, 0, "blocks and buffers are used again");

    ngx_destroy_pool(pool);
}


static void
test_brief(void)
{
    u_char         *first;
    ngx_pool_t     *pool;
    ngx_chain_t    *busy, *more;
    ngx_ors_out_t   out;

    pool = ngx_ors_test_pool();

    ngx_ors_out_init(&out, pool, 64);
    ngx_ors_out_brief(&out);

    ngx_ors_out_lit(&out, "x");
    ok(out.extra == NULL, "the first block is the pool's");

    ngx_ors_out_copy(&out, source, 300);
    ngx_ors_out_take(&out, &busy);
    first = busy->buf->pos;

    ngx_ors_out_copy(&out, source, 10);
    ngx_ors_out_take(&out, &more);

    drain(busy);
    ngx_ors_out_recycle(&out, &busy);
    ok(out.extra->large != NULL, "after much all blocks are there for more");
    is_chain(more, "abcdefghij", "what is not sent stays");

    ngx_ors_out_copy(&out, source, 10);
    ngx_ors_out_take(&out, &busy);

    drain(more);
    ngx_ors_out_recycle(&out, &more);
    ok(out.extra->large != NULL, "... and so do blocks with that in one");

    ngx_ors_out_lit(&out, "not taken");

    drain(busy);
    ngx_ors_out_recycle(&out, &busy);
    ok(out.extra->large != NULL, "... or with what is not taken");

    ngx_ors_out_take(&out, &busy);
    is_chain(busy, "not taken", "which is there");

    drain(busy);
    ngx_ors_out_recycle(&out, &busy);
    ok(out.extra->large == NULL, "after little all of them are freed");

    ngx_ors_out_copy(&out, source, 10);
    ngx_ors_out_take(&out, &busy);
    ok(busy->buf->pos == first, "the first block is used on");

    drain(busy);
    ngx_ors_out_recycle(&out, &busy);

    /* bytes that are not sent go with the pool */

    ngx_ors_out_copy(&out, source, 300);

    ngx_destroy_pool(pool);
}


static void
test_two_chains(void)
{
    ngx_pool_t     *pool;
    ngx_chain_t    *one, *two;
    ngx_ors_out_t   out;

    pool = ngx_ors_test_pool();
    ngx_ors_out_init(&out, pool, 64);

    ngx_ors_out_lit(&out, "one");
    ngx_ors_out_take(&out, &one);
    ngx_ors_out_lit(&out, "two");
    ngx_ors_out_take(&out, &two);

    drain(one);
    ngx_ors_out_recycle(&out, &one);

    ngx_ors_out_lit(&out, "333");
    is_chain(two, "two", "a chain that waits is not written over");

    ngx_destroy_pool(pool);
}


static void
test_random(size_t block_size, ngx_uint_t seed)
{
    ngx_uint_t      i, bad;
    ngx_pool_t     *pool;
    ngx_chain_t    *busy, *cl, **ll;
    ngx_ors_out_t   out;

    pool = ngx_ors_test_pool();
    ngx_ors_out_init(&out, pool, block_size);

    if (seed & 1) {
        ngx_ors_out_brief(&out);
    }

    busy = NULL;
    bad = 0;
    model_last = model;
    sent_last = sent;

    for (i = 0; i < 400; i++) {

        switch (ngx_ors_test_random(4)) {

        case 0:
        case 1:
            append_random(&out);
            break;

        case 2:
            bad |= (ngx_ors_out_take(&out, &cl) != NGX_OK);

            for (ll = &busy; *ll; ll = &(*ll)->next) { /* void */ }

            *ll = cl;
            break;

        case 3:
            send_random(busy, ngx_ors_test_random(8) == 0);
            ngx_ors_out_recycle(&out, &busy);
            break;
        }

        bad |= (out.size > (size_t) (model_last - sent_last));
    }

    bad |= (ngx_ors_out_take(&out, &cl) != NGX_OK);

    for (ll = &busy; *ll; ll = &(*ll)->next) { /* void */ }

    *ll = cl;

    send_random(busy, 1);
    ngx_ors_out_recycle(&out, &busy);

    ok(!bad && busy == NULL, "random %d: all is sent", (int) seed);
    is_mem(sent, sent_last - sent, model, model_last - model,
           "random %d: %d bytes in blocks of %d", (int) seed,
           (int) (model_last - model), (int) block_size);

    ngx_destroy_pool(pool);
}


static void
append_random(ngx_ors_out_t *out)
{
    size_t      len;
    u_char     *p;
    ngx_int_t   n;

    p = source + ngx_ors_test_random(1000);
    len = ngx_ors_test_random(ngx_ors_test_random(3) ? 30 : 3000);

    switch (ngx_ors_test_random(3)) {

    case 0:
        ngx_ors_out_copy(out, p, len);
        model_last = ngx_cpymem(model_last, p, len);
        break;

    case 1:
        ngx_ors_out_ref(out, p, len);
        model_last = ngx_cpymem(model_last, p, len);
        break;

    case 2:
        n = (ngx_int_t) ngx_ors_test_random(100000) - 50000;
        ngx_ors_out_int(out, n);
        model_last = ngx_sprintf(model_last, "%i", n);
        break;
    }
}


/* a client that reads some bytes, or all */

static void
send_random(ngx_chain_t *busy, ngx_uint_t all)
{
    size_t        n, len;
    ngx_chain_t  *cl;

    n = ngx_ors_test_random(3000);

    for (cl = busy; cl && (n || all); cl = cl->next) {

        len = cl->buf->last - cl->buf->pos;

        if (!all) {
            len = ngx_min(len, n);
            n -= len;
        }

        sent_last = ngx_cpymem(sent_last, cl->buf->pos, len);
        cl->buf->pos += len;
    }
}


static void
drain(ngx_chain_t *cl)
{
    for ( /* void */ ; cl; cl = cl->next) {
        cl->buf->pos = cl->buf->last;
    }
}


static void
test_no_memory(ngx_uint_t brief)
{
    ngx_int_t       rc;
    ngx_uint_t      n;
    ngx_pool_t     *pool;
    ngx_chain_t    *cl;
    ngx_ors_out_t   out;

    for (n = 1; ; n++) {
        pool = ngx_ors_test_pool();
        ngx_ors_out_init(&out, pool, 16);

        if (brief) {
            ngx_ors_out_brief(&out);
        }

        ngx_ors_test_fail_after(n);

        ngx_ors_out_lit(&out, "some text that needs more blocks than one");
        ngx_ors_out_ref(&out, source, 1000);
        ngx_ors_out_int(&out, 42);
        ngx_ors_out_str(&out, &(ngx_str_t) ngx_null_string);

        rc = ngx_ors_out_take(&out, &cl);

        if (!ngx_ors_test_failed()) {
            break;
        }

        ngx_ors_out_lit(&out, "text");

        ok(rc == NGX_ERROR && ngx_ors_out_take(&out, &cl) == NGX_ERROR,
           "allocation %d fails", (int) n);

        ngx_destroy_pool(pool);
    }

    ngx_ors_test_fail_after(0);

    is_int(rc, NGX_OK, "no allocation fails");
    ok(n > 5, "all were tried");

    ngx_destroy_pool(pool);
}
