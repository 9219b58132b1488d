#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# Files and functions of src that a request passes through, by room, as
# callgrind saw them in a worker.  Functions that the compiler has put into
# others are not among them.
#
#   walks.pl [-v] FILE CALLS
#
# FILE is a dump of make bench PART=callgrind or PART=websocket
# (build/bench/callgrind.out.N); functions that were called less than CALLS
# times are left out: what is done for each of so many requests, or chunks,
# remains.  -v lists them.

use v5.36;

my $verbose = @ARGV && $ARGV[0] eq '-v' && shift;

die "usage: $0 [-v] FILE CALLS\n" if @ARGV != 2;

my ($file, $least) = @ARGV;
my (%name, %home, %calls, $source, $callee);

open my $in, '<', $file or die "$file: $!\n";

while (my $line = <$in>) {

    if ($line =~ /^(c?f[lien])=\((\d+)\)(?: (.*))?/) {
        my ($key, $id, $text) = ($1, $2, $3);
        my $of = $key =~ /n\z/ ? 'function' : 'file';

        $name{$of}{$id} = $text if defined $text;

        my $is = $name{$of}{$id} // '';

        $source = $is if $key eq 'fl';
        $home{plain($is)} = $source if $key eq 'fn';
        $callee = plain($is) if $key eq 'cfn';

    } elsif ($line =~ /^calls=(\d+)/) {
        $calls{$callee} += $1;
    }
}

my %room;

for my $function (sort keys %home) {
    my ($room, $of) = $home{$function} =~ m{\bsrc/(\w+)/(\w*ors\w*\.[ch])\z}
        or next;

    push @{ $room{$room}{$of} }, $function
        if ($calls{$function} // 0) >= $least;
}

my ($files, $functions) = (0, 0);

for my $room (sort keys %room) {
    my @names = map { @$_ } values %{ $room{$room} };

    printf "%-12s %3d files %4d functions\n", $room,
           scalar keys %{ $room{$room} }, scalar @names;

    $files += keys %{ $room{$room} };
    $functions += @names;

    next if !$verbose;

    say "    $_: @{ $room{$room}{$_} }" for sort keys %{ $room{$room} };
}

printf "%-12s %3d files %4d functions\n", 'all', $files, $functions;


# without the numbers of recursions, and of a compiler's copies

sub plain ($function) {
    return $function =~ s/'\d+\z//r
                     =~ s/\.(?:constprop|part|isra|cold)\b.*//r;
}
