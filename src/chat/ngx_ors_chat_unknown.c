
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Unknown fields of a request, copied into the chat request or left out.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_fields.h>
#include <ngx_ors_chat_unknown.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_spelling.h>


static ngx_uint_t ngx_ors_chat_unknown_ours(ngx_ors_request_t *req,
    ngx_ors_json_node_t *key, const ngx_str_t *name);
static ngx_uint_t ngx_ors_chat_unknown_theirs(const ngx_str_t *name);


void
ngx_ors_chat_unknown(ngx_ors_request_t *req, ngx_ors_chat_target_t *target,
    ngx_ors_out_t *out)
{
    size_t                pos;
    u_char                buf[NGX_ORS_SPELLING_RAW];
    ngx_str_t             name;
    ngx_uint_t            ours, pass;
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

        ours = ngx_ors_chat_unknown_ours(req, key, &name);

        if (!pass || ours || ngx_ors_chat_unknown_theirs(&name)) {

            if (!ours) {
                ngx_ors_unknown_add(&req->dropped, json, key);
            }

            continue;
        }

        pos = ngx_ors_edit_start(key);

        ngx_ors_out_lit(out, ",");
        ngx_ors_out_ref(out, json->text + pos, ngx_ors_edit_end(key + 1) - pos);
    }
}


/*
 * A field of this request.  "provider" is a name here, and an object where it
 * is passed to a router.
 */

static ngx_uint_t
ngx_ors_chat_unknown_ours(ngx_ors_request_t *req, ngx_ors_json_node_t *key,
    const ngx_str_t *name)
{
    return ngx_ors_request_knows(req, name)
           && (req->policy->unknown != ngx_ors_unknown_pass
               || key + 1 != req->field[ngx_ors_rq_provider]
               || (key + 1)->type != ngx_ors_json_object);
}


/* a field of chat/completions, in whatever spelling */

static ngx_uint_t
ngx_ors_chat_unknown_theirs(const ngx_str_t *name)
{
    return ngx_ors_chat_field(name, NGX_ORS_CHAT_FIELD_DROP)
           || ngx_ors_spelling_row(name, &ngx_ors_fields_chat_request);
}
