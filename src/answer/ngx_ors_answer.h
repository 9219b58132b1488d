
/*
 * The reader of an upstream's answer: status, content type and bytes go in,
 * events, a document, an error document or a failure come out.  A pure
 * machine without I/O, used by translation and by validation.
 */


#ifndef _NGX_ORS_ANSWER_H_INCLUDED_
#define _NGX_ORS_ANSWER_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error.h>
#include <ngx_ors_request.h>
#include <ngx_ors_sse.h>


/* how much of an upstream's error document is read */
#define NGX_ORS_ANSWER_ERROR_MAX  65536


typedef enum {
    ngx_ors_answer_st_header = 0,    /* the answer has not begun */
    ngx_ors_answer_st_document,
    ngx_ors_answer_st_error,         /* an error document */
    ngx_ors_answer_st_stream,
    ngx_ors_answer_st_over
} ngx_ors_answer_state_e;


/* the form that an answer must have */

typedef enum {
    ngx_ors_answer_any = 0,          /* a document or a stream */
    ngx_ors_answer_json,             /* the endpoint knows no streams */
    ngx_ors_answer_document,         /* the client has asked for a document */
    ngx_ors_answer_stream            /* ... for a stream */
} ngx_ors_answer_form_e;


/*
 * Handlers of the reader's user; "data" is answer->data.  Each
 * handler but "comment" returns
 *
 * NGX_OK      go on; "document", "error" and "failure" never return it
 * NGX_DONE    the answer is over: the reader ignores the rest
 * NGX_ERROR   no memory
 */

typedef struct {
    /* a comment, or an event without data, in a stream; NULL: ignored */
    void       (*comment)(void *data);

    /* an event, in answer->sse, valid during the call */
    ngx_int_t  (*event)(void *data);

    /*
     * A stream has ended: with [DONE] if "done" is set, else without.
     * NGX_DECLINED: it was cut, "failure" is called.
     */
    ngx_int_t  (*end)(void *data, ngx_uint_t done);

    /* a whole document; its bytes stay where they are */
    ngx_int_t  (*document)(void *data, ngx_str_t *text);

    /* the error document, or its beginning, of a status that is not 2xx */
    ngx_int_t  (*error)(void *data, ngx_str_t *text);

    /* the answer cannot be read on; answer->failure says why */
    ngx_int_t  (*failure)(void *data);
} ngx_ors_answer_handler_t;


typedef struct {
    ngx_ors_answer_state_e           state;

    /* set before the header */
    const ngx_ors_answer_handler_t  *handler;
    void                            *data;
    ngx_ors_answer_form_e            form;
    ngx_atomic_t                    *astray;     /* the minute in which such */
                                                 /* a 404 was logged, or NULL */

    ngx_uint_t                       status;     /* of HTTP, 0: none yet */
    ngx_ors_sse_t                    sse;        /* the event */
    ngx_ors_error_t                  failure;
    unsigned                         cut:1;      /* it ended too early */

    /* private */
    ngx_uint_t                       level;      /* of a 404, 0: unknown */
    ngx_buf_t                        gathered;   /* of a document */
    ngx_ors_limits_t                *limits;
    ngx_pool_t                      *pool;
    ngx_log_t                       *log;
} ngx_ors_answer_t;


/*
 * Prepares a reader; all is borrowed and lives as long as the reader.  Events
 * and documents may have the bytes that "limits" allow.
 */
void ngx_ors_answer_init(ngx_ors_answer_t *answer, ngx_ors_limits_t *limits,
    ngx_pool_t *pool, ngx_log_t *log);

/*
 * Prepares the reader for another answer, which uses the memory of documents
 * again.
 */
void ngx_ors_answer_reset(ngx_ors_answer_t *answer);

/*
 * The functions below return what the last handler has returned, NGX_OK if
 * none was called, NGX_DONE after the answer is over, and NGX_ERROR if there
 * is no memory.
 */

/*
 * The answer begins: its status, its content type, and the length of its body,
 * -1 if that is not known.
 */
ngx_int_t ngx_ors_answer_header(ngx_ors_answer_t *answer, ngx_uint_t status,
    ngx_str_t *type, off_t length);

/* Reads bytes of the body: "b" is used up unless the answer ends earlier. */
ngx_int_t ngx_ors_answer_data(ngx_ors_answer_t *answer, ngx_buf_t *b);

/*
 * The body has ended; "complete" is set if the upstream has sent all of it.
 * A stream says itself whether it is complete.
 */
ngx_int_t ngx_ors_answer_end(ngx_ors_answer_t *answer, ngx_uint_t complete);

/*
 * Refuses the answer for a reason outside of its text: "what", a phrase, is
 * static.
 */
ngx_int_t ngx_ors_answer_refuse(ngx_ors_answer_t *answer, const char *what);

/*
 * A model server's words in an error, for the operator's log.
 */


/*
 * Copies "text" to "buf", NGX_ORS_LINE_MAX bytes: no quoted text, which may be
 * of a prompt, no long word and none with a prefix of keys, each with "..." in
 * its place.  Returns the end of the copy.
 */
u_char *ngx_ors_answer_said(u_char *buf, ngx_str_t *text);

/*
 * Logs the message of "err", an error that the server has answered to "req".
 * It is called in front of ngx_ors_mask().
 */
void ngx_ors_answer_said_log(ngx_ors_answer_t *answer, ngx_ors_error_t *err,
    ngx_ors_request_t *req);

/*
 * The level to log such an answer at: "info" if it is about the request, else
 * "error"; a 404 of a path that is wrong for all requests is one once a minute.
 * "req" NULL: it has no body.
 */
ngx_uint_t ngx_ors_answer_said_level(ngx_ors_answer_t *answer,
    ngx_ors_error_t *err, ngx_ors_request_t *req);


#endif /* _NGX_ORS_ANSWER_H_INCLUDED_ */
