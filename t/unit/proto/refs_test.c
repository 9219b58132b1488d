
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * References: which items they name, that each of them is one item, and that
 * a turn is read once for all of them.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_test_items.h>
#include <ngx_ors_test_request.h>
#include <ngx_ors_context.h>


#define U(n)    "{'role':'user','content':'" n "'}"
#define A(n)    "{'type':'message','role':'assistant','id':'" n "',"          \
                "'content':''}"
#define REF(n)  "{'type':'item_reference','id':'" n "'}"
#define TURN    "abcdefghijklmnopqrstuvwx"
#define MANY    3000


static void test_read(void);
static void test_ids(void);
static void test_group(void);
static void test_find(void);
static void test_broken(void);
static void test_once(void);
static void test_many(void);
static void test_memory(void);
static void read_refs(const char *input);
static ngx_int_t find(const char *input, const char *output);
static void is_item(ngx_uint_t n, const char *expected, const char *name);
static void list(const char *s, ngx_str_t *str);
static void text(const char *s, ngx_str_t *str);


static ngx_ors_limits_t   limits = limits_default();

static ngx_pool_t        *pool;
static ngx_ors_refs_t     refs;
static ngx_ors_request_t  req;
static ngx_ors_error_t    err;


int
main(void)
{
    ngx_ors_test_policy.unknown = ngx_ors_unknown_strip;

    test_read();
    test_ids();
    test_group();
    test_find();
    test_broken();
    test_once();
    test_many();
    test_memory();

    return done_testing();
}


static void
test_read(void)
{
    pool = ngx_ors_test_pool();

    read_refs("[" REF("a\\u0062") "," U("1") ",{'id':'c','type':null},"
              U("4") "]");

    is_int(refs.n, 2, "references, and nothing else");
    is_str(&refs.elts[0].id, "ab", "an id is decoded");
    is_str(&refs.elts[1].id, "c", "an id alone is a reference");

    read_refs("'x'");
    is_int(refs.n, 0, "a text has none");

    read_refs("[" REF("b") "," REF("a") "," REF("b") "," REF("\\u0061") ","
              REF("b") "]");

    is_int(refs.n, 5, "ids that are named again");
    is_int(refs.nsorted, 2, "are looked for once");
    ok(refs.sorted[0] == &refs.elts[1] && refs.sorted[1] == &refs.elts[0],
       "the first of each, by id");
    ok(refs.elts[2].found && refs.elts[3].found && refs.elts[4].found
       && refs.elts[2].item.len == 0,
       "the others are left out");

    ngx_destroy_pool(pool);
}


/* an id of ours says what it is of, one of another server does not */

static void
test_ids(void)
{
    ngx_uint_t  i;

    static struct {
        const char  *id;
        ngx_uint_t   ours;
        ngx_int_t    number;
    } ids[] = {
        { "msg_" TURN, 1, -1 },
        { "msg_" TURN "1", 1, -1 },
        { "rs_" TURN "1234567", 1, -1 },
        { "msg_" TURN "i0", 1, 0 },
        { "msg_" TURN "i17", 1, 17 },
        { "msg_" TURN "i", 0, -1 },
        { "msg_" TURN "i07", 0, -1 },
        { "msg_" TURN "07", 0, -1 },
        { "msg_" TURN "12345678", 0, -1 },
        { "msg_" TURN "i-1", 0, -1 },
        { "msg_" TURN "abcdef", 0, -1 },
        { "msg_68", 0, -1 },
        { "", 0, -1 }
    };

    pool = ngx_ors_test_pool();

    for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        char  input[200];

        snprintf(input, sizeof(input), "[" REF("%s") "]", ids[i].id);
        read_refs(input);

        is_int(refs.elts[0].turn.len, ids[i].ours ? 24 : 0, "\"%s\": %s",
               ids[i].id, ids[i].ours ? "one of ours" : "none of ours");

        if (ids[i].ours) {
            is_int(refs.elts[0].number, ids[i].number, "\"%s\": its number",
                   ids[i].id);
        }
    }

    ngx_destroy_pool(pool);
}


static void
test_group(void)
{
    ngx_uint_t  i;

    pool = ngx_ors_test_pool();

    read_refs("[" REF("a") "," REF("b") "," REF("c") "," REF("d") "]");

    for (i = 0; i < 4; i++) {
        refs.sorted[i]->owner[0] = (u_char) (i % 2 ? 1 : 2);
    }

    ngx_ors_refs_group(&refs);

    is_str(&refs.sorted[0]->id, "b", "by owner first");
    is_str(&refs.sorted[1]->id, "d", "then by id");
    is_str(&refs.sorted[2]->id, "a", "the next owner");
    is_str(&refs.sorted[3]->id, "c", "and its last");

    ngx_destroy_pool(pool);
}


static void
test_find(void)
{
    pool = ngx_ors_test_pool();

    read_refs("[" REF("b") "," REF("msg_" TURN "i1") "," REF("a") "]");

    is_int(find(U("1") ", " U("2"), A("a") " , " A("\\u0062")), NGX_OK,
           "items of both sides of a turn");
    is_item(0, A("\\u0062"), "by an id that is escaped");
    is_item(1, U("2"), "by a number");
    is_item(2, A("a"), "by an id");

    read_refs("[" REF("a") "]");
    is_int(find(A("a"), ""), NGX_DECLINED, "an input item has no id of ours");
    is_int(err.status, 400, "the client is told");
    is_str(&err.code, "item_not_found", "by its name");

    read_refs("[" REF("msg_" TURN "i2") "]");
    is_int(find(U("1") "," U("2"), A("a")), NGX_DECLINED, "there is no third");

    read_refs("[" REF("a") "]");
    is_int(find("", "{'id':'a'"), NGX_DECLINED, "nothing in what is no JSON");
    is_int(find("", "7,{'id':7},'a',{}"), NGX_DECLINED,
           "nothing in what is no item");

    read_refs("[{'id':''}]");
    is_int(refs.n, 1, "an empty id is a reference, too");
    is_int(find("", A("")), NGX_DECLINED, "an item with an empty id has none");

    read_refs("[" REF("a") "]");
    is_int(find("", A("a") "," "{'id':'a','x':1}"), NGX_OK,
           "of two with one id");
    is_item(0, A("a"), "the first one");

    ngx_destroy_pool(pool);
}


/* a stored text that is no item is not used, and the log knows */

static void
test_broken(void)
{
    ngx_uint_t  logged;

    pool = ngx_ors_test_pool();
    logged = ngx_ors_test_logged(NGX_LOG_ERR);

    read_refs("[" REF("a") "]");
    is_int(find("", "{'id':'a','type':'tool_search_output','tools':[{}]}"),
           NGX_DECLINED, "an item that is none");
    is_int(err.status, 400, "the client is told");
    is_str(&err.code, "unsupported_item", "by its name");
    is_str(&err.param, "input", "and where");
    is_int(ngx_ors_test_logged(NGX_LOG_ERR), logged + 1, "so is the log");

    read_refs("[" REF("b") "]");
    is_int(find("", "{'id':'a','tools':[{}]}," A("b")), NGX_OK,
           "another one beside it");

    ngx_destroy_pool(pool);
}


/* whatever it is called, an item comes once */

static void
test_once(void)
{
    pool = ngx_ors_test_pool();

    read_refs("[" REF("msg_" TURN "i0") "," REF("x_" TURN "i0") ","
              REF("_" TURN "i0") "]");

    is_int(refs.nsorted, 3, "three names");
    is_int(find(U("1"), ""), NGX_OK, "of one item");
    is_int(refs.elts[0].item.len + refs.elts[1].item.len
           + refs.elts[2].item.len, sizeof(U("1")) - 1, "it comes once");

    ngx_destroy_pool(pool);
}


/* as many references as items: the turn is read once, and not for each */

static void
test_many(void)
{
    u_char           *p;
    size_t            size;
    ngx_str_t         input, output;
    ngx_uint_t        i, n, allocs;
    ngx_ors_index_t   in, out;

    pool = ngx_ors_test_pool();

    size = MANY * sizeof(REF("msg_" TURN "i0000") ",") + 64;
    input.data = ngx_pnalloc(pool, size);
    p = ngx_sprintf(input.data, "[");

    for (i = 0; i < MANY; i++) {
        p = ngx_sprintf(p, "%s{'type':'item_reference','id':'msg_" TURN
                        "i%ui'}", i ? "," : "", i);
    }

    *ngx_sprintf(p, "]") = '\0';
    read_refs((char *) input.data);

    is_int(refs.nsorted, MANY, "%d references", MANY);

    p = ngx_sprintf(input.data, "[");

    for (i = 0; i < MANY; i++) {
        p = ngx_sprintf(p, "%s{\"content\":\"%ui\",\"role\":\"user\"}",
                        i ? "," : "", i);
    }

    *p++ = ']';

    input.len = p - input.data;
    ngx_str_null(&output);

    ngx_ors_test_items(&in, &input, pool);
    ngx_ors_test_items(&out, &output, pool);

    allocs = ngx_ors_test_allocs();

    is_int(ngx_ors_refs_find(refs.sorted, refs.nsorted, &in, &out, &req, &err),
           NGX_OK, "all of them are found");

    ok(ngx_ors_test_allocs() - allocs < 30, "the turn is read once: %d",
       (int) (ngx_ors_test_allocs() - allocs));

    for (i = 0, n = 0; i < MANY; i++) {
        n += ngx_atoi(refs.elts[i].item.data + sizeof("{'content':'") - 1,
                      refs.elts[i].item.len
                      - (sizeof("{'content':'','role':'user'}") - 1))
             == (ngx_int_t) i;
    }

    is_int(n, MANY, "each is the one that was named");

    ngx_destroy_pool(pool);
}


static void
test_memory(void)
{
    ngx_int_t        rc;
    ngx_str_t        input, output;
    ngx_uint_t       n, failed;
    ngx_ors_index_t  in, out;

    rc = NGX_ERROR;

    for (n = 1; n < 1000; n++) {
        pool = ngx_ors_test_pool();
        list(U("1") "," U("2"), &input);
        list(A("\\u0062"), &output);
        ngx_ors_test_items(&in, &input, pool);
        ngx_ors_test_items(&out, &output, pool);
        read_refs("[" REF("b") "," REF("msg_" TURN "i1") "," REF("b") "]");

        ngx_ors_test_fail_after(n);
        rc = ngx_ors_refs_read(&refs, &req);

        if (rc == NGX_OK) {
            rc = ngx_ors_refs_find(refs.sorted, refs.nsorted, &in, &out, &req,
                                   &err);
        }

        failed = ngx_ors_test_failed();
        ngx_ors_test_fail_after(0);

        ngx_destroy_pool(pool);

        if (!failed) {
            break;
        }

        if (rc != NGX_ERROR) {
            fail("allocation %d fails", (int) n);
        }
    }

    is_int(rc, NGX_OK, "without memory: an error, %d times", (int) n - 1);
}


static void
read_refs(const char *input)
{
    size_t     len;
    ngx_str_t  body, part;

    text(input, &part);

    len = part.len + sizeof("{\"model\":\"m\",\"input\":}");
    body.data = ngx_pnalloc(pool, len);
    body.len = ngx_sprintf(body.data, "{\"model\":\"m\",\"input\":%V}", &part)
               - body.data;

    is_int(ngx_ors_test_request(&req, &body, &limits, pool, &err), NGX_OK,
           "a request");
    is_int(ngx_ors_refs_read(&refs, &req), NGX_OK, "its references");
}


static ngx_int_t
find(const char *input, const char *output)
{
    ngx_str_t        text;
    ngx_ors_index_t  in, out;

    list(input, &text);
    ngx_ors_test_items(&in, &text, pool);

    list(output, &text);
    ngx_ors_test_items(&out, &text, pool);

    ngx_memzero(&err, sizeof(ngx_ors_error_t));

    return ngx_ors_refs_find(refs.sorted, refs.nsorted, &in, &out, &req,
                             &err);
}


static void
is_item(ngx_uint_t n, const char *expected, const char *name)
{
    ngx_str_t  str;

    text(expected, &str);
    is_mem(refs.elts[n].item.data, refs.elts[n].item.len, str.data, str.len,
           "%s", name);
}


/* ' stands for ", a few at once */

/* a list as it is stored, or nothing */

static void
list(const char *s, ngx_str_t *str)
{
    char  room[1024];

    snprintf(room, sizeof(room), *s ? "[%s]" : "%s", s);

    text(room, str);
}


static void
text(const char *s, ngx_str_t *str)
{
    static u_char  *room;

    str->len = ngx_strlen(s);

    room = ngx_pnalloc(pool, str->len + 1);
    str->data = room;

    if (room) {
        ngx_ors_test_quotes(room, s, str->len);
    }
}
