
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The reader of server-sent events against a plain model.  Input: the limit
 * (0: none), the number of piece lengths (0: all in one piece), the lengths,
 * used in turn, and the stream.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_sse.h>
#include <ctype.h>


typedef struct {
    u_char     *data;
    size_t      len;
    size_t      size;
} sse_fuzz_text_t;


typedef struct {
    sse_fuzz_text_t    line;
    sse_fuzz_text_t    data;
    sse_fuzz_text_t    event;
    size_t             used;          /* of the limit */
    size_t             max;
    ngx_uint_t         lines;
    ngx_uint_t         has_data;
    sse_fuzz_text_t    id;            /* of the event that is read */
    sse_fuzz_text_t    last;          /* of the last whole one */
    uint64_t           retry;
    sse_fuzz_text_t   *result;
} sse_fuzz_model_t;


int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

static void sse_fuzz_read(const uint8_t *stream, size_t len, size_t max,
    const uint8_t *pieces, size_t n, sse_fuzz_text_t *result);
static void sse_fuzz_model(const uint8_t *stream, size_t len, size_t max,
    sse_fuzz_text_t *result);
static ngx_int_t sse_fuzz_line(sse_fuzz_model_t *m);
static void sse_fuzz_field(sse_fuzz_model_t *m, u_char *value, size_t len,
    const char *name);
static void sse_fuzz_id(sse_fuzz_model_t *m, u_char *value, size_t len);
static void sse_fuzz_retry(sse_fuzz_model_t *m, u_char *value, size_t len);
static void sse_fuzz_event(sse_fuzz_text_t *result, u_char *event,
    size_t elen, u_char *data, size_t len);
static void sse_fuzz_add(sse_fuzz_text_t *t, const void *data, size_t len);


int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    size_t           max, n;
    const uint8_t   *pieces;
    sse_fuzz_text_t  got, expected;

    if (size < 2 || size < (size_t) 2 + input[1]) {
        return 0;
    }

    max = input[0] ? input[0] : 1024 * 1024;
    n = input[1];
    pieces = input + 2;

    input += 2 + n;
    size -= 2 + n;

    ngx_memzero(&got, sizeof(sse_fuzz_text_t));
    ngx_memzero(&expected, sizeof(sse_fuzz_text_t));

    sse_fuzz_read(input, size, max, pieces, n, &got);
    sse_fuzz_model(input, size, max, &expected);

    if (got.len != expected.len
        || (got.len && memcmp(got.data, expected.data, got.len) != 0))
    {
        fprintf(stderr, "got:\n%.*s\nexpected:\n%.*s\n",
                (int) got.len, got.data, (int) expected.len, expected.data);
        abort();
    }

    free(got.data);
    free(expected.data);

    return 0;
}


/* each piece in memory of its own that is gone when it is used up */

static void
sse_fuzz_read(const uint8_t *stream, size_t len, size_t max,
    const uint8_t *pieces, size_t n, sse_fuzz_text_t *result)
{
    size_t                i, piece;
    u_char               *copy;
    ngx_int_t             rc;
    ngx_buf_t             b;
    ngx_pool_t           *pool;
    ngx_ors_sse_t         sse;
    ngx_ors_sse_place_t   place;

    pool = ngx_ors_test_pool();
    ngx_ors_sse_init(&sse, pool, max);

    ngx_memzero(&place, sizeof(ngx_ors_sse_place_t));
    sse.place = &place;

    rc = NGX_AGAIN;

    for (i = 0; len && rc == NGX_AGAIN; i++) {

        /* after 1000 pieces the rest: lengths of zero do not end */

        piece = (n && i < 1000) ? ngx_min(len, pieces[i % n]) : len;

        copy = malloc(piece);

        if (piece) {
            ngx_memcpy(copy, stream, piece);
        }

        stream += piece;
        len -= piece;

        ngx_memzero(&b, sizeof(ngx_buf_t));
        b.pos = copy;
        b.last = copy + piece;

        for ( ;; ) {
            rc = ngx_ors_sse_read(&sse, &b);

            if (rc != NGX_OK) {
                break;
            }

            sse_fuzz_event(result, sse.event.data, sse.event.len,
                           sse.data.data, sse.data.len);
        }

        if (rc == NGX_ERROR || (rc == NGX_AGAIN && b.pos != b.last)) {
            abort();
        }

        free(copy);
    }

    if (rc == NGX_DECLINED) {
        sse_fuzz_add(result, "over", 4);

    } else if (ngx_ors_sse_end(&sse) == NGX_OK) {
        sse_fuzz_event(result, sse.event.data, sse.event.len,
                       sse.data.data, sse.data.len);
    }

    sse_fuzz_event(result, place.last.data, place.last.len,
                   (u_char *) &place.retry, sizeof(ngx_msec_t));

    ngx_destroy_pool(pool);
}


/* one byte after the other, with nothing clever */

static void
sse_fuzz_model(const uint8_t *stream, size_t len, size_t max,
    sse_fuzz_text_t *result)
{
    size_t            i;
    ngx_int_t         rc;
    sse_fuzz_model_t  m;

    ngx_memzero(&m, sizeof(sse_fuzz_model_t));
    m.max = max;
    m.result = result;

    rc = NGX_OK;

    for (i = 0; i < len && rc == NGX_OK; i++) {

        if (stream[i] == LF && i > 0 && stream[i - 1] == CR) {
            continue;
        }

        if (stream[i] == CR || stream[i] == LF) {
            rc = sse_fuzz_line(&m);
            continue;
        }

        sse_fuzz_add(&m.line, &stream[i], 1);

        if (m.used + m.line.len > max) {
            rc = NGX_DECLINED;
        }
    }

    if (rc == NGX_DECLINED) {
        sse_fuzz_add(result, "over", 4);

    } else if (m.has_data && m.line.len == 0) {
        sse_fuzz_event(result, m.event.data, m.event.len, m.data.data,
                       m.data.len - 1);
    }

    sse_fuzz_event(result, m.last.data, m.last.len, (u_char *) &m.retry,
                   sizeof(uint64_t));

    free(m.line.data);
    free(m.data.data);
    free(m.event.data);
    free(m.id.data);
    free(m.last.data);
}


static ngx_int_t
sse_fuzz_line(sse_fuzz_model_t *m)
{
    size_t   len, name;
    u_char  *p;

    p = m->line.data;
    len = m->line.len;
    m->line.len = 0;

    if (m->lines++ == 0 && len >= 3 && p[0] == 0xef && p[1] == 0xbb
        && p[2] == 0xbf)
    {
        p += 3;
        len -= 3;
    }

    if (len == 0) {

        if (m->has_data) {
            sse_fuzz_event(m->result, m->event.data, m->event.len,
                           m->data.data, m->data.len - 1);
        }

        m->last.len = 0;
        sse_fuzz_add(&m->last, m->id.data, m->id.len);

        m->used = 0;
        m->has_data = 0;
        m->data.len = 0;
        m->event.len = 0;

        return NGX_OK;
    }

    if (p[0] == ':') {
        return NGX_OK;
    }

    m->used += len;

    for (name = 0; name < len && p[name] != ':'; name++) { /* void */ }

    if (name == 4 && memcmp(p, "data", 4) == 0) {
        m->has_data = 1;
        sse_fuzz_field(m, p + 4, len - 4, "data");

    } else if (name == 5 && memcmp(p, "event", 5) == 0) {
        sse_fuzz_field(m, p + 5, len - 5, "event");

    } else if (name == 2 && memcmp(p, "id", 2) == 0) {
        sse_fuzz_field(m, p + 2, len - 2, "id");

    } else if (name == 5 && memcmp(p, "retry", 5) == 0) {
        sse_fuzz_field(m, p + 5, len - 5, "retry");
    }

    return NGX_OK;
}


static void
sse_fuzz_field(sse_fuzz_model_t *m, u_char *value, size_t len,
    const char *name)
{
    if (len && value[0] == ':') {
        value++;
        len--;
    }

    if (len && value[0] == ' ') {
        value++;
        len--;
    }

    if (name[0] == 'd') {
        sse_fuzz_add(&m->data, value, len);
        sse_fuzz_add(&m->data, "\n", 1);
        return;
    }

    if (name[0] == 'i') {
        sse_fuzz_id(m, value, len);
        return;
    }

    if (name[0] == 'r') {
        sse_fuzz_retry(m, value, len);
        return;
    }

    m->event.len = 0;
    sse_fuzz_add(&m->event, value, len);
}


static void
sse_fuzz_id(sse_fuzz_model_t *m, u_char *value, size_t len)
{
    size_t  i;

    m->id.len = 0;

    for (i = 0; i < len; i++) {

        if (iscntrl(value[i])) {
            return;
        }
    }

    if (len <= NGX_ORS_SSE_ID) {
        sse_fuzz_add(&m->id, value, len);
    }
}


static void
sse_fuzz_retry(sse_fuzz_model_t *m, u_char *value, size_t len)
{
    size_t    i;
    uint64_t  retry;

    retry = 0;

    for (i = 0; i < len; i++) {

        if (!isdigit(value[i]) || retry > INT64_MAX / 10
            || retry * 10 > (uint64_t) INT64_MAX - (value[i] - '0'))
        {
            return;
        }

        retry = retry * 10 + value[i] - '0';
    }

    if (len) {
        m->retry = retry;
    }
}


static void
sse_fuzz_event(sse_fuzz_text_t *result, u_char *event, size_t elen,
    u_char *data, size_t len)
{
    sse_fuzz_add(result, &elen, sizeof(size_t));
    sse_fuzz_add(result, event, elen);
    sse_fuzz_add(result, &len, sizeof(size_t));
    sse_fuzz_add(result, data, len);
}


static void
sse_fuzz_add(sse_fuzz_text_t *t, const void *data, size_t len)
{
    if (len == 0) {
        return;
    }

    if (t->len + len > t->size) {
        t->size = 2 * (t->len + len);
        t->data = realloc(t->data, t->size);

        if (t->data == NULL) {
            abort();
        }
    }

    ngx_memcpy(t->data + t->len, data, len);
    t->len += len;
}
