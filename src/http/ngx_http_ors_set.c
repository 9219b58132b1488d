
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * "open_responses_set": members that an operator sets in the body for a target,
 * after it has been made.  The body is read once more for it, so that it does
 * not matter who has made it, or for which dialect.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>
#include <ngx_http_ors.h>
#include <ngx_http_ors_subrequest.h>
#include <ngx_ors_chat_options_conf.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_edit.h>
#include <ngx_ors_json_writer.h>
#include <ngx_ors_names.h>


/* of the JSON in one directive */
#define NGX_HTTP_ORS_SET_NODES  1024
#define NGX_HTTP_ORS_SET_DEPTH  32

/* containers that a body has around those of its request */
#define NGX_HTTP_ORS_SET_AROUND  16


/* a text and a string with variables that follows it */

typedef struct {
    ngx_str_t                  text;
    ngx_http_complex_value_t  *string;    /* NULL after the last one */
} ngx_http_ors_set_piece_t;


static ngx_int_t ngx_http_ors_set_pieces(ngx_conf_t *cf, ngx_str_t *value,
    ngx_array_t **pieces);
static ngx_http_complex_value_t *ngx_http_ors_set_string(ngx_conf_t *cf,
    ngx_str_t *text);
static ngx_int_t ngx_http_ors_set_value(void *data, ngx_ors_pointer_t *node,
    ngx_ors_out_t *out);


char *
ngx_http_ors_set_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_ors_loc_conf_t *olcf = conf;

    char               *rc;
    ngx_str_t          *value;
    ngx_array_t        *pieces;
    ngx_ors_pointer_t  *place;

    static ngx_str_t  input = ngx_string("/input");

    value = cf->args->elts;

    if (cf->args->nelts == 4 && ngx_strcmp(value[3].data, "missing") != 0) {
        ngx_ors_conf_error(cf, 0, "invalid parameter \"%V\", it must be "
                           "\"missing\"", &value[3]);
        return NGX_CONF_ERROR;
    }

    if (olcf->sets == NGX_CONF_UNSET_PTR) {
        olcf->sets = ngx_pcalloc(cf->pool, sizeof(ngx_ors_pointer_t));
        if (olcf->sets == NULL) {
            return NGX_CONF_ERROR;
        }
    }

    rc = ngx_ors_chat_conf_json(cf, &value[2], 0);

    if (rc == NGX_CONF_OK && value[1].len >= input.len
        && ngx_strncmp(value[1].data, input.data, input.len) == 0
        && (value[1].len == input.len || value[1].data[input.len] == '/'))
    {
        ngx_ors_conf_error(cf, 0, "invalid pointer \"%V\", \"input\" of a "
                           "request cannot be changed here", &value[1]);
        return NGX_CONF_ERROR;
    }

    if (rc == NGX_CONF_OK) {
        rc = ngx_ors_chat_conf_pointer(cf, olcf->sets, &value[1], &value[2],
                                       NGX_ORS_CHAT_FIELD_FIXED, &place);
    }

    if (rc != NGX_CONF_OK) {
        return rc;
    }

    if (ngx_http_ors_set_pieces(cf, &value[2], &pieces) != NGX_OK) {
        return NGX_CONF_ERROR;
    }

    place->missing = (cf->args->nelts == 4);
    place->data = pieces;

    return NGX_CONF_OK;
}


/* NULL where no string has variables */

static ngx_int_t
ngx_http_ors_set_pieces(ngx_conf_t *cf, ngx_str_t *value,
    ngx_array_t **pieces)
{
    size_t                      pos;
    ngx_str_t                   text;
    ngx_uint_t                  i;
    ngx_ors_json_t              json;
    ngx_ors_json_node_t        *node;
    ngx_http_ors_set_piece_t   *piece;
    ngx_http_complex_value_t   *string;

    *pieces = NULL;

    ngx_ors_json_init(&json, cf->pool, NGX_HTTP_ORS_SET_DEPTH,
                      NGX_HTTP_ORS_SET_NODES);

    if (ngx_ors_json_read(&json, value->data, value->len) != NGX_OK) {
        return NGX_ERROR;
    }

    pos = 0;

    for (i = 0; i < json.n; i++) {
        node = &json.nodes[i];

        if (node->type != ngx_ors_json_string) {
            continue;
        }

        if (ngx_ors_json_decoded(&json, node, cf->pool, &text) != NGX_OK) {
            return NGX_ERROR;
        }

        if (ngx_http_script_variables_count(&text) == 0) {
            continue;
        }

        string = ngx_http_ors_set_string(cf, &text);

        if (string == NULL) {
            return NGX_ERROR;
        }

        if (*pieces == NULL) {
            *pieces = ngx_array_create(cf->pool, 2,
                                       sizeof(ngx_http_ors_set_piece_t));
            if (*pieces == NULL) {
                return NGX_ERROR;
            }
        }

        piece = ngx_array_push(*pieces);
        if (piece == NULL) {
            return NGX_ERROR;
        }

        piece->text.data = value->data + pos;
        piece->text.len = ngx_ors_edit_start(node) - pos;
        piece->string = string;

        pos = ngx_ors_edit_end(node);
    }

    if (*pieces) {
        piece = ngx_array_push(*pieces);
        if (piece == NULL) {
            return NGX_ERROR;
        }

        piece->text.data = value->data + pos;
        piece->text.len = value->len - pos;
        piece->string = NULL;
    }

    return NGX_OK;
}


static ngx_http_complex_value_t *
ngx_http_ors_set_string(ngx_conf_t *cf, ngx_str_t *text)
{
    ngx_str_t                         *copy;
    ngx_http_complex_value_t          *string;
    ngx_http_compile_complex_value_t   ccv;

    copy = ngx_palloc(cf->pool, sizeof(ngx_str_t));
    string = ngx_palloc(cf->pool, sizeof(ngx_http_complex_value_t));

    if (copy == NULL || string == NULL) {
        return NULL;
    }

    *copy = *text;

    ngx_memzero(&ccv, sizeof(ngx_http_compile_complex_value_t));

    ccv.cf = cf;
    ccv.value = copy;
    ccv.complex_value = string;

    return (ngx_http_compile_complex_value(&ccv) == NGX_OK) ? string : NULL;
}


ngx_int_t
ngx_http_ors_set_body(ngx_http_ors_call_t *call,
    ngx_http_ors_loc_conf_t *olcf, ngx_ors_out_t *out)
{
    ngx_str_t              text;
    ngx_ors_json_t         json;
    ngx_ors_edits_t        edits;
    ngx_ors_pointer_set_t  set;

    if (ngx_ors_out_text(out, &text) != NGX_OK) {
        return NGX_ERROR;
    }

    /* it has been read already, within the limits of requests */

    ngx_ors_json_init(&json, call->pool,
                      olcf->limits.depth + NGX_HTTP_ORS_SET_AROUND, text.len);
    ngx_ors_edits_init(&edits, call->pool);

    set.json = &json;
    set.edits = &edits;
    set.value = ngx_http_ors_set_value;
    set.data = call->request;
    set.pool = call->pool;

    if (ngx_ors_json_read(&json, text.data, text.len) != NGX_OK
        || ngx_ors_pointer_set(&set, olcf->sets, json.nodes) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_ors_out_init(out, call->pool, NGX_HTTP_ORS_BLOCK);
    ngx_ors_edits_write(&edits, &json, 0, text.len, 1, out);

    return NGX_OK;
}


static ngx_int_t
ngx_http_ors_set_value(void *data, ngx_ors_pointer_t *node,
    ngx_ors_out_t *out)
{
    ngx_http_request_t *r = data;

    ngx_str_t                  value;
    ngx_array_t               *pieces;
    ngx_http_ors_set_piece_t  *piece;

    pieces = node->data;

    for (piece = pieces->elts; ; piece++) {
        ngx_ors_out_str(out, &piece->text);

        if (piece->string == NULL) {
            return NGX_OK;
        }

        if (ngx_http_complex_value(r, piece->string, &value) != NGX_OK) {
            return NGX_ERROR;
        }

        ngx_ors_json_quote(out, value.data, value.len);
    }
}
