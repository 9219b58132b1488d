
/*
 * Copyright (C) Open Responses contributors
 */


/* A worker's knowledge of MCP servers: how long it lasts, and of how many. */


#include <ngx_ors_test.h>
#include <ngx_ors_mcp_server.h>


static void test_servers(void);
static void test_share(void);
static void end(ngx_ors_mcp_server_t *server, void *data);
static void test_used(void);
static void test_lists(void);
static void test_wrap(void);
static void test_no_memory(void);
static ngx_ors_mcp_list_t *new_list(ngx_msec_t ttl);
static u_char *key(ngx_uint_t n);


static ngx_ors_mcp_servers_t  servers;
static ngx_ors_mcp_limits_t   limits;


int
main(void)
{
    ngx_ors_mcp_limits_set(&limits, 1024 * 1024);

    test_servers();
    test_share();
    test_used();
    test_lists();
    test_wrap();
    test_no_memory();

    return done_testing();
}


static void
test_servers(void)
{
    ngx_uint_t             i;
    ngx_ors_mcp_server_t  *server;

    ngx_ors_mcp_servers_init(&servers, 3, 3, 1000, ngx_ors_test_log());

    for (i = 1; i <= 5; i++) {
        server = ngx_ors_mcp_server_get(&servers, key(i), 0);
        is_int(server->peer.version, 0, "server %d is new", (int) i);

        server->peer.version = NGX_ORS_MCP_MODERN;
        ngx_ors_mcp_server_release(server);
    }

    is_int(servers.n, 3, "no more than there may be");

    for (i = 3; i <= 5; i++) {
        server = ngx_ors_mcp_server_get(&servers, key(i), 0);
        is_int(server->peer.version, NGX_ORS_MCP_MODERN,
               "server %d is known", (int) i);
        ngx_ors_mcp_server_release(server);
    }

    server = ngx_ors_mcp_server_get(&servers, key(1), 0);
    is_int(server->peer.version, 0, "server 1 is new again");
    ngx_ors_mcp_server_release(server);

    ngx_ors_mcp_servers_clear(&servers);
    is_int(servers.n, 0, "all are gone");
}


/* keys that one client makes up */

static void
test_share(void)
{
    ngx_uint_t             i, ended;
    ngx_ors_mcp_server_t  *server, *used;

    ngx_ors_mcp_servers_init(&servers, 10, 3, 1000, ngx_ors_test_log());

    ended = 0;
    servers.ended = end;
    servers.data = &ended;

    server = ngx_ors_mcp_server_get(&servers, key(100), 7);
    server->peer.version = NGX_ORS_MCP_MODERN;
    ngx_ors_mcp_server_release(server);

    used = ngx_ors_mcp_server_get(&servers, key(50), 8);

    for (i = 0; i < 50; i++) {
        server = ngx_ors_mcp_server_get(&servers, key(i), 8);
        ngx_ors_mcp_server_release(server);
    }

    is_int(servers.n, 4, "a share and what others have");
    is_int(ended, 48, "the caller hears of those that have gone");
    ok(ngx_ors_mcp_server_get(&servers, key(50), 8) == used,
       "one that is in use has not");
    ngx_ors_mcp_server_release(used);
    ngx_ors_mcp_server_release(used);

    server = ngx_ors_mcp_server_get(&servers, key(100), 7);
    is_int(server->peer.version, NGX_ORS_MCP_MODERN, "nor another client's");
    ngx_ors_mcp_server_release(server);

    ngx_ors_mcp_servers_clear(&servers);
}


static void
end(ngx_ors_mcp_server_t *server, void *data)
{
    (*(ngx_uint_t *) data)++;
}


/* a dialog has the peer of its server as long as it needs it */

static void
test_used(void)
{
    ngx_uint_t             i;
    ngx_ors_mcp_server_t  *used[4], *server;

    ngx_ors_mcp_servers_init(&servers, 2, 2, 1000, ngx_ors_test_log());

    for (i = 0; i < 4; i++) {
        used[i] = ngx_ors_mcp_server_get(&servers, key(i), 0);
        used[i]->peer.version = NGX_ORS_MCP_MODERN;
    }

    is_int(servers.n, 4, "servers in use stay");

    server = ngx_ors_mcp_server_get(&servers, key(0), 0);
    ok(server == used[0], "one server for two dialogs");
    ngx_ors_mcp_server_release(server);

    is_int(servers.n, 4, "it is still in use");

    for (i = 0; i < 4; i++) {
        ngx_ors_mcp_server_release(used[i]);
    }

    is_int(servers.n, 2, "those that are too many have gone");

    ngx_ors_mcp_servers_clear(&servers);
}


static void
test_lists(void)
{
    ngx_ors_mcp_list_t    *list, *got;
    ngx_ors_mcp_server_t  *server;

    ngx_ors_mcp_servers_init(&servers, 2, 2, 1000, ngx_ors_test_log());
    server = ngx_ors_mcp_server_get(&servers, key(1), 0);

    is_int(ngx_ors_mcp_server_list(server, 0, &got), NGX_DECLINED,
           "there is no list");

    list = new_list(0);
    ngx_ors_mcp_server_keep(server, list, 100, 50);
    is_int(list->references, 2, "a list that is kept");
    ngx_ors_mcp_list_release(list);

    is_int(ngx_ors_mcp_server_list(server, 149, &got), NGX_OK, "a list");
    ok(got == list, "that list");
    is_int(ngx_ors_mcp_server_list(server, 150, &got), NGX_AGAIN,
           "a list that has expired");
    ok(got == list, "that list all the same");
    is_int(ngx_ors_mcp_server_list(server, 1149, &got), NGX_AGAIN,
           "a list that is old");
    is_int(ngx_ors_mcp_server_list(server, 1150, &got), NGX_DECLINED,
           "a list that is too old");
    ok(got == NULL, "it has gone");

    list = new_list(200);
    ngx_ors_mcp_server_keep(server, list, 100, 50);
    ngx_ors_mcp_list_release(list);
    is_int(ngx_ors_mcp_server_list(server, 299, &got), NGX_OK,
           "the server's own time");

    ngx_ors_mcp_server_expire(server, 110);
    is_int(ngx_ors_mcp_server_list(server, 110, &got), NGX_AGAIN,
           "a list that has proved to be old");

    ngx_ors_mcp_list_hold(got);

    list = new_list(0);
    ngx_ors_mcp_server_keep(server, list, 120, 50);
    ngx_ors_mcp_list_release(list);
    is_int(got->references, 1, "a turn still has the old one");
    ngx_ors_mcp_list_release(got);

    is_int(ngx_ors_mcp_server_list(server, 130, &got), NGX_OK,
           "a new list");
    ok(got == list, "the new one");

    ngx_ors_mcp_server_release(server);
    ngx_ors_mcp_servers_clear(&servers);
}


/* the clock of nginx begins anew */

static void
test_wrap(void)
{
    ngx_msec_t             now;
    ngx_ors_mcp_list_t    *list;
    ngx_ors_mcp_server_t  *server;

    ngx_ors_mcp_servers_init(&servers, 2, 2, 1000, ngx_ors_test_log());
    server = ngx_ors_mcp_server_get(&servers, key(1), 0);

    now = (ngx_msec_t) -10;
    list = new_list(0);
    ngx_ors_mcp_server_keep(server, list, now, 50);
    ngx_ors_mcp_list_release(list);

    is_int(ngx_ors_mcp_server_list(server, now + 49, &list), NGX_OK,
           "a list past the end of the clock");
    is_int(ngx_ors_mcp_server_list(server, now + 50, &list), NGX_AGAIN,
           "it has expired");

    ngx_ors_mcp_server_release(server);
    ngx_ors_mcp_servers_clear(&servers);
}


static void
test_no_memory(void)
{
    ngx_ors_mcp_servers_init(&servers, 2, 2, 1000, ngx_ors_test_log());

    ngx_ors_test_fail_after(1);
    ok(ngx_ors_mcp_server_get(&servers, key(1), 0) == NULL, "no memory");
    ngx_ors_test_fail_after(0);

    is_int(servers.n, 0, "no server");
}


static ngx_ors_mcp_list_t *
new_list(ngx_msec_t ttl)
{
    ngx_ors_mcp_list_t  *list;

    list = ngx_ors_mcp_list_create(&limits, ngx_ors_test_log());
    list->ttl = ttl;

    return list;
}


static u_char *
key(ngx_uint_t n)
{
    static u_char  k[NGX_ORS_MCP_KEY];

    ngx_memset(k, 7, NGX_ORS_MCP_KEY);
    k[NGX_ORS_MCP_KEY - 1] = n;

    return k;
}
