#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# "gunzip on" in a target and a slow client: what nginx has decompressed goes
# on as soon as the client reads, without another byte of the model's.

use v5.36;
use Compress::Raw::Zlib qw( WANT_GZIP Z_SYNC_FLUSH );
use Socket qw( SOL_SOCKET SO_RCVBUF );
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( request_text );
use ORS::JSON qw( json_encode json_true );
use ORS::Model qw( chat_chunk );
use ORS::Nginx;

use constant { EVENTS => 1000, DELTA => 1000 };


# much text in few bytes, which are all read at once; then silence

sub stream ($conn, $r) {
    my ($z) = Compress::Raw::Zlib::Deflate->new(-WindowBits => WANT_GZIP,
                                                -AppendOutput => 1);
    my $out = '';

    for (1 .. EVENTS) {
        my $chunk = json_encode(chat_chunk(content => 'x' x DELTA));

        $z->deflate("data: $chunk\n\n", $out);
    }

    $z->flush($out, Z_SYNC_FLUSH);

    $conn->_step_header('Content-Type', 'text/event-stream');
    $conn->_step_header('Content-Encoding', 'gzip');
    $conn->body($out);
    $conn->touch('silent');
    $conn->wait_gone;
}

my $model = ORS::Model->new(scripts => { packed => \&stream });

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    server {
        listen 127.0.0.1:%%PORT_0%% sndbuf=64k;

        location /v1/ {
            open_responses on;
            open_responses_target default /to/model;
        }

        location = /to/model {
            internal;
            open_responses_dialect chat;
            gunzip on;
            proxy_http_version 1.1;
            proxy_pass http://%%MODEL%%/chat;
        }
    }
CONF

$t->start;

my $c = ORS::HTTP::Conn->new($t->port, rcvbuf => 4096);

$c->write(request_text('POST', '/v1/responses',
                       { 'Content-Type' => 'application/json' },
                       json_encode({ model => 'packed', input => 'hi',
                                     stream => json_true })));

ok($model->wait_file('silent'), 'the model has said it all');
ok($c->wait_body(qr/output_text\.delta/), 'the client has a beginning');

setsockopt $c->{fh}, SOL_SOCKET, SO_RCVBUF, 1024 * 1024;

my $got = 0;

while (my $e = $c->next_event) {
    $got++ if $e->{event} eq 'response.output_text.delta';
    last if $got == EVENTS;
}

is($got, EVENTS, 'and the rest as soon as it reads');

$c->close;
$t->finish;
done_testing();
