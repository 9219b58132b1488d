
/*
 * Compactions: the model's answer is a summary, and what the client gets is
 * one item with the summary sealed in it (protocol, section 12).
 */


#ifndef _NGX_ORS_COMPACT_H_INCLUDED_
#define _NGX_ORS_COMPACT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_builder.h>


/*
 * As ngx_ors_builder_end(), in place of it: with builder->stream not set the
 * text of the model was gathered and not sent.  The events of the item are
 * sent now.
 */
ngx_int_t ngx_ors_compact_end(ngx_ors_builder_t *builder,
    ngx_ors_sealer_t *sealer, ngx_ors_error_t *err);

/* The compaction has failed: drops what was gathered. */
void ngx_ors_compact_drop(ngx_ors_builder_t *builder);


#endif /* _NGX_ORS_COMPACT_H_INCLUDED_ */
