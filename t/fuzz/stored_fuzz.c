
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Stored items, put before the input of a request and translated: whatever
 * the store holds, be it of another profile, of another version or of nobody
 * of ours, what is sent is legal JSON, or the client is told an error.
 *
 * Input: flags, the allocation that fails, the profiles and what becomes of
 * unknown fields, four bytes of what the server is used to; then sections
 * that end with a byte 0xff: the request, and by turns what came in and what
 * went out, as they are or as lists of fragments.
 */


#include "fuzz_json.h"
#include "request_fuzz.h"
#include "stored_fuzz.h"

#include <ngx_ors_fields.h>
#include <ngx_ors_context.h>
#include <ngx_ors_test_items.h>
#include <ngx_ors_test_request.h>
#include <ngx_ors_turn.h>


#define STORED_FUZZ_NO_MEMORY  0x01
#define STORED_FUZZ_LIST       0x02       /* of fragments */
#define STORED_FUZZ_CHECKED    0x04       /* as outputs of the first profile */
#define STORED_FUZZ_BUDGET     0x08
#define STORED_FUZZ_PASS       0x10       /* to a server of our own kind */

#define STORED_FUZZ_HEAD       7
#define STORED_FUZZ_MAX        65536
#define STORED_FUZZ_TURNS      4


typedef struct {
    ngx_uint_t               flags;
    ngx_str_t                body;
    ngx_ors_context_turn_t   turns[STORED_FUZZ_TURNS];
    ngx_ors_index_t          outputs[STORED_FUZZ_TURNS];
    ngx_uint_t               nturns;
    ngx_ors_policy_t         policy;
    ngx_ors_chat_options_t   options;
} stored_fuzz_t;


static void stored_fuzz_habits(ngx_ors_chat_options_t *options,
    const uint8_t *p);
static ngx_str_t stored_fuzz_section(const uint8_t **p, const uint8_t *last,
    ngx_uint_t list, ngx_uint_t request);
static ngx_uint_t stored_fuzz_output(ngx_str_t *items, ngx_uint_t profile);
static void stored_fuzz_run(stored_fuzz_t *f, ngx_uint_t fail);
static ngx_int_t stored_fuzz_turn(stored_fuzz_t *f, ngx_ors_turn_t *turn,
    ngx_ors_out_t *out);
static ngx_int_t stored_fuzz_refs(stored_fuzz_t *f, ngx_ors_request_t *req,
    ngx_ors_context_t *ctx);
static void stored_fuzz_sent(stored_fuzz_t *f, ngx_str_t *text,
    ngx_pool_t *pool);


static ngx_ors_limits_t  stored_fuzz_limits = {
    .depth = 64, .nodes = 100000, .items = 1000, .tools = 100, .calls = 16,
    .event = 65536, .answer = 1048576, .queue = 65536, .turns = 100,
    .context = 1048576
};


int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    ngx_str_t       items;
    ngx_uint_t      i, list;
    ngx_pool_t     *pool;
    stored_fuzz_t   f;
    const uint8_t  *p, *last;

    if (size < STORED_FUZZ_HEAD) {
        return 0;
    }

    ngx_ors_test_log_reset();
    ngx_memzero(&f, sizeof(stored_fuzz_t));

    f.flags = input[0];
    f.policy = ngx_ors_test_policy;
    f.policy.profile = 1 << (input[2] >> 2 & 3);
    f.policy.unknown = input[2] >> 4 & 3;

    stored_fuzz_habits(&f.options, input + 3);

    p = input + STORED_FUZZ_HEAD;
    last = input + size;
    list = f.flags & STORED_FUZZ_LIST;

    pool = ngx_ors_test_pool();

    f.body = stored_fuzz_section(&p, last, list, 1);

    for (i = 0; i < 2 * STORED_FUZZ_TURNS && p < last; i++) {
        items = stored_fuzz_section(&p, last, list, 0);

        if ((f.flags & STORED_FUZZ_CHECKED)
            && !stored_fuzz_output(&items, 1 << (input[2] & 3)))
        {
            items.len = 0;
        }

        if (i & 1) {
            f.turns[i / 2].output = items;
            ngx_ors_test_items(&f.outputs[i / 2], &items, pool);

        } else {
            ngx_ors_test_items(&f.turns[i / 2].input, &items, pool);
        }
    }

    if (i & 1) {
        f.turns[i / 2].output.len = 0;
        f.turns[i / 2].output.data = malloc(1);
    }

    f.nturns = (i + 1) / 2;

    if (f.flags & STORED_FUZZ_NO_MEMORY) {
        stored_fuzz_run(&f, input[1] + 1);
    }

    stored_fuzz_run(&f, 0);

    ngx_destroy_pool(pool);

    for (i = 0; i < f.nturns; i++) {
        free(f.turns[i].input.text.data);
        free(f.turns[i].output.data);
    }

    free(f.body.data);

    fuzz_check(ngx_ors_test_logged(NGX_LOG_ALERT) == 0);

    return 0;
}


static void
stored_fuzz_habits(ngx_ors_chat_options_t *options, const uint8_t *p)
{
    *options = ngx_ors_chat_options;

    options->developer = p[0] & 1;
    options->systems = p[0] >> 1 & 1;
    options->images = p[0] >> 2 & 1;
    options->videos = p[0] >> 3 & 1;
    options->usage = p[0] >> 4 & 1;
    options->format = p[0] >> 5 & 1;
    options->continues = p[0] >> 6 & 1;
    options->tokens = p[1] % 3;
    options->stream = p[1] / 3 % 3;
    options->reasoning = p[1] / 9 % 3;
    options->content = p[1] / 27 % 3;
    options->files = p[2] % 3;
    options->strict = p[2] / 3 % 5;
    options->params = p[3];
}


/* exactly sized, for the sanitizer */

static ngx_str_t
stored_fuzz_section(const uint8_t **p, const uint8_t *last, ngx_uint_t list,
    ngx_uint_t request)
{
    u_char         *dst;
    ngx_str_t       s, section;
    ngx_uint_t      n;
    const char     *f;
    const uint8_t  *end;

    static u_char      text[STORED_FUZZ_MAX];
    static const char  begin[] = "{\"model\":\"m\",\"input\":[{\"type\":"
                                 "\"reasoning\",\"summary\":[]}";

    section = fuzz_line(p, last, 0xff);

    if (!list) {
        s.len = section.len;
        s.data = fuzz_copy(section.data, s.len);
        return s;
    }

    n = 0;
    dst = request ? ngx_cpymem(text, begin, sizeof(begin) - 1) : text;

    end = section.data + section.len;

    for (p = (const uint8_t **) &section.data;
         *p < end && dst < text + STORED_FUZZ_MAX - 1024;
         /* void */ )
    {
        f = (request || (**p & 0x80))
            ? request_fuzz_fragments[**p % REQUEST_FUZZ_N]
            : stored_fuzz_fragments[**p % STORED_FUZZ_N];
        (*p)++;

        dst = request_fuzz_fragment(dst, f, p, end, &n);
    }

    if (request) {
        *dst++ = ']';
        *dst++ = '}';

        s.len = dst - text;
        s.data = fuzz_copy(text, s.len);

        return s;
    }

    /* without the first comma */

    s.len = (dst > text) ? dst - text - 1 : 0;
    s.data = fuzz_copy(text + 1, s.len);

    return s;
}


/* 1 if a validated response may have them as its output */

static ngx_uint_t
stored_fuzz_output(ngx_str_t *items, ngx_uint_t profile)
{
    u_char               *p;
    ngx_str_t             text;
    ngx_uint_t            good;
    ngx_pool_t           *pool;
    ngx_ors_json_t        json;
    ngx_ors_error_t       err;
    ngx_ors_policy_t      policy;
    ngx_ors_validate_t    v;
    ngx_ors_json_node_t  *item;

    pool = ngx_ors_test_pool();

    text.len = items->len + 2;
    text.data = ngx_pnalloc(pool, text.len);

    p = text.data;
    *p++ = '[';
    p = ngx_cpymem(p, items->data, items->len);
    *p = ']';

    ngx_ors_json_init(&json, pool, NGX_ORS_JSON_MAX_DEPTH, 100000);

    good = (ngx_ors_json_read(&json, text.data, text.len) == NGX_OK);

    ngx_memzero(&v, sizeof(ngx_ors_validate_t));
    policy = ngx_ors_test_policy;
    policy.profile = profile;

    v.json = &json;
    v.policy = &policy;
    v.root = "it";
    v.pool = pool;
    v.err = &err;

    item = good ? ngx_ors_json_first(&json, json.nodes) : NULL;

    for ( /* void */ ; item && good; item = ngx_ors_json_next(&json, item)) {
        good = item->type == ngx_ors_json_object
               && ngx_ors_validate(&v, item, &ngx_ors_fields_item, NULL)
                  == NGX_OK;
    }

    ngx_destroy_pool(pool);

    return good;
}


/* "fail": 0, or the number of the allocation that fails */

static void
stored_fuzz_run(stored_fuzz_t *f, ngx_uint_t fail)
{
    ngx_int_t        rc;
    ngx_str_t        text;
    ngx_uint_t       failed;
    ngx_pool_t      *pool;
    ngx_ors_out_t    out;
    ngx_ors_turn_t  *turn;

    pool = ngx_ors_test_pool();
    ngx_ors_out_init(&out, pool, 4096);

    ngx_ors_test_fail_after(fail);

    turn = ngx_ors_turn_create(
        ngx_ors_endpoint(ngx_ors_endpoint_responses), &f->policy,
        &stored_fuzz_limits, pool, pool->log);

    rc = turn ? stored_fuzz_turn(f, turn, &out) : NGX_ERROR;

    failed = ngx_ors_test_failed() || out.failed;
    ngx_ors_test_fail_after(0);

    switch (rc) {

    case NGX_OK:

        if (!failed) {
            text = fuzz_take(&out, pool);
            stored_fuzz_sent(f, &text, pool);
        }

        break;

    case NGX_DECLINED:                /* a reference to nothing */
        break;

    case NGX_DONE:
        fuzz_check(turn->status >= 400 && turn->status <= 599);
        break;

    default:

        /* of what no server could have sent nothing better is to be said */

        fuzz_check(rc == NGX_ERROR
                   && (failed || !(f->flags & STORED_FUZZ_CHECKED)));
    }

    ngx_destroy_pool(pool);
}


static ngx_int_t
stored_fuzz_turn(stored_fuzz_t *f, ngx_ors_turn_t *turn, ngx_ors_out_t *out)
{
    ngx_int_t          rc;
    ngx_str_t          model;
    ngx_ors_context_t  ctx;

    rc = ngx_ors_turn_request(turn, &f->body);

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_memzero(&ctx, sizeof(ngx_ors_context_t));

    ctx.turns = f->turns;
    ctx.nturns = f->nturns;
    ctx.budget = (f->flags & STORED_FUZZ_BUDGET) ? 500 : 0;

    rc = stored_fuzz_refs(f, &turn->request, &ctx);

    if (rc != NGX_OK) {
        return rc;
    }

    rc = ngx_ors_turn_context(turn, &ctx);

    if (rc != NGX_OK) {
        return rc;
    }

    ngx_str_null(&model);

    return ngx_ors_turn_call(turn, (f->flags & STORED_FUZZ_PASS)
                                   ? ngx_ors_dialect_responses
                                   : ngx_ors_dialect_chat,
                             &f->options, &model, out);
}


/* the references are looked for in one turn after the other, by turns */

static ngx_int_t
stored_fuzz_refs(stored_fuzz_t *f, ngx_ors_request_t *req,
    ngx_ors_context_t *ctx)
{
    ngx_int_t                rc;
    ngx_uint_t               i, n, owner;
    ngx_ors_refs_t           refs;
    ngx_ors_error_t          err;
    ngx_ors_context_turn_t  *turn;

    if (ngx_ors_refs_read(&refs, req) != NGX_OK) {
        return NGX_ERROR;
    }

    ctx->refs = refs.elts;

    for (i = 0; i < refs.nsorted; i++) {
        ngx_memzero(refs.sorted[i]->owner, NGX_ORS_REF_OWNER);
        refs.sorted[i]->owner[0] = f->nturns ? i % f->nturns : 0;
    }

    ngx_ors_refs_group(&refs);

    for (i = 0; i < refs.nsorted; i += n) {
        owner = refs.sorted[i]->owner[0];

        for (n = 1; i + n < refs.nsorted
                    && refs.sorted[i + n]->owner[0] == owner; n++)
        { /* void */ }

        if (owner >= f->nturns) {
            return ngx_ors_refs_unknown(req, refs.sorted[i], &err);
        }

        turn = &f->turns[owner];

        rc = ngx_ors_refs_find(&refs.sorted[i], n, &turn->input,
                               &f->outputs[owner], req, &err);

        if (rc != NGX_OK) {
            fuzz_check(rc == NGX_ERROR || err.status == 400);
            return rc;
        }
    }

    return NGX_OK;
}


static void
stored_fuzz_sent(stored_fuzz_t *f, ngx_str_t *text, ngx_pool_t *pool)
{
    ngx_ors_json_t        json;
    ngx_ors_json_node_t  *node;

    fuzz_read(&json, pool, text);

    /* a text that is no list of items may end the list, and begin another */

    if (!(f->flags & STORED_FUZZ_CHECKED)) {
        return;
    }

    node = (f->flags & STORED_FUZZ_PASS)
           ? fuzz_get(&json, json.nodes, "input")
           : fuzz_get(&json, json.nodes, "messages");

    fuzz_check(node && node->type == ngx_ors_json_array && node->count);
}
