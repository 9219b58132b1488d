
/*
 * Copyright (C) Open Responses contributors
 */


/* The words of "open_responses_mcp", and what they permit. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_error.h>
#include <ngx_ors_mcp_conf.h>
#include <ngx_ors_names.h>


#define NGX_ORS_MCP_CALL_TIMEOUT  60000
#define NGX_ORS_MCP_LIST_TTL      300000


static ngx_ors_mcp_conf_t *ngx_ors_mcp_conf_add(ngx_conf_t *cf,
    ngx_command_t *cmd, void *conf, ngx_str_t *label);
static char *ngx_ors_mcp_conf_distinct(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);
static ngx_int_t ngx_ors_mcp_conf_selection(ngx_conf_t *cf,
    ngx_ors_conf_param_t *param, ngx_str_t *value, void *field);
static ngx_int_t ngx_ors_mcp_conf_approval(ngx_conf_t *cf,
    ngx_ors_conf_param_t *param, ngx_str_t *value, void *field);
static ngx_int_t ngx_ors_mcp_conf_prefix(ngx_conf_t *cf,
    ngx_ors_conf_param_t *param, ngx_str_t *value, void *field);
static ngx_int_t ngx_ors_mcp_conf_list(ngx_ors_mcp_selection_t *selection,
    ngx_str_t *value, ngx_pool_t *pool);


static ngx_ors_conf_param_t  ngx_ors_mcp_params[] = {

    { ngx_string("allowed="), ngx_ors_mcp_conf_selection,
      offsetof(ngx_ors_mcp_conf_t, allowed), 0, 0, NULL,
      "names of tools or \"read_only\", with commas between" },

    { ngx_string("require_approval="), ngx_ors_mcp_conf_approval, 0, 0, 0,
      NULL,
      "\"always\", \"never\", or one of them with \":\" and names of tools or "
      "\"read_only\"" },

    { ngx_string("prefix="), ngx_ors_mcp_conf_prefix,
      offsetof(ngx_ors_mcp_conf_t, prefix), 0, 0, NULL,
      "1 to 64 of letters, digits, \"_\" and \"-\"" },

    { ngx_string("timeout="), ngx_ors_conf_param_msec,
      offsetof(ngx_ors_mcp_conf_t, timeout), 1, 0, NULL, "a time above 0" },

    { ngx_string("list_ttl="), ngx_ors_conf_param_msec,
      offsetof(ngx_ors_mcp_conf_t, list_ttl), 1, 0, NULL, "a time above 0" },

    /* it is compared with what a request says, and never called */

    { ngx_string("url="), ngx_ors_conf_param_text,
      offsetof(ngx_ors_mcp_conf_t, url), 0, 0, NULL,
      "the \"server_url\" that clients send" },

    { ngx_null_string, NULL, 0, 0, 0, NULL, NULL }
};


char *
ngx_ors_mcp_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_str_t           *value;
    ngx_ors_mcp_conf_t  *mcp;

    value = cf->args->elts;

    mcp = ngx_ors_mcp_conf_add(cf, cmd, conf, &value[1]);
    if (mcp == NULL) {
        return NGX_CONF_ERROR;
    }

    if (value[2].len < 2 || value[2].data[0] != '/') {
        ngx_ors_conf_error(cf, 0,
                           "invalid URI \"%V\", it must be that of a location "
                           "and begin with \"/\"", &value[2]);
        return NGX_CONF_ERROR;
    }

    mcp->uri = value[2];

    if (ngx_ors_conf_params(cf, ngx_ors_mcp_params, mcp, 3, NULL, NULL)
        != NGX_CONF_OK)
    {
        return NGX_CONF_ERROR;
    }

    ngx_conf_init_msec_value(mcp->timeout, NGX_ORS_MCP_CALL_TIMEOUT);
    ngx_conf_init_msec_value(mcp->list_ttl, NGX_ORS_MCP_LIST_TTL);

    if (mcp->prefix.data == NULL) {
        mcp->prefix = mcp->label;
    }

    return ngx_ors_mcp_conf_distinct(cf, cmd, conf);
}


/*
 * two servers must not have one prefix: the model could not say which one it
 * calls
 */

static char *
ngx_ors_mcp_conf_distinct(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_uint_t            i;
    ngx_array_t          *servers;
    ngx_ors_mcp_conf_t   *mcp, *last;

    servers = *(ngx_array_t **) ((u_char *) conf + cmd->offset);

    mcp = servers->elts;
    last = &mcp[servers->nelts - 1];

    for (i = 0; i < servers->nelts - 1; i++) {

        if (ngx_ors_same(&mcp[i].prefix, &last->prefix)) {
            ngx_ors_conf_error(cf, 0,
                               "invalid prefix \"%V\" of \"%V\", \"%V\" has "
                               "the same, set another one with \"prefix=\"",
                               &last->prefix, &last->label, &mcp[i].label);
            return NGX_CONF_ERROR;
        }
    }

    return NGX_CONF_OK;
}


static ngx_ors_mcp_conf_t *
ngx_ors_mcp_conf_add(ngx_conf_t *cf, ngx_command_t *cmd, void *conf,
    ngx_str_t *label)
{
    ngx_array_t         **servers;
    ngx_ors_mcp_conf_t   *mcp;

    servers = (ngx_array_t **) ((u_char *) conf + cmd->offset);

    if (*servers == NGX_CONF_UNSET_PTR) {
        *servers = ngx_array_create(cf->pool, 2, sizeof(ngx_ors_mcp_conf_t));
        if (*servers == NULL) {
            return NULL;
        }
    }

    if (!ngx_ors_line_name(label)) {
        ngx_ors_conf_error(cf, 0,
                           "invalid label \"%V\", it must be 1 to 64 of "
                           "letters, digits, \"_\" and \"-\"", label);
        return NULL;
    }

    if (ngx_ors_mcp_conf_find(*servers, label)) {
        ngx_ors_conf_error(cf, 0, "duplicate label \"%V\"", label);
        return NULL;
    }

    mcp = ngx_array_push(*servers);
    if (mcp == NULL) {
        return NULL;
    }

    ngx_memzero(mcp, sizeof(ngx_ors_mcp_conf_t));

    mcp->label = *label;
    mcp->allowed.all = 1;
    mcp->timeout = NGX_CONF_UNSET_MSEC;
    mcp->list_ttl = NGX_CONF_UNSET_MSEC;

    return mcp;
}


static ngx_int_t
ngx_ors_mcp_conf_selection(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field)
{
    ngx_ors_mcp_selection_t  *selection = field;

    if (selection->names) {
        return NGX_BUSY;
    }

    selection->all = 0;

    return ngx_ors_mcp_conf_list(selection, value, cf->pool);
}


/* tools that a list does not name are treated the other way */

static ngx_int_t
ngx_ors_mcp_conf_approval(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field)
{
    ngx_ors_mcp_conf_t  *mcp = field;

    size_t     len;
    ngx_str_t  list;

    if (mcp->consent != ngx_ors_mcp_consent_client) {
        return NGX_BUSY;
    }

    if (ngx_strncmp(value->data, "always", 6) == 0) {
        mcp->consent = ngx_ors_mcp_consent_always;
        mcp->otherwise = ngx_ors_mcp_consent_never;
        len = 6;

    } else if (ngx_strncmp(value->data, "never", 5) == 0) {
        mcp->consent = ngx_ors_mcp_consent_never;
        mcp->otherwise = ngx_ors_mcp_consent_always;
        len = 5;

    } else {
        return NGX_DECLINED;
    }

    if (value->len == len) {
        mcp->selected.all = 1;
        return NGX_OK;
    }

    if (value->data[len] != ':') {
        return NGX_DECLINED;
    }

    list.data = value->data + len + 1;
    list.len = value->len - len - 1;

    return ngx_ors_mcp_conf_list(&mcp->selected, &list, cf->pool);
}


static ngx_int_t
ngx_ors_mcp_conf_prefix(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field)
{
    return ngx_ors_line_name(value)
           ? ngx_ors_conf_param_text(cf, param, value, field) : NGX_DECLINED;
}


static ngx_int_t
ngx_ors_mcp_conf_list(ngx_ors_mcp_selection_t *selection, ngx_str_t *value,
    ngx_pool_t *pool)
{
    u_char     *p, *last, *end;
    ngx_str_t  *name;

    selection->names = ngx_array_create(pool, 4, sizeof(ngx_str_t));
    if (selection->names == NULL) {
        return NGX_ERROR;
    }

    last = value->data + value->len;

    for (p = value->data; p <= last; p = end + 1) {

        for (end = p; end < last && *end != ','; end++) { /* void */ }

        if (end == p) {
            return NGX_DECLINED;
        }

        if (end - p == sizeof("read_only") - 1
            && ngx_memcmp(p, "read_only", sizeof("read_only") - 1) == 0)
        {
            selection->read_only = 1;
            continue;
        }

        name = ngx_array_push(selection->names);
        if (name == NULL) {
            return NGX_ERROR;
        }

        name->data = p;
        name->len = end - p;

        if (!ngx_ors_line_fits(name)) {
            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}


ngx_ors_mcp_conf_t *
ngx_ors_mcp_conf_find(ngx_array_t *servers, ngx_str_t *label)
{
    ngx_uint_t           i;
    ngx_ors_mcp_conf_t  *mcp;

    if (servers == NULL) {
        return NULL;
    }

    mcp = servers->elts;

    for (i = 0; i < servers->nelts; i++) {

        if (ngx_ors_same(&mcp[i].label, label)) {
            return &mcp[i];
        }
    }

    return NULL;
}


ngx_ors_mcp_consent_e
ngx_ors_mcp_consent(ngx_ors_mcp_conf_t *mcp, ngx_ors_mcp_tool_t *tool)
{
    return ngx_ors_mcp_selected(&mcp->selected, tool) ? mcp->consent
                                                      : mcp->otherwise;
}


ngx_uint_t
ngx_ors_mcp_selected(ngx_ors_mcp_selection_t *selection,
    ngx_ors_mcp_tool_t *tool)
{
    ngx_str_t   *name;
    ngx_uint_t   i;

    if (selection->all || (selection->read_only && tool->read_only)) {
        return 1;
    }

    if (selection->names == NULL) {
        return 0;
    }

    name = selection->names->elts;

    for (i = 0; i < selection->names->nelts; i++) {

        if (ngx_ors_same(&name[i], &tool->name)) {
            return 1;
        }
    }

    return 0;
}
