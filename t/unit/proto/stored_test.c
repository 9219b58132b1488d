
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The index of items that are stored: place, id and each flag of an item, as
 * the client sent it and where edits change its document.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_test_items.h>


/* ' stands for " in all texts */

typedef struct {
    const char  *item;
    ngx_uint_t   flags;
    const char  *id;            /* decoded, NULL: the item has none */
    const char  *name;
} item_t;


static void test_items(void);
static void test_list(void);
static void test_edits(void);
static void test_text(void);
static void test_corrupt(void);
static void test_memory(void);
static void is_id(ngx_ors_index_t *index, ngx_uint_t n, const char *id,
    const char *name);
static size_t document(ngx_ors_json_t *json, const char *s);


#define ANSWER   NGX_ORS_INDEX_ANSWER
#define ASK      NGX_ORS_INDEX_ASK
#define RULE     NGX_ORS_INDEX_RULE

#define OUTPUT   "'call_id':'c','output':''"


static ngx_pool_t  *pool;


static item_t  items[] = {

    { "{'role':'user','content':'x'}", 0, NULL, "a message of the user" },
    { "{'role':'assistant','content':'x'}", 0, NULL, "of the assistant" },
    { "{'role':'system','content':'x'}", RULE, NULL, "of the system" },
    { "{'role':'developer','content':'x'}", RULE, NULL, "of the developer" },
    { "{'role':'systems','content':'x'}", 0, NULL, "of an unknown role" },
    { "{'role':null,'content':'x'}", 0, NULL, "of no role" },

    { "{'type':'function_call','call_id':'c','name':'f','arguments':''}", 0,
      NULL, "a call of a function" },
    { "{'type':'function_call_output'," OUTPUT "}", ANSWER, NULL,
      "the output of a function" },
    { "{'type':'custom_tool_call_output'," OUTPUT "}", ANSWER, NULL,
      "the output of a custom tool" },
    { "{'type':'tool_search_output','tools':[]}", ANSWER, NULL,
      "the output of a search" },
    { "{'type':'acme:shell_output','id':'x'}", ANSWER, "x",
      "the output of an unknown tool" },
    { "{'type':'_output','id':'x'}", 0, "x",
      "nothing in front of \"_output\"" },
    { "{'type':'function_call_outputs','id':'x'}", 0, "x",
      "more after \"_output\"" },
    { "{'type':'mcp_approval_request','id':'m'}", ASK, "m",
      "a request for an approval" },
    { "{'type':'mcp_approval_response','approval_request_id':'m',"
      "'approve':true}", ANSWER, NULL, "an approval" },
    { "{'type':'nginx:mcp_approval_response','id':'r'}", ANSWER, "r",
      "an approval of flavor \"spec\"" },
    { "{'type':'acme_output','role':'system','id':'x'}", ANSWER|RULE, "x",
      "an output with a role" },

    { "{'type':'reasoning','id':'rs_1','summary':[]}", 0, "rs_1", "an id" },
    { "{'id':'x','type':'reasoning'}", 0, "x", "an id in the first place" },
    { "{ 'type' : 'reasoning' , 'id' : 'x' }", 0, "x", "spaces" },
    { "{'type':'reasoning','id':'a\\u0062'}", 0, "ab",
      "an id with an escape" },
    { "{'type':'acme_output','role':'system','id':'\\n'}",
      ANSWER|RULE, "\n", "all flags" },
    { "{'type':'reasoning','id':''}", 0, NULL, "an empty id counts as none" },
    { "{'type':'reasoning','id':null}", 0, NULL, "an id that is null" },
    { "{'type':'reasoning','id':17}", 0, NULL, "an id that is a number" },
    { "{'type':'reasoning','ID':'x'}", 0, NULL, "a name like that of an id" },

    { "'a text'", 0, NULL, "an item that is no object" }
};


int
main(void)
{
    pool = ngx_ors_test_pool();

    test_items();
    test_list();
    test_edits();
    test_text();
    test_corrupt();
    test_memory();

    ngx_destroy_pool(pool);

    return done_testing();
}


static void
test_items(void)
{
    char              text[256];
    size_t            len;
    ngx_str_t         list;
    ngx_uint_t        i;
    ngx_ors_index_t   index;

    for (i = 0; i < sizeof(items) / sizeof(items[0]); i++) {
        len = ngx_strlen(items[i].item);

        list.data = (u_char *) text;
        list.len = snprintf(text, sizeof(text), "[%s ]", items[i].item);
        (void) ngx_ors_test_quotes(text, text, list.len);

        ngx_ors_test_items(&index, &list, pool);

        is_int(index.n, 1, "%s: one item", items[i].name);
        is_int(index.items[0].pos, 1, "%s: its offset", items[i].name);
        is_int(index.items[0].len, len, "%s: its length", items[i].name);
        is_int(index.items[0].flags, items[i].flags, "%s: its flags",
               items[i].name);
        is_id(&index, 0, items[i].id, items[i].name);
    }
}


/* a list inside of a document: offsets count from its bracket */

static void
test_list(void)
{
    ngx_str_t             text;
    ngx_ors_json_t        json;
    ngx_ors_index_t       index;
    ngx_ors_edits_t       none;
    ngx_ors_json_node_t  *list;

    document(&json, "{'status':'completed','output':[{'id':'a'}, "
             "{'role':'system'} ,{'id':'b\\t'}],'none':[]}");

    list = ngx_ors_json_find(&json, json.nodes, "output");

    ngx_ors_edits_init(&none, pool);
    ngx_ors_index_init(&index, pool);
    ngx_ors_input_index_list(&index, &json, list, &none);

    index.text.data = json.text + list->pos;
    index.text.len = list->len;

    is_int(index.n, 3, "a list has three items");
    ngx_ors_index_text(&index, &index.items[1], &text);
    is_str(&text, "{\"role\":\"system\"}", "the second item without spaces");
    is_id(&index, 0, "a", "the first item");
    is_id(&index, 1, NULL, "the second item");
    is_id(&index, 2, "b\t", "the third item");

    ngx_ors_index_init(&index, pool);
    ngx_ors_input_index_list(&index, &json,
                            ngx_ors_json_find(&json, json.nodes, "none"),
                            &none);

    is_int(index.n, 0, "an empty list has no items");
}


/* places are those of the document as it is written with its edits */

static void
test_edits(void)
{
    size_t                 len;
    u_char                *comma;
    ngx_str_t              text;
    ngx_uint_t             i;
    ngx_chain_t           *cl;
    ngx_ors_out_t          out;
    ngx_ors_json_t         json;
    ngx_ors_edits_t        edits;
    ngx_ors_index_t        index;
    ngx_ors_json_node_t   *item, *id;
    ngx_ors_input_item_t   in;

    static ngx_str_t  more = ngx_string("\"status\":null,");
    static ngx_str_t  renamed = ngx_string("\"y\"");

    static struct {
        const char  *item;
        ngx_uint_t   change;    /* 1: a key is added, 2: the id is renamed, */
                                /* 3: the first member is cut, comma too */
        const char  *written;
        const char  *id;
        const char  *name;
    } cases[] = {
        { "{'id':'x','a':1}", 0, "{\"id\":\"x\",\"a\":1}", "x", "no edit" },
        { "{'id':'x','a':1}", 1, "{\"status\":null,\"id\":\"x\",\"a\":1}", "x",
          "a member in front of the id" },
        { "{'a':1,'id':'x'}", 3, "{\"id\":\"x\"}", "x",
          "no member in front of the id" },
        { "{'id':'x','a':1}", 2, "{\"id\":\"y\",\"a\":1}", NULL,
          "an id that is renamed" },
        { "{'id':'x','a':1}", 3, "{\"a\":1}", NULL, "an id that is cut" }
    };

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        len = document(&json, cases[i].item);

        item = json.nodes;
        id = ngx_ors_json_find(&json, item, "id");

        ngx_ors_edits_init(&edits, pool);

        switch (cases[i].change) {

        case 1:
            ngx_ors_edits_add(&edits, 1, 0, &more);
            break;

        case 2:
            ngx_ors_edits_value(&edits, id, &renamed);
            break;

        case 3:
            comma = ngx_strlchr(json.text, json.text + len, ',');
            ngx_ors_edits_add(&edits, 1, comma - json.text, NULL);
            break;
        }

        ngx_ors_out_init(&out, pool, 256);
        ngx_ors_out_lit(&out, "[");
        ngx_ors_edits_write(&edits, &json, 0, len, 0, &out);

        ngx_ors_index_init(&index, pool);
        ngx_ors_input_item(&in, &json, item);
        ngx_ors_input_index(&index, &in, &edits, 1);

        (void) ngx_ors_out_take(&out, &cl);

        index.text.data = cl->buf->pos;
        index.text.len = cl->buf->last - cl->buf->pos;

        ngx_ors_index_text(&index, &index.items[0], &text);
        is_str(&text, cases[i].written, "%s: the item", cases[i].name);
        is_id(&index, 0, cases[i].id, cases[i].name);
    }
}


static void
test_text(void)
{
    ngx_ors_index_t  index;

    ngx_ors_index_init(&index, pool);

    ngx_ors_input_index_text(&index, 5, 17);
    ngx_ors_input_index_text(NULL, 5, 17);

    is_int(index.n, 1, "a text is an item");
    is_int(index.items[0].pos, 5, "the offset of a text");
    is_int(index.items[0].len, 17, "the length of a text");
    is_int(index.items[0].id_len, 0, "a text has no id");
    is_int(index.items[0].flags, 0, "a text has no flags");
}


/* whatever a table says, an id is the inside of a string */

static void
test_corrupt(void)
{
    size_t                len;
    ngx_str_t             id, list;
    ngx_int_t             rc;
    ngx_uint_t            i, first, last, legal;
    ngx_ors_json_t        json;
    ngx_ors_index_t       index;
    ngx_ors_index_item_t  item;

    /* the strings: id, a\"b and x with a byte that is no UTF-8 beside them */

    ngx_str_set(&list, "[{\"id\":\"a\\\"b\\\\\",\"x\":\"\\u00\",\"\xc3\"}]");

    ngx_ors_index_init(&index, pool);
    ngx_ors_json_init(&json, pool, 1, 1);

    index.text = list;
    len = list.len - 2;

    ngx_memzero(&item, sizeof(ngx_ors_index_item_t));
    item.pos = 1;
    item.len = (uint32_t) len;

    for (first = 1, legal = 0; first < len; first++) {
        for (last = first + 1; last < len; last++) {
            item.id = (uint32_t) first;
            item.id_len = (uint32_t) (last - first);

            rc = ngx_ors_stored_id(&index, &item, &json, &id);

            if (rc == NGX_DECLINED) {
                continue;
            }

            legal++;

            if (rc != NGX_OK || list.data[first] != '"'
                || list.data[last + 1] != '"')
            {
                fail("an id from %d to %d", (int) first, (int) last);
            }

            for (i = 0; i < id.len; i++) {
                if (id.data[i] == 0xc3) {
                    fail("an id that is no UTF-8");
                }
            }
        }
    }

    ok(legal > 2, "%d ids are between quotes", (int) legal);
}


static void
test_memory(void)
{
    ngx_str_t        id, list;
    ngx_ors_json_t   json;
    ngx_ors_index_t  index;

    ngx_str_set(&list, "[{\"id\":\"\\t\"}]");
    ngx_ors_test_items(&index, &list, pool);
    ngx_ors_json_init(&json, pool, 1, 1);

    ngx_ors_test_fail_after(1);
    is_int(ngx_ors_stored_id(&index, &index.items[0], &json, &id), NGX_ERROR,
           "no memory for an id that is read");

    is_int(ngx_ors_stored_id(&index, &index.items[0], &json, &id), NGX_OK,
           "memory for an id");
    ngx_ors_test_fail_after(1);
    is_int(ngx_ors_stored_id(&index, &index.items[0], &json, &id), NGX_ERROR,
           "no memory for an id that is decoded");

    ngx_ors_index_init(&index, pool);
    ngx_ors_test_fail_after(1);
    ngx_ors_input_index_text(&index, 0, 1);
    ok(index.failed, "no memory for an item fails the index");
}


static void
is_id(ngx_ors_index_t *index, ngx_uint_t n, const char *id, const char *name)
{
    ngx_str_t              text;
    ngx_ors_json_t         json;
    ngx_ors_index_item_t  *item;

    item = &index->items[n];
    ngx_ors_json_init(&json, pool, 1, 1);

    if (id == NULL) {
        is_int(item->id_len, 0, "%s: no id", name);
        is_int(item->id, 0, "%s: no offset of an id", name);
        return;
    }

    is_int(ngx_ors_stored_id(index, item, &json, &text), NGX_OK,
           "%s: has an id", name);
    is_str(&text, id, "%s: its id", name);
}


static size_t
document(ngx_ors_json_t *json, const char *s)
{
    size_t   len;
    u_char  *text;

    len = ngx_strlen(s);
    text = ngx_pnalloc(pool, len);
    (void) ngx_ors_test_quotes(text, s, len);

    ngx_ors_json_init(json, pool, NGX_ORS_JSON_MAX_DEPTH, 100);

    is_int(ngx_ors_json_read(json, text, len), NGX_OK, "a document");

    return len;
}
