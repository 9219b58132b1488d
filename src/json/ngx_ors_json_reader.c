
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The reader itself: one pass over the text, a node for each value.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_json.h>
#include <ngx_ors_json_block.h>
#include <ngx_ors_utf8.h>


#define NGX_ORS_JSON_MAX_COUNT  ((1 << 26) - 1)

/*
 * The first allocation: a node for so many bytes, more of them in a short
 * document than in a long one, where text prevails
 */

#define NGX_ORS_JSON_NODE_SIZE  8
#define NGX_ORS_JSON_LONG_SIZE  64
#define NGX_ORS_JSON_MIN_ALLOC  16
#define NGX_ORS_JSON_MAX_ALLOC  1024

#define NGX_ORS_JSON_ESCAPE     1       /* may follow a backslash */
#define NGX_ORS_JSON_HEX        2
#define NGX_ORS_JSON_SPACE      4

#define ngx_ors_json_digit(ch)  ((u_char) ((ch) - '0') <= 9)


/* nodes that are allocated and not used */

typedef struct {
    ngx_ors_json_node_t  *next;
    ngx_ors_json_node_t  *last;
} ngx_ors_json_free_t;


static u_char *ngx_ors_json_read_value(ngx_ors_json_t *json, u_char *p,
    u_char *end);
static u_char *ngx_ors_json_read_key(ngx_ors_json_t *json,
    ngx_ors_json_free_t *nodes, u_char *p, u_char *end);
static void ngx_ors_json_read_free(ngx_ors_json_t *json,
    ngx_ors_json_free_t *nodes);
static ngx_int_t ngx_ors_json_read_grow(ngx_ors_json_t *json, u_char *p,
    u_char *end);
static u_char *ngx_ors_json_read_string(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, u_char *p, u_char *end);
static __attribute__((noinline)) u_char *ngx_ors_json_read_long(
    ngx_ors_json_t *json, ngx_ors_json_node_t *node, u_char *start, u_char *p,
    u_char *end);
static u_char *ngx_ors_json_read_rest(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, u_char *start, u_char *p, u_char *end);
static u_char *ngx_ors_json_read_escape(ngx_ors_json_t *json, u_char *p,
    u_char *end);
static u_char *ngx_ors_json_read_unicode(ngx_ors_json_t *json, u_char *p,
    u_char *end);
static u_char *ngx_ors_json_read_utf8(ngx_ors_json_t *json, u_char *p,
    u_char *last, u_char *end);
static u_char *ngx_ors_json_read_number(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, u_char *p, u_char *end);
static u_char *ngx_ors_json_read_digits(ngx_ors_json_t *json, u_char *p,
    u_char *end);
static u_char *ngx_ors_json_read_literal(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, u_char *p, u_char *end);
static u_char *ngx_ors_json_read_blank(u_char *p, u_char *end);
static u_char *ngx_ors_json_read_unexpected(ngx_ors_json_t *json, u_char *p,
    u_char *end);
static u_char *ngx_ors_json_read_fail(ngx_ors_json_t *json, u_char *p,
    ngx_ors_json_err_e error);


static const u_char  ngx_ors_json_class[256] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 4, 0, 0, 4, 0, 0,

    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,

                /*   ! " #   $ % & '   ( ) * +   , - . / */
    4, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1,

                /* 0 1 2 3   4 5 6 7   8 9 : ;   < = > ? */
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0,

                /* @ A B C   D E F G   H I J K   L M N O */
    0, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0,

                /* P Q R S   T U V W   X Y Z [   \ ] ^ _ */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,

                /* ` a b c   d e f g   h i j k   l m n o */
    0, 2, 3, 2, 2, 2, 3, 0, 0, 0, 0, 0, 0, 0, 1, 0,

                /* p q r s   t u v w   x y z {   | } ~   */
    0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
};


/* gets nodes if there is no next one; NGX_ERROR: also at a limit */

static ngx_inline ngx_int_t
ngx_ors_json_read_more(ngx_ors_json_t *json, ngx_ors_json_free_t *nodes,
    u_char *p, u_char *end)
{
    if (nodes->next < nodes->last) {
        return NGX_OK;
    }

    json->n = nodes->next - json->nodes;

    if (ngx_ors_json_read_grow(json, p, end) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_ors_json_read_free(json, nodes);

    return NGX_OK;
}


static ngx_inline void
ngx_ors_json_read_free(ngx_ors_json_t *json, ngx_ors_json_free_t *nodes)
{
    nodes->next = json->nodes + json->n;
    nodes->last = json->nodes + ngx_min(json->nalloc, json->max_nodes);
}


static ngx_inline void
ngx_ors_json_read_set(ngx_ors_json_node_t *node, ngx_uint_t type, uint32_t pos,
    uint32_t len)
{
    node->pos = pos;
    node->len = len;
    node->next = 0;
    node->count = 0;
    node->type = type;
    node->escaped = 0;
    node->integer = 0;
    node->ascii = 0;
}


static ngx_inline u_char *
ngx_ors_json_read_space(u_char *p, u_char *end)
{
    if (p < end && *p > ' ') {
        return p;
    }

    return ngx_ors_json_read_blank(p, end);
}


ngx_int_t
ngx_ors_json_read(ngx_ors_json_t *json, u_char *text, size_t len)
{
    json->n = 0;

    return ngx_ors_json_append(json, text, len);
}


ngx_int_t
ngx_ors_json_append(ngx_ors_json_t *json, u_char *text, size_t len)
{
    u_char  *p, *end;

    json->text = text;
    json->root = json->n;
    json->error = ngx_ors_json_err_none;
    json->offset = 0;

#if (NGX_PTR_SIZE == 8)

    if (len > 0xffffffff) {
        (void) ngx_ors_json_read_fail(json, text + 0xffffffff,
                                      ngx_ors_json_err_size);
        return NGX_DECLINED;
    }

#endif

    end = text + len;

    p = ngx_ors_json_read_space(text, end);

    if (p == end) {
        (void) ngx_ors_json_read_fail(json, p, ngx_ors_json_err_empty);
        return NGX_DECLINED;
    }

    p = ngx_ors_json_read_value(json, p, end);

    if (p != NULL) {
        p = ngx_ors_json_read_space(p, end);

        if (p == end) {
            return NGX_OK;
        }

        (void) ngx_ors_json_read_fail(json, p, ngx_ors_json_err_trailing);
    }

    json->n = json->root;

    return (json->error == ngx_ors_json_err_memory) ? NGX_ERROR : NGX_DECLINED;
}


u_char *
ngx_ors_json_scalar(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    u_char *p, u_char *end)
{
    if (node->type == ngx_ors_json_string) {

        if (p < end && *p == '"') {
            return ngx_ors_json_read_string(json, node, p + 1, end);
        }

    } else if (p < end && (ngx_ors_json_digit(*p) || *p == '-')) {
        return ngx_ors_json_read_number(json, node, p, end);
    }

    return ngx_ors_json_read_unexpected(json, p, end);
}


/*
 * Reads the value at "p", returns its end or NULL.  There is no stack: while
 * a container is open, its "next" is the container around it and, while one
 * inside it is open too, its "len" is the number of its children so far.
 */

static u_char *
ngx_ors_json_read_value(ngx_ors_json_t *json, u_char *p, u_char *end)
{
    u_char                ch;
    uint32_t              cur, last, count, parent;
    ngx_uint_t            depth, closing;
    ngx_ors_json_free_t   nodes;
    ngx_ors_json_node_t  *node;

    cur = (uint32_t) json->root;
    last = cur;
    count = 0;
    depth = 0;
    closing = 0;

    ngx_ors_json_read_free(json, &nodes);

    for ( ;; ) {

        if (closing == '}') {
            p = ngx_ors_json_read_key(json, &nodes, p, end);
            if (p == NULL) {
                return NULL;
            }
        }

        if (ngx_ors_json_read_more(json, &nodes, p, end) != NGX_OK) {
            return NULL;
        }

        node = nodes.next++;
        ch = *p;

        if (ch == '"') {
            p = ngx_ors_json_read_string(json, node, p + 1, end);

        } else if (ch == '{' || ch == '[') {

            if (depth == json->max_depth) {
                return ngx_ors_json_read_fail(json, p, ngx_ors_json_err_depth);
            }

            depth++;
            closing = ch + 2;

            json->nodes[cur].len = count;

            ngx_ors_json_read_set(node, (ch == '{') ? ngx_ors_json_object
                                                    : ngx_ors_json_array,
                                  p - json->text, 0);
            node->next = cur;

            cur = node - json->nodes;
            count = 0;

            p = ngx_ors_json_read_space(p + 1, end);

            if (p == end) {
                return ngx_ors_json_read_unexpected(json, p, end);
            }

            if (*p != closing) {
                count = 1;
                last = cur + 1;
                continue;
            }

        } else if (ngx_ors_json_digit(ch) || ch == '-') {
            p = ngx_ors_json_read_number(json, node, p, end);

        } else {
            p = ngx_ors_json_read_literal(json, node, p, end);
        }

        if (p == NULL) {
            return NULL;
        }

        /* text after a value, and after a container that it ends */

        for ( ;; ) {

            if (depth == 0) {
                json->n = nodes.next - json->nodes;
                return p;
            }

            p = ngx_ors_json_read_space(p, end);

            if (p == end) {
                return ngx_ors_json_read_unexpected(json, p, end);
            }

            if (*p == ',') {
                break;
            }

            if (*p != closing) {
                return ngx_ors_json_read_unexpected(json, p, end);
            }

            p++;

            node = &json->nodes[cur];
            parent = node->next;

            node->len = p - json->text - node->pos;
            node->next = 0;
            node->count = ngx_min(count, NGX_ORS_JSON_MAX_COUNT);

            /* back in the container around, whose last child this was */

            node = &json->nodes[parent];

            closing = json->text[node->pos] + 2;
            count = node->len;
            last = cur - (closing == '}');
            cur = parent;
            depth--;
        }

        p = ngx_ors_json_read_space(p + 1, end);

        if (p == end) {
            return ngx_ors_json_read_unexpected(json, p, end);
        }

        node = &json->nodes[last];

        last = nodes.next - json->nodes;
        node->next = last;
        count++;
    }
}


/* reads a key and its colon, returns the first byte of the value */

static ngx_inline u_char *
ngx_ors_json_read_key(ngx_ors_json_t *json, ngx_ors_json_free_t *nodes,
    u_char *p, u_char *end)
{
    ngx_ors_json_node_t  *node;

    if (*p != '"') {
        return ngx_ors_json_read_unexpected(json, p, end);
    }

    if (ngx_ors_json_read_more(json, nodes, p, end) != NGX_OK) {
        return NULL;
    }

    node = nodes->next++;

    p = ngx_ors_json_read_string(json, node, p + 1, end);
    if (p == NULL) {
        return NULL;
    }

    if (end - p >= 2 && *p == ':' && p[1] > ' ') {
        return p + 1;
    }

    p = ngx_ors_json_read_space(p, end);

    if (p == end || *p != ':') {
        return ngx_ors_json_read_unexpected(json, p, end);
    }

    p = ngx_ors_json_read_space(p + 1, end);

    if (p == end) {
        return ngx_ors_json_read_unexpected(json, p, end);
    }

    return p;
}


static ngx_int_t
ngx_ors_json_read_grow(ngx_ors_json_t *json, u_char *p, u_char *end)
{
    ngx_uint_t            nalloc;
    ngx_ors_json_node_t  *nodes;

    if (json->n >= json->max_nodes) {
        (void) ngx_ors_json_read_fail(json, p, ngx_ors_json_err_nodes);
        return NGX_DECLINED;
    }

    if (json->nalloc) {

        /* all, if the rest is like what has been read, or half as many more */

        nalloc = (uint64_t) (json->n - json->root) * (end - json->text)
                 / (p - json->text + 1);
        nalloc = ngx_max(json->root + nalloc + nalloc / 16,
                         json->nalloc + json->nalloc / 2);

    } else {
        nalloc = (end - json->text) / NGX_ORS_JSON_NODE_SIZE;
        nalloc = ngx_max(nalloc, NGX_ORS_JSON_MIN_ALLOC);
        nalloc = ngx_min(nalloc, NGX_ORS_JSON_MAX_ALLOC);
        nalloc = ngx_max(nalloc, (ngx_uint_t) (end - json->text)
                                 / NGX_ORS_JSON_LONG_SIZE);
    }

    nalloc = ngx_min(nalloc, json->max_nodes);

    nodes = ngx_palloc(json->pool, nalloc * sizeof(ngx_ors_json_node_t));
    if (nodes == NULL) {
        (void) ngx_ors_json_read_fail(json, p, ngx_ors_json_err_memory);
        return NGX_ERROR;
    }

    if (json->nodes) {
        ngx_memcpy(nodes, json->nodes, json->n * sizeof(ngx_ors_json_node_t));
        (void) ngx_pfree(json->pool, json->nodes);
    }

    json->nodes = nodes;
    json->nalloc = nalloc;

    return NGX_OK;
}


/* "p" is after the quote; most strings are short and plain */

static ngx_inline u_char *
ngx_ors_json_read_string(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    u_char *p, u_char *end)
{
    u_char    *last;
#if (NGX_ORS_VEC)
    uint64_t   mask;

    last = p;

    if (end - p >= NGX_ORS_JSON_PLAIN) {
        mask = ngx_ors_json_special(p);

        if (mask) {
            last = p + ngx_ors_vec_lowest(mask);

            if (*last == '"') {
                ngx_ors_json_read_set(node, ngx_ors_json_string, p - json->text,
                                      last - p);
                node->ascii = 1;

                return last + 1;
            }

        } else {
            last = p + NGX_ORS_JSON_PLAIN;
        }
    }

#else

    last = p;

#endif

    return ngx_ors_json_read_long(json, node, p, last, end);
}


/* reads on at "p", text from "start" to there is plain */

static u_char *
ngx_ors_json_read_long(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    u_char *start, u_char *p, u_char *end)
{
    p = ngx_ors_json_plain(p, json->text, end);

    if (p < end && *p == '"') {
        ngx_ors_json_read_set(node, ngx_ors_json_string, start - json->text,
                              p - start);
        node->ascii = 1;

        return p + 1;
    }

    return ngx_ors_json_read_rest(json, node, start, p, end);
}


/* reads on at "p", where the plain text ends that a string begins with */

static u_char *
ngx_ors_json_read_rest(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    u_char *start, u_char *p, u_char *end)
{
    u_char               *last;
    ngx_ors_json_seen_t   seen;

    seen.high = 0;
    seen.slash = 0;

    ngx_ors_json_read_set(node, ngx_ors_json_string, start - json->text, 0);
    node->ascii = 1;

    for ( ;; ) {
        last = ngx_ors_json_skip(p, json->text, end, &seen);

        if (seen.high) {
            node->ascii = 0;
            seen.high = 0;

            if (ngx_ors_json_read_utf8(json, p, last, end) == NULL) {
                return NULL;
            }
        }

        if (last == end) {
            return ngx_ors_json_read_fail(json, end, ngx_ors_json_err_eof);
        }

        if (*last == '"') {
            node->len = last - start;
            node->escaped = (seen.slash != 0);

            return last + 1;
        }

        if (*last != '\\') {
            return ngx_ors_json_read_fail(json, last,
                                          ngx_ors_json_err_control);
        }

        seen.slash = 1;

        for (p = last; p < end && *p == '\\'; /* void */ ) {
            p = ngx_ors_json_read_escape(json, p, end);

            if (p == NULL) {
                return NULL;
            }
        }
    }
}


/* checks the escape at "p", returns its end */

static ngx_inline u_char *
ngx_ors_json_read_escape(ngx_ors_json_t *json, u_char *p, u_char *end)
{
    u_char  *last;

    last = p + 1;

    if (last < end && ngx_ors_json_class[*last] & NGX_ORS_JSON_ESCAPE) {
        return last + 1;
    }

    return ngx_ors_json_read_unicode(json, p, end);
}


static u_char *
ngx_ors_json_read_unicode(ngx_ors_json_t *json, u_char *p, u_char *end)
{
    u_char      *last;
    ngx_uint_t   n;

    last = p + 1;

    if (last < end && *last != 'u') {
        return ngx_ors_json_read_fail(json, p, ngx_ors_json_err_escape);
    }

    for (n = 0; n < 5; n++, last++) {

        if (last == end) {
            return ngx_ors_json_read_fail(json, end, ngx_ors_json_err_eof);
        }

        if (n && !(ngx_ors_json_class[*last] & NGX_ORS_JSON_HEX)) {
            return ngx_ors_json_read_fail(json, p, ngx_ors_json_err_escape);
        }
    }

    return last;
}


/*
 * Checks the part of a string from "p" to "last", where it ends or goes on
 * with an escape, or where the text ends; returns "last".
 */

static u_char *
ngx_ors_json_read_utf8(ngx_ors_json_t *json, u_char *p, u_char *last,
    u_char *end)
{
    size_t  n;

    p += ngx_ors_utf8_valid(p, last - p);

    if (p == last) {
        return last;
    }

    if (ngx_ors_utf8_char(p, end, &n) == NGX_AGAIN) {
        return ngx_ors_json_read_fail(json, end, ngx_ors_json_err_eof);
    }

    return ngx_ors_json_read_fail(json, p, ngx_ors_json_err_utf8);
}


static u_char *
ngx_ors_json_read_number(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    u_char *p, u_char *end)
{
    u_char      *start;
    ngx_uint_t   integer;

    start = p;
    integer = 1;

    if (*p == '-') {
        p++;
    }

    if (end - p >= 2 && *p == '0' && ngx_ors_json_digit(p[1])) {
        return ngx_ors_json_read_fail(json, p + 1, ngx_ors_json_err_number);
    }

    p = ngx_ors_json_read_digits(json, p, end);

    if (p != NULL && p < end && *p == '.') {
        integer = 0;
        p = ngx_ors_json_read_digits(json, p + 1, end);
    }

    if (p != NULL && p < end && (*p == 'e' || *p == 'E')) {
        integer = 0;
        p++;

        if (p < end && (*p == '+' || *p == '-')) {
            p++;
        }

        p = ngx_ors_json_read_digits(json, p, end);
    }

    if (p != NULL) {
        ngx_ors_json_read_set(node, ngx_ors_json_number, start - json->text,
                              p - start);
        node->integer = integer;
    }

    return p;
}


/* one digit or more */

static ngx_inline u_char *
ngx_ors_json_read_digits(ngx_ors_json_t *json, u_char *p, u_char *end)
{
    if (p == end) {
        return ngx_ors_json_read_fail(json, end, ngx_ors_json_err_eof);
    }

    if (!ngx_ors_json_digit(*p)) {
        return ngx_ors_json_read_fail(json, p, ngx_ors_json_err_number);
    }

    do {
        p++;
    } while (p < end && ngx_ors_json_digit(*p));

    return p;
}


static u_char *
ngx_ors_json_read_literal(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    u_char *p, u_char *end)
{
    u_char               *start, *word;
    ngx_ors_json_type_e   type;

    start = p;

    switch (*p) {

    case 'n':
        type = ngx_ors_json_null;
        word = (u_char *) "null";
        break;

    case 't':
        type = ngx_ors_json_true;
        word = (u_char *) "true";
        break;

    case 'f':
        type = ngx_ors_json_false;
        word = (u_char *) "false";
        break;

    default:
        return ngx_ors_json_read_unexpected(json, p, end);
    }

    if (end - p >= 4 && ngx_memcmp(p, word, 4) == 0) {
        p += 4;
        word += 4;
    }

    while (*word) {

        if (p == end || *p != *word) {
            return ngx_ors_json_read_unexpected(json, p, end);
        }

        p++;
        word++;
    }

    ngx_ors_json_read_set(node, type, start - json->text, p - start);

    return p;
}


/* skips white space, in pretty printed text a long run of it */

static u_char *
ngx_ors_json_read_blank(u_char *p, u_char *end)
{
#if (NGX_ORS_VEC)
    uint64_t       mask;
    ngx_ors_vec_t  v, blank;

    /* mostly one space, seldom anything but white space */

    if (end - p >= 2 && *p == ' ' && p[1] > ' ') {
        return p + 1;
    }

    while (end - p >= 16) {
        v = ngx_ors_vec_load(p);

        blank = (ngx_ors_vec_t) (v == ' ') | (ngx_ors_vec_t) (v == LF)
                | (ngx_ors_vec_t) (v == CR) | (ngx_ors_vec_t) (v == '\t');

        mask = ngx_ors_vec_mask(~blank);

        if (mask) {
            return p + ngx_ors_vec_lowest(mask);
        }

        p += 16;
    }

#endif

    while (p < end && ngx_ors_json_class[*p] & NGX_ORS_JSON_SPACE) {
        p++;
    }

    return p;
}


static u_char *
ngx_ors_json_read_unexpected(ngx_ors_json_t *json, u_char *p, u_char *end)
{
    return ngx_ors_json_read_fail(json, p, (p == end)
                                           ? ngx_ors_json_err_eof
                                           : ngx_ors_json_err_token);
}


static u_char *
ngx_ors_json_read_fail(ngx_ors_json_t *json, u_char *p,
    ngx_ors_json_err_e error)
{
    json->error = error;
    json->offset = p - json->text;

    return NULL;
}
