
/*
 * Copyright (C) Open Responses contributors
 *
 * JSON reader: bytes a second on generated documents, and the time of one
 * chunk of a stream, beside jansson on the same bytes.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_json.h>

#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>


#define JSON_BENCH_ROUNDS   9
#define JSON_BENCH_ROUND    50000000      /* ns */
#define JSON_BENCH_CHUNKS   1000

#define lit(text)                                                             \
    json_bench_put((u_char *) (text), sizeof(text) - 1)


typedef void (*json_bench_pt)(void);

typedef struct {
    const char     *name;
    json_bench_pt   make;
} json_bench_t;


static void json_bench_agent(void);
static void json_bench_item(ngx_uint_t n);
static void json_bench_tool(ngx_uint_t n);
static void json_bench_image(void);
static void json_bench_cjk(void);
static void json_bench_pretty(void);
static void json_bench_stream(void);
static void json_bench_chunk(ngx_uint_t n);
static void json_bench_text(size_t size);
static void json_bench_put(u_char *data, size_t len);
static void json_bench_printf(const char *fmt, ...);
static double json_bench_ours(ngx_pool_t *pool);
static double json_bench_jansson(void);
static double json_bench_now(void);


static json_bench_t  json_bench[] = {
    { "agent request, 1 MB", json_bench_agent },
    { "data URL, 4 MB", json_bench_image },
    { "CJK text, 1 MB", json_bench_cjk },
    { "pretty printed tools, 340 KB", json_bench_pretty },
    { "1000 chunks of a stream", json_bench_stream }
};


static u_char     *text;
static size_t      len, size;

/* where documents end: one, or the chunks of a stream */
static size_t      ends[JSON_BENCH_CHUNKS];
static ngx_uint_t  ndocs;


int
main(void)
{
    double        ours, other;
    ngx_uint_t    i;
    ngx_pool_t   *pool;

    printf("%-30s %9s %12s %12s %10s %10s\n", "", "bytes", "ours", "jansson",
           "ns each", "jansson");

    for (i = 0; i < sizeof(json_bench) / sizeof(json_bench[0]); i++) {
        len = 0;
        ndocs = 0;
        json_bench[i].make();

        if (ndocs == 0) {
            ends[ndocs++] = len;
        }

        /* exactly sized, as a body is */

        text = realloc(text, len);
        size = len;

        pool = ngx_ors_test_pool();
        ours = json_bench_ours(pool);
        other = json_bench_jansson();
        ngx_destroy_pool(pool);

        printf("%-30s %9zu %7.2f GB/s %7.3f GB/s %10.0f %10.0f\n",
               json_bench[i].name, len, len / ours, len / other, ours / ndocs,
               other / ndocs);
    }

    free(text);

    return 0;
}


static void
json_bench_agent(void)
{
    ngx_uint_t  n;

    lit("{\"model\":\"gpt-5-codex\",\"stream\":true,\"store\":false,"
        "\"instructions\":\"");
    json_bench_text(20000);
    lit("\",\"tools\":[");

    for (n = 0; n < 30; n++) {
        if (n) {
            lit(", ");
        }

        json_bench_tool(n);
    }

    lit("],\n  \"tool_choice\": \"auto\",\n  \"parallel_tool_calls\": true,\n"
        "  \"reasoning\": {\"effort\": \"medium\", \"summary\": \"auto\"},\n"
        "  \"include\": [\"reasoning.encrypted_content\"],\n  \"input\": [");

    for (n = 0; len < 1024 * 1024; n++) {
        if (n) {
            lit(",");
        }

        json_bench_item(n);
    }

    lit("],\"max_output_tokens\":16384,\"temperature\":0.70}");
}


static void
json_bench_item(ngx_uint_t n)
{
    switch (n % 4) {

    case 0:
        lit("{\"type\":\"message\",\"role\":\"user\",\"content\":"
            "[{\"type\":\"input_text\",\"text\":\"");
        json_bench_text(200 + ngx_ors_test_random(800));
        lit("\"}]}");
        break;

    case 1:
        json_bench_printf("{\"type\":\"function_call\",\"id\":\"fc_%08x\","
                          "\"call_id\":\"call_%08x\",\"name\":\"shell\","
                          "\"status\":\"completed\",\"arguments\":"
                          "\"{\\\"command\\\":[\\\"bash\\\",\\\"-lc\\\","
                          "\\\"sed -n '%d,%dp' src/main.c\\\"],"
                          "\\\"workdir\\\":\\\"/home/user/project\\\"}\"}",
                          (int) n * 7919, (int) n * 104729, (int) n,
                          (int) n + 200);
        break;

    case 2:
        json_bench_printf("{\"type\":\"function_call_output\",\"call_id\":"
                          "\"call_%08x\",\"output\":\"", (int) n * 104729);
        json_bench_text(500 + ngx_ors_test_random(6000));
        lit("\"}");
        break;

    default:
        json_bench_printf("{\"type\": \"message\", \"id\": \"msg_%08x\", "
                          "\"role\": \"assistant\", \"status\": \"completed\", "
                          "\"content\": [{\"type\": \"output_text\", "
                          "\"annotations\": [], \"text\": \"",
                          (int) n * 15485863);
        json_bench_text(200 + ngx_ors_test_random(1500));
        lit("\"}]}");
        break;
    }
}


static void
json_bench_tool(ngx_uint_t n)
{
    ngx_uint_t  i;

    json_bench_printf("{\n      \"type\": \"function\",\n      \"name\": "
                      "\"tool_%d\",\n      \"description\": \"", (int) n);
    json_bench_text(300);
    lit("\",\n      \"strict\": false,\n      \"parameters\": {\n"
        "        \"type\": \"object\",\n        \"properties\": {\n");

    for (i = 0; i < 6; i++) {
        json_bench_printf("          \"field_%d\": {\n            \"type\": "
                          "\"%s\",\n            \"description\": \"", (int) i,
                          (i & 1) ? "string" : "integer");
        json_bench_text(80);
        json_bench_printf("\",\n            \"minimum\": %d\n          },\n",
                          (int) i * 10);
    }

    lit("          \"last\": { \"type\": \"array\", \"items\": "
        "{ \"type\": \"number\" } }\n        },\n        \"required\": [\n"
        "          \"field_0\",\n          \"field_1\"\n        ],\n"
        "        \"additionalProperties\": false\n      }\n    }");
}


static void
json_bench_image(void)
{
    size_t                n;
    u_char                ch;
    static const u_char   set[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "abcdefghijklmnopqrstuvwxyz0123456789+/";

    lit("{\"model\":\"gpt-5\",\"input\":[{\"type\":\"message\",\"role\":"
        "\"user\",\"content\":[{\"type\":\"input_image\",\"detail\":\"auto\","
        "\"image_url\":\"data:image/png;base64,");

    for (n = 0; n < 4 * 1024 * 1024; n++) {
        ch = set[ngx_ors_test_random(64)];
        json_bench_put(&ch, 1);
    }

    lit("\"}]}]}");
}


static void
json_bench_cjk(void)
{
    u_char      ch[3];
    ngx_uint_t  code, n;

    lit("{\"model\":\"qwen3\",\"input\":\"");

    while (len < 1024 * 1024) {

        for (n = 5 + ngx_ors_test_random(25); n; n--) {
            code = 0x4e00 + ngx_ors_test_random(0x5000);
            ch[0] = 0xe0 | code >> 12;
            ch[1] = 0x80 | (code >> 6 & 0x3f);
            ch[2] = 0x80 | (code & 0x3f);
            json_bench_put(ch, 3);
        }

        switch (ngx_ors_test_random(6)) {

        case 0:
            lit("\\n\\n");
            break;

        case 1:
            lit(" JSON ");
            break;

        default:
            lit("\xef\xbc\x8c");
            break;
        }
    }

    lit("\"}");
}


static void
json_bench_pretty(void)
{
    ngx_uint_t  n;

    lit("[");

    for (n = 0; n < 180; n++) {
        if (n) {
            lit(",\n    ");
        }

        json_bench_tool(n);
    }

    lit("\n]\n");
}


static void
json_bench_stream(void)
{
    for (ndocs = 0; ndocs < JSON_BENCH_CHUNKS; ndocs++) {
        json_bench_chunk(ndocs);
        ends[ndocs] = len;
    }
}


static void
json_bench_chunk(ngx_uint_t n)
{
    lit("{\"choices\":[{\"finish_reason\":null,\"index\":0,\"delta\":"
        "{\"content\":\" ");

    if (n % 16 == 0) {
        lit("\\n\\n");
    }

    if (n % 24 == 0) {
        lit("\xe4\xb8\xad");
    }

    json_bench_text(1 + ngx_ors_test_random(9));

    lit("\"},\"logprobs\":null}],\"created\":1795256156,"
        "\"id\":\"chatcmpl-oprqY36VZ8d0eYoqiARNaN17AwnxzqDC\","
        "\"model\":\"meta-llama/Llama-3.3-70B-Instruct\","
        "\"system_fingerprint\":\"b0-unknown\","
        "\"object\":\"chat.completion.chunk\"}");
}


/* words, an escape each 30 to 60 bytes, sometimes not ASCII */

static void
json_bench_text(size_t n)
{
    u_char       word[8];
    size_t       last, next;
    ngx_uint_t   i, k;

    last = len + n;
    next = len + 30 + ngx_ors_test_random(31);

    while (len < last) {

        if (len >= next) {
            next = len + 30 + ngx_ors_test_random(31);

            switch (ngx_ors_test_random(8)) {

            case 0: case 1: case 2: case 3:
                lit("\\n");
                break;

            case 4: case 5:
                lit("\\\"");
                break;

            case 6:
                lit("\\t");
                break;

            default:
                lit("\xc3\xa9\xe2\x80\x94");
                break;
            }
        }

        k = 2 + ngx_ors_test_random(6);

        for (i = 0; i < k; i++) {
            word[i] = 'a' + ngx_ors_test_random(26);
        }

        word[k] = ' ';
        json_bench_put(word, k + 1);
    }
}


static void
json_bench_put(u_char *data, size_t n)
{
    if (size - len < n) {
        size = size * 2 + n;

        text = realloc(text, size);
        if (text == NULL) {
            exit(2);
        }
    }

    ngx_memcpy(text + len, data, n);
    len += n;
}


static void
json_bench_printf(const char *fmt, ...)
{
    int      n;
    char     buf[512];
    va_list  args;

    va_start(args, fmt);
    n = vsnprintf(buf, sizeof(buf), fmt, args);
    va_end(args);

    json_bench_put((u_char *) buf, n);
}


/* ns for all documents, the best of some rounds; nodes are used again */

static double
json_bench_ours(ngx_pool_t *pool)
{
    double          best, from, ns;
    size_t          pos;
    ngx_uint_t      d, i, n, round;
    ngx_ors_json_t  json;

    ngx_ors_json_init(&json, pool, 64, 1000000);

    best = 1e18;
    n = 1;

    for (round = 0; round < JSON_BENCH_ROUNDS; round++) {
        from = json_bench_now();

        for (i = 0; i < n; i++) {
            pos = 0;

            for (d = 0; d < ndocs; d++) {
                if (ngx_ors_json_read(&json, text + pos, ends[d] - pos)
                    != NGX_OK)
                {
                    printf("%s at %zu\n",
                           ngx_ors_json_strerror(json.error)->data,
                           pos + json.offset);
                    exit(2);
                }

                pos = ends[d];
            }
        }

        ns = (json_bench_now() - from) / n;

        if (round) {
            best = ngx_min(best, ns);
        }

        n = 1 + JSON_BENCH_ROUND / ns;
    }

    return best;
}


static double
json_bench_jansson(void)
{
    double        best, from, ns;
    json_t       *root;
    size_t        pos;
    ngx_uint_t    d, i, n, round;
    json_error_t  err;

    best = 1e18;
    n = 1;

    for (round = 0; round < 3; round++) {
        from = json_bench_now();

        for (i = 0; i < n; i++) {
            pos = 0;

            for (d = 0; d < ndocs; d++) {
                root = json_loadb((char *) text + pos, ends[d] - pos, 0, &err);
                if (root == NULL) {
                    printf("jansson: %s at %d\n", err.text, err.position);
                    exit(2);
                }

                json_decref(root);
                pos = ends[d];
            }
        }

        ns = (json_bench_now() - from) / n;
        best = ngx_min(best, ns);
        n = 1 + JSON_BENCH_ROUND / ns;
    }

    return best;
}


static double
json_bench_now(void)
{
    struct timespec  ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);

    return ts.tv_sec * 1e9 + ts.tv_nsec;
}
