
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


static void ngx_ors_redis_start(ngx_ors_redis_task_t *task,
    ngx_ors_store_entry_t *entries, ngx_uint_t n);
static void ngx_ors_redis_timeout_handler(ngx_event_t *ev);
static ngx_ors_store_status_e ngx_ors_redis_take(ngx_ors_redis_command_t *cmd,
    redisReply *reply);
static ngx_ors_store_status_e ngx_ors_redis_take_value(
    ngx_ors_redis_command_t *cmd, redisReply *reply);
static ngx_ors_store_status_e ngx_ors_redis_take_put(
    ngx_ors_redis_command_t *cmd, redisReply *reply);
static ngx_ors_store_status_e ngx_ors_redis_leaf(ngx_ors_redis_task_t *task);
static ngx_ors_store_status_e ngx_ors_redis_climb(ngx_ors_redis_task_t *task);
static ngx_ors_store_status_e ngx_ors_redis_record(
    ngx_ors_store_entry_t *entry, ngx_ors_record_t *rec);
static ngx_ors_store_status_e ngx_ors_redis_chained(
    ngx_ors_redis_task_t *task, ngx_ors_store_entry_t *first);
static ngx_ors_store_status_e ngx_ors_redis_ancestors(
    ngx_ors_redis_task_t *task, ngx_ors_record_t *rec);


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
     *     task->entries = NULL;
     *     task->over = 0;
     */

    task->redis = redis;
    task->job = job;
    task->left = job->max_size ? job->max_size : NGX_MAX_SIZE_T_VALUE;
    ngx_queue_init(&task->commands);
    ngx_queue_insert_tail(&redis->tasks, &job->queue);

    task->timer.handler = ngx_ors_redis_timeout_handler;
    task->timer.data = task;
    task->timer.log = redis->log;

    ngx_add_timer(&task->timer, redis->store->timeout);

    ngx_ors_redis_start(task, job->entries, job->n);
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


/* who asked is told from the event loop, and never by a call of its own */

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
            status = task->entries ? ngx_ors_redis_climb(task)
                                   : ngx_ors_redis_leaf(task);

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
    ngx_str_t              text;
    ngx_ors_redis_task_t  *task;

    task = cmd->task;

    ngx_str_null(&cmd->entry->value);

    if (reply->type == REDIS_REPLY_NIL) {
        return ngx_ors_store_ok;
    }

    if (reply->type != REDIS_REPLY_STRING) {
        return ngx_ors_store_corrupt;
    }

    text.data = (u_char *) reply->str;
    text.len = reply->len;

    switch (ngx_ors_record_copy(&text, cmd->entry->parts, &task->left,
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


static ngx_ors_store_status_e
ngx_ors_redis_take_put(ngx_ors_redis_command_t *cmd, redisReply *reply)
{
    size_t      i;
    ngx_str_t   text;

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


/* a chain: the last record says how many there are, and names the nearest */

static ngx_ors_store_status_e
ngx_ors_redis_leaf(ngx_ors_redis_task_t *task)
{
    ngx_ors_record_t         rec;
    ngx_ors_store_job_t     *job;
    ngx_ors_store_status_e   status;

    job = task->job;

    status = ngx_ors_redis_record(job->entries, &rec);
    if (status != ngx_ors_store_ok) {
        return status;
    }

    if (rec.depth >= job->max_turns) {

        if (!job->newest) {
            return ngx_ors_store_limit;
        }

        task->floor = rec.depth - job->max_turns + 1;
    }

    task->depth = rec.depth;
    task->known = rec.depth;

    task->entries = ngx_pcalloc(job->pool, (task->depth - task->floor + 1)
                                           * sizeof(ngx_ors_store_entry_t));
    if (task->entries == NULL) {
        return ngx_ors_store_unavailable;
    }

    *ngx_ors_redis_entry(task, task->depth) = job->entries[0];

    return ngx_ors_redis_ancestors(task, &rec);
}


/* those that were asked for are there */

static ngx_ors_store_status_e
ngx_ors_redis_climb(ngx_ors_redis_task_t *task)
{
    ngx_ors_record_t         rec;
    ngx_ors_store_entry_t   *entry;
    ngx_ors_store_status_e   status;

    do {
        entry = ngx_ors_redis_entry(task, task->known - 1);

        if (task->full && entry->value.data == NULL) {
            task->floor = task->known;
            return ngx_ors_redis_chained(task, entry + 1);
        }

        status = ngx_ors_redis_record(entry, &rec);
        if (status != ngx_ors_store_ok) {
            return status;
        }

        task->known--;

    } while (task->known > task->asked);

    return ngx_ors_redis_ancestors(task, &rec);
}


static ngx_ors_store_status_e
ngx_ors_redis_record(ngx_ors_store_entry_t *entry, ngx_ors_record_t *rec)
{
    if (entry->value.data == NULL) {
        return ngx_ors_store_absent;
    }

    return (ngx_ors_record_read(rec, &entry->value) == NGX_OK)
           ? ngx_ors_store_ok : ngx_ors_store_corrupt;
}


/* "rec" is the oldest one that is known: asks for those that it names */

static ngx_ors_store_status_e
ngx_ors_redis_ancestors(ngx_ors_redis_task_t *task, ngx_ors_record_t *rec)
{
    ngx_uint_t              i, n;
    ngx_ors_store_entry_t  *entry;

    if (task->known == task->floor) {
        return ngx_ors_redis_chained(task, task->entries);
    }

    n = ngx_min(rec->nancestors, task->known - task->floor);

    if (n == 0) {
        return ngx_ors_store_corrupt;
    }

    task->asked = task->known - n;

    for (i = 0; i < n; i++) {
        entry = ngx_ors_redis_entry(task, task->known - 1 - i);

        entry->parts = task->job->entries[0].parts;
        entry->key = ngx_ors_redis_entry(task, task->depth)->key;
        ngx_memcpy(entry->key.name, rec->ancestors + i * NGX_ORS_STORE_KEY,
                   NGX_ORS_STORE_KEY);
    }

    ngx_ors_redis_start(task, ngx_ors_redis_entry(task, task->asked), n);

    return ngx_ors_store_ok;
}


/* the chain is complete, or as much of it as was asked for: from "first" */

static ngx_ors_store_status_e
ngx_ors_redis_chained(ngx_ors_redis_task_t *task, ngx_ors_store_entry_t *first)
{
    task->job->entries = first;
    task->job->n = task->depth - task->floor + 1;

    return ngx_ors_store_ok;
}
