#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Streams of MCP servers with sessions that end before their response: the
# rest is asked for by the id of the last event.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( http_start post_json );
use ORS::JSON qw( json_encode json_false json_true );
use ORS::Loop qw( plan call );
use ORS::MCP qw( legacy modern tool said );
use ORS::Model ();
use ORS::Nginx;
use ORS::Stream qw( response_ok stream_ok );
use ORS::Util qw( wait_for );

my @labels = qw( polls cut list deaf gone endless waits slow leaves modern );
my %timeout = (slow => '500ms', endless => '1s');

my $SSE = [ header => 'Content-Type', 'text/event-stream' ];

my $model = ORS::Model->new(scripts => { default => plan(
    hello => [ 'Hello' ],
    map({ $_ => [ { tool_calls => [ call("${_}__echo", text => 1) ] },
                  'Done' ] } @labels),
) });

my $mcp = ORS::Model->new(scripts => {

    # the server closes the stream whenever it likes to
    polls => server(first => sub ($id) { place("$id-1", 100) },
                    rest => sub ($id, $n) {
                        return $n < 3 ? place("$id-" . ($n + 1))
                                      : [ $SSE, result($id) ];
                    }),

    # events, a part of one, and no end
    cut => server(first => sub ($id) {
                      return [ @{ place("$id-1", 100) },
                               [ sse => { jsonrpc => '2.0',
                                          method => 'notifications/message',
                                          params => {} } ],
                               [ raw => "id: $id-2\ndata: {" ], [ 'reset' ] ];
                  },
                  rest => sub ($id, $n) { [ $SSE, result($id) ] }),

    # of the list, too
    list => legacy(list => sub ($params) {
                       return [ @{ place('7', 100) } ];
                   },
                   call => sub ($name, $arguments) { 'listed' },
                   resume => sub ($r) {
                       return [ $SSE, [ sse => {
                           jsonrpc => '2.0', id => 3,
                           result => { tools => [ tool('echo') ] } } ] ];
                   }),

    deaf => server(first => sub ($id) { place("$id-1", 100) }),
    gone => server(first => sub ($id) { place("$id-1", 100) },
                   rest => sub ($id, $n) { [ [ status => 404 ], [ 'head' ] ] }),
    endless => server(first => sub ($id) { place("$id-1", 1) },
                      rest => sub ($id, $n) { place("$id-1") }),
    waits => server(first => sub ($id) { [ $SSE, [ raw => "id: $id-1\n" ] ] }),
    slow => server(first => sub ($id) { place("$id-1", 3600000) }),
    leaves => server(first => sub ($id) { place("$id-1", 3600000) }),
    modern => modern(tools => [ tool('echo') ],
                     steps => sub ($m) { place("$m->{id}-1", 100) }),
});

my $servers = join "\n", map {
    my $timeout = $timeout{$_} // '60s';

    "    open_responses_mcp $_ /mcp/$_ require_approval=never"
        . " timeout=$timeout;"
} @labels;

my $locations = join "\n", map { <<"CONF" } @labels;
        location = /mcp/$_ {
            internal;
            proxy_pass http://%%MCP%%/script/$_;
        }
CONF

my $t = ORS::Nginx->new(model => { MODEL => $model, MCP => $mcp },
                        conf => <<"CONF");
    open_responses_flavor openai;
    open_responses_target default /to/model;
$servers

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ { open_responses on; }

        %%CHAT /to/model /chat%%
$locations
    }
CONF

$t->start;

# servers that go on

for my $stream (0, 1) {
    my $call = ask('polls', stream => $stream);
    my ($id, @said) = sent();

    is($call->{output}, 'echo', 'a stream that is resumed three times');
    is_deeply([ @said[-4 .. -1] ],
              [ 'tools/call echo', map { "GET $id-$_" } 1 .. 3 ],
              'each time after the last event');
}

my ($get) = grep { $_->{method} eq 'GET' } $mcp->requests;

is($get->{headers}{accept}, 'text/event-stream', 'Accept');
is($get->{headers}{'mcp-session-id'}, 'session-1', 'the session');
is($get->{headers}{'mcp-protocol-version'}, '2025-11-25', 'the version');
is($get->{body}, '', 'no body');
ok(!exists $get->{headers}{$_}, "no $_")
    for qw( content-type content-length authorization cookie mcp-method );

my $call = ask('cut', stream => 1);
my ($id, @said) = sent();

is($call->{output}, 'echo', 'a stream that is cut');
is($said[-1], "GET $id-1", 'goes on after the last whole event');

is(ask('list')->{output}, 'listed', 'a list that is resumed');
is_deeply([ (said($mcp))[3 .. 5] ],
          [ 'tools/list', 'GET 7', 'tools/call echo' ],
          'and the call after it');

# servers that do not go on hear that the call is over

my %code = (deaf => 405, gone => 404, endless => 504, waits => -32603,
            slow => 504);

for my $name (sort keys %code) {
    $call = ask($name);

    is_deeply([ @$call{qw( status output )}, $call->{error}{code} ],
              [ 'failed', undef, $code{$name} ], "$name: the call has failed");

    cancelled($name);
}

ask('waits');
ok(!grep({ /^GET/ } (sent())), 'an id without the end of its event is none');

ask('slow');
ok(!grep({ /^GET/ } (sent())), 'a wait beyond the time limit is none');

# a client that leaves while the server wants to be left alone

$mcp->forget;

my $client = http_start($t->port, 'POST', '/v1/responses',
                        { 'Content-Type' => 'application/json',
                          Authorization => 'Bearer key' },
                        json_encode(body('leaves', 1)));

wait_for(sub { grep { /^tools\/call/ } said($mcp) });
$client->close;
cancelled('leaves');

# the modern era has nothing to be resumed

is(ask('modern')->{status}, 'failed', 'a modern server');
ok(!grep({ /^GET|cancelled/ } (sent())), 'is not asked again');

$t->finish;
done_testing();


# answers that end with an event without data: the place of what comes next

sub place ($id, $retry = undef) {
    return [ $SSE, [ raw => (defined $retry ? "retry: $retry\n" : '')
                            . "id: $id\ndata:\n\n" ] ];
}


sub result ($id) {
    return [ sse => { jsonrpc => '2.0', id => 0 + $id, result => {
        content => [ { type => 'text', text => 'echo' } ] } } ];
}


# the id of an event is that of the call and a number

sub server (%o) {
    return legacy(tools => [ tool('echo') ],
                  steps => sub ($m) { $o{first}->($m->{id}) },
                  $o{rest} ? (resume => sub ($r) {
                      $o{rest}->(split /-/, $r->{headers}{'last-event-id'});
                  }) : ());
}


sub body ($name, $stream) {
    return { model => $name, input => 'hi',
             stream => $stream ? json_true : json_false,
             tools => [ { type => 'mcp', server_label => $name } ] };
}


sub ask ($name, %o) {
    $mcp->forget;

    my $r = post_json($t->port, '/v1/responses', body($name, $o{stream}),
                      headers => { Authorization => 'Bearer key',
                                   'Last-Event-ID' => 'mine',
                                   Cookie => 'a=b' });
    my $how = $name . ($o{stream} ? ', stream' : '');
    my $response = ($o{stream} ? stream_ok($r, $how, flavor => 'openai')
                               : response_ok($r, $how, flavor => 'openai'))
                   ->response;

    my ($call) = grep { $_->{type} eq 'mcp_call' } @{ $response->{output} };

    return $call;
}


# the id of the call, and all that was sent

sub sent {
    my ($called) = grep { ($_->{json}{method} // '') eq 'tools/call' }
                   $mcp->requests;

    return ($called->{json}{id}, said($mcp));
}


sub cancelled ($name) {
    my @cancels;

    wait_for(sub {
        @cancels = grep { ($_->{json}{method} // '')
                          eq 'notifications/cancelled' } $mcp->requests;
    });

    is_deeply([ map { $_->{json}{params}{requestId} } @cancels ],
              [ (sent())[0] ], "$name: the server hears it, once");
}
