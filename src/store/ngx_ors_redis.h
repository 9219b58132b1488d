
/*
 * The Redis engine of one worker: jobs are made of commands, commands are
 * written to links.
 */


#ifndef _NGX_ORS_REDIS_H_INCLUDED_
#define _NGX_ORS_REDIS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_ors_record.h>
#include <ngx_ors_store.h>
#include <ngx_ors_redis_text.h>
#include <ngx_ors_redis_link.h>


/* nodes of a cluster that are remembered */
#define NGX_ORS_REDIS_LINKS    256


typedef struct {
    ngx_array_t               addresses;  /* ngx_ors_redis_addr_t */
    ngx_ors_redis_login_t     login;
    ngx_str_t                 prefix;
    ngx_uint_t                cluster;    /* its nodes may be followed to */
} ngx_ors_redis_conf_t;


typedef struct {
    ngx_ors_store_t          *store;
    ngx_ors_redis_conf_t     *conf;
    ngx_log_t                *log;

    ngx_ors_redis_link_t     *seed;       /* to configured addresses */
    ngx_ors_redis_link_t     *links[1 + NGX_ORS_REDIS_LINKS];
                                          /* that, and to nodes of a cluster */
    ngx_uint_t                nlinks;
    ngx_ors_redis_link_t    **slots;      /* NULL: none is followed to */
    ngx_msec_t                refreshed;  /* the slots, all of them */
    ngx_uint_t                refreshing;

    ngx_queue_t               tasks;      /* jobs under way */
    ngx_queue_t               lost;       /* commands to be written again */
    ngx_queue_t               later;      /* ... after a pause */
    ngx_queue_t               free;       /* commands */

    ngx_event_t               event;      /* posted for "lost" */
    ngx_event_t               timer;      /* for "later" */

    ngx_uint_t                said;       /* errors logged, bits */
} ngx_ors_redis_t;


/* a job under way */

typedef struct {
    ngx_ors_redis_t          *redis;
    ngx_ors_store_job_t      *job;
    ngx_queue_t               commands;   /* of its own, not yet over */

    ngx_ors_chain_t           chain;      /* of a job that follows one */
    size_t                    left;       /* bytes that may still be read */
    unsigned                  full:1;     /* a turn was too much */
    unsigned                  over:1;
} ngx_ors_redis_task_t;


/*
 * A command lives until its last reply, also if its job does not.  A put of
 * several entries is one: a transaction.
 */

typedef struct {
    ngx_queue_t               queue;      /* of its task */
    ngx_queue_t               place;      /* where it waits */
    ngx_ors_redis_t          *redis;
    ngx_ors_redis_task_t     *task;       /* NULL: no job waits for it */
    ngx_ors_store_entry_t    *entry;
    ngx_uint_t                n;          /* of a transaction: entries */

    ngx_ors_redis_link_t     *link;       /* written to */
    ngx_ors_redis_link_t     *target;     /* a redirection, or NULL */
    ngx_uint_t                replies;    /* that are to come */
    ngx_uint_t                hops;       /* redirections */
    ngx_ors_redis_error_e     error;

    unsigned                  failed:1;   /* a reply was an error */
    unsigned                  gone:1;     /* a reply will never come */
    unsigned                  placed:1;   /* it waits somewhere */
    unsigned                  writing:1;
    unsigned                  written:1;  /* on a link that is lost */
    unsigned                  again:1;    /* it has been written again */
    unsigned                  asking:1;
    unsigned                  redirected:1;
    unsigned                  learning:1; /* waits for the cluster's nodes */
} ngx_ors_redis_command_t;


/* As post() and timeout() of an engine. */
void ngx_ors_redis_post(ngx_ors_store_job_t *job);
void ngx_ors_redis_timeout(ngx_ors_store_job_t *job);

/*
 * Sends commands that were lost or have waited; those that are queued meanwhile
 * stay.
 */
void ngx_ors_redis_resend(ngx_queue_t *commands);

/* Seconds that an entry has left: SET refuses less than one. */
time_t ngx_ors_redis_ttl(ngx_ors_store_entry_t *entry);


/* 1 if the command changes a store where the shares of scopes are counted. */
ngx_uint_t ngx_ors_redis_share_is(ngx_ors_redis_command_t *cmd);

/*
 * Makes the arguments of the one command that puts or deletes the entries of
 * "cmd" and counts them, from the pool of its job.  The reply to a put is 1, or
 * 0 if the scope has no room.
 *
 * NGX_OK      "*args" has "*n" of them
 * NGX_ERROR   no memory
 */
ngx_int_t ngx_ors_redis_share_args(ngx_ors_redis_command_t *cmd,
    ngx_str_t **args, ngx_uint_t *n);


/* Makes the seeds' link, the first one.  NGX_OK, or NGX_ERROR: no memory. */
ngx_int_t ngx_ors_redis_seed(ngx_ors_redis_t *redis);

/* Gives back all jobs, closes all links, frees them and all commands. */
void ngx_ors_redis_close(ngx_ors_redis_t *redis);

/* 1 if no link is up or may be at once; as down() of an engine. */
ngx_uint_t ngx_ors_redis_down(ngx_ors_store_t *store);


#endif /* _NGX_ORS_REDIS_H_INCLUDED_ */
