package Turns;

# Copyright (C) Open Responses contributors
#
# Turns of one client, one after the other on one connection: Chat Completions
# or responses over HTTP, and responses over a WebSocket.
#
#     my $model = Turns->model;             # a model server, {port}
#     my $c = Turns->http($port, '/v1/responses');
#     my $c = Turns->websocket($port, '/v1/responses');
#     my $id = $c->turn($body);             # the response's, when it has ended
#     $c->{sent}, $c->{received}            # bytes, with headers and frames
#     $c->chain($way, 200);                 # a conversation, see there
#     $model->stop;
#
# The answers of the model server are streams of 20 chunks, sent at once.

use v5.36;
use IO::Select ();
use IO::Socket::INET ();
use Socket qw( IPPROTO_TCP TCP_NODELAY );
use Bodies ();
use ORS::WS ();

my $TEXT = 'The quick brown fox. ';
my $CHUNKS = 20;


sub model ($class) {
    my $listen = IO::Socket::INET->new(Listen => 64, LocalAddr => '127.0.0.1')
        or die "cannot listen: $!\n";
    my $pid = fork // die "cannot fork: $!\n";

    return bless { port => $listen->sockport, pid => $pid }, $class if $pid;

    _serve($listen);
}


sub stop ($self) {
    kill 'TERM', $self->{pid};
    waitpid $self->{pid}, 0;
    $? = 0;
}


# does not return

sub _serve ($listen) {
    my $chunk = sub ($delta, $finish = 'null', $more = '') {
        return 'data: {"id":"c","object":"chat.completion.chunk","created":1,'
               . '"model":"m","choices":[{"index":0,"delta":' . $delta
               . qq(,"finish_reason":$finish}]$more}\n\n);
    };
    my $body = join '', $chunk->('{"role":"assistant","content":""}'),
        (map { $chunk->(qq({"content":"$TEXT"})) } 1 .. $CHUNKS),
        $chunk->('{}', '"stop"', ',"usage":{"prompt_tokens":1,'
                 . '"completion_tokens":2,"total_tokens":3}'),
        "data: [DONE]\n\n";
    my $answer = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
        . sprintf("Transfer-Encoding: chunked\r\n\r\n%x\r\n", length $body)
        . "$body\r\n0\r\n\r\n";
    my $select = IO::Select->new($listen);
    my %in;

    while (1) {
        for my $s ($select->can_read) {
            if ($s == $listen) {
                $select->add(my $c = $listen->accept);
                setsockopt $c, IPPROTO_TCP, TCP_NODELAY, 1;
                next;
            }

            my $n = sysread $s, $in{$s}, 1 << 20, length($in{$s} // '');

            if (!$n) {
                $select->remove($s);
                delete $in{$s};
                close $s;
                next;
            }

            my $head = index $in{$s}, "\r\n\r\n";

            next if $head < 0;

            my ($len) = substr($in{$s}, 0, $head) =~ /^Content-Length: (\d+)/mi;

            next if length $in{$s} < $head + 4 + $len;

            $in{$s} = '';
            syswrite $s, $answer;
        }
    }
}


sub _connect ($port) {
    my $s = IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port)
        or die "cannot connect: $!\n";

    setsockopt $s, IPPROTO_TCP, TCP_NODELAY, 1;

    return $s;
}


sub http ($class, $port, $path) {
    return bless { socket => _connect($port), sent => 0, received => 0,
                   head => "POST $path HTTP/1.1\r\nHost: bench\r\n"
                           . "Content-Type: application/json\r\n" }, $class;
}


sub websocket ($class, $port, $path) {
    my $ws = ORS::WS->new($port, socket => _connect($port), path => $path);

    $ws->{status} == 101 or die "no WebSocket: $ws->{head}\n";

    return bless { socket => $ws->{socket}, sent => 0, received => 0,
                   ws => $ws, in => '' }, $class;
}


sub _write ($self, $bytes) {
    $self->{sent} += length $bytes;

    while (length $bytes) {
        my $n = syswrite $self->{socket}, $bytes;

        substr $bytes, 0, $n // die("cannot write: $!\n"), '';
    }

    return;
}


sub _read ($self) {
    my $n = sysread $self->{socket}, $self->{in}, 1 << 20, length $self->{in};

    $n or die "the connection has ended\n";
    $self->{received} += $n;

    return;
}


# the id of the response that is completed, or '' of Chat Completions

sub turn ($self, $body) {
    $self->{in} = '';

    if ($self->{ws}) {
        substr $body, 0, 1, '{"type":"response.create",';
        $self->_write(ORS::WS::pack_frame(0x81, $body));
        $self->_frames;

    } else {
        $self->_write("$self->{head}Content-Length: " . length($body)
                      . "\r\n\r\n$body");

        do { $self->_read } until substr($self->{in}, -7) eq "\r\n0\r\n\r\n";
    }

    $self->{in} =~ /"response\.completed"|"chat\.completion\.chunk"/
        or die "a turn failed: " . substr($self->{in}, 0, 500) . "\n";

    return $self->{in} =~ /"id":"(resp_[^"]+)"/ ? $1 : '';
}


# up to the end of the one that ends the turn

sub _frames ($self) {
    my $at = 0;

    while (1) {
        my $have = length($self->{in}) - $at;
        my ($head, $len) = $have < 2 ? () : (2, ord substr $self->{in},
                                                          $at + 1, 1);

        if ($have >= 10 && $len > 125) {
            ($head, $len) = $len == 126
                ? (4, unpack 'n', substr $self->{in}, $at + 2, 2)
                : (10, unpack 'Q>', substr $self->{in}, $at + 2, 8);

        } elsif ($have < 10 && ($len // 126) > 125) {
            undef $head;
        }

        if (!defined $head || $have < $head + $len) {
            $self->_read;
            next;
        }

        my $type = substr $self->{in}, $at + $head, 40;

        $at += $head + $len;
        return if $type =~ /\A\{"type":"(?:response\.(?:completed|failed)|err)/;
    }
}


# A conversation of "turns", each with 2 KB more of input, and the same
# instructions and tools.  The way: "whole", each request has all of it; "id",
# it has what is new, and the id of the response in front of it; "stored", the
# same, and all are stored.

sub chain ($self, $way, $turns) {
    my ($items, $id) = ('', undef);
    my $text = $TEXT x $CHUNKS;
    my $store = $way eq 'stored' ? 'true' : 'false';

    Bodies::text(0);

    my $fixed = '{"model":"m","stream":true,"store":' . $store
        . ',"instructions":"' . Bodies::text(4000) . '","tools":['
        . join(',', map { '{"type":"function",' . Bodies::tool($_, 6) . '}' }
                        1 .. 6) . '],';

    for (1 .. $turns) {
        my $new = '{"type":"message","role":"user","content":"'
                  . Bodies::text(2000) . '"}';

        $items = $way eq 'whole' ? $items . $new : $new;
        $id = $self->turn($fixed
            . ($way ne 'whole' && $id ? qq("previous_response_id":"$id",) : '')
            . qq("input":[$items]}));

        $items .= ',{"type":"message","role":"assistant","content":[{"type":'
                  . qq("output_text","annotations":[],"text":"$text"}]},)
            if $way eq 'whole';
    }

    return;
}


1;
