
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Random bytes over blocks, forks and failures of the system.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_id.h>
#include <sys/random.h>
#include <sys/syscall.h>


#define DRAWS  4096


typedef enum {
    system_works = 0,
    system_interrupted,        /* by signals: nothing, or a few bytes */
    system_fails
} system_e;


static void test_draws(void);
static void test_fork(void);
static void test_system(void);
static int compare(const void *one, const void *two);


static system_e  state;


/* in front of the C library's */

ssize_t
getrandom(void *buf, size_t len, unsigned int flags)
{
    static ngx_uint_t  n;

    switch (state) {

    case system_works:
        break;

    case system_interrupted:

        if (n++ % 2) {
            ngx_set_errno(NGX_EINTR);
            return -1;
        }

        len = ngx_min(len, 100);
        break;

    case system_fails:
        ngx_set_errno(NGX_ENOSYS);
        return -1;
    }

    return syscall(SYS_getrandom, buf, len, flags);
}


int
main(void)
{
    test_draws();
    test_fork();
    test_system();

    return done_testing();
}


/* blocks end at any place: no word is given twice, and none is left over */

static void
test_draws(void)
{
    u_char            buf[NGX_ORS_RANDOM_MAX];
    ngx_uint_t        i, k, n, bad, same, bits;

    static uint64_t   words[DRAWS];

    bad = 0;
    bits = 0;
    n = 0;

    for (i = 0; n < DRAWS; i++) {
        ngx_memzero(buf, sizeof(buf));

        bad += (ngx_ors_random(buf, i % NGX_ORS_RANDOM_MAX + 1,
                               ngx_ors_test_log())
                != NGX_OK);

        for (k = i % NGX_ORS_RANDOM_MAX + 1; k < sizeof(buf); k++) {
            bad += (buf[k] != 0);
        }

        for (k = 0; k + 8 <= i % NGX_ORS_RANDOM_MAX + 1 && n < DRAWS; k += 8) {
            ngx_memcpy(&words[n], buf + k, 8);
            bits += __builtin_popcountll(words[n++]);
        }
    }

    is_int(bad, 0, "as many bytes as were asked for");

    qsort(words, DRAWS, sizeof(uint64_t), compare);

    for (same = 0, i = 1; i < DRAWS; i++) {
        same += (words[i] == words[i - 1]);
    }

    is_int(same, 0, "no word comes twice");
    ok(bits > DRAWS * 31 && bits < DRAWS * 33, "half of the bits are set");
}


static int
compare(const void *one, const void *two)
{
    uint64_t  a, b;

    a = *(const uint64_t *) one;
    b = *(const uint64_t *) two;

    return (a > b) - (a < b);
}


/* a worker does not go on with the bytes of its parent's block */

static void
test_fork(void)
{
    int       fd[2], status;
    pid_t     pid;
    u_char    parent[16], child[16];

    (void) ngx_ors_random(parent, 1, ngx_ors_test_log());

    if (pipe(fd) != 0) {
        abort();
    }

    /* under valgrind a child that ends writes what is in this buffer, too */

    fflush(stdout);

    pid = fork();

    if (pid == 0) {
        ngx_pid++;
        (void) ngx_ors_random(child, sizeof(child), ngx_ors_test_log());
        _exit(write(fd[1], child, sizeof(child)) != sizeof(child));
    }

    (void) ngx_ors_random(parent, sizeof(parent), ngx_ors_test_log());

    ok(read(fd[0], child, sizeof(child)) == sizeof(child)
       && waitpid(pid, &status, 0) == pid && status == 0, "a child draws");
    ok(memcmp(child, parent, sizeof(child)) != 0, "other bytes");
}


static void
test_system(void)
{
    u_char      buf[NGX_ORS_RANDOM_MAX];
    ngx_log_t  *log;

    log = ngx_ors_test_log();

    state = system_interrupted;
    test_draws();

    state = system_fails;
    ngx_ors_test_log_reset();

    while (ngx_ors_random(buf, sizeof(buf), log) == NGX_OK) { /* void */ }

    is_int(ngx_ors_test_logged(NGX_LOG_CRIT), 1, "no random bytes");
    is_int(ngx_ors_random(buf, 1, log), NGX_ERROR, "nor are there later");

    state = system_works;
    is_int(ngx_ors_random(buf, 1, log), NGX_OK, "there are again");
}
