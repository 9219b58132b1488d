
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Which status, code and param of an upstream's error pass the mask.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_mask.h>
#include <ngx_ors_names.h>


/* a longer "param" is no path in a request */
#define NGX_ORS_MASK_PARAM  64


typedef struct {
    ngx_uint_t    status;
    ngx_uint_t    shown;
    ngx_str_t     code;
    ngx_str_t     text;
} ngx_ors_mask_status_t;


static const ngx_ors_mask_status_t *ngx_ors_mask_status(ngx_uint_t status);
static ngx_uint_t ngx_ors_mask_account(ngx_str_t *code);
static ngx_uint_t ngx_ors_mask_path(ngx_str_t *param);


/* the last row is for all other statuses */

static const ngx_ors_mask_status_t  ngx_ors_mask_statuses[] = {

    { 400, 400, ngx_string("upstream_error"),
      ngx_string("the model server refused the request") },

    { 404, 404, ngx_string("upstream_error"),
      ngx_string("the model server does not have what was asked for") },

    { 408, 504, ngx_string("upstream_timeout"),
      ngx_string("the model server did not answer in time") },

    { 413, 413, ngx_string("request_too_large"),
      ngx_string("the request is too large for the model server") },

    { 422, 422, ngx_string("upstream_error"),
      ngx_string("the model server refused the request") },

    { 429, 429, ngx_string("rate_limit_exceeded"),
      ngx_string("too many requests for this model, try again later") },

    { 500, 500, ngx_string("server_error"),
      ngx_string("the model server failed") },

    { 503, 503, ngx_string("server_is_overloaded"),
      ngx_string("the model server is overloaded, try again later") },

    { 504, 504, ngx_string("upstream_timeout"),
      ngx_string("the model server did not answer in time") },

    { 0, 502, ngx_string("server_error"),
      ngx_string("the model server failed") }
};


/* errors that concern the operator's account at the upstream server */

static const ngx_str_t  ngx_ors_mask_accounts[] = {
    ngx_string("insufficient_quota"),
    ngx_string("usage_limit_reached"),
    ngx_string("usage_not_included"),
    ngx_string("invalid_api_key"),
    ngx_string("billing_hard_limit_reached"),
    ngx_string("billing_not_active"),
    ngx_string("account_deactivated"),
    ngx_null_string
};


void
ngx_ors_mask_answer(ngx_ors_error_t *err, ngx_uint_t status)
{
    switch (status) {

    case 401:
    case 402:
    case 403:
    case 408:
    case 451:
        err->status = status;
        break;
    }

    ngx_ors_mask(err);
}


void
ngx_ors_mask(ngx_ors_error_t *err)
{
    const ngx_ors_code_t         *known;
    const ngx_ors_mask_status_t  *status;

    status = ngx_ors_mask_status(ngx_ors_mask_account(&err->code)
                                 ? 0 : err->status);

    known = &ngx_ors_codes[ngx_ors_error_code(&err->code)];

    if (status->shown != err->status || status->shown >= 500
        || !ngx_ors_mask_path(&err->param))
    {
        ngx_str_null(&err->param);
    }

    if (status->shown != err->status || known->mask.len == 0) {
        err->code = status->code;
        err->message = status->text;

    } else {
        err->code = known->name;
        err->message = known->mask;
    }

    if (status->status == 0 && err->class == ngx_ors_class_client) {

        /* a 401 is about the operator's key, and the client gets a 502 */

        err->class = ngx_ors_class_account;
    }

    ngx_ors_error_status(err, status->shown);

    if (err->status != 429 && err->status != 503) {
        err->retry = 0;
    }
}


static const ngx_ors_mask_status_t *
ngx_ors_mask_status(ngx_uint_t status)
{
    const ngx_ors_mask_status_t  *s;

    for (s = ngx_ors_mask_statuses; s->status; s++) {

        if (s->status == status) {
            break;
        }
    }

    return s;
}


static ngx_uint_t
ngx_ors_mask_account(ngx_str_t *code)
{
    const ngx_str_t  *account;

    for (account = ngx_ors_mask_accounts; account->len; account++) {

        if (ngx_ors_same(account, code)) {
            return 1;
        }
    }

    return 0;
}


/* letters, digits, "_", ".", "[" and "]" */

static ngx_uint_t
ngx_ors_mask_path(ngx_str_t *param)
{
    u_char  ch, *p, *last;

    if (param->len > NGX_ORS_MASK_PARAM) {
        return 0;
    }

    last = param->data + param->len;

    for (p = param->data; p < last; p++) {
        ch = (u_char) (*p | 0x20);

        if (!((ch >= 'a' && ch <= 'z') || (*p >= '0' && *p <= '9')
              || *p == '_' || *p == '.' || *p == '[' || *p == ']'))
        {
            return 0;
        }
    }

    return 1;
}
