
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_answer_items.h>
#include <ngx_ors_answer_notes.h>
#include <ngx_ors_chat_notes.h>
#include <ngx_ors_event.h>


static ngx_ors_part_t *ngx_ors_answer_last_text(ngx_ors_answer_t *answer);
static ngx_int_t ngx_ors_answer_annotate(ngx_ors_answer_t *answer,
    ngx_ors_part_t *part, ngx_str_t *text, ngx_ors_error_t *err);


ngx_int_t
ngx_ors_answer_logprobs(ngx_ors_answer_t *answer, ngx_ors_json_t *json,
    ngx_ors_chat_reply_t *reply, ngx_ors_error_t *err)
{
    ngx_str_t        text;
    ngx_uint_t       texts;
    ngx_ors_part_t  *part;

    if (!answer->wants_logprobs) {
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

        part = ngx_ors_answer_last_text(answer);
        if (part == NULL) {
            return NGX_OK;
        }
    }

    if (ngx_ors_chat_logprobs(json, reply->logprobs, answer->pool,
                              &answer->notes, &text)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (text.len == 0) {
        return NGX_OK;
    }

    if (ngx_ors_answer_grow(answer, text.len + sizeof(ngx_ors_note_t), err)
        != NGX_OK)
    {
        return NGX_DECLINED;
    }

    /* only what is told is kept, and counted */

    answer->logprobs.len = text.len;
    answer->logprobs.data = ngx_pstrdup(answer->pool, &text);

    if (answer->logprobs.data == NULL) {
        return NGX_ERROR;
    }

    return texts ? NGX_OK : ngx_ors_answer_note_tokens(answer, part);
}


ngx_int_t
ngx_ors_answer_note_tokens(ngx_ors_answer_t *answer, ngx_ors_part_t *part)
{
    if (ngx_ors_note_add(&part->logprobs, answer->pool, &answer->logprobs)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    answer->logprobs.len = 0;

    if (part->unsent == NULL) {
        part->unsent = part->logprobs.last;
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_answer_annotations(ngx_ors_answer_t *answer, ngx_ors_json_t *json,
    ngx_ors_chat_reply_t *reply, ngx_ors_error_t *err)
{
    ngx_int_t             rc;
    ngx_str_t             text;
    ngx_uint_t            left_out;
    ngx_ors_part_t       *part;
    ngx_ors_json_node_t  *node;

    part = ngx_ors_answer_last_text(answer);
    left_out = 0;

    /* a message that repeats what came in pieces repeats them, too (E61) */

    if (part && reply->whole && part->annotations.first) {
        return NGX_OK;
    }

    for (node = ngx_ors_json_first(json, reply->annotations);
         node;
         node = ngx_ors_json_next(json, node))
    {
        rc = part ? ngx_ors_chat_annotation(json, node, answer->pool, &text)
                  : NGX_DECLINED;

        if (rc == NGX_DECLINED) {
            left_out++;
            continue;
        }

        if (rc == NGX_OK) {
            rc = ngx_ors_answer_annotate(answer, part, &text, err);
        }

        if (rc != NGX_OK) {
            return rc;
        }
    }

    if (left_out && !answer->warned_notes) {
        answer->warned_notes = 1;

        ngx_log_error(NGX_LOG_WARN, answer->log, 0,
                      "model server sent %ui annotations that are left out, "
                      "they are no citations or have no text", left_out);
    }

    return NGX_OK;
}


/* the text that is still open, NULL if something else stands last */

static ngx_ors_part_t *
ngx_ors_answer_last_text(ngx_ors_answer_t *answer)
{
    ngx_ors_item_t  *item;

    item = answer->resp->last;

    if (item == NULL || item->last == NULL
        || item->last->type != ngx_ors_part_output_text)
    {
        return NULL;
    }

    return item->last;
}


static ngx_int_t
ngx_ors_answer_annotate(ngx_ors_answer_t *answer, ngx_ors_part_t *part,
    ngx_str_t *text, ngx_ors_error_t *err)
{
    ngx_ors_item_t   *item;
    ngx_ors_notes_t  *notes;

    if (ngx_ors_answer_grow(answer, text->len + sizeof(ngx_ors_note_t), err)
        != NGX_OK)
    {
        return NGX_DECLINED;
    }

    notes = &part->annotations;

    if (ngx_ors_note_add(notes, answer->pool, text) != NGX_OK) {
        return NGX_ERROR;
    }

    item = answer->resp->last;

    if (answer->stream && item->announced) {
        ngx_ors_event_annotation(answer->out, answer->resp, item, part,
                                 notes->last, notes->n - 1);
    }

    return NGX_OK;
}
