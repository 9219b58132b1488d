
/*
 * The mask for upstream's errors: a client learns what it can act on, and
 * nothing of the model server or of the operator's account there.
 */


#ifndef _NGX_ORS_MASK_H_INCLUDED_
#define _NGX_ORS_MASK_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>


/*
 * Replaces what an upstream server has said in "err" by texts of ours, which
 * are static.
 *
 * Errors of the operator's account (401, 402, 403, 451, and codes as
 * "insufficient_quota") become 502, 408 becomes 504; 400, 404, 413, 422,
 * 429, 500, 503 and 504 stay, all others are 502.  The code stays if clients
 * act on it, and "param" of a 4xx if it looks like a path.
 */
void ngx_ors_mask(ngx_ors_error_t *err);

/*
 * The same for an error that was the whole answer and had "status" as its
 * HTTP status: that counts where it is one that is not to be seen, whatever
 * status was made of the error's text.
 */
void ngx_ors_mask_answer(ngx_ors_error_t *err, ngx_uint_t status);


#endif /* _NGX_ORS_MASK_H_INCLUDED_ */
