
/*
 * Copyright (C) Open Responses contributors
 */


/* What is known of tools and MCP servers, in memory that all workers share. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_callee.h>


/* of a key, beside its texts */
#define NGX_ORS_CALLEE_KEY  3


static u_char *ngx_ors_callee_key(u_char *p, ngx_ors_callee_conf_t *conf);


void
ngx_ors_callee_attach(ngx_ors_callee_t **callees, ngx_ors_callee_conf_t *conf,
    ngx_slab_pool_t *shpool)
{
    size_t             len, size;
    ngx_ors_callee_t  *callee, *made;

    len = conf->server.len + conf->name.len + conf->uri.len
          + NGX_ORS_CALLEE_KEY;
    size = offsetof(ngx_ors_callee_t, key) + len;

    /* allocated first: its key is compared */

    made = ngx_slab_alloc(shpool, size);
    conf->callee = made;

    if (made == NULL) {
        return;
    }

    ngx_memzero(made, size);
    made->used = 1;
    made->len = ngx_ors_callee_key(made->key, conf) - made->key;

    for (callee = *callees; callee; callee = callee->next) {

        if (callee->len == len && ngx_memcmp(callee->key, made->key, len) == 0)
        {
            ngx_slab_free(shpool, made);
            callee->used = 1;
            conf->callee = callee;
            return;
        }
    }

    made->next = *callees;
    *callees = made;
}


/* a server may have no name */

static u_char *
ngx_ors_callee_key(u_char *p, ngx_ors_callee_conf_t *conf)
{
    if (conf->server.len) {
        p = ngx_cpymem(p, conf->server.data, conf->server.len);
    }

    *p++ = '\0';
    *p++ = conf->mcp ? 'm' : 't';

    p = ngx_cpymem(p, conf->name.data, conf->name.len);
    *p++ = '\0';

    if (conf->uri.len) {
        p = ngx_cpymem(p, conf->uri.data, conf->uri.len);
    }

    return p;
}


void
ngx_ors_callee_begin(ngx_ors_callee_t *callees)
{
    ngx_ors_callee_t  *callee;

    for (callee = callees; callee; callee = callee->next) {
        callee->used = 0;
    }
}


ngx_ors_callee_t *
ngx_ors_callee_next(ngx_ors_callee_t *callee, ngx_ors_callee_conf_t *conf)
{
    u_char  *p, *last;

    while (callee && !callee->used) {
        callee = callee->next;
    }

    if (callee == NULL) {
        return NULL;
    }

    p = callee->key;
    last = p + callee->len;

    conf->callee = callee;
    conf->server.data = p;
    conf->server.len = ngx_strlen(p);

    p += conf->server.len + 1;

    conf->mcp = (*p++ == 'm');
    conf->name.data = p;
    conf->name.len = ngx_strlen(p);

    p += conf->name.len + 1;

    conf->uri.data = p;
    conf->uri.len = last - p;

    return callee;
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
