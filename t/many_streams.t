#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# A thousand streams, or ORS_STREAMS=10000 of them, at the same time on one
# worker.  Client and model are one process each with a loop of its own.

use v5.36;
use Fcntl qw( F_GETFL F_SETFL O_NONBLOCK );
use IO::Socket::INET ();
use POSIX ();
use Test::More;
use Time::HiRes qw( time );
use lib 't/lib';
use ORS::HTTP qw( post_json request_text );
use ORS::JSON qw( json_encode );
use ORS::Model qw( chat_chunk );
use ORS::Nginx;
use ORS::Stream qw( stream_ok check_stream );
use ORS::Util qw( free_port slurp PATIENCE );

my $streams = $ENV{ORS_STREAMS} || 1000;
my $patience = PATIENCE + $streams / 10;

# two for each, and more than a sixteenth of them to spare: with less nginx
# takes connections back that have not sent their request yet

my $connections = int(2.2 * $streams) + 200;
my $files = 2 * $streams + 100;

$SIG{PIPE} = 'IGNORE';

# perl cannot raise its limit, but a shell can
if (POSIX::sysconf(POSIX::_SC_OPEN_MAX()) < $files) {
    plan(skip_all => "$files open files are not allowed")
        if $ENV{ORS_STREAMS_RAISED}++;

    exec 'sh', '-c', 'ulimit -n $(ulimit -Hn); exec "$@"', 'sh', $^X,
        (map { "-I$_" } @INC), $0;
}


# ---- the model: begins each answer, and ends all when it is told


sub chunk ($data) {
    my $text = "data: $data\n\n";
    return sprintf "%x\r\n%s\r\n", length $text, $text;
}


my $beginning = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
    . "Transfer-Encoding: chunked\r\n\r\n"
    . join '', map { chunk(json_encode($_)) }
      chat_chunk(role => 'assistant', content => ''),
      chat_chunk(content => 'once');

my $end = join '', map { chunk($_) }
    json_encode(chat_chunk(content => ' upon')),
    json_encode(chat_chunk(content => ' a time')),
    json_encode(chat_chunk(finish => 'stop')), '[DONE]';

$end .= "0\r\n\r\n";

my $listen = IO::Socket::INET->new(
    LocalAddr => '127.0.0.1', LocalPort => my $port = free_port(),
    Listen => 4096, ReuseAddr => 1, Blocking => 0)
    or die "cannot listen: $!\n";

pipe my $told, my $tell or die "pipe: $!\n";

my $model = fork // die "cannot fork: $!\n";

if ($model == 0) {
    close $tell;
    alarm 10 * $patience;
    model();
    POSIX::_exit(0);
}

close $listen;
close $told;

END { kill 'KILL', $model if $model }


sub model () {
    my ($go, %conn);
    my $set = '';

    vec($set, fileno $_, 1) = 1 for $listen, $told;

    while (1) {
        for my $fd (ready($set)) {

            if ($fd == fileno $told) {
                sysread $told, $go, 1;
                vec($set, $fd, 1) = 0;
                syswrite $_->{fh}, $end for grep { $_->{begun} } values %conn;
                next;
            }

            if ($fd == fileno $listen) {
                while (my $fh = $listen->accept) {
                    $fh->blocking(0);
                    $conn{fileno $fh} = { fh => $fh, in => '' };
                    vec($set, fileno $fh, 1) = 1;
                }
                next;
            }

            my $c = $conn{$fd};

            if (!sysread $c->{fh}, $c->{in}, 65536, length $c->{in}) {
                vec($set, $fd, 1) = 0;
                close delete($conn{$fd})->{fh};
                next;
            }

            # a body is in one packet with its end
            next if $c->{in} !~ /\r\n\r\n.*\}\z/s;

            $c->{begun} = 1;
            $c->{in} = '';
            syswrite $c->{fh}, $go ? $beginning . $end : $beginning;
        }
    }
}


# descriptors that can be read

sub ready ($set, $timeout = undef) {
    my $n = select $set, undef, undef, $timeout;
    my @fds;

    return if $n <= 0;

    my $bits = unpack 'b*', $set;

    for (my $i = -1; ($i = index $bits, '1', $i + 1) >= 0; ) {
        push @fds, $i;
    }

    return @fds;
}


# ---- nginx


my $t = ORS::Nginx->new(
    subst => { PORT => $port, FILES => $files, CONNECTIONS => $connections },
    conf => <<'CONF');
worker_rlimit_nofile %%FILES%%;

events { worker_connections %%CONNECTIONS%%; }

http {
    upstream model {
        server 127.0.0.1:%%PORT%%;
        keepalive 100;
    }

    server {
        listen 127.0.0.1:%%PORT_0%% backlog=4096;

        location /v1/ {
            open_responses on;
            open_responses_target default /to/model;
        }

        location = /to/model {
            internal;
            open_responses_dialect chat;
            proxy_http_version 1.1;
            proxy_set_header Connection "";
            proxy_read_timeout 300s;
            proxy_pass http://model/chat;
        }
    }
}
CONF

$t->start;


# ---- the clients


my $request = request_text('POST', '/v1/responses',
    { 'Content-Type' => 'application/json' },
    json_encode({ model => 'm', input => 'x', stream => \1 }));

my $set = '';
my %client;


# until so many of them have what is wanted

sub read_until ($count, $re) {
    my $until = time + $patience;
    my $done = grep { $_->{body} =~ $re } values %client;

    while ($done < $count && time < $until) {
        for my $fd (ready($set, 1)) {
            my $c = $client{$fd};
            my $old = $c->{done};

            if (!sysread $c->{fh}, $c->{body}, 65536, length $c->{body}) {
                vec($set, $fd, 1) = 0;
                $c->{eof} = 1;
            }

            $c->{done} = $c->{body} =~ $re;
            $done++ if $c->{done} && !$old;
        }
    }

    delete $_->{done} for values %client;

    return $done;
}


# processor time of the worker, in hundredths of a second

sub ticks () {
    my ($pid) = $t->workers;
    my @stat = split ' ', slurp("/proc/$pid/stat") =~ s/.*\) //sr;

    return $stat[11] + $stat[12];
}


# a body that came in chunks

sub whole ($c) {
    my $p = ORS::HTTP::Parser->new('POST');

    $p->feed($c->{body});
    return $p->reply;
}


# one that makes the worker get what it keeps

my $warm = ORS::HTTP::Conn->new($t->port);

$warm->write($request);
ok($warm->wait_body(qr/"once"/), 'one stream');

my $memory = $t->memory;
my $start = time;

for my $n (1 .. $streams) {
    my $fh = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
                                   PeerPort => $t->port, Proto => 'tcp')
        or die "cannot connect: $!\n";

    $fh->blocking(0);
    syswrite $fh, $request;
    $client{fileno $fh} = { fh => $fh, body => '' };
    vec($set, fileno $fh, 1) = 1;
}

is(read_until($streams, qr/"delta":"once"/), $streams,
   "$streams streams are open at the same time");

my $each = ($t->memory - $memory) / $streams;

diag(sprintf '%d streams open after %.1f s, %.1f KB of memory each',
     $streams, time - $start, $each / 1024) if $ENV{ORS_STREAMS};

SKIP: {
    skip 'memory is not measured with sanitizers', 1
        if $ENV{TEST_NGINX_ASAN};

    cmp_ok($each, '<', 32 * 1024, 'at most 32 KB of memory for each');
}

# the worker is not busy with those that wait

my $ticks = ticks();
my $c = ORS::HTTP::Conn->new($t->port);

$c->write($request);
ok($c->wait_body(qr/"once"/), 'one more is served');
cmp_ok(ticks() - $ticks, '<', 50, 'without much work');

$start = time;
syswrite $tell, 'x';

is(read_until($streams, qr/\[DONE\]\n\n\r\n0\r\n\r\n\z/), $streams,
   'all of them end');

diag(sprintf 'all ended after %.1f s', time - $start) if $ENV{ORS_STREAMS};

my (@wrong, %ids);

for my $fd (sort keys %client) {
    my $r = whole($client{$fd});
    my $s = check_stream($r->{body});

    push @wrong, @{ $s->errors } if !$s->ok;
    push @wrong, 'the text is ' . $s->text if $s->text ne 'once upon a time';
    push @wrong, "the status is $r->{status}" if $r->{status} != 200;
    push @wrong, 'not complete' if !$r->{complete};
    $ids{$s->response->{id}}++ if $s->response;

    last if @wrong > 20;
}

ok(!@wrong, 'all of them are right') or diag(join "\n", @wrong);
is(scalar keys %ids, $streams, 'each has an id of its own');

stream_ok($_->read_response, 'one of the others') for $warm, $c;

close $_->{fh} for values %client;
$_->close for $warm, $c;

%client = ();
stream_ok(post_json($t->port, '/v1/responses',
                    { model => 'm', input => 'x', stream => \1 }),
          'one after them');

ok(ORS::Util::wait_for(sub { $t->open_files < 160 }),
   'no descriptors are left open');

$t->finish;

done_testing();
