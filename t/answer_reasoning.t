#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Thoughts of a model: each way in which open_responses_reasoning shows them,
# and where they are found in a text (E57).

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
}, target => { tags => 'open_responses_chat_options think=on;' });


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

for my $at (qw( tags v1 )) {
    my ($s) = $a->answer('tags', "E57: $at", at => "/$at");

    is($s->summary, $at eq 'tags' ? 'Let me.' : '', "E57: $at: reasoning");
    like($s->text, $at eq 'tags' ? qr/\AHello\z/ : qr{</think>\s+Hello},
         "E57: $at: text");
}

$a->finish;

done_testing();
