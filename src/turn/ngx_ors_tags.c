
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A scanner that tells reasoning from text by its tags, in any pieces.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_tags.h>


#define ngx_ors_tags_space(ch)                                               \
    ((ch) == ' ' || (ch) == LF || (ch) == CR || (ch) == '\t')


static ngx_int_t ngx_ors_tags_start(ngx_ors_tags_t *tags, ngx_str_t *text,
    ngx_str_t *piece);
static void ngx_ors_tags_untagged(ngx_ors_tags_t *tags);
static ngx_int_t ngx_ors_tags_thought(ngx_ors_tags_t *tags,
    ngx_str_t *text, ngx_str_t *piece);
static void ngx_ors_tags_skip(ngx_ors_tags_t *tags, ngx_str_t *text,
    ngx_ors_tags_state_e next);
static void ngx_ors_tags_hold(ngx_ors_tags_t *tags, u_char *p, size_t len);
static void ngx_ors_tags_held(ngx_ors_tags_t *tags, ngx_str_t *piece);
static void ngx_ors_tags_take(ngx_str_t *text, u_char *p);
static size_t ngx_ors_tags_char(u_char *p, u_char *last, u_char *ch);


static ngx_str_t  ngx_ors_tags_open_tag = ngx_string("<think>");
static ngx_str_t  ngx_ors_tags_close_tag = ngx_string("</think>");


ngx_int_t
ngx_ors_tags_next(ngx_ors_tags_t *tags, ngx_str_t *text, ngx_str_t *piece,
    ngx_uint_t *thought)
{
    ngx_int_t  rc;

    while (text->len) {
        rc = NGX_AGAIN;

        switch (tags->state) {

        case ngx_ors_tags_st_start:
            rc = ngx_ors_tags_start(tags, text, piece);
            *thought = (tags->state == ngx_ors_tags_st_thought);
            break;

        case ngx_ors_tags_st_opened:
            ngx_ors_tags_skip(tags, text, ngx_ors_tags_st_thought);
            break;

        case ngx_ors_tags_st_thought:
            rc = ngx_ors_tags_thought(tags, text, piece);
            *thought = 1;
            break;

        case ngx_ors_tags_st_closed:
            ngx_ors_tags_skip(tags, text, ngx_ors_tags_st_text);
            break;

        case ngx_ors_tags_st_text:
            *piece = *text;
            ngx_ors_tags_take(text, text->data + text->len);
            *thought = 0;
            return NGX_OK;
        }

        if (rc == NGX_OK) {
            return NGX_OK;
        }
    }

    return NGX_AGAIN;
}


ngx_int_t
ngx_ors_tags_end(ngx_ors_tags_t *tags, ngx_str_t *piece,
    ngx_uint_t *thought)
{
    if (tags->match == 0) {
        tags->len = 0;
        return NGX_DECLINED;
    }

    if (tags->state == ngx_ors_tags_st_start) {
        ngx_ors_tags_untagged(tags);
    }

    *thought = (tags->state == ngx_ors_tags_st_thought);

    ngx_ors_tags_held(tags, piece);

    return NGX_OK;
}


/* all is held back until it is certain whether the tag is there */

static ngx_int_t
ngx_ors_tags_start(ngx_ors_tags_t *tags, ngx_str_t *text,
    ngx_str_t *piece)
{
    size_t      n;
    u_char     *p, *last, ch;
    ngx_str_t  *tag;

    tag = &ngx_ors_tags_open_tag;

    p = text->data;
    last = p + text->len;

    while (p < last) {
        n = ngx_ors_tags_char(p, last, &ch);

        if (tags->len + n > NGX_ORS_TAGS_HELD) {
            break;
        }

        if (ch == tag->data[tags->match]) {
            tags->match++;

        } else if (tags->match || !ngx_ors_tags_space(ch)) {
            break;
        }

        p += n;

        /* white space is dropped before a thought, a text may begin with it */

        if (tags->match || tags->mode != ngx_ors_chat_think_open) {
            ngx_ors_tags_hold(tags, p - n, n);
        }

        if (tags->match == tag->len) {
            tags->state = ngx_ors_tags_st_opened;
            tags->match = 0;
            tags->len = 0;
            break;
        }
    }

    ngx_ors_tags_take(text, p);

    if (tags->state == ngx_ors_tags_st_opened || p == last) {
        return NGX_AGAIN;
    }

    ngx_ors_tags_untagged(tags);

    /* the bracket may be that of the other tag */

    if (tags->state == ngx_ors_tags_st_thought && tags->match == 1) {
        return NGX_AGAIN;
    }

    ngx_ors_tags_held(tags, piece);

    return piece->len ? NGX_OK : NGX_AGAIN;
}


/* the text does not begin with the tag */

static void
ngx_ors_tags_untagged(ngx_ors_tags_t *tags)
{
    tags->state = (tags->mode == ngx_ors_chat_think_open)
                   ? ngx_ors_tags_st_thought : ngx_ors_tags_st_text;
}


static ngx_int_t
ngx_ors_tags_thought(ngx_ors_tags_t *tags, ngx_str_t *text,
    ngx_str_t *piece)
{
    size_t      n;
    u_char     *p, *last, *mark, ch;
    ngx_str_t  *tag;

    tag = &ngx_ors_tags_close_tag;

    p = text->data;
    last = p + text->len;

    /* where that begins, in this text, which has matched */
    mark = p;

    while (p < last) {
        n = ngx_ors_tags_char(p, last, &ch);

        if (ch == tag->data[tags->match]) {

            if (tags->match == 0) {
                mark = p;
            }

            p += n;

            if (++tags->match == tag->len) {
                tags->state = ngx_ors_tags_st_closed;
                tags->match = 0;
                tags->len = 0;
                break;
            }

        } else if (tags->len) {

            /* the rest is looked at again, without it */

            ngx_ors_tags_held(tags, piece);
            return NGX_OK;

        } else if (tags->match) {
            tags->match = 0;

        } else {
            p += n;
        }
    }

    if (tags->state == ngx_ors_tags_st_thought) {

        if (tags->match) {
            ngx_ors_tags_hold(tags, mark, last - mark);

        } else {
            mark = last;
        }
    }

    piece->data = text->data;
    piece->len = mark - text->data;

    ngx_ors_tags_take(text, p);

    return piece->len ? NGX_OK : NGX_AGAIN;
}


static void
ngx_ors_tags_skip(ngx_ors_tags_t *tags, ngx_str_t *text,
    ngx_ors_tags_state_e next)
{
    size_t   n;
    u_char  *p, *last, ch;

    p = text->data;
    last = p + text->len;

    while (p < last) {
        n = ngx_ors_tags_char(p, last, &ch);

        if (!ngx_ors_tags_space(ch)) {
            tags->state = next;
            break;
        }

        p += n;
    }

    ngx_ors_tags_take(text, p);
}


/* there is room: of a tag that closes no letter is longer than an escape */

static void
ngx_ors_tags_hold(ngx_ors_tags_t *tags, u_char *p, size_t len)
{
    ngx_memcpy(tags->held + tags->len, p, len);
    tags->len += len;
}


static void
ngx_ors_tags_held(ngx_ors_tags_t *tags, ngx_str_t *piece)
{
    piece->data = tags->held;
    piece->len = tags->len;

    tags->match = 0;
    tags->len = 0;
}


static void
ngx_ors_tags_take(ngx_str_t *text, u_char *p)
{
    text->len -= p - text->data;
    text->data = p;
}


/* one character and how it is spelled; any that is not ASCII is no other */

static size_t
ngx_ors_tags_char(u_char *p, u_char *last, u_char *ch)
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
