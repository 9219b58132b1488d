#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Many streams are open in one worker at the same time: each has the text of
# its own model, all of it and in order, also when half of the clients leave.
#
# ORS_STREAMS=10000 for more of them; the limit of open files is raised if
# that is allowed, else there are as many as fit.

use v5.36;
use Errno qw( EAGAIN EINTR EINPROGRESS );
use IO::Socket::INET ();
use POSIX ();
use Socket;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( request_text );
use ORS::JSON qw( json_encode );
use ORS::Model qw( chat_chunk chat_usage );
use ORS::Nginx;
use ORS::Stream qw( stream_ok );
use ORS::Util qw( wait_for );

use constant {
    PIECES => 10,       # of a text
    SAMPLE => 25,       # streams that are looked at in all detail
    BATCH => 200,       # connections begun at once
    MEMORY => 48 * 1024,
};

my $patience = 60 * ($ENV{TEST_NGINX_WAIT} || 1)
               * ($ENV{TEST_NGINX_ASAN} ? 5 : 1);
my $streams = within_limit($ENV{ORS_STREAMS} || 1000);


# nginx has two descriptors for each stream, and inherits our limit

sub within_limit ($n) {
    my $need = 2 * $n + 100;

    chomp(my $limit = `sh -c 'ulimit -n'`);
    return $n if $limit !~ /\d/ || $limit >= $need;

    if (!$ENV{ORS_RAISED}++) {
        exec 'sh', '-c', 'ulimit -Sn $0 2>/dev/null || ulimit -n $0'
             . ' 2>/dev/null; exec "$@"', $need, $^X, $0, @ARGV;
    }

    diag("$limit open files are allowed, $n streams need $need");

    return int(($limit - 100) / 2);
}


# numbers of the descriptors in a result of select()

sub ready ($set) {
    my $bits = unpack 'b*', $set;
    my ($at, @fds) = (0);

    while (($at = index $bits, '1', $at) >= 0) {
        push @fds, $at++;
    }

    return @fds;
}


# ---- the model server: it sends the first words of an answer, and the rest
# when "go" comes from the test, a piece to each client in turn


sub serve ($listen, $control) {
    my $read = '';
    my %conn;

    vec($read, fileno $_, 1) = 1 for $listen, $control;

    while (1) {
        select my $r = $read, undef, undef, undef;

        for my $fd (ready($r)) {
            if ($fd == fileno $listen) {
                while (my $fh = $listen->accept) {
                    $fh->blocking(0);
                    $conn{fileno $fh} = { fh => $fh, in => '' };
                    vec($read, fileno $fh, 1) = 1;
                }

            } elsif ($fd == fileno $control) {
                my $what = <$control> // return;

                if ($what =~ /go/) {
                    go_on(values %conn);
                    vec($read, $_, 1) = 0 for keys %conn;
                    %conn = ();
                }

                syswrite $control, keys(%conn) . "\n";

            } elsif ($conn{$fd} && !take($conn{$fd})) {
                vec($read, $fd, 1) = 0;
                delete $conn{$fd};
            }
        }
    }
}


# 0 when the peer has gone

sub take ($c) {
    my $n = sysread $c->{fh}, $c->{in}, 65536, length $c->{in};

    return !defined $n && $! == EAGAIN if !$n;
    return 1 if $c->{in} !~ /\r\n\r\n.*"text (\d+)".*\}\z/s;

    $c->{name} = $1;
    put($c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
            . frame(chat_chunk(content => "$1: ")));

    return 1;
}


sub go_on (@conns) {
    for my $n (1 .. PIECES) {
        put($_, frame(chat_chunk(content => "$_->{name}-$n "))) for @conns;
    }

    put($_, frame(chat_chunk(finish => 'stop'))
            . frame(chat_chunk(usage => chat_usage())) . "data: [DONE]\n\n")
        for @conns;
}


sub frame ($data) { 'data: ' . json_encode($data) . "\n\n" }


# a little text has room in the socket's buffer

sub put ($c, $bytes) {
    my $n = syswrite $c->{fh}, $bytes;
    warn "model: $!\n" if !defined $n || $n < length $bytes;
}


# ---- the clients


# begins that many streams, each known by its number

sub begin ($port, @numbers) {
    my $to = sockaddr_in($port, INADDR_LOOPBACK);
    my @all;

    while (my @batch = splice @numbers, 0, BATCH) {
        my @new;

        for my $n (@batch) {
            my $body = json_encode({ model => 'm', input => "text $n",
                                     stream => \1 });

            socket my $fh, PF_INET, SOCK_STREAM, 0 or die "socket: $!\n";
            $fh->blocking(0);
            connect $fh, $to or $! == EINPROGRESS or die "connect: $!\n";

            push @new, { fh => $fh, name => $n, p => ORS::HTTP::Parser->new,
                         out => request_text('POST', '/v1/responses',
                             { 'Content-Type' => 'application/json' },
                             $body) };
        }

        pump(sub ($c) { $c->{p}{body} =~ /"\Q$c->{name}\E: "/ }, @new);
        push @all, @new;
    }

    return @all;
}


# writes and reads until all are as they should be, or nothing goes on; gives
# the number of those that are not

sub pump ($what, @conns) {
    my %open = map { fileno $_->{fh} => $_ } @conns;
    my ($r, $w) = ('', '');

    for my $fd (keys %open) {
        vec($r, $fd, 1) = 1;
        vec($w, $fd, 1) = 1 if $open{$fd}{out} ne '';
    }

    while (%open) {
        select my $rr = $r, my $ww = $w, undef, $patience or last;

        for my $fd (ready($ww)) {
            my $c = $open{$fd};
            my $n = syswrite $c->{fh}, $c->{out};

            substr $c->{out}, 0, $n, '' if $n;
            vec($w, $fd, 1) = 0 if $c->{out} eq '';
        }

        for my $fd (ready($rr)) {
            my $c = $open{$fd};
            my $n = sysread $c->{fh}, my $bytes, 65536;

            next if !defined $n && ($! == EAGAIN || $! == EINTR);

            $n ? $c->{p}->feed($bytes) : $c->{p}->finish;
            next if $n && !$what->($c);

            vec($r, $fd, 1) = vec($w, $fd, 1) = 0;
            delete $open{$fd};
        }
    }

    return scalar grep { !$what->($_) } @conns;
}


sub is_done ($c) { $c->{p}{done} }


# answers are alike but for their ids and the text, which is known

sub check (@conns) {
    my ($like, @wrong, %ids);

    for my $c (@conns) {
        my $r = $c->{p}->reply;
        my %own;

        $r->{body} =~ s/\b((?:resp|msg)_)(\w+)/$own{"$1$2"}++; $1/ge;
        $r->{body} =~ s/_at":\d+/_at":0/g;
        $r->{body} =~ s/(?<=[" ])\Q$c->{name}\E(?=[:-])/N/g;

        $like //= $r->{body};
        $ids{$_}++ for keys %own;

        push @wrong, $c if $r->{body} ne $like || keys %own != 2
                           || $r->{status} != 200 || !$r->{complete};
    }

    is(@wrong, 0, 'each has its own text, and all of it')
        or diag("$wrong[0]{name}:\n$wrong[0]{p}{raw}");
    is(keys %ids, 2 * @conns, 'each has its own ids');

    for my $n (1 .. SAMPLE) {
        my $c = $conns[$n * @conns / SAMPLE - 1];
        my $s = stream_ok($c->{p}->reply, "stream $c->{name}",
                          expect => 'completed');

        is($s->text, "$c->{name}: " . join('', map { "$c->{name}-$_ " }
                                               1 .. PIECES), 'its text');
    }
}


# ---- the test


my $listen = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Proto => 'tcp',
                                   Listen => 4096)
    or die "cannot listen: $!\n";

socketpair my $control, my $theirs, AF_UNIX, SOCK_STREAM, PF_UNSPEC
    or die "socketpair: $!\n";

my $pid = fork // die "cannot fork: $!\n";

if ($pid == 0) {
    close $control;
    $listen->blocking(0);
    $SIG{PIPE} = 'IGNORE';
    serve($listen, $theirs);
    POSIX::_exit(0);
}

close $theirs;


# gives the number of answers that wait for "go"

sub model ($what) {
    syswrite $control, "$what\n";
    return 0 + <$control>;
}


# of the last sixteenth nginx takes back what has not sent a request yet
my $connections = 1024 * POSIX::ceil((2 * $streams + 100) * 1.1 / 1024);

my $t = ORS::Nginx->new(
    subst => { MODEL => '127.0.0.1:' . $listen->sockport },
    conf => <<"CONF");
    events { worker_connections $connections; }

    http {
        server {
            listen 127.0.0.1:%%PORT_0%% backlog=4096;

            location /v1/ {
                open_responses on;
                open_responses_target default /to/model;
            }

            location = /to/model {
                internal;
                open_responses_dialect chat;
                proxy_read_timeout 300s;
                proxy_pass http://%%MODEL%%;
            }
        }
    }
CONF

$t->start;
close $listen;

my $port = $t->port;
my $name = 1000;
my $files = $t->open_files;


sub nothing_left () {
    ok(wait_for(sub { $t->open_files == $files }, $patience),
       'no descriptors are left open');
}


# one, for what a worker allocates but once

{
    my @one = begin($port, $name++);

    model('go');
    is(pump(\&is_done, @one), 0, 'one stream');
}

nothing_left();

my $memory = $t->memory;


# all are open before the first may end

my @conns = begin($port, map { $name++ } 1 .. $streams);

is(model('how many'), $streams, "$streams streams are open");

my $each = int(($t->memory - $memory) / $streams);

note("$each bytes of memory for each");
cmp_ok($each, '<', MEMORY, 'each takes little memory')
    if !$ENV{TEST_NGINX_ASAN};

model('go');
is(pump(\&is_done, @conns), 0, 'all end');
check(@conns);
close $_->{fh} for @conns;
nothing_left();


# half of the clients leave, which is nothing to the others

@conns = begin($port, map { $name++ } 1 .. $streams);

my @leave = @conns[grep { $_ % 2 } 0 .. $#conns];

@conns = @conns[grep { $_ % 2 == 0 } 0 .. $#conns];
close $_->{fh} for @leave;

ok(wait_for(sub { model('how many') == @conns }, $patience),
   'half of the clients leave, and their requests to the model with them');

model('go');
is(pump(\&is_done, @conns), 0, 'the others end');
check(@conns);
close $_->{fh} for @conns;
nothing_left();

close $control;
waitpid $pid, 0;
$t->finish;

done_testing();
