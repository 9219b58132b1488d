
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Lists of headers: the media type of a body, what a target gets of a client,
 * and a client of an upstream.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_forward.h>
#include <ngx_ors_body.h>


static void test_media(ngx_pool_t *pool);
static void test_pass(ngx_pool_t *pool);
static void test_lists(ngx_pool_t *pool);
static void test_forward(ngx_pool_t *pool);
static void test_args(ngx_pool_t *pool);
static void test_origin(void);
static ngx_list_t *test_list(ngx_pool_t *pool, char *text);
static char *test_names(ngx_pool_t *pool, ngx_list_t *list);


int
main(void)
{
    ngx_pool_t  *pool;

    pool = ngx_ors_test_pool();

    test_media(pool);
    test_pass(pool);
    test_lists(pool);
    test_forward(pool);
    test_args(pool);
    test_origin();

    ngx_destroy_pool(pool);

    return done_testing();
}


static void
test_media(ngx_pool_t *pool)
{
    char        *error;
    ngx_uint_t   i;

    /* headers, and what the error is about, NULL: there is none */

    static char  *rows[][2] = {
        { "Content-Type: application/json", NULL },
        { "content-type: Application/JSON ; a=b", NULL },
        { "Content-Type: application/json; charset=utf-8", NULL },
        { "Content-Type: application/json;charset=\"UTF8\" ", NULL },
        { "Content-Type: application/json|Content-Encoding: identity", NULL },
        { "Accept: */*", "must have the Content-Type" },
        { "Content-Type: application/jsonx", "must be \"application/json\"" },
        { "Content-Type: text/json", "must be \"application/json\"" },
        { "Content-Type: application/json; charset=latin1", "charset" },
        { "Content-Type: application/json; charset=utf-8; charset=a",
          "charset" },
        { "Content-Type: application/json; xcharset=utf-8", "charset" },
        { "Content-Type: application/json; charset=\"utf-8", "charset" },
        { "Content-Type: application/json; charset", "charset" },
        { "Content-Type: application/json|Content-Type: application/json",
          "more than one" },
        { "Content-Encoding: gzip|Content-Type: application/json", NULL },
        { "Content-Type: application/json|Content-Encoding: ZSTD", NULL },
        { "Content-Encoding: br|Content-Type: application/json",
          "Content-Encoding" },
        { "Content-Type: application/json|Content-Encoding: gzip"
          "|Content-Encoding: gzip", "Content-Encoding" }
    };

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        error = ngx_ors_media(test_list(pool, rows[i][0]));

        if (rows[i][1] == NULL) {
            ok(error == NULL, "%s", rows[i][0]);

        } else {
            ok(error && strstr(error, rows[i][1]), "%s: refused", rows[i][0]);
        }
    }
}


static void
test_pass(ngx_pool_t *pool)
{
    ngx_list_t  *from, *to;
    ngx_str_t    name;

    from = test_list(pool, "X-Request-Id: 1|Set-Cookie: a|x-ratelimit-left: 2|"
                           "x-ratelimit: 3|OpenAI-Model: m|x-codex-a: \x01");
    to = test_list(pool, "");

    is_int(ngx_ors_headers_pass(from, to), NGX_OK, "headers of an upstream");

    ok(strcmp(test_names(pool, to),
              "X-Request-Id x-ratelimit-left OpenAI-Model ") == 0,
       "those a client looks for are passed on");

    ngx_str_set(&name, "x-request-ID");
    ok(ngx_ors_header_find(to, &name) != NULL, "a header in any case");
    ngx_str_set(&name, "x-request");
    ok(ngx_ors_header_find(to, &name) == NULL, "... by all of its name");

    ngx_ors_header_set(to, "openai-model", "own");
    ngx_str_set(&name, "openai-model");
    is_str(&ngx_ors_header_find(to, &name)->value, "own", "a header is set");

    ngx_ors_header_set(to, "OPENAI-MODEL", NULL);
    ok(ngx_ors_header_find(to, &name) == NULL, "... and removed");

    ok(ngx_ors_header_text(to, "Allow", "allow", "GET")->hash
       == ngx_hash_key((u_char *) "allow", 5), "an added header has its hash");
}


static void
test_lists(ngx_pool_t *pool)
{
    ngx_uint_t  i;

    static ngx_str_t  token = ngx_string("upgrade");

    static struct {
        char        *headers;
        ngx_uint_t   is;
    } rows[] = {
        { "A: upgrade", 1 },
        { "a: UpGrade", 1 },
        { "A: ,\tupgrade ,x", 1 },
        { "A: x, upgrade/13", 1 },
        { "A: x|B: 1|A: upgrade", 1 },
        { "A: x|B: 2|C: 3|D: 4|E: 5|F: 6|G: 7|H: 8|A: upgrade", 1 },
        { "B: upgrade", 0 },
        { "A: upgrades|A: x/upgrade|A: up, grade|A: \"upgrade\"|A: ", 0 },
        { "A: ,", 0 },
    };

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        is_int(ngx_ors_header_lists(test_list(pool, rows[i].headers), "A",
                                    &token),
               rows[i].is, "%s", rows[i].headers);
    }
}


static void
test_forward(ngx_pool_t *pool)
{
    ngx_str_t    name;
    ngx_list_t  *from, to;

    from = test_list(pool, "Host: h|Authorization: k|Content-Length: 1|"
                           "x-forwarded-for: a|Accept-Encoding: gzip|"
                           "X-Own: b|If-Match: c|Range: d|Cookie: e|"
                           "Traceparent: f|tracestate: g|X-Traceparent: h|"
                           "X-REQUEST-ID: i|Accept: j|X-Request: k");

    is_int(ngx_ors_forward_headers(from, &to, 0, pool), NGX_OK,
           "headers of a client");
    ok(strcmp(test_names(pool, &to),
              "Host Authorization x-forwarded-for X-Own Cookie "
              "Traceparent tracestate X-Traceparent X-REQUEST-ID X-Request ")
       == 0,
       "those of its body and answer are not for a target");

    is_int(ngx_ors_forward_headers(from, &to, NGX_ORS_FORWARD_BARE, pool),
           NGX_OK,
           "headers of a client for another target");
    ok(strcmp(test_names(pool, &to),
              "Host Traceparent tracestate X-REQUEST-ID ") == 0,
       "... without those that may be keys");

    is_int(ngx_ors_forward_headers(from, &to,
                                   NGX_ORS_FORWARD_BARE
                                   | NGX_ORS_FORWARD_UNTRACED, pool),
           NGX_OK, "headers of a client without its trace");
    ok(strcmp(test_names(pool, &to), "Host X-REQUEST-ID ") == 0,
       "... only that");

    ngx_str_set(&name, "accept_language");
    ok(ngx_ors_forward_public(&name), "a variable of such a header");
    ngx_str_set(&name, "accept");
    ok(!ngx_ors_forward_public(&name), "... of which all is looked at");
}


static void
test_args(ngx_pool_t *pool)
{
    ngx_str_t   from, args, base, uri;
    ngx_uint_t  i;

    static char  *rows[][2] = {
        { "", "" },
        { "a=1&key=2&b", "a=1&b" },
        { "api_key=1", "" },
        { "TOKEN=1&a", "a" },
        { "tok%65n=1&a", "a" },
        { "keys=1&sig", "keys=1" },
        { "a&&b", "a&&b" }
    };

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        from.data = (u_char *) rows[i][0];
        from.len = ngx_strlen(from.data);

        is_int(ngx_ors_forward_args(&from, &args, pool), NGX_OK, "arguments");
        is_str(&args, rows[i][1], "\"%s\"", rows[i][0]);
    }

    ngx_str_set(&base, "/v1");
    ngx_str_set(&from, "/responses");
    ngx_str_set(&args, "a=1&b= \x7f");

    is_int(ngx_ors_forward_uri(&base, &from, &args, pool, &uri), NGX_OK,
           "a URI");
    is_str(&uri, "/v1/responses?a=1&b=%20%7F", "... for an upstream");

    ngx_str_null(&args);

    (void) ngx_ors_forward_uri(&base, &from, &args, pool, &uri);
    is_str(&uri, "/v1/responses", "... without arguments");
}


/* a list of "name: value", separated by "|", two in a part */

static void
test_origin(void)
{
    ngx_str_t   origin, host;
    ngx_uint_t  i;

    static struct {
        char        *origin;
        char        *host;
        ngx_uint_t   same;
    }  rows[] = {
        { "https://api.example.com", "api.example.com", 1 },
        { "http://API.example.com:8080", "api.Example.com:8080", 1 },
        { "http://[::1]:8080", "[::1]:8080", 1 },
        { "https://evil.example", "api.example.com", 0 },
        { "https://api.example.com.evil", "api.example.com", 0 },
        { "https://evil.api.example.com", "api.example.com", 0 },
        { "https://api.example.com:8443", "api.example.com", 0 },
        { "https://x://api.example.com", "api.example.com", 0 },
        { "https://", "", 0 },
        { "://", "api.example.com", 0 },
        { "api.example.com", "api.example.com", 0 },
        { "null", "api.example.com", 0 },
        { "", "", 0 },
    };

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        origin.data = (u_char *) rows[i].origin;
        origin.len = ngx_strlen(rows[i].origin);
        host.data = (u_char *) rows[i].host;
        host.len = ngx_strlen(rows[i].host);

        is_int(ngx_ors_header_same_origin(&origin, &host), rows[i].same,
               "origin \"%s\" of \"%s\"", rows[i].origin, rows[i].host);
    }
}


static ngx_list_t *
test_list(ngx_pool_t *pool, char *text)
{
    char             *end, *colon;
    u_char           *lowcase;
    ngx_list_t       *list;
    ngx_table_elt_t  *h;

    list = ngx_list_create(pool, 2, sizeof(ngx_table_elt_t));

    for ( /* void */ ; *text; text = *end ? end + 1 : end) {
        end = strchr(text, '|');
        end = end ? end : text + strlen(text);
        colon = strchr(text, ':');

        h = ngx_list_push(list);
        h->hash = 1;
        h->key.data = (u_char *) text;
        h->key.len = colon - text;
        h->value.data = (u_char *) colon + 2;
        h->value.len = end - colon - 2;

        lowcase = ngx_pnalloc(pool, h->key.len);
        ngx_strlow(lowcase, h->key.data, h->key.len);
        h->lowcase_key = lowcase;
    }

    return list;
}


static char *
test_names(ngx_pool_t *pool, ngx_list_t *list)
{
    u_char           *p, *text;
    ngx_uint_t        i;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *h;

    p = text = ngx_pnalloc(pool, 1024);

    for (part = &list->part; part; part = part->next) {
        h = part->elts;

        for (i = 0; i < part->nelts; i++) {
            p = ngx_sprintf(p, "%V ", &h[i].key);
        }
    }

    *p = '\0';

    return (char *) text;
}
