
/*
 * The room that knows nginx's HTTP: what its files share.
 */


#ifndef _NGX_HTTP_ORS_H_INCLUDED_
#define _NGX_HTTP_ORS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>
#include <ngx_ors_digest.h>
#include <ngx_ors_record.h>
#include <ngx_ors_stats.h>
#include <ngx_ors_store.h>
#include <ngx_ors_inflate.h>
#include <ngx_ors_turn.h>


/* r->buffered: bytes of an answer wait in our filter */
#define NGX_HTTP_ORS_BUFFERED  0x08

/* an answer is looked at in steps, between which a client may be slow */
#define NGX_HTTP_ORS_STEP      8192

/* what a guard looks at */
#define NGX_HTTP_ORS_VALIDATE_REQUEST   0x1
#define NGX_HTTP_ORS_VALIDATE_RESPONSE  0x2

/* what is left in a store for the worker that runs a turn */
#define NGX_HTTP_ORS_MARK_CANCELLED  "cancelled"
#define NGX_HTTP_ORS_MARK_DELETED    "deleted"

/* blocks of a document that is written at once */
#define NGX_HTTP_ORS_BLOCK     1024


typedef enum {
    ngx_http_ors_flavor_spec = 0,
    ngx_http_ors_flavor_openai
} ngx_http_ors_flavor_e;


typedef struct {
    ngx_flag_t                 enable;
    ngx_array_t               *routes;      /* of ngx_http_ors_route_t */
    ngx_msec_t                 ping;        /* ms, 0: none */
    ngx_int_t                  tries;       /* targets called in turn */
    ngx_uint_t                 dialect;     /* ngx_ors_dialect_e */
    ngx_str_t                  model;
    ngx_ors_chat_habits_t      habits;
    ngx_uint_t                 validate;    /* NGX_HTTP_ORS_VALIDATE_ */
    ngx_uint_t                 report;      /* what is found is only told */
    ngx_flag_t                 strict;
    ngx_uint_t                 flavor;      /* ngx_http_ors_flavor_e */
    ngx_ors_policy_t           policy;
    ngx_ors_limits_t           limits;
    ngx_str_t                  compact_prompt;
    ngx_http_complex_value_t  *scope;       /* NULL: "Authorization" */
    ngx_uint_t                 status;      /* ngx_ors_stats_format_e */
    ngx_ors_store_t           *store;       /* NULL: nothing is kept */
    ngx_uint_t                 store_required;      /* or a turn fails */
    ngx_uint_t                 store_instructions;  /* they are kept, too */
    ngx_flag_t                 expand;  /* a target gets stored input */
    ngx_uint_t                 background;  /* turns of it in a worker */
    ngx_msec_t                 background_timeout;
    time_t                     created;     /* of the configuration */
} ngx_http_ors_loc_conf_t;


typedef struct {
    ngx_array_t            locations;   /* of ngx_http_core_loc_conf_t *, */
                                        /* those with "open_responses on" */
    ngx_array_t            stores;      /* of ngx_ors_store_t * */
    ngx_uint_t             guards;      /* some location has a guard */
    ngx_uint_t             background;  /* turns that this worker runs */
    ngx_shm_zone_t        *stats;       /* NULL: nothing is counted */
    ngx_array_t           *secret;      /* of ngx_ors_seal_key_t, or NULL */
} ngx_http_ors_main_conf_t;


typedef struct ngx_http_ors_target_s  ngx_http_ors_target_t;


struct ngx_http_ors_target_s {
    ngx_str_t              uri;
    ngx_str_t              args;
    ngx_str_t              provider;    /* whose it is, or empty */
    ngx_http_ors_target_t *next;        /* if this one fails, or NULL */
};


/* an answer's body on its way to plain text; zeroed memory: it is plain */

typedef struct {
    ngx_ors_inflate_t     *inflate;     /* NULL: nothing to be done */
    ngx_buf_t             *buf;
    unsigned               whole:1;     /* it has come to its end */
} ngx_http_ors_plain_t;


typedef struct ngx_http_ors_ctx_s         ngx_http_ors_ctx_t;
typedef struct ngx_http_ors_kept_s        ngx_http_ors_kept_t;
typedef struct ngx_http_ors_background_s  ngx_http_ors_background_t;


/* a background subrequest to a target */

typedef struct {
    ngx_http_ors_ctx_t        *ctx;
    ngx_http_request_t        *request;
    ngx_http_ors_loc_conf_t   *conf;        /* the body was made for it */
    ngx_http_posted_request_t  posted;
    ngx_chain_t               *in;          /* bytes not looked at yet */
    ngx_http_ors_plain_t       plain;
    ngx_uint_t                 status;

    unsigned                   complete:1;  /* the last byte has come */
    unsigned                   done:1;      /* the subrequest has ended */
} ngx_http_ors_call_t;


/* of a main request */

struct ngx_http_ors_ctx_s {
    ngx_http_request_t        *request;
    const ngx_ors_endpoint_t  *endpoint;
    ngx_ors_turn_t            *turn;
    ngx_http_ors_call_t       *call;
    ngx_http_ors_target_t     *target;
    ngx_http_ors_kept_t       *kept;        /* in a store, NULL: nothing */
    ngx_http_ors_background_t *background;  /* where the turn runs, or NULL */

    ngx_chain_t               *busy;        /* output that is being sent */
    ngx_http_posted_request_t  posted;
    off_t                      sent;        /* bytes when "pace" was set */
    ngx_event_t                pace;
    ngx_event_t                linger;
    ngx_event_t                ping;
    ngx_msec_t                 interval;    /* of "ping" */
    ngx_msec_t                 spoken;      /* when the client was last told */
    ngx_str_t                  retry_after; /* from the target, or empty */

    ngx_chain_t               *error;       /* in place of an error page */

    u_char                     scope[NGX_ORS_DIGEST_LEN];

    unsigned                   scoped:1;    /* "scope" is known */
    unsigned                   header_sent:1;
    unsigned                   last_sent:1;
    unsigned                   lingering:1;
    unsigned                   detached:1;  /* the request has no client */
    unsigned                   delayed:1;   /* "pace" is of "limit_rate" */
    unsigned                   counted:1;   /* the statistics know its end */
};


/* what a turn has to do with a store; lives as long as its request */

typedef enum {
    ngx_http_ors_kept_st_new = 0,
    ngx_http_ors_kept_st_chain,       /* the turns before are being loaded */
    ngx_http_ors_kept_st_names,       /* whose are the items referred to? */
    ngx_http_ors_kept_st_items,       /* ... those turns are being loaded */
    ngx_http_ors_kept_st_ready,
    ngx_http_ors_kept_st_failed,
    ngx_http_ors_kept_st_commit       /* this turn is being stored */
} ngx_http_ors_kept_state_e;


struct ngx_http_ors_kept_s {
    ngx_http_ors_kept_state_e  state;
    ngx_http_ors_ctx_t        *ctx;
    ngx_ors_store_t           *store;
    ngx_ors_store_job_t       *job;         /* that is waited for */
    ngx_ors_store_job_t       *chain;       /* the turns before */

    ngx_uint_t                 wanted;      /* this turn, in the store */
    ngx_str_t                  previous;    /* the id that was named */
    ngx_ors_record_t           record;      /* its place in the chain */
    u_char                    *names;       /* of its ancestors */
    ngx_ors_store_key_t       *touch;       /* that would expire too early */
    ngx_uint_t                 ntouch;

    ngx_ors_context_t          context;
    ngx_array_t                refs;        /* of ngx_str_t */
    ngx_ors_store_key_t       *owners;      /* of what they refer to */
};


/* what is told of a request; empty: not known, or not yet */

typedef struct {
    ngx_str_t                  model;       /* the client's name for it */
    ngx_str_t                  target;
    ngx_str_t                  dialect;
    ngx_str_t                  stream;      /* "1" or "0" */
    ngx_str_t                  status;      /* what became of it */
    ngx_str_t                  code;        /* of the error */
    ngx_str_t                  param;
    ngx_str_t                  id;          /* of the response */
    ngx_str_t                  previous;    /* ... and of that before it */
    ngx_str_t                  stored;      /* "1" or "0" */
} ngx_http_ors_facts_t;


typedef enum {
    ngx_http_ors_guard_st_new = 0,
    ngx_http_ors_guard_st_body,             /* it is read, to be checked */
    ngx_http_ors_guard_st_passed            /* its answer may come */
} ngx_http_ors_guard_state_e;


/* a main request in a location with a guard; lives as long as it does */

typedef struct {
    ngx_http_ors_guard_state_e  state;
    ngx_http_request_t         *request;
    ngx_http_ors_loc_conf_t    *conf;       /* of the location that guards */
    const ngx_ors_endpoint_t   *endpoint;

    ngx_ors_request_t           body;
    ngx_ors_error_t             error;      /* of the request */

    ngx_ors_guard_t             guard;
    ngx_ors_out_t               out;        /* what it lets through */
    ngx_http_ors_plain_t        plain;
    ngx_chain_t                *in;         /* bytes not looked at yet */
    ngx_chain_t                *busy;       /* output that is being sent */

    ngx_http_output_header_filter_pt  next_header;
    ngx_http_output_body_filter_pt    next_body;

    ngx_uint_t                  version;    /* of the client's HTTP */

    unsigned                    refused:1;  /* the request was */
    unsigned                    held:1;     /* the answer is checked */
    unsigned                    ended:1;    /* ... and has come to its end */
    unsigned                    header_sent:1;
    unsigned                    last_sent:1;
    unsigned                    counted:1;  /* the statistics know its end */
} ngx_http_ors_guarded_t;


/* ngx_http_ors_handler.c */

/*
 * The content handler of a location with "open_responses on": reads the
 * request, begins its turn and calls the target.
 */
ngx_int_t ngx_http_ors_handler(ngx_http_request_t *r);


/*
 * Begins the turn of a request whose body has been read.  NGX_OK, or
 * NGX_ERROR: the request is to be ended by the caller.
 */
ngx_int_t ngx_http_ors_begin(ngx_http_ors_ctx_t *ctx);

/* A client that goes away while it waits is noticed.  NGX_OK or NGX_ERROR. */
ngx_int_t ngx_http_ors_watch(ngx_http_request_t *r);


/* ngx_http_ors_stored.c */

/*
 * Serves what is stored in the location's store, if the URI is one of it.
 * NGX_DECLINED: it is none, else what a content handler returns.
 */
ngx_int_t ngx_http_ors_stored(ngx_http_request_t *r);


/* ngx_http_ors_background_start.c */

/*
 * Called for the subrequest to a target: sees to it that a turn which is to
 * run without its client does so.
 *
 * NGX_OK         it is none, or this is where it runs
 * NGX_AGAIN      it runs elsewhere, the subrequest will end
 * NGX_DONE       the turn has failed
 * NGX_ERROR      it cannot be begun
 */
ngx_int_t ngx_http_ors_background(ngx_http_ors_ctx_t *ctx);

/*
 * The target of a turn that runs without its client can be called: its client
 * is told before.  NGX_OK, NGX_AGAIN: the subrequest will go on, NGX_ERROR.
 */
ngx_int_t ngx_http_ors_background_ready(ngx_http_ors_ctx_t *ctx);

/* Handler of the directive "open_responses_background". */
char *ngx_http_ors_background_set(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);


/* ngx_http_ors_background.c */

/* In place of sending what the turn has to say; "ctx" may be gone then. */
void ngx_http_ors_background_run(ngx_http_ors_ctx_t *ctx);

/*
 * The turn is about to be stored.  NGX_OK, or NGX_AGAIN: it is being asked
 * whether somebody wants it to be cancelled, the turn will go on.
 */
ngx_int_t ngx_http_ors_background_final(ngx_http_ors_ctx_t *ctx);

/* The turn could not be stored: 1 if it will be tried again. */
ngx_uint_t ngx_http_ors_background_again(ngx_http_ors_ctx_t *ctx);


/* ngx_http_ors_endpoint.c */

/*
 * The endpoint that is asked for in a location with "open_responses on"
 * (spec, section 1), which must take the method and the content type.
 * NGX_OK, or the HTTP status that refuses the request.
 */
ngx_int_t ngx_http_ors_endpoint(ngx_http_request_t *r,
    const ngx_ors_endpoint_t **endpoint);

/*
 * The URI in a location with "open_responses on" is one below that of the
 * responses: "rest" is what follows "/responses/", never empty.
 * NGX_OK or NGX_DECLINED.
 */
ngx_int_t ngx_http_ors_endpoint_below(ngx_http_request_t *r,
    ngx_str_t *rest);

/*
 * Refuses the method of the request: says which "methods", static text, are
 * taken.  Returns the HTTP status that refuses it.
 */
ngx_int_t ngx_http_ors_allow(ngx_http_request_t *r, char *methods);

/* 1 if the body is said to be JSON, and not compressed. */
ngx_uint_t ngx_http_ors_json_body(ngx_http_request_t *r);


/* ngx_http_ors_models.c */

/* Serves the list of the models that have routes by their full name. */
ngx_int_t ngx_http_ors_models(ngx_http_request_t *r);


/* ngx_http_ors_document.c */

/*
 * Sends "out", which must not be empty, as a JSON document; returns what a
 * content handler returns.
 */
ngx_int_t ngx_http_ors_document(ngx_http_request_t *r, ngx_uint_t status,
    ngx_ors_out_t *out);


/* ngx_http_ors_body.c */

/*
 * Gives the request's body, which has been read, as one piece of memory; it
 * lives as long as the request.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_body(ngx_http_request_t *r, ngx_str_t *body);


/*
 * Puts "bufs" of "size" bytes in the place of the request's body, which has
 * been read.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_body_set(ngx_http_request_t *r, ngx_chain_t *bufs,
    size_t size);


/* ngx_http_ors_plain.c */

/*
 * Prepares the reading of an answer's body, by what r->headers_out says of
 * its encoding; with "strip" the client is not told of one.
 * NGX_OK, NGX_DECLINED: an encoding that is not known, or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_plain_init(ngx_http_ors_plain_t *plain,
    ngx_http_request_t *r, ngx_uint_t strip);

/*
 * Takes the next step through "b": "piece" is some plain text, valid until
 * the next call.
 *
 * NGX_OK         there is a piece
 * NGX_AGAIN      "b" is used up
 * NGX_DECLINED   it cannot be decompressed
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_http_ors_plain_next(ngx_http_ors_plain_t *plain, ngx_buf_t *b,
    ngx_buf_t *piece);

/* 1 unless a compressed body has ended before its end. */
#define ngx_http_ors_plain_whole(plain)                                       \
    ((plain)->inflate == NULL || (plain)->whole)


/* ngx_http_ors_headers.c */

/* The first header with that name, in any case, or NULL. */
ngx_table_elt_t *ngx_http_ors_header_find(ngx_list_t *headers,
    ngx_str_t *name);

/*
 * Adds a header; the texts are kept by reference.  "lowcase" is the name in
 * lower case.  NULL: no memory.
 */
ngx_table_elt_t *ngx_http_ors_header_add(ngx_list_t *headers,
    ngx_str_t *name, ngx_str_t *lowcase, ngx_str_t *value);


/*
 * Adds those headers of a target's answer that are of use to a client: its
 * limits, the id of the request, and what a client of the API looks for
 * (clients of the API, as their sources have it).  With "mask" there are
 * none: they tell of the operator's account.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_headers_pass(ngx_list_t *from, ngx_list_t *to,
    ngx_uint_t mask);


/* ngx_http_ors_route.c */

/*
 * The target that serves "model", and is of "provider" unless that is empty,
 * or NULL; both are plain text.
 */
ngx_http_ors_target_t *ngx_http_ors_route(ngx_array_t *routes,
    ngx_str_t *model, ngx_str_t *provider);

/* The "n"th model that has a route by its full name, NULL: no more. */
ngx_str_t *ngx_http_ors_route_model(ngx_array_t *routes, ngx_uint_t n);

/* Handler of the directive "open_responses_target". */
char *ngx_http_ors_route_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);


/* ngx_http_ors_habits.c */

/* Handlers of "open_responses_chat" and "open_responses_effort". */
char *ngx_http_ors_habits_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
char *ngx_http_ors_effort_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/*
 * Checks that "value", an argument of a directive, is JSON, and if "object"
 * is set, an object.  NGX_CONF_OK, or NGX_CONF_ERROR: it was said why not.
 */
char *ngx_http_ors_habit_json(ngx_conf_t *cf, ngx_str_t *value,
    ngx_uint_t object);

/* Nothing is said yet; and what is not said is as in "prev", or usual. */
void ngx_http_ors_habits_init(ngx_ors_chat_habits_t *habits);
void ngx_http_ors_habits_merge(ngx_ors_chat_habits_t *habits,
    ngx_ors_chat_habits_t *prev);


/* ngx_http_ors_tool_type.c */

/* Handler of "open_responses_tool_type". */
char *ngx_http_ors_tool_type_set(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);


/* ngx_http_ors_scope.c */

/*
 * Whom the request is from, as far as what is kept or sealed for one client
 * is not to be another's: puts NGX_ORS_DIGEST_LEN bytes into "digest", the
 * same for a main request and its subrequests.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_scope(ngx_http_request_t *r, u_char *digest);


/* ngx_http_ors_secret.c */

/* Handler of the directive "open_responses_secret". */
char *ngx_http_ors_secret_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/*
 * What seals for the client of the request, from its pool; NULL: there is no
 * "open_responses_secret".  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_sealer(ngx_http_request_t *r,
    ngx_ors_sealer_t **sealer);


/* ngx_http_ors_call.c */

/*
 * Calls ctx->target in a background subrequest for ctx->turn.  What it
 * answers is handed to the turn, and the parent is posted.
 * NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_call(ngx_http_ors_ctx_t *ctx);

/*
 * Calls the next target, ctx->target->next, in place of one that has failed.
 * As with ngx_http_ors_call_cancel(), not from inside of the subrequest.
 * NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_call_again(ngx_http_ors_ctx_t *ctx);

/*
 * Ends a call at once: the upstream connection is closed.  It must not be
 * used from inside of the subrequest's own handlers and filters.
 */
void ngx_http_ors_call_cancel(ngx_http_ors_call_t *call);

/* Sees to it that the request is sent to its end at once. */
void ngx_http_ors_call_push(ngx_http_ors_call_t *call);

/* Lets a call go on that had to wait for a slow client. */
void ngx_http_ors_call_resume(ngx_http_ors_call_t *call);

/*
 * Lets a call begin that was put off: the timer of "limit_req" is the
 * connection's, so it is the main request that is told.
 */
void ngx_http_ors_call_wake(ngx_http_ors_call_t *call);

/* Phase handler: makes the body when the target's location is known. */
ngx_int_t ngx_http_ors_call_handler(ngx_http_request_t *r);

/* The call that request "r" is the subrequest of, or NULL. */
ngx_http_ors_call_t *ngx_http_ors_call_of(ngx_http_request_t *r);

/* Header and body of the answer; the return codes are those of filters. */
ngx_int_t ngx_http_ors_call_header(ngx_http_ors_call_t *call);
ngx_int_t ngx_http_ors_call_body(ngx_http_ors_call_t *call, ngx_chain_t *in);


/* ngx_http_ors_output.c */

/* Prepares the timers of "ctx".  NGX_OK or NGX_ERROR. */
ngx_int_t ngx_http_ors_timers_init(ngx_http_ors_ctx_t *ctx);

/*
 * Moves the request on: tells the turn of a call that has ended, sends what
 * the turn has to say, keeps pace with the client, and finalizes in the end.
 * Nothing of "ctx" may be touched after it.
 */
void ngx_http_ors_run(ngx_http_ors_ctx_t *ctx);

/*
 * Ends the request and what belongs to it; "rc" is for
 * ngx_http_finalize_request().
 */
void ngx_http_ors_finalize(ngx_http_ors_ctx_t *ctx, ngx_int_t rc);

/* The same as a write event handler. */
void ngx_http_ors_write_handler(ngx_http_request_t *r);

/* Bytes that wait to be sent. */
size_t ngx_http_ors_pending(ngx_http_ors_ctx_t *ctx);

/* Posts a request unless it is posted already. */
void ngx_http_ors_post(ngx_http_request_t *r, ngx_http_posted_request_t *pr);


/* ngx_http_ors_ping.c */

/*
 * Sees to it that a client which waits for a stream hears something every
 * "interval" ms; 0: it may wait.
 */
void ngx_http_ors_ping(ngx_http_ors_ctx_t *ctx, ngx_msec_t interval);


/* ngx_http_ors_error.c */

/* Fills "err" with what there is to say of a "status" of nginx's own. */
void ngx_http_ors_error_of(ngx_http_request_t *r, ngx_uint_t status,
    ngx_ors_error_t *err);

/* Sends an error document; returns what a content handler returns. */
ngx_int_t ngx_http_ors_error_send(ngx_http_request_t *r,
    ngx_ors_error_t *err);

/*
 * Puts an error document (spec, section 11) in the place of the page that
 * nginx is about to send for r->headers_out.status: the header is changed,
 * the body is kept in ctx->error, ctx is made if there is none yet.
 * NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_error(ngx_http_request_t *r);

/* The body filter's part: sends ctx->error once in place of "in". */
ngx_int_t ngx_http_ors_error_body(ngx_http_request_t *r, ngx_chain_t *in,
    ngx_http_output_body_filter_pt next);


/* ngx_http_ors_conf.c */

/*
 * Sets "*field" to what the word "value" stands for in the list "e"; if it is
 * none of them, that is told, with "what", static text, and "name" for what it
 * is the value of.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_conf_value(ngx_conf_t *cf, char *what, ngx_str_t *name,
    ngx_conf_enum_t *e, ngx_str_t *value, ngx_uint_t *field);


/* ngx_http_ors_stats.c */

/* The counters, or NULL: nothing is to be counted. */
ngx_ors_stats_t *ngx_http_ors_stats(ngx_http_request_t *r);

/* Counts a request that is refused with an HTTP status before it is read. */
void ngx_http_ors_stats_refused(ngx_http_request_t *r, ngx_uint_t status);

/* The same with an error; failures of our own are not counted. */
void ngx_http_ors_stats_error(ngx_http_request_t *r, ngx_ors_error_t *err);

/*
 * Counts what became of a turn, once, when it is over; its request has been
 * counted as checked before.
 */
void ngx_http_ors_stats_turn(ngx_http_ors_ctx_t *ctx);

/* Counts a request that a guard has looked at, and what came of it. */
void ngx_http_ors_stats_request(ngx_http_ors_guarded_t *g);

/* Counts an answer that a guard has looked at, once, when it is over. */
void ngx_http_ors_stats_guard(ngx_http_ors_guarded_t *g);

/*
 * Asks for the memory of the counters: they are needed by this
 * configuration.  It may be called several times.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_stats_zone(ngx_conf_t *cf);

/* Handler of the directive "open_responses_status". */
char *ngx_http_ors_stats_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);


/* ngx_http_ors_store.c */

/*
 * Prepares the use of the location's store, if it has one, for a turn whose
 * request has been read.  NGX_OK, NGX_DONE: the turn has failed, NGX_ERROR.
 */
ngx_int_t ngx_http_ors_store_init(ngx_http_ors_ctx_t *ctx);

/*
 * Stores a turn in the state "commit", once; the turn will be told.
 * NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_store_commit(ngx_http_ors_ctx_t *ctx);

/*
 * A job that writes the turn as it is now, with room for "spare" entries
 * behind its record: to be posted or released by the caller.  NULL: no
 * memory.
 */
ngx_ors_store_job_t *ngx_http_ors_store_record(ngx_http_ors_kept_t *kept,
    ngx_ors_record_status_e status, ngx_uint_t spare);

/*
 * The key of what has "id" in the scope of the request: responses are of the
 * kind 'r', the ids of items 'i'.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_store_key(ngx_http_request_t *r, u_char kind,
    ngx_str_t *id, ngx_ors_store_key_t *key);


/*
 * The turn fails with the error; "code", "param" and "text" are static.
 * Returns NGX_DONE.
 */
ngx_int_t ngx_http_ors_store_refuse(ngx_http_ors_kept_t *kept,
    ngx_uint_t status, char *code, char *param, char *text);

/* A phrase for people for the status of a job, static text. */
ngx_str_t *ngx_http_ors_store_strerror(ngx_ors_store_status_e status);


/* ngx_http_ors_context.c */

/*
 * Gives the turn what its request refers to, called for its subrequest.
 *
 * NGX_OK         it has all
 * NGX_AGAIN      it is being loaded, the subrequest will go on
 * NGX_DONE       the turn has failed
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_http_ors_context(ngx_http_ors_ctx_t *ctx);


/* ngx_http_ors_store_conf.c */

/* Handler of the directive "open_responses_store". */
char *ngx_http_ors_store_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/*
 * Checks that all stores that are named are defined.  NGX_CONF_OK or
 * NGX_CONF_ERROR.
 */
char *ngx_http_ors_stores_check(ngx_conf_t *cf,
    ngx_http_ors_main_conf_t *omcf);

/* Opens and closes the stores of a worker.  NGX_OK or NGX_ERROR. */
ngx_int_t ngx_http_ors_stores_open(ngx_cycle_t *cycle);
void ngx_http_ors_stores_close(ngx_cycle_t *cycle);


/* ngx_http_ors_variables.c */

/*
 * Gathers what is known of "r", a main request or a subrequest of one; the
 * texts live as long as the request.
 */
void ngx_http_ors_facts(ngx_http_request_t *r, ngx_http_ors_facts_t *facts);

/* Adds the variables.  NGX_OK or NGX_ERROR. */
ngx_int_t ngx_http_ors_variables_add(ngx_conf_t *cf);


/* ngx_http_ors_guard.c */

/*
 * Phase handler, before access and limits: makes the record of a request
 * that is guarded, by which it is known where an error page stands for it.
 */
ngx_int_t ngx_http_ors_guard_early_handler(ngx_http_request_t *r);

/*
 * Phase handler: in a location with "open_responses_validate" reads the
 * request's body, checks it, and refuses it or lets it go on.
 */
ngx_int_t ngx_http_ors_guard_handler(ngx_http_request_t *r);

/*
 * 1 if nginx itself has refused a request before it was known to be one that
 * is guarded, as with 413: it is told as all else is.
 */
ngx_uint_t ngx_http_ors_guard_refused(ngx_http_request_t *r);

/* The record of a main request that is guarded, or NULL. */
ngx_http_ors_guarded_t *ngx_http_ors_guarded(ngx_http_request_t *r);


/* ngx_http_ors_guard_filter.c */

/* Header and body of its answer; the return codes are those of filters. */
ngx_int_t ngx_http_ors_guard_header(ngx_http_ors_guarded_t *g,
    ngx_http_output_header_filter_pt next);
ngx_int_t ngx_http_ors_guard_body(ngx_http_ors_guarded_t *g, ngx_chain_t *in,
    ngx_http_output_body_filter_pt next);


/* ngx_http_ors_filter.c */

/* Puts the filters into their chains. */
ngx_int_t ngx_http_ors_filter_init(ngx_conf_t *cf);


extern ngx_module_t  ngx_http_open_responses_module;


#endif /* _NGX_HTTP_ORS_H_INCLUDED_ */
