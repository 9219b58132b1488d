#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# stream_options.include_obfuscation: deltas whose length tells nothing.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Adapter;
use ORS::JSON qw( json_true json_false );
use ORS::Model qw( :all );

my @words = ('a', 'b' x 16, "\x{e9}\n\"\\", 'c' x 63, 'd' x 64, 'e' x 5000);
my @calls = ({ id => 'call_1', name => 'f', arguments => [ '{"a":',
                                                           '"b"}' ] },
             { id => 'call_2', name => 'g', arguments => [ '{}' ] });
my @tokens = map { { token => $_, logprob => -0.5, bytes => undef } }
             qw( a bc );

my %scripts = (
    all => stream_script(reasoning => [ 'Let ', 'me.' ], text => \@words,
                         tool_calls => \@calls),
    json => json_script(chat_reply(content => 'Hello', reasoning => 'Hm')),
    refusal => stream_script(refusal => [ 'No', '!' ]),
    custom => stream_script(tool_calls => [
        { id => 'call_1', name => 'c', arguments => [ '{"input":"a', 'b"}' ]
        } ]),
    probs => [ sse_head(),
               (map { [ sse => chat_chunk(content => $_->{token}, extra => {
                   choices => [ { index => 0,
                                  delta => { content => $_->{token} },
                                  logprobs => { content => [ $_ ] } } ]
               }) ] } @tokens),
               [ sse => chat_chunk(finish => 'stop') ], [ 'done' ] ],
);

my $a = ORS::Adapter->new(scripts => \%scripts, conf => {
    spec => 'open_responses_strict on;',
    content => 'open_responses_reasoning content;',
    openai => 'open_responses_flavor openai; open_responses_strict on;'
              . 'open_responses_reasoning content;',
});

my @tools = map { { type => 'function', name => $_ } } qw( f g );
my %asked = (stream_options => { include_obfuscation => json_true });


# each delta there is, and nothing else is changed

for my $at (qw( v1 spec content openai )) {
    my @o = (at => "/$at", flavor => $at eq 'openai' ? 'openai' : 'spec');
    my $body = { tools => \@tools,
                 input => [ { type => 'message', role => 'user',
                              content => 'hi' } ] };

    for my $script (qw( all json )) {
        my $name = "$at: $script";
        my ($padded) = $a->answer($script, $name, @o, padded => 1,
                                  body => { %$body, %asked });
        my ($s) = $a->answer($script, "$name: not asked for", @o,
                             padded => 0, body => $body);

        is_deeply([ $padded->types ], [ $s->types ], "$name: same events");
        is($padded->text, $s->text, "$name: same text");
    }
}

# whom it is not for

for my $case ([ 'false', { include_obfuscation => json_false } ],
              [ 'null', { include_obfuscation => undef } ],
              [ 'empty', {} ], [ 'no options', undef ])
{
    my ($name, $options) = @$case;

    $a->answer('all', $name, padded => 0,
               body => { tools => \@tools, stream_options => $options });
}

# a refusal has a place for it only with the flavor

$a->answer('refusal', 'refusal', body => \%asked, padded => 1);
$a->answer('refusal', 'refusal, flavor openai', body => \%asked, padded => 1,
           at => '/openai', flavor => 'openai');

$a->answer('custom', 'input of a custom tool', padded => 1, at => '/openai',
           flavor => 'openai',
           body => { %asked, tools => [ { type => 'custom',
                                          name => 'c' } ] });

# logprobs tell the words, too

{
    my ($s) = $a->answer('probs', 'logprobs', padded => 1, body => {
        %asked, include => [ 'message.output_text.logprobs' ] });

    is(scalar(map { @{ $_->{data}{logprobs} } }
              grep { $_->{type} eq 'response.output_text.delta' }
              @{ $s->events }), 2, 'logprobs: they are there');
}

# it is nothing for the model

{
    my $sent = $a->sent('sent', { input => 'hi', %asked });

    ok(!exists $sent->{json}{stream_options}, 'the model is not asked');
}

$a->finish;

done_testing();
