package ORS::Model;

# Copyright (C) Open Responses contributors
#
# A model server for tests: a forked daemon that speaks as much Chat
# Completions as its scripts say, and lies, stalls and breaks on demand.
#
#     use ORS::Model qw( chat_reply chat_stream stream_script json_script );
#
#     my $model = ORS::Model->new(scripts => {
#         hello  => stream_script(text => [ 'Hel', 'lo' ]),
#         plain  => json_script(chat_reply(content => 'Hello')),
#         tool   => stream_script(tool_calls => [
#                       { id => 'call_1', name => 'f', arguments => [ '{',
#                                                                    '}' ] } ]),
#         cut    => [ [ cut_at => 300 ],
#                     @{ stream_script(text => [ 'never', 'whole' ]) } ],
#         bytes  => [ [ split => 1 ], @{ stream_script(text => [ 'x' ]) } ],
#         stall  => [ sse_head(), [ sse => chat_chunk(content => 'a') ],
#                     [ touch => 'sent-a' ], [ wait_file => 'go-on' ],
#                     [ sse => chat_chunk(finish => 'stop') ], [ 'done' ] ],
#         gone   => [ sse_head(), [ sse => chat_chunk(content => 'a') ],
#                     [ hang => 'closed' ] ],
#         flood  => [ sse_head(), [ flood => 'flooded' ] ],
#         full   => [ [ status => 429 ], [ header => 'Retry-After', 7 ],
#                     [ json => { error => { message => 'slow down' } } ] ],
#         rst    => [ [ 'reset' ] ],
#         html   => [ [ status => 502 ], [ header => 'Content-Type',
#                     'text/html' ], [ raw => '<html>no</html>' ] ],
#         loop   => rounds($first_answer_steps, $second_answer_steps, ...),
#         code   => sub ($conn, $request) { $conn->wire("HTTP/1.0 2"); },
#     });
#
#     $model->address                 # "127.0.0.1:12345", %%MODEL%% in conf
#     $model->wait_file('sent-a');    # a test waits for the model ...
#     $model->touch('go-on');         # ... and the model for a test
#     is($model->count, 1);
#     my $r = ($model->requests)[0];  # {method, uri, headers, header_list,
#                                     #  body, json, name, conn, nth}
#
# A script is found by, in this order, the X-Script header, the path
# /script/NAME, the "model" field of the body, "default" (which answers
# "Hello", as a stream if that was asked for).  It is a list of steps:
#
#     status => 200, 'OK'     header => name, value     (before the body)
#     framing => chunked | close | length   (auto: length for json, else
#                             chunked to HTTP/1.1 and close to HTTP/1.0)
#     raw => bytes            a piece of the body, each one chunk
#     wire => bytes           into the socket as it is, no head, no framing
#     sse => data [, event]   one frame; data is text or a structure
#     done                    "data: [DONE]"
#     comment => text         ": text"
#     json => data            Content-Type and the whole body
#     split => n [, pause]    from here on writes go out n bytes at a time
#     head                    status line and headers go out now
#     cut_at => n             n more bytes on the wire, then close
#     sleep => seconds
#     wait_file => name       until the test touches it (60 s at most)
#     touch => name           tells the test
#     repeat => n, step...    steps n times; %%N%% in texts is the round
#     flood => name [, bytes, limit]   text deltas until the peer is gone or
#                             limit bytes went out; flooded(name) counts
#     hang => name            until the peer closes, then touches name
#     close, reset            ends the connection now, politely or not
#     keep_open               the body is over but not its framing: waits
#                             for the peer
#     no_body                 (first step) do not read the request's body
#                             first; then select by header or path
#     code => sub ($conn, $request)
#
# Names of files are below $model->dir.

use v5.36;
use Errno qw( EAGAIN EINTR );
use Exporter qw( import );
use Fcntl qw( :flock SEEK_SET F_GETFL F_SETFL O_NONBLOCK );
use File::Temp ();
use IO::Socket::INET ();
use POSIX qw( WNOHANG );
use Socket qw( SOL_SOCKET SO_LINGER SO_SNDBUF IPPROTO_TCP TCP_NODELAY );
use Time::HiRes qw( time sleep );
use ORS::JSON qw( json_decode json_encode );
use ORS::Util qw( free_port wait_for slurp spew PATIENCE );

our @EXPORT_OK = qw(
    chat_reply chat_chunk chat_stream stream_script json_script sse_head
    rounds chat_usage
);
our %EXPORT_TAGS = (all => \@EXPORT_OK);

my $OWNER = $$;
my $CREATED = 1767225600;
my %alive;

$SIG{PIPE} = 'IGNORE';
$SIG{$_} //= sub { exit 130 } for qw( INT TERM HUP );


# ---- what scripts are made of


sub chat_usage (%u) {
    return { prompt_tokens => 8, completion_tokens => 2, total_tokens => 10,
             %u };
}


# a finished call: arguments may be given in pieces

sub _whole_calls ($calls) {
    return [ map { {
        id => $_->{id}, type => 'function',
        function => { name => $_->{name},
                      arguments => ref $_->{arguments} eq 'ARRAY'
                          ? join '', @{ $_->{arguments} }
                          : $_->{arguments} // '{}' },
    } } @$calls ];
}


# content, tool_calls => [ {id, name, arguments} ], finish, usage, reasoning,
# refusal, model, id, message => { more keys }, extra => { more keys }

sub chat_reply (%o) {
    my %message = (role => 'assistant', content => $o{content},
                   %{ $o{message} // {} });

    $message{tool_calls} = _whole_calls($o{tool_calls}) if $o{tool_calls};
    $message{refusal} = $o{refusal} if defined $o{refusal};
    $message{reasoning_content} = $o{reasoning} if defined $o{reasoning};

    return {
        id => $o{id} // 'chatcmpl-1', object => 'chat.completion',
        created => $CREATED, model => $o{model} // 'mock',
        choices => [ { index => 0, message => \%message,
                       finish_reason => exists $o{finish} ? $o{finish}
                           : $o{tool_calls} ? 'tool_calls' : 'stop' } ],
        usage => exists $o{usage} ? $o{usage} : chat_usage(),
        %{ $o{extra} // {} },
    };
}


# one chunk: content, role, reasoning, refusal, tool_calls (as on the wire),
# delta => { more keys }, finish, usage (then without choices), extra

sub chat_chunk (%o) {
    my %delta = %{ $o{delta} // {} };

    $delta{role} = $o{role} if exists $o{role};
    $delta{content} = $o{content} if exists $o{content};
    $delta{refusal} = $o{refusal} if exists $o{refusal};
    $delta{reasoning_content} = $o{reasoning} if exists $o{reasoning};
    $delta{tool_calls} = $o{tool_calls} if exists $o{tool_calls};

    my %chunk = (
        id => $o{id} // 'chatcmpl-1', object => 'chat.completion.chunk',
        created => $CREATED, model => $o{model} // 'mock',
        choices => [ { index => 0, delta => \%delta,
                       finish_reason => $o{finish} } ],
        %{ $o{extra} // {} },
    );

    if (exists $o{usage}) {
        $chunk{choices} = [];
        $chunk{usage} = $o{usage};
    }

    return \%chunk;
}


# the chunks of a whole answer in the usual order: role, reasoning, text,
# refusal, calls (one after the other), finish, usage.  text, reasoning,
# refusal: a string or a list of pieces; tool_calls as in chat_reply();
# finish, usage: undef leaves them out

sub chat_stream (%o) {
    my %same = map { $_ => $o{$_} } grep { defined $o{$_} } qw( id model );
    my @chunks = chat_chunk(%same, role => 'assistant', content => '');

    my $pieces = sub ($v) { ref $v ? @$v : defined $v ? $v : () };

    push @chunks, chat_chunk(%same, reasoning => $_)
        for $pieces->($o{reasoning});
    push @chunks, chat_chunk(%same, content => $_) for $pieces->($o{text});
    push @chunks, chat_chunk(%same, refusal => $_)
        for $pieces->($o{refusal});

    my $n = 0;

    for my $call (@{ $o{tool_calls} // [] }) {
        push @chunks, chat_chunk(%same, tool_calls => [ {
            index => $n, id => $call->{id}, type => 'function',
            function => { name => $call->{name}, arguments => '' } } ]);

        push @chunks, chat_chunk(%same, tool_calls => [ {
            index => $n, function => { arguments => $_ } } ])
            for $pieces->($call->{arguments} // '{}');

        $n++;
    }

    my $finish = exists $o{finish} ? $o{finish} : $n ? 'tool_calls' : 'stop';

    push @chunks, chat_chunk(%same, finish => $finish) if defined $finish;
    push @chunks, chat_chunk(%same, usage => $o{usage} // chat_usage())
        if !exists $o{usage} || defined $o{usage};

    return @chunks;
}


sub sse_head () {
    return [ header => 'Content-Type', 'text/event-stream' ];
}


# a good streamed answer as a script; options as for chat_stream()

sub stream_script (%o) {
    return [ sse_head(), (map { [ sse => $_ ] } chat_stream(%o)), [ 'done' ] ];
}


sub json_script ($data, $status = 200) {
    return [ [ status => $status ], [ json => $data ] ];
}


# the first request of that name gets the first script, and so on; the last
# one is repeated

sub rounds (@scripts) {
    return { rounds => \@scripts };
}


# ---- the test's side


sub new ($class, %o) {
    my $dir = File::Temp::tempdir('ors-model-XXXXXXXX', TMPDIR => 1);
    my $port = $o{port} // free_port();

    # listens before the fork: nobody is turned away
    my $listen = IO::Socket::INET->new(
        LocalAddr => '127.0.0.1', LocalPort => $port, Proto => 'tcp',
        Listen => $o{backlog} // 511, ReuseAddr => 1)
        or die "cannot listen on port $port: $!\n";

    my $self = bless { dir => $dir, port => $port, listen => $listen,
                       scripts => { %{ $o{scripts} // {} } } }, $class;

    mkdir "$dir/requests";
    spew("$dir/.count", '0');
    spew("$dir/.conns", '0');

    $self->start;

    return $self;
}


sub dir ($self) { $self->{dir} }
sub port ($self) { $self->{port} }
sub address ($self) { "127.0.0.1:$self->{port}" }
sub url ($self) { 'http://' . $self->address }
sub path ($self, $name) { "$self->{dir}/$name" }


# adds or replaces a script; the daemon is started again to know it

sub script ($self, $name, $steps) {
    $self->{scripts}{$name} = $steps;
    $self->_kill;
    $self->start;
    return $self;
}


sub start ($self) {
    return if $self->{pid};

    $self->{listen} //= IO::Socket::INET->new(
        LocalAddr => '127.0.0.1', LocalPort => $self->{port},
        Proto => 'tcp', Listen => 511, ReuseAddr => 1)
        or die "cannot listen on port $self->{port}: $!\n";

    my $parent = $$;
    my $pid = fork // die "cannot fork: $!\n";

    if ($pid == 0) {
        setpgrp;
        $SIG{$_} = 'DEFAULT' for qw( INT TERM HUP );

        # the test's connections must not be kept open here; their numbers
        # stay taken, since perl's handles know nothing of this
        open my $null, '+<', '/dev/null';
        POSIX::dup2(fileno $null, $_)
            for grep { $_ > 2 && $_ != fileno $self->{listen}
                       && $_ != fileno $null }
                map { m{(\d+)\z} } glob '/proc/self/fd/*';

        eval { $self->_serve($parent); 1 } or warn "model: $@";
        POSIX::_exit(0);
    }

    setpgrp $pid, $pid;
    $self->{pid} = $pid;
    $alive{$pid} = $self;
}


# connections are refused from now on, until start()

sub stop ($self) {
    close $self->{listen} if $self->{listen};
    $self->{listen} = undef;
    $self->_kill;
}


sub _kill ($self) {
    my $pid = delete $self->{pid} or return;

    kill 'KILL', -$pid;
    waitpid $pid, 0;
    delete $alive{$pid};
}


sub count ($self) { 0 + slurp("$self->{dir}/.count") }


# connections accepted so far

sub connections ($self) { 0 + slurp("$self->{dir}/.conns") }


# all requests that were read in full, in the order in which that happened

# in scalar context their number

sub requests ($self) {
    my @files = sort glob "$self->{dir}/requests/*.json";
    return wantarray ? map({ $self->_request($_) } @files) : @files;
}


sub last_request ($self) {
    my @files = sort glob "$self->{dir}/requests/*.json";
    return @files ? $self->_request($files[-1]) : undef;
}


sub wait_requests ($self, $n, $timeout = PATIENCE) {
    return wait_for(sub {
        my @files = glob "$self->{dir}/requests/*.json";
        return @files >= $n;
    }, $timeout);
}


sub forget ($self) {
    unlink glob "$self->{dir}/requests/*";
}


sub _request ($self, $file) {
    my $r = json_decode(slurp($file));

    $r->{body} = slurp($file =~ s/json\z/body/r);
    $r->{json} = eval { json_decode($r->{body}, dup => 1) };

    return $r;
}


sub exists ($self, $name) { -e "$self->{dir}/$name" }


sub wait_file ($self, $name, $timeout = PATIENCE) {
    return wait_for(sub { -e "$self->{dir}/$name" }, $timeout);
}


sub touch ($self, $name, $text = '') {
    spew("$self->{dir}/$name", $text);
}


sub file ($self, $name) { slurp("$self->{dir}/$name") }


# removes the files by which test and scripts speak

sub untouch ($self, @names) {
    unlink map { "$self->{dir}/$_" } @names;
}


# bytes a flood has written so far; ".end" appears when it is over

sub flooded ($self, $name) { 0 + (slurp("$self->{dir}/$name") || 0) }


# waits until a flood stands still: nobody takes its bytes; gives the bytes

sub wait_flood_blocked ($self, $name, $timeout = PATIENCE) {
    return wait_for(sub { -e "$self->{dir}/$name.blocked" }, $timeout)
           ? $self->flooded($name) : undef;
}


sub DESTROY ($self) {
    return if $$ != $OWNER;

    local ($?, $!, $@);

    $self->_kill;

    require File::Path;
    File::Path::remove_tree($self->{dir}) if !$ENV{TEST_NGINX_LEAVE};
}


END {
    if ($$ == $OWNER) {
        my $status = $?;
        $_->_kill for values %alive;
        $? = $status;
    }
}


# ---- the daemon's side


sub _serve ($self, $parent) {
    my $listen = $self->{listen};
    my $sel = '';

    vec($sel, fileno $listen, 1) = 1;
    $listen->blocking(0);

    while (1) {
        # an orphan leaves
        return if getppid != $parent;

        1 while waitpid(-1, WNOHANG) > 0;

        select my $r = $sel, undef, undef, 1;
        my $sock = $listen->accept or next;

        my $conn = _next_number("$self->{dir}/.conns");
        my $pid = fork // next;

        if ($pid == 0) {
            close $listen;
            $sock->blocking(0);
            setsockopt $sock, IPPROTO_TCP, TCP_NODELAY, 1;
            ORS::Model::Conn->new($self, $sock, $conn)->run;
            POSIX::_exit(0);
        }

        close $sock;
    }
}


sub _next_number ($file) {
    open my $fh, '+<', $file or return 0;
    flock $fh, LOCK_EX;

    my $n = 1 + <$fh>;

    seek $fh, 0, SEEK_SET;
    syswrite $fh, $n;
    close $fh;

    return $n;
}


package ORS::Model::Conn;

use v5.36;
use Errno qw( EAGAIN EINTR );
use Socket qw( SOL_SOCKET SO_LINGER );
use Time::HiRes qw( time sleep );


sub new ($class, $model, $sock, $number) {
    return bless { model => $model, sock => $sock, number => $number,
                   in => '', nth => 0 }, $class;
}


sub run ($self) {
    while (my $r = $self->_read_head) {
        $self->{nth}++;
        $self->{open} = 1;

        my $steps = $self->_script($r, 0);
        my $early = ref $steps eq 'ARRAY' && @$steps
                    && $steps->[0][0] eq 'no_body';

        if (!$early) {
            $self->_read_body($r) or return;
            $steps = $self->_script($r, 1);
        }

        $self->_record($r);

        @$self{qw( status headers sent framing split cut )}
            = ([ 200, 'OK' ], [], 0, undef, undef, undef);
        $self->{request} = $r;

        if (!eval { $self->_play($steps, 0); $self->_end if $self->{open}; 1 })
        {
            warn "model: $@" if $@ !~ /\Agone/;
            return;
        }

        last if !$self->{open} || $early || $self->{framing} eq 'close'
                || ($r->{headers}{connection} // '') =~ /close/i
                || $r->{version} eq '1.0'
                   && ($r->{headers}{connection} // '') !~ /keep-alive/i;
    }

    close $self->{sock} if $self->{sock};
}


# bytes as they are

sub wire ($self, $bytes) {
    my $at = 0;

    if (defined $self->{cut}) {
        $bytes = substr $bytes, 0, $self->{cut};
        $self->{cut} -= length $bytes;
    }

    while ($at < length $bytes) {
        my $n = $self->{split} && $self->{split} < length($bytes) - $at
                ? $self->{split} : length($bytes) - $at;

        $n = syswrite $self->{sock}, $bytes, $n, $at;

        if (defined $n) {
            $at += $n;
            $self->{wrote} += $n;
            sleep $self->{pause} if $self->{split};
            next;
        }

        if ($! != EAGAIN && $! != EINTR) {
            $self->{why} = 'reset';
            die "gone\n";
        }

        # somebody may be slow on purpose, but not forever
        next if $self->_writable($self->{stand_still} // 60);
        die "gone\n" if !$self->{stand_still};

        $self->{on_still}->();
        $self->_writable(60) or die "gone\n";
    }

    if (defined $self->{cut} && $self->{cut} == 0) {
        $self->_shut;
        die "gone\n";
    }
}


sub _writable ($self, $timeout) {
    my $w = '';

    vec($w, fileno $self->{sock}, 1) = 1;
    return 0 < select undef, $w, undef, $timeout;
}


# a piece of the body

sub body ($self, $bytes) {
    $self->_head;
    return if $bytes eq '' || $self->{request}{method} eq 'HEAD';
    $self->wire($self->{framing} eq 'chunked'
                ? sprintf("%x\r\n%s\r\n", length $bytes, $bytes) : $bytes);
}


# 1 when the peer has gone within the time, which is longer than any test
# waits: "closed" or "reset" in {why}

sub wait_gone ($self, $timeout = 2 * ORS::Util::PATIENCE) {
    my $end = time + $timeout;

    while ((my $left = $end - time) > 0) {
        my $r = '';
        vec($r, fileno $self->{sock}, 1) = 1;
        select $r, undef, undef, $left;

        next if !vec $r, fileno $self->{sock}, 1;

        my $n = sysread($self->{sock}, my $bytes, 65536);
        next if !defined $n && ($! == EAGAIN || $! == EINTR);
        next if $n;

        $self->{why} = defined $n ? 'closed' : 'reset';
        return 1;
    }

    return 0;
}


sub touch ($self, $name, $text = '') {
    ORS::Util::spew("$self->{model}{dir}/$name", $text);
}


sub _play ($self, $steps, $round) {
    return $steps->($self, $self->{request}) if ref $steps eq 'CODE';

    return if eval { $self->_step($_, $round) for @$steps; 1 };

    my $error = $@;

    # a peer that leaves during a write has left before a "hang" as well

    if (defined $self->{why}) {
        $self->touch($_->[1], $self->{why})
            for grep { ref $_ && $_->[0] eq 'hang' } @$steps;
    }

    die $error;
}


sub _step ($self, $step, $round) {
    return if !$self->{open};

    my ($name, @args) = ref $step ? @$step : $step;
    my $do = $self->can("_step_$name")
        or die "no step is called \"$name\"\n";

    @args = map { _numbered($_, $round) } @args if $round;
    $self->$do(@args);
}


sub _numbered ($v, $n) {
    return ref $v eq 'HASH' ? { map { $_ => _numbered($v->{$_}, $n) } keys %$v }
         : ref $v eq 'ARRAY' ? [ map { _numbered($_, $n) } @$v ]
         : ref $v || !defined $v || ORS::JSON::is_num($v) ? $v
         : $v =~ s/%%N%%/$n/gr;
}


sub _step_no_body ($self) { }

sub _step_status ($self, $status, $reason = undef) {
    $self->{status} = [ $status, $reason // 'Scripted' ];
}

sub _step_header ($self, $name, $value) {
    push @{ $self->{headers} }, [ $name, $value ];
}

sub _step_framing ($self, $kind) { $self->{want} = $kind }
sub _step_raw ($self, $bytes) { $self->body($bytes) }
sub _step_wire ($self, $bytes) { $self->{sent} = 1; $self->wire($bytes) }
sub _step_done ($self) { $self->body("data: [DONE]\n\n") }
sub _step_comment ($self, $text) { $self->body(": $text\n\n") }
sub _step_sleep ($self, $time) { sleep $time }
sub _step_touch ($self, $name, $text = '') { $self->touch($name, $text) }
sub _step_cut_at ($self, $n) { $self->{cut} = $n }
sub _step_code ($self, $code) { $code->($self, $self->{request}) }
sub _step_end ($self) { $self->_end }
sub _step_head ($self) { $self->_head }


sub _step_sse ($self, $data, $event = undef) {
    $data = ORS::JSON::json_encode($data) if ref $data;
    $self->body((defined $event ? "event: $event\n" : '')
                . "data: $data\n\n");
}


sub _step_json ($self, $data) {
    my $text = ref $data ? ORS::JSON::json_encode($data) : $data;

    unshift @{ $self->{headers} }, [ 'Content-Type', 'application/json' ]
        if !grep { lc $_->[0] eq 'content-type' } @{ $self->{headers} };

    $self->{want} //= 'length';
    $self->{length} = length $text;
    $self->body($text);
}


sub _step_split ($self, $n, $pause = 0.0005) {
    @$self{qw( split pause )} = ($n, $pause);
}


sub _step_wait_file ($self, $name) {
    my $file = "$self->{model}{dir}/$name";

    ORS::Util::wait_for(sub { -e $file })
        or $self->touch("$name.never");
}


sub _step_repeat ($self, $n, @steps) {
    $self->_play(\@steps, $_) for 1 .. $n;
}


sub _step_hang ($self, $name) {
    $self->_head if !$self->{sent};
    $self->touch($name, $self->{why}) if $self->wait_gone;
    $self->_shut;
}


sub _step_keep_open ($self) {
    $self->_head if !$self->{sent};
    $self->wait_gone;
    $self->_shut;
}


sub _step_close ($self) { $self->_shut }


sub _step_reset ($self) {
    setsockopt $self->{sock}, SOL_SOCKET, SO_LINGER, pack 'ii', 1, 0;
    $self->_shut;
}


sub _step_flood ($self, $name, $size = 1000, $limit = 2_000_000_000) {
    my $frame = 'data: ' . ORS::JSON::json_encode(
        ORS::Model::chat_chunk(content => 'x' x $size)) . "\n\n";
    my $step = 1 + int(65536 / length $frame);
    my $note = sub { $self->touch($name, $self->{wrote}) };

    $self->_head;
    $self->{wrote} = 0;
    local $self->{stand_still} = 1;
    local $self->{on_still} = sub {
        $note->();
        $self->touch("$name.blocked");
    };

    my $ok = eval {
        while ($self->{wrote} < $limit) {
            $self->body($frame) for 1 .. $step;
            $note->();
        }
        1;
    };

    my $why = $@;

    $note->();
    $self->touch("$name.end", $ok ? 'limit' : 'gone');
    die $why if !$ok;
}


sub _head ($self) {
    return if $self->{sent};

    my $r = $self->{request};
    my @h = @{ $self->{headers} };

    $self->{framing} = $self->{want} // ($r->{version} eq '1.1' ? 'chunked'
                                                                : 'close');
    delete $self->{want};
    $self->{sent} = 1;

    push @h, [ 'Transfer-Encoding', 'chunked' ]
        if $self->{framing} eq 'chunked';
    push @h, [ 'Content-Length', $self->{length} // 0 ]
        if $self->{framing} eq 'length'
           && !grep { lc $_->[0] eq 'content-length' } @h;
    push @h, [ 'Connection', 'close' ] if $self->{framing} eq 'close';

    $self->wire(join "\r\n", "HTTP/1.1 @{ $self->{status} }",
                (map { "$_->[0]: $_->[1]" } @h), '', '');
}


# a script that only sets a status still answers

sub _end ($self) {
    return if $self->{ended}++;

    if (!$self->{sent}) {
        $self->{want} //= 'length';
        $self->{length} = 0;
    }

    $self->_head;
    $self->wire("0\r\n\r\n") if ($self->{framing} // '') eq 'chunked'
                                && $self->{request}{method} ne 'HEAD';
    $self->{framing} //= 'close';
    $self->{ended} = 0;
}


sub _shut ($self) {
    close $self->{sock} if $self->{sock};
    $self->{sock} = undef;
    $self->{open} = 0;
}


sub _fill ($self) {
    my $r = '';

    vec($r, fileno $self->{sock}, 1) = 1;
    select $r, undef, undef, 60 or return 0;

    my $n = sysread($self->{sock}, $self->{in}, 65536, length $self->{in});
    return $n || (!defined $n && ($! == EAGAIN || $! == EINTR) ? 1 : 0);
}


# removes what matches from the head of the input, gives the first group

sub _take ($self, $re) {
    while (1) {
        return $1 if $self->{in} =~ s/$re//;
        $self->_fill or return undef;
    }
}


sub _read_head ($self) {
    my $head = $self->_take(qr/\A(.*?)\r\n\r\n/s) // return undef;
    my ($line, @fields) = split /\r\n/, $head;
    my ($method, $uri, $version) = $line =~ m{\A(\S+) (\S+) HTTP/(1\.\d)\z}
        or return undef;
    my %r = (method => $method, uri => $uri, version => $version,
             headers => {}, header_list => [], body => '',
             conn => $self->{number}, nth => $self->{nth} + 1);

    for my $field (@fields) {
        my ($name, $value) = $field =~ /\A([^:]+):\s*(.*?)\s*\z/ or next;

        push @{ $r{header_list} }, [ $name, $value ];
        $r{headers}{lc $name} = join ', ', $r{headers}{lc $name} // (), $value;
    }

    return \%r;
}


sub _read_body ($self, $r) {
    if (($r->{headers}{'transfer-encoding'} // '') =~ /chunked/i) {
        while (1) {
            my $n = $self->_take(qr/\A([0-9A-Fa-f]+)[^\r\n]*\r\n/) // return 0;

            $n = hex $n;

            until (length $self->{in} >= $n + 2) {
                $self->_fill or return 0;
            }

            $r->{body} .= substr $self->{in}, 0, $n, '';
            substr $self->{in}, 0, 2, '';
            return 1 if $n == 0;
        }
    }

    my $n = $r->{headers}{'content-length'} || 0;

    until (length $self->{in} >= $n) {
        $self->_fill or return 0;
    }

    $r->{body} = substr $self->{in}, 0, $n, '';
    return 1;
}


sub _script ($self, $r, $all) {
    my $scripts = $self->{model}{scripts};
    my ($name) = grep { defined } $r->{headers}{'x-script'},
                 $r->{uri} =~ m{/script/([^/?]+)} ? $1 : undef;

    if (!defined $name && $all) {
        # a long body is not worth a parse
        $name = length $r->{body} < 200_000
                ? eval { ORS::JSON::json_decode($r->{body}, dup => 1)
                             ->{model} }
                : $r->{body} =~ /"model"\s*:\s*"([^"\\]*)"/ ? $1 : undef;
    }

    $name = 'default' if !defined $name || !exists $scripts->{$name};
    $r->{name} = $name;

    my $script = $scripts->{$name};

    if (!$script) {
        return $r->{body} =~ /"stream"\s*:\s*true/
            ? ORS::Model::stream_script(text => 'Hello')
            : ORS::Model::json_script(
                  ORS::Model::chat_reply(content => 'Hello'));
    }

    return $script if ref $script ne 'HASH';
    return [] if !$all;

    my $file = "$self->{model}{dir}/.round-" . unpack 'H*', $name;
    ORS::Util::spew($file, '0') if !-e $file;

    my $n = ORS::Model::_next_number($file);
    my $list = $script->{rounds};

    return $list->[$n > @$list ? -1 : $n - 1];
}


sub _record ($self, $r) {
    my $dir = $self->{model}{dir};
    my %note = %$r;
    my $n = ORS::Model::_next_number("$dir/.count");
    my $file = sprintf '%s/requests/%06d', $dir, $n;

    # the body first: the other file says that both are there
    ORS::Util::spew("$file.body", delete $note{body});
    ORS::Util::spew("$file.json", ORS::JSON::json_encode(\%note));
}


1;
