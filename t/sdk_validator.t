#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# OpenAI's SDKs through a validator: in front of the gateway, which serves them
# from aimock and from scripted models, and in front of aimock itself.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::SDK qw( gateway gateway_ok node_tests python_tests );

for my $package (qw( openai openai6 )) {
    my $g = gateway(validator => 1);

    node_tests('openai.mjs', $package, $g);
    node_tests('validator.mjs', $package, $g);
    gateway_ok($g, $package);
}

my $g = gateway(validator => 1);

python_tests('openai_test.py', $g);
python_tests('validator_test.py', $g);
gateway_ok($g, 'python');

done_testing();
