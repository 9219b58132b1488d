
/*
 * Copyright (C) Open Responses contributors
 */


/* A request goes on where stored turns have ended. */


#include <ngx_ors_test_request.h>
#include <ngx_ors_turn.h>

#include "cost.h"


static ngx_int_t cost_context(cost_t *cost);
static ngx_int_t cost_merge(cost_t *cost, ngx_ors_turn_t *turn, u_char *p);


static const char  *cost_names[] = {
    "strip, chat", "strip, passed on", NULL
};

static const ngx_ors_policy_t  cost_policies[] = {
    { NGX_ORS_STRICT_SPEC, ngx_ors_unknown_strip, 0, ngx_ors_reasoning_summary,
      ngx_ors_refusal_part, NULL },
    { NGX_ORS_TOLERANT_SPEC, ngx_ors_unknown_strip, 0,
      ngx_ors_reasoning_summary,
      ngx_ors_refusal_part, NULL }
};


#define TEXT                                                                  \
    "Please look at the parser in src/json, find out why a list of numbers "  \
    "takes so long to be read, and write a test that shows it."
#define USER(text)                                                            \
    "{'type':'message','role':'user','content':'" text "'}"
#define ASKED   "{'model':'m','input':'hi'}\n"
#define CALL(id)                                                              \
    "{'type':'function_call','call_id':'" id "','name':'f','arguments':'{}'}"
#define OUTPUT(id)                                                            \
    "{'type':'function_call_output','call_id':'" id "','output':'a'}"


/* the first line is the request, others are the turns before it */

static const cost_row_t  cost_rows[] = {

    { "typical", 50, ASKED, USER(TEXT TEXT) "," CALL("c#") ","
      OUTPUT("c#") "\n", USER("a") },

    /* members that come with the request */

    { "items", 400, "{'model':'m','input':[", ",{'role':'user','content':"
      "'a'}", "]}\n" USER("a") },
    { "items with stripped keys", 150, "{'model':'m','input':[",
      ",{'role':'user','content':'a','x':1,'y':1,'z':1,'u':1,'v':1,'w':1}",
      "]}\n" USER("a") },
    { "stripped keys", 600, "{'model':'m','input':'hi'", ",'x#':1",
      "}\n" USER("a") },
    { "stripped keys and items", 200, "{'model':'m','input':[",
      ",{'role':'user','content':'a'}", "}\n" USER("a"), "]", ",'x#':1" },
    { "outputs of stored calls", 200, "{'model':'m','input':[",
      "," OUTPUT("c@"), "", "]}\n", "," CALL("c#") },

    /* items that were stored */

    { "turns", 400, ASKED, "{'role':'user','content':'a'}\n", USER("a") },
    { "items of a turn", 400, ASKED, ",{'role':'user','content':'a'}", "" },
    { "keys of a stored item", 800, ASKED "{'role':'user','content':'a'",
      ",'x#':1", "}" },
    { "numbers of a stored item", 1500,
      ASKED "{'role':'user','content':'a','x':[", ",1", "]}" },
    { "stored calls, all outputs after them", 200, ASKED, "," CALL("c#"),
      "", "", "," OUTPUT("c@") },

    { NULL }
};


const cost_group_t  cost_contexts[] = {
    { "continuation", cost_context, cost_names, cost_rows },
    { NULL, NULL, NULL, NULL }
};


static ngx_int_t
cost_context(cost_t *cost)
{
    u_char             *p;
    ngx_int_t           rc;
    ngx_str_t           body, model = ngx_null_string;
    ngx_ors_out_t       out;
    ngx_ors_turn_t     *turn;
    ngx_ors_policy_t    policy;

    policy = cost_policies[cost->nvariant];

    turn = ngx_ors_turn_create(ngx_ors_endpoint(ngx_ors_endpoint_responses),
                               &policy, &cost_limits, cost->pool,
                               cost->pool->log);
    if (turn == NULL) {
        return NGX_ERROR;
    }

    turn->inline_context = (cost->nvariant == 1);

    p = memchr(cost->text, LF, cost->len);

    body.data = cost->text;
    body.len = p - cost->text;

    rc = ngx_ors_turn_request(turn, &body);

    if (rc == NGX_OK) {
        rc = cost_merge(cost, turn, p + 1);
    }

    ngx_ors_out_init(&out, cost->pool, 4096);

    if (rc == NGX_OK) {
        rc = ngx_ors_turn_call(turn, (cost->nvariant == 1)
                                     ? ngx_ors_dialect_responses
                                     : ngx_ors_dialect_chat,
                               &ngx_ors_chat_options, &model, &out);
    }

    if (rc == NGX_DONE) {
        return NGX_DECLINED;
    }

    return (rc == NGX_OK) ? ngx_ors_out_drop(&out) : rc;
}


static ngx_int_t
cost_merge(cost_t *cost, ngx_ors_turn_t *turn, u_char *p)
{
    u_char                   *last, *end;
    ngx_array_t              *turns;
    ngx_ors_context_t         ctx;
    ngx_ors_context_turn_t   *before;

    turns = ngx_array_create(cost->pool, 16, sizeof(ngx_ors_context_turn_t));
    end = cost->text + cost->len;

    for ( /* void */ ; p < end; p = last + 1) {
        last = memchr(p, LF, end - p);
        last = last ? last : end;

        before = ngx_array_push(turns);

        memset(before, 0, sizeof(ngx_ors_context_turn_t));
        cost_list(cost, p, last, &before->input.text);
        ngx_str_set(&before->output, "[]");
    }

    memset(&ctx, 0, sizeof(ngx_ors_context_t));
    ctx.turns = turns->elts;
    ctx.nturns = turns->nelts;

    return ngx_ors_turn_context(turn, &ctx);
}
