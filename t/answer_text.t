#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Texts of a model: when items begin and end, usage, and the framing of the
# stream in all the forms that it may come in.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Adapter qw( nameless );
use ORS::JSON qw( json_decode json_encode );
use ORS::Model qw( :all );
use ORS::Stream qw( stream_ok response_ok check_stream );

my %usage = (input_tokens_details => { cached_tokens => 0 },
             output_tokens_details => { reasoning_tokens => 0 });
my %scripts;


sub frames (@data) {
    return map { [ sse => $_ ] } @data;
}


# a script of chunks, and its end

sub chunks (@chunks) {
    return [ sse_head(), frames(@chunks), [ 'done' ] ];
}


# the bytes of a stream as they are, to the end of the connection

sub bytes ($text, @steps) {
    return [ sse_head(), [ framing => 'close' ], @steps, [ raw => $text ] ];
}


sub role () { return chat_chunk(role => 'assistant', content => '') }
sub word (@o) { return chat_chunk(content => @o) }
sub stop (@o) { return chat_chunk(finish => 'stop', @o) }


sub with_usage ($chunk, $usage) { return { %$chunk, usage => $usage } }


# items begin and end

$scripts{role} = [ sse_head(), frames(role), [ comment => 'x' ],
                   [ wait_file => 'go-role' ], frames(word('Hello'), stop),
                   [ 'done' ] ];

$scripts{finish} = [ sse_head(), [ wait_file => 'go-finish-1' ],
                     [ raw => join '', map { 'data: ' . json_encode($_)
                                             . "\n\n" }
                              role, word('Hel'), word('lo'), stop ],
                     [ wait_file => 'go-finish-2' ],
                     frames(chat_chunk(usage => chat_usage())), [ 'done' ] ];

$scripts{'usage-eof'} = [ sse_head(), frames(role, word('Hello'), stop,
                                      chat_chunk(usage => chat_usage())) ];
$scripts{'usage-none'} = chunks(role, word('Hello'), stop);
$scripts{'usage-first'} = chunks(role, chat_chunk(usage => chat_usage()),
                                 word('Hello'), stop);

$scripts{'usage-each'} = chunks(
    with_usage(role, { prompt_tokens => 5, total_tokens => 5,
                       completion_tokens => 0 }),
    with_usage(word('Hel'), chat_usage(completion_tokens => 1)),
    with_usage(word('lo'), undef), with_usage(stop, chat_usage()),
    with_usage(stop(extra => { choices => [] }), undef));

$scripts{'usage-finish'} = chunks(role, word('Hello'),
                                  with_usage(stop, chat_usage()));

$scripts{pings} = chunks({ type => 'ping' }, role, word('Hel'),
                         { choices => undef }, { event => 'x', n => 1 },
                         word('lo'), stop, chat_chunk(usage => chat_usage()));

$scripts{parts} = chunks(
    role,
    word([ { type => 'thinking',
             thinking => [ { type => 'text', text => 'Hm' } ] } ]),
    word([ { type => 'thinking', thinking => [ { type => 'text',
                                                 text => 'm.' } ] },
           { type => 'text', text => 'Hel' } ]),
    word('lo'), stop);

$scripts{'parts-json'} = json_script(chat_reply(content => [
    { type => 'thinking', thinking => 'Hmm.' },
    { type => 'text', text => 'Hel' }, { type => 'text', text => 'lo' } ]));

$scripts{two} = chunks(chat_chunk(role => 'assistant', id => 'a',
                                  model => 'x'),
                       word('Hel', id => 'b', model => 'y'),
                       word('lo', id => 'c', model => undef),
                       stop(id => ''));

$scripts{choices} = chunks(
    { choices => [ { index => 1, delta => { content => 'Wrong' } },
                   { index => 0, delta => { content => 'Hel' } } ] },
    { choices => [ { index => 1, delta => { content => ' choice' },
                     finish_reason => 'length' } ] },
    { choices => [ { index => 0, delta => { content => 'lo' },
                     finish_reason => 'stop' },
                   { index => 2, delta => { content => '!' } } ] },
    { choices => [ { index => 1, delta => {}, finish_reason => 'length' } ] },
    chat_chunk(usage => chat_usage()));

$scripts{'choices-json'} = json_script(chat_reply(extra => { choices => [
    { index => 1, message => { content => 'Wrong' },
      finish_reason => 'length' },
    { index => 0, message => { content => 'Hello' },
      finish_reason => 'stop' } ] }));

# the end repeats what was said
$scripts{repeat} = chunks(role, word('Hel'), word('lo'),
    stop(extra => { choices => [ { index => 0, finish_reason => 'stop',
                      message => { role => 'assistant',
                                   content => 'Hello' } } ] }),
    chat_chunk(usage => chat_usage()));
$scripts{'repeat-both'} = chunks(role, word('Hel'), word('lo'),
    stop(extra => { choices => [ { index => 0, finish_reason => 'stop',
                      delta => {},
                      message => { role => 'assistant',
                                   content => 'Hello' } } ] }),
    chat_chunk(usage => chat_usage()));

# or says all at once
$scripts{whole} = chunks(chat_reply(content => 'Hello'));

$scripts{'empty-a'} = stream_script();
$scripts{'empty-b'} = chunks(stop);
$scripts{'empty-c'} = chunks(role, word(''), word(undef), stop);
$scripts{'empty-d'} = json_script(chat_reply(content => ''));
$scripts{'empty-e'} = json_script(chat_reply());
$scripts{'no-message'} = json_script({ choices => [],
                                       usage => chat_usage() });


# reads an answer up to "re" and gives what has come

sub seen ($c, $re) {
    $c->wait_body($re) or diag('never came: ' . $c->body);
    return $c->body;
}


# what is read of the numbers

my @numbers = (
    [ 'only completion_tokens', { completion_tokens => 3 }, 0, 3, 3 ],
    [ 'only prompt_tokens', { prompt_tokens => 4 }, 4, 0, 4 ],
    [ 'total_tokens 0', { prompt_tokens => 4, completion_tokens => 3,
                          total_tokens => 0 }, 4, 3, 7 ],
    [ 'total_tokens null', { prompt_tokens => 4, completion_tokens => 3,
                             total_tokens => undef }, 4, 3, 7 ],
    [ 'details null', { prompt_tokens => 4, completion_tokens => 3,
                        total_tokens => 7, prompt_tokens_details => undef,
                        completion_tokens_details => undef }, 4, 3, 7 ],
    [ 'details', { prompt_tokens => 4, completion_tokens => 3,
                   total_tokens => 8,
                   prompt_tokens_details => { cached_tokens => 2,
                                              audio_tokens => 9 },
                   completion_tokens_details => { reasoning_tokens => 1 } },
      4, 3, 8, 2, 1 ],
    [ 'nonsense', { prompt_tokens => '4', completion_tokens => -3,
                    total_tokens => 1.5,
                    prompt_tokens_details => [ 1 ],
                    completion_tokens_details => 'x' }, 0, 0, 0 ],
);

for my $i (0 .. $#numbers) {
    $scripts{"numbers-$i-s"} = stream_script(text => 'Hello',
                                             usage => $numbers[$i][1]);
    $scripts{"numbers-$i-j"} = json_script(chat_reply(
        content => 'Hello', usage => $numbers[$i][1]));
}

# what is not there, and what should not be

my @odd = (
    [ 'null in places', 'Hello', '{"choices":[null]}',
      '{"choices":[{"index":0}]}',
      '{"choices":[{"index":null,"delta":null,"message":null}]}',
      '{"choices":[{"index":0,"delta":{"role":null,"content":null,'
      . '"refusal":null,"reasoning_content":null,"tool_calls":null},'
      . '"finish_reason":null}]}', delta('"content":"Hello"'),
      '{"choices":null,"usage":{"prompt_tokens":1}}' ],
    [ 'other types', 'Hello',
      delta('"content":7,"refusal":[],"reasoning_content":{},'
            . '"tool_calls":{}'),
      delta('"content":"Hello","function_call":1'),
      '{"choices":[],"usage":[]}' ],
    [ 'E36: a pair in two pieces', "a\x{1f600}b", delta('"content":"a\ud83d"'),
      delta('"content":"\ude00b"') ],
    [ 'E36: a half and NUL', "a\x{d83d}b\x{0}", delta('"content":"a\ud83d"'),
      delta('"content":"b\u0000"') ],
    [ 'text after the reason', 'Hello', delta('"content":"Hel"'),
      '{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
      delta('"content":"lo"') ],
);


sub delta ($members) {
    return "{\"choices\":[{\"index\":0,\"delta\":{$members}}]}";
}


$scripts{$_->[0]} = chunks(@$_[2 .. $#$_], stop) for @odd;
$scripts{'after the end'} = [ @{ chunks(word('Hello'), stop) },
                               frames(word('more')), [ 'done' ],
                               [ raw => 'x' ] ];
$scripts{'no UTF-8'} = chunks(word('Hello'),
                              delta("\"content\":\"\xc3\""), stop);

# finish reasons

for my $reason (qw( stop length content_filter end_turn eos )) {
    for my $text ('', 'Hello') {
        $scripts{"$reason-s-$text"} = chunks(
            role, $text eq '' ? () : word($text),
            chat_chunk(content => '', finish => $reason));
        $scripts{"$reason-j-$text"} = json_script(chat_reply(
            content => $text, finish => $reason, usage => undef));
    }
}

$scripts{cut} = [ sse_head(), frames(role, word('Hello')) ];
$scripts{'cut-first'} = [ sse_head() ];
$scripts{'cut-role'} = [ sse_head(), frames(role) ];
$scripts{'cut-done'} = [ sse_head(), [ 'done' ] ];
$scripts{'no-done'} = [ sse_head(), frames(role, word('Hello'), stop) ];
$scripts{'no-done-bytes'} = bytes(join '', map { 'data: ' . json_encode($_)
                                                 . "\n\n" }
                                  role, word('Hello'), stop);
$scripts{'no-end-of-line'} = bytes(join "\n\n", map { 'data: '
                                                      . json_encode($_) }
                                   role, word('Hello'), stop);
$scripts{'cut-json'} = [ [ cut_at => 300 ],
                         [ json => chat_reply(content => 'x' x 400) ] ];

# reasoning

$scripts{think} = chunks(role, chat_chunk(reasoning => 'Let '),
                         chat_chunk(reasoning => 'me.'), word('Hel'),
                         word('lo'), stop);
$scripts{'think-vllm'} = chunks(role,
                                chat_chunk(delta => { reasoning => 'Let ' }),
                                chat_chunk(delta => { reasoning => 'me.' }),
                                word('Hello'), stop);
$scripts{'think-twice'} = chunks(role, map({ chat_chunk(delta => {
        reasoning => $_, reasoning_content => $_, reasoning_details => [
            { type => 'reasoning.text', text => $_ } ] }) } 'Let ', 'me.'),
    word('Hello'), stop);
$scripts{'think-details'} = chunks(role, map({ chat_chunk(delta => {
        content => '', reasoning_details => [
            { type => 'reasoning.text', text => $_ } ] }) } 'Let ', 'me.'),
    word('Hello'), stop);
$scripts{'think-twice-json'} = json_script(chat_reply(
    content => 'Hello', reasoning => 'Let me.', message => {
        reasoning => 'Let me.', reasoning_details => [
            { type => 'reasoning.text', text => 'Let me.' } ] }));
$scripts{'think-json'} = json_script(chat_reply(reasoning => 'Let me.',
                                                content => 'Hello'));
$scripts{'think-same'} = chunks(chat_chunk(reasoning => 'Let me.',
                                           content => 'Hel'),
                                word('lo'), stop);
$scripts{'think-only'} = chunks(role, chat_chunk(reasoning => 'Let me.'),
                                stop);
$scripts{'think-length'} = chunks(role, chat_chunk(reasoning => 'Let me.'),
                                  chat_chunk(finish => 'length'));
$scripts{'think-between'} = chunks(
    role, chat_chunk(reasoning => 'a'), word('b'),
    chat_chunk(reasoning => 'c'),
    word('d'), chat_chunk(tool_calls => [ { index => 0, id => 'call_1',
        function => { name => 'f', arguments => '{}' } } ]),
    chat_chunk(reasoning => 'e'), word('g'), stop);
$scripts{refuse} = stream_script(text => [ 'I ' ],
                                 refusal => [ 'can', 'not' ]);
$scripts{'refuse-json'} = json_script(chat_reply(content => 'I ',
                                                 refusal => 'cannot'));
$scripts{'refuse-only'} = stream_script(refusal => [ 'can', 'not' ]);

my $a = ORS::Adapter->new(scripts => \%scripts, conf => {
    frank => 'open_responses_refusal text;' });


# E38, E39: by what has been sent when

{
    my $c = $a->start('role', stream => 1);
    my $body = seen($c, qr/response\.in_progress.*\n\n/);

    unlike($body, qr/output_item/, 'E38: no item yet');
    $a->model->touch('go-role');

    my $s = stream_ok($c->read_response, 'E38: a role and nothing else');
    is($s->text, 'Hello', 'E38: text');
    is($s->count('response.output_text.delta'), 1, 'E38: one delta');
}

for my $stream (1, 0) {
    my $c = $a->start('finish', stream => $stream);

    $a->model->touch('go-finish-1');

    if ($stream) {
        unlike(seen($c, qr/delta":"lo".*\n\n/), qr/"response\.completed/,
               'E39: not completed yet');
    }

    $a->model->touch('go-finish-2');

    my $r = $c->read_response;
    my $s = $stream ? stream_ok($r, 'E39: stream')
                    : response_ok($r, 'E39: plain');

    is_deeply($s->usage, { input_tokens => 8, output_tokens => 2,
                           total_tokens => 10, %usage },
              'E39: usage after the reason');
    is($s->text, 'Hello', 'E39: text');
    $a->model->untouch(map { "go-finish-$_" } 1, 2);
}

for my $case ([ 'usage-eof', 'E39: end without [DONE]', 10 ],
              [ 'usage-none', 'E39: no usage at all', 0 ],
              [ 'usage-first', 'E39: usage before the text', 10 ],
              [ 'usage-each', 'E40: usage in each chunk', 10 ],
              [ 'usage-finish', 'E40: usage with the reason', 10 ],
              [ 'two', 'E41: two ids and models', 0 ],
              [ 'pings', 'objects that are no chunks', 10 ],
              [ 'choices', 'E58: several choices', 10 ],
              [ 'choices-json', 'E58: several choices in a document', 10 ],
              [ 'repeat', 'E61: text that is repeated', 10 ],
              [ 'repeat-both', 'E61: text beside a delta', 10 ],
              [ 'whole', 'E61: all at once', 10 ])
{
    my ($script, $name, $total) = @$case;
    my ($s, $d) = $a->answer($script, $name);

    is($s->text, 'Hello', "$name: text");
    is($s->usage->{total_tokens}, $total, "$name: usage");
    is(@{ $s->items }, 1, "$name: one item");
    is($s->response->{model}, 'm', "$name: the client's model");
}

for my $script (qw( parts parts-json )) {
    my ($s) = $a->answer($script, "E56: $script");

    is($s->text, 'Hello', "E56: $script: text");
    is($s->summary, 'Hmm.', "E56: $script: reasoning");
    is(@{ $s->items }, 2, "E56: $script: two items");
}

for my $script (grep { /^empty-/ } sort keys %scripts) {
    my ($s) = $a->answer($script, "E62: $script");

    is_deeply(nameless($s->items),
              [ { type => 'message', id => 'msg', status => 'completed',
                  role => 'assistant', content => [
                      { type => 'output_text', text => '',
                        annotations => [], logprobs => [] } ] } ],
              "E62: $script: one empty message");
}

$a->fails('no-message', 'E62: a document without a message', 502,
          code => 'invalid_upstream_answer');

for my $i (0 .. $#numbers) {
    my ($name, undef, $in, $out, $total, $cached, $thought) =
        @{ $numbers[$i] };

    for my $form (qw( s j )) {
        my ($s) = $a->answer("numbers-$i-$form", "E63: $name, $form");

        is_deeply($s->usage, {
                      input_tokens => $in, output_tokens => $out,
                      total_tokens => $total,
                      input_tokens_details => {
                          cached_tokens => $cached // 0 },
                      output_tokens_details => {
                          reasoning_tokens => $thought // 0 } },
                  "E63: $name, $form: usage");
    }
}


{
    no warnings 'surrogate';

    for my $odd (@odd) {
        my ($s) = $a->answer($odd->[0], $odd->[0]);
        ok($s->text eq $odd->[1], "$odd->[0]: text");
    }

    my ($s) = $a->answer('after the end', 'after the end');
    is($s->text, 'Hello', 'nothing comes after the end');

    $a->breaks('no UTF-8', 'E36: no UTF-8', 502,
               code => 'invalid_upstream_answer');
}


# how answers end

my %ends = (length => 'max_output_tokens', content_filter => 'content_filter');

for my $reason (qw( stop length content_filter end_turn eos )) {
    for my $form (map { ("s-$_", "j-$_") } '', 'Hello') {
        my $name = "E50: $reason, $form";
        my $is = $ends{$reason} ? 'incomplete' : 'completed';
        my ($s) = $a->answer("$reason-$form", $name, expect => $is,
                             reason => $ends{$reason});

        is($s->text, $form =~ s/..//r, "$name: text");
        is(@{ $s->items }, 1, "$name: one message");
        is($s->items->[0]{status}, $is, "$name: its status");
    }
}

$a->breaks($_, "E51: $_", 502, code => 'upstream_disconnected')
    for qw( cut cut-role );
$a->fails($_, "E51: $_", 502, code => 'upstream_disconnected')
    for qw( cut-first cut-done cut-json );

{
    my ($s) = $a->breaks('cut', 'E51: cut after a text', 502,
                         code => 'upstream_disconnected');

    is_deeply($s->response->{output}, [], 'C28: the open item is left out');
    is(($s->types)[-3], 'response.output_text.delta', 'C28: not closed');
}

for my $script (qw( no-done no-done-bytes no-end-of-line )) {
    if ($script eq 'no-end-of-line') {
        # the last line is not whole, and with it the reason is lost
        $a->breaks($script, "E51: $script", 502,
                   code => 'upstream_disconnected');
        next;
    }

    my ($s) = $a->answer($script, "E51: $script");
    is($s->text, 'Hello', "E51: $script: text");
}


# reasoning

for my $script (qw( think think-vllm think-twice think-twice-json
                    think-details think-json think-same ))
{
    my $name = ($script =~ /twice|details/ ? 'E7' : 'E47') . ": $script";
    my ($s) = $a->answer($script, $name);

    is($s->summary, 'Let me.', "$name: reasoning");
    is($s->text, 'Hello', "$name: text");
    is_deeply([ map { $_->{type} } @{ $s->items } ],
              [ 'reasoning', 'message' ], "$name: items");
}

{
    my ($s) = $a->answer('think', 'E47: events of reasoning');

    is_deeply([ $s->deltas('response.reasoning_summary_text.delta') ],
              [ 'Let ', 'me.' ], 'E47: deltas of reasoning');

    ($s) = $a->answer('think-only', 'E62: reasoning alone');
    is_deeply([ map { $_->{type} } @{ $s->items } ], [ 'reasoning' ],
              'E62: reasoning alone: items');

    ($s) = $a->answer('think-length', 'E49: cut while reasoning',
                      expect => 'incomplete', reason => 'max_output_tokens');
    is($s->items->[-1]{status}, 'incomplete', 'E49: its item');

    ($s) = $a->answer('think-between', 'E47: in any order');
    is_deeply([ map { $_->{type} . ' ' . ($_->{arguments}
                      // ($_->{content} // $_->{summary})->[0]{text}) }
                @{ $s->items } ],
              [ 'reasoning a', 'message b', 'reasoning c', 'message d',
                'function_call {}', 'reasoning e', 'message g' ],
              'E47: in any order: items');
}

for my $script (qw( refuse refuse-json )) {
    my ($s) = $a->answer($script, "E59: $script");

    is($s->text, 'I ', "E59: $script: text");
    is($s->refusal, 'cannot', "E59: $script: refusal");
    is(@{ $s->items }, 1, "E59: $script: one item");
}

{
    my ($s) = $a->answer('refuse-only', 'E59: nothing but a refusal');

    is_deeply([ $s->deltas('response.refusal.delta') ], [ 'can', 'not' ],
              'E59: its deltas');
}

for my $case ([ refuse => 'I cannot' ], [ 'refuse-json' => 'I cannot' ],
              [ 'refuse-only' => 'cannot', 'can', 'not' ])
{
    my ($script, $text, @deltas) = @$case;
    my $name = "E59: $script as text";
    my ($s) = $a->answer($script, $name, at => '/frank');

    is($s->text, $text, $name);
    is($s->refusal, '', "$name: no refusal");
    is($s->count('response.output_text.delta'), 3, "$name: its events")
        if $script eq 'refuse';
    is_deeply([ $s->deltas ], \@deltas, "$name: its deltas") if @deltas;
}


$a->finish;

done_testing();
