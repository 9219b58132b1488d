#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# A model server that dies at any byte of its answer, the head included: the
# client gets a well-formed error, or a stream that ends as it must.

use v5.36;
use IO::Socket::INET ();
use POSIX ();
use Socket qw( SOL_SOCKET SO_LINGER );
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( http_start request_text );
use ORS::JSON qw( json_encode json_decode );
use ORS::Nginx;
use ORS::Stream qw( check_stream check_response check_error );
use ORS::Util qw( free_port );

# ---- answers

my @chunks = (
    '{"choices":[{"delta":{"role":"assistant","content":""}}]}',
    '{"choices":[{"delta":{"reasoning_content":"hm"}}]}',
    '{"choices":[{"delta":{"content":"H\u00e9"}}]}',
    '{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c1","function":'
        . '{"name":"f","arguments":"{\"a\":"}}]}}]}',
    '{"choices":[{"delta":{"tool_calls":[{"index":0,"function":'
        . '{"arguments":"1}"}}]}}]}',
    '{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}',
    '{"choices":[],"usage":{"prompt_tokens":1,"completion_tokens":2}}',
    '[DONE]',
);

my $document = '{"choices":[{"message":{"content":"H\u00e9","tool_calls":'
               . '[{"id":"c1","function":{"name":"f","arguments":"{}"}}]},'
               . '"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}';

my $failure = '{"error":{"message":"no","code":"rate_limit_exceeded"}}';


sub framed ($kind, $framing) {
    my @parts = $kind eq 'stream' ? map { "data: $_\n\n" } @chunks
              : unpack '(a40)*', $kind eq 'plain' ? $document : $failure;
    my $body = join '', @parts;
    my $head = $kind eq 'failure' ? "HTTP/1.1 429 Slow down\r\n"
                                  : "HTTP/1.1 200 OK\r\n";

    $head .= 'Content-Type: '
             . ($kind eq 'stream' ? 'text/event-stream' : 'application/json')
             . "\r\n";

    if ($framing eq 'chunked') {
        $head .= "Transfer-Encoding: chunked\r\n";
        $body = join '', (map { sprintf "%x\r\n%s\r\n", length, $_ } @parts),
                         "0\r\n\r\n";

    } elsif ($framing eq 'length') {
        $head .= 'Content-Length: ' . length($body) . "\r\n";

    } else {
        $head .= "Connection: close\r\n";
    }

    return ("$head\r\n", $body);
}


my %answer;

for my $kind (qw( stream plain failure )) {
    $answer{"$kind-$_"} = [ framed($kind, $_) ]
        for qw( chunked length close );
}


# ---- a model server for one request after the other

my $listen = IO::Socket::INET->new(
    LocalAddr => '127.0.0.1', LocalPort => my $model = free_port(),
    Listen => 100, ReuseAddr => 1) or die "cannot listen: $!\n";

my $pid = fork // die "cannot fork: $!\n";

if ($pid == 0) {
    alarm 300;
    serve($_) while $_ = $listen->accept;
    POSIX::_exit(0);
}

close $listen;

END { kill 'KILL', $pid if $pid }


sub serve ($sock) {
    my $in = '';

    until ($in =~ /\r\n\r\n/) {
        sysread $sock, $in, 65536, length $in or return;
    }

    my ($rest) = $in =~ /\r\n\r\n(.*)/s;
    my ($length) = $in =~ /^Content-Length: (\d+)/mi;

    while (length $rest < $length) {
        sysread $sock, $rest, 65536, length $rest or return;
    }

    my ($name, $cut, $reset) = $in =~ /^X-Cut: (\S+) (\d+) (\d)\r/m;

    syswrite $sock, substr join('', @{ $answer{$name} }), 0, $cut;
    setsockopt $sock, SOL_SOCKET, SO_LINGER, pack 'ii', 1, 0 if $reset;
    close $sock;
}


# ---- nginx

my $t = ORS::Nginx->new(subst => { PORT => $model }, conf => <<'CONF');
    keepalive_requests 1000000;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /chat/ {
            open_responses on;
            open_responses_target default /to/chat;
        }

        location /native/ {
            open_responses on;
            open_responses_target default /to/native;
        }

        location = /to/chat {
            internal;
            open_responses_dialect chat;
            proxy_http_version 1.1;
            proxy_pass http://127.0.0.1:%%PORT%%;
        }

        location = /to/native {
            internal;
            proxy_http_version 1.1;
            proxy_pass http://127.0.0.1:%%PORT%%;
        }
    }
CONF

$t->start;

my $c = ORS::HTTP::Conn->new($t->port);


sub ask ($at, $name, $cut, $stream, $reset = 0) {
    $c = ORS::HTTP::Conn->new($t->port) if $c->{eof};

    http_start($t->port, 'POST', "$at/responses",
               { 'Content-Type' => 'application/json',
                 'X-Cut' => "$name $cut $reset" },
               json_encode({ model => 'm', input => 'hi',
                             tools => [ { type => 'function', name => 'f' } ],
                             stream => $stream ? \1 : \0 }),
               conn => $c, keepalive => 1);

    return $c->read_response;
}


# mistakes of an answer; "how" says how it ended

sub wrong ($r, $stream, $how) {
    my @wrong;

    if ($r->{status} >= 400) {
        $$how = $r->{json}{error}{code};
        @wrong = check_error($r->{status}, $r->{headers}, $r->{body});

    } elsif ($stream) {
        my $s = check_stream($r->{body});

        $$how = $s->status // '';
        $$how .= ' ' . $s->error->{code} if $$how eq 'failed';
        push @wrong, @{ $s->errors };
        push @wrong, 'the text is ' . $s->text
            if index("H\x{e9}", $s->text) != 0;

    } else {
        my $d = check_response($r->{body});

        $$how = $d->status // '';
        push @wrong, @{ $d->errors };
    }

    push @wrong, 'not complete' if !$r->{complete};

    return @wrong;
}


# the model's answer translated, whole and cut everywhere

for my $name (sort keys %answer) {
    my ($head, $body) = @{ $answer{$name} };
    my $total = length $head . $body;
    my ($kind, $framing) = split /-/, $name;

    for my $stream ($framing eq 'chunked' ? (0, 1) : $kind eq 'stream') {
        my $how = $stream ? 'stream' : 'plain';
        my (@wrong, %ends, @order);

        for my $cut (0 .. $total) {
            my $r = ask('/chat', $name, $cut, $stream);
            my @found = wrong($r, $stream, \my $end);

            $end = "$r->{status} $end";
            push @order, $end if !@order || $order[-1] ne $end;

            push @found, "end is $end"
                if $cut < length $head && $end ne '502 upstream_unavailable'
                   || $cut == $total && $kind ne 'failure'
                      && $end ne '200 completed'
                   || $kind eq 'failure' && $cut >= length $head
                      && $r->{status} != 429;

            push @wrong, map { "cut at $cut: $_" } @found;
        }

        ok(!@wrong, "$name, asked for $how, cut at each of $total bytes")
            or diag(join "\n", splice @wrong, 0, 10);

        my @expected
            = $kind eq 'failure' ? ('502 upstream_unavailable',
                                    '429 rate_limit_exceeded')
            : $kind eq 'stream' && $stream
              ? ('502 upstream_unavailable', '502 upstream_disconnected',
                 '200 failed upstream_disconnected', '200 completed')
            : $kind eq 'plain' && $framing eq 'close'
              ? ('502 upstream_unavailable', '502 invalid_upstream_answer',
                 '200 completed')
            : ('502 upstream_unavailable', '502 upstream_disconnected',
               '200 completed');

        is_deeply(\@order, \@expected, "$name, asked for $how: its ends");
    }
}


# a reset loses what was not read yet: any of the ends, but a good one

for my $name (sort keys %answer) {
    my $total = length join '', @{ $answer{$name} };

    for my $stream (0, 1) {
        my @wrong;

        for (my $cut = 0; $cut <= $total; $cut += 13) {
            my $r = ask('/chat', $name, $cut, $stream, 1);

            push @wrong, map { "cut at $cut: $_" } wrong($r, $stream, \my $end);
        }

        ok(!@wrong, "$name, asked for " . ($stream ? 'stream' : 'plain')
                    . ', reset') or diag(join "\n", splice @wrong, 0, 10);
    }
}


# a server that speaks the protocol: no head, no answer; else its bytes

for my $name (qw( plain-chunked plain-length plain-close stream-chunked )) {
    my ($head, $body) = @{ $answer{$name} };
    my $total = length $head . $body;
    my @wrong;

    for (my $cut = 0; $cut <= $total; $cut += $cut < length $head ? 3 : 5) {
        my $r = ask('/native', $name, $cut, 0);

        if ($cut < length $head) {
            push @wrong, "cut at $cut: status $r->{status}"
                if $r->{status} != 502
                   || check_error($r->{status}, $r->{headers}, $r->{body});
            next;
        }

        # all of it came at once, and nothing had been sent
        next if $r->{status} == 502 && $cut < $total
                && !check_error($r->{status}, $r->{headers}, $r->{body});

        push @wrong, "cut at $cut: other bytes"
            if index($name =~ /stream/ ? join('', map { "data: $_\n\n" }
                                                  @chunks) : $document,
                     $r->{body}) != 0;
        push @wrong, "cut at $cut: seems to be complete"
            if $r->{complete} && $cut < $total && $name !~ /close/;
    }

    ok(!@wrong, "$name, passed through, cut")
        or diag(join "\n", splice @wrong, 0, 10);
}

$c->close;
$t->finish;

done_testing();
