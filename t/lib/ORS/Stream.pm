package ORS::Stream;

# Copyright (C) Open Responses contributors
#
# THE STREAM CHECKER: what every test's answer passes through.  It knows the
# protocol (response object, items, parts, events, their order and their
# agreement) and reports each departure as a text.  Here are its entries,
# its results and the framing; the objects are in ORS::Schema, the events in
# ORS::Events.
#
#     use ORS::Stream qw( stream_ok response_ok error_ok check_stream );
#
#     my $s = stream_ok($r, 'short text');        # $r from ORS::HTTP
#     is($s->text, 'Hello', 'text');
#     is($s->calls->[0]{name}, 'get_weather', 'call');
#     is($s->response->{usage}{total_tokens}, 10, 'usage');
#     is_deeply([ $s->types ], [ 'response.created', ... ], 'events');
#     is($s->count('response.output_text.delta'), 2, 'deltas');
#
#     stream_ok($r, 'cut upstream', expect => 'failed',
#               code => 'upstream_closed');
#     stream_ok($c->body, 'seen by a client that left', partial => 1);
#
#     my $d = response_ok($r, 'plain answer', expect => 'completed');
#     is($d->text, 'Hello');
#
#     error_ok($r, 400, 'bad temperature', param => 'temperature',
#              code => 'invalid_type', message => qr/number/);
#
#     my $s = check_stream($bytes, %opt);         # the same without a test
#     my $d = check_response($json_text, %opt);
#     my @wrong = check_error($status, \%headers, $body);
#     $s->ok or diag(join "\n", @{ $s->errors });
#
# stream_ok() and response_ok() take a reply of ORS::HTTP, then status, type
# and framing are checked too, or plain bytes.
#
# Of the result: ok, errors, events (list of {type, data, raw, n}), types,
# count(type), event(type [, n]) (data), comments (how many), response (the
# terminal snapshot), status, items, usage, error (of the response), text,
# reasoning (raw), summary, refusal (each joined over all items), deltas (the
# list of text deltas), calls (finished function_call items), done ([DONE]
# was seen).
#
# Options:
#     expect => 'completed' | 'incomplete' | 'failed'
#     code => string or qr//, of a failed response; reason => of incomplete
#     partial => 1      the client left: the stream may end anywhere
#     lax => 1          somebody else's stream (passed through): unknown
#                       keys, no status on reasoning, any first sequence
#                       number, failed without error, empty deltas, an
#                       incomplete item that a failed response left out
#     padded => 1, 0    each delta is padded, where it may be, or none is
#     extensions => 1   "slug:name" items and events are allowed
#     flavor => 'openai'   reasoning_text events, other item types, nulls
#                       for optional fields, and what lax allows of keys

use v5.36;
use parent -norequire, qw( ORS::Events );
use Exporter qw( import );
use Test::More ();
use ORS::Events qw( event_types );
use ORS::JSON qw( json_decode is_str join_surrogates );
use ORS::Schema qw( item_types );

our @EXPORT_OK = qw(
    check_stream check_response check_error stream_ok response_ok error_ok
);


# ---- entries


sub check_stream ($bytes, %opt) {
    my $self = _new(%opt, stream => 1);

    $self->_frames($bytes);
    $self->_frame($_) for @{ $self->{frames} };
    $self->_at_end;

    return $self;
}


# a document that is not streamed

sub check_response ($text, %opt) {
    my $self = _new(%opt);

    $self->{where} = 'response';

    my $r = eval { json_decode($text) };

    if ($@) {
        $self->_wrong("not JSON: $@" =~ s/\n\z//r);

    } elsif ($self->_response($r)) {
        $self->{response} = $r;
        $self->{items} = $r->{output} if ref $r->{output} eq 'ARRAY';
        $self->_snapshot($r, 1);

        $self->_wrong("status is \"$r->{status}\"")
            if is_str($r->{status}) && $r->{status} =~ /^(queued|in_progress)/
               && !$opt{unfinished};
    }

    $self->_expectations;

    return $self;
}


# mistakes of an error answer

sub check_error ($status, $headers, $body, %opt) {
    my $self = _new(%opt);
    my $type = $headers->{'content-type'} // '';

    $self->{where} = 'error answer';

    $self->_wrong("status $status is no error") if $status < 400;
    $self->_wrong("content type is \"$type\"")
        if $type !~ m{\Aapplication/json(?:;|\z)};

    my $doc = eval { json_decode($body) };

    if ($@) {
        $self->_wrong("not JSON: $@" =~ s/\n\z//r);

    } elsif ($self->_shape($doc, { error => 'obj' }, 'body', 1)
             && ref $doc->{error} eq 'HASH')
    {
        my $e = $doc->{error};

        $self->_error_value($e, 0);

        if (is_str($e->{type})) {
            my $server = $e->{type} =~ /^(?:server_error|model_error)$/;

            $self->_wrong("type \"$e->{type}\" with status $status")
                if $status >= 500 && !$server || $status < 500 && $server
                   || ($status == 429) != ($e->{type} eq 'too_many_requests')
                      && !$opt{openai};
        }
    }

    return @{ $self->{errors} };
}


sub stream_ok ($what, $name, %opt) {
    my $s = check_stream(_body($what), %opt);

    _of_reply($s, $what, 'text/event-stream') if ref $what;

    return _assert($s, $name, $what);
}


sub response_ok ($what, $name, %opt) {
    my $s = check_response(_body($what), %opt);

    _of_reply($s, $what, 'application/json') if ref $what;

    return _assert($s, $name, $what);
}


# %expect: type, code, param, message, each a string, a qr// or undef (null)

sub error_ok ($r, $status, $name, %expect) {
    my @wrong = check_error($r->{status}, $r->{headers}, $r->{body});
    my $e = ref $r->{json} eq 'HASH' && ref $r->{json}{error} eq 'HASH'
            ? $r->{json}{error} : {};

    push @wrong, "status is $r->{status}, not $status"
        if $r->{status} != $status;
    push @wrong, 'the answer is not complete'
        if !$r->{complete};

    for my $key (sort keys %expect) {
        push @wrong, "$key is " . ($e->{$key} // 'null') . ', not '
                     . ($expect{$key} // 'null')
            if !_like($e->{$key}, $expect{$key});
    }

    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $ok = Test::More::ok(!@wrong, $name);

    if (!$ok) {
        Test::More::diag("    $_") for @wrong;
        Test::More::diag('    body: ' . substr $r->{body}, 0, 1000);
    }

    return $e;
}


# ---- what tests ask


sub ok ($self) { !@{ $self->{errors} } }
sub errors ($self) { $self->{errors} }
sub events ($self) { $self->{events} }
sub types ($self) { map { $_->{type} } @{ $self->{events} } }
sub count ($self, $type) { scalar grep { $_ eq $type } $self->types }
sub comments ($self) { $self->{comments} }
sub done ($self) { $self->{done} }
sub response ($self) { $self->{response} }
sub items ($self) { $self->{items} }
sub status ($self) { $self->{response} && $self->{response}{status} }
sub usage ($self) { $self->{response} && $self->{response}{usage} }
sub error ($self) { $self->{response} && $self->{response}{error} }


sub event ($self, $type, $n = 0) {
    my @found = grep { $_->{type} eq $type } @{ $self->{events} };
    return $found[$n] && $found[$n]{data};
}


sub deltas ($self, $type = 'response.output_text.delta') {
    return map { $_->{data}{delta} }
           grep { $_->{type} eq $type } @{ $self->{events} };
}


sub text ($self) { $self->_joined(message => content => output_text => 'text') }

sub refusal ($self) {
    return $self->_joined(message => content => refusal => 'refusal');
}

sub reasoning ($self) {
    return $self->_joined(reasoning => content => reasoning_text => 'text');
}

sub summary ($self) {
    return $self->_joined(reasoning => summary => summary_text => 'text');
}


sub calls ($self) {
    return [ grep { ref eq 'HASH' && ($_->{type} // '') eq 'function_call' }
             @{ $self->{items} } ];
}


sub _joined ($self, $item_type, $list, $part_type, $key) {
    return join_surrogates(join '',
        map { $_->{$key} // '' }
        grep { ref eq 'HASH' && ($_->{type} // '') eq $part_type }
        map { @{ $_->{$list} // [] } }
        grep { ref eq 'HASH' && ($_->{type} // '') eq $item_type }
        @{ $self->{items} });
}


# ---- helpers of the entries


sub _new (%opt) {
    my $openai = ($opt{flavor} // 'spec') eq 'openai';

    return bless {
        opt => \%opt, openai => $openai, lax => $opt{lax},
        any_keys => $opt{lax} || $openai, errors => [], events => [],
        frames => [], comments => 0, items => [], state => 'START',
        where => 'stream', ids => {}, call_ids => {}, done => 0,
        event_schema => event_types($openai),
        item_schema => item_types($openai),
    }, __PACKAGE__;
}


sub _body ($what) {
    return ref $what ? $what->{body} : $what;
}


sub _of_reply ($s, $r, $type) {
    my $is = $r->{headers}{'content-type'} // '';

    $s->{where} = 'HTTP reply';
    $s->_wrong("status is $r->{status}") if $r->{status} != 200;
    $s->_wrong("content type is \"$is\"") if $is !~ /\A\Q$type\E(?:;|\z)/;
    $s->_wrong('its framing is cut' . ($r->{error} ? ": $r->{error}" : ''))
        if !$r->{complete} && !$s->{opt}{partial};
    $s->_wrong('it has a content-length')
        if $s->{opt}{stream} && exists $r->{headers}{'content-length'};
}


sub _assert ($s, $name, $what) {
    local $Test::Builder::Level = $Test::Builder::Level + 2;
    my $ok = Test::More::ok($s->ok, $name);

    if (!$ok) {
        my $body = _body($what);

        Test::More::diag("    $_") for @{ $s->{errors} };
        Test::More::diag(length $body > 6000 && !$ENV{TEST_NGINX_VERBOSE}
            ? '    ... ' . substr $body, -3000 : "    body: $body");
    }

    return $s;
}


sub _like ($is, $expected) {
    return !defined $is if !defined $expected;
    return 0 if !defined $is;
    return ref $expected ? $is =~ $expected : $is eq $expected;
}


sub _expectations ($self) {
    my $opt = $self->{opt};
    my $r = $self->{response} // {};

    $self->{where} = 'result';

    $self->_wrong('status is ' . ($r->{status} // 'missing')
                  . ", not $opt->{expect}")
        if defined $opt->{expect} && ($r->{status} // '') ne $opt->{expect};

    $self->_wrong('the code of the failure is '
                  . ($r->{error}{code} // 'missing') . ", not $opt->{code}")
        if exists $opt->{code}
           && !_like(ref $r->{error} ? $r->{error}{code} : undef,
                     $opt->{code});

    $self->_wrong("the reason is not $opt->{reason}")
        if exists $opt->{reason}
           && !_like(ref $r->{incomplete_details}
                     ? $r->{incomplete_details}{reason} : undef,
                     $opt->{reason});
}


# ---- framing


sub _frames ($self, $bytes) {
    my $n = 0;
    my $at = 0;

    $self->{where} = 'stream';

    $self->_wrong('a CR in the stream') if $bytes =~ /\r/;
    $self->_wrong('a byte order mark') if $bytes =~ /\A\xef\xbb\xbf/;

    while ((my $end = index $bytes, "\n\n", $at) >= 0) {
        my $block = substr $bytes, $at, $end - $at;

        $at = $end + 2;

        # extra empty lines are no frame
        $self->{where} = "frame $n";
        $self->_wrong('an empty line too many') if $block =~ s/\A\n+//;

        my $comments = 0;
        $comments++ while $block =~ s/\A:[^\n]*(?:\n|\z)//;
        $self->{comments} += $comments;
        next if $comments && $block eq '';

        push @{ $self->{frames} }, { n => $n++, block => $block };
    }

    return if $at == length $bytes;

    $self->{where} = 'end of stream';
    $self->_wrong('bytes after the last frame: '
                  . substr($bytes, $at, 40) =~ s/\n/\\n/gr)
        if !$self->{opt}{partial};
}


sub _frame ($self, $f) {
    $self->{where} = "frame $f->{n}";

    return $self->_wrong('something after [DONE]') if $self->{done};

    if ($f->{block} =~ /\Adata:\s*\[DONE\]\s*\z/) {
        $self->_wrong('[DONE] is not written as "data: [DONE]"')
            if $f->{block} ne 'data: [DONE]';
        $self->_wrong('[DONE] before the terminal event')
            if $self->{state} ne 'TERM';
        $self->{done} = 1;
        return;
    }

    $f->{block} =~ /\Aevent: ([^\n]+)\ndata: ([^\n]+)\z/
        or return $self->_wrong('not "event: T", "data: JSON": '
               . substr($f->{block}, 0, 80) =~ s/\n/\\n/gr);

    my ($type, $raw) = ($1, $2);
    my $data = eval { json_decode($raw) };

    $self->{where} .= " ($type)";

    return $self->_wrong("not JSON: $@" =~ s/\n\z//r) if $@;
    return $self->_wrong('data is no object') if ref $data ne 'HASH';

    push @{ $self->{events} },
        { type => $data->{type} // '', data => $data, raw => $raw,
          n => $f->{n} };

    return $self->_wrong('no type') if !is_str($data->{type});

    $self->_wrong("event is not the type \"$data->{type}\"")
        if $data->{type} ne $type;

    $self->_event($data->{type}, $data);
}


sub _at_end ($self) {
    $self->{where} = 'end of stream';

    if (!$self->{opt}{partial}) {
        $self->_wrong('no terminal event') if $self->{state} ne 'TERM';
        $self->_wrong('no [DONE]') if !$self->{done};
    }

    $self->_expectations;
}


1;
