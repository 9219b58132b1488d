
/*
 * Decimal numbers without printf, two digits at a time.
 */


#ifndef _NGX_ORS_DECIMAL_H_INCLUDED_
#define _NGX_ORS_DECIMAL_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/* enough for any number of 64 bits, with its sign if it has one */
#define NGX_ORS_DECIMAL_LEN  20


/*
 * Writes "n" so that its last digit is in front of "last", and returns its
 * first digit.  The caller has room for NGX_ORS_DECIMAL_LEN digits.
 */
u_char *ngx_ors_decimal(u_char *last, uint64_t n);


#endif /* _NGX_ORS_DECIMAL_H_INCLUDED_ */
