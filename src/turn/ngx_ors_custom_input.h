
/*
 * The text for a custom tool out of the arguments in which a chat server
 * sends it, {"input":"..."}, while they come (E64).
 */


#ifndef _NGX_ORS_CUSTOM_INPUT_H_INCLUDED_
#define _NGX_ORS_CUSTOM_INPUT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_arguments.h>


/* growth of a piece in decoding */
#define NGX_ORS_CUSTOM_INPUT_ROOM  16


typedef enum {
    ngx_ors_custom_input_st_start = 0,
    ngx_ors_custom_input_st_open,       /* after the first bracket */
    ngx_ors_custom_input_st_key,        /* in front of a key */
    ngx_ors_custom_input_st_name,       /* in a key */
    ngx_ors_custom_input_st_colon,      /* after it */
    ngx_ors_custom_input_st_value,      /* in front of its value */
    ngx_ors_custom_input_st_other,      /* in a value that is not the text */
    ngx_ors_custom_input_st_text,       /* in the text */
    ngx_ors_custom_input_st_done,       /* after it */
    ngx_ors_custom_input_st_raw     /* no wrapper: the arguments are the text */
} ngx_ors_custom_input_state_e;


/* zeroed memory is the state before the first byte */

typedef struct {
    ngx_ors_custom_input_state_e   state;
    ngx_uint_t                     match;  /* how much of a key is "input" */
    ngx_ors_arguments_t            value;  /* another value */
    ngx_uint_t                     high;  /* half of a pair, waits for a low */
    ngx_uint_t                     nescape;
    u_char                         escape[6];  /* its bytes so far */
} ngx_ors_custom_input_t;


/*
 * Takes the next piece of the arguments, "raw", and writes what it adds to
 * the text to "dst", which has room for len + NGX_ORS_CUSTOM_INPUT_ROOM bytes;
 * the end is returned.  Both are insides of JSON strings, legal by themselves;
 * the pieces of the text hold whole escapes and no halves of pairs.
 *
 * The text is that of the first member "input" that is a string.  Nothing is
 * written until it has begun, and nothing more when it has ended.  Where the
 * state becomes "raw" there is none: all of the arguments, from the first
 * piece on, are the text.  Bad escapes and raw line ends in it stay as
 * they are.
 */
u_char *ngx_ors_custom_input(ngx_ors_custom_input_t *u, u_char *raw, size_t len,
    u_char *dst);

/* 1 if the text has begun. */
#define ngx_ors_custom_input_found(u)                                          \
    ((u)->state == ngx_ors_custom_input_st_text                                \
     || (u)->state == ngx_ors_custom_input_st_done)


#endif /* _NGX_ORS_CUSTOM_INPUT_H_INCLUDED_ */
