
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Presets of chat servers, as the directives that a configuration would have
 * for each.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_conf.h>
#include <ngx_ors_chat_preset.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_names.h>


#define NGX_ORS_CHAT_PRESET_WORDS  8


typedef struct {
    ngx_str_t      name;
    char          *lines;
} ngx_ors_chat_preset_t;


typedef struct {
    char          *name;              /* as a line begins */
    size_t         offset;            /* in ngx_ors_chat_options_t */
    char        *(*set)(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
} ngx_ors_chat_preset_directive_t;


static char *ngx_ors_chat_preset_line(ngx_conf_t *cf,
    ngx_ors_chat_options_t *options, u_char *p, u_char *last);


static const ngx_ors_chat_preset_directive_t
    ngx_ors_chat_preset_directives[] =
{
    { "options ", 0, ngx_ors_chat_options_slot },
    { "effort ", offsetof(ngx_ors_chat_options_t, efforts),
      ngx_ors_chat_effort_slot },
    { "type ", offsetof(ngx_ors_chat_options_t, types),
      ngx_ors_chat_type_slot }
};


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


/* lines end with ";", words have a space between them */

static const ngx_ors_chat_preset_t  ngx_ors_chat_presets[] = {

    /*
     * https://docs.vllm.ai/, "OpenAI-Compatible Server", "Reasoning Outputs":
     * templates take one system message
     */

    { ngx_string("vllm"),
      "options systems=one files=off videos=on continue=on;"
      "options reasoning=reasoning think=on;"
      ngx_ors_chat_preset_thinking },

    /* https://docs.sglang.io/docs/advanced_features/separate_reasoning */

    { ngx_string("sglang"),
      "options systems=one files=off videos=on;"
      "options reasoning=reasoning_content think=on;"
      ngx_ors_chat_preset_thinking },

    /* https://github.com/ggml-org/llama.cpp, tools/server/README */

    { ngx_string("llama.cpp"),
      "options tokens=max_tokens systems=one files=off choice=required;"
      "options reasoning=reasoning_content;"
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
