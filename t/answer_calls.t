#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Tool calls of a model, in all the ways that servers send them.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Adapter qw( nameless );
use ORS::Model qw( :all );
use ORS::Stream qw( stream_ok );

my (%scripts, @cases);


# one piece of one call as it is on the wire; what is undef is null

sub piece ($index, $id, $name, $arguments, %o) {
    my %function = (defined $name ? (name => $name) : (),
                    defined $arguments ? (arguments => $arguments) : ());

    return { defined $index ? (index => $index) : (),
             defined $id ? (id => $id) : (), type => 'function',
             function => \%function, %o };
}


# a stream of such pieces: a list in one chunk, or one a chunk

sub stream (@chunks) {
    my $finish = ref $chunks[-1] ? 'tool_calls' : pop @chunks;

    return [ sse_head(), [ sse => chat_chunk(role => 'assistant') ],
             (map { [ sse => ref $_ eq 'HASH' && $_->{choices} ? $_
                      : chat_chunk(tool_calls =>
                                   ref $_ eq 'ARRAY' ? $_ : [ $_ ]) ] }
              @chunks),
             [ sse => chat_chunk(finish => $finish) ], [ 'done' ] ];
}


# what is to come out: "call" stands for an id of ours

sub call ($id, $name, $arguments, $status = 'completed') {
    return { type => 'function_call', id => 'fc', status => $status,
             call_id => $id, name => $name, arguments => $arguments };
}


sub message ($text) {
    return { type => 'message', id => 'msg', status => 'completed',
             role => 'assistant', content => [ {
                 type => 'output_text', text => $text, annotations => [],
                 logprobs => [] } ] };
}


sub case ($name, $script, @items) {
    $scripts{$name} = $script;
    push @cases, [ $name, \@items ];
}


sub calls_json ($finish, @calls) {
    return json_script(chat_reply(finish => $finish,
                                  message => { tool_calls => \@calls }));
}


my ($a, $b) = (call('a', 'f', '{"x":1}'), call('b', 'g', '{"y":2}'));


# one call

case('E42: one call in pieces',
     stream(piece(0, 'a', 'f', ''), piece(0, undef, undef, '{"x'),
            piece(0, undef, undef, '":1}')), $a);
case('E42: empty strings do not erase',
     stream(piece(0, 'a', 'f', ''), piece(0, '', '', '{"x":'),
            piece(0, '', '', '1}')), $a);
case('E42: nulls do not erase',
     stream(piece(0, 'a', 'f', ''),
            { index => 0, id => undef, type => undef,
              function => { name => undef, arguments => '{"x":1}' } },
            { index => 0, function => { name => undef,
                                        arguments => undef } }), $a);
case('E42: the id again and again',
     stream(piece(0, 'a', 'f', ''), piece(0, '', '', '{"x"'),
            piece(0, 'a', undef, ':1'), piece(0, 'a', undef, '}')), $a);
case('E42: id and name again and again',
     stream(piece(0, 'a', 'f', '{"x"'), piece(0, 'a', 'f', ':1'),
            piece(0, 'a', 'f', '}')), $a);
case('E42: all at once', stream(piece(0, 'a', 'f', '{"x":1}')), $a);
case('E42: a document', calls_json(tool_calls => piece(0, 'a', 'f',
                                                       '{"x":1}')), $a);
case('E42: no index in a document',
     calls_json(tool_calls => piece(undef, 'a', 'f', '{"x":1}')), $a);

case('E43: the name last',
     stream(piece(0, 'a', undef, '{"x":'), piece(0, undef, undef, '1}'),
            piece(0, undef, 'f', '')), $a);
case('E43: the name in the middle',
     stream(piece(0, 'a', undef, '{"x":'), piece(0, undef, 'f', undef),
            piece(0, undef, undef, '1}')), $a);
case('E43: the id last',
     stream(piece(0, undef, 'f', '{"x":'), piece(0, undef, undef, '1}'),
            piece(0, 'a', undef, '')), $a);
case('E43: no id', stream(piece(0, undef, 'f', '{"x":'),
                          piece(0, '', '', '1}')),
     call('call', 'f', '{"x":1}'));
case('E43: no id in a document',
     calls_json(tool_calls => piece(0, undef, 'f', '{"x":1}')),
     call('call', 'f', '{"x":1}'));
case('E43: two without ids',
     stream(piece(0, '', 'f', '{"x":1}'), piece(1, undef, 'g', '{"y":2}')),
     call('call', 'f', '{"x":1}'), call('call', 'g', '{"y":2}'));

for my $id ('n' x 64, 'functions.f:0', 'call|x y') {
    case("C19: the id $id", stream(piece(0, $id, 'f', '{"x":1}')),
         call($id, 'f', '{"x":1}'));
}

case('C19: an id that is too long',
     stream(piece(0, 'n' x 65, 'f', '{"x":'), piece(0, 'n' x 65, '', '1}')),
     call('call', 'f', '{"x":1}'));
case('C19: one in a document',
     calls_json(tool_calls => piece(0, 'n' x 300, 'f', '{"x":1}')),
     call('call', 'f', '{"x":1}'));
case('two calls with one id',
     stream(piece(0, 'a', 'f', '{"x":1}'), piece(1, 'a', 'g', '{"y":2}')),
     $a, call('call', 'g', '{"y":2}'));
case('two calls with one id in a document',
     calls_json(tool_calls => piece(0, 'a', 'f', '{"x":1}'),
                piece(1, 'a', 'g', '{"y":2}')),
     $a, call('call', 'g', '{"y":2}'));

case('E43: the call of an old server has no id',
     [ sse_head(),
       (map { [ sse => '{"choices":[{"index":0,"delta":{"function_call":'
                       . "{$_}}}]}" ] }
        '"name":"f","arguments":""', '"arguments":"{\\"x\\""',
        '"name":null,"arguments":":1}"'),
       [ sse => chat_chunk(finish => 'function_call') ], [ 'done' ] ],
     call('call', 'f', '{"x":1}'));
case('E43: the call of an old server in a document',
     json_script(chat_reply(finish => 'function_call', message => {
         function_call => { name => 'f', arguments => '{"x":1}' } })),
     call('call', 'f', '{"x":1}'));

case('an id with an escape in it',
     [ sse_head(),
       [ sse => '{"choices":[{"index":0,"delta":{"tool_calls":['
                . '{"index":0,"id":"a","function":{"name":"f",'
                . '"arguments":"{\\"x\\":1}"}},'
                . '{"index":1,"id":"\u0061","function":{"name":"g",'
                . '"arguments":"{}"}}]},"finish_reason":"stop"}]}' ],
       [ 'done' ] ], $a, call('call', 'g', '{}'));

for my $name ('functions.f', 'n' x 65, 'a "b"', 'f()') {
    # a quote is two bytes
    my $there = substr $name =~ s/"/__/gr =~ s/[^\w-]/_/gr, 0, 64;

    case("C19: the name $name", stream(piece(0, 'a', $name, '{"x":1}')),
         call('a', $there, '{"x":1}'));
    case("C19: the name $name again and again",
         stream(piece(0, 'a', $name, '{"x"'), piece(0, '', $name, ':1}')),
         call('a', $there, '{"x":1}'));
    case("C19: the name $name in a document",
         calls_json(tool_calls => piece(0, 'a', $name, '{"x":1}')),
         call('a', $there, '{"x":1}'));
}

case('C19: a name of other letters',
     stream(piece(0, 'a', "\x{20ac}" x 40, '{"x":1}')),
     call('a', '_' x 64, '{"x":1}'));


# several calls

case('E44: no index',
     stream(piece(undef, 'a', 'f', '{"x":'),
            piece(undef, undef, undef, '1}'),
            piece(undef, 'b', 'g', '{"y":'), piece(undef, '', '', '2}')),
     $a, $b);
case('E44: no index, whole calls',
     stream(piece(undef, 'a', 'f', '{"x":1}'),
            piece(undef, 'b', 'g', '{"y":2}')), $a, $b);
case('E44: no index, both in one chunk',
     stream([ piece(undef, 'a', 'f', '{"x":1}'),
              piece(undef, 'b', 'g', '{"y":2}') ]), $a, $b);
case('E44: no index, ids in each piece',
     stream(piece(undef, 'a', 'f', '{"x":'), piece(undef, 'b', 'g', '{"y":'),
            piece(undef, 'a', '', '1}'), piece(undef, 'b', '', '2}')),
     $a, $b);
case('E44: index 0 for all',
     stream(piece(0, 'a', 'f', '{"x":'), piece(0, undef, undef, '1}'),
            piece(0, 'b', 'g', '{"y":'), piece(0, undef, undef, '2}')),
     $a, $b);
case('E44: index 0 for all, in one chunk',
     stream([ piece(0, 'a', 'f', '{"x":1}'), piece(0, 'b', 'g', '{"y":2}') ]),
     $a, $b);
case('E44: index 0 for all, the same function',
     stream(piece(0, 'a', 'f', '{"x":1}'), piece(0, 'b', 'f', '{"x":1}')),
     $a, call('b', 'f', '{"x":1}'));
case('E44: neither index nor ids',
     stream(piece(undef, undef, 'f', '{"x":1}'),
            piece(undef, undef, 'g', '{"y":2}')),
     call('call', 'f', '{"x":1}'), call('call', 'g', '{"y":2}'));
case('E44: indexes from 1 and with gaps',
     stream(piece(1, 'a', 'f', '{"x":1}'), piece(7, 'b', 'g', '{"y":2}')),
     $a, $b);

case('E45: an object',
     stream(piece(0, 'a', 'f', { x => 1 })), $a);
case('E45: an object in a document',
     calls_json(tool_calls => piece(0, 'a', 'f', { x => 1 })), $a);
case('E45: an object with quotes',
     stream(piece(0, 'a', 'f', { 'x"' => "\x{e9}\n" })),
     call('a', 'f', "{\"x\\\"\":\"\x{e9}\\n\"}"));
case('E45: two objects',
     stream(piece(0, 'a', 'f', { x => 1 }), piece(1, 'b', 'g', { y => 2 })),
     $a, $b);
case('E45: an empty object', stream(piece(0, 'a', 'f', {})),
     call('a', 'f', '{}'));

case('E46: one after the other',
     stream(piece(0, 'a', 'f', ''), piece(0, undef, undef, '{"x":1}'),
            piece(1, 'b', 'g', ''), piece(1, undef, undef, '{"y":2}')),
     $a, $b);
case('E46: in turns',
     stream(piece(0, 'a', 'f', ''), piece(1, 'b', 'g', ''),
            piece(0, undef, undef, '{"x"'), piece(1, undef, undef, '{"y"'),
            piece(0, undef, undef, ':1}'), piece(1, undef, undef, ':2}')),
     $a, $b);
case('E46: in turns, in one chunk each',
     stream([ piece(0, 'a', 'f', ''), piece(1, 'b', 'g', '') ],
            [ piece(0, undef, undef, '{"x"'),
              piece(1, undef, undef, '{"y":2}') ],
            [ piece(0, undef, undef, ':1}') ]), $a, $b);
case('E46: the second one first',
     stream(piece(1, 'b', 'g', '{"y":2}'), piece(0, 'a', 'f', '{"x":1}')),
     $b, $a);
case('E46: many in turns',
     stream((map { piece($_, "c$_", "f$_", '') } 0 .. 19),
            (map { piece($_, undef, undef, "{\"n\":$_") } reverse 0 .. 19),
            map { piece($_, undef, undef, '}') } 0 .. 19),
     map { call("c$_", "f$_", "{\"n\":$_}") } 0 .. 19);
case('E46: a document of two',
     calls_json(tool_calls => piece(0, 'a', 'f', '{"x":1}'),
                piece(1, 'b', 'g', '{"y":2}')), $a, $b);
case('E46: no arguments',
     stream(piece(0, 'a', 'f', ''), piece(1, 'b', 'g', '')),
     call('a', 'f', '{}'), call('b', 'g', '{}'));
case('E46: braces in strings',
     stream(piece(0, 'a', 'f', '{"x":"}'), piece(1, 'b', 'g', '{"y":'),
            piece(0, undef, undef, '\\"}"}'), piece(1, undef, undef, '2}')),
     call('a', 'f', '{"x":"}\\"}"}'), $b);

case('E47: text before calls',
     stream(chat_chunk(content => 'Look'), piece(0, 'a', 'f', '{"x":1}')),
     message('Look'), $a);
case('E47: text after calls',
     stream(piece(0, 'a', 'f', '{"x":1}'), chat_chunk(content => 'Done')),
     $a, message('Done'));
case('E47: text between calls',
     stream(piece(0, 'a', 'f', '{"x":1}'), chat_chunk(content => 'And'),
            piece(1, 'b', 'g', '{"y":2}'), chat_chunk(content => '!')),
     $a, message('And'), $b, message('!'));
case('E47: text in the middle of a call',
     stream(piece(0, 'a', 'f', '{"x":'), chat_chunk(content => 'And'),
            piece(0, undef, undef, '1}')),
     $a, message('And'));
case('E47: text and calls in one document',
     json_script(chat_reply(content => 'Look', tool_calls => [
         { id => 'a', name => 'f', arguments => '{"x":1}' } ])),
     message('Look'), $a);

case('E61: calls that are repeated',
     stream(piece(0, 'a', 'f', '{"x":1}'), piece(1, 'b', 'g', '{"y":2}'),
            { choices => [ { index => 0, message => { tool_calls => [
                piece(0, 'a', 'f', '{"x":1}'),
                piece(1, 'b', 'g', '{"y":2}') ] } } ] }), $a, $b);
case('E61: calls that come with the text that is repeated',
     stream(chat_chunk(content => 'Look'),
            { choices => [ { index => 0, message => {
                content => 'Look', tool_calls => [
                    piece(0, 'a', 'f', '{"x":1}') ] } } ] }),
     message('Look'), $a);
case('nothing that can be a call',
     stream(chat_chunk(content => 'No'), [ undef, 1, 'x', [] ],
            { index => 0, function => undef }, {}), message('No'));

case('E48: tool_calls without a call',
     stream(chat_chunk(content => 'No'), 'tool_calls'), message('No'));
case('E48: neither call nor text', stream({ choices => [] }, 'tool_calls'),
     message(''));
case('E48: tool_calls null',
     stream(chat_chunk(content => 'No', tool_calls => undef), 'tool_calls'),
     message('No'));
case('E48: tool_calls empty',
     stream(chat_chunk(content => 'No', tool_calls => []), 'stop'),
     message('No'));
case('E48: stop with calls', stream(piece(0, 'a', 'f', '{"x":1}'), 'stop'),
     $a);
case('E48: stop in a document with calls',
     calls_json(stop => piece(0, 'a', 'f', '{"x":1}')), $a);
case('E48: function_call as a reason',
     stream(piece(0, 'a', 'f', '{"x":1}'), 'function_call'), $a);

$scripts{'cut-one'} = stream(piece(0, 'a', 'f', '{"x":'), 'length');
$scripts{'cut-two'} = stream(piece(0, 'a', 'f', '{"x":1}'),
                             piece(1, 'b', 'g', '{"y'), 'length');
$scripts{'cut-first'} = stream(piece(0, 'a', 'f', '{"x":'),
                               piece(1, 'b', 'g', '{"y":2}'), 'length');
$scripts{'cut-whole'} = stream(piece(0, 'a', 'f', '{"x":1}'), 'length');
$scripts{'cut-json'} = calls_json(length => piece(0, 'a', 'f', '{"x":'));
$scripts{'cut-name'} = stream(piece(0, 'a', 'f', '{"x":1}'),
                              piece(1, 'b', undef, ''), 'length');
$scripts{'cut-filter'} = stream(piece(0, 'a', 'f', '{"x":'),
                                'content_filter');
$scripts{'no-name'} = stream(piece(0, 'a', undef, '{"x":1}'));
$scripts{'no-name-json'} = calls_json(stop => piece(0, 'a', '', '{}'));
$scripts{wait} = [ sse_head(),
    [ sse => chat_chunk(tool_calls => [ piece(0, 'a', 'f', '') ]) ],
    [ wait_file => 'go-1' ],
    [ sse => chat_chunk(tool_calls => [ piece(0, undef, undef, '{"x":') ]) ],
    [ wait_file => 'go-2' ],
    [ sse => chat_chunk(tool_calls => [ piece(0, undef, undef, '1}') ]) ],
    [ sse => chat_chunk(tool_calls => [ piece(1, 'b', 'g', '{"y"') ]) ],
    [ wait_file => 'go-3' ],
    [ sse => chat_chunk(tool_calls => [ piece(1, undef, undef, ':2}') ]) ],
    [ sse => chat_chunk(finish => 'tool_calls') ], [ 'done' ] ];

my $adapter = ORS::Adapter->new(scripts => \%scripts);

for my $case (@cases) {
    my ($name, $items) = @$case;
    my ($s) = $adapter->answer($name, $name);

    is_deeply(nameless($s->items), $items, "$name: items");
}


# events come as soon as they can

{
    my $c = $adapter->start('wait', stream => 1);

    ok($c->wait_body(qr/output_item\.added.*"name":"f".*\n\n/),
       'a call is announced by its first piece');
    $adapter->model->touch('go-1');
    ok($c->wait_body(qr/arguments\.delta.*"delta":"\{\\"x\\":"\}\n\n/),
       'its arguments come as they are made');
    $adapter->model->touch('go-2');
    ok($c->wait_body(qr/arguments\.done.*"arguments":"\{\\"x\\":1\}".*\n\n/),
       'it is done when its arguments are whole');
    ok($c->wait_body(qr/arguments\.delta.*"delta":"\{\\"y\\""\}\n\n/),
       'and the next one is sent live');
    $adapter->model->touch('go-3');

    my $s = stream_ok($c->read_response, 'calls as they come');
    is_deeply(nameless($s->items), [ $a, $b ], 'calls as they come: items');
    is_deeply([ $s->deltas('response.function_call_arguments.delta') ],
              [ '{"x":', '1}', '{"y"', ':2}' ], 'and their deltas');
}

{
    my ($s) = $adapter->answer('E46: in turns', 'E46: deltas');

    is_deeply([ $s->deltas('response.function_call_arguments.delta') ],
              [ '{"x"', ':1}', '{"y"', ':2}' ],
              'E46: the second one waits until the first one is whole');

    ($s) = $adapter->answer('E46: in turns, in one chunk each',
                            'E46: deltas of gathered calls');
    is_deeply([ $s->deltas('response.function_call_arguments.delta') ],
              [ '{"x"', ':1}', '{"y":2}' ],
              'E46: what was gathered comes at once');
}


# cut

for my $cut ([ 'cut-one', call('a', 'f', '{"x":', 'incomplete') ],
             [ 'cut-two', $a, call('b', 'g', '{"y', 'incomplete') ],
             [ 'cut-first', call('a', 'f', '{"x":', 'incomplete') ],
             [ 'cut-json', call('a', 'f', '{"x":', 'incomplete') ])
{
    my ($script, @items) = @$cut;
    my ($s) = $adapter->answer($script, "E49: $script",
                               expect => 'incomplete',
                               reason => 'max_output_tokens');

    is_deeply(nameless($s->items), \@items, "E49: $script: items");
}

for my $script (qw( cut-whole cut-name )) {
    my ($s) = $adapter->answer($script, "E49: $script",
                               expect => 'incomplete');
    is($s->items->[-1]{name}, 'f', "E49: $script: no call without a name");
}

{
    my ($s) = $adapter->answer('cut-filter', 'E50: in arguments',
                               expect => 'incomplete',
                               reason => 'content_filter');
    is($s->items->[-1]{status}, 'incomplete', 'E50: in arguments: its item');
}

$adapter->breaks('no-name', 'E43: no name at all', 502,
                 code => 'invalid_upstream_answer');
$adapter->breaks('no-name-json', 'E43: no name in a document', 502,
                 code => 'invalid_upstream_answer');

$adapter->finish;

done_testing();
