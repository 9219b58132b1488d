
/*
 * Tables of requests: a piece of JSON, with ' for ", and what comes of it.
 */


#ifndef _REQUEST_TABLE_H_INCLUDED_
#define _REQUEST_TABLE_H_INCLUDED_


#include <ngx_ors_test.h>
#include <ngx_ors_request.h>
#include <ngx_ors_test_request.h>


#define OK  NULL, NULL


typedef struct {
    char  *text;
    char  *code;       /* NULL: the request is good */
    char  *param;      /* the path after the one of the whole table */
} test_t;


static ngx_ors_limits_t  limits = {
    .depth = 10, .nodes = 100000, .items = 1000, .tools = 128
};


static ngx_inline ngx_int_t
read_text(char *text, ngx_pool_t *pool, ngx_ors_request_t *req,
    ngx_ors_error_t *err)
{
    ngx_str_t  body;

    body.len = ngx_strlen(text);
    body.data = ngx_pnalloc(pool, body.len);

    ngx_ors_test_quotes(body.data, text, body.len);

    ngx_memzero(err, sizeof(ngx_ors_error_t));

    return ngx_ors_test_request(req, &body, &limits, pool, err);
}


/* "format" has one %s for the piece */

static ngx_inline void
test_one(test_t *test, const char *format, char *path)
{
    char                text[4096], param[256];
    ngx_int_t           rc;
    ngx_pool_t         *pool;
    ngx_ors_error_t     err;
    ngx_ors_request_t   req;

    pool = ngx_ors_test_pool();

    snprintf(text, sizeof(text), format, test->text);

    rc = read_text(text, pool, &req, &err);

    if (test->code == NULL) {
        is_int(rc, NGX_OK, "%s", text);

        if (rc != NGX_OK) {
            diag("%.*s", (int) err.message.len, err.message.data);
        }

    } else {
        snprintf(param, sizeof(param), "%s%s%s", path,
                 (*path && *test->param && *test->param != '[') ? "." : "",
                 test->param);

        is_int(rc, NGX_DECLINED, "%s is refused", text);

        if (rc == NGX_DECLINED) {
            is_int(err.status, 400, "with a status");
            is_str(&err.type, "invalid_request", "with a type");
            is_str(&err.code, test->code, "with a code");
            is_str(&err.param, param, "with a param");
        }
    }

    ngx_destroy_pool(pool);
}


static ngx_inline void
test_table(test_t *test, const char *format, char *path)
{
    for ( /* void */ ; test->text; test++) {
        test_one(test, format, path);
    }
}


#endif /* _REQUEST_TABLE_H_INCLUDED_ */
