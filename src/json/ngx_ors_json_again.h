
/*
 * One more document of many that differ in little more than a text, as the
 * chunks of a stream do.
 */


#ifndef _NGX_ORS_JSON_AGAIN_H_INCLUDED_
#define _NGX_ORS_JSON_AGAIN_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_json.h>


/* longer documents are read as others are */
#define NGX_ORS_JSON_AGAIN  512


/* zeroed at first */

typedef struct {
    u_char      *text;            /* a copy of the last document */
    size_t       len;             /* 0: the next one is like none */
    ngx_uint_t   alike;           /* nodes have the types, keys the names */
                                  /* that they had in the last one */
} ngx_ors_json_last_t;


/*
 * Reads as ngx_ors_json_read() does, with the same result and return codes.
 * Parts that the last document has are compared and not read: only strings
 * and numbers that differ are.  "last" belongs to "json": a caller that
 * reads something else into "json" sets last->len to 0.  Allocates once,
 * NGX_ORS_JSON_AGAIN bytes of the pool of "json".
 */
ngx_int_t ngx_ors_json_again(ngx_ors_json_t *json, ngx_ors_json_last_t *last,
    u_char *text, size_t len);


#endif /* _NGX_ORS_JSON_AGAIN_H_INCLUDED_ */
