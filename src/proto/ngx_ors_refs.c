
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * References in an input: the turns that own them, and the items that take
 * their place.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_id.h>
#include <ngx_ors_refs.h>
#include <ngx_ors_stored.h>


#define NGX_ORS_REFS_POOL    4096

/* of a number in an id of ours */
#define NGX_ORS_REFS_DIGITS  7


/* references to one turn, which is being looked through */

typedef struct {
    ngx_ors_ref_t     **refs;
    ngx_uint_t          n;
    ngx_ors_json_t      json;     /* reads an item */
    ngx_ors_request_t  *req;
    ngx_ors_error_t    *err;
    ngx_pool_t         *pool;     /* freed after the search */
} ngx_ors_refs_search_t;


static ngx_int_t ngx_ors_refs_add(ngx_array_t *array, ngx_ors_request_t *req,
    ngx_ors_input_item_t *item);
static void ngx_ors_refs_parse(ngx_ors_ref_t *ref);
static ngx_int_t ngx_ors_refs_number(ngx_str_t *rest);
static ngx_int_t ngx_ors_refs_sort(ngx_ors_refs_t *refs, ngx_pool_t *pool);
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
ngx_ors_refs_read(ngx_ors_refs_t *refs, ngx_ors_request_t *req)
{
    ngx_uint_t             i;
    ngx_array_t            array;
    ngx_ors_input_item_t  *item;

    ngx_memzero(refs, sizeof(ngx_ors_refs_t));

    array.nelts = 0;

    for (i = 0; i < req->input.n; i++) {
        item = &req->input.items[i];

        if (item->kind == ngx_ors_input_reference
            && ngx_ors_refs_add(&array, req, item) != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    if (array.nelts == 0) {
        return NGX_OK;
    }

    refs->elts = array.elts;
    refs->n = array.nelts;

    return ngx_ors_refs_sort(refs, req->pool);
}


static ngx_int_t
ngx_ors_refs_add(ngx_array_t *array, ngx_ors_request_t *req,
    ngx_ors_input_item_t *item)
{
    ngx_ors_ref_t  *ref;

    if (array->nelts == 0
        && ngx_array_init(array, req->pool, 8, sizeof(ngx_ors_ref_t))
           != NGX_OK)
    {
        return NGX_ERROR;
    }

    ref = ngx_array_push(array);
    if (ref == NULL) {
        return NGX_ERROR;
    }

    ngx_memzero(ref, sizeof(ngx_ors_ref_t));

    ref->place = array->nelts - 1;

    if (ngx_ors_json_copy(&req->json, ngx_ors_input_node(item, item->id),
                          req->pool, &ref->id)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_ors_refs_parse(ref);

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

static ngx_int_t
ngx_ors_refs_sort(ngx_ors_refs_t *refs, ngx_pool_t *pool)
{
    ngx_uint_t       i, n;
    ngx_ors_ref_t  **sorted;

    sorted = ngx_palloc(pool, refs->n * sizeof(ngx_ors_ref_t *));
    if (sorted == NULL) {
        return NGX_ERROR;
    }

    for (i = 0; i < refs->n; i++) {
        sorted[i] = &refs->elts[i];
    }

    ngx_qsort(sorted, refs->n, sizeof(ngx_ors_ref_t *), ngx_ors_refs_by_id);

    for (i = 1, n = 1; i < refs->n; i++) {

        if (ngx_ors_refs_compare(&sorted[n - 1]->id, &sorted[i]->id) == 0) {
            sorted[i]->found = 1;
            continue;
        }

        sorted[n++] = sorted[i];
    }

    refs->sorted = sorted;
    refs->nsorted = n;

    return NGX_OK;
}


void
ngx_ors_refs_group(ngx_ors_refs_t *refs)
{
    if (refs->nsorted == 0) {
        return;
    }

    ngx_qsort(refs->sorted, refs->nsorted, sizeof(ngx_ors_ref_t *),
              ngx_ors_refs_by_owner);
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
    ngx_str_set(&err->param, "input");

    return NGX_DECLINED;
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
