
/*
 * Text that grows in blocks that never move: output refers to them, so that a
 * text is in memory once.
 */


#ifndef _NGX_ORS_TEXT_H_INCLUDED_
#define _NGX_ORS_TEXT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * Output under construction: text is appended to blocks, long text that
 * lives elsewhere is referred to.  What was appended is taken as a chain
 * of buffers, and the blocks come back once that chain has been sent.
 *
 * An allocation that fails is remembered in "failed"; appending then does
 * nothing, so that a caller checks once, when it takes the chain.
 */


/* a reference costs a buffer, several links and an iovec: short is copied */
#define NGX_ORS_OUT_REF_MIN  2048


typedef struct ngx_ors_out_block_s  ngx_ors_out_block_t;


typedef struct {
    u_char               *pos;        /* start of the piece being written */
    u_char               *last;       /* where the next byte goes */
    u_char               *end;        /* end of the current block */

    ngx_ors_out_block_t  *block;      /* the current block */
    ngx_ors_out_block_t  *free;       /* blocks to be used again */
    ngx_chain_t          *bufs;       /* links with buffers to be used again */

    ngx_chain_t          *head;       /* finished pieces not taken yet */
    ngx_chain_t         **tail;
    size_t                size;       /* bytes appended and not taken yet */

    size_t                block_size;
    ngx_pool_t           *pool;
    ngx_uint_t            pieces;     /* made and not recycled yet */
    ngx_pool_t           *extra;      /* blocks that can be freed, or NULL */
    ngx_ors_out_block_t  *first;      /* stays when those are */
    ngx_uint_t            mark;       /* of the frame that is appended, and */
    unsigned              messages:1; /* see ngx_ors_sse.h */
    unsigned              brief:1;    /* see ngx_ors_out_brief() */
    unsigned              bursts:1;   /* there are blocks of "extra" */
    unsigned              failed:1;
} ngx_ors_out_t;

/*
 * All blocks but the first are to be freed when one is enough again: for
 * output that begins with much, and goes on for long with little.
 */
#define ngx_ors_out_brief(out)  (out)->brief = 1


/* Appends a string literal. */
#define ngx_ors_out_lit(out, text)                                            \
    ngx_ors_out_copy(out, (u_char *) text, sizeof(text) - 1)

/* Appends a copy of an ngx_str_t. */
#define ngx_ors_out_str(out, str)                                             \
    ngx_ors_out_copy(out, (str)->data, (str)->len)


typedef struct ngx_ors_text_block_s  ngx_ors_text_block_t;


/* zeroed memory is an empty text */

typedef struct {
    ngx_ors_text_block_t  *head;
    ngx_ors_text_block_t  *tail;
    size_t                 len;
} ngx_ors_text_t;


/*
 * Decimal numbers without printf, two digits at a time.
 */


/* enough for any number of 64 bits, with its sign if it has one */
#define NGX_ORS_DECIMAL_LEN  20


/*
 * Padding: random letters after a text that is sent in pieces, so that what
 * an onlooker sees of an encrypted stream, the length of each piece, does not
 * reveal the words.
 */


/* a word with the frame around it nearly always fits into one step */
#define NGX_ORS_PAD_STEP  64


/*
 * Prepares "out".  Blocks have "block_size" bytes and are allocated from
 * "pool", the first one with the first byte appended.
 */
void ngx_ors_out_init(ngx_ors_out_t *out, ngx_pool_t *pool, size_t block_size);

/* Appends a copy of "len" bytes. */
void ngx_ors_out_copy_slow(ngx_ors_out_t *out, u_char *data, size_t len);

/*
 * Appends "len" bytes that stay where they are: they must live, unchanged,
 * until the chain they are taken with has been sent.  Short text is copied.
 */
void ngx_ors_out_ref(ngx_ors_out_t *out, u_char *data, size_t len);

/* Appends a decimal number. */
void ngx_ors_out_int(ngx_ors_out_t *out, int64_t n);

/*
 * Ends a buffer after what was appended last, if it was not taken yet: its
 * "num" is "mark", that of others is 0.
 */
void ngx_ors_out_mark(ngx_ors_out_t *out, ngx_uint_t mark);

/*
 * Gives everything appended since the last call as a chain, NULL if there
 * was nothing.  Links and buffers belong to "out": hand them back with
 * ngx_ors_out_recycle() or let the pool end them.  Each buffer's "start" is
 * its "pos", as nginx needs for sending a request body again.
 *
 * NGX_OK      "*chain" is set
 * NGX_ERROR   some allocation failed since ngx_ors_out_init()
 */
ngx_int_t ngx_ors_out_take(ngx_ors_out_t *out, ngx_chain_t **chain);

/*
 * As ngx_ors_out_take(), but gives one text, a copy from the pool of "out".
 * NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_out_text(ngx_ors_out_t *out, ngx_str_t *text);

/*
 * Takes back from the front of "*busy" what has been sent (buffers of size
 * zero), in the order it was taken; "*busy" is left with the rest.  There
 * must be no other links in it than those of ngx_ors_out_take().
 */
void ngx_ors_out_recycle(ngx_ors_out_t *out, ngx_chain_t **busy);

/*
 * Forgets everything appended since the last call of ngx_ors_out_take(); the
 * blocks are used again.  Return codes are those of ngx_ors_out_take().
 */
ngx_int_t ngx_ors_out_drop(ngx_ors_out_t *out);


static ngx_inline void
ngx_ors_out_copy(ngx_ors_out_t *out, u_char *data, size_t len)
{
    /* "len" of 0 takes the slow way: "data" may be NULL then */

    if (len - 1 >= (size_t) (out->end - out->last)) {
        ngx_ors_out_copy_slow(out, data, len);
        return;
    }

    out->last = ngx_cpymem(out->last, data, len);
    out->size += len;
}


/*
 * Appends a copy of "data"; blocks come from "pool" and live as long.
 *
 * NGX_OK      appended
 * NGX_ERROR   no memory, the text is as before
 */
ngx_int_t ngx_ors_text_append(ngx_ors_text_t *text, ngx_pool_t *pool,
    u_char *data, size_t len);

/* Appends the text to "out": long blocks by reference. */
void ngx_ors_text_put(ngx_ors_out_t *out, ngx_ors_text_t *text);

/* Copies the text to "dst", which has room for text->len bytes. */
u_char *ngx_ors_text_copy(u_char *dst, ngx_ors_text_t *text);

/*
 * Sets "copy", which may be "str", to a copy of "str" in memory of "pool".
 * NGX_OK or NGX_ERROR: no memory, "copy" is as before.
 */
ngx_int_t ngx_ors_str_copy(ngx_str_t *copy, ngx_pool_t *pool, ngx_str_t *str);

/*
 * Sets "str" to a text from "pool", formatted as by ngx_sprintf().  NGX_OK or
 * NGX_ERROR: no memory, "str" is as before.
 */
ngx_int_t ngx_ors_str_printf(ngx_str_t *str, ngx_pool_t *pool,
    const char *fmt, ...);

/*
 * A document that comes in pieces, gathered in one place.
 */


/*
 * Makes room for "size" bytes in all.  "g" is zeroed at first, and the same
 * buffer in later calls; its memory comes from "pool".  NGX_OK or NGX_ERROR: no
 * memory.
 */
ngx_int_t ngx_ors_gather_reserve(ngx_buf_t *g, size_t size, ngx_pool_t *pool);

/*
 * Takes what "b" has, and moves b->pos.
 *
 * NGX_OK         "g" has it
 * NGX_DECLINED   "g" would have more than "max" bytes; nothing was taken
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_gather(ngx_buf_t *g, ngx_buf_t *b, size_t max,
    ngx_pool_t *pool);

/*
 * Takes what "b" has up to "max" bytes in all; what is over is lost.  NGX_OK or
 * NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_gather_head(ngx_buf_t *g, ngx_buf_t *b, size_t max,
    ngx_pool_t *pool);


/*
 * 1 if a Content-Type is media type "name": parameters do not count, nor
 * does the case.
 */
ngx_uint_t ngx_ors_mime_is(ngx_str_t *type, char *name);

/*
 * 1, and notes the minute of the time "now" in memory that workers share, if
 * it is not there yet: for lines of the log that would come by the thousand.
 */
ngx_uint_t ngx_ors_minute(ngx_atomic_t *minute, time_t now);

/*
 * Arguments of a query string.
 */


/*
 * The argument "name" of "query", decoded, in memory of "pool".  Case does not
 * matter, as for nginx's own $arg_; of several the first counts.  value->data
 * is NULL without it.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_query_arg(ngx_str_t *query, const ngx_str_t *name,
    ngx_pool_t *pool, ngx_str_t *value);

/*
 * Writes "n" so that its last digit is in front of "last", and returns its
 * first digit.  The caller has room for NGX_ORS_DECIMAL_LEN digits.
 */
u_char *ngx_ors_decimal(u_char *last, uint64_t n);

/*
 * Appends letters, at least one, that make "len" bytes a multiple of
 * NGX_ORS_PAD_STEP.  They are of [A-Za-z0-9_-], and random, since equal letters
 * would be compressed away.  They reveal nothing about other random bytes.
 * Without random bytes "out" fails.
 */
void ngx_ors_pad(ngx_ors_out_t *out, size_t len);


#endif /* _NGX_ORS_TEXT_H_INCLUDED_ */
