
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
    u_char  md[2 * NGX_ORS_DIGEST_LEN];

    /* one digest has fewer bytes than a token has characters */

    if (ngx_ors_digest('t', id, md) != NGX_OK
        || ngx_ors_digest('u', id, md + NGX_ORS_DIGEST_LEN) != NGX_OK)
    {
        return NGX_ERROR;
    }

    ngx_ors_id_letters(token, md);

    return NGX_OK;
}
