
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Background responses of this worker, and connections, as limits count them.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_detach.h>
#include <ngx_http_ors_background.h>


ngx_int_t
ngx_http_ors_background_limit(ngx_http_ors_ctx_t *ctx)
{
    ngx_int_t                   rc;
    ngx_queue_t                *q;
    ngx_http_ors_background_t  *bg;
    ngx_http_ors_main_conf_t   *omcf;
    ngx_ors_background_load_t   load;

    omcf = ngx_http_get_module_main_conf(ctx->request,
                                         ngx_http_open_responses_module);

    if (ngx_http_ors_scope(ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    load.running = omcf->nbackground;
    load.of_scope = 0;

    for (q = ngx_queue_head(&omcf->background);
         q != ngx_queue_sentinel(&omcf->background);
         q = ngx_queue_next(q))
    {
        bg = ngx_queue_data(q, ngx_http_ors_background_t, queue);

        load.of_scope += (ngx_memcmp(bg->ctx->scope, ctx->scope,
                                     NGX_ORS_DIGEST_LEN)
                          == 0);
    }

    ngx_http_ors_detach_connections(&load);

    rc = ngx_ors_background_admit(ctx->session, &ctx->conf->background, &load,
                                  ctx->request->connection->log);

    if (rc == NGX_DONE) {
        ngx_str_set(&ctx->retry_after, "10");
    }

    return rc;
}
