
/*
 * Background responses: they run in a request without a client, see
 * ngx_http_ors_detach(), by the machine of ngx_ors_background.h.
 */


#ifndef _NGX_HTTP_ORS_BACKGROUND_H_INCLUDED_
#define _NGX_HTTP_ORS_BACKGROUND_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_ors_background.h>


struct ngx_http_ors_background_s {
    ngx_ors_background_t              life;
    ngx_http_ors_ctx_t               *ctx;
    ngx_http_ors_ctx_t               *client;   /* that waits, or NULL */
    ngx_http_ors_main_conf_t         *omcf;
    ngx_queue_t                       queue;    /* of omcf->background */
    ngx_event_t                       timer;
};


/*
 * Called before the first call: a turn that is to run in the background, and
 * whose target is known from the configuration, leaves its client.
 *
 * NGX_OK         the target may be called, the call settles the rest
 * NGX_AGAIN      the turn runs elsewhere, its client waits
 * NGX_DONE       the turn has failed
 * NGX_ERROR      it cannot be begun
 */
ngx_int_t ngx_http_ors_background_early(ngx_http_ors_ctx_t *ctx);

/*
 * Called when the turn has been settled: the same for any turn.
 *
 * NGX_OK         it does not run in the background, or runs here already
 * NGX_AGAIN      it runs elsewhere, a subrequest of its client will end
 * NGX_DONE       the turn has failed
 * NGX_ERROR      it cannot be begun
 */
ngx_int_t ngx_http_ors_background_begin(ngx_http_ors_ctx_t *ctx);


/* The client of "ctx" leaves, perhaps before it got an answer. */
void ngx_http_ors_background_leave(ngx_http_ors_ctx_t *client);


/*
 * The target of a turn can be called.  The client of one that runs without it
 * is answered first.  NGX_OK, NGX_AGAIN: the subrequest will go on,
 * NGX_ERROR.
 */
ngx_int_t ngx_http_ors_background_ready(ngx_http_ors_ctx_t *ctx);

/* In place of sending what the turn has to say; "ctx" may be gone then. */
void ngx_http_ors_background_run(ngx_http_ors_ctx_t *ctx);

/*
 * The turn is about to be stored.  NGX_OK, or NGX_AGAIN: it is being asked
 * whether a client has cancelled it, the turn will go on.
 */
ngx_int_t ngx_http_ors_background_final(ngx_http_ors_ctx_t *ctx);


#endif /* _NGX_HTTP_ORS_BACKGROUND_H_INCLUDED_ */
