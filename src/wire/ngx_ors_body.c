
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Bodies: that of a request as one piece of memory, its Content-Type, and those
 * of requests and answers without their Content-Encoding.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_body.h>
#include <ngx_ors_names.h>
#include <ngx_ors_forward.h>
#include <zlib.h>

#if !(NGX_ORS_WITHOUT_ZSTD)
#include <zstd.h>
#include <zstd_errors.h>
#endif


/* to MAX_WBITS: gzip's wrapping and no other */
#define NGX_ORS_INFLATE_GZIP  16

/* a decoder's pool: its larger pieces are allocated one by one */
#define NGX_ORS_INFLATE_POOL  1024

/* a window of 8 MB, which RFC 8878 recommends to take, and no larger one */
#define NGX_ORS_ZSTD_WINDOW  23

#if (NGX_ORS_WITHOUT_ZSTD)
#define NGX_ORS_CODINGS  "\"gzip\", \"deflate\" and \"identity\""
#else
#define NGX_ORS_CODINGS  "\"gzip\", \"deflate\", \"zstd\" and \"identity\""
#endif


typedef enum {
    ngx_ors_inflate_st_head = 0,    /* wrapped or not is not known yet */
    ngx_ors_inflate_st_body,
    ngx_ors_inflate_st_end,         /* it may end here */
    ngx_ors_inflate_st_broken
} ngx_ors_inflate_state_e;


typedef struct {
    char                      *name;
    ngx_ors_inflate_e          kind;
} ngx_ors_coding_t;


struct ngx_ors_inflate_s {
    ngx_ors_inflate_state_e    state;
    ngx_ors_inflate_e          kind;
    z_stream                   stream;

#if !(NGX_ORS_WITHOUT_ZSTD)
    ZSTD_DCtx                 *zstd;
#endif

    ngx_buf_t                  head;      /* bytes in front of the input */
    u_char                     head_buf[2];
};


static ngx_int_t ngx_ors_body_join(ngx_chain_t *bufs, ngx_uint_t room);
static u_char *ngx_ors_body_copy(ngx_buf_t *b, u_char *p, ngx_log_t *log);
static ngx_int_t ngx_ors_body_inflate(ngx_ors_inflate_t *inf, ngx_buf_t *in,
    ngx_buf_t *out, size_t max, ngx_pool_t *pool);
static ngx_int_t ngx_ors_body_grow(ngx_buf_t *out, size_t size,
    ngx_pool_t *pool);
static ngx_int_t ngx_ors_coding(ngx_str_t *encoding, ngx_ors_inflate_e *kind);
static ngx_int_t ngx_ors_inflate_init(ngx_ors_inflate_t *inf, ngx_pool_t *pool);
static void *ngx_ors_inflate_alloc(void *data, uInt items, uInt size);
static void ngx_ors_inflate_free(void *data, void *p);
static ngx_int_t ngx_ors_inflate_head(ngx_ors_inflate_t *inf, ngx_buf_t *in);
static ngx_int_t ngx_ors_inflate_body(ngx_ors_inflate_t *inf, ngx_buf_t *in,
    ngx_buf_t *out);
static int ngx_ors_inflate_step(ngx_ors_inflate_t *inf, ngx_buf_t *in,
    ngx_buf_t *out);

#if !(NGX_ORS_WITHOUT_ZSTD)
static ngx_int_t ngx_ors_zstd_init(ngx_ors_inflate_t *inf, ngx_pool_t *pool);
static void ngx_ors_zstd_free(void *data);
static ngx_int_t ngx_ors_zstd(ngx_ors_inflate_t *inf, ngx_buf_t *in,
    ngx_buf_t *out);
#endif

static ngx_uint_t ngx_ors_media_json(ngx_str_t *type);
static ngx_uint_t ngx_ors_media_utf8(ngx_str_t *type);
static ngx_uint_t ngx_ors_media_charset(u_char *p, u_char *last);


ngx_int_t
ngx_ors_body(ngx_chain_t *bufs, ngx_uint_t room, ngx_pool_t *pool,
    ngx_str_t *body)
{
    u_char       *p;
    off_t         len;
    ngx_buf_t    *b;
    ngx_chain_t  *cl;

    if (ngx_ors_body_join(bufs, room) == NGX_OK) {
        b = bufs->buf;

        body->data = b->pos;
        body->len = b->last - b->pos;
        return NGX_OK;
    }

    len = 0;

    for (cl = bufs; cl; cl = cl->next) {
        len += ngx_buf_size(cl->buf);
    }

    p = ngx_pnalloc(pool, (size_t) len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    body->data = p;
    body->len = (size_t) len;

    for (cl = bufs; cl; cl = cl->next) {

        /* the last buffer of a chunked body is empty and points nowhere */

        if (ngx_buf_size(cl->buf) == 0) {
            continue;
        }

        p = ngx_ors_body_copy(cl->buf, p, pool->log);
        if (p == NULL) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/*
 * nginx makes a buffer of each piece that comes, but those after the one that
 * came with the header lie side by side, and at their end there is room for
 * that one (see request_body_in_single_buf).  A copy would take new memory,
 * and that costs more than to move it.
 *
 * NGX_OK: "bufs" is one buffer; NGX_DECLINED: it must be copied
 */

static ngx_int_t
ngx_ors_body_join(ngx_chain_t *bufs, ngx_uint_t room)
{
    size_t        len;
    u_char       *last;
    ngx_buf_t    *b, *first, *rest;
    ngx_chain_t  *cl;

    first = bufs->buf;

    if (first->in_file) {
        return NGX_DECLINED;
    }

    last = first->last;
    rest = NULL;

    for (cl = bufs->next; cl; cl = cl->next) {
        b = cl->buf;

        if (b->in_file) {
            return NGX_DECLINED;
        }

        if (b->pos == b->last) {
            continue;
        }

        if (rest == NULL) {
            rest = b;

        } else if (b->pos != last) {
            return NGX_DECLINED;
        }

        last = b->last;
    }

    if (rest == NULL || rest->pos == first->last) {
        first->last = last;

    } else {
        len = first->last - first->pos;

        if (!room || (size_t) (rest->end - last) < len) {
            return NGX_DECLINED;
        }

        ngx_memmove(rest->pos + len, rest->pos, last - rest->pos);
        ngx_memcpy(rest->pos, first->pos, len);

        rest->last = last + len;
        bufs->buf = rest;
    }

    bufs->buf->last_buf = 1;
    bufs->next = NULL;

    return NGX_OK;
}


static u_char *
ngx_ors_body_copy(ngx_buf_t *b, u_char *p, ngx_log_t *log)
{
    size_t   size;
    ssize_t  n;

    if (!b->in_file) {
        return ngx_cpymem(p, b->pos, b->last - b->pos);
    }

    size = (size_t) (b->file_last - b->file_pos);

    n = ngx_read_file(b->file, p, size, b->file_pos);

    if (n == NGX_ERROR || (size_t) n != size) {
        ngx_log_error(NGX_LOG_CRIT, log, 0,
                      "read of request body \"%V\" gave %z bytes of %uz",
                      &b->file->name, n, size);
        return NULL;
    }

    return p + n;
}


/*
 * The Content-Encoding of a request's body undone, that of a whole one.
 */


ngx_int_t
ngx_ors_body_decode(ngx_str_t *body, ngx_str_t *encoding, size_t max,
    ngx_pool_t *pool, ngx_ors_error_t *err)
{
    ngx_int_t           rc;
    ngx_buf_t           in, out;
    ngx_pool_t         *temp;
    ngx_ors_inflate_t  *inf;
    ngx_ors_inflate_e   kind;

    rc = ngx_ors_coding(encoding, &kind);

    if (rc == NGX_DONE) {
        return NGX_OK;
    }

    if (rc == NGX_DECLINED) {
        return ngx_ors_error_set(err, pool,
                                 ngx_ors_code_unsupported_media_type,
                                 "the request's Content-Encoding must be one "
                                 "of " NGX_ORS_CODINGS);
    }

    /* the decoder needs more than a short text: it goes before the turn does */

    temp = ngx_create_pool(NGX_ORS_INFLATE_POOL, pool->log);
    if (temp == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(&in, sizeof(ngx_buf_t));
    ngx_memzero(&out, sizeof(ngx_buf_t));

    in.pos = body->data;
    in.last = body->data + body->len;

    inf = ngx_ors_inflate_create(kind, temp);
    rc = inf ? ngx_ors_body_inflate(inf, &in, &out, max, pool) : NGX_ERROR;

    ngx_destroy_pool(temp);

    switch (rc) {

    case NGX_DONE:
        body->data = out.pos;
        body->len = out.last - out.pos;
        return NGX_OK;

    case NGX_ABORT:
        return ngx_ors_error_set(err, pool, ngx_ors_code_request_too_large,
                                 "the request's body is longer than %uz "
                                 "bytes without its Content-Encoding", max);

    case NGX_AGAIN:
        return ngx_ors_error_set(err, pool,
                                 ngx_ors_code_invalid_content_encoding,
                                 "the request's body is cut: it ends before "
                                 "its Content-Encoding \"%V\" does", encoding);

    case NGX_DECLINED:
        return ngx_ors_error_set(err, pool,
                                 ngx_ors_code_invalid_content_encoding,
                                 "the request's body is not as its "
                                 "Content-Encoding \"%V\" says, or goes on "
                                 "after its end", encoding);
    }

    return NGX_ERROR;
}


/*
 * As ngx_ors_inflate() when all of "in" is given; NGX_ABORT: more than "max".
 * The byte more than "max" tells a text that fits from a longer one.
 */

static ngx_int_t
ngx_ors_body_inflate(ngx_ors_inflate_t *inf, ngx_buf_t *in, ngx_buf_t *out,
    size_t max, ngx_pool_t *pool)
{
    size_t     size;
    ngx_int_t  rc;

    size = ngx_max(4 * (in->last - in->pos), NGX_ORS_DECODE_STEP);

    do {
        if (ngx_ors_body_grow(out, ngx_min(size, max + 1), pool) != NGX_OK) {
            return NGX_ERROR;
        }

        rc = ngx_ors_inflate(inf, in, out);

        if ((size_t) (out->last - out->pos) > max) {
            return NGX_ABORT;
        }

        size *= 2;

    } while (rc == NGX_OK);

    return rc;
}


static ngx_int_t
ngx_ors_body_grow(ngx_buf_t *out, size_t size, ngx_pool_t *pool)
{
    u_char  *p, *last;

    p = ngx_pnalloc(pool, size);
    if (p == NULL) {
        return NGX_ERROR;
    }

    last = p;

    if (out->pos) {
        last = ngx_cpymem(p, out->pos, out->last - out->pos);
        (void) ngx_pfree(pool, out->pos);
    }

    out->pos = p;
    out->last = last;
    out->end = p + size;

    return NGX_OK;
}


/* NGX_OK, NGX_DONE: there is nothing to decode, NGX_DECLINED: it is unknown */

static ngx_int_t
ngx_ors_coding(ngx_str_t *encoding, ngx_ors_inflate_e *kind)
{
    ngx_ors_coding_t  *coding;

    static ngx_ors_coding_t  codings[] = {
        { "gzip", ngx_ors_inflate_gzip },
        { "x-gzip", ngx_ors_inflate_gzip },
        { "deflate", ngx_ors_inflate_deflate },
#if !(NGX_ORS_WITHOUT_ZSTD)
        { "zstd", ngx_ors_inflate_zstd },
#endif
        { NULL, 0 }
    };

    if (encoding->len == 0 || ngx_ors_same_case(encoding, "identity")) {
        return NGX_DONE;
    }

    for (coding = codings; coding->name; coding++) {

        if (ngx_ors_same_case(encoding, coding->name)) {
            *kind = coding->kind;
            return NGX_OK;
        }
    }

    return NGX_DECLINED;
}


/*
 * An upstream's Content-Encoding undone, a buffer at a time.
 */


ngx_int_t
ngx_ors_decode_init(ngx_ors_decode_t *decode, ngx_str_t *encoding,
    ngx_pool_t *pool)
{
    ngx_int_t          rc;
    ngx_ors_inflate_e  kind;

    rc = ngx_ors_coding(encoding, &kind);

    if (rc != NGX_OK) {
        return (rc == NGX_DONE) ? NGX_OK : rc;
    }

    decode->inflate = ngx_ors_inflate_create(kind, pool);
    if (decode->inflate == NULL) {
        return NGX_ERROR;
    }

    decode->buf = ngx_create_temp_buf(pool, NGX_ORS_DECODE_STEP);
    if (decode->buf == NULL) {
        return NGX_ERROR;
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_decode_next(ngx_ors_decode_t *decode, ngx_buf_t *b, ngx_buf_t *piece)
{
    ngx_int_t  rc;

    if (decode->inflate == NULL) {

        if (b->pos == b->last) {
            return NGX_AGAIN;
        }

        *piece = *b;
        piece->last = ngx_min(b->last, b->pos + NGX_ORS_DECODE_STEP);

        b->pos = piece->last;

        return NGX_OK;
    }

    decode->buf->pos = decode->buf->start;
    decode->buf->last = decode->buf->start;

    rc = ngx_ors_inflate(decode->inflate, b, decode->buf);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    /* the text in front of a fault counts, in one packet with it or not */

    if (rc == NGX_DECLINED && decode->buf->pos == decode->buf->last) {
        return NGX_DECLINED;
    }

    decode->whole = (rc == NGX_DONE);

    if (decode->buf->pos == decode->buf->last) {
        return NGX_AGAIN;
    }

    *piece = *decode->buf;

    return NGX_OK;
}


/*
 * gzip and deflate by zlib, zstd by libzstd, fed with buffers of any size.
 */


ngx_ors_inflate_t *
ngx_ors_inflate_create(ngx_ors_inflate_e kind, ngx_pool_t *pool)
{
    ngx_int_t           rc;
    ngx_ors_inflate_t  *inf;

    inf = ngx_pcalloc(pool, sizeof(ngx_ors_inflate_t));
    if (inf == NULL) {
        return NULL;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     inf->state = ngx_ors_inflate_st_head;
     */

    inf->kind = kind;

    if (kind != ngx_ors_inflate_deflate) {
        inf->state = ngx_ors_inflate_st_body;
    }

#if !(NGX_ORS_WITHOUT_ZSTD)

    if (kind == ngx_ors_inflate_zstd) {
        rc = ngx_ors_zstd_init(inf, pool);

    } else

#endif

    rc = ngx_ors_inflate_init(inf, pool);

    return (rc == NGX_OK) ? inf : NULL;
}


static ngx_int_t
ngx_ors_inflate_init(ngx_ors_inflate_t *inf, ngx_pool_t *pool)
{
    int  bits;

    inf->head.start = inf->head_buf;
    inf->head.pos = inf->head_buf;
    inf->head.last = inf->head_buf;
    inf->head.end = inf->head_buf + sizeof(inf->head_buf);

    bits = MAX_WBITS;

    if (inf->kind == ngx_ors_inflate_gzip) {
        bits += NGX_ORS_INFLATE_GZIP;
    }

    /* the stream has nothing but this memory: no inflateEnd() is due */

    inf->stream.zalloc = ngx_ors_inflate_alloc;
    inf->stream.zfree = ngx_ors_inflate_free;
    inf->stream.opaque = pool;

    return (inflateInit2(&inf->stream, bits) == Z_OK) ? NGX_OK : NGX_ERROR;
}


static void *
ngx_ors_inflate_alloc(void *data, uInt items, uInt size)
{
    ngx_pool_t  *pool = data;

    return ngx_palloc(pool, (size_t) items * size);
}


static void
ngx_ors_inflate_free(void *data, void *p)
{
    ngx_pool_t  *pool = data;

    (void) ngx_pfree(pool, p);
}


ngx_int_t
ngx_ors_inflate(ngx_ors_inflate_t *inf, ngx_buf_t *in, ngx_buf_t *out)
{
    ngx_int_t  rc;

    for ( ;; ) {

        switch (inf->state) {

        case ngx_ors_inflate_st_head:
            rc = ngx_ors_inflate_head(inf, in);

            if (rc != NGX_OK) {
                return rc;
            }

            inf->state = ngx_ors_inflate_st_body;
            break;

        case ngx_ors_inflate_st_body:
            rc = ngx_ors_inflate_body(inf, in, out);

            if (rc == NGX_DECLINED) {
                inf->state = ngx_ors_inflate_st_broken;
            }

            if (rc != NGX_DONE) {
                return rc;
            }

            inf->state = ngx_ors_inflate_st_end;
            break;

        case ngx_ors_inflate_st_end:

            if (in->pos == in->last) {
                return NGX_DONE;
            }

            if (inf->kind == ngx_ors_inflate_deflate) {
                inf->state = ngx_ors_inflate_st_broken;
                break;
            }

            /* a frame of zstd needs no reset */

            if (inf->kind == ngx_ors_inflate_gzip
                && inflateReset(&inf->stream) != Z_OK)
            {
                return NGX_ERROR;
            }

            inf->state = ngx_ors_inflate_st_body;
            break;

        case ngx_ors_inflate_st_broken:
            return NGX_DECLINED;
        }
    }
}


/*
 * Two bytes tell: of the wrapping the first one has the method, 8, in its
 * low half, and both are a multiple of 31.  Without it that would be a block
 * of plain bytes with a bit set that is of no use.
 */

static ngx_int_t
ngx_ors_inflate_head(ngx_ors_inflate_t *inf, ngx_buf_t *in)
{
    u_char     *p;
    ngx_buf_t  *head;

    head = &inf->head;

    while (head->last < head->end) {

        if (in->pos == in->last) {
            return NGX_AGAIN;
        }

        *head->last++ = *in->pos++;
    }

    p = head->pos;

    if ((p[0] & 0x0f) == Z_DEFLATED && ((p[0] << 8) | p[1]) % 31 == 0) {
        return NGX_OK;
    }

    return (inflateReset2(&inf->stream, -MAX_WBITS) == Z_OK) ? NGX_OK
                                                             : NGX_ERROR;
}


/* NGX_DONE: the end of a member; else what ngx_ors_inflate() returns */

static ngx_int_t
ngx_ors_inflate_body(ngx_ors_inflate_t *inf, ngx_buf_t *in, ngx_buf_t *out)
{
    int  rc;

#if !(NGX_ORS_WITHOUT_ZSTD)

    if (inf->kind == ngx_ors_inflate_zstd) {
        return ngx_ors_zstd(inf, in, out);
    }

#endif

    rc = Z_OK;

    if (inf->head.pos < inf->head.last) {
        rc = ngx_ors_inflate_step(inf, &inf->head, out);
    }

    if (rc == Z_OK && inf->head.pos == inf->head.last) {
        rc = ngx_ors_inflate_step(inf, in, out);
    }

    switch (rc) {

    case Z_OK:
    case Z_BUF_ERROR:                 /* nothing could be done */
        return (out->last == out->end) ? NGX_OK : NGX_AGAIN;

    case Z_STREAM_END:
        return NGX_DONE;

    case Z_DATA_ERROR:
    case Z_NEED_DICT:
        return NGX_DECLINED;

    default:                          /* Z_MEM_ERROR */
        return NGX_ERROR;
    }
}


static int
ngx_ors_inflate_step(ngx_ors_inflate_t *inf, ngx_buf_t *in, ngx_buf_t *out)
{
    int        rc;
    z_stream  *stream;

    stream = &inf->stream;

    stream->next_in = in->pos;
    stream->avail_in = in->last - in->pos;
    stream->next_out = out->last;
    stream->avail_out = out->end - out->last;

    rc = inflate(stream, Z_NO_FLUSH);

    in->pos = stream->next_in;
    out->last = stream->next_out;

    return rc;
}


#if !(NGX_ORS_WITHOUT_ZSTD)

static ngx_int_t
ngx_ors_zstd_init(ngx_ors_inflate_t *inf, ngx_pool_t *pool)
{
    ngx_pool_cleanup_t  *cln;

    cln = ngx_pool_cleanup_add(pool, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    inf->zstd = ZSTD_createDCtx();
    if (inf->zstd == NULL) {
        return NGX_ERROR;
    }

    cln->handler = ngx_ors_zstd_free;
    cln->data = inf->zstd;

    return ZSTD_isError(ZSTD_DCtx_setParameter(inf->zstd, ZSTD_d_windowLogMax,
                                               NGX_ORS_ZSTD_WINDOW))
           ? NGX_ERROR : NGX_OK;
}


static void
ngx_ors_zstd_free(void *data)
{
    ZSTD_freeDCtx(data);
}


/* As ngx_ors_inflate_body() */

static ngx_int_t
ngx_ors_zstd(ngx_ors_inflate_t *inf, ngx_buf_t *in, ngx_buf_t *out)
{
    size_t          rc;
    ZSTD_inBuffer   from;
    ZSTD_outBuffer  to;

    from.src = in->pos;
    from.size = in->last - in->pos;
    from.pos = 0;

    to.dst = out->last;
    to.size = out->end - out->last;
    to.pos = 0;

    rc = ZSTD_decompressStream(inf->zstd, &to, &from);

    in->pos += from.pos;
    out->last += to.pos;

    if (ZSTD_isError(rc)) {
        return (ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation)
               ? NGX_ERROR : NGX_DECLINED;
    }

    if (rc == 0) {
        return NGX_DONE;
    }

    return (out->last == out->end) ? NGX_OK : NGX_AGAIN;
}

#endif


/*
 * Content-Type of a request: is it JSON, and in UTF-8?  And Content-Encoding.
 */


/*
 * A server that reads a header which is not looked at here may see another
 * document in the same bytes
 */

char *
ngx_ors_media(ngx_list_t *headers)
{
    ngx_str_t            *type;
    ngx_uint_t            encoded;
    ngx_table_elt_t      *h;
    ngx_ors_inflate_e     kind;
    ngx_ors_header_at_t   at;

    type = NULL;
    encoded = 0;

    ngx_ors_header_each(h, headers, &at) {
        if (h->hash == 0) {
            continue;
        }

        if (ngx_ors_same_case(&h->key, "content-encoding")) {

            if (encoded || ngx_ors_coding(&h->value, &kind) == NGX_DECLINED) {
                return "the request's Content-Encoding must be one of "
                       NGX_ORS_CODINGS ", or absent";
            }

            encoded = 1;
            continue;
        }

        if (!ngx_ors_same_case(&h->key, "content-type")) {
            continue;
        }

        if (type) {
            return "the request has more than one Content-Type";
        }

        type = &h->value;
    }

    if (type == NULL) {
        return "the request must have the Content-Type \"application/json\"";
    }

    if (!ngx_ors_media_json(type)) {
        return "the request's Content-Type must be \"application/json\"";
    }

    return ngx_ors_media_utf8(type)
           ? NULL : "the charset of the request's Content-Type must be "
                    "\"utf-8\"";
}


static ngx_uint_t
ngx_ors_media_json(ngx_str_t *type)
{
    u_char  *p, *last;

    static ngx_str_t  json = ngx_string("application/json");

    if (type->len < json.len
        || ngx_strncasecmp(type->data, json.data, json.len) != 0)
    {
        return 0;
    }

    p = type->data + json.len;
    last = type->data + type->len;

    while (p < last && (*p == ' ' || *p == '\t')) {
        p++;
    }

    return p == last || *p == ';';
}


/*
 * "charset" must be a parameter wherever it occurs, and its value UTF-8:
 * parsers disagree on quotes and on a charset that comes twice
 */

static ngx_uint_t
ngx_ors_media_utf8(ngx_str_t *type)
{
    u_char  *p, *q, *last;

    p = type->data;
    last = type->data + type->len;

    while ((p = ngx_strlcasestrn(p, last, (u_char *) "charset",
                                 sizeof("charset") - 2))
           != NULL)
    {
        for (q = p - 1; *q == ' ' || *q == '\t'; q--) { /* void */ }

        p += sizeof("charset") - 1;

        if (*q != ';' || !ngx_ors_media_charset(p, last)) {
            return 0;
        }
    }

    return 1;
}


/* compares "=utf-8", and the parameter's end */

static ngx_uint_t
ngx_ors_media_charset(u_char *p, u_char *last)
{
    u_char     *end;
    ngx_str_t   name;

    if (p == last || *p++ != '=') {
        return 0;
    }

    if (p < last && *p == '"') {
        p++;

        end = ngx_strlchr(p, last, '"');
        if (end == NULL) {
            return 0;
        }

        name.len = end - p;
        end++;

    } else {
        for (end = p;
             end < last && *end != ';' && *end != ' ' && *end != '\t';
             end++)
        {
            /* void */
        }

        name.len = end - p;
    }

    name.data = p;

    while (end < last && (*end == ' ' || *end == '\t')) {
        end++;
    }

    return (end == last || *end == ';')
           && (ngx_ors_same_case(&name, "utf-8")
               || ngx_ors_same_case(&name, "utf8"));
}
