
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The input of a request with its context in front of it: stored lists are read
 * where they lie, and their items precede its own.  Then the references in an
 * input, and an input that grows by the items of a round.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_context.h>
#include <ngx_ors_stored.h>
#include <ngx_ors_id.h>


/* bytes of a list without its brackets */

#define ngx_ors_context_size(list)                                            \
    (((list)->len > 2) ? (list)->len - 2 : 0)

#define ngx_ors_context_empty(list)                                           \
    ((list)->len == 2 && ngx_memcmp((list)->data, "[]", 2) == 0)

/* the root of a text, when all have been read */

#define ngx_ors_context_root(doc)  (&(doc)->nodes[(doc)->root])

#define NGX_ORS_REFS_POOL    4096

/* of a number in an id of ours */
#define NGX_ORS_REFS_DIGITS  7


typedef struct {
    ngx_ors_request_t        *req;
    ngx_ors_context_t        *ctx;
    ngx_ors_error_t          *err;

    ngx_ors_json_t            json;       /* reads all that is stored */
    ngx_ors_json_t          **docs;       /* input and output of each turn, */
    ngx_uint_t                n;          /* references, and rules; */
                                          /* NULL: empty, or left out */
    ngx_uint_t                room;       /* for items of documents */
    ngx_uint_t                cut;        /* turns of which only the rules */
    ngx_uint_t                nrules;     /* remain, and how many they are */

    ngx_ors_input_t           input;
    ngx_uint_t                own;        /* items of the request itself */
    ngx_uint_t                referenced; /* values of references, which give */
                                          /* way to what they name */
} ngx_ors_context_merge_t;


/* references to one turn, which is being looked through */

typedef struct {
    ngx_ors_ref_t     **refs;
    ngx_uint_t          n;
    ngx_ors_json_t      json;     /* reads an item */
    ngx_ors_request_t  *req;
    ngx_ors_error_t    *err;
    ngx_pool_t         *pool;     /* freed after the search */
} ngx_ors_refs_search_t;


static ngx_int_t ngx_ors_context_load(ngx_ors_context_merge_t *cm);
static ngx_uint_t ngx_ors_context_refs(ngx_ors_context_merge_t *cm);
static ngx_int_t ngx_ors_context_doc(ngx_ors_context_merge_t *cm,
    ngx_uint_t n, ngx_str_t *text);
static void ngx_ors_context_cut(ngx_ors_context_merge_t *cm);
static ngx_uint_t ngx_ors_context_flagged(ngx_ors_index_t *items,
    ngx_uint_t flag);
static ngx_int_t ngx_ors_context_rules(ngx_ors_context_merge_t *cm,
    ngx_ors_index_t *items, ngx_uint_t *doc);
static ngx_int_t ngx_ors_context_items(ngx_ors_context_merge_t *cm);
static void ngx_ors_context_input(ngx_ors_context_merge_t *cm);
static ngx_int_t ngx_ors_context_check(ngx_ors_request_t *req,
    ngx_ors_error_t *err);
static ngx_int_t ngx_ors_context_repeats(ngx_ors_request_t *req,
    ngx_ors_error_t *err);
static ngx_int_t ngx_ors_context_same(ngx_ors_input_item_t *item,
    ngx_ors_input_item_t *stored, ngx_pool_t *pool);
static ngx_uint_t ngx_ors_context_open(ngx_ors_request_t *req);
static void ngx_ors_refs_parse(ngx_ors_ref_t *ref);
static ngx_int_t ngx_ors_refs_number(ngx_str_t *rest);
static void ngx_ors_refs_sort(ngx_ors_refs_t *refs);
static int ngx_libc_cdecl ngx_ors_refs_by_id(const void *one,
    const void *two);
static int ngx_libc_cdecl ngx_ors_refs_by_owner(const void *one,
    const void *two);
static ngx_int_t ngx_ors_refs_compare(ngx_str_t *one, ngx_str_t *two);
static ngx_int_t ngx_ors_refs_output(ngx_ors_refs_search_t *rs,
    ngx_ors_index_t *output);
static ngx_ors_ref_t *ngx_ors_refs_search(ngx_ors_refs_search_t *rs,
    ngx_str_t *id);
static ngx_int_t ngx_ors_refs_input(ngx_ors_refs_search_t *rs,
    ngx_ors_index_t *input);
static ngx_int_t ngx_ors_refs_take(ngx_ors_refs_search_t *rs,
    ngx_ors_ref_t *ref, ngx_ors_index_t *items, ngx_ors_index_item_t *item);


ngx_int_t
ngx_ors_context_merge(ngx_ors_request_t *req, ngx_ors_context_t *ctx,
    ngx_ors_error_t *err)
{
    ngx_int_t                rc;
    ngx_ors_context_merge_t  cm;

    ngx_memzero(&cm, sizeof(ngx_ors_context_merge_t));

    cm.req = req;
    cm.ctx = ctx;
    cm.err = err;

    rc = ngx_ors_context_load(&cm);

    if (rc == NGX_OK) {
        rc = ngx_ors_context_items(&cm);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    req->input = cm.input;
    req->values += cm.json.n - cm.referenced;
    req->prior = cm.input.n - cm.own;
    req->merged = 1;

    rc = ngx_ors_context_check(req, err);

    if (rc == NGX_OK) {
        rc = ngx_ors_context_repeats(req, err);
    }

    if (rc == NGX_OK) {
        rc = ngx_ors_request_tools(req, err);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    if (req->input.n > req->prior || req->compact
        || ngx_ors_context_open(req))
    {
        return NGX_OK;
    }

    (void) ngx_ors_error_set(err, req->pool, ngx_ors_code_invalid_value,
                             "\"input\" is empty and the conversation before "
                             "it ends with an answer, there is nothing to "
                             "answer");

    return ngx_ors_error_param(err, "input");
}


/*
 * the previous turns, the rules of those that are dropped, and the references
 */

static ngx_int_t
ngx_ors_context_load(ngx_ors_context_merge_t *cm)
{
    ngx_int_t                rc;
    ngx_uint_t               i, n, rule;
    ngx_ors_context_turn_t  *turn;

    n = ngx_ors_context_refs(cm);

    ngx_ors_context_cut(cm);

    rule = 2 * cm->ctx->nturns + n;

    cm->n = rule + cm->nrules;
    cm->room = cm->nrules;

    cm->docs = ngx_pcalloc(cm->req->pool,
                           (cm->n + 1) * sizeof(ngx_ors_json_t *));
    if (cm->docs == NULL) {
        return NGX_ERROR;
    }

    ngx_ors_json_init(&cm->json, cm->req->pool, NGX_ORS_JSON_MAX_DEPTH,
                      cm->req->limits->nodes - cm->req->json.n
                      + cm->referenced);

    rc = NGX_OK;

    for (i = 0; i < cm->ctx->nturns && rc == NGX_OK; i++) {
        turn = &cm->ctx->turns[i];

        if (i < cm->cut) {
            rc = ngx_ors_context_rules(cm, &turn->input, &rule);
            continue;
        }

        rc = ngx_ors_context_doc(cm, 2 * i, &turn->input.text);

        if (rc == NGX_OK) {
            rc = ngx_ors_context_doc(cm, 2 * i + 1, &turn->output);
        }
    }

    for (i = 0; i < n && rc == NGX_OK; i++) {
        rc = ngx_ors_context_doc(cm, 2 * cm->ctx->nturns + i,
                                 &cm->ctx->refs[i].item);
    }

    /* the nodes have moved while there came more of them */

    for (i = 0; i < cm->n; i++) {

        if (cm->docs[i]) {
            cm->docs[i]->nodes = cm->json.nodes;
        }
    }

    return rc;
}


static ngx_uint_t
ngx_ors_context_refs(ngx_ors_context_merge_t *cm)
{
    ngx_uint_t             i, n;
    ngx_ors_input_item_t  *item;

    if (cm->ctx->refs == NULL) {
        return 0;
    }

    for (i = 0, n = 0; i < cm->req->input.n; i++) {
        item = &cm->req->input.items[i];

        if (item->kind == ngx_ors_input_reference) {
            cm->referenced += 1 + 2 * item->json->nodes[item->node].count;
            n++;
        }
    }

    return n;
}


/* a text is read once, and not copied */

static ngx_int_t
ngx_ors_context_doc(ngx_ors_context_merge_t *cm, ngx_uint_t n,
    ngx_str_t *text)
{
    ngx_int_t  rc;

    if (text->len == 0 || ngx_ors_context_empty(text)) {
        return NGX_OK;
    }

    rc = ngx_ors_json_append(&cm->json, text->data, text->len);

    if (rc == NGX_DECLINED) {
        return ngx_ors_request_unreadable(cm->req, &cm->json, cm->err);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    cm->docs[n] = ngx_palloc(cm->req->pool, sizeof(ngx_ors_json_t));
    if (cm->docs[n] == NULL) {
        return NGX_ERROR;
    }

    *cm->docs[n] = cm->json;
    cm->room += ngx_ors_context_root(&cm->json)->count;

    return NGX_OK;
}


/*
 * The first turn that remains: the oldest one within the budget that begins
 * an exchange, else the newest one that does
 */

static void
ngx_ors_context_cut(ngx_ors_context_merge_t *cm)
{
    size_t                   size;
    ngx_uint_t               i;
    ngx_ors_context_turn_t  *turn;

    size = 0;

    for (i = cm->ctx->budget ? cm->ctx->nturns : 0; i > 0; i--) {
        turn = &cm->ctx->turns[i - 1];
        size += ngx_ors_context_size(&turn->input.text)
                + ngx_ors_context_size(&turn->output);

        if (size > cm->ctx->budget && cm->cut) {
            break;
        }

        if (ngx_ors_context_flagged(&turn->input, NGX_ORS_INDEX_ANSWER) == 0) {
            cm->cut = i - 1;
        }

        if (size > cm->ctx->budget && cm->cut) {
            break;
        }
    }

    /* all of it is within the budget, or begins no exchange */

    if (i == 0) {
        cm->cut = 0;
    }

    for (i = 0; i < cm->cut; i++) {
        cm->nrules += ngx_ors_context_flagged(&cm->ctx->turns[i].input,
                                              NGX_ORS_INDEX_RULE);
    }
}


/* how many items have the flag */

static ngx_uint_t
ngx_ors_context_flagged(ngx_ors_index_t *items, ngx_uint_t flag)
{
    ngx_uint_t  i, n;

    for (i = 0, n = 0; i < items->n; i++) {

        if (items->items[i].flags & flag) {
            n++;
        }
    }

    return n;
}


/* of a turn that is dropped nothing but its rules is read */

static ngx_int_t
ngx_ors_context_rules(ngx_ors_context_merge_t *cm, ngx_ors_index_t *items,
    ngx_uint_t *doc)
{
    ngx_int_t   rc;
    ngx_str_t   text;
    ngx_uint_t  i;

    for (i = 0; i < items->n; i++) {

        if (!(items->items[i].flags & NGX_ORS_INDEX_RULE)) {
            continue;
        }

        ngx_ors_index_text(items, &items->items[i], &text);

        rc = ngx_ors_context_doc(cm, (*doc)++, &text);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_context_items(ngx_ors_context_merge_t *cm)
{
    ngx_uint_t            i;
    ngx_ors_json_t       *doc;
    ngx_ors_json_node_t  *node;

    cm->input.items = ngx_palloc(cm->req->pool,
                                 (cm->room + cm->req->input.n + 1)
                                 * sizeof(ngx_ors_input_item_t));
    if (cm->input.items == NULL) {
        return NGX_ERROR;
    }

    for (i = cm->n - cm->nrules; i < cm->n; i++) {
        doc = cm->docs[i];

        if (doc) {
            ngx_ors_input_item(&cm->input.items[cm->input.n++], doc,
                               ngx_ors_context_root(doc));
        }
    }

    for (i = 0; i < 2 * cm->ctx->nturns; i++) {
        doc = cm->docs[i];

        if (doc == NULL) {
            continue;
        }

        ngx_ors_json_each(node, doc, ngx_ors_context_root(doc)) {
            ngx_ors_input_item(&cm->input.items[cm->input.n++], doc, node);
        }
    }

    ngx_ors_context_input(cm);

    return NGX_OK;
}


/* the request's own items, those that are referred to among them */

static void
ngx_ors_context_input(ngx_ors_context_merge_t *cm)
{
    ngx_uint_t              i;
    ngx_ors_json_t        **doc;
    ngx_ors_request_t      *req;
    ngx_ors_input_item_t   *item, *own;

    req = cm->req;
    doc = &cm->docs[2 * cm->ctx->nturns];
    own = &cm->input.items[cm->input.n];

    own += ngx_ors_request_text(req, own);

    for (i = 0; i < req->input.n; i++) {
        item = &req->input.items[i];

        if (cm->ctx->refs == NULL || item->kind != ngx_ors_input_reference) {
            *own++ = *item;
            continue;
        }

        if (*doc) {
            ngx_ors_input_item(own++, *doc, ngx_ors_context_root(*doc));
        }

        doc++;
    }

    cm->own = own - &cm->input.items[cm->input.n];
    cm->input.n += cm->own;
}


/* another version, or another program, may have written what is stored */

static ngx_int_t
ngx_ors_context_check(ngx_ors_request_t *req, ngx_ors_error_t *err)
{
    ngx_int_t              rc;
    ngx_uint_t             i;
    ngx_ors_input_item_t  *item;

    for (i = 0; i < req->prior; i++) {
        item = &req->input.items[i];

        rc = ngx_ors_stored_check(item->json, ngx_ors_input_object(item),
                                  ngx_ors_code_invalid_previous_response,
                                  "previous_response_id", req->pool, err);
        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


/*
 * Some clients send all outputs of a run with each request: one that the
 * conversation has is left out, another one of the same call is refused
 */

static ngx_int_t
ngx_ors_context_repeats(ngx_ors_request_t *req, ngx_ors_error_t *err)
{
    ngx_int_t               rc;
    ngx_str_t               id;
    ngx_uint_t              i, n;
    ngx_ors_input_item_t   *item;
    ngx_ors_input_calls_t   calls;

    ngx_memzero(&calls, sizeof(ngx_ors_input_calls_t));

    calls.input = &req->input;
    calls.pool = req->pool;

    for (i = req->prior; i < req->input.n; i++) {
        item = &req->input.items[i];

        if (!ngx_ors_input_is_output(item)) {
            continue;
        }

        if (ngx_ors_json_decoded(item->json,
                                 ngx_ors_input_node(item, item->call_id),
                                 req->pool, &id)
            != NGX_OK
            || ngx_ors_input_called(&calls, i, &id, &n) != NGX_OK)
        {
            return NGX_ERROR;
        }

        if (n == 0 || n > req->prior
            || !ngx_ors_input_is_output(&req->input.items[n - 1]))
        {
            continue;
        }

        rc = ngx_ors_context_same(item, &req->input.items[n - 1], req->pool);

        if (rc == NGX_DECLINED) {
            i -= req->prior;

            (void) ngx_ors_error_set(err, req->pool,
                                     ngx_ors_code_duplicate_call_id,
                                     "\"input[%ui].call_id\" is the id of a "
                                     "call that has another output already",
                                     i);
            ngx_ors_error_id(err, req->pool, &id);

            return ngx_ors_str_printf(&err->param, req->pool,
                                      "input[%ui].call_id", i)
                   == NGX_OK ? NGX_DECLINED : NGX_ERROR;
        }

        if (rc != NGX_OK) {
            return rc;
        }

        item->kind = ngx_ors_input_other;
        item->json = NULL;
    }

    for (i = req->prior, n = i; i < req->input.n; i++) {

        if (req->input.items[i].json) {
            req->input.items[n++] = req->input.items[i];
        }
    }

    req->input.n = n;

    return NGX_OK;
}


/* NGX_OK, or NGX_DECLINED: they differ in more than escapes and spaces */

static ngx_int_t
ngx_ors_context_same(ngx_ors_input_item_t *item, ngx_ors_input_item_t *stored,
    ngx_pool_t *pool)
{
    ngx_str_t             text;
    ngx_uint_t            left;
    ngx_ors_json_node_t  *one, *two;

    one = ngx_ors_input_node(item, item->output ? item->output : item->tools);
    two = ngx_ors_input_node(stored, stored->output ? stored->output
                                                    : stored->tools);

    if (one == NULL || two == NULL) {
        return (one == two) ? NGX_OK : NGX_DECLINED;
    }

    /* the nodes of a value are side by side, a key and its value are two */

    for (left = 1; left; left--, one++, two++) {

        if (one->type != two->type || one->count != two->count) {
            return NGX_DECLINED;
        }

        if (one->type == ngx_ors_json_array) {
            left += one->count;
            continue;
        }

        if (one->type == ngx_ors_json_object) {
            left += 2 * one->count;
            continue;
        }

        if (ngx_ors_json_decoded(stored->json, two, pool, &text) != NGX_OK) {
            return NGX_ERROR;
        }

        if (!ngx_ors_json_equal(item->json, one, text.data, text.len)) {
            return NGX_DECLINED;
        }
    }

    return NGX_OK;
}


/*
 * 1 if a model has something to say without a new input (E18): it has not
 * finished, or was not asked yet
 */

static ngx_uint_t
ngx_ors_context_open(ngx_ors_request_t *req)
{
    ngx_ors_json_node_t   *role;
    ngx_ors_input_item_t  *item;

    item = ngx_ors_input_last(&req->input);

    if (item == NULL) {
        return 0;
    }

    if (ngx_ors_json_is(item->json, ngx_ors_input_node(item, item->status),
                        "incomplete"))
    {
        return 1;
    }

    role = ngx_ors_input_node(item, item->role);

    return role && role->type == ngx_ors_json_string
           && !ngx_ors_json_is(item->json, role, "assistant");
}


void
ngx_ors_context_own(ngx_ors_request_t *req, ngx_ors_index_t *index,
    ngx_ors_out_t *out)
{
    size_t                size;
    ngx_ors_json_node_t  *input;

    input = req->field[ngx_ors_rq_input];

    if (req->merged || (input && input->type == ngx_ors_json_array)) {
        ngx_ors_request_write_items(req, req->prior,
                                    req->input.n - req->added, index, out);
        return;
    }

    if (input == NULL) {
        return;
    }

    ngx_ors_out_lit(out, "[");

    size = out->size;

    ngx_ors_request_write_text(req, out);
    ngx_ors_input_index_text(index, 1, out->size - size);

    ngx_ors_out_lit(out, "]");
}


/*
 * References in an input: the turns that own them, and the items that take
 * their place.
 */


ngx_int_t
ngx_ors_refs_read(ngx_ors_refs_t *refs, ngx_ors_request_t *req)
{
    ngx_uint_t             i, n;
    ngx_ors_ref_t         *ref;
    ngx_ors_input_item_t  *item;

    ngx_memzero(refs, sizeof(ngx_ors_refs_t));

    for (i = 0, n = 0; i < req->input.n; i++) {
        n += (req->input.items[i].kind == ngx_ors_input_reference);
    }

    if (n == 0) {
        return NGX_OK;
    }

    refs->elts = ngx_pcalloc(req->pool, n * sizeof(ngx_ors_ref_t));
    refs->sorted = ngx_palloc(req->pool, n * sizeof(ngx_ors_ref_t *));

    if (refs->elts == NULL || refs->sorted == NULL) {
        return NGX_ERROR;
    }

    for (i = 0; i < req->input.n; i++) {
        item = &req->input.items[i];

        if (item->kind != ngx_ors_input_reference) {
            continue;
        }

        ref = &refs->elts[refs->n];
        refs->sorted[refs->n] = ref;
        ref->place = refs->n++;

        if (ngx_ors_json_copy(&req->json, ngx_ors_input_node(item, item->id),
                              req->pool, &ref->id)
            != NGX_OK)
        {
            return NGX_ERROR;
        }

        ngx_ors_refs_parse(ref);
    }

    ngx_ors_refs_sort(refs);

    return NGX_OK;
}


/*
 * Ids of ours end with a number.  Those of other servers may have the same
 * beginning, and are looked for by the whole id.
 */

static void
ngx_ors_refs_parse(ngx_ors_ref_t *ref)
{
    ngx_str_t  text, rest;

    ref->number = -1;

    if (ngx_ors_id_split(&ref->id, &text, &rest) != NGX_OK) {
        return;
    }

    if (rest.len && rest.data[0] == 'i') {
        rest.data++;
        rest.len--;

        ref->number = ngx_ors_refs_number(&rest);

        if (ref->number == NGX_ERROR) {
            return;
        }

    } else if (rest.len && ngx_ors_refs_number(&rest) == NGX_ERROR) {
        return;
    }

    ref->turn = text;
}


/* a number has one form: "07" would be another name of item 7 */

static ngx_int_t
ngx_ors_refs_number(ngx_str_t *rest)
{
    if (rest->len > NGX_ORS_REFS_DIGITS
        || (rest->len > 1 && rest->data[0] == '0'))
    {
        return NGX_ERROR;
    }

    return ngx_atoi(rest->data, rest->len);
}


/* of those with the same id the first one of the input stays */

static void
ngx_ors_refs_sort(ngx_ors_refs_t *refs)
{
    ngx_uint_t       i, n;
    ngx_ors_ref_t  **sorted;

    sorted = refs->sorted;

    ngx_qsort(sorted, refs->n, sizeof(ngx_ors_ref_t *), ngx_ors_refs_by_id);

    for (i = 1, n = 1; i < refs->n; i++) {

        if (ngx_ors_refs_compare(&sorted[n - 1]->id, &sorted[i]->id) == 0) {
            sorted[i]->found = 1;
            continue;
        }

        sorted[n++] = sorted[i];
    }

    refs->nsorted = n;
}


void
ngx_ors_refs_group(ngx_ors_refs_t *refs)
{
    if (refs->nsorted) {
        ngx_qsort(refs->sorted, refs->nsorted, sizeof(ngx_ors_ref_t *),
                  ngx_ors_refs_by_owner);
    }
}


static int ngx_libc_cdecl
ngx_ors_refs_by_id(const void *one, const void *two)
{
    ngx_int_t       rc;
    ngx_ors_ref_t  *first, *second;

    first = *(ngx_ors_ref_t * const *) one;
    second = *(ngx_ors_ref_t * const *) two;

    rc = ngx_ors_refs_compare(&first->id, &second->id);

    if (rc) {
        return (int) rc;
    }

    return (first->place < second->place) ? -1 : 1;
}


static int ngx_libc_cdecl
ngx_ors_refs_by_owner(const void *one, const void *two)
{
    ngx_int_t       rc;
    ngx_ors_ref_t  *first, *second;

    first = *(ngx_ors_ref_t * const *) one;
    second = *(ngx_ors_ref_t * const *) two;

    rc = ngx_memcmp(first->owner, second->owner, NGX_ORS_REF_OWNER);

    return rc ? (int) rc : ngx_ors_refs_by_id(one, two);
}


static ngx_int_t
ngx_ors_refs_compare(ngx_str_t *one, ngx_str_t *two)
{
    if (one->len != two->len) {
        return (one->len < two->len) ? -1 : 1;
    }

    return ngx_memcmp(one->data, two->data, one->len);
}


ngx_int_t
ngx_ors_refs_find(ngx_ors_ref_t **refs, ngx_uint_t n, ngx_ors_index_t *input,
    ngx_ors_index_t *output, ngx_ors_request_t *req, ngx_ors_error_t *err)
{
    ngx_int_t              rc;
    ngx_uint_t             i;
    ngx_ors_refs_search_t  rs;

    ngx_memzero(&rs, sizeof(ngx_ors_refs_search_t));

    rs.refs = refs;
    rs.n = n;
    rs.req = req;
    rs.err = err;

    rs.pool = ngx_create_pool(NGX_ORS_REFS_POOL, req->pool->log);
    if (rs.pool == NULL) {
        return NGX_ERROR;
    }

    ngx_ors_json_init(&rs.json, rs.pool, NGX_ORS_JSON_MAX_DEPTH,
                      req->limits->nodes);

    rc = ngx_ors_refs_output(&rs, output);

    if (rc == NGX_OK) {
        rc = ngx_ors_refs_input(&rs, input);
    }

    ngx_destroy_pool(rs.pool);

    if (rc != NGX_OK) {
        return rc;
    }

    for (i = 0; i < n; i++) {

        if (!refs[i]->found) {
            return ngx_ors_refs_unknown(req, refs[i], err);
        }
    }

    return NGX_OK;
}


ngx_int_t
ngx_ors_refs_unknown(ngx_ors_request_t *req, ngx_ors_ref_t *ref,
    ngx_ors_error_t *err)
{
    (void) ngx_ors_error_set(err, req->pool, ngx_ors_code_item_not_found,
                             "\"input\" refers to an item that is not "
                             "stored here");
    ngx_ors_error_id(err, req->pool, &ref->id);

    return ngx_ors_error_param(err, "input");
}


static ngx_int_t
ngx_ors_refs_output(ngx_ors_refs_search_t *rs, ngx_ors_index_t *output)
{
    ngx_int_t              rc;
    ngx_str_t              id;
    ngx_uint_t             i;
    ngx_ors_ref_t         *ref;
    ngx_ors_index_item_t  *item;

    for (i = 0; i < output->n; i++) {
        item = &output->items[i];

        if (item->id_len == 0) {
            continue;
        }

        rc = ngx_ors_stored_id(output, item, &rs->json, &id);

        if (rc != NGX_OK) {
            return (rc == NGX_DECLINED) ? NGX_ABORT : rc;
        }

        ref = ngx_ors_refs_search(rs, &id);

        if (ref == NULL || ref->found) {
            continue;
        }

        rc = ngx_ors_refs_take(rs, ref, output, item);

        if (rc != NGX_OK) {
            return rc;
        }
    }

    return NGX_OK;
}


static ngx_ors_ref_t *
ngx_ors_refs_search(ngx_ors_refs_search_t *rs, ngx_str_t *id)
{
    ngx_int_t   rc;
    ngx_uint_t  first, last, middle;

    first = 0;
    last = rs->n;

    while (first < last) {
        middle = first + (last - first) / 2;

        rc = ngx_ors_refs_compare(&rs->refs[middle]->id, id);

        if (rc == 0) {
            return rs->refs[middle];
        }

        if (rc < 0) {
            first = middle + 1;

        } else {
            last = middle;
        }
    }

    return NULL;
}


/* an id has any prefix: several may name the same item */

static ngx_int_t
ngx_ors_refs_input(ngx_ors_refs_search_t *rs, ngx_ors_index_t *input)
{
    u_char         *taken;
    ngx_int_t       rc;
    ngx_uint_t      i;
    ngx_ors_ref_t  *ref;

    taken = ngx_pcalloc(rs->pool, input->n + 1);
    if (taken == NULL) {
        return NGX_ERROR;
    }

    for (i = 0; i < rs->n; i++) {
        ref = rs->refs[i];

        if (ref->found || ref->number < 0
            || (ngx_uint_t) ref->number >= input->n)
        {
            continue;
        }

        if (taken[ref->number]) {
            ref->found = 1;
            continue;
        }

        rc = ngx_ors_refs_take(rs, ref, input, &input->items[ref->number]);

        if (rc != NGX_OK) {
            return rc;
        }

        taken[ref->number] = 1;
    }

    return NGX_OK;
}


static ngx_int_t
ngx_ors_refs_take(ngx_ors_refs_search_t *rs, ngx_ors_ref_t *ref,
    ngx_ors_index_t *items, ngx_ors_index_item_t *item)
{
    ngx_int_t  rc;

    ngx_ors_index_text(items, item, &ref->item);

    rc = ngx_ors_json_read(&rs->json, ref->item.data, ref->item.len);

    if (rc != NGX_OK) {
        return (rc == NGX_DECLINED)
               ? ngx_ors_refs_unknown(rs->req, ref, rs->err) : rc;
    }

    ref->found = 1;

    return ngx_ors_stored_check(&rs->json, rs->json.nodes,
                                ngx_ors_code_unsupported_item,
                                "input", rs->req->pool, rs->err);
}


/* The input of a request with more items after it. */


ngx_int_t
ngx_ors_request_extend(ngx_ors_request_t *req, ngx_ors_out_t *items,
    ngx_uint_t n, ngx_ors_error_t *err)
{
    ngx_int_t              rc;
    ngx_str_t              text;
    ngx_ors_json_t        *json;
    ngx_ors_input_t        input;
    ngx_ors_json_node_t   *node;

    json = ngx_palloc(req->pool, sizeof(ngx_ors_json_t));

    if (json == NULL || ngx_ors_out_text(items, &text) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_ors_json_init(json, req->pool, NGX_ORS_JSON_MAX_DEPTH,
                      req->limits->nodes - req->values);

    rc = ngx_ors_json_read(json, text.data, text.len);

    if (rc == NGX_DECLINED) {
        return ngx_ors_request_unreadable(req, json, err);
    }

    if (rc != NGX_OK) {
        return rc;
    }

    input.n = req->input.n;
    input.items = ngx_palloc(req->pool, (input.n + json->nodes->count + 1)
                                        * sizeof(ngx_ors_input_item_t));
    if (input.items == NULL) {
        return NGX_ERROR;
    }

    if (input.n) {
        ngx_memcpy(input.items, req->input.items,
                   input.n * sizeof(ngx_ors_input_item_t));

    } else if (!req->merged) {
        input.n = ngx_ors_request_text(req, input.items);
    }

    ngx_ors_json_each(node, json, json->nodes) {
        ngx_ors_input_item(&input.items[input.n++], json, node);
    }

    req->input = input;
    req->values += json->n;
    req->added += n;
    req->merged = 1;

    return NGX_OK;
}
