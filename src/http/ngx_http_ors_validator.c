
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * The validator's request side: which paths are checked, phases, verdict, the
 * body that goes upstream, and the directive.
 */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http_ors_validator.h>
#include <ngx_ors_request.h>
#include <ngx_ors_verify.h>
#include <ngx_ors_conf.h>


static ngx_http_ors_validator_t *ngx_http_ors_validator_create(
    ngx_http_request_t *r, ngx_http_ors_loc_conf_t *olcf,
    const ngx_ors_endpoint_t *endpoint);
static void ngx_http_ors_validator_mark(void *data);
static ngx_int_t ngx_http_ors_validator_begin(ngx_http_ors_validator_t *vr);
static void ngx_http_ors_validator_body_handler(ngx_http_request_t *r);
static ngx_int_t ngx_http_ors_validator_request(ngx_http_ors_validator_t *vr);
static ngx_int_t ngx_http_ors_validator_rewrite(ngx_http_ors_validator_t *vr);
static ngx_int_t ngx_http_ors_validator_refuse(ngx_http_ors_validator_t *vr);
static ngx_int_t ngx_http_ors_validator_whole(ngx_http_ors_validator_t *vr);
static ngx_int_t ngx_http_ors_path(ngx_http_request_t *r,
    const ngx_ors_endpoint_t **endpoint);
static ngx_uint_t ngx_http_ors_path_handshake(ngx_http_request_t *r,
    const ngx_ors_endpoint_t *endpoint);


static ngx_conf_enum_t  ngx_http_ors_validates[] = {
    { ngx_string("off"), 0 },
    { ngx_string("request"), NGX_HTTP_ORS_VALIDATE_REQUEST },
    { ngx_string("response"), NGX_HTTP_ORS_VALIDATE_RESPONSE },
    { ngx_string("on"),
      NGX_HTTP_ORS_VALIDATE_REQUEST|NGX_HTTP_ORS_VALIDATE_RESPONSE },
    { ngx_null_string, 0 }
};


ngx_int_t
ngx_http_ors_validator_early_handler(ngx_http_request_t *r)
{
    ngx_int_t                  rc;
    ngx_http_ors_loc_conf_t   *olcf;
    ngx_http_ors_validator_t  *vr;
    const ngx_ors_endpoint_t  *endpoint;

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    if (!olcf->validate || olcf->enable || r != r->main
        || ngx_http_ors_validator_find(r))
    {
        return NGX_DECLINED;
    }

    rc = ngx_http_ors_path(r, &endpoint);

    if (rc == NGX_DECLINED) {
        return NGX_DECLINED;
    }

    if (rc == NGX_ERROR) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    vr = ngx_http_ors_validator_create(r, olcf,
                                       (rc == NGX_OK) ? endpoint : NULL);
    if (vr == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (rc == NGX_HTTP_SWITCHING_PROTOCOLS) {
        vr->state = ngx_http_ors_validator_st_passed;

    } else if (rc == NGX_HTTP_NOT_FOUND && endpoint) {
        (void) ngx_ors_error_set(&vr->error, r->pool, ngx_ors_code_not_found,
                                 "there is no such endpoint here, its path "
                                 "must end with \"%V\"", &endpoint->path);

    } else if (rc != NGX_OK) {
        ngx_http_ors_error_of(r, rc, &vr->error);
    }

    return NGX_DECLINED;
}


ngx_int_t
ngx_http_ors_validator_handler(ngx_http_request_t *r)
{
    ngx_int_t                  rc;
    ngx_http_ors_loc_conf_t   *olcf;
    ngx_http_ors_validator_t  *vr;

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    if (!olcf->validate || olcf->enable || r != r->main) {
        return NGX_DECLINED;
    }

    vr = ngx_http_ors_validator_find(r);

    if (vr == NULL || vr->state == ngx_http_ors_validator_st_passed) {
        return NGX_DECLINED;
    }

    if (vr->state == ngx_http_ors_validator_st_new) {
        return ngx_http_ors_validator_begin(vr);
    }

    vr->state = ngx_http_ors_validator_st_passed;

    rc = ngx_http_ors_validator_request(vr);

    /* a refusal may have ended the request */

    if (rc == NGX_DECLINED) {
        ngx_log_debug1(NGX_LOG_DEBUG_HTTP, r->connection->log, 0,
                       "ors validator: request passed, %ui repaired",
                       vr->body.edits.n);
    }

    return (rc == NGX_ERROR) ? NGX_HTTP_INTERNAL_SERVER_ERROR : rc;
}


ngx_uint_t
ngx_http_ors_validator_refused(ngx_http_request_t *r)
{
    ngx_http_ors_loc_conf_t   *olcf;
    const ngx_ors_endpoint_t  *endpoint;

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    return olcf->validate && !olcf->report
           && r->err_status >= NGX_HTTP_BAD_REQUEST
           && ngx_http_ors_path(r, &endpoint) == NGX_OK;
}


/* the record must outlive internal redirects, which erase a module's ctx */

static ngx_http_ors_validator_t *
ngx_http_ors_validator_create(ngx_http_request_t *r,
    ngx_http_ors_loc_conf_t *olcf, const ngx_ors_endpoint_t *endpoint)
{
    ngx_pool_cleanup_t        *cln;
    ngx_http_ors_validator_t  *vr;

    cln = ngx_pool_cleanup_add(r->pool, sizeof(ngx_http_ors_validator_t));
    if (cln == NULL) {
        return NULL;
    }

    cln->handler = ngx_http_ors_validator_mark;

    vr = cln->data;

    ngx_memzero(vr, sizeof(ngx_http_ors_validator_t));

    /*
     * set by ngx_memzero():
     *
     *     vr->state = ngx_http_ors_validator_st_new;
     *     vr->source.in = NULL;
     *     vr->pump.queue.busy = NULL;
     */

    vr->request = r;
    vr->first_token = -1;
    vr->conf = olcf;
    vr->version = r->http_version;
    vr->endpoint = endpoint;

    ngx_ors_out_init(&vr->out, r->pool, NGX_HTTP_ORS_BLOCK);
    ngx_ors_out_brief(&vr->out);

    ngx_ors_answer_init(&vr->answer, &olcf->limits, r->pool,
                        r->connection->log);

    vr->verify.answer = &vr->answer;
    vr->verify.endpoint = vr->endpoint;
    vr->verify.policy = &olcf->policy;
    vr->verify.limits = &olcf->limits;
    vr->verify.out = &vr->out;
    vr->verify.pool = r->pool;
    vr->verify.log = r->connection->log;
    vr->verify.report = olcf->report;

    ngx_ors_verify_init(&vr->verify);

    return vr;
}


/* does nothing: the record is found by it */

static void
ngx_http_ors_validator_mark(void *data)
{
    /* void */
}


/* requests of a server without validators do not pay for those of others */

ngx_http_ors_validator_t *
ngx_http_ors_validator_find(ngx_http_request_t *r)
{
    ngx_pool_cleanup_t        *cln;
    ngx_http_ors_main_conf_t  *omcf;

    omcf = ngx_http_get_module_main_conf(r, ngx_http_open_responses_module);

    if (!omcf->validators || r != r->main) {
        return NULL;
    }

    for (cln = r->pool->cleanup; cln; cln = cln->next) {

        if (cln->handler == ngx_http_ors_validator_mark) {
            return cln->data;
        }
    }

    return NULL;
}


static ngx_int_t
ngx_http_ors_validator_begin(ngx_http_ors_validator_t *vr)
{
    ngx_int_t            rc;
    ngx_http_request_t  *r;

    r = vr->request;

    vr->state = ngx_http_ors_validator_st_passed;

    if (vr->endpoint == NULL) {
        ngx_http_ors_stats_request(vr);

        return ngx_http_ors_validator_refuse(vr);
    }

    if ((vr->conf->validate & NGX_HTTP_ORS_VALIDATE_RESPONSE)
        && ngx_http_ors_validator_whole(vr) != NGX_OK)
    {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (vr->endpoint->request == NULL) {
        return NGX_DECLINED;
    }

    vr->state = ngx_http_ors_validator_st_body;

    if ((vr->conf->validate & NGX_HTTP_ORS_VALIDATE_REQUEST)
        && ngx_http_ors_release_check(r, vr->conf, &vr->error) == NGX_OK
        && ngx_ors_media(&r->headers_in.headers))
    {
        (void) ngx_http_ors_error_of(r, NGX_HTTP_UNSUPPORTED_MEDIA_TYPE,
                                     &vr->error);
    }

    if (vr->error.status && !vr->conf->report) {
        ngx_http_ors_stats_request(vr);
        return ngx_http_ors_validator_refuse(vr);
    }

    r->request_body_in_single_buf = 1;

    rc = ngx_http_read_client_request_body(r,
                                           ngx_http_ors_validator_body_handler);

    if (rc >= NGX_HTTP_SPECIAL_RESPONSE) {
        return rc;
    }

    /* drops the reference that the profile has taken */

    ngx_http_finalize_request(r, NGX_DONE);

    return NGX_DONE;
}


static void
ngx_http_ors_validator_body_handler(ngx_http_request_t *r)
{
    r->write_event_handler = ngx_http_core_run_phases;

    ngx_http_core_run_phases(r);
}


/* NGX_DECLINED: it goes on; NGX_DONE: it was refused; NGX_ERROR */

static ngx_int_t
ngx_http_ors_validator_request(ngx_http_ors_validator_t *vr)
{
    uint64_t             start;
    ngx_int_t            rc;
    ngx_str_t            body;
    ngx_http_request_t  *r;

    r = vr->request;

    if (ngx_http_ors_body(r, &body) != NGX_OK) {
        return NGX_ERROR;
    }

    ngx_ors_request_init(&vr->body, vr->endpoint, &vr->conf->policy,
                         &vr->conf->limits, r->pool);

    start = ngx_ors_metrics_clock();

    /* a body that is only looked at is sent as it came */

    rc = vr->error.status
         ? NGX_DECLINED
         : ngx_http_ors_body_decode(r, &body, !vr->conf->report
                                    && (vr->conf->validate
                                        & NGX_HTTP_ORS_VALIDATE_REQUEST),
                                    &vr->error);

    if (rc == NGX_OK) {
        rc = ngx_ors_request_read(&vr->body, &body, &vr->error);
    }

    vr->own = ngx_ors_metrics_clock() - start;

    if (rc == NGX_ERROR) {
        return NGX_ERROR;
    }

    if (rc == NGX_OK) {
        vr->verify.request = &vr->body;
    }

    if (!(vr->conf->validate & NGX_HTTP_ORS_VALIDATE_REQUEST)) {

        /* a mistake of the client is not looked for here */

        ngx_memzero(&vr->error, sizeof(ngx_ors_error_t));
        return NGX_DECLINED;
    }

    ngx_http_ors_stats_request(vr);

    if (rc == NGX_OK) {
        return ngx_http_ors_validator_rewrite(vr);
    }

    return ngx_http_ors_validator_refuse(vr);
}


/* the bytes that were validated are sent unless a directive edits them */

static ngx_int_t
ngx_http_ors_validator_rewrite(ngx_http_ors_validator_t *vr)
{
    size_t               size;
    ngx_chain_t         *bufs;
    ngx_ors_out_t        out;
    ngx_http_request_t  *r;

    if (vr->body.edits.n == 0
        && (vr->conf->report
            || (!vr->body.listed
                && (vr->conf->model.len == 0 || vr->body.name == NULL))))
    {
        return NGX_DECLINED;
    }

    r = vr->request;

    if (ngx_ors_request_ignore(&vr->body, 0) != NGX_OK) {
        return NGX_ERROR;
    }

    if (vr->conf->report) {
        ngx_log_error(NGX_LOG_WARN, r->connection->log, 0,
                      "request would be repaired in %ui place%s: %V",
                      vr->body.edits.n, (vr->body.edits.n == 1) ? "" : "s",
                      &vr->body.ignored);

        return NGX_DECLINED;
    }

    ngx_ors_out_init(&out, r->pool, NGX_HTTP_ORS_BLOCK);

    ngx_ors_request_write(&vr->body, &vr->conf->model, &out);

    ngx_http_ors_stats_ignored(r, &vr->body);

    size = out.size;

    if (ngx_ors_out_take(&out, &bufs) != NGX_OK
        || ngx_http_ors_body_set(r, bufs, size) != NGX_OK)
    {
        return NGX_ERROR;
    }

    return NGX_DECLINED;
}


/* NGX_DECLINED: it is only to be reported; NGX_DONE: it was refused */

static ngx_int_t
ngx_http_ors_validator_refuse(ngx_http_ors_validator_t *vr)
{
    ngx_http_request_t  *r;

    r = vr->request;

    ngx_http_ors_stats_tell(r, vr->conf, &vr->body, &vr->error,
                            vr->conf->report);

    if (vr->conf->report) {
        return NGX_DECLINED;
    }

    vr->refused = 1;

    if (vr->error.status == NGX_HTTP_ORS_UPGRADE_REQUIRED) {
        (void) ngx_http_ors_upgrade_refuse(r);
    }

    ngx_http_finalize_request(r, ngx_http_ors_error_send(r, &vr->error));

    return NGX_DONE;
}


/*
 * The upstream is asked for plain text, which is quicker to check, and for all
 * of it: a part cannot be checked.  nginx may still compress the answer:
 * r->headers_in.accept_encoding is left with what the client says
 */

static ngx_int_t
ngx_http_ors_validator_whole(ngx_http_ors_validator_t *vr)
{
    ngx_http_request_t  *r;

#if (NGX_HTTP_GZIP)
    ngx_table_elt_t     *copy;
#endif

    r = vr->request;

    /* a unit of ranges that a server does not know is to be ignored */

    if (r->headers_in.range && !vr->conf->report) {
        ngx_ors_header_set(&r->headers_in.headers, "Range", "none");
    }

#if (NGX_HTTP_GZIP)
    if (r->headers_in.accept_encoding) {
        copy = ngx_palloc(r->pool, sizeof(ngx_table_elt_t));
        if (copy == NULL) {
            return NGX_ERROR;
        }

        *copy = *r->headers_in.accept_encoding;
        r->headers_in.accept_encoding = copy;

        ngx_ors_header_set(&r->headers_in.headers, "Accept-Encoding",
                           "identity");
    }
#endif

    return NGX_OK;
}


/*
 * The endpoint of a request to a location with "open_responses_validate".
 *
 * NGX_OK              "*endpoint" is to be validated
 * NGX_DECLINED        something else
 * NGX_HTTP_NOT_FOUND  such a path is not let in; "*endpoint" is the one it
 *                     may be taken for, or NULL
 * NGX_HTTP_ORS_UPGRADE_REQUIRED
 *                     a WebSocket, of which no message would be validated
 * NGX_HTTP_SWITCHING_PROTOCOLS
 *                     something else, that asks for another protocol: the
 *                     upstream must not switch to it
 * NGX_ERROR           no memory
 */

static ngx_int_t
ngx_http_ors_path(ngx_http_request_t *r,
    const ngx_ors_endpoint_t **endpoint)
{
    ngx_uint_t                upgrade;
    ngx_http_ors_loc_conf_t  *olcf;

    olcf = ngx_http_get_module_loc_conf(r, ngx_http_open_responses_module);

    *endpoint = NULL;

    if (olcf->broad && !ngx_ors_endpoint_versioned(&r->uri)) {
        return NGX_DECLINED;
    }

    *endpoint = ngx_ors_endpoint_find(&r->uri);

    if (*endpoint
        && r->method == ((*endpoint)->request ? NGX_HTTP_POST : NGX_HTTP_GET))
    {
        return NGX_OK;
    }

    upgrade = (r->headers_in.upgrade
               && olcf->websocket != ngx_http_ors_websocket_pass);

    if (upgrade && ngx_http_ors_path_handshake(r, *endpoint)) {
        return NGX_HTTP_ORS_UPGRADE_REQUIRED;
    }

    *endpoint = NULL;

    if ((r->method == NGX_HTTP_POST || upgrade)
        && olcf->path_variants != ngx_http_ors_paths_pass)
    {
        if (ngx_ors_endpoint_variant(&r->uri, r->pool, endpoint) != NGX_OK) {
            return NGX_ERROR;
        }

        if (r->method == NGX_HTTP_POST && *endpoint && (*endpoint)->request) {
            return (olcf->path_variants == ngx_http_ors_paths_validate)
                   ? NGX_OK : NGX_HTTP_NOT_FOUND;
        }

        if (upgrade && ngx_http_ors_path_handshake(r, *endpoint)) {
            return NGX_HTTP_ORS_UPGRADE_REQUIRED;
        }

        *endpoint = NULL;
    }

    /* a method whose body could be a request of the API, known or not */

    if (olcf->unknown_paths == ngx_http_ors_paths_reject
        && !(r->method & (NGX_HTTP_GET|NGX_HTTP_HEAD|NGX_HTTP_DELETE
                          |NGX_HTTP_OPTIONS|NGX_HTTP_TRACE))
        && !(r->method == NGX_HTTP_POST && ngx_ors_endpoint_cancels(&r->uri)))
    {
        return NGX_HTTP_NOT_FOUND;
    }

    return upgrade ? NGX_HTTP_SWITCHING_PROTOCOLS : NGX_DECLINED;
}


/*
 * nginx sends the upstream an upgrade in HTTP/1.1 and with its own Connection
 * header, and servers differ in how they read Upgrade: any request that names
 * the protocol may become a handshake
 */

static ngx_uint_t
ngx_http_ors_path_handshake(ngx_http_request_t *r,
    const ngx_ors_endpoint_t *endpoint)
{
    ngx_str_t            *value;
    ngx_table_elt_t      *h;
    ngx_ors_header_at_t   at;

    if (endpoint == NULL || endpoint->id != ngx_ors_endpoint_responses) {
        return 0;
    }

    ngx_ors_header_each(h, &r->headers_in.headers, &at) {
        value = &h->value;

        if (ngx_ors_same_case(&h->key, "Upgrade")
            && ngx_strlcasestrn(value->data, value->data + value->len,
                                (u_char *) "websocket",
                                sizeof("websocket") - 2))
        {
            return 1;
        }
    }

    return 0;
}


char *
ngx_http_ors_validate_set(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_http_ors_loc_conf_t  *olcf = conf;

    ngx_str_t   *value;
    ngx_uint_t   i;

    if (olcf->validate != NGX_CONF_UNSET_UINT) {
        return "is duplicate";
    }

    value = cf->args->elts;
    olcf->report = 0;
    olcf->broad = !(cf->cmd_type & NGX_HTTP_LOC_CONF);

    if (ngx_ors_conf_value(cf, "", &cmd->name,
                           ngx_http_ors_validates, &value[1],
                           &olcf->validate)
        != NGX_OK)
    {
        return NGX_CONF_ERROR;
    }

    for (i = 2; i < cf->args->nelts; i++) {

        if (ngx_strcmp(value[i].data, "report") == 0 && !olcf->report) {
            olcf->report = 1;

        } else if (ngx_strcmp(value[i].data, "any_path") == 0) {
            olcf->broad = 0;

        } else {
            ngx_ors_conf_error(cf, 0,
                               "invalid parameter \"%V\" of "
                               "\"open_responses_validate\", it must be "
                               "\"report\" or \"any_path\", once", &value[i]);
            return NGX_CONF_ERROR;
        }
    }

    return NGX_CONF_OK;
}
