
/*
 * Entries in memory that all workers share, which a configuration names: rows
 * of histograms, targets, tools.
 *
 * Only the master process adds and frees them, when a configuration begins.  A
 * worker uses the entries that its configuration has found.  An entry that a
 * new configuration does not name is dropped, and freed when no worker of an
 * older configuration is left: a list of entries may be followed meanwhile.
 */


#ifndef _NGX_ORS_NAMED_H_INCLUDED_
#define _NGX_ORS_NAMED_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


typedef struct ngx_ors_named_s  ngx_ors_named_t;


/* the first member of an entry, in shared memory as all that it points to */

struct ngx_ors_named_s {
    ngx_ors_named_t          *next;
    ngx_uint_t                generation;   /* the last configuration that */
                                            /* names it, or of a dropped one */
                                            /* the first that does not */
    ngx_str_t                 key;          /* its names, a NUL after each */
};


typedef struct {
    ngx_ors_named_t          *first;        /* of this configuration */
    ngx_ors_named_t          *dropped;
    ngx_uint_t                generation;   /* number of the configuration */
} ngx_ors_named_list_t;


/*
 * A new configuration begins: frees what was dropped before the workers of
 * generation "oldest", the oldest that are left, began.
 */
void ngx_ors_named_begin(ngx_ors_named_list_t *list, ngx_uint_t oldest,
    ngx_slab_pool_t *shpool);

/*
 * The entry with "n" names, an array, or a new one of "size" bytes, zeroed.
 * NULL: "shpool" has no more memory.
 */
void *ngx_ors_named_entry(ngx_ors_named_list_t *list, size_t size,
    ngx_str_t *names, ngx_uint_t n, ngx_slab_pool_t *shpool);

/* The configuration has named all: others are dropped. */
void ngx_ors_named_end(ngx_ors_named_list_t *list);

/* Sets "names", an array of "n", to those of an entry. */
void ngx_ors_named_split(ngx_ors_named_t *entry, ngx_str_t *names,
    ngx_uint_t n);


#endif /* _NGX_ORS_NAMED_H_INCLUDED_ */
