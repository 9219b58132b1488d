
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Replies of a Redis server, as they are read from a connection, in pieces,
 * and the texts in them.  Input: flags, the length of a piece, and the bytes.
 */


#include "fuzz.h"
#include <ngx_ors_redis_link.h>


#define REDIS_FUZZ_EXPECTED  0x01       /* somebody waits for a reply */
#define REDIS_FUZZ_TEXT      0x02       /* a text, no reply */


static void redis_fuzz_replies(const uint8_t *p, const uint8_t *last,
    size_t piece, ngx_uint_t expected);
static void redis_fuzz_reply(redisReply *reply, ngx_uint_t depth);
static void redis_fuzz_text(char *data, size_t len);


int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    char  *text;

    if (size < 2) {
        return 0;
    }

    if (input[0] & REDIS_FUZZ_TEXT) {
        text = (char *) fuzz_copy(input + 2, size - 2);
        redis_fuzz_text(text, size - 2);
        free(text);

        return 0;
    }

    redis_fuzz_replies(input + 2, input + size, input[1] + 1,
                       input[0] & REDIS_FUZZ_EXPECTED);

    return 0;
}


static void
redis_fuzz_replies(const uint8_t *p, const uint8_t *last, size_t piece,
    ngx_uint_t expected)
{
    int                    rc;
    void                  *reply;
    size_t                 n;
    redisCallback          waits;
    redisAsyncContext      context;
    ngx_ors_redis_link_t   link;

    ngx_memzero(&link, sizeof(ngx_ors_redis_link_t));
    ngx_memzero(&context, sizeof(redisAsyncContext));

    context.c.reader = redisReaderCreate();
    context.replies.head = expected ? &waits : NULL;
    link.context = &context;

    ngx_ors_redis_guard(&link);

    for (rc = REDIS_OK; p < last && rc == REDIS_OK; p += n) {
        n = ngx_min(piece, (size_t) (last - p));

        fuzz_check(redisReaderFeed(context.c.reader, (char *) p, n)
                   == REDIS_OK);

        do {
            reply = NULL;
            rc = redisReaderGetReply(context.c.reader, &reply);

            if (reply) {
                fuzz_check(rc == REDIS_OK && link.refused == NULL);
                fuzz_check(expected || ((redisReply *) reply)->type
                                       == REDIS_REPLY_ERROR);
                redis_fuzz_reply(reply, 0);
                freeReplyObject(reply);
            }

        } while (reply);
    }

    fuzz_check(rc == REDIS_ERR || link.refused == NULL);

    redisReaderFree(context.c.reader);
}


static void
redis_fuzz_reply(redisReply *reply, ngx_uint_t depth)
{
    size_t                  i;
    ngx_ors_redis_range_t   range;

    switch (reply->type) {

    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
    case REDIS_REPLY_ERROR:
        redis_fuzz_text(reply->str, reply->len);
        break;

    case REDIS_REPLY_ARRAY:

        fuzz_check(reply->elements <= NGX_ORS_REDIS_SLOTS);

        if (ngx_ors_redis_range_read(reply, &range) == NGX_OK) {
            fuzz_check(range.first <= range.last
                       && range.last < NGX_ORS_REDIS_SLOTS);
            (void) ngx_ors_redis_numeric(&range.host);
        }

        for (i = 0; i < reply->elements && depth < 16; i++) {
            redis_fuzz_reply(reply->element[i], depth + 1);
        }
    }
}


static void
redis_fuzz_text(char *data, size_t len)
{
    size_t                     i, n;
    u_char                    *reason;
    ngx_str_t                  text;
    ngx_ors_redis_redirect_t   to;

    text.data = (u_char *) data;
    text.len = len;

    (void) ngx_ors_redis_status(ngx_ors_redis_error(&text));

    if (ngx_ors_redis_redirect(&text, &to) == NGX_OK) {
        fuzz_check(to.slot < NGX_ORS_REDIS_SLOTS && to.port > 0);
        fuzz_check(to.host.len == 0 || ngx_ors_redis_numeric(&to.host));
        fuzz_check(to.host.len < NGX_ORS_REDIS_HOST);
    }

    reason = malloc(NGX_ORS_REDIS_REASON);
    n = ngx_ors_redis_reason(reason, text.data, len);

    fuzz_check(n <= NGX_ORS_REDIS_REASON);

    for (i = 0; i < n; i++) {
        fuzz_check(reason[i] >= 0x20 && reason[i] != 0x7f);
    }

    free(reason);
}
