
/*
 * Files of keys that a configuration names.
 */


#ifndef _NGX_ORS_SECRET_H_INCLUDED_
#define _NGX_ORS_SECRET_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * "open_responses_secret FILE...": cmd->offset is that of an ngx_array_t *, at
 * first NULL, of ngx_ors_seal_key_t, which are wiped with the configuration.
 */
char *ngx_ors_secret_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/*
 * Reads the file "name", which must hold one key; "key" is wiped with the
 * configuration.  NGX_OK, or NGX_ERROR: it is logged.
 */
ngx_int_t ngx_ors_secret_key(ngx_conf_t *cf, ngx_str_t *name, ngx_str_t *key);


#endif /* _NGX_ORS_SECRET_H_INCLUDED_ */
