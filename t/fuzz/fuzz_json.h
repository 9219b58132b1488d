
/*
 * Written texts, read again; for fuzz targets of rooms above json.
 */


#ifndef _FUZZ_JSON_H_INCLUDED_
#define _FUZZ_JSON_H_INCLUDED_


#include "fuzz.h"
#include <ngx_ors_json.h>
#include <ngx_ors_text.h>


#define fuzz_get(json, node, name)                                            \
    ngx_ors_json_get(json, node, (u_char *) name, sizeof(name) - 1)


static ngx_inline ngx_str_t
fuzz_take(ngx_ors_out_t *out, ngx_pool_t *pool)
{
    u_char       *p;
    ngx_str_t     text;
    ngx_chain_t  *cl;

    text.len = out->size;
    text.data = ngx_pnalloc(pool, text.len);

    fuzz_check(text.data != NULL);
    fuzz_check(ngx_ors_out_take(out, &cl) == NGX_OK);

    for (p = text.data; cl; cl = cl->next) {
        p = ngx_cpymem(p, cl->buf->pos, cl->buf->last - cl->buf->pos);
    }

    fuzz_check(p == text.data + text.len);

    return text;
}


static ngx_inline void
fuzz_read(ngx_ors_json_t *json, ngx_pool_t *pool, ngx_str_t *text)
{
    ngx_ors_json_init(json, pool, NGX_ORS_JSON_MAX_DEPTH, 1000000);

    if (ngx_ors_json_read(json, text->data, text->len) != NGX_OK) {
        fprintf(stderr, "no JSON: %.*s\n", (int) text->len, text->data);
        abort();
    }
}


#endif /* _FUZZ_JSON_H_INCLUDED_ */
