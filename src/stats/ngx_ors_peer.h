
/*
 * The memory of failed targets, which all workers share: a target that has
 * failed is left out for a while.
 *
 * It is read and written without a lock: two workers may both try a target
 * again, or count two failures as one.
 */


#ifndef _NGX_ORS_PEER_H_INCLUDED_
#define _NGX_ORS_PEER_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_named.h>


typedef struct ngx_ors_peer_s  ngx_ors_peer_t;


/* in shared memory */

struct ngx_ors_peer_s {
    ngx_ors_named_t           named;
    ngx_atomic_t              fails;      /* one after the other */
    ngx_atomic_t              since;      /* s: the last one, or when it was */
                                          /* last tried in spite of them */
    ngx_atomic_t              total;      /* failures since the start */
};


/* of a configuration */

typedef struct {
    ngx_str_t                 server;
    ngx_str_t                 target;
    ngx_uint_t                max_fails;
    time_t                    fail_timeout;
    ngx_ors_peer_t           *peer;       /* NULL: nothing is remembered */
} ngx_ors_peer_conf_t;


/*
 * Finds the memory of "conf" in the list "peers", or makes it from "shpool",
 * and sets conf->peer; it is NULL if there is no more memory.
 */
void ngx_ors_peer_attach(ngx_ors_named_list_t *peers,
    ngx_ors_peer_conf_t *conf, ngx_slab_pool_t *shpool);

/*
 * 1 if the target has not failed too often of late; without "max_fails" that
 * is three times in ten seconds.
 */
ngx_uint_t ngx_ors_peer_up(ngx_ors_peer_conf_t *conf, time_t now);

/*
 * 1 if the target may be called: it is up, or "fail_timeout" is over and this
 * is the one request that tries it again.
 */
ngx_uint_t ngx_ors_peer_try(ngx_ors_peer_conf_t *conf, time_t now);

/*
 * Counts a failed call to the target; the second function forgets all failures,
 * as a call has succeeded.
 */
void ngx_ors_peer_failed(ngx_ors_peer_conf_t *conf, time_t now);
void ngx_ors_peer_worked(ngx_ors_peer_conf_t *conf);


#endif /* _NGX_ORS_PEER_H_INCLUDED_ */
