
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Requests for approval, paired with the responses to them and the calls that
 * were made.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_approval.h>


typedef struct {
    ngx_ors_approvals_t      *found;
    ngx_ors_input_t          *input;
    ngx_uint_t                prior;
    ngx_pool_t               *pool;
    ngx_ors_error_t          *err;
} ngx_ors_approval_reader_t;


static ngx_uint_t ngx_ors_approval_count(ngx_ors_input_t *input);
static ngx_int_t ngx_ors_approval_item(ngx_ors_approval_reader_t *ar,
    ngx_uint_t i);
static ngx_int_t ngx_ors_approval_request(ngx_ors_approval_reader_t *ar,
    ngx_uint_t i);
static ngx_int_t ngx_ors_approval_response(ngx_ors_approval_reader_t *ar,
    ngx_uint_t i);
static ngx_int_t ngx_ors_approval_called(ngx_ors_approval_reader_t *ar,
    ngx_uint_t i);
static ngx_int_t ngx_ors_approval_of(ngx_ors_approval_reader_t *ar,
    ngx_uint_t i, ngx_ors_approval_t **approval);
static ngx_int_t ngx_ors_approval_twice(ngx_ors_approval_reader_t *ar,
    ngx_str_t *id);
static ngx_int_t ngx_ors_approval_unknown(ngx_ors_approval_reader_t *ar,
    ngx_uint_t i);


ngx_int_t
ngx_ors_approvals_read(ngx_ors_approvals_t *approvals, ngx_ors_input_t *input,
    ngx_uint_t prior, ngx_pool_t *pool, ngx_ors_error_t *err)
{
    ngx_int_t                   rc;
    ngx_uint_t                  i, n;
    ngx_ors_approval_reader_t   ar;

    ngx_memzero(approvals, sizeof(ngx_ors_approvals_t));

    n = ngx_ors_approval_count(input);

    if (n == 0) {
        return NGX_OK;
    }

    approvals->elts = ngx_palloc(pool, n * sizeof(ngx_ors_approval_t));
    if (approvals->elts == NULL) {
        return NGX_ERROR;
    }

    ar.found = approvals;
    ar.input = input;
    ar.prior = prior;
    ar.pool = pool;
    ar.err = err;

    for (i = 0; i < input->n; i++) {
        rc = ngx_ors_approval_item(&ar, i);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    for (i = 0; i < approvals->n; i++) {
        approvals->napproved += (approvals->elts[i].state
                                 == ngx_ors_approval_approved);
    }

    return NGX_OK;
}


/* requests and responses: most inputs have none */

static ngx_uint_t
ngx_ors_approval_count(ngx_ors_input_t *input)
{
    ngx_uint_t  i, n;

    n = 0;

    for (i = 0; i < input->n; i++) {
        n += (input->items[i].kind == ngx_ors_input_approval
              || input->items[i].kind == ngx_ors_input_approval_response);
    }

    return n;
}


static ngx_int_t
ngx_ors_approval_item(ngx_ors_approval_reader_t *ar, ngx_uint_t i)
{
    ngx_ors_input_e  kind;

    kind = ar->input->items[i].kind;

    if (kind == ngx_ors_input_approval) {
        return ngx_ors_approval_request(ar, i);
    }

    if (kind == ngx_ors_input_approval_response) {
        return ngx_ors_approval_response(ar, i);
    }

    return (kind == ngx_ors_input_mcp_call) ? ngx_ors_approval_called(ar, i)
                                            : NGX_OK;
}


static ngx_int_t
ngx_ors_approval_request(ngx_ors_approval_reader_t *ar, ngx_uint_t i)
{
    ngx_ors_name_t        *entry;
    ngx_ors_approval_t    *approval;
    ngx_ors_input_item_t  *item;

    item = &ar->input->items[i];
    approval = &ar->found->elts[ar->found->n];

    ngx_memzero(approval, sizeof(ngx_ors_approval_t));

    approval->item = i;

    if (ngx_ors_json_copy(item->json, ngx_ors_input_node(item, item->id),
                          ar->pool, &approval->id)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (approval->id.len) {
        entry = ngx_ors_names_entry(&ar->found->index, ar->pool,
                                    &approval->id);
        if (entry == NULL) {
            return NGX_ERROR;
        }

        if (entry->value) {
            return ngx_ors_approval_twice(ar, &approval->id);
        }

        entry->value = ar->found->n + 1;
    }

    ar->found->n++;

    return NGX_OK;
}


static ngx_int_t
ngx_ors_approval_response(ngx_ors_approval_reader_t *ar, ngx_uint_t i)
{
    ngx_ors_approval_t    *approval;
    ngx_ors_json_node_t   *node;
    ngx_ors_input_item_t  *item;

    if (ngx_ors_approval_of(ar, i, &approval) != NGX_OK) {
        return NGX_ERROR;
    }

    if (approval == NULL) {

        /* the request to a stored response may have been truncated */

        return (i < ar->prior) ? NGX_OK : ngx_ors_approval_unknown(ar, i);
    }

    if (approval->answer) {
        return NGX_OK;
    }

    approval->answer = i;

    item = &ar->input->items[i];

    node = ngx_ors_input_get(item, "approve");

    if (node == NULL || node->type != ngx_ors_json_true) {
        approval->state = ngx_ors_approval_declined;

    } else if (approval->state == ngx_ors_approval_open) {
        approval->state = (i < ar->prior) ? ngx_ors_approval_over
                                          : ngx_ors_approval_approved;
    }

    return NGX_OK;
}


/* a call that was made is not made again */

static ngx_int_t
ngx_ors_approval_called(ngx_ors_approval_reader_t *ar, ngx_uint_t i)
{
    ngx_ors_approval_t  *approval;

    if (ngx_ors_approval_of(ar, i, &approval) != NGX_OK) {
        return NGX_ERROR;
    }

    if (approval) {
        approval->state = ngx_ors_approval_over;
    }

    return NGX_OK;
}


/* the one that "approval_request_id" of item "i" names, or NULL */

static ngx_int_t
ngx_ors_approval_of(ngx_ors_approval_reader_t *ar, ngx_uint_t i,
    ngx_ors_approval_t **approval)
{
    ngx_str_t              id;
    ngx_ors_name_t        *entry;
    ngx_ors_json_node_t   *node;
    ngx_ors_input_item_t  *item;

    item = &ar->input->items[i];

    node = ngx_ors_input_get(item, "approval_request_id");

    if (ngx_ors_json_copy(item->json, node, ar->pool, &id) != NGX_OK) {
        return NGX_ERROR;
    }

    entry = id.len ? ngx_ors_names_find(&ar->found->index, &id) : NULL;

    *approval = (entry && entry->value)
                ? &ar->found->elts[entry->value - 1] : NULL;

    return NGX_OK;
}


static ngx_int_t
ngx_ors_approval_twice(ngx_ors_approval_reader_t *ar, ngx_str_t *id)
{
    ngx_ors_error_set(ar->err, ar->pool, ngx_ors_code_invalid_value,
                      "\"input\" and the conversation have an item twice");
    ngx_ors_error_id(ar->err, ar->pool, id);
    ngx_str_set(&ar->err->param, "input");

    return NGX_DECLINED;
}


static ngx_int_t
ngx_ors_approval_unknown(ngx_ors_approval_reader_t *ar, ngx_uint_t i)
{
    ngx_str_t              param, id;
    ngx_ors_input_item_t  *item;

    item = &ar->input->items[i];

    if (ngx_ors_json_decoded(item->json,
                             ngx_ors_input_get(item, "approval_request_id"),
                             ar->pool, &id)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    param.data = ngx_pnalloc(ar->pool,
                             sizeof("input[].approval_request_id") - 1
                             + NGX_INT_T_LEN);
    if (param.data == NULL) {
        return NGX_ERROR;
    }

    param.len = ngx_sprintf(param.data, "input[%ui].approval_request_id",
                            i - ar->prior)
                - param.data;

    ngx_ors_error_set(ar->err, ar->pool, ngx_ors_code_item_not_found,
                      "\"%V\" is not the id of a request for approval that "
                      "precedes it", &param);
    ngx_ors_error_id(ar->err, ar->pool, &id);
    ar->err->param = param;

    return NGX_DECLINED;
}


ngx_ors_approval_t *
ngx_ors_approval_find(ngx_ors_approvals_t *approvals, ngx_uint_t item)
{
    ngx_uint_t  left, right, mid;

    left = 0;
    right = approvals->n;

    while (left < right) {
        mid = (left + right) / 2;

        if (approvals->elts[mid].item < item) {
            left = mid + 1;

        } else {
            right = mid;
        }
    }

    return (left < approvals->n && approvals->elts[left].item == item)
           ? &approvals->elts[left] : NULL;
}


ngx_ors_json_node_t *
ngx_ors_approval_reason(ngx_ors_input_t *input, ngx_ors_approval_t *approval)
{
    ngx_ors_json_node_t   *node;
    ngx_ors_input_item_t  *item;

    if (approval->answer == 0) {
        return NULL;
    }

    item = &input->items[approval->answer];

    node = ngx_ors_input_get(item, "reason");

    return (node && node->type == ngx_ors_json_string && node->len) ? node
                                                                    : NULL;
}
