
/*
 * The bytes of an upstream's answer: they come in, are decoded and read in
 * steps, and wait while the queue of a slow client is full.
 */


#ifndef _NGX_ORS_SOURCE_H_INCLUDED_
#define _NGX_ORS_SOURCE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_decode.h>
#include <ngx_ors_text.h>


/* bytes for a client */

typedef struct {
    ngx_ors_out_t            *out;        /* to be sent */
    ngx_chain_t              *busy;       /* being sent */
    size_t                    limit;      /* of both */
} ngx_ors_queue_t;


/* handlers of an answer's bytes; "data" is source->data */

typedef struct {
    /* 1 if nothing of the answer is needed any more: it passes unread */
    ngx_uint_t              (*over)(void *data);

    /* decoded bytes, all to be used up; NGX_ERROR, or anything else */
    ngx_int_t               (*read)(void *data, ngx_buf_t *b);

    /* the bytes cannot be decoded; the same */
    ngx_int_t               (*refuse)(void *data, const char *what);

    /* the body has ended; NGX_OK or NGX_ERROR */
    ngx_int_t               (*end)(void *data);
} ngx_ors_source_handler_t;


/* zeroed memory, but what the owner sets: "queue" to "log" */

typedef struct {
    ngx_ors_queue_t          *queue;      /* bytes go there, NULL: */
                                          /* no client waits for it */
    const ngx_ors_source_handler_t  *handler;
    void                     *data;
    ngx_pool_t               *pool;
    ngx_log_t                *log;

    ngx_chain_t              *in;         /* bytes not read yet */
    ngx_ors_decode_t          decode;

    unsigned                  stopped:1;  /* the client is slow */
    unsigned                  cut:1;      /* the body has no end */
} ngx_ors_source_t;


/* Bytes that wait to be sent. */
size_t ngx_ors_queue_pending(ngx_ors_queue_t *queue);

/* 1 if no more bytes are to be read for the client. */
#define ngx_ors_queue_full(queue)                                             \
    (ngx_ors_queue_pending(queue) >= (queue)->limit)

/*
 * Takes what has come from the upstream, "in" may be NULL, and reads it until
 * the queue is full; ngx_ors_source_feed() goes on with what is left.
 *
 * NGX_OK      all is used up
 * NGX_AGAIN   the queue is full: the rest is kept, and with it the buffers of
 *             the upstream connection, which is then not read
 * NGX_ERROR   no memory
 */
ngx_int_t ngx_ors_source_take(ngx_ors_source_t *source, ngx_chain_t *in);
ngx_int_t ngx_ors_source_feed(ngx_ors_source_t *source);

/* Reads the bytes of "b".  Return codes are those of ngx_ors_source_take(). */
ngx_int_t ngx_ors_source_read(ngx_ors_source_t *source, ngx_buf_t *b);

/* 1 if "b" ends the body: with its last buffer, or cut. */
ngx_uint_t ngx_ors_source_ends(ngx_ors_source_t *source, ngx_buf_t *b);

/* 1 if a body that has ended was sent whole. */
#define ngx_ors_source_complete(source)                                       \
    (!(source)->cut && ngx_ors_decode_complete(&(source)->decode))


#endif /* _NGX_ORS_SOURCE_H_INCLUDED_ */
