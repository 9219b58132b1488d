
/*
 * Slips: what a stream does against the order of section 10 and what clients
 * live with.  Some are slips in every reading (C26), the others only in the
 * tolerant ones; elsewhere they are findings.
 */


#ifndef _NGX_ORS_GUARD_SLIP_H_INCLUDED_
#define _NGX_ORS_GUARD_SLIP_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_guard.h>


typedef enum {
    /* in every reading */
    ngx_ors_guard_slip_skipped = 0,
    ngx_ors_guard_slip_interleaved,
    ngx_ors_guard_slip_late,

    ngx_ors_guard_slip_again,
    ngx_ors_guard_slip_status,
    ngx_ors_guard_slip_output,
    ngx_ors_guard_slip_added,
    ngx_ors_guard_slip_unfit,
    ngx_ors_guard_slip_no_part,
    ngx_ors_guard_slip_no_text,
    ngx_ors_guard_slip_no_done,
    ngx_ors_guard_slip_at_once,
    ngx_ors_guard_slip_name,
    ngx_ors_guard_slip_details
} ngx_ors_guard_slip_e;


/*
 * NGX_OK         it passes; the first of its kind in a stream is logged
 * NGX_DECLINED   it does not, guard->error says what it is
 */
ngx_int_t ngx_ors_guard_slip(ngx_ors_guard_t *guard,
    ngx_ors_guard_slip_e slip);

/*
 * A finding about the event that is looked at, in any reading: "what" is
 * static text.  Always returns NGX_DECLINED.
 */
ngx_int_t ngx_ors_guard_broken(ngx_ors_guard_t *guard, const char *what);


#endif /* _NGX_ORS_GUARD_SLIP_H_INCLUDED_ */
