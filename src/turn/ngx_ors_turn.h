
/*
 * A turn: the work of producing one response.  A pure machine without I/O: the
 * request's body and the model server's answer go in, the client's answer
 * comes out.
 */


#ifndef _NGX_ORS_TURN_H_INCLUDED_
#define _NGX_ORS_TURN_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_answer.h>
#include <ngx_ors_builder.h>
#include <ngx_ors_chat_options.h>
#include <ngx_ors_context.h>
#include <ngx_ors_json_again.h>
#include <ngx_ors_round.h>
#include <ngx_ors_verify.h>


typedef enum {
    ngx_ors_turn_st_request = 0,    /* the request is not read yet */
    ngx_ors_turn_st_call,           /* the model is to be called */
    ngx_ors_turn_st_translate,      /* its answer is translated */
    ngx_ors_turn_st_pass,           /* its answer is verified and passed on */

    /* its target is done with */
    ngx_ors_turn_st_tools,          /* tools run, the model is asked again */
    ngx_ors_turn_st_again,          /* another one is to be called */
    ngx_ors_turn_st_commit,         /* the turn is to be stored */
    ngx_ors_turn_st_over
} ngx_ors_turn_state_e;

#define NGX_ORS_TURN_STATES  (ngx_ors_turn_st_over + 1)


typedef enum {
    ngx_ors_dialect_responses = 0,
    ngx_ors_dialect_chat
} ngx_ors_dialect_e;


typedef enum {
    ngx_ors_end_open = 0,           /* it goes on, perhaps without its client */
    ngx_ors_end_completed,
    ngx_ors_end_incomplete,
    ngx_ors_end_failed,
    ngx_ors_end_rejected,           /* the request; no target has answered */
    ngx_ors_end_canceled
} ngx_ors_end_e;


/* see ngx_ors_turn_outcome() */

typedef struct {
    ngx_ors_end_e           end;
    ngx_ors_class_e         class;        /* of the failure, or none */
    unsigned                broken:1;     /* the target of the last call has */
                                          /* failed */
    unsigned                worked:1;     /* ... has answered */
} ngx_ors_outcome_t;


typedef struct {
    ngx_ors_turn_state_e    state;

    /* to the client: due when "status" is set */
    ngx_uint_t              status;
    ngx_str_t               type;         /* Content-Type */
    ngx_ors_out_t           out;          /* body, to be taken and sent */

    ngx_ors_request_t       request;
    ngx_ors_chat_tools_t    tools;        /* as they were sent */
    ngx_ors_response_t      response;
    ngx_ors_journal_t       journal;      /* of a stream that is stored */
    ngx_ors_error_t         error;        /* when it has failed */

    ngx_ors_mcp_uses_t      mcp;          /* servers that the request names */
    ngx_ors_approvals_t     approvals;    /* the client's approvals of calls */
    ngx_ors_round_t         round;        /* of an answer that is translated */
    ngx_ors_answer_t        answer;       /* the target's */
    ngx_ors_builder_t       builder;      /* of an answer that is translated */
    ngx_ors_verify_t       *verify;       /* ... that is passed on, or NULL */
    ngx_ors_json_t          json;         /* of one chunk or document */
    ngx_ors_json_last_t     chunk;        /* the last one */
    ngx_uint_t              retry;        /* ms, by a header, or 0 */
    unsigned                upstream_error:1;   /* "error" is its own */
    unsigned                limited:1;    /* nginx's own limits have refused */
                                          /* the call */
    unsigned                claiming:1;   /* calls of stored requests were */
                                          /* approved */
    unsigned                claimed:1;    /* ... and may run */
    unsigned                effortless:1; /* the model takes no effort */
    unsigned                refused:1;    /* ... has refused one */
    unsigned                compacting:1; /* the conversation is, in front of */
                                          /* the call that was asked for */
    unsigned                messages:1;   /* to a WebSocket: one message ends */
                                          /* a turn that has failed */

    ngx_ors_dialect_e       dialect;
    ngx_str_t               provider;     /* of the target, or empty */
    ngx_str_t               maker;        /* ... of its provider state */
    ngx_ors_policy_t        policy;       /* a target's may hide more */
    ngx_uint_t              inline_context; /* see ngx_ors_turn_context() */
    ngx_uint_t              retries_left; /* targets that may still be tried */
    ngx_ors_limits_t       *limits;       /* borrowed, lives with the turn */
    ngx_ors_sealer_t       *sealer;       /* the same; NULL: nothing can be */
                                          /* sealed */
    ngx_ors_item_t         *summary;      /* the item of a compaction that */
                                          /* has begun, or NULL */
    ngx_str_t               rendered;     /* the prompt that a template has */
                                          /* made, raw, to be tokenized */
    ngx_str_t               prompt;       /* how a summary is asked for, the */
                                          /* same; empty: as usual */
    ngx_pool_t             *pool;
    ngx_log_t              *log;
} ngx_ors_turn_t;


/* words for the debug log */
extern char  *ngx_ors_turn_states[NGX_ORS_TURN_STATES];


/* 1 if nothing of the target is of use any more */
#define ngx_ors_turn_done(turn)  ((turn)->state >= ngx_ors_turn_st_tools)

/* 1 if an answer that is passed on waits until it has been stored */
#define ngx_ors_turn_held(turn)                                               \
    ((turn)->verify != NULL && (turn)->verify->held.len != 0)

/* 1 if a compaction was in front of the call that was asked for */
#define ngx_ors_turn_compacted(turn)                                          \
    ((turn)->summary != NULL && !(turn)->request.compact)

/* usage of tokens by the model server, an ngx_ors_usage_t */
#define ngx_ors_turn_usage(turn)                                              \
    (((turn)->verify != NULL && (turn)->verify->usage.known)                  \
     ? &(turn)->verify->usage : &(turn)->response.usage)


/*
 * Those that run a turn tell it by these, and write none of its fields.  An
 * argument that is a pointer or an ngx_str_t is borrowed until the turn ends.
 */

/* how many other targets may be tried */
#define ngx_ors_turn_tries(turn, n)  (turn)->retries_left = n

/* a header of the answer says when to try again, in ms; 0: it does not */
#define ngx_ors_turn_retry(turn, ms)  (turn)->retry = ms

/* where the log's last 404 of the target is noted, or NULL */
#define ngx_ors_turn_astray(turn, minute)  (turn)->answer.astray = minute

/* 1 if nginx's own limits have refused the call that ends */
#define ngx_ors_turn_limited(turn, flag)  (turn)->limited = flag

/* calls that the client has approved of may run */
#define ngx_ors_turn_claimed(turn)  (turn)->claimed = 1

/* the key of what it seals; NULL: it cannot */
#define ngx_ors_turn_sealer(turn, key)  (turn)->sealer = key

/* the response has ended so, by no event of its target */
#define ngx_ors_turn_became(turn, how)  (turn)->response.status = how

/* the response is stored, whatever its request has asked for */
#define ngx_ors_turn_stored(turn)  (turn)->response.stored = 1

/* the origin of its error is another than that of the error's code */
#define ngx_ors_turn_blame(turn, origin)  (turn)->error.class = origin

/* it goes no further, and its client gets nothing of it */
#define ngx_ors_turn_stop(turn)  (turn)->state = ngx_ors_turn_st_over


/*
 * All functions below that give an ngx_int_t return
 *
 * NGX_OK         go on
 * NGX_DONE       the turn is over: "status" and "out" hold what is left to
 *                be sent, and no more calls are needed; or it is in the
 *                state "again", see ngx_ors_turn_reset(), "tools", see
 *                ngx_ors_turn_tools(), or "commit", see ngx_ors_turn_record()
 * NGX_ERROR      no memory
 */

/*
 * A new turn for a request to "endpoint"; policy and limits are borrowed,
 * what it needs comes from "pool".  NULL: no memory.
 */
ngx_ors_turn_t *ngx_ors_turn_create(const ngx_ors_endpoint_t *endpoint,
    ngx_ors_policy_t *policy, ngx_ors_limits_t *limits, ngx_pool_t *pool,
    ngx_log_t *log);

/*
 * The location of a new turn: tools that run here, how arguments and outputs
 * are checked, by schemas that "schemas" keeps, and how a summary is asked for
 * (empty: as usual).
 */
void ngx_ors_turn_conf(ngx_ors_turn_t *turn, ngx_ors_hosting_t *hosting,
    ngx_ors_conform_t *conform, ngx_ors_jsonschema_cache_t *schemas,
    ngx_str_t *prompt);

/*
 * A new turn is a message of a WebSocket.  The response that it goes on from is
 * "previous", if that is not empty.
 */
void ngx_ors_turn_message(ngx_ors_turn_t *turn, ngx_str_t *previous);

/* The request, which has not been read, is checked in another profile. */
void ngx_ors_turn_profile(ngx_ors_turn_t *turn, ngx_uint_t profile);

/*
 * Whether the turn is to be stored, and with "inline_context" its context sent,
 * see ngx_ors_turn_context().
 */
void ngx_ors_turn_settle(ngx_ors_turn_t *turn, ngx_uint_t stored,
    ngx_uint_t inline_context);

/*
 * The next target: the provider that a client's options name it by, or empty;
 * the maker of its provider state, and 1 if it is known to take no effort.
 */
void ngx_ors_turn_target(ngx_ors_turn_t *turn, ngx_str_t *provider,
    ngx_str_t *maker, ngx_uint_t effortless);

/*
 * The location that answers speaks "dialect" and hides what "mask" says, an
 * ngx_ors_policy_t's.
 */
void ngx_ors_turn_location(ngx_ors_turn_t *turn, ngx_ors_dialect_e dialect,
    ngx_uint_t mask);

/* Begins the stream of a turn that is one, in front of its call. */
#define ngx_ors_turn_start(turn)  ngx_ors_builder_start(&(turn)->builder)

/* The turn goes on elsewhere, the client gets "document", a response. */
void ngx_ors_turn_left(ngx_ors_turn_t *turn, ngx_str_t *document);

/*
 * The request's body, borrowed until the turn ends.  After NGX_OK the model
 * is to be called: turn->request.model says which.
 */
ngx_int_t ngx_ors_turn_request(ngx_ors_turn_t *turn, ngx_str_t *body);

/*
 * A new turn from "pool" that goes on with the request of "turn", which has
 * been read and not been called yet: the same response, without its client.
 * "body" has a copy of the request's bytes and is borrowed.  NULL: no memory.
 */
ngx_ors_turn_t *ngx_ors_turn_detach(ngx_ors_turn_t *turn, ngx_str_t *body,
    ngx_pool_t *pool, ngx_log_t *log);

/*
 * The target is known: appends the body for it to "out", the caller's own.
 * "model" is the name to send, empty: the client's.
 */
ngx_int_t ngx_ors_turn_call(ngx_ors_turn_t *turn, ngx_ors_dialect_e dialect,
    const ngx_ors_chat_options_t *options, ngx_str_t *model,
    ngx_ors_out_t *out);

/*
 * Takes the context that the request names, see ngx_ors_context_merge(),
 * before the first call; it is borrowed until the turn ends.  With
 * turn->inline_context set a server that speaks the Responses API gets all of
 * it as input.
 */
ngx_int_t ngx_ors_turn_context(ngx_ors_turn_t *turn, ngx_ors_context_t *ctx);

/*
 * The record of a turn in the state "commit", stored before its end is sent
 * to the client: the items that came in, and the response, where
 * turn->response.output says in which of its bytes the items are.  Both go to
 * lists of the caller's.  Without "instructions" they are left out.  "index" is
 * NULL, or two that are empty: they get the items of both lists.
 *
 * NGX_OK, NGX_DECLINED: there is nothing that can be stored, or NGX_ERROR
 */
ngx_int_t ngx_ors_turn_record(ngx_ors_turn_t *turn, ngx_uint_t instructions,
    ngx_ors_out_t *input, ngx_ors_out_t *response, ngx_ors_index_t *index);

/*
 * Sets "text" to the response as it is now, JSON in memory of "pool", with the
 * items that its journal knows.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_turn_snapshot(ngx_ors_turn_t *turn, ngx_uint_t instructions,
    ngx_pool_t *pool, ngx_str_t *text);

/*
 * The context of a turn that goes on from this one, which has been translated
 * and is over: its input, with what preceded it, and its output, "n" items with
 * commas between them.  The text is allocated from the turn's pool.  NGX_OK or
 * NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_turn_items(ngx_ors_turn_t *turn, ngx_str_t *items,
    ngx_uint_t *n);

/*
 * The turn has been stored, or cannot be if "stored" is 0: its end is sent to
 * the client.  Returns NGX_DONE or NGX_ERROR.
 */
ngx_int_t ngx_ors_turn_committed(ngx_ors_turn_t *turn, ngx_uint_t stored);

/* 1 if requests are translated for a target that speaks "dialect". */
ngx_uint_t ngx_ors_turn_translates(ngx_ors_turn_t *turn,
    ngx_ors_dialect_e dialect);

/*
 * The path of the call at a server that speaks "dialect", and what is in front
 * of it as most servers have it: "base".
 */
const ngx_str_t *ngx_ors_turn_path(ngx_ors_turn_t *turn,
    ngx_ors_dialect_e dialect, const ngx_ors_chat_options_t *options,
    ngx_str_t *base);

/*
 * The client asks for no output, only for a response that it can continue:
 * completes the turn in place of a call to a target that speaks "dialect".
 * Returns NGX_DONE or NGX_ERROR.
 */
ngx_int_t ngx_ors_turn_warm(ngx_ors_turn_t *turn, ngx_ors_dialect_e dialect);

/*
 * The model server answers: its status and content type, and the length of
 * the body if it is known, else -1.
 */
ngx_int_t ngx_ors_turn_header(ngx_ors_turn_t *turn, ngx_uint_t status,
    ngx_str_t *type, off_t length);

/*
 * Reads bytes of the answer's body: "b" is used up unless the turn ends
 * earlier.
 */
ngx_int_t ngx_ors_turn_data(ngx_ors_turn_t *turn, ngx_buf_t *b);

/*
 * The call has ended.  "complete" says whether its body was sent whole; if
 * there was no answer at all, "status" says why, as nginx puts it (502, 504
 * and so on).  Returns NGX_DONE or NGX_ERROR.
 */
ngx_int_t ngx_ors_turn_end(ngx_ors_turn_t *turn, ngx_uint_t status,
    ngx_uint_t complete);

/*
 * Called in front of a call to a target that speaks "dialect": says what of MCP
 * servers is needed first.
 *
 * NGX_OK         nothing, as always where requests are not translated
 * NGX_AGAIN      those of turn->mcp without "ended": lists are to be read, see
 *                ngx_ors_mcp_uses_listed()
 * NGX_BUSY       calls of turn->approvals are to be claimed
 * NGX_DONE       the turn has failed, or is in the state "tools": calls run
 *                that the client has approved of
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_turn_servers(ngx_ors_turn_t *turn,
    ngx_ors_dialect_e dialect);

/*
 * In the state "tools" all calls of turn->round have ended, or there are none:
 * the server is to be called again, as the first time, or the turn is over if
 * the client has calls of its own.
 */
ngx_int_t ngx_ors_turn_tools(ngx_ors_turn_t *turn);

/*
 * The model server's answer is refused; "what", a phrase, goes to the log and
 * to the client.  Returns NGX_DONE or NGX_ERROR.
 */
ngx_int_t ngx_ors_turn_refuse(ngx_ors_turn_t *turn, const char *what);

/*
 * The client has waited long: appends a comment to a stream, or begins one.
 * Returns 0 if no stream can be begun.
 */
ngx_uint_t ngx_ors_turn_heartbeat(ngx_ors_turn_t *turn);

/*
 * A target has failed before the client got anything of its answer, and
 * turn->retries_left says that there are others: makes the turn ready for the
 * next target, which is called as the first was.  What earlier rounds have
 * made stays.  With turn->refused the next target is the same one, and no
 * effort is sent.
 */
void ngx_ors_turn_reset(ngx_ors_turn_t *turn);

/* Sets "status" and "type" of an answer that is not an error document. */
void ngx_ors_turn_respond(ngx_ors_turn_t *turn);

/*
 * The turn cannot go on, turn->error says why: an error document, or the
 * events for it if the stream has begun.  Returns NGX_DONE or NGX_ERROR.
 */
ngx_int_t ngx_ors_turn_fail(ngx_ors_turn_t *turn);

/* The same, and no other target would help. */
ngx_int_t ngx_ors_turn_give_up(ngx_ors_turn_t *turn);

/*
 * The outcome of a turn, which all that counts or remembers reads.  A target is
 * broken by a failure of its own: no connection, no answer in time, an answer
 * that was cut or is not understood, a 5xx or 429.  It has worked if it has
 * answered anything else, whatever the turn has made of that.  In the state
 * "again" the outcome is that of the call, and its end is open.
 */
void ngx_ors_turn_outcome(ngx_ors_turn_t *turn, ngx_ors_outcome_t *outcome);

/* 1 if the request asks for something sealed, or holds something sealed. */
ngx_uint_t ngx_ors_turn_seals(ngx_ors_turn_t *turn);

/*
 * The turn fails: there is no target for the model of its request, or for that
 * model of its provider.  Returns what ngx_ors_turn_fail() does.
 */
ngx_int_t ngx_ors_turn_unrouted(ngx_ors_turn_t *turn);

/*
 * Steps of a turn whose answer is no message: ngx_ors_compact.c.
 */

/*
 * A count of tokens: its server has answered turn->json.  Returns NGX_DONE or
 * NGX_ERROR.
 */
ngx_int_t ngx_ors_count_read(ngx_ors_turn_t *turn);

/*
 * 1 if a chat request of "size" bytes is longer than the client wants it to be,
 * and holds more than what a compaction would leave.
 */
ngx_uint_t ngx_ors_compact_due(ngx_ors_turn_t *turn, size_t size);

/* The next call asks for a summary. */
void ngx_ors_compact_ask(ngx_ors_turn_t *turn);

/*
 * The summary begins: so does its item, if an earlier target has not begun it.
 * NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_compact_begin(ngx_ors_turn_t *turn);

/*
 * As ngx_ors_builder_end(), in place of it: with builder->stream not set the
 * text of the model was gathered and not sent.  The item is done.
 */
ngx_int_t ngx_ors_compact_end(ngx_ors_turn_t *turn);

/* The items that were gathered are not for the client. */
void ngx_ors_compact_drop(ngx_ors_builder_t *builder);

/*
 * The call that was asked for is next: the item is part of its input.  NGX_OK,
 * NGX_DECLINED: turn->error says which limit was passed, or NGX_ERROR.
 */
ngx_int_t ngx_ors_compact_next(ngx_ors_turn_t *turn);


#endif /* _NGX_ORS_TURN_H_INCLUDED_ */
