
/*
 * Headers and arguments of a client that a target gets.
 */


#ifndef _NGX_ORS_FORWARD_H_INCLUDED_
#define _NGX_ORS_FORWARD_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/* headers that a call does without: all but those of a short list, ... */
#define NGX_ORS_FORWARD_BARE      0x1

/* ... and the trace that its request is a part of */
#define NGX_ORS_FORWARD_UNTRACED  0x2


/*
 * Lists of headers, of ngx_table_elt_t.
 */


/* a place in a list */

typedef struct {
    ngx_list_part_t  *part;
    ngx_uint_t        i;
} ngx_ors_header_at_t;


/*
 * Makes the list "to", from "pool", of the headers in "from" that a call may
 * have, without those of "drop".  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_forward_headers(ngx_list_t *from, ngx_list_t *to,
    ngx_uint_t drop, ngx_pool_t *pool);

/*
 * 1 if a header "name" is on that list: it can neither be a key nor say who
 * the client is.  A name may have "_" in the place of "-", as in a variable.
 */
ngx_uint_t ngx_ors_forward_public(ngx_str_t *name);

/*
 * Copies the arguments "from" to "args" without those that are keys.  NGX_OK or
 * NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_forward_args(ngx_str_t *from, ngx_str_t *args,
    ngx_pool_t *pool);

/*
 * Makes "uri" of the base, the path and the arguments for an upstream.
 * NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_forward_uri(const ngx_str_t *base, const ngx_str_t *path,
    ngx_str_t *args, ngx_pool_t *pool, ngx_str_t *uri);

/* The next header of a list, removed ones included, or NULL. */

static ngx_inline ngx_table_elt_t *
ngx_ors_header_next(ngx_ors_header_at_t *at)
{
    ngx_table_elt_t  *h;

    while (at->i == at->part->nelts) {

        if (at->part->next == NULL) {
            return NULL;
        }

        at->part = at->part->next;
        at->i = 0;
    }

    h = at->part->elts;

    return &h[at->i++];
}


/* The first one. */

static ngx_inline ngx_table_elt_t *
ngx_ors_header_first(ngx_list_t *headers, ngx_ors_header_at_t *at)
{
    at->part = &headers->part;
    at->i = 0;

    return ngx_ors_header_next(at);
}


/* Each header of a list, removed ones included. */
#define ngx_ors_header_each(h, headers, at)                                   \
    for (h = ngx_ors_header_first(headers, at); h; h = ngx_ors_header_next(at))

/* The header "name" in the list, or NULL. */
ngx_table_elt_t *ngx_ors_header_find(ngx_list_t *headers, ngx_str_t *name);

/*
 * Adds a header: "name" and the same in small letters, "lowcase", are static
 * text, "value" must live as long as the list.  NULL: no memory.
 */
ngx_table_elt_t *ngx_ors_header_add(ngx_list_t *headers, char *name,
    char *lowcase, ngx_str_t *value);

/* As ngx_ors_header_add() for a "value" that is static text. */
ngx_table_elt_t *ngx_ors_header_text(ngx_list_t *headers, char *name,
    char *lowcase, char *value);

/*
 * Sets all headers of that name to "value", static text; NULL removes them from
 * an answer.
 */
void ngx_ors_header_set(ngx_list_t *headers, char *name, char *value);

/*
 * Takes the headers of that name out of a request: "headers" becomes a new list
 * from "pool".  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_header_drop(ngx_list_t *headers, char *name,
    ngx_pool_t *pool);

/*
 * 1 if a header of that name has "token" in its list, in any case, with a
 * version after a slash or without.
 */
ngx_uint_t ngx_ors_header_lists(ngx_list_t *headers, char *name,
    ngx_str_t *token);

/*
 * Adds to the list "to" those headers of an upstream's answer that are of use
 * to a client: its limits, the id of the request, and what clients of the API
 * look for, as their sources have it.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_headers_pass(ngx_list_t *from, ngx_list_t *to);

/*
 * 1 if "origin", the value of an Origin header, is of the host that "host",
 * the value of a Host header, names (RFC 6454), compared as a
 * browser sends both, without the scheme, without regard to case.
 */
ngx_uint_t ngx_ors_header_same_origin(ngx_str_t *origin, ngx_str_t *host);


#endif /* _NGX_ORS_FORWARD_H_INCLUDED_ */
