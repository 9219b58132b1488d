
/*
 * Copyright (C) Open Responses contributors
 */


/* The entries that say of approved calls that they have been run. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_key.h>
#include <ngx_ors_session_claim.h>
#include <ngx_ors_session_error.h>


ngx_ors_store_job_t *
ngx_ors_session_claim_job(ngx_ors_session_t *session)
{
    ngx_uint_t              i;
    ngx_ors_approval_t     *approval;
    ngx_ors_store_job_t    *job;
    ngx_ors_approvals_t    *approvals;
    ngx_ors_store_entry_t  *entry;

    approvals = &session->turn->approvals;

    job = ngx_ors_store_job(session->store, ngx_ors_store_add,
                            approvals->napproved);
    if (job == NULL) {
        return NULL;
    }

    entry = job->entries;

    for (i = 0; i < approvals->n; i++) {
        approval = &approvals->elts[i];

        if (approval->state != ngx_ors_approval_approved) {
            continue;
        }

        if (ngx_ors_key(session->scope, ngx_ors_key_approval, &approval->id,
                        &entry->key)
            != NGX_OK)
        {
            ngx_ors_store_release(job);
            return NULL;
        }

        ngx_str_set(&entry->value, "1");
        entry->expires = ngx_time() + session->store->ttl;

        entry++;
    }

    return job;
}


ngx_int_t
ngx_ors_session_claim_touch(ngx_ors_session_t *session)
{
    ngx_str_t              id;
    ngx_uint_t             i, n;
    ngx_ors_request_t     *req;
    ngx_ors_store_key_t   *touch;
    ngx_ors_input_item_t  *item;

    req = &session->turn->request;

    if (session->ntouch == 0) {
        return NGX_OK;
    }

    for (i = 0, n = 0; i < req->prior; i++) {
        n += (req->input.items[i].kind == ngx_ors_input_approval);
    }

    if (n == 0) {
        return NGX_OK;
    }

    touch = ngx_palloc(session->pool, (session->ntouch + n)
                                      * sizeof(ngx_ors_store_key_t));
    if (touch == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(touch, session->touch,
               session->ntouch * sizeof(ngx_ors_store_key_t));

    session->touch = touch;

    for (i = 0; i < req->prior; i++) {
        item = &req->input.items[i];

        if (item->kind != ngx_ors_input_approval) {
            continue;
        }

        if (ngx_ors_json_decoded(item->json,
                                 ngx_ors_input_node(item, item->id),
                                 session->pool, &id)
            != NGX_OK
            || ngx_ors_key(session->scope, ngx_ors_key_approval, &id,
                           &touch[session->ntouch])
               != NGX_OK)
        {
            return NGX_ERROR;
        }

        session->ntouch++;
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_session_claimed(ngx_ors_session_t *session, ngx_ors_store_job_t *job)
{
    ngx_uint_t              i, there;
    ngx_ors_store_status_e  status;

    there = 0;
    status = job->status;

    for (i = 0; i < job->n; i++) {
        there |= job->entries[i].there;
    }

    ngx_ors_store_release(job);

    session->state = ngx_ors_session_st_refused;

    if (status != ngx_ors_store_ok) {
        ngx_log_error(NGX_LOG_ERR, session->log, 0,
                      "approved calls are not run, store \"%V\" does not say "
                      "whether they have been: %V", &session->store->name,
                      ngx_ors_session_strerror(status));

        return ngx_ors_session_refuse(session, ngx_ors_code_store_unavailable,
                                      "input",
                                      "approved calls cannot be run at the "
                                      "moment, try again later");
    }

    if (there) {
        return ngx_ors_session_refuse(session,
                                      ngx_ors_code_approval_already_used,
                                      "input",
                                      "another response has run a call that "
                                      "\"input\" approves of");
    }

    session->state = ngx_ors_session_st_ready;
    session->turn->claimed = 1;

    return NGX_OK;
}
