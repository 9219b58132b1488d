
/*
 * Requests for a compaction: those to POST responses/compact (notes, section
 * 12), and with flavor "openai" also those to POST responses whose input ends
 * with an item of type compaction_trigger.
 */


#ifndef _NGX_ORS_REQUEST_COMPACT_H_INCLUDED_
#define _NGX_ORS_REQUEST_COMPACT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_request.h>


/*
 * Sets req->compact for a request whose fields were validated, and for POST
 * responses/compact finds those of req->field that it may have, too.
 */
void ngx_ors_request_compact(ngx_ors_request_t *req);


#endif /* _NGX_ORS_REQUEST_COMPACT_H_INCLUDED_ */
