#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Frames as clients may send them, and as they must not: what closes a
# WebSocket, with which code, and what does not.

use v5.36;
use POSIX ();
use Test::More;
use lib 't/lib';
use ORS::JSON qw( json_encode );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::WS;

my $model = ORS::Model->new(scripts => {
    default => stream_script(text => 'Hello'),
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ {
            open_responses on;
            open_responses_websocket on message=100k;
            open_responses_target default /to/chat;
        }

        %%CHAT /to/chat%%
    }
CONF

$t->start;

my $port = $t->port;

sub frame { return ORS::WS::pack_frame(@_) }

sub body ($text = 'hi') {
    return json_encode({ type => 'response.create', model => 'm',
                         input => $text });
}


# one message in many packets, many messages in one

{
    my $ws = ORS::WS->new($port);
    my $bytes = frame(0x81, body);

    $ws->write($_) for split //, $bytes;
    $ws->turn_ok('byte by byte', expect => 'completed');

    my ($first, @rest) = split //, body;

    $ws->write(frame(0x01, $first)
               . join('', map { frame(0x00, $_) . frame(0x89, 'p') } @rest)
               . frame(0x80, ''));

    my $pongs = 0;

    while (my ($op, $payload) = $ws->frame) {
        last if $op == 1 && $payload =~ /response[.]completed/;
        $pongs++ if $op == 10 && $payload eq 'p';
    }

    is($pongs, @rest, 'fragments of a byte, with pings between them');

    $ws->write($bytes x 3);
    $ws->turn_ok("message $_ of a packet") for 1 .. 3;

    for my $size (125, 126, 65535, 65536, 100 * 1024) {
        $ws->send_text(body . ' ' x ($size - length body));
        $ws->turn_ok("a message of $size bytes", expect => 'completed');
    }

    $ws->drop;
}

{
    my $ws = ORS::WS->new($port, rest => frame(0x81, body));

    is($ws->{status}, 101, 'a message with the handshake');
    $ws->turn_ok('is a turn', expect => 'completed');
    $ws->reset;
}


# frames that close the connection

for my $case ([ 'without a mask', frame(0x81, body, mask => 0), 1002 ],
              [ 'a reserved bit', frame(0xc1, body), 1002 ],
              [ 'an opcode', frame(0x83, 'x'), 1002 ],
              [ 'a continuation of nothing', frame(0x80, 'x'), 1002 ],
              [ 'a long ping', frame(0x89, 'x' x 126), 1002 ],
              [ 'a fragmented ping', frame(0x09, 'x'), 1002 ],
              [ 'a binary', frame(0x82, body), 1003 ],
              [ 'no UTF-8', frame(0x81, qq({"a":"\xff"})), 1007 ],
              [ 'a cut character', frame(0x81, "\xce"), 1007 ],
              [ 'a bad close', frame(0x88, "\x03"), 1002 ],
              [ 'a close', frame(0x88, pack('n', 1001) . 'bye'), 1001 ],
              [ 'a close without a code', frame(0x88), 1005 ],
              [ 'a close of an application', frame(0x88, pack 'n', 4321),
                4321 ])
{
    my ($name, $bytes, $code) = @$case;
    my $ws = ORS::WS->new($port);

    $ws->write($bytes);
    is($ws->closed, $code, "$name: $code");
}

# by what a header announces, not by what has come

for my $case ([ 'a byte over the limit', pack('CQ>', 0xff, 100 * 1024 + 1) ],
              [ '4 EB', pack('CQ>', 0xff, 1 << 62) ])
{
    my ($name, $len) = @$case;
    my $ws = ORS::WS->new($port);

    $ws->write("\x81$len");
    $ws->error_ok(413, "a message of $name", code => 'request_too_large');
    is($ws->closed, 1009, 'and its close');
}

{
    my $ws = ORS::WS->new($port);
    my $half = frame(0x01, 'x' x 60000);

    $ws->write($half . frame(0x80, 'x' x 60000));
    $ws->error_ok(413, 'fragments that are too long together');
    is($ws->closed, 1009, 'and their close');
}

# a client that is still sending when it is closed meets no reset

{
    my $ws = ORS::WS->new($port);

    $ws->write(frame(0x88, pack 'n', 1000));
    is($ws->closed, 1000, 'a close, and then');
    is(join(' ', map { $ws->write('x' x 1000) } 1 .. 3), '1 1 1',
       'what the client still sends is read');
    $ws->drop;
}


# attacks

{
    my $ws = ORS::WS->new($port);
    my $n = 20000;

    my $pid = fork // die "fork: $!";

    if (!$pid) {
        $ws->write(frame(0x89, 'x' x 125) x $n);
        POSIX::_exit(0);
    }

    my $pongs = 0;

    while ($pongs < $n) {
        my ($op) = $ws->frame or last;
        $pongs++ if $op == 10;
    }

    waitpid $pid, 0;
    is($pongs, $n, 'each of many pings is answered');
    $ws->say('hi', name => 'and the connection goes on');
    $ws->drop;
}

{
    my $ws = ORS::WS->new($port);

    $ws->write(frame(0x01, '') . frame(0x00, '') x 50000);
    $ws->write(frame(0x80, body));
    $ws->turn_ok('many empty fragments', expect => 'completed');

    $ws->write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    is($ws->closed, 1002, 'another protocol');
}

{
    my $ws = ORS::WS->new($port);

    $ws->send_text(body);
    shutdown $ws->{socket}, 1;
    ok(defined($ws->closed), 'a client that closes one half is gone');
}

is(ORS::WS->new($port)->say('hi')->{status}, 'completed', 'still alive');

$t->finish;

done_testing();
