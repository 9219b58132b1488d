
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Annotations and logprobs that belong to a text, collected while the text
 * grows.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_arguments.h>
#include <ngx_ors_builder_items.h>
#include <ngx_ors_builder_annotations.h>
#include <ngx_ors_chat_answer.h>
#include <ngx_ors_event.h>


static ngx_ors_part_t *ngx_ors_builder_last_text(ngx_ors_builder_t *builder);
static ngx_int_t ngx_ors_builder_annotate(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item, ngx_ors_part_t *part, ngx_str_t *text);
static ngx_int_t ngx_ors_builder_citation(ngx_ors_builder_t *builder,
    ngx_ors_citation_t *citation, ngx_str_t *text);


ngx_int_t
ngx_ors_builder_logprobs(ngx_ors_builder_t *builder, ngx_ors_json_t *json,
    ngx_ors_chat_answer_t *reply, ngx_ors_error_t *err)
{
    ngx_str_t        text;
    ngx_uint_t       texts;
    ngx_ors_part_t  *part;

    if (!builder->wants_logprobs) {
        return NGX_OK;
    }

    part = NULL;
    texts = (reply->text.len || reply->parts);

    /* a token may be a part of a character, the text comes with the rest */

    if (!texts) {

        if (reply->reasoning.len || reply->thoughts || reply->refusal.len
            || reply->calls || reply->function)
        {
            return NGX_OK;
        }

        part = ngx_ors_builder_last_text(builder);
        if (part == NULL) {
            return NGX_OK;
        }
    }

    if (ngx_ors_chat_answer_logprobs(json, reply->logprobs, builder->pool,
                                     &builder->scratch, &text)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (text.len == 0) {
        return NGX_OK;
    }

    if (ngx_ors_builder_grow(builder, text.len + sizeof(ngx_ors_element_t), err)
        != NGX_OK)
    {
        return NGX_DECLINED;
    }

    /* only what is sent is stored, and counted */

    if (ngx_ors_str_copy(&builder->logprobs, builder->pool, &text) != NGX_OK) {
        return NGX_ERROR;
    }

    return texts ? NGX_OK : ngx_ors_builder_note_tokens(builder, part);
}


ngx_int_t
ngx_ors_builder_note_tokens(ngx_ors_builder_t *builder, ngx_ors_part_t *part)
{
    if (ngx_ors_element_add(&part->logprobs, builder->pool, &builder->logprobs)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    builder->logprobs.len = 0;

    if (part->unsent == NULL) {
        part->unsent = part->logprobs.last;
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_builder_annotations(ngx_ors_builder_t *builder, ngx_ors_json_t *json,
    ngx_ors_chat_answer_t *reply, ngx_ors_error_t *err)
{
    ngx_int_t             rc;
    ngx_str_t             text;
    ngx_uint_t            left_out;
    ngx_ors_part_t       *part;
    ngx_ors_json_node_t  *node;

    part = ngx_ors_builder_last_text(builder);
    left_out = 0;

    /* a message that repeats what came in pieces repeats them (E61) */

    if (part && reply->whole && part->annotations.first) {
        return NGX_OK;
    }

    for (node = ngx_ors_json_first(json, reply->annotations);
         node;
         node = ngx_ors_json_next(json, node))
    {
        rc = part ? ngx_ors_chat_answer_annotation(json, node, builder->pool,
                                                   &text)
                  : NGX_DECLINED;

        if (rc == NGX_DECLINED) {
            left_out++;
            continue;
        }

        if (rc == NGX_OK) {
            rc = ngx_ors_builder_grow(builder,
                                      text.len + sizeof(ngx_ors_element_t),
                                      err);
        }

        if (rc == NGX_OK) {
            rc = ngx_ors_builder_annotate(builder, builder->resp->last, part,
                                          &text);
        }

        if (rc != NGX_OK) {
            return rc;
        }
    }

    if (left_out && !builder->warned_notes) {
        builder->warned_notes = 1;

        ngx_log_error(NGX_LOG_WARN, builder->log, 0,
                      "model server sent %ui annotations that are left out, "
                      "they are no citations or have no text", left_out);
    }

    return NGX_OK;
}


/* the open text, NULL if the last part is another one */

static ngx_ors_part_t *
ngx_ors_builder_last_text(ngx_ors_builder_t *builder)
{
    ngx_ors_item_t  *item;

    item = builder->resp->last;

    if (item == builder->mark.last || item->last == NULL
        || item->last->type != ngx_ors_part_output_text)
    {
        return NULL;
    }

    return item->last;
}


static ngx_int_t
ngx_ors_builder_annotate(ngx_ors_builder_t *builder, ngx_ors_item_t *item,
    ngx_ors_part_t *part, ngx_str_t *text)
{
    ngx_ors_elements_t  *list;

    list = &part->annotations;

    if (ngx_ors_element_add(list, builder->pool, text) != NGX_OK) {
        return NGX_ERROR;
    }

    if (builder->stream && item->announced) {
        ngx_ors_event_annotation(builder->out, builder->resp, item, part,
                                 list->last, list->n - 1);
    }

    return NGX_OK;
}


/* a model server that has searched itself has cited what it found */

ngx_int_t
ngx_ors_builder_cite(ngx_ors_builder_t *builder, ngx_ors_item_t *item,
    ngx_ors_part_t *part, ngx_uint_t cut)
{
    ngx_int_t           rc;
    ngx_str_t           text;
    ngx_ors_citation_t  citation;

    if (builder->sources.urls.n == 0 || part->annotations.first
        || part->type != ngx_ors_part_output_text || part->text.len == 0)
    {
        return NGX_OK;
    }

    ngx_memzero(&citation, sizeof(ngx_ors_citation_t));

    if (ngx_ors_arguments_text(&part->text, builder->limits, builder->pool,
                               &citation.text)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    citation.cut = cut;

    while (ngx_ors_citation_next(&builder->sources, &citation) == NGX_OK) {

        rc = ngx_ors_builder_citation(builder, &citation, &text);

        if (rc == NGX_OK) {
            rc = ngx_ors_builder_annotate(builder, item, part, &text);
        }

        if (rc != NGX_OK) {
            return (rc == NGX_DECLINED) ? NGX_OK : NGX_ERROR;
        }
    }

    return NGX_OK;
}


/* NGX_DECLINED: it is over the limit */

static ngx_int_t
ngx_ors_builder_citation(ngx_ors_builder_t *builder,
    ngx_ors_citation_t *citation, ngx_str_t *text)
{
    size_t                 size;
    ngx_ors_web_source_t  *source;

    static char  form[] = "{\"type\":\"url_citation\",\"url\":\"%V\","
                          "\"title\":\"%V\",\"start_index\":%ui,"
                          "\"end_index\":%ui}";

    source = citation->source;
    size = sizeof(form) + source->url.len + source->title.len
           + 2 * NGX_INT_T_LEN;

    if (builder->size + size + sizeof(ngx_ors_element_t)
        > builder->limits->answer)
    {
        return NGX_DECLINED;
    }

    builder->size += size + sizeof(ngx_ors_element_t);

    text->data = ngx_pnalloc(builder->pool, size);
    if (text->data == NULL) {
        return NGX_ERROR;
    }

    text->len = ngx_snprintf(text->data, size, form, &source->url,
                             &source->title, citation->start, citation->end)
                - text->data;

    return NGX_OK;
}
