
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * An event stream: its lines are read into events, and the bytes of an answer
 * are moved through their reader while there is room for its output.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_sse.h>
#include <ngx_ors_names.h>
#include <ngx_ors_vec.h>


#define NGX_ORS_SSE_BUF_MIN  1024

/* no line of an event has come, nor a part of one */
#define ngx_ors_sse_is_idle(sse)                                              \
    (!(sse)->has_data && (sse)->size == 0                                     \
     && (sse)->line.pos == (sse)->line.last)


typedef enum {
    ngx_ors_sse_st_start = 0,     /* in the first line */
    ngx_ors_sse_st_text,
    ngx_ors_sse_st_cr             /* after CR, LF would belong to it */
} ngx_ors_sse_state_e;


static void ngx_ors_sse_reset(ngx_ors_sse_t *sse);
static u_char *ngx_ors_sse_find_eol(u_char *p, u_char *last);
static ngx_int_t ngx_ors_sse_end_line(ngx_ors_sse_t *sse, u_char *p,
    u_char *last);
static ngx_uint_t ngx_ors_sse_over(ngx_ors_sse_t *sse, size_t len);
static ngx_int_t ngx_ors_sse_parse_line(ngx_ors_sse_t *sse, u_char *p,
    u_char *last);
static void ngx_ors_sse_resume(ngx_ors_sse_place_t *place, u_char *p,
    u_char *last);
static void ngx_ors_sse_id(ngx_ors_sse_id_t *id, ngx_str_t *value);
static void ngx_ors_sse_value(ngx_str_t *value, u_char *p, u_char *last);
static ngx_int_t ngx_ors_sse_add_data(ngx_ors_sse_t *sse, ngx_str_t *value);
static ngx_int_t ngx_ors_sse_keep(ngx_ors_sse_t *sse);
static ngx_int_t ngx_ors_sse_keep_data(ngx_ors_sse_t *sse);
static ngx_int_t ngx_ors_sse_append(ngx_ors_sse_t *sse, ngx_buf_t *b,
    u_char *data, size_t len);
static void ngx_ors_source_stop(ngx_ors_source_t *source, ngx_uint_t stop);
static ngx_ors_frame_e ngx_ors_frame_mark(ngx_str_t *event);


void
ngx_ors_sse_init(ngx_ors_sse_t *sse, ngx_pool_t *pool, size_t max)
{
    ngx_memzero(sse, sizeof(ngx_ors_sse_t));

    sse->max = max;
    sse->pool = pool;
}


ngx_int_t
ngx_ors_sse_read(ngx_ors_sse_t *sse, ngx_buf_t *b)
{
    size_t      len;
    u_char     *eol;
    ngx_int_t   rc;

    if (sse->emitted) {
        ngx_ors_sse_reset(sse);
    }

    while (b->pos < b->last) {

        if (sse->state == ngx_ors_sse_st_cr) {
            sse->state = ngx_ors_sse_st_text;

            if (*b->pos == LF) {
                b->pos++;
                continue;
            }
        }

        /* an empty line after another one ends nothing */

        if (ngx_ors_sse_is_idle(sse) && (*b->pos == LF || *b->pos == CR)) {
            sse->state = (*b->pos++ == CR) ? ngx_ors_sse_st_cr
                                           : ngx_ors_sse_st_text;
            continue;
        }

        eol = ngx_ors_sse_find_eol(b->pos, b->last);

        if (eol == b->last) {
            break;
        }

        rc = ngx_ors_sse_end_line(sse, b->pos, eol);

        sse->state = (*eol == CR) ? ngx_ors_sse_st_cr : ngx_ors_sse_st_text;
        b->pos = eol + 1;

        if (rc != NGX_AGAIN) {
            return rc;
        }
    }

    if (ngx_ors_sse_keep(sse) != NGX_OK) {
        return NGX_ERROR;
    }

    len = b->last - b->pos;

    if (ngx_ors_sse_over(sse, len)) {
        return NGX_DECLINED;
    }

    if (ngx_ors_sse_append(sse, &sse->line, b->pos, len) != NGX_OK) {
        return NGX_ERROR;
    }

    b->pos = b->last;

    return NGX_AGAIN;
}


ngx_int_t
ngx_ors_sse_end(ngx_ors_sse_t *sse)
{
    if (sse->emitted) {
        ngx_ors_sse_reset(sse);
    }

    if (!sse->has_data || sse->line.pos != sse->line.last) {
        return NGX_DONE;
    }

    sse->emitted = 1;

    return NGX_OK;
}


static void
ngx_ors_sse_reset(ngx_ors_sse_t *sse)
{
    ngx_str_null(&sse->data);
    ngx_str_null(&sse->event);

    sse->text.pos = sse->text.start;
    sse->text.last = sse->text.start;

    sse->size = 0;
    sse->has_data = 0;
    sse->emitted = 0;
}


/* the first CR or LF, or "last" */

static u_char *
ngx_ors_sse_find_eol(u_char *p, u_char *last)
{
#if (NGX_ORS_VEC)

    uint64_t       mask;
    ngx_ors_vec_t  v;

    for ( /* void */ ; last - p >= (ssize_t) sizeof(ngx_ors_vec_t);
         p += sizeof(ngx_ors_vec_t))
    {
        v = ngx_ors_vec_load(p);
        mask = ngx_ors_vec_mask((ngx_ors_vec_t) (v == LF)
                                | (ngx_ors_vec_t) (v == CR));

        if (mask) {
            return p + ngx_ors_vec_lowest(mask);
        }
    }

#endif

    while (p < last && *p != LF && *p != CR) {
        p++;
    }

    return p;
}


/* puts the pieces of a line together */

static ngx_int_t
ngx_ors_sse_end_line(ngx_ors_sse_t *sse, u_char *p, u_char *last)
{
    size_t      len;
    ngx_buf_t  *line;

    len = last - p;
    line = &sse->line;

    if (ngx_ors_sse_over(sse, len)) {
        return NGX_DECLINED;
    }

    if (line->pos == line->last) {
        return ngx_ors_sse_parse_line(sse, p, last);
    }

    if (ngx_ors_sse_append(sse, line, p, len) != NGX_OK) {
        return NGX_ERROR;
    }

    /* the bytes stay there until the next line in several pieces */

    p = line->pos;
    last = line->last;

    line->pos = line->start;
    line->last = line->start;

    return ngx_ors_sse_parse_line(sse, p, last);
}


/* 1 if the event is over the limit with "len" more bytes of its line */

static ngx_uint_t
ngx_ors_sse_over(ngx_ors_sse_t *sse, size_t len)
{
    len += sse->line.last - sse->line.pos;

    return len > sse->max - sse->size;
}


/* NGX_OK: the line ends an event; NGX_AGAIN: it does not; NGX_ERROR */

static ngx_int_t
ngx_ors_sse_parse_line(ngx_ors_sse_t *sse, u_char *p, u_char *last)
{
    size_t     len;
    ngx_str_t  value;

    len = last - p;

    if (sse->state == ngx_ors_sse_st_start
        && len >= 3 && ngx_memcmp(p, "\xef\xbb\xbf", 3) == 0)
    {
        p += 3;
        len -= 3;
    }

    if (len == 0) {

        if (sse->place && sse->place->changed) {
            sse->place->last = sse->place->next;
            sse->place->changed = 0;
        }

        if (sse->has_data) {
            sse->emitted = 1;
            return NGX_OK;
        }

        ngx_ors_sse_reset(sse);
        return NGX_AGAIN;
    }

    if (*p == ':') {
        sse->comments++;
        return NGX_AGAIN;
    }

    sse->size += len;

    if (len >= 4 && ngx_memcmp(p, "data", 4) == 0
        && (len == 4 || p[4] == ':'))
    {
        ngx_ors_sse_value(&value, p + 4, last);
        return ngx_ors_sse_add_data(sse, &value);
    }

    if (len >= 5 && ngx_memcmp(p, "event", 5) == 0
        && (len == 5 || p[5] == ':'))
    {
        ngx_ors_sse_value(&sse->event, p + 5, last);
        return NGX_AGAIN;
    }

    if (sse->place) {
        ngx_ors_sse_resume(sse->place, p, last);
    }

    return NGX_AGAIN;
}


/* "id" holds for the events that follow, if they have none */

static void
ngx_ors_sse_resume(ngx_ors_sse_place_t *place, u_char *p, u_char *last)
{
    size_t     len;
    ngx_int_t  retry;
    ngx_str_t  value;

    len = last - p;

    if (len >= 2 && ngx_memcmp(p, "id", 2) == 0 && (len == 2 || p[2] == ':')) {
        ngx_ors_sse_value(&value, p + 2, last);
        ngx_ors_sse_id(&place->next, &value);
        place->changed = 1;
        return;
    }

    if (len > 6 && ngx_memcmp(p, "retry:", 6) == 0) {
        ngx_ors_sse_value(&value, p + 5, last);
        retry = ngx_atoi(value.data, value.len);

        if (retry != NGX_ERROR) {
            place->retry = retry;
        }
    }
}


/* an id goes back to the server as a header */

static void
ngx_ors_sse_id(ngx_ors_sse_id_t *id, ngx_str_t *value)
{
    size_t  i;

    id->len = 0;

    if (value->len > NGX_ORS_SSE_ID) {
        return;
    }

    for (i = 0; i < value->len; i++) {

        if (value->data[i] < 0x20 || value->data[i] == 0x7f) {
            return;
        }
    }

    ngx_memcpy(id->data, value->data, value->len);
    id->len = value->len;
}


/* end of a field's name: nothing, or a colon and the value */

static void
ngx_ors_sse_value(ngx_str_t *value, u_char *p, u_char *last)
{
    if (p < last) {
        p++;
    }

    if (p < last && *p == ' ') {
        p++;
    }

    value->len = last - p;
    value->data = p;
}


static ngx_int_t
ngx_ors_sse_add_data(ngx_ors_sse_t *sse, ngx_str_t *value)
{
    ngx_buf_t  *text;

    if (!sse->has_data) {
        sse->has_data = 1;
        sse->data = *value;
        return NGX_AGAIN;
    }

    text = &sse->text;

    if (ngx_ors_sse_keep_data(sse) != NGX_OK
        || ngx_ors_sse_append(sse, text, (u_char *) "\n", 1) != NGX_OK
        || ngx_ors_sse_append(sse, text, value->data, value->len) != NGX_OK)
    {
        return NGX_ERROR;
    }

    sse->data.len = text->last - text->pos;
    sse->data.data = text->pos;

    return NGX_AGAIN;
}


/* the caller's buffer goes away, what is needed of it must stay */

static ngx_int_t
ngx_ors_sse_keep(ngx_ors_sse_t *sse)
{
    ngx_buf_t  *name;

    name = &sse->name;

    if (sse->has_data && ngx_ors_sse_keep_data(sse) != NGX_OK) {
        return NGX_ERROR;
    }

    if (sse->event.len && sse->event.data != name->pos) {

        name->pos = name->start;
        name->last = name->start;

        if (ngx_ors_sse_append(sse, name, sse->event.data, sse->event.len)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        sse->event.data = name->pos;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_sse_keep_data(ngx_ors_sse_t *sse)
{
    u_char     *data;
    ngx_buf_t   tmp, *line, *text;

    line = &sse->line;
    text = &sse->text;
    data = sse->data.data;

    if (data == text->pos) {
        return NGX_OK;
    }

    if (data >= line->start && data < line->end) {

        /* the line came in several pieces: take its buffer, do not copy */

        tmp = *text;
        *text = *line;
        *line = tmp;

        text->pos = data;
        text->last = data + sse->data.len;

        return NGX_OK;
    }

    if (ngx_ors_sse_append(sse, text, data, sse->data.len) != NGX_OK) {
        return NGX_ERROR;
    }

    sse->data.data = text->pos;

    return NGX_OK;
}


/* adds to the bytes of "b", which move when there is no room for more */

static ngx_int_t
ngx_ors_sse_append(ngx_ors_sse_t *sse, ngx_buf_t *b, u_char *data, size_t len)
{
    size_t   used, size;
    u_char  *p;

    if (len == 0) {
        return NGX_OK;
    }

    if (len > (size_t) (b->end - b->last)) {

        used = b->last - b->pos;

        size = ngx_max(2 * (size_t) (b->end - b->start), NGX_ORS_SSE_BUF_MIN);
        size = ngx_min(size, sse->max);
        size = ngx_max(size, used + len);

        p = ngx_pnalloc(sse->pool, size);
        if (p == NULL) {
            return NGX_ERROR;
        }

        if (used) {
            ngx_memcpy(p, b->pos, used);
        }

        if (b->start) {
            ngx_pfree(sse->pool, b->start);
        }

        b->start = p;
        b->pos = p;
        b->last = p + used;
        b->end = p + size;
    }

    b->last = ngx_cpymem(b->last, data, len);

    return NGX_OK;
}


/*
 * The way of an answer's bytes to their reader.
 */


size_t
ngx_ors_queue_pending(ngx_ors_queue_t *queue)
{
    size_t        size;
    ngx_chain_t  *cl;

    size = queue->out->size;

    for (cl = queue->busy; cl; cl = cl->next) {
        size += ngx_buf_size(cl->buf);
    }

    return size;
}


ngx_int_t
ngx_ors_source_take(ngx_ors_source_t *source, ngx_chain_t *in)
{
    if (ngx_chain_add_copy(source->pool, &source->in, in) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_ors_source_feed(source);
}


ngx_int_t
ngx_ors_source_feed(ngx_ors_source_t *source)
{
    ngx_int_t     rc;
    ngx_chain_t  *cl;

    while (source->in) {
        cl = source->in;

        rc = ngx_ors_source_read(source, cl->buf);

        if (rc == NGX_AGAIN) {
            ngx_ors_source_stop(source, 1);
            return NGX_AGAIN;
        }

        if (rc == NGX_OK && ngx_ors_source_ends(source, cl->buf)) {
            rc = source->handler->end(source->data);
        }

        if (rc != NGX_OK) {
            ngx_ors_source_stop(source, 0);
            return NGX_ERROR;
        }

        source->in = cl->next;
        ngx_free_chain(source->pool, cl);
    }

    ngx_ors_source_stop(source, 0);

    return NGX_OK;
}


static void
ngx_ors_source_stop(ngx_ors_source_t *source, ngx_uint_t stop)
{
    if (stop == source->stopped) {
        return;
    }

    source->stopped = stop;

    ngx_log_debug2(NGX_LOG_DEBUG_HTTP, source->log, 0,
                   "ors pump: back-pressure %s, %uz bytes queued",
                   stop ? "on" : "off", ngx_ors_queue_pending(source->queue));
}


ngx_int_t
ngx_ors_source_read(ngx_ors_source_t *source, ngx_buf_t *b)
{
    ngx_int_t  rc;
    ngx_buf_t  piece;

    if (!ngx_buf_in_memory(b)) {
        return NGX_OK;
    }

    for ( ;; ) {

        if (source->handler->over(source->data)) {
            b->pos = b->last;
            return NGX_OK;
        }

        if (source->queue && ngx_ors_queue_full(source->queue)) {
            return (b->pos < b->last || source->decode.inflate) ? NGX_AGAIN
                                                                : NGX_OK;
        }

        rc = ngx_ors_decode_next(&source->decode, b, &piece);

        if (rc == NGX_AGAIN) {
            return NGX_OK;
        }

        if (rc == NGX_OK) {
            rc = source->handler->read(source->data, &piece);

        } else if (rc == NGX_DECLINED) {
            rc = source->handler->refuse(source->data,
                                         "it cannot be decompressed");
        }

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }
    }
}


/* a body that was cut has no last buffer but a flush after its bytes */

ngx_uint_t
ngx_ors_source_ends(ngx_ors_source_t *source, ngx_buf_t *b)
{
    return b->last_buf || b->last_in_chain
           || (source->cut && b->flush && !ngx_buf_in_memory(b));
}


/*
 * Events as frames: of an event stream, or messages of a WebSocket.
 */


void
ngx_ors_frame_open(ngx_ors_out_t *out, ngx_str_t *event)
{
    if (out->messages) {
        out->mark = event ? ngx_ors_frame_mark(event) : ngx_ors_frame_is_other;
        return;
    }

    if (event) {
        ngx_ors_out_lit(out, "event: ");
        ngx_ors_out_str(out, event);
        ngx_ors_out_lit(out, "\n");
    }

    ngx_ors_out_lit(out, "data: ");
}


static ngx_ors_frame_e
ngx_ors_frame_mark(ngx_str_t *event)
{
    ngx_str_t  *name;

    static ngx_str_t  response = ngx_string("response.");

    static ngx_str_t  terminal[] = {
        ngx_string("response.completed"),
        ngx_string("response.incomplete"),
        ngx_string("response.failed"),
        ngx_null_string
    };

    if (event->len <= response.len
        || ngx_memcmp(event->data, response.data, response.len) != 0)
    {
        return ngx_ors_frame_is_other;
    }

    for (name = terminal; name->len; name++) {

        if (ngx_ors_same(event, name)) {
            return ngx_ors_frame_is_terminal;
        }
    }

    return ngx_ors_frame_is_event;
}


void
ngx_ors_frame_close(ngx_ors_out_t *out)
{
    if (out->messages) {
        ngx_ors_out_mark(out, out->mark);

    } else {
        ngx_ors_out_lit(out, "\n\n");
    }
}


void
ngx_ors_frame_comment(ngx_ors_out_t *out)
{
    /* a mark is that of a buffer, which has a byte */

    if (out->messages) {
        ngx_ors_out_lit(out, ":");
        ngx_ors_out_mark(out, ngx_ors_frame_is_comment);

    } else {
        ngx_ors_out_lit(out, ":\n\n");
    }
}


void
ngx_ors_frame_done(ngx_ors_out_t *out)
{
    if (!out->messages) {
        ngx_ors_out_lit(out, "data: [DONE]\n\n");
    }
}


ngx_chain_t *
ngx_ors_frame_last(ngx_chain_t *in)
{
    while (in->buf->num == ngx_ors_frame_is_part && in->next) {
        in = in->next;
    }

    return in;
}
