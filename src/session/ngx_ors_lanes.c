
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Lanes: the order of their turns, and the cache of their newest responses.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_lanes.h>
#include <ngx_ors_names.h>


static void ngx_ors_lanes_cleanup(void *data);
static ngx_uint_t ngx_ors_lanes_index(ngx_ors_lanes_t *lanes,
    ngx_str_t *name);
static ngx_ors_lane_t *ngx_ors_lanes_end(ngx_ors_lanes_t *lanes,
    ngx_ors_client_event_t *ev);
static void ngx_ors_lanes_forget(ngx_ors_lanes_t *lanes,
    ngx_ors_lane_cache_t *cache);


ngx_int_t
ngx_ors_lanes_init(ngx_ors_lanes_t *lanes, ngx_uint_t queue,
    ngx_pool_t *pool)
{
    ngx_pool_cleanup_t  *cln;

    ngx_memzero(lanes, sizeof(ngx_ors_lanes_t));

    cln = ngx_pool_cleanup_add(pool, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    cln->handler = ngx_ors_lanes_cleanup;
    cln->data = lanes;

    ngx_queue_init(&lanes->waiting);

    lanes->n = 1;
    lanes->queue = queue;
    lanes->pool = pool;

    return NGX_OK;
}


static void
ngx_ors_lanes_cleanup(void *data)
{
    ngx_ors_lanes_t *lanes = data;

    ngx_uint_t  i;

    for (i = 0; i < lanes->n; i++) {
        ngx_ors_lanes_forget(lanes, &lanes->lanes[i].cache);
    }
}


ngx_int_t
ngx_ors_lanes_add(ngx_ors_lanes_t *lanes, ngx_ors_client_event_t *ev)
{
    ngx_uint_t  i;

    if (lanes->over) {
        ngx_ors_lanes_over(&ev->error, ev->pool);
        return NGX_DECLINED;
    }

    if (lanes->nwaiting >= lanes->queue) {
        return ngx_ors_error_set(&ev->error, ev->pool,
                                 ngx_ors_code_rate_limit_exceeded,
                                 "too many responses wait on this "
                                 "connection");
    }

    i = ngx_ors_lanes_index(lanes, &ev->lane);

    if (i == lanes->n) {

        if (lanes->n > NGX_ORS_LANES_MAX) {
            (void) ngx_ors_error_set(&ev->error, ev->pool,
                                   ngx_ors_code_websocket_stream_limit_reached,
                                   "this connection has had %d streams, "
                                   "which is the most there may be",
                                   NGX_ORS_LANES_MAX);
            ngx_str_set(&ev->error.param, "stream_id");

            return NGX_DECLINED;
        }

        lanes->lanes[i].name.len = ev->lane.len;
        lanes->lanes[i].name.data = ngx_pstrdup(lanes->pool, &ev->lane);

        if (lanes->lanes[i].name.data == NULL) {
            return NGX_ERROR;
        }

        lanes->n++;
    }

    if (lanes->nwaiting || lanes->lanes[i].running
        || lanes->running >= NGX_ORS_LANES_RUNNING)
    {
        ngx_ors_client_event_forget(ev);
    }

    ngx_queue_insert_tail(&lanes->waiting, &ev->queue);
    lanes->nwaiting++;

    return NGX_OK;
}


void
ngx_ors_lanes_over(ngx_ors_error_t *err, ngx_pool_t *pool)
{
    (void) ngx_ors_error_set(err, pool,
                             ngx_ors_code_websocket_connection_limit_reached,
                             "this connection has reached its life time, make "
                             "a new one to go on");
}


/* that of the next new lane, if none has the name */

static ngx_uint_t
ngx_ors_lanes_index(ngx_ors_lanes_t *lanes, ngx_str_t *name)
{
    ngx_uint_t  i;

    for (i = 0; i < lanes->n; i++) {
        if (ngx_ors_same(&lanes->lanes[i].name, name)) {
            break;
        }
    }

    return i;
}


ngx_ors_client_event_t *
ngx_ors_lanes_next(ngx_ors_lanes_t *lanes)
{
    ngx_queue_t             *q;
    ngx_ors_lane_t          *lane;
    ngx_ors_client_event_t  *ev;

    if (lanes->running >= NGX_ORS_LANES_RUNNING) {
        return NULL;
    }

    for (q = ngx_queue_head(&lanes->waiting);
         q != ngx_queue_sentinel(&lanes->waiting);
         q = ngx_queue_next(q))
    {
        ev = ngx_queue_data(q, ngx_ors_client_event_t, queue);
        lane = &lanes->lanes[ngx_ors_lanes_index(lanes, &ev->lane)];

        if (lane->running) {
            continue;
        }

        ngx_queue_remove(q);
        lanes->nwaiting--;

        lane->running = ev;
        lanes->running++;

        return ev;
    }

    return NULL;
}


ngx_ors_lane_cache_t *
ngx_ors_lanes_find(ngx_ors_lanes_t *lanes, ngx_str_t *id)
{
    ngx_uint_t  i;

    if (id->len == 0) {
        return NULL;
    }

    for (i = 0; i < lanes->n; i++) {
        if (ngx_ors_same(&lanes->lanes[i].cache.id, id)) {
            return &lanes->lanes[i].cache;
        }
    }

    return NULL;
}


ngx_int_t
ngx_ors_lanes_done(ngx_ors_lanes_t *lanes, ngx_ors_client_event_t *ev,
    ngx_str_t *id, ngx_str_t *items, ngx_uint_t nitems)
{
    u_char                *p;
    ngx_ors_lane_t        *lane;
    ngx_ors_lane_cache_t  *cache;

    lane = ngx_ors_lanes_end(lanes, ev);

    ngx_ors_lanes_forget(lanes, &lane->cache);

    if (items == NULL) {
        return NGX_OK;
    }

    p = ngx_alloc(id->len + items->len, lanes->pool->log);
    if (p == NULL) {
        return NGX_ERROR;
    }

    cache = &lane->cache;

    cache->data = p;
    cache->id.data = p;
    cache->id.len = id->len;

    p = ngx_cpymem(p, id->data, id->len);

    cache->items.data = p;
    cache->items.len = items->len;
    cache->nitems = nitems;

    lanes->size += id->len + items->len;

    if (items->len) {
        ngx_memcpy(p, items->data, items->len);
    }

    return NGX_OK;
}


void
ngx_ors_lanes_failed(ngx_ors_lanes_t *lanes, ngx_ors_client_event_t *ev)
{
    ngx_ors_lane_t  *lane;

    lane = ngx_ors_lanes_end(lanes, ev);

    if (ev->previous.len
        && ngx_ors_same(&lane->cache.id, &ev->previous))
    {
        ngx_ors_lanes_forget(lanes, &lane->cache);
    }
}


static ngx_ors_lane_t *
ngx_ors_lanes_end(ngx_ors_lanes_t *lanes, ngx_ors_client_event_t *ev)
{
    ngx_ors_lane_t  *lane;

    lane = &lanes->lanes[ngx_ors_lanes_index(lanes, &ev->lane)];

    lane->running = NULL;
    lanes->running--;
    lanes->held -= ev->held;

    return lane;
}


void
ngx_ors_lanes_drop(ngx_ors_lanes_t *lanes, ngx_str_t *id)
{
    ngx_ors_lane_cache_t  *cache;

    while ((cache = ngx_ors_lanes_find(lanes, id)) != NULL) {
        ngx_ors_lanes_forget(lanes, cache);
    }
}


static void
ngx_ors_lanes_forget(ngx_ors_lanes_t *lanes, ngx_ors_lane_cache_t *cache)
{
    if (cache->data) {
        lanes->size -= cache->id.len + cache->items.len;
        ngx_free(cache->data);
    }

    ngx_memzero(cache, sizeof(ngx_ors_lane_cache_t));
}
