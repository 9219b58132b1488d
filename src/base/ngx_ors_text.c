
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Text: growing in blocks that never move, as output that is sent in a chain,
 * gathered in one place, and the small things that are made of it.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_text.h>
#include <ngx_ors_id.h>


#define NGX_ORS_TEXT_BLOCK_MIN  64
#define NGX_ORS_TEXT_BLOCK_MAX  65536

/* bytes that a formatted text has at first */
#define NGX_ORS_STR_ROOM        128


#define ngx_ors_text_data(block)  ((u_char *) ((block) + 1))

/* a pool for blocks that are too large to be in it */
#define NGX_ORS_OUT_EXTRA  256


#define ngx_ors_out_block_start(block)  ((u_char *) ((block) + 1))


/* appended bytes lie right after it */

struct ngx_ors_text_block_s {
    size_t                 len;
    size_t                 size;
    ngx_ors_text_block_t  *next;
};


struct ngx_ors_out_block_s {
    ngx_ors_out_block_t  *next;       /* in the list of free blocks */
    ngx_uint_t            pieces;     /* made of it and not recycled yet */
};


/* a link, its buffer and where its bytes are, in one allocation */

typedef struct {
    ngx_chain_t           link;       /* must be the first */
    ngx_buf_t             buf;
    ngx_ors_out_block_t  *block;      /* NULL: bytes of somebody else */
} ngx_ors_out_piece_t;


static void ngx_ors_out_next_block(ngx_ors_out_t *out);
static ngx_ors_out_block_t *ngx_ors_out_new_block(ngx_ors_out_t *out);
static void ngx_ors_out_extra_free(void *data);
static void ngx_ors_out_use_block(ngx_ors_out_t *out,
    ngx_ors_out_block_t *block);
static void ngx_ors_out_end_piece(ngx_ors_out_t *out);
static void ngx_ors_out_add_piece(ngx_ors_out_t *out, u_char *data,
    size_t len, ngx_ors_out_block_t *block);
static void ngx_ors_out_fail(ngx_ors_out_t *out);


static const u_char  ngx_ors_decimal_pairs[] =
    "0001020304050607080910111213141516171819"
    "2021222324252627282930313233343536373839"
    "4041424344454647484950515253545556575859"
    "6061626364656667686970717273747576777879"
    "8081828384858687888990919293949596979899";


static const u_char  ngx_ors_pad_chars[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";


ngx_int_t
ngx_ors_text_append(ngx_ors_text_t *text, ngx_pool_t *pool, u_char *data,
    size_t len)
{
    size_t                 size, rest;
    ngx_ors_text_block_t  *tail, *block;

    tail = text->tail;
    rest = tail ? ngx_min(tail->size - tail->len, len) : 0;

    if (rest < len) {
        size = tail ? ngx_min(tail->size * 2, NGX_ORS_TEXT_BLOCK_MAX)
                    : NGX_ORS_TEXT_BLOCK_MIN;
        size = ngx_max(size, len - rest);

        block = ngx_palloc(pool, sizeof(ngx_ors_text_block_t) + size);
        if (block == NULL) {
            return NGX_ERROR;
        }

        ngx_memcpy(ngx_ors_text_data(block), data + rest, len - rest);

        block->len = len - rest;
        block->size = size;
        block->next = NULL;

        *(tail ? &tail->next : &text->head) = block;
        text->tail = block;
    }

    if (rest) {
        ngx_memcpy(ngx_ors_text_data(tail) + tail->len, data, rest);
        tail->len += rest;
    }

    text->len += len;

    return NGX_OK;
}


void
ngx_ors_text_put(ngx_ors_out_t *out, ngx_ors_text_t *text)
{
    ngx_ors_text_block_t  *block;

    for (block = text->head; block; block = block->next) {
        ngx_ors_out_ref(out, ngx_ors_text_data(block), block->len);
    }
}


u_char *
ngx_ors_text_copy(u_char *dst, ngx_ors_text_t *text)
{
    ngx_ors_text_block_t  *block;

    for (block = text->head; block; block = block->next) {
        dst = ngx_cpymem(dst, ngx_ors_text_data(block), block->len);
    }

    return dst;
}


ngx_int_t
ngx_ors_str_copy(ngx_str_t *copy, ngx_pool_t *pool, ngx_str_t *str)
{
    u_char  *p;

    p = ngx_pnalloc(pool, str->len + 1);
    if (p == NULL) {
        return NGX_ERROR;
    }

    if (str->len) {
        ngx_memcpy(p, str->data, str->len);
    }

    copy->len = str->len;
    copy->data = p;

    return NGX_OK;
}


ngx_int_t
ngx_ors_str_printf(ngx_str_t *str, ngx_pool_t *pool, const char *fmt, ...)
{
    size_t    size;
    u_char   *p, *last;
    va_list   args;

    for (size = NGX_ORS_STR_ROOM; /* void */ ; size *= 4) {
        p = ngx_pnalloc(pool, size);
        if (p == NULL) {
            return NGX_ERROR;
        }

        va_start(args, fmt);
        last = ngx_vslprintf(p, p + size, fmt, args);
        va_end(args);

        if (last < p + size) {
            break;
        }

        (void) ngx_pfree(pool, p);
    }

    str->data = p;
    str->len = last - p;

    return NGX_OK;
}


/*
 * Blocks of output that are filled, handed out as a chain, and used again
 * after the chain is sent.
 */


void
ngx_ors_out_init(ngx_ors_out_t *out, ngx_pool_t *pool, size_t block_size)
{
    ngx_memzero(out, sizeof(ngx_ors_out_t));

    out->tail = &out->head;
    out->block_size = block_size;
    out->pool = pool;
}


void
ngx_ors_out_copy_slow(ngx_ors_out_t *out, u_char *data, size_t len)
{
    size_t  n;

    while (len) {

        if (out->last == out->end) {
            ngx_ors_out_next_block(out);
        }

        if (out->failed) {
            return;
        }

        n = ngx_min(len, (size_t) (out->end - out->last));

        out->last = ngx_cpymem(out->last, data, n);
        out->size += n;

        data += n;
        len -= n;
    }
}


void
ngx_ors_out_ref(ngx_ors_out_t *out, u_char *data, size_t len)
{
    if (len < NGX_ORS_OUT_REF_MIN) {
        ngx_ors_out_copy(out, data, len);
        return;
    }

    ngx_ors_out_end_piece(out);

    if (out->failed) {
        return;
    }

    ngx_ors_out_add_piece(out, data, len, NULL);
    out->size += len;
}


void
ngx_ors_out_int(ngx_ors_out_t *out, int64_t n)
{
    u_char  text[NGX_ORS_DECIMAL_LEN], *p;

    /* most are indexes */

    if ((uint64_t) n < 10 && out->last < out->end) {
        *out->last++ = (u_char) (n + '0');
        out->size++;
        return;
    }

    p = ngx_ors_decimal(text + sizeof(text),
                        (n < 0) ? 0 - (uint64_t) n : (uint64_t) n);

    if (n < 0) {
        *--p = '-';
    }

    ngx_ors_out_copy(out, p, text + sizeof(text) - p);
}


void
ngx_ors_out_mark(ngx_ors_out_t *out, ngx_uint_t mark)
{
    u_char       *next;
    ngx_chain_t  *last;

    ngx_ors_out_end_piece(out);

    if (out->failed || out->head == NULL) {
        return;
    }

    next = (u_char *) out->tail;
    last = (ngx_chain_t *) (next - offsetof(ngx_chain_t, next));

    last->buf->num = (int) mark;
}


ngx_int_t
ngx_ors_out_take(ngx_ors_out_t *out, ngx_chain_t **chain)
{
    ngx_ors_out_end_piece(out);

    if (out->failed) {
        return NGX_ERROR;
    }

    *chain = out->head;

    out->head = NULL;
    out->tail = &out->head;
    out->size = 0;

    return NGX_OK;
}


ngx_int_t
ngx_ors_out_text(ngx_ors_out_t *out, ngx_str_t *text)
{
    u_char       *p;
    ngx_chain_t  *cl;

    text->len = out->size;
    text->data = ngx_pnalloc(out->pool, text->len);

    if (text->data == NULL || ngx_ors_out_take(out, &cl) != NGX_OK) {
        return NGX_ERROR;
    }

    p = text->data;

    for ( /* void */ ; cl; cl = cl->next) {
        p = ngx_cpymem(p, cl->buf->pos, cl->buf->last - cl->buf->pos);
    }

    return NGX_OK;
}


void
ngx_ors_out_recycle(ngx_ors_out_t *out, ngx_chain_t **busy)
{
    ngx_uint_t            n;
    ngx_chain_t          *cl;
    ngx_ors_out_block_t  *block;

    n = 0;

    while (*busy) {
        cl = *busy;

        if (ngx_buf_size(cl->buf) != 0) {
            return;
        }

        *busy = cl->next;

        cl->next = out->bufs;
        out->bufs = cl;

        out->pieces--;

        block = ((ngx_ors_out_piece_t *) cl)->block;

        if (block == NULL || --block->pieces) {
            continue;
        }

        n++;

        if (block != out->block) {
            block->next = out->free;
            out->free = block;

        } else if (out->pos == out->last) {
            ngx_ors_out_use_block(out, block);
        }
    }

    if (n == 1 && out->bursts && !out->failed && out->pieces == 0
        && out->pos == out->last)
    {
        /* one block was enough this time, and all has been sent */

        ngx_reset_pool(out->extra);

        out->bursts = 0;
        out->free = NULL;

        ngx_ors_out_use_block(out, out->first);
    }
}


ngx_int_t
ngx_ors_out_drop(ngx_ors_out_t *out)
{
    ngx_chain_t  *cl, *chain;

    if (ngx_ors_out_take(out, &chain) != NGX_OK) {
        return NGX_ERROR;
    }

    for (cl = chain; cl; cl = cl->next) {
        cl->buf->pos = cl->buf->last;
    }

    ngx_ors_out_recycle(out, &chain);

    return NGX_OK;
}


static void
ngx_ors_out_next_block(ngx_ors_out_t *out)
{
    ngx_ors_out_block_t  *block;

    ngx_ors_out_end_piece(out);

    if (out->failed) {
        return;
    }

    block = out->free;

    if (block) {
        out->free = block->next;

    } else {
        block = ngx_ors_out_new_block(out);
        if (block == NULL) {
            ngx_ors_out_fail(out);
            return;
        }
    }

    ngx_ors_out_use_block(out, block);
}


static ngx_ors_out_block_t *
ngx_ors_out_new_block(ngx_ors_out_t *out)
{
    size_t               size;
    ngx_pool_cleanup_t  *cln;

    size = sizeof(ngx_ors_out_block_t) + out->block_size;

    if (!out->brief || out->first == NULL) {
        out->first = ngx_palloc(out->pool, size);
        return out->first;
    }

    if (out->extra == NULL) {
        cln = ngx_pool_cleanup_add(out->pool, 0);
        if (cln == NULL) {
            return NULL;
        }

        out->extra = ngx_create_pool(NGX_ORS_OUT_EXTRA, out->pool->log);
        if (out->extra == NULL) {
            return NULL;
        }

        cln->handler = ngx_ors_out_extra_free;
        cln->data = out->extra;
    }

    out->bursts = 1;

    return ngx_palloc(out->extra, size);
}


static void
ngx_ors_out_extra_free(void *data)
{
    ngx_destroy_pool(data);
}


static void
ngx_ors_out_use_block(ngx_ors_out_t *out, ngx_ors_out_block_t *block)
{
    block->next = NULL;
    block->pieces = 0;

    out->block = block;
    out->pos = ngx_ors_out_block_start(block);
    out->last = out->pos;
    out->end = out->pos + out->block_size;
}


static void
ngx_ors_out_end_piece(ngx_ors_out_t *out)
{
    u_char  *pos;

    pos = out->pos;

    if (pos == out->last) {
        return;
    }

    out->pos = out->last;

    ngx_ors_out_add_piece(out, pos, out->last - pos, out->block);
}


static void
ngx_ors_out_add_piece(ngx_ors_out_t *out, u_char *data, size_t len,
    ngx_ors_out_block_t *block)
{
    ngx_buf_t            *b;
    ngx_chain_t          *cl;
    ngx_ors_out_piece_t  *piece;

    cl = out->bufs;

    if (cl) {
        out->bufs = cl->next;
        piece = (ngx_ors_out_piece_t *) cl;

    } else {
        piece = ngx_palloc(out->pool, sizeof(ngx_ors_out_piece_t));
        if (piece == NULL) {
            ngx_ors_out_fail(out);
            return;
        }
    }

    b = &piece->buf;
    ngx_memzero(b, sizeof(ngx_buf_t));

    b->start = data;
    b->pos = data;
    b->last = data + len;
    b->end = b->last;
    b->memory = 1;

    piece->block = block;

    out->pieces++;

    if (block) {
        block->pieces++;
    }

    piece->link.buf = b;
    piece->link.next = NULL;

    *out->tail = &piece->link;
    out->tail = &piece->link.next;
}


/*
 * Fails "out": without a block every append takes the slow way, which looks at
 * "failed" and returns
 */

static void
ngx_ors_out_fail(ngx_ors_out_t *out)
{
    out->failed = 1;
    out->block = NULL;
    out->pos = NULL;
    out->last = NULL;
    out->end = NULL;
}


/*
 * A document gathered in one block of memory that grows up to a limit.
 */


ngx_int_t
ngx_ors_gather_reserve(ngx_buf_t *g, size_t size, ngx_pool_t *pool)
{
    u_char  *p;

    p = ngx_pnalloc(pool, size);
    if (p == NULL) {
        return NGX_ERROR;
    }

    if (g->start) {
        g->last = ngx_cpymem(p, g->pos, g->last - g->pos);
        (void) ngx_pfree(pool, g->start);

    } else {
        g->last = p;
    }

    g->start = p;
    g->pos = p;
    g->end = p + size;

    return NGX_OK;
}


ngx_int_t
ngx_ors_gather(ngx_buf_t *g, ngx_buf_t *b, size_t max, ngx_pool_t *pool)
{
    size_t  size, used;

    size = b->last - b->pos;
    used = g->last - g->pos;

    if (size > max - used) {
        return NGX_DECLINED;
    }

    if (size == 0) {
        return NGX_OK;
    }

    if ((size_t) (g->end - g->last) < size
        && ngx_ors_gather_reserve(g, ngx_max(used + size, 2 * used), pool)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    g->last = ngx_cpymem(g->last, b->pos, size);
    b->pos += size;

    return NGX_OK;
}


ngx_int_t
ngx_ors_gather_head(ngx_buf_t *g, ngx_buf_t *b, size_t max, ngx_pool_t *pool)
{
    size_t     size, room;
    ngx_buf_t  head;

    head = *b;
    size = b->last - b->pos;
    room = max - (g->last - g->pos);

    head.last = b->pos + ngx_min(size, room);
    b->pos = b->last;

    return ngx_ors_gather(g, &head, max, pool);
}


ngx_uint_t
ngx_ors_mime_is(ngx_str_t *type, char *name)
{
    size_t  len;

    len = ngx_strlen(name);

    return type->len >= len
           && ngx_strncasecmp(type->data, (u_char *) name, len) == 0
           && (type->len == len || type->data[len] == ';'
               || type->data[len] == ' ');
}


ngx_uint_t
ngx_ors_minute(ngx_atomic_t *minute, time_t now)
{
    ngx_atomic_uint_t  last;

    last = *minute;

    return last != (ngx_atomic_uint_t) (now / 60)
           && ngx_atomic_cmp_set(minute, last, (ngx_atomic_uint_t) (now / 60));
}


/* Arguments of a query string. */


ngx_int_t
ngx_ors_query_arg(ngx_str_t *query, const ngx_str_t *name, ngx_pool_t *pool,
    ngx_str_t *value)
{
    u_char  *p, *end, *last, *src, *dst;

    ngx_str_null(value);

    last = query->data + query->len;

    for (p = query->data; p < last; p = end + 1) {

        end = ngx_strlchr(p, last, '&');
        end = end ? end : last;

        if ((size_t) (end - p) <= name->len || p[name->len] != '='
            || ngx_strncasecmp(p, name->data, name->len) != 0)
        {
            continue;
        }

        src = p + name->len + 1;

        dst = ngx_pnalloc(pool, end - src + 1);
        if (dst == NULL) {
            return NGX_ERROR;
        }

        value->data = dst;
        ngx_unescape_uri(&dst, &src, end - src, 0);
        value->len = dst - value->data;

        return NGX_OK;
    }

    return NGX_OK;
}


/* Decimal numbers, written from the last digit on. */


u_char *
ngx_ors_decimal(u_char *last, uint64_t n)
{
    const u_char  *pair;

    while (n >= 100) {
        pair = &ngx_ors_decimal_pairs[2 * (n % 100)];
        n /= 100;

        *--last = pair[1];
        *--last = pair[0];
    }

    if (n >= 10) {
        pair = &ngx_ors_decimal_pairs[2 * n];

        *--last = pair[1];
        *--last = pair[0];

        return last;
    }

    *--last = (u_char) (n + '0');

    return last;
}


/*
 * Padding of a random length in random letters.
 */


void
ngx_ors_pad(ngx_ors_out_t *out, size_t len)
{
    u_char  buf[NGX_ORS_PAD_STEP];
    size_t  i, n;

    n = NGX_ORS_PAD_STEP - len % NGX_ORS_PAD_STEP;

    if (ngx_ors_random(buf, n, out->pool->log) != NGX_OK) {
        out->failed = 1;
        return;
    }

    for (i = 0; i < n; i++) {
        buf[i] = ngx_ors_pad_chars[buf[i] & 63];
    }

    ngx_ors_out_copy(out, buf, n);
}
