
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
ngx_ors_session_claimed(ngx_ors_session_t *session)
{
    ngx_uint_t              i, there;
    ngx_ors_store_job_t    *job;
    ngx_ors_store_status_e  status;

    job = session->job;
    there = 0;
    status = job->status;

    for (i = 0; i < job->n; i++) {
        there |= job->entries[i].there;
    }

    ngx_ors_store_drop(&session->job);

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
