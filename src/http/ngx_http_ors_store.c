
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_http_ors_background.h>


static ngx_uint_t ngx_http_ors_store_wanted(ngx_http_ors_session_t *session);
static ngx_int_t ngx_http_ors_store_value(ngx_http_ors_session_t *session,
    ngx_ors_store_job_t *job, ngx_ors_record_status_e status);
static ngx_int_t ngx_http_ors_store_index(ngx_http_ors_session_t *session,
    ngx_ors_store_job_t *job);
static u_char *ngx_http_ors_store_copy(u_char *p, ngx_chain_t *cl);
static void ngx_http_ors_store_committed(ngx_ors_store_job_t *job);
static ngx_int_t ngx_http_ors_store_lost(ngx_http_ors_session_t *session,
    ngx_ors_store_status_e status);
static void ngx_http_ors_store_cleanup(void *data);


static ngx_str_t  ngx_http_ors_store_statuses[] = {
    ngx_string("ok"),
    ngx_string("what it names is not there"),
    ngx_string("a limit"),
    ngx_string("it is full"),
    ngx_string("it does not answer in time"),
    ngx_string("it cannot be reached"),
    ngx_string("it holds what is no record"),
    ngx_string("the scope has its share of it, \"scope_size\" or "
               "\"scope_turns\""),
    ngx_string("it is larger than \"record\"")
};


ngx_int_t
ngx_http_ors_store_init(ngx_http_ors_ctx_t *ctx)
{
    u_char                    scope[NGX_ORS_DIGEST_LEN];
    ngx_http_request_t       *r;
    ngx_http_cleanup_t       *cln;
    ngx_http_ors_session_t   *session;
    ngx_http_ors_loc_conf_t  *olcf;

    r = ctx->request;
    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    if (olcf->store == NULL
        || (ctx->endpoint->id != ngx_ors_endpoint_responses
            && ctx->endpoint->id != ngx_ors_endpoint_compact))
    {
        return NGX_OK;
    }

    session = ngx_pcalloc(r->pool, sizeof(ngx_http_ors_session_t));
    if (session == NULL) {
        return NGX_ERROR;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     session->state = ngx_http_ors_session_st_new;
     *     session->record, session->touch: the first turn of a chain
     */

    session->ctx = ctx;
    session->store = olcf->store;

    /* whose it is does not change by what comes of it */

    if (ngx_http_ors_scope(r, scope) != NGX_OK) {
        return NGX_ERROR;
    }

    cln = ngx_http_cleanup_add(r, 0);
    if (cln == NULL) {
        return NGX_ERROR;
    }

    cln->handler = ngx_http_ors_store_cleanup;
    cln->data = session;

    ctx->session = session;

    if (!ngx_http_ors_store_wanted(session)) {
        return NGX_OK;
    }

    if (!ngx_ors_store_down(session->store)) {
        session->wanted = 1;
        ctx->turn->request.stored = 1;
        return NGX_OK;
    }

    return ngx_http_ors_store_lost(session, ngx_ors_store_unavailable);
}


ngx_int_t
ngx_http_ors_store_key(ngx_http_request_t *r, u_char kind, ngx_str_t *id,
    ngx_ors_store_key_t *key)
{
    u_char     token[NGX_ORS_ID_LEN];
    ngx_str_t  text;

    if (kind == 'r') {

        if (ngx_ors_token(id, token) != NGX_OK) {
            return NGX_ERROR;
        }

        text.data = token;
        text.len = NGX_ORS_ID_LEN;

        return ngx_http_ors_store_owner(r, &text, key);
    }

    if (ngx_http_ors_scope_store(r, key->scope) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_ors_digest(kind, id, key->name);
}


ngx_int_t
ngx_http_ors_store_owner(ngx_http_request_t *r, ngx_str_t *token,
    ngx_ors_store_key_t *key)
{
    if (ngx_http_ors_scope_store(r, key->scope) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_ors_digest('r', token, key->name);
}


/*
 * Responses are stored unless the client says otherwise; a compaction is not
 * one to go on from by its id
 */

static ngx_uint_t
ngx_http_ors_store_wanted(ngx_http_ors_session_t *session)
{
    ngx_ors_request_t    *req;
    ngx_ors_json_node_t  *node;

    req = &session->ctx->turn->request;

    if (req->compact) {
        return 0;
    }

    node = req->field[ngx_ors_rq_store];

    return node == NULL || node->type != ngx_ors_json_false;
}


ngx_int_t
ngx_http_ors_store_refuse(ngx_http_ors_session_t *session, ngx_uint_t status,
    char *code, char *param, char *text)
{
    ngx_ors_turn_t  *turn;

    turn = session->ctx->turn;

    (void) ngx_ors_error_set(&turn->error, turn->pool, status, code, "%s",
                             text);

    turn->error.param.data = (u_char *) param;
    turn->error.param.len = ngx_strlen(param);

    return ngx_http_ors_context_refuse(session);
}


ngx_str_t *
ngx_http_ors_store_strerror(ngx_ors_store_status_e status)
{
    return &ngx_http_ors_store_statuses[status];
}


ngx_int_t
ngx_http_ors_store_commit(ngx_http_ors_ctx_t *ctx)
{
    ngx_ors_store_job_t      *job;
    ngx_http_ors_session_t   *session;
    ngx_ors_record_status_e   status;

    session = ctx->session;

    if (session->state == ngx_http_ors_session_st_commit) {
        return NGX_OK;
    }

    session->state = ngx_http_ors_session_st_commit;

    status = (ctx->turn->response.status == ngx_ors_response_incomplete)
             ? ngx_ors_record_incomplete : ngx_ors_record_completed;

    job = ngx_http_ors_store_record(session, status, 0);
    if (job == NULL) {
        return NGX_ERROR;
    }

    job->handler = ngx_http_ors_store_committed;
    job->data = session;

    session->job = job;

    ngx_ors_store_post(job);

    return NGX_OK;
}


ngx_ors_store_job_t *
ngx_http_ors_store_record(ngx_http_ors_session_t *session,
    ngx_ors_record_status_e status, ngx_uint_t spare)
{
    time_t                expires;
    ngx_uint_t            i;
    ngx_ors_store_job_t  *job;

    job = ngx_ors_store_job(session->store, ngx_ors_store_put,
                            session->ntouch + 1 + spare);
    if (job == NULL) {
        return NULL;
    }

    /* its ancestors live on with it */

    expires = ngx_time() + session->store->ttl;

    for (i = 0; i < session->ntouch; i++) {
        job->entries[i].key = session->touch[i];
        job->entries[i].expires = expires;
    }

    job->entries[i].expires = expires;

    if (ngx_http_ors_store_value(session, job, status) != NGX_OK
        || (session->ctx->turn->inline_context && !job->large
            && ngx_http_ors_store_index(session, job) != NGX_OK))
    {
        ngx_ors_store_release(job);
        return NULL;
    }

    return job;
}


/* ids that another server has made do not say whose they are */

static ngx_int_t
ngx_http_ors_store_index(ngx_http_ors_session_t *session,
    ngx_ors_store_job_t *job)
{
    ngx_str_t               items, *id;
    ngx_uint_t              i;
    ngx_array_t             ids;
    ngx_ors_record_t        rec;
    ngx_ors_store_entry_t  *entry, *entries, *last;

    last = &job->entries[session->ntouch];

    if (ngx_ors_record_read(&rec, &last->value) != NGX_OK) {
        return NGX_ERROR;
    }

    items.data = rec.response.data + rec.output;
    items.len = rec.output_len;

    if (ngx_ors_context_ids(&items, session->ctx->turn->limits->nodes,
                            job->pool,
                            &ids)
        == NGX_ERROR)
    {
        return NGX_ERROR;
    }

    entries = ngx_pcalloc(job->pool, (job->n + ids.nelts)
                                     * sizeof(ngx_ors_store_entry_t));
    if (entries == NULL) {
        return NGX_ERROR;
    }

    ngx_memcpy(entries, job->entries, job->n * sizeof(ngx_ors_store_entry_t));

    entry = &entries[job->n];
    id = ids.elts;

    for (i = 0; i < ids.nelts; i++) {

        if (ngx_http_ors_store_key(session->ctx->request, 'i', &id[i],
                                   &entry->key)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        entry->value.len = NGX_ORS_STORE_KEY;
        entry->value.data = last->key.name;
        entry->expires = last->expires;

        entry++;
    }

    job->entries = entries;
    job->n += ids.nelts;

    return NGX_OK;
}


static ngx_int_t
ngx_http_ors_store_value(ngx_http_ors_session_t *session,
    ngx_ors_store_job_t *job,
    ngx_ors_record_status_e status)
{
    u_char                   *p;
    ngx_str_t                *value;
    ngx_chain_t              *cl, *ln;
    ngx_ors_out_t             input, response;
    ngx_ors_turn_t           *turn;
    ngx_ors_record_t         *rec;
    ngx_http_request_t       *r;
    ngx_http_ors_loc_conf_t  *olcf;

    r = session->ctx->request;
    turn = session->ctx->turn;
    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    ngx_ors_out_init(&input, r->pool, NGX_HTTP_ORS_BLOCK);
    ngx_ors_out_init(&response, r->pool, NGX_HTTP_ORS_BLOCK);

    if (ngx_ors_turn_record(turn, olcf->store_instructions, &input, &response)
        != NGX_OK
        || ngx_http_ors_store_key(r, 'r', &turn->response.id,
                                  &job->entries[session->ntouch].key)
           != NGX_OK)
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

    value = &job->entries[session->ntouch].value;

    value->len = ngx_ors_record_size(rec);

    if (value->len > session->store->record) {
        ngx_str_null(value);
        job->large = 1;
        return NGX_OK;
    }

    value->data = ngx_pnalloc(job->pool, value->len);

    if (value->data == NULL || ngx_ors_out_take(&input, &cl) != NGX_OK
        || ngx_ors_out_take(&response, &ln) != NGX_OK)
    {
        return NGX_ERROR;
    }

    p = ngx_ors_record_head(rec, value->data);
    p = ngx_http_ors_store_copy(p, cl);
    (void) ngx_http_ors_store_copy(p, ln);

    return NGX_OK;
}


static u_char *
ngx_http_ors_store_copy(u_char *p, ngx_chain_t *cl)
{
    for ( /* void */ ; cl; cl = cl->next) {
        p = ngx_cpymem(p, cl->buf->pos, cl->buf->last - cl->buf->pos);
    }

    return p;
}


static void
ngx_http_ors_store_committed(ngx_ors_store_job_t *job)
{
    ngx_uint_t               stored;
    ngx_connection_t        *c;
    ngx_http_ors_ctx_t      *ctx;
    ngx_http_ors_session_t  *session;
    ngx_ors_store_status_e   status;

    session = job->data;
    ctx = session->ctx;
    c = ctx->request->connection;

    ngx_http_set_log_request(c->log, ctx->request);

    status = job->status;

    session->job = NULL;
    ngx_ors_store_release(job);

    stored = (status == ngx_ors_store_ok);

    if (!stored && status != ngx_ors_store_large
        && ngx_http_ors_background_again(ctx))
    {
        return;
    }

    if ((stored || ngx_http_ors_store_lost(session, status) == NGX_OK)
        && ngx_ors_turn_committed(ctx->turn, stored) == NGX_ERROR)
    {
        ngx_http_ors_finalize(ctx, NGX_ERROR);

    } else {
        ngx_http_ors_run(ctx);
    }

    ngx_http_run_posted_requests(c);
}


/*
 * A turn cannot be stored.  NGX_OK: the client is to get it all the same;
 * NGX_DONE: it has failed
 */

static ngx_int_t
ngx_http_ors_store_lost(ngx_http_ors_session_t *session,
    ngx_ors_store_status_e status)
{
    ngx_http_request_t       *r;
    ngx_http_ors_loc_conf_t  *olcf;

    r = session->ctx->request;
    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    ngx_http_ors_store_say(session, status, "a response");

    if (!olcf->store_required) {
        return NGX_OK;
    }

    return ngx_http_ors_store_fail(session, status, "store");
}


ngx_int_t
ngx_http_ors_store_fail(ngx_http_ors_session_t *session,
    ngx_ors_store_status_e status, char *param)
{
    if (status == ngx_ors_store_share) {
        return ngx_http_ors_store_refuse(session, NGX_HTTP_TOO_MANY_REQUESTS,
                                         "insufficient_quota", param,
                                         "no more of your responses can be "
                                         "stored, delete some of them, or "
                                         "send \"store\": false");
    }

    if (status == ngx_ors_store_large) {
        return ngx_http_ors_store_refuse(session,
                                         NGX_HTTP_REQUEST_ENTITY_TOO_LARGE,
                                         "request_too_large", param,
                                         "the response is too large to be "
                                         "stored, send \"store\": false");
    }

    return ngx_http_ors_store_refuse(session, NGX_HTTP_SERVICE_UNAVAILABLE,
                                     "store_unavailable", param,
                                     "the response cannot be stored at the "
                                     "moment, try again later");
}


/* a scope is named by the beginning of its digest */

void
ngx_http_ors_store_say(ngx_http_ors_session_t *session,
    ngx_ors_store_status_e status, char *what)
{
    u_char               scope[NGX_ORS_DIGEST_LEN];
    ngx_http_request_t  *r;

    r = session->ctx->request;

    if (status != ngx_ors_store_share && status != ngx_ors_store_large) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "%s is not kept in store \"%V\": %V", what,
                      &session->store->name,
                      ngx_http_ors_store_strerror(status));
        return;
    }

    if (ngx_http_ors_scope_store(r, scope) != NGX_OK) {
        return;
    }

    ngx_log_error(NGX_LOG_WARN, r->connection->log, 0,
                  "%s of scope %02xd%02xd%02xd%02xd is not kept in store "
                  "\"%V\": %V", what, scope[0], scope[1], scope[2], scope[3],
                  &session->store->name, ngx_http_ors_store_strerror(status));
}


/*
 * The request has ended.  A client that has left in the middle of a stream
 * knows the id of its response: what was finished by then is kept (E68)
 */

static void
ngx_http_ors_store_cleanup(void *data)
{
    ngx_http_ors_session_t  *session = data;

    ngx_ors_turn_t       *turn;
    ngx_ors_store_job_t  *job;

    turn = session->ctx->turn;

    if (session->job) {
        ngx_ors_store_release(session->job);
        session->job = NULL;
    }

    if (session->chain) {
        ngx_ors_store_release(session->chain);
        session->chain = NULL;
    }

    if (session->ctx->detached || !turn->request.stored
        || !turn->builder.started
        || turn->state == ngx_ors_turn_st_over
        || session->state == ngx_http_ors_session_st_commit)
    {
        return;
    }

    session->state = ngx_http_ors_session_st_commit;

    turn->response.status = ngx_ors_response_cancelled;

    job = ngx_http_ors_store_record(session, ngx_ors_record_cancelled, 0);

    if (job) {
        ngx_ors_store_post(job);
    }
}
