package ORS::WSModel;

# Copyright (C) Open Responses contributors
#
# A model server that speaks WebSocket: a script for each model's name gets
# the connection and the decoded message.
#
#     my $up = ORS::WSModel->new(scripts => {
#         default => sub ($c, $m) { $c->events(good()) },
#         cut => sub ($c, $m) { $c->text('{}'); $c->frame(0x88); $c->end },
#     });
#
#     $up->address;                 # for proxy_pass
#     $up->received;                # the texts it got, of all connections
#     $up->heads;                   # the requests of the handshakes
#     $up->controls;                # [ opcode, payload ] of control frames
#
# Events of a call are numbered.  A path with "/refuse" is answered with 401.

use v5.36;
use Digest::SHA qw( sha1_base64 );
use File::Temp ();
use IO::Socket::INET ();
use POSIX ();
use ORS::JSON qw( json_decode json_encode );
use ORS::Util qw( free_port slurp );

my $OWNER = $$;


sub new ($class, %o) {
    my $self = bless { scripts => $o{scripts}, port => free_port() }, $class;

    $self->{dir} = File::Temp->newdir('ors-ws-XXXXXX', TMPDIR => 1);
    $self->_note($_, '') for qw( texts heads controls );

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
            $self->{socket} = $client;
            eval { $self->_serve; 1 } or warn $@;
            POSIX::_exit(0);
        }

        POSIX::_exit(0);
    }

    setpgrp $pid, $pid;
    $self->{pid} = $pid;

    return $self;
}

sub address ($self) { return "127.0.0.1:$self->{port}" }
sub received ($self) { return $self->_noted('texts') }
sub heads ($self) { return $self->_noted('heads') }

sub controls ($self) {
    return map { json_decode($_) } $self->_noted('controls');
}

sub _note ($self, $what, $text) {
    open my $fh, '>>', "$self->{dir}/$what" or die "$what: $!";
    syswrite $fh, $text;
    return;
}

sub _noted ($self, $what) {
    return split /\0/, slurp("$self->{dir}/$what");
}

# what a script calls

sub frame ($self, $head, $payload = '') {
    my $len = length $payload;

    return $self->bytes(chr($head)
                        . ($len < 126 ? chr $len
                           : $len < 65536 ? pack 'Cn', 126, $len
                           : pack 'CQ>', 127, $len)
                        . $payload);
}

sub bytes ($self, $bytes) {
    while (length $bytes) {
        my $n = syswrite $self->{socket}, $bytes;
        POSIX::_exit(0) if !$n;
        substr $bytes, 0, $n, '';
    }

    return;
}

sub text ($self, $text) { return $self->frame(0x81, $text) }
sub json ($self, $data) { return $self->text(json_encode($data)) }
sub end ($self) { POSIX::_exit(0) }

sub events ($self, $events) {
    my $n = 0;

    $self->json({ %$_, sequence_number => $n++ }) for @$events;
    return;
}

# the server

sub _more ($self) {
    my $n = sysread $self->{socket}, $self->{in}, 65536,
                    length($self->{in} // '');
    POSIX::_exit(0) if !$n;
    return;
}

sub _take ($self, $n) {
    $self->_more while length $self->{in} < $n;
    return substr $self->{in}, 0, $n, '';
}

sub _serve ($self) {
    $self->{in} = '';
    $self->_more until $self->{in} =~ s/\A(.*?\r\n)\r\n//s;

    my $head = $1;
    my ($key) = $head =~ /^Sec-WebSocket-Key: (\S+)/mi;

    $self->_note(heads => "$head\0");

    if ($head =~ m{/refuse}) {
        $self->bytes("HTTP/1.1 401 Unauthorized\r\n"
            . "Content-Type: application/json\r\nConnection: close\r\n\r\n"
            . json_encode({ error => { message => 'who are you' } }));
        POSIX::_exit(0);
    }

    $self->bytes("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n"
        . "Connection: Upgrade\r\nSec-WebSocket-Accept: "
        . sha1_base64($key . '258EAFA5-E' . '914-47DA-95CA-C5AB0DC85B11')
        . "=\r\n\r\n");

    while (1) {
        my ($op, $payload) = $self->_frame;

        if ($op > 7) {
            $self->_note(controls => json_encode([ $op, $payload ]) . "\0");
            $self->frame(0x88, $payload) if $op == 8;
            $self->frame(0x8a, $payload) if $op == 9;
            POSIX::_exit(0) if $op == 8;
            next;
        }

        $self->_note(texts => "$payload\0");

        my $m = eval { json_decode($payload) } // {};
        my $script = $self->{scripts}{$m->{model} // 'default'}
                     // $self->{scripts}{default};

        $script->($self, $m);
    }
}

sub _frame ($self) {
    my ($head, $len) = unpack 'CC', $self->_take(2);

    die "a frame without a mask\n" if !($len & 0x80);
    die "a frame of a relay is whole\n" if !($head & 0x80);

    $len &= 0x7f;
    $len = unpack 'n', $self->_take(2) if $len == 126;
    $len = unpack 'Q>', $self->_take(8) if $len == 127;

    my $key = $self->_take(4);
    my $payload = $self->_take($len);

    return ($head & 15,
            $payload ^. substr $key x ($len / 4 + 1), 0, $len);
}

sub DESTROY ($self) {
    return if !$self->{pid} || $$ != $OWNER;

    local $?;
    kill 'KILL', -$self->{pid};
    waitpid $self->{pid}, 0;
    return;
}

1;
