
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


static redisReplyObjectFunctions *ngx_ors_redis_guard_make(
    const redisReadTask *task, size_t len, size_t n);
static void *ngx_ors_redis_guard_string(const redisReadTask *task, char *str,
    size_t len);
static void *ngx_ors_redis_guard_array(const redisReadTask *task,
    ngx_ors_redis_count_t n);
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


/*
 * hiredis' own functions for a part of a reply, a string of "len" bytes or an
 * array of "n" elements, or NULL.  A reply to no command may be an error: why
 * the server hangs up.
 */

static redisReplyObjectFunctions *
ngx_ors_redis_guard_make(const redisReadTask *task, size_t len, size_t n)
{
    ngx_ors_redis_link_t  *link;

    link = task->privdata;

    if (task->parent == NULL) {
        link->size = 0;
        link->elements = 0;
    }

    link->size += len;
    link->elements += n;

    if (task->parent == NULL
        && task->type != REDIS_REPLY_ERROR
        && link->context->replies.head == NULL)
    {
        link->refused = "a reply to no command";

    } else if (link->size > link->limit) {
        link->refused = "a reply that is too long";

    } else if (n > NGX_ORS_REDIS_ELEMENTS
               || link->elements > NGX_ORS_REDIS_ELEMENTS_ALL)
    {
        link->refused = "an array that is too long";

    } else {
        return &link->make;
    }

    return NULL;
}


static void *
ngx_ors_redis_guard_string(const redisReadTask *task, char *str, size_t len)
{
    redisReplyObjectFunctions  *make;

    make = ngx_ors_redis_guard_make(task, len, 0);

    return make ? make->createString(task, str, len) : NULL;
}


static void *
ngx_ors_redis_guard_array(const redisReadTask *task, ngx_ors_redis_count_t n)
{
    ngx_uint_t                  depth;
    const redisReadTask        *t;
    ngx_ors_redis_link_t       *link;
    redisReplyObjectFunctions  *make;

    link = task->privdata;
    make = ngx_ors_redis_guard_make(task, 0, n);
    depth = 0;

    for (t = task; t->parent; t = t->parent) {
        depth++;
    }

    if (make && depth > NGX_ORS_REDIS_DEPTH) {
        link->refused = "an array that is too deep";
        make = NULL;
    }

    return make ? make->createArray(task, n) : NULL;
}


static void *
ngx_ors_redis_guard_integer(const redisReadTask *task, long long value)
{
    redisReplyObjectFunctions  *make;

    make = ngx_ors_redis_guard_make(task, 0, 0);

    return make ? make->createInteger(task, value) : NULL;
}


static void *
ngx_ors_redis_guard_nil(const redisReadTask *task)
{
    redisReplyObjectFunctions  *make;

    make = ngx_ors_redis_guard_make(task, 0, 0);

    return make ? make->createNil(task) : NULL;
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
