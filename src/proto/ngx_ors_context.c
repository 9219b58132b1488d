
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The input of a request with its context in front of it, as a new text that
 * is read again.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_context.h>


#define NGX_ORS_CONTEXT_BLOCK  4096


typedef struct {
    ngx_ors_request_t        *req;
    ngx_ors_context_t        *ctx;
    ngx_ors_out_t             out;
    ngx_uint_t                n;          /* pieces so far */
    ngx_uint_t                own;        /* items of the request itself */
} ngx_ors_context_merge_t;


static ngx_int_t ngx_ors_context_prior(ngx_ors_context_merge_t *cm);
static ngx_int_t ngx_ors_context_cut(ngx_ors_context_merge_t *cm,
    ngx_uint_t *cut);
static ngx_int_t ngx_ors_context_answers(ngx_ors_context_merge_t *cm,
    ngx_str_t *items);
static ngx_uint_t ngx_ors_context_is_answer(ngx_ors_json_t *json,
    ngx_ors_json_node_t *item);
static ngx_int_t ngx_ors_context_rules(ngx_ors_context_merge_t *cm,
    ngx_str_t *items);
static ngx_uint_t ngx_ors_context_is_rule(ngx_ors_json_t *json,
    ngx_ors_json_node_t *item);
static ngx_uint_t ngx_ors_context_has(ngx_str_t *items, char *text);
static void ngx_ors_context_put(ngx_ors_context_merge_t *cm,
    ngx_str_t *items);
static void ngx_ors_context_input(ngx_ors_context_merge_t *cm);
static ngx_int_t ngx_ors_context_read(ngx_ors_context_merge_t *cm,
    ngx_ors_error_t *err);
static ngx_int_t ngx_ors_context_check(ngx_ors_request_t *req,
    ngx_ors_error_t *err);
static ngx_uint_t ngx_ors_context_open(ngx_ors_request_t *req);


ngx_int_t
ngx_ors_context_merge(ngx_ors_request_t *req, ngx_ors_context_t *ctx,
    ngx_ors_error_t *err)
{
    size_t                    pos;
    ngx_ors_out_t            *out;
    ngx_ors_json_t           *json;
    ngx_ors_json_node_t      *root, *input;
    ngx_ors_context_merge_t   cm;

    ngx_memzero(&cm, sizeof(ngx_ors_context_merge_t));

    cm.req = req;
    cm.ctx = ctx;

    out = &cm.out;
    ngx_ors_out_init(out, req->pool, NGX_ORS_CONTEXT_BLOCK);

    json = &req->json;
    root = &json->nodes[0];

    /* it may be there and null */

    input = ngx_ors_json_find(json, root, "input");

    if (input) {
        pos = ngx_ors_edit_start(input);
        ngx_ors_edits_write(&req->edits, json, 0, pos, 1, out);
        pos = ngx_ors_edit_end(input);

    } else {
        pos = (size_t) root->pos + 1;
        ngx_ors_out_lit(out, "{\"input\":");
    }

    ngx_ors_out_lit(out, "[");

    if (ngx_ors_context_prior(&cm) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_ors_context_input(&cm);

    ngx_ors_out_lit(out, "]");

    if (input == NULL && root->count) {
        ngx_ors_out_lit(out, ",");
    }

    ngx_ors_edits_write(&req->edits, json, pos, req->body.len, 1, out);

    return ngx_ors_context_read(&cm, err);
}


/* the turns before; of those that are dropped what is a rule is kept */

static ngx_int_t
ngx_ors_context_prior(ngx_ors_context_merge_t *cm)
{
    ngx_uint_t               i, cut;
    ngx_ors_context_turn_t  *turn;

    cut = 0;

    if (cm->ctx->budget && ngx_ors_context_cut(cm, &cut) != NGX_OK) {
        return NGX_ERROR;
    }

    for (i = 0; i < cm->ctx->nturns; i++) {
        turn = &cm->ctx->turns[i];

        if (i < cut) {

            if (ngx_ors_context_rules(cm, &turn->input) != NGX_OK) {
                return NGX_ERROR;
            }

            continue;
        }

        ngx_ors_context_put(cm, &turn->input);
        ngx_ors_context_put(cm, &turn->output);
    }

    return NGX_OK;
}


/*
 * The first turn that is kept: the oldest one within the budget that begins
 * an exchange, else the newest one that does
 */

static ngx_int_t
ngx_ors_context_cut(ngx_ors_context_merge_t *cm, ngx_uint_t *cut)
{
    size_t                   size;
    ngx_int_t                rc;
    ngx_uint_t               i;
    ngx_ors_context_turn_t  *turn;

    size = 0;
    *cut = 0;

    for (i = cm->ctx->nturns; i > 0; i--) {
        turn = &cm->ctx->turns[i - 1];
        size += turn->input.len + turn->output.len;

        if (size > cm->ctx->budget && *cut) {
            return NGX_OK;
        }

        rc = ngx_ors_context_answers(cm, &turn->input);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (rc == NGX_DECLINED) {
            *cut = i - 1;
        }

        if (size > cm->ctx->budget && *cut) {
            return NGX_OK;
        }
    }

    *cut = 0;

    return NGX_OK;
}


/*
 * NGX_OK: some item is the output of a call; NGX_DECLINED: none is.  Most
 * turns are not read for that: the name of its type would be there.
 */

static ngx_int_t
ngx_ors_context_answers(ngx_ors_context_merge_t *cm, ngx_str_t *items)
{
    ngx_int_t             rc;
    ngx_pool_t           *pool;
    ngx_ors_stored_t      list;
    ngx_ors_json_node_t  *item;

    if (!ngx_ors_context_has(items, "_output\"")) {
        return NGX_DECLINED;
    }

    pool = ngx_create_pool(NGX_ORS_CONTEXT_BLOCK, cm->req->pool->log);
    if (pool == NULL) {
        return NGX_ERROR;
    }

    rc = ngx_ors_stored_read(&list, items, cm->req->limits->nodes, pool);

    if (rc == NGX_OK) {
        rc = NGX_DECLINED;

        for (item = list.first;
             item;
             item = ngx_ors_json_next(&list.json, item))
        {
            if (ngx_ors_context_is_answer(&list.json, item)) {
                rc = NGX_OK;
                break;
            }
        }
    }

    ngx_destroy_pool(pool);

    return rc;
}


static ngx_uint_t
ngx_ors_context_is_answer(ngx_ors_json_t *json, ngx_ors_json_node_t *item)
{
    ngx_str_t             text;
    ngx_ors_json_node_t  *type;

    static ngx_str_t  suffix = ngx_string("_output");

    type = ngx_ors_json_find(json, item, "type");

    if (type == NULL) {
        return 0;
    }

    ngx_ors_json_raw(json, type, &text);

    return text.len > suffix.len
           && ngx_memcmp(text.data + text.len - suffix.len, suffix.data,
                         suffix.len)
              == 0;
}


static ngx_int_t
ngx_ors_context_rules(ngx_ors_context_merge_t *cm, ngx_str_t *items)
{
    ngx_int_t             rc;
    ngx_str_t             text;
    ngx_pool_t           *pool;
    ngx_ors_stored_t      list;
    ngx_ors_json_node_t  *item;

    if (!ngx_ors_context_has(items, "\"system\"")
        && !ngx_ors_context_has(items, "\"developer\"")
        && !ngx_ors_context_has(items, "\\u"))
    {
        return NGX_OK;
    }

    pool = ngx_create_pool(NGX_ORS_CONTEXT_BLOCK, cm->req->pool->log);
    if (pool == NULL) {
        return NGX_ERROR;
    }

    rc = ngx_ors_stored_read(&list, items, cm->req->limits->nodes, pool);

    for (item = list.first;
         item && rc == NGX_OK;
         item = ngx_ors_json_next(&list.json, item))
    {
        if (ngx_ors_context_is_rule(&list.json, item)) {
            ngx_ors_stored_item(&list, item, &text);
            ngx_ors_context_put(cm, &text);
        }
    }

    ngx_destroy_pool(pool);

    return (rc == NGX_ERROR) ? NGX_ERROR : NGX_OK;
}


static ngx_uint_t
ngx_ors_context_is_rule(ngx_ors_json_t *json, ngx_ors_json_node_t *item)
{
    ngx_ors_json_node_t  *role;

    role = ngx_ors_json_find(json, item, "role");

    return role && (ngx_ors_json_is(json, role, "system")
                    || ngx_ors_json_is(json, role, "developer"));
}


static ngx_uint_t
ngx_ors_context_has(ngx_str_t *items, char *text)
{
    return items->len && ngx_strnstr(items->data, text, items->len) != NULL;
}


static void
ngx_ors_context_put(ngx_ors_context_merge_t *cm, ngx_str_t *items)
{
    if (items->len == 0) {
        return;
    }

    if (cm->n++) {
        ngx_ors_out_lit(&cm->out, ",");
    }

    ngx_ors_out_ref(&cm->out, items->data, items->len);
}


/* the request's own items, those that are referred to among them */

static void
ngx_ors_context_input(ngx_ors_context_merge_t *cm)
{
    ngx_uint_t             i;
    ngx_ors_ref_t         *ref;
    ngx_ors_json_t        *json;
    ngx_ors_request_t     *req;
    ngx_ors_json_node_t   *input, *node;
    ngx_ors_input_item_t  *item;

    req = cm->req;
    json = &req->json;
    ref = cm->ctx->refs;
    input = req->field[ngx_ors_rq_input];

    if (input == NULL || input->type != ngx_ors_json_array) {

        if (input && input->len) {

            if (cm->n++) {
                ngx_ors_out_lit(&cm->out, ",");
            }

            ngx_ors_context_own(req, &cm->out);
            cm->own = 1;
        }

        return;
    }

    for (i = 0; i < req->input.n; i++) {
        item = &req->input.items[i];

        if (item->kind == ngx_ors_input_reference) {

            if (ref->item.len) {
                ngx_ors_context_put(cm, &ref->item);
                cm->own++;
            }

            ref++;
            continue;
        }

        if (cm->n++) {
            ngx_ors_out_lit(&cm->out, ",");
        }

        node = &json->nodes[item->node];

        ngx_ors_edits_write(&req->edits, json, ngx_ors_edit_start(node),
                            ngx_ors_edit_end(node), 1, &cm->out);
        cm->own++;
    }
}


/* the whole of it is read again, as one text */

static ngx_int_t
ngx_ors_context_read(ngx_ors_context_merge_t *cm, ngx_ors_error_t *err)
{
    u_char             *p;
    ngx_int_t           rc;
    ngx_str_t           body;
    ngx_chain_t        *cl;
    ngx_ors_request_t  *req;

    req = cm->req;

    body.len = cm->out.size;
    body.data = ngx_pnalloc(req->pool, body.len);

    if (body.data == NULL || ngx_ors_out_take(&cm->out, &cl) != NGX_OK) {
        return NGX_ERROR;
    }

    for (p = body.data; cl; cl = cl->next) {
        p = ngx_cpymem(p, cl->buf->pos, cl->buf->last - cl->buf->pos);
    }

    rc = ngx_ors_request_reparse(req, &body, err);

    if (rc != NGX_OK) {
        return rc;
    }

    req->prior = req->input.n - cm->own;

    rc = ngx_ors_context_check(req, err);

    if (rc != NGX_OK) {
        return rc;
    }

    if (cm->own || req->compact || ngx_ors_context_open(req)) {
        return NGX_OK;
    }

    (void) ngx_ors_error_set(err, req->pool, 400, "invalid_value",
                             "\"input\" is empty and the conversation before "
                             "it ends with an answer, there is nothing to "
                             "answer");
    ngx_str_set(&err->param, "input");

    return NGX_DECLINED;
}


/* what a store gives back may be of another version, or of another hand */

static ngx_int_t
ngx_ors_context_check(ngx_ors_request_t *req, ngx_ors_error_t *err)
{
    ngx_int_t             rc;
    ngx_uint_t            i;
    ngx_ors_json_node_t  *node;

    for (i = 0; i < req->prior; i++) {
        node = &req->json.nodes[req->input.items[i].node];

        rc = ngx_ors_stored_check(&req->json, node,
                                  "invalid_previous_response",
                                  "previous_response_id", req->pool, err);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


/*
 * 1 if a model has something to say without a new input (E18): it has not
 * finished, or was not asked yet
 */

static ngx_uint_t
ngx_ors_context_open(ngx_ors_request_t *req)
{
    ngx_ors_json_t        *json;
    ngx_ors_json_node_t   *role, *status;
    ngx_ors_input_item_t  *item;

    json = &req->json;
    item = ngx_ors_input_last(&req->input);

    if (item == NULL) {
        return 0;
    }

    status = ngx_ors_input_node(json, item->status);

    if (status && status->type == ngx_ors_json_string
        && ngx_ors_json_is(json, status, "incomplete"))
    {
        return 1;
    }

    role = ngx_ors_input_node(json, item->role);

    return role && role->type == ngx_ors_json_string
           && !ngx_ors_json_is(json, role, "assistant");
}


void
ngx_ors_context_own(ngx_ors_request_t *req, ngx_ors_out_t *out)
{
    ngx_str_t             text;
    ngx_uint_t            last;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *input, *item, *end;

    json = &req->json;
    input = req->field[ngx_ors_rq_input];

    if (input == NULL) {
        return;
    }

    if (input->type != ngx_ors_json_array) {
        ngx_ors_json_raw(json, input, &text);

        ngx_ors_out_lit(out, "{\"type\":\"message\",\"role\":\"user\","
                             "\"content\":\"");
        ngx_ors_out_ref(out, text.data, text.len);
        ngx_ors_out_lit(out, "\"}");

        return;
    }

    last = req->input.n - req->added;

    if (req->prior < last) {
        item = &json->nodes[req->input.items[req->prior].node];
        end = &json->nodes[req->input.items[last - 1].node];

        ngx_ors_edits_write(&req->edits, json, ngx_ors_edit_start(item),
                            ngx_ors_edit_end(end), 1, out);
    }
}


ngx_int_t
ngx_ors_context_ids(ngx_str_t *items, ngx_uint_t max_nodes, ngx_pool_t *pool,
    ngx_array_t *ids)
{
    ngx_int_t                rc;
    ngx_str_t               *id;
    ngx_ors_json_node_t     *node, *value;
    ngx_ors_stored_t         list;

    if (ngx_array_init(ids, pool, 4, sizeof(ngx_str_t)) != NGX_OK) {
        return NGX_ERROR;
    }

    rc = ngx_ors_stored_read(&list, items, max_nodes, pool);

    if (rc != NGX_OK) {
        return rc;
    }

    for (node = list.first; node; node = ngx_ors_json_next(&list.json, node)) {
        value = ngx_ors_json_find(&list.json, node, "id");

        if (value == NULL || value->type != ngx_ors_json_string) {
            continue;
        }

        id = ngx_array_push(ids);
        if (id == NULL) {
            return NGX_ERROR;
        }

        id->data = ngx_pnalloc(pool, value->len + 1);
        if (id->data == NULL) {
            return NGX_ERROR;
        }

        id->len = ngx_ors_json_decode(&list.json, value, id->data) - id->data;
    }

    return NGX_OK;
}
