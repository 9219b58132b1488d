
/*
 * Options of a chat server: what it calls things, what it takes and what it
 * does not, as "open_responses_chat_options" and
 * "open_responses_reasoning_effort" say it.
 */


#ifndef _NGX_ORS_CHAT_OPTIONS_H_INCLUDED_
#define _NGX_ORS_CHAT_OPTIONS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_hosting.h>
#include <ngx_ors_text.h>
#include <ngx_ors_edit.h>
#include <ngx_ors_request.h>
#include <ngx_ors_seal.h>
#include <ngx_ors_json.h>


typedef enum {
    ngx_ors_chat_tokens_auto = 0,         /* by the name of the model */
    ngx_ors_chat_tokens_max,              /* "max_tokens" */
    ngx_ors_chat_tokens_completion        /* "max_completion_tokens" */
} ngx_ors_chat_tokens_e;


typedef enum {
    ngx_ors_chat_stream_off = 0,
    ngx_ors_chat_stream_on,               /* as the client asks */
    ngx_ors_chat_stream_always
} ngx_ors_chat_stream_e;


/* the member that sends reasoning back to the server */

typedef enum {
    ngx_ors_chat_reasoning_off = 0,
    ngx_ors_chat_reasoning_content,       /* "reasoning_content" */
    ngx_ors_chat_reasoning_plain          /* "reasoning" */
} ngx_ors_chat_reasoning_e;


/* tags around reasoning in a text */

typedef enum {
    ngx_ors_chat_think_off = 0,
    ngx_ors_chat_think_on,
    ngx_ors_chat_think_open               /* the prompt has opened the tag */
} ngx_ors_chat_think_e;


/* "strict" of functions */

typedef enum {
    ngx_ors_chat_strict_pass = 0,         /* as the client has it */
    ngx_ors_chat_strict_on,               /* true unless it says false */
    ngx_ors_chat_strict_schema,           /* ... and the schemas are so */
    ngx_ors_chat_strict_false,
    ngx_ors_chat_strict_off               /* is not sent */
} ngx_ors_chat_strict_e;


/* "content" of an assistant message that has only calls */

typedef enum {
    ngx_ors_chat_content_null = 0,
    ngx_ors_chat_content_empty,           /* a text of no length */
    ngx_ors_chat_content_off              /* no such member */
} ngx_ors_chat_content_e;


typedef enum {
    ngx_ors_chat_files_off = 0,
    ngx_ors_chat_files_on,                /* with their contents */
    ngx_ors_chat_files_url                /* also by their address */
} ngx_ors_chat_files_e;


/* the value of a call that has no state of its provider */

typedef enum {
    ngx_ors_chat_unsigned_pass = 0,
    ngx_ors_chat_unsigned_gemini          /* the value that Gemini documents */
} ngx_ors_chat_unsigned_e;


/* how the server is asked for the tokens of a request */

typedef enum {
    ngx_ors_chat_count_off = 0,
    ngx_ors_chat_count_tokenize,          /* it tokenizes messages */
    ngx_ors_chat_count_template           /* a prompt, which it makes of them */
} ngx_ors_chat_count_e;


/* members for one value of "reasoning.effort" */

typedef struct {
    ngx_str_t               value;
    ngx_ors_pointer_t       members;
} ngx_ors_chat_effort_t;


/* treatment of a tool that cannot be sent as a function */

typedef enum {
    ngx_ors_chat_type_unset = 0,          /* the operator has not said */
    ngx_ors_chat_type_skip,
    ngx_ors_chat_type_reject,
    ngx_ors_chat_type_send
} ngx_ors_chat_type_e;


typedef struct {
    ngx_str_t               type;         /* or what types begin with */
    ngx_uint_t              prefix;
    ngx_ors_chat_type_e     action;
    ngx_str_t               json;         /* sent for it, an object */
} ngx_ors_chat_type_t;


typedef struct {
    ngx_uint_t              tokens;       /* ngx_ors_chat_tokens_e */
    ngx_uint_t              developer;    /* there is a role of that name */
    ngx_uint_t              systems;      /* one system message, the first */
    ngx_uint_t              images;       /* parts of that kind are taken */
    ngx_uint_t              files;        /* ngx_ors_chat_files_e */
    ngx_uint_t              videos;
    ngx_uint_t              stream;       /* ngx_ors_chat_stream_e */
    ngx_uint_t              usage;        /* a stream is asked for it */
    ngx_uint_t              reasoning;    /* ngx_ors_chat_reasoning_e */
    ngx_uint_t              think;     /* tags in texts, ngx_ors_chat_think_e */
    ngx_uint_t              strict;       /* ngx_ors_chat_strict_e */
    ngx_uint_t              content;      /* ngx_ors_chat_content_e */
    ngx_uint_t              format;       /* a schema is one of json_object */
    ngx_uint_t              continues;    /* a message can be continued */
    ngx_uint_t              required;     /* a tool cannot be chosen by name */
    ngx_uint_t              params;       /* bits of ngx_ors_chat_optionals */
    ngx_uint_t              state;        /* bits of ngx_ors_chat_states */
    ngx_uint_t              unsigned_calls; /* ngx_ors_chat_unsigned_e */
    ngx_uint_t              count;        /* ngx_ors_chat_count_e */
    ngx_array_t            *efforts;      /* of ngx_ors_chat_effort_t, NULL */
    ngx_array_t            *types;        /* of ngx_ors_chat_type_t, NULL */
} ngx_ors_chat_options_t;


/* a member of the body that the client writes: ngx_ors_chat_request.h */

typedef struct {
    ngx_str_t                     name;   /* plain text */
    ngx_ors_json_node_t          *key;    /* in the request, as it came */
} ngx_ors_chat_member_t;


/* zeroed memory: there are none */

typedef struct {
    ngx_ors_chat_member_t        *members;
    ngx_uint_t                    n;
} ngx_ors_chat_passthrough_t;


/* fields that only some servers take: ngx_ors_chat_optionals */
#define NGX_ORS_CHAT_NOPTIONALS                                               \
    (0 NGX_ORS_CHAT_OPTIONALS(ngx_ors_chat_optional_one))

#define ngx_ors_chat_optional_one(name, foreign)  + 1

/* members of messages and calls that are provider state: ngx_ors_chat_states */
#define NGX_ORS_CHAT_STATES     5


/* tools that a model may call, beside the request's choice */

typedef enum {
    ngx_ors_chat_calls_asked = 0,         /* as the request says */
    ngx_ors_chat_calls_auto,              /* no call is needed any more */
    ngx_ors_chat_calls_none               /* none may be made any more */
} ngx_ors_chat_calls_e;


/* who is asked, borrowed */

typedef struct {
    ngx_str_t                     *model;  /* its name there, plain text */
    const ngx_ors_chat_options_t  *options;
    ngx_str_t                      provider;  /* may be empty */
    ngx_str_t                     *maker;  /* the same for provider state */
    ngx_ors_sealer_t              *sealer; /* opens what comes back or NULL */
    ngx_str_t                      prompt;  /* for a summary, empty: as usual */
    ngx_ors_hosting_t             *hosting; /* tools that run here, or NULL */
    ngx_ors_chat_calls_e           calls;
    ngx_uint_t                     effortless; /* the model takes no effort */

    size_t                         media;   /* bytes of images, files and so */
                                            /* on that were written */

    /* by ngx_ors_chat_pass_read(): written in place of the adapter's own */
    ngx_ors_chat_passthrough_t    passthrough;

    /* by ngx_ors_chat_options_read(): what is written for this server */
    ngx_ors_json_node_t          *optional[NGX_ORS_CHAT_NOPTIONALS];
    ngx_ors_json_node_t          *asked;      /* the effort, or NULL */
    ngx_ors_chat_effort_t        *effort;     /* NULL: as it is asked for */
} ngx_ors_chat_target_t;


/*
 * The fields of a chat request that the adapter itself writes or withholds.
 */


/* an effort of the configuration cannot become such a field */
#define NGX_ORS_CHAT_FIELD_OWN     0x01

/* withheld when a request passes fields that its table does not have */
#define NGX_ORS_CHAT_FIELD_DROP    0x02

/* rejected in "params" and "provider_options": other fields decide it */
#define NGX_ORS_CHAT_FIELD_FIXED   0x04


/* The options of a server of which nothing is said. */
extern const ngx_ors_chat_options_t  ngx_ors_chat_options;

/*
 * Names of the fields that are sent on to those servers only which take
 * them: the bit of "params" is that of the place in the list, which ends
 * with an empty name.
 */
extern const ngx_str_t  ngx_ors_chat_optionals[NGX_ORS_CHAT_NOPTIONALS + 1];

/* Names of provider state: the bit of "state" is that of the place. */
extern const ngx_str_t  ngx_ors_chat_states[NGX_ORS_CHAT_STATES + 1];

/*
 * 1 if the server takes a field "name": it is none of those that the request
 * has, and only some take, or it is said to be taken.
 */
ngx_uint_t ngx_ors_chat_takes(const ngx_ors_chat_options_t *options,
    ngx_str_t *name);

/* 1 if the client itself writes the member "name" of the body. */
ngx_uint_t ngx_ors_chat_passthrough(ngx_ors_chat_target_t *target,
    const ngx_str_t *name);

/*
 * Finds in the request what the functions below write, once for all of its
 * keys: sets "optional", "asked" and "effort" of "target".
 */
void ngx_ors_chat_options_read(ngx_ors_request_t *req,
    ngx_ors_chat_target_t *target);

/* Appends a comma and the key "name"; 0: the client itself writes it. */
ngx_uint_t ngx_ors_chat_key(ngx_ors_chat_target_t *target,
    const ngx_str_t *name, ngx_ors_out_t *out);

/*
 * Appends what the request's "reasoning.effort" is for that server, each member
 * with a comma in front of it.
 */
void ngx_ors_chat_effort(ngx_ors_request_t *req,
    ngx_ors_chat_target_t *target, ngx_ors_out_t *out);

/*
 * As ngx_ors_chat_effort() for the members that ask for the rest of the last
 * message, where that is the beginning of an answer and the server can continue
 * it (E19).
 */
void ngx_ors_chat_continue(ngx_ors_request_t *req,
    ngx_ors_chat_target_t *target, ngx_ors_out_t *out);

/*
 * 1 if one of the above writes a field with the name that "key" has, a
 * member of the body which the request's table does not know, or if the
 * client does.
 */
ngx_uint_t ngx_ors_chat_written(ngx_ors_request_t *req,
    ngx_ors_chat_target_t *target, ngx_ors_json_node_t *key);

/*
 * Sets "*rule" to what is said of tools of type "node": of the type itself,
 * else of the longest prefix; without any, they are skipped.
 *
 * NGX_OK      done
 * NGX_ERROR   no memory in "pool"
 */
ngx_int_t ngx_ors_chat_type(const ngx_ors_chat_options_t *options,
    ngx_ors_json_t *json, ngx_ors_json_node_t *node, ngx_pool_t *pool,
    const ngx_ors_chat_type_t **rule);

/* 1 if field "name" has one of "flags". */
ngx_uint_t ngx_ors_chat_field(const ngx_str_t *name, ngx_uint_t flags);

/*
 * The name of the field with one of "flags" that "key" spells, perhaps in
 * letters of another case, or NULL.
 */
const ngx_str_t *ngx_ors_chat_field_spelled(ngx_ors_json_t *json,
    ngx_ors_json_node_t *key, ngx_uint_t flags);


#endif /* _NGX_ORS_CHAT_OPTIONS_H_INCLUDED_ */
