
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Records: what is taken for one lies within its bytes and is the only
 * reading of them.
 */


#include "fuzz.h"
#include <ngx_ors_record.h>


static void record_fuzz_inherit(ngx_ors_record_t *rec);


int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    u_char            *copy, *p;
    ngx_int_t          rc;
    ngx_str_t          value;
    ngx_ors_record_t   rec;

    value.len = size;
    value.data = fuzz_copy(input, size);

    ngx_memzero(&rec, sizeof(ngx_ors_record_t));

    rc = ngx_ors_record_read(&rec, &value);

    fuzz_check(rc == NGX_OK || rc == NGX_DECLINED);

    if (rc == NGX_OK) {
        fuzz_check(ngx_ors_record_size(&rec) == size);
        fuzz_check(rec.output + rec.output_len <= rec.response.len);

        copy = malloc(size);

        p = ngx_ors_record_head(&rec, copy);

        fuzz_check(rec.input.data == value.data + (p - copy));
        p = ngx_cpymem(p, rec.input.data, rec.input.len);

        fuzz_check(rec.response.data == value.data + (p - copy));
        p = ngx_cpymem(p, rec.response.data, rec.response.len);

        fuzz_check(fuzz_same(copy, p - copy, value.data, value.len));

        record_fuzz_inherit(&rec);

        free(copy);
    }

    free(value.data);

    return 0;
}


static void
record_fuzz_inherit(ngx_ors_record_t *rec)
{
    u_char      *names, name[NGX_ORS_STORE_KEY];
    ngx_uint_t   n;

    ngx_memset(name, 'n', NGX_ORS_STORE_KEY);

    names = malloc(NGX_ORS_RECORD_ANCESTORS * NGX_ORS_STORE_KEY);

    n = ngx_ors_record_inherit(rec, name, names);

    fuzz_check(n >= 1 && n <= NGX_ORS_RECORD_ANCESTORS
               && n <= rec->nancestors + 1);
    fuzz_check(memcmp(names, name, NGX_ORS_STORE_KEY) == 0);
    fuzz_check(n == 1 || memcmp(names + NGX_ORS_STORE_KEY, rec->ancestors,
                                (n - 1) * NGX_ORS_STORE_KEY) == 0);

    free(names);
}
