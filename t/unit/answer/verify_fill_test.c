
/*
 * Copyright (C) Open Responses contributors
 */


/* Members that a response lacks, from the request, and their memory. */


#include <ngx_ors_fields.h>
#include <ngx_ors_verify_check.h>

#include "verify_answer.h"


#define SPEC   NGX_ORS_STRICT_SPEC
#define AI     NGX_ORS_STRICT_OPENAI
#define LOOSE  NGX_ORS_TOLERANT_SPEC

/* ' stands for " in all of them */

#define STATUS(status)  "{'id':'r','status':'" status "','output':[]}"

#define USAGE(usage)                                                          \
    "{'id':'r','status':'completed','output':[],'usage':{" usage "}}"


typedef struct {
    ngx_uint_t    profile;
    const char   *request;      /* members; NULL: it was not read */
    const char   *body;
    const char   *field;
    const char   *value;        /* NULL: it stays away */
} row_t;


static void test_row(row_t *row);
static void test_complete(void);
static void test_series(void);
static void test_time(void);
static void test_event(void);
static ngx_ors_json_node_t *find(ngx_ors_json_t *json, answer_t *a,
    const char *field);


static row_t  rows[] = {

    /* of the answer itself */

    { SPEC, "", MINIMAL, "object", "'response'" },
    { SPEC, "", MINIMAL, "created_at", "1700000000" },
    { AI, "", MINIMAL, "created_at", "1700000000" },
    { SPEC, NULL, MINIMAL, "created_at", "1700000000" },
    { SPEC, "", MINIMAL, "completed_at", "1700000000" },
    { SPEC, "", STATUS("complet\\u0065d"), "completed_at", "1700000000" },
    { SPEC, "", STATUS("incomplete"), "completed_at", "null" },
    { SPEC, "", STATUS("in_progress"), "completed_at", "null" },
    { SPEC, "", MINIMAL, "incomplete_details", "null" },
    { SPEC, "", MINIMAL, "error", "null" },
    { SPEC, "", MINIMAL, "usage", "null" },
    { SPEC, "", USAGE("'input_tokens':3,'output_tokens':4"), "usage",
      "{'input_tokens':3,'output_tokens':4,'total_tokens':7,"
      "'input_tokens_details':{'cached_tokens':0},"
      "'output_tokens_details':{'reasoning_tokens':0}}" },
    { SPEC, "", USAGE("'input_tokens':3,'output_tokens':4,"
                      "'total_tokens':null,'prompt_tokens':3"), "usage",
      "{'input_tokens':3,'output_tokens':4,'total_tokens':7,"
      "'prompt_tokens':3,"
      "'input_tokens_details':{'cached_tokens':0},"
      "'output_tokens_details':{'reasoning_tokens':0}}" },
    { SPEC, "", USAGE("'input_tokens':9223372036854775807,"
                      "'output_tokens':0"), "usage",
      "{'input_tokens':9223372036854775807,'output_tokens':0,"
      "'total_tokens':9223372036854775807,"
      "'input_tokens_details':{'cached_tokens':0},"
      "'output_tokens_details':{'reasoning_tokens':0}}" },
    { SPEC, "", USAGE("'input_tokens':9223372036854775807,"
                      "'output_tokens':1"), "usage",
      "{'input_tokens':9223372036854775807,'output_tokens':1,"
      "'total_tokens':0,"
      "'input_tokens_details':{'cached_tokens':0},"
      "'output_tokens_details':{'reasoning_tokens':0}}" },

    /* of a request that says nothing, or was not read */

    { SPEC, "", MINIMAL, "model", "'m\\u0031'" },
    { SPEC, "", MINIMAL, "previous_response_id", "null" },
    { SPEC, "", MINIMAL, "instructions", "null" },
    { SPEC, "", MINIMAL, "tools", "[]" },
    { SPEC, "", MINIMAL, "tool_choice", "'auto'" },
    { SPEC, "", MINIMAL, "truncation", "'disabled'" },
    { SPEC, "", MINIMAL, "parallel_tool_calls", "true" },
    { SPEC, "", MINIMAL, "text", "{'format':{'type':'text'}}" },
    { SPEC, "", MINIMAL, "top_p", "1" },
    { SPEC, "", MINIMAL, "presence_penalty", "0" },
    { SPEC, "", MINIMAL, "frequency_penalty", "0" },
    { SPEC, "", MINIMAL, "top_logprobs", "0" },
    { SPEC, "", MINIMAL, "temperature", "1" },
    { SPEC, "", MINIMAL, "reasoning", "null" },
    { SPEC, "", MINIMAL, "max_output_tokens", "null" },
    { SPEC, "", MINIMAL, "max_tool_calls", "null" },
    { SPEC, "", MINIMAL, "store", "false" },
    { SPEC, "", MINIMAL, "background", "false" },
    { SPEC, "", MINIMAL, "service_tier", "'default'" },
    { SPEC, "", MINIMAL, "metadata", "{}" },
    { SPEC, "", MINIMAL, "safety_identifier", "null" },
    { SPEC, "", MINIMAL, "prompt_cache_key", "null" },

    { SPEC, NULL, MINIMAL, "model", "''" },
    { SPEC, NULL, MINIMAL, "instructions", "null" },
    { SPEC, NULL, MINIMAL, "tools", "[]" },
    { SPEC, NULL, MINIMAL, "temperature", "1" },

    /* members of the request */

    { SPEC, ",'previous_response_id':'resp_1'", MINIMAL,
      "previous_response_id", "'resp_1'" },
    { SPEC, ",'instructions':'be\\n\\u00e9'", MINIMAL, "instructions",
      "'be\\n\\u00e9'" },
    { LOOSE, ",'instructions':'be'", MINIMAL, "instructions", "'be'" },
    { SPEC, ",'tools':[{'type':'function','name':'f'}]", MINIMAL, "tools",
      "[{'type':'function','name':'f','description':null,'parameters':null,"
      "'strict':null}]" },
    { SPEC, ",'tools':[{'type':'function','name':'f'}],"
      "'tool_choice':{'type':'function','name':'f'}", MINIMAL, "tool_choice",
      "{'type':'function','name':'f'}" },
    { SPEC, ",'truncation':'auto'", MINIMAL, "truncation", "'auto'" },
    { SPEC, ",'parallel_tool_calls':false", MINIMAL, "parallel_tool_calls",
      "false" },
    { SPEC, ",'text':{'verbosity':'low'}", MINIMAL, "text",
      "{'format':{'type':'text'},'verbosity':'low'}" },
    { SPEC, ",'top_p':0.70", MINIMAL, "top_p", "0.70" },
    { SPEC, ",'presence_penalty':-1", MINIMAL, "presence_penalty", "-1" },
    { SPEC, ",'frequency_penalty':2", MINIMAL, "frequency_penalty", "2" },
    { SPEC, ",'top_logprobs':5", MINIMAL, "top_logprobs", "5" },
    { SPEC, ",'temperature':0", MINIMAL, "temperature", "0" },
    { SPEC, ",'reasoning':{'effort':'low'}", MINIMAL, "reasoning",
      "{'effort':'low','summary':null}" },
    { SPEC, ",'max_output_tokens':16", MINIMAL, "max_output_tokens", "16" },
    { SPEC, ",'max_tool_calls':1", MINIMAL, "max_tool_calls", "1" },
    { SPEC, ",'store':true", MINIMAL, "store", "true" },
    { SPEC, ",'background':true", MINIMAL, "background", "true" },
    { SPEC, ",'service_tier':'flex'", MINIMAL, "service_tier", "'flex'" },
    { SPEC, ",'metadata':{'a':'b'}", MINIMAL, "metadata", "{'a':'b'}" },
    { SPEC, ",'safety_identifier':'s'", MINIMAL, "safety_identifier",
      "'s'" },
    { SPEC, ",'prompt_cache_key':'k'", MINIMAL, "prompt_cache_key", "'k'" },

    /* flavor "openai" has less that is required, and other tools */

    { AI, ",'tools':[{'type':'custom','name':'c'}]", MINIMAL, "tools",
      "[{'type':'custom','name':'c'}]" },
    { AI, ",'tools':[{'type':'custom','name':'c'}],"
      "'tool_choice':{'type':'custom','name':'c'}", MINIMAL, "tool_choice",
      "{'type':'custom','name':'c'}" },
    { AI, ",'instructions':'be'", MINIMAL, "instructions", "'be'" },
    { AI, "", MINIMAL, "instructions", "null" },
    { AI, "", MINIMAL, "completed_at", "1700000000" },

    /* members of the answer */

    { SPEC, ",'temperature':0.5",
      "{'id':'r','status':'completed','output':[],'temperature':0.7}",
      "temperature", "0.7" },
    { SPEC, ",'temperature':0.5",
      "{'id':'r','status':'completed','output':[],'temperature':null}",
      "temperature", "0.5" },
    { SPEC, ",'instructions':'be'",
      "{'id':'r','status':'completed','output':[],'instructions':null}",
      "instructions", "null" },
    { SPEC, "",
      "{'id':'r','status':'completed','output':[],'created_at':5}",
      "created_at", "5" }
};


int
main(void)
{
    ngx_uint_t  i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        test_row(&rows[i]);
    }

    test_complete();
    test_series();
    test_time();
    test_event();

    return done_testing();
}


static void
test_row(row_t *row)
{
    char                  request[1024];
    size_t                len;
    u_char               *value, *p;
    answer_t              a;
    ngx_ors_json_t        json;
    ngx_ors_json_node_t  *node;

    answer_init(&a, row->body);
    a.policy.profile = row->profile;

    if (row->request) {
        snprintf(request, sizeof(request), "{'model':'m\\u0031',"
                 "'input':'hi'%s}", row->request);
        a.request = request;
    }

    answer_run(&a);

    is_int(a.verify.status, 200, "%s of %s, asked%s", row->field, row->body,
           row->request ? row->request : " nobody knows what");

    node = find(&json, &a, row->field);

    if (row->value == NULL || node == NULL) {
        ok(row->value == NULL && node == NULL, "%s: absent", row->field);
        answer_free(&a);
        return;
    }

    len = ngx_strlen(row->value);
    value = answer_quotes(row->value, len);

    p = a.text + ngx_ors_edit_start(node);

    is_mem(p, ngx_ors_edit_end(node) - ngx_ors_edit_start(node), value, len,
           "%s: %s", row->field, row->value);

    free(value);
    answer_free(&a);
}


/* a repaired response needs no repairs */

static void
test_complete(void)
{
    size_t                i;
    answer_t              a, again;
    ngx_uint_t            repaired;

    static ngx_uint_t  profiles[] = {
        NGX_ORS_STRICT_SPEC, NGX_ORS_STRICT_OPENAI, NGX_ORS_TOLERANT_SPEC,
        NGX_ORS_TOLERANT_OPENAI
    };

    static ngx_uint_t  counts[] = { 28, 28, 28, 28 };

    for (i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++) {
        answer_init(&a, MINIMAL);
        a.policy.profile = profiles[i];
        a.request = "{'model':'m','input':'hi','instructions':'be','tools':"
                    "[{'type':'function','name':'f'}],'text':{'format':"
                    "{'type':'json_schema','name':'n','schema':{}}}}";
        answer_run(&a);

        repaired = a.verify.repaired;
        is_int(repaired, counts[i], "profile %d: values filled in", (int) i);

        answer_init(&again, (char *) a.text);
        again.policy.profile = profiles[i];
        answer_run(&again);

        is_int(again.verify.status, 200, "profile %d: passes", (int) i);
        is_int(again.verify.repaired, 0, "profile %d: nothing is missing",
               (int) i);

        answer_free(&again);
        answer_free(&a);
    }
}


/* a stream may show its response as often as it likes */

static void
test_series(void)
{
    u_char      *p;
    answer_t     a;
    ngx_str_t    text, type;
    ngx_uint_t   i, allocs, bad;

    answer_init(&a, "");
    a.policy.unknown = ngx_ors_unknown_strip;
    a.request = "{'model':'m','input':'hi','instructions':'be','tools':"
                "[{'type':'function','name':'f'}]}";

    answer_begin(&a);

    ngx_str_set(&type, "application/json");
    (void) ngx_ors_verify_header(&a.verify, 200, &type, -1);

    text.len = sizeof(USAGE("'input_tokens':3,'output_tokens':4")) - 1;
    p = answer_quotes(USAGE("'input_tokens':3,'output_tokens':4"), text.len);
    text.data = p;

    bad = 0;
    allocs = 0;

    for (i = 0; i < 1000; i++) {

        if (ngx_ors_verify_check(&a.verify, &text, &ngx_ors_fields_response)
            != NGX_OK)
        {
            bad++;
        }

        if (i == 0) {
            allocs = ngx_ors_test_allocs();
        }
    }

    is_int(bad, 0, "1,000 times the same");
    is_int(ngx_ors_test_allocs(), allocs, "memory is taken once");
    is_int(a.verify.repaired, 30 * 1000, "each counts");

    free(p);
    answer_free(&a);
}


/* an answer has begun at one time only */

static void
test_time(void)
{
    u_char     *p;
    answer_t    a;
    ngx_str_t   text, type;

    answer_init(&a, "");
    answer_begin(&a);

    ngx_str_set(&type, "application/json");
    (void) ngx_ors_verify_header(&a.verify, 200, &type, -1);

    text.len = sizeof(MINIMAL) - 1;
    p = answer_quotes(MINIMAL, text.len);
    text.data = p;

    (void) ngx_ors_verify_check(&a.verify, &text, &ngx_ors_fields_response);

    ngx_ors_test_time(1700000100, 2000);

    (void) ngx_ors_verify_check(&a.verify, &text, &ngx_ors_fields_response);

    ngx_ors_edits_write(&a.verify.edits, &a.verify.json, 0, text.len, 0,
                        &a.out);
    answer_take(&a);

    ok(strstr((char *) a.text, "\"created_at\":1700000000,"),
       "the time of the first look");

    ngx_ors_test_time(1700000000, 1000);

    free(p);
    answer_free(&a);
}


/* the response in an event has the client's name for the model, too */

static void
test_event(void)
{
    u_char      *p, *expected;
    size_t       len;
    answer_t     a;
    ngx_str_t    text, type;

#define EVENT(model)                                                          \
    "{'type':'response.created','sequence_number':0,'response':"              \
    RESPONSE("in_progress", "null", model, "") "}"

    answer_init(&a, "");
    a.request = "{'model':'m','input':'hi'}";
    answer_begin(&a);

    ngx_str_set(&type, "application/json");
    (void) ngx_ors_verify_header(&a.verify, 200, &type, -1);

    text.len = sizeof(EVENT("other")) - 1;
    p = answer_quotes(EVENT("other"), text.len);
    text.data = p;

    is_int(ngx_ors_verify_check(&a.verify, &text, &ngx_ors_fields_event),
           NGX_OK, "an event");

    ngx_ors_edits_write(&a.verify.edits, &a.verify.json, 0, text.len, 0,
                        &a.out);
    answer_take(&a);

    len = sizeof(EVENT("m")) - 1;
    expected = answer_quotes(EVENT("m"), len);

    is_mem(a.text, a.size, expected, len, "the model of an event's response");
    is_int(a.verify.repaired, 1, "no more was changed");

    free(expected);
    free(p);
    answer_free(&a);
}


static ngx_ors_json_node_t *
find(ngx_ors_json_t *json, answer_t *a, const char *field)
{
    ngx_ors_json_init(json, a->pool, 32, 10000);

    if (ngx_ors_json_read(json, a->text, a->size) != NGX_OK) {
        fail("not JSON: %s", a->text);
        return NULL;
    }

    return ngx_ors_json_get(json, json->nodes, (u_char *) field,
                            ngx_strlen(field));
}
