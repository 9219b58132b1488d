
/*
 * A conversation: a name for the last response of a chain, which moves on with
 * each turn.  Its items are those of the chain.
 */


#ifndef _NGX_ORS_CONVERSATION_H_INCLUDED_
#define _NGX_ORS_CONVERSATION_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_text.h>


typedef struct {
    ngx_str_t                  id;        /* empty: there is none */
    time_t                     created;
    ngx_str_t                  metadata;  /* a JSON object */
    ngx_str_t                  head;      /* id of the last response, empty: */
                                          /* there is no turn yet */
} ngx_ors_conversation_t;


/*
 * Reads what is stored of a conversation, in memory of "pool"; its id is
 * untouched.
 *
 * NGX_OK         done
 * NGX_DECLINED   the value is none
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_conversation_read(ngx_ors_conversation_t *conversation,
    ngx_str_t *value, ngx_pool_t *pool);

/* Sets "value" to what is to be stored of it.  NGX_OK or NGX_ERROR. */
ngx_int_t ngx_ors_conversation_write(ngx_ors_conversation_t *conversation,
    ngx_pool_t *pool, ngx_str_t *value);

/* Appends it as a client gets it. */
void ngx_ors_conversation_render(ngx_ors_conversation_t *conversation,
    ngx_ors_out_t *out);


#endif /* _NGX_ORS_CONVERSATION_H_INCLUDED_ */
