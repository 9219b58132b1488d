#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Everybody misbehaves at once: a model server, tools and MCP servers that cut,
# reset, garble, compress badly and frame wrongly, clients that leave, dawdle,
# pipeline and change their mind, on WebSockets too, while nginx is told to
# reload and workers are killed.
# What a client can read to its end is well-formed, it comes to an end, and
# nginx is well.
#
# ORS_CHAOS is for how many seconds, ORS_SEED what follows from chance
# ("make chaos" with SECONDS and SEED, under the sanitizers).

use v5.36;
use IO::Compress::Gzip ();
use Test::More;
use Time::HiRes qw( sleep time );
use lib 't/lib';
use ORS::Fair qw( unfair );
use ORS::H2;
use ORS::HTTP qw( request_text );
use ORS::JSON qw( json_decode json_encode json_true json_false );
use ORS::MCP qw( legacy modern tool );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Sample;
use ORS::Util qw( slurp spew wait_for );
use ORS::WS;

my $SECONDS = $ENV{ORS_CHAOS} || 4;
my $SEED = $ENV{ORS_SEED} // 1;
my $CLIENTS = $ENV{ORS_CLIENTS} || 6;
my $PATIENCE = 60;

my %mcp = map { $_->[0] => $_->[1]->(tools => [ tool('look'), tool('g') ],
                                     call => sub { 'seen ' . rand }) }
          [ old => \&legacy ], [ new => \&modern ];

my $model = ORS::Model->new(scripts => { default => \&mischief });

my $t = ORS::Nginx->new(model => $model, workers => 2, quit_timeout => 30,
                        conf => <<'CONF');

    open_responses_store main lmdb:%%TESTDIR%%/db size=64m;
    open_responses_store_scope $http_x_user;
    open_responses_secret %%TESTDIR%%/keys;
    open_responses_target default /to/model;
    open_responses_target first /to/down /to/model;
    open_responses_target native /to/native;
    open_responses_target whole /to/whole;
    open_responses_target both /to/native /to/model;

    proxy_read_timeout 3s;
    send_timeout 5s;
    keepalive_timeout 5s;

    server {
        listen 127.0.0.1:%%PORT_0%%;
        listen 127.0.0.1:%%PORT_1%% http2;

        location /v1/ {
            open_responses on;
            open_responses_strict off;
            open_responses_flavor openai;
            open_responses_store main;
            open_responses_background timeout=5s;
        }

        location /hosted/ {
            open_responses on;
            open_responses_strict off;
            open_responses_flavor openai;
            open_responses_store main;
            open_responses_background timeout=5s;
            open_responses_schema enforce;
            open_responses_websocket on lanes=on queue=2;
            open_responses_tool g /to/tool definition=%%TESTDIR%%/g.json;
            open_responses_mcp old /to/old require_approval=never:look;
            open_responses_mcp new /to/new require_approval=never;
        }

        location /strict/ {
            open_responses on;
            open_responses_unknown_fields strip;
        }

        location /validator/ {
            open_responses_validate on;
            open_responses_flavor openai;
            proxy_set_header X-Native 1;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location /tolerant/ {
            open_responses_validate on;
            open_responses_strict off;
            proxy_set_header X-Native 1;
            proxy_pass http://%%MODEL%%/v1/;
        }

        location = /to/model {
            internal;
            open_responses_dialect chat;
            open_responses_chat_options think=on;
            proxy_pass http://%%MODEL%%/chat;
        }

        location ~ ^/to/(tool|old|new)$ {
            internal;
            proxy_pass http://%%MODEL%%/$1;
        }

        location = /to/down {
            internal;
            open_responses_dialect chat;
            proxy_pass http://127.0.0.1:%%PORT_9%%;
        }

        location = /to/native {
            internal;
            proxy_set_header X-Native 1;
            proxy_pass http://%%MODEL%%/v1/responses;
        }

        location = /to/whole {
            internal;
            open_responses_inline_context on;
            proxy_set_header X-Native 1;
            proxy_pass http://%%MODEL%%/v1/responses;
        }
    }
CONF

$t->write_file('g.json', json_encode({
    description => 'Does g', parameters => {
        type => 'object', required => [ 'a' ],
        properties => { a => { type => 'integer' } } } }));
$t->write_file('keys', '0123456789abcdef' x 4 . "\n");
chmod 0600, $t->dir . '/keys';

$t->provokes(qr/exited on signal 9/)->start;

my $until = time + $SECONDS;
my %clients = map { client($_) => $_ } 1 .. $CLIENTS;
my ($reloads, $kills) = (0, 0);

srand $SEED;

# each worker is killed once in a while, nginx reloaded in between

my $every = $SECONDS > 30 ? 5 : $SECONDS / 4;

while (time + $every < $until) {
    sleep $every;

    if (rand() < 0.6) {
        $reloads++;
        $t->reload or last;
        next;
    }

    my ($victim, $other) = $t->workers;

    kill 'KILL', $victim // next;
    $kills++;
    wait_for(sub { my @w = $t->workers;
                   return @w == 2 && !grep { $_ == $victim } @w });
    $t->{born} = [ $t->workers ];
}

my ($requests, $ends, @wrong) = (0, 0);

for my $pid (sort { $clients{$a} <=> $clients{$b} } keys %clients) {
    waitpid $pid, 0;
    is($?, 0, "client $clients{$pid} has come to its end");

    my ($made, $read, @found) =
        split /\0/, slurp($t->dir . "/client.$clients{$pid}");

    $requests += $made // 0;
    $ends += $read // 0;
    push @wrong, map { "client $clients{$pid}: $_" } @found;
}

is(scalar @wrong, 0, 'clients have read nothing that is wrong');
diag(substr $_, 0, 2000) for @wrong[0 .. ($#wrong > 9 ? 9 : $#wrong)];

cmp_ok($ends, '>', $CLIENTS, 'answers were read to their end');
diag("$requests requests, $ends read to their end, $reloads reloads, $kills"
     . ' workers killed, ' . @wrong . " findings, seed $SEED");

$t->finish;

done_testing();


# ---- the model server


sub mischief ($conn, $r) {
    srand($SEED * 1_000_003 + $conn->{number} * 7919 + $conn->{nth});

    my $native = $r->{headers}{'x-native'} // $r->{uri} =~ /responses/;
    my $stream = $r->{body} =~ /"stream"\s*:\s*true/;

    $stream = !$stream if rand() < 0.05;

    # mischief of a whole answer, where the others make one piece by piece

    return $mcp{$1}->($conn, $r)
        if $r->{uri} =~ m{^/(old|new)} && rand() < 0.7;

    my ($type, @pieces) = $r->{uri} =~ m{^/(?:tool|old|new)} ? result($r)
                          : $native ? native($stream) : chat($stream);
    my $body = join '', @pieces;
    my $way = rand() < 0.4 ? 0 : int rand 16;

    # slow, but not for longer than a client waits

    $conn->_step_split(1 + int(rand 200), rand() < 0.1 ? 0.002 : 0.0001)
        if rand() < 0.15 && $way != 9 && length $body < 10_000;

    if ($way == 1) {
        $conn->_step_cut_at(int rand(200 + length $body));

    } elsif ($way == 2) {
        $body = substr $body, 0, rand length $body;
        plain($conn, $type, $body, length($body) + 10);
        return $conn->_step_reset;

    } elsif ($way == 3 || $way == 4) {
        substr($body, rand length $body, 1) = chr rand 256
            for 0 .. rand 5;

    } elsif ($way == 5 || $way == 6) {
        IO::Compress::Gzip::gzip(\$body, \my $packed);
        substr($packed, rand length $packed, 1) = chr rand 256 if $way == 6;
        $conn->_step_header('Content-Encoding', 'gzip');
        $body = $packed;

    } elsif ($way == 7) {
        return plain($conn, $type, $body, length($body) + int(rand 200) - 100);

    } elsif ($way == 8) {
        return $conn->_step_wire("HTTP/1.1 200 OK\r\nContent-Type: $type\r\n"
            . "Transfer-Encoding: chunked\r\n\r\n"
            . join '', map { sprintf("%x\r\n%s\r\n",
                                     length($_) + (rand() < 0.2), $_) }
                       @pieces);

    } elsif ($way == 9) {
        $body = 'data: {"choices":[{"delta":{"content":"' . 'x' x rand 300_000;

    } elsif ($way == 10) {
        $conn->_step_status(400 + int rand 200);
        ($type, $body) = ('text/html', '<html>no</html>') if rand() < 0.5;
        $body = json_encode({ error => { message => 'no', code => 'x' } })
            if rand() < 0.5;

    } elsif ($way == 11) {
        $body = '';

    } elsif ($way == 12) {
        return $conn->_step_wire(join '', map { chr rand 256 } 1 .. rand 300);

    } elsif ($way == 13) {
        sleep rand 4;

    } elsif ($way == 14) {
        $conn->_step_header("X-Header-$_", 'y' x rand 200) for 1 .. rand 60;

    } elsif ($way == 15) {
        $type = (undef, 'text/plain', 'application/json',
                 'text/event-stream', "x\x01y")[rand 5];
    }

    $conn->_step_header('Content-Type', $type) if defined $type;
    $conn->_step_raw($_) for rand() < 0.5 ? $body : unpack '(a97)*', $body;
}


sub plain ($conn, $type, $body, $len) {
    $conn->_step_wire("HTTP/1.1 200 OK\r\nContent-Type: $type\r\n"
                      . "Content-Length: $len\r\n\r\n$body");
}


sub chat ($stream) {
    my @words = map { join '', map { chr(97 + rand 26) } 1 .. 1 + rand 20 }
                1 .. 1 + rand 8;
    my %what = rand() < 0.3
               ? (tool_calls => [ map { called($_) } 1 .. 1 + rand 3 ])
               : rand() < 0.3 ? (reasoning => [ @words ], text => [ @words ])
               : (text => [ @words ]);

    return ('application/json',
            json_encode(chat_reply(content => "@words"))) if !$stream;

    return ('text/event-stream',
            (map { 'data: ' . json_encode($_) . "\n\n" } chat_stream(%what)),
            "data: [DONE]\n\n");
}


sub called ($n) {
    my $name = (qw( f g g old__look old__g new__look none ))[rand 7];

    return { id => "call_$n", name => $name,
             arguments => rand() < 0.1 ? [ '{"a":', '"x"}' ]
                                       : [ '{"a":', '1}' ] };
}


# of a tool, or of an MCP server

sub result ($r) {
    my $of = eval { json_decode($r->{body}) };

    return ('text/plain', 'out', 'put') if $r->{uri} =~ /tool/;

    my %body = (jsonrpc => '2.0', id => ref $of eq 'HASH' ? $of->{id} : 1,
                result => { content => [ { type => 'text', text => 'seen' } ],
                            tools => [ tool('look') ] });

    return rand() < 0.5 ? ('application/json', json_encode(\%body))
           : ('text/event-stream', "event: message\n",
              'data: ' . json_encode(\%body) . "\n\n");
}


sub native ($stream) {
    return ('application/json', json_encode(response('completed',
                                                     model => 'm')))
        if !$stream;

    return ('text/event-stream', render(good()) =~ /(.*?\n\n)/gs);
}


# ---- a client


sub client ($n) {
    my $dir = $t->dir;
    my $parent = $$;
    my $pid = fork // die "cannot fork: $!\n";

    return $pid if $pid;

    srand $SEED * 1000 + $n;

    my ($made, $read, @found, @ids) = (0, 0);

    while (time < $until && getppid() == $parent) {
        my ($method, $path, $body) = whim(\@ids);
        my ($requests, @replies) = eval { behave($method, $path, $body) };

        # nobody listens while a worker is replaced
        next if !defined $requests;

        $made += $requests;

        for my $r (@replies) {
            my $what = unfair($r);

            $read++ if $r->{complete};
            push @found, "$method $path $body\n$what" if $what;
            push @ids, $1 if ($r->{body} // '') =~ /"id":"(resp_\w+)"/;
        }

        splice @ids, 0, @ids - 20 if @ids > 20;
    }

    spew("$dir/client.$n", join "\0", $made, $read, @found);
    POSIX::_exit(0);
}


sub whim ($ids) {
    my $id = @$ids ? $ids->[rand @$ids] : 'resp_none';

    if (rand() < 0.2) {
        my $at = "/v1/responses/$id";

        return rand() < 0.3 ? ('DELETE', $at, '')
               : rand() < 0.3 ? ('POST', "$at/cancel", '')
               : ('GET', $at . (rand() < 0.5 ? '' : '/input_items?limit=2'),
                  '');
    }

    my @at = qw( /v1/responses /v1/responses /v1/responses /strict/responses
                 /validator/responses /tolerant/responses /v1/responses/compact
                 /validator/chat/completions /v1/models
                 /hosted/responses /hosted/responses /hosted/responses );
    my $at = $at[rand @at];

    return ('GET', $at, '') if $at =~ /models/;

    return ('POST', $at, whim_body($id, scalar $at =~ /hosted/));
}


sub whim_body ($id, $hosted) {
    my %o = (model => (qw( m m first native whole both ))[rand 6],
             input => 'x' x rand 100);

    $o{input} = [ map { { type => 'message', role => 'user',
                          content => "y$_" } } 1 .. 1 + rand 5 ]
        if rand() < 0.3;
    $o{stream} = json_true if rand() < 0.5;
    $o{background} = json_true if rand() < 0.1;
    $o{store} = json_false if rand() < 0.4;
    $o{previous_response_id} = $id if rand() < 0.3;
    push @{ $o{input} }, { type => 'item_reference',
                           id => $id =~ s/resp/msg/r . '0' }
        if ref $o{input} && rand() < 0.2;
    $o{tools} = [ { type => 'function', name => 'f', parameters => {} } ]
        if rand() < 0.3;
    push @{ $o{tools} },
        map { { type => 'mcp', server_label => $_,
                rand() < 0.5 ? (require_approval => 'never') : () } }
        qw( old new )
        if $hosted && rand() < 0.6;
    $o{include} = [ 'reasoning.encrypted_content' ] if rand() < 0.2;
    $o{instructions} = 'z' x rand 20_000 if rand() < 0.1;

    my $body = json_encode(\%o);

    if (rand() < 0.1) {
        substr($body, rand length $body, 1) = chr rand 256 for 0 .. rand 3;
    }

    return $body;
}


# how many requests were made, and what was read to an end

sub behave ($method, $path, $body) {
    my %headers = ('X-User' => 'ann',
                   $body ne '' ? ('Content-Type' => 'application/json') : ());
    my $way = rand() < 0.5 ? 0 : 1 + int rand 9;
    my $port = $t->port;

    return ws(\%headers, $body)
        if $path eq '/hosted/responses' && rand() < 0.3;

    return h2($method, $path, $body, \%headers) if $way == 1;

    my $text = request_text($method, $path, \%headers, $body,
                            $way == 2 ? (chunked => 1 + int rand 50) : ());

    if ($way == 3) {
        my $c = ORS::HTTP::Conn->new($port);
        $c->write($text x 3);
        return (3, map { $c->{method} = $method;
                         $c->read_response(timeout => $PATIENCE) } 1);
    }

    my $c = ORS::HTTP::Conn->new($port, $way == 4 ? (rcvbuf => 4096) : ());

    $c->{method} = $method;

    if ($way == 5) {
        $c->write(substr $text, 0, rand length $text);
        rand() < 0.5 ? $c->reset : $c->close;
        return (1);
    }

    $way == 6 ? $c->write_slow($text, 1 + int(length($text) / 40), 0.002)
              : $c->write($text);

    if ($way == 7) {
        sleep rand 0.05;
        rand() < 0.5 ? $c->reset : $c->close;
        return (1);
    }

    if ($way == 8) {
        $c->read_head(timeout => $PATIENCE);
        rand() < 0.5 ? $c->reset : $c->close;
        return (1);
    }

    $c->half_close if $way == 9;
    $c->read_slow(50, 0.005, 20) if $way == 4;

    my $r = $c->read_response(timeout => $PATIENCE);
    $c->close;

    return (1, $r);
}


sub h2 ($method, $path, $body, $headers) {
    my $c = ORS::H2->new($t->port(1));
    my @streams = map { $c->send($method, $path, $headers,
                                 $body eq '' ? undef : $body) }
                  0 .. rand 3;

    my $gone = rand() < 0.3 ? shift @streams : undef;

    if (defined $gone) {
        sleep rand 0.02;
        $c->rst($gone);
    }

    my @replies = map { $c->read_response($_, $PATIENCE) } @streams;
    my $made = @streams + defined $gone;

    $c->close;

    return ($made, grep { !defined $_->{rst} } @replies);
}


# turns of one connection: each of them ends, or the connection does

sub ws ($headers, $body) {
    my $ws = ORS::WS->new($t->port, path => '/hosted/responses',
                          headers => $headers);

    return (1) if ($ws->{status} // 0) != 101;

    my @ids = ('resp_none');
    my ($made, @replies) = (1);

    for my $n (0 .. rand 4) {
        $body = whim_body($ids[-1], 1) if $n;
        $body =~ s/\{/{"type":"response.create",/;
        $body =~ s/\{/{"stream_id":"s@{[ int rand 3 ]}",/ if rand() < 0.3;

        return ($made, @replies) if !ws_send($ws, $body);

        # a broken frame is no JSON

        my @texts = eval { $ws->turn };
        my $last = $@ || $texts[-1];

        push @ids, $1 if "@texts" =~ /"id":"(resp_\w+)"/;
        push @replies, { status => 200, complete => defined $last,
                         headers => { 'content-type' => 'application/json' },
                         body => $last };
        $made++;
        last if $ws->{eof} || defined $ws->{code};
    }

    $ws->close if rand() < 0.5;
    $ws->drop;

    return ($made, @replies);
}


# the message in frames, or the end of the connection

sub ws_send ($ws, $body) {
    my $way = rand() < 0.6 ? 0 : 1 + int rand 6;

    if ($way == 1) {
        my $at = int rand length $body;

        $ws->send_frame(0x01, substr $body, 0, $at);
        $ws->send_frame(0x89, 'ping');
        return $ws->send_frame(0x80, substr $body, $at);
    }

    if ($way == 2) {
        $ws->write(join '', map { chr rand 256 } 0 .. rand 40);
        $ws->closed if rand() < 0.5;
        return;
    }

    $ws->send_text($body);

    return 1 if $way < 4;

    if ($way == 4) {
        $ws->send_text($body) for 0 .. rand 20;
    }

    sleep rand 0.05;
    rand() < 0.5 ? $ws->reset : $ws->drop;
    return;
}
