
/*
 * What a client makes of a stream that has passed the validator: whether it is
 * well-formed, and a short text of how it ended.
 *
 *     completed 1 2           a message or another item, a text each
 *     failed upstream_disconnected 1
 *     502 invalid_upstream_answer
 *     done                    of chat completions
 *     error upstream_disconnected
 */


#ifndef _STREAM_CHECK_H_INCLUDED_
#define _STREAM_CHECK_H_INCLUDED_


#include "verify_answer.h"


#define STREAM_ITEMS   64
#define STREAM_TEXT    4096
#define STREAM_DIGEST  256


typedef struct {
    char               id[64];
    ngx_uint_t         done;
    char               text[STREAM_TEXT];    /* raw, of the open part */
    size_t             len;
} stream_item_t;


typedef struct {
    char               wrong[512];   /* empty: nothing */
    char               digest[STREAM_DIGEST];
    ngx_uint_t         events;
    ngx_uint_t         comments;

    /* private */
    answer_t          *a;
    ngx_ors_json_t     json;
    ngx_ors_edits_t    edits;
    ngx_pool_t        *pool;
    int64_t            sequence;     /* of the last event */
    char               id[64];       /* of the response */
    char               code[64];     /* of "error" */
    ngx_uint_t         terminal;
    ngx_uint_t         done;
    ngx_uint_t         nitems;
    stream_item_t      items[STREAM_ITEMS];      /* the last one: large */
} stream_check_t;


/* "script" with numbers in place of #, malloc(). */
char *stream_text(const char *script);

/* An answer that is an event stream. */
void stream_init(answer_t *a, const char *text);

/*
 * Runs it.  The random part of ids is replaced by the letter R, so that two
 * runs can be compared.
 */
void stream_run(answer_t *a);

/* Looks at what has come of it. */
void stream_check(stream_check_t *c, answer_t *a);

/*
 * Runs a script whole, byte by byte and in two pieces split at each place:
 * one output, that is well-formed and has that digest.  "profile" as in
 * ngx_ors_policy_t.
 */
void stream_is(const char *name, ngx_uint_t profile, const char *script,
    const char *digest);

/* The same for any answer; a->body is not copied. */
void stream_answer_is(answer_t *a, const char *name, const char *digest);

/* Runs a script of the specification's profile: this is the whole output. */
void stream_gives(const char *name, const char *script, const char *output);


#endif /* _STREAM_CHECK_H_INCLUDED_ */
