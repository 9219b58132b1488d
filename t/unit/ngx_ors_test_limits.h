
/*
 * Limits for tests that are not about limits.
 */


#ifndef _NGX_ORS_TEST_LIMITS_H_INCLUDED_
#define _NGX_ORS_TEST_LIMITS_H_INCLUDED_


#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_ors_request.h>


/* an initializer: those of a configuration without "open_responses_limits" */

#define limits_default()                                                      \
    {                                                                         \
        .depth = 64, .nodes = 200000, .items = 10000, .tools = 1024,          \
        .calls = 128, .event = 16 * 1024 * 1024, .answer = 32 * 1024 * 1024,  \
        .queue = 65536, .turns = 4096, .context = 4 * 1024 * 1024,            \
        .truncate = 512 * 1024,                                               \
        .tool_answer = 256 * 1024,                                            \
        .tool_calls = 5,                                                      \
        .scope_context = 512 * 1024 * 1024                                    \
    }


#endif /* _NGX_ORS_TEST_LIMITS_H_INCLUDED_ */
