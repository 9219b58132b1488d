
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * "open_responses_target": which target a model's name leads to.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_route.h>
#include <ngx_ors_names.h>


#define NGX_ORS_ROUTE_FAILS         1000

/* s, as nginx has it for the servers of an upstream */
#define NGX_ORS_ROUTE_FAIL_TIMEOUT  10


static ngx_uint_t ngx_ors_route_model_first(ngx_ors_route_t *route,
    ngx_uint_t n);
static ngx_uint_t ngx_ors_route_known(ngx_array_t *routes,
    ngx_ors_route_t *route);
static ngx_int_t ngx_ors_route_uri(ngx_conf_t *cf, ngx_ors_target_t *target,
    ngx_str_t *value);
static void ngx_ors_route_name(ngx_ors_route_t *route, ngx_str_t *value);
static char *ngx_ors_route_regex_compile(ngx_conf_t *cf,
    ngx_ors_route_t *route, ngx_str_t *value);


static ngx_ors_conf_param_t  ngx_ors_route_params[] = {

    { ngx_string("provider="), ngx_ors_conf_param_text,
      offsetof(ngx_ors_target_t, provider), 0, 0, NULL, "a name" },

    { ngx_string("max_fails="), ngx_ors_conf_param_number,
      offsetof(ngx_ors_target_t, max_fails), 1, NGX_ORS_ROUTE_FAILS, NULL,
      "a number from 1 to 1000" },

    { ngx_string("fail_timeout="), ngx_ors_conf_param_sec,
      offsetof(ngx_ors_target_t, fail_timeout), 1, 0, NULL,
      "a time of a second or more, such as \"10s\"" },

    { ngx_null_string, NULL, 0, 0, 0, NULL, NULL }
};


/*
 * As with locations: a name, else the longest prefix, else the first regular
 * expression, else the default, of all those of the provider
 */

ngx_int_t
ngx_ors_route_find(ngx_array_t *routes, ngx_str_t *model, ngx_str_t *provider,
    ngx_ors_target_t **target, ngx_log_t *log)
{
    ngx_int_t         rc;
    ngx_uint_t        i;
    ngx_ors_route_t  *route, *prefix, *regex, *def;

    rc = 0;
    prefix = NULL;
    regex = NULL;
    def = NULL;

    route = routes->elts;

    for (i = 0; i < routes->nelts; i++) {

        if (provider->len
            && !ngx_ors_same(&route[i].target.provider, provider))
        {
            continue;
        }

        switch (route[i].type) {

        case ngx_ors_route_exact:

            if (ngx_ors_same(&route[i].name, model)) {
                *target = &route[i].target;
                return NGX_OK;
            }

            break;

        case ngx_ors_route_prefix:

            if (route[i].name.len <= model->len
                && (prefix == NULL || route[i].name.len > prefix->name.len)
                && ngx_memcmp(route[i].name.data, model->data,
                              route[i].name.len)
                   == 0)
            {
                prefix = &route[i];
            }

            break;

        case ngx_ors_route_regex:

#if (NGX_PCRE)
            if (regex == NULL) {
                rc = ngx_regex_exec(route[i].regex, model, NULL, 0);

                if (rc != NGX_REGEX_NO_MATCHED) {
                    regex = &route[i];
                }
            }
#endif

            break;

        case ngx_ors_route_default:

            if (def == NULL) {
                def = &route[i];
            }

            break;
        }
    }

    /* a later expression, or the default, may be the wrong target */

    if (prefix == NULL && regex && rc < 0) {
        ngx_log_error(NGX_LOG_ERR, log, 0,
                      "regular expression \"%V\" of a target has failed "
                      "with %i", &regex->name, rc);
        return NGX_ERROR;
    }

    route = prefix ? prefix : (regex ? regex : def);

    if (route == NULL) {
        return NGX_DECLINED;
    }

    *target = &route->target;

    return NGX_OK;
}


void
ngx_ors_route_models(ngx_array_t *routes, time_t created, ngx_ors_out_t *out)
{
    char             *sep;
    ngx_uint_t        i;
    ngx_ors_route_t  *route;

    sep = "";
    route = routes->elts;

    ngx_ors_out_lit(out, "{\"object\":\"list\",\"data\":[");

    for (i = 0; i < routes->nelts; i++) {

        if (route[i].type != ngx_ors_route_exact
            || !ngx_ors_route_model_first(route, i))
        {
            continue;
        }

        ngx_ors_out_copy(out, (u_char *) sep, ngx_strlen(sep));
        ngx_ors_out_lit(out, "{\"id\":");
        ngx_ors_json_quote(out, route[i].name.data, route[i].name.len);
        ngx_ors_out_lit(out, ",\"object\":\"model\",\"created\":");
        ngx_ors_out_int(out, created);
        ngx_ors_out_lit(out, ",\"owned_by\":\"open_responses\"}");

        sep = ",";
    }

    ngx_ors_out_lit(out, "]}");
}


/* a model that several providers have is one model */

static ngx_uint_t
ngx_ors_route_model_first(ngx_ors_route_t *route, ngx_uint_t n)
{
    ngx_uint_t  i;

    for (i = 0; i < n; i++) {

        if (route[i].type == ngx_ors_route_exact
            && ngx_ors_same(&route[i].name, &route[n].name))
        {
            return 0;
        }
    }

    return 1;
}


char *
ngx_ors_route_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_int_t           rc;
    ngx_str_t          *value;
    ngx_uint_t          i, last;
    ngx_array_t       **routes;
    ngx_ors_route_t    *route;
    ngx_ors_target_t   *target;

    routes = (ngx_array_t **) ((u_char *) conf + cmd->offset);

    if (*routes == NGX_CONF_UNSET_PTR) {
        *routes = ngx_array_create(cf->pool, 4, sizeof(ngx_ors_route_t));
        if (*routes == NULL) {
            return NGX_CONF_ERROR;
        }
    }

    value = cf->args->elts;

    if (cf->args->nelts == 2) {
        ngx_ors_conf_error(cf, 0,
                           "\"open_responses_target\" needs two words: a "
                           "model or \"default\", and then the URI of a "
                           "location");
        return NGX_CONF_ERROR;
    }

    route = ngx_array_push(*routes);
    if (route == NULL) {
        return NGX_CONF_ERROR;
    }

    ngx_memzero(route, sizeof(ngx_ors_route_t));

    ngx_ors_route_name(route, &value[1]);

    if ((route->name.len == 0 && route->type != ngx_ors_route_default
         && route->type != ngx_ors_route_prefix)
        || (route->type == ngx_ors_route_regex
            && route->name.len == 1 && route->name.data[0] == '*'))
    {
        ngx_ors_conf_error(cf, 0,
                           "invalid model \"%V\", it must be a name, "
                           "\"prefix*\", \"~regex\" or \"default\"",
                           &value[1]);
        return NGX_CONF_ERROR;
    }

    target = &route->target;

    /* the first word after the model is a URI */

    target->max_fails = NGX_CONF_UNSET_UINT;
    target->fail_timeout = NGX_CONF_UNSET;

    for (last = cf->args->nelts - 1; last > 2; last--) {
        rc = ngx_ors_conf_param(cf, ngx_ors_route_params, target, &value[last],
                                NULL, NULL);

        if (rc == NGX_ERROR) {
            return NGX_CONF_ERROR;
        }

        if (rc == NGX_DECLINED && value[last].data[0] != '/'
            && ngx_strlchr(value[last].data, value[last].data + value[last].len,
                           '=')
               != NULL)
        {
            ngx_ors_conf_param_unknown(cf, ngx_ors_route_params, &value[last],
                                       NULL, NULL);
            return NGX_CONF_ERROR;
        }

        if (rc == NGX_DECLINED) {
            break;
        }
    }

    /* one of them means both */

    ngx_conf_init_uint_value(target->max_fails,
                             (target->fail_timeout == NGX_CONF_UNSET) ? 0 : 1);
    ngx_conf_init_value(target->fail_timeout,
                        target->max_fails ? NGX_ORS_ROUTE_FAIL_TIMEOUT : 0);

    if (ngx_ors_route_known(*routes, route)) {
        ngx_ors_conf_error(cf, 0,
                           "target of model \"%V\" is duplicate", &value[1]);
        return NGX_CONF_ERROR;
    }

    for (i = 2; /* void */ ; i++) {

        if (ngx_ors_route_uri(cf, target, &value[i]) != NGX_OK) {
            return NGX_CONF_ERROR;
        }

        if (i >= last) {
            break;
        }

        target->next = ngx_pcalloc(cf->pool, sizeof(ngx_ors_target_t));
        if (target->next == NULL) {
            return NGX_CONF_ERROR;
        }

        target->next->provider = target->provider;
        target->next->max_fails = target->max_fails;
        target->next->fail_timeout = target->fail_timeout;
        target = target->next;
    }

    if (route->type == ngx_ors_route_regex) {
        return ngx_ors_route_regex_compile(cf, route, &value[1]);
    }

    return NGX_CONF_OK;
}


/* 1 if a route in front of the last one has its name and provider */

static ngx_uint_t
ngx_ors_route_known(ngx_array_t *routes, ngx_ors_route_t *route)
{
    ngx_ors_route_t  *other;

    for (other = routes->elts; other < route; other++) {

        if (other->type == route->type
            && ngx_ors_same(&other->name, &route->name)
            && ngx_ors_same(&other->target.provider,
                            &route->target.provider))
        {
            return 1;
        }
    }

    return 0;
}


static ngx_int_t
ngx_ors_route_uri(ngx_conf_t *cf, ngx_ors_target_t *target,
    ngx_str_t *value)
{
    u_char     *p;
    ngx_str_t   uri;

    uri = *value;

    if (uri.len == 0 || uri.data[0] != '/') {
        ngx_ors_conf_error(cf, 0,
                           "invalid target \"%V\", it must be the URI of a "
                           "location and begin with \"/\"", &uri);
        return NGX_ERROR;
    }

    p = ngx_strlchr(uri.data, uri.data + uri.len, '?');

    if (p) {
        target->args.data = p + 1;
        target->args.len = uri.data + uri.len - (p + 1);
        uri.len = p - uri.data;
    }

    target->uri = uri;

    return NGX_OK;
}


static void
ngx_ors_route_name(ngx_ors_route_t *route, ngx_str_t *value)
{
    route->name = *value;

    if (value->len == 7 && ngx_strncmp(value->data, "default", 7) == 0) {
        route->type = ngx_ors_route_default;
        route->name.len = 0;
        return;
    }

    if (value->len && value->data[0] == '~') {
        route->type = ngx_ors_route_regex;
        route->name.data++;
        route->name.len--;
        return;
    }

    if (value->len && value->data[value->len - 1] == '*') {
        route->type = ngx_ors_route_prefix;
        route->name.len--;
        return;
    }

    route->type = ngx_ors_route_exact;
}


static char *
ngx_ors_route_regex_compile(ngx_conf_t *cf, ngx_ors_route_t *route,
    ngx_str_t *value)
{
#if (NGX_PCRE)
    u_char               errstr[NGX_MAX_CONF_ERRSTR];
    ngx_regex_compile_t  rc;

    ngx_memzero(&rc, sizeof(ngx_regex_compile_t));

    rc.pattern = route->name;
    rc.pool = cf->pool;
    rc.err.len = NGX_MAX_CONF_ERRSTR;
    rc.err.data = errstr;

    if (rc.pattern.len && rc.pattern.data[0] == '*') {
        rc.pattern.data++;
        rc.pattern.len--;
        rc.options = NGX_REGEX_CASELESS;
    }

    if (ngx_regex_compile(&rc) != NGX_OK) {
        ngx_ors_conf_error(cf, 0, "%V", &rc.err);
        return NGX_CONF_ERROR;
    }

    route->regex = rc.regex;

    return NGX_CONF_OK;

#else

    ngx_ors_conf_error(cf, 0,
                       "model \"%V\" needs an nginx that was built with PCRE",
                       value);
    return NGX_CONF_ERROR;

#endif
}
