
/*
 * One answer of a server through the validator: what it sends is given, how it
 * is split and cut, too.
 *
 * Its bytes come in buffers that are freed right after they were read.
 */


#ifndef _VERIFY_ANSWER_H_INCLUDED_
#define _VERIFY_ANSWER_H_INCLUDED_


#include <ngx_ors_test.h>
#include <ngx_ors_verify.h>


typedef struct {
    /* the input; set by answer_init(), to be changed after it */
    ngx_ors_endpoint_e   endpoint;
    const char          *request;      /* NULL: it was not read */
    ngx_ors_policy_t     policy;
    ngx_ors_limits_t     limits;
    ngx_uint_t           status;
    const char          *type;
    const char          *body;         /* ' stands for " in all of them */
    size_t               len;          /* of "body", 0: up to its zero */
    off_t                length;       /* as the server says, or -1 */
    ngx_uint_t           complete;
    size_t               at;           /* 0, or where the first piece ends */
    size_t               step;         /* 0, or the length of the others */

    /* the result: freed by answer_free() */
    ngx_int_t            rc;
    ngx_ors_answer_t     answer;
    ngx_ors_verify_t     verify;
    ngx_ors_request_t    asked;
    ngx_ors_out_t        out;
    u_char              *text;         /* with a zero after it */
    size_t               size;
    ngx_pool_t          *pool;
} answer_t;


/* A response that is a document, in the profile of the specification. */
void answer_init(answer_t *a, const char *body);

/* The validator before the header, all at once, and what is left to do. */
void answer_begin(answer_t *a);
void answer_run(answer_t *a);
void answer_free(answer_t *a);

/* Collects in a->text what the validator has written by now. */
void answer_take(answer_t *a);

/* "text" with quotes, malloc(). */
u_char *answer_quotes(const char *text, size_t len);


/*
 * Response objects with all fields: its status, "error", its model, and what
 * comes after the last field.
 */

#define RESPONSE(status, error, model, more)                                  \
    "{'id':'r','object':'response','created_at':1,'completed_at':2,"          \
    "'status':'" status "','incomplete_details':null,'model':'" model "',"    \
    "'previous_response_id':null,'instructions':null,'output':[],"            \
    "'error':" error ",'tools':[],'tool_choice':'auto',"                      \
    "'truncation':'disabled','parallel_tool_calls':true,"                     \
    "'text':{'format':{'type':'text'}},'top_p':1,'presence_penalty':0,"       \
    "'frequency_penalty':0,'top_logprobs':0,'temperature':1,"                 \
    "'reasoning':null,'usage':null,'max_output_tokens':null,"                 \
    "'max_tool_calls':null,'store':false,'background':false,"                 \
    "'service_tier':'default','metadata':{},'safety_identifier':null,"        \
    "'prompt_cache_key':null" more "}"

#define WHOLE    RESPONSE("completed", "null", "m", "")

/* the least that can be repaired */
#define MINIMAL  "{'id':'r','status':'completed','output':[]}"


#endif /* _VERIFY_ANSWER_H_INCLUDED_ */
