#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The access log's line of a turn: tokens, times, the server that was called
# last; of turns with a client, without one, and of a WebSocket.  The error log
# about a server's error.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get post_json http_start );
use ORS::JSON qw( json_encode );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Sample;
use ORS::Util qw( slurp wait_for );
use ORS::WS;

my $usage = chat_usage(prompt_tokens_details => { cached_tokens => 3 },
                       completion_tokens_details => { reasoning_tokens => 1 });

my $native = response('completed', model => 'm',
                      output => [ message('msg_1', 'completed',
                                          output_text('Hello')) ]);

$native->{usage} = {
    input_tokens => 20, input_tokens_details => { cached_tokens => 5 },
    output_tokens => 7, output_tokens_details => { reasoning_tokens => 2 },
    total_tokens => 27 };

my $says = q(the key sk-abcdef is 'magpie in "quotes"' or )
           . 'x' x 25 . ", can't go on";

my $model = ORS::Model->new(scripts => {
    stream => stream_script(text => 'Hello', usage => $usage),
    plain => json_script(chat_reply(content => 'Hello', usage => $usage)),
    none => json_script(chat_reply(content => 'Hello', usage => undef)),
    native => [ [ header => 'Content-Type', 'application/json' ],
                [ raw => json_encode($native) ] ],
    tool => rounds(stream_script(tool_calls => [
                       { id => 'call_1', name => 'f', arguments => '{}' } ],
                                 usage => $usage),
                   stream_script(text => 'Hello', usage => $usage)),
    error => json_script({ error => { message => $says } }, 500),
    hang => sub ($conn, $request) {
        $conn->touch('hanging');
        $conn->touch('gone') if $conn->wait_gone;
    },
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    open_responses_store main lmdb:%%TESTDIR%%/db size=64m;
    open_responses_store_scope $remote_addr;

    log_format facts '$uri|$open_responses_status'
        '|in=$open_responses_input_tokens,$open_responses_cached_tokens'
        '|out=$open_responses_output_tokens,$open_responses_reasoning_tokens'
        '|rounds=$open_responses_rounds,$open_responses_tool_calls'
        '|first=$open_responses_first_token_time'
        '|addr=$open_responses_upstream_addr'
        '|status=$open_responses_upstream_status'
        '|time=$open_responses_upstream_time|';

    server {
        listen 127.0.0.1:%%PORT_0%%;
        access_log %%TESTDIR%%/logs/facts.log facts;

        location /v1/ {
            open_responses on;
            open_responses_websocket on;
            open_responses_store main;
            open_responses_upstream_errors mask;
            open_responses_target native /to/native;
            open_responses_target over   /to/down /to/chat;
            open_responses_target default /to/chat;
            open_responses_tool f /tool;
        }

        location /validated/ {
            open_responses_validate on;
            open_responses_upstream_errors mask;
            proxy_pass http://%%MODEL%%;
        }

        location = /to/down {
            internal;
            log_subrequest on;
            open_responses_dialect chat;
            proxy_pass http://127.0.0.1:%%PORT_1%%;
        }

        %%CHAT /to/chat%%

        location = /to/hang {
            internal;
            log_subrequest on;
            open_responses_dialect chat;
            proxy_pass http://%%MODEL%%;
        }

        location /hang/ {
            open_responses on;
            open_responses_target default /to/hang;
        }

        location = /to/native { internal; proxy_pass http://%%MODEL%%; }

        location = /tool { internal; return 200 "done"; }

        location = /other { return 200 ok; }
    }
CONF

$t->start;

my $port = $t->port;
my $server = quotemeta $model->address;
my $sec = '\d+\.\d{3}';
my $seen = 0;

sub lines () { return split /\n/, slurp($t->dir . '/logs/facts.log') }


# the lines that follow those seen so far, sorted

sub lines_like ($name, @re) {
    my @new;

    wait_for(sub {
        my @lines = lines();
        @new = sort @lines[$seen .. $#lines];
        return @new >= @re;
    });

    $seen += @new;
    is(scalar @new, scalar @re, "$name: lines") or diag(explain(\@new));
    like($new[$_] // '', $re[$_], "$name: line $_") for 0 .. $#re;
}


sub ask ($at, $name, %o) {
    return post_json($port, "$at/responses",
                     { model => $name, input => 'hi', store => \0, %o });
}


my $counts = qr/in=8,3\|out=2,1/;
my $called = qr/addr=$server\|status=200\|time=$sec/;

ask('/v1', 'stream', stream => \1);
lines_like('a stream', qr{^/v1/responses\|completed\|$counts\|rounds=1,0
                          \|first=$sec\|$called\|$}x);

ask('/v1', 'plain');
lines_like('an answer', qr{\|completed\|$counts\|rounds=1,0\|first=-
                           \|$called}x);

ask('/v1', 'none');
lines_like('nothing counted', qr{\|completed\|in=-,-\|out=-,-\|rounds=1,0\|}x);

ask('/v1', 'native');
lines_like('a native answer', qr{\|completed\|in=20,5\|out=7,2\|rounds=1,0
                                 \|first=-\|$called}x);

ask('/validated', 'native');
lines_like('a validated answer', qr{\|completed\|in=20,5\|out=7,2\|rounds=-,-
                                    \|first=-\|$called}x);

ask('/v1', 'tool', stream => \1,
    tools => [ { type => 'function', name => 'f', parameters => {} } ]);
lines_like('two rounds', qr{\|completed\|in=16,6\|out=4,2\|rounds=2,1
                            \|first=$sec\|$called}x);

ask('/v1', 'over');
lines_like('a failover',
           qr{^/to/down\|-\|.*\|addr=127\.0\.0\.1:\d+\|status=502\|
              time=$sec\|$}x,
           qr{^/v1/responses\|completed\|.*\|$called});

get($port, '/other');
lines_like('another location',
           qr{^/other\|-\|in=-,-\|out=-,-\|rounds=-,-\|first=-\|addr=-\|status=-
              \|time=-\|$}x);

ask('/v1', 'plain', background => \1, store => \1);
lines_like('a background response, and its client',
           qr{\|-\|in=-,-\|}, qr{\|completed\|$counts\|rounds=1,0\|.*$called});

{
    my $ws = ORS::WS->new($port);

    $ws->send_json({ type => 'response.create', model => 'stream',
                     input => 'hi' });
    lines_like('a turn of a WebSocket',
               qr{\|completed\|$counts\|rounds=1,0\|first=$sec\|$called});
    $ws->close;
}

lines_like('the handshake', qr{^/v1/responses\|-\|});


# a client that leaves: the call has a line, too

{
    my $c = http_start($port, POST => '/hang/responses',
                       { 'Content-Type' => 'application/json' },
                       json_encode({ model => 'hang', input => 'hi' }));

    $model->wait_file('hanging');
    $c->close;
    lines_like('a client that leaves',
               qr{^/hang/responses\|canceled\|.*\|addr=$server\|},
               qr{^/to/hang\|.*\|addr=$server\|});
}


# a server's words are in the log, quotes of the request are not

for my $at ('/v1', '/validated') {
    my $mark = $t->log_mark;
    my $r = ask($at, 'error');

    unlike($r->{body}, qr/the key/, "$at: masked");
    my ($said) = $t->log_since($mark)
                 =~ /\[error\].*model server says: (.*?)(?: while.*)?, client:/;

    is($said, "the key ... is ... or ... can't go on", "$at: in the log");
}


$t->finish;
done_testing();
