
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Presets of chat servers, one table each: the words of the directives
 * that a configuration would have for it.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_conf.h>
#include <ngx_ors_chat_preset.h>
#include <ngx_ors_conf.h>
#include <ngx_ors_same.h>


#define NGX_ORS_CHAT_PRESET_WORDS  8


/* a list of words of a directive, without its name */

typedef struct {
    char      *words[NGX_ORS_CHAT_PRESET_WORDS];
} ngx_ors_chat_preset_line_t;


typedef struct {
    ngx_str_t                          name;
    const ngx_ors_chat_preset_line_t  *options;
    const ngx_ors_chat_preset_line_t  *efforts;
    const ngx_ors_chat_preset_line_t  *types;
} ngx_ors_chat_preset_t;


typedef char *(*ngx_ors_chat_preset_pt)(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);


static ngx_int_t ngx_ors_chat_preset_read(ngx_conf_t *cf,
    ngx_ors_chat_options_t *options, const ngx_ors_chat_preset_t *preset);
static ngx_int_t ngx_ors_chat_preset_lines(ngx_conf_t *cf,
    ngx_ors_chat_options_t *options, const ngx_ors_chat_preset_line_t *line,
    size_t offset, ngx_ors_chat_preset_pt set);


#define ngx_ors_chat_preset_end  { { NULL } }


/* "high" is the last effort of most servers, and "low" the first one */

static const ngx_ors_chat_preset_line_t  ngx_ors_chat_preset_three[] = {
    { { "minimal", "/reasoning_effort", "\"low\"" } },
    { { "xhigh", "/reasoning_effort", "\"high\"" } },
    { { "max", "/reasoning_effort", "\"high\"" } },
    ngx_ors_chat_preset_end
};


/*
 * https://docs.vllm.ai/, "OpenAI-Compatible Server", "Reasoning Outputs": a
 * template decides whether the model thinks, and takes one system message
 */

static const ngx_ors_chat_preset_line_t  ngx_ors_chat_preset_vllm[] = {
    { { "systems=one", "files=off", "videos=on", "continue=on",
        "reasoning=reasoning", "think=on" } },
    ngx_ors_chat_preset_end
};

static const ngx_ors_chat_preset_line_t  ngx_ors_chat_preset_thinking[] = {
    { { "none", "/chat_template_kwargs/enable_thinking", "false" } },
    { { "minimal", "/chat_template_kwargs/enable_thinking", "false" } },
    { { "xhigh", "/reasoning_effort", "\"high\"" } },
    { { "max", "/reasoning_effort", "\"high\"" } },
    ngx_ors_chat_preset_end
};


/* https://docs.sglang.io/docs/advanced_features/separate_reasoning */

static const ngx_ors_chat_preset_line_t  ngx_ors_chat_preset_sglang[] = {
    { { "systems=one", "files=off", "videos=on",
        "reasoning=reasoning_content", "think=on" } },
    ngx_ors_chat_preset_end
};


/* https://github.com/ggml-org/llama.cpp, tools/server/README */

static const ngx_ors_chat_preset_line_t  ngx_ors_chat_preset_llama_cpp[] = {
    { { "tokens=max_tokens", "systems=one", "files=off", "choice=required",
        "reasoning=reasoning_content" } },
    ngx_ors_chat_preset_end
};

static const ngx_ors_chat_preset_line_t  ngx_ors_chat_preset_template[] = {
    { { "none", "/chat_template_kwargs/enable_thinking", "false" } },
    { { "low", "/chat_template_kwargs/reasoning_effort", "\"low\"" } },
    { { "medium", "/chat_template_kwargs/reasoning_effort", "\"medium\"" } },
    { { "high", "/chat_template_kwargs/reasoning_effort", "\"high\"" } },
    ngx_ors_chat_preset_end
};


/* https://docs.ollama.com/api/openai-compatibility */

static const ngx_ors_chat_preset_line_t  ngx_ors_chat_preset_ollama[] = {
    { { "tokens=max_tokens", "files=off", "reasoning=reasoning",
        "think=on" } },
    ngx_ors_chat_preset_end
};


/* https://lmstudio.ai/docs/developer/openai-compat: "xhigh" is the last one */

static const ngx_ors_chat_preset_line_t  ngx_ors_chat_preset_lmstudio[] = {
    { { "tokens=max_tokens", "files=off", "think=on" } },
    ngx_ors_chat_preset_end
};

static const ngx_ors_chat_preset_line_t  ngx_ors_chat_preset_four[] = {
    { { "minimal", "/reasoning_effort", "\"low\"" } },
    { { "max", "/reasoning_effort", "\"xhigh\"" } },
    ngx_ors_chat_preset_end
};


/* https://openrouter.ai/docs/use-cases/reasoning-tokens */

static const ngx_ors_chat_preset_line_t  ngx_ors_chat_preset_openrouter[] = {
    { { "tokens=max_tokens", "files=url", "videos=on",
        "params=user,verbosity,seed,stop", "reasoning=reasoning",
        "state=reasoning_details,extra_content" } },
    ngx_ors_chat_preset_end
};

static const ngx_ors_chat_preset_line_t  ngx_ors_chat_preset_object[] = {
    { { "none", "/reasoning/enabled", "false" } },
    { { "minimal", "/reasoning/effort", "\"minimal\"" } },
    { { "low", "/reasoning/effort", "\"low\"" } },
    { { "medium", "/reasoning/effort", "\"medium\"" } },
    { { "high", "/reasoning/effort", "\"high\"" } },
    { { "xhigh", "/reasoning/effort", "\"xhigh\"" } },
    { { "max", "/reasoning/effort", "\"xhigh\"" } },
    ngx_ors_chat_preset_end
};

static const ngx_ors_chat_preset_line_t  ngx_ors_chat_preset_search[] = {
    { { "web_search*", "send", "{\"type\":\"openrouter:web_search\"}" } },
    ngx_ors_chat_preset_end
};


/*
 * https://api-docs.deepseek.com/: it thinks unless it must not, and refuses
 * calls without the thoughts that led to them; texts only
 */

static const ngx_ors_chat_preset_line_t  ngx_ors_chat_preset_deepseek[] = {
    { { "tokens=max_tokens", "images=off", "files=off",
        "reasoning=reasoning_content" } },
    ngx_ors_chat_preset_end
};

static const ngx_ors_chat_preset_line_t  ngx_ors_chat_preset_disabled[] = {
    { { "none", "/thinking/type", "\"disabled\"" } },
    ngx_ors_chat_preset_end
};


/*
 * https://docs.mistral.ai/api/: it rejects fields that it does not know and
 * sends the usage unasked; the model decides whether it thinks
 */

static const ngx_ors_chat_preset_line_t  ngx_ors_chat_preset_mistral[] = {
    { { "tokens=max_tokens", "files=off", "usage=off" } },
    ngx_ors_chat_preset_end
};

static const ngx_ors_chat_preset_line_t  ngx_ors_chat_preset_nothing[] = {
    { { "none" } },
    { { "minimal" } },
    { { "low" } },
    { { "medium" } },
    { { "high" } },
    { { "xhigh" } },
    { { "max" } },
    ngx_ors_chat_preset_end
};


/*
 * https://ai.google.dev/gemini-api/docs/openai and thought-signatures: a call
 * without a signature is refused, one by another model has a value for it
 */

static const ngx_ors_chat_preset_line_t  ngx_ors_chat_preset_gemini[] = {
    { { "tokens=max_tokens", "files=off", "state=extra_content",
        "unsigned=gemini" } },
    ngx_ors_chat_preset_end
};

static const ngx_ors_chat_preset_line_t  ngx_ors_chat_preset_high[] = {
    { { "xhigh", "/reasoning_effort", "\"high\"" } },
    { { "max", "/reasoning_effort", "\"high\"" } },
    ngx_ors_chat_preset_end
};


/*
 * https://docs.claude.com/en/api/openai-sdk: thinking has a budget of tokens,
 * which must be under max_output_tokens
 */

static const ngx_ors_chat_preset_line_t  ngx_ors_chat_preset_anthropic[] = {
    { { "tokens=max_tokens", "files=off", "state=thinking_blocks" } },
    ngx_ors_chat_preset_end
};

static const ngx_ors_chat_preset_line_t  ngx_ors_chat_preset_budget[] = {
    { { "none" } },
    { { "minimal" } },
    { { "low", "/thinking",
        "{\"type\":\"enabled\",\"budget_tokens\":1024}" } },
    { { "medium", "/thinking",
        "{\"type\":\"enabled\",\"budget_tokens\":4096}" } },
    { { "high", "/thinking",
        "{\"type\":\"enabled\",\"budget_tokens\":8192}" } },
    { { "xhigh", "/thinking",
        "{\"type\":\"enabled\",\"budget_tokens\":16384}" } },
    { { "max", "/thinking",
        "{\"type\":\"enabled\",\"budget_tokens\":32000}" } },
    ngx_ors_chat_preset_end
};


/* https://console.groq.com/docs/openai */

static const ngx_ors_chat_preset_line_t  ngx_ors_chat_preset_groq[] = {
    { { "tokens=max_completion_tokens", "files=off",
        "params=user,seed,stop,service_tier" } },
    ngx_ors_chat_preset_end
};


/* https://docs.x.ai/developers/model-capabilities/text/reasoning */

static const ngx_ors_chat_preset_line_t  ngx_ors_chat_preset_xai[] = {
    { { "tokens=max_completion_tokens", "files=off", "params=user,seed" } },
    ngx_ors_chat_preset_end
};


/*
 * https://platform.openai.com/docs/api-reference/chat: fields and a role of
 * its own models, and functions as strict as to its Responses API
 */

static const ngx_ors_chat_preset_line_t  ngx_ors_chat_preset_openai[] = {
    { { "tokens=max_completion_tokens", "developer=developer",
        "strict=schema",
        "params=prompt_cache_key,safety_identifier,service_tier,verbosity" } },
    ngx_ors_chat_preset_end
};

static const ngx_ors_chat_preset_line_t  ngx_ors_chat_preset_xhigh[] = {
    { { "max", "/reasoning_effort", "\"xhigh\"" } },
    ngx_ors_chat_preset_end
};


static const ngx_ors_chat_preset_t  ngx_ors_chat_presets[] = {

    { ngx_string("vllm"), ngx_ors_chat_preset_vllm,
      ngx_ors_chat_preset_thinking, NULL },

    { ngx_string("sglang"), ngx_ors_chat_preset_sglang,
      ngx_ors_chat_preset_thinking, NULL },

    { ngx_string("llama.cpp"), ngx_ors_chat_preset_llama_cpp,
      ngx_ors_chat_preset_template, NULL },

    { ngx_string("ollama"), ngx_ors_chat_preset_ollama,
      ngx_ors_chat_preset_three, NULL },

    { ngx_string("lmstudio"), ngx_ors_chat_preset_lmstudio,
      ngx_ors_chat_preset_four, NULL },

    { ngx_string("openrouter"), ngx_ors_chat_preset_openrouter,
      ngx_ors_chat_preset_object, ngx_ors_chat_preset_search },

    { ngx_string("deepseek"), ngx_ors_chat_preset_deepseek,
      ngx_ors_chat_preset_disabled, NULL },

    { ngx_string("mistral"), ngx_ors_chat_preset_mistral,
      ngx_ors_chat_preset_nothing, NULL },

    { ngx_string("gemini"), ngx_ors_chat_preset_gemini,
      ngx_ors_chat_preset_high, NULL },

    { ngx_string("anthropic"), ngx_ors_chat_preset_anthropic,
      ngx_ors_chat_preset_budget, NULL },

    { ngx_string("groq"), ngx_ors_chat_preset_groq,
      ngx_ors_chat_preset_three, NULL },

    { ngx_string("xai"), ngx_ors_chat_preset_xai,
      ngx_ors_chat_preset_three, NULL },

    { ngx_string("openai"), ngx_ors_chat_preset_openai,
      ngx_ors_chat_preset_xhigh, NULL },

    { ngx_null_string, NULL, NULL, NULL }
};


ngx_ors_chat_options_t *
ngx_ors_chat_preset(ngx_conf_t *cf, ngx_str_t *value)
{
    u_char                       *last, buf[NGX_MAX_CONF_ERRSTR];
    ngx_str_t                     name;
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

    return (ngx_ors_chat_preset_read(cf, options, preset) == NGX_OK) ? options
                                                                     : NULL;
}


static ngx_int_t
ngx_ors_chat_preset_read(ngx_conf_t *cf, ngx_ors_chat_options_t *options,
    const ngx_ors_chat_preset_t *preset)
{
    ngx_int_t     rc;
    ngx_array_t  *args;

    args = cf->args;

    rc = ngx_ors_chat_preset_lines(cf, options, preset->options, 0,
                                   ngx_ors_chat_options_slot);

    if (rc == NGX_OK) {
        rc = ngx_ors_chat_preset_lines(cf, options, preset->efforts,
                                    offsetof(ngx_ors_chat_options_t, efforts),
                                    ngx_ors_chat_effort_slot);
    }

    if (rc == NGX_OK) {
        rc = ngx_ors_chat_preset_lines(cf, options, preset->types,
                                    offsetof(ngx_ors_chat_options_t, types),
                                    ngx_ors_chat_type_slot);
    }

    cf->args = args;

    return rc;
}


/* setters keep the words, so that they get copies */

static ngx_int_t
ngx_ors_chat_preset_lines(ngx_conf_t *cf, ngx_ors_chat_options_t *options,
    const ngx_ors_chat_preset_line_t *line, size_t offset,
    ngx_ors_chat_preset_pt set)
{
    char           *rv;
    ngx_str_t      *word, text, *name;
    ngx_uint_t      i;
    ngx_command_t   cmd;

    ngx_memzero(&cmd, sizeof(ngx_command_t));
    cmd.offset = offset;
    name = cf->args->elts;

    for ( /* void */ ; line && line->words[0]; line++) {

        cf->args = ngx_array_create(cf->pool, NGX_ORS_CHAT_PRESET_WORDS + 1,
                                    sizeof(ngx_str_t));
        if (cf->args == NULL) {
            return NGX_ERROR;
        }

        word = ngx_array_push(cf->args);
        *word = *name;

        for (i = 0; i < NGX_ORS_CHAT_PRESET_WORDS && line->words[i]; i++) {
            text.data = (u_char *) line->words[i];
            text.len = ngx_strlen(line->words[i]) + 1;

            word = ngx_array_push(cf->args);
            word->data = ngx_pstrdup(cf->pool, &text);
            word->len = text.len - 1;

            if (word->data == NULL) {
                return NGX_ERROR;
            }
        }

        rv = set(cf, &cmd, options);

        if (rv != NGX_CONF_OK) {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}
