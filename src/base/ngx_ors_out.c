
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Blocks of output that are filled, handed out as a chain, and used again
 * after the chain is sent.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_decimal.h>
#include <ngx_ors_out.h>


/* a pool for blocks that are too large to be in it */
#define NGX_ORS_OUT_EXTRA  256


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
static ngx_int_t ngx_ors_out_extra(ngx_ors_out_t *out);
static void ngx_ors_out_extra_free(void *data);
static void ngx_ors_out_use_block(ngx_ors_out_t *out,
    ngx_ors_out_block_t *block);
static void ngx_ors_out_calm(ngx_ors_out_t *out);
static void ngx_ors_out_end_piece(ngx_ors_out_t *out);
static void ngx_ors_out_add_piece(ngx_ors_out_t *out, u_char *data,
    size_t len, ngx_ors_out_block_t *block);
static void ngx_ors_out_fail(ngx_ors_out_t *out);


#define ngx_ors_out_block_start(block)  ((u_char *) ((block) + 1))


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
        ngx_ors_out_calm(out);
    }
}


/* one block was enough this time, and all has been sent */

static void
ngx_ors_out_calm(ngx_ors_out_t *out)
{
    ngx_reset_pool(out->extra);

    out->bursts = 0;
    out->free = NULL;

    ngx_ors_out_use_block(out, out->first);
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
    size_t                size;
    ngx_ors_out_block_t  *block;

    size = sizeof(ngx_ors_out_block_t) + out->block_size;

    if (!out->brief || out->first == NULL) {
        block = ngx_palloc(out->pool, size);
        out->first = block;

        return block;
    }

    if (ngx_ors_out_extra(out) != NGX_OK) {
        return NULL;
    }

    out->bursts = 1;

    return ngx_palloc(out->extra, size);
}


static ngx_int_t
ngx_ors_out_extra(ngx_ors_out_t *out)
{
    ngx_pool_cleanup_t  *cln;

    if (out->extra) {
        return NGX_OK;
    }

    cln = ngx_pool_cleanup_add(out->pool, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    out->extra = ngx_create_pool(NGX_ORS_OUT_EXTRA, out->pool->log);
    if (out->extra == NULL) {
        return NGX_ERROR;
    }

    cln->handler = ngx_ors_out_extra_free;
    cln->data = out->extra;

    return NGX_OK;
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
