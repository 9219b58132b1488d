
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A turn: whatever a model server sends, the client gets an answer that is
 * well-formed, the same in any pieces, and of the same contents with and
 * without a stream.
 *
 * Input: flags, the status, the allocation that fails, the number of piece
 * lengths, these, and the body, as it is or as a list of fragments.
 */


#include <turn/turn_check.h>
#include <turn/turn_scripts.h>


#define TURN_FUZZ_STREAM     0x01       /* the client wants one */
#define TURN_FUZZ_COMPLETE   0x02
#define TURN_FUZZ_TYPE       0x0c       /* two bits: see turn_fuzz_types */
#define TURN_FUZZ_SMALL      0x10       /* small limits */
#define TURN_FUZZ_NO_MEMORY  0x20
#define TURN_FUZZ_LIST       0x40       /* of fragments */
#define TURN_FUZZ_KEEP       0x80       /* output is taken at the end */

#define TURN_FUZZ_MAX        65536
#define TURN_FUZZ_WORDS      1000


typedef struct {
    u_char             body[TURN_FUZZ_MAX];
    size_t             len;
    ngx_uint_t         words;
    ngx_uint_t         ended;
    ngx_uint_t         kept[TURN_FUZZ_WORDS];     /* must not get lost */
} turn_fuzz_body_t;


int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

static void turn_fuzz_list(turn_fuzz_body_t *b, const uint8_t *p,
    const uint8_t *last);
static void turn_fuzz_no_memory(run_t *run, ngx_uint_t n);
static void turn_fuzz_check(check_t *c, run_t *run);
static void turn_fuzz_status(run_t *run);
static void turn_fuzz_same(run_t *run, run_t *other);
static void turn_fuzz_alike(check_t *streamed, check_t *plain);
static void turn_fuzz_words(turn_fuzz_body_t *b, check_t *c);
static void turn_fuzz_wrong(run_t *run, const char *what);


/* more often what leads far */

static ngx_uint_t  turn_fuzz_statuses[] = {
    200, 200, 200, 201, 302, 400, 401, 402, 404, 429, 500, 501, 504, 529, 0
};

#define TURN_FUZZ_STATUSES                                                    \
    (sizeof(turn_fuzz_statuses) / sizeof(turn_fuzz_statuses[0]))

static const char  *turn_fuzz_types[] = {
    "text/event-stream", "Text/Event-Stream; charset=utf-8",
    "application/json", "text/html"
};


/*
 * "#" is a digit that the next byte chooses, "$" a word of its own that must
 * reach the client if the answer is not a failure, "%" one that need not.
 */

static const char  *turn_fuzz_fragments[] = {

    TEXT("$"),
    TEXT(""),
    TEXT("\\u00e9$\\ud83d\\n"),
    DELTA("'role':'assistant','content':null"),
    DELTA("'reasoning_content':'$'"),
    DELTA("'reasoning':'$','content':'$'"),
    DELTA("'refusal':'$'"),
    DELTA("'content':'$','refusal':'$'"),
    DELTA("'content':'$','tool_calls':[{'index':#,'id':'c#','function':"
          "{'name':'f','arguments':'{}'}}]"),
    DELTA("'tool_calls':[{'index':0,'id':'a','function':{'name':'f'}},"
          "{'index':1,'id':'b','function':{'name':'g','arguments':'['}}]"),

    CALL("'index':#,'id':'c#','type':'function','function':{'name':'f#',"
         "'arguments':''}"),
    CALL("'index':#,'id':'c#'"),
    CALL("'index':#,'function':{'name':'f#'}"),
    CALL("'id':'c#','function':{'name':'f','arguments':'{\\\"%\\\":#}'}"),
    CALL("'function':{'name':'f#','arguments':'{}'}"),
    CALL("'index':#,'id':'','function':{'name':'','arguments':{'%':#}}"),
    CALL("'index':#,'id':null,'function':null"),
    CALL("'index':-#,'id':'" "0123456789012345678901234567890123456789"
         "0123456789012345678901234567890123456789','function':{'name':'f'}"),
    CALL("'index':#,'id':'\\u0001 \\u00e9','function':{'name':'%\\u00e9 b',"
         "'arguments':'{}'}"),
    ARGS(#, "{"),
    ARGS(#, "\\\"%\\\":["),
    ARGS(#, "]"),
    ARGS(#, "}"),
    ARGS(#, "\\\""),
    ARGS(#, "\\\\"),
    ARGS(#, "\\u007b\\u0022%"),
    ARGS(#, " "),
    CALL("'id':'c#','function':{'arguments':'}'}"),
    CALL("'function':{'arguments':'%'}"),
    DELTA("'tool_calls':[#,null,[],{}]"),
    DELTA("'tool_calls':{}"),

    FINISH("stop"),
    FINISH("length"),
    FINISH("tool_calls"),
    FINISH("content_filter"),
    FINISH("error"),
    USAGE,
    DATA("{'choices':[{'delta':{'content':'$'},'finish_reason':'stop'}],"
         "'usage':{'prompt_tokens':#,'completion_tokens':1e#,"
         "'prompt_tokens_details':{'cached_tokens':#}}}"),
    DONE,

    DATA("{'choices':[{'message':{'content':'%','reasoning':'%','refusal':"
         "'%','tool_calls':[{'id':'c#','function':{'name':'f','arguments':"
         "'{}'}}]}}]}"),
    DATA("{'choices':[{'index':1,'delta':{'content':'%'},'finish_reason':"
         "'length'},{'index':0,'delta':{'content':'$'}}]}"),
    DATA("{'choices':[],'x':[[[[[[#]]]]],'" "0123456789012345678901234567890"
         "123456789012345678901234567890123456789012345678901234567890']}"),

    DATA("{'error':{'message':'no','code':42#}}"),
    DATA("{'error':'%'}"),
    DATA("{'error':{'message':'<%'},'choices':[{'delta':{}}]}"),
    DATA("{'choices':[{'error':{'code':40#,'message':'\\n%'},"
         "'finish_reason':'error'}]}"),
    DATA("[{'error':{'code':'5','type':'%','message':{}}}]"),
    DATA("{'object':'error','message':'\\u0001<','type':'rate_limit_error'}"),
    DATA("{'detail':[{'loc':['body',#],'msg':'%'}]}"),
    DATA(""),
    "event: error\n",
    "event: ping\n\n",
    ": comment\n\n",
    "data: ",
    "\r\n",
    "\r",
    "\xef\xbb\xbf",

    /* pieces of a document */

    "{'choices':[{'finish_reason':'stop','message':{'role':'assistant'",
    "{'choices':[{'finish_reason':'length','message':{'content':'%'",
    ",'content':'%'",
    ",'refusal':'%'",
    ",'reasoning_content':'%'",
    ",'tool_calls':[{}",
    ",{'id':'c#','function':{'name':'f#','arguments':'{\\\"%\\\":#}'}}",
    ",{'function':{'name':'f','arguments':[#]}}",
    ",{'id':'c#','function':{'name':'g'}}",
    "]",
    "}}]}",
    "}}],'usage':{'prompt_tokens':#,'total_tokens':99}}",
    "{'error':{'message':'%','type':'x','code':#}}",
    " ",

    /* provider state */

    DELTA("'reasoning_details':[{'type':'t','text':'%','index':#,'id':null}]"),
    DELTA("'reasoning_details':[{'type':'t','text':7,'data':'%','x#':[]},#]"),
    DELTA("'thinking_blocks':[{'thinking':'%','signature':''},{}]"),
    CALL("'index':#,'extra_content':{'a':'%'}")
};

#define TURN_FUZZ_N                                                           \
    (sizeof(turn_fuzz_fragments) / sizeof(turn_fuzz_fragments[0]))


int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    size_t            n;
    run_t             run, other;
    u_char           *body;
    check_t           c, again;
    const uint8_t    *p;
    turn_fuzz_body_t  b;

    if (size < 4 || size < (size_t) 4 + input[3]) {
        return 0;
    }

    ngx_ors_test_log_reset();

    n = input[3];
    p = input + 4 + n;

    b.len = 0;
    b.words = 0;
    b.ended = 0;

    if (input[0] & TURN_FUZZ_LIST) {
        turn_fuzz_list(&b, p, input + size);

    } else {
        b.len = ngx_min(size - 4 - n, TURN_FUZZ_MAX);
        memcpy(b.body, p, b.len);
    }

    /* exactly sized, for the sanitizer */

    body = malloc(b.len);
    memcpy(body, b.body, b.len);

    run_init(&run, body, b.len);

    run.state = (1 << NGX_ORS_CHAT_STATES) - 1;
    run.stream = (input[0] & TURN_FUZZ_STREAM) ? 1 : 0;
    run.complete = (input[0] & TURN_FUZZ_COMPLETE) ? 1 : 0;
    run.type = turn_fuzz_types[(input[0] & TURN_FUZZ_TYPE) >> 2];
    run.status = turn_fuzz_statuses[input[1] % TURN_FUZZ_STATUSES];
    run.limits.answer = 32768;

    if (input[0] & TURN_FUZZ_SMALL) {
        run.limits.depth = 6;
        run.limits.nodes = 40;
        run.limits.calls = 2;
        run.limits.event = 200;
        run.limits.answer = 2500;
    }

    if (input[0] & TURN_FUZZ_NO_MEMORY) {
        turn_fuzz_no_memory(&run, input[2] + 1);
    }

    run_turn(&run);
    turn_fuzz_check(&c, &run);
    turn_fuzz_words(&b, &c);

    other = run;
    other.pieces = input + 4;
    other.npieces = n;
    other.keep = (input[0] & TURN_FUZZ_KEEP) ? 1 : 0;

    run_turn(&other);
    turn_fuzz_same(&run, &other);
    run_free(&other);

    other.stream = !run.stream;

    run_turn(&other);
    turn_fuzz_check(&again, &other);
    turn_fuzz_alike(run.stream ? &c : &again, run.stream ? &again : &c);
    run_free(&other);

    run_free(&run);
    free(body);

    if (ngx_ors_test_logged(NGX_LOG_ALERT)) {
        turn_fuzz_wrong(&run, (char *) ngx_ors_test_log_last());
    }

    return 0;
}


static void
turn_fuzz_list(turn_fuzz_body_t *b, const uint8_t *p, const uint8_t *last)
{
    int          n;
    char         word[16];
    u_char      *dst;
    ngx_uint_t   line;
    const char  *f;

    dst = b->body;

    while (p < last && dst < b->body + TURN_FUZZ_MAX - 1024) {

        /* in the middle of one a fragment may be anything */

        line = (dst == b->body || dst[-1] == LF || dst[-1] == CR);

        for (f = turn_fuzz_fragments[*p++ % TURN_FUZZ_N]; *f; f++) {

            switch (*f) {

            case '\'':
                *dst++ = '"';
                break;

            case '#':
                *dst++ = '0' + ((p < last) ? *p++ % 4 : 0);
                break;

            case '$':
            case '%':

                if (b->words == TURN_FUZZ_WORDS) {
                    break;
                }

                b->kept[b->words] = (*f == '$' && line && !b->ended);

                n = snprintf(word, sizeof(word), "w%d;", (int) b->words++);
                dst = ngx_cpymem(dst, word, n);
                break;

            default:
                *dst++ = *f;
            }
        }

        if (dst - b->body >= 8 && memcmp(dst - 8, "[DONE]\n\n", 8) == 0) {
            b->ended = 1;
        }
    }

    b->len = dst - b->body;
}


static void
turn_fuzz_no_memory(run_t *run, ngx_uint_t n)
{
    check_t     c;
    ngx_uint_t  failed;

    ngx_ors_test_fail_after(n);
    run_turn(run);

    failed = ngx_ors_test_failed();
    ngx_ors_test_fail_after(0);

    if (run->rc != NGX_ERROR) {
        turn_fuzz_check(&c, run);

        /* the description of an error can be done without */

        if (failed && strstr((char *) run->text, "not enough memory") == NULL)
        {
            turn_fuzz_wrong(run, "an allocation failed and nobody says so");
        }

    } else if (!failed) {
        turn_fuzz_wrong(run, "an error for no reason");
    }

    run_free(run);
}


static void
turn_fuzz_check(check_t *c, run_t *run)
{
    check_run(c, run);

    if (run->rc != NGX_DONE) {
        turn_fuzz_wrong(run, "the turn is not over");
    }

    if (c->error[0]) {
        turn_fuzz_wrong(run, c->error);
    }

    if (ngx_ors_test_failures()) {
        turn_fuzz_wrong(run, "see above");
    }

    turn_fuzz_status(run);
}


static void
turn_fuzz_status(run_t *run)
{
    switch (run->answered) {

    case 200:
    case 500:
    case 502:
    case 503:
    case 504:
        return;
    }

    if (run->answered < 400 || run->answered > 499) {
        turn_fuzz_wrong(run, "the status is not of our list");
    }
}


static void
turn_fuzz_same(run_t *run, run_t *other)
{
    if (run->rc != other->rc || run->answered != other->answered
        || run->size != other->size
        || (run->size && memcmp(run->text, other->text, run->size) != 0))
    {
        fprintf(stderr, "%s\n", run->text);
        turn_fuzz_wrong(other, "in pieces it is another answer");
    }
}


/* the same answer with and without a stream, the same error in both */

static void
turn_fuzz_alike(check_t *streamed, check_t *plain)
{
    size_t   len;
    char    *code, *failed;

    if (strncmp(streamed->digest, "failed ", 7) != 0) {

        if (strcmp(streamed->digest, plain->digest) == 0) {
            return;
        }

    } else {
        failed = streamed->digest + 7;
        code = strchr(plain->digest, ' ');
        len = strcspn(failed, " ");

        if (code && strlen(code + 1) == len
            && strncmp(code + 1, failed, len) == 0)
        {
            return;
        }
    }

    fprintf(stderr, "streamed: %s\nat once: %s\n", streamed->digest,
            plain->digest);
    abort();
}


/*
 * Words come in their order, none twice.  Those that may not get lost do so
 * only after a call that was cut.
 */

static void
turn_fuzz_words(turn_fuzz_body_t *b, check_t *c)
{
    char        word[16], *p, *pos;
    ngx_uint_t  i, good, cut;

    good = (strncmp(c->digest, "completed", 9) == 0
            || strncmp(c->digest, "incomplete", 10) == 0);
    cut = (strstr(c->digest, "call!") || c->len >= CHECK_DIGEST - 1);
    pos = c->digest;

    for (i = 0; i < b->words; i++) {
        snprintf(word, sizeof(word), "w%d;", (int) i);

        p = strstr(c->digest, word);

        if (p == NULL && !(good && b->kept[i] && !cut)) {
            continue;
        }

        if (p && !strstr(p + 1, word) && !(b->kept[i] && p < pos)) {
            pos = b->kept[i] ? p : pos;
            continue;
        }

        fprintf(stderr, "word %d is %s\n%s\n%.*s\n", (int) i,
                p ? "there twice or out of order" : "lost", c->digest,
                (int) b->len, (char *) b->body);
        abort();
    }
}


static void
turn_fuzz_wrong(run_t *run, const char *what)
{
    fprintf(stderr, "%s\n\nmodel server, status %d, \"%s\":\n%.*s\n\n"
            "client, status %d:\n%s\n", what, (int) run->status, run->type,
            (int) run->len, (char *) run->body, (int) run->answered,
            run->text ? (char *) run->text : "");
    abort();
}
