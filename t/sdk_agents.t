#!/usr/bin/perl

# Copyright (C) Open Responses contributors

# OpenAI's Agents SDK through the gateway to aimock and to scripted models.

use v5.36;
use Test::More;
use lib 't/lib';
use ORS::SDK qw( client_ok gateway node_tests );

my $g = gateway();

node_tests('agents.mjs', '@openai/agents', $g);
client_ok($g, 'agents', aimock => [
    'talk first: user assistant tool',
    'city by city: user assistant tool assistant tool',
    'say hello: user assistant user' ]);

done_testing();
