
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_think.h>


#define ngx_ors_think_space(ch)                                               \
    ((ch) == ' ' || (ch) == LF || (ch) == CR || (ch) == '\t')


static ngx_int_t ngx_ors_think_start(ngx_ors_think_t *think, ngx_str_t *text,
    ngx_str_t *piece);
static void ngx_ors_think_untagged(ngx_ors_think_t *think);
static ngx_int_t ngx_ors_think_thought(ngx_ors_think_t *think,
    ngx_str_t *text, ngx_str_t *piece);
static void ngx_ors_think_skip(ngx_ors_think_t *think, ngx_str_t *text,
    ngx_ors_think_state_e next);
static ngx_int_t ngx_ors_think_text(ngx_str_t *text, ngx_str_t *piece);
static void ngx_ors_think_hold(ngx_ors_think_t *think, u_char *p, size_t len);
static void ngx_ors_think_held(ngx_ors_think_t *think, ngx_str_t *piece);
static void ngx_ors_think_take(ngx_str_t *text, u_char *p);
static size_t ngx_ors_think_char(u_char *p, u_char *last, u_char *ch);


static ngx_str_t  ngx_ors_think_open_tag = ngx_string("<think>");
static ngx_str_t  ngx_ors_think_close_tag = ngx_string("</think>");


ngx_int_t
ngx_ors_think_next(ngx_ors_think_t *think, ngx_str_t *text, ngx_str_t *piece,
    ngx_uint_t *thought)
{
    ngx_int_t  rc;

    while (text->len) {
        rc = NGX_AGAIN;

        switch (think->state) {

        case ngx_ors_think_st_start:
            rc = ngx_ors_think_start(think, text, piece);
            *thought = (think->state == ngx_ors_think_st_thought);
            break;

        case ngx_ors_think_st_opened:
            ngx_ors_think_skip(think, text, ngx_ors_think_st_thought);
            break;

        case ngx_ors_think_st_thought:
            rc = ngx_ors_think_thought(think, text, piece);
            *thought = 1;
            break;

        case ngx_ors_think_st_closed:
            ngx_ors_think_skip(think, text, ngx_ors_think_st_text);
            break;

        case ngx_ors_think_st_text:
            rc = ngx_ors_think_text(text, piece);
            *thought = 0;
            break;
        }

        if (rc == NGX_OK) {
            return NGX_OK;
        }
    }

    return NGX_AGAIN;
}


ngx_int_t
ngx_ors_think_end(ngx_ors_think_t *think, ngx_str_t *piece,
    ngx_uint_t *thought)
{
    if (think->match == 0) {
        think->len = 0;
        return NGX_DECLINED;
    }

    if (think->state == ngx_ors_think_st_start) {
        ngx_ors_think_untagged(think);
    }

    *thought = (think->state == ngx_ors_think_st_thought);

    ngx_ors_think_held(think, piece);

    return NGX_OK;
}


/* all is held back until it is certain whether the tag is there */

static ngx_int_t
ngx_ors_think_start(ngx_ors_think_t *think, ngx_str_t *text,
    ngx_str_t *piece)
{
    size_t      n;
    u_char     *p, *last, ch;
    ngx_str_t  *tag;

    tag = &ngx_ors_think_open_tag;

    p = text->data;
    last = p + text->len;

    while (p < last) {
        n = ngx_ors_think_char(p, last, &ch);

        if (think->len + n > NGX_ORS_THINK_HELD) {
            break;
        }

        if (ch == tag->data[think->match]) {
            think->match++;

        } else if (think->match || !ngx_ors_think_space(ch)) {
            break;
        }

        p += n;

        /* in a thought white space is nobody's, in a text it may be its */

        if (think->match || think->mode != ngx_ors_think_open) {
            ngx_ors_think_hold(think, p - n, n);
        }

        if (think->match == tag->len) {
            think->state = ngx_ors_think_st_opened;
            think->match = 0;
            think->len = 0;
            break;
        }
    }

    ngx_ors_think_take(text, p);

    if (think->state == ngx_ors_think_st_opened || p == last) {
        return NGX_AGAIN;
    }

    ngx_ors_think_untagged(think);

    /* the bracket may be that of the other tag */

    if (think->state == ngx_ors_think_st_thought && think->match == 1) {
        return NGX_AGAIN;
    }

    ngx_ors_think_held(think, piece);

    return piece->len ? NGX_OK : NGX_AGAIN;
}


/* the text does not begin with the tag */

static void
ngx_ors_think_untagged(ngx_ors_think_t *think)
{
    think->state = (think->mode == ngx_ors_think_open)
                   ? ngx_ors_think_st_thought : ngx_ors_think_st_text;
}


static ngx_int_t
ngx_ors_think_thought(ngx_ors_think_t *think, ngx_str_t *text,
    ngx_str_t *piece)
{
    size_t      n;
    u_char     *p, *last, *mark, ch;
    ngx_str_t  *tag;

    tag = &ngx_ors_think_close_tag;

    p = text->data;
    last = p + text->len;

    /* where that begins, in this text, which has matched */
    mark = p;

    while (p < last) {
        n = ngx_ors_think_char(p, last, &ch);

        if (ch == tag->data[think->match]) {

            if (think->match == 0) {
                mark = p;
            }

            p += n;

            if (++think->match == tag->len) {
                think->state = ngx_ors_think_st_closed;
                think->match = 0;
                think->len = 0;
                break;
            }

        } else if (think->len) {

            /* the rest is looked at again, without it */

            ngx_ors_think_held(think, piece);
            return NGX_OK;

        } else if (think->match) {
            think->match = 0;

        } else {
            p += n;
        }
    }

    if (think->state == ngx_ors_think_st_thought) {

        if (think->match) {
            ngx_ors_think_hold(think, mark, last - mark);

        } else {
            mark = last;
        }
    }

    piece->data = text->data;
    piece->len = mark - text->data;

    ngx_ors_think_take(text, p);

    return piece->len ? NGX_OK : NGX_AGAIN;
}


static void
ngx_ors_think_skip(ngx_ors_think_t *think, ngx_str_t *text,
    ngx_ors_think_state_e next)
{
    size_t   n;
    u_char  *p, *last, ch;

    p = text->data;
    last = p + text->len;

    while (p < last) {
        n = ngx_ors_think_char(p, last, &ch);

        if (!ngx_ors_think_space(ch)) {
            think->state = next;
            break;
        }

        p += n;
    }

    ngx_ors_think_take(text, p);
}


static ngx_int_t
ngx_ors_think_text(ngx_str_t *text, ngx_str_t *piece)
{
    *piece = *text;

    ngx_ors_think_take(text, text->data + text->len);

    return NGX_OK;
}


/* there is room: of a tag that closes no letter is longer than an escape */

static void
ngx_ors_think_hold(ngx_ors_think_t *think, u_char *p, size_t len)
{
    ngx_memcpy(think->held + think->len, p, len);
    think->len += len;
}


static void
ngx_ors_think_held(ngx_ors_think_t *think, ngx_str_t *piece)
{
    piece->data = think->held;
    piece->len = think->len;

    think->match = 0;
    think->len = 0;
}


static void
ngx_ors_think_take(ngx_str_t *text, u_char *p)
{
    text->len -= p - text->data;
    text->data = p;
}


/* one character and how it is spelled; any that is not ASCII is no other */

static size_t
ngx_ors_think_char(u_char *p, u_char *last, u_char *ch)
{
    size_t     n;
    ngx_int_t  code;

    *ch = *p;

    if (*p != '\\' || last - p < 2) {
        return 1;
    }

    n = 2;

    switch (p[1]) {

    case 'n':
        *ch = LF;
        break;

    case 'r':
        *ch = CR;
        break;

    case 't':
        *ch = '\t';
        break;

    case '/':
        *ch = '/';
        break;

    case 'u':
        n = ngx_min((size_t) (last - p), 6);
        code = ngx_hextoi(p + 2, n - 2);
        *ch = (code > 0 && code < 0x80) ? (u_char) code : 0;
        break;

    default:
        *ch = 0;
        break;
    }

    return n;
}
