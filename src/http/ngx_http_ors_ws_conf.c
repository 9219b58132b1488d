
/*
 * Copyright (C) Open Responses contributors
 */


/* The directive of the WebSocket transport. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_ors_conf.h>


#define NGX_HTTP_ORS_WS_IDLE      (5 * 60 * 1000)
#define NGX_HTTP_ORS_WS_LIFETIME  (60 * 60 * 1000)
#define NGX_HTTP_ORS_WS_QUEUE     16


typedef ngx_int_t (*ngx_http_ors_ws_param_pt)(ngx_str_t *value,
    ngx_http_ors_ws_conf_t *conf);


typedef struct {
    ngx_str_t                 name;
    ngx_http_ors_ws_param_pt  set;
} ngx_http_ors_ws_param_t;


static ngx_int_t ngx_http_ors_ws_param(ngx_str_t *value,
    ngx_http_ors_ws_conf_t *conf);
static ngx_int_t ngx_http_ors_ws_idle(ngx_str_t *value,
    ngx_http_ors_ws_conf_t *conf);
static ngx_int_t ngx_http_ors_ws_lifetime(ngx_str_t *value,
    ngx_http_ors_ws_conf_t *conf);
static ngx_int_t ngx_http_ors_ws_queue(ngx_str_t *value,
    ngx_http_ors_ws_conf_t *conf);
static ngx_int_t ngx_http_ors_ws_message(ngx_str_t *value,
    ngx_http_ors_ws_conf_t *conf);
static ngx_int_t ngx_http_ors_ws_lanes(ngx_str_t *value,
    ngx_http_ors_ws_conf_t *conf);
static ngx_int_t ngx_http_ors_ws_origin(ngx_str_t *value,
    ngx_http_ors_ws_conf_t *conf);


static ngx_http_ors_ws_param_t  ngx_http_ors_ws_params[] = {
    { ngx_string("idle="), ngx_http_ors_ws_idle },
    { ngx_string("lifetime="), ngx_http_ors_ws_lifetime },
    { ngx_string("queue="), ngx_http_ors_ws_queue },
    { ngx_string("message="), ngx_http_ors_ws_message },
    { ngx_string("lanes="), ngx_http_ors_ws_lanes },
    { ngx_string("origin="), ngx_http_ors_ws_origin },
    { ngx_null_string, NULL }
};


char *
ngx_http_ors_ws_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_ors_loc_conf_t *olcf = conf;

    ngx_str_t   *value;
    ngx_uint_t   i;

    if (olcf->websocket != NGX_CONF_UNSET_UINT) {
        return "is duplicate";
    }

    value = cf->args->elts;

    if (ngx_strcmp(value[1].data, "off") == 0) {
        olcf->websocket = ngx_http_ors_websocket_off;

    } else if (ngx_strcmp(value[1].data, "pass") == 0) {
        olcf->websocket = ngx_http_ors_websocket_pass;

    } else if (ngx_strcmp(value[1].data, "on") == 0) {
        olcf->websocket = ngx_http_ors_websocket_on;

    } else {
        ngx_ors_conf_error(cf, 0,
                           "invalid value \"%V\" of \"%V\", it must be "
                           "\"off\", \"pass\" or \"on\"",
                           &value[1], &cmd->name);
        return NGX_CONF_ERROR;
    }

    olcf->ws.idle = NGX_HTTP_ORS_WS_IDLE;
    olcf->ws.lifetime = NGX_HTTP_ORS_WS_LIFETIME;
    olcf->ws.queue = NGX_HTTP_ORS_WS_QUEUE;
    olcf->ws.message = 0;
    olcf->ws.lanes = 0;
    olcf->ws.any_origin = 0;

    for (i = 2; i < cf->args->nelts; i++) {

        if (olcf->websocket != ngx_http_ors_websocket_on
            || ngx_http_ors_ws_param(&value[i], &olcf->ws) != NGX_OK)
        {
            ngx_ors_conf_error(cf, 0,
                               "invalid parameter \"%V\" in \"%V\" directive",
                               &value[i], &cmd->name);
            return NGX_CONF_ERROR;
        }
    }

    return NGX_CONF_OK;
}


static ngx_int_t
ngx_http_ors_ws_param(ngx_str_t *value, ngx_http_ors_ws_conf_t *conf)
{
    ngx_str_t                 text;
    ngx_http_ors_ws_param_t  *p;

    for (p = ngx_http_ors_ws_params; p->set; p++) {

        if (value->len > p->name.len
            && ngx_strncmp(value->data, p->name.data, p->name.len) == 0)
        {
            text.data = value->data + p->name.len;
            text.len = value->len - p->name.len;

            return p->set(&text, conf);
        }
    }

    return NGX_ERROR;
}


static ngx_int_t
ngx_http_ors_ws_idle(ngx_str_t *value, ngx_http_ors_ws_conf_t *conf)
{
    ngx_int_t  n;

    n = ngx_parse_time(value, 0);
    conf->idle = n;

    return (n > 0) ? NGX_OK : NGX_ERROR;
}


static ngx_int_t
ngx_http_ors_ws_lifetime(ngx_str_t *value, ngx_http_ors_ws_conf_t *conf)
{
    ngx_int_t  n;

    n = ngx_parse_time(value, 0);
    conf->lifetime = n;

    return (n > 0) ? NGX_OK : NGX_ERROR;
}


static ngx_int_t
ngx_http_ors_ws_queue(ngx_str_t *value, ngx_http_ors_ws_conf_t *conf)
{
    ngx_int_t  n;

    n = ngx_atoi(value->data, value->len);
    conf->queue = n;

    return (n > 0) ? NGX_OK : NGX_ERROR;
}


static ngx_int_t
ngx_http_ors_ws_message(ngx_str_t *value, ngx_http_ors_ws_conf_t *conf)
{
    ssize_t  n;

    n = ngx_parse_size(value);
    conf->message = n;

    return (n > 0) ? NGX_OK : NGX_ERROR;
}


static ngx_int_t
ngx_http_ors_ws_lanes(ngx_str_t *value, ngx_http_ors_ws_conf_t *conf)
{
    conf->lanes = (ngx_strcmp(value->data, "on") == 0);

    return (conf->lanes || ngx_strcmp(value->data, "off") == 0) ? NGX_OK
                                                                : NGX_ERROR;
}


static ngx_int_t
ngx_http_ors_ws_origin(ngx_str_t *value, ngx_http_ors_ws_conf_t *conf)
{
    conf->any_origin = (ngx_strcmp(value->data, "any") == 0);

    return (conf->any_origin || ngx_strcmp(value->data, "same") == 0)
           ? NGX_OK : NGX_ERROR;
}
