
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


/* a deviation, the profiles in which it passes, and its sentence */

#define NGX_ORS_TOLERATED(row)                                                \
    row(skipped, ALL, "response.in_progress was left out")                    \
    row(interleaved, ALL, "an item is added while another one is open")       \
    row(late, ALL, "events after the last one are dropped")                   \
    row(again, TOLERANT,                                                      \
        "an event of the response's state comes again or late")               \
    row(status, TOLERANT, "a status does not fit its event")                  \
    row(output, TOLERANT,                                                     \
        "the output of a response is not empty in the beginning")             \
    row(added, TOLERANT, "an item or a part is not empty when it is added")   \
    row(unfit, TOLERANT, "a part is of a type that its item does not have")   \
    row(no_part, TOLERANT, "a text comes without a part")                     \
    row(no_text, TOLERANT, "the event that ends a text is left out")          \
    row(no_done, TOLERANT, "a part is not done when its item is")             \
    row(at_once, TOLERANT, "a text comes at once, without deltas")            \
    row(name, TOLERANT, "an item has another name when it is done")           \
    row(details, TOLERANT,                                                    \
        "the error or the details of a response do not fit its status")       \
    row(step, TOLERANT,                                                       \
        "an event of a hosted tool's progress comes again or late")

#define ngx_ors_tolerated_value(name, in, text)  ngx_ors_tolerated_##name,

typedef enum {
    NGX_ORS_TOLERATED(ngx_ors_tolerated_value)
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
