
/*
 * Copyright (C) Open Responses contributors
 */


/* Members of the body that a client writes itself. */


#include <ngx_ors_test.h>
#include <ngx_ors_chat_request.h>
#include <ngx_ors_test_chat.h>
#include <ngx_ors_test_request.h>


/* quotes are ' here; the target is of provider "p" unless a row says not */

typedef struct {
    char        *name;
    ngx_uint_t   params;      /* a option */
    char        *request;
    char        *chat;        /* "!code param" if it is refused */
} test_row_t;


static void test_row(test_row_t *row);
static void test_many(void);
static ngx_int_t run(char *request, ngx_ors_chat_target_t *target,
    ngx_pool_t *pool, ngx_chain_t **chain, ngx_ors_error_t *err);


#define EFFORT    ",'reasoning':{'effort':'low'}"
#define OPTIONS   ",'provider_options':["


static ngx_str_t     provider;
static ngx_array_t   efforts;


static test_row_t  rows[] = {

    { "nothing", 0, ",'params':{},'provider_options':[]", "" },

    { "params", 0,
      ",'params':{'temperature' : 0.50,'top_k':5,'stop':['a'],'seed':1e400}",
      ",'temperature' : 0.50,'top_k':5,'stop':['a'],'seed':1e400" },

    { "null is absent", 0, ",'temperature':1,'params':{'temperature':null}",
      ",'temperature':1" },

    { "params stand for what the request says", 0,
      ",'temperature':1,'top_p':1,'presence_penalty':1,'frequency_penalty':1"
      ",'max_output_tokens':16,'text':{'format':{'type':'json_object'}}"
      EFFORT ",'params':{'temperature':0,'top_p':0,'presence_penalty':0,"
      "'frequency_penalty':0,'max_tokens':1,'response_format':{},"
      "'reasoning_effort':'high'}",
      ",'temperature':0,'top_p':0,'presence_penalty':0,"
      "'frequency_penalty':0,'max_tokens':1,'response_format':{},"
      "'reasoning_effort':'high'" },

    { "the limit has two names", 0,
      ",'max_output_tokens':16,'params':{'max_completion_tokens':1}",
      ",'max_completion_tokens':1" },

    { "an escaped name", 0,
      ",'temperature':1,'params':{'t\\u0065mperature':0}",
      ",'t\\u0065mperature':0" },

    { "options of the provider", 0,
      OPTIONS "{'type':'q','a':1},{'b':2,'type':'p','c':[3]},"
      "{'type':'p','b':3,'d':4}]",
      ",'b':2,'c':[3],'d':4" },

    { "options come before params, these before the request", 0,
      ",'temperature':1,'params':{'temperature':2,'a':2,'type':'t'}"
      OPTIONS "{'type':'p','temperature':3,'b':3}]",
      ",'temperature':3,'b':3,'a':2,'type':'t'" },

    { "the type may be escaped", 0, OPTIONS "{'type':'\\u0070','a':1}]",
      ",'a':1" },

    /* fields that only some servers take */

    { "a field that is not taken", 0, ",'params':{'user':'x','a':1}",
      ",'a':1" },

    { "a field that is taken", 1, ",'metadata':{'a':'b'},'params':{"
      "'metadata':{'c':'d'}}", ",'metadata':{'c':'d'}" },

    { "a provider takes what is its own", 0,
      OPTIONS "{'type':'p','user':'x'}]", ",'user':'x'" },

    /* others go in their own way, once */

    { "members of an effort", 2, EFFORT ",'params':{'think':1}",
      ",'budget':5,'think':1" },

    { "unknown fields", 4, ",'top_k':1,'x':2,'params':{'top_k':5}",
      ",'top_k':5,'x':2" },

    { "unknown fields in other letters", 4,
      ",'Top_K':1,'x':2,'params':{'top_k':5,'TOP_K':6}",
      ",'top_k':5,'x':2" },

    { "unknown fields that are known upstream in other letters", 4,
      ",'Messages':[],'meſſages':[],'Max_Tokens':1,'N':2,'SEED':3,'seed':4,"
      "'Logit_Bias':{},'\\u017ftop':[],'x':2", ",'seed':4,'x':2" },

    { "members of an effort in other letters", 6, EFFORT ",'Thin\\u212a':1",
      ",'think':5,'budget':5" },

    { "a provider's own routing", 4, ",'provider':{'order':['a']}",
      ",'provider':{'order':['a']}" },

    { "a provider's own routing, not passed", 0,
      ",'provider':{'order':['a']}", "" },

    { "a provider's name is for us", 4, ",'provider':'p'", "" },

    /* refused */

    { "params: model", 0, ",'params':{'a':1,'model':'x'}",
      "!unsupported_parameter params.model" },

    { "params: messages", 0, ",'params':{'messages':null}",
      "!unsupported_parameter params.messages" },

    { "params: an escaped one", 0, ",'params':{'strea\\u006d':true}",
      "!unsupported_parameter params.stream" },

    { "params: in other letters", 0, ",'params':{'MODEL':'x'}",
      "!unsupported_parameter params.model" },

    { "params: in letters beyond ASCII", 0, ",'params':{'meſſages':[]}",
      "!unsupported_parameter params.messages" },

    { "params: in escapes and other letters", 0,
      ",'params':{'\\u017ftream':true}",
      "!unsupported_parameter params.stream" },

    { "params: a field in other letters", 0, ",'params':{'Temperature':1}",
      "!unknown_parameter params.temperature" },

    { "options: a field in other letters", 0,
      OPTIONS "{'type':'p','Max_Tokens':1}]",
      "!unknown_parameter provider_options[0].max_tokens" },

    { "params: the longest field", 0,
      ",'params':{'Prompt_cache_retention':''}",
      "!unknown_parameter params.prompt_cache_retention" },

    { "options: tools", 0,
      OPTIONS "{'type':'q','tools':[]},{'type':'p','tools':[]}]",
      "!unsupported_parameter provider_options[1].tools" },

    { "options: the longest one", 0,
      OPTIONS "{'type':'p','parallel_tool_calls':true}]",
      "!unsupported_parameter provider_options[0].parallel_tool_calls" },

    { "options without a type", 0, OPTIONS "{'type':'q'},{'a':1}]",
      "!missing_required_parameter provider_options[1].type" },

    { "options: not a type", 0, OPTIONS "{'type':5}]",
      "!invalid_type provider_options[0].type" }
};


int
main(void)
{
    ngx_uint_t              i;
    ngx_str_t               pointer, json;
    ngx_pool_t             *pool;
    ngx_ors_chat_effort_t  *effort;

    pool = ngx_ors_test_pool();

    ngx_array_init(&efforts, pool, 1, sizeof(ngx_ors_chat_effort_t));

    effort = ngx_array_push(&efforts);
    ngx_memzero(effort, sizeof(ngx_ors_chat_effort_t));
    ngx_str_set(&effort->value, "low");

    ngx_str_set(&json, "5");
    ngx_str_set(&pointer, "/think");
    ngx_ors_pointer_add(&effort->members, &pointer, &json, pool, NULL);
    ngx_str_set(&pointer, "/budget");
    ngx_ors_pointer_add(&effort->members, &pointer, &json, pool, NULL);

    ngx_str_set(&provider, "p");

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        test_row(&rows[i]);
    }

    /* who is not said to be anybody is given nothing */

    ngx_str_null(&provider);

    test_row(&(test_row_t) { "a target of nobody", 0,
                             OPTIONS "{'type':'p','a':1},{'type':'','b':2}]",
                             "" });

    test_many();

    ngx_destroy_pool(pool);

    return done_testing();
}


static void
test_row(test_row_t *row)
{
    u_char                  expected[1024];
    ngx_int_t               rc;
    ngx_str_t               got;
    ngx_uint_t              i;
    ngx_pool_t             *pool;
    ngx_chain_t            *chain;
    ngx_ors_error_t         err;
    ngx_ors_chat_target_t   target;
    ngx_ors_chat_options_t  options;

    pool = ngx_ors_test_pool();

    options = ngx_ors_chat_options;
    options.efforts = (row->params & 2) ? &efforts : NULL;

    for (i = 0; (row->params & 1) && ngx_ors_chat_optionals[i].len; i++) {
        options.params |= (ngx_uint_t) 1 << i;
    }

    ngx_memzero(&target, sizeof(ngx_ors_chat_target_t));
    target.options = &options;
    target.provider = provider;

    ngx_ors_test_policy.profile = NGX_ORS_TOLERANT_SPEC;
    ngx_ors_test_policy.unknown = (row->params & 4) ? ngx_ors_unknown_pass
                                                    : ngx_ors_unknown_auto;

    rc = run(row->request, &target, pool, &chain, &err);

    if (rc == NGX_DECLINED) {
        got.data = ngx_pnalloc(pool, 256);
        got.len = ngx_sprintf(got.data, "!%V %V", &err.code, &err.param)
                  - got.data;

        is_str(&got, row->chat, "%s", row->name);
        is_int(err.status, 400, "%s: status", row->name);

    } else {
        is_int(rc, NGX_OK, "%s: it is taken", row->name);

        ngx_sprintf(expected, "{'model':'m','messages':[{'role':'user',"
                              "'content':'u'}]%s}%Z", row->chat);
        ngx_ors_test_quotes(expected, expected, ngx_strlen(expected));

        is_chain(chain, (char *) expected, "%s", row->name);
    }

    ngx_destroy_pool(pool);
}


/* each is compared with all, so there may not be any number of them */

static void
test_many(void)
{
    char                   *p, text[2048];
    ngx_int_t               rc;
    ngx_uint_t              i, n;
    ngx_pool_t             *pool;
    ngx_chain_t            *chain;
    ngx_ors_error_t         err;
    ngx_ors_chat_target_t   target;

    for (n = NGX_ORS_CHAT_PASSTHROUGH_MAX;
         n <= NGX_ORS_CHAT_PASSTHROUGH_MAX + 1;
         n++)
    {
        pool = ngx_ors_test_pool();

        ngx_memzero(&target, sizeof(ngx_ors_chat_target_t));
        target.options = &ngx_ors_chat_options;

        p = text + sprintf(text, ",'params':{");

        for (i = 0; i < n; i++) {
            p += sprintf(p, "%s'a%d':1", i ? "," : "", (int) i);
        }

        sprintf(p, "}");

        rc = run(text, &target, pool, &chain, &err);

        if (n == NGX_ORS_CHAT_PASSTHROUGH_MAX) {
            is_int(rc, NGX_OK, "as many as there may be");

        } else {
            is_int(rc, NGX_DECLINED, "one more");
            is_str(&err.code, "object_above_max_properties",
                   "one more: code");
            is_str(&err.param, "params", "one more: param");
        }

        ngx_destroy_pool(pool);
    }
}


static ngx_int_t
run(char *request, ngx_ors_chat_target_t *target, ngx_pool_t *pool,
    ngx_chain_t **chain, ngx_ors_error_t *err)
{
    ngx_int_t              rc;
    ngx_str_t              body;
    ngx_ors_out_t          out;
    ngx_ors_limits_t       limits = limits_default();
    ngx_ors_request_t     *req;
    ngx_ors_chat_tools_t   tools;

    *chain = NULL;

    req = ngx_pcalloc(pool, sizeof(ngx_ors_request_t));
    ngx_memzero(err, sizeof(ngx_ors_error_t));
    ngx_memzero(&tools, sizeof(ngx_ors_chat_tools_t));

    body.data = ngx_pnalloc(pool, 2048);
    body.len = ngx_sprintf(body.data, "{'model':'m','input':'u'%s}%Z", request)
               - body.data - 1;
    ngx_ors_test_quotes(body.data, body.data, ngx_strlen(body.data));

    rc = ngx_ors_test_request(req, &body, &limits, pool, err);

    if (rc != NGX_OK) {
        return rc;
    }

    target->model = &req->model;

    ngx_ors_out_init(&out, pool, 512);

    rc = ngx_ors_chat_request(req, target, &tools, &out, err);

    return (rc == NGX_OK) ? ngx_ors_out_take(&out, chain) : rc;
}
