
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Limits of background responses: the directive, its defaults, and whether one
 * more response may run.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_background_limit.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_session_error.h>


/*
 * The default limit, and the connections that are left to clients, as parts
 * of worker_connections; the share of one scope, as a part of the limit
 */
#define NGX_ORS_BACKGROUND_PART       8
#define NGX_ORS_BACKGROUND_RESERVE    8
#define NGX_ORS_BACKGROUND_SHARE      4
#define NGX_ORS_BACKGROUND_SHARE_MIN  4

/* connections of a response: its own, and one to the target */
#define NGX_ORS_BACKGROUND_CONNECTIONS  2

#define NGX_ORS_BACKGROUND_TIMEOUT  3600000


static ngx_uint_t ngx_ors_background_all(ngx_ors_background_limit_t *limit,
    ngx_uint_t connections);
static ngx_uint_t ngx_ors_background_share(ngx_ors_background_limit_t *limit,
    ngx_uint_t connections);
static ngx_int_t ngx_ors_background_overloaded(ngx_ors_session_t *session);


static ngx_ors_conf_param_t  ngx_ors_background_params[] = {

    { ngx_string("limit="), ngx_ors_conf_param_number,
      offsetof(ngx_ors_background_limit_t, all), 0, 0, NULL, "a number" },

    { ngx_string("scope="), ngx_ors_conf_param_number,
      offsetof(ngx_ors_background_limit_t, scope), 0, 0, NULL, "a number" },

    { ngx_string("timeout="), ngx_ors_conf_param_msec,
      offsetof(ngx_ors_background_limit_t, timeout), 1, 0, NULL,
      "a time above 0" },

    { ngx_null_string, NULL, 0, 0, 0, NULL, NULL }
};


char *
ngx_ors_background_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    return ngx_ors_conf_params(cf, ngx_ors_background_params,
                               (u_char *) conf + cmd->offset, 1, NULL, NULL);
}


void
ngx_ors_background_limit_init(ngx_ors_background_limit_t *limit)
{
    limit->all = NGX_CONF_UNSET_UINT;
    limit->scope = NGX_CONF_UNSET_UINT;
    limit->timeout = NGX_CONF_UNSET_MSEC;
}


void
ngx_ors_background_limit_merge(ngx_ors_background_limit_t *limit,
    ngx_ors_background_limit_t *prev)
{
    /* connections are counted when all of the configuration is known */

    ngx_conf_merge_uint_value(limit->all, prev->all, NGX_CONF_UNSET_UINT);
    ngx_conf_merge_uint_value(limit->scope, prev->scope, NGX_CONF_UNSET_UINT);

    ngx_conf_merge_msec_value(limit->timeout, prev->timeout,
                              NGX_ORS_BACKGROUND_TIMEOUT);
}


ngx_int_t
ngx_ors_background_admit(ngx_ors_session_t *session,
    ngx_ors_background_limit_t *limit, ngx_ors_background_load_t *load,
    ngx_log_t *log)
{
    u_char      *scope;
    ngx_uint_t   n;

    n = ngx_ors_background_all(limit, load->connections);

    if (load->running >= n) {
        ngx_log_error(NGX_LOG_WARN, log, 0,
                      "%ui responses run in the background, the limit is %ui",
                      load->running, n);

        return ngx_ors_background_overloaded(session);
    }

    n = ngx_ors_background_share(limit, load->connections);

    if (load->of_scope >= n) {
        scope = session->scope;

        ngx_log_error(NGX_LOG_WARN, log, 0,
                      "%ui responses of scope %02xd%02xd%02xd%02xd run in "
                      "the background, the limit of a scope is %ui",
                      load->of_scope, scope[0], scope[1], scope[2], scope[3],
                      n);

        return ngx_ors_session_refuse(session,
                                      ngx_ors_code_rate_limit_exceeded,
                                      "background",
                                      "too many of your responses run in "
                                      "the background, try again when one "
                                      "has ended");
    }

    return (ngx_ors_background_reserve(load, log) == NGX_OK)
           ? NGX_OK : ngx_ors_background_overloaded(session);
}


static ngx_uint_t
ngx_ors_background_all(ngx_ors_background_limit_t *limit,
    ngx_uint_t connections)
{
    return (limit->all != NGX_CONF_UNSET_UINT)
           ? limit->all : connections / NGX_ORS_BACKGROUND_PART;
}


static ngx_uint_t
ngx_ors_background_share(ngx_ors_background_limit_t *limit,
    ngx_uint_t connections)
{
    ngx_uint_t  n;

    if (limit->scope != NGX_CONF_UNSET_UINT) {
        return limit->scope;
    }

    n = ngx_ors_background_all(limit, connections) / NGX_ORS_BACKGROUND_SHARE;

    return ngx_max(n, NGX_ORS_BACKGROUND_SHARE_MIN);
}


static ngx_int_t
ngx_ors_background_overloaded(ngx_ors_session_t *session)
{
    return ngx_ors_session_refuse(session, ngx_ors_code_server_is_overloaded,
                                  "background",
                                  "too many responses run in the "
                                  "background, try again later");
}


ngx_int_t
ngx_ors_background_reserve(ngx_ors_background_load_t *load, ngx_log_t *log)
{
    ngx_uint_t  n;

    n = load->connections / NGX_ORS_BACKGROUND_RESERVE;

    if (load->free >= n + NGX_ORS_BACKGROUND_CONNECTIONS) {
        return NGX_OK;
    }

    ngx_log_error(NGX_LOG_WARN, log, 0,
                  "nothing is begun without a client: of %ui "
                  "worker_connections %ui are free, and %ui of them are for "
                  "clients", load->connections, load->free, n);

    return NGX_BUSY;
}
