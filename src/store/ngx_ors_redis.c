
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The Redis engine at work: commands, which are sent, answered, and sent again
 * to another server; the jobs that they are of; the servers of a cluster.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_redis.h>
#include <ngx_ors_record.h>
#include <ngx_ors_names.h>


#define NGX_ORS_REDIS_HOPS   5
#define NGX_ORS_REDIS_PAUSE  50


#define ngx_ors_redis_redirects(cmd)                                          \
    ((cmd)->error == ngx_ors_redis_moved || (cmd)->error == ngx_ors_redis_ask)

/* bytes of a reply, if no record may be larger, and of what is around it */
#define NGX_ORS_REDIS_REPLY        (16 * 1024 * 1024)
#define NGX_ORS_REDIS_REPLY_SPARE  65536

/* ms between two looks at all slots */
#define NGX_ORS_REDIS_REFRESH  1000


/* a link to one address, with its texts */

typedef struct {
    ngx_ors_redis_link_t      link;
    ngx_ors_redis_addr_t      addr;
    u_char                    host[NGX_ORS_REDIS_HOST];
    u_char                    text[NGX_ORS_REDIS_HOST + sizeof(":65535")];
} ngx_ors_redis_node_t;


static ngx_ors_redis_command_t *ngx_ors_redis_command(
    ngx_ors_redis_task_t *task, ngx_ors_store_entry_t *entry, ngx_uint_t n);
static void ngx_ors_redis_send(ngx_ors_redis_command_t *cmd);
static void ngx_ors_redis_write(ngx_ors_redis_command_t *cmd,
    ngx_ors_redis_link_t *link);
static ngx_int_t ngx_ors_redis_write_all(ngx_ors_redis_command_t *cmd);
static ngx_int_t ngx_ors_redis_write_entry(ngx_ors_redis_command_t *cmd,
    ngx_ors_store_entry_t *entry);
static ngx_int_t ngx_ors_redis_write_word(ngx_ors_redis_command_t *cmd,
    char *word);
static ngx_int_t ngx_ors_redis_write_args(ngx_ors_redis_command_t *cmd,
    ngx_uint_t n, ngx_str_t *args);
static void ngx_ors_redis_reply(redisAsyncContext *context, void *reply,
    void *data);
static void ngx_ors_redis_note(ngx_ors_redis_command_t *cmd,
    redisReply *reply);
static void ngx_ors_redis_over(ngx_ors_redis_command_t *cmd,
    redisReply *reply);
static void ngx_ors_redis_mishap(ngx_ors_redis_command_t *cmd);
static void ngx_ors_redis_pause(ngx_ors_redis_command_t *cmd);
static void ngx_ors_redis_place(ngx_ors_redis_command_t *cmd,
    ngx_queue_t *queue);
static void ngx_ors_redis_fail(ngx_ors_redis_command_t *cmd,
    ngx_ors_store_status_e status);
static void ngx_ors_redis_release(ngx_ors_redis_command_t *cmd);
static void ngx_ors_redis_forget(ngx_ors_redis_command_t *cmd);
static void ngx_ors_redis_link_event(ngx_ors_redis_link_t *link);
static void ngx_ors_redis_start(ngx_ors_redis_task_t *task,
    ngx_ors_store_entry_t *entries, ngx_uint_t n);
static void ngx_ors_redis_end(ngx_ors_redis_task_t *task,
    ngx_ors_store_status_e status);
static void ngx_ors_redis_answer(ngx_ors_redis_command_t *cmd,
    redisReply *reply);
static ngx_ors_store_status_e ngx_ors_redis_take(ngx_ors_redis_command_t *cmd,
    redisReply *reply);
static ngx_ors_store_status_e ngx_ors_redis_take_value(
    ngx_ors_redis_command_t *cmd, redisReply *reply);
static ngx_uint_t ngx_ors_redis_is_other(ngx_ors_store_job_t *job,
    ngx_ors_store_entry_t *entry);
static ngx_ors_store_status_e ngx_ors_redis_take_put(
    ngx_ors_redis_command_t *cmd, redisReply *reply);
static ngx_ors_store_status_e ngx_ors_redis_chain(ngx_ors_redis_task_t *task);
static void ngx_ors_redis_link_add(ngx_ors_redis_t *redis,
    ngx_ors_redis_link_t *link);
static ngx_ors_redis_link_t *ngx_ors_redis_route(ngx_ors_redis_t *redis,
    ngx_ors_store_key_t *key);
static ngx_ors_redis_link_t *ngx_ors_redis_any(ngx_ors_redis_t *redis);
static ngx_ors_redis_link_t *ngx_ors_redis_follow(ngx_ors_redis_t *redis,
    ngx_ors_redis_link_t *from, ngx_str_t *text, ngx_uint_t moved);
static ngx_ors_redis_link_t *ngx_ors_redis_known(ngx_ors_redis_t *redis,
    ngx_str_t *host, in_port_t port);
static ngx_ors_redis_link_t *ngx_ors_redis_node(ngx_ors_redis_t *redis,
    ngx_str_t *host, in_port_t port);
static ngx_ors_redis_node_t *ngx_ors_redis_node_create(
    ngx_ors_redis_t *redis);
static ngx_uint_t ngx_ors_redis_learn(ngx_ors_redis_t *redis);
static void ngx_ors_redis_refreshed(redisAsyncContext *context, void *reply,
    void *data);
static void ngx_ors_redis_range(ngx_ors_redis_t *redis,
    ngx_ors_redis_link_t *from, redisReply *range);
static void ngx_ors_redis_retire(ngx_ors_redis_t *redis);


/*
 * A new command for "n" entries of a task, not yet on its way.  NULL: no
 * memory.
 */

static ngx_ors_redis_command_t *
ngx_ors_redis_command(ngx_ors_redis_task_t *task,
    ngx_ors_store_entry_t *entry, ngx_uint_t n)
{
    ngx_queue_t              *q;
    ngx_ors_redis_t          *redis;
    ngx_ors_redis_command_t  *cmd;

    redis = task->redis;

    if (ngx_queue_empty(&redis->free)) {

        cmd = ngx_alloc(sizeof(ngx_ors_redis_command_t), redis->log);
        if (cmd == NULL) {
            return NULL;
        }

    } else {
        q = ngx_queue_head(&redis->free);
        ngx_queue_remove(q);

        cmd = ngx_queue_data(q, ngx_ors_redis_command_t, queue);
    }

    ngx_memzero(cmd, sizeof(ngx_ors_redis_command_t));

    cmd->redis = redis;
    cmd->task = task;
    cmd->entry = entry;
    cmd->n = n;

    ngx_queue_insert_tail(&task->commands, &cmd->queue);

    return cmd;
}


/* Sends it, now or as soon as there is a link that is up, or fails it. */

static void
ngx_ors_redis_send(ngx_ors_redis_command_t *cmd)
{
    ngx_ors_redis_link_t  *link;

    link = cmd->target ? cmd->target
                       : ngx_ors_redis_route(cmd->redis, &cmd->entry->key);

    if (link->state == ngx_ors_redis_link_up) {
        ngx_ors_redis_write(cmd, link);
        return;
    }

    if (!ngx_ors_redis_link_usable(link)) {
        ngx_ors_redis_fail(cmd, ngx_ors_store_unavailable);
        return;
    }

    ngx_ors_redis_place(cmd, &link->waiting);
    ngx_ors_redis_link_open(link);
}


static void
ngx_ors_redis_write(ngx_ors_redis_command_t *cmd, ngx_ors_redis_link_t *link)
{
    cmd->link = link;
    cmd->failed = 0;
    cmd->gone = 0;

    /* a link that breaks meanwhile tells all replies of it at once */

    cmd->writing = 1;

    if (ngx_ors_redis_write_all(cmd) != NGX_OK) {
        cmd->gone = 1;
    }

    cmd->writing = 0;

    if (cmd->replies == 0) {
        ngx_ors_redis_over(cmd, NULL);
    }
}


static ngx_int_t
ngx_ors_redis_write_all(ngx_ors_redis_command_t *cmd)
{
    ngx_str_t   *args;
    ngx_uint_t   i, n;

    /* it holds for all of a transaction */

    if (cmd->asking && ngx_ors_redis_write_word(cmd, "ASKING") != NGX_OK) {
        return NGX_ERROR;
    }

    if (ngx_ors_redis_share_is(cmd)) {
        return (ngx_ors_redis_share_args(cmd, &args, &n) == NGX_OK)
               ? ngx_ors_redis_write_args(cmd, n, args) : NGX_ERROR;
    }

    if (cmd->n == 1) {
        return ngx_ors_redis_write_entry(cmd, cmd->entry);
    }

    if (ngx_ors_redis_write_word(cmd, "MULTI") != NGX_OK) {
        return NGX_ERROR;
    }

    for (i = 0; i < cmd->n; i++) {
        if (ngx_ors_redis_write_entry(cmd, &cmd->entry[i]) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return ngx_ors_redis_write_word(cmd, "EXEC");
}


/*
 * The command has the time to live and not its end, as clocks of machines
 * differ.
 */

static ngx_int_t
ngx_ors_redis_write_entry(ngx_ors_redis_command_t *cmd,
    ngx_ors_store_entry_t *entry)
{
    u_char              key[NGX_ORS_REDIS_PREFIX + NGX_ORS_REDIS_KEY];
    u_char              text[NGX_TIME_T_LEN];
    ngx_str_t           args[6], seconds;
    ngx_uint_t          n;
    ngx_ors_store_op_e  op;

    args[1].data = key;
    args[1].len = ngx_ors_redis_key(&cmd->redis->conf->prefix, &entry->key,
                                    key)
                  - key;

    op = cmd->task->job->op;
    n = 2;

    ngx_str_set(&args[0], "GET");

    if (op == ngx_ors_store_delete) {
        ngx_str_set(&args[0], "DEL");

    } else if (op == ngx_ors_store_put || op == ngx_ors_store_add) {
        seconds.data = text;
        seconds.len = ngx_sprintf(text, "%T", ngx_ors_redis_ttl(entry)) - text;

        if (entry->value.data) {
            ngx_str_set(&args[0], "SET");
            args[2] = entry->value;
            ngx_str_set(&args[3], "EX");
            args[4] = seconds;
            ngx_str_set(&args[5], "NX");

            n = (op == ngx_ors_store_add) ? 6 : 5;

        } else {
            ngx_str_set(&args[0], "EXPIRE");
            args[2] = seconds;
            n = 3;
        }
    }

    return ngx_ors_redis_write_args(cmd, n, args);
}


time_t
ngx_ors_redis_ttl(ngx_ors_store_entry_t *entry)
{
    time_t  ttl;

    ttl = entry->expires - ngx_time();

    return entry->value.data ? ngx_max(ttl, 1) : ttl;
}


static ngx_int_t
ngx_ors_redis_write_word(ngx_ors_redis_command_t *cmd, char *word)
{
    ngx_str_t  arg;

    arg.data = (u_char *) word;
    arg.len = ngx_strlen(word);

    return ngx_ors_redis_write_args(cmd, 1, &arg);
}


static ngx_int_t
ngx_ors_redis_write_args(ngx_ors_redis_command_t *cmd, ngx_uint_t n,
    ngx_str_t *args)
{
    if (ngx_ors_redis_link_write(cmd->link, ngx_ors_redis_reply, cmd, n, args)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    cmd->replies++;

    return NGX_OK;
}


static void
ngx_ors_redis_reply(redisAsyncContext *context, void *reply, void *data)
{
    redisReply               *r = reply;
    ngx_ors_redis_command_t  *cmd = data;

    cmd->replies--;

    if (r == NULL) {
        cmd->gone = 1;

    } else if (r->type == REDIS_REPLY_ERROR && !cmd->failed && cmd->task) {
        ngx_ors_redis_note(cmd, r);
    }

    if (cmd->replies == 0 && !cmd->writing) {
        ngx_ors_redis_over(cmd, r);
    }
}


/* the first error says why, those of a transaction that follow do not */

static void
ngx_ors_redis_note(ngx_ors_redis_command_t *cmd, redisReply *reply)
{
    u_char            reason[NGX_ORS_REDIS_REASON];
    ngx_str_t         text;
    ngx_uint_t        bit, level;
    ngx_ors_redis_t  *redis;

    redis = cmd->redis;

    text.data = (u_char *) reply->str;
    text.len = reply->len;

    cmd->failed = 1;
    cmd->error = ngx_ors_redis_error(&text);

    if (cmd->error == ngx_ors_redis_again) {
        return;
    }

    if (ngx_ors_redis_redirects(cmd) && redis->conf->cluster) {
        cmd->asking = (cmd->error == ngx_ors_redis_ask);
        cmd->target = ngx_ors_redis_follow(redis, cmd->link, &text,
                                           !cmd->asking);
        if (cmd->target) {
            return;
        }

        if (ngx_ors_redis_learn(redis)) {
            cmd->learning = 1;
            return;
        }

        /*
         * the redirection names a host, not an address, or a server outside of
         * the cluster
         */
    }

    /* the server has become a replica: another address may be the master's */

    if ((cmd->error == ngx_ors_redis_readonly
         || cmd->error == ngx_ors_redis_loading)
        && !cmd->link->cluster)
    {
        ngx_ors_redis_link_break(cmd->link, text.data, text.len);
    }

    bit = (ngx_uint_t) 1 << cmd->error;

    text.len = ngx_ors_redis_reason(reason, text.data, text.len);
    text.data = reason;

    level = (redis->said & bit) ? NGX_LOG_INFO : NGX_LOG_ERR;

    ngx_log_error(level, redis->log, 0,
                  "store \"%V\": redis %V says \"%V\"%s",
                  &redis->store->name,
                  &cmd->link->addresses[cmd->link->address].text, &text,
                  !ngx_ors_redis_redirects(cmd) ? ""
                  : redis->conf->cluster
                    ? ", which is no node that a configured server knows"
                    : ", which is not followed without \"cluster=on\"");

    redis->said |= bit;
}


static void
ngx_ors_redis_over(ngx_ors_redis_command_t *cmd, redisReply *reply)
{
    if (cmd->task == NULL) {
        ngx_ors_redis_release(cmd);
        return;
    }

    if (cmd->failed && !cmd->gone) {
        ngx_ors_redis_mishap(cmd);
        return;
    }

    if (cmd->gone || reply == NULL) {
        cmd->written = 1;
        ngx_ors_redis_place(cmd, &cmd->redis->lost);
        return;
    }

    /*
     * a put has worked: the next error is logged again, also one that was
     * logged before
     */

    if (cmd->task->job->op == ngx_ors_store_put) {
        cmd->redis->said = 0;
    }

    ngx_queue_remove(&cmd->queue);

    ngx_ors_redis_answer(cmd, reply);

    ngx_ors_redis_release(cmd);
}


static void
ngx_ors_redis_mishap(ngx_ors_redis_command_t *cmd)
{
    if (cmd->error == ngx_ors_redis_again) {
        cmd->hops = 0;
        ngx_ors_redis_pause(cmd);
        return;
    }

    if (ngx_ors_redis_redirects(cmd)) {

        if (cmd->target && cmd->hops++ < NGX_ORS_REDIS_HOPS) {
            cmd->redirected = 1;
            ngx_ors_redis_place(cmd, &cmd->redis->lost);
            return;
        }

        if (cmd->learning) {
            cmd->learning = 0;
            ngx_ors_redis_pause(cmd);
            return;
        }
    }

    ngx_ors_redis_fail(cmd, ngx_ors_redis_status(cmd->error));
}


/* it is written again after a while: the job's time is the limit */

static void
ngx_ors_redis_pause(ngx_ors_redis_command_t *cmd)
{
    ngx_ors_redis_place(cmd, &cmd->redis->later);

    if (!cmd->redis->timer.timer_set) {
        ngx_add_timer(&cmd->redis->timer, NGX_ORS_REDIS_PAUSE);
    }
}


static void
ngx_ors_redis_place(ngx_ors_redis_command_t *cmd, ngx_queue_t *queue)
{
    cmd->placed = 1;
    ngx_queue_insert_tail(queue, &cmd->place);

    if (queue == &cmd->redis->lost) {
        ngx_post_event(&cmd->redis->event, &ngx_posted_events);
    }
}


static void
ngx_ors_redis_fail(ngx_ors_redis_command_t *cmd,
    ngx_ors_store_status_e status)
{
    ngx_queue_remove(&cmd->queue);

    ngx_ors_redis_end(cmd->task, status);

    ngx_ors_redis_release(cmd);
}


static void
ngx_ors_redis_release(ngx_ors_redis_command_t *cmd)
{
    ngx_queue_insert_head(&cmd->redis->free, &cmd->queue);
}


/* The command has no caller any more; it is freed by its last reply. */

static void
ngx_ors_redis_forget(ngx_ors_redis_command_t *cmd)
{
    ngx_queue_remove(&cmd->queue);
    cmd->task = NULL;

    if (cmd->placed) {
        ngx_queue_remove(&cmd->place);
        ngx_ors_redis_release(cmd);
    }
}


/*
 * A put that was written when its link was lost may have been done or not.
 * It is written again, once: the same bytes under the same names make no
 * difference, and a name has one writer.  Only a delete by somebody else in
 * that moment would be undone, of what no client has heard of yet.
 * Reads are written again.  A delete is not: it would find nothing if it
 * had been done, and say so; an add would find its own entry.
 */

void
ngx_ors_redis_resend(ngx_queue_t *commands)
{
    ngx_queue_t               queue, *q;
    ngx_ors_redis_command_t  *cmd;

    if (ngx_queue_empty(commands)) {
        return;
    }

    ngx_queue_init(&queue);
    ngx_queue_add(&queue, commands);
    ngx_queue_init(commands);

    while (!ngx_queue_empty(&queue)) {
        q = ngx_queue_head(&queue);
        ngx_queue_remove(q);

        cmd = ngx_queue_data(q, ngx_ors_redis_command_t, place);
        cmd->placed = 0;

        if (cmd->written) {
            cmd->written = 0;

            if (cmd->again
                || cmd->task->job->op == ngx_ors_store_delete
                || cmd->task->job->op == ngx_ors_store_add)
            {
                ngx_ors_redis_fail(cmd, ngx_ors_store_unavailable);
                continue;
            }

            cmd->again = 1;
        }

        /* a redirection is for one attempt */

        if (!cmd->redirected) {
            cmd->target = NULL;
            cmd->asking = 0;
        }

        cmd->redirected = 0;

        ngx_ors_redis_send(cmd);
    }
}


/* A link has come up, or was lost: the handler of links. */

static void
ngx_ors_redis_link_event(ngx_ors_redis_link_t *link)
{
    ngx_queue_t              *q;
    ngx_ors_redis_command_t  *cmd;

    if (link->state == ngx_ors_redis_link_up) {

        while (!ngx_queue_empty(&link->waiting)
               && link->state == ngx_ors_redis_link_up)
        {
            q = ngx_queue_head(&link->waiting);
            ngx_queue_remove(q);

            cmd = ngx_queue_data(q, ngx_ors_redis_command_t, place);
            cmd->placed = 0;

            ngx_ors_redis_write(cmd, link);
        }

    } else if (!ngx_ors_redis_link_usable(link)) {
        ngx_ors_redis_resend(&link->waiting);
    }
}


/*
 * Jobs of the Redis engine: the commands of each one, and what their replies
 * mean.
 */


void
ngx_ors_redis_post(ngx_ors_store_job_t *job)
{
    ngx_ors_redis_t       *redis;
    ngx_ors_redis_task_t  *task;

    redis = job->store->state;

    task = ngx_pcalloc(job->pool, sizeof(ngx_ors_redis_task_t));
    job->state = task;

    if (task == NULL) {
        ngx_ors_store_return(job, ngx_ors_store_unavailable);
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


void
ngx_ors_redis_timeout(ngx_ors_store_job_t *job)
{
    ngx_ors_redis_end(job->state, ngx_ors_store_timeout);
}


/* Ends a job; later replies to its commands are ignored. */

static void
ngx_ors_redis_end(ngx_ors_redis_task_t *task, ngx_ors_store_status_e status)
{
    ngx_queue_t  *q;

    if (task->over) {
        return;
    }

    task->over = 1;

    while (!ngx_queue_empty(&task->commands)) {
        q = ngx_queue_head(&task->commands);
        ngx_ors_redis_forget(ngx_queue_data(q, ngx_ors_redis_command_t,
                                            queue));
    }

    ngx_queue_remove(&task->job->queue);

    ngx_ors_store_return(task->job, status);
}


/*
 * The commands for an entry, or "n" of them in a transaction, are over: all
 * replies are there.  "reply" is the last one, and no error.
 */

static void
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
        return (reply->type != REDIS_REPLY_INTEGER) ? ngx_ors_store_corrupt
               : reply->integer ? ngx_ors_store_ok : ngx_ors_store_share;
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


/*
 * The servers of a cluster, and which of them has which slot.
 */


ngx_int_t
ngx_ors_redis_seed(ngx_ors_redis_t *redis)
{
    redis->seed = ngx_calloc(sizeof(ngx_ors_redis_link_t), redis->log);
    if (redis->seed == NULL) {
        return NGX_ERROR;
    }

    redis->seed->addresses = redis->conf->addresses.elts;
    redis->seed->naddresses = redis->conf->addresses.nelts;

    ngx_ors_redis_link_add(redis, redis->seed);

    return NGX_OK;
}


static void
ngx_ors_redis_link_add(ngx_ors_redis_t *redis, ngx_ors_redis_link_t *link)
{
    link->login = &redis->conf->login;
    link->timeout = redis->store->timeout;
    link->name = &redis->store->name;
    link->log = redis->log;
    link->limit = ngx_max(redis->store->record, NGX_ORS_REDIS_REPLY)
                  + NGX_ORS_REDIS_REPLY_SPARE;
    link->handler = ngx_ors_redis_link_event;

    ngx_ors_redis_link_init(link);

    redis->links[redis->nlinks++] = link;
}


/* The link for the keys of a scope, which may not be usable. */

static ngx_ors_redis_link_t *
ngx_ors_redis_route(ngx_ors_redis_t *redis, ngx_ors_store_key_t *key)
{
    ngx_ors_redis_link_t  *link, *other;

    if (redis->slots == NULL) {
        return redis->seed;
    }

    link = redis->slots[ngx_ors_redis_slot(key)];

    if (link && ngx_ors_redis_link_usable(link)) {
        return link;
    }

    /* its node is gone: any other one knows who has its slots now */

    other = ngx_ors_redis_any(redis);

    return other ? other : link ? link : redis->seed;
}


/* the seed, if it may be used, or else a link that is up, or NULL */

static ngx_ors_redis_link_t *
ngx_ors_redis_any(ngx_ors_redis_t *redis)
{
    ngx_uint_t  i;

    if (ngx_ors_redis_link_usable(redis->seed)) {
        return redis->seed;
    }

    for (i = 1; i < redis->nlinks; i++) {

        if (redis->links[i]->state == ngx_ors_redis_link_up) {
            return redis->links[i];
        }
    }

    return NULL;
}


/*
 * A link to the node that a MOVED or ASK, said on "from", leads to; a MOVED
 * is remembered.  NULL: it cannot be followed, as no configured server has
 * said that the node is one of the cluster.
 */

static ngx_ors_redis_link_t *
ngx_ors_redis_follow(ngx_ors_redis_t *redis, ngx_ors_redis_link_t *from,
    ngx_str_t *text, ngx_uint_t moved)
{
    ngx_ors_redis_addr_t      *addr;
    ngx_ors_redis_link_t      *link;
    ngx_ors_redis_redirect_t   to;

    if (ngx_ors_redis_redirect(text, &to) != NGX_OK) {
        return NULL;
    }

    if (to.host.len == 0) {
        addr = &from->addresses[from->address];

        if (addr->port == 0) {
            return NULL;
        }

        to.host = addr->host;
    }

    link = ngx_ors_redis_known(redis, &to.host, to.port);

    if (link == NULL || !moved) {
        return link;
    }

    redis->slots[to.slot] = link;

    (void) ngx_ors_redis_learn(redis);

    return link;
}


/*
 * The link to an address, or NULL.  The password is sent to configured
 * servers only: a redirection must not lead it to another one
 */

static ngx_ors_redis_link_t *
ngx_ors_redis_known(ngx_ors_redis_t *redis, ngx_str_t *host, in_port_t port)
{
    ngx_uint_t             i;
    ngx_ors_redis_addr_t  *addr;

    for (i = 0; i < redis->nlinks; i++) {
        addr = &redis->links[i]->addresses[redis->links[i]->address];

        if (addr->port == port && ngx_ors_same(&addr->host, host)) {
            return redis->links[i];
        }
    }

    return NULL;
}


/* the same, a new one if there is none */

static ngx_ors_redis_link_t *
ngx_ors_redis_node(ngx_ors_redis_t *redis, ngx_str_t *host, in_port_t port)
{
    ngx_ors_redis_link_t  *link;
    ngx_ors_redis_node_t  *node;

    link = ngx_ors_redis_known(redis, host, port);
    if (link) {
        return link;
    }

    node = ngx_ors_redis_node_create(redis);
    if (node == NULL) {
        return NULL;
    }

    ngx_cpystrn(node->host, host->data, host->len + 1);

    node->addr.host.data = node->host;
    node->addr.host.len = host->len;
    node->addr.port = port;
    node->addr.text.data = node->text;
    node->addr.text.len = ngx_sprintf(node->text, "%V:%d", host, (int) port)
                          - node->text;

    return &node->link;
}


/* nodes come and go: the place of one that has gone is used again */

static ngx_ors_redis_node_t *
ngx_ors_redis_node_create(ngx_ors_redis_t *redis)
{
    ngx_uint_t             i;
    ngx_ors_redis_link_t  *link;
    ngx_ors_redis_node_t  *node;

    if (redis->nlinks <= NGX_ORS_REDIS_LINKS) {

        node = ngx_calloc(sizeof(ngx_ors_redis_node_t), redis->log);
        if (node == NULL) {
            return NULL;
        }

        node->link.addresses = &node->addr;
        node->link.naddresses = 1;

        ngx_ors_redis_link_add(redis, &node->link);

        return node;
    }

    for (i = 1; i < redis->nlinks; i++) {
        link = redis->links[i];

        if (!link->used && link->state == ngx_ors_redis_link_closed) {
            return (ngx_ors_redis_node_t *) link;
        }
    }

    ngx_log_error(NGX_LOG_ERR, redis->log, 0,
                  "store \"%V\": the cluster of redis has more than %d nodes",
                  &redis->store->name, NGX_ORS_REDIS_LINKS);

    return NULL;
}


/*
 * Asks a configured server for the nodes of the cluster.  1 if the answer is
 * on its way, 0 if it has just come, or cannot come.  When one slot has moved
 * others may have.
 */

static ngx_uint_t
ngx_ors_redis_learn(ngx_ors_redis_t *redis)
{
    ngx_str_t              args[2];
    ngx_ors_redis_link_t  *link;

    if (redis->refreshing) {
        return 1;
    }

    if (redis->refreshed
        && ngx_current_msec - redis->refreshed < NGX_ORS_REDIS_REFRESH)
    {
        return 0;
    }

    link = redis->seed;

    if (link->state != ngx_ors_redis_link_up) {

        if (!ngx_ors_redis_link_usable(link)) {
            return 0;
        }

        ngx_ors_redis_link_open(link);

        return 1;
    }

    ngx_str_set(&args[0], "CLUSTER");
    ngx_str_set(&args[1], "SLOTS");

    redis->refreshing = 1;

    if (ngx_ors_redis_link_write(link, ngx_ors_redis_refreshed, redis, 2,
                                 args)
        != NGX_OK)
    {
        redis->refreshing = 0;
    }

    return redis->refreshing;
}


static void
ngx_ors_redis_refreshed(redisAsyncContext *context, void *reply, void *data)
{
    size_t            i;
    redisReply       *r = reply;
    ngx_ors_redis_t  *redis = data;

    redis->refreshing = 0;

    /* commands may wait for it */

    if (redis->timer.timer_set) {
        ngx_add_timer(&redis->timer, 1);
    }

    if (r == NULL) {
        return;
    }

    redis->refreshed = ngx_current_msec;

    if (r->type != REDIS_REPLY_ARRAY || r->elements == 0) {
        return;
    }

    for (i = 0; i < redis->nlinks; i++) {
        redis->links[i]->used = 0;
    }

    ngx_memzero(redis->slots, NGX_ORS_REDIS_SLOTS
                              * sizeof(ngx_ors_redis_link_t *));

    for (i = 0; i < r->elements; i++) {
        ngx_ors_redis_range(redis, context->ev.data, r->element[i]);
    }

    ngx_ors_redis_retire(redis);
}


/* [first, last, [host, port, ...] of the master, ...] */

static void
ngx_ors_redis_range(ngx_ors_redis_t *redis, ngx_ors_redis_link_t *from,
    redisReply *range)
{
    ngx_str_t                  host;
    ngx_uint_t                 slot;
    ngx_ors_redis_link_t      *link;
    ngx_ors_redis_range_t      r;

    if (ngx_ors_redis_range_read(range, &r) != NGX_OK) {
        return;
    }

    host = r.host;

    if (host.len == 0) {
        host = from->addresses[from->address].host;
    }

    if (!ngx_ors_redis_numeric(&host)) {
        return;
    }

    link = ngx_ors_redis_node(redis, &host, r.port);
    if (link == NULL) {
        return;
    }

    link->used = 1;

    for (slot = r.first; slot <= r.last; slot++) {
        redis->slots[slot] = link;
    }
}


/* a node without slots is not connected to any more */

static void
ngx_ors_redis_retire(ngx_ors_redis_t *redis)
{
    ngx_uint_t             i;
    ngx_ors_redis_link_t  *link;

    for (i = 1; i < redis->nlinks; i++) {
        link = redis->links[i];

        if (!link->used && !link->busy
            && ngx_queue_empty(&link->waiting)
            && (link->context == NULL
                || link->context->replies.head == NULL))
        {
            ngx_ors_redis_link_close(link);
        }
    }
}


void
ngx_ors_redis_close(ngx_ors_redis_t *redis)
{
    ngx_uint_t            i;
    ngx_queue_t          *q, *next;
    ngx_ors_store_job_t  *job;

    while (!ngx_queue_empty(&redis->tasks)) {
        q = ngx_queue_head(&redis->tasks);
        job = ngx_queue_data(q, ngx_ors_store_job_t, queue);

        ngx_ors_redis_end(job->state, ngx_ors_store_unavailable);
    }

    for (i = 0; i < redis->nlinks; i++) {
        ngx_ors_redis_link_close(redis->links[i]);
        ngx_free(redis->links[i]);
    }

    for (q = ngx_queue_head(&redis->free);
         q != ngx_queue_sentinel(&redis->free);
         q = next)
    {
        next = ngx_queue_next(q);
        ngx_free(ngx_queue_data(q, ngx_ors_redis_command_t, queue));
    }
}


ngx_uint_t
ngx_ors_redis_down(ngx_ors_store_t *store)
{
    return ngx_ors_redis_any(store->state) == NULL;
}
