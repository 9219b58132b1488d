
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The list of models.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_rules.h>


/* GET models */

static const ngx_ors_value_t  ngx_ors_models_objects[] = {
    { ngx_string("model"), NGX_ORS_IN_ALL },
    ngx_ors_values_end
};

static ngx_ors_members_needed(ngx_ors_models_model_shape,
    ngx_ors_row_needed("id", ngx_ors_is(NGX_ORS_V_STRING, 1, 0)),
    ngx_ors_row_filled("object", ngx_ors_is_enum(0, ngx_ors_models_objects),
                       "\"model\""),
    ngx_ors_row_filled("created", &ngx_ors_integer_rule, "0"),
    ngx_ors_row_filled("owned_by", &ngx_ors_string_rule, "\"\""));

/* Ollama says null when it has no models */

static const ngx_ors_rule_t  ngx_ors_models_data_rule =
    ngx_ors_rule_list(NGX_ORS_V_NULL,
                      ngx_ors_is_object(0, &ngx_ors_models_model_shape));


static const ngx_ors_value_t  ngx_ors_models_lists[] = {
    { ngx_string("list"), NGX_ORS_IN_ALL },
    ngx_ors_values_end
};

ngx_ors_members_needed(ngx_ors_fields_models,
    ngx_ors_row_needed("data", &ngx_ors_models_data_rule),
    ngx_ors_row_filled("object", ngx_ors_is_enum(0, ngx_ors_models_lists),
                       "\"list\""));
