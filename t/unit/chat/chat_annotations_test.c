
/*
 * Copyright (C) Open Responses contributors
 */


/* Annotations and logprobs of chat servers as those of responses. */


#include <ngx_ors_test.h>
#include <ngx_ors_chat_answer.h>


static void test_annotations(void);
static void test_logprobs(void);
static void test_no_memory(void);
static ngx_ors_json_node_t *read_json(const char *text);
static void is_json(ngx_str_t *text, const char *expected, const char *name);


#define CITE(members)   "{'type':'url_citation','url_citation':{" members "}}"
#define FLAT(members)   "{'type':'url_citation'," members "}"
#define OURS(url, title, start, end)                                          \
    "{'type':'url_citation','url':'" url "','title':'" title "',"            \
    "'start_index':" start ",'end_index':" end "}"

#define MAX             "9223372036854775807"


static struct {
    const char   *text;
    const char   *expected;   /* NULL: refused */
} annotations[] = {

    { CITE("'url':'u','title':'t','start_index':0,'end_index':5"),
      OURS("u", "t", "0", "5") },
    { FLAT("'url':'u','title':'t','start_index':0,'end_index':5"),
      OURS("u", "t", "0", "5") },
    { CITE("'end_index':5.0 , 'url':'\\u00e9\\\\','start_index':1e1,\n"
           "'title':'\\n','content':'x'"),
      OURS("\\u00e9\\\\", "\\n", "10", "5") },
    { CITE("'url':'','start_index':" MAX ",'end_index':" MAX),
      OURS("", "", MAX, MAX) },
    { CITE("'url':'u','title':5,'start_index':0,'end_index':5"),
      OURS("u", "", "0", "5") },

    { CITE("'title':'t','start_index':0,'end_index':5"), NULL },
    { CITE("'url':null,'start_index':0,'end_index':5"), NULL },
    { CITE("'url':'u','end_index':5"), NULL },
    { CITE("'url':'u','start_index':0"), NULL },
    { CITE("'url':'u','start_index':-1,'end_index':5"), NULL },
    { CITE("'url':'u','start_index':0,'end_index':'5'"), NULL },
    { CITE("'url':'u','start_index':0,'end_index':0.5"), NULL },
    { CITE("'url':'u','start_index':0,'end_index':9223372036854775808"),
      NULL },
    { "{'type':'file_citation','url':'u','start_index':0,'end_index':5}",
      NULL },
    { "{'url':'u','start_index':0,'end_index':5}", NULL },
    { "{}", NULL },
    { "[]", NULL },
    { "null", NULL },
    { "'url_citation'", NULL },
};


#define TOKEN(token, logprob, bytes)                                          \
    "{'token':'" token "','logprob':" logprob ",'bytes':[" bytes "]"
#define TOP(token, logprob, bytes)  TOKEN(token, logprob, bytes) "}"
#define ALONE(token, logprob, bytes)                                          \
    TOKEN(token, logprob, bytes) ",'top_logprobs':[]}"


static struct {
    const char   *text;
    const char   *expected;
} logprobs[] = {

    { "[]", "" },
    { "[{'token':'a','logprob':-0.10}]", ALONE("a", "-0.10", "") },
    { "[{'token':'a','logprob':1e400,'bytes':null,'top_logprobs':null}]",
      ALONE("a", "1e400", "") },
    { "[{'token':'\\ud83d\\n','logprob':0,'bytes':[0, 255 ,\n1e1,2.0]}]",
      ALONE("\\ud83d\\n", "0", "0,255,10,2") },
    { "[{'token':'a','logprob':0,'bytes':[1,256]}]", ALONE("a", "0", "") },
    { "[{'token':'a','logprob':0,'bytes':[1,-1]}]", ALONE("a", "0", "") },
    { "[{'token':'a','logprob':0,'bytes':[1,null]}]", ALONE("a", "0", "") },
    { "[{'token':'a','logprob':0,'bytes':[1,0.5]}]", ALONE("a", "0", "") },
    { "[{'token':'a','logprob':0,'bytes':{}}]", ALONE("a", "0", "") },
    { "[{'logprob':0,'token':'a'},{'token':'b','logprob':1}]",
      ALONE("a", "0", "") "," ALONE("b", "1", "") },

    { "[{'token':'a','logprob':0,'top_logprobs':[{'token':'a','logprob':0},"
      "{'token':'b','logprob':-1,'bytes':[98],'top_logprobs':[{'token':'c',"
      "'logprob':0}]},{'token':'d'}]}]",
      TOKEN("a", "0", "") ",'top_logprobs':[" TOP("a", "0", "") ","
      TOP("b", "-1", "98") "]}" },

    { "[null,5,'x',[],{},{'token':'a'},{'logprob':0},"
      "{'token':null,'logprob':0},{'token':'a','logprob':'0'}]", "" },
    { "[null,{'token':'a','logprob':0}]", ALONE("a", "0", "") },
};


static ngx_pool_t       *pool;
static ngx_ors_json_t    json;
static u_char           *source;


int
main(void)
{
    pool = ngx_ors_test_pool();
    ngx_ors_json_init(&json, pool, 64, 1000);

    test_annotations();
    test_logprobs();
    test_no_memory();

    ngx_destroy_pool(pool);

    return done_testing();
}


static void
test_annotations(void)
{
    ngx_int_t             rc;
    ngx_str_t             text;
    ngx_uint_t            i;
    ngx_ors_json_node_t  *node;

    for (i = 0; i < sizeof(annotations) / sizeof(annotations[0]); i++) {
        node = read_json(annotations[i].text);

        rc = ngx_ors_chat_answer_annotation(&json, node, pool, &text);

        if (annotations[i].expected == NULL) {
            is_int(rc, NGX_DECLINED, "refused: %s", annotations[i].text);

        } else if (is_int(rc, NGX_OK, "taken: %s", annotations[i].text)) {
            is_json(&text, annotations[i].expected, annotations[i].text);
        }

        free(source);
    }
}


static void
test_logprobs(void)
{
    ngx_buf_t             b;
    ngx_str_t             text;
    ngx_uint_t            i;
    ngx_ors_json_node_t  *node;

    ngx_memzero(&b, sizeof(ngx_buf_t));

    for (i = 0; i < sizeof(logprobs) / sizeof(logprobs[0]); i++) {
        node = read_json(logprobs[i].text);

        is_int(ngx_ors_chat_answer_logprobs(&json, node, pool, &b, &text),
               NGX_OK,
               "taken: %s", logprobs[i].text);
        is_json(&text, logprobs[i].expected, logprobs[i].text);

        free(source);
    }
}


static void
test_no_memory(void)
{
    ngx_buf_t             b;
    ngx_str_t             text;
    ngx_ors_json_node_t  *node;

    ngx_memzero(&b, sizeof(ngx_buf_t));

    node = read_json(annotations[0].text);

    ngx_ors_test_fail_after(1);
    is_int(ngx_ors_chat_answer_annotation(&json, node, pool, &text), NGX_ERROR,
           "an annotation without memory");
    free(source);

    node = read_json(logprobs[1].text);

    ngx_ors_test_fail_after(1);
    is_int(ngx_ors_chat_answer_logprobs(&json, node, pool, &b, &text),
           NGX_ERROR,
           "logprobs without memory");
    free(source);

    ngx_ors_test_fail_after(0);
}


static ngx_ors_json_node_t *
read_json(const char *text)
{
    size_t  len;

    len = strlen(text);
    source = malloc(len);

    ngx_ors_test_quotes(source, text, len);

    if (ngx_ors_json_read(&json, source, len) != NGX_OK) {
        fail("not JSON: %s", text);
        abort();
    }

    return json.nodes;
}


static void
is_json(ngx_str_t *text, const char *expected, const char *name)
{
    char  *copy;

    copy = strdup(expected);
    ngx_ors_test_quotes(copy, expected, strlen(expected));

    is_str(text, copy, "%s", name);
    free(copy);
}
