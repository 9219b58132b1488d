#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The client's search for tools: a function to the model, tool_search_call
# items to the client, and what was found is offered from then on.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Adapter qw( nameless );
use ORS::JSON qw( json_false json_true );
use ORS::Model qw( :all );

my $SEARCH = { type => 'tool_search', execution => 'client',
               description => 'Finds tools', parameters => {
                   type => 'object', required => [ 'query' ],
                   properties => { query => { type => 'string' } } } };
my $USER = { type => 'message', role => 'user', content => 'Go' };


# the model asks for it in pieces

sub asks (@pieces) {
    my $n = 0;

    return [ sse_head(),
             [ sse => chat_chunk(tool_calls => [ {
                 index => 0, id => 's', type => 'function',
                 function => { name => 'tool_search', arguments => '' } } ]) ],
             (map { [ sse => chat_chunk(tool_calls => [ {
                 index => 0, function => { arguments => $_ } } ]) ] }
              @pieces),
             [ sse => chat_chunk(finish => 'tool_calls') ], [ 'done' ] ];
}


my $a = ORS::Adapter->new(
    conf => {
        openai => 'open_responses_flavor openai;',
        strict => 'open_responses_flavor openai; open_responses_strict on;',
        refusing => 'open_responses_flavor openai;'
                    . 'open_responses_target default /to/refuses;',
    },
    target => { refuses => 'open_responses_tool_type default reject;' },
    scripts => {
        asks => asks('{"que', "ry\":\n\"files\"", '}'),
        babbles => asks('files, ', '"please"'),
        found => [ sse_head(), [ sse => chat_chunk(tool_calls => [ {
            index => 0, id => 'r', type => 'function', function => {
                name => 'files__read', arguments => '{}' } } ]) ],
            [ sse => chat_chunk(finish => 'tool_calls') ], [ 'done' ] ],
    });


for my $at (qw( openai strict )) {
    my @at = (at => "/$at", flavor => 'openai');
    my $sent = $a->sent("a search, $at", {
        input => [ $USER ], tools => [ $SEARCH ],
        tool_choice => { type => 'tool_search' } },
        at => '/openai', flavor => 'openai')->{json};

    is_deeply($sent->{tools}, [ { type => 'function', function => {
        name => 'tool_search', description => 'Finds tools',
        parameters => $SEARCH->{parameters} } } ],
        "a search, $at: what the model is offered");
    is_deeply($sent->{tool_choice}, { type => 'function', function => {
        name => 'tool_search' } }, "a search, $at: what it must call");

    my ($s, $d) = $a->answer('asks', "a call, $at", @at, body => {
        input => [ $USER ], tools => [ $SEARCH ] });

    is_deeply(nameless($s->items), [ {
        type => 'tool_search_call', id => 'tsc', status => 'completed',
        call_id => 's', execution => 'client',
        arguments => { query => 'files' } } ], "a call, $at: the item");
    is_deeply([ grep { /output_item|arguments/ } $s->types ],
              [ 'response.output_item.added', 'response.output_item.done' ],
              "a call, $at: its events");
    is_deeply($d->response->{tools}, [ $SEARCH ], "a call, $at: the echo");

    ($s) = $a->answer('babbles', "no JSON, $at", @at, body => {
        input => [ $USER ], tools => [ $SEARCH ] });
    is($s->items->[0]{arguments}, 'files, "please"', "no JSON, $at: a text");

    # the next round, as Codex sends it

    my $call = { %{ $d->response->{output}[0] } };
    my $FILES = { type => 'namespace', name => 'files', description => 'F',
                  tools => [ { type => 'function', name => 'read',
                               defer_loading => json_true,
                               parameters => { a => 1 } } ] };
    my %next = (tools => [ $SEARCH ], input => [
        $USER, $call,
        { type => 'tool_search_output', call_id => 's', status => 'completed',
          execution => 'client', tools => [
              $FILES, { type => 'function', name => 'f', parameters => {} },
              { type => 'web_search' } ] },
    ]);

    $sent = $a->sent("what is found, $at", \%next, @at)->{json};

    is_deeply($sent->{messages}, [
        { role => 'user', content => 'Go' },
        { role => 'assistant', content => undef, tool_calls => [ {
            id => 's', type => 'function', function => {
                name => 'tool_search', arguments => '{"query":"files"}',
            } } ] },
        { role => 'tool', tool_call_id => 's',
          content => '{"tools":["files__read","f"]}' },
    ], "what is found, $at: messages");
    is_deeply([ map { $_->{function}{name} } $sent->{tools}->@* ],
              [ qw( tool_search files__read f ) ],
              "what is found, $at: is offered");

    ($s) = $a->answer('found', "what was found, $at", @at, body => \%next);
    is_deeply([ @{ $s->items->[0] }{qw( type namespace name )} ],
              [ 'function_call', 'files', 'read' ],
              "what was found, $at: is called");
}


# with a message, another call and an image between

my $sent = $a->sent('E1: beside another call', { input => [
    $USER, { type => 'message', role => 'assistant', content => 'Well' },
    { type => 'tool_search_call', call_id => 's', arguments => {} },
    { type => 'function_call', call_id => 'f', name => 'f',
      arguments => '{}' },
    { type => 'function_call_output', call_id => 'f', output => [
        { type => 'input_image', image_url => 'data:,' } ] },
    { type => 'tool_search_output', call_id => 's', tools => [] },
] }, at => '/openai', flavor => 'openai')->{json}{messages};

is_deeply([ map { $_->{role} } @$sent ],
          [ qw( user assistant tool tool user ) ],
          'E1: beside another call: messages');
is_deeply([ map { $_->{function}{name} } $sent->[1]{tool_calls}->@* ],
          [ qw( tool_search f ) ], 'E1: beside another call: calls');
is($sent->[2]{content}, '{"tools":[]}',
   'E1: beside another call: nothing was found');


# a search that another server made

is_deeply($a->sent('of another server', { input => [
    $USER, { type => 'tool_search_call', execution => 'server',
             call_id => undef, arguments => { paths => [ 'f' ] } },
    { type => 'tool_search_output', execution => 'server', call_id => undef,
      tools => [ { type => 'function', name => 'f', parameters => {} } ] },
] }, at => '/openai', flavor => 'openai')->{json},
    { model => 'm', messages => [ { role => 'user', content => 'Go' } ],
      tools => [ { type => 'function',
                   function => { name => 'f', parameters => {} } } ] },
    'of another server: its tools');


# one that the server is to make is a tool like others of its kind

is_deeply($a->sent('hosted', {
    input => [ $USER ], tools => [ { type => 'tool_search' } ] },
    at => '/strict', flavor => 'openai')->{json}{tools}, undef,
    'hosted: it is left out');
$a->refuses('hosted, refused', { input => [ $USER ], tools => [
                $SEARCH, { type => 'tool_search', execution => 'server' } ] },
            'tools[1].type', at => '/refusing', code => 'unsupported_value');
$a->refuses('found, refused', { input => [
                $USER, { type => 'tool_search_output', tools => [
                    { type => 'web_search' } ] } ] },
            'input[1].tools[0].type', at => '/refusing',
            code => 'unsupported_value');
$a->refuses('E11: an output without its call', { input => [
                $USER, { type => 'tool_search_output', call_id => 's',
                         tools => [] } ] },
            'input[1].call_id', at => '/strict', code => 'unknown_call_id');

$a->finish;

done_testing();
