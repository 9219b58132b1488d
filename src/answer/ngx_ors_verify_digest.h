
/*
 * Digests of texts: deltas are compared with the text that should be their
 * sum, and no text is stored.  A digest is of the decoded text, the same for
 * any escapes and any pieces.
 */


#ifndef _NGX_ORS_VERIFY_DIGEST_H_INCLUDED_
#define _NGX_ORS_VERIFY_DIGEST_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_json.h>


/* no proof: a digest can be forged */

typedef struct {
    uint64_t      hash;
    uint64_t      len;        /* bytes as UTF-8 */
    uint32_t      high;       /* half of a pair, the other may come, or 0 */
} ngx_ors_verify_digest_t;


/* The sum of an empty text. */
void ngx_ors_verify_digest_init(ngx_ors_verify_digest_t *sum);

/*
 * Adds a piece, string "node"; a surrogate pair may be split between two.
 * Anything but a string adds nothing.
 */
void ngx_ors_verify_digest_add(ngx_ors_verify_digest_t *sum,
    ngx_ors_json_t *json, ngx_ors_json_node_t *node);

/*
 * Adds number "type" and a whole text, of which "sum" has the digest, as one
 * element.
 */
void ngx_ors_verify_digest_fold(ngx_ors_verify_digest_t *sum, ngx_uint_t type,
    ngx_ors_verify_digest_t *text);

/* 1 if both are of the same text. */
ngx_uint_t ngx_ors_verify_digest_equal(ngx_ors_verify_digest_t *one,
    ngx_ors_verify_digest_t *two);

/* 1 if string "node" is the text of the sum. */
ngx_uint_t ngx_ors_verify_digest_is(ngx_ors_verify_digest_t *sum,
    ngx_ors_json_t *json, ngx_ors_json_node_t *node);


#endif /* _NGX_ORS_VERIFY_DIGEST_H_INCLUDED_ */
