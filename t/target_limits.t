#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# "limit_req" and "limit_conn" in the locations of targets: beside those of
# the gateway's location, for each target of a failover, and once for a
# response that runs in the background.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get post_json http_start );
use ORS::JSON qw( json_encode json_true );
use ORS::Model qw( chat_reply json_script );
use ORS::Nginx;
use ORS::Stream qw( error_ok response_ok );
use ORS::Util qw( free_port slurp wait_for );

my $model = ORS::Model->new(scripts => {
    default => json_script(chat_reply(content => 'Hello')),
    stall   => [ [ touch => 'asked' ], [ wait_file => 'answer' ],
                 @{ json_script(chat_reply(content => 'Hello')) } ],
});

my @targets = qw( alone beside conn conn-beside first second background
                  background-conn );
my @zones = map { s/-/_/gr } @targets;

my $zones = join '', map { <<"CONF" } @zones;
    limit_req_zone \$server_addr zone=req_$_:32k rate=1r/m;
    limit_conn_zone \$server_addr zone=conn_$_:32k;
CONF

my $targets = join '', map { <<"CONF" } @targets;
        location = /to/$_ {
            internal;
            open_responses_dialect chat;
            limit_conn_status 429;
            limit_req_status 429;
            @{[ (/conn/ ? 'limit_conn conn_' : 'limit_req zone=req_')
                . s/-/_/gr . (/conn/ ? ' 1' : '') ]};
            proxy_pass http://@{[ /first|second/ ? '127.0.0.1:%%REFUSED%%'
                                  : '%%MODEL%%' ]}/chat;
        }
CONF

my $http = <<"HTTP";
$zones
    limit_req_zone \$server_addr zone=many:32k rate=1000r/s;
    limit_req_zone \$server_addr zone=both:32k rate=1r/m;
    limit_req_zone \$server_addr zone=again:32k rate=1r/m;
    limit_conn_zone \$server_addr zone=conn_many:32k;

    log_format verdict '\$uri \$status req=\$limit_req_status '
                       'conn=\$limit_conn_status';

    open_responses_store one lmdb:%%TESTDIR%%/one;
    open_responses_store_scope everybody;
    open_responses_flavor openai;
HTTP

my $conf = <<"CONF";
    server {
        listen 127.0.0.1:%%PORT_0%%;
        access_log %%TESTDIR%%/logs/verdict.log verdict;

        location /v1/ {
            open_responses on;
            open_responses_store one;
            open_responses_target default         /to/alone;
            open_responses_target conn            /to/conn;
            open_responses_target background      /to/background;
            open_responses_target background-conn /to/background-conn;
        }

        location /limited/ {
            open_responses on;
            limit_req zone=many burst=100 nodelay;
            limit_conn conn_many 100;
            open_responses_target default   /to/beside;
            open_responses_target stall     /to/conn-beside;
            open_responses_target conn      /to/conn-beside;
            open_responses_target failover  /to/first /to/second;
        }

$targets
    }

    server {
        listen 127.0.0.1:%%PORT_1%%;

        # one limit, that both locations inherit

        limit_req zone=both burst=1 nodelay;
        limit_req_status 429;

        location /v1/ {
            open_responses on;
            open_responses_target default /to/inherits;
        }

        %%CHAT /to/inherits /chat%%
    }
CONF

my $t = ORS::Nginx->new(model => $model, http => $http, conf => $conf,
                        subst => { REFUSED => free_port() });

$t->start;


sub ask ($at, $name = 'm', %more) {
    my $port = $t->port(delete $more{port} // 0);

    return post_json($port, "$at/responses",
                     { model => $name, input => 'hi', %more });
}


sub verdict ($line, $name) {
    ok(wait_for(sub { slurp($t->dir . '/logs/verdict.log')
                      =~ /^\Q$line\E$/m }), "$name: $line");
}


# rates

for (([ '/v1', 'alone', '-' ], [ '/limited', 'beside', 'PASSED' ])) {
    my ($at, $name, $conn) = @$_;

    response_ok(ask($at), $name, flavor => 'openai');
    verdict("$at/responses 200 req=PASSED conn=$conn", $name);

    error_ok(ask($at), 429, "$name: twice", code => 'rate_limit_exceeded');
    verdict("$at/responses 429 req=REJECTED conn=$conn", "$name: twice");
}


# several at once

{
    my $c = http_start($t->port, 'POST', '/limited/responses',
                       { 'Content-Type' => 'application/json' },
                       json_encode({ model => 'stall', input => 'hi' }));

    ok($model->wait_file('asked'), 'conn: one is under way');

    error_ok(ask('/limited', 'conn'), 429, 'conn: two at once');
    verdict('/limited/responses 429 req=PASSED conn=REJECTED',
            'conn: two at once');

    $model->touch('answer');
    response_ok($c->read_response, 'conn: the first one', flavor => 'openai');
    verdict('/limited/responses 200 req=PASSED conn=PASSED',
            'conn: the first one');
    $c->close;

    response_ok(ask('/limited', 'conn'), 'conn: one after the other',
                flavor => 'openai');
}


# each target of a failover has its own, and one that is full is the last

{
    error_ok(ask('/limited', 'failover'), 502, 'failover: both are down');

    my $mark = $t->log_mark;

    error_ok(ask('/limited', 'failover'), 429, 'failover: both are full');

    like($t->log_since($mark), qr/by zone "req_first"/,
         'failover: the limit of the first one');
    unlike($t->log_since($mark), qr/by zone "req_second"/,
           'failover: the second one is not charged');
}


# a limit that both inherit is charged once

response_ok(ask('/v1', 'm', port => 1), "inherited: request $_",
            flavor => 'openai') for 1, 2;
error_ok(ask('/v1', 'm', port => 1), 429, 'inherited: request 3');


# the client's request and the one in the background are one to the target

for my $name (qw( background background-conn )) {
    my $r = ask('/v1', $name, background => json_true);

    is($r->{status}, 200, "$name: it runs");
    ok(wait_for(sub { get($t->port, "/v1/responses/$r->{json}{id}")
                      ->{json}{status} eq 'completed' }), "$name: to its end");
}

error_ok(ask('/v1', 'background', background => json_true), 429,
         'background: twice', code => 'rate_limit_exceeded');
response_ok(ask('/v1', 'background-conn'),
            'background-conn: the place is free again', flavor => 'openai');


# where a limit is written is told by each configuration, also after a bad one

$t->provokes(qr/\[emerg\].* unknown directive "broken"/);

ok(!$t->reload($conf =~ s/limit_req zone=both/broken; $&/r), 'a bad one');
ok($t->reload($conf =~ s/zone=both/zone=again/r), 'a good one');

response_ok(ask('/v1', 'm', port => 1), "inherited again: request $_",
            flavor => 'openai') for 1, 2;
error_ok(ask('/v1', 'm', port => 1), 429, 'inherited again: request 3');

$t->finish;
done_testing();
