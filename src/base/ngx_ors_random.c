
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Blocks of random bytes from getrandom(), taken piece by piece, and never
 * shared over a fork.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <sys/random.h>
#include <ngx_ors_random.h>


/* a system call costs as much as some hundred bytes of a block */
#define NGX_ORS_RANDOM_BLOCK  1024


static ngx_int_t ngx_ors_random_fetch(ngx_log_t *log);


static u_char      ngx_ors_random_block[NGX_ORS_RANDOM_BLOCK];
static size_t      ngx_ors_random_left;     /* the last ones of the block */
static ngx_pid_t   ngx_ors_random_owner;


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
