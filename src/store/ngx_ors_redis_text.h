
/*
 * Text in the dialog with a Redis server: keys and
 * their slots, errors, redirections.
 */


#ifndef _NGX_ORS_REDIS_TEXT_H_INCLUDED_
#define _NGX_ORS_REDIS_TEXT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <hiredis/hiredis.h>
#include <ngx_ors_store.h>


#define NGX_ORS_REDIS_SLOTS   16384

/* the longest prefix of keys, and what follows a key */
#define NGX_ORS_REDIS_PREFIX  64
#define NGX_ORS_REDIS_KEY     (3 + 4 * NGX_ORS_STORE_KEY)

/* an address in a redirection: a name is not followed */
#define NGX_ORS_REDIS_HOST    NGX_INET6_ADDRSTRLEN

/* of a text that is logged */
#define NGX_ORS_REDIS_REASON  160


typedef enum {
    ngx_ors_redis_moved = 0,
    ngx_ors_redis_ask,
    ngx_ors_redis_again,              /* keys are on their way */
    ngx_ors_redis_full,
    ngx_ors_redis_type,               /* holds another type */
    ngx_ors_redis_readonly,
    ngx_ors_redis_loading,            /* not ready, or not of the cluster */
    ngx_ors_redis_denied,
    ngx_ors_redis_other
} ngx_ors_redis_error_e;


typedef struct {
    ngx_uint_t                slot;
    ngx_str_t                 host;       /* empty: the host that says so */
    in_port_t                 port;
} ngx_ors_redis_redirect_t;


/* slots of a cluster that are on one node */

typedef struct {
    ngx_uint_t                first;
    ngx_uint_t                last;
    ngx_str_t                 host;       /* empty: as above */
    in_port_t                 port;
} ngx_ors_redis_range_t;


/*
 * Writes the key of an entry, NGX_ORS_REDIS_KEY bytes and the prefix: all
 * keys of a scope have their scope as hash tag and are in one slot, so that
 * they can be written together.  Returns the position after it.
 */
u_char *ngx_ors_redis_key(ngx_str_t *prefix, ngx_ors_store_key_t *key,
    u_char *p);

/* The slot in which all keys of a scope are. */
ngx_uint_t ngx_ors_redis_slot(ngx_ors_store_key_t *key);

/* Kind of the text of an error reply. */
ngx_ors_redis_error_e ngx_ors_redis_error(ngx_str_t *text);

/* How a job ends that met this error. */
ngx_ors_store_status_e ngx_ors_redis_status(ngx_ors_redis_error_e error);

/*
 * Reads the text of a MOVED or ASK; its host is borrowed from it.
 *
 * NGX_OK         done
 * NGX_DECLINED   it is not well-formed, or names a host that is no address
 */
ngx_int_t ngx_ors_redis_redirect(ngx_str_t *text,
    ngx_ors_redis_redirect_t *to);

/*
 * Reads an element of what CLUSTER SLOTS gives; the host is borrowed from it.
 *
 * NGX_OK         done
 * NGX_DECLINED   it is not well-formed
 */
ngx_int_t ngx_ors_redis_range_read(redisReply *reply,
    ngx_ors_redis_range_t *range);

/* 1 if it is an IPv4 or IPv6 address. */
ngx_uint_t ngx_ors_redis_numeric(ngx_str_t *host);

/*
 * Copies a text of the server, made fit for a log, cut if it is too long for
 * NGX_ORS_REDIS_REASON bytes.  Returns its length.
 */
size_t ngx_ors_redis_reason(u_char *dst, u_char *text, size_t len);

/*
 * How long to wait after so many attempts to connect that failed, 100 ms to
 * 10 s; "random" is any number.
 */
ngx_msec_t ngx_ors_redis_delay(ngx_uint_t failures, ngx_uint_t random);


#endif /* _NGX_ORS_REDIS_TEXT_H_INCLUDED_ */
