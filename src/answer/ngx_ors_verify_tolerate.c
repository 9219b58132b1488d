
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


#define ngx_ors_tolerated_row(name, in, text)  { text, NGX_ORS_IN_##in },

static const ngx_ors_tolerated_t  ngx_ors_tolerated[] = {
    NGX_ORS_TOLERATED(ngx_ors_tolerated_row)
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
