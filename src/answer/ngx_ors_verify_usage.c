
/*
 * Copyright (C) Open Responses contributors
 */


/* Reads the usage of a response, and of what Chat Completions answers. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_verify_usage.h>


#define NGX_ORS_VERIFY_DETAILS  sizeof("completion_tokens_details")


static int64_t ngx_ors_verify_usage_detail(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *usage, char *tokens, char *name);


void
ngx_ors_verify_usage(ngx_ors_verify_t *verify, ngx_ors_json_node_t *object)
{
    char                 *input, *output;
    ngx_uint_t            chat;
    ngx_ors_usage_t      *sum;
    ngx_ors_json_node_t  *usage;

    usage = ngx_ors_json_find(&verify->json, object, "usage");

    if (usage == NULL || usage->type != ngx_ors_json_object) {
        return;
    }

    sum = &verify->usage;
    sum->known = 1;

    chat = (ngx_ors_json_find(&verify->json, usage, "input_tokens") == NULL);

    input = chat ? "prompt_tokens" : "input_tokens";
    output = chat ? "completion_tokens" : "output_tokens";

    sum->input = ngx_ors_verify_count(verify, usage, input);
    sum->output = ngx_ors_verify_count(verify, usage, output);
    sum->cached = ngx_ors_verify_usage_detail(verify, usage, input,
                                              "cached_tokens");
    sum->reasoning = ngx_ors_verify_usage_detail(verify, usage, output,
                                                 "reasoning_tokens");
}


/* a member of "..._details" */

static int64_t
ngx_ors_verify_usage_detail(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *usage, char *tokens, char *name)
{
    u_char               *last, member[NGX_ORS_VERIFY_DETAILS];
    ngx_ors_json_node_t  *node;

    last = ngx_sprintf(member, "%s_details", tokens);
    node = ngx_ors_json_get(&verify->json, usage, member, last - member);

    return ngx_ors_verify_count(verify, node, name);
}


int64_t
ngx_ors_verify_count(ngx_ors_verify_t *verify, ngx_ors_json_node_t *usage,
    char *name)
{
    int64_t               n;
    ngx_ors_json_node_t  *node;

    node = ngx_ors_json_get(&verify->json, usage, (u_char *) name,
                            ngx_strlen(name));

    return (ngx_ors_json_integer(&verify->json, node, &n) == NGX_OK)
           ? ngx_max(n, 0) : 0;
}
