
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Finds the locations of targets when nginx starts, which must be there, and
 * warns of those that clients can reach.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_ors_mcp_server.h>


static ngx_int_t ngx_http_ors_target_callees(ngx_conf_t *cf,
    ngx_http_core_loc_conf_t *gateway, ngx_http_ors_loc_conf_t *common);
static ngx_http_ors_loc_conf_t *ngx_http_ors_target_find(ngx_conf_t *cf,
    ngx_http_core_loc_conf_t *gateway, char *what, ngx_str_t *uri,
    ngx_uint_t level);
static void ngx_http_ors_target_asks(ngx_conf_t *cf, ngx_str_t *uri,
    ngx_http_core_loc_conf_t *target);
static ngx_http_core_loc_conf_t *ngx_http_ors_target_location(
    ngx_http_core_loc_conf_t *clcf, ngx_str_t *uri);
static ngx_int_t ngx_http_ors_target_static(ngx_http_core_loc_conf_t **clcf,
    ngx_http_location_tree_node_t *node, ngx_str_t *uri);


ngx_int_t
ngx_http_ors_targets_check(ngx_conf_t *cf, ngx_http_core_loc_conf_t *gateway)
{
    ngx_uint_t                i, level;
    ngx_ors_route_t          *route;
    ngx_ors_target_t         *target;
    ngx_http_ors_loc_conf_t  *olcf, *common, *called;

    olcf = gateway->loc_conf[ngx_http_open_responses_module.ctx_index];
    route = olcf->routes->elts;

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

    return ngx_http_ors_target_callees(cf, gateway, common);
}


static ngx_int_t
ngx_http_ors_target_callees(ngx_conf_t *cf, ngx_http_core_loc_conf_t *gateway,
    ngx_http_ors_loc_conf_t *common)
{
    ngx_uint_t                i, level;
    ngx_array_t              *tools, *servers;
    ngx_ors_tool_t           *tool;
    ngx_ors_mcp_conf_t       *mcp;
    ngx_http_ors_loc_conf_t  *olcf;

    olcf = gateway->loc_conf[ngx_http_open_responses_module.ctx_index];
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


/* NULL: no location serves "uri", or a gateway does */

static ngx_http_ors_loc_conf_t *
ngx_http_ors_target_find(ngx_conf_t *cf, ngx_http_core_loc_conf_t *gateway,
    char *what, ngx_str_t *uri, ngx_uint_t level)
{
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

    /* once for each location */

    if (!location->internal && !olcf->called) {
        ngx_log_error(NGX_LOG_WARN, cf->log, 0,
                      "location \"%V\" of %s \"%V\" is not "
                      "\"internal\": clients can ask for it without location "
                      "\"%V\"", &location->name, what, uri, &gateway->name);
    }

    if (ngx_strcmp(what, "target") == 0 && !olcf->called) {
        ngx_http_ors_target_asks(cf, uri, location);
    }

    olcf->called = 1;

    return olcf;
}


/*
 * A URL without the path of an endpoint is asked for "/to/model" or the like,
 * which is a 404.  One that is made of other variables may be complete.
 */

static void
ngx_http_ors_target_asks(ngx_conf_t *cf, ngx_str_t *uri,
    ngx_http_core_loc_conf_t *target)
{
    u_char                   *p;
    ngx_http_ors_loc_conf_t  *olcf;

    olcf = target->loc_conf[ngx_http_open_responses_module.ctx_index];

    if (olcf->proxy_pass.len == 0) {
        return;
    }

    if (ngx_strstr(olcf->proxy_pass.data, "/v1$open_responses_uri")) {
        ngx_log_error(NGX_LOG_WARN, cf->log, 0,
                      "\"proxy_pass %V\" in location \"%V\" of target \"%V\" "
                      "asks for \"/v1/v1/...\": write "
                      "\"$open_responses_path\" after \"/v1\"",
                      &olcf->proxy_pass, &target->name, uri);
        return;
    }

    p = (u_char *) ngx_strstr(olcf->proxy_pass.data, "://");

    if (p == NULL || olcf->asks || ngx_http_ors_conf_asks(uri)) {
        return;
    }

    /* its host may be a variable */

    if (ngx_strchr(p + sizeof("://$") - 1, '$')) {
        return;
    }

    ngx_log_error(NGX_LOG_WARN, cf->log, 0,
                  "\"proxy_pass %V\" in location \"%V\" of target \"%V\" "
                  "asks for one path, whatever the client has asked for: end "
                  "it with \"$open_responses_uri\", or, after a base URL as "
                  "\"/v1\", with \"$open_responses_path\"",
                  &olcf->proxy_pass, &target->name, uri);
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
