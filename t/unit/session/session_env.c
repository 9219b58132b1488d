
/*
 * Copyright (C) Open Responses contributors
 */


/* A store in memory and a chat server for the tests of sessions. */


#include <ngx_ors_test_request.h>

#include "session_env.h"


static ngx_uint_t env_down(ngx_ors_store_t *store);
static env_entry_t *env_find(env_t *env, ngx_ors_store_key_t *key);
static void env_get(env_t *env, ngx_ors_store_entry_t *entries, ngx_uint_t n);
static void env_put(env_t *env, ngx_ors_store_job_t *job);
static void env_chain(env_t *env, ngx_ors_store_job_t *job);
static void env_feed(env_request_t *r, const char *type, const char *text);
static u_char *env_text(ngx_pool_t *pool, const char *text, size_t *len);


static const char  env_chat_answer[] =
    "{'id':'c','object':'chat.completion','created':1,'model':'m',"
    "'choices':[{'index':0,'finish_reason':'stop','message':"
    "{'role':'assistant','content':'Hi'}}]}";

static const char  env_stream_answer[] =
    "data: {'id':'c','object':'chat.completion.chunk','created':1,"
    "'model':'m','choices':[{'index':0,'finish_reason':'stop','delta':"
    "{'role':'assistant','content':'Hi'}}]}\n\ndata: [DONE]\n\n";


void
env_init(env_t *env)
{
    static ngx_ors_limits_t  limits = limits_default();

    memset(env, 0, sizeof(env_t));

    env->pool = ngx_ors_test_pool();
    env->limits = limits;
    env->scope = 's';
    env->dialect = ngx_ors_dialect_chat;

    env->engine.down = env_down;

    env->store.engine = &env->engine;
    ngx_str_set(&env->store.name, "main");
    env->store.ttl = 1000;
    env->store.record = 1048576;
    env->store.log = ngx_ors_test_log();
    env->store.state = env;
}


void
env_done(env_t *env)
{
    ngx_destroy_pool(env->pool);
}


static ngx_uint_t
env_down(ngx_ors_store_t *store)
{
    env_t  *env;

    env = store->state;

    return env->down;
}


void
env_request(env_t *env, env_request_t *r, const char *body)
{
    ngx_str_t           text;
    ngx_ors_session_t  *session;

    memset(r, 0, sizeof(env_request_t));

    r->env = env;

    text.data = env_text(env->pool, body, &text.len);

    r->turn = ngx_ors_turn_create(ngx_ors_endpoint(ngx_ors_endpoint_responses),
                                  &ngx_ors_test_policy, &env->limits,
                                  env->pool, ngx_ors_test_log());

    r->turn->request.detached = env->detached;
    r->turn->retries_left = 1;

    is_int(ngx_ors_turn_request(r->turn, &text), NGX_OK, "read: %.40s", body);

    session = ngx_pcalloc(env->pool, sizeof(ngx_ors_session_t));

    session->store = &env->store;
    session->required = env->required;

    r->session = session;
    r->rc = ngx_ors_session_init(session, r->turn);

    memset(session->scope, env->scope, NGX_ORS_STORE_KEY);

    if (r->rc == NGX_OK) {
        ngx_ors_session_settle(session, r->turn,
                               ngx_ors_turn_translates(r->turn, env->dialect),
                               env->inline_context);
    }
}


static u_char *
env_text(ngx_pool_t *pool, const char *text, size_t *len)
{
    u_char  *copy;

    *len = strlen(text);

    copy = ngx_pnalloc(pool, *len + 1);
    *ngx_ors_test_quotes(copy, text, *len) = '\0';

    return copy;
}


char *
env_body(env_t *env, const char *fmt, ngx_str_t *id)
{
    size_t   size;
    char    *body;

    size = strlen(fmt) + id->len + 1;
    body = ngx_pnalloc(env->pool, size);

    snprintf(body, size, fmt, (int) id->len, (char *) id->data);

    return body;
}


ngx_int_t
env_step(env_request_t *r, ngx_ors_session_event_e event)
{
    r->rc = ngx_ors_session_step(r->session, event);

    return r->rc;
}


ngx_int_t
env_fail(env_request_t *r, ngx_ors_store_status_e status)
{
    r->session->job->status = status;

    return env_step(r, ngx_ors_session_ev_done);
}


ngx_int_t
env_run(env_request_t *r)
{
    env_job(r->env, r->session->job);

    return env_step(r, ngx_ors_session_ev_done);
}


ngx_int_t
env_load(env_request_t *r)
{
    (void) env_step(r, ngx_ors_session_ev_load);

    while (r->rc == NGX_AGAIN) {
        (void) env_run(r);
    }

    return r->rc;
}


void
env_call(env_request_t *r)
{
    ngx_str_t      model = ngx_null_string;
    ngx_chain_t   *cl;
    ngx_ors_out_t  out;

    ngx_ors_out_init(&out, r->env->pool, 4096);

    is_int(ngx_ors_turn_call(r->turn, r->env->dialect, &ngx_ors_chat_options,
                             &model, &out),
           NGX_OK, "the target is called");

    (void) ngx_ors_out_take(&out, &cl);
}


void
env_answer(env_request_t *r)
{
    env_call(r);

    if (r->turn->request.stream) {
        env_feed(r, "text/event-stream", env_stream_answer);

    } else {
        env_feed(r, "application/json", env_chat_answer);
    }
}


static void
env_feed(env_request_t *r, const char *type, const char *text)
{
    ngx_buf_t  b;
    ngx_str_t  name;

    name.len = strlen(type);
    name.data = (u_char *) type;

    (void) ngx_ors_turn_header(r->turn, 200, &name, -1);

    memset(&b, 0, sizeof(ngx_buf_t));

    b.memory = 1;
    b.pos = env_text(r->env->pool, text, &name.len);
    b.last = b.pos + name.len;

    if (ngx_ors_turn_data(r->turn, &b) == NGX_OK) {
        (void) ngx_ors_turn_end(r->turn, 0, 1);
    }
}


ngx_str_t *
env_turn(env_t *env, const char *body)
{
    env_request_t  r;

    env_request(env, &r, body);

    is_int(env_load(&r), NGX_OK, "its context is there");

    env_answer(&r);

    is_int(r.turn->state, ngx_ors_turn_st_commit, "it is to be stored");
    is_int(env_step(&r, ngx_ors_session_ev_commit), NGX_AGAIN, "by a job");
    is_int(env_run(&r), NGX_OK, "it is stored");
    is_int(r.turn->state, ngx_ors_turn_st_over, "the turn is over");

    env_close(&r);

    return &r.turn->response.id;
}


void
env_approve(env_request_t *r, char *id)
{
    ngx_ors_approval_t  *approval;

    approval = ngx_pcalloc(r->turn->pool, sizeof(ngx_ors_approval_t));

    approval->state = ngx_ors_approval_approved;
    approval->id.data = (u_char *) id;
    approval->id.len = ngx_strlen(id);

    r->turn->approvals.elts = approval;
    r->turn->approvals.n = 1;
    r->turn->approvals.napproved = 1;
}


void
env_close(env_request_t *r)
{
    if (env_step(r, ngx_ors_session_ev_close) == NGX_AGAIN) {
        env_job(r->env, r->session->job);
        ngx_ors_store_release(r->session->job);
        r->session->job = NULL;
    }
}


void
env_job(env_t *env, ngx_ors_store_job_t *job)
{
    ngx_uint_t    i;
    env_entry_t  *entry;

    env->jobs++;
    job->status = ngx_ors_store_ok;

    switch (job->op) {

    case ngx_ors_store_get:
        env_get(env, job->entries, job->n);
        break;

    case ngx_ors_store_chain:
        env_chain(env, job);
        env_get(env, job->others, job->nothers);
        break;

    case ngx_ors_store_add:

        /* all jobs that add have one entry */

        job->entries[0].there = (env_find(env, &job->entries[0].key) != NULL);

        if (job->entries[0].there) {
            break;
        }

        /* fall through */

    case ngx_ors_store_put:
        env_put(env, job);
        break;

    case ngx_ors_store_delete:

        for (i = 0; i < job->n; i++) {
            entry = env_find(env, &job->entries[i].key);

            if (entry) {
                job->entries[i].value = entry->value;
                memset(&entry->key, 0xff, sizeof(ngx_ors_store_key_t));
            }
        }

        break;
    }
}


static void
env_get(env_t *env, ngx_ors_store_entry_t *entries, ngx_uint_t n)
{
    ngx_uint_t    i;
    env_entry_t  *entry;

    for (i = 0; i < n; i++) {
        entry = env_find(env, &entries[i].key);

        if (entry) {
            entries[i].value = entry->value;
            entries[i].expires = entry->expires;
        }
    }
}


static env_entry_t *
env_find(env_t *env, ngx_ors_store_key_t *key)
{
    ngx_uint_t  i;

    for (i = 0; i < env->n; i++) {

        if (memcmp(&env->entries[i].key, key, sizeof(ngx_ors_store_key_t))
            == 0)
        {
            return &env->entries[i];
        }
    }

    return NULL;
}


static void
env_put(env_t *env, ngx_ors_store_job_t *job)
{
    ngx_uint_t              i;
    env_entry_t            *entry;
    ngx_ors_store_entry_t  *from;

    if (job->large) {
        job->status = ngx_ors_store_large;
        return;
    }

    for (i = 0; i < job->n; i++) {
        from = &job->entries[i];
        entry = env_find(env, &from->key);

        if (from->value.data == NULL && entry == NULL) {
            continue;
        }

        if (entry == NULL) {
            entry = &env->entries[env->n++];
            entry->key = from->key;
        }

        entry->expires = from->expires;

        if (from->value.data) {
            entry->value.len = from->value.len;
            entry->value.data = ngx_pstrdup(env->pool, &from->value);
        }
    }
}


/* no chain of a test is longer than the ancestors that a record names */

static void
env_chain(env_t *env, ngx_ors_store_job_t *job)
{
    size_t                  size;
    ngx_uint_t              i, n;
    env_entry_t            *entry;
    ngx_ors_record_t        rec;
    ngx_ors_store_key_t     key;
    ngx_ors_store_entry_t  *entries;

    entry = env_find(env, &job->entries[0].key);

    if (entry == NULL) {
        job->status = ngx_ors_store_absent;
        return;
    }

    if (ngx_ors_record_read(&rec, &entry->value) != NGX_OK) {
        job->entries[0].value = entry->value;
        return;
    }

    n = rec.nancestors + 1;
    size = 0;
    key = job->entries[0].key;

    entries = ngx_pcalloc(job->pool, n * sizeof(ngx_ors_store_entry_t));

    for (i = 0; i < n; i++) {

        if (i) {
            memcpy(key.name, rec.ancestors + (i - 1) * NGX_ORS_STORE_KEY,
                   NGX_ORS_STORE_KEY);
        }

        entry = env_find(env, &key);

        if (entry == NULL) {
            job->status = ngx_ors_store_absent;
            return;
        }

        entries[n - 1 - i].key = key;
        entries[n - 1 - i].value = entry->value;
        entries[n - 1 - i].expires = entry->expires;

        size += entry->value.len;
    }

    if (n > job->max_turns || size > job->max_size) {
        job->status = ngx_ors_store_limit;
        return;
    }

    job->entries = entries;
    job->n = n;
}
