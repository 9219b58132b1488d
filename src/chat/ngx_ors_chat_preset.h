
/*
 * Options of chat servers by the server's name, as
 * "open_responses_dialect chat server=NAME" has it.
 */


#ifndef _NGX_ORS_CHAT_PRESET_H_INCLUDED_
#define _NGX_ORS_CHAT_PRESET_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_options.h>


/*
 * Reads the parameter "server=NAME" of the directive that is being parsed and
 * returns the options of that server, which are those of its name and "not
 * configured" otherwise.  They live in cf->pool.  NULL: the name is unknown,
 * which has been logged, or there is no memory.
 */
ngx_ors_chat_options_t *ngx_ors_chat_preset(ngx_conf_t *cf, ngx_str_t *value);


#endif /* _NGX_ORS_CHAT_PRESET_H_INCLUDED_ */
