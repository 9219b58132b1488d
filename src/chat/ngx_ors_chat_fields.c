
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The table of a chat request's fields, and a look-up by name and by
 * spelling.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_book.h>
#include <ngx_ors_chat_fields.h>
#include <ngx_ors_names.h>
#include <ngx_ors_violation.h>


#define OWN    NGX_ORS_CHAT_FIELD_OWN
#define DROP   NGX_ORS_CHAT_FIELD_DROP
#define FIXED  NGX_ORS_CHAT_FIELD_FIXED


typedef struct {
    ngx_str_t    name;
    ngx_uint_t   flags;       /* NGX_ORS_CHAT_FIELD_ */
} ngx_ors_chat_field_t;


#define ngx_ors_chat_number_row(name)  { ngx_string(#name), OWN },

#define ngx_ors_chat_optional_row(name, foreign)  { ngx_string(#name), OWN },

#define ngx_ors_chat_field_row(name, flags)  { ngx_string(#name), flags },

static const ngx_ors_chat_field_t  ngx_ors_chat_fields[] = {
    NGX_ORS_CHAT_NUMBERS(ngx_ors_chat_number_row)
    NGX_ORS_CHAT_OPTIONALS(ngx_ors_chat_optional_row)
    NGX_ORS_CHAT_FIELDS(ngx_ors_chat_field_row)
    { ngx_null_string, 0 }
};


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
