
/*
 * Deviations of a stream from the order of events (protocol, section 10) that
 * clients live with.  Some pass in every profile (C26), the others only in the
 * tolerant ones; elsewhere they are violations.
 */


#ifndef _NGX_ORS_VERIFY_TOLERATE_H_INCLUDED_
#define _NGX_ORS_VERIFY_TOLERATE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_verify.h>


typedef enum {
    /* in every profile */
    ngx_ors_tolerated_skipped = 0,
    ngx_ors_tolerated_interleaved,
    ngx_ors_tolerated_late,

    ngx_ors_tolerated_again,
    ngx_ors_tolerated_status,
    ngx_ors_tolerated_output,
    ngx_ors_tolerated_added,
    ngx_ors_tolerated_unfit,
    ngx_ors_tolerated_no_part,
    ngx_ors_tolerated_no_text,
    ngx_ors_tolerated_no_done,
    ngx_ors_tolerated_at_once,
    ngx_ors_tolerated_name,
    ngx_ors_tolerated_details,
    ngx_ors_tolerated_step
} ngx_ors_tolerated_e;


/*
 * NGX_OK         it passes; the first of its kind in a stream is logged
 * NGX_DECLINED   it does not, verify->error says what it is
 */
ngx_int_t ngx_ors_verify_tolerate(ngx_ors_verify_t *verify,
    ngx_ors_tolerated_e deviation);

/*
 * The event violates the order in any profile: "what" is static text.  Always
 * returns NGX_DECLINED.
 */
ngx_int_t ngx_ors_verify_violation(ngx_ors_verify_t *verify, const char *what);


#endif /* _NGX_ORS_VERIFY_TOLERATE_H_INCLUDED_ */
