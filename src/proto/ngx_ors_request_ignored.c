
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The names of fields that are not sent on, as a list for a line.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>
#include <ngx_ors_request_ignored.h>
#include <ngx_ors_violation.h>


static u_char *ngx_ors_request_ignored_list(ngx_ors_request_t *req,
    ngx_ors_unknown_t *unknown, u_char *p, u_char *start, u_char *last);
static u_char *ngx_ors_request_ignored_path(ngx_ors_json_t *json,
    ngx_ors_json_node_t *key, u_char *p, u_char *last);
static u_char *ngx_ors_request_ignored_name(ngx_ors_json_t *json,
    ngx_ors_json_node_t *key, u_char *p, u_char *last);
static ngx_uint_t ngx_ors_request_ignored_in(ngx_ors_json_t *json,
    ngx_ors_json_node_t *member, ngx_ors_json_node_t *key);


ngx_int_t
ngx_ors_request_ignore(ngx_ors_request_t *req, ngx_uint_t translated)
{
    u_char             *p, *last, buf[NGX_ORS_LINE_MAX];
    ngx_ors_unknown_t  *outer, *inner;

    outer = translated ? &req->dropped : &req->unknown[0];
    inner = &req->unknown[1];

    req->nignored = 0;
    ngx_str_null(&req->ignored);

    if (translated || req->policy->unknown == ngx_ors_unknown_strip) {
        req->nignored = outer->n + inner->n;
    }

    if (req->nignored == 0) {
        return NGX_OK;
    }

    last = buf + sizeof(buf);

    p = ngx_ors_request_ignored_list(req, outer, buf, buf, last);
    p = ngx_ors_request_ignored_list(req, inner, p, buf, last);

    /* a name that does not fit is cut, perhaps inside of a character */

    p = ngx_ors_line_copy(buf, buf, p - buf);

    req->ignored.data = ngx_pnalloc(req->pool, p - buf);
    if (req->ignored.data == NULL) {
        return NGX_ERROR;
    }

    req->ignored.len = p - buf;
    ngx_memcpy(req->ignored.data, buf, req->ignored.len);

    return NGX_OK;
}


static u_char *
ngx_ors_request_ignored_list(ngx_ors_request_t *req,
    ngx_ors_unknown_t *unknown, u_char *p, u_char *start, u_char *last)
{
    ngx_uint_t       i, n;
    ngx_ors_json_t  *json;

    json = &req->json;
    n = ngx_min(unknown->n, NGX_ORS_UNKNOWN_MAX);

    for (i = 0; i < n; i++) {

        if (p > start) {
            p = ngx_slprintf(p, last, ", ");
        }

        p = ngx_ors_request_ignored_path(json, json->nodes + unknown->keys[i],
                                         p, last);
    }

    return p;
}


/* from the root down to the key, as errors have it: input[0].mark */

static u_char *
ngx_ors_request_ignored_path(ngx_ors_json_t *json, ngx_ors_json_node_t *key,
    u_char *p, u_char *last)
{
    ngx_uint_t            i;
    ngx_ors_json_node_t  *node, *member;

    node = json->nodes;

    for ( ;; ) {
        i = 0;

        for (member = ngx_ors_json_first(json, node);
             member && !ngx_ors_request_ignored_in(json, member, key);
             member = ngx_ors_json_next(json, member))
        {
            i++;
        }

        if (member == NULL) {
            return p;
        }

        if (node->type == ngx_ors_json_array) {
            p = ngx_slprintf(p, last, "[%ui]", i);
            node = member;
            continue;
        }

        if (node != json->nodes) {
            p = ngx_slprintf(p, last, ".");
        }

        p = ngx_ors_request_ignored_name(json, member, p, last);

        if (member == key) {
            return p;
        }

        node = member + 1;
    }
}


static u_char *
ngx_ors_request_ignored_name(ngx_ors_json_t *json, ngx_ors_json_node_t *key,
    u_char *p, u_char *last)
{
    u_char               buf[NGX_ORS_VIOLATION_QUOTE];
    ngx_str_t            name;
    ngx_ors_violation_t  violation;

    ngx_ors_violation_init(&violation, json, 0);
    ngx_ors_violation_quote(&violation, key, buf, &name);

    return ngx_slprintf(p, last, "%V", &name);
}


/* 1 if "key" is "member", or in it */

static ngx_uint_t
ngx_ors_request_ignored_in(ngx_ors_json_t *json, ngx_ors_json_node_t *member,
    ngx_ors_json_node_t *key)
{
    ngx_ors_json_node_t  *next;

    next = ngx_ors_json_next(json, member);

    return next == NULL || next > key;
}
