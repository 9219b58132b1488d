
/*
 * Copyright (C) Open Responses contributors
 */


/* An index of texts. */


#include <ngx_ors_test.h>
#include <ngx_ors_names.h>


#define MANY  5000


static void test_many(void);
static void test_texts(void);
static void test_values(void);
static void test_memory(void);
static ngx_str_t name(u_char *buf, ngx_uint_t n);


int
main(void)
{
    test_many();
    test_texts();
    test_values();
    test_memory();

    return done_testing();
}


static void
test_many(void)
{
    u_char           *buf;
    ngx_str_t         text;
    ngx_uint_t        i, wrong;
    ngx_pool_t       *pool;
    ngx_ors_names_t   names;

    ngx_memzero(&names, sizeof(ngx_ors_names_t));
    pool = ngx_ors_test_pool();
    buf = ngx_pnalloc(pool, 16 * MANY);
    wrong = 0;

    for (i = 0; i < MANY; i++) {
        text = name(buf + 16 * i, i);

        wrong += (ngx_ors_names_find(&names, &text) != NULL);
        wrong += (ngx_ors_names_add(&names, pool, &text) != NGX_OK);
        wrong += (ngx_ors_names_add(&names, pool, &text) != NGX_DECLINED);
    }

    for (i = 0; i < 2 * MANY; i++) {
        u_char  other[16];

        text = name(other, i);
        wrong += ((ngx_ors_names_find(&names, &text) != NULL) != (i < MANY));
    }

    is_int(wrong, 0, "many texts");
    is_int(names.n, MANY, "each of them once");
    ok(names.nslots <= 4 * MANY, "slots are not many more");

    ngx_destroy_pool(pool);
}


static void
test_texts(void)
{
    ngx_uint_t        i;
    ngx_pool_t       *pool;
    ngx_ors_names_t   names;

    static ngx_str_t  texts[] = {
        ngx_string(""), ngx_string("a"), ngx_string("ab"), ngx_string("b"),
        ngx_string("a\0"), ngx_string("A")
    };

    ngx_memzero(&names, sizeof(ngx_ors_names_t));
    pool = ngx_ors_test_pool();

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        is_int(ngx_ors_names_add(&names, pool, &texts[i]), NGX_OK,
               "text %d is another one", (int) i);
        ok(ngx_ors_names_find(&names, &texts[i]) != NULL,
           "text %d is there", (int) i);
    }

    ngx_destroy_pool(pool);
}


static void
test_values(void)
{
    u_char           *buf;
    ngx_str_t         text;
    ngx_uint_t        i, wrong;
    ngx_pool_t       *pool;
    ngx_ors_name_t   *entry;
    ngx_ors_names_t   names;

    ngx_memzero(&names, sizeof(ngx_ors_names_t));
    pool = ngx_ors_test_pool();
    buf = ngx_pnalloc(pool, 16 * MANY);
    wrong = 0;

    for (i = 0; i < MANY; i++) {
        text = name(buf + 16 * i, i);
        entry = ngx_ors_names_entry(&names, pool, &text);

        wrong += (entry->value != 0);
        entry->value = i + 1;
    }

    for (i = 0; i < MANY; i++) {
        text = name(buf + 16 * i, i);
        wrong += (ngx_ors_names_entry(&names, pool, &text)->value != i + 1);
        wrong += (ngx_ors_names_find(&names, &text)->value != i + 1);
    }

    is_int(wrong, 0, "each text has its value");

    ngx_destroy_pool(pool);
}


static void
test_memory(void)
{
    u_char            buf[16];
    ngx_str_t         text;
    ngx_uint_t        i, allocs;
    ngx_pool_t       *pool;
    ngx_ors_names_t   names;

    ngx_memzero(&names, sizeof(ngx_ors_names_t));
    pool = ngx_ors_test_pool();
    text = name(buf, 1);

    ngx_ors_test_fail_after(1);
    is_int(ngx_ors_names_add(&names, pool, &text), NGX_ERROR, "no memory");
    ngx_ors_test_fail_after(0);

    ok(ngx_ors_names_find(&names, &text) == NULL, "nothing was added");

    is_int(ngx_ors_names_reserve(&names, pool, 100), NGX_OK, "room for 100");

    allocs = ngx_ors_test_allocs();

    for (i = 0; i < 100; i++) {
        static u_char  texts[100][16];

        text = name(texts[i], i);
        (void) ngx_ors_names_add(&names, pool, &text);
    }

    is_int(ngx_ors_test_allocs(), allocs, "no more is taken for them");

    ngx_destroy_pool(pool);
}


static ngx_str_t
name(u_char *buf, ngx_uint_t n)
{
    ngx_str_t  text;

    text.data = buf;
    text.len = ngx_sprintf(buf, "name%ui", n) - buf;

    return text;
}
