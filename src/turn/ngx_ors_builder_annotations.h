
/*
 * Annotations and logprobs that a model server sends beside its texts.
 */


#ifndef _NGX_ORS_BUILDER_ANNOTATIONS_H_INCLUDED_
#define _NGX_ORS_BUILDER_ANNOTATIONS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_builder_state.h>


/*
 * Takes the logprobs of "reply", if the client wants them, before its text
 * is taken: they wait for it, unless they belong to text that is there.
 *
 * NGX_OK         done
 * NGX_DECLINED   "err" says that the answer is over its limit
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_builder_logprobs(ngx_ors_builder_t *builder,
    ngx_ors_json_t *json, ngx_ors_chat_answer_t *reply, ngx_ors_error_t *err);

/* Gives the logprobs that wait to "part".  NGX_OK, or NGX_ERROR: no memory. */
ngx_int_t ngx_ors_builder_note_tokens(ngx_ors_builder_t *builder,
    ngx_ors_part_t *part);

/*
 * Takes the annotations of "reply" after its text: they are those of the
 * last text.  What cannot be sent to a client is left out.
 *
 * NGX_OK         done
 * NGX_DECLINED   "err" says that the answer is over its limit
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_builder_annotations(ngx_ors_builder_t *builder,
    ngx_ors_json_t *json, ngx_ors_chat_answer_t *reply, ngx_ors_error_t *err);

/*
 * "part", the last of "item", has its whole text, unless that is "cut": adds
 * annotations for the sources that it cites.  Those that are over the limit of
 * an answer are left out.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_builder_cite(ngx_ors_builder_t *builder,
    ngx_ors_item_t *item, ngx_ors_part_t *part, ngx_uint_t cut);


#endif /* _NGX_ORS_BUILDER_ANNOTATIONS_H_INCLUDED_ */
