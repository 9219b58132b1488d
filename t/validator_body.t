#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Bodies and connections before and after a validator: how requests come in,
# how they go out, connections that stay, HTTP/2, servers that fail.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::H2;
use ORS::HTTP qw( get http_start post_json request request_text );
use ORS::JSON qw( json_encode json_true );
use ORS::Model;
use ORS::Nginx;
use ORS::Sample;
use ORS::Stream qw( error_ok stream_ok );
use ORS::Util qw( wait_for );

my $whole = json_encode(response('completed', model => 'parrot-1', output => [
    message('msg_1', 'completed', output_text('Hello')) ]));
my $stream = render(good());
my @sse = ([ header => 'Content-Type', 'text/event-stream' ]);

my $model = ORS::Model->new(scripts => {
    whole  => [ [ json => $whole ] ],
    stream => [ @sse, [ raw => $stream ] ],
    broken => [ [ json => '{"id":"resp_1"}' ] ],
    late   => [ @sse, [ raw => $stream ], [ raw => "data: x\n\n" x 100 ] ],
    slow   => [ [ hang => 'slow-gone' ] ],
    never  => [ [ wait_file => 'no-such-file' ] ],
    stops  => [ @sse, [ raw => (split /(?<=\n\n)/, $stream)[0] ],
                [ hang => 'stops-gone' ] ],
    reset  => [ [ 'reset' ] ],
    rst    => [ @sse, [ raw => (split /(?<=\n\n)/, $stream)[0] ],
                [ 'reset' ] ],
    bytes  => [ [ wire => "HTTP/1.1 nonsense\r\n\r\n" ], [ 'close' ] ],
    closes => [ [ 'close' ] ],
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    upstream kept {
        server %%MODEL%%;
        keepalive 4;
    }

    upstream two {
        server %%MODEL%%;
        server 127.0.0.1:1 backup;
    }

    client_body_buffer_size 1k;
    client_max_body_size 40m;
    proxy_http_version 1.1;
    proxy_set_header Connection "";

    server {
        listen 127.0.0.1:%%PORT_0%%;
        listen 127.0.0.1:%%PORT_1%% http2;

        open_responses_validate on any_path;
        open_responses_websocket pass;

        location /v1/ { proxy_pass http://%%MODEL%%/v1/; }
        location /kept/ { proxy_pass http://kept/v1/; }

        location /strip/ {
            open_responses_unknown_fields strip;
            proxy_pass http://kept/v1/;
        }

        location /unbuffered/ {
            proxy_request_buffering off;
            proxy_pass http://kept/v1/;
        }

        location /file/ {
            client_body_in_file_only clean;
            proxy_pass http://kept/v1/;
        }

        location /short/ {
            proxy_read_timeout 2s;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /none/ { proxy_pass http://127.0.0.1:1/v1/; }

        location /next/ {
            proxy_next_upstream error timeout http_502 non_idempotent;
            proxy_pass http://two/v1/;
        }
    }
CONF

$t->start;
$t->provokes(qr/connect\(\) failed/);

my $ask = { model => 'parrot-1', input => 'hi' };
my $bad = { model => 'parrot-1', input => 7 };
my %json = ('Content-Type' => 'application/json', 'X-Script' => 'whole');
my @ways = qw( v1 kept unbuffered file strip );

# a body of this many bytes, and one that has a mistake at its end
sub of_size ($n) {
    my $text = sub ($pad) { qq({"model":"parrot-1","input":"$pad"}) };

    return $text->('x' x ($n - length $text->('')));
}

sub wrong_of_size ($n) { of_size($n - 11) =~ s{\}\z}{,"top_p":"5"\}}r }

sub sent () { $model->last_request->{body} }


# how requests come in

for my $at (@ways) {
    for my $size (60, 1000, 1100, 20_000, 2_000_000) {
        my $body = of_size($size);

        is(post_json($t->port, "/$at/responses", $body, headers => \%json)
           ->{body}, $whole, "$at: $size bytes");
        ok(sent() eq $body, "$at: $size bytes, as they came");
    }

    my $body = of_size(20_000);

    is(post_json($t->port, "/$at/responses", $body, headers => \%json,
                 chunked => 4096)->{body}, $whole, "$at: chunks");
    ok(sent() eq $body, "$at: chunks, as they came");

    my $count = $model->count;

    for my $size (100, 20_000) {
        error_ok(post_json($t->port, "/$at/responses", wrong_of_size($size),
                           headers => \%json), 400,
                 "$at: a mistake in $size bytes", param => 'top_p');
    }

    error_ok(post_json($t->port, "/$at/responses", wrong_of_size(5000),
                       headers => \%json, chunked => 100), 400,
             "$at: a mistake in chunks", param => 'top_p');
    is($model->count, $count, "$at: nothing of it goes on");

    $body = of_size(200);
    post_json($t->port, "/$at/responses", $body, headers => \%json,
              chunked => 1);
    is(sent(), $body, "$at: chunks of one byte");

    my $c = ORS::HTTP::Conn->new($t->port);
    my $text = request_text('POST', "/$at/responses", \%json, $body);

    ok($c->write_slow($text, 1, 0), "$at: byte by byte");
    is($c->read_response->{body}, $whole, "$at: byte by byte, answered");
    is(sent(), $body, "$at: byte by byte, as it came");
}

{
    my $pad = 'y' x 30_000;
    my $body = qq({"model":"parrot-1","x":"$pad","input":"hi"});

    for my $o ({}, { chunked => 1000 }) {
        my $r = post_json($t->port, '/strip/responses', $body,
                          headers => \%json, %$o);

        is($r->{body}, $whole, 'a large key that is left out');
        is(sent(), '{"model":"parrot-1","input":"hi"}', 'it is not sent');
    }
}


# connections of clients

{
    my %keep = (keepalive => 1);
    my $c = ORS::HTTP::Conn->new($t->port);
    my $post = sub ($body, %h) {
        request_text('POST', '/kept/responses', { %json, %h }, $body,
                     keepalive => 1);
    };
    my $good = json_encode($ask);
    my $wrong = json_encode($bad);

    $c->{method} = 'POST';
    $c->write(join '', map { $post->(@$_) } [ $good ], [ $wrong ],
              [ $good, 'X-Script' => 'broken' ], [ $good ], [ '{' ],
              [ of_size(3000) ], [ wrong_of_size(3000) ], [ $good ]);

    my @got = map { $c->read_response->{status} } 1 .. 8;

    is("@got", '200 400 502 200 400 200 400 200', 'eight at once');

    my $mark = 0;

    for my $status (200, 400, 502, 200) {
        my %h = $status == 502 ? ('X-Script' => 'broken') : ();

        $c->write($post->($status == 400 ? $wrong : $good, %h));
        is($c->read_response->{status}, $status, "one after the other $status");
    }

    $c->write($post->($good, 'X-Script' => 'broken',
                      'Content-Type' => 'text/plain'));
    is($c->read_response->{status}, 415, 'another type');
    $c->write($post->($good));
    is($c->read_response->{body}, $whole, 'the connection is still there');

    $c->write(request_text('POST', '/kept/responses',
                           { %json, Expect => '100-continue',
                             'Content-Length' => length $good }, undef,
                           keepalive => 1));
    $c->write($good);

    my $r = $c->read_response;

    is_deeply($r->{interim}, [ 100 ], 'Expect: 100-continue');
    is($r->{body}, $whole, 'Expect: the answer');
    $c->close;

    $r = request($t->port, 'POST', '/v1/responses',
                 { 'Content-Type' => 'text/plain', Expect => '100-continue',
                   'Content-Length' => length $good });
    error_ok($r, 415, 'Expect: another type');
    is_deeply($r->{interim}, [], 'Expect: no body is asked for in vain');

    $r = request($t->port, 'POST', '/v1/responses', \%json, $good,
                 version => '1.0');
    is($r->{body}, $whole, 'HTTP/1.0');

    $r = post_json($t->port, '/v1/responses', { %$ask, stream => json_true },
                   headers => { %json, 'X-Script' => 'stream' },
                   version => '1.0');
    is($r->{framing}, 'close', 'HTTP/1.0: a stream ends with its connection');
    is($r->{body}, $stream, 'HTTP/1.0: a stream');
}


# HTTP/2

{
    my $c = ORS::H2->new($t->port(1));
    my $n = $c->send('POST', '/kept/responses', \%json, json_encode($ask));

    is($c->read_response($n)->{body}, $whole, 'HTTP/2');

    $n = $c->send('POST', '/kept/responses', \%json);
    $c->data($n, $_) for split //, json_encode($ask);
    $c->data($n, '', 1);
    is($c->read_response($n)->{body}, $whole, 'HTTP/2, byte by byte');
    is(sent(), json_encode($ask), 'HTTP/2, as it came');

    my @both = map { $c->send('POST', '/kept/responses', \%json, $_) }
               json_encode($bad), json_encode($ask), of_size(15_000),
               wrong_of_size(15_000);

    is(join(' ', map { $c->read_response($_)->{status} } @both),
       '400 200 200 400', 'HTTP/2: four at once');

    $n = $c->send('POST', '/kept/responses', { %json,
                                               'X-Script' => 'stream' },
                  json_encode({ %$ask, stream => json_true }));
    stream_ok($c->read_response($n), 'HTTP/2: a stream');
    $c->close;
}


# connections to servers

{
    my $before = $model->connections;
    my $post = sub ($script, %more) {
        return post_json($t->port, '/kept/responses', { %$ask, %more },
                         headers => { %json, 'X-Script' => $script });
    };

    is($post->('whole')->{status}, 200, 'kept: a good one') for 1 .. 5;
    is($post->('broken')->{status}, 502, 'kept: a broken one') for 1 .. 5;
    ok($model->connections - $before <= 1, 'kept: one connection')
        or diag('there were ', $model->connections - $before);

    # one that has ended for the client may still be read to its end

    my ($last, $conn) = (0, 0);

    ok(wait_for(sub {
        stream_ok($post->('stream', stream => json_true), 'kept: a stream');

        ($last, $conn) = ($conn, $model->last_request->{conn});
        return $last == $conn;
    }), 'kept: the connection of a stream');

    stream_ok($post->('late', stream => json_true),
              'what comes after a stream is not seen');
    is($post->('whole')->{status}, 200, 'nor by the next one') for 1 .. 3;
}


# servers that fail

{
    my %stream = (%$ask, stream => json_true);
    my $post = sub ($at, $script, $body = $ask) {
        return post_json($t->port, "/$at/responses", $body,
                         headers => { %json, 'X-Script' => $script });
    };

    error_ok($post->('none', 'whole'), 502, 'no server is there',
             code => 'upstream_unavailable');
    error_ok($post->('v1', $_), 502, "the server: $_",
             code => 'upstream_unavailable') for qw( reset closes );
    error_ok($post->('v1', 'bytes'), 502, 'the server does not speak HTTP',
             code => 'invalid_upstream_answer');
    error_ok($post->('short', 'never'), 504, 'the server says nothing',
             code => 'upstream_timeout');
    error_ok($post->('short', 'slow'), 502, 'nothing after the header');
    ok($model->wait_file('slow-gone'), 'its connection is closed');

    stream_ok($post->('short', 'stops', \%stream), 'a stream that stops',
              expect => 'failed', code => 'upstream_disconnected');
    ok($model->wait_file('stops-gone'), 'its connection is closed');
    stream_ok($post->('v1', 'rst', \%stream), 'a stream that is reset',
              expect => 'failed', code => 'upstream_disconnected');

    error_ok($post->('next', 'closes'), 502, 'the next one is not there');
    is($post->('next', 'broken')->{status}, 502,
       'what is refused is not asked elsewhere');

    error_ok(get($t->port, '/none/models'), 502, 'models, no server is there');
}


# bytes of HTTP/1.1 that change hands

{
    my $c = http_start($t->port, 'GET', '/v1/responses',
                       { Upgrade => 'websocket', Connection => 'Upgrade',
                         'X-Script' => 'broken' }, undef, keepalive => 1);

    is($c->read_response->{body}, '{"id":"resp_1"}',
       'an upgrade that may pass is not looked at');
    $c->close;
}


$t->finish;
done_testing();
