
/*
 * Copyright (C) Open Responses contributors
 */


/* Streams of model servers: translated, and checked on their way. */


#include <ngx_ors_turn.h>
#include <ngx_ors_verify.h>

#include "cost.h"


/* as nginx reads them */
#define COST_PIECE  4096


typedef struct {
    ngx_uint_t             profile;
    ngx_ors_reasoning_e    reasoning;
    ngx_ors_chat_think_e   think;
    const char            *stream;      /* the client's "stream" */
} cost_mode_t;


static ngx_int_t cost_translated(cost_t *cost);
static ngx_int_t cost_checked(cost_t *cost);
static ngx_int_t cost_checked_chat(cost_t *cost);
static ngx_int_t cost_verify(cost_t *cost, ngx_ors_endpoint_e endpoint);
static ngx_int_t cost_turn(cost_t *cost, const cost_mode_t *mode,
    ngx_ors_turn_t **turn);


static const char  *cost_mode_names[] = {
    "summary", "tags", "at once", NULL
};

static const cost_mode_t  cost_modes[] = {
    { NGX_ORS_STRICT_OPENAI, ngx_ors_reasoning_summary, ngx_ors_chat_think_off,
      "true" },
    { NGX_ORS_TOLERANT_OPENAI, ngx_ors_reasoning_content, ngx_ors_chat_think_on,
      "true" },
    { NGX_ORS_STRICT_OPENAI, ngx_ors_reasoning_off, ngx_ors_chat_think_off,
      "false" }
};

static const char  *cost_reading_names[] = {
    "spec", "tolerant openai", NULL
};

static const ngx_uint_t  cost_readings[] = {
    NGX_ORS_STRICT_SPEC, NGX_ORS_TOLERANT_OPENAI
};


#define DATA(json)    "data: " json "\n\n"
#define DELTA(delta)  DATA("{'choices':[{'delta':{" delta "}}]}")
#define SAY(text)     DELTA("'content':'" text "'")
#define THINK(text)   DELTA("'reasoning':'" text "'")
#define CALL(call)    DELTA("'tool_calls':[{" call "}]")
#define END           DATA("{'choices':[{'delta':{},'finish_reason':'stop'}]}")\
                      DATA("[DONE]")
#define OPEN(name)                                                            \
    CALL("'index':0,'id':'a','function':{'name':'" name "'}")
#define MORE(text)                                                            \
    CALL("'index':0,'function':{'arguments':'" text "'}")
#define PROBS                                                                 \
    "{'token':'a','logprob':-0.1,'bytes':[97],'top_logprobs':[]}"

#define CHUNK(delta)                                                          \
    DATA("{'id':'chatcmpl-oprqY36VZ8d0eYoqiARNaN17Awnx','object':"            \
         "'chat.completion.chunk','created':1795256156,'model':"              \
         "'meta-llama/Llama-3.3-70B-Instruct','system_fingerprint':"          \
         "'b0-unknown','choices':[{'index':0,'delta':{" delta "},'logprobs':" \
         "null,'finish_reason':null}]}")


static const cost_row_t  cost_translated_rows[] = {

    { "typical", 100, SAY(""), CHUNK("'content':' word'"), END },

    /* texts */

    { "letters", 400, "", SAY("a"), END },
    { "letters of reasoning", 400, "", THINK("a"), END },
    { "letters of a refusal", 400, "", DELTA("'refusal':'a'"), END },
    { "long texts", 40, "",
      SAY("words words words words words words words words words words words "
          "words words words words words words words words words words words "
          "words words words words words words words words words words"),
      END },
    { "texts with escapes", 400, "", SAY("\\n\\u00e9\\'"), END },
    { "nothing", 500, "", DELTA(""), SAY("a") END },
    { "no choices", 500, "", DATA("{'choices':[]}"), SAY("a") END },
    { "objects of others", 500, "", DATA("{'a':1}"), SAY("a") END },
    { "roles", 400, "", DELTA("'role':'assistant','content':''"),
      SAY("a") END },
    { "usage", 300, SAY("a"),
      DATA("{'choices':[],'usage':{'prompt_tokens':1,'completion_tokens':2,"
           "'total_tokens':3}}"), END },
    { "other choices", 300, "",
      DATA("{'choices':[{'index':1,'delta':{'content':'a'}}]}"),
      SAY("a") END },
    { "choices of one chunk", 400, "data: {'choices':[",
      ",{'index':1,'delta':{}}", "]}\n\n" SAY("a") END },
    { "parts of one text", 400, "data: {'choices':[{'delta':{'content':[",
      ",{'type':'text','text':'a'}", "]}}]}\n\n" END },
    { "parts of thoughts and texts", 200,
      "data: {'choices':[{'delta':{'content':[",
      ",{'type':'thinking','thinking':[{'type':'text','text':'a'}]},"
      "{'type':'text','text':'b'}", "]}}]}\n\n" END, .more = 64 },
    { "details of reasoning", 300,
      "data: {'choices':[{'delta':{'reasoning_details':[",
      ",{'type':'reasoning.text','text':'a'}", "]}}]}\n\n" END },

    { "elements of a state", 250, "",
      DELTA("'reasoning_details':[{'type':'t','text':'a','index':#}]"), END },
    { "pieces of elements of a state", 100, "",
      DELTA("'reasoning_details':[{'type':'t','text':'a','index':#}]"), END,
      "", DELTA("'reasoning_details':[{'type':'t','text':'b','index':@}]") },
    { "members of an element of a state", 300,
      "data: {'choices':[{'delta':{'reasoning_details':[{'type':'t'",
      ",'~':1", "}]}}]}\n\n" SAY("a") END },
    { "members of a state again and again", 300, "",
      CALL("'index':0,'id':'a','function':{'name':'f'},'extra_content':{'#':"
           "1}"), END },

    /* items */

    { "thoughts and texts in turn", 250, "", THINK("a") SAY("b"), END },
    { "refusals and texts in turn", 250, "",
      DELTA("'refusal':'a'") SAY("b"), END },
    { "all three in turn", 200, "",
      DELTA("'refusal':'a'") SAY("b") THINK("c"), END },
    { "thoughts in tags", 250, "", SAY("<think>a</think>b"), END },
    { "tags that are none", 400, "", SAY("<thin"), END },
    { "tags in one text", 500, "data: {'choices':[{'delta':{'content':'",
      "<think>a</think>b", "'}}]}\n\n" END },
    { "messages after items", 250, "", THINK("a") SAY("b"), END, "",
      DATA("{'choices':[{'message':{'content':'c'}}]}") },
    { "messages after items, with calls", 250, "", THINK("a") SAY("b"), END,
      "", DATA("{'choices':[{'message':{'tool_calls':[{'id':'c#','function':"
               "{'name':'f'}}]}}]}") },

    /* annotations of texts */

    { "annotations", 300, SAY("a"),
      DELTA("'annotations':[{'type':'url_citation','url':'u','start_index':0,"
            "'end_index':1}]"), END },
    { "annotations of one chunk", 300,
      SAY("a") "data: {'choices':[{'delta':{'annotations':[",
      ",{'type':'url_citation','url':'u','start_index':0,'end_index':1}",
      "]}}]}\n\n" END },
    { "annotations without a text", 300, THINK("a"),
      DELTA("'annotations':[{'type':'url_citation','url':'u','start_index':0,"
            "'end_index':1}]"), END },
    { "annotations of other types", 300, SAY("a"),
      DELTA("'annotations':[{'type':'x'},{'type':'y'}]"), END },
    { "logprobs", 200, "",
      DATA("{'choices':[{'delta':{'content':'a'},'logprobs':{'content':["
           PROBS "]}}]}"), END },
    { "logprobs of one chunk", 300,
      "data: {'choices':[{'delta':{'content':'a'},'logprobs':{'content':[",
      "," PROBS, "]}}]}\n\n" END },
    { "logprobs that are none", 1500,
      "data: {'choices':[{'delta':{'content':'a'},'logprobs':{'content':[",
      ",1", "]}}]}\n\n" END },
    { "chunks with logprobs that are none", 200, "",
      DATA("{'choices':[{'delta':{'content':'a'},'logprobs':{'content':["
           "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}}]}"),
      END },
    { "tokens that could have been", 300,
      "data: {'choices':[{'delta':{'content':'a'},'logprobs':{'content':["
      "{'token':'a','logprob':-1,'bytes':[],'top_logprobs':[",
      ",{'token':'a','logprob':-1,'bytes':[97]}", "]}]}}]}\n\n" END },
    { "bytes of a token", 1000,
      "data: {'choices':[{'delta':{'content':'a'},'logprobs':{'content':["
      "{'token':'a','logprob':-1,'bytes':[",
      ",97", "]}]}}]}\n\n" END },

    /* calls */

    { "letters of arguments", 300, OPEN("f"), MORE("a"), END },
    { "letters of a custom input", 300, OPEN("p") MORE("{\\'input\\':\\'"),
      MORE("a"), MORE("\\'}") END },
    { "escapes of a custom input", 300, OPEN("p") MORE("{\\'input\\':\\'"),
      MORE("\\\\n"), MORE("\\'}") END },
    { "arguments of a search", 300, OPEN("tool_search"), MORE("a"), END },
    { "arguments that are no text", 300, OPEN("f"),
      CALL("'index':0,'function':{'arguments':{'a':'b'}}"), END },
    { "calls", 32, "",
      CALL("'index':#,'id':'c#','function':{'name':'f','arguments':'{}'}"),
      END },
    { "calls, then their arguments", 32, "",
      CALL("'index':#,'id':'c#','function':{'name':'f'}"), END, "",
      CALL("'index':@,'function':{'arguments':'{}'}") },
    { "calls with texts between", 32, "",
      CALL("'index':#,'id':'c#','function':{'name':'f','arguments':'{}'}")
      SAY("a") THINK("b"), END },
    { "calls with one id", 32, "",
      CALL("'index':#,'id':'c','function':{'name':'f','arguments':'{}'}"),
      END },
    { "calls in one chunk", 32,
      "data: {'choices':[{'delta':{'tool_calls':[",
      ",{'index':#,'id':'c#','function':{'name':'f','arguments':'{}'}}",
      "]}}]}\n\n" END, .more = 40 },
    { "calls with an id in each piece", 300, OPEN("f"),
      CALL("'index':0,'id':'a','function':{'arguments':'a'}"), END },
    { "calls with a name in each piece", 300, OPEN("f"),
      CALL("'index':0,'function':{'name':'f','arguments':'a'}"), END },
    { "names that cannot be sent back", 300, OPEN("f"),
      CALL("'index':0,'function':{'name':'!','arguments':''}"), END },
    { "a call that goes on when it is closed", 300,
      OPEN("f") MORE("{}") CALL("'index':1,'id':'b','function':{'name':'f'}"),
      MORE("a"), END },

    /* frames */

    { "comments", 2000, "", ":\n", SAY("a") END },
    { "comments that end an event", 1500, "", ":\n\n", SAY("a") END },
    { "empty lines", 3000, "", "\n", SAY("a") END },
    { "events without data", 1000, "", "data:\n\n", SAY("a") END },
    { "lines of one event", 500, "data: {'choices':[\n", "data:\n",
      "data: ]}\n\n" SAY("a") END },
    { "unknown lines", 1500, "", "x\n", "\n" SAY("a") END },

    /* JSON */

    { "unknown keys", 800, "data: {'choices':[]", ",'x#':1",
      "}\n\n" SAY("a") END },
    { "escaped keys", 300, "",
      DATA("{'choices':[{'delt\\u0061':{'conten\\u0074':'a'}}]}"), END },
    { "numbers", 1500, "data: {'choices':[],'x':[", ",1",
      "]}\n\n" SAY("a") END },
    { "errors that are null", 300, "",
      DATA("{'error':null,'choices':[{'error':null,'delta':{'content':'a'}}]}"
           ), END },

    { NULL }
};


#define EVENT(type, rest)                                                     \
    "event: " type "\ndata: {'type':'" type "','sequence_number':1" rest      \
    "}\n\n"
#define BARE(type, rest)  DATA("{'type':'" type "'" rest "}")
#define RESPONSE(status, output)                                              \
    "'response':{'id':'r','object':'response','created_at':1,'completed_at':" \
    "null,'status':'" status "','incomplete_details':null,'model':'m',"       \
    "'previous_response_id':null,'instructions':null,'error':null,'tools':[]" \
    ",'tool_choice':'auto','truncation':'disabled','parallel_tool_calls':"    \
    "true,'text':{'format':{'type':'text'}},'top_p':1,'presence_penalty':0,"  \
    "'frequency_penalty':0,'top_logprobs':0,'temperature':1,'reasoning':null" \
    ",'usage':null,'max_output_tokens':null,'max_tool_calls':null,'store':"   \
    "false,'background':false,'service_tier':'default','metadata':{},"        \
    "'safety_identifier':null,'prompt_cache_key':null,'output':[" output
#define START                                                                 \
    "data: {'type':'response.created'," RESPONSE("in_progress", "]}}\n\n")    \
    "data: {'type':'response.in_progress',"                                   \
    RESPONSE("in_progress", "]}}\n\n")
#define MESSAGE(id, parts)                                                    \
    "{'type':'message','id':'" id "','status':'in_progress','role':"          \
    "'assistant','content':[" parts "]}"
#define WHOLE(id)                                                             \
    "{'type':'message','id':'" id "','status':'completed','role':"            \
    "'assistant','content':[]}"
#define ADDED(i, item)                                                        \
    BARE("response.output_item.added", ",'output_index':" i ",'item':" item)
#define ENDED(i, item)                                                        \
    BARE("response.output_item.done", ",'output_index':" i ",'item':" item)
#define PLACE   ",'item_id':'m','output_index':0,'content_index':0"
#define TEXT                                                                  \
    "{'type':'output_text','text':'','annotations':[],'logprobs':[]}"
#define PART                                                                  \
    START ADDED("0", MESSAGE("m", ""))                                        \
    BARE("response.content_part.added", PLACE ",'part':" TEXT)
#define FCALL(id)                                                             \
    "{'type':'function_call','id':'" id "','status':'in_progress','call_id':" \
    "'c','name':'f','arguments':''}"


static const cost_row_t  cost_checked_rows[] = {

    { "typical", 100, PART,
      EVENT("response.output_text.delta",
            ",'item_id':'m','output_index':0,'content_index':0,'delta':"
            "' word','logprobs':[],'obfuscation':'abcdefgh'"), "" },

    /* texts */

    { "letters", 300, PART,
      BARE("response.output_text.delta", PLACE ",'delta':'a','logprobs':[]"),
      "" },
    { "letters with a type that is escaped", 300, PART,
      BARE("response.output_text\\u002edelta",
           PLACE ",'delta':'a','logprobs':[]"), "" },
    { "texts with escapes", 300, PART,
      BARE("response.output_text.delta",
           PLACE ",'delta':'\\n\\u00e9\\'','logprobs':[]"), "" },
    { "long texts with escapes", 1500,
      PART "data: {'type':'response.output_text.delta'" PLACE
      ",'logprobs':[],'delta':'", "\\u00e9", "'}\n\n" },
    { "logprobs", 300,
      PART "data: {'type':'response.output_text.delta'" PLACE
      ",'delta':'a','logprobs':[",
      ",{'token':'a','logprob':-1,'bytes':[97],'top_logprobs':[]}",
      "]}\n\n" },
    { "annotations", 200, PART,
      BARE("response.output_text.annotation.added",
           PLACE ",'annotation_index':#,'annotation':{'type':'url_citation',"
           "'url':'u','title':'t','start_index':0,'end_index':1}"), "" },
    { "letters of arguments", 300, START ADDED("0", FCALL("m")),
      BARE("response.function_call_arguments.delta",
           ",'item_id':'m','output_index':0,'delta':'a'"), "" },

    /* items */

    { "items", 1000, START,
      ADDED("#", MESSAGE("m#", "")) ENDED("#", WHOLE("m#")), "" },
    { "items that are open", 1000, START, ADDED("#", MESSAGE("m#", "")),
      "" },
    { "items, the newest is done first", 500, START,
      ADDED("#", MESSAGE("m#", "")), "", "", ENDED("@", WHOLE("m@")) },
    { "items with long ids", 300, START,
      ADDED("#", MESSAGE("msg_0123456789abcdefghijklmnopqrstuvwxyz0123456789"
                         "abcdefghijklmnopqrstuvwxyz012345678~", "")), "" },
    { "items with escaped ids", 300, START,
      ADDED("#", MESSAGE("\\u006d#", "")), "" },
    { "items and the response with them", 200, START,
      ADDED("#", MESSAGE("m#", "")) ENDED("#", WHOLE("m#")), "]}}\n\n",
      "data: {'type':'response.completed'," RESPONSE("completed", ""),
      "," WHOLE("m#") },
    { "parts", 200, START ADDED("0", MESSAGE("m", "")),
      BARE("response.content_part.added",
           ",'item_id':'m','output_index':0,'content_index':#,'part':" TEXT)
      BARE("response.output_text.done",
           ",'item_id':'m','output_index':0,'content_index':#,'text':''"
           ",'logprobs':[]")
      BARE("response.content_part.done",
           ",'item_id':'m','output_index':0,'content_index':#,'part':" TEXT),
      "" },
    { "parts of an item that is done", 200,
      START ADDED("0", MESSAGE("m", ""))
      "data: {'type':'response.output_item.done','output_index':0,'item':"
      "{'type':'message','id':'m','status':'completed','role':'assistant',"
      "'content':[", "," TEXT, "]}}\n\n" },

    /* others */

    { "in_progress again", 100, START,
      "data: {'type':'response.in_progress',"
      RESPONSE("in_progress", "]}}\n\n"), "" },
    { "in_progress again, with nothing in it", 300, START,
      DATA("{'type':'response.in_progress','response':{'id':'r','status':"
           "'in_progress','output':[]}}"), "" },
    { "extensions", 400, START, DATA("{'type':'a:b'}"), "" },
    { "extensions with a type that is escaped", 400, START,
      DATA("{'type':'\\u0061:b'}"), "" },
    { "comments", 2000, "", ":\n", "" },
    { "events without data", 1000, START, "data:\n\n", "" },
    { "lines of one event", 500, START "data: {'type':'a:b'\n",
      "data:\n", "data: }\n\n" },
    { "unknown keys", 800, START "data: {'type':'a:b'", ",'x#':1",
      "}\n\n" },
    { "unknown keys in events", 300, PART,
      BARE("response.output_text.delta",
           PLACE ",'delta':'a','logprobs':[],'x':1,'y':2,'z':3"), "" },
    { "escaped keys", 300, PART,
      BARE("response.output_text.delta",
           PLACE ",'delt\\u0061':'a','logprob\\u0073':[]"), "" },
    { "numbers", 1500, START "data: {'type':'a:b','x':[", ",1",
      "]}\n\n" },

    { NULL }
};


static const cost_row_t  cost_chat_rows[] = {

    { "typical", 100, "", CHUNK("'content':' word'"), "" },

    { "letters", 300, "",
      DATA("{'id':'c','object':'chat.completion.chunk','created':1,'model':"
           "'m','choices':[{'index':0,'delta':{'content':'a'}}]}"), "" },
    { "nothing", 400, "", DATA("{'choices':[]}"), "" },
    { "choices", 32, "data: {'id':'c','choices':[",
      ",{'index':#,'delta':{'content':'a'},'finish_reason':null}",
      "]}\n\n" },
    { "choices in turn", 32, "",
      DATA("{'id':'c','choices':[{'index':#,'delta':{'content':'a'},"
           "'finish_reason':null}]}"), "" },
    { "calls", 300, "data: {'id':'c','choices':[{'index':0,'delta':{"
      "'tool_calls':[",
      ",{'index':#,'id':'c#','type':'function','function':{'name':'f',"
      "'arguments':'{}'}}", "]},'finish_reason':null}]}\n\n" },
    { "errors that are null", 300, "",
      DATA("{'error':null,'id':'c','choices':[]}"), "" },
    { "comments", 2000, "", ":\n", "" },
    { "unknown keys", 800, "data: {'id':'c','choices':[]", ",'x#':1",
      "}\n\n" },
    { "numbers", 1500, "data: {'id':'c','choices':[],'x':[", ",1",
      "]}\n\n" },

    { NULL }
};


const cost_group_t  cost_streams[] = {
    { "stream of a chat server, translated", cost_translated,
      cost_mode_names, cost_translated_rows },
    { "stream of responses, checked", cost_checked, cost_reading_names,
      cost_checked_rows },
    { "stream of chat/completions, checked", cost_checked_chat,
      cost_reading_names, cost_chat_rows },
    { NULL, NULL, NULL, NULL }
};


static ngx_int_t
cost_translated(cost_t *cost)
{
    ngx_buf_t            b;
    ngx_int_t            rc;
    ngx_str_t            type;
    ngx_ors_turn_t      *turn;
    const cost_mode_t   *mode;

    mode = &cost_modes[cost->nvariant];

    if (cost_turn(cost, mode, &turn) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_str_set(&type, "text/event-stream");
    rc = ngx_ors_turn_header(turn, 200, &type, -1);

    memset(&b, 0, sizeof(ngx_buf_t));
    b.pos = cost->text;
    b.last = b.pos;

    while (rc == NGX_OK && b.last < cost->text + cost->len) {
        b.last = ngx_min(b.pos + COST_PIECE, cost->text + cost->len);

        rc = ngx_ors_turn_data(turn, &b);

        if (ngx_ors_out_drop(&turn->out) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    if (rc == NGX_DONE && turn->response.status == ngx_ors_response_failed) {
        return NGX_DECLINED;
    }

    return (rc == NGX_DONE) ? NGX_OK : NGX_DECLINED;
}


static ngx_int_t
cost_turn(cost_t *cost, const cost_mode_t *mode, ngx_ors_turn_t **turn)
{
    char                    text[1024], *p;
    ngx_int_t               rc;
    ngx_str_t               body, model = ngx_null_string;
    ngx_ors_out_t           out;
    ngx_ors_policy_t       *policy;
    ngx_ors_chat_options_t  options;

    static const char  request[] =
        "{'model':'m','input':'hi','stream':%s,'include':["
        "'message.output_text.logprobs'],'tools':[{'type':'function','name':"
        "'f'},{'type':'custom','name':'p'},{'type':'tool_search',"
        "'execution':'client','description':'d','parameters':{'type':"
        "'object'}}]}";

    policy = ngx_pcalloc(cost->pool, sizeof(ngx_ors_policy_t));
    policy->profile = mode->profile;
    policy->reasoning = mode->reasoning;

    snprintf(text, sizeof(text), request, mode->stream);

    for (p = text; *p; p++) {
        if (*p == '\'') {
            *p = '"';
        }
    }

    body.len = p - text;
    body.data = ngx_pnalloc(cost->pool, body.len);
    ngx_memcpy(body.data, text, body.len);

    *turn = ngx_ors_turn_create(ngx_ors_endpoint(ngx_ors_endpoint_responses),
                                policy, &cost_limits, cost->pool,
                                cost->pool->log);
    if (*turn == NULL) {
        return NGX_ERROR;
    }

    options = ngx_ors_chat_options;
    options.think = mode->think;
    options.state = (1 << NGX_ORS_CHAT_STATES) - 1;

    ngx_ors_out_init(&out, cost->pool, 4096);

    rc = ngx_ors_turn_request(*turn, &body);

    if (rc == NGX_OK) {
        rc = ngx_ors_turn_call(*turn, ngx_ors_dialect_chat, &options, &model,
                               &out);
    }

    return rc;
}


static ngx_int_t
cost_checked(cost_t *cost)
{
    return cost_verify(cost, ngx_ors_endpoint_responses);
}


static ngx_int_t
cost_checked_chat(cost_t *cost)
{
    return cost_verify(cost, ngx_ors_endpoint_chat);
}


/* one that passed up to its last byte was taken: ends are not written here */

static ngx_int_t
cost_verify(cost_t *cost, ngx_ors_endpoint_e endpoint)
{
    ngx_buf_t          b;
    ngx_int_t          rc;
    ngx_str_t          type;
    ngx_ors_out_t      out;
    ngx_ors_verify_t  *verify;
    ngx_ors_answer_t   answer;
    ngx_ors_policy_t   policy;

    memset(&policy, 0, sizeof(ngx_ors_policy_t));
    policy.profile = cost_readings[cost->nvariant];

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

    ngx_str_set(&type, "text/event-stream");
    rc = ngx_ors_verify_header(verify, 200, &type, -1);

    memset(&b, 0, sizeof(ngx_buf_t));
    b.pos = cost->text;
    b.last = b.pos;

    while (rc == NGX_OK && b.last < cost->text + cost->len) {
        b.last = ngx_min(b.pos + COST_PIECE, cost->text + cost->len);

        rc = ngx_ors_answer_data(&answer, &b);

        if (ngx_ors_out_drop(&out) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return (rc == NGX_OK) ? NGX_OK : NGX_DECLINED;
}
