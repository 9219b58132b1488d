
/*
 * Copyright (C) Open Responses contributors
 */


/* Errors in streams, with the mask and without; memory. */


#include "stream_check.h"
#include "stream_script.h"


static void test_mask(void);
static void test_nested(void);
static void test_refuse(void);
static void test_memory(void);
static void test_no_memory(void);
static void masked(const char *name, ngx_uint_t profile, const char *script,
    const char *digest, const char *code);


#define KEY_ERROR                                                             \
    EVENT("error", ",'error':{'type':'invalid_request_error','code':"         \
          "'invalid_api_key','message':'key sk-SECRET is wrong','param':"     \
          "'SECRET path'}")
#define KEY_FAILED                                                            \
    EVENT("response.failed", ",'response':{'id':'r','status':'failed',"       \
          "'output':[],'error':{'code':'invalid_api_key','message':"          \
          "'key sk-SECRET is wrong'}}")


int
main(void)
{
    test_mask();
    test_nested();
    test_refuse();
    test_memory();
    test_no_memory();

    return done_testing();
}


static void
test_mask(void)
{
    masked("an error and a failure", NGX_ORS_STRICT_SPEC,
           START HELLO KEY_ERROR KEY_FAILED DONE, "failed %s 0",
           "server_error");
    masked("a failure", NGX_ORS_STRICT_SPEC, START KEY_FAILED DONE,
           "failed %s 0", "server_error");
    masked("an error, and no failure", NGX_ORS_STRICT_SPEC,
           START HELLO HELLO_DONE KEY_ERROR, "failed %s 1",
           "server_error");
    masked("a flat error", NGX_ORS_STRICT_OPENAI, START
           EVENT("error", ",'code':'invalid_api_key','message':"
                 "'sk-SECRET','param':null"), "failed %s 0",
           "server_error");
    masked("an error that clients act on", NGX_ORS_STRICT_SPEC, START
           EVENT("error", ",'error':{'type':'t','code':"
                 "'rate_limit_exceeded','message':'SECRET org','param':"
                 "null}"), "failed %s 0", "rate_limit_exceeded");
    masked("an error first", NGX_ORS_STRICT_SPEC, KEY_ERROR, "502 %s",
           "server_error");
    masked("a failure first", NGX_ORS_STRICT_SPEC, KEY_FAILED, "502 %s",
           "server_error");
}


/* no text of upstream, and no finding of ours */

static void
masked(const char *name, ngx_uint_t profile, const char *script,
    const char *digest, const char *code)
{
    char             *text, expected[128];
    answer_t          a;
    check_t    c;

    text = stream_text(script);

    stream_init(&a, text);
    a.policy.profile = profile;
    a.policy.mask = 1;

    answer_run(&a);
    stream_check(&c, &a);

    snprintf(expected, sizeof(expected), digest, code);

    is_mem(c.digest, strlen(c.digest), expected, strlen(expected), "%s",
           name);
    ok(c.error[0] == '\0', "%s: well-formed", name);
    ok(strstr((char *) a.text, "SECRET") == NULL, "%s: masked", name);
    is_int(a.verify.refused, 0, "%s: it is not ours", name);
    ok(a.verify.error.status >= 400, "%s: an error all the same", name);

    answer_free(&a);
    free(text);
    ngx_ors_test_log_reset();
}


static void
test_nested(void)
{
    char        *text;
    answer_t     a;
    ngx_uint_t   n;

    /* one that is nested keeps its bytes */

    text = stream_text(START
                       EVENT("error", ",'error':{'type' : 'x','code':null,"
                             "'message':'m','param':null,'y':1}"));
    stream_init(&a, text);
    answer_run(&a);

    ok(strstr((char *) a.text, "data: {\"type\":\"error\","
              "\"sequence_number\":2,\"error\":{\"type\" : \"x\","
              "\"code\":null,\"message\":\"m\",\"param\":null,\"y\":1}}\n\n")
       != NULL, "the bytes of a nested error");
    ok(strstr((char *) a.text, "\"error\":{\"code\":\"x\",\"message\":\"m\"}")
       != NULL, "a code is made for the failure (C27)");

    answer_free(&a);
    free(text);

    /* a flat one is put right: besides what is missing in two responses */

    text = stream_text(START ERROR("x") FAILED("x"));
    stream_init(&a, text);
    a.policy.profile = NGX_ORS_STRICT_OPENAI;
    answer_run(&a);
    n = a.verify.repaired;
    answer_free(&a);
    free(text);

    text = stream_text(START
                       EVENT("error", ",'code':null,'message':'m','param':"
                             "'input[0]'") FAILED("x"));
    stream_init(&a, text);
    a.policy.profile = NGX_ORS_STRICT_OPENAI;
    answer_run(&a);

    ok(strstr((char *) a.text, "data: {\"type\":\"error\","
              "\"sequence_number\":2,\"error\":{\"type\":\"server_error\","
              "\"code\":\"server_error\",\"message\":\"m\","
              "\"param\":\"input[0]\"}}\n\n")
       != NULL, "a flat error is nested");
    is_int(a.verify.repaired - n, 1, "which is repaired");

    answer_free(&a);
    free(text);

    /* so is one whose code is a number */

    text = stream_text(START
                       EVENT("error", ",'error':{'type':'t','code':429,"
                             "'message':'m','param':null}"));
    stream_init(&a, text);
    a.policy.profile = NGX_ORS_STRICT_OPENAI;
    answer_run(&a);

    ok(strstr((char *) a.text, "\"sequence_number\":2,\"error\":{\"type\":"
              "\"too_many_requests\",\"code\":\"rate_limit_exceeded\","
              "\"message\":\"m\",\"param\":\"\"}}\n\n")
       != NULL, "a number is no code");

    answer_free(&a);
    free(text);
    ngx_ors_test_log_reset();
}


/* for a reason that is not in the stream */

static void
test_refuse(void)
{
    char             *text;
    answer_t          a;
    ngx_buf_t         b;
    ngx_str_t         type = ngx_string("text/event-stream");
    ngx_uint_t        i;
    check_t    c;

    static const char  *scripts[][2] = {
        { "", "502 invalid_upstream_answer" },
        { START, "failed invalid_upstream_answer 0" },
        { START HELLO HELLO_DONE, "failed invalid_upstream_answer 1" },
        { START ERROR("oops"), "failed oops 0" },
    };

    for (i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
        text = stream_text(scripts[i][0]);

        stream_init(&a, text);
        answer_begin(&a);

        ngx_memzero(&b, sizeof(ngx_buf_t));
        b.start = answer_quotes(text, strlen(text));
        b.pos = b.start;
        b.last = b.pos + strlen(text);

        (void) ngx_ors_verify_header(&a.verify, 200, &type, -1);
        (void) ngx_ors_answer_data(&a.answer, &b);

        a.rc = ngx_ors_answer_refuse(&a.answer, "slow");
        answer_take(&a);
        stream_check(&c, &a);

        is_mem(c.digest, strlen(c.digest), scripts[i][1],
               strlen(scripts[i][1]), "refused, %d", (int) i);
        ok(c.error[0] == '\0', "refused, %d: well-formed", (int) i);

        answer_free(&a);
        free(b.start);
        free(text);
    }

    ngx_ors_test_log_reset();
}


/* a delta takes no memory, however many there are */

static void
test_memory(void)
{
    char         *text, *p;
    answer_t      a;
    ngx_buf_t     b;
    ngx_int_t     rc;
    ngx_str_t     type = ngx_string("text/event-stream");
    ngx_uint_t    i, n, allocs;
    ngx_chain_t  *cl;

    text = stream_text(START ADDED("0", MESSAGE("m", "in_progress", ""))
                       PART_ADDED(M0, TEXT("")) TDELTA(M0, "a"));

    stream_init(&a, text);
    answer_begin(&a);
    (void) ngx_ors_verify_header(&a.verify, 200, &type, -1);

    p = (char *) answer_quotes(text, strlen(text));
    free(text);
    text = p;

    /* all at first, then its last event again and again: renumbered, too */

    p = strstr(text, "event: response.output_text.delta");
    rc = NGX_OK;
    allocs = 0;
    n = 0;

    for (i = 0; i < 1000 && rc == NGX_OK; i++) {
        ngx_memzero(&b, sizeof(ngx_buf_t));
        b.pos = (u_char *) (i ? p : text);
        b.last = (u_char *) text + strlen(text);

        rc = ngx_ors_answer_data(&a.answer, &b);

        if (i == 3) {
            allocs = ngx_ors_test_allocs();
        }

        if (ngx_ors_out_take(&a.out, &cl) != NGX_OK) {
            rc = NGX_ERROR;
            break;
        }

        for (n += (cl != NULL); cl; ) {
            ngx_chain_t  *head = cl, *ln;

            for (ln = cl; ln; ln = ln->next) {
                ln->buf->pos = ln->buf->last;
            }

            cl = NULL;
            ngx_ors_out_recycle(&a.out, &head);
        }
    }

    is_int(rc, NGX_OK, "1000 deltas");
    is_int(n, 1000, "each is sent at once");
    is_int(ngx_ors_test_allocs() - allocs, 0, "no allocation for a delta");

    answer_free(&a);
    free(text);
}


static void
test_no_memory(void)
{
    char            *text;
    answer_t         a;
    ngx_uint_t       i, j, failed;
    check_t   c;

    static const char  *scripts[] = {
        START HELLO HELLO_DONE COMPLETED(HELLO_ITEM) DONE,
        START CALLED("a", "0") CALLED("b", "1") "data: {\n\n",
        ":\n\n",
        START KEY_ERROR,
        START KEY_FAILED,
        EVENT("acme:\\u0078", "")
    };

    for (j = 0; j < sizeof(scripts) / sizeof(scripts[0]); j++) {
        text = stream_text(scripts[j]);

        for (i = 1; ; i++) {
            stream_init(&a, text);
            a.step = 50;
            a.policy.mask = 1;
            answer_begin(&a);

            ngx_ors_test_fail_after(i);
            answer_run(&a);

            failed = ngx_ors_test_failed();
            ngx_ors_test_fail_after(0);

            if (a.rc != NGX_ERROR) {
                stream_check(&c, &a);

                if (c.error[0]) {
                    fail("allocation %d, %d: %s", (int) i, (int) j, c.error);
                }
            }

            answer_free(&a);

            if (!failed) {
                break;
            }
        }

        ok(i > 3, "allocations of %d", (int) j);
        free(text);
    }

    ngx_ors_test_log_reset();
}
