
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Who and where: the owner of what a request stores or seals, the locations
 * of targets, and the locations where directives have an effect.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_mcp_server.h>


#define NGX_HTTP_ORS_WS_IDLE      (5 * 60 * 1000)
#define NGX_HTTP_ORS_WS_LIFETIME  (60 * 60 * 1000)
#define NGX_HTTP_ORS_WS_QUEUE     16

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

#define ngx_http_ors_conf_row(name, in, field)                                \
    { name, in, offsetof(ngx_http_ors_loc_conf_t, field),                     \
      sizeof(((ngx_http_ors_loc_conf_t *) 0)->field) }


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


static void ngx_http_ors_gateway_name(ngx_conf_t *cf,
    ngx_http_core_loc_conf_t *gateway);
static ngx_http_ors_loc_conf_t *ngx_http_ors_target_find(ngx_conf_t *cf,
    ngx_http_core_loc_conf_t *gateway, char *what, ngx_str_t *uri,
    ngx_uint_t level);
static ngx_http_core_loc_conf_t *ngx_http_ors_target_location(
    ngx_http_core_loc_conf_t *clcf, ngx_str_t *uri);
static ngx_int_t ngx_http_ors_target_static(ngx_http_core_loc_conf_t **clcf,
    ngx_http_location_tree_node_t *node, ngx_str_t *uri);
static void ngx_http_ors_target_resolver(ngx_conf_t *cf,
    ngx_http_core_loc_conf_t *location, ngx_str_t *url);
static void ngx_http_ors_conf_unwatch(void *data);
static char *ngx_http_ors_conf_watched(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static ngx_uint_t ngx_http_ors_conf_asks(ngx_str_t *text);
static ngx_uint_t ngx_http_ors_conf_kinds(ngx_http_ors_loc_conf_t *conf,
    ngx_http_ors_loc_conf_t *prev);
static ngx_uint_t ngx_http_ors_conf_leaf(ngx_http_core_loc_conf_t *clcf);
static char *ngx_http_ors_conf_place(ngx_uint_t in);


/* the value that names a client, unless a location says otherwise */

static ngx_str_t  ngx_http_ors_scope_source = ngx_string("$http_authorization");

static ngx_str_t  ngx_http_ors_scope_no_key = ngx_null_string;


/* all directives of locations but those that say what a location is */

static const ngx_http_ors_conf_row_t  ngx_http_ors_conf_rows[] = {

    ngx_http_ors_conf_row("target", NGX_HTTP_ORS_IN_GATEWAY, routes),
    ngx_http_ors_conf_row("target_tries", NGX_HTTP_ORS_IN_GATEWAY, tries),
    ngx_http_ors_conf_row("target_timeout", NGX_HTTP_ORS_IN_GATEWAY,
                          tries_timeout),
    ngx_http_ors_conf_row("tool", NGX_HTTP_ORS_IN_GATEWAY, hosting.tools),
    ngx_http_ors_conf_row("mcp", NGX_HTTP_ORS_IN_GATEWAY, hosting.servers),
    ngx_http_ors_conf_row("max_tool_calls", NGX_HTTP_ORS_IN_GATEWAY,
                          hosting.max_calls),
    ngx_http_ors_conf_row("max_rounds", NGX_HTTP_ORS_IN_GATEWAY,
                          hosting.max_rounds),
    ngx_http_ors_conf_row("schema", NGX_HTTP_ORS_IN_GATEWAY, conform.mode),
    ngx_http_ors_conf_row("store", NGX_HTTP_ORS_IN_GATEWAY|NGX_HTTP_ORS_IN_OFF,
                          stored.store),
    ngx_http_ors_conf_row("store_scope",
                          NGX_HTTP_ORS_IN_GATEWAY|NGX_HTTP_ORS_IN_ZERO,
                          scope),
    ngx_http_ors_conf_row("background", NGX_HTTP_ORS_IN_GATEWAY, background),
    ngx_http_ors_conf_row("compact_prompt",
                          NGX_HTTP_ORS_IN_GATEWAY|NGX_HTTP_ORS_IN_ZERO,
                          compact_prompt.data),
    ngx_http_ors_conf_row("heartbeat", NGX_HTTP_ORS_IN_GATEWAY, heartbeat),
    ngx_http_ors_conf_row("pass_credentials", NGX_HTTP_ORS_IN_GATEWAY,
                          credentials),
    ngx_http_ors_conf_row("pass_trace", NGX_HTTP_ORS_IN_GATEWAY, trace),
    ngx_http_ors_conf_row("reasoning", NGX_HTTP_ORS_IN_GATEWAY,
                          policy.reasoning),
    ngx_http_ors_conf_row("refusal", NGX_HTTP_ORS_IN_GATEWAY, policy.refusal),
    ngx_http_ors_conf_row("strict", NGX_HTTP_ORS_IN_BOTH, strict),
    ngx_http_ors_conf_row("flavor", NGX_HTTP_ORS_IN_BOTH, flavor),
    ngx_http_ors_conf_row("reject_log_level", NGX_HTTP_ORS_IN_BOTH,
                          reject_level),
    ngx_http_ors_conf_row("unknown_fields", NGX_HTTP_ORS_IN_BOTH,
                          policy.unknown),
    ngx_http_ors_conf_row("limits", NGX_HTTP_ORS_IN_BOTH, limits),
    ngx_http_ors_conf_row("websocket", NGX_HTTP_ORS_IN_BOTH|NGX_HTTP_ORS_IN_OFF,
                          websocket),
    ngx_http_ors_conf_row("upstream_errors",
                          NGX_HTTP_ORS_IN_BOTH|NGX_HTTP_ORS_IN_TARGET,
                          policy.mask),
    ngx_http_ors_conf_row("path_variants", NGX_HTTP_ORS_IN_VALIDATED,
                          path_variants),
    ngx_http_ors_conf_row("unknown_paths", NGX_HTTP_ORS_IN_VALIDATED,
                          unknown_paths),
    ngx_http_ors_conf_row("model",
                          NGX_HTTP_ORS_IN_VALIDATED|NGX_HTTP_ORS_IN_TARGET
                          |NGX_HTTP_ORS_IN_ZERO, model.data),
    ngx_http_ors_conf_row("dialect", NGX_HTTP_ORS_IN_TARGET, dialect),
    ngx_http_ors_conf_row("inline_context", NGX_HTTP_ORS_IN_TARGET,
                          inline_context),
    ngx_http_ors_conf_row("set", NGX_HTTP_ORS_IN_TARGET, sets),
    { "chat_options", NGX_HTTP_ORS_IN_CHAT,
      offsetof(ngx_http_ors_loc_conf_t, options),
      offsetof(ngx_ors_chat_options_t, efforts) },
    ngx_http_ors_conf_row("reasoning_effort", NGX_HTTP_ORS_IN_CHAT,
                          options.efforts),
    ngx_http_ors_conf_row("tool_type", NGX_HTTP_ORS_IN_CHAT, options.types),

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


static ngx_conf_enum_t  ngx_http_ors_ws_modes[] = {
    { ngx_string("off"), ngx_http_ors_websocket_off },
    { ngx_string("pass"), ngx_http_ors_websocket_pass },
    { ngx_string("on"), ngx_http_ors_websocket_on },
    { ngx_null_string, 0 }
};


static ngx_conf_enum_t  ngx_http_ors_ws_origins[] = {
    { ngx_string("same"), 0 },
    { ngx_string("any"), 1 },
    { ngx_null_string, 0 }
};


static ngx_ors_conf_param_t  ngx_http_ors_ws_params[] = {

    { ngx_string("idle="), ngx_ors_conf_param_msec,
      offsetof(ngx_http_ors_ws_conf_t, idle), 1, 0, NULL, "a time above 0" },

    { ngx_string("lifetime="), ngx_ors_conf_param_msec,
      offsetof(ngx_http_ors_ws_conf_t, lifetime), 1, 0, NULL,
      "a time above 0" },

    { ngx_string("queue="), ngx_ors_conf_param_number,
      offsetof(ngx_http_ors_ws_conf_t, queue), 1, 0, NULL,
      "a number above 0" },

    { ngx_string("message="), ngx_ors_conf_param_size,
      offsetof(ngx_http_ors_ws_conf_t, message), 1, 0, NULL,
      "a size above 0" },

    { ngx_string("lanes="), ngx_ors_conf_param_word,
      offsetof(ngx_http_ors_ws_conf_t, lanes), 0, 0, ngx_ors_conf_flags,
      "\"on\" or \"off\"" },

    { ngx_string("origin="), ngx_ors_conf_param_word,
      offsetof(ngx_http_ors_ws_conf_t, any_origin), 0, 0,
      ngx_http_ors_ws_origins, "\"same\" or \"any\"" },

    { ngx_null_string, NULL, 0, 0, 0, NULL, NULL }
};


ngx_int_t
ngx_http_ors_scope(ngx_http_ors_ctx_t *ctx)
{
    ngx_str_t                  list[2];
    ngx_table_elt_t           *key;
    ngx_http_complex_value_t  *scope;

    if (ctx->scoped) {
        return NGX_OK;
    }

    /* the same text made of other variables is another client */

    scope = ctx->conf->scope;
    key = ctx->request->headers_in.authorization;

    list[0] = scope ? scope->value : ngx_http_ors_scope_source;
    list[1] = key ? key->value : ngx_http_ors_scope_no_key;

    if (scope
        && ngx_http_complex_value(ctx->request, scope, &list[1]) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ngx_ors_digest_list(ngx_ors_key_scope, list, 2,
                            &ngx_http_ors_scope_no_key, ctx->scope)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ctx->ownerless = (list[1].len == 0 && !ctx->conf->scope_share);
    ctx->scoped = 1;

    return NGX_OK;
}


ngx_int_t
ngx_http_ors_scope_store(ngx_http_ors_ctx_t *ctx)
{
    ngx_str_t         list[2];
    ngx_ors_store_t  *store;

    if (ctx->owned) {
        return NGX_OK;
    }

    store = ctx->conf->stored.store;

    if (ngx_http_ors_scope(ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    list[0] = store->name;
    list[1].data = ctx->scope;
    list[1].len = NGX_ORS_DIGEST_LEN;

    if (ngx_ors_digest_list(ngx_ors_key_owner, list, 2, &store->key,
                            ctx->owner)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ctx->owned = 1;

    return NGX_OK;
}


ngx_int_t
ngx_http_ors_scope_sealer(ngx_http_ors_ctx_t *ctx, ngx_ors_sealer_t **sealer)
{
    ngx_str_t                  text;
    ngx_http_request_t        *r;
    ngx_http_ors_main_conf_t  *omcf;

    r = ctx->request;
    omcf = ngx_http_get_module_main_conf(r, ngx_http_open_responses_module);

    *sealer = NULL;

    if (omcf->secret == NULL) {
        return NGX_OK;
    }

    *sealer = ngx_palloc(r->pool, sizeof(ngx_ors_sealer_t));
    if (*sealer == NULL) {
        return NGX_ERROR;
    }

    (*sealer)->keys = omcf->secret;

    if (ngx_http_ors_scope(ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    text.data = ctx->scope;
    text.len = NGX_ORS_DIGEST_LEN;

    return ngx_ors_digest_list(ngx_ors_key_seal, &text, 1,
                               &ngx_http_ors_scope_no_key, (*sealer)->scope);
}


ngx_int_t
ngx_http_ors_scope_needed(ngx_http_ors_ctx_t *ctx, ngx_uint_t translates)
{
    ngx_ors_turn_t  *turn;

    turn = ctx->turn;

    if (!ctx->ownerless
        || !((ctx->session && ngx_ors_session_used(ctx->session))
             || (translates && turn->sealer && ngx_ors_turn_seals(turn))))
    {
        return NGX_OK;
    }

    if (ngx_http_ors_scope_refuse(ctx->request, &turn->error) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_ors_turn_give_up(turn);
}


ngx_int_t
ngx_http_ors_scope_refuse(ngx_http_request_t *r, ngx_ors_error_t *err)
{
    (void) ngx_ors_error_set(err, r->pool,
                             ngx_ors_code_authentication_required,
                             "what is stored or sealed belongs to a client, "
                             "and this request names no client: send "
                             "an API key in \"Authorization\", or \"store\": "
                             "false and nothing that refers to stored "
                             "responses; the operator can name clients with "
                             "\"open_responses_store_scope\"");

    return ngx_ors_header_text(&r->headers_out.headers, "WWW-Authenticate",
                               "www-authenticate", "Bearer")
           ? NGX_OK : NGX_ERROR;
}


/* open_responses_store_scope STRING [empty=reject|share]; */

char *
ngx_http_ors_scope_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_ors_loc_conf_t  *olcf = conf;

    char       *rv;
    ngx_str_t  *value;

    rv = ngx_http_set_complex_value_slot(cf, cmd, conf);

    if (rv != NGX_CONF_OK || cf->args->nelts == 2) {
        return rv;
    }

    value = cf->args->elts;

    if (ngx_strcmp(value[2].data, "empty=share") == 0) {
        olcf->scope_share = 1;

    } else if (ngx_strcmp(value[2].data, "empty=reject") != 0) {
        ngx_ors_conf_error(cf, 0,
                           "invalid parameter \"%V\" of "
                           "\"open_responses_store_scope\", it must be "
                           "\"empty=reject\" or \"empty=share\"", &value[2]);
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


/*
 * "open_responses_websocket": its words are known where ORS_WITHOUT leaves
 * WebSockets out
 */


char *
ngx_http_ors_ws_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_ors_loc_conf_t *olcf = conf;

    ngx_str_t               *value;
    ngx_http_ors_ws_conf_t  *ws;

    if (olcf->websocket != NGX_CONF_UNSET_UINT) {
        return "is duplicate";
    }

    value = cf->args->elts;

    if (ngx_ors_conf_value(cf, "", &cmd->name, ngx_http_ors_ws_modes,
                           &value[1], &olcf->websocket)
        != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

#if (NGX_ORS_WITHOUT_WEBSOCKET)

    if (olcf->websocket == ngx_http_ors_websocket_on) {
        ngx_ors_conf_error(cf, 0,
                           "\"%V on\" needs WebSockets, which this module "
                           "was built without (ORS_WITHOUT)", &cmd->name);
        return NGX_CONF_ERROR;
    }

#endif

    if (cf->args->nelts > 2 && olcf->websocket != ngx_http_ors_websocket_on) {
        ngx_ors_conf_error(cf, 0,
                           "invalid parameter \"%V\" of \"%V %V\", only "
                           "\"on\" has parameters", &value[2], &cmd->name,
                           &value[1]);
        return NGX_CONF_ERROR;
    }

    ws = &olcf->ws;

    /* NGX_CONF_UNSET of all types */

    ngx_memset(ws, 0xff, sizeof(ngx_http_ors_ws_conf_t));

    if (ngx_ors_conf_params(cf, ngx_http_ors_ws_params, ws, 2, NULL, NULL)
        != NGX_CONF_OK)
    {
        return NGX_CONF_ERROR;
    }

    ngx_conf_init_msec_value(ws->idle, NGX_HTTP_ORS_WS_IDLE);
    ngx_conf_init_msec_value(ws->lifetime, NGX_HTTP_ORS_WS_LIFETIME);
    ngx_conf_init_uint_value(ws->queue, NGX_HTTP_ORS_WS_QUEUE);
    ngx_conf_init_size_value(ws->message, 0);
    ngx_conf_init_uint_value(ws->lanes, 0);
    ngx_conf_init_uint_value(ws->any_origin, 0);

    return NGX_CONF_OK;
}


/*
 * Finds the locations of targets when nginx starts, which must be there, and
 * warns of those that clients can reach.
 */


ngx_int_t
ngx_http_ors_targets_check(ngx_conf_t *cf, ngx_http_core_loc_conf_t *gateway)
{
    ngx_uint_t                i, level;
    ngx_array_t              *tools, *servers;
    ngx_ors_tool_t           *tool;
    ngx_ors_route_t          *route;
    ngx_ors_target_t         *target;
    ngx_ors_mcp_conf_t       *mcp;
    ngx_http_ors_loc_conf_t  *olcf, *common, *called;

    olcf = gateway->loc_conf[ngx_http_open_responses_module.ctx_index];
    route = olcf->routes->elts;

    ngx_http_ors_gateway_name(cf, gateway);

    /* directives in "http" are for servers that may not have all locations */

    common = ngx_http_conf_get_module_loc_conf(cf,
                                              ngx_http_open_responses_module);

    level = (olcf->routes == common->routes) ? NGX_LOG_WARN : NGX_LOG_EMERG;

    for (i = 0; i < olcf->routes->nelts; i++) {

        for (target = &route[i].target; target; target = target->next) {
            called = ngx_http_ors_target_find(cf, gateway, "target",
                                              &target->uri, level);

            if (called == NULL && level == NGX_LOG_EMERG) {
                return NGX_ERROR;
            }

            if (called && called->chat_only
                && called->dialect != ngx_ors_dialect_chat)
            {
                ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                              "\"open_responses_%s\" has no effect in the "
                              "location of target \"%V\", which needs "
                              "\"open_responses_dialect chat\"",
                              called->chat_only, &target->uri);
                return NGX_ERROR;
            }

            /* targets of the "http" level have a location in each server */

            if (target->conf && target->conf != called) {
                target->shared = 1;
            }

            target->conf = target->shared ? NULL : called;
        }
    }

    tools = olcf->hosting.tools;
    servers = olcf->hosting.servers;

    level = (tools == common->hosting.tools) ? NGX_LOG_WARN : NGX_LOG_EMERG;

    for (i = 0; tools && i < tools->nelts; i++) {
        tool = (ngx_ors_tool_t *) tools->elts + i;

        if (tool->label.len) {

            if (ngx_ors_mcp_conf_find(servers, &tool->label)) {
                continue;
            }

            ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                          "\"open_responses_tool\" of location \"%V\": tool "
                          "\"%V\" is one of MCP server \"%V\", which no "
                          "\"open_responses_mcp\" names here",
                          &gateway->name, &tool->name, &tool->label);

            return NGX_ERROR;
        }

        if (ngx_http_ors_target_find(cf, gateway, "tool", &tool->uri, level)
            == NULL && level == NGX_LOG_EMERG)
        {
            return NGX_ERROR;
        }
    }

    level = (servers == common->hosting.servers) ? NGX_LOG_WARN
                                                 : NGX_LOG_EMERG;

    for (i = 0; servers && i < servers->nelts; i++) {
        mcp = (ngx_ors_mcp_conf_t *) servers->elts + i;

        if (ngx_http_ors_target_find(cf, gateway, "mcp", &mcp->uri, level)
            == NULL && level == NGX_LOG_EMERG)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* the paths of endpoints follow the name of a location that is a prefix */

static void
ngx_http_ors_gateway_name(ngx_conf_t *cf, ngx_http_core_loc_conf_t *gateway)
{
    ngx_str_t                  name, base;
    const ngx_ors_endpoint_t  *endpoint;

#if (NGX_PCRE)
    if (gateway->regex) {
        return;
    }
#endif

    if (gateway->exact_match || gateway->noname || gateway->named) {
        return;
    }

    name = gateway->name;

    if (name.len && name.data[name.len - 1] == '/') {
        name.len--;
    }

    endpoint = ngx_ors_endpoint_find(&name);

    if (endpoint == NULL) {
        return;
    }

    base = name;
    base.len -= endpoint->path.len;

    ngx_log_error(NGX_LOG_WARN, cf->log, 0,
                  "\"open_responses on\" in location \"%V\" serves "
                  "\"%V%V\", as the paths of endpoints follow the name of "
                  "the location: write \"location %V/\"",
                  &gateway->name, &name, &endpoint->path, &base);
}


/* NULL: no location serves "uri", or a gateway does */

static ngx_http_ors_loc_conf_t *
ngx_http_ors_target_find(ngx_conf_t *cf, ngx_http_core_loc_conf_t *gateway,
    char *what, ngx_str_t *uri, ngx_uint_t level)
{
    u_char                    *p;
    ngx_str_t                 *url;
    ngx_http_ors_loc_conf_t   *olcf;
    ngx_http_core_loc_conf_t  *server, *location;

    olcf = gateway->loc_conf[ngx_http_open_responses_module.ctx_index];
    server = olcf->server->ctx->loc_conf[ngx_http_core_module.ctx_index];

    location = ngx_http_ors_target_location(server, uri);

    if (location == NULL) {
        ngx_log_error(level, cf->log, 0,
                      "\"open_responses_%s\" of location \"%V\": no location "
                      "serves \"%V\"", what, &gateway->name, uri);
        return NULL;
    }

    olcf = location->loc_conf[ngx_http_open_responses_module.ctx_index];

    if (olcf->enable) {
        ngx_log_error(level, cf->log, 0,
                      "\"open_responses_%s\" of location \"%V\": \"%V\" is "
                      "served by location \"%V\", which has "
                      "\"open_responses on\", it needs another location",
                      what, &gateway->name, uri, &location->name);
        return NULL;
    }

    /* warnings, once for each location */

    if (olcf->called) {
        return olcf;
    }

    olcf->called = 1;

    if (!location->internal) {
        ngx_log_error(NGX_LOG_WARN, cf->log, 0,
                      "location \"%V\" of %s \"%V\" is not "
                      "\"internal\": clients can ask for it without location "
                      "\"%V\"", &location->name, what, uri, &gateway->name);
    }

    url = &olcf->proxy_pass;

    ngx_http_ors_target_resolver(cf, location, url);

    if (url->len == 0 || ngx_strcmp(what, "target") != 0) {
        return olcf;
    }

    if (ngx_strstr(url->data, "/v1$open_responses_uri")) {
        ngx_log_error(NGX_LOG_WARN, cf->log, 0,
                      "\"proxy_pass %V\" in location \"%V\" of target \"%V\" "
                      "asks for \"/v1/v1/...\": write "
                      "\"$open_responses_path\" after \"/v1\"",
                      url, &location->name, uri);
        return olcf;
    }

    /*
     * A URL without the path of an endpoint is asked for "/to/model" or the
     * like, which is a 404.  One that is made of other variables may be
     * complete; its host may be a variable.
     */

    p = (u_char *) ngx_strstr(url->data, "://");

    if (p && !olcf->asks && !ngx_http_ors_conf_asks(uri)
        && ngx_strchr(p + sizeof("://$") - 1, '$') == NULL)
    {
        ngx_log_error(NGX_LOG_WARN, cf->log, 0,
                      "\"proxy_pass %V\" in location \"%V\" of target \"%V\" "
                      "asks for one path, whatever the client has asked for: "
                      "end it with \"$open_responses_uri\", or, after a base "
                      "URL as \"/v1\", with \"$open_responses_path\"",
                      url, &location->name, uri);
    }

    return olcf;
}


/*
 * A URL with variables is resolved for each request, also one with the name of
 * a host.  A host with a variable in it may be an address or an upstream.
 */

static void
ngx_http_ors_target_resolver(ngx_conf_t *cf,
    ngx_http_core_loc_conf_t *location, ngx_str_t *url)
{
    u_char                          *p;
    ngx_str_t                        host;
    ngx_uint_t                       i;
    ngx_http_upstream_srv_conf_t   **uscf;
    ngx_http_upstream_main_conf_t   *umcf;

    if (url->len == 0 || location->resolver->connections.nelts) {
        return;
    }

    p = (u_char *) ngx_strstr(url->data, "://");

    if (p == NULL || ngx_strchr(p, '$') == NULL) {
        return;
    }

    host.data = p + 3;
    host.len = strcspn((char *) host.data, ":/?$");

    p = host.data + host.len;

    if (*p == '$' && ngx_strncmp(p, "$open_responses_", 16) != 0) {
        return;
    }

    /* nginx has an address, "[::1]" or "unix:", as it is */

    if (host.len == 0 || *host.data == '['
        || ngx_inet_addr(host.data, host.len) != INADDR_NONE
        || (host.len == 4 && ngx_strncmp(host.data, "unix", 4) == 0))
    {
        return;
    }

    umcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_upstream_module);
    uscf = umcf->upstreams.elts;

    for (i = 0; i < umcf->upstreams.nelts; i++) {
        if (uscf[i]->host.len == host.len
            && ngx_strncasecmp(uscf[i]->host.data, host.data, host.len) == 0)
        {
            return;
        }
    }

    ngx_log_error(NGX_LOG_WARN, cf->log, 0,
                  "\"proxy_pass %V\" in location \"%V\" has variables, so "
                  "that each request needs a \"resolver\" for \"%V\", and "
                  "there is none: set one, or write an \"upstream %V\"",
                  url, &location->name, &host, &host);
}


/* as nginx finds it, in "if" and "rewrite" apart */

static ngx_http_core_loc_conf_t *
ngx_http_ors_target_location(ngx_http_core_loc_conf_t *clcf, ngx_str_t *uri)
{
    ngx_int_t                   rc;
    ngx_http_core_loc_conf_t   *found, *nested;
#if (NGX_PCRE)
    ngx_http_core_loc_conf_t  **regex;
#endif

    found = NULL;

    rc = ngx_http_ors_target_static(&found, clcf->static_locations, uri);

    if (rc == NGX_OK) {
        return found;
    }

    if (found) {
        nested = ngx_http_ors_target_location(found, uri);

        if (nested) {
            return nested;
        }
    }

#if (NGX_PCRE)

    if ((found == NULL || !found->noregex) && clcf->regex_locations) {

        for (regex = clcf->regex_locations; *regex; regex++) {

            if (ngx_regex_exec((*regex)->regex->regex, uri, NULL, 0) >= 0) {
                nested = ngx_http_ors_target_location(*regex, uri);

                return nested ? nested : *regex;
            }
        }
    }

#endif

    return found;
}


/* NGX_OK: an exact one, NGX_DECLINED: "clcf" is the longest prefix, or as is */

static ngx_int_t
ngx_http_ors_target_static(ngx_http_core_loc_conf_t **clcf,
    ngx_http_location_tree_node_t *node, ngx_str_t *uri)
{
    u_char     *p;
    size_t      len, n;
    ngx_int_t   rc;

    p = uri->data;
    len = uri->len;

    while (node) {
        n = ngx_min(len, (size_t) node->len);

        rc = ngx_filename_cmp(p, node->name, n);

        if (rc != 0) {
            node = (rc < 0) ? node->left : node->right;
            continue;
        }

        if (len < (size_t) node->len) {
            node = node->left;
            continue;
        }

        if (len == (size_t) node->len && node->exact) {
            *clcf = node->exact;
            return NGX_OK;
        }

        if (node->inclusive == NULL) {
            node = node->right;
            continue;
        }

        *clcf = node->inclusive;

        node = node->tree;
        p += n;
        len -= n;
    }

    return NGX_DECLINED;
}


/*
 * Checks directives that are right one by one and wrong together: in a
 * location where they have no effect, or beside another handler.
 */


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


/* 1 if "text" has a variable with the path of an endpoint, or ends with one. */

static ngx_uint_t
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
    char                           *name;
    size_t                          n;
    uintptr_t                      *word, none;
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
        name = row->name;

        /* a validator lets WebSockets pass, and serves none */

        if (row->offset == offsetof(ngx_http_ors_loc_conf_t, websocket)
            && conf->websocket == ngx_http_ors_websocket_on)
        {
            in = NGX_HTTP_ORS_IN_GATEWAY;
            name = "websocket on";
        }

        /* it may be written in this very location or not */

        word = (uintptr_t *) ((u_char *) conf + row->offset);
        none = (in & NGX_HTTP_ORS_IN_ZERO) ? 0 : (uintptr_t) NGX_CONF_UNSET;

        for (n = row->size / sizeof(uintptr_t); n; n--, word++) {

            if (*word != none && (*word || !(in & NGX_HTTP_ORS_IN_OFF))) {
                break;
            }
        }

        if (n == 0) {
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
                           "\"%V\", set it in %s", name, &clcf->name,
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
