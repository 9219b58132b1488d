
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The limits of a text, counted before jansson parses it.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_jsonschema_report.h>
#include <ngx_ors_jsonschema_value.h>


/* digits of a negative exponent from which a number may come to be 0 */
#define NGX_ORS_JSONSCHEMA_TINY  3


static void ngx_ors_jsonschema_extent(ngx_str_t *text, ngx_uint_t max,
    ngx_ors_jsonschema_extent_t *e);
static u_char *ngx_ors_jsonschema_string_end(u_char *p, u_char *last);
static ngx_uint_t ngx_ors_jsonschema_tiny(u_char *p, u_char *last);
static ngx_int_t ngx_ors_jsonschema_load_error(json_error_t *jerr,
    ngx_ors_jsonschema_report_t *report);


ngx_int_t
ngx_ors_jsonschema_load(ngx_str_t *text, ngx_ors_jsonschema_limits_t *limits,
    ngx_ors_jsonschema_extent_t *e, json_t **root,
    ngx_ors_jsonschema_report_t *report)
{
    json_error_t  jerr;

    if (text->len > limits->size) {
        return ngx_ors_jsonschema_busy(report, "has more than %uz bytes",
                                       limits->size);
    }

    ngx_ors_jsonschema_extent(text, limits->depth, e);

    if (e->depth > limits->depth) {
        return ngx_ors_jsonschema_busy(report, "has more than %ui levels",
                                       limits->depth);
    }

    if (e->values > limits->values) {
        return ngx_ors_jsonschema_busy(report, "has more than %ui values",
                                       limits->values);
    }

    if (e->tiny) {
        return ngx_ors_jsonschema_busy(report,
                                       "has a number that is too small");
    }

    *root = json_loadb((char *) text->data, text->len,
                       JSON_REJECT_DUPLICATES|JSON_DECODE_ANY|JSON_ALLOW_NUL,
                       &jerr);
    if (*root == NULL) {
        return ngx_ors_jsonschema_load_error(&jerr, report);
    }

    return NGX_OK;
}


/* how large jansson's tree would be, before it is made */

static void
ngx_ors_jsonschema_extent(ngx_str_t *text, ngx_uint_t max,
    ngx_ors_jsonschema_extent_t *e)
{
    u_char      *p, *last;
    ngx_uint_t   depth;

    ngx_memzero(e, sizeof(ngx_ors_jsonschema_extent_t));

    depth = 0;
    e->values = 1;
    last = text->data + text->len;

    for (p = text->data; p < last; p++) {

        switch (*p) {

        case '"':
            p = ngx_ors_jsonschema_string_end(p + 1, last);
            break;

        case '{':
            e->objects++;

            /* fall through */

        case '[':
            e->values++;
            depth++;

            if (depth > e->depth) {
                e->depth = depth;
            }

            if (depth > max) {
                return;
            }

            break;

        case '}':
        case ']':
            depth -= (depth != 0);
            break;

        case ',':
            e->values++;
            break;

        case 'e':
        case 'E':
            e->tiny |= ngx_ors_jsonschema_tiny(p + 1, last);
            break;

        default:
            break;
        }
    }
}


/* the quote that ends the string, or "last" */

static u_char *
ngx_ors_jsonschema_string_end(u_char *p, u_char *last)
{
    for ( /* void */ ; p < last && *p != '"'; p++) {

        if (*p == '\\' && p + 1 < last) {
            p++;
        }
    }

    return p;
}


/* 1 if what comes after an "e" is an exponent that jansson may take for 0 */

static ngx_uint_t
ngx_ors_jsonschema_tiny(u_char *p, u_char *last)
{
    ngx_uint_t  n;

    if (p == last || *p != '-') {
        return 0;
    }

    for (p++; p < last && *p == '0'; p++) { /* void */ }

    for (n = 0; p < last && *p >= '0' && *p <= '9'; p++) {
        n++;
    }

    return n >= NGX_ORS_JSONSCHEMA_TINY;
}


static ngx_int_t
ngx_ors_jsonschema_load_error(json_error_t *jerr,
    ngx_ors_jsonschema_report_t *report)
{
    switch (json_error_code(jerr)) {

    case json_error_premature_end_of_input:
    case json_error_end_of_input_expected:
        break;

    case json_error_invalid_syntax:

        /* half of a surrogate pair is legal JSON */

        if (ngx_strncmp(jerr->text, "invalid Unicode '",
                        sizeof("invalid Unicode '") - 1)
            != 0)
        {
            break;
        }

        return ngx_ors_jsonschema_busy(report,
                                       "has half of a surrogate pair");

    case json_error_duplicate_key:
        return ngx_ors_jsonschema_busy(report, "has a name twice");

    case json_error_null_byte_in_key:
        return ngx_ors_jsonschema_busy(report, "has a name with U+0000");

    case json_error_numeric_overflow:
        return ngx_ors_jsonschema_busy(report,
                                       "has a number that is too large");

    case json_error_invalid_utf8:
        return ngx_ors_jsonschema_busy(report, "is not UTF-8");

    default:
        return NGX_ERROR;
    }

    return ngx_ors_jsonschema_refuse(report, "json",
                                     "is not JSON, near line %d column %d",
                                     jerr->line, jerr->column);
}
