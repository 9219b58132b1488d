
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The table of a chat request's fields, and a look-up by name and by
 * spelling.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_fields.h>
#include <ngx_ors_spelling.h>


#define OWN    NGX_ORS_CHAT_FIELD_OWN
#define DROP   NGX_ORS_CHAT_FIELD_DROP
#define FIXED  NGX_ORS_CHAT_FIELD_FIXED


typedef struct {
    ngx_str_t    name;
    ngx_uint_t   flags;       /* NGX_ORS_CHAT_FIELD_ */
} ngx_ors_chat_field_t;


static const ngx_ors_chat_field_t  ngx_ors_chat_fields[] = {
    { ngx_string("audio"), OWN|DROP|FIXED },
    { ngx_string("frequency_penalty"), OWN },
    { ngx_string("function_call"), OWN|DROP|FIXED },
    { ngx_string("functions"), OWN|DROP|FIXED },
    { ngx_string("logprobs"), OWN|DROP|FIXED },
    { ngx_string("max_completion_tokens"), OWN|DROP },
    { ngx_string("max_tokens"), OWN|DROP },
    { ngx_string("messages"), OWN|DROP|FIXED },
    { ngx_string("modalities"), OWN|DROP|FIXED },
    { ngx_string("model"), OWN|FIXED },
    { ngx_string("n"), OWN|DROP|FIXED },
    { ngx_string("parallel_tool_calls"), OWN|FIXED },
    { ngx_string("presence_penalty"), OWN },
    { ngx_string("reasoning_effort"), DROP },
    { ngx_string("response_format"), OWN|DROP },
    { ngx_string("stream"), OWN|FIXED },
    { ngx_string("stream_options"), OWN|FIXED },
    { ngx_string("temperature"), OWN },
    { ngx_string("tool_choice"), OWN|FIXED },
    { ngx_string("tools"), OWN|FIXED },
    { ngx_string("top_logprobs"), OWN|FIXED },
    { ngx_string("top_p"), OWN },
    { ngx_null_string, 0 }
};


ngx_uint_t
ngx_ors_chat_field(const ngx_str_t *name, ngx_uint_t flags)
{
    const ngx_ors_chat_field_t  *field;

    for (field = ngx_ors_chat_fields; field->name.len; field++) {

        if (field->name.len == name->len
            && *field->name.data == *name->data
            && (field->flags & flags)
            && ngx_memcmp(field->name.data, name->data, name->len) == 0)
        {
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
