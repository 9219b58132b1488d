
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Runs streams through the validator, whole and in pieces, and hands what has
 * come of them to the checker.
 */


#include "stream_check.h"


static void split_is(answer_t *a, answer_t *whole, const char *name);


char *
stream_text(const char *script)
{
    char        *text, *p;
    ngx_uint_t   n;

    text = malloc(ngx_strlen(script) * 3 + 1);

    if (text == NULL) {
        abort();
    }

    n = 0;

    for (p = text; *script; script++) {

        if (*script == '#') {
            p += sprintf(p, "%d", (int) n++);

        } else {
            *p++ = *script;
        }
    }

    *p = '\0';

    return text;
}


void
stream_init(answer_t *a, const char *text)
{
    answer_init(a, text);

    a->type = "text/event-stream";
}


void
stream_run(answer_t *a)
{
    u_char      *p, *last;
    ngx_uint_t   i;

    answer_run(a);

    last = a->text + a->size;

    for (p = a->text; last - p > 29; p += 5) {
        p = memmem(p, last - p - 24, "resp_", 5);

        if (p == NULL) {
            break;
        }

        /* a server's text may look alike */

        for (i = 0; i < 24 && isalnum(p[5 + i]); i++) { /* void */ }

        if (i == 24) {
            memset(p + 5, 'R', 24);
        }
    }
}


void
stream_check(check_t *c, answer_t *a)
{
    check_answer_t  answer;

    if (a->rc != NGX_DONE) {
        memset(c, 0, sizeof(check_t));
        wrong(c, "it is not over");
        return;
    }

    memset(&answer, 0, sizeof(check_answer_t));

    answer.status = a->verify.status;
    answer.type = (a->verify.status == 200) ? "text/event-stream"
                                            : "application/json";
    answer.text = a->text;
    answer.size = a->size;
    answer.stream = 1;
    answer.chat = (a->endpoint == ngx_ors_endpoint_chat);
    answer.passed = 1;
    answer.policy = a->policy;

    check_answer(c, &answer);

    c->answer = NULL;
}


void
stream_is(const char *name, ngx_uint_t profile, const char *script,
    const char *digest)
{
    char      *text;
    answer_t   a;

    text = stream_text(script);

    stream_init(&a, text);
    a.policy.profile = profile;

    stream_answer_is(&a, name, digest);

    free(text);
}


void
stream_answer_is(answer_t *a, const char *name, const char *digest)
{
    size_t          len;
    answer_t        piece;
    check_t  c;

    piece = *a;

    stream_run(a);
    stream_check(&c, a);

    if (!is_mem(c.digest, strlen(c.digest), digest, strlen(digest), "%s",
                name)
        || !ok(c.error[0] == '\0', "%s: well-formed", name))
    {
        diag("%s\n%s\n%s", c.error, a->text, ngx_ors_test_log_last());
    }

    len = piece.len ? piece.len : ngx_strlen(piece.body);

    piece.step = 1;
    split_is(&piece, a, name);
    piece.step = 0;

    for (piece.at = 1; piece.at < len; piece.at++) {
        split_is(&piece, a, name);
    }

    answer_free(a);
}


void
stream_gives(const char *name, const char *script, const char *output)
{
    char      *text, *expected;
    u_char    *quoted;
    answer_t   a;

    text = stream_text(script);
    expected = stream_text(output);
    quoted = answer_quotes(expected, strlen(expected));

    stream_init(&a, text);
    answer_run(&a);

    is_mem(a.text, a.size, quoted, strlen(expected), "%s", name);

    answer_free(&a);
    free(text);
    free(expected);
    free(quoted);
}


static void
split_is(answer_t *a, answer_t *whole, const char *name)
{
    answer_t  piece;

    piece = *a;
    stream_run(&piece);

    if (piece.rc != whole->rc || piece.size != whole->size
        || piece.verify.status != whole->verify.status
        || piece.verify.repaired != whole->verify.repaired
        || memcmp(piece.text, whole->text, whole->size) != 0)
    {
        fail("%s: at %d, step %d", name, (int) a->at, (int) a->step);
        diag("%s", piece.text);
    }

    answer_free(&piece);
}
