package ORS::CGI;

# Copyright (C) Open Responses contributors
#
# A server for tests that speaks FastCGI, uwsgi or SCGI, as an application
# behind nginx does that is not reached by HTTP.
#
#     my $cgi = ORS::CGI->new('fastcgi', {
#         whole => { type => 'application/json', body => $json },
#         busy  => { status => 503, body => '{"error":{...}}' },
#         cut   => { body => $json, length => 5000 },
#         gone  => { body => $json, end => 'reset' },
#     });
#
#     $cgi->address                  # "127.0.0.1:12345"
#
# The header X-Script names the answer: status (200), type
# (application/json), body, length (Content-Length, else there is none).
# "end" is how it ends:
#
#     whole     as the protocol has it, the default
#     cut       the connection is closed, in FastCGI in the middle of a record
#     reset     ... with a RST, when nginx has had a moment to read
#     garbage   bytes that are no record (FastCGI only)
#
# A request whose body is not CONTENT_LENGTH bytes of JSON is answered with
# 400.

use v5.36;
use IO::Socket::INET ();
use POSIX ();
use Socket qw( SOL_SOCKET SO_LINGER );
use Time::HiRes qw( sleep );
use ORS::JSON qw( json_decode );

use constant { RECORD_END => 3, RECORD_PARAMS => 4, RECORD_IN => 5,
               RECORD_OUT => 6 };

my $OWNER = $$;


sub new ($class, $protocol, $answers) {
    my $listen = IO::Socket::INET->new(
        LocalAddr => '127.0.0.1', Listen => 100, ReuseAddr => 1)
        or die "cannot listen: $!\n";

    my $self = bless { protocol => $protocol, answers => $answers,
                       port => $listen->sockport }, $class;
    my $pid = fork // die "cannot fork: $!\n";

    if ($pid == 0) {
        $SIG{CHLD} = 'IGNORE';
        $SIG{TERM} = 'DEFAULT';
        alarm 600;
        $self->_serve($listen);
        POSIX::_exit(0);
    }

    $self->{pid} = $pid;

    return $self;
}


sub address ($self) { "127.0.0.1:$self->{port}" }


sub DESTROY ($self) {
    return if $$ != $OWNER || !$self->{pid};

    local ($?, $!);

    kill 'KILL', $self->{pid};
    waitpid $self->{pid}, 0;
}


# each connection has a process of its own: nginx may be slow to read

sub _serve ($self, $listen) {
    while (my $sock = $listen->accept) {
        my $pid = fork // die "cannot fork: $!\n";

        if ($pid == 0) {
            alarm 60;
            close $listen;
            $self->_answer($sock);
            POSIX::_exit(0);
        }

        close $sock;
    }
}


sub _answer ($self, $sock) {
    my $read = "_read_$self->{protocol}";
    my ($params, $body) = $self->$read($sock) or return;
    my $a = $self->{answers}{ $params->{HTTP_X_SCRIPT} // '' };

    if (($params->{CONTENT_LENGTH} || 0) != length $body
        || length $body && !eval { json_decode($body) })
    {
        $a = { status => 400, body => '{"error":{"message":"bad body"}}' };
    }

    $a //= { status => 404, body => '{}' };

    my $head = 'Status: ' . ($a->{status} // 200) . " Scripted\r\n"
               . 'Content-Type: ' . ($a->{type} // 'application/json')
               . "\r\n";

    $head .= "Content-Length: $a->{length}\r\n" if defined $a->{length};

    my $text = "$head\r\n$a->{body}";
    my $end = $a->{end} // 'whole';

    _write($sock, $self->{protocol} eq 'fastcgi' ? _records($text, $end)
                                                 : $text);

    if ($end eq 'reset') {
        sleep 0.02;
        setsockopt $sock, SOL_SOCKET, SO_LINGER, pack 'ii', 1, 0;
    }

    close $sock;
}


# ---- the three ways of a request


sub _read_scgi ($self, $sock) {
    my $size = '';

    $size .= _read($sock, 1) // return until $size =~ /:\z/;
    chop $size;

    my %params = (_read($sock, $size) // return) =~ /([^\0]*)\0/g;

    _read($sock, 1) // return;

    return (\%params, _read($sock, $params{CONTENT_LENGTH} || 0) // return);
}


sub _read_uwsgi ($self, $sock) {
    my (undef, $size) = unpack 'CvC', _read($sock, 4) // return;
    my %params = unpack '(v/a*)*', _read($sock, $size) // return;

    return (\%params, _read($sock, $params{CONTENT_LENGTH} || 0) // return);
}


sub _read_fastcgi ($self, $sock) {
    my %in = (RECORD_PARAMS, '', RECORD_IN, '');

    for ( ;; ) {
        my (undef, $type, undef, $size, $padding)
            = unpack 'CCnnCC', _read($sock, 8) // return;
        my $data = _read($sock, $size + $padding) // return;

        last if $type == RECORD_IN && $size == 0;
        $in{$type} .= substr $data, 0, $size;
    }

    my $in = $in{+RECORD_PARAMS};
    my %params;

    while (length $in) {
        my @sizes = map {
            unpack('C', $in) < 128
                ? unpack 'C', substr($in, 0, 1, '')
                : 0x7fffffff & unpack 'N', substr $in, 0, 4, '';
        } 1, 2;
        my ($name, $value) = map { substr $in, 0, $_, '' } @sizes;

        $params{$name} = $value;
    }

    return (\%params, $in{+RECORD_IN});
}


sub _records ($text, $end) {
    my $record = sub ($type, $data, $size = length $data) {
        return pack('CCnnCC', 1, $type, 1, $size, 0, 0) . $data;
    };
    my @pieces = map { $record->(RECORD_OUT, $_) } unpack '(a30000)*', $text;

    if ($end eq 'cut') {
        push @pieces, $record->(RECORD_OUT, ' ', 1000);

    } elsif ($end eq 'garbage') {
        push @pieces, 'no record';

    } elsif ($end eq 'whole') {
        push @pieces, $record->(RECORD_OUT, ''),
                      $record->(RECORD_END, "\0" x 8);
    }

    return join '', @pieces;
}


# ---- bytes


sub _read ($sock, $size) {
    my $in = '';

    while (length $in < $size) {
        sysread $sock, $in, $size - length $in, length $in or return undef;
    }

    return $in;
}


sub _write ($sock, $bytes) {
    my $at = 0;

    while ($at < length $bytes) {
        $at += syswrite($sock, $bytes, 65536, $at) // return;
    }
}


1;
