
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Identifiers of responses and of their items, in base 62.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_decimal.h>
#include <ngx_ors_id.h>
#include <ngx_ors_random.h>


static const u_char  ngx_ors_id_chars[] =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";


ngx_int_t
ngx_ors_id_init(ngx_ors_id_t *id, ngx_log_t *log)
{
    uint16_t     bits[NGX_ORS_ID_LEN];
    ngx_uint_t   i;

    if (ngx_ors_random(bits, sizeof(bits), log) != NGX_OK) {
        return NGX_ERROR;
    }

    for (i = 0; i < NGX_ORS_ID_LEN; i++) {
        id->text[i] = ngx_ors_id_chars[(uint32_t) bits[i] * 62 >> 16];
    }

    id->n = 0;

    return NGX_OK;
}


ngx_int_t
ngx_ors_id_make(ngx_ors_id_t *id, ngx_pool_t *pool, const char *prefix,
    ngx_str_t *str)
{
    size_t   len;
    u_char  *p, *digits, number[NGX_ORS_DECIMAL_LEN];

    len = ngx_min(ngx_strlen(prefix), NGX_ORS_ID_PREFIX_MAX);
    digits = number + sizeof(number);

    if (id->n) {
        digits = ngx_ors_decimal(digits, id->n);
    }

    str->len = len + 1 + NGX_ORS_ID_LEN + (number + sizeof(number) - digits);

    p = ngx_pnalloc(pool, str->len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    str->data = p;

    p = ngx_cpymem(p, prefix, len);
    *p++ = '_';
    p = ngx_cpymem(p, id->n ? id->token : id->text, NGX_ORS_ID_LEN);
    ngx_memcpy(p, digits, number + sizeof(number) - digits);

    id->n++;

    return NGX_OK;
}


ngx_int_t
ngx_ors_id_split(ngx_str_t *id, ngx_str_t *text, ngx_str_t *rest)
{
    u_char  *p, *last;

    last = id->data + id->len;
    p = ngx_strlchr(id->data, last, '_');

    if (p == NULL || (size_t) (last - (p + 1)) < NGX_ORS_ID_LEN) {
        return NGX_DECLINED;
    }

    text->data = p + 1;
    text->len = NGX_ORS_ID_LEN;

    rest->data = text->data + text->len;
    rest->len = last - rest->data;

    return NGX_OK;
}


void
ngx_ors_id_letters(u_char *dst, u_char *bytes)
{
    ngx_uint_t  i;

    for (i = 0; i < NGX_ORS_ID_LEN; i++) {
        dst[i] = ngx_ors_id_chars[(uint32_t) bytes[i] * 62 >> 8];
    }
}
