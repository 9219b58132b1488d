
/*
 * JSON reader: one pass over borrowed bytes makes a flat array of nodes.
 * Strings stay raw (escaped as they came), numbers stay text, and a value
 * of any size is skipped in one step.
 */


#ifndef _NGX_ORS_JSON_H_INCLUDED_
#define _NGX_ORS_JSON_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


#define NGX_ORS_JSON_MAX_DEPTH  1024


typedef enum {
    ngx_ors_json_null = 0,
    ngx_ors_json_false,
    ngx_ors_json_true,
    ngx_ors_json_number,
    ngx_ors_json_string,
    ngx_ors_json_array,
    ngx_ors_json_object
} ngx_ors_json_type_e;


typedef enum {
    ngx_ors_json_err_none = 0,
    ngx_ors_json_err_empty,       /* nothing but white space */
    ngx_ors_json_err_eof,         /* the text ends inside a value */
    ngx_ors_json_err_token,       /* a character that is not allowed here */
    ngx_ors_json_err_trailing,    /* text after the value */
    ngx_ors_json_err_control,     /* raw control character in a string */
    ngx_ors_json_err_escape,      /* bad escape in a string */
    ngx_ors_json_err_utf8,        /* not UTF-8 */
    ngx_ors_json_err_number,      /* bad number */
    ngx_ors_json_err_depth,       /* over the depth limit */
    ngx_ors_json_err_nodes,       /* over the node limit */
    ngx_ors_json_err_size,        /* 4 GB and more */
    ngx_ors_json_err_memory
} ngx_ors_json_err_e;


/*
 * Members of an object are pairs of nodes, the key (a string) and right
 * after it the value; "next" of a key is the next key.  "next" of an array
 * element is the next element.  The last sibling and the root have 0.  The
 * first child is the node after its container, if "count" is not 0.
 */

typedef struct {
    uint32_t      pos;            /* first byte; of a string, after the quote */
    uint32_t      len;            /* raw bytes; of a string, without quotes */
    uint32_t      next;           /* index of the next sibling */
    unsigned      count:26;       /* members or elements, capped at the top */
    unsigned      type:3;         /* ngx_ors_json_type_e */
    unsigned      escaped:1;      /* string with a backslash in it */
    unsigned      integer:1;      /* number without fraction and exponent */
    unsigned      ascii:1;        /* string of bytes below 0x80 only */
} ngx_ors_json_node_t;


typedef struct {
    u_char                *text;        /* borrowed */
    ngx_ors_json_node_t   *nodes;
    ngx_uint_t             n;           /* nodes in use */
    ngx_uint_t             root;        /* of the text that was read last */
    ngx_uint_t             nalloc;      /* nodes allocated */

    ngx_uint_t             max_depth;   /* set by the caller, see init */
    ngx_uint_t             max_nodes;
    ngx_pool_t            *pool;

    ngx_ors_json_err_e     error;
    size_t                 offset;      /* of the error, in bytes */
} ngx_ors_json_t;


/*
 * Prepares a document to be read any number of times.  Nodes come from
 * "pool" and stay for the next document.  "max_depth" counts containers
 * inside each other (1: no container in the outermost one) and is at most
 * NGX_ORS_JSON_MAX_DEPTH.
 */
void ngx_ors_json_init(ngx_ors_json_t *json, ngx_pool_t *pool,
    ngx_uint_t max_depth, ngx_uint_t max_nodes);

/*
 * Reads one JSON text (RFC 8259) of "len" bytes.  The bytes are borrowed and
 * must stay unchanged while the document is used.  The root is node 0.  An
 * escaped lone surrogate is legal, as in the RFC; a byte order mark is not.
 *
 * NGX_OK         the document is ready
 * NGX_DECLINED   "error" and "offset" say what is wrong and where
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_json_read(ngx_ors_json_t *json, u_char *text, size_t len);

/*
 * Reads one more text after those that have been read: its nodes follow
 * theirs, its root is node json->root.  json->text is this text then; nodes of
 * the others are those of a copy of "json" with their text, whose "nodes" are
 * set when all have been read.  Return codes are the same.
 */
ngx_int_t ngx_ors_json_append(ngx_ors_json_t *json, u_char *text, size_t len);

/*
 * Gives the pool back the nodes that no text needed, if nothing was allocated
 * after them.
 */
void ngx_ors_json_trim(ngx_ors_json_t *json);

/*
 * Reads a value at "p" into a "node" that is a string, or a number, and stays
 * one, without what follows it; "next" of the node is 0 afterwards.  Returns
 * its end, or NULL: there is no such value, json->error says why.
 */
u_char *ngx_ors_json_scalar(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    u_char *p, u_char *end);

/* A phrase for people for an error, static text. */
ngx_str_t *ngx_ors_json_strerror(ngx_ors_json_err_e error);

/*
 * Says why a text could not be read, with its limit or the byte, as the end
 * of a sentence: "is empty", "is not JSON: ...".  "buf" has room for
 * NGX_ORS_JSON_REASON bytes; returns the end, without a null byte.
 */
u_char *ngx_ors_json_reason(ngx_ors_json_t *json, u_char *buf);

#define NGX_ORS_JSON_REASON  128

/*
 * Functions that look into a document take NULL for a node: a value that is not
 * there has no members, no children and no text, and equals nothing.  So what
 * a lookup gave may be handed on without a check.
 */

/* of the names that a key is compared with, and as it may be escaped */
#define NGX_ORS_JSON_NAME_MAX  64
#define NGX_ORS_JSON_NAME_RAW  (NGX_ORS_JSON_NAME_MAX * 6)

/*
 * The value of member "name" of "object", or NULL if "object" is not an
 * object or has no such member.  Of a name that comes twice the last one
 * counts, as in most readers.  An escaped key is compared decoded.
 */
ngx_ors_json_node_t *ngx_ors_json_get(ngx_ors_json_t *json,
    ngx_ors_json_node_t *object, u_char *name, size_t len);

#define ngx_ors_json_find(json, object, name)                                 \
    ngx_ors_json_get(json, object, (u_char *) name, sizeof(name) - 1)

/*
 * The values of several members of "object" in one walk: "names" ends with an
 * empty one, "values" has a place for each of the others.  A member that is
 * absent or null is NULL, and so are all of them if "object" is no object.
 */
void ngx_ors_json_members(ngx_ors_json_t *json, ngx_ors_json_node_t *object,
    const ngx_str_t *names, ngx_ors_json_node_t **values);

/*
 * Returns the one of "names" that "key" is, or the empty one at their end.
 * "names" is a list as above, with at most NGX_ORS_JSON_NAME_MAX bytes each.
 */
const ngx_str_t *ngx_ors_json_name(ngx_ors_json_t *json,
    ngx_ors_json_node_t *key, const ngx_str_t *names);

/* First child (of an object: its first key) and next sibling, or NULL. */
#define ngx_ors_json_first(json, node)  ngx_ors_json_child(node)
#define ngx_ors_json_next(json, node)                                         \
    ((node)->next ? &(json)->nodes[(node)->next] : NULL)

/* the head of a loop over the children of "parent", which may be NULL */
#define ngx_ors_json_each(child, json, parent)                                \
    for (child = ngx_ors_json_first(json, parent);                            \
         child;                                                               \
         child = ngx_ors_json_next(json, child))

static ngx_inline ngx_ors_json_node_t *
ngx_ors_json_child(ngx_ors_json_node_t *node)
{
    return (node && node->count) ? node + 1 : NULL;
}


/* Members or elements of a node, 0 of what is no container. */

static ngx_inline ngx_uint_t
ngx_ors_json_count(ngx_ors_json_node_t *node)
{
    return node ? node->count : 0;
}


/* First raw byte of a node; a string's after its quote. */
#define ngx_ors_json_text(json, node)  ((json)->text + (node)->pos)

/* 1 if string "node" with escapes, decoded, equals the "len" bytes at "s". */
ngx_uint_t ngx_ors_json_equal_escaped(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, u_char *s, size_t len);


/* 1 if "node" is a string and, decoded, equals the "len" bytes at "s". */

static ngx_inline ngx_uint_t
ngx_ors_json_equal(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    u_char *s, size_t len)
{
    if (node == NULL || node->type != ngx_ors_json_string) {
        return 0;
    }

    if (node->escaped) {
        return ngx_ors_json_equal_escaped(json, node, s, len);
    }

    return node->len == len
           && ngx_memcmp(ngx_ors_json_text(json, node), s, len) == 0;
}


#define ngx_ors_json_is(json, node, text)                                     \
    ngx_ors_json_equal(json, node, (u_char *) text, sizeof(text) - 1)

/* The raw text of "node" as a string: contents of a string, else all. */

static ngx_inline void
ngx_ors_json_raw(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_str_t *raw)
{
    if (node == NULL) {
        ngx_str_null(raw);
        return;
    }

    raw->data = ngx_ors_json_text(json, node);
    raw->len = node->len;
}


/* The contents of a string, nothing of others: they fit in a string. */

static ngx_inline void
ngx_ors_json_inner(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_str_t *raw)
{
    ngx_ors_json_raw(json, (node && node->type == ngx_ors_json_string)
                           ? node : NULL, raw);
}


/* Length of string "node", decoded, in code points (a pair counts once). */
size_t ngx_ors_json_length(ngx_ors_json_t *json, ngx_ors_json_node_t *node);

/*
 * Decodes string "node" into "dst", which has room for node->len bytes;
 * returns the end.  A lone surrogate becomes U+FFFD, so that the result is
 * UTF-8.
 */
u_char *ngx_ors_json_decode(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    u_char *dst);

/*
 * Reads one escape, which is whole and legal, into a unit of UTF-16; returns
 * its end.
 */
u_char *ngx_ors_json_unit(u_char *p, uint32_t *code);

/* Writes a code as UTF-8, half of a pair as any other; returns the end. */
u_char *ngx_ors_json_utf8(u_char *dst, uint32_t code);

/* half of a pair; the two halves in their order, and the code of both */
#define ngx_ors_json_surrogate(code)  (((code) & 0xfffff800) == 0xd800)
#define ngx_ors_json_pair(high, low)                                          \
    (((high) & 0xfffffc00) == 0xd800 && ((low) & 0xfffffc00) == 0xdc00)
#define ngx_ors_json_joined(high, low)                                        \
    (0x10000 + (((high) & 0x3ff) << 10 | ((low) & 0x3ff)))

/*
 * The text of string "node", decoded, in memory of "pool".  What is no string
 * has an empty text.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_json_copy(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_pool_t *pool, ngx_str_t *text);

/*
 * The text of ngx_ors_json_raw(), decoded: from "pool" if "node" has escapes,
 * else borrowed.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_json_decoded(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_pool_t *pool, ngx_str_t *text);

/*
 * The value of a number with zero fraction ("16", "16.0", "1e2").
 *
 * NGX_OK         "*value" is set
 * NGX_DECLINED   not a number or not whole: "*value" is 0; or outside of
 *                int64_t: "*value" is the end of it that is nearer
 */
ngx_int_t ngx_ors_json_integer(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, int64_t *value);


#endif /* _NGX_ORS_JSON_H_INCLUDED_ */
