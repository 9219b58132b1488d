
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


/* locations by what serves them: where directives have an effect */
#define NGX_HTTP_ORS_IN_GATEWAY    0x1
#define NGX_HTTP_ORS_IN_VALIDATED  0x2
#define NGX_HTTP_ORS_IN_CHAT       0x4      /* a target of that dialect */
#define NGX_HTTP_ORS_IN_RESPONSES  0x8      /* the same */

#define NGX_HTTP_ORS_IN_BOTH       (NGX_HTTP_ORS_IN_GATEWAY                   \
                                    |NGX_HTTP_ORS_IN_VALIDATED)
#define NGX_HTTP_ORS_IN_TARGET     (NGX_HTTP_ORS_IN_CHAT                      \
                                    |NGX_HTTP_ORS_IN_RESPONSES)

/* "off" is harmless where it has no effect; a location that is turned off */
#define NGX_HTTP_ORS_IN_OFF        0x10

/* the field is 0 where the directive is not written, not NGX_CONF_UNSET */
#define NGX_HTTP_ORS_IN_ZERO       0x20


/* a field of ngx_http_ors_loc_conf_t, as words that have the same value */

#define ngx_http_ors_conf_field(field)                                        \
    offsetof(ngx_http_ors_loc_conf_t, field),                                 \
    sizeof(((ngx_http_ors_loc_conf_t *) 0)->field)


typedef struct {
    char        *name;      /* of the directive, after "open_responses_" */
    ngx_uint_t   in;        /* locations where it has an effect */
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
static ngx_uint_t ngx_http_ors_conf_kinds(ngx_http_ors_loc_conf_t *conf,
    ngx_http_ors_loc_conf_t *prev);
static ngx_uint_t ngx_http_ors_conf_leaf(ngx_http_core_loc_conf_t *clcf);
static ngx_uint_t ngx_http_ors_conf_written(ngx_http_ors_loc_conf_t *conf,
    const ngx_http_ors_conf_row_t *row);
static char *ngx_http_ors_conf_place(ngx_uint_t in);


/* all directives of locations but those that say what a location is */

static const ngx_http_ors_conf_row_t  ngx_http_ors_conf_rows[] = {

    { "target", NGX_HTTP_ORS_IN_GATEWAY, ngx_http_ors_conf_field(routes) },
    { "target_tries", NGX_HTTP_ORS_IN_GATEWAY,
      ngx_http_ors_conf_field(tries) },
    { "target_timeout", NGX_HTTP_ORS_IN_GATEWAY,
      ngx_http_ors_conf_field(tries_timeout) },
    { "tool", NGX_HTTP_ORS_IN_GATEWAY,
      ngx_http_ors_conf_field(hosting.tools) },
    { "mcp", NGX_HTTP_ORS_IN_GATEWAY,
      ngx_http_ors_conf_field(hosting.servers) },
    { "max_tool_calls", NGX_HTTP_ORS_IN_GATEWAY,
      ngx_http_ors_conf_field(hosting.max_calls) },
    { "max_rounds", NGX_HTTP_ORS_IN_GATEWAY,
      ngx_http_ors_conf_field(hosting.max_rounds) },
    { "schema", NGX_HTTP_ORS_IN_GATEWAY,
      ngx_http_ors_conf_field(conform.mode) },
    { "store", NGX_HTTP_ORS_IN_GATEWAY|NGX_HTTP_ORS_IN_OFF,
      ngx_http_ors_conf_field(stored.store) },
    { "store_scope", NGX_HTTP_ORS_IN_GATEWAY|NGX_HTTP_ORS_IN_ZERO,
      ngx_http_ors_conf_field(scope) },
    { "background", NGX_HTTP_ORS_IN_GATEWAY,
      ngx_http_ors_conf_field(background) },
    { "compact_prompt", NGX_HTTP_ORS_IN_GATEWAY|NGX_HTTP_ORS_IN_ZERO,
      ngx_http_ors_conf_field(compact_prompt.data) },
    { "heartbeat", NGX_HTTP_ORS_IN_GATEWAY,
      ngx_http_ors_conf_field(heartbeat) },
    { "pass_credentials", NGX_HTTP_ORS_IN_GATEWAY,
      ngx_http_ors_conf_field(credentials) },
    { "pass_trace", NGX_HTTP_ORS_IN_GATEWAY, ngx_http_ors_conf_field(trace) },
    { "reasoning", NGX_HTTP_ORS_IN_GATEWAY,
      ngx_http_ors_conf_field(policy.reasoning) },
    { "refusal", NGX_HTTP_ORS_IN_GATEWAY,
      ngx_http_ors_conf_field(policy.refusal) },
    { "strict", NGX_HTTP_ORS_IN_BOTH, ngx_http_ors_conf_field(strict) },
    { "flavor", NGX_HTTP_ORS_IN_BOTH, ngx_http_ors_conf_field(flavor) },
    { "reject_log_level", NGX_HTTP_ORS_IN_BOTH,
      ngx_http_ors_conf_field(reject_level) },
    { "unknown_fields", NGX_HTTP_ORS_IN_BOTH,
      ngx_http_ors_conf_field(policy.unknown) },
    { "limits", NGX_HTTP_ORS_IN_BOTH, ngx_http_ors_conf_field(limits) },
    { "websocket", NGX_HTTP_ORS_IN_BOTH|NGX_HTTP_ORS_IN_OFF,
      ngx_http_ors_conf_field(websocket) },
    { "upstream_errors", NGX_HTTP_ORS_IN_BOTH|NGX_HTTP_ORS_IN_TARGET,
      ngx_http_ors_conf_field(policy.mask) },
    { "path_variants", NGX_HTTP_ORS_IN_VALIDATED,
      ngx_http_ors_conf_field(path_variants) },
    { "unknown_paths", NGX_HTTP_ORS_IN_VALIDATED,
      ngx_http_ors_conf_field(unknown_paths) },
    { "model",
      NGX_HTTP_ORS_IN_VALIDATED|NGX_HTTP_ORS_IN_TARGET|NGX_HTTP_ORS_IN_ZERO,
      ngx_http_ors_conf_field(model.data) },
    { "dialect", NGX_HTTP_ORS_IN_TARGET, ngx_http_ors_conf_field(dialect) },
    { "inline_context", NGX_HTTP_ORS_IN_TARGET,
      ngx_http_ors_conf_field(inline_context) },
    { "chat_options", NGX_HTTP_ORS_IN_CHAT,
      offsetof(ngx_http_ors_loc_conf_t, options),
      offsetof(ngx_ors_chat_options_t, efforts) },
    { "reasoning_effort", NGX_HTTP_ORS_IN_CHAT,
      ngx_http_ors_conf_field(options.efforts) },
    { "tool_type", NGX_HTTP_ORS_IN_CHAT,
      ngx_http_ors_conf_field(options.types) },

    { NULL, 0, 0, 0 }
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
    ngx_uint_t                      kinds, in;
    const ngx_http_ors_conf_row_t  *row;

    if (clcf->name.len == 0 || clcf->noname) {
        return NGX_OK;
    }

    /* a status page beside another handler would never be seen */

    if (conf->page && clcf->handler != conf->page) {
        ngx_ors_conf_error(cf, 0,
                           "\"open_responses_status\" and another content "
                           "handler such as \"proxy_pass\" are in location "
                           "\"%V\"", &clcf->name);
        return NGX_ERROR;
    }

    kinds = ngx_http_ors_conf_kinds(conf, prev);

    /* one that is turned off for a while keeps its directives */

    if (kinds == NGX_HTTP_ORS_IN_OFF || !ngx_http_ors_conf_leaf(clcf)) {
        return NGX_OK;
    }

    for (row = ngx_http_ors_conf_rows; row->name; row++) {
        in = row->in;

        /* a validator lets WebSockets pass, and serves none */

        if (row->offset == offsetof(ngx_http_ors_loc_conf_t, websocket)
            && conf->websocket == ngx_http_ors_websocket_on)
        {
            in = NGX_HTTP_ORS_IN_GATEWAY;
        }

        if (!ngx_http_ors_conf_written(conf, row)) {
            continue;
        }

        if (in & kinds) {

            /* a gateway that calls it knows its dialect */

            if (in == NGX_HTTP_ORS_IN_CHAT) {
                conf->chat_only = row->name;
            }

            continue;
        }

        ngx_ors_conf_error(cf, 0,
                           "\"open_responses_%s\" has no effect in location "
                           "\"%V\", set it in %s", row->name, &clcf->name,
                           ngx_http_ors_conf_place(in));
        return NGX_ERROR;
    }

    return NGX_OK;
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

    /* neither: it serves a target, if anything */

    return NGX_HTTP_ORS_IN_TARGET;
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


/* 1 if its directive is written in this very location */

static ngx_uint_t
ngx_http_ors_conf_written(ngx_http_ors_loc_conf_t *conf,
    const ngx_http_ors_conf_row_t *row)
{
    size_t      n;
    uintptr_t  *word, none;

    word = (uintptr_t *) ((u_char *) conf + row->offset);
    none = (row->in & NGX_HTTP_ORS_IN_ZERO) ? 0 : (uintptr_t) NGX_CONF_UNSET;

    for (n = row->size / sizeof(uintptr_t); n; n--, word++) {

        if (*word != none && (*word || !(row->in & NGX_HTTP_ORS_IN_OFF))) {
            return 1;
        }
    }

    return 0;
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
