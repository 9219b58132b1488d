#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The request's body reaches the model whole, however it came, and what
# cannot be read is refused.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::H2;
use ORS::HTTP qw( request post_json http_start h2_request request_text );
use ORS::JSON qw( json_encode );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( stream_ok response_ok error_ok );
use ORS::Util qw( slurp );

my $model = ORS::Model->new;

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    open_responses_strict off;

    open_responses_target default /to/model;

    client_max_body_size 100k;

    server {
        listen 127.0.0.1:%%PORT_0%%;
        listen 127.0.0.1:%%PORT_1%% http2;

        location /v1/ { open_responses on; }

        location /buffers/ {
            open_responses on;
            client_body_buffer_size 16k;
        }

        location /file/ {
            open_responses on;
            client_body_buffer_size 100;
        }

        location /file-only/ {
            open_responses on;
            client_body_in_file_only clean;
        }

        location /big/ {
            open_responses on;
            client_max_body_size 41m;
            client_body_buffer_size 64k;
        }

        location /memory/ {
            open_responses on;
            client_max_body_size 41m;
            client_body_buffer_size 41m;
        }

        location /stall/ {
            open_responses on;
            client_body_timeout 100ms;
        }

        location = /to/model {
            internal;
            client_max_body_size 0;
            open_responses_dialect chat;
            proxy_pass http://%%MODEL%%/v1/chat/completions;
        }
    }
CONF

$t->start;

my $port = $t->port;
my $h2 = $t->port(1);
my %json = ('Content-Type' => 'application/json');
my $text = "\x{e4}\x{20ac}\\\"\n" x 700;

utf8::encode(my $bytes = $text);


# a request whose text is known, so that one lost byte shows

sub ask ($stream = 0, $input = $bytes) {
    utf8::decode($input);
    return json_encode({ model => 'm', input => $input,
                         stream => $stream ? \1 : \0 });
}


sub arrived ($name, $input = $text) {
    my $seen = $model->last_request;
    ok($seen && $seen->{json}
       && $seen->{json}{messages}[0]{content} eq $input, "$name: whole");
    return $seen;
}


for my $at (qw( /v1 /buffers /file /file-only )) {
    for my $stream (0, 1) {
        my $name = "$at, " . ($stream ? 'stream' : 'plain');
        my $r = post_json($port, "$at/responses", ask($stream));

        my $s = $stream ? stream_ok($r, $name) : response_ok($r, $name);
        is($s->text, 'Hello', "$name: text");
        arrived($name);

        $r = post_json($port, "$at/responses", ask($stream), chunked => 100);

        $s = $stream ? stream_ok($r, "$name, chunked")
                     : response_ok($r, "$name, chunked");
        arrived("$name, chunked");
    }
}

my $seen = $model->last_request;

is($seen->{method}, 'POST', 'method to the model');
is($seen->{uri}, '/v1/chat/completions', 'path to the model');
is($seen->{headers}{'content-type'}, 'application/json', 'type to the model');
is($seen->{headers}{'content-length'}, length $seen->{body},
   'length to the model');
is(scalar(grep { /^(?:content-length|content-type)$/i }
          map { $_->[0] } @{ $seen->{header_list} }), 2, 'each of them once');
is($seen->{headers}{'transfer-encoding'}, undef, 'no framing of the client');


# a head that comes with part of the body

{
    my $message = request_text('POST', '/buffers/responses', \%json, ask(1));
    my $c = ORS::HTTP::Conn->new($port);

    $c->write(substr $message, 0, 300);
    select undef, undef, undef, 0.02;
    $c->write(substr $message, 300);
    stream_ok($c->read_response, 'body in two packets');
    arrived('body in two packets');
    $c->close;

    for my $at (qw( /v1 /file )) {
        my $small = json_encode({ model => 'm', input => 'one by one' });

        $message = request_text('POST', "$at/responses", \%json, $small);
        $c = ORS::HTTP::Conn->new($port);
        $c->write_slow($message, 1, 0);
        response_ok($c->read_response, "$at, one byte at a time");
        arrived("$at, one byte at a time", 'one by one');
        $c->close;

        $message = request_text('POST', "$at/responses", \%json, $small,
                                chunked => 1);
        $c = ORS::HTTP::Conn->new($port);
        $c->write_slow($message, 1, 0);
        response_ok($c->read_response, "$at, chunked, one byte at a time");
        arrived("$at, chunked, one byte at a time", 'one by one');
        $c->close;
    }
}


for my $at (qw( /v1 /file )) {
    my $c = ORS::H2->new($h2);
    my $n = $c->send('POST', "$at/responses", \%json);

    $c->data($n, $_) for split //, json_encode({ model => 'm',
                                                 input => 'HTTP/2' });
    $c->data($n, '', 1);
    response_ok($c->read_response($n), "$at, HTTP/2, one byte at a time");
    arrived("$at, HTTP/2, one byte at a time", 'HTTP/2');
    $c->close;
}


# nothing to read

my $count = $model->count;

for my $how ([ 'no length', undef ], [ 'length 0', '' ],
             [ 'chunked', '', chunked => 1 ], [ 'blanks', " \r\n\t" ])
{
    my ($name, $body, @o) = @$how;

    error_ok(request($port, 'POST', '/v1/responses', \%json, $body, @o),
             400, "empty body, $name", type => 'invalid_request');
    error_ok(request($port, 'POST', '/file-only/responses', \%json, $body, @o),
             400, "empty body, $name, in a file", type => 'invalid_request');
}

error_ok(h2_request($h2, 'POST', '/v1/responses', \%json),
         400, 'empty body, HTTP/2', type => 'invalid_request');


# too much

{
    my $r = request($port, 'POST', '/v1/responses',
                    { %json, 'Content-Length' => 40 * 1024 * 1024 },
                    'x' x 1000);

    error_ok($r, 413, '40 MB are too much', type => 'invalid_request',
             code => 'request_too_large');
    error_ok(request($port, 'POST', '/v1/responses',
                     { %json, 'Content-Length' => 102401 }, 'x' x 102401),
             413, 'one byte too much', code => 'request_too_large');
    my $c = ORS::H2->new($h2);

    $c->rst(my $n = $c->send('POST', '/stall/responses', \%json, '{"mod'));
    $n = $c->send('POST', '/v1/responses', \%json, 'x' x 102401);
    error_ok($c->read_response($n), 413, 'one byte too much, HTTP/2',
             code => 'request_too_large');
    $c->close;

    $c = http_start($port, 'POST', '/v1/responses',
                    { %json, 'Transfer-Encoding' => 'chunked' });
    my $sent = 0;

    # never ends
    while ($sent < 10_000_000 && !$c->{p}{done} && !$c->{eof}) {
        $c->write_chunk('[' x 5000) or last;
        $sent += 5000;
    }

    error_ok($c->read_response, 413, 'chunked body that never ends',
             code => 'request_too_large');
    cmp_ok($sent, '<', 10_000_000, 'refused before its end');
    $c->close;
}

is($model->count, $count, 'the model heard of none of them');

{
    my $pid = ($t->workers)[0];
    my $message = '{"role":"user","content":"' . 'x' x 1e7 . '"}';
    my $body = '{"model":"m","input":[' . join(',', ($message) x 4) . ']}';

    for my $at (qw( /big /memory )) {
        my $r = post_json($port, "$at/responses", $body);
        response_ok($r, "$at, 40 MB allowed");

        # its text is not decoded, which takes perl too long
        my ($file) = reverse sort glob $model->dir . '/requests/*.body';
        is(slurp($file) =~ tr/x/x/, 4e7, "$at, 40 MB: whole");
    }

    response_ok(post_json($port, '/big/responses', $body, chunked => 1),
                '40 MB chunked');
    cmp_ok($t->memory($pid), '<', 300 * 1024 * 1024, 'memory comes back');
}


# stalls and ends

$count = $model->count;

{
    my $c = http_start($port, 'POST', '/stall/responses',
                       { %json, 'Content-Length' => 1000 }, '{"model":');

    ok($c->is_closed, 'a body that stalls: closed');
    is($c->raw, '', 'without an answer');

    $c = http_start($port, 'POST', '/v1/responses',
                    { %json, 'Content-Length' => 1000 });
    $c->close;

    $c = http_start($port, 'POST', '/v1/responses',
                    { %json, 'Content-Length' => 1000 }, '{"model":"m",');
    $c->close;

    $c = http_start($port, 'POST', '/v1/responses',
                    { %json, 'Content-Length' => 1000 }, '{"model":"m",');
    $c->reset;

    $c = http_start($port, 'POST', '/v1/responses',
                    { %json, 'Transfer-Encoding' => 'chunked' });
    $c->write("5\r\n{\"mod\r\nzz\r\n");
    error_ok($c->read_response, 400, 'broken chunks', code => 'bad_request');
    $c->close;
}

response_ok(post_json($port, '/v1/responses', ask()), 'the worker lives');
is($model->count, $count + 1, 'no half request went to the model');


# versions and expectations

{
    my $c = http_start($port, 'POST', '/v1/responses',
                       { %json, Expect => '100-continue',
                         'Content-Length' => length ask(1) });

    ok($c->_pump_until(sub { @{ $c->{p}{interim} } }, undef),
       '100 is sent');
    $c->write(ask(1));

    my $r = $c->read_response;

    stream_ok($r, 'body after 100');
    is_deeply($r->{interim}, [ 100 ], 'one 100');
    is($model->last_request->{headers}{expect}, undef,
       'the model is not expected to say 100');
    $c->close;
}

for my $stream (0, 1) {
    my $r = post_json($port, '/v1/responses', ask($stream), version => '1.0');

    $stream ? stream_ok($r, 'HTTP/1.0 stream')
            : response_ok($r, 'HTTP/1.0 plain');
    is($r->{framing}, $stream ? 'close' : 'length', 'its framing');

    for my $at (qw( /v1 /buffers /file /file-only )) {
        $r = post_json($h2, "$at/responses", ask($stream), h2 => 1);
        $stream ? stream_ok($r, "$at, HTTP/2 stream")
                : response_ok($r, "$at, HTTP/2 plain");
        is($r->{version}, '2', 'its version');
        arrived("$at, HTTP/2");
    }
}


# connections that stay

for my $at (qw( /v1 /file )) {
    my $c = ORS::HTTP::Conn->new($port);
    my @o = (conn => $c, keepalive => 1);
    my $ask = sub ($body, $path = "$at/responses", %h) {
        return http_start($port, 'POST', $path, { %json, %h }, $body, @o)
               ->read_response;
    };

    stream_ok($ask->(ask(1)), "$at, kept: stream");
    response_ok($ask->(ask()), "$at, kept: plain");
    error_ok($ask->('{'), 400, "$at, kept: broken JSON");
    response_ok($ask->(ask()), "$at, kept: after a 400");
    error_ok($ask->('{"model":5}'), 400, "$at, kept: wrong type");
    stream_ok($ask->(ask(1)), "$at, kept: stream after a 400");
    error_ok($ask->(ask(), "$at/nothing"), 404, "$at, kept: no such path");
    response_ok($ask->(ask()), "$at, kept: after a 404");
    error_ok($ask->(ask(), "$at/responses", 'Content-Type' => 'text/plain'),
             415, "$at, kept: wrong type of content");
    stream_ok($ask->(ask(1)), "$at, kept: after a 415");
    error_ok($ask->('', "$at/responses"), 400, "$at, kept: empty");
    response_ok($ask->(ask()), "$at, kept: after an empty one");

    my $two = request_text('POST', "$at/responses", \%json, ask(1), @o)
              . request_text('POST', "$at/responses", \%json, '[', @o)
              . request_text('POST', "$at/responses", \%json, ask(0), @o);

    $c->write($two);
    stream_ok($c->read_response, "$at, pipelined: stream");
    error_ok($c->read_response, 400, "$at, pipelined: broken JSON");
    response_ok($c->read_response, "$at, pipelined: plain");
    $c->close;
}


# types of content

$count = $model->count;

for my $h ([ 'none', 'Content-Type' => undef ],
           [ 'empty', 'Content-Type' => '' ],
           [ 'text', 'Content-Type' => 'text/plain' ],
           [ 'a longer name', 'Content-Type' => 'application/jsonp' ],
           [ 'a form', 'Content-Type' => 'application/x-www-form-urlencoded' ],
           [ 'brotli', %json, 'Content-Encoding' => 'br' ],
           [ 'two encodings', %json, 'Content-Encoding' => 'identity, br' ])
{
    my ($name, @headers) = @$h;

    error_ok(request($port, 'POST', '/v1/responses', \@headers, ask()), 415,
             "type of content: $name", code => 'unsupported_media_type');
}

is($model->count, $count, 'the model heard of none of them');

for my $h ([ 'charset', 'Content-Type' => 'application/json; charset=utf-8' ],
           [ 'no blank', 'Content-Type' => 'application/json;charset=UTF-8' ],
           [ 'capitals', 'Content-Type' => 'Application/JSON' ],
           [ 'identity', %json, 'Content-Encoding' => 'identity' ])
{
    my ($name, @headers) = @$h;

    response_ok(request($port, 'POST', '/v1/responses', \@headers, ask()),
                "type of content: $name");
    is($model->last_request->{headers}{'content-type'}, 'application/json',
       "type of content: $name: to the model");
    is($model->last_request->{headers}{'content-encoding'}, undef,
       "type of content: $name: no encoding to the model");
}

is_deeply([ grep { -f } glob $t->dir . '/tmp/client_body/*' ], [],
          'no file is left');

$t->finish;

done_testing();
