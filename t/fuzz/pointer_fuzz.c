
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * JSON pointers, one a line: those that are taken lead to their values in
 * the object that is written.  A pointer's value is its number.
 */


#include "fuzz_json.h"
#include <ngx_ors_edit.h>
#include <ngx_ors_utf8.h>


#define POINTER_FUZZ_MAX  64


static void pointer_fuzz_written(ngx_ors_pointer_t *root, ngx_str_t *pointers,
    ngx_uint_t n, ngx_pool_t *pool);
static ngx_ors_json_node_t *pointer_fuzz_go(ngx_ors_json_t *json,
    ngx_str_t *pointer);


static ngx_str_t  pointer_fuzz_values[POINTER_FUZZ_MAX];


int
LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
    ngx_int_t           rc;
    ngx_str_t           pointers[POINTER_FUZZ_MAX];
    ngx_uint_t          i, n, utf8;
    ngx_pool_t         *pool;
    const uint8_t      *p, *last;
    ngx_ors_pointer_t   root;

    pool = ngx_ors_test_pool();
    ngx_memzero(&root, sizeof(ngx_ors_pointer_t));

    p = input;
    last = input + size;
    utf8 = 1;
    n = 0;

    while (p < last && n < POINTER_FUZZ_MAX) {
        pointers[n] = fuzz_line(&p, last, LF);
        pointers[n].data = fuzz_copy(pointers[n].data, pointers[n].len);

        if (pointer_fuzz_values[n].data == NULL) {
            pointer_fuzz_values[n].data = malloc(4);
            pointer_fuzz_values[n].len =
                sprintf((char *) pointer_fuzz_values[n].data, "%d", (int) n);
        }

        rc = ngx_ors_pointer_add(&root, &pointers[n], &pointer_fuzz_values[n],
                                 pool, NULL);

        utf8 = utf8 && ngx_ors_utf8_valid(pointers[n].data, pointers[n].len)
                       == pointers[n].len;
        n++;

        if (rc == NGX_OK) {
            fuzz_check(pointers[n - 1].len > 1
                       && pointers[n - 1].data[0] == '/');
            continue;
        }

        fuzz_check(rc == NGX_DECLINED || rc == NGX_BUSY);

        /* "root" is of no use any more */

        utf8 = 0;
        break;
    }

    if (utf8) {
        pointer_fuzz_written(&root, pointers, n, pool);
    }

    for (i = 0; i < n; i++) {
        free(pointers[i].data);
    }

    ngx_destroy_pool(pool);

    return 0;
}


static void
pointer_fuzz_written(ngx_ors_pointer_t *root, ngx_str_t *pointers,
    ngx_uint_t n, ngx_pool_t *pool)
{
    ngx_str_t             text;
    ngx_uint_t            i;
    ngx_ors_out_t         out;
    ngx_ors_json_t        json;
    ngx_ors_pointer_t    *member;
    ngx_ors_json_node_t  *node;

    ngx_ors_out_init(&out, pool, 64);
    ngx_ors_out_lit(&out, "{");

    for (member = root->first; member; member = member->next) {

        if (member != root->first) {
            ngx_ors_out_lit(&out, ",");
        }

        fuzz_check(ngx_ors_pointer_find(root, &member->name) == member);
        ngx_ors_pointer_put(member, &out);
    }

    ngx_ors_out_lit(&out, "}");

    text = fuzz_take(&out, pool);
    fuzz_read(&json, pool, &text);

    for (i = 0; i < n; i++) {
        node = pointer_fuzz_go(&json, &pointers[i]);

        fuzz_check(node != NULL && node->type == ngx_ors_json_number);
        fuzz_check(fuzz_same(ngx_ors_json_text(&json, node), node->len,
                             pointer_fuzz_values[i].data,
                             pointer_fuzz_values[i].len));
    }
}


static ngx_ors_json_node_t *
pointer_fuzz_go(ngx_ors_json_t *json, ngx_str_t *pointer)
{
    size_t                len;
    u_char               *name, *p, *last;
    ngx_ors_json_node_t  *node;

    node = json->nodes;
    name = malloc(pointer->len);
    last = pointer->data + pointer->len;

    for (p = pointer->data; p < last && node; /* void */ ) {

        for (len = 0, p++; p < last && *p != '/'; p++) {

            if (*p == '~') {
                p++;
                name[len++] = (*p == '0') ? '~' : '/';
                continue;
            }

            name[len++] = *p;
        }

        node = (node->type == ngx_ors_json_object)
               ? ngx_ors_json_get(json, node, name, len) : NULL;
    }

    free(name);

    return node;
}
