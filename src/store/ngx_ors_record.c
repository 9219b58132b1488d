
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The bytes of a record: written, read, and checked against its own lengths.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_record.h>


/*
 * The head, numbers with the least byte first, for stores that are shared by
 * machines:
 *
 *      0  "ORS" and the version
 *      4  status
 *      5  number of ancestors, 0, 0
 *      8  created, 8 bytes
 *     16  depth
 *     20  length of the input
 *     24  length of the response
 *     28  offset and
 *     32  length of the output in it
 *     36  ancestors, then the input, then the response
 */

#define NGX_ORS_RECORD_HEAD     36
#define NGX_ORS_RECORD_MAGIC    "ORS\2"


static void ngx_ors_record_reduce(ngx_ors_record_t *rec, ngx_uint_t parts);
static u_char *ngx_ors_record_text(u_char *p, ngx_str_t *text);
static u_char *ngx_ors_record_put(u_char *p, uint64_t n, ngx_uint_t len);
static uint64_t ngx_ors_record_get(u_char *p, ngx_uint_t len);


size_t
ngx_ors_record_size(ngx_ors_record_t *rec)
{
    return NGX_ORS_RECORD_HEAD + rec->nancestors * NGX_ORS_STORE_KEY
           + rec->input.len + rec->response.len;
}


u_char *
ngx_ors_record_head(ngx_ors_record_t *rec, u_char *p)
{
    p = ngx_cpymem(p, NGX_ORS_RECORD_MAGIC, 4);

    p = ngx_ors_record_put(p, rec->status, 1);
    p = ngx_ors_record_put(p, rec->nancestors, 3);
    p = ngx_ors_record_put(p, rec->created, 8);
    p = ngx_ors_record_put(p, rec->depth, 4);
    p = ngx_ors_record_put(p, rec->input.len, 4);
    p = ngx_ors_record_put(p, rec->response.len, 4);
    p = ngx_ors_record_put(p, rec->output, 4);
    p = ngx_ors_record_put(p, rec->output_len, 4);

    if (rec->nancestors == 0) {
        return p;
    }

    return ngx_cpymem(p, rec->ancestors, rec->nancestors * NGX_ORS_STORE_KEY);
}


ngx_int_t
ngx_ors_record_read(ngx_ors_record_t *rec, ngx_str_t *value)
{
    u_char    *p;
    uint64_t   len;

    p = value->data;

    if (value->len < NGX_ORS_RECORD_HEAD
        || ngx_memcmp(p, NGX_ORS_RECORD_MAGIC, 4) != 0)
    {
        return NGX_DECLINED;
    }

    rec->status = ngx_ors_record_get(p + 4, 1);
    rec->nancestors = ngx_ors_record_get(p + 5, 3);
    rec->created = ngx_ors_record_get(p + 8, 8);
    rec->depth = ngx_ors_record_get(p + 16, 4);
    rec->input.len = ngx_ors_record_get(p + 20, 4);
    rec->response.len = ngx_ors_record_get(p + 24, 4);
    rec->output = ngx_ors_record_get(p + 28, 4);
    rec->output_len = ngx_ors_record_get(p + 32, 4);

    len = (uint64_t) rec->nancestors * NGX_ORS_STORE_KEY + rec->input.len
          + rec->response.len;

    if (rec->status > ngx_ors_record_in_progress
        || rec->nancestors > NGX_ORS_RECORD_ANCESTORS
        || rec->nancestors > rec->depth
        || len != value->len - NGX_ORS_RECORD_HEAD
        || (uint64_t) rec->output + rec->output_len > rec->response.len)
    {
        return NGX_DECLINED;
    }

    rec->ancestors = p + NGX_ORS_RECORD_HEAD;
    rec->input.data = rec->ancestors + rec->nancestors * NGX_ORS_STORE_KEY;
    rec->response.data = rec->input.data + rec->input.len;

    return NGX_OK;
}


ngx_int_t
ngx_ors_record_copy(ngx_str_t *value, ngx_uint_t parts, size_t *left,
    ngx_pool_t *pool, ngx_str_t *copy)
{
    size_t             size, len;
    u_char            *p;
    ngx_ors_record_t   rec;

    size = value->len;
    len = value->len;

    /* a value that is no record has no parts: it is copied whole */

    if (parts && ngx_ors_record_read(&rec, value) != NGX_OK) {
        parts = 0;
    }

    if (parts) {
        ngx_ors_record_reduce(&rec, parts);

        size = rec.input.len + rec.response.len;
        len = ngx_ors_record_size(&rec);
    }

    if (size > *left) {
        return NGX_DECLINED;
    }

    /* NULL would say that nothing is there */

    copy->data = ngx_pnalloc(pool, len + 1);
    if (copy->data == NULL) {
        return NGX_ERROR;
    }

    copy->len = len;
    *left -= size;

    if (parts) {
        p = ngx_ors_record_head(&rec, copy->data);
        p = ngx_ors_record_text(p, &rec.input);
        p = ngx_ors_record_text(p, &rec.response);

    } else {
        p = ngx_ors_record_text(copy->data, value);
    }

    *p = '\0';

    return NGX_OK;
}


static void
ngx_ors_record_reduce(ngx_ors_record_t *rec, ngx_uint_t parts)
{
    if (!(parts & NGX_ORS_STORE_INPUT)) {
        rec->input.len = 0;
    }

    if (!(parts & NGX_ORS_STORE_OUTPUT)) {
        rec->output_len = 0;
    }

    rec->response.data += rec->output;
    rec->response.len = rec->output_len;
    rec->output = 0;
}


static u_char *
ngx_ors_record_text(u_char *p, ngx_str_t *text)
{
    return text->len ? ngx_cpymem(p, text->data, text->len) : p;
}


ngx_ors_store_status_e
ngx_ors_record_status(ngx_str_t *value)
{
    size_t  len;

    /* the version is the last byte of the magic */

    len = sizeof(NGX_ORS_RECORD_MAGIC) - 2;

    if (value->len > len
        && ngx_memcmp(value->data, NGX_ORS_RECORD_MAGIC, len) == 0
        && value->data[len] != NGX_ORS_RECORD_MAGIC[len])
    {
        return ngx_ors_store_version;
    }

    return ngx_ors_store_corrupt;
}


ngx_uint_t
ngx_ors_record_is(u_char *value, size_t len)
{
    return len >= NGX_ORS_RECORD_HEAD
           && ngx_memcmp(value, NGX_ORS_RECORD_MAGIC, 4) == 0;
}


ngx_uint_t
ngx_ors_record_inherit(ngx_ors_record_t *rec, u_char *name, u_char *names)
{
    ngx_uint_t  n;

    n = ngx_min(rec->nancestors, NGX_ORS_RECORD_ANCESTORS - 1);

    ngx_memcpy(names, name, NGX_ORS_STORE_KEY);

    if (n) {
        ngx_memcpy(names + NGX_ORS_STORE_KEY, rec->ancestors,
                   n * NGX_ORS_STORE_KEY);
    }

    return n + 1;
}


static u_char *
ngx_ors_record_put(u_char *p, uint64_t n, ngx_uint_t len)
{
    while (len--) {
        *p++ = (u_char) n;
        n >>= 8;
    }

    return p;
}


static uint64_t
ngx_ors_record_get(u_char *p, ngx_uint_t len)
{
    uint64_t  n;

    n = 0;

    while (len--) {
        n = (n << 8) | p[len];
    }

    return n;
}
