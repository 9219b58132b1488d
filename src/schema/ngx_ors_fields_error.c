
/*
 * Copyright (C) Open Responses contributors
 */


/* Error documents, and what an "error" event holds (protocol, section 11). */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields_answer.h>


static const ngx_ors_map_t  ngx_ors_failure_headers_map = {
    0, 0, &ngx_ors_string_rule
};

static const ngx_ors_shape_t  ngx_ors_failure_headers_shape =
    ngx_ors_shape_map(&ngx_ors_failure_headers_map);

static ngx_ors_members(ngx_ors_failure_shape,
    (ngx_ors_row_needed("type", &ngx_ors_string_rule),
     ngx_ors_row_needed("message", &ngx_ors_string_rule),
     ngx_ors_row_filled_in("code", STRICT_SPEC, STRICT_SPEC,
                           &ngx_ors_string_null_rule, "\"\""),
     ngx_ors_row_filled_in("code", WIDE, WIDE, &ngx_ors_any_code_rule,
                           "\"\""),
     ngx_ors_row_filled("param", &ngx_ors_string_null_rule, "\"\"")),
    ngx_ors_row("headers", ngx_ors_object_of(failure_headers)));

const ngx_ors_rule_t  ngx_ors_answer_error_rule =
    ngx_ors_rule_object(0, &ngx_ors_failure_shape);


ngx_ors_members_needed(ngx_ors_fields_error,
    ngx_ors_row_needed("error", &ngx_ors_answer_error_rule));
