
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Documents that are like the one in front of them: the nodes of that one are
 * moved, and strings and numbers that differ are read.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_json_again.h>
#include <ngx_ors_vec.h>


/* where a comparison of both documents is */

typedef struct {
    u_char               *p;          /* in the new text */
    u_char               *end;
    u_char               *base;       /* the last one */
    u_char               *q;
    u_char               *last;
    ngx_ors_json_node_t  *node;       /* the first that has not been moved */
    uint32_t              shift;      /* for those, modulo 2^32 */
} ngx_ors_json_pair_t;


static ngx_int_t ngx_ors_json_alike(ngx_ors_json_t *json, ngx_str_t *former,
    u_char *text, size_t len);
static ngx_int_t ngx_ors_json_differ(ngx_ors_json_t *json,
    ngx_ors_json_pair_t *pair);
static ngx_int_t ngx_ors_json_find_node(ngx_ors_json_t *json,
    ngx_ors_json_pair_t *pair);
static void ngx_ors_json_widen(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    uint32_t shift);
static void ngx_ors_json_move(ngx_ors_json_t *json, ngx_ors_json_pair_t *pair);
static size_t ngx_ors_json_common(u_char *p, u_char *q, size_t len);


static ngx_inline ngx_uint_t
ngx_ors_json_is_container(ngx_ors_json_node_t *node)
{
    return node->type >= ngx_ors_json_array;
}


ngx_int_t
ngx_ors_json_again(ngx_ors_json_t *json, ngx_ors_json_last_t *last,
    u_char *text, size_t len)
{
    ngx_int_t  rc;
    ngx_str_t  former;

    former.data = last->text;
    former.len = last->len;

    last->len = 0;
    last->alike = (former.len
                   && ngx_ors_json_alike(json, &former, text, len) == NGX_OK);

    if (!last->alike) {
        rc = ngx_ors_json_read(json, text, len);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    if (len > NGX_ORS_JSON_AGAIN) {
        return NGX_OK;
    }

    if (last->text == NULL) {
        last->text = ngx_pnalloc(json->pool, NGX_ORS_JSON_AGAIN);
        if (last->text == NULL) {
            return NGX_ERROR;
        }
    }

    ngx_memcpy(last->text, text, len);
    last->len = len;

    return NGX_OK;
}


/* NGX_DECLINED: the nodes are of no use any more */

static ngx_int_t
ngx_ors_json_alike(ngx_ors_json_t *json, ngx_str_t *former, u_char *text,
    size_t len)
{
    size_t               n;
    ngx_ors_json_pair_t  pair;

    json->text = text;

    pair.p = text;
    pair.end = text + len;
    pair.base = former->data;
    pair.q = pair.base;
    pair.last = pair.base + former->len;
    pair.node = json->nodes;
    pair.shift = 0;

    for ( ;; ) {
        n = ngx_ors_json_common(pair.p, pair.q, ngx_min(pair.end - pair.p,
                                                        pair.last - pair.q));
        pair.p += n;
        pair.q += n;

        if (pair.p == pair.end && pair.q == pair.last) {
            ngx_ors_json_move(json, &pair);
            return NGX_OK;
        }

        if (ngx_ors_json_differ(json, &pair) != NGX_OK) {
            return NGX_DECLINED;
        }
    }
}


/* reads the value in which the texts differ: all in front of it is the same */

static ngx_int_t
ngx_ors_json_differ(ngx_ors_json_t *json, ngx_ors_json_pair_t *pair)
{
    u_char               *p;
    uint32_t              len, next, shift;
    ngx_uint_t            string;
    ngx_ors_json_node_t  *node;

    if (ngx_ors_json_find_node(json, pair) != NGX_OK) {
        return NGX_DECLINED;
    }

    node = pair->node++;
    string = (node->type == ngx_ors_json_string);

    pair->q = pair->base + node->pos + node->len + string;

    /* a key, or a string that may be one */

    if (string && pair->q < pair->last
        && *pair->q != ',' && *pair->q != '}' && *pair->q != ']')
    {
        return NGX_DECLINED;
    }

    len = node->len;
    next = node->next;
    p = json->text + (uint32_t) (node->pos + pair->shift) - string;

    pair->p = ngx_ors_json_scalar(json, node, p, pair->end);

    if (pair->p == NULL) {
        return NGX_DECLINED;
    }

    node->next = next;
    shift = node->len - len;

    if (shift) {
        ngx_ors_json_widen(json, node, shift);
        pair->shift += shift;
    }

    return NGX_OK;
}


/* the string or number that has, or ends with, the byte at pair->q */

static ngx_int_t
ngx_ors_json_find_node(ngx_ors_json_t *json, ngx_ors_json_pair_t *pair)
{
    uint32_t              pos;
    ngx_ors_json_node_t  *node, *last;

    pos = pair->q - pair->base;
    last = json->nodes + json->n;

    for (node = pair->node;
         node < last && (ngx_ors_json_is_container(node)
                         || node->pos + node->len < pos);
         node++)
    {
        node->pos += pair->shift;
    }

    pair->node = node;

    if (node == last || node->pos > pos) {
        return NGX_DECLINED;
    }

    if (node->type == ngx_ors_json_string) {
        return NGX_OK;
    }

    return (node->type == ngx_ors_json_number) ? NGX_OK : NGX_DECLINED;
}


/* the containers around "node" */

static void
ngx_ors_json_widen(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    uint32_t shift)
{
    ngx_ors_json_node_t  *around;

    for (around = json->nodes; around < node; around++) {

        if (ngx_ors_json_is_container(around)
            && node->pos < around->pos + around->len)
        {
            around->len += shift;
        }
    }
}


static void
ngx_ors_json_move(ngx_ors_json_t *json, ngx_ors_json_pair_t *pair)
{
    ngx_ors_json_node_t  *node, *last;

    if (pair->shift == 0) {
        return;
    }

    last = json->nodes + json->n;

    for (node = pair->node; node < last; node++) {
        node->pos += pair->shift;
    }
}


/* bytes at which both texts begin */

static size_t
ngx_ors_json_common(u_char *p, u_char *q, size_t len)
{
    size_t         n;
#if (NGX_ORS_VEC)
    uint64_t       mask;
    ngx_ors_vec_t  differ;
#endif

    n = 0;

#if (NGX_ORS_VEC)

    for ( /* void */ ; len - n >= sizeof(ngx_ors_vec_t);
         n += sizeof(ngx_ors_vec_t))
    {
        differ = (ngx_ors_vec_t) (ngx_ors_vec_load(p + n)
                                  != ngx_ors_vec_load(q + n));
        mask = ngx_ors_vec_mask(differ);

        if (mask) {
            return n + ngx_ors_vec_lowest(mask);
        }
    }

#endif

    while (n < len && p[n] == q[n]) {
        n++;
    }

    return n;
}
