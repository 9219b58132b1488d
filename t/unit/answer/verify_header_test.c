
/*
 * Copyright (C) Open Responses contributors
 */


/* The beginning of an answer, and an end that is not its own. */


#include "verify_answer.h"


#define RS    ngx_ors_endpoint_responses
#define CP    ngx_ors_endpoint_compact
#define CH    ngx_ors_endpoint_chat
#define EM    ngx_ors_endpoint_embeddings
#define MO    ngx_ors_endpoint_models

#define JSON    "application/json"
#define STREAM  "text/event-stream"

#define DOCUMENT  ngx_ors_answer_st_document
#define FAILURE   ngx_ors_answer_st_error
#define EVENTS    ngx_ors_answer_st_stream
#define OVER      ngx_ors_answer_st_over

#define NEITHER   "it is neither JSON nor an event stream"


typedef struct {
    ngx_ors_endpoint_e      endpoint;
    ngx_uint_t              status;
    const char             *type;
    const char             *request;    /* NULL: it was not read */
    ngx_ors_answer_state_e  state;
    const char             *what;       /* why it is refused */
} row_t;


static void test_row(row_t *row);
static void test_none(void);
static void test_refuse(void);
static void test_over(void);
static ngx_int_t header(answer_t *a);


static row_t  rows[] = {

    { RS, 200, JSON, NULL, DOCUMENT, NULL },
    { RS, 200, "APPLICATION/json; charset=utf-8", NULL, DOCUMENT, NULL },
    { RS, 201, JSON, NULL, DOCUMENT, NULL },
    { RS, 299, JSON, NULL, DOCUMENT, NULL },
    { RS, 200, STREAM, NULL, EVENTS, NULL },
    { RS, 200, "Text/Event-Stream;charset=utf-8", NULL, EVENTS, NULL },
    { CH, 200, STREAM, NULL, EVENTS, NULL },

    /* the form that was asked for */

    { RS, 200, JSON, "{'stream':false}", DOCUMENT, NULL },
    { RS, 200, JSON, "{}", DOCUMENT, NULL },
    { RS, 200, STREAM, "{'stream':true}", EVENTS, NULL },
    { RS, 200, JSON, "{'stream':true}", OVER,
      "it is a document, an event stream was asked for" },
    { RS, 200, STREAM, "{'stream':false}", OVER,
      "it is an event stream, a document was asked for" },
    { RS, 200, STREAM, "{}", OVER,
      "it is an event stream, a document was asked for" },
    { CH, 200, JSON, "{'model':'m','messages':[{'role':'user',"
      "'content':'a'}],'stream':true}", OVER,
      "it is a document, an event stream was asked for" },
    { RS, 400, JSON, "{'stream':true}", FAILURE, NULL },

    /* other types */

    { RS, 200, "text/html", NULL, OVER, NEITHER },
    { RS, 200, "application/jsonl", NULL, OVER, NEITHER },
    { RS, 200, "", NULL, OVER, NEITHER },
    { RS, 204, "", NULL, OVER, NEITHER },
    { CH, 200, "text/plain", NULL, OVER, NEITHER },

    /* endpoints without streams */

    { CP, 200, JSON, "{'model':'m'}", DOCUMENT, NULL },
    { EM, 200, JSON, NULL, DOCUMENT, NULL },
    { MO, 200, JSON, NULL, DOCUMENT, NULL },
    { CP, 200, STREAM, NULL, OVER, "it is not JSON" },
    { EM, 200, STREAM, NULL, OVER, "it is not JSON" },
    { MO, 200, "text/html", NULL, OVER, "it is not JSON" },

    /* failures are read whatever they are */

    { RS, 300, JSON, NULL, FAILURE, NULL },
    { RS, 302, "", NULL, FAILURE, NULL },
    { RS, 404, "text/html", NULL, FAILURE, NULL },
    { RS, 500, STREAM, NULL, FAILURE, NULL },
    { RS, 199, JSON, NULL, FAILURE, NULL }
};


int
main(void)
{
    ngx_uint_t  i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        test_row(&rows[i]);
    }

    test_none();
    test_refuse();
    test_over();

    return done_testing();
}


static void
test_row(row_t *row)
{
    char      name[128], message[256];
    answer_t  a;

    snprintf(name, sizeof(name), "endpoint %d, %d %s, %s",
             (int) row->endpoint, (int) row->status, row->type,
             row->request ? row->request : "not read");

    ngx_ors_test_log_reset();
    answer_init(&a, "");

    a.endpoint = row->endpoint;
    a.status = row->status;
    a.type = row->type;
    a.request = row->request;

    answer_begin(&a);

    is_int(header(&a), row->what ? NGX_DONE : NGX_OK, "%s", name);
    is_int(a.answer.state, row->state, "%s: state", name);

    answer_take(&a);

    if (row->what) {
        snprintf(message, sizeof(message),
                 "the model server's answer was refused: %s", row->what);

        is_int(a.verify.status, 502, "%s: status", name);
        is_str(&a.verify.error.code, "invalid_upstream_answer", "%s: code",
               name);
        is_str(&a.verify.error.message, message, "%s: message", name);
        is_int(a.verify.refused, 1, "%s: refused", name);
        ok(strstr((char *) a.text, row->what), "%s: document", name);
        is_int(ngx_ors_test_logged(NGX_LOG_ERR), 1, "%s: logged", name);

    } else {
        is_int(a.verify.status, 0, "%s: nothing is known yet", name);
        is_int(a.size, 0, "%s: nothing is sent yet", name);
        is_int(ngx_ors_test_logged(NGX_LOG_ERR), 0, "%s: not logged", name);
    }

    answer_free(&a);
}


/* there was no answer at all */

static void
test_none(void)
{
    answer_t   a;
    ngx_buf_t  b;

    answer_init(&a, "");
    answer_begin(&a);

    is_int(ngx_ors_answer_end(&a.answer, 1), NGX_DONE, "no answer");
    is_int(a.verify.status, 502, "no answer: status");
    is_str(&a.verify.error.code, "upstream_disconnected", "no answer: code");

    answer_free(&a);

    answer_init(&a, "");
    answer_begin(&a);
    ngx_memzero(&b, sizeof(ngx_buf_t));

    is_int(ngx_ors_answer_data(&a.answer, &b), NGX_ERROR,
           "data without a header");
    is_int(ngx_ors_test_logged(NGX_LOG_ALERT), 1, "an error of ours");
    ngx_ors_test_log_reset();

    answer_free(&a);
}


static void
test_refuse(void)
{
    answer_t     a;
    ngx_str_t    text;
    ngx_uint_t   i;

    for (i = 0; i < 2; i++) {
        answer_init(&a, "");
        answer_begin(&a);

        if (i) {
            (void) header(&a);
        }

        is_int(ngx_ors_answer_refuse(&a.answer, "it is compressed"),
               NGX_DONE, "refused");

        answer_take(&a);

        is_int(a.verify.status, 502, "refused: status");
        is_str(&a.verify.error.code, "invalid_upstream_answer",
               "refused: code");
        text.data = a.text;
        text.len = a.size;

        is_str(&text,
               "{\"error\":{\"type\":\"server_error\","
               "\"code\":\"invalid_upstream_answer\",\"message\":\"the model "
               "server's answer was refused: it is compressed\","
               "\"param\":\"\"}}", "refused: document");
        ok(strstr((char *) ngx_ors_test_log_last(), "upstream answer "
                  "refused: invalid_upstream_answer: the model server's answer "
                  "was refused: it is compressed"),
           "refused: logged");

        answer_free(&a);
    }
}


/* bytes after the end change nothing */

static void
test_over(void)
{
    size_t     size;
    answer_t   a;
    ngx_buf_t  b;

    answer_init(&a, WHOLE);
    answer_run(&a);

    size = a.size;
    ngx_memzero(&b, sizeof(ngx_buf_t));

    is_int(ngx_ors_answer_data(&a.answer, &b), NGX_DONE, "over: data");
    is_int(ngx_ors_answer_end(&a.answer, 1), NGX_DONE, "over: end");
    is_int(ngx_ors_answer_refuse(&a.answer, "y"), NGX_DONE,
           "over: refused");

    answer_take(&a);

    is_int(a.size, size, "over: nothing more is written");
    is_int(a.verify.status, 200, "over: the status stays");
    is_int(a.verify.refused, 0, "over: not refused");

    answer_free(&a);
}


static ngx_int_t
header(answer_t *a)
{
    ngx_str_t  type;

    type.len = ngx_strlen(a->type);
    type.data = (u_char *) a->type;

    return ngx_ors_verify_header(&a->verify, a->status, &type, a->length);
}
