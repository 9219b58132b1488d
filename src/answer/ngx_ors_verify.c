
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The parts of a verification that its order and its items share: digests of
 * texts that come in pieces, error documents, chunks of chat completions,
 * deviations that pass, an end that is held for the store, members of events.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_verify.h>
#include <ngx_ors_answer_error.h>
#include <ngx_ors_answer.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_verify_check.h>
#include <ngx_ors_mask.h>
#include <ngx_ors_response.h>
#include <ngx_ors_sse.h>
#include <ngx_ors_id.h>
#include <ngx_ors_names.h>


/* FNV-1a */
#define NGX_ORS_VERIFY_SUM_BASIS  0xcbf29ce484222325ULL
#define NGX_ORS_VERIFY_SUM_PRIME  0x00000100000001b3ULL

#define ngx_ors_verify_digest_byte(hash, ch)                                   \
    (((hash) ^ (ch)) * NGX_ORS_VERIFY_SUM_PRIME)

/* how many choices are followed up to their end */
#define NGX_ORS_VERIFY_CHOICES  128

#define ngx_ors_tolerated_row(name, in, text)  { text, NGX_ORS_IN_##in },

#define NGX_ORS_VERIFY_KEEP_BLOCK  4096

#define ngx_ors_verify_event_row(as, name, act, part, in, shape)              \
    { ngx_string(#name), ngx_ors_verify_act_##act,                            \
      ngx_ors_verify_part_##part, ngx_ors_verify_m_n, NULL,                   \
      ngx_ors_verify_step_none },

/* a text in a part, and one that is the item's own */

#define ngx_ors_verify_part_row(type, event, text, holder, index, in)         \
    { ngx_string("response." #event ".delta"), ngx_ors_verify_act_delta,      \
      ngx_ors_verify_part_##type, ngx_ors_verify_m_delta, NULL,               \
      ngx_ors_verify_step_none },                                             \
    { ngx_string("response." #event ".done"), ngx_ors_verify_act_text,        \
      ngx_ors_verify_part_##type, ngx_ors_verify_m_##text, NULL,              \
      ngx_ors_verify_step_none },

#define ngx_ors_verify_text_row(item, as, text, in)                           \
    { ngx_string("response." #item "_" #text ".delta"),                       \
      ngx_ors_verify_act_delta, ngx_ors_verify_part_none,                     \
      ngx_ors_verify_m_delta, #item, ngx_ors_verify_step_none },              \
    { ngx_string("response." #item "_" #text ".done"),                        \
      ngx_ors_verify_act_text, ngx_ors_verify_part_none,                      \
      ngx_ors_verify_m_##text, #item, ngx_ors_verify_step_none },

/* the progress of a hosted tool */

#define ngx_ors_verify_step_row(item, status, step)                           \
    { ngx_string("response." #item "." #status), ngx_ors_verify_act_step,     \
      ngx_ors_verify_part_none, ngx_ors_verify_m_n, #item,                    \
      ngx_ors_verify_step_##step },


#define ngx_ors_verify_member_name(name)  ngx_string(#name),


/* in the order of ngx_ors_verify_part_e */

#define ngx_ors_verify_part_name(type, event, text, ...)                      \
    { ngx_string(#type), ngx_string(#text) },


typedef struct {
    char          *text;
    ngx_uint_t     in;        /* profiles in which it passes */
} ngx_ors_tolerated_t;


static void ngx_ors_verify_digest_bytes(ngx_ors_verify_digest_t *sum, u_char *p,
    u_char *last);
static void ngx_ors_verify_digest_unit(ngx_ors_verify_digest_t *sum,
    uint32_t code);
static void ngx_ors_verify_digest_code(ngx_ors_verify_digest_t *sum,
    uint32_t code);
static void ngx_ors_verify_digest_end(ngx_ors_verify_digest_t *sum);
static ngx_int_t ngx_ors_verify_failure_error(ngx_ors_verify_t *verify);
static ngx_int_t ngx_ors_verify_failure_pass(ngx_ors_verify_t *verify,
    ngx_str_t *text);
static ngx_int_t ngx_ors_verify_failure_set(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *node, ngx_str_t *value);
static ngx_uint_t ngx_ors_verify_failure_known(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *type);
static ngx_int_t ngx_ors_verify_chat_error(ngx_ors_verify_t *verify);
static ngx_int_t ngx_ors_verify_chat_choices(ngx_ors_verify_t *verify);
static ngx_int_t ngx_ors_verify_store_id(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *object, ngx_str_t *id);
static ngx_int_t ngx_ors_verify_store_read(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t **response);
static ngx_int_t ngx_ors_verify_event_type(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev);


static const ngx_ors_tolerated_t  ngx_ors_tolerated[] = {
    NGX_ORS_TOLERATED(ngx_ors_tolerated_row)
};


/* frequent events come first */

static const ngx_ors_verify_row_t  ngx_ors_verify_rows[] = {
    NGX_ORS_PARTS(ngx_ors_verify_part_row)
    NGX_ORS_TEXTS(ngx_ors_verify_text_row)
    NGX_ORS_PARTS_OPENAI(ngx_ors_verify_part_row)
    NGX_ORS_EVENTS(ngx_ors_verify_event_row)
    NGX_ORS_STEPS(ngx_ors_verify_step_row)
    { ngx_null_string, ngx_ors_verify_act_none, ngx_ors_verify_part_none,
      ngx_ors_verify_m_n, NULL, ngx_ors_verify_step_none }
};

static const ngx_str_t  ngx_ors_verify_members[] = {
    NGX_ORS_VERIFY_MEMBERS(ngx_ors_verify_member_name)
    ngx_null_string
};

static const struct {
    ngx_str_t  type;
    ngx_str_t  text;
} ngx_ors_verify_parts[] = {
    { ngx_null_string, ngx_null_string },
    NGX_ORS_PARTS(ngx_ors_verify_part_name)
};


/*
 * Digests of texts that come in pieces, fed with raw JSON strings of any
 * length.
 */


void
ngx_ors_verify_digest_init(ngx_ors_verify_digest_t *sum)
{
    sum->hash = NGX_ORS_VERIFY_SUM_BASIS;
    sum->len = 0;
    sum->high = 0;
}


void
ngx_ors_verify_digest_add(ngx_ors_verify_digest_t *sum, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node)
{
    u_char    *p, *last, *escape;
    uint32_t   code;

    if (node == NULL || node->type != ngx_ors_json_string) {
        return;
    }

    p = ngx_ors_json_text(json, node);
    last = p + node->len;

    while (node->escaped && p < last) {

        escape = memchr(p, '\\', last - p);
        if (escape == NULL) {
            break;
        }

        ngx_ors_verify_digest_bytes(sum, p, escape);
        p = ngx_ors_json_unit(escape, &code);
        ngx_ors_verify_digest_unit(sum, code);
    }

    ngx_ors_verify_digest_bytes(sum, p, last);
}


void
ngx_ors_verify_digest_fold(ngx_ors_verify_digest_t *sum, ngx_uint_t type,
    ngx_ors_verify_digest_t *text)
{
    u_char                   bytes[2 * sizeof(uint64_t) + 1];
    ngx_ors_verify_digest_t  whole;

    whole = *text;
    ngx_ors_verify_digest_end(&whole);

    ngx_memcpy(bytes, &whole.hash, sizeof(uint64_t));
    ngx_memcpy(bytes + sizeof(uint64_t), &whole.len, sizeof(uint64_t));
    bytes[2 * sizeof(uint64_t)] = (u_char) type;

    ngx_ors_verify_digest_bytes(sum, bytes, bytes + sizeof(bytes));
}


ngx_uint_t
ngx_ors_verify_digest_equal(ngx_ors_verify_digest_t *one,
    ngx_ors_verify_digest_t *two)
{
    ngx_ors_verify_digest_t  a, b;

    a = *one;
    b = *two;

    ngx_ors_verify_digest_end(&a);
    ngx_ors_verify_digest_end(&b);

    return a.hash == b.hash && a.len == b.len;
}


ngx_uint_t
ngx_ors_verify_digest_is(ngx_ors_verify_digest_t *sum, ngx_ors_json_t *json,
    ngx_ors_json_node_t *node)
{
    ngx_ors_verify_digest_t  whole;

    ngx_ors_verify_digest_init(&whole);
    ngx_ors_verify_digest_add(&whole, json, node);

    return ngx_ors_verify_digest_equal(sum, &whole);
}


static void
ngx_ors_verify_digest_bytes(ngx_ors_verify_digest_t *sum, u_char *p,
    u_char *last)
{
    uint64_t  hash;

    if (p == last) {
        return;
    }

    ngx_ors_verify_digest_end(sum);

    sum->len += last - p;
    hash = sum->hash;

    while (p < last) {
        hash = ngx_ors_verify_digest_byte(hash, *p++);
    }

    sum->hash = hash;
}


/* a unit of UTF-16: a pair counts as the character that it is */

static void
ngx_ors_verify_digest_unit(ngx_ors_verify_digest_t *sum, uint32_t code)
{
    if (ngx_ors_json_pair(sum->high, code)) {
        code = ngx_ors_json_joined(sum->high, code);
        sum->high = 0;

    } else {
        ngx_ors_verify_digest_end(sum);
    }

    if ((code & 0xfffffc00) == 0xd800) {
        sum->high = code;
        return;
    }

    ngx_ors_verify_digest_code(sum, code);
}


/* as UTF-8; a lone half is written like any other code */

static void
ngx_ors_verify_digest_code(ngx_ors_verify_digest_t *sum, uint32_t code)
{
    u_char    bytes[4], *p;
    uint64_t  hash;

    p = ngx_ors_json_utf8(bytes, code);

    sum->len += p - bytes;
    hash = sum->hash;

    for (code = 0; bytes + code < p; code++) {
        hash = ngx_ors_verify_digest_byte(hash, bytes[code]);
    }

    sum->hash = hash;
}


/* nothing can follow a half that was left alone */

static void
ngx_ors_verify_digest_end(ngx_ors_verify_digest_t *sum)
{
    uint32_t  code;

    if (sum->high) {
        code = sum->high;
        sum->high = 0;
        ngx_ors_verify_digest_code(sum, code);
    }
}


/*
 * Error answers of upstreams in the protocol's form, and the failures that
 * the validator makes itself.
 */


ngx_int_t
ngx_ors_verify_failure(void *data, ngx_str_t *text)
{
    ngx_ors_verify_t *verify = data;

    ngx_int_t        rc;
    ngx_uint_t       status;
    ngx_ors_error_t  err;

    rc = ngx_ors_verify_validate(verify, text, &ngx_ors_fields_error, &err);

    if (rc == NGX_ERROR || ngx_ors_verify_failure_error(verify) != NGX_OK) {
        return NGX_ERROR;
    }

    status = verify->answer->status;

    if (verify->policy->mask) {
        ngx_ors_mask_answer(&verify->error, status);

    } else if (rc == NGX_OK && status >= 400 && status < 600) {
        return ngx_ors_verify_failure_pass(verify, text);
    }

    return ngx_ors_verify_failed(verify);
}


/* a redirect becomes 502 without a word of its body */

static ngx_int_t
ngx_ors_verify_failure_error(ngx_ors_verify_t *verify)
{
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *node;

    json = &verify->json;

    if (verify->answer->status < 400 || json->error != ngx_ors_json_err_none) {
        return ngx_ors_answer_error(&verify->error, verify->pool,
                                    verify->answer->status, NULL, NULL);
    }

    if (ngx_ors_answer_error(&verify->error, verify->pool,
                             verify->answer->status,
                             json, json->nodes)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_ors_answer_said_log(verify->answer, &verify->error, verify->request);

    /* the place is one in the request that the client has sent */

    node = ngx_ors_json_find(json, json->nodes, "error");
    node = ngx_ors_json_find(json, node, "param");

    if (node && node->type == ngx_ors_json_string && !node->escaped) {
        ngx_ors_json_raw(json, node, &verify->error.param);
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_verify_failure_pass(ngx_ors_verify_t *verify, ngx_str_t *text)
{
    ngx_int_t             rc;
    ngx_str_t             raw;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *error, *code, *type;

    verify->status = verify->answer->status;
    ngx_str_set(&verify->type, "application/json");

    ngx_ors_error_reported(&verify->error, verify->answer->status);

    rc = NGX_OK;
    json = &verify->json;

    error = ngx_ors_json_find(json, json->nodes, "error");
    code = ngx_ors_json_find(json, error, "code");
    type = ngx_ors_json_find(json, error, "type");

    /* clients read a text: a number becomes one */

    if (code && code->type == ngx_ors_json_number) {
        ngx_ors_json_raw(json, code, &raw);
        rc = ngx_ors_verify_failure_set(verify, code, &raw);
    }

    if (rc == NGX_OK && type && !ngx_ors_verify_failure_known(verify, type)) {
        rc = ngx_ors_verify_failure_set(verify, type, &verify->error.type);
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_ors_edits_write(&verify->edits, json, 0, text->len, 1, verify->out);

    return NGX_DONE;
}


/* puts a text without escapes in the place of "node" */

static ngx_int_t
ngx_ors_verify_failure_set(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *node, ngx_str_t *value)
{
    u_char     *p;
    ngx_str_t   text;

    p = ngx_pnalloc(verify->pool, value->len + 2);
    if (p == NULL) {
        return NGX_ERROR;
    }

    text.data = p;
    text.len = ngx_sprintf(p, "\"%V\"", value) - p;

    verify->repaired++;

    return ngx_ors_edits_value(&verify->edits, node, &text);
}


/* types that the specification does not have are of its flavors (C2) */

static ngx_uint_t
ngx_ors_verify_failure_known(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *type)
{
    ngx_uint_t  i;

    static ngx_str_t  types[] = {
        ngx_string("invalid_request"),
        ngx_string("not_found"),
        ngx_string("too_many_requests"),
        ngx_string("server_error"),
        ngx_string("model_error")
    };

    if (verify->policy->profile & NGX_ORS_IN_OPENAI) {
        return 1;
    }

    for (i = 0; i < sizeof(types) / sizeof(types[0]); i++) {

        if (ngx_ors_json_equal(&verify->json, type, types[i].data,
                               types[i].len))
        {
            return 1;
        }
    }

    return 0;
}


ngx_int_t
ngx_ors_verify_failed(ngx_ors_verify_t *verify)
{
    verify->replaced = 1;
    verify->status = verify->error.status;
    ngx_str_set(&verify->type, "application/json");

    ngx_ors_out_lit(verify->out, "{\"error\":");
    ngx_ors_error_render(verify->out, &verify->error);
    ngx_ors_out_lit(verify->out, "}");

    return NGX_DONE;
}


/*
 * Each chunk of a chat completion stream against the schema, and the end of
 * such a stream.
 */


ngx_int_t
ngx_ors_verify_chat(ngx_ors_verify_t *verify)
{
    ngx_int_t             rc;
    ngx_ors_json_node_t  *root;

    rc = ngx_ors_verify_chat_error(verify);

    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_ors_verify_check(verify, &verify->answer->sse.data,
                              verify->endpoint->event);

    if (rc == NGX_OK) {
        rc = ngx_ors_verify_chat_choices(verify);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_ors_verify_event_lines(&verify->answer->sse.data);

    root = verify->json.nodes;

    ngx_ors_frame_open(verify->out, NULL);
    ngx_ors_edits_write(&verify->edits, &verify->json,
                        ngx_ors_edit_start(root), ngx_ors_edit_end(root), 0,
                        verify->out);
    ngx_ors_frame_close(verify->out);

    return NGX_OK;
}


/*
 * NGX_OK: no error; NGX_DECLINED: verify->error says what upstream has
 * reported; NGX_ERROR
 */

static ngx_int_t
ngx_ors_verify_chat_error(ngx_ors_verify_t *verify)
{
    ngx_int_t             rc;
    ngx_str_t            *data, *event;
    ngx_uint_t            named;
    ngx_ors_json_node_t  *error;

    static ngx_str_t  key = ngx_string("\"error\"");

    data = &verify->answer->sse.data;
    event = &verify->answer->sse.event;

    named = (event->len == 5 && ngx_memcmp(event->data, "error", 5) == 0);

    /* in a string the quotes would be escaped */

    if (!named
        && memmem(data->data, data->len, key.data, key.len) == NULL)
    {
        return NGX_OK;
    }

    rc = ngx_ors_json_read(&verify->json, data->data, data->len);

    if (rc != NGX_OK) {
        return (rc == NGX_DECLINED) ? NGX_OK : NGX_ERROR;
    }

    error = ngx_ors_json_find(&verify->json, verify->json.nodes, "error");

    if (!named && (error == NULL || error->type == ngx_ors_json_null)) {
        return NGX_OK;
    }

    if (ngx_ors_answer_error(&verify->error, verify->pool, 0, &verify->json,
                             verify->json.nodes)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (verify->policy->mask) {
        ngx_ors_mask(&verify->error);
    }

    return NGX_DECLINED;
}


static ngx_int_t
ngx_ors_verify_chat_choices(ngx_ors_verify_t *verify)
{
    int64_t                   n;
    uint64_t                  bit;
    ngx_ors_json_t           *json;
    ngx_ors_json_node_t      *choices, *choice, *node;
    ngx_ors_verify_stream_t  *vs;

    vs = verify->stream;
    json = &verify->json;

    choices = ngx_ors_json_find(json, json->nodes, "choices");

    if (choices == NULL || choices->type != ngx_ors_json_array) {
        return NGX_OK;
    }

    ngx_ors_json_each(choice, json, choices) {
        verify->begun = 1;
        node = ngx_ors_json_find(json, choice, "index");
        n = 0;

        if (node && (ngx_ors_json_integer(json, node, &n) != NGX_OK
                     || n < 0 || n >= NGX_ORS_VERIFY_CHOICES))
        {
            return ngx_ors_verify_violation(verify, "a choice has an "
                                            "impossible index");
        }

        bit = (uint64_t) 1 << (n & 63);
        vs->seen[n >> 6] |= bit;

        node = ngx_ors_json_find(json, choice, "finish_reason");

        if (node && node->type != ngx_ors_json_null) {
            vs->finished[n >> 6] |= bit;
        }
    }

    return NGX_OK;
}


ngx_uint_t
ngx_ors_verify_chat_ends(ngx_ors_verify_t *verify, ngx_uint_t done)
{
    ngx_ors_verify_stream_t  *vs;

    vs = verify->stream;

    if (!(vs->seen[0] | vs->seen[1])) {
        return 0;
    }

    return done || (vs->seen[0] == vs->finished[0]
                    && vs->seen[1] == vs->finished[1]);
}


void
ngx_ors_verify_chat_fail(ngx_ors_verify_t *verify)
{
    ngx_ors_frame_open(verify->out, NULL);
    ngx_ors_out_lit(verify->out, "{\"error\":");
    ngx_ors_error_render(verify->out, &verify->error);
    ngx_ors_out_lit(verify->out, "}");
    ngx_ors_frame_close(verify->out);
    ngx_ors_frame_done(verify->out);
}


/*
 * Deviations from the order of a stream that pass with a warning, by profile.
 */


ngx_int_t
ngx_ors_verify_tolerate(ngx_ors_verify_t *verify, ngx_ors_tolerated_e deviation)
{
    ngx_uint_t                  bit;
    const ngx_ors_tolerated_t  *s;

    s = &ngx_ors_tolerated[deviation];

    if (!(s->in & verify->policy->profile)) {
        return ngx_ors_verify_violation(verify, s->text);
    }

    bit = (ngx_uint_t) 1 << deviation;

    if (!(verify->stream->tolerated & bit)) {
        verify->stream->tolerated |= bit;

        ngx_log_error(NGX_LOG_WARN, verify->log, 0,
                      "model server's stream: %s", s->text);
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_verify_violation(ngx_ors_verify_t *verify, const char *what)
{
    const ngx_ors_verify_row_t  *row;

    /* the name of an event is quoted if it is ours, not the server's */

    row = verify->stream->row;

    if (row == NULL) {
        return ngx_ors_verify_found(verify,
                                    ngx_ors_code_invalid_upstream_answer,
                                    "the model server's stream is not valid: "
                                    "%s", what);
    }

    return ngx_ors_verify_found(verify, ngx_ors_code_invalid_upstream_answer,
                                "the model server's stream is not valid: "
                                "%V: %s", &row->name, what);
}


/*
 * The end of a validated answer, held back while the store commits the turn.
 */


ngx_int_t
ngx_ors_verify_store_hold(ngx_ors_verify_t *verify, ngx_str_t *type)
{
    ngx_int_t             rc;
    ngx_str_t             id;
    ngx_ors_out_t         out;
    ngx_ors_json_node_t  *root;

    root = verify->json.nodes;

    rc = ngx_ors_verify_store_id(verify, type ? ngx_ors_json_find(&verify->json,
                                                                  root,
                                                                  "response")
                                           : root,
                                 &id);

    if (rc == NGX_DECLINED) {
        return ngx_ors_verify_found(verify,
                                    ngx_ors_code_invalid_upstream_answer,
                                    "the model server's answer is not valid: "
                                    "its id is empty, longer than %d bytes or "
                                    "has a control character", NGX_ORS_ID_MAX);
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_ors_out_init(&out, verify->pool, NGX_ORS_VERIFY_KEEP_BLOCK);

    ngx_ors_edits_write(&verify->edits, &verify->json, ngx_ors_edit_start(root),
                        ngx_ors_edit_end(root), 1, &out);

    if (ngx_ors_out_text(&out, &verify->held) != NGX_OK) {
        return NGX_ERROR;
    }

    if (type == NULL) {
        return NGX_OK;
    }

    verify->held_type.len = type->len;
    verify->held_type.data = ngx_pstrdup(verify->pool, type);

    return verify->held_type.data ? NGX_OK : NGX_ERROR;
}


ngx_int_t
ngx_ors_verify_store_response(ngx_ors_verify_t *verify, ngx_str_t *response,
    ngx_str_t *id, ngx_str_t *items)
{
    ngx_int_t             rc;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *object, *node;

    json = &verify->json;

    rc = ngx_ors_verify_store_read(verify, &object);

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_ors_json_raw(json, object, response);

    rc = ngx_ors_verify_store_id(verify, object, id);

    if (rc != NGX_OK) {
        return rc;
    }

    node = ngx_ors_json_find(json, object, "output");

    if (node == NULL || node->type != ngx_ors_json_array) {
        return NGX_DECLINED;
    }

    ngx_ors_json_raw(json, node, items);

    return NGX_OK;
}


/* the id is decoded: a client may ask for it in another spelling */

static ngx_int_t
ngx_ors_verify_store_id(ngx_ors_verify_t *verify, ngx_ors_json_node_t *object,
    ngx_str_t *id)
{
    size_t                i;
    ngx_ors_json_t       *json;
    ngx_ors_json_node_t  *node;

    json = &verify->json;
    node = ngx_ors_json_find(json, object, "id");

    if (node == NULL || node->type != ngx_ors_json_string) {
        return NGX_DECLINED;
    }

    if (ngx_ors_json_decoded(json, node, verify->pool, id) != NGX_OK) {
        return NGX_ERROR;
    }

    if (id->len == 0 || id->len > NGX_ORS_ID_MAX) {
        return NGX_DECLINED;
    }

    for (i = 0; i < id->len; i++) {
        if (id->data[i] < 0x20 || id->data[i] == 0x7f) {
            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_verify_store_read(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t **response)
{
    ngx_int_t  rc;

    rc = ngx_ors_json_read(&verify->json, verify->held.data, verify->held.len);

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_ors_edits_clear(&verify->edits);

    *response = verify->json.nodes;

    if (verify->held_type.len) {
        *response = ngx_ors_json_find(&verify->json, *response, "response");
    }

    return *response ? NGX_OK : NGX_DECLINED;
}


ngx_int_t
ngx_ors_verify_store_release(ngx_ors_verify_t *verify, ngx_uint_t stored)
{
    ngx_int_t             rc;
    ngx_ors_out_t        *out;
    ngx_ors_json_node_t  *object;

    static ngx_str_t  value = ngx_string("false");

    rc = ngx_ors_verify_store_read(verify, &object);

    if (rc == NGX_OK && !stored) {
        rc = ngx_ors_verify_set(verify, object, "store", &value);
    }

    if (rc != NGX_OK) {
        return NGX_ERROR;
    }

    out = verify->out;

    if (verify->held_type.len) {
        ngx_ors_frame_open(out, &verify->held_type);
    }

    ngx_ors_edits_write(&verify->edits, &verify->json, 0, verify->held.len, 1,
                        out);

    if (verify->held_type.len) {
        ngx_ors_frame_close(out);
        ngx_ors_frame_done(out);
        return NGX_OK;
    }

    verify->status = verify->answer->status;
    ngx_str_set(&verify->type, "application/json");

    return NGX_OK;
}


/*
 * The members of an event that the order of a stream depends on, and how an
 * event with repaired members is written.
 */


ngx_int_t
ngx_ors_verify_event_read(ngx_ors_verify_t *verify, ngx_ors_verify_event_t *ev)
{
    ngx_int_t                    rc;
    ngx_uint_t                   i;
    ngx_ors_json_t              *json;
    const ngx_str_t             *name;
    ngx_ors_json_node_t         *key;
    const ngx_ors_verify_row_t  *row;

    ngx_memzero(ev, sizeof(ngx_ors_verify_event_t));

    json = &verify->json;

    ngx_ors_json_each(key, json, json->nodes) {
        name = ngx_ors_json_name(json, key, ngx_ors_verify_members);
        i = name - ngx_ors_verify_members;

        /* null counts as absent where the tables admit it */

        if (name->len && (key[1].type != ngx_ors_json_null
                          || i == ngx_ors_verify_m_sequence_number))
        {
            ev->member[i] = key + 1;
        }
    }

    row = verify->stream->row;
    verify->stream->row = NULL;

    rc = ngx_ors_verify_event_type(verify, ev);

    if (rc != NGX_OK) {
        return rc;
    }

    /* most events are of the type of the last one */

    if (row == NULL || !ngx_ors_same(&row->name, &ev->type)) {

        for (row = ngx_ors_verify_rows; row->name.len; row++) {

            if (ngx_ors_same(&row->name, &ev->type)) {
                break;
            }
        }
    }

    if (row->name.len) {
        ev->type = row->name;
        ev->act = row->act;

    } else {
        row = NULL;
        ev->act = (ev->member[ngx_ors_verify_m_output_index]
                   && ngx_strlchr(ev->type.data,
                                  ev->type.data + ev->type.len, ':') == NULL)
                  ? ngx_ors_verify_act_item : ngx_ors_verify_act_none;
    }

    ev->row = row;
    verify->stream->row = row;

    return NGX_OK;
}


void
ngx_ors_verify_event_lines(ngx_str_t *data)
{
    u_char  *p, *last;

    last = data->data + data->len;

    for (p = data->data; p < last; p++) {
        p = memchr(p, LF, last - p);

        if (p == NULL) {
            return;
        }

        *p = ' ';
    }
}


ngx_ors_verify_part_e
ngx_ors_verify_event_part(ngx_ors_json_t *json, ngx_ors_json_node_t *part,
    ngx_ors_json_node_t **text)
{
    ngx_uint_t            i;
    ngx_ors_json_node_t  *type;

    type = ngx_ors_json_find(json, part, "type");

    for (i = 1; type && i < ngx_ors_verify_part_other; i++) {

        if (ngx_ors_json_equal(json, type, ngx_ors_verify_parts[i].type.data,
                               ngx_ors_verify_parts[i].type.len))
        {
            *text = ngx_ors_json_get(json, part,
                                     ngx_ors_verify_parts[i].text.data,
                                     ngx_ors_verify_parts[i].text.len);
            return i;
        }
    }

    *text = NULL;

    return ngx_ors_verify_part_other;
}


/* as it is to be in the event's line, where it must end with the line */

static ngx_int_t
ngx_ors_verify_event_type(ngx_ors_verify_t *verify, ngx_ors_verify_event_t *ev)
{
    size_t                i;
    ngx_ors_json_node_t  *type;

    type = ev->member[ngx_ors_verify_m_type];

    if (!type->escaped) {
        ngx_ors_json_raw(&verify->json, type, &ev->type);
        return NGX_OK;
    }

    if (type->len > NGX_ORS_VERIFY_TYPE_MAX) {
        return ngx_ors_verify_violation(verify, "a type is too long");
    }

    /* not from the pool: any number of events may have such a type */

    ev->type.data = verify->stream->type;
    ev->type.len = ngx_ors_json_decode(&verify->json, type, ev->type.data)
                   - ev->type.data;

    for (i = 0; i < ev->type.len; i++) {

        if (ev->type.data[i] < 0x20) {
            return ngx_ors_verify_violation(verify, "a type has a control "
                                            "character");
        }
    }

    return NGX_OK;
}
