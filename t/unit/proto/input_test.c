
/*
 * Copyright (C) Open Responses contributors
 */


/* The items of an input: their kinds and members. */


#include <ngx_ors_test.h>
#include <ngx_ors_input.h>


typedef struct {
    char             *item;
    ngx_ors_input_e   kind;
} kind_t;


static void test_kinds(ngx_pool_t *pool);
static void test_members(ngx_pool_t *pool);
static void test_lists(ngx_pool_t *pool);
static ngx_int_t read_list(ngx_ors_input_t *input, ngx_ors_json_t *json,
    char *text, ngx_pool_t *pool);


static kind_t  kinds[] = {
    { "{'type':'message','role':'user'}", ngx_ors_input_message },
    { "{'role':'user'}", ngx_ors_input_message },
    { "{'type':null,'role':'user'}", ngx_ors_input_message },
    { "{'type':'message'}", ngx_ors_input_message },
    { "{'type':'item_reference','id':'a'}", ngx_ors_input_reference },
    { "{'type':'item_reference','role':'a'}", ngx_ors_input_reference },
    { "{'id':'a'}", ngx_ors_input_reference },
    { "{'id':'a','role':null}", ngx_ors_input_reference },
    { "{'type':null,'id':'a'}", ngx_ors_input_reference },
    { "{}", ngx_ors_input_reference },
    { "{'type':'function_call'}", ngx_ors_input_call },
    { "{'type':'function\\u005fcall'}", ngx_ors_input_call },
    { "{'t\\u0079pe':'function_call'}", ngx_ors_input_call },
    { "{'type':'custom_tool_call'}", ngx_ors_input_custom_call },
    { "{'type':'function_call_output'}", ngx_ors_input_output },
    { "{'type':'custom_tool_call_output'}", ngx_ors_input_output },
    { "{'type':'reasoning'}", ngx_ors_input_reasoning },
    { "{'type':'compaction'}", ngx_ors_input_compaction },
    { "{'type':'context_compaction'}", ngx_ors_input_compaction },
    { "{'type':'compaction_trigger'}", ngx_ors_input_trigger },
    { "{'type':'additional_tools'}", ngx_ors_input_tools },
    { "{'type':'tool_search_call'}", ngx_ors_input_search_call },
    { "{'type':'tool_search_output'}", ngx_ors_input_search_output },
    { "{'type':'mcp_list_tools'}", ngx_ors_input_mcp_list },
    { "{'type':'mcp_call'}", ngx_ors_input_mcp_call },
    { "{'type':'mcp_approval_request'}", ngx_ors_input_approval },
    { "{'type':'mcp_approval_response'}", ngx_ors_input_approval_response },
    { "{'type':'web_search_call'}", ngx_ors_input_hosted },
    { "{'type':'file_search_call'}", ngx_ors_input_hosted },
    { "{'type':'code_interpreter_call'}", ngx_ors_input_hosted },
    { "{'type':'nginx:mcp_call'}", ngx_ors_input_mcp_call },
    { "{'type':'nginx\\u003aweb_search_call'}", ngx_ors_input_hosted },
    { "{'type':'nginx:function_call'}", ngx_ors_input_other },
    { "{'type':'acme:mcp_call'}", ngx_ors_input_other },
    { "{'type':'image_generation_call'}", ngx_ors_input_other },
    { "{'type':'function_calls','role':'user'}", ngx_ors_input_other },
    { "{'type':''}", ngx_ors_input_other },
    { NULL, 0 }
};


int
main(void)
{
    ngx_pool_t  *pool;

    pool = ngx_ors_test_pool();

    test_kinds(pool);
    test_members(pool);
    test_lists(pool);

    ngx_destroy_pool(pool);

    return done_testing();
}


static void
test_kinds(ngx_pool_t *pool)
{
    char              text[128];
    kind_t           *row;
    ngx_ors_json_t    json;
    ngx_ors_input_t   input;

    for (row = kinds; row->item; row++) {
        (void) snprintf(text, sizeof(text), "[%s]", row->item);
        ngx_memzero(&input, sizeof(ngx_ors_input_t));

        is_int(read_list(&input, &json, text, pool), NGX_OK, "%s is read",
               row->item);
        is_int(input.n, 1, "it is one item");
        is_int(input.items[0].kind, row->kind, "its kind");
    }
}


static void
test_members(ngx_pool_t *pool)
{
    uint32_t              *index;
    ngx_str_t              text;
    ngx_uint_t             i;
    ngx_ors_json_t         json;
    ngx_ors_input_t        input;
    ngx_ors_input_item_t  *item;

    static char  *values[] = {
        "T", "R", "I", "S", "C", "CI", "N", "NS", "A", "O", "IN", "SU", "E",
        "TO"
    };

    ngx_memzero(&input, sizeof(ngx_ors_input_t));

    (void) read_list(&input, &json, "[{'x':1,'tools':'TO','summary':'SU',"
                     "'encrypted_content':'E','input':'IN','output':'O',"
                     "'arguments':'A','namespace':'NS','name':'N','nam':2,"
                     "'call_id':'CI','content':'C','status':'S','id':'I',"
                     "'ro\\u006ce':'R','type':'T','contents':[3],"
                     "'a_name_that_is_longer_than_all':4},"
                     "{'content':null}]", pool);

    is_int(input.n, 2, "two items");

    item = &input.items[0];
    index = &item->type;

    for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        ngx_ors_json_raw(&json, &json.nodes[index[i]], &text);
        is_str(&text, values[i], "member %d", (int) i);
    }

    ok(json.nodes[item->node].type == ngx_ors_json_object, "the item");

    item = ngx_ors_input_last(&input);

    is_int(item->content, 0, "null is absent");
    ok(ngx_ors_input_node(item, item->content) == NULL, "it has no node");
}


static void
test_lists(ngx_pool_t *pool)
{
    ngx_ors_json_t   json;
    ngx_ors_input_t  input;

    ngx_memzero(&input, sizeof(ngx_ors_input_t));

    is_int(ngx_ors_input_read(&input, &json, NULL, pool), NGX_OK, "no list");
    ok(ngx_ors_input_last(&input) == NULL, "it has no last item");

    is_int(read_list(&input, &json, "'text'", pool), NGX_OK, "a string");
    is_int(input.n, 0, "it has no items");

    is_int(read_list(&input, &json, "[{},{}]", pool), NGX_OK, "two items");
    is_int(read_list(&input, &json, "[]", pool), NGX_OK, "an empty list");
    is_int(input.n, 0, "the items before are gone");

    ngx_ors_test_fail_after(1);
    is_int(ngx_ors_input_read(&input, &json, NULL, pool), NGX_OK,
           "nothing takes no memory");
    ngx_ors_test_fail_after(0);
}


/* single quotes stand for double ones */

static ngx_int_t
read_list(ngx_ors_input_t *input, ngx_ors_json_t *json, char *text,
    ngx_pool_t *pool)
{
    u_char  *p;
    size_t   i, len;

    len = ngx_strlen(text);
    p = ngx_pnalloc(pool, len);

    for (i = 0; i < len; i++) {
        p[i] = (text[i] == '\'') ? '"' : text[i];
    }

    ngx_ors_json_init(json, pool, 64, 1000);

    if (ngx_ors_json_read(json, p, len) != NGX_OK) {
        return NGX_DECLINED;
    }

    return ngx_ors_input_read(input, json, json->nodes, pool);
}
