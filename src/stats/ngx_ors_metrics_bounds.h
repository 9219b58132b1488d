
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


/* the longest text of a bound */
#define NGX_ORS_METRICS_BOUND    (NGX_INT64_LEN + sizeof(".123456789"))


/* tokens, or ns; 0: the end */

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


#endif /* _NGX_ORS_METRICS_BOUNDS_H_INCLUDED_ */
