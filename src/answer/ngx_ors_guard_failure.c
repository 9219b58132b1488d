
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_error.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_guard_check.h>
#include <ngx_ors_guard_failure.h>
#include <ngx_ors_mask.h>
#include <ngx_ors_response.h>


static ngx_int_t ngx_ors_guard_failure_error(ngx_ors_guard_t *guard);
static void ngx_ors_guard_failure_param(ngx_ors_guard_t *guard);
static ngx_int_t ngx_ors_guard_failure_pass(ngx_ors_guard_t *guard);
static ngx_int_t ngx_ors_guard_failure_type(ngx_ors_guard_t *guard);


ngx_int_t
ngx_ors_guard_failure(ngx_ors_guard_t *guard)
{
    ngx_int_t        rc;
    ngx_str_t        text;
    ngx_uint_t       status;
    ngx_ors_error_t  err;

    text.data = guard->gathered.pos;
    text.len = guard->gathered.last - guard->gathered.pos;

    rc = ngx_ors_guard_validate(guard, &text, &ngx_ors_fields_error, &err);

    if (rc == NGX_ERROR || ngx_ors_guard_failure_error(guard) != NGX_OK) {
        return NGX_ERROR;
    }

    status = guard->upstream_status;

    if (guard->policy->mask) {
        ngx_ors_mask_answer(&guard->error, status);

    } else if (rc == NGX_OK && status >= 400 && status < 600) {
        return ngx_ors_guard_failure_pass(guard);
    }

    return ngx_ors_guard_failed(guard);
}


/* a redirect is no failure of a model: what it says is nobody's matter */

static ngx_int_t
ngx_ors_guard_failure_error(ngx_ors_guard_t *guard)
{
    ngx_ors_json_t  *json;

    json = &guard->json;

    if (guard->upstream_status < 400 || json->error != ngx_ors_json_err_none) {
        return ngx_ors_chat_error(&guard->error, guard->pool,
                                  guard->upstream_status, NULL, NULL);
    }

    if (ngx_ors_chat_error(&guard->error, guard->pool, guard->upstream_status,
                           json, json->nodes)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_ors_guard_failure_param(guard);

    return NGX_OK;
}


/* the place is one in the request that the client has sent */

static void
ngx_ors_guard_failure_param(ngx_ors_guard_t *guard)
{
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *node;

    json = &guard->json;

    node = ngx_ors_json_find(json, json->nodes, "error");

    if (node) {
        node = ngx_ors_json_find(json, node, "param");
    }

    if (node && node->type == ngx_ors_json_string && !node->escaped) {
        ngx_ors_json_raw(json, node, &guard->error.param);
    }
}


static ngx_int_t
ngx_ors_guard_failure_pass(ngx_ors_guard_t *guard)
{
    guard->state = ngx_ors_guard_st_over;
    guard->status = guard->upstream_status;
    ngx_str_set(&guard->type, "application/json");

    guard->error.status = guard->upstream_status;
    ngx_ors_error_type(&guard->error, guard->error.status);

    if (ngx_ors_guard_failure_type(guard) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_ors_edits_write(&guard->edits, &guard->json, 0,
                        guard->gathered.last - guard->gathered.pos, 1,
                        guard->out);

    return NGX_DONE;
}


/* types that the specification does not have are of its flavors (C2) */

static ngx_int_t
ngx_ors_guard_failure_type(ngx_ors_guard_t *guard)
{
    u_char               *p;
    ngx_str_t             text, *type;
    ngx_uint_t            i;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *node;

    static ngx_str_t  types[] = {
        ngx_string("invalid_request"),
        ngx_string("not_found"),
        ngx_string("too_many_requests"),
        ngx_string("server_error"),
        ngx_string("model_error")
    };

    json = &guard->json;

    node = ngx_ors_json_find(json, json->nodes, "error");
    node = ngx_ors_json_find(json, node, "type");

    if (node == NULL || (guard->policy->reading & NGX_ORS_IN_OPENAI)) {
        return NGX_OK;
    }

    for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {

        if (ngx_ors_json_equal(json, node, types[i].data, types[i].len)) {
            return NGX_OK;
        }
    }

    type = &guard->error.type;

    p = ngx_pnalloc(guard->pool, type->len + 2);
    if (p == NULL) {
        return NGX_ERROR;
    }

    text.data = p;
    text.len = ngx_sprintf(p, "\"%V\"", type) - p;

    guard->mended++;

    return ngx_ors_edits_value(&guard->edits, node, &text);
}


ngx_int_t
ngx_ors_guard_failed(ngx_ors_guard_t *guard)
{
    guard->state = ngx_ors_guard_st_over;
    guard->status = guard->error.status;
    ngx_str_set(&guard->type, "application/json");

    ngx_ors_out_lit(guard->out, "{\"error\":");
    ngx_ors_error_render(guard->out, &guard->error);
    ngx_ors_out_lit(guard->out, "}");

    return NGX_DONE;
}
