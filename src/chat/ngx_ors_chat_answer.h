
/*
 * The answer of a chat server: what one document, or one chunk, says.
 */


#ifndef _NGX_ORS_CHAT_ANSWER_H_INCLUDED_
#define _NGX_ORS_CHAT_ANSWER_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_json.h>
#include <ngx_ors_response.h>


typedef enum {
    ngx_ors_chat_finish_none = 0,
    ngx_ors_chat_finish_stop,             /* and whatever is not below */
    ngx_ors_chat_finish_length,
    ngx_ors_chat_finish_content_filter,
    ngx_ors_chat_finish_error             /* the model or its server failed */
} ngx_ors_chat_finish_e;


/* texts are insides of JSON strings, borrowed from the document */

typedef struct {
    ngx_str_t               text;
    ngx_str_t               refusal;
    ngx_str_t               reasoning;
    ngx_ors_json_node_t    *thoughts;     /* array in place of "reasoning" */
    ngx_ors_json_node_t    *parts;        /* array in place of "text" */
    ngx_ors_json_node_t    *calls;        /* array, or NULL */
    ngx_ors_json_node_t    *function;     /* an only call, or NULL */
    ngx_ors_json_node_t    *annotations;  /* array, or NULL */
    ngx_ors_json_node_t    *logprobs;     /* array, or NULL */
    ngx_ors_chat_finish_e   finish;
    ngx_ors_json_node_t    *usage;        /* object, or NULL */
    ngx_ors_json_node_t    *error;       /* object that describes it, or NULL */
    ngx_ors_json_node_t    *body;         /* the document, or NULL */
    unsigned                whole:1;      /* a message, not a delta */
} ngx_ors_chat_answer_t;


typedef struct {
    ngx_ors_json_t         *json;
    ngx_ors_json_node_t    *node;         /* the call */
    ngx_int_t               index;        /* -1 if there is none */
    ngx_str_t               id;
    ngx_str_t               name;
    ngx_str_t               arguments;
    unsigned                plain:1;      /* arguments still need escaping */
} ngx_ors_chat_answer_call_t;


/*
 * Reads a document: a chat.completion, a chunk of one, or an
 * error in place of it or in it.  Only the choice with index 0 counts (E58).
 *
 * NGX_OK         "answer" is filled
 * NGX_DECLINED   neither of these
 */
ngx_int_t ngx_ors_chat_answer(ngx_ors_chat_answer_t *answer,
    ngx_ors_json_t *json);

/*
 * Reads one element of "parts" into "text", "refusal" or "reasoning" of
 * "answer" (E56).
 * A part of reasoning may hold parts again, of which "inner" is the array; it
 * is NULL if there are none.  Elements of "thoughts" and "inner" are read
 * so: all text in them is reasoning.
 */
void ngx_ors_chat_answer_part(ngx_ors_chat_answer_t *answer,
    ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, ngx_ors_json_node_t **inner);

/*
 * Reads one element of "calls".  What is absent, null or of a wrong type is
 * left empty; arguments that are not a string become their JSON text, with
 * "plain" set (E45).
 */
void ngx_ors_chat_answer_call(ngx_ors_chat_answer_call_t *call,
    ngx_ors_json_t *json,
    ngx_ors_json_node_t *node);

/*
 * As ngx_ors_chat_answer_call() for "function", the form of a call that is
 * older than tools: it has no id, and an answer has one at most.
 */
void ngx_ors_chat_answer_function(ngx_ors_chat_answer_call_t *call,
    ngx_ors_json_t *json,
    ngx_ors_json_node_t *node);

/* Sets "usage" to the numbers of a usage object (E40, E63). */
void ngx_ors_chat_answer_usage(ngx_ors_usage_t *usage, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node);

/*
 * Facts in a chat server's answer about its text: annotations, and the
 * logprobs of its tokens.
 */


/*
 * Sets "text" to one element of a message's "annotations" as an annotation
 * of a response (protocol, section 9): JSON without white space, from "pool".
 * Its members may be in it or, as OpenAI has it, in "url_citation"; a
 * title that is not there is empty.
 *
 * NGX_OK         done
 * NGX_DECLINED   it is of another type, or has not all fields
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_chat_answer_annotation(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, ngx_pool_t *pool, ngx_str_t *text);

/*
 * The annotation of a response that cites "url", from code point "start" up to
 * "end": JSON from "pool"; "url" and "title" are insides of strings.  NGX_OK or
 * NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_chat_answer_citation(ngx_str_t *url, ngx_str_t *title,
    int64_t start, int64_t end, ngx_pool_t *pool, ngx_str_t *text);

/*
 * Sets "text" to the elements of the array "list", tokens with what they
 * could have been, as those of a response: JSON with commas and without
 * brackets.  Each has "bytes" and "top_logprobs", empty where the server has
 * none (E60); what is no token is left out.  The text is written to "b",
 * zeroed at first, which grows in "pool": it lasts until the next call.
 *
 * NGX_OK      done
 * NGX_ERROR   no memory
 */
ngx_int_t ngx_ors_chat_answer_logprobs(ngx_ors_json_t *json,
    ngx_ors_json_node_t *list, ngx_pool_t *pool, ngx_buf_t *b,
    ngx_str_t *text);


#endif /* _NGX_ORS_CHAT_ANSWER_H_INCLUDED_ */
