
/*
 * The fields of a chat request that the adapter itself writes or withholds.
 */


#ifndef _NGX_ORS_CHAT_FIELDS_H_INCLUDED_
#define _NGX_ORS_CHAT_FIELDS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_json.h>


/* an effort of the configuration cannot become such a field */
#define NGX_ORS_CHAT_FIELD_OWN     0x01

/* withheld when a request passes fields that its table does not have */
#define NGX_ORS_CHAT_FIELD_DROP    0x02

/* rejected in "params" and "provider_options": other fields decide it */
#define NGX_ORS_CHAT_FIELD_FIXED   0x04


/* 1 if field "name" has one of "flags". */
ngx_uint_t ngx_ors_chat_field(const ngx_str_t *name, ngx_uint_t flags);

/*
 * The name of the field with one of "flags" that "key" spells, perhaps in
 * letters of another case, or NULL.
 */
const ngx_str_t *ngx_ors_chat_field_spelled(ngx_ors_json_t *json,
    ngx_ors_json_node_t *key, ngx_uint_t flags);


#endif /* _NGX_ORS_CHAT_FIELDS_H_INCLUDED_ */
