
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Records written and read, whole and with each byte missing.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_record.h>


#define INPUT     "[{\"id\":\"a\"},{\"a\":1}]"
#define RESPONSE  "{\"output\":[{}]}"

/* where an item of the table is */
#define JOURNAL   "abc"
#define ITEM(n)   (48 + 3 * NGX_ORS_STORE_KEY + (n) * NGX_ORS_RECORD_ITEM)


static void test_whole(ngx_pool_t *pool);
static void test_broken(ngx_pool_t *pool);
static void test_copy(ngx_pool_t *pool);
static void test_inherit(void);
static void is_items(ngx_pool_t *pool, ngx_ors_record_t *rec,
    ngx_uint_t part, const ngx_ors_index_item_t *expected, ngx_uint_t n);
static void make(ngx_pool_t *pool, ngx_ors_record_t *rec, ngx_str_t *value);


/* offset, length, id and its length, flags */

static const ngx_ors_index_item_t  items[] = {
    { 1, 10, 7, 1, NGX_ORS_INDEX_RULE },
    { 12, 7, 0, 0, NGX_ORS_INDEX_ANSWER|NGX_ORS_INDEX_RULE },
    { 1, 2, 0, 0, 0 }
};


int
main(void)
{
    ngx_pool_t  *pool;

    pool = ngx_ors_test_pool();

    test_whole(pool);
    test_broken(pool);
    test_copy(pool);
    test_inherit();

    ngx_destroy_pool(pool);

    return done_testing();
}


/* a record is read as it was written */

static void
test_whole(ngx_pool_t *pool)
{
    ngx_str_t         value;
    ngx_ors_record_t  rec, back;

    make(pool, &rec, &value);

    is_int(ngx_ors_record_read(&back, &value), NGX_OK, "a record is read");

    is_int(back.status, ngx_ors_record_incomplete, "its status");
    is_int(back.created, 1700000001, "when it was made");
    is_int(back.depth, 70000, "how many came before it");
    is_int(back.nancestors, 3, "how many of them it names");
    is_mem(back.ancestors, 3 * NGX_ORS_STORE_KEY, rec.ancestors,
           3 * NGX_ORS_STORE_KEY, "their names");
    is_str(&back.input, INPUT, "its input");
    is_str(&back.response, RESPONSE, "its response");
    is_int(back.output, 10, "where its output is");
    is_int(back.output_len, 4, "how long that is");
    is_str(&back.journal, JOURNAL, "its journal");

    rec.ancestors = NULL;
    rec.nancestors = 0;
    rec.depth = 0;
    rec.input.len = 0;
    rec.response.len = 0;
    rec.journal.len = 0;
    rec.output = 0;
    rec.output_len = 0;
    rec.ninput = 0;
    rec.noutput = 0;

    value.len = ngx_ors_record_size(&rec);
    is_int(ngx_ors_record_head(&rec, value.data) - value.data, value.len,
           "a record of nothing is its head");
    is_int(ngx_ors_record_read(&back, &value), NGX_OK, "it is read");
    is_int(back.response.len, 0, "it has nothing");
}


/* a text that is no record is not read beyond its end */

static void
test_broken(ngx_pool_t *pool)
{
    size_t            len;
    u_char           *p;
    ngx_str_t         value, copy;
    ngx_uint_t        i;
    ngx_ors_record_t  rec, back;

    make(pool, &rec, &value);

    for (len = 0; len < value.len; len++) {
        copy.len = len;
        copy.data = ngx_pnalloc(pool, len ? len : 1);
        ngx_memcpy(copy.data, value.data, len);

        if (ngx_ors_record_read(&back, &copy) != NGX_DECLINED) {
            fail("a record of %d bytes is refused", (int) len);
        }
    }

    for (i = 0; i < 4; i++) {
        value.data[i] ^= 0x40;
        is_int(ngx_ors_record_read(&back, &value), NGX_DECLINED,
               "another mark is refused, byte %d", (int) i);
        is_int(ngx_ors_record_status(&value),
               (i == 3) ? ngx_ors_store_version : ngx_ors_store_corrupt,
               "the last byte of it is the version");
        value.data[i] ^= 0x40;
    }

    static const struct {
        ngx_uint_t   pos;
        u_char       byte;
        char        *name;
    } broken[] = {
        { 4, 6, "a status that is not known" },
        { 5, 4, "more ancestors than are there" },
        { 5, 33, "more ancestors than there can be" },
        { 23, 0xff, "an input that is too long" },
        { 24, 14, "a response that is too short" },
        { 28, 12, "an output that begins too late" },
        { 35, 0xff, "an output that is too long" },
        { 36, 3, "more items than are there" },
        { 39, 0xff, "more of them than there can be" },
        { 40, 0, "fewer of the output" },
        { 43, 0xff, "more of them than there can be" },
        { 44, 2, "a journal that is too short" },
        { 47, 0xff, "or too long" },
        { ITEM(0), 0, "an item in place of the bracket" },
        { ITEM(0) + 3, 0xff, "far away" },
        { ITEM(0) + 4, 0, "of no length" },
        { ITEM(0) + 4, 11, "that leaves no room for the comma" },
        { ITEM(0) + 7, 0xff, "that is too long" },
        { ITEM(0) + 8, 10, "with an id after its end" },
        { ITEM(0) + 11, 0xff, "far away" },
        { ITEM(0) + 12, 4, "that is too long" },
        { ITEM(0) + 15, 0xff, "by far" },
        { ITEM(0) + 16, 8, "with a flag that is not known" },
        { ITEM(0) + 19, 1, "and another one" },
        { ITEM(1), 11, "an item that begins where the first one ends" },
        { ITEM(1), 1, "two in one place" },
        { ITEM(1), 13, "one in place of the last bracket" },
        { ITEM(1) + 4, 8, "or with it" },
        { ITEM(2), 0, "one of the output in place of the bracket" },
        { ITEM(2), 2, "or of the last one" },
        { ITEM(2) + 4, 3, "or with it" }
    };

    p = value.data;

    for (i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
        len = p[broken[i].pos];
        p[broken[i].pos] = broken[i].byte;
        is_int(ngx_ors_record_read(&back, &value), NGX_DECLINED, "%s",
               broken[i].name);
        p[broken[i].pos] = (u_char) len;
    }

    is_int(ngx_ors_record_read(&back, &value), NGX_OK, "all is well again");
}


/* members that nobody asks for are neither copied nor counted */

static void
test_copy(ngx_pool_t *pool)
{
    size_t            left;
    ngx_str_t         value, copy, other;
    ngx_uint_t        i;
    ngx_ors_record_t  rec, back;

    static const struct {
        ngx_uint_t   parts;
        size_t       size;
        char        *input;
        char        *response;
        char        *name;
    } copies[] = {
        { NGX_ORS_STORE_INPUT|NGX_ORS_STORE_OUTPUT, 24, INPUT, "[{}]",
          "both" },
        { NGX_ORS_STORE_INPUT, 20, INPUT, "", "input" },
        { NGX_ORS_STORE_OUTPUT, 4, "", "[{}]", "output" }
    };

    make(pool, &rec, &value);

    left = value.len;
    is_int(ngx_ors_record_copy(&value, 0, &left, pool, &copy), NGX_OK,
           "a copy of all");
    is_mem(copy.data, copy.len, value.data, value.len, "it is the same");
    is_int(left, 0, "all is counted");

    for (i = 0; i < sizeof(copies) / sizeof(copies[0]); i++) {
        left = copies[i].size - 1;
        ngx_str_null(&copy);

        is_int(ngx_ors_record_copy(&value, copies[i].parts, &left, pool,
                                   &copy),
               NGX_DECLINED, "%s: a byte is too much", copies[i].name);
        ok(copy.data == NULL && left == copies[i].size - 1,
           "%s: nothing is copied, or counted", copies[i].name);

        left = copies[i].size + 3;

        is_int(ngx_ors_record_copy(&value, copies[i].parts, &left, pool,
                                   &copy),
               NGX_OK, "%s: a copy", copies[i].name);
        is_int(left, 3, "%s: what is counted", copies[i].name);
        is_int(ngx_ors_record_read(&back, &copy), NGX_OK, "%s: a record",
               copies[i].name);
        is_str(&back.input, copies[i].input, "%s: its input",
               copies[i].name);
        is_str(&back.response, copies[i].response, "%s: its response",
               copies[i].name);
        is_int(back.output, 0, "%s: that is its output", copies[i].name);
        is_int(back.depth, 70000, "%s: its place", copies[i].name);
        is_mem(back.ancestors, back.nancestors * NGX_ORS_STORE_KEY,
               rec.ancestors, 3 * NGX_ORS_STORE_KEY, "%s: its ancestors",
               copies[i].name);
        is_items(pool, &back, NGX_ORS_STORE_INPUT, items,
                 (copies[i].parts & NGX_ORS_STORE_INPUT) ? 2 : 0);
        is_items(pool, &back, NGX_ORS_STORE_OUTPUT, &items[2],
                 (copies[i].parts & NGX_ORS_STORE_OUTPUT) ? 1 : 0);
    }

    ngx_str_set(&other, "something else");
    left = other.len;

    is_int(ngx_ors_record_copy(&other, NGX_ORS_STORE_INPUT, &left, pool,
                               &copy),
           NGX_OK, "what is no record");
    is_mem(copy.data, copy.len, other.data, other.len, "has no parts");
}


/* a child names its parent first, and no more than a batch */

static void
test_inherit(void)
{
    u_char            name[NGX_ORS_STORE_KEY];
    u_char            names[2][NGX_ORS_RECORD_ANCESTORS * NGX_ORS_STORE_KEY];
    ngx_uint_t        i;
    ngx_ors_record_t  rec;

    ngx_memzero(&rec, sizeof(ngx_ors_record_t));

    for (i = 1; i <= 40; i++) {
        ngx_memset(name, i, NGX_ORS_STORE_KEY);

        rec.nancestors = ngx_ors_record_inherit(&rec, name, names[i & 1]);
        rec.ancestors = names[i & 1];

        if (rec.nancestors != ngx_min(i, NGX_ORS_RECORD_ANCESTORS)
            || rec.ancestors[0] != i
            || rec.ancestors[rec.nancestors * NGX_ORS_STORE_KEY - 1]
               != i - rec.nancestors + 1)
        {
            fail("child %d names the nearest of its ancestors", (int) i);
        }
    }

    is_int(rec.nancestors, NGX_ORS_RECORD_ANCESTORS, "no more than a batch");
}


static void
is_items(ngx_pool_t *pool, ngx_ors_record_t *rec, ngx_uint_t part,
    const ngx_ors_index_item_t *expected, ngx_uint_t n)
{
    ngx_ors_index_t  index;

    is_int(ngx_ors_record_items(rec, part, pool, &index), NGX_OK, "items");
    is_mem(index.items, index.n * sizeof(ngx_ors_index_item_t), expected,
           n * sizeof(ngx_ors_index_item_t), "they are those of the part");
}


static void
make(ngx_pool_t *pool, ngx_ors_record_t *rec, ngx_str_t *value)
{
    u_char           *p;
    ngx_uint_t        i;
    ngx_ors_index_t   index;

    static u_char     names[3 * NGX_ORS_STORE_KEY] = "first and others";
    static ngx_str_t  input = ngx_string(INPUT);
    static ngx_str_t  response = ngx_string(RESPONSE);
    static ngx_str_t  journal = ngx_string(JOURNAL);

    ngx_ors_index_init(&index, pool);

    for (i = 0; i < 3; i++) {
        *ngx_ors_index_add(&index) = items[i];
    }

    rec->ninput = 2;
    rec->noutput = 1;
    rec->table = ngx_pnalloc(pool, 3 * NGX_ORS_RECORD_ITEM);

    is_int(ngx_ors_record_table(&index, rec->table) - rec->table,
           3 * NGX_ORS_RECORD_ITEM, "a table is as long as it says");

    rec->status = ngx_ors_record_incomplete;
    rec->created = 1700000001;
    rec->depth = 70000;
    rec->ancestors = names;
    rec->nancestors = 3;
    rec->input = input;
    rec->response = response;
    rec->output = 10;
    rec->output_len = 4;
    rec->journal = journal;

    value->len = ngx_ors_record_size(rec);
    value->data = ngx_pnalloc(pool, value->len);

    p = ngx_ors_record_head(rec, value->data);
    p = ngx_cpymem(p, input.data, input.len);
    p = ngx_cpymem(p, response.data, response.len);
    p = ngx_cpymem(p, journal.data, journal.len);

    is_int(p - value->data, value->len, "a record is as long as it says");
}
