
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Conversations that clients make, change and add items to: items are stored as
 * a turn that has no model.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_ors_body.h>
#include <ngx_ors_context.h>
#include <ngx_ors_hold.h>
#include <ngx_ors_id.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_stored.h>


#define NGX_HTTP_ORS_CONVERSATION_BLOCK  1024


/* kinds of a POST */

typedef enum {
    ngx_http_ors_conversation_create = 0,
    ngx_http_ors_conversation_update,
    ngx_http_ors_conversation_add
} ngx_http_ors_conversation_e;


/* lives as long as its request */

typedef struct {
    ngx_http_ors_ctx_t           *ctx;
    ngx_http_ors_conversation_e   kind;
    ngx_ors_turn_t               *turn;       /* checks what the client says */
    ngx_ors_conversation_t        conversation;
    ngx_ors_store_job_t          *job;        /* of the conversation */
    ngx_str_t                     metadata;   /* JSON, or empty */
    ngx_str_t                     items;
    ngx_ors_out_t                 out;
} ngx_http_ors_conversation_t;


static ngx_int_t ngx_http_ors_conversation_path(ngx_str_t *path,
    ngx_str_t *id, ngx_http_ors_conversation_e *kind);
static void ngx_http_ors_conversation_body(ngx_http_request_t *r);
static ngx_int_t ngx_http_ors_conversation_begin(
    ngx_http_ors_conversation_t *cv);
static ngx_int_t ngx_http_ors_conversation_read(
    ngx_http_ors_conversation_t *cv, ngx_str_t *body);
static ngx_int_t ngx_http_ors_conversation_check(
    ngx_http_ors_conversation_t *cv);
static ngx_int_t ngx_http_ors_conversation_rename(
    ngx_http_ors_conversation_t *cv, ngx_str_t *text, size_t pos);
static ngx_int_t ngx_http_ors_conversation_refuse(
    ngx_http_ors_conversation_t *cv, ngx_ors_code_e code, char *param,
    char *text);
static ngx_int_t ngx_http_ors_conversation_job(
    ngx_http_ors_conversation_t *cv, ngx_ors_store_op_e op);
static void ngx_http_ors_conversation_handler(ngx_ors_store_job_t *job);
static ngx_int_t ngx_http_ors_conversation_next(
    ngx_http_ors_conversation_t *cv, ngx_ors_store_job_t *job);
static ngx_int_t ngx_http_ors_conversation_session(
    ngx_http_ors_conversation_t *cv);
static void ngx_http_ors_conversation_loaded(ngx_ors_store_job_t *job);
static ngx_int_t ngx_http_ors_conversation_step(
    ngx_http_ors_conversation_t *cv, ngx_ors_session_event_e event);
static ngx_int_t ngx_http_ors_conversation_added(
    ngx_http_ors_conversation_t *cv);
static ngx_int_t ngx_http_ors_conversation_items(
    ngx_http_ors_conversation_t *cv);
static void ngx_http_ors_conversation_answer(ngx_http_ors_conversation_t *cv,
    ngx_int_t rc);
static void ngx_http_ors_conversation_cleanup(void *data);


ngx_int_t
ngx_http_ors_conversation(ngx_http_request_t *r)
{
    ngx_int_t                     rc;
    ngx_str_t                     path, id;
    ngx_http_cleanup_t           *cln;
    ngx_http_ors_ctx_t           *ctx;
    ngx_http_ors_loc_conf_t      *olcf;
    ngx_http_ors_conversation_t  *cv;
    ngx_http_ors_conversation_e   kind;

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    if (olcf->stored.store == NULL || r->method != NGX_HTTP_POST
        || ngx_http_ors_endpoint_below(r, &ngx_http_ors_conversations, &path)
           != NGX_OK
        || ngx_http_ors_conversation_path(&path, &id, &kind) != NGX_OK)
    {
        return NGX_DECLINED;
    }

    if (ngx_ors_media(&r->headers_in.headers)) {
        ngx_http_ors_stats_refused(r, NGX_HTTP_UNSUPPORTED_MEDIA_TYPE);
        return NGX_HTTP_UNSUPPORTED_MEDIA_TYPE;
    }

    ctx = ngx_http_ors_ctx_create(r);
    cv = ngx_pcalloc(r->pool, sizeof(ngx_http_ors_conversation_t));
    cln = ngx_http_cleanup_add(r, 0);

    if (ctx == NULL || cv == NULL || cln == NULL
        || ngx_http_ors_scope_store(ctx) != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    cv->ctx = ctx;
    cv->kind = kind;
    cv->conversation.id = id;

    ngx_ors_out_init(&cv->out, r->pool, NGX_HTTP_ORS_CONVERSATION_BLOCK);

    cln->handler = ngx_http_ors_conversation_cleanup;
    cln->data = cv;

    ctx->cleanup = cln;
    ctx->endpoint = ngx_ors_endpoint(ngx_ors_endpoint_responses);

    r->disable_not_modified = 1;
    r->request_body_in_single_buf = 1;

    rc = ngx_http_read_client_request_body(r, ngx_http_ors_conversation_body);

    return (rc >= NGX_HTTP_SPECIAL_RESPONSE) ? rc : NGX_DONE;
}


/* "/conversations" is followed by nothing, an id, or an id and "/items" */

static ngx_int_t
ngx_http_ors_conversation_path(ngx_str_t *path, ngx_str_t *id,
    ngx_http_ors_conversation_e *kind)
{
    u_char  *p, *last;

    static ngx_str_t  items = ngx_string("/items");

    ngx_str_null(id);
    *kind = ngx_http_ors_conversation_create;

    if (path->len == 1) {
        return NGX_OK;
    }

    p = path->data + sizeof("s/") - 1;
    last = path->data + path->len;

    id->data = p;
    p = ngx_strlchr(p, last, '/');
    id->len = (p ? p : last) - id->data;

    *kind = p ? ngx_http_ors_conversation_add
              : ngx_http_ors_conversation_update;

    return (id->len && id->len <= NGX_ORS_ID_MAX
            && (p == NULL || ((size_t) (last - p) == items.len
                              && ngx_memcmp(p, items.data, items.len) == 0)))
           ? NGX_OK : NGX_DECLINED;
}


static void
ngx_http_ors_conversation_body(ngx_http_request_t *r)
{
    ngx_int_t                     rc;
    ngx_http_ors_ctx_t           *ctx;
    ngx_http_ors_conversation_t  *cv;

    ctx = ngx_http_get_module_ctx(r, ngx_http_open_responses_module);
    cv = ctx->cleanup->data;

    r->write_event_handler = ngx_http_request_empty_handler;

    rc = ngx_http_ors_conversation_begin(cv);

    if (rc == NGX_AGAIN && ngx_http_ors_watch(r) != NGX_OK) {
        rc = NGX_ERROR;
    }

    ngx_http_ors_conversation_answer(cv, rc);
}


/* NGX_OK, NGX_AGAIN: a job runs, NGX_DONE: cv->turn->error, NGX_ERROR */

static ngx_int_t
ngx_http_ors_conversation_begin(ngx_http_ors_conversation_t *cv)
{
    ngx_int_t                 rc;
    ngx_str_t                 body;
    ngx_ors_id_t              ids;
    ngx_http_request_t       *r;
    ngx_http_ors_ctx_t       *ctx;
    ngx_http_ors_loc_conf_t  *olcf;

    ctx = cv->ctx;
    r = ctx->request;
    olcf = ctx->conf;

    cv->turn = ngx_ors_turn_create(ctx->endpoint, &olcf->policy, &olcf->limits,
                                   r->pool, r->connection->log);

    if (cv->turn == NULL || ngx_http_ors_body(r, &body) != NGX_OK) {
        return NGX_ERROR;
    }

    rc = ngx_http_ors_body_decode(r, &body, 0, &cv->turn->error);

    if (rc == NGX_OK && ctx->ownerless) {
        rc = ngx_http_ors_scope_refuse(r, &cv->turn->error);
        rc = (rc == NGX_OK) ? NGX_DECLINED : NGX_ERROR;
    }

    if (rc == NGX_OK) {
        rc = ngx_http_ors_conversation_read(cv, &body);
    }

    if (rc == NGX_OK && cv->kind == ngx_http_ors_conversation_create) {
        rc = ngx_ors_id_init(&ids, r->connection->log);

        if (rc == NGX_OK) {
            rc = ngx_ors_id_make(&ids, r->pool, "conv", &cv->conversation.id);
        }
    }

    if (rc == NGX_OK) {
        rc = ngx_http_ors_conversation_check(cv);
    }

    if (rc != NGX_OK) {
        return (rc == NGX_ERROR) ? NGX_ERROR : NGX_DONE;
    }

    switch (cv->kind) {

    case ngx_http_ors_conversation_create:
        cv->conversation.created = ngx_time();
        cv->conversation.metadata = cv->metadata;

        return ngx_http_ors_conversation_job(cv, ngx_ors_store_put);

    case ngx_http_ors_conversation_update:
        return ngx_http_ors_conversation_job(cv, ngx_ors_store_get);

    case ngx_http_ors_conversation_add:
        break;
    }

    return ngx_http_ors_conversation_session(cv);
}


/* NGX_OK, NGX_DECLINED, NGX_ERROR */

static ngx_int_t
ngx_http_ors_conversation_read(ngx_http_ors_conversation_t *cv,
    ngx_str_t *body)
{
    u_char                buf[NGX_ORS_JSON_REASON];
    ngx_int_t             rc;
    ngx_str_t             reason;
    ngx_ors_json_t        json;
    ngx_ors_json_node_t  *metadata, *items;

    static ngx_str_t  none = ngx_string("{}");

    ngx_ors_json_init(&json, cv->turn->pool, cv->turn->limits->depth,
                      cv->turn->limits->nodes);

    /* a conversation may be made without a body */

    if (body->len == 0 && cv->kind == ngx_http_ors_conversation_create) {
        *body = none;
    }

    rc = ngx_ors_json_read(&json, body->data, body->len);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (rc != NGX_OK) {
        reason.data = buf;
        reason.len = ngx_ors_json_reason(&json, buf) - buf;

        return ngx_ors_error_set(&cv->turn->error, cv->turn->pool,
                                 ngx_ors_code_invalid_json,
                                 "the request's body %V", &reason);
    }

    if (json.nodes->type != ngx_ors_json_object) {
        return ngx_http_ors_conversation_refuse(cv, ngx_ors_code_invalid_type,
                                                "",
                                                "the request's body must be "
                                                "an object");
    }

    metadata = ngx_ors_json_find(&json, json.nodes, "metadata");
    items = ngx_ors_json_find(&json, json.nodes, "items");

    cv->metadata = none;

    if (metadata && metadata->type != ngx_ors_json_null) {

        if (metadata->type != ngx_ors_json_object) {
            return ngx_http_ors_conversation_refuse(cv,
                                                   ngx_ors_code_invalid_type,
                                                   "metadata",
                                                   "\"metadata\" must be an "
                                                   "object");
        }

        ngx_ors_json_raw(&json, metadata, &cv->metadata);

    } else if (cv->kind == ngx_http_ors_conversation_update) {
        return ngx_http_ors_conversation_refuse(cv,
                                    ngx_ors_code_missing_required_parameter,
                                    "metadata", "\"metadata\" is required");
    }

    if (items && items->type != ngx_ors_json_null
        && cv->kind != ngx_http_ors_conversation_update)
    {
        if (items->type != ngx_ors_json_array) {
            return ngx_http_ors_conversation_refuse(cv,
                                                   ngx_ors_code_invalid_type,
                                                   "items",
                                                   "\"items\" must be an "
                                                   "array");
        }

        if (items->count) {
            ngx_ors_json_raw(&json, items, &cv->items);
        }
    }

    if (cv->items.len == 0 && cv->kind == ngx_http_ors_conversation_add) {
        return ngx_http_ors_conversation_refuse(cv,
                                    ngx_ors_code_missing_required_parameter,
                                    "items", "\"items\" is required");
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_ors_conversation_refuse(ngx_http_ors_conversation_t *cv,
    ngx_ors_code_e code, char *param, char *text)
{
    (void) ngx_ors_error_set(&cv->turn->error, cv->turn->pool, code, "%s",
                             text);

    return ngx_ors_error_param(&cv->turn->error, param);
}


/*
 * Items are those of a request to a model, whose checks they pass: "input" of
 * that is called "items" here.  NGX_OK, NGX_DONE, NGX_ERROR.
 */

static ngx_int_t
ngx_http_ors_conversation_check(ngx_http_ors_conversation_t *cv)
{
    ngx_int_t      rc;
    ngx_str_t      body;
    ngx_ors_out_t  out;

    /* in every flavor: conversations are of OpenAI's API */

    ngx_ors_turn_profile(cv->turn,
                         (cv->ctx->conf->policy.profile & NGX_ORS_IN_STRICT)
                         ? NGX_ORS_STRICT_OPENAI : NGX_ORS_TOLERANT_OPENAI);

    ngx_ors_out_init(&out, cv->turn->pool, NGX_HTTP_ORS_CONVERSATION_BLOCK);

    ngx_ors_out_lit(&out, "{\"model\":\"conversation\",\"conversation\":");
    ngx_ors_json_quote(&out, cv->conversation.id.data,
                       cv->conversation.id.len);
    ngx_ors_out_lit(&out, ",\"metadata\":");
    ngx_ors_out_str(&out, &cv->metadata);
    ngx_ors_out_lit(&out, ",\"input\":");

    if (cv->items.len) {
        ngx_ors_out_ref(&out, cv->items.data, cv->items.len);

    } else {
        ngx_ors_out_lit(&out, "\"\"");
    }

    ngx_ors_out_lit(&out, "}");

    if (ngx_ors_out_text(&out, &body) != NGX_OK) {
        return NGX_ERROR;
    }

    rc = ngx_ors_turn_request(cv->turn, &body);

    if (rc == NGX_DONE
        && (ngx_http_ors_conversation_rename(cv, &cv->turn->error.param, 0)
            != NGX_OK
            || ngx_http_ors_conversation_rename(cv, &cv->turn->error.message, 1)
               != NGX_OK))
    {
        return NGX_ERROR;
    }

    return rc;
}


/* both names have five letters; a text may be static */

static ngx_int_t
ngx_http_ors_conversation_rename(ngx_http_ors_conversation_t *cv,
    ngx_str_t *text, size_t pos)
{
    static ngx_str_t  input = ngx_string("input");

    if (text->len < pos + input.len
        || ngx_memcmp(text->data + pos, input.data, input.len) != 0)
    {
        return NGX_OK;
    }

    if (ngx_ors_str_copy(text, cv->turn->pool, text) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_memcpy(text->data + pos, "items", input.len);

    return NGX_OK;
}


/* reads or writes what is stored of the conversation */

static ngx_int_t
ngx_http_ors_conversation_job(ngx_http_ors_conversation_t *cv,
    ngx_ors_store_op_e op)
{
    ngx_ors_store_t        *store;
    ngx_ors_store_job_t    *job;
    ngx_ors_store_entry_t  *entry;

    store = cv->ctx->conf->stored.store;

    job = ngx_ors_store_job(store, op, 1);
    if (job == NULL) {
        return NGX_ERROR;
    }

    ngx_ors_store_drop(&cv->job);

    cv->job = job;
    entry = job->entries;

    if (ngx_ors_key(cv->ctx->owner, ngx_ors_key_conversation,
                    &cv->conversation.id, &entry->key)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (op == ngx_ors_store_put) {
        entry->expires = ngx_time() + store->ttl;

        if (ngx_ors_conversation_write(&cv->conversation, job->pool,
                                       &entry->value)
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    ngx_http_ors_job_post(cv->ctx->request, job,
                          ngx_http_ors_conversation_handler, cv);

    return NGX_AGAIN;
}


static void
ngx_http_ors_conversation_handler(ngx_ors_store_job_t *job)
{
    ngx_connection_t             *c;
    ngx_http_ors_conversation_t  *cv;

    cv = job->data;
    c = ngx_http_ors_job_done(cv->ctx->request, job);

    ngx_http_ors_conversation_answer(cv,
                                     ngx_http_ors_conversation_next(cv, job));

    ngx_http_run_posted_requests(c);
}


static ngx_int_t
ngx_http_ors_conversation_next(ngx_http_ors_conversation_t *cv,
    ngx_ors_store_job_t *job)
{
    ngx_int_t               rc;
    ngx_ors_store_entry_t  *entry;

    entry = job->entries;

    if (job->status == ngx_ors_store_ok && job->op == ngx_ors_store_get) {

        if (entry->value.data == NULL) {
            (void) ngx_http_ors_conversation_refuse(cv, ngx_ors_code_not_found,
                                           "",
                                           "there is no conversation with this "
                                           "id");
            ngx_ors_error_id(&cv->turn->error, cv->turn->pool,
                             &cv->conversation.id);
            return NGX_DONE;
        }

        rc = ngx_ors_conversation_read(&cv->conversation, &entry->value,
                                       cv->turn->pool);

        if (rc == NGX_OK) {
            cv->conversation.metadata = cv->metadata;
            return ngx_http_ors_conversation_job(cv, ngx_ors_store_put);
        }

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        job->status = ngx_ors_store_corrupt;
    }

    if (job->status != ngx_ors_store_ok) {
        ngx_log_error(NGX_LOG_ERR, cv->ctx->request->connection->log, 0,
                      "store \"%V\" has failed: %V", &job->store->name,
                      ngx_ors_session_strerror(job->status));

        (void) ngx_http_ors_conversation_refuse(cv,
                                      ngx_ors_code_store_unavailable, "",
                                      "stored conversations cannot be reached "
                                      "at the moment, try again later");
        return NGX_DONE;
    }

    return (cv->kind == ngx_http_ors_conversation_create && cv->items.len)
           ? ngx_http_ors_conversation_session(cv) : NGX_OK;
}


/* items: a turn that goes on from the last one, and ends there */

static ngx_int_t
ngx_http_ors_conversation_session(ngx_http_ors_conversation_t *cv)
{
    ngx_int_t            rc;
    ngx_http_ors_ctx_t  *ctx;

    ctx = cv->ctx;
    ctx->turn = cv->turn;

    rc = ngx_http_ors_session_init(ctx);

    if (rc != NGX_OK) {
        return rc;
    }

    ctx->session->required = 1;
    ngx_memcpy(ctx->session->scope, ctx->owner, NGX_ORS_DIGEST_LEN);

    ngx_ors_session_settle(ctx->session, cv->turn, 1, 0);

    return ngx_http_ors_conversation_step(cv, ngx_ors_session_ev_load);
}


static void
ngx_http_ors_conversation_loaded(ngx_ors_store_job_t *job)
{
    ngx_connection_t             *c;
    ngx_http_ors_conversation_t  *cv;

    cv = job->data;
    c = ngx_http_ors_job_done(cv->ctx->request, job);

    ngx_http_ors_conversation_answer(cv,
        ngx_http_ors_conversation_step(cv, ngx_ors_session_ev_done));

    ngx_http_run_posted_requests(c);
}


static ngx_int_t
ngx_http_ors_conversation_step(ngx_http_ors_conversation_t *cv,
    ngx_ors_session_event_e event)
{
    ngx_int_t            rc;
    ngx_http_ors_ctx_t  *ctx;
    ngx_ors_session_t   *session;

    ctx = cv->ctx;
    session = ctx->session;

    rc = ngx_ors_session_step(session, event);

    if (rc == NGX_OK && session->state == ngx_ors_session_st_ready) {
        ngx_ors_session_hold(session, &ctx->hold);
        ngx_ors_turn_became(cv->turn, ngx_ors_response_completed);

        rc = ngx_ors_session_step(session, ngx_ors_session_ev_commit);
    }

    if (rc == NGX_AGAIN && !session->job->posted) {

        if (session->job->op == ngx_ors_store_chain
            && ngx_ors_session_reserve(session, &ctx->hold) != NGX_OK)
        {
            return ngx_ors_session_crowded(session);
        }

        ngx_http_ors_job_post(ctx->request, session->job,
                              ngx_http_ors_conversation_loaded, cv);
    }

    return (rc == NGX_OK) ? ngx_http_ors_conversation_added(cv) : rc;
}


static ngx_int_t
ngx_http_ors_conversation_added(ngx_http_ors_conversation_t *cv)
{
    if (cv->turn->error.status) {
        return NGX_DONE;
    }

    return (cv->kind == ngx_http_ors_conversation_add)
           ? ngx_http_ors_conversation_items(cv) : NGX_OK;
}


/* a list of what was added */

static ngx_int_t
ngx_http_ors_conversation_items(ngx_http_ors_conversation_t *cv)
{
    u_char              text[NGX_ORS_ID_LEN];
    ngx_str_t           query, token, list;
    ngx_ors_out_t       out;
    ngx_ors_index_t     index;
    ngx_ors_listing_t   listing;

    ngx_str_set(&query, "order=asc&limit=100");

    ngx_ors_index_init(&index, cv->turn->pool);
    ngx_ors_out_init(&out, cv->turn->pool, NGX_HTTP_ORS_CONVERSATION_BLOCK);

    ngx_ors_context_own(&cv->turn->request, &index, &out);

    token.data = text;
    token.len = NGX_ORS_ID_LEN;

    if (index.failed
        || ngx_ors_out_text(&out, &list) != NGX_OK
        || ngx_ors_token(&cv->turn->response.id, text) != NGX_OK)
    {
        return NGX_ERROR;
    }

    index.text = list;

    if (ngx_ors_listing_init(&listing, &query, cv->turn->pool,
                             &cv->turn->error)
        != NGX_OK
        || ngx_ors_listing_add(&listing, &index, &token) == NGX_ERROR)
    {
        return NGX_ERROR;
    }

    return (ngx_ors_listing_render(&listing, &cv->out, &cv->turn->error)
            == NGX_OK)
           ? NGX_OK : NGX_ERROR;
}


/* NGX_AGAIN: later */

static void
ngx_http_ors_conversation_answer(ngx_http_ors_conversation_t *cv,
    ngx_int_t rc)
{
    ngx_ors_error_t     *err;
    ngx_http_request_t  *r;

    if (rc == NGX_AGAIN) {
        return;
    }

    r = cv->ctx->request;

    if (rc == NGX_OK) {

        if (cv->kind != ngx_http_ors_conversation_add) {
            ngx_ors_conversation_render(&cv->conversation, &cv->out);
        }

        ngx_http_finalize_request(r, ngx_http_ors_document(r, NGX_HTTP_OK,
                                                           &cv->out));
        return;
    }

    if (rc != NGX_DONE) {
        ngx_http_finalize_request(r, NGX_HTTP_INTERNAL_SERVER_ERROR);
        return;
    }

    err = &cv->turn->error;
    cv->ctx->header_sent = 1;

    ngx_http_ors_stats_error(r, err);

    ngx_http_finalize_request(r, ngx_http_ors_error_send(r, err));
}


static void
ngx_http_ors_conversation_cleanup(void *data)
{
    ngx_http_ors_conversation_t *cv = data;

    ngx_ors_store_drop(&cv->job);
    ngx_http_ors_session_close(cv->ctx);
}
