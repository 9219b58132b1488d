#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Stored conversations that the running requests of one client hold are
# bounded, and other clients do not notice it.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( get http_start post_json request );
use ORS::JSON qw( json_decode json_encode json_true );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( error_ok );
use ORS::Util qw( wait_for );
use ORS::WS;

my $model = ORS::Model->new(scripts => {
    default => json_script(chat_reply(content => 'Hello')),
    hang => [ [ header => 'Content-Type', 'application/json' ],
              [ touch => 'there' ], [ hang => 'gone' ] ],
});

my $t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    open_responses_store main lmdb:%%TESTDIR%%/db size=64m sync=off;
    open_responses_store_scope $http_x_user;
    open_responses_strict off;
    open_responses_heartbeat 0;
    open_responses_target default /to/model;
    open_responses_limits truncate=4k;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ {
            open_responses on;
            open_responses_store main;
            open_responses_limits context=32k scope_context=48k;
        }

        location /small/ {
            open_responses on;
            open_responses_store main;
            open_responses_limits context=32k scope_context=8k;
        }

        location /ws/ {
            open_responses on;
            open_responses_websocket on;
            open_responses_limits scope_context=48k;
        }

        location /any/ {
            open_responses on;
            open_responses_store main;
            open_responses_limits context=32k scope_context=0;
        }

        location /status { open_responses_status json; }

        %%CHAT /to/model /v1/chat/completions%%
    }
CONF

$t->start;


sub ask ($who, $at, %o) {
    my $script = delete $o{script} // 'default';

    return post_json($t->port, "$at/responses",
                     { model => 'm', input => 'hi', %o },
                     headers => { 'X-User' => $who, 'X-Script' => $script });
}

sub is_ok ($r, $name) {
    is($r->{status}, 200, $name) or diag($r->{body});
    return json_decode($r->{body} || '{}');
}

sub crowded ($r, $name, @param) {
    error_ok($r, 429, $name, code => 'rate_limit_exceeded',
             type => 'too_many_requests', @param);
    is($r->{headers}{'retry-after'}, 1, "$name: for a while");
}

# a request that runs until its client leaves

sub runs ($who, $at, %o) {
    my $c = http_start($t->port, 'POST', "$at/responses",
                       { 'Content-Type' => 'application/json',
                         'X-User' => $who, 'X-Script' => 'hang' },
                       json_encode({ model => 'm', input => 'hi', %o }));

    ok($model->wait_file('there'), "a request of $who runs");
    $model->untouch('there');

    return $c;
}

sub leaves ($c) {
    $c->close;
    ok($model->wait_file('gone'), 'its client leaves');
    $model->untouch('gone');
}

my %id = map { $_ => is_ok(ask($_, '/v1', input => 'x' x 20_000),
                           "a long turn of $_")->{id} } qw( ann bob );
my %after = map { $_ => { previous_response_id => $id{$_} } } keys %id;
my $item = { type => 'item_reference', id => json_decode(request($t->port,
    'GET', "/v1/responses/$id{ann}", { 'X-User' => 'ann' })->{body})
    ->{output}[0]{id} };


# one that runs holds 20,000 bytes, and another one might need 32k

my $c = runs('ann', '/v1', $after{ann}->%*);

crowded(ask('ann', '/v1', $after{ann}->%*), 'another turn that follows',
        param => 'previous_response_id');
crowded(ask('ann', '/v1', $after{ann}->%*, stream => json_true), 'a stream',
        param => 'previous_response_id');
crowded(ask('ann', '/v1', input => [ $item ]), 'references',
        param => 'input');
crowded(ask('ann', '/v1', $after{ann}->%*, background => json_true),
        'a response in the background', param => 'previous_response_id');
crowded(request($t->port, 'GET', "/v1/responses/$id{ann}/input_items",
                { 'X-User' => 'ann' }), 'a list');
ok($t->wait_log(qr/\[warn\].*\ scope\ [0-9a-f]{8}\ is\ over
                   \ "scope_context":\ holds\ 2\d{4}\ of\ 49152\ bytes\ of
                   \ stored/x), 'a line in the log');
unlike($t->error_log, qr/\bann\b/, 'that does not name the client');

is_ok(ask('ann', '/v1'), 'a new conversation');
is_ok(request($t->port, 'GET', "/v1/responses/$id{ann}",
              { 'X-User' => 'ann' }), 'one response');
is_ok(ask('bob', '/v1', $after{bob}->%*), 'another client');
is_ok(ask('ann', '/any', $after{ann}->%*), 'a location without a limit');

leaves($c);

ok(wait_for(sub { ask('ann', '/v1', $after{ann}->%*)->{status} == 200 }),
   'there is room when it has ended');
is_ok(ask('ann', '/v1', $after{ann}->%*), 'and when that has, too');
is_ok(request($t->port, 'GET', "/v1/responses/$id{ann}/input_items",
              { 'X-User' => 'ann' }), 'for a list');


# items that are left out of a context do not count

$c = runs('ann', '/v1', $after{ann}->%*, truncation => 'auto');
is_ok(ask('ann', '/v1', $after{ann}->%*), 'a truncated context is small');
leaves($c);


# a WebSocket holds what is not stored, of its newest response

sub socket_of ($who) {
    return ORS::WS->new($t->port, path => '/ws/responses',
                        headers => { 'X-User' => $who,
                                     'X-Script' => 'default' });
}

{
    my ($first, $second, $bob) = map { socket_of($_) } qw( ann ann bob );
    my $long = 'x' x 30_000;
    my $r = $first->say($long, name => 'a long turn of a WebSocket');
    my $s = $second->say($long, name => 'one more of another');

    $bob->say('more', after => $bob->say($long), name => 'another client');

    ok($t->wait_log(qr/response of a WebSocket cannot be continued/),
       'there is no room for its items');

    $second->create(model => 'm', input => 'more',
                    previous_response_id => $s->{id});
    $second->error_ok(400, 'it is not continued',
                      code => 'previous_response_not_found');
    $r = $first->say('more', after => $r, name => 'that which was first is');

    $second->say('short', after => $second->say('short'),
                 name => 'a short one is, too');

    # a failure takes the items with it, and so does a new conversation

    $first->create(model => 'm', input => 7, previous_response_id => $r->{id});
    $first->error_ok(400, 'a failed turn');

    $second->say('more', after => $second->say($long),
                 name => 'there is room now');
    $second->say('short');
    $first->say('more', after => $first->say($long), name => 'and now');
    $first->drop;

    ok(wait_for(sub {
        my $s = $second->say($long);
        $second->create(model => 'm', input => 'more',
                        previous_response_id => $s->{id});
        my ($m) = $second->turn;
        return $m !~ /previous_response_not_found/;
    }), 'a connection that ends leaves its room');
    $second->drop;
    $bob->drop;
}


# a conversation of more than that is too long

error_ok(ask('ann', '/small', $after{ann}->%*), 400, 'a smaller limit',
         code => 'context_length_exceeded', param => 'previous_response_id');

is(get($t->port, '/status')->{json}{unstored}, 0, 'nothing is unstored');

$t->finish;


# responses that a store cannot take are counted

$t = ORS::Nginx->new(model => $model, conf => <<'CONF');
    open_responses_store main lmdb:%%TESTDIR%%/db scope_turns=1;
    open_responses_store_scope $http_x_user;
    open_responses_strict off;
    open_responses_target default /to/model;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ {
            open_responses on;
            open_responses_store main;
        }

        location /status { open_responses_status json; }

        %%CHAT /to/model /v1/chat/completions%%
    }
CONF

$t->start;

sub unstored () { get($t->port, '/status')->{json}{unstored} }

is_ok(ask('ann', '/v1'), 'one is stored');
is(unstored(), 0, 'not counted');
is_ok(ask('ann', '/v1'), 'one more is not');
ok(wait_for(sub { unstored() == 1 }), 'is counted');

my $id = is_ok(ask('bob', '/v1', background => json_true),
               'one in the background')->{id};
ok(wait_for(sub { request($t->port, 'GET', "/v1/responses/$id",
                          { 'X-User' => 'bob' })->{body} =~ /"completed"/ }),
   'ends');
is(unstored(), 1, 'and is stored');

$t->finish;
done_testing();
