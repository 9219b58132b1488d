#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The conformance package of MCP judges the gateway as a client: it starts a
# server for each scenario, and t/sdk/mcp_turn.pl, which is one turn of a
# gateway in front of that server.

use v5.36;
use Test::More;
use File::Temp ();
use POSIX ();
use lib 't/lib';
use ORS::JSON qw( json_decode );
use ORS::Nginx ();
use ORS::SDK qw( node );
use ORS::Util qw( slurp PATIENCE );

my $SDK = "$ORS::Nginx::ROOT/t/sdk";
my $PACKAGE = "$SDK/mcp/node_modules/\@modelcontextprotocol/conformance"
              . '/dist/index.js';

die "$PACKAGE is missing, run: make deps-test\n" unless -e $PACKAGE;

# arguments of mcp_turn.pl, results of each check, and the items that the
# client of the gateway gets

my %run = (
    'initialize' => {
        turn => [ '--session' ],
        checks => [ 'mcp-client-initialization SUCCESS' ],
        output => [ 'mcp_list_tools: The list of tools could not be read.',
                    'message' ],
        why => 'the server says that it has no tools',
    },

    'tools_call' => {
        turn => [ 'add_numbers', '{"a":5,"b":3}' ],
        checks => [ 'tool-add-numbers SUCCESS' ],
        output => [ 'mcp_list_tools add_numbers',
                    'mcp_call: The sum of 5 and 3 is 8', 'message' ],
    },

    'sse-retry' => {
        turn => [ '--session', 'test_reconnection', '{}' ],
        checks => [ 'client-sse-graceful-reconnect SUCCESS',
                    'client-sse-retry-timing SUCCESS',
                    'client-sse-last-event-id SUCCESS' ],
        output => [ 'mcp_list_tools test_reconnection',
                    'mcp_call: Reconnection test completed successfully',
                    'message' ],
    },
);

# scenarios without the gateway: it asks no authorization server for a token,
# the location of an MCP server has its key

my %left_out = (
    'elicitation-sep1034-client-defaults' =>
        'there is nobody to ask: elicitation is not among our capabilities',

    'auth/metadata-default' => 'metadata of a resource at its usual place',
    'auth/metadata-var1' => 'metadata at other places',
    'auth/metadata-var2' => 'metadata at other places',
    'auth/metadata-var3' => 'metadata at other places',
    'auth/2025-03-26-oauth-metadata-backcompat' => 'metadata of old servers',
    'auth/2025-03-26-oauth-endpoint-fallback' => 'no metadata at all',
    'auth/resource-mismatch' => 'metadata of another resource',
    'auth/basic-cimd' => 'the id of a client is a URL',
    'auth/pre-registration' => 'a client that is registered',
    'auth/scope-from-www-authenticate' => 'scopes of a token, from a 401',
    'auth/scope-from-scopes-supported' => 'scopes of a token, from metadata',
    'auth/scope-omitted-when-undefined' => 'a token without scopes',
    'auth/scope-step-up' => 'a token of more scopes after a 403',
    'auth/scope-retry-limit' => 'a token after each 403',
    'auth/offline-access-scope' => 'a token that can be refreshed',
    'auth/offline-access-not-supported' => 'a token that cannot be refreshed',
    'auth/token-endpoint-auth-basic' => 'a token for a secret',
    'auth/token-endpoint-auth-post' => 'a token for a secret',
    'auth/token-endpoint-auth-none' => 'a token for a public client',
    'auth/client-credentials-jwt' => 'a token for a signature',
    'auth/client-credentials-basic' => 'a token for a secret, without a user',
    'auth/cross-app-access-complete-flow' => 'a token for that of another',
);

my $owner = $$;
my $running;

my @known = conformance('list', '--client') =~ /^\s+- (\S+)/mg;

is_deeply([ sort @known ], [ sort keys %run, keys %left_out ],
          'scenarios: each is run, or left out for a reason');

subtest $_ => \&scenario, $_ for sort keys %run;

done_testing();


sub scenario ($name) {
    my $expect = $run{$name};
    my $dir = File::Temp->newdir;

    my $log = conformance('client', '--scenario', $name,
        '--timeout', 1000 * PATIENCE, '--output-dir', $dir,
        '--command', join ' ', map { "'$_'" } $^X, "$SDK/mcp_turn.pl",
                     @{ $expect->{turn} });

    my $result = (glob "$dir/*")[0] // $dir;
    my ($checks, $said) = map { eval { json_decode(slurp("$result/$_")) } }
                          qw( checks.json stdout.txt );

    my $ok = is_deeply([ map { "$_->{id} $_->{status}" }
                         grep { $_->{status} ne 'INFO' } @{ $checks // [] } ],
                       $expect->{checks}, 'checks');

    $ok &= is_deeply([ map { item($_) } @{ $said->{response}{output} // [] } ],
                     $expect->{output}, $expect->{why} // 'a call');
    $ok &= ok($said->{well}, 'the gateway is well');

    diag($log, slurp("$result/stderr.txt")) if !$ok;
}


# an item in a word, with the names of tools, an output or an error

sub item ($item) {
    my $text = ref $item->{error} ? $item->{error}{message}
               : $item->{error} // $item->{output};

    return join ' ', $item->{type} . (defined $text ? ": $text" : ''),
                     map { $_->{name} } @{ $item->{tools} // [] };
}


# the package's program, to its end: what it has said

sub conformance (@args) {
    my $out = File::Temp->new;

    $running = fork // die "cannot fork: $!\n";

    if ($running == 0) {
        setpgrp;
        delete @ENV{ grep { /proxy\z/i } keys %ENV };
        open STDIN, '<', '/dev/null';
        open STDOUT, '>', $out->filename;
        open STDERR, '>&', \*STDOUT;

        my @command = (node(), '--import', "$SDK/mcp_loopback.mjs", $PACKAGE,
                       @args);

        exec { $command[0] } @command or POSIX::_exit(127);
    }

    waitpid $running, 0;
    undef $running;

    return slurp($out->filename);
}


# its process group has the gateway, too

END {
    if ($$ == $owner && $running) {
        local $?;

        kill 'TERM', -$running;
        waitpid $running, 0;
    }
}
