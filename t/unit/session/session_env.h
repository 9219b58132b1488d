
/*
 * A session without a socket: a store in memory that runs its jobs when a
 * test says so, and a chat server that always answers the same.
 */


#ifndef _SESSION_ENV_H_INCLUDED_
#define _SESSION_ENV_H_INCLUDED_


#include <ngx_ors_test.h>
#include <ngx_ors_session.h>


#define ENV_ENTRIES  64


typedef struct {
    ngx_ors_store_key_t        key;
    ngx_str_t                  value;
    time_t                     expires;
} env_entry_t;


typedef struct {
    ngx_pool_t                *pool;
    ngx_ors_store_t            store;
    ngx_ors_store_engine_t     engine;
    env_entry_t                entries[ENV_ENTRIES];
    ngx_uint_t                 n;
    ngx_uint_t                 down;
    ngx_uint_t                 jobs;        /* that have been run */

    /* of the next request */
    ngx_ors_limits_t           limits;
    u_char                     scope;       /* of the client */
    ngx_uint_t                 required;
    ngx_uint_t                 detached;
    ngx_ors_dialect_e          dialect;     /* of the target */
    ngx_uint_t                 inline_context;
} env_t;


/* one request: a turn with its session */

typedef struct {
    env_t                     *env;
    ngx_ors_turn_t            *turn;
    ngx_ors_session_t         *session;
    ngx_int_t                  rc;          /* of the last step */
} env_request_t;


void env_init(env_t *env);
void env_done(env_t *env);

/*
 * Reads a request, in "body" ' stands for ", and settles it for the target;
 * the session is new.
 */
void env_request(env_t *env, env_request_t *r, const char *body);

/* Takes a step: request->rc. */
ngx_int_t env_step(env_request_t *r, ngx_ors_session_event_e event);

/* Runs the job that is outstanding, and tells the session: request->rc. */
ngx_int_t env_run(env_request_t *r);

/* The same, but the job ends with the status. */
ngx_int_t env_fail(env_request_t *r, ngx_ors_store_status_e status);

/* Does what a job asks for. */
void env_job(env_t *env, ngx_ors_store_job_t *job);

/* Loads the context, as many jobs as it takes: request->rc. */
ngx_int_t env_load(env_request_t *r);

/* The target is called. */
void env_call(env_request_t *r);

/* It is called and answers: a turn that is stored is in the state "commit". */
void env_answer(env_request_t *r);

/* All of a request: its id, from the env's pool. */
ngx_str_t *env_turn(env_t *env, const char *body);

/* The client approves of one call, that of request "id". */
void env_approve(env_request_t *r, char *id);

/* The request has ended; a job that comes of it is run. */
void env_close(env_request_t *r);

/* A body for env_request() with the texts put in, from the env's pool. */
char *env_body(env_t *env, const char *fmt, ngx_str_t *id);


#endif /* _SESSION_ENV_H_INCLUDED_ */
