
/*
 * The journal of a stream: which events there were, and where a text was cut.
 * It is stored with the response, which has all that was in them.
 */


#ifndef _NGX_ORS_JOURNAL_H_INCLUDED_
#define _NGX_ORS_JOURNAL_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * A journal has a byte for each event, and of a delta how long it was: what was
 * in an event is in the response.  Deltas of up to 223 bytes are one byte.
 */

typedef enum {
    ngx_ors_journal_created = 0,
    ngx_ors_journal_queued,
    ngx_ors_journal_in_progress,
    ngx_ors_journal_error,
    ngx_ors_journal_item_added,
    ngx_ors_journal_item_done,
    ngx_ors_journal_part_added,
    ngx_ors_journal_part_done,
    ngx_ors_journal_text_done,          /* of the part */
    ngx_ors_journal_annotation,
    ngx_ors_journal_call_done,          /* arguments, input or code */
    ngx_ors_journal_step,               /* and the status, a byte */
    ngx_ors_journal_delta,              /* and its length, a number */
    ngx_ors_journal_tokens,             /* ... and that of its logprobs */
    ngx_ors_journal_hidden,             /* no event: an item without any */
    ngx_ors_journal_lost,               /* no event: others are missing */
    ngx_ors_journal_short = 0x20        /* a delta of so many bytes more */
} ngx_ors_journal_e;


/* zeroed memory with a pool and a limit is an empty journal */

typedef struct {
    u_char                *data;
    size_t                 len;
    size_t                 nalloc;
    size_t                 max;       /* bytes; the end of a longer one is */
                                      /* lost */
    ngx_pool_t            *pool;
    unsigned               full:1;
} ngx_ors_journal_t;


/* Notes an event, and its length or status; "journal" may be NULL. */
#define ngx_ors_journal_note(journal, event, n)                               \
    if (journal) {                                                            \
        ngx_ors_journal_add(journal, event, n, 0);                            \
    }

/*
 * Adds an event; of a delta "n" is its length, "tokens" that of its logprobs;
 * of a step "n" is its status.  Without memory, or over its limit, the journal
 * becomes one that is lost.
 */
void ngx_ors_journal_add(ngx_ors_journal_t *journal, ngx_ors_journal_e event,
    size_t n, size_t tokens);

/* Adds a hosted tool's step that "status" says; "journal" may be NULL. */
void ngx_ors_journal_status(ngx_ors_journal_t *journal, ngx_str_t *status);

/* The words of ngx_ors_journal_status(), by their numbers in a journal. */
extern ngx_str_t  ngx_ors_journal_statuses[];

#define NGX_ORS_JOURNAL_STATUSES  7

/*
 * Reads a number at "*pos", in front of "last", and moves it.  NGX_OK, or
 * NGX_DECLINED: it is cut, or too large.
 */
ngx_int_t ngx_ors_journal_number(u_char **pos, u_char *last, size_t *n);


#endif /* _NGX_ORS_JOURNAL_H_INCLUDED_ */
