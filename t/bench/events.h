
/*
 * Copyright (C) Open Responses contributors
 *
 * What a server of the Responses API answers: a response with one text, and
 * the same as a stream, in the chunks of HTTP.  Nothing in it is for a
 * validator to repair.
 */


#ifndef _BENCH_EVENTS_H_INCLUDED_
#define _BENCH_EVENTS_H_INCLUDED_


#include "loop.h"


/* A response with "text", which is raw JSON; freed by the caller. */
char *bench_events_answer(const char *text, size_t *len);

/* The events before the first delta; freed by the caller. */
char *bench_events_begin(size_t *len);

/*
 * Deltas number "from" and on, "n" of them, to "buf"; returns the end.  The
 * text of number i is words[i % nwords]; words are of one length, so are the
 * deltas, and this is what bench_events_delta_len() tells.
 */
char *bench_events_deltas(char *buf, unsigned from, unsigned n);
size_t bench_events_delta_len(void);

/* Words of which the deltas are made; called before all else. */
void bench_events_words(const char **words, unsigned nwords);

/* The events after "n" deltas, and the end; freed by the caller. */
char *bench_events_finish(unsigned n, size_t *len);


#endif /* _BENCH_EVENTS_H_INCLUDED_ */
