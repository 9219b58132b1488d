
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Messages of model servers without what may be of a prompt or a key.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_answer_said.h>
#include <ngx_ors_names.h>


/* a word of a message that is longer may be a key, or data */
#define NGX_ORS_ANSWER_SAID_WORD  24

#define NGX_ORS_ANSWER_SAID_CUT   "..."


#define ngx_ors_answer_said_cuts(buf, p)                                      \
    ((size_t) ((p) - (buf)) + sizeof(NGX_ORS_ANSWER_SAID_CUT)                 \
     > NGX_ORS_LINE_MAX)


#define ngx_ors_answer_said_letter(ch)                                        \
    (((ch) | 0x20) >= 'a' && ((ch) | 0x20) <= 'z')


static u_char *ngx_ors_answer_said_quoted(u_char *p, u_char *first,
    u_char *last);
static u_char *ngx_ors_answer_said_word(u_char *p, u_char *last);
static ngx_uint_t ngx_ors_answer_said_secret(u_char *p, size_t len);


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
ngx_ors_answer_said_log(ngx_log_t *log, ngx_ors_error_t *err,
    ngx_uint_t status, ngx_ors_request_t *req)
{
    u_char     buf[NGX_ORS_LINE_MAX];
    ngx_str_t  text;

    if (err->message.len == 0) {
        return;
    }

    text.data = buf;
    text.len = ngx_ors_answer_said(buf, &err->message) - buf;

    ngx_log_error(ngx_ors_answer_said_level(err, status, req), log, 0,
                  "model server says: %V", &text);
}


ngx_uint_t
ngx_ors_answer_said_level(ngx_ors_error_t *err, ngx_uint_t status,
    ngx_ors_request_t *req)
{
    switch (status) {

    case 404:

        /* neither a model nor a response is absent: a wrong path */

        if (req && !req->field[ngx_ors_rq_previous_response_id]
            && !ngx_ors_same(&err->code,
                             &ngx_ors_codes[ngx_ors_code_model_not_found].name))
        {
            return NGX_LOG_ERR;
        }

        /* fall through */

    case 400:
    case 413:
    case 422:
        return NGX_LOG_INFO;
    }

    return NGX_LOG_ERR;
}
