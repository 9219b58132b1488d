
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Provider state: what of it is in the sealed item of an answer, in any pieces
 * in which that came.
 */


#include "turn_run.h"
#include "turn_scripts.h"


typedef struct {
    const char  *name;
    const char  *body;
    const char  *expected;        /* ' stands for ", NULL: there is no item */
} test_row_t;


static void test_row(const test_row_t *row, ngx_ors_sealer_t *sealer);
static void test_large(ngx_ors_sealer_t *sealer);
static ngx_uint_t test_run(run_t *run, const u_char *expected);


#define SIGNED(value)  "'extra_content':{'google':{'thought_signature':'"      \
                       value "'}}"

#define F(i, id)  "'index':" #i ",'id':'" id "','type':'function',"            \
                  "'function':{'name':'f','arguments':'{}'}"

#define DETAILS(list)  DELTA("'content':'','reasoning_details':[" list "]")

#define BLOCKS(list)   DELTA("'thinking_blocks':[" list "]")

#define MESSAGE(message)                                                       \
    "{'choices':[{'message':{" message "},'finish_reason':'stop'}]}"


static const test_row_t  rows[] = {

    { "none", TEXT("x") FINISH("stop") DONE, NULL },

    { "a call", CALL(F(0, "a") "," SIGNED("S+/=")) FINISH("stop") DONE,
      "{'p':{'':{},'a':{" SIGNED("S+/=") "}}}" },

    { "two calls, the first one has it",
      CALL(F(0, "a") "," SIGNED("S")) CALL(F(1, "b")) FINISH("stop") DONE,
      "{'p':{'':{},'a':{" SIGNED("S") "},'b':{}}}" },

    { "in a later piece of a call",
      CALL("'index':0,'id':'a','function':{'name':'f','arguments':'{'}")
      ARGS(0, "}") CALL("'index':0," SIGNED("S")) FINISH("stop") DONE,
      "{'p':{'':{},'a':{" SIGNED("S") "}}}" },

    { "after a call that is complete",
      CALL(F(0, "a")) CALL(F(1, "b")) CALL("'index':0," SIGNED("S"))
      FINISH("stop") DONE,
      "{'p':{'':{},'a':{" SIGNED("S") "},'b':{}}}" },

    { "with the reason why the model has stopped",
      CALL(F(0, "a"))
      DATA("{'choices':[{'delta':{'tool_calls':[{'index':0," SIGNED("S")
           "}]},'finish_reason':'tool_calls'}]}") DONE,
      "{'p':{'':{},'a':{" SIGNED("S") "}}}" },

    { "of a message", TEXT("x") DELTA("'content':''," SIGNED("S"))
      FINISH("stop") DONE, "{'p':{'':{" SIGNED("S") "}}}" },

    { "null", TEXT("x") DELTA("'extra_content':null,'reasoning_details':null")
      FINISH("stop") DONE, NULL },

    { "pieces of a thought, the signature last",
      DETAILS("{'type':'reasoning.text','text':'a\\nb','signature':null,"
              "'format':'x-v1','index':0}")
      DETAILS("{'type':'reasoning.text','text':'c','format':'x-v1','index':0}")
      DETAILS("{'type':'reasoning.text','signature':'S\\/','index':0}")
      DETAILS("{'type':'reasoning.text','text':'d','index':1}")
      FINISH("stop") DONE,
      "{'p':{'':{'reasoning_details':[{'type':'reasoning.text',"
      "'text':'a\\nbc','signature':'S\\/','format':'x-v1','index':0},"
      "{'type':'reasoning.text','text':'d','index':1}]}}}" },

    { "pieces of two kinds with one index",
      DETAILS("{'type':'reasoning.summary','summary':'a','index':0}")
      DETAILS("{'type':'reasoning.encrypted','data':'S','id':'c','index':0}")
      DETAILS("{'type':'reasoning.summary','summary':'b','index':0}")
      DETAILS("{'type':'reasoning.encrypted','data':'T','id':'d','index':0}")
      CALL(F(0, "c")) CALL(F(1, "d")) FINISH("stop") DONE,
      "{'p':{'':{'reasoning_details':[{'type':'reasoning.summary',"
      "'summary':'ab','index':0},{'type':'reasoning.encrypted','data':'S',"
      "'id':'c','index':0},{'type':'reasoning.encrypted','data':'T',"
      "'id':'d','index':0}]},'c':{},'d':{}}}" },

    { "blocks without an index",
      BLOCKS("{'type':'thinking','thinking':'a','signature':''}")
      BLOCKS("{'type':'thinking','thinking':'b'}")
      BLOCKS("{'type':'thinking','thinking':'','signature':'S'}")
      BLOCKS("{'type':'redacted_thinking','data':'R'}")
      BLOCKS("{'type':'redacted_thinking','data':'Q'}")
      BLOCKS("{'type':'thinking','thinking':'c','signature':'T'},7,null")
      TEXT("x") FINISH("stop") DONE,
      "{'p':{'':{'thinking_blocks':[{'type':'thinking','thinking':'ab',"
      "'signature':'S'},{'type':'redacted_thinking','data':'R'},"
      "{'type':'redacted_thinking','data':'Q'},"
      "{'type':'thinking','thinking':'c','signature':'T'}]}}}" },

    { "numbers, lists and unknown members",
      DETAILS("{'type':'t','x':[1, 1.50],'index':0}")
      DETAILS("{'type':'t','x':[2],'y':{'z':null},'index':0}")
      FINISH("stop") DONE,
      "{'p':{'':{'reasoning_details':[{'type':'t','x':[2],'index':0,"
      "'y':{'z':null}}]}}}" },

    { "an answer that is incomplete", CALL(F(0, "a") "," SIGNED("S"))
      TEXT("x") FINISH("length") DONE, NULL },

    { "E61 a message after its pieces",
      DETAILS("{'type':'t','text':'a','index':0}") TEXT("x")
      DATA(MESSAGE("'content':'x','reasoning_details':[{'type':'t',"
                   "'text':'a','index':0}]")) DONE,
      "{'p':{'':{'reasoning_details':[{'type':'t','text':'a','index':0}]"
      "}}}" },

    { "a document", MESSAGE("'content':null,'reasoning_details':[ {'a':'b'},"
      "{'a':'b'} ],'tool_calls':[{" F(0, "a") "," SIGNED("S") "}]"),
      "{'p':{'':{'reasoning_details':[ {'a':'b'},{'a':'b'} ]},"
      "'a':{" SIGNED("S") "}}}" }
};


int
main(void)
{
    ngx_uint_t           i;
    ngx_pool_t          *pool;
    ngx_array_t         *keys;
    ngx_ors_sealer_t     sealer;
    ngx_ors_seal_key_t  *key;

    pool = ngx_create_pool(4096, ngx_ors_test_log());
    keys = ngx_array_create(pool, 1, sizeof(ngx_ors_seal_key_t));
    key = ngx_array_push(keys);

    memset(key, 7, sizeof(ngx_ors_seal_key_t));
    memset(&sealer, 0, sizeof(ngx_ors_sealer_t));
    sealer.keys = keys;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        test_row(&rows[i], &sealer);
    }

    test_large(&sealer);

    ngx_destroy_pool(pool);

    return done_testing();
}


static void
test_row(const test_row_t *row, ngx_ors_sealer_t *sealer)
{
    run_t        run;
    size_t       len, at, bad;
    u_char      *body, *expected;
    ngx_uint_t   document;

    document = (row->body[0] == '{');
    body = run_text(row->body, &len);
    expected = row->expected ? run_text(row->expected, &at) : NULL;

    run_init(&run, body, len);
    run.request = "'input':'hi','include':['reasoning.encrypted_content'],"
                  "'tools':[{'type':'function','name':'f'}]";
    run.policy.reasoning = ngx_ors_reasoning_summary;
    run.sealer = sealer;
    run.state = (1 << NGX_ORS_CHAT_STATES) - 1;
    run.stream = !document;
    run.type = document ? "application/json" : "text/event-stream";

    ok(test_run(&run, expected), "%s", row->name);

    for (at = 1, bad = 0; at <= len; at++) {
        run.at = at;
        run.step = (at == 1) ? 1 : 0;
        bad += !test_run(&run, expected);
    }

    is_int(bad, 0, "%s: in any pieces", row->name);

    run.at = 0;
    run.step = 0;
    run.state = 0;
    ok(test_run(&run, NULL), "%s: not of a server that wants nothing back",
       row->name);

    run.state = 1;
    run.sealer = NULL;
    ok(test_run(&run, NULL), "%s: nor without a key", row->name);

    free(expected);
    free(body);
}


/* beyond the limit all of it is left out, and the answer is as usual */

static void
test_large(ngx_ors_sealer_t *sealer)
{
    run_t        run;
    char        *text;
    size_t       len;
    u_char      *body;
    ngx_uint_t   i;

    static const char  piece[] =
        DETAILS("{'type':'t','text':'x','signature':'y','index':0}");

    text = malloc(NGX_ORS_CHAT_STATE_ELEMENTS * sizeof(piece) + 256);
    text[0] = '\0';

    for (i = 0; i <= NGX_ORS_CHAT_STATE_ELEMENTS; i++) {
        strcpy(text + i * (sizeof(piece) - 1), piece);
    }

    strcat(text, TEXT("x") FINISH("stop") DONE);

    body = run_text(text, &len);

    run_init(&run, body, len);
    run.request = "'input':'hi','include':['reasoning.encrypted_content']";
    run.policy.reasoning = ngx_ors_reasoning_off;
    run.sealer = sealer;
    run.state = (1 << NGX_ORS_CHAT_STATES) - 1;
    run.limits.answer = 64 * 1024 * 1024;
    run.limits.event = 1024 * 1024;

    run_turn(&run);
    is_int(run.rc, NGX_DONE, "too many elements");
    ok(strstr((char *) run.text, "{\"p\":") == NULL, "... none is kept");
    run_free(&run);

    free(body);
    free(text);
}


/* 1 if the newest sealed item is "expected", or if both are not there */

static ngx_uint_t
test_run(run_t *run, const u_char *expected)
{
    char        *p, *last;
    ngx_str_t    blob, text;
    ngx_uint_t   good;
    ngx_pool_t  *pool;

    static const char  name[] = "\"encrypted_content\":\"";

    run_turn(run);

    pool = ngx_create_pool(4096, ngx_ors_test_log());
    last = NULL;

    for (p = strstr((char *) run->text, name); p; p = strstr(p + 1, name)) {
        last = p;
    }

    ngx_str_null(&text);

    if (last) {
        blob.data = (u_char *) last + sizeof(name) - 1;
        blob.len = strchr((char *) blob.data, '"') - (char *) blob.data;

        if (run->sealer == NULL
            || ngx_ors_unseal(run->sealer, ngx_ors_seal_reasoning, &blob, pool,
                              &text)
               != NGX_OK)
        {
            diag("the item cannot be opened");
        }

        if (!ngx_ors_chat_state_is(&text)) {
            text.len = 0;
        }
    }

    good = (run->rc == NGX_DONE)
           && (expected
               ? text.len == strlen((char *) expected)
                 && memcmp(text.data, expected, text.len) == 0
               : text.len == 0);

    if (!good) {
        diag("%.*s", (int) text.len, (char *) text.data);
    }

    run_free(run);
    ngx_destroy_pool(pool);

    return good;
}
