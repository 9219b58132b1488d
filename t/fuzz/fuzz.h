
/*
 * Tools of all fuzz targets: claims, and texts of exactly their size, for the
 * sanitizer.
 */


#ifndef _FUZZ_H_INCLUDED_
#define _FUZZ_H_INCLUDED_


#include <ngx_ors_test.h>
#include <stdlib.h>


/* ends the program, which is what a fuzzer looks for */

#define fuzz_check(cond)                                                      \
    do {                                                                      \
        if (!(cond)) {                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__,        \
                    #cond);                                                   \
            abort();                                                          \
        }                                                                     \
    } while (0)


int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);


/* a copy, to be freed */

static ngx_inline u_char *
fuzz_copy(const void *data, size_t len)
{
    u_char  *copy;

    copy = malloc(len);

    if (copy == NULL && len) {
        abort();
    }

    if (len) {
        ngx_memcpy(copy, data, len);
    }

    return copy;
}


static ngx_inline ngx_uint_t
fuzz_same(const void *a, size_t alen, const void *b, size_t blen)
{
    return alen == blen && (alen == 0 || memcmp(a, b, alen) == 0);
}


/* the bytes up to "end" or to the last one; then "*p" is after that */

static ngx_inline ngx_str_t
fuzz_line(const uint8_t **p, const uint8_t *last, uint8_t end)
{
    ngx_str_t       line;
    const uint8_t  *start;

    for (start = *p; *p < last && **p != end; (*p)++) { /* void */ }

    line.data = (u_char *) start;
    line.len = *p - start;

    if (*p < last) {
        (*p)++;
    }

    return line;
}


#endif /* _FUZZ_H_INCLUDED_ */
