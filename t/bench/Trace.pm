package Trace;

# Copyright (C) Open Responses contributors
#
# System calls of a process, by the lines that strace writes of it.
#
#     Trace::row('1 KB request', $pid, $file, 40, sub ($n) { ... });
#
# runs the code for 40 and for 80 requests and prints how often each of the 40
# more has called what, and what pages it had to be given.

use v5.36;
use ORS::Util qw( slurp );


sub row ($name, $pid, $file, $n, $code) {
    my (@seen, %calls);

    $code->(10);

    for my $times ($n, 2 * $n) {
        my $from = -s $file;
        my $faults = faults($pid);

        $code->($times);

        push @seen, counts(substr slurp($file), $from);
        $seen[-1]{fault} = faults($pid) - $faults;
    }

    $calls{$_} = (($seen[1]{$_} // 0) - ($seen[0]{$_} // 0)) / $n
        for keys %{ $seen[1] };

    say sprintf '%-38s %s', $name, join ', ',
        map { sprintf '%s %.2f', $_, $calls{$_} }
        grep { $calls{$_} > 0.005 }
        sort { $calls{$b} <=> $calls{$a} || $a cmp $b } keys %calls;
}


# pages that the kernel had to give it

sub faults ($pid) {
    return (split ' ', slurp("/proc/$pid/stat") =~ s/.*\)//sr)[7];
}


sub counts ($lines) {
    my %n;

    $n{$_}++ for $lines =~ /^(\w+)\(/mg;

    return \%n;
}


1;
