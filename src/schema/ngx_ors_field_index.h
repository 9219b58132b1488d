
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The search of an object's fields by name: it is most of a walk.
 */


#ifndef _NGX_ORS_FIELD_INDEX_H_INCLUDED_
#define _NGX_ORS_FIELD_INDEX_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_names.h>
#include <ngx_ors_shape.h>


#define NGX_ORS_FIELD_MAX    64     /* of a shape */
#define NGX_ORS_FIELD_ORDER  16     /* a power of two */


/*
 * The fields of each length of a name, one after the other, as their numbers
 * from 1.  Objects of a shape have their members in one order mostly: "order"
 * is that of the last one, from 0.
 */

typedef struct {
    const ngx_ors_shape_t  *shape;
    u_char                  order[NGX_ORS_FIELD_ORDER];
    u_char                  first[NGX_ORS_SHAPE_NAME + 1];
    u_char                  next[NGX_ORS_FIELD_MAX + 1];
} ngx_ors_field_index_t;


/*
 * The index of "shape", in memory of the process, not for threads.  It is that
 * until an index of another shape is asked for, at least: some share a place.
 */
ngx_ors_field_index_t *ngx_ors_field_index(const ngx_ors_shape_t *shape);

/* Makes "index" that of "shape". */
void ngx_ors_field_index_fill(ngx_ors_field_index_t *index,
    const ngx_ors_shape_t *shape);


#define ngx_ors_field_is(field, text, profile)                                \
    (*(field)->name.data == *(text)->data                                     \
     && ngx_ors_same_bytes((field)->name.data, (text)->data, (text)->len)     \
     && ((field)->in & (profile)))


/* The field "name"; NULL if "profile" knows none. */

static ngx_inline const ngx_ors_field_t *
ngx_ors_field_find(const ngx_ors_field_index_t *index, const ngx_str_t *name,
    ngx_uint_t profile)
{
    ngx_uint_t              n;
    const ngx_ors_field_t  *field;

    if (name->len > NGX_ORS_SHAPE_NAME) {
        return NULL;
    }

    for (n = index->first[name->len]; n; n = index->next[n]) {
        field = &index->shape->fields[n - 1];

        if (ngx_ors_field_is(field, name, profile)) {
            return field;
        }
    }

    return NULL;
}


/*
 * The same for the name of member "i" of an object.  "index" was that of
 * "shape": its place may have been taken while members were walked through.
 */

static ngx_inline const ngx_ors_field_t *
ngx_ors_field_next(ngx_ors_field_index_t *index, const ngx_ors_shape_t *shape,
    ngx_uint_t i, const ngx_str_t *name, ngx_uint_t profile)
{
    u_char                 *n;
    const ngx_ors_field_t  *field;

    if (index->shape != shape) {
        ngx_ors_field_index_fill(index, shape);
    }

    n = &index->order[i & (NGX_ORS_FIELD_ORDER - 1)];

    if (*n < shape->nfields) {
        field = &shape->fields[*n];

        if (field->name.len == name->len
            && ngx_ors_field_is(field, name, profile))
        {
            return field;
        }
    }

    field = ngx_ors_field_find(index, name, profile);

    if (field) {
        *n = (u_char) (field - shape->fields);
    }

    return field;
}


#endif /* _NGX_ORS_FIELD_INDEX_H_INCLUDED_ */
