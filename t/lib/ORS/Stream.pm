package ORS::Stream;

# Copyright (C) Open Responses contributors
#
# THE STREAM CHECKER: what every test's answer passes through.  It knows the
# protocol (response object, items, parts, events, their order and their
# agreement) and reports each departure as a text.
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
#                       number, failed without error, empty deltas
#     extensions => 1   "slug:name" items and events are allowed
#     flavor => 'openai'   reasoning_text events, other item types, nulls
#                       for optional fields, and what lax allows of keys

use v5.36;
use Exporter qw( import );
use Test::More ();
use ORS::JSON qw( json_decode is_num is_int is_str is_bool same_text
                  same_value join_surrogates json_encode );

our @EXPORT_OK = qw(
    check_stream check_response check_error stream_ok response_ok error_ok
);

use constant MAX_ERRORS => 50;

my @STATUS = qw( in_progress completed incomplete );
my @ERROR_TYPES = qw( invalid_request not_found too_many_requests
                      server_error model_error );

# Field types: str, int, num, bool, obj, arr, any; null may be added; "=a"
# is the string "a"; "?" in front of a name: may be absent.

my %RESPONSE = (
    id => 'str', object => '=response', created_at => 'int',
    completed_at => 'int|null',
    status => '=queued|=in_progress|=completed|=incomplete|=failed',
    incomplete_details => 'obj|null', model => 'str',
    previous_response_id => 'str|null', instructions => 'str|null',
    output => 'arr', error => 'obj|null', tools => 'arr',
    tool_choice => 'str|obj', truncation => '=auto|=disabled',
    parallel_tool_calls => 'bool', text => 'obj', top_p => 'num',
    presence_penalty => 'num', frequency_penalty => 'num',
    top_logprobs => 'int', temperature => 'num', reasoning => 'obj|null',
    usage => 'obj|null', max_output_tokens => 'int|null',
    max_tool_calls => 'int|null', store => 'bool', background => 'bool',
    service_tier => 'str', metadata => 'any',
    safety_identifier => 'str|null', prompt_cache_key => 'str|null',
);

# what may differ between two snapshots of one response
my %CHANGING = map { $_ => 1 } qw(
    status output usage completed_at error incomplete_details model
    service_tier
);

my %USAGE = (
    input_tokens => 'int', output_tokens => 'int', total_tokens => 'int',
    input_tokens_details => 'obj', output_tokens_details => 'obj',
);

my %TOOL = (
    type => '=function', name => 'str', description => 'str|null',
    parameters => 'obj|null', strict => 'bool|null',
);

my %FORMAT = (
    text => { type => 'str' },
    json_object => { type => 'str' },
    json_schema => { type => 'str', name => 'str',
                     description => 'str|null', schema => 'null',
                     strict => 'bool' },
);

my %PART = (
    output_text => { type => 'str', text => 'str', annotations => 'arr',
                     '?logprobs' => 'arr' },
    refusal => { type => 'str', refusal => 'str' },
    reasoning_text => { type => 'str', text => 'str' },
    summary_text => { type => 'str', text => 'str' },
    text => { type => 'str', text => 'str' },
    input_text => { type => 'str', text => 'str' },
    input_image => { type => 'str', image_url => 'str|null',
                     detail => '=low|=high|=auto' },
    input_file => { type => 'str', '?filename' => 'str',
                    '?file_url' => 'str' },
    input_video => { type => 'str', video_url => 'str' },
);

my %ITEM = (
    message => { type => 'str', id => 'str', status => 'status',
                 role => '=assistant|=user|=system|=developer',
                 content => 'arr', '?phase' => '=commentary|=final_answer' },
    function_call => { type => 'str', id => 'str', call_id => 'str',
                       name => 'str', arguments => 'str',
                       status => 'status' },
    function_call_output => { type => 'str', id => 'str', call_id => 'str',
                              output => 'str|arr', status => 'status' },
    reasoning => { type => 'str', id => 'str', status => 'status',
                   summary => 'arr', '?content' => 'arr',
                   '?encrypted_content' => 'str' },
    compaction => { type => 'str', id => 'str', status => 'status',
                    encrypted_content => 'str', '?created_by' => 'str' },
);

my %CITATION = (
    type => '=url_citation', url => 'str', title => 'str',
    start_index => 'int', end_index => 'int',
);

my %LOGPROB = (
    token => 'str', logprob => 'num', bytes => 'arr', top_logprobs => 'arr',
);

my %TOP_LOGPROB = (token => 'str', logprob => 'num', bytes => 'arr');

my %IN_PART = (item_id => 'str', output_index => 'int',
               content_index => 'int');
my %IN_SUMMARY = (item_id => 'str', output_index => 'int',
                  summary_index => 'int');
my %IN_ITEM = (item_id => 'str', output_index => 'int');
my %LOGPROBS = ('?logprobs' => 'arr');
my %PADDING = ('?obfuscation' => 'str');

my %EVENT = (
    (map { ("response.$_" => { response => 'obj' }) }
     qw( created queued in_progress completed incomplete failed )),
    (map { ("response.output_item.$_" => { output_index => 'int',
                                           item => 'obj' }) }
     qw( added done )),
    (map { ("response.content_part.$_" => { %IN_PART, part => 'obj' }) }
     qw( added done )),
    (map { ("response.reasoning_summary_part.$_" => { %IN_SUMMARY,
                                                      part => 'obj' }) }
     qw( added done )),
    'response.output_text.delta'
        => { %IN_PART, delta => 'str', %LOGPROBS, %PADDING },
    'response.output_text.done' => { %IN_PART, text => 'str', %LOGPROBS },
    'response.output_text.annotation.added'
        => { %IN_PART, annotation_index => 'int', annotation => 'obj' },
    'response.refusal.delta' => { %IN_PART, delta => 'str' },
    'response.refusal.done' => { %IN_PART, refusal => 'str' },
    'response.reasoning.delta' => { %IN_PART, delta => 'str', %PADDING },
    'response.reasoning.done' => { %IN_PART, text => 'str' },
    'response.reasoning_summary_text.delta'
        => { %IN_SUMMARY, delta => 'str', %PADDING },
    'response.reasoning_summary_text.done'
        => { %IN_SUMMARY, text => 'str' },
    'response.function_call_arguments.delta'
        => { %IN_ITEM, delta => 'str', %PADDING },
    'response.function_call_arguments.done'
        => { %IN_ITEM, arguments => 'str' },
    'error' => { error => 'obj' },
);

# only with flavor => 'openai'

my %OPENAI_EVENT = (
    'response.reasoning_text.delta' => $EVENT{'response.reasoning.delta'},
    'response.reasoning_text.done' => $EVENT{'response.reasoning.done'},
    'response.custom_tool_call_input.delta'
        => { %IN_ITEM, delta => 'str', %PADDING },
    'response.custom_tool_call_input.done' => { %IN_ITEM, input => 'str' },
);

my %OPENAI_ITEM = (
    custom_tool_call => { type => 'str', id => 'str', call_id => 'str',
                          name => 'str', input => 'str',
                          status => 'status' },
);

# which part type an event belongs to, what it does, where the text is

my %PART_EVENT = (
    'response.output_text.delta' => [ output_text => 'delta' ],
    'response.output_text.done' => [ output_text => 'text' ],
    'response.refusal.delta' => [ refusal => 'delta' ],
    'response.refusal.done' => [ refusal => 'refusal' ],
    'response.reasoning.delta' => [ reasoning_text => 'delta' ],
    'response.reasoning.done' => [ reasoning_text => 'text' ],
    'response.reasoning_text.delta' => [ reasoning_text => 'delta' ],
    'response.reasoning_text.done' => [ reasoning_text => 'text' ],
    'response.reasoning_summary_text.delta' => [ summary_text => 'delta' ],
    'response.reasoning_summary_text.done' => [ summary_text => 'text' ],
);

my %PARTS_OF = (
    message => { map { $_ => 1 } keys %PART },
    reasoning => { reasoning_text => 1, summary_text => 1 },
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

    } elsif ($self->_shape($r, \%RESPONSE, 'response', 1)) {
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


# what is wrong with an error answer

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
        event_schema => { %EVENT, $openai ? %OPENAI_EVENT : () },
        item_schema => { %ITEM, $openai ? %OPENAI_ITEM : () },
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


sub _wrong ($self, $text) {
    push @{ $self->{errors} }, "$self->{where}: $text"
        if @{ $self->{errors} } < MAX_ERRORS;
    return 0;
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


# ---- one event: its own shape, then its place


sub _event ($self, $type, $data) {
    $self->_sequence($data->{sequence_number});

    my $schema = $self->{event_schema}{$type};

    if (!$schema) {
        return if $type =~ /\A[a-z0-9_.-]+:.+/ && $self->{opt}{extensions};

        # what other tools report about their item
        return $self->_foreign_event($type, $data)
            if $self->{openai} && $type =~ /\Aresponse\./;

        return $self->_wrong('no such event type');
    }

    $self->_shape($data, { type => 'str', sequence_number => 'int',
                           %$schema }, 'event') or return;

    my $ok = 1;

    $ok = $self->_part($data->{part}, 'part', $type) if $data->{part};
    $ok &&= $self->_annotation($data->{annotation}, 'annotation')
        if $data->{annotation};
    $ok &&= $self->_logprobs($data->{logprobs}, 'logprobs')
        if $data->{logprobs};
    $ok &&= $self->_error_value($data->{error}, 1) if $data->{error};

    # an item or a response with a small fault still counts in the order
    if ($data->{item}) {
        $self->_item($data->{item}, 'item');
        $ok &&= is_str($data->{item}{type}) && is_str($data->{item}{id});
    }

    return $self->_ended if $self->{state} eq 'TERM';

    if ($data->{response}) {
        $self->_state_event($type =~ s/\Aresponse\.//r, $data->{response});

    } elsif ($type eq 'error') {
        $self->_error_event($data);

    } elsif ($ok) {
        $self->_delta_event($type, $data);
    }
}


sub _sequence ($self, $n) {
    return $self->_wrong('no integer sequence_number') if !is_int($n);

    my $due = $self->{sequence};

    $due //= $self->{lax} ? $n : 0;
    $self->_wrong("sequence_number is $n, not $due") if $n != $due;
    $self->{sequence} = $n + 1;
}


sub _ended ($self) {
    return $self->_wrong('an event after the terminal event');
}


sub _state_event ($self, $status, $r) {
    my $state = $self->{state};
    my $terminal = $status =~ /\A(?:completed|incomplete|failed)\z/;

    $self->_shape($r, \%RESPONSE, 'response', 1);
    $self->_snapshot($r, $terminal);
    $self->_same_as_before($r);

    my $is = $r->{status} // '';

    if ($status eq 'created') {
        $self->_wrong('created is not the first event')
            if $state ne 'START';
        $self->_wrong("status is \"$is\"")
            if $is ne 'in_progress' && $is ne 'queued';
        $self->{state} = 'CREATED';

    } elsif ($status eq 'queued') {
        $self->_wrong("queued in state $state") if $state ne 'CREATED';
        $self->_wrong("status is \"$is\"") if $is ne 'queued';
        $self->{state} = 'QUEUED';

    } elsif ($status eq 'in_progress') {
        $self->_wrong("in_progress in state $state")
            if $state ne 'CREATED' && $state ne 'QUEUED';
        $self->_wrong("status is \"$is\"") if $is ne 'in_progress';
        $self->{state} = 'IDLE';
    }

    if (!$terminal) {
        $self->_wrong('output is not empty')
            if ref $r->{output} eq 'ARRAY' && @{ $r->{output} };
        $self->_wrong('usage is not null') if defined $r->{usage};
        return;
    }

    $self->_wrong("status is \"$is\"") if $is ne $status;
    $self->_terminal($status, $r, $state);

    $self->{response} = $r;
    $self->{state} = 'TERM';
}


sub _terminal ($self, $status, $r, $state) {
    if ($status eq 'failed') {
        $self->_wrong("failed in state $state") if $state eq 'START';
        $self->_wrong('failed without an error event')
            if $state ne 'ERR' && !$self->{lax};

        my ($code, $said) = (ref $r->{error} eq 'HASH' ? $r->{error}{code}
                             : undef, $self->{error_event});

        $self->_wrong("its code is \"$code\", the error event said"
                      . " \"$said->{code}\"")
            if $said && is_str($said->{code}) && is_str($code)
               && $code ne $said->{code};

    } else {
        $self->_wrong("$status in state $state")
            if $state ne 'IDLE' && $state !~ /\AITEM/;
        $self->_wrong("item $self->{item}{id} is not finished")
            if $state =~ /\AITEM/ && $self->{item};
    }

    return if ref $r->{output} ne 'ARRAY';

    my @done = @{ $self->{items} };
    my @out = @{ $r->{output} };

    $self->_wrong('an incomplete item, but the response is ' . $status)
        if $status ne 'incomplete'
           && grep { ($_->{status} // '') eq 'incomplete' } @done;

    $self->_wrong('output has ' . @out . ' items, finished are ' . @done)
        if @out != @done;

    for my $i (0 .. $#out) {
        last if $i > $#done;
        $self->_differ($out[$i], $done[$i], "output[$i]",
                       'its output_item.done');
    }
}


sub _error_event ($self, $data) {
    my $state = $self->{state};

    $self->_wrong("error in state $state")
        if $state eq 'START' || $state eq 'ERR';

    $self->{error_event} = $data->{error};
    $self->{state} = 'ERR';
}


sub _delta_event ($self, $type, $data) {
    my $state = $self->{state};

    return $self->_item_added($data) if $type eq 'response.output_item.added';

    return $self->_wrong("in state $state, no item is open")
        if $state !~ /\AITEM/;

    my $item = $self->{item};

    $self->_wrong("output_index is $data->{output_index}, not $item->{index}")
        if $data->{output_index} != $item->{index};
    $self->_wrong("item_id is \"$data->{item_id}\", not \"$item->{id}\"")
        if exists $data->{item_id} && $data->{item_id} ne $item->{id};

    return $self->_item_done($data) if $type eq 'response.output_item.done';

    return $self->_arguments($type, $data)
        if $type =~ /(?:function_call_arguments|custom_tool_call_input)\./;

    return $self->_part_added($type, $data) if $type =~ /_part\.added\z/;

    my $part = $item->{part}
        or return $self->_wrong('no part is open');
    my $index = $part->{list} eq 'summary' ? 'summary_index'
                                           : 'content_index';

    return $self->_wrong("the open part has a $index")
        if !exists $data->{$index};

    $self->_wrong("$index is $data->{$index}, not $part->{index}")
        if $data->{$index} != $part->{index};

    return $self->_part_done($type, $data) if $type =~ /_part\.done\z/;

    return $self->_annotation_added($data) if $type =~ /annotation\.added\z/;

    my ($part_type, $key) = @{ $PART_EVENT{$type} };

    return $self->_wrong("the open part is of type $part->{type}")
        if $part->{type} ne $part_type;
    return $self->_wrong('the text of this part was done')
        if defined $part->{done};

    if ($key eq 'delta') {
        $self->_wrong('an empty delta')
            if $data->{delta} eq '' && !$self->{lax};
        $part->{text} .= $data->{delta};
        $part->{deltas}++;
        push @{ $part->{logprobs} }, @{ $data->{logprobs} // [] };
        return;
    }

    $part->{done} = $data->{$key};
    $self->_wrong("$key is not the sum of the deltas")
        if !same_text($data->{$key}, $part->{text});
    $self->_same_logprobs($data, $part);
}


sub _item_added ($self, $data) {
    my $new = $data->{item};
    my $n = $self->{added} // 0;

    if ($self->{state} =~ /\AITEM/) {
        $self->_wrong("item $self->{item}{id} is still open");

    } elsif ($self->{state} ne 'IDLE') {
        $self->_wrong("in state $self->{state}");
    }

    $self->_wrong("after the incomplete item $self->{incomplete}")
        if defined $self->{incomplete};
    $self->_wrong("output_index is $data->{output_index}, not $n")
        if $data->{output_index} != $n;
    $self->_wrong("status is \"$new->{status}\"")
        if defined $new->{status} && $new->{status} ne 'in_progress'
           && $self->{item_schema}{$new->{type}};
    $self->_wrong("id \"$new->{id}\" was used before")
        if $self->{ids}{$new->{id}}++;

    # zero values, filled by events
    for my $key (qw( content summary )) {
        $self->_wrong("$key is not empty")
            if ref $new->{$key} eq 'ARRAY' && @{ $new->{$key} };
    }

    for my $key (qw( arguments input )) {
        $self->_wrong("$key is not empty")
            if is_str($new->{$key}) && $new->{$key} ne ''
               && $new->{type} =~ /_call\z/;
    }

    $self->{added} = $n + 1;
    $self->{state} = "ITEM($new->{type})";
    $self->{item} = { id => $new->{id}, type => $new->{type}, index => $n,
                      added => $new, text => '', lists => {} };
}


sub _item_done ($self, $data) {
    my $open = $self->{item};
    my $item = $data->{item};
    my $added = $open->{added};

    $self->{state} = 'IDLE';
    $self->{item} = undef;
    push @{ $self->{items} }, $item;

    $self->_wrong('part ' . $open->{part}{index} . ' is still open')
        if $open->{part};

    for my $key (qw( id type role call_id name phase )) {
        my ($was, $is) = ($added->{$key}, $item->{$key});

        $self->_wrong("$key is not that of output_item.added")
            if (exists $added->{$key} || $key ne 'phase')
               && !same_value($was, $is);
    }

    my $status = $item->{status} // '';

    $self->_wrong("status is \"$status\"") if $status eq 'in_progress';
    $self->{incomplete} = $item->{id} if $status eq 'incomplete';

    if ($open->{type} =~ /\A(?:function|custom_tool)_call\z/) {
        my $key = $open->{type} eq 'function_call' ? 'arguments' : 'input';

        $self->_wrong("no $key.done before") if !defined $open->{done};
        $self->_wrong("$key are not those of the done event")
            if defined $open->{done} && is_str($item->{$key})
               && !same_text($item->{$key}, $open->{done});
    }

    if ($open->{type} eq 'message') {
        $self->_same_parts($item, $open, 'content');

    } elsif ($open->{type} eq 'reasoning') {
        $self->_same_parts($item, $open, $_) for qw( content summary );
    }
}


sub _same_parts ($self, $item, $open, $list) {
    my $done = $open->{lists}{$list} // [];
    my $parts = $item->{$list} // [];

    return if ref $parts ne 'ARRAY';

    $self->_wrong("$list has " . @$parts . ' parts, finished are ' . @$done)
        if @$parts != @$done;

    for my $i (0 .. $#$parts) {
        last if $i > $#$done;
        $self->_differ($parts->[$i], $done->[$i], $list . "[$i]",
                       'its part.done');
    }
}


sub _arguments ($self, $type, $data) {
    my $open = $self->{item};
    my ($want, $key) = $type =~ /function_call/
                       ? qw( function_call arguments )
                       : qw( custom_tool_call input );

    return $self->_wrong("the open item is a $open->{type}")
        if $open->{type} ne $want;
    return $self->_wrong("$key were done") if defined $open->{done};

    if ($type =~ /delta\z/) {
        $self->_wrong('an empty delta')
            if $data->{delta} eq '' && !$self->{lax};
        $open->{text} .= $data->{delta};
        return;
    }

    $open->{done} = $data->{$key};
    $self->_wrong("$key are not the sum of the deltas")
        if !same_text($data->{$key}, $open->{text});
}


sub _part_added ($self, $type, $data) {
    my $open = $self->{item};
    my $part = $data->{part};
    my $summary = $type =~ /summary/;
    my ($list, $index) = $summary ? qw( summary summary_index )
                                  : qw( content content_index );
    my $n = $open->{count}{$list} // 0;

    return $self->_wrong("an item of type $open->{type} has no parts")
        if !$PARTS_OF{$open->{type}};

    $self->_wrong("a part of type $part->{type} in a $open->{type}")
        if !$PARTS_OF{$open->{type}}{$part->{type}}
           || $summary != ($part->{type} eq 'summary_text')
           || $open->{type} eq 'message' && $summary
           || $open->{type} eq 'message'
              && $part->{type} eq 'reasoning_text';
    $self->_wrong("part $open->{part}{index} is still open")
        if $open->{part};
    $self->_wrong("$index is $data->{$index}, not $n")
        if $data->{$index} != $n;

    for my $key (qw( text refusal )) {
        $self->_wrong("$key of the part is not empty")
            if is_str($part->{$key}) && $part->{$key} ne '';
    }

    for my $key (qw( annotations logprobs )) {
        $self->_wrong("$key of the part are not empty")
            if ref $part->{$key} eq 'ARRAY' && @{ $part->{$key} };
    }

    $open->{count}{$list} = $n + 1;
    $open->{part} = { type => $part->{type}, list => $list, index => $n,
                      text => '', deltas => 0, logprobs => [],
                      annotations => [] };
}


sub _part_done ($self, $type, $data) {
    my $open = $self->{item};
    my $part = delete $open->{part};
    my $is = $data->{part};
    my $key = $part->{type} eq 'refusal' ? 'refusal' : 'text';
    my $list = $type =~ /summary/ ? 'summary' : 'content';

    return $self->_wrong("the open part is in the $part->{list}")
        if $list ne $part->{list};

    push @{ $open->{lists}{$list} }, $is;

    return $self->_wrong("the part is of type $is->{type}, not $part->{type}")
        if $is->{type} ne $part->{type};

    $self->_wrong('the text of the part was not done')
        if !defined $part->{done} && $part->{deltas};
    $self->_wrong("$key of the part is not the sum of the deltas")
        if !same_text($is->{$key} // '', $part->{text});

    return if $part->{type} ne 'output_text';

    $self->_wrong('annotations of the part are not those announced')
        if !same_value($is->{annotations}, $part->{annotations})
           && !$self->{lax};
    $self->_same_logprobs($is, $part);
}


sub _annotation_added ($self, $data) {
    my $part = $self->{item}{part};
    my $n = @{ $part->{annotations} };

    return $self->_wrong("the open part is of type $part->{type}")
        if $part->{type} ne 'output_text';

    $self->_wrong("annotation_index is $data->{annotation_index}, not $n")
        if $data->{annotation_index} != $n;

    push @{ $part->{annotations} }, $data->{annotation};
}


# deltas with logprobs: the whole repeats them

sub _same_logprobs ($self, $whole, $part) {
    $self->_wrong('logprobs are not those of the deltas')
        if @{ $whole->{logprobs} // [] } + @{ $part->{logprobs} }
           && !same_value($whole->{logprobs}, $part->{logprobs});
}


# other tools' own events: they must belong to the open item

sub _foreign_event ($self, $type, $data) {
    my $item = $self->{item};

    return $self->_ended if $self->{state} eq 'TERM';
    return $self->_wrong('no such event type') if !exists $data->{item_id};

    $self->_wrong('no item is open') if !$item;
    $self->_wrong("item_id is \"$data->{item_id}\", not \"$item->{id}\"")
        if $item && (!is_str($data->{item_id})
                     || $data->{item_id} ne $item->{id});
    $self->_wrong("output_index is not $item->{index}")
        if $item && (!is_int($data->{output_index})
                     || $data->{output_index} != $item->{index});
}


sub _same_as_before ($self, $r) {
    my $first = $self->{first} //= $r;

    for my $key (sort keys %RESPONSE) {
        next if $CHANGING{$key} || !exists $r->{$key}
                || !exists $first->{$key};
        $self->_wrong("$key is not that of the first snapshot")
            if !same_value($r->{$key}, $first->{$key});
    }
}


sub _at_end ($self) {
    $self->{where} = 'end of stream';

    if (!$self->{opt}{partial}) {
        $self->_wrong('no terminal event') if $self->{state} ne 'TERM';
        $self->_wrong('no [DONE]') if !$self->{done};
    }

    $self->_expectations;
}


# ---- shapes


# 1 if what the caller goes on to read is there; unknown keys are reported
# too, but do no harm

sub _shape ($self, $v, $schema, $name, $whole = 0) {
    my $ok = 1;

    return $self->_wrong("$name is no object") if ref $v ne 'HASH';

    for my $key (sort keys %$schema) {
        my $field = $key =~ s/\A\?//r;
        my $optional = $field ne $key;

        if (!exists $v->{$field}) {
            next if $optional;
            next if $field eq 'status' && $self->{lax}
                    && ($v->{type} // '') =~ /\A(?:reasoning|compaction)\z/;
            $ok = $self->_wrong("$name has no $field");
            next;
        }

        next if _is($v->{$field}, $schema->{$key});
        next if $self->{openai} && !defined $v->{$field} && $optional;
        next if $self->{openai} && $field eq 'schema';

        $ok = $self->_wrong("$name: $field must be $schema->{$key}, is "
                            . _show($v->{$field}));
    }

    if (!$self->{any_keys}) {
        for my $key (sort keys %$v) {
            next if exists $schema->{$key} || exists $schema->{"?$key"};
            $self->_wrong("$name has an unknown key \"$key\"");
        }
    }

    return $ok || $whole;
}


sub _is ($v, $types) {
    for my $t (split /\|/, $types) {
        return 1 if $t eq 'any';
        return 1 if $t eq 'null' && !defined $v;
        return 1 if $t eq 'str' && is_str($v);
        return 1 if $t eq 'int' && is_int($v);
        return 1 if $t eq 'num' && is_num($v);
        return 1 if $t eq 'bool' && is_bool($v);
        return 1 if $t eq 'arr' && ref $v eq 'ARRAY';
        return 1 if $t eq 'obj' && ref $v eq 'HASH';
        return 1 if $t eq 'status' && is_str($v)
                    && grep { $_ eq $v } @STATUS;
        return 1 if $t =~ /\A=(.*)/ && is_str($v) && $v eq $1;
    }

    return 0;
}


sub _show ($v) {
    return substr eval { json_encode($v) } // 'something else', 0, 60;
}


sub _differ ($self, $x, $y, $name, $what) {
    return if same_value($x, $y);

    $self->_wrong("$name is not $what: " . _first_difference($x, $y));
}


sub _first_difference ($x, $y) {
    if (ref $x eq 'HASH' && ref $y eq 'HASH') {
        for my $k (sort keys %{ { %$x, %$y } }) {
            next if exists $x->{$k} && exists $y->{$k}
                    && same_value($x->{$k}, $y->{$k});
            return "$k is " . (exists $x->{$k} ? _show($x->{$k}) : 'absent')
                   . ' and '
                   . (exists $y->{$k} ? _show($y->{$k}) : 'absent');
        }
    }

    return _show($x) . ' and ' . _show($y);
}


sub _snapshot ($self, $r, $terminal) {
    my $status = is_str($r->{status}) ? $r->{status} : '';

    $self->_wrong('id is empty') if is_str($r->{id}) && $r->{id} eq '';
    $self->_wrong('created_at is not a time')
        if is_int($r->{created_at}) && $r->{created_at} < 1_000_000_000;

    $self->_wrong("completed_at with status $status")
        if defined $r->{completed_at} && $status ne 'completed';
    $self->_wrong('completed, but completed_at is null')
        if !defined $r->{completed_at} && $status eq 'completed';
    $self->_wrong('completed before it was created')
        if is_int($r->{completed_at}) && is_int($r->{created_at})
           && $r->{completed_at} < $r->{created_at};

    $self->_wrong("error is set with status $status")
        if defined $r->{error} && $status ne 'failed';
    $self->_wrong('failed, but error is null')
        if !defined $r->{error} && $status eq 'failed';
    $self->_wrong("incomplete_details are set with status $status")
        if defined $r->{incomplete_details} && $status ne 'incomplete';
    $self->_wrong('incomplete, but incomplete_details are null')
        if !defined $r->{incomplete_details} && $status eq 'incomplete';

    if (ref $r->{error} eq 'HASH') {
        $self->_shape($r->{error}, { code => 'str', message => 'str' },
                      'error');
        $self->_wrong('error.code is empty')
            if is_str($r->{error}{code}) && $r->{error}{code} eq '';
    }

    $self->_shape($r->{incomplete_details}, { reason => 'str' },
                  'incomplete_details')
        if ref $r->{incomplete_details} eq 'HASH';

    $self->_shape($r->{reasoning}, { effort => 'str|null',
                                     summary => 'str|null' }, 'reasoning')
        if ref $r->{reasoning} eq 'HASH';

    $self->_usage($r->{usage}) if ref $r->{usage} eq 'HASH';
    $self->_text($r->{text}) if ref $r->{text} eq 'HASH';
    $self->_tool_choice($r->{tool_choice});

    if (ref $r->{tools} eq 'ARRAY') {
        for my $i (0 .. $#{ $r->{tools} }) {
            my $tool = $r->{tools}[$i];
            my $type = ref $tool eq 'HASH' && is_str($tool->{type})
                       ? $tool->{type} : '';

            next if $type ne 'function' && $type ne ''
                    && ($self->{openai}
                        || $type =~ /:/ && $self->{opt}{extensions});
            $self->_shape($tool, \%TOOL, "tools[$i]");
        }
    }

    $self->_outputs($r->{output}, $status, $terminal)
        if ref $r->{output} eq 'ARRAY';
}


# items of a snapshot: unique, finished, the incomplete one last

sub _outputs ($self, $output, $status, $terminal) {
    my (%ids, %calls);

    for my $i (0 .. $#$output) {
        my $item = $output->[$i];
        my $name = "output[$i]";

        # in a stream each was checked as it was done
        $self->_item($item, $name) or next if !$self->{opt}{stream};
        next if ref $item ne 'HASH';

        my $id = $item->{id} // '';
        my $is = $item->{status} // '';

        $self->_wrong("$name: id \"$id\" comes twice") if $ids{$id}++;

        next if !$terminal;

        $self->_wrong("$name is in progress") if $is eq 'in_progress';
        $self->_wrong("$name is incomplete in a $status response")
            if $is eq 'incomplete' && $status ne 'incomplete';
        $self->_wrong("$name is incomplete, but not the last")
            if $is eq 'incomplete' && $i < $#$output;
    }
}


sub _usage ($self, $u) {
    $self->_shape($u, \%USAGE, 'usage', 1);

    $self->_shape($u->{input_tokens_details}, { cached_tokens => 'int' },
                  'usage.input_tokens_details')
        if ref $u->{input_tokens_details} eq 'HASH';
    $self->_shape($u->{output_tokens_details}, { reasoning_tokens => 'int' },
                  'usage.output_tokens_details')
        if ref $u->{output_tokens_details} eq 'HASH';

    for my $key (sort keys %USAGE) {
        $self->_wrong("usage: $key is negative")
            if is_int($u->{$key}) && $u->{$key} < 0;
    }
}


sub _text ($self, $text) {
    $self->_shape($text, { format => 'obj',
                           '?verbosity' => '=low|=medium|=high' },
                  'text') or return;

    my $type = $text->{format}{type};
    my $schema = is_str($type) ? $FORMAT{$type} : undef;

    return $self->_wrong('text.format has no known type') if !$schema;

    $self->_shape($text->{format}, $schema, 'text.format');
}


sub _tool_choice ($self, $c) {
    if (is_str($c)) {
        $self->_wrong("tool_choice is \"$c\"")
            if $c !~ /\A(?:none|auto|required)\z/;
        return;
    }

    return if ref $c ne 'HASH' || $self->{openai};

    my $type = $c->{type} // '';

    if ($type eq 'function') {
        $self->_shape($c, { type => 'str', '?name' => 'str' },
                      'tool_choice');

    } elsif ($type eq 'allowed_tools') {
        $self->_shape($c, { type => 'str', tools => 'arr',
                            mode => '=none|=auto|=required' },
                      'tool_choice') or return;
        $self->_shape($_, { type => '=function', '?name' => 'str' },
                      'tool_choice.tools[]') for @{ $c->{tools} };

    } else {
        $self->_wrong('tool_choice has no known type');
    }
}


sub _item ($self, $item, $name) {
    return $self->_wrong("$name is no object") if ref $item ne 'HASH';
    return $self->_wrong("$name has no type") if !is_str($item->{type});

    my $type = $item->{type};
    my $schema = $self->{item_schema}{$type};

    if (!$schema) {
        if ($self->{openai}
            || $type =~ /\A[^:]+:.+/ && $self->{opt}{extensions})
        {
            $schema = { id => 'str', type => 'str', status => 'any' };

            for my $key (sort keys %$schema) {
                $self->_wrong("$name has no $key")
                    if !exists $item->{$key}
                       || !_is($item->{$key}, $schema->{$key});
            }

            return 1;
        }

        return $self->_wrong("$name is of type \"$type\"");
    }

    my $ok = $self->_shape($item, $schema, $name);

    $ok = $self->_wrong("$name: id is empty")
        if is_str($item->{id}) && $item->{id} eq '';

    if (is_str($item->{call_id})) {
        my $length = length $item->{call_id};

        $ok = $self->_wrong("$name: call_id has $length characters")
            if $length < 1 || $length > 64;

        # the same item is seen as it is added and as it is done
        my $owner = $self->{call_ids}{"$type $item->{call_id}"}
                        //= $item->{id};
        $ok = $self->_wrong("$name: call_id \"$item->{call_id}\" is that of"
                            . ' another item')
            if ($item->{id} // '') ne ($owner // '') && !$self->{lax};
    }

    if ($type eq 'function_call' && is_str($item->{name}) && !$self->{lax}) {
        $ok = $self->_wrong("$name: name \"$item->{name}\" cannot be sent"
                            . ' back')
            if $item->{name} !~ /\A[a-zA-Z0-9_-]{1,64}\z/;
    }

    for my $list (qw( content summary output )) {
        my $parts = $item->{$list};
        next if ref $parts ne 'ARRAY';

        for my $i (0 .. $#$parts) {
            $self->_part($parts->[$i], "$name.$list" . "[$i]", "$type.$list")
                or $ok = 0;
        }
    }

    return $ok;
}


my %ALLOWED_PARTS = (
    'message.content' => qr/./,
    'reasoning.content' => qr/\Areasoning_text\z/,
    'reasoning.summary' => qr/\Asummary_text\z/,
    'function_call_output.output' => qr/\Ainput_(?:text|image|file)\z/,
);


sub _part ($self, $part, $name, $place) {
    return $self->_wrong("$name is no object") if ref $part ne 'HASH';
    return $self->_wrong("$name has no type") if !is_str($part->{type});

    my $schema = $PART{$part->{type}}
        or return $self->_wrong("$name is of type \"$part->{type}\"");
    my $allowed = $ALLOWED_PARTS{$place};

    return $self->_wrong("$name: a $part->{type} in $place")
        if $allowed && $part->{type} !~ $allowed
           || !$allowed && $part->{type} eq 'input_video';

    my $ok = $self->_shape($part, $schema, $name);

    for my $i (0 .. $#{ ref $part->{annotations} eq 'ARRAY'
                        ? $part->{annotations} : [] })
    {
        $self->_annotation($part->{annotations}[$i], "$name.annotations[$i]")
            or $ok = 0;
    }

    $self->_logprobs($part->{logprobs}, "$name.logprobs") or $ok = 0
        if ref $part->{logprobs} eq 'ARRAY';

    return $ok;
}


sub _annotation ($self, $a, $name) {
    if (ref $a eq 'HASH' && is_str($a->{type})
        && $a->{type} ne 'url_citation')
    {
        return 1 if $self->{openai}
                    || $a->{type} =~ /:/ && $self->{opt}{extensions};
    }

    return $self->_shape($a, \%CITATION, $name);
}


sub _logprobs ($self, $list, $name) {
    my $ok = 1;

    return 1 if ref $list ne 'ARRAY';

    for my $i (0 .. $#$list) {
        my $p = $list->[$i];

        if (!$self->_shape($p, \%LOGPROB, $name . "[$i]")) {
            $ok = 0;
            next;
        }

        for my $top (@{ $p->{top_logprobs} }) {
            $self->_shape($top, \%TOP_LOGPROB, $name . "[$i].top_logprobs[]")
                or $ok = 0;
        }

        for my $bytes (map { $_->{bytes} } $p,
                       grep { ref eq 'HASH' } @{ $p->{top_logprobs} })
        {
            $ok = $self->_wrong($name . "[$i]: bytes are no bytes")
                if grep { !is_int($_) || $_ < 0 || $_ > 255 } @{ $bytes // [] };
        }
    }

    return $ok;
}


# of an error answer, or of an error event

sub _error_value ($self, $e, $event) {
    my $ok = $self->_shape($e, { type => 'str', code => 'str|null',
                                 message => 'str', param => 'str|null',
                                 $event ? ('?headers' => 'obj') : () },
                           'error');

    $ok = $self->_wrong("error.type is \"$e->{type}\"")
        if is_str($e->{type}) && !$self->{openai} && !$self->{lax}
           && !grep { $_ eq $e->{type} } @ERROR_TYPES;
    $ok = $self->_wrong('error.message is empty')
        if is_str($e->{message}) && $e->{message} eq '';

    for my $value (values %{ ref $e->{headers} eq 'HASH'
                             ? $e->{headers} : {} })
    {
        $ok = $self->_wrong('error.headers has a value that is no string')
            if !is_str($value);
    }

    return $ok;
}


1;
