
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

/*
 * What a stream knows of a field that is missing in the event that is being
 * checked: its number, the status of a response or an item, an index or an
 * id.  As ngx_ors_fill_pt; "data" is the guard, guard->stream must be there.
 */
ngx_int_t ngx_ors_guard_stream_fill(void *data, const ngx_ors_shape_t *shape,
    ngx_uint_t i, ngx_ors_json_node_t *object, ngx_str_t *text);


#endif /* _NGX_ORS_GUARD_STREAM_H_INCLUDED_ */
