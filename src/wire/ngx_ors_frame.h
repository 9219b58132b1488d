
/*
 * How an event becomes a frame for the client: lines of an event stream, or a
 * message of a WebSocket.
 */


#ifndef _NGX_ORS_FRAME_H_INCLUDED_
#define _NGX_ORS_FRAME_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_text.h>


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


#endif /* _NGX_ORS_FRAME_H_INCLUDED_ */
