
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Answers of model servers, for clients that want a stream and for those that
 * do not.  With ORS_DUMP=directory the clients' answers are left there, for
 * the checker in t/lib/ORS/Stream.pm.
 */


#include "turn_check.h"
#include "turn_scripts.h"


static void test_script(script_t *script, ngx_uint_t n, ngx_uint_t stream);
static void dump(run_t *run, ngx_uint_t n);


int
main(void)
{
    ngx_uint_t  i;

    for (i = 0; scripts[i].name; i++) {
        test_script(&scripts[i], i, 1);
        test_script(&scripts[i], i, 0);
    }

    return done_testing();
}


static void
test_script(script_t *script, ngx_uint_t n, ngx_uint_t stream)
{
    char         name[256];
    size_t       len;
    run_t        run;
    u_char      *body;
    const char  *expected;

    snprintf(name, sizeof(name), "%s, %s", script->name,
             stream ? "streamed" : "at once");

    body = run_text(script->body, &len);

    run_init(&run, body, len);
    run.stream = stream;
    run.status = script->status;
    run.type = script->type;

    expected = (stream || script->plain == NULL) ? script->expected
                                                 : script->plain;
    run_turn(&run);
    check_digest(&run, expected, name);
    dump(&run, n);

    run_free(&run);
    free(body);
}


static void
dump(run_t *run, ngx_uint_t n)
{
    char   path[1024], *dir;
    FILE  *f;

    dir = getenv("ORS_DUMP");

    if (dir == NULL) {
        return;
    }

    snprintf(path, sizeof(path), "%s/%03d-%d.%s", dir, (int) n,
             (int) run->answered,
             (run->answered != 200) ? "error" : run->stream ? "stream"
                                                            : "document");
    f = fopen(path, "wb");

    if (f == NULL) {
        fail("%s: %s", path, strerror(errno));
        return;
    }

    fwrite(run->text, 1, run->size, f);
    fclose(f);
}
