
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Edits, as they are written over a document: whatever the order they were
 * added in, and piece by piece as well as at once.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_edit.h>


#define LEN  200


static void test_order(void);
static void test_same_place(void);
static void test_pieces(void);
static void test_from(void);
static size_t flat(ngx_chain_t *cl, u_char *p);
static void written(ngx_ors_edits_t *edits, size_t pos, size_t last,
    const char *expected, const char *name);


static u_char          text[LEN + 1];
static ngx_ors_json_t  json;
static ngx_pool_t     *pool;


int
main(void)
{
    ngx_uint_t  i;

    for (i = 0; i < LEN; i++) {
        text[i] = (u_char) ('a' + i % 26);
    }

    json.text = text;
    pool = ngx_ors_test_pool();

    test_order();
    test_same_place();
    test_pieces();
    test_from();

    ngx_destroy_pool(pool);

    return done_testing();
}


static void
test_order(void)
{
    ngx_ors_edits_t  edits;

    static ngx_str_t  x = ngx_string("X");

    ngx_ors_edits_init(&edits, pool);
    written(&edits, 0, 5, "abcde", "no edit");

    ngx_ors_edits_add(&edits, 8, 1, &x);
    ngx_ors_edits_add(&edits, 2, 2, NULL);
    ngx_ors_edits_add(&edits, 5, 0, &x);

    written(&edits, 0, 10, "abeXfghXj", "edits that were not added in order");

    ngx_ors_edits_add(&edits, 0, 1, &x);

    written(&edits, 0, 10, "XbeXfghXj", "one more, after they were written");

    ngx_ors_edits_clear(&edits);
    ngx_ors_edits_add(&edits, 1, 1, &x);

    written(&edits, 0, 3, "aXc", "a list that was emptied");
}


static void
test_same_place(void)
{
    ngx_uint_t       i;
    ngx_ors_edits_t  edits;

    static ngx_str_t  names[] = {
        ngx_string("1"), ngx_string("2"), ngx_string("3"), ngx_string("4"),
        ngx_string("5"), ngx_string("6"), ngx_string("7"), ngx_string("8")
    };

    ngx_ors_edits_init(&edits, pool);
    ngx_ors_edits_add(&edits, 3, 1, NULL);

    for (i = 0; i < 8; i++) {
        ngx_ors_edits_add(&edits, 2, 0, &names[i]);
    }

    written(&edits, 0, 5, "ab12345678ce", "the first one stays the first");

    ngx_ors_edits_init(&edits, pool);
    ngx_ors_edits_add(&edits, 1, 4, &names[0]);
    ngx_ors_edits_add(&edits, 2, 1, &names[1]);

    written(&edits, 0, 7, "a1fg", "one that is taken away by another one");
}


/* a document in pieces has the same edits as the whole */

static void
test_pieces(void)
{
    size_t            pos, last;
    ngx_uint_t        i, n, differ;
    ngx_chain_t      *cl;
    ngx_ors_out_t     out;
    ngx_ors_edits_t   edits;

    static u_char     whole[2 * LEN], pieces[2 * LEN];
    static ngx_str_t  mark = ngx_string("-");

    differ = 0;

    for (n = 0; n < 100; n++) {
        ngx_ors_edits_init(&edits, pool);

        for (i = 0; i < n; i++) {

            /* two places each, none overlaps another */

            ngx_ors_edits_add(&edits, 2 * ngx_ors_test_random(LEN / 2), i % 2,
                              (i % 2) ? NULL : &mark);
        }

        ngx_ors_out_init(&out, pool, LEN);
        ngx_ors_edits_write(&edits, &json, 0, LEN, 0, &out);
        (void) ngx_ors_out_take(&out, &cl);
        i = flat(cl, whole);

        ngx_ors_out_init(&out, pool, LEN);

        for (pos = 0; pos < LEN; pos = last) {

            /* no edit stands where one piece ends and the next one begins */

            last = (pos | 1) + 2 * ngx_ors_test_random(9) + 2;
            last = ngx_min(last, LEN);
            ngx_ors_edits_write(&edits, &json, pos, last, 0, &out);
        }

        (void) ngx_ors_out_take(&out, &cl);

        if (flat(cl, pieces) != i
            || ngx_memcmp(whole, pieces, i) != 0)
        {
            differ++;
        }
    }

    is_int(differ, 0, "pieces are as the whole");
}


static void
test_from(void)
{
    ngx_ors_edits_t  edits;

    ngx_ors_edits_init(&edits, pool);

    ok(ngx_ors_edits_from(&edits, 0) == edits.elts, "none in an empty list");

    ngx_ors_edits_add(&edits, 9, 1, NULL);
    ngx_ors_edits_add(&edits, 4, 1, NULL);
    ngx_ors_edits_add(&edits, 4, 0, NULL);

    is_int(ngx_ors_edits_from(&edits, 0) - edits.elts, 0, "from the start");
    is_int(edits.elts[1].len, 0, "in the order of places, then of time");
    is_int(ngx_ors_edits_from(&edits, 4) - edits.elts, 0, "from the first");
    is_int(ngx_ors_edits_from(&edits, 5) - edits.elts, 2, "from the last");
    is_int(ngx_ors_edits_from(&edits, 10) - edits.elts, 3, "from the end");
}


static size_t
flat(ngx_chain_t *cl, u_char *p)
{
    u_char  *start;

    start = p;

    for ( /* void */ ; cl; cl = cl->next) {
        p = ngx_cpymem(p, cl->buf->pos, cl->buf->last - cl->buf->pos);
    }

    return p - start;
}


static void
written(ngx_ors_edits_t *edits, size_t pos, size_t last, const char *expected,
    const char *name)
{
    ngx_chain_t    *cl;
    ngx_ors_out_t   out;

    ngx_ors_out_init(&out, pool, LEN);
    ngx_ors_edits_write(edits, &json, pos, last, 0, &out);

    is_int(ngx_ors_out_take(&out, &cl), NGX_OK, "%s: written", name);
    is_chain(cl, expected, "%s", name);
}
