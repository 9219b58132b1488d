package ORS::HTTP;

# Copyright (C) Open Responses contributors
#
# A raw HTTP/1.1 client that shows what came and can behave badly.
#
#     use ORS::HTTP qw( request get post_json http_start h2_request );
#
#     my $r = get($port, '/v1/models');
#     my $r = request($port, 'POST', '/v1/responses',
#                     { 'Content-Type' => 'application/json' }, $body);
#     my $r = post_json($port, '/v1/responses', { model => 'm' },
#                       headers => { Authorization => 'Bearer k' });
#     my $r = post_json($port, '/v1/responses', '{"broken":');
#     my $r = post_json($port, $path, question($path, 'm'));   # say hi
#     my $r = h2_request($port, 'POST', '/v1/responses', \%headers, $body);
#
#     $r->{status} $r->{headers}{'content-type'} $r->{body} $r->{json}
#
# Options of all: timeout => 60, chunked => 1 (or a size: the body goes in
# chunks of that many bytes), raw_head => '...' (instead of method, path and
# headers), host => 'name', version => '1.0'.
#
# An open connection:
#
#     my $c = http_start($port, 'POST', '/v1/responses', \%headers, $body);
#     $c->read_head;                        # {status, headers} or undef
#     $c->wait_body(qr/output_text\.delta/) or die;
#     while (my $e = $c->next_event) {      # {event, data, json, raw}
#         last if $e->{event} eq 'response.output_text.delta';
#     }
#     my $r = $c->read_response;            # the rest, to the end
#     $c->half_close;                       # shutdown(SHUT_WR)
#     $c->reset;                            # RST
#     $c->close;
#
#     my $c = ORS::HTTP::Conn->new($port, rcvbuf => 4096);
#     $c->write("POST /v1/responses HTTP/1.1\r\n");
#     $c->write_slow($text, 1, 0.001);      # one byte at a time
#     $c->write_chunk('{"model":');  $c->write_last_chunk;
#     $c->read_slow(100, 0.05, 20);         # 100 bytes each 50 ms, 20 times
#     $c->is_closed;                        # the peer closed
#
# A reply: status (0: none came), reason, version, headers (lower-case name
# => value, repeats joined by ", "), header_list ([name, value] as sent),
# body (decoded), raw (all bytes), complete (1: its framing was kept to the
# end), eof, timeout, error (text: 'reset', 'bad chunk', ...), json (decoded
# body, if the type says JSON and it is), interim (list of 1xx statuses),
# framing (chunked, length, close, none).  Nothing dies on what a server
# does.  All waits end after ORS::Util::PATIENCE, 60 s,
# or the time given.

use v5.36;
use Exporter qw( import );
use File::Temp ();
use POSIX ();
use ORS::JSON qw( json_decode json_encode );
use ORS::Util qw( slurp spew PATIENCE );

our @EXPORT_OK = qw(
    request get post_json question http_start h2_request request_text
    json_body
);

$SIG{PIPE} = 'IGNORE';


sub get ($port, $path, %o) {
    return request($port, 'GET', $path, delete $o{headers} // {}, undef, %o);
}


sub post_json ($port, $path, $data, %o) {
    my %headers = ('Content-Type' => 'application/json',
                   %{ delete $o{headers} // {} });

    my $call = delete $o{h2} ? \&h2_request : \&request;

    return $call->($port, 'POST', $path, \%headers, json_body($data), %o);
}


# the least that is asked at an endpoint, by the end of its path

sub question ($path, $model, %more) {
    return { model => $model,
             $path =~ m{chat/completions\z}
                 ? (messages => [ { role => 'user', content => 'hi' } ])
                 : (input => 'hi'), %more };
}


sub request ($port, $method, $path, $headers = {}, $body = undef, %o) {
    my $c = http_start($port, $method, $path, $headers, $body, %o);
    my $r = $c->read_response(timeout => $o{timeout});

    $c->close;

    return $r;
}


# sends a request on a new connection, or on conn => $c; the caller reads

sub http_start ($port, $method, $path, $headers = {}, $body = undef, %o) {
    my $c = $o{conn} // ORS::HTTP::Conn->new($port, %o);
    my $text = request_text($method, $path, $headers, $body, %o);

    $c->{method} = $method;
    $c->write($text, timeout => $o{timeout});

    return $c;
}


sub json_body ($data) {
    return ref $data ? json_encode($data) : $data;
}


# headers: a hash, or a list of pairs where order or repeats matter; a value
# of undef keeps a header out

sub request_text ($method, $path, $headers = {}, $body = undef, %o) {
    my @h = ref $headers eq 'ARRAY'
            ? @$headers : map { $_ => $headers->{$_} } sort keys %$headers;
    my ($head, %seen) = ('');

    for (my $i = 0; $i < @h; $i += 2) {
        $seen{lc $h[$i]} = 1;
        $head .= "$h[$i]: $h[$i + 1]\r\n" if defined $h[$i + 1];
    }

    $head = 'Host: ' . ($o{host} // 'localhost') . "\r\n$head"
        if !$seen{host};
    $head .= "Connection: close\r\n"
        if !$seen{connection} && !$o{conn} && !$o{keepalive};

    if ($o{chunked}) {
        $head .= "Transfer-Encoding: chunked\r\n";

        my $size = $o{chunked} > 1 ? $o{chunked} : 8192;
        my $all = $body // '';

        $body = join '', (map { sprintf "%x\r\n%s\r\n", length, $_ }
                          unpack "(a$size)*", $all), "0\r\n\r\n";

    } elsif (defined $body && !$seen{'content-length'}) {
        $head .= 'Content-Length: ' . length($body) . "\r\n";
    }

    my $version = $o{version} // '1.1';

    return ($o{raw_head} // "$method $path HTTP/$version\r\n$head\r\n")
           . ($body // '');
}


# through curl, HTTP/2 without TLS; the reply has curl's exit code in "curl"

sub h2_request ($port, $method, $path, $headers = {}, $body = undef, %o) {
    my $dir = File::Temp->newdir('ors-h2-XXXXXXXX', TMPDIR => 1);
    my @h = ref $headers eq 'ARRAY'
            ? @$headers : map { $_ => $headers->{$_} } sort keys %$headers;
    my @args = ('--http2-prior-knowledge', '-q', '-sS', '--no-buffer',
                '--max-time', $o{timeout} // PATIENCE,
                '-D', "$dir/head", '-o', "$dir/body");

    push @args, $method eq 'HEAD' ? '--head' : ('-X', $method);

    while (my ($name, $value) = splice @h, 0, 2) {
        push @args, '-H', "$name: $value" if defined $value;
    }

    if (defined $body) {
        spew("$dir/in", $body);
        push @args, '--data-binary', "\@$dir/in";
    }

    push @args, '-H', 'Expect:', "http://127.0.0.1:$port$path";

    my $pid = fork // die "cannot fork: $!\n";

    if ($pid == 0) {
        open STDERR, '>', "$dir/err";
        exec 'curl', @args or POSIX::_exit(127);
    }

    waitpid $pid, 0;

    my $exit = $? >> 8;
    my $p = ORS::HTTP::Parser->new($method);

    # curl writes "HTTP/2 200 " and LF-terminated heads are not its way
    my $head = slurp("$dir/head");
    my ($last) = reverse $head =~ /(HTTP\/.*?\r\n\r\n)/gs;

    $p->take_head($last) if defined $last;
    $p->{body} = slurp("$dir/body");
    $p->{raw} = $head . $p->{body};
    $p->{done} = $exit == 0;

    my $r = $p->reply;

    $r->{curl} = $exit;
    $r->{error} ||= slurp("$dir/err") if $exit;
    $r->{timeout} = 1 if $exit == 28;
    $r->{framing} = 'h2';

    return $r;
}


package ORS::HTTP::Parser;

use v5.36;

# bytes in, one reply out; left in {in} is what follows it


sub new ($class, $method = 'GET') {
    return bless { method => $method, in => '', raw => '', body => '',
                   state => 'head', done => 0, interim => [] }, $class;
}


sub feed ($self, $bytes) {
    $self->{raw} .= $bytes;
    $self->{in} .= $bytes;

    while (!$self->{done} && !$self->{error}) {
        my $state = "_$self->{state}";
        $self->$state or last;
    }
}


# the peer closed

sub finish ($self) {
    return if $self->{eof}++;
    $self->{done} = 1 if $self->{state} eq 'close';
}


sub take_head ($self, $head) {
    my ($line, @fields) = split /\r?\n/, $head;

    $line =~ m{\AHTTP/(\d(?:\.\d)?) (\d{3})(?: (.*))?\z}
        or return $self->{error} = "bad status line \"$line\"";

    @$self{qw( version status reason )} = ($1, $2, $3 // '');
    $self->{headers} = {};
    $self->{header_list} = [];

    for my $field (@fields) {
        my ($name, $value) = $field =~ /\A([^:\s]+):[ \t]*(.*?)[ \t]*\z/
            or return $self->{error} = "bad header line \"$field\"";

        push @{ $self->{header_list} }, [ $name, $value ];

        my $old = $self->{headers}{lc $name};
        $self->{headers}{lc $name} = defined $old ? "$old, $value" : $value;
    }

    return;
}


sub reply ($self) {
    my %r = map { $_ => $self->{$_} }
            qw( status reason version headers header_list body raw eof
                error interim framing );

    $r{status} //= 0;
    $r{headers} //= {};
    $r{header_list} //= [];
    $r{complete} = $self->{done} && !$self->{error} ? 1 : 0;

    if (($r{headers}{'content-type'} // '') =~ m{^application/json\b}) {
        $r{json} = eval { ORS::JSON::json_decode($r{body}) };
    }

    return \%r;
}


sub _head ($self) {
    $self->{in} =~ s/\A(.*?\r?\n)\r?\n//s or return 0;
    $self->take_head($1);
    return 0 if $self->{error};

    my $status = $self->{status};
    my $h = $self->{headers};

    if ($status < 200 && $status != 101) {
        push @{ $self->{interim} }, $status;
        delete @$self{qw( status headers header_list )};
        return 1;
    }

    if ($status == 101 || $status == 204 || $status == 304
        || $self->{method} eq 'HEAD')
    {
        $self->{framing} = 'none';
        $self->{done} = 1;

    } elsif (($h->{'transfer-encoding'} // '') =~ /\bchunked\s*\z/i) {
        $self->{framing} = 'chunked';
        $self->{state} = 'size';

    } elsif (defined $h->{'content-length'}) {
        $self->{framing} = 'length';
        $self->{rest} = $h->{'content-length'};
        $self->{state} = 'length';
        $self->{error} = 'bad content-length' if $self->{rest} !~ /\A\d+\z/;

    } else {
        $self->{framing} = $self->{state} = 'close';
    }

    return 1;
}


sub _length ($self) {
    my $part = substr $self->{in}, 0, $self->{rest}, '';

    $self->{body} .= $part;
    $self->{rest} -= length $part;
    $self->{done} = 1 if $self->{rest} == 0;

    return 0;
}


sub _close ($self) {
    $self->{body} .= $self->{in};
    $self->{in} = '';
    return 0;
}


sub _size ($self) {
    if ($self->{in} !~ s/\A([0-9A-Fa-f]+)(?:;[^\r\n]*)?\r\n//) {
        $self->{error} = 'bad chunk'
            if $self->{in} !~ /\A[0-9A-Fa-f]*(?:;[^\n]*)?\r?\z/;
        return 0;
    }

    $self->{rest} = hex $1;
    $self->{state} = $self->{rest} ? 'data' : 'trailer';
    return 1;
}


sub _data ($self) {
    return 0 if $self->{in} eq '';

    if ($self->{rest}) {
        my $part = substr $self->{in}, 0, $self->{rest}, '';

        $self->{body} .= $part;
        $self->{rest} -= length $part;
        return 1;
    }

    if ($self->{in} !~ s/\A\r\n//) {
        $self->{error} = 'bad chunk' if $self->{in} !~ /\A\r?\z/;
        return 0;
    }

    $self->{state} = 'size';
    return 1;
}


sub _trailer ($self) {
    $self->{in} =~ s/\A([^\r\n]*)\r\n// or return 0;
    $self->{done} = 1 if $1 eq '';
    return 1;
}


package ORS::HTTP::Conn;

use v5.36;
use Errno qw( EAGAIN EWOULDBLOCK EINTR EINPROGRESS );
use Fcntl qw( F_GETFL F_SETFL O_NONBLOCK );
use Scalar::Util qw( weaken );
use Socket qw( :DEFAULT IPPROTO_TCP TCP_NODELAY );
use Time::HiRes qw( time sleep );

my %open;


# rcvbuf, sndbuf: socket buffers in bytes, set before the connection is made
# slow: never read while writing, so that the peer's output can pile up

sub new ($class, $port, %o) {
    socket my $fh, PF_INET, SOCK_STREAM, IPPROTO_TCP
        or die "socket: $!\n";

    setsockopt $fh, SOL_SOCKET, SO_RCVBUF, $o{rcvbuf} if $o{rcvbuf};
    setsockopt $fh, SOL_SOCKET, SO_SNDBUF, $o{sndbuf} if $o{sndbuf};
    setsockopt $fh, IPPROTO_TCP, TCP_NODELAY, 1;

    connect $fh, sockaddr_in($port, inet_aton($o{address} // '127.0.0.1'))
        or die "cannot connect to port $port: $!\n";

    fcntl $fh, F_SETFL, fcntl($fh, F_GETFL, 0) | O_NONBLOCK;

    my $self = bless { fh => $fh, method => 'GET', seen => 0,
                       slow => $o{slow} // !!$o{rcvbuf},
                       p => ORS::HTTP::Parser->new }, $class;

    weaken($open{$self} = $self);

    return $self;
}


# connections that a test forgot would keep nginx from leaving; finish() calls
# this

sub close_all ($class) {
    $_->close for grep { defined } values %open;
}


sub DESTROY ($self) {
    delete $open{$self};
}


sub fh ($self) { $self->{fh} }
sub error ($self) { $self->{error} }
sub body ($self) { $self->{p}{body} }
sub raw ($self) { $self->{p}{raw} }


# number of bytes that went out before the time-out or an error

sub write ($self, $bytes, %o) {
    my $end = time + ($o{timeout} // ORS::Util::PATIENCE);
    my $done = 0;

    while ($self->{fh} && $done < length $bytes) {
        my $left = $end - time;
        last if $left <= 0;

        my ($w, $r) = ('', '');
        vec($w, fileno $self->{fh}, 1) = 1;
        $r = $w if !$self->{slow} && !$self->{eof};
        select $r, $w, undef, $left;

        $self->_read if vec $r, fileno $self->{fh}, 1;
        next if !vec $w, fileno $self->{fh}, 1;

        my $n = syswrite $self->{fh}, $bytes, 65536, $done;

        if (defined $n) {
            $done += $n;

        } elsif ($! != EAGAIN && $! != EINTR) {
            $self->{write_error} = "$!";
            last;
        }
    }

    return $done;
}


sub write_slow ($self, $bytes, $piece = 1, $pause = 0.001) {
    for my $part (unpack "(a$piece)*", $bytes) {
        $self->write($part) == length $part or return 0;
        sleep $pause;
    }

    return 1;
}


sub write_chunk ($self, $bytes) {
    return $self->write(sprintf "%x\r\n%s\r\n", length $bytes, $bytes);
}


sub write_last_chunk ($self) {
    return $self->write("0\r\n\r\n");
}


# head of the reply, or undef

sub read_head ($self, %o) {
    $self->_pump_until(sub { $self->{p}{framing} }, $o{timeout})
        or return undef;

    return $self->{p}->reply;
}


# reads to the end of a reply; the connection can be used again afterwards

sub read_response ($self, %o) {
    my $ok = $self->_pump_until(sub { $self->{p}{done} }, $o{timeout});
    my $r = $self->{p}->reply;

    $r->{timeout} = 1 if !$ok && !$self->{eof} && !$r->{error};
    $r->{error} //= $self->{error};

    if ($self->{p}{done} && $self->{p}{framing} ne 'close') {
        my $in = $self->{p}{in};

        $self->{p} = ORS::HTTP::Parser->new($self->{method});
        $self->{p}->feed($in) if $in ne '';
        $self->{p}->finish if $self->{eof};
        $self->{seen} = 0;
    }

    return $r;
}


# reads until the decoded body matches; 0 if it ends or the time is over

sub wait_body ($self, $re, $timeout = undef) {
    return $self->_pump_until(sub { $self->{p}{body} =~ $re }, $timeout);
}


# the next event of an event stream, comments skipped: {event, data, json,
# raw}; undef at the end or after the time-out

sub next_event ($self, $timeout = undef) {
    while (1) {
        my $at;

        $self->_pump_until(sub {
            ($at = index $self->{p}{body}, "\n\n", $self->{seen}) >= 0;
        }, $timeout) or return undef;

        my $raw = substr $self->{p}{body}, $self->{seen},
                         $at + 2 - $self->{seen};
        $self->{seen} = $at + 2;

        my %e = (raw => $raw);
        $e{event} = $1 if $raw =~ /^event: ?(.*)$/m;
        $e{data} = join "\n", $raw =~ /^data: ?(.*)$/mg;

        next if $e{data} eq '' && !defined $e{event};

        $e{event} //= '';
        $e{json} = eval { ORS::JSON::json_decode($e{data}) };
        return \%e;
    }
}


# reads "size" bytes at most, "times" times with a pause before each

sub read_slow ($self, $size, $pause, $times = 1) {
    my $got = 0;

    for (1 .. $times) {
        sleep $pause;
        $got += $self->_read($size) // 0;
        last if $self->{eof};
    }

    return $got;
}


# whatever comes within the time is read and dropped into the parser;
# 1 if the peer closed (or reset: see error) within it

sub is_closed ($self, $timeout = undef) {
    $self->_pump_until(sub { $self->{eof} }, $timeout);
    return $self->{eof} ? 1 : 0;
}


sub half_close ($self) {
    CORE::shutdown $self->{fh}, 1;
}


sub reset ($self) {
    return if !$self->{fh};
    setsockopt $self->{fh}, SOL_SOCKET, SO_LINGER, pack 'ii', 1, 0;
    $self->close;
}


sub close ($self) {
    CORE::close $self->{fh} if $self->{fh};
    $self->{fh} = undef;
    $self->{eof} = 1;
}


sub _pump_until ($self, $what, $timeout) {
    my $end = time + ($timeout // ORS::Util::PATIENCE);

    $self->{p}{method} = $self->{method};

    while (1) {
        return 1 if $what->();
        return 0 if $self->{eof} || $self->{p}{error};

        my $left = $end - time;
        return 0 if $left <= 0;

        my $r = '';
        vec($r, fileno $self->{fh}, 1) = 1;
        select $r, undef, undef, $left;

        $self->_read if vec $r, fileno $self->{fh}, 1;
    }
}


# undef: nothing there now

sub _read ($self, $size = 65536) {
    return 0 if !$self->{fh};

    my $n = sysread($self->{fh}, my $bytes, $size);

    if (!defined $n) {
        return undef if $! == EAGAIN || $! == EINTR;

        $self->{error} = $!{ECONNRESET} ? 'reset' : "$!";
        $self->{eof} = 1;
        $self->{p}{eof} = 1;
        return 0;
    }

    if ($n == 0) {
        $self->{eof} = 1;
        $self->{p}->finish;
        return 0;
    }

    $self->{p}->feed($bytes);
    return $n;
}


1;
