
/*
 * Answers of model servers, and the client's view of them: see turn_check.h
 * for how the latter is written.
 */


#ifndef _TURN_SCRIPTS_H_INCLUDED_
#define _TURN_SCRIPTS_H_INCLUDED_


#include "turn_run.h"


typedef struct {
    const char   *name;
    ngx_uint_t    status;
    const char   *type;
    const char   *body;      /* ' stands for " */
    const char   *expected;  /* of a client that wants a stream */
    const char   *plain;     /* of one that does not, NULL: the same */
} script_t;


extern script_t  scripts[];      /* up to one without a name */


/* the macros of a stream of chunks */

#define DATA(json)    "data: " json "\n\n"
#define DELTA(delta)  DATA("{'choices':[{'delta':{" delta "}}]}")
#define TEXT(text)    DELTA("'content':'" text "'")
#define CALL(call)    DELTA("'tool_calls':[{" call "}]")
#define ARGS(i, args)                                                         \
    CALL("'index':" #i ",'function':{'arguments':'" args "'}")
#define CITE(url, start, end)                                                 \
    DELTA("'annotations':[{'type':'url_citation','url_citation':{'url':'" url \
          "','title':'t','start_index':" #start ",'end_index':" #end "}}]")
#define CITED(url, start, end)                                                \
    "{'type':'url_citation','url':'" url "','title':'t','start_index':" #start\
    ",'end_index':" #end "}"
#define PROBS(text, tokens)                                                   \
    DATA("{'choices':[{'delta':{'content':'" text "'},'logprobs':"           \
         "{'content':[" tokens "]}}]}")
#define TOKEN(token)                                                          \
    "{'token':'" token "','logprob':-0.5,'bytes':[],'top_logprobs':[]}"
#define FINISH(reason)                                                        \
    DATA("{'choices':[{'delta':{},'finish_reason':'" reason "'}]}")
#define USAGE                                                                 \
    DATA("{'choices':[],'usage':{'prompt_tokens':1,'completion_tokens':2,"    \
         "'total_tokens':3}}")
#define DONE          DATA("[DONE]")


#endif /* _TURN_SCRIPTS_H_INCLUDED_ */
