
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The JSON reader.  All of its forms agree, a text after one that is like it
 * has the nodes that it has alone, nodes lie inside each other,
 * what is written from them reads as the same tree, decoded text is UTF-8;
 * an error is at the first byte that makes the text wrong.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_json_again.h>
#include "../unit/json/json_level.h"

#include <stdlib.h>


#define JSON_FUZZ_NODES      100000


int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

static void json_fuzz_alike(ngx_ors_json_t *a, ngx_ors_json_t *b);
static void json_fuzz_again(ngx_ors_json_t *json, const uint8_t *input,
    size_t size);
static void json_fuzz_limits(ngx_ors_json_t *json, u_char *text, size_t len);
static void json_fuzz_error(ngx_ors_json_t *json, u_char *text, size_t len);
static void json_fuzz_tree(ngx_ors_json_t *json, size_t len);
static ngx_uint_t json_fuzz_node(ngx_ors_json_t *json, ngx_uint_t i,
    size_t from, size_t to);
static void json_fuzz_string(ngx_ors_json_t *json, ngx_ors_json_node_t *node);
static size_t json_fuzz_utf8(u_char *p, u_char *last);
static u_char *json_fuzz_write(ngx_ors_json_t *json, ngx_uint_t i,
    u_char *dst);
static void json_fuzz_same(ngx_ors_json_t *a, ngx_ors_json_t *b);
static u_char *json_fuzz_copy(const void *data, size_t len);
static void json_fuzz_check(ngx_uint_t cond);


int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    u_char          *text;
    ngx_int_t        rc;
    ngx_pool_t      *pool;
    ngx_ors_json_t   json, other;

    pool = ngx_ors_test_pool();
    text = json_fuzz_copy(input, size);

    ngx_ors_json_init(&json, pool, NGX_ORS_JSON_MAX_DEPTH, JSON_FUZZ_NODES);
    ngx_ors_json_init(&other, pool, NGX_ORS_JSON_MAX_DEPTH, JSON_FUZZ_NODES);

    rc = ngx_ors_json_read(&json, text, size);

    json_fuzz_check(json_level1_read(&other, text, size) == rc);
    json_fuzz_alike(&json, &other);

    json_fuzz_check(json_level0_read(&other, text, size) == rc);
    json_fuzz_alike(&json, &other);

    if (rc == NGX_OK) {
        json_fuzz_tree(&json, size);

    } else {
        json_fuzz_error(&json, text, size);
    }

    json_fuzz_limits(&other, text, size);
    json_fuzz_again(&json, input, size);

    free(text);
    ngx_destroy_pool(pool);

    return 0;
}


/* nodes that two forms of the reader made of one text */

static void
json_fuzz_alike(ngx_ors_json_t *a, ngx_ors_json_t *b)
{
    json_fuzz_check(a->error == b->error);
    json_fuzz_check(a->offset == b->offset);
    json_fuzz_check(a->n == b->n);
    json_fuzz_check(a->n == 0
                    || ngx_memcmp(a->nodes, b->nodes,
                                  a->n * sizeof(ngx_ors_json_node_t)) == 0);
}


/* both halves of a text that a NUL parts */

static void
json_fuzz_again(ngx_ors_json_t *json, const uint8_t *input, size_t size)
{
    u_char               *text;
    size_t                len;
    ngx_int_t             rc;
    const uint8_t        *part, *end;
    ngx_ors_json_t        other;
    ngx_ors_json_last_t   last;

    end = memchr(input, 0, size);

    if (end == NULL) {
        return;
    }

    ngx_ors_json_init(&other, json->pool, json->max_depth, json->max_nodes);
    ngx_memzero(&last, sizeof(ngx_ors_json_last_t));

    part = input;
    len = end - input;

    for ( ;; ) {
        text = json_fuzz_copy(part, len);

        rc = ngx_ors_json_read(json, text, len);
        json_fuzz_check(ngx_ors_json_again(&other, &last, text, len) == rc);
        json_fuzz_alike(json, &other);

        free(text);

        if (part != input) {
            return;
        }

        part = end + 1;
        len = input + size - part;
    }
}


/* limits change the result only if they are met first */

static void
json_fuzz_limits(ngx_ors_json_t *json, u_char *text, size_t len)
{
    size_t               offset;
    ngx_ors_json_err_e   error;

    error = json->error;
    offset = json->offset;

    json->max_depth = 3;
    json->max_nodes = 20;

    if (ngx_ors_json_read(json, text, len) == NGX_OK) {
        json_fuzz_check(error == ngx_ors_json_err_none);
        json_fuzz_check(json->n <= 20);
        return;
    }

    if (json->error == ngx_ors_json_err_depth
        || json->error == ngx_ors_json_err_nodes)
    {
        json_fuzz_check(error == ngx_ors_json_err_none
                        || json->offset <= offset);
        return;
    }

    json_fuzz_check(json->error == error && json->offset == offset);
}


static void
json_fuzz_error(ngx_ors_json_t *json, u_char *text, size_t len)
{
    u_char              *copy;
    size_t               offset;
    ngx_int_t            rc;
    ngx_ors_json_err_e   error;

    error = json->error;
    offset = json->offset;

    json_fuzz_check(error != ngx_ors_json_err_none);
    json_fuzz_check(error != ngx_ors_json_err_memory);
    json_fuzz_check(json->n == 0 && offset <= len);

    if (error == ngx_ors_json_err_empty || error == ngx_ors_json_err_eof) {
        json_fuzz_check(offset == len);
        return;
    }

    /* up to there the text could have become a legal one */

    copy = json_fuzz_copy(text, offset);
    rc = ngx_ors_json_read(json, copy, offset);
    free(copy);

    json_fuzz_check(rc == NGX_OK || json->error == ngx_ors_json_err_eof
                    || json->error == ngx_ors_json_err_empty);

    if (error == ngx_ors_json_err_escape || error == ngx_ors_json_err_utf8) {
        return;
    }

    /* and with that one byte it cannot */

    copy = json_fuzz_copy(text, offset + 1);
    rc = ngx_ors_json_read(json, copy, offset + 1);
    free(copy);

    json_fuzz_check(rc == NGX_DECLINED && json->error == error
                    && json->offset == offset);
}


static void
json_fuzz_tree(ngx_ors_json_t *json, size_t len)
{
    u_char          *text, *copy, *last;
    ngx_ors_json_t   again;

    json_fuzz_check(json_fuzz_node(json, 0, 0, len) == json->n);

    text = malloc(len + 1);
    last = json_fuzz_write(json, 0, text);
    json_fuzz_check((size_t) (last - text) <= len);

    copy = json_fuzz_copy(text, last - text);

    ngx_ors_json_init(&again, json->pool, json->max_depth, json->max_nodes);

    json_fuzz_check(ngx_ors_json_read(&again, copy, last - text) == NGX_OK);
    json_fuzz_same(json, &again);

    free(copy);
    free(text);
}


/* checks the node and what is inside, returns the index after it */

static ngx_uint_t
json_fuzz_node(ngx_ors_json_t *json, ngx_uint_t i, size_t from, size_t to)
{
    size_t                end;
    int64_t               value;
    ngx_uint_t            first, n, next, object;
    ngx_ors_json_node_t  *node;

    json_fuzz_check(i < json->n);

    node = &json->nodes[i];
    end = (size_t) node->pos + node->len;

    json_fuzz_check(node->pos >= from && end <= to);

    if (node->type == ngx_ors_json_string) {
        json_fuzz_check(node->pos > from && json->text[node->pos - 1] == '"');
        json_fuzz_check(end < to && json->text[end] == '"');
        json_fuzz_string(json, node);
    }

    if (node->type == ngx_ors_json_number) {
        (void) ngx_ors_json_integer(json, node, &value);
    }

    if (node->type < ngx_ors_json_array) {
        json_fuzz_check(node->count == 0);
        return i + 1;
    }

    object = (node->type == ngx_ors_json_object);
    from = node->pos + 1;
    next = i + 1;

    json_fuzz_check(json->text[node->pos] == (object ? '{' : '['));
    json_fuzz_check(json->text[end - 1] == (object ? '}' : ']'));

    for (n = 0; n < node->count; n++) {
        first = next;

        if (object) {
            json_fuzz_check(json->nodes[first].type == ngx_ors_json_string);
            next = json_fuzz_node(json, first, from, end - 1);
            from = json->nodes[first].pos + json->nodes[first].len + 1;
        }

        i = next;
        next = json_fuzz_node(json, i, from, end - 1);
        from = json->nodes[i].pos + json->nodes[i].len
               + (json->nodes[i].type == ngx_ors_json_string);

        json_fuzz_check(json->nodes[first].next
                        == ((n + 1 < node->count) ? next : 0));
        json_fuzz_check(i == first || json->nodes[i].next == 0);
    }

    return next;
}


static void
json_fuzz_string(ngx_ors_json_t *json, ngx_ors_json_node_t *node)
{
    u_char      *p, *dst, *last;
    ngx_uint_t   ascii, escaped;

    ascii = 1;
    escaped = 0;

    for (p = ngx_ors_json_text(json, node);
         p < ngx_ors_json_text(json, node) + node->len;
         p++)
    {
        ascii = ascii && *p < 0x80;
        escaped = escaped || *p == '\\';
    }

    json_fuzz_check(node->ascii == ascii && node->escaped == escaped);

    dst = malloc(node->len + 1);
    last = ngx_ors_json_decode(json, node, dst);

    json_fuzz_check((size_t) (last - dst) <= node->len);
    json_fuzz_check(json_fuzz_utf8(dst, last)
                    == ngx_ors_json_length(json, node));
    json_fuzz_check(ngx_ors_json_equal(json, node, dst, last - dst));

    *last = 'a';
    json_fuzz_check(!ngx_ors_json_equal(json, node, dst, last - dst + 1));

    free(dst);
}


/* the number of characters; by their values, not by tables of bytes */

static size_t
json_fuzz_utf8(u_char *p, u_char *last)
{
    size_t      chars;
    uint32_t    code;
    ngx_uint_t  i, n;

    static const uint32_t  least[] = { 0, 0x80, 0x800, 0x10000 };

    for (chars = 0; p < last; chars++) {

        if (*p < 0x80) {
            p++;
            continue;
        }

        json_fuzz_check(*p >= 0xc0 && *p < 0xf8);

        n = (*p >= 0xf0) ? 3 : (*p >= 0xe0) ? 2 : 1;
        json_fuzz_check((size_t) (last - p) > n);

        code = *p++ & (0x3f >> n);

        for (i = 0; i < n; i++, p++) {
            json_fuzz_check((*p & 0xc0) == 0x80);
            code = code << 6 | (*p & 0x3f);
        }

        json_fuzz_check(code >= least[n] && code < 0x110000);
        json_fuzz_check(code < 0xd800 || code > 0xdfff);
    }

    return chars;
}


static u_char *
json_fuzz_write(ngx_ors_json_t *json, ngx_uint_t i, u_char *dst)
{
    ngx_str_t             raw;
    ngx_uint_t            object;
    ngx_ors_json_node_t  *node, *child;

    node = &json->nodes[i];

    if (node->type == ngx_ors_json_array
        || node->type == ngx_ors_json_object)
    {
        object = (node->type == ngx_ors_json_object);
        *dst++ = object ? '{' : '[';

        for (child = ngx_ors_json_first(json, node);
             child;
             child = ngx_ors_json_next(json, child))
        {
            dst = json_fuzz_write(json, child - json->nodes, dst);

            if (object) {
                *dst++ = ':';
                dst = json_fuzz_write(json, child + 1 - json->nodes, dst);
            }

            if (child->next) {
                *dst++ = ',';
            }
        }

        *dst++ = object ? '}' : ']';

        return dst;
    }

    ngx_ors_json_raw(json, node, &raw);

    if (node->type == ngx_ors_json_string) {
        *dst++ = '"';
        dst = ngx_cpymem(dst, raw.data, raw.len);
        *dst++ = '"';

        return dst;
    }

    return ngx_cpymem(dst, raw.data, raw.len);
}


/* the same nodes; only places and lengths of containers may differ */

static void
json_fuzz_same(ngx_ors_json_t *a, ngx_ors_json_t *b)
{
    ngx_uint_t            i;
    ngx_ors_json_node_t  *m, *n;

    json_fuzz_check(a->n == b->n);

    for (i = 0; i < a->n; i++) {
        m = &a->nodes[i];
        n = &b->nodes[i];

        json_fuzz_check(m->type == n->type && m->next == n->next
                        && m->count == n->count && m->escaped == n->escaped
                        && m->integer == n->integer && m->ascii == n->ascii);

        if (m->type < ngx_ors_json_array) {
            json_fuzz_check(m->len == n->len
                            && ngx_memcmp(ngx_ors_json_text(a, m),
                                          ngx_ors_json_text(b, n), m->len)
                               == 0);
        }
    }
}


/* exactly sized, for the sanitizer */

static u_char *
json_fuzz_copy(const void *data, size_t len)
{
    u_char  *copy;

    copy = malloc(len);

    if (copy == NULL) {
        abort();
    }

    if (len) {
        ngx_memcpy(copy, data, len);
    }

    return copy;
}


static void
json_fuzz_check(ngx_uint_t cond)
{
    if (!cond) {
        abort();
    }
}
