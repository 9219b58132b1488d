
/*
 * Copyright (C) Open Responses contributors
 */


/* Requests to locations of hosted types, and their answers. */


#include <ngx_ors_test.h>
#include <ngx_ors_item.h>


#define WEB    ngx_ors_hosted_type_web_search
#define FILES  ngx_ors_hosted_type_file_search
#define CODE   ngx_ors_hosted_type_interpreter


typedef struct {
    ngx_ors_hosted_type_e   type;
    char                   *from;         /* ' for " */
    char                   *value;
} value_test_t;


typedef struct {
    ngx_ors_hosted_type_e   type;
    char                   *from;         /* ' for " */
    ngx_int_t               rc;
    char                   *text;         /* NULL: all of "from" */
    char                   *results;
} answer_test_t;


static void test_body(void);
static void test_values(void);
static void test_answers(void);
static void test_cuts(void);
static void test_no_memory(void);
static void quoted(ngx_str_t *to, char *from, ngx_pool_t *pool);
static ngx_int_t answer(ngx_ors_hosted_type_e type, ngx_str_t *text,
    ngx_pool_t *pool, ngx_ors_hosted_result_t *result);


static ngx_ors_limits_t  limits;


static value_test_t  values[] = {
    { WEB, "{'query':'a'}", "{'type':'search','query':'a'}" },
    { WEB, "{'query':'a\\\\b\\n'}", "{'type':'search','query':'a\\\\b\\n'}" },
    { WEB, "{'query':''}", "" },
    { WEB, "{'query':1}", "" },
    { WEB, "{}", "" },
    { WEB, "[1]", "" },
    { WEB, "x", "" },
    { FILES, "{'x':1,'query':'a'}", "['a']" },
    { FILES, "{'code':'a'}", "" },
    { CODE, "{'code':'a\\n'}", "a\\n" },
    { CODE, "{'query':'a'}", "" }
};


static answer_test_t  answers[] = {

    { WEB, "text", NGX_OK, NULL, "" },
    { WEB, "", NGX_OK, NULL, "" },
    { WEB, "[1]", NGX_OK, NULL, "" },
    { WEB, "{'a':1}", NGX_OK, NULL, "" },
    { WEB, "{'output':'a\\n\\u00f6'}", NGX_OK, "a\n\xc3\xb6", "" },
    { WEB, "{'output':''}", NGX_OK, "", "" },
    { WEB, "{'output':{'a':1}}", NGX_OK, NULL, "" },
    { WEB, "{'output':'a','sources':null}", NGX_OK, "a", "" },
    { WEB, "{'output':'a','sources':[]}", NGX_OK, "a", "[]" },
    { WEB, "{'sources':[]}", NGX_OK, NULL, "[]" },
    { WEB, "{'output':'a','sources':[{'type':'url','url':'u\\/','x':1},"
      "{'url':'v','type':'url'}]}", NGX_OK, "a",
      "[{'type':'url','url':'u\\/'},{'type':'url','url':'v'}]" },
    { WEB, "{'output':'a','sources':{}}", NGX_DECLINED, NULL, NULL },
    { WEB, "{'output':'a','sources':[1]}", NGX_DECLINED, NULL, NULL },
    { WEB, "{'output':'a','sources':[{'url':'u'}]}", NGX_DECLINED, NULL,
      NULL },
    { WEB, "{'output':'a','sources':[{'type':'url'}]}", NGX_DECLINED, NULL,
      NULL },
    { WEB, "{'output':'a','sources':[{'type':'url','url':1}]}", NGX_DECLINED,
      NULL, NULL },
    { WEB, "{'output':'a','results':1}", NGX_OK, "a", "" },

    { FILES, "{'output':'a','results':[{'file_id':'f','filename':'n'}]}",
      NGX_OK, "a", "[{'file_id':'f','filename':'n'}]" },
    { FILES, "{'output':'a','results':[{'filename':'n','file_id':'f',"
      "'score':0.70,'text':'t','attributes':{'a':[1]},'x':1},"
      "{'file_id':'g','filename':'m','score':null}]}", NGX_OK, "a",
      "[{'file_id':'f','filename':'n','score':0.70,'text':'t',"
      "'attributes':{'a':[1]}},{'file_id':'g','filename':'m'}]" },
    { FILES, "{'results':[{'file_id':'f'}]}", NGX_DECLINED, NULL, NULL },
    { FILES, "{'results':[{'file_id':'f','filename':'n','score':'1'}]}",
      NGX_DECLINED, NULL, NULL },
    { FILES, "{'results':[[]]}", NGX_DECLINED, NULL, NULL },

    { CODE, "1\n", NGX_OK, NULL, "[{'type':'logs','logs':'1\\n'}]" },
    { CODE, "{'output':'a'}", NGX_OK, "a", "[{'type':'logs','logs':'a'}]" },
    { CODE, "{'output':'a','outputs':[{'type':'logs','logs':'l'},"
      "{'type':'image','url':'u'}]}", NGX_OK, "a",
      "[{'type':'logs','logs':'l'},{'type':'image','url':'u'}]" },
    { CODE, "{'outputs':[{'type':'logs','url':'u'}]}", NGX_DECLINED, NULL,
      NULL },
    { CODE, "{'outputs':[{'type':'file','url':'u'}]}", NGX_DECLINED, NULL,
      NULL }
};


int
main(void)
{
    limits.depth = 64;
    limits.nodes = 1000;

    test_body();
    test_values();
    test_answers();
    test_cuts();
    test_no_memory();

    return done_testing();
}


static void
test_body(void)
{
    ngx_str_t              arguments, tool, body;
    ngx_ors_hosted_call_t  call;

    call.type = WEB;
    call.limits = &limits;
    call.pool = ngx_ors_test_pool();

    ngx_str_set(&arguments, "{\"query\":\"a\"}");
    ngx_str_set(&tool, "{\"type\":\"web_search\"}");

    ok(ngx_ors_hosted_call_body(&call, &arguments, &tool, &body) == NGX_OK,
       "a body");
    is_str(&body, "{\"arguments\":{\"query\":\"a\"},"
           "\"tool\":{\"type\":\"web_search\"}}", "what is in it");

    ngx_destroy_pool(call.pool);
}


static void
test_values(void)
{
    ngx_str_t               from, value, expected;
    ngx_uint_t              i;
    ngx_ors_hosted_call_t   call;

    for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        call.type = values[i].type;
        call.limits = &limits;
        call.pool = ngx_ors_test_pool();

        quoted(&from, values[i].from, call.pool);
        quoted(&expected, values[i].value, call.pool);

        ok(ngx_ors_hosted_call_value(&call, &from, &value) == NGX_OK
           && value.len == expected.len
           && (value.len == 0
               || ngx_memcmp(value.data, expected.data, value.len) == 0),
           "value of %s", values[i].from);

        ngx_destroy_pool(call.pool);
    }
}


static void
test_answers(void)
{
    ngx_int_t                 rc;
    ngx_str_t                 from, text, results;
    ngx_uint_t                i;
    ngx_pool_t               *pool;
    answer_test_t            *test;
    ngx_ors_hosted_result_t   result;

    for (i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
        test = &answers[i];
        pool = ngx_ors_test_pool();

        quoted(&from, test->from, pool);

        rc = answer(test->type, &from, pool, &result);

        ok(rc == test->rc, "%s", test->from);

        if (rc == NGX_OK) {
            quoted(&text, test->text ? test->text : test->from, pool);
            quoted(&results, test->results, pool);

            is_mem(result.text.data, result.text.len, text.data, text.len,
                   "%s: text", test->from);
            is_mem(result.results.data, result.results.len, results.data,
                   results.len, "%s: list", test->from);
        }

        ngx_destroy_pool(pool);
    }
}


/* an answer that is no whole object is a text like any other */

static void
test_cuts(void)
{
    size_t                    len;
    ngx_str_t                 from;
    ngx_uint_t                bad;
    ngx_pool_t               *pool;
    ngx_ors_hosted_result_t   result;

    bad = 0;
    pool = ngx_ors_test_pool();

    quoted(&from, "{'output':'a','sources':[{'type':'url','url':'u'}]}", pool);

    for (len = from.len; from.len > 0; from.len--) {

        if (answer(WEB, &from, pool, &result) != NGX_OK
            || (from.len == len) != (result.results.len > 0)
            || (from.len == len) != (result.text.len == 1))
        {
            bad++;
        }
    }

    is_int(bad, 1, "cut at each byte, but for one that is a byte long");

    ngx_destroy_pool(pool);
}


static void
test_no_memory(void)
{
    ngx_int_t                 rc;
    ngx_str_t                 from;
    ngx_uint_t                i, n, wrong;
    ngx_pool_t               *pool;
    ngx_ors_hosted_result_t   result;

    wrong = 0;

    for (i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {

        for (n = 1; n < 100; n++) {
            pool = ngx_ors_test_pool();

            quoted(&from, answers[i].from, pool);

            ngx_ors_test_fail_after(n);

            rc = answer(answers[i].type, &from, pool, &result);

            wrong += (ngx_ors_test_failed() && rc == NGX_OK);

            ngx_destroy_pool(pool);

            if (!ngx_ors_test_failed()) {
                break;
            }
        }

        ngx_ors_test_fail_after(0);
    }

    is_int(wrong, 0, "no memory, no result");
}


static ngx_int_t
answer(ngx_ors_hosted_type_e type, ngx_str_t *text, ngx_pool_t *pool,
    ngx_ors_hosted_result_t *result)
{
    ngx_ors_hosted_call_t  call;

    call.type = type;
    call.limits = &limits;
    call.pool = pool;

    return ngx_ors_hosted_call_result(&call, text, result);
}


static void
quoted(ngx_str_t *to, char *from, ngx_pool_t *pool)
{
    size_t  i;

    to->len = ngx_strlen(from);
    to->data = ngx_pnalloc(pool, to->len + 1);

    for (i = 0; i < to->len; i++) {
        to->data[i] = (from[i] == '\'') ? '"' : from[i];
    }
}
