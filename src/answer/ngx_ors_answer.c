
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The states of an answer: which kind of body its header promises, the bytes
 * of a stream or a document, and what a missing or early end means.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_answer.h>
#include <ngx_ors_text.h>
#include <ngx_ors_names.h>


/* a word of a message that is longer may be a key, or data */
#define NGX_ORS_ANSWER_SAID_WORD  24

#define NGX_ORS_ANSWER_SAID_CUT   "..."


#define ngx_ors_answer_said_cuts(buf, p)                                      \
    ((size_t) ((p) - (buf)) + sizeof(NGX_ORS_ANSWER_SAID_CUT)                 \
     > NGX_ORS_LINE_MAX)


#define ngx_ors_answer_said_letter(ch)                                        \
    (((ch) | 0x20) >= 'a' && ((ch) | 0x20) <= 'z')


static ngx_int_t ngx_ors_answer_begin_stream(ngx_ors_answer_t *answer);
static ngx_int_t ngx_ors_answer_begin_document(ngx_ors_answer_t *answer,
    off_t length);
static ngx_int_t ngx_ors_answer_gather(ngx_ors_answer_t *answer, ngx_buf_t *b);
static ngx_int_t ngx_ors_answer_events(ngx_ors_answer_t *answer, ngx_buf_t *b);
static ngx_int_t ngx_ors_answer_event(ngx_ors_answer_t *answer);
static void ngx_ors_answer_comments(ngx_ors_answer_t *answer);
static ngx_int_t ngx_ors_answer_end_stream(ngx_ors_answer_t *answer,
    ngx_uint_t done);
static ngx_int_t ngx_ors_answer_whole(ngx_ors_answer_t *answer,
    ngx_int_t (*handler)(void *data, ngx_str_t *text));
static ngx_int_t ngx_ors_answer_cut(ngx_ors_answer_t *answer);
static ngx_int_t ngx_ors_answer_fail(ngx_ors_answer_t *answer);
static ngx_int_t ngx_ors_answer_over(ngx_ors_answer_t *answer, ngx_int_t rc);
static u_char *ngx_ors_answer_said_quoted(u_char *p, u_char *first,
    u_char *last);
static u_char *ngx_ors_answer_said_word(u_char *p, u_char *last);
static ngx_uint_t ngx_ors_answer_said_secret(u_char *p, size_t len);


void
ngx_ors_answer_init(ngx_ors_answer_t *answer, ngx_ors_limits_t *limits,
    ngx_pool_t *pool, ngx_log_t *log)
{
    ngx_memzero(answer, sizeof(ngx_ors_answer_t));

    answer->limits = limits;
    answer->pool = pool;
    answer->log = log;
}


void
ngx_ors_answer_reset(ngx_ors_answer_t *answer)
{
    answer->state = ngx_ors_answer_st_header;
    answer->status = 0;
    answer->cut = 0;
    answer->level = 0;
    answer->gathered.last = answer->gathered.pos;

    ngx_memzero(&answer->failure, sizeof(ngx_ors_error_t));
}


ngx_int_t
ngx_ors_answer_header(ngx_ors_answer_t *answer, ngx_uint_t status,
    ngx_str_t *type, off_t length)
{
    answer->status = status;

    if (status < 200 || status > 299) {
        ngx_log_debug1(NGX_LOG_DEBUG_HTTP, answer->log, 0,
                       "ors answer: error document, status %ui", status);

        answer->state = ngx_ors_answer_st_error;
        return NGX_OK;
    }

    if (status == 206) {
        return ngx_ors_answer_refuse(answer, "it is a part of a document");
    }

    if (answer->form != ngx_ors_answer_json
        && ngx_ors_mime_is(type, "text/event-stream"))
    {
        return ngx_ors_answer_begin_stream(answer);
    }

    if (ngx_ors_mime_is(type, "application/json")) {
        return ngx_ors_answer_begin_document(answer, length);
    }

    return ngx_ors_answer_refuse(answer,
                                (answer->form == ngx_ors_answer_json)
                                ? "it is not JSON"
                                : "it is neither JSON nor an event stream");
}


static ngx_int_t
ngx_ors_answer_begin_stream(ngx_ors_answer_t *answer)
{
    if (answer->form == ngx_ors_answer_document) {
        return ngx_ors_answer_refuse(answer,
                                     "it is an event stream, a document "
                                     "was asked for");
    }

    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, answer->log, 0,
                   "ors answer: stream, status %ui", answer->status);

    answer->state = ngx_ors_answer_st_stream;

    ngx_ors_sse_init(&answer->sse, answer->pool, answer->limits->event);

    return NGX_OK;
}


static ngx_int_t
ngx_ors_answer_begin_document(ngx_ors_answer_t *answer, off_t length)
{
    if (answer->form == ngx_ors_answer_stream) {
        return ngx_ors_answer_refuse(answer,
                                     "it is a document, an event stream "
                                     "was asked for");
    }

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, answer->log, 0,
                   "ors answer: document, status %ui, length %O",
                   answer->status, length);

    answer->state = ngx_ors_answer_st_document;

    if (length > (off_t) answer->limits->answer) {
        return ngx_ors_answer_gather(answer, NULL);
    }

    if (length > 0) {
        return ngx_ors_gather_reserve(&answer->gathered, (size_t) length,
                                      answer->pool);
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_answer_data(ngx_ors_answer_t *answer, ngx_buf_t *b)
{
    switch (answer->state) {

    case ngx_ors_answer_st_document:
        return ngx_ors_answer_gather(answer, b);

    case ngx_ors_answer_st_error:
        return ngx_ors_gather_head(&answer->gathered, b,
                                   NGX_ORS_ANSWER_ERROR_MAX, answer->pool);

    case ngx_ors_answer_st_stream:
        return ngx_ors_answer_events(answer, b);

    case ngx_ors_answer_st_over:
        return NGX_DONE;

    case ngx_ors_answer_st_header:
        break;
    }

    ngx_log_error(NGX_LOG_ALERT, answer->log, 0,
                  "data of an answer without a header");

    return NGX_ERROR;
}


ngx_int_t
ngx_ors_answer_end(ngx_ors_answer_t *answer, ngx_uint_t complete)
{
    ngx_int_t  rc;

    switch (answer->state) {

    case ngx_ors_answer_st_header:
        return ngx_ors_answer_cut(answer);

    case ngx_ors_answer_st_document:
        return complete
               ? ngx_ors_answer_whole(answer, answer->handler->document)
               : ngx_ors_answer_cut(answer);

    case ngx_ors_answer_st_error:
        return ngx_ors_answer_whole(answer, answer->handler->error);

    case ngx_ors_answer_st_stream:

        if (ngx_ors_sse_end(&answer->sse) == NGX_OK) {
            rc = ngx_ors_answer_event(answer);

            if (rc != NGX_OK) {
                return rc;
            }
        }

        return ngx_ors_answer_end_stream(answer, 0);

    case ngx_ors_answer_st_over:
        break;
    }

    return NGX_DONE;
}


ngx_int_t
ngx_ors_answer_refuse(ngx_ors_answer_t *answer, const char *what)
{
    if (answer->state == ngx_ors_answer_st_over) {
        return NGX_DONE;
    }

    (void) ngx_ors_error_set(&answer->failure, answer->pool,
                             ngx_ors_code_invalid_upstream_answer,
                             "the model server's answer was refused: %s",
                             what);

    return ngx_ors_answer_fail(answer);
}


/* "b" NULL: the length says that the document is too large */

static ngx_int_t
ngx_ors_answer_gather(ngx_ors_answer_t *answer, ngx_buf_t *b)
{
    ngx_int_t  rc;

    rc = (b == NULL) ? NGX_DECLINED
                     : ngx_ors_gather(&answer->gathered, b,
                                      answer->limits->answer, answer->pool);

    if (rc != NGX_DECLINED) {
        return rc;
    }

    (void) ngx_ors_error_set(&answer->failure, answer->pool,
                             ngx_ors_code_answer_too_large,
                             "the model server's answer is over the limit of "
                             "%uz bytes", answer->limits->answer);

    return ngx_ors_answer_fail(answer);
}


static ngx_int_t
ngx_ors_answer_events(ngx_ors_answer_t *answer, ngx_buf_t *b)
{
    ngx_int_t  rc;

    for ( ;; ) {

        rc = ngx_ors_sse_read(&answer->sse, b);

        ngx_ors_answer_comments(answer);

        switch (rc) {

        case NGX_OK:
            break;

        case NGX_AGAIN:
            return NGX_OK;

        case NGX_DECLINED:
            (void) ngx_ors_error_set(&answer->failure, answer->pool,
                                     ngx_ors_code_event_too_large,
                                     "an event of the model server's stream "
                                     "is over the limit of %uz bytes",
                                     answer->limits->event);

            return ngx_ors_answer_fail(answer);

        default: /* NGX_ERROR */
            return NGX_ERROR;
        }

        rc = ngx_ors_answer_event(answer);

        if (rc != NGX_OK) {
            return rc;
        }
    }
}


static ngx_int_t
ngx_ors_answer_event(ngx_ors_answer_t *answer)
{
    ngx_str_t  *data;

    data = &answer->sse.data;

    /* some servers send empty events to keep the connection alive */

    if (data->len == 0) {
        answer->sse.comments++;
        ngx_ors_answer_comments(answer);
        return NGX_OK;
    }

    if (data->len >= 6 && ngx_memcmp(data->data, "[DONE]", 6) == 0) {
        return ngx_ors_answer_end_stream(answer, 1);
    }

    return ngx_ors_answer_over(answer, answer->handler->event(answer->data));
}


static void
ngx_ors_answer_comments(ngx_ors_answer_t *answer)
{
    while (answer->sse.comments) {
        answer->sse.comments--;

        if (answer->handler->comment) {
            answer->handler->comment(answer->data);
        }
    }
}


static ngx_int_t
ngx_ors_answer_end_stream(ngx_ors_answer_t *answer, ngx_uint_t done)
{
    ngx_int_t  rc;

    rc = answer->handler->end(answer->data, done);

    return (rc == NGX_DECLINED) ? ngx_ors_answer_cut(answer)
                                : ngx_ors_answer_over(answer, rc);
}


static ngx_int_t
ngx_ors_answer_whole(ngx_ors_answer_t *answer,
    ngx_int_t (*handler)(void *data, ngx_str_t *text))
{
    ngx_str_t  text;

    text.data = answer->gathered.pos;
    text.len = answer->gathered.last - answer->gathered.pos;

    return ngx_ors_answer_over(answer, handler(answer->data, &text));
}


static ngx_int_t
ngx_ors_answer_cut(ngx_ors_answer_t *answer)
{
    answer->cut = 1;

    (void) ngx_ors_error_set(&answer->failure, answer->pool,
                             ngx_ors_code_upstream_disconnected,
                             "the model server's answer ended before it was "
                             "complete");

    return ngx_ors_answer_fail(answer);
}


static ngx_int_t
ngx_ors_answer_fail(ngx_ors_answer_t *answer)
{
    ngx_log_debug1(NGX_LOG_DEBUG_HTTP, answer->log, 0,
                   "ors answer: failure %V", &answer->failure.code);

    return ngx_ors_answer_over(answer, answer->handler->failure(answer->data));
}


static ngx_int_t
ngx_ors_answer_over(ngx_ors_answer_t *answer, ngx_int_t rc)
{
    if (rc == NGX_DONE) {
        answer->state = ngx_ors_answer_st_over;
    }

    return rc;
}


/*
 * Messages of model servers without what may be of a prompt or a key.
 */


u_char *
ngx_ors_answer_said(u_char *buf, ngx_str_t *text)
{
    u_char  *d, *p, *last, *end;
    size_t   len;

    d = buf;
    last = text->data + text->len;

    for (p = text->data; p < last; p = end) {

        if (ngx_ors_answer_said_cuts(buf, d)) {
            break;
        }

        end = ngx_ors_answer_said_quoted(p, text->data, last);

        if (end == p) {
            end = ngx_ors_answer_said_word(p, last);
            len = end - p;

            if (!ngx_ors_answer_said_secret(p, len)) {

                if (len > (size_t) (buf + NGX_ORS_LINE_MAX - d)) {
                    break;
                }

                d = ngx_ors_line_copy(d, p, len);
                continue;
            }
        }

        d = ngx_cpymem(d, NGX_ORS_ANSWER_SAID_CUT,
                       sizeof(NGX_ORS_ANSWER_SAID_CUT) - 1);
    }

    return d;
}


/*
 * The end of a quoted text that begins at "p", or "p".  One that does not end
 * goes up to the end of the message, and an apostrophe in a word is no quote.
 */

static u_char *
ngx_ors_answer_said_quoted(u_char *p, u_char *first, u_char *last)
{
    u_char  *end;

    if (*p != '"' && *p != '\'' && *p != '`') {
        return p;
    }

    if (*p == '\'' && p > first && ngx_ors_answer_said_letter(p[-1])) {
        return p;
    }

    /*
     * quotes may be in the text: it ends with the last one of its kind that
     * no letter follows
     */

    for (end = last - 1; end > p; end--) {
        if (*end == *p
            && (end + 1 == last || !ngx_ors_answer_said_letter(end[1])))
        {
            return end + 1;
        }
    }

    return last;
}


/* a word, or one character that is none */

static u_char *
ngx_ors_answer_said_word(u_char *p, u_char *last)
{
    u_char  *end;

    for (end = p; end < last; end++) {
        if (*end <= ' ' || *end == '"' || *end == '\'' || *end == '`') {
            break;
        }
    }

    return (end == p) ? p + 1 : end;
}


static ngx_uint_t
ngx_ors_answer_said_secret(u_char *p, size_t len)
{
    return len > NGX_ORS_ANSWER_SAID_WORD
           || (len > 3 && ngx_strncasecmp(p, (u_char *) "sk-", 3) == 0);
}


void
ngx_ors_answer_said_log(ngx_ors_answer_t *answer, ngx_ors_error_t *err,
    ngx_ors_request_t *req)
{
    u_char     buf[NGX_ORS_LINE_MAX];
    ngx_str_t  text;

    if (err->message.len == 0) {
        return;
    }

    text.data = buf;
    text.len = ngx_ors_answer_said(buf, &err->message) - buf;

    ngx_log_error(ngx_ors_answer_said_level(answer, err, req), answer->log, 0,
                  "model server says: %V", &text);
}


ngx_uint_t
ngx_ors_answer_said_level(ngx_ors_answer_t *answer, ngx_ors_error_t *err,
    ngx_ors_request_t *req)
{
    switch (answer->status) {

    case 404:

        /* neither a model nor a response is absent: a wrong path */

        if (req && !req->field[ngx_ors_rq_previous_response_id]
            && !ngx_ors_same(&err->code,
                             &ngx_ors_codes[ngx_ors_code_model_not_found].name))
        {
            /* all lines about an answer have one level */

            if (answer->level == 0) {
                answer->level = (answer->astray == NULL
                                 || ngx_ors_minute(answer->astray, ngx_time()))
                                ? NGX_LOG_ERR : NGX_LOG_INFO;
            }

            return answer->level;
        }

        /* fall through */

    case 400:
    case 413:
    case 422:
        return NGX_LOG_INFO;
    }

    return NGX_LOG_ERR;
}
