
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A scanner that tells reasoning from text by its tags, in any pieces.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_tags.h>
#include <ngx_ors_json.h>
#include <ngx_ors_utf8.h>


#define ngx_ors_tags_space(ch)                                               \
    ((ch) == ' ' || (ch) == LF || (ch) == CR || (ch) == '\t')

/* punctuation after an address that belongs to the sentence */
#define NGX_ORS_CITATION_TRAIL  4

#define NGX_ORS_SOURCES_FIRST   8
#define NGX_ORS_SOURCES_MAX     1000
#define NGX_ORS_SOURCE_URL      2048
#define NGX_ORS_SOURCE_TITLE    512


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
static ngx_int_t ngx_ors_source_add(ngx_ors_sources_t *sources,
    ngx_pool_t *pool, ngx_ors_web_source_t *source, ngx_str_t *address);
static ngx_uint_t ngx_ors_citation_begins(ngx_str_t *text, size_t pos);
static size_t ngx_ors_citation_address(ngx_str_t *text, size_t pos,
    ngx_uint_t link);
static ngx_ors_web_source_t *ngx_ors_citation_source(ngx_ors_sources_t *sources,
    ngx_str_t *text, size_t pos, size_t *end, ngx_uint_t link);
static size_t ngx_ors_citation_label(ngx_str_t *text, size_t pos, size_t first);
static ngx_uint_t ngx_ors_citation_point(ngx_ors_citation_t *citation,
    size_t pos);


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


/*
 * A scanner for addresses in a text, which looks at each of its bytes a few
 * times, however many sources and addresses there are.
 */


ngx_int_t
ngx_ors_sources_add(ngx_ors_sources_t *sources, ngx_ors_limits_t *limits,
    ngx_pool_t *pool, ngx_str_t *list)
{
    ngx_int_t              rc;
    ngx_str_t              address;
    ngx_ors_json_t         json;
    ngx_ors_json_node_t   *node, *url;
    ngx_ors_web_source_t   source;

    if (sources->list.elts == NULL
        && ngx_array_init(&sources->list, pool, NGX_ORS_SOURCES_FIRST,
                          sizeof(ngx_ors_web_source_t))
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_ors_json_init(&json, pool, limits->depth, limits->nodes);

    rc = ngx_ors_json_read(&json, list->data, list->len);

    if (rc != NGX_OK) {
        return (rc == NGX_DECLINED) ? NGX_OK : NGX_ERROR;
    }

    for (node = ngx_ors_json_first(&json, json.nodes);
         node && sources->urls.n < NGX_ORS_SOURCES_MAX;
         node = ngx_ors_json_next(&json, node))
    {
        url = ngx_ors_json_find(&json, node, "url");

        ngx_ors_json_inner(&json, url, &source.url);
        ngx_ors_json_inner(&json, ngx_ors_json_find(&json, node, "title"),
                           &source.title);

        if (source.url.len == 0 || source.url.len > NGX_ORS_SOURCE_URL) {
            continue;
        }

        if (source.title.len == 0
            || source.title.len > NGX_ORS_SOURCE_TITLE)
        {
            source.title = source.url;
        }

        if (ngx_ors_json_copy(&json, url, pool, &address) != NGX_OK
            || ngx_ors_source_add(sources, pool, &source, &address) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* of an address that comes twice the first title counts */

static ngx_int_t
ngx_ors_source_add(ngx_ors_sources_t *sources, ngx_pool_t *pool,
    ngx_ors_web_source_t *source, ngx_str_t *address)
{
    ngx_uint_t             n;
    ngx_ors_name_t        *name;
    ngx_ors_web_source_t  *copy;

    if (!ngx_ors_citation_begins(address, 0)) {
        return NGX_OK;
    }

    n = sources->urls.n;

    name = ngx_ors_names_entry(&sources->urls, pool, address);
    if (name == NULL) {
        return NGX_ERROR;
    }

    if (sources->urls.n == n) {
        return NGX_OK;
    }

    name->value = n;

    copy = ngx_array_push(&sources->list);
    if (copy == NULL) {
        return NGX_ERROR;
    }

    *copy = *source;
    copy->url.data = ngx_pstrdup(pool, &source->url);
    copy->title.data = ngx_pstrdup(pool, &source->title);

    return (copy->url.data && copy->title.data) ? NGX_OK : NGX_ERROR;
}


ngx_int_t
ngx_ors_citation_next(ngx_ors_sources_t *sources, ngx_ors_citation_t *citation)
{
    size_t      pos, end, start;
    u_char     *p;
    ngx_str_t  *text;
    ngx_uint_t  link;

    text = &citation->text;

    for (pos = citation->pos; pos < text->len; pos++) {

        p = memchr(text->data + pos, 'h', text->len - pos);
        if (p == NULL) {
            break;
        }

        pos = p - text->data;

        if (!ngx_ors_citation_begins(text, pos)) {
            continue;
        }

        start = pos;
        link = (pos >= citation->last + 2 && p[-1] == '(' && p[-2] == ']');
        end = ngx_ors_citation_address(text, pos, link);

        if (link && (end == text->len || text->data[end] != ')')) {
            link = 0;
        }

        citation->pos = end;

        /* more of it could have followed */

        if (!citation->cut || end != text->len) {
            citation->source = ngx_ors_citation_source(sources, text, pos, &end,
                                                       link);
        } else {
            citation->source = NULL;
        }

        if (citation->source && link) {
            start = ngx_ors_citation_label(text, pos, citation->last);
            end += (start < pos);
        }

        citation->last = citation->pos;

        if (citation->source) {
            citation->start = ngx_ors_citation_point(citation, start);
            citation->end = ngx_ors_citation_point(citation, end);

            return NGX_OK;
        }

        pos = end - 1;
    }

    return NGX_DONE;
}


/* a scheme, which is no end of another word */

static ngx_uint_t
ngx_ors_citation_begins(ngx_str_t *text, size_t pos)
{
    u_char  *p, ch;
    size_t   len;

    p = text->data + pos;
    len = text->len - pos;

    if (pos) {
        ch = p[-1] | 0x20;

        if ((ch >= 'a' && ch <= 'z') || (p[-1] >= '0' && p[-1] <= '9')) {
            return 0;
        }
    }

    return (len > 7 && ngx_memcmp(p, "http://", 7) == 0)
           || (len > 8 && ngx_memcmp(p, "https://", 8) == 0);
}


/*
 * The end of the address: of a link a bracket that closes what the address has
 * not opened
 */

static size_t
ngx_ors_citation_address(ngx_str_t *text, size_t pos, ngx_uint_t link)
{
    u_char      ch;
    ngx_uint_t  open;

    open = 0;

    for ( /* void */ ; pos < text->len; pos++) {

        ch = text->data[pos];

        if (ch <= ' ' || ch == 0x7f
            || ngx_strchr("\"<>[\\]^`{|}", ch) != NULL)
        {
            break;
        }

        if (link && ch == '(') {
            open++;
        }

        if (link && ch == ')' && open-- == 0) {
            break;
        }
    }

    return pos;
}


/* the longest address counts, "*end" is set to its end; NULL: no source's */

static ngx_ors_web_source_t *
ngx_ors_citation_source(ngx_ors_sources_t *sources, ngx_str_t *text, size_t pos,
    size_t *end, ngx_uint_t link)
{
    ngx_str_t              address;
    ngx_uint_t             n;
    ngx_ors_name_t        *name;
    ngx_ors_web_source_t  *source;

    source = sources->list.elts;
    address.data = text->data + pos;
    address.len = *end - pos;

    if (address.len > NGX_ORS_SOURCE_URL) {
        return NULL;
    }

    for (n = 0; /* void */ ; n++) {

        name = ngx_ors_names_find(&sources->urls, &address);

        if (name) {
            *end = pos + address.len;
            return &source[name->value];
        }

        if (link || n == NGX_ORS_CITATION_TRAIL
            || ngx_strchr(".,;:!?)'*_~", address.data[address.len - 1])
               == NULL)
        {
            return NULL;
        }

        address.len--;
    }
}


/* where "[label](" begins, "pos" if it does not */

static size_t
ngx_ors_citation_label(ngx_str_t *text, size_t pos, size_t first)
{
    size_t      i;
    ngx_uint_t  open;

    open = 0;

    for (i = pos - 1; i-- > first; /* void */ ) {

        switch (text->data[i]) {

        case LF:
            return pos;

        case ']':
            open++;
            break;

        case '[':

            if (--open == 0) {
                return i;
            }

            break;
        }
    }

    return pos;
}


/* positions are asked for in ascending order */

static ngx_uint_t
ngx_ors_citation_point(ngx_ors_citation_t *citation, size_t pos)
{
    citation->points += ngx_ors_utf8_length(citation->text.data
                                            + citation->counted,
                                            pos - citation->counted);
    citation->counted = pos;

    return citation->points;
}
