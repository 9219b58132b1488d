
/*
 * Copyright (C) Open Responses contributors
 */


/* Requests as servers with options of their own get them. */


#include <ngx_ors_test.h>
#include <ngx_ors_chat_options.h>
#include <ngx_ors_chat_request.h>
#include <ngx_ors_test_request.h>


#define USER   "'messages':[{'role':'user','content':'u'}]"
#define IMAGE  "{'type':'input_image','image_url':'data:,'}"
#define TEXT(text)  "{'type':'input_text','text':'" text "'}"
#define FILES  "{'type':'input_file','file_data':'data:,'}"
#define LINK(url)                                                             \
    "{'type':'input_file','filename':'f','file_url':'" url "'}"
#define LINKED(url)                                                           \
    "{'type':'file','file':{'filename':'f','file_data':'" url "'}}"
#define VIDEO  "{'type':'input_video','video_url':'http://v'}"
#define SHOWN                                                                 \
    "{'type':'video_url','video_url':{'url':'http://v'}}"
#define GIVES(parts)                                                          \
    ",'input':[{'type':'function_call','call_id':'c','name':'f',"             \
    "'arguments':'{}'},{'type':'function_call_output','call_id':'c',"         \
    "'output':[" parts "]}]"
#define GIVEN(parts)                                                          \
    "'messages':[{'role':'assistant','content':null,'tool_calls':["           \
    "{'id':'c','type':'function','function':{'name':'f',"                     \
    "'arguments':'{}'}}]},{'role':'tool','content':'(attached below)',"       \
    "'tool_call_id':'c'},{'role':'user','content':[" parts "]}]"

/* a function, and what it becomes */

#define SCHEMA  "{'type':'object','properties':{'a':{'type':'string'}}}"
#define STRICT                                                                \
    "{'type':'object','properties':{'a':{'type':['string','null']}},"         \
    "'additionalProperties':false,'required':['a']}"
#define FUNC(name, strict)                                                    \
    "{'type':'function','name':'" name "'," strict "'parameters':" SCHEMA "}"
#define SILENT "{'type':'function_call','call_id':'c','name':'f',"            \
    "'arguments':'{}'}"
#define CALLER(content)                                                       \
    "'messages':[{'role':'assistant'" content ",'tool_calls':[{'id':'c',"     \
    "'type':'function','function':{'name':'f','arguments':'{}'}}]}]"
#define SENT_AS(name, schema, strict)                                         \
    "{'type':'function','function':{'name':'" name "','parameters':" schema   \
    strict "}}"


/*
 * ' is for ", "request" is after model and input, "chat" is the body without
 * the model or, of a refusal, code and param
 */

typedef struct {
    char        *name;
    size_t       option;
    ngx_uint_t   value;
    char        *request;
    char        *chat;
} test_row_t;


static void test_row(test_row_t *row);
static void test_owns(void);
static ngx_int_t test_bit(char *name);
static void test_effort(char *value, char *pointer, char *json);


#define option(name)  offsetof(ngx_ors_chat_options_t, name)

/* by the place in ngx_ors_chat_optionals */

enum {
    bit_metadata = 1,
    bit_seed = 16,
    bit_tier = 32,
    bit_stop = 64,
    bit_user = 256,
    bit_verbosity = 512,
    bit_all = 1023
};


static ngx_array_t  efforts;


static test_row_t  rows[] = {

    /* the name of the limit */

    { "tokens: auto", option(tokens), ngx_ors_chat_tokens_auto,
      ",'max_output_tokens':20", USER ",'max_tokens':20" },

    { "tokens: max_completion_tokens",
      option(tokens), ngx_ors_chat_tokens_completion,
      ",'max_output_tokens':20", USER ",'max_completion_tokens':20" },

    { "tokens: max_tokens", option(tokens), ngx_ors_chat_tokens_max,
      ",'max_output_tokens':20", USER ",'max_tokens':20" },

    /* streams */

    { "stream: on", option(developer), 0, ",'stream':true",
      USER ",'stream':true,'stream_options':{'include_usage':true}" },

    { "stream: on, nobody wants one", option(developer), 0, "", USER },

    { "stream: off", option(stream), ngx_ors_chat_stream_off,
      ",'stream':true", USER },

    { "stream: always", option(stream), ngx_ors_chat_stream_always,
      ",'stream':false",
      USER ",'stream':true,'stream_options':{'include_usage':true}" },

    { "usage: off", option(usage), 0, ",'stream':true",
      USER ",'stream':true" },

    /* roles */

    { "developer: system", option(developer), 0,
      ",'instructions':'i','input':[{'role':'developer','content':'d'},"
      "{'role':'system','content':'s'}]",
      "'messages':[{'role':'system','content':'i'},"
      "{'role':'system','content':'d'},{'role':'system','content':'s'}]" },

    { "developer: developer", option(developer), 1,
      ",'instructions':'i','input':[{'role':'developer','content':'d'},"
      "{'role':'system','content':'s'}]",
      "'messages':[{'role':'developer','content':'i'},"
      "{'role':'developer','content':'d'},{'role':'system','content':'s'}]" },

    { "E13 systems: many", option(systems), 0,
      ",'input':[{'role':'user','content':'u'},"
      "{'role':'system','content':'s'}]",
      "'messages':[{'role':'user','content':'u'},"
      "{'role':'system','content':'s'}]" },

    { "E13 systems: one", option(systems), 1,
      ",'instructions':'i\\n','input':[{'role':'user','content':'u'},"
      "{'role':'developer','content':["
      TEXT("a") "," TEXT("b") "]},"
      "{'role':'user','content':'v'},{'role':'system','content':'s'}]",
      "'messages':[{'role':'system','content':'i\\n\\n\\na\\nb\\n\\ns'},"
      "{'role':'user','content':'u'},{'role':'user','content':'v'}]" },

    { "E13 systems: one, without instructions", option(systems), 1,
      ",'input':[{'role':'user','content':'u'},"
      "{'role':'system','content':'s'}]",
      "'messages':[{'role':'system','content':'s'},"
      "{'role':'user','content':'u'}]" },

    { "E13 systems: one, instructions alone", option(systems), 1,
      ",'instructions':'i'",
      "'messages':[{'role':'system','content':'i'},"
      "{'role':'user','content':'u'}]" },

    { "E13 systems: one, and none at all", option(systems), 1, "", USER },

    { "E13 systems: one, and nothing else", option(systems), 1,
      ",'input':[{'role':'system','content':'s'}]",
      "'messages':[{'role':'system','content':'s'}]" },

    { "E13 systems: one, instructions are no input", option(systems), 1,
      ",'instructions':'i','input':[{'type':'reasoning','id':'r',"
      "'summary':[]}]",
      "!invalid_value input" },

    { "E13 systems: one, between calls", option(systems), 1,
      ",'input':[{'type':'function_call','call_id':'c','name':'f',"
      "'arguments':'{}'},{'role':'system','content':'s'},"
      "{'type':'function_call','call_id':'d','name':'f',"
      "'arguments':'{}'}]",
      "'messages':[{'role':'system','content':'s'},"
      "{'role':'assistant','content':null,'tool_calls':["
      "{'id':'c','type':'function','function':{'name':'f',"
      "'arguments':'{}'}},{'id':'d','type':'function','function':"
      "{'name':'f','arguments':'{}'}}]}]" },

    { "E13 systems: one, with an image", option(systems), 1,
      ",'input':[{'role':'user','content':'u'},"
      "{'role':'system','content':[" IMAGE "]}]",
      "!unsupported_value input[1].content[0]" },

    /* parts */

    { "images and files", option(developer), 0,
      ",'input':[{'role':'user','content':[" IMAGE "," FILES "]}]",
      "'messages':[{'role':'user','content':["
      "{'type':'image_url','image_url':{'url':'data:,'}},"
      "{'type':'file','file':{'file_data':'data:,'}}]}]" },

    { "images: off", option(images), 0,
      ",'input':[{'role':'user','content':[" FILES "," IMAGE "]}]",
      "!unsupported_value input[0].content[1]" },

    { "images: off, in an output", option(images), 0,
      ",'input':[{'type':'function_call','call_id':'c','name':'f',"
      "'arguments':'{}'},{'type':'function_call_output','call_id':'c',"
      "'output':[" IMAGE "]}]",
      "'messages':[{'role':'assistant','content':null,'tool_calls':["
      "{'id':'c','type':'function','function':{'name':'f',"
      "'arguments':'{}'}}]},{'role':'tool','content':'(image not shown)',"
      "'tool_call_id':'c'}]" },

    { "files: off", option(files), 0,
      ",'input':[{'role':'user','content':[" IMAGE "," FILES "]}]",
      "!unsupported_value input[0].content[1]" },

    { "E22 files: off, by an address", option(files), ngx_ors_chat_files_off,
      ",'input':[{'role':'user','content':[" LINK("http://f") "]}]",
      "!unsupported_value input[0].content[0]" },

    { "E22 files: on, by an address", option(files), ngx_ors_chat_files_on,
      ",'input':[{'role':'user','content':[" FILES "," LINK("http://f") "]}]",
      "!invalid_value input[0].content[1]" },

    { "E22 files: on, an address that is data", option(files),
      ngx_ors_chat_files_on, GIVES(LINK("DATA:,") "," LINK("data:x")),
      GIVEN(LINKED("DATA:,") "," LINKED("data:x")) },

    { "E22 files: url", option(files), ngx_ors_chat_files_url,
      ",'input':[{'role':'user','content':[" LINK("http://f") ","
      "{'type':'input_file','file_url':'http://f','file_data':'data:,'}]}]",
      "'messages':[{'role':'user','content':[" LINKED("http://f") ","
      "{'type':'file','file':{'file_data':'data:,'}}]}]" },

    { "E22 files: url, an output", option(files), ngx_ors_chat_files_url,
      GIVES(LINK("http://f")), GIVEN(LINKED("http://f")) },

    { "E20 files: url, with nothing but an id", option(files),
      ngx_ors_chat_files_url,
      ",'input':[{'role':'user','content':["
      "{'type':'input_file','file_id':'x'}]}]",
      "!invalid_value input[0].content[0]" },

    { "videos: off", option(videos), 0, GIVES(IMAGE "," VIDEO),
      "!unsupported_value input[1].output[1]" },

    { "videos: on, in an output", option(videos), 1, GIVES(VIDEO),
      GIVEN(SHOWN) },

    { "videos: on", option(videos), 1,
      ",'input':[{'role':'user','content':[" VIDEO "," IMAGE "]}]",
      "'messages':[{'role':'user','content':[" SHOWN ","
      "{'type':'image_url','image_url':{'url':'data:,'}}]}]" },

    { "videos: on, in a system message", option(videos), 1,
      ",'input':[{'role':'system','content':[" VIDEO "]}]",
      "!invalid_value input[0].content[0].type" },

    /* E29 */

    { "E29 strict: pass", option(strict), ngx_ors_chat_strict_pass,
      ",'tools':[" FUNC("f", "") "," FUNC("g", "'strict':true,") ","
      FUNC("h", "'strict':false,") "]",
      USER ",'tools':[" SENT_AS("f", SCHEMA, "") ","
      SENT_AS("g", SCHEMA, ",'strict':true") ","
      SENT_AS("h", SCHEMA, ",'strict':false") "]" },

    { "E29 strict: on", option(strict), ngx_ors_chat_strict_on,
      ",'tools':[" FUNC("f", "") "," FUNC("g", "'strict':false,") ","
      "{'type':'function','name':'x','strict':null}]",
      USER ",'tools':[" SENT_AS("f", SCHEMA, ",'strict':true") ","
      SENT_AS("g", SCHEMA, ",'strict':false")
      ",{'type':'function','function':{'name':'x','parameters':{'type':"
      "'object','properties':{}},'strict':true}}]" },

    { "E29 strict: schema", option(strict), ngx_ors_chat_strict_schema,
      ",'tools':[" FUNC("f", "") "," FUNC("g", "'strict':true,") ","
      FUNC("h", "'strict':false,") ",{'type':'function','name':'x'}]",
      USER ",'tools':[" SENT_AS("f", STRICT, ",'strict':true") ","
      SENT_AS("g", STRICT, ",'strict':true") ","
      SENT_AS("h", SCHEMA, ",'strict':false")
      ",{'type':'function','function':{'name':'x','parameters':{'type':"
      "'object','properties':{},'additionalProperties':false,'required':[]},"
      "'strict':true}}]" },

    { "E29 strict: schema, where there can be none",
      option(strict), ngx_ors_chat_strict_schema,
      ",'tools':[{'type':'function','name':'f','parameters':{'not':1}},"
      "{'type':'function','name':'g','parameters':{'not':1},'strict':true}]",
      USER ",'tools':[{'type':'function','function':{'name':'f',"
      "'parameters':{'not':1},'strict':false}},{'type':'function',"
      "'function':{'name':'g','parameters':{'not':1},'strict':true}}]" },

    { "E29 strict: false", option(strict), ngx_ors_chat_strict_false,
      ",'tools':[" FUNC("f", "") "," FUNC("g", "'strict':true,") "]",
      USER ",'tools':[" SENT_AS("f", SCHEMA, ",'strict':false") ","
      SENT_AS("g", SCHEMA, ",'strict':false")
      "]" },

    { "E29 strict: off", option(strict), ngx_ors_chat_strict_off,
      ",'tools':[" FUNC("f", "") "," FUNC("g", "'strict':true,") "]",
      USER ",'tools':[" SENT_AS("f", SCHEMA, "") ","
      SENT_AS("g", SCHEMA, "") "]" },

    { "E29 strict: schema, of a format",
      option(strict), ngx_ors_chat_strict_schema,
      ",'text':{'format':{'type':'json_schema','name':'n','strict':true,"
      "'schema':" SCHEMA "}}", USER ",'response_format':{'type':"
      "'json_schema','json_schema':{'name':'n','schema':" STRICT ",'strict':"
      "true}}" },

    { "E29 strict: schema, of a format that is not strict",
      option(strict), ngx_ors_chat_strict_schema,
      ",'text':{'format':{'type':'json_schema','name':'n','schema':" SCHEMA
      "}}", USER ",'response_format':{'type':'json_schema','json_schema':{"
      "'name':'n','schema':" SCHEMA "}}" },

    { "E29 strict: schema, of a format that cannot be",
      option(strict), ngx_ors_chat_strict_schema,
      ",'text':{'format':{'type':'json_schema','strict':true,'schema':{}}}",
      USER ",'response_format':{'type':'json_schema','json_schema':{'name':"
      "'response','schema':{},'strict':true}}" },

    { "E29 strict: on, of a format", option(strict), ngx_ors_chat_strict_on,
      ",'text':{'format':{'type':'json_schema','strict':true,'schema':"
      SCHEMA "}}", USER ",'response_format':{'type':'json_schema',"
      "'json_schema':{'name':'response','schema':" SCHEMA ",'strict':true}}"
    },

    /* a format that is called otherwise */

    { "format: json_object", option(format), 1,
      ",'text':{'format':{'type':'json_schema','name':'n','strict':true,"
      "'schema':" SCHEMA "}}", USER ",'response_format':{'type':"
      "'json_object','schema':" SCHEMA "}" },

    { "format: json_object, without a schema", option(format), 1,
      ",'text':{'format':{'type':'json_object'}}", USER
      ",'response_format':{'type':'json_object'}" },

    /* calls without a text */

    { "content: null", option(content), ngx_ors_chat_content_null,
      ",'input':[" SILENT "]", CALLER(",'content':null") },

    { "content: empty", option(content), ngx_ors_chat_content_empty,
      ",'input':[" SILENT "]", CALLER(",'content':''") },

    { "content: off", option(content), ngx_ors_chat_content_off,
      ",'input':[" SILENT "]", CALLER("") },

    { "content: off, where there is a text",
      option(content), ngx_ors_chat_content_off,
      ",'input':[{'role':'assistant','content':'t'}," SILENT "]",
      CALLER(",'content':'t'") },

    /* optional parameters */

    { "params: none", option(params), 0,
      ",'metadata':{'a':'b'},'user':'x','text':{'verbosity':'low'}", USER },

    { "params: each", option(params), bit_all,
      ",'text':{'verbosity':'low'},'user':'x','store':true,"
      "'service_tier':'flex','safety_identifier':'s',"
      "'prompt_cache_retention':'24h','prompt_cache_key':'k',"
      "'metadata':{'a' : 'b'}",
      USER ",'metadata':{'a' : 'b'},'prompt_cache_key':'k',"
      "'prompt_cache_retention':'24h','safety_identifier':'s',"
      "'service_tier':'flex','store':true,'user':'x','verbosity':'low'" },

    { "params: those of Chat Completions", option(params), bit_all,
      ",'stop':['a' , 'b'],'seed':-7",
      USER ",'seed':-7,'stop':['a' , 'b']" },

    { "params: not those of Chat Completions", option(params), bit_tier,
      ",'stop':'a','seed':7", USER },

    { "params: one", option(params), bit_tier,
      ",'metadata':{'a':'b'},'service_tier':'auto','user':'x'",
      USER ",'service_tier':'auto'" },

    { "params: absent and null", option(params), bit_all,
      ",'metadata':null,'store':null,'text':{'verbosity':null}", USER },

    { "params: no text", option(params), bit_verbosity, ",'text':null",
      USER },

    /* efforts */

    { "effort: as it is", option(params), 0,
      ",'reasoning':{'effort':'none'}", USER ",'reasoning_effort':'none'" },

    { "effort: none of the list", option(efforts), 1,
      ",'reasoning':{'effort':'medium'}",
      USER ",'reasoning_effort':'medium'" },

    { "effort: nothing is sent", option(efforts), 1,
      ",'reasoning':{'effort':'high'}", USER },

    { "effort: another word", option(efforts), 1,
      ",'reasoning':{'effort':'minimal'}", USER ",'reasoning_effort':'low'" },

    { "effort: members", option(efforts), 1,
      ",'reasoning':{'effort':'none'}",
      USER ",'chat_template_kwargs':{'thinking':false,'budget':0},"
      "'think':false" },

    { "effort: an escaped one", option(efforts), 1,
      ",'reasoning':{'effort':'\\u0068igh'}", USER },

    { "effort: null", option(efforts), 1,
      ",'reasoning':{'effort':null}", USER },

    { "effort: not asked for", option(efforts), 1, "", USER }
};


/* unknown fields are passed */

static test_row_t  passed[] = {

    { "a field of an effort is there once", option(efforts), 1,
      ",'think':true,'x':1,'chat_template_kwargs':{},"
      "'reasoning':{'effort':'none'}",
      USER ",'chat_template_kwargs':{'thinking':false,'budget':0},"
      "'think':false,'x':1" },

    { "without that effort it passes", option(efforts), 1,
      ",'think':true,'reasoning':{'effort':'high'}",
      USER ",'think':true" },

    { "verbosity is there once", option(params), bit_verbosity,
      ",'verbosity':'high','text':{'verbosity':'low'}",
      USER ",'verbosity':'low'" },

    { "without the text's it passes", option(params), bit_verbosity,
      ",'verbosity':'high'", USER ",'verbosity':'high'" },

    { "a name that is not known passes once", option(params), bit_user,
      ",'user':'x'", USER ",'user':'x'" },

    { "what is known nowhere passes once", option(params), bit_seed,
      ",'stop':'x','seed':7", USER ",'seed':7,'stop':'x'" }
};


/* items of the input */

#define ITEMS(items)    ",'input':[" items "]"
#define SENT(messages)  "'messages':[" messages "]"

#define THOUGHT(text)                                                         \
    "{'type':'reasoning','id':'rs_1','summary':[],'content':["                \
    "{'type':'reasoning_text','text':'" text "'}]}"
#define SUMMARY(text)                                                         \
    "{'type':'reasoning','summary':[{'type':'summary_text','text':'" text     \
    "'}]}"
#define FOREIGN                                                               \
    "{'type':'reasoning','summary':[],'encrypted_content':'x'}"
#define ANSWER(text)                                                          \
    "{'type':'message','role':'assistant','content':'" text "'}"
#define CALL(id)                                                              \
    "{'type':'function_call','call_id':'" id "','name':'f','arguments':'{}'}"
#define OUTPUT(id)                                                            \
    "{'type':'function_call_output','call_id':'" id "','output':'o'}"
#define ASK  "{'type':'message','role':'user','content':'u'}"

#define CHAT(text, more)                                                      \
    "{'role':'assistant','content':" text more "}"
#define CHAT_CALLS(calls)  ",'tool_calls':[" calls "]"
#define CHAT_CALL(id)                                                         \
    "{'id':'" id "','type':'function','function':{'name':'f','arguments':'{}'}}"
#define CHAT_OUTPUT(id)                                                       \
    "{'role':'tool','content':'o','tool_call_id':'" id "'}"
#define CHAT_ASK  "{'role':'user','content':'u'}"
#define AGAIN(text)  ",'reasoning_content':'" text "'"


static test_row_t  thoughts[] = {

    { "reasoning: off", option(reasoning), ngx_ors_chat_reasoning_off,
      ITEMS(THOUGHT("a") "," ANSWER("t")),
      SENT(CHAT("'t'", "")) },

    { "reasoning: reasoning", option(reasoning), ngx_ors_chat_reasoning_plain,
      ITEMS(THOUGHT("a") "," ANSWER("t")),
      SENT(CHAT("'t'", ",'reasoning':'a'")) },

    { "E4 one turn is one message",
      option(reasoning), ngx_ors_chat_reasoning_content,
      ITEMS(THOUGHT("a") "," ANSWER("t") "," CALL("A") "," OUTPUT("A")),
      SENT(CHAT("'t'", CHAT_CALLS(CHAT_CALL("A")) AGAIN("a")) ","
           CHAT_OUTPUT("A")) },

    { "E4 a turn without a message",
      option(reasoning), ngx_ors_chat_reasoning_content,
      ITEMS(SUMMARY("a") "," CALL("A") "," SUMMARY("b") "," CALL("B") ","
            OUTPUT("A") "," OUTPUT("B")),
      SENT(CHAT("null", CHAT_CALLS(CHAT_CALL("A") "," CHAT_CALL("B"))
                        AGAIN("a\\nb")) ","
           CHAT_OUTPUT("A") "," CHAT_OUTPUT("B")) },

    { "E4 two turns", option(reasoning), ngx_ors_chat_reasoning_content,
      ITEMS(THOUGHT("a") "," CALL("A") "," OUTPUT("A") "," THOUGHT("b") ","
            ANSWER("t")),
      SENT(CHAT("null", CHAT_CALLS(CHAT_CALL("A")) AGAIN("a")) ","
           CHAT_OUTPUT("A") "," CHAT("'t'", AGAIN("b"))) },

    { "E4 two messages", option(reasoning), ngx_ors_chat_reasoning_content,
      ITEMS(THOUGHT("a") "," ANSWER("s") "," THOUGHT("b") "," ANSWER("t")),
      SENT(CHAT("'s'", AGAIN("a")) "," CHAT("'t'", AGAIN("b"))) },

    { "E4 not that of a later turn",
      option(reasoning), ngx_ors_chat_reasoning_content,
      ITEMS(THOUGHT("a") "," ASK "," ANSWER("t") "," THOUGHT("b")),
      SENT(CHAT_ASK "," CHAT("'t'", "")) },

    { "E3, E4 an output after a question",
      option(reasoning), ngx_ors_chat_reasoning_content,
      ITEMS(THOUGHT("a") "," CALL("A") "," THOUGHT("b") "," ASK "," OUTPUT("A")
            "," THOUGHT("c") "," ANSWER("t")),
      SENT(CHAT("null", CHAT_CALLS(CHAT_CALL("A")) AGAIN("a")) ","
           CHAT_OUTPUT("A") "," CHAT_ASK "," CHAT("'t'", AGAIN("c"))) },

    { "E5 encrypted content", option(reasoning), ngx_ors_chat_reasoning_content,
      ITEMS(FOREIGN "," ANSWER("t") "," FOREIGN "," CALL("A") "," OUTPUT("A")),
      SENT(CHAT("'t'", CHAT_CALLS(CHAT_CALL("A"))) "," CHAT_OUTPUT("A")) },

    { "E5 an empty text", option(reasoning), ngx_ors_chat_reasoning_content,
      ITEMS(SUMMARY("") "," THOUGHT("") "," ANSWER("t")),
      SENT(CHAT("'t'", "")) },

    { "E6 two in order", option(reasoning), ngx_ors_chat_reasoning_content,
      ITEMS(THOUGHT("a") "," FOREIGN "," SUMMARY("b") "," ANSWER("t")),
      SENT(CHAT("'t'", AGAIN("a\\nb"))) },

    { "E6 equal ones", option(reasoning), ngx_ors_chat_reasoning_content,
      ITEMS(THOUGHT("a") "," SUMMARY("a") "," THOUGHT("a\\u00e9") ","
            ANSWER("t")),
      SENT(CHAT("'t'", AGAIN("a\\na\\u00e9"))) },

    { "E6 parts", option(reasoning), ngx_ors_chat_reasoning_content,
      ITEMS("{'type':'reasoning','summary':["
            "{'type':'summary_text','text':'s'}],"
            "'content':[{'type':'reasoning_text','text':'a'},"
            "{'type':'reasoning_text','text':'b'}]},"
            "{'type':'reasoning','content':null,'summary':["
            "{'type':'summary_text','text':'a'},"
            "{'type':'summary_text','text':'b'}]},"
            "{'type':'reasoning','content':[],'summary':["
            "{'type':'summary_text','text':'a'},"
            "{'type':'summary_text','text':'c'}]}," ANSWER("t")),
      SENT(CHAT("'t'", AGAIN("a\\nb\\na\\nc"))) }
};


/* unknown fields are taken out */

static test_row_t  stripped[] = {

    { "a name that is not known is taken out", option(params), bit_all,
      ",'user':'x','store':true", USER ",'store':true" },

    { "what is known nowhere is taken out", option(params), bit_all,
      ",'seed':7,'store':true", USER ",'store':true" }
};


int
main(void)
{
    ngx_uint_t   i;
    ngx_pool_t  *pool;

    pool = ngx_ors_test_pool();

    ngx_array_init(&efforts, pool, 4, sizeof(ngx_ors_chat_effort_t));

    test_effort("high", NULL, NULL);
    test_effort("minimal", "/reasoning_effort", "\"low\"");
    test_effort("none", "/chat_template_kwargs/thinking", "false");
    test_effort("none", "/think", "false");
    test_effort("none", "/chat_template_kwargs/budget", "0");

    is_int(test_bit("metadata"), bit_metadata, "bit of metadata");
    is_int(test_bit("seed"), bit_seed, "bit of seed");
    is_int(test_bit("service_tier"), bit_tier, "bit of service_tier");
    is_int(test_bit("stop"), bit_stop, "bit of stop");
    is_int(test_bit("user"), bit_user, "bit of user");
    is_int(test_bit("verbosity"), bit_verbosity, "bit of verbosity");

    ngx_ors_test_policy.profile = NGX_ORS_TOLERANT_OPENAI;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        test_row(&rows[i]);
    }

    ngx_ors_test_policy.profile = NGX_ORS_STRICT_SPEC;
    ngx_ors_test_policy.unknown = ngx_ors_unknown_pass;

    for (i = 0; i < sizeof(passed) / sizeof(passed[0]); i++) {
        test_row(&passed[i]);
    }

    ngx_ors_test_policy.unknown = ngx_ors_unknown_strip;

    for (i = 0; i < sizeof(stripped) / sizeof(stripped[0]); i++) {
        test_row(&stripped[i]);
    }

    ngx_ors_test_policy.profile = NGX_ORS_STRICT_OPENAI;

    for (i = 0; i < sizeof(thoughts) / sizeof(thoughts[0]); i++) {
        test_row(&thoughts[i]);
    }

    test_owns();

    ngx_destroy_pool(pool);

    return done_testing();
}


static void
test_row(test_row_t *row)
{
    u_char                  expected[2048];
    ngx_int_t               rc;
    ngx_str_t               body, got;
    ngx_pool_t             *pool;
    ngx_chain_t            *chain;
    ngx_ors_out_t           out;
    ngx_ors_error_t         err;
    ngx_ors_limits_t        limits = limits_default();
    ngx_ors_request_t       req;
    ngx_ors_chat_options_t  options;
    ngx_ors_chat_tools_t    tools;
    ngx_ors_chat_target_t   target;

    pool = ngx_ors_test_pool();

    ngx_memzero(&err, sizeof(ngx_ors_error_t));
    ngx_memzero(&tools, sizeof(ngx_ors_chat_tools_t));

    options = ngx_ors_chat_options;

    if (row->option == option(efforts)) {
        options.efforts = &efforts;

    } else {
        *(ngx_uint_t *) ((u_char *) &options + row->option) = row->value;
    }

    body.data = ngx_pnalloc(pool, 1024);
    body.len = ngx_sprintf(body.data, "{'model':'%s'%s%s}%Z",
                           row->value == ngx_ors_chat_tokens_max
                           && row->option == option(tokens) ? "gpt-5" : "m",
                           ngx_strstr(row->request, "'input'")
                           ? "" : ",'input':'u'",
                           row->request)
               - body.data - 1;
    ngx_ors_test_quotes(body.data, body.data, ngx_strlen(body.data));

    rc = ngx_ors_test_request(&req, &body, &limits, pool, &err);

    ngx_ors_out_init(&out, pool, 512);

    if (rc == NGX_OK) {
        ngx_memzero(&target, sizeof(ngx_ors_chat_target_t));
        target.model = &req.model;
        target.options = &options;
        target.sealer = NULL;

        rc = ngx_ors_chat_request(&req, &target, &tools, &out, &err);
    }

    if (rc == NGX_DECLINED) {
        got.data = ngx_pnalloc(pool, 256);
        got.len = ngx_sprintf(got.data, "!%V %V", &err.code, &err.param)
                  - got.data;

        is_str(&got, row->chat, "%s", row->name);

    } else {
        ngx_ors_out_take(&out, &chain);

        ngx_sprintf(expected, "{'model':'%V',%s}%Z", &req.model, row->chat);
        ngx_ors_test_quotes(expected, expected, ngx_strlen(expected));

        is_chain(chain, (char *) expected, "%s", row->name);
    }

    ngx_destroy_pool(pool);
}


static void
test_owns(void)
{
    ngx_str_t  name;

    ngx_str_set(&name, "model");
    is_int(ngx_ors_chat_field(&name, NGX_ORS_CHAT_FIELD_OWN), 1,
           "a field that is always there");

    ngx_str_set(&name, "verbosity");
    is_int(ngx_ors_chat_field(&name, NGX_ORS_CHAT_FIELD_OWN), 1,
           "one that may be");

    ngx_str_set(&name, "reasoning_effort");
    is_int(ngx_ors_chat_field(&name, NGX_ORS_CHAT_FIELD_OWN), 0,
           "what an effort is for");

    ngx_str_set(&name, "mode");
    is_int(ngx_ors_chat_field(&name, NGX_ORS_CHAT_FIELD_OWN), 0,
           "a part of a name");
}


static ngx_int_t
test_bit(char *name)
{
    ngx_uint_t  i;

    for (i = 0; ngx_ors_chat_optionals[i].len; i++) {

        if (ngx_strcmp(ngx_ors_chat_optionals[i].data, name) == 0) {
            return 1 << i;
        }
    }

    return 0;
}


static void
test_effort(char *value, char *pointer, char *json)
{
    ngx_str_t               p, text;
    ngx_uint_t              i;
    ngx_ors_chat_effort_t  *effort;

    effort = efforts.elts;

    for (i = 0; i < efforts.nelts; i++) {

        if (ngx_strcmp(effort[i].value.data, value) == 0) {
            break;
        }
    }

    if (i == efforts.nelts) {
        effort = ngx_array_push(&efforts);
        i = 0;

        ngx_memzero(effort, sizeof(ngx_ors_chat_effort_t));
        effort->value.data = (u_char *) value;
        effort->value.len = ngx_strlen(value);
    }

    if (pointer == NULL) {
        return;
    }

    p.data = (u_char *) pointer;
    p.len = ngx_strlen(pointer);

    text.data = (u_char *) json;
    text.len = ngx_strlen(json);

    is_int(ngx_ors_pointer_add(&effort[i].members, &p, &text, efforts.pool,
                               NULL),
           NGX_OK, "effort %s, %s", value, pointer);
}
