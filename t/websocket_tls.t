#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# WebSockets through TLS, and with limit_rate.

use v5.36;
use POSIX ();
use Socket qw( AF_UNIX SOCK_STREAM PF_UNSPEC );
use Test::More;
use lib 't/lib';
use ORS::JSON qw( json_false );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::WS;

my $model = ORS::Model->new(scripts => {
    default => stream_script(text => 'Hello'),
    long => stream_script(text => [ ('x' x 1000) x 200 ]),
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    ssl_certificate      %%TESTDIR%%/cert.pem;
    ssl_certificate_key  %%TESTDIR%%/key.pem;

    open_responses_target default /to/chat;

    server {
        listen 127.0.0.1:%%PORT_0%% ssl http2;
        listen 127.0.0.1:%%PORT_1%%;

        location /v1/ {
            open_responses on;
            open_responses_websocket on;
        }

        location /rate/ {
            limit_rate 200k;
            open_responses on;
            open_responses_websocket on;
        }

        %%CHAT /to/chat%%
    }
CONF

my $dir = $t->dir;

system('openssl req -x509 -nodes -days 2 -newkey ec '
       . '-pkeyopt ec_paramgen_curve:prime256v1 -subj /CN=localhost '
       . "-keyout $dir/key.pem -out $dir/cert.pem 2>$dir/openssl.log") == 0
    or die "openssl makes no certificate\n";

$t->start;


# a socket whose other end is openssl's client

sub tls () {
    socketpair my $mine, my $its, AF_UNIX, SOCK_STREAM, PF_UNSPEC
        or die "socketpair: $!\n";

    my $pid = fork // die "cannot fork: $!\n";

    if ($pid == 0) {
        close $mine;
        open STDIN, '<&', $its;
        open STDOUT, '>&', $its;
        open STDERR, '>', "$dir/client.log";
        exec qw( openssl s_client -quiet -connect ), $t->address
            or POSIX::_exit(127);
    }

    close $its;
    return ($mine, $pid);
}

{
    my ($socket, $pid) = tls();
    my $ws = ORS::WS->new(0, socket => $socket);

    is($ws->{status}, 101, 'a handshake');

    my $r = $ws->say('hi', store => json_false);

    $ws->say('more', after => $r);
    $ws->create(model => 'long', input => 'x');
    is(length $ws->turn_ok('a long turn', expect => 'completed')->text,
       200_000, 'its text');
    $ws->send_frame(0x89, 'p');
    is(($ws->frame)[0], 10, 'a pong');
    $ws->close;
    is($ws->closed, 1000, 'a close');
    waitpid $pid, 0;
}

{
    my $ws = ORS::WS->new($t->port(1), path => '/rate/responses');

    $ws->create(model => 'long', input => 'x');
    $ws->turn_ok('a turn at a low rate', expect => 'completed');
    $ws->say('hi', name => 'and another one');
    $ws->drop;
}

$t->finish;

done_testing();
