
/*
 * Copyright (C) Open Responses contributors
 */


/* Documents of model servers: translated, checked, and errors. */


#include <ngx_ors_turn.h>
#include <ngx_ors_verify.h>

#include "cost.h"


static ngx_int_t cost_translated(cost_t *cost);
static ngx_int_t cost_failure(cost_t *cost);
static ngx_int_t cost_response(cost_t *cost);
static ngx_int_t cost_compaction(cost_t *cost);
static ngx_int_t cost_completion(cost_t *cost);
static ngx_int_t cost_embeddings(cost_t *cost);
static ngx_int_t cost_error(cost_t *cost);
static ngx_int_t cost_turn(cost_t *cost, ngx_uint_t status);
static ngx_int_t cost_verify(cost_t *cost, ngx_ors_endpoint_e endpoint,
    ngx_uint_t status);


static const char  *cost_names[] = {
    "spec", "openai, strip", "tolerant openai", NULL
};

static const ngx_ors_policy_t  cost_policies[] = {
    { NGX_ORS_STRICT_SPEC, ngx_ors_unknown_auto, 0, ngx_ors_reasoning_summary,
      ngx_ors_refusal_part, NULL },
    { NGX_ORS_STRICT_OPENAI, ngx_ors_unknown_strip, 0,
      ngx_ors_reasoning_content, ngx_ors_refusal_text },
    { NGX_ORS_TOLERANT_OPENAI, ngx_ors_unknown_pass, 1,
      ngx_ors_reasoning_summary, ngx_ors_refusal_part, NULL }
};


#define TEXT                                                                  \
    "The reader allots its nodes anew each time it has used them up, and "    \
    "copies those that it has. I made it guess how many there will be from "  \
    "those that it has read, and wrote a test that counts how often it does."

#define SAID(text)                                                            \
    "{'id':'c','object':'chat.completion','created':1,'model':'m','choices':["\
    "{'index':0,'finish_reason':'stop','message':{'role':'assistant',"        \
    text
#define DONE  "}}],'usage':{'prompt_tokens':1,'completion_tokens':2}}"


static const cost_row_t  cost_translated_rows[] = {

    { "typical", 40, SAID("'content':'"), TEXT, "'" DONE },

    { "a text with \\u", 1500, SAID("'content':'"), "\\u00e9", "'" DONE },
    { "parts", 300, SAID("'content':["), ",{'type':'text','text':'a'}",
      "]" DONE },
    { "parts of reasoning and text", 200, SAID("'content':["),
      ",{'type':'thinking','thinking':[{'type':'text','text':'a'}]},"
      "{'type':'text','text':'b'}", "]" DONE, .more = 24 },
    { "details of reasoning", 300, SAID("'reasoning_details':["),
      ",{'type':'reasoning.text','text':'a'}", "]" DONE },
    { "calls", 32, SAID("'tool_calls':["),
      ",{'id':'c#','type':'function','function':{'name':'f','arguments':"
      "'{}'}}", "]" DONE },
    { "annotations", 300, SAID("'content':'a','annotations':["),
      ",{'type':'url_citation','url':'u','start_index':0,'end_index':1}",
      "]" DONE },
    { "logprobs", 300, "{'choices':[{'logprobs':{'content':[",
      ",{'token':'a','logprob':-0.1,'bytes':[97],'top_logprobs':[]}",
      "]},'finish_reason':'stop','message':{'content':'a'}}]}" },
    { "logprobs that are none", 1500, "{'choices':[{'logprobs':{'content':[",
      ",1", "]},'finish_reason':'stop','message':{'content':'a'}}]}" },
    { "choices", 300, "{'choices':[",
      ",{'index':1,'message':{'content':'a'}}",
      ",{'index':0,'message':{'content':'a'},'finish_reason':'stop'}]}" },
    { "unknown keys", 1000, SAID("'content':'a'"), ",'x#':1", DONE },
    { "unknown keys that are escaped", 600, SAID("'content':'a'"),
      ",'\\u0078#':1", DONE },
    { "numbers", 2000, SAID("'content':'a','x':["), ",1", "]" DONE },

    { NULL }
};


static const cost_row_t  cost_error_rows[] = {

    { "typical", 1, "{'error':{'message':'" TEXT TEXT TEXT TEXT "','type':"
      "'invalid_request_error','param':null,'code':'x'}}", "", "" },

    { "a long message", 400, "{'error':{'message':'", "words ", "'}}" },
    { "a message with \\u", 400, "{'error':{'message':'", "\\u00e9", "'}}" },
    { "a long code", 400, "{'error':{'code':'", "words_", "'}}" },
    { "a long param", 400, "{'error':{'message':'a','param':'", "words[0].",
      "'}}" },
    { "a list of reasons", 300, "{'detail':[",
      ",{'loc':['body','input'],'msg':'a','type':'b'}", "]}" },
    { "a place of many parts", 600, "{'detail':[{'msg':'a','loc':[", ",'a'",
      "]}]}" },
    { "deep errors", 15, "{'error':", "{'error':{'error':", "1", "", "}}" },
    { "unknown keys", 600, "{'error':{'message':'a'", ",'x#':1", "}}" },
    { "numbers", 1500, "{'error':{'message':'a'},'x':[", ",1", "]}" },
    { "no JSON", 600, "<html>", "<br>words", "" },
    { "a mistake of many \\", 1500, "{'error':{'message':'", "\\\\", "'}}" },

    { NULL }
};


#define RESP(output)                                                          \
    "{'id':'r','object':'response','created_at':1,'completed_at':2,'status':" \
    "'completed','incomplete_details':null,'model':'m',"                      \
    "'previous_response_id':null,'instructions':null,'error':null,"           \
    "'tool_choice':'auto','truncation':'disabled','parallel_tool_calls':true,"\
    "'text':{'format':{'type':'text'}},'top_p':1,'presence_penalty':0,"       \
    "'frequency_penalty':0,'top_logprobs':0,'temperature':1,'reasoning':null,"\
    "'usage':null,'max_output_tokens':null,'max_tool_calls':null,'store':"    \
    "false,'background':false,'service_tier':'default','metadata':{},"        \
    "'safety_identifier':null,'prompt_cache_key':null,'tools':[],'output':["  \
    output
#define WORDS(text)                                                           \
    "{'type':'output_text','text':'" text "','annotations':[],'logprobs':[]}"
#define MESSAGE                                                               \
    "{'type':'message','id':'m#','status':'completed','role':'assistant',"    \
    "'content':["


static const cost_row_t  cost_response_rows[] = {

    { "typical", 10, RESP(""), "," MESSAGE WORDS(TEXT) "]},{'type':"
      "'function_call','id':'f#','status':'completed','call_id':'c#','name':"
      "'f','arguments':'{}'}", "]}" },

    { "items", 200, RESP(""), "," MESSAGE "]}", "]}" },
    { "items with the least in them", 300, "{'id':'r','status':'completed',"
      "'output':[",
      ",{'type':'message','id':'m','role':'assistant','content':[]}",
      "]}" },
    { "parts", 200, RESP(MESSAGE), "," WORDS("a"), "]}]}" },
    { "parts with the least in them", 300,
      "{'id':'r','status':'completed','output':[" MESSAGE,
      ",{'type':'output_text','text':''}", "]}]}" },
    { "annotations", 200,
      RESP(MESSAGE "{'type':'output_text','text':'a','logprobs':[],"
           "'annotations':["),
      ",{'type':'url_citation','url':'u','title':'t','start_index':0,"
      "'end_index':1}", "]}]}]}" },
    { "logprobs", 200,
      RESP(MESSAGE "{'type':'output_text','text':'a','annotations':[],"
           "'logprobs':["),
      ",{'token':'a','logprob':-1,'bytes':[97],'top_logprobs':[]}",
      "]}]}]}" },
    { "calls", 200, RESP(""),
      ",{'type':'function_call','id':'f#','status':'completed','call_id':"
      "'c#','name':'f','arguments':'{}'}", "]}" },
    { "reasoning", 200, RESP(""),
      ",{'type':'reasoning','id':'r#','summary':[]}", "]}" },
    { "items of an extension", 300, RESP(""),
      ",{'type':'a:b','id':'i#','status':'completed'}",
      "]}" },
    { "unknown keys", 1000, RESP("]"), ",'x#':1", "}" },
    { "unknown keys that are escaped", 600, RESP("]"), ",'\\u0078#':1",
      "}" },
    { "unknown keys in items", 200, RESP(""),
      ",{'type':'reasoning','id':'r#','summary':[],'x':1,'y':2}", "]}" },
    { "tools", 200,
      "{'id':'r','status':'completed','output':[],'tools':[",
      ",{'type':'function','name':'f#'}", "]}" },
    { "numbers", 2000, RESP("],'x':["), ",1", "]}", .more = 24 },
    { "a text with \\u", 1500,
      RESP(MESSAGE "{'type':'output_text','annotations':[],'logprobs':[],"
           "'text':'"), "\\u00e9", "'}]}]}" },
    { "white space", 2000, RESP("]"), " \n", "}" },

    { NULL }
};


#define COMPACTION(output)                                                    \
    "{'id':'r','object':'response.compaction','created_at':1,"                \
    "'usage':{'input_tokens':1,'output_tokens':1,'total_tokens':2,"           \
    "'input_tokens_details':{'cached_tokens':0},'output_tokens_details':{"    \
    "'reasoning_tokens':0}},'output':[" output

static const cost_row_t  cost_compaction_rows[] = {

    { "typical", 10, COMPACTION(""), "," MESSAGE WORDS(TEXT) "]}",
      ",{'type':'compaction','id':'c','encrypted_content':'" TEXT "'}]}" },

    { "items", 300, COMPACTION(""),
      ",{'type':'compaction','id':'c#','encrypted_content':'a'}", "]}" },
    { "unknown keys", 1000, COMPACTION("]"), ",'x#':1", "}" },
    { "numbers", 2000, COMPACTION("],'x':["), ",1", "]}", .more = 24 },

    { NULL }
};


static const cost_row_t  cost_completion_rows[] = {

    { "typical", 40, SAID("'content':'"), TEXT, "'" DONE },

    { "choices", 200,
      "{'id':'c','object':'chat.completion','created':1,'model':'m',"
      "'choices':[",
      ",{'index':#,'message':{'role':'assistant','content':'a'},"
      "'finish_reason':'stop'}", "]}" },
    { "calls", 200, SAID("'content':null,'tool_calls':["),
      ",{'id':'c#','type':'function','function':{'name':'f','arguments':"
      "'{}'}}", "]" DONE },
    { "unknown keys", 1000, SAID("'content':'a'"), ",'x#':1", DONE },
    { "numbers", 2000, SAID("'content':'a','x':["), ",1", "]" DONE },

    { NULL }
};


#define VECTORS                                                               \
    "{'object':'list','model':'m','usage':{'prompt_tokens':1,"                \
    "'total_tokens':1},'data':["

static const cost_row_t  cost_embeddings_rows[] = {

    { "typical", 20, VECTORS,
      ",{'object':'embedding','index':#,'embedding':[0.0123456789,"
      "-0.0123456789,0.0123456789,-0.0123456789,0.0123456789,-0.0123456789,"
      "0.0123456789,-0.0123456789,0.0123456789,-0.0123456789,0.0123456789]}",
      "]}" },

    { "vectors", 300, VECTORS,
      ",{'object':'embedding','index':#,'embedding':[1]}", "]}" },
    { "numbers", 2000, VECTORS "{'object':'embedding','index':0,'embedding':"
      "[", ",1", "]}]}" },
    { "unknown keys", 1000,
      VECTORS "{'object':'embedding','index':0,'embedding':[1]}]",
      ",'x#':1", "}" },

    { NULL }
};


const cost_group_t  cost_documents[] = {
    { "document of a chat server, translated", cost_translated, cost_names,
      cost_translated_rows },
    { "error of a chat server, translated", cost_failure, cost_names,
      cost_error_rows },
    { "response, checked", cost_response, cost_names, cost_response_rows },
    { "compaction, checked", cost_compaction, cost_names,
      cost_compaction_rows },
    { "chat completion, checked", cost_completion, cost_names,
      cost_completion_rows },
    { "embeddings, checked", cost_embeddings, cost_names,
      cost_embeddings_rows },
    { "error, checked", cost_error, cost_names, cost_error_rows },
    { NULL, NULL, NULL, NULL }
};


static ngx_int_t
cost_translated(cost_t *cost)
{
    return cost_turn(cost, 200);
}


/* whatever it says, it is told to the client */

static ngx_int_t
cost_failure(cost_t *cost)
{
    return (cost_turn(cost, 400) == NGX_ERROR) ? NGX_ERROR : NGX_OK;
}


static ngx_int_t
cost_response(cost_t *cost)
{
    return cost_verify(cost, ngx_ors_endpoint_responses, 200);
}


static ngx_int_t
cost_compaction(cost_t *cost)
{
    return cost_verify(cost, ngx_ors_endpoint_compact, 200);
}


static ngx_int_t
cost_completion(cost_t *cost)
{
    return cost_verify(cost, ngx_ors_endpoint_chat, 200);
}


static ngx_int_t
cost_embeddings(cost_t *cost)
{
    return cost_verify(cost, ngx_ors_endpoint_embeddings, 200);
}


static ngx_int_t
cost_error(cost_t *cost)
{
    return (cost_verify(cost, ngx_ors_endpoint_responses, 400) == NGX_ERROR)
           ? NGX_ERROR : NGX_OK;
}


static ngx_int_t
cost_turn(cost_t *cost, ngx_uint_t status)
{
    ngx_buf_t          b;
    ngx_int_t          rc;
    ngx_str_t          body, type, model = ngx_null_string;
    ngx_ors_out_t      out;
    ngx_ors_turn_t    *turn;
    ngx_ors_policy_t   policy;

    policy = cost_policies[cost->nvariant];

    ngx_str_set(&type, "application/json");
    ngx_str_set(&body, "{\"model\":\"m\",\"input\":\"hi\",\"include\":["
                       "\"message.output_text.logprobs\"]}");

    turn = ngx_ors_turn_create(ngx_ors_endpoint(ngx_ors_endpoint_responses),
                               &policy, &cost_limits, cost->pool,
                               cost->pool->log);
    if (turn == NULL) {
        return NGX_ERROR;
    }

    ngx_ors_out_init(&out, cost->pool, 4096);

    rc = ngx_ors_turn_request(turn, &body);

    if (rc == NGX_OK) {
        rc = ngx_ors_turn_call(turn, ngx_ors_dialect_chat,
                               &ngx_ors_chat_options, &model, &out);
    }

    if (rc == NGX_OK) {
        rc = ngx_ors_turn_header(turn, status, &type, cost->len);
    }

    memset(&b, 0, sizeof(ngx_buf_t));
    b.pos = cost->text;
    b.last = cost->text + cost->len;

    if (rc == NGX_OK) {
        rc = ngx_ors_turn_data(turn, &b);
    }

    if (rc == NGX_OK) {
        rc = ngx_ors_turn_end(turn, 0, 1);
    }

    if (rc == NGX_ERROR || ngx_ors_out_drop(&turn->out) != NGX_OK) {
        return NGX_ERROR;
    }

    return (turn->status == 200) ? NGX_OK : NGX_DECLINED;
}


static ngx_int_t
cost_verify(cost_t *cost, ngx_ors_endpoint_e endpoint, ngx_uint_t status)
{
    ngx_buf_t          b;
    ngx_int_t          rc;
    ngx_str_t          type;
    ngx_ors_out_t      out;
    ngx_ors_verify_t  *verify;
    ngx_ors_answer_t   answer;
    ngx_ors_policy_t   policy;

    policy = cost_policies[cost->nvariant];

    verify = ngx_pcalloc(cost->pool, sizeof(ngx_ors_verify_t));
    ngx_ors_out_init(&out, cost->pool, 4096);

    ngx_ors_answer_init(&answer, &cost_limits, cost->pool, cost->pool->log);

    verify->answer = &answer;
    verify->endpoint = ngx_ors_endpoint(endpoint);
    verify->policy = &policy;
    verify->limits = &cost_limits;
    verify->out = &out;
    verify->pool = cost->pool;
    verify->log = cost->pool->log;

    ngx_ors_verify_init(verify);

    ngx_str_set(&type, "application/json");
    rc = ngx_ors_verify_header(verify, status, &type, cost->len);

    memset(&b, 0, sizeof(ngx_buf_t));
    b.pos = cost->text;
    b.last = cost->text + cost->len;

    if (rc == NGX_OK) {
        rc = ngx_ors_answer_data(&answer, &b);
    }

    if (rc == NGX_OK) {
        rc = ngx_ors_answer_end(&answer, 1);
    }

    if (rc == NGX_ERROR || ngx_ors_out_drop(&out) != NGX_OK) {
        return NGX_ERROR;
    }

    return (verify->status == 200) ? NGX_OK : NGX_DECLINED;
}
