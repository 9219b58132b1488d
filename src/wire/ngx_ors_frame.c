
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Events as frames: of an event stream, or messages of a WebSocket.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_frame.h>
#include <ngx_ors_names.h>


static ngx_ors_frame_e ngx_ors_frame_mark(ngx_str_t *event);


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
