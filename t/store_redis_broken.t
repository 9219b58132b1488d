#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Connections to Redis that are lost at any moment, and servers that say what
# they should not: turns are repeated or fail, and workers go on.

use v5.36;
use Test::More;
use Time::HiRes qw( sleep );
use lib 't/lib';
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Redis;
use ORS::RedisProxy;
use ORS::Store qw( fails gateway turn kept );
use ORS::Stream qw( error_ok );
use ORS::Util qw( wait_for );


my $model = ORS::Model->new(scripts => {
    default => json_script(chat_reply(content => 'told')),
});
my $redis = ORS::Redis->new;
my $proxy = ORS::RedisProxy->new($redis);

my $t = ORS::Nginx->new(model => $model, workers => 1, conf =>
    gateway('open_responses_store main redis:' . $proxy->address
            . ' timeout=3s;', 'main required'))->start;

my ($id) = kept($t->port, 'the first turn', 'x');
my @after = (previous_response_id => $id);


sub works_again ($name) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;

    $proxy->does('pass');
    ok(wait_for(sub { (turn($t->port, 'x', @after))[0] }),
       "$name: works again");
}


# a connection that is lost when it is young is not made again at once

sub old_connection () { sleep 1.1 }


# ---- lost when nobody needs it

old_connection();
$redis->cmd('CLIENT', 'KILL', 'TYPE', 'normal');
kept($t->port, 'a connection that was closed', 'x', @after);


# ---- lost in the middle: reads and writes are repeated

for my $what ('drop', 'drop-reply') {
    old_connection();
    my $keys = () = $redis->keys;
    $proxy->does($what);
    kept($t->port, "$what of a write", 'x');
    is(scalar(() = $redis->keys), $keys + 1, 'there is one of it');

    old_connection();
    $proxy->does($what);
    kept($t->port, "$what of a read", 'x', @after);
}

ok($t->wait_log(qr/\[error\].*connection lost to redis \S+: Server closed/),
   'the log has it');


# ---- replies in pieces

$proxy->does('bytes');
kept($t->port, 'replies byte by byte', 'x', @after);


# ---- no replies

$proxy->does('stall');

is(fails($t, 'no reply', @after), 'it does not answer in time',
   'it is waited for');
ok($t->wait_log(qr/connection lost to redis \S+: no answer/),
   'the connection is closed');

# a busy machine may ask when the next connection is tried already

ok(wait_for(sub {
    fails($t, 'still no reply', @after) eq 'it cannot be reached';
}), 'it is not waited for again');

works_again('a server that did not answer');


# ---- replies that are none

for my $case (
    [ "extra +OK\r\n" => qr/: a reply to no command/ ],
    [ "reply *2000000000\r\n" => qr/: an array that is too long/ ],
    [ "reply \$99999999999999999999\r\n" => qr/: Bad bulk string length/ ],
    [ "reply \$-2\r\n" => qr/: Bulk string length out of range/ ],
    [ "reply ?\r\n" => qr/: Protocol error, got "\?" as reply type byte/ ],
    [ 'reply ' . "*1\r\n" x 8 . "+a\r\n" => qr/: an array that is too deep/ ],
    [ "reply :x\r\n" => qr/: Bad integer value/ ],
    [ "reply :1\r\n" => qr/main" cannot be read: it holds what is no record/ ],
    [ "reply *0\r\n" => qr/main" cannot be read: it holds what is no record/ ],
    [ "reply -ERR what\r\n" => qr/ says "ERR what"/ ],
    [ "reply -MOVED 1 redis.example:6379\r\n" => qr/ says "MOVED 1 redis/ ],
    [ "reply -MOVED 99999 127.0.0.1:1\r\n" => qr/main" cannot be read/ ],
    [ "reply -\e[31m\r\n" => qr/ says "\?\[31m"/ ],
    [ "reply -" . 'x' x 1000 . "\r\n" => qr/ says "x{160}"/ ])
{
    my ($does, $log) = @$case;
    my $name = substr($does, 0, 30) =~ s/[\r\n\e]+/./gr;
    my $mark = $t->log_mark;

    $proxy->does($does);

    my $failed = wait_for(sub {
        my (undef, $r) = turn($t->port, 'x', @after);
        $r->{status} == 503;
    });

    ok($failed, "$name: fails") if $does =~ /^reply/;
    ok($t->wait_log($log), "$name: the log has it")
        or diag($t->log_since($mark));

    works_again($name);
}


# ---- a server that does not let us in

for my $text ('ERR max number of clients reached',
              'LOADING Redis is loading the dataset in memory',
              'DENIED Redis is running in protected mode')
{
    $proxy->does("greet -$text\r\n");
    $redis->cmd('CLIENT', 'KILL', 'TYPE', 'normal');

    ok($t->wait_log(qr/cannot connect to redis \S+: $text/), $text);
    error_ok((turn($t->port, 'x', @after))[1], 503, 'is no server',
             code => 'store_unavailable');
    works_again($text);
}

unlike($t->error_log, qr/exited/, 'the worker has been there all the time');

$t->finish;

done_testing();
