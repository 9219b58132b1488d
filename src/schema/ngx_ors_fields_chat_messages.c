
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Messages of a chat completion request, and their parts.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_rules.h>


/*
 * The messages of POST chat/completions: a list of turns by role, each with
 * a text or parts of it.
 *
 * What tables cannot say is left to the server: that an assistant's message
 * has content or calls, and that each call has its answer.
 */


/* content parts */

static ngx_ors_members_needed(ngx_ors_chat_text_shape,
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_needed("text", &ngx_ors_string_rule));


static const ngx_ors_value_t  ngx_ors_chat_details[] = {
    { ngx_string("auto"), NGX_ORS_IN_ALL },
    { ngx_string("low"), NGX_ORS_IN_ALL },
    { ngx_string("high"), NGX_ORS_IN_ALL },
    ngx_ors_values_end
};

static ngx_ors_members(ngx_ors_chat_image_url_shape,
    (ngx_ors_row_needed("url", &ngx_ors_string_rule)),
    ngx_ors_row_in("detail", NGX_ORS_IN_STRICT, 0,
                   ngx_ors_is_enum(0, ngx_ors_chat_details)),
    ngx_ors_row_in("detail", NGX_ORS_IN_TOLERANT, 0, &ngx_ors_string_rule));

/* some servers take the URL itself */

static const ngx_ors_rule_t  ngx_ors_chat_any_image_url_rule =
    ngx_ors_rule_object(NGX_ORS_V_STRING, &ngx_ors_chat_image_url_shape);

static ngx_ors_members_needed(ngx_ors_chat_image_shape,
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_in("image_url", NGX_ORS_IN_STRICT, NGX_ORS_IN_STRICT,
                   ngx_ors_is_object(0, &ngx_ors_chat_image_url_shape)),
    ngx_ors_row_in("image_url", NGX_ORS_IN_TOLERANT, NGX_ORS_IN_TOLERANT,
                   &ngx_ors_chat_any_image_url_rule));


static ngx_ors_members_needed(ngx_ors_chat_input_audio_shape,
    ngx_ors_row_needed("data", &ngx_ors_string_rule),
    ngx_ors_row_needed("format", &ngx_ors_string_rule));

static ngx_ors_members_needed(ngx_ors_chat_sound_shape,
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_needed("input_audio",
                       ngx_ors_is_object(0, &ngx_ors_chat_input_audio_shape)));


static ngx_ors_members_optional(ngx_ors_chat_file_shape,
    ngx_ors_row("file_data", &ngx_ors_string_rule),
    ngx_ors_row("file_id", &ngx_ors_string_rule),
    ngx_ors_row("filename", &ngx_ors_string_rule));

static ngx_ors_members_needed(ngx_ors_chat_file_part_shape,
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_needed("file", ngx_ors_is_object(0, &ngx_ors_chat_file_shape)));


static ngx_ors_members_needed(ngx_ors_chat_refusal_shape,
    ngx_ors_row_needed("type", NULL),
    ngx_ors_row_needed("refusal", &ngx_ors_string_rule));


/* parts of a text: of instructions, and of outputs of tools */

static const ngx_ors_variant_t  ngx_ors_chat_text_parts[] = {
    { ngx_string("text"), NGX_ORS_IN_ALL, &ngx_ors_chat_text_shape },
    { ngx_string("image_url"), NGX_ORS_IN_TOLERANT,
      &ngx_ors_chat_image_shape },
    { ngx_null_string, NGX_ORS_IN_TOLERANT, &ngx_ors_typed_shape }
};

static const ngx_ors_shape_t  ngx_ors_chat_text_part_shape =
    ngx_ors_shape_choice("type", ngx_ors_chat_text_parts,
                         NULL, NULL, ngx_ors_code_invalid_value);

const ngx_ors_rule_t  ngx_ors_chat_text_content_rule =
    ngx_ors_rule_list(NGX_ORS_V_STRING,
                      ngx_ors_is_object(0, &ngx_ors_chat_text_part_shape));


static const ngx_ors_variant_t  ngx_ors_chat_user_parts[] = {
    { ngx_string("text"), NGX_ORS_IN_ALL, &ngx_ors_chat_text_shape },
    { ngx_string("image_url"), NGX_ORS_IN_ALL, &ngx_ors_chat_image_shape },
    { ngx_string("input_audio"), NGX_ORS_IN_ALL, &ngx_ors_chat_sound_shape },
    { ngx_string("file"), NGX_ORS_IN_ALL, &ngx_ors_chat_file_part_shape },
    { ngx_null_string, NGX_ORS_IN_TOLERANT, &ngx_ors_typed_shape }
};

static const ngx_ors_shape_t  ngx_ors_chat_user_part_shape =
    ngx_ors_shape_choice("type", ngx_ors_chat_user_parts,
                         NULL, NULL, ngx_ors_code_invalid_value);

static const ngx_ors_rule_t  ngx_ors_chat_user_content_rule =
    ngx_ors_rule_list(NGX_ORS_V_STRING,
                      ngx_ors_is_object(0, &ngx_ors_chat_user_part_shape));


static const ngx_ors_variant_t  ngx_ors_chat_assistant_parts[] = {
    { ngx_string("text"), NGX_ORS_IN_ALL, &ngx_ors_chat_text_shape },
    { ngx_string("refusal"), NGX_ORS_IN_ALL, &ngx_ors_chat_refusal_shape },
    { ngx_null_string, NGX_ORS_IN_TOLERANT, &ngx_ors_typed_shape }
};

static const ngx_ors_shape_t  ngx_ors_chat_assistant_part_shape =
    ngx_ors_shape_choice("type", ngx_ors_chat_assistant_parts,
                         NULL, NULL, ngx_ors_code_invalid_value);

static const ngx_ors_rule_t  ngx_ors_chat_assistant_content_rule =
    ngx_ors_rule_list(NGX_ORS_V_STRING|NGX_ORS_V_NULL,
                      ngx_ors_is_object(0, &ngx_ors_chat_assistant_part_shape));


/* calls of tools, as an assistant has made them */

static const ngx_ors_rule_t  ngx_ors_chat_any_arguments_rule =
    ngx_ors_rule(NGX_ORS_V_STRING|NGX_ORS_V_OBJECT, 0, 0);

static ngx_ors_members(ngx_ors_chat_called_shape,
    (ngx_ors_row_needed("name", &ngx_ors_string_rule),
     ngx_ors_row_in("arguments", NGX_ORS_IN_STRICT, NGX_ORS_IN_STRICT,
                    &ngx_ors_string_rule)),
    ngx_ors_row_in("arguments", NGX_ORS_IN_TOLERANT, 0,
                   &ngx_ors_chat_any_arguments_rule),

    /* added by OpenAI's SDKs */
    ngx_ors_row_in("parsed_arguments", NGX_ORS_IN_OPENAI, 0, NULL));

static ngx_ors_members(ngx_ors_chat_function_call_shape,
    (ngx_ors_row_in("type", NGX_ORS_IN_ALL, NGX_ORS_IN_STRICT, NULL),
     ngx_ors_row_in("id", NGX_ORS_IN_ALL, NGX_ORS_IN_STRICT,
                    &ngx_ors_string_rule),
     ngx_ors_row_needed("function",
                        ngx_ors_is_object(0, &ngx_ors_chat_called_shape))),
    /* of a stream's chunks: SDKs send it back */
    ngx_ors_row_in("index", NGX_ORS_IN_OPENAI, 0, NULL),

    /* null: here to be noticed when it comes twice, or in other letters */
    ngx_ors_row_in("custom", NGX_ORS_IN_TOLERANT, 0, NULL));


static ngx_ors_members_needed(ngx_ors_chat_custom_called_shape,
    ngx_ors_row_needed("name", &ngx_ors_string_rule),
    ngx_ors_row_needed("input", &ngx_ors_string_rule));

static ngx_ors_members_needed(ngx_ors_chat_custom_call_shape,
    ngx_ors_row_in("type", NGX_ORS_IN_ALL, NGX_ORS_IN_STRICT, NULL),
    ngx_ors_row_in("id", NGX_ORS_IN_ALL, NGX_ORS_IN_STRICT,
                   &ngx_ors_string_rule),
    ngx_ors_row_needed("custom",
                       ngx_ors_is_object(0,
                                         &ngx_ors_chat_custom_called_shape)));


static const ngx_ors_variant_t  ngx_ors_chat_call_types[] = {
    { ngx_string("function"), NGX_ORS_IN_ALL,
      &ngx_ors_chat_function_call_shape },
    { ngx_string("custom"), NGX_ORS_IN_ALL, &ngx_ors_chat_custom_call_shape },
    { ngx_null_string, NGX_ORS_IN_TOLERANT, &ngx_ors_typed_shape }
};

static const ngx_ors_variant_t  ngx_ors_chat_untyped_calls[] = {
    { ngx_string("custom"), NGX_ORS_IN_TOLERANT,
      &ngx_ors_chat_custom_call_shape },
    { ngx_null_string, NGX_ORS_IN_TOLERANT,
      &ngx_ors_chat_function_call_shape }
};

static const ngx_ors_shape_t  ngx_ors_chat_call_shape =
    ngx_ors_shape_choice("type", ngx_ors_chat_call_types,
                         ngx_ors_chat_untyped_calls, &ngx_ors_typed_shape,
                         ngx_ors_code_invalid_value);


/* messages */

static ngx_ors_members(ngx_ors_chat_system_shape,
    (ngx_ors_row_needed("role", NULL),
     ngx_ors_row_needed("content", &ngx_ors_chat_text_content_rule)),
    ngx_ors_row("name", &ngx_ors_string_rule));


static ngx_ors_members(ngx_ors_chat_user_shape,
    (ngx_ors_row_needed("role", NULL),
     ngx_ors_row_needed("content", &ngx_ors_chat_user_content_rule)),
    ngx_ors_row("name", &ngx_ors_string_rule));


static ngx_ors_members_needed(ngx_ors_chat_said_shape,
    ngx_ors_row_needed("id", &ngx_ors_string_rule));

static ngx_ors_members(ngx_ors_chat_assistant_shape,
    (ngx_ors_row_needed("role", NULL)),
    ngx_ors_row("content", &ngx_ors_chat_assistant_content_rule),
    ngx_ors_row("tool_calls",
                ngx_ors_is_list(0,
                                ngx_ors_is_object(0,
                                                  &ngx_ors_chat_call_shape))),
    ngx_ors_row("refusal", &ngx_ors_string_null_rule),
    ngx_ors_row("name", &ngx_ors_string_rule),
    ngx_ors_row("audio",
                ngx_ors_is_object(NGX_ORS_V_NULL, &ngx_ors_chat_said_shape)),
    ngx_ors_row("function_call",
                ngx_ors_is_object(NGX_ORS_V_NULL, &ngx_ors_chat_called_shape)),

    /* not OpenAI's, but agents send back what servers have sent */
    ngx_ors_row_in("reasoning_content", NGX_ORS_IN_WIDE, 0,
                   &ngx_ors_string_rule),
    ngx_ors_row_in("reasoning", NGX_ORS_IN_WIDE, 0, &ngx_ors_string_rule),

    /* replayed assistant messages; "parsed" comes from OpenAI's SDKs */
    ngx_ors_row_in("annotations", NGX_ORS_IN_OPENAI, 0, NULL),
    ngx_ors_row_in("parsed", NGX_ORS_IN_OPENAI, 0, NULL));


static ngx_ors_members_needed(ngx_ors_chat_tool_message_shape,
    ngx_ors_row_needed("role", NULL),
    ngx_ors_row_needed("content", &ngx_ors_chat_text_content_rule),
    ngx_ors_row_needed("tool_call_id", &ngx_ors_string_rule));


static ngx_ors_members_needed(ngx_ors_chat_function_message_shape,
    ngx_ors_row_needed("role", NULL),
    ngx_ors_row_needed("content", &ngx_ors_string_null_rule),
    ngx_ors_row_needed("name", &ngx_ors_string_rule));


static ngx_ors_open_needed(ngx_ors_chat_other_message_shape,
    ngx_ors_row_needed("role", NULL));


static const ngx_ors_variant_t  ngx_ors_chat_roles[] = {
    { ngx_string("user"), NGX_ORS_IN_ALL, &ngx_ors_chat_user_shape },
    { ngx_string("assistant"), NGX_ORS_IN_ALL, &ngx_ors_chat_assistant_shape },
    { ngx_string("tool"), NGX_ORS_IN_ALL, &ngx_ors_chat_tool_message_shape },
    { ngx_string("system"), NGX_ORS_IN_ALL, &ngx_ors_chat_system_shape },
    { ngx_string("developer"), NGX_ORS_IN_ALL, &ngx_ors_chat_system_shape },
    { ngx_string("function"), NGX_ORS_IN_ALL,
      &ngx_ors_chat_function_message_shape },
    { ngx_null_string, NGX_ORS_IN_TOLERANT,
      &ngx_ors_chat_other_message_shape }
};

static const ngx_ors_shape_t  ngx_ors_chat_message_shape =
    ngx_ors_shape_choice("role", ngx_ors_chat_roles,
                         NULL, NULL, ngx_ors_code_invalid_value);

static const ngx_ors_rule_t  ngx_ors_chat_message_rule =
    ngx_ors_rule_object(0, &ngx_ors_chat_message_shape);

const ngx_ors_rule_t  ngx_ors_chat_messages_rule = {
    NGX_ORS_V_ARRAY, 0, 0, NULL, 1, 0, &ngx_ors_chat_message_rule, NULL
};
