
/*
 * Copyright (C) Open Responses contributors
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_ors_compat.h>


ngx_table_elt_t *
ngx_http_ors_header_find(ngx_list_t *headers, ngx_str_t *name)
{
    ngx_uint_t        i;
    ngx_list_part_t  *part;
    ngx_table_elt_t  *h;

    part = &headers->part;
    h = part->elts;

    for (i = 0; /* void */ ; i++) {

        if (i >= part->nelts) {
            if (part->next == NULL) {
                return NULL;
            }

            part = part->next;
            h = part->elts;
            i = 0;
        }

        if (h[i].hash && h[i].key.len == name->len
            && ngx_strncasecmp(h[i].key.data, name->data, name->len) == 0)
        {
            return &h[i];
        }
    }
}


ngx_table_elt_t *
ngx_http_ors_header_add(ngx_list_t *headers, ngx_str_t *name,
    ngx_str_t *lowcase, ngx_str_t *value)
{
    ngx_table_elt_t  *h;

    h = ngx_list_push(headers);
    if (h == NULL) {
        return NULL;
    }

    h->hash = ngx_hash_key(lowcase->data, lowcase->len);
    h->key = *name;
    h->lowcase_key = lowcase->data;
    h->value = *value;
    ngx_ors_set_next_header(h);

    return h;
}
