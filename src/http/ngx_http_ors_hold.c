
/*
 * Copyright (C) Open Responses contributors
 */


/* How much of its stored conversations the running requests of a scope hold. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>


/* the requests of one scope that run in this worker */

struct ngx_http_ors_holder_s {
    ngx_str_node_t            sn;         /* its text is "scope" */
    u_char                    scope[NGX_ORS_STORE_KEY];
    size_t                    size;       /* bytes that all of them hold */
    ngx_uint_t                holds;
};


static ngx_http_ors_holder_t *ngx_http_ors_hold_find(
    ngx_http_ors_main_conf_t *omcf, u_char *scope);
static void ngx_http_ors_hold_say(ngx_http_request_t *r,
    ngx_http_ors_holder_t *holder, size_t limit);


void
ngx_http_ors_hold_init(ngx_http_ors_main_conf_t *omcf)
{
    ngx_rbtree_init(&omcf->holders, &omcf->sentinel,
                    ngx_str_rbtree_insert_value);
}


ngx_int_t
ngx_http_ors_hold(ngx_http_request_t *r, ngx_http_ors_hold_t *hold,
    u_char *scope, size_t size)
{
    size_t                     limit, other;
    ngx_http_ors_holder_t     *holder;
    ngx_http_ors_loc_conf_t   *olcf;
    ngx_http_ors_main_conf_t  *omcf;

    olcf = ngx_http_get_module_loc_conf(r->main,
                                        ngx_http_open_responses_module);
    limit = olcf->limits.scope_context;

    if (limit == 0) {
        return NGX_OK;
    }

    holder = hold->holder;

    if (holder == NULL) {
        omcf = ngx_http_get_module_main_conf(r,
                                             ngx_http_open_responses_module);

        holder = ngx_http_ors_hold_find(omcf, scope);
        if (holder == NULL) {
            return NGX_ERROR;
        }

        holder->holds++;

        hold->holder = holder;
        hold->tree = &omcf->holders;
    }

    other = holder->size - hold->size;

    if (size > hold->size && size > limit - ngx_min(other, limit)) {
        ngx_http_ors_hold_say(r, holder, limit);
        return NGX_BUSY;
    }

    holder->size = other + size;
    hold->size = size;

    return NGX_OK;
}


static ngx_http_ors_holder_t *
ngx_http_ors_hold_find(ngx_http_ors_main_conf_t *omcf, u_char *scope)
{
    uint32_t                hash;
    ngx_str_t               text;
    ngx_http_ors_holder_t  *holder;

    text.data = scope;
    text.len = NGX_ORS_STORE_KEY;
    hash = ngx_crc32_short(text.data, text.len);

    holder = (ngx_http_ors_holder_t *)
                 ngx_str_rbtree_lookup(&omcf->holders, &text, hash);

    if (holder) {
        return holder;
    }

    holder = ngx_calloc(sizeof(ngx_http_ors_holder_t), ngx_cycle->log);
    if (holder == NULL) {
        return NULL;
    }

    /*
     * set by ngx_calloc():
     *
     *     holder->size = 0;
     *     holder->holds = 0;
     */

    ngx_memcpy(holder->scope, scope, NGX_ORS_STORE_KEY);

    holder->sn.node.key = hash;
    holder->sn.str.data = holder->scope;
    holder->sn.str.len = NGX_ORS_STORE_KEY;

    ngx_rbtree_insert(&omcf->holders, &holder->sn.node);

    return holder;
}


/* the first bytes of its digest name a scope */

static void
ngx_http_ors_hold_say(ngx_http_request_t *r, ngx_http_ors_holder_t *holder,
    size_t limit)
{
    ngx_log_error(NGX_LOG_WARN, r->connection->log, 0,
                  "requests of scope %02xd%02xd%02xd%02xd hold %uz bytes of "
                  "stored conversations, \"scope_context\" is %uz",
                  holder->scope[0], holder->scope[1], holder->scope[2],
                  holder->scope[3], holder->size, limit);
}


void
ngx_http_ors_hold_release(ngx_http_ors_hold_t *hold)
{
    ngx_http_ors_holder_t  *holder;

    holder = hold->holder;

    if (holder == NULL) {
        return;
    }

    holder->size -= hold->size;

    if (--holder->holds == 0) {
        ngx_rbtree_delete(hold->tree, &holder->sn.node);
        ngx_free(holder);
    }

    hold->holder = NULL;
    hold->size = 0;
}
