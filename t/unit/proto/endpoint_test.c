
/*
 * Copyright (C) Open Responses contributors
 */


/* endpoints, by path and by number */


#include <ngx_ors_test.h>
#include <ngx_ors_endpoint.h>
#include <ngx_ors_fields.h>


typedef struct {
    char                *uri;
    ngx_ors_endpoint_e   id;
} endpoint_t;


static endpoint_t  endpoints[] = {
    { "/v1/responses", ngx_ors_endpoint_responses },
    { "/responses", ngx_ors_endpoint_responses },
    { "/v1/responses/compact", ngx_ors_endpoint_compact },
    { "/v1/chat/completions", ngx_ors_endpoint_chat },
    { "/openai/v1/embeddings", ngx_ors_endpoint_embeddings },
    { "/v1/models", ngx_ors_endpoint_models },
    { NULL, 0 }
};


static char  *others[] = {
    "", "/", "/v1", "responses", "/v1/responses/", "/v1/responses/resp_1",
    "/v1/compact", "/v1/completions", "/v1/chat", "/v1/models/m", "/Models",
    NULL
};


int
main(void)
{
    ngx_str_t                  uri;
    ngx_uint_t                 i;
    const ngx_ors_endpoint_t  *endpoint;

    for (i = 0; endpoints[i].uri; i++) {
        uri.data = (u_char *) endpoints[i].uri;
        uri.len = ngx_strlen(endpoints[i].uri);

        endpoint = ngx_ors_endpoint_find(&uri);

        if (!ok(endpoint != NULL, "%s is found", endpoints[i].uri)) {
            continue;
        }

        is_int(endpoint->id, endpoints[i].id, "with its number");
        ok(endpoint == ngx_ors_endpoint(endpoints[i].id), "by which it is "
           "found, too");
        ok(endpoint->answer != NULL, "with a table of its answer");
        ok((endpoint->request == NULL)
           == (endpoint->id == ngx_ors_endpoint_models),
           "and of its request, unless that is GET");
    }

    for (i = 0; others[i]; i++) {
        uri.data = (u_char *) others[i];
        uri.len = ngx_strlen(others[i]);

        ok(ngx_ors_endpoint_find(&uri) == NULL, "\"%s\" is none", others[i]);
    }

    endpoint = ngx_ors_endpoint(ngx_ors_endpoint_chat);
    ok(endpoint->event == &ngx_ors_fields_chat_chunk, "chunks of chats");

    endpoint = ngx_ors_endpoint(ngx_ors_endpoint_embeddings);
    ok(endpoint->event == NULL, "embeddings are no stream");

    return done_testing();
}
