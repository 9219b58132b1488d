
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Query strings: the value is that of the first argument of the name, as a
 * slower reading of the string has it.  Input: the name, a line feed, the
 * query string.
 */


#include "fuzz.h"
#include <ngx_ors_query.h>


static ngx_int_t query_fuzz_find(ngx_str_t *args, ngx_str_t *name,
    u_char *value, size_t *len);
static int query_fuzz_hex(u_char ch);


int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    size_t          len;
    u_char         *expected;
    ngx_int_t       rc;
    ngx_str_t       name, args, value;
    ngx_pool_t     *pool;
    const uint8_t  *p;

    p = input;
    name = fuzz_line(&p, input + size, LF);

    args.len = input + size - p;
    args.data = fuzz_copy(p, args.len);

    pool = ngx_ors_test_pool();
    expected = malloc(args.len + 1);

    rc = ngx_ors_query_get(&args, pool, name.data, name.len, &value);

    fuzz_check(rc == query_fuzz_find(&args, &name, expected, &len));
    fuzz_check(fuzz_same(value.data, value.len, expected, len));

    ngx_destroy_pool(pool);
    free(expected);
    free(args.data);

    return 0;
}


static ngx_int_t
query_fuzz_find(ngx_str_t *args, ngx_str_t *name, u_char *value, size_t *len)
{
    u_char  *p, *last, *end;

    *len = 0;
    last = args->data + args->len;

    for (p = args->data; p < last; p = end + 1) {

        for (end = p; end < last && *end != '&'; end++) { /* void */ }

        if ((size_t) (end - p) < name->len + 1 || p[name->len] != '='
            || memcmp(p, name->data, name->len) != 0)
        {
            continue;
        }

        for (p += name->len + 1; p < end; p++) {

            if (*p == '%' && end - p > 2 && query_fuzz_hex(p[1]) >= 0
                && query_fuzz_hex(p[2]) >= 0)
            {
                value[(*len)++] = query_fuzz_hex(p[1]) * 16
                                  + query_fuzz_hex(p[2]);
                p += 2;
                continue;
            }

            value[(*len)++] = (*p == '+') ? ' ' : *p;
        }

        return NGX_OK;
    }

    return NGX_DECLINED;
}


static int
query_fuzz_hex(u_char ch)
{
    static const char  digits[] = "0123456789abcdef";

    ch = (ch >= 'A' && ch <= 'F') ? ch + 'a' - 'A' : ch;

    return (ch && strchr(digits, ch)) ? strchr(digits, ch) - digits : -1;
}
