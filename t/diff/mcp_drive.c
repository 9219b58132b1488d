
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Dialogs with a real MCP server on this machine, for t/mcp_servers.t:
 *
 *     mcp_drive PORT PATH [PREFIX]
 *
 * Lines of the standard input are "list", "call NAME ARGUMENTS", "cut" (the
 * next answer as soon as it can be resumed), "lose" (the session) and "forget"
 * (all that is known).  Requests, answers and outcomes
 * are lines of the output; with PREFIX the answers are kept in files of that
 * name and a number.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_mcp_dialog.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>


#define HEAD      16384
#define PIECE     4096
#define PATIENCE  20              /* seconds */


typedef struct {
    int          fd;
    u_char       buf[HEAD];
    size_t       pos;             /* bytes that have been used */
    size_t       len;
    size_t       left;            /* of a chunk or a body */
    ngx_uint_t   chunked;
    ngx_uint_t   bounded;         /* there is a Content-Length */
} drive_connection_t;


static void drive_command(char *line);
static void drive_dialog(ngx_str_t *name, ngx_str_t *arguments);
static ngx_int_t drive_exchange(ngx_ors_mcp_dialog_t *dialog);
static void drive_aside(ngx_ors_mcp_request_t *req);
static ngx_uint_t drive_send(drive_connection_t *c,
    ngx_ors_mcp_request_t *req);
static ngx_uint_t drive_header(drive_connection_t *c,
    ngx_ors_mcp_dialog_t *dialog);
static void drive_field(drive_connection_t *c, ngx_ors_mcp_dialog_t *dialog,
    char *line);
static ssize_t drive_body(drive_connection_t *c, u_char *dst, size_t size);
static ngx_uint_t drive_chunk(drive_connection_t *c);
static ssize_t drive_fill(drive_connection_t *c);
static void drive_write(int fd, const void *data, size_t len);
static void drive_keep(const char *fmt, ...)
    __attribute__((format(printf, 1, 2)));
static void drive_print(ngx_ors_mcp_dialog_t *dialog, ngx_int_t rc);


static ngx_ors_mcp_limits_t    limits;
static ngx_ors_mcp_peer_t      peer;
static int                     port;
static char                   *path, *prefix;
static FILE                   *record;
static ngx_uint_t              records, cut;


int
main(int argc, char **argv)
{
    char  line[PIECE];

    if (argc < 3) {
        fprintf(stderr, "usage: mcp_drive PORT PATH [PREFIX]\n");
        return 2;
    }

    port = atoi(argv[1]);
    path = argv[2];
    prefix = argv[3];

    setvbuf(stdout, NULL, _IOLBF, 0);
    ngx_ors_mcp_limits_set(&limits, 1024 * 1024);

    while (fgets(line, sizeof(line), stdin)) {
        line[strcspn(line, "\n")] = '\0';
        drive_command(line);
        printf("known %.*s%s\nend\n",
               (int) ngx_ors_mcp_version_name(peer.version)->len,
               (char *) ngx_ors_mcp_version_name(peer.version)->data,
               peer.ready ? (peer.len ? " session" : " ready") : "");
    }

    return 0;
}


static void
drive_command(char *line)
{
    char       *p;
    ngx_str_t   name, arguments;

    ngx_str_null(&name);
    ngx_str_null(&arguments);

    if (strcmp(line, "cut") == 0) {
        cut = 1;
        return;
    }

    if (strcmp(line, "lose") == 0) {
        peer.len = 4;
        ngx_memcpy(peer.session, "lost", 4);
        return;
    }

    if (strcmp(line, "forget") == 0) {
        ngx_memzero(&peer, sizeof(ngx_ors_mcp_peer_t));
        return;
    }

    if (strncmp(line, "call ", 5) == 0) {
        name.data = (u_char *) line + 5;
        p = strchr(line + 5, ' ');

        if (p) {
            *p++ = '\0';
            arguments.data = (u_char *) p;
            arguments.len = strlen(p);
        }

        name.len = ngx_strlen(name.data);
    }

    drive_dialog(&name, &arguments);
}


/* a call is made as the list has the tool */

static void
drive_dialog(ngx_str_t *name, ngx_str_t *arguments)
{
    ngx_int_t                    rc;
    ngx_pool_t                  *pool;
    ngx_ors_mcp_dialog_t        *dialog;

    static ngx_ors_mcp_list_t   *list;

    pool = ngx_ors_test_pool();
    dialog = ngx_pcalloc(pool, sizeof(ngx_ors_mcp_dialog_t));

    dialog->peer = &peer;
    dialog->limits = &limits;
    dialog->pool = pool;
    dialog->log = ngx_ors_test_log();
    dialog->list_log = ngx_ors_test_log();
    dialog->name = *name;
    dialog->arguments = *arguments;
    dialog->tool = (name->len && list) ? ngx_ors_mcp_list_find(list, name)
                                       : NULL;

    rc = ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_start);

    while (rc == NGX_AGAIN) {
        rc = drive_exchange(dialog);
    }

    drive_print(dialog, rc);

    if (dialog->list) {

        if (list) {
            ngx_ors_mcp_list_release(list);
        }

        list = dialog->list;
        ngx_ors_mcp_list_hold(list);
    }

    (void) ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_close);

    ngx_destroy_pool(pool);
}


/* one request and its answer */

static ngx_int_t
drive_exchange(ngx_ors_mcp_dialog_t *dialog)
{
    u_char              piece[PIECE];
    ssize_t             n;
    ngx_int_t           rc;
    ngx_buf_t           b;
    drive_connection_t  c;

    usleep(dialog->request->delay * 1000);

    if (!drive_send(&c, dialog->request)) {
        return ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_cut);
    }

    dialog->request = NULL;

    if (!drive_header(&c, dialog)) {
        close(c.fd);
        return ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_cut);
    }

    rc = ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_header);

    while (rc == NGX_AGAIN && !dialog->request) {
        if (cut && dialog->reader.place.last.len) {
            cut = 0;
            rc = ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_cut);
            break;
        }

        n = drive_body(&c, piece, PIECE);

        if (n <= 0) {
            rc = ngx_ors_mcp_dialog_step(dialog,
                                         n ? ngx_ors_mcp_dialog_ev_cut
                                           : ngx_ors_mcp_dialog_ev_end);
            break;
        }

        if (record) {
            fwrite(piece, 1, n, record);
        }

        ngx_memzero(&b, sizeof(ngx_buf_t));
        b.pos = piece;
        b.last = piece + n;
        dialog->in = &b;

        rc = ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_body);

        for ( /* void */ ; dialog->asides; dialog->asides =
                                                      dialog->asides->next)
        {
            drive_aside(dialog->asides);
        }
    }

    close(c.fd);

    if (record) {
        fclose(record);
        record = NULL;
    }

    return rc;
}


static void
drive_aside(ngx_ors_mcp_request_t *req)
{
    drive_connection_t    c;
    ngx_ors_mcp_dialog_t  none;

    ngx_memzero(&none, sizeof(ngx_ors_mcp_dialog_t));

    if (drive_send(&c, req) && drive_header(&c, &none)) {
        close(c.fd);
    }
}


static ngx_uint_t
drive_send(drive_connection_t *c, ngx_ors_mcp_request_t *req)
{
    char                head[HEAD], *p;
    ngx_uint_t          i;
    ngx_chain_t        *cl;
    ngx_keyval_t       *kv;
    struct timeval      wait;
    struct sockaddr_in  sin;

    ngx_memzero(c, sizeof(drive_connection_t));
    ngx_memzero(&sin, sizeof(struct sockaddr_in));

    wait.tv_sec = PATIENCE;
    wait.tv_usec = 0;

    sin.sin_family = AF_INET;
    sin.sin_port = htons(port);
    sin.sin_addr.s_addr = htonl(INADDR_LOOPBACK);

    c->fd = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait));

    if (connect(c->fd, (struct sockaddr *) &sin, sizeof(sin)) == -1) {
        close(c->fd);
        return 0;
    }

    p = head;
    p += sprintf(p, "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n"
                    "Connection: close\r\n",
                 req->body ? "POST" : "GET", path, port);

    if (req->body) {
        p += sprintf(p, "Content-Length: %zu\r\n", req->size);
    }

    kv = req->headers.elts;

    for (i = 0; i < req->headers.nelts; i++) {
        p += sprintf(p, "%.*s: %.*s\r\n", (int) kv[i].key.len,
                     kv[i].key.data, (int) kv[i].value.len, kv[i].value.data);
    }

    p += sprintf(p, "\r\n");

    printf("> %.*s\n", req->body ? (int) req->method.len : 3,
           req->body == NULL ? "GET"
           : req->method.len ? (char *) req->method.data : "");

    drive_write(c->fd, head, p - head);

    for (cl = req->body; cl; cl = cl->next) {
        drive_write(c->fd, cl->buf->pos, cl->buf->last - cl->buf->pos);
    }

    return 1;
}


static ngx_uint_t
drive_header(drive_connection_t *c, ngx_ors_mcp_dialog_t *dialog)
{
    char        *line, *end;
    static char  head[HEAD];

    do {
        if (drive_fill(c) <= 0) {
            return 0;
        }

        c->buf[c->len] = '\0';
        end = strstr((char *) c->buf, "\r\n\r\n");

    } while (end == NULL);

    c->pos = end + 4 - (char *) c->buf;
    ngx_memcpy(head, c->buf, c->pos);
    head[c->pos - 2] = '\0';

    dialog->status = atoi(head + sizeof("HTTP/1.1 ") - 1);
    ngx_str_null(&dialog->type);
    ngx_str_null(&dialog->session);

    for (line = strstr(head, "\r\n"); line; line = end) {
        line += 2;
        end = strstr(line, "\r\n");

        if (end) {
            *end = '\0';
        }

        drive_field(c, dialog, line);
    }

    printf("< %d %.*s\n", (int) dialog->status, (int) dialog->type.len,
           dialog->type.len ? (char *) dialog->type.data : "");

    drive_keep("%d\n%.*s\n%.*s\n", (int) dialog->status,
               (int) dialog->type.len, (char *) dialog->type.data,
               (int) dialog->session.len, (char *) dialog->session.data);

    return 1;
}


static void
drive_field(drive_connection_t *c, ngx_ors_mcp_dialog_t *dialog, char *line)
{
    char       *p;
    ngx_str_t   value;

    p = strchr(line, ':');

    if (p == NULL) {
        return;
    }

    *p++ = '\0';
    p += strspn(p, " ");

    value.data = (u_char *) p;
    value.len = strlen(p);

    if (strcasecmp(line, "Content-Type") == 0) {
        dialog->type = value;

    } else if (strcasecmp(line, "Mcp-Session-Id") == 0) {
        dialog->session = value;

    } else if (strcasecmp(line, "Content-Length") == 0) {
        c->bounded = 1;
        c->left = atoi(p);

    } else if (strcasecmp(line, "Transfer-Encoding") == 0) {
        c->chunked = 1;
    }
}


/* bytes of the body; 0: its end; -1: it is cut */

static ssize_t
drive_body(drive_connection_t *c, u_char *dst, size_t size)
{
    ssize_t  n;

    if (c->chunked && c->left == 0) {

        if (!drive_chunk(c)) {
            return -1;
        }

        if (c->left == 0) {
            return 0;
        }
    }

    if (c->bounded && c->left == 0) {
        return 0;
    }

    if (c->pos == c->len) {
        n = drive_fill(c);

        if (n <= 0) {
            return (c->chunked || c->bounded) ? -1 : n;
        }
    }

    size = ngx_min(size, c->len - c->pos);

    if (c->chunked || c->bounded) {
        size = ngx_min(size, c->left);
        c->left -= size;
    }

    ngx_memcpy(dst, c->buf + c->pos, size);
    c->pos += size;

    return size;
}


/* the line that begins a chunk, and the end of the one before */

static ngx_uint_t
drive_chunk(drive_connection_t *c)
{
    char  *line, *end;

    for ( ;; ) {
        c->buf[c->len] = '\0';

        line = (char *) c->buf + c->pos;
        line += strspn(line, "\r\n");
        end = strstr(line, "\r\n");

        if (end) {
            break;
        }

        if (drive_fill(c) <= 0) {
            return 0;
        }
    }

    c->left = strtoul(line, NULL, 16);
    c->pos = end + 2 - (char *) c->buf;

    return 1;
}


static ssize_t
drive_fill(drive_connection_t *c)
{
    ssize_t  n;

    if (c->pos) {
        memmove(c->buf, c->buf + c->pos, c->len - c->pos);
        c->len -= c->pos;
        c->pos = 0;
    }

    n = read(c->fd, c->buf + c->len, HEAD - 1 - c->len);

    if (n > 0) {
        c->len += n;
    }

    return n;
}


static void
drive_write(int fd, const void *data, size_t len)
{
    ssize_t  n;

    for ( /* void */ ; len; len -= n, data = (const char *) data + n) {
        n = write(fd, data, len);

        if (n <= 0) {
            return;
        }
    }
}


static void
drive_keep(const char *fmt, ...)
{
    char     name[512];
    va_list  args;

    if (prefix == NULL) {
        return;
    }

    snprintf(name, sizeof(name), "%s%02d", prefix, (int) ++records);

    record = fopen(name, "wb");
    if (record == NULL) {
        return;
    }

    va_start(args, fmt);
    vfprintf(record, fmt, args);
    va_end(args);
}


static void
drive_print(ngx_ors_mcp_dialog_t *dialog, ngx_int_t rc)
{
    ngx_uint_t           i;
    ngx_ors_mcp_tool_t  *tool;

    if (rc != NGX_OK) {
        printf("error %d %lld %.*s\n", (int) dialog->error.type,
               (long long) dialog->error.code, (int) dialog->error.message.len,
               dialog->error.message.data);
        return;
    }

    if (dialog->name.len) {
        printf("%s %.*s\n", dialog->result.failed ? "failed" : "text",
               (int) dialog->result.text.len, dialog->result.text.data);
        return;
    }

    printf("list");

    tool = dialog->list->tools.elts;

    for (i = 0; i < dialog->list->tools.nelts; i++) {
        printf(" %.*s", (int) tool[i].name.len, tool[i].name.data);
    }

    printf("\n");
}
