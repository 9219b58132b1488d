#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# A model server whose framing breaks behind the header: the answer has one
# well-formed end, another target is asked as long as nothing was told, and
# variables, counters and log tell of it.

use v5.36;
use Socket qw( SOL_SOCKET SO_RCVBUF );
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get post_json http_start request_text );
use ORS::JSON qw( json_encode json_false json_true );
use ORS::Model qw( chat_chunk chat_reply json_script sse_head
                   stream_script );
use ORS::Nginx;
use ORS::Sample;
use ORS::Stream qw( error_ok response_ok stream_ok );
use ORS::Util qw( slurp wait_for );

use constant { EVENTS => 500, DELTA => 1000 };

my $chat = json_encode(chat_reply(content => 'Hello'));
my $native = json_encode(response('completed', model => 'm'));
my $json = [ header => 'Content-Type', 'application/json' ];
my $broken = [ wire => "nonsense\r\n" ];

my %broken = (
    'document-head'   => [ $json, [ 'head' ], $broken ],
    'document-middle' => [ $json, [ raw => substr $chat, 0, 20 ], $broken ],
    'document-end'    => [ $json, [ raw => $chat ], $broken ],
    'stream-head'     => [ sse_head(), [ 'head' ], $broken ],
    'stream-role'     => [ sse_head(),
                           [ sse => chat_chunk(role => 'assistant') ],
                           [ wait_file => 'stream-role' ], $broken ],
    'stream-text'     => [ sse_head(), [ sse => chat_chunk(content => 'Hel') ],
                           [ wait_file => 'stream-text' ], $broken ],
    'native-head'     => [ $json, [ 'head' ], $broken ],
    'native-middle'   => [ $json, [ raw => substr $native, 0, 20 ], $broken ],
    'native-end'      => [ $json, [ raw => $native ], $broken ],
    'native-stream'   => [ sse_head(), [ 'head' ], $broken ],
    slow              => [ sse_head(), [ repeat => EVENTS,
                           [ sse => chat_chunk(content => 'x' x DELTA) ] ],
                           [ wait_file => 'break' ], $broken ],
);

my $model = ORS::Model->new(scripts => {
    %broken,
    good => sub ($conn, $r) {
        $conn->_play($r->{json}{stream} ? stream_script(text => 'Hello')
                     : json_script(chat_reply(content => 'Hello')), 0);
    },
});

my $targets = join '', map { <<"CONF" } sort keys %broken, 'good';
        location = /to/$_ {
            internal;
            open_responses_dialect @{[ /native/ ? 'responses' : 'chat' ]};
            proxy_http_version 1.1;
            proxy_buffer_size 1m;
            proxy_buffers 2 1m;
            proxy_busy_buffers_size 1m;
            proxy_set_header X-Script $_;
            proxy_pass http://%%MODEL%%/;
        }
CONF

my $routes = join '', map { <<"CONF" } sort keys %broken;
        open_responses_target $_ /to/$_;
        open_responses_target $_-then-good /to/$_ /to/good;
CONF

my $t = ORS::Nginx->new(model => $model, http => <<'HTTP', conf => <<"CONF");
    log_format facts '$open_responses_model $status $open_responses_status '
                     '$open_responses_error_code';
HTTP
    server {
        listen 127.0.0.1:%%PORT_0%% sndbuf=64k;

$routes
        location /v1/ {
            open_responses on;
            access_log %%TESTDIR%%/logs/facts.log facts;
        }

        location = /status { open_responses_status json; }

$targets
    }
CONF

$t->start;


sub body ($name, $stream) {
    return { model => $name, input => 'hi',
             stream => $stream ? json_true : json_false };
}


sub ask ($name, $stream) {
    return post_json($t->port, '/v1/responses', body($name, $stream));
}



# each answer that is cut is counted once

sub refused () {
    my $seen = get($t->port, '/status')->{json};

    return $seen->{answers}{refused} + $seen->{streams}{refused};
}


sub logged ($name, $line) {
    ok(wait_for(sub { slurp($t->dir . '/logs/facts.log')
                      =~ /^\Q$name $line\E$/m }), "$name: the log");
}

for my $name (sort grep { $_ ne 'slow' } keys %broken) {
    my $stream = $name =~ /stream/ ? 1 : 0;
    my $begun = $name =~ /stream-(?:role|text)/;
    my $n = refused();

    if ($begun) {
        my $c = http_start($t->port, 'POST', '/v1/responses',
                           { 'Content-Type' => 'application/json' },
                           json_encode(body($name, 1)));

        ok($c->wait_body(qr/response\.created/), "$name: a beginning");
        $model->touch($name);

        stream_ok($c->read_response, $name, expect => 'failed',
                  code => 'upstream_disconnected');
        $c->close;

    } else {
        error_ok(ask($name, $stream), 502, $name,
                 code => 'upstream_disconnected');
    }

    logged($name, ($begun ? 200 : 502) . ' failed upstream_disconnected');
    is(refused(), $n + 1, "$name: counted");

    next if $name eq 'stream-text';

    my $check = $stream ? \&stream_ok : \&response_ok;

    is($check->(ask("$name-then-good", $stream), "$name, then good",
                expect => 'completed')->text, 'Hello',
       "$name, then good: the other one answers");
    logged("$name-then-good", '200 completed -');
}


# the client is slow: what it has not taken yet reaches it all the same

{
    my $c = ORS::HTTP::Conn->new($t->port, rcvbuf => 4096);

    $c->write(request_text('POST', '/v1/responses',
                           { 'Content-Type' => 'application/json' },
                           json_encode(body('slow', 1))));
    ok($c->wait_body(qr/output_text\.delta/), 'slow: a beginning');

    my $mark = $t->log_mark;

    $model->touch('break');
    ok(wait_for(sub { $t->log_since($mark) =~ /invalid chunked response/ }),
       'slow: the model breaks');

    setsockopt $c->{fh}, SOL_SOCKET, SO_RCVBUF, 1024 * 1024;

    stream_ok($c->read_response, 'slow', expect => 'failed',
              code => 'upstream_disconnected');
    logged('slow', '200 failed upstream_disconnected');
    $c->close;
}

$t->finish;
done_testing();
