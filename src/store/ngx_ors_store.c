
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A store: its jobs, which are made, posted to the engine, timed, given back
 * and released; the directive that defines and uses stores.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_store.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_names.h>
#include <ngx_ors_seal.h>


#define NGX_ORS_STORE_POOL  1024

#define NGX_ORS_STORE_TTL      (30 * 24 * 60 * 60)

/* the end of a record's life is a time_t */
#if (NGX_TIME_T_SIZE == 4)
#define NGX_ORS_STORE_TTL_MAX  (365 * 24 * 60 * 60)
#else
#define NGX_ORS_STORE_TTL_MAX  (100 * 365 * 24 * 60 * 60LL)
#endif

#define NGX_ORS_STORE_TIMEOUT  5000

#define NGX_ORS_STORE_RECORD      (16 * 1024 * 1024)
#define NGX_ORS_STORE_RECORD_MIN  4096


static void ngx_ors_store_timer_handler(ngx_event_t *ev);
static void ngx_ors_store_timer_end(ngx_ors_store_job_t *job);
static void ngx_ors_store_event_handler(ngx_event_t *ev);
static char *ngx_ors_store_define(ngx_conf_t *cf, ngx_array_t *stores,
    ngx_str_t *value);
static ngx_int_t ngx_ors_store_address(ngx_conf_t *cf, ngx_ors_store_t *store,
    ngx_str_t *value);
static char *ngx_ors_store_param(ngx_conf_t *cf, ngx_ors_store_t *store,
    ngx_str_t *param);
static ngx_int_t ngx_ors_store_set_key(ngx_conf_t *cf,
    ngx_ors_conf_param_t *param, ngx_str_t *value, void *field);
static char *ngx_ors_store_use(ngx_conf_t *cf, ngx_array_t *stores,
    ngx_ors_store_use_t *use, ngx_str_t *value);
static ngx_ors_store_t *ngx_ors_store_named(ngx_conf_t *cf,
    ngx_array_t *stores, ngx_str_t *name);


char  *ngx_ors_store_ops[] = { "get", "chain", "put", "delete", "add" };


/* those of all engines; 0: a scope has no bound */

static ngx_ors_conf_param_t  ngx_ors_store_params[] = {

    { ngx_string("ttl="), ngx_ors_conf_param_sec,
      offsetof(ngx_ors_store_t, ttl), 1, NGX_ORS_STORE_TTL_MAX, NULL,
      "a time of at least a second" },

    { ngx_string("timeout="), ngx_ors_conf_param_msec,
      offsetof(ngx_ors_store_t, timeout), 1, 0, NULL, "a time above zero" },

    { ngx_string("record="), ngx_ors_conf_param_size,
      offsetof(ngx_ors_store_t, record), NGX_ORS_STORE_RECORD_MIN, 0, NULL,
      "a size of at least 4k" },

    { ngx_string("scope_size="), ngx_ors_conf_param_offset,
      offsetof(ngx_ors_store_t, scope_size), 0, 0, NULL, "a size, or 0" },

    { ngx_string("scope_turns="), ngx_ors_conf_param_number,
      offsetof(ngx_ors_store_t, scope_turns), 0, 0, NULL, "a number" },

    { ngx_string("key="), ngx_ors_store_set_key,
      offsetof(ngx_ors_store_t, key), 0, 0, NULL, NULL },

    { ngx_null_string, NULL, 0, 0, 0, NULL, NULL }
};


ngx_ors_store_job_t *
ngx_ors_store_job(ngx_ors_store_t *store, ngx_ors_store_op_e op, ngx_uint_t n)
{
    ngx_pool_t           *pool;
    ngx_ors_store_job_t  *job;

    pool = ngx_create_pool(NGX_ORS_STORE_POOL, store->log);
    if (pool == NULL) {
        return NULL;
    }

    job = ngx_pcalloc(pool, sizeof(ngx_ors_store_job_t));
    if (job == NULL) {
        goto failed;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     job->handler = NULL;
     *     job->log.log_level = 0;
     */

    job->entries = ngx_pcalloc(pool, n * sizeof(ngx_ors_store_entry_t));
    if (job->entries == NULL) {
        goto failed;
    }

    job->op = op;
    job->n = n;
    job->store = store;
    job->pool = pool;

    /* a thread that takes memory must not write to a log */

    pool->log = &job->log;

    return job;

failed:

    ngx_destroy_pool(pool);

    return NULL;
}


void
ngx_ors_store_post(ngx_ors_store_job_t *job)
{
    job->posted = 1;
    job->dropped = (job->handler == NULL);

    if (job->large) {
        ngx_ors_store_return(job, ngx_ors_store_large);
        return;
    }

    job->timer.handler = ngx_ors_store_timer_handler;
    job->timer.data = job;
    job->timer.log = job->store->log;

    ngx_add_timer(&job->timer, job->store->timeout);

    job->store->engine->post(job);
}


static void
ngx_ors_store_timer_handler(ngx_event_t *ev)
{
    ngx_ors_store_job_t  *job;

    job = ev->data;

    ngx_log_debug2(NGX_LOG_DEBUG_EVENT, ev->log, 0,
                   "ors store \"%V\": no time left for a job: %s",
                   &job->store->name, ngx_ors_store_ops[job->op]);

    job->store->engine->timeout(job);
}


static void
ngx_ors_store_timer_end(ngx_ors_store_job_t *job)
{
    if (job->timer.timer_set) {
        ngx_del_timer(&job->timer);
    }
}


void
ngx_ors_store_release(ngx_ors_store_job_t *job)
{
    if (job->posted) {
        job->dropped = 1;
        return;
    }

    /* the log that the pool has is in its own memory */

    job->pool->log = job->store->log;

    ngx_destroy_pool(job->pool);
}


void
ngx_ors_store_drop(ngx_ors_store_job_t **job)
{
    if (*job) {
        ngx_ors_store_release(*job);
        *job = NULL;
    }
}


void
ngx_ors_store_done(ngx_ors_store_job_t *job, ngx_ors_store_status_e status)
{
    ngx_ors_store_timer_end(job);

    job->posted = 0;

    if (job->dropped) {
        ngx_ors_store_release(job);
        return;
    }

    if (job->notified) {
        return;
    }

    job->status = status;
    job->handler(job);
}


void
ngx_ors_store_tell(ngx_ors_store_job_t *job, ngx_ors_store_status_e status)
{
    job->notified = 1;
    job->status = status;

    if (!job->dropped) {
        job->handler(job);
    }
}


/* not from here: the one that has posted the job is not ready to be called */

void
ngx_ors_store_return(ngx_ors_store_job_t *job, ngx_ors_store_status_e status)
{
    ngx_ors_store_timer_end(job);

    job->status = status;

    ngx_queue_insert_tail(&job->store->over, &job->queue);
    ngx_post_event(&job->store->event, &ngx_posted_events);
}


static void
ngx_ors_store_event_handler(ngx_event_t *ev)
{
    ngx_queue_t          *q;
    ngx_ors_store_t      *store;
    ngx_ors_store_job_t  *job;

    store = ev->data;

    while (!ngx_queue_empty(&store->over)) {
        q = ngx_queue_head(&store->over);
        ngx_queue_remove(q);

        job = ngx_queue_data(q, ngx_ors_store_job_t, queue);

        ngx_ors_store_done(job, job->status);
    }
}


void
ngx_ors_store_begin(ngx_ors_store_t *store, ngx_log_t *log)
{
    ngx_queue_init(&store->over);

    store->event.handler = ngx_ors_store_event_handler;
    store->event.data = store;
    store->event.log = log;

    store->log = log;
}


void
ngx_ors_store_end(ngx_ors_store_t *store)
{
    ngx_queue_t          *q;
    ngx_ors_store_job_t  *job;

    store->engine->close(store);

    for (q = ngx_queue_head(&store->over);
         q != ngx_queue_sentinel(&store->over);
         q = ngx_queue_next(q))
    {
        job = ngx_queue_data(q, ngx_ors_store_job_t, queue);
        job->dropped = 1;
    }

    ngx_ors_store_event_handler(&store->event);

    if (store->event.posted) {
        ngx_delete_posted_event(&store->event);
    }
}


/*
 * "open_responses_store": parameters of stores, which store a location uses,
 * and the opening of stores in a worker.
 */


/*
 * open_responses_store NAME ENGINE:ADDRESS [NAME=VALUE]...;
 * open_responses_store NAME [required] [instructions=off];
 * open_responses_store off;
 */

char *
ngx_ors_store_set(ngx_conf_t *cf, ngx_array_t *stores,
    ngx_ors_store_use_t *use, ngx_uint_t define)
{
    ngx_str_t  *value;

    value = cf->args->elts;

    if (cf->args->nelts == 2
        || ngx_strlchr(value[2].data, value[2].data + value[2].len, ':')
           == NULL)
    {
        return ngx_ors_store_use(cf, stores, use, value);
    }

    if (!define) {
        ngx_ors_conf_error(cf, 0,
                           "store \"%V\" must be defined in \"http\", "
                           "here it can only be named", &value[1]);
        return NGX_CONF_ERROR;
    }

    return ngx_ors_store_define(cf, stores, value);
}


static char *
ngx_ors_store_define(ngx_conf_t *cf, ngx_array_t *stores, ngx_str_t *value)
{
    char             *rv;
    ngx_uint_t        i;
    ngx_ors_store_t  *store;

    if (ngx_strcmp(value[1].data, "off") == 0) {
        ngx_ors_conf_error(cf, 0,
                           "a store cannot have the name \"off\"");
        return NGX_CONF_ERROR;
    }

    store = ngx_ors_store_named(cf, stores, &value[1]);
    if (store == NULL) {
        return NGX_CONF_ERROR;
    }

    if (store->engine) {
        ngx_ors_conf_error(cf, 0, "store \"%V\" is duplicate",
                           &value[1]);
        return NGX_CONF_ERROR;
    }

    if (ngx_ors_store_address(cf, store, &value[2]) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    rv = store->engine->address(cf, store);

    for (i = 3; rv == NGX_CONF_OK && i < cf->args->nelts; i++) {
        rv = ngx_ors_store_param(cf, store, &value[i]);
    }

    if (rv != NGX_CONF_OK) {
        return rv;
    }

    if (store->ttl == NGX_CONF_UNSET) {
        store->ttl = NGX_ORS_STORE_TTL;
    }

    ngx_conf_init_size_value(store->record, NGX_ORS_STORE_RECORD);
    ngx_conf_init_uint_value(store->scope_turns, 0);

    ngx_conf_init_msec_value(store->timeout, NGX_ORS_STORE_TIMEOUT);

    return (store->engine->init(cf, store) == NGX_OK) ? NGX_CONF_OK
                                                      : NGX_CONF_ERROR;
}


/* ENGINE:ADDRESS */

static ngx_int_t
ngx_ors_store_address(ngx_conf_t *cf, ngx_ors_store_t *store, ngx_str_t *value)
{
    u_char     *p;
    ngx_str_t   engine;

    p = ngx_strlchr(value->data, value->data + value->len, ':');

    engine.data = value->data;
    engine.len = p - value->data;

    if (ngx_ors_store_engine(&engine, &store->engine) != NGX_OK) {
        ngx_ors_conf_error(cf, 0,
                           "invalid engine \"%V\" of store \"%V\", it must "
                           "be \"lmdb\", \"redis\" or \"location\"", &engine,
                           &store->name);
        return NGX_ERROR;
    }

    if (store->engine == NULL) {
        ngx_ors_conf_error(cf, 0,
                           "store \"%V\" needs the engine \"%V\", which this "
                           "module was built without (ORS_WITHOUT)",
                           &store->name, &engine);
        return NGX_ERROR;
    }

    store->address.data = p + 1;
    store->address.len = value->data + value->len - store->address.data;

    return NGX_OK;
}


/* the value of another engine's parameter may be a secret */

static char *
ngx_ors_store_param(ngx_conf_t *cf, ngx_ors_store_t *store, ngx_str_t *param)
{
    u_char     *p, *common, *own;
    u_char      buf[NGX_MAX_CONF_ERRSTR], words[NGX_MAX_CONF_ERRSTR];
    ngx_int_t   rc;

    const ngx_str_t  *near;

    rc = ngx_ors_conf_param(cf, ngx_ors_store_params, store, param, "store",
                            &store->name);

    if (rc == NGX_DECLINED) {
        rc = ngx_ors_conf_param(cf, store->engine->params, store->conf, param,
                                "store", &store->name);
    }

    if (rc != NGX_DECLINED) {
        return (rc == NGX_OK) ? NGX_CONF_OK : NGX_CONF_ERROR;
    }

    p = ngx_strlchr(param->data, param->data + param->len, '=');

    common = ngx_ors_conf_words(buf, ngx_ors_store_params,
                                sizeof(ngx_ors_conf_param_t), "", NULL);
    own = ngx_ors_conf_words(words, store->engine->params,
                             sizeof(ngx_ors_conf_param_t), "", NULL);

    near = ngx_ors_conf_near(ngx_ors_store_params,
                             sizeof(ngx_ors_conf_param_t), param);

    if (near == NULL) {
        near = ngx_ors_conf_near(store->engine->params,
                                 sizeof(ngx_ors_conf_param_t), param);
    }

    if (near) {
        own = ngx_slprintf(own, words + NGX_MAX_CONF_ERRSTR,
                           "; did you mean \"%V\"?", near);
    }

    ngx_ors_conf_error(cf, 0,
                       "invalid parameter \"%*s\" of store \"%V\", it must be "
                       "%*s, or of \"%V\" %*s",
                       p ? (size_t) (p - param->data) : param->len,
                       param->data, &store->name, (size_t) (common - buf),
                       buf, &store->engine->name, (size_t) (own - words),
                       words);
    return NGX_CONF_ERROR;
}


static ngx_int_t
ngx_ors_store_set_key(ngx_conf_t *cf, ngx_ors_conf_param_t *param,
    ngx_str_t *value, void *field)
{
    ngx_str_t  *key = field;

    return key->len ? NGX_BUSY : ngx_ors_secret_key(cf, value, key);
}


static char *
ngx_ors_store_use(ngx_conf_t *cf, ngx_array_t *stores,
    ngx_ors_store_use_t *use, ngx_str_t *value)
{
    ngx_uint_t  i;

    if (use->store != NGX_CONF_UNSET_PTR) {
        return "is duplicate";
    }

    if (ngx_strcmp(value[1].data, "off") == 0) {
        use->store = NULL;

    } else {
        use->store = ngx_ors_store_named(cf, stores, &value[1]);
        if (use->store == NULL) {
            return NGX_CONF_ERROR;
        }
    }

    for (i = 2; i < cf->args->nelts; i++) {

        if (use->store && ngx_strcmp(value[i].data, "required") == 0) {
            use->required = 1;

        } else if (use->store
                   && ngx_strcmp(value[i].data, "instructions=off") == 0)
        {
            use->instructions = 0;

        } else {
            ngx_ors_conf_error(cf, 0,
                               "invalid parameter \"%V\" of "
                               "\"open_responses_store %V\", it must be "
                               "\"required\" or \"instructions=off\", or, "
                               "where a store is defined, begin with "
                               "\"lmdb:\", \"redis:\" or \"location:\"",
                               &value[i], &value[1]);
            return NGX_CONF_ERROR;
        }
    }

    return NGX_CONF_OK;
}


void
ngx_ors_store_use_init(ngx_ors_store_use_t *use)
{
    use->store = NGX_CONF_UNSET_PTR;
    use->required = 0;
    use->instructions = 1;
}


void
ngx_ors_store_use_merge(ngx_ors_store_use_t *use, ngx_ors_store_use_t *prev)
{
    if (use->store == NGX_CONF_UNSET_PTR) {
        *use = *prev;
    }

    ngx_conf_init_ptr_value(use->store, NULL);
}


/* the store with that name, which may be defined later */

static ngx_ors_store_t *
ngx_ors_store_named(ngx_conf_t *cf, ngx_array_t *stores, ngx_str_t *name)
{
    ngx_uint_t        i;
    ngx_ors_store_t  *store, **list;

    list = stores->elts;

    for (i = 0; i < stores->nelts; i++) {

        if (ngx_ors_same(&list[i]->name, name)) {
            return list[i];
        }
    }

    store = ngx_pcalloc(cf->pool, sizeof(ngx_ors_store_t));
    if (store == NULL) {
        return NULL;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     store->engine = NULL;
     *     store->conf = NULL;
     *     store->key = { 0, NULL };
     *     store->state = NULL;
     */

    store->name = *name;
    store->ttl = NGX_CONF_UNSET;
    store->timeout = NGX_CONF_UNSET_MSEC;
    store->record = NGX_CONF_UNSET_SIZE;
    store->scope_size = NGX_CONF_UNSET;
    store->scope_turns = NGX_CONF_UNSET_UINT;

    ngx_ors_store_begin(store, cf->log);

    list = ngx_array_push(stores);
    if (list == NULL) {
        return NULL;
    }

    *list = store;

    return store;
}


char *
ngx_ors_stores_check(ngx_conf_t *cf, ngx_array_t *stores)
{
    ngx_uint_t         i;
    ngx_ors_store_t  **list;

    list = stores->elts;

    for (i = 0; i < stores->nelts; i++) {

        if (list[i]->engine == NULL) {
            ngx_ors_conf_error(cf, 0,
                               "unknown store \"%V\", it needs an "
                               "\"open_responses_store %V lmdb:PATH\" or "
                               "\"redis:HOST:PORT\" in \"http\"",
                               &list[i]->name, &list[i]->name);
            return NGX_CONF_ERROR;
        }
    }

    return NGX_CONF_OK;
}


ngx_int_t
ngx_ors_stores_open(ngx_array_t *stores, ngx_cycle_t *cycle)
{
    ngx_uint_t         i;
    ngx_ors_store_t  **list;

    list = stores->elts;

    for (i = 0; i < stores->nelts; i++) {
        ngx_ors_store_begin(list[i], cycle->log);

        if (list[i]->engine->open(list[i], cycle) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


void
ngx_ors_stores_close(ngx_array_t *stores)
{
    ngx_uint_t         i;
    ngx_ors_store_t  **list;

    list = stores->elts;

    for (i = 0; i < stores->nelts; i++) {
        ngx_ors_store_end(list[i]);
    }
}
