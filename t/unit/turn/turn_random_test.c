
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Streams as no server sends them: any chunks in any order.  Each piece of
 * text is a word of its own, so that it can be seen that none is lost and
 * none comes twice.
 */


#include "turn_check.h"
#include "turn_scripts.h"
#include <stdarg.h>


#define STREAMS  3000


static void test_stream(ngx_uint_t i);
static void make_stream(void);
static void make_chunk(void);
static void make_delta(void);
static void make_calls(void);
static void make_call(void);
static void make_odd(void);
static void make_word(char kind);
static void put(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));
static const char *check_words(check_t *c);
static ngx_uint_t one_in(ngx_uint_t n);


static char        text[65536];
static size_t      len;
static ngx_uint_t  words;
static char        kinds[4096];      /* of the words */
static ngx_uint_t  crlf;

static ngx_uint_t  completed, incomplete, failed, refused;


int
main(void)
{
    ngx_uint_t  i;

    for (i = 0; i < STREAMS; i++) {
        test_stream(i);
    }

    ok(completed > STREAMS / 5, "completed: %d", (int) completed);
    ok(incomplete > STREAMS / 20, "incomplete: %d", (int) incomplete);
    ok(failed > STREAMS / 20, "failed: %d", (int) failed);
    ok(refused > 10, "refused: %d", (int) refused);

    return done_testing();
}


/* one line for a stream that is good, more for others */

static void
test_stream(ngx_uint_t i)
{
    size_t        size;
    run_t         run, again;
    u_char       *body;
    check_t       c, plain;
    const char   *wrong, *code;

    make_stream();

    body = run_text(text, &size);
    wrong = NULL;

    run_init(&run, body, size);
    run.complete = !one_in(4);
    run_turn(&run);
    check_run(&c, &run);

    again = run;
    again.random = 200;
    again.keep = one_in(2);
    run_turn(&again);

    if (again.size != run.size || memcmp(again.text, run.text, run.size)) {
        wrong = "in pieces it is another";
    }

    run_free(&again);

    again.stream = 0;
    run_turn(&again);
    check_run(&plain, &again);

    if (strncmp(c.digest, "completed", 9) == 0) {
        completed++;
        wrong = wrong ? wrong : check_words(&c);

    } else if (strncmp(c.digest, "incomplete", 10) == 0) {
        incomplete++;
        wrong = wrong ? wrong : check_words(&c);

    } else if (strncmp(c.digest, "failed", 6) == 0) {
        failed++;

        /* the plain answer has its code, and no items */

        code = strrchr(plain.digest, ' ');

        if (again.answered < 400 || code == NULL
            || strncmp(c.digest + 6, code, strlen(code)) != 0)
        {
            wrong = "failed in another way at once";
        }

    } else {
        refused++;
    }

    if (strncmp(c.digest, "failed", 6) != 0
        && strcmp(c.digest, plain.digest) != 0)
    {
        wrong = "another answer at once";
    }

    if (wrong || c.error[0] || plain.error[0]) {
        fail("stream %d: %s", (int) i, wrong ? wrong : "ill-formed");
        diag("%s / %s", c.error, plain.error);
        diag("%s", c.digest);
        diag("%s", plain.digest);
        diag("%s", text);

    } else if (i % 100 == 0) {
        pass("streams from %d", (int) i);
    }

    run_free(&run);
    run_free(&again);
    free(body);
}


static void
make_stream(void)
{
    ngx_uint_t  n;

    len = 0;
    words = 0;
    crlf = one_in(4);

    for (n = ngx_ors_test_random(25); n; n--) {
        make_chunk();
    }

    if (!one_in(8)) {
        put("data: {'choices':[{'delta':{},'finish_reason':'%s'}]}",
            one_in(4) ? "length" : one_in(9) ? "content_filter" : "stop");
        put("%s", crlf ? "\r\n\r\n" : "\n\n");
    }

    if (one_in(2)) {
        put(USAGE);
    }

    if (!one_in(4)) {
        put(DONE);
    }
}


static void
make_chunk(void)
{
    if (one_in(40)) {
        make_odd();
        return;
    }

    if (one_in(10)) {
        put(": comment%s", crlf ? "\r\n" : "\n");
    }

    put("data: {");

    if (one_in(6)) {
        put("'usage':{'prompt_tokens':%d},", (int) ngx_ors_test_random(99));
    }

    put("'choices':[");

    if (one_in(12)) {
        put("{'index':1,'delta':{'content':'other'}},");
    }

    put("{'index':0,'delta':{");
    make_delta();
    put("}");

    if (one_in(4)) {
        put(",'finish_reason':null");
    }

    put("}]}%s", crlf ? "\r\n\r\n" : "\n\n");
}


static void
make_delta(void)
{
    put("'role':'assistant'");

    if (one_in(3)) {
        put(",'content':'");
        make_word('t');
        put("'");

    } else if (one_in(8)) {
        put(",'content':[{'type':'text','text':'");
        make_word('t');
        put("'},{'type':'thinking','thinking':[{'text':'");
        make_word('t');
        put("'}]}]");
    }

    if (one_in(9)) {
        put(",'refusal':'");
        make_word('t');
        put("'");
    }

    if (one_in(6)) {
        put(one_in(2) ? ",'reasoning':'" : ",'reasoning_content':'");
        make_word('t');
        put("'");
    }

    if (one_in(2)) {
        make_calls();
    }
}


static void
make_calls(void)
{
    ngx_uint_t  n;

    put(",'tool_calls':[");

    for (n = ngx_ors_test_random(4); n; n--) {
        make_call();
        put(n > 1 ? "," : "");
    }

    put("]");
}


static void
make_call(void)
{
    static const char  *begins[] = { "", "{", "[", "}", "]", "{}", "\\\"",
                                     "\\\\", "\\n ", "\\u007b", "\\u00e9" };

    put("{'type':'function'");

    if (!one_in(4)) {
        put(",'index':%d", (int) ngx_ors_test_random(3));
    }

    if (one_in(2)) {
        put(",'id':'%s'", one_in(4) ? "" : one_in(2) ? "a" : "b");
    }

    put(",'function':{");

    if (!one_in(3)) {
        put("'name':'%s',", one_in(8) ? "" : one_in(2) ? "f" : "g");
    }

    if (one_in(9)) {
        put("'arguments':{'x':'");
        make_word('a');
        put("'}}}");
        return;
    }

    put("'arguments':'%s", begins[ngx_ors_test_random(11)]);

    if (one_in(2)) {
        make_word('a');
    }

    put("%s'}}", begins[ngx_ors_test_random(11)]);
}


static void
make_odd(void)
{
    static const char  *odd[] = {
        DATA(""),
        DATA("{'choices':[]}"),
        DATA("{'choices':[null]}"),
        DATA("{'choices':[{'delta':null}]}"),
        DATA("{'usage':{}}"),
        DATA("{'choices':[{'delta':{'content':5,'tool_calls':5}}]}"),
        DATA("{'choices':[{'message':{'content':null}}]}"),
        DATA("{'choices':[{'delta':{'tool_calls':[5,null,{}]}}]}"),
        DATA("{'choices':[{'delta':{},'finish_reason':'error'}]}"),
        DATA("{'choices':["),
        DATA("{'error':{'code':429}}"),
        DATA("5"),
        "event: ping\n\n",
        "data\n\n"
    };

    put("%s", odd[ngx_ors_test_random(sizeof(odd) / sizeof(odd[0]))]);
}


/* the words end in something that their beginnings do not have */

static void
make_word(char kind)
{
    if (kind == 't' && one_in(8)) {
        return;
    }

    put("%c%d;", kind, (int) words);
    kinds[words++] = kind;
}


static void
put(const char *fmt, ...)
{
    va_list  args;

    va_start(args, fmt);
    len += vsnprintf(text + len, sizeof(text) - len, fmt, args);
    va_end(args);

    if (len >= sizeof(text)) {
        abort();
    }
}


/*
 * Text is there once; only after a call that was cut it may be missing.
 * Arguments are there once or, if nobody knows the call's name or it was
 * complete, not at all.
 */

static const char *
check_words(check_t *c)
{
    char        word[32], *p;
    ngx_uint_t  i;

    for (i = 0; i < words; i++) {
        snprintf(word, sizeof(word), "%c%d;", kinds[i], (int) i);

        p = strstr(c->digest, word);

        if (p == NULL) {
            if (kinds[i] == 't' && strstr(c->digest, "call!") == NULL) {
                return "a word is lost";
            }

            continue;
        }

        if (strstr(p + 1, word)) {
            return "a word comes twice";
        }
    }

    return NULL;
}


static ngx_uint_t
one_in(ngx_uint_t n)
{
    return ngx_ors_test_random(n) == 0;
}
