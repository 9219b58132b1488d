
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

static ngx_ors_typed_needed(ngx_ors_chat_text_shape,
    ngx_ors_row_needed("text", &ngx_ors_string_rule));


static ngx_ors_words(ngx_ors_chat_details_rule, 0,
    ngx_ors_word("auto"), ngx_ors_word("low"), ngx_ors_word("high"));

static ngx_ors_members(ngx_ors_chat_image_url_shape,
    (ngx_ors_row_needed("url", &ngx_ors_string_rule)),
    ngx_ors_row_of("detail", STRICT, &ngx_ors_chat_details_rule),
    ngx_ors_row_of("detail", TOLERANT, &ngx_ors_string_rule));

/* some servers take the URL itself */

static const ngx_ors_rule_t  ngx_ors_chat_any_image_url_rule =
    ngx_ors_rule_object(NGX_ORS_V_STRING, &ngx_ors_chat_image_url_shape);

static ngx_ors_typed_needed(ngx_ors_chat_image_shape,
    ngx_ors_row_in("image_url", STRICT, STRICT,
                   ngx_ors_object_of(chat_image_url)),
    ngx_ors_row_in("image_url", TOLERANT, TOLERANT,
                   &ngx_ors_chat_any_image_url_rule));


static ngx_ors_members_needed(ngx_ors_chat_input_audio_shape,
    ngx_ors_row_needed("data", &ngx_ors_string_rule),
    ngx_ors_row_needed("format", &ngx_ors_string_rule));

static ngx_ors_typed_needed(ngx_ors_chat_sound_shape,
    ngx_ors_row_needed("input_audio", ngx_ors_object_of(chat_input_audio)));


static ngx_ors_members_optional(ngx_ors_chat_file_shape,
    ngx_ors_row("file_data", &ngx_ors_string_rule),
    ngx_ors_row("file_id", &ngx_ors_string_rule),
    ngx_ors_row("filename", &ngx_ors_string_rule));

static ngx_ors_typed_needed(ngx_ors_chat_file_part_shape,
    ngx_ors_row_needed("file", ngx_ors_object_of(chat_file)));


static ngx_ors_typed_needed(ngx_ors_chat_refusal_shape,
    ngx_ors_row_needed("refusal", &ngx_ors_string_rule));


/* parts of a text: of instructions, and of outputs of tools */

static ngx_ors_variants(ngx_ors_chat_text_part_shape, "type",
    ngx_ors_variant("text", ALL, chat_text),
    ngx_ors_variant("image_url", TOLERANT, chat_image),
    ngx_ors_others(TOLERANT, typed));

const ngx_ors_rule_t  ngx_ors_chat_text_content_rule =
    ngx_ors_rule_list(NGX_ORS_V_STRING,
                      ngx_ors_object_of(chat_text_part));


static ngx_ors_variants(ngx_ors_chat_user_part_shape, "type",
    ngx_ors_variant("text", ALL, chat_text),
    ngx_ors_variant("image_url", ALL, chat_image),
    ngx_ors_variant("input_audio", ALL, chat_sound),
    ngx_ors_variant("file", ALL, chat_file_part),
    ngx_ors_others(TOLERANT, typed));

static const ngx_ors_rule_t  ngx_ors_chat_user_content_rule =
    ngx_ors_rule_list(NGX_ORS_V_STRING,
                      ngx_ors_object_of(chat_user_part));


static ngx_ors_variants(ngx_ors_chat_assistant_part_shape, "type",
    ngx_ors_variant("text", ALL, chat_text),
    ngx_ors_variant("refusal", ALL, chat_refusal),
    ngx_ors_others(TOLERANT, typed));

static const ngx_ors_rule_t  ngx_ors_chat_assistant_content_rule =
    ngx_ors_rule_list(NGX_ORS_V_STRING|NGX_ORS_V_NULL,
                      ngx_ors_object_of(chat_assistant_part));


/* calls of tools, as an assistant has made them */

static const ngx_ors_rule_t  ngx_ors_chat_any_arguments_rule =
    ngx_ors_rule(NGX_ORS_V_STRING|NGX_ORS_V_OBJECT, 0, 0);

static ngx_ors_members(ngx_ors_chat_called_shape,
    (ngx_ors_row_needed("name", &ngx_ors_string_rule),
     ngx_ors_row_in("arguments", STRICT, STRICT, &ngx_ors_string_rule)),
    ngx_ors_row_of("arguments", TOLERANT, &ngx_ors_chat_any_arguments_rule),

    /* added by OpenAI's SDKs */
    ngx_ors_row_of("parsed_arguments", OPENAI, NULL));

static ngx_ors_members(ngx_ors_chat_function_call_shape,
    (ngx_ors_row_in("type", ALL, STRICT, NULL),
     ngx_ors_row_in("id", ALL, STRICT, &ngx_ors_string_rule),
     ngx_ors_row_needed("function", ngx_ors_object_of(chat_called))),
    /* of a stream's chunks: SDKs send it back */
    ngx_ors_row_of("index", OPENAI, NULL),

    /* null: here to be noticed when it comes twice, or in other letters */
    ngx_ors_row_of("custom", TOLERANT, NULL));


static ngx_ors_members_needed(ngx_ors_chat_custom_called_shape,
    ngx_ors_row_needed("name", &ngx_ors_string_rule),
    ngx_ors_row_needed("input", &ngx_ors_string_rule));

static ngx_ors_members_needed(ngx_ors_chat_custom_call_shape,
    ngx_ors_row_in("type", ALL, STRICT, NULL),
    ngx_ors_row_in("id", ALL, STRICT, &ngx_ors_string_rule),
    ngx_ors_row_needed("custom", ngx_ors_object_of(chat_custom_called)));


static const ngx_ors_variant_t  ngx_ors_chat_untyped_calls[] = {
    ngx_ors_variant("custom", TOLERANT, chat_custom_call),
    ngx_ors_others(TOLERANT, chat_function_call)
};

static ngx_ors_variants_of(ngx_ors_chat_call_shape, "type",
    ngx_ors_chat_untyped_calls, &ngx_ors_typed_shape,
    ngx_ors_variant("function", ALL, chat_function_call),
    ngx_ors_variant("custom", ALL, chat_custom_call),
    ngx_ors_others(TOLERANT, typed));


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
    ngx_ors_row("tool_calls", ngx_ors_list_of(chat_call)),
    ngx_ors_row("refusal", &ngx_ors_string_null_rule),
    ngx_ors_row("name", &ngx_ors_string_rule),
    ngx_ors_row("audio", ngx_ors_object_or_null(chat_said)),
    ngx_ors_row("function_call", ngx_ors_object_or_null(chat_called)),

    /* not OpenAI's, but agents send back what servers have sent */
    ngx_ors_row_of("reasoning_content", WIDE, &ngx_ors_string_rule),
    ngx_ors_row_of("reasoning", WIDE, &ngx_ors_string_rule),

    /* replayed assistant messages; "parsed" comes from OpenAI's SDKs */
    ngx_ors_row_of("annotations", OPENAI, NULL),
    ngx_ors_row_of("parsed", OPENAI, NULL));


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


static ngx_ors_variants(ngx_ors_chat_message_shape, "role",
    ngx_ors_variant("user", ALL, chat_user),
    ngx_ors_variant("assistant", ALL, chat_assistant),
    ngx_ors_variant("tool", ALL, chat_tool_message),
    ngx_ors_variant("system", ALL, chat_system),
    ngx_ors_variant("developer", ALL, chat_system),
    ngx_ors_variant("function", ALL, chat_function_message),
    ngx_ors_others(TOLERANT, chat_other_message));


const ngx_ors_rule_t  ngx_ors_chat_messages_rule = {
    NGX_ORS_V_ARRAY, 0, 0, NULL, 1, 0, ngx_ors_object_of(chat_message), NULL
};
