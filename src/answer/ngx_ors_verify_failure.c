
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Error answers of upstreams in the protocol's form, and the failures that
 * the validator makes itself.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_answer_error.h>
#include <ngx_ors_answer_said.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_verify_check.h>
#include <ngx_ors_verify_failure.h>
#include <ngx_ors_mask.h>
#include <ngx_ors_response.h>


static ngx_int_t ngx_ors_verify_failure_error(ngx_ors_verify_t *verify);
static void ngx_ors_verify_failure_param(ngx_ors_verify_t *verify);
static ngx_int_t ngx_ors_verify_failure_pass(ngx_ors_verify_t *verify,
    ngx_str_t *text);
static ngx_int_t ngx_ors_verify_failure_code(ngx_ors_verify_t *verify);
static ngx_int_t ngx_ors_verify_failure_set(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *node, ngx_str_t *value);
static ngx_int_t ngx_ors_verify_failure_type(ngx_ors_verify_t *verify);


ngx_int_t
ngx_ors_verify_failure(void *data, ngx_str_t *text)
{
    ngx_ors_verify_t *verify = data;

    ngx_int_t        rc;
    ngx_uint_t       status;
    ngx_ors_error_t  err;

    rc = ngx_ors_verify_validate(verify, text, &ngx_ors_fields_error, &err);

    if (rc == NGX_ERROR || ngx_ors_verify_failure_error(verify) != NGX_OK) {
        return NGX_ERROR;
    }

    status = verify->answer->status;

    if (verify->policy->mask) {
        ngx_ors_mask_answer(&verify->error, status);

    } else if (rc == NGX_OK && status >= 400 && status < 600) {
        return ngx_ors_verify_failure_pass(verify, text);
    }

    return ngx_ors_verify_failed(verify);
}


/* a redirect becomes 502 without a word of its body */

static ngx_int_t
ngx_ors_verify_failure_error(ngx_ors_verify_t *verify)
{
    ngx_ors_json_t  *json;

    json = &verify->json;

    if (verify->answer->status < 400 || json->error != ngx_ors_json_err_none) {
        return ngx_ors_answer_error(&verify->error, verify->pool,
                                    verify->answer->status, NULL, NULL);
    }

    if (ngx_ors_answer_error(&verify->error, verify->pool,
                             verify->answer->status,
                             json, json->nodes)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_ors_answer_said_log(verify->log, &verify->error,
                            verify->answer->status, verify->request);

    ngx_ors_verify_failure_param(verify);

    return NGX_OK;
}


/* the place is one in the request that the client has sent */

static void
ngx_ors_verify_failure_param(ngx_ors_verify_t *verify)
{
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *node;

    json = &verify->json;

    node = ngx_ors_json_find(json, json->nodes, "error");
    node = ngx_ors_json_find(json, node, "param");

    if (node && node->type == ngx_ors_json_string && !node->escaped) {
        ngx_ors_json_raw(json, node, &verify->error.param);
    }
}


static ngx_int_t
ngx_ors_verify_failure_pass(ngx_ors_verify_t *verify, ngx_str_t *text)
{
    verify->status = verify->answer->status;
    ngx_str_set(&verify->type, "application/json");

    ngx_ors_error_reported(&verify->error, verify->answer->status);

    if (ngx_ors_verify_failure_code(verify) != NGX_OK
        || ngx_ors_verify_failure_type(verify) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_ors_edits_write(&verify->edits, &verify->json, 0, text->len, 1,
                        verify->out);

    return NGX_DONE;
}


/* clients read a text: a number becomes one */

static ngx_int_t
ngx_ors_verify_failure_code(ngx_ors_verify_t *verify)
{
    ngx_str_t             raw;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *node;

    json = &verify->json;

    node = ngx_ors_json_find(json, json->nodes, "error");
    node = ngx_ors_json_find(json, node, "code");

    if (node == NULL || node->type != ngx_ors_json_number) {
        return NGX_OK;
    }

    ngx_ors_json_raw(json, node, &raw);

    return ngx_ors_verify_failure_set(verify, node, &raw);
}


/* puts a text without escapes in the place of "node" */

static ngx_int_t
ngx_ors_verify_failure_set(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *node, ngx_str_t *value)
{
    u_char     *p;
    ngx_str_t   text;

    p = ngx_pnalloc(verify->pool, value->len + 2);
    if (p == NULL) {
        return NGX_ERROR;
    }

    text.data = p;
    text.len = ngx_sprintf(p, "\"%V\"", value) - p;

    verify->repaired++;

    return ngx_ors_edits_value(&verify->edits, node, &text);
}


/* types that the specification does not have are of its flavors (C2) */

static ngx_int_t
ngx_ors_verify_failure_type(ngx_ors_verify_t *verify)
{
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

    json = &verify->json;

    node = ngx_ors_json_find(json, json->nodes, "error");
    node = ngx_ors_json_find(json, node, "type");

    if (node == NULL || (verify->policy->profile & NGX_ORS_IN_OPENAI)) {
        return NGX_OK;
    }

    for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {

        if (ngx_ors_json_equal(json, node, types[i].data, types[i].len)) {
            return NGX_OK;
        }
    }

    return ngx_ors_verify_failure_set(verify, node, &verify->error.type);
}


ngx_int_t
ngx_ors_verify_failed(ngx_ors_verify_t *verify)
{
    verify->replaced = 1;
    verify->status = verify->error.status;
    ngx_str_set(&verify->type, "application/json");

    ngx_ors_out_lit(verify->out, "{\"error\":");
    ngx_ors_error_render(verify->out, &verify->error);
    ngx_ors_out_lit(verify->out, "}");

    return NGX_DONE;
}
