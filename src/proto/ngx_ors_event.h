
/*
 * Stream events as frames (protocol, section 10).  Each function with "resp"
 * appends whole frames to "out" and counts resp->sequence on.
 */


#ifndef _NGX_ORS_EVENT_H_INCLUDED_
#define _NGX_ORS_EVENT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_response.h>


#define ngx_ors_event_type_value(as, ...)  ngx_ors_event_type_##as,

typedef enum {
    NGX_ORS_EVENTS(ngx_ors_event_type_value)
} ngx_ors_event_type_e;

/* names, by ngx_ors_event_type_e */
extern ngx_str_t  ngx_ors_events[];


/* the events of a part, by its type */

typedef struct {
    ngx_str_t            added;
    ngx_str_t            delta;
    ngx_str_t            text_done;
    ngx_str_t            part_done;
    ngx_str_t            index;     /* name of the index field */
    ngx_str_t            text;      /* name of the field in "text_done" */
} ngx_ors_event_part_t;


/* the events of what a call is made with: arguments, input or code */

typedef struct {
    ngx_ors_item_type_e  type;
    ngx_str_t            delta;
    ngx_str_t            done;
    ngx_str_t            text;      /* name of the field in "done" */
} ngx_ors_event_call_t;


/* the steps of a hosted tool, those of an item in their order */

typedef struct {
    ngx_str_t            item;
    ngx_str_t            status;
    ngx_str_t            name;
    ngx_uint_t           over;      /* nothing but the item's end follows */
} ngx_ors_event_step_t;


/* rows; the last one has no names */
extern ngx_ors_event_call_t  ngx_ors_event_calls[];
extern ngx_ors_event_step_t  ngx_ors_event_steps[];


/* The events of a part of that type, in a profile of requests. */
ngx_ors_event_part_t *ngx_ors_event_part_names(ngx_uint_t profile,
    ngx_ors_part_type_e type);

/* The frame of an event up to its number, which other members are to follow. */
void ngx_ors_event_open(ngx_ors_out_t *out, ngx_uint_t sequence,
    ngx_str_t *type);

/* The whole event "error"; response.failed is to follow. */
void ngx_ors_event_error(ngx_ors_out_t *out, ngx_uint_t sequence,
    ngx_ors_error_t *err);

/* Appends the member that pads a delta of "len" bytes. */
void ngx_ors_event_pad(ngx_ors_out_t *out, size_t len);

/*
 * response.created and response.in_progress; of a response in the background
 * response.queued between them.
 */
void ngx_ors_event_start(ngx_ors_out_t *out, ngx_ors_response_t *resp);

/* The terminal event that resp->status asks for, and [DONE]. */
void ngx_ors_event_end(ngx_ors_out_t *out, ngx_ors_response_t *resp);

#define ngx_ors_event_item_added(out, resp, item)                             \
    ngx_ors_event_item(out, resp, item, ngx_ors_event_type_item_added, 1)

#define ngx_ors_event_item_done(out, resp, item)                              \
    ngx_ors_event_item(out, resp, item, ngx_ors_event_type_item_done, 0)

void ngx_ors_event_item(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item, ngx_ors_event_type_e event, ngx_uint_t empty);

void ngx_ors_event_part_added(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item, ngx_ors_part_t *part);

/*
 * "delta" is the inside of a JSON string, copied; NULL: all text of a part
 * that was gathered before it could be announced.  The logprobs that were
 * not sent yet go with it.
 */
void ngx_ors_event_part_delta(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item, ngx_ors_part_t *part, ngx_str_t *delta);

/* response.output_text.annotation.added; "index" counts in the part. */
void ngx_ors_event_annotation(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item, ngx_ors_part_t *part, ngx_ors_element_t *element,
    ngx_uint_t index);

/* The part's text is done, then the part. */
void ngx_ors_event_part_done(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item, ngx_ors_part_t *part);

/* The same for the arguments of a call, its input or its code. */
void ngx_ors_event_arguments_delta(ngx_ors_out_t *out,
    ngx_ors_response_t *resp, ngx_ors_item_t *item, ngx_str_t *delta);
void ngx_ors_event_arguments_done(ngx_ors_out_t *out,
    ngx_ors_response_t *resp, ngx_ors_item_t *item);

/*
 * A hosted tool begins: the item is added, and all events up to the answer of
 * its backend, with the arguments or the code that it was called with.  The
 * item, which is in progress, becomes busy.
 */
void ngx_ors_event_hosted_begin(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item);

/* It ends: the event of item->status, which is a final one, and the item. */
void ngx_ors_event_hosted_end(ngx_ors_out_t *out, ngx_ors_response_t *resp,
    ngx_ors_item_t *item);


#endif /* _NGX_ORS_EVENT_H_INCLUDED_ */
