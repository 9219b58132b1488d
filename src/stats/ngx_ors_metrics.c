
/*
 * Copyright (C) Open Responses contributors
 */


/* Counting of turns and stores in histograms, and the rows of histograms. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_metrics.h>
#include <ngx_ors_metrics_bounds.h>


static void ngx_ors_metrics_row(ngx_ors_metrics_row_t *row,
    ngx_ors_metrics_turn_t *turn, time_t now);
static void ngx_ors_metrics_value(ngx_ors_metrics_row_t *row,
    ngx_ors_metrics_histogram_e n, uint64_t value);
static ngx_uint_t ngx_ors_metrics_alive(ngx_atomic_t *gauges);


/* those of all others are durations */

static const uint64_t  *ngx_ors_metrics_of[] = {
    ngx_ors_metrics_tokens,
    ngx_ors_metrics_tokens,
    ngx_ors_metrics_firsts,
    ngx_ors_metrics_eaches
};


void
ngx_ors_metrics_attach(ngx_ors_metrics_t *metrics,
    ngx_ors_metrics_labels_t *labels, ngx_slab_pool_t *shpool)
{
    u_char     operation;
    ngx_str_t  names[5];

    operation = '0' + labels->operation;

    names[0] = labels->location;
    names[1] = labels->target;
    names[2] = labels->model;
    names[3] = labels->provider;
    names[4].data = &operation;
    names[4].len = 1;

    labels->row = ngx_ors_named_entry(&metrics->rows,
                                      sizeof(ngx_ors_metrics_row_t), names, 5,
                                      shpool);
}


void
ngx_ors_metrics_turn(ngx_ors_metrics_t *metrics, ngx_ors_metrics_row_t *row,
    ngx_ors_metrics_turn_t *turn, time_t now)
{
    (void) ngx_atomic_fetch_add(
                    &metrics->turns[turn->background != 0][turn->delivery], 1);

    ngx_ors_metrics_observe(&metrics->overhead, ngx_ors_metrics_overheads,
                            turn->own);

    if (row) {
        ngx_ors_metrics_row(row, turn, now);
    }
}


static void
ngx_ors_metrics_row(ngx_ors_metrics_row_t *row, ngx_ors_metrics_turn_t *turn,
    time_t now)
{
    uint64_t                  ms;
    ngx_atomic_uint_t         n;
    ngx_ors_metrics_piece_t  *piece;

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
    (void) ngx_atomic_fetch_add(&metrics->store[engine][op][result], 1);
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
