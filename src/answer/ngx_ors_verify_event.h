
/*
 * One event of a response's stream (protocol, section 10.2), taken apart, and
 * what is known of the stream so far.
 */


#ifndef _NGX_ORS_VERIFY_EVENT_H_INCLUDED_
#define _NGX_ORS_VERIFY_EVENT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_book.h>
#include <ngx_ors_verify.h>
#include <ngx_ors_verify_digest.h>
#include <ngx_ors_names.h>


/* effect of an event */

typedef enum {
    ngx_ors_verify_act_created = 0,
    ngx_ors_verify_act_queued,
    ngx_ors_verify_act_in_progress,
    ngx_ors_verify_act_completed,
    ngx_ors_verify_act_incomplete,
    ngx_ors_verify_act_failed,
    ngx_ors_verify_act_error,
    ngx_ors_verify_act_item_added,
    ngx_ors_verify_act_item_done,
    ngx_ors_verify_act_part_added,
    ngx_ors_verify_act_part_done,
    ngx_ors_verify_act_delta,
    ngx_ors_verify_act_text,          /* a text is done */
    ngx_ors_verify_act_note,          /* something about a text */
    ngx_ors_verify_act_step,          /* a hosted tool's progress */
    ngx_ors_verify_act_item,          /* of an item, no more is known */
    ngx_ors_verify_act_none           /* an extension, a sign of life */
} ngx_ors_verify_act_e;


/* types of parts that have events for their text */

#define ngx_ors_verify_part_value(type, ...)  ngx_ors_verify_part_##type,

typedef enum {
    ngx_ors_verify_part_none = 0,
    NGX_ORS_PARTS(ngx_ors_verify_part_value)
    ngx_ors_verify_part_other
} ngx_ors_verify_part_e;


/* how far a hosted tool is; no event of an earlier step can follow */

typedef enum {
    ngx_ors_verify_step_none = 0,
    ngx_ors_verify_step_begun,
    ngx_ors_verify_step_busy,
    ngx_ors_verify_step_over
} ngx_ors_verify_step_e;


/* members that are read */

#define NGX_ORS_VERIFY_MEMBERS(row)                                           \
    row(type) row(item) row(part) row(text) row(code) row(delta) row(input)   \
    row(error) row(item_id) row(refusal) row(response) row(arguments)         \
    row(output_index) row(content_index) row(summary_index)                   \
    row(sequence_number)

#define ngx_ors_verify_member_value(name)  ngx_ors_verify_m_##name,

typedef enum {
    NGX_ORS_VERIFY_MEMBERS(ngx_ors_verify_member_value)
    ngx_ors_verify_m_n
} ngx_ors_verify_member_e;


typedef struct {
    ngx_str_t                    name;
    ngx_ors_verify_act_e         act;
    ngx_ors_verify_part_e        part;    /* none: the item's own text */
    ngx_ors_verify_member_e      text;    /* where the text is */
    char                        *item;    /* type, NULL: any */
    ngx_ors_verify_step_e        step;
} ngx_ors_verify_row_t;


typedef struct {
    const ngx_ors_verify_row_t  *row;
    ngx_ors_verify_act_e         act;
    ngx_str_t                    type;    /* decoded, up to the next event */
    ngx_ors_json_node_t         *member[ngx_ors_verify_m_n];  /* or NULL */
} ngx_ors_verify_event_t;


/* of an event, a type with escapes in it */
#define NGX_ORS_VERIFY_TYPE_MAX  256


/* where the response is */

typedef enum {
    ngx_ors_verify_sequence_st_start = 0,
    ngx_ors_verify_sequence_st_created,
    ngx_ors_verify_sequence_st_queued,
    ngx_ors_verify_sequence_st_running,
    ngx_ors_verify_sequence_st_error,       /* "error" has come, it must fail */
    ngx_ors_verify_sequence_st_over         /* its last event was sent */
} ngx_ors_verify_sequence_e;


typedef struct ngx_ors_verify_item_s  ngx_ors_verify_item_t;


struct ngx_ors_verify_stream_s {
    ngx_ors_verify_sequence_e    order;
    const ngx_ors_verify_row_t  *row;        /* of the last event */
    ngx_uint_t                   tolerated;  /* bits of what was logged */
    u_char                       type[NGX_ORS_VERIFY_TYPE_MAX];  /* decoded */

    int64_t                      sequence;   /* of the next event */
    u_char                       number[sizeof(",\"sequence_number\":")
                                        + NGX_INT64_LEN];
    unsigned                     numbered:1; /* "sequence" is known */
    unsigned                     filled:1;   /* put in by the walker */
    unsigned                     incomplete:1;  /* an item is */

    ngx_str_t                    id;         /* of the response, decoded */
    ngx_str_t                    snapshot;   /* the last one, as JSON */
    size_t                       room;       /* of it */
    ngx_ors_error_t              failure;    /* of the event "error" */

    ngx_ors_verify_item_t       *items;      /* by output_index */
    ngx_uint_t                   nitems;
    ngx_uint_t                   nalloc;
    ngx_uint_t                   open;       /* of them */
    ngx_ors_names_t              ids;        /* theirs */
    size_t                       size;       /* bytes of items */

    /* of chat completions: choices by their index */
    uint64_t                     seen[2];
    uint64_t                     finished[2];
};


/*
 * Takes verify->json apart, an event that was checked.
 *
 * NGX_OK         "ev" is filled
 * NGX_DECLINED   its type cannot be in a line, verify->error says so
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_verify_event_read(ngx_ors_verify_t *verify,
    ngx_ors_verify_event_t *ev);

/*
 * Puts the data of an event on one line.  It must have been read as JSON:
 * line breaks are between its tokens only.
 */
void ngx_ors_verify_event_lines(ngx_str_t *data);

/* The type of "part", and in "*text" what it says, or NULL. */
ngx_ors_verify_part_e ngx_ors_verify_event_part(ngx_ors_json_t *json,
    ngx_ors_json_node_t *part, ngx_ors_json_node_t **text);


#endif /* _NGX_ORS_VERIFY_EVENT_H_INCLUDED_ */
