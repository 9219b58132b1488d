
/*
 * Copyright (C) Open Responses contributors
 */


/* Header values of MCP: plain where possible, Base64 in a marker elsewhere. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_mcp.h>
#include <ngx_ors_mcp_header.h>


#define NGX_ORS_MCP_MARKER      "=?base64?"
#define NGX_ORS_MCP_MARKER_END  "?="

/* visible characters that a token cannot have */
#define NGX_ORS_MCP_DELIMITERS  "\"(),/:;<=>?@[\\]{}"

#define ngx_ors_mcp_is_blank(ch)    ((ch) == ' ' || (ch) == '\t')
#define ngx_ors_mcp_is_visible(ch)  ((ch) > 0x20 && (ch) < 0x7f)


static ngx_uint_t ngx_ors_mcp_header_plain(ngx_str_t *text);


ngx_int_t
ngx_ors_mcp_header_value(ngx_str_t *text, ngx_pool_t *pool, ngx_str_t *value)
{
    u_char     *p;
    ngx_str_t   encoded;

    if (ngx_ors_mcp_header_plain(text)) {
        *value = *text;
        return NGX_OK;
    }

    p = ngx_pnalloc(pool, sizeof(NGX_ORS_MCP_MARKER) - 1
                          + ngx_base64_encoded_length(text->len)
                          + sizeof(NGX_ORS_MCP_MARKER_END) - 1);
    if (p == NULL) {
        return NGX_ERROR;
    }

    value->data = p;

    p = ngx_cpymem(p, NGX_ORS_MCP_MARKER, sizeof(NGX_ORS_MCP_MARKER) - 1);

    encoded.data = p;
    ngx_encode_base64(&encoded, text);

    p = ngx_cpymem(p + encoded.len, NGX_ORS_MCP_MARKER_END,
                   sizeof(NGX_ORS_MCP_MARKER_END) - 1);

    value->len = p - value->data;

    return NGX_OK;
}


/* an empty value could be taken for a header that is not there */

static ngx_uint_t
ngx_ors_mcp_header_plain(ngx_str_t *text)
{
    u_char  *p, *last;

    p = text->data;
    last = p + text->len;

    if (p == last || ngx_ors_mcp_is_blank(*p)
        || ngx_ors_mcp_is_blank(*(last - 1)))
    {
        return 0;
    }

    if (text->len >= sizeof(NGX_ORS_MCP_MARKER) - 1
        && ngx_strncasecmp(p, (u_char *) NGX_ORS_MCP_MARKER,
                           sizeof(NGX_ORS_MCP_MARKER) - 1)
           == 0)
    {
        return 0;
    }

    for ( /* void */ ; p < last; p++) {

        if (!ngx_ors_mcp_is_visible(*p) && !ngx_ors_mcp_is_blank(*p)) {
            return 0;
        }
    }

    return 1;
}


ngx_uint_t
ngx_ors_mcp_header_token(ngx_str_t *text)
{
    size_t  i;
    u_char  ch;

    for (i = 0; i < text->len; i++) {
        ch = text->data[i];

        if (!ngx_ors_mcp_is_visible(ch)
            || ngx_strchr(NGX_ORS_MCP_DELIMITERS, ch))
        {
            return 0;
        }
    }

    return text->len != 0;
}


ngx_uint_t
ngx_ors_mcp_header_session(ngx_str_t *id)
{
    size_t  i;

    for (i = 0; i < id->len; i++) {

        if (!ngx_ors_mcp_is_visible(id->data[i])) {
            return 0;
        }
    }

    return id->len > 0 && id->len <= NGX_ORS_MCP_SESSION_MAX;
}
