
/*
 * Requests without a client: they have all that the client's request had,
 * and live on when it has been answered.
 */


#ifndef _NGX_HTTP_ORS_DETACH_H_INCLUDED_
#define _NGX_HTTP_ORS_DETACH_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>
#include <ngx_ors_background.h>


/*
 * Makes a main request in the location of "from", with copies of its URI, of
 * its headers, of the variables that it has and of "body", and a connection
 * of its own.  Subrequests can be made of it; nothing must be sent to it.
 * It is ended by ngx_http_ors_detach_end().  NULL: it has been logged why.
 */
ngx_http_request_t *ngx_http_ors_detach(ngx_http_request_t *from,
    ngx_str_t *body);

/*
 * Ends it, with its subrequests; its cleanup handlers are called before this
 * returns, the memory is freed by ngx_http_run_posted_requests().  It has no
 * post action, and is ended once: another call does nothing.
 */
void ngx_http_ors_detach_end(ngx_http_request_t *r);

/* Sets the connections of "load" to those of this worker. */
void ngx_http_ors_detach_connections(ngx_ors_background_load_t *load);


#endif /* _NGX_HTTP_ORS_DETACH_H_INCLUDED_ */
