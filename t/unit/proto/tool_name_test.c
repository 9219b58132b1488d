
/*
 * Copyright (C) Open Responses contributors
 */


/* Names upstream of tools of servers: legal, stable, and one for each pair. */


#include <ngx_ors_test.h>
#include <ngx_ors_hosting.h>


#define N64  "0123456789012345678901234567890123456789012345678901234567890123"


typedef struct {
    const char   *label;
    const char   *name;
    const char   *sent;       /* "#" stands for "_" and nine digits */
} name_t;


static void test_name(const name_t *test);
static void test_pairs(void);
static void sent(const char *label, const char *name, ngx_str_t *to);
static ngx_uint_t legal(ngx_str_t *s);


static ngx_pool_t  *pool;


static const name_t  names[] = {

    { "docs", "search", "docs__search" },
    { "my-docs_2", "a-B_c", "my-docs_2__a-B_c" },
    { "docs", "_x", "docs___x" },
    { "docs", "a__b", "docs__a__b" },

    /* other bytes */

    { "docs", "a.b", "docs__a_b#" },
    { "docs", "a/b c", "docs__a_b_c#" },
    { "d.x", "a", "d_x__a#" },
    { "docs", "\xc3\xa9", "docs____#" },

    /* a name that could be of another label */

    { "a__b", "c", "a__b__c#" },
    { "a_", "c", "a___c#" },

    /* 64 bytes, and one more */

    { "d", N64, "d__012345678901234567890123456789012345678901234567890#" },
    { "d", "0123456789012345678901234567890123456789012345678901234567890",
      "d__0123456789012345678901234567890123456789012345678901234567890" },
    { N64, "x", "012345678901234567890123456789012345678901234567890123#" },
    { "", "x", "__x" }
};


/* each of them has a name of its own */

static const char  *pairs[][2] = {
    { "a", "b__c" }, { "a__b", "c" }, { "a", "b.c" }, { "a", "b_c" },
    { "a", "b/c" }, { "a_", "_c" }, { "a", "__c" }, { "a__", "c" },
    { "a", N64 "x" }, { "a", N64 "y" }, { "b", N64 "x" }, { "a.", "c" },
    { "a_", "c" }, { "a", "_c" }
};

#define PAIRS  (sizeof(pairs) / sizeof(pairs[0]))


int
main(void)
{
    u_char      text[16];
    ngx_str_t   label, to;
    ngx_uint_t  i;

    pool = ngx_ors_test_pool();

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        test_name(&names[i]);
    }

    test_pairs();

    ngx_str_set(&label, "a");
    ngx_ors_test_fail_after(1);
    is_int(ngx_ors_tool_name(&label, &label, pool, &to), NGX_ERROR,
           "no memory");
    ngx_ors_test_fail_after(0);

    memcpy(text, "a.b", 3);
    is_int(ngx_ors_tool_name_legal(text, text + 3) - text, 3, "no hash");
    is_mem(text, 3, (u_char *) "a_b", 3, "a legal name");

    ngx_destroy_pool(pool);

    return done_testing();
}


static void
test_name(const name_t *test)
{
    size_t      head;
    ngx_str_t   first, again;

    sent(test->label, test->name, &first);
    sent(test->label, test->name, &again);

    is_mem(again.data, again.len, first.data, first.len, "%s, %s again",
           test->label, test->name);
    ok(legal(&first), "%s, %s is legal", test->label, test->name);

    head = strcspn(test->sent, "#");

    is_mem(first.data, ngx_min(head, first.len), (u_char *) test->sent, head,
           "%s, %s", test->label, test->name);
    is_int(first.len, head + (test->sent[head] ? 10 : 0), "%s, %s: length",
           test->label, test->name);
}


static void
test_pairs(void)
{
    ngx_str_t   one, other;
    ngx_uint_t  i, j, same;

    same = 0;

    for (i = 0; i < PAIRS; i++) {
        sent(pairs[i][0], pairs[i][1], &one);

        for (j = 0; j < i; j++) {
            sent(pairs[j][0], pairs[j][1], &other);

            if (one.len == other.len
                && memcmp(one.data, other.data, one.len) == 0)
            {
                same++;
                diag("%s, %s: %.*s", pairs[i][0], pairs[i][1], (int) one.len,
                     one.data);
            }
        }
    }

    is_int(same, 0, "all pairs differ");
}


static void
sent(const char *label, const char *name, ngx_str_t *to)
{
    ngx_str_t  l, n;

    l.data = (u_char *) label;
    l.len = strlen(label);
    n.data = (u_char *) name;
    n.len = strlen(name);

    is_int(ngx_ors_tool_name(&l, &n, pool, to), NGX_OK, "%s, %s", label,
           name);
}


static ngx_uint_t
legal(ngx_str_t *s)
{
    size_t  i;

    for (i = 0; i < s->len; i++) {

        if (strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                   "0123456789_-", s->data[i])
            == NULL)
        {
            return 0;
        }
    }

    return s->len && s->len <= NGX_ORS_TOOL_NAME_MAX;
}
