#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The stream checker itself: good streams pass, and each single defect is
# reported.  A checker that cannot fail is a defect.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::JSON qw( json_decode json_encode json_true json_false );
use ORS::Stream qw( check_stream check_response check_error );

my ($T, $F) = (json_true, json_false);
my $CREATED = 1767300000;


# ---- good data


sub response ($status, %o) {
    return {
        id => 'resp_7', object => 'response', created_at => $CREATED,
        completed_at => $status eq 'completed' ? $CREATED + 2 : undef,
        status => $status,
        incomplete_details => $status eq 'incomplete'
            ? { reason => 'max_output_tokens' } : undef,
        model => 'parrot-1', previous_response_id => undef,
        instructions => 'Be brief.', output => [],
        error => $status eq 'failed'
            ? { code => 'upstream_closed', message => 'cut' } : undef,
        tools => [ { type => 'function', name => 'tide', description => undef,
                     parameters => { type => 'object' }, strict => $T } ],
        tool_choice => 'auto', truncation => 'disabled',
        parallel_tool_calls => $T, text => { format => { type => 'text' } },
        top_p => 1, presence_penalty => 0, frequency_penalty => 0,
        top_logprobs => 0, temperature => 0.7, reasoning => undef,
        usage => $status =~ /^(?:completed|incomplete)$/
            ? { input_tokens => 21, output_tokens => 9, total_tokens => 30,
                input_tokens_details => { cached_tokens => 0 },
                output_tokens_details => { reasoning_tokens => 4 } }
            : undef,
        max_output_tokens => undef, max_tool_calls => undef, store => $F,
        background => $F, service_tier => 'default', metadata => {},
        safety_identifier => undef, prompt_cache_key => undef, %o,
    };
}


sub output_text ($text, %o) {
    return { type => 'output_text', text => $text, annotations => [],
             logprobs => [], %o };
}


# a stream is a list of data objects; numbers are given by render()

my ($OUT, @ITEMS);

sub ev ($type, %o) { return { type => "response.$type", %o } }

sub opened () {
    ($OUT, @ITEMS) = (-1);
    return (ev('created', response => response('in_progress')),
            ev('in_progress', response => response('in_progress')));
}

sub added ($item) {
    $OUT++;
    return ev('output_item.added', output_index => $OUT, item => $item);
}

sub done ($item) {
    push @ITEMS, $item;
    return ev('output_item.done', output_index => $OUT, item => $item);
}

# the events of one part: PREFIX of the part events, NAME of the text ones

sub part ($id, $list, $n, $prefix, $name, $empty, $full, @pieces) {
    my %at = (item_id => $id, output_index => $OUT, $list => $n);
    my $key = exists $full->{refusal} ? 'refusal' : 'text';
    my %lp = $name eq 'output_text' ? (logprobs => []) : ();

    return (ev("$prefix.added", %at, part => $empty),
            (map { ev("$name.delta", %at, delta => $_, %lp) } @pieces),
            ev("$name.done", %at, $key => $full->{$key}, %lp),
            ev("$prefix.done", %at, part => $full));
}

sub text_part ($id, $n, @pieces) {
    return part($id, 'content_index', $n, 'content_part', 'output_text',
                output_text(''), output_text(join '', @pieces), @pieces);
}

sub refusal_part ($id, $n, @pieces) {
    return part($id, 'content_index', $n, 'content_part', 'refusal',
                { type => 'refusal', refusal => '' },
                { type => 'refusal', refusal => join('', @pieces) },
                @pieces);
}

sub reasoning_part ($id, $n, @pieces) {
    return part($id, 'content_index', $n, 'content_part', 'reasoning',
                { type => 'reasoning_text', text => '' },
                { type => 'reasoning_text', text => join('', @pieces) },
                @pieces);
}

sub summary_part ($id, $n, @pieces) {
    return part($id, 'summary_index', $n, 'reasoning_summary_part',
                'reasoning_summary_text',
                { type => 'summary_text', text => '' },
                { type => 'summary_text', text => join('', @pieces) },
                @pieces);
}

sub message ($id, $status, @content) {
    return { type => 'message', id => $id, status => $status,
             role => 'assistant', content => \@content };
}

sub call ($id, $call_id, $name, $status, $arguments) {
    return { type => 'function_call', id => $id, status => $status,
             call_id => $call_id, name => $name, arguments => $arguments };
}

sub reasoning ($id, $status, $summary, @content) {
    return { type => 'reasoning', id => $id, status => $status,
             summary => $summary, @content ? (content => \@content) : () };
}

sub call_events ($id, $call_id, $name, $status, @pieces) {
    my $all = join '', @pieces;
    my $added = added(call($id, $call_id, $name, 'in_progress', ''));
    my %at = (item_id => $id, output_index => $OUT);

    return ($added,
            (map { ev('function_call_arguments.delta', %at, delta => $_) }
             @pieces),
            ev('function_call_arguments.done', %at, arguments => $all),
            done(call($id, $call_id, $name, $status, $all)));
}

sub ended ($status, @output) {
    return ev($status, response => response($status, output => [ @output ]));
}

# reasoning, text, a call

sub good () {
    return [
        opened(),
        added(reasoning('rs_a', 'in_progress', [])),
        reasoning_part('rs_a', 0, 'The tide ', 'table is needed.'),
        done(reasoning('rs_a', 'completed', [],
            { type => 'reasoning_text',
              text => 'The tide table is needed.' })),
        added(message('msg_a', 'in_progress')),
        text_part('msg_a', 0, 'Let me ', "look \x{1f30a}."),
        done(message('msg_a', 'completed',
                     output_text("Let me look \x{1f30a}."))),
        call_events('fc_a', 'call_a', 'tide', 'completed', '{"port":',
                    '"Vlissingen"}'),
        call_events('fc_b', 'call_b', 'tide', 'completed'),
        ended('completed', @ITEMS),
    ];
}

sub failed () {
    return [
        opened(),
        added(reasoning('rs_a', 'in_progress', [])),
        summary_part('rs_a', 0, 'Looked', ' up.'),
        summary_part('rs_a', 1, 'Then wrote.'),
        done(reasoning('rs_a', 'completed',
            [ { type => 'summary_text', text => 'Looked up.' },
              { type => 'summary_text', text => 'Then wrote.' } ])),
        added(message('msg_a', 'in_progress')),
        (text_part('msg_a', 0, 'High wa', 'ter'))[0, 1, 2],
        { type => 'error', error => { type => 'server_error',
          code => 'upstream_closed', message => 'cut', param => undef } },
        ended('failed', @ITEMS),
    ];
}

sub incomplete () {
    return [
        opened(),
        added(message('msg_a', 'in_progress')),
        text_part('msg_a', 0, 'First.'),
        refusal_part('msg_a', 1, 'I will', ' not.'),
        done(message('msg_a', 'completed', output_text('First.'),
                     { type => 'refusal', refusal => 'I will not.' })),
        call_events('fc_a', 'call_a', 'tide', 'incomplete', '{"por'),
        ended('incomplete', @ITEMS),
    ];
}

sub annotated () {
    my $note = { type => 'url_citation', url => 'http://t.example/',
                 title => 'Tides', start_index => 0, end_index => 3 };
    my $lp = { token => 'The', logprob => -0.25, bytes => [ 84, 104, 101 ],
               top_logprobs => [ { token => 'The', logprob => -0.25,
                                   bytes => [ 84, 104, 101 ] } ] };
    my @events = (opened(), added(message('msg_a', 'in_progress')),
                  text_part('msg_a', 0, 'The'));

    $events[4]{logprobs} = [ $lp ];
    $events[5]{logprobs} = [ $lp ];
    splice @events, 5, 0, ev('output_text.annotation.added',
        item_id => 'msg_a', output_index => 0, content_index => 0,
        annotation_index => 0, annotation => $note);

    my $part = output_text('The', annotations => [ $note ],
                           logprobs => [ $lp ]);

    $events[-1]{part} = $part;

    return [ @events, done(message('msg_a', 'completed', $part)),
             ended('completed', @ITEMS) ];
}


sub frame ($data) {
    return "event: $data->{type}\ndata: " . json_encode($data) . "\n\n";
}


sub render ($events, %o) {
    my $n = 0;

    if (!$o{numbered}) {
        $_->{sequence_number} = $n++ for @$events;
    }

    return join '', (map { frame($_) } @$events), "data: [DONE]\n\n";
}


sub copy ($data) { return json_decode(json_encode($data)) }


# ---- good streams pass


sub passes ($bytes, $name, %o) {
    my $s = check_stream($bytes, %o);

    ok($s->ok, $name) or diag join "\n", @{ $s->errors };
    return $s;
}

my $s = passes(render(good()), 'reasoning, text and calls',
               expect => 'completed');

is($s->text, "Let me look \x{1f30a}.", 'text');
is($s->reasoning, 'The tide table is needed.', 'reasoning');
is(scalar @{ $s->calls }, 2, 'calls');
is($s->calls->[0]{arguments}, '{"port":"Vlissingen"}', 'arguments');
is($s->status, 'completed', 'status');
is($s->usage->{total_tokens}, 30, 'usage');
is(($s->types)[-1], 'response.completed', 'types');
is($s->count('response.output_text.delta'), 2, 'count');
is_deeply([ $s->deltas ], [ 'Let me ', "look \x{1f30a}." ], 'deltas');
is($s->event('response.output_text.done')->{text},
   "Let me look \x{1f30a}.", 'an event');
ok($s->done, '[DONE]');

$s = passes(render(failed()), 'a failure', expect => 'failed',
            code => 'upstream_closed');
is($s->summary, 'Looked up.Then wrote.', 'summary');
is($s->error->{code}, 'upstream_closed', 'code');

$s = passes(render(incomplete()), 'the limit is reached',
            expect => 'incomplete', reason => 'max_output_tokens');
is($s->refusal, 'I will not.', 'refusal');

passes(render(annotated()), 'annotation and logprobs');

$s = passes(": hello\n\n" . render(good()) =~ s/\n\n(event)/\n\n: ka\n\n$1/r,
            'comments');
is($s->comments, 2, 'comments are counted');

passes(render([ opened(), ended('completed') ]), 'no output');

passes(render([ ev('created', response => response('queued')),
                ev('queued', response => response('queued')),
                ev('in_progress', response => response('in_progress')),
                ended('completed') ]), 'queued');

passes(render([ (opened())[0], @{ failed() }[-2],
                ended('failed') ]), 'failed before in_progress');

{
    my $e = incomplete();
    # a part without text may do without its text events
    my @e = (opened(), added(message('msg_a', 'in_progress')),
             (text_part('msg_a', 0))[0, 2],
             done(message('msg_a', 'completed', output_text(''))),
             ended('completed', @ITEMS));

    passes(render(\@e), 'an empty part');
    splice @e, 4, 0, ev('output_text.done', item_id => 'msg_a',
                        output_index => 0, content_index => 0, text => '');
    passes(render(\@e), 'an empty part with its done');
}

{
    # halves of a surrogate pair in two deltas
    my $bytes = render([ opened(), added(message('msg_a', 'in_progress')),
                         text_part('msg_a', 0, 'AA', 'BB'),
                         done(message('msg_a', 'completed',
                                      output_text('AABB'))),
                         ended('completed', @ITEMS) ]);

    $bytes =~ s/"AABB"/"\\ud83c\\udf0a"/g;
    $bytes =~ s/"AA"/"\\ud83c"/g;
    $bytes =~ s/"BB"/"\\udf0a"/g;
    is(passes($bytes, 'a pair cut in two')->text, "\x{1f30a}", 'joined');
}

{
    my $bytes = render(good());
    my $bad = 0;

    for my $n (0 .. 60) {
        my $part = substr $bytes, 0, int(length($bytes) * $n / 60);
        $bad++ if !check_stream($part, partial => 1)->ok;
    }

    is($bad, 0, 'partial at any place');
    ok(!check_stream(substr($bytes, 0, -20))->ok, 'but only when asked');
}

{
    my $e = good();

    splice @$e, 3, 0, { type => 'acme:progress', step => 1 };
    passes(render($e), 'an extension event', extensions => 1);

    $e = [ grep { $_->{type} ne 'error' } @{ failed() } ];
    passes(render($e), 'failed without error, lax', lax => 1);

    my $bytes = render(good()) =~ s/response\.reasoning\./response.reasoning_text./gr;
    passes($bytes, 'other reasoning events', flavor => 'openai');
}


# ---- defects of framing


my $count = 0;

sub reports ($bytes, $re, $name, %o) {
    my $s = check_stream($bytes, %o);
    my @errors = @{ $s->errors };

    $count++;
    ok((grep { $_ =~ $re } @errors), "$name is reported")
        or diag "errors: ", explain \@errors;
}

my $ok = render(good());

reports($ok =~ s/\n/\r\n/gr, qr/a CR/, 'CRLF');
reports($ok =~ s/\n\n/\n\n\n/r, qr/empty line too many/, 'an empty line');
reports($ok =~ s/event: /event:/r, qr/not "event/, 'a missing space');
reports($ok =~ s/event: [^\n]*\n//r, qr/not "event/, 'no event line');
reports($ok =~ s/event: /id: 1\nevent: /r, qr/not "event/, 'an id');
reports($ok =~ s/\ndata: \{/\ndata: {\ndata: /r, qr/not "event/,
        'data on two lines');
reports($ok =~ s/\ndata: /\n: x\ndata: /r, qr/not "event/,
        'a comment inside a frame');
reports($ok =~ s/(event: \S+)\n(data: [^\n]+)/$2\n$1/r, qr/not "event/,
        'data before event');
reports($ok =~ s/event: response\.created/event: response.create/r,
        qr/event is not the type/, 'event other than type');
reports($ok =~ s/"Be brief\."/"Be \xff brief."/r, qr/UTF-8/, 'bad UTF-8');
reports($ok =~ s/"Be brief\."/"Be \xed\xa0\x80"/r, qr/UTF-8/,
        'an encoded surrogate');
reports($ok =~ s/"Be brief\."/"Be\tbrief"/r, qr/not JSON/,
        'a control character');
reports($ok =~ s/\}\n\n/},\n\n/r, qr/not JSON/, 'a comma too many');
reports($ok =~ s/\}\n\n/\n\n/r, qr/not JSON/, 'a brace missing');
reports($ok =~ s/data: (\{[^\n]*)/data: [$1]/r, qr/no object/, 'an array');
reports($ok =~ s/"store":false/"store":false,"store":false/r, qr/twice/,
        'a key that comes twice');
reports($ok =~ s/data: \[DONE\]\n\n//r, qr/no \[DONE\]/, 'no [DONE]');
reports($ok =~ s/\[DONE\]/[DONE] /r, qr/not written/, 'a space after [DONE]');
reports($ok . "data: [DONE]\n\n", qr/after \[DONE\]/, 'a second [DONE]');
reports($ok . frame(good()->[0]), qr/after \[DONE\]/, 'an event after it');
reports("${ok}x", qr/bytes after the last frame/, 'bytes at the end');
reports(substr($ok, 0, -1), qr/bytes after the last frame/,
        'a frame without its empty line');
reports("\xef\xbb\xbf$ok", qr/byte order mark/, 'a byte order mark');
reports("data: [DONE]\n\n$ok", qr/before the terminal/, 'an early [DONE]');
reports('', qr/no terminal event/, 'nothing at all');
reports($ok =~ s/event: response\.completed.*?\n\n//sr,
        qr/no terminal event/, 'no terminal event');


# ---- defects of events


# finds the n-th event of a type

sub of ($e, $type, $n = 0) {
    my @found = grep { $_->{type} eq "response.$type" || $_->{type} eq $type }
                @$e;
    return $found[$n] // die "no $type\n";
}

sub at ($e, $type, $n = 0) {
    my $x = of($e, $type, $n);
    return (grep { $e->[$_] == $x } 0 .. $#$e)[0];
}

sub drop ($e, $type, $n = 0) { splice @$e, at($e, $type, $n), 1 }

sub double ($e, $type, $n = 0) {
    my $i = at($e, $type, $n);
    splice @$e, $i, 0, copy($e->[$i]);
}

# one event goes to the place of another

sub move ($e, $from, $to) {
    my ($i, $j) = (at($e, @$from), at($e, @$to));
    my ($x) = splice @$e, $i, 1;
    splice @$e, $j > $i ? $j - 1 : $j, 0, $x;
}

# name, what is said of it, the change; each on a fresh copy

sub defects ($make, @list) {
    while (my ($name, $re, $change) = splice @list, 0, 3) {
        my $e = copy($make->());
        my $n = 0;

        $_->{sequence_number} = $n++ for @$e;

        my $before = render($e);

        # what is renumbered was moved; what set numbers keeps them
        my $keep = $change->($e) // '';
        my $after = render($e, numbered => $keep eq 'numbered');

        die "$name changes nothing\n" if $before eq $after;
        reports($after, $re, $name);
    }
}

defects(\&good,
    'a number from 1' => qr/sequence_number is 1, not 0/,
        sub ($e) { $_->{sequence_number}++ for @$e; 'numbered' },
    'a gap in the numbers' => qr/sequence_number is 8, not 7/,
        sub ($e) { $_->{sequence_number}++ for @$e[7 .. $#$e]; 'numbered' },
    'a number twice' => qr/sequence_number is 4, not 5/,
        sub ($e) { $e->[5]{sequence_number} = 4; 'numbered' },
    'a number as a string' => qr/no integer sequence_number/,
        sub ($e) { $e->[5]{sequence_number} = '5'; 'numbered' },
    'no number' => qr/no integer sequence_number/,
        sub ($e) { delete $e->[5]{sequence_number}; 'numbered' },

    'an unknown event' => qr/no such event type/,
        sub ($e) { of($e, 'output_text.delta')->{type}
                       = 'response.output_text.deltas' },
    'an extension event' => qr/no such event type/,
        sub ($e) { splice @$e, 3, 0, { type => 'acme:x' } },
    'the other reasoning event' => qr/no such event type/,
        sub ($e) { of($e, 'reasoning.delta')->{type}
                       = 'response.reasoning_text.delta' },
    'no created' => qr/in_progress in state START/,
        sub ($e) { drop($e, 'created') },
    'no in_progress' => qr/in state CREATED/,
        sub ($e) { drop($e, 'in_progress') },
    'created twice' => qr/created is not the first/,
        sub ($e) { double($e, 'created') },
    'created in the middle' => qr/created is not the first/,
        sub ($e) { splice @$e, 9, 0, copy($e->[0]) },
    'in_progress twice' => qr/in_progress in state IDLE/,
        sub ($e) { double($e, 'in_progress') },
    'queued late' => qr/queued in state IDLE/,
        sub ($e) { splice @$e, 2, 0, ev('queued',
                       response => response('queued')) },
    'created as completed' => qr/status is "completed"/,
        sub ($e) { $e->[0]{response} = response('completed') },
    'completed as incomplete' => qr/status is "incomplete"/,
        sub ($e) { $e->[-1]{response} = response('incomplete',
                       output => $e->[-1]{response}{output}) },
    'completed twice' => qr/after the terminal event/,
        sub ($e) { double($e, 'completed') },
    'completed before the last item' => qr/after the terminal event/,
        sub ($e) { move($e, [ 'completed' ], [ 'output_item.added', 3 ]) },
    'completed with an open item' => qr/is not finished/,
        sub ($e) { drop($e, 'output_item.done', 3);
                   pop @{ $e->[-1]{response}{output} } },
    'completed and failed' => qr/after the terminal event/,
        sub ($e) { push @$e, ended('failed') },
    'output in created' => qr/output is not empty/,
        sub ($e) { push @{ $e->[0]{response}{output} },
                       $e->[-1]{response}{output}[0] },
    'usage in created' => qr/usage is not null/,
        sub ($e) { $e->[0]{response}{usage} = $e->[-1]{response}{usage} },

    'an item without added' => qr/no item is open/,
        sub ($e) { drop($e, 'output_item.added', 1) },
    'an item without done' => qr/is still open/,
        sub ($e) { drop($e, 'output_item.done', 0) },
    'items that interleave' => qr/is still open/,
        sub ($e) { move($e, [ 'output_item.done', 2 ],
                        [ 'output_item.done', 3 ]) },
    'added twice' => qr/is still open/,
        sub ($e) { double($e, 'output_item.added', 1) },
    'done twice' => qr/no item is open/,
        sub ($e) { double($e, 'output_item.done', 1) },
    'an index too high' => qr/output_index is 2, not 1/,
        sub ($e) { of($e, 'output_item.added', 1)->{output_index} = 2 },
    'an index that restarts' => qr/output_index is 0, not 1/,
        sub ($e) { of($e, 'output_item.added', 1)->{output_index} = 0 },
    'a delta for another index' => qr/output_index is 0, not 1/,
        sub ($e) { of($e, 'output_text.delta')->{output_index} = 0 },
    'a delta for another item' => qr/item_id is "rs_a", not "msg_a"/,
        sub ($e) { of($e, 'output_text.delta')->{item_id} = 'rs_a' },
    'done for another index' => qr/output_index is 0, not 1/,
        sub ($e) { of($e, 'output_item.done', 1)->{output_index} = 0 },
    'an id twice' => qr/was used before/,
        sub ($e) { of($e, 'output_item.added', 3)->{item}{id} = 'fc_a' },
    'another id in done' => qr/id is not that of/,
        sub ($e) { of($e, 'output_item.done', 1)->{item}{id} = 'msg_z' },
    'another role in done' => qr/role is not that of/,
        sub ($e) { of($e, 'output_item.done', 1)->{item}{role} = 'user' },
    'another call_id in done' => qr/call_id is not that of/,
        sub ($e) { of($e, 'output_item.done', 2)->{item}{call_id} = 'c2' },
    'another name in done' => qr/name is not that of/,
        sub ($e) { of($e, 'output_item.done', 2)->{item}{name} = 'moon' },
    'added as completed' => qr/status is "completed"/,
        sub ($e) { of($e, 'output_item.added')->{item}{status}
                       = 'completed' },
    'done as in_progress' => qr/status is "in_progress"/,
        sub ($e) { $_->{item}{status} = 'in_progress'
                       for of($e, 'output_item.done', 1) },
    'added with content' => qr/content is not empty/,
        sub ($e) { of($e, 'output_item.added', 1)->{item}{content}
                       = [ output_text('') ] },
    'added with arguments' => qr/arguments is not empty/,
        sub ($e) { of($e, 'output_item.added', 2)->{item}{arguments} = '{}' },
    'added without a name' => qr/item has no name/,
        sub ($e) { delete of($e, 'output_item.added', 2)->{item}{name} },
    'a null item' => qr/item must be obj/,
        sub ($e) { of($e, 'output_item.added', 1)->{item} = undef },
    'an item of another type' => qr/is of type "tool_call"/,
        sub ($e) { of($e, 'output_item.added', 2)->{item}{type}
                       = 'tool_call' },
    'an item without status' => qr/item has no status/,
        sub ($e) { delete of($e, 'output_item.added', 0)->{item}{status} },
    'an item status of its own' => qr/status must be status/,
        sub ($e) { of($e, 'output_item.done', 1)->{item}{status} = 'done' },
    'an empty id' => qr/id is empty/,
        sub ($e) { of($e, 'output_item.added', 1)->{item}{id} = '' },
    'a long call_id' => qr/call_id has 65 characters/,
        sub ($e) { $_->{item}{call_id} = 'c' x 65
                       for of($e, 'output_item.added', 2),
                           of($e, 'output_item.done', 2) },
    'an empty call_id' => qr/call_id has 0 characters/,
        sub ($e) { of($e, 'output_item.added', 2)->{item}{call_id} = '' },
    'a call_id twice' => qr/is that of another item/,
        sub ($e) { of($e, 'output_item.added', 3)->{item}{call_id}
                       = 'call_a' },
    'a name with a dot' => qr/cannot be sent back/,
        sub ($e) { of($e, 'output_item.added', 2)->{item}{name} = 'a.b' },
    'null content of reasoning' => qr/content must be arr/,
        sub ($e) { of($e, 'output_item.added', 0)->{item}{content} = undef },
    'encrypted_content null' => qr/encrypted_content must be str/,
        sub ($e) { of($e, 'output_item.added', 0)->{item}{encrypted_content}
                       = undef },
    'an unknown key in an item' => qr/unknown key "index"/,
        sub ($e) { of($e, 'output_item.added', 2)->{item}{index} = 0 },

    'a part without added' => qr/no part is open/,
        sub ($e) { drop($e, 'content_part.added', 1) },
    'a part without done' => qr/is still open/,
        sub ($e) { drop($e, 'content_part.done', 1) },
    'a part added twice' => qr/is still open/,
        sub ($e) { double($e, 'content_part.added', 1) },
    'a part index too high' => qr/content_index is 1, not 0/,
        sub ($e) { of($e, 'content_part.added', 1)->{content_index} = 1 },
    'a delta for another part' => qr/content_index is 1, not 0/,
        sub ($e) { of($e, 'output_text.delta')->{content_index} = 1 },
    'a part with text' => qr/text of the part is not empty/,
        sub ($e) { of($e, 'content_part.added', 1)->{part}{text} = 'L' },
    'a part without annotations' => qr/has no annotations/,
        sub ($e) { delete of($e, 'content_part.added', 1)
                              ->{part}{annotations} },
    'null logprobs' => qr/logprobs must be arr/,
        sub ($e) { of($e, 'content_part.added', 1)->{part}{logprobs}
                       = undef },
    'a null part' => qr/part must be obj/,
        sub ($e) { of($e, 'content_part.added', 1)->{part} = undef },
    'a part of unknown type' => qr/is of type "markdown"/,
        sub ($e) { of($e, 'content_part.added', 1)->{part}{type}
                       = 'markdown' },
    'text in reasoning' => qr/a part of type output_text in a reasoning/,
        sub ($e) { of($e, 'content_part.added', 0)->{part}
                       = output_text('') },
    'reasoning in a message' => qr/a part of type reasoning_text in a message/,
        sub ($e) { of($e, 'content_part.added', 1)->{part}
                       = { type => 'reasoning_text', text => '' } },
    'a refusal delta in text' => qr/open part is of type output_text/,
        sub ($e) { my $d = of($e, 'output_text.delta');
                   $d->{type} = 'response.refusal.delta';
                   delete $d->{logprobs} },
    'a part in a call' => qr/has no parts/,
        sub ($e) { splice @$e, at($e, 'output_item.added', 2) + 1, 0,
                       ev('content_part.added', item_id => 'fc_a',
                          output_index => 2, content_index => 0,
                          part => output_text('')) },
    'a part after the last' => qr/content has 1 parts, finished are 2/,
        sub ($e) { my $at = at($e, 'output_item.done', 1);
                   $OUT = 1;
                   splice @$e, $at, 0, text_part('msg_a', 1, 'x') },

    'a delta lost' => qr/text is not the sum/,
        sub ($e) { drop($e, 'output_text.delta', 1) },
    'a delta twice' => qr/text is not the sum/,
        sub ($e) { double($e, 'output_text.delta', 1) },
    'deltas in the wrong order' => qr/text is not the sum/,
        sub ($e) { move($e, [ 'output_text.delta', 1 ],
                        [ 'output_text.delta', 0 ]) },
    'an empty delta' => qr/an empty delta/,
        sub ($e) { double($e, 'output_text.delta', 1);
                   of($e, 'output_text.delta', 1)->{delta} = '' },
    'a null delta' => qr/delta must be str/,
        sub ($e) { of($e, 'output_text.delta')->{delta} = undef },
    'a number as delta' => qr/delta must be str/,
        sub ($e) { of($e, 'output_text.delta')->{delta} = 7 },
    'a delta without item_id' => qr/has no item_id/,
        sub ($e) { delete of($e, 'output_text.delta')->{item_id} },
    'a delta without content_index' => qr/has no content_index/,
        sub ($e) { delete of($e, 'output_text.delta')->{content_index} },
    'an index as a string' => qr/output_index must be int/,
        sub ($e) { of($e, 'output_text.delta')->{output_index} = '1' },
    'a delta after done' => qr/text of this part was done/,
        sub ($e) { move($e, [ 'output_text.done' ],
                        [ 'output_text.delta', 1 ]) },
    'done twice for a text' => qr/text of this part was done/,
        sub ($e) { double($e, 'output_text.done') },
    'another text in done' => qr/text is not the sum/,
        sub ($e) { of($e, 'output_text.done')->{text} = 'Let me look.' },
    'no text done' => qr/text of the part was not done/,
        sub ($e) { drop($e, 'output_text.done') },
    'another text in the part' => qr/text of the part is not the sum/,
        sub ($e) { of($e, 'content_part.done', 1)->{part}{text} .= ' ' },
    'another type of part in done' => qr/the part is of type text, not/,
        sub ($e) { my $d = of($e, 'content_part.done', 1);
                   $d->{part} = { type => 'text',
                                  text => $d->{part}{text} } },
    'another text in the item' => qr/content\[0\] is not its part\.done/,
        sub ($e) { of($e, 'output_item.done', 1)->{item}{content}[0]{text}
                       = 'Let me' },
    'another text in the output' => qr/output\[1\] is not its output_item/,
        sub ($e) { $e->[-1]{response}{output}[1]{content}[0]{text} = 'L' },
    'content lost in the item' => qr/content has 0 parts, finished are 1/,
        sub ($e) { of($e, 'output_item.done', 1)->{item}{content} = [] },
    'reasoning lost in the item' => qr/content has 0 parts, finished are 1/,
        sub ($e) { delete of($e, 'output_item.done', 0)->{item}{content} },
    'an annotation out of the blue' => qr/not those announced/,
        sub ($e) { push @{ of($e, 'content_part.done', 1)
                               ->{part}{annotations} },
                       { type => 'url_citation', url => 'u', title => 't',
                         start_index => 0, end_index => 1 } },

    'an argument delta lost' => qr/arguments are not the sum/,
        sub ($e) { drop($e, 'function_call_arguments.delta', 0) },
    'no arguments.done' => qr/no arguments\.done before/,
        sub ($e) { drop($e, 'function_call_arguments.done', 0) },
    'arguments.done twice' => qr/arguments were done/,
        sub ($e) { double($e, 'function_call_arguments.done', 0) },
    'arguments in a message' => qr/the open item is a message/,
        sub ($e) { splice @$e, at($e, 'output_item.done', 1), 0,
                       ev('function_call_arguments.delta', delta => 'x',
                          item_id => 'msg_a', output_index => 1) },
    'other arguments in the item' => qr/arguments are not those of the done/,
        sub ($e) { of($e, 'output_item.done', 2)->{item}{arguments} = '{}' },
    'arguments as an object' => qr/arguments must be str/,
        sub ($e) { of($e, 'output_item.done', 2)->{item}{arguments} = {} },
    'a name in arguments.done' => qr/unknown key "name"/,
        sub ($e) { of($e, 'function_call_arguments.done')->{name}
                       = 'tide' },
    'content_index for arguments' => qr/unknown key "content_index"/,
        sub ($e) { of($e, 'function_call_arguments.delta')->{content_index}
                       = 0 },
    'null obfuscation' => qr/obfuscation must be str/,
        sub ($e) { of($e, 'function_call_arguments.delta')->{obfuscation}
                       = undef },

    'an item lost in the output' => qr/output has 3 items, finished are 4/,
        sub ($e) { pop @{ $e->[-1]{response}{output} } },
    'an item invented in the output' => qr/output has 5 items/,
        sub ($e) { push @{ $e->[-1]{response}{output} },
                       message('msg_z', 'completed') },
    'an empty output at the end' => qr/output has 0 items/,
        sub ($e) { $e->[-1]{response}{output} = [] },
    'the output in another order' => qr/output\[2\] is not its/,
        sub ($e) { my $o = $e->[-1]{response}{output};
                   @$o[2, 3] = @$o[3, 2] },
    'an incomplete item in the middle' => qr/after the incomplete item msg_a/,
        sub ($e) { of($e, 'output_item.done', 1)->{item}{status}
                       = 'incomplete' },
    'an incomplete item in a completed response'
            => qr/an incomplete item, but the response is completed/,
        sub ($e) { $_->{status} = 'incomplete'
                       for of($e, 'output_item.done', 3)->{item},
                           $e->[-1]{response}{output}[3] },
    'failed without an error event' => qr/failed without an error event/,
        sub ($e) { $e->[-1] = ended('failed',
                                    @{ $e->[-1]{response}{output} }) },
);


# ---- defects of the response object


for my $key (sort keys %{ response('completed') }) {
    # absent from the last snapshot
    my $e = good();
    delete $e->[-1]{response}{$key};
    reports(render($e), qr/response has no $key\b/, "no $key");

    next if $key =~ /^(?:completed_at|incomplete_details|instructions|error
                       |previous_response_id|reasoning|usage|max_tool_calls
                       |max_output_tokens|metadata|safety_identifier
                       |prompt_cache_key)$/x;

    $e = good();
    $e->[-1]{response}{$key} = undef;
    reports(render($e), qr/response: $key must be/, "null $key");
}

# a change of one snapshot: 0 is created, -1 the terminal one

sub snapshots (@list) {
    while (my ($name, $re, $n, $change) = splice @list, 0, 4) {
        my $e = copy(good());

        local $_ = $e->[$n]{response};
        $change->();
        reports(render($e), $re, $name);
    }
}

snapshots(
    'another object' => qr/object must be =response/, -1,
        sub { $_->{object} = 'chat.completion' },
    'a status of its own' => qr/status must be/, -1,
        sub { $_->{status} = 'done' },
    'a string as time' => qr/created_at must be int/, 0,
        sub { $_->{created_at} = '1767300000' },
    'a fraction as time' => qr/completed_at must be int/, -1,
        sub { $_->{completed_at} += 0.5 },
    'milliseconds before the epoch' => qr/is not a time/, 0,
        sub { $_->{created_at} = 12 },
    'completed before created' => qr/completed before it was created/, -1,
        sub { $_->{completed_at} = $CREATED - 1 },
    'completed without a time' => qr/completed_at is null/, -1,
        sub { $_->{completed_at} = undef },
    'a time in created' => qr/completed_at with status in_progress/, 0,
        sub { $_->{completed_at} = $CREATED },
    'an error in completed' => qr/error is set with status completed/, -1,
        sub { $_->{error} = { code => 'x', message => 'y' } },
    'details in completed' => qr/incomplete_details are set/, -1,
        sub { $_->{incomplete_details} = { reason => 'x' } },
    'another id' => qr/id is not that of the first/, -1,
        sub { $_->{id} = 'resp_8' },
    'another created_at' => qr/created_at is not that of the first/, -1,
        sub { $_->{created_at}++ },
    'other tools' => qr/tools is not that of the first/, -1,
        sub { $_->{tools} = [] },
    'another temperature' => qr/temperature is not that of the first/, -1,
        sub { $_->{temperature} = 1 },
    'an empty id' => qr/id is empty/, 0, sub { $_->{id} = '' },
    'a number as string' => qr/temperature must be num/, 0,
        sub { $_->{temperature} = '0.7' },
    'a bool as number' => qr/store must be bool/, 0, sub { $_->{store} = 0 },
    'instructions as a list' => qr/instructions must be str/, 0,
        sub { $_->{instructions} = [] },
    'a tool without strict' => qr/tools\[0\] has no strict/, 0,
        sub { delete $_->{tools}[0]{strict} },
    'a nested tool' => qr/tools\[0\] has no name/, 0,
        sub { $_->{tools}[0] = { type => 'function', function => {} } },
    'a null tool_choice' => qr/tool_choice must be/, 0,
        sub { $_->{tool_choice} = undef },
    'tool_choice any' => qr/tool_choice is "any"/, 0,
        sub { $_->{tool_choice} = 'any' },
    'allowed_tools without a mode' => qr/tool_choice has no mode/, 0,
        sub { $_->{tool_choice} = { type => 'allowed_tools', tools => [] } },
    'tool_choice of Chat' => qr/unknown key "function"/, 0,
        sub { $_->{tool_choice} = { type => 'function', function => {} } },
    'a text without a format' => qr/text has no format/, 0,
        sub { $_->{text} = {} },
    'a verbosity of its own' => qr/verbosity must be/, 0,
        sub { $_->{text}{verbosity} = 'loud' },
    'a format with its schema' => qr/schema must be null/, 0,
        sub { $_->{text}{format} = { type => 'json_schema', name => 'x',
                  description => undef, schema => {}, strict => $T } },
    'a format with null strict' => qr/strict must be bool/, 0,
        sub { $_->{text}{format} = { type => 'json_schema', name => 'x',
                  description => undef, schema => undef,
                  strict => undef } },
    'a format of unknown type' => qr/no known type/, 0,
        sub { $_->{text}{format} = { type => 'xml' } },
    'empty reasoning' => qr/reasoning has no effort/, 0,
        sub { $_->{reasoning} = {} },
    'reasoning without a summary' => qr/reasoning has no summary/, 0,
        sub { $_->{reasoning} = { effort => 'low' } },
    'an unknown truncation' => qr/truncation must be/, 0,
        sub { $_->{truncation} = 'middle' },
    'an unknown key' => qr/unknown key "choices"/, 0,
        sub { $_->{choices} = [] },
    'usage without details' => qr/usage has no input_tokens_details/, -1,
        sub { delete $_->{usage}{input_tokens_details} },
    'usage with null details' => qr/output_tokens_details must be obj/, -1,
        sub { $_->{usage}{output_tokens_details} = undef },
    'usage with empty details' => qr/has no reasoning_tokens/, -1,
        sub { $_->{usage}{output_tokens_details} = {} },
    'usage of Chat' => qr/usage has no input_tokens\b/, -1,
        sub { $_->{usage} = { prompt_tokens => 1 } },
    'a null number in usage' => qr/total_tokens must be int/, -1,
        sub { $_->{usage}{total_tokens} = undef },
    'a negative number in usage' => qr/output_tokens is negative/, -1,
        sub { $_->{usage}{output_tokens} = -1 },
);


# ---- defects of failures


defects(\&failed,
    'no failed after error' => qr/no terminal event/,
        sub ($e) { pop @$e },
    'completed after error' => qr/completed in state ERR/,
        sub ($e) { $e->[-1] = ended('completed',
                                    @{ $e->[-1]{response}{output} }) },
    'a delta after error' => qr/in state ERR, no item is open/,
        sub ($e) { move($e, [ 'error' ], [ 'output_text.delta', 1 ]) },
    'error twice' => qr/error in state ERR/,
        sub ($e) { double($e, 'error') },
    'error first' => qr/error in state START/,
        sub ($e) { move($e, [ 'error' ], [ 'created' ]) },
    'a flat error' => qr/event has no error/,
        sub ($e) { my $x = of($e, 'error');
                   %$x = (%{ $x->{error} }, type => 'error') },
    'an error without param' => qr/error has no param/,
        sub ($e) { delete of($e, 'error')->{error}{param} },
    'an error without code' => qr/error has no code/,
        sub ($e) { delete of($e, 'error')->{error}{code} },
    'an error of unknown type' => qr/error\.type is/,
        sub ($e) { of($e, 'error')->{error}{type} = 'invalid_request_error' },
    'an error without a text' => qr/error\.message is empty/,
        sub ($e) { of($e, 'error')->{error}{message} = '' },
    'a number as code' => qr/code must be str/,
        sub ($e) { of($e, 'error')->{error}{code} = 429 },
    'a null code in failed' => qr/code must be str/,
        sub ($e) { $e->[-1]{response}{error}{code} = undef },
    'a null error in failed' => qr/failed, but error is null/,
        sub ($e) { $e->[-1]{response}{error} = undef },
    'an error without a message' => qr/error has no message/,
        sub ($e) { delete $e->[-1]{response}{error}{message} },
    'another code in failed' => qr/the error event said/,
        sub ($e) { $e->[-1]{response}{error}{code} = 'other' },
    'the open item in failed' => qr/output has 2 items, finished are 1/,
        sub ($e) { push @{ $e->[-1]{response}{output} },
                       message('msg_a', 'in_progress') },
    'a finished item lost in failed' => qr/output has 0 items/,
        sub ($e) { $e->[-1]{response}{output} = [] },
    'an incomplete item in failed'
            => qr/an incomplete item, but the response is failed/,
        sub ($e) { splice @$e, at($e, 'error'), 0,
                       ev('output_text.done', item_id => 'msg_a',
                          output_index => 1, content_index => 0,
                          text => 'High water'),
                       ev('content_part.done', item_id => 'msg_a',
                          output_index => 1, content_index => 0,
                          part => output_text('High water')),
                       ev('output_item.done', output_index => 1,
                          item => message('msg_a', 'incomplete',
                                          output_text('High water')));
                   push @{ $e->[-1]{response}{output} },
                       $e->[-3]{item} },
    'a time in failed' => qr/completed_at with status failed/,
        sub ($e) { $e->[-1]{response}{completed_at} = $CREATED },
    'a summary index too high' => qr/summary_index is 2, not 1/,
        sub ($e) { of($e, 'reasoning_summary_part.added', 1)
                       ->{summary_index} = 2 },
    'content_index in a summary' => qr/has no summary_index/,
        sub ($e) { my $d = of($e, 'reasoning_summary_text.delta');
                   $d->{content_index} = delete $d->{summary_index} },
    'a summary delta lost' => qr/text is not the sum/,
        sub ($e) { drop($e, 'reasoning_summary_text.delta', 1) },
    'a summary lost in the item' => qr/summary has 1 parts, finished are 2/,
        sub ($e) { pop @{ of($e, 'output_item.done')->{item}{summary} } },
    'a summary part closed as content' => qr/has a summary_index/,
        sub ($e) { my $d = of($e, 'reasoning_summary_part.done');
                   $d->{type} = 'response.content_part.done';
                   $d->{content_index} = delete $d->{summary_index} },
    'a summary that is a string' => qr/summary must be arr/,
        sub ($e) { of($e, 'output_item.added')->{item}{summary} = '' },
);

defects(\&incomplete,
    'no details' => qr/incomplete_details are null/,
        sub ($e) { $e->[-1]{response}{incomplete_details} = undef },
    'details without a reason' => qr/has no reason/,
        sub ($e) { $e->[-1]{response}{incomplete_details} = {} },
    'completed for incomplete' => qr/incomplete item, but the response is/,
        sub ($e) { $e->[-1] = ended('completed',
                                    @{ $e->[-1]{response}{output} }) },
    'a time in incomplete' => qr/completed_at with status incomplete/,
        sub ($e) { $e->[-1]{response}{completed_at} = $CREATED },
    'refusal as text' => qr/has no refusal/,
        sub ($e) { my $d = of($e, 'refusal.done');
                   $d->{text} = delete $d->{refusal} },
    'a refusal delta lost' => qr/refusal is not the sum/,
        sub ($e) { drop($e, 'refusal.delta') },
    'the second part as the first' => qr/content_index is 0, not 1/,
        sub ($e) { of($e, 'content_part.added', 1)->{content_index} = 0 },
    'logprobs on a refusal' => qr/unknown key "logprobs"/,
        sub ($e) { of($e, 'refusal.delta')->{logprobs} = [] },
);

defects(\&annotated,
    'a null annotation' => qr/annotation must be obj/,
        sub ($e) { of($e, 'output_text.annotation.added')->{annotation}
                       = undef },
    'an annotation index too high' => qr/annotation_index is 1, not 0/,
        sub ($e) { of($e, 'output_text.annotation.added')
                       ->{annotation_index} = 1 },
    'an annotation without a title' => qr/has no title/,
        sub ($e) { delete of($e, 'output_text.annotation.added')
                              ->{annotation}{title} },
    'an annotation of unknown type' => qr/type must be =url_citation/,
        sub ($e) { of($e, 'output_text.annotation.added')->{annotation}{type}
                       = 'file_citation' },
    'an annotation not announced' => qr/not those announced/,
        sub ($e) { drop($e, 'output_text.annotation.added') },
    'logprobs lost in done' => qr/logprobs are not those/,
        sub ($e) { of($e, 'output_text.done')->{logprobs} = [] },
    'logprobs lost in the part' => qr/logprobs are not those/,
        sub ($e) { of($e, 'content_part.done')->{part}{logprobs} = [] },
    'logprobs with null bytes' => qr/bytes must be arr/,
        sub ($e) { of($e, 'output_text.delta')->{logprobs}[0]{bytes}
                       = undef },
    'logprobs without top_logprobs' => qr/has no top_logprobs/,
        sub ($e) { delete of($e, 'output_text.delta')
                              ->{logprobs}[0]{top_logprobs} },
    'a string as logprob' => qr/logprob must be num/,
        sub ($e) { of($e, 'output_text.delta')->{logprobs}[0]{logprob}
                       = '-0.25' },
    'a byte too big' => qr/bytes are no bytes/,
        sub ($e) { of($e, 'output_text.delta')->{logprobs}[0]{bytes}[0]
                       = 256 },
    'a null top entry' => qr/is no object/,
        sub ($e) { of($e, 'output_text.delta')
                       ->{logprobs}[0]{top_logprobs}[0] = undef },
);

# what a test expects

reports($ok, qr/status is completed, not failed/, 'another status',
        expect => 'failed');
reports(render(failed()), qr/code of the failure is upstream_closed, not x/,
        'another code', code => 'x');
reports(render(incomplete()), qr/the reason is not content_filter/,
        'another reason', reason => 'content_filter');
reports($ok =~ s/Let me /LET ME /r, qr/not the sum/,
        'a defect in a partial stream', partial => 1);
reports($ok =~ s/"delta":"Let me /"delta":"LET ME /r, qr/not the sum/,
        'a defect in a lax stream', lax => 1);
reports($ok =~ s/"delta":"Let me /"delta":"LET ME /r, qr/not the sum/,
        'a defect in the other flavor', flavor => 'openai');

cmp_ok($count, '>=', 60, "$count defects in streams");


# ---- documents


sub document ($change = sub { }) {
    my $r = response('completed', output => [
        reasoning('rs_a', 'completed', []),
        message('msg_a', 'completed', output_text('Hello')),
        call('fc_a', 'call_a', 'tide', 'completed', '{}') ]);

    local $_ = $r;
    $change->();

    return json_encode($r);
}

my $d = check_response(document(), expect => 'completed');
ok($d->ok, 'a document') or diag join "\n", @{ $d->errors };
is($d->text, 'Hello', 'its text');
is($d->calls->[0]{name}, 'tide', 'its call');

sub document_reports ($name, $re, $change) {
    my $d = check_response(document($change));
    ok((grep { $_ =~ $re } @{ $d->errors }), "$name is reported")
        or diag "errors: ", explain $d->errors;
}

document_reports('an unfinished item', qr/is in progress/,
                 sub { $_->{output}[1]{status} = 'in_progress' });
document_reports('an unfinished response', qr/status is "in_progress"/,
                 sub { $_->{status} = 'in_progress' });
document_reports('an incomplete item', qr/incomplete in a completed/,
                 sub { $_->{output}[2]{status} = 'incomplete' });
document_reports('an id twice', qr/comes twice/,
                 sub { $_->{output}[1]{id} = 'fc_a' });
document_reports('a part of Chat', qr/is of type "content"/,
                 sub { $_->{output}[1]{content}[0]{type} = 'content' });
document_reports('content as a string', qr/content must be arr/,
                 sub { $_->{output}[1]{content} = 'Hello' });
document_reports('an item that is null', qr/is no object/,
                 sub { $_->{output}[0] = undef });
document_reports('raw reasoning in a summary', qr/a reasoning_text in/,
    sub { $_->{output}[0]{summary}
              = [ { type => 'reasoning_text', text => 'x' } ] });
document_reports('an unknown role', qr/role must be/,
                 sub { $_->{output}[1]{role} = 'tool' });
document_reports('no usage key', qr/response has no usage/,
                 sub { delete $_->{usage} });

{
    my $r = response('incomplete', output => [
        message('msg_a', 'incomplete', output_text('Hel')),
        call('fc_a', 'call_a', 'tide', 'completed', '{}') ]);
    my $d = check_response(json_encode($r));

    ok((grep { /but not the last/ } @{ $d->errors }),
       'an incomplete item before others is reported');
    ok(!check_response('{"id":')->ok, 'a cut document is reported');
    ok(!check_response('[]')->ok, 'a list is reported');
}


# ---- error answers


my %json = ('content-type' => 'application/json');

sub error_body (%o) {
    return json_encode({ error => { type => 'invalid_request',
        code => 'unknown_parameter', message => 'No such parameter.',
        param => 'x', %o } });
}

is_deeply([ check_error(400, \%json, error_body()) ], [], 'an error answer');
is_deeply([ check_error(502, \%json, error_body(type => 'server_error',
            code => undef, param => undef)) ], [], 'with nulls');

for my $bad (
    [ 'success', 200, \%json, error_body() ],
    [ 'text', 400, { 'content-type' => 'text/html' }, error_body() ],
    [ 'no type', 400, {}, error_body() ],
    [ 'HTML', 502, \%json, '<html>' ],
    [ 'nothing', 400, \%json, '' ],
    [ 'a flat error', 400, \%json, '{"type":"invalid_request"}' ],
    [ 'a string', 400, \%json, '{"error":"bad"}' ],
    [ 'no param', 400, \%json,
      '{"error":{"type":"invalid_request","code":"x","message":"y"}}' ],
    [ 'no code', 400, \%json,
      '{"error":{"type":"invalid_request","param":"x","message":"y"}}' ],
    [ 'a null message', 400, \%json, error_body(message => undef) ],
    [ 'an empty message', 400, \%json, error_body(message => '') ],
    [ 'an unknown type', 400, \%json,
      error_body(type => 'invalid_request_error') ],
    [ 'a number as code', 400, \%json, error_body(code => 400) ],
    [ 'one key more', 400, \%json, error_body(stack => 'x') ],
    [ 'a type of the wrong class', 500, \%json, error_body() ],
    [ 'a type of the other class', 400, \%json,
      error_body(type => 'server_error') ],
    [ '429 without its type', 429, \%json, error_body() ])
{
    my ($name, @args) = @$bad;
    ok(scalar(my @w = check_error(@args)), "$name is reported");
}

done_testing();
