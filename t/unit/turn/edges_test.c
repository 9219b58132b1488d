
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The cases of t/data/edges in which a model server answers: whole, in single
 * bytes, and split at each byte.  t/translation_rules.t has them through nginx,
 * with those that are about requests.
 */


#include <ngx_ors_test_file.h>

#include "edge_case.h"
#include "turn_check.h"


#define DIRECTORY  "t/data/edges"


static ngx_uint_t test_file(char *file);
static ngx_uint_t test_edge(edge_t *edge, const char *rule);
static void test_form(edge_t *edge, run_t *run, const char *form,
    const char *rule);
static void test_splits(run_t *run, const char *name);
static ngx_uint_t differs(run_t *run, u_char *text, size_t size);
static void set_up(edge_t *edge, run_t *run, const char *form);
static void set_directives(edge_t *edge, run_t *run);
static ngx_uint_t set_directive(run_t *run, const char *text, size_t len,
    ngx_uint_t *flavor, ngx_uint_t *strict);
static char *request_of(edge_t *edge);
static char *expected_of(edge_t *edge, ngx_uint_t stream);
static char *digest_of(char *digest, const char *expected);


/* directives of gateway and target that matter to what comes back */

static struct {
    const char             *text;
    ngx_uint_t              flavor;
    ngx_uint_t              strict;
    ngx_ors_chat_think_e    think;
} directives[] = {
    { "open_responses_flavor openai", NGX_ORS_IN_OPENAI, 0, 0 },
    { "open_responses_strict on", 0, NGX_ORS_IN_STRICT, 0 },
    { "open_responses_chat_options think=on", 0, 0, ngx_ors_chat_think_on },
    { "open_responses_chat_options think=open", 0, 0, ngx_ors_chat_think_open }
};


int
main(void)
{
    ngx_uint_t  n;

    n = ngx_ors_test_files(DIRECTORY, ".txt", test_file);

    ok(n > 50, "there are cases");

    return done_testing();
}


static ngx_uint_t
test_file(char *file)
{
    char        *text;
    edge_t       edge;
    ngx_str_t    s;
    ngx_pool_t  *pool;
    ngx_uint_t   n;

    n = 0;

    pool = ngx_ors_test_pool();

    if (!ngx_ors_test_file(DIRECTORY, file, pool, &s)) {
        fail("%s", file);
        return 0;
    }

    text = (char *) s.data;
    file[strcspn(file, ".")] = '\0';

    while (edge_next(&edge, &text)) {
        n += test_edge(&edge, file);
    }

    ngx_destroy_pool(pool);

    return n;
}


static ngx_uint_t
test_edge(edge_t *edge, const char *rule)
{
    char        *request;
    run_t        run;
    size_t       len;
    u_char      *body;
    ngx_uint_t   i, n;

    static const char  *forms[] = { "bytes", "document" };

    n = 0;

    for (i = 0; i < 2; i++) {
        body = edge_body(edge, forms[i], &len);

        if (body == NULL) {
            continue;
        }

        request = request_of(edge);

        run_init(&run, body, len);
        run.request = request;

        set_up(edge, &run, forms[i]);

        for (run.stream = 0; run.stream < 2; run.stream++) {
            test_form(edge, &run, forms[i], rule);
        }

        free(request);
        free(body);
        n++;
    }

    return n;
}


static void
test_form(edge_t *edge, run_t *run, const char *form, const char *rule)
{
    char     name[256], digest[2 * CHECK_DIGEST], *expected;
    check_t  c;

    snprintf(name, sizeof(name), "%s: %s, %s, %s", rule, edge->name, form,
             run->stream ? "stream" : "at once");

    run_turn(run);
    check_run(&c, run);

    if (!ok(c.error[0] == '\0', "%s: well-formed", name)) {
        diag("%s", c.error);
    }

    expected = expected_of(edge, run->stream);

    strcpy(digest, c.digest);
    digest_of(digest, expected);

    is_mem(digest, strlen(digest), expected, strlen(expected), "%s", name);

    free(expected);

    test_splits(run, name);
}


/* the first run is compared with the others */

static void
test_splits(run_t *run, const char *name)
{
    size_t       size, bad;
    u_char      *text;

    text = run->text;
    size = run->size;
    bad = 0;

    for (run->at = 1; run->at <= run->len; run->at++) {

        /* after the first piece: all of the rest, or byte by byte */

        run->step = (run->at == 1) ? 1 : 0;

        run_turn(run);

        if (differs(run, text, size)) {
            bad++;
            diag("split at %d", (int) run->at);
        }

        run_free(run);
    }

    run->at = 0;
    run->step = 0;

    is_int(bad, 0, "%s: split at each byte", name);

    free(text);
}


static ngx_uint_t
differs(run_t *run, u_char *text, size_t size)
{
    return run->rc != NGX_DONE || run->size != size
           || memcmp(run->text, text, size) != 0;
}


static void
set_up(edge_t *edge, run_t *run, const char *form)
{
    char  *status, *type;

    status = edge_get(edge, "status");
    type = edge_get(edge, "type");

    if (status) {
        run->status = atoi(status);
    }

    run->type = type ? type
                : strcmp(form, "document") == 0 ? "application/json"
                : "text/event-stream";

    run->complete = (edge_get(edge, "cut") == NULL);

    set_directives(edge, run);
}


static void
set_directives(edge_t *edge, run_t *run)
{
    char        *p;
    size_t       len;
    ngx_uint_t   i, flavor, strict;

    flavor = ~NGX_ORS_IN_OPENAI;
    strict = ~NGX_ORS_IN_STRICT;

    for (i = 0; i < edge->nparts; i++) {

        if (strcmp(edge->keys[i], "gateway") != 0
            && strcmp(edge->keys[i], "target") != 0)
        {
            continue;
        }

        for (p = edge->values[i]; *p; p += len + strspn(p + len, "; ")) {
            len = strcspn(p, ";");

            if (!set_directive(run, p, len, &flavor, &strict)) {
                fail("%s: what is \"%.*s\"?", edge->name, (int) len, p);
            }
        }
    }

    run->policy.profile = flavor & strict & NGX_ORS_IN_ALL;
}


static ngx_uint_t
set_directive(run_t *run, const char *text, size_t len, ngx_uint_t *flavor,
    ngx_uint_t *strict)
{
    ngx_uint_t  i;

    for (i = 0; i < sizeof(directives) / sizeof(directives[0]); i++) {

        if (strlen(directives[i].text) != len
            || memcmp(directives[i].text, text, len) != 0)
        {
            continue;
        }

        if (directives[i].flavor) {
            *flavor = directives[i].flavor;
        }

        if (directives[i].strict) {
            *strict = directives[i].strict;
        }

        if (directives[i].think) {
            run->think = directives[i].think;
        }

        return 1;
    }

    return 0;
}


/* the members between its braces; a quote of C's kind would be JSON's */

static char *
request_of(edge_t *edge)
{
    char  *text, *request;

    text = edge_get(edge, "request");

    if (text == NULL) {
        text = "{\"input\":\"hi\"}";
    }

    if (strchr(text, '\'')) {
        fail("%s: an apostrophe in a request", edge->name);
    }

    request = strdup(text + 1);
    *strrchr(request, '}') = '\0';

    return request;
}


static char *
expected_of(edge_t *edge, ngx_uint_t stream)
{
    char  *text, *streamed, *expected, *p;

    text = edge_get(edge, "answer");
    streamed = edge_get(edge, "streamed");

    if (stream && streamed) {
        text = streamed;
    }

    if (text == NULL) {
        fail("%s: no answer", edge->name);
        text = "";
    }

    expected = malloc(3 * strlen(text) + 1);

    for (p = expected; *text; text++) {
        p = (*text == '\n') ? stpcpy(p, " | ") : (*p = *text, p + 1);
    }

    *p = '\0';

    return expected;
}


/*
 * As ORS::Edge has it: without usage where nobody cares, with names for ids
 * that are made here and pictures of control characters
 */

static char *
digest_of(char *digest, const char *expected)
{
    char    *p, *end;
    size_t   len;

    p = strstr(digest, " | usage ");

    if (p && strstr(expected, "| usage ") == NULL) {
        *p = '\0';
    }

    for (p = strstr(digest, "call_RRRR"); p; p = strstr(p, "call_RRRR")) {
        end = strchr(p, ')');
        memcpy(p, "CALL", 4);
        memmove(p + 4, end, strlen(end) + 1);
    }

    for (p = digest; *p; p++) {

        if ((u_char) *p < 0x20) {
            len = strlen(p);
            memmove(p + 3, p + 1, len);
            p[2] = (char) (0x80 + *p);
            p[0] = '\xe2';
            p[1] = '\x90';
            p += 2;
        }
    }

    return digest;
}
