
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Checks what is right word by word and wrong as a whole: directives in a
 * location where they have no effect, and locations without a handler.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_ors_conf.h>


/* with a gateway's location, a validated one, those of targets by dialect */

#define NGX_HTTP_ORS_IN_BOTH     (NGX_HTTP_ORS_IN_GATEWAY                     \
                                  |NGX_HTTP_ORS_IN_VALIDATED)

/* "off" is harmless where it has no effect; a location that is turned off */
#define NGX_HTTP_ORS_IN_OFF      0x100


/* a field of ngx_http_ors_loc_conf_t, as words that have the same value */

#define ngx_http_ors_conf_field(field)                                        \
    offsetof(ngx_http_ors_loc_conf_t, field),                                 \
    sizeof(((ngx_http_ors_loc_conf_t *) 0)->field)

#define NGX_HTTP_ORS_CONF_UNSET  ((uintptr_t) NGX_CONF_UNSET)


typedef struct {
    char        *name;      /* of the directive */
    ngx_uint_t   in;        /* locations where it has an effect */
    uintptr_t    none;      /* words of the field where it is not written */
    size_t       offset;
    size_t       size;
} ngx_http_ors_conf_row_t;


/* a directive of another module, and where it is noted that it was written */

typedef struct {
    char           *name;
    size_t          limit;      /* pointer in ngx_http_ors_loc_conf_t, or 0 */
    ngx_command_t  *cmd;        /* NULL: nginx was built without it */
    char         *(*set)(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
} ngx_http_ors_conf_watch_t;


static void ngx_http_ors_conf_unwatch(void *data);
static char *ngx_http_ors_conf_watched(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static uint64_t ngx_http_ors_conf_own(ngx_http_ors_loc_conf_t *conf);
static ngx_uint_t ngx_http_ors_conf_kinds(ngx_http_ors_loc_conf_t *conf,
    ngx_http_ors_loc_conf_t *prev);
static ngx_uint_t ngx_http_ors_conf_leaf(ngx_http_core_loc_conf_t *clcf);
static ngx_int_t ngx_http_ors_conf_idle(ngx_conf_t *cf,
    ngx_http_core_loc_conf_t *clcf, ngx_http_ors_loc_conf_t *conf);
static char *ngx_http_ors_conf_where(ngx_uint_t kinds);
static char *ngx_http_ors_conf_place(ngx_uint_t in);
static ngx_int_t ngx_http_ors_conf_page(ngx_conf_t *cf,
    ngx_http_core_loc_conf_t *clcf, ngx_http_ors_loc_conf_t *conf);


/* all directives of locations but those that say what a location is */

static const ngx_http_ors_conf_row_t  ngx_http_ors_conf_rows[] = {

    { "open_responses_target", NGX_HTTP_ORS_IN_GATEWAY,
      NGX_HTTP_ORS_CONF_UNSET, ngx_http_ors_conf_field(routes) },

    { "open_responses_target_tries", NGX_HTTP_ORS_IN_GATEWAY,
      NGX_HTTP_ORS_CONF_UNSET, ngx_http_ors_conf_field(tries) },

    { "open_responses_target_timeout", NGX_HTTP_ORS_IN_GATEWAY,
      NGX_HTTP_ORS_CONF_UNSET, ngx_http_ors_conf_field(tries_timeout) },

    { "open_responses_tool", NGX_HTTP_ORS_IN_GATEWAY,
      NGX_HTTP_ORS_CONF_UNSET, ngx_http_ors_conf_field(hosting.tools) },

    { "open_responses_mcp", NGX_HTTP_ORS_IN_GATEWAY,
      NGX_HTTP_ORS_CONF_UNSET, ngx_http_ors_conf_field(hosting.servers) },

    { "open_responses_max_tool_calls", NGX_HTTP_ORS_IN_GATEWAY,
      NGX_HTTP_ORS_CONF_UNSET, ngx_http_ors_conf_field(max_tool_calls) },

    { "open_responses_max_rounds", NGX_HTTP_ORS_IN_GATEWAY,
      NGX_HTTP_ORS_CONF_UNSET, ngx_http_ors_conf_field(max_rounds) },

    { "open_responses_schema", NGX_HTTP_ORS_IN_GATEWAY,
      NGX_HTTP_ORS_CONF_UNSET, ngx_http_ors_conf_field(conform.mode) },

    { "open_responses_store", NGX_HTTP_ORS_IN_GATEWAY|NGX_HTTP_ORS_IN_OFF,
      NGX_HTTP_ORS_CONF_UNSET, ngx_http_ors_conf_field(stored.store) },

    { "open_responses_store_scope", NGX_HTTP_ORS_IN_GATEWAY,
      0, ngx_http_ors_conf_field(scope) },

    { "open_responses_background", NGX_HTTP_ORS_IN_GATEWAY,
      NGX_HTTP_ORS_CONF_UNSET, ngx_http_ors_conf_field(background) },

    { "open_responses_compact_prompt", NGX_HTTP_ORS_IN_GATEWAY,
      0, ngx_http_ors_conf_field(compact_prompt.data) },

    { "open_responses_heartbeat", NGX_HTTP_ORS_IN_GATEWAY,
      NGX_HTTP_ORS_CONF_UNSET, ngx_http_ors_conf_field(heartbeat) },

    { "open_responses_pass_credentials", NGX_HTTP_ORS_IN_GATEWAY,
      NGX_HTTP_ORS_CONF_UNSET, ngx_http_ors_conf_field(credentials) },

    { "open_responses_pass_trace", NGX_HTTP_ORS_IN_GATEWAY,
      NGX_HTTP_ORS_CONF_UNSET, ngx_http_ors_conf_field(trace) },

    { "open_responses_reasoning", NGX_HTTP_ORS_IN_GATEWAY,
      NGX_HTTP_ORS_CONF_UNSET, ngx_http_ors_conf_field(policy.reasoning) },

    { "open_responses_refusal", NGX_HTTP_ORS_IN_GATEWAY,
      NGX_HTTP_ORS_CONF_UNSET, ngx_http_ors_conf_field(policy.refusal) },

    { "open_responses_strict", NGX_HTTP_ORS_IN_BOTH,
      NGX_HTTP_ORS_CONF_UNSET, ngx_http_ors_conf_field(strict) },

    { "open_responses_flavor", NGX_HTTP_ORS_IN_BOTH,
      NGX_HTTP_ORS_CONF_UNSET, ngx_http_ors_conf_field(flavor) },

    { "open_responses_reject_log_level", NGX_HTTP_ORS_IN_BOTH,
      NGX_HTTP_ORS_CONF_UNSET, ngx_http_ors_conf_field(reject_level) },

    { "open_responses_unknown_fields", NGX_HTTP_ORS_IN_BOTH,
      NGX_HTTP_ORS_CONF_UNSET, ngx_http_ors_conf_field(policy.unknown) },

    { "open_responses_limits", NGX_HTTP_ORS_IN_BOTH,
      NGX_HTTP_ORS_CONF_UNSET, ngx_http_ors_conf_field(limits) },

    { "open_responses_websocket", NGX_HTTP_ORS_IN_BOTH|NGX_HTTP_ORS_IN_OFF,
      NGX_HTTP_ORS_CONF_UNSET, ngx_http_ors_conf_field(websocket) },

    { "open_responses_upstream_errors",
      NGX_HTTP_ORS_IN_BOTH|NGX_HTTP_ORS_IN_TARGET,
      NGX_HTTP_ORS_CONF_UNSET, ngx_http_ors_conf_field(policy.mask) },

    { "open_responses_path_variants", NGX_HTTP_ORS_IN_VALIDATED,
      NGX_HTTP_ORS_CONF_UNSET, ngx_http_ors_conf_field(path_variants) },

    { "open_responses_unknown_paths", NGX_HTTP_ORS_IN_VALIDATED,
      NGX_HTTP_ORS_CONF_UNSET, ngx_http_ors_conf_field(unknown_paths) },

    { "open_responses_model",
      NGX_HTTP_ORS_IN_VALIDATED|NGX_HTTP_ORS_IN_TARGET,
      0, ngx_http_ors_conf_field(model.data) },

    { "open_responses_dialect", NGX_HTTP_ORS_IN_TARGET,
      NGX_HTTP_ORS_CONF_UNSET, ngx_http_ors_conf_field(dialect) },

    { "open_responses_inline_context", NGX_HTTP_ORS_IN_TARGET,
      NGX_HTTP_ORS_CONF_UNSET, ngx_http_ors_conf_field(inline_context) },

    { "open_responses_chat_options", NGX_HTTP_ORS_IN_CHAT,
      NGX_HTTP_ORS_CONF_UNSET, offsetof(ngx_http_ors_loc_conf_t, options),
      offsetof(ngx_ors_chat_options_t, efforts) },

    { "open_responses_reasoning_effort", NGX_HTTP_ORS_IN_CHAT,
      NGX_HTTP_ORS_CONF_UNSET, ngx_http_ors_conf_field(options.efforts) },

    { "open_responses_tool_type", NGX_HTTP_ORS_IN_CHAT,
      NGX_HTTP_ORS_CONF_UNSET, ngx_http_ors_conf_field(options.types) },

    { NULL, 0, 0, 0, 0 }
};


static ngx_http_ors_conf_watch_t  ngx_http_ors_conf_watches[] = {
    { "limit_req", offsetof(ngx_http_ors_loc_conf_t, limit_req), NULL, NULL },
    { "limit_conn", offsetof(ngx_http_ors_loc_conf_t, limit_conn), NULL, NULL },
    { "proxy_pass", 0, NULL, NULL },
    { "rewrite", 0, NULL, NULL },
    { "set", 0, NULL, NULL },
    { NULL, 0, NULL, NULL }
};


ngx_int_t
ngx_http_ors_conf_watch(ngx_conf_t *cf)
{
    ngx_module_t              **module;
    ngx_command_t              *cmd;
    ngx_pool_cleanup_t         *cln;
    ngx_http_ors_conf_watch_t  *w;

    /* the pool that nginx destroys first, read well or not */

    cln = ngx_pool_cleanup_add(cf->temp_pool, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    cln->handler = ngx_http_ors_conf_unwatch;

    for (module = cf->cycle->modules; *module; module++) {
        cmd = (*module)->commands;

        if ((*module)->type != NGX_HTTP_MODULE || cmd == NULL) {
            continue;
        }

        for ( /* void */ ; cmd->name.len; cmd++) {

            for (w = ngx_http_ors_conf_watches; w->name; w++) {

                /* nginx calls the first one that has this name */

                if (w->cmd == NULL
                    && ngx_strcmp(cmd->name.data, w->name) == 0)
                {
                    w->cmd = cmd;
                    w->set = cmd->set;
                    cmd->set = ngx_http_ors_conf_watched;
                }
            }
        }
    }

    return NGX_OK;
}


static void
ngx_http_ors_conf_unwatch(void *data)
{
    ngx_http_ors_conf_watch_t  *w;

    for (w = ngx_http_ors_conf_watches; w->name; w++) {

        if (w->cmd) {
            w->cmd->set = w->set;
            w->cmd = NULL;
        }
    }
}


static char *
ngx_http_ors_conf_watched(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_str_t                  *value;
    ngx_uint_t                  i;
    ngx_http_ors_loc_conf_t    *olcf;
    ngx_http_ors_conf_watch_t  *w;

    olcf = ngx_http_conf_get_module_loc_conf(cf,
                                             ngx_http_open_responses_module);
    value = cf->args->elts;

    for (w = ngx_http_ors_conf_watches; w->cmd != cmd; w++) { /* void */ }

    if (w->limit) {
        *(void **) ((u_char *) olcf + w->limit) = olcf;
        return w->set(cf, cmd, conf);
    }

    for (i = 1; i < cf->args->nelts; i++) {
        olcf->asks |= ngx_http_ors_conf_asks(&value[i]);
    }

    if (ngx_strcmp(w->name, "proxy_pass") == 0) {
        olcf->proxy_pass = value[1];
    }

    return w->set(cf, cmd, conf);
}


ngx_uint_t
ngx_http_ors_conf_asks(ngx_str_t *text)
{
    u_char      *last;
    ngx_uint_t   i;

    static const ngx_str_t  paths[] = {
        ngx_string("/chat/completions"),
        ngx_string("/responses"),
    };

    if (ngx_strstr(text->data, "open_responses_uri")
        || ngx_strstr(text->data, "open_responses_path"))
    {
        return 1;
    }

    last = text->data + text->len;

    for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {

        if (text->len >= paths[i].len
            && ngx_memcmp(last - paths[i].len, paths[i].data, paths[i].len)
               == 0)
        {
            return 1;
        }
    }

    return 0;
}


/* directives of locations in it would be inherited by nested ones */

ngx_int_t
ngx_http_ors_conf_check(ngx_conf_t *cf, ngx_http_core_loc_conf_t *clcf,
    ngx_http_ors_loc_conf_t *conf, ngx_http_ors_loc_conf_t *prev)
{
    if (clcf->name.len == 0 || clcf->noname) {
        return NGX_OK;
    }

    if (ngx_http_ors_conf_page(cf, clcf, conf) != NGX_OK) {
        return NGX_ERROR;
    }

    if (!ngx_http_ors_conf_leaf(clcf)) {
        return NGX_OK;
    }

    conf->kinds = ngx_http_ors_conf_kinds(conf, prev);

    /* one that is turned off for a while keeps its directives */

    if (conf->kinds == NGX_HTTP_ORS_IN_OFF) {
        return NGX_OK;
    }

    conf->own = ngx_http_ors_conf_own(conf);

    if (ngx_http_ors_conf_idle(cf, clcf, conf) != NGX_OK) {
        return NGX_ERROR;
    }

    /* a gateway says later what it calls */

    conf->kinds &= NGX_HTTP_ORS_IN_BOTH;

    return NGX_OK;
}


ngx_int_t
ngx_http_ors_conf_check_called(ngx_conf_t *cf, ngx_array_t *locations)
{
    ngx_uint_t                  i;
    ngx_http_ors_loc_conf_t    *olcf;
    ngx_http_core_loc_conf_t  **clcf;

    clcf = locations->elts;

    for (i = 0; i < locations->nelts; i++) {
        olcf = clcf[i]->loc_conf[ngx_http_open_responses_module.ctx_index];

        if (ngx_http_ors_conf_idle(cf, clcf[i], olcf) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* a bit for each row whose directive is written in this very location */

static uint64_t
ngx_http_ors_conf_own(ngx_http_ors_loc_conf_t *conf)
{
    size_t                          n;
    uint64_t                        own, bit;
    uintptr_t                      *word;
    const ngx_http_ors_conf_row_t  *row;

    own = 0;
    bit = 1;

    for (row = ngx_http_ors_conf_rows; row->name; row++, bit <<= 1) {
        word = (uintptr_t *) ((u_char *) conf + row->offset);

        for (n = row->size / sizeof(uintptr_t); n; n--, word++) {

            if (*word != row->none
                && (*word || !(row->in & NGX_HTTP_ORS_IN_OFF)))
            {
                own |= bit;
            }
        }
    }

    return own;
}


/* one that only inherits the validator may serve a target */

static ngx_uint_t
ngx_http_ors_conf_kinds(ngx_http_ors_loc_conf_t *conf,
    ngx_http_ors_loc_conf_t *prev)
{
    if (conf->enable == 1) {
        return NGX_HTTP_ORS_IN_GATEWAY;
    }

    if (conf->validate != NGX_CONF_UNSET_UINT && conf->validate) {
        return NGX_HTTP_ORS_IN_VALIDATED;
    }

    if (conf->dialect != NGX_CONF_UNSET_UINT) {
        return (conf->dialect == ngx_ors_dialect_chat)
               ? NGX_HTTP_ORS_IN_CHAT : NGX_HTTP_ORS_IN_RESPONSES;
    }

    if (conf->enable == 0 || conf->validate == 0) {
        return NGX_HTTP_ORS_IN_OFF;
    }

    if (prev->validate != NGX_CONF_UNSET_UINT && prev->validate) {
        return (prev->dialect == ngx_ors_dialect_chat)
               ? NGX_HTTP_ORS_IN_VALIDATED|NGX_HTTP_ORS_IN_CHAT
               : NGX_HTTP_ORS_IN_VALIDATED;
    }

    return 0;
}


/* an "if" or "limit_except" has no location nested in it */

static ngx_uint_t
ngx_http_ors_conf_leaf(ngx_http_core_loc_conf_t *clcf)
{
    ngx_queue_t                *q;
    ngx_http_core_loc_conf_t   *nested;
    ngx_http_location_queue_t  *lq;

    if (clcf->locations == NULL) {
        return 1;
    }

    for (q = ngx_queue_head(clcf->locations);
         q != ngx_queue_sentinel(clcf->locations);
         q = ngx_queue_next(q))
    {
        lq = (ngx_http_location_queue_t *) q;
        nested = lq->exact ? lq->exact : lq->inclusive;

        if (!nested->noname) {
            return 0;
        }
    }

    return 1;
}


/* a location that is nothing yet may be that of a target */

static ngx_int_t
ngx_http_ors_conf_idle(ngx_conf_t *cf, ngx_http_core_loc_conf_t *clcf,
    ngx_http_ors_loc_conf_t *conf)
{
    char                           *name;
    uint64_t                        bit;
    ngx_uint_t                      kinds, in;
    const ngx_http_ors_conf_row_t  *row;

    kinds = conf->kinds ? conf->kinds : NGX_HTTP_ORS_IN_TARGET;
    bit = 1;

    for (row = ngx_http_ors_conf_rows; row->name; row++, bit <<= 1) {
        name = row->name;
        in = row->in;

        if (!(conf->own & bit)) {
            continue;
        }

        if (conf->websocket == ngx_http_ors_websocket_on
            && row->offset == offsetof(ngx_http_ors_loc_conf_t, websocket))
        {
            name = "open_responses_websocket on";
            in = NGX_HTTP_ORS_IN_GATEWAY;
        }

        if (in & kinds) {
            continue;
        }

        ngx_ors_conf_error(cf, 0,
                           "\"%s\" has no effect in location \"%V\"%s, set "
                           "it in %s", name, &clcf->name,
                           ngx_http_ors_conf_where(conf->kinds),
                           ngx_http_ors_conf_place(in));
        return NGX_ERROR;
    }

    return NGX_OK;
}


static char *
ngx_http_ors_conf_where(ngx_uint_t kinds)
{
    if (kinds & NGX_HTTP_ORS_IN_GATEWAY) {
        return " with \"open_responses on\"";
    }

    if (kinds & NGX_HTTP_ORS_IN_CHAT) {
        return " of a target";
    }

    if (kinds & NGX_HTTP_ORS_IN_RESPONSES) {
        return " of a target with the dialect \"responses\"";
    }

    if (kinds & NGX_HTTP_ORS_IN_CALLEE) {
        return " of a tool or an MCP server";
    }

    return (kinds & NGX_HTTP_ORS_IN_VALIDATED)
           ? " with \"open_responses_validate\"" : "";
}


static char *
ngx_http_ors_conf_place(ngx_uint_t in)
{
    if ((in & NGX_HTTP_ORS_IN_BOTH) == NGX_HTTP_ORS_IN_BOTH) {
        return "the location with \"open_responses on\" or "
               "\"open_responses_validate\"";
    }

    if (in & NGX_HTTP_ORS_IN_GATEWAY) {
        return "the location with \"open_responses on\"";
    }

    if (in & NGX_HTTP_ORS_IN_RESPONSES) {
        return "the location that \"open_responses_target\" names";
    }

    return (in & NGX_HTTP_ORS_IN_CHAT)
           ? "the location that \"open_responses_target\" names, with "
             "\"open_responses_dialect chat\""
           : "the location with \"open_responses_validate\"";
}


/* a status page beside another handler would never be seen */

static ngx_int_t
ngx_http_ors_conf_page(ngx_conf_t *cf, ngx_http_core_loc_conf_t *clcf,
    ngx_http_ors_loc_conf_t *conf)
{
    if (conf->page == NULL || clcf->handler == conf->page) {
        return NGX_OK;
    }

    ngx_ors_conf_error(cf, 0,
                       "\"open_responses_status\" and another content handler "
                       "such as \"proxy_pass\" are in location \"%V\"",
                       &clcf->name);
    return NGX_ERROR;
}
