
/*
 * Copyright (C) Open Responses contributors
 */


/* Makes the job that stores a turn: its record, and the names of its items. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_session_record.h>
#include <ngx_ors_stored.h>


/* output block of a record */
#define NGX_ORS_SESSION_BLOCK  1024


static ngx_int_t ngx_ors_session_record_value(ngx_ors_session_t *session,
    ngx_ors_store_job_t *job, ngx_ors_record_status_e status);
static ngx_int_t ngx_ors_session_record_table(ngx_ors_session_t *session,
    ngx_ors_index_t *index);
static u_char *ngx_ors_session_record_copy(u_char *p, ngx_chain_t *cl);
static ngx_int_t ngx_ors_session_record_names(ngx_ors_session_t *session,
    ngx_ors_store_job_t *job);


ngx_ors_store_job_t *
ngx_ors_session_record(ngx_ors_session_t *session,
    ngx_ors_record_status_e status, ngx_uint_t spare)
{
    time_t                expires;
    ngx_uint_t            i;
    ngx_ors_store_job_t  *job;
    ngx_ors_store_key_t  *touch;

    job = ngx_ors_store_job(session->store, ngx_ors_store_put,
                            session->touch.nelts + 1 + spare);
    if (job == NULL) {
        return NULL;
    }

    /* its ancestors live on with it */

    expires = ngx_time() + session->store->ttl;

    touch = session->touch.elts;

    for (i = 0; i < session->touch.nelts; i++) {
        job->entries[i].key = touch[i];
        job->entries[i].expires = expires;
    }

    job->entries[i].expires = expires;

    if (ngx_ors_session_record_value(session, job, status) != NGX_OK
        || (session->turn->inline_context && !job->large
            && ngx_ors_session_record_names(session, job) != NGX_OK))
    {
        ngx_ors_store_release(job);
        return NULL;
    }

    return job;
}


static ngx_int_t
ngx_ors_session_record_value(ngx_ors_session_t *session,
    ngx_ors_store_job_t *job, ngx_ors_record_status_e status)
{
    u_char                 *p;
    ngx_chain_t            *cl, *ln;
    ngx_ors_out_t           input, response;
    ngx_ors_turn_t         *turn;
    ngx_ors_index_t         index[2];
    ngx_ors_record_t       *rec;
    ngx_ors_store_entry_t  *entry;

    turn = session->turn;
    entry = &job->entries[session->touch.nelts];

    ngx_ors_out_init(&input, session->pool, NGX_ORS_SESSION_BLOCK);
    ngx_ors_out_init(&response, session->pool, NGX_ORS_SESSION_BLOCK);

    ngx_ors_index_init(&index[0], session->pool);
    ngx_ors_index_init(&index[1], session->pool);

    if (ngx_ors_turn_record(turn, session->instructions, &input, &response,
                            index)
        != NGX_OK
        || ngx_ors_key(session->scope, ngx_ors_key_response,
                       &turn->response.id, &entry->key)
           != NGX_OK
        || ngx_ors_session_record_table(session, index) != NGX_OK)
    {
        return NGX_ERROR;
    }

    rec = &session->record;

    rec->status = status;
    rec->created = turn->response.created_at;
    rec->input.len = input.size;
    rec->response.len = response.size;
    rec->output = turn->response.output;
    rec->output_len = turn->response.output_len;

    entry->value.len = ngx_ors_record_size(rec);

    if (entry->value.len > session->store->record) {
        ngx_str_null(&entry->value);
        job->large = 1;
        return NGX_OK;
    }

    entry->value.data = ngx_pnalloc(job->pool, entry->value.len);

    if (entry->value.data == NULL || ngx_ors_out_take(&input, &cl) != NGX_OK
        || ngx_ors_out_take(&response, &ln) != NGX_OK)
    {
        return NGX_ERROR;
    }

    p = ngx_ors_record_head(rec, entry->value.data);
    p = ngx_ors_session_record_copy(p, cl);
    (void) ngx_ors_session_record_copy(p, ln);

    return NGX_OK;
}


static ngx_int_t
ngx_ors_session_record_table(ngx_ors_session_t *session,
    ngx_ors_index_t *index)
{
    u_char            *p;
    ngx_ors_record_t  *rec;

    rec = &session->record;

    rec->ninput = index[0].n;
    rec->noutput = index[1].n;

    rec->table = ngx_pnalloc(session->pool, (rec->ninput + rec->noutput)
                                            * NGX_ORS_RECORD_ITEM + 1);

    if (rec->table == NULL || index[0].failed || index[1].failed) {
        return NGX_ERROR;
    }

    p = ngx_ors_record_table(&index[0], rec->table);
    (void) ngx_ors_record_table(&index[1], p);

    return NGX_OK;
}


static u_char *
ngx_ors_session_record_copy(u_char *p, ngx_chain_t *cl)
{
    for ( /* void */ ; cl; cl = cl->next) {
        p = ngx_cpymem(p, cl->buf->pos, cl->buf->last - cl->buf->pos);
    }

    return p;
}


/* an id that another server has made does not name its turn: an entry does */

static ngx_int_t
ngx_ors_session_record_names(ngx_ors_session_t *session,
    ngx_ors_store_job_t *job)
{
    ngx_str_t               id;
    ngx_uint_t              i;
    ngx_ors_json_t          json;
    ngx_ors_index_t         index;
    ngx_ors_record_t        rec;
    ngx_ors_store_entry_t  *entry, *last;

    last = &job->entries[session->touch.nelts];

    if (ngx_ors_record_read(&rec, &last->value) != NGX_OK
        || ngx_ors_record_items(&rec, NGX_ORS_STORE_OUTPUT, job->pool, &index)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    entry = ngx_pcalloc(job->pool, (job->n + index.n)
                                   * sizeof(ngx_ors_store_entry_t));
    if (entry == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(entry, job->entries, job->n * sizeof(ngx_ors_store_entry_t));

    job->entries = entry;

    ngx_ors_json_init(&json, job->pool, 1, 1);

    for (i = 0; i < index.n; i++) {

        if (index.items[i].id_len == 0) {
            continue;
        }

        entry = &job->entries[job->n++];

        if (ngx_ors_stored_id(&index, &index.items[i], &json, &id) != NGX_OK
            || ngx_ors_key(session->scope, ngx_ors_key_item, &id, &entry->key)
               != NGX_OK)
        {
            return NGX_ERROR;
        }

        entry->value.len = NGX_ORS_STORE_KEY;
        entry->value.data = last->key.name;
        entry->expires = last->expires;
    }

    return NGX_OK;
}
