
/*
 * The tables of the protocol's objects (spec, sections 2 to 6).
 */


#ifndef _NGX_ORS_FIELDS_H_INCLUDED_
#define _NGX_ORS_FIELDS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_validate.h>


/* The body of POST /responses; its rows are those of ngx_ors_rq_field_e. */
extern const ngx_ors_shape_t  ngx_ors_fields_create;


#endif /* _NGX_ORS_FIELDS_H_INCLUDED_ */
