
/*
 * The state of a session, which its parts share: what is known of the turn,
 * of its context and of the jobs.
 */


#ifndef _NGX_ORS_SESSION_STATE_H_INCLUDED_
#define _NGX_ORS_SESSION_STATE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_key.h>
#include <ngx_ors_record.h>
#include <ngx_ors_context.h>
#include <ngx_ors_store.h>
#include <ngx_ors_turn.h>


typedef enum {
    ngx_ors_session_st_new = 0,     /* nothing has been loaded */
    ngx_ors_session_st_chain,       /* a job loads the previous turns, and */
                                    /* the names of the referenced turns */
    ngx_ors_session_st_names,       /* ... those names, there is no chain */
    ngx_ors_session_st_items,       /* ... the referenced turns */
    ngx_ors_session_st_ready,       /* the turn has its context */
    ngx_ors_session_st_claim,       /* a job claims calls that were approved */
    ngx_ors_session_st_refused,     /* the turn has failed */
    ngx_ors_session_st_commit,      /* a job stores the turn */
    ngx_ors_session_st_over         /* the turn is stored, or never will be */
} ngx_ors_session_state_e;

#define NGX_ORS_SESSION_STATES  (ngx_ors_session_st_over + 1)


typedef enum {
    ngx_ors_session_ev_load = 0,    /* the target is known */
    ngx_ors_session_ev_done,        /* session->job is done */
    ngx_ors_session_ev_claim,       /* calls of stored requests may run once */
    ngx_ors_session_ev_commit,      /* the turn waits to be stored */
    ngx_ors_session_ev_close        /* the request has ended */
} ngx_ors_session_event_e;

#define NGX_ORS_SESSION_EVENTS  (ngx_ors_session_ev_close + 1)


/* a turn that references name items of */

typedef struct {
    ngx_ors_ref_t            **refs;      /* a part of refs->sorted */
    ngx_uint_t                 n;
    ngx_ors_store_entry_t     *entry;     /* its record, of some job */
    unsigned                   chained:1; /* the context has it already */
} ngx_ors_session_owner_t;


typedef struct {
    ngx_ors_session_state_e    state;
    ngx_ors_turn_t            *turn;      /* borrowed */
    ngx_ors_store_t           *store;     /* the same */
    u_char                     scope[NGX_ORS_STORE_KEY];  /* the owner, to */
                                          /* be set before the first event */
    ngx_pool_t                *pool;      /* of the turn */
    ngx_log_t                 *log;

    ngx_ors_store_job_t       *job;       /* to be posted, or posted */
    ngx_ors_store_job_t       *chain;     /* the previous turns, and */
    ngx_ors_store_job_t       *items;     /* the referenced ones: the context */
                                          /* is part of them */

    ngx_str_t                  previous;  /* the id that the client named */
    ngx_ors_record_t           record;    /* the turn's place in the chain */
    u_char                    *names;     /* of its ancestors */
    ngx_array_t                touch;     /* of ngx_ors_store_key_t: what */
                                          /* expires too early */

    ngx_ors_context_t          context;
    size_t                     size;      /* bytes that have been loaded */
    ngx_ors_refs_t             refs;
    ngx_uint_t                 nnames;    /* turns that the store knows */
    ngx_ors_session_owner_t   *owners;    /* turns that "refs" name items of */
    ngx_uint_t                 nowners;

    ngx_uint_t                 retries;   /* commits that may still fail */

    unsigned                   required:1;  /* a turn that cannot be stored */
                                            /* fails */
    unsigned                   instructions:1;  /* they are stored */
    unsigned                   wanted:1;    /* the turn is to be stored */
    unsigned                   translates:1;  /* a fact of the target */
    unsigned                   background:1;  /* it runs without its client */
    unsigned                   referred:1;  /* "refs" have been read */
    unsigned                   unstored:1;  /* the store has failed, is full */
                                            /* or has no more for the scope */
} ngx_ors_session_t;


#endif /* _NGX_ORS_SESSION_STATE_H_INCLUDED_ */
