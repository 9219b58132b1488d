
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The end of an answer that is stored: it waits for the store, its response is
 * what the record has, and it goes to the client as stored, not stored or
 * failed.
 */


#include <ngx_ors_error.h>
#include <ngx_ors_verify_check.h>
#include <ngx_ors_verify.h>

#include "stream_check.h"
#include "stream_script.h"


#define REQUEST(more)  "{'model':'m','input':'x'" more "}"
#define STREAM         REQUEST(",'stream':true")
#define OUTPUT         "[{'type':'message','id':'m','status':'completed',"    \
                       "'role':'assistant','content':[]}]"
#define RESPONSE_OF(id, output)                                               \
    "{'id':'" id "','status':'completed','store':false,"                       \
    "'previous_response_id':'theirs','output':" output "}"
#define X32   "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X256  X32 X32 X32 X32 X32 X32 X32 X32


static void test_document(void);
static void test_stream(void);
static void test_chain(void);
static void test_ids(void);
static void test_not_held(void);
static void test_failed(void);
static void test_places(void);
static void test_memory(void);
static void held(answer_t *a, const char *request, const char *body);
static ngx_uint_t has(answer_t *a, const char *s);


int
main(void)
{
    test_document();
    test_stream();
    test_chain();
    test_ids();
    test_not_held();
    test_failed();
    test_places();
    test_memory();

    return done_testing();
}


static void
test_document(void)
{
    answer_t    a;
    ngx_str_t   response, id, items;
    ngx_uint_t  stored;

    for (stored = 0; stored < 2; stored++) {
        held(&a, REQUEST(), RESPONSE_OF("r", OUTPUT));

        is_int(a.rc, NGX_DONE, "a document has ended");
        is_int(a.size, 0, "a document waits");
        is_int(a.verify.status, 0, "its status waits, too");

        is_int(ngx_ors_verify_store_response(&a.verify, &response, &id,
                                             &items),
               NGX_OK, "a document has a response");
        is_str(&id, "r", "the id of a document");
        ok(response.data == a.verify.held.data
           && response.len == a.verify.held.len,
           "the response is the whole document");
        ok(items.data > response.data
           && items.data + items.len < response.data + response.len
           && items.data[0] == '[' && items.data[items.len - 1] == ']',
           "the output is a part of it");

        is_int(ngx_ors_verify_store_release(&a.verify, stored), NGX_OK,
               "a document is released");
        answer_take(&a);

        is_int(a.verify.status, 200, "the status of a document");
        is_str(&a.verify.type, "application/json", "the type of a document");
        ok(has(&a, stored ? "'store':true" : "'store':false"),
           "a document says that it is %s", stored ? "stored" : "not stored");

        answer_free(&a);
    }
}


static void
test_stream(void)
{
    char        *body;
    answer_t     a;
    ngx_str_t    response, id, items;
    ngx_uint_t   stored;

    for (stored = 0; stored < 2; stored++) {
        body = stream_text(START ADDED("0", MESSAGE("m", "in_progress", ""))
                           ENDED("0", MESSAGE("m", "completed", ""))
                           EVENT("response.completed", ",'response':"
                                 RESPONSE_OF("r", OUTPUT)) DONE);

        held(&a, STREAM, body);

        ok(has(&a, "response.output_item.done"), "events of items are sent");
        ok(!has(&a, "response.completed") && !has(&a, "[DONE]"),
           "the terminal event waits");
        is_str(&a.verify.held_type, "response.completed",
               "the type of the event");

        is_int(ngx_ors_verify_store_response(&a.verify, &response, &id,
                                             &items),
               NGX_OK, "an event has a response");
        is_str(&id, "r", "the id of a response in an event");
        ok(response.data > a.verify.held.data && response.data[0] == '{',
           "the response is a part of the event");
        is_mem(items.data, 8, "[{\"type\"", 8, "its output");

        is_int(ngx_ors_verify_store_release(&a.verify, stored), NGX_OK,
               "an event is released");
        answer_take(&a);

        ok(has(&a, "event: response.completed\ndata: {"),
           "the event is sent as an event");
        ok(has(&a, stored ? "'store':true" : "'store':false"),
           "the event says that it is %s", stored ? "stored" : "not stored");
        is_mem(a.text + a.size - 14, 14, "data: [DONE]\n\n", 14,
               "the stream has its end");

        answer_free(&a);
        free(body);
    }
}


/* a response follows the one that the client has named */

static void
test_chain(void)
{
    answer_t  a;

    held(&a, REQUEST(), RESPONSE_OF("r", "[]"));
    (void) ngx_ors_verify_store_release(&a.verify, 1);
    answer_take(&a);
    ok(has(&a, "'previous_response_id':null"), "the first response");
    answer_free(&a);

    held(&a, REQUEST(",'previous_response_id':'resp\\u005f1'"),
         RESPONSE_OF("r", "[]"));
    (void) ngx_ors_verify_store_release(&a.verify, 1);
    answer_take(&a);
    ok(has(&a, "'previous_response_id':'resp\\u005f1'"),
       "a follow-up, as the client has written the id");
    answer_free(&a);
}


/* an id has to be one that a client can ask for */

static void
test_ids(void)
{
    answer_t     a;
    ngx_str_t    response, id, items;
    ngx_uint_t   i;

    static struct {
        const char  *body;
        const char  *id;        /* NULL: refused */
        const char  *name;
    } ids[] = {
        { RESPONSE_OF("a\\u0062", "[]"), "ab", "an id with an escape" },
        { RESPONSE_OF(X256, "[]"), X256,
          "an id of the greatest length" },
        { RESPONSE_OF(X256 "x", "[]"), NULL, "a longer id" },
        { RESPONSE_OF("", "[]"), NULL, "an empty id" },
        { RESPONSE_OF("a\\n", "[]"), NULL, "an id with a line end" },
        { RESPONSE_OF("a\\u007f", "[]"), NULL, "an id with a DEL" }
    };

    for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        held(&a, REQUEST(), ids[i].body);

        if (ids[i].id == NULL) {
            is_int(a.verify.held.len, 0, "%s: not held", ids[i].name);
            is_str(&a.verify.error.code, "invalid_upstream_answer", "%s: error",
                   ids[i].name);
            is_int(a.verify.status, 502, "%s: status", ids[i].name);

        } else {
            is_int(ngx_ors_verify_store_response(&a.verify, &response, &id,
                                                 &items),
                   NGX_OK, "%s: held", ids[i].name);
            is_str(&id, ids[i].id, "%s: decoded", ids[i].name);
        }

        answer_free(&a);
    }
}


static void
test_not_held(void)
{
    answer_t  a;

    answer_init(&a, "{'id':'r','status':'completed','store':true,"
                "'output':[]}");
    a.policy.profile = NGX_ORS_TOLERANT_OPENAI;
    a.request = REQUEST();
    answer_begin(&a);
    a.verify.keep = 1;
    answer_run(&a);

    is_int(a.verify.held.len, 0, "a response that is not stored is not held");
    ok(has(&a, "'store':false"), "it says so");
    answer_free(&a);

    held(&a, REQUEST(), "{'id':'r','status':'failed','output':[],'error':"
         "{'code':'server_error','message':'it says'}}");
    is_int(a.verify.held.len, 0, "a failed response is not held");
    ok(a.size > 0, "a failed response is sent");
    answer_free(&a);
}


/* the store refuses the turn: the client sees a failure in place of the end */

static void
test_failed(void)
{
    char             *body;
    answer_t          a;
    ngx_ors_error_t   err;

    ngx_memzero(&err, sizeof(ngx_ors_error_t));

    body = stream_text(START COMPLETED("") DONE);
    held(&a, STREAM, body);

    (void) ngx_ors_error_set(&err, a.pool, ngx_ors_code_store_unavailable,
                             "full");
    (void) ngx_ors_verify_unhold(&a.verify, &err);
    answer_take(&a);

    ok(!has(&a, "response.completed"), "the end that was held is gone");
    ok(has(&a, "'type':'error','sequence_number':2,"),
       "numbers go on where the held end was not sent");
    ok(has(&a, "event: response.failed\n"), "the stream has failed");
    ok(has(&a, "store_unavailable"), "the reason is the store");
    is_mem(a.text + a.size - 14, 14, "data: [DONE]\n\n", 14,
           "the failed stream has its end");

    answer_free(&a);
    free(body);
}


/* the words of a log line about repairs */

static void
test_places(void)
{
    u_char             line[NGX_ORS_LINE_MAX];
    ngx_str_t          text;
    ngx_ors_verify_t   verify;

    static const ngx_str_t  names[] = {
        ngx_string("store"), ngx_string("usage")
    };

    ngx_memzero(&verify, sizeof(ngx_ors_verify_t));

    ngx_ors_verify_places(&verify, line, &text);
    is_str(&text, "order or end", "places: no member");
    is_int(verify.nplaces, 1, "places: it has a name");

    verify.nplaces = 0;

    verify.places[verify.nplaces++] = &names[0];
    ngx_ors_verify_places(&verify, line, &text);
    is_str(&text, "store", "places: one member");
    is_int(verify.nplaces, 1, "places: and nothing else");

    verify.places[verify.nplaces++] = &names[1];
    verify.stripped = 1;
    ngx_ors_verify_places(&verify, line, &text);
    is_str(&text, "store, usage, unknown members", "places: all of them");

    verify.nplaces = 0;
    ngx_ors_verify_places(&verify, line, &text);
    is_str(&text, "unknown members", "places: only what was stripped");
}


static void
test_memory(void)
{
    answer_t     a;
    ngx_int_t    rc;
    ngx_str_t    response, id, items;
    ngx_uint_t   n, failed;

    rc = NGX_ERROR;
    failed = 0;

    for (n = 1; n < 200; n++) {
        held(&a, REQUEST(), RESPONSE_OF("a\\u0062", OUTPUT));

        ngx_ors_test_fail_after(n);

        rc = ngx_ors_verify_store_response(&a.verify, &response, &id, &items);

        if (rc == NGX_OK) {
            rc = ngx_ors_verify_store_release(&a.verify, 0);
        }

        if (rc == NGX_OK && a.out.failed) {
            rc = NGX_ERROR;
        }

        if (!ngx_ors_test_failed()) {
            answer_free(&a);
            break;
        }

        failed += (rc == NGX_ERROR);
        answer_free(&a);
    }

    ngx_ors_test_fail_after(0);

    is_int(rc, NGX_OK, "with memory the answer is released");
    ok(n > 1 && failed == n - 1, "each missing allocation is an error");
}


/* the answer to a request of a conversation that is stored, up to its end */

static void
held(answer_t *a, const char *request, const char *body)
{
    answer_init(a, body);

    a->request = request;
    a->policy.profile = NGX_ORS_TOLERANT_OPENAI;

    if (body[0] != '{') {
        a->type = "text/event-stream";
    }

    answer_begin(a);

    a->verify.keep = 1;
    a->asked.stored = 1;

    answer_run(a);
}


/* ' stands for " in "s" */

static ngx_uint_t
has(answer_t *a, const char *s)
{
    u_char      *p;
    ngx_uint_t   found;

    p = answer_quotes(s, ngx_strlen(s));
    found = (strstr((char *) a->text, (char *) p) != NULL);
    free(p);

    return found;
}
