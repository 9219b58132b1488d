
/*
 * Tests of streams with the checker of answers, t/unit/check/check.h.
 */


#ifndef _STREAM_CHECK_H_INCLUDED_
#define _STREAM_CHECK_H_INCLUDED_


#include "verify_answer.h"
#include <check/check.h>


/* "script" with numbers in place of #, malloc(). */
char *stream_text(const char *script);

/* An answer that is an event stream. */
void stream_init(answer_t *a, const char *text);

/*
 * Runs it.  The random part of ids is replaced by the letter R, so that two
 * runs can be compared.
 */
void stream_run(answer_t *a);

/* Checks what has come of it. */
void stream_check(check_t *c, answer_t *a);

/*
 * Runs a script whole, byte by byte and in two pieces split at each place:
 * one output, that is well-formed and has that digest.  "profile" as in
 * ngx_ors_policy_t.
 */
void stream_is(const char *name, ngx_uint_t profile, const char *script,
    const char *digest);

/* The same for any answer; a->body is not copied. */
void stream_answer_is(answer_t *a, const char *name, const char *digest);

/* Runs a script of the specification's profile: this is the whole output. */
void stream_gives(const char *name, const char *script, const char *output);


#endif /* _STREAM_CHECK_H_INCLUDED_ */
