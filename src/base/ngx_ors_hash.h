
/*
 * A hash for tables in memory.
 */


#ifndef _NGX_ORS_HASH_H_INCLUDED_
#define _NGX_ORS_HASH_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * The hash of "len" bytes: a polynomial over the point "seed" of 31 bits, as
 * ngx_random() gives them.  Texts that meet in one slot cannot be made up
 * without knowing it.
 */
uint64_t ngx_ors_hash(u_char *data, size_t len, uint32_t seed);


#endif /* _NGX_ORS_HASH_H_INCLUDED_ */
