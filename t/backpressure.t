#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# A slow client slows the model down, and nothing piles up between them; a
# long stream takes no memory but that of its text.

use v5.36;
use Socket qw( SOL_SOCKET SO_RCVBUF SO_SNDBUF );
use Test::More;
use Time::HiRes qw( time );
use lib 't/lib';
use ORS::H2;
use ORS::HTTP qw( request post_json http_start request_text );
use ORS::JSON qw( json_encode );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( stream_ok response_ok );
use ORS::Util qw( wait_for );

use constant { MB => 1024 * 1024, DELTA => 1000 };

my $asan = $ENV{TEST_NGINX_ASAN};

# bytes that sockets hold themselves; the model's has a small buffer
my $sockets = 1.8 * MB;


sub sse ($data) { 'data: ' . json_encode($data) . "\n\n" }


# up to a limit, then the end

sub flood ($name, $limit) {
    return sub ($conn, $r) {
        setsockopt $conn->{sock}, SOL_SOCKET, SO_SNDBUF, 16384;
        $conn->_step_header('Content-Type', 'text/event-stream');
        $conn->_step_flood($name, DELTA, $limit);
        $conn->_step_sse(chat_chunk(finish => 'stop'));
        $conn->_step_done;
    };
}

my $delta = sse(chat_chunk(content => 'x'));

my $model = ORS::Model->new(scripts => {
    (map { ($_ => flood($_, 2.5 * MB)) } qw( http1 http2 trickled )),
    (map { ($_ => flood($_, 100 * MB)) } qw( never leaves )),
    (map { ($_ => flood($_, 1 * MB)) } qw( queue-4k gzip )),
    'queue-1m' => flood('queue-1m', 3 * MB),
    rated => stream_script(text => [ ('x' x DELTA) x 150 ]),
    plain => json_script(chat_reply(content => 'y' x (2 * MB))),

    # goes on for as long as it can
    'goes-on' => sub ($conn, $r) {
        $conn->_step_header('Content-Type', 'text/event-stream');
        $conn->_step_flood('goes-on', DELTA, 300_000);

        eval {
            for (1 .. 200) {
                $conn->body(sse(chat_chunk(content => 'x' x DELTA)));
                select undef, undef, undef, 0.05;
            }
        };

        $conn->touch('goes-on-gone');
    },

    # many events in a packet
    many => [ sse_head(), [ raw => $delta x 1000 ], [ touch => 'many-1000' ],
              [ wait_file => 'many-go' ],
              (map { [ raw => $delta x 1000 ] } 1 .. 199),
              [ touch => 'many-sent' ], [ wait_file => 'many-end' ],
              [ sse => chat_chunk(finish => 'stop') ], [ 'done' ] ],

    # one event in a packet
    single => [ sse_head(), [ repeat => 500, [ raw => $delta ] ],
                [ touch => 'single-500' ], [ wait_file => 'single-go' ],
                [ repeat => 10_000, [ raw => $delta ] ],
                [ touch => 'single-sent' ], [ wait_file => 'single-end' ],
                [ sse => chat_chunk(finish => 'stop') ], [ 'done' ] ],
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    open_responses_target default /to/model;

    server {
        listen 127.0.0.1:%%PORT_0%% sndbuf=64k;
        listen 127.0.0.1:%%PORT_1%% http2 sndbuf=64k;
        listen 127.0.0.1:%%PORT_2%%;

        location /v1/ { open_responses on; }

        location /short/ {
            open_responses on;
            send_timeout 300ms;
        }

        location /short-1m/ {
            open_responses on;
            open_responses_limits queue=1m;
            send_timeout 3s;
        }

        location /rate/ {
            open_responses on;
            limit_rate 300k;
        }

        location /queue-4k/ {
            open_responses on;
            open_responses_limits queue=4k;
        }

        location /queue-1m/ {
            open_responses on;
            open_responses_limits queue=1m;
        }

        location /gzip/ {
            open_responses on;
            gzip on;
            gzip_types text/event-stream;
        }

        location = /to/model {
            internal;
            open_responses_dialect chat;
            proxy_http_version 1.1;
            proxy_pass http://%%MODEL%%/chat;
        }
    }
CONF

$t->start;

my $pid = ($t->workers)[0];
my %json = ('Content-Type' => 'application/json');


sub body ($name, $stream = 1) {
    return json_encode({ model => $name, input => 'hi',
                         stream => $stream ? \1 : \0 });
}


sub slow_client ($name, $at = '/v1', %headers) {
    my $c = ORS::HTTP::Conn->new($t->port, rcvbuf => 4096);

    $c->write(request_text('POST', "$at/responses", { %json, %headers },
                           body($name)));

    return $c;
}


# the bytes that the model could send

sub blocked ($name, $how = $name) {
    my $bytes = $model->wait_flood_blocked($name);

    ok($bytes, "$how: the model is blocked");

    return $bytes // 1e9;
}


sub whole ($c, $name, $n = undef) {
    setsockopt $c->{fh}, SOL_SOCKET, SO_RCVBUF, MB;

    my $r = defined $n ? $c->read_response($n) : $c->read_response;
    my $s = stream_ok($r, "$name: all of it comes");
    my $deltas = length($s->text) / DELTA;

    is($s->count('response.output_text.delta'), $deltas,
       "$name: each delta");
    cmp_ok($deltas * DELTA, '>', 0.8 * $model->flooded($name),
           "$name: as many as were sent");
}


post_json($t->port, '/v1/responses', body('warm'));

# a client that reads nothing for a while

{
    my $before = $t->memory($pid);
    my $c = slow_client('http1');

    cmp_ok(blocked('http1'), '<', $sockets, 'http1: soon');
    cmp_ok($t->memory($pid) - $before, '<', 2 * MB, 'http1: little memory');

    post_json($t->port, '/v1/responses', body('others'));
    is($model->last_request->{name}, 'default', 'http1: others are served');
    ok(!$model->exists('http1.end'), 'http1: and the model waits');
    whole($c, 'http1');
    $c->close;

    my $n;

    $before = $t->memory($pid);
    $c = ORS::H2->new($t->port(1), window => 20_000);
    $n = $c->send('POST', '/v1/responses', \%json, body('http2'));

    cmp_ok(blocked('http2'), '<', $sockets, 'http2: soon');
    cmp_ok($t->memory($pid) - $before, '<', 3 * MB, 'http2: little memory');
    $c->wait_body($n, qr/.{20000}/s);
    is(length $c->body($n), 20_000, 'http2: as much as the window');

    my $m = $c->send('POST', '/v1/responses', \%json, body('m', 0));

    response_ok($c->read_response($m), 'http2: another stream');

    # the windows of both, which have been too small
    $c->{window} = undef;
    $c->open_window($n, 1 << 20);
    whole($c, 'http2', $n);
    $c->close;
}


# one that reads a little at a time

{
    my $c = slow_client('trickled');

    $c->read_slow(1000, 0.001, 100) for 1 .. 3;
    ok(!$model->exists('trickled.end'), 'trickled: the model waits');
    whole($c, 'trickled');
    $c->close;
}


# one that never reads, or leaves

{
    my $c = slow_client('never', '/short');

    ok($model->wait_file('never.end'), 'never: the model is disconnected');
    is($model->file('never.end'), 'gone', 'never: by its connection');
    ok($t->wait_log(qr/client timed out/), 'never: the log says why');
    ok($c->is_closed, 'never: the client is cut off');
    ok(!$c->{p}{done}, 'never: which it can see');
    $c->close;

    $c = slow_client('goes-on', '/short-1m');
    ok($model->wait_file('goes-on-gone'), 'goes on: the model is disconnected');
    cmp_ok($model->flooded('goes-on'), '>=', 300_000,
           'goes on: it was not held up');
    $c->close;

    $c = slow_client('leaves');
    blocked('leaves');
    $c->reset;
    ok($model->wait_file('leaves.end'), 'leaves: the model is disconnected');
}


# a pace that nginx sets

{
    my $start = time;
    my $c1 = http_start($t->port, 'POST', '/rate/responses', \%json,
                        body('rated'));
    my $c2 = ORS::H2->new($t->port(1));
    my $n = $c2->send('POST', '/rate/responses', \%json, body('rated'));

    for (([ 'limit_rate', $c1->read_response ],
          [ 'limit_rate, HTTP/2', $c2->read_response($n) ]))
    {
        my ($name, $r) = @$_;
        my $s = stream_ok($r, $name);

        is(length $s->text, 150 * DELTA, "$name: text");
    }

    cmp_ok(time - $start, '>', 0.8, 'limit_rate: it takes its time');
    $_->close for $c1, $c2;
}


# how much waits in between

{
    my %bytes;

    for my $name (qw( queue-4k queue-1m )) {
        my $c = slow_client($name, "/$name");

        $bytes{$name} = blocked($name);

        # a delta is longer here than at the model's

        ok(wait_for(sub { $model->flooded($name)
                          > $bytes{'queue-4k'} + 0.5 * MB }), "$name: more")
            if $name eq 'queue-1m';

        cmp_ok($model->flooded($name), '<', $bytes{'queue-4k'} + 2.5 * MB,
               "$name: and no more than that");
        whole($c, $name);
        $c->close;
    }

    cmp_ok($bytes{'queue-4k'}, '<', $sockets, 'queue=4k');
}


# behind a filter with buffers of its own

{
    my $c = slow_client('gzip', '/gzip', 'Accept-Encoding' => 'gzip');

    # x is compressed so well that nobody waits
    my $r = $c->read_response;

    is($r->{headers}{'content-encoding'}, 'gzip', 'gzip: it is');
    ok($r->{complete}, 'gzip: complete');
    $c->close;
}


# an answer in one piece

{
    my $c = ORS::HTTP::Conn->new($t->port, rcvbuf => 4096);

    $c->write(request_text('POST', '/v1/responses', \%json,
                           body('plain', 0)));
    $c->read_slow(1000, 0.001, 50);

    my $d = response_ok($c->read_response, 'plain');

    is(length $d->text, 2 * MB, 'plain: all of it comes');
    $c->close;
}


# memory of long streams

for (([ many => 1000, 200_000 ]), [ single => 500, 10_500 ]) {
    my ($name, $first, $all) = @$_;

    my $c = http_start($t->port(2), 'POST', '/v1/responses', \%json,
                       body($name));
    my $got = 0;
    my $tail = '';

    # deltas are only counted here: looking at all takes perl too long

    my $read = sub ($n) {
        while ($got < $n) {
            my $in = '';

            vec(my $r = '', fileno $c->fh, 1) = 1;
            select $r, undef, undef, 20 or last;
            sysread $c->fh, $in, MB or last;
            $tail .= $in;
            $got += () = $tail =~ /^event: response\.output_text\.delta\n/mg;
            $tail = $tail =~ /([^\n]*)\z/ ? $1 : '';
        }
    };

    $read->($first);
    ok($model->wait_file("$name-$first"), "$name: the beginning");

    my $before = $t->memory($pid);

    $model->touch("$name-go");
    $read->($all);
    is($got, $all, "$name: $all deltas");

    my $grown = $t->memory($pid) - $before;

    cmp_ok($grown, '<', $asan ? 8 * MB : MB,
           "$name: no memory but for the text")
        or diag("grown by $grown");
    $model->touch("$name-end");
    $read->(1e9) if $tail !~ /DONE/;
    $c->close;
}

$t->finish;

done_testing();
