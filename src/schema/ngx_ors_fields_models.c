
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

static ngx_ors_members_needed(ngx_ors_models_model_shape,
    ngx_ors_row_needed("id", ngx_ors_is(NGX_ORS_V_STRING, 1, 0)),
    ngx_ors_row_filled("object", ngx_ors_is_word("model"), "\"model\""),
    ngx_ors_row_filled("created", &ngx_ors_integer_rule, "0"),
    ngx_ors_row_filled("owned_by", &ngx_ors_string_rule, "\"\""));

/* Ollama says null when it has no models */

static const ngx_ors_rule_t  ngx_ors_models_data_rule =
    ngx_ors_rule_list(NGX_ORS_V_NULL,
                      ngx_ors_object_of(models_model));


ngx_ors_members_needed(ngx_ors_fields_models,
    ngx_ors_row_needed("data", &ngx_ors_models_data_rule),
    ngx_ors_row_filled("object", ngx_ors_is_word("list"), "\"list\""));
