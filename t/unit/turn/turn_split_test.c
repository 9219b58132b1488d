
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The same bytes in any pieces give the same answer; cut at any byte they
 * give a well-formed one.
 */


#include "turn_check.h"
#include "turn_scripts.h"


static void test_script(script_t *script, ngx_uint_t stream);
static void test_splits(run_t *run, u_char *text, size_t size,
    const char *name);
static void test_cuts(run_t *run, ngx_uint_t complete, const char *name);
static ngx_uint_t cut_is_good(run_t *run, check_t *c);


int
main(void)
{
    ngx_uint_t  i;

    for (i = 0; scripts[i].name; i++) {
        test_script(&scripts[i], 1);
        test_script(&scripts[i], 0);
    }

    return done_testing();
}


static void
test_script(script_t *script, ngx_uint_t stream)
{
    char     name[256];
    size_t   len, size;
    run_t    run;
    u_char  *body, *text;

    snprintf(name, sizeof(name), "%s, %s", script->name,
             stream ? "streamed" : "at once");

    body = run_text(script->body, &len);

    run_init(&run, body, len);
    run.stream = stream;
    run.status = script->status;
    run.type = script->type;

    run_turn(&run);

    text = run.text;
    size = run.size;

    test_splits(&run, text, size, name);

    test_cuts(&run, 0, name);
    test_cuts(&run, 1, name);

    free(text);
    free(body);
}


static void
test_splits(run_t *run, u_char *text, size_t size, const char *name)
{
    size_t      at, bad;
    ngx_uint_t  i;

    bad = 0;

    for (at = 1; at <= run->len; at++) {
        run->at = at;

        /* after the first piece: all of the rest, or byte by byte */

        run->step = (at == 1) ? 1 : 0;

        run_turn(run);

        if (run->rc != NGX_DONE || run->size != size
            || memcmp(run->text, text, size) != 0)
        {
            bad++;
            diag("split at %d", (int) at);
        }

        run_free(run);
    }

    run->at = 0;
    run->step = 0;

    for (i = 0; i < 4; i++) {
        run->random = 40;
        run->keep = (i % 2);

        run_turn(run);

        if (run->rc != NGX_DONE || run->size != size
            || memcmp(run->text, text, size) != 0)
        {
            bad++;
            diag("random pieces");
        }

        run_free(run);
    }

    run->random = 0;
    run->keep = 0;

    is_int(bad, 0, "%s: split at each byte", name);
}


static void
test_cuts(run_t *run, ngx_uint_t complete, const char *name)
{
    size_t      len, bad;
    check_t     c;

    len = run->len;
    bad = 0;

    run->complete = complete;

    /* even after the last one nobody says that it was the last one */

    if (!complete && run->status == 200
        && strncasecmp(run->type, "application/json", 16) == 0)
    {
        run_turn(run);
        is_int(run->answered, 502, "%s: whole, but not complete", name);
        run_free(run);
    }

    for (run->len = 0; run->len < len; run->len++) {
        run_turn(run);
        check_run(&c, run);

        if (!cut_is_good(run, &c)) {
            bad++;
            diag("cut after %d of %d bytes: %s, %s", (int) run->len,
                 (int) len, c.error, c.digest);
        }

        run_free(run);
    }

    is_int(bad, 0, "%s: %s after each byte", name,
           complete ? "ended" : "cut");
}


static ngx_uint_t
cut_is_good(run_t *run, check_t *c)
{
    if (c->error[0]) {
        return 0;
    }

    if (strncmp(c->digest, "completed", 9) == 0
        || strncmp(c->digest, "incomplete", 10) == 0)
    {
        /* never without a word of the server that it was done */

        return run->len > 30
               && (memmem(run->body, run->len, "finish_reason", 13)
                   || memmem(run->body, run->len, "[DONE]", 6));
    }

    if (strncmp(c->digest, "failed ", 7) == 0) {
        return run->stream;
    }

    return run->answered == 502 || run->answered == run->status
           || run->answered == 429 || run->answered == 400
           || run->answered == 500;
}
