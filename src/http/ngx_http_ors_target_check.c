
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The locations of targets: clients must not reach them, and access rules in
 * them do not hold, as nginx skips the access phase for subrequests.  Whoever
 * wrote them is told when nginx starts
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>


/* a directive, and the pointers that its module's configuration begins with */

typedef struct {
    char        *module;
    char        *directives;
    ngx_uint_t   str;           /* a string, in place of pointers */
    ngx_uint_t   n;
} ngx_http_ors_access_t;


static ngx_http_core_loc_conf_t *ngx_http_ors_target_location(
    ngx_http_core_loc_conf_t *clcf, ngx_str_t *uri);
static ngx_int_t ngx_http_ors_target_static(ngx_http_core_loc_conf_t **clcf,
    ngx_http_location_tree_node_t *node, ngx_str_t *uri);
static ngx_uint_t ngx_http_ors_target_access(ngx_conf_t *cf,
    ngx_http_ors_access_t *access, void **target, void **gateway);
static ngx_uint_t ngx_http_ors_target_off(ngx_http_ors_access_t *access,
    void **conf);


/* rules of "allow" and "deny" for IPv4, IPv6 and sockets of Unix */

#if (NGX_HAVE_INET6 && NGX_HAVE_UNIX_DOMAIN)
#define NGX_HTTP_ORS_ACCESS_RULES  3
#elif (NGX_HAVE_INET6 || NGX_HAVE_UNIX_DOMAIN)
#define NGX_HTTP_ORS_ACCESS_RULES  2
#else
#define NGX_HTTP_ORS_ACCESS_RULES  1
#endif


static ngx_http_ors_access_t  ngx_http_ors_accesses[] = {
    { "ngx_http_access_module", "\"allow\" or \"deny\"", 0,
      NGX_HTTP_ORS_ACCESS_RULES },
    { "ngx_http_auth_basic_module", "\"auth_basic\"", 0, 1 },
    { "ngx_http_auth_request_module", "\"auth_request\"", 1, 0 },
    { NULL, NULL, 0, 0 }
};


ngx_int_t
ngx_http_ors_target_check(ngx_conf_t *cf, ngx_http_core_loc_conf_t *gateway,
    ngx_str_t *uri, ngx_array_t *seen)
{
    ngx_uint_t                  i;
    ngx_http_ors_access_t      *access;
    ngx_http_ors_loc_conf_t    *olcf;
    ngx_http_core_loc_conf_t   *server, *target, **known;

    olcf = gateway->loc_conf[ngx_http_open_responses_module.ctx_index];
    server = olcf->server->ctx->loc_conf[ngx_http_core_module.ctx_index];

    target = ngx_http_ors_target_location(server, uri);

    if (target == NULL) {
        return NGX_OK;
    }

    known = seen->elts;

    for (i = 0; i < seen->nelts; i++) {
        if (known[i] == target) {
            return NGX_OK;
        }
    }

    known = ngx_array_push(seen);
    if (known == NULL) {
        return NGX_ERROR;
    }

    *known = target;

    if (!target->internal) {
        ngx_log_error(NGX_LOG_WARN, cf->log, 0,
                      "location \"%V\" of target \"%V\" is not "
                      "\"internal\": clients can ask for it without location "
                      "\"%V\"", &target->name, uri, &gateway->name);
    }

    for (access = ngx_http_ors_accesses; access->module; access++) {

        if (!ngx_http_ors_target_access(cf, access, target->loc_conf,
                                        gateway->loc_conf))
        {
            continue;
        }

        ngx_log_error(NGX_LOG_WARN, cf->log, 0,
                      "%s in location \"%V\" does not hold for requests that "
                      "come by \"open_responses_target\" of location \"%V\": "
                      "nginx skips it in subrequests, set it there, or use "
                      "\"map\" and \"return\" in the target",
                      access->directives, &target->name, &gateway->name);
    }

    return NGX_OK;
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
 * 1 if the target has rules that the gateway has not: those that both have
 * inherited hold in the gateway.  The configurations of these modules are
 * private; a location without rules of its own has the pointers of its server
 */

static ngx_uint_t
ngx_http_ors_target_access(ngx_conf_t *cf, ngx_http_ors_access_t *access,
    void **target, void **gateway)
{
    void         **own, **inherited;
    ngx_str_t     *uri;
    ngx_int_t      index;
    ngx_uint_t     i;

    index = ngx_http_ors_module_index(cf, access->module);

    if (index == NGX_ERROR) {
        return 0;
    }

    own = target[index];
    inherited = gateway[index];

    if (access->str) {
        uri = (ngx_str_t *) own;

        return uri->len && uri->data != ((ngx_str_t *) inherited)->data;
    }

    for (i = 0; i < access->n; i++) {

        if (own[i] && own[i] != inherited[i]) {
            return !ngx_http_ors_target_off(access, own);
        }
    }

    return 0;
}


/* "auth_basic off" has a value, too */

static ngx_uint_t
ngx_http_ors_target_off(ngx_http_ors_access_t *access, void **conf)
{
    ngx_http_complex_value_t  *realm;

    if (ngx_strcmp(access->module, "ngx_http_auth_basic_module") != 0) {
        return 0;
    }

    realm = conf[0];

    return realm->value.len == 3
           && ngx_strncmp(realm->value.data, "off", 3) == 0;
}
