
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
