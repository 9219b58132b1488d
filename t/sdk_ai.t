#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# The AI SDK, with each of its two providers, through the gateway to aimock
# and to scripted models.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::SDK qw( client_ok gateway node_tests );

for my $package (qw( @ai-sdk/openai @ai-sdk/open-responses )) {
    my $g = gateway();

    node_tests('ai.mjs', $package, $g);
    client_ok($g, $package, aimock => [
        'talk first: user assistant tool',
        'city by city: user assistant tool assistant tool',
        'say hello: user assistant user' ]);
}

done_testing();
