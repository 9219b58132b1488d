
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Echoes of a request in answers (protocol, sections 5 and 6).  A tolerant
 * profile lets the request have more, so its echo may have that.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_book.h>
#include <ngx_ors_fields_answer.h>


/* tools */

static ngx_ors_typed(ngx_ors_echo_function_shape,
    (ngx_ors_row_needed("name", &ngx_ors_string_rule),
     ngx_ors_row_filled_in("description", ALL, CORE, &ngx_ors_string_null_rule,
                           "null"),
     ngx_ors_row_filled("parameters", &ngx_ors_object_null_rule, "null"),
     ngx_ors_row_filled("strict", &ngx_ors_boolean_null_rule, "null")),
    ngx_ors_row_of("defer_loading", OPENAI, &ngx_ors_boolean_rule));


/* custom and namespace */

static ngx_ors_open_needed(ngx_ors_echo_named_shape,
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_needed("name", &ngx_ors_string_rule));


/* hosted tools are not ours to check */

#define ngx_ors_echo_hosted(name, ...)                                        \
    { ngx_string(#name), NGX_ORS_IN_OPENAI, &ngx_ors_typed_shape },

static ngx_ors_variants_of(ngx_ors_echo_tool_shape, "type",
    NULL, &ngx_ors_typed_shape,
    ngx_ors_variant("function", ALL, echo_function),
    ngx_ors_variant("custom", OPENAI, echo_named),
    ngx_ors_variant("namespace", OPENAI, echo_named),
    NGX_ORS_HOSTED_TYPES(ngx_ors_echo_hosted)
    NGX_ORS_HOSTED_ALIASES(ngx_ors_echo_hosted)
    NGX_ORS_TOOLS(ngx_ors_echo_hosted)
    ngx_ors_variant("tool_search", OPENAI, typed),
    ngx_ors_others(TOLERANT, typed));

const ngx_ors_rule_t  ngx_ors_echo_tools_rule =
    ngx_ors_rule_list(0, ngx_ors_object_of(echo_tool));


/* tool_choice */

static const ngx_ors_value_t  ngx_ors_echo_tool_modes[] = {
    ngx_ors_word("none"), ngx_ors_word("auto"), ngx_ors_word("required"),
    ngx_ors_values_end
};


static ngx_ors_typed_optional(ngx_ors_echo_chosen_shape,
    ngx_ors_row("name", &ngx_ors_string_rule),
    ngx_ors_row_of("namespace", OPENAI, &ngx_ors_string_rule));


static ngx_ors_variants(ngx_ors_echo_allowed_shape, "type",
    ngx_ors_variant("function", ALL, echo_chosen),
    ngx_ors_others(WIDE, typed));


static ngx_ors_typed_needed(ngx_ors_echo_allowed_tools_shape,
    ngx_ors_row_needed("tools", ngx_ors_list_of(echo_allowed)),
    ngx_ors_row_filled("mode", ngx_ors_is_enum(0, ngx_ors_echo_tool_modes),
                       "\"auto\""));


/* a choice of any tool that flavor "openai" has: its type, mostly */

static ngx_ors_variants(ngx_ors_echo_tool_choice_shape, "type",
    ngx_ors_variant("function", ALL, echo_chosen),
    ngx_ors_variant("allowed_tools", ALL, echo_allowed_tools),
    ngx_ors_others(WIDE, typed));

const ngx_ors_rule_t  ngx_ors_echo_tool_choice_rule = {
    NGX_ORS_V_STRING|NGX_ORS_V_OBJECT, 0, 0,
    ngx_ors_echo_tool_modes, 0, 0, NULL, &ngx_ors_echo_tool_choice_shape
};


/* text: the schema is null in the specification only (C7) */

static ngx_ors_typed_needed(ngx_ors_echo_json_schema_shape,
    ngx_ors_row_needed("name", &ngx_ors_string_rule),
    ngx_ors_row_filled_in("description", ALL, CORE, &ngx_ors_string_null_rule,
                          "null"),
    ngx_ors_row_filled_in("schema", STRICT_SPEC, STRICT_SPEC,
                          &ngx_ors_null_rule, "null"),
    ngx_ors_row_filled_in("schema", WIDE, TOLERANT_SPEC,
                          &ngx_ors_object_null_rule, "null"),
    ngx_ors_row_filled_in("strict", ALL, CORE, &ngx_ors_boolean_rule,
                          "false"));


static ngx_ors_variants(ngx_ors_echo_format_shape, "type",
    ngx_ors_variant("text", ALL, plain),
    ngx_ors_variant("json_object", ALL, plain),
    ngx_ors_variant("json_schema", ALL, echo_json_schema));


static ngx_ors_members(ngx_ors_echo_text_shape,
    (ngx_ors_row_filled("format", ngx_ors_object_of(echo_format),
                        "{\"type\":\"text\"}")),
    ngx_ors_row("verbosity", &ngx_ors_verbosity_rule));

const ngx_ors_rule_t  ngx_ors_echo_text_rule =
    ngx_ors_rule_object(0, &ngx_ors_echo_text_shape);


/* reasoning */

static ngx_ors_members(ngx_ors_echo_reasoning_shape,
    (ngx_ors_row_filled_in("effort", ALL, CORE, &ngx_ors_effort_null_rule,
                           "null"),
     ngx_ors_row_filled_in("summary", ALL, CORE, &ngx_ors_brevity_null_rule,
                           "null")),
    ngx_ors_row_of("generate_summary", OPENAI, &ngx_ors_brevity_null_rule),
    ngx_ors_row_of("context", OPENAI, NULL),
    ngx_ors_row_of("mode", OPENAI, NULL));

const ngx_ors_rule_t  ngx_ors_echo_reasoning_null_rule =
    ngx_ors_rule_object(NGX_ORS_V_NULL, &ngx_ors_echo_reasoning_shape);
