
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * An HTTP client for benchmarks: one connection, requests one after the
 * other.
 */


#include "client.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>


#define CLIENT_READ  262144


static void client_handler(bench_io_t *io);
static void client_write(bench_client_t *c);
static void client_read(bench_client_t *c);
static void client_parse(bench_client_t *c, char *p, size_t len);
static size_t client_head(bench_client_t *c, char *p, size_t len);
static int client_fields(bench_client_t *c);
static size_t client_size(bench_client_t *c, char *p, size_t len);
static size_t client_body(bench_client_t *c, char *p, size_t len);
static void client_lines(bench_client_t *c, char *p, size_t len);
static void client_line(bench_client_t *c);
static void client_again(bench_client_t *c);
static void client_over(bench_client_t *c, bench_client_state_e state);


void  (*bench_client_done)(bench_client_t *c);
void  (*bench_client_data)(bench_client_t *c);

FILE   *bench_client_copy;


void
bench_client_open(bench_client_t *c, unsigned port)
{
    int                 fd, on;
    struct sockaddr_in  sin;

    fd = socket(AF_INET, SOCK_STREAM|SOCK_NONBLOCK|SOCK_CLOEXEC, 0);
    if (fd == -1) {
        bench_fatal("socket()");
    }

    on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));

    memset(&sin, 0, sizeof(sin));
    sin.sin_family = AF_INET;
    sin.sin_port = htons(port);
    sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);

    if (connect(fd, (struct sockaddr *) &sin, sizeof(sin)) == -1
        && errno != EINPROGRESS)
    {
        bench_fatal("connect()");
    }

    c->io.fd = fd;
    c->io.handler = client_handler;
    c->port = port;
    c->state = bench_client_st_idle;
    c->used = 0;

    bench_loop_add(&c->io);
}


void
bench_client_start(bench_client_t *c, const char *head, const char *body,
    size_t len, unsigned stream)
{
    if (stream) {
        c->head_len = snprintf(c->request, sizeof(c->request),
                               "%sX-Bench: stream %u\r\n\r\n", head, c->id);

    } else {
        c->head_len = snprintf(c->request, sizeof(c->request), "%s\r\n", head);
    }

    c->body = body;
    c->body_len = len;
    c->out = 0;
    c->written = 0;

    if (c->io.fd == -1) {
        bench_client_open(c, c->port);
    }

    c->state = bench_client_st_head;
    c->head_used = 0;
    c->line_len = 0;
    c->events = 0;
    c->deltas = 0;
    c->answered = 0;
    c->stream = 0;
    c->typed = 0;
    c->end = 0;
    c->completed = 0;
    c->error = 0;
    c->begun = 0;

    client_write(c);
}


void
bench_client_close(bench_client_t *c)
{
    if (c->io.fd != -1) {
        close(c->io.fd);
        c->io.fd = -1;
    }
}


static void
client_handler(bench_io_t *io)
{
    bench_client_t  *c;

    c = (bench_client_t *) io;

    if (c->state == bench_client_st_head && c->written == 0) {
        client_write(c);
    }

    client_read(c);
}


static void
client_write(bench_client_t *c)
{
    size_t         skip;
    ssize_t        n;
    struct iovec   iov[2];
    struct msghdr  msg;

    memset(&msg, 0, sizeof(msg));
    msg.msg_iov = iov;
    msg.msg_iovlen = 2;

    while (c->out < c->head_len + c->body_len) {

        skip = (c->out < c->head_len) ? c->out : c->head_len;

        iov[0].iov_base = c->request + skip;
        iov[0].iov_len = c->head_len - skip;
        iov[1].iov_base = (char *) c->body + (c->out - skip);
        iov[1].iov_len = c->body_len - (c->out - skip);

        n = sendmsg(c->io.fd, &msg, MSG_NOSIGNAL);

        if (n == -1) {

            /* a mistake in it is seen when it is read */

            return;
        }

        c->out += n;
    }

    c->written = bench_now();
}


static void
client_read(bench_client_t *c)
{
    ssize_t      n;
    unsigned     events;
    static char  buf[CLIENT_READ];

    do {
        n = recv(c->io.fd, buf, CLIENT_READ, 0);

        if (n == -1 && (errno == EAGAIN || errno == ENOTCONN)) {
            return;
        }

        if (n <= 0) {
            if (c->state == bench_client_st_idle) {
                bench_client_close(c);

            } else if (c->used && c->state == bench_client_st_head
                       && c->head_used == 0)
            {
                client_again(c);

            } else {
                client_over(c, bench_client_st_failed);
            }

            return;
        }

        if (bench_client_copy) {
            (void) fwrite(buf, 1, n, bench_client_copy);
        }

        events = c->events;

        client_parse(c, buf, n);

        if (c->events != events && c->state != bench_client_st_idle
            && bench_client_data)
        {
            bench_client_data(c);
        }

    } while (n == CLIENT_READ && c->io.fd != -1);
}


static void
client_parse(bench_client_t *c, char *p, size_t len)
{
    size_t  n;

    while (len) {

        switch (c->state) {

        case bench_client_st_head:
            n = client_head(c, p, len);
            break;

        case bench_client_st_size:
        case bench_client_st_data_end:
        case bench_client_st_trailer:
            n = client_size(c, p, len);
            break;

        case bench_client_st_length:
        case bench_client_st_data:
            n = client_body(c, p, len);
            break;

        case bench_client_st_idle:
        case bench_client_st_failed:
        default:
            return;
        }

        p += n;
        len -= n;
    }
}


static size_t
client_head(bench_client_t *c, char *p, size_t len)
{
    char      *end;
    size_t     n;
    unsigned   used;

    used = c->head_used;
    n = BENCH_CLIENT_HEAD - 1 - used;

    if (n > len) {
        n = len;
    }

    memcpy(c->head + used, p, n);
    c->head_used += n;
    c->head[c->head_used] = '\0';

    end = strstr(c->head, "\r\n\r\n");

    if (end == NULL) {
        if (c->head_used == BENCH_CLIENT_HEAD - 1) {
            client_over(c, bench_client_st_failed);
        }

        return n;
    }

    n = end + 4 - (c->head + used);
    end[2] = '\0';

    if (client_fields(c) != 0) {
        client_over(c, bench_client_st_failed);

    } else if (c->state == bench_client_st_length && c->left == 0) {
        client_over(c, bench_client_st_idle);
    }

    return n;
}


static int
client_fields(bench_client_t *c)
{
    char  *p;

    if (strncmp(c->head, "HTTP/1.1 ", 9) != 0) {
        return -1;
    }

    c->status = strtoul(c->head + 9, NULL, 10);
    c->state = bench_client_st_head;

    if (c->status == 204) {
        c->state = bench_client_st_length;
        c->left = 0;
    }

    for (p = strstr(c->head, "\r\n"); p; p = strstr(p, "\r\n")) {
        p += 2;

        if (strncasecmp(p, "Content-Length: ", 16) == 0) {
            c->state = bench_client_st_length;
            c->left = strtoul(p + 16, NULL, 10);

        } else if (strncasecmp(p, "Transfer-Encoding: chunked", 26) == 0) {
            c->state = bench_client_st_size;
            c->left = 0;

        } else if (strncasecmp(p, "Content-Type: text/event-stream", 31) == 0) {
            c->stream = 1;
        }
    }

    return (c->state == bench_client_st_head) ? -1 : 0;
}


/* bytes between the chunks, one at a time */

static size_t
client_size(bench_client_t *c, char *p, size_t len)
{
    char  *start;

    for (start = p; p < start + len; p++) {

        switch (*p) {

        case '\r':
            break;

        case '\n':
            if (c->state == bench_client_st_data_end) {
                c->state = bench_client_st_size;
                break;
            }

            if (c->state == bench_client_st_trailer) {
                client_over(c, bench_client_st_idle);
                return p + 1 - start;
            }

            c->state = c->left ? bench_client_st_data : bench_client_st_trailer;
            return p + 1 - start;

        default:
            if (c->state == bench_client_st_size) {
                c->left = c->left * 16 + (*p & 15) + (*p > '9' ? 9 : 0);
            }

            break;
        }
    }

    return len;
}


static size_t
client_body(bench_client_t *c, char *p, size_t len)
{
    if (len > c->left) {
        len = c->left;
    }

    if (c->stream) {
        client_lines(c, p, len);
    }

    c->left -= len;

    if (c->left == 0) {
        if (c->state == bench_client_st_data) {
            c->state = bench_client_st_data_end;

        } else {
            client_over(c, bench_client_st_idle);
        }
    }

    return len;
}


static void
client_lines(bench_client_t *c, char *p, size_t len)
{
    char    *lf;
    size_t   n, room;

    for ( ;; ) {
        lf = memchr(p, '\n', len);
        n = lf ? (size_t) (lf - p) : len;

        room = BENCH_CLIENT_LINE - c->line_len;

        if (room > n) {
            room = n;
        }

        memcpy(c->line + c->line_len, p, room);
        c->line_len += room;

        if (lf == NULL) {
            return;
        }

        client_line(c);

        c->line_len = 0;
        p = lf + 1;
        len -= n + 1;
    }
}


static void
client_line(bench_client_t *c)
{
    #define line_is(text)                                                     \
        (c->line_len >= sizeof(text) - 1                                      \
         && memcmp(c->line, text, sizeof(text) - 1) == 0)

    if (line_is("data: ")) {

        if (line_is("data: [DONE]")) {
            c->end = 1;
            return;
        }

        c->events++;

        if (!c->typed) {
            c->deltas++;
        }

    } else if (line_is("event: ")) {
        c->typed = 1;

        if (line_is("event: response.output_text.delta")) {
            c->deltas++;

        } else if (line_is("event: response.completed")) {
            c->completed = 1;

        } else if (line_is("event: error")
                   || line_is("event: response.failed"))
        {
            c->error = 1;
        }
    }
}


/* the server has closed the connection while the request was on its way */

static void
client_again(bench_client_t *c)
{
    bench_client_close(c);
    bench_client_open(c, c->port);

    c->state = bench_client_st_head;
    c->out = 0;
    c->written = 0;

    client_write(c);
}


static void
client_over(bench_client_t *c, bench_client_state_e state)
{
    c->state = state;
    c->used = 1;

    if (state == bench_client_st_failed) {
        bench_client_close(c);
    }

    bench_client_done(c);
}
