
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The state machine of a turn: header, bytes and end of an upstream's answer,
 * and the way from there to the client and to the store.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_answer_error.h>
#include <ngx_ors_builder_items.h>
#include <ngx_ors_turn.h>
#include <ngx_ors_event.h>
#include <ngx_ors_sse.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_mask.h>
#include <ngx_ors_digest.h>
#include <ngx_ors_verify.h>
#include <ngx_ors_input.h>
#include <ngx_ors_stored.h>


#define NGX_ORS_TURN_BLOCK  1536

#define NGX_ORS_TURN_ITEMS_BLOCK  4096

/* a list of tokens has more values than other documents, times that */
#define NGX_ORS_TURN_TOKENS  8


/* nginx's own status for a call that brought no answer */

typedef struct {
    ngx_uint_t              status;
    ngx_ors_code_e          code;
    const char             *text;
} ngx_ors_turn_failure_t;


static void ngx_ors_turn_reader(ngx_ors_turn_t *turn);
static ngx_int_t ngx_ors_turn_step(ngx_ors_turn_t *turn, ngx_int_t rc);
static ngx_int_t ngx_ors_turn_passed(ngx_ors_turn_t *turn, ngx_int_t rc);
static ngx_uint_t ngx_ors_turn_effort_refused(ngx_str_t *message);
static ngx_uint_t ngx_ors_turn_may_again(ngx_ors_turn_t *turn,
    ngx_ors_error_t *err);
static ngx_int_t ngx_ors_turn_event(void *data);
static ngx_int_t ngx_ors_turn_end_stream(void *data, ngx_uint_t done);
static ngx_int_t ngx_ors_turn_reply(ngx_ors_turn_t *turn, ngx_str_t *text);
static ngx_int_t ngx_ors_turn_document(void *data, ngx_str_t *text);
static ngx_int_t ngx_ors_turn_error(void *data, ngx_str_t *text);
static ngx_int_t ngx_ors_turn_failure(void *data);
static ngx_int_t ngx_ors_turn_upstream_error(ngx_ors_turn_t *turn,
    ngx_uint_t status, ngx_ors_json_node_t *node);
static void ngx_ors_turn_log(ngx_ors_turn_t *turn, ngx_ors_error_t *err);
static ngx_int_t ngx_ors_turn_finish(ngx_ors_turn_t *turn);
static ngx_int_t ngx_ors_turn_complete(ngx_ors_turn_t *turn);
static ngx_int_t ngx_ors_turn_settled(ngx_ors_turn_t *turn);
static void ngx_ors_turn_anew(ngx_ors_turn_t *turn);
static ngx_int_t ngx_ors_turn_unanswered(ngx_ors_turn_t *turn,
    ngx_uint_t status);
static void ngx_ors_turn_render(ngx_ors_turn_t *turn, ngx_uint_t instructions,
    ngx_ors_out_t *out);
static ngx_int_t ngx_ors_turn_record_passed(ngx_ors_turn_t *turn,
    ngx_uint_t instructions, ngx_ors_index_t *index, ngx_ors_out_t *out);


static const ngx_ors_answer_handler_t  ngx_ors_turn_handler = {
    NULL,
    ngx_ors_turn_event,
    ngx_ors_turn_end_stream,
    ngx_ors_turn_document,
    ngx_ors_turn_error,
    ngx_ors_turn_failure
};


char  *ngx_ors_turn_states[NGX_ORS_TURN_STATES] = {
    [ngx_ors_turn_st_request] = "request",
    [ngx_ors_turn_st_call] = "call",
    [ngx_ors_turn_st_translate] = "translate",
    [ngx_ors_turn_st_pass] = "pass",
    [ngx_ors_turn_st_tools] = "tools",
    [ngx_ors_turn_st_again] = "again",
    [ngx_ors_turn_st_commit] = "commit",
    [ngx_ors_turn_st_over] = "over"
};


static const ngx_ors_turn_failure_t  ngx_ors_turn_failures[] = {
    { 504, ngx_ors_code_upstream_timeout,
      "the model server did not answer in time" },
    { 502, ngx_ors_code_upstream_unavailable,
      "the model server could not be reached or closed the connection without "
      "an answer" },

    /* "return 403": the client may not use this model */
    { 401, ngx_ors_code_forbidden, "this model is not allowed to you" },
    { 403, ngx_ors_code_forbidden, "this model is not allowed to you" },

    { 429, ngx_ors_code_rate_limit_exceeded,
      "too many requests for this model, try again later" },
    { 503, ngx_ors_code_server_is_overloaded,
      "too many requests for this model, try again later" },
    { 0, ngx_ors_code_upstream_unavailable, "the model server gave no answer" }
};


static const ngx_ors_end_e  ngx_ors_turn_ends[] = {
    [ngx_ors_response_in_progress] = ngx_ors_end_open,
    [ngx_ors_response_completed] = ngx_ors_end_completed,
    [ngx_ors_response_incomplete] = ngx_ors_end_incomplete,
    [ngx_ors_response_failed] = ngx_ors_end_failed,
    [ngx_ors_response_cancelled] = ngx_ors_end_canceled
};


ngx_ors_turn_t *
ngx_ors_turn_create(const ngx_ors_endpoint_t *endpoint,
    ngx_ors_policy_t *policy, ngx_ors_limits_t *limits, ngx_pool_t *pool,
    ngx_log_t *log)
{
    ngx_ors_turn_t  *turn;

    turn = ngx_pcalloc(pool, sizeof(ngx_ors_turn_t));
    if (turn == NULL) {
        return NULL;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     turn->state = ngx_ors_turn_st_request;
     *     turn->status = 0;
     *     turn->response, turn->builder, turn->error: nothing yet
     */

    turn->limits = limits;
    turn->pool = pool;
    turn->log = log;

    turn->policy = *policy;

    ngx_ors_request_init(&turn->request, endpoint, &turn->policy, limits,
                         pool);

    turn->builder.resp = &turn->response;
    turn->builder.tools = &turn->tools;
    turn->builder.out = &turn->out;
    turn->builder.limits = limits;
    turn->builder.pool = pool;
    turn->builder.log = log;

    turn->response.request = &turn->request;
    turn->response.error = &turn->error;

    ngx_ors_out_init(&turn->out, pool, NGX_ORS_TURN_BLOCK);
    ngx_ors_out_brief(&turn->out);
    ngx_ors_json_init(&turn->json, pool, limits->depth,
                      limits->nodes
                      * (ngx_ors_request_counts(&turn->request)
                         ? NGX_ORS_TURN_TOKENS : 1));
    ngx_ors_answer_init(&turn->answer, limits, pool, log);
    ngx_ors_turn_reader(turn);

    return turn;
}


/* an answer is translated unless its header says that it is passed on */

static void
ngx_ors_turn_reader(ngx_ors_turn_t *turn)
{
    turn->answer.handler = &ngx_ors_turn_handler;
    turn->answer.data = turn;
    turn->answer.form = ngx_ors_request_counts(&turn->request)
                        ? ngx_ors_answer_json : ngx_ors_answer_any;
}


ngx_int_t
ngx_ors_turn_request(ngx_ors_turn_t *turn, ngx_str_t *body)
{
    ngx_int_t  rc;

    rc = ngx_ors_request_read(&turn->request, body, &turn->error);

    if (rc == NGX_OK) {
        rc = ngx_ors_request_routable(&turn->request, &turn->error);
    }

    if (rc == NGX_DECLINED) {
        return ngx_ors_turn_fail(turn);
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    if (ngx_ors_id_init(&turn->builder.ids, turn->log) != NGX_OK
        || ngx_ors_id_make(&turn->builder.ids, turn->pool, "resp",
                           &turn->response.id)
           != NGX_OK
        || ngx_ors_token(&turn->response.id, turn->builder.ids.token)
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    turn->response.created_at = ngx_time();
    turn->builder.stream = turn->request.stream && !turn->request.compact;

    turn->state = ngx_ors_turn_st_call;

    return NGX_OK;
}


ngx_ors_turn_t *
ngx_ors_turn_detach(ngx_ors_turn_t *from, ngx_str_t *body, ngx_pool_t *pool,
    ngx_log_t *log)
{
    ngx_ors_turn_t  *turn;

    turn = ngx_ors_turn_create(from->request.endpoint, &from->policy,
                               from->limits, pool, log);

    if (turn == NULL
        || ngx_ors_request_copy(&turn->request, &from->request, body)
           != NGX_OK
        || ngx_ors_str_copy(&turn->response.id, pool, &from->response.id)
           != NGX_OK)
    {
        return NULL;
    }

    turn->response.created_at = from->response.created_at;

    turn->builder.ids = from->builder.ids;
    turn->builder.stream = from->builder.stream;

    turn->request.detached = 1;
    turn->retries_left = from->retries_left;
    turn->round.hosting = from->round.hosting;
    turn->round.conform = from->round.conform;
    turn->prompt = from->prompt;
    turn->state = ngx_ors_turn_st_call;

    return turn;
}


void
ngx_ors_turn_conf(ngx_ors_turn_t *turn, ngx_ors_hosting_t *hosting,
    ngx_ors_conform_t *conform, ngx_ors_jsonschema_cache_t *schemas,
    ngx_str_t *prompt)
{
    turn->round.hosting = hosting;
    turn->round.conform = *conform;
    turn->round.conform.cache = schemas;
    turn->prompt = *prompt;
}


void
ngx_ors_turn_message(ngx_ors_turn_t *turn, ngx_str_t *previous)
{
    turn->messages = 1;
    turn->out.messages = 1;
    turn->response.previous = *previous;
}


void
ngx_ors_turn_profile(ngx_ors_turn_t *turn, ngx_uint_t profile)
{
    turn->policy = *turn->request.policy;
    turn->policy.profile = profile;

    turn->request.policy = &turn->policy;
}


void
ngx_ors_turn_settle(ngx_ors_turn_t *turn, ngx_uint_t stored,
    ngx_uint_t inline_context)
{
    turn->request.stored = stored;
    turn->response.stored = stored;
    turn->inline_context = inline_context;

    if (stored && turn->request.stream && turn->response.journal == NULL) {
        turn->journal.pool = turn->pool;
        turn->journal.max = turn->limits->answer;
        turn->response.journal = &turn->journal;

        if (inline_context) {
            ngx_ors_journal_add(&turn->journal, ngx_ors_journal_lost, 0, 0);
        }
    }
}


void
ngx_ors_turn_target(ngx_ors_turn_t *turn, ngx_str_t *provider,
    ngx_str_t *maker, ngx_uint_t effortless)
{
    turn->provider = *provider;
    turn->maker = *maker;
    turn->effortless |= effortless;
}


void
ngx_ors_turn_location(ngx_ors_turn_t *turn, ngx_ors_dialect_e dialect,
    ngx_uint_t mask)
{
    turn->dialect = dialect;
    turn->policy.mask |= mask;
}


void
ngx_ors_turn_left(ngx_ors_turn_t *turn, ngx_str_t *document)
{
    ngx_ors_out_ref(&turn->out, document->data, document->len);

    turn->state = ngx_ors_turn_st_over;
    turn->status = 200;
    ngx_str_set(&turn->type, "application/json");
}


ngx_uint_t
ngx_ors_turn_translates(ngx_ors_turn_t *turn, ngx_ors_dialect_e dialect)
{
    return dialect == ngx_ors_dialect_chat
           && ngx_ors_endpoint_converses(turn->request.endpoint);
}


ngx_int_t
ngx_ors_turn_header(ngx_ors_turn_t *turn, ngx_uint_t status, ngx_str_t *type,
    off_t length)
{
    ngx_ors_verify_t  *verify;

    /* a client that has items of a translated answer gets no other stream */

    if (ngx_ors_turn_translates(turn, turn->dialect) || turn->round.n
        || turn->summary)
    {
        turn->state = ngx_ors_turn_st_translate;
        return ngx_ors_answer_header(&turn->answer, status, type, length);
    }

    turn->state = ngx_ors_turn_st_pass;

    verify = ngx_pcalloc(turn->pool, sizeof(ngx_ors_verify_t));
    if (verify == NULL) {
        return NGX_ERROR;
    }

    verify->answer = &turn->answer;
    verify->endpoint = turn->request.endpoint;
    verify->request = &turn->request;
    verify->policy = &turn->policy;
    verify->limits = turn->limits;
    verify->out = &turn->out;
    verify->pool = turn->pool;
    verify->log = turn->log;
    verify->keep = turn->inline_context;

    ngx_ors_verify_init(verify);

    turn->verify = verify;

    return ngx_ors_turn_passed(turn, ngx_ors_verify_header(verify, status,
                                                           type, length));
}


ngx_int_t
ngx_ors_turn_data(ngx_ors_turn_t *turn, ngx_buf_t *b)
{
    if (ngx_ors_turn_done(turn)) {
        return NGX_DONE;
    }

    if (turn->state < ngx_ors_turn_st_translate) {
        ngx_log_error(NGX_LOG_ALERT, turn->log, 0,
                      "data of an answer without a header");
        return NGX_ERROR;
    }

    return ngx_ors_turn_step(turn, ngx_ors_answer_data(&turn->answer, b));
}


ngx_int_t
ngx_ors_turn_end(ngx_ors_turn_t *turn, ngx_uint_t status, ngx_uint_t complete)
{
    if (turn->state == ngx_ors_turn_st_call) {
        return ngx_ors_turn_unanswered(turn, status);
    }

    if (turn->state == ngx_ors_turn_st_request || ngx_ors_turn_done(turn)) {
        return NGX_DONE;
    }

    return ngx_ors_turn_step(turn, ngx_ors_answer_end(&turn->answer,
                                                      complete));
}


/* the reader of an answer that is translated has set the state */

static ngx_int_t
ngx_ors_turn_step(ngx_ors_turn_t *turn, ngx_int_t rc)
{
    return (turn->state == ngx_ors_turn_st_pass) ? ngx_ors_turn_passed(turn, rc)
                                                 : rc;
}


/* takes over the outcome of the verification */

static ngx_int_t
ngx_ors_turn_passed(ngx_ors_turn_t *turn, ngx_int_t rc)
{
    ngx_uint_t         begun;
    ngx_ors_verify_t  *verify;

    verify = turn->verify;
    begun = turn->status;

    turn->status = verify->status;
    turn->type = verify->type;

    if (rc != NGX_DONE) {
        return rc;
    }

    if (verify->error.status && !verify->refused) {
        ngx_ors_turn_log(turn, &verify->error);
    }

    if (!begun && ngx_ors_turn_may_again(turn, &verify->error)) {
        turn->state = ngx_ors_turn_st_again;
        turn->status = 0;
        turn->error = verify->error;

        return (ngx_ors_out_drop(&turn->out) == NGX_OK) ? NGX_DONE
                                                        : NGX_ERROR;
    }

    turn->state = verify->held.len ? ngx_ors_turn_st_commit
                                   : ngx_ors_turn_st_over;

    turn->response.status = verify->outcome;

    if (verify->error.status) {
        turn->error = verify->error;
        turn->upstream_error = !verify->refused;
        turn->response.status = ngx_ors_response_failed;
    }

    return NGX_DONE;
}


static ngx_int_t
ngx_ors_turn_event(void *data)
{
    ngx_ors_turn_t *turn = data;

    return ngx_ors_turn_reply(turn, &turn->answer.sse.data);
}


/* [DONE] is often missing, the reason why the model has stopped is not (E51) */

static ngx_int_t
ngx_ors_turn_end_stream(void *data, ngx_uint_t done)
{
    ngx_ors_turn_t *turn = data;

    if (turn->builder.finish == ngx_ors_chat_finish_none
        && !(done && turn->builder.seen))
    {
        return NGX_DECLINED;
    }

    return ngx_ors_turn_finish(turn);
}


static ngx_int_t
ngx_ors_turn_reply(ngx_ors_turn_t *turn, ngx_str_t *text)
{
    ngx_int_t              rc;
    ngx_str_t             *event;
    ngx_uint_t             stream;
    ngx_ors_chat_answer_t  reply;

    stream = (turn->answer.state == ngx_ors_answer_st_stream);

    if (stream) {
        rc = ngx_ors_json_again(&turn->json, &turn->chunk, text->data,
                                text->len);

    } else {
        turn->chunk.len = 0;
        rc = ngx_ors_json_read(&turn->json, text->data, text->len);
    }

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (rc == NGX_DECLINED) {
        ngx_log_error(NGX_LOG_ERR, turn->log, 0,
                      "model server sent invalid JSON: %V at byte %uz",
                      ngx_ors_json_strerror(turn->json.error),
                      turn->json.offset);
        return ngx_ors_turn_refuse(turn, "it is invalid JSON");
    }

    if (ngx_ors_request_counts(&turn->request)) {
        return ngx_ors_count_read(turn);
    }

    event = &turn->answer.sse.event;

    if (stream && event->len == 5
        && ngx_memcmp(event->data, "error", 5) == 0)
    {
        return ngx_ors_turn_upstream_error(turn, 0, turn->json.nodes);
    }

    if (ngx_ors_chat_answer(&reply, &turn->json) != NGX_OK) {

        /* some servers put objects of their own between the chunks */

        if (stream && turn->json.nodes->type == ngx_ors_json_object) {
            return NGX_OK;
        }

        return ngx_ors_turn_refuse(turn, "it is no chat completion");
    }

    if (reply.error) {
        return ngx_ors_turn_upstream_error(turn, 0, reply.error);
    }

    if (!stream && !reply.whole && reply.finish == ngx_ors_chat_finish_none) {
        return ngx_ors_turn_refuse(turn, "it is no chat completion");
    }

    if (turn->request.compact && ngx_ors_compact_begin(turn) != NGX_OK) {
        return NGX_ERROR;
    }

    rc = ngx_ors_builder_add(&turn->builder, &turn->json, &reply, &turn->error);

    if (rc == NGX_DECLINED) {
        return ngx_ors_turn_fail(turn);
    }

    if (rc == NGX_OK && turn->builder.started) {
        ngx_ors_turn_respond(turn);
    }

    return rc;
}


static ngx_int_t
ngx_ors_turn_document(void *data, ngx_str_t *text)
{
    ngx_ors_turn_t *turn = data;

    ngx_int_t  rc;

    rc = ngx_ors_turn_reply(turn, text);

    return (rc == NGX_OK) ? ngx_ors_turn_finish(turn) : rc;
}


static ngx_int_t
ngx_ors_turn_error(void *data, ngx_str_t *text)
{
    ngx_ors_turn_t *turn = data;

    ngx_int_t        rc;
    ngx_ors_json_t  *json;

    json = &turn->json;

    rc = ngx_ors_json_read(json, text->data, text->len);

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    return ngx_ors_turn_upstream_error(turn, turn->answer.status,
                                       (rc == NGX_OK) ? json->nodes : NULL);
}


static ngx_int_t
ngx_ors_turn_failure(void *data)
{
    ngx_ors_turn_t *turn = data;

    turn->error = turn->answer.failure;

    if (turn->answer.cut) {
        ngx_log_error(NGX_LOG_ERR, turn->log, 0,
                      "model server's answer was cut, its status was %ui",
                      turn->answer.status);

    } else {
        ngx_log_error(NGX_LOG_ERR, turn->log, 0, "%V, its status was %ui",
                      &turn->error.message, turn->answer.status);
    }

    return ngx_ors_turn_fail(turn);
}


static ngx_int_t
ngx_ors_turn_upstream_error(ngx_ors_turn_t *turn, ngx_uint_t status,
    ngx_ors_json_node_t *node)
{
    turn->upstream_error = 1;

    if (ngx_ors_answer_error(&turn->error, turn->pool, status,
                             node ? &turn->json : NULL, node)
        == NGX_ERROR)
    {
        return NGX_ERROR;
    }

    if (status == 400 && !turn->effortless
        && turn->request.field[ngx_ors_rq_reasoning]
        && ngx_ors_turn_effort_refused(&turn->error.message))
    {
        ngx_log_debug0(NGX_LOG_DEBUG_HTTP, turn->log, 0,
                       "ors turn: the effort is refused, none is sent now");

        turn->refused = 1;
        turn->state = ngx_ors_turn_st_again;
        return NGX_DONE;
    }

    ngx_ors_turn_log(turn, &turn->error);
    ngx_ors_answer_said_log(&turn->answer, &turn->error, &turn->request);

    if (turn->request.policy->mask) {
        ngx_ors_mask_answer(&turn->error, status);
    }

    if (turn->retry
        && (turn->error.status == 429 || turn->error.status == 503))
    {
        turn->error.retry = turn->retry;
    }

    return ngx_ors_turn_fail(turn);
}


/* Ollama's words for models that do not think, or not in such steps */

static ngx_uint_t
ngx_ors_turn_effort_refused(ngx_str_t *message)
{
    ngx_uint_t  i;

    static const ngx_str_t  words[] = {
        ngx_string("does not support thinking"),
        ngx_string("think value ")
    };

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {

        if (ngx_strlcasestrn(message->data, message->data + message->len,
                             words[i].data, words[i].len - 1))
        {
            return 1;
        }
    }

    return 0;
}


/* a server's own error, unmasked */

static void
ngx_ors_turn_log(ngx_ors_turn_t *turn, ngx_ors_error_t *err)
{
    ngx_log_error(ngx_ors_answer_said_level(&turn->answer, err,
                                            &turn->request),
                  turn->log, 0,
                  "model server failed with %V, its status was %ui",
                  &err->code, turn->answer.status);
}


ngx_int_t
ngx_ors_turn_warm(ngx_ors_turn_t *turn, ngx_ors_dialect_e dialect)
{
    ngx_ors_response_t  *resp;

    resp = &turn->response;
    turn->dialect = dialect;

    ngx_ors_builder_start(&turn->builder);

    resp->status = ngx_ors_response_completed;
    resp->completed_at = ngx_time();
    resp->usage.known = 1;

    return ngx_ors_turn_settled(turn);
}


static ngx_int_t
ngx_ors_turn_finish(ngx_ors_turn_t *turn)
{
    ngx_int_t  rc;

    rc = turn->request.compact
         ? ngx_ors_compact_end(turn)
         : ngx_ors_builder_end(&turn->builder, &turn->error);

    if (rc == NGX_OK && turn->builder.check) {
        rc = ngx_ors_round_conform(&turn->round, &turn->builder, &turn->error);
    }

    if (rc == NGX_DECLINED) {
        return ngx_ors_turn_fail(turn);
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    if (turn->compacting) {
        turn->state = ngx_ors_turn_st_tools;
        turn->response.status = ngx_ors_response_in_progress;

        if (turn->builder.stream) {
            ngx_ors_turn_respond(turn);
        }

        return NGX_DONE;
    }

    if ((turn->round.hosting || turn->round.repeat)
        && turn->response.status == ngx_ors_response_completed)
    {
        rc = ngx_ors_round_sort(&turn->round, &turn->builder);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (rc == NGX_OK || turn->round.repeat) {
            turn->state = ngx_ors_turn_st_tools;
            turn->response.status = ngx_ors_response_in_progress;

            if (turn->builder.stream) {
                ngx_ors_turn_respond(turn);
            }

            return NGX_DONE;
        }
    }

    return ngx_ors_turn_complete(turn);
}


/* no round follows */

static ngx_int_t
ngx_ors_turn_complete(ngx_ors_turn_t *turn)
{
    if (!turn->request.compact
        && (ngx_ors_builder_last(&turn->builder) != NGX_OK
            || ngx_ors_builder_carry(&turn->builder) != NGX_OK))
    {
        return NGX_ERROR;
    }

    return ngx_ors_turn_settled(turn);
}


/* the response is what it will be: it is stored, or its end is sent */

static ngx_int_t
ngx_ors_turn_settled(ngx_ors_turn_t *turn)
{
    if (!turn->request.stored) {
        return ngx_ors_turn_committed(turn, 0);
    }

    /* a stream goes on up to its last event */

    turn->state = ngx_ors_turn_st_commit;

    if (turn->builder.stream) {
        ngx_ors_turn_respond(turn);
    }

    return NGX_DONE;
}


ngx_int_t
ngx_ors_turn_tools(ngx_ors_turn_t *turn)
{
    ngx_int_t            rc;
    ngx_uint_t           n;
    ngx_ors_out_t        items;
    ngx_ors_builder_t   *builder;
    ngx_ors_response_t  *resp;

    resp = &turn->response;
    builder = &turn->builder;

    if (turn->rendered.len || turn->compacting) {
        rc = turn->compacting ? ngx_ors_compact_next(turn) : NGX_OK;

        if (rc == NGX_OK) {
            ngx_ors_turn_anew(turn);
        }

        return (rc == NGX_DECLINED) ? ngx_ors_turn_fail(turn) : rc;
    }

    rc = ngx_ors_round_show(&turn->round, builder, &turn->error);

    if (rc == NGX_OK && turn->round.client) {
        resp->status = ngx_ors_response_completed;
        resp->completed_at = ngx_time();

        return ngx_ors_turn_complete(turn);
    }

    if (rc == NGX_OK) {
        rc = ngx_ors_builder_carry(builder);
    }

    if (rc == NGX_OK) {
        ngx_ors_out_init(&items, turn->pool, NGX_ORS_TURN_BLOCK);

        ngx_ors_out_lit(&items, "[");
        n = ngx_ors_round_items(&turn->round, builder, &items);
        ngx_ors_out_lit(&items, "]");

        rc = ngx_ors_request_extend(&turn->request, &items, n, &turn->error);
    }

    if (rc != NGX_OK) {
        return (rc == NGX_DECLINED) ? ngx_ors_turn_fail(turn) : NGX_ERROR;
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, turn->log, 0,
                   "ors turn: round %ui has ended, %ui items for the model",
                   turn->round.n, n);

    ngx_ors_round_next(&turn->round, builder);
    ngx_ors_turn_anew(turn);

    return NGX_OK;
}


/* another call */

static void
ngx_ors_turn_anew(ngx_ors_turn_t *turn)
{
    turn->state = ngx_ors_turn_st_call;

    ngx_ors_answer_reset(&turn->answer);
    ngx_ors_turn_reader(turn);

    turn->upstream_error = 0;
    turn->retry = 0;
}


void
ngx_ors_turn_respond(ngx_ors_turn_t *turn)
{
    turn->status = 200;

    if (turn->request.stream) {
        ngx_str_set(&turn->type, "text/event-stream");

    } else {
        ngx_str_set(&turn->type, "application/json");
    }
}


ngx_uint_t
ngx_ors_turn_heartbeat(ngx_ors_turn_t *turn)
{
    ngx_uint_t  translated;

    if (turn->state == ngx_ors_turn_st_request
        || turn->state == ngx_ors_turn_st_over)
    {
        return 0;
    }

    /* a stream that is passed on begins with its first event */

    translated = ngx_ors_turn_translates(turn, turn->dialect);

    if (!translated && turn->status == 0) {
        return 0;
    }

    if (translated && !turn->builder.started) {
        ngx_ors_builder_start(&turn->builder);
        ngx_ors_turn_respond(turn);

    } else {
        ngx_ors_frame_comment(&turn->out);
    }

    return 1;
}


/*
 * Failures that another server may not have: this one is down, overloaded, or
 * broken.  Errors of the request are the same for every server
 */

static ngx_uint_t
ngx_ors_turn_may_again(ngx_ors_turn_t *turn, ngx_ors_error_t *err)
{
    if (turn->retries_left == 0 || turn->state == ngx_ors_turn_st_request
        || turn->state == ngx_ors_turn_st_tools
        || turn->state == ngx_ors_turn_st_commit
        || (turn->builder.stream && ngx_ors_builder_first(&turn->builder)))
    {
        return 0;
    }

    switch (err->status) {

    case 408:
    case 429:
    case 500:
    case 502:
    case 503:
    case 504:
        return 1;
    }

    return 0;
}


void
ngx_ors_turn_reset(ngx_ors_turn_t *turn)
{
    turn->effortless = turn->refused;

    if (!turn->refused) {
        turn->retries_left--;
    }

    turn->refused = 0;
    turn->rendered.len = 0;

    ngx_ors_turn_anew(turn);
    ngx_ors_builder_again(&turn->builder);

    ngx_memzero(&turn->error, sizeof(ngx_ors_error_t));
    turn->verify = NULL;
}


ngx_int_t
ngx_ors_turn_fail(ngx_ors_turn_t *turn)
{
    if (ngx_ors_turn_may_again(turn, &turn->error)) {
        ngx_log_debug2(NGX_LOG_DEBUG_HTTP, turn->log, 0,
                       "ors turn: %V, %ui more targets may be tried",
                       &turn->error.code, turn->retries_left);

        turn->state = ngx_ors_turn_st_again;
        return NGX_DONE;
    }

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, turn->log, 0,
                   "ors turn: fails, %V, %ui, begun:%d", &turn->error.code,
                   turn->error.status, turn->builder.started);

    if (ngx_ors_turn_held(turn) && turn->status) {
        return ngx_ors_turn_passed(turn, ngx_ors_verify_unhold(turn->verify,
                                                               &turn->error));
    }

    turn->state = ngx_ors_turn_st_over;
    turn->response.stored = 0;
    turn->response.status = ngx_ors_response_failed;

    if (turn->request.compact) {
        ngx_ors_compact_drop(&turn->builder);
    }

    if (turn->builder.started) {

        /* the header has been sent: the time to wait goes into the message */

        if (ngx_ors_answer_retry_tell(&turn->error, turn->pool) != NGX_OK) {
            return NGX_ERROR;
        }

        ngx_ors_turn_respond(turn);

        if (!turn->messages) {
            ngx_ors_journal_note(turn->response.journal,
                                 ngx_ors_journal_error, 0);
            ngx_ors_event_error(&turn->out, turn->response.sequence++,
                                &turn->error);
        }

        ngx_ors_event_end(&turn->out, &turn->response);
        return NGX_DONE;
    }

    /*
     * tools have run: after an error status clients would repeat the whole
     * request
     */

    if (turn->round.ncalls) {
        ngx_ors_turn_respond(turn);
        ngx_ors_response_render(&turn->out, &turn->response);
        return NGX_DONE;
    }

    turn->status = turn->error.status;
    ngx_str_set(&turn->type, "application/json");

    ngx_ors_out_lit(&turn->out, "{\"error\":");
    ngx_ors_error_render(&turn->out, &turn->error);
    ngx_ors_out_lit(&turn->out, "}");

    return NGX_DONE;
}


ngx_int_t
ngx_ors_turn_give_up(ngx_ors_turn_t *turn)
{
    turn->retries_left = 0;

    return ngx_ors_turn_fail(turn);
}


static ngx_int_t
ngx_ors_turn_unanswered(ngx_ors_turn_t *turn, ngx_uint_t status)
{
    const ngx_ors_turn_failure_t  *failure;

    if (turn->limited) {

        /* another target would charge the client's limit again */

        turn->retries_left = 0;
        status = (status == 429) ? 429 : 503;
    }

    for (failure = ngx_ors_turn_failures; failure->status; failure++) {

        if (failure->status == status) {
            break;
        }
    }

    (void) ngx_ors_error_set(&turn->error, turn->pool, failure->code, "%s",
                             failure->text);

    if (failure->status == 0) {

        /* a misconfigured target is not the client's fault: answer 502 */

        ngx_log_error(NGX_LOG_ERR, turn->log, 0,
                      "target answered with status %ui instead of a model",
                      status);

        turn->error.class = ngx_ors_class_gateway;
    }

    return ngx_ors_turn_fail(turn);
}


ngx_int_t
ngx_ors_turn_refuse(ngx_ors_turn_t *turn, const char *what)
{
    return ngx_ors_turn_step(turn, ngx_ors_answer_refuse(&turn->answer, what));
}


/*
 * The outcome of a turn, and what it takes from the store and gives to it.
 */


ngx_int_t
ngx_ors_turn_context(ngx_ors_turn_t *turn, ngx_ors_context_t *ctx)
{
    ngx_int_t             rc;
    ngx_ors_request_t    *req;
    ngx_ors_json_node_t  *node;

    static ngx_str_t  null = ngx_string("null");

    req = &turn->request;

    rc = ngx_ors_context_merge(req, ctx, &turn->error);

    ngx_log_debug3(NGX_LOG_DEBUG_HTTP, turn->log, 0,
                   "ors turn: context of %ui turns, inline:%ui, rc %i",
                   ctx->nturns, turn->inline_context, rc);

    if (rc != NGX_OK) {
        return (rc == NGX_DECLINED) ? ngx_ors_turn_fail(turn) : rc;
    }

    node = req->field[ngx_ors_rq_previous_response_id];
    node = node ? node : req->field[ngx_ors_rq_conversation];

    /* a target that speaks the client's dialect would look for it */

    return node ? ngx_ors_edits_value(&req->edits, node, &null) : NGX_OK;
}


ngx_int_t
ngx_ors_turn_record(ngx_ors_turn_t *turn, ngx_uint_t instructions,
    ngx_ors_out_t *input, ngx_ors_out_t *response, ngx_ors_index_t *index)
{
    ngx_ors_request_t  *req;

    req = &turn->request;

    if (ngx_ors_secrets_input(&req->edits, &req->json, &req->input)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_ors_context_own(req, index, input);

    index = index ? &index[1] : NULL;

    if (ngx_ors_turn_held(turn)) {
        return ngx_ors_turn_record_passed(turn, instructions, index, response);
    }

    turn->response.index = index;
    ngx_ors_turn_render(turn, instructions, response);
    turn->response.index = NULL;

    return NGX_OK;
}


/* the response as it is stored: items that are open belong to one that runs */

static void
ngx_ors_turn_render(ngx_ors_turn_t *turn, ngx_uint_t instructions,
    ngx_ors_out_t *out)
{
    ngx_ors_json_node_t  **field, *node;

    field = &turn->request.field[ngx_ors_rq_instructions];
    node = *field;

    if (!instructions) {
        *field = NULL;
    }

    turn->response.kept = 1;
    turn->response.open = (turn->response.status
                           == ngx_ors_response_in_progress);

    ngx_ors_response_render(out, &turn->response);

    turn->response.open = 0;
    turn->response.kept = 0;

    *field = node;
}


ngx_int_t
ngx_ors_turn_snapshot(ngx_ors_turn_t *turn, ngx_uint_t instructions,
    ngx_pool_t *pool, ngx_str_t *text)
{
    ngx_ors_out_t  out;

    ngx_ors_out_init(&out, pool, NGX_ORS_TURN_ITEMS_BLOCK);

    ngx_ors_turn_render(turn, instructions, &out);

    return ngx_ors_out_text(&out, text);
}


/* a response that another server has made has its id and items from there */

static ngx_int_t
ngx_ors_turn_record_passed(ngx_ors_turn_t *turn, ngx_uint_t instructions,
    ngx_ors_index_t *index, ngx_ors_out_t *out)
{
    ngx_int_t             rc;
    ngx_str_t             response, id, items;
    ngx_ors_json_t       *json;
    ngx_ors_edits_t      *edits;
    ngx_ors_json_node_t  *node, *object;

    static ngx_str_t  null = ngx_string("null");

    json = &turn->verify->json;
    edits = &turn->verify->edits;

    rc = ngx_ors_verify_store_response(turn->verify, &response, &id, &items);

    if (rc != NGX_OK) {
        return rc;
    }

    if (ngx_ors_str_copy(&turn->response.id, turn->pool, &id) != NGX_OK) {
        return NGX_ERROR;
    }

    object = ngx_ors_verify_stored_object(turn->verify);
    node = ngx_ors_json_find(json, object, "instructions");

    if (node && !instructions
        && ngx_ors_edits_value(edits, node, &null) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ngx_ors_secrets_tools(edits, json,
                              ngx_ors_json_find(json, object, "tools"))
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_ors_edits_write(edits, json, response.data - json->text,
                        items.data - json->text, 1, out);

    turn->response.output = out->size;
    turn->response.output_len = items.len;

    ngx_ors_edits_write(edits, json, items.data - json->text,
                        response.data + response.len - json->text, 1, out);

    if (index) {
        ngx_ors_input_index_list(index, json,
                                ngx_ors_json_find(json, object, "output"),
                                edits);
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_turn_items(ngx_ors_turn_t *turn, ngx_str_t *items, ngx_uint_t *n)
{
    size_t                input;
    ngx_uint_t            text, noutput;
    ngx_ors_out_t         out;
    ngx_ors_request_t    *req;
    ngx_ors_json_node_t  *node;

    req = &turn->request;

    if (ngx_ors_secrets_input(&req->edits, &req->json, &req->input)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_ors_out_init(&out, turn->pool, NGX_ORS_TURN_ITEMS_BLOCK);

    /* for the next turn all of it is what preceded */

    req->prior = 0;

    ngx_ors_context_own(req, NULL, &out);
    input = out.size;

    turn->response.kept = 1;
    noutput = ngx_ors_response_output(&out, &turn->response);
    turn->response.kept = 0;

    if (ngx_ors_out_text(&out, items) != NGX_OK) {
        return NGX_ERROR;
    }

    /* a text is one item */

    node = req->field[ngx_ors_rq_input];
    text = (node && node->type == ngx_ors_json_string && !req->merged);

    *n = (text ? 1 : req->input.n - req->added) + noutput;

    /* two arrays, side by side: the brackets go, or become a comma */

    if (noutput == 0) {
        items->len = input;

    } else if (input > 2) {
        items->data[input - 1] = ',';
        items->data[input] = ' ';

    } else {
        items->data += input;
        items->len -= input;
    }

    if (items->len) {
        items->data++;
        items->len -= 2;
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_turn_committed(ngx_ors_turn_t *turn, ngx_uint_t stored)
{
    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, turn->log, 0,
                   "ors turn: stored:%ui, its end goes to the client, held:%d",
                   stored, ngx_ors_turn_held(turn));

    turn->response.stored = stored;
    turn->state = ngx_ors_turn_st_over;

    if (ngx_ors_turn_held(turn)) {

        if (ngx_ors_verify_store_release(turn->verify, stored) != NGX_OK) {
            return NGX_ERROR;
        }

        turn->status = turn->verify->status;
        turn->type = turn->verify->type;

        return NGX_DONE;
    }

    ngx_ors_builder_tell(&turn->builder);
    ngx_ors_turn_respond(turn);

    return NGX_DONE;
}


void
ngx_ors_turn_outcome(ngx_ors_turn_t *turn, ngx_ors_outcome_t *outcome)
{
    ngx_uint_t  failed;

    failed = (turn->error.status != 0);

    outcome->class = failed ? turn->error.class : ngx_ors_class_none;

    outcome->broken = (ngx_ors_error_origin(outcome->class)
                       == ngx_ors_origin_upstream);
    outcome->worked = (turn->answer.status && !outcome->broken);

    if (turn->state != ngx_ors_turn_st_over) {
        outcome->end = ngx_ors_end_open;
        return;
    }

    if (failed) {
        outcome->end = (turn->error.status < 500 && turn->answer.status == 0)
                       ? ngx_ors_end_rejected : ngx_ors_end_failed;
        return;
    }

    outcome->end = ngx_ors_turn_ends[turn->response.status];

    if (turn->response.status == ngx_ors_response_failed) {

        /* the target's own document says so, with a status of 200 */

        outcome->class = ngx_ors_class_upstream_error;
    }

    if (turn->response.status == ngx_ors_response_in_progress
        && turn->answer.status)
    {
        /* it is passed on as it came; else no target was called */

        outcome->end = ngx_ors_end_completed;
    }
}
