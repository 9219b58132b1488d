
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The servers of a cluster, and which of them has which slot.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_redis.h>
#include <ngx_ors_names.h>


/* bytes of a reply, if no record may be larger, and of what is around it */
#define NGX_ORS_REDIS_REPLY        (16 * 1024 * 1024)
#define NGX_ORS_REDIS_REPLY_SPARE  65536

/* ms between two looks at all slots */
#define NGX_ORS_REDIS_REFRESH  1000


/* a link to one address, with its texts */

typedef struct {
    ngx_ors_redis_link_t      link;
    ngx_ors_redis_addr_t      addr;
    u_char                    host[NGX_ORS_REDIS_HOST];
    u_char                    text[NGX_ORS_REDIS_HOST + sizeof(":65535")];
} ngx_ors_redis_node_t;


static void ngx_ors_redis_link_add(ngx_ors_redis_t *redis,
    ngx_ors_redis_link_t *link);
static ngx_ors_redis_link_t *ngx_ors_redis_any(ngx_ors_redis_t *redis);
static ngx_ors_redis_link_t *ngx_ors_redis_known(ngx_ors_redis_t *redis,
    ngx_str_t *host, in_port_t port);
static ngx_ors_redis_link_t *ngx_ors_redis_node(ngx_ors_redis_t *redis,
    ngx_str_t *host, in_port_t port);
static ngx_ors_redis_node_t *ngx_ors_redis_node_create(
    ngx_ors_redis_t *redis);
static ngx_int_t ngx_ors_redis_slots(ngx_ors_redis_t *redis);
static void ngx_ors_redis_refreshed(redisAsyncContext *context, void *reply,
    void *data);
static void ngx_ors_redis_range(ngx_ors_redis_t *redis,
    ngx_ors_redis_link_t *from, redisReply *range);
static void ngx_ors_redis_retire(ngx_ors_redis_t *redis);


ngx_int_t
ngx_ors_redis_seed(ngx_ors_redis_t *redis)
{
    redis->seed = ngx_calloc(sizeof(ngx_ors_redis_link_t), redis->log);
    if (redis->seed == NULL) {
        return NGX_ERROR;
    }

    redis->seed->addresses = redis->conf->addresses.elts;
    redis->seed->naddresses = redis->conf->addresses.nelts;

    ngx_ors_redis_link_add(redis, redis->seed);

    return NGX_OK;
}


static void
ngx_ors_redis_link_add(ngx_ors_redis_t *redis, ngx_ors_redis_link_t *link)
{
    link->login = &redis->conf->login;
    link->timeout = redis->store->timeout;
    link->name = &redis->store->name;
    link->log = redis->log;
    link->limit = ngx_max(redis->store->record, NGX_ORS_REDIS_REPLY)
                  + NGX_ORS_REDIS_REPLY_SPARE;
    link->handler = ngx_ors_redis_link_event;

    ngx_ors_redis_link_init(link);

    redis->links[redis->nlinks++] = link;
}


ngx_ors_redis_link_t *
ngx_ors_redis_route(ngx_ors_redis_t *redis, ngx_ors_store_key_t *key)
{
    ngx_ors_redis_link_t  *link, *other;

    if (redis->slots == NULL) {
        return redis->seed;
    }

    link = redis->slots[ngx_ors_redis_slot(key)];

    if (link && ngx_ors_redis_link_usable(link)) {
        return link;
    }

    /* its node is gone: any other one knows who has its slots now */

    other = ngx_ors_redis_any(redis);

    return other ? other : link ? link : redis->seed;
}


/* the seed, if it may be used, or else a link that is up, or NULL */

static ngx_ors_redis_link_t *
ngx_ors_redis_any(ngx_ors_redis_t *redis)
{
    ngx_uint_t  i;

    if (ngx_ors_redis_link_usable(redis->seed)) {
        return redis->seed;
    }

    for (i = 1; i < redis->nlinks; i++) {

        if (redis->links[i]->state == ngx_ors_redis_link_up) {
            return redis->links[i];
        }
    }

    return NULL;
}


ngx_ors_redis_link_t *
ngx_ors_redis_follow(ngx_ors_redis_t *redis, ngx_ors_redis_link_t *from,
    ngx_str_t *text, ngx_uint_t moved)
{
    ngx_ors_redis_addr_t      *addr;
    ngx_ors_redis_link_t      *link;
    ngx_ors_redis_redirect_t   to;

    if (ngx_ors_redis_redirect(text, &to) != NGX_OK) {
        return NULL;
    }

    if (to.host.len == 0) {
        addr = &from->addresses[from->address];

        if (addr->port == 0) {
            return NULL;
        }

        to.host = addr->host;
    }

    link = ngx_ors_redis_known(redis, &to.host, to.port);

    if (link == NULL || !moved) {
        return link;
    }

    if (ngx_ors_redis_slots(redis) != NGX_OK) {
        return NULL;
    }

    redis->slots[to.slot] = link;

    (void) ngx_ors_redis_learn(redis);

    return link;
}


/*
 * The link to an address, or NULL.  The password is sent to configured
 * servers only: a redirection must not lead it to another one
 */

static ngx_ors_redis_link_t *
ngx_ors_redis_known(ngx_ors_redis_t *redis, ngx_str_t *host, in_port_t port)
{
    ngx_uint_t             i;
    ngx_ors_redis_addr_t  *addr;

    for (i = 0; i < redis->nlinks; i++) {
        addr = &redis->links[i]->addresses[redis->links[i]->address];

        if (addr->port == port && ngx_ors_same(&addr->host, host)) {
            return redis->links[i];
        }
    }

    return NULL;
}


/* the same, a new one if there is none */

static ngx_ors_redis_link_t *
ngx_ors_redis_node(ngx_ors_redis_t *redis, ngx_str_t *host, in_port_t port)
{
    ngx_ors_redis_link_t  *link;
    ngx_ors_redis_node_t  *node;

    link = ngx_ors_redis_known(redis, host, port);
    if (link) {
        return link;
    }

    node = ngx_ors_redis_node_create(redis);
    if (node == NULL) {
        return NULL;
    }

    ngx_cpystrn(node->host, host->data, host->len + 1);

    node->addr.host.data = node->host;
    node->addr.host.len = host->len;
    node->addr.port = port;
    node->addr.text.data = node->text;
    node->addr.text.len = ngx_sprintf(node->text, "%V:%d", host, (int) port)
                          - node->text;

    return &node->link;
}


/* nodes come and go: the place of one that has gone is used again */

static ngx_ors_redis_node_t *
ngx_ors_redis_node_create(ngx_ors_redis_t *redis)
{
    ngx_uint_t             i;
    ngx_ors_redis_link_t  *link;
    ngx_ors_redis_node_t  *node;

    if (redis->nlinks <= NGX_ORS_REDIS_LINKS) {

        node = ngx_calloc(sizeof(ngx_ors_redis_node_t), redis->log);
        if (node == NULL) {
            return NULL;
        }

        node->link.addresses = &node->addr;
        node->link.naddresses = 1;

        ngx_ors_redis_link_add(redis, &node->link);

        return node;
    }

    for (i = 1; i < redis->nlinks; i++) {
        link = redis->links[i];

        if (!link->used && link->state == ngx_ors_redis_link_closed) {
            return (ngx_ors_redis_node_t *) link;
        }
    }

    ngx_log_error(NGX_LOG_ERR, redis->log, 0,
                  "store \"%V\": the cluster of redis has more than %d nodes",
                  &redis->store->name, NGX_ORS_REDIS_LINKS);

    return NULL;
}


static ngx_int_t
ngx_ors_redis_slots(ngx_ors_redis_t *redis)
{
    if (redis->slots == NULL) {
        redis->slots = ngx_calloc(NGX_ORS_REDIS_SLOTS
                                  * sizeof(ngx_ors_redis_link_t *),
                                  redis->log);
        if (redis->slots == NULL) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* one slot has moved: others may have */

ngx_uint_t
ngx_ors_redis_learn(ngx_ors_redis_t *redis)
{
    ngx_str_t              args[2];
    ngx_ors_redis_link_t  *link;

    if (redis->refreshing) {
        return 1;
    }

    if (redis->refreshed
        && ngx_current_msec - redis->refreshed < NGX_ORS_REDIS_REFRESH)
    {
        return 0;
    }

    link = redis->seed;

    if (link->state != ngx_ors_redis_link_up) {

        if (!ngx_ors_redis_link_usable(link)) {
            return 0;
        }

        ngx_ors_redis_link_open(link);

        return 1;
    }

    if (ngx_ors_redis_slots(redis) != NGX_OK) {
        return 0;
    }

    ngx_str_set(&args[0], "CLUSTER");
    ngx_str_set(&args[1], "SLOTS");

    redis->refreshing = 1;

    if (ngx_ors_redis_link_write(link, ngx_ors_redis_refreshed, redis, 2,
                                 args)
        != NGX_OK)
    {
        redis->refreshing = 0;
    }

    return redis->refreshing;
}


static void
ngx_ors_redis_refreshed(redisAsyncContext *context, void *reply, void *data)
{
    size_t            i;
    redisReply       *r = reply;
    ngx_ors_redis_t  *redis = data;

    redis->refreshing = 0;

    /* commands may wait for it */

    if (redis->timer.timer_set) {
        ngx_add_timer(&redis->timer, 1);
    }

    if (r == NULL) {
        return;
    }

    redis->refreshed = ngx_current_msec;

    if (r->type != REDIS_REPLY_ARRAY || r->elements == 0) {
        return;
    }

    for (i = 0; i < redis->nlinks; i++) {
        redis->links[i]->used = 0;
    }

    ngx_memzero(redis->slots, NGX_ORS_REDIS_SLOTS
                              * sizeof(ngx_ors_redis_link_t *));

    for (i = 0; i < r->elements; i++) {
        ngx_ors_redis_range(redis, context->ev.data, r->element[i]);
    }

    ngx_ors_redis_retire(redis);
}


/* [first, last, [host, port, ...] of the master, ...] */

static void
ngx_ors_redis_range(ngx_ors_redis_t *redis, ngx_ors_redis_link_t *from,
    redisReply *range)
{
    ngx_str_t                  host;
    ngx_uint_t                 slot;
    ngx_ors_redis_link_t      *link;
    ngx_ors_redis_range_t      r;

    if (ngx_ors_redis_range_read(range, &r) != NGX_OK) {
        return;
    }

    host = r.host;

    if (host.len == 0) {
        host = from->addresses[from->address].host;
    }

    if (!ngx_ors_redis_numeric(&host)) {
        return;
    }

    link = ngx_ors_redis_node(redis, &host, r.port);
    if (link == NULL) {
        return;
    }

    link->used = 1;

    for (slot = r.first; slot <= r.last; slot++) {
        redis->slots[slot] = link;
    }
}


/* a node without slots is not connected to any more */

static void
ngx_ors_redis_retire(ngx_ors_redis_t *redis)
{
    ngx_uint_t             i;
    ngx_ors_redis_link_t  *link;

    for (i = 1; i < redis->nlinks; i++) {
        link = redis->links[i];

        if (!link->used && !link->busy
            && ngx_queue_empty(&link->waiting)
            && (link->context == NULL
                || link->context->replies.head == NULL))
        {
            ngx_ors_redis_link_close(link);
        }
    }
}


void
ngx_ors_redis_close(ngx_ors_redis_t *redis)
{
    ngx_uint_t  i;

    for (i = 0; i < redis->nlinks; i++) {
        ngx_ors_redis_link_close(redis->links[i]);
        ngx_free(redis->links[i]);
    }

    if (redis->slots) {
        ngx_free(redis->slots);
    }
}


ngx_uint_t
ngx_ors_redis_down(ngx_ors_store_t *store)
{
    return ngx_ors_redis_any(store->state) == NULL;
}
