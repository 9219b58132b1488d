
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The chat request as a whole: its fields one after the other, made from a
 * checked request, with the members that the client writes itself.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_content.h>
#include <ngx_ors_chat_request.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_violation.h>


#define ngx_ors_chat_number(name)  { ngx_ors_rq_##name, ngx_string(#name) },


#define ngx_ors_chat_refused(name, value, code, text, in)                     \
    { ngx_ors_rq_##value, ngx_string(#name), ngx_ors_code_##code, text, in },

/* longer than any path to an object with members, and a name */
#define NGX_ORS_CHAT_PASSTHROUGH_PATH                                          \
    (sizeof("provider_options[].") + NGX_INT_T_LEN + NGX_ORS_SHAPE_NAME)


typedef struct {
    ngx_uint_t            field;          /* ngx_ors_rq_field_e */
    ngx_str_t             name;
} ngx_ors_chat_param_t;


typedef struct {
    ngx_uint_t            field;          /* ngx_ors_rq_field_e */
    ngx_str_t             name;
    ngx_ors_code_e        code;
    char                 *text;           /* follows the name in the message */
    ngx_uint_t            in;             /* profiles that refuse it */
} ngx_ors_chat_unsupported_t;


/* an object of the request that has members to pass, and its place */

typedef struct {
    ngx_ors_request_t      *req;
    ngx_ors_chat_target_t  *target;
    ngx_ors_error_t        *err;
    ngx_ors_json_node_t    *object;
    ngx_int_t               n;          /* of "provider_options", or -1 */
} ngx_ors_chat_pass_t;


static ngx_int_t ngx_ors_chat_supported(ngx_ors_request_t *req,
    ngx_ors_chat_target_t *target, ngx_ors_error_t *err);
static ngx_uint_t ngx_ors_chat_compacts(ngx_ors_request_t *req,
    ngx_ors_chat_target_t *target);
static ngx_uint_t ngx_ors_chat_wanted(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node);
static ngx_int_t ngx_ors_chat_format_check(ngx_ors_request_t *req,
    ngx_ors_error_t *err);
static ngx_ors_json_node_t *ngx_ors_chat_format(ngx_ors_request_t *req);
static ngx_uint_t ngx_ors_chat_reasoner(ngx_str_t *model);
static void ngx_ors_chat_limit(ngx_ors_request_t *req,
    ngx_ors_chat_target_t *target, ngx_ors_out_t *out);
static ngx_int_t ngx_ors_chat_text(ngx_ors_request_t *req,
    ngx_ors_chat_target_t *target, ngx_ors_out_t *out);
static ngx_int_t ngx_ors_chat_text_schema(ngx_ors_request_t *req,
    const ngx_ors_chat_options_t *options, ngx_ors_json_node_t *format,
    ngx_ors_out_t *out);
static void ngx_ors_chat_ask_logprobs(ngx_ors_request_t *req,
    ngx_ors_out_t *out);
static void ngx_ors_chat_stream(ngx_ors_request_t *req,
    const ngx_ors_chat_options_t *options, ngx_ors_out_t *out);
static void ngx_ors_chat_unknown(ngx_ors_request_t *req,
    ngx_ors_chat_target_t *target, ngx_ors_out_t *out);
static ngx_int_t ngx_ors_chat_pass_options(ngx_ors_chat_pass_t *pass,
    ngx_ors_json_node_t *options);
static ngx_int_t ngx_ors_chat_pass_members(ngx_ors_chat_pass_t *pass);
static ngx_int_t ngx_ors_chat_pass_add(ngx_ors_chat_pass_t *pass,
    ngx_ors_json_node_t *key);
static ngx_int_t ngx_ors_chat_pass_refuse(ngx_ors_chat_pass_t *pass,
    const ngx_str_t *name, ngx_ors_code_e code, char *text);
static void ngx_ors_chat_copy(ngx_ors_json_t *json, ngx_ors_json_node_t *key,
    ngx_ors_out_t *out);


static const ngx_ors_chat_param_t  ngx_ors_chat_numbers[] = {
    NGX_ORS_CHAT_NUMBERS(ngx_ors_chat_number)
    { ngx_ors_rq_n, ngx_null_string }
};

static const ngx_ors_chat_unsupported_t  ngx_ors_chat_unsupported[] = {
    NGX_ORS_CHAT_REFUSED(ngx_ors_chat_refused)
    { ngx_ors_rq_n, ngx_null_string, 0, NULL, 0 }
};


ngx_int_t
ngx_ors_chat_request(ngx_ors_request_t *req, ngx_ors_chat_target_t *target,
    ngx_ors_chat_tools_t *tools, ngx_ors_out_t *out, ngx_ors_error_t *err)
{
    ngx_int_t                    rc;
    ngx_uint_t                   i;
    ngx_ors_json_node_t         *node;
    const ngx_ors_chat_param_t  *param;

    rc = ngx_ors_chat_supported(req, target, err);

    if (rc == NGX_OK) {
        rc = ngx_ors_chat_pass_read(req, target, err);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_ors_chat_options_read(req, target);

    /* compaction: no tools, formats or output limit */

    if (!req->compact) {
        rc = ngx_ors_chat_tools_read(tools, req, target, err);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    ngx_ors_out_lit(out, "{\"model\":");
    ngx_ors_json_quote(out, target->model->data, target->model->len);

    ngx_ors_out_lit(out, ",\"messages\":");

    rc = ngx_ors_chat_messages(req, target, out, err);

    if (rc != NGX_OK) {
        return rc;
    }

    if (req->compact) {
        ngx_ors_chat_effort(req, target, out);

    } else {
        rc = ngx_ors_chat_choice(req, target, tools, out, err);

        if (rc != NGX_OK) {
            return rc;
        }

        for (param = ngx_ors_chat_numbers; param->name.len; param++) {
            node = req->field[param->field];

            if (node && ngx_ors_chat_key(target, &param->name, out)) {
                ngx_ors_chat_value(out, &req->json, node);
            }
        }

        ngx_ors_chat_limit(req, target, out);
        ngx_ors_chat_effort(req, target, out);

        if (ngx_ors_chat_text(req, target, out) != NGX_OK) {
            return NGX_ERROR;
        }

        ngx_ors_chat_ask_logprobs(req, out);
    }

    for (i = 0; i < NGX_ORS_CHAT_NOPTIONALS; i++) {

        if (target->optional[i]
            && ngx_ors_chat_key(target, &ngx_ors_chat_optionals[i], out))
        {
            ngx_ors_chat_value(out, &req->json, target->optional[i]);
        }
    }

    ngx_ors_chat_continue(req, target, out);

    for (i = 0; i < target->passthrough.n; i++) {
        ngx_ors_chat_copy(&req->json, target->passthrough.members[i].key, out);
    }

    if (req->compact) {
        req->dropped = req->unknown[0];

    } else {
        ngx_ors_chat_unknown(req, target, out);

        node = req->field[ngx_ors_rq_context_management];

        if (ngx_ors_chat_wanted(&req->json, node)
            && !ngx_ors_chat_compacts(req, target))
        {
            ngx_ors_unknown_add(&req->dropped, &req->json, node - 1);
        }
    }

    ngx_ors_chat_stream(req, target->options, out);

    ngx_ors_out_lit(out, "}");

    return out->failed ? NGX_ERROR : NGX_OK;
}


static ngx_int_t
ngx_ors_chat_supported(ngx_ors_request_t *req, ngx_ors_chat_target_t *target,
    ngx_ors_error_t *err)
{
    ngx_str_t                          id;
    ngx_uint_t                         known;
    ngx_ors_json_node_t               *node;
    const ngx_ors_chat_unsupported_t  *row;

    for (row = ngx_ors_chat_unsupported; row->name.len; row++) {
        if (!(row->in & req->policy->profile)) {
            continue;
        }

        known = (row->field < ngx_ors_rq_n);
        node = known ? req->field[row->field] : NULL;

        /* rejected even where the profile does not know the field */

        if (node == NULL && (!known || req->unknown[0].n)) {
            node = ngx_ors_chat_member(&req->json, req->json.nodes,
                                       row->name.data, row->name.len);
        }

        if (!ngx_ors_chat_wanted(&req->json, node)) {
            continue;
        }

        if ((req->merged && (row->field == ngx_ors_rq_previous_response_id
                             || row->field == ngx_ors_rq_conversation))
            || (row->field == ngx_ors_rq_background && req->detached)
            || (row->field == ngx_ors_rq_context_management
                && ngx_ors_chat_compacts(req, target)))
        {
            continue;
        }

        ngx_ors_error_set(err, req->pool, row->code, "\"%V\" %s", &row->name,
                          row->text);
        err->param = row->name;

        if (row->field == ngx_ors_rq_previous_response_id
            && ngx_ors_json_decoded(&req->json, node, req->pool, &id) == NGX_OK)
        {
            ngx_ors_error_id(err, req->pool, &id);
        }

        return NGX_DECLINED;
    }

    return ngx_ors_chat_format_check(req, err);
}


/* 1 if a conversation that is too long is compacted: the summary is sealed */

static ngx_uint_t
ngx_ors_chat_compacts(ngx_ors_request_t *req, ngx_ors_chat_target_t *target)
{
    return target->sealer && ngx_ors_request_threshold(req);
}


/* false, 0 and empty values ask for nothing */

static ngx_uint_t
ngx_ors_chat_wanted(ngx_ors_json_t *json, ngx_ors_json_node_t *node)
{
    int64_t  n;

    if (node == NULL || node->type == ngx_ors_json_false) {
        return 0;
    }

    if (node->type == ngx_ors_json_array || node->type == ngx_ors_json_object)
    {
        return node->count != 0;
    }

    return ngx_ors_json_integer(json, node, &n) != NGX_OK || n != 0;
}


/* the specification requires no schema, but nothing can be done without */

static ngx_int_t
ngx_ors_chat_format_check(ngx_ors_request_t *req, ngx_ors_error_t *err)
{
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *format, *type;

    json = &req->json;
    format = ngx_ors_chat_format(req);

    if (format == NULL) {
        return NGX_OK;
    }

    type = ngx_ors_chat_get(json, format, "type");

    if ((type && !ngx_ors_json_is(json, type, "json_schema"))
        || ngx_ors_chat_get(json, format, "schema"))
    {
        return NGX_OK;
    }

    ngx_ors_error_set(err, req->pool, ngx_ors_code_missing_required_parameter,
                      "\"text.format.schema\" is required");
    ngx_str_set(&err->param, "text.format.schema");

    return NGX_DECLINED;
}


static ngx_ors_json_node_t *
ngx_ors_chat_format(ngx_ors_request_t *req)
{
    return ngx_ors_chat_get(&req->json, req->field[ngx_ors_rq_text],
                            "format");
}


static void
ngx_ors_chat_limit(ngx_ors_request_t *req, ngx_ors_chat_target_t *target,
    ngx_ors_out_t *out)
{
    int64_t               n;
    ngx_uint_t            completes;
    ngx_ors_json_node_t  *node;

    static const ngx_str_t  max = ngx_string("max_tokens");
    static const ngx_str_t  completion = ngx_string("max_completion_tokens");

    node = req->field[ngx_ors_rq_max_output_tokens];

    if (node == NULL || ngx_ors_chat_passthrough(target, &max)
        || ngx_ors_chat_passthrough(target, &completion))
    {
        return;
    }

    completes = (target->options->tokens == ngx_ors_chat_tokens_auto)
                ? ngx_ors_chat_reasoner(target->model)
                : target->options->tokens == ngx_ors_chat_tokens_completion;

    (void) ngx_ors_chat_key(target, completes ? &completion : &max, out);

    /* "1e3" is an integer to the schema, not to every server */

    if (ngx_ors_json_integer(&req->json, node, &n) == NGX_OK) {
        ngx_ors_out_int(out, n);

    } else {
        ngx_ors_chat_value(out, &req->json, node);
    }
}


/* names of the models that refuse "max_tokens" */

static ngx_uint_t
ngx_ors_chat_reasoner(ngx_str_t *model)
{
    u_char     *p, *last;
    ngx_str_t   vendor = ngx_string("openai/");
    ngx_str_t   family = ngx_string("gpt-5");

    p = model->data;
    last = p + model->len;

    if (model->len > vendor.len
        && ngx_strncmp(p, vendor.data, vendor.len) == 0)
    {
        p += vendor.len;
    }

    if (last - p >= (ssize_t) family.len
        && ngx_strncmp(p, family.data, family.len) == 0)
    {
        p += family.len;
        return (p == last || *p == '-' || *p == '.');
    }

    if (last - p >= 2 && p[0] == 'o' && p[1] >= '1' && p[1] <= '9') {
        p += 2;
        return (p == last || *p == '-');
    }

    return 0;
}


static ngx_int_t
ngx_ors_chat_text(ngx_ors_request_t *req, ngx_ors_chat_target_t *target,
    ngx_ors_out_t *out)
{
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *format, *type, *node;

    static const ngx_str_t  name = ngx_string("response_format");

    json = &req->json;
    format = ngx_ors_chat_format(req);
    type = ngx_ors_chat_get(json, format, "type");

    if (format == NULL || ngx_ors_json_is(json, type, "text")
        || !ngx_ors_chat_key(target, &name, out))
    {
        return NGX_OK;
    }

    if (ngx_ors_json_is(json, type, "json_object")) {
        ngx_ors_out_lit(out, "{\"type\":\"json_object\"}");
        return NGX_OK;
    }

    if (target->options->format) {
        ngx_ors_out_lit(out, "{\"type\":\"json_object\"");

    } else {
        ngx_ors_out_lit(out, "{\"type\":\"json_schema\","
                             "\"json_schema\":{\"name\":");

        node = ngx_ors_chat_get(json, format, "name");

        if (node) {
            ngx_ors_chat_value(out, json, node);

        } else {
            ngx_ors_out_lit(out, "\"response\"");
        }

        node = ngx_ors_chat_get(json, format, "description");

        if (node) {
            ngx_ors_out_lit(out, ",\"description\":");
            ngx_ors_chat_value(out, json, node);
        }
    }

    ngx_ors_out_lit(out, ",\"schema\":");

    if (ngx_ors_chat_text_schema(req, target->options, format, out) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (!target->options->format) {
        node = ngx_ors_chat_get(json, format, "strict");

        if (node && (node->type == ngx_ors_json_true
                     || node->type == ngx_ors_json_false))
        {
            ngx_ors_out_lit(out, ",\"strict\":");
            ngx_ors_chat_value(out, json, node);
        }

        ngx_ors_out_lit(out, "}");
    }

    ngx_ors_out_lit(out, "}");

    return NGX_OK;
}


static ngx_int_t
ngx_ors_chat_text_schema(ngx_ors_request_t *req,
    const ngx_ors_chat_options_t *options, ngx_ors_json_node_t *format,
    ngx_ors_out_t *out)
{
    ngx_int_t               rc;
    ngx_ors_json_node_t    *schema, *strict;
    ngx_ors_chat_schema_t   cs;

    schema = ngx_ors_chat_get(&req->json, format, "schema");
    strict = ngx_ors_chat_get(&req->json, format, "strict");

    rc = NGX_DECLINED;

    if (options->strict == ngx_ors_chat_strict_schema
        && strict && strict->type == ngx_ors_json_true)
    {
        ngx_ors_chat_schema_init(&cs, &req->json, req->pool);
        rc = ngx_ors_chat_schema(&cs, schema, out);
    }

    if (rc == NGX_DECLINED) {
        ngx_ors_chat_value(out, &req->json, schema);
        rc = NGX_OK;
    }

    return rc;
}


ngx_uint_t
ngx_ors_chat_wants_logprobs(ngx_ors_request_t *req)
{
    return ngx_ors_request_includes(req, "message.output_text.logprobs");
}


static void
ngx_ors_chat_ask_logprobs(ngx_ors_request_t *req, ngx_ors_out_t *out)
{
    ngx_ors_json_node_t  *top;

    if (!ngx_ors_chat_wants_logprobs(req)) {
        return;
    }

    ngx_ors_out_lit(out, ",\"logprobs\":true");

    top = req->field[ngx_ors_rq_top_logprobs];

    if (top) {
        ngx_ors_out_lit(out, ",\"top_logprobs\":");
        ngx_ors_chat_value(out, &req->json, top);
    }
}


static void
ngx_ors_chat_stream(ngx_ors_request_t *req,
    const ngx_ors_chat_options_t *options, ngx_ors_out_t *out)
{
    if (ngx_ors_request_counts(req)
        || options->stream == ngx_ors_chat_stream_off
        || (options->stream == ngx_ors_chat_stream_on && !req->stream))
    {
        return;
    }

    ngx_ors_out_lit(out, ",\"stream\":true");

    if (options->usage) {
        ngx_ors_out_lit(out, ",\"stream_options\":{\"include_usage\":true}");
    }
}


/*
 * Appends the members of the request's body that are not known, each with a
 * comma in front of it, if the policy passes them, and adds those that the
 * server does not get to req->dropped.  Names of Chat Completions for fields
 * that are written elsewhere, or that would change the kind of answer, are left
 * out: no key comes twice.
 */

static void
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


/* a comma and the member with "key", as it is in the document */

static void
ngx_ors_chat_copy(ngx_ors_json_t *json, ngx_ors_json_node_t *key,
    ngx_ors_out_t *out)
{
    size_t  pos;

    pos = ngx_ors_edit_start(key);

    ngx_ors_out_lit(out, ",");
    ngx_ors_out_ref(out, json->text + pos, ngx_ors_edit_end(key + 1) - pos);
}
