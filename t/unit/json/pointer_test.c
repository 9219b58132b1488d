
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * JSON Pointers put together to objects.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_edit.h>


/* pairs of a pointer and a value, and what they make together */

typedef struct {
    char       *name;
    char       *pairs[8];
    ngx_int_t   rc;          /* of the last pair */
    char       *members;
} test_row_t;


static void test_row(test_row_t *row);
static void test_set(void);
static void test_depth(void);
static void test_find(void);
static void test_no_memory(void);
static void set_members(ngx_ors_pointer_t *root, char **pairs,
    ngx_uint_t missing, ngx_ors_pointer_t **place, ngx_pool_t *pool);
static ngx_int_t add(ngx_ors_pointer_t *root, char *pointer, char *value,
    ngx_pool_t *pool);


static test_row_t  rows[] = {

    { "nothing", { NULL }, NGX_OK, "" },

    { "a member", { "/a", "1" }, NGX_OK, ",\"a\":1" },

    { "any value", { "/a", "{\"b\": [null, \"x\"]}" }, NGX_OK,
      ",\"a\":{\"b\": [null, \"x\"]}" },

    { "a nested one", { "/a/b/c", "true" }, NGX_OK,
      ",\"a\":{\"b\":{\"c\":true}}" },

    { "two at the top", { "/a", "1", "/b", "2" }, NGX_OK,
      ",\"a\":1,\"b\":2" },

    { "two in one object", { "/a/b", "1", "/c", "2", "/a/d", "3" }, NGX_OK,
      ",\"a\":{\"b\":1,\"d\":3},\"c\":2" },

    { "two deep in one", { "/a/b/c", "1", "/a/b/d", "2", "/a/e", "3" },
      NGX_OK, ",\"a\":{\"b\":{\"c\":1,\"d\":2},\"e\":3}" },

    { "a name that begins another", { "/ab", "1", "/a", "2" }, NGX_OK,
      ",\"ab\":1,\"a\":2" },

    { "escapes", { "/a~1b~0c~01", "1" }, NGX_OK, ",\"a/b~c~1\":1" },

    { "a name to be escaped", { "/a\"\\", "1" }, NGX_OK,
      ",\"a\\\"\\\\\":1" },

    { "digits are a name", { "/a/0", "1" }, NGX_OK, ",\"a\":{\"0\":1}" },

    { "no pointer", { "", "1" }, NGX_DECLINED, NULL },
    { "no slash", { "a/b", "1" }, NGX_DECLINED, NULL },
    { "no name", { "/", "1" }, NGX_DECLINED, NULL },
    { "no first name", { "//a", "1" }, NGX_DECLINED, NULL },
    { "no name inside", { "/a//b", "1" }, NGX_DECLINED, NULL },
    { "no last name", { "/a/", "1" }, NGX_DECLINED, NULL },
    { "a cut escape", { "/a~", "1" }, NGX_DECLINED, NULL },
    { "a cut escape inside", { "/a~/b", "1" }, NGX_DECLINED, NULL },
    { "a bad escape", { "/a~2", "1" }, NGX_DECLINED, NULL },

    { "the same place", { "/a/b", "1", "/a/b", "2" }, NGX_BUSY, NULL },
    { "in a value", { "/a", "{}", "/a/b", "2" }, NGX_BUSY, NULL },
    { "above a value", { "/a/b", "1", "/a", "2" }, NGX_BUSY, NULL }
};


int
main(void)
{
    ngx_uint_t  i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        test_row(&rows[i]);
    }

    test_set();
    test_depth();
    test_find();
    test_no_memory();

    return done_testing();
}


static void
test_row(test_row_t *row)
{
    ngx_int_t           rc;
    ngx_uint_t          i;
    ngx_pool_t         *pool;
    ngx_chain_t        *cl;
    ngx_ors_out_t       out;
    ngx_ors_pointer_t   root, *member;

    pool = ngx_ors_test_pool();
    rc = NGX_OK;

    ngx_memzero(&root, sizeof(ngx_ors_pointer_t));

    for (i = 0; row->pairs[i] && rc == NGX_OK; i += 2) {
        rc = add(&root, row->pairs[i], row->pairs[i + 1], pool);
    }

    is_int(rc, row->rc, "%s", row->name);
    ok(i == 8 || row->pairs[i] == NULL, "%s: not before the last one",
       row->name);

    if (rc == NGX_OK) {
        ngx_ors_out_init(&out, pool, 64);

        for (member = root.first; member; member = member->next) {
            ngx_ors_out_lit(&out, ",");
            ngx_ors_pointer_put(member, &out);
        }

        ngx_ors_out_take(&out, &cl);

        is_chain(cl, row->members, "%s: members", row->name);
    }

    ngx_destroy_pool(pool);
}


static void
test_depth(void)
{
    ngx_pool_t         *pool;
    ngx_ors_pointer_t   root;

    pool = ngx_ors_test_pool();

    ngx_memzero(&root, sizeof(ngx_ors_pointer_t));

    is_int(add(&root, "/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16", "1", pool),
           NGX_OK, "as many names as there may be");
    is_int(add(&root, "/a/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17", "1",
               pool),
           NGX_DECLINED, "one more");

    ngx_destroy_pool(pool);
}


static void
test_find(void)
{
    ngx_str_t           name;
    ngx_pool_t         *pool;
    ngx_ors_pointer_t   root;

    pool = ngx_ors_test_pool();

    ngx_memzero(&root, sizeof(ngx_ors_pointer_t));

    add(&root, "/ab/c", "1", pool);
    add(&root, "/d", "1", pool);

    ngx_str_set(&name, "d");
    ok(ngx_ors_pointer_find(&root, &name) == root.first->next, "found");

    ngx_str_set(&name, "a");
    ok(ngx_ors_pointer_find(&root, &name) == NULL, "a part of a name");

    ngx_str_set(&name, "c");
    ok(ngx_ors_pointer_find(&root, &name) == NULL, "not deeper");

    ngx_destroy_pool(pool);
}


static void
test_no_memory(void)
{
    ngx_int_t           rc;
    ngx_uint_t          n;
    ngx_pool_t         *pool;
    ngx_ors_pointer_t   root;

    for (n = 1; n < 10; n++) {
        pool = ngx_ors_test_pool();

        ngx_memzero(&root, sizeof(ngx_ors_pointer_t));

        ngx_ors_test_fail_after(n);
        rc = add(&root, "/a/b", "1", pool);

        if (!ngx_ors_test_failed()) {
            ngx_ors_test_fail_after(0);
            ngx_destroy_pool(pool);
            break;
        }

        ngx_ors_test_fail_after(0);
        is_int(rc, NGX_ERROR, "no memory, step %d", (int) n);
        ngx_destroy_pool(pool);
    }

    is_int(rc, NGX_OK, "memory enough");
}


/* a document, members that are set, and its text then */

static void
test_set(void)
{
    ngx_uint_t              i, n;
    ngx_int_t               rc;
    ngx_str_t               text;
    ngx_pool_t             *pool;
    ngx_ors_out_t           out;
    ngx_ors_json_t          json;
    ngx_ors_edits_t         edits;
    ngx_ors_pointer_t       root, *place;
    ngx_ors_pointer_set_t   set;

    static struct {
        char        *text;
        char        *pairs[6];
        ngx_uint_t   missing;
        char        *expected;
    } sets[] = {

        { "{}", { "/a", "1", "/b/c", "2" }, 0,
          "{\"a\":1,\"b\":{\"c\":2}}" },

        { "{ \"x\" : 1 }", { "/a", "1" }, 0, "{ \"x\" : 1 ,\"a\":1}" },

        { "{\"a\":\"x\",\"b\":[1]}", { "/a", "1", "/b", "2" }, 0,
          "{\"a\":1,\"b\":2}" },

        { "{\"a\":{\"x\":1},\"b\":0}", { "/a/y", "1", "/a/x", "2" }, 0,
          "{\"a\":{\"x\":2,\"y\":1},\"b\":0}" },

        { "{\"a\":[{}],\"b\":0}", { "/a/x/y", "1" }, 0,
          "{\"a\":{\"x\":{\"y\":1}},\"b\":0}" },

        { "{\"\\u0061\":5}", { "/a", "1" }, 0, "{\"\\u0061\":1}" },

        { "{\"a\":0,\"b\":null,\"c\":[]}",
          { "/a", "1", "/b", "2", "/c/d", "3" }, 1,
          "{\"a\":0,\"b\":2,\"c\":[]}" },

        { "{\"a\":{\"b\":1}}", { "/a/b", "2", "/a/c", "3" }, 1,
          "{\"a\":{\"b\":1,\"c\":3}}" },
    };

    for (i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
        for (n = 0; /* void */ ; n++) {
            pool = ngx_ors_test_pool();

            ngx_memzero(&root, sizeof(ngx_ors_pointer_t));
            ngx_ors_json_init(&json, pool, 16, 64);
            ngx_ors_edits_init(&edits, pool);

            set.json = &json;
            set.edits = &edits;
            set.value = NULL;
            set.pool = pool;

            (void) ngx_ors_json_read(&json, (u_char *) sets[i].text,
                                     ngx_strlen(sets[i].text));
            set_members(&root, sets[i].pairs, sets[i].missing, &place, pool);

            ngx_ors_test_fail_after(n + 1);
            rc = ngx_ors_pointer_set(&set, &root, json.nodes);

            if (!ngx_ors_test_failed()) {
                ngx_ors_test_fail_after(0);
                break;
            }

            ngx_ors_test_fail_after(0);
            is_int(rc, NGX_ERROR, "no memory to set, step %d", (int) n);
            ngx_destroy_pool(pool);
        }

        is_int(rc, NGX_OK, "set in %s", sets[i].text);

        ngx_ors_out_init(&out, pool, 256);
        ngx_ors_edits_write(&edits, &json, 0, ngx_strlen(sets[i].text), 0,
                            &out);
        is_int(ngx_ors_out_text(&out, &text), NGX_OK, "its text");
        is_str(&text, sets[i].expected, "its members");

        ngx_destroy_pool(pool);
    }
}


static void
set_members(ngx_ors_pointer_t *root, char **pairs, ngx_uint_t missing,
    ngx_ors_pointer_t **place, ngx_pool_t *pool)
{
    ngx_str_t   pointer, value;
    ngx_uint_t  n;

    for (n = 0; n < 6 && pairs[n]; n += 2) {
        pointer.data = (u_char *) pairs[n];
        pointer.len = ngx_strlen(pairs[n]);
        value.data = (u_char *) pairs[n + 1];
        value.len = ngx_strlen(pairs[n + 1]);

        is_int(ngx_ors_pointer_add(root, &pointer, &value, pool, place),
               NGX_OK, "a pointer");

        (*place)->missing = missing;
    }
}


static ngx_int_t
add(ngx_ors_pointer_t *root, char *pointer, char *value, ngx_pool_t *pool)
{
    ngx_str_t  p, v;

    p.data = (u_char *) pointer;
    p.len = ngx_strlen(pointer);

    v.data = (u_char *) value;
    v.len = ngx_strlen(value);

    return ngx_ors_pointer_add(root, &p, &v, pool, NULL);
}
