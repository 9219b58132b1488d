#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# OpenAI's SDK for Python through the gateway to aimock and to scripted
# models.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::SDK qw( gateway gateway_ok python_tests );

my $g = gateway();

python_tests('openai_test.py', $g);
gateway_ok($g, 'python');

done_testing();
