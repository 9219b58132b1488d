
/*
 * Members of a JSON object by pointers to them (RFC 6901): "/a/b" is member
 * "b" of the object that is member "a".  Pointers into one object share it.
 */


#ifndef _NGX_ORS_POINTER_H_INCLUDED_
#define _NGX_ORS_POINTER_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_text.h>


/* names in one pointer */
#define NGX_ORS_POINTER_DEPTH  16


typedef struct ngx_ors_pointer_s  ngx_ors_pointer_t;


/* zeroed memory is the root of an object without members */

struct ngx_ors_pointer_s {
    ngx_str_t             name;       /* plain text */
    ngx_str_t             value;      /* JSON; empty: the object of "first" */
    ngx_ors_pointer_t    *first;
    ngx_ors_pointer_t    *next;
};


/*
 * Puts "value", which is JSON and borrowed, where "pointer" says.  Nodes and
 * names come from "pool"; after anything but NGX_OK "root" may have members
 * without a value.
 *
 * NGX_OK         done
 * NGX_DECLINED   not a pointer: it does not begin with "/", has an empty
 *                name, a bad escape, or more than NGX_ORS_POINTER_DEPTH names
 * NGX_BUSY       there is a value at this place, above it or in it
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_pointer_add(ngx_ors_pointer_t *root, ngx_str_t *pointer,
    ngx_str_t *value, ngx_pool_t *pool);

/* The member of "root" that is called "name", or NULL. */
ngx_ors_pointer_t *ngx_ors_pointer_find(ngx_ors_pointer_t *root,
    ngx_str_t *name);

/* Appends a member, its name and its value. */
void ngx_ors_pointer_put(ngx_ors_pointer_t *node, ngx_ors_out_t *out);


#endif /* _NGX_ORS_POINTER_H_INCLUDED_ */
