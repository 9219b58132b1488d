
/*
 * Copyright (C) Open Responses contributors
 */


/* "open_responses_tool": which functions run here, and where. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_tool.h>
#include <ngx_ors_chat_hosted.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_hosted_type.h>


#define NGX_HTTP_ORS_TOOL_TIMEOUT  30000


static char *ngx_http_ors_tool_name(ngx_conf_t *cf, ngx_array_t *tools,
    ngx_ors_tool_t *tool, ngx_str_t *value);
static char *ngx_http_ors_tool_uri(ngx_conf_t *cf, ngx_ors_tool_t *tool,
    ngx_str_t *value);
static char *ngx_http_ors_tool_remote(ngx_conf_t *cf, ngx_ors_tool_t *tool,
    ngx_str_t *value);
static char *ngx_http_ors_tool_param(ngx_conf_t *cf, ngx_ors_tool_t *tool,
    ngx_str_t *value);
static char *ngx_http_ors_tool_definition(ngx_conf_t *cf,
    ngx_ors_tool_t *tool, ngx_str_t *name);
static char *ngx_http_ors_tool_define(ngx_conf_t *cf, ngx_ors_tool_t *tool,
    ngx_str_t *text, ngx_str_t *name);
static char *ngx_http_ors_tool_typed(ngx_conf_t *cf, ngx_ors_tool_t *tool);
static ngx_int_t ngx_http_ors_tool_file(ngx_conf_t *cf, ngx_str_t *name,
    ngx_str_t *text);


char *
ngx_http_ors_tool_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_ors_loc_conf_t  *olcf = conf;

    ngx_str_t          *value;
    ngx_uint_t          i;
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

    tool.timeout = NGX_HTTP_ORS_TOOL_TIMEOUT;

    if (ngx_http_ors_tool_name(cf, *tools, &tool, &value[1]) != NGX_CONF_OK
        || ngx_http_ors_tool_uri(cf, &tool, &value[2]) != NGX_CONF_OK)
    {
        return NGX_CONF_ERROR;
    }

    for (i = 3; i < cf->args->nelts; i++) {

        if (ngx_http_ors_tool_param(cf, &tool, &value[i]) != NGX_CONF_OK) {
            return NGX_CONF_ERROR;
        }
    }

    if (tool.type != ngx_ors_hosted_type_none
        && ngx_http_ors_tool_typed(cf, &tool) != NGX_CONF_OK)
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

    if (!ngx_ors_hosting_name(value)) {
        ngx_ors_conf_error(cf, 0,
                           "invalid tool \"%V\", it must be the name of a "
                           "function: 1 to %d letters, digits, \"_\" or \"-\"",
                           value, NGX_ORS_HOSTING_NAME_MAX);
        return NGX_CONF_ERROR;
    }

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
                           "\"web_search\", \"file_search\" and "
                           "\"code_interpreter\" can have a tool of an MCP "
                           "server, as \"mcp:LABEL/NAME\"", value,
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

static char *
ngx_http_ors_tool_typed(ngx_conf_t *cf, ngx_ors_tool_t *tool)
{
    tool->silent = tool->hidden;
    tool->hidden = 1;

    return tool->function.len
           ? NGX_CONF_OK
           : ngx_http_ors_tool_define(cf, tool,
                                      ngx_ors_hosted_type_definition(
                                                               tool->type),
                                      &tool->name);
}


static char *
ngx_http_ors_tool_param(ngx_conf_t *cf, ngx_ors_tool_t *tool,
    ngx_str_t *value)
{
    ngx_str_t  s;
    ngx_int_t  timeout;

    if (ngx_strncmp(value->data, "definition=", 11) == 0
        && value->len > 11)
    {
        s.data = value->data + 11;
        s.len = value->len - 11;

        return ngx_http_ors_tool_definition(cf, tool, &s);
    }

    if (ngx_strncmp(value->data, "timeout=", 8) == 0) {
        s.data = value->data + 8;
        s.len = value->len - 8;

        timeout = ngx_parse_time(&s, 0);

        if (timeout != NGX_ERROR && timeout > 0) {
            tool->timeout = timeout;
            return NGX_CONF_OK;
        }
    }

    if (ngx_strcmp(value->data, "show=items") == 0) {
        tool->hidden = 0;
        return NGX_CONF_OK;
    }

    if (ngx_strcmp(value->data, "show=none") == 0) {
        tool->hidden = 1;
        return NGX_CONF_OK;
    }

    ngx_ors_conf_error(cf, 0,
                       "invalid parameter \"%V\" of tool \"%V\", it must be "
                       "\"definition=\" with a file, \"timeout=\" with a time "
                       "above 0, \"show=items\" or \"show=none\"", value,
                       &tool->name);
    return NGX_CONF_ERROR;
}


static char *
ngx_http_ors_tool_definition(ngx_conf_t *cf, ngx_ors_tool_t *tool,
    ngx_str_t *name)
{
    ngx_str_t  text;

    if (ngx_http_ors_tool_file(cf, name, &text) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    return ngx_http_ors_tool_define(cf, tool, &text, name);
}


/* "name" is where the text is from */

static char *
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
    }

    return (rc == NGX_OK) ? NGX_CONF_OK : NGX_CONF_ERROR;
}


/* NGX_OK or NGX_ERROR: it has been logged */

static ngx_int_t
ngx_http_ors_tool_file(ngx_conf_t *cf, ngx_str_t *name, ngx_str_t *text)
{
    size_t    size;
    ssize_t   n;
    ngx_fd_t  fd;

    size = NGX_ORS_CHAT_HOSTED_MAX + 1;

    text->len = 0;
    text->data = ngx_pnalloc(cf->pool, size);

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

    do {
        n = ngx_read_fd(fd, text->data + text->len, size - text->len);

        if (n == -1) {
            ngx_ors_conf_error(cf, ngx_errno,
                               ngx_read_fd_n " \"%V\" failed", name);
            break;
        }

        text->len += n;

    } while (n && text->len < size);

    if (ngx_close_file(fd) == NGX_FILE_ERROR) {
        ngx_conf_log_error(NGX_LOG_ALERT, cf, ngx_errno,
                           ngx_close_file_n " \"%V\" failed", name);
    }

    if (n > 0) {
        ngx_ors_conf_error(cf, 0,
                           "\"%V\" is no definition of a tool, it has more "
                           "than %d bytes", name, NGX_ORS_CHAT_HOSTED_MAX);
    }

    return (n == 0) ? NGX_OK : NGX_ERROR;
}
