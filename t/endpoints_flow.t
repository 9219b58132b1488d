#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Answers that a gateway passes on from a server of the client's own dialect,
# while they come: at once, in any pieces, compressed, late, cut; to clients
# that read slowly or leave.

use v5.36;
use IO::Compress::Gzip qw( gzip );
use Socket qw( SOL_SOCKET SO_RCVBUF SO_SNDBUF );
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( http_start post_json question request_text );
use ORS::JSON qw( json_decode json_encode json_true );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Sample;
use ORS::Stream qw( error_ok stream_ok );

use constant { KB => 1024, MB => 1024 * 1024 };

my $events = render(good());
my $reply = json_encode(chat_reply(content => 'Hello', model => 'm'));
my @chunks = map { 'data: ' . json_encode($_) . "\n\n" }
             chat_stream(text => [ 'Hel', 'lo' ], model => 'm');
my $chunks = join '', @chunks, "data: [DONE]\n\n";

my @json = ([ header => 'Content-Type', 'application/json' ]);


sub zipped ($text) {
    gzip(\$text, \my $bytes);
    return $bytes;
}

my $zipped = zipped($chunks);

my @zip = (sse_head(), [ header => 'Content-Encoding', 'gzip' ]);


sub flood ($name, $limit) {
    return sub ($conn, $r) {
        setsockopt $conn->{sock}, SOL_SOCKET, SO_SNDBUF, 16384;
        $conn->_step_header('Content-Type', 'text/event-stream');
        $conn->_step_flood($name, 1000, $limit);
        $conn->_step_sse(chat_chunk(finish => 'stop'));
        $conn->_step_done;
    };
}

my $model = ORS::Model->new(scripts => {
    'bytes' => [ sse_head(), [ split => 1, 0 ], [ raw => $chunks ] ],
    'sevens' => [ sse_head(), [ split => 7, 0 ], [ raw => $events ] ],
    'document' => [ @json, [ split => 3, 0 ], [ raw => $reply ] ],

    'zip' => [ @zip, [ raw => $zipped ] ],
    'zip-bytes' => [ @zip, [ split => 1, 0 ], [ raw => $zipped ] ],
    'zip-document' => [ @json, [ header => 'Content-Encoding', 'gzip' ],
                        [ raw => zipped($reply) ] ],
    'zip-cut' => [ @zip, [ raw => substr zipped($chunks[0]), 0, -9 ] ],
    'zip-broken' => [ @zip, [ raw => zipped($chunks[0]) . 'magpie' ] ],
    'zip-other' => [ @json, [ header => 'Content-Encoding', 'br' ],
                     [ raw => $reply ] ],

    'waits' => [ sse_head(), [ raw => $chunks[0] ], [ raw => $chunks[1] ],
                 [ wait_file => 'go-on' ],
                 [ raw => join '', @chunks[2 .. $#chunks] ], [ 'done' ] ],
    'stands' => [ sse_head(), [ raw => $chunks[0] ], [ raw => $chunks[1] ],
                  [ hang => 'stands-closed' ] ],
    'left' => [ sse_head(), [ raw => $chunks[0] ], [ raw => $chunks[1] ],
                [ hang => 'left-closed' ] ],
    'broken' => [ sse_head(), [ raw => $chunks[0] ],
                  [ sse => 'magpie' ], [ hang => 'broken-closed' ] ],
    'silent' => sub ($conn, $r) {
        $conn->touch('silent-closed') if $conn->wait_gone;
    },
    'ended' => [ sse_head(), [ raw => $chunks ], [ 'keep_open' ] ],
    'reset' => [ sse_head(), [ raw => $chunks[0] ], [ raw => $chunks[1] ],
                 [ touch => 'sent' ], [ wait_file => 'seen' ], [ 'reset' ] ],
    'large' => [ @json, [ raw => $reply =~ s/Hello/'x' x 70_000/er ] ],
    'large-unknown' => [ @json, [ framing => 'chunked' ],
                         [ raw => $reply =~ s/Hello/'x' x 70_000/er ] ],

    'slow' => flood('slow', 2 * MB),
    'gone' => flood('gone', 100 * MB),
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    open_responses_target  default  /to/native;
    open_responses_limits  answer=64k queue=16k;

    server {
        listen 127.0.0.1:%%PORT_0%% sndbuf=64k;

        location /v1/ { open_responses on; }

        location = /to/native {
            internal;
            proxy_http_version 1.1;
            proxy_read_timeout 3s;
            proxy_buffer_size 8k;
            proxy_pass http://%%MODEL%%$open_responses_uri;
        }
    }
CONF

$t->start;

my %json = ('Content-Type' => 'application/json');


sub body ($stream) {
    return question('chat/completions', 'm',
                    $stream ? (stream => json_true) : ());
}


sub chat ($script, $stream = 1) {
    return post_json($t->port, '/v1/chat/completions', body($stream),
                     headers => { 'X-Script' => $script });
}


sub begin ($script) {
    return http_start($t->port, 'POST', '/v1/chat/completions',
                      { %json, 'X-Script' => $script },
                      json_encode(body(1)));
}


# the client's end of a stream that breaks

sub told ($r, $code, $name) {
    my ($error) = $r->{body} =~
        m{data: (\{"error":[^\n]*)\n\ndata: \[DONE\]\n\n\z};

    is($r->{status}, 200, "$name: status");
    ok($r->{complete}, "$name: it is not cut");
    is(json_decode($error // '{}')->{error}{code}, $code, "$name: why")
        or diag($r->{body});
    unlike($r->{body}, qr/magpie/, "$name: nothing of it");
}


# pieces

for my $script (qw( bytes zip zip-bytes )) {
    my $r = chat($script);

    is($r->{body}, $chunks, "$script: byte for byte");
    is($r->{headers}{'content-encoding'}, undef, "$script: plain");
    is($r->{headers}{'content-length'}, undef, "$script: no length");
}

for my $script (qw( document zip-document )) {
    my $r = chat($script, 0);

    is($r->{body}, $reply, "$script: byte for byte");
    is($r->{headers}{'content-encoding'}, undef, "$script: plain");
    is($r->{headers}{'content-length'}, length $reply, "$script: length");
}

{
    my $r = post_json($t->port, '/v1/responses',
                      { model => 'parrot-1', input => 'hi',
                        stream => json_true },
                      headers => { 'X-Script' => 'sevens' });

    stream_ok($r, 'sevens');
    is($r->{body}, $events, 'sevens: byte for byte');
}

error_ok(chat('zip-other', 0), 502, 'zip-other',
         code => 'invalid_upstream_answer');

for ([ 'zip-cut', 'upstream_disconnected' ],
     [ 'zip-broken', 'invalid_upstream_answer' ])
{
    my ($script, $code) = @$_;
    my $r = chat($script);

    told($r, $code, $script);
    like($r->{body}, qr/\A\Q$chunks[0]\E/, "$script: what was good");
}


# limits

error_ok(chat($_, 0), 502, $_, code => 'answer_too_large')
    for qw( large large-unknown );


# time

{
    my $c = begin('waits');

    ok($c->wait_body(qr/"Hel"/), 'waits: what has come is there at once');
    $model->touch('go-on');
    is($c->read_response->{body}, $chunks, 'waits: and the rest');
    $c->close;

    told(chat('stands'), 'upstream_disconnected', 'stands');
    ok($model->wait_file('stands-closed'), 'stands: the server is cut off');

    error_ok(chat('silent'), 504, 'silent', code => 'upstream_timeout');
    ok($model->wait_file('silent-closed'), 'silent: the server is cut off');

    my $r = chat('broken');

    told($r, 'invalid_upstream_answer', 'broken');
    ok($model->wait_file('broken-closed'), 'broken: the server is cut off');

    is(chat('ended')->{body}, $chunks,
       'ended: no wait for what is after the end');

    $c = begin('reset');
    ok($c->wait_body(qr/"Hel"/), 'reset: it has begun');
    $model->touch('seen');
    told($c->read_response, 'upstream_disconnected', 'reset');
    $c->close;
}


# clients

{
    my $c = begin('left');

    ok($c->wait_body(qr/"Hel"/), 'left: it has begun');
    $c->reset;
    ok($model->wait_file('left-closed'), 'left: the server is cut off');
}

{
    my $before = $t->memory;
    my $c = ORS::HTTP::Conn->new($t->port, rcvbuf => 4 * KB);

    $c->write(request_text('POST', '/v1/chat/completions',
                           { %json, 'X-Script' => 'slow' },
                           json_encode(body(1))));

    my $bytes = $model->wait_flood_blocked('slow');

    ok($bytes, 'slow: the server is blocked');
    cmp_ok($bytes // 1e9, '<', 1.8 * MB, 'slow: soon');
    cmp_ok($t->memory - $before, '<', 2 * MB, 'slow: little memory')
        if !$ENV{TEST_NGINX_ASAN};
    is(chat('document', 0)->{status}, 200, 'slow: others are served');

    setsockopt $c->{fh}, SOL_SOCKET, SO_RCVBUF, MB;

    my $r = $c->read_response;
    my $n = () = $r->{body} =~ /"content":"x{1000}"/g;

    cmp_ok($n * KB, '>', 0.7 * $model->flooded('slow'), 'slow: all comes');
    like($r->{body}, qr/data: \[DONE\]\n\n\z/, 'slow: to its end');
    $c->close;

    $c = ORS::HTTP::Conn->new($t->port, rcvbuf => 4 * KB);
    $c->write(request_text('POST', '/v1/chat/completions',
                           { %json, 'X-Script' => 'gone' },
                           json_encode(body(1))));

    ok($model->wait_flood_blocked('gone'), 'gone: it is slow first');
    $c->reset;
    ok($model->wait_file('gone.end'), 'gone: the server is cut off');
}

$t->finish;

done_testing();
