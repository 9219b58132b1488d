
/*
 * The reader as it is on lesser processors, for tests of one beside the other.
 */


#ifndef _JSON_LEVEL_H_INCLUDED_
#define _JSON_LEVEL_H_INCLUDED_


#include <ngx_ors_json.h>


/* without vectors, and with what each processor of the kind has */

ngx_int_t json_level0_read(ngx_ors_json_t *json, u_char *text, size_t len);
ngx_int_t json_level1_read(ngx_ors_json_t *json, u_char *text, size_t len);


#endif /* _JSON_LEVEL_H_INCLUDED_ */
