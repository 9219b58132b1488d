
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Events as frames of an event stream, and as messages.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_sse.h>


static void test_lines(ngx_pool_t *pool);
static void test_messages(ngx_pool_t *pool, size_t block);
static void test_marks(ngx_pool_t *pool);
static void test_failed(ngx_pool_t *pool);
static void frame(ngx_ors_out_t *out, char *type, char *text);


int
main(void)
{
    ngx_pool_t  *pool;

    pool = ngx_ors_test_pool();

    test_lines(pool);
    test_messages(pool, 3);
    test_messages(pool, 4096);
    test_marks(pool);
    test_failed(pool);

    ngx_destroy_pool(pool);

    return done_testing();
}


static void
test_lines(ngx_pool_t *pool)
{
    ngx_chain_t    *cl;
    ngx_ors_out_t   out;

    ngx_ors_out_init(&out, pool, 20);

    frame(&out, "response.created", "{}");
    ngx_ors_frame_comment(&out);
    frame(&out, NULL, "{\"a\":1}");
    ngx_ors_frame_done(&out);

    ngx_ors_out_take(&out, &cl);
    is_chain(cl, "event: response.created\ndata: {}\n\n:\n\n"
                 "data: {\"a\":1}\n\ndata: [DONE]\n\n", "lines");
}


/* each ends a buffer, however long it is and however short a block is */

static void
test_messages(ngx_pool_t *pool, size_t block)
{
    ngx_chain_t    *cl, *last;
    ngx_ors_out_t   out;

    ngx_ors_out_init(&out, pool, block);
    out.messages = 1;

    frame(&out, "response.created", "{\"a\":1}");
    ngx_ors_frame_comment(&out);
    frame(&out, "response.failed", "{\"b\":2}");
    ngx_ors_frame_done(&out);

    ngx_ors_out_take(&out, &cl);

    last = ngx_ors_frame_last(cl);
    is_int(last->buf->num, ngx_ors_frame_is_event, "an event");
    is_int(last->buf->last[-1], '}', "to its end");

    last = ngx_ors_frame_last(last->next);
    is_int(last->buf->num, ngx_ors_frame_is_comment, "a comment");

    last = ngx_ors_frame_last(last->next);
    is_int(last->buf->num, ngx_ors_frame_is_terminal, "the last event");
    ok(last->next == NULL, "nothing follows it");

    is_chain(cl, "{\"a\":1}:{\"b\":2}", "no lines");
}


static void
test_marks(ngx_pool_t *pool)
{
    size_t          i;
    ngx_chain_t    *cl;
    ngx_ors_out_t   out;

    static struct {
        char             *type;
        ngx_ors_frame_e   mark;
    } tests[] = {
        { "response.created",     ngx_ors_frame_is_event },
        { "response.cancelled",   ngx_ors_frame_is_event },
        { "response.completed",   ngx_ors_frame_is_terminal },
        { "response.incomplete",  ngx_ors_frame_is_terminal },
        { "response.failed",      ngx_ors_frame_is_terminal },
        { "response.failed2",     ngx_ors_frame_is_event },
        { "response.",            ngx_ors_frame_is_other },
        { "responses.created",    ngx_ors_frame_is_other },
        { "error",                ngx_ors_frame_is_other },
        { "",                     ngx_ors_frame_is_other },
        { NULL,                   ngx_ors_frame_is_other }
    };

    ngx_ors_out_init(&out, pool, 64);
    out.messages = 1;

    for (i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
        frame(&out, tests[i].type, "{\"a\":1}");
        ngx_ors_out_take(&out, &cl);

        is_int(ngx_ors_frame_last(cl)->buf->num, tests[i].mark,
               tests[i].type ? tests[i].type : "none");
    }
}


static void
test_failed(ngx_pool_t *pool)
{
    ngx_chain_t    *cl;
    ngx_ors_out_t   out;

    ngx_ors_out_init(&out, pool, 64);
    out.messages = 1;

    ngx_ors_out_mark(&out, ngx_ors_frame_is_event);
    ngx_ors_out_take(&out, &cl);
    ok(cl == NULL, "no buffer, no mark");

    ngx_ors_test_fail_after(1);
    frame(&out, "response.created", "{\"a\":1}");
    ngx_ors_test_fail_after(0);

    is_int(ngx_ors_out_take(&out, &cl), NGX_ERROR, "no memory");
}


static void
frame(ngx_ors_out_t *out, char *type, char *text)
{
    ngx_str_t  name;

    name.data = (u_char *) type;
    name.len = type ? ngx_strlen(type) : 0;

    ngx_ors_frame_open(out, type ? &name : NULL);
    ngx_ors_out_copy(out, (u_char *) text, ngx_strlen(text));
    ngx_ors_frame_close(out);
}
