
/*
 * Copyright (C) Open Responses contributors
 */


/* How the turn of a session fails, and what the log says of its store. */


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_session_error.h>


static ngx_int_t ngx_ors_session_absent(ngx_ors_session_t *session);


static ngx_str_t  ngx_ors_session_statuses[] = {
    ngx_string("ok"),
    ngx_string("what it names is not there"),
    ngx_string("a limit"),
    ngx_string("it is full"),
    ngx_string("it does not answer in time"),
    ngx_string("it cannot be reached"),
    ngx_string("it holds what is no record"),
    ngx_string("the scope has its share of it, \"scope_size\" or "
               "\"scope_turns\""),
    ngx_string("it is larger than \"record\""),
    ngx_string("it holds a record in a format of another version")
};


ngx_str_t *
ngx_ors_session_strerror(ngx_ors_store_status_e status)
{
    return &ngx_ors_session_statuses[status];
}


ngx_int_t
ngx_ors_session_refuse(ngx_ors_session_t *session, ngx_ors_code_e code,
    char *param, char *text)
{
    ngx_ors_turn_t  *turn;

    turn = session->turn;

    (void) ngx_ors_error_set(&turn->error, turn->pool, code, "%s", text);

    turn->error.param.data = (u_char *) param;
    turn->error.param.len = ngx_strlen(param);

    return ngx_ors_session_fail(session);
}


ngx_int_t
ngx_ors_session_fail(ngx_ors_session_t *session)
{
    /* another target would not help */

    session->turn->retries_left = 0;

    return ngx_ors_turn_fail(session->turn);
}


ngx_int_t
ngx_ors_session_unread(ngx_ors_session_t *session,
    ngx_ors_store_status_e status)
{
    char  *param, *text;

    if (status == ngx_ors_store_absent) {
        return ngx_ors_session_absent(session);
    }

    if (status == ngx_ors_store_limit) {
        param = "previous_response_id";
        text = "the conversation before this request is too long, with "
               "\"truncation\": \"auto\" its beginning is left out";

        if (session->state == ngx_ors_session_st_items) {
            param = "input";
            text = "the items that \"input\" refers to, their turns and the "
                   "conversation before this request are too long";
        }

        return ngx_ors_session_refuse(session,
                                      ngx_ors_code_context_length_exceeded,
                                      param, text);
    }

    ngx_log_error(NGX_LOG_ERR, session->log, 0,
                  "store \"%V\" cannot be read: %V", &session->store->name,
                  ngx_ors_session_strerror(status));

    return ngx_ors_session_refuse(session, ngx_ors_code_store_unavailable,
                                  "previous_response_id",
                                  "stored conversations cannot be read "
                                  "at the moment, try again later");
}


/* another scope gets the same answer as for what is not there */

static ngx_int_t
ngx_ors_session_absent(ngx_ors_session_t *session)
{
    ngx_ors_turn_t  *turn;

    turn = session->turn;

    (void) ngx_ors_error_set(&turn->error, turn->pool,
                             ngx_ors_code_previous_response_not_found,
                             "there is no previous response with this id");
    ngx_ors_error_id(&turn->error, turn->pool, &session->previous);
    ngx_str_set(&turn->error.param, "previous_response_id");

    return ngx_ors_session_fail(session);
}


ngx_int_t
ngx_ors_session_unstored(ngx_ors_session_t *session,
    ngx_ors_store_status_e status, char *param)
{
    char            *text;
    ngx_ors_code_e   code;

    if (status == ngx_ors_store_share) {
        code = ngx_ors_code_insufficient_quota;
        text = "no more of your responses can be stored, delete some of them, "
               "or send \"store\": false";

    } else if (status == ngx_ors_store_large) {
        code = ngx_ors_code_request_too_large;
        text = "the response is too large to be stored, send \"store\": false";

    } else {
        code = ngx_ors_code_store_unavailable;
        text = "the response cannot be stored at the moment, try again later";
    }

    return ngx_ors_session_refuse(session, code, param, text);
}


/* the first bytes of its digest name a scope */

void
ngx_ors_session_log(ngx_ors_session_t *session, ngx_ors_store_status_e status,
    char *what)
{
    u_char  *scope;

    scope = session->scope;

    if (status != ngx_ors_store_share && status != ngx_ors_store_large) {
        ngx_log_error(NGX_LOG_ERR, session->log, 0,
                      "%s is not written to store \"%V\": %V", what,
                      &session->store->name,
                      ngx_ors_session_strerror(status));
        return;
    }

    ngx_log_error(NGX_LOG_WARN, session->log, 0,
                  "%s of scope %02xd%02xd%02xd%02xd is not written to store "
                  "\"%V\": %V", what, scope[0], scope[1], scope[2], scope[3],
                  &session->store->name, ngx_ors_session_strerror(status));
}
