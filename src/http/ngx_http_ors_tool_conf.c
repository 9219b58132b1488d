
/*
 * Copyright (C) Open Responses contributors
 */


/* "open_responses_tool": which functions run here, and where. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_tool.h>
#include <ngx_ors_chat_tools.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_item.h>
#include <ngx_ors_error.h>


#define NGX_HTTP_ORS_TOOL_TIMEOUT  30000

#define ngx_http_ors_tool_type(name, ...)  "\"" #name "\", "


static char *ngx_http_ors_tool_name(ngx_conf_t *cf, ngx_array_t *tools,
    ngx_ors_tool_t *tool, ngx_str_t *value);
static char *ngx_http_ors_tool_uri(ngx_conf_t *cf, ngx_ors_tool_t *tool,
    ngx_str_t *value);
static char *ngx_http_ors_tool_remote(ngx_conf_t *cf, ngx_ors_tool_t *tool,
    ngx_str_t *value);
static ngx_int_t ngx_http_ors_tool_definition(ngx_conf_t *cf,
    ngx_ors_conf_param_t *param, ngx_str_t *value, void *field);
static ngx_int_t ngx_http_ors_tool_define(ngx_conf_t *cf,
    ngx_ors_tool_t *tool, ngx_str_t *text, ngx_str_t *name);
static ngx_int_t ngx_http_ors_tool_typed(ngx_conf_t *cf, ngx_ors_tool_t *tool);
static ngx_int_t ngx_http_ors_tool_file(ngx_conf_t *cf, ngx_str_t *name,
    ngx_str_t *text);


static ngx_conf_enum_t  ngx_http_ors_tool_shows[] = {
    { ngx_string("items"), 0 },
    { ngx_string("none"), 1 },
    { ngx_null_string, 0 }
};


static ngx_ors_conf_param_t  ngx_http_ors_tool_params[] = {

    { ngx_string("definition="), ngx_http_ors_tool_definition, 0, 0, 0, NULL,
      "the name of a file" },

    { ngx_string("timeout="), ngx_ors_conf_param_msec,
      offsetof(ngx_ors_tool_t, timeout), 1, 0, NULL, "a time above 0" },

    { ngx_string("show="), ngx_ors_conf_param_word,
      offsetof(ngx_ors_tool_t, hidden), 0, 0, ngx_http_ors_tool_shows,
      "\"items\" or \"none\"" },

    { ngx_null_string, NULL, 0, 0, 0, NULL, NULL }
};


char *
ngx_http_ors_tool_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_ors_loc_conf_t  *olcf = conf;

    ngx_str_t          *value;
    ngx_array_t       **tools;
    ngx_ors_tool_t      tool, *new;

    tools = &olcf->hosting.tools;
    value = cf->args->elts;

    if (*tools == NGX_CONF_UNSET_PTR) {
        *tools = ngx_array_create(cf->pool, 4, sizeof(ngx_ors_tool_t));
        if (*tools == NULL) {
            return NGX_CONF_ERROR;
        }
    }

    ngx_memzero(&tool, sizeof(ngx_ors_tool_t));

    tool.timeout = NGX_CONF_UNSET_MSEC;
    tool.hidden = NGX_CONF_UNSET_UINT;

    if (ngx_http_ors_tool_name(cf, *tools, &tool, &value[1]) != NGX_CONF_OK
        || ngx_http_ors_tool_uri(cf, &tool, &value[2]) != NGX_CONF_OK
        || ngx_ors_conf_params(cf, ngx_http_ors_tool_params, &tool, 3, "tool",
                               &tool.name)
           != NGX_CONF_OK)
    {
        return NGX_CONF_ERROR;
    }

    ngx_conf_init_msec_value(tool.timeout, NGX_HTTP_ORS_TOOL_TIMEOUT);
    ngx_conf_init_uint_value(tool.hidden, 0);

    if (tool.type != ngx_ors_hosted_type_none
        && ngx_http_ors_tool_typed(cf, &tool) != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    new = ngx_array_push(*tools);
    if (new == NULL) {
        return NGX_CONF_ERROR;
    }

    *new = tool;

    return NGX_CONF_OK;
}


static char *
ngx_http_ors_tool_name(ngx_conf_t *cf, ngx_array_t *tools,
    ngx_ors_tool_t *tool, ngx_str_t *value)
{
    ngx_ors_hosting_t  hosting;

    if (!ngx_ors_line_name(value)) {
        ngx_ors_conf_error(cf, 0,
                           "invalid tool \"%V\", it must be the name of a "
                           "function: 1 to %d letters, digits, \"_\" or \"-\"",
                           value, NGX_ORS_NAME_MAX);
        return NGX_CONF_ERROR;
    }

    ngx_memzero(&hosting, sizeof(ngx_ors_hosting_t));
    hosting.tools = tools;

    if (ngx_ors_hosting_find(&hosting, value)) {
        ngx_ors_conf_error(cf, 0, "tool \"%V\" is duplicate",
                           value);
        return NGX_CONF_ERROR;
    }

    tool->name = *value;
    tool->type = ngx_ors_hosted_type(value);

    return NGX_CONF_OK;
}


static char *
ngx_http_ors_tool_uri(ngx_conf_t *cf, ngx_ors_tool_t *tool,
    ngx_str_t *value)
{
    u_char  *p;

    if (ngx_strncmp(value->data, "mcp:", 4) == 0) {
        return ngx_http_ors_tool_remote(cf, tool, value);
    }

    if (value->len == 0 || value->data[0] != '/') {
        ngx_ors_conf_error(cf, 0,
                           "invalid location \"%V\" of tool \"%V\", it must "
                           "be the URI of a location and begin with \"/\"",
                           value, &tool->name);
        return NGX_CONF_ERROR;
    }

    tool->uri = *value;

    p = ngx_strlchr(value->data, value->data + value->len, '?');

    if (p) {
        tool->args.data = p + 1;
        tool->args.len = value->data + value->len - (p + 1);
        tool->uri.len = p - value->data;
    }

    return NGX_CONF_OK;
}


/* whether there is such a server is known when all directives are merged */

static char *
ngx_http_ors_tool_remote(ngx_conf_t *cf, ngx_ors_tool_t *tool,
    ngx_str_t *value)
{
    u_char  *p, *start, *last;

    start = value->data + sizeof("mcp:") - 1;
    last = value->data + value->len;

    p = ngx_strlchr(start, last, '/');

    if (tool->type == ngx_ors_hosted_type_none || p == NULL || p == start
        || p + 1 == last)
    {
        ngx_ors_conf_error(cf, 0,
                           "invalid location \"%V\" of tool \"%V\", only "
                           "hosted types, "
                           NGX_ORS_HOSTED_TYPES(ngx_http_ors_tool_type)
                           "can have a tool of an MCP server, as "
                           "\"mcp:LABEL/NAME\"", value,
                           &tool->name);
        return NGX_CONF_ERROR;
    }

    tool->label.data = start;
    tool->label.len = p - start;

    tool->remote.data = p + 1;
    tool->remote.len = last - tool->remote.data;

    return NGX_CONF_OK;
}


/* the client sees an item of the type, and never the call of the function */

static ngx_int_t
ngx_http_ors_tool_typed(ngx_conf_t *cf, ngx_ors_tool_t *tool)
{
    tool->silent = tool->hidden;
    tool->hidden = 1;
    tool->defined = (tool->function.len != 0);

    return tool->defined
           ? NGX_OK
           : ngx_http_ors_tool_define(cf, tool,
                                      ngx_ors_hosted_type_definition(
                                                               tool->type),
                                      &tool->name);
}


static ngx_int_t
ngx_http_ors_tool_definition(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field)
{
    ngx_str_t        text;
    ngx_ors_tool_t  *tool = field;

    if (tool->function.len) {
        return NGX_BUSY;
    }

    if (value->len == 0) {
        return NGX_DECLINED;
    }

    if (ngx_http_ors_tool_file(cf, value, &text) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_http_ors_tool_define(cf, tool, &text, value);
}


/* "name" is where the text is from */

static ngx_int_t
ngx_http_ors_tool_define(ngx_conf_t *cf, ngx_ors_tool_t *tool, ngx_str_t *text,
    ngx_str_t *name)
{
    ngx_int_t        rc;
    ngx_ors_error_t  err;

    ngx_memzero(&err, sizeof(ngx_ors_error_t));

    rc = ngx_ors_chat_hosted_define(tool, text, cf->pool, &err);

    if (rc == NGX_DECLINED) {
        ngx_ors_conf_error(cf, 0,
                           "invalid definition of tool \"%V\" in \"%V\", %V",
                           &tool->name, name, &err.message);
        return NGX_ERROR;
    }

    return rc;
}


/* NGX_OK or NGX_ERROR: it has been logged */

static ngx_int_t
ngx_http_ors_tool_file(ngx_conf_t *cf, ngx_str_t *name, ngx_str_t *text)
{
    ngx_fd_t   fd;
    ngx_int_t  rc;

    text->len = NGX_ORS_CHAT_HOSTED_MAX + 1;
    text->data = ngx_pnalloc(cf->pool, text->len);

    if (text->data == NULL
        || ngx_conf_full_name(cf->cycle, name, 1) != NGX_OK)
    {
        return NGX_ERROR;
    }

    fd = ngx_open_file(name->data, NGX_FILE_RDONLY, NGX_FILE_OPEN, 0);

    if (fd == NGX_INVALID_FILE) {
        ngx_ors_conf_error(cf, ngx_errno,
                           ngx_open_file_n " \"%V\" failed", name);
        return NGX_ERROR;
    }

    rc = ngx_ors_conf_file(cf, name, fd, text);

    if (rc == NGX_DECLINED) {
        ngx_ors_conf_error(cf, 0,
                           "\"%V\" is no definition of a tool, it has more "
                           "than %d bytes", name, NGX_ORS_CHAT_HOSTED_MAX);
    }

    return (rc == NGX_OK) ? NGX_OK : NGX_ERROR;
}
