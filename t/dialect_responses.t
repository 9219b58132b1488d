#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Requests that only a server with a memory can serve: it gets them as they
# came; before one that speaks Chat they are refused.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json );
use ORS::JSON qw( json_encode );
use ORS::Model;
use ORS::Nginx;
use ORS::Sample;
use ORS::Stream qw( error_ok );

# a good one is not changed on its way, but for the model's name

my $answer = json_encode(response('completed', model => 'its-own'));
my $events = render(good());

my $model = ORS::Model->new(scripts => {
    native => sub ($conn, $r) {
        my $stream = $r->{body} =~ /"stream" *: *true/;

        $conn->_step_header('Content-Type', $stream ? 'text/event-stream'
                                                    : 'application/json');
        $conn->body($stream ? $events : $answer);
    },
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    open_responses_strict off;
    open_responses_flavor openai;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ {
            open_responses on;
            open_responses_target  chat     /to/chat;
            open_responses_target  native   /to/native;
            open_responses_target  renamed  /to/renamed;
        }

        %%CHAT /to/chat /chat%%

        location = /to/native {
            internal;
            open_responses_dialect responses;
            proxy_pass http://%%MODEL%%/script/native;
        }

        location = /to/renamed {
            internal;
            open_responses_dialect responses;
            open_responses_model its-own;
            proxy_pass http://%%MODEL%%/script/native;
        }
    }
CONF

$t->start;


sub ask ($model, $rest) {
    return post_json($t->port, '/v1/responses',
                     qq({"model":"$model",$rest}));
}


sub refused ($name, $target, $rest, $code, $param, %more) {
    for my $stream ('', ',"stream":true') {
        my $how = $stream ? 'stream' : 'plain';
        my $count = $model->count;

        error_ok(ask($target, $rest . $stream), 400,
                 "$name, $target, $how: refused", type => 'invalid_request',
                 code => $code, param => $param, %more);
        is($model->count, $count,
           "$name, $target, $how: the model hears of none");
    }
}


sub arrives ($name, $rest) {
    for my $stream ('', ', "stream": true') {
        my $how = $stream ? 'stream' : 'plain';

        for (['native', 'native'], ['renamed', 'its-own']) {
            my ($target, $upstream) = @$_;
            my $r = ask($target, $rest . $stream);

            is($r->{status}, 200, "$name, $target, $how: status");
            is($r->{body} =~ s/"model":"$target"/"model":"$upstream"/gr,
               ($stream ? $events : $answer)
               =~ s/"model":"[^"]+"/"model":"$upstream"/gr,
               "$name, $target, $how: answer");
            is($model->last_request->{body},
               qq({"model":"$upstream",$rest$stream}),
               "$name, $target, $how: byte for byte");
        }
    }
}


# the same request for each of them

my @cases = (
    [ 'a stored response', '"previous_response_id": "resp_1", "input":"hi"',
      'previous_response_not_found', 'previous_response_id',
      message => qr/not stored here/ ],
    [ 'a stored response, no input', '"previous_response_id":"resp_1"',
      'previous_response_not_found', 'previous_response_id' ],
    [ 'a stored response, empty input',
      '"previous_response_id":"resp_1","input":[]',
      'previous_response_not_found', 'previous_response_id' ],
    [ 'a conversation', '"conversation":{"id" : "conv_1"},"input":"hi"',
      'unsupported_parameter', 'conversation',
      message => qr/must be sent as "input"/ ],
    [ 'a conversation by its name', '"conversation":"conv_1","input":"hi"',
      'unsupported_parameter', 'conversation' ],
    [ 'a stored prompt', '"prompt":{"id":"pmpt_1","variables":{}}',
      'unsupported_parameter', 'prompt', message => qr/"instructions"/ ],
    [ 'in the background', '"background":true,"input":"hi"',
      'unsupported_parameter', 'background',
      message => qr/must be false or absent/ ],
    [ 'a reference', '"input":[{"type":"item_reference","id":"msg_1"},'
                     . '{"role":"user","content":"hi"}]',
      'unsupported_item', 'input[0]', message => qr/the item itself/ ],
    [ 'a reference without a type',
      '"input":[{"role":"user","content":"hi"},{ "id":"msg_1" }]',
      'unsupported_item', 'input[1]', message => qr/the item itself/ ],
    [ 'a reference with a null for a type',
      '"input":[{"id":"msg_1","type":null}]',
      'unsupported_item', 'input[0]' ],
    [ 'compaction',
      '"input":[{"type":"compaction","encrypted_content":"AA"}]',
      'unsupported_item', 'input[0]', message => qr/cannot be read/ ],
    [ 'an output without its call',
      '"input":[{"type":"function_call_output","call_id":"c","output":""}]',
      'unknown_call_id', 'input[0].call_id' ],
    [ 'no input', '"instructions":"hi"',
      'missing_required_parameter', 'input' ],
    [ 'input null', '"input":null', 'missing_required_parameter', 'input' ],
    [ 'empty text', '"input":"","instructions":"hi"', 'invalid_value',
      'input', message => qr/nothing to answer/ ],
    [ 'no items', '"input":[]', 'invalid_value', 'input' ],
);

for my $case (@cases) {
    my ($name, $rest, @error) = @$case;

    refused($name, 'chat', $rest, @error);
    arrives($name, $rest);
}


# null is absent

{
    my $r = ask('chat', '"previous_response_id":null,"conversation":null,'
                        . '"prompt":null,"background":null,"input":"hi"');

    is($r->{status}, 200, 'null, chat: status');
    is_deeply([ sort keys %{ $model->last_request->{json} } ],
              [ qw( messages model ) ], 'null, chat: what is sent');
}


# requests that the specification forbids are refused whoever would serve them

for my $target ('chat', 'native') {
    refused('an id that is a number', $target,
            '"previous_response_id":5,"input":"hi"', 'invalid_type',
            'previous_response_id');
    refused('background that is a string', $target,
            '"background":"true","input":"hi"', 'invalid_type', 'background');
    refused('a reference to nothing', $target,
            '"input":[{"type":"item_reference"}]',
            'missing_required_parameter', 'input[0].id');
    refused('a reference to a number', $target, '"input":[{"id":5}]',
            'invalid_type', 'input[0].id');
    refused('input of another type', $target, '"input":{}', 'invalid_type',
            'input');
    refused('an item of the future', $target, '"input":[{"type":"dream"}]',
            'unsupported_item', 'input[0].type');
}

$t->finish;

done_testing();
