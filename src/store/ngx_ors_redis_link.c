
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A connection to Redis: made, greeted, lost and made again.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_redis_link.h>
#include <hiredis/sds.h>


/* a link that is lost sooner than that has not been up */
#define NGX_ORS_REDIS_STABLE    1000


static void ngx_ors_redis_link_connect(ngx_ors_redis_link_t *link);
static ngx_int_t ngx_ors_redis_link_attach(ngx_ors_redis_link_t *link,
    redisAsyncContext *context);
static ngx_int_t ngx_ors_redis_link_greet(ngx_ors_redis_link_t *link);
static void ngx_ors_redis_link_greeted(redisAsyncContext *context,
    void *reply, void *data);
static void ngx_ors_redis_link_ready(redisAsyncContext *context, void *reply,
    void *data);
static void ngx_ors_redis_link_cluster(redisAsyncContext *context,
    void *reply, void *data);
static void ngx_ors_redis_link_role(redisAsyncContext *context, void *reply,
    void *data);
static ngx_int_t ngx_ors_redis_link_command(ngx_ors_redis_link_t *link,
    redisCallbackFn *handler, void *data, ngx_uint_t n, ngx_str_t *args);
static void ngx_ors_redis_link_failed(ngx_ors_redis_link_t *link,
    char *reason);
static void ngx_ors_redis_link_lost(ngx_ors_redis_link_t *link,
    ngx_uint_t level);
static void ngx_ors_redis_link_say(ngx_ors_redis_link_t *link,
    ngx_uint_t level);

static void ngx_ors_redis_link_read_handler(ngx_event_t *rev);
static void ngx_ors_redis_link_write_handler(ngx_event_t *wev);
static void ngx_ors_redis_link_event_handler(ngx_event_t *ev);
static void ngx_ors_redis_link_timer_handler(ngx_event_t *ev);
static void ngx_ors_redis_link_flush(redisContext *context);
static void ngx_ors_redis_link_done(ngx_ors_redis_link_t *link);

static void ngx_ors_redis_link_add_read(void *data);
static void ngx_ors_redis_link_del_read(void *data);
static void ngx_ors_redis_link_add_write(void *data);
static void ngx_ors_redis_link_add(ngx_ors_redis_link_t *link,
    ngx_event_t *ev, ngx_int_t event);
static void ngx_ors_redis_link_del_write(void *data);
static void ngx_ors_redis_link_cleanup(void *data);


void
ngx_ors_redis_link_init(ngx_ors_redis_link_t *link)
{
    ngx_queue_init(&link->waiting);

    link->event.handler = ngx_ors_redis_link_event_handler;
    link->event.data = link;
    link->event.log = link->log;

    /* a worker that leaves does not wait for a connection */

    link->timer.handler = ngx_ors_redis_link_timer_handler;
    link->timer.data = link;
    link->timer.log = link->log;
    link->timer.cancelable = 1;
}


void
ngx_ors_redis_link_open(ngx_ors_redis_link_t *link)
{
    if (link->state == ngx_ors_redis_link_closed) {
        ngx_ors_redis_link_connect(link);
    }
}


static void
ngx_ors_redis_link_connect(ngx_ors_redis_link_t *link)
{
    redisAsyncContext     *context;
    ngx_ors_redis_addr_t  *addr;

    addr = &link->addresses[link->address];

    link->state = ngx_ors_redis_link_greeting;
    link->began = ngx_current_msec;
    link->broken = 0;
    link->refused = NULL;
    link->silent = 0;
    link->mute = 0;

    context = addr->port
              ? redisAsyncConnect((char *) addr->host.data, addr->port)
              : redisAsyncConnectUnix((char *) addr->host.data);

    if (context == NULL) {
        ngx_ors_redis_link_failed(link, "out of memory");
        return;
    }

    if (context->err) {
        ngx_ors_redis_link_failed(link, context->errstr);
        redisAsyncFree(context);
        return;
    }

    if (ngx_ors_redis_link_attach(link, context) != NGX_OK) {
        ngx_ors_redis_link_failed(link, "no connection is free");
        redisAsyncFree(context);
        return;
    }

    ngx_add_timer(&link->timer, link->timeout);

    if (ngx_ors_redis_link_greet(link) != NGX_OK) {
        ngx_ors_redis_link_break(link, (u_char *) "out of memory", 13);
    }
}


static ngx_int_t
ngx_ors_redis_link_attach(ngx_ors_redis_link_t *link,
    redisAsyncContext *context)
{
    ngx_connection_t  *c;

    c = ngx_get_connection(context->c.fd, link->log);
    if (c == NULL) {
        return NGX_ERROR;
    }

    c->data = link;
    c->number = ngx_atomic_fetch_add(ngx_connection_counter, 1);
    c->idle = 1;
    c->log_error = NGX_ERROR_INFO;

    c->read->handler = ngx_ors_redis_link_read_handler;
    c->read->log = link->log;
    c->write->handler = ngx_ors_redis_link_write_handler;
    c->write->log = link->log;

    link->connection = c;
    link->context = context;

    context->ev.addRead = ngx_ors_redis_link_add_read;
    context->ev.delRead = ngx_ors_redis_link_del_read;
    context->ev.addWrite = ngx_ors_redis_link_add_write;
    context->ev.delWrite = ngx_ors_redis_link_del_write;
    context->ev.cleanup = ngx_ors_redis_link_cleanup;
    context->ev.data = link;

    ngx_ors_redis_guard(link);

    return NGX_OK;
}


/*
 * PING tells that a server is not ready or wants a password, READWRITE and
 * ROLE tell a replica, which may be late, from one of a cluster, which
 * redirects.  A user who may not say these may still be one who may do
 * what is needed.
 */

static ngx_int_t
ngx_ors_redis_link_greet(ngx_ors_redis_link_t *link)
{
    ngx_int_t               rc;
    ngx_str_t               args[3], *arg;
    ngx_uint_t              i;
    ngx_ors_redis_login_t  *login;

    static struct {
        ngx_str_t         word;
        redisCallbackFn  *handler;
    } words[] = {
        { ngx_string("PING"), ngx_ors_redis_link_ready },
        { ngx_string("READWRITE"), ngx_ors_redis_link_cluster },
        { ngx_string("ROLE"), ngx_ors_redis_link_role }
    };

    login = link->login;
    rc = NGX_OK;

    if (login->password.len) {
        arg = login->user.len ? &args[0] : &args[1];

        args[1] = login->user;
        args[2] = login->password;
        ngx_str_set(arg, "AUTH");

        rc = ngx_ors_redis_link_write(link, ngx_ors_redis_link_greeted, link,
                                      &args[3] - arg, arg);
    }

    if (rc == NGX_OK && login->database.len) {
        ngx_str_set(&args[0], "SELECT");
        args[1] = login->database;

        rc = ngx_ors_redis_link_write(link, ngx_ors_redis_link_greeted, link,
                                      2, args);
    }

    for (i = 0; rc == NGX_OK && i < sizeof(words) / sizeof(words[0]); i++) {
        rc = ngx_ors_redis_link_write(link, words[i].handler, link, 1,
                                      &words[i].word);
    }

    return rc;
}


static void
ngx_ors_redis_link_greeted(redisAsyncContext *context, void *reply,
    void *data)
{
    redisReply            *r = reply;
    ngx_ors_redis_link_t  *link = data;

    if (r && r->type == REDIS_REPLY_ERROR) {
        ngx_ors_redis_link_break(link, (u_char *) r->str, r->len);
    }
}


static void
ngx_ors_redis_link_ready(redisAsyncContext *context, void *reply, void *data)
{
    redisReply            *r = reply;
    ngx_ors_redis_link_t  *link = data;

    if (r && r->type == REDIS_REPLY_ERROR
        && (r->len < 6 || ngx_strncmp(r->str, "NOPERM", 6) != 0))
    {
        ngx_ors_redis_link_break(link, (u_char *) r->str, r->len);
    }
}


static void
ngx_ors_redis_link_cluster(redisAsyncContext *context, void *reply,
    void *data)
{
    redisReply            *r = reply;
    ngx_ors_redis_link_t  *link = data;

    link->cluster = (r && r->type == REDIS_REPLY_STATUS);
}


static void
ngx_ors_redis_link_role(redisAsyncContext *context, void *reply, void *data)
{
    redisReply            *r = reply;
    ngx_ors_redis_link_t  *link = data;

    if (r == NULL || link->broken) {
        return;
    }

    if (r->type == REDIS_REPLY_ARRAY && r->elements
        && r->element[0]->type == REDIS_REPLY_STRING
        && ngx_strcmp(r->element[0]->str, "slave") == 0
        && !link->cluster)
    {
        ngx_ors_redis_link_break(link, (u_char *) "it is a replica", 15);
        return;
    }

    ngx_log_debug2(NGX_LOG_DEBUG_EVENT, link->log, 0,
                   "ors redis: link to %V is up, cluster:%d",
                   &link->addresses[link->address].text, link->cluster);

    link->state = ngx_ors_redis_link_up;
    link->failures = 0;
    link->heard = ngx_current_msec;

    ngx_del_timer(&link->timer);

    if (link->said) {
        ngx_log_error(NGX_LOG_NOTICE, link->log, 0,
                      "store \"%V\": connected to redis %V", link->name,
                      &link->addresses[link->address].text);
        link->said = 0;
    }

    ngx_post_event(&link->event, &ngx_posted_events);
}


ngx_int_t
ngx_ors_redis_link_write(ngx_ors_redis_link_t *link,
    redisCallbackFn *handler, void *data, ngx_uint_t n, ngx_str_t *args)
{
    ngx_uint_t          idle;
    redisAsyncContext  *context;

    context = link->context;

    if (context == NULL || link->broken) {
        return NGX_ERROR;
    }

    idle = (context->replies.head == NULL);

    if (ngx_ors_redis_link_command(link, handler, data, n, args) != NGX_OK) {
        ngx_ors_redis_link_break(link, (u_char *) "out of memory", 13);
        return NGX_ERROR;
    }

    /*
     * hiredis does not tell when it had no memory to remember who waits for
     * the reply, which would then be taken for that to another command
     */

    if (context->replies.tail == NULL
        || context->replies.tail->fn != handler
        || context->replies.tail->privdata != data
        || context->c.err)
    {
        ngx_log_error(NGX_LOG_ALERT, link->log, 0,
                      "store \"%V\": hiredis is out of memory", link->name);
        ngx_ors_redis_link_break(link, (u_char *) "out of memory", 13);
        return NGX_ERROR;
    }

    if (idle && link->state == ngx_ors_redis_link_up) {
        link->connection->idle = 0;
        link->heard = ngx_current_msec;

        if (!link->timer.timer_set) {
            ngx_add_timer(&link->timer, 2 * link->timeout);
        }
    }

    return NGX_OK;
}


/* hiredis copies the arguments */

static ngx_int_t
ngx_ors_redis_link_command(ngx_ors_redis_link_t *link,
    redisCallbackFn *handler, void *data, ngx_uint_t n, ngx_str_t *args)
{
    int           rc;
    size_t       *lens;
    ngx_uint_t    i;
    const char  **argv;

    argv = ngx_alloc(n * (sizeof(char *) + sizeof(size_t)), link->log);
    if (argv == NULL) {
        return NGX_ERROR;
    }

    lens = (size_t *) &argv[n];

    for (i = 0; i < n; i++) {
        argv[i] = (char *) args[i].data;
        lens[i] = args[i].len;
    }

    rc = redisAsyncCommandArgv(link->context, handler, data, n, argv, lens);

    ngx_free(argv);

    return (rc == REDIS_OK) ? NGX_OK : NGX_ERROR;
}


void
ngx_ors_redis_link_break(ngx_ors_redis_link_t *link, u_char *reason,
    size_t len)
{
    if (link->context == NULL || link->broken) {
        return;
    }

    link->broken = 1;
    link->reason_len = ngx_ors_redis_reason(link->reason, reason, len);

    /* hiredis does not go on with a context that is freed in a callback */

    if (!link->busy) {
        redisAsyncFree(link->context);
    }
}


void
ngx_ors_redis_link_close(ngx_ors_redis_link_t *link)
{
    link->silent = 1;

    if (link->context) {
        redisAsyncFree(link->context);
    }

    if (link->timer.timer_set) {
        ngx_del_timer(&link->timer);
    }

    if (link->event.posted) {
        ngx_delete_posted_event(&link->event);
    }

    link->state = ngx_ors_redis_link_closed;
    link->failures = 0;
}


/* the connection was not made at all */

static void
ngx_ors_redis_link_failed(ngx_ors_redis_link_t *link, char *reason)
{
    link->reason_len = ngx_ors_redis_reason(link->reason, (u_char *) reason,
                                            ngx_strlen(reason));

    ngx_ors_redis_link_lost(link, NGX_LOG_ERR);
}


/*
 * A link that was up for a while is made again at once, and commands may
 * wait for it; otherwise there is a pause as soon as all addresses have been
 * tried, and commands fail, as they would time out if the server is gone.
 */

static void
ngx_ors_redis_link_lost(ngx_ors_redis_link_t *link, ngx_uint_t level)
{
    ngx_msec_t  delay;

    ngx_ors_redis_link_say(link, level);

    if (link->state != ngx_ors_redis_link_up) {
        link->failures++;

    } else if (link->mute
               || ngx_current_msec - link->began < NGX_ORS_REDIS_STABLE)
    {
        link->failures = link->naddresses;
    }

    link->address = (link->address + 1) % link->naddresses;
    link->state = ngx_ors_redis_link_waiting;

    delay = 1;

    if (!ngx_ors_redis_link_usable(link)) {
        delay = ngx_ors_redis_delay(link->failures / link->naddresses,
                                    ngx_random());
    }

    ngx_add_timer(&link->timer, delay);

    ngx_post_event(&link->event, &ngx_posted_events);
}


/* a reason is an error once, until there is another one or the link is up */

static void
ngx_ors_redis_link_say(ngx_ors_redis_link_t *link, ngx_uint_t level)
{
    ngx_str_t   reason;
    ngx_uint_t  said;

    reason.data = link->reason;
    reason.len = link->reason_len;

    said = ngx_crc32_long(reason.data, reason.len) + link->address + 1;

    if (said == link->said) {
        level = NGX_LOG_INFO;
    }

    ngx_log_error(level, link->log, 0,
                  "store \"%V\": %s redis %V: %V", link->name,
                  (link->state == ngx_ors_redis_link_up)
                      ? "connection lost to" : "cannot connect to",
                  &link->addresses[link->address].text, &reason);

    link->said = said;
}


static void
ngx_ors_redis_link_read_handler(ngx_event_t *rev)
{
    redisReader           *reader;
    ngx_connection_t      *c;
    ngx_ors_redis_link_t  *link;

    c = rev->data;
    link = c->data;

    /* the worker exits, no job waits */

    if (c->close) {
        ngx_ors_redis_link_close(link);
        return;
    }

    link->heard = ngx_current_msec;

    link->busy = 1;
    redisAsyncHandleRead(link->context);

    if (link->context && !link->broken) {
        reader = link->context->c.reader;

        /* hiredis makes a string when all of it is there, however long */

        if (reader->len - reader->pos > link->limit) {
            ngx_ors_redis_link_break(link,
                                     (u_char *) "a reply that is too long", 24);
        }
    }

    link->busy = 0;

    ngx_ors_redis_link_done(link);
}


static void
ngx_ors_redis_link_write_handler(ngx_event_t *wev)
{
    ngx_connection_t      *c;
    ngx_ors_redis_link_t  *link;

    c = wev->data;
    link = c->data;

    ngx_ors_redis_link_flush(&link->context->c);

    link->busy = 1;
    link->writing = 1;
    redisAsyncHandleWrite(link->context);
    link->writing = 0;
    link->busy = 0;

    ngx_ors_redis_link_done(link);
}


/*
 * hiredis 0.14 allocates a new buffer when the old one has gone out, and
 * crashes if it has no memory for that: here the old one is emptied instead.
 * The rest and errors are left to hiredis.
 */

static void
ngx_ors_redis_link_flush(redisContext *context)
{
#if (HIREDIS_MAJOR == 0)
    ssize_t  n;

    if (!(context->flags & REDIS_CONNECTED)) {
        return;
    }

    while (sdslen(context->obuf)) {
        n = send(context->fd, context->obuf, sdslen(context->obuf), 0);

        if (n <= 0) {
            return;
        }

        sdsrange(context->obuf, (int) n, -1);
    }
#endif
}


/* frees a context that broke inside a callback */

static void
ngx_ors_redis_link_done(ngx_ors_redis_link_t *link)
{
    if (link->context == NULL) {
        return;
    }

    if (link->broken) {
        redisAsyncFree(link->context);
        return;
    }

    link->connection->idle = (link->context->replies.head == NULL
                              && ngx_queue_empty(&link->waiting));
}


static void
ngx_ors_redis_link_event_handler(ngx_event_t *ev)
{
    ngx_ors_redis_link_t  *link;

    link = ev->data;

    link->handler(link);
}


/* the time of an attempt is over, or of a pause, or nothing is heard */

static void
ngx_ors_redis_link_timer_handler(ngx_event_t *ev)
{
    ngx_msec_t             silence;
    ngx_ors_redis_link_t  *link;

    link = ev->data;

    switch (link->state) {

    case ngx_ors_redis_link_greeting:
        ngx_ors_redis_link_break(link, (u_char *) "timed out", 9);
        break;

    case ngx_ors_redis_link_waiting:
        ngx_ors_redis_link_connect(link);
        break;

    case ngx_ors_redis_link_up:

        if (link->context->replies.head == NULL) {
            break;
        }

        silence = ngx_current_msec - link->heard;

        if (silence < 2 * link->timeout) {
            ngx_add_timer(ev, 2 * link->timeout - silence);
            break;
        }

        link->mute = 1;
        ngx_ors_redis_link_break(link, (u_char *) "no answer", 9);
        break;

    case ngx_ors_redis_link_closed:
        break;
    }
}


/* hooks of hiredis */

static void
ngx_ors_redis_link_add_read(void *data)
{
    ngx_ors_redis_link_t  *link = data;

    /* hiredis reads once: what is left needs another call */

    ngx_ors_redis_link_add(link, link->connection->read, NGX_READ_EVENT);
}


static void
ngx_ors_redis_link_del_read(void *data)
{
    ngx_ors_redis_link_t  *link = data;

    if (link->connection->read->active) {
        (void) ngx_del_event(link->connection->read, NGX_READ_EVENT, 0);
    }
}


static void
ngx_ors_redis_link_add_write(void *data)
{
    ngx_ors_redis_link_t  *link = data;

    /*
     * commands of one turn of the event loop are written together; if they
     * could not be, or it is not connected yet, the socket says when
     */

    if (link->state == ngx_ors_redis_link_up && !link->writing) {
        ngx_post_event(link->connection->write, &ngx_posted_events);
        return;
    }

    ngx_ors_redis_link_add(link, link->connection->write, NGX_WRITE_EVENT);
}


static void
ngx_ors_redis_link_add(ngx_ors_redis_link_t *link, ngx_event_t *ev,
    ngx_int_t event)
{
    if (!ev->active && ngx_add_event(ev, event, NGX_LEVEL_EVENT) != NGX_OK) {
        ngx_ors_redis_link_break(link, (u_char *) "no event", 8);
    }
}


static void
ngx_ors_redis_link_del_write(void *data)
{
    ngx_ors_redis_link_t  *link = data;

    if (link->connection->write->active) {
        (void) ngx_del_event(link->connection->write, NGX_WRITE_EVENT, 0);
    }
}


/* the context is about to be freed, all commands have got their status */

static void
ngx_ors_redis_link_cleanup(void *data)
{
    char                  *reason;
    ngx_uint_t             level;
    ngx_ors_redis_link_t  *link = data;

    if (!link->broken) {
        reason = link->refused ? link->refused : link->context->c.errstr;

        link->reason_len = ngx_ors_redis_reason(link->reason,
                                                (u_char *) reason,
                                                ngx_strlen(reason));
    }

    /* servers close connections that are not used for long */

    level = (link->state == ngx_ors_redis_link_up && link->connection->idle)
            ? NGX_LOG_NOTICE : NGX_LOG_ERR;

    /* nginx closes the socket, as it has to forget its events */

    link->context->c.fd = -1;
    ngx_close_connection(link->connection);

    link->connection = NULL;
    link->context = NULL;

    if (link->timer.timer_set) {
        ngx_del_timer(&link->timer);
    }

    if (!link->silent) {
        ngx_ors_redis_link_lost(link, level);
    }
}
