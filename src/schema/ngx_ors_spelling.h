
/*
 * Keys that are spelled otherwise than the tables have them.  To this module
 * such a key is unknown; a server that matches names without regard to case
 * takes it for the field.
 */


#ifndef _NGX_ORS_SPELLING_H_INCLUDED_
#define _NGX_ORS_SPELLING_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_validate.h>


/* a name of the tables is shorter, also written in escapes: "\u006d" */
#define NGX_ORS_SPELLING_RAW  (NGX_ORS_SHAPE_NAME * 6)


/*
 * The row of "shape", of whichever profiles, that "key" is another spelling
 * of; NULL if there is none, or "key" is spelled as in the table.
 */
const ngx_ors_field_t *ngx_ors_spelling_field(ngx_ors_json_t *json,
    ngx_ors_json_node_t *key, const ngx_ors_shape_t *shape);

/*
 * As ngx_ors_spelling_field() for "name", decoded text of at most
 * NGX_ORS_SPELLING_RAW bytes.
 */
const ngx_ors_field_t *ngx_ors_spelling_row(const ngx_str_t *name,
    const ngx_ors_shape_t *shape);

/*
 * 1 if "key" is "name", in whatever spelling.  Names that are longer than
 * those of the tables are compared as they are, if the key is not.
 */
ngx_uint_t ngx_ors_spelling_is(ngx_ors_json_t *json, ngx_ors_json_node_t *key,
    const ngx_str_t *name);

/*
 * The text of "key", of the document or, if it has escapes, decoded in "buf",
 * NGX_ORS_SPELLING_RAW bytes.  NGX_OK, NGX_DECLINED: longer than any name.
 */
ngx_int_t ngx_ors_spelling_name(ngx_ors_json_t *json, ngx_ors_json_node_t *key,
    u_char *buf, ngx_str_t *name);


#endif /* _NGX_ORS_SPELLING_H_INCLUDED_ */
