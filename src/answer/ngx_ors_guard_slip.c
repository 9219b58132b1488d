
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_guard_check.h>
#include <ngx_ors_guard_event.h>
#include <ngx_ors_guard_slip.h>


typedef struct {
    char          *text;
    ngx_uint_t     in;        /* readings in which it passes */
} ngx_ors_guard_slip_t;


/* in the order of ngx_ors_guard_slip_e */

static const ngx_ors_guard_slip_t  ngx_ors_guard_slips[] = {

    { "response.in_progress was left out", NGX_ORS_IN_ALL },
    { "an item is added while another one is open", NGX_ORS_IN_ALL },
    { "events after the last one are dropped", NGX_ORS_IN_ALL },

    { "an event of the response's state comes again or late",
      NGX_ORS_IN_TOLERANT },
    { "a status does not fit its event", NGX_ORS_IN_TOLERANT },
    { "the output of a response is not empty in the beginning",
      NGX_ORS_IN_TOLERANT },
    { "an item or a part is not empty when it is added",
      NGX_ORS_IN_TOLERANT },
    { "a part is of a type that its item does not have",
      NGX_ORS_IN_TOLERANT },
    { "a text comes without a part", NGX_ORS_IN_TOLERANT },
    { "the event that ends a text is left out", NGX_ORS_IN_TOLERANT },
    { "a part is not done when its item is", NGX_ORS_IN_TOLERANT },
    { "a text comes at once, without deltas", NGX_ORS_IN_TOLERANT },
    { "an item has another name when it is done", NGX_ORS_IN_TOLERANT },
    { "the error or the details of a response do not fit its status",
      NGX_ORS_IN_TOLERANT }
};


ngx_int_t
ngx_ors_guard_slip(ngx_ors_guard_t *guard, ngx_ors_guard_slip_e slip)
{
    ngx_uint_t                   bit;
    const ngx_ors_guard_slip_t  *s;

    s = &ngx_ors_guard_slips[slip];

    if (!(s->in & guard->policy->reading)) {
        return ngx_ors_guard_broken(guard, s->text);
    }

    bit = (ngx_uint_t) 1 << slip;

    if (!(guard->stream->slips & bit)) {
        guard->stream->slips |= bit;

        ngx_log_error(NGX_LOG_WARN, guard->log, 0,
                      "model server's stream: %s", s->text);
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_guard_broken(ngx_ors_guard_t *guard, const char *what)
{
    const ngx_ors_guard_row_t  *row;

    /* the name of an event is quoted if it is ours, not the server's */

    row = guard->stream->row;

    if (row == NULL) {
        return ngx_ors_guard_found(guard, "invalid_upstream_answer",
                                   "the model server's stream is not valid: "
                                   "%s", what);
    }

    return ngx_ors_guard_found(guard, "invalid_upstream_answer",
                               "the model server's stream is not valid: "
                               "%V: %s", &row->name, what);
}
