
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The token of a response, computed from its id.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_digest.h>
#include <ngx_ors_token.h>


ngx_int_t
ngx_ors_token(ngx_str_t *id, u_char *token)
{
    u_char  md[NGX_ORS_DIGEST_WHOLE];

    if (ngx_ors_digest_whole('t', id, md) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_ors_id_letters(token, md);

    return NGX_OK;
}
