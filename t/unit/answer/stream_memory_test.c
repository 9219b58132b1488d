
/*
 * Copyright (C) Open Responses contributors
 */


/* The cost of a stream without an end: memory, and bytes to the client. */


#include "stream_check.h"
#include "stream_script.h"


#define EVENTS  20000

#define TOOLS                                                                 \
    "'tools':[{'type':'function','name':'" NAME "','parameters':null}]"
#define NAME                                                                  \
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"


static void test_constant(const char *name, const char *text);
static void test_filled(const char *name, const char *text,
    const char *request);
static char *repeat(const char *begin, const char *text, ngx_uint_t n);


int
main(void)
{
    test_constant("deltas", DELTA("output_text", M0, "a"));
    test_constant("an extension with an escaped type",
                  "data: {'type':'acm\\u0065:x'}\n\n");
    test_constant("an escaped type that is known",
                  "data: {'type':'response.output_text\\u002edelta'"
                  M0 ",'delta':'a'}\n\n");
    test_constant("an escaped type of a sign of life",
                  "data: {'type':'keep\\u0061live'}\n\n");
    test_constant("comments", ":\n\n");
    test_constant("events without data", "data:\n\n");

    test_filled("in_progress again, without what the request says",
                "data: {'type':'response.in_progress','response':"
                "{'id':'r','status':'in_progress','output':[]}}\n\n",
                "{'model':'m','input':'hi','stream':true," TOOLS "}");

    return done_testing();
}


static void
test_constant(const char *name, const char *text)
{
    char        *script, *body;
    answer_t     a;
    ngx_uint_t   i, allocs[2];

    for (i = 0; i < 2; i++) {
        script = repeat(START ADDED("0", MESSAGE("m", "in_progress", ""))
                        PART_ADDED(M0, TEXT("")), text, EVENTS >> (2 * i));
        body = stream_text(script);

        stream_init(&a, body);
        a.policy.profile = NGX_ORS_TOLERANT_OPENAI;
        a.limits.answer = 10000;
        a.step = 4096;

        /* the output is not recycled here: one piece takes all of it */

        answer_begin(&a);
        a.out.block_size = 16 * 1024 * 1024;

        allocs[i] = ngx_ors_test_allocs();
        answer_run(&a);
        allocs[i] = ngx_ors_test_allocs() - allocs[i];

        ok(strstr((char *) a.text, "upstream_disconnected"),
           "%s: all of them passed", name);

        answer_free(&a);
        free(script);
        free(body);
    }

    ok(allocs[0] < allocs[1] + 10, "%s: %d allocations, %d for a quarter",
       name, (int) allocs[0], (int) allocs[1]);

    ngx_ors_test_log_reset();
}


/* the limit of an answer holds */

static void
test_filled(const char *name, const char *text, const char *request)
{
    char      *script, *body;
    answer_t   a;

    script = repeat(START, text, EVENTS);
    body = stream_text(script);

    stream_init(&a, body);
    a.policy.profile = NGX_ORS_TOLERANT_OPENAI;
    a.request = request;
    a.limits.answer = 100000;
    a.step = 4096;

    answer_run(&a);

    ok(strstr((char *) a.text, "answer_too_large"),
       "%s: it counts for the limit", name);
    ok(a.size < 3 * a.limits.answer, "%s: %d bytes are sent", name,
       (int) a.size);

    answer_free(&a);
    free(script);
    free(body);
    ngx_ors_test_log_reset();
}


static char *
repeat(const char *begin, const char *text, ngx_uint_t n)
{
    char  *script, *p;

    script = malloc(strlen(begin) + n * strlen(text) + 1);

    if (script == NULL) {
        abort();
    }

    p = stpcpy(script, begin);

    while (n--) {
        p = stpcpy(p, text);
    }

    return script;
}
