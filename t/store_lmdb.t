#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Conversations that are kept by LMDB: they outlive requests, workers and
# nginx, end at their time, and what cannot be kept is told.

use v5.36;
use Test::More;
use Time::HiRes qw( sleep );
use lib 't/lib';
use ORS::JSON qw( json_true );
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Store qw( gateway turn kept lost );
use ORS::Stream qw( error_ok );
use ORS::Util qw( spew wait_for );


my $model = ORS::Model->new(scripts => {
    default => json_script(chat_reply(content => 'told')),
});


sub server ($define, $use = 'main', %o) {
    return ORS::Nginx->new(model => $model, conf => gateway($define, $use),
                           %o);
}


sub said ($r) {
    return [ map { $_->{content} } @{ $r->{json}{messages} } ];
}


# ---- what outlives what

my $store = 'open_responses_store main lmdb:%%TESTDIR%%/db sync=off'
            . ' scope_size=0';
my $t = server("$store size=2m;", 'main', workers => 3)->start;

my @ids = (kept($t->port, 'first', 'one', at => '/told'))[0];

for my $n (2 .. 12) {
    my ($id) = kept($t->port, "turn $n", "turn $n", at => '/told',
                    previous_response_id => $ids[-1]);
    push @ids, $id;
}

is_deeply(said($model->last_request),
          [ 'one', 'told', map { $_ == 12 ? "turn 12" : ("turn $_", 'told') }
                           2 .. 12 ], 'the context is that of all turns');

my @workers = $t->workers;
kill 'KILL', @workers;
ok(wait_for(sub {
    my %now = map { $_ => 1 } $t->workers;
    return keys %now == 3 && !grep { $now{$_} } @workers;
}), 'all workers are new');

kept($t->port, 'after workers were killed', 'x',
     previous_response_id => $ids[-1]);

ok($t->reload(gateway("$store size=8m ttl=1h;"), wait_old => 1),
   'reloaded with a larger map');
kept($t->port, 'after a reload', 'x', previous_response_id => $ids[-1]);

$t->stop;
$t->start;
kept($t->port, 'after a restart', 'again', at => '/told',
     previous_response_id => $ids[3]);
is_deeply(said($model->last_request),
          [ 'one', 'told', map({ ("turn $_", 'told') } 2 .. 4), 'again' ],
          'the context is there');

lost($t->port, $ids[-1], 'another scope does not find it',
     headers => { 'X-Scope' => 'foreign' });
lost($t->port, $ids[-1] . 'x', 'what was never there is not');

$t->provokes(qr/exited on signal 9/);
$t->finish;


# ---- turns of their size, and no more than that

$t = server("$store;")->start;

my @sizes;
my ($last) = turn($t->port, 'x' x 10_000);

for my $n (1 .. 3) {
    for (1 .. 100) {
        ($last) = turn($t->port, 'x' x 10_000, previous_response_id => $last);
    }

    push @sizes, -s $t->dir . '/db/data.mdb';
}

my ($early, $late) = ($sizes[1] - $sizes[0], $sizes[2] - $sizes[1]);
ok($last && $late < $early * 1.2, 'what a turn takes does not grow')
    or diag("@sizes");
ok($late < 100 * 22_000, 'it is a little more than it has')
    or diag("@sizes");

$t->finish;


# ---- the end of a turn, and a full map

$t = server("$store size=1m;", 'main required')->start;

my ($n, $r, $id) = (0);

do {
    ($id, $r) = turn($t->port, 'x' x 20_000);
} while ($id && ++$n < 200);

ok($n >= 5 && $n < 60, 'the map is full some day') or diag($n);
error_ok($r, 503, 'a turn without room', code => 'store_unavailable');
ok($t->wait_log(qr/\[error\] .* store "main" cannot write to .*MAP_FULL/),
   'the log has the reason');
my $lines = () = $t->error_log =~ /MAP_FULL/g;
is($lines, 1, 'once');
ok($t->wait_log(qr/it is full/), 'and the turn has it');

$t->finish;

$t = server("$store size=1m ttl=2s;", 'main required')->start;

my ($old) = kept($t->port, 'short', 'x');

turn($t->port, 'x' x 20_000) for 1 .. $n;
sleep 3;

lost($t->port, $old, 'what has expired');
kept($t->port, 'old turns make room at once', 'x' x 20_000);

# some of it may be in pieces that are too small

my $again = grep { (turn($t->port, 'x' x 20_000))[0] } 2 .. $n;
ok($again > $n / 2, 'for many of them') or diag("$again of $n");

$t->finish;

$t = server("$store size=1m;")->start;

my $response;

do {
    (undef, $r, $response) = turn($t->port, 'x' x 20_000);
} while ($r->{status} == 200 && $response->{store} && ++$n < 500);

is($r->{status}, 200, 'where it is not required a turn goes on');
ok(!$response->{store}, 'and says that it was not stored');
lost($t->port, $response->{id}, 'it was not');

$t->finish;


# ---- a full disk: files may not become larger

my $binary = $ENV{TEST_NGINX_BINARY} || '/usr/sbin/nginx';

$t = server("$store;", 'main required');
$t->write_file('nginx.sh', "#!/bin/sh\ntrap '' XFSZ\nulimit -f 1200\n"
                           . "exec $binary \"\$@\"\n");
chmod 0755, $t->dir . '/nginx.sh';

{
    local $ENV{TEST_NGINX_BINARY} = $t->dir . '/nginx.sh';
    $t->start;
}

$n = 0;

do {
    my ($next) = turn($t->port, 'x' x 20_000);
    $old = $next if $next;
    $n++ if $next;
    $id = $next;
} while ($id && $n < 200);

ok($n > 2 && $n < 100, 'the disk is full some day') or diag($n);
(undef, $r) = turn($t->port, 'x' x 20_000);
error_ok($r, 503, 'a turn without a disk', code => 'store_unavailable');
(undef, $r) = turn($t->port, 'y' x 20_000, previous_response_id => $old);
error_ok($r, 503, 'and one that follows', code => 'store_unavailable');
ok($t->wait_log(qr/store "main" cannot write to/), 'the log has it');

$t->stop;
$t->start;
kept($t->port, 'with a disk', 'x' x 20_000, previous_response_id => $old);

$t->finish;


# ---- a directory that is none

$t = server("$store;", 'main required');
spew($t->dir . '/db', 'a file');
$t->provokes(qr/db" failed/)->start;

(undef, $r) = turn($t->port, 'x');
error_ok($r, 503, 'without its directory', code => 'store_unavailable');
(undef, $r) = turn($t->port, 'x', previous_response_id => 'resp_1');
error_ok($r, 503, 'and one that follows', code => 'store_unavailable');
ok($t->wait_log(qr/store "main" cannot open .*Not a directory/),
   'the log has the reason');

unlink $t->dir . '/db';
mkdir $t->dir . '/db';

ok($t->wait_log(qr/store "main" is open again/), 'it is opened some day');
kept($t->port, 'then', 'x');
$lines = () = $t->error_log =~ /cannot open/g;
is($lines, 1, 'the log has one line of it');

$t->finish;


# ---- one directory has two names

$t = server("$store; open_responses_store other lmdb:%%TESTDIR%%/link;",
            'other required');
mkdir $t->dir . '/db';
symlink 'db', $t->dir . '/link';
$t->start;

(undef, $r) = turn($t->port, 'x');
error_ok($r, 503, 'the second one is not opened', code => 'store_unavailable');
ok($t->wait_log(qr/store "other" cannot open .*another store has it/),
   'the log has the reason');

$t->finish;


# ---- what nginx -t says

for my $case (
    [ 'lmdb:', qr/store "main" needs a directory/ ],
    [ 'lmdb:db size=1k',
      qr/"size=1k" of store "main", it must be a size of at/ ],
    [ 'lmdb:db size=1m size=2m', qr/"size" of store "main" is duplicate/ ],
    [ 'lmdb:db sync=yes', qr/"sync=yes" .* must be "on" or "off"/ ],
    [ 'lmdb:db sync=on sync=on', qr/"sync" .* is duplicate/ ],
    [ 'lmdb:db threads=', qr/"threads=" .* must be the name of a thread pool/ ],
    [ 'lmdb:db threads=a threads=b', qr/"threads" .* is duplicate/ ],
    [ 'lmdb:db threads=none', qr/unknown thread pool "none"/ ],
    [ 'lmdb:db password=x',
      qr/"password" of store "main", it must be "ttl=", / ],
    [ 'lmdb:db; open_responses_store two lmdb:db/',
      qr/the same path name ".*db" used in/ ])
{
    my ($code, $out) = ORS::Nginx->conf_test(
        "open_responses_store main $case->[0];");

    isnt($code, 0, "$case->[0] is refused");
    like($out, $case->[1], "$case->[0]: why");
}

my ($code, $out) = ORS::Nginx->conf_test(
    'open_responses_store main lmdb:db size=1g sync=off threads=own;',
    main => "thread_pool own threads=2;\n");

is($code, 0, 'all parameters') or diag($out);

done_testing();
