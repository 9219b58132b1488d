#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Input items as the messages that the model gets.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Adapter;

my $a = ORS::Adapter->new(conf => {
    strict => 'open_responses_strict on; open_responses_flavor openai; '
              . 'open_responses_tool fhosted /to/model;',
});


# what the model gets for the input

sub messages ($name, $input, $messages, %fields) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $sent = $a->sent($name, { input => $input, %fields });

    is_deeply($sent->{json}{messages}, $messages, "$name: messages");
}


sub refused ($name, $input, @expect) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    $a->refuses($name, { input => $input }, @expect);
}


sub message ($role, $content, %o) {
    return { type => 'message', role => $role, content => $content, %o };
}


sub text ($text) { return { type => 'input_text', text => $text } }
sub said ($text) { return { type => 'output_text', text => $text } }


sub call ($id, $arguments = '{}') {
    return { type => 'function_call', call_id => $id, name => "f$id",
             arguments => $arguments };
}


sub output ($id, $output = "out $id") {
    return { type => 'function_call_output', call_id => $id,
             output => $output };
}


# the same on the other side

sub assistant ($content, @ids) {
    return { role => 'assistant', content => $content,
             @ids ? (tool_calls => [ map { tool_call($_) } @ids ]) : () };
}


sub tool_call ($id, $arguments = '{}') {
    return { id => $id, type => 'function',
             function => { name => "f$id", arguments => $arguments } };
}


sub tool ($id, $content = "out $id") {
    return { role => 'tool', tool_call_id => $id, content => $content };
}


sub user ($content) { return { role => 'user', content => $content } }
sub system_ ($content) { return { role => 'system', content => $content } }


# texts

messages('a string', "Hi \x{20ac}\n\"x\"", [ user("Hi \x{20ac}\n\"x\"") ]);
messages('instructions', 'Hi', [ system_('Be brief.'), user('Hi') ],
         instructions => 'Be brief.');
messages('empty instructions', 'Hi', [ user('Hi') ], instructions => '');
messages('instructions null', 'Hi', [ user('Hi') ], instructions => undef);

messages('E13: roles',
         [ message('system', 'S'), message('developer', 'D'),
           message('user', 'U'), message('assistant', 'A'),
           message('user', 'V') ],
         [ system_('I'), system_('S'), system_('D'), user('U'),
           assistant('A'), user('V') ], instructions => 'I');

messages('E19: the last message is incomplete',
         [ message('user', 'Hi'),
           message('assistant', [ said('Well') ], status => 'incomplete') ],
         [ user('Hi'), assistant('Well') ]);

messages('a message without a type',
         [ { role => 'user', content => 'Hi' } ], [ user('Hi') ]);
messages('id, status and phase are not sent',
         [ message('user', 'Hi', id => 'msg_1', status => 'completed'),
           message('assistant', 'Ho', id => 'msg_2', status => 'completed',
                   phase => 'final_answer') ],
         [ user('Hi'), assistant('Ho') ]);

messages('parts of texts',
         [ message('system', [ text('a'), text('b') ]),
           message('developer', [ text('c') ]),
           message('user', [ text('one') ]),
           message('assistant', [ said('d'), said('e') ]),
           message('user', [ text('f'), text('g') ]) ],
         [ system_("a\nb"), system_('c'), user('one'), assistant("d\ne"),
           user([ { type => 'text', text => 'f' },
                  { type => 'text', text => 'g' } ]) ]);

messages('no parts',
         [ message('user', []), message('assistant', []),
           message('user', 'Hi') ],
         [ user(''), assistant(''), user('Hi') ]);

messages('a refusal',
         [ message('user', 'Hi'),
           message('assistant', [ { type => 'refusal', refusal => 'No.' } ]),
           message('assistant', [ said('Well'),
                                  { type => 'refusal', refusal => 'no.' } ]),
           message('user', 'Please') ],
         [ user('Hi'),
           { role => 'assistant', content => undef, refusal => 'No.' },
           { role => 'assistant', content => 'Well', refusal => 'no.' },
           user('Please') ]);


# images and files

for my $d ([ 'high', 'high' ], [ 'low', 'low' ], [ 'auto', undef ],
           [ 'original', 'high' ], [ 'huge', undef ], [ undef, undef ])
{
    my ($detail, $there) = @$d;
    my $name = 'E21: detail ' . ($detail // 'null');

    messages($name,
             [ message('user', [ text('See'),
                                 { type => 'input_image', detail => $detail,
                                   image_url => 'data:image/png;base64,AA' }
                               ]) ],
             [ user([ { type => 'text', text => 'See' },
                      { type => 'image_url', image_url => {
                            url => 'data:image/png;base64,AA',
                            defined $there ? (detail => $there) : () } } ])
             ]);
}

messages('an image alone',
         [ message('user', [ { type => 'input_image',
                               image_url => 'https://a/b.png' } ]) ],
         [ user([ { type => 'image_url',
                    image_url => { url => 'https://a/b.png' } } ]) ]);

messages('E22: a file',
         [ message('user', [ { type => 'input_file', filename => 'a.pdf',
                               file_data => 'data:application/pdf;base64,AA' },
                             { type => 'input_file', file_url => undef,
                               file_data => 'data:text/plain;base64,BB' } ]) ],
         [ user([ { type => 'file', file => {
                        filename => 'a.pdf',
                        file_data => 'data:application/pdf;base64,AA' } },
                  { type => 'file', file => {
                        file_data => 'data:text/plain;base64,BB' } } ]) ]);

refused('E20: an image of a stored file',
        [ message('user', [ text('See'), { type => 'input_image',
                                           file_id => 'file-1' } ]) ],
        'input[0].content[1]', message => qr/image_url/);
refused('E20: an image without anything',
        [ message('user', [ { type => 'input_image',
                              image_url => undef } ]) ],
        'input[0].content[0]');
refused('E22: a file by its address',
        [ message('user', 'Hi'),
          message('user', [ { type => 'input_file',
                              file_url => 'https://a/b.pdf' } ]) ],
        'input[1].content[0]', message => qr/file_data/);
refused('an image in a system message',
        [ message('system', [ text('a'), { type => 'input_image',
                                           image_url => 'data:,' } ]) ],
        'input[0].content[1].type');
refused('a video',
        [ call('A'), output('A', [ { type => 'input_video',
                                     video_url => 'https://a/b' } ]) ],
        'input[1].output[0]');


# calls and their outputs

messages('E1: parallel calls',
         [ message('user', 'Go'), call('A'), call('B'), output('A'),
           output('B'), message('user', 'On') ],
         [ user('Go'), assistant(undef, 'A', 'B'), tool('A'), tool('B'),
           user('On') ]);
messages('E1: outputs in another order',
         [ call('A'), call('B'), output('B'), output('A') ],
         [ assistant(undef, 'A', 'B'), tool('A'), tool('B') ]);
messages('E1: calls one after the other',
         [ call('A'), output('A'), call('B'), output('B') ],
         [ assistant(undef, 'A'), tool('A'), assistant(undef, 'B'),
           tool('B') ]);

messages('E2: text and calls of one turn',
         [ message('user', 'Go'), message('assistant', [ said('I look') ]),
           call('A'), call('B'), output('A'), output('B') ],
         [ user('Go'), assistant('I look', 'A', 'B'), tool('A'),
           tool('B') ]);
messages('E2: a turn of two messages',
         [ message('assistant', 'One'), message('assistant', 'Two'),
           call('A'), output('A') ],
         [ assistant('One'), assistant('Two', 'A'), tool('A') ]);

messages('E3: a user message between call and output',
         [ call('A'), message('user', 'Wait'), output('A') ],
         [ assistant(undef, 'A'), tool('A'), user('Wait') ]);
messages('E3: an assistant message between call and output',
         [ call('A'), message('assistant', 'Wait'), output('A') ],
         [ assistant(undef, 'A'), tool('A'), assistant('Wait') ]);
messages('E3: a message between outputs',
         [ call('A'), call('B'), output('A'), message('user', 'And'),
           output('B'), message('user', 'End') ],
         [ assistant(undef, 'A', 'B'), tool('A'), tool('B'), user('And'),
           user('End') ]);
messages('E3: an output many items later',
         [ call('A'), (map { message('user', "n$_") } 1 .. 40), output('A') ],
         [ assistant(undef, 'A'), tool('A'), map { user("n$_") } 1 .. 40 ]);

for my $drop ([ 'E4', { type => 'reasoning', id => 'rs_1', summary => [
                            { type => 'summary_text', text => 'Hm' } ] } ],
              [ 'E5', { type => 'reasoning', summary => [], content => undef,
                        encrypted_content => 'not ours' } ],
              [ 'E6', { type => 'reasoning', summary => [], content => [
                            { type => 'reasoning_text', text => 'Hm' } ] } ])
{
    my ($rule, $reasoning) = @$drop;

    messages("$rule: reasoning in a turn",
             [ message('user', 'Go'), $reasoning, $reasoning,
               message('assistant', 'I look'), $reasoning, call('A'),
               $reasoning, call('B'), output('A'), $reasoning, output('B'),
               $reasoning, message('user', 'On') ],
             [ user('Go'), assistant('I look', 'A', 'B'), tool('A'),
               tool('B'), user('On') ]);
}

messages('E8: empty arguments', [ call('A', ''), output('A') ],
         [ assistant(undef, 'A'), tool('A') ]);

for my $arguments ('{"a":', 'no JSON', '{"a":"\u00e9\\n"}', '[1, 2]') {
    messages("E8: arguments $arguments stay",
             [ call('A', $arguments), output('A') ],
             [ { role => 'assistant', content => undef,
                 tool_calls => [ tool_call('A', $arguments) ] },
               tool('A') ]);
}

messages('E9: output of parts',
         [ call('A'), output('A', [ text('one'), text('two') ]) ],
         [ assistant(undef, 'A'), tool('A', "one\ntwo") ]);
messages('E9: output of no parts', [ call('A'), output('A', []) ],
         [ assistant(undef, 'A'), tool('A', '(no output)') ]);
messages('E9: output of empty parts',
         [ call('A'), output('A', [ text('') ]) ],
         [ assistant(undef, 'A'), tool('A', '(no output)') ]);
messages('E9: images in outputs follow all of them',
         [ call('A'), call('B'),
           output('A', [ text('see'), { type => 'input_image',
                                        image_url => 'data:,a',
                                        detail => 'low' } ]),
           output('B', [ { type => 'input_image', image_url => 'data:,b' },
                         { type => 'input_file', filename => 'c',
                           file_data => 'data:,c' } ]),
           message('user', 'On') ],
         [ assistant(undef, 'A', 'B'), tool('A', 'see'),
           tool('B', '(attached below)'),
           user([ { type => 'image_url',
                    image_url => { url => 'data:,a', detail => 'low' } },
                  { type => 'image_url', image_url => { url => 'data:,b' } },
                  { type => 'file', file => { filename => 'c',
                                              file_data => 'data:,c' } } ]),
           user('On') ]);
messages('E10: a string that is JSON stays as it is',
         [ call('A'), output('A', '[{"type":"text","text":"x"}]') ],
         [ assistant(undef, 'A'),
           tool('A', '[{"type":"text","text":"x"}]') ]);

refused('E11: an output without its call',
        [ message('user', 'Hi'), output('A') ], 'input[1].call_id',
        code => 'unknown_call_id');
refused('E11: an output before its call', [ output('A'), call('A') ],
        'input[0].call_id', code => 'unknown_call_id');
refused('E11: an output of another call',
        [ (map { call("c$_") } 1 .. 40), output('c0') ],
        'input[40].call_id', code => 'unknown_call_id');
refused('E12: two outputs of a call',
        [ call('A'), output('A'), message('user', 'x'), output('A') ],
        'input[3].call_id', code => 'duplicate_call_id');
refused('E12: two outputs of an early call',
        [ (map { call("c$_") } 1 .. 40), output('c1'), output('c1') ],
        'input[41].call_id', code => 'duplicate_call_id');

messages('E12: an id that is used again',
         [ call('A'), output('A', 'one'), call('A'), output('A', 'two') ],
         [ assistant(undef, 'A'), tool('A', 'one'), assistant(undef, 'A'),
           tool('A', 'two') ]);

# calls that have no output: in a strict profile a mistake

for my $case ([ 'function call A', call('A'), message('user', 'x'), call('B'),
                output('B') ],
              [ 'custom tool call c1, c2, c3, c4, c5 and 2 more',
                map { { type => 'custom_tool_call', call_id => "c$_",
                        name => 'f', input => '' } } 1 .. 7 ])
{
    my ($what, @input) = @$case;

    $a->refuses("no output: $what", { input => \@input }, 'input',
                at => '/strict', code => 'missing_call_output',
                message => "No tool output found for $what.");
}

is_deeply($a->sent('calls that need no output', { input => [
              { %{ call('A') }, status => 'incomplete' }, call('hosted'),
              message('user', 'x') ] }, at => '/strict',
              flavor => 'openai')->{json}{messages},
          [ assistant(undef, 'A', 'hosted'), user('x') ],
          'not complete, or of a tool that runs here');

messages('a call without its output, where not strict',
         [ call('A'), message('user', 'x') ],
         [ assistant(undef, 'A'), user('x') ]);


# what there is nothing for

refused('E18: no input', '', 'input');
refused('E18: no items', [], 'input');
refused('only reasoning', [ { type => 'reasoning', summary => [] } ],
        'input');
refused('an item of the future', [ { type => 'dream' } ], 'input[0].type',
        code => 'unsupported_item');
refused('compaction', [ message('user', 'Hi'), { type => 'compaction',
                        encrypted_content => 'AA' } ], 'input[1]',
        code => 'unsupported_item');
refused('a reference', [ { id => 'msg_1' } ], 'input[0]',
        code => 'unsupported_item');
refused('a role that is none', [ message('tool', 'x') ], 'input[0].role');
refused('an output that is an object', [ call('A'), output('A', {}) ],
        'input[1].output');
refused('a name with a blank',
        [ { %{ call('A') }, name => 'a b' }, output('A') ],
        'input[0].name');

$a->finish;

done_testing();
