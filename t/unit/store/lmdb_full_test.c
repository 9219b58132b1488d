
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * An environment that is full: by entries, by size, by the disk.
 */


#include "lmdb_env.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>


static void test_full(void);
static void test_full_batch(void);
static void test_room(void);
static void test_backlog(void);
static void test_steady(void);
static void test_disk(void);
static void test_panic(void);
static ngx_uint_t fill(ngx_ors_test_lmdb_t *t, size_t size, time_t ttl);
static int sync_fd(ngx_ors_test_lmdb_t *t);


int
main(void)
{
    test_full();
    test_full_batch();
    test_room();
    test_backlog();
    test_steady();
    test_disk();
    test_panic();

    return done_testing();
}


/* a full map refuses what is new, and keeps what it has */

static void
test_full(void)
{
    off_t                empty, full, used, size;
    ngx_str_t            value;
    ngx_uint_t           i, n;
    ngx_ors_test_lmdb_t  t;

    ngx_ors_test_lmdb_open(&t, 1024 * 1024);

    is_int(ngx_ors_lmdb_space(&t.db, &empty, &size), 0, "how full it is");
    ok(empty < 65536, "... when it is empty");

    n = fill(&t, 10000, 100);

    ok(n > 60, "%d values of 10 KB are in a map of 1 MB", (int) n);

    is_int(ngx_ors_lmdb_space(&t.db, &full, &size), 0, "how full it is");
    ok(full >= (off_t) n * 10000 && full > 700 * 1024 && full <= size
       && size == 1024 * 1024,
       "... with these: %d bytes", (int) full);

    for (i = 0; i < n; i++) {
        if (ngx_ors_test_lmdb_get_n(&t, "v", i, &value)->len != 10000) {
            fail("value %d is there", (int) i);
        }
    }

    value.data = ngx_ors_test_lmdb_fill(&t, 10000, 1);
    value.len = 10000;

    is_int(ngx_ors_test_lmdb_put_n(&t, "v", 1000, &value, 100),
           ngx_ors_store_full, "there is no room for another one");
    is_int(ngx_ors_test_lmdb_put_n(&t, "v", 0, &(ngx_str_t) ngx_null_string,
                                   1000),
           ngx_ors_store_ok, "one of them is touched all the same");

    ngx_ors_test_lmdb_delete_n(&t, "v", 0);
    ngx_ors_test_lmdb_delete_n(&t, "v", 1);
    ngx_ors_test_lmdb_delete_n(&t, "v", 2);

    (void) ngx_ors_lmdb_space(&t.db, &used, &size);
    ok(full - used >= 30000, "pages of values that are deleted are not used");

    is_int(ngx_ors_test_lmdb_put_n(&t, "v", 1000, &value, 100),
           ngx_ors_store_ok, "when some are deleted, there is room");

    ngx_ors_test_lmdb_close(&t);
}


/* one that is too large takes no others with it */

static void
test_full_batch(void)
{
    ngx_uint_t             i;
    ngx_ors_lmdb_op_t     *ops[9];
    ngx_ors_test_lmdb_t    t;
    ngx_ors_store_job_t   *job;

    ngx_ors_test_lmdb_open(&t, 1024 * 1024);

    for (i = 0; i < 9; i++) {
        ops[i] = ngx_ors_test_lmdb_op(&t, ngx_ors_store_put, 1);
        job = ops[i]->job;

        ngx_ors_test_lmdb_key(&t, &job->entries[0].key, "b", i);
        job->entries[0].expires = t.now + 100;
        job->entries[0].value.len = (i == 4) ? 2000000 : 10000;
        job->entries[0].value.data =
                  ngx_ors_test_lmdb_fill(&t, job->entries[0].value.len, i);
    }

    is_int(ngx_ors_lmdb_write(&t.db, ops, 9, t.now), MDB_MAP_FULL,
           "one of nine jobs has no room");

    for (i = 0; i < 9; i++) {
        is_int(ops[i]->status,
               (i == 4) ? ngx_ors_store_full : ngx_ors_store_ok,
               "job %d ends as it should", (int) i);
        ops[i]->job->op = ngx_ors_store_get;
    }

    is_int(ngx_ors_lmdb_read(&t.db, ops, 9, t.now), 0, "they are read");

    for (i = 0; i < 9; i++) {
        is_int(ops[i]->job->entries[0].value.len, (i == 4) ? 0 : 10000,
               "what job %d has put", (int) i);
    }

    ngx_ors_test_lmdb_close(&t);
}


/* expired records make room immediately, though nobody has swept */

static void
test_room(void)
{
    size_t               size;
    ngx_str_t            value;
    ngx_uint_t           n, again;
    ngx_ors_test_lmdb_t  t;

    static size_t  sizes[] = { 10, 3000, 10000, 50000, 200000 };

    for (n = 0; n < sizeof(sizes) / sizeof(sizes[0]); n++) {
        size = sizes[n];

        ngx_ors_test_lmdb_open(&t, 1024 * 1024);
        (void) fill(&t, size, 100);

        t.now += 100;

        value.data = ngx_ors_test_lmdb_fill(&t, size, 1);
        value.len = size;

        is_int(ngx_ors_test_lmdb_put_n(&t, "w", 0, &value, 1000),
               ngx_ors_store_ok, "a map of %d bytes each makes room",
               (int) size);

        again = fill(&t, size, 100);
        ok(again > 0, "and for %d of them", (int) again);

        ok(ngx_ors_test_lmdb_get_n(&t, "w", 0, &value)->len == size,
           "the first is there");

        ngx_ors_test_lmdb_close(&t);
    }
}


/* a large value needs the room of many small ones, which have expired */

static void
test_backlog(void)
{
    ngx_str_t            value;
    ngx_uint_t           n;
    ngx_ors_test_lmdb_t  t;

    ngx_ors_test_lmdb_open(&t, 4 * 1024 * 1024);

    n = fill(&t, 10, 100);
    ok(n > 10000, "%d small values", (int) n);

    t.now += 100;

    value.data = ngx_ors_test_lmdb_fill(&t, 1000000, 1);
    value.len = 1000000;

    is_int(ngx_ors_test_lmdb_put_n(&t, "w", 0, &value, 1000),
           ngx_ors_store_ok, "make room for a large one");

    ngx_ors_test_lmdb_close(&t);
}


/* the map may be used again and again */

static void
test_steady(void)
{
    size_t               size;
    ngx_str_t            value;
    ngx_uint_t           i, full;
    ngx_ors_test_lmdb_t  t;

    ngx_ors_test_lmdb_open(&t, 4 * 1024 * 1024);

    full = 0;

    for (i = 0; i < 3000; i++) {
        t.now++;

        size = 1000 + ngx_ors_test_random(30000);

        value.data = ngx_ors_test_lmdb_fill(&t, size, i);
        value.len = size;

        if (ngx_ors_test_lmdb_put_n(&t, "s", i, &value, 50)
            != ngx_ors_store_ok)
        {
            full++;
        }
    }

    is_int(full, 0, "a quarter of a map is always to be had");

    ngx_ors_test_lmdb_close(&t);
}


/* a disk that is full is a map that is full, and gets well again */

static void
test_disk(void)
{
    ngx_str_t            value;
    ngx_uint_t           i, n;
    struct rlimit        rl, old;
    ngx_ors_test_lmdb_t  t;

    ngx_ors_test_lmdb_open(&t, 64 * 1024 * 1024);

    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old);

    rl = old;
    rl.rlim_cur = 500000;
    setrlimit(RLIMIT_FSIZE, &rl);

    n = fill(&t, 10000, 100);
    ok(n > 20 && n < 50, "%d values are on a disk of 500 KB", (int) n);

    for (i = 0; i < n; i++) {
        if (ngx_ors_test_lmdb_get_n(&t, "v", i, &value)->len != 10000) {
            fail("value %d is there", (int) i);
        }
    }

    setrlimit(RLIMIT_FSIZE, &old);

    value.data = ngx_ors_test_lmdb_fill(&t, 10000, 1);
    value.len = 10000;

    is_int(ngx_ors_test_lmdb_put_n(&t, "v", n, &value, 100),
           ngx_ors_store_ok, "a disk with room is written to again");

    ngx_ors_test_lmdb_close(&t);
}


/* a disk that fails in the worst moment: it has to be opened anew */

static void
test_panic(void)
{
    int                  fd, bad;
    ngx_str_t            value;
    ngx_ors_test_lmdb_t  t;

    ngx_ors_test_lmdb_open(&t, 1024 * 1024);
    ngx_ors_lmdb_close(&t.db);

    t.db.sync = 1;
    is_int(ngx_ors_lmdb_open(&t.db), 0, "opened with syncs");

    ngx_ors_test_lmdb_put(&t, "a", "one", 100);

    fd = sync_fd(&t);
    ok(fd != -1, "what the heads are written to");

    bad = open("/dev/full", O_WRONLY);
    dup2(bad, fd);
    close(bad);

    is_int(ngx_ors_test_lmdb_put(&t, "a", "two", 100),
           ngx_ors_store_unavailable, "a head cannot be written");
    is_int(ngx_ors_test_lmdb_put(&t, "a", "two", 100),
           ngx_ors_store_unavailable, "nothing can from now on");

    is_int(ngx_ors_lmdb_open(&t.db), 0, "it is opened anew");
    is_str(ngx_ors_test_lmdb_get(&t, "a", &value), "one",
           "what was there is there");
    is_int(ngx_ors_test_lmdb_put(&t, "a", "two", 100), ngx_ors_store_ok,
           "it can be written to");

    ngx_ors_test_lmdb_close(&t);
}


/* as many values as find room */

static ngx_uint_t
fill(ngx_ors_test_lmdb_t *t, size_t size, time_t ttl)
{
    ngx_str_t               value;
    ngx_uint_t              n;
    ngx_ors_store_status_e  status;

    value.data = ngx_ors_test_lmdb_fill(t, size, 0);
    value.len = size;

    for (n = 0; n < 100000; n++) {
        status = ngx_ors_test_lmdb_put_n(t, "v", n, &value, ttl);

        if (status != ngx_ors_store_ok) {
            break;
        }
    }

    is_int(status, ngx_ors_store_full, "%d bytes until it is full",
           (int) size);

    return n;
}


static int
sync_fd(ngx_ors_test_lmdb_t *t)
{
    int             fd, found;
    DIR            *dir;
    char            link[64], path[256];
    ssize_t         n;
    struct dirent  *de;

    found = -1;
    dir = opendir("/proc/self/fd");

    while ((de = readdir(dir)) != NULL) {
        snprintf(link, sizeof(link), "/proc/self/fd/%.20s", de->d_name);

        n = readlink(link, path, sizeof(path) - 1);
        fd = atoi(de->d_name);

        if (n > 0 && ngx_strncmp(path, t->path, ngx_strlen(t->path)) == 0
            && (fcntl(fd, F_GETFL) & O_DSYNC))
        {
            found = fd;
        }
    }

    closedir(dir);

    return found;
}
