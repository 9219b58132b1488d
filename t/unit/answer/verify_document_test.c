
/*
 * Copyright (C) Open Responses contributors
 */


/* Documents: what passes, with what changed, and what is refused. */


#include "verify_answer.h"


#define RS    ngx_ors_endpoint_responses
#define CP    ngx_ors_endpoint_compact
#define CH    ngx_ors_endpoint_chat
#define EM    ngx_ors_endpoint_embeddings
#define MO    ngx_ors_endpoint_models

#define SPEC  NGX_ORS_STRICT_SPEC
#define AI    NGX_ORS_STRICT_OPENAI

#define PASS  ngx_ors_unknown_auto
#define STRIP  ngx_ors_unknown_strip
#define REJECT  ngx_ors_unknown_reject

#define ASKED  "{'model':'m','input':'hi'}"

#define CHAT(rest)                                                            \
    "{'choices':[{'index':0,'message':{'role':'assistant','content':'x'},"    \
    "'finish_reason':'stop'}]" rest "}"

#define ITEM(item)                                                            \
    "{'id':'r','status':'completed','output':[" item "]}"


#define COMPACT(item)                                                         \
    "{'id':'c','object':'response.compaction','created_at':1,"                \
    "'output':[{'id':'i','type':'reasoning'," item "}],"                      \
    "'usage':{'input_tokens':1,'output_tokens':1,'total_tokens':2,"           \
    "'input_tokens_details':{'cached_tokens':0},"                             \
    "'output_tokens_details':{'reasoning_tokens':0}}}"


typedef struct {
    const char          *name;
    ngx_ors_endpoint_e   endpoint;
    ngx_uint_t           profile;
    ngx_uint_t           unknown;
    const char          *request;
    const char          *body;         /* ' stands for " */
    const char          *expected;     /* NULL: the same bytes */
    ngx_uint_t           repaired;
    ngx_uint_t           stripped;
} pass_t;


typedef struct {
    const char          *name;
    ngx_ors_endpoint_e   endpoint;
    ngx_uint_t           profile;
    ngx_uint_t           unknown;
    const char          *body;
    const char          *message;      /* after the beginning of all */
} refuse_t;


static void test_passes(void);
static void test_pass(pass_t *row, size_t at, size_t step, const char *how);
static void test_refusals(void);
static void test_splits(void);
static void test_limits(void);
static void test_limit(size_t limit, off_t length, ngx_uint_t status,
    const char *name);
static void test_cut(void);
static void test_no_memory(void);
static void test_long(void);


static pass_t  passes[] = {

    /* bytes stay as they are */

    { "response", RS, SPEC, PASS, ASKED, WHOLE, NULL, 0, 0 },
    { "response, not asked by a request that was read", RS, SPEC, PASS, NULL,
      RESPONSE("completed", "null", "other", ""), NULL, 0, 0 },
    { "white space", RS, SPEC, PASS, ASKED, " \n" WHOLE "\r\n ", NULL, 0, 0 },
    { "unknown key", RS, SPEC, PASS, ASKED,
      RESPONSE("completed", "null", "m", ",'x':{'y':[1e400]}"), NULL, 0, 0 },
    { "request without a model", RS, SPEC, PASS, "{'input':'hi'}",
      RESPONSE("completed", "null", "other", ""), NULL, 0, 0 },
    { "model with an escape", RS, SPEC, PASS, ASKED,
      RESPONSE("completed", "null", "\\u006d", ""), NULL, 0, 0 },
    { "in progress", RS, SPEC, PASS, ASKED,
      RESPONSE("in_progress", "null", "m", ""), NULL, 0, 0 },
    { "failed", RS, SPEC, PASS, ASKED,
      RESPONSE("failed", "{'code':'c','message':'t'}", "m", ""), NULL, 0, 0 },
    { "cancelled, openai", RS, AI, PASS, ASKED,
      RESPONSE("cancelled", "null", "m", ""), NULL, 0, 0 },
    { "compaction", CP, SPEC, PASS, "{'model':'m'}",
      "{'id':'c','object':'response.compaction','output':[],'created_at':1,"
      "'usage':{'input_tokens':1,'input_tokens_details':{'cached_tokens':0},"
      "'output_tokens':2,'output_tokens_details':{'reasoning_tokens':0},"
      "'total_tokens':3}}", NULL, 0, 0 },
    { "models", MO, SPEC, PASS, NULL,
      "{'object':'list','data':[{'id':'a','object':'model','created':1,"
      "'owned_by':'x'}]}", NULL, 0, 0 },

    /* keys that nobody knows */

    { "stripped at the end", RS, SPEC, STRIP, ASKED,
      RESPONSE("completed", "null", "m", ",'x':{'y':1},'z':null"), WHOLE,
      2, 2 },
    { "stripped at the beginning", CH, SPEC, STRIP,
      "{'model':'m','messages':[{'role':'user','content':'a'}]}",
      "{'q':[],'id':'i','object':'chat.completion','created':1,'model':'m',"
      "'choices':[{'index':0,'message':{'role':'assistant','content':null},"
      "'finish_reason':null}]}",
      "{'id':'i','object':'chat.completion','created':1,'model':'m',"
      "'choices':[{'index':0,'message':{'role':'assistant','content':null},"
      "'finish_reason':null}]}", 1, 1 },

    /* null where no value may be, and none is needed */

    { "null left out", CP, SPEC, PASS, NULL,
      COMPACT("'content':null,'summary':[], 'encrypted_content': null "),
      COMPACT("'summary':[] "), 2, 2 },
    { "null that counts as absent", CP, AI, PASS, NULL,
      COMPACT("'content':null,'summary':[],'encrypted_content':null"), NULL,
      0, 0 },

    /* the name the client has asked for */

    { "model set back", RS, SPEC, PASS, ASKED,
      RESPONSE("completed", "null", "other", ""), WHOLE, 1, 0 },
    { "model as the client wrote it", RS, SPEC, PASS,
      "{'model':'\\u006d/\\u00e9','input':'hi'}",
      RESPONSE("completed", "null", "m", ""),
      RESPONSE("completed", "null", "\\u006d/\\u00e9", ""), 1, 0 },
    { "model is a text elsewhere", RS, SPEC, PASS, ASKED,
      RESPONSE("completed", "null", "m", ",'x':{'model':'other'}"), NULL,
      0, 0 },
    { "model beside an unknown key", CH, SPEC, PASS,
      "{'model':'m','messages':[{'role':'user','content':'a'}]}",
      CHAT(",'response':{'model':'other'},'model':'other','id':'i',"
           "'object':'chat.completion','created':1"),
      CHAT(",'response':{'model':'other'},'model':'m','id':'i',"
           "'object':'chat.completion','created':1"), 1, 0 },
    { "embeddings", EM, SPEC, PASS,
      "{'model':'m','input':'a'}",
      "{'object':'list','data':[{'object':'embedding','index':0,"
      "'embedding':[0.5]}],'model':'other','usage':{'prompt_tokens':1,"
      "'total_tokens':1}}",
      "{'object':'list','data':[{'object':'embedding','index':0,"
      "'embedding':[0.5]}],'model':'m','usage':{'prompt_tokens':1,"
      "'total_tokens':1}}", 1, 0 },

    /* missing members */

    { "chat", CH, SPEC, PASS,
      "{'model':'m','messages':[{'role':'user','content':'a'}]}",
      CHAT(",'usage':{'prompt_tokens':2,'completion_tokens':3}"),
      CHAT(",'usage':{'prompt_tokens':2,'completion_tokens':3,"
           "'total_tokens':5},'id':'','object':'chat.completion',"
           "'created':1700000000,'model':'m'"), 5, 0 },
    { "null for a value", CH, SPEC, PASS,
      "{'model':'m','messages':[{'role':'user','content':'a'}]}",
      CHAT(",'id':null,'object':'chat.completion','created':null,"
           "'model':null"),
      CHAT(",'id':'','object':'chat.completion','created':1700000000,"
           "'model':'m'"), 3, 0 },
    { "chat, nothing was read", CH, SPEC, PASS, NULL,
      CHAT(",'id':'i','object':'chat.completion','created':1"),
      CHAT(",'id':'i','object':'chat.completion','created':1,'model':''"),
      1, 0 },
    { "compaction's time", CP, SPEC, PASS, "{'model':'m'}",
      "{'id':'c','object':'response.compaction','output':[],"
      "'usage':{'input_tokens':1,'input_tokens_details':{'cached_tokens':0},"
      "'output_tokens':2,'output_tokens_details':{'reasoning_tokens':0},"
      "'prompt_tokens':1}}",
      "{'id':'c','object':'response.compaction','output':[],"
      "'usage':{'input_tokens':1,'input_tokens_details':{'cached_tokens':0},"
      "'output_tokens':2,'output_tokens_details':{'reasoning_tokens':0},"
      "'prompt_tokens':1,'total_tokens':3},'created_at':1700000000}", 2, 0 },
    { "stripped and filled in", CH, SPEC, STRIP,
      "{'model':'m','messages':[{'role':'user','content':'a'}]}",
      "{'x':1,'choices':[{'message':{'content':'x'},'finish_reason':'stop',"
      "'y':2}],'object':'chat.completion','created':1,'model':'other',"
      "'id':'i'}",
      "{'choices':[{'message':{'content':'x','role':'assistant'},"
      "'finish_reason':'stop','index':0}],'object':'chat.completion',"
      "'created':1,'model':'m','id':'i'}", 5, 2 }
};


static refuse_t  refusals[] = {

    { "nothing", RS, SPEC, PASS, " \n", "it is empty" },
    { "a page", RS, SPEC, PASS, "<html>secret</html>",
      "it is not JSON: unexpected character at byte 0" },
    { "half of it", RS, SPEC, PASS, "{'id':'secret'",
      "it is not JSON: unexpected end of text at byte 14" },
    { "more than one", RS, SPEC, PASS, MINIMAL "x",
      NULL },
    { "control character", RS, SPEC, PASS, "{'id':'\n'}", NULL },
    { "not UTF-8", RS, SPEC, PASS, "{'id':'\xff'}", NULL },
    { "too deep", RS, SPEC, PASS,
      "{'x':[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]"
      "]]]]]]]]]]]]]]]]}",
      "it has more than 32 levels of nesting at byte 36" },
    { "an array", RS, SPEC, PASS, "[]",
      "it must be an object, found an array" },
    { "a string", CH, SPEC, PASS, "'secret'",
      "it must be an object, found a string" },
    { "duplicate key", RS, SPEC, PASS,
      "{'id':'secret','id':'r','status':'completed','output':[]}",
      "\"id\" occurs more than once" },
    { "no id", RS, SPEC, PASS, "{'status':'completed','output':[]}",
      "\"id\" is required" },
    { "wrong type", RS, SPEC, PASS,
      "{'id':'r','status':'completed','output':'secret'}",
      "\"output\" must be an array, found a string" },
    { "wrong number", RS, SPEC, PASS,
      "{'id':'r','status':'completed','output':[],'created_at':12.3456}",
      "\"created_at\" must be an integer, found a number" },
    { "wrong item", RS, SPEC, PASS,
      ITEM("{'type':'message','id':'i','status':'completed',"
           "'role':'assistant','content':[{'type':'output_text',"
           "'annotations':[],'text':12}]}"),
      "\"output[0].content[0].text\" must be a string, found a number" },
    { "unknown key", RS, SPEC, REJECT,
      RESPONSE("completed", "null", "m", ",'extra\\n':'secret'"),
      "\"extra?\" is not known" },
    { "unknown status", RS, SPEC, PASS,
      RESPONSE("secret", "null", "m", ""),
      "\"status\" is none that a response has" },
    { "cancelled, spec", RS, SPEC, PASS,
      RESPONSE("cancelled", "null", "m", ""),
      "\"status\" is none that a response has" },
    { "failed without an error", RS, SPEC, PASS,
      RESPONSE("failed", "null", "m", ""),
      "\"error\" must say why it has failed" },
    { "failed without an error, openai", RS, AI, PASS,
      "{'id':'r','status':'failed','output':[]}",
      "\"error\" must say why it has failed" },
    { "no choices", CH, SPEC, PASS,
      "{'error':{'message':'secret'}}", "\"choices\" is required" },
    { "models", MO, SPEC, PASS, "{'object':'list','data':[{'id':1}]}",
      "\"data[0].id\" must be a string, found a number" }
};


int
main(void)
{
    test_passes();
    test_refusals();
    test_splits();
    test_limits();
    test_cut();
    test_no_memory();
    test_long();

    return done_testing();
}


static void
test_passes(void)
{
    ngx_uint_t  i;

    for (i = 0; i < sizeof(passes) / sizeof(passes[0]); i++) {
        test_pass(&passes[i], 0, 0, "whole");
        test_pass(&passes[i], 0, 1, "byte by byte");
    }
}


static void
test_pass(pass_t *row, size_t at, size_t step, const char *how)
{
    u_char      *expected;
    size_t       len;
    answer_t     a;
    const char  *text;

    answer_init(&a, row->body);

    a.endpoint = row->endpoint;
    a.policy.profile = row->profile;
    a.policy.unknown = row->unknown;
    a.request = row->request;
    a.at = at;
    a.step = step;

    answer_run(&a);

    text = row->expected ? row->expected : row->body;
    len = ngx_strlen(text);
    expected = answer_quotes(text, len);

    is_int(a.rc, NGX_DONE, "%s, %s", row->name, how);
    is_mem(a.text, a.size, expected, len, "%s, %s: text", row->name, how);
    is_int(a.verify.status, 200, "%s, %s: status", row->name, how);
    is_str(&a.verify.type, "application/json", "%s, %s: type", row->name, how);
    is_int(a.verify.repaired, row->repaired, "%s, %s: repaired", row->name,
           how);
    is_int(a.verify.stripped, row->stripped, "%s, %s: stripped", row->name,
           how);
    ok(a.verify.error.status == 0 && !a.verify.refused, "%s, %s: no error",
       row->name, how);

    free(expected);
    answer_free(&a);
}


static void
test_refusals(void)
{
    answer_t    a;
    ngx_uint_t  i;
    refuse_t   *row;
    char        message[512];

    for (i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++) {
        row = &refusals[i];

        ngx_ors_test_log_reset();
        answer_init(&a, row->body);

        a.endpoint = row->endpoint;
        a.policy.profile = row->profile;
        a.policy.unknown = row->unknown;

        answer_run(&a);

        is_int(a.rc, NGX_DONE, "%s", row->name);
        is_int(a.verify.status, 502, "%s: status", row->name);
        is_str(&a.verify.type, "application/json", "%s: type", row->name);
        is_str(&a.verify.error.code, "invalid_upstream_answer", "%s: code",
               row->name);
        is_str(&a.verify.error.type, "server_error", "%s: its type",
               row->name);
        is_int(a.verify.error.param.len, 0, "%s: no param", row->name);
        is_int(a.verify.refused, 1, "%s: refused", row->name);
        is_int(a.verify.repaired, 0, "%s: not repaired", row->name);

        if (row->message) {
            snprintf(message, sizeof(message), "the model server's answer "
                     "is not valid: %s", row->message);
            is_str(&a.verify.error.message, message, "%s: message", row->name);
        }

        ok(strstr((char *) a.text, "{\"error\":{\"type\":\"server_error\","
                  "\"code\":\"invalid_upstream_answer\",\"message\":\"the "
                  "model server's answer is not valid: ") == (char *) a.text,
           "%s: document", row->name);

        is_int(ngx_ors_test_logged(NGX_LOG_ERR), 1, "%s: one line",
               row->name);
        ok(strstr((char *) ngx_ors_test_log_last(), "upstream answer refused:"
                  " invalid_upstream_answer: the model server's answer is "),
           "%s: the line", row->name);
        ok(strstr((char *) ngx_ors_test_log_last(), "secret") == NULL
           && strstr((char *) a.text, "secret") == NULL,
           "%s: nothing quoted", row->name);

        answer_free(&a);
    }
}


static void
test_splits(void)
{
    size_t      at, len;
    answer_t    a;
    ngx_uint_t  i, bad;
    u_char     *whole;
    size_t      size;

    static const char  *bodies[] = {
        MINIMAL, "{'id':'r','status':'completed'}", WHOLE
    };

    for (i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        answer_init(&a, bodies[i]);
        answer_run(&a);

        whole = a.text;
        size = a.size;
        a.text = NULL;
        answer_free(&a);

        len = ngx_strlen(bodies[i]);
        bad = 0;

        for (at = 1; at < len; at++) {
            answer_init(&a, bodies[i]);
            a.at = at;
            a.length = (at & 1) ? (off_t) len : -1;
            answer_run(&a);

            if (a.rc != NGX_DONE || a.size != size
                || ngx_memcmp(a.text, whole, size) != 0)
            {
                bad++;
                diag("split at %d: %s", (int) at, a.text);
            }

            answer_free(&a);
        }

        is_int(bad, 0, "document %d, split at each position", (int) i);
        free(whole);
    }
}


static void
test_limits(void)
{
    size_t    len;
    answer_t  a;

    len = ngx_strlen(WHOLE);

    test_limit(len, -1, 200, "as long as it may be");
    test_limit(len, len, 200, "as long as it may be, length is known");
    test_limit(len - 1, -1, 502, "too long");
    test_limit(len - 1, len, 502, "too long, length is known");
    test_limit(len - 1, 1, 502, "too long, another length was told");
    test_limit(len + 1, 10 * len, 502, "too long by its length");

    answer_init(&a, "{'x':[1,1,1,1,1,1,1,1,1,1]}");
    a.limits.nodes = 5;
    answer_run(&a);

    is_str(&a.verify.error.message, "the model server's answer is not valid: "
           "it has more than 5 values at byte 10", "too many values");

    answer_free(&a);
}


static void
test_limit(size_t limit, off_t length, ngx_uint_t status, const char *name)
{
    size_t       step;
    answer_t     a;
    const char  *code;

    code = (status == 200) ? "" : "answer_too_large";

    for (step = 0; step < 120; step += 30) {
        answer_init(&a, WHOLE);
        a.limits.answer = limit;
        a.length = length;
        a.step = step;

        answer_run(&a);

        is_int(a.verify.status, status, "%s, by %d bytes", name, (int) step);
        is_str(&a.verify.error.code, code, "%s, by %d bytes: code", name,
               (int) step);

        answer_free(&a);
    }
}


static void
test_cut(void)
{
    answer_t  a;

    answer_init(&a, WHOLE);
    a.complete = 0;
    answer_run(&a);

    is_int(a.rc, NGX_DONE, "cut");
    is_int(a.verify.status, 502, "cut: status");
    is_str(&a.verify.error.code, "upstream_disconnected", "cut: code");
    is_int(a.verify.refused, 1, "cut: a finding of ours");

    answer_free(&a);
}


static void
test_no_memory(void)
{
    answer_t     a;
    ngx_uint_t   n, bad;

    bad = 0;

    for (n = 1; n < 1000; n++) {
        answer_init(&a, "{'id':'r','status':'completed','output':[],"
                    "'model':'other','usage':{'input_tokens':1,"
                    "'output_tokens':2},'x':1}");
        a.policy.unknown = ngx_ors_unknown_strip;
        a.request = "{'model':'m','input':'hi','instructions':'be good',"
                    "'tools':[{'type':'function','name':'f'}]}";
        a.step = 50;

        answer_begin(&a);

        ngx_ors_test_fail_after(n);
        answer_run(&a);

        if (!ngx_ors_test_failed()) {
            ngx_ors_test_fail_after(0);
            is_int(a.verify.status, 200, "no memory: all tried");
            answer_free(&a);
            break;
        }

        ngx_ors_test_fail_after(0);

        if (a.rc != NGX_ERROR) {
            bad++;
            diag("allocation %d: %d", (int) n, (int) a.rc);
        }

        answer_free(&a);
    }

    ok(n > 20 && bad == 0, "no memory: %d allocations", (int) n - 1);
}


/* a great answer is sent from where it was gathered */

static void
test_long(void)
{
    char        *body, *p;
    answer_t     a;
    ngx_uint_t   i, allocs;

    body = malloc(200000);

    if (body == NULL) {
        abort();
    }

    p = body + sprintf(body, "{'id':'r','status':'completed','output':["
                       "{'type':'message','id':'i','status':'completed',"
                       "'role':'assistant','content':[{'type':'output_text',"
                       "'annotations':[],'text':'");

    for (i = 0; i < 190000; i++) {
        *p++ = 'x';
    }

    sprintf(p, "'}]}]}");

    answer_init(&a, body);
    a.step = 4096;
    answer_begin(&a);

    allocs = ngx_ors_test_allocs();
    answer_run(&a);
    allocs = ngx_ors_test_allocs() - allocs;

    is_int(a.verify.status, 200, "190,000 bytes of text");
    ok(a.size > 190000, "all of it comes");
    ok(allocs < 60, "190,000 bytes of text: %d allocations", (int) allocs);

    answer_free(&a);
    free(body);
}
