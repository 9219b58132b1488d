#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Reloads under streams and WebSockets, half of them with clients that read
# slowly: no answer is cut.  24 of each and 4 reloads, or as many as ORS_CLIENTS
# and ORS_RELOADS say ("make reloads").
#
# A client begins its next turn when it has read one, on the same WebSocket
# until that is closed with 1001.  Turns of slow clients have ended in
# nginx long before they are read.

use v5.36;
use Fcntl qw( F_GETFL F_SETFL O_NONBLOCK );
use IO::Socket::INET ();
use POSIX ();
use Socket qw( SOL_SOCKET SO_RCVBUF );
use Test::More;
use Time::HiRes qw( time );
use lib 't/lib';
use ORS::HTTP qw( request_text );
use ORS::JSON qw( json_encode );
use ORS::Model qw( chat_chunk );
use ORS::Nginx;
use ORS::Stream qw( check_stream );
use ORS::Util qw( free_port wait_for PATIENCE );
use ORS::WS;

my $clients = $ENV{ORS_CLIENTS} || 48;
my $reloads = $ENV{ORS_RELOADS} || 4;
my $files = 6 * $clients + 200;
my %chunks = (fast => 20, slow => 300);     # of 500 bytes, in an answer

use constant {
    SMALL => 4096,      # a slow client's buffer, and what it reads
    PAUSE => 0.02,      # between two of its reads
    SHOWN => 5,         # cut answers
};

$SIG{PIPE} = 'IGNORE';

# perl cannot raise its limit, but a shell can
if (POSIX::sysconf(POSIX::_SC_OPEN_MAX()) < $files) {
    die "$files open files are not allowed\n" if $ENV{ORS_CLIENTS_RAISED}++;

    exec 'sh', '-c', 'ulimit -n $(ulimit -Hn); exec "$@"', 'sh', $^X,
        (map { "-I$_" } @INC), $0;
}


# ---- the model: an answer is in its socket as soon as that takes it


my $listen = IO::Socket::INET->new(
    LocalAddr => '127.0.0.1', LocalPort => my $up = free_port(),
    Listen => 4096, ReuseAddr => 1, Blocking => 0)
    or die "cannot listen: $!\n";

my $model = fork // die "cannot fork: $!\n";

if ($model == 0) {
    my $parent = getppid;

    model($parent);
    POSIX::_exit(0);
}

close $listen;

END { kill 'KILL', $model if $model }


sub answer ($n) {
    my $text = join '', map { "data: $_\n\n" }
        (json_encode(chat_chunk(content => 'x' x 500))) x $n,
        json_encode(chat_chunk(finish => 'stop')), '[DONE]';

    return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
           . 'Content-Length: ' . length($text) . "\r\n\r\n$text";
}


sub model ($parent) {
    my %answers = map { $_ => answer($chunks{$_}) } keys %chunks;
    my %conn;

    while (getppid == $parent) {
        my ($in, $out) = ready([ $listen, map { $_->{fh} } values %conn ],
                               [ map { $_->{fh} }
                                 grep { length $_->{out} } values %conn ]);

        for my $fd (@$in) {
            if ($fd == fileno $listen) {
                while (my $fh = $listen->accept) {
                    $fh->blocking(0);
                    $conn{fileno $fh} = { fh => $fh, in => '', out => '' };
                }
                next;
            }

            my $c = $conn{$fd};

            if (!sysread $c->{fh}, $c->{in}, 65536, length $c->{in}) {
                close delete($conn{$fd})->{fh};
                next;
            }

            if ($c->{in} =~ /"model":"(fast|slow)".*\}\z/s) {
                $c->{in} = '';
                $c->{out} .= $answers{$1};
            }
        }

        for my $c (grep { defined } @conn{@$out}) {
            my $n = syswrite $c->{fh}, $c->{out}, 65536;
            substr($c->{out}, 0, $n // 0) = '';
        }
    }
}


# descriptors that may be read and written, after a short while at most

sub ready ($in, $out, $wait = 0.5) {
    my ($r, $w) = ('', '');

    vec($r, fileno $_, 1) = 1 for @$in;
    vec($w, fileno $_, 1) = 1 for @$out;

    select($r, $w, undef, $wait) > 0 or return [], [];

    return map { my $set = $_;
                 [ grep { vec($set, $_, 1) } 0 .. 8 * length($set) - 1 ] }
           $r, $w;
}


# ---- nginx


my $t = ORS::Nginx->new(
    workers => 1, main => "worker_rlimit_nofile $files;",
    subst => { UP => "127.0.0.1:$up", CONNECTIONS => $files },
    conf => <<'CONF')->start;
    events {
        worker_connections %%CONNECTIONS%%;
    }

    http {
        upstream model {
            server %%UP%%;
            keepalive 16;
        }

        server {
            listen 127.0.0.1:%%PORT_0%% backlog=4096 sndbuf=8k;
            open_responses_limits queue=1m;

            location /v1/ {
                open_responses on;
                open_responses_websocket on;
                open_responses_target default /to/chat;
            }

            location = /to/chat {
                internal;
                open_responses_dialect chat;
                proxy_http_version 1.1;
                proxy_set_header Connection "";
                proxy_pass http://model;
            }
        }
    }
CONF


# ---- clients


my ($turns, $again, $closed, $cut) = (0, 0, 0, 0);
my (%at, @shown);
my $over = 0;

sub cut ($c, $why) {
    $cut++;
    push @shown, "$c->{kind}, $c->{speed}: $why" if @shown < SHOWN;
}


sub begin ($c) {
    my $fh = IO::Socket::INET->new(Proto => 'tcp') or die "socket: $!\n";

    setsockopt $fh, SOL_SOCKET, SO_RCVBUF, SMALL if $c->{speed} eq 'slow';
    connect $fh, Socket::pack_sockaddr_in($t->port,
                                          Socket::inet_aton('127.0.0.1'))
        or die "connect: $!\n";
    $fh->blocking(0);

    @$c{qw( fh in sse got next )} = ($fh, '', '', 0, 0);
    $at{fileno $fh} = $c;

    if ($c->{kind} eq 'stream') {
        $c->{parser} = ORS::HTTP::Parser->new('POST');
        syswrite $fh, request_text('POST', '/v1/responses',
            { 'Content-Type' => 'application/json', Connection => 'close' },
            json_encode({ model => $c->{speed}, input => 'hi',
                          stream => \1 }));
        return;
    }

    $c->{open} = 0;
    syswrite $fh, join "\r\n", 'GET /v1/responses HTTP/1.1', 'Host: x',
        'Upgrade: websocket', 'Connection: Upgrade',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', '', '';
    ask($c);
}


# the next turn of a WebSocket

sub ask ($c) {
    $c->{sse} = '';
    $c->{asked} = 1;
    syswrite $c->{fh}, ORS::WS::pack_frame(0x81, json_encode(
        { type => 'response.create', model => $c->{speed}, input => 'hi' }));
}


# a turn that has been read to its end

sub whole ($c, $text) {
    my $s = check_stream($text, expect => 'completed', flavor => 'openai');
    my $got = $s->response ? length $s->response->{output}[0]{content}[0]{text}
                           : 0;
    my @errors = @{ $s->errors };

    $turns++;
    push @errors, 'its text is short' if $got != 500 * $chunks{$c->{speed}};
    cut($c, $errors[0]) if @errors;
}


sub end ($c) {
    delete $at{fileno $c->{fh}};
    close $c->{fh};
    begin($c) if !$over;
}


sub feed ($c, $bytes) {
    $c->{got} += length $bytes;
    return feed_stream($c, $bytes) if $c->{kind} eq 'stream';

    $c->{in} .= $bytes;

    if (!$c->{open}) {
        $c->{in} =~ s/\AHTTP\/1\.1 101 .*?\r\n\r\n//s or return;
        $c->{open} = 1;
    }

    while ($c->{in} =~ /\A([\x81\x88\x89])(\x7f.{8}|\x7e..|[^\x7e\x7f])/s) {
        my ($op, $head) = (ord $1, $2);
        my $n = length $head == 9 ? unpack 'xQ>', $head
              : length $head == 3 ? unpack 'xn', $head : ord $head;
        my $begin = 1 + length $head;

        return if length $c->{in} < $begin + $n;

        my $text = substr $c->{in}, $begin, $n;
        substr($c->{in}, 0, $begin + $n) = '';

        if ($op == 0x88) {
            $c->{code} = unpack 'n', $text;
            next;
        }

        if ($op == 0x89) {
            syswrite $c->{fh}, ORS::WS::pack_frame(0x8a, $text);
            next;
        }

        my ($type) = $text =~ /"type":"([^"]+)"/;

        $c->{sse} .= "event: $type\ndata: $text\n\n";

        if ($type =~ /\A(?:error|response[.](?:completed|failed))\z/) {
            $c->{asked} = 0;
            whole($c, "$c->{sse}data: [DONE]\n\n");

            # one in two lies idle for some reloads

            ask($c) if !$over && $c->{number} % 2;
        }
    }
}


sub feed_stream ($c, $bytes) {
    $c->{parser}->feed($bytes);

    if ($c->{parser}{done}) {
        whole($c, $c->{parser}{body});
        end($c);
    }
}


# nginx may close a connection before it has read anything of its request

sub gone ($c) {
    if ($c->{kind} eq 'socket' && ($c->{code} // 0) == 1001) {
        $closed++;

        # a message that comes after the close frame is not read

        cut($c, 'the close frame comes in the middle of a turn')
            if $c->{asked} && length $c->{sse};

    } elsif ($c->{got} == 0) {
        $again++;

    } else {
        cut($c, "ends after $c->{got} bytes" . ($c->{kind} eq 'socket'
                ? ', without a close frame' : ''));
    }

    delete $c->{code};
    end($c);
}


sub step () {
    my $now = time;
    my ($in) = ready([ map { $_->{fh} }
                       grep { $_->{next} <= $now } values %at ], [],
                     PAUSE / 2);

    for my $c (grep { defined } @at{@$in}) {
        my $slow = $c->{speed} eq 'slow';
        my $n = sysread $c->{fh}, my $bytes, $slow ? SMALL : 65536;

        $c->{next} = $now + PAUSE if $slow;

        if ($n) {
            feed($c, $bytes);

        } else {
            gone($c);
        }
    }
}


sub run_until ($what) {
    my $end = time + PATIENCE + $clients / 5;

    while (!$what->()) {
        return 0 if time > $end;
        step();
    }

    return 1;
}


begin({ kind => $_ % 4 < 2 ? 'stream' : 'socket', number => $_,
        speed => $_ % 8 < 4 ? 'slow' : 'fast' }) for 1 .. $clients;

for my $i (1 .. $reloads) {
    my $want = $turns + $clients / 2;

    ok(run_until(sub { $turns >= $want }), "turns before reload $i");
    ok($t->reload, "reload $i");
}

my $want = $turns + $clients / 2;

ok(run_until(sub { $turns >= $want }), 'turns after it');

# running turns end, sockets are idle

$over = 1;
ok(run_until(sub { !grep { $_->{kind} eq 'stream' || $_->{asked} }
                   values %at }), 'all turns have ended');

ok($t->reload, 'a last reload');
ok(run_until(sub { !%at }), 'closes all WebSockets');
ok(wait_for(sub { $t->workers(all => 1) == 1 }), 'all old workers leave');

diag("$turns turns, $closed WebSockets closed with 1001, $again requests "
     . 'sent again');
cmp_ok($closed, '>', 0, 'WebSockets end with 1001');
is($cut, 0, 'no answer is cut') or diag(join "\n", @shown);

$t->finish;
done_testing();
