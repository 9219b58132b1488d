
/*
 * Copyright (C) Open Responses contributors
 */


/* The bounds of histograms: tokens, and times in ns and in seconds. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_metrics_bounds.h>


/* a processor without 64-bit instructions may lose one of two that meet */

#if (__GCC_HAVE_SYNC_COMPARE_AND_SWAP_8)
#define ngx_ors_metrics_add(sum, n)  __sync_fetch_and_add(sum, n)

#else
#define ngx_ors_metrics_add(sum, n)  (*(sum) += (n))
#endif


const ngx_ors_metrics_bound_t  ngx_ors_metrics_tokens[] = {
    { 1, "1" },
    { 4, "4" },
    { 16, "16" },
    { 64, "64" },
    { 256, "256" },
    { 1024, "1024" },
    { 4096, "4096" },
    { 16384, "16384" },
    { 65536, "65536" },
    { 262144, "262144" },
    { 1048576, "1048576" },
    { 4194304, "4194304" },
    { 16777216, "16777216" },
    { 67108864, "67108864" },
    { 0, NULL }
};


const ngx_ors_metrics_bound_t  ngx_ors_metrics_durations[] = {
    { 10000000, "0.01" },
    { 20000000, "0.02" },
    { 40000000, "0.04" },
    { 80000000, "0.08" },
    { 160000000, "0.16" },
    { 320000000, "0.32" },
    { 640000000, "0.64" },
    { 1280000000, "1.28" },
    { 2560000000, "2.56" },
    { 5120000000, "5.12" },
    { 10240000000, "10.24" },
    { 20480000000, "20.48" },
    { 40960000000, "40.96" },
    { 81920000000, "81.92" },
    { 0, NULL }
};


const ngx_ors_metrics_bound_t  ngx_ors_metrics_firsts[] = {
    { 1000000, "0.001" },
    { 5000000, "0.005" },
    { 10000000, "0.01" },
    { 20000000, "0.02" },
    { 40000000, "0.04" },
    { 60000000, "0.06" },
    { 80000000, "0.08" },
    { 100000000, "0.1" },
    { 250000000, "0.25" },
    { 500000000, "0.5" },
    { 750000000, "0.75" },
    { 1000000000, "1" },
    { 2500000000, "2.5" },
    { 5000000000, "5" },
    { 7500000000, "7.5" },
    { 10000000000, "10" },
    { 0, NULL }
};


const ngx_ors_metrics_bound_t  ngx_ors_metrics_eaches[] = {
    { 10000000, "0.01" },
    { 25000000, "0.025" },
    { 50000000, "0.05" },
    { 75000000, "0.075" },
    { 100000000, "0.1" },
    { 150000000, "0.15" },
    { 200000000, "0.2" },
    { 300000000, "0.3" },
    { 400000000, "0.4" },
    { 500000000, "0.5" },
    { 750000000, "0.75" },
    { 1000000000, "1" },
    { 2500000000, "2.5" },
    { 0, NULL }
};


const ngx_ors_metrics_bound_t  ngx_ors_metrics_overheads[] = {
    { 10000, "0.00001" },
    { 25000, "0.000025" },
    { 50000, "0.00005" },
    { 100000, "0.0001" },
    { 250000, "0.00025" },
    { 500000, "0.0005" },
    { 1000000, "0.001" },
    { 2500000, "0.0025" },
    { 5000000, "0.005" },
    { 10000000, "0.01" },
    { 25000000, "0.025" },
    { 50000000, "0.05" },
    { 100000000, "0.1" },
    { 250000000, "0.25" },
    { 0, NULL }
};


void
ngx_ors_metrics_observe(ngx_ors_histogram_t *histogram,
    const ngx_ors_metrics_bound_t *bounds, uint64_t value)
{
    ngx_uint_t  i;

    for (i = 0; bounds[i].text && value > bounds[i].value; i++) { /* void */ }

    (void) ngx_atomic_fetch_add(&histogram->buckets[i], 1);
    (void) ngx_ors_metrics_add(&histogram->sum, value);
}


uint64_t
ngx_ors_metrics_sum(ngx_ors_histogram_t *histogram)
{
    return ngx_ors_metrics_add(&histogram->sum, 0);
}
