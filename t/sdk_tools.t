#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# OpenAI's SDKs and its Agents SDK at a gateway that runs tools: a function,
# hosted types, an MCP server with calls that need an approval, in documents
# and in streams.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::JSON qw( json_decode json_encode json_true );
use ORS::Loop qw( plan call outputs );
use ORS::MCP qw( modern said tool );
use ORS::Model qw( :all );
use ORS::Nginx ();
use ORS::SDK qw( node_tests python_tests );

# outputs of tools that the model has read since the user spoke

my $tell = sub ($conn, $r) {
    my $asked = json_decode($r->{body});
    my @read;

    for my $m (@{ $asked->{messages} }) {
        @read = () if $m->{role} eq 'user';
        push @read, $m->{content} if $m->{role} eq 'tool';
    }

    my $text = 'Read: ' . join '; ', @read;

    $conn->_play($asked->{stream} ? stream_script(text => [ $text ])
                 : json_script(chat_reply(content => $text)), 0);
};

my $model = ORS::Model->new(scripts => { default => plan(
    hello => [ 'Hello' ],
    clock => [ { tool_calls => [ call('get_time', zone => 'UTC') ] }, $tell ],
    both => [ { tool_calls => [ call('get_time', zone => 'UTC'),
                                call('mine', x => 1) ] }, $tell ],
    search => [ { tool_calls => [ call('web_search', query => 'news') ] },
                $tell ],
    files => [ { tool_calls => [ call('file_search', query => 'a') ] },
               $tell ],
    code => [ { tool_calls => [ call('code_interpreter',
                                     code => 'print(2)') ] }, $tell ],
    read => [ { tool_calls => [ call('docs__read#1', name => 'a'),
                                call('docs__read#2', name => 'b') ] }, $tell ],
    broken => [ { tool_calls => [ call('docs__broken') ] }, $tell ],
    write => [ { text => 'Let me see',
                 tool_calls => [ call('docs__write', name => 'c') ] },
               $tell ],
) });

my sub answers ($answer) {
    return [ [ json => $answer ] ];
}

my $tools = ORS::Model->new(scripts => {
    time => [ [ header => 'Content-Type', 'text/plain' ],
              [ raw => '12:00' ] ],
    search => answers({ output => 'much is new', sources => [
        { type => 'url', url => 'https://example.org/' } ] }),
    files => answers({ output => 'found', results => [
        { file_id => 'f', filename => 'a.txt', score => 0.5,
          text => 'x' } ] }),
    code => answers({ output => '2', outputs => [
        { type => 'logs', logs => "2\n" } ] }),
    mcp => modern(
        tools => [ tool('read', annotations => { readOnlyHint => json_true }),
                   tool('write'), tool('broken') ],
        call => sub ($name, $arguments) {
            return "$name $arguments->{name}" if $name ne 'broken';
            return { isError => json_true,
                     content => [ { type => 'text', text => 'no disk' } ] };
        }),
});

my $nginx = ORS::Nginx->new(model => { MODEL => $model, TOOLS => $tools },
                            conf => <<'CONF');
    open_responses_flavor openai;
    open_responses_store main lmdb:%%TESTDIR%%/db size=64m;
    open_responses_target default /to/model;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        open_responses_mcp  docs             /tool/mcp;
        open_responses_tool web_search       /tool/search;
        open_responses_tool file_search      /tool/files;
        open_responses_tool code_interpreter /tool/code;

        location /v1/ {
            open_responses on;
            open_responses_store main;

            open_responses_tool get_time         /tool/time
                                definition=%%TESTDIR%%/get_time.json;
            open_responses_tool web_search       /tool/search;
            open_responses_tool file_search      /tool/files;
            open_responses_tool code_interpreter /tool/code;
        }

        location /v1/silent/ {
            open_responses on;
            open_responses_store main;

            open_responses_tool get_time /tool/time show=none
                                definition=%%TESTDIR%%/get_time.json;
        }

        %%CHAT /to/model /chat%%

        location ~ ^/tool/(?<script>.+) {
            internal;
            proxy_pass http://%%TOOLS%%/script/$script;
        }
    }
CONF

$nginx->write_file('get_time.json', json_encode({
    description => 'What time it is in a zone',
    parameters => { type => 'object', required => [ 'zone' ],
                    properties => { zone => { type => 'string' } } } }));
$nginx->start;

my $gateway = { front => $nginx->address(0), model => $model };

# the script's name, what the server of MCP was asked to write

my sub run_ok ($label, $tests) {
    $tools->forget;
    $tests->();

    my @written = grep { $_ eq 'tools/call write' } said($tools);

    is(scalar @written, 3, "$label: only what was approved of is written");
}

for my $package (qw( openai openai6 )) {
    run_ok($package, sub { node_tests('tools.mjs', $package, $gateway) });
}

run_ok('python', sub { python_tests('tools_test.py', $gateway) });
run_ok('agents', sub {
    node_tests('tools_agents.mjs', '@openai/agents', $gateway);
});

$nginx->finish;

done_testing();
