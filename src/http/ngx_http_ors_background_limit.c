
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * How many background responses may run, in all and for one scope.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_background.h>
#include <ngx_ors_session_error.h>


/*
 * The default limit, and the connections that are left to clients, as parts
 * of worker_connections; the share of one scope, as a part of the limit
 */
#define NGX_HTTP_ORS_BACKGROUND_PART       8
#define NGX_HTTP_ORS_BACKGROUND_RESERVE    8
#define NGX_HTTP_ORS_BACKGROUND_SHARE      4
#define NGX_HTTP_ORS_BACKGROUND_SHARE_MIN  4

/* connections of a response: its own, and one to the target */
#define NGX_HTTP_ORS_BACKGROUND_CONNECTIONS  2


static ngx_uint_t ngx_http_ors_background_limit_of(
    ngx_http_ors_loc_conf_t *olcf);
static ngx_uint_t ngx_http_ors_background_share_of(
    ngx_http_ors_loc_conf_t *olcf);
static ngx_uint_t ngx_http_ors_background_of_scope(
    ngx_http_ors_main_conf_t *omcf, u_char *scope);
static ngx_uint_t ngx_http_ors_background_free(void);
static ngx_int_t ngx_http_ors_background_busy(ngx_http_ors_ctx_t *ctx,
    ngx_uint_t status);


ngx_int_t
ngx_http_ors_background_limit(ngx_http_ors_ctx_t *ctx)
{
    u_char                     scope[NGX_ORS_DIGEST_LEN];
    u_char                     owner[NGX_ORS_DIGEST_LEN];
    ngx_log_t                 *log;
    ngx_uint_t                 n, limit;
    ngx_http_ors_loc_conf_t   *olcf;
    ngx_http_ors_main_conf_t  *omcf;

    log = ctx->request->connection->log;

    olcf = ngx_http_get_module_loc_conf(ctx->request,
                                        ngx_http_open_responses_module);
    omcf = ngx_http_get_module_main_conf(ctx->request,
                                         ngx_http_open_responses_module);

    if (ngx_http_ors_scope(ctx->request, scope) != NGX_OK
        || ngx_http_ors_scope_store(ctx->request, owner) != NGX_OK)
    {
        return NGX_ERROR;
    }

    limit = ngx_http_ors_background_limit_of(olcf);

    if (omcf->nbackground >= limit) {
        ngx_log_error(NGX_LOG_WARN, log, 0,
                      "%ui responses run in the background, the limit is %ui",
                      omcf->nbackground, limit);

        return ngx_http_ors_background_busy(ctx, NGX_HTTP_SERVICE_UNAVAILABLE);
    }

    n = ngx_http_ors_background_of_scope(omcf, scope);
    limit = ngx_http_ors_background_share_of(olcf);

    if (n >= limit) {
        ngx_log_error(NGX_LOG_WARN, log, 0,
                      "%ui responses of scope %02xd%02xd%02xd%02xd run in "
                      "the background, the limit of a scope is %ui",
                      n, owner[0], owner[1], owner[2], owner[3], limit);

        return ngx_http_ors_background_busy(ctx, NGX_HTTP_TOO_MANY_REQUESTS);
    }

    n = ngx_http_ors_background_free();
    limit = ngx_cycle->connection_n / NGX_HTTP_ORS_BACKGROUND_RESERVE;

    if (n < limit + NGX_HTTP_ORS_BACKGROUND_CONNECTIONS) {
        ngx_log_error(NGX_LOG_WARN, log, 0,
                      "no response is begun in the background, of %ui "
                      "worker_connections %ui are free, and %ui of them are "
                      "for clients", ngx_cycle->connection_n, n, limit);

        return ngx_http_ors_background_busy(ctx, NGX_HTTP_SERVICE_UNAVAILABLE);
    }

    return NGX_OK;
}


static ngx_uint_t
ngx_http_ors_background_limit_of(ngx_http_ors_loc_conf_t *olcf)
{
    if (olcf->background != NGX_CONF_UNSET_UINT) {
        return olcf->background;
    }

    return ngx_cycle->connection_n / NGX_HTTP_ORS_BACKGROUND_PART;
}


static ngx_uint_t
ngx_http_ors_background_share_of(ngx_http_ors_loc_conf_t *olcf)
{
    ngx_uint_t  limit;

    if (olcf->background_scope != NGX_CONF_UNSET_UINT) {
        return olcf->background_scope;
    }

    limit = ngx_http_ors_background_limit_of(olcf)
            / NGX_HTTP_ORS_BACKGROUND_SHARE;

    return ngx_max(limit, NGX_HTTP_ORS_BACKGROUND_SHARE_MIN);
}


static ngx_uint_t
ngx_http_ors_background_of_scope(ngx_http_ors_main_conf_t *omcf, u_char *scope)
{
    ngx_uint_t                  n;
    ngx_queue_t                *q;
    ngx_http_ors_background_t  *bg;

    n = 0;

    for (q = ngx_queue_head(&omcf->background);
         q != ngx_queue_sentinel(&omcf->background);
         q = ngx_queue_next(q))
    {
        bg = ngx_queue_data(q, ngx_http_ors_background_t, queue);

        if (ngx_memcmp(bg->ctx->scope, scope, NGX_ORS_DIGEST_LEN) == 0) {
            n++;
        }
    }

    return n;
}


/* nginx closes connections that only wait for another request */

static ngx_uint_t
ngx_http_ors_background_free(void)
{
    return ngx_cycle->free_connection_n + ngx_cycle->reusable_connections_n;
}


static ngx_int_t
ngx_http_ors_background_busy(ngx_http_ors_ctx_t *ctx, ngx_uint_t status)
{
    ngx_str_set(&ctx->retry_after, "10");

    if (status == NGX_HTTP_TOO_MANY_REQUESTS) {
        return ngx_ors_session_refuse(ctx->session, status,
                                         "rate_limit_exceeded", "background",
                                         "too many of your responses run in "
                                         "the background, try again when one "
                                         "has ended");
    }

    return ngx_ors_session_refuse(ctx->session, status,
                                     "server_is_overloaded", "background",
                                     "too many responses run in the "
                                     "background, try again later");
}


ngx_int_t
ngx_http_ors_background_check(ngx_cycle_t *cycle)
{
    ngx_uint_t                  i, n;
    ngx_http_ors_loc_conf_t    *olcf;
    ngx_http_core_loc_conf_t  **location;
    ngx_http_ors_main_conf_t   *omcf;

    omcf = ngx_http_cycle_get_module_main_conf(cycle,
                                              ngx_http_open_responses_module);
    if (omcf == NULL) {
        return NGX_OK;
    }

    n = cycle->connection_n
        - cycle->connection_n / NGX_HTTP_ORS_BACKGROUND_RESERVE;
    n /= NGX_HTTP_ORS_BACKGROUND_CONNECTIONS;

    location = omcf->locations.elts;

    for (i = 0; i < omcf->locations.nelts; i++) {
        olcf = location[i]->loc_conf[ngx_http_open_responses_module.ctx_index];

        if (olcf->stored.store == NULL
            || olcf->background == NGX_CONF_UNSET_UINT
            || olcf->background <= n)
        {
            continue;
        }

        ngx_log_error(NGX_LOG_WARN, cycle->log, 0,
                      "\"open_responses_background limit=%ui\" of location "
                      "\"%V\" cannot be reached: %ui worker_connections are "
                      "enough for %ui responses in the background",
                      olcf->background, &location[i]->name,
                      cycle->connection_n, n);
    }

    return NGX_OK;
}


/* open_responses_background [limit=NUMBER] [scope=NUMBER] [timeout=TIME]; */

char *
ngx_http_ors_background_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_ors_loc_conf_t *olcf = conf;

    ngx_int_t   n;
    ngx_str_t  *value, text;
    ngx_uint_t  i;

    value = cf->args->elts;

    for (i = 1; i < cf->args->nelts; i++) {

        if (ngx_strncmp(value[i].data, "limit=", 6) == 0) {

            if (olcf->background != NGX_CONF_UNSET_UINT) {
                return "has a duplicate \"limit=\"";
            }

            n = ngx_atoi(value[i].data + 6, value[i].len - 6);

            if (n == NGX_ERROR) {
                goto invalid;
            }

            olcf->background = n;
            continue;
        }

        if (ngx_strncmp(value[i].data, "scope=", 6) == 0) {

            if (olcf->background_scope != NGX_CONF_UNSET_UINT) {
                return "has a duplicate \"scope=\"";
            }

            n = ngx_atoi(value[i].data + 6, value[i].len - 6);

            if (n == NGX_ERROR) {
                goto invalid;
            }

            olcf->background_scope = n;
            continue;
        }

        if (ngx_strncmp(value[i].data, "timeout=", 8) == 0) {

            if (olcf->background_timeout != NGX_CONF_UNSET_MSEC) {
                return "has a duplicate \"timeout=\"";
            }

            text.data = value[i].data + 8;
            text.len = value[i].len - 8;

            n = ngx_parse_time(&text, 0);

            if (n == NGX_ERROR || n == 0) {
                goto invalid;
            }

            olcf->background_timeout = n;
            continue;
        }

        goto invalid;
    }

    return NGX_CONF_OK;

invalid:

    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0,
                       "invalid parameter \"%V\", it must be "
                       "\"limit=NUMBER\", \"scope=NUMBER\" or "
                       "\"timeout=TIME\"", &value[i]);
    return NGX_CONF_ERROR;
}
