
/*
 * Copyright (C) Open Responses contributors
 */


/* Answers of real servers: the good ones are good in all profiles. */


#include "shape_table.h"
#include <ngx_ors_sse.h>
#include <ngx_ors_test_file.h>


#define DIRECTORY  "t/data/upstream"


static ngx_uint_t test_file(char *name);
static void test_body(char *name, char *body, ngx_pool_t *pool);
static ngx_uint_t test_stream(char *name, char *body, ngx_pool_t *pool);
static ngx_uint_t test_document(char *name, char *text,
    const ngx_ors_shape_t *shape);
static char *decode(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    ngx_pool_t *pool);


int
main(void)
{
    ngx_uint_t  n;

    n = ngx_ors_test_files(DIRECTORY, ".json", test_file);

    ok(n >= 18, "%d answers are good", (int) n);

    return done_testing();
}


/* a file has "status" and "body", a text; 1 if that is no error */

static ngx_uint_t
test_file(char *name)
{
    ngx_str_t             text;
    ngx_uint_t            good;
    ngx_pool_t           *pool;
    ngx_ors_json_t        json;
    ngx_ors_json_node_t  *status, *body;

    pool = ngx_ors_test_pool();
    good = 0;

    ngx_ors_json_init(&json, pool, 32, 10000);

    if (ngx_ors_test_file(DIRECTORY, name, pool, &text)
        && ngx_ors_json_read(&json, text.data, text.len) == NGX_OK)
    {
        status = ngx_ors_json_find(&json, &json.nodes[0], "status");
        body = ngx_ors_json_find(&json, &json.nodes[0], "body");

        if (ngx_strncmp(ngx_ors_json_text(&json, status), "200", 3) == 0
            && strstr(name, "-error-") == NULL)
        {
            test_body(name, decode(&json, body, pool), pool);
            good = 1;
        }

    } else {
        fail("%s cannot be read, or is not JSON", name);
    }

    ngx_destroy_pool(pool);

    return good;
}


static void
test_body(char *name, char *body, ngx_pool_t *pool)
{
    ngx_uint_t  n;

    if (ngx_strncmp(body, "data:", 5) == 0) {
        n = test_stream(name, body, pool);
        ok(n > 0, "%s: %d chunks", name, (int) n);
        return;
    }

    ok(test_document(name, body, &ngx_ors_fields_chat_answer),
       "%s: a document", name);
}


/* the number of good chunks, 0 if one is not */

static ngx_uint_t
test_stream(char *name, char *body, ngx_pool_t *pool)
{
    char           *text;
    ngx_buf_t       b;
    ngx_uint_t      n;
    ngx_ors_sse_t   sse;

    ngx_memzero(&b, sizeof(ngx_buf_t));

    b.pos = (u_char *) body;
    b.last = b.pos + ngx_strlen(body);

    ngx_ors_sse_init(&sse, pool, 65536);

    for (n = 0; ngx_ors_sse_read(&sse, &b) == NGX_OK; n++) {

        text = ngx_pcalloc(pool, sse.data.len + 1);
        ngx_memcpy(text, sse.data.data, sse.data.len);

        if (strcmp(text, "[DONE]") == 0) {
            return n;
        }

        if (!test_document(name, text, &ngx_ors_fields_chat_chunk)) {
            return 0;
        }
    }

    fail("%s has no [DONE]", name);

    return 0;
}


static ngx_uint_t
test_document(char *name, char *text, const ngx_ors_shape_t *shape)
{
    ngx_uint_t        profile;
    ngx_pool_t       *pool;
    ngx_ors_error_t   err;

    for (profile = NGX_ORS_STRICT_SPEC;
         profile <= NGX_ORS_TOLERANT_OPENAI;
         profile <<= 1)
    {
        pool = ngx_ors_test_pool();

        if (shape_validate(text, shape, profile, pool, &err, NULL)
            != NGX_OK)
        {
            fail("%s in profile %d: %.*s", name, (int) profile,
                 (int) err.message.len, err.message.data);
            ngx_destroy_pool(pool);
            return 0;
        }

        ngx_destroy_pool(pool);
    }

    return 1;
}


static char *
decode(ngx_ors_json_t *json, ngx_ors_json_node_t *node, ngx_pool_t *pool)
{
    char  *text;

    text = ngx_pcalloc(pool, node->len + 1);
    (void) ngx_ors_json_decode(json, node, (u_char *) text);

    return text;
}
