#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# OpenAI's SDK for JavaScript, two generations of it, through the gateway to
# aimock and to scripted models.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::SDK qw( gateway gateway_ok node_tests );

for my $package (qw( openai openai6 )) {
    my $g = gateway();

    node_tests('openai.mjs', $package, $g);
    gateway_ok($g, $package);
}

done_testing();
