
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Content-Type of a request: is it JSON, and in UTF-8?
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_headers.h>
#include <ngx_ors_media.h>
#include <ngx_ors_names.h>


static ngx_uint_t ngx_ors_media_json(ngx_str_t *type);
static ngx_uint_t ngx_ors_media_utf8(ngx_str_t *type);
static ngx_uint_t ngx_ors_media_charset(u_char *p, u_char *last);


/*
 * A server that reads a header which is not looked at here may see another
 * document in the same bytes
 */

char *
ngx_ors_media(ngx_list_t *headers)
{
    ngx_str_t            *type;
    ngx_table_elt_t      *h;
    ngx_ors_header_at_t   at;

    type = NULL;

    for (h = ngx_ors_header_first(headers, &at);
         h;
         h = ngx_ors_header_next(&at))
    {
        if (h->hash == 0) {
            continue;
        }

        if (ngx_ors_same_case(&h->key, "content-encoding")
            && h->value.len
            && !ngx_ors_same_case(&h->value, "identity"))
        {
            return "the request's body must not be compressed, its "
                   "Content-Encoding must be absent or \"identity\"";
        }

        if (!ngx_ors_same_case(&h->key, "content-type")) {
            continue;
        }

        if (type) {
            return "the request has more than one Content-Type";
        }

        type = &h->value;
    }

    if (type == NULL) {
        return "the request must have the Content-Type \"application/json\"";
    }

    if (!ngx_ors_media_json(type)) {
        return "the request's Content-Type must be \"application/json\"";
    }

    return ngx_ors_media_utf8(type)
           ? NULL : "the charset of the request's Content-Type must be "
                    "\"utf-8\"";
}


static ngx_uint_t
ngx_ors_media_json(ngx_str_t *type)
{
    u_char  *p, *last;

    static ngx_str_t  json = ngx_string("application/json");

    if (type->len < json.len
        || ngx_strncasecmp(type->data, json.data, json.len) != 0)
    {
        return 0;
    }

    p = type->data + json.len;
    last = type->data + type->len;

    while (p < last && (*p == ' ' || *p == '\t')) {
        p++;
    }

    return p == last || *p == ';';
}


/*
 * "charset" must be a parameter wherever it occurs, and its value UTF-8:
 * parsers disagree on quotes and on a charset that comes twice
 */

static ngx_uint_t
ngx_ors_media_utf8(ngx_str_t *type)
{
    u_char  *p, *q, *last;

    p = type->data;
    last = type->data + type->len;

    while ((p = ngx_strlcasestrn(p, last, (u_char *) "charset",
                                 sizeof("charset") - 2))
           != NULL)
    {
        for (q = p - 1; *q == ' ' || *q == '\t'; q--) { /* void */ }

        p += sizeof("charset") - 1;

        if (*q != ';' || !ngx_ors_media_charset(p, last)) {
            return 0;
        }
    }

    return 1;
}


/* compares "=utf-8", and the parameter's end */

static ngx_uint_t
ngx_ors_media_charset(u_char *p, u_char *last)
{
    u_char     *end;
    ngx_str_t   name;

    if (p == last || *p++ != '=') {
        return 0;
    }

    if (p < last && *p == '"') {
        p++;

        end = ngx_strlchr(p, last, '"');
        if (end == NULL) {
            return 0;
        }

        name.len = end - p;
        end++;

    } else {
        for (end = p;
             end < last && *end != ';' && *end != ' ' && *end != '\t';
             end++)
        {
            /* void */
        }

        name.len = end - p;
    }

    name.data = p;

    while (end < last && (*end == ' ' || *end == '\t')) {
        end++;
    }

    return (end == last || *end == ';')
           && (ngx_ors_same_case(&name, "utf-8")
               || ngx_ors_same_case(&name, "utf8"));
}
