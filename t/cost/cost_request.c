
/*
 * Copyright (C) Open Responses contributors
 */


/* Requests: read and checked, translated for a chat server or sent on. */


#include <ngx_ors_turn.h>
#include <valgrind/callgrind.h>

#include "cost.h"


typedef struct {
    ngx_uint_t           profile;
    ngx_ors_unknown_e    unknown;
    ngx_ors_dialect_e    dialect;
    ngx_uint_t           schema;      /* a chat server with strict schemas */
} cost_way_t;


static ngx_int_t cost_responses(cost_t *cost);
static ngx_int_t cost_compact(cost_t *cost);
static ngx_int_t cost_chat(cost_t *cost);
static ngx_int_t cost_embeddings(cost_t *cost);
static ngx_int_t cost_request(cost_t *cost, ngx_ors_endpoint_e endpoint);
static ngx_int_t cost_mcp(cost_t *cost);
static ngx_ors_mcp_list_t *cost_mcp_list(cost_t *cost);


static const char  *cost_names[] = {
    "spec, strip", "spec, reject, passed on", "openai, pass, schema",
    "openai, strip, passed on", "tolerant openai, strip, schema", NULL
};

static const cost_way_t  cost_ways[] = {
    { NGX_ORS_STRICT_SPEC, ngx_ors_unknown_strip, ngx_ors_dialect_chat, 0 },
    { NGX_ORS_STRICT_SPEC, ngx_ors_unknown_reject, ngx_ors_dialect_responses,
      0 },
    { NGX_ORS_STRICT_OPENAI, ngx_ors_unknown_pass, ngx_ors_dialect_chat, 1 },
    { NGX_ORS_STRICT_OPENAI, ngx_ors_unknown_strip, ngx_ors_dialect_responses,
      0 },
    { NGX_ORS_TOLERANT_OPENAI, ngx_ors_unknown_strip, ngx_ors_dialect_chat,
      1 }
};

/* endpoints whose requests are only passed on */

static const char  *cost_mcp_names[] = { "tolerant openai, chat", NULL };

static const char  *cost_plain_names[] = { "spec, strip", "openai", NULL };

static const ngx_uint_t  cost_plain[] = { 0, 2 };


#define TEXT                                                                  \
    "Please look at the parser in src/json, find out why a list of numbers "  \
    "takes so long to be read, and write a test that shows it. Then mend it "\
    "in the way that the rest of the file is written, and say what you did."

#define IN(unit)        "{'model':'m','input':[", unit, "]}"
#define HI              "{'model':'m','input':'hi'"
#define TOP(unit)       HI, unit, "}"
#define ONE(unit)                                                             \
    "{'model':'m','input':[{'type':'message','role':'user','content':[",      \
    unit, "]}]}"
#define SAID(unit)                                                            \
    "{'model':'m','input':[{'type':'message','id':'msg_1','role':"            \
    "'assistant','status':'completed','content':[", unit, "]}]}"
#define TOOLS(unit)     "{'model':'m','input':'hi','tools':[", unit, "]}"
#define SCHEMA                                                                \
    "{'model':'m','input':'hi','tools':[{'type':'function','name':'f',"       \
    "'strict':true,'parameters':{'type':'object',"
#define X(unit)         "{'model':'m','input':'hi','x':[", unit, "]}"
#define WORDS(unit)     "{'model':'m','input':'", unit, "'}"

#define USER(text)      "{'type':'message','role':'user','content':" text "}"
#define CALL(id, args)                                                        \
    "{'type':'function_call','call_id':'" id "','name':'f','arguments':'"     \
    args "'}"
#define OUTPUT(id, text)                                                      \
    "{'type':'function_call_output','call_id':'" id "','output':" text "}"
#define FUNCTION(name)                                                        \
    "{'type':'function','name':'" name "','parameters':{'type':'object',"     \
    "'properties':{'path':{'type':'string'}},'required':['path']}}"

#define DEEP                                                                  \
    "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["                \
    "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]"


static const cost_row_t  cost_responses_rows[] = {

    { "typical", 40,
      "{'model':'m','instructions':'" TEXT TEXT "','tools':["
      FUNCTION("read_file") "," FUNCTION("write_file") "],'input':[",
      "," USER("'" TEXT "'")
      ",{'type':'function_call','call_id':'call_#','name':'read_file',"
      "'arguments':'{\\'path\\':\\'src/json/reader.c\\'}'}"
      "," OUTPUT("call_#", "'" TEXT TEXT "'")
      ",{'type':'message','role':'assistant','content':[{'type':"
      "'output_text','text':'" TEXT "'}]}", "]}" },

    /* items */

    { "messages", 400, IN(",{'role':'user','content':'a'}") },
    { "empty messages", 400, IN(",{'role':'user','content':[]}") },
    { "messages of all roles", 200,
      IN(",{'role':'system','content':'a'},{'role':'user','content':'a'},"
         "{'role':'developer','content':'a'}") },
    { "messages with a part", 300,
      IN("," USER("[{'type':'input_text','text':'a'}]")) },
    { "parts", 400, ONE(",{'type':'input_text','text':'a'}") },
    { "images", 300,
      ONE(",{'type':'input_image','image_url':'http://a/#'}") },
    { "files", 300,
      ONE(",{'type':'input_file','filename':'a','file_data':"
          "'data:text/plain;base64,YQ=='}") },
    { "answers", 200,
      IN(",{'type':'message','role':'assistant','content':'a'}") },
    { "parts of an answer", 300,
      SAID(",{'type':'output_text','text':'a','annotations':[]}") },
    { "refusals and texts", 200,
      SAID(",{'type':'output_text','text':'a','annotations':[]},"
           "{'type':'refusal','refusal':'b'}") },
    { "annotations", 300,
      "{'model':'m','input':[{'type':'message','id':'msg_1','role':"
      "'assistant','status':'completed','content':[{'type':'output_text',"
      "'text':'a','annotations':[",
      ",{'type':'url_citation','url':'u','title':'t','start_index':0,"
      "'end_index':1}", "]}]}]}" },
    { "answers with tags of thoughts", 200,
      IN(",{'type':'message','role':'assistant','content':'<think>a</think>"
         "b<think>'}") },

    /* calls */

    { "calls and outputs", 200, IN("," CALL("c#", "{}") ","
                                   OUTPUT("c#", "'a'")) },
    { "all calls, all outputs", 200,
      "{'model':'m','input':[", "," CALL("c#", "{}"), "]}", "",
      "," OUTPUT("c#", "'a'") },
    { "all calls, their outputs reversed", 200,
      "{'model':'m','input':[", "," CALL("c#", "{}"), "]}", "",
      "," OUTPUT("c@", "'a'") },
    { "outputs before their calls", 200,
      "{'model':'m','input':[", "," OUTPUT("c#", "'a'"), "]}", "",
      "," CALL("c@", "{}") },
    { "ids of calls that meet in a hash", 800,
      "{'model':'m','input':[", "," CALL("callid~", "{}"), "]}", "",
      "," OUTPUT("callid~", "'a'") },
    { "calls with escaped ids", 200,
      "{'model':'m','input':[", "," CALL("\\u0063#", "{}"), "]}", "",
      "," OUTPUT("c@", "'a'") },
    { "calls without outputs", 300, IN("," CALL("c#", "{}")) },
    { "outputs without calls", 300, IN("," OUTPUT("c#", "'a'")) },
    { "calls with one id", 300, IN("," CALL("c", "{}")) },
    { "outputs of one call", 300,
      IN("," OUTPUT("c", "'a'")) },
    { "outputs with parts", 200,
      IN("," CALL("c#", "{}") ","
         OUTPUT("c#", "[{'type':'input_text','text':'a'},"
                      "{'type':'input_text','text':'b'}]")) },
    { "parts of an output", 300,
      "{'model':'m','input':[" CALL("c", "{}")
      ",{'type':'function_call_output','call_id':'c','output':[",
      ",{'type':'input_text','text':'a'}", "]}]}" },
    { "images of an output", 300,
      "{'model':'m','input':[" CALL("c", "{}")
      ",{'type':'function_call_output','call_id':'c','output':[",
      ",{'type':'input_image','image_url':'http://a/#'}", "]}]}" },
    { "arguments with escapes", 1000,
      "{'model':'m','input':[{'type':'function_call','call_id':'c','name':"
      "'f','arguments':'{\\'a\\':[", ",\\'\\\\n\\'", "]}'}]}" },
    { "calls of custom tools", 200,
      IN(",{'type':'custom_tool_call','call_id':'c#','name':'p','input':"
         "'a\\n'},{'type':'custom_tool_call_output','call_id':'c#',"
         "'output':'b'}") },
    { "input of a custom tool with escapes", 2000,
      "{'model':'m','input':[{'type':'custom_tool_call','call_id':'c',"
      "'name':'p','input':'", "\\'\\\\", "'}]}" },
    { "searches of tools", 200,
      IN(",{'type':'tool_search_call','call_id':'c#','execution':'client',"
         "'arguments':{}},{'type':'tool_search_output','call_id':'c#',"
         "'execution':'client','tools':[]}") },
    { "tools that were found", 200,
      "{'model':'m','input':[{'type':'tool_search_call','call_id':'c',"
      "'execution':'client','arguments':{}},{'type':'tool_search_output',"
      "'call_id':'c','execution':'client','tools':[",
      ",{'type':'function','name':'f#','parameters':{}}", "]}]}" },
    { "shell calls", 200,
      IN(",{'type':'local_shell_call','id':'i#','call_id':'c#','status':"
         "'completed','action':{'type':'exec','command':[],'env':{}}},"
         "{'type':'local_shell_call_output','id':'i#','output':'a'}") },

    /* reasoning */

    { "reasoning", 300,
      IN(",{'type':'reasoning','id':'r#','summary':[]}") },
    { "reasoning with a summary", 200,
      IN(",{'type':'reasoning','id':'r#','summary':[{'type':"
         "'summary_text','text':'a'}]}") },
    { "parts of a summary", 300,
      "{'model':'m','input':[{'type':'reasoning','id':'r','summary':[",
      ",{'type':'summary_text','text':'a'}", "]}]}" },
    { "reasoning and calls", 200,
      IN(",{'type':'reasoning','id':'r#','summary':[]}," CALL("c#", "{}")
         "," OUTPUT("c#", "'a'")) },
    { "reasoning, then outputs", 200,
      "{'model':'m','input':[",
      ",{'type':'reasoning','id':'r#','summary':[],'content':[{'type':"
      "'reasoning_text','text':'a'}]}", "]}", "",
      "," OUTPUT("c#", "'a'") },
    { "reasoning of others", 200,
      IN(",{'type':'reasoning','id':'r#','summary':[],'encrypted_content':"
         "'gAAAAABo'}") },
    { "references", 400, IN(",{'type':'item_reference','id':'msg_#'}") },
    { "items of an extension", 300,
      IN(",{'type':'acme:x','id':'#','status':'completed'}") },

    /* keys */

    { "unknown keys", 1000, TOP(",'x#':1") },
    { "unknown keys of one letter", 1500, TOP(",'x':1") },
    { "unknown keys without a name", 1500, TOP(",'':1"), .more = 20 },
    { "unknown keys that are escaped", 600, TOP(",'\\u0078#':1") },
    { "unknown keys of the length of known ones", 600,
      TOP(",'inpuX':1,'modeX':2,'toolX':3") },
    { "unknown keys in items", 200,
      IN(",{'role':'user','content':'a','x':1,'y':2,'z':3}") },
    { "keys that some servers take", 300, TOP(",'seed':1") },
    { "keys and items", 200, "{'model':'m','input':[",
      ",{'type':'message','role':'user','content':'a'}", "}", "]",
      ",'x#':1" },
    { "members for the server", 64, HI ",'params':{", ",'x#':1", "}}" },
    { "known keys that are escaped", 300,
      IN(",{'\\u0072ole':'user','content':'a','t\\u0079pe':'message'}") },
    { "objects with many unknown keys", 1000,
      "{'model':'m','input':[{'role':'user','content':'a'", ",'x#':[]",
      "}]}" },
    { "null instead of values", 300,
      IN(",{'role':'user','content':'a','status':null,'id':null}") },

    /* values */

    { "numbers", 2000, X(",1") },
    { "long numbers", 500, X(",1234567890.123456789e-10") },
    { "true", 1500, X(",true") },
    { "empty strings", 1500, X(",''") },
    { "empty lists", 1500, X(",[]") },
    { "empty objects", 1500, X(",{}") },
    { "deep lists", 40, X("," DEEP) },
    { "deep objects", 40,
      X(",{'a':{'a':{'a':{'a':{'a':{'a':{'a':{'a':{'a':{'a':{'a':{'a':"
        "{}}}}}}}}}}}}}") },
    { "white space", 2000, "{'model':'m','input':'hi'", " \n\t ", "}" },
    { "include", 400,
      HI ",'include':[", ",'reasoning.encrypted_content'", "]}" },

    /* texts */

    { "a text", 200, WORDS(TEXT) },
    { "a text with \\u", 1500, WORDS("\\u00e9") },
    { "a text with pairs of \\u", 1000, WORDS("\\ud83d\\ude00") },
    { "a text with \\n", 3000, WORDS("\\n") },
    { "a text with quotes", 3000, WORDS("\\'") },
    { "a text of CJK", 2000, WORDS("\xe6\xbc\xa2\xe5\xad\x97") },
    { "a text of letters and others", 2000, WORDS("a\xc3\xa9") },

    /* tools */

    { "tools", 200, TOOLS("," FUNCTION("f#")) },
    { "tools without parameters", 250,
      TOOLS(",{'type':'function','name':'f#'}") },
    { "tools whose names meet in a hash", 250,
      TOOLS(",{'type':'function','name':'nameof~'}") },
    { "tools with one name", 250,
      TOOLS(",{'type':'function','name':'f'}") },
    { "tools with long names", 200,
      TOOLS(",{'type':'function','name':'abcdefghijklmnopqrstuvwxyz0123456789"
            "abcdefghijklmnopqrst#'}") },
    { "custom tools", 200, TOOLS(",{'type':'custom','name':'p#'}") },
    { "hosted tools", 250, TOOLS(",{'type':'web_search'}") },
    { "servers of tools", 200,
      TOOLS(",{'type':'mcp','server_label':'s#','server_url':'http://a/'}") },
    { "tools in a namespace", 200,
      "{'model':'m','input':'hi','tools':[{'type':'namespace','name':'n',"
      "'description':'d','tools':[",
      ",{'type':'function','name':'f#','parameters':{}}", "]}]}" },
    { "namespaces", 100,
      TOOLS(",{'type':'namespace','name':'n#','description':'d','tools':["
            "{'type':'function','name':'f','parameters':{}}]}") },
    { "tools that are allowed", 32,
      "{'model':'m','input':'hi','tools':[",
      ",{'type':'function','name':'f#','parameters':{}}", "]}}",
      "],'tool_choice':{'type':'allowed_tools','mode':'auto','tools':[",
      ",{'type':'function','name':'f@'}" },
    { "tools that are called by many", 200,
      "{'model':'m','tools':[",
      ",{'type':'function','name':'f#','parameters':{}}", "]}",
      "],'input':[", ",{'type':'function_call','call_id':'c#','name':'f@',"
      "'arguments':'{}'}" },

    /* schemas */

    { "properties", 300,
      SCHEMA "'properties':{", ",'p#':{}", "}}}]}" },
    { "properties, all required", 300,
      SCHEMA "'properties':{", ",'p#':{}", "]}}]}", "},'required':[",
      ",'p#'" },
    { "properties, required the other way", 300,
      SCHEMA "'properties':{", ",'p#':{}", "]}}]}", "},'required':[",
      ",'p@'" },
    { "required, without properties", 300,
      SCHEMA "'required':[", ",'p#'", "]}}]}" },
    { "a choice of schemas", 300,
      SCHEMA "'anyOf':[", ",{'type':'object'}", "]}}]}" },
    { "a chain of choices", 40,
      SCHEMA "'properties':{", ",'p#':{'anyOf':[{'anyOf':[{'anyOf':[{"
      "'anyOf':[{'anyOf':[{'anyOf':[{'type':'object','properties':{}}]}]}]}"
      "]}]}]}", "}}}]}" },
    { "definitions", 300,
      SCHEMA "'$defs':{", ",'d#':{'type':'object','properties':{}}",
      "}}}]}" },
    { "enumerations", 800, SCHEMA "'enum':[", ",'e#'", "]}}]}" },
    { "a format with properties", 300,
      "{'model':'m','input':'hi','text':{'format':{'type':'json_schema',"
      "'name':'s','schema':{'type':'object','properties':{",
      ",'p#':{'type':'string'}", "}}}}}" },

    { NULL }
};


static const cost_row_t  cost_compact_rows[] = {

    { "typical", 40, "{'model':'m','instructions':'" TEXT "','input':[",
      "," USER("'" TEXT "'") "," CALL("c#", "{}") ","
      OUTPUT("c#", "'" TEXT TEXT "'"), "]}" },

    { "messages", 400, IN(",{'role':'user','content':'a'}") },
    { "parts", 400, ONE(",{'type':'input_text','text':'a'}") },
    { "all calls, their outputs reversed", 200,
      "{'model':'m','input':[", "," CALL("c#", "{}"), "]}", "",
      "," OUTPUT("c@", "'a'") },
    { "reasoning", 300,
      IN(",{'type':'reasoning','id':'r#','summary':[]}") },
    { "unknown keys", 1000, TOP(",'x#':1") },
    { "unknown keys that are escaped", 600, TOP(",'\\u0078#':1") },
    { "numbers", 2000, X(",1") },
    { "deep lists", 40, X("," DEEP) },
    { "a text with \\u", 1500, WORDS("\\u00e9") },

    { NULL }
};


#define MESSAGES(unit)  "{'model':'m','messages':[", unit, "]}"
#define HEY                                                                   \
    "{'model':'m','messages':[{'role':'user','content':'a'}]"
#define ASK(unit)       HEY, unit, "}"

static const cost_row_t  cost_chat_rows[] = {

    { "typical", 40, "{'model':'m','messages':[{'role':'system','content':'"
      TEXT TEXT "'}", ",{'role':'user','content':'" TEXT "'},"
      "{'role':'assistant','content':null,'tool_calls':[{'id':'c#','type':"
      "'function','function':{'name':'f','arguments':'{}'}}]},"
      "{'role':'tool','tool_call_id':'c#','content':'" TEXT TEXT "'}",
      "]}" },

    { "messages", 400, MESSAGES(",{'role':'user','content':'a'}") },
    { "messages of all roles", 200,
      MESSAGES(",{'role':'system','content':'a'},{'role':'user','content':"
               "'a'},{'role':'assistant','content':'a'}") },
    { "parts", 400,
      "{'model':'m','messages':[{'role':'user','content':[",
      ",{'type':'text','text':'a'}", "]}]}" },
    { "images", 300,
      "{'model':'m','messages':[{'role':'user','content':[",
      ",{'type':'image_url','image_url':{'url':'http://a/#'}}", "]}]}" },
    { "calls of a message", 200,
      "{'model':'m','messages':[{'role':'assistant','tool_calls':[",
      ",{'id':'c#','type':'function','function':{'name':'f','arguments':"
      "'{}'}}", "]}]}" },
    { "tools", 200,
      "{'model':'m','messages':[{'role':'user','content':'a'}],'tools':[",
      ",{'type':'function','function':{'name':'f#','parameters':{}}}",
      "]}" },
    { "unknown keys", 1000, ASK(",'x#':1") },
    { "unknown keys that are escaped", 600, ASK(",'\\u0078#':1") },
    { "unknown keys in messages", 200,
      MESSAGES(",{'role':'user','content':'a','x':1,'y':2}") },
    { "known keys that are escaped", 300,
      MESSAGES(",{'\\u0072ole':'user','content':'a'}") },
    { "biases", 600, HEY ",'logit_bias':{", ",'#':1", "}}" },
    { "numbers", 2000, HEY ",'x':[", ",1", "]}" },
    { "deep lists", 40, HEY ",'x':[", "," DEEP, "]}" },
    { "a text with \\u", 1500,
      "{'model':'m','messages':[{'role':'user','content':'", "\\u00e9",
      "'}]}" },

    { NULL }
};


static const cost_row_t  cost_embeddings_rows[] = {

    { "typical", 40, "{'model':'m','input':[",
      ",'how long does it take to read numbers'", "]}" },

    { "texts", 500, "{'model':'m','input':[", ",'a'", "]}" },
    { "tokens", 500, "{'model':'m','input':[", ",#", "]}" },
    { "lists of tokens", 500, "{'model':'m','input':[", ",[1]", "]}" },
    { "unknown keys", 1000, TOP(",'x#':1") },
    { "unknown keys that are escaped", 600, TOP(",'\\u0078#':1") },
    { "numbers", 2000, X(",1") },
    { "deep lists", 40, X("," DEEP) },
    { "a text with \\u", 1500, WORDS("\\u00e9") },

    { NULL }
};


/* the server has a tool for each KB of the request */

#define MCP                                                                   \
    "{'model':'m','tools':[{'type':'mcp','server_label':'d'"
#define ASKS(id)                                                              \
    "{'type':'mcp_approval_request','id':'r" id "','server_label':'d',"       \
    "'name':'t0','arguments':'{}'}"
#define SAYS(id)                                                              \
    "{'type':'mcp_approval_response','approval_request_id':'r" id "',"        \
    "'approve':true}"

static const cost_row_t  cost_mcp_rows[] = {

    { "typical", 40, MCP "}],'input':[", "," USER("'" TEXT "'"), "]}" },

    { "names that are allowed", 400, MCP ",'allowed_tools':[", ",'t@'",
      "]}],'input':'hi'}" },
    { "one name, many times", 400, MCP ",'allowed_tools':[", ",'t0'",
      "]}],'input':'hi'}" },
    { "names without a tool", 400, MCP ",'allowed_tools':[", ",'u#'",
      "]}],'input':'hi'}" },
    { "names of a filter", 400, MCP
      ",'require_approval':{'always':{'tool_names':[", ",'t@'",
      "]}}}],'input':'hi'}" },
    { "names of a choice", 32, MCP "}],'input':'hi','tool_choice':{'type':"
      "'allowed_tools','mode':'auto','tools':[",
      ",{'type':'mcp','server_label':'d','name':'t@'}", "]}}" },
    { "approvals", 100, MCP "}],'input':[", "," ASKS("@") "," SAYS("@"),
      "]}", .more = 20 },
    { "calls", 200, MCP "}],'input':[", ",{'type':'mcp_call','id':'c#',"
      "'server_label':'d','name':'t@','arguments':'{}','output':'a'}", "]}" },

    { NULL }
};


const cost_group_t  cost_requests[] = {
    { "request to responses", cost_responses, cost_names,
      cost_responses_rows },
    { "request to responses/compact", cost_compact, cost_names,
      cost_compact_rows },
    { "request to chat/completions", cost_chat, cost_plain_names,
      cost_chat_rows },
    { "request to embeddings", cost_embeddings, cost_plain_names,
      cost_embeddings_rows },
    { "request with tools of MCP", cost_mcp, cost_mcp_names, cost_mcp_rows },
    { NULL, NULL, NULL, NULL }
};


static ngx_int_t
cost_responses(cost_t *cost)
{
    return cost_request(cost, ngx_ors_endpoint_responses);
}


static ngx_int_t
cost_compact(cost_t *cost)
{
    return cost_request(cost, ngx_ors_endpoint_compact);
}


static ngx_int_t
cost_chat(cost_t *cost)
{
    cost->nvariant = cost_plain[cost->nvariant];

    return cost_request(cost, ngx_ors_endpoint_chat);
}


static ngx_int_t
cost_embeddings(cost_t *cost)
{
    cost->nvariant = cost_plain[cost->nvariant];

    return cost_request(cost, ngx_ors_endpoint_embeddings);
}


static ngx_int_t
cost_request(cost_t *cost, ngx_ors_endpoint_e endpoint)
{
    ngx_int_t               rc;
    ngx_str_t               body, model = ngx_null_string;
    ngx_array_t             keys;
    ngx_ors_out_t           out;
    ngx_ors_turn_t         *turn;
    const cost_way_t       *way;
    ngx_ors_policy_t        policy;
    ngx_ors_sealer_t        sealer;
    ngx_ors_seal_key_t      key;
    ngx_ors_chat_options_t  options;

    way = &cost_ways[cost->nvariant];

    memset(&policy, 0, sizeof(ngx_ors_policy_t));
    policy.profile = way->profile;
    policy.unknown = way->unknown;

    memset(&key, 0, sizeof(ngx_ors_seal_key_t));
    keys.elts = &key;
    keys.nelts = 1;

    memset(&sealer, 0, sizeof(ngx_ors_sealer_t));
    sealer.keys = &keys;

    options = ngx_ors_chat_options;

    if (way->schema) {
        options.strict = ngx_ors_chat_strict_schema;
        options.files = ngx_ors_chat_files_on;
        options.reasoning = ngx_ors_chat_reasoning_content;
        options.params = (ngx_uint_t) -1;
        options.systems = 1;
        options.images = 1;
        options.continues = 1;
    }

    turn = ngx_ors_turn_create(ngx_ors_endpoint(endpoint), &policy,
                               &cost_limits, cost->pool, cost->pool->log);
    if (turn == NULL) {
        return NGX_ERROR;
    }

    turn->sealer = &sealer;

    ngx_ors_out_init(&out, cost->pool, 4096);

    body.data = cost->text;
    body.len = cost->len;

    rc = ngx_ors_turn_request(turn, &body);

    if (rc == NGX_OK) {
        rc = ngx_ors_turn_call(turn, way->dialect, &options, &model, &out);
    }

    if (rc == NGX_DONE) {
        return NGX_DECLINED;
    }

    return (rc == NGX_OK) ? ngx_ors_out_drop(&out) : rc;
}


static ngx_int_t
cost_mcp(cost_t *cost)
{
    ngx_int_t           rc;
    ngx_str_t           body, model = ngx_null_string;
    ngx_array_t         servers;
    ngx_ors_out_t       out;
    ngx_ors_turn_t     *turn;
    ngx_ors_policy_t    policy;
    ngx_ors_limits_t    limits;
    ngx_ors_hosting_t   hosting;
    ngx_ors_mcp_conf_t  conf;

    memset(&conf, 0, sizeof(ngx_ors_mcp_conf_t));
    ngx_str_set(&conf.label, "d");
    ngx_str_set(&conf.prefix, "d");
    conf.allowed.all = 1;

    servers.elts = &conf;
    servers.nelts = 1;

    memset(&hosting, 0, sizeof(ngx_ors_hosting_t));
    hosting.servers = &servers;
    hosting.max_calls = 32;
    hosting.max_rounds = 10;

    memset(&policy, 0, sizeof(ngx_ors_policy_t));
    policy.profile = NGX_ORS_TOLERANT_OPENAI;
    policy.unknown = ngx_ors_unknown_strip;

    limits = cost_limits;
    limits.tools = 65536;

    turn = ngx_ors_turn_create(ngx_ors_endpoint(ngx_ors_endpoint_responses),
                               &policy, &limits, cost->pool, cost->pool->log);
    if (turn == NULL) {
        return NGX_ERROR;
    }

    turn->round.hosting = &hosting;

    ngx_ors_out_init(&out, cost->pool, 4096);

    body.data = cost->text;
    body.len = cost->len;

    rc = ngx_ors_turn_request(turn, &body);

    if (rc == NGX_OK) {
        rc = ngx_ors_turn_servers(turn, ngx_ors_dialect_chat);
    }

    if (rc == NGX_AGAIN
        && ngx_ors_mcp_uses_listed(&turn->mcp, turn->mcp.elts, &turn->builder,
                                   cost_mcp_list(cost))
           == NGX_OK)
    {
        rc = ngx_ors_turn_servers(turn, ngx_ors_dialect_chat);
    }

    if (rc == NGX_OK) {
        rc = ngx_ors_turn_call(turn, ngx_ors_dialect_chat,
                               &ngx_ors_chat_options, &model, &out);
    }

    if (rc == NGX_DONE) {
        return (turn->state == ngx_ors_turn_st_tools) ? NGX_OK : NGX_DECLINED;
    }

    return (rc == NGX_OK) ? ngx_ors_out_drop(&out) : rc;
}


/* ... which is somebody else's */

static ngx_ors_mcp_list_t *
cost_mcp_list(cost_t *cost)
{
    ngx_uint_t           i, n;
    ngx_ors_mcp_list_t  *list;
    ngx_ors_mcp_tool_t  *tool;

    CALLGRIND_TOGGLE_COLLECT;

    n = cost->len / 1024 + 1;

    list = ngx_pcalloc(cost->pool, sizeof(ngx_ors_mcp_list_t));

    (void) ngx_array_init(&list->tools, cost->pool, n,
                          sizeof(ngx_ors_mcp_tool_t));

    for (i = 0; i < n; i++) {
        tool = ngx_array_push(&list->tools);
        memset(tool, 0, sizeof(ngx_ors_mcp_tool_t));

        tool->name.data = ngx_pnalloc(cost->pool, NGX_INT_T_LEN + 1);
        tool->name.len = ngx_sprintf(tool->name.data, "t%ui", i)
                         - tool->name.data;
        ngx_str_set(&tool->schema, "{}");
    }

    CALLGRIND_TOGGLE_COLLECT;

    return list;
}
