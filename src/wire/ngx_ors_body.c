
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The body of a request as one piece of memory.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_body.h>


static ngx_int_t ngx_ors_body_join(ngx_chain_t *bufs, ngx_uint_t room);
static u_char *ngx_ors_body_copy(ngx_buf_t *b, u_char *p, ngx_log_t *log);


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
