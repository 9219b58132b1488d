#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# A server of Redis cannot make a worker tell its password to others, nor take
# any amount of memory.

use v5.36;
use IO::Select ();
use IO::Socket::INET ();
use Test::More;
use lib 't/lib';
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Redis;
use ORS::RedisProxy;
use ORS::Store qw( gateway turn kept );
use ORS::Stream qw( error_ok );
use ORS::Util qw( wait_for );

my $model = ORS::Model->new(scripts => {
    default => json_script(chat_reply(content => 'told')),
});
my $redis = ORS::Redis->new(password => 'secret');
my $proxy = ORS::RedisProxy->new($redis);

my $other = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 10,
                                  Proto => 'tcp') or die "listen: $!\n";
my $elsewhere = '127.0.0.1:' . $other->sockport;

sub start ($more) {
    return ORS::Nginx->new(model => $model, workers => 1, conf => gateway(
        'open_responses_store main redis:' . $proxy->address
        . " password=secret timeout=3s $more;", 'main required'))->start;
}

sub lost_store ($t, $id, $name) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my (undef, $r) = turn($t->port, 'x', previous_response_id => $id);

    error_ok($r, 503, $name, code => 'store_unavailable');
}

sub alone ($name) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $called = IO::Select->new($other)->can_read(0);

    ok(!$called, $name);
    $other->accept->close if $called;
}


for my $case ([ '', qr/which is not followed without "cluster=on"/ ],
              [ 'cluster=on', qr/which is no node that a configured server/ ])
{
    my ($more, $says) = @$case;
    my $t = start($more);
    my $name = $more || 'no cluster';
    my ($id) = kept($t->port, $name, 'x');

    for my $word ('MOVED', 'ASK') {
        $proxy->does("reply -$word 1 $elsewhere\r\n");
        lost_store($t, $id, "$name: $word");
        alone("$name: $word is not followed");
    }

    ok($t->wait_log($says), "$name: the log says why");
    unlike($t->error_log, qr/secret/, "$name: and not the password");

    $proxy->does('pass');
    ok(wait_for(sub { (turn($t->port, 'x', previous_response_id => $id))[0] }),
       "$name: works again");
    $t->finish;
}


# long replies

my $t = start('');
my ($id) = kept($t->port, 'a turn', 'x');
my $memory = $t->memory;

$proxy->does("reply \$400000000\r\n" . 'x' x (20 * 1024 * 1024));
lost_store($t, $id, 'a value that is too long');
ok($t->wait_log(qr/a reply that is too long/), 'the connection is closed');

# until it is made again nothing is asked

$proxy->does('pass');
ok(wait_for(sub { (turn($t->port, 'x', previous_response_id => $id))[0] }),
   'it works again');

$proxy->does('reply ' . "*16000\r\n"
             . ("*16000\r\n" . ":1\r\n" x 16000) x 10);
lost_store($t, $id, 'arrays of arrays');
ok($t->wait_log(qr/an array that is too long/), 'the connection is closed');

# the sanitizer keeps what was freed

cmp_ok($t->memory - $memory, '<',
       ($ENV{TEST_NGINX_ASAN} ? 400 : 100) * 1024 * 1024,
       'memory is bounded');

$proxy->does('pass');
ok(wait_for(sub { (turn($t->port, 'x', previous_response_id => $id))[0] }),
   'it works again');
$t->finish;


# nginx -t

for my $case ([ 'cluster=maybe',
                qr/"cluster=maybe" of store .* must be "on" or/ ],
              [ 'cluster=on cluster=on', qr/"cluster" of store .* is dupl/ ])
{
    my ($code, $out) = ORS::Nginx->conf_test(
        "open_responses_store main redis:127.0.0.1:1 $case->[0];"
        . ' server { listen 127.0.0.1:1; }');

    isnt($code, 0, "$case->[0]: refused");
    like($out, $case->[1], "$case->[0]: says why");
}

done_testing();
