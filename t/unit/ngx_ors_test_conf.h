
/*
 * Setters of directives as unit tests call them: a line of a configuration
 * goes in, its error goes to the log of the tests.
 */


#ifndef _NGX_ORS_TEST_CONF_H_INCLUDED_
#define _NGX_ORS_TEST_CONF_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>


/*
 * Calls the setter cmd->set for "conf" with the words of "line", which blanks
 * separate, a directive's name first: ' stands in the place of ", and - alone
 * for an empty word.  The log is reset before.  Returns what the setter does.
 */
char *ngx_ors_test_conf(ngx_pool_t *pool, ngx_command_t *cmd, void *conf,
    const char *line);


#endif /* _NGX_ORS_TEST_CONF_H_INCLUDED_ */
