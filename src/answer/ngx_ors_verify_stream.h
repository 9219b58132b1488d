
/*
 * The verification of streams: those of response events (notes, section 10) and
 * those of chat completion chunks.
 */


#ifndef _NGX_ORS_VERIFY_STREAM_H_INCLUDED_
#define _NGX_ORS_VERIFY_STREAM_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_verify_event.h>


/* 1 if the last event of the stream has been sent */
#define ngx_ors_verify_stream_is_over(verify)                                 \
    ((verify)->stream->order == ngx_ors_verify_sequence_st_over)


/* The stream begins.  NGX_OK or NGX_ERROR. */
ngx_int_t ngx_ors_verify_stream_init(ngx_ors_verify_t *verify);

/* Handlers of verify->answer, see ngx_ors_answer_handler_t. */
void ngx_ors_verify_stream_comment(void *data);
ngx_int_t ngx_ors_verify_stream_event(void *data);
ngx_int_t ngx_ors_verify_stream_end(void *data, ngx_uint_t done);

/*
 * The stream cannot go on, verify->error says why: the events that end it if
 * it has begun, else an error document.  Returns NGX_DONE or NGX_ERROR.
 */
ngx_int_t ngx_ors_verify_stream_fail(ngx_ors_verify_t *verify);

/*
 * The end of the stream, which is held, cannot be stored: the stream fails
 * with "err" in its place.  Returns NGX_DONE or NGX_ERROR.
 */
ngx_int_t ngx_ors_verify_stream_unhold(ngx_ors_verify_t *verify,
    ngx_ors_error_t *err);


#endif /* _NGX_ORS_VERIFY_STREAM_H_INCLUDED_ */
