
/*
 * Copyright (C) Open Responses contributors
 */


/* A request that names stored items, which a session loads. */


#include <ngx_ors_session.h>
#include <ngx_ors_test_request.h>

#include "cost.h"


static ngx_int_t cost_session(cost_t *cost);
static ngx_int_t cost_load(cost_t *cost, ngx_ors_session_t *session);
static ngx_int_t cost_job(cost_t *cost, ngx_ors_session_t *session,
    ngx_str_t *value);
static void cost_record(cost_t *cost, ngx_str_t *value);
static ngx_uint_t cost_down(ngx_ors_store_t *store);


static const char  *cost_names[] = { "strip, chat", NULL };

static ngx_ors_policy_t  cost_policy = {
    NGX_ORS_STRICT_SPEC, ngx_ors_unknown_strip, 0, ngx_ors_reasoning_summary,
    ngx_ors_refusal_part, NULL
};

static ngx_ors_store_engine_t  cost_engine = { .down = cost_down };


#define TEXT                                                                  \
    "Please look at the parser in src/json, find out why a list of numbers "  \
    "takes so long to be read, and write a test that shows it."
#define ASKED      "{'model':'m','input':["
#define REF(id)    "{'type':'item_reference','id':'" id "'}"
#define TOKEN      "abcdefghijklmnopqrstuvwx"
#define USER(text) "{'role':'user','content':'" text "'}"
#define SAID(id)                                                              \
    "{'type':'message','id':'" id "','role':'assistant','status':"            \
    "'completed','content':[{'type':'output_text','text':'a',"                \
    "'annotations':[],'logprobs':[]}]}"


/*
 * The first line is the request, the second one the input of each turn that
 * has an item, the third one, if there is one, its output.
 */

static const cost_row_t  cost_rows[] = {

    { "typical", 50, ASKED, "," REF("msg_" TOKEN "i#"), "", "]}\n",
      "," USER(TEXT TEXT) },

    { "one item, many times", 400, ASKED, "," REF("msg_" TOKEN "i0"),
      "]}\n" USER(TEXT) },
    { "items from the last one to the first", 200, ASKED,
      "," REF("msg_" TOKEN "i@"), "", "]}\n", "," USER("a") },
    { "items of an output", 200, ASKED, "," REF("msg_" TOKEN "#"), "",
      "]}\n\n", "," SAID("msg_" TOKEN "#") },
    { "items of another server", 200, ASKED, "," REF("msg-@"), "", "]}\n\n",
      "," SAID("msg-#") },
    { "an item of each turn", 200, ASKED,
      "," REF("msg_abcdefghijklmnopqrstuv~i0"), "]}\n" USER("a") },
    { "one item of a long turn", 600, ASKED REF("msg_" TOKEN "i0") "]}\n",
      "," USER("a"), "" },
    { "one item of many letters", 2000, ASKED REF("msg_" TOKEN "i0") "]}\n"
      "{'role':'user','content':'", "a", "'}" },

    { NULL }
};


const cost_group_t  cost_sessions[] = {
    { "references", cost_session, cost_names, cost_rows },
    { NULL, NULL, NULL, NULL }
};


static ngx_int_t
cost_session(cost_t *cost)
{
    ngx_int_t           rc;
    ngx_str_t           body, model = ngx_null_string;
    ngx_ors_out_t       out;
    ngx_ors_turn_t     *turn;
    ngx_ors_store_t     store;
    ngx_ors_session_t   session;

    turn = ngx_ors_turn_create(ngx_ors_endpoint(ngx_ors_endpoint_responses),
                               &cost_policy, &cost_limits, cost->pool,
                               cost->pool->log);
    if (turn == NULL) {
        return NGX_ERROR;
    }

    body.data = cost->text;
    body.len = (u_char *) memchr(cost->text, LF, cost->len) - cost->text;

    rc = ngx_ors_turn_request(turn, &body);

    if (rc != NGX_OK) {
        return (rc == NGX_DONE) ? NGX_DECLINED : rc;
    }

    memset(&store, 0, sizeof(ngx_ors_store_t));
    store.engine = &cost_engine;
    store.log = cost->pool->log;

    memset(&session, 0, sizeof(ngx_ors_session_t));
    session.store = &store;

    (void) ngx_ors_session_init(&session, turn);
    ngx_ors_session_settle(&session, turn, 1, 0);

    rc = cost_load(cost, &session);

    ngx_ors_out_init(&out, cost->pool, 4096);

    if (rc == NGX_OK) {
        rc = ngx_ors_turn_call(turn, ngx_ors_dialect_chat,
                               &ngx_ors_chat_options, &model, &out);
    }

    (void) ngx_ors_session_step(&session, ngx_ors_session_ev_close);

    if (rc == NGX_DONE) {
        return NGX_DECLINED;
    }

    return (rc == NGX_OK) ? ngx_ors_out_drop(&out) : rc;
}


static ngx_int_t
cost_load(cost_t *cost, ngx_ors_session_t *session)
{
    ngx_int_t  rc;
    ngx_str_t  record;

    cost_record(cost, &record);

    rc = ngx_ors_session_step(session, ngx_ors_session_ev_load);

    while (rc == NGX_AGAIN) {

        if (cost_job(cost, session, &record) != NGX_OK) {
            return NGX_ERROR;
        }

        rc = ngx_ors_session_step(session, ngx_ors_session_ev_done);
    }

    return rc;
}


/*
 * All names are those of one turn, and all turns have the same record, which
 * was sent once for each of them.
 */

static ngx_int_t
cost_job(cost_t *cost, ngx_ors_session_t *session, ngx_str_t *value)
{
    size_t                  left;
    ngx_uint_t              i;
    ngx_ors_store_job_t    *job;
    ngx_ors_store_entry_t  *entry;

    job = session->job;
    left = job->max_size;

    for (i = 0; i < job->n; i++) {
        entry = &job->entries[i];

        if (session->state == ngx_ors_session_st_names) {
            entry->value.data = entry->key.scope;
            entry->value.len = NGX_ORS_STORE_KEY;
            continue;
        }

        if (i && ngx_memcmp(entry[-1].key.name, entry->key.name,
                            NGX_ORS_STORE_KEY)
                 != 0)
        {
            cost->sent += value->len;
        }

        if (ngx_ors_record_copy(value, entry->parts, &left, job->pool,
                                &entry->value)
            != NGX_OK)
        {
            return NGX_ERROR;
        }
    }

    return NGX_OK;
}


static void
cost_record(cost_t *cost, ngx_str_t *value)
{
    u_char            *p, *end, *last;
    ngx_ors_index_t    index[2];
    ngx_ors_record_t   rec;

    memset(&rec, 0, sizeof(ngx_ors_record_t));

    p = (u_char *) memchr(cost->text, LF, cost->len) + 1;
    end = cost->text + cost->len;

    last = memchr(p, LF, end - p);

    cost_list(cost, p, last ? last : end, &rec.input);
    cost_list(cost, last ? last + 1 : end, end, &rec.response);

    rec.output_len = rec.response.len;

    cost_index(cost, &rec.input, &index[0]);
    cost_index(cost, &rec.response, &index[1]);

    rec.ninput = index[0].n;
    rec.noutput = index[1].n;
    rec.table = ngx_pnalloc(cost->pool, (rec.ninput + rec.noutput)
                                        * NGX_ORS_RECORD_ITEM + 1);

    p = ngx_ors_record_table(&index[0], rec.table);
    (void) ngx_ors_record_table(&index[1], p);

    value->len = ngx_ors_record_size(&rec);
    value->data = ngx_pnalloc(cost->pool, value->len);

    p = ngx_ors_record_head(&rec, value->data);
    p = ngx_cpymem(p, rec.input.data, rec.input.len);
    ngx_memcpy(p, rec.response.data, rec.response.len);
}


static ngx_uint_t
cost_down(ngx_ors_store_t *store)
{
    return 0;
}
