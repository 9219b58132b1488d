
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * MCP servers that a worker remembers: in chains by key, and in queues by their
 * last use, one for all and one for each of some origins; the directive.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_mcp_server.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_error.h>
#include <ngx_ors_names.h>


#define NGX_ORS_MCP_SPREAD  2654435761u

#define NGX_ORS_MCP_CALL_TIMEOUT  60000
#define NGX_ORS_MCP_LIST_TTL      300000


static ngx_ors_mcp_server_t *ngx_ors_mcp_server_find(ngx_queue_t *chain,
    u_char *key);
static ngx_queue_t *ngx_ors_mcp_servers_of(ngx_ors_mcp_servers_t *servers,
    uint32_t origin);
static ngx_uint_t ngx_ors_mcp_servers_crowded(ngx_ors_mcp_servers_t *servers,
    uint32_t origin);
static void ngx_ors_mcp_servers_evict(ngx_ors_mcp_servers_t *servers,
    ngx_uint_t max);
static void ngx_ors_mcp_server_drop(ngx_ors_mcp_server_t *server);
static ngx_ors_mcp_conf_t *ngx_ors_mcp_conf_add(ngx_conf_t *cf,
    ngx_command_t *cmd, void *conf, ngx_str_t *label);
static char *ngx_ors_mcp_conf_distinct(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static ngx_int_t ngx_ors_mcp_conf_selection(ngx_conf_t *cf,
    ngx_ors_conf_param_t *param, ngx_str_t *value, void *field);
static ngx_int_t ngx_ors_mcp_conf_approval(ngx_conf_t *cf,
    ngx_ors_conf_param_t *param, ngx_str_t *value, void *field);
static ngx_int_t ngx_ors_mcp_conf_prefix(ngx_conf_t *cf,
    ngx_ors_conf_param_t *param, ngx_str_t *value, void *field);
static ngx_int_t ngx_ors_mcp_conf_list(ngx_ors_mcp_selection_t *selection,
    ngx_str_t *value, ngx_pool_t *pool);


static ngx_ors_conf_param_t  ngx_ors_mcp_params[] = {

    { ngx_string("allowed="), ngx_ors_mcp_conf_selection,
      offsetof(ngx_ors_mcp_conf_t, allowed), 0, 0, NULL,
      "names of tools or \"read_only\", with commas between" },

    { ngx_string("require_approval="), ngx_ors_mcp_conf_approval, 0, 0, 0,
      NULL,
      "\"always\", \"never\", or one of them with \":\" and names of tools or "
      "\"read_only\"" },

    { ngx_string("prefix="), ngx_ors_mcp_conf_prefix,
      offsetof(ngx_ors_mcp_conf_t, prefix), 0, 0, NULL,
      "1 to 64 of letters, digits, \"_\" and \"-\"" },

    { ngx_string("timeout="), ngx_ors_conf_param_msec,
      offsetof(ngx_ors_mcp_conf_t, timeout), 1, 0, NULL, "a time above 0" },

    { ngx_string("list_ttl="), ngx_ors_conf_param_msec,
      offsetof(ngx_ors_mcp_conf_t, list_ttl), 1, 0, NULL, "a time above 0" },

    /* it is compared with what a request says, and never called */

    { ngx_string("url="), ngx_ors_conf_param_text,
      offsetof(ngx_ors_mcp_conf_t, url), 0, 0, NULL,
      "the \"server_url\" that clients send" },

    { ngx_null_string, NULL, 0, 0, 0, NULL, NULL }
};


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


/* The words of "open_responses_mcp", and what they permit. */


char *
ngx_ors_mcp_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_str_t           *value;
    ngx_ors_mcp_conf_t  *mcp;

    value = cf->args->elts;

    mcp = ngx_ors_mcp_conf_add(cf, cmd, conf, &value[1]);
    if (mcp == NULL) {
        return NGX_CONF_ERROR;
    }

    if (value[2].len < 2 || value[2].data[0] != '/') {
        ngx_ors_conf_error(cf, 0,
                           "invalid URI \"%V\", it must be that of a location "
                           "and begin with \"/\"", &value[2]);
        return NGX_CONF_ERROR;
    }

    mcp->uri = value[2];

    if (ngx_ors_conf_params(cf, ngx_ors_mcp_params, mcp, 3, NULL, NULL)
        != NGX_CONF_OK)
    {
        return NGX_CONF_ERROR;
    }

    ngx_conf_init_msec_value(mcp->timeout, NGX_ORS_MCP_CALL_TIMEOUT);
    ngx_conf_init_msec_value(mcp->list_ttl, NGX_ORS_MCP_LIST_TTL);

    if (mcp->prefix.data == NULL) {
        mcp->prefix = mcp->label;
    }

    return ngx_ors_mcp_conf_distinct(cf, cmd, conf);
}


/*
 * two servers must not have one prefix: the model could not say which one it
 * calls
 */

static char *
ngx_ors_mcp_conf_distinct(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_uint_t            i;
    ngx_array_t          *servers;
    ngx_ors_mcp_conf_t   *mcp, *last;

    servers = *(ngx_array_t **) ((u_char *) conf + cmd->offset);

    mcp = servers->elts;
    last = &mcp[servers->nelts - 1];

    for (i = 0; i < servers->nelts - 1; i++) {

        if (ngx_ors_same(&mcp[i].prefix, &last->prefix)) {
            ngx_ors_conf_error(cf, 0,
                               "invalid prefix \"%V\" of \"%V\", \"%V\" has "
                               "the same, set another one with \"prefix=\"",
                               &last->prefix, &last->label, &mcp[i].label);
            return NGX_CONF_ERROR;
        }
    }

    return NGX_CONF_OK;
}


static ngx_ors_mcp_conf_t *
ngx_ors_mcp_conf_add(ngx_conf_t *cf, ngx_command_t *cmd, void *conf,
    ngx_str_t *label)
{
    ngx_array_t         **servers;
    ngx_ors_mcp_conf_t   *mcp;

    servers = (ngx_array_t **) ((u_char *) conf + cmd->offset);

    if (*servers == NGX_CONF_UNSET_PTR) {
        *servers = ngx_array_create(cf->pool, 2, sizeof(ngx_ors_mcp_conf_t));
        if (*servers == NULL) {
            return NULL;
        }
    }

    if (!ngx_ors_line_name(label)) {
        ngx_ors_conf_error(cf, 0,
                           "invalid label \"%V\", it must be 1 to 64 of "
                           "letters, digits, \"_\" and \"-\"", label);
        return NULL;
    }

    if (ngx_ors_mcp_conf_find(*servers, label)) {
        ngx_ors_conf_error(cf, 0, "duplicate label \"%V\"", label);
        return NULL;
    }

    mcp = ngx_array_push(*servers);
    if (mcp == NULL) {
        return NULL;
    }

    ngx_memzero(mcp, sizeof(ngx_ors_mcp_conf_t));

    mcp->label = *label;
    mcp->allowed.all = 1;
    mcp->timeout = NGX_CONF_UNSET_MSEC;
    mcp->list_ttl = NGX_CONF_UNSET_MSEC;

    return mcp;
}


static ngx_int_t
ngx_ors_mcp_conf_selection(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field)
{
    ngx_ors_mcp_selection_t  *selection = field;

    if (selection->names) {
        return NGX_BUSY;
    }

    selection->all = 0;

    return ngx_ors_mcp_conf_list(selection, value, cf->pool);
}


/* tools that a list does not name are treated the other way */

static ngx_int_t
ngx_ors_mcp_conf_approval(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field)
{
    ngx_ors_mcp_conf_t  *mcp = field;

    size_t     len;
    ngx_str_t  list;

    if (mcp->consent != ngx_ors_mcp_consent_client) {
        return NGX_BUSY;
    }

    if (ngx_strncmp(value->data, "always", 6) == 0) {
        mcp->consent = ngx_ors_mcp_consent_always;
        mcp->otherwise = ngx_ors_mcp_consent_never;
        len = 6;

    } else if (ngx_strncmp(value->data, "never", 5) == 0) {
        mcp->consent = ngx_ors_mcp_consent_never;
        mcp->otherwise = ngx_ors_mcp_consent_always;
        len = 5;

    } else {
        return NGX_DECLINED;
    }

    if (value->len == len) {
        mcp->selected.all = 1;
        return NGX_OK;
    }

    if (value->data[len] != ':') {
        return NGX_DECLINED;
    }

    list.data = value->data + len + 1;
    list.len = value->len - len - 1;

    return ngx_ors_mcp_conf_list(&mcp->selected, &list, cf->pool);
}


static ngx_int_t
ngx_ors_mcp_conf_prefix(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field)
{
    return ngx_ors_line_name(value)
           ? ngx_ors_conf_param_text(cf, param, value, field) : NGX_DECLINED;
}


static ngx_int_t
ngx_ors_mcp_conf_list(ngx_ors_mcp_selection_t *selection, ngx_str_t *value,
    ngx_pool_t *pool)
{
    u_char     *p, *last, *end;
    ngx_str_t  *name;

    selection->names = ngx_array_create(pool, 4, sizeof(ngx_str_t));
    if (selection->names == NULL) {
        return NGX_ERROR;
    }

    last = value->data + value->len;

    for (p = value->data; p <= last; p = end + 1) {

        for (end = p; end < last && *end != ','; end++) { /* void */ }

        if (end == p) {
            return NGX_DECLINED;
        }

        if (end - p == sizeof("read_only") - 1
            && ngx_memcmp(p, "read_only", sizeof("read_only") - 1) == 0)
        {
            selection->read_only = 1;
            continue;
        }

        name = ngx_array_push(selection->names);
        if (name == NULL) {
            return NGX_ERROR;
        }

        name->data = p;
        name->len = end - p;

        if (!ngx_ors_line_fits(name)) {
            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}


ngx_ors_mcp_conf_t *
ngx_ors_mcp_conf_find(ngx_array_t *servers, ngx_str_t *label)
{
    ngx_uint_t           i;
    ngx_ors_mcp_conf_t  *mcp;

    if (servers == NULL) {
        return NULL;
    }

    mcp = servers->elts;

    for (i = 0; i < servers->nelts; i++) {

        if (ngx_ors_same(&mcp[i].label, label)) {
            return &mcp[i];
        }
    }

    return NULL;
}


ngx_ors_mcp_consent_e
ngx_ors_mcp_consent(ngx_ors_mcp_conf_t *mcp, ngx_ors_mcp_tool_t *tool)
{
    return ngx_ors_mcp_selected(&mcp->selected, tool) ? mcp->consent
                                                      : mcp->otherwise;
}


ngx_uint_t
ngx_ors_mcp_selected(ngx_ors_mcp_selection_t *selection,
    ngx_ors_mcp_tool_t *tool)
{
    ngx_str_t   *name;
    ngx_uint_t   i;

    if (selection->all || (selection->read_only && tool->read_only)) {
        return 1;
    }

    if (selection->names == NULL) {
        return 0;
    }

    name = selection->names->elts;

    for (i = 0; i < selection->names->nelts; i++) {

        if (ngx_ors_same(&name[i], &tool->name)) {
            return 1;
        }
    }

    return 0;
}
