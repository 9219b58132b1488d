
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Servers in chains by key, and in one queue, and one for each of some origins,
 * by their last use.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_mcp_server.h>


#define NGX_ORS_MCP_SPREAD  2654435761u


static ngx_ors_mcp_server_t *ngx_ors_mcp_server_find(ngx_queue_t *chain,
    u_char *key);
static ngx_queue_t *ngx_ors_mcp_servers_of(ngx_ors_mcp_servers_t *servers,
    uint32_t origin);
static ngx_uint_t ngx_ors_mcp_servers_crowded(ngx_ors_mcp_servers_t *servers,
    uint32_t origin);
static void ngx_ors_mcp_servers_evict(ngx_ors_mcp_servers_t *servers,
    ngx_uint_t max);
static void ngx_ors_mcp_server_drop(ngx_ors_mcp_server_t *server);


void
ngx_ors_mcp_servers_init(ngx_ors_mcp_servers_t *servers, ngx_uint_t max,
    ngx_uint_t share, ngx_msec_t stale, ngx_log_t *log)
{
    ngx_uint_t  i;

    servers->n = 0;
    servers->max = max;
    servers->share = share;
    servers->ended = NULL;
    servers->data = NULL;
    servers->stale = stale;
    servers->log = log;

    ngx_queue_init(&servers->used);

    for (i = 0; i < NGX_ORS_MCP_CHAINS; i++) {
        ngx_queue_init(&servers->chains[i]);
        ngx_queue_init(&servers->origins[i]);
    }
}


void
ngx_ors_mcp_servers_clear(ngx_ors_mcp_servers_t *servers)
{
    ngx_ors_mcp_servers_evict(servers, 0);
}


ngx_ors_mcp_server_t *
ngx_ors_mcp_server_get(ngx_ors_mcp_servers_t *servers, u_char *key,
    uint32_t origin)
{
    ngx_uint_t             max;
    ngx_queue_t           *chain;
    ngx_ors_mcp_server_t  *server;

    max = servers->max;
    chain = &servers->chains[key[0] % NGX_ORS_MCP_CHAINS];
    server = ngx_ors_mcp_server_find(chain, key);

    if (server) {
        ngx_queue_remove(&server->used);
        ngx_queue_remove(&server->mine);

    } else {
        server = ngx_calloc(sizeof(ngx_ors_mcp_server_t), servers->log);
        if (server == NULL) {
            return NULL;
        }

        server->servers = servers;
        server->origin = origin;
        ngx_queue_init(&server->waiting);
        ngx_memcpy(server->key, key, NGX_ORS_MCP_KEY);

        ngx_queue_insert_head(chain, &server->chain);
        servers->n++;

        if (ngx_ors_mcp_servers_crowded(servers, origin)) {
            max = ngx_min(max, servers->n - 1);
        }
    }

    ngx_queue_insert_head(&servers->used, &server->used);
    ngx_queue_insert_head(ngx_ors_mcp_servers_of(servers, server->origin),
                          &server->mine);
    server->references++;

    ngx_ors_mcp_servers_evict(servers, max);

    return server;
}


static ngx_ors_mcp_server_t *
ngx_ors_mcp_server_find(ngx_queue_t *chain, u_char *key)
{
    ngx_queue_t           *q;
    ngx_ors_mcp_server_t  *server;

    for (q = ngx_queue_head(chain);
         q != ngx_queue_sentinel(chain);
         q = ngx_queue_next(q))
    {
        server = ngx_queue_data(q, ngx_ors_mcp_server_t, chain);

        if (ngx_memcmp(server->key, key, NGX_ORS_MCP_KEY) == 0) {
            return server;
        }
    }

    return NULL;
}


/* addresses of one network differ in some bits only */

static ngx_queue_t *
ngx_ors_mcp_servers_of(ngx_ors_mcp_servers_t *servers, uint32_t origin)
{
    return &servers->origins[(origin * NGX_ORS_MCP_SPREAD >> 16)
                             % NGX_ORS_MCP_CHAINS];
}


/*
 * An origin with many keys pushes out its own servers, not those of others:
 * 1 if one of these is to go, which is the last of the queue then
 */

static ngx_uint_t
ngx_ors_mcp_servers_crowded(ngx_ors_mcp_servers_t *servers, uint32_t origin)
{
    ngx_uint_t             n;
    ngx_queue_t           *q, *chain;
    ngx_ors_mcp_server_t  *server, *last;

    n = 0;
    last = NULL;
    chain = ngx_ors_mcp_servers_of(servers, origin);

    for (q = ngx_queue_head(chain);
         origin && q != ngx_queue_sentinel(chain);
         q = ngx_queue_next(q))
    {
        server = ngx_queue_data(q, ngx_ors_mcp_server_t, mine);

        if (server->origin == origin) {
            n++;
            last = server->references ? last : server;
        }
    }

    if (last == NULL || n < servers->share) {
        return 0;
    }

    ngx_queue_remove(&last->used);
    ngx_queue_insert_tail(&servers->used, &last->used);

    return 1;
}


/* those used least recently go first; one that is in use stays */

static void
ngx_ors_mcp_servers_evict(ngx_ors_mcp_servers_t *servers, ngx_uint_t max)
{
    ngx_queue_t           *q, *prev;
    ngx_ors_mcp_server_t  *server;

    for (q = ngx_queue_last(&servers->used);
         q != ngx_queue_sentinel(&servers->used) && servers->n > max;
         q = prev)
    {
        prev = ngx_queue_prev(q);
        server = ngx_queue_data(q, ngx_ors_mcp_server_t, used);

        if (server->references) {
            continue;
        }

        ngx_queue_remove(&server->used);
        ngx_queue_remove(&server->chain);
        ngx_queue_remove(&server->mine);

        servers->n--;

        if (servers->ended) {
            servers->ended(server, servers->data);
        }

        ngx_ors_mcp_server_drop(server);

        /* the id of its session is a secret */

        ngx_explicit_memzero(server, sizeof(ngx_ors_mcp_server_t));
        ngx_free(server);
    }
}


static void
ngx_ors_mcp_server_drop(ngx_ors_mcp_server_t *server)
{
    if (server->list) {
        ngx_ors_mcp_list_release(server->list);
        server->list = NULL;
    }
}


void
ngx_ors_mcp_server_release(ngx_ors_mcp_server_t *server)
{
    server->references--;

    ngx_ors_mcp_servers_evict(server->servers, server->servers->max);
}


ngx_int_t
ngx_ors_mcp_server_list(ngx_ors_mcp_server_t *server, ngx_msec_t now,
    ngx_ors_mcp_list_t **list)
{
    ngx_msec_int_t  age;

    age = (ngx_msec_int_t) (now - server->expires);

    if (age >= 0 && (ngx_msec_t) age >= server->servers->stale) {
        ngx_ors_mcp_server_drop(server);
    }

    *list = server->list;

    if (*list == NULL) {
        return NGX_DECLINED;
    }

    return (age < 0) ? NGX_OK : NGX_AGAIN;
}


void
ngx_ors_mcp_server_keep(ngx_ors_mcp_server_t *server,
    ngx_ors_mcp_list_t *list, ngx_msec_t now, ngx_msec_t ttl)
{
    ngx_ors_mcp_list_hold(list);
    ngx_ors_mcp_server_drop(server);

    server->list = list;
    server->expires = now + (list->ttl ? list->ttl : ttl);
}


void
ngx_ors_mcp_server_expire(ngx_ors_mcp_server_t *server, ngx_msec_t now)
{
    if ((ngx_msec_int_t) (server->expires - now) > 0) {
        server->expires = now;
    }
}
