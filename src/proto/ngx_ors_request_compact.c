
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The request of a compaction, and the fields that it may
 * have.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_request_compact.h>


/* fields that a summary may depend on, named as in POST responses */

static const ngx_ors_rq_field_e  ngx_ors_request_compacts[] = {
    ngx_ors_rq_model,
    ngx_ors_rq_input,
    ngx_ors_rq_instructions,
    ngx_ors_rq_previous_response_id,
    ngx_ors_rq_prompt_cache_key,
    ngx_ors_rq_reasoning,
    ngx_ors_rq_service_tier,
    ngx_ors_rq_n
};


void
ngx_ors_request_compact(ngx_ors_request_t *req)
{
    ngx_ors_json_node_t       *node;
    const ngx_ors_field_t     *field;
    const ngx_ors_rq_field_e  *row;

    if (req->endpoint->id != ngx_ors_endpoint_compact) {
        return;
    }

    req->compact = 1;

    for (row = ngx_ors_request_compacts; *row != ngx_ors_rq_n; row++) {
        field = &ngx_ors_fields_create.fields[*row];

        node = ngx_ors_json_get(&req->json, req->json.nodes,
                                field->name.data, field->name.len);

        req->field[*row] = (node && node->type != ngx_ors_json_null) ? node
                                                                     : NULL;
    }
}


void
ngx_ors_request_trigger(ngx_ors_request_t *req)
{
    ngx_ors_input_item_t  *item;

    if (req->endpoint->id != ngx_ors_endpoint_responses
        || !(req->policy->profile & NGX_ORS_IN_OPENAI))
    {
        return;
    }

    item = ngx_ors_input_last(&req->input);
    req->compact = (item && item->kind == ngx_ors_input_trigger);
}
