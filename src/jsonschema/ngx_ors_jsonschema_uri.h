
/*
 * URI references between the parts of a schema (RFC 3986).
 */


#ifndef _NGX_ORS_JSONSCHEMA_URI_H_INCLUDED_
#define _NGX_ORS_JSONSCHEMA_URI_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * Resolves "ref" against "base", which may be empty: "uri" has no fragment,
 * "fragment" is without "#" and %-decoded.  Both are written to buffers of the
 * caller: uri->data has base->len + ref->len + 1 bytes, fragment->data has
 * ref->len.
 */
void ngx_ors_jsonschema_uri_resolve(ngx_str_t *base, ngx_str_t *ref,
    ngx_str_t *uri, ngx_str_t *fragment);

/* Decodes "~0" and "~1" of a JSON pointer in place; returns the length. */
size_t ngx_ors_jsonschema_uri_token(u_char *name, size_t len);


#endif /* _NGX_ORS_JSONSCHEMA_URI_H_INCLUDED_ */
