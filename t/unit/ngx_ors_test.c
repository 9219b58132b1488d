
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Assertions of the unit tests, in the form that prove reads.
 */


#include <ngx_ors_test.h>


static void ngx_ors_test_name(const char *fmt, va_list args);
static void ngx_ors_test_where(const char *file, int line);
static void ngx_ors_test_dump(const char *what, u_char *data, size_t len);


static uint64_t              ngx_ors_test_seed = 88172645463325252ULL;
static ngx_ors_test_count_t  ngx_ors_test_counted;

ngx_ors_test_count_t        *ngx_ors_test_count = &ngx_ors_test_counted;


ngx_uint_t
ngx_ors_test_ok(const char *file, int line, ngx_uint_t cond, const char *fmt,
    ...)
{
    va_list  args;

    printf("%sok %d - ", cond ? "" : "not ",
           (int) ++ngx_ors_test_count->tests);

    va_start(args, fmt);
    ngx_ors_test_name(fmt, args);
    va_end(args);

    if (!cond) {
        ngx_ors_test_where(file, line);
    }

    return cond;
}


ngx_uint_t
ngx_ors_test_int(const char *file, int line, int64_t got, int64_t expected,
    const char *fmt, ...)
{
    va_list     args;
    ngx_uint_t  cond;

    cond = (got == expected);

    printf("%sok %d - ", cond ? "" : "not ",
           (int) ++ngx_ors_test_count->tests);

    va_start(args, fmt);
    ngx_ors_test_name(fmt, args);
    va_end(args);

    if (!cond) {
        ngx_ors_test_where(file, line);
        diag("     got: %lld", (long long) got);
        diag("expected: %lld", (long long) expected);
    }

    return cond;
}


ngx_uint_t
ngx_ors_test_mem(const char *file, int line, u_char *got, size_t len,
    u_char *expected, size_t elen, const char *fmt, ...)
{
    va_list     args;
    ngx_uint_t  cond;

    cond = (len == elen
            && (len == 0 || memcmp(got, expected, len) == 0));

    printf("%sok %d - ", cond ? "" : "not ",
           (int) ++ngx_ors_test_count->tests);

    va_start(args, fmt);
    ngx_ors_test_name(fmt, args);
    va_end(args);

    if (!cond) {
        ngx_ors_test_where(file, line);
        ngx_ors_test_dump("     got", got, len);
        ngx_ors_test_dump("expected", expected, elen);
    }

    return cond;
}


ngx_uint_t
ngx_ors_test_chain(const char *file, int line, ngx_chain_t *got,
    u_char *expected, size_t elen, const char *fmt, ...)
{
    u_char       *text, *p;
    size_t        len;
    va_list       args;
    ngx_uint_t    cond;
    ngx_chain_t  *cl;

    len = 0;

    for (cl = got; cl; cl = cl->next) {
        len += cl->buf->last - cl->buf->pos;
    }

    text = malloc(len + 1);
    if (text == NULL) {
        abort();
    }

    p = text;

    for (cl = got; cl; cl = cl->next) {
        p = ngx_cpymem(p, cl->buf->pos, cl->buf->last - cl->buf->pos);
    }

    cond = (len == elen && memcmp(text, expected, len) == 0);

    printf("%sok %d - ", cond ? "" : "not ",
           (int) ++ngx_ors_test_count->tests);

    va_start(args, fmt);
    ngx_ors_test_name(fmt, args);
    va_end(args);

    if (!cond) {
        ngx_ors_test_where(file, line);
        ngx_ors_test_dump("     got", text, len);
        ngx_ors_test_dump("expected", expected, elen);
    }

    free(text);

    return cond;
}


static void
ngx_ors_test_name(const char *fmt, va_list args)
{
    char   name[512], *p;

    vsnprintf(name, sizeof(name), fmt, args);

    for (p = name; *p; p++) {
        if (*p == '#' || *p == '\n' || *p == '\r') {
            *p = ' ';
        }
    }

    printf("%s\n", name);
}


static void
ngx_ors_test_where(const char *file, int line)
{
    ngx_ors_test_count->failures++;

    diag("failed at %s line %d", file, line);
}


static void
ngx_ors_test_dump(const char *what, u_char *data, size_t len)
{
    size_t  i;

    fflush(stdout);
    fprintf(stderr, "# %s: %lu bytes \"", what, (unsigned long) len);

    for (i = 0; i < len && i < 400; i++) {

        if (data[i] == '\\' || data[i] == '"') {
            fprintf(stderr, "\\%c", data[i]);

        } else if (data[i] >= 0x20 && data[i] < 0x7f) {
            fputc(data[i], stderr);

        } else if (data[i] == LF) {
            fprintf(stderr, "\\n");

        } else {
            fprintf(stderr, "\\x%02x", data[i]);
        }
    }

    fprintf(stderr, "\"%s\n", (i < len) ? "..." : "");
}


void
diag(const char *fmt, ...)
{
    va_list  args;

    fflush(stdout);
    fprintf(stderr, "# ");

    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);

    fprintf(stderr, "\n");
}


void
skip_all(const char *why)
{
    printf("ok %d # SKIP %s\n", (int) ++ngx_ors_test_count->tests, why);

    ngx_ors_test_count->done = 1;

    exit(0);
}


int
done_testing(void)
{
    if (!ok(ngx_ors_test_logged(NGX_LOG_ALERT) == 0, "no alerts")) {
        diag("last line of the log: \"%s\"", ngx_ors_test_log_last());
    }

    ngx_ors_test_count->done = 1;

    return ngx_ors_test_failures() ? 1 : 0;
}


ngx_uint_t
ngx_ors_test_failures(void)
{
    return ngx_ors_test_count->failures - ngx_ors_test_count->before;
}


u_char *
ngx_ors_test_quotes(void *dst, const void *text, size_t len)
{
    u_char        *p;
    const u_char  *src, *last;

    p = dst;
    last = (const u_char *) text + len;

    for (src = text; src < last; src++) {
        *p++ = (*src == '\'') ? '"' : *src;
    }

    return p;
}


ngx_uint_t
ngx_ors_test_random(ngx_uint_t n)
{
    ngx_ors_test_seed ^= ngx_ors_test_seed << 13;
    ngx_ors_test_seed ^= ngx_ors_test_seed >> 7;
    ngx_ors_test_seed ^= ngx_ors_test_seed << 17;

    return (ngx_ors_test_seed >> 11) % n;
}
