
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The engine "location" of stores: entries are what a location serves, got, put
 * and deleted by subrequests of a request that has no client.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_subrequest.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_forward.h>
#include <ngx_ors_record.h>
#include <ngx_ors_text.h>


/* requests of a worker at a time */
#define NGX_HTTP_ORS_STORE_REQUESTS  64

/* ms in which a store that has failed is said to be down */
#define NGX_HTTP_ORS_STORE_DOWN      1000

/* hexadecimal digits of a key, and the slash between its halves */
#define NGX_HTTP_ORS_STORE_PATH      (4 * NGX_ORS_STORE_KEY + 1)


typedef struct {
    ngx_uint_t                 requests;
} ngx_http_ors_store_conf_t;


/* a store of this worker */

typedef struct {
    ngx_ors_store_t           *store;
    ngx_queue_t                tasks;     /* that run or wait */
    ngx_uint_t                 running;   /* requests */
    ngx_msec_t                 failed;    /* when the last job has failed, */
    unsigned                   down:1;    /* if it has */
} ngx_http_ors_store_t;


typedef struct ngx_http_ors_store_request_s  ngx_http_ors_store_request_t;


/* a job; lives as long as its request, which has no client */

struct ngx_http_ors_store_task_s {
    ngx_http_ors_store_t          *state;
    ngx_ors_store_job_t           *job;       /* NULL: it is over */
    ngx_http_ors_ctx_t            *ctx;
    ngx_queue_t                    queue;     /* of state->tasks */
    ngx_http_ors_store_request_t  *requests;  /* that run */

    ngx_ors_store_entry_t         *entries;   /* of this step */
    ngx_uint_t                     n;
    ngx_uint_t                     next;
    ngx_uint_t                     step;

    ngx_ors_chain_t                chain;
    size_t                         left;      /* of job->max_size */
    unsigned                       full:1;    /* it is reached */
};


/* the subrequest of an entry */

struct ngx_http_ors_store_request_s {
    ngx_http_ors_call_t            call;      /* stays the first */
    ngx_http_ors_store_task_t     *task;
    ngx_ors_store_entry_t         *entry;
    ngx_buf_t                      value;     /* that comes */
    unsigned                       large:1;   /* it is over the limit */
    ngx_http_ors_store_request_t  *next;
};


static char *ngx_http_ors_store_address(ngx_conf_t *cf,
    ngx_ors_store_t *store);
static ngx_int_t ngx_http_ors_store_init(ngx_conf_t *cf,
    ngx_ors_store_t *store);
static ngx_int_t ngx_http_ors_store_open(ngx_ors_store_t *store,
    ngx_cycle_t *cycle);
static void ngx_http_ors_store_close(ngx_ors_store_t *store);
static ngx_uint_t ngx_http_ors_store_down(ngx_ors_store_t *store);
static void ngx_http_ors_store_post(ngx_ors_store_job_t *job);
static ngx_http_ors_store_task_t *ngx_http_ors_store_task(
    ngx_ors_store_job_t *job);
static void ngx_http_ors_store_timeout(ngx_ors_store_job_t *job);
static void ngx_http_ors_store_cleanup(void *data);
static void ngx_http_ors_store_handler(ngx_http_request_t *r);
static void ngx_http_ors_store_work(ngx_http_ors_store_t *state,
    ngx_http_ors_store_task_t *current);
static void ngx_http_ors_store_drop(ngx_http_request_t *r);
static ngx_uint_t ngx_http_ors_store_run(ngx_http_ors_store_task_t *task);
static ngx_int_t ngx_http_ors_store_step(ngx_http_ors_store_task_t *task);
static ngx_int_t ngx_http_ors_store_ask(ngx_http_ors_store_task_t *task,
    ngx_ors_store_entry_t *entry);
static ngx_int_t ngx_http_ors_store_headers(ngx_http_ors_store_request_t *sr);
static ngx_ors_store_status_e ngx_http_ors_store_reap(
    ngx_http_ors_store_task_t *task);
static ngx_ors_store_status_e ngx_http_ors_store_take(
    ngx_http_ors_store_request_t *sr);
static ngx_ors_store_status_e ngx_http_ors_store_take_value(
    ngx_http_ors_store_request_t *sr);
static ngx_ors_store_status_e ngx_http_ors_store_fault(
    ngx_http_ors_store_request_t *sr, char *fault);
static void ngx_http_ors_store_end(ngx_http_ors_store_task_t *task,
    ngx_ors_store_status_e status);
static ngx_int_t ngx_http_ors_store_make(ngx_http_ors_call_t *call);
static ngx_int_t ngx_http_ors_store_header(ngx_http_ors_call_t *call);
static ngx_uint_t ngx_http_ors_store_over(void *data);
static ngx_int_t ngx_http_ors_store_read(void *data, ngx_buf_t *b);
static ngx_int_t ngx_http_ors_store_refuse(void *data, const char *what);


static ngx_ors_conf_param_t  ngx_http_ors_store_params[] = {

    { ngx_string("requests="), ngx_ors_conf_param_number,
      offsetof(ngx_http_ors_store_conf_t, requests), 1, 0, NULL,
      "a number above 0" },

    { ngx_null_string, NULL, 0, 0, 0, NULL, NULL }
};


const ngx_ors_store_engine_t  ngx_http_ors_store_engine = {
    ngx_string("location"),
    2,
    ngx_http_ors_store_address,
    ngx_http_ors_store_params,
    ngx_http_ors_store_init,
    ngx_http_ors_store_open,
    ngx_http_ors_store_close,
    ngx_http_ors_store_post,
    ngx_http_ors_store_timeout,
    ngx_http_ors_store_down,
    NULL
};


static const ngx_ors_source_handler_t  ngx_http_ors_store_source = {
    ngx_http_ors_store_over,
    ngx_http_ors_store_read,
    ngx_http_ors_store_refuse,
    ngx_http_ors_subrequest_ended
};


static const ngx_http_ors_call_kind_t  ngx_http_ors_store_kind = {
    "store",
    &ngx_http_ors_store_source,
    NULL,
    ngx_http_ors_store_make,
    ngx_http_ors_store_header,
    NULL
};


static ngx_str_t  ngx_http_ors_store_expires = ngx_string("Store-Expires");


/* 1 if the entry is a turn; others lead to one */

#define ngx_http_ors_store_is_record(entry)                                   \
    ((entry)->value.data                                                      \
     && ngx_ors_record_is((entry)->value.data, (entry)->value.len))


/* a path that keys are appended to */

static char *
ngx_http_ors_store_address(ngx_conf_t *cf, ngx_ors_store_t *store)
{
    ngx_str_t                  *uri;
    ngx_http_ors_store_conf_t  *conf;

    uri = &store->address;

    if (uri->len == 0 || uri->data[0] != '/'
        || uri->data[uri->len - 1] != '/'
        || ngx_strlchr(uri->data, uri->data + uri->len, '?')
        || ngx_strlchr(uri->data, uri->data + uri->len, '$'))
    {
        ngx_ors_conf_error(cf, 0,
                           "invalid address \"%V\" of store \"%V\", it must be "
                           "\"location:/PATH/\", the beginning of paths "
                           "without variables", uri, &store->name);
        return NGX_CONF_ERROR;
    }

    conf = ngx_pcalloc(cf->pool, sizeof(ngx_http_ors_store_conf_t));
    if (conf == NULL) {
        return NGX_CONF_ERROR;
    }

    conf->requests = NGX_CONF_UNSET_UINT;
    store->conf = conf;

    return NGX_CONF_OK;
}


static ngx_int_t
ngx_http_ors_store_init(ngx_conf_t *cf, ngx_ors_store_t *store)
{
    ngx_http_ors_store_conf_t  *conf;

    conf = store->conf;

    ngx_conf_init_uint_value(conf->requests, NGX_HTTP_ORS_STORE_REQUESTS);

    if (store->scope_size == NGX_CONF_UNSET) {
        store->scope_size = 0;
    }

    if (store->scope_size || store->scope_turns) {
        ngx_ors_conf_error(cf, 0,
                           "store \"%V\" cannot have \"%s\", the engine "
                           "\"location\" does not know the size of a scope",
                           &store->name,
                           store->scope_size ? "scope_size" : "scope_turns");
        return NGX_ERROR;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_http_ors_store_open(ngx_ors_store_t *store, ngx_cycle_t *cycle)
{
    ngx_http_ors_store_t  *state;

    state = ngx_pcalloc(cycle->pool, sizeof(ngx_http_ors_store_t));
    if (state == NULL) {
        return NGX_ERROR;
    }

    state->store = store;
    ngx_queue_init(&state->tasks);

    store->state = state;

    return NGX_OK;
}


/* the requests end with the worker */

static void
ngx_http_ors_store_close(ngx_ors_store_t *store)
{
    ngx_queue_t                *q;
    ngx_http_ors_store_t       *state;
    ngx_http_ors_store_task_t  *task;

    state = store->state;

    if (state == NULL) {
        return;
    }

    while (!ngx_queue_empty(&state->tasks)) {
        q = ngx_queue_head(&state->tasks);
        task = ngx_queue_data(q, ngx_http_ors_store_task_t, queue);

        ngx_http_ors_store_end(task, ngx_ors_store_unavailable);
    }

    store->state = NULL;
}


static ngx_uint_t
ngx_http_ors_store_down(ngx_ors_store_t *store)
{
    ngx_http_ors_store_t  *state;

    state = store->state;

    return state && state->down
           && ngx_current_msec - state->failed < NGX_HTTP_ORS_STORE_DOWN;
}


static void
ngx_http_ors_store_post(ngx_ors_store_job_t *job)
{
    ngx_http_ors_store_task_t  *task;

    task = job->store->state ? ngx_http_ors_store_task(job) : NULL;

    if (task == NULL) {
        ngx_ors_store_return(job, ngx_ors_store_unavailable);
        return;
    }

    /* it begins with the next event: its asker is not ready */

    ngx_post_event(task->ctx->request->connection->write, &ngx_posted_events);
}


static ngx_http_ors_store_task_t *
ngx_http_ors_store_task(ngx_ors_store_job_t *job)
{
    ngx_http_request_t         *r;
    ngx_http_cleanup_t         *cln;
    ngx_http_ors_ctx_t         *ctx;
    ngx_http_ors_store_task_t  *task;

    r = ngx_http_ors_detach(job->origin, NULL);
    if (r == NULL) {
        return NULL;
    }

    ctx = ngx_http_ors_ctx_create(r);
    task = ngx_pcalloc(r->pool, sizeof(ngx_http_ors_store_task_t));
    cln = ngx_http_cleanup_add(r, 0);

    if (ctx == NULL || task == NULL || cln == NULL) {
        ngx_http_ors_store_drop(r);
        return NULL;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     task->step: nothing has been asked for
     *     task->chain: nothing of it has been read
     */

    task->state = job->store->state;
    task->job = job;
    task->ctx = ctx;
    task->chain.job = job;
    task->left = job->max_size ? job->max_size : NGX_MAX_SIZE_T_VALUE;

    r->write_event_handler = ngx_http_ors_store_handler;
    ctx->task = task;
    job->state = task;

    cln->handler = ngx_http_ors_store_cleanup;
    cln->data = task;

    ngx_queue_insert_tail(&task->state->tasks, &task->queue);

    return task;
}


static void
ngx_http_ors_store_timeout(ngx_ors_store_job_t *job)
{
    ngx_http_request_t         *r;
    ngx_http_ors_store_task_t  *task;

    task = job->state;
    r = task->ctx->request;

    task->state->down = 1;
    task->state->failed = ngx_current_msec;

    ngx_http_ors_store_end(task, ngx_ors_store_timeout);
    ngx_http_ors_store_drop(r);
}


/* the request ends: by itself, or with the worker */

static void
ngx_http_ors_store_cleanup(void *data)
{
    ngx_http_ors_store_task_t *task = data;

    ngx_http_ors_store_end(task, ngx_ors_store_unavailable);
}


/* a subrequest has ended, or the job begins */

static void
ngx_http_ors_store_handler(ngx_http_request_t *r)
{
    ngx_http_ors_ctx_t         *ctx;
    ngx_ors_store_status_e      status;
    ngx_http_ors_store_task_t  *task;

    ctx = ngx_http_get_module_ctx(r, ngx_http_open_responses_module);
    task = ctx->task;

    ngx_http_ors_calls_wake(ctx);

    status = ngx_http_ors_store_reap(task);

    if (status != ngx_ors_store_ok) {
        ngx_http_ors_store_end(task, status);
    }

    ngx_http_ors_store_work(task->state, task);

    if (task->job == NULL) {
        ngx_http_ors_detach_end(r);
    }
}


/* starts what there is room for, of the oldest jobs first */

static void
ngx_http_ors_store_work(ngx_http_ors_store_t *state,
    ngx_http_ors_store_task_t *current)
{
    ngx_queue_t                *q, *next;
    ngx_http_request_t         *r;
    ngx_http_ors_store_task_t  *task;

    for (q = ngx_queue_head(&state->tasks);
         q != ngx_queue_sentinel(&state->tasks);
         q = next)
    {
        next = ngx_queue_next(q);
        task = ngx_queue_data(q, ngx_http_ors_store_task_t, queue);
        r = task->ctx->request;

        if (ngx_http_ors_store_run(task) == 0 && task->job) {
            continue;
        }

        /* the caller runs the subrequests of its own */

        if (task == current) {
            continue;
        }

        if (task->job) {
            ngx_post_event(r->connection->write, &ngx_posted_events);

        } else {
            ngx_http_ors_store_drop(r);
        }
    }
}


/* ends a request from outside of its handlers */

static void
ngx_http_ors_store_drop(ngx_http_request_t *r)
{
    ngx_connection_t  *c;

    c = r->connection;

    ngx_http_ors_detach_end(r);
    ngx_http_run_posted_requests(c);
}


/* the number of requests that were started */

static ngx_uint_t
ngx_http_ors_store_run(ngx_http_ors_store_task_t *task)
{
    ngx_uint_t                  i, n;
    ngx_ors_store_entry_t      *entry;
    ngx_http_ors_store_conf_t  *conf;

    conf = task->state->store->conf;
    n = 0;

    for ( ;; ) {

        if (task->next == task->n) {

            if (task->requests || ngx_http_ors_store_step(task) != NGX_OK) {
                return n;
            }

            continue;
        }

        if (task->state->running >= conf->requests) {
            return n;
        }

        /* the newest turns of a chain come first: what is left is for them */

        i = task->next++;

        entry = (task->job->op == ngx_ors_store_chain)
                ? &task->entries[task->n - 1 - i] : &task->entries[i];

        if (task->job->op == ngx_ors_store_put
            && ngx_http_ors_store_is_record(entry) != (task->step == 1))
        {
            continue;
        }

        if (ngx_http_ors_store_ask(task, entry) != NGX_OK) {
            ngx_http_ors_store_end(task, ngx_ors_store_unavailable);
            return n;
        }

        n++;
    }
}


/*
 * All entries of a step are done.  NGX_OK: there are others; NGX_DONE: the job
 * is over.  Records are put in front of what leads to them.
 */

static ngx_int_t
ngx_http_ors_store_step(ngx_http_ors_store_task_t *task)
{
    ngx_ors_store_job_t     *job;
    ngx_ors_store_status_e   status;

    job = task->job;
    status = ngx_ors_store_ok;

    task->next = 0;
    task->n = 0;
    task->step++;

    if (task->step == 1 || (task->step == 2 && job->op == ngx_ors_store_put)) {
        task->entries = job->entries;
        task->n = job->n;

    } else if (task->step == 2 && job->nothers) {
        task->entries = job->others;
        task->n = job->nothers;

    } else if (job->op == ngx_ors_store_chain) {
        status = ngx_ors_chain_next(&task->chain, task->full);

        if (status == ngx_ors_store_ok && task->chain.n) {
            task->entries = task->chain.batch;
            task->n = task->chain.n;

        } else if (status == ngx_ors_store_ok) {
            job->entries = task->chain.first;
            job->n = task->chain.count;
        }
    }

    if (task->n) {
        return NGX_OK;
    }

    ngx_http_ors_store_end(task, status);

    return NGX_DONE;
}


static ngx_int_t
ngx_http_ors_store_ask(ngx_http_ors_store_task_t *task,
    ngx_ors_store_entry_t *entry)
{
    u_char                        *p;
    ngx_str_t                      uri;
    ngx_pool_t                    *pool;
    ngx_http_ors_store_request_t  *sr;

    pool = task->ctx->request->pool;

    sr = ngx_pcalloc(pool, sizeof(ngx_http_ors_store_request_t));
    if (sr == NULL) {
        return NGX_ERROR;
    }

    uri.len = task->state->store->address.len + NGX_HTTP_ORS_STORE_PATH;
    uri.data = ngx_pnalloc(pool, uri.len);
    if (uri.data == NULL) {
        return NGX_ERROR;
    }

    p = ngx_cpymem(uri.data, task->state->store->address.data,
                   task->state->store->address.len);
    p = ngx_hex_dump(p, entry->key.scope, NGX_ORS_STORE_KEY);
    *p++ = '/';
    (void) ngx_hex_dump(p, entry->key.name, NGX_ORS_STORE_KEY);

    sr->task = task;
    sr->entry = entry;
    sr->call.bare = 1;
    sr->call.bodiless = (task->job->op != ngx_ors_store_put
                         && task->job->op != ngx_ors_store_add);

    if (ngx_http_ors_subrequest(&sr->call, task->ctx, &ngx_http_ors_store_kind,
                                &uri, NULL)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    sr->next = task->requests;
    task->requests = sr;
    task->state->running++;

    return sr->call.bodiless ? NGX_OK : ngx_http_ors_store_headers(sr);
}


/* how long a value lives, and on which condition it is written */

static ngx_int_t
ngx_http_ors_store_headers(ngx_http_ors_store_request_t *sr)
{
    ngx_str_t               value;
    ngx_list_t             *headers;
    ngx_http_headers_in_t  *in;

    in = &sr->call.request->headers_in;
    headers = &in->headers;

    ngx_str_set(&in->content_type->value, "application/octet-stream");

    if (ngx_ors_str_printf(&value, sr->task->ctx->request->pool, "%T",
                           sr->entry->expires)
        != NGX_OK
        || ngx_ors_header_add(headers, "Store-Expires", "store-expires", &value)
           == NULL)
    {
        return NGX_ERROR;
    }

    if (sr->task->job->op == ngx_ors_store_add) {
        return ngx_ors_header_text(headers, "If-None-Match", "if-none-match",
                                   "*")
               ? NGX_OK : NGX_ERROR;
    }

    if (sr->entry->value.data) {
        return NGX_OK;
    }

    return ngx_ors_header_text(headers, "If-Match", "if-match", "*")
           ? NGX_OK : NGX_ERROR;
}


/* takes what has been answered */

static ngx_ors_store_status_e
ngx_http_ors_store_reap(ngx_http_ors_store_task_t *task)
{
    ngx_ors_store_status_e          status;
    ngx_http_ors_store_request_t  **link, *sr;

    link = &task->requests;

    while (*link) {
        sr = *link;

        /* the rest of what is too large is not waited for */

        if (sr->large) {
            ngx_http_ors_call_drop(&sr->call);

        } else if (!sr->call.done) {
            link = &sr->next;
            continue;
        }

        *link = sr->next;
        task->state->running--;

        status = ngx_http_ors_store_take(sr);

        if (status != ngx_ors_store_ok) {
            return status;
        }

        task->state->down = 0;
    }

    return ngx_ors_store_ok;
}


static ngx_ors_store_status_e
ngx_http_ors_store_take(ngx_http_ors_store_request_t *sr)
{
    ngx_uint_t              absent, done;
    ngx_ors_store_op_e      op;
    ngx_ors_store_entry_t  *entry;

    op = sr->task->job->op;
    entry = sr->entry;

    absent = (sr->call.status == NGX_HTTP_NOT_FOUND
              || sr->call.status == 410);
    done = (sr->call.status == NGX_HTTP_OK
            || sr->call.status == NGX_HTTP_CREATED
            || sr->call.status == NGX_HTTP_NO_CONTENT);

    switch (op) {

    case ngx_ors_store_get:
    case ngx_ors_store_chain:
        ngx_str_null(&entry->value);

        if (absent) {
            return ngx_ors_store_ok;
        }

        if (sr->large || sr->call.status == NGX_HTTP_OK) {
            return ngx_http_ors_store_take_value(sr);
        }

        break;

    case ngx_ors_store_put:

        if (done || (entry->value.data == NULL
                     && (absent || sr->call.status
                                   == NGX_HTTP_PRECONDITION_FAILED)))
        {
            return ngx_ors_store_ok;
        }

        break;

    case ngx_ors_store_add:

        entry->there = (sr->call.status == NGX_HTTP_PRECONDITION_FAILED);

        if (done || entry->there) {
            return ngx_ors_store_ok;
        }

        break;

    case ngx_ors_store_delete:

        if (done || absent) {
            entry->value.len = 0;
            entry->value.data = absent ? NULL : (u_char *) "";

            return ngx_ors_store_ok;
        }

        break;
    }

    if (sr->call.status == NGX_HTTP_INSUFFICIENT_STORAGE) {
        return ngx_ors_store_full;
    }

    if (sr->call.status == NGX_HTTP_REQUEST_ENTITY_TOO_LARGE) {
        return ngx_ors_store_large;
    }

    return ngx_http_ors_store_fault(sr, "a status that it should not have");
}


static ngx_ors_store_status_e
ngx_http_ors_store_take_value(ngx_http_ors_store_request_t *sr)
{
    size_t                      max, *left;
    ngx_str_t                   value;
    ngx_table_elt_t            *h;
    ngx_ors_store_job_t        *job;
    ngx_ors_store_entry_t      *entry;
    ngx_http_ors_store_task_t  *task;

    task = sr->task;
    job = task->job;
    entry = sr->entry;

    if (sr->large) {
        return ngx_ors_store_limit;
    }

    if (!sr->call.complete) {
        return ngx_http_ors_store_fault(sr, "an answer that was cut");
    }

    h = ngx_ors_header_find(&sr->call.request->headers_out.headers,
                            &ngx_http_ors_store_expires);

    entry->expires = h ? ngx_atotm(h->value.data, h->value.len) : 0;

    if (entry->expires == (time_t) NGX_ERROR) {
        return ngx_http_ors_store_fault(sr, "an invalid \"Store-Expires\"");
    }

    if (h && entry->expires <= ngx_time()) {
        return ngx_ors_store_ok;
    }

    max = NGX_MAX_SIZE_T_VALUE;
    left = (task->entries == job->others) ? &max : &task->left;

    value.data = sr->value.pos ? sr->value.pos : (u_char *) "";
    value.len = sr->value.last - sr->value.pos;

    switch (ngx_ors_record_copy(&value, entry->parts, left, job->pool,
                                &entry->value))
    {
    case NGX_OK:
        return ngx_ors_store_ok;

    case NGX_DECLINED:
        break;

    default:
        return ngx_ors_store_unavailable;
    }

    /* a chain has no holes: none that is older fits any more */

    task->full = 1;
    task->left = 0;

    return (job->newest && entry != job->entries) ? ngx_ors_store_ok
                                                  : ngx_ors_store_limit;
}


static ngx_ors_store_status_e
ngx_http_ors_store_fault(ngx_http_ors_store_request_t *sr, char *fault)
{
    ngx_http_ors_store_t  *state;

    state = sr->task->state;

    state->down = 1;
    state->failed = ngx_current_msec;

    ngx_log_error(NGX_LOG_ERR, sr->call.request->connection->log, 0,
                  "store \"%V\": a request of the kind \"%s\" got status %ui, "
                  "%s", &state->store->name,
                  ngx_ors_store_ops[sr->task->job->op], sr->call.status, fault);

    return ngx_ors_store_unavailable;
}


/* the caller ends the request */

static void
ngx_http_ors_store_end(ngx_http_ors_store_task_t *task,
    ngx_ors_store_status_e status)
{
    ngx_ors_store_job_t  *job;

    job = task->job;

    if (job == NULL) {
        return;
    }

    task->job = NULL;

    while (task->requests) {
        task->requests = task->requests->next;
        task->state->running--;
    }

    ngx_queue_remove(&task->queue);

    ngx_ors_store_return(job, status);
}


/* The subrequest of an entry. */


static ngx_int_t
ngx_http_ors_store_make(ngx_http_ors_call_t *call)
{
    ngx_int_t                      rc;
    ngx_buf_t                     *b;
    ngx_chain_t                   *cl;
    ngx_http_request_t            *r;
    ngx_ors_store_entry_t         *entry;
    ngx_http_ors_store_request_t  *sr;

    static ngx_str_t  put = ngx_string("PUT");
    static ngx_str_t  delete = ngx_string("DELETE");

    sr = (ngx_http_ors_store_request_t *) call;
    r = call->request;
    entry = sr->entry;

    if (sr->task->job == NULL) {
        return NGX_ERROR;
    }

    if (call->bodiless) {
        rc = ngx_http_ors_subrequest_get(call);

        if (rc == NGX_OK && sr->task->job->op == ngx_ors_store_delete) {
            r->method = NGX_HTTP_DELETE;
            r->method_name = delete;
        }

        return rc;
    }

    r->method = NGX_HTTP_PUT;
    r->method_name = put;

    if (entry->value.len == 0) {
        return ngx_http_ors_subrequest_make(call, NULL, 0);
    }

    b = ngx_calloc_buf(r->pool);
    cl = ngx_alloc_chain_link(r->pool);

    if (b == NULL || cl == NULL) {
        return NGX_ERROR;
    }

    b->start = entry->value.data;
    b->pos = b->start;
    b->last = b->start + entry->value.len;
    b->end = b->last;
    b->memory = 1;
    b->last_buf = 1;

    cl->buf = b;
    cl->next = NULL;

    return ngx_http_ors_subrequest_make(call, cl, entry->value.len);
}


static ngx_int_t
ngx_http_ors_store_header(ngx_http_ors_call_t *call)
{
    return ngx_http_ors_pump_decode(call->request, &call->source, 0)
           == NGX_ERROR ? NGX_ERROR : NGX_OK;
}


static ngx_uint_t
ngx_http_ors_store_over(void *data)
{
    ngx_http_ors_store_request_t *sr = data;

    return sr->call.done || sr->large || sr->task->job == NULL
           || !sr->call.bodiless;
}


static ngx_int_t
ngx_http_ors_store_read(void *data, ngx_buf_t *b)
{
    ngx_http_ors_store_request_t *sr = data;

    ngx_int_t  rc;

    rc = ngx_ors_gather(&sr->value, b, sr->task->state->store->record,
                        sr->call.request->pool);

    if (rc == NGX_DECLINED) {
        sr->large = 1;
        ngx_http_ors_post(sr->call.request->main, &sr->call.ctx->posted);
        rc = NGX_OK;
    }

    return rc;
}


static ngx_int_t
ngx_http_ors_store_refuse(void *data, const char *what)
{
    return NGX_ERROR;
}
