
/*
 * Random bytes from the operating system, fetched in blocks: the one source
 * for identifiers, seeds and padding.
 */


#ifndef _NGX_ORS_RANDOM_H_INCLUDED_
#define _NGX_ORS_RANDOM_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/* the most that one call gives */
#define NGX_ORS_RANDOM_MAX  256


/*
 * Fills "dst" with "len" bytes, at most NGX_ORS_RANDOM_MAX, fit for secrets. No
 * byte is used twice, by this process or by one forked from it, and none stays
 * in memory here afterwards.
 *
 * NGX_OK      filled
 * NGX_ERROR   the system gives no random bytes; logged as crit
 */
ngx_int_t ngx_ors_random(void *dst, size_t len, ngx_log_t *log);


#endif /* _NGX_ORS_RANDOM_H_INCLUDED_ */
