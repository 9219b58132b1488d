
/*
 * A record: what is stored of one turn.  Its ancestors are those turns that
 * its context is made of; each record names the nearest of them, so that a
 * chain is read in batches and no record grows with the chain.
 */


#ifndef _NGX_ORS_RECORD_H_INCLUDED_
#define _NGX_ORS_RECORD_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_names.h>
#include <ngx_ors_store.h>


/* ancestors that a record names: a batch of a chain */
#define NGX_ORS_RECORD_ANCESTORS  32

/* bytes of an item in a record's table */
#define NGX_ORS_RECORD_ITEM       20


typedef enum {
    ngx_ors_record_completed = 0,
    ngx_ors_record_incomplete,
    ngx_ors_record_failed,
    ngx_ors_record_cancelled,

    /* in the background */
    ngx_ors_record_queued,
    ngx_ors_record_in_progress
} ngx_ors_record_status_e;


typedef struct {
    ngx_ors_record_status_e   status;
    time_t                    created;
    ngx_uint_t                depth;      /* ancestors, all of them */

    u_char                   *ancestors;  /* names, the parent first */
    ngx_uint_t                nancestors;

    u_char                   *table;      /* the items of the input, then */
    ngx_uint_t                ninput;     /* those of the output */
    ngx_uint_t                noutput;

    ngx_str_t                 input;      /* a JSON array of items, or empty */
    ngx_str_t                 response;   /* the whole response object */
    size_t                    output;     /* where in it the array of its */
    size_t                    output_len; /* items is, empty: not read */
    ngx_str_t                 journal;    /* of its stream, or empty: see */
                                          /* ngx_ors_replay.h */
} ngx_ors_record_t;


/*
 * A chain: the record of a turn and all its ancestors, walked batch by batch.
 * The engine reads entries, the walk says which.
 */


/* zeroed memory, with "job" set, is one of which nothing has been read */

typedef struct {
    ngx_ors_store_job_t      *job;        /* its entries[0] is the last turn */

    ngx_ors_store_entry_t    *batch;      /* to be read, the newest one last */
    ngx_uint_t                n;          /* 0: the chain is complete, */

    ngx_ors_store_entry_t    *first;      /* this is its oldest turn, */
    ngx_uint_t                count;      /* so many turns are in it */

    ngx_ors_store_entry_t    *entries;    /* the oldest one first */
    ngx_uint_t                depth;      /* of the last turn */
    ngx_uint_t                floor;      /* of entries[0] */
    ngx_uint_t                known;      /* of the oldest that was read */
} ngx_ors_chain_t;


/* Bytes that the record takes. */
size_t ngx_ors_record_size(ngx_ors_record_t *rec);

/*
 * Writes the record's head to "p": all but its input, its response and its
 * journal, which have to follow in this order.  Returns the position after it.
 */
u_char *ngx_ors_record_head(ngx_ors_record_t *rec, u_char *p);

/*
 * Writes the items of "index" to "p" as they are in rec->table, which has
 * NGX_ORS_RECORD_ITEM bytes for each.  Returns the position after them.
 */
u_char *ngx_ors_record_table(ngx_ors_index_t *index, u_char *p);

/*
 * Reads a record; texts, names and the table are borrowed from "value".
 *
 * NGX_OK         done: each item of the table is in its list, after the one
 *                in front of it, and its id is in it, with a byte on either
 *                side; whether they are quotes ngx_ors_stored_id() finds out
 * NGX_DECLINED   the value is no record, or one of another version
 */
ngx_int_t ngx_ors_record_read(ngx_ors_record_t *rec, ngx_str_t *value);

/*
 * Sets "index" to the items of a record that was read, those of the part
 * NGX_ORS_STORE_INPUT or NGX_ORS_STORE_OUTPUT: the text is borrowed, the items
 * come from "pool".  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_record_items(ngx_ors_record_t *rec, ngx_uint_t part,
    ngx_pool_t *pool, ngx_ors_index_t *index);

/*
 * Why a value cannot be read by ngx_ors_record_read(): it is a record of
 * another version, or none.
 */
ngx_ors_store_status_e ngx_ors_record_status(ngx_str_t *value);

/* 1 if the value is that of a record, whether it can be read or not. */
ngx_uint_t ngx_ors_record_is(u_char *value, size_t len);

/*
 * Copies a stored "value" to memory of "pool": all of it, or, of a record,
 * its head with the "parts" that are asked for, see ngx_ors_store.h, and their
 * items in the table.  The items it has put out are all that is left of a
 * response then.  "left" is what may be copied, and is reduced.  A zero follows
 * the copy.
 *
 * NGX_OK         "copy" is set
 * NGX_DECLINED   there is more than "left"
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_record_copy(ngx_str_t *value, ngx_uint_t parts,
    size_t *left, ngx_pool_t *pool, ngx_str_t *copy);

/*
 * Sets the ancestors of a child of "rec", whose own name is "name": "names"
 * has room for NGX_ORS_RECORD_ANCESTORS of them.  Returns how many they are.
 */
ngx_uint_t ngx_ors_record_inherit(ngx_ors_record_t *rec, u_char *name,
    u_char *names);

/*
 * The next step: the last turn, or chain->batch, has been read.  With "full"
 * set a limit was reached: the turns of the batch up to the newest one
 * without a value are left out.
 *
 * ngx_ors_store_ok    chain->batch is to be read, or chain->n is 0
 * others              how the job ends
 */
ngx_ors_store_status_e ngx_ors_chain_next(ngx_ors_chain_t *chain,
    ngx_uint_t full);


#endif /* _NGX_ORS_RECORD_H_INCLUDED_ */
