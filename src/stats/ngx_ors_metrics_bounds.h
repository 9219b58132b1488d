
/*
 * The upper bounds of the buckets of histograms.  Those of "gen_ai_" are the
 * ones that OpenTelemetry's conventions for generative AI advise.
 */


#ifndef _NGX_ORS_METRICS_BOUNDS_H_INCLUDED_
#define _NGX_ORS_METRICS_BOUNDS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


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


#endif /* _NGX_ORS_METRICS_BOUNDS_H_INCLUDED_ */
