
/*
 * Text that grows in blocks that never move: output refers to them, so that a
 * text is in memory once.
 */


#ifndef _NGX_ORS_TEXT_H_INCLUDED_
#define _NGX_ORS_TEXT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_out.h>


typedef struct ngx_ors_text_block_s  ngx_ors_text_block_t;


/* zeroed memory is an empty text */

typedef struct {
    ngx_ors_text_block_t  *head;
    ngx_ors_text_block_t  *tail;
    size_t                 len;
} ngx_ors_text_t;


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


#endif /* _NGX_ORS_TEXT_H_INCLUDED_ */
