
/*
 * Histograms, and the upper bounds of their buckets.  Those of "gen_ai_" are
 * the ones that OpenTelemetry's conventions for generative AI advise.
 */


#ifndef _NGX_ORS_METRICS_BOUNDS_H_INCLUDED_
#define _NGX_ORS_METRICS_BOUNDS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


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


/* tokens, or ns with the same in seconds as text; no text: the end */

typedef struct {
    uint64_t                  value;
    char                     *text;
} ngx_ors_metrics_bound_t;


extern const ngx_ors_metrics_bound_t  ngx_ors_metrics_tokens[];
extern const ngx_ors_metrics_bound_t  ngx_ors_metrics_durations[];
extern const ngx_ors_metrics_bound_t  ngx_ors_metrics_firsts[];
extern const ngx_ors_metrics_bound_t  ngx_ors_metrics_eaches[];
extern const ngx_ors_metrics_bound_t  ngx_ors_metrics_overheads[];


/* Adds "value" to a histogram with these bounds. */
void ngx_ors_metrics_observe(ngx_ors_histogram_t *histogram,
    const ngx_ors_metrics_bound_t *bounds, uint64_t value);

/* The sum of all values, read in one step. */
uint64_t ngx_ors_metrics_sum(ngx_ors_histogram_t *histogram);


#endif /* _NGX_ORS_METRICS_BOUNDS_H_INCLUDED_ */
