
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A model server for benchmarks that costs as little as possible.
 */


#include "model.h"
#include "events.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>


#define MODEL_HEAD     4096
#define MODEL_BLOCK    256              /* chunks in one piece of memory */
#define MODEL_STREAMS  32768


typedef enum {
    model_st_head = 0,
    model_st_body,
    model_st_stream
} model_state_e;


typedef struct model_conn_s  model_conn_t;

struct model_conn_s {
    bench_io_t      io;                 /* must be the first */
    model_state_e   state;
    int             id;                 /* of the stream, -1: none */
    unsigned        responses;          /* as a server of that API */
    unsigned        models;             /* asked for the list of them */
    size_t          left;               /* of the request's body */
    char           *body;               /* to be looked into, or NULL */
    size_t          body_len;

    const char     *out;                /* being sent */
    size_t          out_len;
    unsigned        chunks;             /* sent, or in "out" */
    unsigned        ended;              /* so is the end */
    char           *own;                /* made for this stream, or NULL */

    model_conn_t   *next;               /* in the list of free ones */
    unsigned        len;
    char            head[MODEL_HEAD];
};


static void model_make(void);
static void model_accept(bench_io_t *io);
static void model_handler(bench_io_t *io);
static int model_read_head(model_conn_t *c);
static const char *model_header(model_conn_t *c, const char *name);
static int model_read_body(model_conn_t *c);
static void model_look(model_conn_t *c);
static void model_answer(model_conn_t *c);
static void model_write(model_conn_t *c);
static int model_more(model_conn_t *c);
static void model_chunks(model_conn_t *c, unsigned n);
static void model_end(model_conn_t *c);
static void model_own(model_conn_t *c, char *own);
static void model_close(model_conn_t *c);


#define MODEL_TEXT                                                            \
    "The function `parse_header()` reads one line at a time.\\n"              \
    "It returns `NGX_AGAIN` when the buffer ends in the middle of a line, so "\
    "the caller has to keep its state.\\n\\n```c\\nif (rc == NGX_AGAIN) {\\n" \
    "    return NGX_OK;\\n}\\n```\\n\\nThe bug is in the last branch: a line " \
    "that ends with \\\"\\\\r\\\" at the very end of the buffer is counted " \
    "twice."

static const char  model_answer_json[] =
    "{\"id\":\"chatcmpl-7f3c2a9e5d1b4c60\",\"object\":\"chat.completion\","
    "\"created\":1795256156,\"model\":\"meta-llama/Llama-3.3-70B-Instruct\","
    "\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\","
    "\"content\":\"" MODEL_TEXT "\",\"refusal\":null,\"tool_calls\":[]},"
    "\"logprobs\":null,\"finish_reason\":\"stop\"}],\"usage\":"
    "{\"prompt_tokens\":812,\"completion_tokens\":118,\"total_tokens\":930,"
    "\"prompt_tokens_details\":{\"cached_tokens\":768}},"
    "\"system_fingerprint\":\"b0-unknown\"}";

static const char  model_list[] =
    "HTTP/1.1 200 OK\r\nServer: model\r\n"
    "Content-Type: application/json\r\nContent-Length: 117\r\n\r\n"
    "{\"object\":\"list\",\"data\":"
    "[{\"id\":\"meta-llama/Llama-3.3-70B-Instruct\",\"object\":\"model\","
    "\"created\":1,\"owned_by\":\"bench\"}]}";

static const char  model_stream_head[] =
    "HTTP/1.1 200 OK\r\nServer: model\r\n"
    "Content-Type: text/event-stream; charset=utf-8\r\n"
    "Cache-Control: no-cache\r\nTransfer-Encoding: chunked\r\n\r\n";

#define MODEL_CHUNK(delta, finish, usage)                                     \
    "data: {\"id\":\"chatcmpl-7f3c2a9e5d1b4c60\","                            \
    "\"object\":\"chat.completion.chunk\",\"created\":1795256156,"            \
    "\"model\":\"meta-llama/Llama-3.3-70B-Instruct\","                        \
    "\"choices\":[{\"index\":0,\"delta\":{" delta "},\"logprobs\":null,"      \
    "\"finish_reason\":" finish "}]" usage "}\n\n"

static const char  model_first[] =
    MODEL_CHUNK("\"role\":\"assistant\",\"content\":\"\"", "null", "");

static const char  model_last[] =
    MODEL_CHUNK("", "\"stop\"",
                ",\"usage\":{\"prompt_tokens\":812,\"completion_tokens\":118,"
                "\"total_tokens\":930}");

/* of one length, so that a block of them can be cut anywhere */
static const char  *model_words[] = {
    " reader", " buffer", " return", " module", "\\n\\n   ", " stream",
    " caller", " socket"
};


bench_model_t  bench_model;

static bench_io_t      model_listener;
static model_conn_t   *model_free;
static model_conn_t   *model_streams[MODEL_STREAMS];
static unsigned        model_nstreams, model_turn;
static uint64_t        model_due;

/* as "responses" says */

static char           *model_text[2], *model_begin[2];
static size_t          model_text_len[2], model_begin_len[2];
static size_t          model_chunk_len[2];

/* of Chat Completions, the same for all */

static char            model_finish[1024];
static char           *model_block;
static size_t          model_finish_len;


unsigned
bench_model_listen(unsigned port)
{
    int                 fd, on;
    socklen_t           len;
    struct sockaddr_in  sin;

    model_make();

    fd = socket(AF_INET, SOCK_STREAM|SOCK_NONBLOCK|SOCK_CLOEXEC, 0);
    if (fd == -1) {
        bench_fatal("socket()");
    }

    on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));

    memset(&sin, 0, sizeof(sin));
    sin.sin_family = AF_INET;
    sin.sin_port = htons(port);
    sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);

    len = sizeof(sin);

    if (bind(fd, (struct sockaddr *) &sin, len) == -1
        || listen(fd, 4096) == -1
        || getsockname(fd, (struct sockaddr *) &sin, &len) == -1)
    {
        bench_fatal("listen()");
    }

    model_listener.fd = fd;
    model_listener.handler = model_accept;
    bench_loop_add(&model_listener);

    return ntohs(sin.sin_port);
}


static void
model_make(void)
{
    int      n;
    char    *p, *json[2];
    size_t   len[2];

    json[0] = (char *) model_answer_json;
    len[0] = sizeof(model_answer_json) - 1;
    json[1] = bench_events_answer(MODEL_TEXT, &len[1]);

    for (n = 0; n < 2; n++) {
        model_text[n] = bench_alloc(len[n] + 256);
        model_text_len[n] = sprintf(model_text[n],
                                    "HTTP/1.1 200 OK\r\nServer: model\r\n"
                                    "Content-Type: application/json\r\n"
                                    "Content-Length: %zu\r\n\r\n%s",
                                    len[n], json[n]);
    }

    free(json[1]);

    model_begin[0] = bench_alloc(1024);
    model_begin_len[0] = sprintf(model_begin[0], "%s%zx\r\n%s\r\n",
                                 model_stream_head, sizeof(model_first) - 1,
                                 model_first);

    p = bench_events_begin(&len[1]);
    model_begin[1] = bench_alloc(sizeof(model_stream_head) + len[1]);
    memcpy(model_begin[1], model_stream_head, sizeof(model_stream_head) - 1);
    memcpy(model_begin[1] + sizeof(model_stream_head) - 1, p, len[1]);
    model_begin_len[1] = sizeof(model_stream_head) - 1 + len[1];
    free(p);

    model_finish_len = sprintf(model_finish,
                               "%zx\r\n%s\r\ne\r\ndata: [DONE]\n\n\r\n"
                               "0\r\n\r\n",
                               sizeof(model_last) - 1, model_last);

    model_block = bench_alloc(MODEL_BLOCK * 512);
    p = model_block;

    for (n = 0; n < MODEL_BLOCK; n++) {
        p += sprintf(p, "%zx\r\n" MODEL_CHUNK("\"content\":\"%s\"", "null", "")
                     "\r\n", sizeof(MODEL_CHUNK("\"content\":\"\"", "null", ""))
                             - 1 + strlen(model_words[n % 8]),
                     model_words[n % 8]);
    }

    model_chunk_len[0] = (p - model_block) / MODEL_BLOCK;

    bench_events_words(model_words, 8);
    model_chunk_len[1] = bench_events_delta_len();
}


static void
model_accept(bench_io_t *io)
{
    int            fd, on;
    model_conn_t  *c;

    on = 1;

    for ( ;; ) {
        fd = accept4(io->fd, NULL, NULL, SOCK_NONBLOCK|SOCK_CLOEXEC);
        if (fd == -1) {
            if (errno == EMFILE) {
                bench_fatal("accept4()");
            }

            return;
        }

        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));

        c = model_free;

        if (c) {
            model_free = c->next;

        } else {
            c = bench_alloc(sizeof(model_conn_t));
            c->io.handler = model_handler;
            c->own = NULL;
        }

        c->io.fd = fd;
        c->state = model_st_head;
        c->id = -1;
        c->len = 0;
        c->out_len = 0;

        bench_loop_add(&c->io);
    }
}


static void
model_handler(bench_io_t *io)
{
    int            rc;
    model_conn_t  *c;

    c = (model_conn_t *) io;

    if (c->out_len) {
        model_write(c);
    }

    do {
        rc = (c->state == model_st_body) ? model_read_body(c)
                                         : model_read_head(c);
    } while (rc == 1);

    if (rc == -1) {
        model_close(c);
    }
}


/* 1: more may be there, 0: that was all, -1: closed */

static int
model_read_head(model_conn_t *c)
{
    char        *p;
    ssize_t      n;
    const char  *value;

    n = recv(c->io.fd, c->head + c->len, MODEL_HEAD - 1 - c->len, 0);

    if (n <= 0) {
        return (n == 0) ? -1 : 0;
    }

    if (c->len == 0) {
        bench_model.seen = bench_now();
    }

    c->len += n;
    c->head[c->len] = '\0';

    p = strstr(c->head, "\r\n\r\n");

    if (p == NULL) {
        return (c->len == MODEL_HEAD - 1) ? -1 : 1;
    }

    p += 4;
    n = c->head + c->len - p;

    value = model_header(c, "Content-Length");
    c->left = value ? strtoul(value, NULL, 10) : 0;
    c->left -= n;

    value = model_header(c, "X-Bench");

    if (value && strncmp(value, "stream ", 7) == 0 && !bench_model.look) {
        c->id = atoi(value + 7) % MODEL_STREAMS;
    }

    value = strstr(c->head, "/responses ");
    c->responses = (value && value < strstr(c->head, "\r\n"));

    value = strstr(c->head, "/models ");
    c->models = (value && value < strstr(c->head, "\r\n"));

    if (bench_model.look) {
        c->body = bench_alloc(n + c->left + 1);
        c->body_len = n;
        memcpy(c->body, p, n);
    }

    c->len = 0;
    c->state = model_st_body;

    if (c->left == 0) {
        model_answer(c);
    }

    return 1;
}


static const char *
model_header(model_conn_t *c, const char *name)
{
    char    *p;
    size_t   len;

    len = strlen(name);

    for (p = strstr(c->head, "\r\n"); p; p = strstr(p, "\r\n")) {
        p += 2;

        if (strncasecmp(p, name, len) == 0 && p[len] == ':') {
            return p + len + 1 + strspn(p + len + 1, " ");
        }
    }

    return NULL;
}


/* bytes that are not looked at need not be copied */

static int
model_read_body(model_conn_t *c)
{
    ssize_t  n;

    if (c->body) {
        n = recv(c->io.fd, c->body + c->body_len, c->left, 0);

    } else {
        n = recv(c->io.fd, NULL, c->left, MSG_TRUNC);
    }

    if (n <= 0) {
        return (n == 0) ? -1 : 0;
    }

    c->left -= n;
    c->body_len += n;

    if (c->left == 0) {
        model_answer(c);
    }

    return 1;
}


/* streams that a proxy has left give their number back in model_close() */

static void
model_look(model_conn_t *c)
{
    int  n;

    if (strstr(c->body, "\"stream\":true")
        || strstr(c->body, "\"stream\": true"))
    {
        for (n = 0; n < MODEL_STREAMS - 1 && model_streams[n]; n++) {
            /* void */
        }

        c->id = n;
    }

    free(c->body);
    c->body = NULL;
}


static void
model_answer(model_conn_t *c)
{
    c->state = model_st_head;

    if (c->body) {
        model_look(c);
    }

    if (c->models) {
        c->out = model_list;
        c->out_len = sizeof(model_list) - 1;

    } else if (c->id == -1) {
        c->out = model_text[c->responses];
        c->out_len = model_text_len[c->responses];

    } else {
        c->state = model_st_stream;
        c->chunks = 0;
        c->ended = 0;
        c->out = model_begin[c->responses];
        c->out_len = model_begin_len[c->responses];

        model_streams[c->id] = c;

        if ((unsigned) c->id >= model_nstreams) {
            model_nstreams = c->id + 1;
        }
    }

    model_write(c);
}


static void
model_write(model_conn_t *c)
{
    ssize_t  n;

    do {
        while (c->out_len) {
            n = bench_send(c->io.fd, c->out, c->out_len);

            if (n <= 0) {
                return;
            }

            c->out += n;
            c->out_len -= n;
        }

    } while (c->state == model_st_stream && model_more(c));
}


/*
 * In bulk the next block is there at once.  In steps a proxy may have nothing
 * for its client yet that would ask for the first chunk.
 */

static int
model_more(model_conn_t *c)
{
    unsigned  n;

    if (c->ended) {
        c->state = model_st_head;
        model_streams[c->id] = NULL;
        c->id = -1;
        model_own(c, NULL);
        return 0;
    }

    if (bench_model.mode == bench_model_steps && bench_model.look
        && c->chunks == 0)
    {
        model_chunks(c, 1);
        return 1;
    }

    if (bench_model.mode != bench_model_bulk) {
        return 0;
    }

    n = bench_model.chunks - c->chunks;

    if (n == 0) {
        model_end(c);
        return 1;
    }

    if (n > MODEL_BLOCK) {
        n = MODEL_BLOCK;
    }

    model_chunks(c, n);

    return 1;
}


/* the next ones, which are never more than a block */

static void
model_chunks(model_conn_t *c, unsigned n)
{
    if (c->responses) {
        model_own(c, bench_alloc(n * model_chunk_len[1]));
        (void) bench_events_deltas(c->own, c->chunks, n);
        c->out = c->own;

    } else {
        c->out = model_block
                 + (n == 1 ? c->chunks % MODEL_BLOCK * model_chunk_len[0] : 0);
    }

    c->out_len = n * model_chunk_len[c->responses];
    c->chunks += n;
    bench_model.sent += n;
}


void
bench_model_step(unsigned id)
{
    model_conn_t  *c;

    c = model_streams[id];

    if (c == NULL || c->out_len || c->ended
        || bench_model.mode == bench_model_bulk)
    {
        return;
    }

    if (bench_model.chunks && c->chunks == bench_model.chunks) {
        if (bench_model.hold) {
            return;
        }

        model_end(c);

    } else {
        model_chunks(c, 1);
    }

    model_write(c);
}


void
bench_model_tick(uint64_t now)
{
    unsigned  n;

    if (bench_model.mode != bench_model_paced || model_nstreams == 0) {
        return;
    }

    /* events that were missed while nobody asked are not made up for */

    if (model_due + 100000000 < now) {
        model_due = now;
    }

    for (n = 0; model_due <= now && n < model_nstreams; n++) {
        model_due += bench_model.pace;
        bench_model_step(model_turn++ % model_nstreams);
    }
}


void
bench_model_release(void)
{
    unsigned       n;
    model_conn_t  *c;

    for (n = 0; n < model_nstreams; n++) {
        c = model_streams[n];

        if (c && !c->ended && c->out_len == 0) {
            model_end(c);
            model_write(c);
        }
    }

    model_nstreams = 0;
}


static void
model_end(model_conn_t *c)
{
    c->ended = 1;
    c->out = model_finish;
    c->out_len = model_finish_len;

    if (c->responses) {
        model_own(c, bench_events_finish(c->chunks, &c->out_len));
        c->out = c->own;
    }
}


/* takes the place of what was made before */

static void
model_own(model_conn_t *c, char *own)
{
    free(c->own);
    c->own = own;
}


static void
model_close(model_conn_t *c)
{
    if (c->id != -1 && model_streams[c->id] == c) {
        model_streams[c->id] = NULL;
    }

    close(c->io.fd);
    c->io.fd = -1;
    model_own(c, NULL);

    free(c->body);
    c->body = NULL;

    c->next = model_free;
    model_free = c;
}
