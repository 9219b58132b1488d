
/*
 * Who is asked, in tests of requests to a chat server.
 */


#ifndef _NGX_ORS_TEST_CHAT_H_INCLUDED_
#define _NGX_ORS_TEST_CHAT_H_INCLUDED_


#include <ngx_ors_chat_request.h>


/* a server of which nothing is said; it lives as long as the block */

#define ngx_ors_test_target(name)                                             \
    (&(ngx_ors_chat_target_t) { .model = name,                                \
                                .options = &ngx_ors_chat_options })


#endif /* _NGX_ORS_TEST_CHAT_H_INCLUDED_ */
