
/*
 * Copyright (C) Open Responses contributors
 */


/* Facts of chat completions and their chunks. */


#include <ngx_ors_test.h>
#include <ngx_ors_chat_answer.h>


static void test_replies(void);
static void test_reply(ngx_uint_t i);
static void test_calls(void);
static void test_usage(void);
static ngx_ors_json_node_t *read_json(const char *text);
static const char *finish_name(ngx_ors_chat_finish_e finish);


/* facts: "text|refusal|reasoning|calls|finish|usage|error|whole" */

static struct {
    const char   *text;
    const char   *facts;      /* NULL: refused */
} replies[] = {

    /* chunks */

    { "{'choices':[{'index':0,'delta':{'content':'a'}}]}",
      "a|||-|none|-|-|delta" },
    { "{'choices':[{'delta':{'content':'a','refusal':'b','reasoning':'c'}}]}",
      "a|b|c|-|none|-|-|delta" },
    { "{'choices':[{'delta':{'content':'\\n\\u00e9\\\\'}}]}",
      "\\n\\u00e9\\\\|||-|none|-|-|delta" },
    { "{'choices':[{'delta':{'content':null,'refusal':null,"
      "'reasoning':null,'tool_calls':null},'finish_reason':null}],"
      "'usage':null,'error':null}", "|||-|none|-|-|delta" },
    { "{'choices':[{'delta':{'content':5,'refusal':{},'reasoning':[],"
      "'tool_calls':{}},'finish_reason':5}],'usage':5}",
      "|||-|none|-|-|delta" },
    { "{'choices':[{'delta':{'reasoning_content':'a','reasoning':'b'}}]}",
      "||a|-|none|-|-|delta" },
    { "{'choices':[{'delta':{'reasoning_content':'','reasoning':'b'}}]}",
      "||b|-|none|-|-|delta" },
    { "{'choices':[{'delta':{'tool_calls':[]}}]}",
      "|||0|none|-|-|delta" },
    { "{'choices':[{'delta':{'tool_calls':[{},{}]}}]}",
      "|||2|none|-|-|delta" },
    { "{'choices':[]}", "|||-|none|-|-|delta" },
    { "{'choices':[],'usage':{}}", "|||-|none|usage|-|delta" },
    { "{'usage':{}}", "|||-|none|usage|-|delta" },
    { "{'choices':[{'delta':null}]}", "|||-|none|-|-|delta" },
    { "{'choices':[{}]}", "|||-|none|-|-|delta" },
    { "{'choices':[null]}", "|||-|none|-|-|delta" },

    /* E58 */

    { "{'choices':[{'index':1,'delta':{'content':'x'}}]}",
      "|||-|none|-|-|delta" },
    { "{'choices':[{'index':1,'delta':{'content':'x'},'finish_reason':'stop'}"
      ",{'index':0,'delta':{'content':'a'}}]}", "a|||-|none|-|-|delta" },
    { "{'choices':[{'index':null,'delta':{'content':'a'}}]}",
      "a|||-|none|-|-|delta" },
    { "{'choices':[{'index':0.0,'delta':{'content':'a'}}]}",
      "a|||-|none|-|-|delta" },

    /* whole */

    { "{'choices':[{'message':{'content':'a'}}]}",
      "a|||-|none|-|-|whole" },
    { "{'choices':[{'delta':{'content':'a'},'message':{'content':'b'}}]}",
      "a|||-|none|-|-|delta" },
    { "{'choices':[{'delta':null,'message':{'content':'b'}}]}",
      "b|||-|none|-|-|whole" },

    /* reasons */

    { "{'choices':[{'finish_reason':'stop'}]}", "|||-|stop|-|-|delta" },
    { "{'choices':[{'finish_reason':''}]}", "|||-|none|-|-|delta" },
    { "{'choices':[{'finish_reason':'tool_calls'}]}",
      "|||-|stop|-|-|delta" },
    { "{'choices':[{'finish_reason':'eos'}]}", "|||-|stop|-|-|delta" },
    { "{'choices':[{'finish_reason':'length'}]}", "|||-|length|-|-|delta" },
    { "{'choices':[{'finish_reason':'leng\\u0074h'}]}",
      "|||-|length|-|-|delta" },
    { "{'choices':[{'finish_reason':'model_length'}]}",
      "|||-|length|-|-|delta" },
    { "{'choices':[{'finish_reason':'max_tokens'}]}",
      "|||-|length|-|-|delta" },
    { "{'choices':[{'finish_reason':'content_filter'}]}",
      "|||-|content_filter|-|-|delta" },
    { "{'choices':[{'finish_reason':'error'}]}", "|||-|error|-|-|delta" },
    { "{'choices':[{'finish_reason':'abort'}]}", "|||-|error|-|-|delta" },

    /* errors */

    { "{'error':{'message':'x'}}", "|||-|none|-|root|delta" },
    { "{'error':'x'}", "|||-|none|-|root|delta" },
    { "{'error':true}", "|||-|none|-|root|delta" },
    { "{'error':{}}", "|||-|none|-|root|delta" },
    { "{'error':{},'choices':[]}", "|||-|none|-|root|delta" },
    { "{'object':'error','message':'x'}", "|||-|none|-|root|delta" },
    { "{'error':{'message':'x'},'choices':[{'delta':{'content':'a'}}]}",
      "|||-|none|-|root|delta" },
    { "{'error':'x','choices':[{'delta':{'content':'a'}}]}",
      "|||-|none|-|root|delta" },
    { "{'choices':[{'error':{'message':'x'}}]}", "|||-|none|-|choice|delta" },
    { "{'error':{},'choices':[{'delta':{'content':'a'}}]}",
      "a|||-|none|-|-|delta" },
    { "{'error':'','choices':[{'delta':{'content':'a'}}]}",
      "a|||-|none|-|-|delta" },
    { "{'error':{'message':''},'choices':[{'delta':{'content':'a'}}]}",
      "a|||-|none|-|-|delta" },
    { "{'error':false,'choices':[{'delta':{'content':'a'}}]}",
      "a|||-|none|-|-|delta" },
    { "{'error':null}", NULL },

    /* others */

    { "{}", NULL },
    { "{'choices':null}", NULL },
    { "{'choices':{}}", NULL },
    { "{'object':'list','data':[]}", NULL },
    { "[]", NULL },
    { "null", NULL },
    { "'choices'", NULL },
    { "5", NULL },
};


static ngx_pool_t       *pool;
static ngx_ors_json_t    json;
static char              source[1024];


int
main(void)
{
    pool = ngx_ors_test_pool();
    ngx_ors_json_init(&json, pool, 64, 1000);

    test_replies();
    test_calls();
    test_usage();

    ngx_destroy_pool(pool);

    return done_testing();
}


static void
test_replies(void)
{
    ngx_uint_t  i;

    for (i = 0; i < sizeof(replies) / sizeof(replies[0]); i++) {
        test_reply(i);
    }
}


static void
test_reply(ngx_uint_t i)
{
    char                   facts[512], calls[16];
    ngx_int_t              rc;
    ngx_str_t              s;
    ngx_ors_json_node_t   *root;
    ngx_ors_chat_answer_t  r;

    root = read_json(replies[i].text);
    ngx_memset(&r, 0xa5, sizeof(ngx_ors_chat_answer_t));

    rc = ngx_ors_chat_answer(&r, &json);

    if (replies[i].facts == NULL) {
        is_int(rc, NGX_DECLINED, "refused: %s", replies[i].text);
        return;
    }

    if (!is_int(rc, NGX_OK, "taken: %s", replies[i].text)) {
        return;
    }

    snprintf(calls, sizeof(calls), "%d", r.calls ? (int) r.calls->count : 0);

    s.data = (u_char *) facts;
    s.len = snprintf(facts, sizeof(facts), "%.*s|%.*s|%.*s|%s|%s|%s|%s|%s",
                     (int) r.text.len, r.text.data,
                     (int) r.refusal.len, r.refusal.data,
                     (int) r.reasoning.len, r.reasoning.data,
                     r.calls ? calls : "-", finish_name(r.finish),
                     r.usage ? "usage" : "-",
                     (r.error == NULL) ? "-" : (r.error == root) ? "root"
                                                                 : "choice",
                     r.whole ? "whole" : "delta");

    is_str(&s, replies[i].facts, "facts: %s", replies[i].text);
}


static void
test_calls(void)
{
    char                         facts[512];
    ngx_str_t                    s;
    ngx_uint_t                   i;
    ngx_ors_chat_answer_call_t   c;

    static struct {
        const char   *text;
        const char   *facts;
    } calls[] = {
        { "{'index':1,'id':'a','type':'function','function':{'name':'f',"
          "'arguments':'{\\\"x\\\":1}'}}", "1|a|f|{\\\"x\\\":1}|raw" },
        { "{}", "-1||||raw" },
        { "{'index':null,'id':null,'function':null}", "-1||||raw" },
        { "{'index':'0','id':5,'function':[]}", "-1||||raw" },
        { "{'function':{'name':null,'arguments':null}}", "-1||||raw" },
        { "{'function':{'name':7,'arguments':''}}", "-1||||raw" },
        { "{'index':-1}", "-1||||raw" },
        { "{'index':1.5}", "-1||||raw" },
        { "{'index':2.0}", "2||||raw" },
        { "{'index':99999999999}", "-1||||raw" },
        { "{'function':{'arguments':{'x': 1e400}}}",
          "-1|||{\"x\": 1e400}|plain" },
        { "{'function':{'arguments':[]}}", "-1|||[]|plain" },
        { "{'function':{'arguments':5}}", "-1|||5|plain" },
        { "{'function':{'arguments':false}}", "-1|||false|plain" },
    };

    for (i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        ngx_memset(&c, 0xa5, sizeof(ngx_ors_chat_answer_call_t));
        ngx_ors_chat_answer_call(&c, &json, read_json(calls[i].text));

        s.data = (u_char *) facts;
        s.len = snprintf(facts, sizeof(facts), "%d|%.*s|%.*s|%.*s|%s",
                         (int) c.index, (int) c.id.len, c.id.data,
                         (int) c.name.len, c.name.data,
                         (int) c.arguments.len, c.arguments.data,
                         c.plain ? "plain" : "raw");

        is_str(&s, calls[i].facts, "call: %s", calls[i].text);
    }
}


static void
test_usage(void)
{
    char              facts[512];
    ngx_str_t         s;
    ngx_uint_t        i;
    ngx_ors_usage_t   u;

    static struct {
        const char   *text;
        const char   *facts;      /* input(cached)+output(reasoning)=total */
    } usages[] = {
        { "{'prompt_tokens':8,'completion_tokens':9,'total_tokens':17,"
          "'prompt_tokens_details':{'cached_tokens':5},"
          "'completion_tokens_details':{'reasoning_tokens':4}}",
          "8(5)+9(4)=17" },
        { "{}", "0(0)+0(0)=0" },
        { "{'prompt_tokens':8,'completion_tokens':9}", "8(0)+9(0)=17" },
        { "{'prompt_tokens':8,'total_tokens':0}", "8(0)+0(0)=8" },
        { "{'completion_tokens':9.0,'total_tokens':null}", "0(0)+9(0)=9" },
        { "{'prompt_tokens':1,'total_tokens':5}", "1(0)+0(0)=5" },
        { "{'prompt_tokens':null,'completion_tokens':'9','total_tokens':[]}",
          "0(0)+0(0)=0" },
        { "{'prompt_tokens':-5,'completion_tokens':1.5,"
          "'total_tokens':9223372036854775807}", "0(0)+0(0)=0" },
        { "{'prompt_tokens':2147483647,'completion_tokens':2147483647}",
          "2147483647(0)+2147483647(0)=4294967294" },
        { "{'prompt_tokens_details':null,'completion_tokens_details':5}",
          "0(0)+0(0)=0" },
        { "{'prompt_tokens_details':{},'completion_tokens_details':"
          "{'reasoning_tokens':null}}", "0(0)+0(0)=0" },
    };

    for (i = 0; i < sizeof(usages) / sizeof(usages[0]); i++) {
        ngx_memzero(&u, sizeof(ngx_ors_usage_t));
        u.cached = 77;
        u.reasoning = 77;

        ngx_ors_chat_answer_usage(&u, &json, read_json(usages[i].text));

        s.data = (u_char *) facts;
        s.len = snprintf(facts, sizeof(facts), "%lld(%lld)+%lld(%lld)=%lld",
                         (long long) u.input, (long long) u.cached,
                         (long long) u.output, (long long) u.reasoning,
                         (long long) u.total);

        is_str(&s, usages[i].facts, "usage: %s", usages[i].text);
        ok(u.known, "usage is known");
    }
}


static ngx_ors_json_node_t *
read_json(const char *text)
{
    ngx_ors_test_quotes(source, text, strlen(text) + 1);

    if (ngx_ors_json_read(&json, (u_char *) source, strlen(source))
        != NGX_OK)
    {
        fail("not JSON: %s", source);
    }

    return json.nodes;
}


static const char *
finish_name(ngx_ors_chat_finish_e finish)
{
    switch (finish) {

    case ngx_ors_chat_finish_none:
        return "none";

    case ngx_ors_chat_finish_stop:
        return "stop";

    case ngx_ors_chat_finish_length:
        return "length";

    case ngx_ors_chat_finish_content_filter:
        return "content_filter";

    case ngx_ors_chat_finish_error:
        return "error";
    }

    return "unknown";
}
