
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Counting of turns, stores, tools and targets: histograms, and the entries
 * that a configuration names.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_metrics.h>
#include <ngx_ors_names.h>


/* a processor without 64-bit instructions may lose one of two that meet */

#if (__GCC_HAVE_SYNC_COMPARE_AND_SWAP_8)
#define ngx_ors_metrics_add(sum, n)  __sync_fetch_and_add(sum, n)

#else
#define ngx_ors_metrics_add(sum, n)  (*(sum) += (n))
#endif

/* defaults where max_fails=0 only reports, s */
#define NGX_ORS_PEER_FAILS    3
#define NGX_ORS_PEER_TIMEOUT  10


static void ngx_ors_metrics_value(ngx_ors_metrics_row_t *row,
    ngx_ors_metrics_histogram_e n, uint64_t value);
static ngx_uint_t ngx_ors_metrics_alive(ngx_atomic_t *gauges);
static void *ngx_ors_named_entry(ngx_ors_named_list_t *list, size_t size,
    ngx_str_t *names, ngx_uint_t n, ngx_slab_pool_t *shpool);
static ngx_uint_t ngx_ors_peer_late(ngx_ors_peer_conf_t *conf, time_t now);


/* those of all others are durations */

static const uint64_t  *ngx_ors_metrics_of[] = {
    ngx_ors_metrics_tokens,
    ngx_ors_metrics_tokens,
    ngx_ors_metrics_firsts,
    ngx_ors_metrics_eaches
};


const uint64_t  ngx_ors_metrics_tokens[] = {
    1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304,
    16777216, 67108864, 0
};


const uint64_t  ngx_ors_metrics_durations[] = {
    10000000, 20000000, 40000000, 80000000, 160000000, 320000000, 640000000,
    1280000000, 2560000000, 5120000000, 10240000000, 20480000000, 40960000000,
    81920000000, 0
};


const uint64_t  ngx_ors_metrics_firsts[] = {
    1000000, 5000000, 10000000, 20000000, 40000000, 60000000, 80000000,
    100000000, 250000000, 500000000, 750000000, 1000000000, 2500000000,
    5000000000, 7500000000, 10000000000, 0
};


const uint64_t  ngx_ors_metrics_eaches[] = {
    10000000, 25000000, 50000000, 75000000, 100000000, 150000000, 200000000,
    300000000, 400000000, 500000000, 750000000, 1000000000, 2500000000, 0
};


const uint64_t  ngx_ors_metrics_overheads[] = {
    10000, 25000, 50000, 100000, 250000, 500000, 1000000, 2500000, 5000000,
    10000000, 25000000, 50000000, 100000000, 250000000, 0
};


void
ngx_ors_metrics_attach(ngx_ors_metrics_t *metrics,
    ngx_ors_metrics_labels_t *labels, ngx_slab_pool_t *shpool)
{
    ngx_str_t  names[5];

    static ngx_str_t  operations[] = {
        ngx_string("chat"), ngx_string("embeddings")
    };

    names[0] = labels->location;
    names[1] = labels->target;
    names[2] = operations[labels->operation];
    names[3] = labels->provider;
    names[4] = labels->model;

    labels->row = ngx_ors_named_entry(&metrics->rows,
                                      sizeof(ngx_ors_metrics_row_t), names, 5,
                                      shpool);
}


void
ngx_ors_metrics_turn(ngx_ors_metrics_t *metrics, ngx_ors_metrics_row_t *row,
    ngx_ors_metrics_turn_t *turn, time_t now)
{
    uint64_t                  ms;
    ngx_atomic_uint_t         n;
    ngx_ors_metrics_piece_t  *piece;

    (void) ngx_atomic_fetch_add(
                    &metrics->turns[turn->background != 0][turn->delivery], 1);

    ngx_ors_metrics_observe(&metrics->overhead, ngx_ors_metrics_overheads,
                            turn->own);

    if (row == NULL) {
        return;
    }

    n = now / NGX_ORS_METRICS_PIECE;
    piece = &row->pieces[n % NGX_ORS_METRICS_PIECES];

    if (piece->piece != n) {
        piece->n = 0;
        piece->piece = n;
    }

    (void) ngx_atomic_fetch_add(&piece->n, 1);

    /* a server may say anything, and a sum must not wrap */

    if (turn->input >= 0 && turn->input <= NGX_MAX_INT32_VALUE) {
        ngx_ors_metrics_value(row, ngx_ors_metrics_input, turn->input);
    }

    if (turn->output >= 0 && turn->output <= NGX_MAX_INT32_VALUE) {
        ngx_ors_metrics_value(row, ngx_ors_metrics_output, turn->output);
    }

    ngx_ors_metrics_value(row, turn->end, (uint64_t) turn->duration * 1000000);

    if (turn->first < 0) {
        return;
    }

    ngx_ors_metrics_value(row, ngx_ors_metrics_first,
                          (uint64_t) turn->first * 1000000);

    if (turn->output > 1 && turn->end == ngx_ors_metrics_completed) {
        ms = ngx_max(turn->duration - turn->first, 0);

        ngx_ors_metrics_value(row, ngx_ors_metrics_each,
                              ms * 1000000 / (turn->output - 1));
    }
}


static void
ngx_ors_metrics_value(ngx_ors_metrics_row_t *row,
    ngx_ors_metrics_histogram_e n, uint64_t value)
{
    ngx_ors_metrics_observe(&row->histograms[n],
                            (n < ngx_ors_metrics_canceled)
                            ? ngx_ors_metrics_of[n] : ngx_ors_metrics_durations,
                            value);
}


void
ngx_ors_metrics_store(ngx_ors_metrics_t *metrics, ngx_uint_t engine,
    ngx_uint_t op, ngx_uint_t result)
{
    (void) ngx_atomic_fetch_add(
               &metrics->store[engine * NGX_ORS_METRICS_OPS + op][result], 1);
}


void
ngx_ors_metrics_process(ngx_ors_metrics_t *metrics, ngx_uint_t slot,
    ngx_pid_t pid, ngx_uint_t generation)
{
    ngx_atomic_t  *gauges;

    gauges = metrics->gauges[slot];

    ngx_memzero((void *) gauges, sizeof(metrics->gauges[0]));

    gauges[NGX_ORS_METRICS_GENERATION] = generation;
    gauges[NGX_ORS_METRICS_PID] = pid;
}


ngx_uint_t
ngx_ors_metrics_oldest(ngx_ors_metrics_t *metrics)
{
    ngx_uint_t     i, oldest;
    ngx_atomic_t  *gauges;

    oldest = metrics->rows.generation;

    for (i = 0; i < NGX_MAX_PROCESSES; i++) {
        gauges = metrics->gauges[i];

        if (gauges[NGX_ORS_METRICS_GENERATION] < oldest
            && ngx_ors_metrics_alive(gauges))
        {
            oldest = gauges[NGX_ORS_METRICS_GENERATION];
        }
    }

    return oldest;
}


/* the slot of a worker that was killed may stay unused */

static ngx_uint_t
ngx_ors_metrics_alive(ngx_atomic_t *gauges)
{
    ngx_pid_t  pid;

    pid = (ngx_pid_t) gauges[NGX_ORS_METRICS_PID];

    return pid && (kill(pid, 0) != -1 || ngx_errno != NGX_ESRCH);
}


int64_t
ngx_ors_metrics_gauge(ngx_ors_metrics_t *metrics,
    ngx_ors_metrics_gauge_e gauge)
{
    int64_t        sum;
    ngx_uint_t     i;
    ngx_atomic_t  *gauges;

    sum = 0;

    for (i = 0; i < NGX_MAX_PROCESSES; i++) {
        gauges = metrics->gauges[i];

        if (gauges[gauge] && ngx_ors_metrics_alive(gauges)) {
            sum += (int64_t) gauges[gauge];
        }
    }

    return sum;
}


ngx_uint_t
ngx_ors_metrics_recent(ngx_ors_metrics_row_t *row, time_t now)
{
    ngx_uint_t         i, sum;
    ngx_atomic_uint_t  n;

    sum = 0;
    n = now / NGX_ORS_METRICS_PIECE;

    for (i = 0; i < NGX_ORS_METRICS_PIECES; i++) {

        if (n - row->pieces[i].piece < 60 / NGX_ORS_METRICS_PIECE) {
            sum += row->pieces[i].n;
        }
    }

    return sum;
}


uint64_t
ngx_ors_metrics_failed(ngx_ors_metrics_row_t *row)
{
    uint64_t    sum;
    ngx_uint_t  i;

    sum = 0;

    for (i = ngx_ors_metrics_completed + 1; i < ngx_ors_metrics_histograms; i++)
    {
        sum += ngx_ors_metrics_values(&row->histograms[i]);
    }

    return sum;
}


uint64_t
ngx_ors_metrics_values(ngx_ors_histogram_t *histogram)
{
    uint64_t    sum;
    ngx_uint_t  i;

    sum = 0;

    for (i = 0; i < NGX_ORS_METRICS_BUCKETS; i++) {
        sum += histogram->buckets[i];
    }

    return sum;
}


uint64_t
ngx_ors_metrics_clock(void)
{
    struct timespec  ts;

    (void) clock_gettime(CLOCK_MONOTONIC, &ts);

    return (uint64_t) ts.tv_sec * 1000000000 + ts.tv_nsec;
}


/* The bounds of histograms: tokens, and times in ns and in seconds. */


void
ngx_ors_metrics_observe(ngx_ors_histogram_t *histogram,
    const uint64_t *bounds, uint64_t value)
{
    ngx_uint_t  i;

    for (i = 0; bounds[i] && value > bounds[i]; i++) { /* void */ }

    (void) ngx_atomic_fetch_add(&histogram->buckets[i], 1);
    (void) ngx_ors_metrics_add(&histogram->sum, value);
}


uint64_t
ngx_ors_metrics_sum(ngx_ors_histogram_t *histogram)
{
    return ngx_ors_metrics_add(&histogram->sum, 0);
}


u_char *
ngx_ors_metrics_bound(u_char *p, const uint64_t *bounds, ngx_uint_t n)
{
    if (bounds == ngx_ors_metrics_tokens) {
        return ngx_sprintf(p, "%uL", bounds[n]);
    }

    p = ngx_sprintf(p, "%uL.%09uL", bounds[n] / 1000000000,
                    bounds[n] % 1000000000);

    while (p[-1] == '0') {
        p--;
    }

    return (p[-1] == '.') ? p - 1 : p;
}


/* Entries that a configuration names. */


void
ngx_ors_named_begin(ngx_ors_named_list_t *list, ngx_uint_t oldest,
    ngx_slab_pool_t *shpool)
{
    ngx_ors_named_t  *entry, **next;

    next = &list->dropped;

    while (*next) {
        entry = *next;

        if (entry->generation > oldest) {
            next = &entry->next;
            continue;
        }

        *next = entry->next;
        ngx_slab_free(shpool, entry);
    }

    list->generation++;
}


/*
 * The entry with "n" names, an array, or a new one of "size" bytes, zeroed.
 * NULL: "shpool" has no more memory.
 */

static void *
ngx_ors_named_entry(ngx_ors_named_list_t *list, size_t size, ngx_str_t *names,
    ngx_uint_t n, ngx_slab_pool_t *shpool)
{
    u_char           *p;
    size_t            len;
    ngx_uint_t        i;
    ngx_ors_named_t  *entry;

    for (entry = list->first; entry; entry = entry->next) {

        for (i = 0; i < n && ngx_ors_same(&entry->names[i], &names[i]); i++) {
            /* void */
        }

        if (i == n) {
            entry->generation = list->generation;
            return entry;
        }
    }

    len = 0;

    for (i = 0; i < n; i++) {
        len += names[i].len;
    }

    entry = ngx_slab_alloc(shpool, size + len);
    if (entry == NULL) {
        return NULL;
    }

    ngx_memzero(entry, size + len);

    p = (u_char *) entry + size;

    for (i = 0; i < n; i++) {
        entry->names[i].data = p;
        entry->names[i].len = names[i].len;

        if (names[i].len) {
            p = ngx_cpymem(p, names[i].data, names[i].len);
        }
    }

    entry->generation = list->generation;
    entry->next = list->first;
    list->first = entry;

    return entry;
}


void
ngx_ors_named_end(ngx_ors_named_list_t *list)
{
    ngx_ors_named_t  *entry, **next;

    next = &list->first;

    while (*next) {
        entry = *next;

        if (entry->generation == list->generation) {
            next = &entry->next;
            continue;
        }

        *next = entry->next;

        entry->generation = list->generation;
        entry->next = list->dropped;
        list->dropped = entry;
    }
}


/* Tools and MCP servers: the era of a server, and the ends of calls. */


void
ngx_ors_callee_attach(ngx_ors_named_list_t *callees,
    ngx_ors_callee_conf_t *conf, ngx_slab_pool_t *shpool)
{
    ngx_str_t  names[ngx_ors_callee_names];

    static ngx_str_t  kinds[] = { ngx_string("tool"), ngx_string("mcp") };

    names[ngx_ors_callee_server] = conf->server;
    names[ngx_ors_callee_tool] = conf->name;
    names[ngx_ors_callee_kind] = kinds[conf->mcp];
    names[ngx_ors_callee_uri] = conf->uri;

    conf->callee = ngx_ors_named_entry(callees, sizeof(ngx_ors_callee_t),
                                       names, ngx_ors_callee_names, shpool);
}


void
ngx_ors_callee_ended(ngx_ors_callee_conf_t *conf, ngx_ors_callee_end_e end,
    ngx_msec_t time)
{
    if (conf->callee == NULL) {
        return;
    }

    (void) ngx_atomic_fetch_add(&conf->callee->ends[end], 1);

    if (end != ngx_ors_callee_canceled) {
        ngx_ors_metrics_observe(&conf->callee->times,
                                ngx_ors_metrics_durations,
                                (uint64_t) time * 1000000);
    }
}


void
ngx_ors_callee_dropped(ngx_ors_callee_conf_t *conf, ngx_uint_t n)
{
    if (conf->callee) {
        (void) ngx_atomic_fetch_add(&conf->callee->dropped, n);
    }
}


ngx_uint_t
ngx_ors_callee_era(ngx_ors_callee_conf_t *conf)
{
    return conf->callee ? conf->callee->era : 0;
}


void
ngx_ors_callee_learned(ngx_ors_callee_conf_t *conf, ngx_uint_t era)
{
    if (conf->callee && conf->callee->era != era) {
        conf->callee->era = era;
    }
}


/* Failures of targets, and which of them may be called. */


void
ngx_ors_peer_attach(ngx_ors_named_list_t *peers, ngx_ors_peer_conf_t *conf,
    ngx_slab_pool_t *shpool)
{
    ngx_str_t  names[2];

    names[0] = conf->server;
    names[1] = conf->target;

    conf->peer = ngx_ors_named_entry(peers, sizeof(ngx_ors_peer_t), names, 2,
                                     shpool);
}


ngx_uint_t
ngx_ors_peer_up(ngx_ors_peer_conf_t *conf, time_t now)
{
    ngx_ors_peer_conf_t  usual;

    if (conf->peer == NULL) {
        return 1;
    }

    usual = *conf;

    if (usual.max_fails == 0) {
        usual.max_fails = NGX_ORS_PEER_FAILS;
        usual.fail_timeout = NGX_ORS_PEER_TIMEOUT;
    }

    return usual.peer->fails < usual.max_fails
           || ngx_ors_peer_late(&usual, now);
}


ngx_uint_t
ngx_ors_peer_try(ngx_ors_peer_conf_t *conf, time_t now)
{
    ngx_ors_peer_t     *peer;
    ngx_atomic_uint_t   since;

    peer = conf->peer;

    if (peer == NULL || conf->max_fails == 0
        || peer->fails < conf->max_fails)
    {
        return 1;
    }

    since = peer->since;

    return ngx_ors_peer_late(conf, now)
           && ngx_atomic_cmp_set(&peer->since, since, (ngx_atomic_uint_t) now);
}


/* a clock may be set back: that is long enough */

static ngx_uint_t
ngx_ors_peer_late(ngx_ors_peer_conf_t *conf, time_t now)
{
    time_t  since;

    since = (time_t) conf->peer->since;

    return now < since || now - since >= conf->fail_timeout;
}


void
ngx_ors_peer_failed(ngx_ors_peer_conf_t *conf, time_t now)
{
    ngx_ors_peer_t  *peer;

    peer = conf->peer;

    if (peer == NULL) {
        return;
    }

    (void) ngx_atomic_fetch_add(&peer->total, 1);

    /*
     * old failures do not count, except those that have made the target be left
     * out
     */

    if (peer->fails < conf->max_fails && ngx_ors_peer_late(conf, now)) {
        peer->fails = 0;
    }

    (void) ngx_atomic_fetch_add(&peer->fails, 1);

    peer->since = now;
}


void
ngx_ors_peer_worked(ngx_ors_peer_conf_t *conf)
{
    if (conf->peer && conf->peer->fails) {
        conf->peer->fails = 0;
    }
}
