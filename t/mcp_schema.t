#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Calls of MCP servers beside the schemas of their tools, and the variables of
# a call in the location of its server.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json );
use ORS::JSON qw( json_false json_true );
use ORS::Loop qw( plan call outputs );
use ORS::MCP qw( modern tool said );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( response_ok stream_ok );

my $model = ORS::Model->new(scripts => { default => plan(
    good  => [ { tool_calls => [ call('docs__add', n => 1) ] }, 'Done' ],
    wrong => [ { tool_calls => [ call('docs__add#1', n => 'secret') ] },
               { tool_calls => [ call('docs__add#2', n => 2) ] }, 'Done' ],
) });

my $mcp = ORS::Model->new(scripts => {
    docs => modern(pages => [ [ tool('add', inputSchema => {
                       type => 'object', required => [ 'n' ],
                       properties => { n => { type => 'integer' } } }) ] ],
                   call => sub ($name, $arguments) {
                       return "$name: $arguments->{n}";
                   }),
});

my $t = ORS::Nginx->new(model => { MODEL => $model, MCP => $mcp },
                        conf => <<'CONF');
    open_responses_target default /to/model;
    open_responses_mcp docs /mcp;
    open_responses_schema enforce;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ { open_responses on; }

        location /off/v1/ {
            open_responses on;
            open_responses_schema off;
        }

        location /report/v1/ {
            open_responses on;
            open_responses_schema report;
        }

        %%CHAT /to/model /chat%%

        location = /mcp {
            internal;
            proxy_set_header X-Tool $open_responses_tool_name;
            proxy_set_header X-Call $open_responses_tool_call_id;
            proxy_pass http://%%MCP%%/script/docs;
        }
    }
CONF

$t->start;


sub ask ($path, $name, $stream, $approval = 'never') {
    $model->forget;
    $mcp->forget;

    my $r = post_json($t->port, "$path/v1/responses",
                      { model => $name, input => 'hi',
                        stream => $stream ? json_true : json_false,
                        tools => [ { type => 'mcp', server_label => 'docs',
                                     require_approval => $approval } ] });
    my $how = "$path $name" . ($stream ? ', stream' : '');
    my $s = $stream ? stream_ok($r, $how, flavor => 'openai')
                    : response_ok($r, $how, flavor => 'openai');

    return map { $_->{type} . ($_->{status} ? " $_->{status}" : '') }
           grep { $_->{type} =~ /^mcp_(call|approval)/ }
           @{ $s->response->{output} };
}


sub calls () {
    return map { $_->{json}{params}{arguments}{n} }
           grep { $_->{json}{method} eq 'tools/call' } $mcp->requests;
}


for my $stream (0, 1) {
    my $how = $stream ? 'stream' : 'document';

    is_deeply([ ask('', 'good', $stream) ], [ 'mcp_call completed' ],
              "$how: a call as its schema wants it");
    is_deeply([ calls() ], [ 1 ], "$how: it has run");

    is_deeply([ ask('', 'wrong', $stream) ],
              [ 'mcp_call failed', 'mcp_call completed' ],
              "$how: a call that violates it");
    is_deeply([ calls() ], [ 2 ], "$how: the second one has run");
    like((outputs(($model->requests)[1]))[0], qr/^The tool was not called: /,
         "$how: the model reads why");

    is_deeply([ ask('', 'wrong', $stream, 'always') ],
              [ 'mcp_call failed', 'mcp_approval_request' ],
              "$how: no approval is asked for");
    is_deeply([ calls() ], [ ], "$how: nothing has run");

    for my $path (qw( /off /report )) {
        is_deeply([ (ask($path, 'wrong', $stream))[0] ],
                  [ 'mcp_call completed' ], "$how: $path");
        is((calls())[0], 'secret', "$how: $path: it has run");
    }
}

# variables

ask('', 'good', 0);
ask('', 'good', 0);

is_deeply([ map { [ @{ $_->{headers} }{qw( x-tool x-call )} ] }
            grep { $_->{json}{method} eq 'tools/call' } $mcp->requests ],
          [ [ 'docs__add', 'call_docs__add' ] ], 'variables of a call');

my $log = $t->error_log;

like($log, qr/call of tool "docs__add"/, 'the log names the call');
unlike($log, qr/secret/, 'and no value');

$t->finish;
done_testing();
