
/*
 * The media type of a request's body.
 */


#ifndef _NGX_ORS_MEDIA_H_INCLUDED_
#define _NGX_ORS_MEDIA_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * Why the body of these headers cannot be read, static
 * text, or NULL: it is JSON in UTF-8, and not compressed.
 */
char *ngx_ors_media(ngx_list_t *headers);


#endif /* _NGX_ORS_MEDIA_H_INCLUDED_ */
