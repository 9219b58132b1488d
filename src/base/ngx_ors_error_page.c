
/*
 * Copyright (C) Open Responses contributors
 */


/* Errors of the protocol in the place of nginx's own error pages. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_error_page.h>


typedef struct {
    ngx_uint_t    status;
    char         *code;
    char         *message;
} ngx_ors_error_page_t;


/* the last one is for all the others from 500 */

static ngx_ors_error_page_t  ngx_ors_error_pages[] = {

    { 400, "bad_request",
      "the request could not be read" },

    { 401, "invalid_api_key",
      "a valid key is needed in the Authorization header" },

    { 403, "forbidden",
      "this is not allowed" },

    { 404, "not_found",
      "there is no such endpoint here, the paths end with /responses, "
      "/responses/compact, /chat/completions, /embeddings or /models" },

    { 405, "method_not_allowed",
      "this endpoint does not take this method, the header Allow names those "
      "that it takes" },

    { 408, "request_timeout",
      "the request was not complete in time" },

    { 413, "request_too_large",
      "the request's body is larger than this server takes" },

    { 415, "unsupported_media_type",
      "the request's body must be application/json and not compressed" },

    { 426, "websocket_not_supported",
      "there are no WebSockets here, use POST" },

    { 429, "rate_limit_exceeded",
      "too many requests, try again later" },

    { 501, "not_implemented",
      "this is not supported here" },

    { 502, "upstream_unavailable",
      "the model server could not be reached" },

    { 503, "server_is_overloaded",
      "the server cannot take more requests now, try again later" },

    { 504, "upstream_timeout",
      "the model server did not answer in time" },

    { 0, "server_error",
      "the request could not be served" }
};


void
ngx_ors_error_page(ngx_ors_error_t *err, ngx_pool_t *pool, ngx_uint_t status,
    char *message)
{
    ngx_ors_error_page_t  *page;

    static ngx_ors_error_page_t  refused =
        { 0, "request_refused", "the request was refused" };

    for (page = ngx_ors_error_pages; page->status; page++) {

        if (page->status == status) {
            break;
        }
    }

    if (page->status == 0 && status < 500) {
        page = &refused;
    }

    ngx_memzero(err, sizeof(ngx_ors_error_t));

    (void) ngx_ors_error_set(err, pool, status, page->code, "%s",
                             message ? message : page->message);
}
