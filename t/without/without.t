#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# A module that was built without all that may be left out: what "nginx -t" says
# of it, and that the rest works. "make without" builds that module.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json request );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( error_ok response_ok stream_ok );
use ORS::WS;

my $libraries = join ' ', grep { /NEEDED/ }
                split /\n/, `readelf -d $ENV{TEST_NGINX_MODULE}`;

like($libraries, qr/libjansson/, 'the libraries of the module are known');
unlike($libraries, qr/$_/, "it does not need $_")
    for qw( lmdb hiredis wslay zstd );

my $built = qr/which this module was built without \(ORS_WITHOUT\)/;

for my $case (
    [ 'http', 'open_responses_store main lmdb:/tmp/none;',
      qr/store "main" needs the engine "lmdb", $built/ ],
    [ 'http', 'open_responses_store main redis:127.0.0.1:1;',
      qr/store "main" needs the engine "redis", $built/ ],
    [ 'http', 'open_responses_store main disk:/tmp/none;',
      qr/invalid engine "disk".*must be "lmdb", "redis" or "location"/ ],
    [ 'location', 'open_responses_websocket on;',
      qr/"open_responses_websocket on" needs WebSockets, $built/ ],
    [ 'location', 'open_responses_websocket on idle=1m;', $built ],
    [ 'location', 'open_responses_websocket pass;', undef ],
    [ 'location', 'open_responses_websocket off;', undef ])
{
    my ($where, $line, $like) = @$case;
    my ($code, $text) = ORS::Nginx->conf_test(
        ($where eq 'http' ? $line : '') . 'server { listen 127.0.0.1:1;'
        . 'location /v1/ { open_responses on;'
        . 'open_responses_target default /to/chat;'
        . ($where eq 'http' ? '' : $line) . '}'
        . 'location = /to/chat { internal; open_responses_dialect chat;'
        . 'proxy_pass http://127.0.0.1:1; } }');

    if ($like) {
        isnt($code, 0, "$line: refused");
        like($text, $like, "$line: by its name");

    } else {
        is($code, 0, "$line: accepted") or diag($text);
    }
}

my $model = ORS::Model->new(scripts => {
    default => json_script(chat_reply(content => 'hi')),
    hello => stream_script(text => [ 'Hel', 'lo' ]),
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ {
            open_responses on;
            open_responses_target default /to/chat;
        }

        location /checked/v1/ {
            open_responses_validate on;
            proxy_pass http://%%MODEL%%;
        }

        location = /to/chat {
            internal;
            open_responses_dialect chat;
            proxy_pass http://%%MODEL%%;
        }
    }
CONF

$t->start;

my $port = $t->port;

response_ok(post_json($port, '/v1/responses',
                      { model => 'm', input => 'hi' }), 'a response');
stream_ok(post_json($port, '/v1/responses',
                    { model => 'hello', input => 'hi', stream => \1 }),
          'a stream', expect => 'completed');
error_ok(post_json($port, '/v1/responses', { model => 'm', input => 7 }), 400,
         'an invalid request');
error_ok(post_json($port, '/v1/responses',
                   { model => 'm', input => 'hi',
                     previous_response_id => 'resp_1' }), 400,
         'a follow-up');
error_ok(post_json($port, '/checked/v1/responses',
                   { model => 'm', input => 7 }), 400, 'a validated one');

for my $path ('/v1/responses', '/checked/v1/responses') {
    my $ws = ORS::WS->new($port, path => $path);

    is($ws->{status}, 426, "$path: no WebSocket");
    like($ws->{head}, qr/^Upgrade: websocket\r$/m, "$path: but another way");
    $ws->drop;
}

$t->finish;

done_testing();
