
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * One JSON text against the tables of its kind: read, validated, and repaired
 * where the profile permits it.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_error.h>
#include <ngx_ors_verify_check.h>
#include <ngx_ors_response.h>
#include <ngx_ors_verify.h>


/* more than what an error's message may have */
#define NGX_ORS_VERIFY_TEXT   1024


typedef struct {
    ngx_str_t                  text;
    ngx_uint_t                 in;        /* profiles that know it */
    ngx_ors_response_status_e  outcome;
} ngx_ors_verify_status_t;


typedef struct {
    ngx_str_t                  input;
    ngx_str_t                  output;
    ngx_str_t                  input_details;
    ngx_str_t                  output_details;
} ngx_ors_verify_usage_t;


static ngx_int_t ngx_ors_verify_walk(ngx_ors_verify_t *verify,
    const ngx_ors_shape_t *shape, ngx_ors_error_t *err);
static void ngx_ors_verify_place(ngx_ors_verify_t *verify,
    const ngx_str_t *name);
static ngx_int_t ngx_ors_verify_fill(void *data, const ngx_ors_shape_t *shape,
    ngx_uint_t i, ngx_ors_json_node_t *object, ngx_str_t *text);
static ngx_int_t ngx_ors_verify_fill_total(ngx_ors_verify_t *verify,
    const ngx_ors_shape_t *shape, ngx_ors_json_node_t *usage, ngx_str_t *text);
static ngx_int_t ngx_ors_verify_fill_root(ngx_ors_verify_t *verify,
    const ngx_ors_shape_t *shape, ngx_uint_t i, ngx_ors_json_node_t *object,
    ngx_str_t *text);
static ngx_int_t ngx_ors_verify_fill_row(ngx_ors_verify_t *verify, ngx_uint_t i,
    ngx_ors_json_node_t *object, ngx_str_t *text);
static ngx_int_t ngx_ors_verify_fill_new(ngx_ors_verify_t *verify, ngx_uint_t i,
    ngx_ors_json_node_t *object, ngx_str_t *text);
static int64_t ngx_ors_verify_fill_time(ngx_ors_verify_t *verify, ngx_uint_t i,
    ngx_ors_json_node_t *object);
static ngx_int_t ngx_ors_verify_chain(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *object);
static ngx_int_t ngx_ors_verify_model(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *object);
static void ngx_ors_verify_model_text(ngx_ors_request_t *req, ngx_str_t *text);
static ngx_int_t ngx_ors_verify_outcome(ngx_ors_verify_t *verify,
    ngx_ors_error_t *err);
static void ngx_ors_verify_usage(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *object);
static int64_t ngx_ors_verify_detail(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *usage, const ngx_str_t *details,
    const ngx_str_t *name);
static int64_t ngx_ors_verify_count(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *usage, const ngx_str_t *name);


/* of a response object (protocol, section 7), and what flavor openai adds */

static const ngx_ors_verify_status_t  ngx_ors_verify_statuses[] = {

    { ngx_string("queued"), NGX_ORS_IN_ALL,
      ngx_ors_response_in_progress },

    { ngx_string("in_progress"), NGX_ORS_IN_ALL,
      ngx_ors_response_in_progress },

    { ngx_string("completed"), NGX_ORS_IN_ALL,
      ngx_ors_response_completed },

    { ngx_string("incomplete"), NGX_ORS_IN_ALL,
      ngx_ors_response_incomplete },

    { ngx_string("failed"), NGX_ORS_IN_ALL,
      ngx_ors_response_failed },

    { ngx_string("cancelled"), NGX_ORS_IN_OPENAI,
      ngx_ors_response_failed },

    { ngx_null_string, 0, 0 }
};


/* counts of tokens, and of Chat Completions */

static const ngx_ors_verify_usage_t  ngx_ors_verify_usages[] = {
    { ngx_string("input_tokens"), ngx_string("output_tokens"),
      ngx_string("input_tokens_details"),
      ngx_string("output_tokens_details") },

    { ngx_string("prompt_tokens"), ngx_string("completion_tokens"),
      ngx_string("prompt_tokens_details"),
      ngx_string("completion_tokens_details") }
};

static const ngx_str_t  ngx_ors_verify_cached = ngx_string("cached_tokens");
static const ngx_str_t  ngx_ors_verify_reasoning =
                                              ngx_string("reasoning_tokens");

static const ngx_str_t  ngx_ors_verify_model_name = ngx_string("model");


ngx_int_t
ngx_ors_verify_check(ngx_ors_verify_t *verify, ngx_str_t *text,
    const ngx_ors_shape_t *shape)
{
    ngx_int_t        rc;
    ngx_ors_error_t  err;

    rc = ngx_ors_verify_validate(verify, text, shape, &err);

    if (rc == NGX_DECLINED) {
        return ngx_ors_verify_found(verify,
                                    ngx_ors_code_invalid_upstream_answer,
                                    "the model server's answer is not valid: "
                                    "%V", &err.message);
    }

    return rc;
}


ngx_int_t
ngx_ors_verify_validate(ngx_ors_verify_t *verify, ngx_str_t *text,
    const ngx_ors_shape_t *shape, ngx_ors_error_t *err)
{
    u_char               *last, buf[NGX_ORS_JSON_REASON];
    ngx_int_t             rc;
    ngx_uint_t            i, repaired, nplaces;
    ngx_ors_json_node_t  *object;

    ngx_ors_edits_clear(&verify->edits);

    rc = ngx_ors_json_read(&verify->json, text->data, text->len);

    if (rc == NGX_DECLINED) {
        last = ngx_ors_json_reason(&verify->json, buf);

        return ngx_ors_error_set(err, verify->pool, ngx_ors_code_invalid_json,
                                 "it %*s", (size_t) (last - buf), buf);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    repaired = verify->repaired;
    nplaces = verify->nplaces;

    rc = ngx_ors_verify_walk(verify, shape, err);

    if (rc == NGX_OK && shape == &ngx_ors_fields_response) {
        rc = ngx_ors_verify_outcome(verify, err);
    }

    if (rc != NGX_OK) {
        verify->repaired = repaired;
        verify->nplaces = nplaces;
        return rc;
    }

    /* an edit without a text strips a member; others were counted when made */

    for (i = 0; i < verify->edits.n; i++) {

        if (verify->edits.elts[i].size == 0) {
            verify->stripped++;
            verify->repaired++;
        }
    }

    object = verify->json.nodes;

    if (shape == &ngx_ors_fields_event) {
        object = ngx_ors_json_find(&verify->json, object, "response");
    }

    if (object == NULL || object->type != ngx_ors_json_object) {
        return NGX_OK;
    }

    if (verify->keep && ngx_ors_verify_chain(verify, object) != NGX_OK) {
        return NGX_ERROR;
    }

    return ngx_ors_verify_model(verify, object);
}


static ngx_int_t
ngx_ors_verify_walk(ngx_ors_verify_t *verify, const ngx_ors_shape_t *shape,
    ngx_ors_error_t *err)
{
    ngx_ors_validate_t  v;

    ngx_memzero(&v, sizeof(ngx_ors_validate_t));

    v.json = &verify->json;
    v.policy = verify->policy;
    v.root = "it";
    v.pool = verify->pool;
    v.err = err;
    v.edits = &verify->edits;
    v.fill = ngx_ors_verify_fill;
    v.data = verify;
    v.repair = 1;
    v.discreet = 1;

    return ngx_ors_validate(&v, &verify->json.nodes[0], shape, NULL);
}


static void
ngx_ors_verify_place(ngx_ors_verify_t *verify, const ngx_str_t *name)
{
    ngx_uint_t  i;

    verify->repaired++;

    for (i = 0; i < verify->nplaces; i++) {
        if (verify->places[i] == name) {
            return;
        }
    }

    /* one is for ngx_ors_verify_places() */

    if (verify->nplaces < NGX_ORS_VERIFY_PLACES - 1) {
        verify->places[verify->nplaces++] = name;
    }
}


void
ngx_ors_verify_places(ngx_ors_verify_t *verify, u_char *line, ngx_str_t *text)
{
    u_char      *p, *last;
    ngx_uint_t   i;

    static const ngx_str_t  unknown = ngx_string("unknown members");
    static const ngx_str_t  order = ngx_string("order or end");

    if (verify->stripped || verify->nplaces == 0) {
        verify->places[verify->nplaces++] = verify->stripped ? &unknown
                                                             : &order;
    }

    p = line;
    last = line + NGX_ORS_LINE_MAX;

    for (i = 0; i < verify->nplaces; i++) {
        p = ngx_slprintf(p, last, "%s%V", i ? ", " : "", verify->places[i]);
    }

    text->data = line;
    text->len = p - line;
}


static ngx_int_t
ngx_ors_verify_fill(void *data, const ngx_ors_shape_t *shape, ngx_uint_t i,
    ngx_ors_json_node_t *object, ngx_str_t *text)
{
    ngx_ors_verify_t *verify = data;

    ngx_int_t         rc;
    const ngx_str_t  *name;

    name = &shape->fields[i].name;

    ngx_ors_verify_place(verify, name);

    if (ngx_ors_verify_named(name, "total_tokens")) {
        rc = ngx_ors_verify_fill_total(verify, shape, object, text);

    } else if (shape == &ngx_ors_fields_response
               || shape == verify->endpoint->answer
               || shape == verify->endpoint->event)
    {
        rc = ngx_ors_verify_fill_root(verify, shape, i, object, text);

    } else {
        rc = NGX_DECLINED;
    }

    if (rc == NGX_DECLINED && verify->fill) {
        return verify->fill(verify, shape, i, object, text);
    }

    return rc;
}


/* a document has one usage at most, so that one place for its text will do */

static ngx_int_t
ngx_ors_verify_fill_total(ngx_ors_verify_t *verify,
    const ngx_ors_shape_t *shape, ngx_ors_json_node_t *usage, ngx_str_t *text)
{
    int64_t                        input, output;
    const ngx_ors_verify_usage_t  *names;

    names = &ngx_ors_verify_usages[shape != &ngx_ors_fields_usage];

    input = ngx_ors_verify_count(verify, usage, &names->input);
    output = ngx_ors_verify_count(verify, usage, &names->output);

    if (input > INT64_MAX - output) {
        return NGX_DECLINED;
    }

    text->data = verify->total;
    text->len = ngx_sprintf(verify->total, "%L", input + output)
                - verify->total;

    return NGX_OK;
}


/* fields of the response object, some of which other answers have */

static ngx_int_t
ngx_ors_verify_fill_root(ngx_ors_verify_t *verify, const ngx_ors_shape_t *shape,
    ngx_uint_t i, ngx_ors_json_node_t *object, ngx_str_t *text)
{
    ngx_ors_request_t  *req;
    const ngx_str_t    *name;

    name = &shape->fields[i].name;

    if (ngx_ors_verify_named(name, "created_at")
        || ngx_ors_verify_named(name, "created"))
    {
        return ngx_ors_verify_fill_row(verify, ngx_ors_rs_created_at, object,
                                       text);
    }

    if (ngx_ors_verify_named(name, "model")) {
        req = verify->request;

        if (req == NULL || req->name == NULL) {
            return NGX_DECLINED;
        }

        ngx_ors_verify_model_text(req, text);
        return NGX_OK;
    }

    if (shape != &ngx_ors_fields_response) {
        return NGX_DECLINED;
    }

    if (i == ngx_ors_rs_instructions_openai) {
        i = ngx_ors_rs_instructions;
    }

    if (i == ngx_ors_rs_completed_at
        && !ngx_ors_verify_has_status(verify, object, "completed"))
    {
        ngx_str_set(text, "null");
        return NGX_OK;
    }

    return ngx_ors_verify_fill_row(verify, i, object, text);
}


/* each row is made once: neither the request nor the time changes */

static ngx_int_t
ngx_ors_verify_fill_row(ngx_ors_verify_t *verify, ngx_uint_t i,
    ngx_ors_json_node_t *object, ngx_str_t *text)
{
    ngx_int_t  rc;

    if (verify->fills == NULL) {
        verify->fills = ngx_pcalloc(verify->pool,
                                    ngx_ors_rs_n * sizeof(ngx_str_t));
        if (verify->fills == NULL) {
            return NGX_ERROR;
        }
    }

    if (verify->fills[i].len == 0) {
        rc = ngx_ors_verify_fill_new(verify, i, object, &verify->fills[i]);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    *text = verify->fills[i];

    return NGX_OK;
}


static ngx_int_t
ngx_ors_verify_fill_new(ngx_ors_verify_t *verify, ngx_uint_t i,
    ngx_ors_json_node_t *object, ngx_str_t *text)
{
    ngx_ors_out_t  out;

    ngx_ors_out_init(&out, verify->pool, NGX_ORS_VERIFY_BLOCK);

    if (i == ngx_ors_rs_created_at || i == ngx_ors_rs_completed_at) {
        ngx_ors_out_int(&out, ngx_ors_verify_fill_time(verify, i, object));

    } else if (verify->request == NULL
               || ngx_ors_response_field(&out, verify->request, i) != NGX_OK)
    {
        return NGX_DECLINED;
    }

    if (ngx_ors_out_text(&out, text) != NGX_OK) {
        ngx_str_null(text);
        return NGX_ERROR;
    }

    return NGX_OK;
}


/* a response is not completed earlier than it is created */

static int64_t
ngx_ors_verify_fill_time(ngx_ors_verify_t *verify, ngx_uint_t i,
    ngx_ors_json_node_t *object)
{
    int64_t               n, now;
    ngx_uint_t            created;
    ngx_ors_json_node_t  *node;

    created = (i == ngx_ors_rs_created_at);
    now = ngx_time();

    node = created ? ngx_ors_json_find(&verify->json, object, "completed_at")
                   : ngx_ors_json_find(&verify->json, object, "created_at");

    if (ngx_ors_json_integer(&verify->json, node, &n) != NGX_OK) {
        return now;
    }

    return created ? ngx_min(n, now) : ngx_max(n, now);
}


/*
 * a server that gets the whole context knows neither the previous response nor
 * whether this one will be stored
 */

static ngx_int_t
ngx_ors_verify_chain(ngx_ors_verify_t *verify, ngx_ors_json_node_t *object)
{
    ngx_str_t             value;
    ngx_ors_request_t    *req;
    ngx_ors_json_node_t  *node;

    static ngx_str_t  yes = ngx_string("true");
    static ngx_str_t  no = ngx_string("false");

    req = verify->request;
    node = req->field[ngx_ors_rq_previous_response_id];

    ngx_str_set(&value, "null");

    /* as the client has written it, with its quotes */

    if (node) {
        value.data = req->json.text + ngx_ors_edit_start(node);
        value.len = ngx_ors_edit_end(node) - ngx_ors_edit_start(node);
    }

    if (ngx_ors_verify_set(verify, object, "previous_response_id", &value)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    return ngx_ors_verify_set(verify, object, "store",
                              req->stored ? &yes : &no);
}


ngx_int_t
ngx_ors_verify_set(ngx_ors_verify_t *verify, ngx_ors_json_node_t *object,
    char *name, ngx_str_t *value)
{
    ngx_ors_json_node_t  *node;

    node = ngx_ors_json_get(&verify->json, object, (u_char *) name,
                            ngx_strlen(name));

    return node ? ngx_ors_edits_value(&verify->edits, node, value) : NGX_OK;
}


/* the client sees the name of the model that it has asked for */

static ngx_int_t
ngx_ors_verify_model(ngx_ors_verify_t *verify, ngx_ors_json_node_t *object)
{
    ngx_str_t             text;
    ngx_ors_json_t       *json;
    ngx_ors_request_t    *req;
    ngx_ors_json_node_t  *node;

    json = &verify->json;

    ngx_ors_verify_usage(verify, object);

    req = verify->request;

    if (req == NULL || req->model.len == 0) {
        return NGX_OK;
    }

    node = ngx_ors_json_find(json, object, "model");

    if (node == NULL || node->type != ngx_ors_json_string
        || ngx_ors_json_equal(json, node, req->model.data, req->model.len))
    {
        return NGX_OK;
    }

    ngx_ors_verify_place(verify, &ngx_ors_verify_model_name);

    ngx_ors_verify_model_text(req, &text);

    return ngx_ors_edits_value(&verify->edits, node, &text);
}


/* as the client has written it, with its quotes */

static void
ngx_ors_verify_model_text(ngx_ors_request_t *req, ngx_str_t *text)
{
    text->data = ngx_ors_json_text(&req->json, req->name) - 1;
    text->len = (size_t) req->name->len + 2;
}


static ngx_int_t
ngx_ors_verify_outcome(ngx_ors_verify_t *verify, ngx_ors_error_t *err)
{
    ngx_ors_json_t                 *json;
    ngx_ors_json_node_t            *root, *error;
    const ngx_ors_verify_status_t  *status;

    json = &verify->json;
    root = json->nodes;

    for (status = ngx_ors_verify_statuses; status->text.len; status++) {

        if ((status->in & verify->policy->profile)
            && ngx_ors_verify_has_status(verify, root,
                                         (char *) status->text.data))
        {
            break;
        }
    }

    if (status->text.len == 0) {
        return ngx_ors_error_set(err, verify->pool, ngx_ors_code_invalid_value,
                                 "\"status\" is none that a response has");
    }

    error = ngx_ors_json_find(json, root, "error");

    if ((error == NULL || error->type == ngx_ors_json_null)
        && ngx_ors_verify_has_status(verify, root, "failed"))
    {
        return ngx_ors_error_set(err, verify->pool, ngx_ors_code_invalid_value,
                                 "\"error\" must say why it has failed");
    }

    verify->outcome = status->outcome;

    return NGX_OK;
}


ngx_uint_t
ngx_ors_verify_has_status(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *object, char *status)
{
    ngx_ors_json_node_t  *node;

    node = ngx_ors_json_find(&verify->json, object, "status");

    return ngx_ors_json_equal(&verify->json, node, (u_char *) status,
                              ngx_strlen(status));
}


ngx_int_t
ngx_ors_verify_found(ngx_ors_verify_t *verify, ngx_ors_code_e code,
    const char *fmt, ...)
{
    u_char     buf[NGX_ORS_VERIFY_TEXT];
    va_list    args;
    ngx_str_t  text;

    va_start(args, fmt);
    text.data = buf;
    text.len = ngx_vslprintf(buf, buf + sizeof(buf), fmt, args) - buf;
    va_end(args);

    (void) ngx_ors_error_set(&verify->error, verify->pool, code, "%V",
                             &text);

    return ngx_ors_verify_refused(verify);
}


ngx_int_t
ngx_ors_verify_refused(ngx_ors_verify_t *verify)
{
    verify->refused = 1;

    ngx_log_error(NGX_LOG_ERR, verify->log, 0,
                  "upstream answer %s: %V: %V",
                  verify->report ? "would be refused" : "refused",
                  &verify->error.code, &verify->error.message);

    return NGX_DECLINED;
}


/*
 * The tokens that a server counts in an answer that passes through: the usage
 * of a response, and of what Chat Completions answers.
 */


/*
 * Sets verify->usage to the "usage" of "object", a response or another
 * document in verify->json, if it has one; a count that is absent is 0.
 */

static void
ngx_ors_verify_usage(ngx_ors_verify_t *verify, ngx_ors_json_node_t *object)
{
    ngx_ors_usage_t               *sum;
    ngx_ors_json_node_t           *usage;
    const ngx_ors_verify_usage_t  *names;

    usage = ngx_ors_json_find(&verify->json, object, "usage");

    if (usage == NULL || usage->type != ngx_ors_json_object) {
        return;
    }

    names = &ngx_ors_verify_usages[ngx_ors_json_find(&verify->json, usage,
                                                     "input_tokens") == NULL];
    sum = &verify->usage;
    sum->known = 1;

    sum->input = ngx_ors_verify_count(verify, usage, &names->input);
    sum->output = ngx_ors_verify_count(verify, usage, &names->output);

    sum->cached = ngx_ors_verify_detail(verify, usage, &names->input_details,
                                        &ngx_ors_verify_cached);
    sum->reasoning = ngx_ors_verify_detail(verify, usage,
                                           &names->output_details,
                                           &ngx_ors_verify_reasoning);
}


static int64_t
ngx_ors_verify_detail(ngx_ors_verify_t *verify, ngx_ors_json_node_t *usage,
    const ngx_str_t *details, const ngx_str_t *name)
{
    return ngx_ors_verify_count(verify,
                                ngx_ors_json_get(&verify->json, usage,
                                                 details->data, details->len),
                                name);
}


/* The count "name" of "usage", 0 if it is absent or none. */

static int64_t
ngx_ors_verify_count(ngx_ors_verify_t *verify, ngx_ors_json_node_t *usage,
    const ngx_str_t *name)
{
    int64_t               n;
    ngx_ors_json_node_t  *node;

    node = ngx_ors_json_get(&verify->json, usage, name->data, name->len);

    return (ngx_ors_json_integer(&verify->json, node, &n) == NGX_OK)
           ? ngx_max(n, 0) : 0;
}
