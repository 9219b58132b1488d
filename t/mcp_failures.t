#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# MCP servers that fail, lie, flood or never answer; sessions that are lost;
# limits; and what must not reach a server, a client or a log.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( http_start post_json request );
use ORS::JSON qw( json_decode json_encode json_false json_true );
use ORS::Loop qw( plan call messages outputs );
use ORS::MCP qw( legacy modern tool said );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( response_ok stream_ok error_ok );
use ORS::Util qw( wait_for );

my $SECRET = 'Gai8eish';

# names of tools, what a server answers, type and code of the error

my @failures = (
    [ html => [ [ header => 'Content-Type', 'text/html' ],
                [ raw => "<html>$SECRET" ] ],
      mcp_protocol_error => -32603 ],
    [ status => [ [ status => 500 ], [ raw => $SECRET ] ],
      http_error => 500 ],
    [ moved => [ [ status => 302 ], [ header => 'Location', '/' ],
                 [ raw => $SECRET ] ], http_error => 302 ],
    [ key => [ [ status => 401 ], [ raw => $SECRET ] ], http_error => 401 ],
    [ cut => [ [ header => 'Content-Type', 'text/event-stream' ],
               [ header => 'Content-Length', 1000 ],
               [ raw => ": $SECRET\n\n" ], [ 'close' ] ],
      http_error => 502 ],
    [ over => [ [ header => 'Content-Type', 'text/event-stream' ],
                [ raw => ": $SECRET\n\n" ] ],
      mcp_protocol_error => -32603 ],
    [ array => [ [ header => 'Content-Type', 'application/json' ],
                 [ raw => '[]' ] ], mcp_protocol_error => -32603 ],
    [ broken => [ [ header => 'Content-Type', 'application/json' ],
                  [ raw => "{\"$SECRET" ] ], mcp_protocol_error => -32603 ],
    [ refused => [ [ json => { jsonrpc => '2.0', id => undef,
                               error => { code => -32001,
                                          message => 'for the log' } } ] ],
      mcp_protocol_error => -32001 ],
    [ reset => [ [ 'reset' ] ], http_error => 502 ],
    [ never => [ [ hang => 'never-gone' ] ], http_error => 504 ],
    [ stalls => [ [ header => 'Content-Type', 'text/event-stream' ],
                  [ raw => ": $SECRET\n\n" ], [ hang => 'stalls-gone' ] ],
      http_error => 504 ],
);

my %answer = map { $_->[0] => $_->[1] } @failures;
my @names = map { $_->[0] } @failures;

# characters of a text, which the model makes where it is sent: each fork of a
# model with large texts takes long

my $huge = 3_500_000;

my $model = ORS::Model->new(scripts => { default => plan(
    hello => [ 'Hello' ],
    lost  => [ { tool_calls => [ call('lost__echo', text => 1) ] }, 'Done' ],
    gone  => [ { tool_calls => [ call('gone__echo', text => 1) ] }, 'Done' ],
    huge  => [ { tool_calls => [ call('many__huge', text => 1) ] }, 'Done' ],
    much  => [ { tool_calls => [ call('many__much', text => 1) ] }, 'Done' ],
    asks  => [ { tool_calls => [ call('asks__echo', text => 1) ] }, 'Done' ],
    flood => [ { tool_calls => [ call('flood__echo', text => 1) ] }, 'Done' ],
    leave => [ { tool_calls => [ call('slow__waits', text => 1) ] },
               'never' ],
    deaf  => [ { tool_calls => [ call('deaf__waits', text => 1) ] },
               'never' ],
    three => [ { tool_calls => [ map { call("lost__echo#$_", text => $_) }
                                 1 .. 3 ] }, 'Done' ],
    clash => [ 'Hello' ],
    object => [ { tool_calls => [ { id => 'c', name => 'lost__echo',
                                    arguments => '[1]' } ] }, 'Done' ],
    map({ $_ => [ { tool_calls => [ call("bad__$_", text => 1) ] },
                  'Sorry' ] } @names),
) });

my $comments = (': ' . 'x' x 997 . "\n") x 1000;
my $echo = sub ($name, $arguments) { "echo $arguments->{text}" };
my $now = sub ($name) { sub ($conn) {
    -e "$conn->{model}{dir}/$name" ? 'session-2' : 'session-1'
} };

my $mcp = ORS::Model->new(scripts => {
    lost => legacy(tools => [ tool('echo') ], call => $echo,
                   session => $now->('lost')),
    gone => legacy(tools => [ tool('echo') ], call => $echo, lost => 404,
                   session => $now->('gone')),
    bad  => legacy(tools => [ map { tool($_) } @names ],
                   call => sub ($name, $arguments) { $answer{$name} }),
    slow => modern(tools => [ tool('waits') ], ttl => 60000,
                   call => sub ($name, $arguments) {
                       return [ [ touch => 'there' ], [ hang => 'left' ] ];
                   }),
    deaf => legacy(tools => [ tool('waits') ],
                   call => sub ($name, $arguments) {
                       return [ [ touch => 'deaf-there' ],
                                [ hang => 'deaf-left' ] ];
                   }),
    asks => legacy(tools => [ tool('echo') ], call => $echo, stream => 1,
                   first => [ [ sse => { jsonrpc => '2.0', id => 'p1',
                                         method => 'ping' } ],
                              [ sse => { jsonrpc => '2.0',
                                         method => 'notifications/progress',
                                         params => {} } ],
                              [ wait_file => 'pours-gone' ] ],
                   answered => [ [ header => 'Content-Type',
                                   'text/event-stream' ],
                                 [ raw => ": and so on\n\n" ],
                                 [ hang => 'pours-gone' ] ]),
    flood => legacy(tools => [ tool('echo') ],
                    call => sub ($name, $arguments) {
                        return [ [ header => 'Content-Type',
                                   'text/event-stream' ],
                                 map({ [ raw => $comments ] } 1 .. 12),
                                 [ hang => 'flood-gone' ] ];
                    }),
    many => modern(list => sub ($) {
                       return { tools => [ tool('huge'), tool('much'),
                                           map { tool("t$_") } 1 .. 9998 ] };
                   },
                   call => sub ($name, $arguments) {
                       return [ [ header => 'Content-Type',
                                  'application/json' ],
                                [ raw => '{"jsonrpc":"2.0","id":2,"result":'
                                         . '{"resultType":"complete",'
                                         . '"content":[{"type":"text",'
                                         . '"text":"' . '\u00e5' x $huge
                                         . '"}]}}' ] ]
                           if $name eq 'huge';
                       return 'x' x 3_000_000;
                   }),
    endless => modern(list => sub ($params) {
        return { tools => [ tool('t' . ($params->{cursor} // 0)) ],
                 nextCursor => '' . (($params->{cursor} // 0) + 1) };
    }),
    circle => modern(list => sub ($params) {
        return { tools => [ tool('t') ], nextCursor => 'again' };
    }),
    silent => [ [ hang => 'silent-gone' ] ],
});

my @labels = qw( lost gone bad slow deaf asks flood
                 many endless circle silent );
my %timeout = (bad => '500ms', silent => '500ms');

my $servers = join "\n", map {
    my $timeout = $timeout{$_} // '60s';

    "    open_responses_mcp $_ /mcp/$_ require_approval=never"
        . " timeout=$timeout;"
} @labels;

my $locations = join "\n", map { <<"CONF" } @labels;
        location = /mcp/$_ {
            internal;
            proxy_set_header X-Key \$http_x_key;
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


sub body ($name, $label, %o) {
    return { model => $name, input => 'hi',
             stream => $o{stream} ? json_true : json_false, %{ $o{more} // {} },
             tools => [ { type => 'mcp', server_label => $label,
                          %{ $o{tool} // {} } }, @{ $o{tools} // [] } ] };
}


sub ask ($name, $label, %o) {
    $model->forget;
    $mcp->forget;

    my $r = post_json($t->port, '/v1/responses', body($name, $label, %o),
                      headers => { Authorization => "Bearer $SECRET",
                                   Cookie => "a=$SECRET",
                                   'X-Vault-Token' => $SECRET,
                                   'X-Original-URL' => $SECRET,
                                   'User-Agent' => $SECRET,
                                   'Mcp-Session-Id' => $SECRET,
                                   'Mcp-Method' => $SECRET });
    my $how = $name . ($o{stream} ? ', stream' : '');

    return ($o{stream} ? stream_ok($r, $how, flavor => 'openai')
                       : response_ok($r, $how, flavor => 'openai'))->response;
}


sub called ($response) {
    return grep { $_->{type} eq 'mcp_call' } @{ $response->{output} };
}


# a failure is told in a few words, and the turn goes on

for my $stream (0, 1) {
    for my $failure (@failures) {
        my ($name, undef, $type, $code) = @$failure;
        my $response = ask($name, 'bad', stream => $stream);
        my ($call) = called($response);

        is_deeply([ @$call{qw( status output error )} ],
                  [ 'failed', undef, { type => $type, code => $code,
                                       message => 'The tool failed.' } ],
                  "$name: the client's words");
        is_deeply([ outputs(($model->requests)[1]) ], [ 'The tool failed.' ],
                  "$name: the model's words");
        unlike(json_encode($response), qr/$SECRET|for the log/,
               "$name: no word of the server");
    }
}

ok($mcp->wait_file("$_-gone"), "$_: its connection is closed")
    for qw( never stalls );

ok(wait_for(sub { grep { $_ eq 'notifications/cancelled' } said($mcp) }),
   'a server with sessions hears that the call is over');

# sessions

for my $name (qw( lost gone )) {
    ask($name, $name);

    $mcp->touch($name);

    my ($call) = called(ask($name, $name));

    is($call->{output}, 'echo 1', "$name: a session that is lost");
    is_deeply([ said($mcp) ],
              [ 'tools/call echo', 'initialize', 'notifications/initialized',
                'tools/call echo' ], "$name: begins again, once");
}

my ($call) = called(ask('asks', 'asks'));

is($call->{output}, 'echo 1', 'a server that asks on its stream');
ok($mcp->wait_file('pours-gone'), 'and does not end what it is told');

wait_for(sub { grep { $_ eq 'answer' } said($mcp) });

my ($answer) = grep { !defined $_->{json}{method} } $mcp->requests;

is_deeply($answer->{json}, { jsonrpc => '2.0', id => 'p1', result => {} },
          'gets its answer');
is($answer->{headers}{'mcp-session-id'}, 'session-1', 'in its session');

# limits

my $response = ask('huge', 'many');

is(scalar @{ $response->{output}[0]{tools} }, 1024, 'a list of 10,000 tools');
is((called($response))[0]{error}{message}, 'The tool failed.',
   'a text of 20 Mbytes');

$response = ask('much', 'many');

cmp_ok(length((called($response))[0]{output}), '<', 257 * 1024,
       'a text that is cut');

is((called(ask('flood', 'flood')))[0]{error}{type}, 'mcp_protocol_error',
   'comments without an end');
ok($mcp->wait_file('flood-gone'), 'are read up to a limit');

for my $label (qw( circle silent )) {
    $response = ask('hello', $label);

    is($response->{output}[0]{error}, 'The list of tools could not be read.',
       "$label: the list");
}

$response = ask('hello', 'endless');

cmp_ok(scalar @{ $response->{output}[0]{tools} // [] }, '<=', 100,
       'an endless list');
cmp_ok(scalar(said($mcp)), '<=', 100, 'is read up to a limit');

$response = ask('three', 'lost', more => { max_tool_calls => 1 });

is_deeply([ map { $_->{status} } called($response) ],
          [ qw( completed failed failed ) ], 'the limit of calls');

$response = ask('object', 'lost');

is((called($response))[0]{status}, 'failed', 'arguments that are no object');

# names

error_ok(post_json($t->port, '/v1/responses',
                   body('clash', 'lost', tools => [ {
                       type => 'function', name => 'lost__echo',
                       parameters => { type => 'object' },
                       strict => json_false } ])), 400,
         "the client's own function of that name", param => 'tools[1].name');

is(ask('lost', 'lost', more => { tool_choice => {
       type => 'mcp', server_label => 'lost', name => 'echo' } })
   ->{output}[-1]{content}[0]{text}, 'Done', 'a tool that must be called');

is_deeply([ map { $_->{json}{tool_choice} } $model->requests ],
          [ { type => 'function', function => { name => 'lost__echo' } },
            'auto' ], 'is asked for in the first round');

ask('lost', 'lost', more => { tool_choice => {
    type => 'allowed_tools', mode => 'auto',
    tools => [ { type => 'mcp', server_label => 'lost' } ] } });

is(scalar @{ ($model->requests)[0]{json}{tools} }, 1, 'allowed tools');

# secrets of the tool and of the client

$response = ask('lost', 'lost', tool => {
    headers => { 'X-Other' => $SECRET }, authorization => $SECRET });

unlike(json_encode($response), qr/$SECRET/, 'secrets are not shown');
unlike(json_encode([ map { [ $_->{headers}, $_->{body} ] } $mcp->requests ]),
       qr/$SECRET/, 'and not passed on');

# a client that leaves

$mcp->untouch('left');

my $client = http_start($t->port, 'POST', '/v1/responses',
                        { 'Content-Type' => 'application/json' },
                        json_encode(body('leave', 'slow', stream => 1)));

ok($mcp->wait_file('there'), 'a call runs');
$client->close;
ok($mcp->wait_file('left'), 'a client that leaves ends it');

# ... also of a server that goes on without its connection

$mcp->forget;

$client = http_start($t->port, 'POST', '/v1/responses',
                     { 'Content-Type' => 'application/json' },
                     json_encode(body('deaf', 'deaf', stream => 1)));

ok($mcp->wait_file('deaf-there'), 'a call in a session runs');
$client->close;
ok($mcp->wait_file('deaf-left'), 'a client that leaves closes its connection');

wait_for(sub { grep { $_ eq 'notifications/cancelled' } said($mcp) });

my ($running) = grep { ($_->{json}{method} // '') eq 'tools/call' }
                $mcp->requests;
my @cancels = grep { ($_->{json}{method} // '') eq 'notifications/cancelled' }
              $mcp->requests;

is_deeply([ map { $_->{json} } @cancels ],
          [ { jsonrpc => '2.0', method => 'notifications/cancelled',
              params => { requestId => $running->{json}{id} } } ],
          'and the server hears which call is over, once');
is($cancels[0]{headers}{'mcp-session-id'}, 'session-1', 'in its session');

# clients without a key have nothing in common

for my $n (1, 2) {
    $mcp->forget;

    response_ok(post_json($t->port, '/v1/responses', body('asks', 'asks')),
                "without a key, $n", flavor => 'openai');
    wait_for(sub { grep { $_ eq 'DELETE' } said($mcp) });

    is(scalar(grep { $_ eq 'initialize' } said($mcp)), 1,
       "without a key, $n: a session, which ends");
}

my ($delete) = grep { $_->{method} eq 'DELETE' } $mcp->requests;

is($delete->{headers}{'mcp-session-id'}, 'session-1', 'the session that ends');
is($delete->{body}, '', 'and no body');

# and many keys of one client push out their own sessions

$mcp->forget;

for my $n (1 .. 300) {
    post_json($t->port, '/v1/responses', body('hello', 'gone'),
              headers => { Authorization => "Bearer made-up-$n" });
}

wait_for(sub { 40 <= grep { $_ eq 'DELETE' } said($mcp) });

cmp_ok(scalar(grep { $_ eq 'DELETE' } said($mcp)), '>=', 40,
       'sessions that are forgotten end');

like($t->error_log, qr/"bad__refused" of MCP server "bad" has failed/,
     'the log has the details');
unlike($t->error_log, qr/$SECRET/, 'no secret in the log');

$t->finish;
done_testing();
