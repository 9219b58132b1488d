
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Requests to an MCP server, in both eras: bodies, headers, and the headers
 * that a tool's schema asks for.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_mcp_request.h>
#include <ngx_ors_names.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_text.h>
#include <ngx_ors_version.h>
#include <ngx_ors_mcp_message.h>


/* bytes of the shortest limit of an answer */
#define NGX_ORS_MCP_DOCUMENT  (8 * 1024 * 1024)

#define NGX_ORS_MCP_BLOCK    1024
#define NGX_ORS_MCP_HEADERS_N  8

#define NGX_ORS_MCP_CLIENT                                                    \
    "{\"name\":\"nginx-open-responses\",\"version\":\"" NGX_ORS_VERSION "\"}"

#define NGX_ORS_MCP_META                                                      \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\""

#define NGX_ORS_MCP_META_END                                                  \
    "\",\"io.modelcontextprotocol/clientCapabilities\":{},"                   \
    "\"io.modelcontextprotocol/clientInfo\":" NGX_ORS_MCP_CLIENT "}"

#define NGX_ORS_MCP_MARKER      "=?base64?"
#define NGX_ORS_MCP_MARKER_END  "?="

/* visible characters that a token cannot have */
#define NGX_ORS_MCP_DELIMITERS  "\"(),/:;<=>?@[\\]{}"

#define ngx_ors_mcp_is_blank(ch)    ((ch) == ' ' || (ch) == '\t')
#define ngx_ors_mcp_is_visible(ch)  ((ch) > 0x20 && (ch) < 0x7f)

#define NGX_ORS_MCP_PARAM_PREFIX  "Mcp-Param-"


/* the way from the root to a property, NULL: by other keywords */

typedef struct ngx_ors_mcp_step_s  ngx_ors_mcp_step_t;

struct ngx_ors_mcp_step_s {
    ngx_ors_mcp_step_t   *prev;
    ngx_ors_json_node_t  *name;       /* NULL: the root */
    ngx_uint_t            depth;
};


typedef struct {
    ngx_ors_json_t       *json;
    ngx_array_t          *params;
    char                 *invalid;
} ngx_ors_mcp_walk_t;


static ngx_ors_mcp_request_t *ngx_ors_mcp_request_create(
    ngx_ors_mcp_sender_t *sender, char *method, uint64_t id,
    ngx_ors_out_t *out);
static ngx_ors_mcp_request_t *ngx_ors_mcp_request_alloc(
    ngx_ors_mcp_sender_t *sender);
static ngx_int_t ngx_ors_mcp_request_era(ngx_ors_mcp_sender_t *sender,
    ngx_ors_mcp_request_t *req);
static ngx_int_t ngx_ors_mcp_request_header(ngx_ors_mcp_request_t *req,
    const char *name, ngx_str_t *value);
static ngx_int_t ngx_ors_mcp_request_name(ngx_ors_mcp_sender_t *sender,
    ngx_ors_mcp_request_t *req, ngx_ors_mcp_arguments_t *args);
static void ngx_ors_mcp_request_params(ngx_ors_mcp_sender_t *sender,
    ngx_ors_out_t *out);
static ngx_ors_mcp_request_t *ngx_ors_mcp_request_close(
    ngx_ors_mcp_request_t *req, ngx_ors_out_t *out, const char *end);
static ngx_uint_t ngx_ors_mcp_header_plain(ngx_str_t *text);
static ngx_int_t ngx_ors_mcp_params_walk(ngx_ors_mcp_walk_t *walk,
    ngx_ors_json_node_t *schema, ngx_ors_mcp_step_t *step);
static ngx_int_t ngx_ors_mcp_params_schemas(ngx_ors_mcp_walk_t *walk,
    ngx_ors_json_node_t *value, ngx_ors_mcp_step_t *step);
static ngx_int_t ngx_ors_mcp_params_map(ngx_ors_mcp_walk_t *walk,
    ngx_ors_json_node_t *map, ngx_ors_mcp_step_t *step);
static ngx_int_t ngx_ors_mcp_params_add(ngx_ors_mcp_walk_t *walk,
    ngx_ors_json_node_t *schema, ngx_ors_json_node_t *annotation,
    ngx_ors_mcp_step_t *step);
static char *ngx_ors_mcp_params_check(ngx_ors_mcp_walk_t *walk,
    ngx_ors_json_node_t *schema, ngx_str_t *name);
static ngx_int_t ngx_ors_mcp_params_path(ngx_ors_mcp_walk_t *walk,
    ngx_ors_mcp_param_t *param, ngx_ors_mcp_step_t *step);
static ngx_int_t ngx_ors_mcp_params_value(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, ngx_pool_t *pool, ngx_str_t *value);


static ngx_str_t  ngx_ors_mcp_versions[NGX_ORS_MCP_VERSIONS] = {
    ngx_null_string,
    ngx_string("2024-11-05"),
    ngx_string("2025-03-26"),
    ngx_string("2025-06-18"),
    ngx_string("2025-11-25"),
    ngx_string("2026-07-28")
};


/* keywords with a schema, or an array of schemas */

static const ngx_str_t  ngx_ors_mcp_schema_keywords[] = {
    ngx_string("items"),
    ngx_string("prefixItems"),
    ngx_string("additionalItems"),
    ngx_string("unevaluatedItems"),
    ngx_string("contains"),
    ngx_string("additionalProperties"),
    ngx_string("unevaluatedProperties"),
    ngx_string("propertyNames"),
    ngx_string("contentSchema"),
    ngx_string("allOf"),
    ngx_string("anyOf"),
    ngx_string("oneOf"),
    ngx_string("not"),
    ngx_string("if"),
    ngx_string("then"),
    ngx_string("else"),
    ngx_null_string
};


/* ... with an object of schemas */

static const ngx_str_t  ngx_ors_mcp_map_keywords[] = {
    ngx_string("patternProperties"),
    ngx_string("dependentSchemas"),
    ngx_string("dependencies"),
    ngx_string("$defs"),
    ngx_string("definitions"),
    ngx_null_string
};


/* The versions of MCP by their dates, and the limits of its answers. */


void
ngx_ors_mcp_limits_set(ngx_ors_mcp_limits_t *limits, size_t output)
{
    /* a text may be escaped, and stand beside others */

    limits->document = ngx_max(NGX_ORS_MCP_DOCUMENT, 2 * output);
    limits->dialog = limits->document + 10 * output;

    limits->depth = 64;
    limits->nodes = 200000;

    limits->pages = 100;
    limits->tools = 1024;
    limits->tool = 64 * 1024;
    limits->list = 2 * 1024 * 1024;

    limits->output = output;
}


ngx_str_t *
ngx_ors_mcp_version_name(ngx_ors_mcp_version_e version)
{
    return &ngx_ors_mcp_versions[version];
}


ngx_ors_mcp_version_e
ngx_ors_mcp_version(ngx_str_t *name)
{
    ngx_uint_t  i;

    for (i = NGX_ORS_MCP_VERSIONS - 1; i > 0; i--) {

        if (ngx_ors_same(name, &ngx_ors_mcp_versions[i])) {
            break;
        }
    }

    return i;
}


ngx_int_t
ngx_ors_mcp_invalid(char **invalid, char *why)
{
    *invalid = why;

    return NGX_DECLINED;
}


ngx_ors_mcp_request_t *
ngx_ors_mcp_request_list(ngx_ors_mcp_sender_t *sender, uint64_t id,
    ngx_str_t *cursor)
{
    ngx_ors_out_t           out;
    ngx_ors_mcp_request_t  *req;

    req = ngx_ors_mcp_request_create(sender, "tools/list", id, &out);
    if (req == NULL) {
        return NULL;
    }

    ngx_ors_mcp_request_params(sender, &out);

    if (cursor) {

        if (ngx_ors_mcp_is_modern(sender->version)) {
            ngx_ors_out_lit(&out, ",");
        }

        ngx_ors_out_lit(&out, "\"cursor\":\"");
        ngx_ors_out_str(&out, cursor);
        ngx_ors_out_lit(&out, "\"");
    }

    return ngx_ors_mcp_request_close(req, &out, "}}");
}


ngx_ors_mcp_request_t *
ngx_ors_mcp_request_call(ngx_ors_mcp_sender_t *sender, uint64_t id,
    ngx_ors_mcp_arguments_t *args)
{
    ngx_ors_out_t           out;
    ngx_ors_mcp_request_t  *req;

    req = ngx_ors_mcp_request_create(sender, "tools/call", id, &out);

    if (req == NULL
        || ngx_ors_mcp_request_name(sender, req, args) != NGX_OK)
    {
        return NULL;
    }

    ngx_ors_mcp_request_params(sender, &out);

    if (ngx_ors_mcp_is_modern(sender->version)) {
        ngx_ors_out_lit(&out, ",");
    }

    ngx_ors_out_lit(&out, "\"name\":");
    ngx_ors_json_quote(&out, args->name.data, args->name.len);

    ngx_ors_out_lit(&out, ",\"arguments\":");

    if (args->arguments.len) {
        ngx_ors_out_ref(&out, args->arguments.data, args->arguments.len);

    } else {
        ngx_ors_out_lit(&out, "{}");
    }

    if (args->state.len) {
        ngx_ors_out_lit(&out, ",\"requestState\":");
        ngx_ors_out_str(&out, &args->state);
    }

    return ngx_ors_mcp_request_close(req, &out, "}}");
}


ngx_ors_mcp_request_t *
ngx_ors_mcp_request_initialize(ngx_ors_mcp_sender_t *sender, uint64_t id)
{
    ngx_ors_out_t           out;
    ngx_ors_mcp_sender_t    first;
    ngx_ors_mcp_request_t  *req;

    /* neither a session nor a version has been agreed upon */

    first.pool = sender->pool;
    first.version = ngx_ors_mcp_version_none;
    ngx_str_null(&first.session);

    req = ngx_ors_mcp_request_create(&first, "initialize", id, &out);
    if (req == NULL) {
        return NULL;
    }

    ngx_ors_out_lit(&out, "\"protocolVersion\":\"");
    ngx_ors_out_str(&out, ngx_ors_mcp_version_name(sender->version));

    return ngx_ors_mcp_request_close(req, &out,
                                     "\",\"capabilities\":{},"
                                     "\"clientInfo\":" NGX_ORS_MCP_CLIENT
                                     "}}");
}


ngx_ors_mcp_request_t *
ngx_ors_mcp_request_initialized(ngx_ors_mcp_sender_t *sender)
{
    ngx_ors_out_t           out;
    ngx_ors_mcp_request_t  *req;

    req = ngx_ors_mcp_request_create(sender, "notifications/initialized", 0,
                                     &out);

    return req ? ngx_ors_mcp_request_close(req, &out, "}}") : NULL;
}


ngx_ors_mcp_request_t *
ngx_ors_mcp_request_cancelled(ngx_ors_mcp_sender_t *sender, uint64_t id)
{
    ngx_ors_out_t           out;
    ngx_ors_mcp_request_t  *req;

    req = ngx_ors_mcp_request_create(sender, "notifications/cancelled", 0,
                                     &out);
    if (req == NULL) {
        return NULL;
    }

    ngx_ors_out_lit(&out, "\"requestId\":");
    ngx_ors_out_int(&out, (int64_t) id);

    return ngx_ors_mcp_request_close(req, &out, "}}");
}


ngx_ors_mcp_request_t *
ngx_ors_mcp_request_answer(ngx_ors_mcp_sender_t *sender, ngx_str_t *id,
    ngx_uint_t ping)
{
    ngx_ors_out_t           out;
    ngx_ors_mcp_request_t  *req;

    req = ngx_ors_mcp_request_create(sender, "", 0, &out);
    if (req == NULL) {
        return NULL;
    }

    ngx_ors_out_lit(&out, "\"id\":");
    ngx_ors_out_str(&out, id);

    return ngx_ors_mcp_request_close(req, &out,
                                     ping ? ",\"result\":{}}"
                                          : ",\"error\":{\"code\":-32601,"
                                            "\"message\":"
                                            "\"Method not found\"}}");
}


ngx_ors_mcp_request_t *
ngx_ors_mcp_request_resume(ngx_ors_mcp_sender_t *sender, ngx_str_t *id)
{
    ngx_ors_mcp_request_t  *req;

    static ngx_str_t  accept = ngx_string("text/event-stream");

    req = ngx_ors_mcp_request_alloc(sender);

    if (req == NULL
        || ngx_ors_mcp_request_header(req, "Accept", &accept) != NGX_OK
        || ngx_ors_mcp_request_era(sender, req) != NGX_OK
        || ngx_ors_mcp_request_header(req, "Last-Event-ID", id) != NGX_OK)
    {
        return NULL;
    }

    return req;
}


ngx_ors_mcp_request_t *
ngx_ors_mcp_request_end(ngx_ors_mcp_sender_t *sender)
{
    ngx_ors_mcp_request_t  *req;

    req = ngx_ors_mcp_request_alloc(sender);

    if (req == NULL || ngx_ors_mcp_request_era(sender, req) != NGX_OK) {
        return NULL;
    }

    ngx_str_set(&req->method, "DELETE");
    req->ends = 1;

    return req;
}


/* "out" is in the parameters of the method, or, without one, after the head */

static ngx_ors_mcp_request_t *
ngx_ors_mcp_request_create(ngx_ors_mcp_sender_t *sender, char *method,
    uint64_t id, ngx_ors_out_t *out)
{
    ngx_ors_mcp_request_t  *req;

    static ngx_str_t  type = ngx_string("application/json");
    static ngx_str_t  accept = ngx_string("application/json, "
                                          "text/event-stream");

    req = ngx_ors_mcp_request_alloc(sender);
    if (req == NULL) {
        return NULL;
    }

    req->method.data = (u_char *) method;
    req->method.len = ngx_strlen(method);
    req->id = id;

    if (ngx_ors_mcp_request_header(req, "Content-Type", &type) != NGX_OK
        || ngx_ors_mcp_request_header(req, "Accept", &accept) != NGX_OK
        || ngx_ors_mcp_request_era(sender, req) != NGX_OK)
    {
        return NULL;
    }

    ngx_ors_out_init(out, sender->pool, NGX_ORS_MCP_BLOCK);

    ngx_ors_out_lit(out, "{\"jsonrpc\":\"2.0\",");

    if (id) {
        ngx_ors_out_lit(out, "\"id\":");
        ngx_ors_out_int(out, (int64_t) id);
        ngx_ors_out_lit(out, ",");
    }

    if (req->method.len) {
        ngx_ors_out_lit(out, "\"method\":\"");
        ngx_ors_out_str(out, &req->method);
        ngx_ors_out_lit(out, "\",\"params\":{");
    }

    return req;
}


static ngx_ors_mcp_request_t *
ngx_ors_mcp_request_alloc(ngx_ors_mcp_sender_t *sender)
{
    ngx_ors_mcp_request_t  *req;

    req = ngx_pcalloc(sender->pool, sizeof(ngx_ors_mcp_request_t));

    if (req == NULL
        || ngx_array_init(&req->headers, sender->pool, NGX_ORS_MCP_HEADERS_N,
                          sizeof(ngx_keyval_t))
           != NGX_OK)
    {
        return NULL;
    }

    return req;
}


static ngx_int_t
ngx_ors_mcp_request_era(ngx_ors_mcp_sender_t *sender,
    ngx_ors_mcp_request_t *req)
{
    /* earlier versions have no such header */

    if (sender->version >= ngx_ors_mcp_version_2025_06_18
        && ngx_ors_mcp_request_header(req, "MCP-Protocol-Version",
                                      ngx_ors_mcp_version_name(
                                                          sender->version))
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ngx_ors_mcp_is_modern(sender->version)) {
        return ngx_ors_mcp_request_header(req, "Mcp-Method", &req->method);
    }

    if (sender->session.len) {
        return ngx_ors_mcp_request_header(req, "Mcp-Session-Id",
                                          &sender->session);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_mcp_request_header(ngx_ors_mcp_request_t *req, const char *name,
    ngx_str_t *value)
{
    ngx_keyval_t  *kv;

    kv = ngx_array_push(&req->headers);
    if (kv == NULL) {
        return NGX_ERROR;
    }

    kv->key.data = (u_char *) name;
    kv->key.len = ngx_strlen(name);
    kv->value = *value;

    return NGX_OK;
}


/* the headers of the modern era that repeat what the body has */

static ngx_int_t
ngx_ors_mcp_request_name(ngx_ors_mcp_sender_t *sender,
    ngx_ors_mcp_request_t *req, ngx_ors_mcp_arguments_t *args)
{
    ngx_str_t      value;
    ngx_keyval_t  *kv;

    if (!ngx_ors_mcp_is_modern(sender->version)) {
        return NGX_OK;
    }

    if (ngx_ors_mcp_header_value(&args->name, sender->pool, &value) != NGX_OK
        || ngx_ors_mcp_request_header(req, "Mcp-Name", &value) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (args->params == NULL) {
        return NGX_OK;
    }

    kv = ngx_array_push_n(&req->headers, args->params->nelts);
    if (kv == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(kv, args->params->elts,
               args->params->nelts * sizeof(ngx_keyval_t));

    return NGX_OK;
}


static void
ngx_ors_mcp_request_params(ngx_ors_mcp_sender_t *sender, ngx_ors_out_t *out)
{
    if (ngx_ors_mcp_is_modern(sender->version)) {
        ngx_ors_out_lit(out, NGX_ORS_MCP_META);
        ngx_ors_out_str(out, ngx_ors_mcp_version_name(sender->version));
        ngx_ors_out_lit(out, NGX_ORS_MCP_META_END);
    }
}


static ngx_ors_mcp_request_t *
ngx_ors_mcp_request_close(ngx_ors_mcp_request_t *req, ngx_ors_out_t *out,
    const char *end)
{
    ngx_ors_out_copy(out, (u_char *) end, ngx_strlen(end));

    req->size = out->size;

    return (ngx_ors_out_take(out, &req->body) == NGX_OK) ? req : NULL;
}


/* Header values of MCP: plain where possible, Base64 in a marker elsewhere. */


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


/*
 * The walk through a schema for annotations: only properties of properties
 * may have them, anywhere else they make the schema unusable.
 */


ngx_int_t
ngx_ors_mcp_params_find(ngx_ors_json_t *json, ngx_ors_json_node_t *schema,
    ngx_array_t *params, char **invalid)
{
    ngx_int_t           rc;
    ngx_ors_mcp_step_t  root;
    ngx_ors_mcp_walk_t  walk;

    ngx_memzero(&root, sizeof(ngx_ors_mcp_step_t));

    walk.json = json;
    walk.params = params;
    walk.invalid = NULL;

    rc = ngx_ors_mcp_params_walk(&walk, schema, &root);

    *invalid = walk.invalid;

    return rc;
}


/* "default", "enum" and the like are data: not entered */

static ngx_int_t
ngx_ors_mcp_params_walk(ngx_ors_mcp_walk_t *walk, ngx_ors_json_node_t *schema,
    ngx_ors_mcp_step_t *step)
{
    ngx_int_t             rc;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *key;

    json = walk->json;

    if (schema->type != ngx_ors_json_object) {
        return NGX_OK;
    }

    for (key = ngx_ors_json_first(json, schema);
         key;
         key = ngx_ors_json_next(json, key))
    {
        if (ngx_ors_json_is(json, key, "x-mcp-header")) {
            rc = ngx_ors_mcp_params_add(walk, schema, key + 1, step);

        } else if (ngx_ors_json_is(json, key, "properties")) {
            rc = ngx_ors_mcp_params_map(walk, key + 1, step);

        } else if (ngx_ors_json_name(json, key,
                                     ngx_ors_mcp_schema_keywords)->len)
        {
            rc = ngx_ors_mcp_params_schemas(walk, key + 1, NULL);

        } else if (ngx_ors_json_name(json, key,
                                     ngx_ors_mcp_map_keywords)->len)
        {
            rc = ngx_ors_mcp_params_map(walk, key + 1, NULL);

        } else {
            continue;
        }

        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_mcp_params_schemas(ngx_ors_mcp_walk_t *walk,
    ngx_ors_json_node_t *value, ngx_ors_mcp_step_t *step)
{
    ngx_int_t             rc;
    ngx_ors_json_node_t  *node;

    if (value->type != ngx_ors_json_array) {
        return ngx_ors_mcp_params_walk(walk, value, step);
    }

    for (node = ngx_ors_json_first(walk->json, value);
         node;
         node = ngx_ors_json_next(walk->json, node))
    {
        rc = ngx_ors_mcp_params_walk(walk, node, step);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


/* "step" is that of the object with these properties, or NULL */

static ngx_int_t
ngx_ors_mcp_params_map(ngx_ors_mcp_walk_t *walk, ngx_ors_json_node_t *map,
    ngx_ors_mcp_step_t *step)
{
    ngx_int_t             rc;
    ngx_ors_mcp_step_t    next;
    ngx_ors_json_node_t  *key;

    if (map->type != ngx_ors_json_object) {
        return NGX_OK;
    }

    next.prev = step;
    next.depth = step ? step->depth + 1 : 0;

    for (key = ngx_ors_json_first(walk->json, map);
         key;
         key = ngx_ors_json_next(walk->json, key))
    {
        next.name = key;

        rc = ngx_ors_mcp_params_walk(walk, key + 1, step ? &next : NULL);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_mcp_params_add(ngx_ors_mcp_walk_t *walk, ngx_ors_json_node_t *schema,
    ngx_ors_json_node_t *annotation, ngx_ors_mcp_step_t *step)
{
    u_char               *p;
    ngx_int_t             rc;
    ngx_str_t             name;
    ngx_pool_t           *pool;
    ngx_ors_mcp_param_t  *param;

    if (step == NULL || step->name == NULL) {
        walk->invalid = "x-mcp-header is not that of a property";
        return NGX_DECLINED;
    }

    pool = walk->params->pool;

    rc = ngx_ors_mcp_string(walk->json, annotation, pool, &name);
    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    walk->invalid = ngx_ors_mcp_params_check(walk, schema, &name);
    if (walk->invalid) {
        return NGX_DECLINED;
    }

    param = ngx_array_push(walk->params);
    if (param == NULL) {
        return NGX_ERROR;
    }

    param->header.len = sizeof(NGX_ORS_MCP_PARAM_PREFIX) - 1 + name.len;

    param->header.data = ngx_pnalloc(pool, param->header.len);
    if (param->header.data == NULL) {
        return NGX_ERROR;
    }

    p = ngx_cpymem(param->header.data, NGX_ORS_MCP_PARAM_PREFIX,
                   sizeof(NGX_ORS_MCP_PARAM_PREFIX) - 1);
    ngx_memcpy(p, name.data, name.len);

    return ngx_ors_mcp_params_path(walk, param, step);
}


/* NULL: the annotation is valid */

static char *
ngx_ors_mcp_params_check(ngx_ors_mcp_walk_t *walk,
    ngx_ors_json_node_t *schema, ngx_str_t *name)
{
    ngx_str_t             other;
    ngx_uint_t            i;
    ngx_ors_mcp_param_t  *param;
    ngx_ors_json_node_t  *type;

    if (!ngx_ors_mcp_header_token(name)) {
        return "x-mcp-header is no token";
    }

    type = ngx_ors_json_find(walk->json, schema, "type");

    if (!ngx_ors_json_is(walk->json, type, "string")
        && !ngx_ors_json_is(walk->json, type, "integer")
        && !ngx_ors_json_is(walk->json, type, "boolean"))
    {
        return "x-mcp-header is that of a property of another type";
    }

    if (walk->params->nelts == NGX_ORS_MCP_PARAMS_MAX) {
        return "too many properties have x-mcp-header";
    }

    param = walk->params->elts;

    for (i = 0; i < walk->params->nelts; i++) {
        other = param[i].header;
        other.data += sizeof(NGX_ORS_MCP_PARAM_PREFIX) - 1;
        other.len -= sizeof(NGX_ORS_MCP_PARAM_PREFIX) - 1;

        if (other.len == name->len
            && ngx_strncasecmp(other.data, name->data, name->len) == 0)
        {
            return "two properties have the same x-mcp-header";
        }
    }

    return NULL;
}


static ngx_int_t
ngx_ors_mcp_params_path(ngx_ors_mcp_walk_t *walk, ngx_ors_mcp_param_t *param,
    ngx_ors_mcp_step_t *step)
{
    ngx_pool_t  *pool;

    pool = walk->params->pool;

    param->depth = step->depth;

    param->path = ngx_palloc(pool, step->depth * sizeof(ngx_str_t));
    if (param->path == NULL) {
        return NGX_ERROR;
    }

    for ( /* void */ ; step->name; step = step->prev) {

        if (ngx_ors_mcp_string(walk->json, step->name, pool,
                               &param->path[step->depth - 1])
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_mcp_params_headers(ngx_array_t *params, ngx_ors_json_t *json,
    ngx_ors_json_node_t *arguments, ngx_array_t *headers)
{
    ngx_int_t             rc;
    ngx_str_t             value;
    ngx_uint_t            i, n;
    ngx_keyval_t         *kv;
    ngx_ors_json_node_t  *node;
    ngx_ors_mcp_param_t  *param;

    param = params->elts;

    for (i = 0; i < params->nelts; i++) {
        node = arguments;

        for (n = 0; n < param[i].depth; n++) {
            node = ngx_ors_json_get(json, node, param[i].path[n].data,
                                    param[i].path[n].len);
        }

        rc = ngx_ors_mcp_params_value(json, node, headers->pool, &value);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (rc == NGX_DECLINED) {
            continue;
        }

        kv = ngx_array_push(headers);
        if (kv == NULL) {
            return NGX_ERROR;
        }

        kv->key = param[i].header;

        if (ngx_ors_mcp_header_value(&value, headers->pool, &kv->value)
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* NGX_DECLINED: there is nothing that a header could have */

static ngx_int_t
ngx_ors_mcp_params_value(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_pool_t *pool, ngx_str_t *value)
{
    int64_t    number;
    ngx_str_t  raw;

    if (node == NULL) {
        return NGX_DECLINED;
    }

    if (node->type == ngx_ors_json_string) {
        return ngx_ors_mcp_string(json, node, pool, value);
    }

    if (node->type == ngx_ors_json_true || node->type == ngx_ors_json_false) {
        ngx_ors_json_raw(json, node, value);
        return NGX_OK;
    }

    if (node->type != ngx_ors_json_number) {
        return NGX_DECLINED;
    }

    ngx_ors_json_raw(json, node, &raw);

    /* 1e2 is an integer */

    if (node->integer
        || ngx_ors_json_integer(json, node, &number) != NGX_OK)
    {
        *value = raw;
        return NGX_OK;
    }

    value->data = ngx_pnalloc(pool, NGX_INT64_LEN);
    if (value->data == NULL) {
        return NGX_ERROR;
    }

    value->len = ngx_sprintf(value->data, "%L", number) - value->data;

    return NGX_OK;
}
