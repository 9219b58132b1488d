
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Words of Redis: slots of keys, errors, redirections; replies are checked
 * before hiredis makes them.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>
#include <ngx_ors_redis_text.h>
#include <ngx_ors_redis_link.h>


#define NGX_ORS_REDIS_DELAY_MIN  100
#define NGX_ORS_REDIS_DELAY_MAX  10000

/* an array that is longer is not ours: slots of a cluster are the longest */
#define NGX_ORS_REDIS_ELEMENTS      NGX_ORS_REDIS_SLOTS

/* the same of arrays in an array: ranges, with nodes, with their parts */
#define NGX_ORS_REDIS_ELEMENTS_ALL  (8 * NGX_ORS_REDIS_SLOTS)

/*
 * Arrays around an array; hiredis 1.0 and newer have no bound, and free a
 * reply by recursion
 */
#define NGX_ORS_REDIS_DEPTH         6


static ngx_uint_t ngx_ors_redis_crc16(u_char *p, size_t len);
static u_char *ngx_ors_redis_number(u_char *p, u_char *last, u_char end,
    ngx_uint_t max, ngx_uint_t *n);
static redisReplyObjectFunctions *ngx_ors_redis_guard_make(
    const redisReadTask *task, size_t len, size_t n);
static void *ngx_ors_redis_guard_string(const redisReadTask *task, char *str,
    size_t len);
static void *ngx_ors_redis_guard_array(const redisReadTask *task,
    ngx_ors_redis_count_t n);
static void *ngx_ors_redis_guard_integer(const redisReadTask *task,
    long long value);
static void *ngx_ors_redis_guard_nil(const redisReadTask *task);


static const struct {
    ngx_str_t                 word;
    ngx_ors_redis_error_e     error;
} ngx_ors_redis_errors[] = {
    { ngx_string("MOVED"),       ngx_ors_redis_moved },
    { ngx_string("ASK"),         ngx_ors_redis_ask },
    { ngx_string("TRYAGAIN"),    ngx_ors_redis_again },
    { ngx_string("OOM"),         ngx_ors_redis_full },
    { ngx_string("MISCONF"),     ngx_ors_redis_full },
    { ngx_string("WRONGTYPE"),   ngx_ors_redis_type },
    { ngx_string("READONLY"),    ngx_ors_redis_readonly },
    { ngx_string("LOADING"),     ngx_ors_redis_loading },
    { ngx_string("MASTERDOWN"),  ngx_ors_redis_loading },
    { ngx_string("CLUSTERDOWN"), ngx_ors_redis_loading },
    { ngx_string("NOAUTH"),      ngx_ors_redis_denied },
    { ngx_string("WRONGPASS"),   ngx_ors_redis_denied },
    { ngx_string("NOPERM"),      ngx_ors_redis_denied }
};


u_char *
ngx_ors_redis_key(ngx_str_t *prefix, ngx_ors_store_key_t *key, u_char *p)
{
    p = ngx_cpymem(p, prefix->data, prefix->len);

    *p++ = '{';
    p = ngx_hex_dump(p, key->scope, NGX_ORS_STORE_KEY);
    *p++ = '}';
    *p++ = ':';

    return ngx_hex_dump(p, key->name, NGX_ORS_STORE_KEY);
}


ngx_uint_t
ngx_ors_redis_slot(ngx_ors_store_key_t *key)
{
    u_char  tag[2 * NGX_ORS_STORE_KEY];

    ngx_hex_dump(tag, key->scope, NGX_ORS_STORE_KEY);

    return ngx_ors_redis_crc16(tag, sizeof(tag)) % NGX_ORS_REDIS_SLOTS;
}


/* CRC-16/XMODEM, as the cluster has it */

static ngx_uint_t
ngx_ors_redis_crc16(u_char *p, size_t len)
{
    ngx_uint_t  i, crc;

    crc = 0;

    while (len--) {
        crc ^= (ngx_uint_t) *p++ << 8;

        for (i = 0; i < 8; i++) {
            crc = (crc & 0x8000) ? (crc << 1) ^ 0x1021 : crc << 1;
        }
    }

    return crc & 0xffff;
}


ngx_ors_redis_error_e
ngx_ors_redis_error(ngx_str_t *text)
{
    size_t      len;
    ngx_uint_t  i;

    for (len = 0; len < text->len && text->data[len] != ' '; len++) {
        /* void */
    }

    for (i = 0; i < sizeof(ngx_ors_redis_errors)
                    / sizeof(ngx_ors_redis_errors[0]); i++)
    {
        if (ngx_ors_redis_errors[i].word.len == len
            && ngx_strncmp(ngx_ors_redis_errors[i].word.data, text->data, len)
               == 0)
        {
            return ngx_ors_redis_errors[i].error;
        }
    }

    return ngx_ors_redis_other;
}


ngx_ors_store_status_e
ngx_ors_redis_status(ngx_ors_redis_error_e error)
{
    return (error == ngx_ors_redis_full) ? ngx_ors_store_full
           : (error == ngx_ors_redis_type) ? ngx_ors_store_corrupt
           : ngx_ors_store_unavailable;
}


/* "MOVED 3999 127.0.0.1:6381", a host of IPv6 has no brackets */

ngx_int_t
ngx_ors_redis_redirect(ngx_str_t *text, ngx_ors_redis_redirect_t *to)
{
    u_char      *p, *last, *colon;
    ngx_uint_t   n;

    p = text->data;
    last = p + text->len;

    p = ngx_strlchr(p, last, ' ');
    if (p == NULL) {
        return NGX_DECLINED;
    }

    p = ngx_ors_redis_number(p + 1, last, ' ', NGX_ORS_REDIS_SLOTS - 1,
                             &to->slot);
    if (p == NULL) {
        return NGX_DECLINED;
    }

    to->host.data = p + 1;

    for (colon = last; colon > to->host.data && *--colon != ':'; ) {
        /* void */
    }

    if (colon >= last || *colon != ':') {
        return NGX_DECLINED;
    }

    to->host.len = colon - to->host.data;

    if (ngx_ors_redis_number(colon + 1, last, '\0', 65535, &n) != last
        || n == 0
        || (to->host.len && !ngx_ors_redis_numeric(&to->host)))
    {
        return NGX_DECLINED;
    }

    to->port = (in_port_t) n;

    return NGX_OK;
}


/*
 * A decimal number and where it ends, which is where "end" is; '\0' is for
 * the end of the text.
 */

static u_char *
ngx_ors_redis_number(u_char *p, u_char *last, u_char end, ngx_uint_t max,
    ngx_uint_t *n)
{
    u_char     *begin;
    ngx_int_t   value;

    for (begin = p; p < last && *p >= '0' && *p <= '9'; p++) {
        /* void */
    }

    if (end ? (p == last || *p != end) : p != last) {
        return NULL;
    }

    value = ngx_atoi(begin, p - begin);

    if (value == NGX_ERROR || (ngx_uint_t) value > max) {
        return NULL;
    }

    *n = value;

    return p;
}


/* [first, last, [host, port, ...] of the master, those of replicas...] */

ngx_int_t
ngx_ors_redis_range_read(redisReply *reply, ngx_ors_redis_range_t *range)
{
    redisReply  **e, *node;

    if (reply->type != REDIS_REPLY_ARRAY || reply->elements < 3) {
        return NGX_DECLINED;
    }

    e = reply->element;
    node = e[2];

    if (e[0]->type != REDIS_REPLY_INTEGER || e[0]->integer < 0
        || e[1]->type != REDIS_REPLY_INTEGER || e[1]->integer < e[0]->integer
        || e[1]->integer >= NGX_ORS_REDIS_SLOTS
        || node->type != REDIS_REPLY_ARRAY || node->elements < 2)
    {
        return NGX_DECLINED;
    }

    range->first = e[0]->integer;
    range->last = e[1]->integer;

    e = node->element;

    if (e[1]->type != REDIS_REPLY_INTEGER || e[1]->integer < 1
        || e[1]->integer > 65535)
    {
        return NGX_DECLINED;
    }

    range->port = (in_port_t) e[1]->integer;

    ngx_str_null(&range->host);

    if (e[0]->type == REDIS_REPLY_STRING) {
        range->host.data = (u_char *) e[0]->str;
        range->host.len = e[0]->len;
    }

    return NGX_OK;
}


ngx_uint_t
ngx_ors_redis_numeric(ngx_str_t *host)
{
    u_char  text[NGX_ORS_REDIS_HOST], addr[16];

    if (host->len == 0 || host->len >= sizeof(text)
        || ngx_strlchr(host->data, host->data + host->len, '\0'))
    {
        return 0;
    }

    ngx_cpystrn(text, host->data, host->len + 1);

    return inet_pton(AF_INET, (char *) text, addr) == 1
           || inet_pton(AF_INET6, (char *) text, addr) == 1;
}


size_t
ngx_ors_redis_reason(u_char *dst, u_char *text, size_t len)
{
    len = ngx_min(len, NGX_ORS_REDIS_REASON);

    return ngx_ors_line_copy(dst, text, len) - dst;
}


ngx_msec_t
ngx_ors_redis_delay(ngx_uint_t failures, ngx_uint_t random)
{
    ngx_msec_t  delay;

    delay = NGX_ORS_REDIS_DELAY_MAX;

    if (failures < 7) {
        delay = NGX_ORS_REDIS_DELAY_MIN << failures;
    }

    /* workers that lost a server together do not come back together */

    return delay / 2 + random % (delay / 2 + 1);
}


/*
 * The replies of a Redis server, checked before its library reads them: form
 * and size.
 */


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
