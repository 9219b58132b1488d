
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


static u_char *ngx_ors_json_read_value(ngx_ors_json_t *json, u_char *p,
    u_char *end);
static u_char *ngx_ors_json_read_key(ngx_ors_json_t *json, u_char *p,
    u_char *end);
static ngx_int_t ngx_ors_json_read_grow(ngx_ors_json_t *json, u_char *p,
    u_char *end);
static u_char *ngx_ors_json_read_string(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, u_char *p, u_char *end);
static u_char *ngx_ors_json_read_long(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, u_char *p, u_char *end);
#if (NGX_ORS_JSON_SSE2)
static u_char *ngx_ors_json_read_escaped(u_char *p, u_char *end);
static NGX_ORS_JSON_AVX2 u_char *ngx_ors_json_read_escaped_avx2(u_char *p,
    u_char *end);
#else
#define ngx_ors_json_read_escaped(p, end)  (p)
#endif
static uint64_t ngx_ors_json_read_tail(u_char *text, u_char *p, u_char *end);
static u_char *ngx_ors_json_read_escape(ngx_ors_json_t *json, u_char *p,
    u_char *end);
static u_char *ngx_ors_json_read_unicode(ngx_ors_json_t *json, u_char *p,
    u_char *end);
static u_char *ngx_ors_json_read_utf8(ngx_ors_json_t *json, u_char *p,
    u_char *end);
static u_char *ngx_ors_json_read_utf8_tail(ngx_ors_json_t *json, u_char *p,
    u_char *end);
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


static ngx_inline ngx_ors_json_node_t *
ngx_ors_json_read_add(ngx_ors_json_t *json, u_char *p, u_char *end)
{
    if (json->n >= json->nalloc || json->n >= json->max_nodes) {
        if (ngx_ors_json_read_grow(json, p, end) != NGX_OK) {
            return NULL;
        }
    }

    return &json->nodes[json->n++];
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


#if (NGX_ORS_JSON_SSE2)

/*
 * The bytes of a block where skipping must end, the first one counts.
 * "*carry" is 1 if the last byte before the block begins an escape, and then
 * the same of this block, or, where skipping ends, of the first of them.
 */

static ngx_inline uint64_t
ngx_ors_json_read_stop(ngx_ors_json_wide_t *w, uint64_t *carry)
{
    uint64_t  even, open, escaped, slash, stop;

    slash = w->slash & ~*carry;

    /*
     * Of the backslashes in a row the first, the third and so on begin an
     * escape.  Adding its first bit to a row clears it, which finds the rows
     * that begin at an even place.
     */

    even = slash & ~(slash << 1) & NGX_ORS_JSON_EVEN;
    even = slash & ~(slash + even);

    open = (even & NGX_ORS_JSON_EVEN) | (slash & ~even & ~NGX_ORS_JSON_EVEN);
    escaped = open << 1 | *carry;

    stop = (w->special & ~open & ~escaped) | (escaped & ~w->usual);

    /* an unusual escape is read from its backslash */

    *carry = stop ? (stop & (0 - stop) & escaped) != 0
                  : open >> (NGX_ORS_JSON_WIDE - 1);

    return stop;
}

#endif


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
    u_char  *p, *end;

    json->text = text;
    json->n = 0;
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

    json->n = 0;

    return (json->error == ngx_ors_json_err_memory) ? NGX_ERROR : NGX_DECLINED;
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
    ngx_uint_t            depth, object;
    ngx_ors_json_node_t  *node;

    cur = 0;
    last = 0;
    count = 0;
    depth = 0;
    object = 0;

    for ( ;; ) {

        if (object) {
            p = ngx_ors_json_read_key(json, p, end);
            if (p == NULL) {
                return NULL;
            }
        }

        node = ngx_ors_json_read_add(json, p, end);
        if (node == NULL) {
            return NULL;
        }

        ch = *p;

        if (ch == '"') {
            p = ngx_ors_json_read_string(json, node, p + 1, end);

        } else if (ch == '{' || ch == '[') {

            if (depth == json->max_depth) {
                return ngx_ors_json_read_fail(json, p, ngx_ors_json_err_depth);
            }

            depth++;
            object = (ch == '{');

            json->nodes[cur].len = count;

            ngx_ors_json_read_set(node, object ? ngx_ors_json_object
                                               : ngx_ors_json_array,
                                  p - json->text, 0);
            node->next = cur;

            cur = json->n - 1;
            count = 0;

            p = ngx_ors_json_read_space(p + 1, end);

            if (p == end) {
                return ngx_ors_json_read_unexpected(json, p, end);
            }

            if (*p != (object ? '}' : ']')) {
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

        /* what follows a value, and what follows a container it ends */

        for ( ;; ) {

            if (depth == 0) {
                return p;
            }

            p = ngx_ors_json_read_space(p, end);

            if (p == end) {
                return ngx_ors_json_read_unexpected(json, p, end);
            }

            if (*p == ',') {
                break;
            }

            if (*p != (object ? '}' : ']')) {
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

            object = (node->type == ngx_ors_json_object);
            count = node->len;
            last = cur - object;
            cur = parent;
            depth--;
        }

        p = ngx_ors_json_read_space(p + 1, end);

        if (p == end) {
            return ngx_ors_json_read_unexpected(json, p, end);
        }

        json->nodes[last].next = json->n;
        last = json->n;
        count++;
    }
}


/* reads a key and its colon, returns the first byte of the value */

static u_char *
ngx_ors_json_read_key(ngx_ors_json_t *json, u_char *p, u_char *end)
{
    ngx_ors_json_node_t  *node;

    if (*p != '"') {
        return ngx_ors_json_read_unexpected(json, p, end);
    }

    node = ngx_ors_json_read_add(json, p, end);
    if (node == NULL) {
        return NULL;
    }

    p = ngx_ors_json_read_string(json, node, p + 1, end);
    if (p == NULL) {
        return NULL;
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

        nalloc = (uint64_t) json->n * (end - json->text)
                 / (p - json->text + 1);
        nalloc = ngx_max(nalloc + nalloc / 16,
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
#if (NGX_ORS_JSON_SSE2)
    u_char      *last;
    ngx_uint_t   mask;

    if (end - p >= 16) {
        mask = ngx_ors_json_special16(p);

        if (mask) {
            last = p + ngx_ors_json_lowest(mask);

            if (*last == '"') {
                ngx_ors_json_read_set(node, ngx_ors_json_string, p - json->text,
                                      last - p);
                node->ascii = 1;

                return last + 1;
            }
        }
    }

#endif

    return ngx_ors_json_read_long(json, node, p, end);
}


static u_char *
ngx_ors_json_read_long(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    u_char *p, u_char *end)
{
    u_char      *last, *next, *start;
    uint64_t     mask;
    ngx_uint_t   ascii, escaped, more;

    start = p;
    ascii = 1;
    escaped = 0;
    more = 0;

    while (p < end) {

        if (more) {
            p = ngx_ors_json_read_escaped(p, end);
        }

        if (end - p >= NGX_ORS_JSON_BLOCK) {
            mask = ngx_ors_json_special(p);
            next = p + NGX_ORS_JSON_BLOCK;

        } else {
            mask = ngx_ors_json_read_tail(json->text, p, end);
            next = end;
        }

        while (mask) {
            last = p + ngx_ors_json_lowest(mask);

            if (*last == '"') {
                ngx_ors_json_read_set(node, ngx_ors_json_string,
                                      start - json->text, last - start);
                node->ascii = ascii;
                node->escaped = escaped;

                return last + 1;
            }

            if (*last == '\\') {
                /* others mostly follow */

                escaped = 1;
                more = 1;
                last = ngx_ors_json_read_escape(json, last, end);

            } else if (*last >= 0x80) {
                ascii = 0;
                more = 0;
                last = ngx_ors_json_read_utf8(json, last, end);

            } else {
                return ngx_ors_json_read_fail(json, last,
                                              ngx_ors_json_err_control);
            }

            if (last == NULL) {
                return NULL;
            }

            if (last >= next) {
                next = last;
                break;
            }

            /* the rest of the same block */

            mask &= ~(uint64_t) 0 << (last - p) * NGX_ORS_JSON_BITS;
        }

        p = next;
    }

    return ngx_ors_json_read_fail(json, end, ngx_ors_json_err_eof);
}


#if (NGX_ORS_JSON_SSE2)

/*
 * Skips plain text with usual escapes, returns the first byte of what is
 * neither.  Where the next escape is cannot be predicted, so that a branch
 * for each of them costs more than all else: there is none.
 */

static u_char *
ngx_ors_json_read_escaped(u_char *p, u_char *end)
{
    uint64_t             carry, stop;
    ngx_ors_json_wide_t  w;

    if (ngx_ors_json_has_avx2()) {
        return ngx_ors_json_read_escaped_avx2(p, end);
    }

    for (carry = 0; end - p >= NGX_ORS_JSON_WIDE; p += NGX_ORS_JSON_WIDE) {
        ngx_ors_json_wide(p, &w);

        stop = ngx_ors_json_read_stop(&w, &carry);

        if (stop) {
            return p + ngx_ors_json_lowest(stop) - carry;
        }
    }

    return p - carry;
}


static NGX_ORS_JSON_AVX2 u_char *
ngx_ors_json_read_escaped_avx2(u_char *p, u_char *end)
{
    uint64_t             carry, stop;
    ngx_ors_json_wide_t  w;

    for (carry = 0; end - p >= NGX_ORS_JSON_WIDE; p += NGX_ORS_JSON_WIDE) {
        ngx_ors_json_wide_avx2(p, &w);

        stop = ngx_ors_json_read_stop(&w, &carry);

        if (stop) {
            return p + ngx_ors_json_lowest(stop) - carry;
        }
    }

    return p - carry;
}

#endif


/* the mask of the last bytes of the text, less than a block of them */

static uint64_t
ngx_ors_json_read_tail(u_char *text, u_char *p, u_char *end)
{
    u_char  block[NGX_ORS_JSON_BLOCK];

    if (end - text >= NGX_ORS_JSON_BLOCK) {
        return ngx_ors_json_special(end - NGX_ORS_JSON_BLOCK)
               >> (NGX_ORS_JSON_BLOCK - (end - p)) * NGX_ORS_JSON_BITS;
    }

    ngx_memset(block, ' ', NGX_ORS_JSON_BLOCK);
    ngx_memcpy(block, p, end - p);

    return ngx_ors_json_special(block);
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


/* checks the run of characters above 0x7f that starts at "p" */

static u_char *
ngx_ors_json_read_utf8(ngx_ors_json_t *json, u_char *p, u_char *end)
{
    uint32_t  v, bits;

    while (end - p >= 4) {

        v = (uint32_t) p[0] | (uint32_t) p[1] << 8 | (uint32_t) p[2] << 16
            | (uint32_t) p[3] << 24;

        if ((v & 0x00c0c0f0) == 0x008080e0) {

            /* zero is overlong, 0x200d is a surrogate */

            bits = v & 0x200f;

            if (bits == 0 || bits == 0x200d) {
                return ngx_ors_json_read_fail(json, p, ngx_ors_json_err_utf8);
            }

            p += 3;

        } else if ((v & 0xc0e0) == 0x80c0 && (v & 0x1e)) {
            p += 2;

        } else if ((v & 0xc0c0c0f8) == 0x808080f0) {

            /* U+10000 to U+10FFFF by the top bits of 21 */

            bits = (v & 0x07) << 2 | (v >> 12 & 0x03);

            if (bits == 0 || bits > 16) {
                return ngx_ors_json_read_fail(json, p, ngx_ors_json_err_utf8);
            }

            p += 4;

        } else if (v & 0x80) {
            return ngx_ors_json_read_fail(json, p, ngx_ors_json_err_utf8);

        } else {
            return p;
        }
    }

    return ngx_ors_json_read_utf8_tail(json, p, end);
}


/* the same at the end of the text, where a character may be cut */

static u_char *
ngx_ors_json_read_utf8_tail(ngx_ors_json_t *json, u_char *p, u_char *end)
{
    u_char      *start, high, low;
    ngx_uint_t   n;

    while (p < end && *p >= 0x80) {

        start = p;
        low = 0x80;
        high = 0xbf;

        if (*p >= 0xc2 && *p <= 0xdf) {
            n = 1;

        } else if ((*p & 0xf0) == 0xe0) {
            n = 2;
            low = (*p == 0xe0) ? 0xa0 : 0x80;
            high = (*p == 0xed) ? 0x9f : 0xbf;

        } else if (*p >= 0xf0 && *p <= 0xf4) {
            n = 3;
            low = (*p == 0xf0) ? 0x90 : 0x80;
            high = (*p == 0xf4) ? 0x8f : 0xbf;

        } else {
            return ngx_ors_json_read_fail(json, start, ngx_ors_json_err_utf8);
        }

        for (p++; n; n--, p++) {

            if (p == end) {
                return ngx_ors_json_read_fail(json, end, ngx_ors_json_err_eof);
            }

            if (*p < low || *p > high) {
                return ngx_ors_json_read_fail(json, start,
                                              ngx_ors_json_err_utf8);
            }

            low = 0x80;
            high = 0xbf;
        }
    }

    return p;
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
#if (NGX_ORS_JSON_SSE2)
    __m128i     v, s;
    ngx_uint_t  mask;

    /* mostly one space, seldom anything but white space */

    if (end - p >= 2 && *p == ' ' && p[1] > ' ') {
        return p + 1;
    }

    while (end - p >= 16) {
        v = _mm_loadu_si128((__m128i *) p);

        s = _mm_cmpeq_epi8(v, _mm_set1_epi8(' '));
        s = _mm_or_si128(s, _mm_cmpeq_epi8(v, _mm_set1_epi8(LF)));
        s = _mm_or_si128(s, _mm_cmpeq_epi8(v, _mm_set1_epi8(CR)));
        s = _mm_or_si128(s, _mm_cmpeq_epi8(v, _mm_set1_epi8('\t')));

        mask = (ngx_uint_t) _mm_movemask_epi8(s) ^ 0xffff;

        if (mask) {
            return p + ngx_ors_json_lowest(mask);
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
