
/*
 * The verification of an answer of a server that speaks the client's own
 * dialect: its record, which all files of the verification share.
 */


#ifndef _NGX_ORS_VERIFY_H_INCLUDED_
#define _NGX_ORS_VERIFY_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_answer.h>
#include <ngx_ors_book.h>
#include <ngx_ors_error.h>
#include <ngx_ors_json.h>
#include <ngx_ors_names.h>
#include <ngx_ors_request.h>
#include <ngx_ors_response.h>
#include <ngx_ors_route.h>
#include <ngx_ors_text.h>
#include <ngx_ors_validate.h>


/* how many names of members are remembered */
#define NGX_ORS_VERIFY_PLACES  24


typedef struct ngx_ors_verify_stream_s  ngx_ors_verify_stream_t;


typedef struct {
    /* set by the caller; borrowed, they live as long */
    ngx_ors_answer_t          *answer;    /* the reader */
    const ngx_ors_endpoint_t  *endpoint;
    ngx_ors_request_t         *request;   /* NULL: not read */
    ngx_ors_policy_t          *policy;
    ngx_ors_limits_t          *limits;
    ngx_ors_out_t             *out;       /* to the client */
    ngx_pool_t                *pool;
    ngx_log_t                 *log;
    unsigned                   report:1;  /* violations are only logged */
    unsigned                   keep:1;    /* it is of a stored conversation */

    /* to the client: due when "status" is set */
    ngx_uint_t                 status;
    ngx_str_t                  type;      /* Content-Type */

    /* the outcome */
    ngx_ors_error_t            error;     /* status 0: nothing was refused */
    ngx_ors_response_status_e  outcome;   /* of one that passes, if known */
    ngx_ors_usage_t            usage;     /* as the server has counted it */
    ngx_uint_t                 repaired;  /* places that were changed ... */
    ngx_uint_t                 stripped;  /* ... of these, members left out */
    const ngx_str_t           *places[NGX_ORS_VERIFY_PLACES];
    ngx_uint_t                 nplaces;   /* names of fields, each once */
    unsigned                   refused:1;  /* "error" is a violation */
    unsigned                   replaced:1;  /* all of the answer is "error" */
    unsigned                   begun:1;   /* a stream has some output */
    ngx_str_t                  held;      /* its end, for the store */
    ngx_str_t                  held_type;  /* ... that of an event */

    /* private */
    ngx_ors_json_t             json;      /* of one document or event */
    ngx_ors_edits_t            edits;
    ngx_ors_fill_pt            fill;      /* of a stream, or NULL */
    ngx_str_t                 *fills;     /* by row of the response object */
    u_char                     total[NGX_ORS_DECIMAL_LEN];
    ngx_ors_verify_stream_t   *stream;    /* NULL: it is none */
} ngx_ors_verify_t;


/*
 * The class of the failure that the client has seen, an ngx_ors_class_e: a
 * violation that is only reported is none
 */
#define ngx_ors_verify_class(verify)                                          \
    (((verify)->error.status == 0 || ((verify)->refused && (verify)->report)) \
     ? ngx_ors_class_none : (verify)->error.class)


/*
 * Digests of texts: deltas are compared with the text that should be their
 * sum, and no text is stored.  A digest is of the decoded text, the same for
 * any escapes and any pieces.
 */


/* no proof: a digest can be forged */

typedef struct {
    uint64_t      hash;
    uint64_t      len;        /* bytes as UTF-8 */
    uint32_t      high;       /* half of a pair, the other may come, or 0 */
} ngx_ors_verify_digest_t;


/*
 * One event of a response's stream (protocol, section 10.2), taken apart, and
 * the state of the stream so far.
 */


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
 * Deviations of a stream from the order of events (protocol, section 10) that
 * clients live with.  Some pass in every profile (C26), the others only in the
 * tolerant ones; elsewhere they are violations.
 */


/* a deviation, the profiles in which it passes, and its sentence */

#define NGX_ORS_TOLERATED(row)                                                \
    row(skipped, ALL, "response.in_progress was left out")                    \
    row(interleaved, ALL, "an item is added while another one is open")       \
    row(late, ALL, "events after the last one are dropped")                   \
    row(again, TOLERANT,                                                      \
        "an event of the response's state comes again or late")               \
    row(status, TOLERANT, "a status does not fit its event")                  \
    row(output, TOLERANT,                                                     \
        "the output of a response is not empty in the beginning")             \
    row(added, TOLERANT, "an item or a part is not empty when it is added")   \
    row(unfit, TOLERANT, "a part is of a type that its item does not have")   \
    row(no_part, TOLERANT, "a text comes without a part")                     \
    row(no_text, TOLERANT, "the event that ends a text is left out")          \
    row(no_done, TOLERANT, "a part is not done when its item is")             \
    row(at_once, TOLERANT, "a text comes at once, without deltas")            \
    row(name, TOLERANT, "an item has another name when it is done")           \
    row(details, TOLERANT,                                                    \
        "the error or the details of a response do not fit its status")       \
    row(step, TOLERANT,                                                       \
        "an event of a hosted tool's progress comes again or late")

#define ngx_ors_tolerated_value(name, in, text)  ngx_ors_tolerated_##name,

typedef enum {
    NGX_ORS_TOLERATED(ngx_ors_tolerated_value)
} ngx_ors_tolerated_e;


/*
 * The end of an answer that is stored, the response or the event with it: the
 * client gets it after it has been stored.
 */


/* 1 if the answer, which has ended, is one that is stored */
#define ngx_ors_verify_is_stored(verify)                                       \
    ((verify)->keep && (verify)->request->stored                               \
     && ((verify)->outcome == ngx_ors_response_completed                       \
         || (verify)->outcome == ngx_ors_response_incomplete))

/*
 * The object of the response that ngx_ors_verify_store_response() has set last.
 */
#define ngx_ors_verify_stored_object(verify)                                   \
    ((verify)->held_type.len                                                   \
     ? ngx_ors_json_find(&(verify)->json, (verify)->json.nodes, "response")    \
     : (verify)->json.nodes)


/* The sum of an empty text. */
void ngx_ors_verify_digest_init(ngx_ors_verify_digest_t *sum);

/*
 * Adds a piece, string "node"; a surrogate pair may be split between two.
 * NULL and anything but a string add nothing.
 */
void ngx_ors_verify_digest_add(ngx_ors_verify_digest_t *sum,
    ngx_ors_json_t *json, ngx_ors_json_node_t *node);

/*
 * Adds number "type" and a whole text, of which "sum" has the digest, as one
 * element.
 */
void ngx_ors_verify_digest_fold(ngx_ors_verify_digest_t *sum, ngx_uint_t type,
    ngx_ors_verify_digest_t *text);

/* 1 if both are of the same text. */
ngx_uint_t ngx_ors_verify_digest_equal(ngx_ors_verify_digest_t *one,
    ngx_ors_verify_digest_t *two);

/* 1 if string "node" is the text of the sum. */
ngx_uint_t ngx_ors_verify_digest_is(ngx_ors_verify_digest_t *sum,
    ngx_ors_json_t *json, ngx_ors_json_node_t *node);

/*
 * The verification of an upstream's error document, and error documents of
 * our own (protocol, section 11).
 */


/*
 * Answers with the upstream's error document "text" if it is valid, and with
 * one of our own if it is not, or under the policy's mask.  "data" is an
 * ngx_ors_verify_t; its "error" is set.  Returns NGX_DONE or NGX_ERROR.
 */
ngx_int_t ngx_ors_verify_failure(void *data, ngx_str_t *text);

/*
 * Sets status and type, and writes an error document with verify->error:
 * nothing of the answer has been sent.  Always returns NGX_DONE.
 */
ngx_int_t ngx_ors_verify_failed(ngx_ors_verify_t *verify);

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

/*
 * The validator's part for streams of chat completion chunks: each is checked,
 * and the stream ends as it should.
 */


/*
 * The next chunk, verify->answer->sse.data.
 *
 * NGX_OK         it was appended to verify->out
 * NGX_DECLINED   the stream cannot go on, verify->error says why: a violation,
 *                or what upstream has reported
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_verify_chat(ngx_ors_verify_t *verify);

/*
 * 1 if the stream may end here: by [DONE], with "done", once there was a
 * choice, else once all choices have a reason to end.
 */
ngx_uint_t ngx_ors_verify_chat_ends(ngx_ors_verify_t *verify, ngx_uint_t done);

/* Appends verify->error and [DONE]. */
void ngx_ors_verify_chat_fail(ngx_ors_verify_t *verify);

/*
 * NGX_OK         it passes; the first of its kind in a stream is logged
 * NGX_DECLINED   it does not, verify->error says what it is
 */
ngx_int_t ngx_ors_verify_tolerate(ngx_ors_verify_t *verify,
    ngx_ors_tolerated_e deviation);

/*
 * The event violates the order in any profile: "what" is static text.  Always
 * returns NGX_DECLINED.
 */
ngx_int_t ngx_ors_verify_violation(ngx_ors_verify_t *verify, const char *what);

/*
 * Holds verify->json with its edits; "type" is that of an event, NULL of a
 * document.
 *
 * NGX_OK         held
 * NGX_DECLINED   its id cannot be the name of a record; verify->error is set
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_verify_store_hold(ngx_ors_verify_t *verify, ngx_str_t *type);

/*
 * The response that is held, borrowed from it; "items", the list that is its
 * output, is a part of it, and so is "id", unless it had to be decoded.
 *
 * NGX_OK         set
 * NGX_DECLINED   it has no id or no output
 * NGX_ERROR      no memory
 */
ngx_int_t ngx_ors_verify_store_response(ngx_ors_verify_t *verify,
    ngx_str_t *response, ngx_str_t *id, ngx_str_t *items);

/*
 * Appends what is held to verify->out, and the end of a stream; the response
 * says that it was stored, or not.  NGX_OK or NGX_ERROR: no memory.
 */
ngx_int_t ngx_ors_verify_store_release(ngx_ors_verify_t *verify,
    ngx_uint_t stored);


/*
 * Items that are remembered for the end of a stream that cannot go on: "error",
 * then "response.failed" with the last snapshot and the finished items
 * (protocol, sections 10.4 and 10.5).
 */


/*
 * Counts bytes that are remembered of items, or that are filled into events.
 * NGX_OK, or NGX_DECLINED: they are over the limit for an answer,
 * verify->error has the reason.
 */
ngx_int_t ngx_ors_verify_terminate_charge(ngx_ors_verify_t *verify,
    size_t size);

/*
 * Remembers an item that is done, "node" with verify->edits, in "*json".
 * NGX_OK, NGX_DECLINED as above, or NGX_ERROR.
 */
ngx_int_t ngx_ors_verify_terminate_item(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *node, ngx_str_t *json);

/*
 * The verification as a user of the reader in ngx_ors_answer.h: each document
 * and event is checked, repaired where that is possible, and refused else.
 */


/*
 * Makes "verify" the user of verify->answer.  The reader's functions return
 *
 * NGX_OK         go on
 * NGX_DONE       the answer is over: "status", "type" and "out" hold what
 *                is left to be sent
 * NGX_ERROR      no memory
 *
 * "status" stays 0 until the client's answer can begin: that of a document
 * when it is whole, that of a stream with its first event or comment.
 */
void ngx_ors_verify_init(ngx_ors_verify_t *verify);

/* As ngx_ors_answer_header(), to be called in its place. */
ngx_int_t ngx_ors_verify_header(ngx_ors_verify_t *verify, ngx_uint_t status,
    ngx_str_t *type, off_t length);

/*
 * The end of the stream, which is held, cannot be stored: the stream fails
 * with "err" in its place.  Returns NGX_DONE or NGX_ERROR.
 */
ngx_int_t ngx_ors_verify_unhold(ngx_ors_verify_t *verify,
    ngx_ors_error_t *err);


#endif /* _NGX_ORS_VERIFY_H_INCLUDED_ */
