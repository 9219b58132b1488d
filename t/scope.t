#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Whose what is stored or sealed is: a request that does not say so gets
# nothing stored, and clients of one place are not those of another.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json request );
use ORS::JSON qw( json_decode json_false json_true );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Stream qw( error_ok );
use ORS::Util qw( spew );

my @keys = (join('', map { sprintf '%02x', $_ } 1 .. 32), 'b' x 64);

my $model = ORS::Model->new(scripts => {
    default => json_script(chat_reply(content => 'hello')),
});

my $conf = <<'CONF';
    open_responses_store main lmdb:%%TESTDIR%%/db size=16m %%KEY%%;
    open_responses_secret %%TESTDIR%%/secret;
    open_responses_strict off;
    open_responses_flavor openai;
    open_responses_target default /to/model;
    open_responses_target native /to/native;
    open_responses_target whole /to/whole;

    server {
        listen 127.0.0.1:%%PORT_0%%;

        location /v1/ {
            open_responses on;
            open_responses_store main;
        }

        location /same/ {
            open_responses on;
            open_responses_store main;
            open_responses_store_scope $http_authorization empty=reject;
        }

        location /other/ {
            open_responses on;
            open_responses_store main;
            open_responses_store_scope $http_x_user;
        }

        location /all/ {
            open_responses on;
            open_responses_store main;
            open_responses_store_scope $http_authorization empty=share;
        }

        location /plain/ { open_responses on; }

        %%CHAT /to/model /v1/chat/completions%%

        location = /to/native {
            internal;
            proxy_pass http://%%MODEL%%/v1/responses;
        }

        location = /to/whole {
            internal;
            open_responses_inline_context on;
            proxy_pass http://%%MODEL%%/v1/responses;
        }
    }
CONF

my $t = ORS::Nginx->new(model => $model, conf => $conf,
                        subst => { KEY => 'ttl=1d' });

spew($t->dir . '/secret', "$keys[0]\n");
chmod 0600, $t->dir . '/secret';
$t->start;

sub post ($who, $body, $at = '/v1/responses', $header = 'Authorization') {
    return post_json($t->port, $at, { model => 'm', input => 'hi', %$body },
                     headers => { $who ? ($header => $who) : () });
}

sub get ($who, $id, $method = 'GET', $at = '/v1', $header = 'Authorization') {
    return request($t->port, $method, "$at/responses/$id",
                   { $who ? ($header => $who) : () });
}

sub stored ($r, $name) {
    my $d = json_decode($r->{body} || '{}');
    is($d->{store}, json_true, "$name: stored") or diag($r->{body});
    return $d->{id};
}

sub refused ($r, $name) {
    error_ok($r, 401, "$name: without a scope", type => 'invalid_request',
             code => 'authentication_required', param => '',
             message => qr/"Authorization".*"store":\ false
                           .*open_responses_store_scope/x);
    is($r->{headers}{'www-authenticate'}, 'Bearer', "$name: it may come back");
}


# nobody's request stores nothing, and reads nothing

my $id = stored(post('Bearer a', {}), 'with a key');
my $count = $model->count;
my $item = { type => 'reasoning', summary => [],
             encrypted_content => 'ors1AAAA' };

for my $body ({}, { store => json_true }, { stream => json_true },
              { background => json_true }, { model => 'whole' },
              { previous_response_id => $id, store => json_false },
              { input => [ { type => 'item_reference', id => 'msg_1' } ],
                store => json_false },
              { include => [ 'reasoning.encrypted_content' ],
                store => json_false },
              { input => [ $item ], store => json_false })
{
    refused(post('', $body), join ' ', %$body);
}

refused(post('', {}, '/v1/responses/compact'), 'compact');
refused(post('', {}, '/other/responses'), 'another scope');
refused(post('Bearer a', {}, '/other/responses'), 'a key in another place');
refused(get('', $_->[1], $_->[0]), "@$_")
    for [ GET => $id ], [ DELETE => $id ], [ GET => "$id/input_items" ],
        [ POST => "$id/cancel" ];

is($model->count, $count, 'the model has heard nothing of it');

is(post('', { store => json_false })->{status}, 200, 'what is not stored');
is(post('', {}, '/plain/responses')->{status}, 200, 'without a store');
is(post('', { include => [ 'file_search_call.results' ],
              store => json_false })->{status}, 200, 'includes others');
is(post('', { store => json_false, input => [
        { type => 'reasoning', summary => [], encrypted_content => 'gAAA' },
        { role => 'user', content => 'hi' } ] })->{status}, 200,
   'what another server has sealed');
post('', { model => 'native' });
is($model->count, $count + 5, 'and what is another server\'s to store, pass');

is(get('Bearer a', $id)->{status}, 200, 'who has a key');
is(get('Bearer b', $id)->{status}, 404, 'and another one');


# it may be otherwise

my $shared = stored(post('', {}, '/all/responses'), 'a share for all');
is(get('', $shared, 'GET', '/all')->{status}, 200, 'all of them read it');
is(get('Bearer a', $shared, 'GET', '/all')->{status}, 404, 'but no others');


# a client's mark is part of its name

is(get('Bearer a', $id, 'GET', '/same')->{status}, 200, 'the same variable');
is(get('Bearer a', $id, 'GET', '/other', 'X-User')->{status}, 404,
   'another variable with the same text');


# a key for the digests

sub restart ($key) {
    $t->stop;
    spew($t->dir . '/nginx.conf',
         $t->_conf_text($conf =~ s/%%KEY%%/$key/r));
    $t->start;
}

spew($t->dir . "/key$_", "# a key\n$keys[$_]\n") for 0, 1;
chmod 0600, $t->dir . "/key$_" for 0, 1;

restart("key=%%TESTDIR%%/key0");
is(get('Bearer a', $id)->{status}, 404, 'with a key: other names');
my $keyed = stored(post('Bearer a', {}), 'with a key');
is(get('Bearer a', $keyed)->{status}, 200, 'with a key: found');

restart("key=%%TESTDIR%%/key1");
is(get('Bearer a', $keyed)->{status}, 404, 'with another key: not found');

restart("key=%%TESTDIR%%/key0");
is(get('Bearer a', $keyed)->{status}, 200, 'with the first one again: found');

$t->finish;


# nginx -t

my $gateway = 'open_responses on; open_responses_target default /to;';

sub told ($name, $http, $location, $like = undef, $ok = 0) {
    my ($code, $text) = $t->conf_test(
        "$http server { listen 127.0.0.1:1;
         location = /to { internal; return 503; }
         location /v1/ { $gateway $location } }", subst => { KEY => '' });

    is($code == 0, !!$ok, "$name: exit code") or diag($text);
    $like ? like($text, $like, $name)
          : unlike($text, qr/\[(warn|emerg)\]/, $name);
    unlike($text, qr/[0-9a-f]{32}|b{32}/, "$name: tells no key");
}

my $store = 'open_responses_store main lmdb:db;';
my $use = 'open_responses_store main;';

told('what an empty one is', '', 'open_responses_store_scope a empty=x;',
     qr/invalid parameter "empty=x" of "open_responses_store_scope"/);

$t->write_file('open', "$keys[0]\n");
$t->write_file('two', "$keys[0]\n$keys[1]\n");
my $dir = $t->dir;

told('a key that all can read',
     "open_responses_store main lmdb:db key=$dir/open;",
     "$use open_responses_store_scope a;",
     qr/\[warn\].*\/open" can be read or written by everybody/, 1);
told('two keys', "open_responses_store main lmdb:db key=$dir/two;", $use,
     qr/"\S+two" must hold one key, and has 2/);
told('no key', "open_responses_store main lmdb:db key=$dir/none;", $use,
     qr/\[emerg\].*"\S+none" failed/);
told('key twice',
     "open_responses_store main lmdb:db key=$dir/key0 key=$dir/key0;", $use,
     qr/parameter "key" of store "main" is duplicate/);

done_testing();
