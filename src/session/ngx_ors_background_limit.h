
/*
 * How many background responses may run in a worker, in all and for one scope,
 * and "open_responses_background", which sets that.
 */


#ifndef _NGX_ORS_BACKGROUND_LIMIT_H_INCLUDED_
#define _NGX_ORS_BACKGROUND_LIMIT_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_session.h>


typedef struct {
    ngx_uint_t                 all;       /* unset: by the connections */
    ngx_uint_t                 scope;     /* of one scope, unset: a part of */
                                          /* "all" */
    ngx_msec_t                 timeout;   /* of one response, ms */
} ngx_ors_background_limit_t;


/* load of a worker */

typedef struct {
    ngx_uint_t                 running;
    ngx_uint_t                 of_scope;  /* those of the client's scope */
    ngx_uint_t                 connections;
    ngx_uint_t                 free;      /* connections that can be taken */
} ngx_ors_background_load_t;


/*
 * "open_responses_background [limit=NUMBER] [scope=NUMBER] [timeout=TIME]":
 * cmd->offset is that of an ngx_ors_background_limit_t in "conf".
 */
char *ngx_ors_background_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/* Sets "limit" to "not configured"; takes from "prev" what is so. */
void ngx_ors_background_limit_init(ngx_ors_background_limit_t *limit);
void ngx_ors_background_limit_merge(ngx_ors_background_limit_t *limit,
    ngx_ors_background_limit_t *prev);

/*
 * Checks that one more response may run.  NGX_OK, or NGX_DONE: it may not, the
 * turn has failed, and "log" has a line that says why.
 */
ngx_int_t ngx_ors_background_admit(ngx_ors_session_t *session,
    ngx_ors_background_limit_t *limit, ngx_ors_background_load_t *load,
    ngx_log_t *log);

/*
 * Checks that a request without a client's connection may begin: it takes
 * two, its own and one to an upstream, and an eighth of all is left to
 * clients.  NGX_OK, or NGX_BUSY: "log" has a line that says why.
 */
ngx_int_t ngx_ors_background_reserve(ngx_ors_background_load_t *load,
    ngx_log_t *log);


#endif /* _NGX_ORS_BACKGROUND_LIMIT_H_INCLUDED_ */
