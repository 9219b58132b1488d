
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
 * These two are used in place of the functions of an answer with such names,
 * with answer->stream not set, and have their return codes: what the model
 * says is gathered and not sent.  The item's events are, in the
 * end.
 */

ngx_int_t ngx_ors_compact_add(ngx_ors_builder_t *builder, ngx_ors_json_t *json,
    ngx_ors_chat_answer_t *reply, ngx_ors_error_t *err);

ngx_int_t ngx_ors_compact_end(ngx_ors_builder_t *builder,
    ngx_ors_sealer_t *sealer, ngx_ors_error_t *err);

/* The compaction has failed: drops what was gathered. */
void ngx_ors_compact_drop(ngx_ors_builder_t *builder);


#endif /* _NGX_ORS_COMPACT_H_INCLUDED_ */
