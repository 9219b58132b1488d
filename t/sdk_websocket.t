#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The WebSocket classes of OpenAI's SDKs for JavaScript and Python through the
# gateway.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::SDK qw( node_tests python_tests );

my $model = ORS::Model->new(scripts => {
    default => stream_script(text => 'Hello'),
    'mock-call' => stream_script(tool_calls => [
        { id => 'call_1', name => 'f', arguments => '{}' } ]),
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ {
            open_responses on;
            open_responses_websocket on;
            open_responses_flavor openai;
            open_responses_target default /to/chat;

            if ($http_authorization != "Bearer test-key") {
                return 401;
            }
        }

        %%CHAT /to/chat%%
    }
CONF

$t->start;

my $gateway = { front => $t->address, model => $model, nginx => $t };

node_tests('websocket.mjs', 'openai', $gateway);
is($model->count, 5, 'turns that came to the model');

python_tests('websocket_test.py', $gateway);
is($model->count, 5 + 7, 'and those of the other');

$t->finish;

done_testing();
