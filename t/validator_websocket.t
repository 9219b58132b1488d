#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The validator of a WebSocket: messages of the client as requests, those of
# the upstream as events; what violates the schema does not pass.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get );
use ORS::JSON qw( json_decode json_encode json_false json_true );
use ORS::Nginx;
use ORS::Sample;
use ORS::Util qw( wait_for );
use ORS::WS;
use ORS::WSModel;

my $bad = sub ($c, $m) {
    my $e = good();

    of($e, 'output_text.delta')->{delta} = 7;
    $c->events($e);
};

my $up = ORS::WSModel->new(scripts => {
    default => sub ($c, $m) { $c->events(good()) },
    fragments => sub ($c, $m) {
        my $n = 0;

        for my $data (@{ good() }) {
            my @chars = split //, json_encode({ %$data,
                                                sequence_number => $n++ });

            $c->bytes(join '', map { chr($_ ? 0 : 1) . "\1$chars[$_]"
                                     . "\x89\1p" } 0 .. $#chars);
            $c->frame(0x80);
        }
    },
    failed => sub ($c, $m) {
        $c->events([ grep { $_->{type} ne 'error' } @{ failed() } ]);
    },
    both => sub ($c, $m) { $c->events(failed()) },
    error => sub ($c, $m) {
        $c->json({ type => 'error', status => 429,
                   error => { type => 'rate_limit_error', code => 'busy',
                              message => 'slow down' },
                   headers => { 'retry-after' => '7' } });
    },
    bad => $bad,
    first => sub ($c, $m) {
        $c->json({ type => 'response.created', response => 7 });
        $c->json({ type => 'response.failed', response => 7 });
    },
    garbage => sub ($c, $m) { $c->text('{"type":'); $c->events(good()) },
    late => sub ($c, $m) {
        $c->events(good());
        $c->json({ type => 'response.output_text.delta', delta => 'x' });
    },
    cut => sub ($c, $m) { $c->events([ (opened())[0, 1] ]); $c->end },
    lanes => sub ($c, $m) {
        my $e = good();
        my $n = 0;

        of($e, 'output_text.delta')->{delta} = 7 if $m->{input} eq 'bad';

        push @{ $c->{lanes} }, [ map {
            { %$_, sequence_number => $n++,
              defined $m->{stream_id} ? (stream_id => $m->{stream_id}) : () }
        } @$e ];

        return if @{ $c->{lanes} } < 3;

        # one of each in turn, the name of the lane first, last or between

        my @lanes = @{ delete $c->{lanes} };

        while (@lanes = grep { @$_ } @lanes) {
            $c->json(shift @$_) for @lanes;
        }

        $c->end if $m->{input} eq 'end';
    },
    open => sub ($c, $m) {
        my $n = 0;

        $c->json({ %$_, sequence_number => $n++,
                   stream_id => $m->{stream_id} }) for (opened())[0, 1];
        $c->end if $m->{input} eq 'end';
    },
    denied => sub ($c, $m) {
        $c->json({ type => 'error', status => 429, stream_id => 'a',
                   error => { type => 'rate_limit_error', code => 'busy',
                              message => 'slow down' } });
    },
    escaped => sub ($c, $m) {
        my $n = 0;

        $c->text(json_encode({ %$_, sequence_number => $n++ })
                 =~ s/\A\{/{"stream_id":"\\u0061",/r) for @{ good() };
    },
    closes => sub ($c, $m) {
        $c->events([ (opened())[0, 1] ]);
        $c->frame(0x88, pack 'n', 1011);
    },
    masked => sub ($c, $m) {
        $c->events([ (opened())[0, 1] ]);
        $c->bytes(ORS::WS::pack_frame(0x81, '{}'));
    },
    binary => sub ($c, $m) { $c->frame(0x82, 'x') },
    silent => sub ($c, $m) { },
    big => sub ($c, $m) {
        my $e = good();
        my $delta = of($e, 'output_text.delta');

        $delta->{delta} .= 'x' x 9_000_000;
        of($e, 'output_text.done')->{text} = 'other';
        $c->events($e);
    },
});

my $t = ORS::Nginx->new(conf => <<"CONF");
    server {
        listen 127.0.0.1:%%PORT_0%%;

        proxy_http_version 1.1;
        proxy_set_header Upgrade \$http_upgrade;
        proxy_set_header Connection upgrade;

        location /v1/ {
            open_responses_validate on;
            open_responses_websocket on message=100k queue=2;
            proxy_pass http://@{[ $up->address ]};
        }

        location /lanes/ {
            open_responses_validate on;
            open_responses_websocket on lanes=on;
            proxy_pass http://@{[ $up->address ]}/;
        }

        location /lanes_mask/ {
            open_responses_validate on;
            open_responses_websocket on lanes=on;
            open_responses_upstream_errors mask;
            open_responses_model other;
            proxy_pass http://@{[ $up->address ]}/;
        }

        location /strip/ {
            open_responses_validate on;
            open_responses_websocket on;
            open_responses_unknown_fields strip;
            open_responses_model other;
            proxy_pass http://@{[ $up->address ]}/;
        }

        location /mask/ {
            open_responses_validate on;
            open_responses_websocket on;
            open_responses_upstream_errors mask;
            proxy_pass http://@{[ $up->address ]}/;
        }

        location /report/ {
            open_responses_validate on report;
            open_responses_websocket on;
            proxy_pass http://@{[ $up->address ]}/;
        }

        location /requests/ {
            open_responses_validate request;
            open_responses_websocket on;
            proxy_pass http://@{[ $up->address ]}/;
        }

        location /answers/ {
            open_responses_validate response;
            open_responses_websocket on;
            proxy_pass http://@{[ $up->address ]}/;
        }

        location = /status { open_responses_status json; }
    }
CONF

$t->start;

my $port = $t->port;

sub connected ($where = 'v1', %o) {
    my $ws = ORS::WS->new($port, path => "/$where/responses", %o);
    is($ws->{status}, 101, "$where: a connection");
    return $ws;
}

sub last_received { return json_decode(($up->received)[-1]) }

sub types ($ws) { return map { json_decode($_)->{type} } $ws->turn }


# what is valid passes

{
    my $ws = connected(v1 => headers => {
        'Sec-WebSocket-Extensions' => 'permessage-deflate' });

    like($ws->{head}, qr/^Sec-WebSocket-Accept:[ ]
                          s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=\r$/xmi,
         "the upstream's own handshake");
    unlike(($up->heads)[-1], qr/Extensions/i, 'no compression is asked for');

    my %body = (type => 'response.create', model => 'm', input => 'hi',
                generate => json_true, stream => json_true,
                metadata => { a => "\x{e9}" });

    $ws->send_json(\%body);
    $ws->turn_ok('a turn', expect => 'completed');
    is_deeply(last_received(), \%body, 'the message as it came');

    $ws->send_text($_) for '{"type":"response.create","model":"m","input":"1"}',
                           '{"type":"response.processed","response_id":"r"}',
                           '{"type":"response.create","model":"m","input":"2"}';
    $ws->turn_ok("pipelined: turn $_", expect => 'completed') for 1, 2;

    my ($first, @rest) = split //, json_encode(\%body);

    $ws->write($_) for split //, ORS::WS::pack_frame(0x01, $first);
    $ws->write(ORS::WS::pack_frame(0x00, $_)
               . ORS::WS::pack_frame(0x8a, 'x')) for @rest;
    $ws->write(ORS::WS::pack_frame(0x80));
    $ws->turn_ok('in fragments', expect => 'completed');
    is_deeply(last_received(), \%body, 'and joined');

    $ws->create(model => 'fragments', input => 'x');
    $ws->turn_ok('an answer in fragments', expect => 'completed');

    $ws->create(model => 'failed', input => 'x');
    is((types($ws))[-1], 'response.failed', "a server's own failure");

    $ws->create(model => 'both', input => 'x');
    is((types($ws))[-1], 'error', 'a failure in two messages');

    $ws->create(model => 'error', input => 'x');

    my $m = $ws->error_ok(429, "a server's own error", code => 'busy');

    is($m->{headers}{'retry-after'}, 7, 'as it came');

    $ws->send_frame(0x89, 'are you there');

    my ($op, $payload) = $ws->frame;

    is("$op $payload", '10 are you there', 'a ping and its pong');
    is_deeply(($up->controls)[-1], [ 9, 'are you there' ], 'of the upstream');
    $ws->close(1000);
    is($ws->closed, 1000, 'a close and its answer');
    is_deeply(($up->controls)[-1], [ 8, pack 'n', 1000 ],
              'both of the upstream');
}


# the message with the handshake

{
    my $ws = connected(v1 => rest => ORS::WS::pack_frame(0x81,
        '{"type":"response.create","model":"m","input":"x"}'));

    $ws->turn_ok('a message with the handshake', expect => 'completed');
    $ws->drop;
}


# requests that do not

{
    my $ws = connected;
    my $n = () = $up->received;

    for my $case ([ '{', 'invalid_json', '' ],
                  [ '[]', 'invalid_type', '' ],
                  [ '{"type":"x"}', 'invalid_value', 'type' ],
                  [ '{"type":"response.create","model":"m","input":7}',
                    'invalid_type', 'input' ],
                  [ '{"type":"response.create","model":"m","input":"x",'
                    . '"temperature":"hot"}', 'invalid_type', 'temperature' ],
                  [ '{"type":"response.create","model":"m","input":"x",'
                    . '"stream_id":"a"}', 'invalid_stream_id', 'stream_id' ],
                  [ '{"type":"response.create","model":"m","input":"x",'
                    . '"background":true}', 'unsupported_parameter',
                    'background' ])
    {
        my ($text, $code, $param) = @$case;

        $ws->send_text($text);
        $ws->error_ok(400, $text, code => $code, param => $param);
    }

    $ws->send_json({ type => 'response.steer', input => [],
                     previous_response_id => 'r' });
    is($ws->message->{type}, 'response.steer.failed', 'steering');

    is(scalar(() = $up->received), $n, 'the upstream gets none of these');
    $ws->create(model => 'm', input => 'x');
    $ws->turn_ok('the connection goes on', expect => 'completed');

    $ws->create(model => 'silent', input => 'x') for 1, 2;
    $ws->create(model => 'm', input => 'x');
    $ws->error_ok(429, 'too many wait', code => 'rate_limit_exceeded');
    $ws->drop;
}


# answers that do not

{
    my $ws = connected;

    for my $script (qw( bad garbage )) {
        $ws->create(model => $script, input => 'x');

        my @types = types($ws);

        is((grep { /failed|error/ } @types), 1, "$script: one message");
        ok($types[-1] eq ($script eq 'bad' ? 'response.failed' : 'error'),
           "$script: ends the turn") or diag("@types");
        $ws->create(model => 'm', input => 'x');
        $ws->turn_ok("$script: the next turn", expect => 'completed');
    }

    $ws->create(model => 'first', input => 'x');
    $ws->error_ok(502, 'nothing was announced',
                  code => 'invalid_upstream_answer');

    $ws->create(model => 'late', input => 'x');
    $ws->turn_ok('an event after the end', expect => 'completed');
    $ws->create(model => 'm', input => 'x');
    $ws->turn_ok('does not disturb the next turn', expect => 'completed');
    $ws->drop;
}


# upstreams that leave

for my $case ([ cut => 1006 ], [ closes => 1011 ], [ masked => 1011 ]) {
    my ($script, $code) = @$case;
    my $ws = connected;

    $ws->create(model => $script, input => 'x');
    is_deeply([ types($ws) ], [ map { "response.$_" }
                                    qw( created in_progress failed ) ],
              "$script: one message ends the turn");
    is($ws->closed, $code, "$script: the close");
}

{
    my $ws = connected;

    $ws->create(model => 'binary', input => 'x');
    $ws->error_ok(502, 'binary', code => 'invalid_upstream_answer');
    is($ws->closed, 1011, 'binary: the close');
}


# clients that break a rule

for my $case ([ 'no mask', ORS::WS::pack_frame(0x81, '{}', mask => 0), 1002 ],
              [ 'compressed', ORS::WS::pack_frame(0xc1, '{}'), 1002 ],
              [ 'binary', ORS::WS::pack_frame(0x82, '{}'), 1003 ],
              [ 'no UTF-8', ORS::WS::pack_frame(0x81, "\xff"), 1007 ])
{
    my ($name, $bytes, $code) = @$case;
    my $ws = connected;

    $ws->write($bytes);
    is($ws->closed, $code, "$name: $code");
    ok(wait_for(sub { my ($c) = ($up->controls)[-1];
                      $c->[0] == 8 && $c->[1] eq pack 'n', 1001 }),
       "$name: the upstream has its close");
}

{
    my $ws = connected;

    $ws->write(substr ORS::WS::pack_frame(0x81, 'x' x 102_401), 0, 20);
    $ws->error_ok(413, 'too long', code => 'request_too_large');
    is($ws->closed, 1009, 'too long: the close');
}


# lanes: turns at the same time, whose events come in any order

{
    my $ws = connected('lanes');
    my $begin = sub (%input) {
        $ws->create(model => 'lanes', input => $input{$_},
                    $_ eq '-' ? () : (stream_id => $_)) for sort keys %input;
    };
    my $read = sub ($turns) {
        my (%of, $over);

        while ($turns) {
            my $text = $ws->text // last;
            my $m = json_decode($text);

            push @{ $of{$m->{stream_id} // '-'} }, $text;
            $turns-- if $m->{type} =~ /\A(?:error|response[.](?:completed
                                                          |failed))\z/x;
        }

        return \%of;
    };

    $begin->('-' => 'x', a => 'x', 'b.1' => 'x');

    my $of = $read->(3);

    $ws->turn_ok("lane $_", expect => 'completed', texts => $of->{$_},
                 $_ eq '-' ? () : (lane => $_)) for '-', 'a', 'b.1';

    $begin->('-' => 'x', a => 'bad', 'b.1' => 'x');
    $of = $read->(3);
    $ws->turn_ok("beside a bad one, lane $_", expect => 'completed',
                 texts => $of->{$_}, $_ eq '-' ? () : (lane => $_))
        for '-', 'b.1';
    like($of->{a}[-1], qr/"response.failed".*,"stream_id":"a"\}\z/,
         'a bad one ends its own lane');
    is(scalar(() = "@{ $of->{a} }" =~ /response\.failed"/g), 1, 'once');

    $ws->create(model => 'm', input => 'x');
    $ws->turn_ok('a turn that has no lane', expect => 'completed');

    $ws->create(model => 'escaped', input => 'x', stream_id => 'a');
    $ws->turn_ok('a name in escapes', expect => 'completed', lane => 'a');

    $ws->create(model => 'm', input => 7, stream_id => 'a');
    $ws->error_ok(400, 'an error of a lane', lane => 'a', param => 'input');
    $ws->create(model => 'm', input => 'x', stream_id => 'a b');
    $ws->error_ok(400, 'a bad name', code => 'invalid_stream_id');

    $ws->create(model => 'open', input => 'x', stream_id => 'a');
    $ws->create(model => 'denied', input => 'x', stream_id => 'b.1');
    is($ws->message->{type}, "response.$_", "lane a: $_")
        for qw( created in_progress );
    $ws->error_ok(429, 'a failure of lane a', lane => 'a', code => 'busy');
    $ws->create(model => 'open', input => 'end', stream_id => 'c');

    $of = $read->(2);

    is(json_decode($of->{$_}[-1])->{type},
       $_ eq 'b.1' ? 'error' : 'response.failed',
       "the upstream leaves, lane $_ has its end") for 'b.1', 'c';
    is($ws->closed, 1006, 'and the connection its own');

    $ws = connected('lanes_mask');

    my %body = (type => 'response.create', model => 'm', input => 'x',
                stream_id => 'a.-_9', metadata => {});

    $ws->send_json(\%body);
    ok(wait_for(sub { (last_received()->{stream_id} // '') eq 'a.-_9' }),
       'a message with another model has its lane');
    is_deeply(last_received(), { %body, model => 'other' },
              'and all that it had');
    $ws->create(model => 'm', input => 7, stream_id => 'a');
    $ws->error_ok(400, 'an error in our words', lane => 'a', param => 'input');
    $ws->drop;
}


# a client that reads late

{
    my $ws = connected;

    $ws->create(model => 'big', input => 'x');
    ok($t->wait_log(qr/upstream answer refused: .*text/), 'it is refused');

    my @types = types($ws);

    is($types[-1], 'response.failed', 'a client that reads late has its end');
    $ws->drop;
}


# modes

{
    my $ws = connected('strip');

    $ws->create(model => 'm', input => 'x', unknown => 1,
                generate => json_false);
    $ws->turn_ok('unknown fields stripped', model => undef);
    is_deeply(last_received(), { type => 'response.create', model => 'other',
                                 input => 'x', generate => json_false },
              'and the model replaced');
    $ws->drop;

    $ws = connected('mask');
    $ws->create(model => 'error', input => 'x');

    my $m = $ws->error_ok(429, 'masked');

    unlike(json_encode($m), qr/slow down|busy/, 'in our words');
    $ws->drop;

    $ws = connected('report');
    $ws->send_text('{"type":"response.create","input":7}');
    $ws->turn_ok('a request that is reported', expect => 'completed');
    is(($up->received)[-1], '{"type":"response.create","input":7}',
       'passes as it came');
    ok($t->wait_log(qr/request would be refused: \w+/), 'and is in the log');

    $ws->create(model => 'bad', input => 'x');
    is((grep { /"delta":7/ } $ws->turn), 1, 'an answer that is reported');
    ok($t->wait_log(qr/upstream answer would be refused/), 'and is in the log');
    $ws->drop;

    $ws = connected('requests');
    $ws->create(model => 'bad', input => 'x');
    is((grep { /"delta":7/ } $ws->turn), 1, 'answers are not validated');
    $ws->create(model => 'm', input => 7);
    $ws->error_ok(400, 'requests are', param => 'input');
    $ws->drop;

    $ws = connected('answers');
    $ws->create(model => 'm', input => 7);
    $ws->turn_ok('requests are not validated', expect => 'completed');
    $ws->create(model => 'bad', input => 'x');
    is((types($ws))[-1], 'response.failed', 'answers are');
    $ws->drop;

    for my $case ([ strip => 401 ], [ mask => 502 ]) {
        my ($where, $status) = @$case;

        is(ORS::WS->new($port, path => "/$where/refuse/responses")->{status},
           $status, "$where: a handshake that the upstream refuses");
    }
}

{
    my $s;
    my $open = sub ($n) {
        return wait_for(sub {
            $s = get($port, '/status')->{json};
            return $s->{open_websockets} == $n;
        });
    };

    ok($open->(0), 'no connection is open');

    my $ws = connected('v1');

    ok($open->(1), 'one is');
    $ws->drop;
    ok($open->(0), 'until the client leaves');

    cmp_ok($s->{websocket_connections}, '>', 10, 'connections are counted');
    cmp_ok($s->{websocket_turns}, '>', 10, 'turns, too');
    cmp_ok($s->{streams}{refused}, '>', 5, 'and violations');
    cmp_ok($s->{streams}{reported}, '>', 0, 'those that passed, too');
}

$t->finish;

done_testing();
