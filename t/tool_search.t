#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The client's search for tools: a function to the model, tool_search_call
# items to the client, and what was found is offered from then on.  Other forms
# are in t/unit/chat/chat_tools_test.c and t/unit/turn/turn_search_test.c.

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


my @at = (at => '/strict', flavor => 'openai');
my $sent = $a->sent('a search', {
    input => [ $USER ], tools => [ $SEARCH ],
    tool_choice => { type => 'tool_search' } },
    at => '/openai', flavor => 'openai')->{json};

is_deeply($sent->{tools}, [ { type => 'function', function => {
    name => 'tool_search', description => 'Finds tools',
    parameters => $SEARCH->{parameters} } } ],
    'a search: what the model is offered');
is_deeply($sent->{tool_choice}, { type => 'function', function => {
    name => 'tool_search' } }, 'a search: what it must call');

my ($s, $d) = $a->answer('asks', 'a call', @at, body => {
    input => [ $USER ], tools => [ $SEARCH ] });

is_deeply(nameless($s->items), [ {
    type => 'tool_search_call', id => 'tsc', status => 'completed',
    call_id => 's', execution => 'client',
    arguments => { query => 'files' } } ], 'a call: the item');
is_deeply([ grep { /output_item|arguments/ } $s->types ],
          [ 'response.output_item.added', 'response.output_item.done' ],
          'a call: its events');
is_deeply($d->response->{tools}, [ $SEARCH ], 'a call: the echo');

($s) = $a->answer('babbles', 'no JSON', @at, body => {
    input => [ $USER ], tools => [ $SEARCH ] });
is($s->items->[0]{arguments}, 'files, "please"', 'no JSON: a text');

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

$sent = $a->sent('what is found', \%next, @at)->{json};

is_deeply($sent->{messages}, [
    { role => 'user', content => 'Go' },
    { role => 'assistant', content => undef, tool_calls => [ {
        id => 's', type => 'function', function => {
            name => 'tool_search', arguments => '{"query":"files"}',
        } } ] },
    { role => 'tool', tool_call_id => 's',
      content => '{"tools":["files__read","f"]}' },
], 'what is found: messages');
is_deeply([ map { $_->{function}{name} } $sent->{tools}->@* ],
          [ qw( tool_search files__read f ) ],
          'what is found: is offered');

($s) = $a->answer('found', 'what was found', @at, body => \%next);
is_deeply([ @{ $s->items->[0] }{qw( type namespace name )} ],
          [ 'function_call', 'files', 'read' ],
          'what was found: is called');


# one that the server is to make is a tool like others of its kind

$a->refuses('hosted, refused', { input => [ $USER ], tools => [
                $SEARCH, { type => 'tool_search', execution => 'server' } ] },
            'tools[1].type', at => '/refusing', code => 'unsupported_value');
$a->refuses('found, refused', { input => [
                $USER, { type => 'tool_search_output', tools => [
                    { type => 'web_search' } ] } ] },
            'input[1].tools[0].type', at => '/refusing',
            code => 'unsupported_value');

$a->finish;

done_testing();
