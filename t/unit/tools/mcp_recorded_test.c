
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Answers of real MCP servers to our messages, in t/data/mcp: whole, byte by
 * byte, and cut at each byte.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_test_file.h>
#include <ngx_ors_mcp_dialog.h>


#define DIR  "t/data/mcp"


typedef struct {
    char                *tool;    /* "": the list; NULL: the end */
    char                *outcome; /* its beginning */
} recorded_command_t;


typedef struct {
    char                *name;
    char                *version;
    recorded_command_t   commands[12];
} recorded_test_t;


static void test_recorded(recorded_test_t *t, size_t step);
static void test_cut(recorded_test_t *t);
static void start(char *tool);
static ngx_int_t exchange(recorded_test_t *t, size_t step, size_t cut);
static ngx_int_t feed(u_char *data, size_t len);
static size_t print(ngx_int_t rc);


static recorded_test_t  tests[] = {

    { "everything", "2025-11-25", {
      { "", "list 13 echo get-annotated-message get-env " },
      { "echo", "text Echo: hi" },
      { "get-tiny-image", "text Here's the image you requested:\n"
        "[image image/png]\nThe image above is the MCP logo." },
      { "get-resource-links", "text Here are 2 resource links to resources "
        "available in this server:\n"
        "Blob Resource 1: demo://resource/dynamic/blob/1\n"
        "Text Resource 2: demo://resource/dynamic/text/2" },
      { "get-structured-content", "text {\"temperature\":33," },
      { "get-resource-reference", "text Returning resource reference for "
        "Resource 1:\n[resource demo://resource/dynamic/blob/1 text/plain]\n" },
      { "nothing", "failed MCP error -32602: Tool nothing not found" },
      { "echo", "text Echo: hi" } } },

    { "python", "2026-07-28", {
      { "region", "text eu 7" },
      { "", "list 5 echo weather region broken slow " },
      { "echo", "text hi" },
      { "weather", "text {\n  \"city\": \"Rome\",\n" },
      { "broken", "failed Error executing tool broken" },
      { "nothing", "failed Unknown tool: nothing" } } }
};

#define NTESTS  (sizeof(tests) / sizeof(tests[0]))


static ngx_ors_mcp_limits_t    limits;
static ngx_ors_mcp_peer_t      peer;
static ngx_ors_mcp_dialog_t   *dialog;
static ngx_uint_t              record;
static u_char                  text[8192];


int
main(void)
{
    size_t      step;
    ngx_uint_t  i;

    ngx_ors_mcp_limits_set(&limits, 1024 * 1024);

    for (i = 0; i < NTESTS; i++) {

        for (step = 0; step < 3; step++) {
            test_recorded(&tests[i], step);
        }

        test_cut(&tests[i]);
    }

    return done_testing();
}


static void
test_recorded(recorded_test_t *t, size_t step)
{
    size_t               len;
    ngx_int_t            rc;
    ngx_str_t           *version;
    recorded_command_t  *c;

    ngx_memzero(&peer, sizeof(ngx_ors_mcp_peer_t));
    record = 0;

    for (c = t->commands; c->tool; c++) {
        start(c->tool);

        rc = ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_start);

        while (rc == NGX_AGAIN) {
            rc = exchange(t, step, 0);
        }

        len = ngx_min(print(rc), ngx_strlen(c->outcome));

        is_mem(text, len, c->outcome, ngx_strlen(c->outcome),
               "%s, %s, %d bytes at a time", t->name, c->tool, (int) step);

        (void) ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_close);
        ngx_destroy_pool(dialog->pool);
    }

    version = ngx_ors_mcp_version_name(peer.version);
    is_str(version, t->version, "%s: the version", t->name);
}


/*
 * An answer that is cut is the end, unless its message was there already, or a
 * server with sessions has given a place to go on from
 */

static void
test_cut(recorded_test_t *t)
{
    size_t               cut;
    ngx_int_t            rc;
    ngx_uint_t           first, ends, resumed, bad;
    recorded_command_t  *c;

    ngx_memzero(&peer, sizeof(ngx_ors_mcp_peer_t));
    record = 0;

    for (c = t->commands; c->tool; c++) {
        first = record;
        ends = 0;
        resumed = 0;
        bad = 0;

        /* whole, for what comes after it */

        start(c->tool);
        rc = ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_start);

        while (rc == NGX_AGAIN) {
            rc = exchange(t, 0, 0);
        }

        (void) ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_close);
        ngx_destroy_pool(dialog->pool);

        if (record - first > 1) {
            continue;
        }

        for (cut = 1; cut < 1000; cut++) {
            record = first;
            peer.id--;

            start(c->tool);
            rc = ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_start);
            rc = exchange(t, 0, cut);

            if (rc == NGX_AGAIN) {
                record = first;
                resumed++;
                rc = exchange(t, 0, 0);
                bad += (rc != NGX_OK);
            }

            ends += (rc == NGX_DONE);
            bad += (rc != NGX_DONE && rc != NGX_OK);

            (void) ngx_ors_mcp_dialog_step(dialog,
                                           ngx_ors_mcp_dialog_ev_close);
            ngx_destroy_pool(dialog->pool);
        }

        is_int(bad, 0, "%s, %s, cut: it ends", t->name, c->tool);
        ok(ends + resumed > 50, "%s, %s, cut: mostly failed or resumed",
           t->name, c->tool);
    }
}


static void
start(char *tool)
{
    ngx_pool_t  *pool;

    pool = ngx_ors_test_pool();
    dialog = ngx_pcalloc(pool, sizeof(ngx_ors_mcp_dialog_t));

    dialog->peer = &peer;
    dialog->limits = &limits;
    dialog->pool = pool;
    dialog->log = ngx_ors_test_log();
    dialog->list_log = ngx_ors_test_log();
    dialog->name.data = (u_char *) tool;
    dialog->name.len = ngx_strlen(tool);
}


/*
 * The next answer: its status, type and session are the first lines of the
 * file.  "cut": so many bytes of the body come, 0: all.
 */

static ngx_int_t
exchange(recorded_test_t *t, size_t step, size_t cut)
{
    char         name[64];
    size_t       n;
    u_char      *p, *last;
    ngx_int_t    rc;
    ngx_str_t    file, line[3];
    ngx_uint_t   i;

    snprintf(name, sizeof(name), "%s-%02d", t->name, (int) ++record);

    if (!ngx_ors_test_file(DIR, name, dialog->pool, &file)) {
        fail("%s is missing", name);
        return NGX_ERROR;
    }

    p = file.data;
    last = file.data + file.len;

    for (i = 0; i < 3; i++) {
        line[i].data = p;
        line[i].len = strcspn((char *) p, "\n");
        p += line[i].len + 1;
    }

    dialog->request = NULL;
    dialog->status = ngx_atoi(line[0].data, line[0].len);
    dialog->type = line[1];
    dialog->session = line[2];

    rc = ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_header);

    if (cut && cut < (size_t) (last - p)) {
        last = p + cut;
    }

    for ( /* void */ ; p < last && rc == NGX_AGAIN && !dialog->request;
          p += n)
    {
        n = step ? ngx_min(step, (size_t) (last - p)) : (size_t) (last - p);
        rc = feed(p, n);
    }

    if (rc != NGX_AGAIN || dialog->request) {
        return rc;
    }

    return ngx_ors_mcp_dialog_step(dialog,
                                   cut ? ngx_ors_mcp_dialog_ev_cut
                                       : ngx_ors_mcp_dialog_ev_end);
}


static ngx_int_t
feed(u_char *data, size_t len)
{
    u_char     *copy;
    ngx_int_t   rc;
    ngx_buf_t   b;

    copy = malloc(len);
    ngx_memcpy(copy, data, len);

    ngx_memzero(&b, sizeof(ngx_buf_t));
    b.pos = copy;
    b.last = copy + len;

    dialog->in = &b;
    rc = ngx_ors_mcp_dialog_step(dialog, ngx_ors_mcp_dialog_ev_body);

    free(copy);

    return rc;
}


static size_t
print(ngx_int_t rc)
{
    u_char              *p;
    ngx_uint_t           i;
    ngx_ors_mcp_tool_t  *tool;

    if (rc != NGX_OK) {
        return ngx_sprintf(text, "error %V", &dialog->error.message) - text;
    }

    if (dialog->name.len) {
        return ngx_sprintf(text, "%s %V",
                           dialog->result.failed ? "failed" : "text",
                           &dialog->result.text)
               - text;
    }

    tool = dialog->list->tools.elts;
    p = ngx_sprintf(text, "list %ui ", dialog->list->tools.nelts);

    for (i = 0; i < dialog->list->tools.nelts; i++) {
        p = ngx_sprintf(p, "%V ", &tool[i].name);
    }

    return p - text;
}
