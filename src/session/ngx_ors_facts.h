
/*
 * Facts about a request that variables show.
 */


#ifndef _NGX_ORS_FACTS_H_INCLUDED_
#define _NGX_ORS_FACTS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_session.h>
#include <ngx_ors_turn.h>
#include <ngx_ors_verify.h>


typedef struct {
    int64_t                    n;
    ngx_uint_t                 known;
} ngx_ors_fact_count_t;


/* zeroed memory: nothing is known; texts are borrowed */

typedef struct {
    ngx_str_t                  model;     /* the client's name for it */
    ngx_str_t                  target;
    ngx_str_t                  dialect;
    ngx_str_t                  stream;    /* "1" or "0" */
    ngx_str_t                  status;    /* its outcome */
    ngx_str_t                  code;      /* of the error */
    ngx_str_t                  param;
    ngx_str_t                  id;        /* of the response */
    ngx_str_t                  previous;  /* ... and of the previous one */
    ngx_str_t                  stored;    /* "1" or "0" */
    ngx_str_t                  ignored;   /* fields that are not sent on */
    ngx_ors_fact_count_t       input;     /* tokens, in all rounds */
    ngx_ors_fact_count_t       cached;
    ngx_ors_fact_count_t       output;
    ngx_ors_fact_count_t       reasoning;
    ngx_ors_fact_count_t       rounds;
    ngx_ors_fact_count_t       calls;     /* of hosted tools */
} ngx_ors_facts_t;


/*
 * Adds what a turn and its session, which may be NULL, know; "gone": no client
 * waits for a turn that is not over.
 */
void ngx_ors_facts_turn(ngx_ors_facts_t *facts, ngx_ors_turn_t *turn,
    ngx_ors_session_t *session, ngx_uint_t gone);

/* 1 if the model has said something in a stream. */
ngx_uint_t ngx_ors_facts_begun(ngx_ors_turn_t *turn);

/*
 * Adds what a validator knows; "err" is of its request, which may have been
 * "refused".
 */
void ngx_ors_facts_verify(ngx_ors_facts_t *facts, ngx_ors_verify_t *verify,
    ngx_ors_error_t *err, ngx_uint_t refused, ngx_uint_t gone);

/*
 * The client gets the error "err" of nginx itself: replaces what turn and
 * validator have set.
 */
void ngx_ors_facts_error(ngx_ors_facts_t *facts, ngx_ors_error_t *err);

/* Adds the target's dialect. */
void ngx_ors_facts_dialect(ngx_ors_facts_t *facts, ngx_ors_dialect_e dialect);


#endif /* _NGX_ORS_FACTS_H_INCLUDED_ */
