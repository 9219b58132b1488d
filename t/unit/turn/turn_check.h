
/*
 * Tests of runs with the checker of answers, t/unit/check/check.h.
 */


#ifndef _TURN_CHECK_H_INCLUDED_
#define _TURN_CHECK_H_INCLUDED_


#include "turn_run.h"
#include <check/check.h>


/* Checks what a run has sent; c->digest of no memory is "no memory". */
void check_run(check_t *c, run_t *run);

/* check_run() and a test each for being well-formed and for the digest. */
void check_digest(run_t *run, const char *expected, const char *name);

/* the same, with the model server's answer split at each byte, and in bytes */
void check_split(run_t *run, const char *expected, const char *name);


/*
 * Both, of a stream and of a document, in the strict profile of the flavor
 * openai and in the "other" one.
 */
void check_ways(run_t *run, ngx_uint_t other, const char *expected,
    const char *name);


#endif /* _TURN_CHECK_H_INCLUDED_ */
