#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# MCP servers at the gateway, of both eras: their tools are listed, called by
# the model, and answered there, in documents and streams.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json );
use ORS::JSON qw( json_encode json_false json_true );
use ORS::Loop qw( plan call messages outputs );
use ORS::MCP qw( legacy modern tool said );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( response_ok stream_ok error_ok );

my $echo = sub ($name, $arguments) {
    return "$name: " . ($arguments->{text} // '');
};

my $model = ORS::Model->new(scripts => { default => plan(
    hello => [ 'Hello' ],
    old   => [ { tool_calls => [ call('old__echo', text => 'a "b"') ] },
               'Done' ],
    new   => [ { tool_calls => [ call('new__echo', text => 'a "b"') ] },
               'Done' ],
    two   => [ { text => 'Let me see',
                 tool_calls => [ call('new__echo#1', text => '1'),
                                 call('old__echo#2', text => '2') ] },
               { tool_calls => [ call('old__echo#3', text => '3') ] },
               'Done' ],
    bad   => [ { tool_calls => [ call('new__bad', text => '1') ] }, 'Sorry' ],
) });

my $mcp = ORS::Model->new(scripts => {
    old => legacy(tools => [ tool('echo'), tool('bad') ], call => $echo,
                  stream => 1),
    new => modern(pages => [ [ tool('echo') ],
                             [ tool('bad', annotations =>
                                    { readOnlyHint => json_true }) ] ],
                  call => sub ($name, $arguments) {
                      return $echo->($name, $arguments) if $name eq 'echo';
                      return { isError => json_true,
                               content => [ { type => 'text',
                                              text => 'no "x"' } ] };
                  }),
    down => sub ($conn, $r) { $conn->_play([ [ status => 500 ],
                                             [ raw => 'secret' ] ], 0) },
});

my $t = ORS::Nginx->new(model => { MODEL => $model, MCP => $mcp },
                        conf => <<'CONF');
    open_responses_flavor openai;
    open_responses_target default /to/model;
    open_responses_mcp old /mcp/old require_approval=never;
    open_responses_mcp new /mcp/new require_approval=never
                       url=http://there/mcp;
    open_responses_mcp down /mcp/down require_approval=never;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ { open_responses on; }

        location /spec/v1/ {
            open_responses on;
            open_responses_flavor spec;
        }

        location /tolerant/v1/ {
            open_responses on;
            open_responses_flavor spec;
            open_responses_strict off;
        }

        %%CHAT /to/model /chat%%

        location = /mcp/old {
            internal;
            proxy_pass http://%%MCP%%/script/old;
        }

        location = /mcp/new {
            internal;
            proxy_pass http://%%MCP%%/script/new;
        }

        location = /mcp/down {
            internal;
            proxy_pass http://%%MCP%%/script/down;
        }
    }
CONF

$t->start;


sub servers (@labels) {
    return [ map { { type => 'mcp', server_label => $_ } } @labels ];
}


sub ask ($name, $stream, @labels) {
    $model->forget;
    $mcp->forget;

    my $r = post_json($t->port, '/v1/responses',
                      { model => $name, input => 'hi',
                        stream => $stream ? json_true : json_false,
                        tools => servers(@labels) },
                      headers => { Authorization => 'Bearer key-of-client',
                                   'Mcp-Session-Id' => 'of-client' });

    my $how = $name . ($stream ? ', stream' : '');

    return $stream ? stream_ok($r, $how, flavor => 'openai')
                   : response_ok($r, $how, flavor => 'openai');
}


sub refused ($param, $what, %tool) {
    error_ok(post_json($t->port, '/v1/responses',
                       { model => 'hello', input => 'hi',
                         tools => [ { type => 'mcp', %tool } ] }),
             400, $what, param => $param);
}


sub types ($response) {
    return [ map { $_->{type} } @{ $response->{output} } ];
}


for my $stream (0, 1) {
    my $how = $stream ? 'stream' : 'document';

    for my $era (qw( old new )) {
        my $response = ask($era, $stream, $era)->response;
        my ($list, $call) = @{ $response->{output} };

        is_deeply(types($response), [ qw( mcp_list_tools mcp_call message ) ],
                  "$how, $era: items");

        is_deeply($list->{tools},
                  [ map { { name => $_->[0], description => "Does $_->[0]",
                            input_schema => { type => 'object' },
                            annotations => { read_only => $_->[1]
                                             ? json_true : json_false } } }
                    [ 'echo', 0 ], [ 'bad', $era eq 'new' ] ],
                  "$how, $era: the list");

        is_deeply({ map { $_ => $call->{$_} }
                    qw( server_label name output error status ) },
                  { server_label => $era, name => 'echo', error => undef,
                    status => 'completed', output => 'echo: a "b"' },
                  "$how, $era: the call");

        my @requests = $model->requests;

        is_deeply([ map { $_->{function}{name} }
                    @{ $requests[0]{json}{tools} } ],
                  [ "${era}__echo", "${era}__bad" ],
                  "$how, $era: functions of the model");

        is_deeply([ messages($requests[1]) ],
                  [ 'user hi',
                    "call ${era}__echo " . json_encode({ text => 'a "b"' }),
                    'tool echo: a "b"' ],
                  "$how, $era: the model gets the result");
    }

    my $response = ask('two', $stream, 'new', 'old')->response;

    is_deeply(types($response),
              [ qw( mcp_list_tools mcp_list_tools message mcp_call mcp_call
                    mcp_call message ) ], "$how: two servers, items");

    is_deeply([ map { $_->{output} } grep { $_->{type} eq 'mcp_call' }
                @{ $response->{output} } ],
              [ 'echo: 1', 'echo: 2', 'echo: 3' ], "$how: in order");

    $response = ask('bad', $stream, 'new')->response;

    is_deeply($response->{output}[1]{error},
              { type => 'mcp_tool_execution_error',
                content => [ { type => 'text', text => 'no "x"' } ] },
              "$how: a tool that fails says why");

    is_deeply([ outputs(($model->requests)[1]) ], [ 'no "x"' ],
              "$how: the model gets it");

    $response = ask('hello', $stream, 'down')->response;

    is_deeply(types($response), [ qw( mcp_list_tools message ) ],
              "$how: a server that is down");
    is($response->{output}[0]{error}, 'The list of tools could not be read.',
       "$how: its list");
}

ask('old', 0, 'old');

is_deeply([ said($mcp) ], [ 'tools/call echo' ],
          'the list and the session are there already');

my ($r) = $mcp->requests;

is($r->{headers}{'mcp-session-id'}, 'session-1', 'a session of its own');
ok(!exists $r->{headers}{authorization}, 'no key of the client');

refused('tools[0].server_label', 'an unknown label', server_label => 'other');
refused('tools[0].server_url', 'a foreign address', server_label => 'old',
        server_url => 'http://127.0.0.1/');
refused('tools[0].server_url', 'another address', server_label => 'new',
        server_url => 'http://there/mcp2');

response_ok(post_json($t->port, '/v1/responses',
                      { model => 'hello', input => 'hi',
                        tools => [ { type => 'mcp', server_label => 'new',
                                     server_url => 'http://there/mcp' } ] }),
            'the address that is configured', flavor => 'openai');

# flavor "spec"

for my $path (qw( /spec /tolerant )) {
    $r = post_json($t->port, "$path/v1/responses",
                   { model => 'new', input => 'hi', tools => servers('new') });

    if ($path eq '/spec') {
        error_ok($r, 400, 'a strict flavor "spec"', param => 'tools[0].type');
        next;
    }

    is_deeply(types(response_ok($r, 'a tolerant one', extensions => 1)
                    ->response),
              [ qw( nginx:mcp_list_tools nginx:mcp_call message ) ],
              'a tolerant one: types with a prefix');
}

$t->finish;
done_testing();
