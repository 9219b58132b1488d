
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Shares of requests in the stored conversations of their scopes, and how much
 * the jobs of sessions and operations may load.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_hold.h>


/* the requests of one scope that run in this worker */

struct ngx_ors_holder_s {
    ngx_str_node_t            sn;         /* its text is "scope" */
    u_char                    scope[NGX_ORS_STORE_KEY];
    size_t                    size;       /* bytes that all of them hold */
    ngx_uint_t                holds;
};


static ngx_ors_holder_t *ngx_ors_hold_find(ngx_ors_hold_t *hold,
    u_char *scope);


void
ngx_ors_holders_init(ngx_ors_holders_t *holders)
{
    ngx_rbtree_init(&holders->tree, &holders->sentinel,
                    ngx_str_rbtree_insert_value);
}


ngx_int_t
ngx_ors_hold(ngx_ors_hold_t *hold, u_char *scope, size_t size)
{
    size_t             other;
    ngx_ors_holder_t  *holder;

    if (hold->limit == 0) {
        return NGX_OK;
    }

    holder = hold->holder;

    if (holder == NULL) {
        holder = ngx_ors_hold_find(hold, scope);
        if (holder == NULL) {
            return NGX_ERROR;
        }

        holder->holds++;
        hold->holder = holder;
    }

    other = holder->size - hold->size;

    if (size > hold->size && size > hold->limit - ngx_min(other, hold->limit))
    {
        /* the first bytes of its digest name a scope */

        ngx_log_error(NGX_LOG_WARN, hold->log, 0,
                      "scope %02xd%02xd%02xd%02xd is over \"scope_context\": "
                      "holds %uz of %uz bytes of stored conversations",
                      scope[0], scope[1], scope[2], scope[3], holder->size,
                      hold->limit);

        return NGX_BUSY;
    }

    holder->size = other + size;
    hold->size = size;

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, hold->log, 0,
                   "ors hold: %uz bytes, scope holds %uz of %uz",
                   size, holder->size, hold->limit);

    return NGX_OK;
}


static ngx_ors_holder_t *
ngx_ors_hold_find(ngx_ors_hold_t *hold, u_char *scope)
{
    uint32_t           hash;
    ngx_str_t          text;
    ngx_ors_holder_t  *holder;

    text.data = scope;
    text.len = NGX_ORS_STORE_KEY;

    hash = ngx_crc32_short(text.data, text.len);

    holder = (ngx_ors_holder_t *)
                 ngx_str_rbtree_lookup(&hold->holders->tree, &text, hash);
    if (holder) {
        return holder;
    }

    holder = ngx_calloc(sizeof(ngx_ors_holder_t), hold->log);
    if (holder == NULL) {
        return NULL;
    }

    /*
     * set by ngx_calloc():
     *
     *     holder->size = 0;
     *     holder->holds = 0;
     */

    ngx_memcpy(holder->scope, scope, NGX_ORS_STORE_KEY);

    holder->sn.node.key = hash;
    holder->sn.str.data = holder->scope;
    holder->sn.str.len = NGX_ORS_STORE_KEY;

    ngx_rbtree_insert(&hold->holders->tree, &holder->sn.node);

    return holder;
}


void
ngx_ors_hold_release(ngx_ors_hold_t *hold)
{
    ngx_ors_holder_t  *holder;

    holder = hold->holder;

    if (holder == NULL) {
        return;
    }

    holder->size -= hold->size;

    if (--holder->holds == 0) {
        ngx_rbtree_delete(&hold->holders->tree, &holder->sn.node);
        ngx_free(holder);
    }

    hold->holder = NULL;
    hold->size = 0;
}


ngx_int_t
ngx_ors_session_reserve(ngx_ors_session_t *session, ngx_ors_hold_t *hold)
{
    size_t                size;
    ngx_ors_store_job_t  *job;

    job = session->job;
    size = session->size + job->max_size;

    /* a scope's only request may use the whole limit */

    if (hold->limit && size > hold->limit) {
        size = hold->limit;
        job->max_size = ngx_max(size - ngx_min(session->size, size), 1);
    }

    return ngx_ors_hold(hold, session->scope, size);
}


void
ngx_ors_session_hold(ngx_ors_session_t *session, ngx_ors_hold_t *hold)
{
    size_t  size;

    if (session->state == ngx_ors_session_st_refused) {
        ngx_ors_hold_release(hold);
        return;
    }

    if (hold->holder == NULL) {
        return;
    }

    size = session->size;

    if (session->context.budget && session->refs.n == 0) {
        size = ngx_min(size, session->context.budget);
    }

    /* it never becomes more than has been reserved */

    (void) ngx_ors_hold(hold, session->scope, ngx_min(size, hold->size));
}


ngx_int_t
ngx_ors_operation_reserve(ngx_ors_operation_t *op, ngx_ors_hold_t *hold)
{
    ngx_int_t  rc;

    if (hold->limit) {
        op->job->max_size = ngx_min(op->job->max_size, hold->limit);
    }

    rc = ngx_ors_hold(hold, op->scope, op->job->max_size);

    if (rc != NGX_BUSY) {
        return (rc == NGX_OK) ? NGX_AGAIN : rc;
    }

    (void) ngx_ors_error_set(&op->error, op->pool,
                             ngx_ors_code_rate_limit_exceeded,
                             "your requests that run hold too much of "
                             "stored conversations, try again when one "
                             "has ended");
    return NGX_DONE;
}


void
ngx_ors_operation_hold(ngx_ors_operation_t *op, ngx_ors_hold_t *hold)
{
    size_t                size;
    ngx_uint_t            i, k;
    ngx_ors_store_job_t  *job;

    if (hold->holder == NULL) {
        return;
    }

    size = 0;

    for (i = 0; i < op->njobs; i++) {
        job = op->jobs[i];

        for (k = 0; k < job->n; k++) {
            size += job->entries[k].value.len;
        }
    }

    (void) ngx_ors_hold(hold, op->scope, ngx_min(size, hold->size));
}
