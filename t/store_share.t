#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# No client gets more of a store than its share, and no record is larger than
# it may be: the turn is not kept, which is told, and others do not notice.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::HTTP qw( post_json request );
use ORS::JSON qw( json_decode json_false json_true );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Redis;
use ORS::Stream qw( error_ok stream_ok );
use ORS::Util qw( wait_for );

my $redis = ORS::Redis->new;
my @cluster = ORS::Redis->cluster(3);
my $model = ORS::Model->new(scripts => {
    default => json_script(chat_reply(content => 'hello')),
    long => json_script(chat_reply(content => 'x' x 5000)),
    stream => stream_script(text => 'hello'),
});

sub conf ($store, $use = '') {
    return <<"CONF";
        open_responses_store main $store;
        open_responses_store_scope \$http_x_user;
        open_responses_strict off;
        open_responses_flavor openai;
        open_responses_target default /to/model;

        server {
            listen 127.0.0.1:%%PORT_0%% reuseport;

            location /v1/ {
                open_responses on;
                open_responses_store main;
            }

            location /must/ {
                open_responses on;
                open_responses_store main required;
            }

            %%CHAT /to/model /v1/chat/completions%%
        }
CONF
}

# Redis' counts of each scope are those of the keys, when those that have
# expired in this second have gone

sub counted ($lost = 0) {
    for my $sizes (grep { /:sizes$/ } $redis->keys) {
        my $scope = $sizes =~ s/sizes$//r;
        my %is = $redis->cmd(HGETALL => $sizes)->@*;
        my ($bytes, $turns) = (delete $is{bytes}, delete $is{turns});
        my $entries = qr/^\Q$scope\E[0-9a-f]{32}$/;
        my $sum = 0;

        ok(wait_for(sub {
            keys %is == grep({ $_ =~ $entries } $redis->keys) - $lost
        }), 'redis: all entries are counted');

        $sum += $redis->cmd(STRLEN => $_) + 128 for keys %is;

        is($bytes, $sum, 'redis: and their bytes');
        is($turns, grep({ /^1 / } values %is), 'redis: and turns');
        is($redis->cmd(ZCARD => "${scope}ends"), keys %is,
           'redis: the end of each is known');
    }
}

sub start ($store, $engine = 'lmdb:%%TESTDIR%%/db') {
    $_->cmd('FLUSHALL') for $redis, @cluster;

    return ORS::Nginx->new(model => $model, workers => 2,
                           conf => conf("$engine $store"))->start;
}

sub ask ($t, $who, %o) {
    my $at = delete $o{at} // '/v1';
    my $script = delete $o{script} // 'default';

    return post_json($t->port, "$at/responses",
                     { model => 'm', input => 'hi', %o },
                     headers => { 'X-User' => $who, 'X-Script' => $script });
}

sub kept ($r, $name, $store = json_true) {
    my $d = json_decode($r->{body} || '{}');
    is($d->{store}, $store, $name) or diag($r->{status}, $r->{body});
    return $d->{id};
}

sub by ($t, $who, $method, $id) {
    return request($t->port, $method, "/v1/responses/$id",
                   { 'X-User' => $who });
}


my $warn = qr/\[warn\].*\ a\ response\ of\ scope\ [0-9a-f]{8}\ is\ not\ written
              \ to\ store\ "main":.*"scope_size"\ or\ "scope_turns"/x;

for my $at ('lmdb:%%TESTDIR%%/db', 'redis:' . $redis->address,
            'redis:' . $cluster[0]->address . ' cluster=on')
{

    # turns

    my $t = start('scope_turns=3', $at);
    my @ids = map { kept(ask($t, 'ann'), "turn $_") } 1 .. 3;

    my $id = kept(ask($t, 'ann'), 'the fourth is answered, not stored',
                  json_false);
    is(by($t, 'ann', GET => $id)->{status}, 404, 'and is not there');
    is(by($t, 'ann', GET => $_)->{status}, 200, 'others are there') for @ids;

    ok($t->wait_log($warn), 'a line in the log');
    unlike($t->error_log, qr/\bann\b/, 'that does not name the client');

    error_ok(ask($t, 'ann', at => '/must'), 429, 'where the store is required',
             code => 'insufficient_quota', param => 'store',
             type => 'too_many_requests');

    my $r = ask($t, 'ann', at => '/must', stream => json_true,
                script => 'stream');
    stream_ok($r, 'a stream ends', flavor => 'openai', expect => 'failed');

    error_ok(ask($t, 'ann', background => json_true), 429, 'in the background',
             code => 'insufficient_quota', param => 'background');

    kept(ask($t, 'bob'), 'another client has its own');

    is(by($t, 'ann', DELETE => $ids[0])->{status}, 200, 'one is deleted');
    kept(ask($t, 'ann', previous_response_id => $ids[1]), 'which makes room');
    kept(ask($t, 'ann'), 'for one', json_false);

    ok($t->reload, 'a reload');
    kept(ask($t, 'ann'), 'changes nothing', json_false);
    $t->finish;


    # bytes; what runs in the background is written twice, and counts once

    $t = start('scope_size=12k', $at);

    kept(ask($t, 'ann', script => 'long'), 'one is kept');
    $id = kept(ask($t, 'ann', background => json_true), 'and a short one');
    ok(wait_for(sub { by($t, 'ann', GET => $id)->{body} =~ /"completed"/ }),
       'that has run in the background');
    kept(ask($t, 'ann', script => 'long'), 'not a second one', json_false);
    kept(ask($t, 'bob', script => 'long'), 'another client');
    ok($t->wait_log($warn), 'the log has it');
    is(by($t, 'ann', DELETE => $id)->{status}, 200,
       'it can delete all the same');
    counted() if $at =~ /^redis/;
    unlike($t->error_log, qr/says "/, 'Redis says nothing against it');
    $t->finish;
}


# Redis: what has expired is counted no longer, and nothing is left of it

my $t = start('ttl=2s scope_turns=1', 'redis:' . $redis->address);
my $id = kept(ask($t, 'ann'), 'redis: a short life');

kept(ask($t, 'ann'), 'redis: no second one meanwhile', json_false);
ok(wait_for(sub { by($t, 'ann', GET => $id)->{status} == 404 }),
   'redis: it has expired');
kept(ask($t, 'ann'), 'redis: which makes room');
ok(wait_for(sub { !$redis->keys }), 'redis: what is counted expires, too');
$t->finish;


# Redis: it has dropped what counts, as it may with an eviction policy

$t = start('scope_turns=1', 'redis:' . $redis->address);

kept(ask($t, 'ann'), 'redis: one is kept');
$redis->cmd(DEL => grep { /:ends$/ } $redis->keys);
kept(ask($t, 'ann'), 'redis: the count begins anew');
kept(ask($t, 'ann'), 'redis: and holds', json_false);
counted(1);
$t->finish;


# the default is a part of the map

$t = start('size=1m sync=off');

my $n = 0;

$n++ while $n < 400
    && json_decode(ask($t, 'ann', script => 'long')->{body})->{store};

cmp_ok($n, '<', 60, 'a scope has a quarter of the map');
cmp_ok($n, '>', 20, 'all of it');
kept(ask($t, 'bob', script => 'long'), 'others have room');
$t->finish;


# one record

$t = start('record=8k');

kept(ask($t, 'ann', script => 'long'), 'a record that is not too large');
kept(ask($t, 'ann', input => 'x' x 8192), 'one that is', json_false);
ok($t->wait_log(qr/\[warn\].*\ scope\ [0-9a-f]{8}\ is\ not\ written\ to\ store
                   \ "main":\ it\ is\ larger\ than\ "record"/x),
   'the log has it');
error_ok(ask($t, 'ann', at => '/must', input => 'x' x 8192), 413,
         'where the store is required', code => 'request_too_large',
         param => 'store');
error_ok(ask($t, 'ann', background => json_true, input => 'x' x 8192), 413,
         'in the background', code => 'request_too_large');

# an answer of the background that is too large: the response has failed

$id = kept(ask($t, 'ann', background => json_true, input => 'x' x 4000,
               script => 'long'), 'its answer is too large');
ok(wait_for(sub { by($t, 'ann', GET => $id)->{body} =~ /"failed"/ }),
   'it has failed');
$t->finish;


# nginx -t

sub told ($name, $store, $like) {
    my ($code, $out) = ORS::Nginx->conf_test(
        "open_responses_store main $store; server { listen 127.0.0.1:1; }");

    isnt($code, 0, "$name: refused");
    like($out, $like, "$name: says why");
}

told($_, "lmdb:db $_", qr/\[emerg\] .*invalid parameter "$_" of store "main"/)
    for qw( record=1k record=x scope_size=-1 scope_size=x scope_turns=x );
told("$_ twice", "lmdb:db $_ $_", qr/parameter "\w+" of store "main" is dupl/)
    for qw( record=8k scope_size=1m scope_turns=5 );
told("redis $_ twice", "redis:127.0.0.1:1 $_ $_",
     qr/parameter "\w+" of store "main" is duplicate/)
    for qw( scope_size=1m scope_turns=5 );

done_testing();
