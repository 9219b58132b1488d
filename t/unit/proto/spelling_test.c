
/*
 * Copyright (C) Open Responses contributors
 */


/* Keys in other letters: a server must not see a field that we do not see. */


#include "shape_table.h"
#include <ngx_ors_route.h>
#include <ngx_ors_names.h>
#include <ngx_ors_violation.h>


#define SHAPES  1024
#define SAID    "'role':'user','content':''"
#define USER    "'type':'message','role':'user','content':''"
#define CALL    "'type':'function_call','call_id':'c','name':'f',"            \
                "'arguments':''"


typedef struct {
    const ngx_ors_shape_t  *shape;
    char                   *text;
    char                   *code;      /* NULL: it passes */
    char                   *param;
} spelling_t;


static void test_row(spelling_t *row);
static void test_null(void);
static void test_message(void);
static void test_names(const ngx_ors_shape_t *shape);
static void test_rule(const ngx_ors_rule_t *rule);
static void test_choice(const ngx_ors_shape_t *shape);
static ngx_uint_t requires(const ngx_ors_shape_t *shape,
    const ngx_str_t *name);
static const ngx_ors_field_t *row_of(const ngx_ors_shape_t *shape,
    const ngx_str_t *name);
static void knows(const ngx_ors_shape_t *shape, const ngx_str_t *name);


#define create    &ngx_ors_fields_create
#define chat      &ngx_ors_fields_chat_request
#define answer    &ngx_ors_fields_compaction
#define failure   &ngx_ors_fields_error
#define UNKNOWN   "unknown_parameter"
#define TWICE     "duplicate_key"


static spelling_t  rows[] = {

    /* with the right one, in front of it and after it; and alone */

    { create, "{'model':'m','MODEL':'x'}", TWICE, "model" },
    { create, "{'MODEL':'x','model':'m'}", TWICE, "model" },
    { create, "{'Model':'x'}", UNKNOWN, "Model" },
    { create, "{'Model':'x','MODEL':'y'}", UNKNOWN, "Model" },
    { create, "{'model':null,'Model':'y'}", TWICE, "model" },
    { create, "{'model':'m','Model':null}", TWICE, "model" },

    /* beyond ASCII, and in escapes */

    { create, "{'ſtream':true}", UNKNOWN, "ſtream" },
    { create, "{'in\\u0070ut':'','Input':''}", TWICE, "input" },
    { create, "{'\\u0130nput':''}", UNKNOWN, "\xc4\xb0nput" },
    { create, "{'\\u017ftream':true,'stream':true}", TWICE, "stream" },
    { create, "{'\\u0053tream':true}", UNKNOWN, "Stream" },
    { create, "{'m\\u006fdel':'a','model':'b'}", TWICE, "model" },
    { create, "{'\\u006d\\u006f\\u0064\\u0065\\u006C':'a',"
      "'\\u004d\\u004f\\u0044\\u0045\\u004c':'b'}", TWICE, "model" },
    { create, "{'parallel_tool_ca\\u006cl\\u017f':true}", UNKNOWN,
      "parallel_tool_callſ" },

    /* other names */

    { create, "{'modeł':'x','model_':'x','mode':'x','':1,'Models':'x'}",
      NULL, NULL },
    { create, "{'top-p':'x','m\\u0000del':1,'\\ud800':1,'mödel':1}", NULL,
      NULL },

    /* inside of others */

    { create, "{'text':{'Format':{}}}", UNKNOWN, "text.Format" },
    { create, "{'input':[{" USER ",'Content':'x'}]}", TWICE,
      "input[0].content" },
    { create, "{'input':[{'Role':'user','content':'','id':'a'}]}", UNKNOWN,
      "input[0].Role" },
    { create, "{'input':[{" USER ",'Type':'reasoning'}]}", TWICE,
      "input[0].type" },
    { create, "{'input':[{" CALL "},{" CALL ",'NAME':'g'}]}", TWICE,
      "input[1].name" },
    { create, "{'input':[{'type':'message','role':'user','content':["
      "{'type':'input_text','text':'a','Text':'b'}]}]}", TWICE,
      "input[0].content[0].text" },
    { create, "{'tools':[{'type':'function','name':'f','Parameters':{}}]}",
      UNKNOWN, "tools[0].Parameters" },
    { create, "{'tools':[{'type':'acme:x','TYPE':'function'}]}", TWICE,
      "tools[0].type" },
    { create, "{'tool_choice':{'type':'function','name':'f','Name':'g'}}",
      TWICE, "tool_choice.name" },
    { chat, "{'model':'m','messages':[{" SAID "}],'Messages':[]}", TWICE,
      "messages" },
    { chat, "{'model':'m','messages':[{" SAID ",'ROLE':'system'}]}", TWICE,
      "messages[0].role" },
    { chat, "{'model':'m','meſſages':[]}", UNKNOWN, "meſſages" },
    { &ngx_ors_fields_embeddings_request, "{'model':'m','input':'',"
      "'Dimensions':5}", UNKNOWN, "Dimensions" },
    { &ngx_ors_fields_compact, "{'model':'m','Input':''}", UNKNOWN, "Input" },

    /* data, not names of fields */

    { create, "{'metadata':{'Model':'a','model':'b','a':'','A':''}}", NULL,
      NULL },
    { create, "{'tools':[{'type':'function','name':'f','parameters':{'Type':"
      "'object','properties':{'a':{},'A':{},'type':{},'TYPE':{}}}}]}", NULL,
      NULL },
    { create, "{'text':{'format':{'type':'json_schema','name':'n','schema':"
      "{'properties':{'name':{},'Name':{}}}}}}", NULL, NULL },
    { create, "{'input':[{" CALL "}],'user':'u'}", NULL, NULL },

    /* answers */

    { answer, "{'id':'r','object':'response.compaction','OBJECT':'x'}",
      TWICE, "object" },
    { failure, "{'error':{'message':'m','type':'t','code':null,'param':null,"
      "'Message':'x'}}", TWICE, "error.message" },
    { NULL, NULL, NULL, NULL }
};


static const ngx_ors_shape_t  *seen[SHAPES];
static ngx_uint_t              nseen;


int
main(void)
{
    ngx_uint_t   i;
    spelling_t  *row;

    static const ngx_ors_shape_t  *shapes[] = {
        &ngx_ors_fields_create, &ngx_ors_fields_compact,
        &ngx_ors_fields_response, &ngx_ors_fields_compaction,
        &ngx_ors_fields_item, &ngx_ors_fields_part, &ngx_ors_fields_usage,
        &ngx_ors_fields_event, &ngx_ors_fields_error,
        &ngx_ors_fields_chat_request, &ngx_ors_fields_chat_answer,
        &ngx_ors_fields_chat_chunk, &ngx_ors_fields_embeddings_request,
        &ngx_ors_fields_embeddings_answer, &ngx_ors_fields_models
    };

    for (row = rows; row->text; row++) {
        test_row(row);
    }

    test_null();
    test_message();

    for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
        test_names(shapes[i]);
    }

    ok(nseen > 100, "%d shapes", (int) nseen);

    return done_testing();
}


/* in each profile, whatever becomes of unknown keys */

static void
test_row(spelling_t *row)
{
    char                text[SHAPE_TEXT];
    ngx_int_t           rc;
    ngx_uint_t          n;
    ngx_pool_t         *pool;
    ngx_ors_json_t      json;
    ngx_ors_edits_t     edits;
    ngx_ors_error_t     err;
    ngx_ors_policy_t    policy;
    ngx_ors_validate_t  v;

    pool = ngx_ors_test_pool();

    shape_quotes(row->text, text);

    ngx_ors_json_init(&json, pool, 32, 10000);

    if (ngx_ors_json_read(&json, (u_char *) text, ngx_strlen(text))
        != NGX_OK)
    {
        fail("not JSON: %s", text);
        return;
    }

    for (n = 0; n < 16; n++) {
        ngx_memzero(&policy, sizeof(ngx_ors_policy_t));
        ngx_memzero(&v, sizeof(ngx_ors_validate_t));
        ngx_memzero(&err, sizeof(ngx_ors_error_t));

        policy.profile = 1 << n % 4;
        policy.unknown = n / 4;

        /* there an unknown key, too, is an error, and maybe the first one */

        if (policy.unknown == ngx_ors_unknown_reject
            && (row->code == NULL || policy.profile == NGX_ORS_STRICT_SPEC))
        {
            continue;
        }

        ngx_ors_edits_init(&edits, pool);

        v.json = &json;
        v.policy = &policy;
        v.root = "the document";
        v.pool = pool;
        v.err = &err;
        v.edits = &edits;

        rc = ngx_ors_validate(&v, &json.nodes[0], row->shape, NULL);

        if (row->code == NULL) {
            is_int(rc, NGX_OK, "%d passes %s", (int) n, row->text);
            continue;
        }

        is_int(rc, NGX_DECLINED, "%d refuses %s", (int) n, row->text);
        is_int(err.status, 400, "with a status");
        is_str(&err.code, row->code, "with a code");
        is_str(&err.param, row->param, "with a param");
    }

    ngx_destroy_pool(pool);
}


/* a key that would have made the choice, had it not been null */

static void
test_null(void)
{
    char              text[SHAPE_TEXT];
    ngx_uint_t        i;
    ngx_pool_t       *pool;
    ngx_ors_error_t   err;

    static char  *names[] = { "name", "Name", "n\\u0061me", "N\\u0041ME" };

    for (i = 0; i < 4; i++) {
        pool = ngx_ors_test_pool();

        snprintf(text, sizeof(text), "{\"tools\":[{\"type\":\"function\","
                 "\"name\":null,\"function\":{\"name\":\"f\"},"
                 "\"%s\":\"g\"}]}", names[i]);

        is_int(shape_validate(text, create, NGX_ORS_TOLERANT_SPEC, pool, &err,
                              NULL),
               NGX_DECLINED, "%s", text);
        is_str(&err.code, TWICE, "with a code");
        is_str(&err.param, "tools[0].name", "with a param");

        ngx_destroy_pool(pool);
    }
}


static void
test_message(void)
{
    char              text[SHAPE_TEXT];
    ngx_pool_t       *pool;
    ngx_ors_error_t   err;

    pool = ngx_ors_test_pool();

    shape_validate(shape_quotes("{'Model':'x'}", text), create,
                   NGX_ORS_STRICT_OPENAI, pool, &err, NULL);
    is_str(&err.message, "\"Model\" is not known, the name is \"model\"",
           "the right name is told");

    shape_validate(shape_quotes("{'model':'x','MODEL':'y'}", text), create,
                   NGX_ORS_STRICT_OPENAI, pool, &err, NULL);
    is_str(&err.message,
           "\"model\" occurs more than once, also as \"MODEL\"",
           "the other spelling is told");

    ngx_destroy_pool(pool);
}


/*
 * Rules of all tables: names are plain and shorter than the longest one that
 * is looked for, and a shape knows the keys that it was chosen by, so that
 * they are noticed in other letters
 */

static void
test_names(const ngx_ors_shape_t *shape)
{
    ngx_uint_t  i;

    for (i = 0; i < nseen; i++) {
        if (seen[i] == shape) {
            return;
        }
    }

    if (nseen == SHAPES) {
        fail("too many shapes");
        return;
    }

    seen[nseen++] = shape;

    for (i = 0; i < shape->nfields; i++) {

        if ((shape->fields[i].need != 0) != (i < shape->required)) {
            fail("\"%.*s\" is not among the right rows",
                 (int) shape->fields[i].name.len, shape->fields[i].name.data);
        }

        if (!ngx_ors_fold_plain(&shape->fields[i].name)
            || shape->fields[i].name.len >= NGX_ORS_SHAPE_NAME)
        {
            fail("\"%.*s\" is not plain or too long",
                 (int) shape->fields[i].name.len, shape->fields[i].name.data);
        }

        test_rule(shape->fields[i].rule);
    }

    if (shape->map) {
        test_rule(shape->map->value);
    }

    if (shape->values) {
        test_choice(shape);
    }
}


static void
test_rule(const ngx_ors_rule_t *rule)
{
    for ( /* void */ ; rule; rule = rule->element) {
        if (rule->shape) {
            test_names(rule->shape);
        }
    }
}


/* a shape that is nothing without the key has that said first */

static ngx_uint_t
requires(const ngx_ors_shape_t *shape, const ngx_str_t *name)
{
    const ngx_ors_field_t  *field;

    field = row_of(shape, name);

    return field && field->need == NGX_ORS_IN_ALL && field->fill.len == 0;
}


static const ngx_ors_field_t *
row_of(const ngx_ors_shape_t *shape, const ngx_str_t *name)
{
    ngx_uint_t              i;
    const ngx_ors_field_t  *field;

    for (i = 0; i < shape->nfields; i++) {
        field = &shape->fields[i];

        if (field->name.len == name->len
            && ngx_memcmp(field->name.data, name->data, name->len) == 0)
        {
            return field;
        }
    }

    return NULL;
}


/* the last variant may stand for all others */

static void
test_choice(const ngx_ors_shape_t *shape)
{
    ngx_uint_t                n;
    const ngx_ors_variant_t  *variant, *next, *before;

    for (n = 0; n < 2; n++) {
        variant = n ? shape->absent : shape->values;

        for ( /* void */ ; variant && variant->shape; variant = next) {
            next = variant->name.len ? variant + 1 : NULL;

            test_names(variant->shape);
            knows(variant->shape, &shape->key);

            if (n == 0 || requires(variant->shape, &shape->key)) {
                continue;
            }

            for (before = shape->absent; before < variant; before++) {
                knows(variant->shape, &before->name);
            }

        }
    }

    if (shape->extension) {
        test_names(shape->extension);
        knows(shape->extension, &shape->key);
    }
}


static void
knows(const ngx_ors_shape_t *shape, const ngx_str_t *name)
{
    const ngx_ors_variant_t  *variant, *next;

    /* shapes that are chosen in the next step */

    if (shape->values) {

        for (variant = shape->values;
             variant && variant->shape;
             variant = next)
        {
            next = variant->name.len ? variant + 1 : NULL;
            knows(variant->shape, name);
        }

        return;
    }

    if (row_of(shape, name)) {
        return;
    }

    fail("a shape of \"%.*s\" does not know \"%.*s\"",
         shape->nfields ? (int) shape->fields[0].name.len : 0,
         shape->nfields ? shape->fields[0].name.data : (u_char *) "",
         (int) name->len, name->data);
}
