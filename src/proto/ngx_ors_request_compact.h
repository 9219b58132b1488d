
/*
 * Requests for a compaction: those to POST responses/compact (protocol, section
 * 12), and with flavor "openai" also those to POST responses whose input ends
 * with an item of type compaction_trigger.
 */


#ifndef _NGX_ORS_REQUEST_COMPACT_H_INCLUDED_
#define _NGX_ORS_REQUEST_COMPACT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_request.h>


/*
 * Sets req->compact for a validated request to POST responses/compact, and
 * finds those of req->field that it may have.
 */
void ngx_ors_request_compact(ngx_ors_request_t *req);

/* Sets req->compact for one to POST responses, by the last of its items. */
void ngx_ors_request_trigger(ngx_ors_request_t *req);


#endif /* _NGX_ORS_REQUEST_COMPACT_H_INCLUDED_ */
