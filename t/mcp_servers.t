#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Dialogs of src/tools with real MCP servers: the reference server of the
# legacy era, and one of Python's package, which knows both; through
# proxy_pass to them; and turns of a gateway that calls them, for OpenAI's SDK,
# too.

use v5.36;
use Test::More;
use File::Basename qw( dirname );
use IO::Socket::INET ();
use IPC::Open2 qw( open2 );
use POSIX ();
use lib 't/lib';
use ORS::HTTP qw( post_json );
use ORS::JSON qw( json_decode json_false json_true );
use ORS::Loop qw( plan call outputs );
use ORS::Model ();
use ORS::Nginx ();
use ORS::SDK qw( node );
use ORS::Stream qw( response_ok stream_ok );
use ORS::Util qw( free_port wait_for );

my $ROOT = $ORS::Nginx::ROOT;
my $MODULE = $ENV{TEST_NGINX_MODULE} // "$ROOT/build/module";
my $UNIT = $ENV{TEST_UNIT_DIR} // dirname($MODULE) . '/unit';
my $MCP = "$ROOT/t/sdk/mcp";
my $EVERYTHING = "$MCP/node_modules/\@modelcontextprotocol/server-everything"
                 . '/dist/index.js';
my $PYTHON = "$MCP/.venv/bin/python";

for my $file ($EVERYTHING, $PYTHON) {
    die "$file is missing, run: make deps-test\n" unless -e $file;
}

my $owner = $$;
my (@pids, %ports);


subtest 'the reference server, legacy' => sub {
    my $port = $ports{EVERYTHING} = free_port();

    serve($port, node(), $EVERYTHING, 'streamableHttp');

    my $mcp = drive($port);
    my @begin = ([ 'initialize', 200 ], [ 'notifications/initialized', 202 ]);

    is_deeply([ $mcp->('list') ], [
        [ [ 'tools/list', 400 ], @begin, [ 'tools/list', 200 ] ],
        'list echo get-annotated-message get-env get-resource-links'
        . ' get-resource-reference get-structured-content get-sum'
        . ' get-tiny-image gzip-file-as-resource toggle-simulated-logging'
        . ' toggle-subscriber-updates trigger-long-running-operation'
        . ' simulate-research-query',
        '2025-11-25 session' ], 'a list, by a session that begins');

    is_deeply([ $mcp->('call echo {"message":"h\u00f6"}') ],
              [ [ [ 'tools/call', 200 ] ], "text Echo: h\xc3\xb6",
                '2025-11-25 session' ], 'a call');

    $mcp->('lose');

    is_deeply([ $mcp->('call get-sum {"a":2,"b":40}') ],
              [ [ [ 'tools/call', 400 ], @begin, [ 'tools/call', 200 ] ],
                'text The sum of 2 and 40 is 42.', '2025-11-25 session' ],
              'a session that is lost');

    is(($mcp->('call nothing {}'))[1],
       'failed MCP error -32602: Tool nothing not found', 'no such tool');

    like(($mcp->('call get-sum {"a":"x"}'))[1], qr/\Afailed .*-32602/,
         'arguments that are not valid');

    is(($mcp->('call get-structured-content {"location":"New York"}'))[1],
       'text {"temperature":33,"conditions":"Cloudy","humidity":82}',
       'structured content');

    is(($mcp->('call get-tiny-image {}'))[1],
       "text Here's the image you requested:\n[image image/png]\n"
       . 'The image above is the MCP logo.', 'an image');

    is(($mcp->('call trigger-long-running-operation'
               . ' {"duration":1,"steps":4}'))[1],
       'text Long running operation completed. Duration: 1 seconds,'
       . ' Steps: 4.', 'a call that takes time');

    # its own store of events has what came before the GET, nothing later

    $mcp->('cut');

    is_deeply([ $mcp->('call trigger-long-running-operation'
                       . ' {"duration":0.2,"steps":2}') ],
              [ [ [ 'tools/call', 200 ], [ 'GET', 200 ] ],
                'text Long running operation completed. Duration: 0.2'
                . ' seconds, Steps: 2.', '2025-11-25 session' ],
              'a call whose connection is cut');
};


subtest "Python's server, modern" => sub {
    my $port = $ports{PYTHON} = free_port();

    serve($port, $PYTHON, "$MCP/server.py", $port);

    my $mcp = drive($port);

    is_deeply([ $mcp->('call region {"name":"\u00f6 x","count":7}') ],
              [ [ [ 'tools/call', 400 ], [ 'tools/list', 200 ],
                  [ 'tools/call', 200 ] ],
                "text \xc3\xb6 x 7", '2026-07-28' ],
              'headers of arguments, of a list that has to be read first');

    is_deeply([ $mcp->('list') ],
              [ [ [ 'tools/list', 200 ] ],
                'list echo weather region broken slow', '2026-07-28' ],
              'a list');

    is_deeply([ $mcp->('call region {"name":" x","count":-1}') ],
              [ [ [ 'tools/call', 200 ] ], 'text  x -1', '2026-07-28' ],
              'headers of arguments, of a list that is known');

    is(($mcp->('call echo {"text":"a\nb"}'))[1], "text a\nb", 'a call');
    is(($mcp->('call broken'))[1], 'failed Error executing tool broken',
       'an exception');
    is(($mcp->('call nothing'))[1], 'failed Unknown tool: nothing',
       'no such tool');
    is(($mcp->('call slow {"steps":3}'))[1], 'text done',
       'a call with progress');
};


subtest 'through a location' => sub {
    my $nginx = ORS::Nginx->new(
        subst => { map { $_ => "127.0.0.1:$ports{$_}" } keys %ports },
        conf => <<'CONF');
        server {
            listen 127.0.0.1:%%PORT_0%%;

            location = /everything { proxy_pass http://%%EVERYTHING%%/mcp; }
            location = /python     { proxy_pass http://%%PYTHON%%/mcp; }
            location = /closed     { deny all; }
        }
CONF

    $nginx->start;

    my $mcp = drive($nginx->port, '/everything');

    like(($mcp->('list'))[1], qr/\Alist echo /, 'a list, legacy');
    $mcp->('lose');
    is(($mcp->('call echo {"message":"hi"}'))[1], 'text Echo: hi',
       'a call, legacy, in a session that is lost');

    $mcp = drive($nginx->port, '/python');

    is_deeply([ $mcp->('call region {"name":"\u00f6","count":7}') ],
              [ [ [ 'tools/call', 400 ], [ 'tools/list', 200 ],
                  [ 'tools/call', 200 ] ],
                "text \xc3\xb6 7", '2026-07-28' ],
              'a call, modern, with headers of arguments');

    is_deeply([ drive($nginx->port, '/closed')->('list') ],
              [ [ [ 'tools/list', 403 ] ], 'error 3 403 HTTP status 403', '' ],
              'a location that forbids it');

    $nginx->finish;
};


subtest 'at a gateway' => sub {
    my $model = ORS::Model->new(scripts => { default => plan(
        sum    => [ { tool_calls => [ call('everything__get-sum',
                                           a => 2, b => 40) ] }, 'Done' ],
        region => [ { tool_calls => [ call('python__region', name => 'x',
                                           count => 7) ] }, 'Done' ],
        broken => [ { tool_calls => [ call('python__broken') ] }, 'Sorry' ],
        slow   => [ { tool_calls => [ call('python__slow', steps => 2) ] },
                    'Done' ],
    ) });

    my $nginx = ORS::Nginx->new(
        model => { MODEL => $model },
        subst => { map { $_ => "127.0.0.1:$ports{$_}" } keys %ports },
        conf => <<'CONF');
        open_responses_flavor openai;
        open_responses_store main lmdb:%%TESTDIR%%/db size=64m;
        open_responses_target default /to/model;
        open_responses_mcp everything /mcp/everything;
        open_responses_mcp python /mcp/python;

        server {
            listen 127.0.0.1:%%PORT_0%%;

            location /v1/ {
                open_responses on;
                open_responses_store main;
            }

            %%CHAT /to/model /chat%%

            location = /mcp/everything {
                internal;
                proxy_pass http://%%EVERYTHING%%/mcp;
            }

            location = /mcp/python {
                internal;
                proxy_pass http://%%PYTHON%%/mcp;
            }
        }
CONF

    $nginx->start;

    my %expect = (sum => 'The sum of 2 and 40 is 42.', region => 'x 7',
                  slow => 'done');

    for my $stream (0, 1) {
        for my $name (qw( sum region slow broken )) {
            my $r = post_json($nginx->port, '/v1/responses', {
                model => $name, input => 'hi',
                stream => $stream ? json_true : json_false,
                tools => [ map { { type => 'mcp', server_label => $_,
                                   require_approval => 'never' } }
                           qw( everything python ) ] },
                headers => { Authorization => 'Bearer key' });

            my $response = ($stream
                            ? stream_ok($r, $name, flavor => 'openai')
                            : response_ok($r, $name, flavor => 'openai'))
                           ->response;

            my ($call) = grep { $_->{type} eq 'mcp_call' }
                         @{ $response->{output} };

            is($call->{output}, $expect{$name}, "$name: output");
            is($call->{error}{type}, $expect{$name} ? undef
               : 'mcp_tool_execution_error', "$name: error");
        }
    }

    open my $sdk, '-|', "$ROOT/t/sdk/.venv/bin/python",
        "$ROOT/t/sdk/mcp_client.py",
        'http://127.0.0.1:' . $nginx->port . '/v1' or die "python: $!\n";

    my $said = do { local $/; <$sdk> };

    close $sdk;

    is_deeply(json_decode($said), {
        asked => [ qw( mcp_list_tools mcp_approval_request ) ],
        approved => [ qw( mcp_call message ) ], output => $expect{sum},
        events => [ map { "response.$_" }
                    qw( mcp_list_tools.in_progress mcp_list_tools.completed
                        mcp_call.in_progress mcp_call_arguments.delta
                        mcp_call_arguments.done mcp_call.completed ) ],
    }, "OpenAI's SDK for Python, with an approval and with a stream");

    $nginx->finish;
};


subtest 'no server' => sub {
    my $mcp = drive(free_port());

    is_deeply([ $mcp->('list') ], [ [ ], 'error 3 502 the answer was cut',
                                    '' ], 'no connection');
};

done_testing();


# a server in a process group of its own, when it listens

sub serve ($port, @command) {
    my $pid = fork // die "cannot fork: $!\n";

    if ($pid == 0) {
        setpgrp;
        $ENV{PORT} = $port;
        delete @ENV{ grep { /proxy\z/i } keys %ENV };
        open STDOUT, '>', '/dev/null';
        open STDERR, '>', '/dev/null';
        exec { $command[0] } @command or POSIX::_exit(127);
    }

    push @pids, $pid;

    wait_for(sub {
        IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $port)
    }, 60) or die "$command[-1] does not listen\n";
}


# a function: a command gives what was sent with the statuses, the outcome, and
# what is known of the server

sub drive ($port, $path = '/mcp') {
    my $pid = open2(my $out, my $in, "$UNIT/mcp_drive", $port, $path);

    push @pids, $pid;

    return sub ($command) {
        my (@sent, @outcome, $known);

        print {$in} "$command\n";
        $in->flush;

        while (defined(my $line = <$out>)) {
            chomp $line;

            last if $line eq 'end';

            if ($line =~ /\A> (.*)/) {
                push @sent, [ $1 ];

            } elsif ($line =~ /\A< (\d+)/) {
                push @{ $sent[-1] }, $1;

            } elsif ($line =~ /\Aknown (.*)/) {
                $known = $1;

            } else {
                push @outcome, $line;
            }
        }

        return \@sent, join("\n", @outcome), $known;
    };
}


END {
    if ($$ == $owner) {
        local $?;

        kill 'TERM', $_ for @pids;
        waitpid $_, 0 for @pids;
    }
}
