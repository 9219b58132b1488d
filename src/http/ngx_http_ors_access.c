
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Who may ask for a location: the rules of nginx's other modules, read from
 * the first words of their private configurations.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_http_ors_access.h>
#include <ngx_ors_conf.h>


/* rules of "allow" and "deny" for IPv4, IPv6 and sockets of Unix */

#if (NGX_HAVE_INET6 && NGX_HAVE_UNIX_DOMAIN)
#define NGX_HTTP_ORS_ACCESS_RULES  3
#elif (NGX_HAVE_INET6 || NGX_HAVE_UNIX_DOMAIN)
#define NGX_HTTP_ORS_ACCESS_RULES  2
#else
#define NGX_HTTP_ORS_ACCESS_RULES  1
#endif


typedef struct {
    char        *module;
    char        *directives;    /* NULL: subrequests do not skip them */
    ngx_uint_t   pointers;      /* its configuration begins with so many */
    ngx_uint_t   string;        /* ... or with a string */
} ngx_http_ors_access_t;


static void *ngx_http_ors_access_rule(ngx_http_ors_access_t *access,
    void **conf, ngx_uint_t i);


static ngx_http_ors_access_t  ngx_http_ors_accesses[] = {
    { "ngx_http_access_module", "\"allow\" or \"deny\"",
      NGX_HTTP_ORS_ACCESS_RULES, 0 },
    { "ngx_http_auth_basic_module", "\"auth_basic\"", 1, 0 },
    { "ngx_http_auth_request_module", "\"auth_request\"", 1, 1 },
    { "ngx_http_rewrite_module", NULL, 1, 0 },
    { NULL, NULL, 0, 0 }
};


/* they need no directive that could be seen */

static char  *ngx_http_ors_access_scripts[] = {
    "ngx_http_auth_jwt_module",
    "ngx_http_lua_module",
    "ngx_http_js_module",
    "ngx_http_perl_module",
    NULL
};


ngx_uint_t
ngx_http_ors_access_checked(ngx_conf_t *cf, ngx_http_core_loc_conf_t *clcf)
{
    char                   **script;
    ngx_int_t                index;
    ngx_uint_t               i;
    ngx_http_ors_access_t   *access;

    for (script = ngx_http_ors_access_scripts; *script; script++) {

        if (ngx_ors_conf_module(cf, *script) != NGX_ERROR) {
            return 1;
        }
    }

    for (access = ngx_http_ors_accesses; access->module; access++) {

        index = ngx_ors_conf_module(cf, access->module);

        if (index == NGX_ERROR) {
            continue;
        }

        for (i = 0; i < access->pointers; i++) {

            if (ngx_http_ors_access_rule(access, clcf->loc_conf[index], i)) {
                return 1;
            }
        }
    }

    return 0;
}


/* rules that both have were inherited: they hold in the gateway */

char *
ngx_http_ors_access_skipped(ngx_conf_t *cf, ngx_uint_t *n,
    ngx_http_core_loc_conf_t *target, ngx_http_core_loc_conf_t *gateway)
{
    void                   *rule;
    ngx_int_t               index;
    ngx_uint_t              i;
    ngx_http_ors_access_t  *access;

    for (access = &ngx_http_ors_accesses[*n]; access->directives; access++) {

        (*n)++;

        index = ngx_ors_conf_module(cf, access->module);

        if (index == NGX_ERROR) {
            continue;
        }

        for (i = 0; i < access->pointers; i++) {

            rule = ngx_http_ors_access_rule(access, target->loc_conf[index], i);

            if (rule && rule != ngx_http_ors_access_rule(access,
                                             gateway->loc_conf[index], i))
            {
                return access->directives;
            }
        }
    }

    return NULL;
}


/* NULL: the location has no such rule; "auth_basic off" has a value, too */

static void *
ngx_http_ors_access_rule(ngx_http_ors_access_t *access, void **conf,
    ngx_uint_t i)
{
    ngx_str_t                 *uri;
    ngx_http_complex_value_t  *realm;

    if (conf == NULL) {
        return NULL;
    }

    if (access->string) {
        uri = (ngx_str_t *) conf;
        return uri->len ? uri->data : NULL;
    }

    if (conf[i] == NULL
        || ngx_strcmp(access->module, "ngx_http_auth_basic_module") != 0)
    {
        return conf[i];
    }

    realm = conf[i];

    return (realm->value.len == 3
            && ngx_strncmp(realm->value.data, "off", 3) == 0)
           ? NULL : realm;
}
