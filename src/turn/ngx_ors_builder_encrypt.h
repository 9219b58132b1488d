
/*
 * Reasoning of a model, sealed for a client that sends it back.
 */


#ifndef _NGX_ORS_BUILDER_ENCRYPT_H_INCLUDED_
#define _NGX_ORS_BUILDER_ENCRYPT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_builder_state.h>


/*
 * Nothing follows what the round has made: makes an item of the provider state
 * that has come, sealed for a client that asks for sealed reasoning, else seen
 * by the store and the next round only.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_builder_carry(ngx_ors_builder_t *builder);

/*
 * Seals what "item", of type reasoning, holds.  What is too long is left as
 * it is.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_ors_builder_encrypt(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item);


#endif /* _NGX_ORS_BUILDER_ENCRYPT_H_INCLUDED_ */
