
/*
 * Keys of a store: which entry of which response, or of which item, in the
 * scope of its owner.
 */


#ifndef _NGX_ORS_KEY_H_INCLUDED_
#define _NGX_ORS_KEY_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_store.h>


/* values of an entry of the kind "cancel" */
#define NGX_ORS_KEY_CANCELLED  "cancelled"
#define NGX_ORS_KEY_DELETED    "deleted"


/* kinds of digests; the letters are part of what is stored: never change one */

typedef enum {

    /* entries of a store */
    ngx_ors_key_response = 'r',   /* the record of a turn */
    ngx_ors_key_lease = 'l',      /* there while some worker runs the turn */
    ngx_ors_key_cancel = 'c',     /* there when the turn is to be ended */
    ngx_ors_key_item = 'i',       /* the name of the turn that has an item */
    ngx_ors_key_approval = 'a',   /* there when an approved call has been run */

    /* owners: of a request, of its entries in a store, of sealed texts */
    ngx_ors_key_scope = 's',
    ngx_ors_key_owner = 'o',
    ngx_ors_key_seal = 'e',
    ngx_ors_key_mcp = 'm'         /* a server, in the memory of a worker */
} ngx_ors_key_e;


/*
 * Makes the key of what has "id", a response or an item, in "scope", which
 * has NGX_ORS_STORE_KEY bytes.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_key(u_char *scope, ngx_ors_key_e kind, ngx_str_t *id,
    ngx_ors_store_key_t *key);

/*
 * Makes the key of the record of the response with "token", the part that the
 * ids of its items share.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_key_turn(u_char *scope, ngx_str_t *token,
    ngx_ors_store_key_t *key);


#endif /* _NGX_ORS_KEY_H_INCLUDED_ */
