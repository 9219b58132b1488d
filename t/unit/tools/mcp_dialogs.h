
/*
 * Dialogs with MCP servers: what is sent, what is answered, what comes of it.
 */


#ifndef _MCP_DIALOGS_H_INCLUDED_
#define _MCP_DIALOGS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


#define JSON   "application/json"
#define SSE    "text/event-stream"
#define HTML   "text/html"

#define LIST   "{'tools':[{'name':'a','inputSchema':{'type':'object'}}]}"
#define TEXT   "{'content':[{'type':'text','text':'hi'}]}"
#define INIT   "{'protocolVersion':'2025-06-18','capabilities':{'tools':{}}}"

/* $ is the id of the request */
#define RESULT(result)  "{'jsonrpc':'2.0','id':$,'result':" result "}"
#define ERROR(code)     "{'jsonrpc':'2.0','id':$,'error':{'code':" code       \
                        ",'message':'m'}}"
#define NOID(code)      "{'jsonrpc':'2.0','id':null,'error':{'code':" code    \
                        ",'message':'m'}}"
#define DATA(text)      "data: " text "\n\n"

#define CUT      -1
#define TIMEOUT  -2
#define CLOSE    -3

#define STEPS    9


typedef struct {
    char         *sent;           /* version, method, session, other headers */
    ngx_int_t     status;         /* or CUT, ... before a header */
    char         *type;
    char         *session;
    char         *body;
    ngx_int_t     after;          /* 0: the answer is complete */
} dialog_exchange_t;


typedef struct {
    char               *name;
    char               *peer;     /* known before: version, session */
    char               *tool;     /* to be called, or "" */
    char               *outcome;
    char               *learnt;   /* the knowledge of it afterwards */
    dialog_exchange_t   steps[STEPS];
} dialog_test_t;


static dialog_test_t  tests[] = {

    { "list, modern", "", "", "list 1", "2026-07-28", {
      { "2026-07-28 tools/list", 200, JSON, "", RESULT(LIST), 0 } } },

    { "list, modern, as a stream", "2026-07-28", "", "list 1", "2026-07-28", {
      { "2026-07-28 tools/list", 200, SSE, "", DATA(RESULT(LIST)), 0 } } },

    { "list, three pages", "2026-07-28", "", "list 2", "2026-07-28", {
      { "2026-07-28 tools/list", 200, JSON, "",
        RESULT("{'tools':[],'nextCursor':'x'}"), 0 },
      { "2026-07-28 tools/list", 200, JSON, "",
        RESULT("{'tools':[{'name':'b','inputSchema':{}}],'nextCursor':''}"),
        0 },
      { "2026-07-28 tools/list", 200, JSON, "", RESULT(LIST), 0 } } },

    { "list, a cursor twice", "2026-07-28", "",
      "protocol -32603 the server sent a list that has a cursor twice",
      "2026-07-28", {
      { "2026-07-28 tools/list", 200, JSON, "",
        RESULT("{'tools':[],'nextCursor':''}"), 0 },
      { "2026-07-28 tools/list", 200, JSON, "",
        RESULT("{'tools':[],'nextCursor':''}"), 0 } } },

    { "list, a second page that fails", "2026-07-28", "",
      "protocol -32602 m stale", "2026-07-28", {
      { "2026-07-28 tools/list", 200, JSON, "",
        RESULT("{'tools':[],'nextCursor':'x'}"), 0 },
      { "2026-07-28 tools/list", 400, JSON, "", ERROR("-32602"), 0 } } },

    { "list, legacy", "", "", "list 1", "2025-06-18 s1", {
      { "2026-07-28 tools/list", 400, JSON, "", NOID("-32000"), 0 },
      { "- initialize", 200, SSE, "s1", DATA(RESULT(INIT)), 0 },
      { "2025-06-18 notifications/initialized s1", 202, "", "", "", 0 },
      { "2025-06-18 tools/list s1", 200, SSE, "",
        "id: 1\ndata: \n\n" DATA(RESULT(LIST)), 0 } } },

    { "list, legacy without sessions", "", "", "list 1", "2025-06-18 -", {
      { "2026-07-28 tools/list", 400, JSON, "", NOID("-32000"), 0 },
      { "- initialize", 200, JSON, "", RESULT(INIT), 0 },
      { "2025-06-18 notifications/initialized", 202, "", "", "", 0 },
      { "2025-06-18 tools/list", 200, JSON, "", RESULT(LIST), 0 } } },

    { "legacy: HTML", "", "", "list 1", "2025-06-18 -", {
      { "2026-07-28 tools/list", 400, HTML, "", "<html>", 0 },
      { "- initialize", 200, JSON, "", RESULT(INIT), 0 },
      { "2025-06-18 notifications/initialized", 200, "", "", "", 0 },
      { "2025-06-18 tools/list", 200, JSON, "", RESULT(LIST), 0 } } },

    { "legacy: 405", "", "", "list 1", "2025-06-18 -", {
      { "2026-07-28 tools/list", 405, "", "", "", 0 },
      { "- initialize", 200, JSON, "", RESULT(INIT), 0 },
      { "2025-06-18 notifications/initialized", 202, "", "", "", 0 },
      { "2025-06-18 tools/list", 200, JSON, "", RESULT(LIST), 0 } } },

    { "legacy: an error with status 200", "", "", "list 1", "2025-06-18 -", {
      { "2026-07-28 tools/list", 200, JSON, "", ERROR("-32000"), 0 },
      { "- initialize", 200, JSON, "", RESULT(INIT), 0 },
      { "2025-06-18 notifications/initialized", 202, "", "", "", 0 },
      { "2025-06-18 tools/list", 200, JSON, "", RESULT(LIST), 0 } } },

    { "legacy: broken JSON", "", "", "list 1", "2025-06-18 -", {
      { "2026-07-28 tools/list", 400, JSON, "", "{", 0 },
      { "- initialize", 200, JSON, "", RESULT(INIT), 0 },
      { "2025-06-18 notifications/initialized", 202, "", "", "", 0 },
      { "2025-06-18 tools/list", 200, JSON, "", RESULT(LIST), 0 } } },

    { "legacy: old versions only", "", "", "list 1", "2025-03-26 -", {
      { "2026-07-28 tools/list", 400, JSON, "",
        "{'jsonrpc':'2.0','id':$,'error':{'code':-32022,'message':'m','data':"
        "{'supported':['2024-11-05','2025-03-26'],'requested':'x'}}}", 0 },
      { "- initialize 2025-03-26", 200, JSON, "",
        RESULT("{'capabilities':{'tools':{}},'protocolVersion':'2025-03-26'}"),
        0 },
      { "- notifications/initialized", 202, "", "", "", 0 },
      { "- tools/list", 200, JSON, "", RESULT(LIST), 0 } } },

    { "versions that nobody knows", "", "", "protocol -32022 m", "-", {
      { "2026-07-28 tools/list", 400, JSON, "",
        "{'jsonrpc':'2.0','id':$,'error':{'code':-32022,'message':'m','data':"
        "{'supported':['2030-01-01']}}}", 0 } } },

    { "the version that was refused", "", "", "protocol -32022 m", "-", {
      { "2026-07-28 tools/list", 400, JSON, "",
        "{'jsonrpc':'2.0','id':$,'error':{'code':-32022,'message':'m','data':"
        "{'supported':['2026-07-28']}}}", 0 } } },

    { "modern: no method", "", "", "protocol -32601 m", "-", {
      { "2026-07-28 tools/list", 404, JSON, "", ERROR("-32601"), 0 } } },

    { "modern: a capability", "", "a", "protocol -32021 m", "-", {
      { "2026-07-28 tools/call a", 400, JSON, "", ERROR("-32021"), 0 } } },

    { "401", "", "", "http 401 HTTP status 401", "-", {
      { "2026-07-28 tools/list", 401, JSON, "", ERROR("-32000"), 0 } } },
    { "403", "2025-06-18 s", "a", "http 403 HTTP status 403",
      "2025-06-18 s", {
      { "2025-06-18 tools/call s", 403, JSON, "", "", 0 } } },
    { "429", "2026-07-28", "a", "http 429 HTTP status 429", "2026-07-28", {
      { "2026-07-28 tools/call a", 429, HTML, "", "<html>", 0 } } },
    { "500", "", "", "http 500 HTTP status 500", "-", {
      { "2026-07-28 tools/list", 500, HTML, "", "<html>", 0 } } },
    { "a redirect", "", "", "http 302 HTTP status 302", "-", {
      { "2026-07-28 tools/list", 302, HTML, "", "", 0 } } },

    { "call, modern", "2026-07-28", "a", "text hi", "2026-07-28", {
      { "2026-07-28 tools/call a", 200, JSON, "", RESULT(TEXT), 0 } } },

    { "call, legacy", "2025-06-18 s", "a", "text hi", "2025-06-18 s", {
      { "2025-06-18 tools/call s", 200, SSE, "",
        ": x\n\n" DATA("{'jsonrpc':'2.0','method':'notifications/message'}")
        DATA(RESULT(TEXT)) ": y\n\n", 0 } } },

    { "call, which changes the list", "2025-06-18 s", "a", "text hi stale",
      "2025-06-18 s", {
      { "2025-06-18 tools/call s", 200, SSE, "",
        DATA("{'jsonrpc':'2.0','method':'notifications/tools/list_changed'}")
        DATA(RESULT(TEXT)), 0 } } },

    { "call, a notification after the result", "2026-07-28", "a", "text hi",
      "2026-07-28", {
      { "2026-07-28 tools/call a", 200, SSE, "",
        DATA(RESULT(TEXT)) DATA("{'jsonrpc':'2.0','method':'n'}"), 0 } } },

    { "call, an id as text", "2026-07-28", "a", "text hi", "2026-07-28", {
      { "2026-07-28 tools/call a", 200, JSON, "",
        "{'jsonrpc':'2.0','id':'$','result':" TEXT "}", 0 } } },

    { "call, the result of another one", "2026-07-28", "a",
      "protocol -32603 the server sent an answer that has no response",
      "2026-07-28", {
      { "2026-07-28 tools/call a", 200, SSE, "",
        DATA("{'jsonrpc':'2.0','id':77,'result':" TEXT "}"), 0 } } },

    { "call, a tool that has failed", "2026-07-28", "a", "failed no",
      "2026-07-28", {
      { "2026-07-28 tools/call a", 200, JSON, "",
        RESULT("{'content':[{'type':'text','text':'no'}],'isError':true}"),
        0 } } },

    { "call, no content", "2026-07-28", "a",
      "protocol -32603 the server sent a result that has no content",
      "2026-07-28", {
      { "2026-07-28 tools/call a", 200, JSON, "", RESULT("{}"), 0 } } },

    { "call, an unknown tool", "2026-07-28", "a", "protocol -32602 m stale",
      "2026-07-28", {
      { "2026-07-28 tools/call a", 400, JSON, "", ERROR("-32602"), 0 } } },

    { "call, an error with status 200", "2026-07-28", "a",
      "protocol -32603 m", "2026-07-28", {
      { "2026-07-28 tools/call a", 200, SSE, "", DATA(ERROR("-32603")), 0 } }
    },

    { "call, a legacy error with status 200", "2025-06-18 s", "a",
      "protocol -32000 m", "2025-06-18 s", {
      { "2025-06-18 tools/call s", 200, SSE, "", DATA(ERROR("-32000")), 0 } }
    },

    { "call, the same of a server that nobody knows", "", "a",
      "protocol -32000 m", "-", {
      { "2026-07-28 tools/call a", 200, JSON, "", ERROR("-32000"), 0 } } },

    { "call, legacy, arguments that are refused", "2025-06-18 s", "a",
      "protocol -32602 m stale", "2025-06-18 s", {
      { "2025-06-18 tools/call s", 400, JSON, "", ERROR("-32602"), 0 } } },

    { "call, cut before the header", "2026-07-28", "a",
      "http 502 the answer was cut", "2026-07-28", {
      { "2026-07-28 tools/call a", CUT, "", "", "", 0 } } },

    { "call, cut in the answer", "2026-07-28", "a",
      "http 502 the answer was cut", "2026-07-28", {
      { "2026-07-28 tools/call a", 200, JSON, "", "{'jsonrpc'", CUT } } },

    { "call, a stream that ends early", "2026-07-28", "a",
      "protocol -32603 the server sent an answer that has no response",
      "2026-07-28", {
      { "2026-07-28 tools/call a", 200, SSE, "", ": x\n\n", 0 } } },

    { "call, 202", "2026-07-28", "a",
      "protocol -32603 the server sent an answer that has no response",
      "2026-07-28", {
      { "2026-07-28 tools/call a", 202, "", "", "", 0 } } },

    { "call, a batch", "2026-07-28", "a",
      "protocol -32603 the server sent an answer that is a batch of messages",
      "2026-07-28", {
      { "2026-07-28 tools/call a", 200, JSON, "", "[" RESULT(TEXT) "]", 0 } }
    },

    { "call, modern, a timeout", "2026-07-28", "a",
      "http 504 the server did not answer in time", "2026-07-28", {
      { "2026-07-28 tools/call a", TIMEOUT, "", "", "", 0 } } },

    { "call, legacy, a timeout", "2025-06-18 s", "a",
      "aside 2025-06-18 notifications/cancelled s: "
      "http 504 the server did not answer in time", "2025-06-18 s", {
      { "2025-06-18 tools/call s", 200, SSE, "", ": x\n\n", TIMEOUT } } },

    { "call, legacy, resumed", "2025-06-18 s", "a", "text hi",
      "2025-06-18 s", {
      { "2025-06-18 tools/call s", 200, SSE, "", "id: 7\ndata:\n\n", 0 },
      { "2025-06-18 GET s 7 after 1000 ms", 200, SSE, "", DATA(RESULT(TEXT)),
        0 } } },

    { "call, legacy, resumed when the server wants it", "2025-06-18 s", "a",
      "text hi stale", "2025-06-18 s", {
      { "2025-06-18 tools/call s", 200, SSE, "",
        "id: 7\nretry: 2500\ndata:\n\n", CUT },
      { "2025-06-18 GET s 7 after 2500 ms", 200, SSE, "",
        "id: 8\n"
        DATA("{'jsonrpc':'2.0','method':'notifications/tools/list_changed'}"),
        CUT },
      { "2025-06-18 GET s 8 after 2500 ms", 200, SSE, "", "retry: 1\n\n", 0 },
      { "2025-06-18 GET s 8 after 100 ms", 200, SSE, "", DATA(RESULT(TEXT)),
        CUT } } },

    { "call, legacy, resumed very late", "2025-06-18 s", "a", "text hi",
      "2025-06-18 s", {
      { "2025-06-18 tools/call s", 200, SSE, "",
        "id: 7\nretry: 9000000000000000000\n\n", 0 },
      { "2025-06-18 GET s 7 after 3600000 ms", 200, SSE, "",
        DATA(RESULT(TEXT)), 0 } } },

    { "call, legacy, resumed, not to be found", "2025-06-18 s", "a",
      "aside 2025-06-18 notifications/cancelled s: "
      "http 404 the answer broke off, and its rest was refused",
      "2025-06-18 s", {
      { "2025-06-18 tools/call s", 200, SSE, "", "id: 7\ndata:\n\n", CUT },
      { "2025-06-18 GET s 7 after 1000 ms", 404, JSON, "", NOID("-32001"), 0 }
      } },

    { "call, legacy, a server that cannot resume", "2025-06-18 s", "a",
      "aside 2025-06-18 notifications/cancelled s: "
      "http 405 the answer broke off, and its rest was refused",
      "2025-06-18 s", {
      { "2025-06-18 tools/call s", 200, SSE, "", "id: 7\ndata:\n\n", 0 },
      { "2025-06-18 GET s 7 after 1000 ms", 405, "", "", "", 0 } } },

    { "call, legacy, the rest is no stream", "2025-06-18 s", "a",
      "aside 2025-06-18 notifications/cancelled s: "
      "http 502 the answer was cut", "2025-06-18 s", {
      { "2025-06-18 tools/call s", 200, SSE, "", "id: 7\ndata:\n\n", 0 },
      { "2025-06-18 GET s 7 after 1000 ms", CUT, "", "", "", 0 } } },

    { "call, legacy, resumed, the client leaves", "2025-06-18 s", "a",
      "aside 2025-06-18 notifications/cancelled s: closed", "2025-06-18 s", {
      { "2025-06-18 tools/call s", 200, SSE, "", "id: 7\ndata:\n\n", 0 },
      { "2025-06-18 GET s 7 after 1000 ms", 200, SSE, "", "", CLOSE } } },

    { "call, legacy, cut without an id", "2025-06-18 s", "a",
      "aside 2025-06-18 notifications/cancelled s: "
      "http 502 the answer was cut", "2025-06-18 s", {
      { "2025-06-18 tools/call s", 200, SSE, "",
        "id: 7\n\nid:\ndata:\n\n", CUT } } },

    { "call, legacy, a stream that ends early", "2025-06-18 s", "a",
      "aside 2025-06-18 notifications/cancelled s: "
      "protocol -32603 the server sent an answer that has no response",
      "2025-06-18 s", {
      { "2025-06-18 tools/call s", 200, SSE, "", ": x\n\n", 0 } } },

    { "call, legacy, a stream that is broken", "2025-06-18 s", "a",
      "aside 2025-06-18 notifications/cancelled s: "
      "protocol -32603 the server sent an answer that is not JSON",
      "2025-06-18 s", {
      { "2025-06-18 tools/call s", 200, SSE, "", DATA("{"), 0 } } },

    { "call, legacy, a proxy that has waited", "2025-06-18 s", "a",
      "aside 2025-06-18 notifications/cancelled s: "
      "http 504 HTTP status 504", "2025-06-18 s", {
      { "2025-06-18 tools/call s", 504, HTML, "", "", 0 } } },

    { "call, modern, is not resumed", "2026-07-28", "a",
      "protocol -32603 the server sent an answer that has no response",
      "2026-07-28", {
      { "2026-07-28 tools/call a", 200, SSE, "", "id: 7\ndata:\n\n", 0 } } },

    { "list, legacy, resumed", "2025-06-18 s", "", "list 1",
      "2025-06-18 s", {
      { "2025-06-18 tools/list s", 200, SSE, "", "id: 7\ndata:\n\n", 0 },
      { "2025-06-18 GET s 7 after 1000 ms", 200, SSE, "", DATA(RESULT(LIST)),
        0 } } },

    { "call, legacy, the client leaves", "2025-06-18 s", "a",
      "aside 2025-06-18 notifications/cancelled s: closed", "2025-06-18 s", {
      { "2025-06-18 tools/call s", 200, SSE, "", "", CLOSE } } },

    { "call, modern, the client leaves", "2026-07-28", "a", "closed",
      "2026-07-28", {
      { "2026-07-28 tools/call a", 200, SSE, "", "", CLOSE } } },

    { "a session begins, the client leaves", "2025-06-18", "a", "closed",
      "2025-06-18", {
      { "- initialize", 200, SSE, "", "", CLOSE } } },

    { "a session that nobody has begun here", "2025-03-26", "a", "text hi",
      "2025-06-18 s1", {
      { "- initialize", 200, JSON, "s1", RESULT(INIT), 0 },
      { "2025-06-18 notifications/initialized s1", 202, "", "", "", 0 },
      { "2025-06-18 tools/call s1", 200, JSON, "", RESULT(TEXT), 0 } } },

    { "a session lost: 404", "2025-06-18 old", "a", "text hi",
      "2025-06-18 new", {
      { "2025-06-18 tools/call old", 404, JSON, "", ERROR("-32600"), 0 },
      { "- initialize", 200, JSON, "new", RESULT(INIT), 0 },
      { "2025-06-18 notifications/initialized new", 202, "", "", "", 0 },
      { "2025-06-18 tools/call new", 200, JSON, "", RESULT(TEXT), 0 } } },

    { "a session lost: 400", "2025-06-18 old", "a", "text hi",
      "2025-06-18 new", {
      { "2025-06-18 tools/call old", 400, JSON, "", NOID("-32000"), 0 },
      { "- initialize", 200, JSON, "new", RESULT(INIT), 0 },
      { "2025-06-18 notifications/initialized new", 202, "", "", "", 0 },
      { "2025-06-18 tools/call new", 200, JSON, "", RESULT(TEXT), 0 } } },

    { "a session lost twice", "2025-06-18 old", "a", "protocol -32600 m",
      "2025-06-18 new", {
      { "2025-06-18 tools/call old", 404, JSON, "", ERROR("-32600"), 0 },
      { "- initialize", 200, JSON, "new", RESULT(INIT), 0 },
      { "2025-06-18 notifications/initialized new", 202, "", "", "", 0 },
      { "2025-06-18 tools/call new", 404, JSON, "", ERROR("-32600"), 0 } } },

    { "a session lost in the middle of a list", "2025-06-18 old", "",
      "list 1", "2025-06-18 new", {
      { "2025-06-18 tools/list old", 200, JSON, "",
        RESULT("{'tools':[{'name':'z','inputSchema':{}}],'nextCursor':'x'}"),
        0 },
      { "2025-06-18 tools/list old", 404, "", "", "", 0 },
      { "- initialize", 200, JSON, "new", RESULT(INIT), 0 },
      { "2025-06-18 notifications/initialized new", 202, "", "", "", 0 },
      { "2025-06-18 tools/list new", 200, JSON, "", RESULT(LIST), 0 } } },

    { "no session can begin", "2025-06-18 old", "a",
      "http 404 HTTP status 404", "2025-06-18", {
      { "2025-06-18 tools/call old", 404, JSON, "", ERROR("-32600"), 0 },
      { "- initialize", 404, HTML, "", "<html>", 0 } } },

    { "a version of the future", "2025-06-18", "a",
      "protocol -32603 the server sent an answer that has a version that is "
      "not known", "2025-06-18", {
      { "- initialize", 200, JSON, "",
        RESULT("{'protocolVersion':'2030-01-01','capabilities':{'tools':{}}}"),
        0 } } },

    { "a session without tools", "2025-06-18", "a",
      "protocol -32603 the server sent an answer that says it has no tools",
      "2025-06-18", {
      { "- initialize", 200, JSON, "s",
        RESULT("{'protocolVersion':'2025-06-18','capabilities':{}}"), 0 } } },

    { "a session with a bad id", "2025-06-18", "a",
      "protocol -32603 the server sent an answer that has no valid "
      "Mcp-Session-Id", "2025-06-18", {
      { "- initialize", 200, JSON, "a b", RESULT(INIT), 0 } } },

    { "a session that is not taken", "2025-06-18", "a",
      "http 400 HTTP status 400", "2025-06-18", {
      { "- initialize", 200, JSON, "s", RESULT(INIT), 0 },
      { "2025-06-18 notifications/initialized s", 400, JSON, "",
        ERROR("-32000"), 0 } } },

    { "initialize fails", "2025-06-18", "a", "protocol -32603 m",
      "2025-06-18", {
      { "- initialize", 200, JSON, "", ERROR("-32603"), 0 } } },

    { "a legacy server becomes modern", "2025-06-18 s", "a", "text hi",
      "2026-07-28", {
      { "2025-06-18 tools/call s", 400, JSON, "",
        "{'jsonrpc':'2.0','id':$,'error':{'code':-32602,'message':"
        "'params._meta is required'}}", 0 },
      { "2026-07-28 tools/call a", 200, JSON, "", RESULT(TEXT), 0 } } },

    { "... which initialize shows", "2025-06-18", "a", "text hi",
      "2026-07-28", {
      { "- initialize", 404, JSON, "", ERROR("-32601"), 0 },
      { "2026-07-28 tools/call a", 200, JSON, "", RESULT(TEXT), 0 } } },

    { "a modern server becomes legacy", "2026-07-28", "a", "text hi",
      "2025-06-18 s", {
      { "2026-07-28 tools/call a", 400, JSON, "", NOID("-32000"), 0 },
      { "- initialize", 200, JSON, "s", RESULT(INIT), 0 },
      { "2025-06-18 notifications/initialized s", 202, "", "", "", 0 },
      { "2025-06-18 tools/call s", 200, JSON, "", RESULT(TEXT), 0 } } },

    { "a server of neither era", "", "a", "protocol -32601 m", "-", {
      { "2026-07-28 tools/call a", 400, JSON, "", NOID("-32000"), 0 },
      { "- initialize", 404, JSON, "", ERROR("-32601"), 0 } } },

    { "headers of an old schema", "2026-07-28", "a", "list 1 text hi",
      "2026-07-28", {
      { "2026-07-28 tools/call a", 400, JSON, "", ERROR("-32020"), 0 },
      { "2026-07-28 tools/list", 200, JSON, "",
        RESULT("{'tools':[{'name':'a','inputSchema':{'properties':{'x':"
               "{'type':'integer','x-mcp-header':'X'}}}}]}"), 0 },
      { "2026-07-28 tools/call a Mcp-Param-X=1", 200, JSON, "", RESULT(TEXT),
        0 } } },

    { "headers that are never right", "2026-07-28", "a",
      "protocol -32020 m", "2026-07-28", {
      { "2026-07-28 tools/call a", 400, JSON, "", ERROR("-32020"), 0 },
      { "2026-07-28 tools/list", 200, JSON, "", RESULT(LIST), 0 },
      { "2026-07-28 tools/call a", 400, JSON, "", ERROR("-32020"), 0 } } },

    { "headers of a list", "2026-07-28", "", "protocol -32020 m",
      "2026-07-28", {
      { "2026-07-28 tools/list", 400, JSON, "", ERROR("-32020"), 0 } } },

    { "a tool that has gone", "2026-07-28", "a",
      "protocol -32602 the server has no such tool", "2026-07-28", {
      { "2026-07-28 tools/call a", 400, JSON, "", ERROR("-32020"), 0 },
      { "2026-07-28 tools/list", 200, JSON, "", RESULT("{'tools':[]}"), 0 } }
    },

    { "a call that is wanted again", "2026-07-28", "a", "text hi",
      "2026-07-28", {
      { "2026-07-28 tools/call a", 200, JSON, "",
        RESULT("{'resultType':'input_required','requestState':'t'}"), 0 },
      { "2026-07-28 tools/call a state='t'", 200, JSON, "", RESULT(TEXT), 0 }
      } },

    { "a ping", "2025-06-18 s", "a",
      "aside 2025-06-18 {'jsonrpc':'2.0','id':'p','result':{}} s: text hi",
      "2025-06-18 s", {
      { "2025-06-18 tools/call s", 200, SSE, "",
        DATA("{'jsonrpc':'2.0','id':'p','method':'ping'}")
        DATA(RESULT(TEXT)), 0 } } },

    { "a request for a sample", "2025-06-18 s", "a",
      "aside 2025-06-18 {'jsonrpc':'2.0','id':1,'error':{'code':-32601,"
      "'message':'Method not found'}} s: text hi",
      "2025-06-18 s", {
      { "2025-06-18 tools/call s", 200, SSE, "",
        DATA("{'jsonrpc':'2.0','id':$,'method':'sampling/createMessage',"
             "'params':{}}")
        DATA(RESULT(TEXT)), 0 } } },

    { "a request of a modern server", "2026-07-28", "a", "text hi",
      "2026-07-28", {
      { "2026-07-28 tools/call a", 200, SSE, "",
        DATA("{'jsonrpc':'2.0','id':1,'method':'ping'}")
        DATA(RESULT(TEXT)), 0 } } }
};

#define NTESTS  (sizeof(tests) / sizeof(tests[0]))


#endif /* _MCP_DIALOGS_H_INCLUDED_ */
