
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * "open_responses_target": which target a model's name leads to.  Then the
 * endpoints, by the end of a URI, and "open_responses_limits".
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_route.h>
#include <ngx_ors_fields.h>


#define NGX_ORS_ROUTE_FAILS         1000

/* s, as nginx has it for the servers of an upstream */
#define NGX_ORS_ROUTE_FAIL_TIMEOUT  10

#define ngx_ors_limits_field(limits, limit)                                   \
    ((size_t *) ((u_char *) (limits) + (limit)->offset))


typedef struct {
    ngx_str_t     name;
    size_t        offset;
    ngx_uint_t    min;
    ngx_uint_t    max;
    ngx_uint_t    value;      /* default */
    unsigned      size:1;     /* takes "k", "m" and "g" */
} ngx_ors_limit_t;


static void ngx_ors_route_entry(ngx_str_t *id, time_t created,
    ngx_ors_out_t *out);
static ngx_uint_t ngx_ors_route_known(ngx_array_t *routes,
    ngx_ors_route_t *route, ngx_str_t *provider);
static ngx_int_t ngx_ors_route_uri(ngx_conf_t *cf, ngx_ors_target_t *target,
    ngx_str_t *value);
static void ngx_ors_route_name(ngx_ors_route_t *route, ngx_str_t *value);
static char *ngx_ors_route_regex_compile(ngx_conf_t *cf,
    ngx_ors_route_t *route, ngx_str_t *value);
static u_char *ngx_ors_endpoint_decode(u_char *dst, u_char *p, u_char *last);
static u_char *ngx_ors_endpoint_segments(u_char *dst, u_char *p,
    u_char *last);
static u_char *ngx_ors_endpoint_segment(u_char *text, u_char *dst, u_char *p,
    u_char *last);
static char *ngx_ors_limit(ngx_conf_t *cf, ngx_ors_limits_t *limits,
    ngx_str_t *value);


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


const ngx_ors_endpoint_t  ngx_ors_endpoints[] = {

    { ngx_ors_endpoint_responses, ngx_string("/responses"),
      &ngx_ors_fields_create, &ngx_ors_fields_response,
      &ngx_ors_fields_event },

    { ngx_ors_endpoint_input_tokens, ngx_string("/responses/input_tokens"),
      &ngx_ors_fields_create, &ngx_ors_fields_input_tokens, NULL },

    { ngx_ors_endpoint_compact, ngx_string("/responses/compact"),
      &ngx_ors_fields_compact, &ngx_ors_fields_compaction, NULL },

    { ngx_ors_endpoint_chat, ngx_string("/chat/completions"),
      &ngx_ors_fields_chat_request, &ngx_ors_fields_chat_answer,
      &ngx_ors_fields_chat_chunk },

    { ngx_ors_endpoint_embeddings, ngx_string("/embeddings"),
      &ngx_ors_fields_embeddings_request, &ngx_ors_fields_embeddings_answer,
      NULL },

    { ngx_ors_endpoint_models, ngx_string("/models"),
      NULL, &ngx_ors_fields_models, NULL }
};


static ngx_ors_limit_t  ngx_ors_limits[] = {

    { ngx_string("depth"), offsetof(ngx_ors_limits_t, depth),
      4, NGX_ORS_JSON_MAX_DEPTH, 64, 0 },

    { ngx_string("nodes"), offsetof(ngx_ors_limits_t, nodes),
      64, 64 * 1024 * 1024, 200000, 0 },

    { ngx_string("items"), offsetof(ngx_ors_limits_t, items),
      1, 1024 * 1024, 10000, 0 },

    { ngx_string("tools"), offsetof(ngx_ors_limits_t, tools),
      1, 65536, 1024, 0 },

    { ngx_string("calls"), offsetof(ngx_ors_limits_t, calls),
      1, 65536, 128, 0 },

    { ngx_string("event"), offsetof(ngx_ors_limits_t, event),
      4096, 1024 * 1024 * 1024, 16 * 1024 * 1024, 1 },

    { ngx_string("answer"), offsetof(ngx_ors_limits_t, answer),
      4096, 1024 * 1024 * 1024, 32 * 1024 * 1024, 1 },

    { ngx_string("queue"), offsetof(ngx_ors_limits_t, queue),
      4096, 64 * 1024 * 1024, 64 * 1024, 1 },

    { ngx_string("turns"), offsetof(ngx_ors_limits_t, turns),
      1, 1024 * 1024, 4096, 0 },

    { ngx_string("context"), offsetof(ngx_ors_limits_t, context),
      4096, 1024 * 1024 * 1024, 4 * 1024 * 1024, 1 },

    { ngx_string("truncate"), offsetof(ngx_ors_limits_t, truncate),
      1024, 1024 * 1024 * 1024, 512 * 1024, 1 },

    { ngx_string("tool_answer"), offsetof(ngx_ors_limits_t, tool_answer),
      1024, 64 * 1024 * 1024, 256 * 1024, 1 },

    { ngx_string("tool_calls"), offsetof(ngx_ors_limits_t, tool_calls),
      1, 1024, 5, 0 },

    { ngx_string("scope_context"), offsetof(ngx_ors_limits_t, scope_context),
      0, NGX_MAX_SIZE_T_VALUE, 512 * 1024 * 1024, 1 },

    { ngx_null_string, 0, 0, 0, 0, 0 }
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

        /* a model that several providers have is one model */

        if (route[i].type != ngx_ors_route_exact
            || ngx_ors_route_known(routes, &route[i], NULL))
        {
            continue;
        }

        ngx_ors_out_copy(out, (u_char *) sep, ngx_strlen(sep));
        ngx_ors_route_entry(&route[i].name, created, out);

        sep = ",";
    }

    ngx_ors_out_lit(out, "]}");
}


ngx_int_t
ngx_ors_route_model(ngx_array_t *routes, ngx_str_t *id, time_t created,
    ngx_ors_out_t *out, ngx_log_t *log)
{
    ngx_int_t          rc;
    ngx_uint_t         i;
    ngx_ors_route_t   *route;
    ngx_ors_target_t  *target;

    static ngx_str_t  any = ngx_null_string;

    rc = ngx_ors_route_find(routes, id, &any, &target, log);

    if (rc != NGX_OK) {
        return rc;
    }

    route = routes->elts;

    for (i = 0; i < routes->nelts; i++) {
        if (route[i].type == ngx_ors_route_default
            && target == &route[i].target)
        {
            return NGX_DECLINED;
        }
    }

    ngx_ors_route_entry(id, created, out);

    return NGX_OK;
}


static void
ngx_ors_route_entry(ngx_str_t *id, time_t created, ngx_ors_out_t *out)
{
    ngx_ors_out_lit(out, "{\"id\":");
    ngx_ors_json_quote(out, id->data, id->len);
    ngx_ors_out_lit(out, ",\"object\":\"model\",\"created\":");
    ngx_ors_out_int(out, created);
    ngx_ors_out_lit(out, ",\"owned_by\":\"open_responses\"}");
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

    if (ngx_ors_route_known(*routes, route, &target->provider)) {
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


/* 1 if one in front of "route" has its name, and "provider" unless NULL */

static ngx_uint_t
ngx_ors_route_known(ngx_array_t *routes, ngx_ors_route_t *route,
    ngx_str_t *provider)
{
    ngx_ors_route_t  *other;

    for (other = routes->elts; other < route; other++) {

        if (other->type == route->type
            && ngx_ors_same(&other->name, &route->name)
            && (provider == NULL
                || ngx_ors_same(&other->target.provider, provider)))
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


/*
 * The endpoints in a table: their names, what is read and what is written.
 */


const ngx_ors_endpoint_t *
ngx_ors_endpoint_find(ngx_str_t *uri)
{
    ngx_uint_t                 i;
    const ngx_ors_endpoint_t  *endpoint;

    for (i = 0;
         i < sizeof(ngx_ors_endpoints) / sizeof(ngx_ors_endpoints[0]);
         i++)
    {
        endpoint = &ngx_ors_endpoints[i];

        if (uri->len >= endpoint->path.len
            && ngx_memcmp(uri->data + uri->len - endpoint->path.len,
                          endpoint->path.data, endpoint->path.len)
               == 0)
        {
            return endpoint;
        }
    }

    return NULL;
}


ngx_int_t
ngx_ors_endpoint_variant(ngx_str_t *uri, ngx_pool_t *pool,
    const ngx_ors_endpoint_t **endpoint)
{
    u_char     *last;
    ngx_str_t   path;

    static ngx_str_t  json = ngx_string(".json");

    path.data = ngx_pnalloc(pool, uri->len + 1);
    if (path.data == NULL) {
        return NGX_ERROR;
    }

    /* one byte of room: each segment will have a slash in front of it */

    last = ngx_ors_endpoint_decode(path.data + 1, uri->data,
                                   uri->data + uri->len);
    last = ngx_ors_endpoint_segments(path.data, path.data + 1, last);

    path.len = last - path.data;

    if (path.len > json.len
        && ngx_memcmp(last - json.len, json.data, json.len) == 0)
    {
        path.len -= json.len;
    }

    *endpoint = ngx_ors_endpoint_find(&path);

    return NGX_OK;
}


/* also what has been encoded more than once */

static u_char *
ngx_ors_endpoint_decode(u_char *dst, u_char *p, u_char *last)
{
    u_char     *start;
    ngx_int_t   ch;

    start = dst;

    while (p < last) {
        *dst++ = *p++;

        while (dst - start >= 3 && dst[-3] == '%') {
            ch = ngx_hextoi(dst - 2, 2);

            if (ch == NGX_ERROR) {
                break;
            }

            dst -= 2;
            dst[-1] = (u_char) ch;
        }
    }

    return dst;
}


/* up to what could be arguments */

static u_char *
ngx_ors_endpoint_segments(u_char *dst, u_char *p, u_char *last)
{
    u_char  *text, *end;

    text = dst;

    for ( /* void */ ; p < last; p = end + 1) {

        for (end = p; end < last && *end != '/' && *end != '\\'; end++) {

            if (*end == '?' || *end == '#') {
                return ngx_ors_endpoint_segment(text, dst, p, end);
            }
        }

        dst = ngx_ors_endpoint_segment(text, dst, p, end);
    }

    return dst;
}


/* adds a slash and the segment from "p" to "last", unless nothing is in it */

static u_char *
ngx_ors_endpoint_segment(u_char *text, u_char *dst, u_char *p, u_char *last)
{
    u_char  *end;

    while (p < last && *p <= ' ') {
        p++;
    }

    for (end = p; end < last && *end != ';'; end++) { /* void */ }

    while (end > p && (end[-1] <= ' ' || end[-1] == 0x7f)) {
        end--;
    }

    if (end - p == 2 && p[0] == '.' && p[1] == '.') {

        while (dst > text && *--dst != '/') { /* void */ }

        return dst;
    }

    while (end > p && (end[-1] <= ' ' || end[-1] == '.')) {
        end--;
    }

    if (end == p) {
        return dst;
    }

    *dst++ = '/';

    for ( /* void */ ; p < end; p++) {

        /* U+017F is an "s" to those who ignore the case of Unicode */

        if (p[0] == 0xc5 && end - p > 1 && p[1] == 0xbf) {
            *dst++ = 's';
            p++;
            continue;
        }

        *dst++ = ngx_tolower(*p);
    }

    return dst;
}


ngx_uint_t
ngx_ors_endpoint_versioned(ngx_str_t *uri)
{
    u_char  *p, *last;

    last = uri->data + uri->len;

    for (p = uri->data; last - p > 2; p++) {

        if (p[0] == '/' && ngx_tolower(p[1]) == 'v'
            && p[2] >= '0' && p[2] <= '9')
        {
            return 1;
        }
    }

    return 0;
}


ngx_uint_t
ngx_ors_endpoint_cancels(ngx_str_t *uri)
{
    u_char  *p, *last;

    static ngx_str_t  prefix = ngx_string("/responses/");
    static ngx_str_t  cancel = ngx_string("/cancel");

    if (uri->len < prefix.len + cancel.len) {
        return 0;
    }

    last = uri->data + uri->len - cancel.len;

    if (ngx_memcmp(last, cancel.data, cancel.len) != 0) {
        return 0;
    }

    for (p = last; p > uri->data && p[-1] != '/'; p--) { /* void */ }

    return p < last && (size_t) (p - uri->data) >= prefix.len
           && ngx_memcmp(p - prefix.len, prefix.data, prefix.len) == 0;
}


/* "open_responses_limits": a table of limits, their bounds and defaults. */


char *
ngx_ors_limits_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    char              *rv;
    ngx_str_t         *value;
    ngx_uint_t         i;
    ngx_ors_limits_t  *limits;

    limits = (ngx_ors_limits_t *) ((u_char *) conf + cmd->offset);
    value = cf->args->elts;

    for (i = 1; i < cf->args->nelts; i++) {
        rv = ngx_ors_limit(cf, limits, &value[i]);

        if (rv != NGX_CONF_OK) {
            return rv;
        }
    }

    return NGX_CONF_OK;
}


static char *
ngx_ors_limit(ngx_conf_t *cf, ngx_ors_limits_t *limits, ngx_str_t *value)
{
    u_char           *last, buf[NGX_MAX_CONF_ERRSTR];
    size_t           *field;
    ssize_t           n;
    ngx_str_t         s;
    ngx_ors_limit_t  *limit;

    for (limit = ngx_ors_limits; limit->name.len; limit++) {

        if (value->len > limit->name.len
            && value->data[limit->name.len] == '='
            && ngx_strncmp(value->data, limit->name.data, limit->name.len)
               == 0)
        {
            break;
        }
    }

    if (limit->name.len == 0) {
        last = ngx_ors_conf_words(buf, ngx_ors_limits, sizeof(ngx_ors_limit_t),
                                  "=", value);

        ngx_ors_conf_error(cf, 0,
                           "invalid limit \"%V\", it must be %*s", value,
                           (size_t) (last - buf), buf);
        return NGX_CONF_ERROR;
    }

    s.data = value->data + limit->name.len + 1;
    s.len = value->data + value->len - s.data;

    n = limit->size ? (ssize_t) ngx_parse_offset(&s)
                    : ngx_atoi(s.data, s.len);

    if (n == NGX_ERROR || (ngx_uint_t) n < limit->min
        || (ngx_uint_t) n > limit->max)
    {
        ngx_ors_conf_error(cf, 0,
                           "invalid limit \"%V\", it must be a %s from %ui "
                           "to %ui%s", value, limit->size ? "size" : "number",
                           limit->min, limit->max,
                           limit->size ? ", as in \"64k\", \"16m\" or \"1g\""
                                       : "");
        return NGX_CONF_ERROR;
    }

    field = ngx_ors_limits_field(limits, limit);

    if (*field != NGX_CONF_UNSET_SIZE) {
        ngx_ors_conf_error(cf, 0,
                           "limit \"%V\" is duplicate", &limit->name);
        return NGX_CONF_ERROR;
    }

    *field = n;

    return NGX_CONF_OK;
}


void
ngx_ors_limits_init(ngx_ors_limits_t *limits)
{
    ngx_ors_limit_t  *limit;

    for (limit = ngx_ors_limits; limit->name.len; limit++) {
        *ngx_ors_limits_field(limits, limit) = NGX_CONF_UNSET_SIZE;
    }
}


void
ngx_ors_limits_merge(ngx_ors_limits_t *limits, ngx_ors_limits_t *prev)
{
    size_t           *field, *prev_field;
    ngx_ors_limit_t  *limit;

    for (limit = ngx_ors_limits; limit->name.len; limit++) {
        field = ngx_ors_limits_field(limits, limit);
        prev_field = ngx_ors_limits_field(prev, limit);

        ngx_conf_merge_size_value(*field, *prev_field, limit->value);
    }
}
