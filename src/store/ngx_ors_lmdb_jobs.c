
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Jobs of the LMDB engine on their way through nginx's thread pool.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_lmdb_engine.h>


static void ngx_ors_lmdb_task_init(ngx_ors_lmdb_state_t *st,
    ngx_ors_lmdb_task_t *t, ngx_log_t *log);
static void ngx_ors_lmdb_refuse_handler(ngx_event_t *ev);
static void ngx_ors_lmdb_run(ngx_ors_lmdb_state_t *st);
static void ngx_ors_lmdb_run_task(ngx_ors_lmdb_task_t *t);
static ngx_uint_t ngx_ors_lmdb_take(ngx_ors_lmdb_task_t *t);
static void ngx_ors_lmdb_task_thread(void *data, ngx_log_t *log);
static void ngx_ors_lmdb_task_done(ngx_event_t *ev);
static void ngx_ors_lmdb_leave(ngx_ors_lmdb_task_t *t);
static void ngx_ors_lmdb_finish_handler(ngx_event_t *ev);
static ngx_uint_t ngx_ors_lmdb_finish(ngx_ors_lmdb_state_t *st);
static void ngx_ors_lmdb_finish_op(ngx_ors_lmdb_op_t *op);
static void ngx_ors_lmdb_timer_handler(ngx_event_t *ev);
static void ngx_ors_lmdb_timer_set(ngx_ors_lmdb_state_t *st);


void
ngx_ors_lmdb_jobs_init(ngx_ors_lmdb_state_t *st, ngx_log_t *log)
{
    ngx_uint_t  i;

    ngx_queue_init(&st->jobs);
    ngx_queue_init(&st->reads);
    ngx_queue_init(&st->writes);
    ngx_queue_init(&st->finished);
    ngx_queue_init(&st->refused);

    st->timer.handler = ngx_ors_lmdb_timer_handler;
    st->timer.data = st;
    st->timer.log = log;

    st->finish.handler = ngx_ors_lmdb_finish_handler;
    st->finish.data = st;
    st->finish.log = log;

    st->refuse.handler = ngx_ors_lmdb_refuse_handler;
    st->refuse.data = st;
    st->refuse.log = log;

    ngx_ors_lmdb_task_init(st, &st->writer, log);
    st->writer.write = 1;

    for (i = 0; i < NGX_ORS_LMDB_READ_TASKS; i++) {
        ngx_ors_lmdb_task_init(st, &st->readers[i], log);
    }
}


static void
ngx_ors_lmdb_task_init(ngx_ors_lmdb_state_t *st, ngx_ors_lmdb_task_t *t,
    ngx_log_t *log)
{
    t->state = st;

    t->task.ctx = t;
    t->task.handler = ngx_ors_lmdb_task_thread;

    t->task.event.handler = ngx_ors_lmdb_task_done;
    t->task.event.data = t;
    t->task.event.log = log;
}


void
ngx_ors_lmdb_post(ngx_ors_store_job_t *job)
{
    ngx_queue_t           *queue;
    ngx_ors_lmdb_op_t     *op;
    ngx_ors_lmdb_state_t  *st;

    st = job->store->state;

    op = st->ready ? ngx_pcalloc(job->pool, sizeof(ngx_ors_lmdb_op_t)) : NULL;
    if (op == NULL) {
        ngx_ors_lmdb_refuse(job, ngx_ors_store_unavailable);
        return;
    }

    op->job = job;
    op->deadline = ngx_current_msec + job->store->timeout;
    op->waiting = 1;

    job->state = op;

    ngx_queue_insert_tail(&st->jobs, &job->queue);

    queue = (job->op == ngx_ors_store_get || job->op == ngx_ors_store_chain)
            ? &st->reads : &st->writes;

    ngx_queue_insert_tail(queue, &op->queue);

    ngx_ors_lmdb_run(st);
    ngx_ors_lmdb_timer_set(st);
}


/* not at once: who has posted it is not ready to be called */

void
ngx_ors_lmdb_refuse(ngx_ors_store_job_t *job, ngx_ors_store_status_e status)
{
    ngx_ors_lmdb_state_t  *st;

    st = job->store->state;

    job->status = status;

    ngx_queue_insert_tail(&st->refused, &job->queue);

    ngx_post_event(&st->refuse, &ngx_posted_events);
}


static void
ngx_ors_lmdb_refuse_handler(ngx_event_t *ev)
{
    ngx_queue_t           *q;
    ngx_ors_store_job_t   *job;
    ngx_ors_lmdb_state_t  *st;

    st = ev->data;

    while (!ngx_queue_empty(&st->refused)) {
        q = ngx_queue_head(&st->refused);
        job = ngx_queue_data(q, ngx_ors_store_job_t, queue);

        ngx_queue_remove(q);
        ngx_ors_store_done(job, job->status);
    }
}


static void
ngx_ors_lmdb_run(ngx_ors_lmdb_state_t *st)
{
    ngx_uint_t  i;

    ngx_ors_lmdb_run_task(&st->writer);

    for (i = 0; i < NGX_ORS_LMDB_READ_TASKS; i++) {

        if (ngx_queue_empty(&st->reads)) {
            break;
        }

        ngx_ors_lmdb_run_task(&st->readers[i]);
    }
}


/* all that has come while a task was busy is for its next run */

static void
ngx_ors_lmdb_run_task(ngx_ors_lmdb_task_t *t)
{
    ngx_uint_t  i;

    if (t->busy || ngx_ors_lmdb_take(t) == 0) {
        return;
    }

    t->now = ngx_time();
    t->busy = 1;

    ngx_log_debug2(NGX_LOG_DEBUG_EVENT, t->ops[0]->job->store->log, 0,
                   "ors lmdb: task of %ui jobs posted, writer:%d",
                   t->n, t == &t->state->writer);

    if (ngx_thread_task_post(t->state->thread_pool, &t->task) == NGX_OK) {
        return;
    }

    t->busy = 0;

    for (i = 0; i < t->n; i++) {
        ngx_queue_remove(&t->ops[i]->job->queue);
        ngx_ors_lmdb_refuse(t->ops[i]->job, ngx_ors_store_unavailable);
    }
}


static ngx_uint_t
ngx_ors_lmdb_take(ngx_ors_lmdb_task_t *t)
{
    size_t              size;
    ngx_uint_t          i, max;
    ngx_queue_t        *q, *queue;
    ngx_ors_lmdb_op_t  *op;

    queue = t->write ? &t->state->writes : &t->state->reads;
    max = t->write ? NGX_ORS_LMDB_WRITES : NGX_ORS_LMDB_READS;

    size = 0;
    t->n = 0;

    while (t->n < max && size < NGX_ORS_LMDB_WRITE_SIZE
           && !ngx_queue_empty(queue))
    {
        q = ngx_queue_head(queue);
        op = ngx_queue_data(q, ngx_ors_lmdb_op_t, queue);

        ngx_queue_remove(q);
        op->waiting = 0;

        if (!t->write && op->job->dropped) {
            ngx_ors_lmdb_finish_op(op);
            continue;
        }

        for (i = 0; i < op->job->n; i++) {
            size += op->job->entries[i].value.len;
        }

        t->ops[t->n++] = op;
    }

    return t->n;
}


static void
ngx_ors_lmdb_task_thread(void *data, ngx_log_t *log)
{
    ngx_ors_lmdb_task_t *t = data;

    t->err = t->write
             ? ngx_ors_lmdb_write(&t->state->db, t->ops, t->n, t->now)
             : ngx_ors_lmdb_read(&t->state->db, t->ops, t->n, t->now);
}


static void
ngx_ors_lmdb_task_done(ngx_event_t *ev)
{
    ngx_ors_lmdb_task_t   *t;
    ngx_ors_lmdb_state_t  *st;

    t = ev->data;
    st = t->state;

    ev->complete = 0;

    if (t->err) {
        ngx_ors_lmdb_failed(st, t->err, t->write ? "write to" : "read");
    }

    ngx_ors_lmdb_leave(t);
    ngx_ors_lmdb_run(st);

    if (!st->finish.posted) {
        ngx_ors_lmdb_finish_handler(&st->finish);
    }
}


/* the task is free for those that wait, before any handler is called */

static void
ngx_ors_lmdb_leave(ngx_ors_lmdb_task_t *t)
{
    ngx_uint_t  i;

    for (i = 0; i < t->n; i++) {
        ngx_queue_insert_tail(&t->state->finished, &t->ops[i]->queue);
    }

    t->busy = 0;
}


/* many jobs may end with one commit: their handlers must not be one pause */

static void
ngx_ors_lmdb_finish_handler(ngx_event_t *ev)
{
    ngx_uint_t             n;
    ngx_ors_lmdb_state_t  *st;

    st = ev->data;

    for (n = 0; n < NGX_ORS_LMDB_FINISH && ngx_ors_lmdb_finish(st); n++) {
        /* void */
    }

    if (!ngx_queue_empty(&st->finished)) {
        ngx_post_event(&st->finish, &ngx_posted_next_events);
    }

    ngx_ors_lmdb_timer_set(st);
}


static ngx_uint_t
ngx_ors_lmdb_finish(ngx_ors_lmdb_state_t *st)
{
    ngx_queue_t  *q;

    if (ngx_queue_empty(&st->finished)) {
        return 0;
    }

    q = ngx_queue_head(&st->finished);
    ngx_queue_remove(q);

    ngx_ors_lmdb_finish_op(ngx_queue_data(q, ngx_ors_lmdb_op_t, queue));

    return 1;
}


static void
ngx_ors_lmdb_finish_op(ngx_ors_lmdb_op_t *op)
{
    ngx_ors_store_job_t  *job;

    job = op->job;

    if (!job->notified) {
        ngx_queue_remove(&job->queue);

        if (job->op == ngx_ors_store_chain
            && op->status == ngx_ors_store_ok)
        {
            job->entries = op->chain.first;
            job->n = op->chain.count;
        }
    }

    ngx_ors_store_done(job, op->status);
}


/*
 * Calls the handler with the status.  A job that a thread works on stays until
 * the thread gives it back.
 */

static void
ngx_ors_lmdb_timer_handler(ngx_event_t *ev)
{
    ngx_queue_t           *q;
    ngx_ors_lmdb_op_t     *op;
    ngx_ors_store_job_t   *job;
    ngx_ors_lmdb_state_t  *st;

    st = ev->data;

    while (!ngx_queue_empty(&st->jobs)) {
        q = ngx_queue_head(&st->jobs);
        job = ngx_queue_data(q, ngx_ors_store_job_t, queue);
        op = job->state;

        if ((ngx_msec_int_t) (op->deadline - ngx_current_msec) > 0) {
            break;
        }

        ngx_queue_remove(q);

        if (op->waiting) {
            ngx_queue_remove(&op->queue);
            ngx_ors_store_done(job, ngx_ors_store_timeout);

        } else {
            ngx_ors_store_tell(job, ngx_ors_store_timeout);
        }
    }

    ngx_ors_lmdb_timer_set(st);
}


static void
ngx_ors_lmdb_timer_set(ngx_ors_lmdb_state_t *st)
{
    ngx_queue_t          *q;
    ngx_ors_lmdb_op_t    *op;
    ngx_ors_store_job_t  *job;

    if (ngx_queue_empty(&st->jobs)) {

        if (st->timer.timer_set) {
            ngx_del_timer(&st->timer);
        }

        return;
    }

    if (st->timer.timer_set) {
        return;
    }

    q = ngx_queue_head(&st->jobs);
    job = ngx_queue_data(q, ngx_ors_store_job_t, queue);
    op = job->state;

    ngx_add_timer(&st->timer,
                  ngx_max((ngx_msec_int_t) (op->deadline - ngx_current_msec),
                          1));
}


void
ngx_ors_lmdb_jobs_end(ngx_ors_lmdb_state_t *st)
{
    ngx_uint_t            i;
    ngx_queue_t          *q;
    ngx_ors_store_job_t  *job;

    for (q = ngx_queue_head(&st->jobs);
         q != ngx_queue_sentinel(&st->jobs);
         q = ngx_queue_next(q))
    {
        job = ngx_queue_data(q, ngx_ors_store_job_t, queue);
        job->dropped = 1;
    }

    for (i = 0; i < NGX_ORS_LMDB_READ_TASKS; i++) {

        if (st->readers[i].busy) {
            ngx_ors_lmdb_leave(&st->readers[i]);
        }
    }

    if (st->writer.busy) {
        ngx_ors_lmdb_leave(&st->writer);
    }

    /* those that wait are dropped */

    (void) ngx_ors_lmdb_take(&st->readers[0]);

    while (ngx_ors_lmdb_take(&st->writer)) {
        st->writer.now = ngx_time();
        ngx_ors_lmdb_task_thread(&st->writer, NULL);
        ngx_ors_lmdb_leave(&st->writer);
    }

    while (ngx_ors_lmdb_finish(st)) { /* void */ }

    for (q = ngx_queue_head(&st->refused);
         q != ngx_queue_sentinel(&st->refused);
         q = ngx_queue_next(q))
    {
        job = ngx_queue_data(q, ngx_ors_store_job_t, queue);
        job->dropped = 1;
    }

    ngx_ors_lmdb_refuse_handler(&st->refuse);
    ngx_ors_lmdb_timer_set(st);
}
