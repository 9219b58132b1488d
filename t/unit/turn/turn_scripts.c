
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Answers of model servers that several tests of the turn run.
 */


#include "turn_scripts.h"


#define SSE     200, "text/event-stream"
#define JSON    200, "application/json"

#define SPACES  "                                        "

#define ID_64                                                                 \
    "call_aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"


script_t  scripts[] = {

    /* text */

    { "text", SSE,
      DATA("{'id':'c','object':'chat.completion.chunk','created':1,"
           "'model':'x','choices':[{'index':0,'delta':{'role':'assistant',"
           "'content':''},'logprobs':null,'finish_reason':null}]}")
      TEXT("Hel") TEXT("lo") FINISH("stop") USAGE DONE,
      "completed | message text(Hello) | usage 1+2=3", NULL },

    { "E38 only a role", SSE,
      DELTA("'role':'assistant','content':''")
      DELTA("'role':'assistant','content':null") FINISH("stop") DONE,
      "completed | message text() | usage 0+0=0", NULL },

    { "E39 usage after the finish reason", SSE,
      TEXT("a") FINISH("stop")
      DATA("{'choices':[],'usage':{'prompt_tokens':8,'completion_tokens':9,"
           "'total_tokens':17,'prompt_tokens_details':{'cached_tokens':5},"
           "'completion_tokens_details':{'reasoning_tokens':4}}}") DONE,
      "completed | message text(a) | usage 8(5)+9(4)=17", NULL },

    { "E40 usage in every chunk", SSE,
      DATA("{'choices':[{'delta':{'content':'a'}}],'usage':null}")
      DATA("{'choices':[{'delta':{'content':'b'}}],"
           "'usage':{'prompt_tokens':4,'completion_tokens':1}}")
      DATA("{'choices':[{'delta':{'content':'c'}}],"
           "'usage':{'prompt_tokens':4,'completion_tokens':3}}")
      DATA("{'choices':[{'delta':{},'finish_reason':'stop'}],'usage':null}")
      DONE,
      "completed | message text(abc) | usage 4+3=7", NULL },

    { "E41 two ids and models", SSE,
      DATA("{'id':'a','model':'x','choices':[{'delta':{'content':'a'}}]}")
      DATA("{'id':'b','model':'y','choices':[{'delta':{'content':'b'}}]}")
      FINISH("stop") DONE,
      "completed | message text(ab) | usage 0+0=0", NULL },

    { "escapes stay", SSE,
      TEXT("\\u00e9\\n\\\\ \\ud83d") TEXT("\\ude00 \xc3\xa9") FINISH("stop"),
      "completed | message text(\xc3\xa9\n\\ \xf0\x9f\x98\x80 \xc3\xa9)"
      " | usage 0+0=0", NULL },

    { "E59 refusal", SSE,
      DELTA("'refusal':'I ca'") DELTA("'refusal':'nnot'") FINISH("stop") DONE,
      "completed | message refusal(I cannot) | usage 0+0=0", NULL },

    { "E59 text, refusal, text", SSE,
      TEXT("a") DELTA("'refusal':'b'") TEXT("c") FINISH("stop") DONE,
      "completed | message text(a) refusal(b) text(c) | usage 0+0=0", NULL },

    { "reasoning and text", SSE,
      DELTA("'role':'assistant','reasoning_content':'h'")
      DELTA("'reasoning_content':'m','content':null") TEXT("Hi")
      FINISH("stop") DONE,
      "completed | reasoning text(hm) | message text(Hi) | usage 0+0=0",
      NULL },

    { "reasoning by another name, with text in one chunk", SSE,
      DELTA("'reasoning':'h'")
      DELTA("'reasoning':'m','reasoning_content':'m','content':'Hi'")
      FINISH("stop") DONE,
      "completed | reasoning text(hm) | message text(Hi) | usage 0+0=0",
      NULL },

    { "E47 reasoning after text, text again", SSE,
      TEXT("a") DELTA("'reasoning':'b'") TEXT("c") FINISH("stop") DONE,
      "completed | message text(a) | reasoning text(b) | message text(c)"
      " | usage 0+0=0", NULL },

    { "E56 thoughts and text in parts", SSE,
      DELTA("'content':[{'type':'thinking','thinking':["
            "{'type':'text','text':'h'},{'type':'text','text':'m'}]}]")
      DELTA("'content':[{'type':'thinking','thinking':'!'},"
            "{'type':'text','text':'H'}]")
      DELTA("'content':[{'type':'text','text':'i'},null,5,'x',[],{}]")
      DELTA("'content':[]") FINISH("stop") DONE,
      "completed | reasoning text(hm!) | message text(Hi) | usage 0+0=0",
      NULL },

    /* calls */

    { "one call", SSE,
      CALL("'index':0,'id':'call_1','type':'function',"
           "'function':{'name':'f','arguments':''}")
      ARGS(0, "{\\\"a\\\"") ARGS(0, ":1}") FINISH("tool_calls") USAGE DONE,
      "completed | call f(call_1) {'a':1} | usage 1+2=3", NULL },

    { "E42 empty and repeated ids and names", SSE,
      CALL("'index':0,'id':'a','function':{'name':'f','arguments':'{'}")
      CALL("'index':0,'id':'','function':{'name':'','arguments':'\\\"x\\\"'}")
      CALL("'index':0,'id':'a','function':{'name':'f','arguments':':1'}")
      CALL("'index':0,'id':null,'function':{'name':null,'arguments':'}'}")
      FINISH("tool_calls") DONE,
      "completed | call f(a) {'x':1} | usage 0+0=0", NULL },

    { "E42 another name, the id is the same", SSE,
      CALL("'index':0,'id':'a','function':{'name':'f','arguments':'{'}")
      CALL("'index':0,'id':'a','function':{'name':'g','arguments':'}'}")
      FINISH("tool_calls") DONE,
      "completed | call f(a) {} | usage 0+0=0", NULL },

    { "E43 a name after arguments, no id", SSE,
      CALL("'index':0,'function':{'arguments':'{}'}")
      CALL("'index':0,'function':{'name':'f'}") FINISH("stop") DONE,
      "completed | call f(call_RRRRRRRRRRRRRRRRRRRRRRRR2) {} | usage 0+0=0",
      NULL },

    { "E43 an id after name and arguments", SSE,
      CALL("'index':0,'function':{'name':'f','arguments':'{'}")
      CALL("'index':0,'id':'a','function':{'arguments':'}'}")
      FINISH("stop") DONE,
      "completed | call f(a) {} | usage 0+0=0", NULL },

    { "E44 no index", SSE,
      CALL("'id':'a','function':{'name':'f','arguments':'{}'}")
      CALL("'id':'b','function':{'name':'g','arguments':'{'}")
      CALL("'id':'b','function':{'arguments':'}'}")
      FINISH("tool_calls") DONE,
      "completed | call f(a) {} | call g(b) {} | usage 0+0=0", NULL },

    { "E44 no index and no id", SSE,
      CALL("'function':{'name':'f','arguments':'{}'}")
      CALL("'function':{'name':'f','arguments':'{'}")
      CALL("'function':{'arguments':'}'}")
      FINISH("tool_calls") DONE,
      "completed | call f(call_RRRRRRRRRRRRRRRRRRRRRRRR2) {}"
      " | call f(call_RRRRRRRRRRRRRRRRRRRRRRRR4) {} | usage 0+0=0", NULL },

    { "E44 an index from the second piece on", SSE,
      CALL("'id':'a','function':{'name':'f','arguments':'{'}")
      CALL("'index':0,'id':'a','function':{'arguments':'}'}")
      FINISH("tool_calls") DONE,
      "completed | call f(a) {} | usage 0+0=0", NULL },

    { "E44 one index, new ids", SSE,
      CALL("'index':0,'id':'a','function':{'name':'f','arguments':'{}'}")
      CALL("'index':0,'id':'b','function':{'name':'f','arguments':'{}'}")
      FINISH("tool_calls") DONE,
      "completed | call f(a) {} | call f(b) {} | usage 0+0=0", NULL },

    { "E44 one index, back to the first id", SSE,
      CALL("'index':0,'id':'a','function':{'name':'f','arguments':'{'}")
      CALL("'index':0,'id':'b','function':{'name':'g','arguments':'[]'}")
      CALL("'index':0,'id':'a','function':{'arguments':'}'}")
      FINISH("tool_calls") DONE,
      "completed | call f(a) {} | call g(b) [] | usage 0+0=0", NULL },

    { "E44 one index and no ids", SSE,
      CALL("'index':0,'function':{'name':'f','arguments':'{}'}")
      CALL("'index':0,'function':{'name':'g','arguments':'{}'}")
      CALL("'index':0,'function':{'name':'g','arguments':'[]'}")
      FINISH("tool_calls") DONE,
      "completed | call f(call_RRRRRRRRRRRRRRRRRRRRRRRR2) {}"
      " | call g(call_RRRRRRRRRRRRRRRRRRRRRRRR4) {}"
      " | call g(call_RRRRRRRRRRRRRRRRRRRRRRRR6) [] | usage 0+0=0", NULL },

    { "E45 arguments as an object", SSE,
      CALL("'index':0,'id':'a','function':{'name':'f',"
           "'arguments':{'x':'\\n\\\"y', 'n':1e400}}") FINISH("stop") DONE,
      "completed | call f(a) {'x':'\\n\\\"y', 'n':1e400} | usage 0+0=0",
      NULL },

    { "E42 the call of old servers in pieces", SSE,
      TEXT("a") DELTA("'function_call':{'name':'f','arguments':''}")
      DELTA("'function_call':{'name':'','arguments':'{\\\'a\\\''}")
      DELTA("'function_call':{'name':null,'arguments':':1}'}")
      DELTA("'function_call':{'name':null,'arguments':null}")
      FINISH("function_call") DONE,
      "completed | message text(a)"
      " | call f(call_RRRRRRRRRRRRRRRRRRRRRRRR2) {'a':1} | usage 0+0=0",
      NULL },

    { "E43 the name of an old call after its arguments", SSE,
      DELTA("'function_call':{'arguments':'{}'}")
      DELTA("'function_call':{'name':'f'}") FINISH("function_call") DONE,
      "completed | call f(call_RRRRRRRRRRRRRRRRRRRRRRRR1) {}"
      " | usage 0+0=0", NULL },

    { "E45 arguments of an old call as an object", SSE,
      DELTA("'function_call':{'name':'f','arguments':{'a':[1]}}")
      TEXT("b") FINISH("stop") DONE,
      "completed | call f(call_RRRRRRRRRRRRRRRRRRRRRRRR1) {'a':[1]}"
      " | message text(b) | usage 0+0=0", NULL },

    { "E48 old calls that are no calls", SSE,
      DELTA("'function_call':null") DELTA("'function_call':{}")
      DELTA("'function_call':{'name':null,'arguments':null}")
      DELTA("'function_call':'f'")
      TEXT("a") FINISH("function_call") DONE,
      "completed | message text(a) | usage 0+0=0", NULL },

    { "E49 length in the arguments of an old call", SSE,
      DELTA("'function_call':{'name':'f','arguments':'{'}")
      FINISH("length") DONE,
      "incomplete max_output_tokens"
      " | call! f(call_RRRRRRRRRRRRRRRRRRRRRRRR1) { | usage 0+0=0", NULL },

    { "an old call in both ways is one", SSE,
      DELTA("'function_call':{'name':'f','arguments':'{}'},"
            "'tool_calls':[{'id':'a','function':"
            "{'name':'f','arguments':'{}'}}]")
      FINISH("tool_calls") DONE,
      "completed | call f(a) {} | usage 0+0=0", NULL },

    { "E61 the message again in the end, with an old call", SSE,
      DELTA("'function_call':{'name':'f','arguments':'{}'}")
      DATA("{'choices':[{'message':{'content':null,'function_call':"
           "{'name':'f','arguments':'{}'}},"
           "'finish_reason':'function_call'}]}") DONE,
      "completed | call f(call_RRRRRRRRRRRRRRRRRRRRRRRR1) {}"
      " | usage 0+0=0", NULL },

    { "a document with an old call", JSON,
      "{'choices':[{'message':{'content':null,'function_call':"
      "{'name':'f','arguments':'{}'}},'finish_reason':'function_call'}]}",
      "completed | call f(call_RRRRRRRRRRRRRRRRRRRRRRRR1) {}"
      " | usage 0+0=0", NULL },

    { "E46 calls one after the other", SSE,
      CALL("'index':0,'id':'a','function':{'name':'f','arguments':''}")
      ARGS(0, "{\\\"x\\\":") ARGS(0, "\\\"}\\\"}")
      CALL("'index':1,'id':'b','function':{'name':'g','arguments':''}")
      ARGS(1, "{\\\"y\\\":") ARGS(1, "[2]}")
      FINISH("tool_calls") DONE,
      "completed | call f(a) {'x':'}'} | call g(b) {'y':[2]} | usage 0+0=0",
      NULL },

    { "E46 calls interleaved", SSE,
      DELTA("'tool_calls':["
            "{'index':0,'id':'a','function':{'name':'f','arguments':''}},"
            "{'index':1,'id':'b','function':{'name':'g','arguments':''}}]")
      ARGS(1, "{\\\"y\\\"") ARGS(0, "{\\\"x\\\":") ARGS(1, ":2")
      ARGS(0, "1}") ARGS(1, "}") FINISH("tool_calls") DONE,
      "completed | call f(a) {'x':1} | call g(b) {'y':2} | usage 0+0=0",
      NULL },

    { "E46 three calls, the last one done first", SSE,
      CALL("'index':2,'id':'c','function':{'name':'h','arguments':'{'}")
      CALL("'index':0,'id':'a','function':{'name':'f','arguments':'{}'}")
      CALL("'index':1,'id':'b','function':{'name':'g'}")
      ARGS(1, "{}") ARGS(2, "}") FINISH("tool_calls") DONE,
      "completed | call h(c) {} | call f(a) {} | call g(b) {}"
      " | usage 0+0=0", NULL },

    { "two calls in one chunk", SSE,
      DELTA("'content':'x','tool_calls':["
            "{'index':0,'id':'a','function':{'name':'f','arguments':'{}'}},"
            "{'index':1,'id':'b','function':{'name':'g','arguments':'{}'}}]")
      FINISH("tool_calls") DONE,
      "completed | message text(x) | call f(a) {} | call g(b) {}"
      " | usage 0+0=0", NULL },

    { "E47 text, a call, text", SSE,
      TEXT("a")
      CALL("'index':0,'id':'a','function':{'name':'f','arguments':'{}'}")
      TEXT("b") TEXT("c") FINISH("stop") DONE,
      "completed | message text(a) | call f(a) {} | message text(bc)"
      " | usage 0+0=0", NULL },

    { "E47 text while a call is not complete", SSE,
      CALL("'index':0,'id':'a','function':{'name':'f','arguments':'{'}")
      TEXT("b") ARGS(0, "\\\"x\\\":1") TEXT("c") ARGS(0, "}") TEXT("d")
      FINISH("stop") DONE,
      "completed | call f(a) {'x':1} | message text(bcd) | usage 0+0=0",
      NULL },

    { "arguments that are no JSON", SSE,
      CALL("'index':0,'id':'a','function':{'name':'f','arguments':'x {}'}")
      ARGS(0, " {") TEXT("b") ARGS(0, "y") FINISH("stop") DONE,
      "completed | call f(a) x {} {y | message text(b) | usage 0+0=0", NULL },

    { "no arguments", SSE,
      CALL("'index':0,'id':'a','function':{'name':'f'}")
      CALL("'index':1,'id':'b','function':{'name':'g','arguments':null}")
      FINISH("tool_calls") DONE,
      "completed | call f(a) {} | call g(b) {} | usage 0+0=0", NULL },

    { "more of a call that was complete", SSE,
      CALL("'index':0,'id':'a','function':{'name':'f','arguments':'{}'}")
      TEXT("b") ARGS(0, "\\n") TEXT("c") FINISH("stop") DONE,
      "completed | call f(a) {} | message text(bc) | usage 0+0=0", NULL },

    { "an id of 64 characters", SSE,
      CALL("'index':0,'id':'" ID_64 "','function':{'name':'f',"
           "'arguments':'{}'}") FINISH("stop") DONE,
      "completed | call f(" ID_64 ") {} | usage 0+0=0", NULL },

    { "C19 an id of 65 characters", SSE,
      CALL("'index':0,'id':'" ID_64 "b','function':{'name':'f',"
           "'arguments':'{'}")
      CALL("'index':0,'id':'" ID_64 "b','function':{'arguments':'}'}")
      FINISH("stop") DONE,
      "completed | call f(call_RRRRRRRRRRRRRRRRRRRRRRRR2) {} | usage 0+0=0",
      NULL },

    { "two calls with one id", SSE,
      CALL("'index':0,'id':'a','function':{'name':'f','arguments':'{}'}")
      CALL("'index':1,'id':'a','function':{'name':'g','arguments':'{}'}")
      FINISH("stop") DONE,
      "completed | call f(a) {} | call g(call_RRRRRRRRRRRRRRRRRRRRRRRR3) {}"
      " | usage 0+0=0", NULL },

    { "one id, written in two ways", SSE,
      CALL("'index':0,'id':'a','function':{'name':'f','arguments':'{}'}")
      CALL("'index':1,'id':'\\u0061','function':{'name':'g',"
           "'arguments':'{}'}") FINISH("stop") DONE,
      "completed | call f(a) {} | call g(call_RRRRRRRRRRRRRRRRRRRRRRRR3) {}"
      " | usage 0+0=0", NULL },

    { "two calls with one id and no index", SSE,
      CALL("'id':'a','function':{'name':'f','arguments':'{}'}")
      CALL("'id':'a','function':{'name':'f','arguments':'[]'}")
      FINISH("stop") DONE,
      "completed | call f(a) {} | call f(call_RRRRRRRRRRRRRRRRRRRRRRRR3) []"
      " | usage 0+0=0", NULL },

    { "a call without a name", SSE,
      TEXT("a") CALL("'index':0,'id':'a','function':{'arguments':'{}'}")
      FINISH("stop") DONE,
      "failed invalid_upstream_answer | message text(a)",
      "502 invalid_upstream_answer" },

    { "the beginning of a call and no more", SSE,
      CALL("'index':0,'id':'a'")
      CALL("'index':1,'id':'b','function':{'name':'g','arguments':'{}'}")
      CALL("'index':2,'id':'c'") FINISH("stop") DONE,
      "completed | call g(b) {} | usage 0+0=0", NULL },

    { "calls that are no calls", SSE,
      DELTA("'tool_calls':[]") DELTA("'tool_calls':[null,1,'x',[]]")
      DELTA("'tool_calls':{}") DELTA("'tool_calls':null")
      TEXT("a") FINISH("stop") DONE,
      "completed | message text(a) | usage 0+0=0", NULL },

    /* annotations and probabilities of texts */

    { "annotations", SSE,
      TEXT("a") CITE("u", 0, 1) TEXT("b") CITE("v", 1, 2) FINISH("stop") DONE,
      "completed | message text(ab)+[" CITED("u", 0, 1) "," CITED("v", 1, 2)
      "] | usage 0+0=0", NULL },

    { "an annotation with its text, and one after it", SSE,
      DELTA("'content':'a','annotations':[{'type':'url_citation',"
            "'url':'u','title':'t','start_index':0,'end_index':1}]")
      CITE("v", 0, 1) FINISH("stop") DONE,
      "completed | message text(a)+[" CITED("u", 0, 1) "," CITED("v", 0, 1)
      "] | usage 0+0=0", NULL },

    { "annotations that are none", SSE,
      TEXT("a") CITE("u", 0, -1) CITE("u", 0.5, 1)
      DELTA("'annotations':[null,5,{},{'type':'file'},"
            "{'type':'url_citation','url_citation':null},"
            "{'type':'url_citation','url':'u','start_index':0}]")
      DELTA("'annotations':null") DELTA("'annotations':{}")
      FINISH("stop") DONE,
      "completed | message text(a) | usage 0+0=0", NULL },

    { "annotations of nothing", SSE,
      CITE("u", 0, 1)
      CALL("'index':0,'id':'a','function':{'name':'f','arguments':'{}'}")
      CITE("u", 0, 1) FINISH("stop") DONE,
      "completed | call f(a) {} | usage 0+0=0", NULL },

    { "E46 an annotation while a call is not complete", SSE,
      CALL("'index':0,'id':'a','function':{'name':'f','arguments':'{'}")
      TEXT("b") CITE("u", 0, 1) CITE("v", 0, 1) ARGS(0, "}")
      CITE("w", 0, 1) FINISH("stop") DONE,
      "completed | call f(a) {} | message text(b)+[" CITED("u", 0, 1) ","
      CITED("v", 0, 1) "," CITED("w", 0, 1) "] | usage 0+0=0", NULL },

    { "E61 the message again in the end, with annotations", SSE,
      TEXT("a") CITE("u", 0, 1)
      DATA("{'choices':[{'message':{'content':'a','annotations':["
           "{'type':'url_citation','url':'u','title':'t',"
           "'start_index':0,'end_index':1}]},'finish_reason':'stop'}]}")
      DONE,
      "completed | message text(a)+[" CITED("u", 0, 1) "] | usage 0+0=0",
      NULL },

    { "E61 the message again in the end, with annotations that are new", SSE,
      TEXT("a")
      DATA("{'choices':[{'message':{'content':'a','annotations':["
           "{'type':'url_citation','url':'u','title':'t',"
           "'start_index':0,'end_index':1}]},'finish_reason':'stop'}]}")
      DONE,
      "completed | message text(a)+[" CITED("u", 0, 1) "] | usage 0+0=0",
      NULL },

    { "a document with an annotation", JSON,
      "{'choices':[{'message':{'content':'a','annotations':["
      "{'type':'url_citation',\n 'url_citation':{'title':null,'url':'u',"
      "'start_index':0,'end_index':1e0}}]},'finish_reason':'stop'}]}",
      "completed | message text(a)+[{'type':'url_citation','url':'u',"
      "'title':'','start_index':0,'end_index':1}] | usage 0+0=0", NULL },

    { "E60 logprobs, bytes are null, no top_logprobs", SSE,
      PROBS("a", "{'token':'a','logprob':-0.5,'bytes':null}")
      PROBS("b", "{'token':'b','logprob':-0.5}")
      PROBS("c", "{'token':'c','logprob':-1.50,'bytes':[99, 1],\t"
                 "'top_logprobs':[ {'token':'c','logprob':-1.50},"
                 "{'token':'d','logprob':-9e9,'bytes':[100],'x':1}]}")
      FINISH("stop") DONE,
      "completed | message text(abc)-[" TOKEN("a") "," TOKEN("b")
      ",{'token':'c','logprob':-1.50,'bytes':[99,1],'top_logprobs':["
      "{'token':'c','logprob':-1.50,'bytes':[]},"
      "{'token':'d','logprob':-9e9,'bytes':[100]}]}] | usage 0+0=0", NULL },

    { "E60 logprobs of a token that is no whole character", SSE,
      PROBS("", TOKEN("x")) PROBS("a", TOKEN("a"))
      PROBS("", TOKEN("b")) PROBS("", TOKEN("c")) PROBS("d", TOKEN("d"))
      PROBS("", TOKEN("e")) FINISH("stop") DONE,
      "completed | message text(ad)-[" TOKEN("a") "," TOKEN("b") ","
      TOKEN("c") "," TOKEN("d") "," TOKEN("e") "] | usage 0+0=0", NULL },

    { "E60 logprobs that are none", SSE,
      PROBS("a", "") PROBS("b", "null,5,[],{},{'token':'x'},"
                                "{'logprob':-1},{'token':'x','logprob':null}")
      DATA("{'choices':[{'delta':{'content':'c'},'logprobs':null}]}")
      DATA("{'choices':[{'delta':{'content':'d'},'logprobs':"
           "{'content':null}}]}")
      FINISH("stop") DONE,
      "completed | message text(abcd) | usage 0+0=0", NULL },

    { "E60 logprobs of what is no text", SSE,
      DATA("{'choices':[{'delta':{'reasoning':'r'},'logprobs':{'content':["
           TOKEN("r") "]}}]}")
      DATA("{'choices':[{'delta':{'content':[{'type':'thinking',"
           "'thinking':'s'}]},'logprobs':{'content':[" TOKEN("s") "]}}]}")
      TEXT("z") PROBS("a", TOKEN("a"))
      DATA("{'choices':[{'delta':{'tool_calls':[{'id':'a','function':"
           "{'name':'f','arguments':'{}'}}]},'logprobs':{'content':["
           TOKEN("f") "]}}]}") PROBS("", TOKEN("x"))
      FINISH("stop") DONE,
      "completed | reasoning text(rs) | message text(za)-[" TOKEN("a")
      "] | call f(a) {} | usage 0+0=0", NULL },

    { "E46 logprobs while a call is not complete", SSE,
      CALL("'index':0,'id':'a','function':{'name':'f','arguments':'{'}")
      PROBS("a", TOKEN("a")) PROBS("b", TOKEN("b")) ARGS(0, "}")
      PROBS("c", TOKEN("c")) FINISH("stop") DONE,
      "completed | call f(a) {} | message text(abc)-[" TOKEN("a") ","
      TOKEN("b") "," TOKEN("c") "] | usage 0+0=0", NULL },

    { "E61 the message again in the end, with logprobs", SSE,
      PROBS("a", TOKEN("a"))
      DATA("{'choices':[{'message':{'content':'a'},'logprobs':{'content':["
           TOKEN("a") "]},'finish_reason':'stop'}]}") DONE,
      "completed | message text(a)-[" TOKEN("a") "] | usage 0+0=0", NULL },

    { "E60 a document with logprobs", JSON,
      "{'choices':[{'message':{'content':'ab'},'logprobs':{'content':["
      TOKEN("a") "," TOKEN("b") "]},'finish_reason':'stop'}]}",
      "completed | message text(ab)-[" TOKEN("a") "," TOKEN("b")
      "] | usage 0+0=0", NULL },

    { "E56 logprobs of parts", JSON,
      "{'choices':[{'message':{'content':[{'type':'text','text':'a'},"
      "{'type':'text','text':'b'}]},'logprobs':{'content':["
      TOKEN("a") "," TOKEN("b") "]},'finish_reason':'stop'}]}",
      "completed | message text(ab)-[" TOKEN("a") "," TOKEN("b")
      "] | usage 0+0=0", NULL },

    /* ends */

    { "E48 tool_calls without a call", SSE,
      TEXT("a") FINISH("tool_calls") DONE,
      "completed | message text(a) | usage 0+0=0", NULL },

    { "E49 length in text", SSE,
      TEXT("a") FINISH("length") USAGE DONE,
      "incomplete max_output_tokens | message! text(a) | usage 1+2=3", NULL },

    { "E49 length in arguments", SSE,
      TEXT("a")
      CALL("'index':0,'id':'a','function':{'name':'f','arguments':'{'}")
      FINISH("length") DONE,
      "incomplete max_output_tokens | message text(a) | call! f(a) {"
      " | usage 0+0=0", NULL },

    { "E49 length in the arguments of two calls", SSE,
      CALL("'index':0,'id':'a','function':{'name':'f','arguments':'{'}")
      CALL("'index':1,'id':'b','function':{'name':'g','arguments':'{'}")
      FINISH("length") DONE,
      "incomplete max_output_tokens | call! f(a) { | usage 0+0=0", NULL },

    { "E49 length before a name", SSE,
      TEXT("a") CALL("'index':0,'id':'a','function':{'arguments':'{'}")
      FINISH("length") DONE,
      "incomplete max_output_tokens | message text(a) | usage 0+0=0", NULL },

    { "E50 content_filter", SSE,
      DELTA("'role':'assistant'") FINISH("content_filter") DONE,
      "incomplete content_filter | message! text() | usage 0+0=0", NULL },

    { "E50 content_filter after text", SSE,
      TEXT("a") FINISH("content_filter") DONE,
      "incomplete content_filter | message! text(a) | usage 0+0=0", NULL },

    { "E51 no finish reason", SSE,
      TEXT("a"),
      "failed upstream_disconnected", "502 upstream_disconnected" },

    { "E51 no finish reason, a finished item", SSE,
      DELTA("'reasoning':'r'") TEXT("a"),
      "failed upstream_disconnected | reasoning text(r)",
      "502 upstream_disconnected" },

    { "E51 no [DONE]", SSE,
      TEXT("a") FINISH("stop"),
      "completed | message text(a) | usage 0+0=0", NULL },

    { "no finish reason before [DONE]", SSE,
      TEXT("a") DONE,
      "completed | message text(a) | usage 0+0=0", NULL },

    { "nothing but [DONE]", SSE,
      DONE,
      "502 upstream_disconnected", NULL },

    { "nothing at all", SSE,
      "",
      "502 upstream_disconnected", NULL },

    { "something after [DONE]", SSE,
      TEXT("a") FINISH("stop") "data: [DONE] \n\n" TEXT("b") "data: x\n\n",
      "completed | message text(a) | usage 0+0=0", NULL },

    { "E62 an empty answer", SSE,
      FINISH("stop") DONE,
      "completed | message text() | usage 0+0=0", NULL },

    { "finish_reason error", SSE,
      TEXT("a") FINISH("error") DONE,
      "failed upstream_error", "502 upstream_error" },

    { "finish_reason abort", SSE,
      TEXT("a") FINISH("abort"),
      "failed upstream_error", "502 upstream_error" },

    /* errors */

    { "E52 an error in place of an answer", SSE,
      DATA("{'error':{'message':'slow \\\"down\\\"\\n','code':429}}"),
      "429 rate_limit_exceeded", NULL },

    { "E52 an error after text", SSE,
      TEXT("a") DATA("{'error':{'message':'no','code':'429'}}") DONE,
      "failed rate_limit_exceeded", "429 rate_limit_exceeded" },

    { "E52 an event named error", SSE,
      TEXT("a") "event: error\n" DATA("{'message':'bad'}"),
      "failed server_error", "500 server_error" },

    { "E52 an event named error, with an error in it", SSE,
      TEXT("a") "event: error\n" DATA("{'error':{'message':'bad',"
                                      "'code':429}}"),
      "failed rate_limit_exceeded", "429 rate_limit_exceeded" },

    { "E52 an event named error, with a code", SSE,
      TEXT("a") "event: error\n" DATA("{'message':'full','code':429}"),
      "failed rate_limit_exceeded", "429 rate_limit_exceeded" },

    { "E52 an error text", SSE,
      TEXT("a") DATA("{'error':'out of memory'}"),
      "failed server_error", "500 server_error" },

    { "E52 an error beside a choice", SSE,
      TEXT("a") DATA("{'error':{'code':429,'message':'slow down'},"
                     "'choices':[{'delta':{'content':''},"
                     "'finish_reason':'error'}]}") DONE,
      "failed rate_limit_exceeded", "429 rate_limit_exceeded" },

    { "E52 an error in a choice", SSE,
      TEXT("a") DATA("{'choices':[{'error':{'code':429,'message':'slow'},"
                     "'finish_reason':'error'}]}") DONE,
      "failed rate_limit_exceeded", "429 rate_limit_exceeded" },

    { "an error that is none", SSE,
      DATA("{'error':null,'choices':[{'delta':{'content':'a'}}]}")
      DATA("{'error':{},'choices':[{'delta':{'content':'b'}}]}")
      DATA("{'error':{'message':'','code':null},"
           "'choices':[{'delta':{'content':'c'}}]}")
      FINISH("stop") DONE,
      "completed | message text(abc) | usage 0+0=0", NULL },

    { "object error", SSE,
      DATA("{'object':'error','message':'no','type':'x','code':400}"),
      "400 x", NULL },

    { "E36 not UTF-8", SSE,
      TEXT("a") DELTA("'content':'\xc3'") FINISH("stop") DONE,
      "failed invalid_upstream_answer", "502 invalid_upstream_answer" },

    { "not JSON", SSE,
      TEXT("a") DATA("{'choices'"),
      "failed invalid_upstream_answer", "502 invalid_upstream_answer" },

    { "JSON of another kind", SSE,
      TEXT("a") DATA("[]"),
      "failed invalid_upstream_answer", "502 invalid_upstream_answer" },

    { "E53 HTML with status 200", 200, "text/html",
      "<html><body>secret</body></html>",
      "502 invalid_upstream_answer", NULL },

    { "E53 HTML with status 502", 502, "text/html",
      "<html><body>secret</body></html>",
      "502 server_error", NULL },

    { "E54 a context that is too long", 400, "application/json",
      "{'error':{'message':'the maximum context length is 10 tokens',"
      "'type':'invalid_request_error','code':null}}",
      "400 context_length_exceeded", NULL },

    { "E54 in a stream", SSE,
      DATA("{'error':{'message':'the maximum context length is 10 tokens',"
           "'code':400}}"),
      "400 context_length_exceeded", NULL },

    { "no content type", 200, "", "{}",
      "502 invalid_upstream_answer", NULL },

    { "status 429", 429, "application/json",
      "{'error':{'message':'slow down','type':'requests','code':null}}",
      "429 rate_limit_exceeded", NULL },

    { "status 400, a list of details", 400, "application/json",
      "{'detail':[{'loc':['body','x'],'msg':'field required'}]}",
      "400 upstream_error", NULL },

    { "status 500 without a body", 500, "application/json", "",
      "500 server_error", NULL },

    { "status 302", 302, "text/html", "",
      "502 server_error", NULL },

    { "no answer", 0, "", "",
      "502 upstream_unavailable", NULL },

    /* the stream itself */

    { "E55 CRLF, comments, no space, several lines", SSE,
      ": keep-alive\r\n\r\n"
      "data:{'choices':[{'delta':{'content':'a'}}]}\r\n\r\n"
      ":\r\n"
      "data: {'choices':\r\ndata: [{'delta':{'content':'b'}}]}\r\n\r\n"
      "data:\r\n\r\n"
      "id: 1\r\nevent: message\r\nretry: 5\r\n"
      "data: {'choices':[{'delta':{},'finish_reason':'stop'}]}\r\n\r\n"
      "data:[DONE]\r\n\r\n",
      "completed | message text(ab) | usage 0+0=0", NULL },

    { "E55 a byte order mark", SSE,
      "\xef\xbb\xbf" TEXT("a") FINISH("stop") "data: [DONE]",
      "completed | message text(a) | usage 0+0=0", NULL },

    { "E55 no empty line in the end", SSE,
      TEXT("a")
      "data: {'choices':[{'delta':{'content':'b'},'finish_reason':'stop'}]}\n",
      "completed | message text(ab) | usage 0+0=0", NULL },

    { "E58 several choices", SSE,
      DATA("{'choices':[{'index':1,'delta':{'content':'x'}},"
           "{'index':0,'delta':{'content':'a'}}]}")
      DATA("{'choices':[{'index':1,'delta':{'content':'y'},"
           "'finish_reason':'length'}]}")
      DATA("{'choices':[{'index':0,'delta':{'content':'b'}}]}")
      DATA("{'choices':[{'index':0,'delta':{},'finish_reason':'stop'}]}")
      DONE,
      "completed | message text(ab) | usage 0+0=0", NULL },

    { "E61 the message again in the end", SSE,
      TEXT("a") TEXT("b")
      DATA("{'choices':[{'message':{'content':'ab'},"
           "'finish_reason':'stop'}]}") DONE,
      "completed | message text(ab) | usage 0+0=0", NULL },

    { "E61 the message in the end, with calls that are new", SSE,
      TEXT("a")
      DATA("{'choices':[{'message':{'content':'a','tool_calls':[{'id':'a',"
           "'function':{'name':'f','arguments':'{}'}}]},"
           "'finish_reason':'tool_calls'}]}") DONE,
      "completed | message text(a) | call f(a) {} | usage 0+0=0", NULL },

    { "all of it in one message", SSE,
      DATA("{'choices':[{'message':{'content':'a'},'finish_reason':'stop'}]}")
      DONE,
      "completed | message text(a) | usage 0+0=0", NULL },

    { "E63 usage in parts", SSE,
      TEXT("a") FINISH("stop")
      DATA("{'choices':[],'usage':{'completion_tokens':5,'total_tokens':0,"
           "'prompt_tokens':-1,'prompt_tokens_details':null}}") DONE,
      "completed | message text(a) | usage 0+5=5", NULL },

    { "usage without choices, with nonsense", SSE,
      TEXT("a") FINISH("stop")
      DATA("{'usage':{'prompt_tokens':1e300,'completion_tokens':'5',"
           "'total_tokens':2.5,'prompt_tokens_details':{'cached_tokens':"
           "99999999999}}}") DONE,
      "completed | message text(a) | usage 0+0=0", NULL },

    /* documents */

    { "a document", JSON,
      "{'id':'c','object':'chat.completion','choices':[{'index':0,'message':"
      "{'role':'assistant','content':'Hello','refusal':null},"
      "'finish_reason':'stop'}],'usage':{'prompt_tokens':1,"
      "'completion_tokens':2,'total_tokens':3}}",
      "completed | message text(Hello) | usage 1+2=3", NULL },

    { "a document with everything", 201, "Application/JSON; charset=utf-8",
      " {'choices':[{'message':{'content':'a','refusal':'b',"
      "'reasoning_content':'r','tool_calls':["
      "{'id':'x','function':{'name':'f','arguments':'{}'}},"
      "{'id':'x','function':{'name':'f','arguments':{}}},"
      "{'function':{'name':'g'}}]},'finish_reason':'tool_calls'}]}\n",
      "completed | reasoning text(r) | message text(a) refusal(b)"
      " | call f(x) {} | call f(call_RRRRRRRRRRRRRRRRRRRRRRRR5) {}"
      " | call g(call_RRRRRRRRRRRRRRRRRRRRRRRR7) {} | usage 0+0=0", NULL },

    { "E56 a document in parts", JSON,
      "{'choices':[{'message':{'content':[{'type':'thinking','thinking':"
      "[{'type':'text','text':'hm'}]},{'type':'text','text':'Hi'}]},"
      "'finish_reason':'stop'}]}",
      "completed | reasoning text(hm) | message text(Hi) | usage 0+0=0",
      NULL },

    { "a document cut by length", JSON,
      "{'choices':[{'message':{'content':'a'},'finish_reason':'length'}]}",
      "incomplete max_output_tokens | message! text(a) | usage 0+0=0", NULL },

    { "E62 a document without content", JSON,
      "{'choices':[{'message':{'content':null},'finish_reason':'stop'}]}",
      "completed | message text() | usage 0+0=0", NULL },

    { "a document without choices", JSON, "{'id':'x'}",
      "502 invalid_upstream_answer", NULL },

    { "a document with an error", JSON, "{'error':{'message':'x'}}",
      "500 server_error", NULL },

    { "a document with no choice", JSON,
      "{'object':'chat.completion','choices':[],'usage':{}}",
      "502 invalid_upstream_answer", NULL },

    { "an empty document", JSON, "",
      "502 invalid_upstream_answer", NULL },

    { "spaces for a document", JSON, SPACES,
      "502 invalid_upstream_answer", NULL },

    { "two documents", JSON,
      "{'choices':[]}{'choices':[]}",
      "502 invalid_upstream_answer", NULL },

    { NULL, 0, NULL, NULL, NULL, NULL }
};
