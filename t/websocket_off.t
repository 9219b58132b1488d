#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Handshakes of WebSockets where there are none: a 426, from which clients go
# on by HTTP at once; a validator passes them on if it is told to, and lets no
# upstream switch to another protocol if not.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::H2;
use ORS::HTTP qw( get http_start post_json question request );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( error_ok response_ok );

my $tunnel = [ [ wire => "HTTP/1.1 101 Switching Protocols\r\n"
                         . "Upgrade: websocket\r\n"
                         . "Connection: upgrade\r\n\r\nframes" ],
               [ 'close' ] ];

my $model = ORS::Model->new(scripts => {
    default => json_script(chat_reply(content => 'hi')),
    tunnel => $tunnel,
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    server {
        listen 127.0.0.1:%%PORT_0%%;
        error_page 426 /page.html;

        location /v1/ {
            open_responses on;
            open_responses_target default /to/chat;
        }

        location /closed/ {
            deny all;
            open_responses on;
            open_responses_target default /to/chat;
        }

        %%CHAT /to/chat%%

        proxy_http_version 1.1;
        proxy_set_header Upgrade $http_upgrade;
        proxy_set_header Connection upgrade;

        location /checked/ {
            open_responses_validate on;
            proxy_pass http://%%MODEL%%;
        }

        location /answers/ {
            open_responses_validate response;
            proxy_pass http://%%MODEL%%;
        }

        location /requests/ {
            open_responses_validate request;
            proxy_pass http://%%MODEL%%;
        }

        location /named/ {
            open_responses_validate on;
            try_files /none @upstream;
        }

        location @upstream { proxy_pass http://%%MODEL%%; }

        location /report/ {
            open_responses_validate on report;
            proxy_pass http://%%MODEL%%;
        }

        location /talk/ {
            open_responses_validate on;
            open_responses_websocket pass;
            proxy_pass http://%%MODEL%%;
        }

        location = /status { open_responses_status json; }
    }

    server {
        listen 127.0.0.1:%%PORT_1%% http2;

        location /checked/ {
            open_responses_validate on;
            proxy_pass http://%%MODEL%%;
        }
    }

    server {
        listen 127.0.0.1:%%PORT_2%%;
        open_responses_validate on;

        location / {
            proxy_http_version 1.1;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection upgrade;
            proxy_pass http://%%MODEL%%;
        }
    }
CONF

$t->start;

my $port = $t->port;

sub shake ($path, $upgrade = 'websocket', %o) {
    my $connection = exists $o{connection} ? $o{connection} : 'upgrade';

    return request($o{port} // $port, $o{method} // 'GET', $path, [
        (map { (Upgrade => $_) } ref $upgrade ? @$upgrade : $upgrade),
        Connection => $connection,
        'Sec-WebSocket-Version' => 13,
        'Sec-WebSocket-Key' => 'AAECAwQFBgcICQoLDA0ODw==',
        'Content-Type' => 'application/json',
    ], $o{body}, %o);
}

sub upgrade_ok ($r, $name) {
    error_ok($r, 426, $name, code => 'websocket_not_supported',
             type => 'invalid_request');
    is($r->{headers}{upgrade}, 'websocket', "$name: Upgrade");
}


for my $path (qw( /v1/responses /checked/responses /answers/responses )) {
    upgrade_ok(shake($path), $path);
}

for my $upgrade ('WebSocket', 'h2c, websocket', 'websocket/13',
                 ",\twebsocket ,x", [ 'x', 'websocket' ])
{
    upgrade_ok(shake('/v1/responses', $upgrade),
               join ' + ', ref $upgrade ? @$upgrade : $upgrade);
}

upgrade_ok(shake('/v1/responses', 'websocket', connection => 'x, Upgrade'),
           'a list in Connection');


# nginx asks upstreams in HTTP/1.1 and with a Connection header of its own, so
# a validator refuses whatever may become a handshake

for my $upgrade ('"websocket"', 'websocket;x', 'x websocket',
                 [ 'x', 'websocket' ], 'foo/1, WebSocket/13')
{
    upgrade_ok(shake('/checked/responses', $upgrade),
               join ' + ', 'checked', ref $upgrade ? @$upgrade : $upgrade);
}

for my $case ([ version => '1.0' ], [ connection => 'close' ],
              map { [ method => $_ ] } qw( PUT OPTIONS TRACK ))
{
    upgrade_ok(shake('/checked/responses', 'websocket', @$case),
               "checked, @$case");
}

is(shake('/checked/responses', 'websocket', method => 'HEAD')->{status}, 426,
   'checked, HEAD');

upgrade_ok(shake("/checked/$_"), "checked, $_")
    for qw( responses/ Responses responses;x responses%2f responses.json );

{
    my $c = ORS::H2->new($t->port(1));
    my $r = $c->read_response($c->send('GET', '/checked/responses',
                                       { upgrade => 'websocket' }));

    error_ok($r, 426, 'checked, HTTP/2', code => 'websocket_not_supported');
    is($r->{headers}{upgrade}, undef, 'HTTP/2 has no such header');
    $c->close;
}

is($model->count, 0, 'nothing has gone to the model');


# whatever is no handshake is what it was

for my $upgrade ('h2c', 'xwebsocket', 'websockets', 'x/websocket', '', ',') {
    error_ok(shake('/v1/responses', $upgrade), 405, "'$upgrade'",
             code => 'method_not_allowed');
}

error_ok(get($port, '/v1/responses'), 405, 'GET');
error_ok(shake('/v1/responses', 'websocket', version => '1.0'), 405,
         'HTTP/1.0');
error_ok(shake('/v1/responses', 'websocket', connection => $_), 405,
         "Connection: $_") for 'close', 'upgrades';
error_ok(shake('/v1/responses', 'websocket', method => 'PUT'), 405, 'PUT');
error_ok(shake('/v1/embeddings'), 405, 'another endpoint');
error_ok(shake('/v1/models/x'), 404, 'no endpoint');
error_ok(shake('/closed/responses'), 403, 'not for everybody');

my $r = request($port, 'POST', '/v1/responses',
                { Upgrade => 'websocket', Connection => 'upgrade',
                  'Content-Type' => 'application/json' },
                '{"model":"m","input":"hi"}');

response_ok($r, 'a POST that could be upgraded');


# a connection that was refused can go on

{
    my $c = ORS::HTTP::Conn->new($port);
    my %head = (Upgrade => 'websocket', Connection => 'keep-alive, upgrade');

    http_start($port, 'GET', '/v1/responses', \%head, undef, conn => $c);
    upgrade_ok($c->read_response, 'the same connection');
    http_start($port, 'POST', '/v1/responses',
               { 'Content-Type' => 'application/json' },
               '{"model":"m","input":"hi"}', conn => $c);
    response_ok($c->read_response, 'goes on by HTTP');
    $c->close;
}


# no upstream of a validator switches, whatever was asked

my $body = '{"model":"m","input":"hi"}';

for my $case ([ 'checked/script/tunnel/responses', 'h2c' ],
              [ 'checked/script/tunnel/responses', 'websocket',
                method => 'POST', body => $body ],
              [ 'checked/script/tunnel/models', 'websocket' ],
              [ 'checked/script/tunnel/realtime', 'websocket' ],
              [ 'checked/script/tunnel/realtime', 'websocket',
                version => '1.0' ],
              [ 'checked/script/tunnel/realtime', 'x', method => 'DELETE' ],
              [ 'requests/script/tunnel/realtime', 'websocket' ],
              [ 'requests/script/tunnel/responses', 'websocket',
                method => 'POST', body => $body ],
              [ 'named/script/tunnel/realtime', 'websocket' ],
              [ 'v1/script/tunnel/realtime', 'websocket',
                port => $t->port(2) ])
{
    my ($path, $upgrade, %o) = @$case;
    my $r = shake("/$path", $upgrade, %o);

    error_ok($r, 502, "101 for @$case", code => 'invalid_upstream_answer',
             message => qr/switches/);
    is($r->{headers}{upgrade}, undef, 'without its headers');
    unlike($r->{raw}, qr/frames/, 'nor what follows');
}

is(request($port, 'POST', '/checked/script/tunnel/responses',
           { 'Content-Type' => 'application/json' }, $body)->{status}, 502,
   '101 that nobody has asked for');

is(shake('/app/script/tunnel/chat', 'websocket', port => $t->port(2))
   ->{status}, 101, 'another application of the server has its own');


# the validator passes them on, or only reports

my $n = $model->count;

for my $path (qw( /talk/script/tunnel/responses
                  /talk/script/tunnel/realtime
                  /report/script/tunnel/responses
                  /report/script/tunnel/realtime )) {
    my $r = shake($path);

    is($r->{status}, 101, "$path: passes");
    is($model->last_request->{headers}{upgrade}, 'websocket',
       "$path: as it came");
}

is($model->count, $n + 4, 'all have gone to the model');
ok($t->wait_log(qr/would be refused: websocket_not_supported/), 'reported');
ok($t->wait_log(qr/answer.*switches to another protocol/), 'both ways');


# nginx.conf

{
    my ($code, $out) = ORS::Nginx->conf_test(
        'open_responses_websocket maybe;');

    isnt($code, 0, 'a bad value');
    like($out, qr/"maybe"[ ]of[ ]"open_responses_websocket",[ ]
                  it[ ]must[ ]be[ ]"off",[ ]"pass"[ ]or[ ]"on"/x,
         'and says what is allowed');

    ($code, $out) = ORS::Nginx->conf_test(
        'server { location /v1/ { open_responses_validate on; '
        . 'open_responses_websocket on; proxy_pass http://127.0.0.1:1; } }');

    isnt($code, 0, 'a validator serves no WebSockets');
    like($out, qr/"open_responses_websocket[ ]on"[ ]has[ ]no[ ]effect
                  .*with[ ]"open_responses[ ]on"/x, 'and says what does');
}

$t->finish;

done_testing();
