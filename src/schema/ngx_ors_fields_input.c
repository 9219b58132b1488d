
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Items of a request's input, but for those of hosted tools.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields_input.h>


#define ngx_ors_item_variant(name, as, id, status, kind, in)                  \
    { ngx_string(#name), NGX_ORS_IN_##in, &ngx_ors_input_##name##_shape },


static ngx_ors_words(ngx_ors_item_status_rule, NGX_ORS_V_NULL,
    ngx_ors_word("completed"), ngx_ors_word("in_progress"),
    ngx_ors_word("incomplete"));


/* messages: most clients leave out the type (C1) */

static ngx_ors_members(ngx_ors_user_shape,
    (ngx_ors_row_in("type", ALL, STRICT_SPEC, NULL),
     ngx_ors_row_needed("role", NULL),
     ngx_ors_row_needed("content", &ngx_ors_user_content_rule)),
    ngx_ors_row("id", &ngx_ors_string_null_rule),
    ngx_ors_row("status", &ngx_ors_string_null_rule),
    ngx_ors_row_openai_any("phase"));


/* system and developer */

static ngx_ors_members(ngx_ors_system_shape,
    (ngx_ors_row_in("type", ALL, STRICT_SPEC, NULL),
     ngx_ors_row_needed("role", NULL),
     ngx_ors_row_needed("content", &ngx_ors_system_content_rule)),
    ngx_ors_row("id", &ngx_ors_string_null_rule),
    ngx_ors_row("status", &ngx_ors_string_null_rule),
    ngx_ors_row_openai_any("phase"));


static ngx_ors_members(ngx_ors_assistant_shape,
    (ngx_ors_row_in("type", ALL, STRICT_SPEC, NULL),
     ngx_ors_row_needed("role", NULL),
     ngx_ors_row_needed("content", &ngx_ors_assistant_content_rule)),
    ngx_ors_row("id", &ngx_ors_string_null_rule),
    ngx_ors_row("status", &ngx_ors_string_null_rule),
    ngx_ors_row("phase", &ngx_ors_phase_rule));


ngx_ors_variants(ngx_ors_input_message_shape, "role",
    ngx_ors_variant("user", ALL, user),
    ngx_ors_variant("assistant", ALL, assistant),
    ngx_ors_variant("system", ALL, system),
    ngx_ors_variant("developer", ALL, system));


/* calls of functions and what they gave */

ngx_ors_typed(ngx_ors_input_function_call_shape,
    (ngx_ors_row_needed("call_id", &ngx_ors_call_id_rule),
     ngx_ors_row_needed("name", &ngx_ors_name_rule),
     ngx_ors_row_needed("arguments", &ngx_ors_string_rule)),
    ngx_ors_row("id", &ngx_ors_string_null_rule),
    ngx_ors_row("status", &ngx_ors_item_status_rule),
    ngx_ors_row_of("namespace", OPENAI, &ngx_ors_string_rule),
    ngx_ors_row_openai("async", &ngx_ors_boolean_rule),
    ngx_ors_row_openai("caller", &ngx_ors_object_rule),
    ngx_ors_row_openai_any("parsed_arguments"));


/* the flavor has outputs that name the function of their call */

ngx_ors_typed(ngx_ors_input_function_call_output_shape,
    (ngx_ors_row_in("call_id", ALL, CORE, &ngx_ors_call_id_rule),
     ngx_ors_row_needed("output", &ngx_ors_output_rule)),
    ngx_ors_row("id", &ngx_ors_string_null_rule),
    ngx_ors_row("status", &ngx_ors_item_status_rule),
    ngx_ors_row_openai("name", &ngx_ors_string_rule),
    ngx_ors_row_openai("namespace", &ngx_ors_string_rule),
    ngx_ors_row_openai("caller", &ngx_ors_object_rule));


/* the specification has null only as the content of reasoning (C8) */

ngx_ors_typed(ngx_ors_input_reasoning_shape,
    (ngx_ors_row_needed("summary", &ngx_ors_summary_rule)),
    ngx_ors_row("id", &ngx_ors_string_null_rule),
    ngx_ors_row("encrypted_content", &ngx_ors_string_null_rule),
    ngx_ors_row_of("content", WIDE, &ngx_ors_reasoning_content_rule),
    ngx_ors_row_of("content", STRICT_SPEC, &ngx_ors_null_rule),
    ngx_ors_row_openai("status", &ngx_ors_string_rule));


ngx_ors_typed(ngx_ors_input_compaction_shape,
    (ngx_ors_row_needed("encrypted_content", &ngx_ors_text_rule)),
    ngx_ors_row("id", &ngx_ors_string_null_rule),
    ngx_ors_row_openai("status", &ngx_ors_string_rule),
    ngx_ors_row_openai("created_by", &ngx_ors_string_rule));


/* "role" is here to be noticed when it comes twice: null, then a message's */

ngx_ors_members(ngx_ors_input_item_reference_shape,
    (ngx_ors_row_needed("id", &ngx_ors_string_rule)),
    ngx_ors_row("type", NULL),
    ngx_ors_row_of("role", WIDE, NULL));


/* an extension: what the specification says that each item has (C14) */

static ngx_ors_open_needed(ngx_ors_extension_item_shape,
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_in("id", ALL, STRICT, &ngx_ors_string_rule),
    ngx_ors_row_in("status", ALL, STRICT, &ngx_ors_string_rule));


static const ngx_ors_variant_t  ngx_ors_item_types[] = {
    NGX_ORS_ITEMS(ngx_ors_item_variant)
    NGX_ORS_ITEMS_INPUT(ngx_ors_item_variant)
    ngx_ors_variants_end
};

/* an id alone is a reference; a role makes a message of it (C1) */

static const ngx_ors_variant_t  ngx_ors_untyped_items[] = {
    ngx_ors_variant("role", WIDE, input_message),
    ngx_ors_variant("id", ALL, input_item_reference),
    ngx_ors_variants_end
};

const ngx_ors_shape_t  ngx_ors_fields_input_item =
    ngx_ors_shape_choice("type", ngx_ors_item_types, ngx_ors_untyped_items,
                         &ngx_ors_extension_item_shape,
                         ngx_ors_code_unsupported_item);

const ngx_ors_rule_t  ngx_ors_input_rule =
    ngx_ors_rule_content(NGX_ORS_V_NULL,
                         ngx_ors_is_object(0, &ngx_ors_fields_input_item));
