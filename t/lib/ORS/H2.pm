package ORS::H2;

# Copyright (C) Open Responses contributors
#
# A raw HTTP/2 client without TLS, for what curl cannot be made to do: one
# stream reset among others, windows that do not open, bodies in pieces.
#
#     use ORS::H2;
#
#     my $c = ORS::H2->new($port);              # window => bytes of a stream
#     my $n = $c->send('POST', '/v1/responses', \%headers, $body);
#     my $r = $c->read_response($n);            # a reply as of ORS::HTTP
#
#     my $n = $c->send('POST', $path, \%headers);   # the body comes later
#     $c->data($n, '{"model":');  $c->data($n, '"m"}', 1);    # 1: the end
#     $c->wait_body($n, qr/delta/);
#     $c->open_window($n, 65535);               # on the connection as well
#     $c->rst($n);                              # RST_STREAM, CANCEL
#     $c->close;
#
# A reply's "rst" is the error code with which the server reset the stream.
# Windows: with window => N the server may send N bytes until open_window();
# otherwise they are opened as data comes in.

use v5.36;
use Errno qw( EAGAIN EINTR );
use IO::Socket::INET ();
use Time::HiRes qw( time );
use ORS::HTTP ();
use ORS::JSON ();

use constant {
    DATA => 0, HEADERS => 1, RST => 3, SETTINGS => 4, PING => 6, GOAWAY => 7,
    WINDOW => 8,
    END_STREAM => 1, END_HEADERS => 4, CANCEL => 8,
};

# headers that nginx sends by number
my %NAME = (22 => 'allow', 26 => 'content-encoding', 28 => 'content-length',
            31 => 'content-type', 33 => 'date', 44 => 'last-modified',
            46 => 'location', 53 => 'retry-after', 54 => 'server',
            59 => 'vary', 61 => 'www-authenticate');

my %STATUS = (8 => 200, 9 => 204, 10 => 206, 11 => 304, 12 => 400, 13 => 404,
              14 => 500);

# Huffman codes of the characters that come in headers, in their order
my %CHAR = map { $_->[0] => _codes(@$_) } (
    [ 5, 0x0, '012aceiost' ],
    [ 6, 0x14, ' %-./3456789=A_bdfghlmnpru' ],
    [ 7, 0x5c, ':BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz' ],
    [ 8, 0xf8, '&*,;XZ' ],
    [ 10, 0x3f8, '!"()?' ],
);


sub _codes ($bits, $first, $chars) {
    return { map { $first + $_ => substr $chars, $_, 1 }
             0 .. length($chars) - 1 };
}


sub new ($class, $port, %o) {
    my $fh = IO::Socket::INET->new(PeerAddr => '127.0.0.1',
                                   PeerPort => $port, Proto => 'tcp')
        or die "cannot connect to port $port: $!\n";

    $fh->blocking(0);

    my $self = bless { fh => $fh, in => '', next => 1, streams => {},
                       window => $o{window} }, $class;

    $self->_write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    $self->_frame(SETTINGS, 0, 0, pack 'nN', 4, $o{window} // 1 << 20);

    return $self;
}


sub send ($self, $method, $path, $headers = {}, $body = undef, %o) {
    my $n = $self->{next};
    my $block = join '', map { _field(@$_) }
        [ ':method', $method ], [ ':scheme', 'http' ], [ ':path', $path ],
        [ ':authority', $o{host} // 'localhost' ],
        map { [ lc, $headers->{$_} ] } sort keys %$headers;

    $self->{next} += 2;
    $self->{streams}{$n} = { body => '', headers => {} };
    $self->_frame(HEADERS, END_HEADERS | ($o{end} ? END_STREAM : 0), $n,
                  $block);
    $self->data($n, $body, 1) if defined $body;

    return $n;
}


# the server's windows are not watched: it opens them wide for small bodies

sub data ($self, $n, $bytes, $end = 0) {
    my @parts = unpack '(a16384)*', $bytes;

    @parts = ('') if !@parts;

    while (defined(my $part = shift @parts)) {
        $self->_frame(DATA, $end && !@parts ? END_STREAM : 0, $n, $part);
    }
}


sub rst ($self, $n, $code = CANCEL) {
    $self->_frame(RST, 0, $n, pack 'N', $code);
}


sub open_window ($self, $n, $size) {
    $self->_frame(WINDOW, 0, $_, pack 'N', $size) for 0, $n;
}


sub body ($self, $n) { $self->{streams}{$n}{body} }


sub wait_body ($self, $n, $re, $timeout = undef) {
    return $self->_pump(sub { $self->{streams}{$n}{body} =~ $re }, $n,
                        $timeout);
}


sub read_head ($self, $n, $timeout = undef) {
    return $self->_pump(sub { $self->{streams}{$n}{status} }, $n, $timeout);
}


sub read_response ($self, $n, $timeout = undef) {
    my $s = $self->{streams}{$n};
    my $ok = $self->_pump(sub { $s->{end} }, $n, $timeout);
    my %r = (status => $s->{status} // 0, version => '2', framing => 'h2',
             headers => $s->{headers}, body => $s->{body}, raw => $s->{body},
             rst => $s->{rst}, complete => $ok, eof => $self->{eof});

    $r{error} = "reset with $s->{rst}" if $s->{rst};
    $r{timeout} = 1 if !$ok && !$s->{rst} && !$self->{eof};
    $r{json} = eval { ORS::JSON::json_decode($r{body}) }
        if ($r{headers}{'content-type'} // '') =~ m{^application/json\b};

    return \%r;
}


sub close ($self) {
    CORE::close $self->{fh} if $self->{fh};
    $self->{fh} = undef;
    $self->{eof} = 1;
}


# ---- frames


sub _frame ($self, $type, $flags, $n, $payload) {
    $self->_write(substr(pack('N', length $payload), 1)
                  . pack('CCN', $type, $flags, $n) . $payload);
}


sub _write ($self, $bytes) {
    my $end = time + ORS::Util::PATIENCE;

    while ($self->{fh} && length $bytes && time < $end) {
        my $n = syswrite $self->{fh}, $bytes;

        if (defined $n) {
            substr $bytes, 0, $n, '';
            next;
        }

        return if $! != EAGAIN && $! != EINTR;

        my $w = '';
        vec($w, fileno $self->{fh}, 1) = 1;
        select undef, $w, undef, 1;
    }
}


sub _pump ($self, $what, $n, $timeout) {
    my $end = time + ($timeout // ORS::Util::PATIENCE);

    while (1) {
        return 1 if $what->();
        return 0 if $self->{eof} || defined $self->{streams}{$n}{rst};

        my $left = $end - time;
        return 0 if $left <= 0;

        my $r = '';
        vec($r, fileno $self->{fh}, 1) = 1;
        select $r, undef, undef, $left;
        $self->_read if vec $r, fileno $self->{fh}, 1;
    }
}


sub _read ($self) {
    my $n = sysread $self->{fh}, $self->{in}, 65536, length $self->{in};

    return if !defined $n && ($! == EAGAIN || $! == EINTR);
    return $self->{eof} = 1 if !$n;

    while (length $self->{in} >= 9) {
        my $len = unpack 'N', "\0" . substr $self->{in}, 0, 3;
        my ($type, $flags, $id) = unpack 'x3CCN', $self->{in};

        last if length $self->{in} < 9 + $len;

        my $payload = substr $self->{in}, 9, $len;

        substr $self->{in}, 0, 9 + $len, '';
        $self->_frame_in($type, $flags, $id, $payload);
    }
}


sub _frame_in ($self, $type, $flags, $n, $payload) {
    my $s = $self->{streams}{$n} // {};

    if ($type == HEADERS) {
        _head($s, $payload);
        $s->{end} = 1 if $flags & END_STREAM;

    } elsif ($type == DATA) {
        $s->{body} .= $payload;
        $s->{end} = 1 if $flags & END_STREAM;

        $self->open_window($n, length $payload)
            if length $payload && !defined $self->{window};

    } elsif ($type == RST) {
        $s->{rst} = unpack 'N', $payload;

    } elsif ($type == SETTINGS && !($flags & 1)) {
        $self->_frame(SETTINGS, 1, 0, '');

    } elsif ($type == PING && !($flags & 1)) {
        $self->_frame(PING, 1, 0, $payload);

    } elsif ($type == GOAWAY) {
        $self->{goaway} = unpack 'x4N', $payload;
    }
}


# ---- headers, as much of them as nginx sends


sub _field ($name, $value) {
    return "\x10" . _length(length $name) . $name . _length(length $value)
           . $value;
}


sub _length ($n) {
    return chr $n if $n < 127;

    my $s = "\x7f";

    for ($n -= 127; $n > 127; $n >>= 7) {
        $s .= chr(128 | $n & 127);
    }

    return $s . chr $n;
}


sub _head ($s, $block) {
    while (length $block) {
        my $first = ord $block;

        if ($first & 0x80) {
            my $n = _int(\$block, 7);
            $s->{status} = $STATUS{$n} if $STATUS{$n};
            next;
        }

        if (($first & 0xe0) == 0x20) {
            _int(\$block, 5);
            next;
        }

        my $n = _int(\$block, $first & 0x40 ? 6 : 4);
        my $name = $n ? $n == 8 ? ':status' : $NAME{$n} // "number-$n"
                      : _string(\$block);
        my $value = _string(\$block);

        if ($name eq ':status') {
            $s->{status} = $value;
            next;
        }

        my $old = $s->{headers}{$name};
        $s->{headers}{$name} = defined $old ? "$old, $value" : $value;
    }
}


sub _int ($block, $bits) {
    my $max = (1 << $bits) - 1;
    my $n = ord(substr $$block, 0, 1, '') & $max;

    return $n if $n < $max;

    for (my $shift = 0; ; $shift += 7) {
        my $c = ord substr $$block, 0, 1, '';
        $n += ($c & 127) << $shift;
        return $n if $c < 128;
    }
}


sub _string ($block) {
    my $huffman = ord($$block) & 0x80;
    my $text = substr $$block, 0, _int($block, 7), '';

    return $text if !$huffman;

    my $bits = unpack 'B*', $text;
    my $plain = '';

    CHAR:
    while (length $bits >= 5) {
        for my $n (5 .. 8, 10) {
            last if length $bits < $n;

            my $char = $CHAR{$n}{ oct '0b' . substr $bits, 0, $n } // next;

            $plain .= $char;
            substr $bits, 0, $n, '';
            next CHAR;
        }

        last;
    }

    return $plain;
}


1;
