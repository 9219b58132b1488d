
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The answer to GET models where targets are named one by one.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_ors_json_writer.h>


ngx_int_t
ngx_http_ors_models(ngx_http_request_t *r)
{
    ngx_int_t                 rc;
    ngx_uint_t                i;
    ngx_str_t                *name;
    ngx_ors_out_t             out;
    ngx_http_ors_loc_conf_t  *olcf;

    rc = ngx_http_discard_request_body(r);

    if (rc != NGX_OK) {
        return rc;
    }

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    ngx_ors_out_init(&out, r->pool, NGX_HTTP_ORS_BLOCK);

    ngx_ors_out_lit(&out, "{\"object\":\"list\",\"data\":[");

    for (i = 0; /* void */ ; i++) {
        name = ngx_http_ors_route_model(olcf->routes, i);

        if (name == NULL) {
            break;
        }

        if (i) {
            ngx_ors_out_lit(&out, ",");
        }

        ngx_ors_out_lit(&out, "{\"id\":");
        ngx_ors_json_quote(&out, name->data, name->len);
        ngx_ors_out_lit(&out, ",\"object\":\"model\",\"created\":");
        ngx_ors_out_int(&out, olcf->created);
        ngx_ors_out_lit(&out, ",\"owned_by\":\"open_responses\"}");
    }

    ngx_ors_out_lit(&out, "]}");

    return ngx_http_ors_document(r, NGX_HTTP_OK, &out);
}
