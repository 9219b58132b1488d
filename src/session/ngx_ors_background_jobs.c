
/*
 * Copyright (C) Open Responses contributors
 */


/* Makes the jobs that a response of the background needs besides its commit. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_background_jobs.h>
#include <ngx_ors_names.h>
#include <ngx_ors_session_record.h>


/* blocks of an answer that is written at once */
#define NGX_ORS_BACKGROUND_BLOCK  1024


static void ngx_ors_background_lease(ngx_ors_background_t *bg,
    ngx_ors_store_entry_t *entry);


ngx_int_t
ngx_ors_background_keys(ngx_ors_background_t *bg)
{
    u_char     *scope;
    ngx_str_t  *id;

    scope = bg->session->scope;
    id = &bg->session->turn->response.id;

    if (ngx_ors_key(scope, ngx_ors_key_response, id, &bg->record) != NGX_OK
        || ngx_ors_key(scope, ngx_ors_key_lease, id, &bg->lease) != NGX_OK
        || ngx_ors_key(scope, ngx_ors_key_cancel, id, &bg->flag) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return NGX_OK;
}


ngx_ors_store_job_t *
ngx_ors_background_first(ngx_ors_background_t *bg)
{
    ngx_ors_store_job_t  *job;

    job = ngx_ors_session_record(bg->session, ngx_ors_record_in_progress, 1);

    if (job) {
        ngx_ors_background_lease(bg, &job->entries[job->n - 1]);
    }

    return job;
}


ngx_int_t
ngx_ors_background_response(ngx_ors_background_t *bg)
{
    ngx_ors_out_t        out;
    ngx_ors_response_t  *resp;

    resp = &bg->session->turn->response;

    ngx_ors_out_init(&out, bg->session->pool, NGX_ORS_BACKGROUND_BLOCK);

    resp->queued = 1;
    ngx_ors_response_render(&out, resp);
    resp->queued = 0;

    return ngx_ors_out_text(&out, &bg->response);
}


ngx_ors_store_job_t *
ngx_ors_background_renew(ngx_ors_background_t *bg)
{
    ngx_ors_store_job_t  *job;

    job = ngx_ors_store_job(bg->session->store, ngx_ors_store_put, 1);

    if (job) {
        ngx_ors_background_lease(bg, &job->entries[0]);
    }

    return job;
}


static void
ngx_ors_background_lease(ngx_ors_background_t *bg,
    ngx_ors_store_entry_t *entry)
{
    entry->key = bg->lease;
    entry->expires = ngx_time() + NGX_ORS_BACKGROUND_LEASE;

    ngx_str_set(&entry->value, "alive");
}


ngx_ors_store_job_t *
ngx_ors_background_look(ngx_ors_background_t *bg)
{
    ngx_ors_store_job_t  *job;

    job = ngx_ors_store_job(bg->session->store, ngx_ors_store_get, 1);

    if (job) {
        job->entries[0].key = bg->flag;
    }

    return job;
}


ngx_ors_background_wish_e
ngx_ors_background_wish(ngx_ors_store_job_t *job)
{
    ngx_str_t  *value;

    static ngx_str_t  deleted = ngx_string(NGX_ORS_KEY_DELETED);

    value = &job->entries[0].value;

    if (job->status != ngx_ors_store_ok || value->data == NULL) {
        return ngx_ors_background_go_on;
    }

    if (ngx_ors_same(value, &deleted)) {
        return ngx_ors_background_deleted;
    }

    return ngx_ors_background_cancelled;
}


ngx_ors_store_job_t *
ngx_ors_background_forget(ngx_ors_background_t *bg, ngx_uint_t record)
{
    ngx_ors_store_job_t  *job;

    job = ngx_ors_store_job(bg->session->store, ngx_ors_store_delete,
                            record ? 3 : 2);

    if (job == NULL) {
        return NULL;
    }

    job->entries[0].key = bg->lease;
    job->entries[1].key = bg->flag;

    if (record) {
        job->entries[2].key = bg->record;
    }

    return job;
}
