#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Requests whose bodies are compressed: a server gets the text that was checked,
# and what is cut, broken or too long without its Content-Encoding is refused.

use v5.36;
use Compress::Raw::Zlib ();
use IO::Compress::Gzip qw( gzip );
use Test::More;
use lib 't/lib';
use ORS::H2;
use ORS::HTTP qw( http_start question request );
use ORS::JSON qw( json_decode json_encode );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( error_ok response_ok );
use ORS::Util qw( zstd );

my $max = 40_000;

my $model = ORS::Model->new(scripts => {
    default => json_script(chat_reply(content => 'hi')),
    down    => [ [ status => 503 ], [ json => { error => {
        message => 'no', type => 'x', param => undef, code => 'y' } } ] ],
});

my $t = ORS::Nginx->new(model => $model, http => <<'CONF', conf => <<'CONF2');
    upstream pool {
        server 127.0.0.1:%%PORT_2%% max_fails=0;
        server %%MODEL%% backup;
    }
CONF
    server {
        listen 127.0.0.1:%%PORT_0%%;
        listen 127.0.0.1:%%PORT_1%% http2;

        client_max_body_size 40000;
        client_body_buffer_size 1k;

        location /gateway/ {
            open_responses on;
            open_responses_target default /to/chat;
        }

        location /unbounded/ {
            client_max_body_size 0;
            open_responses on;
            open_responses_target default /to/chat;
        }

        location /validator/ {
            open_responses_validate on;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /failover/ {
            open_responses_validate on;
            proxy_pass http://pool/v1/;
        }

        location /report/ {
            open_responses_validate on report;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location = /to/chat {
            internal;
            open_responses_dialect chat;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }
    }
CONF2

$t->start;


# forms of compression

sub gzipped ($text) {
    gzip(\$text, \my $bytes) or die;
    return $bytes;
}

sub deflated ($text, $bits) {
    my ($z) = Compress::Raw::Zlib::Deflate->new(-WindowBits => $bits,
                                                -AppendOutput => 1);
    my $bytes = '';

    $z->deflate($text, $bytes);
    $z->flush($bytes);

    return $bytes;
}

my %form = (
    'gzip'    => [ \&gzipped, 'x-gzip', 'GZip' ],
    'deflate' => [ sub ($text) { deflated($text, 15) },
                   'Deflate' ],
    'zstd'    => [ \&zstd, 'ZSTD' ],
);

sub ask ($at, $encoding, $bytes, %o) {
    return request($t->port, 'POST', $at,
                   [ 'Content-Type' => 'application/json',
                     'Content-Encoding' => $encoding ], $bytes, %o);
}

my %broken = (code => 'invalid_content_encoding');
my $long = 'long ' x 2000;

for my $name (sort keys %form) {
    my ($pack, @names) = @{ $form{$name} };

    for my $encoding ($name, @names) {
        my $text = json_encode({ model => 'm', input => $long });
        my $r = ask('/gateway/responses', $encoding, $pack->($text));

        response_ok($r, "gateway, $encoding");
        is(json_decode($model->last_request->{body})->{messages}[0]{content},
           $long, 'the model has the text');
        is($model->last_request->{headers}{'content-encoding'}, undef,
           'and no Content-Encoding');
    }

    for my $endpoint (qw( chat/completions embeddings responses )) {
        my $text = json_encode(question($endpoint, 'm'));

        for my $at (qw( gateway validator failover )) {
            next if $endpoint eq 'responses' && $at eq 'gateway';

            my $sent = $model->count;

            ask("/$at/$endpoint", $name, $pack->($text));

            is($model->count, $sent + 1, "$at, $endpoint, $name: is sent");

            my $got = $model->last_request;

            is($got->{body}, $text, 'as the text that was checked');
            is($got->{headers}{'content-encoding'}, undef, 'not encoded');
            is($got->{headers}{'content-length'}, length $text, 'its length');
        }

        ask("/report/$endpoint", $name, $pack->($text));

        is($model->last_request->{body}, $pack->($text),
           "report, $endpoint, $name: as it came");
        is($model->last_request->{headers}{'content-encoding'}, $name,
           'with its Content-Encoding');
    }

    # the text is checked

    my $sent = $model->count;

    for my $at (qw( gateway validator )) {
        error_ok(ask("/$at/responses", $name,
                     $pack->('{"model":"m","input":5}')), 400,
                 "$at, $name: a wrong type", code => 'invalid_type',
                 param => 'input');
        error_ok(ask("/$at/responses", $name, $pack->('')), 400,
                 "$at, $name: nothing", code => 'invalid_json');
    }

    ask('/report/responses', $name, $pack->('{"model":"m","input":5}'));
    ok($t->wait_log(qr/would be refused: invalid_type/), 'report: looks');

    # cut anywhere, changed, followed by something

    my $text = json_encode({ model => 'm', input => 'q' });
    my $bytes = $pack->($text);

    $sent = $model->count;

    for my $at (qw( gateway validator )) {
        for my $n (1 .. length($bytes) - 1) {
            my $part = substr $bytes, 0, $n;

            error_ok(ask("/$at/responses", $name, $part), 400,
                     "$at, $name: $n", %broken);
        }

        for my $bad ("${bytes}junk", $text, "x$bytes", "\0" x 100) {
            error_ok(ask("/$at/responses", $name, $bad), 400,
                     "$at, $name: no", %broken);
        }

        # to the byte

        my $fits = $text . ' ' x ($max - length $text);

        isnt(ask("/$at/responses", $name, $pack->($fits))->{status}, 413,
             "$at, $name: $max bytes") if $name ne 'zstd';
        $sent = $model->count;

        my $packed = $name eq 'zstd' ? zstd($text, $max + 1 - length $text)
                                     : $pack->("$fits ");

        my $r = ask("/$at/responses", $name, $packed);

        error_ok($r, 413, "$at, $name: a byte more",
                 code => 'request_too_large');
        like($r->{json}{error}{message}, qr/longer than $max bytes/,
             'says how long it may be');
        is($model->count, $sent, 'nothing was sent');
    }
}

response_ok(ask('/gateway/responses', 'zstd',
                zstd(json_encode({ model => 'm', input => 'q' }), 39_000)),
            'zstd: a block that repeats a byte');

# bombs

my $text = json_encode({ model => 'm', input => 'q' });

for my $bomb ([ 'gzip', gzipped($text . ' ' x 20_000_000) ],
              [ 'deflate', deflated($text . ' ' x 20_000_000, -15) ],
              [ 'zstd', zstd($text, 100_000_000) ])
{
    my ($name, $bytes) = @$bomb;

    cmp_ok(length $bytes, '<', $max, "$name: a bomb is small");
    error_ok(ask('/gateway/responses', $name, $bytes), 413, "$name: a bomb",
             code => 'request_too_large');
}

response_ok(ask('/unbounded/responses', 'zstd', zstd($text, 3_000_000)),
            'client_max_body_size 0');
error_ok(ask('/gateway/responses', 'gzip', 'x' x ($max + 1)), 413,
         'too long as it comes', code => 'request_too_large');

# several members

response_ok(ask('/gateway/responses', 'gzip',
                gzipped(substr $text, 0, 9) . gzipped(substr $text, 9)),
            'two members');
response_ok(ask('/gateway/responses', 'zstd',
                zstd(substr $text, 0, 9) . zstd(substr $text, 9)),
            'two frames');
response_ok(ask('/gateway/responses', 'deflate', deflated($text, -15)),
            'deflate without its wrapping');

# chunked, byte by byte, over HTTP/2, and the next request of a connection

my $c = http_start($t->port, 'POST', '/validator/chat/completions',
                   { 'Content-Type' => 'application/json',
                     'Content-Encoding' => 'gzip',
                     'Transfer-Encoding' => 'chunked' });
my $chat = json_encode(question('chat/completions', 'm'));

$c->write_chunk($_) for split //, gzipped($chat);
$c->write_last_chunk;

is($c->read_response->{status}, 200, 'chunked');
is($model->last_request->{body}, $chat, 'is the text');
is($model->last_request->{headers}{'content-length'}, length $chat,
   'of its length');

my $h2 = ORS::H2->new($t->port(1));

for my $at (qw( gateway validator )) {
    my $n = $h2->send('POST', "/$at/chat/completions",
                      { 'content-type' => 'application/json',
                        'content-encoding' => 'zstd' }, zstd($chat));

    is($h2->read_response($n)->{status}, 200, "$at, HTTP/2");
    is($model->last_request->{body}, $chat, 'is the text');
}

$t->finish;

done_testing();
