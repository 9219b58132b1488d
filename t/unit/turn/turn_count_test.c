
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Counts of tokens: what a server's tokenizer is asked, and its answers, with
 * memory and without.
 */


#include <ngx_ors_test_request.h>

#include "turn_run.h"


typedef struct {
    const char  *name;
    ngx_uint_t   count;           /* ngx_ors_chat_count_e */
    const char  *answers[2];      /* "!": status 503 */
    const char  *expected;        /* paths of the calls, what the client gets */
} test_row_t;


static void test_row(const test_row_t *row);
static void test_memory(const test_row_t *row);
static ngx_int_t run(const test_row_t *row, ngx_pool_t *pool, char *trace);
static ngx_int_t call(ngx_ors_turn_t *turn, const test_row_t *row,
    const char *answer, char *trace);


#define COUNT(n)  " 200 {\"object\":\"response.input_tokens\","               \
                  "\"input_tokens\":" n "}"

#define TOKENIZE  ngx_ors_chat_count_tokenize
#define TEMPLATE  ngx_ors_chat_count_template


static const test_row_t  rows[] = {

    { "a count", TOKENIZE, { "{'count':7,'tokens':[1,2]}" },
      "/tokenize{model,messages}" COUNT("7") },

    { "tokens", TOKENIZE, { "{'tokens':[1,2]}" },
      "/tokenize{model,messages}" COUNT("2") },

    { "none at all", TOKENIZE, { "{'tokens':[]}" },
      "/tokenize{model,messages}" COUNT("0") },

    { "a template", TEMPLATE, { "{'prompt':'a\\\\nb'}", "{'tokens':[1,2,3]}" },
      "/apply-template{model,messages}"
      "/tokenize{model,content,add_special,parse_special}" COUNT("3") },

    { "no tokenizer", ngx_ors_chat_count_off, { NULL }, " 501" },

    { "a prompt without text", TEMPLATE, { "{'prompt':''}" },
      "/apply-template{model,messages} 502" },

    { "a prompt that is no text", TEMPLATE, { "{'prompt':[1]}" },
      "/apply-template{model,messages} 502" },

    { "a prompt of a prompt", TEMPLATE, { "{'prompt':'a'}", "{'prompt':'a'}" },
      "/apply-template{model,messages}"
      "/tokenize{model,content,add_special,parse_special} 502" },

    { "less than nothing", TOKENIZE, { "{'count':-1}" },
      "/tokenize{model,messages} 502" },

    { "the largest", TOKENIZE, { "{'count':2147483647}" },
      "/tokenize{model,messages}" COUNT("2147483647") },

    { "more", TOKENIZE, { "{'count':2147483648}" },
      "/tokenize{model,messages} 502" },

    { "no JSON", TOKENIZE, { "{'count':" },
      "/tokenize{model,messages} 502" },

    { "no object", TOKENIZE, { "7" }, "/tokenize{model,messages} 502" },

    { "an error of the second call", TEMPLATE, { "{'prompt':'a'}", "!" },
      "/apply-template{model,messages}"
      "/tokenize{model,content,add_special,parse_special} 503" },

    { NULL, 0, { NULL }, NULL }
};


int
main(void)
{
    const test_row_t  *row;

    for (row = rows; row->name; row++) {
        test_row(row);
        test_memory(row);
    }

    return done_testing();
}


static void
test_row(const test_row_t *row)
{
    char         trace[1024];
    size_t       len;
    ngx_pool_t  *pool;

    pool = ngx_create_pool(4096, ngx_ors_test_log());

    is_int(run(row, pool, trace), NGX_DONE, "%s: it ends", row->name);

    /* of errors the status will do */

    len = strlen(row->expected);

    ok(strncmp(trace, row->expected, len) == 0, "%s: all of it", row->name);

    if (strncmp(trace, row->expected, len) != 0) {
        diag("got %s", trace);
    }

    ngx_destroy_pool(pool);
}


static void
test_memory(const test_row_t *row)
{
    char         trace[1024];
    ngx_int_t    rc;
    ngx_pool_t  *pool;
    ngx_uint_t   n, bad;

    bad = 0;

    for (n = 1; n < 1000; n++) {
        ngx_ors_test_fail_after(n);

        pool = ngx_create_pool(512, ngx_ors_test_log());
        rc = pool ? run(row, pool, trace) : NGX_ERROR;

        if (!ngx_ors_test_failed()) {
            ngx_ors_test_fail_after(0);
            ngx_destroy_pool(pool);
            break;
        }

        ngx_ors_test_fail_after(0);

        bad += (rc != NGX_ERROR && rc != NGX_DONE);

        if (pool) {
            ngx_destroy_pool(pool);
        }
    }

    ok(n > 1 && n < 1000 && bad == 0, "%s: no memory", row->name);
}


static ngx_int_t
run(const test_row_t *row, ngx_pool_t *pool, char *trace)
{
    char            *p;
    ngx_int_t        rc;
    ngx_str_t        body;
    ngx_uint_t       i;
    ngx_chain_t     *cl;
    ngx_ors_turn_t  *turn;

    static ngx_ors_limits_t  limits = limits_default();
    static ngx_ors_policy_t  policy;

    *trace = '\0';
    policy = ngx_ors_test_policy;

    turn = ngx_ors_turn_create(ngx_ors_endpoint(ngx_ors_endpoint_input_tokens),
                               &policy, &limits, pool, pool->log);
    if (turn == NULL) {
        return NGX_ERROR;
    }

    ngx_str_set(&body, "{\"model\":\"m\",\"input\":\"hi\"}");
    rc = ngx_ors_turn_request(turn, &body);

    for (i = 0; i < 2 && rc == NGX_OK; i++) {
        rc = call(turn, row, row->answers[i], trace);

        if (rc == NGX_DONE && turn->state == ngx_ors_turn_st_tools) {
            rc = ngx_ors_turn_tools(turn);
        }
    }

    if (rc != NGX_DONE || ngx_ors_out_take(&turn->out, &cl) != NGX_OK) {
        return NGX_ERROR;
    }

    p = trace + strlen(trace);
    p += sprintf(p, " %d ", (int) turn->status);

    for ( /* void */ ; cl; cl = cl->next) {
        p += sprintf(p, "%.*s", (int) (cl->buf->last - cl->buf->pos),
                     (char *) cl->buf->pos);
    }

    return NGX_DONE;
}


/* the trace gets the path and the names of the members */

static ngx_int_t
call(ngx_ors_turn_t *turn, const test_row_t *row, const char *answer,
    char *trace)
{
    char                    *p;
    u_char                  *text;
    size_t                   len;
    ngx_buf_t                b;
    ngx_int_t                rc;
    ngx_str_t                body, base, model = ngx_null_string;
    ngx_str_t                type = ngx_string("application/json");
    ngx_ors_out_t            out;
    ngx_ors_json_t           json;
    const ngx_str_t         *path;
    ngx_ors_json_node_t     *key;
    ngx_ors_chat_options_t   options;

    options = ngx_ors_chat_options;
    options.count = row->count;

    ngx_ors_out_init(&out, turn->pool, 512);

    path = ngx_ors_turn_path(turn, ngx_ors_dialect_chat, &options, &base);
    rc = ngx_ors_turn_call(turn, ngx_ors_dialect_chat, &options, &model, &out);

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_ors_json_init(&json, turn->pool, 64, 1000);

    if (ngx_ors_out_text(&out, &body) != NGX_OK
        || ngx_ors_json_read(&json, body.data, body.len) != NGX_OK)
    {
        return NGX_ERROR;
    }

    p = trace + strlen(trace);
    p += sprintf(p, "%.*s%.*s", (int) base.len, (char *) base.data,
                 (int) path->len, (char *) path->data);

    for (key = ngx_ors_json_first(&json, json.nodes);
         key;
         key = ngx_ors_json_next(&json, key))
    {
        ngx_ors_json_raw(&json, key, &body);
        p += sprintf(p, "%c%.*s", (key == json.nodes + 1) ? '{' : ',',
                     (int) body.len, (char *) body.data);
    }

    (void) sprintf(p, "}");

    if (*answer == '!') {
        answer = "{'error':{'message':'no'}}";
        rc = ngx_ors_turn_header(turn, 503, &type, -1);

    } else {
        rc = ngx_ors_turn_header(turn, 200, &type, -1);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    text = run_text(answer, &len);

    memset(&b, 0, sizeof(ngx_buf_t));
    b.pos = text;
    b.last = text + len;
    b.memory = 1;

    rc = ngx_ors_turn_data(turn, &b);

    free(text);

    return (rc == NGX_OK) ? ngx_ors_turn_end(turn, 0, 1) : rc;
}
