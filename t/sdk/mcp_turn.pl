#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The client that a conformance test of MCP starts: one turn of a gateway whose
# MCP server is at the URL.
#
#   mcp_turn.pl [--session] [TOOL ARGUMENTS] URL
#
# The model calls the tool once.  With --session requests of 2026-07-28 are
# refused in front of the server, so that a session begins: the gateway asks
# without one first, and some of these servers answer whatever they are asked.
#
# It prints a line of JSON, the response and whether all is well.  Complaints
# go to standard error.

use v5.36;
use Test::More;
use FindBin;
use lib "$FindBin::Bin/../lib";
use ORS::HTTP qw( post_json );
use ORS::JSON qw( json_encode json_false json_true );
use ORS::Loop qw( plan );
use ORS::Model ();
use ORS::Nginx ();
use ORS::Stream qw( response_ok );

Test::More->builder->output(\*STDERR);

my $session = @ARGV && $ARGV[0] eq '--session' && shift;
my $url = pop // '';
my ($tool, $arguments) = @ARGV;

my ($port, $path) = $url =~ m{\Ahttp://localhost:(\d+)(/\S*)?\z}
    or die "not the URL of a server here: \"$url\"\n";

my $model = ORS::Model->new(scripts => { default => plan(
    turn => [ $tool ? { tool_calls => [ {
                  id => 'call_1', name => "conformance__$tool",
                  arguments => $arguments } ] } : (),
              'Done' ],
) });

my $nginx = ORS::Nginx->new(
    model => $model,
    subst => { SERVER => "127.0.0.1:$port", PATH => $path // '/',
               REFUSED => $session ? '2026-07-28' : 'none' },
    conf => <<'CONF');
    open_responses_flavor openai;
    open_responses_target default /to/model;
    open_responses_mcp conformance /mcp require_approval=never;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ {
            open_responses on;
        }

        location = /to/model {
            internal;
            open_responses_dialect chat;
            proxy_pass http://%%MODEL%%/chat;
        }

        location = /mcp {
            internal;
            proxy_pass http://127.0.0.1:%%PORT_1%%%%PATH%%;
        }
    }

    server {
        listen 127.0.0.1:%%PORT_1%%;

        if ($http_mcp_protocol_version = %%REFUSED%%) {
            return 400;
        }

        location / {
            proxy_buffering off;
            proxy_pass http://%%SERVER%%;
        }
    }
CONF

$nginx->start;

my $r = post_json($nginx->port, '/v1/responses', {
    model => 'turn', input => 'hi',
    tools => [ { type => 'mcp', server_label => 'conformance' } ] });

response_ok($r, 'the response', flavor => 'openai');
$nginx->finish;
done_testing();

say json_encode({ response => $r->{json},
                  well => Test::More->builder->is_passing
                          ? json_true : json_false });
