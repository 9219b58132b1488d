
/*
 * A session: what a request has to do with stored conversations.  A pure
 * machine: events and finished jobs of a store go in; jobs to be posted, a
 * turn that is ready, or a turn that has failed come out.
 */


#ifndef _NGX_ORS_SESSION_H_INCLUDED_
#define _NGX_ORS_SESSION_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_context.h>
#include <ngx_ors_conversation.h>
#include <ngx_ors_record.h>
#include <ngx_ors_store.h>
#include <ngx_ors_turn.h>


/*
 * Keys of a store: which entry of which response, or of which item, in the
 * scope of its owner.
 */


/* values of an entry of the kind "cancel" */
#define NGX_ORS_KEY_CANCELLED  "cancelled"
#define NGX_ORS_KEY_DELETED    "deleted"


/* kinds of digests; the letters are part of what is stored: never change one */

typedef enum {

    /* entries of a store */
    ngx_ors_key_response = 'r',   /* the record of a turn */
    ngx_ors_key_lease = 'l',      /* there while some worker runs the turn */
    ngx_ors_key_cancel = 'c',     /* there when the turn is to be ended */
    ngx_ors_key_item = 'i',       /* the name of the turn that has an item */
    ngx_ors_key_conversation = 'v',
    ngx_ors_key_approval = 'a',   /* there when an approved call has been run */

    /* owners: of a request, of its entries in a store, of sealed texts */
    ngx_ors_key_scope = 's',
    ngx_ors_key_owner = 'o',
    ngx_ors_key_seal = 'e',
    ngx_ors_key_mcp = 'm'         /* a server, in the memory of a worker */
} ngx_ors_key_e;


/*
 * The state of a session, which its parts share: what is known of the turn,
 * of its context and of the jobs.
 */

typedef enum {
    ngx_ors_session_st_new = 0,     /* nothing has been loaded */
    ngx_ors_session_st_conversation,  /* a job reads which turn was its last */
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
    ngx_ors_conversation_t     conversation;
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


/*
 * Makes the key of what has "id", a response or an item, in "scope", which
 * has NGX_ORS_STORE_KEY bytes.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_key(u_char *scope, ngx_ors_key_e kind, ngx_str_t *id,
    ngx_ors_store_key_t *key);

/*
 * Makes the key of the record of the response with "token", the part that the
 * ids of its items share.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_key_turn(u_char *scope, ngx_str_t *token,
    ngx_ors_store_key_t *key);

/*
 * Decides whether the client and the store want the turn to be stored;
 * "turn" has read its request, and session->store, "required" and
 * "instructions" are set.  NGX_OK, or NGX_DONE: the turn has failed, as the
 * store is down and required.
 */
ngx_int_t ngx_ors_session_init(ngx_ors_session_t *session,
    ngx_ors_turn_t *turn);

/*
 * Fills "session", zeroed, for "turn", which goes on with the request of
 * "from" in another pool; nothing has been loaded yet.
 */
void ngx_ors_session_detach(ngx_ors_session_t *session,
    ngx_ors_session_t *from, ngx_ors_turn_t *turn);

/*
 * 1 if the request asks for a response that runs in the background, which
 * some targets have by themselves.
 */
ngx_uint_t ngx_ors_session_asked(ngx_ors_session_t *session);

/*
 * Settles what becomes of a turn at one target, before it is called: whether
 * its context is inserted here (turn->inline_context), whether it is stored
 * (turn->request.stored) and whether it runs in the background.  Nothing else
 * writes these.  "session" is NULL in a location without a store.
 * "translates" and "inline_context" are facts of the target.
 */
void ngx_ors_session_settle(ngx_ors_session_t *session, ngx_ors_turn_t *turn,
    ngx_uint_t translates, ngx_uint_t inline_context);

/*
 * 1 if the turn, when it has been settled, stores something or reads what is
 * stored.
 */
ngx_uint_t ngx_ors_session_used(ngx_ors_session_t *session);

/*
 * Fails the turn in place of session->job, which would load more than the
 * running requests of a scope may hold.  Returns NGX_DONE.
 */
ngx_int_t ngx_ors_session_crowded(ngx_ors_session_t *session);

/*
 * Checks that a turn which has been settled may run in the background.
 *
 * NGX_OK         it may
 * NGX_DECLINED   it does not ask for it
 * NGX_DONE       the turn has failed
 */
ngx_int_t ngx_ors_session_background(ngx_ors_session_t *session);

/*
 * Takes one step.  Of ngx_ors_session_ev_done the job is released here.
 *
 * NGX_OK         the turn can go on: it has its context, or is over
 * NGX_AGAIN      session->job is to be posted unless it is posted; its end is
 *                ngx_ors_session_ev_done
 * NGX_DECLINED   it could not be stored: to be committed again, later
 * NGX_DONE       the turn has failed, turn->error says why
 * NGX_ERROR      no memory
 *
 * After ngx_ors_session_ev_close NGX_AGAIN means that session->job is to be
 * posted without a handler, else there is none.
 */
ngx_int_t ngx_ors_session_step(ngx_ors_session_t *session,
    ngx_ors_session_event_e event);

/* The names of states and events, by their values. */
extern char  *ngx_ors_session_states[NGX_ORS_SESSION_STATES];
extern char  *ngx_ors_session_events[NGX_ORS_SESSION_EVENTS];

/*
 * How the turn of a session fails, and what the log says of its store.
 */


/*
 * Fails the turn with the error; "code", "param" and "text" are static.
 * Returns NGX_DONE.
 */
ngx_int_t ngx_ors_session_refuse(ngx_ors_session_t *session,
    ngx_ors_code_e code, char *param, char *text);

/* Fails the turn with turn->error: no other target is tried.  NGX_DONE. */
ngx_int_t ngx_ors_session_fail(ngx_ors_session_t *session);

/* Fails the turn, as its context could not be read.  Returns NGX_DONE. */
ngx_int_t ngx_ors_session_unread(ngx_ors_session_t *session,
    ngx_ors_store_status_e status);

/*
 * Fails the turn, as it could not be stored; "param" is static.  Returns
 * NGX_DONE.
 */
ngx_int_t ngx_ors_session_unstored(ngx_ors_session_t *session,
    ngx_ors_store_status_e status, char *param);

/* Logs that "what", a response, is not stored, and why. */
void ngx_ors_session_log(ngx_ors_session_t *session,
    ngx_ors_store_status_e status, char *what);

/* A phrase for people for the status of a job, static text. */
ngx_str_t *ngx_ors_session_strerror(ngx_ors_store_status_e status);


/*
 * The record of a session: the job that stores its turn.
 */


/*
 * A job that stores the turn as it is now, with room for "spare" entries
 * after its record: to be posted or released by the caller.  NULL: no
 * memory.
 */
ngx_ors_store_job_t *ngx_ors_session_record(ngx_ors_session_t *session,
    ngx_ors_record_status_e status, ngx_uint_t spare);

/*
 * The references of a session: which turns have the items that the input only
 * names, and where in them the items are.
 */


/*
 * Finds out which of session->refs name their turn, and counts those whose
 * turn only the store knows: session->nnames.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_session_refs_names(ngx_ors_session_t *session);

/*
 * Sets the keys of session->nnames entries of a job, whose values are the
 * names of those turns.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_session_refs_keys(ngx_ors_session_t *session,
    ngx_ors_store_entry_t *entry);

/*
 * The three steps: nothing has been loaded, and there is no chain; "entry",
 * those of ngx_ors_session_refs_keys(), has names, and the chain is loaded if
 * there is one; the turns are loaded.
 *
 * NGX_OK         session->context has all items
 * NGX_AGAIN      session->job is to be posted, the next step follows
 * NGX_DONE       the turn has failed
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_session_refs_load(ngx_ors_session_t *session);
ngx_int_t ngx_ors_session_refs_named(ngx_ors_session_t *session,
    ngx_ors_store_entry_t *entry);
ngx_int_t ngx_ors_session_refs_loaded(ngx_ors_session_t *session);


#endif /* _NGX_ORS_SESSION_H_INCLUDED_ */
