
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Edits, as they are written over a document: whatever the order they were
 * added in, and piece by piece as well as at once; the size of what is written
 * and the place of a piece in it.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_edit.h>


#define LEN  200


static void test_order(void);
static void test_same_place(void);
static void test_pieces(void);
static void test_from(void);
static void test_size(void);
static void test_place(void);
static void test_place_random(void);
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
    test_size();
    test_place();
    test_place_random();

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


/* the same edits as in test_place() */

static void
test_size(void)
{
    ngx_uint_t       i;
    ngx_ors_edits_t  edits;

    static ngx_str_t  xyz = ngx_string("xyz");

    static struct {
        size_t       pos;
        size_t       last;
        size_t       size;
        const char  *name;
    } sizes[] = {
        { 0, 20, 21, "all edits" },
        { 0, 0, 0, "nothing" },
        { 0, 4, 4, "the end is where an edit begins" },
        { 0, 5, 5, "an edit that ends later is left out" },
        { 0, 6, 4, "a cut up to the end" },
        { 5, 9, 4, "a cut that begins earlier is left out" },
        { 6, 8, 2, "no edit" },
        { 4, 6, 0, "a cut of all bytes" },
        { 10, 20, 13, "an insertion at the start" },
        { 4, 10, 4, "an insertion at the end is left out" },
        { 12, 13, 1, "one byte for another" }
    };

    ngx_ors_edits_init(&edits, pool);
    is_int(ngx_ors_edits_size(&edits, 3, 9), 6, "size: no edits");

    ngx_ors_edits_add(&edits, 12, 1, &(ngx_str_t) ngx_string("-"));
    ngx_ors_edits_add(&edits, 4, 2, NULL);
    ngx_ors_edits_add(&edits, 10, 0, &xyz);

    for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        is_int(ngx_ors_edits_size(&edits, sizes[i].pos, sizes[i].last),
               sizes[i].size, "size: %s", sizes[i].name);
    }

    ngx_ors_edits_add(&edits, 3, 10, NULL);

    is_int(ngx_ors_edits_size(&edits, 0, 20), 10,
           "size: an edit around others replaces them");
}


static void
test_place(void)
{
    size_t           place;
    ngx_int_t        rc;
    ngx_uint_t       i;
    ngx_ors_edits_t  edits;

    static ngx_str_t  xyz = ngx_string("xyz");

    static struct {
        size_t       from;
        size_t       pos;
        size_t       last;
        ngx_int_t    rc;
        size_t       place;
        const char  *name;
    } places[] = {
        { 0, 0, 4, NGX_OK, 0, "in front of all edits" },
        { 2, 3, 4, NGX_OK, 1, "from another start" },
        { 0, 6, 8, NGX_OK, 4, "after a cut" },
        { 0, 9, 10, NGX_OK, 7, "up to an insertion" },
        { 0, 10, 11, NGX_OK, 11, "after an insertion" },
        { 0, 13, 15, NGX_OK, 14, "after one byte for another" },
        { 6, 13, 15, NGX_OK, 10, "after the edits from the start on" },
        { 5, 9, 10, NGX_OK, 4, "a cut in front of the start" },
        { 0, 3, 5, NGX_DECLINED, 0, "a cut of the end" },
        { 0, 5, 8, NGX_DECLINED, 0, "a cut of the beginning" },
        { 0, 4, 6, NGX_DECLINED, 0, "a cut of all bytes" },
        { 0, 11, 14, NGX_DECLINED, 0, "another byte in the middle" }
    };

    ngx_ors_edits_init(&edits, pool);
    is_int(ngx_ors_edits_place(&edits, 3, 7, 9, &place), NGX_OK,
           "place: no edits");
    is_int(place, 4, "place: no edits, the offset");

    ngx_ors_edits_add(&edits, 12, 1, &(ngx_str_t) ngx_string("-"));
    ngx_ors_edits_add(&edits, 4, 2, NULL);
    ngx_ors_edits_add(&edits, 10, 0, &xyz);

    for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        rc = ngx_ors_edits_place(&edits, places[i].from, places[i].pos,
                                 places[i].last, &place);

        is_int(rc, places[i].rc, "place: %s", places[i].name);

        if (rc == NGX_OK) {
            is_int(place, places[i].place, "place: %s, the offset",
                   places[i].name);
        }
    }
}


/* both functions agree with what is written */

static void
test_place_random(void)
{
    size_t           from, pos, place, differ, found;
    ngx_uint_t       i, n;
    ngx_chain_t     *cl;
    ngx_ors_out_t    out;
    ngx_ors_edits_t  edits;

    static u_char    whole[3 * LEN];
    static ngx_str_t  marks[] = {
        ngx_string("-"), ngx_string("--"), ngx_string("---")
    };

    differ = 0;
    found = 0;

    for (n = 0; n < 300; n++) {
        ngx_ors_edits_init(&edits, pool);

        for (i = 0; i < n % 30; i++) {
            ngx_ors_edits_add(&edits, 4 * ngx_ors_test_random(LEN / 4),
                              i % 4, &marks[ngx_ors_test_random(3)]);
        }

        from = 4 * ngx_ors_test_random(LEN / 4);

        ngx_ors_out_init(&out, pool, LEN);
        ngx_ors_edits_write(&edits, &json, from, LEN, 0, &out);
        (void) ngx_ors_out_take(&out, &cl);

        if (flat(cl, whole) != ngx_ors_edits_size(&edits, from, LEN)) {
            differ++;
        }

        for (pos = from; pos < LEN; pos++) {

            if (ngx_ors_edits_place(&edits, from, pos, pos + 1, &place)
                != NGX_OK)
            {
                continue;
            }

            found++;

            if (whole[place] != text[pos]) {
                differ++;
            }
        }
    }

    is_int(differ, 0, "size and place are as in what is written");
    ok(found > 10000, "most bytes have a place");
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
