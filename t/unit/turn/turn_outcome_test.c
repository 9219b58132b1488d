
/*
 * Copyright (C) Open Responses contributors
 */


/* The outcome of a turn: whose failure it was, for each class of them. */


#include <ngx_ors_test.h>
#include <ngx_ors_turn.h>


static void test_failures(void);
static void test_ends(void);


int
main(void)
{
    test_failures();
    test_ends();

    return done_testing();
}


/*
 * Only what a target did itself breaks it, before and after it has answered;
 * what it has answered otherwise says that it works.
 */

static void
test_failures(void)
{
    ngx_uint_t          class, answered, over, own;
    ngx_ors_turn_t      turn;
    ngx_ors_outcome_t   outcome;

    for (class = 1; class < ngx_ors_classes; class++) {
        for (answered = 0; answered < 2; answered++) {
            for (over = 0; over < 2; over++) {

                ngx_memzero(&turn, sizeof(ngx_ors_turn_t));

                turn.state = over ? ngx_ors_turn_st_over
                                  : ngx_ors_turn_st_again;
                turn.answer.status = answered ? 200 : 0;
                turn.error.status = 502;
                turn.error.class = class;

                ngx_ors_turn_outcome(&turn, &outcome);

                own = (ngx_ors_error_origin(class) == ngx_ors_origin_upstream);

                ok(outcome.class == class && outcome.broken == own
                   && outcome.worked == (answered && !own),
                   "class %d, %d, %d", (int) class, (int) answered,
                   (int) over);
                is_int(outcome.end, over ? ngx_ors_end_failed
                                         : ngx_ors_end_open, "its end");

                turn.error.status = 400;
                ngx_ors_turn_outcome(&turn, &outcome);

                is_int(outcome.end, !over ? ngx_ors_end_open
                                    : answered ? ngx_ors_end_failed
                                               : ngx_ors_end_rejected,
                       "... with a status of the client's");
            }
        }
    }

    ok(ngx_ors_error_origin(ngx_ors_class_client) == ngx_ors_origin_client
       && ngx_ors_error_origin(ngx_ors_class_model) == ngx_ors_origin_client
       && ngx_ors_error_origin(ngx_ors_class_limit) == ngx_ors_origin_limit
       && ngx_ors_error_origin(ngx_ors_class_store) == ngx_ors_origin_gateway
       && ngx_ors_error_origin(ngx_ors_class_account)
          == ngx_ors_origin_gateway
       && ngx_ors_error_origin(ngx_ors_class_unavailable)
          == ngx_ors_origin_upstream, "origins");
}


static void
test_ends(void)
{
    ngx_uint_t          i;
    ngx_ors_turn_t      turn;
    ngx_ors_outcome_t   outcome;

    static struct {
        ngx_uint_t         answered;
        ngx_uint_t         status;
        ngx_uint_t         end;
        ngx_ors_class_e    class;
    } rows[] = {
        { 200, ngx_ors_response_completed, ngx_ors_end_completed, 0 },
        { 200, ngx_ors_response_in_progress, ngx_ors_end_completed, 0 },
        { 200, ngx_ors_response_incomplete, ngx_ors_end_incomplete, 0 },
        { 200, ngx_ors_response_cancelled, ngx_ors_end_canceled, 0 },
        { 200, ngx_ors_response_failed, ngx_ors_end_failed,
          ngx_ors_class_upstream_error },
        { 0, ngx_ors_response_completed, ngx_ors_end_completed, 0 },
        { 0, ngx_ors_response_in_progress, ngx_ors_end_open, 0 }
    };

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        ngx_memzero(&turn, sizeof(ngx_ors_turn_t));

        turn.state = ngx_ors_turn_st_over;
        turn.answer.status = rows[i].answered;
        turn.response.status = rows[i].status;

        ngx_ors_turn_outcome(&turn, &outcome);

        ok(outcome.end == rows[i].end && outcome.class == rows[i].class
           && !outcome.broken && outcome.worked == (rows[i].answered != 0),
           "end %d", (int) i);

        turn.state = ngx_ors_turn_st_translate;
        ngx_ors_turn_outcome(&turn, &outcome);
        is_int(outcome.end, ngx_ors_end_open, "... in the middle");
    }
}
