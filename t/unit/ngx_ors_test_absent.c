
/*
 * Copyright (C) Open Responses contributors
 */


/*
 * Functions and data of nginx without which files of src/ cannot be linked, and
 * which no test calls: a test that needs one has its own.
 */


#include <stdlib.h>


#define ngx_ors_test_function(name)                                           \
    void name(void);                                                          \
    __attribute__((weak)) void name(void) { abort(); }

#define ngx_ors_test_data(name)                                               \
    extern long name[32];                                                     \
    __attribute__((weak)) long name[32];


ngx_ors_test_data(ngx_connection_counter)
ngx_ors_test_data(ngx_crc32_table256)
ngx_ors_test_data(ngx_event_actions)
ngx_ors_test_data(ngx_event_timer_rbtree)
ngx_ors_test_data(ngx_exiting)
ngx_ors_test_data(ngx_posted_events)
ngx_ors_test_data(ngx_posted_next_events)
ngx_ors_test_data(ngx_worker)

ngx_ors_test_function(ngx_add_path)
ngx_ors_test_function(ngx_close_connection)
ngx_ors_test_function(ngx_conf_full_name)
ngx_ors_test_function(ngx_get_connection)
ngx_ors_test_function(ngx_inet_get_port)
ngx_ors_test_function(ngx_parse_url)
ngx_ors_test_function(ngx_rbtree_delete)
ngx_ors_test_function(ngx_rbtree_insert)
ngx_ors_test_function(ngx_read_file)
ngx_ors_test_function(ngx_regex_compile)
ngx_ors_test_function(ngx_regex_exec)
ngx_ors_test_function(ngx_sock_ntop)
ngx_ors_test_function(ngx_thread_pool_add)
ngx_ors_test_function(ngx_thread_task_post)
