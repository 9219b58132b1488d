#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The cost of inputs: a table of instructions and memory, and a test for each.
#
#   cost.pl [-v] [-j JOBS] [-d DIR] PROGRAM [PART OF A NAME]

use warnings;
use strict;

use File::Path qw/ make_path remove_tree /;
use Getopt::Std qw/ getopts /;

# a byte of any input may take so many times what a typical one takes, ...
use constant TIMES => 20;

# ... four times the bytes so many times the instructions, ...
use constant GROWTH => 4.6;

# ... and a byte more so many bytes of memory
use constant MEMORY => 16;

my %opt = ( j => 2, d => 'build/unit/cost' );

getopts('vj:d:', \%opt) && @ARGV
    or die "usage: $0 [-v] [-j JOBS] [-d DIR] PROGRAM [PART OF A NAME]\n";

my ($program, $part) = @ARGV;

die "valgrind is missing: make deps-test installs it\n"
    unless grep { -x "$_/valgrind" } split /:/, $ENV{PATH};

remove_tree($opt{d});
make_path($opt{d});

run($_) for 0 .. $opt{j} - 1;

while ((my $pid = wait()) > 0) {
    die "$program has failed, see $opt{d}\n" if $?;
}

my (@order, %row);

gather($_) for 0 .. $opt{j} - 1;

my $tests = 0;
my $failed = 0;

judge($row{$_}) for @order;

print "1..$tests\n";
exit($failed ? 1 : 0);

sub run {
    my ($i) = @_;

    my $pid = fork();
    die "fork() failed: $!" unless defined $pid;
    return if $pid;

    open STDOUT, '>', "$opt{d}/rows.$i" or die "$opt{d}: $!";
    open STDERR, '>', "$opt{d}/log.$i" or die "$opt{d}: $!";

    exec 'valgrind', '--tool=callgrind', '--collect-atstart=no',
        '--dump-line=no', '--combine-dumps=yes',
        "--callgrind-out-file=$opt{d}/dumps.$i", $program, $i, $opt{j},
        (defined $part && $part ne '' ? $part : ());
    die "valgrind: $!";
}

# a line of the program's for each dump

sub gather {
    my ($i) = @_;

    my @totals = map { /^totals: (\d+)/ ? $1 : () } lines("dumps.$i");
    my @lines = lines("rows.$i");

    for my $line (@lines) {
        chomp $line;
        my ($group, $name, $variant, @numbers)
            = split /\t/, $line;
        my $key = "$group, $name";

        if (!$row{$key}) {
            push @order, $key;
            $row{$key} = { group => $group, name => $name, variants => {} };
        }

        my %size;
        @size{qw/ bytes memory more rc /} = @numbers;
        $size{count} = shift @totals;

        push @{ $row{$key}{variants}{$variant} }, \%size;
    }
}

sub lines {
    my ($name) = @_;

    open my $f, '<', "$opt{d}/$name" or die "$opt{d}/$name: $!";
    return grep { !/^(?:fn|cfn|calls|fl|fi|fe|ob|cob|cfi|[+\d*-])/ } <$f>
        if $name =~ /^dumps/;
    return <$f>;
}

# the worst variant says what the row costs

sub judge {
    my ($row) = @_;

    my (%most, $taken, $allowed, @wrong);

    for my $variant (sort keys %{ $row->{variants} }) {
        my ($small, $large) = @{ $row->{variants}{$variant} };
        my %cost = (
            count => $large->{count} / $large->{bytes},
            times => $large->{count} / $large->{bytes}
                / typical($row->{group}, $variant),
            growth => 4 * ($large->{count} / $small->{count})
                / ($large->{bytes} / $small->{bytes}),
            memory => ($large->{memory} - $small->{memory})
                / (($large->{bytes} - $small->{bytes}) || 1),
        );

        push @wrong, "$variant: no memory" if $large->{rc} == -1;
        $allowed = $large->{more} || MEMORY;
        $taken ||= $large->{rc} == 0;

        for (keys %cost) {
            $most{$_} = { value => $cost{$_}, variant => $variant }
                if !$most{$_} || $cost{$_} > $most{$_}{value};
        }
    }

    push @wrong, 'it is refused in all of them' unless $taken;

    push @wrong, sprintf '%s: %.1f times the instructions of a typical byte',
        $most{times}{variant}, $most{times}{value}
        if $most{times}{value} > TIMES;

    push @wrong, sprintf '%s: %.1f times the instructions for four times the'
        . ' bytes', $most{growth}{variant}, $most{growth}{value}
        if $most{growth}{value} > GROWTH;

    push @wrong, sprintf '%s: %.1f bytes of memory for a byte',
        $most{memory}{variant}, $most{memory}{value}
        if $most{memory}{value} > $allowed;

    $tests++;
    $failed++ if @wrong;

    printf "%sok %d - %s, %s\n", @wrong ? 'not ' : '', $tests, $row->{group},
        $row->{name};
    printf "# %6.1f instructions a byte, x%-4.1f four times: x%-4.1f "
        . "memory: %.1f\n", map { $most{$_}{value} } qw/ count times growth
        memory / if $opt{v} || @wrong;

    print "#   $_\n" for @wrong;
}

sub typical {
    my ($group, $variant) = @_;

    my $large = $row{"$group, typical"}{variants}{$variant}[1];

    return $large->{count} / $large->{bytes};
}
