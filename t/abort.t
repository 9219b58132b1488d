#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# A client that leaves, at any time and in any way, takes its upstream
# request with it at once; one that stays leaves the connection to the model
# server to the next.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::H2;
use ORS::HTTP qw( request post_json http_start request_text );
use ORS::JSON qw( json_encode );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( stream_ok response_ok error_ok );
use ORS::Util qw( wait_for );

# tells how its peer left, and when

sub until_gone (@steps) {
    return sub ($conn, $r) {
        $conn->_play(\@steps, 0);
        $conn->touch('there');
        $conn->touch('gone', $conn->{why}) if $conn->wait_gone;
        $conn->_shut;
    };
}

my $ends = [ [ sse => chat_chunk(content => 'Hello') ],
             [ sse => chat_chunk(finish => 'stop') ] ];

my $model = ORS::Model->new(scripts => {
    silent => until_gone(),
    'no-body' => until_gone(sse_head(), [ 'head' ]),
    stream => until_gone(sse_head(),
                         [ sse => chat_chunk(content => 'Hello') ]),
    document => until_gone([ header => 'Content-Type', 'application/json' ],
                           [ raw => '{"choices":[' ]),

    # the last chunk in a packet of its own, when the test says so
    later => [ sse_head(), @$ends, [ 'done' ], [ wait_file => 'end' ] ],
    'later-plain' => [ [ header => 'Content-Type', 'application/json' ],
                       [ raw => json_encode(chat_reply(content => 'a')) ],
                       [ wait_file => 'end' ] ],
    'never-ends' => until_gone(sse_head(), @$ends, [ 'done' ]),
    'talks-on' => sub ($conn, $r) {
        $conn->_step_header('Content-Type', 'text/event-stream');
        $conn->_play($ends, 0);
        $conn->_step_done;
        local $conn->{stand_still} = 5;
        local $conn->{on_still} = sub { };
        eval { $conn->_step_sse(chat_chunk(content => 'x' x 1000)) while 1 };
        $conn->touch('gone');
        $conn->_shut;
    },
    fails => [ sse_head(), $ends->[0],
               [ sse => { error => { message => 'no' } } ],
               [ hang => 'gone' ] ],
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    upstream kept {
        server %%MODEL%%;
        keepalive 4;
    }

    # only a client that leaves ends a call

    proxy_read_timeout 10m;
    open_responses_heartbeat 0;

    server {
        listen 127.0.0.1:%%PORT_0%%;
        listen 127.0.0.1:%%PORT_1%% http2;

        location /v1/ {
            open_responses on;
            open_responses_target default /to/model;
        }

        location /kept/ {
            open_responses on;
            open_responses_target default /to/kept;
        }

        %%CHAT /to/model /chat%%

        location = /to/kept {
            internal;
            open_responses_dialect chat;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_pass http://kept/chat;
        }
    }
CONF

$t->start;

my $port = $t->port;
my %json = ('Content-Type' => 'application/json');


sub body ($name, $stream = 1) {
    return json_encode({ model => $name, input => 'hi',
                         stream => $stream ? \1 : \0 });
}


sub is_gone ($name) {
    ok($model->wait_file('gone'), "$name: upstream closed");
    $model->untouch(qw( there gone ));
}


# before the body is complete nothing has begun

for my $leave (qw( close reset half_close )) {
    my $c = http_start($port, 'POST', '/v1/responses',
                       { %json, 'Content-Length' => 1000 }, body('silent'));

    $c->$leave;
    ok($t->wait_log(qr/client prematurely closed|reset by peer/),
       "$leave within the body");
    $c->close;
}

{
    my $c = ORS::H2->new($t->port(1));
    my $n = $c->send('POST', '/v1/responses', \%json);

    $c->data($n, '{"model":"silent"');
    $c->rst($n);
    $n = $c->send('POST', '/v1/responses', \%json, '{}');
    error_ok($c->read_response($n), 400, 'a stream after one that was reset');
    $n = $c->send('POST', '/v1/responses', \%json);
    $c->data($n, '{"model":"silent"');
    $c->close;
}

is($model->count, 0, 'no half request goes to the model');


# while the model is silent, before and after its head, and in mid-stream

for my $way (qw( /v1 /kept )) {
    for my $name (qw( silent no-body stream document )) {
        for my $leave (qw( close reset half_close )) {
            my $c = http_start($port, 'POST', "$way/responses", \%json,
                               body($name, $name ne 'document'));

            ok($model->wait_file('there'), "$way, $name, $leave: called");
            $c->wait_body(qr/Hello/) if $name eq 'stream';
            $c->$leave;
            is_gone("$way, $name, $leave");
            $c->close;
        }

        for my $leave (qw( rst close )) {
            my $c = ORS::H2->new($t->port(1));
            my $other = $c->send('POST', "$way/responses", \%json);
            my $n = $c->send('POST', "$way/responses", \%json,
                             body($name, $name ne 'document'));

            ok($model->wait_file('there'),
               "$way, $name, HTTP/2 $leave: called");
            $c->wait_body($n, qr/Hello/) if $name eq 'stream';
            $leave eq 'rst' ? $c->rst($n) : $c->close;
            is_gone("$way, $name, HTTP/2 $leave");

            if ($leave eq 'rst') {
                $c->data($other, body('m'), 1);
                stream_ok($c->read_response($other),
                          "$way, $name, HTTP/2 $leave: another stream");
                $c->close;
            }
        }
    }
}


# a stream is right up to the byte where its client left

{
    my $c = http_start($port, 'POST', '/v1/responses', \%json,
                       body('stream'));

    ok($c->wait_body(qr/Hello/), 'the beginning comes');
    stream_ok($c->body, 'the beginning of a stream', partial => 1);
    $c->close;
    is_gone('the beginning');
}


# a connection to the model is used again


sub logged () { scalar(() = $t->access_log =~ /\n/g) }


# and waits until the model's connection is ready for the next

sub ask ($name, $stream = 1) {
    my $lines = logged();
    my $r = post_json($port, '/kept/responses', body($name, $stream));

    wait_for(sub { $lines < logged() });

    return $r;
}


stream_ok(ask('m'), 'kept: the first');
my $conn = $model->last_request->{conn};

for my $n (1 .. 3) {
    stream_ok(ask('m'), "kept: stream $n");
    response_ok(ask('m', 0), "kept: plain $n");
}

is($model->last_request->{conn}, $conn, 'kept: one connection for all');

# the client has everything before the model's connection is at its end

for my $name (qw( later later-plain )) {
    my $lines = logged();

    $model->untouch('end');

    if ($name eq 'later') {
        my $c = http_start($port, 'POST', '/kept/responses', \%json,
                           body($name));

        ok($c->wait_body(qr/\[DONE\]\n\n\z/), "$name: all of it has come");
        $model->touch('end');
        stream_ok($c->read_response, "$name: answer");
        $c->close;
        wait_for(sub { $lines < logged() });

    } else {
        $model->touch('end');
        response_ok(ask($name, 0), "$name: answer");
    }

    stream_ok(ask('m'), "$name: the next");
    is($model->last_request->{conn}, $conn, "$name: the same connection");
}

# the client's connection is also used again, at once or soon

{
    my $c = ORS::HTTP::Conn->new($port);
    my @o = (conn => $c, keepalive => 1);
    my $lines = logged();

    $model->untouch('end');

    http_start($port, 'POST', '/kept/responses', \%json, body('later'), @o);
    ok($c->wait_body(qr/\[DONE\]\n\n\z/), 'kept by both: all of it');
    $c->write(request_text('POST', '/kept/responses', \%json, body('m', 0),
                           @o));
    $model->touch('end');
    stream_ok($c->read_response, 'kept by both: the first');
    response_ok($c->read_response, 'kept by both: the second');
    is($model->last_request->{conn}, $conn,
       'kept by both: the same connection');
    ok(wait_for(sub { $lines + 2 <= logged() }), 'kept by both: logged');

    $c->close;
}

# a client that leaves while the end is waited for has had all

for my $h2 (0, 1) {
    my $name = 'left in the end' . ($h2 ? ', HTTP/2' : '');
    my $lines = logged();

    $model->untouch('end');

    if ($h2) {
        my $c = ORS::H2->new($t->port(1));
        my $n = $c->send('POST', '/kept/responses', \%json, body('later'));

        stream_ok($c->read_response($n), $name);
        $c->close;

    } else {
        my $c = http_start($port, 'POST', '/kept/responses', \%json,
                           body('later'));

        ok($c->wait_body(qr/\[DONE\]\n\n\z/), $name);
        $c->close;
    }

    $model->touch('end');
    wait_for(sub { $lines < logged() });
    stream_ok(ask('m'), "$name: the next");
    is($model->last_request->{conn}, $conn, "$name: the same connection");
}

for my $name (qw( never-ends talks-on )) {
    my $r = ask($name);

    stream_ok($r, "$name: the client has all");
    is($r->{body} =~ /xxx/, '', "$name: and no more");
    ok($model->wait_file('gone'), "$name: upstream closed");
    $model->untouch(qw( there gone ));
}

stream_ok(ask('fails'), 'an error in the stream', expect => 'failed');
is_gone('an error in the stream');

ok($t->wait_log(qr/does not end its stream/), 'the log has a word on it');
like($t->access_log, qr/ 499 /, 'the status of a client that left');

my $files = $t->open_files;

cmp_ok($files, '<', 40, 'no descriptors are left open');

$t->finish;

done_testing();
