
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Jobs of the Redis engine: the commands of each one, and what their replies
 * mean.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_record.h>
#include <ngx_ors_redis.h>
#include <ngx_ors_redis_share.h>


static void ngx_ors_redis_start(ngx_ors_redis_task_t *task,
    ngx_ors_store_entry_t *entries, ngx_uint_t n);
static void ngx_ors_redis_timeout_handler(ngx_event_t *ev);
static ngx_ors_store_status_e ngx_ors_redis_take(ngx_ors_redis_command_t *cmd,
    redisReply *reply);
static ngx_ors_store_status_e ngx_ors_redis_take_value(
    ngx_ors_redis_command_t *cmd, redisReply *reply);
static ngx_uint_t ngx_ors_redis_is_other(ngx_ors_store_job_t *job,
    ngx_ors_store_entry_t *entry);
static ngx_ors_store_status_e ngx_ors_redis_take_put(
    ngx_ors_redis_command_t *cmd, redisReply *reply);
static ngx_ors_store_status_e ngx_ors_redis_chain(ngx_ors_redis_task_t *task);


void
ngx_ors_redis_post(ngx_ors_store_job_t *job)
{
    ngx_ors_redis_t       *redis;
    ngx_ors_redis_task_t  *task;

    redis = job->store->state;

    task = ngx_pcalloc(job->pool, sizeof(ngx_ors_redis_task_t));
    job->state = task;

    if (task == NULL) {
        ngx_ors_redis_give_back(job, ngx_ors_store_unavailable);
        return;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     task->chain: nothing of it has been read
     *     task->over = 0;
     */

    task->redis = redis;
    task->job = job;
    task->chain.job = job;
    task->left = job->max_size ? job->max_size : NGX_MAX_SIZE_T_VALUE;
    ngx_queue_init(&task->commands);
    ngx_queue_insert_tail(&redis->tasks, &job->queue);

    task->timer.handler = ngx_ors_redis_timeout_handler;
    task->timer.data = task;
    task->timer.log = redis->log;

    ngx_add_timer(&task->timer, redis->store->timeout);

    ngx_ors_redis_start(task, job->entries, job->n);

    if (job->nothers && !task->over) {
        ngx_ors_redis_start(task, job->others, job->nothers);
    }
}


/* a put is one command, all others are asked for each entry */

static void
ngx_ors_redis_start(ngx_ors_redis_task_t *task, ngx_ors_store_entry_t *entries,
    ngx_uint_t n)
{
    ngx_uint_t                i, together;
    ngx_ors_store_entry_t    *entry;
    ngx_ors_redis_command_t  *cmd;

    if (n == 0) {
        ngx_ors_redis_end(task, ngx_ors_store_ok);
        return;
    }

    together = (task->job->op == ngx_ors_store_put) ? n : 1;

    for (i = 0; i < n && !task->over; i += together) {

        /* the newest turns of a chain come first: what is left is for them */

        entry = (task->job->op == ngx_ors_store_chain) ? &entries[n - 1 - i]
                                                       : &entries[i];

        cmd = ngx_ors_redis_command(task, entry, together);
        if (cmd == NULL) {
            ngx_ors_redis_end(task, ngx_ors_store_unavailable);
            return;
        }

        ngx_ors_redis_send(cmd);
    }
}


static void
ngx_ors_redis_timeout_handler(ngx_event_t *ev)
{
    ngx_ors_redis_task_t  *task;

    task = ev->data;

    ngx_ors_redis_end(task, ngx_ors_store_timeout);
}


void
ngx_ors_redis_end(ngx_ors_redis_task_t *task, ngx_ors_store_status_e status)
{
    ngx_queue_t  *q;

    if (task->over) {
        return;
    }

    task->over = 1;

    if (task->timer.timer_set) {
        ngx_del_timer(&task->timer);
    }

    while (!ngx_queue_empty(&task->commands)) {
        q = ngx_queue_head(&task->commands);
        ngx_ors_redis_forget(ngx_queue_data(q, ngx_ors_redis_command_t,
                                            queue));
    }

    ngx_queue_remove(&task->job->queue);

    ngx_ors_redis_give_back(task->job, status);
}


/* the handler is called from the event loop, never inside of its own call */

void
ngx_ors_redis_give_back(ngx_ors_store_job_t *job,
    ngx_ors_store_status_e status)
{
    ngx_ors_redis_t  *redis;

    redis = job->store->state;

    job->status = status;
    ngx_queue_insert_tail(&redis->over, &job->queue);

    ngx_post_event(&redis->event, &ngx_posted_events);
}


void
ngx_ors_redis_drop(ngx_ors_redis_t *redis)
{
    ngx_queue_t           *q;
    ngx_ors_store_job_t   *job;

    while (!ngx_queue_empty(&redis->tasks)) {
        q = ngx_queue_head(&redis->tasks);
        job = ngx_queue_data(q, ngx_ors_store_job_t, queue);

        ngx_ors_redis_end(job->state, ngx_ors_store_unavailable);
    }

    while (!ngx_queue_empty(&redis->over)) {
        q = ngx_queue_head(&redis->over);
        ngx_queue_remove(q);

        job = ngx_queue_data(q, ngx_ors_store_job_t, queue);

        job->dropped = 1;
        ngx_ors_store_done(job, job->status);
    }
}


void
ngx_ors_redis_answer(ngx_ors_redis_command_t *cmd, redisReply *reply)
{
    ngx_ors_redis_task_t    *task;
    ngx_ors_store_status_e   status;

    task = cmd->task;

    status = ngx_ors_redis_take(cmd, reply);

    if (status == ngx_ors_store_ok) {

        if (!ngx_queue_empty(&task->commands)) {
            return;
        }

        if (task->job->op == ngx_ors_store_chain) {
            status = ngx_ors_redis_chain(task);

            if (status == ngx_ors_store_ok
                && (task->over || !ngx_queue_empty(&task->commands)))
            {
                return;
            }
        }
    }

    ngx_ors_redis_end(task, status);
}


static ngx_ors_store_status_e
ngx_ors_redis_take(ngx_ors_redis_command_t *cmd, redisReply *reply)
{
    switch (cmd->task->job->op) {

    case ngx_ors_store_get:
    case ngx_ors_store_chain:
        return ngx_ors_redis_take_value(cmd, reply);

    case ngx_ors_store_put:
        return ngx_ors_redis_take_put(cmd, reply);

    case ngx_ors_store_add:
        cmd->entry->there = (reply->type == REDIS_REPLY_NIL);
        return ngx_ors_store_ok;

    case ngx_ors_store_delete:
        break;
    }

    if (reply->type != REDIS_REPLY_INTEGER) {
        return ngx_ors_store_corrupt;
    }

    ngx_str_null(&cmd->entry->value);

    if (reply->integer) {
        cmd->entry->value.data = (u_char *) "";
    }

    return ngx_ors_store_ok;
}


static ngx_ors_store_status_e
ngx_ors_redis_take_value(ngx_ors_redis_command_t *cmd, redisReply *reply)
{
    size_t                 max, *left;
    ngx_str_t              text;
    ngx_ors_redis_task_t  *task;

    task = cmd->task;
    max = NGX_MAX_SIZE_T_VALUE;
    left = ngx_ors_redis_is_other(task->job, cmd->entry) ? &max : &task->left;

    ngx_str_null(&cmd->entry->value);

    if (reply->type == REDIS_REPLY_NIL) {
        return ngx_ors_store_ok;
    }

    if (reply->type != REDIS_REPLY_STRING) {
        return ngx_ors_store_corrupt;
    }

    text.data = (u_char *) reply->str;
    text.len = reply->len;

    switch (ngx_ors_record_copy(&text, cmd->entry->parts, left,
                                task->job->pool, &cmd->entry->value))
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

    return (task->job->newest && cmd->entry != task->job->entries)
           ? ngx_ors_store_ok : ngx_ors_store_limit;
}


/* 1 if the entry is none of the chain */

static ngx_uint_t
ngx_ors_redis_is_other(ngx_ors_store_job_t *job, ngx_ors_store_entry_t *entry)
{
    return job->others && entry >= job->others
           && entry < job->others + job->nothers;
}


static ngx_ors_store_status_e
ngx_ors_redis_take_put(ngx_ors_redis_command_t *cmd, redisReply *reply)
{
    size_t      i;
    ngx_str_t   text;

    if (ngx_ors_redis_share_is(cmd)) {
        return ngx_ors_redis_share_status(reply);
    }

    if (cmd->n == 1) {
        return ngx_ors_store_ok;
    }

    if (reply->type != REDIS_REPLY_ARRAY || reply->elements != cmd->n) {
        return ngx_ors_store_corrupt;
    }

    for (i = 0; i < reply->elements; i++) {

        if (reply->element[i]->type == REDIS_REPLY_ERROR) {
            text.data = (u_char *) reply->element[i]->str;
            text.len = reply->element[i]->len;

            return ngx_ors_redis_status(ngx_ors_redis_error(&text));
        }
    }

    return ngx_ors_store_ok;
}


/* continues the chain from the records that have been read */

static ngx_ors_store_status_e
ngx_ors_redis_chain(ngx_ors_redis_task_t *task)
{
    ngx_ors_store_status_e  status;

    status = ngx_ors_chain_next(&task->chain, task->full);

    if (status != ngx_ors_store_ok) {
        return status;
    }

    if (task->chain.n) {
        ngx_ors_redis_start(task, task->chain.batch, task->chain.n);

    } else {
        task->job->entries = task->chain.first;
        task->job->n = task->chain.count;
    }

    return ngx_ors_store_ok;
}
