
/*
 * Copyright (C) Open Responses contributors
 */


/* Pages of input items. */


#include <ngx_ors_test.h>
#include <ngx_ors_test_items.h>
#include <ngx_ors_stored.h>


typedef struct {
    char  *args;
    char  *ids;         /* those of the page, or NULL: it is refused */
    char  *rest;        /* has_more, or the parameter */
} page_t;


typedef struct {
    char  *item;
    char  *full;
} form_t;


static void test_pages(ngx_pool_t *pool);
static void test_forms(ngx_pool_t *pool);
static void test_twice(ngx_pool_t *pool);
static void test_broken(ngx_pool_t *pool);
static void test_memory(void);
static ngx_int_t list_turns(ngx_ors_listing_t *list, char *args,
    ngx_pool_t *pool, ngx_ors_error_t *err);
static ngx_int_t add(ngx_ors_listing_t *list, char *items, char *owner);
static void text_of(ngx_ors_out_t *out, ngx_pool_t *pool, ngx_str_t *text);


/* two turns: what was sent, what came back, and what was sent then */

static char  *turns[] = {
    "{\"role\":\"user\",\"content\":\"1\"},{\"role\":\"user\",\"id\":\"q\\u002d"
    "2\",\"content\":\"2\"}",
    "{\"id\":\"msg_one1\",\"type\":\"message\",\"role\":\"assistant\","
    "\"status\":\"completed\",\"content\":[]}",
    "{\"role\":\"user\",\"content\":\"3\"},{\"type\":\"reasoning\",\"id\":null,"
    "\"summary\":[]},{\"type\":\"function_call_output\",\"call_id\":\"c\","
    "\"output\":\"\"}"
};

#define ALL  "msg_onei0 q\\u002d2 msg_one1 msg_twoi0 rs_twoi1 fco_twoi2"
#define LLA  "fco_twoi2 rs_twoi1 msg_twoi0 msg_one1 q\\u002d2 msg_onei0"


static page_t  pages[] = {
    { "", LLA, "false" },
    { "order=desc", LLA, "false" },
    { "order=asc", ALL, "false" },
    { "order=asc&limit=6", ALL, "false" },
    { "limit=5&order=asc",
      "msg_onei0 q\\u002d2 msg_one1 msg_twoi0 rs_twoi1", "true" },
    { "limit=1", "fco_twoi2", "true" },
    { "limit=2&after=fco_twoi2", "rs_twoi1 msg_twoi0", "true" },
    { "limit=2&after=q-2", "msg_onei0", "false" },
    { "after=msg_onei0", "", "false" },
    { "after=q-2&order=asc", "msg_one1 msg_twoi0 rs_twoi1 fco_twoi2",
      "false" },
    { "before=q-2&order=asc", "msg_onei0", "false" },
    { "before=fco_twoi2", "", "false" },
    { "before=fco_twoi2&order=asc&limit=2", "msg_twoi0 rs_twoi1", "true" },
    { "before=fco_twoi2&order=asc&limit=5",
      "msg_onei0 q\\u002d2 msg_one1 msg_twoi0 rs_twoi1", "false" },
    { "before=fco_twoi2&after=q-2&order=asc&limit=3",
      "msg_one1 msg_twoi0 rs_twoi1", "false" },
    { "before=fco_twoi2&after=q-2&order=asc&limit=2",
      "msg_one1 msg_twoi0", "true" },
    { "limit=100&include[]=x&include=y&order=desc&limitless=0", LLA, "false" },
    { "order=", NULL, "order" },
    { "order=ASC", NULL, "order" },
    { "order=ascending", NULL, "order" },
    { "limit=0", NULL, "limit" },
    { "limit=101", NULL, "limit" },
    { "limit=-1", NULL, "limit" },
    { "limit=ten", NULL, "limit" },
    { "limit=", NULL, "limit" },
    { "limit=99999999999999999999", NULL, "limit" },
    { "after=msg_threei0", NULL, "after" },
    { "after=q\\u002d2", NULL, "after" },
    { "before=msg_threei0", NULL, "before" },
    { "before=msg_threei0&limit=2", NULL, "before" },
    { "before=q-2&after=msg_onei0", NULL, "before" },
    { NULL, NULL, NULL }
};


static form_t  forms[] = {

    { "{\"role\":\"user\",\"content\":\"a\\n\"}",
      "{\"type\":\"message\",\"id\":\"msg_ri0\",\"status\":\"completed\","
      "\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":"
      "\"a\\n\"}]}" },

    { "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"\"}",
      "{\"id\":\"msg_ri0\",\"status\":\"completed\",\"type\":\"message\","
      "\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":"
      "\"\",\"annotations\":[],\"logprobs\":[]}]}" },

    { "{\"type\":null,\"id\":\"\",\"status\":null,\"role\":\"system\","
      "\"content\":null}",
      "{\"type\":\"message\",\"id\":\"msg_ri0\",\"status\":\"completed\","
      "\"role\":\"system\",\"content\":null}" },

    { "{\"type\":\"message\",\"id\":\"m\",\"status\":\"incomplete\","
      "\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\","
      "\"text\":\"x\"},{\"annotations\":[1],\"type\":\"output_text\"},"
      "{\"type\":\"refusal\",\"refusal\":\"no\"},{},7]}",
      "{\"type\":\"message\",\"id\":\"m\",\"status\":\"incomplete\","
      "\"role\":\"assistant\",\"content\":[{\"annotations\":[],"
      "\"logprobs\":[],\"type\":\"output_text\","
      "\"text\":\"x\"},{\"logprobs\":[],\"annotations\":[1],"
      "\"type\":\"output_text\"},"
      "{\"type\":\"refusal\",\"refusal\":\"no\"},{},7]}" },

    { "{\"role\":\"user\",\"content\":[{\"type\":\"input_image\","
      "\"image_url\":\"u\"},{\"type\":\"input_image\",\"detail\":\"low\"}]}",
      "{\"type\":\"message\",\"id\":\"msg_ri0\",\"status\":\"completed\","
      "\"role\":\"user\",\"content\":[{\"detail\":\"auto\","
      "\"type\":\"input_image\",\"image_url\":\"u\"},"
      "{\"type\":\"input_image\",\"detail\":\"low\"}]}" },

    { "{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\","
      "\"arguments\":\"{}\"}",
      "{\"id\":\"fc_ri0\",\"status\":\"completed\","
      "\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\","
      "\"arguments\":\"{}\"}" },

    { "{\"id\":\"msg_1\"}",
      "{\"type\":\"item_reference\",\"id\":\"msg_1\"}" },

    { "{\"type\":\"item_reference\",\"id\":\"msg_1\"}",
      "{\"type\":\"item_reference\",\"id\":\"msg_1\"}" },

    { "{\"type\":\"tool_search_call\",\"arguments\":{}}",
      "{\"id\":\"tsc_ri0\",\"status\":\"completed\","
      "\"type\":\"tool_search_call\",\"arguments\":{}}" },

    { "{\"type\":\"tool_search_output\",\"tools\":[]}",
      "{\"id\":\"tso_ri0\",\"status\":\"completed\","
      "\"type\":\"tool_search_output\",\"tools\":[]}" },

    { "{\"type\":\"additional_tools\",\"tools\":[]}",
      "{\"id\":\"at_ri0\",\"type\":\"additional_tools\",\"tools\":[]}" },

    { "{\"type\":\"context_compaction\"}",
      "{\"id\":\"cmp_ri0\",\"type\":\"context_compaction\"}" },

    { "{\"type\":\"compaction\",\"encrypted_content\":\"x\"}",
      "{\"id\":\"cmp_ri0\",\"type\":\"compaction\","
      "\"encrypted_content\":\"x\"}" },

    { "{\"type\":\"acme:thing\",\"content\":\"as it is\"}",
      "{\"id\":\"item_ri0\",\"type\":\"acme:thing\","
      "\"content\":\"as it is\"}" },

    { NULL, NULL }
};


int
main(void)
{
    ngx_pool_t  *pool;

    pool = ngx_ors_test_pool();

    test_pages(pool);
    test_forms(pool);
    test_twice(pool);
    test_broken(pool);
    test_memory();

    ngx_destroy_pool(pool);

    return done_testing();
}


static void
test_pages(ngx_pool_t *pool)
{
    u_char             *p, *last;
    page_t             *page;
    ngx_int_t           rc;
    ngx_str_t           text, ids;
    ngx_ors_out_t       out;
    ngx_ors_error_t     err;
    ngx_ors_listing_t   list;

    static char  mark[] = "\"id\":\"";

    for (page = pages; page->args; page++) {
        ngx_memzero(&err, sizeof(ngx_ors_error_t));
        ngx_ors_out_init(&out, pool, 64);

        rc = list_turns(&list, page->args, pool, &err);

        if (rc == NGX_OK) {
            rc = ngx_ors_listing_render(&list, &out, &err);
        }

        if (page->ids == NULL) {
            is_int(rc, NGX_DECLINED, "\"%s\" is refused", page->args);
            is_int(err.status, 400, "with 400");
            is_str(&err.param, page->rest, "for its %s", page->rest);
            continue;
        }

        is_int(rc, NGX_OK, "\"%s\" gives a page", page->args);

        text_of(&out, pool, &text);
        last = text.data + text.len;

        ids.data = ngx_pnalloc(pool, text.len);
        ids.len = 0;

        for (p = text.data;
             (p = ngx_strnstr(p, mark, last - p)) != NULL;
             /* void */)
        {
            if (ids.len) {
                ids.data[ids.len++] = ' ';
            }

            for (p += sizeof(mark) - 1; *p != '"'; p++) {
                ids.data[ids.len++] = *p;
            }
        }

        is_str(&ids, page->ids, "with its items");

        p = ngx_strnstr(text.data, "\"has_more\":", text.len);
        ok(p && ngx_strncmp(p + 11, page->rest, ngx_strlen(page->rest)) == 0,
           "has_more is %s", page->rest);
    }

    ngx_ors_out_init(&out, pool, 64);
    (void) list_turns(&list, "limit=2&after=q-2", pool, &err);
    (void) ngx_ors_listing_render(&list, &out, &err);
    text_of(&out, pool, &text);

    is_str(&text, "{\"object\":\"list\",\"data\":[{\"type\":\"message\","
           "\"id\":\"msg_onei0\",\"status\":\"completed\",\"role\":\"user\","
           "\"content\":[{\"type\":\"input_text\",\"text\":\"1\"}]}],"
           "\"first_id\":\"msg_onei0\",\"last_id\":\"msg_onei0\","
           "\"has_more\":false}", "a page is a document");

    ngx_ors_out_init(&out, pool, 64);
    (void) list_turns(&list, "limit=2", pool, &err);
    (void) ngx_ors_listing_render(&list, &out, &err);
    text_of(&out, pool, &text);

    ok(ngx_strnstr(text.data, "\"first_id\":\"fco_twoi2\",\"last_id\":"
                   "\"rs_twoi1\"", text.len) != NULL,
       "it tells its first and its last item");

    ngx_ors_out_init(&out, pool, 64);
    (void) list_turns(&list, "after=msg_onei0", pool, &err);
    (void) ngx_ors_listing_render(&list, &out, &err);
    text_of(&out, pool, &text);

    is_str(&text, "{\"object\":\"list\",\"data\":[],\"first_id\":null,"
           "\"last_id\":null,\"has_more\":false}", "an empty one has none");
}


static void
test_forms(ngx_pool_t *pool)
{
    u_char                 *p;
    form_t                 *form;
    ngx_str_t               text, query;
    ngx_ors_out_t           out;
    ngx_ors_error_t         err;
    ngx_ors_listing_t       list;

    for (form = forms; form->item; form++) {
        ngx_str_null(&query);
        ngx_ors_out_init(&out, pool, 64);

        if (ngx_ors_listing_init(&list, &query, pool, &err) != NGX_OK
            || add(&list, form->item, "resp_r") != NGX_OK
            || ngx_ors_listing_render(&list, &out, &err) != NGX_OK)
        {
            fail("%s is listed", form->item);
            continue;
        }

        text_of(&out, pool, &text);

        p = ngx_strnstr(text.data, ",\"first_id\"", text.len);

        text.data += sizeof("{\"object\":\"list\",\"data\":[") - 1;
        text.len = p - 1 - text.data;

        is_str(&text, form->full, "%s in full", form->item);
    }

    /* an id that is not ours is long, or would end a string */

    ngx_str_null(&query);
    ngx_ors_out_init(&out, pool, 64);
    (void) ngx_ors_listing_init(&list, &query, pool, &err);
    (void) add(&list, "{\"role\":\"user\"}",
               "a\\\"\\u00e9Z-9aaaaaaaaaaaaaaaaaaa"
               "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
               "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
    (void) ngx_ors_listing_render(&list, &out, &err);
    text_of(&out, pool, &text);

    p = ngx_strnstr(text.data, "\"first_id\":\"msg_au00e9Z9aaaaaaaaaaaaaaaaaaa"
                    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaai0\"", text.len);
    ok(p != NULL, "letters and digits of another server's id are taken");
}


/* an item that was sent again is listed once, so that pages have an end */

static void
test_twice(ngx_pool_t *pool)
{
    char                    item[64], text[64];
    ngx_int_t               rc;
    ngx_str_t               query;
    ngx_uint_t              i, n, turn;
    ngx_ors_out_t           out;
    ngx_ors_error_t         err;
    ngx_ors_listing_t       list;

    ngx_str_set(&query, "order=asc&limit=7");
    n = 0;

    do {
        (void) ngx_ors_listing_init(&list, &query, pool, &err);
        ngx_ors_out_init(&out, pool, 64);
        rc = NGX_OK;

        for (turn = 0; turn < 2; turn++) {
            for (i = 0; i < 100 && rc == NGX_OK; i++) {
                (void) snprintf(item, sizeof(item), "{\"id\":\"%d\"},"
                                "{\"id\":\"%d\"}", (int) i, (int) (i / 2));
                rc = add(&list, item, "resp_r");
            }
        }

        rc = ngx_ors_listing_render(&list, &out, &err);

        query.data = (u_char *) text;
        query.len = snprintf(text, sizeof(text), "order=asc&limit=7&after=%d",
                             (int) list.n > 0 ? (int) (n + list.n - 1) : 0);
        n += list.n;

    } while (rc == NGX_OK && list.more && n < 1000);

    is_int(rc, NGX_OK, "items that come again and again are listed");
    is_int(n, 100, "each of them once");
}


static void
test_broken(ngx_pool_t *pool)
{
    ngx_str_t               query;
    ngx_uint_t              i;
    ngx_ors_out_t           out;
    ngx_ors_error_t         err;
    ngx_ors_index_t         index;
    ngx_ors_listing_t       list;

    static char  *broken[] = {
        "{", "1", "{},\"a\"", "{},", "],[", "null", NULL
    };

    ngx_str_null(&query);

    for (i = 0; broken[i]; i++) {
        (void) ngx_ors_listing_init(&list, &query, pool, &err);
        is_int(add(&list, broken[i], "resp_r"), NGX_DECLINED,
               "\"%s\" are no items", broken[i]);
    }

    (void) ngx_ors_listing_init(&list, &query, pool, &err);
    is_int(add(&list, "", "resp_r"), NGX_OK, "no items are none");
    is_int(add(&list, " ", "resp_r"), NGX_OK, "nor is an empty list");

    /* an item that has an id is read when the page is made, if it is on it */

    ngx_ors_index_init(&index, pool);
    ngx_str_set(&index.text, "[{\"id\":\"a\"},{\"id\":\"b\"]");

    ngx_ors_input_index_text(&index, 1, 10);
    ngx_ors_input_index_text(&index, 12, 9);

    for (i = 0; i < 2; i++) {
        index.items[i].id = 7;
        index.items[i].id_len = 1;
    }

    for (i = 0; i < 2; i++) {
        ngx_str_set(&query, "limit=1");
        query.len = i ? 0 : query.len;

        (void) ngx_ors_listing_init(&list, &query, pool, &err);
        list.ascending = 1;
        is_int(ngx_ors_listing_add(&list, &index, &query),
               i ? NGX_OK : NGX_DONE, "items, one of them broken");

        ngx_ors_out_init(&out, pool, 64);
        is_int(ngx_ors_listing_render(&list, &out, &err),
               i ? NGX_ABORT : NGX_OK, "a page %s it",
               i ? "with" : "without");
    }
}


static void
test_memory(void)
{
    ngx_int_t           rc;
    ngx_uint_t          n;
    ngx_pool_t         *pool;
    ngx_chain_t        *cl;
    ngx_ors_out_t       out;
    ngx_ors_error_t     err;
    ngx_ors_listing_t   list;

    for (n = 1; /* void */ ; n++) {
        pool = ngx_ors_test_pool();
        ngx_ors_out_init(&out, pool, 64);

        ngx_ors_test_fail_after(n);

        rc = list_turns(&list, "after=q-2&order=asc&before=fco_twoi2", pool,
                        &err);

        if (rc == NGX_OK) {
            rc = ngx_ors_listing_render(&list, &out, &err);
        }

        if (rc == NGX_OK) {
            rc = ngx_ors_out_take(&out, &cl);
        }

        if (!ngx_ors_test_failed()) {
            ngx_ors_test_fail_after(0);
            ngx_destroy_pool(pool);
            break;
        }

        if (rc != NGX_ERROR) {
            fail("allocation %d fails and is noticed", (int) n);
        }

        ngx_destroy_pool(pool);
    }

    is_int(rc, NGX_OK, "%d allocations were tried", (int) n);
}


static ngx_int_t
list_turns(ngx_ors_listing_t *list, char *args, ngx_pool_t *pool,
    ngx_ors_error_t *err)
{
    ngx_int_t               rc;
    ngx_str_t               str;
    ngx_uint_t              i, n;

    static char  *owners[] = { "resp_one", "resp_one", "resp_two" };

    str.data = (u_char *) args;
    str.len = ngx_strlen(args);


    rc = ngx_ors_listing_init(list, &str, pool, err);

    for (i = 0; i < 3 && rc == NGX_OK; i++) {
        n = list->ascending ? i : 2 - i;
        rc = add(list, turns[n], owners[n]);
    }

    return (rc == NGX_DONE) ? NGX_OK : rc;
}


/* members that are added are gone afterwards */

static ngx_int_t
add(ngx_ors_listing_t *list, char *items, char *owner)
{
    ngx_int_t        rc;
    ngx_str_t        text, id;
    ngx_ors_index_t  index;

    text.len = ngx_strlen(items);

    if (text.len) {
        text.len += 2;
    }

    text.data = ngx_pnalloc(list->pool, text.len + 3);

    if (text.data == NULL) {
        return NGX_ERROR;
    }

    (void) ngx_sprintf(text.data, "[%s]", items);

    ngx_ors_test_items(&index, &text, list->pool);

    if (ngx_ors_test_failed()) {
        return NGX_ERROR;
    }

    /* a table that says more than its list has */

    if (index.n == 0 && text.len > 2 && *items != ' ') {
        ngx_ors_input_index_text(&index, 1, text.len - 2);
    }

    id.len = ngx_strlen(owner);
    id.data = malloc(id.len);
    ngx_memcpy(id.data, owner, id.len);

    rc = ngx_ors_listing_add(list, &index, &id);

    free(id.data);

    return rc;
}


static void
text_of(ngx_ors_out_t *out, ngx_pool_t *pool, ngx_str_t *text)
{
    u_char       *p;
    ngx_chain_t  *cl;

    text->len = out->size;
    text->data = ngx_pnalloc(pool, text->len + 1);

    if (ngx_ors_out_take(out, &cl) != NGX_OK) {
        text->len = 0;
        return;
    }

    for (p = text->data; cl; cl = cl->next) {
        p = ngx_cpymem(p, cl->buf->pos, cl->buf->last - cl->buf->pos);
    }
}
