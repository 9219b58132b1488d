
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Annotations and logprobs of chat servers in the protocol's form.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_content.h>
#include <ngx_ors_chat_annotations.h>


/* bytes for a token beside those that the server has written */
#define NGX_ORS_CHAT_LOGPROB_MORE  (sizeof(",\"bytes\":[]")                    \
                                    + sizeof(",\"top_logprobs\":[]"))


static u_char *ngx_ors_chat_answer_logprobs_put(u_char *p, ngx_ors_json_t *json,
    ngx_ors_json_node_t *list, ngx_uint_t top);
static u_char *ngx_ors_chat_answer_bytes(u_char *p, ngx_ors_json_t *json,
    ngx_ors_json_node_t *token);
static ngx_ors_json_node_t *ngx_ors_chat_answer_member(ngx_ors_json_t *json,
    ngx_ors_json_node_t *object, char *name, ngx_ors_json_type_e type);


ngx_int_t
ngx_ors_chat_answer_annotation(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_pool_t *pool, ngx_str_t *text)
{
    size_t                size;
    int64_t               start, end;
    ngx_str_t             address, name;
    ngx_ors_json_node_t  *type, *object, *url, *title;

    static char  form[] = "{\"type\":\"url_citation\",\"url\":\"%V\","
                          "\"title\":\"%V\",\"start_index\":%L,"
                          "\"end_index\":%L}";

    type = ngx_ors_chat_answer_member(json, node, "type", ngx_ors_json_string);

    if (type == NULL || !ngx_ors_json_is(json, type, "url_citation")) {
        return NGX_DECLINED;
    }

    object = ngx_ors_chat_answer_member(json, node, "url_citation",
                                        ngx_ors_json_object);
    if (object == NULL) {
        object = node;
    }

    url = ngx_ors_chat_answer_member(json, object, "url", ngx_ors_json_string);

    if (url == NULL
        || ngx_ors_json_integer(json,
                                ngx_ors_json_find(json, object, "start_index"),
                                &start)
           != NGX_OK
        || ngx_ors_json_integer(json,
                                ngx_ors_json_find(json, object, "end_index"),
                                &end)
           != NGX_OK
        || start < 0 || end < 0)
    {
        return NGX_DECLINED;
    }

    title = ngx_ors_chat_answer_member(json, object, "title",
                                       ngx_ors_json_string);

    ngx_ors_json_raw(json, url, &address);
    ngx_str_null(&name);

    if (title) {
        ngx_ors_json_raw(json, title, &name);
    }

    size = sizeof(form) + address.len + name.len + 2 * NGX_INT64_LEN;

    text->data = ngx_pnalloc(pool, size);
    if (text->data == NULL) {
        return NGX_ERROR;
    }

    text->len = ngx_snprintf(text->data, size, form, &address, &name, start,
                             end)
                - text->data;

    return NGX_OK;
}


ngx_int_t
ngx_ors_chat_answer_logprobs(ngx_ors_json_t *json, ngx_ors_json_node_t *list,
    ngx_pool_t *pool, ngx_buf_t *b, ngx_str_t *text)
{
    size_t                size;
    ngx_ors_json_node_t  *node, *tops;

    /*
     * Nothing is written in more bytes than the server has used for it, but for
     * what all tokens get
     */

    size = list->len;

    for (node = ngx_ors_json_first(json, list);
         node;
         node = ngx_ors_json_next(json, node))
    {
        tops = ngx_ors_chat_answer_member(json, node, "top_logprobs",
                                          ngx_ors_json_array);
        size += (ngx_ors_json_count(tops)
                 + (node->type == ngx_ors_json_object))
                * NGX_ORS_CHAT_LOGPROB_MORE;
    }

    if (size > (size_t) (b->end - b->start)) {

        if (b->start) {
            (void) ngx_pfree(pool, b->start);
        }

        b->start = ngx_pnalloc(pool, size);
        if (b->start == NULL) {
            b->end = NULL;
            return NGX_ERROR;
        }

        b->end = b->start + size;
    }

    text->data = b->start;
    text->len = ngx_ors_chat_answer_logprobs_put(text->data, json, list, 0)
                - text->data;

    return NGX_OK;
}


/* "top" is set for what a token could have been */

static u_char *
ngx_ors_chat_answer_logprobs_put(u_char *p, ngx_ors_json_t *json,
    ngx_ors_json_node_t *list, ngx_uint_t top)
{
    u_char               *first;
    ngx_str_t             text, number;
    ngx_ors_json_node_t  *node, *token, *logprob, *tops;

    first = p;

    for (node = ngx_ors_json_first(json, list);
         node;
         node = ngx_ors_json_next(json, node))
    {
        token = ngx_ors_chat_answer_member(json, node, "token",
                                           ngx_ors_json_string);
        logprob = ngx_ors_chat_answer_member(json, node, "logprob",
                                             ngx_ors_json_number);

        if (token == NULL || logprob == NULL) {
            continue;
        }

        ngx_ors_json_raw(json, token, &text);
        ngx_ors_json_raw(json, logprob, &number);

        if (p != first) {
            *p++ = ',';
        }

        p = ngx_sprintf(p, "{\"token\":\"%V\",\"logprob\":%V,\"bytes\":[",
                        &text, &number);
        p = ngx_ors_chat_answer_bytes(p, json, node);
        *p++ = ']';

        if (!top) {
            p = ngx_sprintf(p, ",\"top_logprobs\":[");

            tops = ngx_ors_chat_answer_member(json, node, "top_logprobs",
                                              ngx_ors_json_array);
            p = ngx_ors_chat_answer_logprobs_put(p, json, tops, 1);

            *p++ = ']';
        }

        *p++ = '}';
    }

    return p;
}


/* all of them or none: a token is not cut in pieces */

static u_char *
ngx_ors_chat_answer_bytes(u_char *p, ngx_ors_json_t *json,
    ngx_ors_json_node_t *token)
{
    u_char               *first;
    int64_t               n;
    ngx_ors_json_node_t  *bytes, *node;

    bytes = ngx_ors_chat_answer_member(json, token, "bytes",
                                       ngx_ors_json_array);
    first = p;

    for (node = ngx_ors_json_first(json, bytes);
         node;
         node = ngx_ors_json_next(json, node))
    {
        if (ngx_ors_json_integer(json, node, &n) != NGX_OK
            || n < 0 || n > 255)
        {
            return first;
        }

        if (p != first) {
            *p++ = ',';
        }

        if (node->integer && *ngx_ors_json_text(json, node) != '-') {
            p = ngx_cpymem(p, ngx_ors_json_text(json, node), node->len);
            continue;
        }

        p = ngx_sprintf(p, "%L", n);
    }

    return p;
}


static ngx_ors_json_node_t *
ngx_ors_chat_answer_member(ngx_ors_json_t *json, ngx_ors_json_node_t *object,
    char *name, ngx_ors_json_type_e type)
{
    ngx_ors_json_node_t  *node;

    node = ngx_ors_json_get(json, object, (u_char *) name, ngx_strlen(name));

    return (node && node->type == type) ? node : NULL;
}
