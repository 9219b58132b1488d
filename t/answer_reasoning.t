#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# What a model thinks: each way in which open_responses_reasoning shows it,
# where it is found in a text (E57), and how it is sent back (E4).

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Adapter;
use ORS::Model qw( :all );

my %scripts = (
    think => stream_script(reasoning => [ 'Let ', 'me.' ],
                           text => [ 'Hel', 'lo' ]),
    json => json_script(chat_reply(reasoning => 'Let me.',
                                   content => 'Hello')),
    only => stream_script(reasoning => [ 'Let ', 'me.' ]),
    tags => stream_script(text => [ '<th', 'ink>Let ', 'me.</', 'think>',
                                    "\n\nHel", 'lo' ]),
    'tags-json' => json_script(chat_reply(
        content => "<think>Let me.</think>\n\nHello")),
    closed => stream_script(text => [ "\nLet ", "me.</thi", "nk>\nHel",
                                      'lo' ]),
    'closed-json' => json_script(chat_reply(
        content => "Let me.</think>\n\nHello")),
    open => stream_script(text => [ '<think>Let ', 'me.' ]),
    'open-json' => json_script(chat_reply(content => '<think>Let me.')),
);

my $openai = 'open_responses_flavor openai; open_responses_reasoning';

my $a = ORS::Adapter->new(scripts => \%scripts, conf => {
    auto => 'open_responses_reasoning auto;',
    summary => 'open_responses_reasoning summary;',
    content => 'open_responses_reasoning content;',
    off => 'open_responses_reasoning off;',
    'openai-auto' => "$openai auto;",
    'openai-content' => "$openai content;",
    'openai-off' => "$openai off;",
}, target => {
    tags => 'open_responses_chat_options think=on;',
    opened => 'open_responses_chat_options think=open;',
    again => 'open_responses_chat_options reasoning=reasoning_content;',
    plain => 'open_responses_chat_options reasoning=reasoning;',
});


# types of the events of a part's text, by the location

my %told = (
    v1 => 'reasoning_summary_text', auto => 'reasoning_summary_text',
    summary => 'reasoning_summary_text', content => 'reasoning',
    'openai-auto' => 'reasoning_summary_text',
    'openai-content' => 'reasoning_text',
);

for my $at (sort keys %told) {
    my @o = (at => "/$at", $at =~ /openai/ ? (flavor => 'openai') : ());
    my ($list, $other) = $at =~ /content/ ? qw( reasoning summary )
                                          : qw( summary reasoning );

    for my $script (qw( think json )) {
        my $name = "$at: $script";
        my ($s) = $a->answer($script, $name, @o);

        is($s->$list, 'Let me.', "$name: $list");
        is($s->$other, '', "$name: no $other");
        is($s->text, 'Hello', "$name: text");
    }

    my ($s) = $a->answer('think', "$at: events", @o);
    my %count;

    $count{$_}++ for grep { /reasoning/ } $s->types;

    delete $count{"response.reasoning_summary_part.$_"} for qw( added done );

    is_deeply(\%count, { "response.$told{$at}.delta" => 2,
                         "response.$told{$at}.done" => 1 },
              "$at: events of reasoning");
    is_deeply([ $s->deltas("response.$told{$at}.delta") ],
              [ 'Let ', 'me.' ], "$at: deltas");
}


# a summary that was asked for, and one that was not

for my $case ([ 'asked for', { summary => 'auto' } ],
              [ 'null', { summary => undef } ],
              [ 'not asked for', { effort => 'low' } ])
{
    my ($name, $reasoning) = @$case;
    my ($s) = $a->answer('think', "auto: $name", at => '/auto',
                         body => { reasoning => $reasoning });

    is($s->summary, 'Let me.', "auto: $name: a summary");
}


# not at all

for my $at (qw( off openai-off )) {
    my @o = (at => "/$at", $at =~ /openai/ ? (flavor => 'openai') : ());

    for my $script (qw( think json )) {
        my ($s) = $a->answer($script, "$at: $script", @o);

        is_deeply([ map { $_->{type} } @{ $s->items } ], [ 'message' ],
                  "$at: $script: items");
        is($s->text, 'Hello', "$at: $script: text");
        is(scalar(grep { /reasoning/ } $s->types), 0,
           "$at: $script: no events");
    }

    my ($s) = $a->answer('only', "$at: only", @o);

    is_deeply([ map { $_->{type} } @{ $s->items } ], [ 'message' ],
              "$at: only: an empty message");
    is($s->text, '', "$at: only: no text");
}

# E57: between tags in the text, if the operator says so

for my $form ('', '-json') {
    for my $case ([ tags => 'tags', 'Let me.', 'Hello' ],
                  [ tags => 'closed', '', undef ],
                  [ tags => 'open', 'Let me.', '' ],
                  [ opened => 'tags', 'Let me.', 'Hello' ],
                  [ opened => 'closed', 'Let me.', 'Hello' ],
                  [ opened => 'open', 'Let me.', '' ],
                  [ v1 => 'tags', '', undef ])
    {
        my ($at, $script, $summary, $text) = @$case;
        my $name = "E57: $at: $script$form";
        my ($s) = $a->answer("$script$form", $name, at => "/$at");

        is($s->summary, $summary, "$name: reasoning");
        is($s->text, $text, "$name: text") if defined $text;
        like($s->text, qr{</think>\s+Hello}, "$name: the tag is text")
            if !defined $text;
    }
}

{
    my ($s) = $a->answer('tags', 'E57: pieces', at => '/tags');

    is_deeply([ $s->deltas('response.reasoning_summary_text.delta') ],
              [ 'Let ', 'me.' ], 'E57: deltas of reasoning');
    is_deeply([ $s->deltas ], [ 'Hel', 'lo' ], 'E57: deltas of text');
}

# E4, E5, E6: what is sent back, as the server wants it

my $call = { type => 'function_call', call_id => 'c', name => 'f',
             arguments => '{}' };
my @turn = (
    { type => 'reasoning', id => 'rs_1', encrypted_content => 'x',
      summary => [ { type => 'summary_text', text => 'Let me.' } ] },
    { type => 'reasoning', id => 'rs_2', summary => [],
      content => [ { type => 'reasoning_text', text => 'Let me.' } ] },
    { type => 'reasoning', summary => [], encrypted_content => 'x' },
    { role => 'assistant', content => 'Look' }, $call,
    { type => 'function_call_output', call_id => 'c', output => 'o' });

for my $case ([ again => reasoning_content => 'Let me.' ],
              [ plain => reasoning => 'Let me.' ], [ 'v1' ])
{
    my ($at, @member) = @$case;
    my $sent = $a->sent("E4: $at", { input => \@turn }, at => "/$at");

    is_deeply($sent->{json}{messages},
              [ { role => 'assistant', content => 'Look', @member,
                  tool_calls => [ { id => 'c', type => 'function',
                                    function => { name => 'f',
                                                  arguments => '{}' } } ] },
                { role => 'tool', content => 'o', tool_call_id => 'c' } ],
              "E4: $at: one message");
}

$a->finish;

done_testing();
