
/*
 * "open_responses_target": which target the name of a model leads to.
 */


#ifndef _NGX_ORS_ROUTE_H_INCLUDED_
#define _NGX_ORS_ROUTE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_text.h>
#include <ngx_ors_validate.h>


typedef struct ngx_ors_target_s  ngx_ors_target_t;


struct ngx_ors_target_s {
    ngx_str_t                 uri;
    ngx_str_t                 args;
    ngx_str_t                 provider;   /* of the model, or empty */
    ngx_ors_target_t         *next;       /* if this one fails, or NULL */
    ngx_uint_t                max_fails;  /* it is left out after so many, */
    time_t                    fail_timeout;     /* for so long; 0: never */
    void                     *conf;       /* of the location that serves */
                                          /* "uri", "rewrite" and "if" apart, */
                                          /* or NULL */
    ngx_uint_t                number;     /* of all targets of the routes, */
                                          /* the caller's to set */
    unsigned                  shared:1;   /* of several locations: not known */
};


typedef enum {
    ngx_ors_route_exact = 0,
    ngx_ors_route_prefix,
    ngx_ors_route_regex,
    ngx_ors_route_default
} ngx_ors_route_e;


typedef struct {
    ngx_ors_route_e           type;
    ngx_str_t                 name;       /* without the mark of its type */
    ngx_ors_target_t          target;
#if (NGX_PCRE)
    ngx_regex_t              *regex;
#endif
} ngx_ors_route_t;


/*
 * Endpoints: what is sent to them and what comes back (protocol, section 1).
 */

typedef enum {
    ngx_ors_endpoint_responses = 0,
    ngx_ors_endpoint_input_tokens,
    ngx_ors_endpoint_compact,
    ngx_ors_endpoint_chat,
    ngx_ors_endpoint_embeddings,
    ngx_ors_endpoint_models
} ngx_ors_endpoint_e;


typedef struct {
    ngx_ors_endpoint_e        id;
    ngx_str_t                 path;       /* "/responses": the URI's end */
    const ngx_ors_shape_t    *request;    /* NULL: GET, without a body */
    const ngx_ors_shape_t    *answer;
    const ngx_ors_shape_t    *event;      /* of a stream, NULL: never one */
} ngx_ors_endpoint_t;


/* 1 if its requests have the body that creates a response */
#define ngx_ors_endpoint_creates(endpoint)                                    \
    ((endpoint)->id <= ngx_ors_endpoint_input_tokens)

/* 1 if they are about a conversation, which may be stored */
#define ngx_ors_endpoint_converses(endpoint)                                  \
    ((endpoint)->id <= ngx_ors_endpoint_compact)


/*
 * Limits of requests, answers and contexts, and "open_responses_limits", which
 * sets them.
 */


/* limits that an operator may set; sizes in bytes */

typedef struct {
    ngx_uint_t            depth;      /* containers inside each other */
    ngx_uint_t            nodes;      /* JSON values in one document */
    ngx_uint_t            items;      /* input items */
    ngx_uint_t            tools;
    ngx_uint_t            calls;      /* tool calls in one answer */
    size_t                event;      /* one event of a stream */
    size_t                answer;     /* one answer, and the text of a stream */
    size_t                queue;      /* output that waits for a slow client */
    ngx_uint_t            turns;      /* previous ones of a request */
    size_t                context;    /* ... all of them */
    size_t                truncate;   /* ... with "truncation": "auto" */
    size_t                tool_answer;    /* of one call of a hosted tool */
    ngx_uint_t            tool_calls;     /* ... that run side by side */
    size_t                scope_context;  /* ... of all requests of a scope */
                                      /* in a worker, 0: no limit */
} ngx_ors_limits_t;


/*
 * "open_responses_target MODEL URI... [provider=NAME] [max_fails=N]
 * [fail_timeout=TIME]": cmd->offset is that of an ngx_array_t *, at first
 * NGX_CONF_UNSET_PTR, of ngx_ors_route_t.
 */
char *ngx_ors_route_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/*
 * Finds the target that serves "model", and is of "provider" unless that is
 * empty; both are plain text.
 *
 * NGX_OK         "*target" is it
 * NGX_DECLINED   no target matches
 * NGX_ERROR      a regular expression has failed, the log says which
 */
ngx_int_t ngx_ors_route_find(ngx_array_t *routes, ngx_str_t *model,
    ngx_str_t *provider, ngx_ors_target_t **target, ngx_log_t *log);

/*
 * Appends the answer to GET models: all models that have a route by their full
 * name; "created" is the time of the configuration.
 */
void ngx_ors_route_models(ngx_array_t *routes, time_t created,
    ngx_ors_out_t *out);

/*
 * Appends the answer to GET models/{id}: any model that has a route by its
 * name, a prefix or an expression.  Return codes are those of
 * ngx_ors_route_find().
 */
ngx_int_t ngx_ors_route_model(ngx_array_t *routes, ngx_str_t *id,
    time_t created, ngx_ors_out_t *out, ngx_log_t *log);

/* The endpoint whose path "uri" ends with, or NULL. */
const ngx_ors_endpoint_t *ngx_ors_endpoint_find(ngx_str_t *uri);

/*
 * Finds the endpoint of an "uri" that some server may take for its path: in
 * capital letters, with more slashes or slashes at its end, parameters after
 * ";", dots or spaces, ".json", dot segments, or characters that are still
 * encoded.  It is rewritten in a copy from "pool".  NGX_OK: "*endpoint" is it,
 * or NULL; NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_endpoint_variant(ngx_str_t *uri, ngx_pool_t *pool,
    const ngx_ors_endpoint_t **endpoint);

/* 1 if "uri" is that of POST responses/{id}/cancel, which has no body. */
ngx_uint_t ngx_ors_endpoint_cancels(ngx_str_t *uri);

/*
 * 1 if a segment of "uri" is a version, as in /v1/responses or
 * /api/v1beta/models: other applications have paths that end so.
 */
ngx_uint_t ngx_ors_endpoint_versioned(ngx_str_t *uri);

/* in the order of ngx_ors_endpoint_e */
extern const ngx_ors_endpoint_t  ngx_ors_endpoints[];

/* The endpoint with that id. */
#define ngx_ors_endpoint(id)  (&ngx_ors_endpoints[id])

/*
 * "open_responses_limits NAME=NUMBER...": cmd->offset is that of an
 * ngx_ors_limits_t in "conf".
 */
char *ngx_ors_limits_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/* Sets all limits to "not configured". */
void ngx_ors_limits_init(ngx_ors_limits_t *limits);

/* Sets limits that are not configured to those of "prev", or the defaults. */
void ngx_ors_limits_merge(ngx_ors_limits_t *limits, ngx_ors_limits_t *prev);


#endif /* _NGX_ORS_ROUTE_H_INCLUDED_ */
