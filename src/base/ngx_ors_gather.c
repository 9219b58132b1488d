
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A document gathered in one block of memory that grows up to a limit.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_gather.h>


static ngx_int_t ngx_ors_gather_copy(ngx_buf_t *g, ngx_buf_t *b, size_t size,
    ngx_pool_t *pool);


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
    size_t  size;

    size = b->last - b->pos;

    if (size > max - (g->last - g->pos)) {
        return NGX_DECLINED;
    }

    return ngx_ors_gather_copy(g, b, size, pool);
}


ngx_int_t
ngx_ors_gather_head(ngx_buf_t *g, ngx_buf_t *b, size_t max, ngx_pool_t *pool)
{
    size_t     size, room;
    ngx_int_t  rc;

    size = b->last - b->pos;
    room = max - (g->last - g->pos);

    rc = ngx_ors_gather_copy(g, b, ngx_min(size, room), pool);

    b->pos = b->last;

    return rc;
}


static ngx_int_t
ngx_ors_gather_copy(ngx_buf_t *g, ngx_buf_t *b, size_t size, ngx_pool_t *pool)
{
    size_t  used;

    if (size == 0) {
        return NGX_OK;
    }

    used = g->last - g->pos;

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
