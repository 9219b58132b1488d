
/*
 * Copyright (C) Open Responses contributors
 */


/* Results of calls as text, and the messages of errors. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>
#include <ngx_ors_mcp_request.h>
#include <ngx_ors_mcp_result.h>
#include <ngx_ors_mcp_message.h>
#include <ngx_ors_text.h>
#include <ngx_ors_utf8.h>


/* bytes of a name or an address that a placeholder quotes */
#define NGX_ORS_MCP_QUOTE_MAX  1024

#define NGX_ORS_MCP_CUT        "\n[truncated]"

#define NGX_ORS_MCP_RESULT_BLOCK  1024


typedef enum {
    ngx_ors_mcp_result_type = 0,
    ngx_ors_mcp_result_content,
    ngx_ors_mcp_result_structured,
    ngx_ors_mcp_result_failed,
    ngx_ors_mcp_result_state,
    ngx_ors_mcp_result_requests
} ngx_ors_mcp_result_member_e;

#define NGX_ORS_MCP_RESULT_MEMBERS  (ngx_ors_mcp_result_requests + 1)


typedef enum {
    ngx_ors_mcp_part_type = 0,
    ngx_ors_mcp_part_text,
    ngx_ors_mcp_part_media,
    ngx_ors_mcp_part_uri,
    ngx_ors_mcp_part_name,
    ngx_ors_mcp_part_resource
} ngx_ors_mcp_part_member_e;

#define NGX_ORS_MCP_PART_MEMBERS  (ngx_ors_mcp_part_resource + 1)


typedef struct {
    ngx_ors_out_t          out;
    ngx_ors_json_t        *json;
    ngx_pool_t            *pool;
    size_t                 max;
    unsigned               lines:1;    /* there is a line */
    unsigned               cut:1;
    unsigned               failed:1;   /* no memory */
} ngx_ors_mcp_lines_t;


static ngx_int_t ngx_ors_mcp_result_incomplete(ngx_ors_mcp_result_t *result,
    ngx_ors_json_t *json, ngx_ors_json_node_t **member, ngx_pool_t *pool);
static ngx_int_t ngx_ors_mcp_result_text(ngx_ors_mcp_result_t *result,
    ngx_ors_mcp_lines_t *lines, ngx_ors_json_node_t **member);
static ngx_uint_t ngx_ors_mcp_result_words(ngx_ors_mcp_lines_t *lines,
    ngx_ors_json_node_t *content);
static void ngx_ors_mcp_result_part(ngx_ors_mcp_lines_t *lines,
    ngx_ors_json_node_t *part);
static void ngx_ors_mcp_result_resource(ngx_ors_mcp_lines_t *lines,
    ngx_ors_json_node_t *resource);
static void ngx_ors_mcp_result_quote(ngx_ors_mcp_lines_t *lines,
    char *before, ngx_ors_json_node_t *node, char *after);
static void ngx_ors_mcp_result_string(ngx_ors_mcp_lines_t *lines,
    ngx_ors_json_node_t *node);
static void ngx_ors_mcp_result_line(ngx_ors_mcp_lines_t *lines);
static void ngx_ors_mcp_result_add(ngx_ors_mcp_lines_t *lines, u_char *data,
    size_t len);


static const ngx_str_t  ngx_ors_mcp_result_members[] = {
    ngx_string("resultType"),
    ngx_string("content"),
    ngx_string("structuredContent"),
    ngx_string("isError"),
    ngx_string("requestState"),
    ngx_string("inputRequests"),
    ngx_null_string
};


static const ngx_str_t  ngx_ors_mcp_part_members[] = {
    ngx_string("type"),
    ngx_string("text"),
    ngx_string("mimeType"),
    ngx_string("uri"),
    ngx_string("name"),
    ngx_string("resource"),
    ngx_null_string
};


ngx_int_t
ngx_ors_mcp_result_read(ngx_ors_mcp_result_t *result,
    ngx_ors_mcp_message_t *message, ngx_uint_t modern, size_t max,
    ngx_pool_t *pool)
{
    ngx_ors_json_t       *json;
    ngx_ors_mcp_lines_t   lines;
    ngx_ors_json_node_t  *node, *type, *member[NGX_ORS_MCP_RESULT_MEMBERS];

    ngx_memzero(result, sizeof(ngx_ors_mcp_result_t));

    json = message->json;

    ngx_ors_json_members(json, message->result, ngx_ors_mcp_result_members,
                         member);

    type = member[ngx_ors_mcp_result_type];

    if (modern && type) {

        if (ngx_ors_json_is(json, type, "input_required")) {
            return ngx_ors_mcp_result_incomplete(result, json, member, pool);
        }

        if (!ngx_ors_json_is(json, type, "complete")) {
            return ngx_ors_mcp_invalid(&result->invalid,
                                       "is of an unknown type");
        }
    }

    node = member[ngx_ors_mcp_result_failed];
    result->failed = (node && node->type == ngx_ors_json_true);

    ngx_memzero(&lines, sizeof(ngx_ors_mcp_lines_t));

    ngx_ors_out_init(&lines.out, pool, NGX_ORS_MCP_RESULT_BLOCK);

    lines.json = json;
    lines.pool = pool;
    lines.max = max;

    return ngx_ors_mcp_result_text(result, &lines, member);
}


/* the client has declared no capabilities: the server may ask for nothing */

static ngx_int_t
ngx_ors_mcp_result_incomplete(ngx_ors_mcp_result_t *result,
    ngx_ors_json_t *json, ngx_ors_json_node_t **member, ngx_pool_t *pool)
{
    if (ngx_ors_json_count(member[ngx_ors_mcp_result_requests])) {
        return ngx_ors_mcp_invalid(&result->invalid, "asks for input");
    }

    if (member[ngx_ors_mcp_result_state] == NULL) {
        return ngx_ors_mcp_invalid(&result->invalid, "asks for nothing");
    }

    return (ngx_ors_mcp_compact(json, member[ngx_ors_mcp_result_state], pool,
                                &result->state)
            == NGX_OK)
           ? NGX_AGAIN : NGX_ERROR;
}


static ngx_int_t
ngx_ors_mcp_result_text(ngx_ors_mcp_result_t *result,
    ngx_ors_mcp_lines_t *lines, ngx_ors_json_node_t **member)
{
    ngx_str_t             text;
    ngx_ors_json_node_t  *content, *structured, *part;

    content = member[ngx_ors_mcp_result_content];
    structured = member[ngx_ors_mcp_result_structured];

    if (content ? content->type != ngx_ors_json_array : structured == NULL) {
        return ngx_ors_mcp_invalid(&result->invalid, "has no content");
    }

    if (structured && !ngx_ors_mcp_result_words(lines, content)) {

        if (ngx_ors_mcp_compact(lines->json, structured, lines->pool, &text)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        ngx_ors_mcp_result_line(lines);
        ngx_ors_mcp_result_add(lines, text.data, text.len);
    }

    for (part = ngx_ors_json_first(lines->json, content);
         part && !lines->cut;
         part = ngx_ors_json_next(lines->json, part))
    {
        ngx_ors_mcp_result_part(lines, part);
    }

    if (lines->cut) {
        ngx_ors_out_lit(&lines->out, NGX_ORS_MCP_CUT);
    }

    result->cut = lines->cut;

    return lines->failed ? NGX_ERROR
                         : ngx_ors_out_text(&lines->out, &result->text);
}


/* 1 if some part is text of the tool */

static ngx_uint_t
ngx_ors_mcp_result_words(ngx_ors_mcp_lines_t *lines,
    ngx_ors_json_node_t *content)
{
    ngx_ors_json_node_t  *part, *text;

    for (part = ngx_ors_json_first(lines->json, content);
         part;
         part = ngx_ors_json_next(lines->json, part))
    {
        text = ngx_ors_json_find(lines->json, part, "resource");
        text = ngx_ors_json_find(lines->json, text ? text : part, "text");

        if (text && text->type == ngx_ors_json_string) {
            return 1;
        }
    }

    return 0;
}


static void
ngx_ors_mcp_result_part(ngx_ors_mcp_lines_t *lines, ngx_ors_json_node_t *part)
{
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *type, *member[NGX_ORS_MCP_PART_MEMBERS];

    json = lines->json;

    ngx_ors_json_members(json, part, ngx_ors_mcp_part_members, member);

    type = member[ngx_ors_mcp_part_type];

    ngx_ors_mcp_result_line(lines);

    if (ngx_ors_json_is(json, type, "text")) {
        ngx_ors_mcp_result_string(lines, member[ngx_ors_mcp_part_text]);

    } else if (ngx_ors_json_is(json, type, "resource")) {
        ngx_ors_mcp_result_resource(lines, member[ngx_ors_mcp_part_resource]);

    } else if (ngx_ors_json_is(json, type, "resource_link")) {
        ngx_ors_mcp_result_quote(lines, "", member[ngx_ors_mcp_part_name],
                                 ": ");
        ngx_ors_mcp_result_quote(lines, "", member[ngx_ors_mcp_part_uri], "");

    } else if (ngx_ors_json_is(json, type, "image")) {
        ngx_ors_mcp_result_quote(lines, "[image ",
                                 member[ngx_ors_mcp_part_media], "]");

    } else if (ngx_ors_json_is(json, type, "audio")) {
        ngx_ors_mcp_result_quote(lines, "[audio ",
                                 member[ngx_ors_mcp_part_media], "]");

    } else {
        ngx_ors_mcp_result_quote(lines, "[content of type ", type, "]");
    }
}


static void
ngx_ors_mcp_result_resource(ngx_ors_mcp_lines_t *lines,
    ngx_ors_json_node_t *resource)
{
    ngx_ors_json_node_t  *member[NGX_ORS_MCP_PART_MEMBERS];

    ngx_ors_json_members(lines->json, resource, ngx_ors_mcp_part_members,
                         member);

    if (member[ngx_ors_mcp_part_text]) {
        ngx_ors_mcp_result_string(lines, member[ngx_ors_mcp_part_text]);
        return;
    }

    ngx_ors_mcp_result_quote(lines, "[resource ",
                             member[ngx_ors_mcp_part_uri], " ");
    ngx_ors_mcp_result_quote(lines, "", member[ngx_ors_mcp_part_media], "]");
}


/* "?": absent, or too long to be quoted */

static void
ngx_ors_mcp_result_quote(ngx_ors_mcp_lines_t *lines, char *before,
    ngx_ors_json_node_t *node, char *after)
{
    ngx_ors_mcp_result_add(lines, (u_char *) before, ngx_strlen(before));

    if (node && node->type == ngx_ors_json_string
        && node->len <= NGX_ORS_MCP_QUOTE_MAX)
    {
        ngx_ors_mcp_result_string(lines, node);

    } else {
        ngx_ors_mcp_result_add(lines, (u_char *) "?", 1);
    }

    ngx_ors_mcp_result_add(lines, (u_char *) after, ngx_strlen(after));
}


static void
ngx_ors_mcp_result_string(ngx_ors_mcp_lines_t *lines,
    ngx_ors_json_node_t *node)
{
    ngx_int_t  rc;
    ngx_str_t  text;

    /* text without escapes needs no copy to be decoded in */

    if (node && node->type == ngx_ors_json_string && !node->escaped) {
        ngx_ors_json_raw(lines->json, node, &text);
        ngx_ors_mcp_result_add(lines, text.data, text.len);
        return;
    }

    rc = ngx_ors_mcp_string(lines->json, node, lines->pool, &text);

    if (rc == NGX_ERROR) {
        lines->failed = 1;
        return;
    }

    ngx_ors_mcp_result_add(lines, text.data, text.len);
}


static void
ngx_ors_mcp_result_line(ngx_ors_mcp_lines_t *lines)
{
    if (lines->lines) {
        ngx_ors_mcp_result_add(lines, (u_char *) "\n", 1);
    }

    lines->lines = 1;
}


static void
ngx_ors_mcp_result_add(ngx_ors_mcp_lines_t *lines, u_char *data, size_t len)
{
    if (lines->cut) {
        return;
    }

    if (len > lines->max - lines->out.size) {
        len = ngx_ors_utf8_cut(data, len, lines->max - lines->out.size);
        lines->cut = 1;
    }

    /* the text is taken while all that it is made of is there */

    ngx_ors_out_ref(&lines->out, data, len);
}


ngx_int_t
ngx_ors_mcp_error_read(ngx_ors_mcp_error_t *error,
    ngx_ors_mcp_message_t *message, ngx_pool_t *pool)
{
    u_char     *last;
    ngx_int_t   rc;

    error->type = ngx_ors_mcp_error_protocol;
    error->code = message->code;

    rc = ngx_ors_mcp_string(message->json, message->text, pool,
                            &error->message);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (error->message.len == 0) {
        ngx_str_set(&error->message, "no message");
        return NGX_OK;
    }

    error->message.len = ngx_ors_utf8_cut(error->message.data,
                                          error->message.len,
                                          NGX_ORS_MCP_ERROR_MAX);

    last = ngx_ors_line_copy(error->message.data, error->message.data,
                             error->message.len);
    error->message.len = last - error->message.data;

    return NGX_OK;
}
