
/*
 * Copyright (C) Open Responses contributors
 */


/* The memory of failed targets: who is left out, for how long. */


#include <ngx_ors_test.h>
#include <ngx_ors_metrics.h>


static void test_attach(void);
static void test_fails(void);
static void test_off(void);


static ngx_slab_pool_t      shpool;
static ngx_ors_named_list_t  peers;
static ngx_ors_peer_conf_t  conf = {
    ngx_string("a.example"), ngx_string("/to/one"), 2, 10, NULL
};


int
main(void)
{
    test_attach();
    test_fails();
    test_off();

    return done_testing();
}


static void
test_attach(void)
{
    ngx_ors_peer_conf_t  other;

    ngx_ors_peer_attach(&peers, &conf, &shpool);
    ok(conf.peer == NULL && peers.first == NULL, "no memory");
    ok(ngx_ors_peer_try(&conf, 1) && ngx_ors_peer_up(&conf, 1),
       "... the target is called");

    ngx_ors_peer_failed(&conf, 1);
    ngx_ors_peer_worked(&conf);
    pass("... and nothing is remembered");

    /* the stand-in of the slab allocator has some */

    shpool.log_nomem = 1;

    ngx_ors_peer_attach(&peers, &conf, &shpool);
    ok(conf.peer && peers.first == &conf.peer->named, "a new target");

    other = conf;
    ngx_ors_peer_attach(&peers, &other, &shpool);
    ok(other.peer == conf.peer && peers.first->next == NULL, "the same one");

    ngx_str_set(&other.server, "a.exampl");
    ngx_str_set(&other.target, "e/to/one");
    ngx_ors_peer_attach(&peers, &other, &shpool);
    ok(other.peer != conf.peer && peers.first == &other.peer->named,
       "another server's");
}


static void
test_fails(void)
{
    ngx_ors_peer_failed(&conf, 100);
    ok(ngx_ors_peer_up(&conf, 100), "one failure of two");

    ngx_ors_peer_failed(&conf, 110);
    ok(ngx_ors_peer_up(&conf, 110), "the first one is too long ago");

    ngx_ors_peer_failed(&conf, 111);
    ok(!ngx_ors_peer_up(&conf, 111), "two");
    ok(!ngx_ors_peer_try(&conf, 120), "left out for a while");
    is_int(conf.peer->total, 3, "all of them");

    ok(ngx_ors_peer_up(&conf, 121), "the while is over");
    ok(ngx_ors_peer_try(&conf, 121), "one request may try");
    ok(!ngx_ors_peer_try(&conf, 121), "... and no other one");

    ngx_ors_peer_failed(&conf, 122);
    ok(!ngx_ors_peer_try(&conf, 131), "it has failed again");
    ok(ngx_ors_peer_try(&conf, 132), "... and is tried again");

    ngx_ors_peer_worked(&conf);
    ok(ngx_ors_peer_try(&conf, 132) && ngx_ors_peer_try(&conf, 132),
       "it works");

    ngx_ors_peer_failed(&conf, 140);
    ngx_ors_peer_failed(&conf, 140);
    ok(ngx_ors_peer_try(&conf, 90), "the clock was set back");
}


static void
test_off(void)
{
    ngx_ors_peer_worked(&conf);

    conf.max_fails = 0;
    ngx_ors_peer_failed(&conf, 200);
    ngx_ors_peer_failed(&conf, 200);

    ok(ngx_ors_peer_up(&conf, 200) && ngx_ors_peer_try(&conf, 200),
       "max_fails=0: always called");

    ngx_ors_peer_failed(&conf, 200);
    ok(!ngx_ors_peer_up(&conf, 209) && ngx_ors_peer_try(&conf, 209),
       "... even if it is not up");
    ok(ngx_ors_peer_up(&conf, 210), "... which is for ten seconds");
}
