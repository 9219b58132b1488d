
/*
 * Copyright (C) Open Responses contributors
 */


/* How the keys of a store are made of ids. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_digest.h>
#include <ngx_ors_key.h>


ngx_int_t
ngx_ors_key(u_char *scope, ngx_ors_key_e kind, ngx_str_t *id,
    ngx_ors_store_key_t *key)
{
    u_char     token[NGX_ORS_ID_LEN];
    ngx_str_t  text;

    if (kind == ngx_ors_key_response) {

        if (ngx_ors_token(id, token) != NGX_OK) {
            return NGX_ERROR;
        }

        text.data = token;
        text.len = NGX_ORS_ID_LEN;

        return ngx_ors_key_turn(scope, &text, key);
    }

    ngx_memcpy(key->scope, scope, NGX_ORS_STORE_KEY);

    return ngx_ors_digest((u_char) kind, id, key->name);
}


ngx_int_t
ngx_ors_key_turn(u_char *scope, ngx_str_t *token, ngx_ors_store_key_t *key)
{
    ngx_memcpy(key->scope, scope, NGX_ORS_STORE_KEY);

    return ngx_ors_digest(ngx_ors_key_response, token, key->name);
}
