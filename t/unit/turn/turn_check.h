
/*
 * What a client would have made of a run: whether it was well-formed, and a
 * short text of its contents.
 *
 *     completed | message text(Hello) | call f(call_1) {"a":1} | usage 1+2=3
 *     completed | message text(Hello)+[annotations]-[logprobs] | usage 0+0=0
 *     incomplete max_output_tokens | message! text(Hel) | usage 0+0=0
 *     completed | reasoning text(a summary) | reasoning thought(content)
 *     failed upstream_error | message text(Hello)
 *     502 upstream_error
 *
 * "!" is an item that is incomplete; strings are decoded.
 */


#ifndef _TURN_CHECK_H_INCLUDED_
#define _TURN_CHECK_H_INCLUDED_


#include "turn_run.h"
#include <ngx_ors_json.h>


#define CHECK_ITEMS   64
#define CHECK_DIGEST  8192


typedef enum {
    check_st_start = 0,
    check_st_created,
    check_st_idle,
    check_st_item,
    check_st_error,
    check_st_terminal,
    check_st_done
} check_state_e;


/* how far the events of a hosted tool's item are */

typedef enum {
    check_step_added = 0,
    check_step_text,                   /* its text may come */
    check_step_begun,
    check_step_busy,
    check_step_ended
} check_step_e;


typedef struct check_hosted_s  check_hosted_t;

typedef struct {
    char              error[512];      /* empty: nothing is wrong */
    char              digest[CHECK_DIGEST];
    ngx_uint_t        events;
    ngx_uint_t        deltas;

    /* private */
    size_t            len;
    check_state_e     state;
    ngx_pool_t       *pool;
    ngx_ors_json_t    json;
    ngx_uint_t        profile;         /* strict, in the run's flavor */
    ngx_str_t         id;              /* of the response */
    ngx_str_t         code;            /* of the error event */

    ngx_str_t         items[CHECK_ITEMS];      /* as they were done */
    ngx_uint_t        nitems;
    ngx_uint_t        incomplete;

    ngx_str_t         item_type;       /* of the open item */
    ngx_str_t         item_id;
    ngx_str_t         item_name;       /* of a call */
    ngx_str_t         part_type;       /* empty: no part is open */
    ngx_uint_t        nparts;
    ngx_uint_t        done;            /* of the part or the arguments */
    u_char           *text;            /* the sum of the deltas */
    size_t            text_len;
    size_t            text_size;
    ngx_uint_t        nannotations;    /* of the part */
    ngx_str_t         annotations;     /* the sum of the events, and */
    ngx_str_t         logprobs;        /* of the deltas: insides of arrays */

    const check_hosted_t  *hosted;     /* type of the open item, or NULL */
    check_step_e      step;
    ngx_uint_t        extension;       /* its type has a prefix */
    ngx_uint_t        failed;
} check_t;


void check_run(check_t *c, run_t *run);

/* check_run() and a test each for being well-formed and for the digest. */
void check_digest(run_t *run, const char *expected, const char *name);

/* the same, with the model server's answer split at each byte, and in bytes */
void check_split(run_t *run, const char *expected, const char *name);


/*
 * Both, of a stream and of a document, in the strict profile of the flavor
 * openai and in the "other" one.
 */
void check_ways(run_t *run, ngx_uint_t other, const char *expected,
    const char *name);


/*
 * Items of hosted tools.  check_hosted() gives the rules of a type, or NULL;
 * "extension" says whether it has a prefix, and no events for that reason.
 * The others check an item, the event that announces it, one in between, the
 * event that ends it, and its place in an output.
 */

const check_hosted_t *check_hosted(check_t *c, ngx_ors_json_node_t *item,
    ngx_uint_t *extension);
void check_hosted_item(check_t *c, ngx_ors_json_node_t *item);
void check_hosted_added(check_t *c, ngx_ors_json_node_t *item);
void check_hosted_event(check_t *c, ngx_str_t *type);
void check_hosted_done(check_t *c, ngx_ors_json_node_t *item);
void check_hosted_output(check_t *c, ngx_ors_json_node_t *item);

/* between the sources of it: "wrong" keeps the first thing */

typedef struct check_part_s  check_part_t;

void check_text(check_t *c, ngx_str_t *type, const check_part_t *part);
void check_sum(check_t *c, ngx_ors_json_node_t *node);

void check_response(check_t *c, ngx_ors_json_node_t *resp);
void check_snapshot(check_t *c, ngx_ors_json_node_t *resp,
    const char *what);
void check_item(check_t *c, ngx_ors_json_node_t *item);
void check_error_value(check_t *c, ngx_ors_json_node_t *error);

ngx_ors_json_node_t *check_get(check_t *c, ngx_ors_json_node_t *object,
    const char *name);
void check_is(check_t *c, ngx_ors_json_node_t *object, const char *name,
    const char *value);
void check_number(check_t *c, const char *name, ngx_uint_t value);
ngx_uint_t check_same(check_t *c, ngx_ors_json_node_t *node, ngx_str_t *s);
void check_keep(check_t *c, ngx_str_t *s, ngx_ors_json_node_t *node);
ngx_str_t check_raw(check_t *c, ngx_ors_json_node_t *node);
ngx_uint_t check_type(ngx_str_t *type, const char *name);

void check_put(check_t *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void check_put_node(check_t *c, ngx_ors_json_node_t *node);
void wrong(check_t *c, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));


#endif /* _TURN_CHECK_H_INCLUDED_ */
