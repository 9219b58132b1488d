package ORS::RedisProxy;

# Copyright (C) Open Responses contributors
#
# Stands before a redis-server and spoils what is said.
#
#     my $proxy = ORS::RedisProxy->new($redis);
#
#     $proxy->address;
#     $proxy->does('drop');     # from now on
#
#     pass           everything is passed on
#     drop           the next command is not, its connection is closed
#     drop-reply     the next command is, its reply is not
#     reply TEXT     is the reply to all commands, the server has none
#     extra TEXT     follows each reply
#     bytes          replies are passed on byte by byte
#     stall          replies are kept back
#     greet TEXT     all that a new connection hears, before its end
#
# "Command" is what has a GET or an EXEC: a greeting always gets through.

use v5.36;
use File::Temp ();
use IO::Select ();
use IO::Socket::INET ();
use POSIX ();
use Socket qw( IPPROTO_TCP TCP_NODELAY );
use ORS::Util qw( free_port slurp spew wait_for );

my $OWNER = $$;


sub new ($class, $redis) {
    my $self = bless { redis => $redis, port => free_port() }, $class;

    $self->{dir} = File::Temp->newdir('ors-proxy-XXXXXX', TMPDIR => 1);
    $self->does('pass');

    my $listen = IO::Socket::INET->new(
        LocalAddr => '127.0.0.1', LocalPort => $self->{port},
        Proto => 'tcp', Listen => 100, ReuseAddr => 1)
        or die "cannot listen: $!\n";

    my $pid = fork // die "cannot fork: $!\n";

    if (!$pid) {
        setpgrp;
        $SIG{CHLD} = 'IGNORE';

        while (my $client = $listen->accept) {
            next if fork // die "cannot fork: $!\n";
            eval { $self->_serve($client) };
            POSIX::_exit(0);
        }

        POSIX::_exit(0);
    }

    setpgrp $pid, $pid;
    $self->{pid} = $pid;

    return $self;
}


sub address ($self) { "127.0.0.1:$self->{port}" }
sub does ($self, $what) { spew("$self->{dir}/does", $what) }


sub _serve ($self, $client) {
    my $server = IO::Socket::INET->new('127.0.0.1:' . $self->{redis}->port)
        or return;
    my $both = IO::Select->new($client, $server);
    my $greeted = 0;

    $client->setsockopt(IPPROTO_TCP, TCP_NODELAY, 1);

    while (1) {
        for my $from ($both->can_read) {
            sysread($from, my $text, 65536) or return;

            my ($what, $more) = split / /, slurp("$self->{dir}/does"), 2;
            $what = 'pass' if $from == $client && $greeted
                              && $text !~ /\r\n(?:GET|EXEC)\r\n/;

            if ($from == $client) {
                if (!$greeted++ && $what ne 'greet') {
                    syswrite($server, $text);

                } elsif ($what eq 'reply') {
                    syswrite($client, $more);

                } elsif ($what eq 'greet') {
                    syswrite($client, $more);
                    return;

                } elsif ($what eq 'drop') {
                    $self->does('pass');
                    return;

                } else {
                    syswrite($server, $text);
                }

            } elsif ($what eq 'drop-reply' && $text !~ /\+PONG/) {
                $self->does('pass');
                return;

            } elsif ($what eq 'bytes') {
                syswrite($client, $_) for split //, $text;

            } else {
                wait_for(sub { slurp("$self->{dir}/does") ne 'stall' }, 60);
                syswrite($client, $text);
                syswrite($client, $more)
                    if $what eq 'extra' && $text !~ /\+PONG/;
            }
        }
    }
}


sub DESTROY ($self) {
    return if $$ != $OWNER || !$self->{pid};

    local ($?, $!);
    kill 'KILL', -$self->{pid};
    waitpid $self->{pid}, 0;
}


1;
