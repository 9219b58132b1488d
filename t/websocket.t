#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Turns through a WebSocket: the handshake, messages that are turns, the state
# of a connection, and errors (protocol, section 13).

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json );
use ORS::JSON qw( json_decode json_encode json_false json_true );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( response_ok );
use ORS::WS;

my $call = { id => 'call_1', name => 'f', arguments => '{"x":1}' };

my $model = ORS::Model->new(scripts => {
    default => stream_script(text => 'Hello'),
    call => stream_script(tool_calls => [ $call ]),
    cut => [ sse_head(), [ sse => chat_chunk(content => 'Hel') ],
             [ 'close' ] ],
    busy => [ [ status => 429 ], [ header => 'Retry-After', 7 ],
              [ json => { error => { message => 'slow down' } } ] ],
    down => json_script({ error => { message => 'no' } }, 500),
});

my $t = ORS::Nginx->new(model => $model, http => <<'HTTP', conf => <<'CONF');
    log_format turns '$request_method $open_responses_id $status '
                     '$open_responses_status $open_responses_error_code';
HTTP
    server {
        listen 127.0.0.1:%%PORT_0%%;
        access_log %%TESTDIR%%/logs/turns.log turns;

        location /v1/ {
            open_responses on;
            open_responses_websocket on queue=3;
            open_responses_flavor openai;
            open_responses_target default /to/chat;
        }

        location /any/ {
            open_responses on;
            open_responses_websocket on origin=any;
            open_responses_target default /to/chat;
        }

        location /closed/ {
            deny all;
            open_responses on;
            open_responses_websocket on;
            open_responses_target default /to/chat;
        }

        location /known/ {
            auth_request /auth;
            open_responses on;
            open_responses_websocket on;
            open_responses_target default /to/chat;
        }

        location = /auth {
            internal;
            if ($http_authorization = "Bearer k") {
                return 204;
            }
            return 401;
        }

        %%CHAT /to/chat%%
    }
CONF

$t->start;

my $port = $t->port;

sub connected (%o) {
    my $ws = ORS::WS->new($port, %o);
    is($ws->{status}, 101, 'a connection');
    return $ws;
}


# the handshake

{
    my $ws = connected;

    like($ws->{head}, qr/^Sec-WebSocket-Accept:[ ]
                          s3pPLMBiTxaQ9kYGzzhZRbK\+xOo=\r$/xmi,
         "RFC 6455's own example");
    like($ws->{head}, qr/^Upgrade: websocket\r$/mi, 'Upgrade');
    like($ws->{head}, qr/^Connection: upgrade\r$/mi, 'Connection');
    unlike($ws->{head}, qr/extensions|protocol:|content-length|encoding/i,
           'nothing that was not asked for');
    $ws->close;
    is($ws->closed, 1000, 'a close is answered');
    is(ORS::WS->new($port, %$_)->{status}, 400, 'a bad key')
        for { headers => { 'Sec-WebSocket-Key' => undef } },
            { headers => { 'Sec-WebSocket-Key' => 'short' } },
            { headers => { 'Content-Length' => 3 }, rest => 'abc' };

    # the first header may be right, and the second one is what others read

    for ([ Origin => "http://127.0.0.1:$port", 'http://evil.example' ],
         [ 'Sec-WebSocket-Key' => ('dGhlIHNhbXBsZSBub25jZQ==') x 2 ],
         [ 'Sec-WebSocket-Version' => 13, 8 ],
         [ Host => "127.0.0.1:$port", 'evil.example' ])
    {
        my ($name, $first, $second) = @$_;
        my %o = (headers => { Host => "127.0.0.1:$port",
                              $name => "$first\r\n\L$name\E: $second" });

        is(ORS::WS->new($port, %o)->{status}, 400, "two headers $name");
        is(ORS::WS->new($port, %o, path => '/any/responses')->{status}, 400,
           '... and with origin=any');
    }

    ok($t->wait_log(qr/refused: it has header "origin" 2 times/),
       'it is logged');

    # these are lists, in one header or in several

    is(ORS::WS->new($port, headers => {
           Connection => "keep-alive\r\nConnection: Upgrade",
           Upgrade => "h2c\r\nUpgrade: websocket" })->{status}, 101,
       'Connection and Upgrade may come twice');

    $ws = ORS::WS->new($port, headers => { 'Sec-WebSocket-Version' => 8 });
    is($ws->{status}, 426, 'version 8');
    like($ws->{head}, qr/^Sec-WebSocket-Version: 13\r$/mi, 'says which');
    is(ORS::WS->new($port, version => '1.0')->{status}, 405, 'HTTP/1.0');
    is(ORS::WS->new($port, path => '/v1/embeddings')->{status}, 405,
       'another path');
    is(ORS::WS->new($port, path => '/closed/responses')->{status}, 403,
       'not for everybody');

    # pages in browsers

    for ([ 'http://evil.example', 403 ], [ 'null', 403 ],
         [ "https://127.0.0.1:$port", 101 ])
    {
        my ($origin, $same) = @$_;
        my %o = (headers => { Origin => $origin,
                              Host => "127.0.0.1:$port" });

        is(ORS::WS->new($port, %o)->{status}, $same, "a page of $origin");
        is(ORS::WS->new($port, %o, path => '/any/responses')->{status}, 101,
           "a page of $origin, with origin=any");
    }

    ok($t->wait_log(qr/refused: its Origin is another host/), 'it is logged');
}


# turns

{
    my $ws = connected;
    my $r = $ws->say('hi', stream => json_true);

    is($r->{status}, 'completed', 'a turn');
    is($r->{output}[0]{content}[0]{text}, 'Hello', 'its text');

    $ws->create(model => 'm', input => 'one');
    $ws->create(model => 'm', input => 'two');
    $ws->create(model => 'm', input => 'three');
    $ws->turn_ok("turn $_ of three") for 1 .. 3;
    is($model->last_request->{json}{messages}[-1]{content}, 'three',
       'in order');

    # continued without a store

    my $n = $model->count;
    my $a = $ws->say('one', store => json_false);
    my $b = $ws->say('two', store => json_false, after => $a);

    is_deeply([ map { $_->{content} }
                    @{ $model->last_request->{json}{messages} } ],
              [ 'one', 'Hello', 'two' ], 'what came before goes with it');

    my $c = $ws->say([ { role => 'user', content => 'three' } ],
                     store => json_false, after => $b);

    is_deeply([ map { $_->{content} }
                    @{ $model->last_request->{json}{messages} } ],
              [ 'one', 'Hello', 'two', 'Hello', 'three' ],
              'and what came before that');

    for my $id ($a->{id}, 'resp_none', '') {
        $ws->create(model => 'm', input => 'x', previous_response_id => $id);
        $ws->error_ok(400, "id '$id'", code => 'previous_response_not_found',
                      param => 'previous_response_id');
    }

    $ws->say('four', after => $c, name => 'the newest one is still there');

    my $other = connected;

    $other->create(model => 'm', input => 'x',
                   previous_response_id => $c->{id});
    $other->error_ok(400, 'another connection',
                     code => 'previous_response_not_found');
    $other->say([ { role => 'user', content => 'all of it' } ]);
}


# warm-up

{
    my $ws = connected;
    my $n = $model->count;

    $ws->create(model => 'm', input => 'prefix', generate => json_false,
                store => json_false);

    my $s = $ws->turn_ok('a warm-up', expect => 'completed');

    is_deeply($s->response->{output}, [], 'no output');
    is($s->response->{usage}{total_tokens}, 0, 'no usage');
    is($model->count, $n, 'the model is not asked');

    $ws->say('go', after => $s->response);
    is_deeply([ map { $_->{content} }
                    @{ $model->last_request->{json}{messages} } ],
              [ 'prefix', 'go' ], 'it can be continued');

    $ws->create(model => 'm', input => 'x', temperature => 'hot',
                generate => json_false);
    $ws->error_ok(400, 'a warm-up is checked', param => 'temperature');
}


# messages that are no turn

{
    my $ws = connected;

    for my $case ([ '{', 'invalid_json', '' ],
                  [ '', 'invalid_json', '' ],
                  [ '[]', 'invalid_type', '' ],
                  [ '"response.create"', 'invalid_type', '' ],
                  [ '{}', 'missing_required_parameter', 'type' ],
                  [ '{"type":7}', 'invalid_value', 'type' ],
                  [ '{"type":"response.append","input":[]}', 'invalid_value',
                    'type' ],
                  [ '{"type":"response.create","model":"m","input":"x",'
                    . '"background":true}', 'unsupported_parameter',
                    'background' ],
                  [ '{"type":"response.create","model":"m","input":"x",'
                    . '"stream_id":"a"}', 'invalid_stream_id', 'stream_id' ],
                  [ '{"type":"response.create","input":"x"}',
                    'missing_required_parameter', 'model' ])
    {
        my ($text, $code, $param) = @$case;

        $ws->send_text($text);
        $ws->error_ok(400, "'$text'", code => $code, param => $param);
    }

    $ws->send_json({ type => 'response.processed', response_id => 'x' });
    $ws->send_json({ type => 'response.steer', previous_response_id => 'r',
                     input => [ 1 ] });

    my $m = $ws->message;

    is($m->{type}, 'response.steer.failed', 'steering is refused');
    is($m->{error}{code}, 'steering_not_supported', 'and says why');
    is_deeply($m->{steer}{input}, [ 1 ], 'with what was sent');

    $ws->say('still here', background => json_false, stream => json_false);
}


# access is checked once, for the handshake

{
    my $ws = ORS::WS->new($port, path => '/known/responses');
    my ($length) = $ws->{head} =~ /^Content-Length: (\d+)/mi;

    is($ws->{status}, 401, 'who does not say who it is');
    $ws->_more while length $ws->{in} < $length && !$ws->{eof};
    is(json_decode($ws->{in})->{error}{code}, 'invalid_api_key',
       '... has the error that HTTP has');

    # one connection's memory is not another's

    my ($one, $two) = map {
        ORS::WS->new($port, path => '/known/responses',
                     headers => { Authorization => 'Bearer k' })
    } 1 .. 2;

    my $r = $one->say('one', store => json_false, name => 'the first one');

    $two->create(model => 'm', input => 'x', previous_response_id => $r->{id});
    $two->error_ok(400, 'the id of another connection',
                   code => 'previous_response_not_found');
    is($one->say('two', after => $r, store => json_false)->{status},
       'completed', '... which continues it');
    $_->drop for $one, $two;
}


# failures

{
    my $ws = connected;

    $ws->create(model => 'busy', input => 'x');

    my $m = $ws->error_ok(429, 'a model that is busy',
                          code => 'rate_limit_exceeded');

    is($m->{headers}{'retry-after'}, 7, 'retry-after');

    $ws->create(model => 'down', input => 'x');
    $ws->error_ok(500, 'a model that fails');

    $ws->create(model => 'cut', input => 'x');
    $ws->turn_ok('a cut', expect => 'failed');

    my $r = $ws->say('one', store => json_false);

    is($r->{status}, 'completed', 'one message has ended each');

    $ws->create(model => 'call', input => 'x', store => json_false,
                tools => [ { type => 'function', name => 'f',
                             parameters => {} } ]);

    my $s = $ws->turn_ok('a call', expect => 'completed');
    my $id = $s->response->{id};

    $ws->say([ { type => 'function_call_output', call_id => 'call_1',
                 output => '2' } ], after => $s->response,
             store => json_false);
    is_deeply([ map { $_->{role} }
                    @{ $model->last_request->{json}{messages} } ],
              [ 'user', 'assistant', 'tool' ], 'the call goes with it');

    $r = $ws->say('one', store => json_false);
    $ws->create(model => 'm', store => json_false,
                previous_response_id => $r->{id},
                input => [ { type => 'function_call_output',
                             call_id => 'call_none', output => '2' } ]);
    $ws->error_ok(400, 'the output of a call that was not made');
    $ws->create(model => 'm', input => 'x', previous_response_id => $r->{id});
    $ws->error_ok(400, 'evicts', code => 'previous_response_not_found');

    $r = $ws->say('one', store => json_false);

    $ws->create(model => 'm', previous_response_id => $r->{id},
                store => json_false,
                input => [ { role => 'user', content => 'x' },
                           { role => 'user', content => 7 } ]);
    $ws->error_ok(400, 'a bad continuation', param => 'input[1].content');

    $ws->create(model => 'm', input => 'x', previous_response_id => $r->{id});
    $ws->error_ok(400, 'it is gone then',
                  code => 'previous_response_not_found');
}

$t->finish;

done_testing();
