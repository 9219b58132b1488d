
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The options of a server of which nothing is known, and what options mean for
 * the fields, the efforts and the tools of one request.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_content.h>
#include <ngx_ors_chat_options.h>
#include <ngx_ors_names.h>
#include <ngx_ors_violation.h>
#include <ngx_ors_book.h>


#define ngx_ors_chat_optional_name(name, foreign)  ngx_string(#name),
#define ngx_ors_chat_optional_foreign(name, foreign)  foreign,

#define OWN    NGX_ORS_CHAT_FIELD_OWN
#define DROP   NGX_ORS_CHAT_FIELD_DROP
#define FIXED  NGX_ORS_CHAT_FIELD_FIXED


#define ngx_ors_chat_number_row(name)  { ngx_string(#name), OWN },

#define ngx_ors_chat_optional_row(name, foreign)  { ngx_string(#name), OWN },

#define ngx_ors_chat_field_row(name, flags)  { ngx_string(#name), flags },


typedef struct {
    ngx_str_t    name;
    ngx_uint_t   flags;       /* NGX_ORS_CHAT_FIELD_ */
} ngx_ors_chat_field_t;


static ngx_uint_t ngx_ors_chat_unfinished(ngx_ors_request_t *req);


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


static const ngx_ors_chat_field_t  ngx_ors_chat_fields[] = {
    NGX_ORS_CHAT_NUMBERS(ngx_ors_chat_number_row)
    NGX_ORS_CHAT_OPTIONALS(ngx_ors_chat_optional_row)
    NGX_ORS_CHAT_FIELDS(ngx_ors_chat_field_row)
    { ngx_null_string, 0 }
};


void
ngx_ors_chat_options_read(ngx_ors_request_t *req,
    ngx_ors_chat_target_t *target)
{
    ngx_uint_t              i, last, may;
    ngx_array_t            *list;
    ngx_ors_json_t         *json;
    ngx_ors_json_node_t    *node;
    ngx_ors_chat_effort_t  *effort;

    json = &req->json;
    last = NGX_ORS_CHAT_NOPTIONALS - 1;

    ngx_ors_json_members(json, json->nodes, ngx_ors_chat_optionals,
                         target->optional);

    target->optional[last] = ngx_ors_json_find(json,
                                               req->field[ngx_ors_rq_text],
                                               "verbosity");

    for (i = 0; i < NGX_ORS_CHAT_NOPTIONALS; i++) {
        node = target->optional[i];

        if (node == NULL) {
            continue;
        }

        /*
         * One that the profile does not know goes the way of unknown fields;
         * those of Chat Completions are known to none, and passed on as what
         * they are
         */

        may = (i == last)
              || (ngx_ors_chat_foreign[i]
                  ? req->policy->unknown != ngx_ors_unknown_strip
                  : ngx_ors_request_knows(req, &ngx_ors_chat_optionals[i]));

        if (!(target->options->params & 1 << i)
            || node->type == ngx_ors_json_null || !may)
        {
            target->optional[i] = NULL;
        }
    }

    node = target->effortless ? NULL
           : ngx_ors_json_find(json, req->field[ngx_ors_rq_reasoning],
                               "effort");

    target->asked = (node && node->type == ngx_ors_json_string) ? node : NULL;
    target->effort = NULL;

    list = target->options->efforts;
    effort = list ? list->elts : NULL;

    for (i = 0; list && i < list->nelts; i++) {

        if (ngx_ors_json_equal(json, target->asked, effort[i].value.data,
                               effort[i].value.len))
        {
            target->effort = &effort[i];
        }
    }
}


ngx_uint_t
ngx_ors_chat_key(ngx_ors_chat_target_t *target, const ngx_str_t *name,
    ngx_ors_out_t *out)
{
    if (ngx_ors_chat_passthrough(target, name)) {
        return 0;
    }

    ngx_ors_out_lit(out, ",\"");
    ngx_ors_out_str(out, name);
    ngx_ors_out_lit(out, "\":");

    return 1;
}


void
ngx_ors_chat_effort(ngx_ors_request_t *req, ngx_ors_chat_target_t *target,
    ngx_ors_out_t *out)
{
    ngx_ors_pointer_t  *member;

    static const ngx_str_t  name = ngx_string("reasoning_effort");

    if (target->effort == NULL) {

        if (target->asked && ngx_ors_chat_key(target, &name, out)) {
            ngx_ors_chat_value(out, &req->json, target->asked);
        }

        return;
    }

    for (member = target->effort->members.first;
         member;
         member = member->next)
    {
        if (!ngx_ors_chat_passthrough(target, &member->name)) {
            ngx_ors_out_lit(out, ",");
            ngx_ors_pointer_put(member, out);
        }
    }
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
    ngx_uint_t  i;

    if (!target->options->continues || !ngx_ors_chat_unfinished(req)) {
        return;
    }

    for (i = 0; ngx_ors_chat_continue_names[i].len; i++) {

        if (ngx_ors_chat_key(target, &ngx_ors_chat_continue_names[i], out)) {
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

    static const ngx_ors_chat_type_t  unset = {
        ngx_null_string, 1, ngx_ors_chat_type_unset, ngx_null_string
    };

    *rule = &unset;

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


/*
 * The table of a chat request's fields, and a look-up by name and by
 * spelling.
 */


ngx_uint_t
ngx_ors_chat_field(const ngx_str_t *name, ngx_uint_t flags)
{
    const ngx_ors_chat_field_t  *field;

    for (field = ngx_ors_chat_fields; field->name.len; field++) {

        if ((field->flags & flags) && ngx_ors_same(&field->name, name)) {
            return 1;
        }
    }

    return 0;
}


const ngx_str_t *
ngx_ors_chat_field_spelled(ngx_ors_json_t *json, ngx_ors_json_node_t *key,
    ngx_uint_t flags)
{
    const ngx_ors_chat_field_t  *field;

    for (field = ngx_ors_chat_fields; field->name.len; field++) {

        if ((field->flags & flags)
            && ngx_ors_spelling_is(json, key, &field->name))
        {
            return &field->name;
        }
    }

    return NULL;
}
