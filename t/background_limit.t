#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Responses in the background, and turns of WebSockets, leave connections to
# clients, and no client has all of them.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( http_start post_json request );
use ORS::JSON qw( json_decode json_encode json_true );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( error_ok );
use ORS::Util qw( wait_for );
use ORS::WS;

my $model = ORS::Model->new(scripts => {
    hang => [ [ wait_file => 'go' ],
              [ json => chat_reply(content => 'Hello') ] ],
    stream => [ sse_head(), [ sse => chat_chunk(content => 'Hel') ],
                [ wait_file => 'go' ],
                [ sse => chat_chunk(content => 'lo', finish => 'stop') ],
                [ 'done' ] ],
});

sub conf ($events, $background) {
    return <<"CONF";
    $events

    http {
        access_log off;
        open_responses_store main lmdb:%%TESTDIR%%/db size=64m;
        open_responses_store_scope \$http_x_user;
        open_responses_strict off;

        server {
            listen 127.0.0.1:%%PORT_0%%;

            location /v1/ {
                open_responses on;
                open_responses_store main;
                open_responses_target default /to/model;
                $background
            }

            location = /to/model {
                internal;
                open_responses_dialect chat;
                proxy_pass http://%%MODEL%%/v1/chat/completions;
                proxy_set_header X-Script hang;
            }

            location /ws/v1/ {
                open_responses on;
                open_responses_websocket on lanes=on;
                open_responses_target default /to/stream;
            }

            location = /to/stream {
                internal;
                open_responses_dialect chat;
                proxy_pass http://%%MODEL%%/v1/chat/completions;
                proxy_set_header X-Script stream;
            }

            location /plain/v1/ {
                open_responses on;
                open_responses_target default /to/plain;
            }

            %%CHAT /to/plain /v1/chat/completions%%

            location = /ok { return 200 ok; }
        }
    }
CONF
}

sub begin ($t, $who) {
    return post_json($t->port, '/v1/responses',
                     { model => 'm', input => 'x', background => json_true },
                     headers => { 'X-User' => $who });
}

# how many of them until one is refused

sub begun ($t, $who) {
    for my $n (0 .. 63) {
        my $r = begin($t, $who);
        return ($n, $r) if ($r->{status} // 0) != 200;
    }

    return (64, {});
}

sub ends ($t, $name) {
    $model->touch('go');
    ok(wait_for(sub { (begin($t, 'zoe')->{status} // 0) == 200 }), $name);
    $t->finish;
    $model->untouch('go');
}


# an eighth of the connections, and a quarter of it for one scope

my $events = 'events { worker_connections 128; }';
my $t = ORS::Nginx->new(model => $model, conf => conf($events, ''))->start;

my ($n, $r) = begun($t, 'ann');

is($n, 4, 'a scope has a quarter of them');
error_ok($r, 429, 'the next one is refused', code => 'rate_limit_exceeded',
         type => 'too_many_requests', param => 'background');
is($r->{headers}{'retry-after'}, 10, 'for a while');
ok($t->wait_log(qr/\[warn\].* 4\ responses\ of\ scope\ [0-9a-f]{8}
                   \ run\ in\ the\ background,\ the\ limit\ of\ a\ scope
                   \ is\ 4/x),
   'a line in the log tells of it');
unlike($t->error_log, qr/\bann\b/, 'and does not name the client');

is((begun($t, $_))[0], 4, "$_ has as many") for qw( bob cid dan );

($n, $r) = begun($t, 'eve');

is($n, 0, 'an eighth of the connections');
error_ok($r, 503, 'is for the background', code => 'server_is_overloaded');
is($r->{headers}{'retry-after'}, 10, 'for a while');
is(request($t->port, GET => '/ok')->{body}, 'ok', 'others are served');

ends($t, 'those that end make room');


# however high the limit is, some connections are left to clients

$events = 'events { worker_connections 64; }';
$t = ORS::Nginx->new(model => $model, conf => conf($events,
         'open_responses_background limit=60 scope=60;'))->start;

($n, $r) = begun($t, 'ann');

cmp_ok($n, '>', 15, 'responses of the background have most of them');
error_ok($r, 503, 'and not the last ones', code => 'server_is_overloaded');
is($r->{headers}{'retry-after'}, 10, 'those may be free later');
ok($t->wait_log(qr/of 64 worker_connections \d+ are free, and 8 of them/),
   'the log tells why');

my @open = map { http_start($t->port, GET => '/ok') } 1 .. 4;
is($_->read_response->{body}, 'ok', 'others are served') for @open;
$_->close for @open;

# those that only wait for another request are closed for it

ends($t, 'it goes on when they are free again');

my @idle;

$t = ORS::Nginx->new(model => $model, conf => conf($events,
         'open_responses_background limit=9 scope=9;'))->start;

for (1 .. 45) {
    push @idle, http_start($t->port, GET => '/ok', {}, undef, keepalive => 1);
    $idle[-1]->read_response;
}

is((begun($t, 'ann'))[0], 9, 'idle connections do not count');
$_->close for @idle;

ends($t, 'they end');


# turns of WebSockets: 16 lanes of each one would have all connections

$t = ORS::Nginx->new(model => $model, conf => conf($events, ''))->start;

# the first message of a lane that has such a type

sub message ($ws, $lane, $types) {
    while (my $m = $ws->message) {
        return $m if $m->{stream_id} eq $lane && $m->{type} =~ $types;
    }

    die "no message in lane $lane";
}

sub turn ($ws, $lane, $types) {
    $ws->create(model => 'm', input => 'x', stream_id => $lane);
    return message($ws, $lane, $types);
}

my ($m, @ws);

for ($n = 0; $n < 48; $n++) {
    push @ws, ORS::WS->new($t->port, path => '/ws/v1/responses')
        if $n % 16 == 0;

    $m = turn($ws[-1], 'l' . $n % 16, qr/\A(?:error|response[.]created)\z/);
    last if $m->{type} eq 'error';
}

my $lane = 'l' . $n % 16;

cmp_ok($n, '>', 15, 'turns of WebSockets have most connections');
is($m->{type}, 'error', 'and not the last ones');
is($m->{status}, 429, 'the client may try again');
is($m->{error}{code}, 'rate_limit_exceeded', 'its code');
is($m->{error}{type}, 'too_many_requests', 'its type');
is($m->{headers}{'retry-after'}, 10, 'later');
ok($t->wait_log(qr/of 64 worker_connections \d+ are free, and 8 of them/),
   'the log tells why');

is(post_json($t->port, '/plain/v1/responses',
             { model => 'm', input => 'x' })->{status}, 200,
   'another client is served');

$model->touch('go');

message($ws[0], 'l0', qr/completed/);

ok(wait_for(sub {
    turn($ws[-1], $lane, qr/error|completed/)->{type} ne 'error';
}), 'turns that end make room');

$_->drop for @ws;
$t->finish;
$model->untouch('go');


# nginx -t

sub told ($background, $like, $name, $ok = 0) {
    my ($code, $text) = ORS::Nginx->conf_test(conf($events, $background),
                                              subst => { MODEL => '127.1' });
    is($code == 0, !!$ok, "$name: exit code") or diag($text);
    like($text, $like, $name);
}

told("open_responses_background $_;",
     qr/invalid\ parameter\ "\Q$_\E",\ it\ must\ be\ "limit=",
        \ "scope=",\ "timeout="\ or\ "progress="/x, "invalid: $_")
    for qw( scope room=1 );
told("open_responses_background $_;",
     qr/invalid\ parameter\ "\Q$_\E",\ it\ must\ be\ a\ number/x,
     "invalid: $_")
    for qw( scope=-1 scope=x limit= );
told('open_responses_background timeout=0;',
     qr/invalid parameter "timeout=0", it must be a time above 0/,
     'invalid: timeout=0');
told('open_responses_background scope=1 scope=2;',
     qr/parameter "scope" is duplicate/, 'duplicate');

done_testing();
