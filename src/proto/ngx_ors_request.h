
/*
 * A checked request: the body sent to an endpoint, read and validated
 * (protocol, sections 2 to 6 and 12), with its fields at hand.
 */


#ifndef _NGX_ORS_REQUEST_H_INCLUDED_
#define _NGX_ORS_REQUEST_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_route.h>
#include <ngx_ors_input.h>
#include <ngx_ors_book.h>


#define ngx_ors_rq_value(name, ...)  ngx_ors_rq_##name,

typedef enum {
    NGX_ORS_REQUEST_FIELDS(ngx_ors_rq_value)
    NGX_ORS_REQUEST_FIELDS_WIDE(ngx_ors_rq_value)
    ngx_ors_rq_n
} ngx_ors_rq_field_e;


typedef struct {
    const ngx_ors_endpoint_t  *endpoint;
    ngx_ors_policy_t          *policy;
    ngx_ors_limits_t          *limits;
    ngx_pool_t                *pool;

    ngx_str_t                  body;      /* as it came, borrowed */
    ngx_ors_json_t             json;
    ngx_ors_edits_t            edits;     /* stripped members */
    ngx_ors_input_t            input;     /* items, of POST responses and */
                                          /* of a compaction */

    /* of POST responses; NULL when absent or null */
    ngx_ors_json_node_t       *field[ngx_ors_rq_n];

    /* of all; NULL when absent or null */
    ngx_ors_json_node_t       *name;      /* "model" */
    ngx_str_t                  model;     /* decoded, empty without it, */
                                          /* fit for a header or a log */
    ngx_str_t                  provider;  /* the same, of POST responses */
    ngx_uint_t                 prior;     /* items in front of its input */
    ngx_uint_t                 added;     /* ... and after it, of rounds */
    ngx_uint_t                 values;    /* of JSON, in all its documents */
    ngx_ors_unknown_t          unknown[2];  /* keys of the body, and of */
                                          /* its values */
    ngx_ors_unknown_t          dropped;   /* of those of the body, what */
                                          /* Chat Completions does not get */
    ngx_ors_unknown_t          unserved;  /* types of tools that nothing */
                                          /* behind this target has */
    ngx_uint_t                 nignored;  /* those that are not sent on, */
    ngx_str_t                  ignored;   /* and their names, see */
                                          /* ngx_ors_request_ignore() */
    unsigned                   listed:1;    /* "body" is not the client's: */
                                            /* objects became lists */
    unsigned                   stream:1;
    unsigned                   compact:1;   /* a summary is asked for */
    unsigned                   obfuscate:1;   /* deltas are to be padded */
    unsigned                   merged:1;      /* with what was stored */
    unsigned                   stored:1;      /* its response will be */
    unsigned                   detached:1;    /* it runs without its client */
} ngx_ors_request_t;


/* 1 if the tokens of its input are to be counted */
#define ngx_ors_request_counts(req)                                           \
    ((req)->endpoint->id == ngx_ors_endpoint_input_tokens)


/*
 * Prepares a request for "endpoint", which must be one with a body; policy
 * and limits are borrowed.  Nodes and texts will come from "pool".
 */
void ngx_ors_request_init(ngx_ors_request_t *req,
    const ngx_ors_endpoint_t *endpoint, ngx_ors_policy_t *policy,
    ngx_ors_limits_t *limits, ngx_pool_t *pool);

/*
 * Reads and checks "body", which is borrowed: it must stay as it is while
 * the request is used.
 *
 * The policy's profile decides what is taken (E34, C1,
 * C8, C11, C12, C14).  What only some servers can do is not refused here:
 * "model" and "input" may be absent.
 *
 * NGX_OK         "req" is filled
 * NGX_DECLINED   "err" holds the reason: 400 with "param" as a path
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_request_read(ngx_ors_request_t *req, ngx_str_t *body,
    ngx_ors_error_t *err);

/*
 * Counts the tools of the request and of all its items, those of stored turns
 * among them.  NGX_OK, NGX_DECLINED: there are more than limits->tools, "err"
 * says where, or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_request_tools(ngx_ors_request_t *req, ngx_ors_error_t *err);

/* The id of the conversation that it names, a string, or NULL. */
ngx_ors_json_node_t *ngx_ors_request_conversation(ngx_ors_request_t *req);

/*
 * The least number of tokens with which "context_management" asks for a
 * compaction in front of a call, 0: it does not.
 */
int64_t ngx_ors_request_threshold(ngx_ors_request_t *req);

/*
 * Fills "to", which was prepared for the same endpoint, with what "from" has
 * been read into; "body" has a copy of its bytes and is borrowed.  Nothing of
 * "from" is referred to afterwards.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_request_copy(ngx_ors_request_t *to,
    ngx_ors_request_t *from, ngx_str_t *body);

/*
 * Checks that a request that was read can be routed: it names a model.
 *
 * NGX_OK         req->model has it
 * NGX_DECLINED   "err" holds the reason
 */
ngx_int_t ngx_ors_request_routable(ngx_ors_request_t *req,
    ngx_ors_error_t *err);

/*
 * Sets "model" to the name in a request, also in one that is refused, if its
 * body is JSON: borrowed, empty if there is none that fits into a line.
 */
void ngx_ors_request_named(ngx_ors_request_t *req, ngx_str_t *model);

/* 1 if "include" of a request to POST responses names "what". */
ngx_uint_t ngx_ors_request_includes(ngx_ors_request_t *req, char *what);

/* 1 if the table of the endpoint has "name", a member of the body. */
ngx_uint_t ngx_ors_request_knows(ngx_ors_request_t *req,
    const ngx_str_t *name);

/*
 * The object that says what "node" of "json", a function or a choice, is
 * called and so on: "node", or, where the profile is tolerant, the object in
 * it that Chat Completions has for that.
 */
ngx_ors_json_node_t *ngx_ors_request_function(ngx_ors_request_t *req,
    ngx_ors_json_t *json, ngx_ors_json_node_t *node);

/*
 * Appends the body as it goes to a server that speaks what the client does:
 * the client's bytes by reference, without what was stripped, with the context
 * if there is one, and with "model" in place of the client's name unless it is
 * empty.
 */
void ngx_ors_request_write(ngx_ors_request_t *req, ngx_str_t *model,
    ngx_ors_out_t *out);

/*
 * Appends the items from "first" up to "last" as a JSON array, and adds them
 * to "index" unless it is NULL.
 */
void ngx_ors_request_write_items(ngx_ors_request_t *req, ngx_uint_t first,
    ngx_uint_t last, ngx_ors_index_t *index, ngx_ors_out_t *out);

/*
 * Fills "item" if the input is a string.  Returns the number of items in it, 1
 * or 0.
 */
ngx_uint_t ngx_ors_request_text(ngx_ors_request_t *req,
    ngx_ors_input_item_t *item);

/*
 * Fills "err" for a list in "json" that could not be read, as it is no JSON or
 * has more values than limits->nodes.  Returns NGX_DECLINED.
 */
ngx_int_t ngx_ors_request_unreadable(ngx_ors_request_t *req,
    ngx_ors_json_t *json, ngx_ors_error_t *err);

/* Appends an input that is a string as a message of the user. */
void ngx_ors_request_write_text(ngx_ors_request_t *req, ngx_ors_out_t *out);

/*
 * Fields of a request that no table knows, and types of tools that nothing
 * serves, which are not sent on: how many there are, and which.
 */


/*
 * Sets req->nignored, and req->ignored to the paths of the first of them, fit
 * for a header or a log line.  "translated": the request has been written for
 * Chat Completions, where no unknown field has a place unless the policy
 * passes it.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_request_ignore(ngx_ors_request_t *req,
    ngx_uint_t translated);


#endif /* _NGX_ORS_REQUEST_H_INCLUDED_ */
