
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * A round that is over, beside its schemas: shown to the client, or withdrawn
 * and asked for again.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_arguments.h>
#include <ngx_ors_builder_items.h>
#include <ngx_ors_round.h>


/* text for the model in front of the sentence about a call */
#define NGX_ORS_ROUND_CALL                                                    \
    "The tool was not called: its arguments do not match its schema. "

#define NGX_ORS_ROUND_BLOCK  1024

#define NGX_ORS_ROUND_OUTPUT                                                  \
    "The answer does not match the JSON Schema that it must have. "


static ngx_int_t ngx_ors_round_check(ngx_ors_round_t *round,
    ngx_ors_builder_t *builder, ngx_ors_item_t **wrong);
static ngx_int_t ngx_ors_round_check_output(ngx_ors_round_t *round,
    ngx_ors_builder_t *builder, ngx_ors_item_t *item);
static ngx_int_t ngx_ors_round_output_text(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item, ngx_str_t *text);
static ngx_int_t ngx_ors_round_fault(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item, char *prefix, ngx_str_t *why);
static ngx_int_t ngx_ors_round_refuse(ngx_ors_builder_t *builder,
    ngx_ors_item_t *wrong, ngx_ors_error_t *err);
static ngx_int_t ngx_ors_round_withdraw(ngx_ors_round_t *round,
    ngx_ors_builder_t *builder, ngx_ors_item_t *wrong);


ngx_int_t
ngx_ors_round_conform(ngx_ors_round_t *round, ngx_ors_builder_t *builder,
    ngx_ors_error_t *err)
{
    ngx_ors_item_t  *item, *wrong;

    wrong = NULL;

    if (builder->resp->status == ngx_ors_response_completed
        && ngx_ors_round_check(round, builder, &wrong) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (wrong && round->conform.mode == ngx_ors_conform_enforce) {

        if (round->conform.repeats == round->conform.retry) {
            return ngx_ors_round_refuse(builder, wrong, err);
        }

        if (ngx_ors_round_withdraw(round, builder, wrong) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    for (item = ngx_ors_builder_first(builder); item; item = item->next) {
        item->held = 0;
    }

    return ngx_ors_builder_advance(builder, 1);
}


/* calls that run here are checked when they are about to run */

static ngx_int_t
ngx_ors_round_check(ngx_ors_round_t *round, ngx_ors_builder_t *builder,
    ngx_ors_item_t **wrong)
{
    ngx_int_t        rc;
    ngx_str_t        arguments;
    ngx_uint_t       calls;
    ngx_ors_item_t  *item, *last;

    calls = 0;
    last = NULL;

    for (item = ngx_ors_builder_first(builder); item; item = item->next) {

        if (item->dropped) {
            continue;
        }

        if (item->type == ngx_ors_item_message) {
            last = item;
        }

        if (!ngx_ors_item_is_call(item)) {
            continue;
        }

        calls = 1;

        if (item->tool || item->schema.len == 0) {
            continue;
        }

        if (ngx_ors_arguments_text(&item->arguments, builder->limits,
                                   builder->pool, &arguments)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        rc = ngx_ors_round_check_call(round, builder, item, &arguments);

        if (rc == NGX_ERROR) {
            return NGX_ERROR;
        }

        if (rc == NGX_DECLINED && *wrong == NULL) {
            *wrong = item;
        }
    }

    if (calls || last == NULL || builder->schema.len == 0) {
        return NGX_OK;
    }

    if (ngx_ors_round_check_output(round, builder, last) != NGX_OK) {
        return NGX_ERROR;
    }

    if (last->fault.len) {
        *wrong = last;
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_round_check_call(ngx_ors_round_t *round, ngx_ors_builder_t *builder,
    ngx_ors_item_t *item, ngx_str_t *arguments)
{
    u_char     buf[NGX_ORS_ROUND_WHAT];
    ngx_int_t  rc;
    ngx_str_t  what, why;

    if (item->schema.len == 0) {
        return NGX_OK;
    }

    what.data = buf;
    what.len = ngx_snprintf(buf, NGX_ORS_ROUND_WHAT, "call of tool \"%V\"",
                            &item->name)
               - buf;

    rc = ngx_ors_conform(&round->conform, &what, &item->schema, arguments,
                         builder->pool, builder->log, &why);

    if (rc != NGX_DECLINED
        || round->conform.mode != ngx_ors_conform_enforce)
    {
        return (rc == NGX_ERROR) ? NGX_ERROR : NGX_OK;
    }

    return (ngx_ors_round_fault(builder, item, NGX_ORS_ROUND_CALL, &why)
            == NGX_OK)
           ? NGX_DECLINED : NGX_ERROR;
}


/* sets item->fault */

static ngx_int_t
ngx_ors_round_check_output(ngx_ors_round_t *round, ngx_ors_builder_t *builder,
    ngx_ors_item_t *item)
{
    ngx_int_t  rc;
    ngx_str_t  text, why;

    static ngx_str_t  what = ngx_string("structured output");

    rc = ngx_ors_round_output_text(builder, item, &text);

    if (rc != NGX_OK) {
        return (rc == NGX_DECLINED) ? NGX_OK : NGX_ERROR;
    }

    rc = ngx_ors_conform(&round->conform, &what, &builder->schema, &text,
                         builder->pool, builder->log, &why);

    return (rc == NGX_DECLINED)
           ? ngx_ors_round_fault(builder, item, NGX_ORS_ROUND_OUTPUT, &why)
           : rc;
}


/* NGX_DECLINED: the model refuses to answer */

static ngx_int_t
ngx_ors_round_output_text(ngx_ors_builder_t *builder, ngx_ors_item_t *item,
    ngx_str_t *text)
{
    ngx_str_t        piece;
    ngx_ors_out_t    out;
    ngx_ors_part_t  *part;

    ngx_ors_out_init(&out, builder->pool, NGX_ORS_ROUND_BLOCK);

    for (part = item->parts; part; part = part->next) {

        if (part->type != ngx_ors_part_output_text) {
            return NGX_DECLINED;
        }

        if (part->text.len == 0) {
            continue;
        }

        if (ngx_ors_arguments_text(&part->text, builder->limits,
                                   builder->pool, &piece)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        ngx_ors_out_ref(&out, piece.data, piece.len);
    }

    return ngx_ors_out_text(&out, text);
}


static ngx_int_t
ngx_ors_round_fault(ngx_ors_builder_t *builder, ngx_ors_item_t *item,
    char *prefix, ngx_str_t *why)
{
    u_char  *p;

    p = ngx_pnalloc(builder->pool, ngx_strlen(prefix) + why->len);
    if (p == NULL) {
        return NGX_ERROR;
    }

    item->fault.data = p;
    item->fault.len = ngx_sprintf(p, "%s%V", prefix, why) - p;

    return NGX_OK;
}


static ngx_int_t
ngx_ors_round_refuse(ngx_ors_builder_t *builder, ngx_ors_item_t *wrong,
    ngx_ors_error_t *err)
{
    if (ngx_ors_item_is_call(wrong)) {
        (void) ngx_ors_error_set(err, builder->pool, ngx_ors_code_model_error,
                                 "the model called \"%V\" with arguments that "
                                 "do not match its schema", &wrong->name);

    } else {
        (void) ngx_ors_error_set(err, builder->pool, ngx_ors_code_model_error,
                                 "the model's answer does not match the "
                                 "schema of \"text.format\"");
    }

    ngx_str_set(&err->type, "model_error");

    return NGX_DECLINED;
}


/*
 * The client gets none of its calls, or no text: the model reads what was
 * wrong with one of them, and makes all of them again
 */

static ngx_int_t
ngx_ors_round_withdraw(ngx_ors_round_t *round, ngx_ors_builder_t *builder,
    ngx_ors_item_t *wrong)
{
    ngx_uint_t       call;
    ngx_ors_item_t  *item;

    static ngx_str_t  again = ngx_string(
        "The tool was not called, as the arguments of another call do not "
        "match their schema. Call it again.");

    round->conform.repeats++;
    round->repeat = 1;

    if (!ngx_ors_item_is_call(wrong)) {
        round->again = wrong->fault;
    }

    for (item = ngx_ors_builder_first(builder); item; item = item->next) {

        if (!item->held || item->dropped) {
            continue;
        }

        call = ngx_ors_item_is_call(item);

        if (call != ngx_ors_item_is_call(wrong)) {
            continue;
        }

        if (call && item->fault.len == 0) {
            item->fault = again;
        }

        if (ngx_ors_builder_conceal(builder, item) != NGX_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}
