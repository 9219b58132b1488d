
/*
 * Unit tests: TAP output, and a stand-in for the nginx core functions that
 * the pure rooms use.
 *
 * Each pool allocation is a malloc() of its own, filled with garbage, so
 * that sanitizers see an overrun of one byte and a read before a write.
 * What ngx_pnalloc() gives is not aligned, on purpose.
 *
 * A file of tests is written as a program.  t/unit/unit.mk makes one program
 * of all files of a room: it renames each main() after its file, and
 * t/unit/room_main.c calls them.
 *
 *     int
 *     main(void)
 *     {
 *         ngx_pool_t  *pool;
 *
 *         pool = ngx_ors_test_pool();
 *         is_int(ngx_ors_foo(pool), NGX_OK, "foo");
 *         ngx_destroy_pool(pool);
 *
 *         return done_testing();
 *     }
 */


#ifndef _NGX_ORS_TEST_H_INCLUDED_
#define _NGX_ORS_TEST_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/* names are formatted as by printf() */

#define ok(cond, ...)                                                         \
    ngx_ors_test_ok(__FILE__, __LINE__, (cond) ? 1 : 0, __VA_ARGS__)

#define pass(...)  ngx_ors_test_ok(__FILE__, __LINE__, 1, __VA_ARGS__)
#define fail(...)  ngx_ors_test_ok(__FILE__, __LINE__, 0, __VA_ARGS__)

/* any integers */
#define is_int(got, expected, ...)                                            \
    ngx_ors_test_int(__FILE__, __LINE__, (int64_t) (got),                     \
                     (int64_t) (expected), __VA_ARGS__)

/* an ngx_str_t pointer and a C string */
#define is_str(got, expected, ...)                                            \
    ngx_ors_test_mem(__FILE__, __LINE__, (got)->data, (got)->len,             \
                     (u_char *) (expected), ngx_strlen(expected),             \
                     __VA_ARGS__)

/* bytes and bytes */
#define is_mem(got, len, expected, elen, ...)                                 \
    ngx_ors_test_mem(__FILE__, __LINE__, (u_char *) (got), len,               \
                     (u_char *) (expected), elen, __VA_ARGS__)

/* a chain of memory buffers and a C string */
#define is_chain(got, expected, ...)                                          \
    ngx_ors_test_chain(__FILE__, __LINE__, got, (u_char *) (expected),        \
                       ngx_strlen(expected), __VA_ARGS__)

/* all return 1 if the test has passed, 0 if not */

ngx_uint_t ngx_ors_test_ok(const char *file, int line, ngx_uint_t cond,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
ngx_uint_t ngx_ors_test_int(const char *file, int line, int64_t got,
    int64_t expected, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
ngx_uint_t ngx_ors_test_mem(const char *file, int line, u_char *got,
    size_t len, u_char *expected, size_t elen, const char *fmt, ...)
    __attribute__((format(printf, 7, 8)));
ngx_uint_t ngx_ors_test_chain(const char *file, int line, ngx_chain_t *got,
    u_char *expected, size_t elen, const char *fmt, ...)
    __attribute__((format(printf, 6, 7)));

/* A line of explanation, formatted as by printf(). */
void diag(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Ends the process, all tests of its file skipped. */
void skip_all(const char *why);

/*
 * The end of main(): gives the exit code.  Fails a test if something was
 * logged as an alert, unless it was forgotten by ngx_ors_test_log_reset().
 */
int done_testing(void);

/* Tests of this file that have failed by now. */
ngx_uint_t ngx_ors_test_failures(void);

/* Counted by the processes of a room's program, in memory that they share. */

typedef struct {
    ngx_uint_t    tests;
    ngx_uint_t    failures;
    ngx_uint_t    before;             /* failures of the files so far */
    ngx_uint_t    done;               /* done_testing() or skip_all() */
} ngx_ors_test_count_t;

extern ngx_ors_test_count_t  *ngx_ors_test_count;


/* A pool whose log is ngx_ors_test_log(). */
ngx_pool_t *ngx_ors_test_pool(void);

/* A log of all levels that keeps the last line and counts lines by level. */
ngx_log_t *ngx_ors_test_log(void);
ngx_uint_t ngx_ors_test_logged(ngx_uint_t level);
u_char *ngx_ors_test_log_last(void);
void ngx_ors_test_log_reset(void);

/*
 * The n-th next allocation gives NULL (1: the next one), those after it
 * succeed again; 0 switches it off.  Pools, their allocations and cleanups,
 * ngx_alloc() and ngx_calloc() are counted.
 */
void ngx_ors_test_fail_after(ngx_uint_t n);

/*
 * 1 if that allocation has been reached: the loop over all of them ends with
 * the first n that was not.
 */
ngx_uint_t ngx_ors_test_failed(void);

/* Allocations since the beginning: for tests of "no allocation here". */
ngx_uint_t ngx_ors_test_allocs(void);

/*
 * The most bytes that all pools together had, as they were asked for and not
 * given back, since the reset.
 */
void ngx_ors_test_memory_reset(void);
size_t ngx_ors_test_memory(void);

/* Sets ngx_time() and ngx_current_msec, at first 1700000000 and 1000. */
void ngx_ors_test_time(time_t sec, ngx_uint_t msec);

/*
 * Copies "len" bytes of a text of a test, in which ' stands in the place of ",
 * to "dst", which may be the text itself; returns the end of the copy.
 */
u_char *ngx_ors_test_quotes(void *dst, const void *text, size_t len);

/* A number below "n" from a generator that is the same in each run. */
ngx_uint_t ngx_ors_test_random(ngx_uint_t n);


#endif /* _NGX_ORS_TEST_H_INCLUDED_ */
