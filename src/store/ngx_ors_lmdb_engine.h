
/*
 * The part of the LMDB engine that is on the event loop.  Threads have what
 * is in a task while that is busy, and the environment; nothing else.
 */


#ifndef _NGX_ORS_LMDB_ENGINE_H_INCLUDED_
#define _NGX_ORS_LMDB_ENGINE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_event.h>
#include <ngx_thread_pool.h>
#include <ngx_ors_lmdb.h>


/* jobs of a task, tasks at once */
#define NGX_ORS_LMDB_READS       32
#define NGX_ORS_LMDB_READ_TASKS  8
#define NGX_ORS_LMDB_WRITES      256

/* bytes of a transaction */
#define NGX_ORS_LMDB_WRITE_SIZE  (8 * 1024 * 1024)

/* jobs whose handlers are called before other events have their turn */
#define NGX_ORS_LMDB_FINISH      16


typedef struct ngx_ors_lmdb_state_s  ngx_ors_lmdb_state_t;


typedef struct {
    ngx_thread_task_t         task;
    ngx_ors_lmdb_state_t     *state;
    ngx_ors_lmdb_op_t        *ops[NGX_ORS_LMDB_WRITES];
    ngx_uint_t                n;
    time_t                    now;
    int                       err;
    unsigned                  write:1;
    unsigned                  busy:1;
} ngx_ors_lmdb_task_t;


/* opens the environment, sweeps it, and looks how full it is */

typedef struct {
    ngx_thread_task_t         task;
    ngx_ors_lmdb_state_t     *state;
    time_t                    now;
    ngx_uint_t                swept;
    off_t                     used;
    off_t                     size;
    int                       err;
    unsigned                  open:1;
    unsigned                  sweep:1;
    unsigned                  failed:1;   /* the log knows */
} ngx_ors_lmdb_upkeep_t;


struct ngx_ors_lmdb_state_s {
    ngx_ors_lmdb_t            db;
    ngx_ors_store_t          *store;
    ngx_path_t               *path;
    ngx_str_t                 threads;    /* the name of the pool */
    ngx_thread_pool_t        *thread_pool;

    ngx_queue_t               opened;     /* those of this process */
    dev_t                     dev;
    ino_t                     ino;

    ngx_queue_t               reads;      /* ops that wait */
    ngx_queue_t               writes;
    ngx_queue_t               finished;   /* ops that threads have left */

    ngx_event_t               finish;
    ngx_event_t               wake;       /* of the upkeep */
    ngx_msec_t                retry;

    ngx_ors_lmdb_task_t       writer;
    ngx_ors_lmdb_task_t       readers[NGX_ORS_LMDB_READ_TASKS];
    ngx_ors_lmdb_upkeep_t     upkeep;

    off_t                     used;       /* as the upkeep has found it, */
    off_t                     size;       /* 0: not yet */

    time_t                    logged;     /* the last failure in the log */
    unsigned                  ready:1;    /* the environment is open */
};


/*
 * A task has failed to do "what": it is logged, though not each time, and
 * the environment is opened anew if it is of no use any longer.
 */
void ngx_ors_lmdb_failed(ngx_ors_lmdb_state_t *st, int err, char *what);


/* Prepares queues and tasks for jobs. */
void ngx_ors_lmdb_jobs_init(ngx_ors_lmdb_state_t *st, ngx_log_t *log);

/* As post() and timeout() of an engine. */
void ngx_ors_lmdb_post(ngx_ors_store_job_t *job);
void ngx_ors_lmdb_timeout(ngx_ors_store_job_t *job);

/*
 * Ends all jobs without calling handlers; no thread may run any longer.  What
 * waits to be written is written.
 */
void ngx_ors_lmdb_jobs_end(ngx_ors_lmdb_state_t *st);


#endif /* _NGX_ORS_LMDB_ENGINE_H_INCLUDED_ */
