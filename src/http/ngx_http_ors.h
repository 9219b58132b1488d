
/*
 * The room that knows nginx's HTTP: what its files share.
 */


#ifndef _NGX_HTTP_ORS_H_INCLUDED_
#define _NGX_HTTP_ORS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>
#include <ngx_ors_background.h>
#include <ngx_ors_digest.h>
#include <ngx_ors_forward.h>
#include <ngx_ors_hold.h>
#include <ngx_ors_mcp_server.h>
#include <ngx_ors_body.h>
#include <ngx_ors_route.h>
#include <ngx_ors_session.h>
#include <ngx_ors_sse.h>
#include <ngx_ors_stats.h>
#include <ngx_ors_store.h>
#include <ngx_ors_turn.h>


/* directions that a validator checks */
#define NGX_HTTP_ORS_VALIDATE_REQUEST   0x1
#define NGX_HTTP_ORS_VALIDATE_RESPONSE  0x2

/* the zone of metrics, unless it is configured */
#define NGX_HTTP_ORS_STATS_SIZE  (2 * 1024 * 1024)

/* output block of a small document */
#define NGX_HTTP_ORS_BLOCK     1024

/* r->buffered: bytes of an answer wait in our filter */
#define NGX_HTTP_ORS_BUFFERED  0x08

/* nginx has no name for it */
#define NGX_HTTP_ORS_UPGRADE_REQUIRED  426


/* of requests with a body to paths that are no endpoint */

typedef enum {
    ngx_http_ors_paths_pass = 0,
    ngx_http_ors_paths_validate,
    ngx_http_ors_paths_reject
} ngx_http_ors_paths_e;


/* of WebSocket handshakes */

typedef enum {
    ngx_http_ors_websocket_off = 0,
    ngx_http_ors_websocket_pass,
    ngx_http_ors_websocket_on
} ngx_http_ors_websocket_e;


/* of a location where they are served */

typedef struct {
    ngx_msec_t                 idle;
    ngx_msec_t                 lifetime;
    size_t                     message;     /* 0: as long as a body */
    ngx_uint_t                 queue;
    ngx_uint_t                 lanes;       /* "stream_id" is known */
    ngx_uint_t                 any_origin;  /* pages of other hosts may */
} ngx_http_ors_ws_conf_t;


/* which targets get the client's keys and identity */

typedef enum {
    ngx_http_ors_credentials_first = 0,     /* of those of a failover */
    ngx_http_ors_credentials_all,
    ngx_http_ors_credentials_off
} ngx_http_ors_credentials_e;


typedef struct {
    ngx_flag_t                 enable;
    ngx_uint_t                 called;      /* a gateway names it */
    char                      *chat_only;   /* a directive, or NULL */
    ngx_array_t               *routes;      /* of ngx_ors_route_t */
    ngx_ors_pointer_t         *sets;        /* in bodies for the target */
    ngx_ors_hosting_t          hosting;     /* tools of a gateway */
    ngx_ors_conform_t          conform;     /* mode and retry */
    ngx_msec_t                 heartbeat;   /* ms, 0: none */
    ngx_int_t                  tries;       /* targets called in turn */
    ngx_msec_t                 tries_timeout;   /* ms, 0: none */
    ngx_ors_peer_conf_t       *peers;       /* by the number of a target */
    ngx_uint_t                 npeers;
    ngx_ors_callee_conf_t     *callees;     /* of "hosting" */
    ngx_uint_t                 ncallees;
    ngx_uint_t                 credentials;  /* ngx_http_ors_credentials_e */
    ngx_flag_t                 trace;       /* calls are part of the client's */
    ngx_uint_t                 dialect;     /* ngx_ors_dialect_e */
    ngx_str_t                  proxy_pass;  /* as it is written, or empty */
    ngx_uint_t                 asks;        /* for the path of an endpoint */
    void                      *limit_req;   /* the configuration where these */
    void                      *limit_conn;  /* limits are written, or NULL */
    ngx_str_t                  model;
    ngx_ors_chat_options_t     options;
    ngx_ors_chat_options_t    *preset;      /* of the server, or NULL */
    ngx_str_t                  preset_name;  /* ... its name, or empty */
    ngx_uint_t                 validate;    /* NGX_HTTP_ORS_VALIDATE_ */
    ngx_uint_t                 report;      /* violations are only logged */
    ngx_uint_t                 broad;       /* is set for a server or more */
    ngx_uint_t                 reject_level;  /* of requests, in the log */
    ngx_uint_t                 path_variants;   /* ngx_http_ors_paths_e */
    ngx_uint_t                 unknown_paths;   /* the same */
    ngx_uint_t                 websocket;  /* ngx_http_ors_websocket_e */
    ngx_http_ors_ws_conf_t     ws;
    ngx_flag_t                 strict;
    ngx_uint_t                 flavor;      /* its strict profile */
    ngx_ors_policy_t           policy;
    ngx_ors_limits_t           limits;
    ngx_str_t                  compact_prompt;
    ngx_http_complex_value_t  *scope;       /* NULL: "Authorization" */
    ngx_uint_t                 scope_share;  /* an empty scope is one */
    ngx_uint_t                 status;      /* ngx_ors_stats_format_e */
    ngx_ors_metrics_labels_t  *labels;      /* of targets or the validator, */
                                            /* an operation after the other */
    ngx_http_handler_pt        page;        /* of the status, or NULL */
    ngx_ors_store_use_t        stored;
    ngx_flag_t                 inline_context;  /* a target gets stored input */
    ngx_ors_background_limit_t  background;
    time_t                     created;     /* of the configuration */
    ngx_http_core_srv_conf_t  *server;      /* of a gateway */
} ngx_http_ors_loc_conf_t;


/* copies of configurations of upstreams that calls use in their place */
#define NGX_HTTP_ORS_UPSTREAMS  32

/* of nginx: they depend on the body of a request */
#define NGX_HTTP_ORS_BODY_VARIABLES  6


typedef struct {
    ngx_array_t            locations;   /* of ngx_http_core_loc_conf_t *, */
                                        /* those with "open_responses on" */
    ngx_array_t            stores;      /* of ngx_ors_store_t * */
    ngx_ors_mcp_servers_t  servers;     /* of MCP, that this worker knows */
    ngx_queue_t            leaves;      /* of ngx_http_ors_mcp_leave_t, */
    ngx_uint_t             nleaves;     /* those of this worker */
    ngx_http_upstream_conf_t  upstreams[NGX_HTTP_ORS_UPSTREAMS];
    ngx_uint_t             nupstreams;  /* of this worker */
    ngx_uint_t             validators;  /* some location has a validator */
    ngx_queue_t            background;  /* of ngx_http_ors_background_t, */
    ngx_uint_t             nbackground;  /* those that this worker runs */
    ngx_ors_holders_t      holders;     /* of this worker */
    ngx_ors_jsonschema_cache_t  schemas;  /* compiled, of this worker */
    ngx_shm_zone_t        *stats;       /* NULL: nothing is counted */
    size_t                 stats_size;  /* of the zone */
    ngx_uint_t             generation;  /* number of this configuration */
    ngx_array_t            labels;      /* of ngx_ors_metrics_labels_t * */
    ngx_array_t           *secret;      /* of ngx_ors_seal_key_t, or NULL */
    ngx_int_t              variables[NGX_HTTP_ORS_BODY_VARIABLES];
} ngx_http_ors_main_conf_t;


typedef struct ngx_http_ors_ctx_s         ngx_http_ors_ctx_t;
typedef struct ngx_http_ors_background_s  ngx_http_ors_background_t;
typedef struct ngx_http_ors_call_s        ngx_http_ors_call_t;
typedef struct ngx_http_ors_tools_s       ngx_http_ors_tools_t;
typedef struct ngx_http_ors_stored_s      ngx_http_ors_stored_t;
typedef struct ngx_http_ors_store_task_s  ngx_http_ors_store_task_t;
typedef struct ngx_http_ors_mcp_s         ngx_http_ors_mcp_t;
typedef struct ngx_http_ors_ws_s          ngx_http_ors_ws_t;
typedef struct ngx_http_ors_ws_turn_s     ngx_http_ors_ws_turn_t;


/* where an answer goes; all but "last_sent" and what is busy: the owner's */

typedef struct {
    ngx_http_request_t             *request;    /* the client's */
    ngx_http_output_body_filter_pt  write;
    ngx_ors_queue_t                 queue;

    unsigned                        top:1;      /* "write" is the first of */
                                                /* all filters */
    unsigned                        last_sent:1;
} ngx_http_ors_pump_t;


/* goes on with a turn, NGX_ERROR as "rc" ends it; "ctx" may be gone then */
typedef void (*ngx_http_ors_resume_pt)(ngx_http_ors_ctx_t *ctx, ngx_int_t rc);

/* begins the turn of a request; NGX_OK, NGX_ERROR: the caller ends it */
typedef ngx_int_t (*ngx_http_ors_begin_pt)(ngx_http_ors_ctx_t *ctx);


/* of a main request */

struct ngx_http_ors_ctx_s {
    ngx_http_request_t        *request;
    ngx_http_ors_loc_conf_t   *conf;        /* of the location that serves */
                                            /* it: "post_action" leads the */
                                            /* request to another one */
    ngx_http_ors_resume_pt     resume;      /* called below the loop of */
                                            /* a turn */
    ngx_http_cleanup_t        *cleanup;     /* of all that goes on for it */
    const ngx_ors_endpoint_t  *endpoint;
    ngx_ors_turn_t            *turn;
    ngx_uint_t                 state;       /* of "turn", in the debug log */
    ngx_http_ors_call_t       *call;
    ngx_queue_t                calls;       /* all that run */
    ngx_ors_target_t          *target;
    ngx_http_ors_tools_t      *tools;       /* of the last round, or NULL */
    ngx_http_ors_mcp_t        *mcp;         /* dialogs, the newest first */
    ngx_ors_session_t         *session;     /* NULL: there is no store */
    ngx_ors_hold_t             hold;        /* of "session" */
    ngx_http_ors_ws_t         *socket;      /* of a handshake, or NULL */
    ngx_http_ors_ws_turn_t    *message;     /* of a WebSocket, or NULL */
    ngx_http_ors_background_t *background;  /* where the turn runs, or NULL */
    ngx_http_ors_store_task_t *task;        /* of a store, or NULL */
    ngx_http_ors_stored_t     *stored;      /* a response that is asked for, */
                                            /* or NULL */

    ngx_http_ors_pump_t        pump;
    ngx_http_posted_request_t  posted;
    off_t                      sent;        /* bytes when "pace" was set */
    ngx_event_t                pace;
    ngx_event_t                linger;
    ngx_event_t                heartbeat;
    ngx_msec_int_t             first_token; /* ms since the start of the */
                                            /* request, -1: none yet */
    ngx_msec_t                 last_output; /* when the client was last sent */
                                            /* something */
    ngx_str_t                  retry_after;  /* from the target, or empty */
    uint64_t                   own;         /* ns that were worked on it */

    ngx_chain_t               *error;       /* in place of an error page */

    u_char                     scope[NGX_ORS_DIGEST_LEN];
    u_char                     owner[NGX_ORS_DIGEST_LEN];  /* in the store */

    unsigned                   scoped:1;    /* "scope" is known */
    unsigned                   owned:1;     /* "owner" is known */
    unsigned                   ownerless:1; /* its scope is empty */
    unsigned                   header_sent:1;
    unsigned                   lingering:1;
    unsigned                   detached:1;  /* the request has no client */
    unsigned                   follows:1;   /* ... but this one gets its */
                                            /* stream */
    unsigned                   delayed:1;   /* "pace" is of "limit_rate" */
    unsigned                   counted:1;   /* the statistics know its end */
    unsigned                   retried:1;   /* "target" is not the first */
    unsigned                   gauged:1;    /* a gauge has it */
    unsigned                   ignored:1;   /* the log has the fields that */
                                            /* are not sent on */
};


/* ngx_http_ors_gateway.c: a request, its turn, and the loop of the turn */

/*
 * The content handler of a location with "open_responses on": reads the
 * request, begins its turn and calls the target.
 */
ngx_int_t ngx_http_ors_handler(ngx_http_request_t *r);

/*
 * Prepares a turn's sealer, pump, timers and handlers.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_turn_init(ngx_http_ors_ctx_t *ctx);


/* ngx_http_ors_set.c: members that an operator sets in bodies for targets */

/* "open_responses_set POINTER JSON [missing]". */
char *ngx_http_ors_set_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/*
 * Sets olcf->sets in the body "out" of a call, which is made anew.  NGX_OK or
 * NGX_ERROR.
 */
ngx_int_t ngx_http_ors_set_body(ngx_http_ors_call_t *call,
    ngx_http_ors_loc_conf_t *olcf, ngx_ors_out_t *out);


/* ngx_http_ors_pump.c: bytes in and out; records, events, bodies, documents */

/*
 * Takes more of the answer of "r", see ngx_ors_source_take(); r->buffered says
 * afterwards whether bytes are left.
 */
ngx_int_t ngx_http_ors_pump_take(ngx_http_request_t *r,
    ngx_ors_source_t *source, ngx_chain_t *in);

/*
 * Prepares the decoding of an answer from its Content-Encoding, which "strip"
 * removes from the headers.  NGX_OK, NGX_DECLINED: an encoding that is not
 * known, or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_pump_decode(ngx_http_request_t *r,
    ngx_ors_source_t *source, ngx_uint_t strip);

/*
 * Sends pump->queue, or what waits for a slow client; with "last" nothing
 * follows it.  Returns what the filters have returned.
 */
ngx_int_t ngx_http_ors_pump_send(ngx_http_ors_pump_t *pump, ngx_uint_t last);

/* The ms since the start of main request "r". */
ngx_msec_int_t ngx_http_ors_pump_elapsed(ngx_http_request_t *r);

/*
 * Ends the request of a client that goes away while nothing is sent to it; in
 * front of a post action, its ctx->cleanup is called.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_watch(ngx_http_request_t *r);

/* Prepares an event of request "r", a timer or one that is posted. */
void ngx_http_ors_event_init(ngx_event_t *ev, ngx_event_handler_pt handler,
    void *data, ngx_http_request_t *r);

/* Neither the timer nor the posted event will come. */
void ngx_http_ors_event_stop(ngx_event_t *ev);

/* Goes on with the turn of "ctx", from the handler of an event. */
void ngx_http_ors_event_resume(ngx_http_ors_ctx_t *ctx);

/* Posts a request unless it is posted already. */
void ngx_http_ors_post(ngx_http_request_t *r, ngx_http_posted_request_t *pr);

/* Makes and sets the ctx of a main request.  NULL: no memory. */
ngx_http_ors_ctx_t *ngx_http_ors_ctx_create(ngx_http_request_t *r);

/* Sets the headers of an answer that is a stream.  NGX_OK or NGX_ERROR. */
ngx_int_t ngx_http_ors_stream(ngx_http_request_t *r);

/*
 * Sends "out", which must not be empty, as a JSON document unless the response
 * has a type; returns what a content handler returns.
 */
ngx_int_t ngx_http_ors_document(ngx_http_request_t *r, ngx_uint_t status,
    ngx_ors_out_t *out);

/*
 * Makes glibc keep the pages of large requests for the next ones, up to twice
 * NGX_HTTP_ORS_LARGE in a worker.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_body_init(ngx_log_t *log);


/*
 * Gives the request's body, which has been read, as one piece of memory; it
 * lives as long as the request.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_body(ngx_http_request_t *r, ngx_str_t *body);


/*
 * Makes of "body", the request's, its text without its Content-Encoding, which
 * is no longer than client_max_body_size.  With "set" it takes the place of the
 * request's body, and the header is removed.  NGX_OK, NGX_DECLINED: "err" says
 * why not, or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_body_decode(ngx_http_request_t *r, ngx_str_t *body,
    ngx_uint_t set, ngx_ors_error_t *err);


/*
 * Puts "bufs" of "size" bytes in the place of the request's body, which has
 * been read; of a subrequest, once.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_body_set(ngx_http_request_t *r, ngx_chain_t *bufs,
    size_t size);


/*
 * ngx_http_ors_detach.c: requests without a client; they have all that the
 * client's request had, and live on when it has been answered
 */

/*
 * Makes a main request in the location of "from", with copies of its URI, of
 * its headers, of the variables that it has and of "body", and a connection for
 * it.  Without "body", which is NULL, it has none of these, and no line in the
 * log.  Subrequests can be made of it; nothing must be sent to it.  It is ended
 * by ngx_http_ors_detach_end().  NULL: it has been logged why.
 */
ngx_http_request_t *ngx_http_ors_detach(ngx_http_request_t *from,
    ngx_str_t *body);

/*
 * Ends it, with its subrequests; its cleanup handlers are called before this
 * returns, the memory is freed by ngx_http_run_posted_requests().  It has no
 * post action, and is ended once: another call does nothing.
 */
void ngx_http_ors_detach_end(ngx_http_request_t *r);

/* Sets the connections of "load" to those of this worker. */
void ngx_http_ors_detach_connections(ngx_ors_background_load_t *load);


/* ngx_http_ors_stored.c: stored responses */

/*
 * Serves what is stored in the location's store, if the URI is one of it.
 * NGX_DECLINED: it is none, else what a content handler returns.
 */
ngx_int_t ngx_http_ors_stored(ngx_http_request_t *r);

/* "/conversations": an "s", a slash and an id may follow. */
extern ngx_str_t  ngx_http_ors_conversations;

/*
 * Answers a client whose response runs in the background with its stream, up to
 * its end; the request is finalized.
 */
void ngx_http_ors_stored_follow(ngx_http_ors_ctx_t *ctx);


/* ngx_http_ors_conversation.c: conversations that clients write */

/* As ngx_http_ors_stored() for a POST about a conversation. */
ngx_int_t ngx_http_ors_conversation(ngx_http_request_t *r);


/* ngx_http_ors_store.c: the engine "location" of stores */
extern const ngx_ors_store_engine_t  ngx_http_ors_store_engine;


/* ngx_http_ors_session.c: the context of a turn */


/* Prepares "hold" for what the request of "ctx" is to hold. */
void ngx_http_ors_hold_init(ngx_http_ors_ctx_t *ctx, ngx_ors_hold_t *hold);

/*
 * Makes the session of a turn whose request has been read, if the location
 * has a store.  NGX_OK, NGX_DONE: the turn has failed, NGX_ERROR.
 */
ngx_int_t ngx_http_ors_session_init(ngx_http_ors_ctx_t *ctx);

/*
 * Settles what becomes of the turn at the target whose configuration is
 * "olcf", see ngx_ors_session_settle(), and checks that its owner is known if
 * that is needed.  NGX_OK, NGX_DONE: the turn has failed, NGX_ERROR.
 */
ngx_int_t ngx_http_ors_session_settle(ngx_http_ors_ctx_t *ctx,
    ngx_http_ors_loc_conf_t *olcf);

/* The request of "ctx" ends, it may have a session: may be called twice. */
void ngx_http_ors_session_close(ngx_http_ors_ctx_t *ctx);

/*
 * Makes the session of a detached turn from that of its client's request.
 * NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_session_detach(ngx_http_ors_ctx_t *ctx,
    ngx_ors_session_t *from);

/*
 * Gives the turn its context, called for its subrequest.
 *
 * NGX_OK         it has all
 * NGX_AGAIN      it is being loaded, the subrequest will go on
 * NGX_DONE       the turn has failed
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_http_ors_session_load(ngx_http_ors_ctx_t *ctx);

/*
 * Claims approved calls, see ngx_ors_turn_servers(); the call's subrequest goes
 * on later.  NGX_AGAIN or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_session_claim(ngx_http_ors_ctx_t *ctx);

/*
 * Stores a turn in the state "commit", once; the request goes on later.
 * NGX_OK, NGX_AGAIN or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_session_commit(ngx_http_ors_ctx_t *ctx);

/* Posts a job of request "r". */
void ngx_http_ors_job_post(ngx_http_request_t *r, ngx_ors_store_job_t *job,
    ngx_ors_store_job_pt handler, void *data);

/*
 * Called first in the handler of a job: the log is that of request "r" from
 * here on.  Returns its connection, to run posted requests in the end.
 */
ngx_connection_t *ngx_http_ors_job_done(ngx_http_request_t *r,
    ngx_ors_store_job_t *job);


/* ngx_http_ors_error.c: endpoints of paths, refusals, error documents */

/*
 * The endpoint that is asked for in a location with "open_responses on"
 * (protocol, section 1), which must take the method and the content type.
 * NGX_OK, or the HTTP status that refuses the request.
 */
ngx_int_t ngx_http_ors_endpoint(ngx_http_request_t *r,
    const ngx_ors_endpoint_t **endpoint);

/*
 * The URI in a location with "open_responses on" is one below an endpoint,
 * whose path is "prefix" with a slash at its end, static text: "rest" is what
 * follows, never empty.  NGX_OK or NGX_DECLINED.
 */
ngx_int_t ngx_http_ors_endpoint_below(ngx_http_request_t *r,
    ngx_str_t *prefix, ngx_str_t *rest);

/*
 * Refuses the method of the request: says which "methods", static text, are
 * taken.  Returns the HTTP status that refuses it.
 */
ngx_int_t ngx_http_ors_allow(ngx_http_request_t *r, char *methods);

/*
 * Refuses a handshake in the way from which clients go on by HTTP.  Returns
 * the HTTP status for it.
 */
ngx_int_t ngx_http_ors_upgrade_refuse(ngx_http_request_t *r);

/*
 * Checks the header OpenResponses-Version of a request: where "conf" is strict
 * it must name a release that is known.  NGX_OK, or NGX_DECLINED: "err" says
 * why.
 */
ngx_int_t ngx_http_ors_release_check(ngx_http_request_t *r,
    ngx_http_ors_loc_conf_t *conf, ngx_ors_error_t *err);

/*
 * Adds the header to an answer that has none.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_http_ors_release_add(ngx_http_request_t *r);

/* Fills "err" with what there is to say of a "status" of nginx's own. */
void ngx_http_ors_error_of(ngx_http_request_t *r, ngx_uint_t status,
    ngx_ors_error_t *err);

/* Sends an error document; returns what a content handler returns. */
ngx_int_t ngx_http_ors_error_send(ngx_http_request_t *r,
    ngx_ors_error_t *err);

/*
 * Puts an error document (protocol, section 11) in the place of the page that
 * nginx is about to send for r->headers_out.status: the header is changed,
 * the body is kept in ctx->error, ctx is made if there is none yet.
 * NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_error(ngx_http_request_t *r);


/* ngx_http_ors_access.c: scopes of clients, and locations that they reach */

/*
 * Puts a handler in front of those of directives of nginx's own modules, until
 * the configuration is read: each notes in ngx_http_ors_loc_conf_t what is
 * written, since the configurations of these modules are private.  NGX_OK or
 * NGX_ERROR.
 */
ngx_int_t ngx_http_ors_conf_watch(ngx_conf_t *cf);

/*
 * Checks the directives that are written in one location, "conf", which has not
 * been merged with "prev".  NGX_OK, or NGX_ERROR: the log says which of them
 * has no effect there.
 */
ngx_int_t ngx_http_ors_conf_check(ngx_conf_t *cf,
    ngx_http_core_loc_conf_t *clcf, ngx_http_ors_loc_conf_t *conf,
    ngx_http_ors_loc_conf_t *prev);

/*
 * Finds the locations of all targets, tools and MCP servers of "gateway", and
 * warns of those that clients can reach.  NGX_OK, or NGX_ERROR: there is no
 * location for one, or it is a gateway.
 */
ngx_int_t ngx_http_ors_targets_check(ngx_conf_t *cf,
    ngx_http_core_loc_conf_t *gateway);

/*
 * Whom the request is from, as far as what is kept or sealed for one client
 * is not to be another's: ctx->scope.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_scope(ngx_http_ors_ctx_t *ctx);

/*
 * The same as the location's store has it, which has a key and a name of its
 * own: ctx->owner.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_scope_store(ngx_http_ors_ctx_t *ctx);

/*
 * The sealer for the client of the request, from its pool; NULL: there is no
 * "open_responses_secret".  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_scope_sealer(ngx_http_ors_ctx_t *ctx,
    ngx_ors_sealer_t **sealer);

/*
 * Checks that the request names its owner, if something is stored, sealed,
 * looked up or opened for it; "translates" is for its target.  NGX_OK,
 * NGX_DONE: the turn has failed, NGX_ERROR.
 */
ngx_int_t ngx_http_ors_scope_needed(ngx_http_ors_ctx_t *ctx,
    ngx_uint_t translates);

/*
 * Fills in the error of a request that names no owner, and its
 * header.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_scope_refuse(ngx_http_request_t *r,
    ngx_ors_error_t *err);

/* Handler of the directive "open_responses_store_scope". */
char *ngx_http_ors_scope_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/* Handler of the directive "open_responses_websocket". */
char *ngx_http_ors_ws_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);


/* ngx_http_ors_subrequest.c: phase handlers */

/* Installs the phase handlers of subrequests.  NGX_OK or NGX_ERROR. */
ngx_int_t ngx_http_ors_subrequest_init(ngx_conf_t *cf);

/*
 * Adds "early", in front of the limits of a location, and "handler", in front
 * of its content handler, to the phases.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_phases(ngx_conf_t *cf, ngx_http_handler_pt early,
    ngx_http_handler_pt handler);


/* ngx_http_ors_stats.c: what is counted, and the pages that show it */

/* The counters, or NULL: nothing is to be counted. */
ngx_ors_stats_t *ngx_http_ors_stats(ngx_http_request_t *r);

/* Counts a request that is refused with an HTTP status before it is read. */
void ngx_http_ors_stats_refused(ngx_http_request_t *r, ngx_uint_t status);

/* The same with an error; failures of our own are not counted. */
void ngx_http_ors_stats_error(ngx_http_request_t *r, ngx_ors_error_t *err);

/*
 * Counts what became of a turn, once, when it is over; its request has been
 * counted as checked before.  The log tells of one that was refused.
 */
void ngx_http_ors_stats_turn(ngx_http_ors_ctx_t *ctx);

/*
 * Logs that "req" is refused with "err" in the location of "olcf", with
 * "report" that it would be: what the client would read, the model and the
 * client's name for itself.
 */
void ngx_http_ors_stats_tell(ngx_http_request_t *r,
    ngx_http_ors_loc_conf_t *olcf, ngx_ors_request_t *req,
    ngx_ors_error_t *err, ngx_uint_t report);

/* Counts the fields of "req" that are not sent on, and logs their names. */
void ngx_http_ors_stats_ignored(ngx_http_request_t *r,
    ngx_ors_request_t *req);

/* Counts and remembers a call that failed, when another target is called. */
void ngx_http_ors_stats_again(ngx_http_ors_ctx_t *ctx);

/*
 * Asks for the memory of the counters: they are needed by this
 * configuration.  It may be called several times.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_http_ors_stats_zone(ngx_conf_t *cf);

/* Handler of the directive "open_responses_metrics_zone". */
char *ngx_http_ors_stats_zone_set(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);

/* Handler of the directive "open_responses_status". */
char *ngx_http_ors_stats_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/*
 * Begins the answer of a page that tells of this server: GET or HEAD, and no
 * cache keeps it.  NGX_OK, or the result of the handler.
 */
ngx_int_t ngx_http_ors_page(ngx_http_request_t *r);

/*
 * Makes the labels of all targets of "gateway", and numbers its targets.
 * NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_http_ors_metrics_gateway(ngx_conf_t *cf,
    ngx_http_core_loc_conf_t *gateway);

/* The same for a location or a server where "olcf" sets a validator. */
ngx_int_t ngx_http_ors_metrics_validator(ngx_conf_t *cf,
    ngx_http_core_loc_conf_t *clcf, ngx_http_ors_loc_conf_t *olcf);

/*
 * Finds the rows of all labels in shared memory, when that is there.  NGX_OK;
 * rows that there is no room for are logged.
 */
ngx_int_t ngx_http_ors_metrics_init(ngx_cycle_t *cycle);

/* A worker begins: its gauges are zero; with a "pid" of 0 it ends. */
void ngx_http_ors_metrics_worker(ngx_http_ors_main_conf_t *omcf,
    ngx_pid_t pid);

/* "ctx" is counted by "gauge" from now on, until it is closed. */
void ngx_http_ors_metrics_open(ngx_http_ors_ctx_t *ctx,
    ngx_ors_metrics_gauge_e gauge);
void ngx_http_ors_metrics_close(ngx_http_ors_ctx_t *ctx);

/* Adds "n" to a gauge of this worker, 1 or -1. */
void ngx_http_ors_metrics_gauge(ngx_http_request_t *r,
    ngx_ors_metrics_gauge_e gauge, ngx_int_t n);

/* Counts a turn that has ended; "outcome" NULL: its client has left. */
void ngx_http_ors_metrics_turn(ngx_http_ors_ctx_t *ctx,
    ngx_ors_outcome_t *outcome);

/* Counts a job of a store that is done, for request "r". */
void ngx_http_ors_metrics_job(ngx_http_request_t *r,
    ngx_ors_store_job_t *job);

/*
 * The counters of the tool "name" of the gateway "olcf", or of the MCP
 * server with that label.  NULL: the gateway has none.
 */
ngx_ors_callee_conf_t *ngx_http_ors_callee(ngx_http_ors_loc_conf_t *olcf,
    ngx_str_t *name, ngx_uint_t mcp);


/* ngx_http_ors_peers.c: which target is called */

/*
 * Of the list that begins with ctx->target, sets it to the first one that has
 * not failed of late, and how many others may be tried.
 */
void ngx_http_ors_peer_first(ngx_http_ors_ctx_t *ctx);

/* The same after a failure: there is a next one, and a try is left. */
void ngx_http_ors_peer_next(ngx_http_ors_ctx_t *ctx);

/* After "open_responses_target_timeout" no other target is tried. */
void ngx_http_ors_peer_late(ngx_http_ors_ctx_t *ctx);

/*
 * Remembers for 10 minutes, in this worker, that the model of the last call
 * takes no effort.
 */
void ngx_http_ors_peer_refused(ngx_http_ors_ctx_t *ctx);

/* 1 if the request's model takes none in the location of target "olcf". */
ngx_uint_t ngx_http_ors_peer_refuses(ngx_http_ors_ctx_t *ctx,
    ngx_http_ors_loc_conf_t *olcf);

/* Remembers how the last call to ctx->target went. */
void ngx_http_ors_peer_over(ngx_http_ors_ctx_t *ctx,
    ngx_ors_outcome_t *outcome);

/* Handler of the directive "open_responses_ready". */
char *ngx_http_ors_ready_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);


/* ngx_http_ors_variables.c: variables of the module */

/* Adds the variables.  NGX_OK or NGX_ERROR. */
ngx_int_t ngx_http_ors_variables_add(ngx_conf_t *cf);

/* Lets nginx's table of variables grow as the names of "cf" need it. */
void ngx_http_ors_variables_room(ngx_conf_t *cf);


/* ngx_http_ors_validator.c: requests that pass to an upstream are checked */

/* Handler of the directive "open_responses_validate". */
char *ngx_http_ors_validate_set(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);

/*
 * Phase handler, before access and limits: makes the record of a request
 * that is validated, by which the error page in its place is known.
 */
ngx_int_t ngx_http_ors_validator_early_handler(ngx_http_request_t *r);

/*
 * Phase handler: in a location with "open_responses_validate" reads the
 * request's body, checks it, and refuses it or lets it go on.
 */
ngx_int_t ngx_http_ors_validator_handler(ngx_http_request_t *r);

/* ngx_http_ors_filter.c: header and body filter */

/* Puts the filters into their chains. */
ngx_int_t ngx_http_ors_filter_init(ngx_conf_t *cf);


extern ngx_module_t  ngx_http_open_responses_module;


#endif /* _NGX_HTTP_ORS_H_INCLUDED_ */
