
/*
 * Frames of stream events: a request and a response to make them of, and the
 * comparison with what they should be.
 */


#ifndef _EVENT_FRAMES_H_INCLUDED_
#define _EVENT_FRAMES_H_INCLUDED_


#include <ngx_ors_test.h>
#include <ngx_ors_event.h>
#include <ngx_ors_item.h>


extern ngx_ors_request_t   frames_request;
extern ngx_ors_response_t  frames_resp;
extern ngx_ors_out_t       frames_out;
extern ngx_pool_t         *frames_pool;


/*
 * A response to a request with "fields" after its model and input, in the
 * profile; its frames must be valid in the strict one of the same flavor.
 */
void frames_setup(ngx_uint_t profile, const char *fields);

/* The end of it. */
void frames_done(void);

/* An item at output_index 3. */
ngx_ors_item_t *frames_item(ngx_ors_item_type_e type, const char *id);

/* Appends a text. */
void frames_fill(ngx_ors_text_t *to, const char *s);

/* The contents of frames_out are from now on the frames to look at. */
void frames_take(void);

/*
 * The next frame: "expected" is its type, a blank, and what follows the
 * sequence number, with ' for "; NULL: there is none.
 */
void frames_frame(const char *expected, const char *label);

/* "s" with " for each ', malloc(). */
char *frames_quotes(const char *s);


#endif /* _EVENT_FRAMES_H_INCLUDED_ */
