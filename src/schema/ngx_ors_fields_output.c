
/*
 * Copyright (C) Open Responses contributors
 */


/* Output items (protocol, section 8), and those of flavor "openai". */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields_answer.h>
#include <ngx_ors_fields_input.h>


/* filled members are right at the end of an item only */

static ngx_ors_words(ngx_ors_output_status_rule, 0,
    ngx_ors_word("in_progress"), ngx_ors_word("completed"),
    ngx_ors_word("incomplete"), ngx_ors_other_words(TOLERANT));


static ngx_ors_words(ngx_ors_output_roles_rule, 0,
    ngx_ors_word("user"), ngx_ors_word("assistant"), ngx_ors_word("system"),
    ngx_ors_word("developer"));


ngx_ors_typed(ngx_ors_output_message_shape,
    (ngx_ors_row_needed("id", &ngx_ors_string_rule),
     ngx_ors_row_filled("status", &ngx_ors_output_status_rule,
                        "\"completed\""),
     ngx_ors_row_needed("role", &ngx_ors_output_roles_rule),
     ngx_ors_row_needed("content", &ngx_ors_answer_content_rule)),
    ngx_ors_row("phase", &ngx_ors_phase_rule));


ngx_ors_typed(ngx_ors_output_function_call_shape,
    (ngx_ors_row_needed("id", &ngx_ors_string_rule),
     ngx_ors_row_needed("call_id", &ngx_ors_string_rule),
     ngx_ors_row_needed("name", &ngx_ors_string_rule),
     ngx_ors_row_needed("arguments", &ngx_ors_string_rule),
     ngx_ors_row_filled("status", &ngx_ors_output_status_rule,
                        "\"completed\"")),
    ngx_ors_row_of("namespace", OPENAI, &ngx_ors_string_rule));


ngx_ors_typed_needed(ngx_ors_output_function_call_output_shape,
    ngx_ors_row_needed("id", &ngx_ors_string_rule),
    ngx_ors_row_needed("call_id", &ngx_ors_string_rule),
    ngx_ors_row_needed("output", &ngx_ors_answer_call_output_rule),
    ngx_ors_row_filled("status", &ngx_ors_output_status_rule,
                       "\"completed\""));


/* its status is demanded in words only, and may be anything (C6) */

ngx_ors_typed(ngx_ors_output_reasoning_shape,
    (ngx_ors_row_needed("id", &ngx_ors_string_rule),
     ngx_ors_row_filled("summary", &ngx_ors_answer_reasoning_parts_rule,
                        "[]")),
    ngx_ors_row("content", &ngx_ors_answer_reasoning_parts_rule),
    ngx_ors_row("encrypted_content", &ngx_ors_string_rule),
    ngx_ors_row("status", NULL));


ngx_ors_typed(ngx_ors_output_compaction_shape,
    (ngx_ors_row_needed("id", &ngx_ors_string_rule),
     ngx_ors_row_in("encrypted_content", ALL, CORE, &ngx_ors_string_rule)),
    ngx_ors_row("created_by", &ngx_ors_string_rule),
    ngx_ors_row("status", NULL));


/* an extension (protocol, section 14) */

static ngx_ors_open_needed(ngx_ors_output_extension_shape,
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_needed("id", &ngx_ors_string_rule),
    ngx_ors_row_needed("status", &ngx_ors_string_rule));


/* the same in another flavor */
#define ngx_ors_output_context_compaction_shape                               \
    ngx_ors_output_compaction_shape

#define ngx_ors_output_variant(name, as, id, status, kind, in)                \
    { ngx_string(#name), NGX_ORS_IN_##in, &ngx_ors_output_##name##_shape },

ngx_ors_variants_of(ngx_ors_fields_item, "type",
    NULL, &ngx_ors_output_extension_shape,
    NGX_ORS_ITEMS(ngx_ors_output_variant)
    ngx_ors_variants_end);

const ngx_ors_rule_t  ngx_ors_output_items_rule =
    ngx_ors_rule_list(0, ngx_ors_is_object(0, &ngx_ors_fields_item));

const ngx_ors_rule_t  ngx_ors_answer_item_null_rule =
    ngx_ors_rule_object(NGX_ORS_V_NULL, &ngx_ors_fields_item);
