#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Conversations that are kept by a cluster of Redis: each scope has its slot,
# slots go from node to node under traffic, and nodes die.

use v5.36;
use POSIX ();
use Test::More;
use Time::HiRes qw( sleep );
use lib 't/lib';
use ORS::Model qw( :all );
use ORS::Nginx;
use ORS::Redis qw( move_slot );
use ORS::Store qw( fails gateway turn kept lost );
use ORS::Stream qw( error_ok );
use ORS::Util qw( slurp spew wait_for );


my $model = ORS::Model->new(scripts => {
    default => json_script(chat_reply(content => 'told')),
});

my @nodes = ORS::Redis->cluster(3);

my $t = ORS::Nginx->new(model => $model, workers => 2, conf =>
    gateway('open_responses_store main redis:' . $nodes[0]->address
            . ' timeout=5s cluster=on;', 'main required'))->start;

sub scope ($name) { (headers => { 'X-Scope' => $name }) }


# the node that has a key, its slot, and another node

sub place ($key) {
    my $slot = $nodes[0]->cmd('CLUSTER', 'KEYSLOT', $key);

    for my $i (0 .. 2) {
        my ($on) = grep { $_ eq $key } $nodes[$i]->keys;
        return ($slot, $nodes[$i], $nodes[($i + 1) % 3]) if $on;
    }

    die "$key is on no node\n";
}


# ---- scopes are on all nodes, found by redirections

my %id;

for my $scope ('a' .. 'p') {
    my ($id) = kept($t->port, "scope $scope", 'x', scope($scope));
    ($id{$scope}) = kept($t->port, "scope $scope, again", 'x', scope($scope),
                         previous_response_id => $id);
}

my @keys = map { [ $_->keys ] } @nodes;

is(@{ $keys[0] } + @{ $keys[1] } + @{ $keys[2] }, 32, 'all turns are there');
is((grep { @$_ } @keys), 3, 'on all nodes');

lost($t->port, $id{a}, 'another scope does not find it', scope('b'));

kept($t->port, 'known nodes', 'x', scope($_)) for ('a' .. 'p') x 2;
my ($moved) = $nodes[0]->cmd('INFO', 'errorstats') =~ /MOVED:count=(\d+)/;
kept($t->port, 'known nodes, again', 'x', scope($_)) for 'a' .. 'p';
is($nodes[0]->cmd('INFO', 'errorstats') =~ /MOVED:count=(\d+)/ && $1, $moved,
   'a node is learned once');


# ---- a slot on its way: what is there yet, what is not, and both

my ($scope, $key);

for my $try ('a' .. 'p') {
    my %old = map { $_ => 1 } $nodes[0]->keys;

    turn($t->port, 'x', scope($try));
    ($key) = grep { !$old{$_} } $nodes[0]->keys;
    $scope = $try;
    last if $key;
}

my ($slot, $from, $to) = place($key);
my $here = () = $from->keys;

# a turn that follows an old one is written together with a longer life of that

$from->age($_) for grep {
    $from->cmd('CLUSTER', 'KEYSLOT', $_) == $slot
} $from->keys;

move_slot($slot, $from, $to, sub {
    kept($t->port, 'a new turn, asked for elsewhere', 'x', scope($scope));

    is(fails($t, 'turns on both nodes', scope($scope),
             previous_response_id => $id{$scope}),
       'it does not answer in time', 'were waited for');
});

kept($t->port, 'after the slot has moved', 'x', scope($scope),
     previous_response_id => $id{$scope});

$to->age($_) for grep {
    $to->cmd('CLUSTER', 'KEYSLOT', $_) == $slot
} $to->keys;
cmp_ok(scalar(() = $from->keys), '<', $here, 'it has moved');

my $pid = fork // die "cannot fork: $!\n";

if (!$pid) {
    eval {
        move_slot($slot, $to, $from, sub {
            spew($t->dir . '/moves', '');
            sleep 0.5;
        });
    };
    POSIX::_exit($@ ? 1 : 0);
}

ok(wait_for(sub { -e $t->dir . '/moves' }), 'a slot is on its way');
kept($t->port, 'a turn waits until its slot has arrived', 'x', scope($scope),
     previous_response_id => $id{$scope});
waitpid $pid, 0;
is($?, 0, 'which it has');


# ---- all slots of a node move under traffic: nobody notices

my @clients = map {
    my $n = $_;
    my $pid = fork // die "cannot fork: $!\n";

    if (!$pid) {
        my ($turns, $wrong, %last) = (0, 0);

        while (!-e $t->dir . '/over') {
            my $who = ('a' .. 'p')[rand 16];
            my ($next) = turn($t->port, 'x', scope($who), $last{$who}
                              ? (previous_response_id => $last{$who}) : ());

            $next ? $turns++ : $wrong++;
            $last{$who} = $turns % 7 ? $next : undef;
        }

        spew($t->dir . "/client.$n", "$turns $wrong");
        POSIX::_exit(0);
    }

    $pid;
} 1 .. 3;

my @slots = map {
    my $node = $_;
    +{ map { $node->cmd('CLUSTER', 'KEYSLOT', $_) => 1 } $node->keys };
} @nodes;

for my $n (0 .. 2) {
    move_slot($_, $nodes[$n], $nodes[($n + 1) % 3]) for keys %{ $slots[$n] };
}

spew($t->dir . '/over', '');
waitpid $_, 0 for @clients;

for my $n (1 .. 3) {
    my ($turns, $wrong) = split / /, slurp($t->dir . "/client.$n");

    ok($turns > 10, "client $n was answered") or diag($turns);
    is($wrong, 0, 'always');
}

kept($t->port, "scope $_ is where it went", 'x', scope($_),
     previous_response_id => $id{$_}) for 'a' .. 'p';


# ---- a node dies, the cluster is down, and comes back

$nodes[1]->kill;

my ($failed, $served) = (0, 0);
for my $who ('a' .. 'p') {
    my $mark = $t->log_mark;
    my ($next, $r) = turn($t->port, 'x', scope($who));

    $next ? $served++ : $r->{status} == 503 ? $failed++ : fail("$who: other");
    unlike($t->log_since($mark), qr/does not answer in time/,
           "scope $who does not wait");
}

ok($failed > 0, 'scopes of a dead node are not served');
ok($served > 0, 'others are');

# each of those left finds it out for itself

for my $node (@nodes[0, 2]) {
    ok(wait_for(sub { $node->cmd('CLUSTER', 'INFO') =~ /cluster_state:fail/ },
                20), 'the cluster is down');
}

error_ok((turn($t->port, 'x', scope($_)))[1], 503, "scope $_ is not served",
         code => 'store_unavailable') for 'a' .. 'p';
ok($t->wait_log(qr/says "CLUSTERDOWN/), 'the log has it');

$nodes[1]->start;

for my $node (@nodes) {
    ok(wait_for(sub { $node->is_ok(3) }, 20), 'the cluster is up');
}

ok(wait_for(sub {
    !grep { !(turn($t->port, 'x', scope($_)))[0] } ('a' .. 'p') x 2;
}), 'all scopes are served again');

$t->finish;


# ---- a seed that is gone: nodes that are known do as well

$t = ORS::Nginx->new(model => $model, conf =>
    gateway('open_responses_store main redis:' . $nodes[2]->address
            . ' timeout=5s cluster=on;', 'main required'))->start;

kept($t->port, 'learns the nodes', 'x', scope($_)) for 'a' .. 'p';

$_->cmd('CONFIG', 'SET', 'cluster-require-full-coverage', 'no') for @nodes;
$nodes[2]->kill;

$served = grep { (turn($t->port, 'x', scope($_)))[0] } 'a' .. 'p';
ok($served > 0, 'scopes on other nodes are served') or diag($served);

$t->finish;

done_testing();
