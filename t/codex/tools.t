#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Codex at a gateway that runs tools: its web_search is a tool of an MCP
# server, a function is added to those of its own.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Codex qw( said );
use ORS::JSON qw( json_encode );
use ORS::Loop qw( call );
use ORS::MCP qw( modern tool );
use ORS::Model qw( :all );
use ORS::Nginx ();
use ORS::Util qw( slurp );

my $model = ORS::Model->new(scripts => {
    tools => rounds(
        stream_script(text => 'I search.', tool_calls => [
            call('web_search', query => 'news'),
            call('get_time', zone => 'UTC') ]),
        stream_script(tool_calls => [ call('exec_command',
                                           cmd => 'echo x >made.txt') ]),
        stream_script(text => 'All is done.')),
});

my $tools = ORS::Model->new(scripts => {
    mcp => modern(tools => [ tool('find') ], call => sub ($name, $arguments) {
        return "$name $arguments->{query}";
    }),
    time => [ [ header => 'Content-Type', 'text/plain' ],
              [ raw => '12:00' ] ],
});

my $nginx = ORS::Nginx->new(model => { MODEL => $model, TOOLS => $tools },
                            conf => <<'CONF');
            server {
                listen 127.0.0.1:%%PORT_0%%;

                location /v1/ {
                    open_responses         on;
                    open_responses_flavor  openai;
                    open_responses_target  default     /to/model;
                    open_responses_mcp     docs        /tool/mcp;
                    open_responses_tool    web_search  mcp:docs/find;
                    open_responses_tool    get_time    /tool/time  show=none
                                           definition=%%TESTDIR%%/time.json;

                    client_body_buffer_size 1m;
                }

                location = /to/model {
                    internal;
                    open_responses_dialect chat;
                    proxy_pass http://%%MODEL%%/chat;
                }

                location ~ ^/tool/(?<script>.+) {
                    internal;
                    proxy_pass http://%%TOOLS%%/script/$script;
                }
            }
CONF

$nginx->write_file('time.json', json_encode({
    description => 'What time it is',
    parameters => { type => 'object',
                    properties => { zone => { type => 'string' } } } }));
$nginx->start;

my $codex = ORS::Codex->new(model => $model,
                            base => 'http://' . $nginx->address(0) . '/v1');
my $s = $codex->session('tools');

is($s->{status}, 0, 'exit status') or diag($codex->log($s));
is_deeply([ map { $_->{query} } @{ $s->{web_search} } ], [ 'news' ],
          'the search is shown');
is_deeply([ map { $_->{content} } grep { $_->{role} eq 'tool' }
            @{ $s->{asked}[1]{messages} } ], [ 'find news', '12:00' ],
          'what the model reads');
is(slurp("$s->{dir}/made.txt"), "x\n", 'a command of its own runs');
is_deeply([ said($s) ], [ 'I search.', 'All is done.' ], 'its texts');
is(scalar @{ $s->{asked} }, 3, 'three rounds');

$nginx->finish;

done_testing();
