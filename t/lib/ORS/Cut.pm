package ORS::Cut;

# Copyright (C) Open Responses contributors
#
# Answers of upstream servers as bytes, some of which never come.  Client and
# servers are one process, so that thousands of turns take seconds, and that
# a turn knows what its servers were asked; processes work side by side.
#
#     use ORS::Cut qw( framed shares );
#
#     my ($head, $body) = framed('chunked', 'text/plain', 'one', 'two');
#
#     my $cut = ORS::Cut->new($t->port);     # $cut->port is the servers'
#
#     my $r = $cut->turn($request_text, sub ($asked) {
#         return "$head$body";               # then the connection is closed
#     });
#
#     my @results = shares(4, [ 1 .. 1000 ], sub ($n) { "result of $n" });
#
# asked    {path, headers, body} of a request
# turn()   a reply of ORS::HTTP, dies if none comes; the code is called for
#          each request of a server until the client has its reply, or there
#          are too many of them; its second value slows the answer down: byte
#          by byte
# framed() head and body of an answer, "length", "chunked" or "close"
# shares() calls the code with each job, in so many processes, and gives the
#          texts that it returns, in the order of the jobs

use v5.36;
use Exporter qw( import );
use Fcntl qw( SEEK_SET );
use IO::Socket::INET ();
use POSIX ();
use Socket qw( IPPROTO_TCP TCP_NODELAY );
use Time::HiRes qw( sleep );
use ORS::HTTP ();
use ORS::JSON qw( json_decode json_encode );
use ORS::Util qw( free_port PATIENCE );

our @EXPORT_OK = qw( framed shares );

# requests after which a turn is taken for one that never ends
use constant MOST => 20;


sub framed ($framing, $type, @parts) {
    my $head = "HTTP/1.1 200 OK\r\nContent-Type: $type\r\n";
    my $body = join '', @parts;

    if ($framing eq 'chunked') {
        $head .= "Transfer-Encoding: chunked\r\n";
        $body = join '', (map { sprintf "%x\r\n%s\r\n", length, $_ } @parts),
                         "0\r\n\r\n";

    } elsif ($framing eq 'length') {
        $head .= 'Content-Length: ' . length($body) . "\r\n";
    }

    return ("$head\r\n", $body);
}


sub shares ($n, $jobs, $code) {
    my (@children, @results);

    for my $share (0 .. $n - 1) {
        # a process never waits for one that reads
        open my $file, '+>', undef or die "cannot open a file: $!\n";

        my $pid = fork // die "cannot fork: $!\n";

        if ($pid == 0) {
            my $done = eval { _share($share, $n, $jobs, $code, $file); 1 };

            warn $@ if !$done;
            POSIX::_exit($done ? 0 : 1);
        }

        push @children, [ $pid, $file ];
    }

    for my $child (@children) {
        my ($pid, $file) = @$child;

        waitpid $pid, 0;
        die "a process has failed\n" if $?;

        seek $file, 0, SEEK_SET;

        while (my $line = <$file>) {
            my ($i, $result) = @{ json_decode($line) };
            $results[$i] = $result;
        }
    }

    return @results;
}


sub _share ($share, $n, $jobs, $code, $file) {
    my $parent = getppid;

    $SIG{$_} = 'DEFAULT' for qw( INT TERM HUP );

    for (my $i = $share; $i < @$jobs; $i += $n) {
        die "an orphan\n" if getppid != $parent;

        print $file json_encode([ $i, $code->($jobs->[$i]) ]), "\n";
    }

    close $file or die "cannot write: $!\n";
}


sub new ($class, $gateway) {
    my ($port, $listen);

    # the processes of a test look for the same ports
    for (1 .. 20) {
        $port = free_port();
        $listen = IO::Socket::INET->new(
            LocalAddr => '127.0.0.1', LocalPort => $port, Proto => 'tcp',
            Listen => 100, ReuseAddr => 1) and last;
    }

    die "cannot listen: $!\n" if !$listen;

    return bless { gateway => $gateway, port => $port, listen => $listen },
                 $class;
}


sub port ($self) { $self->{port} }


sub turn ($self, $text, $answer) {
    my $p = ORS::HTTP::Parser->new('POST');
    my $client = $self->{client} // $self->_connect;

    $self->{client} = undef;
    syswrite $client, $text;

    my $sel = '';
    vec($sel, fileno $_, 1) = 1 for $client, $self->{listen};

    my $asked = 0;

    until ($p->{done} || $p->{error} || $p->{eof} || $asked > MOST) {
        my $found = select my $r = $sel, undef, undef, PATIENCE;

        die "a turn does not end\n" if $found <= 0;

        if (vec $r, fileno $self->{listen}, 1) {
            $self->_serve($answer);
            $asked++;
        }

        next if !vec $r, fileno $client, 1;

        if (sysread $client, my $bytes, 65536) {
            $p->feed($bytes);

        } else {
            $p->finish;
        }
    }

    my $reply = $p->reply;

    # a connection that is at its end is not used again
    $self->{client} = $client
        if $reply->{complete} && $p->{framing} ne 'close'
           && ($reply->{headers}{connection} // '') ne 'close';

    return $reply;
}


sub _connect ($self) {
    my $client = IO::Socket::INET->new(
        PeerAddr => '127.0.0.1', PeerPort => $self->{gateway}, Proto => 'tcp')
        or die "cannot connect: $!\n";

    setsockopt $client, IPPROTO_TCP, TCP_NODELAY, 1;

    return $client;
}


sub _serve ($self, $answer) {
    my $sock = $self->{listen}->accept or return;
    my $in = '';

    until ($in =~ /\r\n\r\n/) {
        sysread $sock, $in, 65536, length $in or return;
    }

    my ($head, $body) = split /\r\n\r\n/, $in, 2;
    my %headers = map { /\A([^:]+):\s*(.*?)\s*\z/ ? (lc $1, $2) : () }
                  split /\r\n/, $head;

    while (length $body < ($headers{'content-length'} // 0)) {
        sysread $sock, $body, 65536, length $body or return;
    }

    my ($path) = $head =~ /\A\S+ (\S+)/;
    my ($bytes, $slow) = $answer->({ path => $path, headers => \%headers,
                                     body => $body });

    setsockopt $sock, IPPROTO_TCP, TCP_NODELAY, 1;

    for my $piece ($slow ? split(//, $bytes) : $bytes) {
        syswrite $sock, $piece;
        sleep 0.0003 if $slow;
    }

    close $sock;
}

1;
