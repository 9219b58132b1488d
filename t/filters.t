#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Beside nginx's other modules: compression, substitution, headers, access,
# logs, caches, failover and limits, in our locations and in the targets'.

use v5.36;
use Compress::Raw::Zlib qw( WANT_GZIP Z_OK Z_STREAM_END Z_SYNC_FLUSH );
use IO::Compress::Gzip qw( gzip );
use IO::Uncompress::Gunzip qw( gunzip );
use Test::More;
use Time::HiRes qw( time );
use lib 't/lib';
use ORS::H2;
use ORS::HTTP qw( request get post_json http_start h2_request );
use ORS::JSON qw( json_encode );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( stream_ok response_ok error_ok );
use ORS::Util qw( free_port slurp wait_for );


sub sse ($data) {
    return 'data: ' . (ref $data ? json_encode($data) : $data) . "\n\n";
}


sub gzipped ($text) {
    gzip(\$text, \my $bytes);
    return $bytes;
}


# each event is flushed, as a server does that compresses streams

sub gzipped_stream ($conn, $r) {
    my ($z) = Compress::Raw::Zlib::Deflate->new(-WindowBits => WANT_GZIP,
                                                -AppendOutput => 1);

    $conn->_step_header('Content-Type', 'text/event-stream');
    $conn->_step_header('Content-Encoding', 'gzip');

    for my $event (map({ sse($_) } chat_stream(text => [ 'Hel', 'lo' ])),
                   sse('[DONE]'))
    {
        my $out = '';

        $z->deflate($event, $out);
        $z->flush($out, Z_SYNC_FLUSH);
        $conn->body($out);
    }

    my $out = '';

    $z->flush($out);
    $conn->body($out);
}


sub step_by_step ($name) {
    return [ sse_head(), [ sse => chat_chunk(content => 'one') ],
             [ wait_file => "$name-2" ],
             [ sse => chat_chunk(content => ' two') ],
             [ wait_file => "$name-3" ],
             [ sse => chat_chunk(finish => 'stop') ], [ 'done' ] ];
}


my $words = join ' ', 1 .. 4_000;
my @long = map { sse(chat_chunk(content => "$_ ")) } 1 .. 4_000;

my @steps = qw( buffered unbuffered gzip sub http2 http2-gzip cache );

my $model = ORS::Model->new(scripts => {
    (map { ("step-$_" => step_by_step("step-$_")) } @steps),
    'gz-plain' => [ [ header => 'Content-Type', 'application/json' ],
                    [ header => 'Content-Encoding', 'gzip' ],
                    [ raw => gzipped(json_encode(
                          chat_reply(content => 'Hello'))) ] ],
    'gz-stream' => \&gzipped_stream,
    long => [ sse_head(), [ raw => join '', @long ],
              [ sse => chat_chunk(finish => 'stop') ], [ 'done' ] ],
    words => json_script(chat_reply(content => $words)),
    error => [ [ status => 500 ], [ json => { error => 'no' } ] ],
});

my $second = ORS::Model->new(scripts => {
    error => stream_script(text => 'second'),
});

my $t = ORS::Nginx->new(
    model => { MODEL => $model, MODEL2 => $second },
    subst => { REFUSED => free_port() }, http => <<'HTTP', conf => <<'CONF');
    open_responses_strict off;

    log_format ours '$status $body_bytes_sent $request_method $request_uri';
    proxy_cache_path %%TESTDIR%%/cache keys_zone=cache:1m;
    limit_req_zone $server_name$uri zone=paced:64k rate=5r/s;
    limit_req_zone $binary_remote_addr zone=once:64k rate=1r/m;
HTTP
    open_responses_target  default     /to/model;
    open_responses_target  step-unbuffered  /to/unbuffered;

    upstream failover {
        server 127.0.0.1:%%REFUSED%%;
        server %%MODEL2%% backup;
    }

    upstream on_error {
        server %%MODEL%%;
        server %%MODEL2%% backup;
    }

    server {
        listen 127.0.0.1:%%PORT_0%%;
        listen 127.0.0.1:%%PORT_1%% http2;
        access_log %%TESTDIR%%/logs/ours.log ours;

        location /v1/ { open_responses on; }

        location /gzip/ {
            open_responses on;
            gzip on;
            gzip_min_length 1;
            gzip_types text/event-stream application/json;
            gzip_proxied any;
        }

        location /headers/ {
            open_responses on;
            add_header X-Added "$status-$sent_http_content_type" always;
            expires -1;
            server_tokens off;
        }

        location /sub/ {
            open_responses on;
            sub_filter Hello Howdy;
            sub_filter_once off;
            sub_filter_types text/event-stream application/json;
        }

        location /allowed/ {
            open_responses on;
            auth_request /auth;
        }

        location = /auth { internal; return 204; }

        location /gunzip/ {
            open_responses on;
            open_responses_target default /to/gunzip;
        }

        location /cached/ {
            open_responses on;
            open_responses_target default /to/cached;
        }

        location /failover/ {
            open_responses on;
            open_responses_target default /to/failover;
            open_responses_target error   /to/on-error;
        }

        location /intercepted/ {
            open_responses on;
            open_responses_target default /to/intercepted;
        }

        location /paced/ {
            open_responses on;
            open_responses_target default /to/paced;
        }

        location /once/ {
            open_responses on;
            open_responses_target default /to/once;
        }

        location /mirrored/ {
            open_responses on;
            mirror /mirror;
        }

        location /ranges/ {
            open_responses on;
            max_ranges 5;
            if_modified_since exact;
            etag on;
        }

        location /chunk-off/ {
            open_responses on;
            chunked_transfer_encoding off;
        }

        location /postpone/ {
            open_responses on;
            postpone_output 100000;
        }

        %%CHAT /to/model /chat%%

        location = /to/unbuffered {
            internal;
            open_responses_dialect chat;
            proxy_buffering off;
            proxy_pass http://%%MODEL%%/chat;
        }

        location = /to/gunzip {
            internal;
            open_responses_dialect chat;
            gunzip on;
            proxy_pass http://%%MODEL%%/chat;
        }

        location = /to/cached {
            open_responses_dialect chat;
            proxy_pass http://%%MODEL%%/chat;
            proxy_cache cache;
            proxy_cache_methods POST;
            proxy_cache_key $http_x_key;
            proxy_cache_valid any 1m;
        }

        location = /to/failover {
            internal;
            open_responses_dialect chat;
            proxy_pass http://failover/chat;
        }

        location = /to/on-error {
            internal;
            open_responses_dialect chat;
            proxy_next_upstream error http_500 non_idempotent;
            proxy_pass http://on_error/chat;
        }

        location = /to/intercepted {
            internal;
            open_responses_dialect chat;
            proxy_intercept_errors on;
            error_page 500 /to/model;
            proxy_pass http://%%MODEL%%/chat;
        }

        location = /to/paced {
            internal;
            open_responses_dialect chat;
            limit_req zone=paced burst=10;
            proxy_pass http://%%MODEL%%/chat;
        }

        location = /to/once {
            internal;
            open_responses_dialect chat;
            limit_req zone=once;
            limit_req_status 429;
            proxy_pass http://%%MODEL%%/chat;
        }

        location = /mirror {
            internal;
            proxy_set_header X-Mirror yes;
            proxy_pass http://%%MODEL2%%/mirror;
        }
    }
CONF

$t->start;

my $port = $t->port;
my %json = ('Content-Type' => 'application/json');


sub body ($name, $stream) {
    return json_encode({ model => $name, input => 'hi',
                         stream => $stream ? \1 : \0 });
}


sub ask ($at, $name = 'm', $stream = 0, %headers) {
    my $path = $at =~ /[?]|nowhere/ ? $at : "$at/responses";

    return request($port, 'POST', $path, { %json, %headers },
                   body($name, $stream));
}


sub unzipped ($r) {
    gunzip(\$r->{body}, \my $text);
    return { %$r, body => $text // '' };
}


# compression towards the client

for my $stream (0, 1) {
    my $name = 'gzip, ' . ($stream ? 'stream' : 'plain');
    my $ok = $stream ? \&stream_ok : \&response_ok;
    my $r = ask('/gzip', 'm', $stream, 'Accept-Encoding' => 'gzip');

    is($r->{headers}{'content-encoding'}, 'gzip', "$name: it is");
    is($ok->(unzipped($r), $name)->text, 'Hello', "$name: text");
    is($model->last_request->{headers}{'accept-encoding'}, undef,
       "$name: none from the model");

    $r = ask('/gzip', $stream ? 'long' : 'words', $stream,
             'Accept-Encoding' => 'gzip');
    is(length $ok->(unzipped($r), "$name, long")->text, $stream
       ? 1 + length $words : length $words, "$name, long: text");

    $r = ask('/gzip', 'm', $stream);
    is($r->{headers}{'content-encoding'}, undef, "$name: not asked for");
    $ok->($r, "$name: not asked for");
}

{
    my $r = ask('/gzip/nowhere', 'm', 0, 'Accept-Encoding' => 'gzip');

    is($r->{headers}{'content-encoding'}, 'gzip', 'gzip, error: it is');
    $r = unzipped($r);
    $r->{json} = eval { ORS::JSON::json_decode($r->{body}) };
    error_ok($r, 404, 'gzip, error');
}


# and from the model

for my $stream (0, 1) {
    my $name = $stream ? 'gz-stream' : 'gz-plain';
    my $ok = $stream ? \&stream_ok : \&response_ok;

    is($ok->(ask('/gunzip', $name, $stream), "$name, gunzip")->text, 'Hello',
       "$name, gunzip: text");
    $ok->(ask('/gunzip', 'm', $stream), "$name, gunzip: not compressed");
    is($ok->(ask('/v1', $name, $stream), "$name, no gunzip")->text, 'Hello',
       "$name, no gunzip: text");
}


# headers and text

for my $stream (0, 1) {
    my $name = $stream ? 'stream' : 'plain';
    my $ok = $stream ? \&stream_ok : \&response_ok;
    my $type = $stream ? 'text/event-stream' : 'application/json';
    my $r = ask('/headers', 'm', $stream);

    $ok->($r, "headers, $name");
    is($r->{headers}{'x-added'}, "200-$type", "headers, $name: add_header");
    is($r->{headers}{server}, 'nginx', "headers, $name: server_tokens");

    $r = ask('/sub', 'm', $stream);
    $ok->($r, "sub_filter, $name");
    like($r->{body}, qr/Howdy/, "sub_filter, $name: new");
    unlike($r->{body}, qr/Hello/, "sub_filter, $name: no old");

    $ok->(ask('/allowed', 'm', $stream), "auth_request, $name");

    for my $at (qw( /ranges /chunk-off /postpone )) {
        $r = ask($at, 'm', $stream, Range => 'bytes=0-10',
                 'If-Modified-Since' => 'Thu, 01 Jan 2099 00:00:00 GMT',
                 'If-None-Match' => '*', 'If-Match' => '"x"',
                 'If-Unmodified-Since' => 'Thu, 01 Jan 1970 00:00:00 GMT');
        $ok->($r, "$at, $name");
        is($r->{status}, 200, "$at, $name: status");
        is($model->last_request->{headers}{$_}, undef,
           "$at, $name: no $_ to the model")
            for qw( range if-modified-since if-none-match if-match
                    if-unmodified-since );
    }
}

like(ask('/headers', 'm', 0, 'Content-Type' => 'x/y')->{headers}{'x-added'},
     qr/^415-/, 'headers: of an error, too');


# each event at once

for my $name (@steps) {
    my $at = $name =~ /gzip/ ? '/gzip' : $name eq 'sub' ? '/sub'
           : $name eq 'cache' ? '/cached' : '/v1';
    my $z = $name =~ /gzip/
            ? Compress::Raw::Zlib::Inflate->new(-WindowBits => WANT_GZIP,
                                                -AppendOutput => 1) : undef;
    my %h = (%json, $z ? ('Accept-Encoding' => 'gzip') : ());
    my ($c, $n, $seen, $plain) = (undef, undef, 0, '');

    # the text that has come so far

    my $has = sub ($re) {
        my $bytes = $name =~ /http2/ ? $c->body($n) : $c->body;

        if (!$z) {
            $plain = $bytes;

        } else {
            my $new = substr $bytes, $seen;

            $seen = length $bytes;
            $z->inflate($new, $plain) if length $new;
        }

        return $plain =~ $re;
    };

    my $wait = sub ($re) {
        return $name =~ /http2/ ? $c->_pump(sub { $has->($re) }, $n, undef)
                                : $c->_pump_until(sub { $has->($re) }, undef);
    };

    if ($name =~ /http2/) {
        $c = ORS::H2->new($t->port(1));
        $n = $c->send('POST', "$at/responses", \%h, body("step-$name", 1));

    } else {
        $c = http_start($port, 'POST', "$at/responses", \%h,
                        body("step-$name", 1));
    }

    ok($wait->(qr/"delta":"one"/), "at once, $name: the first");
    $model->touch("step-$name-2");
    ok($wait->(qr/"delta":" two"/), "at once, $name: the second");
    $model->touch("step-$name-3");
    ok($wait->(qr/\[DONE\]/), "at once, $name: the end");
    is(stream_ok($plain, "at once, $name")->text, 'one two',
       "at once, $name: text");
    $c->close;
}


# targets' own

# a cache is filled by others: what we ask for is not buffered

for my $name (qw( m long words )) {
    my $stream = $name eq 'long';
    my $ok = $stream ? \&stream_ok : \&response_ok;
    my $chat = json_encode({ model => $name, messages => [],
                             stream => $stream ? \1 : \0 });

    $ok->(ask('/cached', $name, $stream, 'X-Key' => $name),
          "$name, not in the cache");
    request($port, 'POST', '/to/cached', { %json, 'X-Key' => $name }, $chat);

    my $count = $model->count;
    my $d = $ok->(ask('/cached', $name, $stream, 'X-Key' => $name),
                  "$name, from the cache");

    is($model->count, $count, "$name, from the cache: it is");
    is(length $d->text, length($words) + $stream,
       "$name, from the cache: text") if $name ne 'm';

    # as a stream for who wants none, and the other way round
    $ok = $stream ? \&response_ok : \&stream_ok;
    $ok->(ask('/cached', $name, !$stream, 'X-Key' => $name),
          "$name, from the cache, otherwise");
    is($model->count, $count, "$name, from the cache, otherwise: it is");
}

{
    my $c = ORS::HTTP::Conn->new($port, rcvbuf => 4096);
    my $count = $model->count;

    http_start($port, 'POST', '/cached/responses',
               { %json, 'X-Key' => 'long' }, body('long', 1), conn => $c);
    $c->read_slow(1000, 0.001, 20);
    is(length stream_ok($c->read_response, 'cached, slow client')->text,
       1 + length $words, 'cached, slow client: all of it');
    is($model->count, $count, 'cached, slow client: it is');
    $c->close;
}

for my $stream (0, 1) {
    my $ok = $stream ? \&stream_ok : \&response_ok;
    my $name = $stream ? 'stream' : 'plain';

    $ok->(ask('/failover', 'm', $stream), "failover, $name");
    is($second->last_request->{json}{messages}[0]{content}, 'hi',
       "failover, $name: with the body");
}

is(stream_ok(ask('/failover', 'error', 1), 'next after an error')->text,
   'second', 'next after an error: the second');
is($second->last_request->{json}{messages}[0]{content}, 'hi',
   'next after an error: with the body');

error_ok(ask('/intercepted', 'error'), 502, 'intercepted error',
         code => 'upstream_unavailable');
response_ok(ask('/intercepted'), 'no error to intercept');

{
    my $r = ask('/mirrored');

    response_ok($r, 'mirror');
    ok($second->wait_requests(4), 'mirror: it has it');
    is($second->last_request->{uri}, '/mirror', 'mirror: where to');
    is($second->last_request->{body}, body('m', 0), 'mirror: what we got');
}

# limits of a target: put off, and refused

{
    my $start = time;

    for my $n (1 .. 3) {
        stream_ok(ask('/paced', 'm', 1), "limit_req in the target, $n");
    }

    cmp_ok(time - $start, '>', 0.35, 'limit_req in the target: put off');

    my $c = ORS::H2->new($t->port(1));
    my @n = map { $c->send('POST', '/paced/responses', \%json, body('m', 1)) }
            1 .. 2;

    stream_ok($c->read_response($_), "limit_req in the target, HTTP/2")
        for @n;
    $c->close;

    # clients that leave while they are put off
    my $count = $model->count;

    @n = map { http_start($port, 'POST', '/paced/responses', \%json,
                          body('m', 1)) } 1 .. 5;
    $_->read_slow(1, 0.01) for @n;
    $_->close for @n;
    stream_ok(ask('/paced', 'm', 1), 'after those that have left');
    cmp_ok($model->count, '<', $count + 6, 'which were not served');

    response_ok(ask('/once'), 'a limit of the target, not yet');
    error_ok(ask('/once'), 429, 'a limit of the target, passed',
             code => 'rate_limit_exceeded');
}


# the access log

{
    response_ok(ask('/v1/responses?logged'), 'logged');
    error_ok(ask('/v1/responses?logged', 'error'), 500, 'logged, an error');
    error_ok(ask('/v1/nowhere?logged'), 404, 'logged, no such path');

    my @lines;

    ok(wait_for(sub {
        my $log = slurp($t->dir . '/logs/ours.log');
        @lines = grep { /logged/ } split /\n/, $log;
        return @lines == 3;
    }), 'log: a line for each request');

    like($lines[0], qr{^200 \d{3,} POST }, 'log: 200');
    like($lines[1], qr{^500 \d{2,} POST }, 'log: 500');
    like($lines[2], qr{^404 \d{2,} POST }, 'log: 404');
}

$t->finish;

done_testing();
