
/*
 * The tokens that a server counts in an answer that passes through.
 */


#ifndef _NGX_ORS_VERIFY_USAGE_H_INCLUDED_
#define _NGX_ORS_VERIFY_USAGE_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_verify.h>


/*
 * Sets verify->usage to the "usage" of "object", a response or another
 * document in verify->json, if it has one; a count that is absent is 0.
 */
void ngx_ors_verify_usage(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *object);

/* The count "name" of "usage", 0 if it is absent or none. */
int64_t ngx_ors_verify_count(ngx_ors_verify_t *verify,
    ngx_ors_json_node_t *usage, char *name);


#endif /* _NGX_ORS_VERIFY_USAGE_H_INCLUDED_ */
