
/*
 * Copyright (C) Open Responses contributors
 */


/* The response object and the one of a compaction: what is needed in them. */


#include "answer_table.h"


static void test_rows(void);
static void test_mends(void);
static void test_nulls(void);
static void test_order(void);


static char  response[] =
    "{'id':'resp_1','object':'response','created_at':1767225600,"
    "'completed_at':1767225601,'status':'completed',"
    "'incomplete_details':{'reason':'r'},'model':'m',"
    "'previous_response_id':'p','instructions':'i','output':[],"
    "'error':{'code':'c','message':'m'},'tools':[{'type':'function',"
    "'name':'f','description':'d','parameters':{},'strict':true}],"
    "'tool_choice':{'type':'allowed_tools','tools':[{'type':'function',"
    "'name':'f'}],'mode':'auto'},'truncation':'disabled',"
    "'parallel_tool_calls':true,'text':{'format':{'type':'json_schema',"
    "'name':'n','description':'d','schema':null,'strict':false},"
    "'verbosity':'low'},'top_p':1,'presence_penalty':0,"
    "'frequency_penalty':0,'top_logprobs':0,'temperature':1,"
    "'reasoning':{'effort':'low','summary':'auto'},"
    "'usage':{'input_tokens':8,'output_tokens':1,'total_tokens':9,"
    "'input_tokens_details':{'cached_tokens':0},"
    "'output_tokens_details':{'reasoning_tokens':0}},"
    "'max_output_tokens':16,'max_tool_calls':1,'store':false,"
    "'background':false,'service_tier':'default','metadata':{},"
    "'safety_identifier':'s','prompt_cache_key':'k'}";

static answer_member_t  response_members[] = {
    { "id", "s", NULL },
    { "object", "", NULL },
    { "created_at", "i", "if" },
    { "completed_at", "ni", "ni" },
    { "status", "s", NULL },
    { "incomplete_details", "n", "no" },
    { "incomplete_details.reason", "s", "-ns" },
    { "model", "s", NULL },
    { "previous_response_id", "ns", "ns" },
    { "instructions", "ns", "nsa" },
    { "output", "a", NULL },
    { "error", "n", "n" },
    { "error.code", "s", NULL },
    { "error.message", "s", NULL },
    { "tools", "a", NULL },
    { "tools[0].type", "", NULL },
    { "tools[0].name", "s", NULL },
    { "tools[0].description", "ns", "-ns" },
    { "tools[0].parameters", "no", NULL },
    { "tools[0].strict", "nb", NULL },
    { "tool_choice", "", NULL },
    { "tool_choice.type", "", "s" },
    { "tool_choice.tools", "a", NULL },
    { "tool_choice.tools[0].type", "", "s" },
    { "tool_choice.tools[0].name", "-s", NULL },
    { "tool_choice.mode", "", NULL },
    { "truncation", "", "" },
    { "parallel_tool_calls", "b", NULL },
    { "text", "", "" },
    { "text.format", "", NULL },
    { "text.format.type", "", NULL },
    { "text.format.name", "s", NULL },
    { "text.format.description", "ns", "-ns" },
    { "text.format.schema", "n", "-no" },
    { "text.format.strict", "b", "-nb" },
    { "text.verbosity", "-", NULL },
    { "top_p", "if", "if" },
    { "presence_penalty", "if", "if" },
    { "frequency_penalty", "if", "if" },
    { "top_logprobs", "i", "i" },
    { "temperature", "if", "if" },
    { "reasoning", "n", "no" },
    { "reasoning.effort", "n", "-n" },
    { "reasoning.summary", "n", "-n" },
    { "usage", "n", "n" },
    { "usage.input_tokens", "i", NULL },
    { "usage.output_tokens", "i", NULL },
    { "usage.total_tokens", "i", NULL },
    { "usage.input_tokens_details", "", NULL },
    { "usage.input_tokens_details.cached_tokens", "i", NULL },
    { "usage.output_tokens_details", "", NULL },
    { "usage.output_tokens_details.reasoning_tokens", "i", NULL },
    { "max_output_tokens", "ni", "ni" },
    { "max_tool_calls", "ni", "ni" },
    { "store", "b", "b" },
    { "background", "b", "b" },
    { "service_tier", "s", "s" },
    { "metadata", "nbifsao", "nbifsao" },
    { "safety_identifier", "ns", "ns" },
    { "prompt_cache_key", "ns", "ns" },
    { NULL, NULL, NULL }
};


static char  compaction[] =
    "{'id':'c','object':'response.compaction','output':[],'created_at':1,"
    "'usage':{'input_tokens':8,'output_tokens':1,'total_tokens':9,"
    "'input_tokens_details':{'cached_tokens':0},"
    "'output_tokens_details':{'reasoning_tokens':0}}}";

static answer_member_t  compaction_members[] = {
    { "id", "s", NULL },
    { "object", "", NULL },
    { "output", "a", NULL },
    { "created_at", "i", NULL },
    { "usage", "", NULL },
    { "usage.input_tokens", "i", NULL },
    { "usage.output_tokens", "i", NULL },
    { "usage.total_tokens", "i", NULL },
    { "usage.input_tokens_details", "", NULL },
    { "usage.input_tokens_details.cached_tokens", "i", NULL },
    { "usage.output_tokens_details", "", NULL },
    { "usage.output_tokens_details.reasoning_tokens", "i", NULL },
    { NULL, NULL, NULL }
};


static answer_case_t  response_cases[] = {

    /* values */

    { "object", "'response.compaction'", NONE, "invalid_value", "object" },
    { "created_at", "-1", ALL },
    { "created_at", "16.0", ALL },
    { "created_at", "16.5", OPENAI, "invalid_type", "created_at" },
    { "status", "'anything'", ALL },
    { "model", "''", ALL },
    { "truncation", "'auto'", ALL },
    { "truncation", "'none'", NONE, "invalid_value", "truncation" },
    { "service_tier", "'batch'", ALL },
    { "max_output_tokens", "0", ALL },
    { "metadata", "{'a':1}", ALL },
    { "metadata", "null", ALL },
    { "instructions", "[{'type':'message'}]", OPENAI, "invalid_type",
      "instructions" },
    { "instructions", "{}", NONE, "invalid_type", "instructions" },

    /* only what is not needed may be null for absent */

    { "temperature", "null", NONE, "invalid_type", "temperature" },
    { "output", "null", NONE, "invalid_type", "output" },
    { "model", "null", NONE, "invalid_type", "model" },
    { "store", NULL, NONE, "missing_required_parameter", "store" },
    { "incomplete_details", "{}", OPENAI, "missing_required_parameter",
      "incomplete_details.reason" },

    /* usage */

    { "usage", "null", ALL },
    { "usage.total_tokens", "-1", ALL },
    { "usage.input_tokens_details", "null", NONE, "invalid_type",
      "usage.input_tokens_details" },

    { NULL, NULL, 0, NULL, NULL }
};


/* known to flavor "openai" only, and so of any type in the others */

static shape_case_t  response_extras[] = {
    { "'user':'u','conversation':{'id':'c'},'prompt':{},"
      "'prompt_cache_retention':'24h','output_text':'t','end_turn':true,"
      "'content_filters':[],'moderation':{},'billing':{}", ALL },
    { "'user':1", CORE, "invalid_type", "user" },
    { "'conversation':'c'", CORE, "invalid_type", "conversation" },
    { "'prompt':'c'", CORE, "invalid_type", "prompt" },
    { "'output_text':[]", CORE, "invalid_type", "output_text" },
    { "'user':null,'conversation':null,'prompt':null", ALL },
    { "'id':'resp_2'", NONE, "duplicate_key", "id" },
    { NULL, 0, NULL, NULL }
};


int
main(void)
{
    answer_members(response, &ngx_ors_fields_response, response_members);
    answer_members(compaction, &ngx_ors_fields_compaction,
                   compaction_members);

    answer_cases(ANSWER_RESPONSE, &ngx_ors_fields_response, response_cases);

    test_rows();
    test_mends();
    test_nulls();
    test_order();

    return done_testing();
}


/* the example of the specification's reference, and members beside it */

static void
test_rows(void)
{
    char              format[SHAPE_TEXT], text[SHAPE_TEXT];
    ngx_uint_t        profile;
    ngx_pool_t       *pool;
    ngx_ors_error_t   err;

    pool = ngx_ors_test_pool();

    for (profile = NGX_ORS_STRICT_SPEC;
         profile <= NGX_ORS_TOLERANT_OPENAI;
         profile <<= 1)
    {
        is_int(shape_validate(shape_quotes(ANSWER_RESPONSE, text),
                              &ngx_ors_fields_response, profile, pool, &err,
                              NULL),
               NGX_OK, "the example in profile %d", (int) profile);
    }

    ngx_destroy_pool(pool);

    snprintf(format, sizeof(format), "%.*s,%%s}",
             (int) (ngx_strlen(ANSWER_RESPONSE) - 1), ANSWER_RESPONSE);

    shape_cases(response_extras, format, &ngx_ors_fields_response);
}


/* each member that is needed, in its turn, as its row says */

static void
test_mends(void)
{
    char                    name[64], value[64], *fill;
    size_t                  key;
    ngx_uint_t              i, filled, profile;
    const ngx_ors_field_t  *field;

    for (profile = NGX_ORS_STRICT_SPEC;
         profile <= NGX_ORS_TOLERANT_OPENAI;
         profile <<= 1)
    {
        filled = 0;

        for (i = 0; i < ngx_ors_fields_response.required; i++) {
            field = &ngx_ors_fields_response.fields[i];

            if (!(field->need & profile)) {
                continue;
            }

            fill = NULL;
            key = ngx_ors_fill_key_len(field);

            if (field->fill.len) {
                fill = value;
                snprintf(value, sizeof(value), "%.*s",
                         (int) (field->fill.len - key),
                         field->fill.data + key);
                filled++;
            }

            snprintf(name, sizeof(name), "%.*s", (int) field->name.len,
                     field->name.data);

            answer_repair(ANSWER_RESPONSE, &ngx_ors_fields_response, name,
                          fill, profile);
        }

        is_int(filled, 28, "members that can be filled in, profile %d",
               (int) profile);
    }

    answer_repair(ANSWER_RESPONSE, &ngx_ors_fields_response,
                  "usage.total_tokens", "0", SPEC);
    answer_repair(ANSWER_RESPONSE, &ngx_ors_fields_response,
                  "usage.input_tokens_details", "{\"cached_tokens\":0}", SPEC);
    answer_repair(ANSWER_RESPONSE, &ngx_ors_fields_response,
                  "usage.output_tokens_details", "{\"reasoning_tokens\":0}",
                  SPEC);
    answer_repair(ANSWER_RESPONSE, &ngx_ors_fields_response,
                  "usage.input_tokens_details.cached_tokens", "0", SPEC);
    answer_repair(ANSWER_RESPONSE, &ngx_ors_fields_response,
                  "usage.input_tokens", NULL, SPEC);
    answer_repair(ANSWER_RESPONSE, &ngx_ors_fields_response,
                  "output[0].content[0].annotations", "[]", SPEC);
    answer_repair(ANSWER_RESPONSE, &ngx_ors_fields_response,
                  "output[0].status", "\"completed\"", SPEC);

    answer_repair(response, &ngx_ors_fields_response, "error.code",
                  "\"server_error\"", SPEC);
    answer_repair(response, &ngx_ors_fields_response, "error.message", NULL,
                  SPEC);
    answer_repair(compaction, &ngx_ors_fields_compaction, "object",
                  "\"response.compaction\"", SPEC);
    answer_repair(compaction, &ngx_ors_fields_compaction, "usage", NULL, SPEC);
}


/* all nulls where there may be none, at the same time */

static shape_repair_t  nulls[] = {
    { "a usage of nulls",
      "{'input_tokens':1,'output_tokens':2,'total_tokens':null,"
      "'input_tokens_details':null,"
      "'output_tokens_details':{'reasoning_tokens':null}}",
      "{'input_tokens':1,'output_tokens':2,'total_tokens':0,"
      "'input_tokens_details':{'cached_tokens':0},"
      "'output_tokens_details':{'reasoning_tokens':0}}" },
    { NULL, NULL, NULL }
};


static void
test_nulls(void)
{
    shape_repairs(nulls, &ngx_ors_fields_usage);
}


/* rows that others know by number */

static void
test_order(void)
{
    const ngx_ors_field_t  *field;

    field = ngx_ors_fields_response.fields;

    is_str(&field[ngx_ors_rs_id].name, "id", "the first row");
    is_str(&field[ngx_ors_rs_created_at].name, "created_at", "the third");
    is_str(&field[ngx_ors_rs_tool_choice].name, "tool_choice", "in between");
    is_str(&field[ngx_ors_rs_prompt_cache_key].name, "prompt_cache_key",
           "the last one");
    is_str(&field[ngx_ors_rs_created_at_openai].name, "created_at",
           "the other time");
}
