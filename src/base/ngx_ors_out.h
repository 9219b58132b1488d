
/*
 * Output under construction: text is appended to blocks, long text that
 * lives elsewhere is referred to.  What was appended is taken as a chain
 * of buffers, and the blocks come back once that chain has been sent.
 *
 * An allocation that fails is remembered in "failed"; appending then does
 * nothing, so that a caller checks once, when it takes the chain.
 */


#ifndef _NGX_ORS_OUT_H_INCLUDED_
#define _NGX_ORS_OUT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


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
    unsigned              messages:1; /* see ngx_ors_frame.h */
    unsigned              brief:1;    /* see ngx_ors_out_brief() */
    unsigned              bursts:1;   /* there are blocks of "extra" */
    unsigned              failed:1;
} ngx_ors_out_t;


/*
 * Prepares "out".  Blocks have "block_size" bytes and are allocated from
 * "pool", the first one with the first byte appended.
 */
void ngx_ors_out_init(ngx_ors_out_t *out, ngx_pool_t *pool, size_t block_size);

/*
 * All blocks but the first are to be freed when one is enough again: for
 * output that begins with much, and goes on for long with little.
 */
#define ngx_ors_out_brief(out)  (out)->brief = 1

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
    /* "len" of 0 takes the slow way, too: "data" may be NULL then */

    if (len - 1 >= (size_t) (out->end - out->last)) {
        ngx_ors_out_copy_slow(out, data, len);
        return;
    }

    out->last = ngx_cpymem(out->last, data, len);
    out->size += len;
}


/* Appends a string literal. */
#define ngx_ors_out_lit(out, text)                                            \
    ngx_ors_out_copy(out, (u_char *) text, sizeof(text) - 1)

/* Appends a copy of an ngx_str_t. */
#define ngx_ors_out_str(out, str)                                             \
    ngx_ors_out_copy(out, (str)->data, (str)->len)


#endif /* _NGX_ORS_OUT_H_INCLUDED_ */
