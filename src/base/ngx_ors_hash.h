
/*
 * The hash for tables in memory: SipHash-1-3.
 */


#ifndef _NGX_ORS_HASH_H_INCLUDED_
#define _NGX_ORS_HASH_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


typedef struct {
    uint64_t    k[2];
} ngx_ors_hash_key_t;


/*
 * Draws a random key.
 *
 * NGX_OK      "key" is set
 * NGX_ERROR   the system gives no random bytes; logged as crit
 */
ngx_int_t ngx_ors_hash_key(ngx_ors_hash_key_t *key, ngx_log_t *log);

/*
 * The hash of "len" bytes, all bits of which depend on all bits of "key" and
 * text: whoever does not know the key cannot make up texts that fall into
 * one slot, whatever bits the slot is taken from.
 */
uint64_t ngx_ors_hash(const ngx_ors_hash_key_t *key, u_char *data, size_t len);


#endif /* _NGX_ORS_HASH_H_INCLUDED_ */
