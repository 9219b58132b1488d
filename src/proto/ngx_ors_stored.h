
/*
 * Items that go to a store and come back from it, with their index.
 */


#ifndef _NGX_ORS_STORED_H_INCLUDED_
#define _NGX_ORS_STORED_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>
#include <ngx_ors_input.h>


/*
 * A response object that was stored, as a client gets it later.
 */

typedef struct {
    ngx_ors_json_t             json;
    ngx_str_t                  id;          /* inside of a JSON string */
    unsigned                   background:1;
} ngx_ors_snapshot_t;


/*
 * Pages of the items that a response was made of, as a client lists them.
 * Items come in the order of the list; the page takes those in its limits.
 */

#define NGX_ORS_LISTING_LIMIT      20
#define NGX_ORS_LISTING_LIMIT_MAX  100


typedef struct {
    ngx_str_t                  text;      /* JSON, as it was stored */
    ngx_str_t                  id;        /* inside of a JSON string */
} ngx_ors_listing_entry_t;


typedef struct {
    ngx_uint_t                 limit;
    ngx_str_t                  after;     /* id of an item, empty: none */
    ngx_str_t                  before;

    ngx_ors_listing_entry_t   *entries;   /* a ring of "limit" */
    ngx_uint_t                 n;         /* those that were in it */

    ngx_ors_names_t            ids;       /* ids that items had */
    ngx_ors_json_t             json;
    ngx_pool_t                *pool;

    unsigned                   ascending:1;
    unsigned                   begun:1;   /* "after" has come */
    unsigned                   met:1;     /* "before" has come */
    unsigned                   more:1;    /* others come after the page */
} ngx_ors_listing_t;


/*
 * The id of "item", which has one: decoded, borrowed from the text of "index"
 * or, where it was escaped, from json->pool.  "json", which reads the id, may
 * hold any other document.
 *
 * NGX_OK         done; the raw bytes are the inside of a JSON string
 * NGX_DECLINED   they are not, the record is corrupt
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_stored_id(ngx_ors_index_t *index,
    ngx_ors_index_item_t *item, ngx_ors_json_t *json, ngx_str_t *id);

/*
 * Checks an item that was stored against the tables of requests, in their
 * widest profile: another one may have been in force when it was stored, by
 * another version, or in another location.  Values have no limits, so that
 * whatever could be put out can come in.
 *
 * NGX_OK         it is an item
 * NGX_DECLINED   "err" is for the client, 400 with "code" and "param", static
 *                texts, which has been logged
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_stored_check(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node,
    ngx_ors_code_e code, char *param, ngx_pool_t *pool,
    ngx_ors_error_t *err);

/*
 * Reads "text", a response object, which is borrowed; nodes come from
 * "pool".
 *
 * NGX_OK         done
 * NGX_DECLINED   the text is no response
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_snapshot_read(ngx_ors_snapshot_t *snap, ngx_str_t *text,
    ngx_pool_t *pool);

/*
 * The id of a response object, the inside of a JSON string in "text", which
 * is read only as far as is needed.  Return codes are the same.
 */
ngx_int_t ngx_ors_snapshot_id(ngx_str_t *text, ngx_pool_t *pool,
    ngx_str_t *id);

/*
 * Appends the object as one that has ended: with "error" it has failed, else
 * it was cancelled.  The bytes that stay are referred to.  NGX_OK or
 * NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_snapshot_end(ngx_ors_snapshot_t *snap,
    ngx_ors_error_t *error, ngx_ors_out_t *out);

/*
 * A new list, as the client's query string asks for it: "order", "limit",
 * "after" and "before".
 *
 * NGX_OK         done
 * NGX_DECLINED   "err" holds the reason: 400 with "param"
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_listing_init(ngx_ors_listing_t *list,
    ngx_str_t *query, ngx_pool_t *pool, ngx_ors_error_t *err);

/*
 * Adds items of one turn in the order of time; the text of "items" is borrowed
 * until the page is rendered.  Turns must come in the order
 * of the list: list->ascending says which.  "owner" is the turn's token, from
 * which ids are made where an item has none.
 *
 * NGX_OK         go on
 * NGX_DONE       nothing else will be on the page
 * NGX_DECLINED   these are no items
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_listing_add(ngx_ors_listing_t *list,
    ngx_ors_index_t *items, ngx_str_t *owner);

/*
 * All have been added: appends the page, a JSON document.
 *
 * NGX_OK         appended
 * NGX_DECLINED   "err" holds the reason: there is no item "after" or "before"
 * NGX_ABORT      these are no items
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_listing_render(ngx_ors_listing_t *list, ngx_ors_out_t *out,
    ngx_ors_error_t *err);


#endif /* _NGX_ORS_STORED_H_INCLUDED_ */
