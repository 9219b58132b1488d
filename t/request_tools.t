#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Tools of the flavor "openai" as the functions that a chat server is offered,
# and calls of them in the history.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Adapter;
use ORS::HTTP qw( post_json );
use ORS::JSON qw( json_decode json_false json_true );
use ORS::Model qw( :all );

my $a = ORS::Adapter->new(scripts => {
    both => [ sse_head(), [ sse => chat_chunk(tool_calls => [
        map { { index => $_, id => "c$_", type => 'function', function => {
            name => (qw( f files__f ))[$_], arguments => '{}' } } } 0, 1 ]) ],
        [ sse => chat_chunk(finish => 'tool_calls') ], [ 'done' ] ],
}, conf => {
    openai => 'open_responses_flavor openai;',
    strict => 'open_responses_flavor openai; open_responses_strict on;',
    few => 'open_responses_flavor openai; open_responses_limits tools=4;',
});

my $USER = { type => 'message', role => 'user', content => 'Go' };
my $HOSTED = { type => 'web_search' };
my $FUNC = { type => 'function', name => 'f', parameters => { a => 1 } };
my $CUSTOM = { type => 'custom', name => 'patch', description => 'Patches' };
my $SPACE = { type => 'namespace', name => 'files', description => 'Files',
              tools => [ $FUNC, { %$CUSTOM, name => 'write' } ] };

my $FREE = '"input" is free text, not JSON.';


# what the model gets: the same from both profiles of the flavor, and the
# response says what the client has; where a call is asked for only in the
# tolerant one, as this model makes none

sub offers ($name, $fields, $expected, @at) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;

    for my $at (@at ? @at : qw( openai strict )) {
        my $body = { input => [ $USER ], %$fields };
        my $sent = $a->sent("$name, $at", $body, at => "/$at",
                            flavor => 'openai')->{json};

        is_deeply({ map { $_ => $sent->{$_} } grep { defined $sent->{$_} }
                    qw( tools tool_choice parallel_tool_calls ) },
                  $expected, "$name, $at: tools");
        echoed("$name, $at", $body, $at);
    }
}


sub echoed ($name, $body, $at) {
    my $r = post_json($a->port, "/$at/responses", { model => 'm', %$body });
    my $echo = json_decode($r->{body});

    is_deeply([ map { $_->{type} . ($_->{name} // '')
                      . scalar @{ $_->{tools} // [] } } @{ $echo->{tools} } ],
              [ map { $_->{type} . ($_->{name} // '')
                      . scalar @{ $_->{tools} // [] } }
                @{ $body->{tools} // [] } ], "$name: tools are echoed");
    is_deeply($echo->{tool_choice}, $body->{tool_choice} // 'auto',
              "$name: the choice is echoed");
}


sub history ($name, $items, $messages) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;

    for my $at (qw( openai strict )) {
        my $sent = $a->sent("$name, $at", { input => [ $USER, @$items ] },
                            at => "/$at", flavor => 'openai')->{json};

        is_deeply($sent->{messages},
                  [ { role => 'user', content => 'Go' }, @$messages ],
                  "$name, $at: messages");
    }
}


sub function ($name, %o) {
    return { type => 'function', function => { name => $name, %o } };
}


sub wrapped ($name, $description) {
    return function($name, description => $description, parameters => {
        type => 'object', properties => { input => { type => 'string' } },
        required => [ 'input' ], additionalProperties => json_false,
    });
}


sub call ($id, $name, $arguments) {
    return { id => $id, type => 'function',
             function => { name => $name, arguments => $arguments } };
}


sub custom ($id, $input, %o) {
    return { type => 'custom_tool_call', call_id => $id, name => 'patch',
             input => $input, %o };
}


sub gave ($id, $output) {
    return { type => 'custom_tool_call_output', call_id => $id,
             output => $output };
}


sub tool ($id, $content) {
    return { role => 'tool', tool_call_id => $id, content => $content };
}


# what is offered

my @F = function('f', parameters => { a => 1 });
my @PATCH = wrapped('patch', "Patches\n\n$FREE");
my @FILES = (function('files__f', parameters => { a => 1 }),
             wrapped('files__write', "Patches\n\n$FREE"));

offers('E23: some of each', {
    tools => [ $FUNC, $HOSTED, $SPACE, $CUSTOM,
               { type => 'image_generation' } ],
    tool_choice => 'required', parallel_tool_calls => json_true,
}, { tools => [ @F, @FILES, @PATCH ], tool_choice => 'required',
     parallel_tool_calls => json_true }, 'openai');

offers('E23: nothing is left', {
    tools => [ $HOSTED, { type => 'tool_search' } ], tool_choice => 'auto',
    parallel_tool_calls => json_true,
}, {});

offers('a grammar', {
    tools => [ { %$CUSTOM, format => { type => 'grammar', syntax => 'regex',
                                       definition => "\\d+ \"\x{e9}\"\n" } } ],
}, { tools => [ wrapped('patch', "Patches\n\n$FREE It must match this grammar"
                                 . " (regex):\n\\d+ \"\x{e9}\"\n") ] });

offers('E24: a name that has its namespace', {
    tools => [ { type => 'namespace', name => 'mcp__x__', tools => [
        { %$FUNC, name => 'mcp__x__read' }, { %$FUNC, name => 'write' },
    ] } ],
}, { tools => [ map { function("mcp__x__$_", parameters => { a => 1 }) }
                qw( read write ) ] });

offers('E25: tools that come as input', {
    input => [ { type => 'additional_tools', role => 'developer',
                 tools => [ $SPACE, $FUNC ] }, $USER ],
    tools => [ $FUNC ],
}, { tools => [ @F, @FILES ] });

my $long = 'x' x 62;
my ($sent) = @{ $a->sent('E24: a long name', {
    tools => [ { type => 'namespace', name => $long, tools => [ $FUNC ] } ],
}, at => '/strict', flavor => 'openai')->{json}{tools} };

like($sent->{function}{name}, qr/\Ax{54}_[0-9a-f]{9}\z/,
     'E24: a long name is shortened');


# what is chosen

offers('E26: a custom tool', {
    tools => [ $CUSTOM ], tool_choice => { type => 'custom',
                                           name => 'patch' },
}, { tools => [ @PATCH ], tool_choice => function('patch') }, 'openai');

offers('E26: a tool of a namespace', {
    tools => [ $SPACE ], tool_choice => { type => 'function', name => 'f',
                                          namespace => 'files' },
}, { tools => [ @FILES ], tool_choice => function('files__f') }, 'openai');

offers('E26: some of the tools', {
    tools => [ $FUNC, $CUSTOM ], tool_choice => {
        type => 'allowed_tools', mode => 'required',
        tools => [ { type => 'custom', name => 'patch' } ],
    },
}, { tools => [ @F, @PATCH ], tool_choice => 'required' }, 'openai');

offers('E26: a tool that is left out', {
    tools => [ $FUNC, $HOSTED ], tool_choice => $HOSTED,
}, { tools => [ @F ], tool_choice => 'auto' }, 'openai');

$a->refuses('E26: a tool that is left out, strict',
            { input => [ $USER ], tools => [ $FUNC, $HOSTED ],
              tool_choice => $HOSTED },
            'tool_choice.type', at => '/strict', code => 'unsupported_value');
$a->refuses('E26: a custom tool that is not there',
            { input => [ $USER ], tools => [ $FUNC ],
              tool_choice => { type => 'custom', name => 'f' } },
            'tool_choice.name', at => '/strict', code => 'invalid_value');


# a tool of a namespace among those that are allowed: the call of another one
# is left out

for my $at (qw( openai strict )) {
    my ($s) = $a->answer('both', "E26: allowed in a namespace, $at",
                         at => "/$at", flavor => 'openai', body => {
        input => [ $USER ], tools => [ $SPACE, $FUNC ], tool_choice => {
            type => 'allowed_tools', mode => 'required', tools => [
                { type => 'function', name => 'f', namespace => 'files' } ],
        } });

    is_deeply([ map { [ @$_{qw( namespace name )} ] } $s->items->@* ],
              [ [ 'files', 'f' ] ],
              "E26: allowed in a namespace, $at: the call");
}


# ... and one that must be called

my ($named) = $a->answer('both', 'E26: required in a namespace',
                         at => '/strict', flavor => 'openai', body => {
    input => [ $USER ], tools => [ $SPACE, $FUNC ],
    tool_choice => { type => 'function', name => 'f',
                     namespace => 'files' } });

is(scalar $named->items->@*, 2, 'E26: required in a namespace: calls');


# functions as Chat Completions has them, where the profile is tolerant

my $NESTED = { type => 'function', function => {
    name => 'f', description => 'd', parameters => { a => 1 },
    strict => json_true } };
my $FLAT = { type => 'function', %{ $NESTED->{function} } };
my $PLAIN = { type => 'function', name => 'g', description => undef,
              parameters => undef, strict => undef };

for my $at (qw( v1 openai )) {
    my @o = (at => "/$at", flavor => $at eq 'v1' ? 'spec' : 'openai');
    my $name = "E26: nested, $at";

    for (
        [ { type => 'function', function => { name => 'f' } },
          function('f'), { type => 'function', name => 'f' } ],
        [ { type => 'allowed_tools', tools => [
                { type => 'function', function => { name => 'f' } } ] },
          'auto',
          { type => 'allowed_tools', mode => 'auto',
            tools => [ { type => 'function', name => 'f' } ] } ],
    ) {
        my ($choice, $sent, $echo) = @$_;
        my $body = { input => 'hi', tool_choice => $choice, tools => [
            $NESTED, { type => 'function', function => { name => 'g' } } ] };
        my $json = $a->sent($name, $body, @o)->{json};

        is_deeply($json->{tools}[0], $NESTED, "$name: sent");
        is_deeply($json->{tool_choice}, $sent, "$name: choice");

        my $r = json_decode(post_json($a->port, "/$at/responses",
                                      { model => 'm', %$body })->{body});

        is_deeply($r->{tools}, [ $FLAT, $PLAIN ], "$name: echo is flat");
        is_deeply($r->{tool_choice}, $echo, "$name: echo of the choice");
    }

    $a->refuses("$name: a name that is none",
                { input => 'hi', tools => [ { type => 'function',
                  function => { name => 'a.b' } } ] },
                'tools[0].function.name', at => "/$at",
                code => 'invalid_value');
    $a->refuses("$name: a choice that is not there",
                { input => 'hi', tools => [ $NESTED ], tool_choice => {
                  type => 'function', function => { name => 'x' } } },
                'tool_choice.function.name', at => "/$at",
                code => 'invalid_value');
}

$a->refuses('E26: nested, strict', { input => [ $USER ],
                                     tools => [ $NESTED ] },
            'tools[0].function', at => '/strict',
            code => 'unknown_parameter');


# calls that were made

history('E1: calls of both kinds',
        [ custom('A', "a\n\"b\" \\ \x{e9}"),
          { type => 'function_call', call_id => 'B', name => 'f',
            namespace => 'files', arguments => '{"n":1}' },
          gave('A', 'one'),
          { type => 'function_call_output', call_id => 'B',
            output => 'two' } ],
        [ { role => 'assistant', content => undef, tool_calls => [
                call('A', 'patch', qq({"input":"a\\n\\"b\\" \\\\ \x{e9}"})),
                call('B', 'files__f', '{"n":1}') ] },
          tool('A', 'one'), tool('B', 'two') ]);

history('E3: a message between a call and its output',
        [ custom('A', ''), $USER, gave('A', [ { type => 'input_text',
                                                text => 'one' } ]) ],
        [ { role => 'assistant', content => undef,
            tool_calls => [ call('A', 'patch', '{"input":""}') ] },
          tool('A', 'one'), { role => 'user', content => 'Go' } ]);

history('tools among the calls of a turn',
        [ custom('A', '', namespace => 'files'),
          { type => 'additional_tools', tools => [ $FUNC ] },
          custom('B', ''), gave('A', 'one'), gave('B', 'two') ],
        [ { role => 'assistant', content => undef,
            tool_calls => [ call('A', 'files__patch', '{"input":""}'),
                            call('B', 'patch', '{"input":""}') ] },
          tool('A', 'one'), tool('B', 'two') ]);

$a->refuses('E11: an output without its call',
            { input => [ $USER, gave('A', 'x') ] }, 'input[1].call_id',
            at => '/strict', code => 'unknown_call_id');

for my $type (qw( local_shell_call computer_call shell_call )) {
    $a->refuses("a call of a tool that is left out, $type",
                { input => [ $USER, { type => $type, call_id => 'A',
                                      action => { commands => [] } } ] },
                'input[1].type', at => '/openai', code => 'unsupported_item');
}


# as many as there may be

my @many = map { { %$CUSTOM, name => "t$_" } } 1 .. 1024;
my $all = $a->sent('1024 tools', { tools => \@many }, at => '/strict',
                   flavor => 'openai')->{json}{tools};

is_deeply([ map { $_->{function}{name} } @$all ], [ map { "t$_" } 1 .. 1024 ],
          '1024 tools: in their order');


# those in namespaces, and as input, are among them

my $INPUT = { type => 'additional_tools', tools => [ $FUNC ] };

is(scalar $a->sent('4 tools', { input => [ $USER, $INPUT ],
                                tools => [ $SPACE ] },
                   at => '/few', flavor => 'openai')->{json}{tools}->@*, 3,
   '4 tools: are sent');
$a->refuses('5 tools', { input => 'hi', tools => [ $SPACE, $FUNC, $CUSTOM ] },
            'tools', at => '/few', code => 'array_above_max_length');
$a->refuses('5 tools, one as input',
            { input => [ $USER, $INPUT ], tools => [ $SPACE, $CUSTOM ] },
            'input[1].tools', at => '/few',
            code => 'array_above_max_length');


# a client of the specification has no such tools

is_deeply($a->sent('flavor spec', { tools => [ $FUNC, $CUSTOM, $SPACE ] })
            ->{json}{tools}, [ @F ], 'flavor spec: functions');

$a->finish;

done_testing();
