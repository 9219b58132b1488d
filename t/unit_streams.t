#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The streams, documents and errors of the unit tests of turns, looked at by
# the checker of the protocol.

use v5.36;

use Test::More;
use File::Basename qw( dirname );
use File::Temp qw( tempdir );
use FindBin;

use lib "$FindBin::Bin/lib";

use ORS::Stream qw( check_error stream_ok response_ok );

my $module = $ENV{TEST_NGINX_MODULE} // "$FindBin::Bin/../build/x";
my $dir = $ENV{TEST_UNIT_DIR} // dirname($module) . '/unit';
my $program = "$dir/turn_tests";

plan skip_all => "no $program, see \"make unit\"" if !-x $program;

my $dump = tempdir(CLEANUP => 1);

{
    local $ENV{ORS_DUMP} = $dump;
    my $out = qx($program turn_test 2>&1);

    is($?, 0, 'unit test of turns') or diag($out);
}

my %seen;

for my $file (sort glob "$dump/*") {
    my ($n, $status, $kind) = $file =~ m!/(\d+)-(\d+)\.(\w+)\z!;
    my $body = do { local (@ARGV, $/) = $file; <> };

    $seen{$kind}++;

    if ($kind eq 'stream') {
        stream_ok($body, "stream $n");

    } elsif ($kind eq 'document') {
        response_ok($body, "document $n");

    } else {
        my @wrong = check_error($status,
                                { 'content-type' => 'application/json' },
                                $body);

        ok(!@wrong, "error $n") or diag(join "\n", @wrong, $body);
    }
}

cmp_ok($seen{$_} // 0, '>', 15, "enough of kind $_")
    for qw( stream document error );

done_testing();
