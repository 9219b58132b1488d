
/*
 * Setters of the directives about chat servers: options, efforts, types of
 * tools.
 */


#ifndef _NGX_ORS_CHAT_OPTIONS_CONF_H_INCLUDED_
#define _NGX_ORS_CHAT_OPTIONS_CONF_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_chat_options.h>


/*
 * "open_responses_chat_options NAME=VALUE...": cmd->offset is that of an
 * ngx_ors_chat_options_t in "conf".
 */
char *ngx_ors_chat_options_slot(ngx_conf_t *cf, ngx_command_t *cmd,
    void *conf);

/*
 * "open_responses_reasoning_effort VALUE [POINTER JSON]": cmd->offset is that
 * of the field "efforts" of such options.
 */
char *ngx_ors_chat_effort_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/*
 * "open_responses_tool_type TYPE skip|reject|send JSON": cmd->offset is that
 * of the field "types" of such options.
 */
char *ngx_ors_chat_type_slot(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);

/*
 * Checks JSON of a directive, of an object if "object" is set.  NGX_CONF_OK or
 * NGX_CONF_ERROR: the log says what is wrong.
 */
char *ngx_ors_chat_conf_json(ngx_conf_t *cf, ngx_str_t *value,
    ngx_uint_t object);

/*
 * Puts checked JSON into "members", see ngx_ors_pointer_add(), but for fields
 * of a request that have one of the flags "fields".  Returns are the same.
 */
char *ngx_ors_chat_conf_pointer(ngx_conf_t *cf, ngx_ors_pointer_t *members,
    ngx_str_t *pointer, ngx_str_t *value, ngx_uint_t fields,
    ngx_ors_pointer_t **place);

/* Sets all options to "not configured". */
void ngx_ors_chat_options_init(ngx_ors_chat_options_t *options);

/* Sets options that are not configured to those of "preset" that are. */
void ngx_ors_chat_options_fill(ngx_ors_chat_options_t *options,
    const ngx_ors_chat_options_t *preset);

/* Sets options that are not configured to those of "prev", or the defaults. */
void ngx_ors_chat_options_merge(ngx_ors_chat_options_t *options,
    ngx_ors_chat_options_t *prev);

/*
 * Options of chat servers by the server's name, as
 * "open_responses_dialect chat server=NAME" has it.
 */


/*
 * Reads the parameter "server=NAME" of the directive that is being parsed and
 * returns the options of that server, which are those of its name and "not
 * configured" otherwise.  They live in cf->pool.  NULL: the name is unknown,
 * which has been logged, or there is no memory.
 */
ngx_ors_chat_options_t *ngx_ors_chat_preset(ngx_conf_t *cf, ngx_str_t *value);


#endif /* _NGX_ORS_CHAT_OPTIONS_CONF_H_INCLUDED_ */
