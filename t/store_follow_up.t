#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# E16: a follow-up that another worker gets in the instant in which the
# terminal event of its parent arrives finds it, with either engine.
#
# ORS_FOLLOWS is how many there are, ORS_CLIENTS how many talk.

use v5.36;
use IO::Socket::INET ();
use POSIX ();
use Test::More;
use Time::HiRes qw( time );
use lib 't/lib';
use ORS::Nginx;
use ORS::Redis;
use ORS::Store qw( gateway );
use ORS::Util qw( slurp );

my $FOLLOWS = $ENV{ORS_FOLLOWS} // 2000;
my $CLIENTS = $ENV{ORS_CLIENTS} // 4;
my $CHAIN = 5;                  # turns of a conversation

my $redis = ORS::Redis->new;

for my $engine ([ 'LMDB', 'lmdb:%%TESTDIR%%/db' ],
                [ 'Redis', 'redis:' . $redis->address ])
{
    my ($name, $address) = @$engine;
    my $conf = gateway("open_responses_store main $address;
                        keepalive_requests 100000000;", 'main required');

    my $t = ORS::Nginx->new(workers => 2, subst => { MODEL => '127.0.0.1:1' },
                            conf => $conf =~ s/(PORT_0%%);/$1 reuseport;/r);

    $t->start;

    my $start = time;
    my %clients = map { client($t, $_) => $_ } 1 .. $CLIENTS;
    my ($found, $missed) = (0, 0);

    for my $pid (keys %clients) {
        waitpid $pid, 0;

        my ($f, $m) = split ' ', slurp($t->dir . "/follows-$clients{$pid}");

        $found += $f // 0;
        $missed += $m // 0;
    }

    note sprintf '%s: %d follow-ups in %.1f s', $name, $found, time - $start;

    cmp_ok($found, '>=', $FOLLOWS, "$name: follow-ups to another worker");
    is($missed, 0, "$name: all of them find their parent");

    $t->finish;
}

done_testing();


sub client ($t, $n) {
    my $pid = fork // die "fork: $!\n";

    return $pid if $pid;

    alarm 20 + $FOLLOWS / 10;

    my ($found, $missed) = eval { talk($t->port) };

    $t->write_file("follows-$n", defined $found ? "$found $missed\n"
                                                : "0 1 $@");
    POSIX::_exit(0);
}


# turns over two connections in turn, each with a worker of its own

sub talk ($port) {
    my @socks = workers($port);
    my ($found, $missed) = (0, 0);

    while ($found < $FOLLOWS / $CLIENTS) {
        my $id;

        for my $turn (0 .. $CHAIN) {
            my $sock = $socks[$turn % 2];
            my $next = told($sock, $id);

            $found++ if defined $next && $turn;
            return ($found, $missed + 1) if !defined $next;

            $id = $next;
        }
    }

    return ($found, $missed);
}


sub workers ($port) {
    my %socks;

    for (1 .. 200) {
        my $sock = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
                                         PeerPort => $port)
            or die "connect: $!\n";
        my $buf = '';

        ask($sock, undef);
        drain($sock, \$buf);

        my ($pid) = $buf =~ /^X-Worker: (\d+)/m or die "no worker\n";

        $socks{$pid} //= $sock;

        return values %socks if keys %socks == 2;
    }

    die "there is one worker only\n";
}


# the id, as soon as the terminal event has come; what follows it in the
# stream is read before the connection is used again

my %rest;

sub told ($sock, $id) {
    my $buf = '';

    if (my $rest = delete $rest{$sock}) {
        drain($sock, $rest);
    }

    ask($sock, $id);

    my $next;

    until (($next) = $buf =~ /^event:\ response\.completed\n
                              data:\ .*?"id":"(\w+)"/mx)
    {
        return if $buf =~ m!\AHTTP/1\.1 [45]!;
        sysread $sock, $buf, 65536, length $buf or die "closed\n";
    }

    $rest{$sock} = \$buf;

    return $next;
}


sub ask ($sock, $id) {
    my $more = defined $id ? qq(,"previous_response_id":"$id") : '';
    my $body = qq({"model":"m","input":"hello","stream":true$more});

    syswrite $sock, "POST /v1/responses HTTP/1.1\r\nHost: x\r\n"
                    . "X-Stream: 1\r\nContent-Type: application/json\r\n"
                    . 'Content-Length: ' . length($body) . "\r\n\r\n$body";
}


sub drain ($sock, $buf) {
    until ($$buf =~ /\r\n0\r\n\r\n\z/) {
        sysread $sock, $$buf, 65536, length $$buf or die "closed\n";
    }
}
