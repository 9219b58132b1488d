
/*
 * Copyright (C) Open Responses contributors
 */


/* Lengths and counts: at the limit and one over it. */


#include <ngx_ors_test.h>
#include <ngx_ors_request.h>
#include <ngx_ors_test_request.h>


#define MI  (1024 * 1024)

#define LONG_TEXT  "string_above_max_length"

#define CONTENT(role, part)                                                   \
    "{'model':'m','input':[{'type':'message','role':'" role "','content':["   \
    part "'"


typedef struct {
    char        *head;
    char        *unit;        /* so many times */
    ngx_uint_t   n;
    char        *tail;
    char        *code;        /* of one more */
    char        *param;
} test_t;


static void test_limit(test_t *test, ngx_uint_t profile);
static ngx_int_t read_units(test_t *test, ngx_uint_t n, ngx_pool_t *pool,
    ngx_ors_error_t *err);
static u_char *copy(u_char *dst, char *text);


static ngx_ors_limits_t  limits = {
    .depth = 10, .nodes = 100000, .items = 1000, .tools = 128
};


static test_t  tests[] = {
    { "{'model':'m','input':'", "a", 10 * MI, "'}", LONG_TEXT, "input" },
    { "{'model':'m','input':'", "\xc3\xa9", 10 * MI, "'}",
      LONG_TEXT, "input" },
    { "{'model':'m','input':[{'type':'message','role':'user','content':'",
      "a", 10 * MI, "'}]}", LONG_TEXT, "input[0].content" },
    { "{'model':'m','input':[{'type':'message','role':'system','content':'",
      "a", 10 * MI, "'}]}", LONG_TEXT, "input[0].content" },
    { "{'model':'m','input':[{'type':'message','role':'assistant','content':'",
      "a", 10 * MI, "'}]}", LONG_TEXT, "input[0].content" },
    { "{'model':'m','input':[{'type':'function_call_output','call_id':'c',"
      "'output':'", "a", 10 * MI, "'}]}", LONG_TEXT, "input[0].output" },
    { "{'model':'m','input':[{'type':'compaction','encrypted_content':'", "a",
      10 * MI, "'}]}", LONG_TEXT, "input[0].encrypted_content" },
    { "{'model':'m','input':[{'type':'reasoning','summary':[{'type':"
      "'summary_text','text':'", "a", 10 * MI, "'}]}]}",
      LONG_TEXT, "input[0].summary[0].text" },
    { CONTENT("user", "{'type':'input_text','text':"), "a", 10 * MI, "'}]}]}",
      LONG_TEXT, "input[0].content[0].text" },
    { CONTENT("assistant", "{'type':'output_text','text':"), "a", 10 * MI,
      "'}]}]}", LONG_TEXT, "input[0].content[0].text" },
    { CONTENT("assistant", "{'type':'refusal','refusal':"), "a", 10 * MI,
      "'}]}]}", LONG_TEXT, "input[0].content[0].refusal" },
    { CONTENT("user", "{'type':'input_image','image_url':"), "a", 20 * MI,
      "'}]}]}", LONG_TEXT, "input[0].content[0].image_url" },
    { CONTENT("user", "{'type':'input_file','file_data':"), "a", 32 * MI,
      "'}]}]}", LONG_TEXT, "input[0].content[0].file_data" },

    { "{'model':'m','input':'x','safety_identifier':'", "\xe2\x82\xac", 64,
      "'}", LONG_TEXT, "safety_identifier" },
    { "{'model':'m','input':'x','prompt_cache_key':'", "\\ud83d\\ude00", 64,
      "'}", LONG_TEXT, "prompt_cache_key" },
    { "{'model':'m','input':[{'type':'function_call','name':'f','arguments':"
      "'','call_id':'", "\\n", 64, "'}]}", LONG_TEXT, "input[0].call_id" },
    { "{'model':'m','input':[{'type':'function_call','call_id':'c',"
      "'arguments':'','name':'", "\\u0061", 64, "'}]}",
      LONG_TEXT, "input[0].name" },
    { "{'model':'m','input':'x','metadata':{'k':'", "\xc3\xa9", 512, "'}}",
      LONG_TEXT, "metadata.k" },
    { "{'model':'m','input':'x','metadata':{'", "\xc3\xa9", 64, "':''}}",
      LONG_TEXT, "metadata" },
    { "{'model':'m','input':'x','metadata':{'a':''", ",'b':''", 15, "}}",
      "object_above_max_properties", "metadata" },
    { "{'model':'m','input':'x','tool_choice':{'type':'allowed_tools',"
      "'tools':[{'type':'function','name':'f'}",
      ",{'type':'function','name':'f'}", 127, "]}}",
      "array_above_max_length", "tool_choice.tools" },
    { "{'model':'m','input':[{'type':'message','role':'user','content':''}",
      ",{'type':'message','role':'user','content':''}", 999, "]}",
      "array_above_max_length", "input" },
    { "{'model':'m','input':'x','tools':[{'type':'a:b'}", ",{'type':'a:b'}",
      127, "]}", "array_above_max_length", "tools" },

    { NULL, NULL, 0, NULL, NULL, NULL }
};


/* tools that are not elements of "tools" count, too */

#define FUNC  "{'type':'function','name':'f'}"
#define MORE  "," FUNC
#define ASK   "{'type':'message','role':'user','content':''}"

static test_t  openai[] = {
    { "{'model':'m','input':'x','tools':[{'type':'namespace','name':'n',"
      "'tools':[" FUNC, MORE, 126, "]}]}", "array_above_max_length",
      "tools" },
    { "{'model':'m','input':'x','tools':[{'type':'namespace','name':'n',"
      "'tools':[]}," FUNC ",{'type':'namespace','name':'n','tools':[" FUNC,
      MORE, 124, "]}]}", "array_above_max_length", "tools" },
    { "{'model':'m','tools':[" FUNC "],'input':[" ASK ",{'type':"
      "'additional_tools','tools':[" FUNC, MORE, 126, "]}]}",
      "array_above_max_length", "input[1].tools" },
    { "{'model':'m','tools':[" FUNC "],'input':[{'type':'additional_tools',"
      "'tools':[{'type':'namespace','name':'n','tools':[" FUNC "]}]}," ASK
      ",{'type':'tool_search_output','call_id':'c','tools':[" FUNC, MORE, 124,
      "]}]}", "array_above_max_length", "input[2].tools" },

    { NULL, NULL, 0, NULL, NULL, NULL }
};


int
main(void)
{
    test_t      *test;
    ngx_uint_t   n;

    for (test = tests; test->head; test++) {
        for (n = 0; n < 4; n++) {
            test_limit(test, 1 << n);
        }
    }

    for (test = openai; test->head; test++) {
        test_limit(test, NGX_ORS_STRICT_OPENAI);
        test_limit(test, NGX_ORS_TOLERANT_OPENAI);
    }

    return done_testing();
}


static void
test_limit(test_t *test, ngx_uint_t profile)
{
    ngx_int_t         rc;
    ngx_pool_t       *pool;
    ngx_ors_error_t   err;

    pool = ngx_ors_test_pool();

    ngx_ors_test_policy.profile = profile;

    rc = read_units(test, test->n, pool, &err);

    is_int(rc, NGX_OK, "%s: %d at most", test->param, (int) test->n);

    rc = read_units(test, test->n + 1, pool, &err);

    if (is_int(rc, NGX_DECLINED, "%s: one more", test->param)) {
        is_str(&err.code, test->code, "with a code");
        is_str(&err.param, test->param, "with a param");
    }

    ngx_destroy_pool(pool);
}


static ngx_int_t
read_units(test_t *test, ngx_uint_t n, ngx_pool_t *pool, ngx_ors_error_t *err)
{
    u_char             *p;
    ngx_str_t           body;
    ngx_ors_request_t   req;

    body.data = ngx_pnalloc(pool, ngx_strlen(test->head)
                                  + n * ngx_strlen(test->unit)
                                  + ngx_strlen(test->tail));

    p = copy(body.data, test->head);

    while (n--) {
        p = copy(p, test->unit);
    }

    p = copy(p, test->tail);

    body.len = p - body.data;

    return ngx_ors_test_request(&req, &body, &limits, pool, err);
}


static u_char *
copy(u_char *dst, char *text)
{
    return ngx_ors_test_quotes(dst, text, strlen(text));
}
