#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# One suite for all engines: the tests of stored responses, which run with LMDB
# by themselves, run with Redis, and with a location whose server is that of
# docs/store.py.

use v5.36;
use Test::More;

my @all = qw( stored stored_items resume tools_stored mcp_approvals
              provider_state scope input_tokens conversations );

my %tests = (
    redis => \@all,

    # Redis has its own of these
    location => [ @all, 'background_stream', 'store_kills' ],
);

$ENV{ORS_KILLS} //= 10;

for my $engine (sort keys %tests) {
    local $ENV{ORS_STORE} = $engine;

    for my $test (@{ $tests{$engine} }) {
        my $text = `$^X t/$test.t 2>&1`;

        is($?, 0, "$engine: $test") or diag($text =~ s/^ok .*\n//gmr);
        like($text, qr/^1\.\.[1-9]/m, "$engine: $test was run");
    }
}

done_testing();
