
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Keys that a reader which folds letters takes for known ones.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_names.h>
#include <ngx_ors_spelling.h>


const ngx_ors_field_t *
ngx_ors_spelling_field(ngx_ors_json_t *json, ngx_ors_json_node_t *key,
    const ngx_ors_shape_t *shape)
{
    u_char     buf[NGX_ORS_SPELLING_RAW];
    ngx_str_t  name;

    if (ngx_ors_spelling_name(json, key, buf, &name) != NGX_OK) {
        return NULL;
    }

    return ngx_ors_spelling_row(&name, shape);
}


const ngx_ors_field_t *
ngx_ors_spelling_row(const ngx_str_t *name, const ngx_ors_shape_t *shape)
{
    size_t                  len;
    u_char                  first, folded[NGX_ORS_SPELLING_RAW];
    const ngx_ors_field_t  *field, *last;

    /* names of tables are their own folding: a row, or another name */

    if (ngx_ors_fold_plain(name)) {
        return NULL;
    }

    len = ngx_ors_fold(folded, name) - folded;

    first = *folded;
    last = shape->fields + shape->nfields;

    for (field = shape->fields; field < last; field++) {

        if (field->name.len == len && *field->name.data == first
            && ngx_memcmp(field->name.data, folded, len) == 0)
        {
            return field;
        }
    }

    return NULL;
}


ngx_uint_t
ngx_ors_spelling_is(ngx_ors_json_t *json, ngx_ors_json_node_t *key,
    const ngx_str_t *name)
{
    u_char     buf[NGX_ORS_SPELLING_RAW];
    ngx_str_t  text;

    if (ngx_ors_json_equal(json, key, name->data, name->len)) {
        return 1;
    }

    if (key->ascii && !key->escaped && key->len != name->len) {
        return 0;
    }

    return ngx_ors_spelling_name(json, key, buf, &text) == NGX_OK
           && ngx_ors_fold_equal(&text, name);
}


ngx_int_t
ngx_ors_spelling_name(ngx_ors_json_t *json, ngx_ors_json_node_t *key,
    u_char *buf, ngx_str_t *name)
{
    ngx_ors_json_raw(json, key, name);

    if (name->len > NGX_ORS_SPELLING_RAW) {
        return NGX_DECLINED;
    }

    if (key->escaped) {
        name->len = ngx_ors_json_decode(json, key, buf) - buf;
        name->data = buf;
    }

    return NGX_OK;
}
