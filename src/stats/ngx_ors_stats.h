
/*
 * Checks and their results: counters in memory that all workers share, and
 * three pages of them and of all metrics.
 *
 * A counter is added to without a lock, so the counters of one page may be
 * an event apart from each other.
 */


#ifndef _NGX_ORS_STATS_H_INCLUDED_
#define _NGX_ORS_STATS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>
#include <ngx_ors_metrics.h>
#include <ngx_ors_text.h>


/* to be raised when a counter is added, moved or removed */
#define NGX_ORS_STATS_VERSION  15


/*
 * Counters of one number: the counter, its name in JSON and Prometheus, its
 * title, and for Prometheus the text after the title.
 */

#define NGX_ORS_STATS_SINGLES(row)                                            \
    row(upstream_error, "upstream_errors",                                    \
        "Errors of model servers",                                            \
        ": answers that are errors, and calls without an answer")             \
    row(failover, "failovers",                                                \
        "Failovers: another target was called",                               \
        " in place of one that had failed")                                   \
    row(unstored, "unstored",                                                 \
        "Responses that could not be stored",                                 \
        ": the store was down, full, or had no more room for the client")     \
    row(ignored, "ignored_fields",                                            \
        "Unknown fields, and tools that nothing serves, not sent on", "")     \
    row(schema_violation, "schema_violations",                                \
        "Calls and outputs of models that violate their schema", "")          \
    row(schema_repeat, "schema_repeats",                                      \
        "Rounds that were repeated for such a violation", "")                 \
    row(schema_unchecked, "schema_unchecked",                                 \
        "Calls and outputs not checked: unusable schema", "")                 \
    row(ws_connection, "websocket_connections",                               \
        "WebSockets that were opened", "")                                    \
    row(ws_turn, "websocket_turns",                                           \
        "Turns that were begun in a WebSocket", "")                           \
    row(request_unrepaired, "requests_unrepaired",                            \
        "Requests that would be repaired, and are only reported", "")         \
    row(answer_unrepaired, "answers_unrepaired",                              \
        "Answers that would be repaired, and are only reported", "")          \
    row(stream_unrepaired, "streams_unrepaired",                              \
        "Streams that would be repaired, and are only reported", "")


#define ngx_ors_stats_single(counter, name, title, more)                      \
    ngx_ors_stats_##counter,


/* four outcomes of each kind, in the same order */

typedef enum {
    ngx_ors_stats_request_checked = 0,
    ngx_ors_stats_request_repaired,       /* fields were stripped */
    ngx_ors_stats_request_refused,
    ngx_ors_stats_request_reported,     /* passed on, though it is wrong */

    ngx_ors_stats_answer_checked,       /* one document */
    ngx_ors_stats_answer_repaired,
    ngx_ors_stats_answer_refused,
    ngx_ors_stats_answer_reported,

    ngx_ors_stats_stream_checked,       /* an answer in events */
    ngx_ors_stats_stream_repaired,
    ngx_ors_stats_stream_refused,
    ngx_ors_stats_stream_reported,

    NGX_ORS_STATS_SINGLES(ngx_ors_stats_single)

    ngx_ors_stats_counters
} ngx_ors_stats_counter_e;


/* counters begin with these: of each kind one for each outcome */
#define NGX_ORS_STATS_KINDS     3
#define NGX_ORS_STATS_OUTCOMES  4


typedef struct {
    ngx_ors_stats_counter_e    counter;
    char                      *name;
    char                      *title;
    char                      *more;      /* for Prometheus, after the title */
} ngx_ors_stats_single_t;


/* room for the fields of answers that can be repaired, and a long name */
#define NGX_ORS_STATS_REPAIRS  80
#define NGX_ORS_STATS_FIELD    31


typedef struct {
    u_char                name[NGX_ORS_STATS_FIELD + 1];
    ngx_atomic_t          answers[2];   /* repaired, reported */
    ngx_atomic_t          minute[2];    /* the last one with a line in a log */
} ngx_ors_stats_repair_t;


/* in shared memory */

typedef struct {
    ngx_uint_t            version;
    size_t                size;
    time_t                since;        /* when the counters were zero */
    ngx_atomic_t          counters[ngx_ors_stats_counters];
    ngx_atomic_t          codes[NGX_ORS_NCODES][2];  /* refused, reported */
    ngx_atomic_t          lock;         /* of the number of fields */
    ngx_atomic_t          fields;
    ngx_ors_stats_repair_t  repairs[NGX_ORS_STATS_REPAIRS];
    ngx_ors_metrics_t     metrics;
    ngx_ors_named_list_t  peers;        /* targets that may fail */
} ngx_ors_stats_t;


typedef enum {
    ngx_ors_stats_html = 0,
    ngx_ors_stats_json,
    ngx_ors_stats_prometheus
} ngx_ors_stats_format_e;


/* outcome of an answer */

typedef struct {
    ngx_uint_t            upstream;     /* it was the server's own error */
    ngx_uint_t            stream;
    ngx_uint_t            repaired;
    ngx_uint_t            report;       /* violations are only logged */
    ngx_ors_error_t      *error;
} ngx_ors_stats_answer_t;

/* Adds one.  Without "stats", as NULL, nothing is counted. */
#define ngx_ors_stats_count(stats, counter)                                   \
    ngx_ors_stats_add(stats, counter, 1)


/* Begins to count in "stats", whatever its memory holds. */
void ngx_ors_stats_init(ngx_ors_stats_t *stats, time_t now);

/* Whether "stats" was begun by a module with the same counters. */
ngx_uint_t ngx_ors_stats_usable(ngx_ors_stats_t *stats);

/* Adds "n" to a counter.  Without "stats" nothing is counted. */
void ngx_ors_stats_add(ngx_ors_stats_t *stats,
    ngx_ors_stats_counter_e counter, ngx_uint_t n);

/*
 * Adds one to those that were refused with the error "code", or "reported"
 * only; a code that is not in the table counts as "other".  "stats" may be
 * NULL.
 */
void ngx_ors_stats_code(ngx_ors_stats_t *stats, ngx_str_t *code,
    ngx_uint_t reported);

/*
 * Counts an answer in which the field "name", one of the tables, was repaired,
 * or would be with "reported".  Returns 1 if the log has no line about it in
 * this minute yet.  "stats" may be NULL.
 */
ngx_uint_t ngx_ors_stats_repair(ngx_ors_stats_t *stats, const ngx_str_t *name,
    ngx_uint_t reported, time_t now);

/*
 * Counts a request that was checked, and what came of it: "err", with
 * "report" only reported, or repairs.  "stats" may be NULL.
 */
void ngx_ors_stats_request(ngx_ors_stats_t *stats, ngx_ors_error_t *err,
    ngx_uint_t repaired, ngx_uint_t report);

/* Counts an answer that is over.  "stats" may be NULL. */
void ngx_ors_stats_answer(ngx_ors_stats_t *stats,
    ngx_ors_stats_answer_t *answer);

/*
 * Initializes the zone of the counters.  After a reload "data" is that of the
 * previous configuration, and counts go on.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_stats_zone(ngx_shm_zone_t *zone, void *data);

/*
 * Appends the page for "format".  Codes that were never seen are shown to
 * Prometheus only, which has to see a counter before its first step.
 */
void ngx_ors_stats_render(ngx_ors_out_t *out, ngx_ors_stats_t *stats,
    ngx_ors_stats_format_e format, ngx_ors_metrics_shown_t *shown,
    time_t now);

/* The Content-Type of "format", static text. */
ngx_str_t *ngx_ors_stats_type(ngx_ors_stats_format_e format);


/* each of them has one "s" more in lists */
extern char *const  ngx_ors_stats_kinds[NGX_ORS_STATS_KINDS];

/* the list ends with a name of NULL */
extern const ngx_ors_stats_single_t  ngx_ors_stats_singles[];


/* Appends the page as HTML; the rest is as of ngx_ors_stats_render(). */
void ngx_ors_stats_page(ngx_ors_out_t *out, ngx_ors_stats_t *stats,
    ngx_ors_metrics_shown_t *shown, time_t now);


/*
 * Appends what is known of the turns of one row: how many, how they ended, how
 * long they took.
 */
void ngx_ors_stats_page_row(ngx_ors_out_t *out,
    ngx_ors_metrics_labels_t *labels, time_t now);


#endif /* _NGX_ORS_STATS_H_INCLUDED_ */
