
/*
 * The walker applies tables to a document and knows nothing of particular
 * fields.
 */


#ifndef _NGX_ORS_VALIDATE_H_INCLUDED_
#define _NGX_ORS_VALIDATE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_edit.h>
#include <ngx_ors_error.h>
#include <ngx_ors_json.h>
#include <ngx_ors_shape.h>
#include <ngx_ors_unknown.h>


/* treatment of keys that the tables do not have */

typedef enum {
    ngx_ors_unknown_auto = 0,    /* pass, but not into another dialect */
    ngx_ors_unknown_pass,
    ngx_ors_unknown_strip,
    ngx_ors_unknown_reject
} ngx_ors_unknown_e;


/* how what a model thinks is shown */

typedef enum {
    ngx_ors_reasoning_summary = 0,
    ngx_ors_reasoning_content,
    ngx_ors_reasoning_off
} ngx_ors_reasoning_e;


/* form of a model's refusal for a client */

typedef enum {
    ngx_ors_refusal_part = 0,
    ngx_ors_refusal_text         /* as any other text */
} ngx_ors_refusal_e;


/* choices of the operator */

typedef struct {
    ngx_uint_t                profile;    /* NGX_ORS_STRICT_.., TOLERANT_.. */
    ngx_uint_t                unknown;    /* ngx_ors_unknown_e */
    ngx_uint_t                mask;       /* hide upstream's error texts */
    ngx_uint_t                reasoning;  /* ngx_ors_reasoning_e */
    ngx_uint_t                refusal;    /* ngx_ors_refusal_e */
} ngx_ors_policy_t;


/*
 * Says what value, JSON "text", to fill in for the field in row "i" of
 * "shape" in "object", when the table's own is not the best.
 *
 * NGX_OK         "text" is set
 * NGX_DECLINED   the table's own is
 * NGX_ERROR      no memory
 */
typedef ngx_int_t (*ngx_ors_fill_pt)(void *data,
    const ngx_ors_shape_t *shape, ngx_uint_t i, ngx_ors_json_node_t *object,
    ngx_str_t *text);


typedef struct {
    ngx_ors_json_t           *json;
    ngx_ors_policy_t         *policy;
    char                     *root;       /* its name in messages */
    ngx_pool_t               *pool;
    ngx_ors_error_t          *err;

    /* stripped and filled members; NULL: nothing is changed */
    ngx_ors_edits_t          *edits;
    ngx_ors_fill_pt           fill;       /* NULL: tables only */
    void                     *data;       /* for "fill" */

    ngx_uint_t                nfound;     /* rows for "found", 0: all */

    /* takes keys that are not known, of the root and of objects in it */
    ngx_ors_unknown_t        *unknown;    /* NULL, or two of them */

    unsigned                  repair:1;   /* fill in what is missing, and */
                                          /* leave out null if it may not be */
    unsigned                  discreet:1; /* messages quote no values */
    unsigned                  lax:1;      /* types count, and what an object */
                                          /* is; values have no limits */
} ngx_ors_validate_t;


/*
 * Checks "node" of v->json against "shape".  If "found" is not NULL, the
 * shape has fields, and found[i] is set to the value of the field in row i,
 * up to row v->nfound, where that is there and not null.
 *
 * Looks only at what the tables know; a known key that comes twice is
 * refused.
 *
 * NGX_OK         the document is as "shape" says, or is with v->edits
 * NGX_DECLINED   v->err holds the first thing that is not: 400, "param" is
 *                a path from "node"; its texts come from v->pool
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_validate(ngx_ors_validate_t *v, ngx_ors_json_node_t *node,
    const ngx_ors_shape_t *shape, ngx_ors_json_node_t **found);

/* 1 if string "node" has the form of an extension's name, "slug:name". */
ngx_uint_t ngx_ors_validate_extension(ngx_ors_json_t *json,
    ngx_ors_json_node_t *node);

/* 1 if "shape" has a field "name", decoded text, that "profile" knows. */
ngx_uint_t ngx_ors_validate_knows(const ngx_ors_shape_t *shape,
    const ngx_str_t *name, ngx_uint_t profile);


#endif /* _NGX_ORS_VALIDATE_H_INCLUDED_ */
