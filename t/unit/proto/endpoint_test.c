
/*
 * Copyright (C) Open Responses contributors
 */


/* Endpoints, by path and by number. */


#include <ngx_ors_test.h>
#include <ngx_ors_route.h>
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


/* and as what they may be read: -1 is nothing */

static struct {
    char        *uri;
    ngx_int_t    id;
} others[] = {
    { "", -1 }, { "/", -1 }, { "/v1", -1 }, { "/v1/responses/resp_1", -1 },
    { "/v1/compact", -1 }, { "/v1/completions", -1 }, { "/v1/chat", -1 },
    { "/v1/models/m", -1 }, { "/xresponses", -1 }, { "/v1/responsesx", -1 },
    { "/v1/responses/x.json", -1 }, { "/v1/responses/..", -1 },
    { "/v1/responses-/", -1 }, { "%", -1 }, { "%%%", -1 }, { "/%2", -1 },
    { "//..//..", -1 }, { ";", -1 }, { "/..;/;", -1 }, { "/.json", -1 },

    { "responses", ngx_ors_endpoint_responses },
    { "/v1/responses/", ngx_ors_endpoint_responses },
    { "/v1/responses///", ngx_ors_endpoint_responses },
    { "/v1/RESPONSES", ngx_ors_endpoint_responses },
    { "/v1/re\xc5\xbfponses", ngx_ors_endpoint_responses },
    { "/v1/responses;x=1", ngx_ors_endpoint_responses },
    { "/v1;a/responses;;/", ngx_ors_endpoint_responses },
    { "/v1/responses%2f", ngx_ors_endpoint_responses },
    { "/v1/responses%252F", ngx_ors_endpoint_responses },
    { "/v1/responses%25%32%35252f", ngx_ors_endpoint_responses },
    { "/v1/responses%3Bx", ngx_ors_endpoint_responses },
    { "/v1/%72esponses", ngx_ors_endpoint_responses },
    { "/v1/responses?x", ngx_ors_endpoint_responses },
    { "/v1/responses%3fx/y", ngx_ors_endpoint_responses },
    { "/v1/responses#", ngx_ors_endpoint_responses },
    { "/v1/responses.", ngx_ors_endpoint_responses },
    { "/v1/responses. . .", ngx_ors_endpoint_responses },
    { "/v1/responses ", ngx_ors_endpoint_responses },
    { "/v1/ responses%00", ngx_ors_endpoint_responses },
    { "/v1/responses.json", ngx_ors_endpoint_responses },
    { "/v1/Responses.JSON;x/", ngx_ors_endpoint_responses },
    { "/v1\\responses", ngx_ors_endpoint_responses },
    { "/v1/responses/x/..", ngx_ors_endpoint_responses },
    { "/v1/responses/.", ngx_ors_endpoint_responses },
    { "/v1/responses/x/%2e%2E;a/", ngx_ors_endpoint_responses },
    { "/v1/responses//compact", ngx_ors_endpoint_compact },
    { "/v1/responses;a/compact;b", ngx_ors_endpoint_compact },
    { "/v1/chat//completions", ngx_ors_endpoint_chat },
    { "/v1/chat%2fcompletions", ngx_ors_endpoint_chat },
    { "/v1/Chat/Completions/", ngx_ors_endpoint_chat },
    { "/v1/embeddings%20", ngx_ors_endpoint_embeddings },
    { "/Models", ngx_ors_endpoint_models },
    { NULL, 0 }
};


static char  *cancels[] = {
    "/responses/a/cancel", "/v1/responses/resp_1/cancel", NULL
};


static char  *versioned[] = {
    "/v1/responses", "/api/v1beta/models", "/V2/x", "/a/v1", "//v1//a", NULL
};


static char  *unversioned[] = {
    "", "/", "/v", "/responses", "/shop/models", "/vx1/a", "/av1/a", "v1/a",
    NULL
};


static char  *no_cancels[] = {
    "", "/cancel", "/responses/cancel", "/responses//cancel",
    "/v1/responses/a/b/cancel", "/v1/response/a/cancel", "responses/a/cancel",
    "/v1/responses/a/cancel/", NULL
};


int
main(void)
{
    ngx_str_t                  uri;
    ngx_uint_t                 i;
    ngx_pool_t                *pool;
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

    pool = ngx_ors_test_pool();

    for (i = 0; others[i].uri; i++) {
        uri.data = (u_char *) others[i].uri;
        uri.len = ngx_strlen(others[i].uri);

        ok(ngx_ors_endpoint_find(&uri) == NULL, "\"%s\" is none",
           others[i].uri);
        is_int(ngx_ors_endpoint_variant(&uri, pool, &endpoint), NGX_OK,
               "and is read");
        is_int(endpoint ? (ngx_int_t) endpoint->id : -1, others[i].id,
               "as what it may be read");
    }

    ngx_destroy_pool(pool);

    for (i = 0; cancels[i]; i++) {
        uri.data = (u_char *) cancels[i];
        uri.len = ngx_strlen(cancels[i]);

        ok(ngx_ors_endpoint_cancels(&uri), "\"%s\" cancels", cancels[i]);
    }

    for (i = 0; no_cancels[i]; i++) {
        uri.data = (u_char *) no_cancels[i];
        uri.len = ngx_strlen(no_cancels[i]);

        ok(!ngx_ors_endpoint_cancels(&uri), "\"%s\" does not",
           no_cancels[i]);
    }

    for (i = 0; versioned[i]; i++) {
        uri.data = (u_char *) versioned[i];
        uri.len = ngx_strlen(versioned[i]);

        ok(ngx_ors_endpoint_versioned(&uri), "\"%s\" has a version",
           versioned[i]);
    }

    for (i = 0; unversioned[i]; i++) {
        uri.data = (u_char *) unversioned[i];
        uri.len = ngx_strlen(unversioned[i]);

        ok(!ngx_ors_endpoint_versioned(&uri), "\"%s\" has none",
           unversioned[i]);
    }

    endpoint = ngx_ors_endpoint(ngx_ors_endpoint_chat);
    ok(endpoint->event == &ngx_ors_fields_chat_chunk, "chunks of chats");

    endpoint = ngx_ors_endpoint(ngx_ors_endpoint_embeddings);
    ok(endpoint->event == NULL, "embeddings are no stream");

    return done_testing();
}
