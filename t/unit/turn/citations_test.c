
/*
 * Copyright (C) Open Responses contributors
 */


/* Addresses of sources in texts of a model. */


#include <ngx_ors_test.h>
#include <ngx_ors_test_limits.h>
#include <ngx_ors_tags.h>


static void test_text(ngx_uint_t i);
static void test_sources(void);
static void test_many(void);
static void read_sources(ngx_ors_sources_t *sources, ngx_pool_t *pool,
    const char *list);


#define LIST                                                                  \
    "[{\"url\":\"https://a.org/\",\"title\":\"A \\\"1\\\"\"},"                \
    "{\"url\":\"https:\\/\\/a.org\\/x\"},"                                    \
    "{\"url\":\"https://a.org/y_(z)\",\"title\":\"\"},"                       \
    "{\"url\":\"http://b.org?q=\\u0031&r\",\"title\":7},"                     \
    "{\"url\":\"https://a.org/\",\"title\":\"again\"}]"


/* citations as "start-end title" */

static struct {
    const char   *name;
    const char   *text;
    ngx_uint_t    cut;
    const char   *expected;
} texts[] = {
    { "nothing", "", 0, "" },
    { "no address", "see a.org", 0, "" },
    { "an address alone", "https://a.org/", 0, "0-14 A \\\"1\\\";" },
    { "in a text", "see https://a.org/ now", 0, "4-18 A \\\"1\\\";" },
    { "the end of a sentence", "see https://a.org/.", 0,
      "4-18 A \\\"1\\\";" },
    { "in brackets", "(see https://a.org/)!", 0, "5-19 A \\\"1\\\";" },
    { "after much", "https://a.org/.,;:", 0, "0-14 A \\\"1\\\";" },
    { "after too much", "https://a.org/.,;:!", 0, "" },
    { "in code points", "\xc3\xa9\xe2\x82\xac\xf0\x9f\x99\x82 https://a.org/",
      0, "4-18 A \\\"1\\\";" },
    { "two of them", "https://a.org/ \xc3\xa9 https://a.org/", 0,
      "0-14 A \\\"1\\\";17-31 A \\\"1\\\";" },
    { "another page", "https://a.org/other", 0, "" },
    { "another page, with an argument", "https://a.org/?q", 0, "" },
    { "a part of a word", "xhttps://a.org/", 0, "" },
    { "letters that are none of ASCII", "https://a.org/\xc3\xa9", 0, "" },
    { "without a title", "https://a.org/x", 0,
      "0-15 https:\\/\\/a.org\\/x;" },
    { "its own brackets", "(https://a.org/y_(z))", 0,
      "1-20 https://a.org/y_(z);" },
    { "escapes in the source", "http://b.org?q=1&r", 0,
      "0-18 http://b.org?q=\\u0031&r;" },
    { "a link", "see [the \xc3\xa9](https://a.org/) now", 0,
      "4-27 A \\\"1\\\";" },
    { "a link, more follows", "[a](https://a.org/)b", 0,
      "0-19 A \\\"1\\\";" },
    { "a link, brackets in both", "[a [1]](https://a.org/y_(z)).", 0,
      "0-28 https://a.org/y_(z);" },
    { "a link in brackets", "([a](https://a.org/))", 0,
      "1-20 A \\\"1\\\";" },
    { "a link with an address as its label",
      "[https://a.org/x](https://a.org/)", 0,
      "1-16 https:\\/\\/a.org\\/x;18-32 A \\\"1\\\";" },
    { "a label of two lines", "[a\nb](https://a.org/)", 0,
      "6-20 A \\\"1\\\";" },
    { "a link that does not begin", "a](https://a.org/)", 0,
      "3-17 A \\\"1\\\";" },
    { "a link that does not end", "[a](https://a.org/", 0,
      "4-18 A \\\"1\\\";" },
    { "a link with a title", "[a](https://a.org/ \"b\")", 0,
      "4-18 A \\\"1\\\";" },
    { "links side by side", "[a](https://a.org/)[b](https://a.org/x)", 0,
      "0-19 A \\\"1\\\";19-39 https:\\/\\/a.org\\/x;" },
    { "between angles", "<https://a.org/>", 0, "1-15 A \\\"1\\\";" },
    { "cut", "https://a.org/", 1, "" },
    { "cut, a point follows", "https://a.org/.", 1, "" },
    { "cut later", "https://a.org/ an", 1, "0-14 A \\\"1\\\";" },
    { "a scheme alone", "https:// http:// h", 0, "" }
};


int
main(void)
{
    ngx_uint_t  i;

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        test_text(i);
    }

    test_sources();
    test_many();

    return done_testing();
}


static void
test_text(ngx_uint_t i)
{
    char                 got[256], *p;
    ngx_pool_t          *pool;
    ngx_ors_sources_t    sources;
    ngx_ors_citation_t   c;

    pool = ngx_ors_test_pool();

    read_sources(&sources, pool, LIST);
    ngx_memzero(&c, sizeof(ngx_ors_citation_t));

    c.text.data = (u_char *) texts[i].text;
    c.text.len = strlen(texts[i].text);
    c.cut = texts[i].cut;

    p = got;
    *p = '\0';

    while (ngx_ors_citation_next(&sources, &c) == NGX_OK) {
        p += sprintf(p, "%d-%d %.*s;", (int) c.start, (int) c.end,
                     (int) c.source->title.len,
                     (char *) c.source->title.data);
    }

    is_mem(got, strlen(got), texts[i].expected, strlen(texts[i].expected),
           "%s", texts[i].name);

    ngx_destroy_pool(pool);
}


static void
test_sources(void)
{
    ngx_uint_t          i;
    ngx_pool_t         *pool;
    ngx_ors_sources_t   sources;

    static const char  *none[] = {
        "[]", "[{}]", "[1]", "7", "[{\"url\":7}]", "[{\"url\":\"\"}]",
        "[{\"url\":\"ftp://a.org/\"}]", "[{\"url\":\"https://\"}]",
        "[{\"url\":\"//a.org/\"}]"
    };

    pool = ngx_ors_test_pool();

    for (i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
        read_sources(&sources, pool, none[i]);
        is_int(sources.urls.n, 0, "none: %s", none[i]);
    }

    read_sources(&sources, pool, LIST);
    is_int(sources.urls.n, 4, "a source that comes twice is one");

    ngx_destroy_pool(pool);
}


/* more than are kept, and a title and an address that are too long */

static void
test_many(void)
{
    char                *list, *p;
    ngx_uint_t           i;
    ngx_pool_t          *pool;
    ngx_ors_sources_t    sources;
    ngx_ors_citation_t   c;

    pool = ngx_ors_test_pool();
    list = malloc(1024 * 1024);
    p = list;

    p += sprintf(p, "[{\"url\":\"http://%03000d\"},"
                 "{\"url\":\"http://long\",\"title\":\"%0600d\"}", 7, 7);

    for (i = 0; i < 2000; i++) {
        p += sprintf(p, ",{\"url\":\"http://%u\"}", (unsigned) i);
    }

    sprintf(p, "]");
    read_sources(&sources, pool, list);

    is_int(sources.urls.n, 1000, "a thousand sources");

    ngx_memzero(&c, sizeof(ngx_ors_citation_t));
    ngx_str_set(&c.text, "http://998 http://999 http://long");

    is_int(ngx_ors_citation_next(&sources, &c), NGX_OK, "the last of them");
    is_int(c.end, 10, "its end");
    is_int(ngx_ors_citation_next(&sources, &c), NGX_OK, "a long title");
    is_mem(c.source->title.data, c.source->title.len, "http://long", 11,
           "is no title");
    is_int(ngx_ors_citation_next(&sources, &c), NGX_DONE, "no more");

    free(list);
    ngx_destroy_pool(pool);
}


static void
read_sources(ngx_ors_sources_t *sources, ngx_pool_t *pool, const char *list)
{
    ngx_str_t         text;
    ngx_ors_limits_t  limits = limits_default();

    ngx_memzero(sources, sizeof(ngx_ors_sources_t));

    text.data = (u_char *) list;
    text.len = strlen(list);

    is_int(ngx_ors_sources_add(sources, &limits, pool, &text), NGX_OK,
           "sources");
}
