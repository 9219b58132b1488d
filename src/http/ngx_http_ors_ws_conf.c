
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

    ws->idle = NGX_CONF_UNSET_MSEC;
    ws->lifetime = NGX_CONF_UNSET_MSEC;
    ws->queue = NGX_CONF_UNSET_UINT;
    ws->message = NGX_CONF_UNSET_SIZE;
    ws->lanes = NGX_CONF_UNSET_UINT;
    ws->any_origin = NGX_CONF_UNSET_UINT;

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
