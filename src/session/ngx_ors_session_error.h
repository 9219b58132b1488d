
/*
 * How the turn of a session fails, and what the log says of its store.
 */


#ifndef _NGX_ORS_SESSION_ERROR_H_INCLUDED_
#define _NGX_ORS_SESSION_ERROR_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_session_state.h>


/*
 * Fails the turn with the error; "code", "param" and "text" are static.
 * Returns NGX_DONE.
 */
ngx_int_t ngx_ors_session_refuse(ngx_ors_session_t *session,
    ngx_ors_code_e code, char *param, char *text);

/* Fails the turn with turn->error: no other target is tried.  NGX_DONE. */
ngx_int_t ngx_ors_session_fail(ngx_ors_session_t *session);

/* Fails the turn, as its context could not be read.  Returns NGX_DONE. */
ngx_int_t ngx_ors_session_unread(ngx_ors_session_t *session,
    ngx_ors_store_status_e status);

/*
 * Fails the turn, as it could not be stored; "param" is static.  Returns
 * NGX_DONE.
 */
ngx_int_t ngx_ors_session_unstored(ngx_ors_session_t *session,
    ngx_ors_store_status_e status, char *param);

/* Logs that "what", a response, is not stored, and why. */
void ngx_ors_session_log(ngx_ors_session_t *session,
    ngx_ors_store_status_e status, char *what);

/* A phrase for people for the status of a job, static text. */
ngx_str_t *ngx_ors_session_strerror(ngx_ors_store_status_e status);


#endif /* _NGX_ORS_SESSION_ERROR_H_INCLUDED_ */
