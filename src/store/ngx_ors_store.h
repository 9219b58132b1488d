
/*
 * The store: what is stored between turns, one interface for all engines.
 * It knows bytes and keys only; what the bytes of a record mean to it is in
 * ngx_ors_record.h.
 */


#ifndef _NGX_ORS_STORE_H_INCLUDED_
#define _NGX_ORS_STORE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_ors_conf.h>


#define NGX_ORS_STORE_KEY  16

/* overhead of an entry, counted against the scope */
#define NGX_ORS_STORE_ENTRY  128


typedef struct ngx_ors_store_s      ngx_ors_store_t;
typedef struct ngx_ors_store_job_s  ngx_ors_store_job_t;


/* both are digests: keys of one scope cannot be made in another one */

typedef struct {
    u_char                    scope[NGX_ORS_STORE_KEY];
    u_char                    name[NGX_ORS_STORE_KEY];
} ngx_ors_store_key_t;


/* parts of a record, see ngx_ors_record.h */

#define NGX_ORS_STORE_INPUT   0x1
#define NGX_ORS_STORE_OUTPUT  0x2


typedef struct {
    ngx_ors_store_key_t       key;
    ngx_str_t                 value;      /* data is NULL: not there */
    ngx_uint_t                parts;      /* of a record that is read, */
                                          /* 0: all of it */
    time_t                    expires;    /* seconds since the epoch, */
                                          /* read: 0 if it is not known */
    ngx_uint_t                there;      /* added: 1 if it had been there */
} ngx_ors_store_entry_t;


typedef enum {

    /*
     * Fills in the values of all entries; what has expired is not there.  Of
     * a record that has other parts than those asked for a smaller one is
     * made, so that what is not read is neither copied nor counted.
     */

    ngx_ors_store_get = 0,

    /*
     * The record of entries[0].key and all its ancestors: gives an array of
     * its own, the oldest one first, all of the scope of that key, with the
     * parts of entries[0].  Besides it fills in the values of job->others, as
     * by ngx_ors_store_get; they do not count for max_size.
     */

    ngx_ors_store_chain,

    /*
     * Writes all entries or none, in place of what is there, durably; a
     * value of NULL only sets when that which is there expires, if it is.
     */

    ngx_ors_store_put,

    /* deletes; the value of what was there is not NULL afterwards */

    ngx_ors_store_delete,

    /*
     * Writes those entries that are not there, and sets "there" of the others:
     * of several jobs with one key one finds it absent.
     */

    ngx_ors_store_add
} ngx_ors_store_op_e;


typedef enum {
    ngx_ors_store_ok = 0,
    ngx_ors_store_absent,             /* chain: one of them is not there */
    ngx_ors_store_limit,              /* read: max_turns, max_size */
    ngx_ors_store_full,               /* put: no room in the map, the disk */
    ngx_ors_store_timeout,            /* no answer in time */
    ngx_ors_store_unavailable,        /* cannot be reached, opened, read */
    ngx_ors_store_corrupt,            /* holds what is not ours */
    ngx_ors_store_share,              /* put: scope_size, scope_turns */
    ngx_ors_store_large,              /* put: a record is over its limit */
    ngx_ors_store_version             /* holds a record of another version */
} ngx_ors_store_status_e;


typedef void (*ngx_ors_store_job_pt)(ngx_ors_store_job_t *job);


struct ngx_ors_store_job_s {
    ngx_ors_store_op_e        op;
    ngx_ors_store_status_e    status;     /* when the handler is called */
    ngx_ors_store_entry_t    *entries;
    ngx_uint_t                n;
    ngx_ors_store_entry_t    *others;     /* read with a chain, or NULL */
    ngx_uint_t                nothers;

    ngx_uint_t                max_turns;  /* of a chain */
    ngx_uint_t                newest;     /* ... the newest within a limit */
    size_t                    max_size;   /* bytes of values, or of the parts */
                                          /* of records, 0: no limit */

    ngx_ors_store_job_pt      handler;
    void                     *data;
    void                     *origin;     /* the request that posts it; gone */
                                          /* later */

    /*
     * All that the job refers to must be from its pool, as it may outlive
     * who has asked for it; while it is posted the pool is the engine's.
     */

    ngx_pool_t               *pool;
    ngx_log_t                 log;        /* of the pool, says nothing */
    ngx_ors_store_t          *store;
    ngx_event_t               timer;      /* while it is posted */
    ngx_queue_t               queue;      /* of the engine */
    void                     *state;      /* of the engine */

    unsigned                  large:1;    /* it is not done: see above */
    unsigned                  posted:1;
    unsigned                  dropped:1;  /* no handler waits for it */
    unsigned                  notified:1; /* the handler has been called */
};


/* interface of an engine; only post() is for others than the store */

typedef struct {
    ngx_str_t                 name;       /* in the directive */
    ngx_uint_t                number;     /* in metrics */

    /*
     * Reads store->address and sets store->conf.  NGX_CONF_OK,
     * NGX_CONF_ERROR: the error has been logged, or is returned as text.
     */
    char                   *(*address)(ngx_conf_t *cf, ngx_ors_store_t *store);

    /* parameters of its own, which are read next; fields of store->conf */
    ngx_ors_conf_param_t     *params;

    /* all parameters are known.  NGX_OK or NGX_ERROR: logged. */
    ngx_int_t               (*init)(ngx_conf_t *cf, ngx_ors_store_t *store);

    /*
     * Of a worker, after the fork and before its end.  What cannot be opened
     * is not an error here: jobs end as unavailable.
     */
    ngx_int_t               (*open)(ngx_ors_store_t *store,
                                    ngx_cycle_t *cycle);
    void                    (*close)(ngx_ors_store_t *store);

    /*
     * Takes the job and gives it to ngx_ors_store_done() from the event
     * loop, not before this call has returned, or to ngx_ors_store_return().
     */
    void                    (*post)(ngx_ors_store_job_t *job);

    /* The time of the job is over: it is given back, or told. */
    void                    (*timeout)(ngx_ors_store_job_t *job);

    /* 1 if it is known by now that jobs will fail */
    ngx_uint_t              (*down)(ngx_ors_store_t *store);

    /*
     * Bytes that are in use, and those that there may be.  NGX_OK, or
     * NGX_DECLINED: not known.  NULL: the engine never knows.
     */
    ngx_int_t               (*space)(ngx_ors_store_t *store, off_t *used,
                                     off_t *size);
} ngx_ors_store_engine_t;


struct ngx_ors_store_s {
    const ngx_ors_store_engine_t  *engine;
    ngx_str_t                 name;
    ngx_str_t                 address;    /* after "engine:" */
    ngx_str_t                 key;        /* of the digests of scopes, or */
                                          /* empty */
    time_t                    ttl;        /* seconds */
    ngx_msec_t                timeout;    /* ms, for a job */
    size_t                    record;     /* bytes of a record, at most */
    off_t                     scope_size; /* a scope's part of the */
    ngx_uint_t                scope_turns;    /* store, 0: all of it */
    ngx_log_t                *log;        /* of the cycle */
    void                     *conf;       /* of the engine */
    void                     *state;      /* of the engine, of this worker */
    ngx_queue_t               over;       /* jobs to be given back */
    ngx_event_t               event;      /* posted for them */
};

#define ngx_ors_store_down(store)  (store)->engine->down(store)


/*
 * "open_responses_store" in both its forms: a store that is defined, and a
 * location that uses one.
 */


/* configuration of a location */

typedef struct {
    ngx_ors_store_t          *store;         /* NULL: nothing is stored */
    ngx_uint_t                required;      /* or a turn fails */
    ngx_uint_t                instructions;  /* they are stored */
} ngx_ors_store_use_t;


extern const ngx_ors_store_engine_t  ngx_ors_store_lmdb;
extern const ngx_ors_store_engine_t  ngx_ors_store_redis;


/* Makes an engine of another room known, before the configuration is read. */
void ngx_ors_store_engine_add(const ngx_ors_store_engine_t *engine);

/*
 * Finds the engine with that name, NULL if it was left out of this build by
 * ORS_WITHOUT.  NGX_OK, or NGX_DECLINED: there is none, "*engine" is unchanged.
 */
ngx_int_t ngx_ors_store_engine(ngx_str_t *name,
    const ngx_ors_store_engine_t **engine);

/*
 * A new job with room for "n" entries, zeroed, that must be posted or
 * released.  NULL: no memory.
 */
ngx_ors_store_job_t *ngx_ors_store_job(ngx_ors_store_t *store,
    ngx_ors_store_op_e op, ngx_uint_t n);

/*
 * Hands a job to the engine.  Its handler is called later, once, from the
 * event loop, and has to release it; a job without a handler is released by
 * itself.
 */
void ngx_ors_store_post(ngx_ors_store_job_t *job);

/*
 * Gives the job back, at any time; if it is posted, its handler will not be
 * called, but what it does is done.
 */
void ngx_ors_store_release(ngx_ors_store_job_t *job);

/* The same of "*job", which may be NULL and becomes NULL. */
void ngx_ors_store_drop(ngx_ors_store_job_t **job);

/* The name of an operation for logs, static text. */
extern char  *ngx_ors_store_ops[];

/* For engines: the job is over. */
void ngx_ors_store_done(ngx_ors_store_job_t *job,
    ngx_ors_store_status_e status);

/* For engines: the job is over, its handler is called from the event loop. */
void ngx_ors_store_return(ngx_ors_store_job_t *job,
    ngx_ors_store_status_e status);

/*
 * For engines: calls the handler of a job that is in use by a thread, which
 * is over when ngx_ors_store_done() is called.
 */
void ngx_ors_store_tell(ngx_ors_store_job_t *job,
    ngx_ors_store_status_e status);

/*
 * Reads the directive's words in cf->args, which define a store, if "define"
 * is set, or are what "use" is about.  "stores", of ngx_ors_store_t *, are
 * those of the configuration; a store may be used before it is defined.
 * Returns what a setter does.
 */
char *ngx_ors_store_set(ngx_conf_t *cf, ngx_array_t *stores,
    ngx_ors_store_use_t *use, ngx_uint_t define);

/* Sets "use" to "not configured"; takes it from "prev" if that is so. */
void ngx_ors_store_use_init(ngx_ors_store_use_t *use);
void ngx_ors_store_use_merge(ngx_ors_store_use_t *use,
    ngx_ors_store_use_t *prev);

/*
 * Checks that all stores that are used are defined.  NGX_CONF_OK, or
 * NGX_CONF_ERROR: it is logged.
 */
char *ngx_ors_stores_check(ngx_conf_t *cf, ngx_array_t *stores);

/* Prepares a store for jobs; ends it, and drops those to be given back. */
void ngx_ors_store_begin(ngx_ors_store_t *store, ngx_log_t *log);
void ngx_ors_store_end(ngx_ors_store_t *store);

/* Opens and closes all stores of a worker.  NGX_OK or NGX_ERROR. */
ngx_int_t ngx_ors_stores_open(ngx_array_t *stores, ngx_cycle_t *cycle);
void ngx_ors_stores_close(ngx_array_t *stores);


#endif /* _NGX_ORS_STORE_H_INCLUDED_ */
