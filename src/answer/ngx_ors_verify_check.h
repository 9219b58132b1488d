
/*
 * The verification of one JSON text: a document, or an event of a stream.
 */


#ifndef _NGX_ORS_VERIFY_CHECK_H_INCLUDED_
#define _NGX_ORS_VERIFY_CHECK_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_verify.h>


/* for texts that are made for one answer */
#define NGX_ORS_VERIFY_BLOCK  1024


/* 1 if text "name" is the literal "text" */
#define ngx_ors_verify_named(name, text)                                      \
    ((name)->len == sizeof(text) - 1                                          \
     && ngx_memcmp((name)->data, text, sizeof(text) - 1) == 0)


/*
 * Reads "text" into verify->json and checks it against "shape" as the policy
 * says, a response object beyond it (protocol, section 7).  What is to be
 * stripped, filled in (from the request where it says something, else from
 * the tables) and set back ("model", of the document or of its "response")
 * is in verify->edits, which are emptied before; their texts live until the
 * next call.  Memory is taken once for each field that is filled in, however
 * often it is.
 *
 * NGX_OK         verify->json has the document, to be written with the edits
 * NGX_DECLINED   verify->error says what is wrong with it: 502, "param" is
 *                empty, the message names the place and quotes no values
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_verify_check(ngx_ors_verify_t *verify, ngx_str_t *text,
    const ngx_ors_shape_t *shape);

/*
 * As ngx_ors_verify_check(), but a violation is only put into "err", neither
 * refused nor logged.
 */
ngx_int_t ngx_ors_verify_validate(ngx_ors_verify_t *verify, ngx_str_t *text,
    const ngx_ors_shape_t *shape, ngx_ors_error_t *err);

/*
 * Sets "text" to the names of members that were or would be repaired, in
 * "line", which has NGX_ORS_LINE_MAX bytes; they are names of the tables.  To
 * be called once, at the end: adds a name for what is no field of a table.
 */
void ngx_ors_verify_places(ngx_ors_verify_t *verify, u_char *line,
    ngx_str_t *text);

/*
 * Sets verify->error to a violation: 502, "code" is static text, the message
 * says why.  The message is logged, so it must hold nothing of the answer but
 * names.  Always returns NGX_DECLINED.
 */
ngx_int_t ngx_ors_verify_found(ngx_ors_verify_t *verify, ngx_ors_code_e code,
    const char *fmt, ...);

/*
 * Sets member "name" of "object" to JSON text "value", which is borrowed, if
 * the object has it.  NGX_OK or NGX_ERROR.
 */
ngx_int_t ngx_ors_verify_set(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *object, char *name, ngx_str_t *value);

/* 1 if "object" has this "status". */
ngx_uint_t ngx_ors_verify_has_status(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *object, char *status);

/* The answer is refused with verify->error, which is logged.  NGX_DECLINED. */
ngx_int_t ngx_ors_verify_refused(ngx_ors_verify_t *verify);


/*
 * The verification of a stream's output items: each is added, filled by deltas
 * and done (protocol, sections 10.3 and 15, R36 to R48).
 */


/*
 * The verification of the parts of a stream's output items, and the record of
 * an item.
 */

typedef enum {
    ngx_ors_verify_item_st_open = 0,     /* none of its parts is open */
    ngx_ors_verify_item_st_part,         /* a part is open */
    ngx_ors_verify_item_st_text,         /* ... and its text is done */
    ngx_ors_verify_item_st_done
} ngx_ors_verify_item_state_e;


/* its lists of parts */

typedef enum {
    ngx_ors_verify_list_content = 0,
    ngx_ors_verify_list_summary,
    ngx_ors_verify_list_n
} ngx_ors_verify_list_e;


/* streamed lists of an item: its parts, its text */

typedef struct {
    ngx_uint_t                   n[ngx_ors_verify_list_n];
    ngx_ors_verify_digest_t      parts[ngx_ors_verify_list_n];
    ngx_ors_verify_digest_t      text;
} ngx_ors_verify_content_t;


typedef struct {
    ngx_str_t                    type;
    ngx_str_t                    text;       /* name of its own text */
    ngx_uint_t                   fit;        /* bits of parts in "content" */
    unsigned                     core:1;     /* has a status, is streamed */
} ngx_ors_verify_kind_t;


struct ngx_ors_verify_item_s {
    ngx_ors_verify_item_state_e   state;
    const ngx_ors_verify_kind_t  *kind;

    /* decoded; the id may be empty where it may be absent */
    ngx_str_t                    id;
    ngx_str_t                    type;

    /* digests of streamed texts and, once it is done, of its contents */
    ngx_ors_verify_content_t     content;
    ngx_ors_verify_digest_t      name;       /* of a call, and its id */

    ngx_ors_verify_part_e        part;       /* the open one */
    ngx_ors_verify_list_e        list;
    ngx_ors_verify_digest_t      sum;        /* its text */

    ngx_ors_verify_step_e        step;       /* of a hosted tool */
    ngx_str_t                    json;       /* when it was done */
    unsigned                     begun:1;    /* deltas of a text have come */
    unsigned                     preset:1;   /* it was added with contents */
};


/* items of one response, which are remembered until its end */
#define NGX_ORS_VERIFY_ITEMS  4096


/*
 * An event of an item.
 *
 * NGX_OK         the item is as the event says
 * NGX_DECLINED   it cannot be, verify->error says why
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_verify_item(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev);

/*
 * Compares "output" of a response that is over with the items that were
 * done.  NGX_OK or NGX_DECLINED.
 */
ngx_int_t ngx_ors_verify_item_output(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *output);


#endif /* _NGX_ORS_VERIFY_CHECK_H_INCLUDED_ */
