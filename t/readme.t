#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The quick starts of README.md, as a reader follows them: the configuration
# is started, the command is run, and it prints what the page shows; "..." is
# for what differs from one answer to the next.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::Model;
use ORS::Nginx;
use ORS::Util qw( slurp );

my $page = slurp("$ORS::Nginx::ROOT/README.md");
my @starts = $page =~ /^(## Quick start: .*?)(?=^## )/gms;

is(@starts, 2, 'there are two quick starts');
cmp_ok($page =~ tr/\n//, '<=', 300, 'the page is short');

for my $start (@starts) {
    my ($name) = $start =~ /^## Quick start: (.*)/;
    my %block = map { $_ => $start =~ /^```$_\n(.*?)^```$/ms }
                qw( nginx sh json );
    my $conf = $block{nginx} =~ s/127\.0\.0\.1:8080/127.0.0.1:%%PORT_0%%/r
                             =~ s/127\.0\.0\.1:8000/%%MODEL%%/r;
    my $t = ORS::Nginx->new(model => ORS::Model->new, conf => $conf);

    $t->start;

    my $port = $t->port;
    my $command = $block{sh} =~ s/127\.0\.0\.1:8080/127.0.0.1:$port/r;
    my $printed = `NO_PROXY=127.0.0.1 $command`;
    my $expected = join '.*', map { quotemeta } split /\.\.\./,
                                                $block{json} =~ s/\n\z//r;

    is($?, 0, "$name: the command");
    like($printed, qr/\A$expected\n?\z/s, "$name: what it prints");

    $t->finish;
}

done_testing();
