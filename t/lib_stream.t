#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The stream checker: good streams pass, and what they say can be asked for;
# what a test expects of them is compared.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Stream qw( check_stream );
use ORS::Sample;

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
passes(render(hosted()), 'the output of a tool that ran here',
       flavor => $_) for qw( spec openai );
passes(render(tools()), 'hosted tools', flavor => 'openai');

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
    # a part without text may do without its text events
    my @e = (opened(), added(message('msg_a', 'in_progress')),
             (text_part('msg_a', 0))[0, 2],
             done(message('msg_a', 'completed', output_text(''))),
             ended('completed', finished()));

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
                         ended('completed', finished()) ]);

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

    my $bytes = render(good());

    $bytes =~ s/response\.reasoning\./response.reasoning_text./g;
    passes($bytes, 'other reasoning events', flavor => 'openai');
}


# ---- what a test expects


my $ok = render(good());

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

done_testing();
