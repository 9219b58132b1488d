
/*
 * Tables of requests in all profiles: a piece of JSON, with ' for ", the
 * profiles that take it, and what the others say.
 */


#ifndef _READING_TABLE_H_INCLUDED_
#define _READING_TABLE_H_INCLUDED_


#include <ngx_ors_test.h>
#include <ngx_ors_test_limits.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_request.h>


#define SPEC      NGX_ORS_STRICT_SPEC
#define OPENAI    NGX_ORS_STRICT_OPENAI
#define LOOSE     NGX_ORS_TOLERANT_SPEC
#define STRICT    NGX_ORS_IN_STRICT
#define FLAVOR    NGX_ORS_IN_OPENAI
#define TOLERANT  NGX_ORS_IN_TOLERANT
#define WIDE      NGX_ORS_IN_WIDE
#define ALL       NGX_ORS_IN_ALL
#define NONE      0

#define TYPE      "invalid_type"
#define VALUE     "invalid_value"
#define MISSING   "missing_required_parameter"
#define UNKNOWN   "unknown_parameter"
#define ITEM      "unsupported_item"


typedef struct {
    char        *text;
    ngx_uint_t   good;       /* profiles that take it */
    char        *code;       /* of the others' error */
    char        *param;      /* the path after the one of the whole table */
} reading_t;


typedef struct {
    const ngx_ors_shape_t  *shape;
    char                   *format;   /* has one %s for the piece */
    char                   *path;
} frame_t;


static char  *reading_names[] = { "spec", "openai", "loose", "loose openai" };


/* reads "text", which gets its quotes in place, in one profile */

static ngx_inline ngx_int_t
read_in(const ngx_ors_shape_t *shape, ngx_ors_policy_t *policy, char *text,
    ngx_pool_t *pool, ngx_ors_request_t *req, ngx_ors_error_t *err)
{
    ngx_str_t   body;
    ngx_uint_t  id;

    static ngx_ors_limits_t  limits = limits_default();

    for (id = ngx_ors_endpoint_responses;
         ngx_ors_endpoint(id)->request != shape;
         id++)
    {
        /* void */
    }

    body.data = (u_char *) text;
    body.len = strlen(text);

    ngx_ors_test_quotes(body.data, text, body.len);

    ngx_memzero(err, sizeof(ngx_ors_error_t));

    ngx_ors_request_init(req, ngx_ors_endpoint(id), policy, &limits, pool);

    return ngx_ors_request_read(req, &body, err);
}


static ngx_inline void
test_reading(frame_t *frame, reading_t *row, ngx_uint_t n)
{
    char                text[8192], param[256];
    ngx_int_t           rc;
    ngx_pool_t         *pool;
    ngx_ors_error_t     err;
    ngx_ors_policy_t    policy;
    ngx_ors_request_t   req;

    pool = ngx_ors_test_pool();

    ngx_memzero(&policy, sizeof(ngx_ors_policy_t));
    policy.profile = 1 << n;
    policy.unknown = ngx_ors_unknown_auto;
    policy.mask = 0;

    snprintf(text, sizeof(text), frame->format, row->text);

    rc = read_in(frame->shape, &policy, text, pool, &req, &err);

    if (row->good & policy.profile) {
        is_int(rc, NGX_OK, "%s: %s", reading_names[n], text);

        if (rc != NGX_OK) {
            diag("%.*s", (int) err.message.len, err.message.data);
        }

    } else if (is_int(rc, NGX_DECLINED, "%s: not %s", reading_names[n], text))
    {
        snprintf(param, sizeof(param), "%s%s%s", frame->path,
                 (*frame->path && *row->param && *row->param != '[')
                 ? "." : "", row->param);

        is_int(err.status, 400, "with a status");
        is_str(&err.code, row->code, "with a code");
        is_str(&err.param, param, "with a param");
    }

    ngx_destroy_pool(pool);
}


/* "profiles" are those that the table is about */

static ngx_inline void
test_readings(frame_t *frame, reading_t *rows, ngx_uint_t profiles)
{
    ngx_uint_t   n;
    reading_t   *row;

    for (row = rows; row->text; row++) {
        for (n = 0; n < 4; n++) {
            if (profiles & (1 << n)) {
                test_reading(frame, row, n);
            }
        }
    }
}


#endif /* _READING_TABLE_H_INCLUDED_ */
