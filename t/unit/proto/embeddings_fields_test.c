
/*
 * Copyright (C) Open Responses contributors
 */


/* POST embeddings, GET models. */


#include "shape_table.h"


#define ALL       NGX_ORS_IN_ALL, NULL, NULL
#define TOLERANT  NGX_ORS_IN_TOLERANT


static char  request[] =
    "{'model':'m','input':'x','encoding_format':'float','dimensions':8,"
    "'user':'u'}";

static shape_member_t  request_members[] = {
    { "model", "s", "-ns" },
    { "input", "s", "-nso" },
    { "encoding_format", "-", "-ns" },
    { "dimensions", "-i", "-ni" },
    { "user", "-s", "-ns" },
    { NULL, NULL, NULL }
};


static char  vectors[] =
    "{'object':'list','model':'m','data':["
    "{'object':'embedding','index':0,'embedding':[0.5,-1,1e-3]}],"
    "'usage':{'prompt_tokens':1,'total_tokens':1}}";

static shape_member_t  vector_members[] = {
    { "object", "", "" },
    { "model", "s", "s" },
    { "data", "", "" },
    { "data[0].object", "", "" },
    { "data[0].index", "i", "i" },
    { "data[0].embedding", "s", "s" },
    { "usage", "", "" },
    { "usage.prompt_tokens", "i", "i" },
    { "usage.total_tokens", "i", "i" },
    { NULL, NULL, NULL }
};


static char  models[] =
    "{'object':'list','data':[{'id':'m','object':'model','created':1,"
    "'owned_by':'o'}]}";

static shape_member_t  model_members[] = {
    { "object", "", "" },
    { "data", "na", "na" },
    { "data[0].id", "s", "s" },
    { "data[0].object", "", "" },
    { "data[0].created", "i", "i" },
    { "data[0].owned_by", "s", "s" },
    { NULL, NULL, NULL }
};


static shape_case_t  inputs[] = {
    { "''", ALL },
    { "'x'", ALL },
    { "['x','y']", ALL },
    { "[1,2,3]", ALL },
    { "[[1,2],[3]]", ALL },
    { "[]", 0, "array_below_min_length", "input" },
    { "[[]]", 0, "array_below_min_length", "input[0]" },
    { "[1.5]", 0, "invalid_type", "input[0]" },
    { "[-1]", 0, "integer_below_min_value", "input[0]" },
    { "[[1],['x']]", 0, "invalid_type", "input[1][0]" },
    { "[null]", 0, "invalid_type", "input[0]" },
    { "[{'image':'AA=='}]", TOLERANT, "invalid_type", "input[0]" },
    { "'x','encoding_format':'base64'", ALL },
    { "'x','encoding_format':'ubinary'",
      TOLERANT, "invalid_value", "encoding_format" },
    { "'x','dimensions':0", 0, "integer_below_min_value", "dimensions" },
    { "'x','dimensions':1.5", 0, "invalid_type", "dimensions" },
    { "'x','truncate':true,'input_type':'query'", ALL },
    { NULL, 0, NULL, NULL }
};


static shape_case_t  values[] = {
    { "'AAAA'", ALL },
    { "[0]", ALL },
    { "[0.1,-1e-9,3]", ALL },
    { "''", 0, "string_below_min_length", "data[0].embedding" },
    { "[]", 0, "array_below_min_length", "data[0].embedding" },
    { "[0.1,null]", 0, "invalid_type", "data[0].embedding[1]" },
    { "['0.1']", 0, "invalid_type", "data[0].embedding[0]" },
    { "[[0.1]]", 0, "invalid_type", "data[0].embedding[0]" },
    { "null", 0, "invalid_type", "data[0].embedding" },
    { NULL, 0, NULL, NULL }
};


static shape_case_t  lists[] = {
    { "null", ALL },
    { "[]", ALL },
    { "[],'models':[]", ALL },
    { "[{'id':'m','object':'model','created':1,'owned_by':'vllm',"
      "'root':'m','parent':null,'max_model_len':4096,'permission':[]}]",
      ALL },
    { "['m']", 0, "invalid_type", "data[0]" },
    { "[{'id':'','object':'model','created':1,'owned_by':'o'}]",
      0, "string_below_min_length", "data[0].id" },
    { NULL, 0, NULL, NULL }
};


static shape_repair_t  repaired_vectors[] = {
    { "vectors alone",
      "{'data':[{'embedding':[0.5]},{'embedding':'AAAA','index':1}]}",
      "{'data':[{'embedding':[0.5],'object':'embedding','index':0},"
      "{'embedding':'AAAA','index':1,'object':'embedding'}],"
      "'object':'list','model':'',"
      "'usage':{'prompt_tokens':0,'total_tokens':0}}" },
    { "usage",
      "{'data':[{'object':'embedding','index':0,'embedding':[0]}],"
      "'object':'list','model':'m','usage':{'prompt_tokens':3}}",
      "{'data':[{'object':'embedding','index':0,'embedding':[0]}],"
      "'object':'list','model':'m','usage':{'prompt_tokens':3,"
      "'total_tokens':0}}" },
    { NULL, NULL, NULL }
};


static shape_repair_t  repaired_lists[] = {
    { "names alone",
      "{'data':[{'id':'m'}]}",
      "{'data':[{'id':'m','object':'model','created':0,'owned_by':''}],"
      "'object':'list'}" },
    { NULL, NULL, NULL }
};


int
main(void)
{
    shape_members(request, &ngx_ors_fields_embeddings_request,
                  request_members);
    shape_members(vectors, &ngx_ors_fields_embeddings_answer,
                  vector_members);
    shape_members(models, &ngx_ors_fields_models, model_members);

    shape_cases(inputs, "{'model':'m','input':%s}",
                &ngx_ors_fields_embeddings_request);

    shape_cases(values,
                "{'object':'list','model':'m',"
                "'data':[{'object':'embedding','index':0,'embedding':%s}],"
                "'usage':{'prompt_tokens':1,'total_tokens':1}}",
                &ngx_ors_fields_embeddings_answer);

    shape_cases(lists, "{'object':'list','data':%s}",
                &ngx_ors_fields_models);

    shape_repairs(repaired_vectors, &ngx_ors_fields_embeddings_answer);
    shape_repairs(repaired_lists, &ngx_ors_fields_models);

    return done_testing();
}
