
/*
 * Copyright (C) Open Responses contributors
 */


/* Counters to which requests and answers add, and where these are. */


#include <ngx_ors_test.h>
#include <ngx_ors_stats.h>


static void test_requests(void);
static void test_answers(void);
static void test_zone(void);
static void test_count(ngx_ors_stats_t *stats, ngx_uint_t counter,
    const char *name);


static ngx_ors_stats_t  test_stats;
static ngx_ors_stats_t *test_memory;


int
main(void)
{
    test_requests();
    test_answers();
    test_zone();

    return done_testing();
}


static void
test_requests(void)
{
    ngx_ors_error_t  err;

    ngx_memzero(&err, sizeof(ngx_ors_error_t));

    ngx_ors_stats_init(&test_stats, 1);
    ngx_ors_stats_request(&test_stats, &err, 0, 0);
    test_count(&test_stats, ngx_ors_stats_counters, "a good request");

    ngx_ors_stats_request(&test_stats, &err, 1, 0);
    test_count(&test_stats, ngx_ors_stats_request_repaired, "a repair");

    ngx_ors_stats_request(&test_stats, &err, 1, 1);
    test_count(&test_stats, ngx_ors_stats_request_unrepaired,
               "... only reported");

    err.status = 400;
    ngx_str_set(&err.code, "invalid_value");

    ngx_ors_stats_request(&test_stats, &err, 0, 0);
    test_count(&test_stats, ngx_ors_stats_request_refused, "a refusal");

    ngx_ors_stats_request(&test_stats, &err, 0, 1);
    test_count(&test_stats, ngx_ors_stats_request_reported, "... reported");

    ngx_ors_stats_request(NULL, &err, 0, 0);
    pass("without counters nothing is counted");
}


static void
test_answers(void)
{
    ngx_ors_error_t         err;
    ngx_ors_stats_answer_t  answer;

    ngx_memzero(&err, sizeof(ngx_ors_error_t));
    ngx_memzero(&answer, sizeof(ngx_ors_stats_answer_t));

    answer.error = &err;
    answer.stream = 1;
    answer.repaired = 1;

    ngx_ors_stats_init(&test_stats, 1);
    ngx_ors_stats_answer(&test_stats, &answer);

    is_int(test_stats.counters[ngx_ors_stats_stream_checked], 1, "a stream");
    is_int(test_stats.counters[ngx_ors_stats_stream_repaired], 1,
           "... that was repaired");

    answer.report = 1;
    ngx_ors_stats_answer(&test_stats, &answer);
    is_int(test_stats.counters[ngx_ors_stats_stream_unrepaired], 1,
           "... or would have been");
    is_int(test_stats.counters[ngx_ors_stats_stream_repaired], 1,
           "... which is no repair");
    answer.stream = 0;
    ngx_ors_stats_answer(&test_stats, &answer);
    is_int(test_stats.counters[ngx_ors_stats_answer_unrepaired], 1,
           "a document, too");
    answer.stream = 1;

    answer.upstream = 1;
    ngx_ors_stats_answer(&test_stats, &answer);

    is_int(test_stats.counters[ngx_ors_stats_upstream_error], 1,
           "an upstream's own error");
    is_int(test_stats.counters[ngx_ors_stats_stream_checked], 2,
           "... is nothing else");
}


static void
test_zone(void)
{
    ngx_shm_zone_t    zone;
    ngx_slab_pool_t   pool;
    ngx_ors_stats_t  *first;

    ngx_memzero(&zone, sizeof(ngx_shm_zone_t));
    ngx_memzero(&pool, sizeof(ngx_slab_pool_t));

    zone.shm.addr = (u_char *) &pool;

    is_int(ngx_ors_stats_zone(&zone, NULL), NGX_ERROR, "a zone without memory");

    test_memory = &test_stats;
    is_int(ngx_ors_stats_zone(&zone, NULL), NGX_OK, "a new zone");
    first = zone.data;
    ok(first == &test_stats, "... has counters");

    test_memory = NULL;
    is_int(ngx_ors_stats_zone(&zone, first), NGX_OK, "a reload");
    ok(zone.data == first, "... counts go on");

    zone.shm.exists = 1;
    is_int(ngx_ors_stats_zone(&zone, NULL), NGX_OK, "a new binary");
    ok(zone.data == first, "... finds them in the zone");

    first->version++;
    is_int(ngx_ors_stats_zone(&zone, first), NGX_ERROR,
           "counters of another version are not used");
}


/* one checked request, and one of the outcome, if there is one */

static void
test_count(ngx_ors_stats_t *stats, ngx_uint_t counter, const char *name)
{
    is_int(stats->counters[ngx_ors_stats_request_checked], 1,
           "%s is counted", name);

    if (counter < ngx_ors_stats_counters) {
        is_int(stats->counters[counter], 1, "... as what it is");
    }

    ngx_ors_stats_init(stats, 1);
}


/* stand-ins for the memory of a zone: that of the test, or a heap's */

void *
ngx_slab_alloc(ngx_slab_pool_t *pool, size_t size)
{
    return pool->log_nomem ? malloc(size) : test_memory;
}


void
ngx_slab_free(ngx_slab_pool_t *pool, void *p)
{
    free(p);
}
