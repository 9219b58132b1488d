
/*
 * Copyright (C) Open Responses contributors
 *
 * A turn's work on a stream that comes in bulk: chunks of about 280 bytes
 * with one word each, in pieces as the module feeds them.  Nanoseconds for
 * one event, and how many of them are for reading frames and JSON.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_turn.h>
#include <ngx_ors_test_request.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>


#define TURN_BENCH_ROUNDS  15
#define TURN_BENCH_CHUNKS  20000
#define TURN_BENCH_STEP    8192


static void turn_bench(const char *name, const char *delta,
    ngx_uint_t stream);
static void turn_bench_make(const char *delta);
static double turn_bench_turn(ngx_uint_t stream);
static double turn_bench_read(void);
static ngx_int_t turn_bench_take(ngx_ors_turn_t *turn);
static double turn_bench_now(void);


static ngx_ors_limits_t  turn_bench_limits = {
    .depth = 64, .nodes = 100000, .items = 1000, .tools = 100, .calls = 128,
    .event = 1048576, .answer = 16777216, .queue = 65536
};

static char    *turn_bench_text;
static size_t   turn_bench_len;
static size_t   turn_bench_out;


int
main(void)
{
    turn_bench("text, streamed", "'content':' word%d'", 1);
    turn_bench("text, at once", "'content':' word%d'", 0);
    turn_bench("reasoning, streamed", "'reasoning_content':' word%d'", 1);
    turn_bench("arguments, streamed", "'tool_calls':[{'index':0,'id':'call_1'"
               ",'function':{'name':'f','arguments':'[ %d'}}]", 1);

    return 0;
}


static void
turn_bench(const char *name, const char *delta, ngx_uint_t stream)
{
    double      all, read, ns;
    ngx_uint_t  i;

    turn_bench_make(delta);

    all = 1e18;
    read = 1e18;

    for (i = 0; i < TURN_BENCH_ROUNDS; i++) {
        ns = turn_bench_turn(stream);
        all = ngx_min(all, ns);

        ns = turn_bench_read();
        read = ngx_min(read, ns);
    }

    printf("%-22s %4d bytes in, %4d out, %5.0f ns, %4.0f of them reading\n",
           name, (int) (turn_bench_len / TURN_BENCH_CHUNKS),
           (int) (turn_bench_out / TURN_BENCH_CHUNKS),
           all / TURN_BENCH_CHUNKS, read / TURN_BENCH_CHUNKS);

    free(turn_bench_text);
}


static void
turn_bench_make(const char *delta)
{
    char        *p;
    ngx_uint_t   i;

    turn_bench_text = malloc(TURN_BENCH_CHUNKS * 512);

    if (turn_bench_text == NULL) {
        exit(2);
    }

    p = turn_bench_text;

    for (i = 0; i < TURN_BENCH_CHUNKS; i++) {
        p += sprintf(p, "data: {'id':'chatcmpl-oprqY36VZ8d0eYoqiARNaN17Awnx',"
                     "'object':'chat.completion.chunk','created':1795256156,"
                     "'model':'meta-llama/Llama-3.3-70B-Instruct',"
                     "'system_fingerprint':'b0-unknown',"
                     "'choices':[{'index':0,'delta':{");
        p += sprintf(p, delta, (int) (i % 1000));
        p += sprintf(p, "},'logprobs':null,'finish_reason':null}]}\n\n");
    }

    p += sprintf(p, "data: {'choices':[{'index':0,'delta':{},"
                 "'finish_reason':'stop'}]}\n\ndata: [DONE]\n\n");

    turn_bench_len = p - turn_bench_text;

    for (p = turn_bench_text; *p; p++) {
        if (*p == '\'') {
            *p = '"';
        }
    }
}


/* ns for all of it, output included, and what sends it left out */

static double
turn_bench_turn(ngx_uint_t stream)
{
    double           from;
    ngx_buf_t        b;
    ngx_int_t        rc;
    ngx_str_t        body, model = ngx_null_string, type;
    ngx_pool_t      *pool;
    ngx_ors_out_t    out;
    ngx_ors_turn_t  *turn;

    pool = ngx_ors_test_pool();

    ngx_str_set(&body, "{\"model\":\"m\",\"input\":\"hi\",\"stream\":true}");
    ngx_str_set(&type, "text/event-stream");

    if (!stream) {
        ngx_str_set(&body, "{\"model\":\"m\",\"input\":\"hi\"}");
    }

    turn = ngx_ors_turn_create(
        ngx_ors_endpoint(ngx_ors_endpoint_responses), &ngx_ors_test_policy,
        &turn_bench_limits, pool, pool->log);
    ngx_ors_out_init(&out, pool, 4096);

    if (ngx_ors_turn_request(turn, &body) != NGX_OK
        || ngx_ors_turn_call(turn, ngx_ors_dialect_chat, &ngx_ors_chat_options,
                             &model, &out)
           != NGX_OK
        || ngx_ors_turn_header(turn, 200, &type, -1) != NGX_OK)
    {
        exit(2);
    }

    ngx_memzero(&b, sizeof(ngx_buf_t));
    b.pos = (u_char *) turn_bench_text;
    b.last = b.pos;

    turn_bench_out = 0;
    from = turn_bench_now();

    do {
        b.last = ngx_min(b.pos + TURN_BENCH_STEP,
                         (u_char *) turn_bench_text + turn_bench_len);

        rc = ngx_ors_turn_data(turn, &b);

        if (turn_bench_take(turn) != NGX_OK) {
            exit(2);
        }

    } while (rc == NGX_OK);

    from = turn_bench_now() - from;

    if (rc != NGX_DONE || turn->status != 200) {
        exit(2);
    }

    ngx_destroy_pool(pool);

    return from;
}


/* frames and JSON alone */

static double
turn_bench_read(void)
{
    double           from;
    ngx_buf_t        b;
    ngx_pool_t      *pool;
    ngx_ors_sse_t    sse;
    ngx_ors_json_t   json;

    pool = ngx_ors_test_pool();

    ngx_ors_sse_init(&sse, pool, 1048576);
    ngx_ors_json_init(&json, pool, 64, 100000);

    ngx_memzero(&b, sizeof(ngx_buf_t));
    b.pos = (u_char *) turn_bench_text;
    b.last = b.pos;

    from = turn_bench_now();

    while (b.last < (u_char *) turn_bench_text + turn_bench_len) {
        b.last = ngx_min(b.pos + TURN_BENCH_STEP,
                         (u_char *) turn_bench_text + turn_bench_len);

        while (ngx_ors_sse_read(&sse, &b) == NGX_OK) {
            (void) ngx_ors_json_read(&json, sse.data.data, sse.data.len);
        }
    }

    from = turn_bench_now() - from;

    ngx_destroy_pool(pool);

    return from;
}


static ngx_int_t
turn_bench_take(ngx_ors_turn_t *turn)
{
    ngx_chain_t  *out, *cl;

    if (ngx_ors_out_take(&turn->out, &out) != NGX_OK) {
        return NGX_ERROR;
    }

    for (cl = out; cl; cl = cl->next) {
        turn_bench_out += cl->buf->last - cl->buf->pos;
        cl->buf->pos = cl->buf->last;
    }

    ngx_ors_out_recycle(&turn->out, &out);

    return NGX_OK;
}


static double
turn_bench_now(void)
{
    struct timespec  ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);

    return ts.tv_sec * 1e9 + ts.tv_nsec;
}
