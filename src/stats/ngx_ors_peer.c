
/*
 * Copyright (C) Open Responses contributors
 */


/* Which targets have failed of late, in memory that all workers share. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_peer.h>


/* defaults where max_fails=0 only reports, s */
#define NGX_ORS_PEER_FAILS    3
#define NGX_ORS_PEER_TIMEOUT  10


static ngx_uint_t ngx_ors_peer_late(ngx_ors_peer_conf_t *conf, time_t now);


void
ngx_ors_peer_attach(ngx_ors_named_list_t *peers, ngx_ors_peer_conf_t *conf,
    ngx_slab_pool_t *shpool)
{
    ngx_str_t  names[2];

    names[0] = conf->server;
    names[1] = conf->target;

    conf->peer = ngx_ors_named_entry(peers, sizeof(ngx_ors_peer_t), names, 2,
                                     shpool);
}


ngx_uint_t
ngx_ors_peer_up(ngx_ors_peer_conf_t *conf, time_t now)
{
    ngx_ors_peer_conf_t  usual;

    if (conf->peer == NULL) {
        return 1;
    }

    usual = *conf;

    if (usual.max_fails == 0) {
        usual.max_fails = NGX_ORS_PEER_FAILS;
        usual.fail_timeout = NGX_ORS_PEER_TIMEOUT;
    }

    return usual.peer->fails < usual.max_fails
           || ngx_ors_peer_late(&usual, now);
}


ngx_uint_t
ngx_ors_peer_try(ngx_ors_peer_conf_t *conf, time_t now)
{
    ngx_ors_peer_t     *peer;
    ngx_atomic_uint_t   since;

    peer = conf->peer;

    if (peer == NULL || conf->max_fails == 0
        || peer->fails < conf->max_fails)
    {
        return 1;
    }

    since = peer->since;

    return ngx_ors_peer_late(conf, now)
           && ngx_atomic_cmp_set(&peer->since, since, (ngx_atomic_uint_t) now);
}


/* a clock may be set back: that is long enough */

static ngx_uint_t
ngx_ors_peer_late(ngx_ors_peer_conf_t *conf, time_t now)
{
    time_t  since;

    since = (time_t) conf->peer->since;

    return now < since || now - since >= conf->fail_timeout;
}


void
ngx_ors_peer_failed(ngx_ors_peer_conf_t *conf, time_t now)
{
    ngx_ors_peer_t  *peer;

    peer = conf->peer;

    if (peer == NULL) {
        return;
    }

    (void) ngx_atomic_fetch_add(&peer->total, 1);

    /*
     * old failures do not count, except those that have made the target be left
     * out
     */

    if (peer->fails < conf->max_fails && ngx_ors_peer_late(conf, now)) {
        peer->fails = 0;
    }

    (void) ngx_atomic_fetch_add(&peer->fails, 1);

    peer->since = now;
}


void
ngx_ors_peer_worked(ngx_ors_peer_conf_t *conf)
{
    if (conf->peer && conf->peer->fails) {
        conf->peer->fails = 0;
    }
}
