
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Commands to Redis: sent, answered, sent again to another server.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_redis.h>
#include <ngx_ors_redis_share.h>


#define NGX_ORS_REDIS_HOPS   5
#define NGX_ORS_REDIS_PAUSE  50


#define ngx_ors_redis_redirects(cmd)                                          \
    ((cmd)->error == ngx_ors_redis_moved || (cmd)->error == ngx_ors_redis_ask)


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


ngx_ors_redis_command_t *
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


void
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
    time_t              ttl;
    u_char              key[NGX_ORS_REDIS_PREFIX + NGX_ORS_REDIS_KEY];
    u_char              seconds[NGX_TIME_T_LEN];
    ngx_str_t           args[6];
    ngx_ors_store_op_e  op;

    args[1].data = key;
    args[1].len = ngx_ors_redis_key(&cmd->redis->conf->prefix, &entry->key,
                                    key)
                  - key;

    op = cmd->task->job->op;

    if (op != ngx_ors_store_put && op != ngx_ors_store_add) {
        ngx_str_set(&args[0], "GET");

        if (op == ngx_ors_store_delete) {
            ngx_str_set(&args[0], "DEL");
        }

        return ngx_ors_redis_write_args(cmd, 2, args);
    }

    ttl = entry->expires - ngx_time();

    if (entry->value.data == NULL) {
        ngx_str_set(&args[0], "EXPIRE");
        args[2].data = seconds;
        args[2].len = ngx_sprintf(seconds, "%T", ttl) - seconds;

        return ngx_ors_redis_write_args(cmd, 3, args);
    }

    /* SET refuses a time to live that is not above 0 */

    ttl = ngx_max(ttl, 1);

    ngx_str_set(&args[0], "SET");
    args[2] = entry->value;
    ngx_str_set(&args[3], "EX");
    args[4].data = seconds;
    args[4].len = ngx_sprintf(seconds, "%T", ttl) - seconds;
    ngx_str_set(&args[5], "NX");

    return ngx_ors_redis_write_args(cmd, (op == ngx_ors_store_add) ? 6 : 5,
                                    args);
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

    if (cmd->gone) {
        cmd->written = 1;
        ngx_ors_redis_place(cmd, &cmd->redis->lost);
        return;
    }

    if (cmd->failed) {
        ngx_ors_redis_mishap(cmd);
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


void
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


void
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


void
ngx_ors_redis_free(ngx_ors_redis_t *redis)
{
    ngx_queue_t  *q, *next;

    for (q = ngx_queue_head(&redis->free);
         q != ngx_queue_sentinel(&redis->free);
         q = next)
    {
        next = ngx_queue_next(q);

        ngx_free(ngx_queue_data(q, ngx_ors_redis_command_t, queue));
    }
}
