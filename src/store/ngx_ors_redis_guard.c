
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The replies of a Redis server, checked before its library reads them: form
 * and size.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_redis_link.h>


/* an array that is longer is not ours: slots of a cluster are the longest */
#define NGX_ORS_REDIS_ELEMENTS      NGX_ORS_REDIS_SLOTS

/* the same of arrays in an array: ranges, with nodes, with their parts */
#define NGX_ORS_REDIS_ELEMENTS_ALL  (8 * NGX_ORS_REDIS_SLOTS)

/*
 * Arrays around an array; hiredis 1.0 and newer have no bound, and free a
 * reply by recursion
 */
#define NGX_ORS_REDIS_DEPTH         6


static ngx_ors_redis_link_t *ngx_ors_redis_guard_expects(
    const redisReadTask *task);
static void *ngx_ors_redis_guard_string(const redisReadTask *task, char *str,
    size_t len);
static void *ngx_ors_redis_guard_array(const redisReadTask *task,
    ngx_ors_redis_count_t n);
static ngx_uint_t ngx_ors_redis_guard_depth(const redisReadTask *task);
static void *ngx_ors_redis_guard_integer(const redisReadTask *task,
    long long value);
static void *ngx_ors_redis_guard_nil(const redisReadTask *task);


void
ngx_ors_redis_guard(ngx_ors_redis_link_t *link)
{
    redisReader  *reader;

    reader = link->context->c.reader;

    link->make = *reader->fn;

    link->functions = link->make;
    link->functions.createString = ngx_ors_redis_guard_string;
    link->functions.createArray = ngx_ors_redis_guard_array;
    link->functions.createInteger = ngx_ors_redis_guard_integer;
    link->functions.createNil = ngx_ors_redis_guard_nil;

    reader->fn = &link->functions;
    reader->privdata = link;
}


/* a reply to no command may be an error: why the server hangs up */

static ngx_ors_redis_link_t *
ngx_ors_redis_guard_expects(const redisReadTask *task)
{
    ngx_ors_redis_link_t  *link;

    link = task->privdata;

    if (task->parent == NULL) {
        link->size = 0;
        link->elements = 0;
    }

    if (task->parent == NULL
        && task->type != REDIS_REPLY_ERROR
        && link->context->replies.head == NULL)
    {
        link->refused = "a reply to no command";
        return NULL;
    }

    return link;
}


static void *
ngx_ors_redis_guard_string(const redisReadTask *task, char *str, size_t len)
{
    ngx_ors_redis_link_t  *link;

    link = ngx_ors_redis_guard_expects(task);

    if (link) {
        link->size += len;

        if (link->size > link->limit) {
            link->refused = "a reply that is too long";
            link = NULL;
        }
    }

    return link ? link->make.createString(task, str, len) : NULL;
}


static void *
ngx_ors_redis_guard_array(const redisReadTask *task, ngx_ors_redis_count_t n)
{
    ngx_ors_redis_link_t  *link;

    link = ngx_ors_redis_guard_expects(task);

    if (link) {
        link->elements += n;

        if (n > NGX_ORS_REDIS_ELEMENTS
            || link->elements > NGX_ORS_REDIS_ELEMENTS_ALL)
        {
            link->refused = "an array that is too long";
            link = NULL;

        } else if (ngx_ors_redis_guard_depth(task) > NGX_ORS_REDIS_DEPTH) {
            link->refused = "an array that is too deep";
            link = NULL;
        }
    }

    if (link == NULL) {
        return NULL;
    }

    return link->make.createArray(task, n);
}


static ngx_uint_t
ngx_ors_redis_guard_depth(const redisReadTask *task)
{
    ngx_uint_t  n;

    for (n = 0; task->parent; n++) {
        task = task->parent;
    }

    return n;
}


static void *
ngx_ors_redis_guard_integer(const redisReadTask *task, long long value)
{
    ngx_ors_redis_link_t  *link;

    link = ngx_ors_redis_guard_expects(task);

    return link ? link->make.createInteger(task, value) : NULL;
}


static void *
ngx_ors_redis_guard_nil(const redisReadTask *task)
{
    ngx_ors_redis_link_t  *link;

    link = ngx_ors_redis_guard_expects(task);

    return link ? link->make.createNil(task) : NULL;
}


/* hiredis makes a string when all of it is there, however long it will be */

char *
ngx_ors_redis_guard_rest(ngx_ors_redis_link_t *link)
{
    redisReader  *reader;

    reader = link->context->c.reader;

    return (reader->len - reader->pos > link->limit)
           ? "a reply that is too long" : NULL;
}
