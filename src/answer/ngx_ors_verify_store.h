
/*
 * The end of an answer that is stored, the response or the event with it: the
 * client gets it after it has been stored.
 */


#ifndef _NGX_ORS_VERIFY_STORE_H_INCLUDED_
#define _NGX_ORS_VERIFY_STORE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_verify.h>


/* 1 if the answer, which has ended, is one that is stored */
#define ngx_ors_verify_is_stored(verify)                                       \
    ((verify)->keep && (verify)->request->stored                               \
     && ((verify)->outcome == ngx_ors_response_completed                       \
         || (verify)->outcome == ngx_ors_response_incomplete))


/*
 * Holds verify->json with its edits; "type" is that of an event, NULL of a
 * document.
 *
 * NGX_OK         held
 * NGX_DECLINED   its id cannot be the name of a record; verify->error is set
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_verify_store_hold(ngx_ors_verify_t *verify, ngx_str_t *type);

/*
 * The response that is held, borrowed from it; "items", the list that is its
 * output, is a part of it, and so is "id", unless it had to be decoded.
 *
 * NGX_OK         set
 * NGX_DECLINED   it has no id or no output
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_verify_store_response(ngx_ors_verify_t *verify,
    ngx_str_t *response, ngx_str_t *id, ngx_str_t *items);

/*
 * The object of the response that ngx_ors_verify_store_response() has set last.
 */
#define ngx_ors_verify_stored_object(verify)                                   \
    ((verify)->held_type.len                                                   \
     ? ngx_ors_json_find(&(verify)->json, (verify)->json.nodes, "response")    \
     : (verify)->json.nodes)

/*
 * Appends what is held to verify->out, and the end of a stream; the response
 * says that it was stored, or not.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_verify_store_release(ngx_ors_verify_t *verify,
    ngx_uint_t stored);


#endif /* _NGX_ORS_VERIFY_STORE_H_INCLUDED_ */
