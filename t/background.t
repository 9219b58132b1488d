#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Responses that run without their client: they are polled, cancelled and
# deleted, by any worker, and what becomes of them is stored.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( http_start post_json request h2_request );
use ORS::JSON qw( json_decode json_encode json_false json_true );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( error_ok response_ok );
use ORS::Util qw( wait_for );

my $reply = chat_reply(content => 'Hello');

my $model = ORS::Model->new(scripts => {
    hello => json_script($reply),
    busy => json_script({ error => { message => 'full' } }, 429),
    slow => [ [ touch => 'started' ], [ wait_file => 'go' ],
              [ json => $reply ] ],
    hang => [ [ head => ], [ hang => 'gone' ] ],
});

my $conf = <<'CONF';
    open_responses_store main lmdb:%%TESTDIR%%/db size=64m;
    open_responses_store_scope $http_x_user;
    open_responses_strict off;
    open_responses_target default /to/model;
    open_responses_target nowhere /to/nowhere;
    open_responses_target native /to/native;

    log_format kind '$request|$status|$open_responses_status|$http_x_user';

    map $http_x_user $upper {
        ann   ANN;
        default NOBODY;
    }

    server {
        listen 127.0.0.1:%%PORT_0%%;
        listen 127.0.0.1:%%PORT_1%% http2;

        access_log %%TESTDIR%%/logs/kind.log kind;

        set $known "$remote_addr $http_x_user";

        location /v1/ {
            open_responses on;
            open_responses_store main;
        }

        location /short/ {
            open_responses on;
            open_responses_store main;
            open_responses_background timeout=1s;
        }

        location /few/ {
            open_responses on;
            open_responses_store main;
            open_responses_background limit=0;
        }

        location /none/ { open_responses on; }

        location = /to/model {
            internal;
            open_responses_dialect chat;
            proxy_pass http://%%MODEL%%/v1/chat/completions;
            proxy_set_header X-Known "$known $upper $remote_addr $server_port";
        }

        location = /to/nowhere {
            internal;
            open_responses_dialect chat;
            proxy_pass http://127.0.0.1:%%PORT_2%%;
        }

        location = /to/native {
            internal;
            proxy_pass http://%%MODEL%%/v1/responses;
        }
    }
CONF

my $t = ORS::Nginx->new(model => $model, workers => 2, conf => $conf);

$t->start;

my $port = $t->port;


sub as ($who, $method, $path, $body = undef, %o) {
    my %headers = ('X-User' => $who, 'X-Script' => $o{script} // 'hello');

    return post_json($port, $path, $body, headers => \%headers)
        if ref $body;

    return request($port, $method, $path, \%headers, $body);
}

sub found ($r, $name) {
    is($r->{status}, 200, $name) or diag($r->{body});
    return json_decode($r->{body} || '{}');
}

sub background ($who, $script, %body) {
    my $at = delete $body{at} // '/v1/responses';

    return found(as($who, POST => $at,
                    { model => 'm', input => 'hi', background => json_true,
                      %body }, script => $script),
                 "$script is begun in the background");
}

sub status ($who, $id) {
    my $r = as($who, GET => "/v1/responses/$id");
    return $r->{status} == 200 ? json_decode($r->{body})->{status} : '';
}

sub becomes ($who, $id, $status, $name) {
    my $r;

    wait_for(sub {
        $r = as($who, GET => "/v1/responses/$id");
        $r->{status} == 200
            && json_decode($r->{body})->{status} !~ /in_progress|queued/;
    }, 15);

    my $d = found($r, $name);
    is($d->{status}, $status, "$name: $status");

    return $d;
}

sub absent ($r, $name) {
    return error_ok($r, 404, $name, code => 'not_found', param => '',
                    message => 'there is no response with this id');
}


# it is answered at once, runs, and is complete

my $d = background('ann', 'slow', metadata => { a => 'b' });

is($d->{status}, 'in_progress', 'it has begun');
is($d->{background}, json_true, 'in the background');
is($d->{store}, json_true, 'stored');
is_deeply($d->{output}, [], 'without any output yet');
is_deeply($d->{metadata}, { a => 'b' }, 'what was sent is echoed');

is_deeply(found(as('ann', GET => "/v1/responses/$d->{id}"), 'it is polled'),
          $d, 'and as it was') for 1 .. 4;

absent(as('bob', $_->[0], "/v1/responses/$d->{id}$_->[1]"),
       "$_->[0] $_->[1]: nobody else knows of it")
    for [ GET => '' ], [ DELETE => '' ], [ GET => '/input_items' ],
        [ POST => '/cancel' ];

is(found(as('ann', GET => "/v1/responses/$d->{id}/input_items"),
         'its input')->{data}[0]{content}[0]{text}, 'hi', 'is there already');

error_ok(as('ann', POST => '/v1/responses',
            { model => 'm', input => 'x', previous_response_id => $d->{id} }),
         400, 'it cannot go on yet', param => 'previous_response_id');

ok($model->wait_file('started'), 'the model is called');
is($model->last_request->{headers}{'x-known'},
   "127.0.0.1 ann ANN 127.0.0.1 $port", 'with all that its request had');

$model->touch('go');

my $end = becomes('ann', $d->{id}, 'completed', 'it comes to its end');

is($end->{output}[0]{content}[0]{text}, 'Hello', 'with its output');
is($end->{background}, json_true, 'it still is one of the background');
is($end->{id}, $d->{id}, 'it keeps its id');

found(as('ann', POST => '/v1/responses',
         { model => 'm', input => 'x', previous_response_id => $d->{id} }),
      'now it can go on');

is(found(as('ann', POST => "/v1/responses/$d->{id}/cancel"),
         'it is cancelled too late')->{status}, 'completed',
   'and stays complete');

$t->finish;

done_testing();
