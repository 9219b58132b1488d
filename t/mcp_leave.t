#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Clients that leave in the middle of calls of an MCP server with sessions:
# the messages that end the calls and sessions, their bounds, and other clients
# while the server does not answer them.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get http_start post_json );
use ORS::JSON qw( json_encode json_true );
use ORS::Loop qw( plan call );
use ORS::MCP qw( legacy tool said );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Prometheus qw( prometheus );
use ORS::Util qw( wait_for );

my $model = ORS::Model->new(scripts => { default => plan(
    hello => [ 'Hello' ],
    map { my $label = $_;
          $label => [ { tool_calls => [ map { call("${label}__waits#$_",
                                                   n => $_) } 1 .. 5 ] },
                      'never' ] } qw( mute slow free ),
) });

sub waits ($label) {
    return tools => [ tool('waits') ],
           call => sub ($name, $arguments) {
               return [ [ touch => "$label-$arguments->{n}" ],
                        [ hang => "$label-gone" ] ];
           };
}

# two messages of one session at a time leave a file

sub alone ($label) {
    return sub ($conn, $r) {
        my $dir = "$conn->{model}{dir}/$label-at-work";

        $conn->touch('together') unless mkdir $dir;
        select undef, undef, undef, 0.05;
        rmdir $dir;

        $conn->_play([ [ status => 202 ], [ framing => 'length' ],
                       [ 'head' ] ], 0);
    };
}

my $mcp = ORS::Model->new(scripts => {
    mute => legacy(waits('mute'), over => sub ($r) {
        return sub ($conn, $r) {
            $conn->touch('told');
            $conn->wait_gone;
            $conn->touch('untold');
        };
    }),
    map { my $label = $_;
          $label => legacy(waits($label), over => sub ($r) { alone($label) })
    } qw( slow free ),
});

my $mcps = join '', map { <<"CONF" } qw( mute slow free );
        open_responses_mcp $_ /mcp/$_ require_approval=never;
CONF

# connections for four leaves

my $t = ORS::Nginx->new(model => { MODEL => $model, MCP => $mcp },
                        conf => <<"CONF");
    events { worker_connections 64; }

    http {
        open_responses_flavor openai;
        open_responses_target default /to/model;
$mcps
        server {
            listen 127.0.0.1:%%PORT_0%%;

            location /v1/ { open_responses on; }
            location = /status { open_responses_status json; }
            location = /metrics { open_responses_status prometheus; }

            %%CHAT /to/model /chat%%

            location /mcp/ {
                internal;
                proxy_pass http://%%MCP%%/script/;
            }
        }
    }
CONF

$t->start;


# a client that leaves when all its calls run

sub leave ($label, $key) {
    $mcp->untouch(map { "$label-$_" } 1 .. 5);

    my $client = http_start($t->port, 'POST', '/v1/responses',
        { 'Content-Type' => 'application/json',
          defined $key ? (Authorization => "Bearer $key") : () },
        json_encode({ model => $label, input => 'hi', stream => json_true,
                      tools => [ { type => 'mcp',
                                   server_label => $label } ] }));

    $mcp->wait_file("$label-$_") or return for 1 .. 5;
    $client->close;
}


sub dropped () {
    my ($mute) = grep { $_->{tool} eq 'mute' }
                 @{ get($t->port, '/status')->{json}{tools} };

    return $mute->{dropped};
}


sub cancels () {
    return scalar grep { $_ eq 'notifications/cancelled' } said($mcp);
}


# messages of one session, one after the other

leave('slow', 'one');

ok(wait_for(sub { cancels() == 5 }), 'five calls of a session are cancelled');

my @ids = map { $_->{json}{params}{requestId} }
          grep { ($_->{json}{method} // '') eq 'notifications/cancelled' }
          $mcp->requests;
my %calls = map { $_->{json}{id} => 1 }
            grep { ($_->{json}{method} // '') eq 'tools/call' }
            $mcp->requests;

is_deeply({ map { $_ => 1 } @ids }, \%calls, 'each of them once');

$mcp->forget;
leave('free', undef);

ok(wait_for(sub { grep { $_ eq 'DELETE' } said($mcp) }),
   'a session of a client without a key ends');
is(cancels(), 5, '... after its calls');
ok(!$mcp->exists('together'), 'one message at a time');

# a server that does not answer them

$mcp->forget;

my @others;

for my $n (1 .. 20) {
    leave('mute', "key-$n");

    my $r = post_json($t->port, '/v1/responses',
                      { model => 'hello', input => 'hi' },
                      headers => { Authorization => 'Bearer other' });

    push @others, $r->{status} // 'none';
}

is_deeply([ grep { $_ ne '200' } @others ], [],
          'another client is served while twenty leave');

ok($mcp->wait_file('told'), 'the server is told');
ok($mcp->wait_file('untold'), '... and is not waited for');

ok(wait_for(sub { dropped() + cancels() >= 100 }),
   'each message that is not sent is counted');
cmp_ok(cancels(), '<', 20, '... as those over the bound are not');

my $value = prometheus(get($t->port, '/metrics')->{body})->{value};

is($value->{'open_responses_mcp_dropped_total{kind="mcp",server="",'
            . 'target="/mcp/mute",tool="mute"}'}, dropped(),
   '... and shown to Prometheus');

my $line = qr/messages to MCP server "mute" about the end of calls are dropped/;

ok($t->wait_log(qr/$line: too many are being sent by this worker/),
   'the log says so of those over the bound');
ok($t->wait_log(qr/5 $line: it did not answer in time/),
   '... and of those that were waited for');

$t->finish;
done_testing();
