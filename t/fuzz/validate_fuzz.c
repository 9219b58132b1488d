
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The walker with all tables, profiles and policies.  What it lets pass
 * passes again when it was written with the edits, and needs none then; what
 * it refuses is told in legal text.
 *
 * Input: the table, the profile and the policy, then the document.
 */


#include <ngx_ors_test.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_utf8.h>
#include <ngx_ors_validate.h>

#include <stdlib.h>


#define VALIDATE_FUZZ_DEPTH  64
#define VALIDATE_FUZZ_NODES  10000


int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

static void validate_fuzz_again(ngx_ors_validate_t *v, ngx_ors_edits_t *edits,
    const ngx_ors_shape_t *shape);
static void validate_fuzz_error(ngx_ors_error_t *err);
static void validate_fuzz_check(ngx_uint_t cond);


static const ngx_ors_shape_t  *validate_fuzz_shapes[] = {
    &ngx_ors_fields_create,
    &ngx_ors_fields_compact,
    &ngx_ors_fields_response,
    &ngx_ors_fields_compaction,
    &ngx_ors_fields_event,
    &ngx_ors_fields_error,
    &ngx_ors_fields_chat_request,
    &ngx_ors_fields_chat_answer,
    &ngx_ors_fields_chat_chunk,
    &ngx_ors_fields_embeddings_request,
    &ngx_ors_fields_embeddings_answer,
    &ngx_ors_fields_models
};


#define VALIDATE_FUZZ_SHAPES                                                  \
    (sizeof(validate_fuzz_shapes) / sizeof(validate_fuzz_shapes[0]))


int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    u_char                 *text;
    ngx_int_t               rc;
    ngx_pool_t             *pool;
    ngx_ors_json_t          json;
    ngx_ors_edits_t         edits;
    ngx_ors_error_t         err;
    ngx_ors_policy_t        policy;
    ngx_ors_validate_t      v;
    const ngx_ors_shape_t  *shape;

    if (size < 2) {
        return 0;
    }

    pool = ngx_ors_test_pool();

    /* a copy of its own size, so that a byte too many is noticed */

    text = malloc(size - 2 ? size - 2 : 1);
    validate_fuzz_check(text != NULL);
    memcpy(text, input + 2, size - 2);

    ngx_ors_json_init(&json, pool, VALIDATE_FUZZ_DEPTH, VALIDATE_FUZZ_NODES);

    if (ngx_ors_json_read(&json, text, size - 2) == NGX_OK) {
        shape = validate_fuzz_shapes[input[0] % VALIDATE_FUZZ_SHAPES];

        ngx_memzero(&err, sizeof(ngx_ors_error_t));
        ngx_memzero(&v, sizeof(ngx_ors_validate_t));
        ngx_ors_edits_init(&edits, pool);

        policy.profile = 1 << (input[1] & 3);
        policy.unknown = (input[1] >> 2) & 3;
        policy.mask = 0;

        v.json = &json;
        v.policy = &policy;
        v.root = "it";
        v.pool = pool;
        v.err = &err;
        v.edits = &edits;
        v.repair = (input[1] >> 4) & 1;
        v.discreet = (input[1] >> 5) & 1;

        rc = ngx_ors_validate(&v, json.nodes, shape, NULL);

        if (rc == NGX_OK) {
            validate_fuzz_again(&v, &edits, shape);

        } else {
            validate_fuzz_check(rc == NGX_DECLINED);
            validate_fuzz_error(&err);
        }
    }

    free(text);
    ngx_destroy_pool(pool);

    return 0;
}


static void
validate_fuzz_again(ngx_ors_validate_t *v, ngx_ors_edits_t *edits,
    const ngx_ors_shape_t *shape)
{
    u_char               *p;
    ngx_str_t             text;
    ngx_chain_t          *cl;
    ngx_ors_out_t         out;
    ngx_ors_json_t        json;
    ngx_ors_edits_t       none;
    ngx_ors_policy_t      policy;
    ngx_ors_validate_t    again;
    ngx_ors_json_node_t  *root;

    root = v->json->nodes;

    ngx_ors_out_init(&out, v->pool, 1024);
    ngx_ors_edits_write(edits, v->json, ngx_ors_edit_start(root),
                        ngx_ors_edit_end(root), edits->n & 1, &out);

    text.len = out.size;
    text.data = ngx_pnalloc(v->pool, text.len);
    validate_fuzz_check(text.data != NULL);
    validate_fuzz_check(ngx_ors_out_take(&out, &cl) == NGX_OK);

    p = text.data;

    for ( /* void */ ; cl; cl = cl->next) {
        p = ngx_cpymem(p, cl->buf->pos, cl->buf->last - cl->buf->pos);
    }

    validate_fuzz_check(edits->n
                        || (text.len == root->len
                            && memcmp(text.data, v->json->text + root->pos,
                                      text.len) == 0));

    ngx_ors_json_init(&json, v->pool, VALIDATE_FUZZ_DEPTH,
                      2 * VALIDATE_FUZZ_NODES);
    validate_fuzz_check(ngx_ors_json_read(&json, text.data, text.len)
                        == NGX_OK);

    /* nothing is left that would be stripped, or filled in */

    policy = *v->policy;

    if (policy.unknown == ngx_ors_unknown_strip) {
        policy.unknown = ngx_ors_unknown_reject;
    }

    ngx_ors_edits_init(&none, v->pool);

    again = *v;
    again.json = &json;
    again.policy = &policy;
    again.edits = &none;
    again.repair = 0;

    validate_fuzz_check(ngx_ors_validate(&again, json.nodes, shape, NULL)
                        == NGX_OK);
    validate_fuzz_check(none.n == 0);
}


static void
validate_fuzz_error(ngx_ors_error_t *err)
{
    validate_fuzz_check(err->status == 400 && err->code.len
                        && err->message.len && err->message.len <= 512);
    validate_fuzz_check(ngx_ors_utf8_valid(err->message.data,
                                           err->message.len)
                        == err->message.len);
    validate_fuzz_check(err->param.len == 0
                        || ngx_ors_utf8_valid(err->param.data, err->param.len)
                           == err->param.len);
}


static void
validate_fuzz_check(ngx_uint_t cond)
{
    if (!cond) {
        abort();
    }
}
