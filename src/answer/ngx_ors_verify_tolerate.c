
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Deviations from the order of a stream that pass with a warning, by profile.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_verify_check.h>
#include <ngx_ors_verify_event.h>
#include <ngx_ors_verify_tolerate.h>


typedef struct {
    char          *text;
    ngx_uint_t     in;        /* profiles in which it passes */
} ngx_ors_tolerated_t;


/* in the order of ngx_ors_tolerated_e */

static const ngx_ors_tolerated_t  ngx_ors_tolerated[] = {

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
      NGX_ORS_IN_TOLERANT },
    { "an event of a hosted tool's progress comes again or late",
      NGX_ORS_IN_TOLERANT }
};


ngx_int_t
ngx_ors_verify_tolerate(ngx_ors_verify_t *verify, ngx_ors_tolerated_e deviation)
{
    ngx_uint_t                  bit;
    const ngx_ors_tolerated_t  *s;

    s = &ngx_ors_tolerated[deviation];

    if (!(s->in & verify->policy->profile)) {
        return ngx_ors_verify_violation(verify, s->text);
    }

    bit = (ngx_uint_t) 1 << deviation;

    if (!(verify->stream->tolerated & bit)) {
        verify->stream->tolerated |= bit;

        ngx_log_error(NGX_LOG_WARN, verify->log, 0,
                      "model server's stream: %s", s->text);
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_verify_violation(ngx_ors_verify_t *verify, const char *what)
{
    const ngx_ors_verify_row_t  *row;

    /* the name of an event is quoted if it is ours, not the server's */

    row = verify->stream->row;

    if (row == NULL) {
        return ngx_ors_verify_found(verify,
                                    ngx_ors_code_invalid_upstream_answer,
                                    "the model server's stream is not valid: "
                                    "%s", what);
    }

    return ngx_ors_verify_found(verify, ngx_ors_code_invalid_upstream_answer,
                                "the model server's stream is not valid: "
                                "%V: %s", &row->name, what);
}
