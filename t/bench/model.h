
/*
 * Copyright (C) Open Responses contributors
 *
 * A model server: Chat Completions, or the Responses API where the path says
 * so, the same text for everybody.  A request with "X-Bench: stream N" is
 * answered with a stream that is number N.  For proxies that send no header of
 * the client's on, the body says whether an answer is a stream, and its number
 * is the lowest free one.
 */


#ifndef _BENCH_MODEL_H_INCLUDED_
#define _BENCH_MODEL_H_INCLUDED_


#include "loop.h"


typedef enum {
    bench_model_bulk = 0,       /* chunks as fast as they are taken */
    bench_model_steps,          /* the next one when it is asked for */
    bench_model_paced           /* one by one at a given pace */
} bench_model_mode_e;


typedef struct {
    bench_model_mode_e  mode;
    unsigned            chunks;     /* of a stream, 0: no end */
    unsigned            hold;       /* after them, wait for the release */
    unsigned            look;       /* for streams in bodies, not headers */
    uint64_t            pace;       /* ns from one chunk to the next, of all */

    uint64_t            seen;       /* when the last request began to come */
    uint64_t            sent;       /* chunks, of all streams */
} bench_model_t;


extern bench_model_t  bench_model;


/* Listens on a port of the loopback address, 0: any free one; gives it. */
unsigned bench_model_listen(unsigned port);

/* The client has what was sent in stream "id": the next chunk, in steps. */
void bench_model_step(unsigned id);

/* Chunks that are due at a pace. */
void bench_model_tick(uint64_t now);

/* Ends all streams. */
void bench_model_release(void);


#endif /* _BENCH_MODEL_H_INCLUDED_ */
