
/*
 * Arguments of a tool call as they come: whether they are whole by now, so
 * that nothing more belongs to the call.
 */


#ifndef _NGX_ORS_ARGUMENTS_H_INCLUDED_
#define _NGX_ORS_ARGUMENTS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_request.h>
#include <ngx_ors_text.h>


/* zeroed memory is the state before the first byte */

typedef struct {
    ngx_uint_t    depth;          /* brackets that are open */
    unsigned      string:1;
    unsigned      escaped:1;      /* after a backslash, in a string */
    unsigned      whole:1;        /* the first bracket has been closed */
    unsigned      other:1;        /* neither object nor array */
} ngx_ors_arguments_t;

#define NGX_ORS_ARGUMENTS_UNIT  0x10000


/*
 * The text for a custom tool out of the arguments in which a chat server
 * sends it, {"input":"..."}, while they come (E64).
 */


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

/* 1 if the text has begun. */
#define ngx_ors_custom_input_found(u)                                          \
    ((u)->state == ngx_ors_custom_input_st_text                                \
     || (u)->state == ngx_ors_custom_input_st_done)


/*
 * Looks at the next piece, "raw": the inside of a JSON string, legal by
 * itself.  Brackets are counted and nothing is checked: "whole" is set by
 * the one that closes the first.  Of arguments that do not begin with a
 * bracket the end is never seen.
 */
void ngx_ors_arguments_scan(ngx_ors_arguments_t *args, u_char *raw,
    size_t len);

/* A character of a string of JSON: 0 if it is the quote that ends it. */

static ngx_inline ngx_uint_t
ngx_ors_arguments_quoted(ngx_ors_arguments_t *args, ngx_uint_t ch)
{
    if (args->escaped) {
        args->escaped = 0;
        return 1;
    }

    args->escaped = (ch == '\\');

    return ch != '"';
}


/*
 * Sets "plain" to what "text" says, the inside of a JSON string: decoded, "{}"
 * if there is nothing.  Memory comes from "pool".  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_ors_arguments_text(ngx_ors_text_t *text,
    ngx_ors_limits_t *limits, ngx_pool_t *pool, ngx_str_t *plain);

/*
 * Sets "value" to what "text" says, the inside of a JSON string: the JSON in
 * it, on one line; "{}" if there is nothing; the string if it is not JSON,
 * or over a limit.  Memory comes from "pool".  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_ors_arguments_value(ngx_ors_text_t *text,
    ngx_ors_limits_t *limits, ngx_pool_t *pool, ngx_str_t *value);

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


#endif /* _NGX_ORS_ARGUMENTS_H_INCLUDED_ */
