#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The mistakes of t/data/mistakes.txt, and what nginx says of each: which
# directive it is, what was found, and what is allowed.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Nginx;
use ORS::Util qw( slurp );

my $text = slurp("$ORS::Nginx::ROOT/t/data/mistakes.txt") =~ s/^#.*\n//mgr;
my @cases = map { mistake($_) } split /\n{2,}/, $text =~ s/^\n+//r;

cmp_ok(scalar @cases, '>=', 60, 'there are cases');

for my $case (@cases) {
    my ($code, $out) = ORS::Nginx->conf_test(conf($case));
    my $name = $case->{name};
    my $level = @{ $case->{'!'} } ? 'emerg' : 'warn';
    my ($line) = $out =~ /^[^\n]*\[$level\] ([^\n]*)/m;

    is($code, @{ $case->{'!'} } ? 1 : 0, $name) or diag($out);

    if (!@{ $case->{'!'} } && !@{ $case->{'?'} }) {
        unlike($out, qr/\[(?:warn|emerg)\]/, "$name: not a word");
    }

    # a line that ends with its place, or is about the whole

    for my $say (@{ $case->{'!'} }, @{ $case->{'?'} }) {
        ok($out =~ /^.*\[$level\].*\Q$say\E/m, "$name: says it")
            or diag("expected $say\n$out");
    }

    unlike($out, qr/\Q$_\E/, "$name: does not print it") for @{ $case->{"-"} };
}

done_testing();


sub mistake ($block) {
    my ($name, @lines) = split /\n/, $block;
    my %case = (name => $name, http => [], server => [],
                map { $_ => [] } qw( ! ? - ));

    for my $line (@lines) {
        next if $line eq '.';

        if ($line =~ /^([!?-]) (.*)/) {
            push @{ $case{$1} }, $2;

        } elsif ($line =~ /^http: (.*)/) {
            push @{ $case{http} }, $1;

        } else {
            push @{ $case{server} }, $line;
        }
    }

    return \%case;
}


sub conf ($case) {
    return join "\n", @{ $case->{http} }, <<'CONF', @{ $case->{server} }, '}';
server {
    listen 127.0.0.1:%%PORT_0%%;

    location = /t { internal; return 200; }
    location = /chat { internal; open_responses_dialect chat; return 200; }
CONF
}
