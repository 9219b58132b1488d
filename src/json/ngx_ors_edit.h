
/*
 * Edits: a document that is sent on with a few places changed.  What is not
 * changed keeps its bytes.
 */


#ifndef _NGX_ORS_EDIT_H_INCLUDED_
#define _NGX_ORS_EDIT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_json.h>
#include <ngx_ors_text.h>


typedef struct {
    uint32_t          pos;        /* offset in the document's text */
    uint32_t          len;        /* bytes that go away, may be 0 */
    uint32_t          n;          /* edits that were added earlier */
    uint32_t          size;       /* of the text in their place, raw JSON */
    u_char           *text;
} ngx_ors_edit_t;


typedef struct {
    ngx_ors_edit_t   *elts;       /* in the order of "pos", unless "mixed" */
    ngx_uint_t        n;
    ngx_uint_t        nalloc;
    ngx_pool_t       *pool;
    unsigned          mixed:1;    /* to be sorted before it is used */
} ngx_ors_edits_t;

/* Empties the list; the next document uses its memory. */
#define ngx_ors_edits_clear(edits)                                            \
    ((edits)->n = 0, (edits)->mixed = 0)


/*
 * Members of a JSON object by pointers to them (RFC 6901): "/a/b" is member
 * "b" of the object that is member "a".  Pointers into one object share it.
 */


/* names in one pointer */
#define NGX_ORS_POINTER_DEPTH  16


typedef struct ngx_ors_pointer_s  ngx_ors_pointer_t;


/* zeroed memory is the root of an object without members */

struct ngx_ors_pointer_s {
    ngx_str_t             name;       /* plain text */
    ngx_str_t             value;      /* JSON; empty: the object of "first" */
    ngx_uint_t            missing;    /* the value is only for a member that */
                                      /* is not there, or null */
    void                 *data;       /* of the value, the caller's to set */
    ngx_ors_pointer_t    *first;
    ngx_ors_pointer_t    *next;
};


/* Appends the value of a member whose "data" is set.  NGX_OK or NGX_ERROR. */
typedef ngx_int_t (*ngx_ors_pointer_pt)(void *data, ngx_ors_pointer_t *node,
    ngx_ors_out_t *out);


/* members that are set in a document */

typedef struct {
    ngx_ors_json_t       *json;
    ngx_ors_edits_t      *edits;
    ngx_ors_pointer_pt    value;
    void                 *data;       /* for "value" */
    ngx_pool_t           *pool;       /* of the texts */
} ngx_ors_pointer_set_t;


/* Prepares an empty list; its memory comes from "pool". */
void ngx_ors_edits_init(ngx_ors_edits_t *edits, ngx_pool_t *pool);

/*
 * Adds an edit; of two at the same place the first one stays the first.
 * Edits must not overlap, except that a later one is dropped when an earlier
 * one takes away the bytes around it.  "text" may be NULL: nothing comes in
 * their place; its bytes are borrowed until the document is written.
 *
 * NGX_OK, or NGX_ERROR: no memory
 */
ngx_int_t ngx_ors_edits_add(ngx_ors_edits_t *edits, size_t pos, size_t len,
    ngx_str_t *text);

/*
 * Adds an edit that replaces the whole value "node", of a string the quotes,
 * too.  Return codes are those of ngx_ors_edits_add().
 */
ngx_int_t ngx_ors_edits_value(ngx_ors_edits_t *edits,
    ngx_ors_json_node_t *node, ngx_str_t *text);

/*
 * Returns the first edit that begins at "pos" or after it, the end of the list
 * if there is none.  Edits that follow it, up to edits->elts + edits->n, are in
 * the order of "pos".
 */
ngx_ors_edit_t *ngx_ors_edits_from(ngx_ors_edits_t *edits, size_t pos);

/*
 * Appends the text of "json" from offset "pos" up to "last" with the edits
 * that lie in it.  With "refer" long pieces are referred to (see
 * ngx_ors_out_ref()), else all is copied.
 */
void ngx_ors_edits_write(ngx_ors_edits_t *edits, ngx_ors_json_t *json,
    size_t pos, size_t last, ngx_uint_t refer, ngx_ors_out_t *out);


/*
 * Sets "place" to the offset of the bytes from "pos" to "last", counted from
 * the beginning of what ngx_ors_edits_write() appends when it begins at "from".
 *
 * NGX_OK, or NGX_DECLINED: an edit changes these bytes
 */
ngx_int_t ngx_ors_edits_place(ngx_ors_edits_t *edits, size_t from,
    size_t pos, size_t last, size_t *place);

/*
 * The number of bytes that ngx_ors_edits_write() appends for the text from
 * "pos" to "last", without an insertion at "last": a neighbor counts that one.
 */
size_t ngx_ors_edits_size(ngx_ors_edits_t *edits, size_t pos, size_t last);


/* Where the value "node" begins and ends, the quotes of a string included. */

static ngx_inline size_t
ngx_ors_edit_start(ngx_ors_json_node_t *node)
{
    return (size_t) node->pos - (node->type == ngx_ors_json_string);
}


static ngx_inline size_t
ngx_ors_edit_end(ngx_ors_json_node_t *node)
{
    return (size_t) node->pos + node->len
           + (node->type == ngx_ors_json_string);
}


/*
 * Puts "value", which is JSON and borrowed, where "pointer" says.  Nodes and
 * names come from "pool"; after anything but NGX_OK "root" may have members
 * without a value.
 *
 * NGX_OK         done; "*place", if that is not NULL, is the member
 * NGX_DECLINED   not a pointer: it does not begin with "/", has an empty
 *                name, a bad escape, or more than NGX_ORS_POINTER_DEPTH names
 * NGX_BUSY       there is a value at this place, above it or in it
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_pointer_add(ngx_ors_pointer_t *root, ngx_str_t *pointer,
    ngx_str_t *value, ngx_pool_t *pool, ngx_ors_pointer_t **place);

/*
 * Adds to set->edits what sets the members of "root" in "object" of the
 * document: members that are there get the value, others are appended, and what
 * stands in the way of an object is replaced by it (as in RFC 7396).
 * NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_ors_pointer_set(ngx_ors_pointer_set_t *set,
    ngx_ors_pointer_t *root, ngx_ors_json_node_t *object);

/* The member of "root" that is called "name", or NULL. */
ngx_ors_pointer_t *ngx_ors_pointer_find(ngx_ors_pointer_t *root,
    ngx_str_t *name);

/* Appends a member, its name and its value. */
void ngx_ors_pointer_put(ngx_ors_pointer_t *node, ngx_ors_out_t *out);


#endif /* _NGX_ORS_EDIT_H_INCLUDED_ */
