
/*
 * An answer that is stored here: its end, the response or the event with it,
 * is held until that has been done.
 */


#ifndef _NGX_ORS_GUARD_KEEP_H_INCLUDED_
#define _NGX_ORS_GUARD_KEEP_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_guard.h>


/* 1 if the answer, which has ended, is one that is stored */
#define ngx_ors_guard_is_kept(guard)                                          \
    ((guard)->keep && (guard)->request->stored                                \
     && ((guard)->outcome == ngx_ors_response_completed                       \
         || (guard)->outcome == ngx_ors_response_incomplete))


/*
 * Says in the response of guard->json, which is of "shape", what only this
 * side knows: which response it follows, and whether it will be stored.
 * NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_guard_keep_fields(ngx_ors_guard_t *guard,
    const ngx_ors_shape_t *shape);

/*
 * Holds guard->json with its edits; "type" is that of an event, NULL of a
 * document.
 *
 * NGX_OK         held
 * NGX_DECLINED   its id is none to keep it by; guard->error is set
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_guard_keep_hold(ngx_ors_guard_t *guard, ngx_str_t *type);

/*
 * The response that is held, borrowed from it; "items", what is inside of its
 * output, is a part of it, and so is "id", unless it had to be decoded.
 *
 * NGX_OK         set
 * NGX_DECLINED   it has no id or no output
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_guard_keep_response(ngx_ors_guard_t *guard,
    ngx_str_t *response, ngx_str_t *id, ngx_str_t *items);

/* The object of the response that was given last by the function above. */
#define ngx_ors_guard_kept_object(guard)                                      \
    ((guard)->held_type.len                                                   \
     ? ngx_ors_json_find(&(guard)->json, (guard)->json.nodes, "response")     \
     : (guard)->json.nodes)

/*
 * Appends what is held to guard->out, and the end of a stream; the response
 * says that it was stored, or not.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_guard_keep_release(ngx_ors_guard_t *guard,
    ngx_uint_t stored);

/*
 * Forgets the end that is held, that of a stream: it fails with "err".
 * Returns NGX_DONE or NGX_ERROR.
 */
ngx_int_t ngx_ors_guard_keep_fail(ngx_ors_guard_t *guard,
    ngx_ors_error_t *err);


#endif /* _NGX_ORS_GUARD_KEEP_H_INCLUDED_ */
