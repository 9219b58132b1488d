
/*
 * The reader of server-sent events: bytes in, events out, state that lives
 * between calls (protocol, section 10.1).
 */


#ifndef _NGX_ORS_SSE_H_INCLUDED_
#define _NGX_ORS_SSE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_body.h>
#include <ngx_ors_text.h>


/* bytes of an event's id; a longer one cannot be resumed from */
#define NGX_ORS_SSE_ID  1024


typedef struct {
    size_t         len;
    u_char         data[NGX_ORS_SSE_ID];
} ngx_ors_sse_id_t;


/* from where a stream that has broken off can be resumed */

typedef struct {
    ngx_ors_sse_id_t   last;      /* of the last whole event, or empty */
    ngx_ors_sse_id_t   next;      /* of the one that is being read */
    ngx_msec_t         retry;     /* how long to wait, if the server says it */
    unsigned           changed:1; /* "next" is another one than "last" */
} ngx_ors_sse_place_t;


typedef struct {
    /* the event that was read: see ngx_ors_sse_read() */
    ngx_str_t      data;
    ngx_str_t      event;         /* empty if there was no such line */

    /* comment lines passed over since the caller has set it to 0 */
    ngx_uint_t     comments;

    /* kept up to date if the caller has set it, else ids are passed over */
    ngx_ors_sse_place_t  *place;

    /* private */
    ngx_uint_t     state;         /* ngx_ors_sse_state_e, see the source */
    ngx_buf_t      line;          /* a line that came in several pieces */
    ngx_buf_t      text;          /* data lines of an event, joined */
    ngx_buf_t      name;          /* the event line's value */
    size_t         size;          /* of the event's lines so far */
    size_t         max;
    ngx_pool_t    *pool;
    unsigned       has_data:1;
    unsigned       emitted:1;     /* returned by the last call */
} ngx_ors_sse_t;


/*
 * The bytes of an upstream's answer: they come in, are decoded and read in
 * steps, and wait while the queue of a slow client is full.
 */


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

/* 1 if no more bytes are to be read for the client. */
#define ngx_ors_queue_full(queue)                                             \
    (ngx_ors_queue_pending(queue) >= (queue)->limit)

/* 1 if a body that has ended was sent whole. */
#define ngx_ors_source_complete(source)                                       \
    (!(source)->cut && ngx_ors_decode_complete(&(source)->decode))


/*
 * Prepares a reader.  An event may have "max" bytes: the lines from one empty
 * line to the next without line ends, a comment only while it is the line that
 * is read.  Memory is allocated from "pool" for events that come in several
 * pieces or have several data lines; it grows with what arrives and is used
 * again for the next event.
 */
void ngx_ors_sse_init(ngx_ors_sse_t *sse, ngx_pool_t *pool, size_t max);

/*
 * Reads from "b", moving b->pos, up to the end of the next event that has
 * data.  LF, CRLF and CR end a line; comments, unknown fields, a byte order
 * mark at the beginning and events without data are passed over.  "data" and
 * "event" are valid until the next call and while the buffer's bytes are.
 *
 * NGX_OK         an event is ready; call again for the next one
 * NGX_AGAIN      the buffer is used up
 * NGX_DECLINED   the event is over the limit; the reader must not be used on
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_sse_read(ngx_ors_sse_t *sse, ngx_buf_t *b);

/*
 * The stream has ended.  An event with complete lines but no empty line after
 * them is returned, as some servers end their streams so.
 *
 * NGX_OK         that event is ready
 * NGX_DONE       nothing was left, or an event that was cut
 */
ngx_int_t ngx_ors_sse_end(ngx_ors_sse_t *sse);

/* Bytes that wait to be sent. */
size_t ngx_ors_queue_pending(ngx_ors_queue_t *queue);

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


/*
 * How an event becomes a frame for the client: lines of an event stream, or a
 * message of a WebSocket.
 */


/*
 * The mark of the last buffer of a message, see ngx_ors_out_mark(); the others
 * are parts.
 */

typedef enum {
    ngx_ors_frame_is_part = 0,
    ngx_ors_frame_is_event,       /* of a response */
    ngx_ors_frame_is_terminal,    /* the same, and its last one */
    ngx_ors_frame_is_other,       /* "error", or a server's own */
    ngx_ors_frame_is_comment
} ngx_ors_frame_e;


/*
 * A frame begins and ends.  What is appended to "out" between the two is the
 * event's JSON, an object with members and without a line break.  "event" is
 * its type, NULL: of the Chat Completions API, which names none.
 *
 * With out->messages an event is that object alone, and its last buffer has a
 * mark; else it has the lines of an event stream (protocol, section 10.1).
 */
void ngx_ors_frame_open(ngx_ors_out_t *out, ngx_str_t *event);
void ngx_ors_frame_close(ngx_ors_out_t *out);

/*
 * Appends a comment, which keeps an event stream alive; a WebSocket sends a
 * ping for it.
 */
void ngx_ors_frame_comment(ngx_ors_out_t *out);

/* Appends [DONE], the end of an event stream; a WebSocket has none. */
void ngx_ors_frame_done(ngx_ors_out_t *out);

/* The last link of the message that begins with "in", which is not NULL. */
ngx_chain_t *ngx_ors_frame_last(ngx_chain_t *in);


#endif /* _NGX_ORS_SSE_H_INCLUDED_ */
