
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Embeddings: their request and their answer.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_rules.h>


/* POST embeddings */


/*
 * The input: a text or its tokens, or a list of them.  A list of both is not
 * refused here: each element has one rule.  Some servers take images as
 * objects, or messages in place of the input.
 */

static const ngx_ors_rule_t  ngx_ors_embeddings_element_rule = {
    NGX_ORS_V_STRING|NGX_ORS_V_INTEGER|NGX_ORS_V_ARRAY, 0, 0, NULL,
    1, 0, &ngx_ors_count_rule, NULL
};

static const ngx_ors_rule_t  ngx_ors_embeddings_input_rule = {
    NGX_ORS_V_STRING|NGX_ORS_V_ARRAY, 0, 0, NULL,
    1, 0, &ngx_ors_embeddings_element_rule, NULL
};

static const ngx_ors_rule_t  ngx_ors_embeddings_any_element_rule = {
    NGX_ORS_V_STRING|NGX_ORS_V_INTEGER|NGX_ORS_V_ARRAY|NGX_ORS_V_OBJECT, 0, 0,
    NULL, 1, 0, &ngx_ors_count_rule, NULL
};

static const ngx_ors_rule_t  ngx_ors_embeddings_any_input_rule = {
    NGX_ORS_V_STRING|NGX_ORS_V_ARRAY|NGX_ORS_V_OBJECT, 0, 0, NULL,
    1, 0, &ngx_ors_embeddings_any_element_rule, NULL
};


static ngx_ors_words(ngx_ors_embeddings_formats_rule, 0,
    ngx_ors_word("float"), ngx_ors_word("base64"));

ngx_ors_members(ngx_ors_fields_embeddings_request,
    (ngx_ors_row_in("model", ALL, STRICT, &ngx_ors_string_rule),
     ngx_ors_row_in("input", STRICT, STRICT, &ngx_ors_embeddings_input_rule)),
    ngx_ors_row_of("input", TOLERANT, &ngx_ors_embeddings_any_input_rule),
    ngx_ors_row_of("encoding_format", STRICT,
                   &ngx_ors_embeddings_formats_rule),
    ngx_ors_row_of("encoding_format", TOLERANT, &ngx_ors_string_rule),
    ngx_ors_row("dimensions", ngx_ors_is_integer(1, 0)),
    ngx_ors_row("user", &ngx_ors_string_rule));


/* the answer: a vector is an array of numbers, or their bytes in base64 */

static const ngx_ors_rule_t  ngx_ors_embeddings_vector_rule = {
    NGX_ORS_V_STRING|NGX_ORS_V_ARRAY, 1, 0, NULL,
    1, 0, &ngx_ors_number_rule, NULL
};

static ngx_ors_members_needed(ngx_ors_embeddings_vector_shape,
    ngx_ors_row_filled("object", ngx_ors_is_word("embedding"),
                       "\"embedding\""),
    ngx_ors_row_filled("index", &ngx_ors_count_rule, "0"),
    ngx_ors_row_needed("embedding", &ngx_ors_embeddings_vector_rule));


static const ngx_ors_rule_t  ngx_ors_embeddings_data_rule = {
    NGX_ORS_V_ARRAY, 0, 0, NULL,
    1, 0, ngx_ors_object_of(embeddings_vector), NULL
};


static ngx_ors_members_needed(ngx_ors_embeddings_usage_shape,
    ngx_ors_row_filled("prompt_tokens", &ngx_ors_count_rule, "0"),
    ngx_ors_row_filled("total_tokens", &ngx_ors_count_rule, "0"));


ngx_ors_members_needed(ngx_ors_fields_embeddings_answer,
    ngx_ors_row_needed("data", &ngx_ors_embeddings_data_rule),
    ngx_ors_row_filled("object", ngx_ors_is_word("list"), "\"list\""),
    ngx_ors_row_filled("model", &ngx_ors_string_rule, "\"\""),
    ngx_ors_row_filled("usage", ngx_ors_object_of(embeddings_usage),
                       "{\"prompt_tokens\":0,\"total_tokens\":0}"));
