
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Hands what a turn has sent to the checker, in one and in many pieces.
 */


#include "turn_check.h"


void
check_run(check_t *c, run_t *run)
{
    check_answer_t  answer;

    if (run->rc != NGX_DONE) {
        memset(c, 0, sizeof(check_t));

        if (run->rc == NGX_ERROR) {
            check_put(c, "no memory");

        } else {
            wrong(c, "the turn's end gave %d", (int) run->rc);
        }

        return;
    }

    memset(&answer, 0, sizeof(check_answer_t));

    answer.status = run->answered;
    answer.type = run->answered_type;
    answer.text = run->text;
    answer.size = run->size;
    answer.stream = run->stream;

    /* the specification's events, and no more than these */

    answer.policy.profile = (run->policy.profile & NGX_ORS_IN_OPENAI)
                            ? NGX_ORS_STRICT_OPENAI : NGX_ORS_STRICT_SPEC;
    answer.policy.unknown = ngx_ors_unknown_reject;

    answer.beside = !(run->policy.profile & NGX_ORS_IN_STRICT);

    check_answer(c, &answer);

    c->answer = NULL;
}


void
check_digest(run_t *run, const char *expected, const char *name)
{
    size_t    len;
    u_char   *text;
    check_t   c;

    check_run(&c, run);

    if (!ok(c.error[0] == '\0', "%s: well-formed", name)) {
        diag("%s", c.error);
        diag("%s", run->text ? (char *) run->text : "(nothing)");
    }

    text = run_text(expected, &len);

    if (!is_mem(c.digest, strlen(c.digest), text, len, "%s", name)) {
        diag("%s", ngx_ors_test_log_last());
    }

    free(text);
}


void
check_split(run_t *run, const char *expected, const char *name)
{
    size_t    len, bad;
    u_char   *text;
    check_t   c;

    text = run_text(expected, &len);
    bad = 0;

    for (run->at = 1; run->at <= run->len; run->at++) {
        run->step = (run->at == 1) ? 1 : 0;

        run_turn(run);
        check_run(&c, run);

        if (c.error[0] || strcmp(c.digest, (char *) text) != 0) {
            bad++;
            diag("split at %d: %s %s", (int) run->at, c.error, c.digest);
        }

        run_free(run);
    }

    run->at = 0;
    run->step = 0;

    free(text);

    is_int(bad, 0, "%s: split at each byte", name);
}


void
check_ways(run_t *run, ngx_uint_t other, const char *expected,
    const char *name)
{
    char        way[128];
    ngx_uint_t  n;

    for (n = 0; n < 4; n++) {
        run->stream = n & 1;
        run->policy.profile = (n & 2) ? NGX_ORS_STRICT_OPENAI : other;

        snprintf(way, sizeof(way), "%s, %s, %s", name,
                 (n & 2) ? "strict" : "the other profile",
                 (n & 1) ? "stream" : "plain");

        run_turn(run);
        check_digest(run, expected, way);
        run_free(run);

        check_split(run, expected, way);
    }
}
