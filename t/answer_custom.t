#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Calls of custom tools and of tools in namespaces, on their way back: a chat
# server has made calls of functions.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Adapter qw( nameless );
use ORS::Model qw( :all );

my %body = (tools => [
    { type => 'custom', name => 'patch' },
    { type => 'namespace', name => 'files', description => 'Files', tools => [
        { type => 'function', name => 'read' },
        { type => 'custom', name => 'write' } ] },
    { type => 'function', name => 'f' } ]);

my $TEXT = "a \"b\"\n\x{e9}\x{1f600}\\";
my $WRAPPED = '{"input":"a \"b\"\n\u00e9' . "\x{1f600}" . '\\\\"}';

my (%scripts, @cases);


# the arguments in pieces of that many characters

sub stream ($name, $arguments, $size, $finish = 'tool_calls') {
    my @pieces = map { { index => 0, function => { arguments => $_ } } }
                 $arguments =~ /\G.{1,$size}/gs;

    return [ sse_head(),
             (map { [ sse => chat_chunk(tool_calls => [ $_ ]) ] }
              { index => 0, id => 'a', type => 'function',
                function => { name => $name, arguments => '' } }, @pieces),
             [ sse => chat_chunk(finish => $finish) ], [ 'done' ] ];
}


# as a document and as a stream of longer and longer pieces

sub case ($name, $tool, $arguments, $item) {
    $scripts{"$name: a document"} = json_script(chat_reply(
        finish => 'tool_calls', message => { tool_calls => [ {
            id => 'a', type => 'function', function => {
                name => $tool, arguments => $arguments } } ] }));
    $scripts{"$name: pieces of $_"} = stream($tool, $arguments, $_)
        for 1, 2, 7, 1000;

    push @cases, map { [ "$name: $_", $item ] } 'a document',
                     map { "pieces of $_" } 1, 2, 7, 1000;
}


sub custom ($name, $input, %o) {
    return { type => 'custom_tool_call', id => 'ctc', status => 'completed',
             call_id => 'a', name => $name, input => $input, %o };
}


sub call ($name, $arguments, %o) {
    return { type => 'function_call', id => 'fc', status => 'completed',
             call_id => 'a', name => $name, arguments => $arguments, %o };
}


case('E64: the input', 'patch', $WRAPPED, custom('patch', $TEXT));
case('E64: other keys', 'patch', '{"x":[1],"input":"a\\nb","y":2}',
     custom('patch', "a\nb"));
case('E64: no wrapper', 'patch', 'a "b"', custom('patch', 'a "b"'));
case('E24: a function of a namespace', 'files__read', '{"x":1}',
     call('read', '{"x":1}', namespace => 'files'));
case('E24: a custom tool of a namespace', 'files__write', $WRAPPED,
     custom('write', $TEXT, namespace => 'files'));
case('a function', 'f', $WRAPPED, call('f', $WRAPPED));
case('E65: a function that was not offered', 'files__other', '{"x":1}',
     call('files__other', '{"x":1}'));

my $a = ORS::Adapter->new(scripts => \%scripts, conf => {
    openai => 'open_responses_flavor openai;',
});

for my $case (@cases) {
    my ($name, $item) = @$case;
    my ($s, $d) = $a->answer($name, $name, body => \%body, at => '/openai',
                             flavor => 'openai');

    for my $r ($s, $d) {
        my ($is, @more) = @{ nameless($r->items) };

        is(@more, 0, "$name: one item");
        is_deeply($is, $item, "$name: the item");
    }
}

$a->finish;

done_testing();
