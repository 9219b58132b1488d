#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The stream checker: each defect of the numbers and the order of events, and
# of what the deltas come to, is reported.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Sample;

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
);

defects(\&good,
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
);

defects(\&good,
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
);

defects(\&good,
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
);

defects(\&good,
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

cmp_ok(reported(), '>=', 50, reported() . ' defects');

done_testing();
