#!/usr/bin/perl

# run.pl --dir=DIR [--seconds=N] [--runs=N] NAME...: runs the fuzz targets
# DIR/NAME_fuzz, each for a while, or so that all of them together come to so
# many executions: a target gets what it does in the time that the others
# need, at least the two-hundredth part of all.  Ends with the first failure.

use strict;
use warnings;

use Getopt::Long qw(GetOptions);
use IO::Handle;


use constant MEASURE => 2;      # seconds of each target, to learn its speed
use constant PART    => 200;


my %o = (seconds => 60);

GetOptions(\%o, 'dir=s', 'seconds=f', 'runs=i') && $o{dir} && @ARGV
    or die "usage: run.pl --dir=DIR [--seconds=N] [--runs=N] NAME...\n";

STDOUT->autoflush(1);

my $seed = time() ^ $$ << 8;
my ($sum, %done, %speed) = (0);

for my $name (@ARGV) {
    ($done{$name}, $speed{$name})
        = target($name, '-max_total_time='
                        . ($o{runs} ? MEASURE : $o{seconds}));
    $sum += $done{$name};
    report($name, $done{$name}, $speed{$name});
}

for my $name ($o{runs} ? @ARGV : ()) {
    my $runs = share($name) - $done{$name};

    next if $runs <= 0;

    my ($n, $per_second) = target($name, "-runs=$runs");

    $sum += $n;
    report($name, $n, $per_second);
}

print "$sum executions, no failure\n";


# the executions of one target, of all

sub share {
    my ($name) = @_;
    my $all = 0;

    $all += $_ for values %speed;

    my $share = int($o{runs} * $speed{$name} / $all) + 1;
    my $least = int($o{runs} / PART);

    return $share > $least ? $share : $least;
}


sub target {
    my ($name, $limit) = @_;
    my $found = "$o{dir}/corpus/$name";
    my @command = ("$o{dir}/${name}_fuzz", $limit, '-seed=' . ++$seed,
                   "-artifact_prefix=$o{dir}/$name-");

    system('mkdir', '-p', $found) == 0 or die "$found: cannot be made\n";

    push @command, "-dict=t/fuzz/$name.dict" if -f "t/fuzz/$name.dict";

    # libFuzzer counts if it is told to

    push @command, '-verbosity=0', '-print_final_stats=1'
        if $o{dir} !~ /-gcc/;

    push @command, $found;
    push @command, "t/fuzz/corpus/$name" if -d "t/fuzz/corpus/$name";

    open my $pipe, '-|', join(' ', map { quotemeta } @command) . ' 2>&1'
        or die "$command[0]: $!\n";

    my ($text, $n, $per_second) = ('');

    while (<$pipe>) {
        $n = $1 if /^stat::number_of_executed_units:\s*(\d+)/;
        $per_second = $1 if /^stat::average_exec_per_sec:\s*(\d+)/;
        $text = substr($text . $_, -20000);
    }

    if (!close($pipe) || !defined $n || !defined $per_second) {
        print $text;
        die "$name has failed: @command\n";
    }

    # too slow to be counted in whole ones

    return ($n, $per_second || 1);
}


sub report {
    my ($name, $n, $per_second) = @_;

    printf "%-12s %12d executions, %8d a second\n", $name, $n, $per_second;
}
