
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Items that come back from a store, with one value after the other replaced
 * by what it should not be: whatever it is, it is translated or refused; and
 * what was checked gives a body that is JSON.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_test_chat.h>
#include <ngx_ors_test_request.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_stored.h>


#define FUNCTION  "{'type':'function','name':'f','description':'d',"          \
                  "'parameters':{'type':'object','properties':{'a':{}}},"     \
                  "'strict':true}"
#define CUSTOM    "{'type':'custom','name':'c','description':'d','format':"   \
                  "{'type':'grammar','syntax':'lark','definition':'x'}}"
#define SPACE     "{'type':'namespace','name':'n','tools':[" FUNCTION ","     \
                  CUSTOM "]}"
#define TOOLS     "[" FUNCTION "," CUSTOM "," SPACE ",{'type':'web_search'}," \
                  "{'type':'tool_search','execution':'client'}]"


static void test_items(void);
static void test_mutated(void);
static ngx_uint_t mutate(const char *name, ngx_str_t *item);
static void test_unpaired(void);
static void translate(const char *name, ngx_str_t *item, ngx_uint_t checked);
static ngx_int_t translate_list(ngx_str_t *list, ngx_ors_out_t *out,
    ngx_ors_error_t *err);
static ngx_int_t check(ngx_str_t *item, const ngx_ors_shape_t *shape);
static void text(const char *s, ngx_str_t *str);


/* items of models' outputs; the last ones are put in by the client */

static const char  *items[] = {
    "{'type':'message','id':'m','status':'completed','role':'assistant',"
    "'content':[{'type':'output_text','text':'hi','annotations':[],"
    "'logprobs':[]},{'type':'refusal','refusal':'no'}]}",

    "{'type':'function_call','id':'f','call_id':'c','name':'f',"
    "'arguments':'{}','status':'completed','namespace':'n'}",

    "{'type':'function_call_output','id':'o','call_id':'x','output':'done',"
    "'status':'completed'}",

    "{'type':'custom_tool_call','id':'f','call_id':'c','name':'f',"
    "'input':'text','status':'completed','namespace':'n'}",

    "{'type':'custom_tool_call_output','call_id':'x','output':"
    "[{'type':'input_text','text':'t'}]}",

    "{'type':'reasoning','id':'r','summary':[{'type':'summary_text',"
    "'text':'s'}],'content':[{'type':'reasoning_text','text':'t'}],"
    "'encrypted_content':'e'}",

    "{'type':'compaction','id':'k','encrypted_content':'e'}",

    "{'type':'tool_search_call','id':'t','call_id':'s','execution':'client',"
    "'arguments':{'query':'q'},'status':'completed'}",

    "{'type':'tool_search_output','id':'t','call_id':'x','tools':" TOOLS
    ",'execution':'client','status':'completed'}",

    "{'type':'additional_tools','id':'a','role':'developer','tools':" TOOLS
    "}",

    "{'type':'web_search_call','id':'w','status':'completed','action':"
    "{'type':'search'}}",

    "{'type':'mcp_call','id':'p','server_label':'l','name':'n',"
    "'arguments':'{}','output':'o','error':null}",

    "{'type':'mcp_list_tools','id':'p','server_label':'l','tools':[]}",

    "{'type':'computer_call','id':'p','call_id':'c','status':'completed',"
    "'action':{'type':'click'}}",

    "{'type':'slug:extension','id':'e','status':'completed'}",

    NULL,

    "{'type':'message','role':'user','content':[{'type':'input_text',"
    "'text':'t'},{'type':'input_image','image_url':'u','detail':'low'},"
    "{'type':'input_file','filename':'n','file_data':'data:d'},"
    "{'type':'input_audio','input_audio':{'data':'d','format':'wav'}}]}",

    "{'role':'system','content':[{'type':'input_text','text':'t'}]}",

    "{'role':'developer','content':'t'}",

    "{'type':'function_call_output','call_id':'x','output':"
    "[{'type':'input_text','text':'t'},{'type':'input_image',"
    "'image_url':'u'}]}"
};

static const char  *values[] = {
    "null", "true", "7", "'x'", "'\\u0041\\n'", "[]", "{}", "[{}]",
    "{'type':'function'}", "[{'type':'namespace'},{'type':'custom'},7]"
};

static const ngx_uint_t  profiles[] = {
    NGX_ORS_STRICT_SPEC, NGX_ORS_STRICT_OPENAI, NGX_ORS_TOLERANT_SPEC,
    NGX_ORS_TOLERANT_OPENAI
};


static ngx_ors_limits_t   limits = limits_default();

static ngx_pool_t        *pool;
static ngx_uint_t         accepted, refused, broken;


int
main(void)
{
    test_items();
    test_mutated();
    test_unpaired();

    return done_testing();
}


/* items of an output can be stored, and come in again */

static void
test_items(void)
{
    ngx_str_t   item;
    ngx_uint_t  i;

    pool = ngx_ors_test_pool();

    for (i = 0; i < sizeof(items) / sizeof(items[0]) && items[i]; i++) {
        text(items[i], &item);

        is_int(check(&item, &ngx_ors_fields_item), NGX_OK,
               "item %d can be put out", (int) i);
        is_int(check(&item, NULL), NGX_OK, "item %d is one of a store",
               (int) i);
    }

    for (i++; i < sizeof(items) / sizeof(items[0]); i++) {
        text(items[i], &item);
        is_int(check(&item, NULL), NGX_OK, "item %d is one of a store, too",
               (int) i);
    }

    ngx_destroy_pool(pool);
}


static void
test_mutated(void)
{
    ngx_str_t   item;
    ngx_uint_t  i, n;

    n = 0;

    for (i = 0; i < sizeof(items) / sizeof(items[0]); i++) {

        if (items[i] == NULL) {
            continue;
        }

        pool = ngx_ors_test_pool();
        text(items[i], &item);
        n += mutate(items[i], &item);
        ngx_destroy_pool(pool);
    }

    ok(n > 2000, "%d items that may be none", (int) n);
    ok(accepted > 1000 && refused > 1000, "%d were translated, %d refused",
       (int) accepted, (int) refused);
    is_int(broken, 0, "what was checked gives a body that is JSON");
}


/* each value of "item" by each of the others; returns how many there were */

static ngx_uint_t
mutate(const char *name, ngx_str_t *item)
{
    u_char               *p;
    size_t                start, end;
    ngx_str_t             value, changed;
    ngx_uint_t            i, j, n;
    ngx_pool_t           *outer;
    ngx_ors_json_t        json;
    ngx_ors_json_node_t  *node;

    n = 0;
    outer = pool;

    ngx_ors_json_init(&json, outer, 64, 10000);

    if (ngx_ors_json_read(&json, item->data, item->len) != NGX_OK) {
        fail("\"%s\" is JSON", name);
        return 0;
    }

    for (i = 1; i < json.n; i++) {
        node = &json.nodes[i];

        for (j = 0; j < sizeof(values) / sizeof(values[0]); j++) {
            pool = ngx_ors_test_pool();
            text(values[j], &value);

            start = node->pos - (node->type == ngx_ors_json_string);
            end = node->pos + node->len + (node->type == ngx_ors_json_string);

            changed.data = ngx_pnalloc(pool, item->len + value.len);
            p = ngx_cpymem(changed.data, item->data, start);
            p = ngx_cpymem(p, value.data, value.len);
            p = ngx_cpymem(p, item->data + end, item->len - end);
            changed.len = p - changed.data;

            /* of a key it may be no JSON any more: nothing is translated */

            translate(name, &changed, check(&changed, NULL) == NGX_OK);

            ngx_ors_test_log_reset();
            ngx_destroy_pool(pool);
            n++;
        }
    }

    pool = outer;

    return n;
}


/* nothing has been checked but the rest of the request */

static void
translate(const char *name, ngx_str_t *item, ngx_uint_t checked)
{
    u_char           *p;
    size_t            len;
    ngx_int_t         rc;
    ngx_str_t         merged;
    ngx_uint_t        i;
    ngx_chain_t      *cl;
    ngx_ors_out_t     out;
    ngx_ors_json_t    json;
    ngx_ors_error_t   err;

    for (i = 0; i < sizeof(profiles) / sizeof(profiles[0]); i++) {
        ngx_ors_test_policy.profile = profiles[i];
        ngx_memzero(&err, sizeof(ngx_ors_error_t));

        len = item->len + 200;
        merged.data = ngx_pnalloc(pool, len);
        merged.len = ngx_snprintf(merged.data, len, "[{\"type\":"
                         "\"function_call\",\"name\":\"f\",\"arguments\":"
                         "\"\",\"call_id\":\"x\"},%V,"
                         "{\"role\":\"user\",\"content\":\"hi\"}]", item)
                     - merged.data;

        rc = translate_list(&merged, &out, &err);

        if (rc == NGX_ABORT) {
            return;
        }

        if (rc == NGX_ERROR) {
            broken++;
            diag("%s: neither translated nor refused", name);
        }

        if (rc != NGX_OK) {
            refused++;
            continue;
        }

        accepted++;

        if (!checked) {
            continue;
        }

        len = out.size;
        (void) ngx_ors_out_take(&out, &cl);

        merged.data = ngx_pnalloc(pool, len);

        for (p = merged.data; cl; cl = cl->next) {
            p = ngx_cpymem(p, cl->buf->pos, cl->buf->last - cl->buf->pos);
        }

        ngx_ors_json_init(&json, pool, 64, 10000);

        if (ngx_ors_json_read(&json, merged.data, p - merged.data) != NGX_OK) {
            broken++;
            diag("%s: %.*s", name, (int) (p - merged.data), merged.data);
        }
    }
}


/* NGX_ABORT: the list is no JSON, else what the translation returns */

static ngx_int_t
translate_list(ngx_str_t *list, ngx_ors_out_t *out, ngx_ors_error_t *err)
{
    ngx_str_t              body;
    ngx_ors_json_t        *stored;
    ngx_ors_request_t     *req;
    ngx_ors_chat_tools_t  *tools;

    static ngx_str_t  model = ngx_string("m");

    stored = ngx_pcalloc(pool, sizeof(ngx_ors_json_t));
    req = ngx_pcalloc(pool, sizeof(ngx_ors_request_t));
    tools = ngx_pcalloc(pool, sizeof(ngx_ors_chat_tools_t));

    text("{'model':'m','input':'hi'}", &body);

    if (ngx_ors_test_request(req, &body, &limits, pool, err) != NGX_OK) {
        fail("a request in profile %d", (int) ngx_ors_test_policy.profile);
        return NGX_ABORT;
    }

    ngx_ors_json_init(stored, pool, 64, limits.nodes);

    if (ngx_ors_json_read(stored, list->data, list->len) != NGX_OK) {
        return NGX_ABORT;
    }

    (void) ngx_ors_input_read(&req->input, stored, stored->nodes, pool);

    req->merged = 1;
    req->prior = 2;

    ngx_ors_out_init(out, pool, 1024);

    return ngx_ors_chat_request(req, ngx_ors_test_target(&model), tools, out,
                                err);
}


/* a store may hold what no table would let in: that is the client's error */

static void
test_unpaired(void)
{
    ngx_str_t        list;
    ngx_uint_t       i;
    ngx_ors_out_t    out;
    ngx_ors_error_t  err;

    static const char  *lists[] = {
        "[{'type':'function_call','name':'f','arguments':''},"
        "{'type':'function_call_output','call_id':'x','output':''}]",

        "[{'type':'custom_tool_call','name':'f','input':'','call_id':null},"
        "{'type':'custom_tool_call_output','call_id':'x','output':''}]",

        "[{'type':'function_call','name':'f','arguments':'','call_id':'x'},"
        "{'type':'function_call_output','output':''}]"
    };

    for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        pool = ngx_ors_test_pool();
        ngx_memzero(&err, sizeof(ngx_ors_error_t));
        text(lists[i], &list);

        is_int(translate_list(&list, &out, &err), NGX_DECLINED,
               "a call or an output without call_id is refused, %d", (int) i);
        is_str(&err.code, "missing_required_parameter", "with its code, %d",
               (int) i);

        ngx_destroy_pool(pool);
    }
}


/* "shape" in the profiles that know all items; NULL: as what was stored */

static ngx_int_t
check(ngx_str_t *item, const ngx_ors_shape_t *shape)
{
    ngx_ors_json_t      json;
    ngx_ors_error_t     err;
    ngx_ors_policy_t    policy;
    ngx_ors_validate_t  v;

    ngx_memzero(&err, sizeof(ngx_ors_error_t));
    ngx_ors_json_init(&json, pool, 64, 10000);

    if (ngx_ors_json_read(&json, item->data, item->len) != NGX_OK) {
        return NGX_DECLINED;
    }

    if (shape == NULL) {
        return ngx_ors_stored_check(&json, json.nodes,
                                    ngx_ors_code_invalid_value, "param", pool,
                                    &err);
    }

    policy = ngx_ors_test_policy;
    policy.profile = NGX_ORS_STRICT_OPENAI;

    ngx_memzero(&v, sizeof(ngx_ors_validate_t));

    v.json = &json;
    v.policy = &policy;
    v.root = "an item";
    v.pool = pool;
    v.err = &err;

    return ngx_ors_validate(&v, json.nodes, shape, NULL);
}


/* ' stands for " */

static void
text(const char *s, ngx_str_t *str)
{
    str->len = ngx_strlen(s);
    str->data = ngx_pnalloc(pool, str->len + 1);

    ngx_ors_test_quotes(str->data, s, str->len);
}
