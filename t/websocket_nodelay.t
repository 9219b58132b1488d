#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The socket of a WebSocket has TCP_NODELAY, unless "tcp_nodelay off" is
# configured: nginx's debug log says when it sets the option.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Nginx;
use ORS::Util qw( slurp wait_for );
use ORS::WS;

my $nginx = $ENV{TEST_NGINX_BINARY} || '/usr/sbin/nginx';

plan skip_all => 'nginx is built without --with-debug'
    if `$nginx -V 2>&1` !~ /--with-debug/;

my $t = ORS::Nginx->new(conf => <<'CONF');
    server {
        listen 127.0.0.1:%%PORT_0%%;
        open_responses_target default /to/chat;

        location /v1/ {
            error_log %%TESTDIR%%/logs/on.log debug;
            open_responses on;
            open_responses_websocket on;
        }

        location /off/ {
            error_log %%TESTDIR%%/logs/off.log debug;
            tcp_nodelay off;
            open_responses on;
            open_responses_websocket on;
        }

        location = /to/chat {
            internal;
            open_responses_dialect chat;
            proxy_pass http://127.0.0.1:1;
        }
    }
CONF

$t->start;

for my $case ([ v1 => 'on', 1 ], [ off => 'off', 0 ]) {
    my ($where, $log, $n) = @$case;
    my $ws = ORS::WS->new($t->port, path => "/$where/responses");

    is($ws->{status}, 101, "$log: a WebSocket");
    $ws->close;
    is($ws->closed, 1000, "$log: its end");

    my $lines;

    ok(wait_for(sub {
        $lines = slurp($t->dir . "/logs/$log.log");
        return $lines =~ /ors ws: finalized/;
    }), "$log: the log has all of it");

    is(() = $lines =~ /[*]\d+ tcp_nodelay$/mg, $n,
       "$log: the option is " . ($n ? 'set once' : 'not set'));
}

$t->finish;

done_testing();
