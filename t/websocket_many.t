#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Many of everything on one worker: 10,000 WebSockets that are idle (as many as
# TEST_NGINX_WEBSOCKETS says), 64 MB to a client that reads slowly, and more
# turns than wait by default.

use v5.36;
use POSIX ();
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Util qw( wait_for );
use ORS::WS;

my $n = $ENV{TEST_NGINX_WEBSOCKETS} || 10_000;
my $files = $n + 500;

# perl cannot raise its limit, but a shell can
if (POSIX::sysconf(POSIX::_SC_OPEN_MAX()) < $files) {
    plan(skip_all => "$files open files are not allowed, say "
                     . 'TEST_NGINX_WEBSOCKETS=n')
        if $ENV{ORS_WEBSOCKETS_RAISED}++;

    exec 'sh', '-c', 'ulimit -n $(ulimit -Hn); exec "$@"', 'sh', $^X,
        (map { "-I$_" } @INC), $0;
}

my $model = ORS::Model->new(scripts => {
    default => stream_script(text => 'Hello'),
    flood => [ sse_head(), [ flood => 'flooded', 16 ] ],
    wait => [ sse_head(), [ sse => chat_chunk(content => 'one') ],
              [ wait_file => 'go-on' ],
              [ sse => chat_chunk(finish => 'stop') ], [ 'done' ] ],
});

# a sixteenth is for new ones, which nginx else takes from idle connections

my $connections = int(1.2 * $files);

my $t = ORS::Nginx->new(model => $model, workers => 1,
                        main => "worker_rlimit_nofile $files;",
                        subst => { CONNECTIONS => $connections },
                        conf => <<'CONF');
    events {
        worker_connections %%CONNECTIONS%%;
    }

    http {
        server {
            listen 127.0.0.1:%%PORT_0%% backlog=4096;

            location /v1/ {
                open_responses on;
                open_responses_websocket on;
                open_responses_target default /to/chat;
            }

            %%CHAT /to/chat%%

            location = /status { open_responses_status json; }
        }
    }
CONF

$t->start;

my $port = $t->port;


sub opened ($n) {
    return wait_for(sub {
        get($port, '/status')->{json}{open_websockets} == $n;
    });
}


# ---- turns that wait, by default


{
    my $ws = ORS::WS->new($port);

    $ws->create(model => 'wait', input => 'x');
    is($ws->message->{type}, 'response.created', 'one turn runs');

    $ws->create(model => 'm', input => "number $_") for 1 .. 17;

    my $m;

    do { $m = $ws->message } until $m->{type} eq 'error';

    is($m->{status}, 429, '16 wait, one more is refused');

    $model->touch('go-on');
    ok($ws->turn, 'the one that ran ends');
    $ws->turn_ok("number $_", expect => 'completed') for 1 .. 16;

    is_deeply([ map { $_->{json}{messages}[-1]{content} }
                ($model->requests)[-16 .. -1] ],
              [ map { "number $_" } 1 .. 16 ], 'in the order of the messages');
    $ws->drop;
}


# ---- a client that reads slowly


{
    my $ws = ORS::WS->new($port);

    $ws->create(model => 'flood', input => 'x');
    is($ws->message->{type}, 'response.created', 'a long answer begins');
    ok($model->wait_flood_blocked('flooded'), 'and waits for its client');

    my ($least, $most, $got) = ($t->memory, 0, 0);

    while ($got < 64 * 1024 * 1024) {
        my $before = $got;

        $got += length(($ws->frame)[1]) while $got < $before + 1024 * 1024;

        my $memory = $t->memory;

        $most = $memory if $memory > $most;
    }

    diag(sprintf 'memory grew by %d bytes', $most - $least);

    # the text itself is there to the end, a tenth of what goes out

    SKIP: {
        skip 'a sanitizer keeps what is freed', 1 if $ENV{TEST_NGINX_ASAN};
        cmp_ok($most - $least, '<', 16 * 1024 * 1024,
               '64 MB go out, the worker does not grow by them');
    }

    $ws->drop;
}


# ---- idle connections


ok(opened(0), 'no connection is open');

{
    my $before = $t->memory;
    my @ws = map { ORS::WS->new($port) } 1 .. $n;

    is(scalar(grep { $_->{status} == 101 } @ws), $n, "$n connections");
    ok(opened($n), 'all are open');

    my $each = ($t->memory - $before) / $n;

    diag(sprintf '%d bytes for each', $each);

    SKIP: {
        skip 'a sanitizer takes more', 1 if $ENV{TEST_NGINX_ASAN};
        cmp_ok($each, '<', 24 * 1024, 'each takes less than 24 KB');
    }

    is($_->say('hi')->{status}, 'completed', 'a turn in one of them')
        for @ws[0, $n / 2, -1];

    $_->drop for @ws;
    ok(opened(0), 'none is open');
}

$t->finish;

done_testing();
