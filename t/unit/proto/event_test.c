
/*
 * Copyright (C) Open Responses contributors
 */


/* Events of items: each frame whole, and valid in the strict profiles. */


#include <ngx_ors_test.h>
#include <ngx_ors_event.h>
#include <ngx_ors_fields.h>
#include <ngx_ors_json.h>
#include <ngx_ors_test_request.h>


static void test_call_output(ngx_uint_t profile, ngx_uint_t strict);
static void setup(ngx_uint_t profile);
static void done(void);
static void take(void);
static ngx_ors_item_t *item(ngx_ors_item_type_e type, const char *id);
static void fill(ngx_ors_text_t *to, const char *s);
static void frame(const char *expected, const char *label);
static void valid(u_char *data, size_t len, const char *label);
static char *quotes(const char *s);


static ngx_ors_limits_t     limits = limits_default();
static ngx_ors_request_t    request;
static ngx_ors_response_t   resp;
static ngx_ors_error_t      err;
static ngx_ors_json_t       json;
static ngx_ors_out_t        out;
static ngx_pool_t          *pool;
static ngx_uint_t           profile_of_frames;
static u_char              *body, *pos, *last;
static u_char               text[65536];


int
main(void)
{
    test_call_output(NGX_ORS_TOLERANT_SPEC, NGX_ORS_STRICT_SPEC);
    test_call_output(NGX_ORS_TOLERANT_OPENAI, NGX_ORS_STRICT_OPENAI);

    return done_testing();
}


static void
test_call_output(ngx_uint_t profile, ngx_uint_t strict)
{
    ngx_ors_item_t  *it;

    setup(profile);
    profile_of_frames = strict;

    it = item(ngx_ors_item_call_output, "fco_1");
    ngx_str_set(&it->call_id, "call_1");
    fill(&it->output, "{\\\"t\\\":20}");

    ngx_ors_event_item_added(&out, &resp, it);
    it->status = ngx_ors_item_completed;
    ngx_ors_event_item_done(&out, &resp, it);
    take();

    frame("response.output_item.added ,'output_index':3,'item':"
          "{'type':'function_call_output','id':'fco_1',"
          "'status':'in_progress','call_id':'call_1','output':''}",
          "an output is added");
    frame("response.output_item.done ,'output_index':3,'item':"
          "{'type':'function_call_output','id':'fco_1',"
          "'status':'completed','call_id':'call_1',"
          "'output':'{\\'t\\':20}'}", "and done");
    frame(NULL, "no more");

    done();
}


static void
setup(ngx_uint_t profile)
{
    ngx_str_t  s;

    pool = ngx_ors_test_pool();

    body = (u_char *) quotes("{'model':'m','input':'x'}");
    s.data = body;
    s.len = strlen((char *) body);

    ngx_ors_test_policy.profile = profile;

    if (ngx_ors_test_request(&request, &s, &limits, pool, &err) != NGX_OK) {
        fail("%s: %.*s", body, (int) err.message.len, err.message.data);
        exit(1);
    }

    ngx_memzero(&resp, sizeof(ngx_ors_response_t));

    ngx_str_set(&resp.id, "resp_1");
    resp.created_at = 1700000000;
    resp.request = &request;

    ngx_ors_json_init(&json, pool, 64, 100000);
    ngx_ors_out_init(&out, pool, 100);
}


static void
done(void)
{
    ngx_destroy_pool(pool);
    free(body);
}


/* the frames up to now are those that frame() looks at */

static void
take(void)
{
    ngx_chain_t  *cl;

    resp.sequence = 0;

    if (ngx_ors_out_take(&out, &cl) != NGX_OK) {
        fail("no memory");
    }

    pos = text;
    last = text;

    for ( /* void */ ; cl; cl = cl->next) {
        last = ngx_cpymem(last, cl->buf->pos, cl->buf->last - cl->buf->pos);
    }
}


static ngx_ors_item_t *
item(ngx_ors_item_type_e type, const char *id)
{
    ngx_ors_item_t  *it;

    it = ngx_pcalloc(pool, sizeof(ngx_ors_item_t));

    it->type = type;
    it->index = 3;
    it->id.len = strlen(id);
    it->id.data = (u_char *) id;

    return it;
}


static void
fill(ngx_ors_text_t *to, const char *s)
{
    ngx_ors_text_append(to, pool, (u_char *) s, strlen(s));
}


/* "expected": type, blank, what follows the sequence number; NULL: the end */

static void
frame(const char *expected, const char *label)
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

    v = quotes(expected);
    p = strchr(v, ' ');
    *p++ = '\0';

    snprintf(line, sizeof(line), "event: %s\ndata: {\"type\":\"%s\","
             "\"sequence_number\":%d%s}", v, v, (int) resp.sequence++, p);

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

    policy.profile = profile_of_frames;
    policy.unknown = ngx_ors_unknown_reject;

    v.json = &json;
    v.policy = &policy;
    v.root = "the event";
    v.pool = pool;
    v.err = &error;

    rc = ngx_ors_json_read(&json, data, len);

    if (rc == NGX_OK) {
        rc = ngx_ors_validate(&v, json.nodes, &ngx_ors_fields_event, NULL);
    }

    if (!is_int(rc, NGX_OK, "%s: valid", label)) {
        diag("%.*s", (int) error.message.len, error.message.data);
    }
}


static char *
quotes(const char *s)
{
    char  *copy;

    copy = strdup(s);
    ngx_ors_test_quotes(copy, s, strlen(s));

    return copy;
}
