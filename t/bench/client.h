
/*
 * Copyright (C) Open Responses contributors
 *
 * Connections of a client: one request at a time on each, its answer is
 * followed to the end, the events of a stream are counted.
 */


#ifndef _BENCH_CLIENT_H_INCLUDED_
#define _BENCH_CLIENT_H_INCLUDED_


#include "loop.h"

#include <stdio.h>


#define BENCH_CLIENT_HEAD  4096
#define BENCH_CLIENT_LINE  40


typedef enum {
    bench_client_st_idle = 0,
    bench_client_st_head,
    bench_client_st_length,
    bench_client_st_size,
    bench_client_st_data,
    bench_client_st_data_end,
    bench_client_st_trailer,
    bench_client_st_failed
} bench_client_state_e;


typedef struct bench_client_s  bench_client_t;

struct bench_client_s {
    bench_io_t             io;          /* must be the first */
    bench_client_state_e   state;
    unsigned               id;
    unsigned               port;

    char                   request[512];
    size_t                 head_len;
    const char            *body;
    size_t                 body_len;
    size_t                 out;         /* bytes of both that are sent */

    uint64_t               start;       /* when it was due */
    uint64_t               written;     /* when the last byte was sent */

    unsigned               status;
    size_t                 left;        /* of the body, or of a chunk */
    unsigned               events;      /* lines of data */
    unsigned               deltas;      /* those with text */
    unsigned               answered;    /* deltas that had the next one sent */
    unsigned               line_len;
    unsigned               head_used;

    unsigned               stream:1;    /* the answer is one */
    unsigned               typed:1;     /* its events have names */
    unsigned               end:1;       /* [DONE] has come */
    unsigned               completed:1; /* the response is */
    unsigned               error:1;     /* an error event */
    unsigned               begun:1;     /* of the caller's */
    unsigned               used:1;      /* had an answer: it may be closed */

    char                   line[BENCH_CLIENT_LINE];
    char                   head[BENCH_CLIENT_HEAD];
};


/* Called when an answer is there, or when there will be none. */
extern void (*bench_client_done)(bench_client_t *c);

/* Called when bytes of a stream have come. */
extern void (*bench_client_data)(bench_client_t *c);


/* Gets all bytes that come, to be proven right; NULL: it does not. */
extern FILE  *bench_client_copy;


/* Connects to a port of the loopback address. */
void bench_client_open(bench_client_t *c, unsigned port);

/*
 * Sends a request, on a new connection if the server has closed the one that
 * there was: "head" is all but the last header and the empty line, and c->id
 * goes with it if "stream" is set.
 */
void bench_client_start(bench_client_t *c, const char *head, const char *body,
    size_t len, unsigned stream);

void bench_client_close(bench_client_t *c);


#endif /* _BENCH_CLIENT_H_INCLUDED_ */
