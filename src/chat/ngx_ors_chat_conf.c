
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Directives of chat server options and of reasoning efforts.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_conf.h>
#include <ngx_ors_chat_fields.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_names.h>


#define NGX_ORS_CHAT_CONF_DEPTH  64
#define NGX_ORS_CHAT_CONF_NODES  4096


typedef struct {
    ngx_str_t          name;
    size_t             offset;      /* in ngx_ors_chat_options_t */
    ngx_conf_enum_t   *values;      /* NULL: a list of "names" */
    const ngx_str_t   *names;
} ngx_ors_chat_conf_t;


static ngx_int_t ngx_ors_chat_conf_option(ngx_conf_t *cf, u_char *options,
    ngx_str_t *value);
static ngx_int_t ngx_ors_chat_conf_names(ngx_conf_t *cf,
    ngx_ors_chat_conf_t *option, ngx_str_t *value, ngx_uint_t *bits);
static char *ngx_ors_chat_conf_effort_add(ngx_conf_t *cf,
    ngx_ors_pointer_t *members, ngx_str_t *pointer, ngx_str_t *value);


#define ngx_ors_chat_conf_field(options, option)                             \
    ((ngx_uint_t *) ((u_char *) (options) + (option)->offset))


#define ngx_ors_chat_conf_flag(name, field)                                  \
    { ngx_string(name), offsetof(ngx_ors_chat_options_t, field),              \
      ngx_ors_conf_flags, NULL }

#define ngx_ors_chat_conf_word(name, field, ...)                             \
    { ngx_string(name), offsetof(ngx_ors_chat_options_t, field),              \
      (ngx_conf_enum_t []) { __VA_ARGS__, { ngx_null_string, 0 } }, NULL }

#define ngx_ors_chat_conf_bits(name, field, names)                           \
    { ngx_string(name), offsetof(ngx_ors_chat_options_t, field), NULL, names }


static ngx_ors_chat_conf_t  ngx_ors_chat_conf_list[] = {
    ngx_ors_chat_conf_word("tokens", tokens,
        { ngx_string("auto"), ngx_ors_chat_tokens_auto },
        { ngx_string("max_tokens"), ngx_ors_chat_tokens_max },
        { ngx_string("max_completion_tokens"),
          ngx_ors_chat_tokens_completion }),
    ngx_ors_chat_conf_word("developer", developer,
        { ngx_string("system"), 0 }, { ngx_string("developer"), 1 }),
    ngx_ors_chat_conf_word("systems", systems,
        { ngx_string("many"), 0 }, { ngx_string("one"), 1 }),
    ngx_ors_chat_conf_flag("images", images),
    ngx_ors_chat_conf_word("files", files,
        { ngx_string("on"), ngx_ors_chat_files_on },
        { ngx_string("off"), ngx_ors_chat_files_off },
        { ngx_string("url"), ngx_ors_chat_files_url }),
    ngx_ors_chat_conf_flag("videos", videos),
    ngx_ors_chat_conf_word("stream", stream,
        { ngx_string("on"), ngx_ors_chat_stream_on },
        { ngx_string("off"), ngx_ors_chat_stream_off },
        { ngx_string("always"), ngx_ors_chat_stream_always }),
    ngx_ors_chat_conf_flag("usage", usage),
    ngx_ors_chat_conf_word("reasoning", reasoning,
        { ngx_string("off"), ngx_ors_chat_reasoning_off },
        { ngx_string("reasoning_content"), ngx_ors_chat_reasoning_content },
        { ngx_string("reasoning"), ngx_ors_chat_reasoning_plain }),
    ngx_ors_chat_conf_word("think", think,
        { ngx_string("off"), ngx_ors_chat_think_off },
        { ngx_string("on"), ngx_ors_chat_think_on },
        { ngx_string("open"), ngx_ors_chat_think_open }),
    ngx_ors_chat_conf_word("strict", strict,
        { ngx_string("pass"), ngx_ors_chat_strict_pass },
        { ngx_string("on"), ngx_ors_chat_strict_on },
        { ngx_string("schema"), ngx_ors_chat_strict_schema },
        { ngx_string("false"), ngx_ors_chat_strict_false },
        { ngx_string("off"), ngx_ors_chat_strict_off }),
    ngx_ors_chat_conf_word("content", content,
        { ngx_string("null"), ngx_ors_chat_content_null },
        { ngx_string("empty"), ngx_ors_chat_content_empty },
        { ngx_string("off"), ngx_ors_chat_content_off }),
    ngx_ors_chat_conf_word("format", format,
        { ngx_string("json_schema"), 0 }, { ngx_string("json_object"), 1 }),
    ngx_ors_chat_conf_flag("continue", continues),
    ngx_ors_chat_conf_word("choice", required,
        { ngx_string("named"), 0 }, { ngx_string("required"), 1 }),
    ngx_ors_chat_conf_bits("params", params, ngx_ors_chat_optionals),
    ngx_ors_chat_conf_bits("state", state, ngx_ors_chat_states),
    ngx_ors_chat_conf_word("unsigned", unsigned_calls,
        { ngx_string("pass"), ngx_ors_chat_unsigned_pass },
        { ngx_string("gemini"), ngx_ors_chat_unsigned_gemini }),
    { ngx_null_string, 0, NULL, NULL }
};


static ngx_str_t  ngx_ors_chat_conf_effort_values[] = {
    ngx_string("none"),
    ngx_string("minimal"),
    ngx_string("low"),
    ngx_string("medium"),
    ngx_string("high"),
    ngx_string("xhigh"),
    ngx_string("max"),
    ngx_null_string
};


char *
ngx_ors_chat_options_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_str_t   *value;
    ngx_uint_t   i;

    value = cf->args->elts;

    for (i = 1; i < cf->args->nelts; i++) {

        if (ngx_ors_chat_conf_option(cf, (u_char *) conf + cmd->offset,
                                     &value[i])
            != NGX_OK)
        {
            return NGX_CONF_ERROR;
        }
    }

    return NGX_CONF_OK;
}


static ngx_int_t
ngx_ors_chat_conf_option(ngx_conf_t *cf, u_char *options, ngx_str_t *value)
{
    u_char               *last, buf[NGX_MAX_CONF_ERRSTR];
    ngx_str_t             s;
    ngx_uint_t           *field;
    ngx_ors_chat_conf_t  *option;

    for (option = ngx_ors_chat_conf_list; option->name.len; option++) {

        if (value->len > option->name.len
            && value->data[option->name.len] == '='
            && ngx_strncmp(value->data, option->name.data, option->name.len)
               == 0)
        {
            break;
        }
    }

    if (option->name.len == 0) {
        last = ngx_ors_conf_words(buf, ngx_ors_chat_conf_list,
                                  sizeof(ngx_ors_chat_conf_t), "=",
                                  value);

        ngx_ors_conf_error(cf, 0,
                           "invalid option \"%V\", it must be %*s", value,
                           (size_t) (last - buf), buf);
        return NGX_ERROR;
    }

    field = ngx_ors_chat_conf_field(options, option);

    if (*field != NGX_CONF_UNSET_UINT) {
        ngx_ors_conf_error(cf, 0,
                           "option \"%V\" is duplicate", &option->name);
        return NGX_ERROR;
    }

    s.data = value->data + option->name.len + 1;
    s.len = value->data + value->len - s.data;

    return option->values
           ? ngx_ors_conf_value(cf, "option ", &option->name, option->values,
                                &s, field)
           : ngx_ors_chat_conf_names(cf, option, &s, field);
}


static ngx_int_t
ngx_ors_chat_conf_names(ngx_conf_t *cf, ngx_ors_chat_conf_t *option,
    ngx_str_t *value, ngx_uint_t *bits)
{
    u_char      *p, *end, buf[NGX_MAX_CONF_ERRSTR];
    ngx_str_t    name;
    ngx_uint_t   n;

    *bits = 0;

    if (ngx_strcmp(value->data, "none") == 0) {
        return NGX_OK;
    }

    end = value->data + value->len;

    for (p = value->data; /* void */ ; p = name.data + name.len + 1) {

        name.data = p;
        p = ngx_strlchr(p, end, ',');
        name.len = (p ? p : end) - name.data;

        n = 0;

        while (option->names[n].len
               && !ngx_ors_same(&option->names[n], &name))
        {
            n++;
        }

        if (option->names[n].len == 0) {
            p = ngx_ors_conf_words(buf, option->names, sizeof(ngx_str_t), "",
                                   &name);

            ngx_ors_conf_error(cf, 0,
                               "invalid name \"%V\" in option \"%V\", it "
                               "must be \"none\" alone, or of %*s", &name,
                               &option->name, (size_t) (p - buf), buf);
            return NGX_ERROR;
        }

        *bits |= (ngx_uint_t) 1 << n;

        if (p == NULL) {
            return NGX_OK;
        }
    }
}


char *
ngx_ors_chat_effort_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    u_char                  *last, buf[NGX_MAX_CONF_ERRSTR];
    ngx_str_t               *value, *known;
    ngx_uint_t               i;
    ngx_array_t            **efforts;
    ngx_ors_chat_effort_t   *effort;

    efforts = (ngx_array_t **) ((u_char *) conf + cmd->offset);
    value = cf->args->elts;
    known = ngx_ors_chat_conf_effort_values;

    while (known->len && !ngx_ors_same(known, &value[1])) {
        known++;
    }

    if (known->len == 0) {
        last = ngx_ors_conf_words(buf, ngx_ors_chat_conf_effort_values,
                                  sizeof(ngx_str_t), "", &value[1]);

        ngx_ors_conf_error(cf, 0,
                           "invalid effort \"%V\", it must be %*s", &value[1],
                           (size_t) (last - buf), buf);
        return NGX_CONF_ERROR;
    }

    if (*efforts == NGX_CONF_UNSET_PTR) {
        *efforts = ngx_array_create(cf->pool, 4,
                                    sizeof(ngx_ors_chat_effort_t));
        if (*efforts == NULL) {
            return NGX_CONF_ERROR;
        }
    }

    effort = (*efforts)->elts;

    for (i = 0; i < (*efforts)->nelts; i++, effort++) {

        if (!ngx_ors_same(&effort->value, &value[1])) {
            continue;
        }

        /* a value that becomes nothing cannot become something as well */

        if (cf->args->nelts == 2 || effort->members.first == NULL) {
            ngx_ors_conf_error(cf, 0,
                               "effort \"%V\" is duplicate", &value[1]);
            return NGX_CONF_ERROR;
        }

        break;
    }

    if (i == (*efforts)->nelts) {
        effort = ngx_array_push(*efforts);
        if (effort == NULL) {
            return NGX_CONF_ERROR;
        }

        ngx_memzero(effort, sizeof(ngx_ors_chat_effort_t));
        effort->value = value[1];
    }

    return (cf->args->nelts == 2)
           ? NGX_CONF_OK
           : ngx_ors_chat_conf_effort_add(cf, &effort->members, &value[2],
                                          &value[3]);
}


static char *
ngx_ors_chat_conf_effort_add(ngx_conf_t *cf, ngx_ors_pointer_t *members,
    ngx_str_t *pointer, ngx_str_t *value)
{
    ngx_int_t           rc;
    ngx_ors_pointer_t  *member;

    if (ngx_ors_chat_conf_json(cf, value, 0) != NGX_CONF_OK) {
        return NGX_CONF_ERROR;
    }

    rc = ngx_ors_pointer_add(members, pointer, value, cf->pool);

    if (rc == NGX_ERROR) {
        return NGX_CONF_ERROR;
    }

    if (rc == NGX_DECLINED) {
        ngx_ors_conf_error(cf, 0,
                           "invalid pointer \"%V\", it must be one to a "
                           "member of an object, such as \"/a\" or \"/a/b\"",
                           pointer);
        return NGX_CONF_ERROR;
    }

    if (rc == NGX_BUSY) {
        ngx_ors_conf_error(cf, 0,
                           "pointer \"%V\" is to a place that has a value",
                           pointer);
        return NGX_CONF_ERROR;
    }

    for (member = members->first; member; member = member->next) {

        if (ngx_ors_chat_field(&member->name, NGX_ORS_CHAT_FIELD_OWN)) {
            ngx_ors_conf_error(cf, 0,
                               "invalid pointer \"%V\", \"%V\" of a request "
                               "is not for an effort to change", pointer,
                               &member->name);
            return NGX_CONF_ERROR;
        }
    }

    return NGX_CONF_OK;
}


char *
ngx_ors_chat_conf_json(ngx_conf_t *cf, ngx_str_t *value, ngx_uint_t object)
{
    ngx_int_t       rc;
    ngx_ors_json_t  json;

    ngx_ors_json_init(&json, cf->temp_pool, NGX_ORS_CHAT_CONF_DEPTH,
                      NGX_ORS_CHAT_CONF_NODES);

    rc = ngx_ors_json_read(&json, value->data, value->len);

    if (rc == NGX_ERROR) {
        return NGX_CONF_ERROR;
    }

    if (rc == NGX_DECLINED) {
        ngx_ors_conf_error(cf, 0,
                           "invalid JSON \"%V\", %V at byte %uz; a string "
                           "needs two kinds of quotes, as in '\"low\"'",
                           value, ngx_ors_json_strerror(json.error),
                           json.offset);
        return NGX_CONF_ERROR;
    }

    if (object && json.nodes->type != ngx_ors_json_object) {
        ngx_ors_conf_error(cf, 0,
                           "invalid JSON \"%V\", it must be an object", value);
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}


void
ngx_ors_chat_options_init(ngx_ors_chat_options_t *options)
{
    ngx_ors_chat_conf_t  *option;

    for (option = ngx_ors_chat_conf_list; option->name.len; option++) {
        *ngx_ors_chat_conf_field(options, option) = NGX_CONF_UNSET_UINT;
    }

    options->efforts = NGX_CONF_UNSET_PTR;
    options->types = NGX_CONF_UNSET_PTR;
}


void
ngx_ors_chat_options_fill(ngx_ors_chat_options_t *options,
    const ngx_ors_chat_options_t *preset)
{
    ngx_uint_t           *field;
    ngx_ors_chat_conf_t  *option;

    for (option = ngx_ors_chat_conf_list; option->name.len; option++) {
        field = ngx_ors_chat_conf_field(options, option);

        if (*field == NGX_CONF_UNSET_UINT) {
            *field = *ngx_ors_chat_conf_field(preset, option);
        }
    }

    if (options->efforts == NGX_CONF_UNSET_PTR) {
        options->efforts = preset->efforts;
    }

    if (options->types == NGX_CONF_UNSET_PTR) {
        options->types = preset->types;
    }
}


void
ngx_ors_chat_options_merge(ngx_ors_chat_options_t *options,
    ngx_ors_chat_options_t *prev)
{
    ngx_ors_chat_options_fill(options, prev);
    ngx_ors_chat_options_fill(options, &ngx_ors_chat_options);
}
