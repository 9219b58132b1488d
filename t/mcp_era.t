#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The era of an MCP server is found out once, by one of several workers, and
# outlives a reload; a server that changes is found out again.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( http_start post_json );
use ORS::JSON qw( json_encode );
use ORS::Loop qw( plan call );
use ORS::MCP qw( legacy modern tool said );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( response_ok );
use ORS::Util qw( wait_for );

my $model = ORS::Model->new(scripts => { default => plan(
    old  => [ { tool_calls => [ call('old__echo', text => 1) ] }, 'Done' ],
    turn => [ { tool_calls => [ call('turn__echo', text => 1) ] }, 'Done' ],
    slow => [ { tool_calls => [ call('old__slow', text => 1) ] }, 'Done' ],
) });

my $tools = [ tool('echo'), tool('slow') ];
my $answer = sub ($name, $arguments) {
    return "$name $arguments->{text}";
};

my $old = legacy(tools => $tools, call => $answer);
my $new = modern(tools => $tools, call => $answer);

# a slow call is answered by its own id

my $slow = sub ($conn, $r) {
    return $old->($conn, $r)
        unless $r->{body} =~ /"method":"tools\/call".*"name":"slow"/;

    my ($id) = $r->{body} =~ /"id":(\d+)/;

    $conn->_play([ [ touch => 'there' ], [ wait_file => 'go-on' ],
                   [ json => { jsonrpc => '2.0', id => 0 + $id, result => {
                       content => [ { type => 'text', text => 'slow' } ],
                   } } ] ], 0);
};

my $mcp = ORS::Model->new(scripts => {
    old  => $slow,
    turn => sub ($conn, $r) {
        my $changed = -e "$conn->{model}{dir}/changed";

        return ($changed ? $new : $old)->($conn, $r);
    },
});

my $t = ORS::Nginx->new(model => { MODEL => $model, MCP => $mcp },
                        workers => 2, conf => <<'CONF');
    open_responses_flavor openai;
    open_responses_target default /to/model;
    open_responses_mcp old /mcp/old require_approval=never;
    open_responses_mcp turn /mcp/turn require_approval=never;

    server {
        listen 127.0.0.1:%%PORT_0%% reuseport;

        location /v1/ {
            open_responses on;
            add_header X-Worker $pid;
        }

        %%CHAT /to/model /chat%%

        location = /mcp/old {
            internal;
            proxy_pass http://%%MCP%%/script/old;
        }

        location = /mcp/turn {
            internal;
            proxy_pass http://%%MCP%%/script/turn;
        }
    }
CONF

$t->start;


sub body ($name) {
    my $label = $name eq 'slow' ? 'old' : $name;

    return { model => $name, input => 'hi',
             tools => [ { type => 'mcp', server_label => $label } ] };
}


# asks until each worker has answered; what they have answered

sub all_workers ($name) {
    my (%seen, %output);

    wait_for(sub {
        my $r = post_json($t->port, '/v1/responses', body($name),
                          headers => { Authorization => 'Bearer key' });
        my ($call) = grep { $_->{type} eq 'mcp_call' }
                     @{ $r->{json}{output} // [] };

        $seen{$r->{headers}{'x-worker'} // ''} = 1;
        $output{$call->{output} // 'none'} = 1;

        return keys %seen == 2;
    });

    return [ scalar keys %seen, sort keys %output ];
}


# requests of a modern client, and sessions that were begun

sub probes () {
    return scalar grep {
        ($_->{headers}{'mcp-protocol-version'} // '') eq '2026-07-28'
    } $mcp->requests;
}


sub begun () { scalar grep { $_ eq 'initialize' } said($mcp) }


is_deeply(all_workers('old'), [ 2, 'echo 1' ], 'two workers call a tool');
is(probes(), 1, 'one of them has found out that the server has sessions');
is(begun(), 2, 'each has a session of its own');

# a reload in the middle of a call

my $client = http_start($t->port, 'POST', '/v1/responses',
                        { 'Content-Type' => 'application/json',
                          Authorization => 'Bearer key' },
                        json_encode(body('slow')));

ok($mcp->wait_file('there'), 'a call runs');
$mcp->forget;
ok($t->reload, 'nginx is reloaded');
is_deeply(all_workers('old'), [ 2, 'echo 1' ], 'new workers call a tool');
is(probes(), 0, '... and know that the server has sessions');
is(begun(), 2, '... of which they begin their own');

$mcp->touch('go-on');

my $response = response_ok($client->read_response, 'the call of the old worker',
                           flavor => 'openai')->response;

is_deeply([ map { $_->{output} } grep { $_->{type} eq 'mcp_call' }
            @{ $response->{output} } ], [ 'slow' ], '... has its answer');
is(scalar(grep { $_ eq 'notifications/cancelled' } said($mcp)), 0,
   '... and was not cancelled');

# a server that becomes a modern one

is_deeply(all_workers('turn'), [ 2, 'echo 1' ], 'a server of the old era');
$mcp->forget;
$mcp->touch('changed');
is_deeply(all_workers('turn'), [ 2, 'echo 1' ], '... becomes a modern one');
is(begun(), 0, '... which has no sessions');

$mcp->forget;
ok($t->reload, 'nginx is reloaded');
is_deeply(all_workers('turn'), [ 2, 'echo 1' ], 'new workers call its tool');
is(probes(), scalar $mcp->requests, '... and know that it is modern');

$t->finish;
done_testing();
