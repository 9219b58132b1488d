
/*
 * Shares of scopes in a Redis store, counted in Redis by a script that
 * runs with every change.
 */


#ifndef _NGX_ORS_REDIS_STORE_H_INCLUDED_
#define _NGX_ORS_REDIS_STORE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_redis.h>


/* 1 if the command changes a store where the shares of scopes are counted. */
ngx_uint_t ngx_ors_redis_share_is(ngx_ors_redis_command_t *cmd);

/*
 * Makes the arguments of the one command that puts or deletes the entries of
 * "cmd" and counts them, from the pool of its job.  The reply is a number, see
 * ngx_ors_redis_share_status().
 *
 * NGX_OK      "*args" has "*n" of them
 * NGX_ERROR   no memory
 */
ngx_int_t ngx_ors_redis_share_args(ngx_ors_redis_command_t *cmd,
    ngx_str_t **args, ngx_uint_t *n);

/*
 * A put's status by its reply: ngx_ors_store_ok, ngx_ors_store_share if the
 * scope has no room, or ngx_ors_store_corrupt.
 */
ngx_ors_store_status_e ngx_ors_redis_share_status(redisReply *reply);


#endif /* _NGX_ORS_REDIS_STORE_H_INCLUDED_ */
