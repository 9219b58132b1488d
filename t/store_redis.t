#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Conversations that are kept by Redis: what happens to them when the server
# is slow, full, gone, there again, or not what it should be.

use v5.36;
use POSIX ();
use Test::More;
use Time::HiRes qw( sleep );
use lib 't/lib';
use ORS::HTTP qw( http_start );
use ORS::JSON qw( json_decode );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Redis;
use ORS::Store qw( fails gateway turn kept lost );
use ORS::Util qw( slurp spew wait_for );


my $model = ORS::Model->new(scripts => {
    default => json_script(chat_reply(content => 'told')),
    late => [ [ touch => 'asked' ], [ wait_file => 'end' ],
              json_script(chat_reply(content => 'told'))->@* ],
});


sub server ($redis, $params = '', $use = 'main required', %o) {
    my $address = ref $redis ? $redis->address : $redis;

    return ORS::Nginx->new(model => $model, %o, conf =>
        gateway("open_responses_store main redis:$address $params;", $use));
}


sub said ($r) {
    return [ map { $_->{content} } @{ $r->{json}{messages} } ];
}


my $down = 'it cannot be reached';


# all workers are connected: they come back one after the other

sub works_again ($t, $redis, $name) {
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $workers = () = $t->workers;

    ok(wait_for(sub { $redis->connections == $workers
                      && !grep { !(turn($t->port, 'x'))[0] } 1 .. $workers }),
       "$name: works again") or diag($redis->connections);
}


# a turn that is asked for while the server stands still

sub waits ($t, $redis, $name) {
    my $c = http_start($t->port, 'POST', '/v1/responses',
                       { 'Content-Type' => 'application/json' },
                       '{"model":"m","input":"x"}');

    ok(!$c->read_head(timeout => 0.3), "$name: waits");
    $redis->resume;

    my $r = $c->read_response;

    ok($r->{status} == 200 && json_decode($r->{body})->{store},
       "$name: and is stored") or diag($r->{status}, ' ', $r->{body});
    $c->close;
}


# ---- a chain, its keys, and who has them

my $redis = ORS::Redis->new;
my $t = server($redis, 'ttl=1000s timeout=3s', 'main required', workers => 3)
        ->start;

my @ids = (kept($t->port, 'first', 'one', at => '/told'))[0];

for my $n (2 .. 70) {
    my ($id) = turn($t->port, "turn $n", previous_response_id => $ids[-1],
                    $n == 70 ? (at => '/told') : ());
    push @ids, $id;
}

is_deeply([ @{ said($model->last_request) }[0 .. 3, -2, -1] ],
          [ 'one', 'told', 'turn 2', 'hello', 'hello', 'turn 70' ],
          'a chain is read in batches, in its order');
is(@{ said($model->last_request) }, 139, 'all of it');

my @keys = $redis->keys;

is(@keys, 70, 'a key for each turn');
is((grep { /\Aors:\{[0-9a-f]{32}\}:[0-9a-f]{32}\z/ } @keys), 70,
   'a key has digests only');

my @ttl = sort { $a <=> $b } map { $redis->cmd('TTL', $_) } @keys;
ok($ttl[0] > 900 && $ttl[-1] <= 1000, 'all have their time')
    or diag("@ttl[0, -1]");

$redis->age($_) for @keys[3, 33, 63];
kept($t->port, 'after old turns', 'x', previous_response_id => $ids[-1]);
is((grep { $redis->cmd('TTL', $_) > 900 } @keys), 70,
   'which have their time again');

lost($t->port, $ids[-1], 'another scope does not find it',
     headers => { 'X-Scope' => 'foreign' });
turn($t->port, 'x', headers => { 'X-Scope' => 'foreign' });
my %scopes = map { /\{(.*)\}/ => 1 } $redis->keys;
is(keys %scopes, 2, 'what another one has is under another tag');
lost($t->port, $ids[-1] . 'x', 'what was never there is not');

$redis->cmd('DEL', @keys[20 .. 40]);
lost($t->port, $ids[-1], 'without some of its turns a chain is not there');

is($redis->connections, 3, 'one connection of each worker');


# ---- gone, and there again

$redis->kill;
is(fails($t, 'without a server'), $down, 'is not waited for');
is(fails($t, 'a chain without a server', previous_response_id => $ids[0]),
   $down, 'is not waited for, either');


# how often a level has the reason; it is no error the second time

sub refused ($level) {
    my $re = qr/\[$level\].* connect to redis 127[.\d:]+: Connection refused/;

    return scalar(() = $t->error_log =~ /$re/g);
}


ok(wait_for(sub { refused('info') >= 6 }), 'workers try to connect again');
is(refused('error'), 3, 'the log has the reason, once for each worker');

$redis->start;
works_again($t, $redis, 'there again');
lost($t->port, $ids[-1], 'what the server has lost');

ok($t->wait_log(qr/\[notice\].*store "main": connected to redis/),
   'and that it is over');


# ---- stopped: accepts connections and says nothing

$redis->pause;

is(fails($t, 'a server that hangs'), 'it does not answer in time',
   'is waited for');
ok(wait_for(sub { fails($t, 'a while later') eq $down }),
   'is not waited for any more');

$redis->resume;
works_again($t, $redis, 'goes on');


# ---- another type, and what is no record

my ($id) = kept($t->port, 'a turn', 'x');
my ($id2) = kept($t->port, 'the next', 'x', previous_response_id => $id);
my %of;

for my $try ($redis->keys) {
    my $value = $redis->cmd('GET', $try);
    $of{$id} = $try if $value =~ /"id":"$id"/;
}

my $value = $redis->cmd('GET', $of{$id});

$redis->cmd('DEL', $of{$id});
$redis->cmd('LPUSH', $of{$id}, 'x');
fails($t, 'a list in the place of a turn', previous_response_id => $id2);
ok($t->wait_log(qr/\[error\].*"main": redis 127[.\d:]+ says "WRONGTYPE/),
   'the log has what the server says');

for my $what ('', 'x', substr($value, 0, -1), "${value}x") {
    $redis->cmd('DEL', $of{$id});
    $redis->cmd('SET', $of{$id}, $what);
    fails($t, 'no record: ' . length($what) . ' bytes',
          previous_response_id => $id);
}

ok($t->wait_log(qr/it holds what is no record/), 'the log has it');

$redis->cmd('SET', $of{$id}, $value);
kept($t->port, 'as it was', 'x', previous_response_id => $id2);


# ---- full

$redis->cmd('CONFIG', 'SET', 'maxmemory', '1');
fails($t, 'a full server');
fails($t, 'a full server, a transaction', previous_response_id => $id);
ok($t->wait_log(qr/says "OOM command not allowed/), 'the log has it');
ok($t->wait_log(qr/not written to store "main": it is full/),
   'and the turn has it');

$redis->cmd('CONFIG', 'SET', 'maxmemory', '0');
kept($t->port, 'with room again', 'x', previous_response_id => $id);

$redis->cmd('REPLICAOF', '127.0.0.1', '1');
fails($t, 'a replica');
$redis->cmd('REPLICAOF', 'NO', 'ONE');
works_again($t, $redis, 'a master again');
ok($t->wait_log(qr/says "READONLY/), 'the log has it');


# ---- killed and restarted under traffic: nothing hangs, and what is said to
# ---- be kept is there, as long as the server is

my @clients = map {
    my $pid = fork // die;

    if (!$pid) {
        my ($turns, $wrong, $last) = (0, 0);

        until ($turns > 10 && -e $t->dir . '/over') {
            my ($next, $r) = turn($t->port, 'x', $last
                                  ? (previous_response_id => $last) : ());
            my $code = $r->{status} // 0;

            $turns++ if $next;
            $wrong++ if !$next && $code != 503
                        && !($code == 400 && $last);
            $last = $turns % 5 ? $next : undef;
            last if $wrong;
        }

        spew($t->dir . "/client.$_", $wrong);
        POSIX::_exit(0);
    }

    $pid;
} 1 .. 4;

for (1 .. 3) {
    sleep 0.6;
    $redis->kill;
    sleep 0.1;
    $redis->start;
}

spew($t->dir . '/over', '');
waitpid $_, 0 for @clients;
is(slurp($t->dir . "/client.$_"), 0, "client $_ got what is meant for this")
    for 1 .. 4;

works_again($t, $redis, 'after the traffic');


# ---- a worker that leaves does not stay for its connection, and does not
# ---- keep it while it stays for a client; what that one gets is kept

my $slow = http_start($t->port, 'POST', '/told/responses',
                      { 'Content-Type' => 'application/json',
                        'X-Script' => 'late' },
                      '{"model":"m","input":"slow"}');
ok($model->wait_file('asked'), 'a client waits');

ok($t->reload, 'reloaded');
kept($t->port, 'new workers work', 'x');
ok(wait_for(sub { $redis->connections == 3 }),
   'connections of old ones are closed') or diag($redis->connections);

$model->touch('end');
my $reply = json_decode($slow->read_response->{body});
kept($t->port, 'what the client got', 'x',
     previous_response_id => $reply->{id});

ok($t->reload(undef, wait_old => 1), 'old workers leave at once');

$redis->kill;
fails($t, 'gone for good');
$t->finish('nginx leaves without a server');


# ---- a client that has not been there when nginx was started

$redis = ORS::Redis->new;
$redis->pause;
$t = server($redis, 'timeout=30s')->start;
waits($t, $redis, 'the first one');


# ---- slow, within the limit

$redis->pause;
waits($t, $redis, 'a slow server');
$t->finish;


# ---- unix socket, password, database, prefix

$redis = ORS::Redis->new(unix => 1, password => 'Sesame');
$t = server($redis, 'password_file=%%TESTDIR%%/secret database=3 prefix=a:b:');
$t->write_file('secret', "Sesame\nnot this\n");
$t->start;

($id) = kept($t->port, 'with all of it', 'x');
kept($t->port, 'and the next one', 'x', previous_response_id => $id);
is(scalar(() = $redis->keys), 0, 'nothing in the first database');
like($redis->cmd('INFO', 'keyspace'), qr/db3:keys=2,expires=2/,
     'keys are in the configured database');

$t->finish;

$t = server($redis, 'password=Wrong timeout=500ms')->start;
fails($t, 'a wrong password');
ok($t->wait_log(qr/\[error\].*unix:\S+redis\.sock: WRONGPASS/),
   'the log has it');
unlike($t->error_log, qr/Sesame|Wrong\b/, 'and no password');
$t->finish;

$t = server($redis, 'timeout=500ms')->start;
fails($t, 'no password');
ok($t->wait_log(qr/NOAUTH Authentication required/), 'the log has it');
$t->finish;

$redis->cmd('ACL', 'SETUSER', 'me', 'on', '>pass', '~a:*', '-@all',
            map { "+$_" } qw( get set del expire multi exec ));
$t = server($redis, 'user=me password=pass prefix=a: timeout=3s')->start;
($id) = kept($t->port, 'a user who may do just what is needed', 'x');
kept($t->port, 'and follow', 'x', previous_response_id => $id);
$redis->cmd('ACL', 'SETUSER', 'me', '-get');
fails($t, 'a user who may not read', previous_response_id => $id);
ok($t->wait_log(qr/says "NOPERM/), 'the log has it');
$t->finish;


# ---- several addresses: the one that is a master is found

my $replica = ORS::Redis->new(conf => { replicaof => "127.0.0.1 1" });
my $master = ORS::Redis->new;
$t = server("127.0.0.1:1," . $replica->address . ',' . $master->address,
            'timeout=5s')->start;

works_again($t, $master, 'the third address');
($id) = kept($t->port, 'and a turn', 'x');
kept($t->port, 'and the next one', 'x', previous_response_id => $id);

$master->kill;
$replica->cmd('REPLICAOF', 'NO', 'ONE');
works_again($t, $replica, 'another master');

$t->finish;


# ---- where it is not required

$redis = ORS::Redis->new;
$t = server($redis, 'timeout=3s', 'main')->start;
kept($t->port, 'with a server', 'x');
$redis->kill;

my (undef, $r, $response) = turn($t->port, 'x');
is($r->{status}, 200, 'without it a turn is answered');
ok($response && !$response->{store}, 'and says that it is not stored');
fails($t, 'a chain is not', previous_response_id => $response->{id});

$t->finish;


# ---- what nginx -t says

for my $case (
    [ 'redis:', qr/no host in address "" of store "main"/ ],
    [ 'redis:127.0.0.1:0', qr/invalid port in address "127.0.0.1:0"/ ],
    [ 'redis:127.0.0.1:1,', qr/no host in address "" of store/ ],
    [ 'redis:no.such.host.invalid:1', qr/host not found in address "no\.such/ ],
    [ 'redis:unix:', qr/no path in the unix domain socket in address "unix:"/ ],
    [ 'redis:unix:/' . 'x' x 106, qr/too long path in "unix:/ ],
    [ 'redis:127.0.0.1 tls=on',
      qr/"tls=on" of store "main", it must be "off", this/ ],
    [ 'redis:127.0.0.1 password=',
      qr/"password=" of store "main", it must be a pas/ ],
    [ 'redis:127.0.0.1 password=x password=y',
      qr/"password" of store "main" is duplicate/ ],
    [ 'redis:127.0.0.1 password_file=/no/such',
      qr/open\(\) "\/no\/such" failed/ ],
    [ 'redis:127.0.0.1 user=x', qr/has a "user" and no "password"/ ],
    [ 'redis:127.0.0.1 database=x',
      qr/"database=x" of store "main", it must be the number/ ],
    [ 'redis:127.0.0.1 "prefix=a{b"',
      qr/"prefix=a\{b" .* 1 to 64 bytes without braces/ ],
    [ 'redis:127.0.0.1 prefix=' . 'x' x 65, qr/1 to 64 bytes without braces/ ],
    [ 'redis:127.0.0.1 size=1m',
      qr/"size" of store "main", it must be "ttl=", / ])
{
    my ($code, $out) = ORS::Nginx->conf_test(
        "open_responses_store main $case->[0];");

    isnt($code, 0, "$case->[0] is refused");
    like($out, $case->[1], "$case->[0]: why");
}

my ($code, $out) = ORS::Nginx->conf_test(
    'open_responses_store main redis:localhost,[::1]:6380,unix:/x tls=off '
    . 'user=a password=b database=0 prefix=x ttl=1d timeout=1s;');

is($code, 0, 'all parameters') or diag($out);

done_testing();
