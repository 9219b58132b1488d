
/*
 * Copyright (C) Open Responses contributors
 */


/* Puts the items of stored turns on a page of a list. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_operation_items.h>
#include <ngx_ors_record.h>
#include <ngx_ors_stored.h>
#include <ngx_ors_digest.h>


static ngx_int_t ngx_ors_operation_list_turn(ngx_ors_listing_t *list,
    ngx_str_t *value, ngx_uint_t newest, ngx_pool_t *pool);


ngx_int_t
ngx_ors_operation_list_job(ngx_ors_listing_t *list, ngx_ors_store_job_t *job,
    ngx_pool_t *pool)
{
    ngx_int_t   rc;
    ngx_uint_t  i, n;

    rc = NGX_OK;

    for (i = 0; i < job->n && rc == NGX_OK; i++) {
        n = list->ascending ? i : job->n - 1 - i;

        rc = ngx_ors_operation_list_turn(list, &job->entries[n].value,
                                         n == job->n - 1, pool);
    }

    return (rc == NGX_DONE) ? NGX_OK : rc;
}


/* the output of a previous turn was input of those after it */

static ngx_int_t
ngx_ors_operation_list_turn(ngx_ors_listing_t *list, ngx_str_t *value,
    ngx_uint_t newest, ngx_pool_t *pool)
{
    u_char             text[NGX_ORS_ID_LEN];
    ngx_int_t          rc;
    ngx_str_t          id, token;
    ngx_ors_index_t    input, output;
    ngx_ors_record_t   rec;

    if (ngx_ors_record_read(&rec, value) != NGX_OK) {
        return NGX_DECLINED;
    }

    rc = ngx_ors_snapshot_id(&rec.response, pool, &id);

    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_ors_token(&id, text) != NGX_OK) {
        return NGX_ERROR;
    }

    token.data = text;
    token.len = NGX_ORS_ID_LEN;

    if (ngx_ors_record_items(&rec, NGX_ORS_STORE_INPUT, pool, &input)
        != NGX_OK
        || ngx_ors_record_items(&rec, NGX_ORS_STORE_OUTPUT, pool, &output)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (newest) {
        output.n = 0;
    }

    rc = ngx_ors_listing_add(list, list->ascending ? &input : &output, &token);

    if (rc != NGX_OK) {
        return rc;
    }

    return ngx_ors_listing_add(list, list->ascending ? &output : &input,
                               &token);
}
