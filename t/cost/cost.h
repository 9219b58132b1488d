
/*
 * The cost model: for each endpoint and direction inputs that are expensive
 * for their size, each in two sizes, and what they take: instructions, which
 * valgrind counts, and memory of pools.
 */


#ifndef _COST_H_INCLUDED_
#define _COST_H_INCLUDED_


#include <ngx_ors_test.h>
#include <ngx_ors_names.h>
#include <ngx_ors_request.h>


/*
 * An input is head, "n" times unit, middle, "n" times back, tail, where
 *
 *     '    stands for "
 *     #    for the number of the unit, from 0
 *     @    the same from the other end, down to 0
 *     ~    two characters, other ones in each unit
 *
 * A comma before the first of a list is left out.
 *
 * "more" bytes of memory for a byte are allowed where one chunk makes many
 * items, whose events wait until it is done, and where two bytes are a value
 * that needs a node.
 */

typedef struct {
    const char          *name;
    ngx_uint_t           n;         /* units in the small one */
    const char          *head;
    const char          *unit;
    const char          *tail;
    const char          *middle;    /* may be NULL, as "back" may */
    const char          *back;
    ngx_uint_t           more;      /* 0: as for all others */
} cost_row_t;


typedef struct cost_group_s  cost_group_t;


/* one input that is to be dealt with */

typedef struct {
    const cost_group_t  *group;
    const cost_row_t    *row;
    const char          *variant;
    ngx_uint_t           nvariant;
    u_char              *text;
    size_t               len;
    size_t               sent;      /* bytes that somebody had to send */
    ngx_pool_t          *pool;
} cost_t;


/*
 * The code that is measured.  NGX_OK: taken, NGX_DECLINED: refused; each row
 * must be taken in one of its variants.
 */
typedef ngx_int_t (*cost_run_pt)(cost_t *cost);


/* the first row is what is typical: others are compared with it */

struct cost_group_s {
    const char          *name;
    cost_run_pt          run;
    const char         **variants;  /* the last one is NULL */
    const cost_row_t    *rows;      /* the last one has no name */
};


extern const cost_group_t  cost_requests[];
extern const cost_group_t  cost_contexts[];
extern const cost_group_t  cost_sessions[];
extern const cost_group_t  cost_streams[];
extern const cost_group_t  cost_documents[];
extern const cost_group_t  cost_others[];
extern const cost_group_t  cost_schemas[];


/* Limits as they are without directives. */
extern ngx_ors_limits_t  cost_limits;

/* Everything that "out" has is sent. */
ngx_int_t cost_sent(ngx_ors_out_t *out);

/* Items as a store gives them: an array, from the pool. */
void cost_list(cost_t *cost, u_char *p, u_char *last, ngx_str_t *list);

/* The index of a list, whose making is not counted. */
void cost_index(cost_t *cost, ngx_str_t *list, ngx_ors_index_t *index);


#endif /* _COST_H_INCLUDED_ */
