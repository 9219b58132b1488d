
/*
 * Copyright (C) Open Responses contributors
 */


/* Counting of requests and answers, and the place of the counters. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_stats_page.h>


/* the outcomes of a kind follow the counter of all of it */

#define NGX_ORS_STATS_REPAIRED  1
#define NGX_ORS_STATS_REFUSED   2
#define NGX_ORS_STATS_REPORTED  3


static void ngx_ors_stats_outcome(ngx_ors_stats_t *stats, ngx_uint_t kind,
    ngx_ors_error_t *err, ngx_uint_t repaired, ngx_uint_t report);


void
ngx_ors_stats_request(ngx_ors_stats_t *stats, ngx_ors_error_t *err,
    ngx_uint_t repaired, ngx_uint_t report)
{
    ngx_ors_stats_outcome(stats, ngx_ors_stats_request_checked, err,
                          repaired, report);
}


void
ngx_ors_stats_answer(ngx_ors_stats_t *stats, ngx_ors_stats_answer_t *answer)
{
    if (answer->upstream) {
        ngx_ors_stats_count(stats, ngx_ors_stats_upstream_error);
        return;
    }

    ngx_ors_stats_outcome(stats, answer->stream ? ngx_ors_stats_stream_checked
                                                : ngx_ors_stats_answer_checked,
                          answer->error, answer->repaired, answer->report);
}


static void
ngx_ors_stats_outcome(ngx_ors_stats_t *stats, ngx_uint_t kind,
    ngx_ors_error_t *err, ngx_uint_t repaired, ngx_uint_t report)
{
    ngx_ors_stats_count(stats, kind);

    if (err->status) {
        ngx_ors_stats_count(stats, kind + (report ? NGX_ORS_STATS_REPORTED
                                                  : NGX_ORS_STATS_REFUSED));
        ngx_ors_stats_code(stats, &err->code, report);

    } else if (repaired && report) {
        ngx_ors_stats_count(stats, ngx_ors_stats_request_unrepaired
                                   + kind / NGX_ORS_STATS_OUTCOMES);

    } else if (repaired) {
        ngx_ors_stats_count(stats, kind + NGX_ORS_STATS_REPAIRED);
    }
}


ngx_int_t
ngx_ors_stats_zone(ngx_shm_zone_t *zone, void *data)
{
    ngx_ors_stats_t  *stats;
    ngx_slab_pool_t  *shpool;

    static u_char  context[] = " in the zone \"open_responses\"";

    shpool = (ngx_slab_pool_t *) zone->shm.addr;
    stats = data ? data : (zone->shm.exists ? shpool->data : NULL);

    if (stats && ngx_ors_stats_usable(stats)) {
        zone->data = stats;
        return NGX_OK;
    }

    shpool->log_ctx = context;

    /* workers of the previous configuration may still count in the old one */

    stats = ngx_slab_alloc(shpool, sizeof(ngx_ors_stats_t));
    if (stats == NULL) {
        return NGX_ERROR;
    }

    ngx_ors_stats_init(stats, ngx_time());

    shpool->data = stats;
    zone->data = stats;

    return NGX_OK;
}
