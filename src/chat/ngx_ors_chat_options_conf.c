
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Directives about chat servers: options, reasoning efforts, types of tools,
 * and the presets that stand for them.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_options_conf.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_names.h>


#define NGX_ORS_CHAT_CONF_DEPTH  64
#define NGX_ORS_CHAT_CONF_NODES  4096


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

#define NGX_ORS_CHAT_PRESET_WORDS  8


/* "high" is the last effort of most servers, and "low" the first one */

#define ngx_ors_chat_preset_high                                              \
    "effort xhigh /reasoning_effort \"high\";"                                \
    "effort max /reasoning_effort \"high\";"

#define ngx_ors_chat_preset_three                                             \
    "effort minimal /reasoning_effort \"low\";"                               \
    ngx_ors_chat_preset_high


/* a template decides whether the model thinks */

#define ngx_ors_chat_preset_thinking                                          \
    "effort none /chat_template_kwargs/enable_thinking false;"                \
    "effort minimal /chat_template_kwargs/enable_thinking false;"             \
    ngx_ors_chat_preset_high


#define ngx_ors_chat_preset_budget(effort, tokens)                            \
    "effort " effort                                                          \
    " /thinking {\"type\":\"enabled\",\"budget_tokens\":" tokens "};"


typedef struct {
    ngx_str_t          name;
    size_t             offset;      /* in ngx_ors_chat_options_t */
    ngx_conf_enum_t   *values;      /* NULL: a list of "names" */
    const ngx_str_t   *names;
} ngx_ors_chat_conf_t;


typedef struct {
    ngx_str_t      name;
    char          *lines;
} ngx_ors_chat_preset_t;


typedef struct {
    char          *name;              /* as a line begins */
    size_t         offset;            /* in ngx_ors_chat_options_t */
    char        *(*set)(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
} ngx_ors_chat_preset_directive_t;


static ngx_int_t ngx_ors_chat_conf_names(ngx_conf_t *cf,
    ngx_ors_chat_conf_t *option, ngx_str_t *value, ngx_uint_t *bits);
static char *ngx_ors_chat_conf_effort_add(ngx_conf_t *cf,
    ngx_ors_pointer_t *members, ngx_str_t *pointer, ngx_str_t *value);
static char *ngx_ors_chat_type_conf_name(ngx_conf_t *cf,
    ngx_ors_chat_type_t *type, ngx_str_t *value);
static char *ngx_ors_chat_type_conf_action(ngx_conf_t *cf,
    ngx_ors_chat_type_t *type);
static char *ngx_ors_chat_preset_line(ngx_conf_t *cf,
    ngx_ors_chat_options_t *options, u_char *p, u_char *last);


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
    ngx_ors_chat_conf_word("count", count,
        { ngx_string("off"), ngx_ors_chat_count_off },
        { ngx_string("tokenize"), ngx_ors_chat_count_tokenize },
        { ngx_string("template"), ngx_ors_chat_count_template }),
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


static ngx_conf_enum_t  ngx_ors_chat_type_actions[] = {
    { ngx_string("skip"), ngx_ors_chat_type_skip },
    { ngx_string("reject"), ngx_ors_chat_type_reject },
    { ngx_string("send"), ngx_ors_chat_type_send },
    { ngx_null_string, 0 }
};


static const ngx_ors_chat_preset_directive_t
    ngx_ors_chat_preset_directives[] =
{
    { "options ", 0, ngx_ors_chat_options_slot },
    { "effort ", offsetof(ngx_ors_chat_options_t, efforts),
      ngx_ors_chat_effort_slot },
    { "type ", offsetof(ngx_ors_chat_options_t, types),
      ngx_ors_chat_type_slot }
};


/* lines end with ";", words have a space between them */

static const ngx_ors_chat_preset_t  ngx_ors_chat_presets[] = {

    /*
     * https://docs.vllm.ai/, "OpenAI-Compatible Server", "Reasoning Outputs":
     * templates take one system message
     */

    { ngx_string("vllm"),
      "options systems=one files=off videos=on continue=on;"
      "options reasoning=reasoning think=on count=tokenize;"
      ngx_ors_chat_preset_thinking },

    /* https://docs.sglang.io/docs/advanced_features/separate_reasoning */

    { ngx_string("sglang"),
      "options systems=one files=off videos=on;"
      "options reasoning=reasoning_content think=on count=tokenize;"
      ngx_ors_chat_preset_thinking },

    /* https://github.com/ggml-org/llama.cpp, tools/server/README */

    { ngx_string("llama.cpp"),
      "options tokens=max_tokens systems=one files=off choice=required;"
      "options reasoning=reasoning_content count=template;"
      "effort none /chat_template_kwargs/enable_thinking false;"
      "effort low /chat_template_kwargs/reasoning_effort \"low\";"
      "effort medium /chat_template_kwargs/reasoning_effort \"medium\";"
      "effort high /chat_template_kwargs/reasoning_effort \"high\";" },

    /* https://docs.ollama.com/api/openai-compatibility */

    { ngx_string("ollama"),
      "options tokens=max_tokens files=off reasoning=reasoning think=on;"
      ngx_ors_chat_preset_three },

    /* https://lmstudio.ai/docs/developer/openai-compat */

    { ngx_string("lmstudio"),
      "options tokens=max_tokens files=off think=on;"
      "effort minimal /reasoning_effort \"low\";"
      "effort max /reasoning_effort \"xhigh\";" },

    /* https://openrouter.ai/docs/use-cases/reasoning-tokens */

    { ngx_string("openrouter"),
      "options tokens=max_tokens files=url videos=on reasoning=reasoning;"
      "options params=user,verbosity,seed,stop;"
      "options state=reasoning_details,extra_content;"
      "effort none /reasoning/enabled false;"
      "effort minimal /reasoning/effort \"minimal\";"
      "effort low /reasoning/effort \"low\";"
      "effort medium /reasoning/effort \"medium\";"
      "effort high /reasoning/effort \"high\";"
      "effort xhigh /reasoning/effort \"xhigh\";"
      "effort max /reasoning/effort \"xhigh\";"
      "type web_search* send {\"type\":\"openrouter:web_search\"};" },

    /*
     * https://api-docs.deepseek.com/: it thinks unless it must not, and refuses
     * calls without the thoughts that led to them; texts only
     */

    { ngx_string("deepseek"),
      "options tokens=max_tokens images=off files=off;"
      "options reasoning=reasoning_content;"
      "effort none /thinking/type \"disabled\";" },

    /*
     * https://docs.mistral.ai/api/: it rejects fields that it does not know and
     * sends the usage unasked; the model decides whether it thinks
     */

    { ngx_string("mistral"),
      "options tokens=max_tokens files=off usage=off;"
      "effort none;effort minimal;effort low;effort medium;effort high;"
      "effort xhigh;effort max;" },

    /*
     * https://ai.google.dev/gemini-api/docs/openai and thought-signatures: a
     * call without a signature is refused, one by another model has a value for
     * it
     */

    { ngx_string("gemini"),
      "options tokens=max_tokens files=off state=extra_content;"
      "options unsigned=gemini;"
      ngx_ors_chat_preset_high },

    /*
     * https://docs.claude.com/en/api/openai-sdk: thinking has a budget of
     * tokens, which must be under max_output_tokens
     */

    { ngx_string("anthropic"),
      "options tokens=max_tokens files=off state=thinking_blocks;"
      "effort none;effort minimal;"
      ngx_ors_chat_preset_budget("low", "1024")
      ngx_ors_chat_preset_budget("medium", "4096")
      ngx_ors_chat_preset_budget("high", "8192")
      ngx_ors_chat_preset_budget("xhigh", "16384")
      ngx_ors_chat_preset_budget("max", "32000") },

    /* https://console.groq.com/docs/openai */

    { ngx_string("groq"),
      "options tokens=max_completion_tokens files=off;"
      "options params=user,seed,stop,service_tier;"
      ngx_ors_chat_preset_three },

    /* https://docs.x.ai/developers/model-capabilities/text/reasoning */

    { ngx_string("xai"),
      "options tokens=max_completion_tokens files=off params=user,seed;"
      ngx_ors_chat_preset_three },

    /*
     * https://platform.openai.com/docs/api-reference/chat: fields and a role of
     * its own models, and functions as strict as to its Responses API
     */

    { ngx_string("openai"),
      "options tokens=max_completion_tokens developer=developer strict=schema;"
      "options params=prompt_cache_key,safety_identifier,service_tier,"
      "verbosity;"
      "effort max /reasoning_effort \"xhigh\";" },

    { ngx_null_string, NULL }
};


char *
ngx_ors_chat_options_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    u_char               *options, *last, buf[NGX_MAX_CONF_ERRSTR];
    ngx_int_t             rc;
    ngx_str_t            *value, *end, s;
    ngx_uint_t           *field;
    ngx_ors_chat_conf_t  *option;

    options = (u_char *) conf + cmd->offset;
    value = cf->args->elts;
    end = value + cf->args->nelts;

    for (value++; value < end; value++) {

        for (option = ngx_ors_chat_conf_list; option->name.len; option++) {

            if (value->len > option->name.len
                && value->data[option->name.len] == '='
                && ngx_strncmp(value->data, option->name.data,
                               option->name.len)
                   == 0)
            {
                break;
            }
        }

        if (option->name.len == 0) {
            last = ngx_ors_conf_words(buf, ngx_ors_chat_conf_list,
                                      sizeof(ngx_ors_chat_conf_t), "=", value);

            ngx_ors_conf_error(cf, 0,
                               "invalid option \"%V\", it must be %*s", value,
                               (size_t) (last - buf), buf);
            return NGX_CONF_ERROR;
        }

        field = ngx_ors_chat_conf_field(options, option);

        if (*field != NGX_CONF_UNSET_UINT) {
            ngx_ors_conf_error(cf, 0,
                               "option \"%V\" is duplicate", &option->name);
            return NGX_CONF_ERROR;
        }

        s.data = value->data + option->name.len + 1;
        s.len = value->data + value->len - s.data;

        rc = option->values
             ? ngx_ors_conf_value(cf, "option ", &option->name, option->values,
                                  &s, field)
             : ngx_ors_chat_conf_names(cf, option, &s, field);

        if (rc != NGX_OK) {
            return NGX_CONF_ERROR;
        }
    }

    return NGX_CONF_OK;
}


static ngx_int_t
ngx_ors_chat_conf_names(ngx_conf_t *cf, ngx_ors_chat_conf_t *option,
    ngx_str_t *value, ngx_uint_t *bits)
{
    u_char      *p, *end, buf[NGX_MAX_CONF_ERRSTR];
    ngx_str_t    name;
    ngx_uint_t   n;

    *bits = 0;

    if (value->len == 4 && ngx_strncmp(value->data, "none", 4) == 0) {
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
    if (ngx_ors_chat_conf_json(cf, value, 0) != NGX_CONF_OK) {
        return NGX_CONF_ERROR;
    }

    return ngx_ors_chat_conf_pointer(cf, members, pointer, value,
                                     NGX_ORS_CHAT_FIELD_OWN, NULL);
}


char *
ngx_ors_chat_conf_pointer(ngx_conf_t *cf, ngx_ors_pointer_t *members,
    ngx_str_t *pointer, ngx_str_t *value, ngx_uint_t fields,
    ngx_ors_pointer_t **place)
{
    ngx_int_t           rc;
    ngx_ors_pointer_t  *member;

    rc = ngx_ors_pointer_add(members, pointer, value, cf->pool, place);

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

        if (ngx_ors_chat_field(&member->name, fields)) {
            ngx_ors_conf_error(cf, 0,
                               "invalid pointer \"%V\", \"%V\" of a request "
                               "cannot be changed here", pointer,
                               &member->name);
            return NGX_CONF_ERROR;
        }
    }

    return NGX_CONF_OK;
}


/*
 * Checks that "value", an argument of a directive, is JSON, and if "object"
 * is set, an object.  NGX_CONF_OK, or NGX_CONF_ERROR: the log says why not.
 */

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


/*
 * "open_responses_tool_type": what happens to tools of a type that is no
 * function.
 */


char *
ngx_ors_chat_type_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_str_t            *value;
    ngx_uint_t            i;
    ngx_array_t         **types;
    ngx_ors_chat_type_t   type, *other, *new;

    types = (ngx_array_t **) ((u_char *) conf + cmd->offset);
    value = cf->args->elts;

    if (*types == NGX_CONF_UNSET_PTR) {
        *types = ngx_array_create(cf->pool, 4, sizeof(ngx_ors_chat_type_t));
        if (*types == NULL) {
            return NGX_CONF_ERROR;
        }
    }

    ngx_memzero(&type, sizeof(ngx_ors_chat_type_t));

    if (ngx_ors_chat_type_conf_name(cf, &type, &value[1]) != NGX_CONF_OK) {
        return NGX_CONF_ERROR;
    }

    for (i = 0, other = (*types)->elts; i < (*types)->nelts; i++) {

        if (other[i].prefix == type.prefix
            && ngx_ors_same(&other[i].type, &type.type))
        {
            ngx_ors_conf_error(cf, 0,
                               "type \"%V\" is duplicate", &value[1]);
            return NGX_CONF_ERROR;
        }
    }

    if (ngx_ors_chat_type_conf_action(cf, &type) != NGX_CONF_OK) {
        return NGX_CONF_ERROR;
    }

    new = ngx_array_push(*types);
    if (new == NULL) {
        return NGX_CONF_ERROR;
    }

    *new = type;

    return NGX_CONF_OK;
}


/* "default" is the shortest prefix of all */

static char *
ngx_ors_chat_type_conf_name(ngx_conf_t *cf, ngx_ors_chat_type_t *type,
    ngx_str_t *value)
{
    type->type = *value;

    if (value->len == 0
        || (value->len == 1 && value->data[0] == '*'))
    {
        ngx_ors_conf_error(cf, 0,
                           "invalid type \"%V\", it must be a type, "
                           "\"prefix*\" or \"default\"", value);
        return NGX_CONF_ERROR;
    }

    if (ngx_strcmp(value->data, "function") == 0) {
        ngx_ors_conf_error(cf, 0,
                           "invalid type \"function\", all servers have that");
        return NGX_CONF_ERROR;
    }

    if (ngx_strcmp(value->data, "default") == 0) {
        type->prefix = 1;
        type->type.len = 0;

    } else if (value->data[value->len - 1] == '*') {
        type->prefix = 1;
        type->type.len--;
    }

    return NGX_CONF_OK;
}


static char *
ngx_ors_chat_type_conf_action(ngx_conf_t *cf, ngx_ors_chat_type_t *type)
{
    ngx_str_t   *value;
    ngx_uint_t   action;

    value = cf->args->elts;

    if (ngx_ors_conf_value(cf, "type ", &value[1], ngx_ors_chat_type_actions,
                           &value[2], &action)
        != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    type->action = action;

    if (action != ngx_ors_chat_type_send) {

        if (cf->args->nelts == 4) {
            ngx_ors_conf_error(cf, 0,
                               "invalid parameter \"%V\" after \"%V\"",
                               &value[3], &value[2]);
            return NGX_CONF_ERROR;
        }

        return NGX_CONF_OK;
    }

    if (cf->args->nelts == 3) {
        ngx_ors_conf_error(cf, 0,
                           "\"send\" needs the JSON of a tool after it");
        return NGX_CONF_ERROR;
    }

    type->json = value[3];

    return ngx_ors_chat_conf_json(cf, &value[3], 1);
}


/*
 * Presets of chat servers, as the directives that a configuration would have
 * for each.
 */


ngx_ors_chat_options_t *
ngx_ors_chat_preset(ngx_conf_t *cf, ngx_str_t *value)
{
    char                         *rv;
    u_char                       *p, *last, buf[NGX_MAX_CONF_ERRSTR];
    ngx_str_t                     name;
    ngx_array_t                  *args;
    ngx_ors_chat_options_t       *options;
    const ngx_ors_chat_preset_t  *preset;

    if (value->len < 7 || ngx_strncmp(value->data, "server=", 7) != 0) {
        ngx_ors_conf_error(cf, 0,
                           "invalid parameter \"%V\", it must be \"server=\"",
                           value);
        return NULL;
    }

    name.data = value->data + 7;
    name.len = value->len - 7;

    for (preset = ngx_ors_chat_presets; preset->name.len; preset++) {

        if (ngx_ors_same(&preset->name, &name)) {
            break;
        }
    }

    if (preset->name.len == 0) {
        last = ngx_ors_conf_words(buf, ngx_ors_chat_presets,
                                  sizeof(ngx_ors_chat_preset_t), "", &name);

        ngx_ors_conf_error(cf, 0, "unknown server \"%V\", it must be %*s",
                           &name, (size_t) (last - buf), buf);
        return NULL;
    }

    options = ngx_pcalloc(cf->pool, sizeof(ngx_ors_chat_options_t));
    if (options == NULL) {
        return NULL;
    }

    ngx_ors_chat_options_init(options);

    rv = NGX_CONF_OK;
    args = cf->args;

    for (p = (u_char *) preset->lines; *p && rv == NGX_CONF_OK; p = last + 1) {
        last = (u_char *) ngx_strchr(p, ';');
        rv = ngx_ors_chat_preset_line(cf, options, p, last);
    }

    cf->args = args;

    return (rv == NGX_CONF_OK) ? options : NULL;
}


/* setters keep the words, so that they get copies; errors name our directive */

static char *
ngx_ors_chat_preset_line(ngx_conf_t *cf, ngx_ors_chat_options_t *options,
    u_char *p, u_char *last)
{
    u_char                                 *end;
    ngx_str_t                              *word, *name;
    ngx_command_t                           cmd;
    const ngx_ors_chat_preset_directive_t  *directive;

    directive = ngx_ors_chat_preset_directives;

    while (ngx_strncmp(p, directive->name, ngx_strlen(directive->name)) != 0) {
        directive++;
    }

    ngx_memzero(&cmd, sizeof(ngx_command_t));
    cmd.offset = directive->offset;

    name = cf->args->elts;

    cf->args = ngx_array_create(cf->pool, NGX_ORS_CHAT_PRESET_WORDS,
                                sizeof(ngx_str_t));
    if (cf->args == NULL) {
        return NGX_CONF_ERROR;
    }

    word = ngx_array_push(cf->args);
    *word = *name;

    for (p += ngx_strlen(directive->name); p < last; p = end + 1) {
        end = ngx_strlchr(p, last, ' ');
        end = end ? end : last;

        word = ngx_array_push(cf->args);
        if (word == NULL) {
            return NGX_CONF_ERROR;
        }

        word->len = end - p;
        word->data = ngx_pnalloc(cf->pool, word->len + 1);
        if (word->data == NULL) {
            return NGX_CONF_ERROR;
        }

        ngx_cpystrn(word->data, p, word->len + 1);
    }

    return directive->set(cf, &cmd, options);
}
