#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Responses of the background in Redis, which goes away and comes back.

use v5.36;
use Test::More;
use Time::HiRes qw( sleep );
use lib 't/lib';
use ORS::HTTP qw( http_start post_json request );
use ORS::JSON qw( json_decode json_encode json_true );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Redis ();
use ORS::Stream qw( error_ok );
use ORS::Util qw( wait_for );

my $redis = ORS::Redis->new;
my $model = ORS::Model->new(scripts => {
    slow => [ [ touch => 'started' ], [ wait_file => 'go' ],
              [ json => chat_reply(content => 'Hello') ] ],
});

my $t = ORS::Nginx->new(model => $model, workers => 2,
                        subst => { REDIS => $redis->address },
                        conf => <<'CONF');
    open_responses_store main redis:%%REDIS%% timeout=2s;
    open_responses_store_scope $http_x_user empty=share;
    open_responses_strict off;
    open_responses_target default /to/model;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ {
            open_responses on;
            open_responses_store main;
        }

        %%CHAT /to/model /v1/chat/completions%%
    }
CONF

$t->start;

# a worker that has not reached the store again says 503

sub begin () {
    my $r;

    $model->untouch('go', 'started');

    wait_for(sub {
        $r = post_json($t->port, '/v1/responses',
                       { model => 'm', input => 'hi',
                         background => json_true },
                       headers => { 'X-Script' => 'slow' });
        $r->{status} != 503;
    });

    is($r->{status}, 200, 'a response is begun') or diag($r->{body});
    ok($model->wait_file('started'), 'it runs');

    return json_decode($r->{body})->{id};
}

sub becomes ($id, $status, $name) {
    my $d = {};

    wait_for(sub {
        my $r = request($t->port, 'GET', "/v1/responses/$id");
        $d = $r->{status} == 200 ? json_decode($r->{body}) : {};
        ($d->{status} // '') eq $status;
    });

    is($d->{status}, $status, "$name: $status");

    return $d;
}


# a response that is complete while the store is down is stored later

my $id = begin();

$redis->pause;
$model->touch('go');
error_ok(request($t->port, 'GET', "/v1/responses/$id"), 503,
         'a store that says nothing', code => 'store_unavailable');
sleep 3;
$redis->resume;

is(becomes($id, 'completed', 'it is back')->{output}[0]{content}[0]{text},
   'Hello', 'nothing is lost');


# not even if it comes back without its memory

$id = begin();

$redis->kill;
$model->touch('go');
error_ok(request($t->port, 'GET', "/v1/responses/$id"), 503,
         'a store that is gone', code => 'store_unavailable');
sleep 3;
$redis->start;

is(becomes($id, 'completed', 'another one')->{output}[0]{content}[0]{text},
   'Hello', 'it is there as well');


# whoever cancels it while the store is gone is told to come again

$id = begin();

$redis->pause;
error_ok(request($t->port, 'POST', "/v1/responses/$id/cancel"), 503,
         'it cannot be cancelled then', code => 'store_unavailable');
$redis->resume;

ok(wait_for(sub { request($t->port, 'POST', "/v1/responses/$id/cancel")
                      ->{status} == 200 }), 'and later it can');
becomes($id, 'cancelled', 'it is');

# a client that leaves before it is told has begun nothing

my $keys = () = $redis->keys;
my $asked = $model->count;

$redis->pause;

my $c = http_start($t->port, 'POST', '/v1/responses',
                   { 'X-Script' => 'slow',
                     'Content-Type' => 'application/json' },
                   json_encode({ model => 'm', input => 'hi',
                                 background => json_true }));
sleep 0.3;
$c->close;
ok($t->wait_log(qr/client prematurely closed connection/),
   'a client leaves');
$redis->resume;

$id = begin();
is($model->count, $asked + 1, 'the model is not asked for it');
request($t->port, 'DELETE', "/v1/responses/$id");
ok(wait_for(sub { my $n = () = $redis->keys; $n <= $keys + 1 }),
   'nothing of it is stored');

$model->touch('go');
$t->finish;

done_testing();
