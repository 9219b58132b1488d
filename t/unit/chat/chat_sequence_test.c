
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Random sequences of input items.  Item i has the mark "i" in its text, id
 * or image, so that it is found again in the messages.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_test_chat.h>
#include <ngx_ors_test_request.h>


#define TEST_SEQUENCES  2000
#define TEST_ITEMS      24
#define TEST_BODY       8192


typedef enum {
    test_user = 0,
    test_system,
    test_assistant,
    test_reasoning,
    test_call,
    test_output,
    test_last
} test_kind_e;


typedef struct {
    test_kind_e       kind;
    ngx_uint_t        image;      /* of an output */
    ngx_int_t         pair;       /* the other one of a call and its output */
    ngx_uint_t        seen;
} test_item_t;


static ngx_uint_t test_make(u_char **pos);
static u_char *test_item(u_char *p, ngx_uint_t i);
static char *test_check(ngx_ors_json_t *json);
static char *test_assistant_check(ngx_ors_json_t *json,
    ngx_ors_json_node_t *msg, ngx_ors_json_node_t **next);
static char *test_tools_check(ngx_ors_json_t *json, ngx_uint_t *calls,
    ngx_uint_t n, ngx_ors_json_node_t **next);
static char *test_images_check(ngx_ors_json_t *json,
    ngx_ors_json_node_t *msg, ngx_uint_t *calls, ngx_uint_t n);
static char *test_mark(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    test_kind_e kind, ngx_uint_t *mark);
static ngx_uint_t test_role(ngx_ors_json_t *json, ngx_ors_json_node_t *msg,
    char *role);


static test_item_t  items[TEST_ITEMS];
static ngx_uint_t   nitems;
static ngx_int_t    order;        /* the greatest mark so far */


int
main(void)
{
    char                 *why;
    u_char               *body, *p;
    ngx_str_t             text, model = ngx_string("m");
    ngx_int_t             rc;
    ngx_uint_t            n, failed;
    ngx_pool_t           *pool;
    ngx_chain_t          *chain, *cl;
    ngx_ors_out_t         out;
    ngx_ors_json_t        json;
    ngx_ors_error_t       err;
    ngx_ors_limits_t      limits = limits_default();
    ngx_ors_request_t     req;
    ngx_ors_chat_tools_t  tools;

    failed = 0;

    for (n = 0; n < TEST_SEQUENCES; n++) {
        pool = ngx_ors_test_pool();

        body = ngx_palloc(pool, TEST_BODY);
        p = body;

        test_make(&p);

        text.data = body;
        text.len = p - body;

        chain = NULL;
        why = NULL;

        rc = ngx_ors_test_request(&req, &text, &limits, pool, &err);

        if (rc == NGX_OK) {
            ngx_ors_out_init(&out, pool, 1024);
            rc = ngx_ors_chat_request(&req, ngx_ors_test_target(&model),
                                      &tools, &out, &err);
        }

        if (rc != NGX_OK || ngx_ors_out_take(&out, &chain) != NGX_OK) {
            why = "is refused";
        }

        p = ngx_palloc(pool, 4 * TEST_BODY);
        text.data = p;

        for (cl = chain; cl; cl = cl->next) {
            p = ngx_cpymem(p, cl->buf->pos, cl->buf->last - cl->buf->pos);
        }

        text.len = p - text.data;

        ngx_ors_json_init(&json, pool, 64, 100000);

        if (why == NULL) {
            why = ngx_ors_json_read(&json, text.data, text.len) == NGX_OK
                  ? test_check(&json) : "makes bad JSON";
        }

        if (why) {
            failed++;
            diag("sequence %d %s", (int) n, why);
            diag("%.*s", (int) ngx_min(text.len, 2000), text.data);
        }

        ngx_destroy_pool(pool);

        if (failed == 3) {
            break;
        }
    }

    is_int(n, TEST_SEQUENCES, "all sequences were tried");
    is_int(failed, 0, "all of them keep the rules");

    return done_testing();
}


/* an item that gives a message, and others at random */

static ngx_uint_t
test_make(u_char **pos)
{
    u_char      *p;
    ngx_int_t    k;
    ngx_uint_t   i;

    nitems = 1 + ngx_ors_test_random(TEST_ITEMS);

    p = ngx_sprintf(*pos, "{\"model\":\"m\",\"input\":[");

    for (i = 0; i < nitems; i++) {
        items[i].kind = ngx_ors_test_random(test_last);
        items[i].pair = -1;
        items[i].seen = 0;
        items[i].image = 0;

        if (items[i].kind == test_output) {

            /* any call before it that has no output */

            k = ngx_ors_test_random(i + 1);

            while (k-- > 0 && (items[k].kind != test_call
                               || items[k].pair != -1))
            {
                /* void */
            }

            if (k >= 0) {
                items[i].pair = k;
                items[k].pair = i;

            } else {
                items[i].kind = test_user;
            }
        }

        if (i == 0 && items[i].kind == test_reasoning) {
            items[i].kind = test_user;
        }

        p = test_item(p, i);
    }

    *pos = ngx_sprintf(p, "]}");

    return nitems;
}


static u_char *
test_item(u_char *p, ngx_uint_t i)
{
    static char  *roles[] = { "user", "developer", "assistant" };

    if (i) {
        *p++ = ',';
    }

    switch (items[i].kind) {

    case test_user:
    case test_system:
    case test_assistant:

        if (ngx_ors_test_random(2)) {
            return ngx_sprintf(p, "{\"role\":\"%s\",\"content\":\"%ui\"}",
                               roles[items[i].kind], i);
        }

        return ngx_sprintf(p, "{\"type\":\"message\",\"role\":\"%s\","
                              "\"content\":[{\"type\":\"%s\","
                              "\"text\":\"%ui\"}]}",
                           roles[items[i].kind],
                           items[i].kind == test_assistant ? "output_text"
                                                           : "input_text",
                           i);

    case test_reasoning:
        return ngx_sprintf(p, "{\"type\":\"reasoning\",\"summary\":[]}");

    case test_call:
        return ngx_sprintf(p, "{\"type\":\"function_call\",\"call_id\":"
                              "\"c%ui\",\"name\":\"f\",\"arguments\":\"\"}",
                           i);

    case test_output:
        p = ngx_sprintf(p, "{\"type\":\"function_call_output\","
                           "\"call_id\":\"%s%i\",\"output\":",
                        ngx_ors_test_random(4) ? "c" : "\\u0063",
                        items[i].pair);

        if (ngx_ors_test_random(2)) {
            return ngx_sprintf(p, "\"%ui\"}", i);
        }

        p = ngx_sprintf(p, "[{\"type\":\"input_text\",\"text\":\"%ui\"}", i);

        if (ngx_ors_test_random(2)) {
            items[i].image = 1;
            p = ngx_sprintf(p, ",{\"type\":\"input_image\","
                               "\"image_url\":\"%ui\"}", i);
        }

        return ngx_sprintf(p, "]}");

    case test_last:
        break;
    }

    return p;
}


/* NULL, or what is wrong */

static char *
test_check(ngx_ors_json_t *json)
{
    char                 *why;
    ngx_uint_t            i, mark;
    ngx_ors_json_node_t  *msg;

    order = -1;

    msg = ngx_ors_json_find(json, json->nodes, "messages");
    msg = ngx_ors_json_first(json, msg);

    while (msg) {

        if (test_role(json, msg, "assistant")) {
            why = test_assistant_check(json, msg, &msg);

        } else if (test_role(json, msg, "tool")) {
            why = "has a tool message without calls before it";

        } else {
            why = test_mark(json, ngx_ors_json_find(json, msg, "content"),
                            test_role(json, msg, "user") ? test_user
                                                         : test_system,
                            &mark);

            msg = ngx_ors_json_next(json, msg);
        }

        if (why) {
            return why;
        }
    }

    for (i = 0; i < nitems; i++) {

        if (items[i].seen != (items[i].kind == test_reasoning ? 0 : 1)) {
            return "has lost or doubled an item";
        }
    }

    return NULL;
}


static char *
test_assistant_check(ngx_ors_json_t *json, ngx_ors_json_node_t *msg,
    ngx_ors_json_node_t **next)
{
    char                 *why;
    ngx_uint_t            n, mark, calls[TEST_ITEMS];
    ngx_ors_json_node_t  *content, *list, *call;

    n = 0;

    content = ngx_ors_json_find(json, msg, "content");
    list = ngx_ors_json_find(json, msg, "tool_calls");

    if (content->type != ngx_ors_json_null) {
        why = test_mark(json, content, test_assistant, &mark);

        if (why) {
            return why;
        }

    } else if (list == NULL) {
        return "has an empty assistant message";
    }

    for (call = list ? ngx_ors_json_first(json, list) : NULL;
         call;
         call = ngx_ors_json_next(json, call))
    {
        why = test_mark(json, ngx_ors_json_find(json, call, "id"), test_call,
                        &mark);
        if (why) {
            return why;
        }

        calls[n++] = mark;
    }

    *next = ngx_ors_json_next(json, msg);

    why = test_tools_check(json, calls, n, next);

    if (why) {
        return why;
    }

    /* calls alone right after a message without calls or tools */

    msg = *next;

    if (n == 0 && msg && test_role(json, msg, "assistant")
        && ngx_ors_json_find(json, msg, "content")->type
           == ngx_ors_json_null)
    {
        return "has calls apart from their message";
    }

    return NULL;
}


/* each call that has an output has it here, then come their images */

static char *
test_tools_check(ngx_ors_json_t *json, ngx_uint_t *calls, ngx_uint_t n,
    ngx_ors_json_node_t **next)
{
    char                 *why;
    ngx_int_t             saved;
    ngx_uint_t            i, mark, answer, images;
    ngx_ors_json_node_t  *msg;

    msg = *next;
    images = 0;

    for (i = 0; i < n; i++) {

        if (items[calls[i]].pair == -1) {
            continue;
        }

        if (msg == NULL || !test_role(json, msg, "tool")) {
            return "lacks a tool message";
        }

        /* marks of outputs may come in any order */

        saved = order;
        order = -1;
        items[calls[i]].seen = 0;

        why = test_mark(json, ngx_ors_json_find(json, msg, "tool_call_id"),
                        test_call, &mark);

        if (why || mark != calls[i]) {
            return "has an output with another call's id";
        }

        order = -1;

        why = test_mark(json, ngx_ors_json_find(json, msg, "content"),
                        test_output, &answer);

        if (why || items[answer].pair != (ngx_int_t) mark) {
            return "has another call's output";
        }

        order = saved;
        images += items[answer].image;
        msg = ngx_ors_json_next(json, msg);
    }

    if (images) {

        if (msg == NULL || !test_role(json, msg, "user")
            || (why = test_images_check(json, msg, calls, n)) != NULL)
        {
            return "lacks the images of its outputs";
        }

        msg = ngx_ors_json_next(json, msg);
    }

    *next = msg;

    return NULL;
}


static char *
test_images_check(ngx_ors_json_t *json, ngx_ors_json_node_t *msg,
    ngx_uint_t *calls, ngx_uint_t n)
{
    ngx_int_t             output;
    ngx_str_t             url;
    ngx_uint_t            i;
    ngx_ors_json_node_t  *part;

    part = ngx_ors_json_first(json, ngx_ors_json_find(json, msg, "content"));

    for (i = 0; i < n; i++) {
        output = items[calls[i]].pair;

        if (output == -1 || !items[output].image) {
            continue;
        }

        if (part == NULL) {
            return "too few images";
        }

        ngx_ors_json_raw(json,
                         ngx_ors_json_find(json,
                             ngx_ors_json_find(json, part, "image_url"),
                             "url"),
                         &url);

        if (ngx_atoi(url.data, url.len) != output) {
            return "another image";
        }

        part = ngx_ors_json_next(json, part);
    }

    return part ? "too many images" : NULL;
}


/* the item of a text or an id, which must come after the one before it */

static char *
test_mark(ngx_ors_json_t *json, ngx_ors_json_node_t *node,
    test_kind_e kind, ngx_uint_t *mark)
{
    ngx_int_t  n;
    ngx_str_t  text;

    if (node == NULL || node->type != ngx_ors_json_string) {
        return "has no mark";
    }

    ngx_ors_json_raw(json, node, &text);

    if (kind == test_call) {
        text.data++;
        text.len--;
    }

    n = ngx_atoi(text.data, text.len);

    if (n < 0 || n >= (ngx_int_t) nitems || items[n].kind != kind) {
        return "has a strange mark";
    }

    if (n <= order) {
        return "has changed the order";
    }

    order = n;
    items[n].seen++;
    *mark = n;

    return NULL;
}


static ngx_uint_t
test_role(ngx_ors_json_t *json, ngx_ors_json_node_t *msg, char *role)
{
    return ngx_ors_json_equal(json, ngx_ors_json_find(json, msg, "role"),
                              (u_char *) role, ngx_strlen(role));
}
