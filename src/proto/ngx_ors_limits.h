
/*
 * Limits of requests, answers and contexts, and "open_responses_limits", which
 * sets them.
 */


#ifndef _NGX_ORS_LIMITS_H_INCLUDED_
#define _NGX_ORS_LIMITS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/* limits that an operator may set; sizes in bytes */

typedef struct {
    ngx_uint_t            depth;      /* containers inside each other */
    ngx_uint_t            nodes;      /* JSON values in one document */
    ngx_uint_t            items;      /* input items */
    ngx_uint_t            tools;
    ngx_uint_t            calls;      /* tool calls in one answer */
    size_t                event;      /* one event of a stream */
    size_t                answer;     /* one answer, and the text of a stream */
    size_t                queue;      /* output that waits for a slow client */
    ngx_uint_t            turns;      /* previous ones of a request */
    size_t                context;    /* ... all of them */
    size_t                truncate;   /* ... with "truncation": "auto" */
    size_t                tool_answer;    /* of one call of a hosted tool */
    ngx_uint_t            tool_calls;     /* ... that run side by side */
    size_t                scope_context;  /* ... of all requests of a scope */
                                      /* in a worker, 0: no limit */
} ngx_ors_limits_t;


/*
 * "open_responses_limits NAME=NUMBER...": cmd->offset is that of an
 * ngx_ors_limits_t in "conf".
 */
char *ngx_ors_limits_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/* Sets all limits to "not configured". */
void ngx_ors_limits_init(ngx_ors_limits_t *limits);

/* Sets limits that are not configured to those of "prev", or the defaults. */
void ngx_ors_limits_merge(ngx_ors_limits_t *limits, ngx_ors_limits_t *prev);


#endif /* _NGX_ORS_LIMITS_H_INCLUDED_ */
