
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Identifiers of responses and of their items, in base 62.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_text.h>
#include <ngx_ors_id.h>
#include <sys/random.h>


/* a system call costs as much as some hundred bytes of a block */
#define NGX_ORS_RANDOM_BLOCK  1024


static ngx_int_t ngx_ors_random_fetch(ngx_log_t *log);


static const u_char  ngx_ors_id_chars[] =
    "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";


static u_char      ngx_ors_random_block[NGX_ORS_RANDOM_BLOCK];
static size_t      ngx_ors_random_left;     /* the last ones of the block */
static ngx_pid_t   ngx_ors_random_owner;


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


/*
 * Blocks of random bytes from getrandom(), taken piece by piece, and never
 * shared over a fork.
 */


ngx_int_t
ngx_ors_random(void *dst, size_t len, ngx_log_t *log)
{
    u_char  *p;

    /* a forked process has a copy of its parent's block */

    if (ngx_ors_random_left < len || ngx_ors_random_owner != ngx_pid) {
        if (ngx_ors_random_fetch(log) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    p = ngx_ors_random_block + NGX_ORS_RANDOM_BLOCK - ngx_ors_random_left;

    ngx_memcpy(dst, p, len);
    ngx_memzero(p, len);

    ngx_ors_random_left -= len;

    return NGX_OK;
}


static ngx_int_t
ngx_ors_random_fetch(ngx_log_t *log)
{
    size_t   len;
    ssize_t  n;

    ngx_ors_random_left = 0;

    /* more than 256 bytes may come in pieces, when a signal does */

    for (len = 0; len < NGX_ORS_RANDOM_BLOCK; len += n) {
        n = getrandom(ngx_ors_random_block + len, NGX_ORS_RANDOM_BLOCK - len,
                      0);

        if (n == -1) {

            if (ngx_errno == NGX_EINTR) {
                n = 0;
                continue;
            }

            ngx_log_error(NGX_LOG_CRIT, log, ngx_errno, "getrandom() failed");
            return NGX_ERROR;
        }
    }

    ngx_ors_random_left = NGX_ORS_RANDOM_BLOCK;
    ngx_ors_random_owner = ngx_pid;

    return NGX_OK;
}
