
/*
 * Endpoints: what is sent to them and what comes back (protocol, section 1).
 */


#ifndef _NGX_ORS_ENDPOINT_H_INCLUDED_
#define _NGX_ORS_ENDPOINT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_validate.h>


typedef enum {
    ngx_ors_endpoint_responses = 0,
    ngx_ors_endpoint_compact,
    ngx_ors_endpoint_chat,
    ngx_ors_endpoint_embeddings,
    ngx_ors_endpoint_models
} ngx_ors_endpoint_e;


typedef struct {
    ngx_ors_endpoint_e        id;
    ngx_str_t                 path;       /* "/responses": the URI's end */
    const ngx_ors_shape_t    *request;    /* NULL: GET, without a body */
    const ngx_ors_shape_t    *answer;
    const ngx_ors_shape_t    *event;      /* of a stream, NULL: never one */
} ngx_ors_endpoint_t;


/* The endpoint whose path "uri" ends with, or NULL. */
const ngx_ors_endpoint_t *ngx_ors_endpoint_find(ngx_str_t *uri);

/*
 * Finds the endpoint of an "uri" that some server may take for its path: in
 * capital letters, with more slashes or slashes at its end, parameters after
 * ";", dots or spaces, ".json", dot segments, or characters that are still
 * encoded.  It is rewritten in a copy from "pool".  NGX_OK: "*endpoint" is it,
 * or NULL; NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_endpoint_variant(ngx_str_t *uri, ngx_pool_t *pool,
    const ngx_ors_endpoint_t **endpoint);

/* 1 if "uri" is that of POST responses/{id}/cancel, which has no body. */
ngx_uint_t ngx_ors_endpoint_cancels(ngx_str_t *uri);

/*
 * 1 if a segment of "uri" is a version, as in /v1/responses or
 * /api/v1beta/models: other applications have paths that end so.
 */
ngx_uint_t ngx_ors_endpoint_versioned(ngx_str_t *uri);

/* The endpoint with that id, static. */
const ngx_ors_endpoint_t *ngx_ors_endpoint(ngx_ors_endpoint_e id);


#endif /* _NGX_ORS_ENDPOINT_H_INCLUDED_ */
