package ORS::WS;

# Copyright (C) Open Responses contributors
#
# A WebSocket client: frames as they are wanted, and turns that are checked.
#
#     use ORS::WS;
#
#     my $ws = ORS::WS->new($port, path => '/v1/responses',
#                           headers => { Authorization => 'Bearer x' });
#     $ws->{status};                      # 101, else $ws->{reply} has more
#
#     $ws->create(model => 'm', input => 'hi');    # sends response.create
#     my $turn = $ws->turn_ok('a turn', expect => 'completed');  # ORS::Stream
#     my $r = $ws->say('hi', after => $r);         # both; the response
#     $ws->error_ok(400, 'refused', code => 'invalid_json');
#
#     $ws->send_text('{...}');
#     $ws->send_frame($first_byte, $payload, mask => 0);
#     $ws->write($bytes);
#     my $m = $ws->message;               # the next message, decoded, or undef
#     my ($op, $payload) = $ws->frame;    # the next frame, pings among them
#     is($ws->closed, 1000, 'closed');    # reads to the close frame
#     $ws->close(1000); $ws->drop; $ws->reset;
#
# Server frames that break a rule die.

use v5.36;
use IO::Socket::IP ();
use Socket qw( SOL_SOCKET SO_LINGER );
use Test::More ();
use ORS::JSON qw( json_decode json_encode );
use ORS::Stream ();

my $LIMIT = 30;


sub new ($class, $port, %o) {
    my $sock = $o{socket} // IO::Socket::IP->new(PeerAddr => '127.0.0.1',
                                                 PeerPort => $port)
        or die "connect: $!";
    my $self = bless { socket => $sock, in => '', lane => $o{lane} }, $class;

    my %head = (Host => 'localhost', Upgrade => 'websocket',
                Connection => 'Upgrade', 'Sec-WebSocket-Version' => 13,
                'Sec-WebSocket-Key' => 'dGhlIHNhbXBsZSBub25jZQ==',
                %{ $o{headers} // {} });
    my $path = $o{path} // '/v1/responses';
    my $version = $o{version} // '1.1';

    $self->write("GET $path HTTP/$version\r\n"
                 . join('', map { defined $head{$_} ? "$_: $head{$_}\r\n" : () }
                                sort keys %head)
                 . "\r\n" . ($o{rest} // ''));

    $self->_more until $self->{in} =~ s/\A(.*?\r\n)\r\n//s or $self->{eof};
    $self->{head} = $1 // '';
    ($self->{status}) = $self->{head} =~ m{\AHTTP/1\.1[ ](\d+)};

    return $self;
}

sub _more ($self) {
    my $rin = '';
    vec($rin, fileno $self->{socket}, 1) = 1;

    # bytes that TLS has decrypted are not in the socket

    if (!($self->{socket}->can('pending') && $self->{socket}->pending)) {
        select($rin, undef, undef, $LIMIT) or die "no bytes in $LIMIT s";
    }

    my $n = sysread $self->{socket}, $self->{in}, 65536, length $self->{in};
    $self->{eof} = 1 if !$n;
    return;
}

sub write ($self, $bytes) {
    local $SIG{PIPE} = 'IGNORE';

    while (length $bytes) {
        my $n = syswrite $self->{socket}, $bytes;
        return 0 if !defined $n;
        substr $bytes, 0, $n, '';
    }

    return 1;
}

sub pack_frame ($head, $payload = '', %o) {
    my $len = length $payload;
    my $masked = ($o{mask} // 1) ? 0x80 : 0;
    my $out = chr $head;

    $out .= $len < 126 ? chr($masked | $len)
          : $len < 65536 ? pack('Cn', $masked | 126, $len)
          : pack('CQ>', $masked | 127, $len);

    return $out . $payload if !$masked;

    my $key = pack 'N', 0x12345678;
    my $mask = substr $key x ($len / 4 + 1), 0, $len;

    return $out . $key . ($payload ^. $mask);
}

sub send_frame ($self, $head, $payload = '', %o) {
    return $self->write(pack_frame($head, $payload, %o));
}

sub send_text ($self, $text) {
    return $self->send_frame(0x81, $text);
}

sub send_json ($self, $data) {
    return $self->send_text(json_encode($data));
}

sub create ($self, %body) {
    return $self->send_json({ type => 'response.create', %body });
}

# the next frame: opcode and payload, nothing at the end

sub frame ($self) {
    while (1) {
        if ($self->{in} =~ /\A(.)(.)/s) {
            my ($head, $len) = (ord $1, ord $2);
            my $at = 2;

            die "a masked frame of a server" if $len & 0x80;
            die sprintf 'frame head %x', $head if ($head & 0xf0) != 0x80;

            if ($len == 126 && length $self->{in} >= 4) {
                ($len, $at) = (unpack('x2 n', $self->{in}), 4);
                die 'length' if $len < 126;

            } elsif ($len == 127 && length $self->{in} >= 10) {
                ($len, $at) = (unpack('x2 Q>', $self->{in}), 10);
                die 'length' if $len < 65536;

            } elsif ($len >= 126) {
                $at = undef;
            }

            if (defined $at && length $self->{in} >= $at + $len) {
                my $payload = substr $self->{in}, $at, $len;
                substr $self->{in}, 0, $at + $len, '';
                return ($head & 15, $payload);
            }
        }

        return if $self->{eof};
        $self->_more;
    }
}

# the text of the next message; pings are answered, a close ends

sub text ($self) {
    while (my ($op, $payload) = $self->frame) {
        return $payload if $op == 1;

        if ($op == 8) {
            $self->{code} = length $payload ? unpack('n', $payload) : 1005;
            return;
        }

        $self->send_frame(0x8a, $payload) if $op == 9;
        die "opcode $op" if $op < 8;
    }

    return;
}

sub message ($self) {
    my $text = $self->text;

    return defined $text ? json_decode($text) : undef;
}

# a target's events have their members in its own order

sub _type ($text) {
    return $1 if $text =~ /\A\{"type":"([\w.]+)"/;
    return json_decode($text)->{type} // '';
}

# all messages of a turn, up to the one that ends it

sub turn ($self) {
    my @texts;

    while (defined(my $text = $self->text)) {
        push @texts, $text;
        last if $text =~ /"(?:error|response[.](?:completed|failed
                                                 |incomplete))"/x
                && _type($text) =~ /\A(?:error|response[.](?:completed|failed
                                                            |incomplete))\z/x;
    }

    return @texts;
}

# texts => those of a turn that were read; lane => its name

sub turn_ok ($self, $name, %o) {
    my @texts = $o{texts} ? @{ delete $o{texts} } : $self->turn;
    my $lane = delete $o{lane} // $self->{lane};
    my $sse = '';

    for my $text (@texts) {
        if (defined $lane) {
            $text =~ s/,"stream_id":"\Q$lane\E"\}\z/}/
                or Test::More::fail("$name: no stream_id");
            Test::More::fail("$name: stream_id twice")
                if $text =~ /"stream_id"/;
        }

        my $type = _type($text);

        # one message ends a failed turn, where a stream has two

        if ($type eq 'response.failed') {
            my $e = json_decode($text);
            my $n = $e->{sequence_number};

            $sse .= "event: error\ndata: " . json_encode({ type => 'error',
                sequence_number => $n, error => { type => 'server_error',
                param => '', %{ $e->{response}{error} } } }) . "\n\n";
            $text =~ s/"sequence_number":\d+/'"sequence_number":' . ($n + 1)/e;
        }

        $sse .= "event: $type\ndata: $text\n\n";
    }

    return ORS::Stream::stream_ok("${sse}data: [DONE]\n\n", $name, %o);
}

sub say ($self, $input, %o) {
    my $after = delete $o{after};
    my $name = delete $o{name} // "a turn";

    $self->create(model => 'm', input => $input,
                  $after ? (previous_response_id => $after->{id}) : (), %o);

    return $self->turn_ok($name, expect => 'completed')->response;
}

# one message with an error

sub error_ok ($self, $status, $name, %o) {
    my $m = $self->message;

    if (!Test::More::ok($m && $m->{type} eq 'error', "$name: an error")) {
        Test::More::diag(defined $m ? $m->{type} : 'closed');
        return $m;
    }

    Test::More::is($m->{status}, $status, "$name: status");
    Test::More::is($m->{error}{$_}, $o{$_}, "$name: $_")
        for grep { exists $o{$_} } qw( code param type );
    Test::More::is($m->{stream_id}, $o{lane} // $self->{lane},
                   "$name: stream_id");

    Test::More::ok(length($m->{error}{code} // '')
                   && length($m->{error}{message} // ''), "$name: texts");
    return $m;
}

# the code of the close frame, 1006 if there is none

sub closed ($self) {
    1 while defined $self->text;
    return $self->{code} // 1006;
}

sub close ($self, $code = 1000) {
    return $self->send_frame(0x88, pack 'n', $code);
}

sub drop ($self) {
    return CORE::close $self->{socket};
}

sub reset ($self) {
    setsockopt $self->{socket}, SOL_SOCKET, SO_LINGER, pack 'ii', 1, 0;
    return CORE::close $self->{socket};
}

1;
