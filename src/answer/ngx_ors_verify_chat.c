
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Each chunk of a chat completion stream against the schema, and the end of
 * such a stream.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_answer_error.h>
#include <ngx_ors_verify_chat.h>
#include <ngx_ors_verify_check.h>
#include <ngx_ors_verify_tolerate.h>
#include <ngx_ors_ws.h>
#include <ngx_ors_mask.h>
#include <ngx_ors_response.h>


/* how many choices are followed up to their end */
#define NGX_ORS_VERIFY_CHOICES  128


static ngx_int_t ngx_ors_verify_chat_error(ngx_ors_verify_t *verify);
static ngx_int_t ngx_ors_verify_chat_choices(ngx_ors_verify_t *verify);
static ngx_int_t ngx_ors_verify_chat_choice(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *choice);


ngx_int_t
ngx_ors_verify_chat(ngx_ors_verify_t *verify)
{
    ngx_int_t             rc;
    ngx_ors_json_node_t  *root;

    rc = ngx_ors_verify_chat_error(verify);

    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_ors_verify_check(verify, &verify->answer->sse.data,
                              verify->endpoint->event);

    if (rc == NGX_OK) {
        rc = ngx_ors_verify_chat_choices(verify);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_ors_verify_event_lines(&verify->answer->sse.data);

    root = verify->json.nodes;

    ngx_ors_frame_open(verify->out, NULL);
    ngx_ors_edits_write(&verify->edits, &verify->json,
                        ngx_ors_edit_start(root), ngx_ors_edit_end(root), 0,
                        verify->out);
    ngx_ors_frame_close(verify->out);

    return NGX_OK;
}


/*
 * NGX_OK: no error; NGX_DECLINED: verify->error says what upstream has
 * reported; NGX_ERROR
 */

static ngx_int_t
ngx_ors_verify_chat_error(ngx_ors_verify_t *verify)
{
    ngx_int_t             rc;
    ngx_str_t            *data, *event;
    ngx_uint_t            named;
    ngx_ors_json_node_t  *error;

    static ngx_str_t  key = ngx_string("\"error\"");

    data = &verify->answer->sse.data;
    event = &verify->answer->sse.event;

    named = (event->len == 5 && ngx_memcmp(event->data, "error", 5) == 0);

    /* in a string the quotes would be escaped */

    if (!named
        && memmem(data->data, data->len, key.data, key.len) == NULL)
    {
        return NGX_OK;
    }

    rc = ngx_ors_json_read(&verify->json, data->data, data->len);

    if (rc != NGX_OK) {
        return (rc == NGX_DECLINED) ? NGX_OK : NGX_ERROR;
    }

    error = ngx_ors_json_find(&verify->json, verify->json.nodes, "error");

    if (!named && (error == NULL || error->type == ngx_ors_json_null)) {
        return NGX_OK;
    }

    if (ngx_ors_answer_error(&verify->error, verify->pool, 0, &verify->json,
                             verify->json.nodes)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (verify->policy->mask) {
        ngx_ors_mask(&verify->error);
    }

    return NGX_DECLINED;
}


static ngx_int_t
ngx_ors_verify_chat_choices(ngx_ors_verify_t *verify)
{
    ngx_int_t             rc;
    ngx_ors_json_node_t  *choices, *choice;

    choices = ngx_ors_json_find(&verify->json, verify->json.nodes, "choices");

    if (choices == NULL || choices->type != ngx_ors_json_array) {
        return NGX_OK;
    }

    for (choice = ngx_ors_json_first(&verify->json, choices);
         choice;
         choice = ngx_ors_json_next(&verify->json, choice))
    {
        rc = ngx_ors_verify_chat_choice(verify, choice);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_verify_chat_choice(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *choice)
{
    int64_t                   n;
    uint64_t                  bit;
    ngx_ors_json_node_t      *node;
    ngx_ors_verify_stream_t  *vs;

    vs = verify->stream;
    verify->begun = 1;
    node = ngx_ors_json_find(&verify->json, choice, "index");
    n = 0;

    if (node && (ngx_ors_json_integer(&verify->json, node, &n) != NGX_OK
                 || n < 0 || n >= NGX_ORS_VERIFY_CHOICES))
    {
        return ngx_ors_verify_violation(verify, "a choice has an impossible "
                                        "index");
    }

    bit = (uint64_t) 1 << (n & 63);
    vs->seen[n >> 6] |= bit;

    node = ngx_ors_json_find(&verify->json, choice, "finish_reason");

    if (node && node->type != ngx_ors_json_null) {
        vs->finished[n >> 6] |= bit;
    }

    return NGX_OK;
}


ngx_uint_t
ngx_ors_verify_chat_ends(ngx_ors_verify_t *verify, ngx_uint_t done)
{
    ngx_ors_verify_stream_t  *vs;

    vs = verify->stream;

    if (!(vs->seen[0] | vs->seen[1])) {
        return 0;
    }

    return done || (vs->seen[0] == vs->finished[0]
                    && vs->seen[1] == vs->finished[1]);
}


void
ngx_ors_verify_chat_fail(ngx_ors_verify_t *verify)
{
    ngx_ors_frame_open(verify->out, NULL);
    ngx_ors_out_lit(verify->out, "{\"error\":");
    ngx_ors_error_render(verify->out, &verify->error);
    ngx_ors_out_lit(verify->out, "}");
    ngx_ors_frame_close(verify->out);
    ngx_ors_frame_done(verify->out);
}
