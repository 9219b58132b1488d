
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The module: its directives, its configuration, and its place in nginx's
 * phases and filters.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_http_ors_tools.h>
#include <ngx_ors_chat_options_conf.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_mcp_server.h>
#include <ngx_ors_seal.h>


static char *ngx_http_open_responses_dialect(ngx_conf_t *cf,
    ngx_command_t *cmd, void *conf);
static char *ngx_http_open_responses_store(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);

static void *ngx_http_open_responses_create_main_conf(ngx_conf_t *cf);
static char *ngx_http_open_responses_init_main_conf(ngx_conf_t *cf,
    void *conf);
static void *ngx_http_open_responses_create_loc_conf(ngx_conf_t *cf);
static char *ngx_http_open_responses_merge_loc_conf(ngx_conf_t *cf,
    void *parent, void *child);
static ngx_int_t ngx_http_open_responses_init(ngx_conf_t *cf);
static ngx_int_t ngx_http_open_responses_init_process(ngx_cycle_t *cycle);
static void ngx_http_open_responses_exit_process(ngx_cycle_t *cycle);


static ngx_ors_conf_param_t  ngx_http_open_responses_tries = {
    ngx_null_string, ngx_ors_conf_param_number, 0, 1, 64, NULL,
    "a number from 1 to 64"
};

static ngx_ors_conf_param_t  ngx_http_open_responses_calls = {
    ngx_null_string, ngx_ors_conf_param_number, 0, 0, 10000, NULL,
    "a number from 0 to 10000"
};

static ngx_ors_conf_param_t  ngx_http_open_responses_rounds = {
    ngx_null_string, ngx_ors_conf_param_number, 0, 1, 100, NULL,
    "a number from 1 to 100"
};

static ngx_ors_conf_param_t  ngx_http_open_responses_time = {
    ngx_null_string, ngx_ors_conf_param_msec, 0, 0, 0, NULL,
    "a time such as \"15s\" or \"500ms\""
};


static ngx_conf_enum_t  ngx_http_open_responses_path_variants[] = {
    { ngx_string("reject"), ngx_http_ors_paths_reject },
    { ngx_string("validate"), ngx_http_ors_paths_validate },
    { ngx_string("pass"), ngx_http_ors_paths_pass },
    { ngx_null_string, 0 }
};


static ngx_conf_enum_t  ngx_http_open_responses_unknown_paths[] = {
    { ngx_string("pass"), ngx_http_ors_paths_pass },
    { ngx_string("reject"), ngx_http_ors_paths_reject },
    { ngx_null_string, 0 }
};


static ngx_conf_enum_t  ngx_http_open_responses_levels[] = {
    { ngx_string("info"), NGX_LOG_INFO },
    { ngx_string("notice"), NGX_LOG_NOTICE },
    { ngx_string("warn"), NGX_LOG_WARN },
    { ngx_string("error"), NGX_LOG_ERR },
    { ngx_null_string, 0 }
};


static ngx_conf_enum_t  ngx_http_open_responses_dialects[] = {
    { ngx_string("responses"), ngx_ors_dialect_responses },
    { ngx_string("chat"), ngx_ors_dialect_chat },
    { ngx_null_string, 0 }
};


static ngx_conf_enum_t  ngx_http_open_responses_unknown_fields[] = {
    { ngx_string("pass"), ngx_ors_unknown_pass },
    { ngx_string("strip"), ngx_ors_unknown_strip },
    { ngx_string("reject"), ngx_ors_unknown_reject },
    { ngx_null_string, 0 }
};


static ngx_conf_enum_t  ngx_http_open_responses_flavors[] = {
    { ngx_string("spec"), NGX_ORS_STRICT_SPEC },
    { ngx_string("openai"), NGX_ORS_STRICT_OPENAI },
    { ngx_null_string, 0 }
};


/* "auto" shows the same as "summary" */

static ngx_conf_enum_t  ngx_http_open_responses_reasonings[] = {
    { ngx_string("auto"), ngx_ors_reasoning_summary },
    { ngx_string("summary"), ngx_ors_reasoning_summary },
    { ngx_string("content"), ngx_ors_reasoning_content },
    { ngx_string("off"), ngx_ors_reasoning_off },
    { ngx_null_string, 0 }
};


static ngx_conf_enum_t  ngx_http_open_responses_refusals[] = {
    { ngx_string("part"), ngx_ors_refusal_part },
    { ngx_string("text"), ngx_ors_refusal_text },
    { ngx_null_string, 0 }
};


static ngx_conf_enum_t  ngx_http_open_responses_upstream_errors[] = {
    { ngx_string("pass"), 0 },
    { ngx_string("mask"), 1 },
    { ngx_null_string, 0 }
};


static ngx_conf_enum_t  ngx_http_open_responses_credentials[] = {
    { ngx_string("first"), ngx_http_ors_credentials_first },
    { ngx_string("all"), ngx_http_ors_credentials_all },
    { ngx_string("off"), ngx_http_ors_credentials_off },
    { ngx_null_string, 0 }
};


static ngx_command_t  ngx_http_open_responses_commands[] = {

    { ngx_string("open_responses"),
      NGX_HTTP_LOC_CONF|NGX_CONF_FLAG,
      ngx_conf_set_flag_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, enable),
      NULL },

    { ngx_string("open_responses_validate"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE123,
      ngx_http_ors_validate_set,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("open_responses_path_variants"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_ors_conf_enum_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, path_variants),
      ngx_http_open_responses_path_variants },

    { ngx_string("open_responses_unknown_paths"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_ors_conf_enum_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, unknown_paths),
      ngx_http_open_responses_unknown_paths },

    { ngx_string("open_responses_websocket"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_1MORE,
      ngx_http_ors_ws_set,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("open_responses_target"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_1MORE,
      ngx_ors_route_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, routes),
      NULL },

    { ngx_string("open_responses_target_tries"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_ors_conf_param_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, tries),
      &ngx_http_open_responses_tries },

    { ngx_string("open_responses_target_timeout"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_ors_conf_param_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, tries_timeout),
      &ngx_http_open_responses_time },

    { ngx_string("open_responses_tool"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_2MORE,
      ngx_http_ors_tool_set,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, hosting),
      NULL },

    { ngx_string("open_responses_mcp"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_2MORE,
      ngx_ors_mcp_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, hosting.servers),
      NULL },

    { ngx_string("open_responses_max_tool_calls"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_ors_conf_param_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, hosting.max_calls),
      &ngx_http_open_responses_calls },

    { ngx_string("open_responses_max_rounds"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_ors_conf_param_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, hosting.max_rounds),
      &ngx_http_open_responses_rounds },

    { ngx_string("open_responses_schema"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE12,
      ngx_ors_conform_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, conform),
      NULL },

    { ngx_string("open_responses_schema_cache"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE12,
      ngx_ors_conform_cache_slot,
      NGX_HTTP_MAIN_CONF_OFFSET,
      offsetof(ngx_http_ors_main_conf_t, schemas),
      NULL },

    { ngx_string("open_responses_heartbeat"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_ors_conf_param_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, heartbeat),
      &ngx_http_open_responses_time },

    { ngx_string("open_responses_store"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_1MORE,
      ngx_http_open_responses_store,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("open_responses_inline_context"),
      NGX_HTTP_LOC_CONF|NGX_CONF_FLAG,
      ngx_conf_set_flag_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, inline_context),
      NULL },

    { ngx_string("open_responses_background"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE123,
      ngx_ors_background_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, background),
      NULL },

    { ngx_string("open_responses_dialect"),
      NGX_HTTP_LOC_CONF|NGX_CONF_TAKE12,
      ngx_http_open_responses_dialect,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, dialect),
      ngx_http_open_responses_dialects },

    { ngx_string("open_responses_model"),
      NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_ors_conf_text_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, model),
      NULL },

    { ngx_string("open_responses_chat_options"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_1MORE,
      ngx_ors_chat_options_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, options),
      NULL },

    { ngx_string("open_responses_set"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE23,
      ngx_http_ors_set_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("open_responses_reasoning_effort"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE13,
      ngx_ors_chat_effort_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, options.efforts),
      NULL },

    { ngx_string("open_responses_tool_type"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE23,
      ngx_ors_chat_type_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, options.types),
      NULL },

    { ngx_string("open_responses_strict"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_FLAG,
      ngx_conf_set_flag_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, strict),
      NULL },

    { ngx_string("open_responses_reject_log_level"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_ors_conf_enum_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, reject_level),
      ngx_http_open_responses_levels },

    { ngx_string("open_responses_unknown_fields"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_ors_conf_enum_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, policy.unknown),
      ngx_http_open_responses_unknown_fields },

    { ngx_string("open_responses_flavor"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_ors_conf_enum_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, flavor),
      ngx_http_open_responses_flavors },

    { ngx_string("open_responses_reasoning"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_ors_conf_enum_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, policy.reasoning),
      ngx_http_open_responses_reasonings },

    { ngx_string("open_responses_refusal"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_ors_conf_enum_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, policy.refusal),
      ngx_http_open_responses_refusals },

    { ngx_string("open_responses_upstream_errors"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_ors_conf_enum_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, policy.mask),
      ngx_http_open_responses_upstream_errors },

    { ngx_string("open_responses_pass_credentials"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_ors_conf_enum_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, credentials),
      ngx_http_open_responses_credentials },

    { ngx_string("open_responses_pass_trace"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_FLAG,
      ngx_conf_set_flag_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, trace),
      NULL },

    { ngx_string("open_responses_limits"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_1MORE,
      ngx_ors_limits_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, limits),
      NULL },

    { ngx_string("open_responses_compact_prompt"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE1,
      ngx_conf_set_str_slot,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, compact_prompt),
      NULL },

    { ngx_string("open_responses_secret"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_1MORE,
      ngx_ors_secret_slot,
      NGX_HTTP_MAIN_CONF_OFFSET,
      offsetof(ngx_http_ors_main_conf_t, secret),
      NULL },

    { ngx_string("open_responses_store_scope"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_HTTP_LOC_CONF|NGX_CONF_TAKE12,
      ngx_http_ors_scope_set,
      NGX_HTTP_LOC_CONF_OFFSET,
      offsetof(ngx_http_ors_loc_conf_t, scope),
      NULL },

    { ngx_string("open_responses_status"),
      NGX_HTTP_LOC_CONF|NGX_CONF_NOARGS|NGX_CONF_TAKE1,
      ngx_http_ors_stats_set,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("open_responses_metrics_zone"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE1,
      ngx_http_ors_stats_zone_set,
      NGX_HTTP_MAIN_CONF_OFFSET,
      0,
      NULL },

    { ngx_string("open_responses_ready"),
      NGX_HTTP_LOC_CONF|NGX_CONF_NOARGS,
      ngx_http_ors_ready_set,
      NGX_HTTP_LOC_CONF_OFFSET,
      0,
      NULL },

      ngx_null_command
};


static ngx_http_module_t  ngx_http_open_responses_module_ctx = {
    ngx_http_ors_variables_add,               /* preconfiguration */
    ngx_http_open_responses_init,             /* postconfiguration */

    ngx_http_open_responses_create_main_conf, /* create main conf */
    ngx_http_open_responses_init_main_conf,   /* init main conf */

    NULL,                                     /* create server conf */
    NULL,                                     /* merge server conf */

    ngx_http_open_responses_create_loc_conf,  /* create location conf */
    ngx_http_open_responses_merge_loc_conf    /* merge location conf */
};


ngx_module_t  ngx_http_open_responses_module = {
    NGX_MODULE_V1,
    &ngx_http_open_responses_module_ctx,      /* module context */
    ngx_http_open_responses_commands,         /* module directives */
    NGX_HTTP_MODULE,                          /* module type */
    NULL,                                     /* init master */
    ngx_http_ors_metrics_init,                /* init module */
    ngx_http_open_responses_init_process,     /* init process */
    NULL,                                     /* init thread */
    NULL,                                     /* exit thread */
    ngx_http_open_responses_exit_process,     /* exit process */
    NULL,                                     /* exit master */
    NGX_MODULE_V1_PADDING
};


static char *
ngx_http_open_responses_dialect(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf)
{
    ngx_http_ors_loc_conf_t  *olcf = conf;

    char       *rv;
    ngx_str_t  *value;

    rv = ngx_ors_conf_enum_slot(cf, cmd, conf);

    if (rv != NGX_CONF_OK || cf->args->nelts == 2) {
        return rv;
    }

    value = cf->args->elts;

    if (olcf->dialect != ngx_ors_dialect_chat) {
        ngx_ors_conf_error(cf, 0,
                           "\"%V\" of \"open_responses_dialect\" is for "
                           "\"chat\" only", &value[2]);
        return NGX_CONF_ERROR;
    }

    olcf->preset = ngx_ors_chat_preset(cf, &value[2]);

    if (olcf->preset == NULL) {
        return NGX_CONF_ERROR;
    }

    olcf->preset_name.data = value[2].data + sizeof("server=") - 1;
    olcf->preset_name.len = value[2].len - (sizeof("server=") - 1);

    return NGX_CONF_OK;
}


static char *
ngx_http_open_responses_store(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_ors_loc_conf_t  *olcf = conf;

    ngx_http_ors_main_conf_t  *omcf;

    omcf = ngx_http_conf_get_module_main_conf(cf,
                                              ngx_http_open_responses_module);

    return ngx_ors_store_set(cf, &omcf->stores, &olcf->stored,
                             cf->cmd_type == NGX_HTTP_MAIN_CONF);
}


static void *
ngx_http_open_responses_create_main_conf(ngx_conf_t *cf)
{
    ngx_http_ors_main_conf_t  *conf;

    conf = ngx_pcalloc(cf->pool, sizeof(ngx_http_ors_main_conf_t));
    if (conf == NULL) {
        return NULL;
    }

    ngx_ors_store_engine_add(&ngx_http_ors_store_engine);

    /*
     * set by ngx_pcalloc():
     *
     *     conf->validators = 0;
     *     conf->nbackground = 0;
     *     conf->stats = NULL;
     *     conf->generation = 0;
     *     conf->secret = NULL;
     */

    conf->stats_size = NGX_CONF_UNSET_SIZE;

    ngx_queue_init(&conf->background);
    ngx_ors_holders_init(&conf->holders);

    if (ngx_http_ors_mcp_table(cf, conf) != NGX_OK
        || ngx_array_init(&conf->locations, cf->pool, 4,
                          sizeof(ngx_http_core_loc_conf_t *))
           != NGX_OK
        || ngx_array_init(&conf->labels, cf->pool, 8,
                          sizeof(ngx_ors_metrics_labels_t *))
           != NGX_OK
        || ngx_array_init(&conf->stores, cf->pool, 1,
                          sizeof(ngx_ors_store_t *))
           != NGX_OK)
    {
        return NULL;
    }

    return conf;
}


static char *
ngx_http_open_responses_init_main_conf(ngx_conf_t *cf, void *conf)
{
    ngx_http_ors_main_conf_t  *omcf = conf;

    ngx_conf_init_size_value(omcf->stats_size, NGX_HTTP_ORS_STATS_SIZE);

    if (omcf->stats) {
        omcf->stats->shm.size = omcf->stats_size;
    }

    return ngx_ors_stores_check(cf, &omcf->stores);
}


static void *
ngx_http_open_responses_create_loc_conf(ngx_conf_t *cf)
{
    ngx_http_ors_loc_conf_t  *conf;

    conf = ngx_pcalloc(cf->pool, sizeof(ngx_http_ors_loc_conf_t));
    if (conf == NULL) {
        return NULL;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     conf->called = 0;
     *     conf->chat_only = NULL;
     *     conf->proxy_pass = { 0, NULL };
     *     conf->asks = 0;
     *     conf->model = { 0, NULL };
     *     conf->preset = NULL;
     *     conf->preset_name = { 0, NULL };
     *     conf->labels = NULL;
     *     conf->peers = NULL;
     *     conf->npeers = 0;
     *     conf->page = NULL;
     *     conf->server = NULL;
     *     conf->policy.profile = 0;
     *     conf->created = 0;
     *     conf->compact_prompt = { 0, NULL };
     *     conf->scope = NULL;
     *     conf->scope_share = 0;
     *     conf->report = 0;
     *     conf->broad = 0;
     */

    ngx_ors_store_use_init(&conf->stored);

    ngx_ors_background_limit_init(&conf->background);

    conf->enable = NGX_CONF_UNSET;
    conf->inline_context = NGX_CONF_UNSET;
    conf->routes = NGX_CONF_UNSET_PTR;
    conf->sets = NGX_CONF_UNSET_PTR;
    conf->dialect = NGX_CONF_UNSET_UINT;
    conf->limit_req = NGX_CONF_UNSET_PTR;
    conf->limit_conn = NGX_CONF_UNSET_PTR;
    conf->tries = NGX_CONF_UNSET;
    conf->tries_timeout = NGX_CONF_UNSET_MSEC;
    conf->hosting.tools = NGX_CONF_UNSET_PTR;
    conf->hosting.servers = NGX_CONF_UNSET_PTR;
    conf->hosting.max_calls = NGX_CONF_UNSET_UINT;
    conf->hosting.max_rounds = NGX_CONF_UNSET_UINT;
    conf->conform.mode = NGX_CONF_UNSET_UINT;
    conf->heartbeat = NGX_CONF_UNSET_MSEC;
    conf->validate = NGX_CONF_UNSET_UINT;
    conf->path_variants = NGX_CONF_UNSET_UINT;
    conf->unknown_paths = NGX_CONF_UNSET_UINT;
    conf->websocket = NGX_CONF_UNSET_UINT;
    conf->strict = NGX_CONF_UNSET;
    conf->flavor = NGX_CONF_UNSET_UINT;
    conf->reject_level = NGX_CONF_UNSET_UINT;
    conf->status = NGX_CONF_UNSET_UINT;
    conf->policy.types = NGX_CONF_UNSET_PTR;
    conf->policy.unknown = NGX_CONF_UNSET_UINT;
    conf->policy.mask = NGX_CONF_UNSET_UINT;
    conf->credentials = NGX_CONF_UNSET_UINT;
    conf->trace = NGX_CONF_UNSET;
    conf->policy.reasoning = NGX_CONF_UNSET_UINT;
    conf->policy.refusal = NGX_CONF_UNSET_UINT;

    ngx_ors_chat_options_init(&conf->options);
    ngx_ors_limits_init(&conf->limits);

    return conf;
}


static char *
ngx_http_open_responses_merge_loc_conf(ngx_conf_t *cf, void *parent,
    void *child)
{
    ngx_http_ors_loc_conf_t *prev = parent;
    ngx_http_ors_loc_conf_t *conf = child;

    ngx_http_core_loc_conf_t  *clcf, **location;
    ngx_http_ors_main_conf_t  *omcf;

    omcf = ngx_http_conf_get_module_main_conf(cf,
                                              ngx_http_open_responses_module);
    clcf = ngx_http_conf_get_module_loc_conf(cf, ngx_http_core_module);

    if (ngx_http_ors_conf_check(cf, clcf, conf, prev) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    ngx_conf_merge_ptr_value(conf->routes, prev->routes, NULL);
    ngx_conf_merge_ptr_value(conf->sets, prev->sets, NULL);

    if (conf->validate == NGX_CONF_UNSET_UINT) {
        conf->report = prev->report;
        conf->broad = prev->broad;
        conf->labels = prev->labels;
    }

    ngx_ors_store_use_merge(&conf->stored, &prev->stored);

    ngx_ors_background_limit_merge(&conf->background, &prev->background);

    ngx_conf_merge_uint_value(conf->validate, prev->validate, 0);

    /* level http has none: its servers have their own */

    if (conf->validate && conf->labels == NULL
        && ngx_http_ors_metrics_validator(cf, clcf, conf) != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    ngx_conf_merge_uint_value(conf->status, prev->status, ngx_ors_stats_html);
    ngx_conf_merge_value(conf->tries, prev->tries, 3);
    ngx_conf_merge_msec_value(conf->tries_timeout, prev->tries_timeout, 0);
    ngx_conf_merge_ptr_value(conf->hosting.tools, prev->hosting.tools, NULL);
    ngx_conf_merge_ptr_value(conf->policy.types, prev->policy.types, NULL);
    ngx_conf_merge_ptr_value(conf->hosting.servers, prev->hosting.servers,
                             NULL);
    ngx_conf_merge_uint_value(conf->hosting.max_calls,
                              prev->hosting.max_calls, 32);
    ngx_conf_merge_uint_value(conf->hosting.max_rounds,
                              prev->hosting.max_rounds, 10);

    if (conf->conform.mode == NGX_CONF_UNSET_UINT) {
        conf->conform = prev->conform;
    }

    ngx_conf_merge_uint_value(conf->conform.mode, prev->conform.mode,
                              ngx_ors_conform_off);
    ngx_conf_merge_msec_value(conf->heartbeat, prev->heartbeat, 15000);
    ngx_conf_merge_uint_value(conf->path_variants, prev->path_variants,
                              ngx_http_ors_paths_reject);
    ngx_conf_merge_uint_value(conf->unknown_paths, prev->unknown_paths,
                              ngx_http_ors_paths_pass);

    if (conf->websocket == NGX_CONF_UNSET_UINT) {
        conf->ws = prev->ws;
    }

    ngx_conf_merge_uint_value(conf->websocket, prev->websocket,
                              ngx_http_ors_websocket_off);
    ngx_conf_merge_value(conf->strict, prev->strict, 1);
    ngx_conf_merge_uint_value(conf->flavor, prev->flavor,
                              NGX_ORS_STRICT_OPENAI);
    ngx_conf_merge_uint_value(conf->reject_level, prev->reject_level,
                              NGX_LOG_INFO);
    ngx_conf_merge_uint_value(conf->policy.unknown, prev->policy.unknown,
                              ngx_ors_unknown_auto);
    ngx_conf_merge_uint_value(conf->policy.mask, prev->policy.mask, 0);
    ngx_conf_merge_uint_value(conf->credentials, prev->credentials,
                              ngx_http_ors_credentials_first);
    ngx_conf_merge_value(conf->trace, prev->trace, 1);
    ngx_conf_merge_uint_value(conf->policy.reasoning, prev->policy.reasoning,
                              ngx_ors_reasoning_summary);
    ngx_conf_merge_uint_value(conf->policy.refusal, prev->policy.refusal,
                              ngx_ors_refusal_part);

    ngx_conf_merge_str_value(conf->compact_prompt, prev->compact_prompt, "");

    ngx_conf_merge_ptr_value(conf->limit_req, prev->limit_req, NULL);
    ngx_conf_merge_ptr_value(conf->limit_conn, prev->limit_conn, NULL);

    if (conf->scope == NULL) {
        conf->scope = prev->scope;
        conf->scope_share = prev->scope_share;
    }

    if (conf->preset) {
        ngx_ors_chat_options_fill(&conf->options, conf->preset);
    }

    ngx_ors_chat_options_merge(&conf->options, &prev->options);
    ngx_ors_limits_merge(&conf->limits, &prev->limits);

    conf->created = ngx_time();

    /* the tolerant profile of each flavor is two bits above its strict one */

    conf->policy.profile = conf->strict ? conf->flavor : conf->flavor << 2;

    ngx_conf_merge_value(conf->inline_context, prev->inline_context, 0);
    ngx_conf_merge_uint_value(conf->dialect, prev->dialect,
                              ngx_ors_dialect_responses);
    ngx_conf_merge_str_value(conf->model, prev->model, "");

    /* a nested location has its own content, "if" and "limit_except" do not */

    if (clcf->noname) {
        ngx_conf_merge_value(conf->enable, prev->enable, 0);

    } else {
        ngx_conf_init_value(conf->enable, 0);
    }

    omcf->validators |= conf->validate;

    if (!conf->enable) {
        return NGX_CONF_OK;
    }

    if (conf->routes == NULL) {
        ngx_ors_conf_error(cf, 0,
                           "\"open_responses on\" in location \"%V\" needs an "
                           "\"open_responses_target\"", &clcf->name);
        return NGX_CONF_ERROR;
    }

    if (clcf->handler) {
        ngx_ors_conf_error(cf, 0,
                           "\"open_responses on\" and another content handler "
                           "such as \"proxy_pass\" are in location \"%V\"",
                           &clcf->name);
        return NGX_CONF_ERROR;
    }

    clcf->handler = ngx_http_ors_handler;

    location = ngx_array_push(&omcf->locations);
    if (location == NULL) {
        return NGX_CONF_ERROR;
    }

    *location = clcf;

    conf->server = ngx_http_conf_get_module_srv_conf(cf,
                                                     ngx_http_core_module);

    return NGX_CONF_OK;
}


static ngx_int_t
ngx_http_open_responses_init(ngx_conf_t *cf)
{
    ngx_uint_t                  i;
    ngx_http_core_loc_conf_t  **location;
    ngx_http_ors_main_conf_t   *omcf;

    omcf = ngx_http_conf_get_module_main_conf(cf,
                                              ngx_http_open_responses_module);

    ngx_http_ors_variables_room(cf);

    if (!omcf->validators && omcf->locations.nelts == 0) {

        /* not configured anywhere: install no handlers */

        return NGX_OK;
    }

    if (ngx_ors_conform_cache_init(cf, &omcf->schemas) != NGX_OK
        || ngx_http_ors_stats_zone(cf) != NGX_OK
        || ngx_http_ors_subrequest_init(cf) != NGX_OK
        || ngx_http_ors_phases(cf, ngx_http_ors_validator_early_handler,
                               ngx_http_ors_validator_handler)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    /*
     * An inherited page would reach the client in place of the error
     * document, so there is none in our locations; those inside of them
     * have inherited it before
     */

    location = omcf->locations.elts;

    for (i = 0; i < omcf->locations.nelts; i++) {
        location[i]->error_pages = NULL;

        if (ngx_http_ors_targets_check(cf, location[i]) != NGX_OK
            || ngx_http_ors_metrics_gateway(cf, location[i]) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return ngx_http_ors_filter_init(cf);
}


/* nginx's cache processes have no stores */

static ngx_int_t
ngx_http_open_responses_init_process(ngx_cycle_t *cycle)
{
    ngx_http_ors_main_conf_t  *omcf;

    if (ngx_process != NGX_PROCESS_WORKER && ngx_process != NGX_PROCESS_SINGLE)
    {
        return NGX_OK;
    }

    omcf = ngx_http_cycle_get_module_main_conf(cycle,
                                              ngx_http_open_responses_module);

    if (omcf == NULL) {
        return NGX_OK;
    }

    ngx_http_ors_metrics_worker(omcf, ngx_pid);

    /* without a zone nothing is configured */

    if (omcf->stats && ngx_http_ors_body_init(cycle->log) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_ors_stores_open(&omcf->stores, cycle);
}


static void
ngx_http_open_responses_exit_process(ngx_cycle_t *cycle)
{
    ngx_http_ors_main_conf_t  *omcf;

    omcf = ngx_http_cycle_get_module_main_conf(cycle,
                                              ngx_http_open_responses_module);

    if (omcf) {
        ngx_http_ors_metrics_worker(omcf, 0);
        ngx_ors_stores_close(&omcf->stores);
    }
}
