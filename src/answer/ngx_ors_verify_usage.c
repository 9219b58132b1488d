
/*
 * Copyright (C) Open Responses contributors
 */


/* Reads the usage of a response, and of what Chat Completions answers. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_verify_usage.h>


static int64_t ngx_ors_verify_usage_detail(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *usage, char *details, char *name);


void
ngx_ors_verify_usage(ngx_ors_verify_t *verify, ngx_ors_json_node_t *object)
{
    ngx_ors_usage_t      *sum;
    ngx_ors_json_node_t  *usage;

    usage = ngx_ors_json_find(&verify->json, object, "usage");

    if (usage == NULL || usage->type != ngx_ors_json_object) {
        return;
    }

    sum = &verify->usage;
    sum->known = 1;

    if (ngx_ors_json_find(&verify->json, usage, "input_tokens")) {
        sum->input = ngx_ors_verify_count(verify, usage, "input_tokens");
        sum->output = ngx_ors_verify_count(verify, usage, "output_tokens");
        sum->cached = ngx_ors_verify_usage_detail(verify, usage,
                                                  "input_tokens_details",
                                                  "cached_tokens");
        sum->reasoning = ngx_ors_verify_usage_detail(verify, usage,
                                                     "output_tokens_details",
                                                     "reasoning_tokens");
        return;
    }

    sum->input = ngx_ors_verify_count(verify, usage, "prompt_tokens");
    sum->output = ngx_ors_verify_count(verify, usage, "completion_tokens");
    sum->cached = ngx_ors_verify_usage_detail(verify, usage,
                                              "prompt_tokens_details",
                                              "cached_tokens");
    sum->reasoning = ngx_ors_verify_usage_detail(verify, usage,
                                                 "completion_tokens_details",
                                                 "reasoning_tokens");
}


static int64_t
ngx_ors_verify_usage_detail(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *usage, char *details, char *name)
{
    ngx_ors_json_node_t  *node;

    node = ngx_ors_json_get(&verify->json, usage, (u_char *) details,
                            ngx_strlen(details));

    return (node && node->type == ngx_ors_json_object)
           ? ngx_ors_verify_count(verify, node, name) : 0;
}


int64_t
ngx_ors_verify_count(ngx_ors_verify_t *verify, ngx_ors_json_node_t *usage,
    char *name)
{
    int64_t               n;
    ngx_ors_json_node_t  *node;

    node = ngx_ors_json_get(&verify->json, usage, (u_char *) name,
                            ngx_strlen(name));

    if (node == NULL
        || ngx_ors_json_integer(&verify->json, node, &n) != NGX_OK)
    {
        return 0;
    }

    return ngx_max(n, 0);
}
