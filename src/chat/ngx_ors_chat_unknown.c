
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Unknown fields of a request, copied into the chat request or left out.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_fields.h>
#include <ngx_ors_chat_passthrough.h>
#include <ngx_ors_chat_unknown.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_violation.h>


void
ngx_ors_chat_unknown(ngx_ors_request_t *req, ngx_ors_chat_target_t *target,
    ngx_ors_out_t *out)
{
    u_char                buf[NGX_ORS_SPELLING_RAW];
    ngx_str_t             name;
    ngx_uint_t            pass;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *key;

    req->dropped.n = 0;

    pass = (req->policy->unknown == ngx_ors_unknown_pass);

    if (!pass && req->unknown[0].n == 0) {
        return;
    }

    json = &req->json;

    for (key = ngx_ors_json_first(json, json->nodes);
         key;
         key = ngx_ors_json_next(json, key))
    {
        if (ngx_ors_chat_written(req, target, key)) {
            continue;
        }

        if (ngx_ors_spelling_name(json, key, buf, &name) != NGX_OK) {
            ngx_str_null(&name);
        }

        /* "provider" is a name, and an object that is passed to a router */

        if (ngx_ors_request_knows(req, &name)
            && (!pass || key + 1 != req->field[ngx_ors_rq_provider]
                || (key + 1)->type != ngx_ors_json_object))
        {
            continue;
        }

        /* a field of chat/completions, in whatever spelling */

        if (!pass || ngx_ors_chat_field(&name, NGX_ORS_CHAT_FIELD_DROP)
            || ngx_ors_spelling_row(&name, &ngx_ors_fields_chat_request))
        {
            ngx_ors_unknown_add(&req->dropped, json, key);
            continue;
        }

        ngx_ors_chat_copy(json, key, out);
    }
}
