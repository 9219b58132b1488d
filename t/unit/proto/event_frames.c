
/*
 * Copyright (C) Open Responses contributors
 */


/* Frames of events, compared as text and checked with the tables. */


#include "event_frames.h"
#include <ngx_ors_fields.h>
#include <ngx_ors_json.h>
#include <ngx_ors_test_request.h>


static void valid(u_char *data, size_t len, const char *label);


ngx_ors_request_t   frames_request;
ngx_ors_response_t  frames_resp;
ngx_ors_out_t       frames_out;
ngx_pool_t         *frames_pool;


static ngx_ors_limits_t   limits = limits_default();
static ngx_ors_error_t    err;
static ngx_ors_json_t     json;
static ngx_uint_t         strict;
static u_char            *body, *pos, *last;
static u_char             text[65536];


void
frames_setup(ngx_uint_t profile, const char *fields)
{
    char       all[1024];
    ngx_str_t  s;

    frames_pool = ngx_ors_test_pool();

    snprintf(all, sizeof(all), "{'model':'m','input':'x'%s}", fields);

    body = (u_char *) frames_quotes(all);
    s.data = body;
    s.len = strlen((char *) body);

    ngx_ors_test_policy.profile = profile;
    strict = (profile & NGX_ORS_IN_OPENAI) ? NGX_ORS_STRICT_OPENAI
                                           : NGX_ORS_STRICT_SPEC;

    if (ngx_ors_test_request(&frames_request, &s, &limits, frames_pool, &err)
        != NGX_OK)
    {
        fail("%s: %.*s", body, (int) err.message.len, err.message.data);
        exit(1);
    }

    ngx_memzero(&frames_resp, sizeof(ngx_ors_response_t));

    ngx_str_set(&frames_resp.id, "resp_1");
    frames_resp.created_at = 1700000000;
    frames_resp.request = &frames_request;

    ngx_ors_json_init(&json, frames_pool, 64, 100000);
    ngx_ors_out_init(&frames_out, frames_pool, 100);
}


void
frames_done(void)
{
    ngx_destroy_pool(frames_pool);
    free(body);
}


/* the frames up to now are those that frames_frame() looks at */

void
frames_take(void)
{
    ngx_chain_t  *cl;

    frames_resp.sequence = 0;

    if (ngx_ors_out_take(&frames_out, &cl) != NGX_OK) {
        fail("no memory");
    }

    pos = text;
    last = text;

    for ( /* void */ ; cl; cl = cl->next) {
        last = ngx_cpymem(last, cl->buf->pos, cl->buf->last - cl->buf->pos);
    }
}


ngx_ors_item_t *
frames_item(ngx_ors_item_type_e type, const char *id)
{
    ngx_ors_item_t  *it;

    it = ngx_pcalloc(frames_pool, sizeof(ngx_ors_item_t));

    it->type = type;
    it->index = 3;
    it->id.len = strlen(id);
    it->id.data = (u_char *) id;

    return it;
}


void
frames_fill(ngx_ors_text_t *to, const char *s)
{
    ngx_ors_text_append(to, frames_pool, (u_char *) s, strlen(s));
}


/* "expected": type, blank, what follows the sequence number; NULL: the end */

void
frames_frame(const char *expected, const char *label)
{
    char    *v, *p;
    u_char  *end, *data;
    char     line[8192];

    if (expected == NULL) {
        is_int(last - pos, 0, "%s", label);
        return;
    }

    end = memmem(pos, last - pos, "\n\n", 2);

    if (end == NULL) {
        fail("%s: no frame", label);
        return;
    }

    v = frames_quotes(expected);
    p = strchr(v, ' ');
    *p++ = '\0';

    snprintf(line, sizeof(line), "event: %s\ndata: {\"type\":\"%s\","
             "\"sequence_number\":%d%s}", v, v, (int) frames_resp.sequence++,
             p);

    is_mem(pos, end - pos, line, strlen(line), "%s", label);

    data = (u_char *) memchr(pos, LF, end - pos) + 7;
    valid(data, end - data, label);

    pos = end + 2;
    free(v);
}


static void
valid(u_char *data, size_t len, const char *label)
{
    ngx_int_t           rc;
    ngx_ors_error_t     error;
    ngx_ors_policy_t    policy;
    ngx_ors_validate_t  v;

    ngx_memzero(&error, sizeof(ngx_ors_error_t));
    ngx_memzero(&policy, sizeof(ngx_ors_policy_t));
    ngx_memzero(&v, sizeof(ngx_ors_validate_t));

    policy.profile = strict;
    policy.unknown = ngx_ors_unknown_reject;

    v.json = &json;
    v.policy = &policy;
    v.root = "the event";
    v.pool = frames_pool;
    v.err = &error;

    rc = ngx_ors_json_read(&json, data, len);

    if (rc == NGX_OK) {
        rc = ngx_ors_validate(&v, json.nodes, &ngx_ors_fields_event, NULL);
    }

    if (!is_int(rc, NGX_OK, "%s: valid", label)) {
        diag("%.*s", (int) error.message.len, error.message.data);
    }
}


char *
frames_quotes(const char *s)
{
    char  *copy;

    copy = strdup(s);
    ngx_ors_test_quotes(copy, s, strlen(s));

    return copy;
}
