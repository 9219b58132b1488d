
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The LMDB engine as the store's interface has it: settings, start, end.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_lmdb_engine.h>


#define NGX_ORS_LMDB_SIZE         (1024 * 1024 * 1024)
#define NGX_ORS_LMDB_SIZE_MIN     (1024 * 1024)

/* the part of the map that one scope may have */
#define NGX_ORS_LMDB_SHARE        4

/* entries of a sweep; ms between sweeps, and when there is more to do */
#define NGX_ORS_LMDB_SWEEP        200
#define NGX_ORS_LMDB_SWEEP_TIME   10000
#define NGX_ORS_LMDB_SWEEP_PAUSE  5

/* ms until it is tried to open it again, at first and at most */
#define NGX_ORS_LMDB_RETRY        50
#define NGX_ORS_LMDB_RETRY_MAX    5000

/* seconds between lines in the log */
#define NGX_ORS_LMDB_LOG_TIME     60


static char *ngx_ors_lmdb_address(ngx_conf_t *cf, ngx_ors_store_t *store);
static char *ngx_ors_lmdb_set_path(ngx_conf_t *cf, ngx_ors_lmdb_state_t *st);
static ngx_int_t ngx_ors_lmdb_init_conf(ngx_conf_t *cf,
    ngx_ors_store_t *store);
static ngx_int_t ngx_ors_lmdb_open_store(ngx_ors_store_t *store,
    ngx_cycle_t *cycle);
static int ngx_ors_lmdb_claim(ngx_ors_lmdb_state_t *st);
static void ngx_ors_lmdb_opened(ngx_ors_lmdb_state_t *st, int err);
static void ngx_ors_lmdb_close_store(ngx_ors_store_t *store);
static ngx_uint_t ngx_ors_lmdb_down(ngx_ors_store_t *store);
static ngx_int_t ngx_ors_lmdb_store_space(ngx_ors_store_t *store,
    off_t *used, off_t *size);
static void ngx_ors_lmdb_wake(ngx_event_t *ev);
static void ngx_ors_lmdb_upkeep_thread(void *data, ngx_log_t *log);
static void ngx_ors_lmdb_upkeep_done(ngx_event_t *ev);


static ngx_ors_conf_param_t  ngx_ors_lmdb_params[] = {

    { ngx_string("size="), ngx_ors_conf_param_size,
      offsetof(ngx_ors_lmdb_state_t, db.size), NGX_ORS_LMDB_SIZE_MIN,
      NGX_MAX_SIZE_T_VALUE / 2, NULL, "a size of at least 1m" },

    { ngx_string("sync="), ngx_ors_conf_param_word,
      offsetof(ngx_ors_lmdb_state_t, db.sync), 0, 0, ngx_ors_conf_flags,
      "\"on\" or \"off\"" },

    { ngx_string("threads="), ngx_ors_conf_param_text,
      offsetof(ngx_ors_lmdb_state_t, threads), 0, 0, NULL,
      "the name of a thread pool" },

    { ngx_null_string, NULL, 0, 0, 0, NULL, NULL }
};


const ngx_ors_store_engine_t  ngx_ors_store_lmdb = {
    ngx_string("lmdb"),
    0,
    ngx_ors_lmdb_address,
    ngx_ors_lmdb_params,
    ngx_ors_lmdb_init_conf,
    ngx_ors_lmdb_open_store,
    ngx_ors_lmdb_close_store,
    ngx_ors_lmdb_post,
    ngx_ors_lmdb_timeout,
    ngx_ors_lmdb_down,
    ngx_ors_lmdb_store_space
};


/* environments of this process: LMDB fails if one is opened twice */

static ngx_queue_t  ngx_ors_lmdb_envs = {
    &ngx_ors_lmdb_envs, &ngx_ors_lmdb_envs
};


static char *
ngx_ors_lmdb_address(ngx_conf_t *cf, ngx_ors_store_t *store)
{
    ngx_ors_lmdb_state_t  *st;

    if (store->address.len == 0) {
        ngx_ors_conf_error(cf, 0,
                           "store \"%V\" needs a directory, \"lmdb:PATH\"",
                           &store->name);
        return NGX_CONF_ERROR;
    }

    st = ngx_pcalloc(cf->pool, sizeof(ngx_ors_lmdb_state_t));
    if (st == NULL) {
        return NGX_CONF_ERROR;
    }

    /*
     * set by ngx_pcalloc():
     *
     *     st->db.size = 0;
     *     st->threads = { 0, NULL };
     *     st->ino = 0;
     *     st->ready = 0;
     */

    st->db.size = NGX_CONF_UNSET_SIZE;
    st->db.sync = NGX_CONF_UNSET_UINT;
    st->store = store;

    store->conf = st;
    store->state = st;

    if (ngx_ors_lmdb_init(&st->db) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    ngx_ors_lmdb_jobs_init(st, store->log);

    return ngx_ors_lmdb_set_path(cf, st);
}


/* nginx makes the directory, and gives it to the user of its workers */

static char *
ngx_ors_lmdb_set_path(ngx_conf_t *cf, ngx_ors_lmdb_state_t *st)
{
    ngx_str_t    name;
    ngx_path_t  *path;

    path = ngx_pcalloc(cf->pool, sizeof(ngx_path_t));
    if (path == NULL) {
        return NGX_CONF_ERROR;
    }

    name = st->store->address;

    if (ngx_conf_full_name(cf->cycle, &name, 0) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    while (name.len > 1 && name.data[name.len - 1] == '/') {
        name.len--;
    }

    path->name.len = name.len;
    path->name.data = ngx_pnalloc(cf->pool, name.len + 1);
    if (path->name.data == NULL) {
        return NGX_CONF_ERROR;
    }

    *ngx_cpymem(path->name.data, name.data, name.len) = '\0';

    /* another owner of the same path is an error */

    path->data = st;
    path->conf_file = cf->conf_file->file.name.data;
    path->line = cf->conf_file->line;

    st->path = path;
    st->db.path = path->name.data;

    return (ngx_add_path(cf, &st->path) == NGX_OK) ? NGX_CONF_OK
                                                   : NGX_CONF_ERROR;
}


static ngx_int_t
ngx_ors_lmdb_init_conf(ngx_conf_t *cf, ngx_ors_store_t *store)
{
    ngx_ors_lmdb_state_t  *st;

    st = store->conf;

    ngx_conf_init_size_value(st->db.size, NGX_ORS_LMDB_SIZE);
    ngx_conf_init_uint_value(st->db.sync, 1);

    st->db.size = ngx_align(st->db.size, ngx_pagesize);

    if (store->scope_size == NGX_CONF_UNSET) {
        store->scope_size = st->db.size / NGX_ORS_LMDB_SHARE;
    }

    st->db.scope_size = store->scope_size;
    st->db.scope_turns = store->scope_turns;

    st->thread_pool = ngx_thread_pool_add(cf, st->threads.len ? &st->threads
                                                              : NULL);

    return st->thread_pool ? NGX_OK : NGX_ERROR;
}


static ngx_int_t
ngx_ors_lmdb_open_store(ngx_ors_store_t *store, ngx_cycle_t *cycle)
{
    int                     err;
    ngx_ors_lmdb_state_t   *st;
    ngx_ors_lmdb_upkeep_t  *u;

    st = store->state;
    u = &st->upkeep;

    ngx_ors_lmdb_jobs_init(st, cycle->log);

    st->retry = NGX_ORS_LMDB_RETRY;

    st->wake.handler = ngx_ors_lmdb_wake;
    st->wake.data = st;
    st->wake.log = cycle->log;
    st->wake.cancelable = 1;

    u->state = st;
    u->task.ctx = u;
    u->task.handler = ngx_ors_lmdb_upkeep_thread;
    u->task.event.handler = ngx_ors_lmdb_upkeep_done;
    u->task.event.data = u;
    u->task.event.log = cycle->log;

    err = ngx_ors_lmdb_claim(st);

    if (err == 0) {
        err = ngx_ors_lmdb_open(&st->db);
    }

    if (err == 0) {
        (void) ngx_ors_lmdb_space(&st->db, &st->used, &st->size);
    }

    ngx_ors_lmdb_opened(st, err);

    return NGX_OK;
}


/* links make one directory of two names */

static int
ngx_ors_lmdb_claim(ngx_ors_lmdb_state_t *st)
{
    ngx_queue_t           *q;
    ngx_file_info_t        fi;
    ngx_ors_lmdb_state_t  *other;

    if (st->ino) {
        return 0;
    }

    if (ngx_file_info(st->db.path, &fi) == NGX_FILE_ERROR) {
        return ngx_errno;
    }

    for (q = ngx_queue_head(&ngx_ors_lmdb_envs);
         q != ngx_queue_sentinel(&ngx_ors_lmdb_envs);
         q = ngx_queue_next(q))
    {
        other = ngx_queue_data(q, ngx_ors_lmdb_state_t, opened);

        if (other->ino == fi.st_ino && other->dev == fi.st_dev) {
            return EBUSY;
        }
    }

    st->dev = fi.st_dev;
    st->ino = fi.st_ino;

    ngx_queue_insert_tail(&ngx_ors_lmdb_envs, &st->opened);

    return 0;
}


static void
ngx_ors_lmdb_opened(ngx_ors_lmdb_state_t *st, int err)
{
    ngx_ors_store_t  *store;

    store = st->store;

    if (err) {

        if (!st->upkeep.failed) {
            st->upkeep.failed = 1;
            ngx_log_error(NGX_LOG_ERR, store->log, 0,
                          "store \"%V\" cannot open \"%s\": %s", &store->name,
                          st->db.path,
                          (err == EBUSY) ? "another store has it open"
                                         : mdb_strerror(err));
        }

        ngx_add_timer(&st->wake, st->retry);

        st->retry = ngx_min(st->retry * 2, NGX_ORS_LMDB_RETRY_MAX);

        return;
    }

    if (st->upkeep.failed) {
        st->upkeep.failed = 0;
        ngx_log_error(NGX_LOG_NOTICE, store->log, 0,
                      "store \"%V\" is open again", &store->name);
    }

    st->ready = 1;
    st->retry = NGX_ORS_LMDB_RETRY;

    /* one of the workers is enough to sweep */

    st->upkeep.sweep = (ngx_worker == 0);

    ngx_add_timer(&st->wake, st->upkeep.sweep ? NGX_ORS_LMDB_SWEEP_PAUSE
                                              : NGX_ORS_LMDB_SWEEP_TIME);
}


void
ngx_ors_lmdb_failed(ngx_ors_lmdb_state_t *st, int err, char *what)
{
    if (ngx_time() - st->logged >= NGX_ORS_LMDB_LOG_TIME) {
        st->logged = ngx_time();
        ngx_log_error(NGX_LOG_ERR, st->store->log, 0,
                      "store \"%V\" cannot %s \"%s\": %s", &st->store->name,
                      what, st->db.path, mdb_strerror(err));
    }

    if (err == MDB_PANIC) {
        st->ready = 0;

        if (!st->upkeep.task.event.active) {
            ngx_add_timer(&st->wake, st->retry);
        }
    }
}


static void
ngx_ors_lmdb_close_store(ngx_ors_store_t *store)
{
    ngx_ors_lmdb_state_t  *st;

    st = store->state;

    ngx_ors_lmdb_jobs_end(st);

    if (st->wake.timer_set) {
        ngx_del_timer(&st->wake);
    }

    ngx_ors_lmdb_close(&st->db);

    st->ready = 0;

    if (st->ino) {
        st->ino = 0;
        ngx_queue_remove(&st->opened);
    }
}


static ngx_uint_t
ngx_ors_lmdb_down(ngx_ors_store_t *store)
{
    ngx_ors_lmdb_state_t  *st;

    st = store->state;

    return !st->ready;
}


static ngx_int_t
ngx_ors_lmdb_store_space(ngx_ors_store_t *store, off_t *used, off_t *size)
{
    ngx_ors_lmdb_state_t  *st;

    st = store->state;

    if (!st->ready || st->size == 0) {
        return NGX_DECLINED;
    }

    *used = st->used;
    *size = st->size;

    return NGX_OK;
}


static void
ngx_ors_lmdb_wake(ngx_event_t *ev)
{
    int                     err;
    ngx_ors_lmdb_state_t   *st;
    ngx_ors_lmdb_upkeep_t  *u;

    st = ev->data;
    u = &st->upkeep;

    if (ngx_exiting) {
        return;
    }

    u->now = ngx_time();
    u->swept = 0;
    u->open = !st->ready;

    if (u->open) {
        err = ngx_ors_lmdb_claim(st);
        if (err) {
            ngx_ors_lmdb_opened(st, err);
            return;
        }
    }

    if (ngx_thread_task_post(st->thread_pool, &u->task) != NGX_OK) {
        ngx_add_timer(&st->wake, NGX_ORS_LMDB_SWEEP_TIME);
    }
}


static void
ngx_ors_lmdb_upkeep_thread(void *data, ngx_log_t *log)
{
    ngx_ors_lmdb_upkeep_t *u = data;

    ngx_ors_lmdb_t  *db;

    db = &u->state->db;

    u->err = 0;

    if (u->open) {
        u->err = ngx_ors_lmdb_open(db);

    } else if (u->sweep) {
        u->err = ngx_ors_lmdb_reap(db);

        if (u->err == 0) {
            u->err = ngx_ors_lmdb_sweep(db, u->now, NGX_ORS_LMDB_SWEEP,
                                        &u->swept);
        }
    }

    if (u->err == 0) {
        (void) ngx_ors_lmdb_space(db, &u->used, &u->size);
    }
}


static void
ngx_ors_lmdb_upkeep_done(ngx_event_t *ev)
{
    ngx_ors_lmdb_state_t   *st;
    ngx_ors_lmdb_upkeep_t  *u;

    u = ev->data;
    st = u->state;

    ev->complete = 0;

    st->used = u->used;
    st->size = u->size;

    if (u->open) {
        ngx_ors_lmdb_opened(st, u->err);
        return;
    }

    if (u->err) {
        ngx_ors_lmdb_failed(st, u->err, "sweep");
    }

    if (!ngx_exiting) {
        ngx_add_timer(&st->wake,
                      (!st->ready) ? st->retry
                      : (u->err == 0 && u->swept == NGX_ORS_LMDB_SWEEP)
                        ? NGX_ORS_LMDB_SWEEP_PAUSE
                        : NGX_ORS_LMDB_SWEEP_TIME);
    }
}
