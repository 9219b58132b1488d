
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * GET, DELETE and cancel of a stored response.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_http_ors_stored.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_snapshot.h>


static ngx_int_t ngx_http_ors_stored_retrieved(ngx_http_ors_stored_t *st,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_http_ors_stored_send(ngx_http_ors_stored_t *st,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_http_ors_stored_end(ngx_http_ors_stored_t *st,
    ngx_ors_error_t *err);
static ngx_int_t ngx_http_ors_stored_deleting(ngx_http_ors_stored_t *st,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_http_ors_stored_stop(ngx_http_ors_stored_t *st,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_http_ors_stored_remove(ngx_http_ors_stored_t *st,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_http_ors_stored_deleted(ngx_http_ors_stored_t *st,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_http_ors_stored_mark(ngx_http_ors_stored_t *st,
    char *mark, ngx_http_ors_stored_pt step);
static ngx_int_t ngx_http_ors_stored_cancelling(ngx_http_ors_stored_t *st,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_http_ors_stored_cancels(ngx_http_ors_stored_t *st,
    ngx_ors_store_job_t *job);
static ngx_int_t ngx_http_ors_stored_marked(ngx_http_ors_stored_t *st,
    ngx_ors_store_job_t *job);


/* GET responses/{id} */

ngx_int_t
ngx_http_ors_stored_retrieve(ngx_http_ors_stored_t *st,
    ngx_ors_store_job_t *job)
{
    ngx_str_t  value;

    static ngx_str_t  no = ngx_string("false");

    if (ngx_http_arg(st->request, (u_char *) "stream", 6, &value) == NGX_OK
        && value.len
        && (value.len != no.len
            || ngx_memcmp(value.data, no.data, no.len) != 0))
    {
        (void) ngx_ors_error_set(&st->error, st->request->pool,
                                 NGX_HTTP_BAD_REQUEST, "unsupported_parameter",
                                 "a stored response cannot be streamed, "
                                 "\"stream\" must be false or absent");
        ngx_str_set(&st->error.param, "stream");

        return ngx_http_ors_stored_refuse(st);
    }

    return ngx_http_ors_stored_post(st, ngx_ors_store_get, "rlc",
                                    ngx_http_ors_stored_retrieved);
}


static ngx_int_t
ngx_http_ors_stored_retrieved(ngx_http_ors_stored_t *st,
    ngx_ors_store_job_t *job)
{
    return ngx_http_ors_stored_record(st, job, ngx_http_ors_stored_send);
}


/*
 * The response of a turn that has ended is what was stored.  One that runs
 * without its client has a lease, and it may be marked to be ended.
 */

static ngx_int_t
ngx_http_ors_stored_send(ngx_http_ors_stored_t *st, ngx_ors_store_job_t *job)
{
    ngx_ors_out_t  out;

    if (ngx_http_ors_stored_runs(&st->record)) {

        if (job->entries[2].value.data) {
            return ngx_http_ors_stored_end(st, NULL);
        }

        if (job->entries[1].value.data == NULL) {
            (void) ngx_ors_error_set(&st->error, st->request->pool,
                                     NGX_HTTP_INTERNAL_SERVER_ERROR,
                                     "server_error",
                                     "the server that ran it has stopped");

            return ngx_http_ors_stored_end(st, &st->error);
        }
    }

    ngx_ors_out_init(&out, st->request->pool, NGX_HTTP_ORS_BLOCK);

    ngx_ors_out_ref(&out, st->record.response.data, st->record.response.len);

    return ngx_http_ors_document(st->request, NGX_HTTP_OK, &out);
}


static ngx_int_t
ngx_http_ors_stored_end(ngx_http_ors_stored_t *st, ngx_ors_error_t *err)
{
    ngx_int_t           rc;
    ngx_ors_out_t       out;
    ngx_ors_snapshot_t  snap;

    rc = ngx_ors_snapshot_read(&snap, &st->record.response,
                               st->request->pool);

    if (rc == NGX_DECLINED) {
        return ngx_http_ors_stored_failed(st, ngx_ors_store_corrupt);
    }

    ngx_ors_out_init(&out, st->request->pool, NGX_HTTP_ORS_BLOCK);

    if (rc != NGX_OK || ngx_ors_snapshot_end(&snap, err, &out) != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    return ngx_http_ors_document(st->request, NGX_HTTP_OK, &out);
}


/* DELETE responses/{id} */

ngx_int_t
ngx_http_ors_stored_delete(ngx_http_ors_stored_t *st,
    ngx_ors_store_job_t *job)
{
    return ngx_http_ors_stored_post(st, ngx_ors_store_get, "r",
                                    ngx_http_ors_stored_deleting);
}


static ngx_int_t
ngx_http_ors_stored_deleting(ngx_http_ors_stored_t *st,
    ngx_ors_store_job_t *job)
{
    return ngx_http_ors_stored_record(st, job, ngx_http_ors_stored_stop);
}


/* a turn that runs is told first, else it would be stored again */

static ngx_int_t
ngx_http_ors_stored_stop(ngx_http_ors_stored_t *st, ngx_ors_store_job_t *job)
{
    if (ngx_http_ors_stored_runs(&st->record)) {
        return ngx_http_ors_stored_mark(st, NGX_ORS_KEY_DELETED,
                                        ngx_http_ors_stored_remove);
    }

    return ngx_http_ors_stored_remove(st, job);
}


static ngx_int_t
ngx_http_ors_stored_remove(ngx_http_ors_stored_t *st,
    ngx_ors_store_job_t *job)
{
    return ngx_http_ors_stored_post(st, ngx_ors_store_delete, "r",
                                    ngx_http_ors_stored_deleted);
}


static ngx_int_t
ngx_http_ors_stored_deleted(ngx_http_ors_stored_t *st,
    ngx_ors_store_job_t *job)
{
    ngx_ors_out_t  out;

    if (job->entries[0].value.data == NULL) {
        return ngx_http_ors_stored_absent(st);
    }

    ngx_ors_out_init(&out, st->request->pool, NGX_HTTP_ORS_BLOCK);

    ngx_ors_out_lit(&out, "{\"id\":");
    ngx_ors_json_quote(&out, st->id.data, st->id.len);
    ngx_ors_out_lit(&out, ",\"object\":\"response\",\"deleted\":true}");

    return ngx_http_ors_document(st->request, NGX_HTTP_OK, &out);
}


/* leaves a word for whoever runs the turn */

static ngx_int_t
ngx_http_ors_stored_mark(ngx_http_ors_stored_t *st, char *mark,
    ngx_http_ors_stored_pt step)
{
    ngx_int_t             rc;
    ngx_ors_store_job_t  *job;

    rc = ngx_http_ors_stored_post(st, ngx_ors_store_put, "c", step);

    if (rc != NGX_AGAIN) {
        return rc;
    }

    job = st->jobs[st->njobs - 1];

    job->entries[0].value.data = (u_char *) mark;
    job->entries[0].value.len = ngx_strlen(mark);
    job->entries[0].expires = ngx_time() + st->conf->store->ttl;

    ngx_ors_store_post(job);

    return NGX_AGAIN;
}


/* POST responses/{id}/cancel */

ngx_int_t
ngx_http_ors_stored_cancel(ngx_http_ors_stored_t *st,
    ngx_ors_store_job_t *job)
{
    return ngx_http_ors_stored_post(st, ngx_ors_store_get, "rlc",
                                    ngx_http_ors_stored_cancelling);
}


static ngx_int_t
ngx_http_ors_stored_cancelling(ngx_http_ors_stored_t *st,
    ngx_ors_store_job_t *job)
{
    return ngx_http_ors_stored_record(st, job, ngx_http_ors_stored_cancels);
}


static ngx_int_t
ngx_http_ors_stored_cancels(ngx_http_ors_stored_t *st,
    ngx_ors_store_job_t *job)
{
    ngx_int_t           rc;
    ngx_ors_snapshot_t  snap;

    if (ngx_http_ors_stored_runs(&st->record)) {

        if (job->entries[1].value.data == NULL || job->entries[2].value.data) {
            return ngx_http_ors_stored_send(st, job);
        }

        return ngx_http_ors_stored_mark(st, NGX_ORS_KEY_CANCELLED,
                                        ngx_http_ors_stored_marked);
    }

    rc = ngx_ors_snapshot_read(&snap, &st->record.response,
                               st->request->pool);

    if (rc == NGX_DECLINED) {
        return ngx_http_ors_stored_failed(st, ngx_ors_store_corrupt);
    }

    if (rc != NGX_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (snap.background) {
        return ngx_http_ors_stored_send(st, job);
    }

    (void) ngx_ors_error_set(&st->error, st->request->pool,
                             NGX_HTTP_BAD_REQUEST, "invalid_value",
                             "only responses that were created with "
                             "\"background\": true can be cancelled");
    ngx_str_set(&st->error.param, "response_id");

    return ngx_http_ors_stored_refuse(st);
}


/* it may have come to its end meanwhile */

static ngx_int_t
ngx_http_ors_stored_marked(ngx_http_ors_stored_t *st,
    ngx_ors_store_job_t *job)
{
    return ngx_http_ors_stored_post(st, ngx_ors_store_get, "rlc",
                                    ngx_http_ors_stored_retrieved);
}
