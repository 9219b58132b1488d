
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The options of a server of which nothing is known, and what options mean for
 * the fields, the efforts and the tools of one request.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_fields.h>
#include <ngx_ors_chat_options.h>
#include <ngx_ors_fold.h>
#include <ngx_ors_same.h>
#include <ngx_ors_spelling.h>


static ngx_ors_json_node_t *ngx_ors_chat_effort_node(ngx_ors_request_t *req,
    ngx_ors_chat_target_t *target);
static ngx_ors_chat_effort_t *ngx_ors_chat_effort_find(ngx_ors_json_t *json,
    const ngx_ors_chat_options_t *options, ngx_ors_json_node_t *effort);
static ngx_uint_t ngx_ors_chat_optional_may(ngx_ors_request_t *req,
    ngx_uint_t i);
static ngx_uint_t ngx_ors_chat_unfinished(ngx_ors_request_t *req);
static ngx_uint_t ngx_ors_chat_listed(const ngx_str_t *names,
    const ngx_str_t *name);


/* all others are 0 */

const ngx_ors_chat_options_t  ngx_ors_chat_options = {
    .images = 1,
    .files = ngx_ors_chat_files_on,
    .stream = ngx_ors_chat_stream_on,
    .usage = 1
};


const ngx_str_t  ngx_ors_chat_states[NGX_ORS_CHAT_STATES + 1] = {
    ngx_string("extra_content"),
    ngx_string("reasoning_details"),
    ngx_string("reasoning_opaque"),
    ngx_string("thinking_blocks"),
    ngx_string("provider_specific_fields"),
    ngx_null_string
};


#define ngx_ors_chat_optional_name(name, foreign)  ngx_string(#name),
#define ngx_ors_chat_optional_foreign(name, foreign)  foreign,

const ngx_str_t  ngx_ors_chat_optionals[NGX_ORS_CHAT_NOPTIONALS + 1] = {
    NGX_ORS_CHAT_OPTIONALS(ngx_ors_chat_optional_name)
    ngx_null_string
};


/* of these, 1 if only Chat Completions has it */

static const u_char  ngx_ors_chat_foreign[] = {
    NGX_ORS_CHAT_OPTIONALS(ngx_ors_chat_optional_foreign)
};


/* the fields that ask a server to continue a message, and their values */

static const ngx_str_t  ngx_ors_chat_continue_names[] = {
    ngx_string("add_generation_prompt"),
    ngx_string("continue_final_message"),
    ngx_null_string
};

static const ngx_str_t  ngx_ors_chat_continue_values[] = {
    ngx_string("false"),
    ngx_string("true")
};


void
ngx_ors_chat_options_read(ngx_ors_request_t *req,
    ngx_ors_chat_target_t *target)
{
    ngx_uint_t                     i, last;
    ngx_ors_json_t                *json;
    ngx_ors_json_node_t           *node;
    const ngx_ors_chat_options_t  *options;

    json = &req->json;
    options = target->options;
    last = NGX_ORS_CHAT_NOPTIONALS - 1;

    ngx_ors_json_members(json, json->nodes, ngx_ors_chat_optionals,
                         target->optional);

    node = req->field[ngx_ors_rq_text];

    target->optional[last] = node ? ngx_ors_json_get(json, node,
                                          ngx_ors_chat_optionals[last].data,
                                          ngx_ors_chat_optionals[last].len)
                                  : NULL;

    for (i = 0; i < NGX_ORS_CHAT_NOPTIONALS; i++) {
        node = target->optional[i];

        if (node
            && (!(options->params & 1 << i)
                || node->type == ngx_ors_json_null
                || (i != last && !ngx_ors_chat_optional_may(req, i))))
        {
            target->optional[i] = NULL;
        }
    }

    node = ngx_ors_chat_effort_node(req, target);

    target->effort = node ? ngx_ors_chat_effort_find(json, options, node)
                          : NULL;
}


void
ngx_ors_chat_effort(ngx_ors_request_t *req, ngx_ors_chat_target_t *target,
    ngx_ors_out_t *out)
{
    ngx_str_t               text;
    ngx_ors_pointer_t      *member;
    ngx_ors_json_node_t    *node;
    ngx_ors_chat_effort_t  *effort;

    static const ngx_str_t  name = ngx_string("reasoning_effort");

    node = ngx_ors_chat_effort_node(req, target);

    if (node == NULL) {
        return;
    }

    effort = target->effort;

    for (member = effort ? effort->members.first : NULL;
         member;
         member = member->next)
    {
        if (!ngx_ors_chat_passthrough(target, &member->name)) {
            ngx_ors_out_lit(out, ",");
            ngx_ors_pointer_put(member, out);
        }
    }

    if (effort || ngx_ors_chat_passthrough(target, &name)) {
        return;
    }

    ngx_ors_json_raw(&req->json, node, &text);

    ngx_ors_out_lit(out, ",\"reasoning_effort\":\"");
    ngx_ors_out_str(out, &text);
    ngx_ors_out_lit(out, "\"");
}


static ngx_ors_json_node_t *
ngx_ors_chat_effort_node(ngx_ors_request_t *req,
    ngx_ors_chat_target_t *target)
{
    ngx_ors_json_node_t  *node;

    node = req->field[ngx_ors_rq_reasoning];

    if (node == NULL || target->effortless) {
        return NULL;
    }

    node = ngx_ors_json_find(&req->json, node, "effort");

    return (node && node->type == ngx_ors_json_string) ? node : NULL;
}


static ngx_ors_chat_effort_t *
ngx_ors_chat_effort_find(ngx_ors_json_t *json,
    const ngx_ors_chat_options_t *options, ngx_ors_json_node_t *effort)
{
    ngx_uint_t              i;
    ngx_ors_chat_effort_t  *efforts;

    if (options->efforts == NULL) {
        return NULL;
    }

    efforts = options->efforts->elts;

    for (i = 0; i < options->efforts->nelts; i++) {

        if (ngx_ors_json_equal(json, effort, efforts[i].value.data,
                               efforts[i].value.len))
        {
            return &efforts[i];
        }
    }

    return NULL;
}


void
ngx_ors_chat_optional(ngx_ors_request_t *req, ngx_ors_chat_target_t *target,
    ngx_ors_out_t *out)
{
    ngx_uint_t            i;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *node;

    json = &req->json;

    for (i = 0; ngx_ors_chat_optionals[i].len; i++) {

        node = target->optional[i];

        if (node == NULL
            || ngx_ors_chat_passthrough(target, &ngx_ors_chat_optionals[i]))
        {
            continue;
        }

        ngx_ors_out_lit(out, ",\"");
        ngx_ors_out_str(out, &ngx_ors_chat_optionals[i]);
        ngx_ors_out_lit(out, "\":");

        if (node->type == ngx_ors_json_string) {
            ngx_ors_out_ref(out, ngx_ors_json_text(json, node) - 1,
                            node->len + 2);

        } else {
            ngx_ors_out_ref(out, ngx_ors_json_text(json, node), node->len);
        }
    }
}


/*
 * One that the profile does not know goes the way of unknown fields; those
 * of Chat Completions are known to none, and passed on as what they are
 */

static ngx_uint_t
ngx_ors_chat_optional_may(ngx_ors_request_t *req, ngx_uint_t i)
{
    if (ngx_ors_chat_foreign[i]) {
        return req->policy->unknown != ngx_ors_unknown_strip;
    }

    return ngx_ors_request_knows(req, &ngx_ors_chat_optionals[i]);
}


ngx_uint_t
ngx_ors_chat_takes(const ngx_ors_chat_options_t *options, ngx_str_t *name)
{
    ngx_uint_t  i;

    for (i = 0; ngx_ors_chat_optionals[i].len; i++) {

        if (ngx_ors_same(&ngx_ors_chat_optionals[i], name)) {
            return ngx_ors_chat_foreign[i] || (options->params & 1 << i);
        }
    }

    return 1;
}


ngx_uint_t
ngx_ors_chat_passthrough(ngx_ors_chat_target_t *target, const ngx_str_t *name)
{
    ngx_uint_t  i;

    for (i = 0; i < target->passthrough.n; i++) {

        if (ngx_ors_fold_equal(&target->passthrough.members[i].name, name)) {
            return 1;
        }
    }

    return 0;
}


void
ngx_ors_chat_continue(ngx_ors_request_t *req, ngx_ors_chat_target_t *target,
    ngx_ors_out_t *out)
{
    ngx_uint_t        i;
    const ngx_str_t  *name;

    if (!target->options->continues || !ngx_ors_chat_unfinished(req)) {
        return;
    }

    for (i = 0; ngx_ors_chat_continue_names[i].len; i++) {
        name = &ngx_ors_chat_continue_names[i];

        if (!ngx_ors_chat_passthrough(target, name)) {
            ngx_ors_out_lit(out, ",\"");
            ngx_ors_out_str(out, name);
            ngx_ors_out_lit(out, "\":");
            ngx_ors_out_str(out, &ngx_ors_chat_continue_values[i]);
        }
    }
}


/* 1 if the input ends with a message of the assistant that was cut */

static ngx_uint_t
ngx_ors_chat_unfinished(ngx_ors_request_t *req)
{
    ngx_ors_input_item_t  *item;

    item = ngx_ors_input_last(&req->input);

    return item && item->role && item->status
           && ngx_ors_json_is(item->json, ngx_ors_input_node(item, item->role),
                              "assistant")
           && ngx_ors_json_is(item->json,
                              ngx_ors_input_node(item, item->status),
                              "incomplete");
}


ngx_uint_t
ngx_ors_chat_written(ngx_ors_request_t *req, ngx_ors_chat_target_t *target,
    ngx_ors_json_node_t *key)
{
    ngx_uint_t                     i;
    ngx_ors_json_t                *json;
    const ngx_str_t               *name;
    ngx_ors_pointer_t             *member;
    const ngx_ors_chat_options_t  *options;

    json = &req->json;
    options = target->options;

    for (i = 0; i < target->passthrough.n; i++) {
        name = &target->passthrough.members[i].name;

        if (ngx_ors_spelling_is(json, key, name)) {
            return 1;
        }
    }

    name = ngx_ors_json_name(json, key, ngx_ors_chat_optionals);
    i = name - ngx_ors_chat_optionals;

    if (name->len && (options->params & 1 << i)) {
        return target->optional[i] != NULL;
    }

    if (options->continues && ngx_ors_chat_unfinished(req)) {

        for (name = ngx_ors_chat_continue_names; name->len; name++) {

            if (ngx_ors_spelling_is(json, key, name)) {
                return 1;
            }
        }
    }

    for (member = target->effort ? target->effort->members.first : NULL;
         member;
         member = member->next)
    {
        if (ngx_ors_spelling_is(json, key, &member->name)) {
            return 1;
        }
    }

    return 0;
}


ngx_int_t
ngx_ors_chat_type(const ngx_ors_chat_options_t *options, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node, ngx_pool_t *pool,
    const ngx_ors_chat_type_t **rule)
{
    ngx_str_t             name;
    ngx_uint_t            i;
    ngx_ors_chat_type_t  *types;

    static const ngx_ors_chat_type_t  skip = {
        ngx_null_string, 1, ngx_ors_chat_type_skip, ngx_null_string
    };

    *rule = &skip;

    if (options->types == NULL || node == NULL
        || node->type != ngx_ors_json_string)
    {
        return NGX_OK;
    }

    if (ngx_ors_json_decoded(json, node, pool, &name) != NGX_OK) {
        return NGX_ERROR;
    }

    types = options->types->elts;

    for (i = 0; i < options->types->nelts; i++) {

        if (types[i].prefix ? types[i].type.len > name.len
                              || types[i].type.len < (*rule)->type.len
                            : types[i].type.len != name.len)
        {
            continue;
        }

        if (types[i].type.len
            && ngx_memcmp(types[i].type.data, name.data, types[i].type.len)
               != 0)
        {
            continue;
        }

        *rule = &types[i];

        if (!types[i].prefix) {
            break;
        }
    }

    return NGX_OK;
}


ngx_uint_t
ngx_ors_chat_owns(ngx_str_t *name)
{
    return ngx_ors_chat_field(name, NGX_ORS_CHAT_FIELD_OWN)
           || ngx_ors_chat_listed(ngx_ors_chat_optionals, name);
}


static ngx_uint_t
ngx_ors_chat_listed(const ngx_str_t *names, const ngx_str_t *name)
{
    for ( /* void */ ; names->len; names++) {

        if (ngx_ors_same(names, name)) {
            return 1;
        }
    }

    return 0;
}
