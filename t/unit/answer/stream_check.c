
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A checker of streams that the validator has written, independent of its
 * code.
 */


#include <ngx_ors_fields.h>
#include <ngx_ors_validate.h>

#include "stream_check.h"


static void check_stream(stream_check_t *c);
static void check_frame(stream_check_t *c, u_char *p, u_char *last);
static void check_event(stream_check_t *c, char *type);
static void check_response(stream_check_t *c, char *type,
    ngx_ors_json_node_t *resp);
static void check_item(stream_check_t *c, char *type);
static void check_text(stream_check_t *c, stream_item_t *item, char *type);
static void check_add(stream_check_t *c, stream_item_t *item,
    ngx_ors_json_node_t *node);
static void check_chunk(stream_check_t *c, u_char *p, u_char *last);
static void check_valid(stream_check_t *c, const ngx_ors_shape_t *shape);
static void check_refusal(stream_check_t *c);
static ngx_ors_json_node_t *check_get(stream_check_t *c,
    ngx_ors_json_node_t *object, const char *name);
static void check_string(stream_check_t *c, ngx_ors_json_node_t *object,
    const char *name, char *buf, size_t size);
static int64_t check_int(stream_check_t *c, const char *name);
static void check_put(stream_check_t *c, const char *text);
static void wrong(stream_check_t *c, const char *what);
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
stream_check(stream_check_t *c, answer_t *a)
{
    memset(c, 0, offsetof(stream_check_t, items));

    c->a = a;
    c->sequence = -1;
    c->pool = ngx_ors_test_pool();
    ngx_ors_json_init(&c->json, c->pool, 100, 1000000);
    ngx_ors_edits_init(&c->edits, c->pool);

    if (a->rc != NGX_DONE) {
        wrong(c, "it is not over");

    } else if (a->verify.status != 200) {
        check_refusal(c);

    } else {
        check_stream(c);
    }

    ngx_destroy_pool(c->pool);
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
    stream_check_t  c;

    piece = *a;

    stream_run(a);
    stream_check(&c, a);

    if (!is_mem(c.digest, strlen(c.digest), digest, strlen(digest), "%s",
                name)
        || !ok(c.wrong[0] == '\0', "%s: well-formed", name))
    {
        diag("%s\n%s\n%s", c.wrong, a->text, ngx_ors_test_log_last());
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


static void
check_stream(stream_check_t *c)
{
    u_char  *p, *last, *end;

    p = c->a->text;
    last = p + c->a->size;

    while (p < last && c->wrong[0] == '\0') {
        end = memmem(p, last - p, "\n\n", 2);

        if (end == NULL) {
            wrong(c, "the end is no end of a frame");
            return;
        }

        check_frame(c, p, end);
        p = end + 2;
    }

    if (!c->done) {
        wrong(c, "no [DONE]");
    }
}


static void
check_frame(stream_check_t *c, u_char *p, u_char *last)
{
    char     type[STREAM_TEXT];
    u_char  *eol;

    if (c->done) {
        wrong(c, "a frame after [DONE]");
        return;
    }

    if (last - p == 1 && *p == ':') {
        c->comments++;
        return;
    }

    if (last - p == 12 && memcmp(p, "data: [DONE]", 12) == 0) {
        c->done = 1;

        if (c->a->endpoint == ngx_ors_endpoint_chat) {

            if (c->digest[0] == '\0') {
                check_put(c, "done");
            }

        } else if (!c->terminal) {
            wrong(c, "[DONE] before the last event");
        }

        return;
    }

    if (c->a->endpoint == ngx_ors_endpoint_chat) {
        check_chunk(c, p, last);
        return;
    }

    eol = memchr(p, LF, last - p);

    if (eol == NULL || last - p < 7 || memcmp(p, "event: ", 7) != 0
        || eol - p - 7 >= (int) sizeof(type)
        || last - eol < 8 || memcmp(eol + 1, "data: {", 7) != 0
        || memchr(eol + 1, LF, last - eol - 1) != NULL
        || memchr(p, CR, last - p) != NULL)
    {
        wrong(c, "a bad frame");
        return;
    }

    memcpy(type, p + 7, eol - p - 7);
    type[eol - p - 7] = '\0';

    if (ngx_ors_json_read(&c->json, eol + 7, last - eol - 7) != NGX_OK) {
        wrong(c, "not JSON");
        return;
    }

    check_event(c, type);
}


static void
check_event(stream_check_t *c, char *type)
{
    char                  name[STREAM_TEXT];
    ngx_ors_json_node_t  *node;

    if (c->terminal) {
        wrong(c, "an event after the last one");
        return;
    }

    check_string(c, c->json.nodes, "type", name, sizeof(name));

    if (strcmp(name, type) != 0) {
        wrong(c, "the event's line and its type differ");
    }

    if (c->sequence >= 0 && check_int(c, "sequence_number")
                            != c->sequence + 1)
    {
        wrong(c, "a gap in the numbers");
    }

    c->sequence = check_int(c, "sequence_number");
    c->events++;

    check_valid(c, &ngx_ors_fields_event);

    if (strchr(type, ':') || strcmp(type, "keepalive") == 0) {
        return;
    }

    if (c->code[0] && strcmp(type, "response.failed") != 0) {
        wrong(c, "an event after \"error\"");
    }

    if (strcmp(type, "error") == 0) {
        node = check_get(c, c->json.nodes, "error");

        if (node == NULL) {
            wrong(c, "a flat error");
            return;
        }

        check_string(c, node, "code", c->code, sizeof(c->code));

        if (c->code[0] == '\0') {
            strcpy(c->code, "(none)");
        }

        return;
    }

    node = check_get(c, c->json.nodes, "response");

    if (node) {
        check_response(c, type, node);
        return;
    }

    if (c->id[0] == '\0') {
        wrong(c, "an event before response.created");
        return;
    }

    if (strncmp(type, "response.audio", 14) != 0) {
        check_item(c, type);
    }
}


static void
check_response(stream_check_t *c, char *type, ngx_ors_json_node_t *resp)
{
    char                  id[64], status[64], code[64];
    ngx_uint_t            i, n;
    ngx_ors_json_node_t  *output, *item;

    check_string(c, resp, "id", id, sizeof(id));

    if (c->id[0] == '\0') {

        if (strcmp(type, "response.created") != 0) {
            wrong(c, "the first event is not response.created");
        }

        strcpy(c->id, id);
    }

    if (strcmp(c->id, id) != 0) {
        wrong(c, "another id");
    }

    check_string(c, resp, "status", status, sizeof(status));

    if (strcmp(type, "response.created") == 0
        || strcmp(type, "response.in_progress") == 0
        || strcmp(type, "response.queued") == 0)
    {
        return;
    }

    c->terminal = 1;

    if (strcmp(type + sizeof("response.") - 1, status) != 0) {
        wrong(c, "another status");
    }

    check_put(c, status);

    if (strcmp(status, "failed") == 0) {
        item = check_get(c, resp, "error");

        if (item == NULL) {
            wrong(c, "failed without an error");
            return;
        }

        check_string(c, item, "code", code, sizeof(code));
        check_put(c, code);
    }

    output = check_get(c, resp, "output");
    n = output->count;

    for (i = 0, item = ngx_ors_json_first(&c->json, output);
         item;
         item = ngx_ors_json_next(&c->json, item))
    {
        if (strcmp(status, "failed") == 0) {
            continue;
        }

        check_string(c, item, "id", id, sizeof(id));

        if (i >= c->nitems || strcmp(c->items[i].id, id) != 0
            || !c->items[i].done)
        {
            wrong(c, "the output has other items");
        }

        i++;
    }

    snprintf(id, sizeof(id), "%d", (int) n);
    check_put(c, id);
}


static void
check_item(stream_check_t *c, char *type)
{
    char                  id[64];
    int64_t               n;
    stream_item_t        *item;
    ngx_ors_json_node_t  *node;

    n = check_int(c, "output_index");
    node = check_get(c, c->json.nodes, "item");

    if (strcmp(type, "response.output_item.added") == 0) {

        if (n != (int64_t) c->nitems || node == NULL) {
            wrong(c, "an item at the wrong place");
            return;
        }

        if (n < STREAM_ITEMS) {
            c->items[n].done = 0;
            c->items[n].len = 0;
            check_string(c, node, "id", c->items[n].id, 64);
        }

        c->nitems++;
        return;
    }

    if (n < 0 || n >= (int64_t) c->nitems) {
        wrong(c, "an item that was not added");
        return;
    }

    if (n >= STREAM_ITEMS) {
        return;
    }

    item = &c->items[n];

    if (item->done) {
        wrong(c, "an event after the end of its item");
    }

    if (node) {
        check_string(c, node, "id", id, sizeof(id));
        item->done = 1;

    } else {
        check_string(c, c->json.nodes, "item_id", id, sizeof(id));
    }

    if (strcmp(id, item->id) != 0 && (node || id[0])) {
        wrong(c, "another item");
    }

    if (!node) {
        check_text(c, item, type);
    }
}


/* what is not escaped adds up byte by byte */

static void
check_text(stream_check_t *c, stream_item_t *item, char *type)
{
    size_t                len;
    ngx_uint_t            i;
    ngx_ors_json_node_t  *node;

    static const char  *fields[] = {
        "text", "refusal", "arguments", "input", "code"
    };

    len = strlen(type);

    if (len > 10 && strcmp(type + len - 10, "part.added") == 0) {
        item->len = 0;

        node = check_get(c, check_get(c, c->json.nodes, "part"), "text");

        if (node) {
            check_add(c, item, node);
        }

        return;
    }

    if (len > 6 && strcmp(type + len - 6, ".delta") == 0) {
        node = check_get(c, c->json.nodes, "delta");

        if (node) {
            check_add(c, item, node);
        }

        return;
    }

    /* the tolerant profiles let it pass that a text begins as it likes */

    if (!(c->a->policy.profile & NGX_ORS_IN_STRICT)) {
        return;
    }

    for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        node = check_get(c, c->json.nodes, fields[i]);

        /* a text without any delta may be given by some */

        if (node == NULL || node->escaped || item->len > STREAM_TEXT
            || item->len == 0)
        {
            continue;
        }

        if (node->len != item->len
            || memcmp(ngx_ors_json_text(&c->json, node), item->text,
                      item->len) != 0)
        {
            wrong(c, "the text is not the sum of its deltas");
        }
    }
}


static void
check_add(stream_check_t *c, stream_item_t *item, ngx_ors_json_node_t *node)
{
    if (node->type != ngx_ors_json_string) {
        return;
    }

    if (node->escaped || item->len + node->len > STREAM_TEXT) {
        item->len = STREAM_TEXT + 1;
        return;
    }

    memcpy(item->text + item->len, ngx_ors_json_text(&c->json, node),
           node->len);
    item->len += node->len;
}


static void
check_chunk(stream_check_t *c, u_char *p, u_char *last)
{
    char                  code[64];
    ngx_ors_json_node_t  *node;

    if (last - p < 7 || memcmp(p, "data: {", 7) != 0
        || memchr(p, LF, last - p) != NULL
        || ngx_ors_json_read(&c->json, p + 6, last - p - 6) != NGX_OK)
    {
        wrong(c, "a bad chunk");
        return;
    }

    c->events++;

    if (c->digest[0]) {
        wrong(c, "a chunk after an error");
    }

    node = check_get(c, c->json.nodes, "error");

    if (node) {
        check_valid(c, &ngx_ors_fields_error);
        check_string(c, node, "code", code, sizeof(code));
        check_put(c, "error");
        check_put(c, code);
        return;
    }

    check_valid(c, &ngx_ors_fields_chat_chunk);
}


/* as it is: nothing of it may need to be repaired */

static void
check_valid(stream_check_t *c, const ngx_ors_shape_t *shape)
{
    ngx_ors_error_t     err;
    ngx_ors_validate_t  v;

    memset(&v, 0, sizeof(ngx_ors_validate_t));

    v.json = &c->json;
    v.policy = &c->a->policy;
    v.root = "it";
    v.pool = c->pool;
    v.err = &err;

    if (ngx_ors_validate(&v, c->json.nodes, shape, NULL) != NGX_OK) {
        snprintf(c->wrong, sizeof(c->wrong), "not valid: %.*s",
                 (int) err.message.len, err.message.data);
    }
}


static void
check_refusal(stream_check_t *c)
{
    char                  text[64];
    ngx_ors_json_node_t  *node;

    if (ngx_ors_json_read(&c->json, c->a->text, c->a->size) != NGX_OK) {
        wrong(c, "the error is not JSON");
        return;
    }

    check_valid(c, &ngx_ors_fields_error);

    node = check_get(c, c->json.nodes, "error");

    if (node) {
        snprintf(text, sizeof(text), "%d", (int) c->a->verify.status);
        check_put(c, text);
        check_string(c, node, "code", text, sizeof(text));
        check_put(c, text);
    }
}


static ngx_ors_json_node_t *
check_get(stream_check_t *c, ngx_ors_json_node_t *object, const char *name)
{
    ngx_ors_json_node_t  *node;

    node = ngx_ors_json_get(&c->json, object, (u_char *) name, strlen(name));

    return (node && node->type != ngx_ors_json_null) ? node : NULL;
}


static void
check_string(stream_check_t *c, ngx_ors_json_node_t *object,
    const char *name, char *buf, size_t size)
{
    u_char               *text, *end;
    ngx_ors_json_node_t  *node;

    buf[0] = '\0';
    node = check_get(c, object, name);

    if (node == NULL || node->type != ngx_ors_json_string) {
        return;
    }

    text = malloc(node->len + 1);

    if (text == NULL) {
        abort();
    }

    end = ngx_ors_json_decode(&c->json, node, text);
    *end = '\0';

    snprintf(buf, size, "%s", (char *) text);
    free(text);
}


static int64_t
check_int(stream_check_t *c, const char *name)
{
    int64_t               n;
    ngx_ors_json_node_t  *node;

    node = check_get(c, c->json.nodes, name);

    if (node == NULL || ngx_ors_json_integer(&c->json, node, &n) != NGX_OK) {
        return -1;
    }

    return n;
}


static void
check_put(stream_check_t *c, const char *text)
{
    size_t  len;

    len = strlen(c->digest);

    snprintf(c->digest + len, sizeof(c->digest) - len, "%s%s",
             len ? " " : "", text);
}


/* the first thing counts */

static void
wrong(stream_check_t *c, const char *what)
{
    if (c->wrong[0] == '\0') {
        snprintf(c->wrong, sizeof(c->wrong), "%s (event %d)", what,
                 (int) c->events);
    }
}
