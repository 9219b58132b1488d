
/*
 * Padding: random letters after a text that is sent in pieces, so that what
 * an onlooker sees of an encrypted stream, the length of each piece, does not
 * reveal the words.
 */


#ifndef _NGX_ORS_PAD_H_INCLUDED_
#define _NGX_ORS_PAD_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_out.h>


/* a word with the frame around it nearly always fits into one step */
#define NGX_ORS_PAD_STEP  64


/*
 * Appends letters, at least one, that make "len" bytes a multiple of
 * NGX_ORS_PAD_STEP.  They are of [A-Za-z0-9_-], and random, since equal letters
 * would be compressed away.  They reveal nothing about other random bytes.
 * Without random bytes "out" fails.
 */
void ngx_ors_pad(ngx_ors_out_t *out, size_t len);


#endif /* _NGX_ORS_PAD_H_INCLUDED_ */
