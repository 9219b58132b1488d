
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_endpoint.h>
#include <ngx_ors_fields.h>


/* in the order of ngx_ors_endpoint_e */

static const ngx_ors_endpoint_t  ngx_ors_endpoints[] = {

    { ngx_ors_endpoint_responses, ngx_string("/responses"),
      &ngx_ors_fields_create, &ngx_ors_fields_response,
      &ngx_ors_fields_event },

    { ngx_ors_endpoint_compact, ngx_string("/responses/compact"),
      &ngx_ors_fields_compact, &ngx_ors_fields_compaction, NULL },

    { ngx_ors_endpoint_chat, ngx_string("/chat/completions"),
      &ngx_ors_fields_chat_request, &ngx_ors_fields_chat_answer,
      &ngx_ors_fields_chat_chunk },

    { ngx_ors_endpoint_embeddings, ngx_string("/embeddings"),
      &ngx_ors_fields_embeddings_request, &ngx_ors_fields_embeddings_answer,
      NULL },

    { ngx_ors_endpoint_models, ngx_string("/models"),
      NULL, &ngx_ors_fields_models, NULL }
};


const ngx_ors_endpoint_t *
ngx_ors_endpoint_find(ngx_str_t *uri)
{
    ngx_uint_t                 i;
    const ngx_ors_endpoint_t  *endpoint;

    for (i = 0;
         i < sizeof(ngx_ors_endpoints) / sizeof(ngx_ors_endpoints[0]);
         i++)
    {
        endpoint = &ngx_ors_endpoints[i];

        if (uri->len >= endpoint->path.len
            && ngx_memcmp(uri->data + uri->len - endpoint->path.len,
                          endpoint->path.data, endpoint->path.len)
               == 0)
        {
            return endpoint;
        }
    }

    return NULL;
}


const ngx_ors_endpoint_t *
ngx_ors_endpoint(ngx_ors_endpoint_e id)
{
    return &ngx_ors_endpoints[id];
}
