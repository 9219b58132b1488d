
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * An event loop over epoll for the benchmarks' client and server.
 */


#include "loop.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>


#define BENCH_EVENTS  512
#define BENCH_FILES   65536


static uint64_t bench_proc(int pid, const char *name, int field);


static int  ep;


void
bench_loop_init(void)
{
    ep = epoll_create1(EPOLL_CLOEXEC);

    if (ep == -1) {
        bench_fatal("epoll_create1()");
    }
}


void
bench_loop_add(bench_io_t *io)
{
    struct epoll_event  ee;

    ee.events = EPOLLIN|EPOLLOUT|EPOLLRDHUP|EPOLLET;
    ee.data.ptr = io;

    if (epoll_ctl(ep, EPOLL_CTL_ADD, io->fd, &ee) == -1) {
        bench_fatal("epoll_ctl()");
    }
}


void
bench_loop_turn(int timeout)
{
    int                 i, n;
    bench_io_t         *io;
    struct epoll_event  events[BENCH_EVENTS];

    n = epoll_wait(ep, events, BENCH_EVENTS, timeout);

    for (i = 0; i < n; i++) {
        io = events[i].data.ptr;

        if (io->fd != -1) {
            io->handler(io);
        }
    }
}


uint64_t
bench_now(void)
{
    struct timespec  ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);

    return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}


ssize_t
bench_send(int fd, const void *data, size_t len)
{
    ssize_t  n;

    n = send(fd, data, len, MSG_NOSIGNAL);

    return (n == -1 && errno == EAGAIN) ? 0 : n;
}


unsigned
bench_files(void)
{
    struct rlimit  rl;

    rl.rlim_cur = BENCH_FILES;
    rl.rlim_max = BENCH_FILES;

    if (setrlimit(RLIMIT_NOFILE, &rl) == 0) {
        return BENCH_FILES;
    }

    /* only root goes over the hard limit */

    if (getrlimit(RLIMIT_NOFILE, &rl) == -1) {
        bench_fatal("getrlimit()");
    }

    rl.rlim_cur = rl.rlim_max;

    if (setrlimit(RLIMIT_NOFILE, &rl) == -1) {
        bench_fatal("setrlimit()");
    }

    return rl.rlim_cur;
}


uint64_t
bench_cpu(int pid)
{
    return pid ? bench_proc(pid, "schedstat", 0) : 0;
}


uint64_t
bench_memory(int pid)
{
    return pid ? bench_proc(pid, "statm", 1) * sysconf(_SC_PAGESIZE) : 0;
}


static uint64_t
bench_proc(int pid, const char *name, int field)
{
    int                 n;
    char                path[64];
    FILE               *file;
    unsigned long long  value[2];

    snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);

    file = fopen(path, "r");
    if (file == NULL) {
        return 0;
    }

    n = fscanf(file, "%llu %llu", &value[0], &value[1]);
    fclose(file);

    return (n == 2) ? value[field] : 0;
}


void *
bench_alloc(size_t size)
{
    void  *p;

    p = calloc(1, size);
    if (p == NULL) {
        bench_fatal("calloc()");
    }

    return p;
}


void
bench_fatal(const char *what)
{
    fprintf(stderr, "load: %s: %s\n", what, strerror(errno));
    exit(2);
}
