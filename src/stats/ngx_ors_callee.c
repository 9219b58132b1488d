
/*
 * Copyright (C) Open Responses contributors
 */


/* Facts about tools and MCP servers, in memory that all workers share. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_callee.h>


/* server, kind, name, URI */
#define NGX_ORS_CALLEE_NAMES  4


void
ngx_ors_callee_attach(ngx_ors_named_list_t *callees,
    ngx_ors_callee_conf_t *conf, ngx_slab_pool_t *shpool)
{
    ngx_str_t  names[NGX_ORS_CALLEE_NAMES];

    names[0] = conf->server;
    ngx_str_set(&names[1], "t");
    names[2] = conf->name;
    names[3] = conf->uri;

    if (conf->mcp) {
        ngx_str_set(&names[1], "m");
    }

    conf->callee = ngx_ors_named_entry(callees, sizeof(ngx_ors_callee_t),
                                       names, NGX_ORS_CALLEE_NAMES, shpool);
}


ngx_ors_callee_t *
ngx_ors_callee_next(ngx_ors_named_list_t *callees, ngx_ors_callee_conf_t *conf)
{
    ngx_str_t         names[NGX_ORS_CALLEE_NAMES];
    ngx_ors_named_t  *entry;

    entry = conf->callee ? conf->callee->named.next : callees->first;

    conf->callee = (ngx_ors_callee_t *) entry;

    if (entry == NULL) {
        return NULL;
    }

    ngx_ors_named_split(entry, names, NGX_ORS_CALLEE_NAMES);

    conf->server = names[0];
    conf->mcp = (names[1].data[0] == 'm');
    conf->name = names[2];
    conf->uri = names[3];

    return conf->callee;
}


void
ngx_ors_callee_ended(ngx_ors_callee_conf_t *conf, ngx_ors_callee_end_e end,
    ngx_msec_t time)
{
    if (conf->callee == NULL) {
        return;
    }

    (void) ngx_atomic_fetch_add(&conf->callee->ends[end], 1);

    if (end != ngx_ors_callee_canceled) {
        ngx_ors_metrics_observe(&conf->callee->times,
                                ngx_ors_metrics_durations,
                                (uint64_t) time * 1000000);
    }
}


void
ngx_ors_callee_dropped(ngx_ors_callee_conf_t *conf, ngx_uint_t n)
{
    if (conf->callee) {
        (void) ngx_atomic_fetch_add(&conf->callee->dropped, n);
    }
}


ngx_uint_t
ngx_ors_callee_era(ngx_ors_callee_conf_t *conf)
{
    return conf->callee ? conf->callee->era : 0;
}


void
ngx_ors_callee_learned(ngx_ors_callee_conf_t *conf, ngx_uint_t era)
{
    if (conf->callee && conf->callee->era != era) {
        conf->callee->era = era;
    }
}
