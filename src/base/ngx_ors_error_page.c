
/*
 * Copyright (C) Open Responses contributors
 */


/* Errors of the protocol in the place of nginx's own error pages. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error_page.h>


typedef struct {
    ngx_uint_t        status;
    ngx_ors_code_e    code;
    char             *message;
} ngx_ors_error_page_t;


/* the last one is for all the others from 500 */

static ngx_ors_error_page_t  ngx_ors_error_pages[] = {

    { 400, ngx_ors_code_bad_request,
      "the request could not be read" },

    { 401, ngx_ors_code_invalid_api_key,
      "a valid key is needed in the Authorization header" },

    { 403, ngx_ors_code_forbidden,
      "this is not allowed" },

    { 404, ngx_ors_code_not_found,
      "there is no such endpoint here, the paths end with /responses, "
      "/responses/compact, /chat/completions, /embeddings or /models" },

    { 405, ngx_ors_code_method_not_allowed,
      "this endpoint does not take this method, the header Allow names those "
      "that it takes" },

    { 408, ngx_ors_code_request_timeout,
      "the request was not complete in time" },

    { 413, ngx_ors_code_request_too_large,
      "the request's body is larger than this server takes" },

    { 415, ngx_ors_code_unsupported_media_type,
      "the request's body must be application/json and not compressed" },

    { 426, ngx_ors_code_websocket_not_supported,
      "there are no WebSockets here, use POST" },

    { 429, ngx_ors_code_rate_limit_exceeded,
      "too many requests, try again later" },

    { 501, ngx_ors_code_not_implemented,
      "this is not supported here" },

    { 502, ngx_ors_code_upstream_unavailable,
      "the model server could not be reached" },

    { 503, ngx_ors_code_server_is_overloaded,
      "the server cannot take more requests now, try again later" },

    { 504, ngx_ors_code_upstream_timeout,
      "the model server did not answer in time" },

    { 0, ngx_ors_code_server_error,
      "the request could not be served" }
};


void
ngx_ors_error_page(ngx_ors_error_t *err, ngx_pool_t *pool, ngx_uint_t status,
    char *message)
{
    ngx_ors_error_page_t  *page;

    static ngx_ors_error_page_t  refused =
        { 0, ngx_ors_code_request_refused, "the request was refused" };

    for (page = ngx_ors_error_pages; page->status; page++) {

        if (page->status == status) {
            break;
        }
    }

    if (page->status == 0 && status < 500) {
        page = &refused;
    }

    ngx_memzero(err, sizeof(ngx_ors_error_t));

    (void) ngx_ors_error_set(err, pool, page->code, "%s",
                             message ? message : page->message);

    ngx_ors_error_status(err, status);
}
