
/*
 * The guard's part for streams: of events (spec, section 10) and of chat
 * completion chunks.
 */


#ifndef _NGX_ORS_GUARD_STREAM_H_INCLUDED_
#define _NGX_ORS_GUARD_STREAM_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_guard.h>


/* The stream begins.  NGX_OK or NGX_ERROR. */
ngx_int_t ngx_ors_guard_stream_init(ngx_ors_guard_t *guard);

/* As ngx_ors_guard_data(), and ngx_ors_guard_end(). */
ngx_int_t ngx_ors_guard_stream_data(ngx_ors_guard_t *guard, ngx_buf_t *b);
ngx_int_t ngx_ors_guard_stream_end(ngx_ors_guard_t *guard,
    ngx_uint_t complete);

/*
 * The stream cannot go on, guard->error says why: the events that end it if
 * it has begun, else an error document.  Returns NGX_DONE or NGX_ERROR.
 */
ngx_int_t ngx_ors_guard_stream_fail(ngx_ors_guard_t *guard);


#endif /* _NGX_ORS_GUARD_STREAM_H_INCLUDED_ */
