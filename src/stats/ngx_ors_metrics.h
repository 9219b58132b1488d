
/*
 * Counting in memory that all workers share: histograms and gauges of turns, a
 * row for each location, target and model that the configuration names; calls
 * of its tools and MCP servers; failures of its targets.
 *
 * Labels come from the configuration only, so that no client adds a series.
 * A number is added to without a lock, so the numbers of one page may be an
 * event apart from each other.
 */


#ifndef _NGX_ORS_METRICS_H_INCLUDED_
#define _NGX_ORS_METRICS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>
#include <ngx_ors_text.h>


/* the last one that a histogram uses is for all that is more */
#define NGX_ORS_METRICS_BUCKETS  17


/*
 * In shared memory.  The sum has 64 bits on all platforms: in an ngx_atomic_t
 * of 32 bits, ns would begin anew each 4 seconds.  It is aligned for i386.
 */

typedef struct {
    volatile uint64_t         sum __attribute__((aligned(8)));
    ngx_atomic_t              buckets[NGX_ORS_METRICS_BUCKETS];
} ngx_ors_histogram_t;


/* the longest text of a bound */
#define NGX_ORS_METRICS_BOUND    (NGX_INT64_LEN + sizeof(".123456789"))


/*
 * Entries that a configuration names: rows of histograms, targets, tools.
 *
 * Only the master process adds and frees them, when a configuration begins.  A
 * worker uses the entries that its configuration has found.  An entry that a
 * new configuration does not name is dropped, and freed when no worker of an
 * older configuration is left: a list of entries may be followed meanwhile.
 */

/* the most names of an entry */
#define NGX_ORS_NAMED_NAMES  5


typedef struct ngx_ors_named_s  ngx_ors_named_t;


/* the first member of an entry, in shared memory as all that it points to */

struct ngx_ors_named_s {
    ngx_ors_named_t          *next;
    ngx_uint_t                generation;   /* the last configuration that */
                                            /* names it, or of a dropped one */
                                            /* the first that does not */
    ngx_str_t                 names[NGX_ORS_NAMED_NAMES];
};


typedef struct {
    ngx_ors_named_t          *first;        /* of this configuration */
    ngx_ors_named_t          *dropped;
    ngx_uint_t                generation;   /* number of the configuration */
} ngx_ors_named_list_t;


/*
 * The memory of tools and MCP servers: the era of a server, and the ends of
 * calls.
 *
 * It is read and written without a lock: two workers may both find out what a
 * server is.
 */

typedef struct ngx_ors_callee_s  ngx_ors_callee_t;


/* how a call has ended */

typedef enum {
    ngx_ors_callee_completed = 0,
    ngx_ors_callee_failed,                /* the tool says so, or did not */
                                          /* answer */
    ngx_ors_callee_canceled,              /* its client has left, or the */
                                          /* turn has ended */
    ngx_ors_callee_ends
} ngx_ors_callee_end_e;


/* the names of a tool or an MCP server, in their order */

typedef enum {
    ngx_ors_callee_server = 0,
    ngx_ors_callee_tool,                  /* or the label of the server */
    ngx_ors_callee_kind,                  /* "tool" or "mcp" */
    ngx_ors_callee_uri,
    ngx_ors_callee_names
} ngx_ors_callee_name_e;


/* in shared memory */

struct ngx_ors_callee_s {
    ngx_ors_named_t           named;
    ngx_atomic_t              era;        /* the caller's number, 0: unknown */
    ngx_atomic_t              ends[ngx_ors_callee_ends];
    ngx_atomic_t              dropped;    /* messages that end a call */
    ngx_ors_histogram_t       times;      /* ns, of calls that were answered */
                                          /* or failed */
};

#define ngx_ors_callee_next(callee)                                           \
    ((ngx_ors_callee_t *) (callee)->named.next)


/* of a configuration */

typedef struct {
    ngx_str_t                 server;
    ngx_str_t                 name;       /* of the tool, or the label */
    ngx_str_t                 uri;        /* of its location */
    ngx_uint_t                mcp;        /* it is an MCP server */
    ngx_ors_callee_t         *callee;     /* NULL: nothing is remembered */
} ngx_ors_callee_conf_t;


/*
 * The memory of failed targets: a target that has failed is left out for a
 * while.
 *
 * It is read and written without a lock: two workers may both try a target
 * again, or count two failures as one.
 */

typedef struct ngx_ors_peer_s  ngx_ors_peer_t;


/* in shared memory */

struct ngx_ors_peer_s {
    ngx_ors_named_t           named;
    ngx_atomic_t              fails;      /* one after the other */
    ngx_atomic_t              since;      /* s: the last one, or when it was */
                                          /* last tried in spite of them */
    ngx_atomic_t              total;      /* failures since the start */
    ngx_atomic_t              astray;     /* minute: the log has a 404 of it */
};


/* of a configuration */

typedef struct {
    ngx_str_t                 server;
    ngx_str_t                 target;
    ngx_uint_t                max_fails;
    time_t                    fail_timeout;
    ngx_ors_peer_t           *peer;       /* NULL: nothing is remembered */
} ngx_ors_peer_conf_t;


/* turns of the last minute are counted in pieces of it, seconds each */
#define NGX_ORS_METRICS_PIECES   8
#define NGX_ORS_METRICS_PIECE    10

/* bytes of text without that of a configuration */
#define NGX_ORS_METRICS_LINE     1024

/* of a store: engines, operations, results, in the order of src/store */
#define NGX_ORS_METRICS_ENGINES  3
#define NGX_ORS_METRICS_OPS      5
#define NGX_ORS_METRICS_RESULTS  10
#define NGX_ORS_METRICS_STORES   (NGX_ORS_METRICS_ENGINES * NGX_ORS_METRICS_OPS)

/*
 * Of each process, as many as fit in a line of the cache, so that workers
 * share none; the last two are the number of the process's configuration and
 * its id
 */
#define NGX_ORS_METRICS_GAUGES      8
#define NGX_ORS_METRICS_GENERATION  6
#define NGX_ORS_METRICS_PID         7


typedef enum {
    ngx_ors_metrics_streams = 0,      /* open to clients */
    ngx_ors_metrics_background,       /* responses that run without one */
    ngx_ors_metrics_websockets        /* connections, idle ones among them */
} ngx_ors_metrics_gauge_e;


typedef enum {
    ngx_ors_metrics_input = 0,        /* tokens */
    ngx_ors_metrics_output,
    ngx_ors_metrics_first,            /* ns to the first token of a stream */
    ngx_ors_metrics_each,             /* ns for each one after it */
    ngx_ors_metrics_canceled,         /* ns of turns, by their end */
    ngx_ors_metrics_ended,            /* ... and the class of their failure */
    ngx_ors_metrics_completed = ngx_ors_metrics_ended + ngx_ors_class_none,

    ngx_ors_metrics_histograms = ngx_ors_metrics_ended + ngx_ors_classes
} ngx_ors_metrics_histogram_e;


typedef enum {
    ngx_ors_metrics_document = 0,
    ngx_ors_metrics_stream,
    ngx_ors_metrics_websocket,

    ngx_ors_metrics_deliveries
} ngx_ors_metrics_delivery_e;


typedef enum {
    ngx_ors_metrics_chat = 0,
    ngx_ors_metrics_embeddings,

    ngx_ors_metrics_operations
} ngx_ors_metrics_operation_e;


typedef struct {
    ngx_atomic_t              piece;      /* which one of all time it is */
    ngx_atomic_t              n;
} ngx_ors_metrics_piece_t;


/*
 * In shared memory; its names are its labels: location, target, operation,
 * provider, model
 */

typedef struct {
    ngx_ors_named_t           named;
    ngx_ors_histogram_t       histograms[ngx_ors_metrics_histograms];
    ngx_ors_metrics_piece_t   pieces[NGX_ORS_METRICS_PIECES];
} ngx_ors_metrics_row_t;


typedef struct {
    ngx_ors_named_list_t      rows;
    ngx_ors_named_list_t      callees;    /* tools and MCP servers */
    ngx_uint_t                missing;    /* entries of the configuration */
                                          /* that there is no room for */
    ngx_ors_histogram_t       overhead;
    ngx_atomic_t              turns[2][ngx_ors_metrics_deliveries];
    ngx_atomic_t              store[NGX_ORS_METRICS_STORES]
                                   [NGX_ORS_METRICS_RESULTS];
    ngx_atomic_t              gauges[NGX_MAX_PROCESSES]
                                    [NGX_ORS_METRICS_GAUGES];
} ngx_ors_metrics_t;


/* of a configuration; "row" is set when the memory is there, NULL: full */

typedef struct {
    ngx_str_t                 location;
    ngx_str_t                 target;     /* empty: a validator */
    ngx_str_t                 model;      /* as it is configured */
    ngx_str_t                 provider;
    ngx_ors_metrics_operation_e  operation;
    ngx_ors_metrics_row_t    *row;
    ngx_ors_peer_conf_t      *peer;       /* of the target, or NULL */
} ngx_ors_metrics_labels_t;


/* how full a store is, bytes */

typedef struct {
    ngx_str_t                 store;
    int64_t                   used;
    int64_t                   size;
} ngx_ors_metrics_space_t;


/* facts of a configuration that pages show besides counters */

typedef struct {
    ngx_array_t              *labels;     /* of ngx_ors_metrics_labels_t * */
    ngx_array_t              *spaces;     /* of ngx_ors_metrics_space_t */
} ngx_ors_metrics_shown_t;


/*
 * Outcome of a turn; tokens and times below 0 are not known, tokens
 * above 2^31 - 1 are not counted.
 */

typedef struct {
    ngx_ors_metrics_histogram_e  end;     /* canceled, ended + class */
    ngx_ors_metrics_delivery_e   delivery;
    ngx_uint_t                background;
    int64_t                   input;
    int64_t                   output;
    ngx_msec_int_t            first;      /* ms */
    ngx_msec_int_t            duration;
    uint64_t                  own;        /* ns that this module worked */
} ngx_ors_metrics_turn_t;


/*
 * Upper bounds of buckets, tokens or ns; 0: the end.  Those of "gen_ai_" are
 * the ones that OpenTelemetry's conventions for generative AI advise.
 */

extern const uint64_t  ngx_ors_metrics_tokens[];
extern const uint64_t  ngx_ors_metrics_durations[];
extern const uint64_t  ngx_ors_metrics_firsts[];
extern const uint64_t  ngx_ors_metrics_eaches[];
extern const uint64_t  ngx_ors_metrics_overheads[];


/* Adds "value" to a histogram with these bounds. */
void ngx_ors_metrics_observe(ngx_ors_histogram_t *histogram,
    const uint64_t *bounds, uint64_t value);

/* The sum of all values, read in one step. */
uint64_t ngx_ors_metrics_sum(ngx_ors_histogram_t *histogram);

/*
 * Writes a bound to "p", NGX_ORS_METRICS_BOUND bytes at most: tokens, or ns in
 * seconds, without zeros at the end.  Returns the end of the text.
 */
u_char *ngx_ors_metrics_bound(u_char *p, const uint64_t *bounds, ngx_uint_t n);

/*
 * A new configuration begins: frees what was dropped before the workers of
 * generation "oldest", the oldest that are left, began.
 */
void ngx_ors_named_begin(ngx_ors_named_list_t *list, ngx_uint_t oldest,
    ngx_slab_pool_t *shpool);

/* The configuration has named all: others are dropped. */
void ngx_ors_named_end(ngx_ors_named_list_t *list);

/*
 * Finds the memory of "conf" in the list "callees", or makes it from "shpool",
 * and sets conf->callee; it is NULL if there is no more memory.
 */
void ngx_ors_callee_attach(ngx_ors_named_list_t *callees,
    ngx_ors_callee_conf_t *conf, ngx_slab_pool_t *shpool);

/* Counts "n" messages about the end of calls that a server did not get. */
void ngx_ors_callee_dropped(ngx_ors_callee_conf_t *conf, ngx_uint_t n);

/* Counts a call that has ended after "time" ms. */
void ngx_ors_callee_ended(ngx_ors_callee_conf_t *conf,
    ngx_ors_callee_end_e end, ngx_msec_t time);

/* Era of the server as a worker has learned it; 0: none has. */
ngx_uint_t ngx_ors_callee_era(ngx_ors_callee_conf_t *conf);

/* Lets all workers know. */
void ngx_ors_callee_learned(ngx_ors_callee_conf_t *conf, ngx_uint_t era);

/*
 * Finds the memory of "conf" in the list "peers", or makes it from "shpool",
 * and sets conf->peer; it is NULL if there is no more memory.
 */
void ngx_ors_peer_attach(ngx_ors_named_list_t *peers,
    ngx_ors_peer_conf_t *conf, ngx_slab_pool_t *shpool);

/*
 * 1 if the target has not failed too often of late; without "max_fails" that
 * is three times in ten seconds.
 */
ngx_uint_t ngx_ors_peer_up(ngx_ors_peer_conf_t *conf, time_t now);

/*
 * 1 if the target may be called: it is up, or "fail_timeout" is over and this
 * is the one request that tries it again.
 */
ngx_uint_t ngx_ors_peer_try(ngx_ors_peer_conf_t *conf, time_t now);

/*
 * Counts a failed call to the target; the second function forgets all failures,
 * as a call has succeeded.
 */
void ngx_ors_peer_failed(ngx_ors_peer_conf_t *conf, time_t now);
void ngx_ors_peer_worked(ngx_ors_peer_conf_t *conf);

/*
 * Finds the row of "labels" in "metrics", or makes it from memory of "shpool",
 * and sets labels->row; it is NULL if there is no more memory.
 */
void ngx_ors_metrics_attach(ngx_ors_metrics_t *metrics,
    ngx_ors_metrics_labels_t *labels, ngx_slab_pool_t *shpool);

/* Counts a turn that is over; "row" may be NULL.  "now" is in seconds. */
void ngx_ors_metrics_turn(ngx_ors_metrics_t *metrics,
    ngx_ors_metrics_row_t *row, ngx_ors_metrics_turn_t *turn, time_t now);

/* Counts an operation of a store, by the numbers of src/store. */
void ngx_ors_metrics_store(ngx_ors_metrics_t *metrics, ngx_uint_t engine,
    ngx_uint_t op, ngx_uint_t result);

/*
 * A process of the configuration "generation" begins with gauges that are 0, in
 * "slot", which it alone uses; a "pid" of 0: it ends.
 */
void ngx_ors_metrics_process(ngx_ors_metrics_t *metrics, ngx_uint_t slot,
    ngx_pid_t pid, ngx_uint_t generation);

/* The oldest configuration that a process is left of, or that of now. */
ngx_uint_t ngx_ors_metrics_oldest(ngx_ors_metrics_t *metrics);

/* Sums of the gauges of all running processes. */
int64_t ngx_ors_metrics_gauge(ngx_ors_metrics_t *metrics,
    ngx_ors_metrics_gauge_e gauge);

/* Turns of "row" in about the last minute. */
ngx_uint_t ngx_ors_metrics_recent(ngx_ors_metrics_row_t *row, time_t now);

/* Turns of "row" that have failed, all classes together. */
uint64_t ngx_ors_metrics_failed(ngx_ors_metrics_row_t *row);

/* How many values "histogram" has. */
uint64_t ngx_ors_metrics_values(ngx_ors_histogram_t *histogram);

/* ns of a clock that only goes on. */
uint64_t ngx_ors_metrics_clock(void);


/* the names of the operations of stores, in the order of src/store */
extern char *const  ngx_ors_metrics_ops[NGX_ORS_METRICS_OPS];


/* Appends text of NGX_ORS_METRICS_LINE bytes at most, by a format of nginx. */
void ngx_cdecl ngx_ors_metrics_print(ngx_ors_out_t *out, const char *fmt, ...);

/*
 * Appends "text", any text of a configuration: "texts" in place of the
 * characters "special".
 */
void ngx_ors_metrics_escape(ngx_ors_out_t *out, ngx_str_t *text, char *special,
    char **texts);

/* Appends the two lines that begin a family of Prometheus. */
void ngx_ors_metrics_head(ngx_ors_out_t *out, char *name, char *help,
    char *type);

/* Appends all of "metrics" as Prometheus reads it. */
void ngx_ors_metrics_text(ngx_ors_out_t *out, ngx_ors_metrics_t *metrics,
    ngx_ors_metrics_shown_t *shown, time_t now);

/* Appends members of the JSON page: turns, targets, tools, stores. */
void ngx_ors_metrics_json(ngx_ors_out_t *out, ngx_ors_metrics_t *metrics,
    ngx_ors_metrics_shown_t *shown, time_t now);


#endif /* _NGX_ORS_METRICS_H_INCLUDED_ */
