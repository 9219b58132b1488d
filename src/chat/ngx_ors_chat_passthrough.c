
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Members of "params" and "provider_options", checked and merged into the
 * chat request.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_fields.h>
#include <ngx_ors_chat_passthrough.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_violation.h>


/* longer than any path to an object with members, and a name */
#define NGX_ORS_CHAT_PASSTHROUGH_PATH                                          \
    (sizeof("provider_options[].") + NGX_INT_T_LEN + NGX_ORS_SHAPE_NAME)


/* an object of the request that has members to pass, and its place */

typedef struct {
    ngx_ors_request_t      *req;
    ngx_ors_chat_target_t  *target;
    ngx_ors_error_t        *err;
    ngx_ors_json_node_t    *object;
    ngx_int_t               n;          /* of "provider_options", or -1 */
} ngx_ors_chat_pass_t;


static ngx_int_t ngx_ors_chat_pass_options(ngx_ors_chat_pass_t *pass,
    ngx_ors_json_node_t *options);
static ngx_int_t ngx_ors_chat_pass_members(ngx_ors_chat_pass_t *pass);
static ngx_int_t ngx_ors_chat_pass_add(ngx_ors_chat_pass_t *pass,
    ngx_ors_json_node_t *key);
static ngx_int_t ngx_ors_chat_pass_refuse(ngx_ors_chat_pass_t *pass,
    const ngx_str_t *name, ngx_ors_code_e code, char *text);


ngx_int_t
ngx_ors_chat_pass_read(ngx_ors_request_t *req,
    ngx_ors_chat_target_t *target,
    ngx_ors_error_t *err)
{
    ngx_int_t            rc;
    ngx_ors_chat_pass_t  pass;

    ngx_memzero(&target->passthrough, sizeof(ngx_ors_chat_passthrough_t));

    pass.req = req;
    pass.target = target;
    pass.err = err;

    rc = ngx_ors_chat_pass_options(&pass,
                                   req->field[ngx_ors_rq_provider_options]);
    if (rc != NGX_OK) {
        return rc;
    }

    pass.object = req->field[ngx_ors_rq_params];
    pass.n = -1;

    return ngx_ors_chat_pass_members(&pass);
}


static ngx_int_t
ngx_ors_chat_pass_options(ngx_ors_chat_pass_t *pass,
    ngx_ors_json_node_t *options)
{
    ngx_int_t             rc;
    ngx_str_t            *provider;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *type;

    static const ngx_str_t  name = ngx_string("type");

    json = &pass->req->json;
    provider = &pass->target->provider;

    pass->n = 0;

    for (pass->object = ngx_ors_json_first(json, options);
         pass->object;
         pass->object = ngx_ors_json_next(json, pass->object))
    {
        type = ngx_ors_json_find(json, pass->object, "type");

        if (type == NULL || type->type != ngx_ors_json_string) {
            return ngx_ors_chat_pass_refuse(pass, &name,
                                      type
                                      ? ngx_ors_code_invalid_type
                                      : ngx_ors_code_missing_required_parameter,
                                      "must be the name of a provider");
        }

        if (provider->len
            && ngx_ors_json_equal(json, type, provider->data, provider->len))
        {
            rc = ngx_ors_chat_pass_members(pass);

            if (rc != NGX_OK) {
                return rc;
            }
        }

        pass->n++;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_chat_pass_members(ngx_ors_chat_pass_t *pass)
{
    ngx_int_t               rc;
    const ngx_str_t        *name;
    ngx_ors_json_t         *json;
    ngx_ors_json_node_t    *key;
    const ngx_ors_field_t  *field;

    json = &pass->req->json;

    for (key = ngx_ors_json_first(json, pass->object);
         key;
         key = ngx_ors_json_next(json, key))
    {
        name = ngx_ors_chat_field_spelled(json, key,
                                          NGX_ORS_CHAT_FIELD_FIXED);
        if (name) {
            return ngx_ors_chat_pass_refuse(pass, name,
                                            ngx_ors_code_unsupported_parameter,
                                            "follows from other fields of the "
                                            "request and cannot be set "
                                            "here");
        }

        field = ngx_ors_spelling_field(json, key,
                                       &ngx_ors_fields_chat_request);
        if (field) {
            return ngx_ors_chat_pass_refuse(pass, &field->name,
                                            ngx_ors_code_unknown_parameter,
                                            "must be spelled like this");
        }

        if ((key + 1)->type == ngx_ors_json_null) {
            continue;
        }

        rc = ngx_ors_chat_pass_add(pass, key);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_chat_pass_add(ngx_ors_chat_pass_t *pass,
    ngx_ors_json_node_t *key)
{
    ngx_str_t                     name;
    ngx_ors_request_t            *req;
    ngx_ors_chat_member_t        *member;
    ngx_ors_chat_passthrough_t   *passthrough;

    req = pass->req;
    passthrough = &pass->target->passthrough;

    if (ngx_ors_json_decoded(&req->json, key, req->pool, &name) != NGX_OK) {
        return NGX_ERROR;
    }

    /* fields of the API go to servers that take them */

    if ((pass->n == -1 ? !ngx_ors_chat_takes(pass->target->options, &name)
                       : ngx_ors_json_is(&req->json, key, "type"))
        || ngx_ors_chat_passthrough(pass->target, &name))
    {
        return NGX_OK;
    }

    if (passthrough->n == NGX_ORS_CHAT_PASSTHROUGH_MAX) {
        return ngx_ors_chat_pass_refuse(pass, NULL,
                                       ngx_ors_code_object_above_max_properties,
                                       "has too many members, all in all "
                                       "there may be 64");
    }

    if (passthrough->members == NULL) {
        passthrough->members = ngx_palloc(req->pool,
                                          NGX_ORS_CHAT_PASSTHROUGH_MAX
                                          * sizeof(ngx_ors_chat_member_t));
        if (passthrough->members == NULL) {
            return NGX_ERROR;
        }
    }

    member = &passthrough->members[passthrough->n++];
    member->name = name;
    member->key = key;

    return NGX_OK;
}


/* a member of the object, or the object itself if there is no "name" */

static ngx_int_t
ngx_ors_chat_pass_refuse(ngx_ors_chat_pass_t *pass,
    const ngx_str_t *name,
    ngx_ors_code_e code, char *text)
{
    u_char      *p;
    ngx_str_t    param;
    ngx_pool_t  *pool;

    pool = pass->req->pool;

    param.data = ngx_pnalloc(pool, NGX_ORS_CHAT_PASSTHROUGH_PATH);
    if (param.data == NULL) {
        return NGX_ERROR;
    }

    if (pass->n == -1) {
        p = ngx_cpymem(param.data, "params", 6);

    } else {
        p = ngx_sprintf(param.data, "provider_options[%i]", pass->n);
    }

    if (name) {
        p = ngx_sprintf(p, ".%V", name);
    }

    param.len = p - param.data;

    (void) ngx_ors_error_set(pass->err, pool, code, "\"%V\" %s", &param,
                             text);
    pass->err->param = param;

    return NGX_DECLINED;
}


void
ngx_ors_chat_pass_write(ngx_ors_request_t *req,
    ngx_ors_chat_target_t *target,
    ngx_ors_out_t *out)
{
    ngx_uint_t  i;

    for (i = 0; i < target->passthrough.n; i++) {
        ngx_ors_chat_copy(&req->json, target->passthrough.members[i].key, out);
    }
}


void
ngx_ors_chat_copy(ngx_ors_json_t *json, ngx_ors_json_node_t *key,
    ngx_ors_out_t *out)
{
    size_t  pos;

    pos = ngx_ors_edit_start(key);

    ngx_ors_out_lit(out, ",");
    ngx_ors_out_ref(out, json->text + pos, ngx_ors_edit_end(key + 1) - pos);
}
