#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Workers, nginx as a whole, and the server of a store are killed while
# conversations go on: what a client was told to be complete can be followed,
# whoever it is that answers.  The store is LMDB, or that of ORS_STORE, see
# t/store_engines.t.
#
# ORS_KILLS is how often, ORS_CLIENTS how many talk.

use v5.36;
use Test::More;
use Time::HiRes qw( sleep time );
use lib 't/lib';
use ORS::HTTP ();
use ORS::JSON qw( json_encode );
use ORS::Nginx;
use ORS::Store qw( gateway turn );
use ORS::Util qw( child_pids slurp wait_for );


my $KILLS = $ENV{ORS_KILLS} // 20;
my $CLIENTS = $ENV{ORS_CLIENTS} // 4;
my $WORKERS = 2;

my $t = ORS::Nginx->new(workers => $WORKERS, conf => gateway(
    'open_responses_store main lmdb:%%TESTDIR%%/db;', 'main required'),
    subst => { MODEL => '127.0.0.1:1' });

$t->provokes(qr/exited on signal 9/)->start;

my %clients = map { my $n = $_; client($n) => $n } 1 .. $CLIENTS;

srand 1;

for my $kill (1 .. $KILLS) {
    sleep 0.02 + rand 0.15;
    wait_for(sub { told() > 4 * $kill });

    if ($t->store && $kill % 3) {
        $t->store->kill;
        $t->store->start;
        next;
    }

    if ($kill % 5 == 0) {
        kill_nginx();
        $t->start;
        next;
    }

    my @workers = $t->workers;
    my $victim = $workers[rand @workers] // next;

    kill 'KILL', $victim;
    wait_for(sub {
        my @now = $t->workers;
        return @now == $WORKERS && !grep { $_ == $victim } @now;
    });
}

my $before = told();

wait_for(sub { told() > $before });
$t->write_file('enough', '');

for my $pid (keys %clients) {
    waitpid $pid, 0;
    is($?, 0, "client $clients{$pid} has seen nothing wrong")
        or diag(slurp($t->dir . "/wrong.$clients{$pid}"));
}

my @told = told();

ok(@told > $KILLS * 3, 'many turns were complete') or diag(scalar @told);
diag(scalar @told, " turns, nginx or a worker killed $KILLS times");

# all of them at the end of their own chain, so that each record is read

my %asked;
my $missing = 0;

for my $id (@told) {
    my (undef, $r) = turn($t->port, 'x', previous_response_id => $id,
                          store => \0);

    $missing++ if $r->{status} != 200;
    $asked{$r->{status}}++;
}

is($missing, 0, 'each of them can be followed')
    or diag(json_encode(\%asked));

$t->reload(undef, wait_old => 1);
$t->finish;

done_testing();


sub told () {
    return map { split /\n/, slurp($t->dir . "/told.$_") } 1 .. $CLIENTS;
}


# a chain of turns; writes down what it was told, and what cannot be

sub client ($n) {
    my $port = $t->port;
    my $dir = $t->dir;
    my $parent = $$;
    my $pid = fork // die "cannot fork: $!\n";

    return $pid if $pid;

    open my $told, '>', "$dir/told.$n";
    open my $wrong, '>', "$dir/wrong.$n";
    $_->autoflush(1) for $told, $wrong;

    my ($last, $bad, $turns) = (undef, 0, 0);

    until (-e "$dir/enough" || getppid() != $parent) {
        my %previous = $last ? (previous_response_id => $last) : ();
        my ($id, $r, $response) = eval {
            turn($port, "turn $turns " . 'x' x rand(20_000), %previous);
        };

        my $status = $r && $r->{status} // 0;

        if ($id && $response->{status} eq 'completed') {
            say $told $id;
            $last = $turns++ % 20 ? $id : undef;
            next;
        }

        # nobody listens, or the one who did is dead

        if ($status == 0 || $status == 502 || $status == 503) {
            sleep 0.005;
            next;
        }

        $bad++;
        say $wrong "turn $turns: $status $r->{body}";
        undef $last;
    }

    # files and nginx are the parent's
    exec 'true' if !$bad;
    exec 'false';
}


sub kill_nginx () {
    my $pid = delete $t->{pid};

    # or it would give birth to others meanwhile
    kill 'STOP', $pid;

    my @workers = keys %{ child_pids($pid) };

    kill 'KILL', $pid, @workers;
    waitpid $pid, 0;

    wait_for(sub { !grep { kill 0, $_ } @workers });
    unlink $t->dir . '/logs/nginx.pid';
}
