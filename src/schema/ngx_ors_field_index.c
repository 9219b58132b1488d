
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The indexes of shapes: made when a shape is met, for as long as no other
 * needs the place.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_field_index.h>


#define NGX_ORS_FIELD_INDEXES  256  /* a power of two */


static ngx_ors_field_index_t  ngx_ors_field_indexes[NGX_ORS_FIELD_INDEXES];


ngx_ors_field_index_t *
ngx_ors_field_index(const ngx_ors_shape_t *shape)
{
    ngx_ors_field_index_t  *index;

    index = &ngx_ors_field_indexes[((uintptr_t) shape / sizeof(*shape))
                                   & (NGX_ORS_FIELD_INDEXES - 1)];

    if (index->shape != shape) {
        ngx_ors_field_index_fill(index, shape);
    }

    return index;
}


void
ngx_ors_field_index_fill(ngx_ors_field_index_t *index,
    const ngx_ors_shape_t *shape)
{
    size_t      len;
    ngx_uint_t  n;

    ngx_memzero(index, sizeof(ngx_ors_field_index_t));

    index->shape = shape;

    for (n = shape->nfields; n; n--) {
        len = shape->fields[n - 1].name.len;

        index->next[n] = index->first[len];
        index->first[len] = (u_char) n;
    }
}
