
/*
 * Copyright (C) Open Responses contributors
 */


/* Finds out the era of a server by the way in which it refuses a request. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_mcp_refusal.h>


/* codes of the modern era: only its servers have them */
#define ngx_ors_mcp_is_modern_code(code)                                      \
    ((code) <= NGX_ORS_MCP_HEADERS && (code) >= NGX_ORS_MCP_VERSION)

/* codes that mean nothing in particular, as old servers use them */
#define ngx_ors_mcp_is_legacy_code(code)                                      \
    ((code) == NGX_ORS_MCP_INVALID_REQUEST                                    \
     || ((code) <= -32000 && (code) >= -32019))

/* the server has not even looked for the tool */
#define ngx_ors_mcp_is_refused(status)                                        \
    ((status) == 400 || (status) == 404 || (status) == 405)


static ngx_ors_mcp_refusal_e ngx_ors_mcp_refusal_of_modern(
    ngx_ors_mcp_version_e known, ngx_uint_t status,
    ngx_ors_mcp_message_t *message, ngx_ors_mcp_version_e *version);
static ngx_ors_mcp_refusal_e ngx_ors_mcp_refusal_version(
    ngx_ors_mcp_message_t *message, ngx_ors_mcp_version_e *version);
static ngx_uint_t ngx_ors_mcp_refusal_meta(ngx_uint_t status,
    ngx_ors_mcp_message_t *message);


ngx_ors_mcp_refusal_e
ngx_ors_mcp_refusal(ngx_ors_mcp_version_e sent, ngx_ors_mcp_version_e known,
    ngx_uint_t status, ngx_ors_mcp_message_t *message,
    ngx_ors_mcp_version_e *version)
{
    *version = NGX_ORS_MCP_LEGACY;

    if (ngx_ors_mcp_is_modern(sent)) {
        return ngx_ors_mcp_refusal_of_modern(known, status, message, version);
    }

    if (message
        && (ngx_ors_mcp_is_modern_code(message->code)
            || ngx_ors_mcp_refusal_meta(status, message)))
    {
        return ngx_ors_mcp_refusal_modern;
    }

    /* a lost session is 404, with some servers 400 and no code that says so */

    return (status == 404
            || (status == 400
                && (message == NULL
                    || ngx_ors_mcp_is_legacy_code(message->code))))
           ? ngx_ors_mcp_refusal_begin : ngx_ors_mcp_refusal_final;
}


static ngx_ors_mcp_refusal_e
ngx_ors_mcp_refusal_of_modern(ngx_ors_mcp_version_e known, ngx_uint_t status,
    ngx_ors_mcp_message_t *message, ngx_ors_mcp_version_e *version)
{
    int64_t  code;

    code = message ? message->code : 0;

    if (code == NGX_ORS_MCP_VERSION) {
        return ngx_ors_mcp_refusal_version(message, version);
    }

    if (code == NGX_ORS_MCP_HEADERS) {
        return ngx_ors_mcp_refusal_list;
    }

    if (code == NGX_ORS_MCP_CAPABILITY
        || (status == 404 && code == NGX_ORS_MCP_NO_METHOD)
        || ngx_ors_mcp_refusal_meta(status, message))
    {
        return ngx_ors_mcp_refusal_final;
    }

    if (code == NGX_ORS_MCP_INVALID_PARAMS && ngx_ors_mcp_is_modern(known)) {
        return ngx_ors_mcp_refusal_final;
    }

    if (ngx_ors_mcp_is_refused(status)) {
        return ngx_ors_mcp_refusal_begin;
    }

    return (status / 100 == 2 && !ngx_ors_mcp_is_modern(known)
            && ngx_ors_mcp_is_legacy_code(code))
           ? ngx_ors_mcp_refusal_begin : ngx_ors_mcp_refusal_final;
}


/* the newest legacy version that the server has; ours was refused */

static ngx_ors_mcp_refusal_e
ngx_ors_mcp_refusal_version(ngx_ors_mcp_message_t *message,
    ngx_ors_mcp_version_e *version)
{
    ngx_uint_t            i;
    ngx_str_t            *name;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *node, *supported;

    json = message->json;
    supported = ngx_ors_json_find(json, message->data, "supported");

    if (supported == NULL || supported->type != ngx_ors_json_array) {
        return ngx_ors_mcp_refusal_final;
    }

    for (i = NGX_ORS_MCP_LEGACY; i > ngx_ors_mcp_version_none; i--) {
        name = ngx_ors_mcp_version_name(i);

        for (node = ngx_ors_json_first(json, supported);
             node;
             node = ngx_ors_json_next(json, node))
        {
            if (ngx_ors_json_equal(json, node, name->data, name->len)) {
                *version = i;
                return ngx_ors_mcp_refusal_begin;
            }
        }
    }

    return ngx_ors_mcp_refusal_final;
}


/* 1 if the server misses what only requests of the modern era have */

static ngx_uint_t
ngx_ors_mcp_refusal_meta(ngx_uint_t status, ngx_ors_mcp_message_t *message)
{
    ngx_str_t  text;

    if (status != 400 || message == NULL
        || message->code != NGX_ORS_MCP_INVALID_PARAMS)
    {
        return 0;
    }

    ngx_ors_json_inner(message->json, message->text, &text);

    return text.len >= 5
           && ngx_strlcasestrn(text.data, text.data + text.len,
                               (u_char *) "_meta", 5 - 1)
              != NULL;
}


ngx_ors_mcp_refusal_e
ngx_ors_mcp_refusal_initialize(ngx_uint_t status,
    ngx_ors_mcp_message_t *message)
{
    if (message
        && (ngx_ors_mcp_is_modern_code(message->code)
            || ngx_ors_mcp_refusal_meta(status, message)
            || (status == 404 && message->code == NGX_ORS_MCP_NO_METHOD)))
    {
        return ngx_ors_mcp_refusal_modern;
    }

    return ngx_ors_mcp_refusal_final;
}
