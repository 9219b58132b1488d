
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The scope of a request: who owns what it stores or seals, and what becomes
 * of a request that names no owner.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors.h>
#include <ngx_ors_conf.h>


/* the value that names a client, unless a location says otherwise */

static ngx_str_t  ngx_http_ors_scope_source = ngx_string("$http_authorization");

static ngx_str_t  ngx_http_ors_scope_no_key = ngx_null_string;


ngx_int_t
ngx_http_ors_scope(ngx_http_ors_ctx_t *ctx)
{
    ngx_str_t                  list[2];
    ngx_table_elt_t           *key;
    ngx_http_complex_value_t  *scope;

    if (ctx->scoped) {
        return NGX_OK;
    }

    /* the same text made of other variables is another client */

    scope = ctx->conf->scope;
    key = ctx->request->headers_in.authorization;

    list[0] = scope ? scope->value : ngx_http_ors_scope_source;
    list[1] = key ? key->value : ngx_http_ors_scope_no_key;

    if (scope
        && ngx_http_complex_value(ctx->request, scope, &list[1]) != NGX_OK)
    {
        return NGX_ERROR;
    }

    if (ngx_ors_digest_list(ngx_ors_key_scope, list, 2,
                            &ngx_http_ors_scope_no_key, ctx->scope)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ctx->ownerless = (list[1].len == 0 && !ctx->conf->scope_share);
    ctx->scoped = 1;

    return NGX_OK;
}


ngx_int_t
ngx_http_ors_scope_store(ngx_http_ors_ctx_t *ctx)
{
    ngx_str_t         list[2];
    ngx_ors_store_t  *store;

    if (ctx->owned) {
        return NGX_OK;
    }

    store = ctx->conf->stored.store;

    if (ngx_http_ors_scope(ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    list[0] = store->name;
    list[1].data = ctx->scope;
    list[1].len = NGX_ORS_DIGEST_LEN;

    if (ngx_ors_digest_list(ngx_ors_key_owner, list, 2, &store->key,
                            ctx->owner)
        != NGX_OK)
    {
        return NGX_ERROR;
    }

    ctx->owned = 1;

    return NGX_OK;
}


ngx_int_t
ngx_http_ors_scope_sealer(ngx_http_ors_ctx_t *ctx, ngx_ors_sealer_t **sealer)
{
    ngx_str_t                  text;
    ngx_http_request_t        *r;
    ngx_http_ors_main_conf_t  *omcf;

    r = ctx->request;
    omcf = ngx_http_get_module_main_conf(r, ngx_http_open_responses_module);

    *sealer = NULL;

    if (omcf->secret == NULL) {
        return NGX_OK;
    }

    *sealer = ngx_palloc(r->pool, sizeof(ngx_ors_sealer_t));
    if (*sealer == NULL) {
        return NGX_ERROR;
    }

    (*sealer)->keys = omcf->secret;

    if (ngx_http_ors_scope(ctx) != NGX_OK) {
        return NGX_ERROR;
    }

    text.data = ctx->scope;
    text.len = NGX_ORS_DIGEST_LEN;

    return ngx_ors_digest_list(ngx_ors_key_seal, &text, 1,
                               &ngx_http_ors_scope_no_key, (*sealer)->scope);
}


ngx_int_t
ngx_http_ors_scope_needed(ngx_http_ors_ctx_t *ctx, ngx_uint_t translates)
{
    ngx_ors_turn_t  *turn;

    turn = ctx->turn;

    if (!ctx->ownerless
        || !((ctx->session && ngx_ors_session_used(ctx->session))
             || (translates && turn->sealer && ngx_ors_turn_seals(turn))))
    {
        return NGX_OK;
    }

    if (ngx_http_ors_scope_refuse(ctx->request, &turn->error) != NGX_OK) {
        return NGX_ERROR;
    }

    /* another target would not help */

    turn->retries_left = 0;

    return ngx_ors_turn_fail(turn);
}


ngx_int_t
ngx_http_ors_scope_refuse(ngx_http_request_t *r, ngx_ors_error_t *err)
{
    (void) ngx_ors_error_set(err, r->pool,
                             ngx_ors_code_authentication_required,
                             "what is stored or sealed belongs to a client, "
                             "and this request names no client: send "
                             "an API key in \"Authorization\", or \"store\": "
                             "false and nothing that refers to stored "
                             "responses; the operator can name clients with "
                             "\"open_responses_store_scope\"");

    return ngx_ors_header_text(&r->headers_out.headers, "WWW-Authenticate",
                               "www-authenticate", "Bearer")
           ? NGX_OK : NGX_ERROR;
}


/* open_responses_store_scope STRING [empty=reject|share]; */

char *
ngx_http_ors_scope_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_ors_loc_conf_t  *olcf = conf;

    char       *rv;
    ngx_str_t  *value;

    rv = ngx_http_set_complex_value_slot(cf, cmd, conf);

    if (rv != NGX_CONF_OK || cf->args->nelts == 2) {
        return rv;
    }

    value = cf->args->elts;

    if (ngx_strcmp(value[2].data, "empty=share") == 0) {
        olcf->scope_share = 1;

    } else if (ngx_strcmp(value[2].data, "empty=reject") != 0) {
        ngx_ors_conf_error(cf, 0,
                           "invalid parameter \"%V\" of "
                           "\"open_responses_store_scope\", it must be "
                           "\"empty=reject\" or \"empty=share\"", &value[2]);
        return NGX_CONF_ERROR;
    }

    return NGX_CONF_OK;
}
