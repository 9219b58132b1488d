
/*
 * Copyright (C) Open Responses contributors
 *
 * What client and model of a benchmark share: one event loop and one clock,
 * because both are one process.
 */


#ifndef _BENCH_LOOP_H_INCLUDED_
#define _BENCH_LOOP_H_INCLUDED_


#define _GNU_SOURCE

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>


typedef struct bench_io_s  bench_io_t;

struct bench_io_s {
    int     fd;             /* -1: closed, to be used again */
    void  (*handler)(bench_io_t *io);
};


void bench_loop_init(void);

/* Watches "io" edge by edge, for reading and writing. */
void bench_loop_add(bench_io_t *io);

/* Runs the handlers of what is ready; "timeout" in ms, as for epoll_wait. */
void bench_loop_turn(int timeout);

/* ns of a clock that only goes forward */
uint64_t bench_now(void);

/* Sends what the socket takes: bytes sent, 0 if it is full, -1 if broken. */
ssize_t bench_send(int fd, const void *data, size_t len);

/* Descriptors this process may open, raised as far as it goes. */
unsigned bench_files(void);

/* Of a process: ns on a processor, resident bytes. */
uint64_t bench_cpu(int pid);
uint64_t bench_memory(int pid);

void *bench_alloc(size_t size);
void bench_fatal(const char *what);


#endif /* _BENCH_LOOP_H_INCLUDED_ */
